//! Lists the names in code.

use crate::language::Token;

/// Minimum bytes of a name that tells one piece of code from another: `i` and `ok` do not.
const MIN_NAME: u32 = 3;

/// The names in `tokens` that tell one piece of code from another, by their exact reading: sorted,
/// each once.
pub(in crate::audit) fn names(tokens: &[Token]) -> Vec<u32> {
    let names = tokens.iter().filter(|of| of.is_name() && of.end - of.start >= MIN_NAME);
    distinct(names.map(|token| token.exact))
}

/// What there is of something: sorted, each once.
pub(in crate::audit) fn distinct<T: Ord>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all = Vec::from_iter(all);
    all.sort_unstable();
    all.dedup();
    all
}

/// How many tokens are marked.
pub(in crate::audit) fn n_marked(is_marked: &[bool]) -> usize {
    is_marked.iter().filter(|&&is_marked| is_marked).count()
}
