//! Writes comparisons of submissions: one file for each format.

mod clusters;
mod csv;
mod html;
pub(super) mod json;
mod text;

use std::collections::BTreeMap;

use super::Format;
use super::plain_json::write_as;
use super::sides::Sides;
use super::words::{agreed, count, percent};
use crate::audit::{Comparison, Match, Pair};
use crate::text::LinedText;

pub use csv::pseudonym_key;

/// All formats of `compare`, the default first.
pub static COMPARISON_FORMATS: &[Format<Comparison>] = &[
    Format::new("text", "a ranking and both sides, for people", text::write),
    Format::new("json", "versioned JSON for programs", write_as::<_, json::Comparison>),
    Format::new("csv", "a row for each pair, for spreadsheets", csv::write),
    Format::new("html", "one page, side by side, to read in a browser", html::write),
];

/// Maximum files to list that were not compared; the rest are counted. JSON lists all.
const MAX_LEFT_OUT: usize = 100;

fn headline(comparison: &Comparison) -> String {
    let found = match comparison.n_sharing {
        0 => "no two of them share code".to_owned(),
        n => format!("{} {} code", count(n, "pair"), agreed(n, "shares", "share")),
    };
    format!("{}: {found}", count(comparison.submissions.len(), "submission"))
}

/// The rank of a pair, and how much of the first is in the second, of the second in the first, and
/// of both; without a passage that shows them there are none.
fn figures(pair: &Pair) -> [String; 4] {
    [pair.likeness, pair.a_in_b, pair.b_in_a, pair.resemblance].map(|part| match pair.matches[..] {
        [] => "-".to_owned(),
        _ => format!("{} %", percent(part)),
    })
}

fn summary(comparison: &Comparison) -> String {
    let (k, w) = comparison.k_and_window;
    let sample =
        if w == 1 { "every k-gram".to_owned() } else { format!("winnowed fingerprints (w = {w})") };
    let n_files: usize = comparison.submissions.iter().map(|submission| submission.n_files).sum();
    let mut lines = vec![
        format!("compared by {sample} of {k} tokens in {}", count(n_files, "file")),
        "in 2nd, in 1st: the part of the fingerprints of one that the other has; alike: of all that either has"
            .to_owned(),
    ];
    if comparison.pairs.iter().any(|pair| (pair.likeness - pair.containment()).abs() > f64::EPSILON)
    {
        lines.push(
            "ranked by how much of one is in the other, in sequences of four tokens, of which those weigh more that few \
             submissions have"
                .to_owned(),
        );
    }
    if comparison.n_common > 0 {
        let n = count(comparison.n_common, "fingerprint");
        let max = comparison.params.max_common.unwrap_or_default();
        let ignored = format!("ignored {n} found in more than {max} submissions");
        lines.push(ignored + " (`--common 0` ignores none)");
    }
    let (n_listed, least) = (comparison.pairs.len(), comparison.params.threshold);
    if n_listed < comparison.n_sharing {
        let left = count(comparison.n_sharing - n_listed, "pair");
        lines.push(match n_listed < comparison.params.max_pairs {
            true => format!("left out: {left}, below {} %", percent(least)),
            false => format!("left out: {left} beyond the {n_listed} most similar"),
        });
    }
    for submission in comparison.submissions.iter().filter(|submission| submission.n_files == 0) {
        lines.push(format!("nothing to compare in: {}", submission.name));
    }
    let mut others: BTreeMap<&str, usize> = BTreeMap::new();
    let mut n_listed = 0;
    for left_out in &comparison.skipped {
        if left_out.is_notable && n_listed < MAX_LEFT_OUT {
            n_listed += 1;
            lines.push(format!("not compared: {} ({})", left_out.path, left_out.why));
        } else {
            *others.entry(&left_out.why).or_default() += 1;
        }
    }
    for (path, why) in comparison.limited.iter().take(MAX_LEFT_OUT) {
        lines.push(format!("compared in part: {path} ({why})"));
    }
    if !others.is_empty() {
        let parts: Vec<_> = others.iter().map(|(why, n)| format!("{n} {why}")).collect();
        let n: usize = others.values().sum();
        lines.push(format!("not compared either: {} ({})", count(n, "file"), parts.join(", ")));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn sides(found: &Match, comparison: &Comparison) -> Sides {
    let [a, b] = [&found.a, &found.b].map(|(path, fragment)| {
        (comparison.texts.get(path).unwrap_or(LinedText::empty()), fragment)
    });
    Sides::new(a, b)
}

fn names(pair: &Pair, comparison: &Comparison) -> [String; 2] {
    [pair.a, pair.b].map(|at| comparison.submissions[at].name.to_string())
}
