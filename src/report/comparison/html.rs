//! Writes a comparison as one page: the ranking, and the matches of each pair side by side.

use std::io::{self, Write};

use super::clusters::Graph;
use super::histogram::Histogram;
use super::{headline, likeness, names, summary};
use crate::audit::{Comparison, Pair};
use crate::report::html::{Block, Card, Code, Overview, Page};
use crate::report::sides::Sides;
use crate::report::words::{count, lines, percent};
use crate::report::{Format, Style};

pub(super) const FORMAT: Format<Comparison> =
    Format { name: "html", help: "one page, side by side, to read in a browser", write };

/// Maximum matches of a pair to show; the rest are counted.
const MAX_MATCHES: usize = 50;
/// Maximum clusters to draw, the largest first.
const MAX_GRAPHS: usize = 12;
/// Maximum rows of code on a page.
const MAX_ROWS: usize = 60_000;

fn write(comparison: &Comparison, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut n_free = MAX_ROWS;
    let mut rows = Vec::new();
    let mut cards = Vec::new();
    for pair in &comparison.pairs {
        let [a, b] = names(pair, comparison);
        let figures = [pair.a_in_b, pair.b_in_a, pair.resemblance].map(|part| format!("{} %", percent(part)));
        let cells = [a, b].into_iter().chain(figures).chain([pair.matches.len().to_string()]).collect();
        rows.push((cells, (!pair.matches.is_empty()).then_some(cards.len())));
        if !pair.matches.is_empty() {
            cards.push(card(pair, comparison, &mut n_free));
        }
    }
    let columns = vec!["first", "second", "first in second", "second in first", "resemblance", "passages"];
    let title = format!("Secondhand: {}", headline(comparison));
    let subtitle = "How much of each submission is in another, the most alike first. \
                    Similar code need not be copied: read both sides before you judge."
        .to_owned();
    let links = |a, b| comparison.pairs.iter().position(|pair| (pair.a, pair.b) == (a, b));
    let card_of = |a, b| links(a, b).and_then(|at| rows.get(at)).and_then(|row: &(_, Option<usize>)| row.1);
    let mut page = Page::new(title, subtitle, summary(comparison), cards);
    page = page.with_figure(&Histogram::new(&comparison.histogram, comparison.n_compared));
    for (number, graph) in Graph::all(comparison, card_of).into_iter().enumerate().take(MAX_GRAPHS) {
        page = page.with_figure(&graph.numbered(number + 1));
    }
    page.with_table(Overview { columns, rows }).write(out)
}

fn card(pair: &Pair, comparison: &Comparison, n_free: &mut usize) -> Card {
    let [a, b] = names(pair, comparison);
    let blocks = pair.matches.iter().take(MAX_MATCHES).map(|found| {
        let source = |path| comparison.texts.get(path).map_or(&[][..], Vec::as_slice);
        let sides = Sides::new((source(&found.a.0), &found.a.1), (source(&found.b.0), &found.b.1));
        Block {
            likeness: format!("{}, {}", likeness(found), count(found.n_tokens, "token")),
            note: String::new(),
            titles: [
                (format!("{}:{}", found.a.0, lines(&found.a.1)), ""),
                (format!("{}:{}", found.b.0, lines(&found.b.1)), ""),
            ],
            code: if *n_free > 0 { Code::of_both(&sides, n_free) } else { Code::default() },
        }
    });
    let blocks = blocks.collect();
    let n_more = pair.matches.len().saturating_sub(MAX_MATCHES);
    Card {
        level: "pair",
        rule: String::new(),
        language: String::new(),
        path: format!("{a}\n{b}"),
        badge: format!("{} %", percent(pair.containment())),
        headline: format!("{a} and {b}"),
        place: count(pair.matches.len(), "passage"),
        facts: String::new(),
        blocks,
        listed: if n_more > 0 { vec![format!("{} more", count(n_more, "passage"))] } else { Vec::new() },
    }
}
