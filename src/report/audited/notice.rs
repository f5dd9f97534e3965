//! Writes a NOTICE file: whose code the tree contains, under which licenses, with the copyright notices.
//!
//! It repeats what the corpora contain. It is a draft for a person to complete: license texts have to be added
//! where they ask for it.

use std::collections::BTreeSet;
use std::io::{self, Write};

use crate::audit::{Audited, FolderVersion, Outcome};
use crate::policy::{Component, Place};
use crate::report::missed::evidence;
use crate::report::{Format, Style};
use crate::text::printable;

pub(in crate::report) const FORMAT: Format =
    Format { name: "notice", help: "a NOTICE file: whose code it is, and the attribution that is owed", write };

fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(audited) = &outcome.audited else { return Ok(()) };
    writeln!(out, "This project contains third-party code, as listed below. Each part remains under its license.")?;
    let mut taken: Vec<&Component> = audited.components.iter().map(|taken| &*taken.component).collect();
    taken.sort_by(|a, b| (&a.name, &a.terms.license).cmp(&(&b.name, &b.terms.license)));
    for component in taken {
        writeln!(out, "\n{}\n", "-".repeat(72))?;
        writeln!(out, "{}", printable(component.label().as_bytes()))?;
        for place in [&component.url, &component.purl].into_iter().flatten() {
            writeln!(out, "{}", printable(place.as_bytes()))?;
        }
        for of in versions(audited, component) {
            let folder = of.folder.to_string();
            let folder = if folder.is_empty() { "." } else { folder.trim_end_matches('/') };
            let version = of.version().unwrap_or_else(|| "version not known".to_owned());
            writeln!(out, "{}", printable(format!("Modified: {folder}: {version}, {}", evidence(of)).as_bytes()))?;
        }
        writeln!(out, "License: {}", component.license().unwrap_or_else(|| "not known".to_owned()))?;
        for notice in notices(outcome, component) {
            writeln!(out, "{}", printable(notice.as_bytes()))?;
        }
        writeln!(out, "In: {}", files(audited, component).join(", "))?;
    }
    Ok(())
}

/// The folders that are copies of a component and were edited since, which several licenses ask to be told.
fn versions<'a>(audited: &'a Audited, component: &Component) -> impl Iterator<Item = &'a FolderVersion> {
    let name = component.name.clone();
    audited.versions.iter().filter(move |of| of.component.name == name && !of.edited.is_empty())
}

/// The notices of all files of a component that were copied, under the same license.
fn notices(outcome: &Outcome, component: &Component) -> BTreeSet<String> {
    let origins = outcome.findings.iter().flat_map(|finding| &finding.origins);
    let same = origins.filter_map(|origin| match &origin.place {
        Place::Component(other) if other.name == component.name && other.terms.license == component.terms.license => {
            Some(other)
        }
        _ => None,
    });
    same.flat_map(|other| other.terms.notices.iter().cloned()).chain(component.terms.notices.iter().cloned()).collect()
}

/// The files that contain a component's code.
fn files(audited: &Audited, component: &Component) -> Vec<String> {
    let is_it = |number: usize| {
        let other = &audited.components[number].component;
        other.name == component.name && other.terms.license == component.terms.license
    };
    let holding = audited.files.iter().filter(|file| file.origins.iter().any(|of| is_it(of.component)));
    holding.map(|file| file.path.to_string()).collect()
}
