//! Reads in a commit message whether it fixes a security fault.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

/// Ids of vulnerabilities.
static IDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"CVE-[0-9]{4}-[0-9]{4,}|GHSA(-[23456789cfghjmpqrvwx]{4}){3}|RUSTSEC-[0-9]{4}-[0-9]{4}")
});

/// What people call faults that an attacker can use. Plain `crash`, `leak` and `bug` are not among
/// them: most are none.
static WORDS: LazyLock<Regex> = LazyLock::new(|| {
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

/// One of our patterns, in capitals or not. The words are English, and a pattern that knows the
/// letters of all scripts takes twice as long to build, which a small check would feel.
pub(super) fn pattern(words: &str) -> Regex {
    let pattern = RegexBuilder::new(words).case_insensitive(true).unicode(false).build();
    pattern.expect("the pattern is one of ours")
}

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
        || lines.any(|line| WORDS.is_match(line) && !ASIDE.is_match(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_however_they_are_written() {
        let message = "Fix cve-2018-25032 (GHSA-jc36-42cf-vqwj), see CVE-2018-25032; not CVE-20-1.";
        assert_eq!(vulnerability_ids(message), ["CVE-2018-25032", "GHSA-jc36-42cf-vqwj"]);
    }

    #[track_caller]
    fn check(message: &str, expected: bool) {
        assert_eq!(says_security(message), expected, "{message}");
    }

    #[test]
    fn a_message_says_what_it_fixes_in_words() {
        check(
            "inftrees.c\n\nThis can result in out-of-bound accesses, crashing the application.",
            true,
        );
        check("avoid a heap buffer overflow in the parser", true);
        check("fix use-after-free on error", true);
        check("Fix a crash when the list is empty", false);
        check("use overflow: hidden for the menu", false);
        check("move security settings to their own page", false);
        check("free memory early", false);
        check("Fix buffer overflow in tests", false);
        check("Fix integer overflow in test/unit/hash.c", false);
        check("Add double free detection for the debug build", false);
        check("Fix a buffer overflow\n\nFound by a heap overflow in the unit tests.", true);
    }
}
