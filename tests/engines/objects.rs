//! Keeps the golden corpus in a folder and behind a web server, which fails in many ways.

use std::cmp::Reverse;
use std::fs;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use crate::golden::Golden;
use crate::servers::{as_variables, free_port, wait_until};
use crate::wire::{Wire, python_with};
use crate::{CHANGES, GOLDEN, is_no_verdict};

/// The corpus, pushed to a folder.
pub static PUSHED: LazyLock<String> = LazyLock::new(|| {
    let url = format!("file:{}", GOLDEN.path("pushed"));
    GOLDEN.corpus(&["push", "golden", &url]);
    GOLDEN.path("pushed")
});

/// What a web server does with a request.
#[derive(Debug, Clone, Copy)]
enum Manner {
    Answers,
    /// It breaks the first requests off.
    FailsFirst(usize),
    /// It answers whatever is asked for of this folder with this status.
    Refuses(&'static str, u16),
    /// It sends less of what is in this folder than it has announced.
    Truncates(&'static str),
    /// It changes a byte of what is in this folder.
    Damages(&'static str),
    /// It ends after so many requests.
    Dies(usize),
    /// It answers so many requests, and then no more, though connections stay open.
    Hangs(usize),
}

/// Serves the folder `root`; returns the address.
fn serve(root: &str, manner: Manner) -> String {
    serve_below(root, "/", manner)
}

/// Serves the folder `root` below the path `base`; returns the address without it.
pub fn serve_folder(root: &str, base: &'static str) -> String {
    serve_below(root, base, Manner::Answers)
}

fn serve_below(root: &str, base: &'static str, manner: Manner) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    let (root, n_asked) = (PathBuf::from(root), Arc::new(AtomicUsize::new(0)));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (root, n_asked) = (root.clone(), Arc::clone(&n_asked));
            thread::spawn(
                move || while answer(&stream, (&root, base), manner, &n_asked).is_some() {},
            );
        }
    });
    url
}

/// Answers a request; `None` ends the connection.
fn answer(
    stream: &TcpStream,
    (root, base): (&Path, &str),
    manner: Manner,
    n_asked: &AtomicUsize,
) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_ascii_lowercase());
    }
    let n_before = n_asked.fetch_add(1, Ordering::SeqCst);
    let mut words = lines.first()?.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    // Google's clients encode more than they have to.
    let path = path.split('?').next()?.replace("%2f", "/").replace("%2e", ".");
    let path = path.strip_prefix(base)?.to_owned();
    let mut out = stream.try_clone().ok()?;
    let is_in = |folder: &str| path.starts_with(folder);
    match manner {
        Manner::FailsFirst(n) if n_before < n => return None,
        Manner::Dies(n) if n_before >= n => return None,
        // Longer than any test takes.
        Manner::Hangs(n) if n_before >= n => thread::sleep(Duration::from_secs(600)),
        Manner::Refuses(folder, status) if is_in(folder) => {
            write!(out, "HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n").ok()?;
            return Some(());
        }
        _ => {}
    }
    let Ok(mut file) = fs::File::open(root.join(&path)) else {
        write!(out, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").ok()?;
        return Some(());
    };
    let len = file.metadata().ok()?.len();
    let range = lines.iter().find_map(|line| line.strip_prefix("range: bytes="));
    let (start, end) = match range.and_then(|range| range.split_once('-')) {
        Some((start, end)) => (start.parse().ok()?, end.parse::<u64>().ok()?.min(len - 1) + 1),
        None => (0, len),
    };
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    file.take(end - start).read_to_end(&mut bytes).ok()?;
    let status = if range.is_some() { "206 Partial Content" } else { "200 OK" };
    write!(
        out,
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nContent-Range: bytes {start}-{}/{len}\r\n\
         Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\nETag: \"x\"\r\n\r\n",
        bytes.len(),
        end - 1
    )
    .ok()?;
    if method == "head" {
        return Some(());
    }
    match manner {
        Manner::Truncates(folder) if is_in(folder) => {
            out.write_all(&bytes[..bytes.len() / 2]).ok()?;
            None
        }
        Manner::Damages(folder) if is_in(folder) => {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            out.write_all(&bytes).ok()
        }
        _ => out.write_all(&bytes).ok(),
    }
}

