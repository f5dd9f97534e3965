//! Finds pairs of files that are kept in step: what is edited in one is edited in the other, too.
//!
//! The last versions of both are read, from the base back, if the two still share code in the base.
//! Two edits are alike if they add the same lines, in one commit or two: a fix is often brought to
//! the twin later.

use std::collections::HashMap;
use std::hash::BuildHasher;

use foldhash::HashSet;
use foldhash::fast::FixedState;

use super::Error;
use super::versions::Versions;
use crate::files::BlobId;
use crate::policy::{Finding, Level, Milder, Place, Topic};
use crate::text::FilePath;

/// Minimum edits of both that are alike: one may be the copy that made them a pair.
const MIN_EDITS: usize = 2;
/// Minimum lines in both of two edits: renaming a module changes one or two in many files.
const MIN_LINES: usize = 3;
/// Minimum bytes of such a line: a shorter one is like many others.
const MIN_BYTES: usize = 12;
/// Maximum files whose versions are read.
pub(super) const MAX_FILES: usize = 16;

/// The path in base of a file of the head; `None` if it is new.
pub(super) type PathBefore<'p> = dyn Fn(&FilePath) -> Option<FilePath> + 'p;

/// The paths in base of the two files of a warning about copied code, if both were there.
fn pair(finding: &Finding, before: &PathBefore<'_>) -> Option<(FilePath, FilePath)> {
    let is_asked = finding.level > Level::Note
        && finding.rule.topic == Topic::Duplication
        && finding.is_copy();
    let origin = finding.origins.first().filter(|_| is_asked)?;
    let is_other = origin.place == Place::Tree && origin.path != finding.path;
    is_other.then(|| before(&finding.path).zip(before(&origin.path))).flatten()
}

/// Lines that tell something, by their hashes.
type TellingLines = HashSet<u64>;

/// The past of the files that findings name.
pub(super) struct Edits<'e> {
    pub versions: Versions<'e>,
    /// For each path in base, the pairs of neighboring lines of the file, by their hashes.
    present: HashMap<FilePath, HashSet<u64>>,
    /// For each path in base, the lines that its last edits added.
    known: HashMap<FilePath, Vec<TellingLines>>,
}

impl<'e> Edits<'e> {
    pub fn new(versions: Versions<'e>) -> Self {
        Self { versions, present: HashMap::new(), known: HashMap::new() }
    }

    /// The paths in base of the two files of a warning about copied code, if they may be kept in
    /// step: they share half as many pairs of neighboring lines as the copy has lines. What was
    /// added to both is mostly there still: this is quick to read, while walking back is not.
    pub fn pair(
        &mut self,
        finding: &Finding,
        before: &PathBefore<'_>,
    ) -> Result<Option<(FilePath, FilePath)>, Error> {
        let Some((own, other)) = pair(finding, before) else { return Ok(None) };
        for path in [&own, &other] {
            if !self.present.contains_key(path) {
                let &Versions { reader, base, .. } = &self.versions;
                let blob = reader.blob_at(base, path)?;
                let text = blob.map(|blob| reader.past_blob(blob, path)).transpose()?.flatten();
                let lines: Vec<u64> = telling_lines(&text.unwrap_or_default()).collect();
                let pairs = lines.windows(2).map(|pair| FixedState::default().hash_one(pair));
                self.present.insert(path.clone(), pairs.collect());
            }
        }
        let n_shared = self.present[&own].intersection(&self.present[&other]).count();
        Ok((n_shared >= finding.worth.n_equal_lines.max(MIN_LINES) / 2).then_some((own, other)))
    }

    /// Makes a note of a warning about copied code in files that are kept in step, as far as known.
    pub fn soften(&mut self, finding: &mut Finding, before: &PathBefore<'_>) -> Result<(), Error> {
        let Some((own, other)) = self.pair(finding, before)? else { return Ok(()) };
        let n_edits = self.n_alike(&own, &other, finding.worth.n_equal_lines)?;
        if n_edits >= MIN_EDITS {
            (finding.level, finding.milder) = (Level::Note, Some(Milder::EditedInStep(n_edits)));
        }
        Ok(())
    }

    /// The number of edits of one file that are alike to one of the other; 0 if none has `least`
    /// in both: what is larger than all that the two got before is no such edit.
    fn n_alike(&mut self, own: &FilePath, other: &FilePath, least: usize) -> Result<usize, Error> {
        // Walking back takes long, and most files have few edits.
        self.learn(own)?;
        if self.known.get(own).is_none_or(|edits| edits.len() < MIN_EDITS) {
            return Ok(0);
        }
        self.learn(other)?;
        let edits = self.known.get(own).zip(self.known.get(other));
        let Some((own, other)) = edits else { return Ok(0) };
        let has_as_large = own.iter().any(|edit| {
            other.iter().any(|of| are_alike(edit, of) && edit.intersection(of).count() >= least)
        });
        Ok(if has_as_large { n_met(own, other).min(n_met(other, own)) } else { 0 })
    }

    /// Reads the edits of a file, unless they are known, or those of too many are.
    fn learn(&mut self, path: &FilePath) -> Result<(), Error> {
        if !self.known.contains_key(path) && self.known.len() < MAX_FILES {
            let edits = self.read(path)?;
            self.known.insert(path.clone(), edits);
        }
        Ok(())
    }

    fn read(&mut self, path: &FilePath) -> Result<Vec<TellingLines>, Error> {
        let &Versions { reader, base, .. } = &self.versions;
        let Some(present) = reader.blob_at(base, path)? else { return Ok(Vec::new()) };
        let before = self.versions.of(path)?.iter().map(|edit| edit.before);
        let all: Vec<BlobId> = std::iter::once(present).chain(before).collect();
        reader.fetch_blobs(&mut all.iter().copied());
        let mut edits = Vec::new();
        let mut newer: Option<TellingLines> = None;
        for blob in all {
            let Some(text) = reader.past_blob(blob, path)? else { break };
            let lines: TellingLines = telling_lines(&text).collect();
            edits.extend(newer.map(|newer| newer.difference(&lines).copied().collect()));
            newer = Some(lines);
        }
        edits.retain(|edit: &TellingLines| edit.len() >= MIN_LINES);
        Ok(edits)
    }
}

/// The lines of a text that tell something, without the white space around them, by their hashes.
fn telling_lines(text: &[u8]) -> impl Iterator<Item = u64> {
    let lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| line.len() >= MIN_BYTES).map(|line| FixedState::default().hash_one(line))
}

/// The number of edits to which one of `others` is alike.
fn n_met(edits: &[TellingLines], others: &[TellingLines]) -> usize {
    edits.iter().filter(|edit| others.iter().any(|other| are_alike(edit, other))).count()
}

/// Whether two edits add mostly the same lines.
fn are_alike(a: &TellingLines, b: &TellingLines) -> bool {
    let n_same = a.intersection(b).count();
    n_same >= MIN_LINES && 2 * n_same >= a.len().max(b.len())
}
