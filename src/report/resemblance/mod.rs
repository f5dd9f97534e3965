//! Writes how much documents resemble each other: one file for each format.

pub(super) mod json;
mod text;

use std::io::{self, Write};

use super::csv::write_table;
use super::plain_json::write_as;
use super::{Format, Style};
use crate::audit::{Resemblances, ResemblingPair};
use crate::fingerprint::resemblance::{Counting, Estimate, ShingleSampling};

/// All formats of `resemblance`, the default first.
pub static RESEMBLANCE_FORMATS: &[Format<Resemblances>] = &[
    Format::new("text", "a row for each pair, or a matrix, for people", text::write),
    Format::new("json", "versioned JSON for programs", write_as::<_, json::Resemblance>),
    Format::new("csv", "a row for each pair, or a matrix, for spreadsheets", write_csv),
];

fn method(found: &Resemblances) -> String {
    let size = found.params.shingle;
    let tokens = if found.params.is_normalized { "normalized tokens" } else { "tokens" };
    let counted = if found.params.counting == Counting::Labeled { ", labeled" } else { "" };
    let sketch = match found.params.sampling {
        None => "exact".to_owned(),
        Some(ShingleSampling::Min { size }) => {
            format!("estimated by the {size} smallest (MIN_{size})")
        }
        Some(ShingleSampling::Mod { modulus }) => {
            format!("estimated by one in {modulus} (MOD_{modulus})")
        }
        Some(ShingleSampling::MinOfMod { size, modulus }) => {
            format!(
                "estimated by the {size} smallest of one in {modulus} (MIN_{size} of MOD_{modulus})"
            )
        }
        Some(ShingleSampling::Doubling { modulus, max_size }) => {
            format!("estimated by at most {max_size}, one in {modulus} or a power of 2 times that")
        }
    };
    let by = if found.params.by_super_shingles { "; clusters found by super-shingles" } else { "" };
    format!("shingles of {size} {tokens}{counted}; {sketch}{by}")
}

/// The resemblances of all documents with all, row by row; a document with itself is 1.
fn matrix(found: &Resemblances) -> Vec<Vec<f64>> {
    let n = found.documents.len();
    let mut rows = vec![vec![0.0; n]; n];
    for (at, row) in rows.iter_mut().enumerate() {
        row[at] = 1.0;
    }
    for ResemblingPair { a, b, resemblance, .. } in &found.pairs {
        rows[*a][*b] = resemblance.value;
        rows[*b][*a] = resemblance.value;
    }
    rows
}

/// The range of an estimate; of an exact figure itself.
fn bounds(found: &Resemblances, estimate: &Estimate) -> (f64, f64) {
    found.params.sampling.map_or((estimate.value, estimate.value), |_| estimate.bounds())
}

const COLUMNS: [&str; 7] = [
    "first", "second", "resemblance", "resemblance_low", "resemblance_high", "first_in_second",
    "second_in_first",
];

fn write_csv(found: &Resemblances, _: &Style, out: &mut dyn Write) -> io::Result<()> {
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
