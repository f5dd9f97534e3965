//! Writes what an audit of a whole tree found: the summary that every format begins with, and the
//! formats of its own.

pub(super) mod cyclonedx;
pub(super) mod decisions;
pub(super) mod notice;
pub(super) mod openvex;
mod snippets;
pub(super) mod spdx3;
pub(super) mod spdx_document;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::missed::version_lines;
use super::words::{
    IN_VERBOSE, MAX_IN_LINE, count, day, first, found_in_audit, listed, percent, short,
};
use super::{Style, VERSION};
use crate::audit::{
    AuditSummary, ComponentCopy, CopiedFile, EditedFile, ExaminedCorpus, FolderVersion,
    Introduction, Outcome, Possible, State,
};
use crate::license::{ATTRIBUTION, Class};
use crate::policy::Component;
use crate::text::{FilePath, hexadecimal, printable};

/// The part of a tree that belongs to one license class.
#[derive(Default)]
pub(super) struct OfClass {
    pub n_components: usize,
    pub n_files: usize,
    pub n_tokens: usize,
}

/// The part of a tree that belongs to each class; a file with code of two classes counts in both.
pub(super) fn classes(audited: &AuditSummary) -> BTreeMap<Class, OfClass> {
    let mut classes: BTreeMap<Class, OfClass> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for component in audited.components.iter().map(|taken| &taken.component) {
        let class = component.terms.class();
        let is_new = known.insert((class, &component.corpus, &component.name));
        classes.entry(class).or_default().n_components += usize::from(is_new);
    }
    for file in &audited.files {
        let mut of_file: BTreeMap<Class, usize> = BTreeMap::new();
        for origin in &file.origins {
            let class = audited.components[origin.component].component.terms.class();
            *of_file.entry(class).or_default() += origin.n_tokens;
        }
        for (class, n) in of_file {
            let of_class = classes.entry(class).or_default();
            of_class.n_files += 1;
            of_class.n_tokens += n;
        }
    }
    classes
}

/// The part of a whole, 0 to 100.
pub(super) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { (part as f64 * 1000.0 / whole as f64).round() / 10.0 }
}

pub(super) fn license_of(component: &Component) -> String {
    let evidence = component.terms.evidence.as_ref().map(|evidence| format!(": {evidence}"));
    component.license_words() + &evidence.unwrap_or_default()
}

/// Maximum files to list for people; the other formats have all of them.
const MAX_FILES: usize = 200;

/// What a file is from, as every format says it: `100 % zlib v1.2.8 inflate.c, edited: +3 -1 lines
/// since v1.2.8`.
pub(super) fn from(audited: &AuditSummary, file: &CopiedFile) -> String {
    let mut parts = first(&file.origins, MAX_IN_LINE, |origin| {
        let name = audited.component_of(origin).label();
        let part = percent(origin.n_tokens as f64 / file.n_tokens.max(1) as f64);
        format!("{part} % {name} {}", origin.path)
    });
    parts.extend(state(audited, file));
    printable(parts.join(", "))
}

/// How a file differs from its origin; `None` if it only contains code of it.
pub(super) fn state(audited: &AuditSummary, file: &CopiedFile) -> Option<String> {
    Some(match audited.state_of(file) {
        State::Identical => "identical file".to_owned(),
        State::Equal => "identical but for comments and layout".to_owned(),
        State::Edited { lines: (added, removed), since } => {
            let since = since.map(|version| format!(" since {version}")).unwrap_or_default();
            format!("edited: +{added} -{removed} lines{since}")
        }
        State::Part => return None,
    })
}

/// What was audited, with what and how: what it takes to do it again.
pub(super) fn subject(outcome: &Outcome, audited: &AuditSummary) -> Vec<String> {
    let corpora = match &audited.corpora[..] {
        [] => "none".to_owned(),
        corpora => Vec::from_iter(corpora.iter().map(corpus)).join(", "),
    };
    let lines = [
        format!("repository: {}, {}", audited.project, audited.revision),
        format!("corpora: {corpora}"),
        format!("program: secondhand {VERSION}; settings: {}", outcome.settings.describe()),
    ];
    lines.map(printable).into()
}

