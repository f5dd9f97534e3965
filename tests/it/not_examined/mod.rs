//! Shows that nothing is silently clean: what was not looked at is reported, and what can be read
//! is examined.

mod encodings;
mod files;

use std::fs;
use std::process::{Command, Output};

use crate::samples::{File, LANGUAGES, Language};
use secondhand::report::FORMATS;
use serde_json::{Value, json};
use support::{Report, Repository};
use tempfile::TempDir;

/// The language of the files here.
const C: &Language = &LANGUAGES[0];
/// The commit that each test judges.
const LAST: [&str; 2] = ["--base", "HEAD~1"];

/// A file that others copy from.
fn store() -> File {
    C.file("store", &[C.first, C.second])
}

/// The finding of a copy of the first sample at `path`, which has `head` before it.
fn copied(path: &str, head: &str) -> String {
    let new = File { path: path.to_owned(), text: format!("{head}{}", C.first) };
    format!("warning {} <- type-1 {}", new.at(C.first), store().at(C.first))
}

/// A repository with [`store`], whose last commit writes `files`.
fn with(files: &[(&str, &[u8])]) -> Repository {
    let repository = Repository::new();
    repository.write(store().path, store().text);
    repository.commit("before");
    change(&repository, files);
    repository
}

/// Commits `files`.
fn change(repository: &Repository, files: &[(&str, &[u8])]) {
    for (path, bytes) in files {
        repository.write(path, bytes);
    }
    repository.commit("after");
}

/// Checks the findings of `report`, and the exit status that follows from them.
#[track_caller]
fn check(report: &Report, findings: &[&str]) {
    assert_eq!(report.findings(), findings, "the findings");
    let is_failed = findings.iter().any(|finding| !finding.starts_with("note "));
    assert_eq!(report.status, i32::from(is_failed), "the exit status");
}

/// The status, the output and the errors of `command`.
fn ran(command: &mut Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (status.code(), text(&stdout), text(&stderr))
}

