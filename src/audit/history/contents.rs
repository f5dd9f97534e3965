//! Tracks which contents of a repository have each fingerprint. Grows from commit to commit.
//!
//! The tree of a commit is a selection of these contents, so no tree has to be indexed again.

use std::collections::BTreeMap;

use foldhash::HashMap;
use rayon::prelude::*;

use crate::audit::Error;
use crate::audit::read::{Sources, distinct};
use crate::files::{BlobId, Entry, ReadFiles};
use crate::git::{Repository, Snapshot};
use crate::text::FilePath;

const NONE: u32 = u32::MAX;

/// A content, and how it is read.
type ContentReading = (BlobId, u64);

/// The files of a tree that are compared with a change.
pub(in crate::audit) struct ComparedTree {
    pub entries: Vec<Entry>,
    readings: Vec<u64>,
}

/// How the files at some paths are read, in order; `None` for those that are not compared.
#[derive(Default)]
pub(in crate::audit) struct PathReadings(Vec<(FilePath, Option<u64>)>);

impl PathReadings {
    /// Of a tree without attributes: those may read a path in another way in each commit.
    pub fn new(tree: &Snapshot, sources: &Sources<'_>) -> Self {
        let paths = tree.entries.par_iter().map(|entry| &entry.path);
        Self(paths.map(|path| (path.clone(), sources.compared_reading(path))).collect())
    }
}

impl ComparedTree {
    /// Time linear in the files and in the `known` paths, those of a tree that is much like it.
    pub fn new(tree: Snapshot, known: &PathReadings, sources: &Sources<'_>) -> Self {
        let mut known = known.0.iter().peekable();
        let compared = tree.entries.into_iter().filter_map(|entry| {
            entry.blob()?;
            while known.next_if(|(path, _)| *path < entry.path).is_some() {}
            let known = known.next_if(|(path, _)| *path == entry.path);
            let reading = known
                .map_or_else(|| sources.compared_reading(&entry.path), |(_, reading)| *reading);
            Some((entry, reading?))
        });
        let (entries, readings) = compared.unzip();
        Self { entries, readings }
    }

    fn contents(&self) -> impl Iterator<Item = ContentReading> {
        let files = self.entries.iter().zip(&self.readings);
        files.filter_map(|(entry, reading)| Some((entry.blob()?, *reading)))
    }
}

#[derive(Debug, Default)]
pub(in crate::audit) struct KnownPrints {
    numbers: HashMap<ContentReading, u32>,
    /// For each fingerprint the last of its rows.
    last: HashMap<u64, u32>,
    /// Contents with a fingerprint, and the previous row of the same fingerprint.
    rows: Vec<(u32, u32)>,
}

impl KnownPrints {
    /// Reads those contents of `trees` that are not known yet.
    pub fn learn<'t>(
        &mut self,
        trees: impl Iterator<Item = (&'t ComparedTree, &'t Sources<'t>)>,
        repository: &Repository,
    ) -> Result<(), Error> {
        let mut unknown: BTreeMap<ContentReading, (&Entry, &Sources<'_>)> = BTreeMap::new();
        for (tree, sources) in trees {
            for (entry, reading) in tree.entries.iter().zip(tree.contents()) {
                if !self.numbers.contains_key(&reading) {
                    unknown.entry(reading).or_insert((entry, sources));
                }
            }
        }
        let unknown: Vec<_> = unknown.into_iter().collect();
        let read = unknown.par_iter().map_init(
            || (repository.reader(), Vec::new(), Vec::new()),
            |(reader, tokens, hashes), &(_, (entry, sources))| {
                if sources.is_too_large(reader, entry) {
                    return Ok(Vec::new());
                }
                let Ok(text) = reader.try_read(entry)? else { return Ok(Vec::new()) };
                if sources.lex(&entry.path, &text, tokens).is_err() {
                    return Ok(Vec::new());
                }
                let prints = sources.config.fingerprint.fingerprints(tokens, hashes);
                Ok(distinct(prints.map(|print| print.hash)))
            },
        );
        let read = read.collect::<Result<Vec<Vec<u64>>, Error>>()?;
        for ((reading, _), prints) in unknown.into_iter().zip(read) {
            let number = self.numbers.len() as u32;
            self.numbers.insert(reading, number);
            for print in prints {
                let row = self.rows.len() as u32;
                let before = self.last.insert(print, row).unwrap_or(NONE);
                self.rows.push((number, before));
            }
        }
        Ok(())
    }

    /// The contents of a tree, for [`KnownPrints::holders`].
    pub fn tree(&self, compared: &ComparedTree) -> KnownTree {
        let mut files: Vec<(u32, u32)> = Vec::with_capacity(compared.entries.len());
        for (at, reading) in compared.contents().enumerate() {
            files.extend(self.numbers.get(&reading).map(|&number| (number, at as u32)));
        }
        files.sort_unstable();
        let mut first = vec![NONE; self.numbers.len()];
        for (at, &(number, _)) in files.iter().enumerate().rev() {
            first[number as usize] = at as u32;
        }
        KnownTree { files, first }
    }

    /// The files of a tree that hold a fingerprint, in any order.
    pub fn holders<'k>(&'k self, hash: u64, tree: &'k KnownTree) -> impl Iterator<Item = u32> + 'k {
        let mut row = self.last.get(&hash).copied().unwrap_or(NONE);
        let numbers = std::iter::from_fn(move || {
            let &(number, before) = self.rows.get(row as usize)?;
            row = before;
            Some(number)
        });
        numbers.flat_map(|number| {
            let first = tree.first.get(number as usize).copied().filter(|&first| first != NONE);
            let from = first.map_or(tree.files.len(), |first| first as usize);
            tree.files[from..].iter().take_while(move |file| file.0 == number).map(|file| file.1)
        })
    }
}

/// Which of the known contents a tree has, and at which paths.
pub(in crate::audit) struct KnownTree {
    /// Contents and the numbers of the files that are them, sorted.
    files: Vec<(u32, u32)>,
    /// For each content, its first row, or [`NONE`].
    first: Vec<u32>,
}
