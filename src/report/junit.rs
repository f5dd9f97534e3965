//! Writes JUnit's XML, which every CI system shows: a failed test case for each finding.
//!
//! A note fails nothing, so its case passes and describes the finding; a suppressed finding is a
//! skipped case, with the reason. If there are no findings, there is one passed case, since some
//! systems treat an empty suite as broken.

use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::Style;
use super::sides::{lines, more_lines};
use super::words::{copy_text, end, here, likeness, noted, place, remarks, text_of};
use crate::audit::Outcome;
use crate::policy::{Finding, Fragment, Level, SuppressedBy};
use crate::text::LinedText;

/// Maximum lines of code to show of each side.
const MAX_LINES: usize = 40;

pub(super) fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let n_skipped = outcome.suppressed.len().to_string();
    let n_cases = (outcome.all_findings().count().max(1) + outcome.suppressed.len()).to_string();
    let n_failures =
        outcome.all_findings().filter(|finding| finding.level > Level::Note).count().to_string();
    let counts = [
        ("tests", &*n_cases),
        ("failures", &*n_failures),
        ("errors", "0"),
        ("skipped", &*n_skipped),
    ];
    write_xml(out, |xml| {
        let suites = xml.create_element("testsuites").with_attribute(("name", "secondhand"));
        suites.with_attributes(counts).write_inner_content(|xml| {
            let name = legal(&end(&outcome.head));
            let suite = xml.create_element("testsuite").with_attribute(("name", &*name));
            suite.with_attributes(counts).write_inner_content(|xml| cases(outcome, xml))?;
            Ok(())
        })?;
        Ok(())
    })
}

/// Writes a document with what `content` writes.
pub(super) fn write_xml(
    out: &mut dyn Write,
    content: impl FnOnce(&mut Writer<Vec<u8>>) -> io::Result<()>,
) -> io::Result<()> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    content(&mut xml)?;
    out.write_all(&xml.into_inner())?;
    writeln!(out)
}

/// The content of a suite.
fn cases(outcome: &Outcome, xml: &mut Writer<Vec<u8>>) -> io::Result<()> {
    for finding in outcome.all_findings() {
        case(finding, outcome, None, xml)?;
    }
    for suppressed in &outcome.suppressed {
        case(&suppressed.finding, outcome, Some(&suppressed.by), xml)?;
    }
    if outcome.findings.is_empty() {
        let case = xml.create_element("testcase").with_attribute(("classname", "secondhand"));
        case.with_attribute(("name", "no new copies")).write_empty()?;
    }
    let remarks = remarks(outcome);
    if !remarks.is_empty() {
        let remarks = legal(&(remarks.join("\n") + "\n"));
        xml.create_element("system-out").write_text_content(BytesText::new(&remarks))?;
    }
    Ok(())
}

fn case(
    finding: &Finding,
    outcome: &Outcome,
    suppressed: Option<&SuppressedBy>,
    xml: &mut Writer<Vec<u8>>,
) -> io::Result<()> {
    let path = legal(&finding.path.to_string());
    let title = legal(&finding.message());
    let line = finding.added.start.line.to_string();
    let name = format!("{} at line {line}: {title}", finding.rule.id);
    let case = xml.create_element("testcase").with_attributes([
        ("classname", &*path),
        ("name", &*name),
        ("file", &*path),
        ("line", &*line),
    ]);
    let body = legal(&body(finding, outcome));
    case.write_inner_content(|xml| {
        let text = BytesText::new(&body);
        if let Some(by) = suppressed {
            let why = legal(&format!("suppressed {}", by.words));
            let skipped = xml.create_element("skipped").with_attribute(("message", &*why));
            skipped.write_text_content(text)?;
        } else if finding.level > Level::Note {
            let attributes = [("type", finding.rule.id), ("message", &*title)];
            let failure = xml.create_element("failure").with_attributes(attributes);
            failure.write_text_content(text)?;
        } else {
            xml.create_element("system-out").write_text_content(text)?;
        }
        Ok(())
    })?;
    Ok(())
}

/// Both sides, and all other places.
fn body(finding: &Finding, outcome: &Outcome) -> String {
    if let Some(behind) = finding.behind() {
        let lines = super::missed::commit_lines(behind, usize::MAX);
        return lines.iter().map(|line| format!("{line}\n")).collect();
    }
    if !finding.has_code() {
        let word = super::words::unexamined_word(finding);
        let files = finding.unexamined_files().iter();
        return files.map(|file| format!("{word}: {}\n", file.describe())).collect();
    }
    let mut text = format!("{}\n\n", finding.message());
    code(&here(finding), copy_text(outcome, finding), &finding.fragment, &mut text);
    for (at, origin) in finding.origins.iter().enumerate() {
        let title = format!("{} ({}{})", place(origin), likeness(origin), noted(origin));
        match text_of(outcome, origin) {
            Some(source) if at == 0 => code(&title, source, &origin.fragment, &mut text),
            _ => text.push_str(&format!("{title}\n")),
        }
    }
    text
}

fn code(title: &str, source: &LinedText, fragment: &Fragment, text: &mut String) {
    text.push_str(&format!("{title}\n"));
    let lines = lines(source, fragment);
    for line in lines.iter().take(MAX_LINES) {
        text.push_str(&format!("{:>6} | {}\n", line.number, line.text));
    }
    if let Some(more) = more_lines(fragment, MAX_LINES) {
        text.push_str(&format!("       | {more}\n"));
    }
    text.push('\n');
}

/// `text` without the characters that XML 1.0 does not allow, escaped or not.
pub(super) fn legal(text: &str) -> String {
    let is_legal = |c| matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{FFFD}' | '\u{10000}'..);
    text.chars().map(|c| if is_legal(c) { c } else { '\u{FFFD}' }).collect()
}
