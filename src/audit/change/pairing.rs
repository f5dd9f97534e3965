//! Pairs the files of two snapshots: which files changed, and the predecessor of each.

use std::cmp::Reverse;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use crate::audit::read::{Source, distinct};
use crate::files::{Content, Entry};
use crate::fingerprint::Params;
use crate::git::Snapshot;
use crate::index::{Index, Posting};
use crate::text::FilePath;

/// The files in which two snapshots differ.
pub(in crate::audit) struct Changes {
    /// Files of the head, with the base file of the same path.
    pub changed: Vec<(Entry, Option<Entry>)>,
    /// Base files whose path does not exist in the head.
    pub deleted: Vec<Entry>,
}

/// Compares two snapshots by path and content.
///
/// What was deleted under another path with identical bytes was renamed, if it may have been: it is
/// no change.
pub(in crate::audit) fn changes(
    base: &Snapshot,
    head: &Snapshot,
    may_be_renamed: impl Fn(&Entry, &FilePath) -> bool,
) -> Changes {
    let differences = Vec::from_iter(head.differences(base));
    let deleted = differences.iter().filter(|(_, after)| after.is_none());
    let deleted = deleted.filter_map(|(before, _)| before.cloned()).collect();
    let mut changes = Changes { changed: Vec::new(), deleted };
    let mut deleted_by_content: HashMap<_, Vec<_>> = HashMap::new();
    for entry in &changes.deleted {
        if let Content::Blob(id) = entry.content {
            deleted_by_content.entry(id).or_default().push(entry.clone());
        }
    }
    let mut renamed: HashSet<FilePath> = HashSet::new();
    for (before, entry) in differences {
        let Some(entry) = entry else { continue };
        if let (None, Content::Blob(id)) = (before, entry.content)
            && let Some(deleted) = deleted_by_content.get_mut(&id)
            && let Some(at) = deleted.iter().rposition(|before| may_be_renamed(before, &entry.path))
        {
            renamed.insert(deleted.swap_remove(at).path);
            continue;
        }
        changes.changed.push((entry.clone(), before.cloned()));
    }
    changes.deleted.retain(|entry| !renamed.contains(&entry.path));
    changes
}

/// Minimum fraction of fingerprints that a renamed file shares with its predecessor; also git's
/// default for `-M`.
const RENAMED_AT: f64 = 0.5;
/// Maximum deleted files with a fingerprint for it to be followed to all of them.
const FEW_FILES: usize = 64;
/// Maximum deleted files that an added one is compared with, of the rest.
const MAX_CANDIDATES: usize = 16;

/// For each added file, the deleted one it was renamed from, if any: the pair
/// with the highest resemblance (Broder 1997) first, each file once.
///
/// An added file is compared with those deleted ones that have rare fingerprints of it. If all are
/// common, as in a folder of files that are nearly the same, it is compared with those of its name
/// and those in its place in the order of paths. Time O(n log n) for n fingerprints.
pub(in crate::audit) fn renames(
    added: &[&Source],
    deleted: &[&Source],
    params: &Params,
) -> Vec<Option<usize>> {
    if added.is_empty() || deleted.is_empty() {
        return vec![None; added.len()];
    }
    let files = DeletedFiles::new(deleted, params);
    let own: Vec<Vec<u64>> = added.iter().map(|source| fingerprints(source, params)).collect();
    let mut before = vec![None; added.len()];
    let mut is_taken = vec![false; deleted.len()];
    // Files whose best predecessor went to another one are compared with what is left.
    for _ in 0..4 {
        let mut pairs = Vec::new();
        for (to, source) in added.iter().enumerate().filter(|(to, _)| before[*to].is_none()) {
            let rank = to * deleted.len() / added.len();
            for from in files.candidates(source, &own[to], rank, &is_taken) {
                let resemblance = resemblance(&own[to], &files.sets[from]);
                if resemblance >= RENAMED_AT {
                    pairs.push((resemblance, from, to));
                }
            }
        }
        pairs.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for &(_, from, to) in &pairs {
            if before[to].is_none() && !is_taken[from] {
                before[to] = Some(from);
                is_taken[from] = true;
            }
        }
        if pairs.is_empty() {
            break;
        }
    }
    before
}

