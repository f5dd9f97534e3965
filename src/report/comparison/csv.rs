//! Writes a row for each pair of submissions, for spreadsheets.

use std::io::{self, Write};

use super::names;
use crate::audit::Comparison;
use crate::report::Style;
use crate::report::csv::defused;
use crate::text::FilePath;

const COLUMNS: [&str; 10] = [
    "first", "second", "rank", "first_in_second", "second_in_first", "resemblance",
    "shared_fingerprints", "matches", "first_matched_tokens", "second_matched_tokens",
];

pub(super) fn write(comparison: &Comparison, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut table = ::csv::Writer::from_writer(out);
    table.write_record(COLUMNS)?;
    for pair in &comparison.pairs {
        let [first, second] = names(pair, comparison).map(|name| defused(&name));
        // Without a passage that shows them there are none.
        let part =
            |part: f64| if pair.matches.is_empty() { String::new() } else { format!("{part:.4}") };
        let row: [String; COLUMNS.len()] = [
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
        ];
        table.write_record(row)?;
    }
    table.flush()
}

/// A table of names and their pseudonyms.
pub fn pseudonym_key(names: &[(FilePath, FilePath)]) -> Vec<u8> {
    let mut table = ::csv::Writer::from_writer(Vec::new());
    let rows =
        names.iter().map(|(name, pseudonym)| [defused(&name.to_string()), pseudonym.to_string()]);
    for row in std::iter::once(["name", "pseudonym"].map(str::to_owned)).chain(rows) {
        table.write_record(row).expect("memory takes every row of two cells");
    }
    table.into_inner().expect("memory can be flushed")
}
