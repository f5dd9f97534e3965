//! Knows the words by which people limit what a license grants.
//!
//! Invariant: what is beside a license that is known, and may limit it, makes it unknown.

/// Beginnings of words, of which each may be a limit beside a license text.
const OF_TEXTS: &[&str] = &[
    "agree", "allow", "commerc", "condition", "consent", "educat", "evaluat", "except", "exclu",
    "fee", "fees", "forbid", "grant", "internal", "liab", "military", "must", "non", "not",
    "nuclear", "only", "paid", "pay", "permi", "personal", "prohibit", "proprietary", "provided",
    "publish", "require", "resale", "resell", "research", "restrict", "sale", "sell", "shall",
    "sold", "student", "terminat", "unless", "use", "weapon",
];

/// Words and phrases that limit a license in the sentence that names it; one with a star may go on.
const OF_NAMES: &[&str] = &[
    "academic", "commercial*", "commons clause", "educational", "evaluation", "except", "exclud*",
    "everyone else", "forbid*", "if you are", "military", "non", "noncommercial", "not apply",
    "not for", "personal", "prohibit*", "proprietary", "provided that", "resale", "restriction*",
    "sell", "selling", "sold", "some files", "student*", "unless", "until", "weapon*",
];

/// What a sentence near a license in a header says that limits it.
const OF_HEADERS: &[&str] = &[
    "be sold", "carry this", "commercial", "everything else", "forbidden", "military", "no resale",
    "not allowed", "not for", "not permitted", "not sell", "only be", "prohibited", "proprietary",
    "rest is", "special exception", "strictly", "weapons", "with secondary", "you agree",
    "you can not", "you cannot", "you have to", "you must",
];

/// What forbids by the verb behind it.
const FORBIDDING: &[&str] = &["may not", "must not", "shall not"];

/// What such a sentence is about: others are remarks on the code.
const ABOUT: &[&str] = &[
    "commercial*", "copied", "copy*", "derived", "distribut*", "exception*", "license*", "link*",
    "military", "modif*", "proprietary", "publish*", "redistribut*", "remove", "resale", "rest",
    "sell*", "sold",
];
const USE: &[&str] = &["use", "used"];

/// Phrases with such words that limit nothing.
const NO_LIMITS: &[&str] = &[
    "academic and commercial",
    "buy a commercial license",
    "commercial and non commercial",
    "commercial license is available",
    "commercial licenses are available",
    "distribute and sell",
    "even for commercial",
    "except to the extent",
    "instead of the above restrictions",
    "into proprietary programs",
    "may not be copied modified or distributed except according to those terms",
    "non commercial and commercial",
    "obtain a commercial license",
    "open source or commercial",
    "open source or proprietary",
    "personal and commercial",
    "private and commercial",
    "provided that the above copyright notice",
    "provided that this copyright notice",
    "purchase a commercial license",
    "source code for proprietary components",
    "without any restriction",
    "without any restrictions",
    "without restriction",
    "without restrictions",
];

/// Whether a sentence beside a license text may limit it.
pub(super) fn is_limit(sentence: &str) -> bool {
    sentence.split(' ').any(|word| OF_TEXTS.iter().any(|of| begins(word, of)))
        || sentence.contains("commons clause")
}

/// Whether words in the sentence that names a license may limit it.
pub(super) fn is_limit_of_name(sentence: &str) -> bool {
    let mut sentence = without(spaced(sentence), NO_LIMITS);
    // Files may state another license themselves: "unless otherwise noted".
    if has(&sentence, &["differently", "otherwise"]) {
        sentence = without(sentence, &["except", "unless"]);
    }
    has(&sentence, OF_NAMES)
}

/// Whether a sentence of a header, near a license, may limit it, and is no remark on the code.
pub(super) fn is_limit_of_header(sentence: &str) -> bool {
    let sentence = without(spaced(sentence), NO_LIMITS);
    // "Use this, since what they use may not be safe" forbids nothing.
    let forbidden = FORBIDDING.iter().filter_map(|of| Some(sentence.split_once(of)?.1));
    has(&sentence, ABOUT) && (has(&sentence, OF_HEADERS) || has(&sentence, FORBIDDING))
        || has(&sentence, USE) && has(&sentence, OF_HEADERS)
        || forbidden.into_iter().any(|behind| has(behind, USE))
}

/// Whether a sentence says what a license allows, and limits nothing.
pub(super) fn explains(sentence: &str) -> bool {
    const LIMITING: [&str; 7] = ["not", "cannot", "only", "must", "unless", "except", "provided"];
    sentence.starts_with("this means") && !sentence.split(' ').any(|of| LIMITING.contains(&of))
}

/// A sentence with a space before and after each word.
pub(super) fn spaced(sentence: &str) -> String {
    format!(" {} ", sentence.trim())
}

fn without(sentence: String, phrases: &[&str]) -> String {
    phrases.iter().fold(sentence, |rest, phrase| {
        if has(&rest, &[phrase]) { rest.replace(&format!(" {phrase} "), " ") } else { rest }
    })
}

/// Whether a sentence with spaces around its words has one of the phrases.
pub(super) fn has(sentence: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        let begin = phrase.trim_end_matches('*');
        let is_whole = begin.len() == phrase.len();
        memchr::memmem::find_iter(sentence.as_bytes(), begin).any(|at| {
            let (before, behind) =
                (&sentence.as_bytes()[..at], &sentence.as_bytes()[at + begin.len()..]);
            before.last() == Some(&b' ') && (!is_whole || behind.first() == Some(&b' '))
        })
    })
}

/// Whether a word begins with another, or is it, if that has three letters or fewer.
pub(super) fn begins(word: &str, beginning: &str) -> bool {
    word.starts_with(beginning) && (beginning.len() > 3 || beginning.len() == word.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_without_limit_hides_no_other() {
        for phrase in NO_LIMITS {
            assert!(has(&spaced(phrase), OF_NAMES), "{phrase}");
            assert!(!is_limit_of_name(phrase), "{phrase}");
            assert!(is_limit_of_name(&format!("{phrase} unless sold")), "{phrase}");
        }
    }
}
