//! Shows what is judged, and against what: commits, the index, the work tree.

use std::fs;
use std::path::Path;

use crate::one_copy::{
    C, add, check, check_failure, finding, new, repository_with_a_copy, store, text,
};
use serde_json::{Value, json};
use support::{Report, Repository, git_command, secondhand};
use tempfile::TempDir;

#[test]
fn the_base_is_the_merge_base() {
    let repository = Repository::new();
    add(&repository, &store());
    repository.git(&["checkout", "--quiet", "-b", "topic"]);
    add(&repository, &new());
    repository.git(&["checkout", "--quiet", "main"]);
    // In a plain difference of the two this would be cut, and pasted on the topic.
    add(&repository, &C.file("other", &[C.first]));
    check(&repository.check(&["--base", "main", "--head", "topic"]), 1, &[finding()]);
    let own = finding().replace("new.c", "other.c");
    check(&repository.check(&["--base", "topic", "--head", "main"]), 1, &[own]);
}

#[test]
fn the_ends_are_named_in_the_report() {
    let repository = repository_with_a_copy();
    let (base, head) =
        (repository.git(&["rev-parse", "HEAD~1"]), repository.git(&["rev-parse", "HEAD"]));
    let report = repository.check(&["--base", "HEAD~1"]);
    assert_eq!(report.json["base"], json!({ "name": "HEAD~1", "commit": base }));
    assert_eq!(report.json["head"], json!({ "name": "HEAD", "commit": head }));
}

#[test]
fn what_is_in_the_index_changes_nothing_about_commits() {
    let repository = Repository::new();
    repository.write("lib/store.c", store().text);
    repository.write("lib/deep/other.c", "int other;\n");
    repository.write("kept/other.c", "int kept;\n");
    repository.commit("before");
    repository.write("kept/new.c", new().text);
    repository.commit("after");
    let report = || repository.check(&["--base", "HEAD~1", "--head", "HEAD"]).json;
    let expected = report();
    assert_eq!(expected["findings"].as_array().map(Vec::len), Some(1), "{expected}");
    repository.write("lib/store.c", "int edited;\n");
    repository.write("lib/deep/new.c", "int told;\n");
    for edit in [
        &["add", "lib/store.c"][..],
        &["add", "--intent-to-add", "lib/deep/new.c"],
        &["rm", "-r", "--quiet", "--cached", "kept"],
        &["read-tree", "HEAD~1"],
        &["read-tree", "HEAD:lib"],
        &["read-tree", "--empty"],
    ] {
        repository.git(edit);
        assert_eq!(report(), expected, "after git {}", edit.join(" "));
    }
}

#[test]
fn without_a_flag_a_branch_is_judged_against_the_default_branch() {
    let repository = Repository::new();
    add(&repository, &store());
    repository.git(&["checkout", "--quiet", "-b", "topic"]);
    add(&repository, &new());
    repository.commit("something else");
    check(&repository.check(&[]), 1, &[finding()]);
}

#[test]
fn without_a_flag_the_default_branch_is_judged_against_the_commit_before() {
    let repository = repository_with_a_copy();
    check(&repository.check(&[]), 1, &[finding()]);
    repository.commit("something else");
    check(&repository.check(&[]), 0, &[]);
}

#[test]
fn without_a_flag_the_first_commit_is_judged_against_nothing() {
    let repository = Repository::new();
    repository.write("store.c", store().text);
    add(&repository, &new());
    let report = repository.check(&[]);
    check(
        &report,
        1,
        &[format!("warning {} <- type-1 {}", store().at(C.first), new().at(C.first))],
    );
    assert_eq!(report.json["base"], Value::Null);
}

/// The notices of a report, each with its message alone.
fn notices(report: &Report) -> Vec<&str> {
    report
        .list("/notices")
        .iter()
        .map(|notice| notice["message"].as_str().expect("it has a message"))
        .collect()
}

/// A repository with [`store`] on the default branch.
fn repository_with_a_store() -> Repository {
    let repository = Repository::new();
    add(&repository, &store());
    repository
}

#[test]
fn without_commits_of_its_own_what_is_uncommitted_is_judged_and_it_says_so() {
    let repository = repository_with_a_store();
    repository.write("new.c", new().text);
    let says = "no commits beyond the base, so this checked 1 uncommitted file, as `--worktree` does; \
                `--head HEAD` checks the last commit";
    for (args, head, says) in [
        (&[][..], "the work tree", vec![says]),
        (&["--base", "main"], "the work tree", vec![says]),
        (&["--head", "HEAD"], "HEAD", vec![]),
    ] {
        let report = repository.check(args);
        assert_eq!(
            (&report.json["head"]["name"], notices(&report)),
            (&json!(head), says),
            "{args:?}"
        );
    }
    repository.git(&["checkout", "--quiet", "-b", "topic"]);
    check(&repository.check(&[]), 1, &[finding()]);
    // A machine judges what was committed, whatever its build left behind.
    let report =
        Report::new(repository.secondhand(&["check", "--format", "json"]).env("CI", "true"));
    assert_eq!((&report.json["head"]["name"], notices(&report)), (&json!("HEAD"), vec![]));
}

