//! Writes an organization for programs: versioned JSON, whose schema
//! `docs/organization.schema.json` publishes.

use std::collections::BTreeMap;

use super::users;
use crate::audit;
use crate::policy::Level;
use crate::report::VERSION;
use crate::report::plain_json::{each, json_types};

json_types! {

/// The reports of many repositories, combined.
pub(in crate::report) struct Organization from (of: &audit::Organization) {
    /// The version of this format.
    version: u32 = 1,
    /// The version of the program.
    secondhand: &'static str = VERSION,
    /// The repositories, by name.
    repositories: Vec<Repository> = each(&of.repositories),
    /// Which repositories copy from each other, the most tokens first.
    flows: Vec<Flow> = each(&of.flows),
    /// The code of others, what needs a decision first.
    components: Vec<Component> = each(&of.components),
    /// What was copied from month to month, the oldest first.
    months: Vec<Month> = each(&of.months),
    /// How much was duplicated, by the day of the reports of `scan`, the oldest first.
    days: Vec<Day> = each(&of.days),
    /// Errors and warnings of audits and checks, the gravest first.
    findings: Vec<Finding> = each(&of.findings),
    /// Files that are no reports, and reports that newer ones replace.
    left_out: Vec<UncountedFile> = each(&of.left_out),
}

struct Repository from (of: &audit::Member) {
    name: String = of.name.clone(),
    /// The reports that count, by command, with the day in their names.
    reports: BTreeMap<&'static str, Option<String>> = of.reports.clone(),
    errors: usize = of.n_errors,
    warnings: usize = of.n_warnings,
    /// Those of both that are copies which lack security fixes.
    lacking_security_fixes: usize = of.n_vulnerable,
    /// Of an audit: the tokens compared, and those found in corpora.
    audited: Option<Part> = of.audited.map(Part::from),
    /// Of a scan: lines, and duplicated ones.
    scanned: Option<Part> = of.scanned.map(Part::from),
    /// Of a history: new tokens, and those that are copies.
    added: Option<Part> = of.added.map(Part::from),
}

/// A whole, and a part of it.
struct Part from ((all, copied): (usize, usize)) {
    all: usize = all,
    copied: usize = copied,
}

struct Flow from (of: &audit::Flow) {
    /// The repository that the code is from.
    from: String = of.from.clone(),
    /// The one with the copy.
    to: String = of.to.clone(),
    files: usize = of.n_files,
    tokens: usize = of.n_tokens,
    /// `allowed`, `review`, `unknown` or `denied`.
    answer: String = of.answer.clone(),
}

struct Component from (of: &audit::SharedComponent) {
    name: String = of.name.clone(),
    versions: Vec<String> = of.versions.iter().cloned().collect(),
    /// Its license; empty if unknown. Another license of the same component is another row.
    licenses: Vec<String> = of.license.iter().cloned().collect(),
    license_classes: Vec<String> = vec![of.class.clone()],
    /// The gravest answer of a license policy: `allowed`, `review`, `unknown` or `denied`.
    answer: String = of.answer.clone(),
    /// Why; of several repositories that differ, what each says.
    reason: String = of.reason(),
    /// Who has code of it.
    repositories: Vec<User> = users(of).into_iter().map(User::from).collect(),
}

struct User from ((name, files, tokens): (&str, usize, usize)) {
    name: String = name.to_owned(),
    files: usize = files,
    tokens: usize = tokens,
}

struct Month from (of: &audit::Period) {
    /// As in 2026-11.
    name: String = of.name.clone(),
    commits: usize = of.n_commits,
    new_tokens: usize = of.n_novel,
    copied_tokens: usize = of.n_copied,
}

struct Day from (of: &audit::Day) {
    /// As in 2026-11-01.
    name: String = of.name.clone(),
    lines: usize = of.total().0,
    duplicated_lines: usize = of.total().1,
    /// Of each repository the lines and the duplicated ones.
    repositories: BTreeMap<String, Part> =
        of.of.iter().map(|(name, share)| (name.clone(), Part::from(*share))).collect(),
}

struct Finding from (of: &audit::RepositoryFinding) {
    repository: String = of.repository.clone(),
    rule: String = of.rule.clone(),
    level: Level = of.level,
    message: String = of.message.clone(),
    /// The path and lines of the copy.
    place: String = of.place.clone(),
    tokens: usize = of.n_tokens,
    /// The origins, the best first.
    origins: Vec<String> = of.origins.clone(),
    identity: String = of.identity.clone(),
}

struct UncountedFile from (of: &audit::UncountedFile) {
    file: String = of.file.clone(),
    why: String = of.why.clone(),
}

}
