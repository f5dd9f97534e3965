//! Writes a comparison for people: the ranking, then both sides of each match.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use super::{figures, headline, names, sides, summary};
use crate::audit::{CLUSTERED, Comparison, Pair};
use crate::report::Style;
use crate::report::frame::draw;
use crate::report::words::{alike, count, percent};

/// Maximum pairs whose matches are drawn, and matches of each; unlimited with `--verbose`.
const MAX_PAIRS: usize = 5;
const MAX_MATCHES: usize = 3;

pub(super) fn write(comparison: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if !style.is_quiet {
        for line in style.wrapped(&headline(comparison), 0) {
            writeln!(out, "{line}")?;
        }
        if !comparison.pairs.is_empty() {
            writeln!(out, "\n  rank  in 2nd  in 1st  alike  pair")?;
        }
    }
    for pair in &comparison.pairs {
        let [a, b] = names(pair, comparison);
        let [rank, in_b, in_a, alike] = figures(pair);
        let figures = format!("{rank:>6} {in_b:>7} {in_a:>7} {alike:>6}  ");
        let why = if pair.matches.is_empty() { "  (no passage that is long enough)" } else { "" };
        let name = format!("{a}  {b}{why}");
        // Names that do not fit next to the figures go below them.
        if figures.len() + name.width() <= style.columns() || !style.wraps {
            writeln!(out, "{figures}{name}")?;
        } else {
            writeln!(out, "{figures}\n    {a}\n    {b}")?;
        }
    }
    if style.is_quiet {
        return Ok(());
    }
    if comparison.submissions.len() > 2 && !comparison.clusters.is_empty() {
        let least = percent(CLUSTERED);
        writeln!(out, "\n  clusters, joined where at least {least} % of one is in the other")?;
        for cluster in &comparison.clusters {
            let names: Vec<_> =
                cluster.iter().map(|&at| comparison.submissions[at].name.to_string()).collect();
            writeln!(out, "  {}", style.wrapped(&names.join(", "), 4).join("\n    "))?;
        }
    }
    let drawn = comparison.pairs.iter().filter(|pair| !pair.matches.is_empty());
    for pair in drawn.take(style.at_most(MAX_PAIRS)) {
        write!(out, "\n{}", matches(pair, comparison, style))?;
    }
    writeln!(out)?;
    for line in summary(comparison).lines() {
        writeln!(out, "{}", style.wrapped(line, 2).join("\n  "))?;
    }
    Ok(())
}

fn matches(pair: &Pair, comparison: &Comparison, style: &Style) -> String {
    let [a, b] = names(pair, comparison);
    let (passages, n_tokens) = (count(pair.matches.len(), "passage"), pair.n_matched.0);
    let tokens = count(pair.n_matched.1, "token");
    let title = format!("{a} and {b}: {passages} in common, {n_tokens} and {tokens}");
    let mut text = format!("{}\n", style.wrapped(&title, 0).join("\n  "));
    let max = style.at_most(MAX_MATCHES);
    for found in pair.matches.iter().take(max) {
        let [a, b] = [&found.a, &found.b].map(|(path, fragment)| fragment.in_file(path));
        let tokens = count(found.n_tokens, "token");
        let likeness = alike(found.clone_type, found.similarity);
        let titles = [format!("{a}, {tokens}"), format!("{b}, {likeness}")];
        text.push_str(&draw(&sides(found, comparison), &titles, style));
    }
    if pair.matches.len() > max {
        text.push_str(&format!("  = and {} more\n", pair.matches.len() - max));
    }
    text
}
