//! Writes findings as SARIF 2.1.0, to the letter of what GitHub code scanning takes.
//!
//! GitHub shows an alert on a pull request only if every line of its region was
//! added there, so the region is the longest run of added lines; the whole copy
//! is in the properties. Locations are relative: one absolute URI refuses the whole upload.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};
use serde_sarif::sarif::{
    ArtifactLocation, Invocation, Location, Message, MultiformatMessageString, Notification, PhysicalLocation,
    PropertyBag, Region, ReportingConfiguration, ReportingDescriptor, Result as SarifResult, ResultLevel, Run,
    RunAutomationDetails, Sarif, Suppression, Tool, ToolComponent,
};

use super::text::summary;
use super::{Format, REPOSITORY, Style, VERSION};
use crate::audit::Outcome;
use crate::policy::{Finding, Fragment, Level, Origin, RULES, Rule, Suppressed, SuppressedBy};
use crate::text::FilePath;

pub(super) const FORMAT: Format = Format { name: "sarif", help: "SARIF 2.1.0 for code scanning", write };

/// Results that GitHub takes from a run; more refuse the upload.
const MAX_RESULTS: usize = 25_000;
/// Related locations of a result that are written; the rest is counted.
const MAX_ORIGINS: usize = 100;

fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let sarif = Sarif::builder()
        .schema("https://json.schemastore.org/sarif-2.1.0.json")
        .version(json!("2.1.0"))
        .runs(vec![run(outcome)])
        .build();
    serde_json::to_writer_pretty(&mut *out, &sarif)?;
    writeln!(out)
}

fn run(outcome: &Outcome) -> Run {
    // The least are dropped first: those of the lowest level, then the shortest.
    let mut kept: Vec<&Finding> = outcome.findings.iter().collect();
    kept.sort_by_key(|finding| (std::cmp::Reverse(finding.level), std::cmp::Reverse(finding.n_tokens)));
    let n_dropped = kept.len().saturating_sub(MAX_RESULTS);
    kept.truncate(MAX_RESULTS);
    kept.sort_by(|a, b| (&a.path, a.fragment).cmp(&(&b.path, b.fragment)));

    let driver = ToolComponent::builder()
        .name("secondhand")
        .full_name(format!("secondhand {VERSION}"))
        .version(VERSION)
        .semantic_version(VERSION)
        .information_uri(REPOSITORY)
        .rules(RULES.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>())
        .build();
    Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .automation_details(RunAutomationDetails::builder().id("secondhand/").build())
        .column_kind(json!("utf16CodeUnits"))
        .invocations(vec![invocation(outcome, n_dropped)])
        .results(kept.into_iter().map(result).chain(outcome.suppressed.iter().map(suppressed)).collect::<Vec<_>>())
        .build()
}

fn invocation(outcome: &Outcome, n_dropped: usize) -> Invocation {
    let mut notes = Vec::new();
    if n_dropped > 0 {
        let text = format!("{n_dropped} findings are left out: a run may hold {MAX_RESULTS}.");
        notes.push(notification(&text, "warning"));
    }
    notes.extend(summary(outcome, false).lines().map(|line| notification(line, "note")));
    Invocation::builder().execution_successful(true).tool_execution_notifications(notes).build()
}

fn notification(text: &str, level: &str) -> Notification {
    Notification::builder().message(message(text)).level(json!(level)).build()
}

fn message(text: impl Into<String>) -> Message {
    Message::builder().text(text.into()).build()
}

fn descriptor(rule: &Rule) -> ReportingDescriptor {
    let text = |text: &str| MultiformatMessageString::builder().text(sentence(text)).build();
    let explanation = rule.explanation();
    let help = MultiformatMessageString::builder()
        .text(format!("{}\n\n{}", rule.finds, rule.action))
        .markdown(explanation)
        .build();
    let properties = [("precision", json!("high")), ("problem.severity", json!(severity(rule.level)))];
    ReportingDescriptor::builder()
        .id(rule.id)
        .name(pascal_case(rule.id))
        .short_description(text(rule.summary))
        .full_description(text(rule.finds))
        .help(help)
        .help_uri(format!("{REPOSITORY}/blob/main/docs/rules.md#{}", rule.id))
        .default_configuration(ReportingConfiguration::builder().level(json!(rule.level.name())).build())
        .properties(bag(properties, &["maintainability", "duplication"]))
        .build()
}

fn result(finding: &Finding) -> SarifResult {
    let rule_index = RULES.iter().position(|rule| rule.id == finding.rule.id).unwrap_or_default();
    let related: Vec<_> = finding.origins.iter().take(MAX_ORIGINS).enumerate().map(related).collect();
    let fingerprint = BTreeMap::from([("secondhandClone/v1".to_owned(), finding.identity.clone())]);
    SarifResult::builder()
        .rule_id(finding.rule.id)
        .rule_index(rule_index as i64)
        .level(level(finding.level))
        .message(message(result_text(finding)))
        .locations(vec![location(&finding.path, &finding.added)])
        .related_locations(related)
        .partial_fingerprints(fingerprint)
        .properties(bag(result_properties(finding), &[]))
        .build()
}

