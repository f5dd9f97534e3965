//! Writes resemblances for spreadsheets: a row for each pair, or a matrix.

use std::io::{self, Write};

use super::{bounds, matrix};
use crate::audit::Resemblances;
use crate::fingerprint::resemblance::Estimate;
use crate::report::Style;
use crate::report::csv::defused;

const COLUMNS: [&str; 7] = [
    "first", "second", "resemblance", "resemblance_low", "resemblance_high", "first_in_second",
    "second_in_first",
];

pub(super) fn write(found: &Resemblances, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut table = ::csv::Writer::from_writer(out);
    let name = |at: usize| defused(&found.documents[at].name.to_string());
    if found.params.is_matrix {
        table.write_record(
            std::iter::once(String::new()).chain((0..found.documents.len()).map(name)),
        )?;
        for (at, row) in matrix(found).into_iter().enumerate() {
            table.write_record(std::iter::once(name(at)).chain(row.into_iter().map(figure)))?;
        }
        return table.flush();
    }
    table.write_record(COLUMNS)?;
    for pair in &found.pairs {
        let (low, high) = bounds(found, &pair.resemblance);
        let part = |part: Option<Estimate>| part.map_or(String::new(), |part| figure(part.value));
        table.write_record([
            name(pair.a),
            name(pair.b),
            figure(pair.resemblance.value),
            figure(low),
            figure(high),
            part(pair.a_in_b),
            part(pair.b_in_a),
        ])?;
    }
    table.flush()
}

fn figure(part: f64) -> String {
    format!("{part:.4}")
}
