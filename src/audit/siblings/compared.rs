//! Chooses the files to compare with each edit: those that have what is right around it, by their fingerprints.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::edits::is_own_code;
use super::images::{PreImages, WINDOW};
use super::step::Marks;
use crate::audit::read::Sources;
use crate::audit::search::Hit;
use crate::files::Entry;
use crate::text::FilePath;

/// Maximum files to compare with an edit: those that share most with its surroundings, then the nearest.
pub(super) const MAX_FILES: usize = 24;
/// Minimum shared fingerprints around an edit for a file to be read, which takes most of the time: one is an idiom.
const MIN_SHARED: usize = 2;
/// Maximum files in which the members of a large class are counted.
const MAX_COUNTED: usize = 10_000;
/// Maximum shared fingerprints that rank a file; beyond them its distance decides.
const MANY_SHARED: usize = 12;
/// Maximum tokens that one of two shared fingerprints is shifted for both to be about the same place.
const MAX_SHIFT: i64 = 12;

/// A file that may hold siblings.
pub(super) enum Target {
    /// A file that the change leaves alone.
    Same(Entry),
    /// A file of the change, by its number in base.
    Changed(usize),
}

/// For each sighting to compare, by its number, the queries to compare it with, and which of their edits.
pub(super) type Wanted = BTreeMap<usize, BTreeMap<usize, Vec<usize>>>;

/// A file that shares fingerprints with the surroundings of edits.
pub(super) struct Sighting {
    pub(super) path: FilePath,
    pub(super) target: Target,
    pub(super) hits: Vec<Hit>,
}

impl<'p> PreImages<'p> {
    pub(super) fn sightings(
        &self,
        hits: Vec<(Entry, Vec<Hit>)>,
        is_new: &(dyn Fn(&FilePath) -> bool + Sync),
        sources: &Sources<'_>,
    ) -> Vec<Sighting> {
        let same = hits.into_iter().filter(|(entry, _)| !is_new(&entry.path)).map(|(entry, hits)| Sighting {
            path: entry.path.clone(),
            target: Target::Same(entry),
            hits,
        });
        let mut scratch = Vec::new();
        let changed = self.base.iter().enumerate().filter_map(|(number, before)| {
            let hits = self.queries.hits_in(&before.source, &mut scratch);
            let path = before.of.clone()?;
            (!hits.is_empty()).then_some(Sighting { path, target: Target::Changed(number), hits })
        });
        same.chain(changed).filter(|sighting| is_own_code(&sighting.path, false, sources)).collect()
    }

    /// The sightings to compare with the edits, and the further ones of each edit, by query and number, in case that
    /// most of the first have siblings.
    ///
    /// A file is only read if it has what is right around an edit: what it shares farther away shows no place.
    pub(super) fn wanted(&self, sightings: &[Sighting]) -> (Wanted, BTreeMap<(usize, usize), Vec<usize>>) {
        let mut sharing: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
        for (at, sighting) in sightings.iter().enumerate() {
            for (key, n) in self.sharing(&sighting.hits).into_iter().filter(|(_, n)| *n >= MIN_SHARED) {
                sharing.entry(key).or_default().push((n, at));
            }
        }
        let mut wanted = Wanted::new();
        let mut further = BTreeMap::new();
        // What a comment names is compared, even if many others are nearer.
        for (query, source) in self.queries.sources().iter().enumerate() {
            let marks = Marks::of(source);
            for (at, _) in sightings.iter().enumerate().filter(|(_, sighting)| marks.name(&sighting.path)) {
                wanted.entry(at).or_default().entry(query).or_default();
            }
        }
        let n_sharing = sharing.iter().map(|(&(query, edit), files)| ((self.numbers[query], edit), files.len()));
        self.n_sharing.get_or_init(|| n_sharing.collect());
        for ((query, edit), mut files) in sharing {
            let own = &self.queries.sources()[query].path;
            let order = |&(n, at): &(usize, usize)| {
                let path = &sightings[at].path;
                (Reverse(n), path.distance(own), path.clone())
            };
            files.sort_by_cached_key(order);
            let rest: Vec<usize> = files.iter().skip(MAX_FILES).take(MAX_COUNTED).map(|&(_, at)| at).collect();
            for (_, at) in files.into_iter().take(MAX_FILES) {
                wanted.entry(at).or_default().entry(query).or_default().push(edit);
            }
            if !rest.is_empty() {
                further.insert((query, edit), rest);
            }
        }
        (wanted, further)
    }

    /// The edits, by query and number, of which a file with these hits has something next to the place: and how many
    /// fingerprints around it, up to [`MANY_SHARED`], in the same order.
    fn sharing(&self, hits: &[Hit]) -> BTreeMap<(usize, usize), usize> {
        let mut anchored: BTreeMap<(usize, usize), BTreeSet<i64>> = BTreeMap::new();
        for hit in hits {
            for anchor in self.anchors.get(&hit.row()).into_iter().flatten() {
                let diagonal = hit.position() as i64 - anchor.position as i64;
                anchored.entry((anchor.query, anchor.edit)).or_default().insert(diagonal);
            }
        }
        let queries: BTreeSet<usize> = anchored.keys().map(|(query, _)| *query).collect();
        let mut shared: BTreeMap<usize, Vec<(i64, usize)>> = BTreeMap::new();
        for hit in hits.iter().filter(|_| !queries.is_empty()) {
            for (_, posting) in self.queries.postings(hit.row()) {
                let (query, position) = (posting.document as usize, posting.position as usize);
                if queries.contains(&query) {
                    shared.entry(query).or_default().push((hit.position() as i64 - position as i64, position));
                }
            }
        }
        shared.values_mut().for_each(|of_query| of_query.sort_unstable());
        let k = self.queries.sampling().noise_threshold();
        let n_around = |(query, edit): (usize, usize), diagonals: BTreeSet<i64>| {
            let removed = self.edits[self.numbers[query]][edit].removed();
            let around = removed.start.saturating_sub(WINDOW + k)..removed.end + WINDOW;
            let of_query = &shared[&query];
            let n_near = |diagonal: i64| {
                let from = of_query.partition_point(|(of, _)| *of < diagonal - MAX_SHIFT);
                let near = of_query[from..].iter().take_while(|(of, _)| *of <= diagonal + MAX_SHIFT);
                near.filter(|(_, position)| around.contains(position)).take(MANY_SHARED).count()
            };
            diagonals.into_iter().map(n_near).max().unwrap_or_default()
        };
        anchored.into_iter().map(|(key, diagonals)| (key, n_around(key, diagonals))).collect()
    }
}
