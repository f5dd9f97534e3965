//! Shows that repositories of all kinds are read, and which ones cannot be.

use std::fs;

use crate::one_copy::{add, check, finding, new, repository_with_a_copy, store, text};
use serde_json::json;
use support::{Report, Repository, git, secondhand};
use tempfile::TempDir;

#[test]
fn a_linked_work_tree_is_judged_as_itself() {
    let repository = Repository::new();
    add(&repository, &store());
    let folder = TempDir::new().expect("the folder for temporary files is writable");
    let linked = folder.path().join("linked");
    let path = linked.to_str().expect("its name is UTF-8");
    repository.git(&["worktree", "add", "--quiet", "-b", "topic", path]);
    fs::write(linked.join("new.c"), new().text).expect("the folder is writable");
    let run =
        |args: &[&str]| Report::new(secondhand(&linked, &["check", "--format=json"]).args(args));
    check(&run(&["--worktree"]), 1, &[finding()]);
    git(&linked, &["add", "--all"]);
    check(&run(&["--staged"]), 1, &[finding()]);
    check(&repository.check(&["--staged"]), 0, &[]);
    git(&linked, &["commit", "--quiet", "--message=after"]);
    check(&run(&["--base", "main"]), 1, &[finding()]);
    fs::write(linked.join("secondhand.toml"), "min-tokens = 1000").expect("the folder is writable");
    check(&run(&["--base", "main"]), 0, &[]);
}

/// A bare clone of [`repository_with_a_copy`].
fn bare_clone() -> TempDir {
    let repository = repository_with_a_copy();
    let folder = TempDir::new().expect("the folder for temporary files is writable");
    let from = repository.root().to_str().expect("its name is UTF-8");
    git(folder.path(), &["clone", "--quiet", "--bare", from, "."]);
    folder
}

#[test]
fn a_bare_repository_is_judged_by_its_commits() {
    let bare = bare_clone();
    let mut command = secondhand(bare.path(), &["check", "--format=json", "--base=HEAD~1"]);
    check(&Report::new(&mut command), 1, &[finding()]);
}

#[test]
fn inside_its_git_folder_a_repository_is_read_as_from_its_root() {
    let repository = repository_with_a_copy();
    let mut command =
        secondhand(&repository.path(".git"), &["check", "--format=json", "--base=HEAD~1"]);
    check(&Report::new(&mut command), 1, &[finding()]);
}

#[test]
fn grafts_join_histories_and_cut_them_as_in_git() {
    let repository = repository_with_a_copy();
    let old = repository.git(&["rev-parse", "HEAD~1"]);
    repository.git(&["checkout", "--quiet", "--orphan", "other"]);
    repository.remove(new().path);
    let start = repository.commit("the same files, and no history");
    add(&repository, &new());
    let check_since = |base: &str| repository.check(&["--base", base]);
    let output = repository.secondhand(&["check", "--base", &old]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "they share no history");
    repository.write(".git/info/grafts", format!("# joined\nno line\n{start} {old}\n"));
    assert_eq!(repository.git(&["merge-base", &old, "HEAD"]), old);
    check(&check_since(&old), 1, &[finding()]);
    check(&check_since("HEAD~2"), 1, &[finding()]);
    // Without a parent it is a first commit: all of it is new, and the function was copied within
    // it.
    repository.write(
        ".git/info/grafts",
        format!("{start} {old}\n{}\n", repository.git(&["rev-parse", "HEAD"])),
    );
    let output = repository.secondhand(&["check", "--base", &old]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "they share no history");
}

#[test]
fn a_bare_repository_has_no_work_tree() {
    let bare = bare_clone();
    let output =
        secondhand(bare.path(), &["check", "--worktree"]).output().expect("the program starts");
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert!(errors.starts_with("error: cannot read the work tree of `"), "{errors}");
    assert!(errors.contains("the repository is bare"), "{errors}");
    assert!(errors.contains("help: compare commits instead: `--base REV --head REV`"), "{errors}");
}

#[test]
fn a_bare_repository_has_no_index() {
    let bare = bare_clone();
    let output =
        secondhand(bare.path(), &["check", "--staged"]).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
}

#[test]
fn a_repository_named_by_sha_256_is_read() {
    let repository = Repository::with_format("sha256");
    add(&repository, &store());
    repository.write("new.c", new().text);
    check(&repository.check(&["--worktree"]), 1, &[finding()]);
    repository.stage();
    check(&repository.check(&["--staged"]), 1, &[finding()]);
    let head = repository.commit("after");
    assert_eq!(head.len(), 64);
    let report = repository.check(&["--base", "HEAD~1"]);
    check(&report, 1, &[finding()]);
    assert_eq!(report.json["head"]["commit"], json!(head));
}

#[test]
fn packed_objects_and_references_are_read() {
    let repository = repository_with_a_copy();
    repository.git(&["gc", "--quiet"]);
    check(&repository.check(&["--base", "main~1"]), 1, &[finding()]);
}

