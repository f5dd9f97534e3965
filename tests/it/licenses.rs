//! Shows how the licenses of copied code are found, and what a policy says of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::samples::{LANGUAGES, Language};
use serde_json::Value;
use support::{Report, Repository};
use tempfile::TempDir;

/// The language of the files here.
const C: &Language = &LANGUAGES[0];

const MIT: &str = "MIT License\n\nCopyright (c) 2013 Alpha Authors\n\nPermission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the \"Software\"). The above copyright notice and this permission notice shall be included.\n";
const GPL: &str = "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\n";
const BSD_HEADER: &str =
    "/* Copyright (c) 2010 Beta Authors\n * SPDX-License-Identifier: BSD-2-Clause\n */\n";

/// A repository whose last commit adds a copy of the first sample, below `header`, with these
/// `settings`.
fn copying(header: &str, settings: &str) -> Repository {
    let repository = Repository::new();
    repository.write("store.c", C.second);
    repository.write("secondhand.toml", settings);
    repository.commit("before");
    repository.write("src/new.c", format!("{header}{}", C.file("new", &[C.third, C.first]).text));
    repository.commit("after");
    repository
}

/// A folder with these files.
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

fn utf8(path: &Path) -> &str {
    path.to_str().expect("temporary folders are UTF-8")
}

/// Checks the last commit of `repository` against the folder `corpus`.
fn check(repository: &Repository, corpus: &TempDir) -> Report {
    repository.check(&["--base", "HEAD~1", "--corpus", utf8(corpus.path())])
}

/// The component of the first origin of the first finding that has one.
fn component(report: &Report) -> &Value {
    let origins = report
        .list("/findings")
        .iter()
        .filter_map(|finding| finding.pointer("/origins/0/component"));
    origins.into_iter().next().expect("something was copied from a component")
}

/// Runs `secondhand corpus` with a shelf in `folder`; returns status, output and errors.
fn corpus(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let shelf = folder.join("corpora");
    let mut command = support::secondhand(folder, &["corpus"]);
    let output = command
        .args(args)
        .args(["--corpus-dir", utf8(&shelf)])
        .output()
        .expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("no signal ended it"), text(&output.stdout), text(&output.stderr))
}

/// Checks the last commit of `repository` against the corpus `known` on the shelf in `folder`.
fn check_known(repository: &Repository, folder: &Path) -> Report {
    let shelf = folder.join("corpora");
    repository.check(&["--base", "HEAD~1", "--corpus", "known", "--corpus-dir", utf8(&shelf)])
}

#[test]
fn the_license_of_a_file_in_a_folder_is_found_and_how() {
    let plain = folder(&[("alpha/lib/table.c", C.first), ("alpha/LICENSE", MIT)]);
    let report = check(&copying("", ""), &plain);
    assert_eq!(component(&report)["license"], "MIT");
    assert_eq!(component(&report)["licenseClass"], "permissive");
    assert_eq!(component(&report)["licenseEvidence"], "license text (LICENSE:5)");
    assert_eq!(component(&report)["notices"][0], "Copyright (c) 2013 Alpha Authors");

    let tagged = format!("{BSD_HEADER}{}", C.first);
    let tagged = folder(&[("alpha/lib/table.c", &tagged), ("alpha/LICENSE", MIT)]);
    let report = check(&copying("", ""), &tagged);
    assert_eq!(component(&report)["license"], "BSD-2-Clause");
    assert_eq!(
        component(&report)["licenseEvidence"],
        "SPDX-License-Identifier in the file, line 2"
    );
    assert_eq!(component(&report)["notices"][0], "Copyright (c) 2010 Beta Authors");
}

/// What `corpus show` says of a component with this file beside its code.
fn shown(name: &str, bytes: &[u8]) -> String {
    let folder = folder(&[("alpha/table.c", C.first)]);
    let source = folder.path().join("alpha");
    fs::write(source.join(name), bytes).expect("the folder is writable");
    assert_eq!(corpus(folder.path(), &["add", "known", utf8(&source)]).0, 0);
    corpus(folder.path(), &["show", "known"]).1
}

/// Checks the license that `corpus show` tells of a component with these files beside its code,
/// and that nothing contradicts it.
#[track_caller]
fn check_shown(files: &[(&str, &str)], license: &str) {
    let inside: Vec<_> =
        files.iter().map(|(name, text)| (format!("alpha/{name}"), *text)).collect();
    let mut inside: Vec<_> = inside.iter().map(|(path, text)| (&**path, *text)).collect();
    inside.push(("alpha/table.c", C.first));
    let folder = folder(&inside);
    let source = folder.path().join("alpha");
    assert_eq!(corpus(folder.path(), &["add", "known", utf8(&source)]).0, 0);
    let text = corpus(folder.path(), &["show", "known"]).1;
    let is_told =
        text.contains(&format!("alpha no version ({license}: ")) && !text.contains("contradicted");
    assert!(is_told, "{license}: {text}");
}

/// A text in UTF-16 with a byte order mark.
fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    format!("\u{FEFF}{text}").encode_utf16().flat_map(bytes).collect()
}

#[test]
fn a_license_file_is_read_as_what_it_says_or_unknown_with_the_reason() {
    let page = MIT.replace('"', "&quot;").replace("\n\n", "</p>\n<p>");
    let rtf = MIT.replace('\n', "\\par\r\n").replace('"', "\\'94");
    let marked = "{\\rtf1{\\fonttbl{\\f0 Only Sans;}}{\\*\\generator Must not;}";
    let style = "<style>p { color: red } /* must not */</style>";
    let files = [
        ("LICENSE", utf16(MIT, u16::to_le_bytes)),
        ("LICENSE.txt", utf16(MIT, u16::to_be_bytes)),
        ("LICENSE.txt", format!("\u{FEFF}{MIT}").into_bytes()),
        ("LICENSE.txt", MIT.replace('\n', "\r").into_bytes()),
        ("LICENSE.rtf", format!("{marked}{rtf}}}").into_bytes()),
        ("LICENSE.html", format!("<html>{style}<p>{page}</html>").into_bytes()),
        ("LICENSE.html", format!("<html><!--\n{MIT}--></html>").into_bytes()),
        ("package.json", b"\xEF\xBB\xBF{\"license\": \"MIT\"}".to_vec()),
        ("package.json", utf16("{\"license\": \"MIT\"}", u16::to_le_bytes)),
    ];
    for (name, bytes) in files {
        let text = shown(name, &bytes);
        assert!(text.contains("alpha no version (MIT: "), "{name}: {text}");
    }
    let unmarked: Vec<u8> = MIT.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let terms = format!("{MIT}Commercial use is prohibited.\n");
    // A tag is about all of a text where it comes first, and about a part behind other terms.
    let tag = "SPDX-License-Identifier: MIT\n";
    let tagged = format!("{tag}\n{terms}");
    let part = format!("Paying members may use this.\nThey may not pass it on.\n\ntest.c:\n{tag}");
    for (text, license) in [
        (format!("The tool is under:\n\n{tag}\nSee the documentation.\n"), "MIT"),
        (format!("{MIT}\nht-internal.h:\nCopyright (c) 2002 Beta Authors\n"), "MIT"),
    ] {
        let text = shown("LICENSE", text.as_bytes());
        assert!(text.contains(&format!("alpha no version ({license}: ")), "{text}");
    }
    let long = format!("{MIT}Commercial use is prohibited{}.\n", " for us".repeat(100));
    for (name, bytes, why) in [
        (
            "LICENSE",
            long.as_bytes(),
            "is prohibited for us for us for us for us for us for us for us for us for us for us f…",
        ),
        ("LICENSE", &unmarked[..], "no text, or in an unknown encoding"),
        ("LICENSE.pdf", b"%PDF-1.4\n\0\x01\x02", "no text, or in an unknown encoding"),
        ("LICENSE", terms.as_bytes(), "like MIT, with other terms: commercial use is prohibited"),
        ("LICENSE", tagged.as_bytes(), "like MIT, with other terms: commercial use is prohibited"),
        ("LICENSE", part.as_bytes(), "an unknown license"),
    ] {
        let text = shown(name, bytes);
        let expected = format!("license not known: license text ({name}:");
        assert!(text.contains(&expected) && text.contains(why), "{text}");
    }
}

#[test]
fn a_list_of_files_with_their_licenses_is_no_license_text() {
    let list = "The program\n\nFormat-Specification: http://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\nCopyright: 2010 Alpha Authors\nLicense: GPL-2 or GPL-3\n\nFiles: lib/*\nCopyright: 2011 Beta Authors\nLicense: Expat\n";
    let texts = [("COPYING", list), ("LICENSE.GPL-3", GPL), ("LICENSE.MIT", MIT)];
    check_shown(&texts, "GPL-2.0-only OR GPL-3.0-only");
    let folder = folder(&[("alpha/lib/table.c", C.first), ("alpha/COPYING", list)]);
    let report = check(&copying("", ""), &folder);
    assert_eq!(component(&report)["license"], "MIT");
    assert_eq!(component(&report)["licenseEvidence"], "Debian's copyright format (COPYING:10)");
}

#[test]
fn a_license_may_be_named_with_its_address() {
    let manifest = "{\"license\": \"MIT <http://opensource.org/licenses/MIT>\"}";
    check_shown(&[("package.json", manifest)], "MIT");
}

