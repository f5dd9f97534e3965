//! Classifies licenses by what they require of those who copy (`config/licenses/classes.toml`), and
//! decides whether code under one may be part of a work under another, using OSADL's matrix
//! (`compatibility.tsv` beside it, with its source and license).

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::expression::{Expression, License};

/// What a license requires of those who copy, in increasing order.
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Nothing: no rights are reserved.
    PublicDomain,
    /// To keep its notice.
    Permissive,
    /// To keep changes to the licensed part itself under the license.
    WeakCopyleft,
    /// To distribute the whole work under the license.
    StrongCopyleft,
    /// The same if the work is used over a network.
    NetworkCopyleft,
    /// Not to use it in certain ways: for competing services, commercially, or for certain
    /// purposes.
    SourceAvailable,
    /// Not to copy it without permission.
    Proprietary,
    /// The license or its conditions are unknown.
    Unknown,
}

impl Class {
    /// All classes, in order, as written in configuration and reports.
    pub const ALL: [(Self, &'static str); 8] = [
        (Self::PublicDomain, "public-domain"),
        (Self::Permissive, "permissive"),
        (Self::WeakCopyleft, "weak-copyleft"),
        (Self::StrongCopyleft, "strong-copyleft"),
        (Self::NetworkCopyleft, "network-copyleft"),
        (Self::SourceAvailable, "source-available"),
        (Self::Proprietary, "proprietary"),
        (Self::Unknown, "unknown"),
    ];

    /// The class as written in configuration and reports.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The class with this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find_map(|(class, of)| (of == name).then_some(class))
    }

    /// The class of a license.
    pub fn of_license(license: &License) -> Self {
        CLASSES.get(license.base()).copied().unwrap_or(Self::Unknown)
    }

    /// The class of an expression: the best branch of `OR`, the worst of `AND`.
    pub fn of(expression: &Expression) -> Self {
        expression.fold(Self::of_license, std::cmp::max, std::cmp::min)
    }
}

/// Class by identifier, without `-only` and `-or-later`.
static CLASSES: LazyLock<HashMap<String, Class>> = LazyLock::new(|| {
    let table: HashMap<Class, Vec<String>> =
        toml::from_str(include_str!("../../config/licenses/classes.toml"))
            .expect("a test reads the built-in table");
    table.into_iter().flat_map(|(class, ids)| ids.into_iter().map(move |id| (id, class))).collect()
});

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

    #[track_caller]
    fn check(expression: &str, expected: &str) {
        let expression = Expression::parse(expression).expect("it is an expression");
        assert_eq!(Class::of(&expression).name(), expected, "{expression}");
    }

    #[test]
    fn the_best_branch_of_or_counts_and_the_worst_of_and() {
        check("MIT", "permissive");
        check("MIT OR GPL-3.0-only", "permissive");
        check("MIT AND GPL-3.0-only", "strong-copyleft");
        check("GPL-2.0-only WITH Classpath-exception-2.0", "strong-copyleft");
        check("LGPL-2.1-or-later", "weak-copyleft");
        check("AGPL-3.0-or-later", "network-copyleft");
        check("BUSL-1.1", "source-available");
        check("CC0-1.0", "public-domain");
        check("LicenseRef-theirs", "unknown");
        check("LicenseRef-theirs OR MIT", "permissive");
        check("LicenseRef-theirs AND MIT", "unknown");
    }

    #[test]
    fn every_row_of_the_table_is_an_identifier() {
        for id in CLASSES.keys().collect::<std::collections::BTreeSet<_>>() {
            let license = Expression::parse_spdx(id);
            let license = license.unwrap_or_else(|| panic!("{id} is no identifier"));
            // Without `-only` and `-or-later`.
            assert_eq!(license.licenses().next().map(License::base), Some(id.as_str()));
        }
    }

    #[track_caller]
    fn check_together(outbound: &str, inbound: &str, expected: Option<Compatibility>) {
        let [out, into] = [outbound, inbound].map(|id| {
            Expression::parse_spdx(id).and_then(|of| of.licenses().next().cloned()).expect("is one")
        });
        assert_eq!(compatibility(&out, &into), expected, "{inbound} into {outbound}");
    }

    #[test]
    fn the_work_comes_first_and_what_goes_into_it_second() {
        use Compatibility::{Depends, No, Yes};
        check_together("MIT", "GPL-2.0-only", Some(No));
        check_together("GPL-2.0-only", "MIT", Some(Yes));
        check_together("GPL-2.0-only", "Apache-2.0", Some(No));
        check_together("GPL-3.0-only", "Apache-2.0", Some(Yes));
        check_together("GPL-2.0-only", "GPL-3.0-only", Some(No));
        check_together("MIT", "MIT", Some(Yes));
        check_together("MIT", "BUSL-1.1", None);
        check_together("MIT", "GPL-2.0-or-later WITH Autoconf-exception-generic", Some(Depends));
    }

    #[test]
    fn the_matrix_is_square() {
        for (id, row) in MATRIX.rows.iter().collect::<std::collections::BTreeMap<_, _>>() {
            assert_eq!(row.len(), MATRIX.columns.len(), "{id}");
        }
        assert_eq!(MATRIX.rows.len(), MATRIX.columns.len());
    }
}
