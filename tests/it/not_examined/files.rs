//! Files and names of all kinds are read as they are, or named as not examined.

use std::fs;

use crate::one_copy::{C, add, check, finding, new, printed, repository_with_a_copy, store, text};
use secondhand::report::FORMATS;
use serde_json::json;
use support::{Report, Repository};

/// Checks that a copy of the first function at `path`, written as `bytes`, is found.
#[track_caller]
fn check_copy(path: &str, bytes: impl AsRef<[u8]>) -> Report {
    let repository = Repository::new();
    add(&repository, &store());
    repository.write(path, bytes);
    repository.commit("after");
    let report = repository.check(&["--base", "HEAD~1"]);
    check(&report, 1, &[finding().replace("new.c", path)]);
    report
}

#[test]
fn text_that_is_not_utf8_is_read() {
    let with_comment = format!("// caf\u{E9} \n{}", C.first);
    let latin_1: Vec<u8> =
        with_comment.chars().map(|c| u8::try_from(c).expect("it is Latin-1")).collect();
    let repository = Repository::new();
    add(&repository, &store());
    repository.write("new.c", &latin_1);
    repository.commit("after");
    let new = C.file("new", &[&with_comment]);
    let finding = format!("warning {} <- type-1 {}", new.at(C.first), store().at(C.first));
    check(&repository.check(&["--base", "HEAD~1"]), 1, &[finding]);
    for format in FORMATS {
        let out = printed(
            &mut repository.secondhand(&["check", "--base", "HEAD~1", "--format", format.name]),
        );
        assert!(std::str::from_utf8(&out).is_ok(), "what is printed is UTF-8: {}", text(&out));
    }
}

#[test]
fn code_beside_bytes_that_are_not_utf8_has_its_columns() {
    let repository = Repository::new();
    add(&repository, &store());
    let copy = [b"/* caf\xE9 \xF0\x9F\x98\x80 */ ", C.first.as_bytes()].concat();
    repository.write("new.c", copy);
    repository.commit("after");
    let report = repository.check(&["--base", "HEAD~1"]);
    check(&report, 1, &[finding()]);
    // "/* caf", one for the broken byte, a space, two UTF-16 units, " */ ".
    assert_eq!(
        report.list("/findings")[0]["fragment"]["startColumn"],
        json!(6 + 1 + 1 + 2 + 4 + 1)
    );
}

#[test]
fn line_ends_of_windows_and_a_byte_order_mark_are_no_code() {
    let report = check_copy("new.c", format!("\u{FEFF}{}", crate::samples::with_crlf(C.first)));
    let fragment = &report.list("/findings")[0]["fragment"];
    assert_eq!((&fragment["startColumn"], &fragment["endColumn"]), (&json!(1), &json!(2)));
}

#[test]
fn a_file_without_a_last_line_end_is_read() {
    check_copy("new.c", C.first.trim_end());
}

#[test]
fn nul_bytes_do_not_hide_a_file() {
    check_copy("new.c", format!("{}/* \0 */\n\0\0", C.first));
    check_copy("new.c", format!("{}/*{}*/", C.first, "\0".repeat(40)));
    check_copy("new.c", format!("{}\x1A{}", C.first, "\0".repeat(5_000)));
}

#[test]
fn a_template_or_a_copy_is_read_as_what_it_is_named_after() {
    for path in ["new.c.orig", "new.c.in", "new.c.old.bak", "new.c.tmpl"] {
        check_copy(path, C.first);
    }
    // What is code of the template is none of the file's.
    check_copy("new.c.j2", format!("{{# /* #}} {}", C.first));
    check_copy("new.c.erb", format!("<%# /* %> {}", C.first));
}

#[test]
fn a_script_of_an_interpreter_that_is_not_known_is_named() {
    let repository = Repository::new();
    add(&repository, &store());
    repository.write("tool", format!("#!/command/execlineb -P\n{}", C.first));
    repository.write("notes", "#!important\n");
    repository.commit("after");
    let report = repository.check(&["--base", "HEAD~1"]);
    check(&report, 0, &["note left out: tool (a script in an unknown language)".to_owned()]);
}

#[test]
fn line_ends_of_the_classic_mac_do_not_make_a_file_minified() {
    let text = [C.first, C.second, C.third].map(|part| format!("{part}\n")).concat().repeat(4);
    let repository = Repository::new();
    repository.commit("before");
    repository.write("old.c", text.replace('\n', "\r"));
    repository.commit("after");
    let report = repository.check(&["--base", "HEAD~1"]);
    assert_eq!(report.json["examined"]["skipped"], json!([]));
}

#[test]
fn a_file_that_is_too_large_is_named() {
    let repository = repository_with_a_copy();
    let args = ["--base", "HEAD~1", "--set", "max-file-size=100"];
    let report = repository.check(&args);
    check(&report, 1, &["warning not examined: new.c (too large)".to_owned()]);
    assert_eq!(
        report.json["examined"]["skipped"],
        json!([{ "path": "new.c", "reason": "too large" }])
    );
    let out = printed(repository.secondhand(&["check"]).args(args));
    assert!(text(&out).contains("not examined: new.c (too large)"), "{}", text(&out));
}

