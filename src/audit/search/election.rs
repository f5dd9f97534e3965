//! Chooses the blobs of a corpus to align with each query, by the fingerprints that vote for them.
//!
//! The files of a tree are chosen in [`candidates`](super::candidates). A corpus has histories
//! besides, in which a fingerprint is indexed at the version that first had it:
//!
//! ```text
//!                  versions of a file      1    2    3    4    5
//! fingerprints of the query that are new   90   0    4    0    7     101 votes for the file
//! lines of the query that it has           120  120  128  128  140   5 is the best, 3 the next
//! ```
//!
//! So files are elected by the votes for all their versions, and of a file with many versions those
//! are aligned that share most lines with the query.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock};

use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;

use super::line_counts::{LineCounts, SharedLines};
use crate::audit::read::Source;
use crate::config::Foreign;
use crate::policy::FirstAppearance;
use crate::sources::ReleaseHistory;
use crate::store::SegmentError;
use crate::store::corpus::{BlobAt, CorpusSegment, StoredFile};
use crate::text::{FilePath, fnv_1a};

/// Maximum votes to count in total, those of the rarest fingerprints first.
const BUDGET: usize = 1_000_000;
/// Maximum files to align with one query.
const MAX_CANDIDATES: usize = 100;
/// Once this many files account for a fingerprint, it counts no longer; of a file, this many
/// versions are aligned, and the last one that has anything new.
const ENOUGH: usize = 3;
/// An earlier version has the code if it shares at least this fraction of what the best one shares.
pub(in crate::audit) const AS_MUCH: f64 = 0.75;

/// The name of a component, and the path of a file in it.
pub(super) type ComponentPath = (String, FilePath);

/// When files first had some code.
pub(super) type Since = BTreeMap<ComponentPath, FirstAppearance>;

#[derive(Default)]
pub(super) struct Winners {
    /// Each with the numbers of the queries to align it with.
    pub wanted: BTreeMap<BlobAt, Vec<usize>>,
    /// For files that have much of a query, the first version that has about as much of it.
    pub since: Since,
}

/// A fingerprint of a query, and where the corpus has it.
pub(super) struct CorpusHit {
    pub query: usize,
    pub position: u32,
    /// The number of components that have it.
    pub n_components: u32,
    pub blobs: Arc<[BlobAt]>,
}

/// A blob that is a version of a file.
#[derive(Debug, Clone, Copy)]
struct FileVersion {
    /// A hash of its component and path.
    file: u64,
    /// When it first appeared, in seconds since 1970.
    time: i64,
    /// Whether its component copied it from another project.
    is_of_copy: bool,
}

/// What is known of the versions of files in some segments, once it was asked for.
#[derive(Debug, Default)]
pub(super) struct KnownVersions {
    /// For each segment, which version of a file each of its blobs is.
    of_segments: Vec<OnceLock<Vec<OnceLock<FileVersion>>>>,
    /// What files have in common with blobs, by the lines of the file.
    shared: Mutex<HashMap<(u64, BlobAt), SharedLines>>,
}

impl KnownVersions {
    pub fn new(n: usize) -> Self {
        Self { of_segments: (0..n).map(|_| OnceLock::new()).collect(), shared: Mutex::default() }
    }

    /// Which version of a file a blob is; `None` if its component has no history, or is elsewhere.
    fn version(
        &self,
        segments: &[CorpusSegment],
        (number, blob): BlobAt,
    ) -> Result<Option<FileVersion>, SegmentError> {
        let segment = &segments[number];
        if segment.is_elsewhere() || !segment.has_past() {
            return Ok(None);
        }
        let known = self.of_segments[number]
            .get_or_init(|| vec![OnceLock::new(); segment.n_blobs() as usize]);
        let Some(known) = known.get(blob as usize) else { return Ok(None) };
        if let Some(version) = known.get() {
            return Ok(Some(*version));
        }
        let StoredFile { component, path, seen, .. } = oldest(segment.files(blob)?);
        let bytes = component.to_le_bytes().into_iter().chain(path.as_bytes().iter().copied());
        let is_of_copy = Foreign::above(&path).is_some();
        let time = seen.map_or(i64::MAX, |seen| seen.time);
        let version = FileVersion { file: fnv_1a(bytes), time, is_of_copy };
        Ok(Some(*known.get_or_init(|| version)))
    }

    /// What the lines of a file have in common with a blob of the segment with this number.
    pub fn shared_lines(
        &self,
        own: &LineCounts,
        segment: &CorpusSegment,
        at: BlobAt,
    ) -> Result<SharedLines, SegmentError> {
        if let Some(shared) = self.known_lines(own, at) {
            return Ok(shared);
        }
        let shared = own.shared(&sorted_lines(segment, at)?);
        self.remember_lines(own, at, shared);
        Ok(shared)
    }

