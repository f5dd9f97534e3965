//! Reads machine-readable `debian/copyright` files (DEP-5).

use super::expression::Expression;
use super::statement::{Method, Scope, Statement};
use crate::text::FilePath;

/// Whether a file is a Debian copyright file.
pub(super) fn is_relevant(path: &FilePath) -> bool {
    path.as_bytes() == b"debian/copyright" || path.as_bytes().ends_with(b"/debian/copyright")
}

/// Its statements; none if it is not machine-readable.
pub(super) fn statements(bytes: &[u8]) -> Vec<Statement> {
    let text = String::from_utf8_lossy(bytes);
    let is_dep5 = text.lines().take(20).any(|line| line.to_lowercase().starts_with("format:"));
    if is_dep5 { paragraphs(&text, Method::Debian, 1) } else { Vec::new() }
}

/// The `Files:` paragraphs; their patterns start `n_up` folders up.
pub(super) fn paragraphs(text: &str, method: Method, n_up: u8) -> Vec<Statement> {
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
    license: String,
    line: u32,
}

impl Paragraph {
    fn statement(self, method: Method, n_up: u8) -> Option<Statement> {
        (!self.globs.is_empty() && !self.license.is_empty()).then(|| Statement {
            method,
            scope: Scope::Paths { globs: self.globs, n_up, is_literal_separator: false },
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
        let found = statements(text.as_bytes());
        let found: Vec<_> = found.into_iter().map(|of| (of.line, of.expression)).collect();
        let other = Expression::parse_spdx("(MIT OR BSD-3-Clause) AND Artistic-2.0");
        assert_eq!(found, [(5, Expression::parse_spdx("GPL-2.0-or-later")), (10, other)]);
    }
}
