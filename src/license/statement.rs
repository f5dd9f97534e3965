//! Defines a statement of a file about a license: how it was found and what it is about.

use serde::{Deserialize, Serialize};

use super::expression::Expression;
use crate::text::glob_matches;

/// How a license was found, from the strongest evidence to the weakest.
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// Declared by the user.
    Declared,
    /// `REUSE.toml`, overriding what files state.
    ReuseOverride,
    /// `REUSE.toml`, in addition to what files state.
    ReuseAggregate,
    /// An `SPDX-License-Identifier` in the file.
    Tag,
    /// A `.license` file next to the file.
    Sidecar,
    /// The sentences of a license in the file's header.
    Header,
    /// A file that the header refers to: "see copyright notice in zlib.h".
    Reference,
    /// `REUSE.toml` or `.reuse/dep5`.
    Reuse,
    /// `debian/copyright`.
    Debian,
    /// A package manifest.
    Manifest,
    /// A license text in the file's folder, or one above it.
    Text,
    /// A README, or Debian's `copyright` in free form, where nothing else in the folder states a
    /// license.
    Readme,
}

impl Method {
    /// In words, as a continuation of "license found by".
    pub fn describe(self) -> &'static str {
        match self {
            Self::Declared => "declared",
            Self::ReuseOverride => "REUSE.toml, overriding the file",
            Self::ReuseAggregate => "REUSE.toml, besides what the file says",
            Self::Tag => "SPDX-License-Identifier in the file",
            Self::Sidecar => "its .license file",
            Self::Header => "license notice in the file",
            Self::Reference => "the file that its header refers to",
            Self::Reuse => "REUSE information",
            Self::Debian => "Debian's copyright format",
            Self::Manifest => "package manifest",
            Self::Text => "license text",
            Self::Readme => "document",
        }
    }

    /// Whether it distinguishes "only" from "or later", which a license text does not.
    pub fn tells_later(self) -> bool {
        self != Self::Text
    }
}

/// What a statement is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The file that contains it.
    File,
    /// Lines of that file, first and last.
    Lines(u32, u32),
    /// The file next to it with this name.
    Sibling(Vec<u8>),
    /// The folder of its file, and everything below.
    Folder,
    /// The folder this many levels above that, and all below: wheels have a folder for metadata.
    Above(u8),
    /// The files that match one of these patterns.
    Paths {
        /// The patterns.
        globs: Vec<String>,
        /// How many levels above its file's folder they start.
        n_up: u8,
        /// Whether `*` stops at a `/`.
        is_literal_separator: bool,
    },
}

impl Scope {
    /// Whether its patterns match a path below the folder that they start from.
    pub(super) fn has_path(&self, path: &[u8]) -> bool {
        let Self::Paths { globs, is_literal_separator, .. } = self else { return false };
        globs.iter().any(|glob| glob_matches(glob.as_bytes(), path, *is_literal_separator))
    }
}

/// A statement of a file about a license.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Statement {
    /// How it was found.
    pub method: Method,
    /// What it is about.
    pub scope: Scope,
    /// The line of the statement, from 1.
    pub line: u32,
    /// The license; `None` if it names an unknown one.
    #[serde(with = "as_text")]
    pub expression: Option<Expression>,
    /// The license as written, if it was written out.
    pub written: String,
}

/// An expression as its text; empty if unknown.
pub(super) mod as_text {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Expression;

    pub fn serialize<S: Serializer>(
        expression: &Option<Expression>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_str(&expression.as_ref().map(ToString::to_string).unwrap_or_default())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Expression>, D::Error> {
        Ok(Expression::parse_spdx(&String::deserialize(from)?))
    }
}
