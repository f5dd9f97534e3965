//! Selects fingerprints by the schemes of the literature, to measure them beside each other.
//!
//! | scheme | guarantee | density on random input | longest gap |
//! |---|---|---|---|
//! | [`RobustWinnowing`] | w + k - 1 tokens | 2 / (w + 1); 1 / w on equal tokens | w |
//! | [`PlainWinnowing`] | w + k - 1 tokens | 2 / (w + 1); 1 on equal tokens | w |
//! | [`ZeroMod`] | none | 1 / p | unbounded |
//! | [`SafeZeroMod`] | w + k - 1 tokens | (1 + ln w) / w | w |
//! | [`Smallest`] | none | n / length | unbounded |
//! | [`EveryNth`] | w + k - 1 tokens, if the query has every k-gram | 1 / w | w |
//! | [`ModMinimizers`] | w + k - 1 tokens | toward 1 / w as k grows | w |
//!
//! Every local scheme has a density of at least 1.5 / (w + 1) on random hashes of k-grams (theorem
//! 1 of Schleimer, Wilkerson, Aiken 2003). That bound is of schemes that see hashes alone;
//! mod-minimizers look into the k-grams and go below it, toward the bound of 1 / w that holds for
//! all. For small k, Groot Koerkamp, Liu and Pibiri (2025) come nearer to it with open-closed
//! mod-minimizers, at a second hash of each k-gram.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use secondhand::fingerprint::{hash_numbers, winnow};
use support::Random;

/// The k-grams of a document.
#[derive(Debug, Clone, Copy)]
pub struct Grams<'g> {
    /// The tokens, as numbers.
    pub tokens: &'g [u64],
    /// The hash of each k-gram.
    pub hashes: &'g [u64],
}

/// Selects k-grams as fingerprints.
pub trait Scheme {
    /// Its name, for people.
    fn name(&self) -> String;

    /// The positions of the selected k-grams, ascending.
    fn select(&self, grams: Grams<'_>) -> Vec<u32>;

    /// The tokens from which every match is found, for k-grams of `k` tokens; `None` if matches of
    /// any length are missed.
    fn guarantee(&self, k: usize) -> Option<usize>;
}

/// Definition 3 of the winnowing paper: the smallest hash of each window, and on a tie the one that
/// the window before selected, or else the rightmost. See [`winnow()`].
///
/// It is not local: in runs of equal hashes, what a window selects depends on the windows before.
/// So two documents may select different occurrences of a hash, but never different hashes, which
/// is why its guarantee is the same.
#[derive(Debug, Clone, Copy)]
pub struct RobustWinnowing(pub NonZeroUsize);

impl Scheme for RobustWinnowing {
    fn name(&self) -> String {
        format!("robust winnowing, w = {}", self.0)
    }

    fn select(&self, grams: Grams<'_>) -> Vec<u32> {
        winnow(grams.hashes, self.0).map(|print| print.position).collect()
    }

    fn guarantee(&self, k: usize) -> Option<usize> {
        Some(self.0.get() + k - 1)
    }
}

/// Definition 1 of the winnowing paper: the smallest hash of each window, the rightmost on a tie.
/// It is local (definition 2): what a window selects depends on nothing around it. So lemma 1 holds
/// of it. Time O(n).
#[derive(Debug, Clone, Copy)]
pub struct PlainWinnowing(pub NonZeroUsize);

impl Scheme for PlainWinnowing {
    fn name(&self) -> String {
        format!("winnowing, w = {}", self.0)
    }

    fn select(&self, grams: Grams<'_>) -> Vec<u32> {
        leftmost_or_rightmost(grams.hashes, self.0.get(), false)
    }

    fn guarantee(&self, k: usize) -> Option<usize> {
        Some(self.0.get() + k - 1)
    }
}

/// Hashes that are 0 mod p (Manber 1994; the winnowing paper, section 3.1, and Broder's MOD_m).
/// Without a guarantee: the paper found a gap of 29,900 characters in a page at p = 50.
#[derive(Debug, Clone, Copy)]
pub struct ZeroMod(pub NonZeroUsize);

impl Scheme for ZeroMod {
    fn name(&self) -> String {
        format!("0 mod p, p = {}", self.0)
    }

    fn select(&self, grams: Grams<'_>) -> Vec<u32> {
        positions(grams.hashes, |hash| hash % self.0.get() as u64 == 0)
    }

