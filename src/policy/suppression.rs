//! Reads suppressions: comments that allow a copy and give the reason.
//!
//! `secondhand: allow(copied-code) -- reason` allows a copy that begins on the next line of code or
//! spans the comment; `allow-file(...)` allows copies in the whole file. `allow(copied-code, until
//! = 2027-01-31)` expires after that day. A suppression without a reason has no effect.

use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Date, RULES, rule};
use crate::language::Token;
use crate::text::{Lines, nearest};

/// A comment that allows findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    /// The line of the comment.
    pub line: u32,
    /// A finding must touch one of these lines; `None` for the whole file.
    pub lines: Option<RangeInclusive<u32>>,
    /// The rules it allows.
    pub rules: Vec<String>,
    /// The last day it applies.
    pub until: Option<Date>,
    /// The reason.
    pub reason: String,
    /// Whether it is the mark of another tool, which is about more than copies.
    pub is_foreign: bool,
}

/// A tool whose marks in comments leave code out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Peer {
    /// jscpd: from `jscpd:ignore-start` to `jscpd:ignore-end`.
    Jscpd,
    /// PMD's copy and paste detector: from `CPD-OFF` to `CPD-ON`.
    Pmd,
    /// Sonar: lines with `NOSONAR`.
    Sonar,
}

impl Peer {
    /// What begins and ends the code that is left out; `None` if that ends with its line.
    fn marks(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Jscpd => ("jscpd:ignore-start", Some("jscpd:ignore-end")),
            Self::Pmd => ("CPD-OFF", Some("CPD-ON")),
            Self::Sonar => ("NOSONAR", None),
        }
    }
}

impl Suppression {
    /// Whether it applies to a finding of `rule` on `lines`, or leaves out most of them.
    pub fn covers(&self, rule: &str, lines: &RangeInclusive<u32>) -> bool {
        if !self.rules.iter().any(|id| id == rule) {
            return false;
        }
        let Some(own) = &self.lines else { return true };
        let n_shared =
            (lines.end().min(own.end()) + 1).saturating_sub(*lines.start().max(own.start()));
        let is_block = self.is_foreign && own.start() < own.end();
        n_shared >= if is_block { (lines.end() - lines.start()) / 2 + 1 } else { 1 }
    }

    /// Whether it allows the same for the same reason, wherever it is.
    pub fn says_the_same(&self, other: &Self) -> bool {
        (&self.rules, self.until, &self.reason, self.lines.is_none())
            == (&other.rules, other.until, &other.reason, other.lines.is_none())
    }

    /// Whether it is still valid on `today`.
    pub fn holds(&self, today: Date) -> bool {
        self.until.is_none_or(|until| today <= until)
    }
}

/// A comment that was meant as a suppression but is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadSuppression {
    /// The line of the comment.
    pub line: u32,
    /// What is wrong with it.
    pub why: String,
}

const MARK: &[u8] = b"secondhand:";
/// What is in it however it is capitalized, and without the colon.
const WORD: &[u8] = b"econdhand";
/// What comments end with in some language.
const CLOSERS: &[&str] =
    &["*/", "-->", "--%>", "%>", "*)", "#}", "-}", "|#", "=#", "--]]", "]]", "\"\"\"", "'''"];

/// The suppressions in the comments of `text`: ours in order, then those of `honored` tools.
pub fn suppressions(
    text: &[u8],
    tokens: &[Token],
    honored: &[Peer],
) -> Vec<Result<Suppression, BadSuppression>> {
    let mut found = own(text, tokens);
    found.extend(honored.iter().flat_map(|peer| foreign(text, tokens, *peer)).map(Ok));
    found
}

/// What the marks of another tool leave out. Time O(n).
fn foreign(text: &[u8], tokens: &[Token], peer: Peer) -> Vec<Suppression> {
    let (begin, end) = peer.marks();
    let marks: Vec<usize> = memchr::memmem::find_iter(text, begin).collect();
    if marks.is_empty() {
        return Vec::new();
    }
    let lines = Lines::new(text);
    let mut found = Vec::new();
    for at in marks.into_iter().filter(|&at| comment_at(tokens, at).1) {
        let line = lines.line_of(at as u32);
        let last = match end.map(|end| memchr::memmem::find(&text[at..], end.as_bytes())) {
            Some(end) => lines.line_of(end.map_or(text.len(), |n| at + n) as u32),
            None => line,
        };
        found.push(Suppression {
            line,
            lines: Some(line..=last),
            rules: RULES.iter().map(|rule| rule.id.to_owned()).collect(),
            until: None,
            reason: begin.to_owned(),
            is_foreign: true,
        });
    }
    found
}

