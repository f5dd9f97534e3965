//! How much of a tree is duplicated.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::audit;

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Duplication {
    total: Share,
    /// What is neither test code nor an example nor a document.
    source: Share,
    by_language: BTreeMap<String, Share>,
    /// By the folder right below the root; `.` for files at the root.
    by_folder: BTreeMap<String, Share>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Share {
    files: usize,
    lines: usize,
    tokens: usize,
    duplicated_lines: usize,
    duplicated_tokens: usize,
    /// The duplicated part of the lines, 0 to 100.
    percent_of_lines: f64,
    /// The duplicated part of the tokens, 0 to 100.
    percent_of_tokens: f64,
}

pub(super) fn duplication(of: &audit::Duplication) -> Duplication {
    Duplication {
        total: share(&of.total),
        source: share(&of.source),
        by_language: of.by_language.iter().map(|(name, of)| (name.clone(), share(of))).collect(),
        by_folder: of.by_folder.iter().map(|(path, of)| (path.to_string(), share(of))).collect(),
    }
}

fn share(of: &audit::Share) -> Share {
    let rounded = |percent: f64| (percent * 100.0).round() / 100.0;
    Share {
        files: of.n_files,
        lines: of.n_lines,
        tokens: of.n_tokens,
        duplicated_lines: of.duplicated_lines,
        duplicated_tokens: of.duplicated_tokens,
        percent_of_lines: rounded(of.percent_of_lines()),
        percent_of_tokens: rounded(of.percent_of_tokens()),
    }
}