    fn guarantee(&self, _: usize) -> Option<usize> {
        None
    }
}

/// Hashes that are 0 mod p, and of a window without any the rightmost: local, so with a guarantee.
/// A window of w hashes has none with a probability of e^(-w / p), so the density is 1 / p + e^(-w
/// / p): least for p = w / ln w, where it is (1 + ln w) / w.
#[derive(Debug, Clone, Copy)]
pub struct SafeZeroMod(pub NonZeroUsize);

impl SafeZeroMod {
    fn modulus(self) -> u64 {
        let w = self.0.get() as f64;
        (w / w.ln().max(1.0)).round().max(1.0) as u64
    }
}

impl Scheme for SafeZeroMod {
    fn name(&self) -> String {
        format!("safe 0 mod p, w = {}, p = {}", self.0, self.modulus())
    }

    fn select(&self, grams: Grams<'_>) -> Vec<u32> {
        let (mut selected, mut n_without) = (Vec::new(), 0);
        for (hash, at) in grams.hashes.iter().zip(0..) {
            let is_zero = hash % self.modulus() == 0;
            n_without = if is_zero { 0 } else { n_without + 1 };
            if is_zero || n_without >= self.0.get() {
                selected.push(at);
            }
        }
        selected
    }

    fn guarantee(&self, k: usize) -> Option<usize> {
        Some(self.0.get() + k - 1)
    }
}

/// The n smallest hashes of a document, whatever its length (Heintze 1996, Broder's MIN_s): whole
/// documents that are alike share some, a part of a large one need not.
#[derive(Debug, Clone, Copy)]
pub struct Smallest(pub usize);

impl Scheme for Smallest {
    fn name(&self) -> String {
        format!("{} smallest", self.0)
    }

    fn select(&self, grams: Grams<'_>) -> Vec<u32> {
        let mut smallest: Vec<(u64, u32)> = grams.hashes.iter().copied().zip(0..).collect();
        smallest.sort_unstable();
        smallest.dedup_by_key(|(hash, _)| *hash);
        let mut selected: Vec<u32> =
            smallest.into_iter().take(self.0).map(|(_, position)| position).collect();
        selected.sort_unstable();
        selected
    }

    fn guarantee(&self, _: usize) -> Option<usize> {
        None
    }
}

/// Every w-th k-gram of one side, for queries of every k-gram: any run of w k-grams holds one of
/// them. The least density of all with a guarantee, but only of one side: two documents sampled so
/// share nothing once a token is put before one.
#[derive(Debug, Clone, Copy)]
pub struct EveryNth(pub NonZeroUsize);

impl Scheme for EveryNth {
    fn name(&self) -> String {
        format!("every w-th, w = {}", self.0)
    }

    fn select(&self, grams: Grams<'_>) -> Vec<u32> {
        (0..grams.hashes.len() as u32).skip(self.0.get() - 1).step_by(self.0.get()).collect()
    }

    fn guarantee(&self, k: usize) -> Option<usize> {
        Some(self.0.get() + k - 1)
    }
}

/// Mod-minimizers (Groot Koerkamp and Pibiri 2024): of each window of w k-grams, which spans
/// `w + k - 1` tokens, the smallest of its shorter t-grams at position x selects the k-gram at
/// x mod w, where t = r + (k - r) mod w.
///
/// The leftmost t-gram counts on a tie: what another rule selects need not be selected by the next
/// window as well, and the guarantee stays but the density rises. For k = w they reach a density of
/// about 1.2 / w.
#[derive(Debug, Clone, Copy)]
pub struct ModMinimizers {
    /// w.
    pub window: NonZeroUsize,
    /// k.
    pub k: NonZeroUsize,
    /// r, the least t: large enough that few t-grams are equal by chance.
    pub least: NonZeroUsize,
}

impl ModMinimizers {
    /// t: congruent to k mod w, and at least r if k is.
    fn t(&self) -> usize {
        let (w, k, r) = (self.window.get(), self.k.get(), self.least.get());
        if k <= r { k } else { r + (k - r) % w }
    }
}

impl Scheme for ModMinimizers {
    fn name(&self) -> String {
        format!("mod-minimizers, w = {}, t = {}", self.window, self.t())
    }

    fn select(&self, grams: Grams<'_>) -> Vec<u32> {
        let (w, k, t) = (self.window.get(), self.k.get(), self.t());
        let mut of_t = Vec::new();
        hash_numbers(grams.tokens, NonZeroUsize::new(t).unwrap_or(NonZeroUsize::MIN), &mut of_t);
        // Another order than that of the k-grams: here no hash stays.
        of_t.iter_mut().for_each(|hash| *hash = mix(*hash ^ 0x2545_F491_4F6C_DD1D));
        let n_windows = (grams.hashes.len() + 1).saturating_sub(w);
        let in_window = w + k - t;
        let mut selected = BTreeSet::new();
        for (start, x) in
            smallest_of_windows(&of_t, in_window, true).into_iter().enumerate().take(n_windows)
        {
            selected.insert((start + (x - start) % w) as u32);
        }
        selected.into_iter().collect()
    }