    /// Compares the lines of `files` with a blob, which is unpacked once.
    fn compare_lines<'l>(
        &self,
        files: impl Iterator<Item = &'l LineCounts>,
        segment: &CorpusSegment,
        at: BlobAt,
    ) -> Result<(), SegmentError> {
        let mut files = files.filter(|own| self.known_lines(own, at).is_none()).peekable();
        if files.peek().is_some() {
            let lines = sorted_lines(segment, at)?;
            files.for_each(|own| self.remember_lines(own, at, own.shared(&lines)));
        }
        Ok(())
    }

    fn known_lines(&self, own: &LineCounts, at: BlobAt) -> Option<SharedLines> {
        self.shared.lock().ok()?.get(&(own.digest, at)).copied()
    }

    fn remember_lines(&self, own: &LineCounts, at: BlobAt, shared: SharedLines) {
        if let Ok(mut all) = self.shared.lock() {
            all.insert((own.digest, at), shared);
        }
    }
}

fn sorted_lines(segment: &CorpusSegment, at: BlobAt) -> Result<Vec<u64>, SegmentError> {
    let mut lines = segment.line_keys(at.1)?;
    lines.sort_unstable();
    Ok(lines)
}

/// Of files that are equal, of which there is one, that which had the content first.
pub(super) fn oldest(files: Vec<StoredFile>) -> StoredFile {
    let oldest =
        files.into_iter().min_by_key(|file| file.seen.as_ref().map_or(i64::MAX, |seen| seen.time));
    oldest.expect("a blob is that of a file")
}

pub(super) fn first_appearance(seen: &ReleaseHistory) -> FirstAppearance {
    FirstAppearance { commit: seen.commit.clone(), time: seen.time }
}

/// Notes an appearance of a file if it is the first one known.
pub(super) fn note_first(since: &mut Since, file: ComponentPath, seen: &FirstAppearance) {
    let known = since.entry(file).or_insert_with(|| seen.clone());
    if seen.time < known.time {
        *known = seen.clone();
    }
}

/// Chooses the blobs of `segments` to align with each of `queries`, which have these `hits`.
pub(super) fn elect(
    segments: &[CorpusSegment],
    known: &KnownVersions,
    mut hits: Vec<CorpusHit>,
    queries: &[&Source],
) -> Result<Winners, SegmentError> {
    // Where the budget of votes ends, what was not counted is the most common.
    hits.sort_by_key(|hit| (hit.blobs.len(), hit.query, hit.position));
    let mut n_counted = 0;
    let mut of_queries: Vec<Vec<CorpusHit>> = queries.iter().map(|_| Vec::new()).collect();
    for hit in hits {
        n_counted += hit.blobs.len();
        if n_counted > BUDGET {
            break;
        }
        of_queries[hit.query].push(hit);
    }
    let election = Election { segments, known };
    let candidates = of_queries.par_iter().map(|hits| election.of_query(hits));
    let candidates = candidates.collect::<Result<Vec<Candidates>, SegmentError>>()?;
    let counts = candidates.par_iter().zip(queries);
    let counts =
        counts.map(|(of, query)| (!of.contested.is_empty()).then(|| LineCounts::new(query)));
    let counts: Vec<Option<LineCounts>> = counts.collect();
    // Many queries share an idiom with the same files.
    let mut asked: BTreeMap<BlobAt, Vec<&LineCounts>> = BTreeMap::new();
    for (own, of) in counts.iter().zip(&candidates) {
        for (_, at) in of.contested.iter().flatten() {
            asked.entry(*at).or_default().extend(own);
        }
    }
    let compared = asked
        .into_par_iter()
        .map(|(at, files)| known.compare_lines(files.into_iter(), &segments[at.0], at));
    compared.collect::<Result<(), SegmentError>>()?;

    let mut all = Winners::default();
    for (query, (of, own)) in candidates.into_iter().zip(&counts).enumerate() {
        let mut elected = of.elected;
        for (versions, own) in of.contested.iter().zip(own.iter().cycle()) {
            let (best, first) = election.runoff(versions, own)?;
            elected.extend(best);
            let first = first.map(|at| election.appearance(at)).transpose()?.flatten();
            if let Some((file, seen)) = first {
                note_first(&mut all.since, file, &seen);
            }
        }
        for at in elected {
            all.wanted.entry(at).or_default().push(query);
        }
    }
    Ok(all)
}

