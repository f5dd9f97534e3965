//! Defines what is kept of an identification: the license, why it is taken to be that, and the notices that go with it.

use serde::{Deserialize, Serialize};

use super::class::Class;
use super::component::{Identified, LicenseEvidence, SnippetLicense};
use super::expression::Expression;
use super::statement::as_text;

/// What is known of the license of a file or a component.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Terms {
    /// The license; `None` when it is not known.
    #[serde(with = "as_text")]
    pub license: Option<Expression>,
    /// How it was found, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// Whether it was declared, by whoever made the corpus or in the settings, rather than found.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_declared: bool,
    /// Whether a license text says so, which cannot tell "only" from "or later".
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_of_text: bool,
    /// What says otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<Contradiction>,
    /// Parts of the file that have licenses of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<LicensedLines>,
    /// The copyright notices that go with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// Evidence for another license.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Contradiction {
    /// The license; `None` when it is not known.
    #[serde(with = "as_text")]
    pub license: Option<Expression>,
    /// What says so, in words, as in "package manifest (Cargo.toml:3) says MIT".
    pub evidence: String,
}

/// Lines of a file that have a license of their own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LicensedLines {
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
    /// The license; `None` when it is not known.
    #[serde(with = "as_text")]
    pub license: Option<Expression>,
    /// What says so, in words.
    pub evidence: String,
}

impl Terms {
    /// What is kept of an identification.
    pub fn new(identified: &Identified) -> Self {
        let contradiction = |of: &LicenseEvidence| Contradiction {
            license: of.statement.expression.clone(),
            evidence: format!("{} says {}", of.describe(), of.says()),
        };
        let part = |of: &SnippetLicense| LicensedLines {
            first: of.first,
            last: of.last,
            license: of.expression.clone(),
            evidence: of.evidence.describe(),
        };
        Self {
            license: identified.expression.clone(),
            evidence: identified.found_by(),
            is_declared: identified.is_declared(),
            is_of_text: identified.is_of_text(),
            contradictions: identified.contradictions.iter().map(contradiction).collect(),
            parts: identified.snippets.iter().map(part).collect(),
            notices: identified.notices.clone(),
        }
    }

    /// What is known of some lines: that of the part they lie in or touch, else that of the file.
    pub fn at(&self, first: u32, last: u32) -> Self {
        let touched = self.parts.iter().filter(|part| part.first <= last && first <= part.last);
        let Some(part) = touched.min_by_key(|part| part.last - part.first) else {
            return Self { parts: Vec::new(), ..self.clone() };
        };
        let is_inside = part.first <= first && last <= part.last;
        let (license, evidence) = if is_inside {
            (part.license.clone(), part.evidence.clone())
        } else {
            // Lines on both sides of a part's border have both licenses; where one is not known, neither are they.
            let both = [part.license.clone(), self.license.clone()].into_iter().collect::<Option<Vec<_>>>();
            let file = self.evidence.as_deref().unwrap_or("nothing");
            (both.and_then(Expression::all), format!("{} and {file}", part.evidence))
        };
        Self {
            license,
            evidence: Some(evidence),
            is_declared: false,
            is_of_text: false,
            parts: Vec::new(),
            ..self.clone()
        }
    }

    /// The class of the license.
    pub fn class(&self) -> Class {
        self.license.as_ref().map_or(Class::Unknown, Class::of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::license::Licenses;
    use crate::text::FilePath;

    #[test]
    fn lines_have_the_license_of_their_part() {
        let text = "// SPDX-License-Identifier: MIT\na\n// SPDX-SnippetBegin\n// SPDX-License-Identifier: GPL-2.0-only\nb\n// SPDX-SnippetEnd\nc\n";
        let terms = Terms::new(&Licenses::default().of(&FilePath::new("a.c"), text.as_bytes()));
        let at = |first, last| terms.at(first, last).license.map(|of| of.to_string()).unwrap_or_default();
        assert_eq!([at(2, 2), at(5, 5), at(2, 5)], ["MIT", "GPL-2.0-only", "GPL-2.0-only AND MIT"]);
        let kept = serde_json::to_string(&terms).expect("terms can be written");
        assert_eq!(serde_json::from_str::<Terms>(&kept).expect("and read"), terms);
    }
}
