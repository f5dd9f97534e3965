//! Writes the refactoring brief of a finding: what is equal, what differs and where, and what a
//! shared function saves.
//!
//! Only facts: what differs is read from the two texts, and each difference is named with its
//! lines.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::plain_json::json_types;
use super::sides::{Line, Mark, Rename, Sides, begins_with_digit};
use super::words::{MAX_NAMED, agreed, and_more, copy_text, count, place, sides};
use crate::audit::{Callers, Outcome};
use crate::policy::{Finding, Origin, Place};
use crate::text::{joined, printable, shortened};

/// Maximum characters of a difference to quote.
const MAX_QUOTED: usize = 60;

/// What one function for a copy and its origin would have to serve.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Brief {
    /// The origin it compares with: `src/a.c:12-20`.
    origin: String,
    /// Lines of the copy that are equal but for layout.
    equal_lines: usize,
    /// Lines of the copy.
    lines: usize,
    /// Words that differ one for one: what a shared function would take as parameters, if it is not
    /// a name of its own.
    replaced: Vec<Replacement>,
    /// What else differs: lines that only one side has, or that were rewritten.
    rewritten: Vec<Rewrite>,
    /// The functions of the copy and of the origin, with the places that call them: what a change
    /// of either touches.
    functions: Vec<Function>,
    /// Lines that go if the copy is replaced by a call of one line, whatever the parameters.
    saved_lines: usize,
}

json_types! {

/// A function in the copy or in the origin, and the calls to it, found by name.
struct Function from ((in_copy, of): (bool, &Callers)) {
    /// Whether it is in the copy, and not in the origin.
    in_copy: bool = in_copy,
    /// Its name.
    name: String = printable(&of.function),
    /// The first calls: `src/a.c:12`.
    calls: Vec<String> =
        of.calls.iter().take(MAX_NAMED).map(|(path, line)| format!("{path}:{line}")).collect(),
    /// The number of all calls.
    total: usize = of.calls.len(),
}

/// A word of the origin, and the one in its place.
struct Replacement from ((of, consistent): (&Rename, bool)) {
    /// The word of the origin.
    origin: String = of.from.clone(),
    /// The word of the copy.
    copy: String = of.to.clone(),
    /// How often.
    times: usize = of.n,
    /// Whether each of the two always corresponds to the other, as after a rename.
    consistent: bool = consistent,
}

/// A stretch that differs altogether.
struct Rewrite from ([copy, origin]: [Option<(u32, String)>; 2]) {
    /// The line of the copy; null if only the origin has it.
    copy_line: Option<u32> = copy.as_ref().map(|(line, _)| *line),
    /// What the copy has there.
    copy: String = copy.map(|(_, words)| words).unwrap_or_default(),
    /// The line of the origin; null if only the copy has it.
    origin_line: Option<u32> = origin.as_ref().map(|(line, _)| *line),
    /// What the origin has there.
    origin: String = origin.map(|(_, words)| words).unwrap_or_default(),
}

}

