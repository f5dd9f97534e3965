//! Reads language tables: the keys of `config/languages/*.toml`, checked.
//!
//! A table says all that is known of a language; the lexer has no list of
//! languages. The same keys add or change a language in a user's own config.

use serde::Deserialize;

/// A language as its table states it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "the table of a language, `[language.NAME]`")]
pub struct Table {
    /// The name people know it by.
    pub name: String,
    /// Languages of one family are compared with each other (C with C++). Default: the name in lower case.
    pub family: Option<String>,
    /// Whether its files are data or prose: they repeat by nature, and are compared only when asked.
    #[serde(default)]
    pub data: bool,
    /// Whether its files declare rather than compute: markup, style sheets, schemas, queries, build rules. They repeat by
    /// nature: they are compared, and a copy in them is a note.
    #[serde(default)]
    pub declarative: bool,
    /// File name endings without the leading dot, in lower case; at most one language owns each.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Whole file names; one `*` in a name stands for any text (`Dockerfile.*`).
    #[serde(default)]
    pub file_names: Vec<String>,
    /// Interpreters of a `#!` line, without a version.
    #[serde(default)]
    pub shebangs: Vec<String>,
    /// Extensions that another language owns, and the text that makes a file this one.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// Whether upper and lower case spell the same word.
    #[serde(default)]
    pub case_insensitive: bool,
    /// Characters that start an identifier, besides letters, `_` and all beyond ASCII.
    #[serde(default)]
    pub identifier_start: String,
    /// Characters that continue an identifier, besides those that start one and digits.
    #[serde(default)]
    pub identifier_continue: String,
    /// Characters within a number, besides letters, digits, `_`, and a `.` before a digit.
    #[serde(default)]
    pub digit_separators: String,
    /// The reserved words, separated by white space.
    #[serde(default)]
    pub keywords: String,
    /// Reserved words that are values: a `/` after one divides. Separated by white space.
    #[serde(default)]
    pub value_keywords: String,
    /// Texts outside comments and literals that open nothing, though a part of them would: `\"` of a shell.
    #[serde(default)]
    pub plain: Vec<String>,
    /// The same where a value may begin, and only there: the character `?"` of Ruby, which is no `a ?"b" : c`.
    #[serde(default)]
    pub plain_operands: Vec<String>,
    /// Comments: passed over.
    #[serde(default)]
    pub comments: Vec<Delimited>,
    /// String, character and regular-expression literals.
    #[serde(default)]
    pub strings: Vec<Delimited>,
    /// Literals that begin on the next line and end with a line that holds their tag.
    #[serde(default)]
    pub heredocs: Vec<Heredoc>,
    /// Statements that import or name a package: passed over, since they repeat by nature.
    #[serde(default)]
    pub imports: Vec<Import>,
    /// Whether a name that is followed by a name or a literal calls it: `f x y`, `cp a b`, `[a take: b]`.
    #[serde(default)]
    pub juxtaposed_calls: bool,
    /// Regular expressions for how a line begins, behind its indentation, that opens test code: what is laid out below
    /// it belongs to the test. A copy in test code is a note, as one in a file of tests is.
    #[serde(default)]
    pub tests: Vec<String>,
    /// Code of other languages in a file of this one.
    #[serde(default)]
    pub regions: Vec<Region>,
    /// The language of the text around them, when it is another's: a template is a page with code in it.
    pub around: Option<String>,
    /// Whether a file is a Jupyter notebook: its code cells are its regions.
    #[serde(default)]
    pub notebook: bool,
    /// Source and the tokens expected of it: the table's own tests.
    #[serde(default)]
    pub examples: Vec<Example>,
}

/// Extensions that other languages own, and the text that makes a file this one.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Claim {
    /// The extension, without the dot, or several.
    pub extension: OneOrMany,
    /// A regular expression, searched in the first 16 KiB; `(?m)` is set.
    pub pattern: String,
    /// A regular expression that makes the file another's all the same.
    pub unless: Option<String>,
}

