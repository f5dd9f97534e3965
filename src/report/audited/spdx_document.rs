//! Writes SPDX 2.3 in JSON: each copy is a snippet of its file, and a variant of a file of its origin.
//!
//! `VARIANT_OF` states only what is known: a common lineage, but not which came first.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{brought_in, subject, timestamp};
use crate::audit::{Audited, Outcome};
use crate::license::{ATTRIBUTION, Expression};
use crate::policy::{Component, Finding, Origin, Place};
use crate::report::words::{lines, percent, place};
use crate::report::{Format, Style, VERSION};
use crate::text::{FilePath, LinedText};

pub(in crate::report) const FORMAT: Format =
    Format { name: "spdx", help: "SPDX 2.3 in JSON, copies as snippets", write };

const NONE: &str = "NOASSERTION";

fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(audited) = &outcome.audited else { return Ok(()) };
    serde_json::to_writer_pretty(&mut *out, &document(outcome, audited))?;
    writeln!(out)
}

fn document(outcome: &Outcome, audited: &Audited) -> Value {
    let project = "SPDXRef-Project";
    let mut packages = vec![json!({
        "SPDXID": project,
        "name": audited.project,
        "versionInfo": outcome.head.commit.map_or_else(|| audited.revision.clone(), |commit| commit.to_string()),
        "downloadLocation": NONE,
        "filesAnalyzed": false,
        "licenseConcluded": NONE,
        "licenseDeclared": NONE,
        "copyrightText": NONE,
    })];
    packages.extend(audited.components.iter().enumerate().map(|(number, taken)| package(number, &taken.component)));
    let mut relationships = vec![relationship("SPDXRef-DOCUMENT", "DESCRIBES", project)];
    let mut files = Vec::new();
    let mut numbers: BTreeMap<&FilePath, usize> = BTreeMap::new();
    for (number, file) in audited.files.iter().enumerate() {
        let id = format!("SPDXRef-File-{number}");
        files.push(json!({
            "SPDXID": id,
            "fileName": format!("./{}", file.path),
            "checksums": [{"algorithm": "SHA1", "checksumValue": file.sha1}],
            "licenseConcluded": NONE,
            "licenseInfoInFiles": [NONE],
            "copyrightText": NONE,
        }));
        relationships.push(relationship("SPDXRef-DOCUMENT", "DESCRIBES", &id));
        numbers.insert(&file.path, number);
    }
    let mut snippets = Vec::new();
    for finding in &outcome.findings {
        let (Some(&file), Some(text)) = (numbers.get(&finding.path), outcome.texts.get(&finding.path)) else {
            continue;
        };
        let Some((origin, component)) = origin(finding) else { continue };
        // An idiom is no evidence of an origin.
        if finding.is_idiom {
            continue;
        }
        let id = format!("SPDXRef-Snippet-{}", snippets.len());
        if let Some(package) = audited.components.iter().position(|taken| is_same(&taken.component, component)) {
            relationships.push(relationship(&id, "VARIANT_OF", &format!("SPDXRef-Origin-{package}")));
        }
        let snippet = Snippet { id: &id, file: &format!("SPDXRef-File-{file}"), finding, origin, component };
        snippets.push(snippet.value(text, audited));
    }
    let mut document = json!({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": format!("copies in {}", audited.project),
        "creationInfo": {
            "created": timestamp(audited.time),
            "creators": [format!("Tool: secondhand-{VERSION}")],
            "comment": format!("Similarity to code in the compared corpora; potential verdicts, to be reviewed. Compatibility: {ATTRIBUTION}. {}.", subject(outcome, audited).join("; ")),
        },
        "packages": packages,
        "files": files,
        "snippets": snippets,
        "relationships": relationships,
    });
    let unlisted = unlisted(audited, outcome);
    if !unlisted.is_empty() {
        document["hasExtractedLicensingInfos"] = json!(unlisted);
    }
    let digest = Sha256::digest(document.to_string().as_bytes());
    let digest: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    document["documentNamespace"] = json!(format!("https://spdx.org/spdxdocs/secondhand-{digest}"));
    document
}

fn relationship(from: &str, what: &str, to: &str) -> Value {
    json!({"spdxElementId": from, "relationshipType": what, "relatedSpdxElement": to})
}

fn license(component: &Component) -> String {
    component.license().unwrap_or_else(|| NONE.to_owned())
}

fn copyright(component: &Component) -> String {
    if component.terms.notices.is_empty() { NONE.to_owned() } else { component.terms.notices.join("\n") }
}

