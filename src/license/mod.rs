//! Identifies licenses: what files state about themselves and each other, and what a license
//! requires of those who copy.
//!
//! What one file states ([`Statement`]s) depends only on its name and bytes, so
//! it can be cached by blob. [`Licenses`] combines the statements of a component
//! and answers for each of its files.
//!
//! Invariant: unknown stays unknown, and is never treated as permissive. If
//! evidence is contradictory, both sides are kept.
//!
//! A circle: `expression` takes a name that is no identifier as `grants` reads it, which makes an
//! expression of it.

mod align;
mod choice;
mod class;
mod compatibility;
mod component;
mod debian;
mod expression;
mod grants;
mod limits;
mod manifest;
mod markup;
mod notice;
mod passages;
mod read;
mod reference;
mod reuse;
mod statement;
mod tag;
mod templates;
mod terms;
mod text;
mod words;

pub use class::Class;
pub use compatibility::{ATTRIBUTION, Compatibility, compatibility};
pub use component::{
    Identification, LicenseEvidence, Licenses, LicensingInfo, Refer, SnippetLicense, meant_by,
};
pub use expression::{Expression, License};
pub use markup::legible;
pub use notice::copyright_lines;
pub use passages::KnownTexts;
pub use read::{LICENSING_PARENT, NamedText, is_relevant, named_text, statements};
pub use statement::{Method, Scope, Statement};
pub use terms::{Contradiction, LicensedLines, ProjectFiles, Terms};
pub use words::{Words, hash};
