//! Writes the combined reports of many repositories: one file for each format.

mod html;
pub(super) mod json;
mod text;

use std::collections::BTreeSet;

use super::Format;
use super::plain_json::write_as;
use super::words::{count, lacking_fixes};
use crate::audit::{Member, Organization, SharedComponent};
use crate::text::printable;

/// All formats of `report`, the default first.
pub static ORGANIZATION_FORMATS: &[Format<Organization>] = &[
    Format::new("text", "for people", text::write),
    Format::new("json", "versioned JSON for programs", write_as::<_, json::Organization>),
    Format::new("html", "one page, to read in a browser", html::write),
];

fn headline(organization: &Organization) -> String {
    let copying: BTreeSet<_> =
        organization.flows.iter().flat_map(|of| [&of.from, &of.to]).collect();
    let mut headline = count(organization.repositories.len(), "repository");
    if let n @ 1.. = n_vulnerable(organization) {
        headline += &format!("; {}", lacking_fixes(n));
    }
    if let n @ 1.. = copying.len() {
        headline += &format!("; {n} share code with each other");
    }
    if let n @ 1.. = n_components(organization, is_open) {
        headline += &format!("; {} needing a decision", count(n, "component"));
    }
    headline
}

fn n_vulnerable(organization: &Organization) -> usize {
    organization.repositories.iter().map(|of| of.n_vulnerable).sum()
}

/// How many components there are among the rows that count: a component has one for each license.
fn n_components(organization: &Organization, counts: fn(&SharedComponent) -> bool) -> usize {
    let rows = organization.components.iter().filter(|of| counts(of));
    rows.map(|of| &of.name).collect::<BTreeSet<_>>().len()
}

/// Whether a person has to look at the license of a component.
fn is_open(of: &SharedComponent) -> bool {
    of.answer != "allowed"
}

/// The repositories with code of a component, the most tokens first, with their files and tokens.
fn users(of: &SharedComponent) -> Vec<(&str, usize, usize)> {
    let mut users: Vec<_> =
        of.users.iter().map(|(name, (n_files, n_tokens))| (&**name, *n_files, *n_tokens)).collect();
    users.sort_unstable_by_key(|(name, _, n_tokens)| (std::cmp::Reverse(*n_tokens), *name));
    users
}

/// A component with its versions: `zlib 1.2.11, 1.3`.
fn label(of: &SharedComponent) -> String {
    let versions: Vec<&str> = of.versions.iter().map(String::as_str).collect();
    match &versions[..] {
        [] => printable(&of.name),
        versions => printable(format!("{} {}", of.name, versions.join(", "))),
    }
}

fn license(of: &SharedComponent) -> String {
    printable(of.license.as_deref().unwrap_or("not known"))
}

/// The share of a part in percent, with one digit; `-` where nothing was looked at.
fn share(of: Option<(usize, usize)>) -> String {
    let Some((all, part)) = of else { return "-".to_owned() };
    format!("{} %", super::html::percentage(part, all))
}

/// The reports of a repository: `audit of 2026-11-01, check`.
fn reports(of: &Member) -> String {
    let reports = of.reports.iter().map(|(kind, day)| match day {
        Some(day) => format!("{kind} of {day}"),
        None => (*kind).to_owned(),
    });
    reports.collect::<Vec<_>>().join(", ")
}

/// What was read and what was left out, in lines.
fn summary(organization: &Organization) -> Vec<String> {
    let members = organization.repositories.iter();
    let members = members.map(|of| format!("{}: {}", printable(&of.name), reports(of)));
    let left_out = organization.left_out.iter();
    let left_out =
        left_out.map(|of| format!("left out: {} ({})", printable(&of.file), printable(&of.why)));
    members.chain(left_out).collect()
}
