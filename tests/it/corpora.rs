//! Shows how `secondhand check` compares with code outside of the repository: folders of
//! components, vendored folders, and stored corpora.

use std::fs;
use std::path::Path;

use crate::samples::{LANGUAGES, Language};
use support::{Report, Repository};
use tempfile::TempDir;

/// The language of the files here.
const C: &Language = &LANGUAGES[0];

/// A repository whose last commit adds a copy of the first sample.
fn copying() -> Repository {
    let repository = Repository::new();
    repository.write("store.c", C.second);
    repository.commit("before");
    repository.write("src/new.c", C.file("new", &[C.third, C.first]).text);
    repository.commit("after");
    repository
}

/// A folder with a component for each of `files`, `name/path`.
fn corpus(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().expect("the folder for temporary files is writable");
    for (path, text) in files {
        write(folder.path(), path, text);
    }
    folder
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("it lies below the root"))
        .expect("the folder is writable");
    fs::write(path, text).expect("the folder is writable");
}

/// The findings, each as its rule and message.
fn messages(report: &Report) -> Vec<String> {
    let text = |value: &serde_json::Value| value.as_str().expect("it is a text").to_owned();
    let findings = report.list("/findings").iter();
    findings
        .map(|finding| format!("{}: {}", text(&finding["rule"]), text(&finding["message"])))
        .collect()
}

/// Checks the last commit of `repository` against the folder `corpus`.
#[track_caller]
fn check(repository: &Repository, corpus: &TempDir, expected: &[&str]) {
    let folder = corpus.path().to_str().expect("temporary folders are UTF-8");
    let report = repository.check(&["--base", "HEAD~1", "--corpus", folder]);
    assert_eq!(messages(&report), expected);
    assert_eq!(report.status, i32::from(!expected.is_empty()));
}

#[test]
fn code_of_a_component_is_found_with_the_name_of_the_folder_and_the_path_in_it() {
    let corpus = corpus(&[("alpha/lib/table.c", C.first), ("beta/other.c", C.second)]);
    check(
        &copying(),
        &corpus,
        &["unknown-license: 14 lines copied from lib/table.c:1 of alpha (license not known)"],
    );
}

#[test]
fn a_corpus_without_the_code_finds_nothing() {
    check(&copying(), &corpus(&[("beta/other.c", C.second)]), &[]);
}

/// The bytes are a name on Linux; other systems refuse it.
#[cfg(target_os = "linux")]
#[test]
fn a_file_of_a_corpus_whose_name_is_not_utf8_is_compared_like_any_other() {
    use std::os::unix::ffi::OsStrExt;
    let corpus = corpus(&[("beta/other.c", C.second)]);
    let place = corpus.path().join(std::ffi::OsStr::from_bytes(b"alpha\xFE/lib/table\xFF.c"));
    fs::create_dir_all(place.parent().expect("it has a folder")).expect("the folder is writable");
    fs::write(place, C.first).expect("the folder is writable");
    check(
        &copying(),
        &corpus,
        &[
            "unknown-license: 14 lines copied from lib/table\\xff.c:1 of alpha\\xfe (license not known)",
        ],
    );
    let shelf = Shelf::new();
    shelf.corpus(&[
        "add",
        "known",
        corpus.path().to_str().expect("temporary folders are UTF-8"),
        "--name",
        "known",
    ]);
    let found = shelf.check(&copying(), "known");
    assert_eq!(
        found,
        [
            "unknown-license: 14 lines copied from alpha\\xfe/lib/table\\xff.c:1 of known (license not known)"
        ]
    );
}

#[test]
fn what_git_keeps_of_a_component_is_not_compared() {
    let corpus = corpus(&[
        ("alpha/.git/hooks/table.c", C.first),
        ("alpha/sub/.git/table.c", C.first),
        ("alpha/other.c", C.second),
    ]);
    check(&copying(), &corpus, &[]);
}

#[test]
fn of_origins_in_the_tree_and_in_a_corpus_the_corpus_names_the_rule_and_both_are_named() {
    let repository = Repository::new();
    repository.write("store.c", C.file("store", &[C.first, C.second]).text);
    repository.commit("before");
    repository.write("new.c", C.first);
    repository.commit("after");
    let corpus = corpus(&[("alpha/table.c", C.first)]);
    check(
        &repository,
        &corpus,
        &["unknown-license: 14 lines copied from table.c:1 of alpha (license not known)"],
    );
    let folder = corpus.path().to_str().expect("temporary folders are UTF-8");
    let report = repository.check(&["--base", "HEAD~1", "--corpus", folder]);
    assert_eq!(
        report.findings(),
        ["warning new.c:1-14 <- type-1 table.c:1-14, type-1 store.c:1-14"]
    );
}

#[test]
fn a_rule_that_is_off_leaves_the_finding_of_the_other() {
    let repository = Repository::new();
    repository.write("store.c", C.first);
    repository.commit("before");
    repository.write("new.c", C.first);
    repository.commit("after");
    let corpus = corpus(&[("alpha/table.c", C.first)]);
    let folder = corpus.path().to_str().expect("temporary folders are UTF-8");
    let with = |setting| {
        messages(&repository.check(&["--base", "HEAD~1", "--corpus", folder, "--set", setting]))
    };
    assert_eq!(with("rules.unknown-license=off"), ["copied-code: 14 lines copied from store.c:1"]);
    assert_eq!(
        with("rules.copied-code=off"),
        ["unknown-license: 14 lines copied from table.c:1 of alpha (license not known)"]
    );
}

#[test]
fn code_that_many_components_have_is_counted_and_not_scored() {
    let names: Vec<String> = (0..30).map(|n| format!("project{n:02}/table.c")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), C.first)).collect();
    let corpus = corpus(&files);
    let repository = copying();
    check(&repository, &corpus, &[]);
    let folder = corpus.path().to_str().expect("temporary folders are UTF-8");
    let output = repository.secondhand(&["check", "--base", "HEAD~1", "--corpus", folder]).output();
    let text =
        String::from_utf8(output.expect("the program starts").stdout).expect("reports are UTF-8");
    assert!(text.contains("of src/new.c (in 30 components)"), "{text}");
}

