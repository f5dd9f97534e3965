//! Makes the copies of a tree into what SPDX calls snippets: parts of files that are variants of
//! parts of others.

use std::collections::{BTreeMap, BTreeSet};

use super::brought_in;
use crate::audit::{AuditSummary, CopiedFile, Outcome};
use crate::license::Expression;
use crate::policy::{Component, Finding, Fragment, Origin};
use crate::report::words::{here, percent, place};
use crate::text::{FilePath, LinedText};

/// A copy in a file, and where it is from.
pub(super) struct Snippet<'s> {
    pub file: usize,
    /// The number of the component, if it explains a part of the file.
    pub package: Option<usize>,
    pub component: &'s Component,
    pub origin: &'s Origin,
    pub path: &'s FilePath,
    pub name: String,
    /// The first and the last byte, from 1: whole lines, whose ends are the same in every encoding.
    pub bytes: (usize, usize),
    pub fragment: &'s Fragment,
    /// How it is alike, which rule tells of it, and the verdict.
    pub comment: String,
}

/// The copies of a tree, in the order of its findings, each once for every component that explains
/// a part of its file. An idiom alone is none: it is no evidence of an origin.
pub(super) fn snippets<'s>(outcome: &'s Outcome, audited: &'s AuditSummary) -> Vec<Snippet<'s>> {
    let numbers: BTreeMap<&FilePath, usize> =
        audited.files.iter().zip(0..).map(|(file, n)| (&file.path, n)).collect();
    let mut snippets = Vec::new();
    for finding in outcome.all_findings() {
        let file = numbers.get(&finding.path).copied();
        let (Some(file), Some(text)) = (file, outcome.texts.get(&finding.path)) else { continue };
        let mut found = origins(finding, &audited.files[file], audited);
        found.retain(|(package, ..)| package.is_some() || !finding.is_idiom);
        snippets.extend(found.into_iter().map(|of| snippet(finding, (file, text), of, audited)));
    }
    snippets
}

fn snippet<'s>(
    finding: &'s Finding,
    (file, text): (usize, &LinedText),
    (package, origin, component): Found<'s>,
    audited: &AuditSummary,
) -> Snippet<'s> {
    let (first, last) = (finding.fragment.start.line, finding.fragment.end.line);
    let start = text.lines().range(first).start + 1;
    let verdict = origin.verdict.as_ref().map(|verdict| format!("; {}", verdict.describe()));
    let brought = brought_in(audited, &finding.path, &component.name);
    let comment = format!(
        "{} % like {} of {} ({}); rule {}{}{}",
        percent(origin.similarity),
        place(origin),
        component.label(),
        origin.clone_type.name(),
        finding.rule.id,
        verdict.unwrap_or_default(),
        brought.map(|told| format!("; {told}")).unwrap_or_default(),
    );
    Snippet {
        file,
        package,
        component,
        origin,
        path: &finding.path,
        name: here(finding),
        bytes: (start, text.lines().range(last).end.max(start)),
        fragment: &finding.fragment,
        comment,
    }
}

/// An origin in a component, with its number if it explains a part of the file.
type Found<'s> = (Option<usize>, &'s Origin, &'s Component);

/// The first origin in each component of which the list of files says that it explains a part of
/// this one; or else the first in a component, which the verdict is about.
fn origins<'s>(finding: &'s Finding, file: &CopiedFile, audited: &AuditSummary) -> Vec<Found<'s>> {
    let found = finding.origins.iter().filter_map(|origin| {
        let component = origin.place.component()?;
        Some((audited.explaining(file, component), origin, component))
    });
    let mut found: Vec<Found<'s>> = found.collect();
    let mut known = BTreeSet::new();
    let first = found.first().copied();
    found.retain(|(package, ..)| package.is_some_and(|number| known.insert(number)));
    if found.is_empty() { first.into_iter().collect() } else { found }
}

/// Where a component can be had, as far as SPDX takes it.
pub(super) fn download(component: &Component) -> Option<&str> {
    let url = component.url.as_deref().filter(|url| is_plain(url))?;
    ["https://", "http://", "git+"].iter().any(|scheme| url.starts_with(scheme)).then_some(url)
}

/// Whether a URL has nothing that would have to be escaped.
pub(super) fn is_plain(url: &str) -> bool {
    url.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The licenses that SPDX does not list, and what is known of each.
pub(super) fn unlisted(audited: &AuditSummary, snippets: &[Snippet]) -> BTreeMap<String, String> {
    let mut evidence: BTreeMap<String, String> = BTreeMap::new();
    for taken in audited.components.iter().filter(|taken| taken.component.terms.is_of_text) {
        let text = taken.texts.join("\n");
        for id in unlisted_in(&taken.component).filter(|_| !text.is_empty()) {
            evidence.entry(id.clone()).or_insert_with(|| text.clone());
        }
    }
    let of_components = audited.components.iter().map(|taken| &*taken.component);
    for component in of_components.chain(snippets.iter().map(|snippet| snippet.component)) {
        for id in unlisted_in(component) {
            let told = component.terms.evidence.as_deref().unwrap_or_default();
            let entry = evidence.entry(id.clone());
            entry.or_insert_with(|| format!("See {}: {told}.", component.label()));
        }
    }
    evidence
}

fn unlisted_in(component: &Component) -> impl Iterator<Item = &String> {
    let licenses = component.terms.license.iter().flat_map(Expression::licenses);
    licenses.map(|license| &license.id).filter(|id| id.starts_with("LicenseRef-"))
}

/// The copyright notices of a component, a line each, if any are known.
pub(super) fn copyright(component: &Component) -> Option<String> {
    (!component.terms.notices.is_empty()).then(|| component.terms.notices.join("\n"))
}

/// The licenses in a component's expression, each once.
pub(super) fn licenses(component: &Component) -> Option<BTreeSet<String>> {
    Some(component.terms.license.as_ref()?.licenses().map(ToString::to_string).collect())
}