#[test]
fn a_text_of_the_gpl_counts_beside_the_lgpl_unless_that_incorporates_it() {
    let gpl_2 = "GNU GENERAL PUBLIC LICENSE\nVersion 2, June 1991\n";
    let lgpl_2 = "GNU LESSER GENERAL PUBLIC LICENSE\nVersion 2.1, February 1999\n";
    let lgpl_3 = "GNU LESSER GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\n";
    let both = [("COPYING", gpl_2), ("COPYING.LIB", lgpl_2)];
    check_shown(&both, "GPL-2.0-only AND LGPL-2.1-only");
    let three = [("LICENSE.GPL", GPL), ("LICENSE.LGPL", lgpl_2), ("LICENSE.MIT", MIT)];
    check_shown(&three, "GPL-3.0-only AND LGPL-2.1-only AND MIT");
    let manifest = ("package.json", "{\"license\": \"LGPL-3.0-or-later\"}");
    let files = [("COPYING", GPL), ("COPYING.LESSER", lgpl_3), manifest];
    check_shown(&files[..2], "LGPL-3.0-only");
    check_shown(&files, "LGPL-3.0-or-later");
    let offer = "Licensed under either the GNU Lesser General Public License, version 2.1 or later, or the GNU General Public License, version 2 or later.\n";
    check_shown(&[("LICENSE", offer)], "LGPL-2.1-or-later OR GPL-2.0-or-later");
}

/// The license with a disclaimer that others share, of which the first half is that of another.
const MIT_WHOLE: &str = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the \"Software\"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
";
const ISC: &str = "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED \"AS IS\" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
";

#[test]
fn texts_next_to_each_other_are_each_read_as_what_they_are() {
    let twice = format!("Copyright 2010 A\n\n{MIT_WHOLE}\nCopyright 2012 B\n\n{MIT_WHOLE}");
    check_shown(&[("LICENSE", &twice)], "MIT");
    let both = format!("Copyright 2010 A\n\n{ISC}\nCopyright 2012 B\n\n{MIT_WHOLE}");
    check_shown(&[("LICENSE", &both)], "ISC AND MIT");
}