/// The number of the first token that ends after a byte, and whether that is in no token.
fn comment_at(tokens: &[Token], at: usize) -> (usize, bool) {
    let next = tokens.partition_point(|token| (token.end as usize) <= at);
    (next, tokens.get(next).is_none_or(|token| token.start as usize > at))
}

/// Those in our form.
fn own(text: &[u8], tokens: &[Token]) -> Vec<Result<Suppression, BadSuppression>> {
    let mut found = Vec::new();
    let words = memchr::memmem::find_iter(text, WORD).filter_map(|at| at.checked_sub(1));
    let marks: Vec<usize> = words.filter(|&at| text[at].eq_ignore_ascii_case(&b's')).collect();
    if marks.is_empty() {
        return found;
    }
    let lines = Lines::new(text);
    for at in marks {
        let is_spelled = text[at..].starts_with(MARK);
        let (next, is_comment) = comment_at(tokens, at);
        let line = lines.line_of(at as u32);
        let behind = at + WORD.len() + 1 + usize::from(is_spelled);
        let rest =
            String::from_utf8_lossy(text.get(behind..lines.range(line).end).unwrap_or_default());
        let after_code = tokens[..next].last().map_or(0, |token| token.end as usize);
        let of_comment = after_code.max(lines.range(line).start);
        // Only what a comment begins with is meant for us: the rest is prose about it.
        let begins = text
            .get(of_comment..at)
            .is_some_and(|before| !before.iter().any(u8::is_ascii_alphanumeric));
        let rest = match rest.trim().strip_prefix("allow") {
            Some(rest) if is_comment && is_spelled => rest,
            _ if !is_spelled && !is_meant(&rest) => continue,
            // A comment that keeps two places in step.
            None if rest.trim().starts_with("same-as(") => continue,
            _ if is_comment && begins => {
                let why = "it is not understood: write `secondhand: allow(copied-code) -- reason`"
                    .to_owned();
                found.push(Err(BadSuppression { line, why }));
                continue;
            }
            _ => continue,
        };
        let is_beside_code =
            next > 0 && lines.line_of(tokens[next - 1].end.saturating_sub(1)) == line;
        let next_line = tokens.get(next).map_or(line, |token| lines.line_of(token.start));
        let last = if is_beside_code { line } else { next_line };
        found.push(parse(rest, line, line..=last).map_err(|why| BadSuppression { line, why }));
    }
    found
}

/// Whether what follows the word was to allow something, by more than prose has.
fn is_meant(rest: &str) -> bool {
    let rest = rest.trim_start().trim_start_matches(':').trim_start().strip_prefix("allow");
    rest.is_some_and(|rest| {
        rest.strip_prefix("-file").unwrap_or(rest).trim_start().starts_with('(')
    })
}

/// Parses what follows `allow`.
fn parse(text: &str, line: u32, lines: RangeInclusive<u32>) -> Result<Suppression, String> {
    let is_of_file = text.starts_with("-file");
    let text = text.strip_prefix("-file").unwrap_or(text).trim_start();
    let inner = text.strip_prefix('(').and_then(|text| text.split_once(')'));
    let Some((list, rest)) = inner else {
        return Err("put the rules in parentheses, as in `allow(copied-code) -- reason`".to_owned());
    };
    let mut rules = Vec::new();
    let mut until = None;
    for item in list.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        match item.split_once('=') {
            Some((key, date)) if key.trim() == "until" => {
                until = Some(date.trim().parse::<Date>()?);
            }
            Some((key, _)) => {
                return Err(format!("unknown key `{}`: only `until` is allowed", key.trim()));
            }
            None if rule(item).is_some() => rules.push(item.to_owned()),
            None => return Err(no_rule(item)),
        }
    }
    if rules.is_empty() {
        return Err("it names no rule; write `allow(copied-code) -- reason`".to_owned());
    }
    let rest = rest.trim_start();
    if rest.starts_with("until") {
        let until = rest.split("--").next().unwrap_or_default().trim_end();
        return Err(format!(
            "put `{until}` into the parentheses: `allow({list}, {until}) -- reason`"
        ));
    }
    let reason = rest.strip_prefix("--").map(str::trim).unwrap_or_default();
    let reason =
        CLOSERS.iter().find_map(|closer| reason.strip_suffix(closer)).unwrap_or(reason).trim();
    if reason.is_empty() {
        return Err("it has no reason: add `-- ` and the reason".to_owned());
    }
    let (lines, reason) = ((!is_of_file).then_some(lines), reason.to_owned());
    Ok(Suppression { line, lines, rules, until, reason, is_foreign: false })
}

