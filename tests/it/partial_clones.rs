//! Shows that a partial clone is judged as a full one: what it lacks is fetched at once, or named.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::one_copy::{C, check, finding, new, store};
use serde_json::{Value, json};
use support::{Report, Repository, git, git_command, secondhand};
use tempfile::TempDir;

/// Bytes from which on a blob is left out by [`LIMIT`].
const LARGE: usize = 1_024;
const LIMIT: &str = "--filter=blob:limit=1k";
const NONE: &str = "--filter=blob:none";
/// Commits alone.
const COMMITS: &str = "--filter=tree:0";
/// The commit that each test judges.
const LAST: [&str; 2] = ["--base", "HEAD~1"];

/// A repository that serves clones: its last commit copies a function out of a large file, and
/// edits another file.
fn served() -> Repository {
    let repository = Repository::new();
    repository.git(&["config", "uploadpack.allowFilter", "true"]);
    repository.write(store().path, large_store());
    repository.write("edited.c", format!("int before;\n{}", C.second.replace("Table", "Board")));
    repository.write("data.yaml", "- item: 1\n".repeat(LARGE));
    for at in 0..20 {
        repository.write(
            format!("src/f{at}.c"),
            format!("int f{at}(int a)\n{{\n\treturn a + {at};\n}}\n"),
        );
    }
    repository.commit("before");
    repository.write(new().path, new().text);
    repository.write("edited.c", format!("int after;\n{}", C.second.replace("Table", "Board")));
    repository.commit("after");
    repository
}

/// The file that is copied from, with so many comments behind its code that it is left out.
fn large_store() -> String {
    format!("{}/*{}*/\n", store().text, " more".repeat(LARGE / 4))
}

/// A clone of a repository, in a folder of its own.
struct Clone {
    folder: TempDir,
}

impl Clone {
    fn of(origin: &Repository, args: &[&str]) -> Self {
        let folder = TempDir::new().expect("the folder for temporary files is writable");
        let url = format!("file://{}", origin.root().display());
        git(folder.path(), &[&["clone", "--quiet"], args, &[&*url, "clone"]].concat());
        Self { folder }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("clone")
    }

    /// The same clone, whose remote is gone.
    fn alone(self) -> Self {
        git(&self.root(), &["config", "remote.origin.url", "/nowhere/at-all"]);
        self
    }

    fn run(&self, args: &[&str]) -> Command {
        secondhand(&self.root(), args)
    }

    fn check(&self, args: &[&str]) -> Report {
        Report::new(self.run(&["check", "--format", "json"]).args(LAST).args(args))
    }

    /// The packs that it has.
    fn n_packs(&self) -> usize {
        let files = std::fs::read_dir(self.root().join(".git/objects/pack"))
            .expect("it is there")
            .flatten();
        files
            .filter(|file| file.path().extension().is_some_and(|extension| extension == "pack"))
            .count()
    }
}

/// The paths in a list of skipped files that this clone does not have.
fn missing(report: &Report, list: &str) -> Vec<Value> {
    let list = report.json["examined"][list].as_array().expect("the report has this list");
    list.iter()
        .filter(|file| file["reason"] == "not in this clone")
        .map(|file| file["path"].clone())
        .collect()
}

#[test]
fn what_is_not_here_is_fetched_at_once_and_judged_as_in_a_full_clone() {
    let origin = served();
    let full = Clone::of(&origin, &[]);
    for filter in [NONE, LIMIT, COMMITS] {
        for args in
            [&["check", "--base", "HEAD~1", "--head", "HEAD"][..], &["scan", "--rev", "HEAD"]]
        {
            let partial = Clone::of(&origin, &[filter, "--no-checkout"]);
            let report =
                |clone: &Clone| Report::new(clone.run(args).args(["--format", "json"])).json;
            assert_eq!(report(&full), report(&partial), "{filter}: {args:?}");
            let n_packs = partial.n_packs();
            assert!(
                n_packs <= if filter == COMMITS { 6 } else { 4 },
                "{filter}: {args:?} fetched {n_packs} packs for 23 files"
            );
        }
    }
    check(&full.check(&[]), 1, &[finding()]);
}

#[test]
fn a_clone_of_many_fetches_takes_more() {
    let origin = served();
    let (full, partial) =
        (Clone::of(&origin, &[]), Clone::of(&origin, &[COMMITS, "--no-checkout"]));
    // Nearly as many packs as gix reckons with by default.
    for at in partial.n_packs()..31 {
        let root = partial.root();
        let scratch = root.join("scratch");
        std::fs::write(&scratch, at.to_string()).expect("the clone is writable");
        let id = git(&root, &["hash-object", "-w", "scratch"]);
        std::fs::write(&scratch, id).expect("the clone is writable");
        let mut pack = git_command(&root, &["pack-objects", "--quiet", ".git/objects/pack/pack"]);
        let ids = std::fs::File::open(&scratch).expect("it was written");
        assert!(pack.stdin(ids).status().expect("git is installed").success());
    }
    let report = |clone: &Clone| clone.check(&["--head", "HEAD"]).json;
    assert_eq!(report(&full), report(&partial));
}

