//! Reads source into tokens: finds a file's language and runs that language's table.
//!
//! Invariant: knows no language by name. Everything known about one is in
//! `config/languages/<name>.toml`, or in a table of the user's.

mod block_words;
mod builds;
mod compile;
mod detect;
mod embedded;
mod example;
mod generated;
mod hash;
mod helper;
mod keywords;
mod lexer;
mod notebook;
mod page;
mod region;
mod relex;
mod swar;
mod table;
mod test_code;
mod token;
mod words;

pub use block_words::BlockWords;
pub use builds::Builds;
pub use detect::{Language, Languages, is_script};
pub use embedded::EmbeddedPart;
pub use generated::is_generated;
pub use helper::HelperPatterns;
pub use lexer::Lexer;
pub use page::page_text;
pub use relex::{ChangedTokens, Kept, OwnTokens, Version};
pub use table::{OneOrMany, OpenerPlace, Table, TableError, TextRow};
pub use token::{Family, Kind, Symbol, Token};
pub use words::{WORDS, words};
