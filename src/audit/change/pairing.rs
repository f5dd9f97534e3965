//! Pairs the files of two snapshots: which files changed, and the predecessor of each.

use std::collections::HashMap;

use crate::audit::read::Source;
use crate::fingerprint::Params;
use crate::git::{Content, Entry, Snapshot};
use crate::index::{Index, Posting};

/// The files in which two snapshots differ.
#[derive(Debug, Default)]
pub(in crate::audit) struct Changes {
    /// Files of the head, with the base file of the same path.
    pub changed: Vec<(Entry, Option<Entry>)>,
    /// Base files whose path does not exist in the head.
    pub deleted: Vec<Entry>,
}

/// Compares two snapshots by path and content.
///
/// A file that was deleted under another path with identical bytes is not a change: it was renamed.
pub(in crate::audit) fn changes(base: &Snapshot, head: &Snapshot) -> Changes {
    let mut changes = Changes::default();
    changes.deleted.extend(base.entries.iter().filter(|entry| head.get(&entry.path).is_none()).cloned());
    let mut deleted_by_content: HashMap<_, Vec<_>> = HashMap::new();
    for entry in &changes.deleted {
        if let Content::Blob(id) = entry.content {
            deleted_by_content.entry(id).or_default().push(entry.path.clone());
        }
    }
    let mut renamed = Vec::new();
    for entry in &head.entries {
        let before = base.get(&entry.path);
        let is_same = |before: &Entry| before.content == entry.content && entry.content != Content::Disk;
        if before.is_some_and(is_same) {
            continue;
        }
        if let (None, Content::Blob(id)) = (before, entry.content)
            && let Some(path) = deleted_by_content.get_mut(&id).and_then(Vec::pop)
        {
            renamed.push(path);
            continue;
        }
        changes.changed.push((entry.clone(), before.cloned()));
    }
    changes.deleted.retain(|entry| !renamed.contains(&entry.path));
    changes
}

/// Minimum fraction of fingerprints that a renamed file shares with its predecessor; also git's default for `-M`.
const RENAMED_AT: f64 = 0.5;

/// For each added file, the deleted one it was renamed from, if any: the pair
/// with the highest resemblance (Broder 1997) first, each file once.
pub(in crate::audit) fn renames(added: &[&Source], deleted: &[&Source], params: &Params) -> Vec<Option<usize>> {
    let fingerprints = |source: &Source| {
        let mut hashes = Vec::new();
        let mut set: Vec<u64> = params.fingerprints(&source.tokens, &mut hashes).map(|print| print.hash).collect();
        set.sort_unstable();
        set.dedup();
        set
    };
    let sets: Vec<_> = deleted.iter().map(|source| fingerprints(source)).collect();
    let postings = sets.iter().enumerate().flat_map(|(document, set)| {
        set.iter().map(move |&hash| (hash, Posting { document: document as u32, position: 0 }))
    });
    let index = Index::new(postings);

    let mut pairs = Vec::new();
    for (to, source) in added.iter().enumerate() {
        let own = fingerprints(source);
        let mut n_shared: HashMap<usize, usize> = HashMap::new();
        for posting in own.iter().flat_map(|&hash| index.postings(hash)) {
            *n_shared.entry(posting.document as usize).or_default() += 1;
        }
        let mut n_shared: Vec<_> = n_shared.into_iter().collect();
        n_shared.sort_unstable();
        for (from, n) in n_shared {
            let resemblance = n as f64 / (own.len() + sets[from].len() - n) as f64;
            if resemblance >= RENAMED_AT {
                pairs.push((resemblance, from, to));
            }
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut before = vec![None; added.len()];
    let mut is_taken = vec![false; deleted.len()];
    for (_, from, to) in pairs {
        if before[to].is_none() && !is_taken[from] {
            before[to] = Some(from);
            is_taken[from] = true;
        }
    }
    before
}