/// What a document of a tree says of how it came about.
fn comment(outcome: &Outcome, audited: &AuditSummary) -> String {
    format!(
        "Similarity to code in the compared corpora; potential verdicts, to be reviewed. Compatibility: {ATTRIBUTION}. {}.",
        subject(outcome, audited).join("; ")
    )
}

/// The commit of a tree, or else what its revision is called.
fn version_of(outcome: &Outcome, audited: &AuditSummary) -> String {
    outcome.head.commit.map_or_else(|| audited.revision.clone(), |commit| commit.to_string())
}

/// A corpus with the beginning of its digest.
pub(super) fn corpus(of: &ExaminedCorpus) -> String {
    let digest = of.digest.as_ref().map(|digest| format!(" (sha256 {})", &digest[..16]));
    of.name.clone() + &digest.unwrap_or_default()
}

pub(super) fn headline(audited: &AuditSummary) -> String {
    let AuditSummary { n_files, n_tokens, n_copied, files, .. } = audited;
    let (files, of_all) = (files.len(), count(*n_files, "file"));
    let components = count(audited.n_components(|_| true), "component");
    let share = share(*n_copied, *n_tokens);
    format!("{files} of {of_all} contain code of {components}: {share} % of the tokens")
}

pub(super) fn summary(outcome: &Outcome, audited: &AuditSummary, style: &Style) -> Vec<String> {
    let AuditSummary { n_tokens, files, components, .. } = audited;
    let mut lines = subject(outcome, audited);
    lines.extend([String::new(), found_in_audit(outcome), headline(audited)]);
    if components.is_empty() {
        lines.extend(possible_lines(&audited.possible, style));
        lines.push(String::new());
        lines.extend(audited.brought.iter().flat_map(|brought| history(brought)));
        return lines;
    }
    lines.extend([String::new(), "by license class   components  files of tokens".to_owned()]);
    for (class, OfClass { n_components, n_files, n_tokens: n }) in classes(audited) {
        let (class, share) = (class.name(), format!("{:.1} %", share(n, *n_tokens)));
        lines.push(format!("{class:<18} {n_components:>10} {n_files:>6} {share:>9}"));
    }
    lines.extend([String::new(), "by component".to_owned()]);
    for taken in components {
        let (label, license) = (taken.component.label(), license_of(&taken.component));
        let (files, tokens) = (count(taken.n_files, "file"), count(taken.n_tokens, "token"));
        let verdict = taken.verdict.describe();
        lines.push(printable(format!("  {label} ({license}): {files}, {tokens}; {verdict}")));
        for contradiction in &taken.component.terms.contradictions {
            lines.push(format!("    contradicted: {}", printable(&contradiction.evidence)));
        }
    }
    if !audited.versions.is_empty() {
        let title = "by folder: the version that fits best, and local edits";
        lines.extend([String::new(), title.to_owned()]);
        lines.extend(audited.versions.iter().flat_map(|of| version_lines(of, style.is_verbose)));
    }
    lines.extend([String::new(), "by file: share found in corpora, and where".to_owned()]);
    let files = listed(files, style.at_most(MAX_FILES), IN_VERBOSE, |file| {
        format!("{:>3} % {}: {}", copied(file), file.path, from(audited, file))
    });
    lines.extend(files.iter().map(|line| format!("  {line}")));
    lines.extend(possible_lines(&audited.possible, style));
    lines.extend(audited.brought.iter().flat_map(|brought| history(brought)));
    lines.push(String::new());
    lines
}

/// How much of a file is code of components, in whole percent.
pub(super) fn copied(file: &CopiedFile) -> u32 {
    percent(file.n_copied as f64 / file.n_tokens.max(1) as f64)
}

/// The notices of all files of a component that were copied, under the same license.
fn notices(outcome: &Outcome, component: &Component) -> BTreeSet<String> {
    let findings = outcome.findings.iter().filter(|finding| !finding.is_idiom);
    let others = findings.flat_map(|finding| &finding.origins);
    let others = others.filter_map(|origin| origin.place.component());
    let same = others.filter(|other| other.is_same(component));
    same.chain([component]).flat_map(|other| other.terms.notices.iter().cloned()).collect()
}

