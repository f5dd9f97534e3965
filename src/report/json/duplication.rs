//! How much of a tree is duplicated.

use std::collections::BTreeMap;

use crate::audit;
use crate::report::plain_json::{json_types, rounded};

json_types! {

/// Of the source of a tree, without tests, examples and documents: lines that would go if each
/// class that is worth a warning in a change were written once.
pub(super) struct Duplication from (of: &audit::Duplication) {
    total: Share = Share::from(&of.total),
    /// The classes that count.
    classes: usize = of.n_classes,
    by_language: BTreeMap<String, Share> =
        of.by_language.iter().map(|(name, of)| (name.clone(), of.into())).collect(),
    /// By the folder right below the root; `.` for files at the root.
    by_folder: BTreeMap<String, Share> =
        of.by_folder.iter().map(|(path, of)| (path.to_string(), of.into())).collect(),
}

struct Share from (of: &audit::Share) {
    files: usize = of.n_files,
    lines: usize = of.n_lines,
    duplicated_lines: usize = of.duplicated_lines,
    /// The duplicated part of the lines, 0 to 100.
    percent_of_lines: f64 = rounded(of.percent(), 2),
}

}