fn package(number: usize, component: &Component) -> Value {
    let is_url = |url: &&String| url.starts_with("https://") || url.starts_with("http://") || url.starts_with("git+");
    let is_plain = |url: &&String| url.bytes().all(|byte| byte.is_ascii_graphic());
    let mut package = json!({
        "SPDXID": format!("SPDXRef-Origin-{number}"),
        "name": component.name,
        "downloadLocation": component.url.as_ref().filter(is_url).filter(is_plain).map_or(NONE, String::as_str),
        "filesAnalyzed": false,
        "licenseConcluded": NONE,
        "licenseDeclared": license(component),
        "copyrightText": copyright(component),
    });
    if let Some(version) = &component.version {
        package["versionInfo"] = json!(version);
    }
    if let Some(evidence) = &component.terms.evidence {
        package["licenseComments"] = json!(format!("Found by: {evidence}."));
    }
    if let Some(purl) = &component.purl {
        package["externalRefs"] =
            json!([{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]);
    }
    package
}

/// The first origin in a component, which the verdict is about.
fn origin(finding: &Finding) -> Option<(&Origin, &Component)> {
    finding.origins.iter().find_map(|origin| match &origin.place {
        Place::Component(component) => Some((origin, &**component)),
        _ => None,
    })
}

fn is_same(a: &Component, b: &Component) -> bool {
    (&a.corpus, &a.name, &a.terms.license) == (&b.corpus, &b.name, &b.terms.license)
}

/// A copy in a file, and where it is from.
struct Snippet<'s> {
    id: &'s str,
    /// The id of the file.
    file: &'s str,
    finding: &'s Finding,
    origin: &'s Origin,
    component: &'s Component,
}

impl Snippet<'_> {
    fn value(&self, text: &LinedText, audited: &Audited) -> Value {
        let &Self { id, file, finding, origin, component } = self;
        let brought =
            brought_in(audited, &finding.path, &component.name).map(|told| format!("; {told}")).unwrap_or_default();
        let of = text.lines();
        let fragment = &finding.fragment;
        let (first, last) = (fragment.start.line, fragment.end.line);
        // Bytes from 1: whole lines, whose ends are the same in every encoding.
        let (start, end) = (of.range(first).start + 1, of.range(last).end.max(of.range(first).start + 1));
        let licenses: Vec<String> = component.terms.license.as_ref().map_or_else(
            || vec![NONE.to_owned()],
            |of| of.licenses().map(ToString::to_string).collect::<BTreeSet<_>>().into_iter().collect(),
        );
        let verdict = origin.verdict.as_ref().map(|verdict| format!("; {}", verdict.describe())).unwrap_or_default();
        json!({
            "SPDXID": id,
            "name": format!("{}:{}", finding.path, lines(fragment)),
            "snippetFromFile": file,
            "ranges": [
                {"startPointer": {"reference": file, "offset": start}, "endPointer": {"reference": file, "offset": end}},
                {"startPointer": {"reference": file, "lineNumber": first}, "endPointer": {"reference": file, "lineNumber": last}},
            ],
            "licenseConcluded": license(component),
            "licenseInfoInSnippets": licenses,
            "licenseComments": component.terms.evidence.as_ref().map_or_else(|| "Not known.".to_owned(), |of| format!("Found by: {of}.")),
            "copyrightText": copyright(component),
            "comment": format!(
                "{} % like {} of {} ({}); rule {}{verdict}{brought}",
                percent(origin.similarity), place(origin), component.label(), origin.clone_type.name(), finding.rule.id
            ),
        })
    }
}

/// The licenses that SPDX does not list.
fn unlisted(audited: &Audited, outcome: &Outcome) -> Vec<Value> {
    let of_components = audited.components.iter().map(|taken| &*taken.component);
    let of_findings = outcome.findings.iter().filter_map(|finding| Some(origin(finding)?.1));
    let mut evidence: BTreeMap<String, String> = BTreeMap::new();
    for component in of_components.chain(of_findings) {
        for license in component.terms.license.iter().flat_map(Expression::licenses) {
            if license.id.starts_with("LicenseRef-") {
                let told = component.terms.evidence.clone().unwrap_or_default();
                evidence.entry(license.id.clone()).or_insert(format!("{}: {told}", component.label()));
            }
        }
    }
    let info = |(id, told): (String, String)| json!({"licenseId": id, "name": id.trim_start_matches("LicenseRef-"), "extractedText": format!("See {told}.")});
    evidence.into_iter().map(info).collect()
}