/// Versions of a file, in order, with their times.
type Versions = BTreeSet<(i64, BlobAt)>;

#[derive(Default)]
struct Ballot {
    /// The versions that were the first to have something of the query.
    versions: Versions,
    /// The positions in the query of what the file has.
    positions: Vec<u32>,
    is_of_copy: bool,
}

impl Ballot {
    /// Of a copy only [`AS_MUCH`] count, since its original is likely to have them, too.
    fn n_votes(&self) -> usize {
        let n = self.positions.len();
        if self.is_of_copy { (n as f64 * AS_MUCH) as usize } else { n }
    }
}

/// What may be aligned with a query.
#[derive(Default)]
struct Candidates {
    elected: Vec<BlobAt>,
    /// Files with so many versions that their lines decide which of them are.
    contested: Vec<Versions>,
}

struct Election<'e> {
    segments: &'e [CorpusSegment],
    known: &'e KnownVersions,
}

impl Election<'_> {
    /// The blobs to align with a query.
    ///
    /// A greedy cover, as in the search of a tree, of at most 100 files: one is taken if it
    /// explains a position that fewer than [`ENOUGH`] better ones have explained.
    fn of_query(&self, hits: &[CorpusHit]) -> Result<Candidates, SegmentError> {
        // By segment and the hash of a file there, or the blob of a component without history.
        let mut files: HashMap<(usize, u64, bool), Ballot> = HashMap::new();
        for hit in hits {
            for &at in hit.blobs.iter() {
                let version = self.known.version(self.segments, at)?;
                let key = version
                    .map_or((at.0, u64::from(at.1), false), |version| (at.0, version.file, true));
                let ballot = files.entry(key).or_default();
                ballot.is_of_copy = version.is_some_and(|version| version.is_of_copy);
                ballot.versions.insert((version.map_or(0, |version| version.time), at));
                if ballot.positions.last() != Some(&hit.position) {
                    ballot.positions.push(hit.position);
                }
            }
        }
        let mut ranked: Vec<(_, Ballot)> = files.into_iter().collect();
        ranked.sort_unstable_by_key(|(key, ballot)| (Reverse(ballot.n_votes()), *key));
        let mut n_explained: HashMap<u32, usize> = HashMap::new();
        let (mut candidates, mut n_files) = (Candidates::default(), 0);
        for (_, Ballot { versions, positions, .. }) in ranked {
            let mut n_of_each = positions.iter().map(|position| n_explained.get(position));
            let is_explained = n_of_each.all(|n| n.is_some_and(|&n| n >= ENOUGH));
            if n_files == MAX_CANDIDATES || is_explained {
                continue;
            }
            n_files += 1;
            positions.into_iter().for_each(|at| *n_explained.entry(at).or_default() += 1);
            if versions.len() <= ENOUGH {
                candidates.elected.extend(versions.into_iter().map(|(_, at)| at));
            } else {
                candidates.contested.push(versions);
            }
        }
        Ok(candidates)
    }

    /// Of many versions, those that share most lines with a query, and the last one; and the first
    /// that shares about as much.
    fn runoff(
        &self,
        versions: &Versions,
        own: &LineCounts,
    ) -> Result<(Vec<BlobAt>, Option<BlobAt>), SegmentError> {
        let mut rated = Vec::new();
        for &(_, at) in versions {
            let shared = self.known.shared_lines(own, &self.segments[at.0], at)?;
            rated.push((Reverse(shared.n_distinct), own.distance(&shared), at));
        }
        let most = rated.iter().map(|(Reverse(n), ..)| *n).max().unwrap_or(0);
        let mut having_most =
            rated.iter().filter(|(Reverse(n), ..)| *n as f64 >= AS_MUCH * most as f64);
        let first = having_most.next().map(|(.., at)| *at);
        let last = rated.last().map(|(.., at)| *at);
        rated.sort_unstable();
        rated.truncate(ENOUGH);
        let mut best: Vec<BlobAt> = rated.into_iter().map(|(.., at)| at).collect();
        // With other names, all lines differ.
        best.extend(last.filter(|last| !best.contains(last)));
        Ok((best, first))
    }

    fn appearance(
        &self,
        (number, blob): BlobAt,
    ) -> Result<Option<(ComponentPath, FirstAppearance)>, SegmentError> {
        let segment = &self.segments[number];
        let file = oldest(segment.files(blob)?);
        let name = segment.components()[file.component as usize].name.clone();
        Ok(file.seen.map(|seen| ((name, file.path), first_appearance(&seen))))
    }
}