#[test]
fn objects_borrowed_from_another_repository_are_read() {
    let repository = repository_with_a_copy();
    let folder = TempDir::new().expect("the folder for temporary files is writable");
    let from = repository.root().to_str().expect("its name is UTF-8");
    git(folder.path(), &["clone", "--quiet", "--shared", from, "."]);
    let mut command = secondhand(folder.path(), &["check", "--format=json", "--base=HEAD~1"]);
    check(&Report::new(&mut command), 1, &[finding()]);
}

#[test]
fn a_ceiling_that_is_elsewhere_is_ignored_as_by_git() {
    let repository = repository_with_a_copy();
    let mut command = repository.secondhand(&["check", "--base", "HEAD~1", "--format", "json"]);
    check(&Report::new(command.env("GIT_CEILING_DIRECTORIES", "/nowhere/at/all")), 1, &[finding()]);
}

mod shallow {
    use crate::one_copy::{
        add, check, check_failure, finding, new, repository_with_a_copy, store, text,
    };
    use support::{Report, Repository, git, secondhand};
    use tempfile::TempDir;

    const CURE: &str = "`git fetch --unshallow`, or `fetch-depth: 0` for actions/checkout";

    /// A clone of `repository` with one commit of each of its `branches`; the first is checked out.
    fn shallow_clone(repository: &Repository, branches: &str) -> TempDir {
        let folder = TempDir::new().expect("the folder for temporary files is writable");
        let url = format!("file://{}", repository.root().display());
        git(
            folder.path(),
            &[
                "clone", "--quiet", "--depth=1", "--no-single-branch", "--branch", branches, &url,
                ".",
            ],
        );
        folder
    }

    #[test]
    fn a_base_that_was_not_fetched_is_named() {
        let repository = repository_with_a_copy();
        let base = repository.git(&["rev-parse", "HEAD~1"]);
        let clone = shallow_clone(&repository, "main");
        check_failure(
            &mut secondhand(clone.path(), &["check", "--base", &base]),
            &format!(
                "cannot resolve the revision `{base}`: no branch, tag or commit has that name"
            ),
            CURE,
        );
    }

    #[test]
    fn a_commit_before_the_head_that_was_not_fetched_is_named() {
        let repository = repository_with_a_copy();
        let base = repository.git(&["rev-parse", "--short=10", "HEAD~1"]);
        let clone = shallow_clone(&repository, "main");
        check_failure(
            &mut secondhand(clone.path(), &["check"]),
            &format!("cannot read commit {base}: this clone is shallow and ends before it"),
            CURE,
        );
    }

    #[test]
    fn a_merge_base_that_was_not_fetched_is_missed() {
        let repository = Repository::new();
        add(&repository, &store());
        repository.git(&["checkout", "--quiet", "-b", "topic"]);
        add(&repository, &new());
        repository.git(&["checkout", "--quiet", "main"]);
        repository.commit("something else");
        let clone = shallow_clone(&repository, "topic");
        for flags in [&[][..], &["--base", "origin/main"]] {
            let output = secondhand(clone.path(), &["check"])
                .args(flags)
                .output()
                .expect("the program starts");
            let errors = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
            assert!(errors.starts_with("error: cannot find the merge base of "), "{errors}");
            assert!(errors.contains("this clone is shallow and ends before it"), "{errors}");
            assert!(errors.contains(CURE), "{errors}");
        }
    }

    #[test]
    fn a_clone_that_goes_back_to_the_base_is_deep_enough() {
        let repository = Repository::new();
        repository.commit("long ago");
        add(&repository, &store());
        add(&repository, &new());
        let folder = TempDir::new().expect("the folder for temporary files is writable");
        let url = format!("file://{}", repository.root().display());
        git(folder.path(), &["clone", "--quiet", "--depth=2", &url, "."]);
        let report = Report::new(&mut secondhand(
            folder.path(),
            &["check", "--format=json", "--base=HEAD~1"],
        ));
        check(&report, 1, &[finding()]);
    }
}

mod unreadable {
    use crate::one_copy::repository_with_a_copy;
    use support::Repository;

    #[track_caller]
    fn says(repository: &Repository, what: &str) {
        let output = repository
            .secondhand(&["check", "--base", "HEAD~1"])
            .output()
            .expect("the program starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(
            errors.contains(what) && errors.len() < 3_000,
            "{}",
            &errors[..errors.len().min(3_000)]
        );
    }

    #[test]
    fn references_in_another_format_are_named() {
        let repository = repository_with_a_copy();
        repository.git(&["config", "core.repositoryFormatVersion", "1"]);
        repository.git(&["config", "extensions.refStorage", "reftable"]);
        says(&repository, "it keeps its references as reftable, which is not supported");
    }

    #[test]
    fn a_folder_of_borrowed_objects_that_is_gone_is_named() {
        let repository = repository_with_a_copy();
        repository.write(".git/objects/info/alternates", "/nowhere/objects\n");
        says(&repository, "there is no folder `/nowhere/objects`");
        repository.write(".git/objects/info/alternates", vec![b'\x1b'; 2_000_000]);
        says(&repository, "Could not read alternates");
    }
}
