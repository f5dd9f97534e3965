//! Writes a NOTICE file: whose code the tree contains, under which licenses, with the copyright
//! notices.
//!
//! It repeats what the corpora contain, license texts included: each once, after the components. It
//! is a draft for a person to complete, and says first which code the project may not be allowed to
//! pass on.

use std::io::{self, Write};

use super::{is_of, notices, state};
use crate::audit::{AuditSummary, ComponentCopy, Explanation, Outcome, State};
use crate::policy::Answer;
use crate::report::Style;
use crate::report::missed::evidence;
use crate::text::printable;

pub fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(audited) = &outcome.audited else { return Ok(()) };
    writeln!(
        out,
        "This project contains third-party code, as listed below. Each part remains under its license."
    )?;
    let mut taken: Vec<&ComponentCopy> = audited.components.iter().collect();
    taken.sort_by_key(|of| (of.component.name.clone(), of.component.terms.license.clone()));
    let unclear: Vec<&&ComponentCopy> =
        taken.iter().filter(|of| of.verdict.answer != Answer::Allowed).collect();
    if !unclear.is_empty() {
        writeln!(
            out,
            "\nWARNING: a notice does not permit what a license does not. Before you redistribute this"
        )?;
        writeln!(out, "project, resolve the following, and remove this paragraph:\n")?;
        for of in unclear {
            let why = format!("  {}: {}", of.component.label(), answer(of));
            writeln!(out, "{}", printable(why))?;
        }
    }
    let mut texts: Vec<&str> = Vec::new();
    for row in taken {
        let ComponentCopy { component, texts: of_component, .. } = row;
        writeln!(out, "\n{}\n", "-".repeat(72))?;
        writeln!(out, "{}", printable(component.label()))?;
        for place in [&component.url, &component.purl].into_iter().flatten() {
            writeln!(out, "{}", printable(place))?;
        }
        for of in audited.versions_of(component) {
            // Several licenses require a notice of changes.
            if !of.edited.iter().any(|edited| is_of(audited, row, edited)) {
                continue;
            }
            let folder = if let [file] = &of.files[..] { file } else { &of.folder }.to_string();
            let folder = if folder.is_empty() { "." } else { folder.trim_end_matches('/') };
            let nearest = if of.is_exact() { "" } else { "nearest " };
            let version = of.nearest().map(|name| format!("{nearest}{name}"));
            let version = version.unwrap_or_else(|| "version not known".to_owned());
            let modified = format!("Modified: {folder}: {version}, {}", evidence(of));
            writeln!(out, "{}", printable(modified))?;
        }
        let license = component.license().unwrap_or_else(|| "not known".to_owned());
        writeln!(out, "License: {license}")?;
        for text in of_component {
            let number = texts.iter().position(|other| other == text).unwrap_or(texts.len());
            if number == texts.len() {
                texts.push(text);
            }
            writeln!(out, "License text: {} below", number + 1)?;
        }
        for notice in notices(outcome, component) {
            writeln!(out, "{}", printable(notice))?;
        }
        writeln!(out, "In: {}", files(audited, row).join(", "))?;
    }
    for (text, number) in texts.into_iter().zip(1..) {
        writeln!(out, "\n{}\nLicense text {number}\n", "=".repeat(72))?;
        for line in text.lines() {
            writeln!(out, "{}", printable(line.trim_end().replace('\t', "        ")))?;
        }
    }
    Ok(())
}

/// Why a component may not be distributed.
fn answer(of: &ComponentCopy) -> String {
    match of.verdict.answer {
        Answer::Unknown => "unknown license: without one, nobody may pass it on".to_owned(),
        Answer::Denied => {
            format!("may not be redistributed with this project: {}", of.verdict.reason)
        }
        Answer::Review | Answer::Allowed => format!("to review: {}", of.verdict.reason),
    }
}

/// The files with code of a component, in this version and under this license.
fn files(audited: &AuditSummary, row: &ComponentCopy) -> Vec<String> {
    let is_of = |of: &Explanation| std::ptr::eq(&audited.components[of.component], row);
    let files = audited.files.iter().filter(|file| file.origins.iter().any(is_of));
    let files = files.map(|file| match (audited.state_of(file), state(audited, file)) {
        (State::Identical, _) => file.path.to_string(),
        (_, state) => format!("{} ({})", file.path, state.as_deref().unwrap_or("a part of it")),
    });
    files.collect()
}
