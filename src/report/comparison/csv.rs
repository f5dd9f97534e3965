//! Writes a row for each pair of submissions, for spreadsheets.

use std::io::{self, Write};

use super::names;
use crate::audit::{Comparison, Pair};
use crate::report::Style;
use crate::report::csv::write_table;
use crate::text::FilePath;

const COLUMNS: [&str; 10] = [
    "first", "second", "rank", "first_in_second", "second_in_first", "resemblance",
    "shared_fingerprints", "matches", "first_matched_tokens", "second_matched_tokens",
];

pub(super) fn write(comparison: &Comparison, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let row = |pair: &Pair| {
        let [first, second] = names(pair, comparison);
        // Without a passage that shows them there are none.
        let part =
            |part: f64| if pair.matches.is_empty() { String::new() } else { format!("{part:.4}") };
        [
            first,
            second,
            part(pair.likeness),
            part(pair.a_in_b),
            part(pair.b_in_a),
            part(pair.resemblance),
            pair.n_shared.to_string(),
            pair.matches.len().to_string(),
            pair.n_matched.0.to_string(),
            pair.n_matched.1.to_string(),
        ]
    };
    write_table(COLUMNS, comparison.pairs.iter().map(row), out)
}

/// A table of names and their pseudonyms.
pub fn pseudonym_key(names: &[(FilePath, FilePath)]) -> Vec<u8> {
    let mut key = Vec::new();
    let rows = names.iter().map(|(name, pseudonym)| [name.to_string(), pseudonym.to_string()]);
    write_table(["name", "pseudonym"], rows, &mut key).expect("memory takes every row");
    key
}
