//! How much of a tree is duplicated.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::audit;

/// Of the source of a tree, without tests, examples and documents: lines that would go if each
/// class that is worth a warning in a change were written once.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Duplication {
    total: Share,
    /// The classes that count.
    classes: usize,
    by_language: BTreeMap<String, Share>,
    /// By the folder right below the root; `.` for files at the root.
    by_folder: BTreeMap<String, Share>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Share {
    files: usize,
    lines: usize,
    duplicated_lines: usize,
    /// The duplicated part of the lines, 0 to 100.
    percent_of_lines: f64,
}

pub(super) fn duplication(of: &audit::Duplication) -> Duplication {
    Duplication {
        total: share(&of.total),
        classes: of.n_classes,
        by_language: of.by_language.iter().map(|(name, of)| (name.clone(), share(of))).collect(),
        by_folder: of.by_folder.iter().map(|(path, of)| (path.to_string(), share(of))).collect(),
    }
}

fn share(of: &audit::Share) -> Share {
    Share {
        files: of.n_files,
        lines: of.n_lines,
        duplicated_lines: of.duplicated_lines,
        percent_of_lines: (of.percent() * 100.0).round() / 100.0,
    }
}