#[test]
fn code_copied_out_of_a_vendored_folder_is_a_copy_with_its_license() {
    let repository = Repository::new();
    repository.write(
        "secondhand.toml",
        "[[vendored]]\npath = \"third_party/table/\"\nlicense = \"GPL-2.0-only\"\nversion = \"1.2\"\n",
    );
    repository.write("third_party/table/find.c", C.first);
    repository.commit("before");
    repository.write("new.c", C.first);
    repository.commit("after");
    let report = repository.check(&["--base", "HEAD~1"]);
    let message =
        "corpus-copy: 14 lines copied from third_party/table/find.c:1 of table 1.2 (GPL-2.0-only)";
    assert_eq!(messages(&report), [message]);
}

#[test]
fn what_is_added_to_a_vendored_folder_is_no_finding() {
    let repository = Repository::new();
    repository.write("secondhand.toml", "[[vendored]]\npath = \"vendor/table\"\n");
    repository.write("vendor/table/find.c", C.first);
    repository.write("store.c", C.second);
    repository.commit("before");
    repository.write("vendor/table/new.c", C.file("new", &[C.first, C.second]).text);
    repository.commit("after");
    let left_out = "not-examined: left out: vendor/table/ (1 file, vendored or built)";
    assert_eq!(messages(&repository.check(&["--base", "HEAD~1"])), [left_out]);
}

#[test]
fn a_corpus_that_is_not_there_is_an_error() {
    let repository = copying();
    let output = repository
        .secondhand(&["check", "--corpus", "nowhere"])
        .output()
        .expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.starts_with("error: cannot compare with the corpus `nowhere`"), "{errors}");
}

#[test]
fn the_repository_under_audit_is_no_part_of_a_corpus() {
    let repository = copying();
    let corpus = corpus(&[("alpha/table.c", C.first)]);
    let own = corpus.path().join("own");
    support::git(corpus.path(), &["clone", "--quiet", &repository.root().to_string_lossy(), "own"]);
    let check = |name: &str| {
        let args = ["check", "--base", "HEAD~1", "--format", "json", "--corpus", name];
        let output = support::secondhand(&own, &args).output().expect("the program starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (status, report, said) = check("..");
    assert_eq!(status, Some(1), "{said}");
    assert!(report.contains("table.c") && !report.contains("of own"), "{report}");
    assert!(said.starts_with("note: left out of the corpus `..`: `own`"), "{said}");
    let (status, _, said) = check(".");
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("the corpus `.`: it is the repository under audit itself"), "{said}");
}

#[test]
fn what_cannot_be_added_or_written_is_named_as_it_was_given() {
    let (shelf, source) = (Shelf::new(), corpus(&[("alpha/a.c", C.first)]));
    let source = source.path().to_string_lossy().into_owned();
    let (status, _, said) = shelf.run(&["add", "known", &source, "--purl", "alpha"]);
    assert!(status == 2 && said.contains("'alpha' for '--purl <PURL>': expected"), "{said}");
    shelf.corpus(&["add", "known", &source]);
    let (status, _, said) = shelf.run(&["export", "known", "--output", "none/known"]);
    assert!(status == 2 && said.contains("`none/known`") && !said.contains("tmp-"), "{said}");
    let (status, _, said) = shelf.run(&["export", "known", "--output", "-"]);
    assert!(status == 2 && said.contains("this is written to a file"), "{said}");
}

/// Where the corpora of a test are kept.
struct Shelf {
    folder: TempDir,
}

impl Shelf {
    fn new() -> Self {
        Self { folder: TempDir::new().expect("the folder for temporary files is writable") }
    }

    /// Runs `secondhand corpus` with `args`; returns status, output and errors.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let mut command = support::secondhand(self.folder.path(), &["corpus"]);
        let output = command
            .args(args)
            .args(["--corpus-dir", &self.path()])
            .output()
            .expect("the program starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.code().expect("no signal ended it"),
            text(&output.stdout),
            text(&output.stderr),
        )
    }

    /// Runs `secondhand corpus`, which succeeds; returns what it printed.
    #[track_caller]
    fn corpus(&self, args: &[&str]) -> String {
        let (status, output, errors) = self.run(args);
        assert_eq!((status, errors.as_str()), (0, ""), "{args:?}");
        output
    }

    fn path(&self) -> String {
        self.folder.path().join("corpora").to_str().expect("temporary folders are UTF-8").to_owned()
    }

    /// The names of all files of the corpora.
    fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let folders = fs::read_dir(self.path()).into_iter().flatten().flatten();
        for corpus in folders.filter(|folder| folder.file_name() != ".locks") {
            for file in fs::read_dir(corpus.path()).into_iter().flatten().flatten() {
                files.push(file.file_name().to_string_lossy().into_owned());
            }
        }
        files.sort();
        files
    }

    /// What the last commit of `repository` copied out of the corpus `name`.
    #[track_caller]
    fn check(&self, repository: &Repository, name: &str) -> Vec<String> {
        messages(&repository.check(&[
            "--base",
            "HEAD~1",
            "--corpus",
            name,
            "--corpus-dir",
            &self.path(),
        ]))
    }
}

/// A repository whose history had the first sample in `lib/table.c`, and has it no more.
fn origin() -> Repository {
    let repository = Repository::new();
    repository.write("lib/table.c", C.second);
    repository.commit("begin");
    repository.write("lib/table.c", C.file("table", &[C.second, C.first]).text);
    repository.commit("add");
    repository.git(&["tag", "v1.0"]);
    repository.write("lib/table.c", C.file("table", &[C.third, C.first]).text);
    repository.commit("change");
    repository.git(&["tag", "v1.1"]);
    repository.write("lib/table.c", C.third);
    repository.commit("remove");
    repository
}

fn path_of(repository: &Repository) -> String {
    repository.root().to_str().expect("temporary folders are UTF-8").to_owned()
}

#[test]
fn code_of_a_stored_folder_is_found_with_what_was_declared_of_it() {
    let (shelf, folder) = (Shelf::new(), corpus(&[("alpha-1.0/lib/table.c", C.first)]));
    let path = folder.path().join("alpha-1.0");
    let printed = shelf.corpus(&[
        "add",
        "known",
        path.to_str().expect("temporary folders are UTF-8"),
        "--license",
        "MIT",
    ]);
    assert!(printed.contains("1 component, 1 file,"), "{printed}");
    let found = shelf.check(&copying(), "known");
    assert_eq!(found, ["corpus-copy: 14 lines copied from lib/table.c:1 of alpha 1.0 (MIT)"]);
    let list = shelf.corpus(&["list"]);
    assert!(list.starts_with("known ") && list.ends_with(" kB\n"), "{list}");
    assert!(shelf.corpus(&["show", "known"]).contains("alpha 1.0 (MIT: declared)"));
}

