//! Reads in a commit message whether it mends something, and whether a security fault.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

/// What people write who mend something: the fault, what it did, or what keeps it from happening.
/// The first words are those of Mockus and Votta, Identifying reasons for software changes using
/// historic databases (2000).
static FIX_WORDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(fix(e[sd]|ing|up)?|(bug|hot)(s|fix(es|ed)?)?|defects?|errors?|fail(s|ed|ing|ures?)?|faults?|issues?|problems?|mistakes?|flaws?)\b",
        r"|\b(in)?correct(s|ed|ly|ness)?\b|\bwrong(ly)?\b|\bbroken?\b|\binvalid\b|\bmiss(ing|ed)\b|\bmismatch(es|ed)?\b|\bregressions?\b|\bwarnings?\b",
        r"|\b(crash|leak|hang|overflow|overrun|underflow|race|deadlock|exception|segfault|panic)(s|ed|es|ing)?\b|\bnull\b|\bnpe\b|\buninitiali[sz]ed\b",
        r"|\bout[- ]of[- ]bounds?\b|\bbounds\b|\boob\b|\bdouble[- ]free\b|\buse[- ]after\b|\binfinite\b|\bunused\b|\bcve\b|\bvulnerab\w*|\bsecurity\b",
        r"|\b(prevent|avoid|ensure|handle|propagate|reject|resolve|check|validate)(s|d|ed)?\b|\bmake sure\b|\bproper(ly)?\b|\bdon't\b|\bdo not\b|\bshould\b|\bmust\b",
    ))
});

/// What names the fault at the end: `Fixes: abcdef1`, `Bug #12`. What is new closes issues, too.
static TRAILERS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^\s*(fix(e[sd])?|resolve[sd]?|bug)\b[: ]\s*\S*[#0-9]"));

/// What names another form of code: a kind of conventional commits, or what was done.
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
        } else if FIX_WORDS.is_match(subject) {
            Self::Fix
        } else {
            Self::Unsaid
        }
    }
}

/// Ids of vulnerabilities.
static IDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"CVE-[0-9]{4}-[0-9]{4,}|GHSA(-[23456789cfghjmpqrvwx]{4}){3}|RUSTSEC-[0-9]{4}-[0-9]{4}")
});

/// What people call faults that an attacker can use. Most of a `crash`, `leak` or `bug` are none.
static SECURITY_WORDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\bsecurity (bug|fault|fix|flaw|hole|issue|problem|vulnerabilit|advisor|update|patch|release)|\bvulnerabilit|\bvulnerable\b",
        r"|\b(buffer|heap|stack|integer|signed|arithmetic)[ -](based )?(buffer )?(over|under)(flow|run|read|write)",
        r"|\b(over|under)flow(s|ed|ing)? (of )?(the |a )?(buffer|heap|stack)|\bout[- ]of[- ]bounds?\b|\boob (read|write|access)",
        r"|\b(over|under)(read|write)s?\b|\buse[- ]after[- ]free|\bdouble[- ]free|\bdangling pointer|\bmemory corruption|\bcorrupts? memory|\bheap corruption",
        r"|\bdenial of service|\b(re)?dos attack|\bremote code|\barbitrary (code|command|file|memory)|\bcode execution",
        r"|\b(command|code|sql|html|header|crlf|shell) injection|\bcross[- ]site|\bxss\b|\bcsrf\b|\bssrf\b|\bxxe\b|\bzip bomb",
        r"|\b(path|directory) traversal|\bprivilege escalation|\bauth(entication|orization)? bypass|\btiming attack|\bside[- ]channel",
        r"|\bexploit(s|able|ed|ation)?\b|\bmalicious(ly)?\b|\battacker|\binfo(rmation)? leak|\buninitiali[sz]ed memory|\bprototype pollution",
    ))
});

/// What is about tests and tools that look for such faults.
static ASIDE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(in|of|for) (the |a |an |unit |some )*tests?\b|\btests?/|[ -]detect(ion|or)")
});

/// The ids of vulnerabilities in `message`, sorted.
pub fn vulnerability_ids(message: &str) -> Vec<String> {
    let mut ids: Vec<String> = IDS
        .find_iter(message.as_bytes())
        .map(|id| canonical(&String::from_utf8_lossy(id.as_bytes())))
        .collect();
    ids.sort();
    ids.dedup();
    ids
}

/// An id as databases spell it: the digits of a GHSA id are lower-case, all else is upper-case.
fn canonical(id: &str) -> String {
    let upper = id.to_ascii_uppercase();
    match upper.strip_prefix("GHSA-") {
        Some(rest) => format!("GHSA-{}", rest.to_ascii_lowercase()),
        None => upper,
    }
}

/// Whether `message` says that a security fault is fixed: by an id, or in so many words.
pub fn says_security(message: &str) -> bool {
    let mut lines = message.lines().map(str::as_bytes);
    IDS.is_match(message.as_bytes())
        || lines.any(|line| SECURITY_WORDS.is_match(line) && !ASIDE.is_match(line))
}

/// One of our patterns, in capitals or not. The words are English, and a pattern that knows the
/// letters of all scripts takes twice as long to build, which a small check would feel.
fn pattern(words: &str) -> Regex {
    let pattern = RegexBuilder::new(words).case_insensitive(true).unicode(false).build();
    pattern.expect("the pattern is one of ours")
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

    #[test]
    fn ids_are_found_however_they_are_written() {
        let message = "Fix cve-2018-25032 (GHSA-jc36-42cf-vqwj), see CVE-2018-25032; not CVE-20-1.";
        assert_eq!(vulnerability_ids(message), ["CVE-2018-25032", "GHSA-jc36-42cf-vqwj"]);
    }

    #[track_caller]
    fn check_security(message: &str, expected: bool) {
        assert_eq!(says_security(message), expected, "{message}");
    }

    #[test]
    fn a_message_says_what_it_fixes_in_words() {
        check_security(
            "inftrees.c\n\nThis can result in out-of-bound accesses, crashing the application.",
            true,
        );
        check_security("avoid a heap buffer overflow in the parser", true);
        check_security("fix use-after-free on error", true);
        check_security("Fix a crash when the list is empty", false);
        check_security("use overflow: hidden for the menu", false);
        check_security("move security settings to their own page", false);
        check_security("free memory early", false);
        check_security("Fix buffer overflow in tests", false);
        check_security("Fix integer overflow in test/unit/hash.c", false);
        check_security("Add double free detection for the debug build", false);
        check_security(
            "Fix a buffer overflow\n\nFound by a heap overflow in the unit tests.",
            true,
        );
    }
}
