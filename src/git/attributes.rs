//! Reads what `.gitattributes` say about a tree's files: their language, and whether they are
//! generated or vendored.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use gix::attrs::search::{MetadataCollection, Outcome};
use gix::attrs::{Search, StateRef};
use gix::bstr::ByteSlice;

use super::{Entry, Error, ReadFiles};
use crate::files;
use crate::text::{FilePath, MAX_WRITTEN};

/// The `.gitattributes` files of a tree, as far as they concern languages.
#[derive(Default)]
pub struct Attributes {
    rules: Option<(Search, MetadataCollection)>,
    /// Room for what matches a file, made for one before: to make it takes as long as to match.
    outcomes: Mutex<Vec<Outcome>>,
    /// Files that are not generated, whatever they claim.
    pub not_generated: BTreeSet<FilePath>,
    /// The languages of files that have none by their names or by a rule.
    pub languages: BTreeMap<FilePath, String>,
}

/// The attributes of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileAttributes {
    /// The name of its language: `linguist-language`.
    pub language: Option<String>,
    /// Whether it is generated: `linguist-generated`.
    pub generated: Option<bool>,
    /// Whether it is third-party code: `linguist-vendored`.
    pub vendored: Option<bool>,
    /// Whether it is documentation: `linguist-documentation`.
    pub documentation: Option<bool>,
}

const NAMES: [&str; 4] =
    ["linguist-language", "linguist-generated", "linguist-vendored", "linguist-documentation"];
const FILE: &[u8] = b".gitattributes";

impl Attributes {
    /// Reads every `.gitattributes` among `entries`; one in a folder overrides those above it.
    pub fn read(entries: &[Entry], reader: &impl ReadFiles) -> Result<Self, files::Error> {
        let mut files: Vec<&Entry> =
            entries.iter().filter(|entry| entry.path.name() == FILE).collect();
        files.sort_unstable_by_key(|entry| entry.path.depth());
        let (mut search, mut names) = (Search::default(), MetadataCollection::default());
        let (mut is_telling, mut has_macros) = (false, false);
        for entry in files {
            let Some(text) = Self::text(entry, reader)? else { continue };
            let has = |word: &str| memchr::memmem::find(&text, word.as_bytes()).is_some();
            let is_root = entry.path.as_bytes() == FILE;
            let is_asked = has("linguist-");
            // A macro, which only the root can define, may set what we ask for.
            has_macros |= is_asked && is_root && has("[attr]");
            if !is_asked && !has_macros {
                continue;
            }
            is_telling = true;
            // Others set what nobody asks for, and each is matched with every file.
            let text = if has_macros { text } else { lines_with(&text, "linguist-") };
            let name = gix::path::from_bstr(entry.path.as_bytes().as_bstr()).unwrap_or_default();
            search
                .add_patterns_buffer(
                    &text,
                    name.into_owned(),
                    Some(Path::new("")),
                    &mut names,
                    is_root,
                )
                .map_err(|why| Error::unreadable(&entry.path.to_string(), &why))?;
        }
        Ok(Self { rules: is_telling.then_some((search, names)), ..Self::default() })
    }

    /// The text of a `.gitattributes` file; `None` of one that is too large to be read.
    pub fn text(entry: &Entry, reader: &impl ReadFiles) -> Result<Option<Vec<u8>>, files::Error> {
        let is_too_large = reader.size(entry).is_some_and(|size| size > MAX_WRITTEN);
        (!is_too_large).then(|| reader.read(entry)).transpose()
    }

    /// Whether they have no attributes for any file.
    pub fn is_empty(&self) -> bool {
        self.rules.is_none() && self.not_generated.is_empty() && self.languages.is_empty()
    }

    /// The attributes of the file at `path`.
    pub fn of(&self, path: &FilePath) -> FileAttributes {
        let generated = self.not_generated.contains(path).then_some(false);
        let language = self.languages.get(path).cloned();
        let mut found = FileAttributes { language, generated, ..FileAttributes::default() };
        let Some((search, names)) = &self.rules else { return found };
        let mut outcome = self.outcome(names);
        let (path, case) = (path.as_bytes().as_bstr(), gix::glob::pattern::Case::Sensitive);
        search.pattern_matching_relative_path(path, case, Some(false), &mut outcome);
        for assignment in outcome.iter_selected().map(|found| found.assignment) {
            let is_set = match assignment.state {
                StateRef::Set => Some(true),
                StateRef::Unset => Some(false),
                StateRef::Value(value) => Some(value.as_bstr() != "false"),
                StateRef::Unspecified => None,
            };
            match (assignment.name.as_str(), assignment.state) {
                ("linguist-language", StateRef::Value(value)) => {
                    found.language = Some(value.as_bstr().to_string());
                }
                ("linguist-generated", _) => found.generated = is_set.or(found.generated),
                ("linguist-vendored", _) => found.vendored = is_set,
                ("linguist-documentation", _) => found.documentation = is_set,
                _ => {}
            }
        }
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
        found
    }

    /// Room for what matches a file.
    fn outcome(&self, names: &MetadataCollection) -> Outcome {
        let used = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut outcome = used.unwrap_or_else(|| {
            let mut new = Outcome::default();
            new.initialize_with_selection(names, NAMES);
            new
        });
        outcome.reset();
        outcome
    }
}

/// The lines of a text that have `word`.
fn lines_with(text: &[u8], word: &str) -> Vec<u8> {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    lines
        .filter(|line| memchr::memmem::find(line, word.as_bytes()).is_some())
        .flatten()
        .copied()
        .collect()
}