#[test]
fn an_edited_and_renamed_copy_of_stored_code_is_found() {
    let (shelf, folder) = (Shelf::new(), corpus(&[("alpha/lib/table.c", C.first)]));
    shelf.corpus(&[
        "add",
        "known",
        folder.path().join("alpha").to_str().expect("temporary folders are UTF-8"),
    ]);
    for text in [C.renamed(), C.with_inserted(C.insertion), C.with_deleted()] {
        let repository = Repository::new();
        repository.write("store.c", C.second);
        repository.commit("before");
        repository.write("new.c", text);
        repository.commit("after");
        assert_eq!(shelf.check(&repository, "known").len(), 1);
    }
}

#[test]
fn deleted_code_of_a_history_is_found_with_the_releases_that_have_it() {
    let (shelf, origin) = (Shelf::new(), origin());
    shelf.corpus(&["add", "known", &path_of(&origin), "--name", "alpha"]);
    let found = shelf.check(&copying(), "known");
    assert_eq!(
        found,
        ["unknown-license: 27 lines copied from lib/table.c:1 of alpha v1.1 (license not known)"]
    );
}

#[test]
fn what_one_version_had_is_found_though_those_beside_it_are_in_another_language() {
    let (c, cpp) = ("", "namespace rows {\n}\n");
    for (own, others) in [(c, cpp), (cpp, c)] {
        let (shelf, origin) = (Shelf::new(), Repository::new());
        // So many are read out of a pack, where most are deltas of the longest.
        for version in 0..20 {
            let (head, code) = if version == 19 { (own, C.first) } else { (others, "") };
            let text = format!("{head}int version_{version};\n{}{code}", C.second);
            origin.write("table.h", text);
            origin.commit("another version");
        }
        origin.remove("table.h");
        origin.commit("without it");
        origin.git(&["repack", "--quiet", "-a", "-d", "-f", "--depth=50", "--window=50"]);
        shelf.corpus(&["add", "known", &path_of(&origin), "--name", "alpha"]);
        let found = shelf.check(&copying(), "known");
        assert!(found.len() == 1 && found[0].contains(" table.h:"), "{found:?}");
    }
}

#[test]
fn what_others_proposed_is_no_part_of_a_project_unless_all_references_are_asked_for() {
    let proposed = |reference: &str| {
        let origin = Repository::new();
        origin.write("a.c", C.second);
        origin.commit("begin");
        origin.git(&["checkout", "--quiet", "-b", "proposal"]);
        origin.write("stolen.c", C.first);
        origin.commit("propose");
        origin.git(&["update-ref", reference, "HEAD"]);
        origin.git(&["checkout", "--quiet", "-"]);
        origin.git(&["branch", "--quiet", "-D", "proposal"]);
        origin
    };
    for reference in
        ["refs/pull/1/head", "refs/merge-requests/1/head", "refs/changes/01/1/1", "refs/notes/x"]
    {
        let (shelf, origin) = (Shelf::new(), proposed(reference));
        shelf.corpus(&["add", "own", &path_of(&origin), "--name", "alpha"]);
        assert_eq!(shelf.check(&copying(), "own"), [""; 0], "{reference}");
        shelf.corpus(&["add", "all", &format!("{}@refs/*", path_of(&origin)), "--name", "alpha"]);
        assert_eq!(shelf.check(&copying(), "all").len(), 1, "{reference}");
        assert!(shelf.corpus(&["update", "all"]).contains("nothing new"));
    }
    let (shelf, origin) = (Shelf::new(), proposed("refs/remotes/other/topic"));
    shelf.corpus(&["add", "own", &path_of(&origin), "--name", "alpha"]);
    assert_eq!(shelf.check(&copying(), "own").len(), 1);
}

#[test]
fn a_copy_of_an_old_version_is_one_finding_that_names_it() {
    let (shelf, origin) = (Shelf::new(), Repository::new());
    let old = C.file("table", &[C.first, C.second]).text;
    origin.write("table.c", &old);
    origin.commit("begin");
    origin.git(&["tag", "v1"]);
    // The later version holds a part of it four times, edited.
    let edited = [
        C.with_inserted(C.insertion),
        C.with_deleted(),
        C.with_changed(),
        C.with_inserted(C.insertion),
    ];
    let pieces: Vec<&str> = edited.iter().map(String::as_str).collect();
    origin.write("table.c", C.file("table", &pieces).text);
    origin.commit("grow");
    shelf.corpus(&["add", "known", &path_of(&origin), "--name", "alpha"]);
    let repository = Repository::new();
    repository.write("store.c", "int store;\n");
    repository.commit("before");
    repository.write("new.c", C.file("new", &[C.first, C.second]).text.replace("int ", "int  "));
    repository.commit("after");
    let found = shelf.check(&repository, "known");
    // What the later version changed, the copy lacks: that is another matter.
    let copies: Vec<_> = found.iter().filter(|of| !of.starts_with("stale-copy")).collect();
    assert_eq!(copies.len(), 1, "{found:?}");
    assert!(copies[0].contains("of alpha v1 ("), "{found:?}");
}

/// A function for each number below six, of the same statements. In a row-complete Latin square
/// (Gordon 1961) no two follow each other in two rows.
fn row(number: usize) -> String {
    let statements = [
        "if (a > 1)\n        return b;",
        "while (a < b)\n        a += 2;",
        "for (a = 0; a != b; a++)\n        b -= 3;",
        "do {\n        a ^= b;\n    } while (a & 4);",
        "b = a ? b << 5 : ~b;",
        "a = f(b, &a, b[6], *b);",
    ];
    let lines = [0, 1, 5, 2, 4, 3].map(|at| format!("    {}\n", statements[(at + number) % 6]));
    format!("int row_{number}(int a, int *b)\n{{\n{}}}\n\n", lines.concat())
}

