//! Writes CycloneDX 1.6 in JSON: the origins as libraries with the evidence for them, and the files that hold their
//! code with their ancestors.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{brought_in, corpus, share, timestamp};
use crate::audit::{Audited, CopiedFile, EditedFile, Outcome, Taken};
use crate::policy::{Component, Place};
use crate::report::missed::edits;
use crate::report::{Format, Style, VERSION};

pub(in crate::report) const FORMAT: Format =
    Format { name: "cyclonedx", help: "CycloneDX 1.6 in JSON, with evidence and pedigree", write };

/// Maximum occurrences of a component to list.
const MAX_OCCURRENCES: usize = 1_000;

fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(audited) = &outcome.audited else { return Ok(()) };
    serde_json::to_writer_pretty(&mut *out, &bom(outcome, audited))?;
    writeln!(out)
}

fn bom(outcome: &Outcome, audited: &Audited) -> Value {
    let origins = audited.components.iter().enumerate().map(|(number, taken)| {
        let patches = patches(audited, |edited| is_of(audited, taken, edited));
        with_patches(origin(number, taken, outcome), &patches)
    });
    let files = audited.files.iter().enumerate().map(|(number, of)| file(number, of, audited));
    let version = outcome.head.commit.map_or_else(|| audited.revision.clone(), |commit| commit.to_string());
    let corpora = audited.corpora.iter().map(|of| json!({"name": "secondhand:corpus", "value": corpus(of)}));
    let mut bom = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": timestamp(audited.time),
            "tools": {"components": [{"type": "application", "name": "secondhand", "version": VERSION}]},
            "component": {"type": "application", "bom-ref": "project", "name": audited.project, "version": version},
            "properties": corpora.collect::<Vec<_>>(),
        },
        "components": origins.chain(files).collect::<Vec<_>>(),
    });
    // The same findings have the same number.
    bom["serialNumber"] = json!(serial_number(&Sha256::digest(bom.to_string().as_bytes())));
    bom
}

