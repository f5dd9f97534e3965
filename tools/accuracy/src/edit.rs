//! Rewrites code as people do who copy it: other layout, other names, other literals, other lines.
//!
//! Promise: what claims to change only layout leaves all tokens as they were, what claims to change
//! only names and literals leaves their order and kinds; each edit checks itself and gives `None`
//! when it failed.

use std::collections::{BTreeMap, BTreeSet};

use crate::fragment::statements;
use crate::language::{Blocks, Language};
use crate::likeness::{Likeness, likeness_of};
use crate::scan::{Class, Scan, Token};
use crate::tree::Pool;
use support::Random;

/// Joins lines and scans them.
pub fn scan(lines: &[String], language: &'static Language) -> Scan {
    Scan::new(lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect(), language)
}

/// Gives code the indentation `indent` in place of its first line's.
pub fn shift(lines: &[String], indent: &str, language: &'static Language) -> Vec<String> {
    let scan = scan(lines, language);
    let own = if scan.lines.is_empty() { "" } else { scan.indent(0) };
    let shifted = |at: usize, line: &str| match line.strip_prefix(own) {
        Some(rest) if !rest.is_empty() && !scan.lines[at].is_glued => format!("{indent}{rest}"),
        _ => line.to_owned(),
    };
    lines.iter().enumerate().map(|(at, line)| shifted(at, line)).collect()
}

/// Other indentation, line breaks, blank lines and comments; the same tokens.
pub fn relayout(
    lines: &[String],
    language: &'static Language,
    random: &mut Random,
) -> Option<Vec<String>> {
    let mut changed = reindent(lines, language, random);
    changed = rewrap(&changed, language, random)?;
    changed = comment(&changed, language, random);
    (changed != lines && scan(&changed, language).exact() == scan(lines, language).exact())
        .then_some(changed)
}

/// Tabs for spaces, spaces for tabs, or more of them.
pub fn reindent(lines: &[String], language: &'static Language, random: &mut Random) -> Vec<String> {
    let scan = scan(lines, language);
    let has_tabs = lines.iter().any(|line| line.starts_with('\t'));
    let way = if language.blocks == Blocks::Indentation { 2 } else { random.below(2) };
    let indent = |old: &str| match (has_tabs, way) {
        (true, 0) => old.replace('\t', "    "),
        (true, _) => old.replace('\t', "  "),
        (false, 0) => old.replace("    ", "\t").replace("  ", "\t"),
        (false, _) => old.replace(' ', "  "),
    };
    let reindented = |at: usize, line: &String| {
        let old = scan.indent(at);
        if scan.lines[at].is_glued {
            line.clone()
        } else {
            format!("{}{}", indent(old), &line[old.len()..])
        }
    };
    lines.iter().enumerate().map(|(at, line)| reindented(at, line)).collect()
}

/// Breaks long lines after a comma, joins broken ones, moves braces.
pub fn rewrap(
    lines: &[String],
    language: &'static Language,
    random: &mut Random,
) -> Option<Vec<String>> {
    let scan = scan(lines, language);
    let mut changed: Vec<String> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let joins = may_join(&scan, at) && random.chance(60);
        match changed.last_mut() {
            Some(last) if joins => *last = format!("{} {}", last.trim_end(), line.trim_start()),
            _ => changed.extend(broken(&scan, at, random)),
        }
    }
    (self::scan(&changed, language).exact() == scan.exact()).then_some(changed)
}

/// Whether a line can be put at the end of the one before it.
fn may_join(scan: &Scan, at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &scan.lines[before]) else { return false };
    let line = &scan.lines[at];
    let is_plain = |line: &crate::scan::Line| {
        !line.tokens.is_empty() && !line.has_comment && !line.is_directive
    };
    line.depth > 0
        && scan.may_break_before(at)
        && is_plain(before)
        && is_plain(line)
        && before.bytes.len() + line.bytes.len() < 180
}

