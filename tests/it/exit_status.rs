//! Shows with which status `secondhand check` ends: 0 nothing at or above `--fail-on`, 1 findings,
//! 2 the audit could not be done.

use crate::one_copy::{check_failure, repository_with_a_copy, text};
use support::{Repository, secondhand};
use tempfile::TempDir;

#[test]
fn findings_fail_from_the_level_that_is_asked_for() {
    let repository = repository_with_a_copy();
    let status = |args: &[&str]| repository.check(&[&["--base", "HEAD~1"], args].concat()).status;
    assert_eq!(status(&[]), 1);
    assert_eq!(status(&["--fail-on", "error"]), 0);
    assert_eq!(status(&["--fail-on", "warning"]), 1);
    assert_eq!(status(&["--fail-on", "note"]), 1);
    assert_eq!(status(&["--fail-on", "never"]), 0);
    assert_eq!(status(&["--set", "rules.copied-code=note"]), 0);
    assert_eq!(status(&["--set", "rules.copied-code=note", "--fail-on", "note"]), 1);
    assert_eq!(status(&["--set", "rules.copied-code=error", "--fail-on", "error"]), 1);
    assert_eq!(status(&["--set", "rules.copied-code=off"]), 0);
}

#[test]
fn a_folder_that_is_no_repository_is_named_with_the_cure() {
    let folder = TempDir::new().expect("the folder for temporary files is writable");
    let mut command = secondhand(folder.path(), &["check"]);
    command.env("GIT_CEILING_DIRECTORIES", folder.path().parent().expect("it is not the root"));
    let output = command.output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    let errors = text(&output.stderr);
    assert!(errors.starts_with("error: cannot open a git repository at `.`: "), "{errors}");
    assert!(
        errors.contains("help: run it inside a repository, or name one with `--repo DIR`"),
        "{errors}"
    );
}

#[test]
fn an_unknown_revision_is_named() {
    let repository = repository_with_a_copy();
    for flags in [["--base", "nowhere"], ["--head", "nowhere"]] {
        check_failure(
            repository.secondhand(&["check"]).args(flags),
            "cannot resolve the revision `nowhere`: no branch, tag or commit has that name",
            "help: `git fetch` may bring it",
        );
    }
}

#[test]
fn what_is_no_commit_is_named_with_the_reason() {
    let repository = repository_with_a_copy();
    let fails = |name: &str, why: &str| {
        let error = format!("cannot resolve the revision `{name}`: {why}");
        check_failure(&mut repository.secondhand(&["check", "--base", name]), &error, "help: ");
    };
    fails("HEAD:store.c", "it is a file or folder, and a commit is wanted");
    fails("HEAD^{tree}", "it is a file or folder, and a commit is wanted");
    fails("HEAD..HEAD~1", "it is a range, and one commit is wanted");
    fails("HEAD~999", "there is no such commit before it");
    fails(":/nowhere", "no branch, tag or commit has that name");
    let subject = repository.git(&["log", "-1", "--format=%s", "HEAD~1"]);
    assert_eq!(repository.check(&["--base", &format!(":/{}", subject.trim())]).status, 1);
}

#[test]
fn before_the_first_commit_what_needs_one_says_so_and_the_rest_works() {
    let repository = Repository::new();
    let scan = |repository: &Repository| repository.secondhand(&["scan"]).output();
    assert!(scan(&repository).expect("the program starts").status.success());
    for command in [&["history"][..], &["scan", "--rev", "HEAD"], &["cache", "warm"]] {
        let error = "cannot resolve the revision `HEAD`: there is no commit yet";
        check_failure(&mut repository.secondhand(command), error, "help: `git commit` makes");
    }
}

#[test]
fn a_folder_that_is_not_there_or_a_damaged_repository_is_no_plain_folder() {
    let repository = repository_with_a_copy();
    for (folder, why) in [("none", "No such file or directory"), ("store.c", "Not a directory")] {
        let output = repository.secondhand(&["scan", "--repo", folder]).output();
        let output = output.expect("the program starts");
        let errors = text(&output.stderr);
        assert!(errors.starts_with(&format!("error: cannot read `{folder}`: {why}")), "{errors}");
        assert_eq!(output.status.code(), Some(2));
    }
    repository.write(".git/config", "[core\n");
    let output = repository.secondhand(&["scan"]).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[test]
#[cfg(unix)]
fn a_variable_that_cannot_be_read_is_named_and_one_for_a_path_is_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let repository = repository_with_a_copy();
    let odd = std::ffi::OsStr::from_bytes(b"\xff");
    let check = ["check", "--base", "HEAD~1", "--quiet"];
    for name in ["SECONDHAND_MIN_TOKENS", "SECONDHAND_IGNORE", "SECONDHAND_THREADS"] {
        let error = format!("cannot use the variable {name}: it is not UTF-8");
        check_failure(repository.secondhand(&check).env(name, odd), &error, "help: set it");
    }
    let error = "cannot use the variable SOURCE_DATE_EPOCH: it is no number of seconds";
    check_failure(repository.secondhand(&check).env("SOURCE_DATE_EPOCH", "now"), error, "help: ");
    for (name, error) in [
        ("GITHUB_BASE_REF", "cannot find what to compare with: `origin/\u{fffd}`"),
        ("GITHUB_EVENT_PATH", "cannot read the event of this workflow"),
    ] {
        let output = repository.secondhand(&["check"]).env(name, odd).output();
        let output = output.expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{name}");
        let errors = text(&output.stderr);
        assert!(errors.starts_with(&format!("error: {error}")), "{errors}");
    }
    let mut command = repository.secondhand(&check);
    command.env("SECONDHAND_CACHE_DIR", repository.path(odd));
    assert_eq!(command.status().expect("the program starts").code(), Some(1));
    assert!(repository.path(odd).is_dir(), "the cache is there");
}

#[test]
fn commits_without_a_common_ancestor_are_named() {
    let repository = repository_with_a_copy();
    repository.git(&["checkout", "--quiet", "--orphan", "other"]);
    repository.commit("another beginning");
    let output =
        repository.secondhand(&["check", "--base", "main"]).output().expect("the program starts");
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors.starts_with("error: cannot find the merge base of "), "{errors}");
    assert!(errors.contains("they share no history"), "{errors}");
}

#[test]
fn flags_that_exclude_each_other_are_refused() {
    let repository = repository_with_a_copy();
    for flags in
        [["--staged", "--worktree"], ["--staged", "--head=HEAD"], ["--worktree", "--head=HEAD"]]
    {
        let output =
            repository.secondhand(&["check"]).args(flags).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
    }
}
