//! Writes an organization as one page: who copies from whom, licenses to look at, the trend, and
//! the findings to unfold.

use std::io::{self, Write};

use super::{
    headline, is_open, label, license, n_components, n_vulnerable, name, reports, share, summary,
    users,
};
use crate::audit::{Day, Flow, Member, Month, Organization, RepositoryFinding, SharedComponent};
use crate::report::Style;
use crate::report::html::{
    Card, Cell, Chart, Column, Details, Heading, MAX_CARDS, Page, Period, Scale, Table, Tiles,
    counted, left_out, percentage, period_table, share_chart, thousands,
};
use crate::report::words::{and_more, count, first};
use crate::text::printable;

/// Maximum rows of a table; the rest are counted.
const MAX_ROWS: usize = 500;
/// Maximum repositories to name in a row.
const MAX_USERS: usize = 8;
/// Maximum origins to list for a finding.
const MAX_LISTED: usize = 20;
/// Maximum bars of a chart: more months are shown as years.
const MAX_BARS: usize = 120;
/// Maximum dates below a chart: so many fit on a phone.
const MAX_DATES: usize = 4;

pub(super) fn write(organization: &Organization, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Organization { repositories, flows, components, months, days, findings, .. } = organization;
    let cards = findings.iter().take(MAX_CARDS).map(card).collect();
    let heading = Heading {
        title: format!("Secondhand: {}", headline(organization)),
        subtitle: "The latest report of each repository, combined".to_owned(),
        summary: summary(organization).join("\n") + "\n",
        list: "Errors and warnings",
        left_out: left_out(findings.len(), MAX_CARDS, "finding"),
    };
    let mut page = Page::new(heading, cards).with(&tiles(organization));
    if !flows.is_empty() {
        page = page.with(&flow_table(flows));
    }
    if !components.is_empty() {
        page = page.with(&component_table(components));
    }
    page = page.with(&repository_table(repositories, findings));
    if !months.is_empty() {
        let periods = periods(months);
        page = page.with(&month_chart(&periods));
        page = page.with(&Details::new("Figures of the chart".to_owned(), &period_table(&periods)));
    }
    if days.len() > 1 {
        page = page.with(&day_chart(days));
    }
    page.write(out)
}

fn tiles(organization: &Organization) -> Tiles {
    let sum = |of: fn(&Member) -> Option<(usize, usize)>| {
        let all = organization.repositories.iter().filter_map(of);
        all.fold((0, 0), |(all, part), (of, copied)| (all + of, part + copied))
    };
    let figure = |(all, part): (usize, usize)| {
        if all == 0 { "-".to_owned() } else { share(Some((all, part))) }
    };
    let (elsewhere, duplicated, added) =
        (sum(|of| of.audited), sum(|of| of.scanned), sum(|of| of.added));
    let n_denied = n_components(organization, |of| of.answer == "denied");
    let vulnerable = match n_vulnerable(organization) {
        0 => None,
        n => Some(("Lack security fixes", thousands(n), String::new())),
    };
    let others = [
        ("Repositories", thousands(organization.repositories.len()), String::new()),
        (
            "Need a decision",
            thousands(n_components(organization, is_open)),
            format!("{n_denied} denied"),
        ),
        ("From elsewhere", figure(elsewhere), format!("of {}", counted(elsewhere.0, "token"))),
        ("Duplicated", figure(duplicated), format!("of {}", counted(duplicated.0, "line"))),
        (
            "Share of new code that was copied",
            figure(added),
            format!("of {}", counted(added.0, "token")),
        ),
    ];
    Tiles { tiles: vulnerable.into_iter().chain(others).collect() }
}

fn flow_table(flows: &[Flow]) -> Table {
    let row = |flow: &Flow| {
        let arrow = format!("{} → {}", name(&flow.from), name(&flow.to));
        let answer = printable(flow.answer.as_bytes());
        [arrow, thousands(flow.n_tokens), thousands(flow.n_files), answer].map(Cell::from).into()
    };
    Table {
        title: "Repositories that copy from each other",
        note: "As their audits found it: the one on the left has the code, too, and may be its source.",
        columns: &[
            Column::Text("code of → in"),
            Column::Figures("tokens"),
            Column::Figures("files"),
            Column::Text("license policy"),
        ],
        rows: flows.iter().take(MAX_ROWS).map(row).collect(),
        left_out: left_out(flows.len(), MAX_ROWS, "row"),
    }
}

