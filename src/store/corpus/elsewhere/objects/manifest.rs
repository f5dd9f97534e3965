//! Names what a corpus in an object store consists of, and replaces that as a whole.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Objects;
use crate::store::corpus::{CorpusError, Stats, hex, is_hex, is_name};

/// The version of manifests, tables and indexes.
pub(super) const VERSION: u32 = 4;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    pub version: u32,
    pub name: String,
    /// Increases with each change.
    pub number: u64,
    pub sources: Vec<Source>,
    /// The tables that have their postings.
    pub tables: Vec<TableObjects>,
    /// Sources that were removed or replaced, and tables that were written anew, whose objects may
    /// still be read.
    pub removed: Vec<Removal<Source>>,
    pub dropped: Vec<Removal<TableObjects>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Source {
    pub key: String,
    pub label: String,
    pub stats: Stats,
    /// The SHA-256 and the length of its segment.
    pub segment: String,
    pub len: u64,
    /// k and w.
    pub sampling: (usize, usize),
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TableObjects {
    /// The SHA-256 and the length of each.
    pub table: String,
    pub len: u64,
    pub index: String,
    pub index_len: u64,
    pub n_postings: u64,
    /// The k and w of its members, and the SHA-256 of their segments.
    pub sampling: (usize, usize),
    pub members: Vec<String>,
}

/// What the manifest does not count any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Removal<T> {
    pub of: T,
    /// When, in seconds since 1970.
    pub time: u64,
}

impl Source {
    pub fn segment(&self) -> Object {
        Object::segment(&self.segment, self.len)
    }
}

impl TableObjects {
    pub fn table(&self) -> Object {
        Object { folder: FOLDERS[1], digest: self.table.clone(), len: self.len }
    }

    pub fn index(&self) -> Object {
        Object { folder: FOLDERS[2], digest: self.index.clone(), len: self.index_len }
    }
}

impl<T> Removal<T> {
    pub fn now(of: T) -> Self {
        Self { of, time: now() }
    }
}

impl Manifest {
    /// The parts of the objects of sources and tables that may be read, by their names.
    pub fn parts(&self) -> BTreeSet<String> {
        let of_tables = self.all_tables().flat_map(|of| [of.table(), of.index()]);
        let objects = self.all_sources().map(Source::segment).chain(of_tables);
        let parts =
            objects.flat_map(|of| Object::parts(0..of.len).map(move |(number, _)| of.part(number)));
        parts.collect()
    }

    /// The sources and those that were removed.
    fn all_sources(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter().chain(self.removed.iter().map(|removed| &removed.of))
    }

    /// The tables and those that were written anew.
    fn all_tables(&self) -> impl Iterator<Item = &TableObjects> {
        self.tables.iter().chain(self.dropped.iter().map(|dropped| &dropped.of))
    }

    /// Whether a member of a table is of no source any more.
    pub fn lacks_some(&self, table: &TableObjects) -> bool {
        let segments: BTreeSet<&str> =
            self.sources.iter().map(|source| source.segment.as_str()).collect();
        table.members.iter().any(|member| !segments.contains(member.as_str()))
    }
}

/// The name of the manifest as it is now.
const CURRENT: &str = "corpus.json";

/// The folders of objects: segments, tables, and indexes.
pub(super) const FOLDERS: [&str; 3] = ["segments", "tables", "indexes"];

fn numbered(number: u64) -> String {
    format!("manifests/{number}.json")
}

/// Bytes of a part of an object. Some servers copy all of a file to answer for a range of it: moto
/// took 40 ms to read 4 KiB of 128 MB, and takes 3 ms to read them of a part.
pub(super) const PART: u64 = 4 << 20;

/// Maximum bytes of an object: its parts are listed by those who write, and a manifest may say
/// anything.
const MAX_LEN: u64 = 1 << 40;

/// A file that is named by its contents and never changed, in parts: the objects
/// `<folder>/<sha256>/0`, `1` and so on.
#[derive(Debug, Clone)]
pub(super) struct Object {
    folder: &'static str,
    /// Its SHA-256.
    pub digest: String,
    pub len: u64,
}

impl Object {
    pub fn segment(digest: &str, len: u64) -> Self {
        Self { folder: FOLDERS[0], digest: digest.to_owned(), len }
    }

    pub fn part(&self, number: u64) -> String {
        format!("{self}/{number}")
    }

