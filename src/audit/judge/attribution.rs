//! Checks whether the notices of an origin are given where its license requires them.

use crate::audit::Error;
use crate::audit::read::Source;
use crate::files::{Entry, ReadFiles};
use crate::license::{Terms, legible};
use crate::policy::Attribution;
use crate::text::{FilePath, MAX_WRITTEN};

/// The files of a tree with notices, and their words.
#[derive(Debug, Default)]
pub(in crate::audit) struct Attributions {
    files: Vec<(FilePath, String)>,
}

impl Attributions {
    /// Reads the files of a tree that contain notices: at most 500, of at most 4 MB.
    pub fn read(entries: &[Entry], reader: &impl ReadFiles) -> Result<Self, Error> {
        let mut files = Vec::new();
        for entry in entries.iter().filter(|entry| gives_notice(&entry.path)).take(500) {
            if reader.size(entry).is_none_or(|size| size <= MAX_WRITTEN)
                && let Ok(bytes) = reader.try_read(entry)?
            {
                files.push((entry.path.clone(), words(&legible(&bytes))));
            }
        }
        Ok(Self { files })
    }

    /// Whether the notices in `terms`, those of this component, are in the file with the copy, or
    /// in a file like NOTICE in its folder or one above. If none is known, the names of component
    /// and license must be there.
    pub fn of(&self, copy: &Source, component: &str, terms: &Terms) -> Attribution {
        let holders = terms.notices.iter().map(|notice| (notice, holder(notice)));
        let holders: Vec<(&String, String)> =
            holders.filter(|(_, holder)| holder.len() > 3).collect();
        let license = terms.license.as_ref().map(|license| words(&license.to_string()));
        let license = license.unwrap_or_default();
        let named = [words(component), license];
        let needed: Vec<&String> = match holders.is_empty() {
            true => named.iter().collect(),
            false => holders.iter().map(|(_, holder)| holder).collect(),
        };
        let of_copy = words(&legible(&copy.text));
        let own_path = copy.path.as_bytes();
        let above = self.files.iter().filter(|(path, _)| own_path.starts_with(path.folder()));
        let mut texts =
            [(&copy.path, &of_copy)].into_iter().chain(above.map(|(path, text)| (path, text)));
        match texts.find(|(_, text)| needed.iter().all(|words| text.contains(*words))) {
            Some((path, _)) => Attribution::Given(path.to_string()),
            None => {
                Attribution::Owed(holders.iter().map(|(notice, _)| (*notice).clone()).collect())
            }
        }
    }
}

/// Whether a file with this name contains notices of others.
fn gives_notice(path: &FilePath) -> bool {
    let name = String::from_utf8_lossy(path.name()).to_lowercase();
    let begins = [
        "notice", "third-party", "third_party", "thirdparty", "3rdparty", "3rd-party", "3rd_party",
        "license", "licence", "copying", "copyright", "credits", "attribution", "acknowledg",
    ];
    let is_source = [".rs", ".c", ".h", ".go", ".py", ".js", ".ts", ".java", ".rb", ".css", ".sh"];
    begins.iter().any(|begin| name.starts_with(begin))
        && !is_source.iter().any(|end| name.ends_with(end))
}

/// Lower case, with one space between words and around everything.
fn words(text: &str) -> String {
    let text = text.to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    format!(" {}", words.map(|word| format!("{word} ")).collect::<String>())
}

/// The holder named in a notice: without years, signs and the words around.
fn holder(notice: &str) -> String {
    let all = words(notice);
    let fillers = [
        "copyright", "c", "by", "all", "rights", "reserved", "spdx", "filecopyrighttext", "present",
    ];
    let kept = all.split_whitespace().filter(|word| {
        let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
        !fillers.contains(word) && !is_year
    });
    format!(" {} ", kept.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::license::Expression;

    #[track_caller]
    fn check(copy_text: &str, files: &[(&str, &str)], notices: &[&str], expected: &Attribution) {
        let copy = Source::plain(FilePath::new("src/a.c"), copy_text.into(), Vec::new(), ["", ""]);
        let files = files.iter().map(|(path, text)| (FilePath::new(*path), words(text))).collect();
        let terms = Terms {
            license: Expression::parse("MIT"),
            notices: notices.iter().map(|notice| (*notice).to_owned()).collect(),
            ..Terms::default()
        };
        assert_eq!(Attributions { files }.of(&copy, "alpha", &terms), *expected);
    }

    #[test]
    fn a_notice_counts_in_the_copys_file_and_in_files_above_it() {
        let notices = ["Copyright (c) 2013 Alpha Authors. All rights reserved."];
        let given = |path: &str| Attribution::Given(path.to_owned());
        check("/* (C) 2012-2014 by alpha authors */", &[], &notices, &given("src/a.c"));
        check("", &[("NOTICE", "alpha: Copyright 2013 Alpha Authors")], &notices, &given("NOTICE"));
        let above = [("src/LICENSE.alpha", "Copyright 2013 Alpha Authors")];
        check("", &above, &notices, &given("src/LICENSE.alpha"));
        for marks in ["// ", "# ", "-- ", "<!-- ", "\t** ", "REM ", "' "] {
            for end in ["\n", "\r\n", "\r"] {
                let text = format!("{marks}Copyright 2013 Alpha Authors{end}{marks}x{end}");
                check(&text, &[], &notices, &given("src/a.c"));
            }
        }
        check("/* Copyright 2013 Alpha\r\n * Authors */", &[], &notices, &given("src/a.c"));
        let owed = Attribution::Owed(vec![notices[0].to_owned()]);
        check("", &[("lib/NOTICE", "Copyright 2013 Alpha Authors")], &notices, &owed);
        check("alpha", &[("NOTICE", "Copyright 2013 Beta Authors")], &notices, &owed);
    }

    #[test]
    fn where_no_notice_is_known_the_names_have_to_be_there() {
        check("// from alpha, MIT", &[], &[], &Attribution::Given("src/a.c".to_owned()));
        check("// from alpha", &[], &[], &Attribution::Owed(Vec::new()));
    }

    #[test]
    fn files_that_give_notices_are_known_by_their_names() {
        let gives = |path: &str| gives_notice(&FilePath::new(path));
        assert!(gives("NOTICE") && gives("docs/THIRD-PARTY-NOTICES.md"));
        assert!(gives("LICENSE.linenoise"));
        assert!(!gives("license.rs") && !gives("README.md"));
    }
}
