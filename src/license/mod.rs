//! Identifies licenses: what files state about themselves and each other, and what a license
//! requires of those who copy.
//!
//! What one file states ([`Statement`]s) depends only on its name and bytes, so it can be cached by
//! blob. [`Licenses`] combines the statements of a component and answers for each of its files.
//!
//! Invariant: unknown stays unknown, and is never treated as permissive. If evidence is
//! contradictory, both sides are kept.
//!
//! A circle: `expression` reads what is no identifier by `grants`, which makes an expression of it.

mod align;
mod choice;
mod class;
mod component;
mod expression;
mod grants;
mod limits;
mod manifest;
mod markup;
mod notice;
mod passages;
mod read;
mod readme;
mod reference;
mod reuse;
mod statement;
mod tag;
mod templates;
mod terms;
mod text;
mod words;

pub use class::{ATTRIBUTION, Class, Compatibility, compatibility};
pub use component::{
    Identification, LicenseEvidence, LicensedLines, Licenses, LicensingInfo, Refer, meant_by,
};
pub use expression::{Expression, License};
pub use markup::legible;
pub use notice::copyright_lines;
pub use passages::KnownTexts;
pub use read::{LICENSING_PARENT, NamedText, is_about_license, is_relevant, is_source, named_text};
pub use statement::{Method, Scope, Statement};
pub use terms::{Contradiction, ProjectFiles, Terms};
pub use words::{Words, hash};

#[cfg(test)]
mod tests {
    use super::Words;

    /// An abridged text.
    pub(super) const MIT: &str = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the \"Software\"). The above copyright notice and this permission notice shall be included.";

    pub(super) fn text(id: &str) -> String {
        let template = super::templates::all().find(|of| of.id == id);
        template.unwrap_or_else(|| panic!("{id} has a template")).words.join(" ")
    }

    #[track_caller]
    pub(super) fn check_header(text: &str, expected: &str) {
        let found =
            super::text::header(Words::new(text.as_bytes(), 1)).and_then(|of| of.expression);
        assert_eq!(found.map_or("unknown".to_owned(), |of| of.to_string()), expected, "{text}");
    }

    #[track_caller]
    pub(super) fn check_headers(table: &str) {
        rows(table).for_each(|(text, expected)| check_header(&text, expected));
    }

    /// The rows of a table, `text → expected`, in which `\n` is a line end.
    pub(super) fn rows(table: &str) -> impl Iterator<Item = (String, &str)> {
        table.trim_matches('\n').lines().map(|row| {
            let (text, expected) = row.split_once(" → ").expect("each row has an arrow");
            (text.replace("\\n", "\n"), expected)
        })
    }
}
