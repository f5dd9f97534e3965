//! Writes findings as SARIF 2.1.0, following exactly what GitHub code scanning accepts.
//!
//! GitHub shows an alert on a pull request only if every line of its region was added there, so the
//! region is the longest run of added lines; the whole copy is in the properties. Locations are
//! relative: a single absolute URI would make GitHub reject the upload.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};
use serde_sarif::sarif::{
    ArtifactLocation, Invocation, Location, Message, MultiformatMessageString, Notification,
    PhysicalLocation, PropertyBag, Region, ReportingConfiguration, ReportingDescriptor,
    ReportingDescriptorReference, Result as SarifResult, ResultLevel, Run, RunAutomationDetails,
    Sarif, Suppression, Tool, ToolComponent,
};

use super::plain_json::{json, rounded};
use super::text::sentences;
use super::words::{and_more, day, milder, of_level, percent, place, provenance, to_do};
use super::{REPOSITORY, Style, VERSION};
use crate::audit::Outcome;
use crate::language::Languages;
use crate::policy::{
    Change, Finding, Fragment, Origin, Place, RULES, Rule, SuppressedFinding, Topic,
    UnexaminedFiles, Verdict,
};
use crate::text::{FilePath, agreed, count, noun_of};

/// Maximum results in a run; GitHub rejects uploads with more.
const MAX_RESULTS: usize = 25_000;
/// Maximum compressed bytes of an upload; somewhat less than GitHub's limit, since others may
/// compress worse.
const MAX_COMPRESSED: usize = 9_500_000;
/// Maximum origins that a message links. GitHub shows a related location only where the message
/// links it, and accepts a thousand; the rest is counted.
const MAX_LINKS: usize = 10;
/// Maximum files that were not examined to list in notifications and in the properties of a result;
/// JSON has all.
const MAX_UNEXAMINED: usize = 100;
/// Maximum components in the properties of a result.
const MAX_COMPONENTS: usize = 20;
/// The gravest first.
const LEVELS: [ResultLevel; 3] = [ResultLevel::Error, ResultLevel::Warning, ResultLevel::Note];

pub(super) fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut max = MAX_RESULTS;
    loop {
        let text = json(&log(outcome, max))?;
        let n_compressed =
            if text.len() > MAX_COMPRESSED { compressed(text.as_bytes())? } else { text.len() };
        if n_compressed <= MAX_COMPRESSED || max == 0 {
            return writeln!(out, "{text}");
        }
        // As many as fit at this rate, and a little less.
        let n_written = outcome.all_findings().count().min(max);
        max = (n_written as u64 * MAX_COMPRESSED as u64 / n_compressed as u64 * 9 / 10) as usize;
    }
}

/// The size of `text` when uploaded.
fn compressed(text: &[u8]) -> io::Result<usize> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text)?;
    Ok(encoder.finish()?.len())
}

fn log(outcome: &Outcome, max: usize) -> Sarif {
    Sarif::builder()
        .schema("https://json.schemastore.org/sarif-2.1.0.json")
        .version(json!("2.1.0"))
        .runs(vec![run(outcome, max)])
        .build()
}

fn run(outcome: &Outcome, max: usize) -> Run {
    // Drop the least important first: those of the lowest level, then the shortest.
    let mut kept: Vec<&Finding> = outcome.all_findings().collect();
    kept.sort_by_key(|finding| std::cmp::Reverse((finding.level, finding.n_tokens)));
    let n_dropped = kept.len().saturating_sub(max);
    kept.truncate(max);
    let results = merged(&kept);
    let languages = Languages::builtin();
    let asked_for = outcome.suppressed.iter().take(max - results.len());
    let asked_for = asked_for.map(|of| suppressed(outcome, of, languages));

    let found = results.iter().map(|(first, others)| result(outcome, first, others, languages));
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
        .results(found.chain(asked_for).collect::<Vec<_>>())
        .build()
}

/// The findings in the order of the files, each with those that GitHub would take for the same
/// alert: of the same rule, in the same file, from the same line on.
fn merged<'f>(findings: &[&'f Finding]) -> Vec<(&'f Finding, Vec<&'f Finding>)> {
    let mut alerts: BTreeMap<(&FilePath, u32, &str), Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        let alert = (&finding.path, finding.added.start.line, finding.rule.id);
        alerts.entry(alert).or_default().push(finding);
    }
    let alerts = alerts.into_values();
    alerts.filter_map(|of| Some((*of.first()?, of[1..].to_vec()))).collect()
}

