//! Merges the JSON reports of many repositories: who copies what from whom, and the trend.
//!
//! Values in, values out: whoever calls it reads the files. A report names no repository, so its
//! place in the folders does: see [`MemberReport::parse`].

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use crate::policy::{Date, Level};

/// The version of the JSON that can be read.
const VERSION: u64 = 1;

/// What commands are called in the names of their reports.
const KINDS: &[&str] =
    &["check", "scan", "audit", "history", "stale", "secondhand", "report", "copies"];

/// Why a file is no report.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum ReportError {
    /// It cannot be read as JSON, or has other fields than its version promises.
    #[error("cannot read the report `{file}`: {why}")]
    Broken { file: String, why: String },
    /// A newer program wrote it.
    #[error(
        "cannot read the report `{file}`: its format has version {version}, and this program reads {VERSION}"
    )]
    Newer { file: String, version: u64 },
}

/// A report of one repository.
#[derive(Debug, Clone)]
pub struct MemberReport {
    /// The file, for people.
    pub file: String,
    /// The repository.
    pub repository: String,
    /// The day in its name, if there is one, as in 2026-11-01.
    pub day: Option<String>,
    content: Content,
}

#[derive(Debug, Clone)]
enum Content {
    History(Vec<Commit>),
    Audit(AuditReport, Vec<ReportedFinding>),
    Scan(Share),
    Check(Vec<ReportedFinding>),
}

