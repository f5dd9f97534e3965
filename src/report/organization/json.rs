//! Writes an organization for programs: versioned JSON, whose schema
//! `docs/organization.schema.json` publishes.

use std::collections::BTreeMap;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use crate::audit;
use crate::policy::Level;
use crate::report::plain_json::write_json;
use crate::report::{Format, Style, VERSION};

pub(super) const FORMAT: Format<audit::Organization> =
    Format { name: "json", help: "versioned JSON for programs", write };

/// Increases when a field changes its meaning or is removed; new fields do not count.
const FORMAT_VERSION: u32 = 1;

/// The reports of many repositories, combined.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Organization<'o> {
    /// The version of this format.
    version: u32,
    /// The version of the program.
    secondhand: &'static str,
    /// The repositories, by name.
    repositories: Vec<Repository<'o>>,
    /// Which repositories copy from each other, the most tokens first.
    flows: Vec<Flow<'o>>,
    /// The code of others, what needs a decision first.
    components: Vec<Component<'o>>,
    /// What was copied from month to month, the oldest first.
    months: Vec<Month<'o>>,
    /// How much was duplicated, by the day of the reports of `scan`, the oldest first.
    days: Vec<Day<'o>>,
    /// Errors and warnings of audits and checks, the gravest first.
    findings: Vec<Finding<'o>>,
    /// Files that are no reports, and reports that newer ones replace.
    left_out: Vec<UncountedFile<'o>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Repository<'o> {
    name: &'o str,
    /// The reports that count, by command, with the day in their names.
    reports: &'o BTreeMap<&'static str, Option<String>>,
    errors: usize,
    warnings: usize,
    /// Those of both that are copies which lack security fixes.
    lacking_security_fixes: usize,
    /// Of an audit: the tokens compared, and those found in corpora.
    audited: Option<Part>,
    /// Of a scan: lines, and duplicated ones.
    scanned: Option<Part>,
    /// Of a history: new tokens, and those that are copies.
    added: Option<Part>,
}

/// A whole, and a part of it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Part {
    all: usize,
    copied: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Flow<'o> {
    /// The repository that the code is from.
    from: &'o str,
    /// The one with the copy.
    to: &'o str,
    files: usize,
    tokens: usize,
    /// `allowed`, `review`, `unknown` or `denied`.
    answer: &'o str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Component<'o> {
    name: &'o str,
    versions: Vec<&'o String>,
    /// Its license; empty if unknown. Another license of the same component is another row.
    licenses: Vec<&'o String>,
    license_classes: Vec<&'o String>,
    /// The gravest answer of a license policy: `allowed`, `review`, `unknown` or `denied`.
    answer: &'o str,
    /// Why; of several repositories that differ, what each says.
    reason: String,
    /// Who has code of it.
    repositories: Vec<User<'o>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct User<'o> {
    name: &'o str,
    files: usize,
    tokens: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Month<'o> {
    /// As in 2026-11.
    name: &'o str,
    commits: usize,
    new_tokens: usize,
    copied_tokens: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Day<'o> {
    /// As in 2026-11-01.
    name: &'o str,
    lines: usize,
    duplicated_lines: usize,
    /// Of each repository the lines and the duplicated ones.
    repositories: BTreeMap<&'o str, Part>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Finding<'o> {
    repository: &'o str,
    rule: &'o str,
    level: Level,
    message: &'o str,
    /// The path and lines of the copy.
    place: &'o str,
    tokens: usize,
    /// The origins, the best first.
    origins: &'o [String],
    identity: &'o str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct UncountedFile<'o> {
    file: &'o str,
    why: &'o str,
}

fn write(organization: &audit::Organization, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let audit::Organization { repositories, flows, components, months, days, findings, left_out } =
        organization;
    let organization = Organization {
        version: FORMAT_VERSION,
        secondhand: VERSION,
        repositories: repositories.iter().map(repository).collect(),
        flows: flows.iter().map(flow).collect(),
        components: components.iter().map(component).collect(),
        months: months.iter().map(month).collect(),
        days: days.iter().map(day).collect(),
        findings: findings.iter().map(finding).collect(),
        left_out: left_out
            .iter()
            .map(|of| UncountedFile { file: &of.file, why: &of.why })
            .collect(),
    };
    write_json(&organization, out)
}

/// The JSON schema of an organization.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Organization<'static>).to_value()
}

fn part((all, copied): (usize, usize)) -> Part {
    Part { all, copied }
}

fn repository(of: &audit::Member) -> Repository<'_> {
    Repository {
        name: &of.name,
        reports: &of.reports,
        errors: of.n_errors,
        warnings: of.n_warnings,
        lacking_security_fixes: of.n_vulnerable,
        audited: of.audited.map(part),
        scanned: of.scanned.map(part),
        added: of.added.map(part),
    }
}

fn flow(of: &audit::Flow) -> Flow<'_> {
    Flow { from: &of.from, to: &of.to, files: of.n_files, tokens: of.n_tokens, answer: &of.answer }
}

fn component(of: &audit::SharedComponent) -> Component<'_> {
    let users = of.users.iter().map(|(name, (files, tokens))| User {
        name,
        files: *files,
        tokens: *tokens,
    });
    let mut users: Vec<_> = users.collect();
    users.sort_by_key(|user| (std::cmp::Reverse(user.tokens), user.name));
    Component {
        name: &of.name,
        versions: of.versions.iter().collect(),
        licenses: of.license.iter().collect(),
        license_classes: vec![&of.class],
        answer: &of.answer,
        reason: of.reason(),
        repositories: users,
    }
}

fn month(of: &audit::Month) -> Month<'_> {
    Month {
        name: &of.name,
        commits: of.n_commits,
        new_tokens: of.n_novel,
        copied_tokens: of.n_copied,
    }
}

fn day(of: &audit::Day) -> Day<'_> {
    let (lines, duplicated_lines) = of.total();
    let repositories = of.of.iter().map(|(name, share)| (name.as_str(), part(*share))).collect();
    Day { name: &of.name, lines, duplicated_lines, repositories }
}

fn finding(of: &audit::RepositoryFinding) -> Finding<'_> {
    Finding {
        repository: &of.repository,
        rule: &of.rule,
        level: of.level,
        message: &of.message,
        place: &of.place,
        tokens: of.n_tokens,
        origins: &of.origins,
        identity: &of.identity,
    }
}
