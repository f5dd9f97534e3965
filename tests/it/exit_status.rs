//! Shows with which status `secondhand check` ends: 0 nothing at or above `--fail-on`, 1 findings,
//! 2 the audit could not be done.

use crate::one_copy::{check_failure, repository_with_a_copy, text};
use support::secondhand;
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
fn a_file_is_no_revision() {
    let repository = repository_with_a_copy();
    check_failure(
        &mut repository.secondhand(&["check", "--base", "HEAD:store.c"]),
        "cannot resolve the revision `HEAD:store.c`: no branch, tag or commit has that name",
        "help: ",
    );
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
