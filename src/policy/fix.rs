//! Reads in a commit message what it is for: whether it mends something.

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

/// What names the fault at the end of a message: `Fixes: abcdef1`, `Bug #12`. What is new closes
/// issues, too.
static TRAILERS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^\s*(fix(e[sd])?|resolve[sd]?|bug)\b[: ]\s*\S*[#0-9]"));

/// What people write who give code another form: its kind, as conventional commits name it, or what
/// they did to it.
static FORMS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(refactor|style|chore|docs?|build|ci)\b\S*:|\b(refactor\w*|(code|coding) style|lint(er|ing)?|cs fix\w*)\b",
    )
});

/// What people write who change nothing that a program does.
static NO_CHANGES: LazyLock<Regex> = LazyLock::new(|| pattern(r"\bno functional changes?\b"));

/// What a commit is for, by its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// To give code another form.
    Form,
    /// It does not say.
    Unsaid,
    /// To mend something.
    Fix,
}

impl Purpose {
    /// The purpose that the subject of `message` tells; a line of it may name the fault.
    pub fn of(message: &str) -> Self {
        let subject = message.trim_start().lines().next().unwrap_or_default().as_bytes();
        if TRAILERS.is_match(message.as_bytes()) {
            Self::Fix
        } else if FORMS.is_match(subject) || NO_CHANGES.is_match(message.as_bytes()) {
            Self::Form
        } else if WORDS.is_match(subject) {
            Self::Fix
        } else {
            Self::Unsaid
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(message: &str, expected: Purpose) {
        assert_eq!(Purpose::of(message), expected, "{message}");
    }

    #[test]
    fn a_message_says_what_is_mended_or_prevented() {
        check("Fix closing of the file", Purpose::Fix);
        check("bugfix: list of one", Purpose::Fix);
        check("do not free the list twice", Purpose::Fix);
        check("parser: check for NULL", Purpose::Fix);
        check("Avoid an overflow when the name is long", Purpose::Fix);
        check("Close the file\n\nIt was left open.\n\nFixes: 0123abcd", Purpose::Fix);
        check("Tidy up\n\nResolves #12.", Purpose::Fix);
    }

    #[test]
    fn a_message_about_something_new_or_another_form_says_nothing() {
        check("Add an option for the separator", Purpose::Unsaid);
        check("Sort members", Purpose::Unsaid);
        check("rename Option to Setting", Purpose::Unsaid);
        check("prefix all names", Purpose::Unsaid);
        check("Lists for sets\n\nCloses #12.", Purpose::Unsaid);
        check("", Purpose::Unsaid);
        // What a body mentions may be the reason, or beside the point.
        check("Use spans\n\nThis also makes the error message shorter.", Purpose::Unsaid);
    }

    #[test]
    fn a_message_about_form_says_so() {
        check("Refactor unicode.capitalize to avoid copies", Purpose::Form);
        check("chore: CS fixes", Purpose::Form);
        check("style(parser): fix indentation", Purpose::Form);
        check("Fix lint warnings", Purpose::Form);
        check("Fix parentheses\n\nStyle, no functional change.", Purpose::Form);
        check("Fix the build of docs", Purpose::Fix);
        check("refactor: lists\n\nFixes #12", Purpose::Fix);
    }
}
