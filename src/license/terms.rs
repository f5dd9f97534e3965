//! Defines what is stored about a license: expression, evidence, and the notices that apply.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::statement::as_text;
use super::{Class, Expression, Identification, LicensedLines, Licenses, Method};
use crate::text::FilePath;

/// What is known about the license of a file or component.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Terms {
    /// The license; `None` if unknown.
    #[serde(with = "as_text")]
    pub license: Option<Expression>,
    /// How it was found, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// Whether it was declared, by the maker of the corpus or in the settings, rather than found.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_declared: bool,
    /// Whether a license text is the evidence, which does not distinguish "only" from "or later".
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_of_text: bool,
    /// Evidence for other licenses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<Contradiction>,
    /// Parts of the file with their own licenses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<LicensedLines>,
    /// The copyright notices that go with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// The license texts of a component; none for a file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<String>,
}

/// The files of a project that may state its license; they are read when it is asked for.
#[derive(Debug)]
pub struct ProjectFiles {
    files: Vec<(FilePath, Vec<u8>)>,
    terms: OnceLock<Terms>,
}

impl ProjectFiles {
    /// The files with their contents.
    pub fn new(files: Vec<(FilePath, Vec<u8>)>) -> Self {
        Self { files, terms: OnceLock::new() }
    }

    /// What they state about the project.
    pub fn terms(&self) -> &Terms {
        self.terms.get_or_init(|| {
            let files = self.files.iter().map(|(path, bytes)| (path, bytes.as_slice()));
            Terms::new(&Licenses::new(files).component())
        })
    }
}

/// Evidence for another license.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Contradiction {
    /// The license; `None` if unknown.
    #[serde(with = "as_text")]
    pub license: Option<Expression>,
    /// The evidence in words, such as "package manifest (Cargo.toml:3) says MIT".
    pub evidence: String,
}

impl Terms {
    /// The part of an identification that is stored.
    pub fn new(identified: &Identification) -> Self {
        let contradictions = identified.contradictions.iter().map(|of| Contradiction {
            license: of.statement.expression.clone(),
            evidence: of.statement_in_words(),
        });
        let strongest = identified.evidence.first().map(|of| of.statement.method);
        Self {
            license: identified.expression.clone(),
            evidence: identified.found_by(),
            is_declared: strongest == Some(Method::Declared),
            is_of_text: strongest == Some(Method::Text),
            contradictions: contradictions.collect(),
            parts: identified.snippets.clone(),
            notices: identified.notices.clone(),
            texts: Vec::new(),
        }
    }

    /// The terms of a file of a component with the terms `whole`: the component's license, if
    /// nothing states the file's. A license that was stated and is unknown stays unknown.
    pub fn of_file(identified: &Identification, whole: &Self) -> Self {
        let own = Self::new(identified);
        let is_stated = own.license.is_some() || !identified.evidence.is_empty();
        let Some(license) = whole.license.clone().filter(|_| !is_stated) else { return own };
        let found = whole.evidence.as_deref().unwrap_or("as stated");
        Self {
            license: Some(license),
            evidence: Some(format!(
                "the license of the component, since nothing states the file's: {found}"
            )),
            is_declared: whole.is_declared,
            is_of_text: whole.is_of_text,
            contradictions: whole.contradictions.clone(),
            notices: if own.notices.is_empty() { whole.notices.clone() } else { own.notices },
            ..own
        }
    }

    /// What is known about some lines: that of the part they touch, or else that of the file.
    pub fn at(&self, first: u32, last: u32) -> Self {
        let touched = self.parts.iter().filter(|part| part.first <= last && first <= part.last);
        let Some(part) = touched.min_by_key(|part| part.last - part.first) else {
            return Self { parts: Vec::new(), ..self.clone() };
        };
        let is_inside = part.first <= first && last <= part.last;
        let (license, evidence) = if is_inside {
            (part.license.clone(), part.evidence.clone())
        } else {
            // Lines on both sides of a border have both licenses; one unknown makes both so.
            let both = Expression::all_known([part.license.clone(), self.license.clone()]);
            let file = self.evidence.as_deref().unwrap_or("nothing");
            (both, format!("{} and {file}", part.evidence))
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
    use crate::license::LicensingInfo;

    #[test]
    fn lines_have_the_license_of_their_part() {
        let text = "// SPDX-License-Identifier: MIT\na\n// SPDX-SnippetBegin\n// SPDX-License-Identifier: GPL-2.0-only\nb\n// SPDX-SnippetEnd\nc\n";
        let path = FilePath::new("a.c");
        let info = LicensingInfo::new(&path, text.as_bytes());
        let terms = Terms::new(&Licenses::default().of_info(&path, &info, &|_, _| None));
        let at = |first, last| {
            terms.at(first, last).license.map(|of| of.to_string()).unwrap_or_default()
        };
        assert_eq!([at(2, 2), at(5, 5), at(2, 5)], ["MIT", "GPL-2.0-only", "GPL-2.0-only AND MIT"]);
        let kept = serde_json::to_string(&terms).expect("terms can be written");
        assert_eq!(serde_json::from_str::<Terms>(&kept).expect("and read"), terms);
    }
}
