//! Writes how much documents resemble each other: one file for each format.

mod csv;
pub(super) mod json;
mod text;

use super::Format;
use super::plain_json::write_as;
use crate::audit::{Resemblances, ResemblingPair};
use crate::fingerprint::resemblance::{Counting, Estimate, ShingleSampling};

/// All formats of `resemblance`, the default first.
pub static RESEMBLANCE_FORMATS: &[Format<Resemblances>] = &[
    Format::new("text", "a row for each pair, or a matrix, for people", text::write),
    Format::new("json", "versioned JSON for programs", write_as::<_, json::Resemblance>),
    Format::new("csv", "a row for each pair, or a matrix, for spreadsheets", csv::write),
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