impl Brief {
    /// Compares a copy with its first origin; `None` if one of the texts is not known.
    pub fn of(outcome: &Outcome, finding: &Finding) -> Option<Self> {
        let origin = finding.origins.first()?;
        if copy_text(outcome, finding).is_empty() {
            return None;
        }
        let sides = sides(outcome, finding, origin)?;
        let lines = finding.fragment.n_lines() as usize;
        Some(Self {
            origin: place(origin),
            equal_lines: (0..sides.rows.len()).filter(|&row| sides.is_equal(row)).count(),
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
        let (own, mut others): (Vec<_>, Vec<_>) = self.functions.iter().partition(|of| of.in_copy);
        others.retain(|other| own.iter().all(|own| own.name != other.name));
        lines.extend(calls(&own, "", ""));
        lines.extend(calls(&others, ", the origin,", ", of the origin,"));
        let (names, values): (Vec<_>, Vec<_>) =
            self.replaced.iter().partition(|replaced| replaced.consistent);
        for (what, words) in [("renamed throughout", names), ("differs by place", values)] {
            if !words.is_empty() {
                let words = joined(&words, MAX_NAMED, |word| {
                    format!("`{}` for `{}` ({} x)", word.copy, word.origin, word.times)
                });
                lines.push(format!("{what}: {words}"));
            }
        }
        let told = self.rewritten.iter().take(MAX_NAMED);
        for Rewrite { copy_line, copy, origin_line, origin } in told {
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
        if let n_more @ 1.. = self.rewritten.len().saturating_sub(MAX_NAMED) {
            let differ = agreed(n_more, "differs", "differ");
            lines.push(format!("{} {differ}", count(n_more, "more line")));
        }
        lines
    }
}

pub(super) fn brief(outcome: &Outcome, finding: &Finding) -> Vec<String> {
    Brief::of(outcome, finding).map(|brief| brief.describe()).unwrap_or_default()
}

/// Where functions of one side are called, a line each, and those that are called nowhere; with
/// `whose` they are after the name of one, and with `of_whom` after those of several.
fn calls(functions: &[&Function], whose: &str, of_whom: &str) -> Vec<String> {
    let (called, uncalled): (Vec<&Function>, Vec<&Function>) =
        functions.iter().copied().partition(|of| of.total > 0);
    let mut lines = Vec::new();
    for Function { name, calls, total, .. } in called {
        let calls = calls.join(", ") + &and_more(total - calls.len());
        lines.push(format!("`{name}`{whose} is called in {calls}"));
    }
    let names = joined(&uncalled, MAX_NAMED, |of| format!("`{}`", of.name));
    match uncalled.len() {
        0 => {}
        1 => lines.push(format!("{names}{whose} is called nowhere by that name")),
        _ => lines.push(format!("{names}{of_whom} are called nowhere by these names")),
    }
    lines
}

fn functions(outcome: &Outcome, finding: &Finding, origin: &Origin) -> Vec<Function> {
    let copy = (true, &finding.path, &finding.fragment);
    let origin = (origin.place == Place::Tree).then_some((false, &origin.path, &origin.fragment));
    let mut functions = Vec::new();
    for (in_copy, path, fragment) in std::iter::once(copy).chain(origin) {
        let callers = outcome.callers.get(&(path.clone(), fragment.start.line));
        functions.extend(callers.into_iter().flatten().map(|of| Function::from((in_copy, of))));
    }
    functions
}

fn replaced(sides: &Sides) -> Vec<Replacement> {
    let mut of_origin: BTreeMap<&str, usize> = BTreeMap::new();
    let mut of_copy: BTreeMap<&str, usize> = BTreeMap::new();
    for rename in &sides.renames {
        *of_origin.entry(&rename.from).or_default() += 1;
        *of_copy.entry(&rename.to).or_default() += 1;
    }
    let replaced = sides.renames.iter().map(|rename| {
        let (from, to) = (&*rename.from, &*rename.to);
        let is_number = begins_with_digit(from) || begins_with_digit(to);
        Replacement::from((rename, !is_number && of_origin[from] == 1 && of_copy[to] == 1))
    });
    replaced.collect()
}

/// The rows with words that correspond to nothing on the other side.
fn rewritten(sides: &Sides) -> Vec<Rewrite> {
    let rows = 0..sides.rows.len();
    let rows = rows.map(|row| [true, false].map(|side| sides.line(row, side).and_then(changed)));
    rows.filter(|[copy, origin]| copy.is_some() || origin.is_some()).map(Rewrite::from).collect()
}

/// The number of a line, and the words that the other side has not got.
fn changed(line: &Line) -> Option<(u32, String)> {
    let parts = line.pieces().into_iter().filter(|(_, mark)| *mark == Some(Mark::Changed));
    let text: Vec<_> = parts.map(|(text, _)| text.trim()).filter(|text| !text.is_empty()).collect();
    (!text.is_empty()).then(|| (line.number, shortened(&text.join(" … "), MAX_QUOTED)))
}
