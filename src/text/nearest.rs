//! Guesses what a misspelled word was meant to be.

/// Minimum similarity, in thousandths, for a known word to be suggested.
const MIN_LIKENESS: u32 = 700;

/// The word of `known` that is most similar to a misspelled one, if that is similar enough.
pub fn nearest(word: &str, known: &[&str]) -> Option<String> {
    let likeness = |other: &&&str| (strsim::jaro_winkler(word, other) * 1000.0) as u32;
    let alike = known.iter().filter(|other| likeness(other) > MIN_LIKENESS);
    alike.max_by_key(likeness).map(|best| (*best).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_has_a_nearest_word_and_another_word_has_none() {
        let known = ["min-tokens", "max-gap"];
        assert_eq!(nearest("min-token", &known).as_deref(), Some("min-tokens"));
        assert_eq!(nearest("maxgap", &known).as_deref(), Some("max-gap"));
        assert_eq!(nearest("colors", &known), None);
        assert_eq!(nearest("min-tokens", &[]), None);
    }
}
