//! Keeps the golden corpus in ClickHouse's engine: in a process of Python, where `chdb` is installed, behind the same
//! HTTP interface and with the same SQL as a server. `SECONDHAND_TEST_CLICKHOUSE` names a real one to use instead.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use tempfile::TempDir;

use crate::wire::{Wire, python_with};
use crate::{CHANGES, GOLDEN, is_no_verdict};

/// The URL of a server, without a database; `None` where there is none.
static SERVER: LazyLock<Option<String>> = LazyLock::new(|| {
    if let Ok(url) = std::env::var("SECONDHAND_TEST_CLICKHOUSE") {
        return Some(url);
    }
    let Some(python) = python_with("chdb") else {
        eprintln!("not tested: there is neither a ClickHouse server nor chdb here");
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
    BufReader::new(child.stdout.take().expect("it is piped")).read_line(&mut port).expect("it says its port");
    std::mem::forget(child);
    Some(format!("clickhouse://default:secret@127.0.0.1:{}", port.trim()))
});

/// Runs `test` with the URL of a database of its own that has the golden corpus, if there is a server.
fn with_database(name: &str, test: impl FnOnce(&str)) {
    if let Some(server) = &*SERVER {
        let url = format!("{server}/{name}");
        let loaded = GOLDEN.corpus(&["load", "golden", &url]);
        assert!(loaded.starts_with("2 sources added"), "{loaded}");
        test(&url);
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
        assert_eq!(CHANGES.check(4, &GOLDEN, url, &[]).0, 0, "the code of the removed source is not found");
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
    let Some(server) = &*SERVER else { return };
    is_no_verdict(&format!("{server}/nothing"), &[], &["127.0.0.1", "there is no corpus in it"]);
    is_no_verdict("clickhouse://user:secret@127.0.0.1:1/x", &[], &["127.0.0.1:1/x"]);
    is_no_verdict(&format!("{server}/x?password=secret"), &[], &["the only parameters are"]);
    with_database("dying", |url| {
        let port = url.rsplit(':').next().and_then(|rest| rest.split('/').next()).and_then(|port| port.parse().ok());
        let port = port.expect("the URL has a port");
        for max_bytes in [300, 2_000, 9_000] {
            let dying = Wire { delay: Duration::ZERO, max_bytes }.to(port);
            let url = format!("clickhouse://default:secret@127.0.0.1:{dying}/dying");
            is_no_verdict(&url, &[], &["127.0.0.1"]);
        }
        let slow = Wire { delay: Duration::from_millis(60), max_bytes: usize::MAX }.to(port);
        let slow = format!("clickhouse://default:secret@127.0.0.1:{slow}/dying");
        let (expected, here, _) = CHANGES.check(0, &GOLDEN, "golden", &[]);
        let (status, there, errors) = CHANGES.check(0, &GOLDEN, &slow, &[]);
        assert_eq!((status, there), (expected, here), "{errors}");
    });
}

/// Runs a statement on the server that `url` leads to.
fn sql(url: &str, statement: &str) {
    let host = url.rsplit('@').next().and_then(|rest| rest.split('/').next()).expect("the URL has a host");
    let mut stream = TcpStream::connect(host).expect("it is there");
    let len = statement.len();
    let head = format!("POST / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {len}\r\n\r\n");
    stream.write_all((head + statement).as_bytes()).expect("it listens");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    assert!(answer.contains(" 200 "), "{answer}");
}

#[test]
fn tables_of_another_version_or_with_damaged_blocks_make_no_verdict() {
    with_database("broken", |url| {
        let set = "SETTINGS mutations_sync = 2";
        sql(url, &format!("ALTER TABLE broken.blocks UPDATE bytes = concat(bytes, 'x') WHERE 1 {set}"));
        is_no_verdict(url, &[], &["127.0.0.1", "is damaged"]);
        sql(url, &format!("ALTER TABLE broken.blocks DELETE WHERE 1 {set}"));
        is_no_verdict(url, &[], &["127.0.0.1", "is missing"]);
        sql(url, "TRUNCATE TABLE broken.version");
        sql(url, "INSERT INTO broken.version VALUES (99, 'golden')");
        is_no_verdict(url, &[], &["its tables have version 99, and this program knows version 1"]);
    });
}

/// The engine in this process knows no users: what a server answers whom it denies is from its documentation.
#[test]
fn a_server_that_denies_makes_no_verdict() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let address = listener.local_addr().expect("it is bound");
    std::thread::spawn(move || {
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
    is_no_verdict(&format!("clickhouse://reader:secret@{address}/x"), &[], &["127.0.0.1", "Not enough privileges"]);
}
