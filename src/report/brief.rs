//! Writes the refactoring brief of a finding: what is equal, what differs and where, and what a
//! shared function saves.
//!
//! Only facts: what differs is read from the two texts, and each difference is named with its
//! lines.

use std::collections::{BTreeMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::sides::{Mark, Sides};
use super::words::{agreed, and_more, copy_text, count, place, text_of};
use crate::audit::{Callers, Outcome};
use crate::policy::{Finding, Origin, Place};
use crate::text::FilePath;

/// Maximum differences to name; the rest are counted.
const MAX_NAMED: usize = 12;
/// Maximum characters of a difference to quote.
const MAX_QUOTED: usize = 60;

/// What one function for a copy and its origin would have to serve.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Brief {
    /// The origin it compares with: `src/a.c:12-20`.
    pub origin: String,
    /// Lines of the copy that are equal but for layout.
    pub equal_lines: usize,
    /// Lines of the copy.
    pub lines: usize,
    /// Words that differ one for one: what a shared function would take as parameters, if it is not
    /// a name of its own.
    pub replaced: Vec<Replacement>,
    /// What else differs: lines that only one side has, or that were rewritten.
    pub rewritten: Vec<Rewrite>,
    /// The functions of the copy and of the origin, with the places that call them: what a change
    /// of either touches.
    pub functions: Vec<Function>,
    /// Lines that go if the copy is replaced by a call of one line, whatever the parameters.
    pub saved_lines: usize,
}

/// A function in the copy or in the origin, and the calls to it, found by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Function {
    /// Whether it is in the copy, and not in the origin.
    pub in_copy: bool,
    /// Its name.
    pub name: String,
    /// The first calls: `src/a.c:12`.
    pub calls: Vec<String>,
    /// The number of all calls.
    pub total: usize,
}

/// A word of the origin, and the one in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Replacement {
    /// The word of the origin.
    pub origin: String,
    /// The word of the copy.
    pub copy: String,
    /// How often.
    pub times: usize,
    /// Whether each of the two always corresponds to the other, as after a rename.
    pub consistent: bool,
}

/// A stretch that differs altogether.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rewrite {
    /// The line of the copy; null if only the origin has it.
    pub copy_line: Option<u32>,
    /// What the copy has there.
    pub copy: String,
    /// The line of the origin; null if only the copy has it.
    pub origin_line: Option<u32>,
    /// What the origin has there.
    pub origin: String,
}

impl Brief {
    /// Compares a copy with its first origin; `None` if one of the texts is not known.
    pub fn of(outcome: &Outcome, finding: &Finding) -> Option<Self> {
        let origin = finding.origins.first()?;
        let text = text_of(outcome, origin)?;
        let copy = copy_text(outcome, finding);
        if copy.is_empty() {
            return None;
        }
        let sides = Sides::new((copy, &finding.fragment), (text, &origin.fragment));
        let lines = finding.fragment.n_lines() as usize;
        let rows = sides.rows.iter().filter(|row| row.0.is_some() && row.1.is_some());
        let equal_lines = rows.filter(|&&row| !sides.is_marked(row));
        Some(Self {
            origin: place(origin),
            equal_lines: equal_lines.count(),
            lines,
            replaced: replaced(&sides),
            rewritten: rewritten(&sides),
            functions: functions(outcome, finding, origin),
            saved_lines: lines.saturating_sub(1),
        })
    }

