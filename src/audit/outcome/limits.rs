//! Says in words what was compared in part only, as files repeat each other too often.

use std::collections::BTreeMap;

use crate::matching::Shortfall;
use crate::policy::Notice;
use crate::text::{FilePath, agreed, count};

/// Maximum files to name that were compared in part; the rest are counted.
const MAX_LIMITED: usize = 3;

/// What was left out where, a sentence each.
pub(in crate::audit) fn in_part(
    limits: impl Iterator<Item = (FilePath, Shortfall)>,
) -> Vec<(FilePath, String)> {
    let mut of_path: BTreeMap<FilePath, Shortfall> = BTreeMap::new();
    for (path, limits) in limits {
        *of_path.entry(path).or_default() += limits;
    }
    let described = of_path.into_iter().flat_map(|(path, limits)| {
        let Shortfall { n_places_left, n_places, n_not_extended } = limits;
        let n_compared = n_places - n_places_left;
        let places = (n_places_left > 0).then(|| {
            let places = count(n_places, "place");
            format!("repeats code of {places}: the nearest {n_compared} were aligned")
        });
        let chains = (n_not_extended > 0).then(|| {
            let (were, their) = agreed(n_not_extended, ("was", "its"), ("were", "their"));
            let repeats = count(n_not_extended, "repeat");
            format!("is very repetitive: {repeats} {were} not extended past edits at {their} ends")
        });
        places.into_iter().chain(chains).map(move |text| (path.clone(), text))
    });
    described.collect()
}

/// The first few of such notices; the others are counted.
pub(in crate::audit) fn first_few(mut notices: Vec<Notice>) -> Vec<Notice> {
    if notices.len() > MAX_LIMITED {
        let n_more = notices.len() - MAX_LIMITED;
        notices.truncate(MAX_LIMITED);
        let (files, were) = (count(n_more, "more file"), agreed(n_more, "was", "were"));
        let more = format!("{files} {were} compared in part, like those named here");
        notices.push(Notice::new(None, None, &more));
    }
    notices
}