#[test]
fn before_the_first_commit_what_is_uncommitted_is_judged() {
    let repository = Repository::new();
    repository.write("store.c", store().text);
    repository.write("new.c", new().text);
    check(
        &repository.check(&[]),
        1,
        &[format!("warning {} <- type-1 {}", store().at(C.first), new().at(C.first))],
    );
}

#[test]
fn what_a_branch_has_not_committed_is_counted_with_the_flag_that_judges_it() {
    let repository = repository_with_a_store();
    repository.git(&["checkout", "--quiet", "-b", "topic"]);
    repository.commit("of its own");
    let says = |expected: &[&str], args: &[&str]| {
        let report = repository.check(args);
        assert_eq!((report.status, notices(&report)), (0, expected.to_vec()), "{args:?}");
    };
    says(&[], &[]);
    // Nobody misses what is no source.
    repository.write("notes.xyz", "text");
    says(&[], &[]);
    repository.write("new.c", new().text);
    says(&["1 uncommitted file is not checked; use `--worktree`"], &[]);
    says(&["1 uncommitted file is not checked; use `--worktree`"], &["--base", "main"]);
    says(&[], &["--head", "HEAD"]);
    says(&[], &["store.c"]);
    repository.stage();
    says(&["1 uncommitted file is not checked; use `--staged`"], &[]);
    repository.write("other.c", "int other;\n");
    says(
        &[
            "2 uncommitted files are not checked; use `--worktree`, or `--staged` for the 1 in the index",
        ],
        &[],
    );
}

#[test]
fn paths_limit_what_is_judged_but_not_what_it_is_compared_with() {
    let repository = repository_with_a_store();
    repository.write("lib/new.c", new().text);
    repository.write("lib2/new.c", "int nothing;\n");
    repository.commit("a copy");
    let report = repository.check(&["lib"]);
    check(&report, 1, &[finding().replace("new.c", "lib/new.c")]);
    assert_eq!(report.json["examined"]["judgedFiles"], 1);
    check(&repository.check(&["lib2", "store.c"]), 0, &[]);
    check(&repository.check(&["."]), 1, &report.findings());
    let below =
        secondhand(&repository.path("lib"), &["check", "--format", "json", "new.c"]).output();
    assert_eq!(below.expect("the program starts").status.code(), Some(1));
    // Code that leaves a file which is not judged is still moved, not copied.
    repository.write("store.c", C.file("store", &[C.second]).text);
    repository.write("lib3/moved.c", C.file("moved", &[C.first]).text);
    repository.remove("lib/new.c");
    repository.commit("a move");
    check(&repository.check(&["lib3"]), 0, &[]);
}

#[test]
fn a_revision_in_the_place_of_a_path_leads_to_the_flag() {
    let repository = repository_with_a_copy();
    for (arg, help) in [
        ("main", "help: to compare with it, use `--base main`"),
        ("HEAD~1..main", "help: to compare the two, use `--base HEAD~1 --head main`"),
        ("HEAD~1..", "help: to compare the two, use `--base HEAD~1`"),
    ] {
        let error =
            format!("cannot check the path `{arg}`: it is a revision, not a file or folder");
        check_failure(&mut repository.secondhand(&["check", arg]), &error, help);
    }
    check_failure(
        &mut repository.secondhand(&["check", "nowhere"]),
        "cannot check the path `nowhere`: there is no such file or folder",
        "help: ",
    );
}

#[test]
fn tags_and_branches_of_remotes_are_revisions() {
    let repository = repository_with_a_copy();
    repository.git(&["tag", "--annotate", "--message=first", "v1", "HEAD~1"]);
    repository.git(&["update-ref", "refs/remotes/origin/release", "HEAD~1"]);
    check(&repository.check(&["--base", "v1"]), 1, &[finding()]);
    check(&repository.check(&["--base", "origin/release"]), 1, &[finding()]);
}

