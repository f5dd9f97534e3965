//! Groups submissions that share much.

use super::Pair;
use crate::matching::Groups;

/// Minimum containment of two submissions to be in one cluster: at least half of one is in the
/// other. Broder, Glassman, Manasse and Zweig (1997) cluster at a resemblance of 50 %; containment
/// also joins a part with its whole.
pub const CLUSTERED: f64 = 0.5;

/// The clusters of submissions 0 to `n`, each ascending, the largest first: what is connected by
/// pairs of at least [`CLUSTERED`].
///
/// Time O(pairs · α(n)), memory O(n): a forest of submissions, joined pair by pair.
pub(super) fn clusters(n: usize, pairs: &[Pair]) -> Vec<Vec<usize>> {
    let mut groups = Groups::new(n);
    for pair in pairs.iter().filter(|pair| pair.containment() >= CLUSTERED) {
        groups.join(pair.a, pair.b);
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); n];
    for at in 0..n {
        members[groups.first(at)].push(at);
    }
    members.retain(|cluster| cluster.len() > 1);
    members.sort_unstable_by_key(|cluster| (std::cmp::Reverse(cluster.len()), cluster[0]));
    members
}