/// A digest as a name-based UUID (RFC 9562, version 8).
fn serial_number(digest: &[u8]) -> String {
    let mut bytes: Vec<u8> = digest[..16].to_vec();
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("urn:uuid:{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// The description of a component, for an origin as well as an ancestor.
fn described(component: &Component) -> Value {
    let mut described = json!({"type": "library", "name": component.name});
    if let Some(version) = &component.version {
        described["version"] = json!(version);
    }
    if let Some(purl) = &component.purl {
        described["purl"] = json!(purl);
    }
    if let Some(license) = component.license() {
        let acknowledgement = if component.terms.is_declared { "declared" } else { "concluded" };
        described["licenses"] = json!([{"expression": license, "acknowledgement": acknowledgement}]);
    }
    if !component.terms.notices.is_empty() {
        described["copyright"] = json!(component.terms.notices.join("\n"));
    }
    described
}

fn origin(number: usize, taken: &Taken, outcome: &Outcome) -> Value {
    let component = &taken.component;
    let is_it = |place: &Place| match place {
        Place::Component(other) => {
            (&other.corpus, &other.name, &other.terms.license)
                == (&component.corpus, &component.name, &component.terms.license)
        }
        _ => false,
    };
    let mut notices: BTreeSet<&String> = component.terms.notices.iter().collect();
    let (mut occurrences, mut confidence) = (Vec::new(), 0.0f64);
    for finding in &outcome.findings {
        let Some(origin) = finding.origins.iter().find(|origin| is_it(&origin.place)) else { continue };
        confidence = confidence.max(origin.similarity);
        if let Place::Component(other) = &origin.place {
            notices.extend(&other.terms.notices);
        }
        if occurrences.len() < MAX_OCCURRENCES {
            occurrences.push(json!({
                "location": finding.path.to_string(),
                "line": finding.fragment.start.line,
                "additionalContext": format!("lines {}, from {}", crate::report::words::lines(&finding.fragment), crate::report::words::place(origin)),
            }));
        }
    }
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
    if !occurrences.is_empty() {
        evidence["occurrences"] = json!(occurrences);
    }
    if let Some(license) = component.license() {
        evidence["licenses"] = json!([{"expression": license}]);
    }
    if !notices.is_empty() {
        evidence["copyright"] = json!(notices.into_iter().map(|text| json!({"text": text})).collect::<Vec<_>>());
    }
    described["evidence"] = evidence;
    let mut properties = vec![
        json!({"name": "secondhand:verdict", "value": taken.verdict.answer.name()}),
        json!({"name": "secondhand:reason", "value": taken.verdict.describe()}),
        json!({"name": "secondhand:license-class", "value": component.terms.class().name()}),
    ];
    properties
        .extend(component.terms.evidence.iter().map(|of| json!({"name": "secondhand:license-evidence", "value": of})));
    described["properties"] = json!(properties);
    if let Some(url) =
        component.url.as_ref().filter(|url| url.starts_with("http") && url.bytes().all(|byte| byte.is_ascii_graphic()))
    {
        described["externalReferences"] = json!([{"type": "website", "url": url}]);
    }
    described
}

/// The pedigree of a file: its ancestors, and the lines that were edited since as a patch.
fn pedigree(ancestors: &[Value], notes: &str, file: &CopiedFile, audited: &Audited) -> Value {
    let mut pedigree = json!({"ancestors": ancestors, "notes": notes});
    let patches = patches(audited, |edited| edited.path == file.path);
    if !patches.is_empty() {
        pedigree["patches"] = json!(patches);
    }
    pedigree
}

/// The edits of some files since they were copied, each as a patch.
fn patches(audited: &Audited, is_asked: impl Fn(&EditedFile) -> bool) -> Vec<Value> {
    let edited = audited.versions.iter().flat_map(|of| &of.edited).filter(|edited| is_asked(edited));
    let patch = |edited: &EditedFile| {
        let diff = edits(edited).join("\n") + "\n";
        json!({"type": "unofficial", "diff": {"text": {"contentType": "text/x-diff", "content": diff}}})
    };
    edited.map(patch).collect()
}

/// Whether an edited file is one that a component under this license explains.
fn is_of(audited: &Audited, taken: &Taken, edited: &EditedFile) -> bool {
    let file = audited.files.iter().find(|file| file.path == edited.path);
    let first = file.and_then(|file| file.origins.first());
    first.is_some_and(|of| std::ptr::eq(&audited.components[of.component], taken))
}

fn with_patches(mut described: Value, patches: &[Value]) -> Value {
    if !patches.is_empty() {
        described["pedigree"] = json!({"patches": patches});
    }
    described
}

fn file(number: usize, file: &CopiedFile, audited: &Audited) -> Value {
    let ancestors: Vec<Value> = file.origins.iter().map(|of| described(&audited.component_of(of))).collect();
    let parts = file.origins.iter().map(|of| {
        let name = audited.component_of(of).label();
        format!("{} % like {} of {name}", share(of.n_tokens, file.n_tokens), of.path)
    });
    let mut properties = vec![
        json!({"name": "secondhand:containment-percent", "value": share(file.n_copied, file.n_tokens).to_string()}),
    ];
    let names = file.origins.iter().map(|of| audited.components[of.component].component.name.as_str());
    for name in names.collect::<BTreeSet<_>>() {
        let told = brought_in(audited, &file.path, name).map(|told| format!("{name}: {told}"));
        properties.extend(told.map(|told| json!({"name": "secondhand:brought-in", "value": told})));
    }
    json!({
        "type": "file",
        "bom-ref": format!("file-{number}"),
        "name": file.path.to_string(),
        "hashes": [{"alg": "SHA-1", "content": file.sha1}],
        "pedigree": pedigree(&ancestors, &parts.collect::<Vec<_>>().join("; "), file, audited),
        "properties": properties,
    })
}