    /// The parts of a range of its bytes: the number of each, and the bytes of it.
    pub fn parts(range: Range<u64>) -> impl Iterator<Item = (u64, Range<u64>)> {
        let numbers = range.start / PART..range.end.div_ceil(PART);
        numbers.map(move |number| {
            let start = number * PART;
            (number, range.start.max(start) - start..range.end.min(start + PART) - start)
        })
    }
}

impl std::fmt::Display for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.folder, self.digest)
    }
}

impl Objects {
    fn manifest(&self) -> Result<Option<Manifest>, CorpusError> {
        let Some(bytes) = self.read_manifest(CURRENT)? else { return Ok(None) };
        let found = hex(&Sha256::digest(&bytes));
        if let Some(wanted) = self.digest.as_ref().filter(|wanted| **wanted != found) {
            return Err(self
                .location
                .fails(format!("the SHA-256 of its manifest is {found}, not {wanted}")));
        }
        manifest_of(&bytes).map(Some).map_err(|why| self.location.fails(why))
    }

    fn read_manifest(&self, name: &str) -> Result<Option<Vec<u8>>, CorpusError> {
        let found = self.session.runtime.block_on(self.session.whole(name));
        found.map_err(|why| self.location.fails_with(why))
    }

    pub(super) fn known_manifest(&self) -> Result<Manifest, CorpusError> {
        let none = "there is no corpus; `secondhand corpus push NAME URL` makes one";
        self.manifest()?.ok_or_else(|| self.location.fails(none))
    }

    /// Makes `manifest` the next one; nobody else may have done that since it was read.
    pub(super) fn swap(&self, mut manifest: Manifest) -> Result<String, CorpusError> {
        manifest.number += 1;
        manifest.sources.sort_by(|a, b| (&a.label, &a.key).cmp(&(&b.label, &b.key)));
        let bytes = serde_json::to_vec_pretty(&manifest).map_err(|why| self.location.fails(why))?;
        let digest = hex(&Sha256::digest(&bytes));
        let session = &self.session;
        let made = session.runtime.block_on(async {
            let is_ours = session.create(&numbered(manifest.number), bytes.clone()).await?;
            if is_ours {
                session.put(CURRENT, bytes).await?;
                // Somebody who came later may have been faster, and ours now be where theirs was.
                let mut number = manifest.number;
                while let Some(later) = session.whole(&numbered(number + 1)).await? {
                    session.put(CURRENT, later).await?;
                    number += 1;
                }
            }
            Ok(is_ours)
        });
        match made.map_err(|why| self.location.fails_with(why))? {
            true => Ok(digest),
            false => Err(CorpusError::Busy(self.location.to_string())),
        }
    }

    /// The manifest to change: a writer that died may have left a newer one than the current one.
    pub(super) fn newest(&self) -> Result<Option<Manifest>, CorpusError> {
        let current = self.manifest()?;
        let Some(mut manifest) =
            current.map_or_else(|| self.numbered(1), |found| Ok(Some(found)))?
        else {
            return Ok(None);
        };
        while let Some(next) = self.numbered(manifest.number + 1)? {
            manifest = next;
        }
        Ok(Some(manifest))
    }

    fn numbered(&self, number: u64) -> Result<Option<Manifest>, CorpusError> {
        let bytes = self.read_manifest(&numbered(number))?;
        bytes.map(|bytes| manifest_of(&bytes).map_err(|why| self.location.fails(why))).transpose()
    }
}

fn manifest_of(bytes: &[u8]) -> Result<Manifest, String> {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let Version { version } =
        serde_json::from_slice(bytes).map_err(|why| format!("its manifest: {why}"))?;
    if version != VERSION {
        return Err(format!(
            "its manifest has version {version}, and this program knows version {VERSION}"
        ));
    }
    let manifest: Manifest =
        serde_json::from_slice(bytes).map_err(|why| format!("its manifest: {why}"))?;
    let are_sound = manifest
        .all_sources()
        .all(|of| is_hex(&of.key, 16) && is_hex(&of.segment, 64) && of.len <= MAX_LEN);
    let are_whole = manifest.all_tables().all(|of| {
        is_hex(&of.table, 64) && is_hex(&of.index, 64) && of.len.max(of.index_len) <= MAX_LEN
    });
    if is_name(&manifest.name) && are_sound && are_whole {
        return Ok(manifest);
    }
    Err("its manifest names what it cannot name".to_owned())
}

pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