fn invocation(outcome: &Outcome, n_dropped: usize) -> Invocation {
    let mut notes = Vec::new();
    if n_dropped > 0 {
        let text = format!(
            "{} {} left out, the mildest and shortest: the limits are {MAX_RESULTS} per run and 10 MB per upload.",
            count(n_dropped, "finding"),
            agreed(n_dropped, "is", "are")
        );
        notes.push(notification(&text, "warning"));
    }
    let unread = outcome.findings.iter().filter(|finding| !finding.unexamined_files().is_empty());
    notes.extend(unread.take(MAX_UNEXAMINED).map(unexamined));
    notes.extend(sentences(outcome).iter().map(|sentence| notification(sentence, "note")));
    Invocation::builder().execution_successful(true).tool_execution_notifications(notes).build()
}

fn notification(text: &str, level: &str) -> Notification {
    Notification::builder().message(message(text)).level(json!(level)).build()
}

/// What was not examined is a result and, since it is about the run itself, a notification.
fn unexamined(finding: &Finding) -> Notification {
    let rule = ReportingDescriptorReference::builder().id(finding.rule.id);
    Notification {
        associated_rule: Some(rule.index(rule_index(finding)).build()),
        locations: Some(vec![location(&finding.path, &finding.fragment)]),
        ..notification(&finding.message(), finding.level.name())
    }
}

fn message(text: impl Into<String>) -> Message {
    Message::builder().text(text.into()).build()
}

fn descriptor(rule: &Rule) -> ReportingDescriptor {
    let [summary, finds] = [rule.summary, rule.finds]
        .map(|text| MultiformatMessageString::builder().text(sentence(text)).build());
    let help = MultiformatMessageString::builder()
        .text(format!("{}\n\n{}", rule.finds, rule.action))
        .markdown(rule.explanation())
        .build();
    let level = ReportingConfiguration::builder().level(json!(rule.level.name())).build();
    // GitHub's word for a level.
    let severity = of_level(rule.level, ["error", "warning", "recommendation"]);
    let properties = [("precision", json!("high")), ("problem.severity", json!(severity))];
    ReportingDescriptor::builder()
        .id(rule.id)
        .name(pascal_case(rule.id))
        .short_description(summary)
        .full_description(finds)
        .help(help)
        .help_uri(format!("{REPOSITORY}/blob/main/docs/rules.md#{}", rule.id))
        .default_configuration(level)
        .properties(bag(properties, tags(rule)))
        .build()
}

fn tags(rule: &Rule) -> &'static [&'static str] {
    match rule.topic {
        Topic::Duplication => &["maintainability", "duplication"],
        Topic::License => &["license", "duplication"],
        Topic::Fixes => &["security", "maintainability"],
        Topic::Coverage => &["coverage"],
    }
}

fn rule_index(finding: &Finding) -> i64 {
    RULES.iter().position(|rule| rule.id == finding.rule.id).unwrap_or_default() as i64
}

fn result(
    outcome: &Outcome,
    finding: &Finding,
    others: &[&Finding],
    languages: &Languages,
) -> SarifResult {
    let origins = linked(finding).into_iter().map(|of| (&of.path, &of.fragment, "The origin."));
    let copies = family(finding).map(|of| (&of.path, &of.added, "Copied as well."));
    let related: Vec<Location> = origins.chain(copies).zip(1..).map(related).collect();
    let fingerprint = BTreeMap::from([("secondhandClone/v1".to_owned(), finding.identity.clone())]);
    let mut properties = result_properties(finding);
    let settings = outcome.settings.of(&finding.path);
    if !settings.is_empty() {
        properties.push(("settings", json!(settings)));
    }
    SarifResult::builder()
        .rule_id(finding.rule.id)
        .rule_index(rule_index(finding))
        .level(of_level(finding.level, LEVELS))
        .message(message(result_text(finding, others, languages)))
        .locations(vec![location(&finding.path, &finding.added)])
        .related_locations(related)
        .partial_fingerprints(fingerprint)
        .properties(bag(properties, &[]))
        .build()
}

/// A suppressed result: viewers hide it, but audits can include it.
fn suppressed(outcome: &Outcome, of: &SuppressedFinding, languages: &Languages) -> SarifResult {
    let SuppressedFinding { finding, by } = of;
    let kind = json!(if by.kind == "comment" { "inSource" } else { "external" });
    let suppression = Suppression::builder().kind(kind).justification(&*by.words).build();
    let suppressions = Some(vec![suppression]);
    SarifResult { suppressions, ..result(outcome, finding, &[], languages) }
}