#[test]
fn of_many_versions_of_a_file_the_one_with_most_of_its_lines_is_named() {
    let (shelf, origin) = (Shelf::new(), Repository::new());
    let whole = |n: usize| (0..n).map(row).collect::<String>();
    // The last version has something new, and little else.
    let last = row(0) + &row(5);
    for (n, text) in (1..=5).map(whole).chain([last]).enumerate() {
        origin.write("rows.c", text);
        let date = format!("2001-02-03T04:05:{n:02}Z");
        origin.git(&["add", "."]);
        let mut commit =
            support::git_command(origin.root(), &["commit", "--quiet", "--message", "grow"]);
        assert!(
            commit.env("GIT_COMMITTER_DATE", &date).status().is_ok_and(|status| status.success())
        );
        origin.git(&["tag", &format!("v{}", n + 1)]);
    }
    shelf.corpus(&["add", "known", &path_of(&origin), "--name", "alpha"]);
    let named = |text: String| {
        let repository = Repository::new();
        repository.write("store.c", "int store;\n");
        repository.commit("before");
        repository.write("own.c", text);
        repository.commit("after");
        let found = shelf.check(&repository, "known");
        found.into_iter().find(|of| of.starts_with("unknown-license")).unwrap_or_default()
    };
    let of_most = named(whole(6));
    assert!(of_most.contains("of alpha v5 ("), "{of_most}");
    // With other names, hardly a line is the same.
    let of_renamed =
        named(whole(5).replace(" a ", " one ").replace("(a ", "(one ").replace('b', "another"));
    assert!(of_renamed.contains("of alpha v5 ("), "{of_renamed}");
}

/// A function as anybody would write it, in other words each time.
fn anybodys(function: &str, list: &str, size: &str, total: &str, limit: &str) -> String {
    format!(
        "static int {function}(const int *{list}, int {size})\n{{\n    int i;\n    int {total} = 0;\n\n    \
         for (i = 0; i < {size}; i++) {{\n        if ({list}[i] > 0 && {total} < {limit}) {{\n            \
         {total} += {list}[i];\n        }}\n    }}\n    return {total};\n}}\n"
    )
}

#[test]
fn code_of_one_shape_is_a_copy_within_a_project_and_needs_rare_words_or_length_between_two() {
    let repository = Repository::new();
    repository.write("store.c", C.second);
    repository.write("list.c", anybodys("count", "list", "size", "total", "max"));
    repository.commit("before");
    repository.write("new.c", anybodys("length", "data", "n", "result", "limit"));
    repository.commit("after");
    let found = messages(&repository.check(&["--base", "HEAD~1"]));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("copied-code: "), "{found:?}");

    let check = |names: [&str; 5], copied: [&str; 5]| {
        let [a, b, c, d, e] = names;
        let corpus = corpus(&[("alpha/list.c", &anybodys(a, b, c, d, e))]);
        let repository = Repository::new();
        repository.write("store.c", C.second);
        repository.commit("before");
        let [a, b, c, d, e] = copied;
        repository.write("new.c", anybodys(a, b, c, d, e));
        repository.commit("after");
        let folder = corpus.path().to_str().expect("temporary folders are UTF-8");
        messages(&repository.check(&["--base", "HEAD~1", "--corpus", folder])).len()
    };
    assert_eq!(
        check(
            ["count", "list", "size", "total", "max"],
            ["length", "data", "n", "result", "limit"]
        ),
        0
    );
    let rare = ["count", "zrxlist", "zrxsize", "total", "ZRX_LIMIT"];
    assert_eq!(check(rare, ["length", "zrxlist", "zrxsize", "result", "ZRX_LIMIT"]), 1);
    assert_eq!(
        check(["count", "list", "size", "total", "max"], ["count", "list", "size", "total", "max"]),
        1
    );
}

