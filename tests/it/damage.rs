//! Shows what is said of a repository that is damaged: the file, the reference or the commit, and
//! what to do. What can be read is read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::samples::{LANGUAGES, Language};
use support::Repository;

const C: &Language = &LANGUAGES[0];

/// A repository whose branch `pr` has a commit of its own and then one that copies.
fn branch() -> Repository {
    let repository = Repository::new();
    repository.write(C.path("store"), C.file("store", &[C.first, C.second]).text);
    repository.commit("base");
    repository.git(&["checkout", "--quiet", "-b", "pr"]);
    repository.write(C.path("other"), "int other;\n");
    repository.commit("other");
    repository.write(C.path("new"), C.first);
    repository.commit("copy");
    repository
}

fn run(repository: &Repository, args: &[&str]) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } =
        repository.secondhand(args).output().expect("the program starts");
    (status.code(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
}

const CHECK: &[&str] = &["check", "--base", "main"];

/// Checks that a run cannot be done and that the error says each of these.
#[track_caller]
fn fails(repository: &Repository, args: &[&str], says: &[&str]) {
    let (status, said) = run(repository, args);
    assert_eq!(status, Some(2), "{args:?}: {said}");
    assert!(said.contains("help: "), "{args:?}: {said}");
    for what in says {
        assert!(said.contains(what), "{args:?}: {what}: {said}");
    }
}

fn object(repository: &Repository, id: &str) -> PathBuf {
    let (folder, name) = id.split_at(2);
    repository.path(".git/objects").join(folder).join(name)
}

fn remove_object(repository: &Repository, name: &str) -> String {
    let id = repository.git(&["rev-parse", name]);
    fs::remove_file(object(repository, &id)).expect("it is loose");
    id
}

fn damage(file: &Path, text: &str) {
    let _ = fs::remove_file(file);
    fs::write(file, text).expect("the repository is writable");
}

/// Puts a commit without checks in the place of the one that `name` refers to; returns its id.
fn rewrite(repository: &Repository, name: &str, change: impl FnOnce(String) -> String) -> String {
    let text = change(repository.git(&["cat-file", "commit", name]) + "\n");
    repository.write(".git/new-commit", text);
    repository.git(&["hash-object", "-t", "commit", "-w", "--literally", ".git/new-commit"])
}

#[test]
fn a_damaged_reference_is_named_and_not_taken_for_none() {
    let repository = branch();
    damage(&repository.path(".git/refs/heads/main"), "junk\n");
    fails(&repository, CHECK, &[".git/refs/heads/main`: it holds neither", "`git fetch`"]);
    let id = "1".repeat(40);
    damage(&repository.path(".git/refs/heads/main"), &format!("{id}\n"));
    fails(&repository, CHECK, &["cannot read the reference `main`", &id, "`git fsck`"]);
    fails(
        &repository,
        &["check", "--base", "nowhere"],
        &["no branch, tag or commit has that name"],
    );
    let repository = branch();
    repository.git(&["pack-refs", "--all"]);
    damage(&repository.path(".git/packed-refs"), "# pack-refs with: peeled\njunk\n");
    fails(&repository, CHECK, &[".git/packed-refs`: line 2 names no commit"]);
    let repository = branch();
    damage(&repository.path(".git/HEAD"), "junk\n");
    fails(&repository, CHECK, &[".git/HEAD`", "git symbolic-ref HEAD"]);
}

#[test]
fn a_damaged_pack_is_named() {
    for end in ["pack", "idx"] {
        let repository = branch();
        repository.git(&["repack", "--quiet", "-a", "-d"]);
        let mut packs =
            fs::read_dir(repository.path(".git/objects/pack")).expect("it is there").flatten();
        let pack = packs
            .find(|entry| entry.path().extension().is_some_and(|of| of == end))
            .expect("it is there")
            .path();
        damage(&pack, "junk");
        fails(
            &repository,
            CHECK,
            &[&*pack.file_name().expect("it has one").to_string_lossy(), "`git fsck`"],
        );
    }
}

#[test]
fn a_missing_commit_is_named_where_the_clone_is_not_shallow() {
    let repository = branch();
    let id = remove_object(&repository, "HEAD~1");
    let says = [&*format!("cannot read commit {id}: it is not in this clone"), "`git fsck`"];
    fails(&repository, CHECK, &says);
    fails(&repository, &["history"], &says);
    fails(&repository, &["check", "--base", "HEAD~1"], &says);
}

#[test]
fn a_missing_tree_is_named_with_the_cure() {
    for name in ["HEAD^{tree}", "HEAD~1^{tree}"] {
        let repository = branch();
        let id = remove_object(&repository, name);
        fails(&repository, &["history"], &[&id, "git fetch --refetch --no-filter", "`git fsck`"]);
    }
}

#[test]
fn a_damaged_configuration_is_named_and_not_taken_for_none() {
    let repository = branch();
    let file = repository.path(".git/config");
    let config = fs::read_to_string(&file).expect("it is there");
    let n_lines = config.lines().count();
    damage(&file, &format!("{config}[broken\n"));
    fails(
        &repository,
        CHECK,
        &[".git/config`", &format!("line {}", n_lines + 1), "git config --list"],
    );
    damage(&file, &format!("{config}[include]\n\tpath = config\n"));
    fails(&repository, CHECK, &[".git`", "include", "git config --list"]);
    damage(&file, &config);
    repository.git(&["config", "core.repositoryFormatVersion", "9"]);
    fails(&repository, CHECK, &[".git`", "version", "git config --list"]);
}

#[test]
fn an_unknown_extension_of_the_format_is_an_error_as_in_git() {
    let repository = branch();
    repository.git(&["config", "extensions.foo", "true"]);
    assert_eq!(run(&repository, CHECK).0, Some(1), "before version 1 there are none");
    repository.git(&["config", "core.repositoryFormatVersion", "1"]);
    fails(&repository, CHECK, &["it uses the extension `foo`, which is not known"]);
    repository.git(&["config", "--file", ".git/config", "--unset", "extensions.foo"]);
    for known in ["noop", "preciousObjects", "worktreeConfig"] {
        repository.git(&[
            "config",
            "--file",
            ".git/config",
            &format!("extensions.{known}"),
            "true",
        ]);
    }
    assert_eq!(run(&repository, CHECK).0, Some(1));
}

#[test]
fn a_damaged_index_is_named_where_it_is_needed_and_only_there() {
    for folder in [false, true] {
        for text in ["junk", ""] {
            let repository = branch();
            let index = repository.path(".git/index");
            damage(&index, text);
            if folder {
                fs::remove_file(&index).expect("it is ours");
                fs::create_dir(&index).expect("it is ours");
            }
            fails(&repository, &["check", "--staged"], &[".git/index`", "`git read-tree HEAD`"]);
            assert_eq!(run(&repository, CHECK).0, Some(1));
        }
    }
}

mod malformed {
    use super::*;

    /// A repository with a malformed commit in the history of both branches; returns its id, too.
    fn behind(change: impl Fn(String) -> String) -> (Repository, String) {
        let repository = branch();
        let base = rewrite(&repository, "main", |text| text);
        let bad = rewrite(&repository, "main", |text| {
            let (tree, rest) = text.split_once('\n').expect("it has lines");
            change(format!("{tree}\nparent {base}\n{rest}"))
        });
        let on = |parent: &str, name: &str| {
            rewrite(&repository, name, |text| {
                let (tree, rest) = text.split_once('\n').expect("it has lines");
                let rest = rest
                    .strip_prefix("parent ")
                    .and_then(|rest| rest.split_once('\n'))
                    .map_or(rest, |of| of.1);
                format!("{tree}\nparent {parent}\n{rest}")
            })
        };
        let main = on(&bad, "main");
        let pr = on(&main, "HEAD");
        damage(&repository.path(".git/refs/heads/main"), &format!("{main}\n"));
        damage(&repository.path(".git/refs/heads/pr"), &format!("{pr}\n"));
        (repository, bad)
    }

    fn corpus(repository: &Repository) -> tempfile::TempDir {
        let corpus = tempfile::TempDir::new().expect("it can be made");
        fs::create_dir(corpus.path().join("part")).expect("it is writable");
        fs::copy(
            repository.path(C.path("store")),
            corpus.path().join("part").join(C.path("store")),
        )
        .expect("it is writable");
        corpus
    }

    #[test]
    fn a_commit_whose_dates_or_author_cannot_be_read_ends_no_run() {
        let changes: [fn(String) -> String; 3] = [
            |text| text.replace("\nauthor ", "\nauthor x").replace(" +0000", " x"),
            |text| {
                text.lines()
                    .filter(|line| !line.starts_with("author "))
                    .map(|line| format!("{line}\n"))
                    .collect()
            },
            |text| {
                text.lines()
                    .filter(|line| !line.starts_with("committer "))
                    .map(|line| format!("{line}\n"))
                    .collect()
            },
        ];
        for change in changes {
            let (repository, _) = behind(change);
            let at_tip = rewrite(&repository, "HEAD", change);
            for tip in [None, Some(at_tip)] {
                if let Some(tip) = tip {
                    damage(&repository.path(".git/refs/heads/pr"), &format!("{tip}\n"));
                }
                let corpus = corpus(&repository);
                let corpus = corpus.path().to_str().expect("it is UTF-8");
                let (status, said) = run(&repository, &["history"]);
                assert!(status == Some(0) && said.contains("from store.c"), "{said}");
                for args in [
                    &["check", "--base", "main", "--blame"][..],
                    &["check", "--base", "main", "--history"],
                ] {
                    let (status, said) = run(&repository, args);
                    assert!(status == Some(1) && !said.contains("not read"), "{args:?}: {said}");
                }
                let (status, said) = run(&repository, &["audit", "--history", "--corpus", corpus]);
                assert!(status == Some(1) && said.contains("store.c"), "{said}");
            }
        }
    }

    #[test]
    fn a_commit_without_a_tree_or_parents_is_passed_over_and_named() {
        let changes: [fn(String) -> String; 3] = [
            |text| text.replacen("tree ", "tree zz", 1),
            |text| text.replacen("parent ", "parent zz", 1),
            |_| String::new(),
        ];
        for change in changes {
            let (repository, bad) = behind(change);
            let corpus = corpus(&repository);
            let corpus = corpus.path().to_str().expect("it is UTF-8");
            let (status, said) = run(&repository, &["history"]);
            assert_eq!(status, Some(0), "{said}");
            assert!(
                said.contains("from store.c") && said.contains("not checked: 2 commits malformed"),
                "{said}"
            );
            for args in [
                &["check", "--base", "main", "--blame"][..],
                &["check", "--base", "main", "--history"],
                &["audit", "--history", "--corpus", corpus],
            ] {
                let (status, said) = run(&repository, args);
                assert_eq!(status, Some(1), "{args:?}: {said}");
                assert!(said.contains(&format!("not read: commit {bad}")), "{args:?}: {said}");
            }
        }
    }

    #[test]
    fn one_between_base_and_head_is_named() {
        let repository = branch();
        let bad = rewrite(&repository, "HEAD~1", |text| text.replacen("tree ", "tree zz", 1));
        let old = repository.git(&["rev-parse", "HEAD~1"]);
        let tip = rewrite(&repository, "HEAD", |text| text.replace(&old, &bad));
        damage(&repository.path(".git/refs/heads/pr"), &format!("{tip}\n"));
        fails(
            &repository,
            CHECK,
            &[&format!("cannot read commit {bad}: it is malformed"), "`git fsck`"],
        );
        fails(
            &repository,
            &["check", "--base", "HEAD~1"],
            &[&format!("cannot read commit {bad}: it is malformed")],
        );
    }
}

#[test]
fn a_damaged_record_of_a_corpus_is_named_with_the_cure() {
    let repository = branch();
    let add = ["corpus", "add", "--corpus-dir", ".git/known", "q", "."];
    assert_eq!(run(&repository, &add).0, Some(0));
    let mut files = fs::read_dir(repository.path(".git/known/q")).expect("it is there").flatten();
    let record = files
        .find(|entry| entry.path().extension().is_some_and(|of| of == "json"))
        .expect("it is there")
        .path();
    damage(&record, "junk");
    let says = ["cannot read its record `.git/known/q/", "`secondhand corpus add q SOURCE`"];
    fails(
        &repository,
        &["check", "--base", "main", "--corpus-dir", ".git/known", "--corpus", "q"],
        &says,
    );
    fails(&repository, &["corpus", "update", "--corpus-dir", ".git/known", "q"], &says);
    fs::remove_file(&record).expect("it is ours");
    assert_eq!(run(&repository, &add).0, Some(0));
}

#[test]
fn a_folder_in_the_place_of_an_index_is_passed_over() {
    let repository = branch();
    let check = ["check", "--base", "main", "--history"];
    let expected = run(&repository, &check);
    let segments = fs::read_dir(repository.path(".git/secondhand")).expect("it was made").flatten();
    for path in segments
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|of| of == "seg"))
    {
        fs::remove_file(&path).expect("it is ours");
        fs::create_dir(path).expect("it is ours");
    }
    for _ in 0..2 {
        assert_eq!(run(&repository, &check), expected);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_no_success() {
    let repository = branch();
    for flag in ["--help", "--version"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let status = repository
            .secondhand(&[flag])
            .stdout(full)
            .stderr(std::process::Stdio::null())
            .status();
        assert_eq!(status.expect("the program starts").code(), Some(2), "{flag}");
        assert_eq!(run(&repository, &[flag]).0, Some(0));
    }
    assert_eq!(run(&repository, &["--no-such-flag"]).0, Some(2));
}

#[test]
fn a_value_of_the_wrong_kind_is_named_as_people_call_it() {
    let repository = branch();
    for (settings, says) in [
        ("vendored = 3", "expected a list, such as `[\"one\", \"two\"]`, not integer `3`"),
        ("vendored = [3]", "expected a table, not integer `3`"),
        ("license = \"x\"", "expected a table, not the text \"x\""),
        ("max-gap = -1", "expected a whole number that is not negative, not integer `-1`"),
        ("min-containment = 300", "expected a whole number from 0 to 255, not integer `300`"),
        ("min-tokens = []", "expected a whole number, not a list"),
        ("ignore = {}", "not a table"),
    ] {
        repository.write("secondhand.toml", settings);
        fails(&repository, &["config"], &[says]);
    }
}

mod objects {
    use crate::one_copy::{
        check, check_failure, finding, new, repository_with_a_copy, store, text,
    };
    use support::Repository;

    #[test]
    fn a_missing_blob_is_named_whether_it_is_changed_or_compared() {
        for path in ["store.c", "new.c"] {
            let repository = repository_with_a_copy();
            let id = repository.git(&["rev-parse", &format!("HEAD:{path}")]);
            repository.remove(format!(".git/objects/{}/{}", &id[..2], &id[2..]));
            check_failure(
                &mut repository.secondhand(&["check", "--base", "HEAD~1"]),
                &format!("cannot read `{path}`: its blob {id} is not in this clone"),
                "`git fetch --refetch --no-filter`",
            );
        }
    }

    #[test]
    fn a_missing_blob_that_is_no_source_is_not_missed() {
        let repository = repository_with_a_copy();
        repository.write("picture.png", "not a picture");
        repository.commit("add a picture");
        let id = repository.git(&["rev-parse", "HEAD:picture.png"]);
        repository.remove(format!(".git/objects/{}/{}", &id[..2], &id[2..]));
        check(&repository.check(&["--base", "HEAD~2"]), 1, &[finding()]);
    }

    #[test]
    fn a_missing_tree_is_an_error() {
        let repository = Repository::new();
        repository.write("src/store.c", store().text);
        repository.commit("before");
        repository.write("new.c", new().text);
        repository.commit("after");
        let id = repository.git(&["rev-parse", "HEAD:src"]);
        repository.remove(format!(".git/objects/{}/{}", &id[..2], &id[2..]));
        let output = repository
            .secondhand(&["check", "--base", "HEAD~1"])
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    }

    #[test]
    fn a_damaged_blob_is_named() {
        let repository = repository_with_a_copy();
        let id = repository.git(&["rev-parse", "HEAD:store.c"]);
        let object = format!(".git/objects/{}/{}", &id[..2], &id[2..]);
        repository.remove(&object);
        repository.write(&object, "damaged");
        let output = repository
            .secondhand(&["check", "--base", "HEAD~1"])
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("store.c"), "{}", text(&output.stderr));
    }
}
