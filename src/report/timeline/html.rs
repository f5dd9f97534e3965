//! Writes a timeline as one page: the trend as charts, the commits as a table, the copies of each
//! to unfold.

use std::io::{self, Write};

use super::host::Host;
use super::periods::Periods;
use super::{TrendPoint, commit, likeness, origin_place, place, rows, summary, written};
use crate::audit::{CommitCopies, Copy, Period, Timeline};
use crate::report::Style;
use crate::report::html::Columns::{Figures, Text};
use crate::report::html::{
    Block, Card, Cell, Chart, Details, Heading, MAX_CARDS, Page, Scale, Table, Tiles, counted,
    left_out, percentage, period_table, share_chart, thousands,
};
use crate::report::words::{MAX_NAMED, count, day};
use crate::text::{printable, shortened};

/// Maximum characters of a subject in the table.
const MAX_SUBJECT: usize = 100;

pub(super) fn write(timeline: &Timeline, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let all = rows(timeline);
    let host = timeline.remote.as_deref().and_then(Host::of);
    let mut commits: Vec<&TrendPoint<'_>> =
        all.iter().rev().filter(|row| !row.judged.copies.is_empty()).collect();
    let left_out = left_out(commits.len(), MAX_CARDS, "older commit", "with copies left out");
    commits.truncate(MAX_CARDS);
    let cards = commits.iter().map(|row| card(row.judged, host.as_ref())).collect();
    let n_novel: usize = all.iter().map(|row| row.judged.n_novel).sum();
    let n_copied = all.last().map_or(0, |row| row.total);
    let title = match n_copied {
        0 => "None of the new source was copied".to_owned(),
        n => format!("{} % of the new source was copied", percentage(n, n_novel)),
    };
    let title = format!("{}: {title}", timeline.repository);
    let subtitle = format!("{}, by the commit that added it", printable(&timeline.range));
    let summary = summary(timeline).join("\n") + "\n";
    let heading = Heading { title, subtitle, summary, list: "Commits with copies", left_out };
    let mut page = Page::new(heading, cards).with(&tiles(timeline, n_copied, n_novel));
    let periods = Periods::new(&all);
    if !periods.periods.is_empty() {
        let [share, total] = charts(&periods);
        let figures = format!("Figures by {}", periods.length);
        let figures = Details::new(figures, &period_table(&periods.periods));
        page = page.with(&share).with(&total).with(&figures);
    }
    page.with_all((!commits.is_empty()).then(|| table(&commits, host.as_ref()))).write(out)
}

fn tiles(timeline: &Timeline, n_copied: usize, n_novel: usize) -> Tiles {
    let n_copies: usize = timeline.commits.iter().map(|judged| judged.copies.len()).sum();
    let n_with = timeline.commits.iter().filter(|judged| !judged.copies.is_empty()).count();
    let of_all = format!("of {}", thousands(timeline.commits.len()));
    Tiles {
        tiles: vec![
            (
                "Copied",
                format!("{} %", percentage(n_copied, n_novel)),
                format!("{} of {}", thousands(n_copied), counted(n_novel, "new token")),
            ),
            ("Copies", thousands(n_copies), String::new()),
            ("Commits with copies", thousands(n_with), of_all),
        ],
    }
}

/// The copied share of what is new in each period, and all that was copied so far.
fn charts(periods: &Periods) -> [Chart; 2] {
    let Periods { periods, length, dates } = periods;
    let (first, last) = (&periods[0].name, &periods[periods.len() - 1].name);
    let what = format!("copied share of the new tokens by {length}, from {first} to {last}");
    let caption = format!("Copied tokens as a share of the new ones, by {length}");
    let of_share = share_chart(periods.iter().map(Period::bar), caption, &what, dates.clone());
    let mut total = 0;
    let mut totals = Vec::new();
    for period in periods {
        total += period.n_copied;
        totals.push(total as f64);
    }
    let scale = Scale::linear(total as f64, "");
    let label = format!("copied tokens from {first} to {last}: {} in all", thousands(total));
    let of_total = Chart::new("Copied tokens so far".to_owned(), label, &scale, dates.clone())
        .with_line(&scale, &totals);
    [of_share, of_total]
}

fn table(commits: &[&TrendPoint<'_>], host: Option<&Host>) -> Table {
    let rows = commits.iter().enumerate().map(|(card, row)| {
        let CommitCopies { commit, info, n_novel, copies, .. } = row.judged;
        let address = host.map(|host| host.commit(&commit.to_string()));
        vec![
            Cell { text: commit.short(), address, filter: None },
            day(info.author_time).unwrap_or_default().into(),
            Cell::to_card(subject(&info.subject), Some(card)),
            printable(&info.author).into(),
            thousands(copies.len()).into(),
            thousands(row.n_copied).into(),
            format!("{} %", percentage(row.n_copied, *n_novel)).into(),
            thousands(row.total).into(),
        ]
    });
    Table {
        title: "Commits",
        note: "The newest first.",
        columns: &[
            Text(&["commit", "date", "subject", "author"]),
            Figures(&["copies", "copied tokens", "of new", "so far"]),
        ],
        rows: rows.collect(),
        ..Table::default()
    }
}

/// A subject, cut if it is long; a commit may have none.
fn subject(subject: &str) -> String {
    let shown = shortened(&printable(subject), MAX_SUBJECT);
    if shown.trim().is_empty() { "(no subject)".to_owned() } else { shown }
}

fn card(judged: &CommitCopies, host: Option<&Host>) -> Card {
    let paths = judged.copies.iter().map(|copy| copy.path.to_string());
    let level =
        judged.copies.iter().map(|copy| copy.level).max().map_or("note", |level| level.name());
    Card {
        level,
        path: paths.collect::<Vec<_>>().join("\n"),
        badge: judged.commit.short(),
        headline: commit(judged),
        place: count(judged.copies.len(), "copy"),
        link: host.map(|host| {
            (host.commit(&judged.commit.to_string()), format!("This commit on {}", host.name))
        }),
        blocks: judged.copies.iter().map(block).collect(),
        ..Card::default()
    }
}

fn block(copy: &Copy) -> Block {
    let origin = copy.origins.first();
    let others = copy.origins.iter().skip(1).take(MAX_NAMED).map(origin_place).collect::<Vec<_>>();
    let further =
        if others.is_empty() { String::new() } else { format!("; also in {}", others.join(", ")) };
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
        ..Block::default()
    }
}