/// A comment or literal between an opener and a closer.
///
/// Opener and closer may hold one hole: `{#}` stands for any number of `#`
/// (likewise for any one character), `{tag}` for a word or nothing,
/// `{bracket}` for one bracket or punctuation character. The closer's hole is
/// what the opener's was; for a bracket its mirror image.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Delimited {
    /// What opens it; several openers may share the rest of the row.
    pub open: OneOrMany,
    /// What closes it; where several do, the longest. Default: for a comment the line end, for a literal its opener without leading letters.
    pub close: Option<OneOrMany>,
    /// What ends it and is no part of it: `?>` ends a comment of PHP.
    #[serde(default)]
    pub ends_before: Vec<String>,
    /// Where the opener counts.
    #[serde(default, rename = "where")]
    pub place: OpenerPlace,
    /// Whether the opener opens another level inside.
    #[serde(default)]
    pub nested: bool,
    /// The character that takes the meaning from the next one.
    pub escape: Option<char>,
    /// Texts that look like the closer or an interpolation but are plain (`""`, `{{`).
    #[serde(default)]
    pub plain: Vec<String>,
    /// Whether it is a name: `` `a b` `` of Kotlin.
    #[serde(default)]
    pub name: bool,
    /// Whether it goes on past the line end. Default: a comment with a closer does, a literal does not.
    pub multi_line: Option<bool>,
    /// A language: what the literal holds is code of it, and read as such.
    pub holds: Option<String>,
    /// Whether a file that holds the closer begins inside of it: text before the first `<?php`.
    #[serde(default)]
    pub at_start: bool,
    /// The literal holds one character or one escape; else the opener is
    /// punctuation (Rust lifetimes, Ada ticks).
    #[serde(default)]
    pub one_character: bool,
    /// Brackets in which the closer does not count: `[` `]` of a regular expression.
    #[serde(default)]
    pub shelter: Option<Delimiters>,
    /// Openers and closers of code inside the literal.
    #[serde(default)]
    pub interpolation: Vec<Delimiters>,
    /// Whether a second body follows, up to the same closer or in brackets of its own: `s/a/b/`, `s{a} {b}` of Perl.
    #[serde(default)]
    pub second: bool,
    /// Whether letters right behind the closer belong to it: `/a/gi`.
    #[serde(default)]
    pub flags: bool,
    /// Whether the rest of the closer's line belongs to it: `=end of story` of Ruby.
    #[serde(default)]
    pub whole_line: bool,
}

/// Where an opener counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpenerPlace {
    /// Anywhere outside comments and literals.
    #[default]
    Anywhere,
    /// In the first column.
    LineStart,
    /// Before anything else on its line but space.
    LineFirst,
    /// Where a value may begin: not after a name, a literal or a closing bracket.
    Operand,
    /// Where a value may begin, and as the argument of a call without brackets: first on a line, or
    /// after a name with space before it and none behind (`f %(a)`, but `f % (a)`).
    Argument,
    /// Anywhere but right after a word: the `#` of `a#b` opens no comment.
    Apart,
}

/// An opener and its closer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Delimiters {
    /// What opens it.
    pub open: String,
    /// What closes it.
    pub close: String,
}

/// A literal whose body begins on the next line and ends with a line that holds its tag.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Heredoc {
    /// What opens it: `<<`.
    pub open: String,
    /// Characters that may stand between opener and tag, and allow the last line to be indented.
    #[serde(default)]
    pub indented: String,
    /// Whether every heredoc's last line may be indented.
    #[serde(default)]
    pub always_indented: bool,
    /// Whether a tag without quotes must be in capitals (`a << b` shifts).
    #[serde(default)]
    pub capital_tag: bool,
}