#[test]
fn staged_judges_the_index_and_not_the_work_tree() {
    let repository = Repository::new();
    add(&repository, &store());
    repository.write("new.c", new().text);
    check(&repository.check(&["--staged"]), 0, &[]);
    repository.stage();
    repository.write("new.c", "int nothing;\n");
    let report = repository.check(&["--staged"]);
    check(&report, 1, &[finding()]);
    assert_eq!(report.json["head"], json!({ "name": "the index", "commit": null }));
}

#[test]
fn staged_takes_the_origin_from_the_index_too() {
    let repository = Repository::new();
    add(&repository, &store());
    repository.write("new.c", new().text);
    repository.stage();
    repository.write("store.c", "int nothing;\n");
    check(&repository.check(&["--staged"]), 1, &[finding()]);
    repository.stage();
    // Now it is cut there and pasted here.
    check(&repository.check(&["--staged"]), 0, &[]);
}

#[test]
fn staged_judges_the_first_commit_before_it_is_made() {
    let repository = Repository::new();
    repository.write("store.c", store().text);
    repository.write("new.c", new().text);
    repository.stage();
    let report = repository.check(&["--staged"]);
    check(
        &report,
        1,
        &[format!("warning {} <- type-1 {}", store().at(C.first), new().at(C.first))],
    );
    assert_eq!(report.json["base"], Value::Null);
}

#[test]
fn staged_is_clean_in_a_repository_without_anything() {
    check(&Repository::new().check(&["--staged"]), 0, &[]);
}

#[test]
fn without_a_commit_there_is_nothing_to_judge() {
    let repository = Repository::new();
    check_failure(
        &mut repository.secondhand(&["check"]),
        "cannot resolve the revision `HEAD`: there is no commit yet",
        "help: `git commit` makes the first; `check --staged` checks it",
    );
}

#[test]
fn staged_with_a_base_judges_from_there_on() {
    let repository = repository_with_a_copy();
    repository.write("other.c", C.third);
    repository.stage();
    check(&repository.check(&["--staged"]), 0, &[]);
    check(&repository.check(&["--staged", "--base", "HEAD~1"]), 1, &[finding()]);
}

#[test]
fn a_hook_of_a_commit_judges_what_the_commit_will_record() {
    // `git commit --all`, `git commit FILE` and `git commit --patch` give their hooks an index of
    // their own.
    for args in [&["--all"][..], &["other.c"], &["--patch"]] {
        let repository = Repository::new();
        repository.write("store.c", store().text);
        add(&repository, &C.file("other", &[C.third]));
        let hook =
            format!("#!/bin/sh\nexec '{}' check --staged\n", env!("CARGO_BIN_EXE_secondhand"));
        repository.write(".git/hooks/pre-commit", hook);
        make_executable(&repository.path(".git/hooks/pre-commit"));
        repository.write("other.c", C.file("other", &[C.third, C.first]).text);
        check(&repository.check(&["--staged"]), 0, &[]);
        let mut commit = git_command(repository.root(), &["commit", "--message=paste"]);
        repository.write(".git/answers", "y\n");
        let answers = fs::File::open(repository.path(".git/answers")).expect("it was written");
        let commit = commit.args(args).stdin(answers).output().expect("git is installed");
        assert!(!commit.status.success(), "the hook refuses: {}", text(&commit.stderr));
        assert!(text(&commit.stderr).contains("copied from store.c:1"), "{}", text(&commit.stderr));
    }
}

fn make_executable(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("the file is ours");
    }
    assert!(path.exists());
}

#[test]
fn of_a_conflict_our_side_is_judged_and_the_file_is_named() {
    let repository = Repository::new();
    add(&repository, &store());
    repository.git(&["checkout", "--quiet", "-b", "topic"]);
    add(&repository, &C.file("new", &[C.third]));
    repository.git(&["checkout", "--quiet", "main"]);
    add(&repository, &new());
    let mut merge = git_command(repository.root(), &["merge", "topic"]);
    let merged = merge.output().expect("git is installed");
    assert!(!merged.status.success(), "there is a conflict");
    let named = || "warning not examined: new.c (in conflict)".to_owned();
    check(&repository.check(&["--staged"]), 1, &[named()]);
    check(&repository.check(&["--staged", "--base", "topic"]), 1, &[named(), finding()]);
}

