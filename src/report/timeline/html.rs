//! Writes a timeline as one page: the trend as a chart, the commits as a table, the copies of each to unfold.

use std::io::{self, Write};

use super::{commit, headline, likeness, origin_place, place, rows, summary, written};
use crate::audit::{Copy, Judged, Timeline};
use crate::report::html::{Block, Card, Chart, Code, Overview, Page};
use crate::report::words::{count, day};
use crate::report::{Format, Style};
use crate::text::printable;

pub(super) const FORMAT: Format<Timeline> =
    Format { name: "html", help: "one page with a chart of the trend, to read in a browser", write };

/// Maximum commits in the table: those that copied, the newest first.
const MAX_ROWS: usize = 2_000;
/// Maximum origins to list for a copy.
const MAX_LISTED: usize = 8;

fn write(timeline: &Timeline, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let all = rows(timeline);
    let copied = all.iter().rev().filter(|row| !row.judged.copies.is_empty()).take(MAX_ROWS);
    let (mut table, mut cards) = (Vec::new(), Vec::new());
    for row in copied {
        let info = &row.judged.info;
        let cells = vec![
            row.judged.commit.short(),
            format!("{} {}", day(info.author_time).unwrap_or_default(), printable(info.author.as_bytes())),
            row.judged.copies.len().to_string(),
            row.n_copied.to_string(),
            row.judged.n_novel.to_string(),
            row.total.to_string(),
        ];
        table.push((cells, Some(cards.len())));
        cards.push(card(row.judged));
    }
    let columns = vec!["commit", "date and author", "copies", "copied tokens", "new tokens", "copied so far"];
    let points: Vec<(i64, usize)> = all.iter().map(|row| (row.judged.info.time, row.n_copied)).collect();
    let summary = summary(timeline).join("\n") + "\n";
    let subtitle = "Copies by the commit that added them, the newest first".to_owned();
    let page = Page::new(format!("Secondhand: {}", headline(timeline)), subtitle, summary, cards);
    page.with_table(Overview { columns, rows: table }).with_figure(&Chart::new("Copied tokens", &points)).write(out)
}

fn card(judged: &Judged) -> Card {
    let paths = judged.copies.iter().map(|copy| copy.path.to_string());
    let level = judged.copies.iter().map(|copy| copy.level).max().map_or("note", |level| level.name());
    Card {
        level,
        rule: String::new(),
        language: String::new(),
        path: paths.collect::<Vec<_>>().join("\n"),
        badge: judged.commit.short(),
        headline: commit(judged),
        place: count(judged.copies.len(), "copy"),
        facts: String::new(),
        blocks: judged.copies.iter().map(block).collect(),
        listed: Vec::new(),
    }
}

fn block(copy: &Copy) -> Block {
    let origin = copy.origins.first();
    let others = copy.origins.iter().skip(1).take(MAX_LISTED).map(origin_place).collect::<Vec<_>>();
    let further = if others.is_empty() { String::new() } else { format!("; also in {}", others.join(", ")) };
    let note = origin.and_then(written).unwrap_or_default();
    Block {
        likeness: format!(
            "{}, {}, {} new, from {}: {}",
            place(copy),
            count(copy.n_tokens, "token"),
            copy.n_novel,
            origin.map(origin_place).unwrap_or_default(),
            origin.map(likeness).unwrap_or_default(),
        ),
        note: format!("{note}{further}"),
        titles: [(String::new(), ""), (String::new(), "")],
        code: Code::default(),
    }
}
