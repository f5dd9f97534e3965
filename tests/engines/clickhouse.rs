//! Keeps the golden corpus in ClickHouse: in a server that is started for the tests where one is
//! installed, and in its engine in a process of Python, where `chdb` is, behind the same HTTP
//! interface and with the same SQL. `SECONDHAND_TEST_CLICKHOUSE` is the URL of another server to
//! test with, without a database.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::servers::{free_port, keep, port_of, wait_for, wait_until};
use crate::wire::{End, Wire, python_with};
use crate::{CHANGES, GOLDEN, is_no_verdict};

/// The URLs of servers, without a database.
static SERVERS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let servers: Vec<String> =
        std::env::var("SECONDHAND_TEST_CLICKHOUSE").ok().into_iter().chain(server()).collect();
    if servers.is_empty() {
        eprintln!("not tested: there is no ClickHouse server here");
    }
    servers.into_iter().chain(engine()).collect()
});

/// The engine in a process of Python.
fn engine() -> Option<String> {
    let Some(python) = python_with("chdb") else {
        eprintln!("not tested: there is no chdb here");
        return None;
    };
    let bridge = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/scale/clickhouse_bridge.py");
    let folder = TempDir::new().expect("the folder for temporary files is writable").keep();
    // It ends with its input, and that with this process.
    let mut child = Command::new(python)
        .arg(bridge)
        .arg(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut port = String::new();
    BufReader::new(child.stdout.take().expect("it is piped"))
        .read_line(&mut port)
        .expect("it says its port");
    std::mem::forget(child);
    Some(format!("clickhouse://default:secret@127.0.0.1:{}", port.trim()))
}

/// A server with three users: one who may do all, one who may read, and one to whom answers are cut
/// off.
fn server() -> Option<String> {
    // Old servers do not know `--version`.
    let there = Command::new("sh").args(["-c", "command -v clickhouse-server"]).output();
    there.is_ok_and(|said| said.status.success()).then_some(())?;
    let folder = TempDir::new().expect("the folder for temporary files is writable").keep();
    let port = free_port();
    let at = |name: &str| folder.join(name).display().to_string();
    // Old servers read no other name of the root.
    let config = format!(
        "<yandex><logger><level>warning</level><console>1</console></logger><http_port>{port}</http_port>
        <listen_host>127.0.0.1</listen_host><path>{}/</path><tmp_path>{}/</tmp_path>
        <format_schema_path>{}/</format_schema_path><users_config>{}</users_config>
        <default_profile>default</default_profile><default_database>default</default_database>
        <mark_cache_size>5368709120</mark_cache_size></yandex>",
        at("data"),
        at("tmp"),
        at("format"),
        at("users.xml")
    );
    let user = |name: &str, profile: &str| {
        format!(
            "<{name}><password>secret</password><networks><ip>::/0</ip></networks><profile>{profile}</profile>
            <quota>default</quota></{name}>"
        )
    };
    let users = format!(
        "<yandex><profiles><default/><readonly><readonly>1</readonly></readonly>
        <cut><readonly>1</readonly><result_overflow_mode>break</result_overflow_mode></cut></profiles>
        <users>{}{}{}</users><quotas><default/></quotas></yandex>",
        user("default", "default"),
        user("reader", "readonly"),
        user("cut", "cut")
    );
    fs::write(at("config.xml"), config).expect("the folder is writable");
    fs::write(at("users.xml"), users).expect("the folder is writable");
    keep("clickhouse-server", &[&format!("--config-file={}", at("config.xml"))]);
    wait_for(port);
    Some(format!("clickhouse://default:secret@127.0.0.1:{port}"))
}

/// Whether it is a server, which knows users, and not the engine alone, which is the last one if it
/// is there.
fn is_server(url: &str) -> bool {
    !url.starts_with(SERVERS[SERVERS.len() - 1].as_str()) || python_with("chdb").is_none()
}

/// Runs `test` with the URL of a database of its own that has the golden corpus, on each server.
fn with_database(name: &str, test: impl Fn(&str)) {
    for server in &*SERVERS {
        let url = format!("{server}/{name}");
        prepare(&url, name);
        let loaded = GOLDEN.corpus(&["load", "golden", &url]);
        assert!(loaded.starts_with("2 sources added"), "{loaded}");
        test(&url);
    }
}

/// A server from before 2019 knows no granularity in bytes: it gets a table of blocks without.
fn prepare(url: &str, name: &str) {
    let (_, version) = try_sql(url, "SELECT version()");
    if version.trim().lines().last().is_some_and(|version| version.starts_with("18.")) {
        eprintln!(
            "ClickHouse {}: `blocks` is made without `index_granularity_bytes`",
            version.trim()
        );
        sql(url, &format!("CREATE DATABASE {name}"));
        let table = "(source UInt64, start UInt64, checksum UInt32, bytes String) ENGINE = MergeTree \
            ORDER BY (source, start) SETTINGS index_granularity = 32";
        sql(url, &format!("CREATE TABLE {name}.blocks {table}"));
    }
}

#[test]
fn findings_from_clickhouse_are_those_from_segments() {
    with_database("alike", |url| CHANGES.are_judged_alike(&GOLDEN, url, &[]));
}

#[test]
fn a_source_is_added_and_removed_without_writing_the_others() {
    with_database("changing", |url| {
        let again = GOLDEN.corpus(&["load", "golden", url]);
        assert!(again.starts_with("0 sources added"), "{again}");
        GOLDEN.corpus(&["remove", url, "past"]);
        let (status, _, errors) = GOLDEN.run(&["remove", url, "past"]);
        assert!(status == 2 && errors.contains("it has no source `past`"), "{errors}");
        assert_eq!(
            CHANGES.check(4, &GOLDEN, url, &[]).0,
            0,
            "the code of the removed source is not found"
        );
        let kept = GOLDEN.corpus(&["compact", url]);
        assert!(kept.contains(" 0 "), "it was removed less than an hour ago: {kept}");
        let compacted = GOLDEN.corpus(&["compact", url, "--older-than", "0"]);
        assert!(compacted.contains(" 1 "), "{compacted}");
        GOLDEN.corpus(&["load", "golden", url]);
        assert_eq!(CHANGES.check(4, &GOLDEN, url, &[]).0, 1, "it is there again");
    });
}

#[test]
fn a_server_that_fails_makes_no_verdict() {
    is_no_verdict("clickhouse://user:secret@127.0.0.1:1/x", &[], &["127.0.0.1:1/x"]);
    is_no_verdict(
        "clickhouse://user:secret@127.0.0.1:1/x?password=secret",
        &[],
        &["the only parameters are"],
    );
    for server in &*SERVERS {
        is_no_verdict(
            &format!("{server}/nothing"),
            &[],
            &["127.0.0.1", "there is no corpus in it"],
        );
    }
    with_database("dying", |url| {
        let port = port_of(url);
        for max_bytes in [300, 2_000, 9_000] {
            let dying = Wire { max_bytes, ..Wire::GOOD }.to(port);
            let url = format!("clickhouse://default:secret@127.0.0.1:{dying}/dying");
            is_no_verdict(&url, &[], &["127.0.0.1"]);
        }
        let slow = Wire { delay: Duration::from_millis(60), ..Wire::GOOD }.to(port);
        let slow = format!("clickhouse://default:secret@127.0.0.1:{slow}/dying");
        CHANGES.is_judged_alike(&GOLDEN, &slow, &[]);
    });
}

#[test]
fn a_server_that_stops_answering_makes_no_verdict() {
    with_database("hung", |url| {
        let port = port_of(url);
        thread::scope(|scope| {
            // Before it has answered anything, and in the middle.
            for max_bytes in [0, 2_000] {
                scope.spawn(move || {
                    let hung = Wire { max_bytes, end: End::Hangs, ..Wire::GOOD }.to(port);
                    let url = format!("clickhouse://default:secret@127.0.0.1:{hung}/hung");
                    is_no_verdict(&url, &[], &["127.0.0.1", "no answer in"]);
                });
            }
        });
    });
}

#[test]
fn a_request_that_breaks_off_is_repeated() {
    with_database("again", |url| {
        let again = Wire { n_broken: 2, ..Wire::GOOD }.to(port_of(url));
        CHANGES.is_judged_alike(
            &GOLDEN,
            &format!("clickhouse://default:secret@127.0.0.1:{again}/again"),
            &[],
        );
    });
}

#[test]
fn a_reader_needs_no_right_but_to_read() {
    with_database("reading", |url| {
        if !is_server(url) {
            return;
        }
        let as_user = |user: &str| url.replace("default:secret", &format!("{user}:secret"));
        CHANGES.is_judged_alike(&GOLDEN, &as_user("reader"), &[]);
        let (status, _, errors) = GOLDEN.run(&["remove", &as_user("reader"), "past"]);
        assert!(status == 2 && errors.contains("readonly mode"), "{errors}");
        is_no_verdict(&as_user("cut"), &[], &["127.0.0.1", "answers may be cut off"]);
        is_no_verdict(
            &url.replace("default:secret", "reader:secretive"),
            &[],
            &["127.0.0.1", "assword"],
        );
        is_no_verdict(&as_user("stranger"), &[], &["127.0.0.1", "stranger"]);
    });
}

/// Runs a statement on the server that `url` leads to; whether it succeeded, and what was answered.
fn try_sql(url: &str, statement: &str) -> (bool, String) {
    let host =
        url.rsplit('@').next().and_then(|rest| rest.split('/').next()).expect("the URL has a host");
    let mut stream = TcpStream::connect(host).expect("it is there");
    let len = statement.len();
    let head = format!(
        "POST / HTTP/1.0\r\nHost: {host}\r\nX-ClickHouse-User: default\r\nX-ClickHouse-Key: secret\r\n\
        Connection: close\r\nContent-Length: {len}\r\n\r\n"
    );
    stream.write_all((head + statement).as_bytes()).expect("it listens");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
    (head.contains(" 200 "), body.to_owned())
}

#[track_caller]
fn sql(url: &str, statement: &str) {
    let (is_done, answer) = try_sql(url, statement);
    assert!(is_done, "{answer}");
}

#[test]
fn tables_of_another_version_or_with_damaged_blocks_make_no_verdict() {
    with_database("broken", |url| {
        // Not every server knows how to wait for a mutation.
        let is_no_verdict_soon = |part: &str| {
            wait_until(|| CHANGES.check(0, &GOLDEN, url, &[]).2.contains(part));
            is_no_verdict(url, &[], &["127.0.0.1", part]);
        };
        let alter = |what: &str| {
            let waits =
                format!("ALTER TABLE broken.blocks {what} WHERE 1 SETTINGS mutations_sync = 2");
            if !try_sql(url, &waits).0 {
                sql(url, &format!("ALTER TABLE broken.blocks {what} WHERE 1"));
            }
        };
        alter("UPDATE bytes = concat(bytes, 'x')");
        is_no_verdict_soon("is damaged");
        alter("DELETE");
        is_no_verdict_soon("is missing");
        sql(url, "DROP TABLE broken.version");
        sql(
            url,
            "CREATE TABLE broken.version (version UInt32, corpus String) ENGINE = MergeTree ORDER BY version",
        );
        sql(url, "INSERT INTO broken.version VALUES (99, 'golden')");
        is_no_verdict(url, &[], &["its tables have version 99, and this program knows version 1"]);
    });
}

/// What newer servers answer whom they deny is from their documentation.
#[test]
fn a_server_that_denies_makes_no_verdict() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let address = listener.local_addr().expect("it is bound");
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut asked = [0; 1 << 12];
            let _ = stream.read(&mut asked);
            let why = "Code: 497. DB::Exception: reader: Not enough privileges. (ACCESS_DENIED)";
            let head = format!(
                "HTTP/1.1 403 Forbidden\r\nX-ClickHouse-Exception-Code: 497\r\nContent-Length: {}\r\n\r\n",
                why.len()
            );
            let _ = stream.write_all((head + why).as_bytes());
        }
    });
    is_no_verdict(
        &format!("clickhouse://reader:secret@{address}/x"),
        &[],
        &["127.0.0.1", "Not enough privileges"],
    );
}