struct DeletedFiles {
    /// The distinct fingerprints of each, in order.
    sets: Vec<Vec<u64>>,
    index: Index,
    by_name: HashMap<Vec<u8>, Vec<usize>>,
}

impl DeletedFiles {
    fn new(deleted: &[&Source], params: &Params) -> Self {
        let sets: Vec<_> = deleted.iter().map(|source| fingerprints(source, params)).collect();
        let postings = sets.iter().enumerate().flat_map(|(document, set)| {
            set.iter().map(move |&hash| (hash, Posting { document: document as u32, position: 0 }))
        });
        let index = Index::new(postings);
        let mut by_name: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        for (number, source) in deleted.iter().enumerate() {
            by_name.entry(source.path.name().to_owned()).or_default().push(number);
        }
        Self { sets, index, by_name }
    }

    /// The possible predecessors of `source`, which is at `rank` in the order of paths.
    fn candidates(
        &self,
        source: &Source,
        own: &[u64],
        rank: usize,
        is_taken: &[bool],
    ) -> Vec<usize> {
        let mut n_shared: HashMap<usize, usize> = HashMap::new();
        let mut common: Option<&[(u64, Posting)]> = None;
        for row in own.iter().filter_map(|&hash| self.index.first_row(hash)) {
            let postings = self.index.run_from(row);
            if postings.len() <= FEW_FILES {
                for (_, posting) in postings {
                    *n_shared.entry(posting.document as usize).or_default() += 1;
                }
            } else if common.is_none_or(|other| postings.len() < other.len()) {
                common = Some(postings);
            }
        }
        let mut ranked: Vec<(usize, usize)> =
            n_shared.into_iter().filter(|(from, _)| !is_taken[*from]).collect();
        ranked.sort_unstable_by_key(|&(from, n)| (Reverse(n), from));
        if common.is_some() {
            ranked.truncate(MAX_CANDIDATES);
        }
        let named = self.by_name.get(source.path.name()).map_or(&[][..], Vec::as_slice);
        let named = nearest(named, |&from| from, rank, is_taken);
        let beside = common.unwrap_or_default();
        let beside = nearest(beside, |(_, posting)| posting.document as usize, rank, is_taken);
        distinct(ranked.into_iter().map(|(from, _)| from).chain(named).chain(beside))
    }
}

/// Of files in ascending order of their numbers, the few nearest to `rank` that are not taken.
fn nearest<T>(
    files: &[T],
    number: impl Fn(&T) -> usize,
    rank: usize,
    is_taken: &[bool],
) -> Vec<usize> {
    let (before, behind) = files.split_at(files.partition_point(|file| number(file) < rank));
    let mut before = before.iter().rev().map(&number).peekable();
    let mut behind = behind.iter().map(&number).peekable();
    let nearest = std::iter::from_fn(|| {
        let next = behind.peek().copied();
        before.next_if(|a| next.is_none_or(|b| rank - a < b - rank)).or_else(|| behind.next())
    });
    let free = nearest.take(FEW_FILES).filter(|&from| !is_taken[from]);
    free.take(MAX_CANDIDATES / 2).collect()
}

fn fingerprints(source: &Source, params: &Params) -> Vec<u64> {
    distinct(params.fingerprints(&source.tokens, &mut Vec::new()).map(|print| print.hash))
}

/// The resemblance of two sets in order: what they share, as a fraction of what either has.
fn resemblance(a: &[u64], b: &[u64]) -> f64 {
    let n_shared = a.iter().filter(|hash| b.binary_search(hash).is_ok()).count();
    n_shared as f64 / (a.len() + b.len() - n_shared) as f64
}