/// The origins in the tree, which the message links. Others are not files of this repository, or
/// not at this commit.
fn linked(finding: &Finding) -> Vec<&Origin> {
    finding.origins_in_tree().take(MAX_LINKS).collect()
}

/// The number by which a message links an origin.
fn id_of(origin: &Origin, linked: &[&Origin]) -> Option<usize> {
    linked.iter().position(|other| std::ptr::eq(*other, origin)).map(|at| at + 1)
}

/// An origin as a message names it.
fn named(origin: &Origin, linked: &[&Origin]) -> String {
    let id = id_of(origin, linked);
    let place = id.map_or_else(|| plain(&place(origin)), |id| link(id, origin));
    place + &provenance(origin).map(|note| format!(" ({})", plain(&note))).unwrap_or_default()
}

/// The other copies of a family, as far as a result may have locations.
fn family(finding: &Finding) -> impl Iterator<Item = &Finding> {
    finding.family.iter().take(MAX_LINKS)
}

/// Says what was copied, with links to the origins: `[path:lines](id)`.
fn result_text(finding: &Finding, others: &[&Finding], languages: &Languages) -> String {
    if !finding.has_code() {
        return format!("{}.", sentence(&plain(&finding.message())).trim_end_matches('.'));
    }
    let linked = linked(finding);
    if finding.missed().is_some() {
        let links = linked.iter().zip(1..).map(|(origin, id)| link(id, origin));
        let message = sentence(&plain(&finding.message()));
        let links = links.collect::<Vec<_>>().join(", ");
        return format!("{}. Lacking it: {links}.", message.trim_end_matches('.'));
    }
    let mut text = lines("Line", &finding.fragment);
    if let Some(origin) = finding.origins.first() {
        let verb = if finding.n_novel == 0 { "also in" } else { origin.relation() };
        text.push_str(&format!(
            " {verb} {}: a {} clone ({}), {} % alike, {}.",
            named(origin, &linked),
            origin.clone_type.name(),
            origin.clone_type.describe(),
            percent(origin.similarity),
            count(finding.n_tokens, "token")
        ));
    }
    let further = finding.origins.get(1..).unwrap_or_default();
    let told = further.iter().filter(|of| id_of(of, &linked).is_some() || of.place != Place::Tree);
    let names: Vec<String> = told.take(MAX_LINKS).map(|of| named(of, &linked)).collect();
    if !names.is_empty() {
        text.push_str(&format!(" Also found in {}", names.join(", ")));
        text.push_str(&match further.len() - names.len() {
            0 => ".".to_owned(),
            n_more => format!(" and {}.", count(n_more, "more place")),
        });
    }
    let copies = family(finding).zip(linked.len() + 1..).map(|(other, id)| {
        let from = other.origins.first().map(|origin| format!(" from {}", plain(&place(origin))));
        format!("[{}]({id}){}", lines("line", &other.fragment), from.unwrap_or_default())
    });
    let copies: Vec<_> = copies.collect();
    if !copies.is_empty() {
        let more = and_more(finding.family.len() - copies.len());
        text.push_str(&format!(" Copied as well: {}{more}.", copies.join(", ")));
    }
    text.extend(milder(finding).map(|why| format!(" A {why}.")));
    for other in others {
        let (lines, message) = (lines("Line", &other.fragment), plain(&other.message()));
        text.push_str(&format!(" {lines}, too, are copied: {message}."));
    }
    text.extend(to_do(finding, languages).map(|to_do| format!(" To do: {}", plain(&to_do))));
    text
}

/// `text` in which nothing is a link.
fn plain(text: &str) -> String {
    text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}

fn link(id: usize, origin: &Origin) -> String {
    format!("[{}]({id})", plain(&place(origin)))
}

/// `line 12` or `lines 12-20`.
fn lines(word: &str, fragment: &Fragment) -> String {
    format!("{} {}", noun_of(fragment.n_lines(), word), fragment.lines())
}