/// The line numbered `at`, perhaps as two lines.
fn broken(scan: &Scan, at: usize, random: &mut Random) -> Vec<String> {
    let line = scan.line(at).to_owned();
    let facts = &scan.lines[at];
    let is_plain = !facts.is_glued
        && !facts.is_directive
        && !facts.has_comment
        && scan.may_break_before(at + 1);
    if !is_plain || facts.tokens.is_empty() || !random.chance(60) {
        return vec![line];
    }
    let indent = scan.indent(at).to_owned();
    if scan.language.blocks == Blocks::Statements
        && scan.token(facts.tokens.end - 1) == "{"
        && facts.tokens.len() > 1
    {
        let head = line.trim_end().trim_end_matches('{').trim_end().to_owned();
        return vec![head, format!("{indent}{{")];
    }
    let is_comma = |token: &usize| {
        scan.token(*token) == ","
            && *token + 1 < facts.tokens.end
            && is_in_parentheses(scan, facts.tokens.start, *token)
    };
    let commas: Vec<usize> = facts.tokens.clone().filter(is_comma).collect();
    let Some(&comma) = commas.get(commas.len() / 2).filter(|_| line.len() > 30) else {
        return vec![line];
    };
    let end = scan.tokens[comma].bytes.end - facts.bytes.start;
    let (head, rest) = line.split_at(end);
    vec![head.to_owned(), format!("{indent}        {}", rest.trim_start())]
}

/// Whether a round bracket that the line opened is still open at the token `at`.
fn is_in_parentheses(scan: &Scan, first: usize, at: usize) -> bool {
    let mut open = Vec::new();
    for token in first..at {
        match scan.token(token) {
            bracket @ ("(" | "[" | "{") => open.push(bracket),
            ")" | "]" | "}" => drop(open.pop()),
            _ => {}
        }
    }
    open.last() == Some(&"(")
}

/// What comments say.
const PHRASES: &[&str] = &[
    "keep this in step with the caller",
    "nothing to do here",
    "the usual case first",
    "see the note at the top",
    "cheap enough to do each time",
    "order matters",
    "must not fail",
    "this is checked above",
    "rarely taken",
    "fall through to the general case",
    "only the first one counts",
    "left as it is on purpose",
];

/// Puts blank lines and comments between lines, and comments behind them.
fn comment(lines: &[String], language: &'static Language, random: &mut Random) -> Vec<String> {
    let scan = scan(lines, language);
    let mut changed = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let facts = &scan.lines[at];
        let phrase = format!(
            "{} {}",
            language.line_comments[0].trim_end(),
            random.pick(PHRASES).expect("there are phrases")
        );
        let may_go_before = at > 0 && !facts.is_glued && !facts.tokens.is_empty();
        if may_go_before && random.chance(20) {
            changed.push(format!("{}{phrase}", scan.indent(at)));
        } else if may_go_before && random.chance(12) {
            changed.push(String::new());
        }
        let may_go_behind = scan.may_break_before(at + 1)
            && !facts.has_comment
            && !facts.is_directive
            && !facts.tokens.is_empty();
        let is_behind = may_go_behind && !line.ends_with('\\') && random.chance(15);
        changed.push(if is_behind { format!("{line} {phrase}") } else { line.clone() });
    }
    changed
}

/// The names in a text, each once.
fn names(scan: &Scan) -> Vec<String> {
    let is_name = |at: &usize| scan.tokens[*at].class == Class::Name;
    let names: BTreeSet<_> =
        (0..scan.tokens.len()).filter(is_name).map(|at| scan.token(at).to_owned()).collect();
    names.into_iter().collect()
}

/// Gives a part of the names others, each the same one throughout.
pub fn rename(
    lines: &[String],
    language: &'static Language,
    pool: &Pool,
    random: &mut Random,
) -> Option<Vec<String>> {
    let scan = scan(lines, language);
    let mut names = names(&scan);
    random.shuffle(&mut names);
    let n_renamed = (names.len() * random.between(30, 100)).div_ceil(100);
    let others = new_names(&scan, pool, n_renamed, random)?;
    let renames: BTreeMap<_, _> = names.into_iter().zip(others).collect();
    renamed(&scan, &renames)
}

/// Gives these names others, wherever they stand.
pub fn renamed(scan: &Scan, renames: &BTreeMap<String, String>) -> Option<Vec<String>> {
    let by = |at: usize, token: &Token| match token.class {
        Class::Name => renames.get(scan.token(at)).cloned(),
        _ => None,
    };
    let text = scan.replace(by);
    keeps_shape(scan, text)
}

/// Names of the tree that `scan` does not have.
pub fn new_names(scan: &Scan, pool: &Pool, n: usize, random: &mut Random) -> Option<Vec<String>> {
    let taken: BTreeSet<_> = names(scan).into_iter().collect();
    let mut found: BTreeSet<String> = BTreeSet::new();
    let mut names = Vec::new();
    for _ in 0..20 * n + 20 {
        let name = random.pick(&pool.names)?;
        if names.len() < n && !taken.contains(name) && found.insert(name.clone()) {
            names.push(name.clone());
        }
    }
    (names.len() == n).then_some(names)
}