/// A result that is not reported: viewers leave it out, and audits can ask for it.
fn suppressed(suppressed: &Suppressed) -> SarifResult {
    let kind = match suppressed.by {
        SuppressedBy::Comment { .. } => "inSource",
        SuppressedBy::Baseline => "external",
    };
    let suppression = Suppression::builder().kind(json!(kind)).justification(suppressed.by.describe()).build();
    SarifResult { suppressions: Some(vec![suppression]), ..result(&suppressed.finding) }
}

/// Says what was copied, with links to the origins: `[path:lines](id)`.
fn result_text(finding: &Finding) -> String {
    let copy = &finding.fragment;
    let mut text = format!(
        "{} copied from {}",
        lines("Line", copy),
        finding.origins.first().map(|o| link(1, o)).unwrap_or_default()
    );
    if let Some(origin) = finding.origins.first() {
        text.push_str(&format!(
            ": a {} clone ({}), {:.0} % alike, {} tokens.",
            origin.clone_type.name(),
            origin.clone_type.describe(),
            (origin.similarity * 100.0).floor(),
            finding.n_tokens
        ));
    }
    let others: Vec<_> =
        finding.origins.iter().enumerate().skip(1).take(4).map(|(at, origin)| link(at + 1, origin)).collect();
    if !others.is_empty() {
        text.push_str(&format!(" It also stands in {}", others.join(", ")));
        let n_more = finding.origins.len() - 1 - others.len();
        text.push_str(&if n_more > 0 { format!(" and {n_more} more places.") } else { ".".to_owned() });
    }
    text
}

fn link(id: usize, origin: &Origin) -> String {
    // Brackets in a file name would end the link's text.
    let path: String = origin
        .path
        .to_string()
        .chars()
        .flat_map(|c| {
            let escape = matches!(c, '[' | ']' | '\\').then_some('\\');
            escape.into_iter().chain([c])
        })
        .collect();
    let (first, last) = (origin.fragment.start.line, origin.fragment.end.line);
    let range = if first == last { first.to_string() } else { format!("{first}-{last}") };
    format!("[{path}:{range}]({id})")
}

fn lines(word: &str, fragment: &Fragment) -> String {
    let (first, last) = (fragment.start.line, fragment.end.line);
    if first == last { format!("{word} {first}") } else { format!("{word}s {first}-{last}") }
}

fn related((at, origin): (usize, &Origin)) -> Location {
    let mut location = location(&origin.path, &origin.fragment);
    location.id = Some(at as i64 + 1);
    location.message = Some(message("The origin."));
    location
}

fn location(path: &FilePath, fragment: &Fragment) -> Location {
    let region = Region::builder()
        .start_line(i64::from(fragment.start.line))
        .start_column(i64::from(fragment.start.column))
        .end_line(i64::from(fragment.end.line))
        .end_column(i64::from(fragment.end.column))
        .build();
    let artifact = ArtifactLocation::builder().uri(path.to_uri()).build();
    let physical = PhysicalLocation::builder().artifact_location(artifact).region(region).build();
    Location::builder().physical_location(physical).build()
}

fn result_properties(finding: &Finding) -> Vec<(&'static str, Value)> {
    let fragment = &finding.fragment;
    let best = finding.origins.first();
    vec![
        ("cloneType", json!(best.map(|origin| origin.clone_type.name()))),
        ("similarity", json!(best.map(|origin| (origin.similarity * 1000.0).round() / 1000.0))),
        ("tokens", json!(finding.n_tokens)),
        ("novelTokens", json!(finding.n_novel)),
        ("origins", json!(finding.origins.len())),
        ("startLine", json!(fragment.start.line)),
        ("endLine", json!(fragment.end.line)),
    ]
}

fn bag<'p>(properties: impl IntoIterator<Item = (&'p str, Value)>, tags: &[&str]) -> PropertyBag {
    let properties: BTreeMap<String, Value> =
        properties.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    let mut bag = PropertyBag::builder().additional_properties(properties).build();
    bag.tags = (!tags.is_empty()).then(|| tags.iter().map(|tag| (*tag).to_owned()).collect());
    bag
}

fn level(level: Level) -> ResultLevel {
    match level {
        Level::Error => ResultLevel::Error,
        Level::Warning => ResultLevel::Warning,
        Level::Note => ResultLevel::Note,
    }
}

/// GitHub's word for a level.
fn severity(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "recommendation",
    }
}

/// `text` with a capital and a full stop.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let stop = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{stop}", chars.as_str())
}

/// `copied-code` as `CopiedCode`.
fn pascal_case(id: &str) -> String {
    id.split('-').map(|word| sentence(word).trim_end_matches('.').to_owned()).collect()
}
