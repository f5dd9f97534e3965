//! Lists the names in code.

use crate::language::{Kind, Token};

/// Minimum bytes of a name that tells one piece of code from another: `i` and `ok` do not.
const MIN_NAME: u32 = 3;

/// The names in `tokens` that tell one piece of code from another, by their exact reading: sorted,
/// each once.
pub(in crate::audit) fn names(tokens: &[Token]) -> Vec<u32> {
    let is_name =
        |token: &&Token| token.kind() == Kind::Identifier && token.end - token.start >= MIN_NAME;
    let mut names: Vec<u32> = tokens.iter().filter(is_name).map(|token| token.exact).collect();
    names.sort_unstable();
    names.dedup();
    names
}