#[test]
fn findings_from_a_folder_and_from_a_web_server_are_those_from_segments() {
    CHANGES.are_judged_alike(&GOLDEN, &format!("file:{}", *PUSHED), &[]);
    CHANGES.are_judged_alike(&GOLDEN, &serve(&PUSHED, Manner::Answers), &[]);
}

/// A server of Amazon's interface, where `moto` is installed: its port, and the variables that lead
/// to it.
fn s3() -> Option<(u16, Vec<(&'static str, String)>)> {
    let Some(python) = python_with("moto.server") else {
        eprintln!("not tested: there is no moto here");
        return None;
    };
    let port = free_port();
    // It ends with its input, and that with this process.
    let serve = "import sys, threading\nfrom moto.server import ThreadedMotoServer\n\
        s = ThreadedMotoServer(ip_address='127.0.0.1', port=int(sys.argv[1]), verbose=False)\ns.start()\nsys.stdin.read()";
    let child = Command::new(python)
        .args(["-c", serve, &port.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    std::mem::forget(child);
    let make = format!(
        "PUT /corpora HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    let made = || {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        stream.write_all(make.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        answer.contains(" 200 ").then_some(())
    };
    wait_until(|| made().is_some());
    Some((port, variables(port)))
}

fn variables(port: u16) -> Vec<(&'static str, String)> {
    vec![
        ("AWS_ENDPOINT", format!("http://127.0.0.1:{port}")),
        ("AWS_ALLOW_HTTP", "true".to_owned()),
        ("AWS_REGION", "us-east-1".to_owned()),
        ("AWS_ACCESS_KEY_ID", "reader".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", "secret".to_owned()),
    ]
}

#[test]
fn findings_from_an_object_store_are_those_from_segments_and_a_slow_or_dying_one_makes_no_other() {
    let Some((port, there)) = s3() else { return };
    let there = as_variables(&there);
    let url = "s3://corpora/golden";
    let (status, _, errors) = GOLDEN.run_with(&["push", "golden", url], &there);
    assert_eq!((status, errors.as_str()), (0, ""));
    CHANGES.are_judged_alike(&GOLDEN, url, &there);
    let (status, again, errors) = GOLDEN.run_with(&["push", "golden", url], &there);
    assert!(status == 0 && again.starts_with("0 sources added"), "{again}{errors}");
    let slow = variables(Wire { delay: Duration::from_millis(60), ..Wire::GOOD }.to(port));
    let errors = CHANGES.is_judged_alike(&GOLDEN, url, &as_variables(&slow));
    assert!(errors.contains(" requests, "), "{errors}");
    let dying = variables(Wire { max_bytes: 6_000, ..Wire::GOOD }.to(port));
    is_no_verdict(url, &as_variables(&dying), &["s3://corpora/golden"]);
    is_no_verdict("s3://corpora/nothing", &there, &["there is no corpus"]);
    is_no_verdict("s3://nothing/golden", &there, &["s3://nothing/golden"]);
}

#[test]
fn a_request_that_fails_is_repeated() {
    CHANGES.is_judged_alike(&GOLDEN, &serve(&PUSHED, Manner::FailsFirst(2)), &[]);
}

#[test]
fn what_a_store_does_not_give_whole_makes_no_verdict() {
    for folder in ["tables/", "segments/"] {
        is_no_verdict(&serve(&PUSHED, Manner::Refuses(folder, 403)), &[], &["127.0.0.1", folder]);
        is_no_verdict(
            &serve(&PUSHED, Manner::Refuses(folder, 404)),
            &[],
            &["127.0.0.1", "there is no object"],
        );
        is_no_verdict(&serve(&PUSHED, Manner::Truncates(folder)), &[], &["127.0.0.1"]);
        is_no_verdict(&serve(&PUSHED, Manner::Damages(folder)), &[], &["127.0.0.1", "are damaged"]);
    }
    is_no_verdict(&serve(&PUSHED, Manner::Dies(1)), &[], &["127.0.0.1"]);
    let empty = TempDir::new().expect("the folder for temporary files is writable");
    let empty = empty.path().to_str().expect("temporary folders are UTF-8");
    is_no_verdict(&format!("file:{empty}"), &[], &["there is no corpus"]);
    is_no_verdict(
        "gopher://user:secret@host/x",
        &[],
        &["gopher://host/x", "its kind is not known"],
    );
}

#[test]
fn a_store_that_stops_answering_makes_no_verdict() {
    thread::scope(|scope| {
        // At the manifest, and in the middle.
        for n in [0, 1] {
            scope.spawn(move || {
                is_no_verdict(
                    &serve(&PUSHED, Manner::Hangs(n)),
                    &[],
                    &["127.0.0.1", "no answer for", "in 20 s"],
                );
            });
        }
    });
}

/// A copy of the pushed folder, to be changed.
fn copied() -> TempDir {
    let folder = TempDir::new().expect("the folder for temporary files is writable");
    let status =
        Command::new("cp").arg("-r").arg(format!("{}/.", *PUSHED)).arg(folder.path()).status();
    assert!(status.expect("there is `cp`").success());
    folder
}

fn url(folder: &TempDir) -> String {
    format!("file:{}", folder.path().display())
}

#[test]
fn a_manifest_of_another_version_or_digest_makes_no_verdict() {
    let folder = copied();
    let manifest = folder.path().join("corpus.json");
    let text = fs::read_to_string(&manifest).expect("it was pushed");
    is_no_verdict(
        &format!("{}#sha256={}", url(&folder), "0".repeat(64)),
        &[],
        &["the SHA-256 of its manifest is"],
    );
    fs::write(&manifest, text.replace("\"version\": 4", "\"version\": 7"))
        .expect("the folder is writable");
    is_no_verdict(
        &url(&folder),
        &[],
        &["its manifest has version 7, and this program knows version 4"],
    );
    // Nobody lists a million million parts.
    let long = text.replacen("\"len\": ", "\"len\": 999999999999", 1);
    assert_ne!(long, text);
    fs::write(&manifest, long).expect("the folder is writable");
    is_no_verdict(&url(&folder), &[], &["its manifest names what it cannot name"]);
    fs::write(&manifest, &text[..text.len() / 2]).expect("the folder is writable");
    is_no_verdict(&url(&folder), &[], &["its manifest"]);
}

#[test]
fn adding_a_source_writes_no_other_and_who_reads_keeps_what_it_reads() {
    let folder = copied();
    let names = |of: &str| names(&folder, of);
    let before = names("segments");
    assert_eq!(before.len(), 2);
    let again = GOLDEN.corpus(&["push", "golden", &url(&folder)]);
    assert!(again.starts_with("0 sources added"), "{again}");
    // To remove is to mark: the objects stay until nobody reads them any more.
    GOLDEN.corpus(&["remove", &url(&folder), "past"]);
    assert_eq!(names("segments"), before);
    let (status, _, errors) = CHANGES.check(4, &GOLDEN, &url(&folder), &[]);
    assert_eq!(status, 0, "the code of the removed source is not found: {errors}");
    GOLDEN.corpus(&["compact", &url(&folder)]);
    assert_eq!(names("segments"), before, "it was removed less than an hour ago");
    GOLDEN.corpus(&["compact", &url(&folder), "--older-than", "0"]);
    assert_eq!(names("segments").len(), 1);
    let added = GOLDEN.corpus(&["push", "golden", &url(&folder)]);
    assert!(added.starts_with("1 source added"), "{added}");
    assert_eq!(names("segments"), before);
    let (status, _, errors) = CHANGES.check(4, &GOLDEN, &url(&folder), &[]);
    assert_eq!(status, 1, "it is there again: {errors}");
}

/// The names of the objects in a folder of a store.
fn names(folder: &TempDir, of: &str) -> Vec<std::ffi::OsString> {
    let entries = fs::read_dir(folder.path().join(of)).expect("it is there").flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    names
}

/// A corpus of nine sources, here and pushed to a folder; changes 0 to 5 copy from it.
struct Many {
    folder: TempDir,
}

impl Many {
    fn new(name: &'static str) -> (Self, &'static str) {
        let licenses = ["MIT", "GPL-3.0-only", "Apache-2.0"];
        for (n, part) in
            ["000", "011", "037", "074", "111", "148", "160", "185"].into_iter().enumerate()
        {
            let path = GOLDEN.path(&format!("sources/part{part}"));
            GOLDEN.corpus(&["add", name, &path, "--license", licenses[n % licenses.len()]]);
        }
        GOLDEN.corpus(&["add", name, &GOLDEN.path("past")]);
        let many = Self::empty();
        let pushed = GOLDEN.corpus(&["push", name, &url(&many.folder)]);
        assert!(pushed.starts_with("9 sources added"), "{pushed}");
        (many, name)
    }

    fn empty() -> Self {
        Self { folder: TempDir::new().expect("the folder for temporary files is writable") }
    }

    /// The same sources as of the corpus `of`, pushed one after the other.
    fn one_by_one(name: &'static str, of: &str) -> (Self, &'static str) {
        let many = Self::empty();
        let shelf = GOLDEN.path("corpora");
        let mut files: Vec<PathBuf> = fs::read_dir(format!("{shelf}/{of}"))
            .expect("it is there")
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .collect();
        // The largest first: how many tables there are depends on the order, and names on that of
        // the folder.
        files.sort_by_cached_key(|record| {
            let record: serde_json::Value =
                serde_json::from_slice(&fs::read(record).expect("it is readable"))
                    .expect("it is JSON");
            Reverse(record["stats"]["n_postings"].as_u64().expect("it says how many"))
        });
        fs::create_dir_all(format!("{shelf}/{name}")).expect("the folder is writable");
        let copy = |path: &Path| {
            let to = Path::new(&shelf).join(name).join(path.file_name().expect("it is a file"));
            fs::copy(path, to).expect("the folder is writable");
        };
        let all = fs::read_dir(format!("{shelf}/{of}"))
            .expect("it is there")
            .flatten()
            .map(|entry| entry.path());
        all.filter(|path| path.extension().is_some_and(|extension| extension == "seg"))
            .for_each(|path| copy(&path));
        for record in files {
            copy(&record);
            let pushed = GOLDEN.corpus(&["push", name, &url(&many.folder)]);
            assert!(pushed.starts_with("1 source added"), "{pushed}");
        }
        (many, name)
    }

    /// Checks that changes are judged as with the corpus `name` here; returns the number of
    /// requests.
    #[track_caller]
    fn is_judged_alike(&self, name: &str) -> usize {
        let (mut n_found, mut n_requests) = (0, 0);
        for change in 0..6 {
            let (expected, here, errors) = CHANGES.check(change, &GOLDEN, name, &[]);
            assert!(expected < 2, "{errors}");
            let (status, there, errors) = CHANGES.check(change, &GOLDEN, &url(&self.folder), &[]);
            assert_eq!((status, there), (expected, here), "change {change}: {errors}");
            n_found += expected;
            let requests =
                errors.split(" requests").next().and_then(|text| text.rsplit(' ').next());
            n_requests +=
                requests.and_then(|n| n.parse::<usize>().ok()).expect("the errors say how many");
        }
        assert!(n_found >= 4, "{n_found} changes have a copy");
        n_requests
    }
}

#[test]
fn tables_are_merged_and_what_is_found_in_them_is_the_same() {
    let (many, name) = Many::new("many");
    let manifest = many.folder.path().join("corpus.json");
    let count = |of: &str| names(&many.folder, of).len();
    assert_eq!(
        (count("segments"), count("tables"), count("indexes")),
        (9, 1, 1),
        "one push makes one table"
    );
    many.is_judged_alike(name);
    let n_of_one = many.is_judged_alike(name);
    // The same sources, which come one by one.
    let (each, name_of_each) = Many::one_by_one("many-each", name);
    let counted = |of: &str| names(&each.folder, of).len();
    let live = |text: &str| {
        text.split("\"removed\"").next().map_or(0, |live| live.matches("\"index\"").count())
    };
    let before = fs::read(each.folder.path().join("corpus.json")).expect("it was pushed");
    let n_live = live(&String::from_utf8_lossy(&before));
    assert!(
        (2..=4).contains(&n_live),
        "tables grow by doubling, and of nine sources there are {n_live}"
    );
    each.is_judged_alike(name_of_each);
    let n_of_several = each.is_judged_alike(name_of_each);
    let merged = GOLDEN.corpus(&["compact", &url(&each.folder)]);
    assert_eq!(merged, "9 sources were merged; the space of 0 removed sources was given back\n");
    assert_eq!(counted("segments"), 9, "segments are as they were");
    each.is_judged_alike(name_of_each);
    let n_merged = each.is_judged_alike(name_of_each);
    assert!(
        n_merged < n_of_several,
        "{n_merged} requests of one table, {n_of_several} of {n_live}"
    );
    assert_eq!(n_merged, n_of_one);
    // A reader that began before has the manifest of that time.
    let path = each.folder.path().join("corpus.json");
    let after = fs::read(&path).expect("it is there");
    fs::write(&path, &before).expect("the folder is writable");
    assert_eq!(each.is_judged_alike(name_of_each), n_of_several);
    fs::write(&path, &after).expect("the folder is writable");

    assert!(GOLDEN.corpus(&["compact", &url(&each.folder)]).starts_with("the space of 0 "));
    assert_eq!(fs::read(&path).expect("it is there"), after, "there is nothing left to merge");
    GOLDEN.corpus(&["compact", &url(&each.folder), "--older-than", "0"]);
    assert_eq!((counted("segments"), counted("tables"), counted("indexes")), (9, 1, 1));
    assert_eq!(each.is_judged_alike(name_of_each), n_of_one);
    let known = fs::read(&manifest).expect("it was pushed");
    assert!(GOLDEN.corpus(&["compact", &url(&many.folder)]).starts_with("the space of 0 "));
    assert_eq!(fs::read(&manifest).expect("it is there"), known);

    let pulled = GOLDEN.corpus(&["pull", &url(&each.folder), "--name", "many-pulled"]);
    assert!(pulled.starts_with("9 sources added"), "{pulled}");
    assert_eq!(segments("many-pulled"), segments("many"));
}

#[test]
fn a_source_is_removed_from_a_table_and_added_beside_it() {
    let (many, name) = Many::new("changed");
    let (segments, tables) = (names(&many.folder, "segments"), names(&many.folder, "tables"));
    let status = |change: usize| {
        let (status, _, errors) = CHANGES.check(change, &GOLDEN, &url(&many.folder), &[]);
        assert!(status < 2, "{errors}");
        status
    };
    GOLDEN.corpus(&["remove", &url(&many.folder), "past"]);
    assert_eq!(
        (names(&many.folder, "segments"), names(&many.folder, "tables")),
        (segments.clone(), tables.clone())
    );
    assert_eq!((status(4), status(0)), (0, 1), "only the code of the removed source is not found");
    let compacted = GOLDEN.corpus(&["compact", &url(&many.folder)]);
    assert!(compacted.starts_with("8 sources were merged; the space of 0 "), "{compacted}");
    assert_eq!(names(&many.folder, "segments"), segments, "it was removed less than an hour ago");
    let compacted = GOLDEN.corpus(&["compact", &url(&many.folder), "--older-than", "0"]);
    assert!(compacted.starts_with("the space of 1 "), "{compacted}");
    assert_eq!((status(4), status(0)), (0, 1));
    let rest = names(&many.folder, "tables");
    assert!(rest.len() == 1 && rest != tables, "what is left of it was written anew");
    assert_eq!(names(&many.folder, "segments").len(), 8);
    assert!(GOLDEN.corpus(&["push", name, &url(&many.folder)]).starts_with("1 source added"));
    let both = names(&many.folder, "tables");
    assert!(
        both.len() == 2 && both.contains(&rest[0]),
        "adding a small source writes no large table"
    );
    many.is_judged_alike(name);
    assert!(
        GOLDEN
            .corpus(&["compact", &url(&many.folder), "--older-than", "0"])
            .starts_with("9 sources were merged")
    );
    assert_eq!(
        (names(&many.folder, "tables"), names(&many.folder, "segments")),
        (tables, segments)
    );
    many.is_judged_alike(name);
}

#[test]
fn a_corpus_that_many_compact_and_add_to_at_once_is_whole() {
    let (many, name) = Many::new("crowded");
    let url = url(&many.folder);
    GOLDEN.corpus(&["remove", &url, "past"]);
    let run = |n: usize| match n % 2 {
        0 => GOLDEN.run(&["compact", &url, "--older-than", "60"]),
        _ => GOLDEN.run(&["push", name, &url]),
    };
    let ends: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..6).map(|n| scope.spawn(move || run(n))).collect();
        threads.into_iter().map(|thread| thread.join().expect("it ends")).collect()
    });
    for (status, _, errors) in &ends {
        assert!(*status == 0 || errors.contains("somebody else is writing to it"), "{errors}");
    }
    GOLDEN.corpus(&["push", name, &url]);
    GOLDEN.corpus(&["compact", &url, "--older-than", "0"]);
    assert_eq!(
        (names(&many.folder, "segments").len(), names(&many.folder, "tables").len()),
        (9, 1)
    );
    many.is_judged_alike(name);
}

#[test]
fn an_index_that_is_not_whole_makes_no_verdict() {
    let folder = copied();
    for name in names(&folder, "indexes") {
        let path = folder.path().join("indexes").join(name).join("0");
        let whole = fs::read(&path).expect("it was pushed");
        fs::write(&path, &whole[..whole.len() / 2]).expect("the folder is writable");
    }
    // Where no index is kept from before.
    let other = Golden::empty();
    let (status, report, errors) = CHANGES.check(0, &other, &url(&folder), &[]);
    assert_eq!((status, report.as_str()), (2, ""), "{errors}");
    assert!(errors.contains("is truncated"), "{errors}");
}

/// The indexes that are kept in a folder of corpora.
fn kept(golden: &Golden) -> Vec<PathBuf> {
    let corpora = fs::read_dir(golden.path("corpora/.elsewhere")).expect("they are kept").flatten();
    let indexes =
        corpora.flat_map(|corpus| fs::read_dir(corpus.path()).expect("it is a folder").flatten());
    indexes.map(|index| index.path()).collect()
}

#[test]
fn an_index_that_a_corpus_has_no_more_is_deleted_here_after_an_hour() {
    let (folder, other) = (copied(), Golden::empty());
    let n_kept = || {
        let (status, _, errors) = CHANGES.check(0, &other, &url(&folder), &[]);
        assert_eq!(status, 1, "{errors}");
        kept(&other).len()
    };
    assert_eq!(n_kept(), 1);
    let old = kept(&other).remove(0);
    GOLDEN.corpus(&["remove", &url(&folder), "past"]);
    GOLDEN.corpus(&["compact", &url(&folder)]);
    assert_eq!(n_kept(), 2, "somebody may read it");
    let file = fs::File::options().write(true).open(&old).expect("it is kept");
    file.set_modified(SystemTime::now() - Duration::from_secs(2 * 3600))
        .expect("the folder is writable");
    assert_eq!((n_kept(), old.exists()), (1, false));
}

#[test]
fn an_index_that_was_damaged_where_it_is_kept_is_downloaded_again() {
    let other = Golden::empty();
    let place = format!("file:{}", *PUSHED);
    let (expected, here, _) = CHANGES.check(0, &other, &place, &[]);
    for kept in kept(&other) {
        let mut bytes = fs::read(&kept).expect("it is readable");
        let len = bytes.len();
        bytes[len / 3..][..len / 3].fill(0x55);
        fs::write(kept, bytes).expect("it is writable");
    }
    let (status, there, errors) = CHANGES.check(0, &other, &place, &[]);
    assert_eq!((status, there), (expected, here), "{errors}");
}

#[test]
fn of_two_writers_one_is_told() {
    let folder = copied();
    // Both begin with manifest 1. What the other one commits while this one uploads is manifest 2.
    let first = fs::read_to_string(folder.path().join("corpus.json")).expect("it was pushed");
    GOLDEN.corpus(&["remove", &url(&folder), "past"]);
    let second = fs::read(folder.path().join("manifests/2.json")).expect("it was made");
    // A writer that died before it said which manifest is the current one is heeded all the same.
    fs::write(folder.path().join("corpus.json"), &first).expect("the folder is writable");
    let (status, _, errors) = GOLDEN.run(&["remove", &url(&folder), "past"]);
    assert!(status == 2 && errors.contains("it has no source `past`"), "{errors}");
    assert_eq!(fs::read(folder.path().join("manifests/2.json")).expect("it is there"), second);
    // Of many at once, each that succeeds has made a manifest of its own.
    let run = || GOLDEN.run(&["push", "golden", &url(&folder)]);
    let ends: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().expect("it ends")).collect()
    });
    for (status, _, errors) in &ends {
        assert!(*status == 0 || errors.contains("somebody else is writing to it"), "{errors}");
    }
    assert!(ends.iter().any(|(status, ..)| *status == 0));
    let (status, _, errors) = CHANGES.check(4, &GOLDEN, &url(&folder), &[]);
    assert_eq!(status, 1, "{errors}");
}

