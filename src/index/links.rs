//! Links repeated code in a set of documents: each occurrence of a fingerprint to a few earlier
//! ones.
//!
//! Invariant: the same occurrences in any order give the same links.

/// An occurrence of a fingerprint in one of many documents.
///
/// The hash is stored in halves, so that an occurrence takes 20 bytes: a large tree has tens of
/// millions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Occurrence {
    hash: [u32; 2],
    /// A hash of the exact readings of the k-gram's tokens: equal if they are spelled the same.
    exact: u32,
    document: u32,
    position: u32,
}

impl Occurrence {
    /// Takes the hash of a k-gram, the hash of its exact readings, and where it occurs.
    pub fn new(hash: u64, exact: u32, document: u32, position: u32) -> Self {
        Self { hash: [(hash >> 32) as u32, hash as u32], exact, document, position }
    }
}

/// Two occurrences of one fingerprint: a later and an earlier one, possibly in the same document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// The document of the later occurrence.
    pub document: u32,
    /// The document of the earlier one; never after `document`.
    pub target: u32,
    /// The position of the later one.
    pub position: u32,
    /// The position of the earlier one.
    pub target_position: u32,
    /// The number of occurrences of the fingerprint; 1 if the two are spelled the same.
    pub n_places: u32,
}

/// Maximum earlier occurrences that each is linked to. Classes make up for the rest: the tenth
/// copy of something is a copy of the ninth. Higher finds more members that have other code
/// between them, and takes more time.
const MAX_EARLIER: usize = 3;

/// Links each occurrence to the nearest earlier ones of its fingerprint, those spelled the
/// same first. Sorted by document, the last first, then by target and positions: who is done with
/// the first document takes its links off the end.
///
/// How often a fingerprint occurs makes no difference: the members of a large family are linked
/// like those of a small one. Callers decide whether a shape that occurs everywhere means anything.
///
/// Time O(n log n), memory 20 bytes for each occurrence, or once it is linked for each of its links,
/// of which there are at most three.
pub fn links(mut occurrences: Vec<Occurrence>) -> Vec<Link> {
    occurrences.sort_unstable();
    let mut links = Vec::new();
    let mut by_place = Vec::new();
    while let Some(last) = occurrences.last() {
        let before = occurrences.iter().rposition(|of| of.hash != last.hash);
        let first = before.map_or(0, |before| before + 1);
        link_group(&occurrences[first..], &mut by_place, &mut links);
        cut_off(&mut occurrences, first);
    }
    links.sort_unstable_by(|a: &Link, b| b.document.cmp(&a.document).then(a.cmp(b)));
    links
}

/// Cuts off the end of a long vector that is done with, and gives its memory back; in steps, as not
/// every allocator shrinks in place.
pub fn cut_off<T>(items: &mut Vec<T>, first: usize) {
    items.truncate(first);
    if items.len() <= items.capacity() / 8 * 7 {
        items.shrink_to_fit();
    }
}

/// Links the occurrences of one fingerprint; `by_place` is scratch space.
fn link_group(group: &[Occurrence], by_place: &mut Vec<Occurrence>, links: &mut Vec<Link>) {
    if group.len() == 1 {
        return;
    }
    for same in group.chunk_by(|a, b| a.exact == b.exact) {
        link_each(same, 1, |_, _| true, links);
    }
    if group.first().map(|first| first.exact) != group.last().map(|last| last.exact) {
        by_place.clear();
        by_place.extend_from_slice(group);
        by_place.sort_unstable_by_key(|place| (place.document, place.position));
        link_each(by_place, group.len() as u32, |a, b| a.exact != b.exact, links);
    }
}

/// Links each of `places` to the ones right before it for which `is_asked` is true.
fn link_each(
    places: &[Occurrence],
    n_places: u32,
    is_asked: impl Fn(&Occurrence, &Occurrence) -> bool,
    links: &mut Vec<Link>,
) {
    for (at, later) in places.iter().enumerate() {
        let earlier = places[at.saturating_sub(MAX_EARLIER)..at].iter();
        links.extend(earlier.filter(|earlier| is_asked(later, earlier)).map(|earlier| Link {
            document: later.document,
            target: earlier.document,
            position: later.position,
            target_position: earlier.position,
            n_places,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(later: (u32, u32), earlier: (u32, u32), n_places: u32) -> Link {
        let ((document, position), (target, target_position)) = (later, earlier);
        Link { document, target, position, target_position, n_places }
    }

    #[test]
    fn what_occurs_once_is_not_linked() {
        assert_eq!(links(vec![Occurrence::new(1, 1, 0, 0), Occurrence::new(2, 1, 0, 9)]), []);
    }

    #[test]
    fn places_that_are_spelled_the_same_are_linked_as_one_place() {
        let occurrences = vec![
            Occurrence::new(7, 5, 2, 40),
            Occurrence::new(7, 5, 0, 10),
            Occurrence::new(7, 6, 1, 20),
        ];
        let [first, second, third] = [(0, 10), (1, 20), (2, 40)];
        let expected = [link(third, first, 1), link(third, second, 3), link(second, first, 3)];
        assert_eq!(links(occurrences), expected);
    }

    #[test]
    fn however_many_places_there_are_each_is_linked_to_a_few() {
        let occurrences: Vec<_> = (0..1_000).map(|n| Occurrence::new(7, n, n, 0)).collect();
        let links = links(occurrences);
        assert_eq!(links.len(), 3 * 1_000 - 6);
        assert!(links.contains(&link((999, 0), (998, 0), 1_000)));
    }
}
