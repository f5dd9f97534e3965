//! Writes a comparison as one page: the ranking, and the matches of each pair side by side.

use std::io::{self, Write};

use super::clusters::Graph;
use super::{figures, headline, names, sides, summary};
use crate::audit::{Comparison, HISTOGRAM_BARS, Pair};
use crate::report::Style;
use crate::report::html::Columns::{Figures, Text};
use crate::report::html::{
    Block, Card, Cell, Chart, Code, Heading, MAX_CARDS, MAX_ROWS, Page, Scale, Table, left_out,
};
use crate::report::words::{alike, count, percent};

/// Maximum matches of a pair to show; the rest are counted.
const MAX_MATCHES: usize = 50;
/// Maximum clusters to draw, the largest first.
const MAX_GRAPHS: usize = 12;
/// Maximum pairs in the table.
const MAX_LISTED: usize = 5_000;

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
    let n_similar = comparison.pairs.iter().filter(|pair| !pair.matches.is_empty()).count();
    let heading = Heading {
        title: headline(comparison),
        subtitle: "How much of each submission is in another, the most alike first. \
                   Similar code need not be copied: read both sides before you judge."
            .to_owned(),
        summary: summary(comparison),
        list: "Pairs side by side",
        left_out: left_out(n_similar, MAX_CARDS, "less similar pair", "left out"),
    };
    let histogram = histogram(&comparison.histogram, comparison.n_compared);
    let graphs = Graph::all(comparison, |a, b| {
        let at = comparison.pairs.iter().position(|pair| (pair.a, pair.b) == (a, b))?;
        card_of[at]
    });
    let page = Page::new(heading, cards).with(&histogram);
    let page = page.with_all(graphs.into_iter().take(MAX_GRAPHS));
    page.with(&table(comparison, &card_of)).write(out)
}

/// A histogram of pairs by containment, as a drawing inside the page.
///
/// Heights are logarithmic: in a class of a hundred, thousands of pairs share nothing, and the few
/// that matter are bars of one or two pairs.
fn histogram(bars: &[usize; HISTOGRAM_BARS], n_pairs: usize) -> Chart {
    let step = 100 / HISTOGRAM_BARS;
    let values: Vec<(f64, String)> = (0..)
        .zip(bars)
        .map(|(at, &n)| {
            let pairs = count(n, "pair");
            (n as f64, format!("{pairs} from {} to {} %", at * step, (at + 1) * step))
        })
        .collect();
    let with_pairs = values.iter().filter(|(n, _)| *n > 0.0);
    let label = with_pairs.map(|(_, title)| &**title).collect::<Vec<&str>>().join(", ");
    let caption = format!(
        "All {} by how much of one is in the other, in steps of {step} %. Heights are logarithmic.",
        count(n_pairs, "pair")
    );
    let scale = Scale::logarithmic(bars.iter().copied().max().unwrap_or(0));
    let below = [0, 25, 50, 75, 100].map(|at| (f64::from(at) / 100.0, format!("{at} %")));
    Chart::new(caption, label, &scale, below.into()).with_bars(&scale, &values)
}

/// The ranking, each row with its card.
fn table(comparison: &Comparison, card_of: &[Option<usize>]) -> Table {
    let pairs = comparison.pairs.iter().zip(card_of).take(MAX_LISTED);
    let rows = pairs.map(|(pair, card)| {
        let names = names(pair, comparison).map(|name| Cell::to_card(name, *card));
        let cells = names.into_iter().chain(figures(pair).map(Cell::from));
        cells.chain([pair.matches.len().to_string().into()]).collect()
    });
    let n_more = comparison.pairs.len().saturating_sub(MAX_LISTED);
    Table {
        title: "All pairs that share code",
        columns: &[
            Text(&["first", "second"]),
            Figures(&["rank", "in 2nd", "in 1st", "alike", "passages"]),
        ],
        rows: rows.collect(),
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
        let paths = (&found.a.0, &found.b.0);
        let likeness = alike(found.clone_type, found.similarity);
        Block {
            likeness: format!("{likeness}, {}", count(found.n_tokens, "token")),
            titles: [&found.a, &found.b].map(|(path, fragment)| (fragment.in_file(path), "")),
            code: match *n_free {
                0 => Code::default(),
                _ => Code::of_both(&sides(found, comparison), paths, n_free),
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
