//! Writes a comparison as one page: the ranking, and the matches of each pair side by side.

use std::io::{self, Write};

use super::clusters::Graph;
use super::{figures, headline, likeness, names, summary};
use crate::audit::{Comparison, Pair};
use crate::report::Style;
use crate::report::html::{
    Block, Card, Cell, Code, Column, Heading, MAX_CARDS, Page, Table, left_out,
};
use crate::report::sides::Sides;
use crate::report::words::{at, count, percent};
use crate::text::LinedText;

/// Maximum matches of a pair to show; the rest are counted.
const MAX_MATCHES: usize = 50;
/// Maximum clusters to draw, the largest first.
const MAX_GRAPHS: usize = 12;
/// Maximum pairs in the table.
const MAX_LISTED: usize = 5_000;
/// Maximum rows of code on a page.
const MAX_ROWS: usize = 30_000;

pub(super) fn write(comparison: &Comparison, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut n_free = MAX_ROWS;
    let mut cards = Vec::new();
    let mut card_of: Vec<Option<usize>> = Vec::new();
    for pair in &comparison.pairs {
        let has_card = !pair.matches.is_empty() && cards.len() < MAX_CARDS;
        card_of.push(has_card.then_some(cards.len()));
        if has_card {
            cards.push(card(pair, comparison, &mut n_free));
        }
    }
    let n_more =
        comparison.pairs.iter().filter(|pair| !pair.matches.is_empty()).count() - cards.len();
    let heading = Heading {
        title: headline(comparison),
        subtitle: "How much of each submission is in another, the most alike first. \
                   Similar code need not be copied: read both sides before you judge."
            .to_owned(),
        summary: summary(comparison),
        list: "Pairs side by side",
        left_out: left_out(n_more, 0, "less similar pair"),
    };
    let card_of_pair = |a, b| {
        let at = comparison.pairs.iter().position(|pair| (pair.a, pair.b) == (a, b))?;
        card_of[at]
    };
    let histogram = super::histogram::chart(&comparison.histogram, comparison.n_compared);
    let mut page = Page::new(heading, cards).with(&histogram);
    for graph in Graph::all(comparison, card_of_pair).iter().take(MAX_GRAPHS) {
        page = page.with(graph);
    }
    page.with(&table(comparison, &card_of)).write(out)
}

/// The ranking, each row with its card.
fn table(comparison: &Comparison, card_of: &[Option<usize>]) -> Table {
    let row = |(pair, card): (&Pair, &Option<usize>)| {
        let [a, b] = names(pair, comparison);
        let names = [a, b].map(|name| Cell::to_card(name, *card));
        let cells = names.into_iter().chain(figures(pair).map(Cell::from));
        cells.chain([pair.matches.len().to_string().into()]).collect()
    };
    let n_more = comparison.pairs.len().saturating_sub(MAX_LISTED);
    Table {
        title: "All pairs that share code",
        columns: &[
            Column::Text("first"),
            Column::Text("second"),
            Column::Figures("rank"),
            Column::Figures("in 2nd"),
            Column::Figures("in 1st"),
            Column::Figures("alike"),
            Column::Figures("passages"),
        ],
        rows: comparison.pairs.iter().zip(card_of).take(MAX_LISTED).map(row).collect(),
        left_out: match n_more {
            0 => String::new(),
            n => format!("{} left out", count(n, "less similar pair")),
        },
        ..Table::default()
    }
}

fn card(pair: &Pair, comparison: &Comparison, n_free: &mut usize) -> Card {
    let [a, b] = names(pair, comparison);
    let blocks = pair.matches.iter().take(MAX_MATCHES).map(|found| {
        let source = |path| comparison.texts.get(path).unwrap_or(LinedText::empty());
        let sides = Sides::new((source(&found.a.0), &found.a.1), (source(&found.b.0), &found.b.1));
        Block {
            likeness: format!("{}, {}", likeness(found), count(found.n_tokens, "token")),
            titles: [(at(&found.a.0, &found.a.1), ""), (at(&found.b.0, &found.b.1), "")],
            code: match *n_free {
                0 => Code::default(),
                _ => Code::of_both(&sides, (&found.a.0, &found.b.0), n_free),
            },
            ..Block::default()
        }
    });
    let blocks = blocks.collect();
    let n_more = pair.matches.len().saturating_sub(MAX_MATCHES);
    let more = (n_more > 0).then(|| format!("{} more", count(n_more, "passage")));
    Card {
        level: "pair",
        path: format!("{a}\n{b}"),
        badge: format!("{} %", percent(pair.containment())),
        headline: format!("{a} and {b}"),
        place: count(pair.matches.len(), "passage"),
        blocks,
        listed: Vec::from_iter(more),
        ..Card::default()
    }
}