impl Content {
    fn of_report(report: Report) -> Self {
        match report {
            Report { audit: Some(audit), findings, .. } => Self::Audit(audit, findings),
            Report { duplication: Some(duplication), .. } => Self::Scan(duplication.total),
            Report { findings, .. } => Self::Check(findings),
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::History(_) => "history",
            Self::Audit(..) => "audit",
            Self::Scan(_) => "scan",
            Self::Check(_) => "check",
        }
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Report {
    findings: Vec<ReportedFinding>,
    duplication: Option<Duplication>,
    audit: Option<AuditReport>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReportedFinding {
    rule: String,
    level: Level,
    message: String,
    path: String,
    tokens: usize,
    fragment: Lines,
    origins: Vec<ReportedOrigin>,
    #[serde(default)]
    missed_commits: Option<serde::de::IgnoredAny>,
    identity: String,
}

#[derive(Debug, Clone, Deserialize)]
struct ReportedOrigin {
    component: Option<Component>,
    path: String,
    fragment: Lines,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lines {
    start_line: u32,
    end_line: u32,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Component {
    name: String,
    version: Option<String>,
    purl: Option<String>,
    license: Option<String>,
    license_class: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Duplication {
    total: Share,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Share {
    lines: usize,
    duplicated_lines: usize,
}

impl Share {
    fn parts(&self) -> Part {
        (self.lines, self.duplicated_lines)
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct AuditReport {
    tokens: usize,
    copied_tokens: usize,
    components: Vec<ComponentReport>,
}

#[derive(Debug, Clone, Deserialize)]
struct ComponentReport {
    component: Component,
    verdict: Verdict,
    files: usize,
    tokens: usize,
}

#[derive(Debug, Clone, Deserialize)]
struct Verdict {
    answer: String,
    reason: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Commit {
    author_time: i64,
    new_tokens: usize,
    copied_tokens: usize,
}

impl MemberReport {
    /// Reads a report; `folder` is the name of the folder that was given, and `path` the file below
    /// it. `None` for JSON of other programs.
    ///
    /// The repository is what the path says besides days (`2026-11-01`) and names of commands:
    /// `shop` for `shop/audit.json`, `shop.json`, `shop-audit-2026-11-01.json` and
    /// `2026-11-01/shop.json`; the given folder's name where the path says nothing else.
    ///
    /// # Errors
    /// For what is no JSON, or a report that cannot be read.
    pub fn parse(text: &[u8], folder: &str, path: &str) -> Result<Option<Self>, ReportError> {
        let file = if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
        let broken = |why: serde_json::Error| ReportError::Broken {
            file: file.clone(),
            why: why.to_string(),
        };
        let mut value: Value = serde_json::from_slice(text).map_err(broken)?;
        let is_history = value.get("commits").is_some() && value.get("range").is_some();
        let is_report = value.get("findings").is_some() && value.get("tool").is_some();
        let version = value.get("version").and_then(Value::as_u64);
        let Some(version) = version.filter(|_| is_history || is_report) else { return Ok(None) };
        if version > VERSION {
            return Err(ReportError::Newer { file, version });
        }
        let content = if is_history {
            serde_json::from_value(value["commits"].take()).map(Content::History)
        } else {
            serde_json::from_value(value).map(Content::of_report)
        };
        let content = content.map_err(broken)?;
        let (repository, day) = named(folder, path);
        Ok(Some(Self { file, repository, day, content }))
    }
}

/// The repository and the day that a path names.
fn named(folder: &str, path: &str) -> (String, Option<String>) {
    let mut day = None;
    let mut parts = Vec::new();
    for part in path.strip_suffix(".json").unwrap_or(path).split('/') {
        let mut rest = part;
        // From the end, so that a repository may be called `audit-tool`.
        loop {
            let before = rest;
            if let Some(at) = rest.len().checked_sub("2026-11-01".len())
                && let Some((before, of_day)) = rest.split_at_checked(at)
                && of_day.parse::<Date>().is_ok()
            {
                (day, rest) = (Some(of_day.to_owned()), before);
            }
            let separators = ['-', '_', '.', ' '];
            rest = rest.trim_end_matches(separators);
            for kind in KINDS {
                if let Some(shorter) = rest.strip_suffix(kind)
                    && (shorter.is_empty() || shorter.ends_with(separators))
                {
                    rest = shorter.trim_end_matches(separators);
                }
            }
            if rest == before {
                break;
            }
        }
        if !rest.is_empty() {
            parts.push(rest);
        }
    }
    let name = if parts.is_empty() { folder.to_owned() } else { parts.join("/") };
    (name, day)
}

/// The reports of many repositories, combined.
#[derive(Debug, Clone, Default)]
pub struct Organization {
    /// The repositories, by name.
    pub repositories: Vec<Member>,
    /// Which repositories copy from each other, the most tokens first.
    pub flows: Vec<Flow>,
    /// The code of others, what needs a decision first.
    pub components: Vec<SharedComponent>,
    /// What is copied from month to month without a gap, the oldest first; from `history`.
    pub months: Vec<Period>,
    /// How much is duplicated, by the day of the reports of `scan`, the oldest first.
    pub days: Vec<Day>,
    /// Errors and warnings of the newest reports of `audit` and `check`, the gravest first.
    pub findings: Vec<RepositoryFinding>,
    /// Files that are no reports, and reports that newer ones replace.
    pub left_out: Vec<UncountedFile>,
}

/// One repository.
#[derive(Debug, Clone, Default)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// The reports that count, by command: its day if it has one.
    pub reports: BTreeMap<&'static str, Option<String>>,
    /// Errors in the newest reports of `audit` and `check`.
    pub n_errors: usize,
    /// Warnings, likewise.
    pub n_warnings: usize,
    /// Those of both that are copies which lack security fixes.
    pub n_vulnerable: usize,
    /// Tokens that an audit compared, and those of them that it found in corpora.
    pub audited: Option<(usize, usize)>,
    /// Lines that a scan read, and those of them that are duplicated.
    pub scanned: Option<(usize, usize)>,
    /// Tokens that its history added, and those of them that are copies.
    pub added: Option<(usize, usize)>,
}

/// Code of one repository in another.
#[derive(Debug, Clone, Default)]
pub struct Flow {
    /// The repository that has the copy.
    pub to: String,
    /// The repository that it was taken from, as far as an audit can know: its corpus has the code.
    pub from: String,
    /// Files with such code.
    pub n_files: usize,
    /// Tokens of it.
    pub n_tokens: usize,
    /// What the license policy says of it.
    pub answer: String,
}

/// A component under one license that repositories have code of.
#[derive(Debug, Clone, Default)]
pub struct SharedComponent {
    /// Its name.
    pub name: String,
    /// Its versions, if they are known.
    pub versions: BTreeSet<String>,
    /// Its license; `None` if unknown.
    pub license: Option<String>,
    /// What that requires.
    pub class: String,
    /// The gravest answer of a license policy: `denied`, `unknown`, `review` or `allowed`.
    pub answer: String,
    /// Why, as each repository says.
    pub reasons: BTreeMap<String, BTreeSet<String>>,
    /// Who has code of it, with the number of files and tokens.
    pub users: BTreeMap<String, (usize, usize)>,
}

impl SharedComponent {
    /// The tokens in all repositories.
    pub fn n_tokens(&self) -> usize {
        self.users.values().map(|(_, n_tokens)| n_tokens).sum()
    }

    /// Why the policies answer so; of several reasons, each with the repositories that give it.
    pub fn reason(&self) -> String {
        let reasons = self.reasons.iter().map(|(reason, users)| match self.reasons.len() {
            1 => reason.clone(),
            _ => format!("{}: {reason}", Vec::from_iter(users.iter().cloned()).join(", ")),
        });
        Vec::from_iter(reasons).join("; ")
    }
}

/// What was copied in a month, or in another period.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Period {
    /// When it begins: `2026-11` or `2026`.
    pub name: String,
    /// Commits, of all repositories.
    pub n_commits: usize,
    /// Tokens that they added.
    pub n_novel: usize,
    /// Those of them that are copies.
    pub n_copied: usize,
}

/// How much was duplicated on a day.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Day {
    /// As in 2026-11-01.
    pub name: String,
    /// Of each repository the lines and the duplicated ones, from its newest report up to that day.
    pub of: BTreeMap<String, (usize, usize)>,
}

impl Day {
    /// The lines of all repositories, and the duplicated ones.
    pub fn total(&self) -> (usize, usize) {
        self.of.values().fold((0, 0), |(all, copied), (n, n_copied)| (all + n, copied + n_copied))
    }
}

/// A finding of some repository.
#[derive(Debug, Clone)]
pub struct RepositoryFinding {
    /// The repository.
    pub repository: String,
    /// The rule.
    pub rule: String,
    /// The level.
    pub level: Level,
    /// The message.
    pub message: String,
    /// The path of the copy and its lines: `a.c:3-9`.
    pub place: String,
    /// The tokens of the copy.
    pub n_tokens: usize,
    /// Whether the copy lacks security fixes.
    pub is_vulnerable: bool,
    /// Where the code comes from, each in words.
    pub origins: Vec<String>,
    /// Stays the same when lines move.
    pub identity: String,
}

/// A file that does not count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UncountedFile {
    /// The file.
    pub file: String,
    /// Why.
    pub why: String,
}

impl Organization {
    /// Merges reports. Of several of one command about one repository the newest counts, by day and
    /// then by name, and the others only for the trend. Time O(n log n).
    pub fn new(mut documents: Vec<MemberReport>, mut left_out: Vec<UncountedFile>) -> Self {
        documents.sort_by(|a, b| {
            (&a.repository, &a.day, &a.file).cmp(&(&b.repository, &b.day, &b.file))
        });
        let days = days(&documents);
        let mut newest: BTreeMap<(&str, &'static str), &MemberReport> = BTreeMap::new();
        for document in &documents {
            let replaced = newest.insert((&document.repository, document.content.kind()), document);
            if let Some(older) = replaced {
                let (file, why) = (older.file.clone(), format!("`{}` is newer", document.file));
                left_out.push(UncountedFile { file, why });
            }
        }
        let mut merged = Self { days, ..Self::default() };
        let names = Names::new(newest.values().map(|document| document.repository.as_str()));
        let mut members: BTreeMap<&str, Member> = BTreeMap::new();
        let (mut flows, mut components) = (BTreeMap::new(), BTreeMap::new());
        let mut months = BTreeMap::new();
        for (&(repository, kind), document) in &newest {
            let member = members.entry(repository).or_default();
            member.name = repository.to_owned();
            member.reports.insert(kind, document.day.clone());
            match &document.content {
                Content::History(commits) => member.added = Some(add_months(commits, &mut months)),
                Content::Scan(total) => member.scanned = Some(total.parts()),
                Content::Audit(audited, findings) => {
                    let own = audited.components.iter();
                    let own = own.filter(|of| names.is_own(&of.component, repository));
                    let n_own: usize = own.map(|of| of.tokens).sum();
                    let n_copied = audited.copied_tokens.saturating_sub(n_own);
                    member.audited = Some((audited.tokens, n_copied));
                    for copied in &audited.components {
                        add_copied(repository, copied, &names, &mut flows, &mut components);
                    }
                    merged.add_findings(repository, findings, &names);
                }
                Content::Check(findings) => merged.add_findings(repository, findings, &names),
            }
        }
        sort_and_join(&mut merged.findings);
        for noted in &merged.findings {
            if let Some(member) = members.get_mut(&*noted.repository) {
                member.n_vulnerable += usize::from(noted.is_vulnerable);
                let is_error = noted.level == Level::Error;
                let n = if is_error { &mut member.n_errors } else { &mut member.n_warnings };
                *n += 1;
            }
        }
        merged.repositories = members.into_values().collect();
        merged.flows = flows.into_values().collect();
        merged.flows.sort_unstable_by(|a, b| {
            (b.n_tokens, &a.from, &a.to).cmp(&(a.n_tokens, &b.from, &b.to))
        });
        merged.components = components.into_values().collect();
        merged.components.sort_by_cached_key(|of| {
            let need = (Reverse(gravity_of(&of.answer)), Reverse(of.n_tokens()));
            (need, of.name.clone(), of.license.clone())
        });
        merged.months = without_gaps(months);
        left_out.sort_unstable();
        merged.left_out = left_out;
        merged
    }

    /// Adds errors and warnings; not those about code that only the repository itself has.
    fn add_findings(&mut self, repository: &str, findings: &[ReportedFinding], names: &Names<'_>) {
        let grave = findings.iter().filter(|of| of.level > Level::Note);
        let of_others = grave.filter(|of| {
            let mut owners = of.origins.iter().map(|origin| origin.component.as_ref());
            owners.len() == 0 || owners.any(|of| of.is_none_or(|of| !names.is_own(of, repository)))
        });
        self.findings.extend(of_others.map(|of| RepositoryFinding {
            repository: repository.to_owned(),
            rule: of.rule.clone(),
            level: of.level,
            message: of.message.clone(),
            place: of.fragment.of_file(&of.path),
            n_tokens: of.tokens,
            is_vulnerable: of.missed_commits.is_some(),
            origins: of.origins.iter().map(ReportedOrigin::describe).collect(),
            identity: of.identity.clone(),
        }));
    }
}

/// Adds the code of a component that a repository has: of another repository, or of others.
fn add_copied<'d>(
    repository: &'d str,
    ComponentReport { component, verdict, files, tokens }: &'d ComponentReport,
    names: &Names<'d>,
    flows: &mut BTreeMap<(&'d str, &'d str), Flow>,
    components: &mut BTreeMap<(&'d str, Option<&'d str>), SharedComponent>,
) {
    match names.repository(component) {
        // A corpus of all repositories has this one, too.
        Some(own) if own == repository => {}
        // There may be several versions of it.
        Some(from) => {
            let flow = flows.entry((from, repository)).or_insert_with(|| Flow {
                to: repository.to_owned(),
                from: from.to_owned(),
                answer: verdict.answer.clone(),
                ..Flow::default()
            });
            flow.n_files += files;
            flow.n_tokens += tokens;
            keep_graver(&mut flow.answer, &verdict.answer);
        }
        None => {
            let key = (&*component.name, component.license.as_deref());
            let shared = components.entry(key).or_insert_with(|| SharedComponent {
                name: component.name.clone(),
                license: component.license.clone(),
                class: component.license_class.clone(),
                answer: verdict.answer.clone(),
                ..SharedComponent::default()
            });
            shared.versions.extend(component.version.clone());
            keep_graver(&mut shared.answer, &verdict.answer);
            let reason = shared.reasons.entry(verdict.reason.clone()).or_default();
            reason.insert(repository.to_owned());
            let user = shared.users.entry(repository.to_owned()).or_default();
            *user = (user.0 + files, user.1 + tokens);
        }
    }
}

impl Lines {
    /// A place of the file at `path`: `a.c:3-9`.
    fn of_file(&self, path: &str) -> String {
        let Self { start_line: first, end_line: last } = self;
        if first == last { format!("{path}:{first}") } else { format!("{path}:{first}-{last}") }
    }
}

impl ReportedOrigin {
    /// Where the code comes from, in words.
    fn describe(&self) -> String {
        let owner = self.component.as_ref().map(|component| {
            let version = component.version.as_ref().map(|version| format!(" {version}"));
            let license = component.license.as_deref().unwrap_or("license not known");
            format!(" of {}{} ({license})", component.name, version.unwrap_or_default())
        });
        self.fragment.of_file(&self.path) + &owner.unwrap_or_default()
    }
}

fn keep_graver(answer: &mut String, other: &str) {
    if gravity_of(other) > gravity_of(answer) {
        other.clone_into(answer);
    }
}

/// How much an answer of a license policy needs a person.
fn gravity_of(answer: &str) -> usize {
    let known = ["allowed", "review", "unknown", "denied"];
    known.iter().position(|known| *known == answer).unwrap_or_default()
}

/// The repositories, as components of a corpus may be called.
struct Names<'n> {
    all: BTreeSet<&'n str>,
    /// By last part, where it is that of one repository only.
    short: BTreeMap<String, Option<&'n str>>,
}

impl<'n> Names<'n> {
    fn new(all: impl Iterator<Item = &'n str>) -> Self {
        let all: BTreeSet<&str> = all.collect();
        let mut short: BTreeMap<String, Option<&str>> = BTreeMap::new();
        for name in &all {
            short.entry(last(name)).and_modify(|known| *known = None).or_insert(Some(name));
        }
        Self { all, short }
    }

    fn is_own(&self, component: &Component, repository: &str) -> bool {
        self.repository(component) == Some(repository)
    }

    fn repository(&self, component: &Component) -> Option<&'n str> {
        self.named(&component.name).or_else(|| {
            let (_, name) = component.purl.as_deref()?.strip_prefix("pkg:")?.split_once('/')?;
            self.named(name.split(['@', '?', '#']).next()?)
        })
    }

    fn named(&self, name: &str) -> Option<&'n str> {
        self.all.get(name).copied().or_else(|| self.short.get(&last(name)).copied().flatten())
    }
}

/// The last part of a name, in lower case.
fn last(name: &str) -> String {
    name.rsplit('/').next().unwrap_or(name).to_lowercase()
}

/// Adds the commits of a history to their months; returns its new and its copied tokens.
fn add_months(commits: &[Commit], months: &mut BTreeMap<i32, Period>) -> (usize, usize) {
    let mut sum = (0, 0);
    for commit in commits {
        sum = (sum.0 + commit.new_tokens, sum.1 + commit.copied_tokens);
        let day = Date::of_seconds(commit.author_time).to_string();
        let mut parts = day.split('-').map(str::parse::<i32>);
        let (Some(Ok(year)), Some(Ok(month))) = (parts.next(), parts.next()) else { continue };
        let of = months.entry(year * 12 + month - 1).or_default();
        of.n_commits += 1;
        of.n_novel += commit.new_tokens;
        of.n_copied += commit.copied_tokens;
    }
    sum
}

/// Maximum months between the first and the last: a clock may be wrong by an age.
const MAX_MONTHS: i32 = 12 * 100;

fn without_gaps(mut months: BTreeMap<i32, Period>) -> Vec<Period> {
    let (Some(&first), Some(&last)) = (months.keys().next(), months.keys().next_back()) else {
        return Vec::new();
    };
    Vec::from_iter((first.max(last - MAX_MONTHS)..=last).map(|at| Period {
        name: format!("{:04}-{:02}", at.div_euclid(12), at.rem_euclid(12) + 1),
        ..months.remove(&at).unwrap_or_default()
    }))
}

/// Lines, and those that are duplicated.
type Part = (usize, usize);

/// How much was duplicated on each day with a report of `scan`; elsewhere the newest before it.
fn days(documents: &[MemberReport]) -> Vec<Day> {
    let mut by_day: BTreeMap<&str, Vec<(String, Part)>> = BTreeMap::new();
    for document in documents {
        if let (Some(day), Content::Scan(total)) = (&document.day, &document.content) {
            by_day.entry(day).or_default().push((document.repository.clone(), total.parts()));
        }
    }
    let mut of = BTreeMap::new();
    Vec::from_iter(by_day.into_iter().map(|(name, shares)| {
        of.extend(shares);
        Day { name: name.to_owned(), of: of.clone() }
    }))
}

/// Sorts findings, the gravest first, each once: an audit and a check may have the same copy.
fn sort_and_join(findings: &mut Vec<RepositoryFinding>) {
    findings.sort_by(|a, b| {
        let by_gravity = (b.level, b.n_tokens).cmp(&(a.level, a.n_tokens));
        let by_repository = by_gravity.then_with(|| a.repository.cmp(&b.repository));
        by_repository.then_with(|| (&a.place, &a.rule).cmp(&(&b.place, &b.rule)))
    });
    let mut met = BTreeSet::new();
    findings.retain(|of| met.insert((of.repository.clone(), of.rule.clone(), of.identity.clone())));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_report_names_its_repository_and_day() {
        #[track_caller]
        fn check(path: &str, repository: &str, day: Option<&str>) {
            let expected = (repository.to_owned(), day.map(str::to_owned));
            assert_eq!(named("reports", path), expected, "{path}");
        }
        check("shop/audit.json", "shop", None);
        check("shop.json", "shop", None);
        check("team/shop/scan-2026-11-01.json", "team/shop", Some("2026-11-01"));
        check("2026-11-01/shop.json", "shop", Some("2026-11-01"));
        check("shop-audit-2026-11-01.json", "shop", Some("2026-11-01"));
        check("shop.2026-11-01.history.json", "shop", Some("2026-11-01"));
        check("audit-tool/check.json", "audit-tool", None);
        check("audit.json", "reports", None);
        check("shop-2026-13-01.json", "shop-2026-13-01", None);
        check("preaudit.json", "preaudit", None);
        check("ü2026-11-01.json", "ü", Some("2026-11-01"));
    }

    #[test]
    fn a_component_is_the_repository_of_its_name() {
        let names = Names::new(["team/shop", "ledger", "a/tool", "b/tool"].into_iter());
        let of = |name: &str, purl: Option<&str>| {
            let (name, purl) = (name.to_owned(), purl.map(str::to_owned));
            let (version, license, license_class) = (None, None, String::new());
            names.repository(&Component { name, version, purl, license, license_class })
        };
        assert_eq!(of("team/shop", None), Some("team/shop"));
        assert_eq!(of("Shop", None), Some("team/shop"));
        assert_eq!(of("x", Some("pkg:github/team/ledger@1.0")), Some("ledger"));
        assert_eq!(of("tool", None), None);
        assert_eq!(of("zlib", Some("pkg:generic/zlib@1.3")), None);
    }
}
