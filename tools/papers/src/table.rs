//! Prints figures: what was measured, beside what was printed.

use std::io::{self, Write};

/// A figure.
#[derive(Debug, Clone)]
pub struct Row {
    /// The section of the paper.
    pub section: &'static str,
    /// What it is.
    pub what: String,
    /// What came out here.
    pub measured: String,
    /// What the paper says, or proves; empty if it says nothing.
    pub printed: String,
}

impl Row {
    /// A row.
    pub fn new(section: &'static str, what: &str, measured: String, printed: &str) -> Self {
        Self { section, what: what.to_owned(), measured, printed: printed.to_owned() }
    }

    /// A row of several figures, each with what the paper says, behind `formula`.
    pub fn several(
        section: &'static str,
        what: &str,
        formula: &str,
        figures: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        let (measured, printed): (Vec<_>, Vec<_>) = figures.into_iter().unzip();
        let printed = [formula, &printed.join("; ")].concat();
        Self::new(section, what, measured.join("; "), printed.trim_matches([' ', ';']))
    }
}

/// The rows as a Markdown table.
pub fn markdown(rows: &[Row]) -> String {
    let mut text = "| section | what | measured | printed |\n|---|---|--:|--:|\n".to_owned();
    for Row { section, what, measured, printed } in rows {
        text += &format!("| {section} | {what} | {measured} | {printed} |\n");
    }
    text
}

/// Prints a table.
///
/// # Errors
/// If standard output cannot be written.
pub fn print(table: &str) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{table}")
}
