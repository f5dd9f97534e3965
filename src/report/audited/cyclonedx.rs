//! Writes CycloneDX 1.6 in JSON: the origins as libraries with the evidence for them, and the files
//! that hold their code with their ancestors.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::openvex::statements;
use super::snippets::{Snippet, copyright, is_plain, snippets};
use super::{
    brought_in, corpus, folders_of, from, is_of, notices, serial_number, share, timestamp,
    version_of, with_known,
};
use crate::audit::{AuditSummary, ComponentCopy, CopiedFile, EditedFile, Outcome};
use crate::policy::Component;
use crate::report::missed::edits;
use crate::report::plain_json::write_json;
use crate::report::words::place;
use crate::report::{Style, VERSION};
use crate::text::{FilePath, printable};

/// Maximum occurrences of a component to list.
const MAX_OCCURRENCES: usize = 1_000;

pub fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(audited) = &outcome.audited else { return Ok(()) };
    let snippets = snippets(outcome, audited);
    let origins = audited.components.iter().enumerate().map(|(number, taken)| {
        let copies: Vec<_> = snippets.iter().filter(|of| of.package == Some(number)).collect();
        let mut described = origin(number, taken, &copies, outcome, audited);
        let patches = patches(audited, |edited| is_of(audited, taken, edited));
        if !patches.is_empty() {
            described["pedigree"] = json!({"patches": patches});
        }
        described
    });
    let files = audited.files.iter().enumerate().map(|(number, of)| file(number, of, audited));
    let corpora = audited.corpora.iter().map(|of| property("corpus", &corpus(of)));
    let needed = (0..audited.components.len()).map(|number| format!("origin-{number}"));
    let mut bom = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": timestamp(audited.time),
            "tools": {"components": [{"type": "application", "name": "secondhand", "version": VERSION}]},
            "component": {"type": "application", "bom-ref": "project", "name": audited.project, "version": version_of(outcome, audited)},
            "properties": corpora.collect::<Vec<_>>(),
        },
        "components": origins.chain(files).collect::<Vec<_>>(),
        "dependencies": [{"ref": "project", "dependsOn": needed.collect::<Vec<_>>()}],
        "vulnerabilities": vulnerabilities(outcome, audited),
    });
    bom["serialNumber"] = json!(serial_number(&bom));
    write_json(&bom, out)
}

fn vulnerabilities(outcome: &Outcome, audited: &AuditSummary) -> Vec<Value> {
    let mut vulnerabilities = Vec::new();
    for ((name, _), of) in statements(outcome, audited) {
        let lacking = of.lacking.iter().map(|(path, _)| *path);
        let paths: BTreeSet<&FilePath> =
            if of.is_fixed() { of.having.iter().copied().collect() } else { lacking.collect() };
        let affects = paths.into_iter().map(|path| {
            let file = audited.files.iter().position(|file| file.path == *path);
            json!({"ref": file.map_or("project".to_owned(), |number| format!("file-{number}"))})
        });
        vulnerabilities.push(json!({
            "id": name,
            "description": printable(&of.commit.subject),
            "analysis": {"state": of.status().1, "detail": of.describe()},
            "affects": affects.collect::<Vec<_>>(),
        }));
    }
    vulnerabilities
}

/// The description of a component, for an origin as well as an ancestor.
fn described(component: &Component) -> Value {
    // What the user declared is not what the owner did.
    let acknowledgement = if component.terms.is_declared { "concluded" } else { "declared" };
    with_known(
        json!({"type": "library", "name": component.name}),
        [
            ("version", component.single_version().map(Value::from)),
            ("purl", component.purl.clone().map(Value::from)),
            ("licenses", licenses(component, json!({"acknowledgement": acknowledgement}))),
            ("copyright", copyright(component).map(Value::from)),
        ],
    )
}

/// The license of a component: one of SPDX's list, one with another name, or an expression; with
/// these fields besides.
fn licenses(component: &Component, mut fields: Value) -> Option<Value> {
    let expression = component.terms.license.as_ref()?;
    let text = expression.to_string();
    let is_single = expression.licenses().all(|of| of.id == text);
    let field = match (is_single, text.contains("LicenseRef-")) {
        (true, true) => "name",
        (true, false) => "id",
        (false, _) => "expression",
    };
    fields[field] = json!(text);
    Some(if is_single { json!([{ "license": fields }]) } else { json!([fields]) })
}

