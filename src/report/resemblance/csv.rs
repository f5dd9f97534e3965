//! Writes resemblances for spreadsheets: a row for each pair, or a matrix.

use std::io::{self, Write};

use super::{bounds, matrix};
use crate::audit::{Resemblances, ResemblingPair};
use crate::fingerprint::resemblance::Estimate;
use crate::report::Style;
use crate::report::csv::{defused, write_table};

const COLUMNS: [&str; 7] = [
    "first", "second", "resemblance", "resemblance_low", "resemblance_high", "first_in_second",
    "second_in_first",
];

pub(super) fn write(found: &Resemblances, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    if found.params.is_matrix {
        let mut table = ::csv::Writer::from_writer(out);
        let name = |at: usize| defused(&found.documents[at].name.to_string());
        table.write_record(
            std::iter::once(String::new()).chain((0..found.documents.len()).map(name)),
        )?;
        for (at, row) in matrix(found).into_iter().enumerate() {
            table.write_record(std::iter::once(name(at)).chain(row.into_iter().map(figure)))?;
        }
        return table.flush();
    }
    let row = |pair: &ResemblingPair| {
        let (low, high) = bounds(found, &pair.resemblance);
        let part = |part: Option<Estimate>| part.map_or(String::new(), |part| figure(part.value));
        [
            found.documents[pair.a].name.to_string(),
            found.documents[pair.b].name.to_string(),
            figure(pair.resemblance.value),
            figure(low),
            figure(high),
            part(pair.a_in_b),
            part(pair.b_in_a),
        ]
    };
    write_table(COLUMNS, found.pairs.iter().map(row), out)
}

fn figure(part: f64) -> String {
    format!("{part:.4}")
}
