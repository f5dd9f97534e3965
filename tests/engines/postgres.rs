//! Keeps the golden corpus in a PostgreSQL server that is started for the tests, where one is
//! installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::servers::{free_port, wait_for, wait_until};
use crate::wire::{End, Wire};
use crate::{CHANGES, GOLDEN, is_no_verdict};

/// A server with a corpus; `None` where there is no PostgreSQL.
static SERVER: LazyLock<Option<Server>> = LazyLock::new(Server::start);
/// Tests that write, one at a time.
static WRITING: Mutex<()> = Mutex::new(());

struct Server {
    bin: PathBuf,
    port: u16,
    /// The certificate of the authority that signed the server's; `None` where no `openssl` makes
    /// one.
    authority: Option<String>,
}

fn bin() -> Option<PathBuf> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&paths).collect();
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    folders.extend(versions.map(|version| version.path().join("bin")));
    folders.into_iter().find(|folder| {
        ["initdb", "postgres", "psql"].iter().all(|name| folder.join(name).is_file())
    })
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().expect("there is `id`").stdout == b"0\n"
}

/// A program of the server, as a user who is not root: it does not run as root.
fn command(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]).arg(program);
    command
}

/// Makes a certificate for `localhost`, and the one of the authority that signed it; returns the
/// path of that.
fn certificates(folder: &Path) -> Option<String> {
    fs::write(folder.join("names"), "subjectAltName=DNS:localhost\n")
        .expect("the folder is writable");
    let make = "openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=authority &&
        openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=server &&
        openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 2 -extfile names &&
        chmod 600 server.key";
    let made = Command::new("sh")
        .args(["-c", make])
        .current_dir(folder)
        .output()
        .expect("there is a shell");
    if !made.status.success() {
        eprintln!("not tested: encryption, since there is no openssl here");
        return None;
    }
    Some(folder.join("ca.pem").to_str().expect("temporary folders are UTF-8").to_owned())
}

