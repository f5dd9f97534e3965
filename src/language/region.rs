//! Finds the parts of a text that are code of another language, using the `regions` of a table.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Display;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use regex::bytes::{Regex, RegexBuilder};
use regex_automata::meta;
use regex_automata::util::captures::{Captures, GroupInfo};
use regex_automata::util::syntax;
use regex_automata::{Input, PatternID};

use super::table::{Region, Table, TableError, each_row};

/// The `regions` of a table, compiled.
#[derive(Debug)]
pub(super) struct Regions {
    /// The beginnings of all rows as one automaton: of those that match earliest, the first row's.
    begins: meta::Regex,
    rows: Vec<RegionRule>,
}

#[derive(Debug)]
struct RegionRule {
    end: Option<RegionEnd>,
    language: Option<String>,
    is_indented: bool,
}

#[derive(Debug)]
enum RegionEnd {
    Fixed(Regex),
    /// Contains `{name}`, to be filled with what a group of `begin` matched.
    Open {
        pattern: String,
        group: String,
        /// Some that were met: most files have the same few, and to compile one takes as long as
        /// to search a few kilobytes.
        known: Mutex<HashMap<String, Arc<Regex>>>,
    },
}

pub(super) struct RegionCode {
    pub range: Range<usize>,
    pub language: Option<String>,
}

/// Maximum bytes that the end of a region repeats from its beginning.
const MAX_REPEATED: usize = 64;
/// Maximum ends of a row to keep from file to file.
const MAX_KNOWN: usize = 16;

impl Regions {
    pub fn new(table: &Table) -> Result<Self, TableError> {
        let begins = begins(&table.regions)?;
        let groups = begins.group_info();
        let numbered: Vec<_> = table.regions.iter().enumerate().collect();
        let rows = each_row("regions", &numbered, |&(n, region)| row(region, groups, n))?;
        Ok(Self { begins, rows })
    }

    /// The regions of `text`, in order. Each search goes on where the last region ended: time grows
    /// with the text, not its square.
    pub fn find(&self, text: &[u8]) -> Vec<RegionCode> {
        let mut stretches = Vec::new();
        let mut ends = HashMap::new();
        let mut captures = self.begins.create_captures();
        let mut at = 0;
        while at <= text.len() {
            self.begins.search_captures(&Input::new(text).range(at..), &mut captures);
            let Some(begin) = captures.get_match() else { break };
            let row = &self.rows[begin.pattern()];
            let start = begin.end();
            let (end, after) = row.end(text, begin.range(), &captures, &mut ends);
            if end > start {
                let named = captures.get_group_by_name("language").map(|name| &text[name.range()]);
                let named = named.filter(|name| !name.is_empty()).map(String::from_utf8_lossy);
                let language = named.map(Cow::into_owned).or_else(|| row.language.clone());
                stretches.push(RegionCode { range: start..end, language });
            }
            at = after.max(begin.start() + 1);
        }
        stretches
    }
}

impl RegionRule {
    /// Where the code behind `begin` ends, and where the match of its end does.
    fn end(
        &self,
        text: &[u8],
        begin: Range<usize>,
        captures: &Captures,
        ends: &mut HashMap<String, Option<Arc<Regex>>>,
    ) -> (usize, usize) {
        let start = begin.end;
        if self.is_indented {
            let end = end_of_indented(text, begin.start, start);
            return (end, end);
        }
        let found = match &self.end {
            None => None,
            Some(RegionEnd::Fixed(end)) => end.find_at(text, behind_text(end, text, start)),
            Some(RegionEnd::Open { pattern, group, known }) => {
                let repeated = captures.get_group_by_name(group);
                let repeated = repeated.map_or(&b""[..], |group| &text[group.range()]);
                let repeated =
                    String::from_utf8_lossy(&repeated[..repeated.len().min(MAX_REPEATED)]);
                let filled = pattern.replace(&format!("{{{group}}}"), &regex::escape(&repeated));
                let end = ends.entry(filled).or_insert_with_key(|filled| filled_end(filled, known));
                end.as_ref().and_then(|end| end.find_at(text, start))
            }
        };
        found.map_or((text.len(), text.len()), |found| (found.start(), found.end()))
    }
}

/// The end of a region whose hole was filled.
fn filled_end(filled: &str, known: &Mutex<HashMap<String, Arc<Regex>>>) -> Option<Arc<Regex>> {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(end) = known.get(filled) {
        return Some(Arc::clone(end));
    }
    let end = Arc::new(compile(filled).ok()?);
    if known.len() < MAX_KNOWN {
        known.insert(filled.to_owned(), Arc::clone(&end));
    }
    Some(end)
}

