//! Makes the repository that tests of `secondhand check` begin with: its last commit copies a
//! function.

use std::process::{Command, Output};

use crate::samples::{File, LANGUAGES, Language};
use support::{Report, Repository};

/// The language of the files here.
pub const C: &Language = &LANGUAGES[0];

/// A file that others copy from.
pub fn store() -> File {
    C.file("store", &[C.first, C.second])
}

/// A file that copies from [`store`].
pub fn new() -> File {
    C.file("new", &[C.first])
}

/// The finding in [`new`].
pub fn finding() -> String {
    format!("warning {} <- type-1 {}", new().at(C.first), store().at(C.first))
}

/// A repository whose first commit has [`store`], and whose second adds [`new`].
pub fn repository_with_a_copy() -> Repository {
    let repository = Repository::new();
    add(&repository, &store());
    add(&repository, &new());
    repository
}

/// Commits `file`; returns the commit's id.
pub fn add(repository: &Repository, file: &File) -> String {
    repository.write(&file.path, &file.text);
    repository.commit(&format!("add {}", file.path))
}

/// Checks the findings of `report`, and the exit status.
#[track_caller]
pub fn check(report: &Report, status: i32, findings: &[String]) {
    assert_eq!(report.findings(), findings, "the findings");
    assert_eq!(report.status, status, "the exit status");
}

/// Checks that `command` does not do its audit, and says why: `error` is the whole of its first
/// line, and `help` a part of what follows. Nothing is printed where reports go.
#[track_caller]
pub fn check_failure(command: &mut Command, error: &str, help: &str) {
    let folder =
        command.get_current_dir().expect("each command here has a folder").display().to_string();
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    let errors = text(&stderr).replace(&folder, "<root>");
    assert_eq!(text(&stdout), "", "there is no report: {errors}");
    assert_eq!(status.code(), Some(2), "{errors}");
    assert_eq!(errors.lines().next(), Some(&*format!("error: {error}")), "{errors}");
    assert!(errors.contains(help), "{errors}\nshould say: {help}");
}

/// Runs `command` and returns what it printed; nothing goes to standard error.
#[track_caller]
pub fn printed(command: &mut Command) -> Vec<u8> {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    assert_eq!(text(&stderr), "");
    assert_ne!(status.code(), Some(2));
    stdout
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
