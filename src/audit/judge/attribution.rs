//! Checks whether the notices of an origin are given where its license requires them.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::audit::read::Source;
use crate::files::{Entry, ReadFiles};
use crate::git::Repository;
use crate::license::{Terms, is_source, legible};
use crate::policy::Attribution;
use crate::text::{FilePath, MAX_WRITTEN};

/// The files of a tree with notices, by their folders. Only those above copies are read.
#[derive(Default)]
pub(in crate::audit) struct Attributions<'r> {
    repository: Option<&'r Repository>,
    folders: BTreeMap<&'r [u8], Vec<NoticeFile<'r>>>,
}

/// A file with notices, and its words once they are asked for; `None` if it cannot be read.
struct NoticeFile<'r> {
    entry: &'r Entry,
    words: OnceLock<Option<String>>,
}

impl<'r> Attributions<'r> {
    /// The files of a tree that contain notices, of at most 4 MB.
    pub fn new(entries: &'r [Entry], repository: &'r Repository) -> Self {
        let mut folders: BTreeMap<&[u8], Vec<_>> = BTreeMap::new();
        for entry in entries.iter().filter(|entry| gives_notice(&entry.path)) {
            let file = NoticeFile { entry, words: OnceLock::new() };
            folders.entry(entry.path.folder()).or_default().push(file);
        }
        Self { repository: Some(repository), folders }
    }

    fn words<'a>(&'a self, file: &'a NoticeFile<'r>) -> Option<&'a str> {
        let read = || {
            let reader = self.repository?.reader();
            let is_read = reader.size(file.entry).is_none_or(|size| size <= MAX_WRITTEN);
            let bytes = is_read.then(|| reader.read(file.entry).ok()).flatten()?;
            Some(words(&legible(&bytes)))
        };
        file.words.get_or_init(read).as_deref()
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
        let gives = |text: &str| needed.iter().all(|words| text.contains(*words));
        let own_path = copy.path.as_bytes();
        let ends = memchr::memrchr_iter(b'/', own_path).map(|end| end + 1).chain([0]);
        let mut above = ends.filter_map(|end| self.folders.get(&own_path[..end])).flatten();
        let giving = match gives(&of_copy) {
            true => Some(&copy.path),
            false => above.find(|of| self.words(of).is_some_and(gives)).map(|of| &of.entry.path),
        };
        match giving {
            Some(path) => Attribution::Given(path.to_string()),
            None => {
                Attribution::Owed(holders.iter().map(|(notice, _)| (*notice).clone()).collect())
            }
        }
    }
}

/// Whether a file with this name contains notices of others.
fn gives_notice(path: &FilePath) -> bool {
    let name = path.name_lossy().to_lowercase();
    let begins = [
        "notice", "third-party", "third_party", "thirdparty", "3rdparty", "3rd-party", "3rd_party",
        "license", "licence", "copying", "copyright", "credits", "attribution", "acknowledg",
    ];
    begins.iter().any(|begin| name.starts_with(begin)) && !is_source(path)
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
    use crate::git::blob_id;
    use crate::license::Expression;

    #[track_caller]
    fn check(copy_text: &str, files: &[(&str, &str)], notices: &[&str], expected: &Attribution) {
        let copy = Source::plain(FilePath::new("src/a.c"), copy_text.into(), Vec::new(), ["", ""]);
        let entry = |(path, _): &(&str, _)| Entry::of_blob(&FilePath::new(*path), blob_id(b""));
        let entries: Vec<Entry> = files.iter().map(entry).collect();
        let mut folders: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (entry, (_, text)) in entries.iter().zip(files) {
            let file = NoticeFile { entry, words: OnceLock::from(Some(words(text))) };
            folders.entry(entry.path.folder()).or_default().push(file);
        }
        let terms = Terms {
            license: Expression::parse("MIT"),
            notices: notices.iter().map(|notice| (*notice).to_owned()).collect(),
            ..Terms::default()
        };
        assert_eq!(
            Attributions { repository: None, folders }.of(&copy, "alpha", &terms),
            *expected
        );
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
        assert!(!gives("license.rs") && !gives("Copyright.php") && !gives("README.md"));
    }
}
