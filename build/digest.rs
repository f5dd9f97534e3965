//! Digests what decides how a file is read: the values of language tables, and the tokens of code.
//!
//! Comments, layout, tests and examples change no fingerprint, so they change no digest either: a
//! cache or a corpus outlives each release that reads as the one before it did.

#[path = "../src/text/fnv.rs"]
mod fnv;

use fnv::fnv_1a;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// What is digested: pieces, each with its length, so that no two lists of pieces are alike.
#[derive(Debug, Clone)]
pub struct Digest(Vec<u8>);

impl Digest {
    /// Of nothing.
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// The digest of all that was added.
    pub fn finish(self) -> u64 {
        fnv_1a(self.0)
    }

    /// Adds the language table named `id`: what is written under each key, whatever the order of
    /// the keys.
    pub fn add_table(&mut self, id: &str, table: &toml::Table) {
        self.add(id.as_bytes());
        let mut table = table.clone();
        table.remove("examples");
        self.add_fields(&table);
    }

    fn add_fields(&mut self, table: &toml::Table) {
        let mut fields: Vec<_> = table.iter().collect();
        fields.sort_by_key(|(key, _)| *key);
        self.add(&(fields.len() as u64).to_le_bytes());
        for (key, value) in fields {
            self.add(key.as_bytes());
            self.add_value(value);
        }
    }

    fn add_value(&mut self, value: &toml::Value) {
        match value {
            toml::Value::Table(table) => self.add_fields(table),
            toml::Value::Array(items) => {
                self.add(&(items.len() as u64).to_le_bytes());
                items.iter().for_each(|item| self.add_value(item));
            }
            toml::Value::String(text) => self.add(text.as_bytes()),
            toml::Value::Boolean(is_so) => self.add(&[u8::from(*is_so)]),
            toml::Value::Integer(number) => self.add(&number.to_le_bytes()),
            other => panic!("a language table has no value like {other:?}"),
        }
    }

    /// Adds Rust code: its tokens, but for documentation and what only tests are built with.
    ///
    /// # Panics
    /// When it is not Rust.
    pub fn add_code(&mut self, code: &str) {
        self.add_tokens(code.parse().expect("the compiler reads it as well"));
    }

    fn add_tokens(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            if !is_mark(&token, '#') {
                self.add_token(token);
                continue;
            }
            // `#![...]` is an attribute of the file or block around it.
            tokens.next_if(|next| is_mark(next, '!'));
            let Some(attribute) = tokens.next() else { break };
            let written = attribute.to_string().replace(' ', "");
            if written == "[cfg(test)]" {
                // The item that it is on ends with its braces, or with a semicolon.
                let _ = tokens.by_ref().find(is_end_of_item);
            } else if !written.starts_with("[doc=") {
                self.add_token(attribute);
            }
        }
        self.add(b"");
    }

    fn add_token(&mut self, token: TokenTree) {
        match token {
            TokenTree::Group(group) => {
                self.add(match group.delimiter() {
                    Delimiter::Parenthesis => b"(",
                    Delimiter::Brace => b"{",
                    Delimiter::Bracket => b"[",
                    Delimiter::None => b"",
                });
                self.add_tokens(group.stream());
            }
            token => self.add(token.to_string().as_bytes()),
        }
    }

    fn add(&mut self, piece: &[u8]) {
        self.0.extend_from_slice(&(piece.len() as u64).to_le_bytes());
        self.0.extend_from_slice(piece);
    }
}

fn is_mark(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

fn is_end_of_item(token: &TokenTree) -> bool {
    is_mark(token, ';')
        || matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}