/// A place with its number, and what is there.
fn related(((path, fragment, what), id): ((&FilePath, &Fragment, &str), i64)) -> Location {
    Location { id: Some(id), message: Some(message(what)), ..location(path, fragment) }
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
    if let Some(behind) = finding.behind() {
        let commits = behind.commits.iter().take(MAX_COMPONENTS).map(|missed| {
            let lines = missed.places.iter().map(|place| place.fragment.start.line);
            json!({
                "commit": missed.commit.hash,
                "date": day(missed.commit.time),
                "subject": missed.commit.subject,
                "ids": missed.commit.ids,
                "origin": missed.origin.to_string(),
                "lines": lines.collect::<Vec<_>>(),
            })
        });
        return vec![
            ("component", json!(behind.component.name)),
            ("missedCommits", commits.collect()),
            ("missedCommitsCount", json!(behind.commits.len())),
        ];
    }
    if !finding.has_code() {
        let files = finding.unexamined_files();
        let named = files.iter().take(MAX_UNEXAMINED).map(|UnexaminedFiles { path, n_files, reason }| {
            json!({"path": path.to_string(), "files": n_files, "reason": reason})
        });
        return vec![("notExamined", named.collect()), ("notExaminedCount", json!(files.len()))];
    }
    let fragment = &finding.fragment;
    let best = finding.origins.first();
    let components = finding.origins.iter().filter_map(component).take(MAX_COMPONENTS);
    let deletions = finding.origins.iter().filter_map(deletion).take(MAX_COMPONENTS);
    let (components, deletions) = (components.collect::<Vec<_>>(), deletions.collect::<Vec<_>>());
    let mut properties = vec![
        ("cloneType", json!(best.map(|origin| origin.clone_type.name()))),
        ("similarity", json!(best.map(|origin| rounded(origin.similarity, 3)))),
        ("tokens", json!(finding.n_tokens)),
        ("worth", json!(rounded(finding.worth.score(), 1))),
        ("novelTokens", json!(finding.n_novel)),
        ("origins", json!(finding.origins.len())),
        ("copies", json!(finding.family.len() + 1)),
        ("startLine", json!(fragment.start.line)),
        ("endLine", json!(fragment.end.line)),
    ];
    let lists = [("components", components), ("deletions", deletions)].into_iter();
    properties
        .extend(lists.filter(|(_, all)| !all.is_empty()).map(|(name, all)| (name, json!(all))));
    if let Some(missed) = finding.missed() {
        properties.push(("lacks", json!(missed.lacks)));
        properties.push(("patches", json!(missed.patches)));
    }
    if !finding.changed_since().is_empty() {
        let commits = finding.changed_since().iter().map(|Change { commit, subject, time }| {
            json!({"commit": commit, "subject": subject, "date": day(*time)})
        });
        properties.push(("changedSince", commits.collect()));
    }
    properties
}

/// A component with the path and lines of an origin: never a location, since a corpus is not part
/// of the repository.
fn component(origin: &Origin) -> Option<Value> {
    let component = origin.place.component()?;
    Some(json!({
        "corpus": component.corpus,
        "name": component.name,
        "version": component.version,
        "purl": component.purl,
        "url": component.url,
        "license": component.license(),
        "licenseClass": component.terms.class(),
        "licenseEvidence": component.terms.evidence,
        "contradictions": component.terms.contradictions.iter().map(|of| &of.evidence).collect::<Vec<_>>(),
        "firstSeen": component.first_seen.as_ref().map(|of| json!({"commit": of.commit(), "date": day(of.time)})),
        "path": origin.path.to_string(),
        "startLine": origin.fragment.start.line,
        "endLine": origin.fragment.end.line,
        "verdict": origin.verdict.as_ref().map(|verdict| verdict.answer.name()),
        "reason": origin.verdict.as_ref().map(Verdict::describe),
    }))
}

fn deletion(origin: &Origin) -> Option<Value> {
    let deletion = origin.place.deletion()?;
    Some(json!({
        "commit": deletion.commit,
        "subject": deletion.subject,
        "date": day(deletion.time),
        "path": origin.path.to_string(),
        "startLine": origin.fragment.start.line,
        "endLine": origin.fragment.end.line,
    }))
}

fn bag<'p>(properties: impl IntoIterator<Item = (&'p str, Value)>, tags: &[&str]) -> PropertyBag {
    let properties: BTreeMap<String, Value> =
        properties.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    let mut bag = PropertyBag::builder().additional_properties(properties).build();
    bag.tags = (!tags.is_empty()).then(|| tags.iter().map(|tag| (*tag).to_owned()).collect());
    bag
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