#[test]
fn a_list_is_added_by_its_flag_and_leaves_out_what_cannot_be_fetched_where_it_says_so() {
    let shelf = Shelf::new();
    let folder = corpus(&[("lib/list.c", &C.file("list", &[C.first]).text)]);
    let list = folder.path().join("list.toml");
    let file = list.to_str().expect("temporary folders are UTF-8");
    // No package has this name, and no program is asked for one of this kind.
    let source =
        "[[source]]\nfrom = \"lib\"\n[[source]]\nfrom = \"pkg:npm/secondhand-none@0.0.0\"\n";
    let offline = |text: &str| {
        fs::write(&list, text).expect("it can be written");
        let mut command =
            support::secondhand(shelf.folder.path(), &["corpus", "add", "oss", "--list", file]);
        let output = command
            .args(["--corpus-dir", &shelf.path()])
            .env("PATH", "/nowhere")
            .output()
            .expect("it starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (status, _, errors) = offline(source);
    assert!(
        status == Some(2) && errors.contains("cannot fetch `pkg:npm/secondhand-none@0.0.0`"),
        "{errors}"
    );
    let (status, output, errors) = offline(&format!("skip-missing = true\n{source}"));
    assert_eq!((status, &*errors), (Some(0), ""), "{output}");
    assert!(
        output.contains("1 component")
            && output.contains("not read: pkg:npm/secondhand-none@0.0.0: "),
        "{output}"
    );
    assert!(
        output.ends_with("  left out: 1 package that could not be fetched, listed first\n"),
        "{output}"
    );
    let (status, _, errors) =
        offline("skip-missing = true\n[[source]]\nfrom = \"pkg:npm/secondhand-none@0.0.0\"\n");
    assert!(status == Some(2) && errors.contains("cannot fetch"), "{errors}");
    for (list, why) in
        [("nowhere.toml", "nowhere.toml"), (folder.path().to_str().expect("UTF-8"), "")]
    {
        let (status, _, errors) = shelf.run(&["add", "oss", "--list", list]);
        assert!(status == 2 && errors.contains(why), "{errors}");
    }
}

#[test]
fn of_many_components_all_are_shown_where_everything_is_asked_for() {
    let shelf = Shelf::new();
    let folder = TempDir::new().expect("a temporary folder");
    let list: String = (0..60)
        .map(|n| {
            fs::create_dir(folder.path().join(format!("c{n}"))).expect("it is new");
            fs::write(folder.path().join(format!("c{n}/a.c")), C.first).expect("it can be written");
            format!("[[source]]\nfrom = \"c{n}\"\n")
        })
        .collect();
    fs::write(folder.path().join("list.toml"), list).expect("it can be written");
    let list = folder.path().join("list.toml");
    shelf.corpus(&["add", "known", "--list", list.to_str().expect("temporary folders are UTF-8")]);
    let shown = shelf.corpus(&["show", "known"]);
    assert!(shown.contains("  c49 ") && !shown.contains("  c59 "), "{shown}");
    assert!(shown.contains("\n  and 10 more, which `--verbose` lists\n"), "{shown}");
    let shown = shelf.corpus(&["show", "known", "--verbose"]);
    assert!(shown.contains("  c59 ") && !shown.contains("more"), "{shown}");
}

#[test]
fn the_starter_list_names_200_packages_with_their_versions_once_each() {
    let list = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("config/corpora/starter.toml"),
    );
    let list: toml::Table = list.expect("it is there").parse().expect("it is TOML");
    let sources = list["source"].as_array().expect("it is a list");
    let names: std::collections::BTreeSet<&str> =
        sources.iter().filter_map(|of| of["from"].as_str()).collect();
    assert_eq!((sources.len(), names.len()), (200, 200));
    assert!(names.iter().all(|name| name.starts_with("pkg:") && name.contains('@')));
    // A license is an SPDX expression.
    let languages = secondhand::config::RawConfig::default();
    for license in sources.iter().filter_map(|of| of.get("license")?.as_str()) {
        let policy = secondhand::config::RawLicense {
            project_license: Some(license.to_owned()),
            ..Default::default()
        };
        let raw = secondhand::config::RawConfig { license: policy, ..languages.clone() };
        assert!(secondhand::config::Config::new(raw, "a test").is_ok(), "{license}");
    }
}

#[test]
fn a_bare_mirror_without_a_remote_is_named_after_the_folder_that_says_what_it_is() {
    let shelf = Shelf::new();
    let repository = origin();
    for (path, name) in [("zlib/repo", "zlib"), ("jq/repo.git", "jq"), ("mirrors/redis", "redis")] {
        let mirror = shelf.folder.path().join(path);
        repository.git(&["clone", "--quiet", "--bare", ".", mirror.to_str().expect("it is UTF-8")]);
        repository.git(&[
            "-C",
            mirror.to_str().expect("it is UTF-8"),
            "remote",
            "remove",
            "origin",
        ]);
        shelf.corpus(&["add", name, mirror.to_str().expect("it is UTF-8")]);
        let shown = shelf.corpus(&["show", name]);
        assert!(shown.contains(&format!("{name} ")) && !shown.contains("repo "), "{shown}");
    }
}

#[test]
fn a_revision_is_a_version() {
    let (shelf, origin) = (Shelf::new(), origin());
    shelf.corpus(&["add", "old", &format!("{}@v1.0", path_of(&origin)), "--name", "alpha"]);
    shelf.corpus(&["add", "new", &format!("{}@HEAD", path_of(&origin)), "--name", "alpha"]);
    let found = shelf.check(&copying(), "old");
    assert_eq!(
        found,
        ["unknown-license: 14 lines copied from lib/table.c:23 of alpha v1.0 (license not known)"]
    );
    let found = shelf.check(&copying(), "new");
    assert_eq!(
        found,
        ["unknown-license: 13 lines copied from lib/table.c:1 of alpha HEAD (license not known)"]
    );
}

#[test]
fn an_update_reads_what_is_new_and_only_then() {
    let (shelf, origin) = (Shelf::new(), Repository::new());
    origin.write("a.c", C.second);
    origin.commit("begin");
    shelf.corpus(&["add", "known", &path_of(&origin), "--name", "alpha"]);
    assert_eq!(shelf.check(&copying(), "known"), [""; 0]);
    let files = shelf.files();
    assert!(shelf.corpus(&["update", "known"]).contains("nothing new"));
    assert_eq!(shelf.files(), files);
    origin.write("b.c", C.first);
    origin.commit("add");
    assert!(shelf.corpus(&["update", "known"]).contains("2 files"));
    assert_eq!(shelf.check(&copying(), "known").len(), 1);
    assert_eq!(shelf.files().len(), files.len(), "the segment before is gone");
    // What was there before is as if it were read anew.
    let fresh = Shelf::new();
    fresh.corpus(&["add", "known", &path_of(&origin), "--name", "alpha"]);
    let digest = |shelf: &Shelf| {
        let file = shelf.path() + "/exported";
        shelf.corpus(&["export", "known", "--output", &file])
    };
    assert_eq!(digest(&shelf), digest(&fresh));
}

#[test]
fn what_cannot_be_read_leaves_the_corpus_as_it_was() {
    let (shelf, folder) = (Shelf::new(), corpus(&[("alpha/a.c", C.first)]));
    let path = |name: &str| {
        folder.path().join(name).to_str().expect("temporary folders are UTF-8").to_owned()
    };
    shelf.corpus(&["add", "known", &path("alpha")]);
    let files = shelf.files();
    fs::write(path("broken.tar.gz"), b"\x1f\x8b\x08no archive").expect("the folder is writable");
    let (status, _, errors) = shelf.run(&["add", "known", &path("broken.tar.gz")]);
    assert_eq!(status, 2);
    assert!(errors.starts_with("error: cannot read `broken.tar.gz`: "), "{errors}");
    assert_eq!(shelf.files(), files);
    let (status, _, errors) = shelf.run(&["add", "known", &path("nowhere")]);
    assert_eq!(status, 2);
    assert!(errors.contains("it is not a file, a folder or a package URL"), "{errors}");
    assert_eq!(shelf.files(), files);
}

#[test]
fn processes_may_add_different_sources_at_once() {
    let shelf = Shelf::new();
    let names: Vec<String> = (0..6).map(|n| format!("project{n}")).collect();
    let paths: Vec<String> = names.iter().map(|name| format!("{name}/a.c")).collect();
    let files: Vec<_> = paths.iter().map(|path| (path.as_str(), C.first)).collect();
    let folder = corpus(&files);
    std::thread::scope(|scope| {
        for name in &names {
            let (shelf, path) = (&shelf, folder.path().join(name));
            scope.spawn(move || {
                shelf.corpus(&["add", "known", path.to_str().expect("temporary folders are UTF-8")])
            });
        }
    });
    assert_eq!(shelf.files().len(), 12);
    let shown = shelf.corpus(&["show", "known"]);
    assert!(names.iter().all(|name| shown.contains(name.as_str())), "{shown}");
}

#[test]
fn of_two_processes_that_write_one_source_one_is_told_and_readers_go_on() {
    let (shelf, folder) = (Shelf::new(), corpus(&[("alpha/a.c", C.first), ("beta/b.c", C.second)]));
    let path = |name: &str| {
        folder.path().join(name).to_str().expect("temporary folders are UTF-8").to_owned()
    };
    shelf.corpus(&["add", "known", &path("alpha")]);
    shelf.corpus(&["export", "known", "--output", &path("exported")]);
    shelf.corpus(&["import", "known", &path("exported")]);
    let files = shelf.files();
    // What another process does as long as it writes these sources.
    let locks: Vec<fs::File> = fs::read_dir(Path::new(&shelf.path()).join(".locks"))
        .expect("it is there")
        .map(|lock| lock.expect("it is readable").path())
        .filter(|path| !path.ends_with("known-adding"))
        .map(|path| fs::File::options().write(true).open(path).expect("it is there"))
        .collect();
    assert_eq!(locks.len(), 2);
    locks.iter().for_each(|lock| lock.lock().expect("nobody has it"));
    let told = "of the corpus `known`: another process is writing it";
    for args in [
        &["add", "known", &path("alpha"), "--license", "MIT"][..],
        &["import", "known", &path("exported")],
        &["remove", "known", "alpha"],
        &["remove", "known"],
    ] {
        let (status, _, errors) = shelf.run(args);
        assert!(
            status == 2 && errors.contains("`alpha`") && errors.contains(told),
            "{args:?}: {errors}"
        );
        assert_eq!(shelf.files(), files, "{args:?}");
    }
    assert_eq!(shelf.check(&copying(), "known").len(), 1, "readers wait for nobody");
    shelf.corpus(&["add", "known", &path("beta")]);
    drop(locks);
    // A program that another test is starting may have them for a moment more.
    let again = || shelf.run(&["add", "known", &path("alpha"), "--license", "MIT"]);
    let ended = (0..100)
        .map(|_| again())
        .find(|(status, _, errors)| *status == 0 || !errors.contains(told));
    let (status, out, errors) = ended.expect("nobody has them any more");
    assert!(status == 0 && out.contains("1 component"), "{out}{errors}");
}

#[test]
fn processes_that_add_one_source_at_once_are_told_or_add_it_whole() {
    let (shelf, folder) = (Shelf::new(), corpus(&[("alpha/a.c", C.first)]));
    let path = folder.path().join("alpha");
    let path = path.to_str().expect("temporary folders are UTF-8");
    let ends: Vec<(i32, String)> = std::thread::scope(|scope| {
        let add = |n: usize| {
            let license = format!("LicenseRef-{n}");
            let (status, _, errors) = shelf.run(&["add", "known", path, "--license", &license]);
            (status, errors)
        };
        let threads: Vec<_> = (0..6).map(|n| scope.spawn(move || add(n))).collect();
        threads.into_iter().map(|thread| thread.join().expect("it ends")).collect()
    });
    for (status, errors) in &ends {
        assert!(*status == 0 || errors.contains("another process is writing it"), "{errors}");
    }
    assert!(ends.iter().any(|(status, _)| *status == 0));
    assert_eq!(shelf.files().len(), 2, "one segment and its record");
    assert_eq!(shelf.check(&copying(), "known").len(), 1);
}

#[test]
fn a_process_that_fails_takes_no_folder_from_one_that_adds() {
    let folder = corpus(&[("alpha/a.c", C.first)]);
    let path = folder.path().join("alpha");
    let path = path.to_str().expect("temporary folders are UTF-8");
    for _ in 0..40 {
        let shelf = Shelf::new();
        let add = |path: &str| shelf.run(&["add", "known", path]);
        std::thread::scope(|scope| {
            let nowhere = [0; 3].map(|_| scope.spawn(|| add("./nowhere")));
            let (status, _, errors) = add(path);
            assert_eq!(status, 0, "{errors}");
            nowhere.into_iter().for_each(|thread| {
                assert_eq!(thread.join().expect("it ends").0, 2);
            });
        });
        assert_eq!(shelf.files().len(), 2, "one segment and its record");
    }
}

#[test]
fn an_exported_corpus_is_the_same_bytes_wherever_it_is_made_and_finds_the_same() {
    let folder = corpus(&[("alpha/a.c", C.first), ("beta/b.c", C.second)]);
    let path = |name: &str| {
        folder.path().join(name).to_str().expect("temporary folders are UTF-8").to_owned()
    };
    let export = |shelf: &Shelf, sources: &[&str], file: &str| {
        for source in sources {
            shelf.corpus(&["add", "known", &path(source)]);
        }
        shelf.corpus(&["export", "known", "--output", &path(file)])
    };
    let (one, two) = (Shelf::new(), Shelf::new());
    let digest = export(&one, &["alpha", "beta"], "one.corpus");
    assert_eq!(export(&two, &["beta", "alpha"], "two.corpus"), digest);
    let bytes = fs::read(path("one.corpus")).expect("it was just written");
    assert_eq!(fs::read(path("two.corpus")).expect("it was just written"), bytes);
    let text = |needle: &str| bytes.windows(needle.len()).any(|window| window == needle.as_bytes());
    assert!(
        !text("find_slot") && !text(folder.path().to_str().expect("temporary folders are UTF-8"))
    );

    let other = Shelf::new();
    other.corpus(&["import", "theirs", &path("one.corpus"), "--digest", digest.trim()]);
    assert_eq!(other.check(&copying(), "theirs").len(), 1);
    assert_eq!(other.corpus(&["export", "theirs", "--output", &path("again.corpus")]), digest);
    let (status, _, errors) =
        other.run(&["import", "wrong", &path("one.corpus"), "--digest", "sha256:00"]);
    assert_eq!(status, 2);
    assert!(errors.contains("not 00"), "{errors}");
}

#[test]
fn a_damaged_export_is_refused_wherever_the_damage_is() {
    let (shelf, folder) = (Shelf::new(), corpus(&[("alpha/a.c", C.first)]));
    let path = |name: &str| {
        folder.path().join(name).to_str().expect("temporary folders are UTF-8").to_owned()
    };
    shelf.corpus(&["add", "known", &path("alpha")]);
    shelf.corpus(&["export", "known", "--output", &path("whole")]);
    let whole = fs::read(path("whole")).expect("it was just written");
    for at in (0..whole.len()).step_by(whole.len() / 12) {
        let mut broken = whole.clone();
        broken[at] ^= 0x11;
        fs::write(path("broken"), broken).expect("the folder is writable");
        let (status, _, errors) = shelf.run(&["import", "theirs", &path("broken")]);
        assert_eq!(status, 2, "byte {at}: {errors}");
    }
    fs::write(path("broken"), &whole[..whole.len() - 9]).expect("the folder is writable");
    assert_eq!(shelf.run(&["import", "theirs", &path("broken")]).0, 2);
    assert_eq!(shelf.files().len(), 2, "nothing of it was kept");
}

#[test]
fn sources_and_corpora_are_removed() {
    let (shelf, folder) = (Shelf::new(), corpus(&[("alpha/a.c", C.first), ("beta/b.c", C.second)]));
    let path = |name: &str| {
        folder.path().join(name).to_str().expect("temporary folders are UTF-8").to_owned()
    };
    shelf.corpus(&["add", "known", &path("alpha"), &path("beta")]);
    shelf.corpus(&["remove", "known", "alpha"]);
    assert_eq!(shelf.check(&copying(), "known"), [""; 0]);
    let (status, _, errors) = shelf.run(&["remove", "known", "gamma"]);
    assert_eq!(status, 2);
    assert!(errors.contains("cannot find the source"), "{errors}");
    shelf.corpus(&["remove", "known"]);
    let note = "note: there is no corpus yet: `secondhand corpus add NAME SOURCE` makes one\n";
    assert_eq!(shelf.run(&["list"]), (0, String::new(), note.to_owned()));
    let (status, _, errors) = shelf.run(&["show", "known"]);
    assert_eq!(status, 2);
    assert!(errors.starts_with("error: cannot find the corpus `known`"), "{errors}");
}

/// More search only adds: neither a corpus nor the past makes milder what is found without.
mod more_search {
    use std::collections::BTreeMap;

    use super::*;

    /// The gravest level of each line with a finding: 1 for a note.
    fn levels(report: &Report) -> BTreeMap<(String, u64), usize> {
        let mut levels = BTreeMap::new();
        for finding in report.list("/findings") {
            let path = finding["path"].as_str().expect("it has a path").to_owned();
            let level =
                ["note", "warning", "error"].iter().position(|level| finding["level"] == **level);
            let line = |key: &str| finding["fragment"][key].as_u64().expect("it has lines");
            for line in line("startLine")..=line("endLine") {
                let known = levels.entry((path.clone(), line)).or_default();
                *known = level.map_or(0, |level| level + 1).max(*known);
            }
        }
        levels
    }

    /// Checks the last commit with all combinations of `--history` and `--corpus`, under each of
    /// the `settings`.
    #[track_caller]
    fn only_adds(repository: &Repository, corpus: &TempDir, settings: &[&str]) {
        let folder = corpus.path().to_str().expect("temporary folders are UTF-8");
        let wider: [&[&str]; 4] =
            [&[], &["--history"], &["--corpus", folder], &["--history", "--corpus", folder]];
        for settings in settings {
            let set: Vec<&str> = settings
                .split(' ')
                .filter(|of| !of.is_empty())
                .flat_map(|of| ["--set", of])
                .collect();
            let reports =
                wider.map(|flags| repository.check(&[&["--base", "HEAD~1"], flags, &set].concat()));
            for (less, more) in [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)] {
                let (less, more) = (&reports[less], &reports[more]);
                let found = levels(more);
                for (place, level) in levels(less) {
                    let now = found.get(&place).copied().unwrap_or(0);
                    assert!(
                        now >= level,
                        "{settings}: {place:?} was {level} and is {now}: {:?}",
                        more.findings()
                    );
                }
                assert!(more.status >= less.status, "{settings}: {:?}", more.findings());
            }
        }
    }

    /// A change that adds `copy`, which is in the tree and in the past, and a corpus of `n`
    /// components with it.
    fn everywhere(copy: &str, n: usize) -> (Repository, TempDir) {
        let repository = Repository::new();
        let text = C.file("store", &[C.first, C.second]).text;
        repository.write("store.c", &text);
        repository.write("gone.c", format!("{}{text}", C.third));
        repository.commit("before");
        repository.remove("gone.c");
        repository.commit("delete");
        repository.write("new.c", copy);
        repository.commit("after");
        let names: Vec<String> = (0..n).map(|n| format!("project{n:02}/table.c")).collect();
        let files: Vec<_> = names.iter().map(|name| (name.as_str(), text.as_str())).collect();
        (repository, corpus(&files))
    }

    const SETTINGS: &[&str] = &[
        "",
        "rules.unknown-license=note",
        "rules.unknown-license=note min-worth=20",
        "rules.unknown-license=note min-worth=30",
        "rules.unknown-license=note min-worth=40 rules.revived-code=warning",
        "rules.unknown-license=off rules.revived-code=error",
        "rules.copied-code=note rules.revived-code=error",
        "rules.copied-code=error max-warnings=1",
        "rules.revived-code=warning max-warnings=1",
    ];

    #[test]
    fn in_many_components_takes_nothing_from_a_copy_in_the_tree() {
        for copy in [
            C.first,
            &format!("int f(char *line, int number, struct options *options)\n{{\n{}}}\n", C.piece),
        ] {
            let (repository, corpus) = everywhere(copy, 17);
            only_adds(&repository, &corpus, SETTINGS);
        }
    }

    #[test]
    fn in_a_component_whose_notice_stands_there_takes_nothing_from_a_copy_in_the_tree() {
        let (repository, _) =
            everywhere(&format!("/* Copyright 2013 Alpha Authors, MIT */\n{}", C.first), 1);
        let license = "MIT License\n\nCopyright (c) 2013 Alpha Authors\n\nPermission is hereby granted, free of \
                       charge, to any person obtaining a copy of this software and associated documentation files.\n";
        let corpus = corpus(&[("alpha/table.c", C.first), ("alpha/LICENSE", license)]);
        only_adds(&repository, &corpus, &["", "min-worth=30"]);
    }

    #[test]
    fn code_that_comes_back_elsewhere_or_where_it_was_is_as_grave_as_in_the_tree() {
        for path in ["gone.c", "back.c"] {
            let (repository, corpus) = everywhere("int unrelated;\n", 3);
            repository
                .write(path, format!("{}{}", C.third, C.file("store", &[C.first, C.second]).text));
            repository.commit("back");
            only_adds(&repository, &corpus, SETTINGS);
        }
    }

    #[test]
    fn a_comment_that_allows_the_one_leaves_the_other() {
        let comment = "// secondhand: allow(unknown-license) -- asked the authors\n";
        let (repository, corpus) = everywhere(&format!("{comment}{}", C.first), 1);
        let folder = corpus.path().to_str().expect("temporary folders are UTF-8");
        let alone = repository.check(&["--base", "HEAD~1"]);
        let report = repository.check(&["--base", "HEAD~1", "--corpus", folder]);
        assert_eq!(messages(&report), ["copied-code: 14 lines copied from store.c:1"]);
        assert_eq!((report.findings(), report.status), (alone.findings(), 1));
    }

    #[test]
    fn a_plain_revert_is_a_note_with_and_without_the_past() {
        let (repository, _) = everywhere("int unrelated;\n", 1);
        repository.git(&["revert", "--no-edit", "HEAD~1"]);
        for flags in [&[][..], &["--history"]] {
            let report = repository.check(&[&["--base", "HEAD~1"], flags].concat());
            let found = report.findings();
            assert!(
                !found.is_empty() && found.iter().all(|found| found.starts_with("note gone.c")),
                "{found:?}"
            );
            assert_eq!(report.status, 0);
            let reason = report.json["findings"][0]["levelReason"].as_str();
            assert_eq!(reason, Some("a revert: the file had these lines a few commits before"));
        }
        // The same text under another name is none.
        repository.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
        repository.write("other.c", C.file("store", &[C.first, C.second]).text);
        repository.commit("not a revert");
        assert_eq!(repository.check(&["--base", "HEAD~1"]).status, 1);
    }

    /// As where an amalgamation and one of its sources bring in a library.
    #[test]
    fn code_of_a_component_that_comes_twice_in_one_change_is_named_with_its_license_in_both_places()
    {
        let library = format!("{}\n{}", C.first, C.second);
        let bsd =
            "/* SPDX-License-Identifier: BSD-2-Clause\n * Copyright (c) 2014 Alpha Authors */\n";
        let corpus = corpus(&[("micro/curve.c", &format!("{bsd}{library}"))]);
        let folder = corpus.path().to_str().expect("temporary folders are UTF-8");
        for source in [library.clone(), format!("{bsd}{library}")] {
            let repository = Repository::new();
            repository.write("main.c", "int main(void) { return 0; }\n");
            repository.commit("before");
            repository.write("bundle.c", format!("{}\n{library}", C.third));
            repository.write("src/curve.c", &source);
            repository.commit("after");
            let report = repository.check(&["--base", "HEAD~1", "--corpus", folder]);
            let named: Vec<_> = report
                .list("/findings")
                .iter()
                .filter(|finding| {
                    let origins = finding["origins"].as_array().expect("it has origins");
                    let is_micro = |origin: &serde_json::Value| {
                        origin["component"]["name"] == "micro"
                            && origin["component"]["license"] == "BSD-2-Clause"
                    };
                    origins.iter().any(is_micro)
                })
                .map(|finding| finding["path"].as_str().expect("it has a path").to_owned())
                .collect();
            assert!(named.iter().any(|path| path == "bundle.c"), "{named:?}");
            assert!(named.iter().any(|path| path == "src/curve.c"), "{named:?}");
        }
    }
}

