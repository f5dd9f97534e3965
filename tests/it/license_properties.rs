//! Shows that files which speak of licenses cannot harm: whatever is in them, they are read, in
//! time, without a panic.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use secondhand::license::{Class, Expression, Licenses, LicensingInfo, Terms, copyright_lines};
use secondhand::text::FilePath;
use secondhand::text::glob_matches;

/// Names of all kinds of files that are read for licenses.
const NAMES: &[&str] = &[
    "LICENSE", "COPYING.md", "a.c", "a.c.license", "REUSE.toml", ".reuse/dep5", "debian/copyright",
    "Cargo.toml", "package.json", "pyproject.toml", "setup.cfg", "PKG-INFO", "composer.json",
    "pom.xml", "x.nuspec", "x.gemspec", "x.cabal", "DESCRIPTION", "META.json",
];

/// Words that license files are made of, so that random texts go deep into the readers.
const WORDS: &[&str] = &[
    "SPDX-License-Identifier:",
    "SPDX-SnippetBegin",
    "SPDX-SnippetEnd",
    "MIT",
    "GPL-2.0+",
    "OR",
    "AND",
    "WITH",
    "(",
    ")",
    "/",
    "\n",
    "\r\n",
    "GNU General Public License",
    "as published by the Free Software Foundation",
    "version 2",
    "any later version",
    "at your option",
    "Files:",
    "License:",
    "*",
    "[[annotations]]",
    "path =",
    "\"**\"",
    "<licenses>",
    "<license>",
    "<name>",
    "{\"license\":",
    "[",
    "]",
    "}",
    "license =",
    "'",
    "\"",
    "Copyright (c) 2020",
    "\u{202E}",
    "\u{0}",
    "é",
    "Permission is hereby granted",
];

fn read(name: &str, bytes: &[u8]) {
    let path = FilePath::new(name);
    let licenses = Licenses::new([(&path, bytes)]);
    for asked in [path, FilePath::new("a.c"), FilePath::new("deep/er/a.c")] {
        let info = LicensingInfo::new(&asked, bytes);
        let found = licenses.of_info(&asked, &info, &|_, _| None);
        Terms::new(&found).at(1, 3);
        // What is written can be read back.
        if let Some(expression) = found.expression {
            let text = expression.to_string();
            assert_eq!(Expression::parse_spdx(&text).map(|of| of.to_string()), Some(text));
            Class::of(&expression);
        }
    }
    copyright_lines(bytes);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read(name in prop::sample::select(NAMES), bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read(name, &bytes);
    }

    #[test]
    fn texts_of_license_words_are_read(name in prop::sample::select(NAMES), words in prop::collection::vec(prop::sample::select(WORDS), 0..60)) {
        read(name, words.join(" ").as_bytes());
    }

    #[test]
    fn expressions_are_canonical(words in prop::collection::vec(prop::sample::select(&["MIT", "GPL-2.0+", "Apache-2.0", "LicenseRef-x", "OR", "AND", "WITH", "LLVM-exception", "(", ")", "+", "/"][..]), 0..16)) {
        if let Some(expression) = Expression::parse(&words.join(" ")) {
            let text = expression.to_string();
            prop_assert_eq!(Expression::parse_spdx(&text), Expression::parse_spdx(&text));
            prop_assert_eq!(Expression::parse_spdx(&text).map(|of| of.to_string()), Some(text));
        }
    }
}

/// Runs `act`, and checks that it ends soon: unoptimized and on a busy machine.
#[track_caller]
fn soon(what: &str, act: impl FnOnce()) {
    let start = Instant::now();
    act();
    assert!(start.elapsed() < Duration::from_secs(60), "{what} took {:?}", start.elapsed());
}

#[test]
fn huge_and_deep_files_end_soon() {
    soon("ten megabytes of tags", || {
        read("a.c", "// SPDX-License-Identifier: MIT\n".repeat(320_000).as_bytes());
    });
    soon("open snippets", || read("a.c", "// SPDX-SnippetBegin\n".repeat(200_000).as_bytes()));
    soon("nested parentheses", || assert_eq!(Expression::parse(&"(".repeat(100_000)), None));
    soon("a deep expression", || {
        let deep = format!("{}MIT{}", "(".repeat(900), ")".repeat(900));
        assert_eq!(Expression::parse(&deep), None);
    });
    soon("a long expression", || {
        Expression::parse(&["MIT"; 300].join(" OR "));
    });
    soon("a license text on one line", || {
        read("LICENSE", "permission ".repeat(400_000).as_bytes());
    });
    soon("open style sheets", || {
        read("LICENSE", format!("<html>{}", "<style".repeat(700_000)).as_bytes());
        read("LICENSE", format!("<html>{}", "<style</".repeat(500_000)).as_bytes());
    });
    soon("open blocks of Gradle", || {
        read("build.gradle", format!("licenses{{{}", "license{".repeat(250_000)).as_bytes());
    });
    soon("binary license", || read("LICENSE", &[0xFF; 1_000_000]));
    soon("deep JSON", || read("package.json", "[".repeat(500_000).as_bytes()));
    soon("deep XML", || read("pom.xml", "<a>".repeat(200_000).as_bytes()));
    soon("deep TOML", || read("REUSE.toml", format!("a = {}", "[".repeat(100_000)).as_bytes()));
    soon("XML entities", || {
        let bomb = "<!DOCTYPE a [<!ENTITY b \"bbbbbbbbbb\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;\">]><a>&d;</a>";
        read("pom.xml", bomb.as_bytes());
    });
    soon("a pattern of stars", || {
        assert!(!glob_matches("*a".repeat(400).as_bytes(), "a".repeat(390).as_bytes(), false));
    });
    soon("many paragraphs", || {
        let dep5 = format!("Format: x\n\n{}", "Files: *\nLicense: MIT\n\n".repeat(20_000));
        let info = LicensingInfo::new(&FilePath::new("debian/copyright"), dep5.as_bytes());
        assert_eq!(info.statements.len(), 20_000);
    });
}
