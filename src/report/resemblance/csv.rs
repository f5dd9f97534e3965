//! Writes resemblances for spreadsheets: a row for each pair, or a matrix.

use std::io::{self, Write};

use super::{bounds, matrix};
use crate::audit::Resemblances;
use crate::report::Style;
use crate::report::csv::write_table;

const COLUMNS: [&str; 7] = [
    "first", "second", "resemblance", "resemblance_low", "resemblance_high", "first_in_second",
    "second_in_first",
];

pub(super) fn write(found: &Resemblances, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    if found.params.is_matrix {
        let names = found.documents.iter().map(|document| document.name.to_string());
        let columns = std::iter::once(String::new()).chain(names.clone());
        let rows = names.zip(matrix(found));
        let rows = rows.map(|(name, row)| std::iter::once(name).chain(row.into_iter().map(figure)));
        return write_table(columns, rows, out);
    }
    let rows = found.pairs.iter().map(|pair| {
        let (low, high) = bounds(found, &pair.resemblance);
        let [first, second] = [pair.a, pair.b].map(|at| found.documents[at].name.to_string());
        let [resemblance, low, high] = [pair.resemblance.value, low, high].map(figure);
        let [in_second, in_first] = [pair.a_in_b, pair.b_in_a]
            .map(|part| part.map_or(String::new(), |part| figure(part.value)));
        [first, second, resemblance, low, high, in_second, in_first]
    });
    write_table(COLUMNS, rows, out)
}

fn figure(part: f64) -> String {
    format!("{part:.4}")
}
