//! Writes SPDX 3.0.1 in JSON-LD: the same as [`super::spdx_document`], as elements of a graph.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde_json::{Value, json};

use super::snippets::{Snippet, copyright, download, snippets, unlisted};
use super::{comment, digest, folders_of, from, timestamp, version_of, with_known};
use crate::audit::{AuditSummary, CopiedFile, Outcome};
use crate::license::Expression;
use crate::policy::Component;
use crate::report::plain_json::write_json;
use crate::report::{Style, VERSION};

const CONTEXT: &str = "https://spdx.org/rdf/3.0.1/spdx-context.jsonld";
const CREATION: &str = "_:creation";

pub fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(audited) = &outcome.audited else { return Ok(()) };
    let unnamed = Graph::of(outcome, audited, String::new()).elements;
    let namespace = format!("https://spdx.org/spdxdocs/secondhand-{}#", digest(&json!(unnamed)));
    let graph = Graph::of(outcome, audited, namespace).elements;
    write_json(&json!({"@context": CONTEXT, "@graph": graph}), out)
}

#[derive(Default)]
struct Graph {
    /// What their names begin with.
    namespace: String,
    elements: Vec<Value>,
    /// What is known of licenses that SPDX does not list.
    unlisted: BTreeMap<String, String>,
    /// The license expressions that have an element.
    expressions: BTreeSet<String>,
}

impl Graph {
    fn of(outcome: &Outcome, audited: &AuditSummary, namespace: String) -> Self {
        let snippets = snippets(outcome, audited);
        let unlisted = unlisted(audited, &snippets);
        let mut graph = Self { namespace, unlisted, ..Self::default() };
        let tool =
            graph.add("SoftwareAgent", "Tool", json!({"name": format!("secondhand {VERSION}")}));
        let version = version_of(outcome, audited);
        let project = json!({"name": audited.project, "software_packageVersion": version});
        let project = graph.add("software_Package", "Project", project);
        for (id, told) in graph.unlisted.clone() {
            let text = json!({"name": id, "simplelicensing_licenseText": told});
            graph.add("simplelicensing_SimpleLicensingText", &id, text);
        }
        for (number, taken) in audited.components.iter().enumerate() {
            graph.package(number, &taken.component, audited);
        }
        for (number, file) in audited.files.iter().enumerate() {
            graph.file(number, file, audited);
        }
        let files = (0..audited.files.len()).map(|number| format!("File-{number}"));
        let origins = (0..audited.components.len()).map(|number| format!("Origin-{number}"));
        graph.relate("contains", "Project", &origins.chain(files).collect::<Vec<_>>());
        for (number, snippet) in snippets.iter().enumerate() {
            graph.snippet(number, snippet);
        }
        let ids = graph.elements.iter().map(|of| of["spdxId"].as_str().unwrap_or_default());
        let mut elements: Vec<String> = ids.map(ToOwned::to_owned).collect();
        let bom =
            json!({"rootElement": [project], "element": elements, "software_sbomType": ["source"]});
        let bom = graph.add("software_Sbom", "Sbom", bom);
        elements.push(bom.clone());
        let document = json!({
            "name": format!("copies in {}", audited.project),
            "comment": comment(outcome, audited),
            "rootElement": [bom],
            "element": elements,
            "profileConformance": ["core", "software", "simpleLicensing"],
        });
        graph.add("SpdxDocument", "Document", document);
        graph.elements.push(json!({
            "type": "CreationInfo",
            "@id": CREATION,
            "specVersion": "3.0.1",
            "created": timestamp(audited.time),
            "createdBy": [tool],
        }));
        graph
    }

    fn name(&self, id: &str) -> String {
        format!("{}{id}", self.namespace)
    }

    /// Adds an element with these properties, and returns its name.
    fn add(&mut self, kind: &str, id: &str, properties: Value) -> String {
        let mut element = properties;
        let name = self.name(id);
        (element["type"], element["spdxId"], element["creationInfo"]) =
            (json!(kind), json!(name), json!(CREATION));
        self.elements.push(element);
        name
    }

    fn relate(&mut self, what: &str, from: &str, to: &[String]) {
        if to.is_empty() {
            return;
        }
        let to: Vec<String> = to.iter().map(|id| self.name(id)).collect();
        let relationship = json!({"from": self.name(from), "relationshipType": what, "to": to});
        self.add("Relationship", &format!("Relationship-{}", self.elements.len()), relationship);
    }

    fn license(&mut self, what: &str, id: &str, license: Option<&Expression>) {
        let Some(license) = license else { return };
        let expression = license.to_string();
        let of_license = format!("License-{}", digest(&json!(expression)));
        if self.expressions.insert(expression.clone()) {
            let own = license.licenses().filter(|of| self.unlisted.contains_key(&of.id));
            let own: BTreeSet<&String> = own.map(|of| &of.id).collect();
            let mut properties = json!({"simplelicensing_licenseExpression": expression});
            if !own.is_empty() {
                let entry = |id: &String| json!({"type": "DictionaryEntry", "key": id, "value": self.name(id)});
                properties["simplelicensing_customIdToUri"] = own.into_iter().map(entry).collect();
            }
            self.add("simplelicensing_LicenseExpression", &of_license, properties);
        }
        self.relate(what, id, &[of_license]);
    }

    fn package(&mut self, number: usize, component: &Component, audited: &AuditSummary) {
        let id = format!("Origin-{number}");
        let folders = folders_of(audited, component);
        let properties = with_known(
            json!({"name": component.name}),
            [
                ("software_packageVersion", component.single_version().map(Value::from)),
                ("software_packageUrl", component.purl.clone().map(Value::from)),
                ("software_downloadLocation", download(component).map(Value::from)),
                ("software_copyrightText", copyright(component).map(Value::from)),
                ("comment", (!folders.is_empty()).then(|| json!(folders.join("\n")))),
            ],
        );
        self.add("software_Package", &id, properties);
        // What the user declared is not what the owner did.
        let is_ours = component.terms.is_declared;
        let what = if is_ours { "hasConcludedLicense" } else { "hasDeclaredLicense" };
        self.license(what, &id, component.terms.license.as_ref());
    }

    fn file(&mut self, number: usize, file: &CopiedFile, audited: &AuditSummary) {
        let hash = json!([{"type": "Hash", "algorithm": "sha1", "hashValue": file.sha1}]);
        let properties = json!({"name": format!("./{}", file.path), "comment": from(audited, file), "verifiedUsing": hash});
        self.add("software_File", &format!("File-{number}"), properties);
    }

    fn snippet(&mut self, number: usize, snippet: &Snippet<'_>) {
        let Snippet { file, package, component, name, bytes, fragment, comment, .. } = snippet;
        let id = format!("Snippet-{number}");
        let lines = (fragment.start.line as usize, fragment.end.line as usize);
        let [bytes, lines] = [*bytes, lines].map(|(first, last)| {
            json!({"type": "PositiveIntegerRange", "beginIntegerRange": first, "endIntegerRange": last})
        });
        let properties = json!({
            "name": name,
            "comment": comment,
            "software_snippetFromFile": self.name(&format!("File-{file}")),
            "software_byteRange": bytes,
            "software_lineRange": lines,
        });
        let properties = with_known(
            properties,
            [("software_copyrightText", copyright(component).map(Value::from))],
        );
        self.add("software_Snippet", &id, properties);
        self.license("hasConcludedLicense", &id, component.terms.license.as_ref());
        if let Some(package) = package {
            self.relate("hasVariant", &format!("Origin-{package}"), &[id]);
        }
    }
}