/// Where the last match of `end` ends whose group `text` says that it is code; else `start`.
fn behind_text(end: &Regex, text: &[u8], start: usize) -> usize {
    let mut passed = start;
    // Most ends have no group, which is told without a search.
    while end.captures_len() > 1
        && let Some(within) = end.captures_at(text, passed).as_ref().and_then(|of| of.name("text"))
        && within.end() > passed
    {
        passed = within.end();
    }
    passed
}

/// The beginnings of all rows, as one automaton.
fn begins(rows: &[Region]) -> Result<meta::Regex, TableError> {
    let patterns: Vec<&str> = rows.iter().map(|row| &*row.begin).collect();
    // What `compile` asks for, and what `regex` builds with.
    let syntax = syntax::Config::new().multi_line(true).unicode(false).utf8(false);
    let config = meta::Config::new().utf8_empty(false);
    let built = meta::Builder::new().syntax(syntax).configure(config).build_many(&patterns);
    built.map_err(|error| match (error.pattern(), error.syntax_error()) {
        (Some(row), Some(why)) => {
            TableError::value("begin", no_pattern(why)).in_row("regions", row.as_usize())
        }
        _ => {
            let too_large =
                |limit| format!("their beginnings are an automaton of over {limit} bytes");
            TableError::value("regions", error.size_limit().map_or(error.to_string(), too_large))
        }
    })
}

fn row(region: &Region, groups: &GroupInfo, n: usize) -> Result<RegionRule, TableError> {
    let group = groups.pattern_names(PatternID::must(n)).flatten().find(|name| {
        let hole = format!("{{{name}}}");
        region.end.as_ref().is_some_and(|end| end.contains(&hole))
    });
    let end = match (&region.end, group) {
        (None, _) => None,
        (Some(end), None) => Some(RegionEnd::Fixed(compile_key("end", end)?)),
        (Some(pattern), Some(group)) => {
            compile_key("end", &pattern.replace(&format!("{{{group}}}"), "x"))?;
            let (pattern, group) = (pattern.clone(), group.to_owned());
            Some(RegionEnd::Open { pattern, group, known: Mutex::default() })
        }
    };
    Ok(RegionRule { end, language: region.language.clone(), is_indented: region.indented })
}

/// What is wrong with a regular expression, on one line.
pub(super) fn no_pattern(error: &impl Display) -> String {
    let error = error.to_string();
    let why = error.lines().last().unwrap_or_default();
    format!("not a regular expression: {}", why.trim().trim_start_matches("error: "))
}

pub(super) fn compile_key(key: &'static str, pattern: &str) -> Result<Regex, TableError> {
    compile(pattern).map_err(|error| TableError::value(key, no_pattern(&error)))
}

pub(super) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).multi_line(true).unicode(false).build()
}

/// The columns of white space that a line begins with; a tab counts as one.
pub(super) fn indent(line: &[u8]) -> usize {
    line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// The end of the lines from `start` on that are blank or indented more than the one at `begin`.
fn end_of_indented(text: &[u8], begin: usize, start: usize) -> usize {
    let line_start = text[..begin].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let own = indent(&text[line_start..]);
    let mut at = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |n| start + n + 1);
    while at < text.len() {
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |n| at + n + 1);
        let line = &text[at..end];
        if !line.trim_ascii().is_empty() && indent(line) <= own {
            break;
        }
        at = end;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_are_refused_that_are_no_patterns_or_too_large() {
        let refused = |begins: [&str; 2]| {
            let rows = begins.map(|begin| format!("[[regions]]\nbegin = '{begin}'\n")).concat();
            let table = Table::parse(&format!("name = 'A'\n{rows}")).expect("it is a table");
            Regions::new(&table).expect_err("it is no good").to_string()
        };
        let why = refused(["a", "("]);
        assert!(why.contains("`begin` of row 2") && why.contains("unclosed group"), "{why}");
        let why = refused(["a", "(?:b{1000}){1000}"]);
        assert!(why.contains("regions") && why.contains("over 10485760 bytes"), "{why}");
    }

    #[test]
    fn what_the_group_of_an_end_matches_is_code_and_nothing_is_no_match() {
        let behind = |end: &str, text: &str| {
            behind_text(&compile(end).expect("it is a pattern"), text.as_bytes(), 0)
        };
        assert_eq!(behind("(?<text>a)|b", "aacb"), 2);
        assert_eq!(behind("(?<text>)|b", "aacb"), 0);
        assert_eq!(behind("b", "aacb"), 0);
    }
}
