//! Reads REUSE.toml and its predecessor `.reuse/dep5`: licenses stated for other files.

use serde::Deserialize;

use super::debian;
use super::expression::Expression;
use super::statement::{Method, Scope, Statement};
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
        Err(_) => debian::paragraphs(&text, Method::Reuse, 1),
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

#[cfg(test)]
mod tests {
    use super::*;

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
