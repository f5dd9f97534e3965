//! Writes a row for each pair of submissions, for spreadsheets.

use std::io::{self, Write};

use super::names;
use crate::audit::Comparison;
use crate::report::Style;
use crate::report::csv::write_table;
use crate::text::FilePath;

const COLUMNS: [&str; 10] = [
    "first", "second", "rank", "first_in_second", "second_in_first", "resemblance",
    "shared_fingerprints", "matches", "first_matched_tokens", "second_matched_tokens",
];

pub(super) fn write(comparison: &Comparison, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let rows = comparison.pairs.iter().map(|pair| {
        let [first, second] = names(pair, comparison);
        let parts = [pair.likeness, pair.a_in_b, pair.b_in_a, pair.resemblance];
        // Without a passage that shows them there are none.
        let [rank, in_second, in_first, resemblance] = parts.map(|part| match pair.matches[..] {
            [] => String::new(),
            _ => format!("{part:.4}"),
        });
        let (n_shared, n_matches) = (pair.n_shared.to_string(), pair.matches.len().to_string());
        let (of_first, of_second) = (pair.n_matched.0.to_string(), pair.n_matched.1.to_string());
        [
            first, second, rank, in_second, in_first, resemblance, n_shared, n_matches, of_first,
            of_second,
        ]
    });
    write_table(COLUMNS, rows, out)
}

/// A table of names and their pseudonyms.
pub fn pseudonym_key(names: &[(FilePath, FilePath)]) -> Vec<u8> {
    let mut key = Vec::new();
    let rows = names.iter().map(|(name, pseudonym)| [name.to_string(), pseudonym.to_string()]);
    write_table(["name", "pseudonym"], rows, &mut key).expect("memory takes every row");
    key
}
