//! Files of the work tree are read in the encoding that their attributes name, and one that is not
//! known ends no run.

use super::{C, check, copied, encoded, store, utf16, utf32};
use crate::samples::with_crlf;
use serde_json::json;
use support::Repository;

/// A repository with [`store`] and these attributes.
fn with_attributes(attributes: &str) -> Repository {
    let repository = Repository::new();
    repository.write(store().path, store().text);
    repository.write(".gitattributes", attributes);
    repository.commit("before");
    repository
}

/// The copy as it is on disk: with a comment in two scripts, and line ends of Windows.
fn on_disk() -> (String, String) {
    let head = "/* caf\u{E9} \u{4E2D} */\n";
    (head.to_owned(), with_crlf(&format!("{head}{}", C.first)))
}

#[test]
fn an_encoding_that_git_knows_is_read_whatever_its_mark() {
    let (head, text) = on_disk();
    let [le16, be16, le32, be32] = encoded(&text);
    for (name, bytes) in [
        ("UTF-16", &le16),
        ("UTF16", &be16),
        ("UTF-16LE-BOM", &le16),
        ("utf-16le", &utf16(&text, u16::to_le_bytes)),
        ("UTF-16BE", &utf16(&text, u16::to_be_bytes)),
        ("UTF-32", &le32),
        ("UTF-32", &be32),
        ("UTF-32LE", &utf32(&text, u32::to_le_bytes)),
        ("UTF-32BE", &utf32(&text, u32::to_be_bytes)),
    ] {
        let repository =
            with_attributes(&format!("new.c text eol=crlf working-tree-encoding={name}\n"));
        repository.write("new.c", bytes);
        check(&repository.check(&["--worktree"]), &[&copied("new.c", &head)]);

        // Git has recorded it with other bytes than those on disk, which are no change.
        repository.commit("recorded");
        repository.write("new.c", bytes);
        let report = repository.check(&["--worktree"]);
        check(&report, &[]);
        assert_eq!(report.json["examined"]["judgedFiles"], json!(0), "{name}");
    }
}

#[test]
fn an_encoding_of_bytes_is_read_by_all_its_names() {
    let comments: [(&[&str], &[u8], &str); 3] = [
        (&["cp932", "SHIFT-JIS", "MS932"], b"/* \x83\x5C */", "/* \u{30BD} */"),
        (&["latin1", "ISO-8859-1", "CP1252"], b"/* caf\xE9 */", "/* caf\u{E9} */"),
        (&["GBK", "CP936", "EUC-CN"], b"/* \xD6\xD0 */", "/* \u{4E2D} */"),
    ];
    for (names, comment, text) in comments {
        for name in names {
            let repository = with_attributes(&format!("*.c working-tree-encoding={name}\n"));
            repository.write("new.c", [comment, b"\n", C.first.as_bytes()].concat());
            let report = repository.check(&["--worktree"]);
            check(&report, &[&copied("new.c", &format!("{text}\n"))]);
        }
    }
}

#[test]
fn an_encoding_that_a_file_names_in_its_first_lines_is_read() {
    let head = "/* -*- coding: sjis -*- */ // ";
    let repository = with_attributes("");
    repository.write("new.c", [head.as_bytes(), b"\x83\x5C\n", C.first.as_bytes()].concat());
    let report = repository.check(&["--worktree"]);
    check(&report, &[&copied("new.c", &format!("{head}\u{30BD}\n"))]);
}

#[test]
fn an_encoding_that_is_not_known_or_not_that_of_the_file_is_a_finding_about_source_alone() {
    let code = C.first.as_bytes();
    for (name, bytes) in
        [("odd", code), ("cp037", code), ("UTF-16", code), ("GBK", b"int a; // \xFF\n")]
    {
        let encoding = format!("working-tree-encoding={name}");
        let repository = with_attributes(&format!("new.c {encoding}\n*.dat {encoding}\n"));
        repository.write("new.c", bytes);
        repository.write("new.dat", bytes);
        let report = repository.check(&["--worktree"]);
        check(&report, &["warning not examined: new.c (in an encoding that is not read)"]);
    }
}

#[test]
fn a_file_in_an_unknown_encoding_that_was_not_changed_is_not_told() {
    let repository = with_attributes("old.c working-tree-encoding=CP437\n");
    repository.write("old.c", "int old;\n");
    repository.commit("old");
    repository.write("new.c", C.first);
    let report = repository.check(&["--worktree"]);
    check(&report, &[&copied("new.c", "")]);
    let (status, _, errors) = super::ran(&mut repository.secondhand(&["scan"]));
    assert_eq!(status, Some(0), "{errors}");
}
