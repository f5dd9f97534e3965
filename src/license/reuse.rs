//! Reads licenses stated for other files: REUSE.toml, its predecessor `.reuse/dep5`, and
//! machine-readable `debian/copyright` files, whose form (DEP-5) that has.

use serde::Deserialize;

use super::{Expression, Method, Scope, Statement};
use crate::language::OneOrMany;
use crate::text::FilePath;

#[derive(Deserialize)]
struct ReuseToml {
    #[serde(default)]
    annotations: Vec<Annotation>,
}

#[derive(Deserialize)]
struct Annotation {
    path: OneOrMany,
    #[serde(default)]
    precedence: String,
    #[serde(rename = "SPDX-License-Identifier")]
    license: Option<OneOrMany>,
}

/// Whether a file has REUSE information about other files.
pub(super) fn is_relevant(path: &FilePath) -> bool {
    path.name() == b"REUSE.toml"
        || path.as_bytes() == b".reuse/dep5"
        || path.as_bytes().ends_with(b"/.reuse/dep5")
}

pub(super) fn statements(bytes: &[u8]) -> Vec<Statement> {
    let text = String::from_utf8_lossy(bytes);
    match toml::from_str::<ReuseToml>(&text) {
        Ok(table) => table.annotations.into_iter().filter_map(|of| statement(of, &text)).collect(),
        Err(_) if text.contains("[[annotations") => vec![Statement {
            method: Method::Reuse,
            scope: of_paths(vec!["**".to_owned()]),
            line: 1,
            expression: None,
            written: "a REUSE.toml with faults".to_owned(),
        }],
        Err(_) => paragraphs(&text, Method::Reuse, 1),
    }
}

fn of_paths(globs: Vec<String>) -> Scope {
    Scope::Paths { globs, n_up: 0, is_literal_separator: true }
}

fn statement(annotation: Annotation, text: &str) -> Option<Statement> {
    let licenses = annotation.license?;
    let globs: Vec<String> = annotation.path.iter().map(str::to_owned).collect();
    let first = globs.first()?;
    let line =
        text.lines().position(|line| line.contains(first.as_str())).map_or(1, |at| at as u32 + 1);
    Some(Statement {
        method: match annotation.precedence.as_str() {
            "override" => Method::ReuseOverride,
            "aggregate" => Method::ReuseAggregate,
            _ => Method::Reuse,
        },
        scope: of_paths(globs),
        line,
        expression: Expression::all_known(licenses.iter().map(Expression::parse)),
        written: Vec::from_iter(licenses.iter()).join(", "),
    })
}

/// Whether a file is Debian's `copyright`.
pub(super) fn is_debian(path: &FilePath) -> bool {
    path.as_bytes() == b"debian/copyright" || path.as_bytes().ends_with(b"/debian/copyright")
}

/// The statements of a file in the form of Debian's `copyright` that is `n_up` folders below what
/// it is about; none if it is not machine-readable.
pub(super) fn of_debian(bytes: &[u8], n_up: u8) -> Vec<Statement> {
    let text = String::from_utf8_lossy(bytes);
    let is_dep5 = text.lines().filter_map(|line| line.split_once(':')).any(|(field, _)| {
        ["format", "format-specification"].iter().any(|of| field.eq_ignore_ascii_case(of))
    });
    if is_dep5 { paragraphs(&text, Method::Debian, n_up) } else { Vec::new() }
}

fn paragraphs(text: &str, method: Method, n_up: u8) -> Vec<Statement> {
    let mut found = Vec::new();
    let mut paragraph = Paragraph::default();
    for (line, number) in text.lines().chain([""]).zip(1u32..) {
        if line.trim().is_empty() {
            found.extend(std::mem::take(&mut paragraph).statement(method, n_up));
        } else if line.starts_with([' ', '\t']) {
            if paragraph.field == "files" {
                paragraph.globs.extend(line.split_whitespace().map(String::from));
            }
        } else if let Some((field, value)) = line.split_once(':') {
            paragraph.field = field.trim().to_lowercase();
            match paragraph.field.as_str() {
                "files" => paragraph.globs.extend(value.split_whitespace().map(String::from)),
                "copyright" => paragraph.has_notice = true,
                "license" => {
                    (paragraph.license, paragraph.line) = (value.trim().to_owned(), number);
                }
                _ => {}
            }
        }
    }
    found
}

#[derive(Default)]
struct Paragraph {
    field: String,
    globs: Vec<String>,
    has_notice: bool,
    license: String,
    line: u32,
}

impl Paragraph {
    fn statement(mut self, method: Method, n_up: u8) -> Option<Statement> {
        // What is about the whole names no files; what only spells out a license has no notice.
        if self.globs.is_empty() && self.has_notice {
            self.globs.push("*".to_owned());
        }
        let is_of_folder = n_up == 0 && self.globs == ["*"];
        (!self.globs.is_empty() && !self.license.is_empty()).then(|| Statement {
            method,
            scope: match is_of_folder {
                true => Scope::Folder,
                false => Scope::Paths { globs: self.globs, n_up, is_literal_separator: false },
            },
            line: self.line,
            expression: Expression::parse(&self.license),
            written: self.license,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_paragraphs_are_read_with_debians_names() {
        let text = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\nFiles: *\nCopyright: 2020 Example\nLicense: GPL-2+\n long text\n\nFiles: lib/a.c\n lib/b.c\nLicense: Expat or BSD-3-clause, and Artistic-2.0\n";
        let found = of_debian(text.as_bytes(), 1);
        let found: Vec<_> = found.into_iter().map(|of| (of.line, of.expression)).collect();
        let other = Expression::parse_spdx("(MIT OR BSD-3-Clause) AND Artistic-2.0");
        assert_eq!(found, [(5, Expression::parse_spdx("GPL-2.0-or-later")), (10, other)]);
    }

    #[test]
    fn annotations_are_read_with_their_precedence() {
        let toml = "version = 1\n[[annotations]]\npath = [\"src/**\", \"a.c\"]\nprecedence = \"override\"\nSPDX-License-Identifier = \"MIT\"\n";
        let found = statements(toml.as_bytes());
        assert_eq!(found[0].method, Method::ReuseOverride);
        assert_eq!(found[0].line, 3);
        let globs = vec!["src/**".into(), "a.c".into()];
        assert_eq!(found[0].scope, Scope::Paths { globs, n_up: 0, is_literal_separator: true });
    }
}