/// Gives names others here and there, and changes literals.
pub fn rename_loosely(
    lines: &[String],
    language: &'static Language,
    pool: &Pool,
    random: &mut Random,
) -> Option<Vec<String>> {
    let scan = scan(lines, language);
    let others = new_names(&scan, pool, 6, random)?;
    let percent = random.between(15, 35);
    let mut n_changed = 0;
    let text = scan.replace(|at, token| {
        let other = match token.class {
            Class::Name if random.chance(percent) => random.pick(&others).cloned(),
            Class::Number if random.chance(70) => Some(other_number(scan.token(at), random)),
            Class::Text if random.chance(70) => other_string(scan.token(at), random),
            _ => None,
        };
        n_changed += usize::from(other.as_ref().is_some_and(|other| other != scan.token(at)));
        other
    });
    if n_changed == 0 { None } else { keeps_shape(&scan, text) }
}

fn other_number(number: &str, random: &mut Random) -> String {
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain { random.between(2, 99).to_string() } else { number.to_owned() }
}

/// Another content between the same quotes; `None` for what holds code or escapes.
fn other_string(string: &str, random: &mut Random) -> Option<String> {
    let (quote, inside) = (string.get(..1)?, string.get(1..string.len() - 1)?);
    let is_plain = (quote == "\"" || quote == "'") && string.ends_with(quote) && inside.len() > 1;
    let is_simple =
        inside.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" .,:_/-".contains(&byte));
    let phrase = random.pick(PHRASES)?;
    (is_plain && is_simple).then(|| format!("{quote}{phrase}{quote}"))
}

fn keeps_shape(scan: &Scan, text: String) -> Option<Vec<String>> {
    let other = Scan::new(text, scan.language);
    (other.shape() == scan.shape() && other.text != scan.text).then(|| other.to_lines())
}

/// Edits `n` of the inner lines: changes one, inserts one, deletes one; never the first or the
/// last.
///
/// `apart` is the least number of lines from one edit to the next.
pub fn edit_lines(
    lines: &[String],
    language: &'static Language,
    pool: &Pool,
    (n, apart): (usize, usize),
    random: &mut Random,
) -> Option<Vec<String>> {
    let scan = scan(lines, language);
    let mut candidates: Vec<usize> =
        statements(&scan).into_iter().filter(|&at| at > 0 && at + 1 < lines.len()).collect();
    random.shuffle(&mut candidates);
    let mut chosen: Vec<usize> = Vec::new();
    for at in candidates {
        if chosen.len() < n && chosen.iter().all(|&other| at.abs_diff(other) >= apart) {
            chosen.push(at);
        }
    }
    if chosen.len() < n {
        return None;
    }
    chosen.sort_unstable();
    let mut changed = lines.to_vec();
    for &at in chosen.iter().rev() {
        edit_line(&mut changed, at, &scan, pool, random)?;
    }
    let other = self::scan(&changed, language);
    (other.shape() != scan.shape()).then_some(changed)
}

fn edit_line(
    lines: &mut Vec<String>,
    at: usize,
    scan: &Scan,
    pool: &Pool,
    random: &mut Random,
) -> Option<()> {
    let other = format!("{}{}", scan.indent(at), random.pick(&pool.statements)?);
    match random.below(4) {
        0 => lines[at] = with_argument(&lines[at], random.pick(&pool.names)?).unwrap_or(other),
        1 => lines[at] = other,
        2 => lines.insert(at + 1, other),
        _ => drop(lines.remove(at)),
    }
    Some(())
}

/// The line with one more argument for what it calls first.
fn with_argument(line: &str, name: &str) -> Option<String> {
    let at = line.find('(')? + 1;
    let (head, rest) = line.split_at(at);
    let separator = if rest.starts_with(')') { "" } else { ", " };
    let is_plain = !line.contains(['"', '\'', '`']);
    is_plain.then(|| format!("{head}{name}{separator}{rest}"))
}

/// How much of `text` stands in `other`.
pub fn likeness(text: &[String], other: &[String], language: &'static Language) -> Likeness {
    likeness_of(&scan(text, language), &scan(other, language))
}

/// A comment of `n` lines as it stands above a file, the same for equal `n`.
pub fn license(language: &Language, n: usize) -> Vec<String> {
    const WORDS: &str = "Permission to use this file in source and in other forms with or without changes is granted \
        under the terms that stand in the file LICENSE of this project and which apply to all who receive it in any way";
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let opener = language.line_comments[0].trim_end();
    (0..n)
        .map(|line| {
            format!(
                "{opener} {}",
                (0..8).map(|at| words[(line * 8 + at) % words.len()]).collect::<Vec<_>>().join(" ")
            )
        })
        .collect()
}
