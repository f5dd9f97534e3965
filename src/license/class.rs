//! Classifies licenses by what they require of those who copy: `config/licenses/classes.toml`.

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
}
