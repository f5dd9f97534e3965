//! Defines what a file says about a license: a statement, how it was found and what it is about.

use serde::{Deserialize, Serialize};

use super::expression::Expression;

/// How a license was found; the order is from the strongest evidence to the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// It was declared by the user.
    Declared,
    /// `REUSE.toml`, where it overrides what files say.
    ReuseOverride,
    /// An `SPDX-License-Identifier` in the file.
    Tag,
    /// A `.license` file beside the file.
    Sidecar,
    /// The sentences of a license in the file's header.
    Header,
    /// `REUSE.toml` or `.reuse/dep5`.
    Reuse,
    /// `debian/copyright`.
    Debian,
    /// A package manifest.
    Manifest,
    /// A license text in the file's folder, or one above it.
    Text,
}

impl Method {
    /// In words, to follow "license found by".
    pub fn describe(self) -> &'static str {
        match self {
            Self::Declared => "declared",
            Self::ReuseOverride => "REUSE.toml, overriding the file",
            Self::Tag => "SPDX-License-Identifier in the file",
            Self::Sidecar => "its .license file",
            Self::Header => "the license header of the file",
            Self::Reuse => "REUSE information",
            Self::Debian => "debian/copyright",
            Self::Manifest => "package manifest",
            Self::Text => "license text",
        }
    }

    /// Whether it tells "only" from "or later": a license text does not.
    pub fn tells_later(self) -> bool {
        self != Self::Text
    }
}

/// What a statement is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The file it stands in.
    File,
    /// Lines of that file, the first and the last.
    Lines(u32, u32),
    /// The file beside it that has this name.
    Sibling(Vec<u8>),
    /// The folder of its file, and all below.
    Folder,
    /// The files that one of these patterns takes in, from the folder that `n_up` above its file's.
    Paths {
        /// The patterns.
        globs: Vec<String>,
        /// Folders between the file and the one that the patterns begin at.
        n_up: u8,
        /// Whether `*` stops at a `/`.
        is_literal_separator: bool,
    },
}

/// What a file says about a license.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Statement {
    /// How it says so.
    pub method: Method,
    /// What it is about.
    pub scope: Scope,
    /// The line that says so, from 1.
    pub line: u32,
    /// The license; `None` when it names one that is not known.
    #[serde(with = "as_text")]
    pub expression: Option<Expression>,
    /// As it was written, where it was written out.
    pub written: String,
}

/// An expression as its text; an empty text when it is not known.
pub(super) mod as_text {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Expression;

    pub fn serialize<S: Serializer>(expression: &Option<Expression>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&expression.as_ref().map(ToString::to_string).unwrap_or_default())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Expression>, D::Error> {
        Ok(Expression::parse_spdx(&String::deserialize(from)?))
    }
}