/// Checks that `command` does not do its audit, says why in its first line, and what to do in what
/// follows.
#[track_caller]
fn check_failure(command: &mut Command, error: &str, help: &str) {
    let (status, out, errors) = ran(command);
    assert_eq!((status, &*out), (Some(2), ""), "{errors}");
    assert_eq!(errors.lines().next(), Some(&*format!("error: {error}")));
    assert!(errors.contains(help), "{errors}\nshould say: {help}");
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

fn utf32(text: &str, bytes: fn(u32) -> [u8; 4]) -> Vec<u8> {
    text.chars().flat_map(|c| bytes(u32::from(c))).collect()
}

/// `text` in each encoding with a byte order mark.
fn encoded(text: &str) -> [Vec<u8>; 4] {
    let marked = format!("\u{FEFF}{text}");
    [
        utf16(&marked, u16::to_le_bytes),
        utf16(&marked, u16::to_be_bytes),
        utf32(&marked, u32::to_le_bytes),
        utf32(&marked, u32::to_be_bytes),
    ]
}

/// Runs `audit`, with a corpus that nothing is copied from.
fn audited(repository: &Repository, args: &[&str]) -> (Option<i32>, String, String) {
    let corpus = TempDir::new().expect("the folder for temporary files is writable");
    fs::create_dir(corpus.path().join("alpha")).expect("the folder is writable");
    fs::write(corpus.path().join("alpha/a.c"), "int alpha;\n").expect("the folder is writable");
    let name = corpus.path().to_str().expect("it is UTF-8");
    ran(repository.secondhand(&["audit", "--corpus", name]).args(args))
}

/// Bytes that read as no text.
fn noise() -> Vec<u8> {
    (0..3_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()).collect()
}

mod reading {
    use super::*;

    #[test]
    fn utf_16_and_utf_32_with_a_mark_are_read_at_positions_of_the_text() {
        let head = "/* caf\u{E9} \u{1F600} */ ";
        for bytes in encoded(&format!("{head}{}", C.first)) {
            let repository = with(&[("new.c", &bytes)]);
            let report = repository.check(&LAST);
            check(&report, &[&copied("new.c", head)]);
            assert_eq!(
                report.list("/findings")[0]["fragment"]["startColumn"],
                json!(head.encode_utf16().count() + 1)
            );
            let (_, text, _) = ran(repository.secondhand(&["check"]).args(LAST));
            assert!(text.contains("caf\u{E9} \u{1F600}"), "the frame shows the text: {text}");
        }
    }

    #[test]
    fn an_origin_in_utf_16_is_found_and_shown_by_check_and_scan() {
        for bytes in encoded(&store().text) {
            let repository = Repository::new();
            repository.write(store().path, bytes);
            repository.commit("before");
            change(&repository, &[("new.c", C.first.as_bytes())]);
            check(&repository.check(&LAST), &[&copied("new.c", "")]);
            let scan = Report::new(&mut repository.secondhand(&["scan", "--format", "json"]));
            assert_eq!(scan.findings().len(), 1);
            let (_, text, _) = ran(&mut repository.secondhand(&["scan"]));
            assert!(text.contains(C.first.lines().next().expect("it has lines")), "{text}");
        }
    }

    #[test]
    fn a_file_that_is_saved_in_another_encoding_is_nothing() {
        for bytes in encoded(&store().text) {
            let repository = Repository::new();
            repository.write("store.c", store().text);
            repository.write("copy.c", store().text);
            repository.commit("before");
            change(&repository, &[("copy.c", &bytes)]);
            check(&repository.check(&LAST), &[]);
            change(&repository, &[("copy.c", store().text.as_bytes())]);
            check(&repository.check(&LAST), &[]);
        }
    }

    #[test]
    fn a_file_of_a_corpus_is_known_by_its_bytes_whatever_their_encoding() {
        let repository = Repository::new();
        repository.write("store.c", C.second);
        repository.commit("before");
        let corpus = TempDir::new().expect("the folder for temporary files is writable");
        fs::create_dir(corpus.path().join("alpha")).expect("the folder is writable");
        let bytes = &encoded(&C.numbers.repeat(3))[0];
        fs::write(corpus.path().join("alpha/table.c"), bytes).expect("the folder is writable");
        change(&repository, &[("new.c", bytes)]);
        let report = repository.check(
            &[&LAST[..], &["--corpus", corpus.path().to_str().expect("it is UTF-8")]].concat(),
        );
        assert_eq!(report.list("/findings").len(), 1, "{}", report.json);
    }

    #[test]
    fn deleted_code_in_utf_16_comes_back() {
        for bytes in encoded(&store().text) {
            let repository = Repository::new();
            repository.write("old.c", &bytes);
            repository.commit("old");
            repository.remove("old.c");
            repository.write("other.c", C.third);
            repository.commit("drop the old store");
            change(&repository, &[("new.c", C.first.as_bytes())]);
            let findings = repository.check(&[&LAST[..], &["--history"]].concat()).findings();
            assert_eq!(findings.len(), 1, "{findings:?}");
            assert!(findings[0].contains("<- type-1 old.c:"), "{findings:?}");
        }
    }

    #[test]
    fn a_stored_corpus_in_utf_16_is_found() {
        for bytes in encoded(C.first) {
            let folder = TempDir::new().expect("the folder for temporary files is writable");
            let (shelf, alpha) = (folder.path().join("shelf"), folder.path().join("alpha"));
            fs::create_dir(&alpha).expect("the folder is writable");
            fs::write(alpha.join("a.c"), bytes).expect("the folder is writable");
            let repository = Repository::new();
            repository.write("other.c", C.third);
            repository.commit("before");
            change(&repository, &[("new.c", C.first.as_bytes())]);
            let at = ["--corpus-dir", shelf.to_str().expect("it is UTF-8")];
            let (status, _, errors) =
                ran(repository.secondhand(&["corpus", "add", "known"]).arg(&alpha).args(at));
            assert_eq!(status, Some(0), "{errors}");
            let report = repository.check(&[&LAST[..], &["--corpus", "known"], &at].concat());
            assert_eq!(report.findings().len(), 1, "{:?}", report.findings());
        }
    }

    #[test]
    fn neither_a_long_comment_nor_a_table_on_one_line_hides_the_code_beside_it() {
        let numbers = (0..20_000).map(|n| format!("{n},")).collect::<String>();
        for line in
            [format!("// {}\n", "x".repeat(40_000)), format!("int table[] = {{{numbers}}};\n")]
        {
            let text = format!("{}\n{line}", C.first);
            let report = with(&[("new.c", text.as_bytes())]).check(&LAST);
            let copies: Vec<_> = report
                .findings()
                .into_iter()
                .filter(|finding| finding.starts_with("warning"))
                .collect();
            assert_eq!(copies, [copied("new.c", "")]);
        }
    }

    #[test]
    fn blanks_behind_each_line_make_no_file_minified() {
        let text: String =
            C.first.lines().map(|line| format!("{line}{}\n", " ".repeat(2_000))).collect();
        check(&with(&[("new.c", text.as_bytes())]).check(&LAST), &[&copied("new.c", "")]);
    }

    #[test]
    fn minified_lines_beside_others_are_listed() {
        let line: String = C.second.repeat(20).replace('\n', " ");
        let text = format!("{}\n{line}\n", C.first);
        check(
            &with(&[("new.c", text.as_bytes())]).check(&LAST),
            &["note left out: new.c (minified lines)", &copied("new.c", "")],
        );
    }
}

mod rule {
    use super::*;

    /// A name, and a content that cannot be read when files of more than 9,000 bytes are too large.
    fn unreadable() -> Vec<(&'static str, Vec<u8>, &'static str)> {
        let pointer = format!(
            "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12345\n",
            "a".repeat(64)
        );
        vec![
            ("binary.c", noise()[..8_000].to_vec(), "binary"),
            ("encoding.c", utf16(C.first, u16::to_le_bytes), "in an encoding that is not read"),
            ("large.c", C.first.repeat(40).into_bytes(), "too large"),
            ("pointer.c", pointer.into_bytes(), "a Git LFS pointer"),
        ]
    }

    const LIMIT: [&str; 2] = ["--set", "max-file-size=9000"];

    fn with_unreadable() -> Repository {
        let files = unreadable();
        with(&files.iter().map(|(path, bytes, _)| (*path, &bytes[..])).collect::<Vec<_>>())
    }

    #[test]
    fn each_changed_file_that_cannot_be_read_is_a_warning() {
        let repository = with_unreadable();
        let report = repository.check(&[LAST, LIMIT].concat());
        let expected: Vec<_> = unreadable()
            .iter()
            .map(|(path, _, why)| format!("warning not examined: {path} ({why})"))
            .collect();
        check(&report, &expected.iter().map(String::as_str).collect::<Vec<_>>());
        for finding in report.list("/findings") {
            assert_eq!(finding["rule"], "not-examined");
            assert_eq!(
                (&finding["added"]["startLine"], &finding["origins"]),
                (&json!(1), &json!([]))
            );
            assert_eq!(finding["unexamined"].as_array().map(Vec::len), Some(1));
        }
    }

    #[test]
    fn an_audit_warns_of_each_file_that_it_could_not_read_and_names_what_it_left_out() {
        let repository = with_unreadable();
        let generated = format!("// @generated\n{}", C.first);
        change(&repository, &[("made.c", generated.as_bytes()), ("page.min.js", b"f();\n")]);
        let run = |args: &[&str]| audited(&repository, &[&LIMIT[..], args].concat());
        for args in [&[][..], &["--quiet"]] {
            let (status, out, errors) = run(args);
            assert_eq!(status, Some(1), "{out}{errors}");
            for (path, _, why) in unreadable() {
                assert!(out.contains(&format!("not examined: {path} ({why})")), "{out}");
            }
            for left_out in ["made.c (generated)", "page.min.js (left out by default)"] {
                assert!(out.contains(left_out), "{out}");
            }
        }
        assert_eq!(run(&["--fail-on", "error"]).0, Some(0));
    }

    #[test]
    fn a_conflict_that_is_about_to_be_committed_is_not_examined() {
        let repository = with(&[("mine.c", b"int a;\n")]);
        repository.git(&["checkout", "--quiet", "-b", "theirs"]);
        change(&repository, &[("mine.c", C.first.as_bytes())]);
        repository.git(&["checkout", "--quiet", "main"]);
        change(&repository, &[("mine.c", b"int b;\n")]);
        let merge = support::git_command(repository.root(), &["merge", "theirs"])
            .output()
            .expect("there is git");
        assert!(!merge.status.success(), "it is a conflict");
        check(&repository.check(&["--staged"]), &["warning not examined: mine.c (in conflict)"]);
    }

    #[test]
    fn a_submodule_that_a_change_brings_in_is_left_out_and_named() {
        let other = with(&[]);
        let repository = with(&[]);
        let commit = other.git(&["rev-parse", "HEAD"]);
        let add = |path: &str| {
            let entry = format!("160000,{commit},{path}");
            repository.git(&["update-index", "--add", "--cacheinfo", &entry]);
        };
        add("their/code");
        check(&repository.check(&["--staged"]), &["note left out: their/code (a submodule)"]);
        repository.git(&["commit", "--quiet", "--message", "theirs"]);
        check(&repository.check(&LAST), &["note left out: their/code (a submodule)"]);
        check(&repository.check(&["--base", "HEAD"]), &[]);
        let (_, out, _) = audited(&repository, &[]);
        assert!(out.contains("left out: their/code (a submodule)"), "{out}");
    }

    #[test]
    fn a_repository_in_the_work_tree_is_left_out_and_named() {
        let (other, repository) = (with(&[]), with(&[]));
        let other = other.root().to_string_lossy();
        repository.git(&["clone", "--quiet", &other, "their/clone"]);
        repository.git(&["worktree", "add", "--quiet", "tree"]);
        let left_out =
            "note left out: their/clone (a repository of its own), tree (a repository of its own)";
        check(&repository.check(&["--worktree"]), &[left_out]);
        for command in ["scan", "check"] {
            let mut command = repository.secondhand(&[command, "their/clone/store.c"]);
            let (status, _, said) = ran(&mut command);
            assert_eq!(status, Some(2), "{said}");
            assert!(said.contains("it is in a repository of its own"), "{said}");
        }
    }

    #[test]
    fn the_level_of_the_rule_counts() {
        let repository = with_unreadable();
        let set = |level: &str| format!("rules.not-examined=\"{level}\"");
        for (level, status) in [("error", 1), ("warning", 1), ("note", 0), ("off", 0)] {
            let report = repository.check(&[&LAST[..], &LIMIT, &["--set", &set(level)]].concat());
            assert_eq!(report.status, status, "{level}");
            let levels: Vec<_> =
                report.list("/findings").iter().map(|finding| &finding["level"]).collect();
            let n = if level == "off" { 0 } else { 4 };
            assert_eq!(levels, vec![level; n]);
        }
        let args = [&LAST[..], &LIMIT, &["--fail-on", "error"]].concat();
        assert_eq!(repository.check(&args).status, 0);
    }

    #[test]
    fn tests_and_documents_are_notes_and_what_is_no_source_is_nothing() {
        let large = "lorem ipsum dolor\n".repeat(1_000);
        let [large, noise] = [large.as_bytes(), &noise()];
        let repository = with(&[
            ("tests/large.c", large),
            ("guide.md", large),
            ("data.json", large),
            ("Cargo.lock", large),
            ("picture.png", noise),
            ("tool", noise),
            // Liberty, Logos, Modula-2 and Pkl only claim these extensions, which most often mean
            // something else.
            ("a.lib", noise),
            ("b.x", noise),
            ("c.mod", noise),
            ("d.pkl", noise),
            ("README", large),
        ]);
        let expected = [
            "note not examined: guide.md (too large)",
            "note not examined: tests/large.c (too large)",
        ];
        check(&repository.check(&[LAST, LIMIT].concat()), &expected);
    }

    #[test]
    fn a_file_whose_content_shows_its_language_is_named_whatever_its_name_promises() {
        let repository = with(&[
            ("a.mod", format!("MODULE a;\nBEGIN\n{}END a.\n", "b;\n".repeat(30)).as_bytes()),
            ("tool", format!("#!/bin/sh\n{}", "a b c\n".repeat(30)).as_bytes()),
        ]);
        let report = repository.check(&[&LAST[..], &["--set", "max-file-tokens=40"]].concat());
        check(
            &report,
            &[
                "warning not examined: a.mod (too many tokens)",
                "warning not examined: tool (too many tokens)",
            ],
        );
    }

    #[test]
    fn a_script_that_cannot_be_read_is_a_warning_although_its_name_says_nothing() {
        let script = |rest: &[u8]| [b"#!/usr/bin/env python3\n", rest].concat();
        let large = script("# lorem ipsum\n".repeat(1_000).as_bytes());
        let (binary, encoding) = (
            script(&noise()[..8_000]),
            script(&utf16("# a\n".repeat(9).as_str(), u16::to_le_bytes)),
        );
        let unknown = [b"#!/usr/bin/env lorem\n", &large[..]].concat();
        let repository = with(&[
            ("large", &large),
            ("binary", &binary),
            ("bin/nul", &encoding),
            ("unknown", &unknown),
        ]);
        let expected = ["bin/nul", "binary", "large", "unknown"]
            .map(|path| format!("warning not examined: {path} (a script that cannot be read)"));
        check(&repository.check(&[LAST, LIMIT].concat()), &expected.each_ref().map(String::as_str));
    }

    #[test]
    fn a_conflict_in_a_script_is_a_warning_although_its_name_says_nothing() {
        let repository = with(&[("tool", b"#!/bin/sh\na\n"), ("note", b"a\n")]);
        repository.git(&["checkout", "--quiet", "-b", "theirs"]);
        change(&repository, &[("tool", b"#!/bin/sh\nb\n"), ("note", b"b\n")]);
        repository.git(&["checkout", "--quiet", "main"]);
        change(&repository, &[("tool", b"#!/bin/sh\nc\n"), ("note", b"c\n")]);
        let merge = support::git_command(repository.root(), &["merge", "theirs"])
            .output()
            .expect("there is git");
        assert!(!merge.status.success(), "it is a conflict");
        check(
            &repository.check(&["--staged"]),
            &["warning not examined: tool (a script that cannot be read)"],
        );
    }

    #[test]
    fn a_notebook_that_is_no_json_is_a_warning() {
        let repository = with(&[
            ("a.ipynb", b"{\"cells\": [] } and more"),
            ("b.ipynb", b"\n"),
            ("c.ipynb", b"{}"),
        ]);
        check(
            &repository.check(&LAST),
            &["note not examined: a.ipynb (a notebook that cannot be read)"],
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_with_the_name_of_source_to_a_file_that_is_none_is_a_warning_if_the_change_made_either()
     {
        let link = |repository: &Repository, target: &str, path: &str| {
            std::os::unix::fs::symlink(target, repository.path(path)).expect("links can be made");
        };
        let warning = "warning not examined: new.c (a link to a file that is not read as source)";
        let repository = with(&[("data/map.tbl", C.first.as_bytes())]);
        link(&repository, "data/map.tbl", "new.c");
        link(&repository, "store.c", "same.c");
        link(&repository, "data/map.tbl", "map.txt");
        link(&repository, "nothing", "dead.c");
        link(&repository, "/dev/null", "out.c");
        repository.commit("links");
        check(&repository.check(&LAST), &[warning]);
        change(&repository, &[("other.c", b"int other;\n")]);
        check(&repository.check(&LAST), &[]);
        change(&repository, &[("data/map.tbl", C.second.as_bytes())]);
        check(&repository.check(&LAST), &[warning]);
        repository.write("data/map.tbl", C.third);
        check(&repository.check(&["--worktree"]), &[warning]);
        repository.write("data/map.tbl", format!("{}int other;\n", C.second));
        check(&repository.check(&["--worktree"]), &[]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_what_is_no_code_by_its_name_either_is_nothing() {
        let repository = with(&[("AGENTS.md", b"# A\n"), ("LICENSE", b"All of it.\n")]);
        std::os::unix::fs::symlink("AGENTS.md", repository.path("CLAUDE.md"))
            .expect("links can be made");
        std::os::unix::fs::symlink("LICENSE", repository.path("LICENSE.md"))
            .expect("links can be made");
        repository.commit("links");
        check(&repository.check(&LAST), &[]);
        change(&repository, &[("AGENTS.md", "# A\n\nMore of it.\n".repeat(40).as_bytes())]);
        check(&repository.check(&LAST), &[]);
    }

    #[test]
    fn a_file_that_was_unreadable_before_and_was_not_changed_is_nothing() {
        let repository = with_unreadable();
        change(&repository, &[("other.c", b"int other;\n")]);
        check(&repository.check(&[LAST, LIMIT].concat()), &[]);
    }

    #[test]
    fn ignored_files_are_not_reported_and_the_baseline_knows_others() {
        let repository = with_unreadable();
        let ignoring = [&LAST[..], &LIMIT, &["--set", "ignore=[\"/*.c\"]"]].concat();
        check(&repository.check(&ignoring), &[]);

        let create = ["baseline", "create", "--base", "HEAD~1", LIMIT[0], LIMIT[1]];
        let (status, out, errors) = ran(&mut repository.secondhand(&create));
        assert_eq!(status, Some(0), "{out}{errors}");
        let report = repository.check(&[LAST, LIMIT].concat());
        check(&report, &[]);
        assert_eq!(report.json["suppressedFindings"], 4);
        // The file is known, whatever it holds; another one is not.
        change(
            &repository,
            &[
                ("large.c", &C.first.repeat(50).into_bytes()),
                ("new.c", &C.first.repeat(50).into_bytes()),
            ],
        );
        check(
            &repository.check(&[LAST, LIMIT].concat()),
            &["warning not examined: new.c (too large)"],
        );
    }

    #[test]
    fn what_is_left_out_is_one_note_sorted_by_path() {
        let generated = format!("// Code generated by x. DO NOT EDIT.\n{}", C.first);
        let repository = with(&[
            ("vendor/b.c", C.first.as_bytes()),
            ("vendor/a.c", C.first.as_bytes()),
            ("api.pb.c", generated.as_bytes()),
            ("web/x.min.js", b"f()"),
        ]);
        let expected = "left out: api.pb.c (generated), vendor/ (2 files, vendored or built), web/x.min.js (left out by default)";
        let report = repository.check(&LAST);
        check(&report, &[&format!("note {expected}")]);
        let finding = &report.list("/findings")[0];
        assert_eq!(finding["path"], "api.pb.c");
        assert_eq!(
            finding["unexamined"][1],
            json!({ "path": "vendor/", "files": 2, "reason": "vendored or built" })
        );
        assert_eq!(repository.check(&[&LAST[..], &["--fail-on", "note"]].concat()).status, 1);
        let mild = [&LAST[..], &["--set", "rules.not-examined=\"error\""]].concat();
        check(&repository.check(&mild), &[&format!("note {expected}")]);
    }

    #[test]
    fn of_many_files_the_first_are_named_and_the_rest_is_counted() {
        let files: Vec<_> = (0..30).map(|n| format!("g{n:02}.c")).collect();
        let files: Vec<_> =
            files.iter().map(|path| (path.as_str(), &b"// @generated\n"[..])).collect();
        let repository = with(&files);
        let report = repository.check(&LAST);
        let message = report.list("/findings")[0]["message"]
            .as_str()
            .expect("a finding has a message")
            .to_owned();
        assert!(message.ends_with("g19.c (generated) and 10 more"), "{message}");
        assert_eq!(report.list("/findings")[0]["unexamined"].as_array().map(Vec::len), Some(30));
        let (_, text, _) = ran(repository.secondhand(&["check"]).args(LAST));
        assert!(text.contains("30 changed files were left out"), "{text}");
        assert!(text.contains("and 10 more") && !text.contains("g20.c"), "{text}");
        let (_, text, _) = ran(repository.secondhand(&["check", "--verbose"]).args(LAST));
        assert!(text.contains("left out: g29.c (generated)"), "{text}");
    }

    #[test]
    fn every_format_reports_it_also_when_quiet() {
        let repository = with(&[
            ("large.c", C.first.repeat(40).as_bytes()),
            ("made.c", b"// @generated\nint a;\n"),
        ]);
        for format in FORMATS {
            for quiet in [&[][..], &["--quiet"]] {
                let args = [&["check", "--format", format.name], &LAST[..], &LIMIT, quiet].concat();
                let (status, text, errors) = ran(&mut repository.secondhand(&args));
                assert_eq!((status, &*errors), (Some(1), ""), "{}", format.name);
                let expected: &[&str] = match format.name {
                    "counts" => &[
                        "findings=2\n", "new-copies=0\n", "warnings=1\n", "not-examined=1\n",
                        "left-out=1\n",
                    ],
                    "markdown" => &["large.c &#40;too large&#41;", "made.c &#40;generated&#41;"],
                    "json" | "csv" => &["large.c", "too large", "made.c", "generated"],
                    _ => &["large.c (too large)", "made.c (generated)"],
                };
                for text_of_it in expected {
                    assert!(
                        text.contains(text_of_it),
                        "{} {quiet:?} has `{text_of_it}`: {text}",
                        format.name
                    );
                }
            }
        }
    }

    #[test]
    fn the_summary_of_a_change_that_was_not_examined_says_so() {
        let repository = with(&[("large.c", C.first.repeat(40).as_bytes())]);
        for format in ["text", "markdown", "html"] {
            let args = [&["check", "--format", format], &LAST[..], &LIMIT].concat();
            let (_, text, _) = ran(&mut repository.secondhand(&args));
            let words: Vec<_> = text.split_whitespace().collect();
            let is_said = words
                .windows(5)
                .any(|words| words.join(" ").ends_with("1 changed file not examined"));
            assert!(is_said, "{format}: {text}");
        }
    }

    #[test]
    fn sarif_has_it_as_a_result_and_as_a_notification_of_the_run() {
        let repository = with(&[
            ("a b/large.c", C.first.repeat(40).as_bytes()),
            ("made.c", b"// @generated\nint a;\n"),
        ]);
        let args = [&["check", "--format", "sarif"], &LAST[..], &LIMIT].concat();
        let (_, text, _) = ran(&mut repository.secondhand(&args));
        let log: Value = serde_json::from_str(&text).expect("SARIF is JSON");
        let run = &log["runs"][0];
        let results: Vec<_> =
            run["results"].as_array().expect("there are results").iter().collect();
        let of = |at: usize| {
            let location = &results[at]["locations"][0]["physicalLocation"];
            (&results[at]["ruleId"], &results[at]["level"], &location["artifactLocation"]["uri"])
        };
        assert_eq!(of(0), (&json!("not-examined"), &json!("warning"), &json!("a%20b/large.c")));
        assert_eq!(of(1), (&json!("not-examined"), &json!("note"), &json!("made.c")));
        let region = json!({ "startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 2 });
        assert_eq!(results[0]["locations"][0]["physicalLocation"]["region"], region);
        let notifications =
            run["invocations"][0]["toolExecutionNotifications"].as_array().expect("there are some");
        let texts: Vec<_> =
            notifications.iter().map(|of| (&of["level"], &of["message"]["text"])).collect();
        assert_eq!(texts[0], (&json!("warning"), &json!("not examined: a b/large.c (too large)")));
        assert_eq!(texts[1], (&json!("note"), &json!("left out: made.c (generated)")));
        assert_eq!(notifications[0]["associatedRule"]["id"], "not-examined");
    }
}

mod trust {
    use super::*;

    const BASE: [&str; 4] = ["--base", "HEAD~1", "--trust", "base"];

    #[test]
    fn a_new_file_does_not_excuse_itself_before_a_judge_of_its_base() {
        let mark = "// @generated\n";
        let repository = with(&[("new.c", format!("{mark}{}", C.first).as_bytes())]);
        check(&repository.check(&LAST), &["note left out: new.c (generated)"]);
        check(&repository.check(&BASE), &[&copied("new.c", mark)]);
    }

    #[test]
    fn nor_does_one_on_a_single_line() {
        let line = [C.first, C.third, C.second].concat().repeat(4).replace('\n', " ");
        let repository = with(&[("new.c", line.as_bytes())]);
        check(&repository.check(&LAST), &["note left out: new.c (minified)"]);
        assert_eq!(repository.check(&BASE).status, 1);
    }

    #[test]
    fn a_mark_that_the_change_adds_excuses_nothing_and_one_that_base_had_does() {
        let mark = "// @generated\n";
        let repository = Repository::new();
        repository.write("store.c", store().text);
        repository.write("old.c", C.third);
        repository.write("made.c", format!("{mark}{}", C.third));
        repository.commit("before");
        let with_copy = format!("{mark}{}{}", C.third, C.first);
        change(&repository, &[("old.c", with_copy.as_bytes()), ("made.c", with_copy.as_bytes())]);
        let head = format!("{mark}{}", C.third);
        check(
            &repository.check(&BASE),
            &["note left out: made.c (generated)", &copied("old.c", &head)],
        );
        check(&repository.check(&LAST), &["note left out: made.c (generated), old.c (generated)"]);
    }

    #[test]
    fn a_long_line_of_the_base_excuses_no_other() {
        let row = |n: usize| format!("static const int row[] = {{{}}};\n", "1, ".repeat(n));
        let repository = Repository::new();
        repository.write("store.c", store().text);
        repository.write("table.c", row(2_000));
        repository.commit("before");
        let line = format!("{}\n", C.first.replace('\n', " "));
        change(&repository, &[("table.c", format!("{}{line}", row(2_000)).as_bytes())]);
        let of_line = repository.check(&BASE).findings();
        assert!(
            of_line.len() == 1 && of_line[0].starts_with("warning table.c:2-2 <- type-1 "),
            "{of_line:?}"
        );
        // Code beside it is examined, and the line is excused as before.
        change(&repository, &[("table.c", format!("{}{}", row(2_000), C.third).as_bytes())]);
        check(&repository.check(&BASE), &["note left out: table.c (minified lines)"]);
        change(&repository, &[("table.c", format!("{}{line}{}", row(2_000), C.third).as_bytes())]);
        assert_eq!(repository.check(&BASE).findings(), of_line);
        change(&repository, &[("table.c", format!("{}{}", row(2_000), C.third).as_bytes())]);
        // Nor does it excuse the file from then on.
        change(
            &repository,
            &[("table.c", format!("// @generated\n{}{}", row(2_000), C.first).as_bytes())],
        );
        let of_file = repository.check(&BASE).findings();
        assert!(of_file.len() == 1 && of_file[0].starts_with("warning table.c:3-"), "{of_file:?}");
    }

    #[test]
    fn two_new_files_that_excuse_themselves_are_compared_with_each_other() {
        let text = format!("// @generated\n{}", C.third);
        let repository = with(&[("a.c", text.as_bytes()), ("b.c", text.as_bytes())]);
        check(&repository.check(&LAST), &["note left out: a.c (generated), b.c (generated)"]);
        let findings = repository.check(&BASE).findings();
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].starts_with("warning b.c:"), "{findings:?}");
    }

    #[test]
    fn attributes_of_the_base_excuse_as_ever() {
        let repository = Repository::new();
        repository.write("store.c", store().text);
        repository.write(".gitattributes", "*.pb.c linguist-generated\n");
        repository.commit("before");
        change(&repository, &[("new.pb.c", format!("// @generated\n{}", C.first).as_bytes())]);
        check(&repository.check(&BASE), &["note left out: new.pb.c (generated)"]);
    }
}

mod folders {
    use super::*;

    const FOLDERS: &[&str] = &[
        "vendor", "third_party", "third-party", "3rdparty", "node_modules", "bower_components",
        "dist", "site-packages", ".venv", "blib", "lua_modules", "lib/vendor/deep/er",
    ];

    #[test]
    fn a_folder_of_others_code_is_compared_with_and_not_judged() {
        for folder in FOLDERS {
            let path = format!("{folder}/x/code.c");
            let repository = with(&[(&path, C.first.as_bytes())]);
            let top = folder.strip_suffix("/deep/er").unwrap_or(folder);
            check(
                &repository.check(&LAST),
                &[&format!("note left out: {top}/ (1 file, vendored or built)")],
            );
            // Out of it is another matter.
            repository.remove("store.c");
            repository.commit("the folder alone has the code");
            change(&repository, &[("new.c", C.first.as_bytes())]);
            let origin = File { path, text: C.first.to_owned() };
            let expected = copied("new.c", "").replace(&store().at(C.first), &origin.at(C.first));
            check(&repository.check(&["--base", "HEAD~1"]), &[&expected]);
        }
    }

    #[test]
    fn settings_and_attributes_take_a_folder_back_in() {
        for folder in ["vendor", "dist", "node_modules"] {
            let path = format!("{folder}/x.c");
            let repository = with(&[(&path, C.first.as_bytes())]);
            let ignore = format!("ignore=[\"!{folder}/\"]");
            check(
                &repository.check(&[&LAST[..], &["--set", &ignore]].concat()),
                &[&copied(&path, "")],
            );
            repository.write(".gitattributes", format!("{folder}/** -linguist-vendored\n"));
            repository.git(&["add", "."]);
            repository.git(&["commit", "--quiet", "--amend", "--message", "after"]);
            let report = repository.check(&LAST);
            assert_eq!((report.findings(), report.status), (vec![copied(&path, "")], 1));
        }
    }

    #[test]
    fn settings_may_leave_a_folder_out_altogether() {
        let repository = with(&[("vendor/x.c", C.third.as_bytes())]);
        change(&repository, &[("new.c", C.third.as_bytes()), ("vendor/y.c", C.first.as_bytes())]);
        check(&repository.check(&[&LAST[..], &["--set", "ignore=[\"vendor/\"]"]].concat()), &[]);
    }

    #[test]
    fn a_package_about_vendors_is_judged() {
        let path = "src/main/java/org/acme/vendor/x.c";
        check(&with(&[(path, C.first.as_bytes())]).check(&LAST), &[&copied(path, "")]);
    }

    #[test]
    fn what_a_package_manager_put_into_the_work_tree_is_no_origin() {
        let repository = with(&[]);
        repository.write("node_modules/x/code.c", C.third);
        repository.write("new.c", C.third);
        let note = "note left out: node_modules/ (1 file, vendored or built)";
        check(&repository.check(&["--worktree"]), &[note]);
        // Where git tracks it, it is one.
        repository.git(&["add", "--force", "node_modules"]);
        repository.git(&["commit", "--quiet", "--message", "dependencies"]);
        let findings = repository.check(&["--worktree"]).findings();
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].starts_with("warning new.c:"), "{findings:?}");
    }

    #[test]
    fn scan_leaves_such_folders_and_generated_files_out_and_says_so_unless_they_are_asked_for() {
        let repository =
            with(&[("src/a.c", C.first.as_bytes()), ("vendor/x.c", C.third.as_bytes())]);
        repository.write("src/g.c", format!("/* @generated */\n{}", C.first));
        repository.write("vendor/y.c", C.third);
        let scan = |paths: &[&str]| {
            Report::new(repository.secondhand(&["scan", "--format", "json"]).args(paths))
        };
        let report = scan(&[]);
        assert_eq!(report.findings().len(), 1, "the store and its copy: {:?}", report.findings());
        let message =
            "left out of the scan: vendor/ (2 files, vendored or built), src/g.c (generated)";
        assert_eq!(
            report.list("/notices"),
            [json!({ "path": null, "line": null, "message": message })]
        );
        let report = scan(&["vendor"]);
        assert_eq!(
            (report.findings().len(), report.list("/notices").len()),
            (1, 0),
            "{:?}",
            report.findings()
        );
    }

    #[test]
    fn code_moved_out_of_a_vendored_folder_is_moved() {
        let repository = with(&[("vendor/x.c", C.third.as_bytes())]);
        repository.rename("vendor/x.c", "src/x.c");
        change(&repository, &[("src/x.c", format!("{}\nint more;\n", C.third).as_bytes())]);
        check(&repository.check(&LAST), &[]);
    }
}

mod twins {
    //! A file that is a byte for byte copy of another is reported, whatever it holds.

    use super::*;

    /// A repository whose last commit copies a file of this text.
    fn copied_file(text: &str, extension: &str, format: &str) -> Repository {
        let repository = Repository::with_format(format);
        repository.write(format!("src/store.{extension}"), text);
        repository.commit("before");
        repository.write(format!("src/new.{extension}"), text);
        repository.commit("after");
        repository
    }

    fn lines(n: u32, line: impl Fn(u32) -> String) -> String {
        (0..n).map(line).collect()
    }

    #[test]
    fn a_copied_file_is_a_finding_whatever_it_holds() {
        let texts = [
            ("c", lines(200, |n| format!("int f{n}(void) {{ return {n}; }}\n"))),
            ("py", lines(60, |n| format!("a_{n} = compute_{}(d, base=7)\n", n % 7))),
            ("c", lines(300, |n| format!("x{n} = y{n} + z{n}(4);\n"))),
            ("c", C.numbers.to_owned()),
            ("c", C.text.repeat(3)),
            ("py", lines(60, |_| "a = b\n".to_owned())),
        ];
        for (extension, text) in texts {
            for (format, head) in [
                ("sha1", &LAST[..]),
                ("sha256", &LAST),
                ("sha1", &["--worktree", "--base", "HEAD~1"]),
                ("sha1", &["--staged", "--base", "HEAD~1"]),
            ] {
                let findings = copied_file(&text, extension, format).check(head).findings();
                assert_eq!(findings.len(), 1, "{format} {text}");
                let place = format!("warning src/new.{extension}:");
                let origin = format!("<- type-1 src/store.{extension}:");
                assert!(
                    findings[0].starts_with(&place) && findings[0].contains(&origin),
                    "{findings:?}"
                );
            }
        }
    }

    #[test]
    fn a_moved_file_and_one_that_an_edit_made_the_same_are_nothing() {
        let table = C.numbers.as_bytes();
        let repository =
            with(&[("table.c", table), ("other.c", &[table, b"int more;\n"].concat())]);
        repository.rename("table.c", "src/table.c");
        change(&repository, &[("other.c", table)]);
        check(&repository.check(&LAST), &[]);
    }
}

mod sparse {
    use super::*;

    /// A repository whose origin lies outside of the cone `a`, with a copy of it staged in `a`.
    fn sparse(index: &str) -> Repository {
        let repository = Repository::new();
        repository.write("b/deep/store.c", store().text);
        repository.write("a/z.c", "int z;\n");
        repository.commit("before");
        repository.git(&["sparse-checkout", "set", "--cone", index, "a"]);
        assert!(!repository.path("b").exists());
        repository.write("a/new.c", C.first);
        repository.git(&["add", "--sparse", "a/new.c"]);
        repository
    }

    fn finding() -> String {
        copied("a/new.c", "").replace("store.c", "b/deep/store.c")
    }

    #[test]
    fn a_sparse_index_is_read_through() {
        for index in ["--sparse-index", "--no-sparse-index"] {
            let repository = sparse(index);
            let n_collapsed =
                repository.git(&["ls-files", "--sparse", "--stage"]).matches("040000").count();
            assert_eq!(n_collapsed, usize::from(index == "--sparse-index"));
            for head in ["--staged", "--worktree"] {
                let report = repository.check(&[head]);
                check(&report, &[&finding()]);
                assert_eq!(
                    report.json["examined"]["changedFiles"], 1,
                    "what is left out did not change"
                );
            }
            let scan = Report::new(&mut repository.secondhand(&["scan", "--format", "json"]));
            assert_eq!(scan.findings().len(), 1, "{:?}", scan.findings());
        }
    }

    #[test]
    fn files_outside_of_the_cone_count_as_they_are_on_disk_when_they_are_there() {
        for index in ["--sparse-index", "--no-sparse-index"] {
            let repository = sparse(index);
            repository.write("b/deep/store.c", C.second);
            check(&repository.check(&["--worktree"]), &[]);
            check(&repository.check(&["--staged"]), &[&finding()]);
            // Asked last, since it takes the mark of such files away.
            assert!(
                repository.git(&["status", "--short"]).contains("b/deep/store.c"),
                "git says so, too"
            );
        }
    }

    #[test]
    fn outside_of_a_sparse_checkout_a_file_is_hidden_for_good() {
        let repository = with(&[("new.c", b"int a;\n")]);
        repository.git(&["update-index", "--skip-worktree", "new.c"]);
        repository.write("new.c", C.first);
        assert_eq!(repository.git(&["status", "--short"]), "");
        check(&repository.check(&["--worktree"]), &[]);
    }

    #[test]
    fn a_folder_of_a_sparse_index_whose_tree_is_not_here_ends_the_check() {
        let repository = sparse("--sparse-index");
        let tree = repository.git(&["rev-parse", "HEAD:b"]);
        fs::remove_file(repository.path(format!(".git/objects/{}/{}", &tree[..2], &tree[2..])))
            .expect("it is loose");
        for head in ["--staged", "--worktree"] {
            let error = format!(
                "cannot read the folder `b` of the sparse index: its tree {tree} is not in this clone"
            );
            check_failure(
                &mut repository.secondhand(&["check", head]),
                &error,
                "git fetch --refetch --no-filter",
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_lies_behind_a_linked_folder_is_deleted() {
        let repository = Repository::new();
        repository.write("dd/store.c", store().text);
        repository.commit("before");
        let outside = TempDir::new().expect("the folder for temporary files is writable");
        fs::rename(repository.path("dd"), outside.path().join("dd")).expect("both are writable");
        std::os::unix::fs::symlink(outside.path().join("dd"), repository.path("dd"))
            .expect("links can be made");
        repository.write("new.c", C.first);
        assert!(repository.git(&["status", "--short"]).starts_with("D dd/store.c"));
        check(&repository.check(&["--worktree"]), &[]);
    }
}

mod nothing {
    //! An audit that compares with nothing, or of nothing, has not been done.

    use super::*;

    fn folder(files: &[(&str, &str)]) -> TempDir {
        let folder = TempDir::new().expect("the folder for temporary files is writable");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("it lies below the root"))
                .expect("the folder is writable");
            fs::write(path, text).expect("the folder is writable");
        }
        folder
    }

    fn with_copy() -> Repository {
        with(&[("new.c", C.first.as_bytes())])
    }

    #[test]
    fn a_corpus_without_components_is_an_error() {
        let repository = with_copy();
        for files in [&[][..], &[("alpha/notes.xyz", "nothing that is source")]] {
            let corpus = folder(files);
            let name = corpus.path().to_str().expect("it is UTF-8");
            for command in [
                &["check", "--base", "HEAD~1"][..],
                &["check", "--base", "HEAD", "--quiet"],
                &["audit"],
            ] {
                let error = format!(
                    "cannot compare with the corpus `{name}`: no component in this folder contains source code"
                );
                let mut command = repository.secondhand(command);
                check_failure(
                    command.args(["--corpus", name]),
                    &error,
                    "a subfolder for each component",
                );
            }
        }
    }

    #[test]
    fn a_corpus_of_files_that_are_no_text_is_an_error() {
        let repository = with_copy();
        let corpus = folder(&[("alpha/notes.xyz", "nothing that is source")]);
        fs::write(corpus.path().join("alpha/a.c"), noise()).expect("the folder is writable");
        let name = corpus.path().to_str().expect("it is UTF-8");
        let error = format!(
            "cannot compare with the corpus `{name}`: no component in this folder contains source code"
        );
        let mut command = repository.secondhand(&["audit", "--corpus", name]);
        check_failure(&mut command, &error, "a subfolder for each component");
    }

    #[test]
    fn files_of_a_corpus_that_are_too_large_are_named() {
        let repository = with_copy();
        let large = C.first.repeat(40);
        let corpus = folder(&[("alpha/a.c", C.second), ("alpha/large.c", &large)]);
        let shelf = folder(&[]);
        let name = corpus.path().to_str().expect("it is UTF-8");
        let limit = ["--set", "max-file-size=9000"];
        let last = corpus.path().file_name().and_then(|name| name.to_str()).expect("it is UTF-8");
        for command in [&["check", "--base", "HEAD~1"][..], &["audit"]] {
            let (_, out, _) =
                ran(repository.secondhand(command).args(limit).args(["--corpus", name]));
            assert!(
                out.contains(&format!("not compared with: {last}/alpha/large.c (too large)")),
                "{out}"
            );
        }
        let at = ["--corpus-dir", shelf.path().to_str().expect("it is UTF-8")];
        let (status, out, errors) =
            ran(repository.secondhand(&["corpus", "add", "c", name]).args(at).args(limit));
        assert_eq!(status, Some(0), "{errors}");
        assert!(
            format!("{out}{errors}").contains("alpha/large.c (it is too large)"),
            "{out}{errors}"
        );
    }

    #[test]
    fn an_audit_of_nothing_says_so() {
        let repository = Repository::new();
        let (status, _, errors) = audited(&repository, &["--quiet"]);
        assert_eq!(status, Some(0));
        assert!(errors.contains("no file in the work tree was examined"), "{errors}");
    }

    #[cfg(unix)]
    #[test]
    fn a_component_that_is_a_link_is_an_error() {
        let repository = with_copy();
        let corpus = folder(&[("alpha/a.c", C.second)]);
        let elsewhere = folder(&[("b.c", C.first)]);
        for (target, link) in [(elsewhere.path().to_owned(), "beta"), ("nowhere".into(), "gamma")] {
            std::os::unix::fs::symlink(target, corpus.path().join(link))
                .expect("links can be made");
            let name = corpus.path().to_str().expect("it is UTF-8");
            for command in [&["check", "--base", "HEAD~1"][..], &["audit"]] {
                let error = format!(
                    "cannot compare with the corpus `{name}`: its component `{link}` is a link, and links are not followed"
                );
                let mut command = repository.secondhand(command);
                check_failure(
                    command.args(["--corpus", name]),
                    &error,
                    "with a copy of its target",
                );
            }
            fs::remove_file(corpus.path().join(link)).expect("the folder is writable");
        }
        std::os::unix::fs::symlink("alpha/a.c", corpus.path().join("a.c"))
            .expect("links can be made");
        let name = corpus.path().to_str().expect("it is UTF-8");
        assert_eq!(
            repository.check(&[&LAST[..], &["--corpus", name]].concat()).status,
            1,
            "a file is no component"
        );
    }

    #[test]
    fn a_stored_corpus_without_source_is_an_error() {
        let repository = with_copy();
        let (shelf, source) =
            (folder(&[]), folder(&[("alpha/notes.xyz", "nothing that is source")]));
        let at = ["--corpus-dir", shelf.path().to_str().expect("it is UTF-8")];
        let add = ["corpus", "add", "empty", source.path().to_str().expect("it is UTF-8")];
        let (status, _, errors) = ran(repository.secondhand(&add).args(at));
        assert_eq!(status, Some(0), "{errors}");
        let mut command =
            repository.secondhand(&["check", "--base", "HEAD~1", "--corpus", "empty"]);
        let error =
            "cannot compare with the corpus `empty`: nothing with source code has been added to it";
        check_failure(command.args(at), error, "secondhand corpus add empty SOURCE");
    }

    #[test]
    fn a_comparison_of_nothing_is_an_error() {
        let submissions =
            folder(&[("alice.zip", "PK"), ("bob/notes.txt", "words"), ("carol.c", C.first)]);
        let compare = |paths: &[&str]| {
            let mut command = support::secondhand(submissions.path(), &["compare"]);
            command.args(paths);
            command
        };
        let error = |n| {
            format!(
                "cannot compare: fewer than two of the {n} submissions contain a file that can be compared"
            )
        };
        check_failure(
            &mut compare(&["alice.zip", "bob"]),
            &error(2),
            "left out: alice.zip (a damaged archive",
        );
        check_failure(
            &mut compare(&["alice.zip", "carol.c"]),
            &error(2),
            "left out: alice.zip (a damaged archive",
        );
        check_failure(
            &mut compare(&["."]),
            &error(3),
            "bob/notes.txt (not source code). `--text` compares prose",
        );
        fs::write(submissions.path().join("dave.c"), C.first).expect("the folder is writable");
        let (status, _, errors) = ran(&mut compare(&["."]));
        assert_eq!(status, Some(0));
        assert!(
            errors.contains("not compared, since none of its files can be: alice.zip, bob"),
            "{errors}"
        );
    }

    #[test]
    fn a_comparison_names_what_could_not_be_read() {
        let submissions = folder(&[
            ("alice.c", C.first),
            ("bob.c", "version https://git-lfs.github.com/spec/v1\n"),
        ]);
        let mut command = support::secondhand(submissions.path(), &["compare", "alice.c", "bob.c"]);
        let error = "cannot compare: fewer than two of the 2 submissions contain a file that can be compared";
        check_failure(&mut command, error, "left out: bob.c (a Git LFS pointer)");
    }
}
