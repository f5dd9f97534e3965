//! Writes an organization as one page: who copies from whom, licenses to look at, the trend, and
//! the findings to unfold.

use std::io::{self, Write};

use super::{
    headline, is_open, label, license, n_components, n_vulnerable, reports, share, summary, users,
};
use crate::audit::{Day, Flow, Member, Organization, Period, RepositoryFinding, SharedComponent};
use crate::report::Style;
use crate::report::html::Columns::{Figures, Text};
use crate::report::html::{
    Card, Cell, Chart, Details, Heading, MAX_CARDS, MAX_TABLE_ROWS, Page, Table, Tiles, counted,
    left_out, percentage, period_table, share_chart, thousands,
};
use crate::report::words::{MAX_NAMED, count, first};
use crate::text::{joined, printable};

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
        left_out: left_out(findings.len(), MAX_CARDS, "finding", "left out"),
    };
    let mut page = Page::new(heading, cards)
        .with(&tiles(organization))
        .with_all((!flows.is_empty()).then(|| flow_table(flows)))
        .with_all((!components.is_empty()).then(|| component_table(components)))
        .with(&repository_table(repositories, findings));
    if !months.is_empty() {
        let periods = periods(months);
        let caption = "Copied tokens as a share of the new ones, all repositories".to_owned();
        let below = dates(periods.iter().map(|of| &*of.name));
        let what = "copied share of the new tokens of all repositories";
        page = page.with(&share_chart(periods.iter().map(Period::bar), caption, what, below));
        page = page.with(&Details::new("Figures of the chart".to_owned(), &period_table(&periods)));
    }
    page.with_all((days.len() > 1).then(|| day_chart(days))).write(out)
}

fn tiles(organization: &Organization) -> Tiles {
    let mut sums = [(0, 0); 3];
    for member in &organization.repositories {
        for (sum, part) in sums.iter_mut().zip([member.audited, member.scanned, member.added]) {
            let (all, copied) = part.unwrap_or_default();
            *sum = (sum.0 + all, sum.1 + copied);
        }
    }
    let [elsewhere, duplicated, added] =
        sums.map(|(all, copied)| (all, share((all > 0).then_some((all, copied)))));
    let n_open = n_components(organization, is_open);
    let n_denied = n_components(organization, |of| of.answer == "denied");
    let n_vulnerable = n_vulnerable(organization);
    let vulnerable =
        (n_vulnerable > 0).then(|| ("Lack security fixes", thousands(n_vulnerable), String::new()));
    let others = [
        ("Repositories", thousands(organization.repositories.len()), String::new()),
        ("Need a decision", thousands(n_open), format!("{n_denied} denied")),
        ("From elsewhere", elsewhere.1, format!("of {}", counted(elsewhere.0, "token"))),
        ("Duplicated", duplicated.1, format!("of {}", counted(duplicated.0, "line"))),
        ("Share of new code that was copied", added.1, format!("of {}", counted(added.0, "token"))),
    ];
    Tiles { tiles: vulnerable.into_iter().chain(others).collect() }
}

fn flow_table(flows: &[Flow]) -> Table {
    let rows = flows.iter().take(MAX_TABLE_ROWS).map(|flow| {
        let arrow = format!("{} → {}", printable(&flow.from), printable(&flow.to));
        let answer = printable(&flow.answer);
        [arrow, thousands(flow.n_tokens), thousands(flow.n_files), answer].map(Cell::from).into()
    });
    Table {
        title: "Repositories that copy from each other",
        note: "As their audits found it: the one on the left has the code, too, and may be its source.",
        columns: &[
            Text(&["code of → in"]),
            Figures(&["tokens", "files"]),
            Text(&["license policy"]),
        ],
        rows: rows.collect(),
        left_out: left_out(flows.len(), MAX_TABLE_ROWS, "row", "left out"),
    }
}

fn component_table(components: &[SharedComponent]) -> Table {
    let rows = components.iter().take(MAX_TABLE_ROWS).map(|of| {
        let policy = printable(format!("{}: {}", of.answer, of.reason()));
        let users = joined(&users(of), MAX_NAMED, |(user, ..)| printable(user));
        [label(of), license(of), policy, users, thousands(of.n_tokens())].map(Cell::from).into()
    });
    Table {
        title: "Code of others",
        note: "What needs a decision first.",
        columns: &[Text(&["component", "license", "policy", "in"]), Figures(&["tokens"])],
        rows: rows.collect(),
        left_out: left_out(components.len(), MAX_TABLE_ROWS, "row", "left out"),
    }
}

/// The repositories; the name of one leads to its first finding.
fn repository_table(repositories: &[Member], findings: &[RepositoryFinding]) -> Table {
    let rows = repositories.iter().take(MAX_TABLE_ROWS).map(|of| {
        let card = findings.iter().take(MAX_CARDS).position(|noted| noted.repository == of.name);
        let cells = [
            thousands(of.n_errors),
            thousands(of.n_warnings),
            share(of.audited),
            share(of.scanned),
            share(of.added),
            reports(of),
        ];
        let first = Cell::filtering(printable(&of.name), card, format!("{}/", printable(&of.name)));
        std::iter::once(first).chain(cells.into_iter().map(Cell::from)).collect()
    });
    Table {
        title: "Repositories",
        columns: &[
            Text(&["repository"]),
            Figures(&["errors", "warnings", "from elsewhere", "duplicated", "copied of new"]),
            Text(&["reports"]),
        ],
        rows: rows.collect(),
        left_out: left_out(repositories.len(), MAX_TABLE_ROWS, "row", "left out"),
        ..Table::default()
    }
}

/// The months, or the years if there are too many.
fn periods(months: &[Period]) -> Vec<Period> {
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
    let names = names.enumerate().step_by(step);
    names.map(|(at, name)| ((at as f64 + 0.5) / n as f64, name.to_owned())).collect()
}

fn day_chart(days: &[Day]) -> Chart {
    let bars = days.iter().map(|day| {
        let (lines, duplicated) = day.total();
        let share = 100.0 * duplicated as f64 / lines.max(1) as f64;
        let (part, lines) = (percentage(duplicated, lines), counted(lines, "line"));
        let repositories = count(day.of.len(), "repository");
        (share, format!("{}: {part} % of {lines} in {repositories}", day.name))
    });
    let caption = "Duplicated lines, all repositories, by the day of their scans".to_owned();
    let what = "duplicated share of the lines of all repositories";
    share_chart(bars, caption, what, dates(days.iter().map(|day| &*day.name)))
}

fn card(of: &RepositoryFinding) -> Card {
    let listed = first(&of.origins, MAX_LISTED, |origin| printable(origin));
    let place = format!("{}/{}", printable(&of.repository), printable(&of.place));
    Card {
        level: of.level.name(),
        rule: printable(&of.rule),
        path: Vec::from_iter(std::iter::once(&place).chain(&listed).map(String::as_str)).join("\n"),
        badge: format!("{} {}", of.level.name(), printable(&of.rule)),
        headline: printable(&of.message),
        place,
        listed,
        ..Card::default()
    }
}
