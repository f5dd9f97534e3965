//! Reads in a commit message whether it mends something.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::security::pattern;

/// What people write who mend something: the fault, what it did, or what keeps it from happening.
/// The first words are those of Mockus and Votta, Identifying reasons for software changes using
/// historic databases (2000).
static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(fix(e[sd]|ing|up)?|(bug|hot)(s|fix(es|ed)?)?|defects?|errors?|fail(s|ed|ing|ures?)?|faults?|issues?|problems?|mistakes?|flaws?)\b",
        r"|\b(in)?correct(s|ed|ly|ness)?\b|\bwrong(ly)?\b|\bbroken?\b|\binvalid\b|\bmiss(ing|ed)\b|\bmismatch(es|ed)?\b|\bregressions?\b|\bwarnings?\b",
        r"|\b(crash|leak|hang|overflow|overrun|underflow|race|deadlock|exception|segfault|panic)(s|ed|es|ing)?\b|\bnull\b|\bnpe\b|\buninitiali[sz]ed\b",
        r"|\bout[- ]of[- ]bounds?\b|\bbounds\b|\boob\b|\bdouble[- ]free\b|\buse[- ]after\b|\binfinite\b|\bunused\b|\bcve\b|\bvulnerab\w*|\bsecurity\b",
        r"|\b(prevent|avoid|ensure|handle|propagate|reject|resolve|check|validate)(s|d|ed)?\b|\bmake sure\b|\bproper(ly)?\b|\bdon't\b|\bdo not\b|\bshould\b|\bmust\b",
    ))
});

/// What names the fault at the end of a message: `Fixes: abcdef1`, `Closes #12`.
static TRAILERS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?m)^\s*(fix(e[sd])?|close[sd]?|resolve[sd]?|bug)\b[: ]\s*\S*[#0-9]")
});

/// Whether the subject of `message` says that something is mended, or a line of it which fault.
pub fn says_fix(message: &str) -> bool {
    let subject = message.trim_start().lines().next().unwrap_or_default();
    WORDS.is_match(subject.as_bytes()) || TRAILERS.is_match(message.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(message: &str, expected: bool) {
        assert_eq!(says_fix(message), expected, "{message}");
    }

    #[test]
    fn a_message_says_what_is_mended_or_prevented() {
        check("Fix closing of the file", true);
        check("bugfix: list of one", true);
        check("do not free the list twice", true);
        check("parser: check for NULL", true);
        check("Avoid an overflow when the name is long", true);
        check("Close the file\n\nIt was left open.\n\nFixes: 0123abcd", true);
        check("Tidy up\n\nCloses #12.", true);
    }

    #[test]
    fn a_message_about_something_new_or_another_form_says_nothing() {
        check("Add an option for the separator", false);
        check("Sort members", false);
        check("rename Option to Setting", false);
        check("prefix all names", false);
        check("", false);
        // What a body mentions may be the reason, or beside the point.
        check("Use spans\n\nThis also makes the error message shorter.", false);
    }
}
