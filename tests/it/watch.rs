//! Shows what `secondhand check --watch` prints when files change.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::samples::{LANGUAGES, Language};
use support::Repository;

const C: &Language = &LANGUAGES[0];
/// Long enough for a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

#[test]
fn what_comes_and_what_goes_is_printed_until_nobody_reads() {
    let repository = Repository::new();
    repository.write(C.path("first"), C.file("first", &[C.first]).text);
    repository.commit("first");
    let mut command = repository.secondhand(&["check", "--watch"]);
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program starts");
    let output = BufReader::new(child.stdout.take().expect("it is piped"));
    let (sender, lines) = channel();
    let reader = thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    let next = || lines.recv_timeout(PATIENCE).expect("something is printed");
    assert_eq!(next(), "= 0 findings");
    repository.write(C.path("copy"), C.file("copy", &[C.first]).text);
    let line = next();
    let copied = format!("copied from {}:", C.path("first"));
    assert!(
        line.starts_with(&format!("+ {}:", C.path("copy"))) && line.contains(&copied),
        "{line}"
    );
    assert_eq!(next(), "= 1 finding");
    // What is no source, and what changes nothing, is not told.
    repository.write("notes.bin", "x");
    repository.write("other.c", "int other;\n");
    repository.remove(C.path("copy"));
    assert_eq!(next(), line.replacen('+', "-", 1));
    assert_eq!(next(), "= 0 findings");
    // A commit is a new base.
    repository.write(C.path("copy"), C.file("copy", &[C.first]).text);
    assert_eq!((next(), next()), (line.clone(), "= 1 finding".to_owned()));
    repository.commit("the copy");
    assert_eq!((next(), next()), (line.replacen('+', "-", 1), "= 0 findings".to_owned()));

    drop(lines);
    repository.write(C.path("again"), C.file("again", &[C.first]).text);
    let _ = reader.join();
    repository.write(C.path("once-more"), C.file("again", &[C.first]).text);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn outside_of_a_repository_it_does_not_begin() {
    let folder = tempfile::TempDir::new().expect("the folder for temporary files is writable");
    let output = support::secondhand(folder.path(), &["check", "--watch"])
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
}