fn no_rule(id: &str) -> String {
    let known: Vec<_> = RULES.iter().map(|rule| rule.id).collect();
    match nearest(id, &known) {
        Some(nearest) => format!("there is no rule `{id}`; did you mean `{nearest}`?"),
        None => format!("there is no rule `{id}`; `secondhand explain` lists them"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Languages;

    fn of(text: &str) -> Vec<Result<Suppression, BadSuppression>> {
        let languages = Languages::builtin();
        let mut tokens = Vec::new();
        languages.get("c").expect("C is built in").lexer.tokenize(text.as_bytes(), &mut tokens);
        suppressions(text.as_bytes(), &tokens, &[Peer::Jscpd, Peer::Pmd, Peer::Sonar])
    }

    #[test]
    fn a_comment_beside_code_reaches_no_further() {
        let found = of("int a; // secondhand: allow(copied-code) -- why\nint b;\n");
        assert_eq!(found[0].as_ref().map(|found| found.lines.clone()), Ok(Some(1..=1)));
    }

    #[test]
    fn marks_of_other_tools_leave_out_what_lies_mostly_between_them() {
        let found = of(
            "int a;\n// CPD-OFF\nint b;\nint c;\n// CPD-ON\nint d; // NOSONAR\nchar *e = \"CPD-OFF\";\n",
        );
        let lines: Vec<_> =
            found.iter().map(|of| of.as_ref().ok().and_then(|of| of.lines.clone())).collect();
        assert_eq!(lines, [Some(2..=5), Some(6..=6)]);
        let block = found[0].as_ref().expect("it is well formed");
        assert!(block.covers("copied-code", &(3..=6)) && !block.covers("copied-code", &(4..=9)));
    }

    #[test]
    fn a_string_is_no_comment_and_prose_is_no_suppression() {
        assert_eq!(
            of("char *a = \"secondhand: allow(copied-code) -- x\"; // see secondhand: a word\n"),
            []
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let form = "it is not understood: write `secondhand: allow(copied-code) -- reason`";
        let no_reason = "it has no reason: add `-- ` and the reason";
        let told = "
            // secondhand: allow(copied) -- x
            there is no rule `copied`; did you mean `copied-code`?
            // secondhand: allow(all) -- x
            there is no rule `all`; `secondhand explain` lists them
            // secondhand: allow copied-code
            put the rules in parentheses, as in `allow(copied-code) -- reason`
            // secondhand: allow(copied-code, until = soon) -- x
            `soon` is not a date such as 2027-01-31
            // secondhand: allow(copied-code) until = 2027-01-31 -- x
            put `until = 2027-01-31` into the parentheses: `allow(copied-code, until = 2027-01-31) \
            -- reason`";
        let told: Vec<&str> = told.lines().skip(1).map(str::trim_start).collect();
        let told = told.chunks(2).map(|pair| (pair[0], pair[1]));
        let cases = [
            ("// secondhand: ignore", form),
            ("/* secondhand: alow(copied-code) -- x */ int a;", form),
            ("/* secondhand allow(copied-code) -- x */ int a;", form),
            ("/* Secondhand: allow(copied-code) -- x */ int a;", form),
            ("/* secondhand : allow-file(copied-code) -- x */ int a;", form),
            ("// secondhand: allow(copied-code)", no_reason),
            ("// secondhand: allow(copied-code) --  ", no_reason),
        ];
        for (comment, why) in cases.into_iter().chain(told) {
            assert_eq!(of(comment), [Err(BadSuppression { line: 1, why: why.to_owned() })]);
        }
        assert!(of("/* Secondhand allows copies (few). */ int a;").is_empty());
    }
}
