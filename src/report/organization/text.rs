//! Writes an organization for people.

use std::io::{self, Write};

use super::{headline, is_open, label, license, share, summary, users};
use crate::audit::{Member, Organization};
use crate::report::Style;
use crate::report::words::{IN_VERBOSE, MAX_LISTED_LINES, count, listed};
use crate::text::printable;

pub(super) fn write(all: &Organization, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let members = all.repositories.iter().map(member);
    let flows = all.flows.iter().map(|flow| {
        let found = format!("{} in {}", count(flow.n_tokens, "token"), count(flow.n_files, "file"));
        let [from, to, answer] = [&flow.from, &flow.to, &flow.answer].map(printable);
        format!("{from} -> {to}: {found}, {answer}")
    });
    let open = all.components.iter().filter(|of| is_open(of)).map(|of| {
        let users = users(of).into_iter();
        let users = users.map(|(user, _, n)| format!("{} ({n})", printable(user)));
        let users = users.collect::<Vec<_>>().join(", ");
        let answer = printable(&of.answer);
        format!("{answer}: {}, license {}, in {users}", label(of), license(of))
    });
    let months = all.months.iter().rev().filter(|month| month.n_commits > 0).map(|month| {
        let share = share(Some((month.n_novel, month.n_copied)));
        let (tokens, commits) =
            (count(month.n_novel, "new token"), count(month.n_commits, "commit"));
        format!("{}: {share} of {tokens}, {commits}", month.name)
    });
    let days = all.days.iter().rev();
    let days = days.map(|day| {
        let (share, n) = (share(Some(day.total())), count(day.of.len(), "repository"));
        format!("{}: {share} of the lines in {n}", day.name)
    });
    let findings = all.findings.iter().map(|of| {
        let level = of.level.name();
        let [rule, repository, place, message] =
            [&of.rule, &of.repository, &of.place, &of.message].map(printable);
        format!("{level}[{rule}] {repository}, {place}: {message}")
    });
    let reports = if style.is_verbose { summary(all) } else { Vec::new() };
    let headline = headline(all);
    let sections = [
        (&*headline, members.collect()),
        ("copied from each other", flows.collect()),
        ("licenses to look at", open.collect()),
        ("copied of what was new, by month", months.collect()),
        ("duplicated, by day", days.collect()),
        ("findings", findings.collect()),
        ("reports", reports),
    ];
    for (title, rows) in sections.iter().filter(|(_, rows)| !rows.is_empty()) {
        writeln!(out, "{title}")?;
        for row in listed(rows, style.at_most(MAX_LISTED_LINES), IN_VERBOSE, String::clone) {
            writeln!(out, "  {}", style.wrapped(&row, 4).join("\n    "))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn member(of: &Member) -> String {
    let findings = format!("{}, {}", count(of.n_errors, "error"), count(of.n_warnings, "warning"));
    let shares = [
        (of.audited, "from elsewhere"),
        (of.scanned, "duplicated"),
        (of.added, "of what was new copied"),
    ];
    let shares = shares.into_iter().filter(|(part, _)| part.is_some());
    let shares: String = shares.map(|(part, what)| format!(", {} {what}", share(part))).collect();
    format!("{}: {findings}{shares}", printable(&of.name))
}