    /// The brief in lines, for people and agents.
    pub fn describe(&self) -> Vec<String> {
        let differing = self.replaced.len() + self.rewritten.len();
        let lines = count(self.lines, "line");
        let equal = format!("equal to {}: {} of {lines}", self.origin, self.equal_lines);
        let saved =
            format!("a call of one line in its place saves {}", count(self.saved_lines, "line"));
        let mut lines = vec![match differing {
            0 => format!("{equal}; nothing differs but layout and comments; {saved}"),
            _ => format!("{equal}; {}; {saved}", count(differing, "difference")),
        }];
        // A call does not tell two functions of one name apart, so the origin's are named where
        // they have another name.
        let of_copy: HashSet<&str> =
            self.functions.iter().filter(|of| of.in_copy).map(|of| of.name.as_str()).collect();
        for in_copy in [true, false] {
            let (whose, of_whom) =
                if in_copy { ("", "") } else { (", the origin,", ", of the origin,") };
            let named = |of: &&Function| {
                of.in_copy == in_copy && (in_copy || !of_copy.contains(of.name.as_str()))
            };
            let (called, uncalled): (Vec<_>, Vec<_>) =
                self.functions.iter().filter(named).partition(|of| of.total > 0);
            let calls = |of: &&Function| {
                let calls = of.calls.join(", ") + &more(of.total);
                format!("`{}`{whose} is called in {calls}", of.name)
            };
            lines.extend(called.iter().map(calls));
            let names: Vec<String> =
                uncalled.iter().take(MAX_NAMED).map(|of| format!("`{}`", of.name)).collect();
            lines.extend(match uncalled.len() {
                0 => None,
                1 => Some(format!("{}{whose} is called nowhere by that name", names[0])),
                n => {
                    let names = names.join(", ") + &more(n);
                    Some(format!("{names}{of_whom} are called nowhere by these names"))
                }
            });
        }
        let (names, values): (Vec<_>, Vec<_>) =
            self.replaced.iter().partition(|replaced| replaced.consistent);
        let word =
            |of: &&Replacement| format!("`{}` for `{}` ({} x)", of.copy, of.origin, of.times);
        for (what, words) in [("renamed throughout", names), ("differs by place", values)] {
            if !words.is_empty() {
                let named: Vec<String> = words.iter().take(MAX_NAMED).map(word).collect();
                lines.push(format!("{what}: {}{}", named.join(", "), more(words.len())));
            }
        }
        for Rewrite { copy_line, copy, origin_line, origin } in
            self.rewritten.iter().take(MAX_NAMED)
        {
            lines.push(match (copy_line, origin_line) {
                (Some(line), Some(other)) => {
                    format!("line {line} has `{copy}`, line {other} of the origin `{origin}`")
                }
                (Some(line), None) => format!("line {line}, only here: `{copy}`"),
                (None, Some(other)) => {
                    format!("line {other} of the origin, only there: `{origin}`")
                }
                (None, None) => continue,
            });
        }
        if self.rewritten.len() > MAX_NAMED {
            let n_more = self.rewritten.len() - MAX_NAMED;
            let differ = agreed(n_more, "differs", "differ");
            lines.push(format!("{} {differ}", count(n_more, "more line")));
        }
        lines
    }
}

/// The brief of a finding in lines; empty if there is none.
pub(super) fn brief(outcome: &Outcome, finding: &Finding) -> Vec<String> {
    Brief::of(outcome, finding).map(|brief| brief.describe()).unwrap_or_default()
}

fn more(n: usize) -> String {
    and_more(n.saturating_sub(MAX_NAMED))
}

/// The functions of both sides with their calls, those of the copy first.
fn functions(outcome: &Outcome, finding: &Finding, origin: &Origin) -> Vec<Function> {
    let copy = (true, finding.path.clone(), finding.fragment.start.line);
    let origin = (origin.place == Place::Tree)
        .then(|| (false, origin.path.clone(), origin.fragment.start.line));
    let call = |(path, line): &(FilePath, u32)| format!("{path}:{line}");
    let named = |(in_copy, path, line)| {
        let of = outcome.callers.get(&(path, line)).into_iter().flatten();
        of.map(move |Callers { function, calls }| Function {
            in_copy,
            name: crate::text::printable(function.as_bytes()),
            calls: Vec::from_iter(calls.iter().take(MAX_NAMED).map(call)),
            total: calls.len(),
        })
    };
    [Some(copy), origin].into_iter().flatten().flat_map(named).collect()
}

fn replaced(sides: &Sides) -> Vec<Replacement> {
    let mut of_origin: BTreeMap<&str, usize> = BTreeMap::new();
    let mut of_copy: BTreeMap<&str, usize> = BTreeMap::new();
    for rename in &sides.renames {
        *of_origin.entry(&rename.from).or_default() += 1;
        *of_copy.entry(&rename.to).or_default() += 1;
    }
    let is_name = |word: &str| !word.starts_with(|c: char| c.is_ascii_digit());
    let of = |rename: &super::sides::Rename| Replacement {
        origin: rename.from.clone(),
        copy: rename.to.clone(),
        times: rename.n,
        consistent: is_name(&rename.from)
            && is_name(&rename.to)
            && of_origin[rename.from.as_str()] == 1
            && of_copy[rename.to.as_str()] == 1,
    };
    sides.renames.iter().map(of).collect()
}

/// The rows with words that correspond to nothing on the other side.
fn rewritten(sides: &Sides) -> Vec<Rewrite> {
    let changed = |lines: &[super::sides::Line], at: Option<usize>| -> Option<(u32, String)> {
        let line = &lines[at?];
        let parts = line.pieces().into_iter().filter(|(_, mark)| *mark == Some(Mark::Changed));
        let text: Vec<&str> =
            parts.map(|(text, _)| text.trim()).filter(|text| !text.is_empty()).collect();
        (!text.is_empty()).then(|| (line.number, quoted(&text.join(" … "))))
    };
    let row = |&(copy, origin): &(Option<usize>, Option<usize>)| {
        let (copy, origin) = (changed(&sides.copy, copy), changed(&sides.origin, origin));
        if copy.is_none() && origin.is_none() {
            return None;
        }
        let (copy_line, copy) = copy.unzip();
        let (origin_line, origin) = origin.unzip();
        let (copy, origin) = (copy.unwrap_or_default(), origin.unwrap_or_default());
        Some(Rewrite { copy_line, copy, origin_line, origin })
    };
    sides.rows.iter().filter_map(row).collect()
}

fn quoted(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
