//! Shows what counts as a newly introduced copy: each test is a row of the table in
//! `docs/semantics.md`.
//!
//! A test is a sentence about a change, and holds in every sample language: two
//! states of a repository, and the findings of `secondhand check` between them.

mod alike;
mod edits;
mod embedded;
mod families;
mod history;
mod layout;
mod likeness;
mod moves;
mod noise;
mod origins;
mod pasted;
mod worth;

use crate::samples::File;
use serde_json::Value;
use support::Repository;

/// Checks the change from the files of `before` to those of `after`: its
/// findings, and the exit status that follows from them.
#[track_caller]
fn check(before: &[&File], after: &[&File], findings: &[String]) {
    check_with(&[], before, after, findings);
}

/// As [`check`], with further arguments.
#[track_caller]
fn check_with(args: &[&str], before: &[&File], after: &[&File], findings: &[String]) {
    let repository = Repository::new();
    for file in before {
        repository.write(&file.path, &file.text);
    }
    repository.commit("before");
    for file in before.iter().filter(|file| !after.iter().any(|other| other.path == file.path)) {
        repository.remove(&file.path);
    }
    for file in after {
        repository.write(&file.path, &file.text);
    }
    repository.commit("after");
    check_last(&repository, args, findings);
}

/// Checks the last commit of `repository`.
#[track_caller]
fn check_last(repository: &Repository, args: &[&str], findings: &[String]) {
    let report = repository.check(&[&["--base", "HEAD~1"], args].concat());
    assert_eq!(report.findings(), findings, "the findings");
    let is_failed = findings.iter().any(|finding| !finding.starts_with("note "));
    assert_eq!(report.status, i32::from(is_failed), "the exit status");
    let is_copy =
        |finding: &&Value| finding["rule"] != "not-examined" && finding["rule"] != "missed-sibling";
    for finding in report.list("/findings").iter().filter(is_copy) {
        let path = finding["path"].as_str().expect("a finding has a path");
        let added = repository.added_lines("HEAD~1", path);
        let (start, end) = (&finding["added"]["startLine"], &finding["added"]["endLine"]);
        let mut lines =
            start.as_u64().expect("lines are numbers")..=end.as_u64().expect("lines are numbers");
        let (first, last) = (&finding["fragment"]["startLine"], &finding["fragment"]["endLine"]);
        let is_within = first.as_u64() <= start.as_u64() && end.as_u64() <= last.as_u64();
        assert!(is_within, "{path}:{start}-{end} lies in {first}-{last}");
        // Code hosts annotate added lines only.
        assert!(
            lines.all(|line| added.contains(&line)),
            "{path}:{start}-{end} is added, says git: {added:?}"
        );
    }
}

/// The note about files that were left out, `files` being their names and the reasons.
fn left_out(files: &str) -> String {
    format!("note left out: {files}")
}

/// A finding at `place`, a copy of `clone_type` from `origin`.
fn copy(place: &str, clone_type: &str, origin: &str) -> String {
    format!("warning {place} <- {clone_type} {origin}")
}