    fn guarantee(&self, k: usize) -> Option<usize> {
        Some(self.window.get() + k - 1)
    }
}

/// Another number for each number, spread over the whole word.
fn mix(number: u64) -> u64 {
    Random::new(number, 0).number()
}

fn positions(hashes: &[u64], is_selected: impl Fn(u64) -> bool) -> Vec<u32> {
    hashes
        .iter()
        .zip(0..)
        .filter(|(hash, _)| is_selected(**hash))
        .map(|(_, position)| position)
        .collect()
}

fn leftmost_or_rightmost(hashes: &[u64], window: usize, is_leftmost: bool) -> Vec<u32> {
    let mut selected: Vec<u32> =
        smallest_of_windows(hashes, window, is_leftmost).into_iter().map(|at| at as u32).collect();
    // The smallest of later windows is never before that of earlier ones.
    selected.dedup();
    selected
}

/// The position of the smallest hash of each window. Time O(n): each position enters and leaves the
/// queue once.
fn smallest_of_windows(hashes: &[u64], window: usize, is_leftmost: bool) -> Vec<usize> {
    // Invariant: positions ascend, and each hash is smaller than those behind it, so the front is
    // the smallest.
    let mut queue: std::collections::VecDeque<usize> = std::collections::VecDeque::new();
    let mut found = Vec::new();
    for (at, &hash) in hashes.iter().enumerate() {
        while queue
            .back()
            .is_some_and(|&last| hashes[last] > hash || !is_leftmost && hashes[last] == hash)
        {
            queue.pop_back();
        }
        queue.push_back(at);
        if queue.front().is_some_and(|&first| first + window <= at) {
            queue.pop_front();
        }
        if at + 1 >= window {
            found.extend(queue.front().copied());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn positive(n: usize) -> NonZeroUsize {
        NonZeroUsize::new(n).expect("the tests have positive numbers")
    }

    fn selected(scheme: &dyn Scheme, tokens: &[u64], k: usize) -> Vec<u32> {
        let mut hashes = Vec::new();
        hash_numbers(tokens, positive(k), &mut hashes);
        scheme.select(Grams { tokens, hashes: &hashes })
    }

    /// The tokens of the selected k-grams.
    fn grams(scheme: &dyn Scheme, tokens: &[u64], k: usize) -> BTreeSet<Vec<u64>> {
        selected(scheme, tokens, k)
            .into_iter()
            .map(|at| tokens[at as usize..at as usize + k].to_vec())
            .collect()
    }

    fn schemes(w: usize, k: usize) -> Vec<Box<dyn Scheme>> {
        let mods = ModMinimizers { window: positive(w), k: positive(k), least: positive(2) };
        vec![
            Box::new(RobustWinnowing(positive(w))),
            Box::new(PlainWinnowing(positive(w))),
            Box::new(mods),
            Box::new(SafeZeroMod(positive(w))),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn what_has_a_guarantee_keeps_it(
            shared in prop::collection::vec(0u64..4, 24),
            around in prop::collection::vec(prop::collection::vec(0u64..4, 0..30), 4),
            k in 1usize..20,
        ) {
            let a = [&around[0][..], &shared, &around[1]].concat();
            let b = [&around[2][..], &shared, &around[3]].concat();
            let w = 24 - k + 1;
            for scheme in schemes(w, k) {
                prop_assert_eq!(scheme.guarantee(k), Some(24));
                let is_found = !grams(&*scheme, &a, k).is_disjoint(&grams(&*scheme, &b, k));
                prop_assert!(is_found, "{}", scheme.name());
            }
            let every_kgram: BTreeSet<Vec<u64>> = a.windows(k).map(<[u64]>::to_vec).collect();
            prop_assert!(!grams(&EveryNth(positive(w)), &b, k).is_disjoint(&every_kgram));
        }

        #[test]
        fn no_gap_is_longer_than_a_window(tokens in prop::collection::vec(0u64..6, 0..120), w in 1usize..12, k in 1usize..12) {
            let mut all = schemes(w, k);
            all.push(Box::new(EveryNth(positive(w))));
            for scheme in all {
                let selected = selected(&*scheme, &tokens, k);
                prop_assert!(selected.is_sorted());
                let n = (tokens.len() + 1).saturating_sub(k);
                for start in 0..(n + 1).saturating_sub(w) {
                    let window = start as u32..(start + w) as u32;
                    prop_assert!(selected.iter().any(|at| window.contains(at)), "{} at {start}", scheme.name());
                }
            }
        }

        #[test]
        fn a_wider_window_selects_a_subset_of_positions(
            tokens in prop::collection::vec(any::<u64>(), 0..120),
            w in 1usize..12,
            more in 0usize..12,
        ) {
            // Section 3.2: a base winnowed with w can be asked with any larger window.
            let narrow = selected(&PlainWinnowing(positive(w)), &tokens, 3);
            let wide = selected(&PlainWinnowing(positive(w + more)), &tokens, 3);
            prop_assert!(wide.iter().all(|at| narrow.contains(at)));
            // On a tie, robust winnowing may select another position of the same hash.
            let few: Vec<u64> = tokens.iter().map(|token| token % 5).collect();
            let hashes = |w: usize| grams(&RobustWinnowing(positive(w)), &few, 2);
            prop_assert!(hashes(w + more).is_subset(&hashes(w)));
        }

        #[test]
        fn plain_winnowing_is_local(around in prop::collection::vec(prop::collection::vec(0u64..3, 0..20), 4), window in prop::collection::vec(0u64..3, 7)) {
            // Definition 2: equal windows select the same position in them. Here k is 1 and w is 7.
            let of = |before: &[u64], behind: &[u64]| {
                let tokens = [before, &window, behind].concat();
                let mut hashes = Vec::new();
                hash_numbers(&tokens, positive(1), &mut hashes);
                smallest_of_windows(&hashes, 7, false)[before.len()] - before.len()
            };
            prop_assert_eq!(of(&around[0], &around[1]), of(&around[2], &around[3]));
        }
    }

    /// Windows of four hashes of two values, equal, in which robust winnowing selects another
    /// position.
    #[test]
    fn robust_winnowing_is_not_local() {
        let select = |tokens: &[u64]| selected(&RobustWinnowing(positive(3)), tokens, 1);
        let (alone, behind) = (select(&[5, 5, 5]), select(&[5, 5, 5, 5]));
        assert_eq!(alone, [2]);
        // The second window is equal to the first, and keeps what that one selected instead of its
        // own last.
        assert_eq!(behind, [2]);
    }

    #[test]
    fn densities_on_random_tokens_are_those_of_the_table() {
        let mut state = 1u64;
        let tokens: Vec<u64> = (0..200_000)
            .map(|_| {
                state = mix(state.wrapping_add(0x9E37_79B9_7F4A_7C15));
                state
            })
            .collect();
        let (w, k) = (16, 64);
        let density = |scheme: &dyn Scheme| {
            selected(scheme, &tokens, k).len() as f64 / (tokens.len() - k + 1) as f64
        };
        let expected = 2.0 / 17.0;
        for scheme in &schemes(w, k)[..2] {
            assert!(
                (density(&**scheme) / expected - 1.0).abs() < 0.02,
                "{}: {}",
                scheme.name(),
                density(&**scheme)
            );
        }
        let mods = density(&*schemes(w, k)[2]);
        assert!(mods < 1.25 / 16.0, "mod-minimizers: {mods}");
        assert!((density(&ZeroMod(positive(16))) * 16.0 - 1.0).abs() < 0.05);
        assert!((density(&EveryNth(positive(16))) * 16.0 - 1.0).abs() < 0.001);
        assert_eq!(selected(&Smallest(100), &tokens, k).len(), 100);
    }

    /// Figure 1 of the winnowing paper: the text, its 5-grams, hashes that the paper assumes, and
    /// those that are 0 mod 4.
    #[test]
    fn figure_1_is_as_printed() {
        let text = "A do run run run, a do run run".to_lowercase().replace([' ', ','], "");
        assert_eq!(text, "adorunrunrunadorunrun");
        let printed = [77u64, 72, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 72, 42, 17, 98];
        let letters: Vec<u64> = text.bytes().map(u64::from).collect();
        let mut hashes = Vec::new();
        hash_numbers(&letters, positive(5), &mut hashes);
        // Grams that are equal in the figure are equal here, and no others.
        assert_eq!(hashes.len(), printed.len());
        for a in 0..printed.len() {
            for b in 0..printed.len() {
                assert_eq!(hashes[a] == hashes[b], printed[a] == printed[b], "{a}, {b}");
            }
        }
        let selected = ZeroMod(positive(4)).select(Grams { tokens: &letters, hashes: &printed });
        assert_eq!(
            selected.iter().map(|at| printed[*at as usize]).collect::<Vec<_>>(),
            [72, 8, 88, 72]
        );
    }

    #[test]
    fn equal_tokens_are_sampled_once_a_window_under_robust_winnowing_and_always_under_plain() {
        let tokens = vec![7u64; 1_000];
        assert_eq!(selected(&RobustWinnowing(positive(50)), &tokens, 1).len(), 20);
        assert_eq!(selected(&PlainWinnowing(positive(50)), &tokens, 1).len(), 951);
    }
}