#[test]
fn a_readme_tells_the_license_where_no_other_file_does() {
    let readme =
        "# Alpha\n\nParts of GPL tools.\n\n## License\n\nReleased under the MIT License.\n";
    check_shown(&[("README.md", readme)], "MIT");
    check_shown(&[("readme.rst", "Alpha\n=====\n\nLicense\n-------\n\nMIT (c) Beta\n")], "MIT");
    check_shown(&[("README.chromium", "Name: alpha\nLicense: Apache 2.0\n")], "Apache-2.0");
    for nothing in ["## License\n\nSee [terms](terms.md).\n", "## Used licenses\n\nMIT.\n"] {
        assert!(shown("README.md", nothing.as_bytes()).contains("(license not known)"));
    }
    let unread = folder(&[
        ("alpha/table.c", C.first),
        ("alpha/README.md", readme),
        ("alpha/LICENSE", "Ask the authors."),
    ]);
    assert_eq!(component(&check(&copying("", ""), &unread))["license"], Value::Null);
    check_shown(&[("README.md", readme), ("package.json", r#"{"license": "ISC"}"#)], "ISC");
    // So does what Debian writes in free form, which is about the packaging, too.
    let debian = "Packaged by Beta.\n\nAlpha is under the MIT license.\n\nThe packaging is under the GPL, version 2.\n";
    let debian = ("debian/copyright", debian);
    check_shown(&[debian], "MIT AND GPL-2.0-only");
    check_shown(&[debian, ("package.json", r#"{"license": "ISC"}"#)], "ISC");
}

#[test]
fn a_license_that_is_offered_is_no_duty_in_another_edition() {
    let perl = "This is free software; you can redistribute it and/or modify it under the same terms as the Perl 5 programming language system itself.

Terms of the Perl programming language system itself

a) the GNU General Public License as published by the Free Software Foundation; either version 1, or (at your option) any later version, or
b) the \"Artistic License\"

--- The Artistic License 1.0 ---
";
    check_shown(&[("LICENSE", perl)], "Artistic-1.0-Perl OR GPL-1.0-or-later");
}

/// Checks the license that `corpus show` tells of a file with this comment.
#[track_caller]
fn check_header(comment: &str, license: &str) {
    let folder = folder(&[("alpha/table.c", &format!("/*{comment}*/\n{}", C.first))]);
    let source = folder.path().join("alpha");
    assert_eq!(corpus(folder.path(), &["add", "known", utf8(&source)]).0, 0);
    let text = corpus(folder.path(), &["show", "known"]).1;
    let is_told = text.contains(&format!("alpha no version ({license}"));
    assert!(is_told, "{license}: {text}");
}

#[test]
fn what_goes_with_a_license_is_no_term() {
    let notice = "Copyright (c) 1992-2025 The University of Alpha and The University\n                        of Alpha Research Foundation.  All rights\n                        reserved.\n\n";
    check_shown(&[("LICENSE", &format!("{notice}{MIT_WHOLE}"))], "MIT");
    let footnotes = "Alpha is dual-licensed under The MIT License [1] and\nApache 2.0 License [2].\n\n[1]: <http://opensource.org/licenses/MIT>\n[2]: <http://www.apache.org/licenses/LICENSE-2.0>\n";
    check_shown(&[("LICENSE", footnotes)], "MIT OR Apache-2.0");
    let options = "Alpha is distributed under the following licenses:\n\n- Apache License version 2.0.\n- MIT license.\n\nYou may use this software under the terms of any\nof these licenses, at your option.\n";
    check_shown(&[("LICENSE", options)], "Apache-2.0 OR MIT");
    let choice =
        format!("This is available as a choice of the following licenses.\n\n{ISC}\n{MIT_WHOLE}");
    check_shown(&[("LICENSE", &choice)], "ISC OR MIT");
    let creative = "This work is licensed under the Creative Commons Attribution-NonCommercial-NoDerivatives 4.0 International License.\n";
    check_shown(&[("LICENSE", creative)], "CC-BY-NC-ND-4.0");
    check_header(
        " This is Public Domain and may be used without restrictions. ",
        "LicenseRef-public-domain",
    );
    check_header(
        " The use is covered by the Eclipse Public License 1.0.\n You must not remove this notice, or any other, from this software. ",
        "EPL-1.0",
    );
    check_header(
        "\n Copyright (c) 2020 A\n    for non-commercial use only\n\n Released under the MIT license.\n",
        "license not known",
    );
}

#[test]
fn a_text_that_a_manifest_names_is_read_whatever_it_is_called() {
    for (manifest, named) in [
        ("Cargo.toml", "[package]\nname = \"a\"\nlicense-file = \"terms.txt\"\n"),
        ("package.json", "{\"license\": \"SEE LICENSE IN terms.txt\"}"),
        ("pyproject.toml", "[project]\nlicense = {file = \"terms.txt\"}\n"),
    ] {
        let files = [("terms.txt", MIT), (manifest, named), ("table.c", C.first)];
        let inside = files.map(|(name, text)| (format!("alpha/{name}"), text));
        let folder = folder(&inside.each_ref().map(|(path, text)| (&**path, *text)));
        let archive = folder.path().join("alpha.tar");
        let file = fs::File::create(&archive).expect("the folder is writable");
        let mut tar = tar::Builder::new(file);
        for (name, _) in files {
            let path = folder.path().join("alpha").join(name);
            tar.append_path_with_name(path, name).expect("the folder is writable");
        }
        tar.finish().expect("the folder is writable");
        for (name, source) in [("folder", folder.path().join("alpha")), ("tar", archive)] {
            assert_eq!(corpus(folder.path(), &["add", name, utf8(&source)]).0, 0);
            let text = corpus(folder.path(), &["show", name]).1;
            assert!(text.contains("MIT: license text (terms.txt:"), "{manifest}: {text}");
        }
    }
}

#[test]
fn the_licenses_of_a_stored_corpus_are_kept_and_shown() {
    let manifest = "{\"name\": \"alpha\", \"license\": \"MIT\"}";
    let files = [
        ("alpha-1.0/lib/table.c", C.first),
        ("alpha-1.0/package.json", manifest),
        ("alpha-1.0/COPYING", GPL),
        ("alpha-1.0/lib/other.c", &format!("{BSD_HEADER}{}", C.third)),
    ];
    let folder = folder(&files);
    let source = folder.path().join("alpha-1.0");
    assert_eq!(corpus(folder.path(), &["add", "known", utf8(&source)]).0, 0);
    let (_, shown, _) = corpus(folder.path(), &["show", "known"]);
    assert!(shown.contains("alpha 1.0 (GPL-3.0-only: license text (COPYING:1))"), "{shown}");
    assert!(shown.contains("contradicted: package manifest (package.json:1) says MIT"), "{shown}");
    assert!(shown.contains("1 file: BSD-2-Clause, lib/other.c"), "{shown}");
    let report = check_known(&copying("", ""), folder.path());
    let found =
        report.list("/findings/0/origins").iter().map(|origin| &origin["component"]["license"]);
    assert!(
        found.into_iter().all(|license| license == "GPL-3.0-only" || license == "BSD-2-Clause"),
        "{report:?}"
    );
}

#[test]
fn the_metadata_of_a_wheel_tells_the_license_of_its_code() {
    let metadata = "Metadata-Version: 2.4\nName: alpha\nLicense-Expression: MIT OR Apache-2.0\nLicense-File: LICENSE\n";
    let files = [
        ("alpha-1.0/alpha/table.c", C.first),
        ("alpha-1.0/alpha-1.0.dist-info/METADATA", metadata),
        ("alpha-1.0/alpha-1.0.dist-info/licenses/LICENSE", MIT),
    ];
    let folder = folder(&files);
    // On the spot, and stored.
    let report = repository_copying_and_check(&folder);
    assert_eq!(component(&report)["license"], "MIT OR Apache-2.0");
    let source = folder.path().join("alpha-1.0");
    assert_eq!(corpus(folder.path(), &["add", "known", utf8(&source)]).0, 0);
    let (_, shown, _) = corpus(folder.path(), &["show", "known"]);
    let told = "MIT OR Apache-2.0: package manifest (alpha-1.0.dist-info/METADATA:3)";
    assert!(shown.contains(told), "{shown}");
    assert!(!shown.contains("not known"), "{shown}");
}

fn repository_copying_and_check(corpus: &TempDir) -> Report {
    check(&copying("", ""), corpus)
}

#[test]
fn a_header_that_refers_to_another_file_has_the_license_of_that() {
    let zlib = "/* Copyright (C) 1995 Alpha Authors
 *
 * This software is provided 'as-is', without any express or implied warranty. In no event will the authors be held
 * liable for any damages arising from the use of this software.
 *
 * Permission is granted to anyone to use this software for any purpose, including commercial applications, and to
 * alter it and redistribute it freely, subject to the following restrictions:
 * 1. The origin of this software must not be misrepresented; you must not claim that you wrote the original software.
 *    If you use this software in a product, an acknowledgment in the product documentation would be appreciated but is
 *    not required.
 * 2. Altered source versions must be plainly marked as such, and must not be misrepresented as being the original
 *    software.
 * 3. This notice may not be removed or altered from any source distribution.
 */
int alpha_version(void);
";
    let table = format!(
        "/* For conditions of distribution and use, see copyright notice in alpha.h */\n{}",
        C.first
    );
    let folder = folder(&[("alpha/alpha.h", zlib), ("alpha/lib/table.c", &table)]);
    let told = "the file that its header refers to (alpha.h:3)";
    let report = repository_copying_and_check(&folder);
    assert_eq!(component(&report)["license"], "Zlib");
    assert_eq!(component(&report)["licenseEvidence"], told);
    let source = folder.path().join("alpha");
    assert_eq!(corpus(folder.path(), &["add", "known", utf8(&source)]).0, 0);
    let report = check_known(&copying("", ""), folder.path());
    assert_eq!(component(&report)["licenseEvidence"], told);
}

#[test]
fn a_file_from_before_a_repository_had_a_license_has_that_of_the_component() {
    let alpha = Repository::new();
    alpha.write("lib/table.c", C.first);
    alpha.commit("no license yet");
    alpha.write("LICENSE", MIT);
    alpha.commit("a license");
    let folder = folder(&[]);
    assert_eq!(corpus(folder.path(), &["add", "known", utf8(alpha.root())]).0, 0);
    let report = check_known(&copying("", ""), folder.path());
    assert_eq!(component(&report)["license"], "MIT");
    let evidence =
        "the license of the component, since nothing states the file's: license text (LICENSE:5)";
    assert_eq!(component(&report)["licenseEvidence"], evidence);
}

#[test]
fn the_license_of_the_project_is_found_so_that_a_conflict_is_an_error_without_settings() {
    let gpl = folder(&[("alpha/lib/table.c", C.first), ("alpha/COPYING", GPL)]);
    let rules = |report: &Report| -> Vec<String> {
        let findings = report.list("/findings").iter();
        let named = findings.map(|of| {
            format!("{} {}", of["level"].as_str().unwrap_or(""), of["rule"].as_str().unwrap_or(""))
        });
        named.filter(|of| !of.contains("copied-code")).collect()
    };
    let mit = |settings: &str| {
        let repository = Repository::new();
        repository.write("LICENSE", MIT);
        repository.write("secondhand.toml", settings);
        repository.write("store.c", C.second);
        repository.commit("before");
        repository.write("src/new.c", C.file("new", &[C.third, C.first]).text);
        repository.commit("after");
        repository
    };
    assert_eq!(rules(&check(&mit(""), &gpl)), ["error license-conflict"]);
    let unasked = "[license]\nproject-license = \"NOASSERTION\"\n";
    assert_eq!(rules(&check(&mit(unasked), &gpl)), ["warning corpus-copy"]);
    let named = "[license]\nproject-license = \"GPL-3.0-only\"\n";
    assert_eq!(rules(&check(&mit(named), &gpl)), ["warning corpus-copy"]);

    // The base decides where it is trusted: a change cannot relicense itself out of a conflict.
    let repository = mit("");
    repository.write("LICENSE", GPL);
    repository.commit("relicense");
    let against = |trust: &str| {
        repository.check(&["--base", "HEAD~2", "--corpus", utf8(gpl.path()), "--trust", trust])
    };
    assert_eq!(rules(&against("base")), ["error license-conflict"]);
    assert_eq!(rules(&against("head")), ["warning corpus-copy"]);
}

#[test]
fn a_bare_mirror_is_named_after_its_remote() {
    let alpha = Repository::new();
    alpha.write("lib/table.c", C.first);
    alpha.commit("a table");
    let folder = folder(&[]);
    let mirror = folder.path().join("repo");
    support::git(folder.path(), &["clone", "--quiet", "--bare", utf8(alpha.root()), utf8(&mirror)]);
    support::git(
        &mirror,
        &["config", "remote.origin.url", "https://example.invalid/authors/alpha.git"],
    );
    assert_eq!(corpus(folder.path(), &["add", "known", utf8(&mirror)]).0, 0);
    let (_, shown, _) = corpus(folder.path(), &["show", "known"]);
    assert!(shown.starts_with("alpha: ") && shown.contains("\n  alpha "), "{shown}");
    // So is the project that is audited.
    let corpus = folder.path().join("corpora");
    let args = ["audit", "--corpus", "known", "--corpus-dir", utf8(&corpus), "--rev", "HEAD"];
    let mut command = support::secondhand(&mirror, &args);
    let output = command.output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("repository: alpha, "), "{text}");
    assert!(!shown.contains("repo"), "{shown}");
}

#[test]
fn a_notice_holds_the_license_texts_and_says_what_may_not_be_passed_on() {
    let corpus = folder(&[
        ("alpha/table.c", C.first),
        ("alpha/LICENSE", MIT),
        ("beta/other.c", C.third),
        ("beta/COPYING", GPL),
    ]);
    let repository = Repository::new();
    repository.write("LICENSE", MIT);
    repository.write("src/new.c", C.file("new", &[C.third, C.first]).text);
    repository.commit("copies");
    let notice = || {
        let flags =
            ["audit", "--format", "notice", "--fail-on", "never", "--corpus", utf8(corpus.path())];
        let output = repository.secondhand(&flags).output().expect("the program starts");
        String::from_utf8(output.stdout).expect("it is UTF-8")
    };
    let text = notice();
    assert!(
        text.contains("License text: 1 below")
            && text.contains("\nLicense text 1\n\nMIT License\n"),
        "{text}"
    );
    assert!(text.contains("WARNING: a notice does not permit"), "{text}");
    assert!(
        text.contains("  beta: may not be redistributed with this project: GPL-3.0-only is not"),
        "{text}"
    );
    assert!(!text.contains("  alpha: "), "{text}");
}

#[test]
fn a_notice_has_no_control_characters_and_is_recognized_in_every_encoding() {
    let notice = "Copyright (c) 2013 J\u{F6}rg";
    let text = MIT.replace("Copyright (c) 2013 Alpha Authors", notice);
    let latin: Vec<u8> = text.chars().map(|c| c as u8).collect();
    let hostile = text.replace("J", "\u{1B}[31m\u{7}J") + "\u{C}\u{202E}\u{1B}]0;x\u{7}\n";
    let corpus = folder(&[("alpha/table.c", C.first)]);
    let repository = copying("", "");
    for bytes in [latin, utf16(&text, u16::to_be_bytes), hostile.into_bytes()] {
        fs::write(corpus.path().join("alpha/LICENSE"), bytes).expect("the folder is writable");
        let flags =
            ["audit", "--format", "notice", "--fail-on", "never", "--corpus", utf8(corpus.path())];
        let output = repository.secondhand(&flags).output().expect("the program starts");
        let written = String::from_utf8(output.stdout).expect("it is UTF-8");
        let is_seen = |c: char| c == '\n' || !c.is_control() && c != '\u{202E}';
        assert!(written.chars().all(is_seen) && written.contains("J\u{F6}rg"), "{written}");
    }
    fs::write(corpus.path().join("alpha/LICENSE"), &text).expect("the folder is writable");
    let page = "<html><p>alpha</p><p>&copy; 2013 <b>J&ouml;rg</b></p></html>";
    for (name, bytes) in [
        ("NOTICE", utf16(notice, u16::to_le_bytes)),
        ("NOTICE", notice.chars().map(|c| c as u8).collect()),
        ("NOTICE.html", page.as_bytes().to_vec()),
    ] {
        let repository = copying("", "");
        fs::write(repository.root().join(name), bytes).expect("the folder is writable");
        repository.commit("notice");
        let report = repository.check(&["--base", "HEAD~2", "--corpus", utf8(corpus.path())]);
        assert_eq!(report.json["findings"][0]["origins"][0]["verdict"]["givenIn"], name);
    }
}

#[test]
fn a_declared_license_counts_and_what_contradicts_it_is_told() {
    let folder = folder(&[("alpha/table.c", C.first), ("alpha/COPYING", GPL)]);
    let source = folder.path().join("alpha");
    assert_eq!(corpus(folder.path(), &["add", "known", utf8(&source), "--license", "MIT"]).0, 0);
    let report = check_known(&copying("", ""), folder.path());
    assert_eq!(component(&report)["license"], "MIT");
    assert_eq!(component(&report)["isDeclared"], true);
    assert_eq!(
        component(&report)["contradictions"][0],
        "license text (COPYING:1) says GPL-3.0-only"
    );
    let (status, _, errors) =
        corpus(folder.path(), &["add", "known", utf8(&source), "--license", "as you like"]);
    assert_eq!(status, 2);
    assert!(errors.contains("unknown license `as you like`"), "{errors}");
}

#[test]
fn code_of_a_history_has_the_license_of_its_time() {
    let origin = Repository::new();
    origin.write("LICENSE", MIT);
    origin.write("lib/table.c", C.first);
    origin.commit("begin");
    origin.write("LICENSE", GPL);
    origin.write("lib/table.c", C.third);
    origin.commit("change");
    let folder = folder(&[]);
    assert_eq!(
        corpus(folder.path(), &["add", "known", utf8(origin.root()), "--name", "alpha"]).0,
        0
    );
    let license_of = |sample: &str| {
        let repository = Repository::new();
        repository.write("store.c", C.second);
        repository.commit("before");
        repository.write("new.c", sample);
        repository.commit("after");
        component(&check_known(&repository, folder.path()))["license"].clone()
    };
    assert_eq!([license_of(C.first), license_of(C.third)], ["MIT", "GPL-3.0-only"]);
    // An update takes the licenses of what it knows over.
    origin.write("more.c", C.second);
    origin.commit("more");
    assert_eq!(corpus(folder.path(), &["update", "known"]).0, 0);
    assert_eq!([license_of(C.first), license_of(C.third)], ["MIT", "GPL-3.0-only"]);
    let (_, shown, _) = corpus(folder.path(), &["show", "known"]);
    assert!(shown.contains("GPL-3.0-only: license text (LICENSE:1)"), "{shown}");
    assert!(shown.contains("1 file: MIT"), "{shown}");
}

#[test]
fn the_license_of_a_vendored_folder_is_found_where_none_is_declared() {
    let repository = Repository::new();
    repository.write("secondhand.toml", "[[vendored]]\npath = \"third_party/table\"\n");
    repository.write("third_party/table/find.c", C.first);
    repository.write("third_party/table/LICENSE", MIT);
    repository.commit("before");
    repository.write("new.c", C.first);
    repository.commit("after");
    let report = repository.check(&["--base", "HEAD~1"]);
    assert_eq!(component(&report)["license"], "MIT");
    assert_eq!(component(&report)["isDeclared"], false);
}

/// A project under MIT with third-party code in `folder`, and a copy of it in `src/`.
fn copying_from(folder: &str, files: &[(&str, &str)], attributes: &str) -> Repository {
    let repository = Repository::new();
    repository.write("LICENSE", MIT);
    repository.write(".gitattributes", attributes);
    for (path, text) in files {
        repository.write(format!("{folder}/{path}"), text);
    }
    repository.commit("before");
    repository.write("src/new.c", C.first);
    repository.commit("after");
    repository
}

/// A folder, its files, the attributes, and the rule and the license that are told.
type FolderCase<'c> = (&'c str, &'c [(&'c str, &'c str)], &'c str, &'c str, Option<&'c str>);

#[test]
fn code_from_a_folder_that_only_its_name_makes_third_party_is_told_with_its_license() {
    let gpl = format!("/* SPDX-License-Identifier: GPL-3.0-only */\n{}", C.first);
    let bsd = format!("{BSD_HEADER}{}", C.first);
    let by_license = [("table/table.c", C.first), ("table/COPYING", GPL)];
    let cases: [FolderCase<'_>; 8] = [
        // The license is that of the file, or of the folder of the component.
        ("extern/lib", &[("x.c", &gpl)], "", "license-conflict", Some("GPL-3.0-only")),
        ("third_party", &by_license, "", "license-conflict", Some("GPL-3.0-only")),
        (
            "lib",
            &[("x.c", &gpl)],
            "lib/** linguist-vendored\n",
            "license-conflict",
            Some("GPL-3.0-only"),
        ),
        (
            "lib",
            &by_license,
            "lib/** linguist-vendored\n",
            "license-conflict",
            Some("GPL-3.0-only"),
        ),
        // Who may copy it may call it as well.
        ("extern/lib", &[("x.c", &bsd)], "", "copied-code", None),
        ("extern/lib", &[("x.c", C.first)], "", "copied-code", None),
        // The project's own.
        ("dist", &[("x.c", &gpl)], "", "copied-code", None),
        ("extern", &[("x.c", &gpl)], "extern/** -linguist-vendored\n", "copied-code", None),
    ];
    for (folder, files, attributes, rule, license) in cases {
        let repository = copying_from(folder, files, attributes);
        let report = repository.check(&["--base", "HEAD~1"]);
        let finding = &report.list("/findings")[0];
        assert_eq!(finding["rule"], rule, "{folder} {attributes}");
        assert_eq!(
            finding["origins"][0]["component"]["license"].as_str(),
            license,
            "{folder} {attributes}"
        );
        let output = repository
            .secondhand(&["check", "--base", "HEAD~1"])
            .output()
            .expect("the program starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(
            text.contains("instead, or keep it") && text.contains("call "),
            license.is_none(),
            "{text}"
        );
        // Who may not copy it is not sent to it.
        let to_do = "to do: remove it, or agree on an exception, or keep it with a comment";
        assert_eq!(text.contains(to_do), license.is_some(), "{text}");
    }
}

#[test]
fn an_audit_takes_third_party_folders_by_their_names_as_components() {
    let gpl = format!("/* SPDX-License-Identifier: GPL-3.0-only */\n{}", C.first);
    let told = |folder: &str, files: &[(&str, &str)], attributes: &str| {
        let repository = copying_from(folder, files, attributes);
        // Another folder of third-party code with the same owes it nothing.
        repository.write("vendor/table/table.c", &gpl);
        repository.commit("more");
        let report = audited(&repository, &["--rev", "HEAD"]);
        let of = |finding: &Value| {
            let names = finding["origins"].as_array().expect("it is a list").iter();
            let mut names: Vec<String> =
                names.map(|of| of["component"]["name"].to_string()).collect();
            names.sort();
            (
                finding["path"].as_str().expect("a path").to_owned(),
                finding["rule"].to_string(),
                names.join(" "),
            )
        };
        let findings: Vec<_> =
            report["findings"].as_array().expect("it is a list").iter().map(of).collect();
        findings
            .into_iter()
            .map(|(path, rule, names)| format!("{path} {rule} {names}").replace('"', ""))
            .collect()
    };
    let expected = |line: &str| -> Vec<String> { vec![line.to_owned()] };
    // A file alone has the name of the folder that it is in.
    let files = [("lib/x.c", C.third), ("lib/COPYING", GPL)];
    let found: Vec<String> = told("external", &files, "");
    assert_eq!(found, expected("src/new.c license-conflict table"));
    let files = [("org/lib/v2/x.c", C.first), ("org/lib/v2/COPYING", GPL)];
    let found: Vec<String> = told("external", &files, "");
    assert_eq!(found, expected("src/new.c license-conflict org/lib/v2 table"));
    let files = [("foo/y.c", &*gpl)];
    let found: Vec<String> = told("mylibs", &files, "mylibs/** linguist-vendored\n");
    assert_eq!(found, expected("src/new.c license-conflict foo table"));
    // A README beside them makes all that is there no component.
    let files = [("README.md", "# Code of others\n"), ("foo/y.c", &*gpl)];
    let found: Vec<String> = told("external", &files, "");
    assert_eq!(found, expected("src/new.c license-conflict foo table"));
}

#[test]
fn an_audit_takes_no_list_of_other_names_for_code_of_a_vendored_folder() {
    let list = |names: &str, of: &str| {
        let names = names.split_whitespace().enumerate();
        let rows: String = names.map(|(n, name)| format!("    {name} = {n},\n")).collect();
        format!("typedef enum {{\n{rows}}} {of}_t;\nsize_t {of}_count({of}_t {of});\n")
    };
    let channels = "CHANNEL_NONE CHANNEL_MONO CHANNEL_FRONT_LEFT CHANNEL_FRONT_RIGHT CHANNEL_CENTER \
                    CHANNEL_BACK_LEFT CHANNEL_BACK_RIGHT CHANNEL_SIDE CHANNEL_TOP CHANNEL_BOTTOM";
    let controls = "LABEL BUTTON TOGGLE SLIDER PROGRESS CHECKBOX COMBO DROPDOWN TEXTBOX SPINNER";
    let files = [("alpha/channel.h", &*list(channels, "channel")), ("alpha/LICENSE", MIT)];
    let repository = copying_from("vendor", &files, "");
    repository.write("src/style.h", list(controls, "control"));
    repository.write("src/audio.h", list(channels, "channel"));
    repository.commit("more");
    let report = audited(&repository, &["--rev", "HEAD"]);
    let findings = report["findings"].as_array().expect("it is a list").iter();
    let of_vendored: Vec<&Value> =
        findings.filter(|of| of["origins"][0]["path"] == "vendor/alpha/channel.h").collect();
    let paths: Vec<&Value> = of_vendored.iter().map(|of| &of["path"]).collect();
    assert_eq!(paths, ["src/audio.h"], "{report}");
}

#[test]
fn code_taken_out_of_a_vendored_folder_keeps_its_license() {
    let deny = "[license]\ndeny = [\"strong-copyleft\"]\n";
    let listed = format!("{deny}[[vendored]]\npath = \"vendor/gpl\"\n");
    let declared = format!("{listed}license = \"GPL-3.0-only\"\n");
    let text = |name: &str| format!("/* {name} */\n{}\n{}", C.first, C.second);
    let renamed = crate::samples::renamed(&text("t"), C.names);
    // As it is, without its header and with other names, and a function alone, which the folder
    // loses.
    let cases = [
        ("src/t.c", text("t"), None),
        ("src/u.c", renamed, None),
        ("src/u.c", C.first.to_owned(), Some(C.second)),
    ];
    for (path, after, left) in cases {
        for settings in [&declared, &listed, deny] {
            let repository = Repository::new();
            repository.write("secondhand.toml", settings);
            if *settings != declared {
                repository.write("vendor/gpl/COPYING", GPL);
            }
            repository.write("src/main.c", "int main(void) { return 0; }\n");
            repository.write("vendor/gpl/t.c", text("t"));
            repository.commit("before");
            match left {
                Some(left) => repository.write("vendor/gpl/t.c", left),
                None => repository.remove("vendor/gpl/t.c"),
            }
            repository.write(path, &after);
            repository.commit("after");
            let report = repository.check(&["--base", "HEAD~1", "--trust", "base"]);
            assert_eq!(
                verdict(&report),
                ["error", "license-conflict", "denied"],
                "{path}: {:?}",
                report.findings()
            );
            let is_copy = |finding: &&Value| finding["rule"] != "not-examined";
            assert_eq!(
                report.list("/findings").iter().filter(is_copy).count(),
                1,
                "{:?}",
                report.findings()
            );
        }
    }
    // Within the folder, and from one to another, it is where it was: not ours.
    let repository = Repository::new();
    repository.write("secondhand.toml", &declared);
    repository.write("vendor/gpl/t.c", text("t"));
    repository.commit("before");
    repository.rename("vendor/gpl/t.c", "vendor/gpl/lib/t.c");
    repository.commit("after");
    assert_eq!(repository.check(&["--base", "HEAD~1"]).status, 0);
}

/// The first finding: its level, rule, and the answer of its first origin.
fn verdict(report: &Report) -> [String; 3] {
    let text = |pointer: &str| {
        report.json.pointer(pointer).and_then(Value::as_str).unwrap_or("none").to_owned()
    };
    [
        text("/findings/0/level"),
        text("/findings/0/rule"),
        text("/findings/0/origins/0/verdict/answer"),
    ]
}

/// Checks a copy of code that has this license file, in a project with these settings.
#[track_caller]
fn judged(settings: &str, license: &str, expected: [&str; 3]) -> Report {
    let corpus = folder(&[("alpha/lib/table.c", C.first), ("alpha/LICENSE", license)]);
    let report = check(&copying("", settings), &corpus);
    assert_eq!(verdict(&report), expected, "{settings}");
    report
}

#[test]
fn a_license_that_the_policy_denies_is_a_potential_conflict() {
    let expected = ["error", "license-conflict", "denied"];
    let report = judged("[license]\ndeny = [\"strong-copyleft\"]\n", GPL, expected);
    assert_eq!(report.status, 1);
    let message = report.json["findings"][0]["message"].as_str().expect("a finding has a message");
    assert_eq!(
        message,
        "14 lines copied from lib/table.c:1 of alpha (GPL-3.0-only): a potential license conflict"
    );
    judged("[license]\ndeny = [\"GPL\"]\n", GPL, expected);
    judged("[license]\nallow = [\"permissive\"]\n", GPL, expected);
    judged("[license]\nproject-license = \"MIT\"\n", GPL, expected);
    judged("[license]\npreset = \"permissive\"\n", GPL, expected);
    judged("[license]\npreset = \"gpl-3\"\n", GPL, ["warning", "license-conflict", "review"]);
    judged(
        "[license]\npreset = \"gpl-3\"\n",
        "SPDX-License-Identifier: GPL-3.0-or-later\n",
        ["warning", "corpus-copy", "allowed"],
    );
    judged("[license]\npreset = \"permissive\"\n", MIT, ["warning", "corpus-copy", "allowed"]);
    judged("", GPL, ["warning", "corpus-copy", "allowed"]);
}

#[test]
fn a_license_that_is_not_known_is_never_allowed() {
    let expected = ["warning", "unknown-license", "unknown"];
    judged("", "Ask the moon, and use this on Tuesdays only.\n", expected);
    judged("[license]\nallow = [\"permissive\"]\n", "Ask the moon.\n", expected);
    judged(
        "[license]\nproject-license = \"MIT\"\n",
        "SPDX-License-Identifier: LicenseRef-moon\n",
        expected,
    );
    let unlicensed = folder(&[("alpha/lib/table.c", C.first)]);
    assert_eq!(verdict(&check(&copying("", ""), &unlicensed)), expected);
}

#[test]
fn evidence_that_contradicts_itself_has_to_be_reviewed() {
    let manifest = "{\"name\": \"alpha\", \"license\": \"MIT\"}";
    let files =
        [("alpha/table.c", C.first), ("alpha/package.json", manifest), ("alpha/COPYING", GPL)];
    let report = check(&copying("", "[license]\nproject-license = \"MIT\"\n"), &folder(&files));
    assert_eq!(verdict(&report), ["warning", "license-conflict", "review"]);
    let reason = report.json["findings"][0]["origins"][0]["verdict"]["reason"]
        .as_str()
        .expect("there is a reason");
    assert!(reason.contains("package manifest (package.json:1) says MIT"), "{reason}");
}

#[test]
fn lines_with_a_license_of_their_own_are_judged_by_it() {
    let text = format!(
        "// SPDX-License-Identifier: MIT\n{}// SPDX-SnippetBegin\n// SPDX-License-Identifier: GPL-2.0-only\n{}// SPDX-SnippetEnd\n",
        C.third, C.first
    );
    let corpus = folder(&[("alpha/table.c", &text)]);
    let repository = |sample: &str| {
        let repository = Repository::new();
        repository.write("secondhand.toml", "[license]\npreset = \"permissive\"\n");
        repository.commit("before");
        repository.write("new.c", sample);
        repository.commit("after");
        verdict(&check(&repository, &corpus))
    };
    assert_eq!(repository(C.third), ["warning", "corpus-copy", "allowed"]);
    assert_eq!(repository(C.first), ["error", "license-conflict", "denied"]);
}

#[test]
fn attribution_is_owed_until_the_notice_stands_with_the_copy_or_in_a_notice_file() {
    let corpus = folder(&[("alpha/lib/table.c", C.first), ("alpha/LICENSE", MIT)]);
    let owed = check(&copying("", ""), &corpus);
    assert_eq!(owed.status, 1);
    let verdict_of = |report: &Report| report.json["findings"][0]["origins"][0]["verdict"].clone();
    assert_eq!(verdict_of(&owed)["attribution"], "owed");
    assert_eq!(verdict_of(&owed)["owed"][0], "Copyright (c) 2013 Alpha Authors");
    let given = check(&copying("/* Copyright 2013 Alpha Authors, MIT */\n", ""), &corpus);
    assert_eq!(verdict(&given), ["note", "corpus-copy", "allowed"]);
    assert_eq!((given.status, &verdict_of(&given)["givenIn"]), (0, &Value::from("src/new.c")));
    let repository = copying("", "");
    repository.write("NOTICE", "alpha\nCopyright (c) 2013 Alpha Authors\n");
    repository.commit("notice");
    let report = repository.check(&["--base", "HEAD~2", "--corpus", utf8(corpus.path())]);
    assert_eq!(verdict_of(&report)["givenIn"], "NOTICE");
    let public = folder(&[(
        "alpha/table.c",
        &format!("/* This software is in the public domain. */\n{}", C.first),
    )]);
    let report = check(&copying("", ""), &public);
    assert_eq!(verdict_of(&report)["attribution"], "not-asked");
    assert_eq!(report.status, 0);
}

#[test]
fn a_notice_without_a_year_is_one_and_is_found_beside_the_copy_among_many() {
    let notice = "Copyright Alpha, Inc. and other contributors.";
    let text = MIT.replace("Copyright (c) 2013 Alpha Authors", notice);
    let corpus = folder(&[("alpha/lib/table.c", C.first), ("alpha/LICENSE", &text)]);
    let verdict_of = |report: &Report| report.json["findings"][0]["origins"][0]["verdict"].clone();
    assert_eq!(verdict_of(&check(&copying("", ""), &corpus))["owed"], Value::from(vec![notice]));
    let repository = copying("", "");
    repository.write("src/LICENSE", text);
    for number in 0..501 {
        repository.write(format!("node/p{number}/LICENSE"), "Copyright (c) 2020 Other\n");
    }
    repository.commit("notices");
    let report = repository.check(&["--base", "HEAD~2", "--corpus", utf8(corpus.path())]);
    assert_eq!(verdict_of(&report)["givenIn"], "src/LICENSE");
}

#[test]
fn a_manifest_with_the_address_of_the_text_beside_it_does_not_contradict_that() {
    let address = "https://example.invalid/a/blob/main/LICENSE";
    let package =
        format!("<package><metadata><licenseUrl>{address}</licenseUrl></metadata></package>");
    let files = [("alpha/LICENSE", MIT), ("alpha/a.nuspec", &package), ("alpha/table.c", C.first)];
    let report = check(&copying("", ""), &folder(&files));
    assert_eq!(verdict(&report), ["warning", "corpus-copy", "allowed"]);
    let alone = check(&copying("", ""), &folder(&files[1..]));
    assert_eq!(component(&alone)["license"], Value::Null);
}

#[test]
fn source_that_is_named_like_a_license_states_none_for_its_folder() {
    for name in ["License.kt", "Copyright.php", "user_license.proto", "licenses.json"] {
        let name = format!("alpha/lib/{name}");
        let files = [
            ("alpha/LICENSE", MIT),
            ("alpha/lib/table.c", C.first),
            (&*name, "the license of the user\n"),
        ];
        let report = check(&copying("", ""), &folder(&files));
        assert_eq!(component(&report)["license"], "MIT", "{name}");
    }
}

#[test]
fn an_exception_holds_for_its_path_origin_and_rule_until_its_day() {
    let corpus = folder(&[("alpha/lib/table.c", C.first), ("alpha/COPYING", GPL)]);
    let findings = |exception: &str| {
        let settings = format!(
            "[license]\ndeny = [\"GPL\"]\n[[license.exceptions]]\nreason = \"bought\"\n{exception}\n"
        );
        let report = check(&copying("", &settings), &corpus);
        (
            report.list("/findings").len(),
            report.json["suppressedFindings"].as_u64().unwrap_or_default(),
        )
    };
    assert_eq!(findings("origin = \"alpha\""), (0, 1));
    assert_eq!(findings("path = \"src/\"\norigin = \"al*\"\nrule = \"license-conflict\""), (0, 1));
    assert_eq!(findings("origin = \"beta\""), (1, 0));
    assert_eq!(findings("path = \"lib/*\""), (1, 0));
    assert_eq!(findings("origin = \"alpha\"\nrule = \"unknown-license\""), (1, 0));
    assert_eq!(findings("origin = \"alpha\"\nuntil = \"2001-01-01\""), (1, 0));
}

#[test]
fn an_audit_names_the_exceptions_and_decisions_that_are_of_no_use() {
    let (repository, corpus) = holding();
    let settings = "[license]\nallow = [\"permissive\"]\n\
        [[license.exceptions]]\npath = \"src/part.c\"\nreason = \"bought\"\n\
        [[license.exceptions]]\norigin = \"gamma\"\nreason = \"of old\"\n\
        [[license.exceptions]]\npath = \"src/\"\norigin = \"beta\"\nreason = \"for now\"\nuntil = \"2001-01-01\"\n";
    repository.write("secondhand.toml", settings);
    repository.write(
        "secondhand-decisions.toml",
        "[[decision]]\ncopy = \"0123456789abcdef\"\nby = \"A\"\nreason = \"ours\"\n",
    );
    repository.commit("settings");
    let output = audit(&repository, &corpus, &["--format", "json"]);
    let report = json(&output);
    let notices = report["notices"].as_array().expect("there are notices");
    let messages: Vec<_> =
        notices.iter().map(|notice| notice["message"].as_str().unwrap_or_default()).collect();
    assert_eq!(
        messages,
        [
            "the decision on 0123456789abcdef is unused: the copy no longer exists",
            "the license exception for origin `gamma` (of old) is unused: there is no copy for it to accept",
            "the license exception for path `src/`, origin `beta` (for now) expired after 2001-01-01",
        ]
    );
    assert_eq!(report["suppressedFindings"], 1);
}

#[test]
fn settings_that_name_no_license_are_refused() {
    let refused = |settings: &str| {
        let repository = copying("", settings);
        let output = repository
            .secondhand(&["check", "--base", "HEAD~1"])
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let errors = refused("[license]\ndeny = [\"strong-copyloft\"]\n");
    assert!(
        errors.contains("cannot use `license.deny` of `")
            && errors.contains("did you mean `strong-copyleft`?"),
        "{errors}"
    );
    let errors = refused("[[vendored]]\npath = \"lib\"\nlicense = \"as you like\"\n");
    assert!(errors.contains("`as you like` is not an SPDX expression"), "{errors}");
}

/// A repository with files of two components, an edited one among them, and one of its own.
fn holding() -> (Repository, TempDir) {
    let repository = Repository::new();
    let first = C.file("a", &[C.first, C.second]).text;
    repository.write("src/whole.c", &first);
    repository
        .write("src/part.c", C.file("b", &[C.third, C.with_inserted(C.insertion).as_str()]).text);
    repository.commit("all");
    let corpus = folder(&[
        ("alpha/a.c", &first),
        ("alpha/LICENSE", MIT),
        ("beta/b.c", C.first),
        ("beta/COPYING", GPL),
        ("beta/unlike.c", "int unlike(void) { return 1; }\n"),
    ]);
    (repository, corpus)
}

/// The report that a command wrote.
fn json(output: &std::process::Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("a report is JSON")
}

/// The report of `secondhand audit` with these arguments.
fn audited(repository: &Repository, args: &[&str]) -> Value {
    let mut command = repository.secondhand(&["audit", "--format", "json"]);
    json(&command.args(args).output().expect("the program starts"))
}

/// Runs `secondhand audit` against stored corpora of the components in `corpus`.
fn audit(repository: &Repository, folder: &TempDir, args: &[&str]) -> std::process::Output {
    for name in ["alpha", "beta"] {
        let source = folder.path().join(name);
        assert_eq!(corpus(folder.path(), &["add", "known", utf8(&source)]).0, 0);
    }
    let shelf = folder.path().join("corpora");
    let mut command =
        repository.secondhand(&["audit", "--corpus", "known", "--corpus-dir", utf8(&shelf)]);
    command.env("SOURCE_DATE_EPOCH", "1700000000").args(args).output().expect("the program starts")
}

#[test]
fn an_audit_tells_of_each_file_how_much_of_it_components_have() {
    let (repository, corpus) = holding();
    let output = audit(&repository, &corpus, &["--format", "json"]);
    let report = json(&output);
    let files = report["audit"]["copiedFiles"].as_array().expect("there are files");
    let paths: Vec<_> =
        files.iter().map(|file| file["path"].as_str().unwrap_or_default()).collect();
    assert_eq!(paths, ["src/part.c", "src/whole.c"]);
    assert_eq!(
        (&files[1]["isWhole"], &files[1]["containmentPercent"]),
        (&Value::from(true), &Value::from(100.0))
    );
    assert_eq!(files[1]["origins"][0]["name"], "alpha");
    let part = files[0]["containmentPercent"].as_f64().expect("it is a number");
    assert!((20.0..80.0).contains(&part), "{part}");
    let classes = report["audit"]["byLicenseClass"].as_object().expect("there are classes");
    assert!(classes.contains_key("permissive"), "{classes:?}");
    assert_eq!(report["audit"]["components"][0]["component"]["license"], "MIT");
    // The same from a folder that is read on the spot.
    let report = audited(&repository, &["--corpus", utf8(corpus.path())]);
    assert_eq!(report["audit"]["copiedFiles"].as_array().map(Vec::len), Some(2));
    let findings = report["findings"].as_array().expect("it is a list");
    let mut components = findings.iter().filter_map(|of| of.pointer("/origins/0/component"));
    assert!(components.all(|of| of["purl"].is_string()), "{findings:?}");
}

#[test]
fn sarif_says_of_an_audit_a_sentence_each_and_no_rows_of_text() {
    let (repository, corpus) = holding();
    let output = audit(&repository, &corpus, &["--format", "sarif"]);
    let log = json(&output);
    let notes = log["runs"][0]["invocations"][0]["toolExecutionNotifications"]
        .as_array()
        .expect("there are some");
    let notes: Vec<&str> =
        notes.iter().filter_map(|note| note["message"]["text"].as_str()).collect();
    assert!(
        notes.iter().any(|note| note.starts_with("2 of 2 files contain code of 1 component: ")),
        "{notes:?}"
    );
    let is_row = |note: &&str| {
        note.is_empty() || note.starts_with("  ") || note.contains("   ") || note.ends_with("file")
    };
    assert_eq!(notes.iter().copied().find(is_row), None, "{notes:?}");
    assert!(notes.len() <= 6, "{notes:?}");
}

/// A copy into a buffer, as everybody writes it: how much fits, that much, and on.
fn filling(chunk: &str, left: &str, cursor: &str) -> String {
    format!(
        "    size_t {chunk} = BLOCK_CAPACITY - {cursor}->filled;\n    if ({chunk} > {left})\n        {chunk} = {left};\n    \
         memcpy({cursor}->block + {cursor}->filled, payload, {chunk});\n    {cursor}->filled += {chunk};\n    \
         payload += {chunk};\n    {left} -= {chunk};\n"
    )
}

#[test]
fn an_idiom_is_a_note_and_no_origin_of_a_file() {
    let other = |name: &str, part: &str| {
        format!(
            "int {name}(struct cursor *cursor, char *payload, size_t n)\n{{\n    begin_{name}(cursor);\n{part}    return end_{name}(cursor, n);\n}}\n"
        )
    };
    let alpha = C.file("alpha", &[C.third, C.first]).text
        + &other("pack", &filling("chunk", "remaining", "cursor"));
    let corpus = folder(&[
        ("alpha/LICENSE", MIT),
        ("alpha/pack.c", &alpha),
        ("beta/b.c", C.second),
        ("beta/LICENSE", MIT),
    ]);
    let audited = |text: &str, taken: &str| {
        let repository = Repository::new();
        repository.write("send.c", text);
        repository.write("taken.c", taken);
        repository.commit("begin");
        let args = ["audit", "--corpus", utf8(corpus.path()), "--fail-on", "never", "--format"];
        let written = |format: &str| {
            let output =
                repository.secondhand(&args).arg(format).output().expect("the program starts");
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        (
            serde_json::from_str::<Value>(&written("json")).expect("a report is JSON"),
            ["notice", "spdx", "cyclonedx", "text"].map(written),
        )
    };
    let own =
        "int send(struct output *output, char *payload, size_t left)\n{\n    lock(output->mutex);\n"
            .to_owned()
            + &filling("part", "left", "output")
            + "    unlock(output->mutex);\n    return 0;\n}\n";
    let (report, [notice, spdx, cyclonedx, text]) = audited(&own, "");
    let found = &report["findings"][0];
    assert_eq!([&found["rule"], &found["level"]], ["corpus-copy", "note"], "{report}");
    assert_eq!(report["audit"]["components"], serde_json::json!([]));
    let possible = &report["audit"]["possible"][0];
    assert_eq!(
        [&possible["path"], &possible["name"], &possible["origin"]],
        ["send.c", "alpha", "pack.c"]
    );
    for written in [notice, spdx, cyclonedx] {
        assert!(!written.contains("alpha"), "{written}");
    }
    assert!(
        text.contains("possible: ")
            && text.contains("send.c: ")
            && text.contains("like pack.c of alpha"),
        "{text}"
    );
    // Nor does it become one where the component has another file.
    let (_, [_, spdx, cyclonedx, _]) = audited(&own, &C.file("taken", &[C.first]).text);
    for written in [spdx, cyclonedx] {
        assert!(written.contains("taken.c") && !written.contains("send.c"), "{written}");
    }
    // What is as long, and does something, is a component's.
    let (report, [notice, ..]) = audited(&C.file("alpha", &[C.second, C.first]).text, "");
    assert_eq!(report["audit"]["possible"], serde_json::json!([]));
    assert!(notice.contains("alpha"), "{notice}");
}

#[test]
fn an_audit_says_what_was_compared_with_what_and_begins_with_it() {
    let (repository, corpus) = holding();
    let output = audit(&repository, &corpus, &["--format", "text", "--fail-on", "never"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let head = repository.git(&["rev-parse", "HEAD"]);
    let mut lines = text.lines();
    let first = lines.next().expect("there are lines");
    assert!(
        first.starts_with("repository: ")
            && first.ends_with(&format!("the work tree on {}", &head[..10])),
        "{first}"
    );
    let corpora = lines.next().expect("there are lines");
    assert!(corpora.starts_with("corpora: known (sha256 "), "{corpora}");
    assert!(lines.next().is_some_and(|line| line.starts_with("program: secondhand ")), "{text}");
    let found = lines.nth(1).expect("there are lines");
    assert!(found.contains(" findings: ") && found.contains(", compared with "), "{text}");
    let report = |format: &str| {
        let output = audit(
            &repository,
            &corpus,
            &["--format", format, "--fail-on", "never", "--rev", "HEAD"],
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let json: Value = serde_json::from_str(&report("json")).expect("a report is JSON");
    let digest =
        json["audit"]["corpora"][0]["digest"].as_str().expect("it has a digest").to_owned();
    assert!(corpora.contains(&digest[..16]), "{corpora} {digest}");
    assert_eq!(json["audit"]["revision"], head[..10]);
    // Whoever has the corpus can see that it is the same.
    let shown = self::corpus(corpus.path(), &["show", "known"]).1;
    assert!(shown.ends_with(&format!("sha256 {digest}\n")), "{shown}");
    let page = report("html");
    for line in [
        format!("<p class=\"dim\">corpora: known (sha256 {}", &digest[..16]),
        "<p class=\"dim\">program: ".to_owned(),
    ] {
        assert!(page.split("<details").next().is_some_and(|top| top.contains(&line)), "{page}");
    }
    // A summary of a workflow step has all of that, and the components, before the files.
    let markdown = report("markdown");
    let top = markdown.split("| file |").next().unwrap_or_default();
    for said in [
        "\n- repository&#58; ",
        "\n- corpora&#58; known &#40;sha256 ",
        "\n- program&#58; secondhand ",
        "\n| license class | components | files | of tokens |\n",
        "\n| component | license | files | tokens | verdict |\n",
        "| alpha | MIT&#58; license text &#40;LICENSE&#58;5&#41; | 2 | ",
    ] {
        assert!(top.contains(said), "lacks {said}: {markdown}");
    }
    let named = format!(
        "<title>{}, {}: ",
        json["audit"]["project"].as_str().expect("it has a name"),
        &head[..10]
    );
    assert!(page.contains(&named) && page.contains(&digest[..16]), "{named}");
    let bom: Value = serde_json::from_str(&report("cyclonedx")).expect("it is JSON");
    let number = bom["serialNumber"].as_str().expect("it has a number");
    assert!(number.starts_with("urn:uuid:") && number.len() == 45, "{number}");
    assert_eq!(report("cyclonedx"), report("cyclonedx"));
}

#[test]
fn an_audit_names_what_differs_from_the_defaults_and_digests_what_it_read() {
    let (repository, corpus) = holding();
    let first = |args: &[&str], variable: &str| {
        let mut command = repository.secondhand(&["audit", "--corpus", utf8(corpus.path())]);
        let command = command.args(args).env("SECONDHAND_MIN_TOKENS", variable);
        let output = command.output().expect("the program starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().skip(1).take(2).map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    let settings = |args: &[&str], variable: &str| {
        let lines = first(args, variable);
        lines[1].split_once("settings: ").map(|(_, settings)| settings.to_owned())
    };
    let shown = ["--fail-on", "never", "--set", "format=html"];
    assert_eq!(
        settings(&[&shown[..], &["--format", "text"]].concat(), "40").as_deref(),
        Some("none")
    );
    let mut page = repository.secondhand(&["audit", "--corpus", utf8(corpus.path())]);
    let page = page.args(["--format", "html"]).output().expect("the program starts");
    assert!(String::from_utf8_lossy(&page.stdout).contains("settings: none"));
    assert_eq!(settings(&[], "35").as_deref(), Some("min-tokens = 35"));
    let set = ["--set", "license.project-license=MIT", "--min-tokens", "30"];
    let expected = "license.project-license = \"MIT\", min-tokens = 30";
    assert_eq!(settings(&set, "40").as_deref(), Some(expected));
    repository.write("secondhand.toml", "min-tokens = 35\n");
    let file = settings(&[], "35").expect("there is such a line");
    assert!(file.starts_with("secondhand.toml (sha256 ") && file.len() == 41, "{file}");
    repository.write("secondhand.toml", "min-tokens = 36\n");
    let other = settings(&[], "40").expect("there is such a line");
    assert!(other.ends_with("), min-tokens = 40") && other[..40] != file[..40], "{file} {other}");
    // A folder of components has a digest, too.
    let before = first(&[], "40").remove(0);
    assert!(before.contains(" (sha256 "), "{before}");
    fs::write(corpus.path().join("beta/b.c"), C.second).expect("the folder is writable");
    assert_ne!(first(&[], "40")[0], before);
}

#[test]
fn a_license_that_spdx_does_not_list_has_its_name_and_its_text_in_an_sbom() {
    let repository = Repository::new();
    repository.write("taken.c", C.first);
    repository.commit("all");
    let free = "Alpha is in the public domain. Do with it what you like.\n";
    let files = [("alpha/a.c", C.first), ("alpha/LICENSE", free)];
    let corpus = folder(&files);
    let json = |format: &str| -> Value {
        let args = ["audit", "--corpus", utf8(corpus.path()), "--fail-on", "never", "--format"];
        let mut command = repository.secondhand(&args);
        let output = command.arg(format).output().expect("the program starts");
        serde_json::from_slice(&output.stdout).expect("it is JSON")
    };
    let name = "LicenseRef-public-domain";
    let choice = serde_json::json!([{"license": {"acknowledgement": "declared", "name": name}}]);
    let library = &json("cyclonedx")["components"][0];
    assert_eq!(library["licenses"], choice, "{library}");
    let spdx = json("spdx");
    let info = &spdx["hasExtractedLicensingInfos"][0];
    assert_eq!([&info["licenseId"], &info["extractedText"]], [name, free], "{spdx}");
}

#[test]
fn every_component_that_explains_a_part_of_a_file_has_it_as_an_occurrence() {
    let repository = Repository::new();
    repository.write("taken.c", C.first);
    repository.commit("all");
    // It is one copy of both, of which each has a line that the other has not.
    let one = C.first.replace("return -1;", "return table_report(table, slot, key);");
    let other = C.first.replace("table->capacity - 1;", "table_mask(table, 7);");
    let corpus = folder(&[("alpha/a.c", &one), ("beta/b.c", &other)]);
    let args = ["audit", "--corpus", utf8(corpus.path()), "--format", "cyclonedx"];
    let output = repository.secondhand(&args).output().expect("the program starts");
    let bom: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let components = bom["components"].as_array().expect("it is a list").iter();
    let occurrences = components
        .filter(|of| of["type"] == "library")
        .map(|of| format!("{} {}", of["name"], of["evidence"]["occurrences"][0]["location"]));
    let expected = ["\"alpha\" \"taken.c\"", "\"beta\" \"taken.c\""];
    assert_eq!(occurrences.collect::<BTreeSet<_>>(), BTreeSet::from(expected.map(str::to_owned)));
}

#[test]
fn an_archive_has_its_date_and_no_commit() {
    let folder = folder(&[]);
    let archive = folder.path().join("alpha-1.0.tar");
    let mut tar = tar::Builder::new(fs::File::create(&archive).expect("the folder is writable"));
    let mut header = tar::Header::new_gnu();
    header.set_size(C.first.len() as u64);
    header.set_mtime(1_650_000_000);
    tar.append_data(&mut header, "table.c", C.first.as_bytes()).expect("the folder is writable");
    tar.finish().expect("the folder is writable");
    assert_eq!(corpus(folder.path(), &["add", "known", utf8(&archive)]).0, 0);
    let report = check_known(&copying("", ""), folder.path());
    let component = component(&report);
    let seen = serde_json::json!({"commit": null, "time": 1_650_000_000});
    assert_eq!((&component["version"], &component["firstSeen"]), (&"1.0".into(), &seen));
}

#[test]
fn a_component_counts_once_however_many_licenses_its_files_have() {
    let repository = Repository::new();
    repository.write("taken/first.c", C.first);
    repository.write("taken/second.c", C.second);
    repository.commit("all");
    let tagged = format!("{BSD_HEADER}{}", C.second);
    let alpha = [("alpha/LICENSE", MIT), ("alpha/a.c", C.first), ("alpha/b.c", &tagged)];
    let corpus = folder(&alpha);
    let reports = folder(&[]);
    let audited = |format: &str| {
        let args = ["audit", "--corpus", utf8(corpus.path()), "--fail-on", "never", "--format"];
        let deny = ["--set", "license.deny=[\"permissive\"]"];
        let mut command = repository.secondhand(&args);
        let output = command.arg(format).args(deny).output().expect("the program starts");
        String::from_utf8(output.stdout).expect("it is UTF-8")
    };
    let (json, text, page) = (audited("json"), audited("text"), audited("html"));
    let report: Value = serde_json::from_str(&json).expect("a report is JSON");
    let rows = report["audit"]["components"].as_array().map(Vec::len);
    assert_eq!(
        (rows, &report["audit"]["byLicenseClass"]["permissive"]["components"]),
        (Some(2), &1.into())
    );
    assert!(text.contains("2 of 2 files contain code of 1 component: "), "{text}");
    for tile in [
        "<dt>Components</dt><dd class=\"figure\">1</dd>",
        "<dt>Need a decision</dt><dd class=\"figure\">1</dd><dd class=\"dim\">1 denied</dd>",
    ] {
        assert!(page.contains(tile), "{page}");
    }
    assert!(page.contains("1 component in 2 files"), "{page}");
    // So does the page of many repositories.
    fs::write(reports.path().join("own.json"), json).expect("the folder is writable");
    let mut command = support::secondhand(reports.path(), &["report", "own.json"]);
    let output = command.output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("1 component needing a decision"), "{text}");
}

#[test]
fn every_format_of_an_audit_is_written() {
    let (repository, corpus) = holding();
    let out = |name: &str| corpus.path().join(name);
    let names = [
        "spdx", "cyclonedx", "notice", "decisions", "html", "csv", "markdown", "sarif", "json",
        "counts",
    ];
    let reports: Vec<String> =
        names.iter().map(|name| format!("{name}={}", utf8(&out(name)))).collect();
    let flags: Vec<&str> =
        reports.iter().flat_map(|report| ["--report", report.as_str()]).collect();
    let output = audit(&repository, &corpus, &flags);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("2 of 2 files contain code of"), "{text}");
    assert!(
        text.contains("100 % src/whole.c: 100 % alpha no")
            || text.contains("100 % src/whole.c: 100 % alpha a.c, identical file"),
        "{text}"
    );
    let json = |name: &str| -> Value {
        serde_json::from_slice(&fs::read(out(name)).expect("it was written")).expect("it is JSON")
    };
    let (spdx, cyclonedx) = (json("spdx"), json("cyclonedx"));
    assert_eq!(spdx["spdxVersion"], "SPDX-2.3");
    assert_eq!(spdx["creationInfo"]["created"], "2023-11-14T22:13:20Z");
    assert!(spdx["snippets"].as_array().is_some_and(|all| all.len() >= 2), "{spdx}");
    assert_eq!(cyclonedx["specVersion"], "1.6");
    let pedigree =
        cyclonedx.pointer("/components/2/pedigree").or(cyclonedx.pointer("/components/1/pedigree"));
    assert!(pedigree.is_some(), "{cyclonedx}");
    let notice = fs::read_to_string(out("notice")).expect("it was written");
    assert!(
        notice.contains("Copyright (c) 2013 Alpha Authors") && notice.contains("License: MIT"),
        "{notice}"
    );
}

#[test]
fn a_decision_is_read_back_and_holds_when_someone_made_it_until_its_day() {
    let (repository, corpus) = holding();
    let entries = String::from_utf8(audit(&repository, &corpus, &["--format", "decisions"]).stdout)
        .expect("UTF-8");
    let n_entries = entries.matches("[[decision]]").count();
    assert!(n_entries >= 2, "{entries}");
    let after = |text: &str| {
        repository.write("secondhand-decisions.toml", text);
        let output = audit(&repository, &corpus, &["--format", "json", "--show-suppressed"]);
        let report = json(&output);
        (report["findings"].as_array().map_or(0, Vec::len), report)
    };
    let (n_open, report) = after(&entries);
    assert_eq!(n_open, n_entries, "nobody has decided yet");
    assert!(
        report["notices"][0]["message"].as_str().is_some_and(|text| text.contains("`by` is empty")),
        "{report}"
    );
    let decided = entries
        .replace("by = \"\"", "by = \"the maintainers\"")
        .replace("reason = \"\"", "reason = \"asked\"");
    let (n_open, report) = after(&decided);
    assert_eq!(n_open, 0);
    assert_eq!(report["suppressed"][0]["by"], "decision");
    assert_eq!(after(&decided.replace("until = \"\"", "until = \"2001-01-01\"")).0, n_entries);
}

#[test]
fn an_audit_without_anything_to_compare_with_is_an_error() {
    let repository = copying("", "");
    // What is built of the code is not that of others.
    repository.write("dist/table.c", C.first);
    repository.commit("built");
    for command in ["audit", "stale"] {
        let output = repository.secondhand(&[command]).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(2));
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(errors.starts_with("error: cannot compare: no corpus is named"), "{errors}");
    }
}

#[test]
fn a_file_that_is_the_same_byte_for_byte_is_a_copy_whatever_is_in_it() {
    let header =
        "/* Copyright (c) 2010 Beta Authors\n * SPDX-License-Identifier: BSD-2-Clause\n */\n"
            .repeat(4);
    let numbers: Vec<String> = (0..900).map(|n| ((n * 7919) % 1000).to_string()).collect();
    let table = format!("{header}int sizes[] = {{ {} }};\n", numbers.join(", "));
    let short =
        format!("{header}int first(int a, char *b);\nint second(char *c);\nint third(long d);\n");
    let corpus_folder =
        folder(&[("beta/table.c", &table), ("beta/short.h", &short), ("beta/other.c", C.second)]);
    assert_eq!(
        corpus(corpus_folder.path(), &["add", "known", utf8(&corpus_folder.path().join("beta"))]).0,
        0
    );
    let repository = Repository::new();
    repository.write("store.c", C.third);
    repository.commit("before");
    repository.write("table.c", &table);
    repository.write("short.h", &short);
    repository.commit("after");
    let paths = |report: &Report| {
        let path = |finding: &Value| finding["path"].as_str().unwrap_or_default().to_owned();
        report.list("/findings").iter().map(path).collect::<Vec<_>>()
    };
    let report = check_known(&repository, corpus_folder.path());
    assert!(
        paths(&report).contains(&"table.c".to_owned())
            && paths(&report).contains(&"short.h".to_owned()),
        "{report:?}"
    );
    assert_eq!(component(&report)["license"], "BSD-2-Clause");
    let report = check(&repository, &corpus_folder);
    assert!(
        paths(&report).contains(&"table.c".to_owned())
            && paths(&report).contains(&"short.h".to_owned()),
        "{report:?}"
    );
}

#[test]
fn an_audit_of_the_history_names_the_commit_that_brought_in_what() {
    let (origin, folder) = (Repository::new(), folder(&[]));
    origin.write("LICENSE", MIT);
    origin.write("table.c", C.first);
    origin.commit("begin");
    let repository = Repository::new();
    repository.write("store.c", C.second);
    repository.commit("before");
    repository.write("src/new.c", C.file("new", &[C.third, C.first]).text);
    let bringing = repository.commit("bring");
    repository.write("src/new.c", C.third);
    repository.commit("take away");
    assert_eq!(
        corpus(folder.path(), &["add", "known", utf8(origin.root()), "--name", "alpha"]).0,
        0
    );
    let shelf = folder.path().join("corpora");
    let args = ["audit", "--history", "--corpus", "known", "--corpus-dir", utf8(&shelf)];
    let output = repository
        .secondhand(&args)
        .args(["--rev", "HEAD", "--format", "json"])
        .output()
        .expect("the program starts");
    let report = json(&output);
    let brought = report["audit"]["brought"].as_array().expect("the history was audited");
    assert_eq!(brought.len(), 1, "{report}");
    assert_eq!(
        (&brought[0]["path"], &brought[0]["first"]["commit"]),
        (&"src/new.c".into(), &Value::from(bringing.as_str()))
    );
    assert_eq!(
        (&brought[0]["isInHead"], &brought[0]["component"]["license"]),
        (&false.into(), &"MIT".into())
    );
    assert_eq!(report["audit"]["copiedFiles"].as_array().map(Vec::len), Some(0));
    let written = |format: &str, rev: &str| {
        let mut command = repository.secondhand(&args);
        let output =
            command.args(["--rev", rev, "--format", format]).output().expect("the program starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let text = written("text", "HEAD");
    assert!(text.contains("alpha"), "{text}");
    for format in ["csv", "cyclonedx", "spdx"] {
        let text = written(format, &bringing);
        assert!(text.contains(&bringing), "{format}: {text}");
    }
}

#[test]
fn of_components_those_decide_that_explain_the_copy_as_well_as_the_best() {
    let policy = "[license]\ndeny = [\"GPL-3.0-only\"]\n";
    let rule = |gpl: &str| {
        let files = [
            ("alpha/a.c", C.first),
            ("alpha/LICENSE", MIT),
            ("beta/b.c", gpl),
            ("beta/COPYING", GPL),
        ];
        let report = check(&copying("", policy), &folder(&files));
        report.list("/findings")[0]["rule"].as_str().expect("a finding has a rule").to_owned()
    };
    let denied = rule(C.first);
    let edited = C.first.replacen(
        ";\n",
        ";\n    log_this(1, \"two\", three);\n    count += 1;\n    log_that(count);\n",
        2,
    );
    assert_ne!(edited, C.first);
    assert_ne!(rule(&edited), denied, "who has the code with other lines is not its origin");
}

#[test]
fn a_summary_names_the_origin_that_decides_the_finding() {
    let repository = copying("", "[license]\ndeny = [\"GPL\"]\n");
    let unknown = "This software is the property of Alpha. Ask before using it.\n";
    let corpus = folder(&[
        ("alpha/a.c", C.first),
        ("alpha/LICENSE", unknown),
        ("beta/b.c", C.first),
        ("beta/COPYING", GPL),
    ]);
    let output = audit(&repository, &corpus, &["--format", "json"]);
    let report = json(&output);
    assert_eq!(report["findings"][0]["rule"], "license-conflict");
    assert_eq!(report["audit"]["copiedFiles"][0]["origins"][0]["name"], "beta");
    assert_eq!(report["audit"]["components"][0]["component"]["license"], "GPL-3.0-only");
}
