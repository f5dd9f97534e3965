//! Decides whether code under one license may be part of a work under another.
//!
//! OSADL's matrix is in `config/licenses/compatibility.tsv`, with its source and license.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::expression::License;

/// Whether code under one license may be part of a work under another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compatibility {
    /// It may.
    Yes,
    /// It may not.
    No,
    /// It depends on how they are combined.
    Depends,
}

struct Matrix {
    columns: HashMap<&'static str, usize>,
    rows: HashMap<&'static str, &'static [u8]>,
}

static MATRIX: LazyLock<Matrix> = LazyLock::new(|| {
    let lines = include_str!("../../config/licenses/compatibility.tsv").lines();
    let mut lines = lines.filter(|line| !line.starts_with('#'));
    let columns = lines.next().unwrap_or_default().split('\t').zip(0..).collect();
    let rows = lines.filter_map(|line| line.split_once('\t'));
    Matrix { columns, rows: rows.map(|(id, row)| (id, row.as_bytes())).collect() }
});

/// The source of the data; its license requires us to name it.
pub const ATTRIBUTION: &str =
    "Open Source License Compatibility Matrix, OSADL eG, 2024-05-22, CC-BY-4.0; abridged";

/// Whether code under `inbound` may be part of a work under `outbound`; `None` if nothing says so.
pub fn compatibility(outbound: &License, inbound: &License) -> Option<Compatibility> {
    if outbound == inbound {
        return Some(Compatibility::Yes);
    }
    // An exception adds permissions: if a license with one is not listed, the license without it is
    // the stricter choice, but it may be just what the exception permits.
    let Matrix { columns, rows } = &*MATRIX;
    let row = rows.get(&*outbound.to_string()).or_else(|| rows.get(&*outbound.id))?;
    let own = columns.get(&*inbound.to_string());
    match row.get(*own.or_else(|| columns.get(&*inbound.id))?)? {
        b'Y' | b'=' => Some(Compatibility::Yes),
        b'N' if own.is_none() && inbound.exception.is_some() => Some(Compatibility::Depends),
        b'N' => Some(Compatibility::No),
        b'D' => Some(Compatibility::Depends),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::license::Expression;

    #[track_caller]
    fn check(outbound: &str, inbound: &str, expected: Option<Compatibility>) {
        let [out, into] = [outbound, inbound].map(|id| {
            Expression::parse_spdx(id).and_then(|of| of.licenses().next().cloned()).expect("is one")
        });
        assert_eq!(compatibility(&out, &into), expected, "{inbound} into {outbound}");
    }

    #[test]
    fn the_work_comes_first_and_what_goes_into_it_second() {
        use Compatibility::{Depends, No, Yes};
        check("MIT", "GPL-2.0-only", Some(No));
        check("GPL-2.0-only", "MIT", Some(Yes));
        check("GPL-2.0-only", "Apache-2.0", Some(No));
        check("GPL-3.0-only", "Apache-2.0", Some(Yes));
        check("GPL-2.0-only", "GPL-3.0-only", Some(No));
        check("MIT", "MIT", Some(Yes));
        check("MIT", "BUSL-1.1", None);
        check("MIT", "GPL-2.0-or-later WITH Autoconf-exception-generic", Some(Depends));
    }

    #[test]
    fn the_matrix_is_square() {
        for (id, row) in MATRIX.rows.iter().collect::<std::collections::BTreeMap<_, _>>() {
            assert_eq!(row.len(), MATRIX.columns.len(), "{id}");
        }
        assert_eq!(MATRIX.rows.len(), MATRIX.columns.len());
    }
}