#[test]
fn an_origin_that_is_too_large_is_named() {
    let repository = repository_with_a_copy();
    let size = format!("max-file-size={}", new().text.len());
    let args = ["--base", "HEAD~1", "--set", &size];
    let report = repository.check(&args);
    check(&report, 0, &[]);
    assert_eq!(
        report.json["examined"]["notCompared"],
        json!([{ "path": "store.c", "reason": "too large" }])
    );
    let out = printed(repository.secondhand(&["check"]).args(args));
    assert!(text(&out).contains("not compared with: store.c (too large)"), "{}", text(&out));
}

#[test]
fn a_pointer_of_git_lfs_is_named() {
    let repository = Repository::new();
    add(&repository, &store());
    let pointer = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12345\n",
        "a".repeat(64)
    );
    repository.write("new.c", pointer);
    repository.commit("after");
    let out = printed(&mut repository.secondhand(&["check", "--base", "HEAD~1"]));
    assert!(text(&out).contains("not examined: new.c (a Git LFS pointer)"), "{}", text(&out));
    let report = repository.check(&["--base", "HEAD~1"]);
    check(&report, 1, &["warning not examined: new.c (a Git LFS pointer)".to_owned()]);
}

#[test]
fn names_with_spaces_and_signs_are_read() {
    for path in [
        "a folder/new file.c", "[x](y).c", "a\"b'c.c", "100%.c", "-x.c", "@{x}/new.c", "a:b.c",
        "#x.c",
    ] {
        check_copy(path, C.first);
    }
}

#[test]
fn names_beyond_ascii_are_read() {
    for path in ["m\u{FC}ll/n\u{E4}me.c", "\u{6587}\u{4EF6}.c", "\u{1F600}.c"] {
        check_copy(path, C.first);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf8_is_escaped() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let repository = Repository::new();
    add(&repository, &store());
    repository.write(OsStr::from_bytes(b"caf\xE9/new.c"), C.first);
    for args in [&["--worktree"][..], &["--staged"], &["--base", "HEAD~1"]] {
        let report = repository.check(args);
        if args == ["--worktree"] {
            repository.stage();
        } else if args == ["--staged"] {
            repository.commit("after");
        }
        check(&report, 1, &[finding().replace("new.c", "caf\\xe9/new.c")]);
    }
    let sarif =
        printed(&mut repository.secondhand(&["check", "--base", "HEAD~1", "--format", "sarif"]));
    assert!(text(&sarif).contains("\"uri\": \"caf%E9/new.c\""), "{}", text(&sarif));
}

#[cfg(unix)]
#[test]
fn a_link_is_no_file() {
    let repository = Repository::new();
    add(&repository, &store());
    for (link, to) in
        [("new.c", "store.c"), ("outside.c", "/etc/passwd"), ("none.c", "none"), ("src", ".")]
    {
        std::os::unix::fs::symlink(to, repository.path(link)).expect("there are links");
    }
    let is_clean = |args: &[&str]| {
        let report = repository.check(args);
        check(&report, 0, &[]);
        assert_eq!(report.json["examined"]["changedFiles"], json!(0), "{args:?}");
    };
    is_clean(&["--worktree"]);
    repository.stage();
    is_clean(&["--staged"]);
    repository.commit("after");
    is_clean(&["--base", "HEAD~1"]);
}

#[cfg(unix)]
#[test]
fn a_link_that_becomes_a_file_is_judged() {
    let repository = Repository::new();
    repository.write("store.c", store().text);
    std::os::unix::fs::symlink("store.c", repository.path("new.c")).expect("there are links");
    repository.commit("before");
    repository.remove("new.c");
    repository.write("new.c", new().text);
    check(&repository.check(&["--worktree"]), 1, &[finding()]);
    repository.commit("after");
    check(&repository.check(&["--base", "HEAD~1"]), 1, &[finding()]);
}

#[test]
fn a_submodule_is_no_file() {
    let repository = Repository::new();
    add(&repository, &store());
    for path in ["module", "vendor/module"] {
        let commit = format!("160000,{},{path}", "1".repeat(40));
        repository.git(&["update-index", "--add", "--cacheinfo", &commit]);
    }
    repository.git(&["commit", "--quiet", "--message", "add a submodule"]);
    repository.write("new.c", new().text);
    check(&repository.check(&["--worktree"]), 1, &[finding()]);
    repository.git(&["add", "new.c"]);
    check(&repository.check(&["--staged"]), 1, &[finding()]);
    repository.git(&["commit", "--quiet", "--message", "after"]);
    let named = "note left out: module (a submodule), vendor/module (a submodule)".to_owned();
    check(&repository.check(&["--base", "HEAD~2"]), 1, &[named, finding()]);
}

#[test]
fn a_file_that_takes_the_place_of_a_folder_is_judged() {
    let repository = Repository::new();
    repository.write("store.c", store().text);
    repository.write("new.c/x.c", "int x;\n");
    repository.commit("before");
    repository.remove("new.c/x.c");
    fs::remove_dir(repository.path("new.c")).expect("it is empty");
    repository.write("new.c", new().text);
    check(&repository.check(&["--worktree"]), 1, &[finding()]);
    repository.commit("after");
    check(&repository.check(&["--base", "HEAD~1"]), 1, &[finding()]);
}