impl Server {
    fn start() -> Option<Self> {
        let Some(bin) = bin() else {
            eprintln!("not tested: there is no PostgreSQL here");
            return None;
        };
        let folder = TempDir::new().expect("the folder for temporary files is writable").keep();
        let password = folder.join("password");
        fs::write(&password, "secret").expect("the folder is writable");
        let authority = certificates(&folder);
        if is_root() {
            let status = Command::new("chown").args(["-R", "nobody:nogroup"]).arg(&folder).status();
            assert!(status.expect("there is `chown`").success());
        }
        let data = folder.join("data");
        let made = command(&bin.join("initdb"))
            .args([
                "--username=owner", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C",
                "--no-sync",
            ])
            .arg("--pwfile")
            .arg(&password)
            .arg(&data)
            .current_dir(&folder)
            .output()
            .expect("it starts");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let port = free_port();
        let file = |name: &str| folder.join(name).display().to_string();
        let encryption = [
            format!("ssl_cert_file={}", file("server.pem")),
            format!("ssl_key_file={}", file("server.key")),
        ];
        let encryption = encryption
            .iter()
            .map(String::as_str)
            .chain(["ssl=on"])
            .flat_map(|setting| ["-c", setting]);
        let child = command(&bin.join("postgres"))
            .args(encryption.filter(|_| authority.is_some()))
            .arg("-D")
            .arg(&data)
            .args(["-h", "127.0.0.1", "-p", &port.to_string(), "-c", "fsync=off", "-c"])
            .arg(format!("unix_socket_directories={}", folder.display()))
            .current_dir(&folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        // No test knows whether it is the last one: the server ends after the process of the tests,
        // however that ends.
        let (tests, server) = (std::process::id(), child.id());
        let wait = format!(
            "while kill -0 {tests}; do sleep 1; done; kill -INT {server}; sleep 3; rm -rf \"$0\""
        );
        let mut end = Command::new("sh");
        end.args(["-c", &wait])
            .arg(&folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .stdin(Stdio::null());
        end.spawn().expect("there is a shell");
        let server = Self { bin, port, authority };
        wait_for(port);
        wait_until(|| server.try_sql("SELECT 1").is_some());
        GOLDEN.corpus(&["load", "golden", &server.url("golden")]);
        Some(server)
    }

    fn url(&self, schema: &str) -> String {
        self.url_of("owner:secret", self.port, schema)
    }

    fn url_of(&self, user: &str, port: u16, schema: &str) -> String {
        format!("postgres://{user}@127.0.0.1:{port}/postgres?schema={schema}")
    }

    fn try_sql(&self, sql: &str) -> Option<String> {
        let output = Command::new(self.bin.join("psql"))
            .args([
                "-h",
                "127.0.0.1",
                "-p",
                &self.port.to_string(),
                "-U",
                "owner",
                "-d",
                "postgres",
            ])
            .args(["-v", "ON_ERROR_STOP=1", "-At", "-c", sql])
            .env("PGPASSWORD", "secret")
            .output()
            .expect("it starts");
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    #[track_caller]
    fn sql(&self, sql: &str) -> String {
        self.try_sql(sql).unwrap_or_else(|| panic!("{sql}"))
    }
}

/// Runs `test` with the server, if there is one.
fn with_server(test: impl FnOnce(&Server)) {
    if let Some(server) = &*SERVER {
        test(server);
    }
}

#[test]
fn findings_from_postgresql_are_those_from_segments() {
    with_server(|server| CHANGES.are_judged_alike(&GOLDEN, &server.url("golden"), &[]));
}

#[test]
fn a_reader_needs_no_right_but_to_read() {
    with_server(|server| {
        let _alone = WRITING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        server.sql("CREATE ROLE reader LOGIN PASSWORD 'secret'; CREATE ROLE stranger LOGIN PASSWORD 'secret'");
        GOLDEN.corpus(&["load", "golden", &server.url("golden"), "--readers", "reader"]);
        let as_user = |user: &str| server.url_of(user, server.port, "golden");
        CHANGES.is_judged_alike(&GOLDEN, &as_user("reader:secret"), &[]);
        CHANGES.is_judged_alike(&GOLDEN, &as_user("reader"), &[("PGPASSWORD", "secret")]);
        let (status, _, errors) = GOLDEN.run(&["load", "golden", &as_user("reader:secret")]);
        assert_eq!(status, 0, "there is nothing to write: {errors}");
        let (status, _, errors) = GOLDEN.run(&["remove", &as_user("reader:secret"), "past"]);
        assert!(status == 2 && errors.contains("permission denied"), "{errors}");
        is_no_verdict(&as_user("stranger:secret"), &[], &["127.0.0.1", "permission denied"]);
        is_no_verdict(
            &as_user("reader:secretive"),
            &[],
            &["127.0.0.1", "password authentication failed"],
        );
    });
}

#[test]
fn a_source_is_added_replaced_and_removed_without_writing_the_others() {
    with_server(|server| {
        let _alone = WRITING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let url = server.url("changing");
        let added = GOLDEN.corpus(&["load", "golden", &url]);
        assert!(added.starts_with("2 sources added"), "{added}");
        let sources = "SELECT string_agg(source::text, ' ' ORDER BY source) FROM changing.sources WHERE removed IS NULL";
        let before = server.sql(sources);
        let again = GOLDEN.corpus(&["load", "golden", &url]);
        assert!(
            again.starts_with("0 sources added") && again.contains("2 were there already"),
            "{again}"
        );
        assert_eq!(server.sql(sources), before);
        GOLDEN.corpus(&["remove", &url, "past"]);
        let (status, _, errors) = GOLDEN.run(&["remove", &url, "past"]);
        assert!(status == 2 && errors.contains("it has no source `past`"), "{errors}");
        assert_eq!(
            server.sql("SELECT count(*) FROM changing.sources WHERE removed IS NOT NULL"),
            "1"
        );
        assert!(
            server.sql(
                "SELECT count(*) FROM changing.postings WHERE source NOT IN (SELECT source FROM \
            changing.sources WHERE removed IS NULL)"
            ) != "0"
        );
        GOLDEN.corpus(&["compact", &url]);
        assert_eq!(server.sql("SELECT count(DISTINCT source) FROM changing.postings"), "1");
        let (status, _, errors) = CHANGES.check(4, &GOLDEN, &url, &[]);
        assert_eq!(status, 0, "the code of the removed source is not found: {errors}");
        GOLDEN.corpus(&["load", "golden", &url]);
        let (status, _, errors) = CHANGES.check(4, &GOLDEN, &url, &[]);
        assert_eq!(status, 1, "it is there again: {errors}");
    });
}

#[test]
fn of_two_writers_one_is_told() {
    with_server(|server| {
        let _alone = WRITING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut other = Command::new(server.bin.join("psql"))
            .args([
                "-h",
                "127.0.0.1",
                "-p",
                &server.port.to_string(),
                "-U",
                "owner",
                "-d",
                "postgres",
                "-c",
            ])
            .arg("SELECT pg_advisory_lock(hashtextextended('secondhand golden', 0)), pg_sleep(600)")
            .env("PGPASSWORD", "secret")
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts");
        wait_until(|| {
            server.sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted")
                != "0"
        });
        let (status, _, errors) = GOLDEN.run(&["remove", &server.url("golden"), "past"]);
        assert!(status == 2 && errors.contains("somebody else is writing to it"), "{errors}");
        CHANGES.check(0, &GOLDEN, &server.url("golden"), &[]);
        server.sql("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'");
        other.wait().expect("it ends");
    });
}

#[test]
fn a_server_that_fails_makes_no_verdict() {
    with_server(|server| {
        let _alone = WRITING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        is_no_verdict(&server.url("nothing"), &[], &["127.0.0.1", "there is no corpus in it"]);
        let free = free_port();
        is_no_verdict(
            &server.url_of("owner:secret", free, "golden"),
            &[],
            &["127.0.0.1", "refused"],
        );
        GOLDEN.corpus(&["load", "golden", &server.url("broken")]);
        server.sql("UPDATE broken.version SET version = 99");
        is_no_verdict(
            &server.url("broken"),
            &[],
            &["its tables have version 99, and this program knows version 1"],
        );
        server.sql(
            "UPDATE broken.version SET version = 1; UPDATE broken.blocks SET bytes = bytes || 'x'",
        );
        is_no_verdict(&server.url("broken"), &[], &["is damaged"]);
        server.sql("DELETE FROM broken.blocks");
        is_no_verdict(&server.url("broken"), &[], &["is missing"]);
    });
}

#[test]
fn a_server_that_dies_in_the_middle_makes_no_verdict_and_a_slow_one_the_same() {
    with_server(|server| {
        let slow = Wire { delay: Duration::from_millis(60), ..Wire::GOOD }.to(server.port);
        CHANGES.is_judged_alike(&GOLDEN, &server.url_of("owner:secret", slow, "golden"), &[]);
        for max_bytes in [1_000, 4_000, 8_000, 12_000] {
            let dying = Wire { max_bytes, ..Wire::GOOD }.to(server.port);
            is_no_verdict(&server.url_of("owner:secret", dying, "golden"), &[], &["127.0.0.1"]);
        }
    });
}

#[test]
fn a_server_that_stops_answering_makes_no_verdict() {
    with_server(|server| {
        thread::scope(|scope| {
            // Before it has answered anything, and in the middle.
            for max_bytes in [0, 2_000, 12_000] {
                scope.spawn(move || {
                    let hung = Wire { max_bytes, end: End::Hangs, ..Wire::GOOD }.to(server.port);
                    is_no_verdict(
                        &server.url_of("owner:secret", hung, "golden"),
                        &[],
                        &["127.0.0.1", "no answer in"],
                    );
                });
            }
        });
    });
}

#[test]
fn a_connection_that_breaks_off_is_made_again() {
    with_server(|server| {
        let again = Wire { n_broken: 2, ..Wire::GOOD }.to(server.port);
        CHANGES.is_judged_alike(&GOLDEN, &server.url_of("owner:secret", again, "golden"), &[]);
        let never = Wire { n_broken: 3, ..Wire::GOOD }.to(server.port);
        is_no_verdict(&server.url_of("owner:secret", never, "golden"), &[], &["127.0.0.1"]);
    });
}

#[test]
fn rows_that_a_policy_hides_make_no_verdict() {
    with_server(|server| {
        let _alone = WRITING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        server.sql("CREATE ROLE hidden LOGIN PASSWORD 'secret'");
        GOLDEN.corpus(&["load", "golden", &server.url("policy"), "--readers", "hidden"]);
        server.sql(
            "ALTER TABLE policy.postings ENABLE ROW LEVEL SECURITY;
             CREATE POLICY few ON policy.postings TO hidden USING (key < 0)",
        );
        is_no_verdict(
            &server.url_of("hidden:secret", server.port, "policy"),
            &[],
            &["row-level security"],
        );
    });
}

#[test]
fn an_encrypted_connection_is_made_only_to_the_server_that_its_certificate_names() {
    with_server(|server| {
        let Some(authority) = &server.authority else { return };
        let url = |host: &str| {
            format!(
                "postgres://owner:secret@{host}:{}/postgres?schema=golden&sslmode=require",
                server.port
            )
        };
        let known = [("SSL_CERT_FILE", authority.as_str())];
        CHANGES.is_judged_alike(&GOLDEN, &url("localhost"), &known);
        is_no_verdict(&url("127.0.0.1"), &known, &["127.0.0.1", "certificate"]);
        let unknown = Path::new(authority).with_file_name("server.pem");
        let unknown = [("SSL_CERT_FILE", unknown.to_str().expect("temporary folders are UTF-8"))];
        is_no_verdict(&url("localhost"), &unknown, &["localhost", "certificate"]);
    });
}
