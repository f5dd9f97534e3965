//! Writes an organization for people.

use std::io::{self, Write};

use super::{arrow, headline, is_open, label, license, name, share, summary, users};
use crate::audit::{Member, Organization};
use crate::report::Style;
use crate::report::frame::Canvas;
use crate::report::words::count;
use crate::text::printable;

/// Maximum rows of a list; the rest are counted, and `--verbose` lists all.
const MAX_ROWS: usize = 20;

pub(super) fn write(
    organization: &Organization,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let canvas = Canvas::new(style);
    let max = if style.is_verbose { usize::MAX } else { MAX_ROWS };
    let mut section = |title: &str, rows: Vec<String>| -> io::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        writeln!(out, "{title}")?;
        for row in rows.iter().take(max) {
            writeln!(out, "  {}", canvas.wrapped(row, 4).join("\n    "))?;
        }
        match rows.len().saturating_sub(max) {
            0 => writeln!(out),
            n => writeln!(out, "  and {n} more, which `--verbose` lists\n"),
        }
    };
    section(&headline(organization), Vec::from_iter(organization.repositories.iter().map(member)))?;
    let flows = organization.flows.iter().map(|flow| {
        let found = format!("{} in {}", count(flow.n_tokens, "token"), count(flow.n_files, "file"));
        format!("{}: {found}, {}", arrow(flow), printable(flow.answer.as_bytes()))
    });
    section("copied from each other", flows.collect())?;
    let open = organization.components.iter().filter(|of| is_open(of)).map(|of| {
        let users: Vec<String> =
            users(of).into_iter().map(|(user, _, n)| format!("{} ({n})", name(user))).collect();
        let answer = printable(of.answer.as_bytes());
        format!("{answer}: {}, license {}, in {}", label(of), license(of), users.join(", "))
    });
    section("licenses to look at", open.collect())?;
    let months =
        organization.months.iter().rev().filter(|month| month.n_commits > 0).map(|month| {
            let share = share(Some((month.n_novel, month.n_copied)));
            let (tokens, commits) =
                (count(month.n_novel, "new token"), count(month.n_commits, "commit"));
            format!("{}: {share} of {tokens}, {commits}", month.name)
        });
    section("copied of what was new, by month", months.collect())?;
    let days = organization.days.iter().rev();
    let days = days.map(|day| {
        let (share, n) = (share(Some(day.total())), count(day.of.len(), "repository"));
        format!("{}: {share} of the lines in {n}", day.name)
    });
    section("duplicated, by day", days.collect())?;
    let findings = organization.findings.iter().map(|of| {
        let level = of.level.name();
        let [rule, repository, place, message] =
            [&of.rule, &of.repository, &of.place, &of.message].map(|text| name(text));
        format!("{level}[{rule}] {repository}, {place}: {message}")
    });
    section("findings", findings.collect())?;
    if style.is_verbose {
        section("reports", summary(organization))?;
    }
    Ok(())
}

fn member(of: &Member) -> String {
    let findings = format!("{}, {}", count(of.n_errors, "error"), count(of.n_warnings, "warning"));
    let of_others =
        of.audited.map(|_| format!(", {} from elsewhere", share(of.audited))).unwrap_or_default();
    let duplicated =
        of.scanned.map(|_| format!(", {} duplicated", share(of.scanned))).unwrap_or_default();
    let added = of.added.map(|_| format!(", {} of what was new copied", share(of.added)));
    let added = added.unwrap_or_default();
    format!("{}: {findings}{of_others}{duplicated}{added}", name(&of.name))
}