fn component_table(components: &[SharedComponent]) -> Table {
    let row = |of: &SharedComponent| {
        let users = users(of);
        let named: Vec<String> =
            users.iter().take(MAX_USERS).map(|(user, ..)| name(user)).collect();
        let more = and_more(users.len().saturating_sub(MAX_USERS));
        let policy = printable(format!("{}: {}", of.answer, of.reason()).as_bytes());
        let users = named.join(", ") + &more;
        [label(of), license(of), policy, users, thousands(of.n_tokens())].map(Cell::from).into()
    };
    Table {
        title: "Code of others",
        note: "What needs a decision first.",
        columns: &[
            Column::Text("component"),
            Column::Text("license"),
            Column::Text("policy"),
            Column::Text("in"),
            Column::Figures("tokens"),
        ],
        rows: components.iter().take(MAX_ROWS).map(row).collect(),
        left_out: left_out(components.len(), MAX_ROWS, "row"),
    }
}

/// The repositories; the name of one leads to its first finding.
fn repository_table(repositories: &[Member], findings: &[RepositoryFinding]) -> Table {
    let row = |of: &Member| {
        let card = findings.iter().take(MAX_CARDS).position(|noted| noted.repository == of.name);
        let cells = [
            thousands(of.n_errors),
            thousands(of.n_warnings),
            share(of.audited),
            share(of.scanned),
            share(of.added),
            reports(of),
        ];
        let first = Cell::filtering(name(&of.name), card, format!("{}/", name(&of.name)));
        std::iter::once(first).chain(cells.into_iter().map(Cell::from)).collect()
    };
    Table {
        title: "Repositories",
        columns: &[
            Column::Text("repository"),
            Column::Figures("errors"),
            Column::Figures("warnings"),
            Column::Figures("from elsewhere"),
            Column::Figures("duplicated"),
            Column::Figures("copied of new"),
            Column::Text("reports"),
        ],
        rows: repositories.iter().take(MAX_ROWS).map(row).collect(),
        left_out: left_out(repositories.len(), MAX_ROWS, "row"),
        ..Table::default()
    }
}

/// The months, or the years if there are too many.
fn periods(months: &[Month]) -> Vec<Period> {
    let n_of_name = if months.len() <= MAX_BARS { "2026-11".len() } else { "2026".len() };
    let mut periods: Vec<Period> = Vec::new();
    for month in months {
        let name = &month.name[..month.name.len().min(n_of_name)];
        if periods.last().is_none_or(|period| period.name != name) {
            periods.push(Period { name: name.to_owned(), ..Period::default() });
        }
        if let Some(period) = periods.last_mut() {
            period.n_commits += month.n_commits;
            period.n_novel += month.n_novel;
            period.n_copied += month.n_copied;
        }
    }
    periods
}

/// Names below a chart, in the middle of their parts of it.
fn dates<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> Vec<(f64, String)> {
    let n = names.len();
    let step = n.div_ceil(MAX_DATES).max(1);
    names
        .enumerate()
        .step_by(step)
        .map(|(at, name)| ((at as f64 + 0.5) / n as f64, name.to_owned()))
        .collect()
}

fn month_chart(periods: &[Period]) -> Chart {
    let caption = "Copied tokens as a share of the new ones, all repositories".to_owned();
    let below = dates(periods.iter().map(|of| &*of.name));
    share_chart(periods, caption, "copied share of the new tokens of all repositories", below)
}

fn day_chart(days: &[Day]) -> Chart {
    let share = |day: &Day| {
        let (lines, duplicated) = day.total();
        100.0 * duplicated as f64 / lines.max(1) as f64
    };
    let highest = days.iter().map(share).fold(0.0, f64::max);
    let scale = Scale::linear(highest.min(100.0), " %");
    let words = |day: &Day| {
        let (lines, duplicated) = day.total();
        let (part, lines) = (percentage(duplicated, lines), counted(lines, "line"));
        format!("{}: {part} % of {lines} in {}", day.name, count(day.of.len(), "repository"))
    };
    let bars: Vec<_> = days.iter().map(|day| (share(day), words(day))).collect();
    let label =
        format!("duplicated share of the lines of all repositories: at most {highest:.1} %");
    let caption = "Duplicated lines, all repositories, by the day of their scans".to_owned();
    Chart::new(caption, label, &scale, dates(days.iter().map(|day| &*day.name)))
        .with_bars(&scale, &bars)
}

fn card(of: &RepositoryFinding) -> Card {
    let shown = |text: &String| printable(text.as_bytes());
    let listed = first(&of.origins, MAX_LISTED, shown);
    let place = format!("{}/{}", name(&of.repository), name(&of.place));
    Card {
        level: of.level.name(),
        rule: shown(&of.rule),
        path: Vec::from_iter(std::iter::once(&place).chain(&listed).map(String::as_str)).join("\n"),
        badge: format!("{} {}", of.level.name(), shown(&of.rule)),
        headline: shown(&of.message),
        place,
        listed,
        ..Card::default()
    }
}