#[test]
fn a_function_of_a_component_with_control_flow_is_found_with_all_its_names_changed() {
    // 66 tokens and eight names: no row of them is long enough to be a copy whatever it says.
    let push = |names: [&str; 8]| {
        let [push, list, item, grow, size, room, data, fail] = names;
        format!(
            "int {push}(struct {list} *{list}, int {item})\n{{\n    while ({list}->{size} >= {list}->{room})\n        \
             if (!{grow}({list}, 2 * {list}->{room}))\n            return {fail}({list}, {item});\n    \
             {list}->{data}[{list}->{size}++] = {item};\n    return 0;\n}}\n"
        )
    };
    let corpus = corpus(&[(
        "alpha/list.c",
        &push(["push", "list", "item", "grow", "size", "room", "data", "fail"]),
    )]);
    let repository = Repository::new();
    repository.write("store.c", C.second);
    repository.commit("before");
    let renamed = push(["put", "stack", "value", "widen", "used", "limit", "slots", "give_up"]);
    repository.write("new.c", format!("{}\n{renamed}", C.third));
    repository.commit("after");
    check(
        &repository,
        &corpus,
        &["unknown-license: 8 lines copied from list.c:1 of alpha (license not known)"],
    );
}

/// The messages about a new file with `copy` between other code; a corpus has `origin`. Both end in
/// `extension`.
fn beside(origin: &str, copy: &str, extension: &str) -> Vec<String> {
    let corpus = corpus(&[(&format!("alpha/origin.{extension}"), origin)]);
    let repository = Repository::new();
    repository.write("store.c", C.second);
    repository.commit("before");
    let other: String = (0..40).map(|n| format!("{}{n};\n", "+".repeat(n))).collect();
    repository.write(format!("new.{extension}"), format!("{copy}{other}"));
    repository.commit("after");
    let folder = corpus.path().to_str().expect("temporary folders are UTF-8");
    messages(&repository.check(&["--base", "HEAD~1", "--corpus", folder]))
}