#[test]
fn a_writer_that_is_slow_does_not_set_the_manifest_back() {
    let folder = copied();
    // While this one makes manifest 2, somebody else has made manifest 3 and said that it is the
    // current one.
    let first = fs::read_to_string(folder.path().join("corpus.json")).expect("it was pushed");
    let third = first.replace("\"number\": 1", "\"number\": 3");
    assert_ne!(third, first);
    fs::write(folder.path().join("manifests/3.json"), &third).expect("the folder is writable");
    GOLDEN.corpus(&["remove", &url(&folder), "past"]);
    assert!(folder.path().join("manifests/2.json").exists());
    assert_eq!(fs::read_to_string(folder.path().join("corpus.json")).expect("it is there"), third);
}

/// The bytes of the segments of a corpus here, in one order.
fn segments(name: &str) -> Vec<Vec<u8>> {
    let entries =
        fs::read_dir(GOLDEN.path(&format!("corpora/{name}"))).expect("it is there").flatten();
    let paths = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|of| of == "seg"));
    let mut bytes: Vec<Vec<u8>> =
        paths.map(|path| fs::read(path).expect("it is readable")).collect();
    bytes.sort();
    bytes
}

#[test]
fn a_pulled_corpus_is_the_one_that_was_pushed() {
    let pulled = GOLDEN.corpus(&["pull", &format!("file:{}", *PUSHED), "--name", "pulled"]);
    assert!(pulled.starts_with("2 sources added"), "{pulled}");
    assert_eq!(segments("pulled"), segments("golden"));
    let (status, _, errors) =
        GOLDEN.run(&["pull", &serve(&PUSHED, Manner::Damages("segments/")), "--name", "damaged"]);
    assert!(status == 2 && errors.contains("it is damaged or truncated"), "{errors}");
}