#[test]
fn a_clone_that_has_the_change_and_the_tree_needs_no_remote() {
    let clone = Clone::of(&served(), &[NONE]).alone();
    std::fs::write(clone.root().join("other.c"), new().text).expect("the clone is writable");
    let report = Report::new(
        &mut clone.run(&["check", "--worktree", "--format", "json", "--fail-on-missing"]),
    );
    assert_eq!(report.findings().len(), 1, "{:?}", report.findings());
    assert_eq!(report.list("/notices"), &[] as &[Value]);
}

#[test]
fn what_the_cache_knows_of_a_file_that_is_not_here_is_no_comparison() {
    let origin = served();
    let cache = TempDir::new().expect("the folder for temporary files is writable");
    let args = ["--head", "HEAD", "--cache-dir", cache.path().to_str().expect("it is UTF-8")];
    check(&Clone::of(&origin, &[]).check(&args), 1, &[finding()]);
    let alone = Clone::of(&origin, &[LIMIT, "--no-checkout"]).alone();
    let report = alone.check(&args);
    check(&report, 0, &[]);
    assert_eq!(missing(&report, "notCompared"), [json!("store.c")]);
}

#[test]
fn a_search_says_what_it_lacks_and_a_baseline_is_not_made_without_it() {
    let clone = Clone::of(&served(), &[LIMIT, "--no-checkout"]).alone();
    git(&clone.root(), &["checkout", "--quiet", "HEAD", "--", "new.c"]);
    let output = clone.run(&["find", "--rev", "HEAD", "new.c"]).output().expect("it runs");
    let said = [output.stdout, output.stderr]
        .map(|text| String::from_utf8_lossy(&text).into_owned())
        .concat();
    assert!(said.contains("not searched: 1 file that this partial clone does not have"), "{said}");
    let output = clone.run(&["baseline", "create", "--base", "HEAD~1"]).output().expect("it runs");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("the audit is not complete: 1 file is not in this clone"), "{errors}");
}

#[test]
fn without_its_remote_what_a_clone_lacks_is_named_and_counted() {
    let clone = Clone::of(&served(), &[LIMIT, "--no-checkout"]).alone();
    let args = ["--head", "HEAD"];
    let report = clone.check(&args);
    check(&report, 0, &[]);
    assert_eq!(missing(&report, "notCompared"), [json!("store.c")], "data is not missed");
    let notice = report.list("/notices")[0]["message"].as_str().expect("it is text").to_owned();
    assert!(notice.starts_with("cannot fetch what this partial clone does not have: "), "{notice}");
    let text = clone.run(&["check"]).args(LAST).args(args).output().expect("it runs").stdout;
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(text.contains("not compared with: 1 file (not in this clone)"), "{text}");

    let output =
        clone.run(&["check", "--fail-on-missing"]).args(LAST).args(args).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("the audit is not complete: 1 file is not in this clone"), "{errors}");
}

#[test]
fn a_changed_file_is_not_examined_if_it_or_what_it_was_is_not_here() {
    let clone = Clone::of(&served(), &[NONE, "--no-checkout"]);
    let changed = ["edited.c", "new.c"]
        .map(|path| format!("warning not examined: {path} (not in this clone)"));
    let args = ["--head", "HEAD", "--offline"];
    check(&clone.check(&args), 1, &changed);
    assert_eq!(clone.n_packs(), 1, "nothing was fetched");

    // As after `git checkout`: the head is here, and what it was made from is not.
    let clone = Clone::of(&served(), &[NONE]);
    check(&clone.check(&args), 1, &[changed[0].clone(), finding()]);
}

#[test]
fn a_hook_waits_for_no_remote() {
    let clone = Clone::of(&served(), &[NONE]);
    let n_packs = clone.n_packs();
    git(&clone.root(), &["reset", "--quiet", "--soft", "HEAD~1"]);
    let report = Report::new(&mut clone.run(&["check", "--staged", "--format", "json"]));
    check(
        &report,
        1,
        &["warning not examined: edited.c (not in this clone)".to_owned(), finding()],
    );
    assert_eq!(clone.n_packs(), n_packs, "nothing was fetched");
}

#[test]
fn a_scan_counts_what_is_not_here() {
    let clone = Clone::of(&served(), &[NONE, "--no-checkout"]).alone();
    let output = clone.run(&["scan", "--rev", "HEAD"]).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("not examined: 23 files (not in this clone)"), "{text}");
    let output =
        clone.run(&["scan", "--rev", "HEAD", "--fail-on-missing"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_remote_of_a_repository_that_belongs_to_another_user_is_not_asked() {
    let clone = Clone::of(&served(), &[NONE, "--no-checkout"]);
    if !hand_over(&clone.root()) {
        return;
    }
    let report =
        Report::new(clone.run(&["check", "--format", "json", "--head", "HEAD"]).args(LAST));
    assert_eq!(report.findings().len(), 2, "{:?}", report.findings());
    assert_eq!(clone.n_packs(), 1, "nothing was fetched");
}

/// Gives a folder to another user, which only root can.
fn hand_over(folder: &Path) -> bool {
    #[cfg(unix)]
    return Command::new("chown")
        .args(["-R", "65534"])
        .arg(folder)
        .status()
        .is_ok_and(|status| status.success());
    #[cfg(not(unix))]
    false
}