/// Whether an edited file is one that a component under this license explains.
fn is_of(audited: &AuditSummary, taken: &ComponentCopy, edited: &EditedFile) -> bool {
    let file = audited.files.iter().find(|file| file.path == edited.path);
    let first = file.and_then(|file| file.origins.first());
    first.is_some_and(|of| std::ptr::eq(&audited.components[of.component], taken))
}

/// What the folders with a component's code are, and how they differ, as every format says it.
pub(super) fn folders_of(audited: &AuditSummary, component: &Component) -> Vec<String> {
    audited.versions_of(component).map(|of| version(of, true)).collect()
}

/// What a folder is a copy of, and how it differs, in a line.
pub(super) fn version(of: &FolderVersion, is_verbose: bool) -> String {
    Vec::from_iter(version_lines(of, is_verbose).iter().map(|line| line.trim())).join("; ")
}

fn possible_lines(possible: &[Possible], style: &Style) -> Vec<String> {
    if possible.is_empty() {
        return Vec::new();
    }
    let what = "possible: short fragments that unrelated projects may well have in common; no \
                origin of them is stated elsewhere";
    let mut lines = vec![String::new(), what.to_owned()];
    let all = listed(possible, style.at_most(MAX_FILES), IN_VERBOSE, |of| {
        let Possible { path, component, origin, n_tokens } = of;
        let (tokens, label) = (count(*n_tokens, "token"), component.label());
        printable(format!("{path}: {tokens} like {origin} of {label}"))
    });
    lines.extend(all.iter().map(|line| format!("  {line}")));
    lines
}

/// The commit that first added a component's code to a file, in words; empty if the history was not
/// searched.
pub(super) fn brought_in(audited: &AuditSummary, path: &FilePath, name: &str) -> Option<String> {
    let brought = audited.brought_into(path, name)?;
    let notes: String = brought.notes.iter().map(|note| format!("; {note}")).collect();
    let on = day(brought.first.time).map(|day| format!(" on {day}")).unwrap_or_default();
    Some(format!("added in {}{on}{notes}", brought.first.commit))
}

fn history(brought: &[Introduction]) -> Vec<String> {
    let mut lines = vec![String::new(), "by commit: what was first added where".to_owned()];
    for of in brought {
        let license = of.component.license_words();
        let gone = if of.is_in_head { "" } else { ", since removed" };
        let notes: String = of.notes.iter().map(|note| format!("; {note}")).collect();
        let since = of.component.committed().and_then(day);
        let since = since.map(|day| format!(", there since {day}")).unwrap_or_default();
        lines.push(printable(format!(
            "  {} on {}: {} ({} %) from {} {} ({license}{since}){gone}; {}{notes}",
            short(&of.first.commit),
            day(of.first.time).unwrap_or_default(),
            of.path,
            percent(of.containment),
            of.component.label(),
            of.origin,
            of.verdict.describe(),
        )));
    }
    if brought.is_empty() {
        lines.push("  nothing".to_owned());
    }
    lines
}

pub(super) fn licenses(audited: &AuditSummary, file: &CopiedFile) -> String {
    let components = file.origins.iter().map(|of| &audited.components[of.component].component);
    let named: BTreeSet<String> = components.map(|of| of.license_words()).collect();
    printable(Vec::from_iter(named).join(", "))
}

/// `properties` with those of `known` that are.
fn with_known<const N: usize>(mut properties: Value, known: [(&str, Option<Value>); N]) -> Value {
    for (key, value) in known {
        if let Some(value) = value {
            properties[key] = value;
        }
    }
    properties
}

/// What distinguishes a document from others: half of a SHA-256.
fn digest(document: &Value) -> String {
    hexadecimal(&Sha256::digest(document.to_string().as_bytes())[..16])
}

/// The same as a name-based UUID (RFC 9562, version 8): the same findings have the same number.
fn serial_number(document: &Value) -> String {
    let hex = digest(document);
    let variant = format!("{:x}", 8 | u8::from_str_radix(&hex[16..17], 16).unwrap_or(0) & 3);
    let [a, b, c, d, e] = [&hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..]];
    format!("urn:uuid:{a}-{b}-8{c}-{variant}{d}-{e}")
}

fn timestamp(time: i64) -> String {
    let moment = jiff::Timestamp::from_second(time).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