/// A statement that imports, includes or names a package.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Import {
    /// The word or words it begins with, first on a line: `import`, `#include`.
    pub first: OneOrMany,
    /// Where it ends, outside brackets.
    #[serde(default)]
    pub ends: ImportEnd,
    /// Punctuation that, right after the word, makes it something else: `(` of `import(x)`.
    #[serde(default)]
    pub not_before: String,
    /// Punctuation that, anywhere in the statement, makes it something else: `{` of a module with a body.
    #[serde(default)]
    pub not_with: String,
    /// Brackets right behind the word in which nothing opens: `<` and `>` of `#include <sys/*.h>`.
    pub verbatim: Option<Delimiters>,
}

/// Where an import statement ends, outside brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImportEnd {
    /// At the line end or a `;`.
    #[default]
    Line,
    /// At a `;`.
    Semicolon,
}

/// Code of another language inside a file: a script in a page, a block in a document.
///
/// The row whose beginning is found first holds; of two at one place the first of the table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Region {
    /// A regular expression for what stands before the code; `(?m)` is set. The group
    /// `language`, if it takes part, names the language: a table, an extension, an interpreter.
    pub begin: String,
    /// A regular expression for what stands after the code; `(?m)` is set, and `{name}` is what the
    /// group `name` of `begin` matched. Default, and where none is found: the end of the text.
    pub end: Option<String>,
    /// The language where `begin` names none. Without one the region is passed over.
    pub language: Option<String>,
    /// Whether the code is what follows and is indented more than the line of `begin`.
    #[serde(default)]
    pub indented: bool,
}

/// Source, and the tokens expected of it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Example {
    /// What is special about it.
    pub shows: String,
    /// The source.
    pub source: String,
    /// Keywords and punctuation as they are, `i:name`, `n:1`, `s:"text"`.
    pub tokens: Vec<String>,
}

/// One string, or a list of them.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, expecting = "it must be a string or a list of strings")]
pub enum OneOrMany {
    /// One.
    One(String),
    /// A list.
    Many(Vec<String>),
}

impl OneOrMany {
    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        match self {
            Self::One(one) => std::slice::from_ref(one).iter(),
            Self::Many(many) => many.iter(),
        }
        .map(String::as_str)
    }
}

/// Why a language table could not be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TableError {
    /// The text is not TOML, or holds unknown keys or values of another type.
    #[error("{0}")]
    Syntax(String),
    /// A value is well formed but cannot be used.
    #[error("{}: {why}", shown(*row, key))]
    Value {
        /// The list that holds the row, and the row's place in it, from 0.
        row: Option<(&'static str, usize)>,
        /// The key that holds it; `interpolation.close` is a key of a table in the row.
        key: &'static str,
        /// What is wrong with it.
        why: String,
    },
}

/// A key as a message names it: "`close` of row 2 of `strings`".
fn shown(row: Option<(&str, usize)>, key: &str) -> String {
    match row {
        None => format!("`{key}`"),
        Some((list, row)) => format!("`{key}` of row {} of `{list}`", row + 1),
    }
}

impl TableError {
    /// A value of `key` that cannot be used.
    pub(super) fn value(key: &'static str, why: impl Into<String>) -> Self {
        Self::Value { row: None, key, why: why.into() }
    }

    /// This error, of row `n` of `list`.
    pub(super) fn in_row(self, list: &'static str, n: usize) -> Self {
        match self {
            Self::Value { row: None, key, why } => Self::Value { row: Some((list, n)), key, why },
            other => other,
        }
    }
}

impl Table {
    /// Reads a table from TOML.
    ///
    /// # Errors
    /// [`TableError::Syntax`] for malformed TOML and unknown keys, with the line.
    pub fn parse(toml: &str) -> Result<Self, TableError> {
        toml::from_str(toml).map_err(|error| TableError::Syntax(error.to_string()))
    }

    /// The family whose languages it is compared with.
    pub fn family(&self) -> String {
        self.family.clone().unwrap_or_else(|| self.name.to_lowercase())
    }
}