#[test]
fn a_short_function_of_a_component_is_found_if_all_its_names_are_changed_one_to_one() {
    // 47 tokens, of which 45 count: fewer than a function needs whose names are not all changed.
    let put = |names: [&str; 8]| {
        let [put, data, key, known, find, fresh, hold, swap] = names;
        format!(
            "static int {put}(struct map *{data}, int {key})\n{{\n    int {known} = {find}({data}, {key});\n    \
             if ({known} < 0)\n        return {fresh}->{hold}[{key}];\n    \
             {swap}({known}, {key});\n}}\n"
        )
    };
    let origin = put(["put", "data", "key", "known", "find", "fresh", "hold", "swap"]);
    let renamed = ["store", "table", "number", "place", "search", "spare", "slots", "move_up"];
    let found = beside(&origin, &put(renamed), "c");
    assert_eq!(found.len(), 1, "{found:?}");
    let mut clashing = put(renamed);
    clashing.replace_range(clashing.rfind("place").expect("it is used").., "number, place);\n}\n");
    assert_eq!(
        beside(&origin, &clashing, "c"),
        [""; 0],
        "two names are swapped: the run with other names ends there"
    );
    let kept = put(["put", "data", "key", "known", "find", "spare", "slots", "move_up"]);
    assert_eq!(
        beside(&origin, &kept, "c"),
        [""; 0],
        "common names that both sides spell the same explain nothing"
    );
}

#[test]
fn two_implementations_of_one_interface_are_no_copies() {
    let display = |of: &str, field: &str| {
        format!(
            "impl fmt::Display for {of} {{\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {{\n        \
             self.{field}.fmt(f)\n    }}\n}}\n\nimpl std::error::Error for {of} {{}}\n"
        )
    };
    assert_eq!(
        beside(&display("PathError", "kind"), &display("ProcessError", "text"), "rs"),
        [""; 0]
    );
}