#[test]
fn what_a_merge_brings_in_is_not_new() {
    let repository = Repository::new();
    add(&repository, &store());
    add(&repository, &C.file("conflict", &["int here;\n"]));
    repository.git(&["checkout", "--quiet", "-b", "topic"]);
    repository.write("conflict.c", "int there;\n");
    add(&repository, &new());
    repository.git(&["checkout", "--quiet", "main", "--"]);
    repository.write("conflict.c", "int elsewhere;\n");
    repository.commit("conflicts");
    let merged =
        git_command(repository.root(), &["merge", "topic"]).output().expect("git is installed");
    assert!(!merged.status.success(), "there is a conflict");
    repository.write("conflict.c", "int here, there;\n");
    repository.stage();
    check(&repository.check(&["--staged"]), 0, &[]);
    check(&repository.check(&["--worktree"]), 0, &[]);
    // The merge commit's own doing is.
    repository.write("conflict.c", C.file("conflict", &[C.third]).text);
    repository.write("resolved.c", new().text);
    repository.stage();
    let report = repository.check(&["--staged"]);
    assert_eq!(report.status, 1);
    assert_eq!(report.findings().len(), 1, "{:?}", report.findings());
    assert!(report.findings()[0].starts_with("warning resolved.c:"), "{:?}", report.findings());
}

#[test]
fn worktree_judges_files_that_git_does_not_track() {
    let repository = Repository::new();
    add(&repository, &store());
    repository.write("new.c", new().text);
    let report = repository.check(&["--worktree"]);
    check(&report, 1, &[finding()]);
    assert_eq!(report.json["head"], json!({ "name": "the work tree", "commit": null }));
}

#[test]
fn worktree_judges_untracked_files_in_untracked_folders() {
    let repository = Repository::new();
    add(&repository, &store());
    repository.write("deep/er/new.c", new().text);
    check(&repository.check(&["--worktree"]), 1, &[finding().replace("new.c", "deep/er/new.c")]);
}

#[test]
fn worktree_judges_edits_that_are_not_staged() {
    let repository = Repository::new();
    repository.write("store.c", store().text);
    add(&repository, &C.file("other", &[C.third]));
    let edited = C.file("other", &[C.third, C.first]);
    repository.write("other.c", &edited.text);
    let finding = format!("warning {} <- type-1 {}", edited.at(C.first), store().at(C.first));
    check(&repository.check(&["--worktree"]), 1, &[finding]);
}

#[test]
fn worktree_judges_an_edit_of_the_same_size_in_the_same_instant() {
    let repository = Repository::new();
    repository.write("store.c", store().text);
    let comment = format!("//{}\n", "-".repeat(new().text.len() - 3));
    assert_eq!(comment.len(), new().text.len());
    repository.write("new.c", comment);
    repository.commit("before");
    repository.write("new.c", new().text);
    check(&repository.check(&["--worktree"]), 1, &[finding()]);
}

#[test]
fn worktree_leaves_out_what_git_ignores_and_what_is_gone() {
    let repository = Repository::new();
    repository.write(".gitignore", "new.c\n");
    add(&repository, &store());
    repository.write("new.c", new().text);
    check(&repository.check(&["--worktree"]), 0, &[]);
    repository.write("other.c", new().text);
    repository.stage();
    repository.remove("other.c");
    check(&repository.check(&["--worktree"]), 0, &[]);
}

#[test]
fn worktree_sees_a_file_renamed_on_disk_as_moved() {
    let repository = repository_with_a_copy();
    repository.rename("store.c", "src/renamed.c");
    check(&repository.check(&["--worktree"]), 0, &[]);
}

#[test]
fn worktree_keeps_what_a_sparse_checkout_leaves_out() {
    let repository = Repository::new();
    repository.write("src/store.c", store().text);
    repository.write("doc/x.c", "int x;\n");
    repository.commit("before");
    repository.git(&["sparse-checkout", "set", "--cone", "doc"]);
    assert!(!repository.path("src/store.c").exists());
    repository.write("doc/new.c", new().text);
    let finding = finding().replace("store.c", "src/store.c").replace("new.c", "doc/new.c");
    check(&repository.check(&["--worktree"]), 1, &[finding]);
}

#[test]
fn worktree_judges_before_the_first_commit() {
    let repository = Repository::new();
    repository.write("store.c", store().text);
    repository.write("new.c", new().text);
    let report = repository.check(&["--worktree"]);
    check(
        &report,
        1,
        &[format!("warning {} <- type-1 {}", store().at(C.first), new().at(C.first))],
    );
}

#[test]
fn a_run_in_a_subfolder_or_from_elsewhere_judges_the_whole_repository() {
    let repository = repository_with_a_copy();
    repository.write("src/deep/x.c", "");
    let args = ["check", "--format=json", "--base=HEAD~1"];
    check(&Report::new(&mut secondhand(&repository.path("src/deep"), &args)), 1, &[finding()]);
    let elsewhere = TempDir::new().expect("the folder for temporary files is writable");
    let mut command = secondhand(elsewhere.path(), &args);
    check(&Report::new(command.arg("-C").arg(repository.root())), 1, &[finding()]);
}
