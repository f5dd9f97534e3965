//! Writes SPDX 2.3 in JSON: each copy is a snippet of its file, and a variant of a file of its
//! origin.
//!
//! `VARIANT_OF` states only what is known: a common lineage, but not which came first.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::snippets::{Snippet, copyright, download, licenses, snippets, unlisted};
use super::{comment, digest, folders_of, from, timestamp, version_of, with_known};
use crate::audit::{AuditSummary, CopiedFile, Outcome};
use crate::policy::Component;
use crate::report::plain_json::write_json;
use crate::report::{Style, VERSION};

const NONE: &str = "NOASSERTION";

pub fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(audited) = &outcome.audited else { return Ok(()) };
    let project = "SPDXRef-Project";
    let mut packages = vec![json!({
        "SPDXID": project,
        "name": audited.project,
        "versionInfo": version_of(outcome, audited),
        "downloadLocation": NONE,
        "filesAnalyzed": false,
        "licenseConcluded": NONE,
        "licenseDeclared": NONE,
        "copyrightText": NONE,
    })];
    let components = audited.components.iter().enumerate();
    packages.extend(components.map(|(number, of)| package(number, &of.component, audited)));
    let mut relationships = vec![relationship("SPDXRef-DOCUMENT", "DESCRIBES", project)];
    for number in 0..audited.components.len() {
        relationships.push(relationship(project, "CONTAINS", &format!("SPDXRef-Origin-{number}")));
    }
    for number in 0..audited.files.len() {
        let file = format!("SPDXRef-File-{number}");
        relationships.push(relationship("SPDXRef-DOCUMENT", "DESCRIBES", &file));
    }
    let snippets = snippets(outcome, audited);
    for (number, snippet) in snippets.iter().enumerate() {
        if let Some(package) = snippet.package {
            let id = format!("SPDXRef-Snippet-{number}");
            let package = format!("SPDXRef-Origin-{package}");
            relationships.push(relationship(&id, "VARIANT_OF", &package));
        }
    }
    let files = audited.files.iter().enumerate().map(|(number, of)| file(number, of, audited));
    let mut document = json!({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": format!("copies in {}", audited.project),
        "creationInfo": {
            "created": timestamp(audited.time),
            "creators": [format!("Tool: secondhand-{VERSION}")],
            "comment": comment(outcome, audited),
        },
        "packages": packages,
        "files": files.collect::<Vec<_>>(),
        "snippets": snippets.iter().enumerate().map(|(number, of)| snippet(number, of)).collect::<Vec<_>>(),
        "relationships": relationships,
    });
    let unlisted = unlisted(audited, &snippets);
    let infos = unlisted.iter().map(|(id, told)| {
        json!({"licenseId": id, "name": id.trim_start_matches("LicenseRef-"), "extractedText": told})
    });
    if !unlisted.is_empty() {
        document["hasExtractedLicensingInfos"] = infos.collect();
    }
    document["documentNamespace"] =
        json!(format!("https://spdx.org/spdxdocs/secondhand-{}", digest(&document)));
    write_json(&document, out)
}

fn relationship(from: &str, what: &str, to: &str) -> Value {
    json!({"spdxElementId": from, "relationshipType": what, "relatedSpdxElement": to})
}

fn license(component: &Component) -> String {
    component.license().unwrap_or_else(|| NONE.to_owned())
}

fn file(number: usize, file: &CopiedFile, audited: &AuditSummary) -> Value {
    json!({
        "SPDXID": format!("SPDXRef-File-{number}"),
        "fileName": format!("./{}", file.path),
        "checksums": [{"algorithm": "SHA1", "checksumValue": file.sha1}],
        "licenseConcluded": NONE,
        "licenseInfoInFiles": [NONE],
        "copyrightText": NONE,
        "comment": from(audited, file),
    })
}

fn package(number: usize, component: &Component, audited: &AuditSummary) -> Value {
    let mut package = json!({
        "SPDXID": format!("SPDXRef-Origin-{number}"),
        "name": component.name,
        "downloadLocation": download(component).unwrap_or(NONE),
        "filesAnalyzed": false,
        "licenseConcluded": NONE,
        "licenseDeclared": NONE,
        "copyrightText": copyright(component).unwrap_or_else(|| NONE.to_owned()),
    });
    // What the user declared is not what the owner did.
    let by = if component.terms.is_declared { "licenseConcluded" } else { "licenseDeclared" };
    package[by] = json!(license(component));
    let folders = folders_of(audited, component);
    let evidence = component.terms.evidence.as_ref();
    let purl = component.purl.as_ref().map(|purl| {
        json!([{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}])
    });
    let known = [
        ("versionInfo", component.single_version().map(Value::from)),
        ("licenseComments", evidence.map(|of| json!(format!("Found by: {of}.")))),
        ("comment", (!folders.is_empty()).then(|| json!(folders.join("\n")))),
        ("externalRefs", purl),
    ];
    with_known(package, known)
}

fn snippet(number: usize, snippet: &Snippet<'_>) -> Value {
    let Snippet { file, component, name, bytes, fragment, comment, .. } = snippet;
    let file = format!("SPDXRef-File-{file}");
    let lines = (fragment.start.line, fragment.end.line);
    json!({
        "SPDXID": format!("SPDXRef-Snippet-{number}"),
        "name": name,
        "snippetFromFile": file,
        "ranges": [
            {"startPointer": {"reference": file, "offset": bytes.0}, "endPointer": {"reference": file, "offset": bytes.1}},
            {"startPointer": {"reference": file, "lineNumber": lines.0}, "endPointer": {"reference": file, "lineNumber": lines.1}},
        ],
        "licenseConcluded": license(component),
        "licenseInfoInSnippets": licenses(component).unwrap_or_else(|| [NONE.to_owned()].into()),
        "licenseComments": component.terms.evidence.as_ref().map_or_else(|| "Not known.".to_owned(), |of| format!("Found by: {of}.")),
        "copyrightText": copyright(component).unwrap_or_else(|| NONE.to_owned()),
        "comment": comment,
    })
}
