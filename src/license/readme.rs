//! Reads what a README says of the license of its folder: under a heading of its own, or in a field
//! (`License: MIT`).

use std::ops::Range;

use super::passages::KnownTexts;
use super::statement::{Method, Scope, Statement};
use crate::text::FilePath;

/// Words of the heading of a section on the license, which has no others.
const OF_HEADING: &[&str] = &[
    "and", "copyright", "information", "legal", "licence", "licences", "license", "licenses",
    "licensing", "notice", "of", "terms", "use",
];

/// Whether a file with this name is a README.
pub(super) fn is_relevant(path: &FilePath) -> bool {
    let stem = path.name().split(|&byte| byte == b'.').next();
    stem.is_some_and(|stem| stem.eq_ignore_ascii_case(b"readme"))
}

/// What a README says of its folder's license, if that is known: one that sends the reader to
/// another file says nothing.
pub(super) fn statement(bytes: &[u8], memory: &KnownTexts) -> Option<Statement> {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().collect();
    let (first, said) = match section(&lines) {
        Some(section) => (section.start, lines[section].join("\n")),
        None => field(&lines)?,
    };
    let identity = memory.license(said.as_bytes()).filter(|of| of.expression.is_some())?;
    Some(Statement {
        method: Method::Readme,
        scope: Scope::Folder,
        line: first as u32 + identity.line,
        expression: identity.expression,
        written: identity.written,
    })
}

/// The lines of the first section on the license.
fn section(lines: &[&str]) -> Option<Range<usize>> {
    let heading = (0..lines.len()).find(|&at| title(lines, at).is_some_and(is_license_title))?;
    let start = heading + 1 + usize::from(is_underlined(lines, heading));
    let end = (start..lines.len()).find(|&at| title(lines, at).is_some());
    Some(start.min(lines.len())..end.unwrap_or(lines.len()))
}

/// The only field with a license, and its line.
fn field(lines: &[&str]) -> Option<(usize, String)> {
    let mut fields = lines.iter().enumerate().filter_map(|(at, line)| {
        let (name, value) = line.split_once(':')?;
        let name = name.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        matches!(&*name, "licence" | "license").then(|| (at, value.to_owned()))
    });
    fields.next().filter(|_| fields.next().is_none())
}

/// The title of a heading in this line: marked as in Markdown or AsciiDoc, or underlined.
fn title<'t>(lines: &[&'t str], at: usize) -> Option<&'t str> {
    let line = lines[at].trim();
    let marked = line.trim_start_matches(['#', '=']);
    if marked.len() < line.len() && marked.starts_with(' ') {
        return Some(marked.trim_matches(['#', '=', ' ']));
    }
    (!line.is_empty() && is_underlined(lines, at)).then_some(line)
}

fn is_underlined(lines: &[&str], at: usize) -> bool {
    let under = lines.get(at + 1).map_or("", |line| line.trim_end());
    ['=', '-', '~', '^'].iter().any(|mark| under.len() > 2 && under.chars().all(|c| c == *mark))
}

fn is_license_title(title: &str) -> bool {
    let lower = title.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    lower.contains("licen") && words.all(|word| OF_HEADING.contains(&word))
}
