//! Identifies licenses: what files say about themselves and about each other, and what a license asks of whoever copies.
//!
//! What one file says ([`Statement`]s) depends on its name and bytes only, so it
//! can be cached by blob. [`Licenses`] puts the statements of a component
//! together and answers for each of its files.
//!
//! Invariant: what is not known stays unknown; it is never taken for a license
//! that allows. Evidence that disagrees is kept, both sides of it.

mod class;
mod compatibility;
mod component;
mod debian;
mod expression;
mod manifest;
mod names;
mod notice;
mod phrases;
mod read;
mod reuse;
mod statement;
mod tag;
mod terms;
mod text;
mod words;

pub use class::Class;
pub use compatibility::{ATTRIBUTION, Compatibility, compatibility};
pub use component::{Identified, LicenseEvidence, Licenses, Said, SnippetLicense};
pub use expression::{Expression, License};
pub use notice::copyright_lines;
pub use read::{LICENSING_PARENT, is_relevant, statements};
pub use statement::{Method, Scope, Statement};
pub use terms::{Contradiction, LicensedLines, Terms};
