//! Runs the examples of a table.

use super::table::Example;
use super::{Kind, Languages, Token};

/// An example that does not produce its expected tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmetExample {
    /// What it demonstrates.
    pub shows: String,
    /// The expected tokens.
    pub expected: Vec<String>,
    /// The actual tokens.
    pub found: Vec<String>,
}

impl std::fmt::Display for UnmetExample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { shows, expected, found } = self;
        write!(f, "the example of \"{shows}\" gives {found:?}, not {expected:?}")
    }
}

impl Languages {
    /// The examples in a language's table that do not produce their expected tokens.
    pub fn unmet_examples(&self, id: &str) -> Vec<UnmetExample> {
        let (mut unmet, mut tokens) = (Vec::new(), Vec::new());
        let Some(language) = self.get(id) else { return unmet };
        for Example { shows, source, tokens: expected } in language.table.examples.clone() {
            self.tokenize(language, source.as_bytes(), true, &mut tokens);
            let found = tokens.iter().map(|token| show(token, source.as_bytes()));
            let found: Vec<String> = found.collect();
            if found != expected {
                unmet.push(UnmetExample { shows, expected, found });
            }
        }
        unmet
    }
}

/// A token in the notation of examples.
fn show(token: &Token, text: &[u8]) -> String {
    let bytes = String::from_utf8_lossy(token.text(text));
    match token.kind() {
        Kind::Identifier => format!("i:{bytes}"),
        Kind::Number => format!("n:{bytes}"),
        Kind::String => format!("s:{bytes}"),
        Kind::Keyword | Kind::Punctuation => bytes.into_owned(),
    }
}