fn origin(
    number: usize,
    taken: &ComponentCopy,
    copies: &[&Snippet<'_>],
    outcome: &Outcome,
    audited: &AuditSummary,
) -> Value {
    let component = &taken.component;
    let notices = notices(outcome, component);
    let confidence = copies.iter().map(|of| of.origin.similarity).fold(0.0, f64::max);
    let confidence = (confidence * 100.0).floor() / 100.0;
    let mut described = described(component);
    described["bom-ref"] = json!(format!("origin-{number}"));
    let mut evidence = json!({
        "identity": [{
            "field": "name",
            "confidence": confidence,
            "methods": [{"technique": "source-code-analysis", "confidence": confidence, "value": "token alignment with a corpus"}],
        }],
    });
    if !copies.is_empty() {
        evidence["occurrences"] = copies.iter().take(MAX_OCCURRENCES).map(occurrence).collect();
    }
    if let Some(licenses) = licenses(component, json!({})) {
        evidence["licenses"] = licenses;
    }
    if !notices.is_empty() {
        evidence["copyright"] = notices.into_iter().map(|text| json!({"text": text})).collect();
    }
    described["evidence"] = evidence;
    let mut properties = vec![
        property("verdict", taken.verdict.answer.name()),
        property("reason", &taken.verdict.describe()),
        property("license-class", component.terms.class().name()),
    ];
    properties.extend(component.terms.evidence.iter().map(|of| property("license-evidence", of)));
    properties.extend(folders_of(audited, component).iter().map(|of| property("folder", of)));
    described["properties"] = json!(properties);
    if let Some(url) = &component.url
        && url.starts_with("http")
        && is_plain(url)
    {
        described["externalReferences"] = json!([{"type": "website", "url": url}]);
    }
    described
}

fn property(name: &str, value: &str) -> Value {
    json!({"name": format!("secondhand:{name}"), "value": value})
}

fn occurrence(copy: &&Snippet<'_>) -> Value {
    let Snippet { path, fragment, origin, .. } = copy;
    json!({
        "location": path.to_string(),
        "line": fragment.start.line,
        "additionalContext": format!("lines {}, from {}", fragment.lines(), place(origin)),
    })
}

/// The edits of some files since they were copied, each as a patch.
fn patches(audited: &AuditSummary, is_asked: impl Fn(&EditedFile) -> bool) -> Vec<Value> {
    let edited = audited.versions.iter().flat_map(|of| &of.edited);
    let patches = edited.filter(|edited| is_asked(edited)).map(|edited| {
        // It may not make the one file of the other.
        let note = "lines of comments and blank lines are left out";
        let diff = format!("# {note}\n{}\n", edits(edited).join("\n"));
        json!({"type": "unofficial", "diff": {"text": {"contentType": "text/x-diff", "content": diff}}})
    });
    patches.collect()
}

fn file(number: usize, file: &CopiedFile, audited: &AuditSummary) -> Value {
    let ancestors: Vec<Value> =
        file.origins.iter().map(|of| described(&audited.component_of(of))).collect();
    let contained = share(file.n_copied, file.n_tokens).to_string();
    let mut properties = vec![property("containment-percent", &contained)];
    let names =
        file.origins.iter().map(|of| audited.components[of.component].component.name.as_str());
    for name in names.collect::<BTreeSet<_>>() {
        let told = brought_in(audited, &file.path, name);
        properties.extend(told.map(|told| property("brought-in", &format!("{name}: {told}"))));
    }
    let mut pedigree = json!({"ancestors": ancestors, "notes": from(audited, file)});
    let patches = patches(audited, |edited| edited.path == file.path);
    if !patches.is_empty() {
        pedigree["patches"] = json!(patches);
    }
    json!({
        "type": "file",
        "bom-ref": format!("file-{number}"),
        "name": file.path.to_string(),
        "hashes": [{"alg": "SHA-1", "content": file.sha1}],
        "pedigree": pedigree,
        "properties": properties,
    })
}
