//! Chooses how many fingerprints of a query to look up: fewer find the files to compare sooner, and
//! miss some.

use std::collections::HashSet;
use std::fmt;
use std::num::NonZeroUsize;

use super::{Fingerprint, Params, hash_kgrams, winnow};
use crate::language::Token;

/// Which fingerprints of a query choose the files that it is compared with (section 3.2 of the
/// winnowing paper).
///
/// Whatever they are, the files that they choose are compared by all fingerprints: what is found is
/// found whole, and only what is not chosen is missed. So less effort makes fewer findings, and
/// none milder.
///
/// ```
/// use std::num::NonZeroUsize;
/// use secondhand::fingerprint::Effort;
///
/// let n = NonZeroUsize::new(40).unwrap();
/// assert_eq!("window:40".parse(), Ok(Effort::Window(n)));
/// assert_eq!(Effort::Smallest(n).to_string(), "smallest:40");
/// assert!("a lot".parse::<Effort>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Effort {
    /// All of them: every match of t tokens is found.
    #[default]
    Full,
    /// In two rounds: those that are 0 mod 4 choose the files, and all of them compare. Without a
    /// guarantee; a match with f fingerprints is missed with a probability of .75^f.
    Rounds,
    /// Those that this wider window selects: F_w' is a subset of F_w, so whatever was winnowed with
    /// w can be asked. Every match of w' + k - 1 tokens is found.
    Window(NonZeroUsize),
    /// At most this many of each document, from the smallest on (MIN_s). A few find what resembles
    /// the whole document, more find what it contains as a part.
    Smallest(NonZeroUsize),
}

/// One in so many fingerprints is asked in the first of two rounds; the paper's own example.
const FIRST_ROUND: u64 = 4;

impl Effort {
    /// Keeps those of `prints`, selected by `params` from a document of `tokens`, that this effort
    /// looks up; `hashes` is scratch space.
    pub fn keep(
        self,
        prints: &mut Vec<Fingerprint>,
        params: &Params,
        tokens: &[Token],
        hashes: &mut Vec<u64>,
    ) {
        match self {
            Self::Full => {}
            Self::Rounds => prints.retain(|print| print.hash % FIRST_ROUND == 0),
            Self::Window(window) if window <= params.window => {}
            Self::Window(window) => {
                hash_kgrams(tokens, params.k, hashes);
                // By hash: on a tie, robust winnowing may select another position of the same hash.
                let wide: HashSet<u64> = winnow(hashes, window).map(|print| print.hash).collect();
                prints.retain(|print| wide.contains(&print.hash));
            }
            Self::Smallest(size) if prints.len() <= size.get() => {}
            Self::Smallest(size) => {
                prints.sort_unstable();
                prints.truncate(size.get());
                prints.sort_unstable_by_key(|print| print.position);
            }
        }
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str("full"),
            Self::Rounds => f.write_str("rounds"),
            Self::Window(window) => write!(f, "window:{window}"),
            Self::Smallest(size) => write!(f, "smallest:{size}"),
        }
    }
}

impl std::str::FromStr for Effort {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "expected `full`, `rounds` for a first round with one fingerprint in four, `window:W` for those \
                        of a window of W, or `smallest:N` for the N smallest of each file";
        let effort = match text.split_once(':') {
            None if text == "full" => Some(Self::Full),
            None if text == "rounds" => Some(Self::Rounds),
            Some(("window", window)) => window.parse().ok().map(Self::Window),
            Some(("smallest", size)) => size.parse().ok().map(Self::Smallest),
            _ => None,
        };
        effort.ok_or_else(|| expected.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fingerprint::tests::{positive, tokens};

    fn kept(effort: Effort, symbols: &[u8], k: usize, window: usize) -> Vec<Fingerprint> {
        let params = Params::new(positive(k), positive(k + window - 1)).expect("k <= t");
        let tokens = tokens(symbols);
        let mut scratch = Vec::new();
        let mut prints: Vec<Fingerprint> = params.fingerprints(&tokens, &mut scratch).collect();
        effort.keep(&mut prints, &params, &tokens, &mut scratch);
        prints
    }

    proptest! {
        /// Section 3.2: a base winnowed with w may be asked with any wider window.
        #[test]
        fn a_wider_window_asks_for_what_it_selects_itself_and_nothing_else(
            symbols in prop::collection::vec(any::<u8>(), 0..200),
            k in 1usize..8,
            w in 1usize..12,
            more in 1usize..12,
        ) {
            let hashes = |of: &[Fingerprint]| of.iter().map(|print| print.hash).collect::<HashSet<u64>>();
            let asked = kept(Effort::Window(positive(w + more)), &symbols, k, w);
            let wide = kept(Effort::Full, &symbols, k, w + more);
            prop_assert_eq!(hashes(&asked), hashes(&wide));
            prop_assert!(hashes(&asked).is_subset(&hashes(&kept(Effort::Full, &symbols, k, w))));
            prop_assert_eq!(kept(Effort::Window(positive(w)), &symbols, k, w + more), wide);
        }

        #[test]
        fn every_effort_keeps_a_part_in_order(
            symbols in prop::collection::vec(0u8..20, 0..200),
            n in 1usize..40,
        ) {
            let all = kept(Effort::Full, &symbols, 3, 4);
            for effort in [Effort::Rounds, Effort::Window(positive(n)), Effort::Smallest(positive(n))] {
                let part = kept(effort, &symbols, 3, 4);
                prop_assert!(part.is_sorted_by_key(|print| print.position));
                prop_assert!(part.iter().all(|print| all.contains(print)));
            }
            let few = kept(Effort::Smallest(positive(n)), &symbols, 3, 4);
            prop_assert_eq!(few.len(), n.min(all.len()));
            let most = few.iter().map(|print| print.hash).max().unwrap_or(0);
            prop_assert!(all.iter().filter(|print| print.hash < most).all(|print| few.contains(print)));
        }
    }
}
