//! Reads language tables: the keys of `config/languages/*.toml`, checked.
//!
//! A table contains everything known about a language; the lexer has no list of languages. Users
//! add or replace languages in their settings with the same keys.

use serde::Deserialize;

/// A language as defined by its table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "the table of a language, `[language.NAME]`"
)]
pub struct Table {
    /// Its display name.
    pub name: String,
    /// Languages of one family are compared with each other (C with C++). Default: the name in
    /// lower case.
    pub family: Option<String>,
    /// Whether its files are data or prose, which are repetitive by nature and only compared on
    /// request.
    #[serde(default)]
    pub data: bool,
    /// Whether its files are declarative: markup, style sheets, schemas, queries, build rules.
    /// These are repetitive by nature: they are compared, and a copy in them is a note.
    #[serde(default)]
    pub declarative: bool,
    /// File name endings without the leading dot, in lower case; at most one language owns each.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Whole file names; one `*` in a name matches any text (`Dockerfile.*`).
    #[serde(default)]
    pub file_names: Vec<String>,
    /// Interpreters of a `#!` line, without a version.
    #[serde(default)]
    pub shebangs: Vec<String>,
    /// Other names of the language, in lower case.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Extensions that several languages have, and text that speaks for this one.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// Whether words are case-insensitive.
    #[serde(default)]
    pub case_insensitive: bool,
    /// Characters that start an identifier, besides letters, `_` and all non-ASCII characters.
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
    /// Reserved words whose brackets come before a statement: a `/` after `if (a)` divides nothing.
    /// Separated by white space.
    #[serde(default)]
    pub heads: String,
    /// Words that are operators where they follow a value in such brackets: a `/` after `for (a of`
    /// divides nothing. Separated by white space.
    #[serde(default)]
    pub infix: String,
    /// Characters before the name of a variable: a brace after `$a` or `%` holds a subscript or a
    /// name, and is no block.
    #[serde(default)]
    pub sigils: String,
    /// Operators that may follow a value, and leave it one: a `/` after `a++` divides.
    #[serde(default)]
    pub postfix: Vec<String>,
    /// Whether values may be elements, as in JSX: between the tags of `<b>don't</b>` is text, where
    /// nothing opens.
    #[serde(default)]
    pub elements: bool,
    /// Whether `\u002f` is a slash wherever it is.
    #[serde(default)]
    pub unicode_escapes: bool,
    /// Whether a backslash at the end of a line joins words.
    #[serde(default)]
    pub spliced_words: bool,
    /// Texts outside comments and literals that open nothing, although part of them would: `\"` in
    /// a shell.
    #[serde(default)]
    pub plain: Vec<String>,
    /// The same, but only where a value may begin: the character `?"` in Ruby, as opposed to `a
    /// ?"b" : c`.
    #[serde(default)]
    pub plain_operands: Vec<String>,
    /// The same, and where an argument of a call without brackets may begin: the symbol `:/` in
    /// Ruby, as opposed to `a ? b : /c/`.
    #[serde(default)]
    pub plain_arguments: Vec<String>,
    /// The keywords between which brackets that nothing opens end patterns, and no code inside a
    /// literal: `case $a in b)` and `esac`.
    pub cases: Option<Delimiters>,
    /// Comments, which are skipped.
    #[serde(default)]
    pub comments: Vec<TextRow>,
    /// String, character and regular-expression literals.
    #[serde(default)]
    pub strings: Vec<TextRow>,
    /// Literals that begin on the next line and end at a line with their tag.
    #[serde(default)]
    pub heredocs: Vec<Heredoc>,
    /// Statements that import or name a package: skipped, since they are repetitive by nature.
    #[serde(default)]
    pub imports: Vec<Import>,
    /// Whether a name followed by a name or a literal is a call: `f x y`, `cp a b`, `[a take: b]`.
    #[serde(default)]
    pub juxtaposed_calls: bool,
    /// Words that end a block on a line of their own, besides `end`, `fi`, `done`, `esac`, `endif`,
    /// `endfunction`, `endwhile` and `endfor`. Separated by white space, like the next ones.
    #[serde(default)]
    pub block_ends: String,
    /// Words that begin a line inside a function, and no function, besides those that most
    /// languages have: `if`, `else`.
    #[serde(default)]
    pub block_parts: String,
    /// Words before the name of a function, besides those that most languages have: `def`,
    /// `function`, `sub`.
    #[serde(default)]
    pub defines_functions: String,
    /// Words that decide what is done next, besides those that most languages have: `while`,
    /// `switch`, `raise`.
    #[serde(default)]
    pub control_flow: String,
    /// Regular expressions for the beginning of a line, after its indentation, that opens test
    /// code. The lines indented below it belong to the test. A copy in test code is a note, like
    /// one in a test file.
    #[serde(default)]
    pub tests: Vec<String>,
    /// Code of other languages in a file of this language.
    #[serde(default)]
    pub regions: Vec<Region>,
    /// The language of the text around the regions: a template is a page with code in it. Of a
    /// notebook, the language of cells for which none is named.
    pub around: Option<String>,
    /// The table whose regions its text has as well, behind its own: a template of pages has their
    /// scripts. What is left is still its own.
    pub page: Option<String>,
    /// Whether its files are templates of others: `a.py.j2` is Python.
    #[serde(default)]
    pub template: bool,
    /// Whether a file is a Jupyter notebook: its code cells are its regions.
    #[serde(default)]
    pub notebook: bool,
    /// Whether its files are pages of the Web: where prose is compared, only their text counts.
    #[serde(default)]
    pub pages: bool,
    /// How a function is written that two others call: for the action of editors that writes one
    /// for two copies.
    pub helper: Option<Helper>,
    /// Source and its expected tokens: the table's own tests.
    #[serde(default)]
    pub examples: Vec<Example>,
}

/// How a function is written that two others call.
///
/// It is the first of the two with another name, and with a parameter for each thing in which they
/// differ. The patterns are searched in a line of code around the word in question: its tokens with
/// a space between and `HERE` in place of the word, with two tokens before the bracket that it is
/// in, or else from the start of the line, to the token behind the line end, which is one.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Helper {
    /// Its name: `{name}` is that of the first function, `{Name}` the same with a capital.
    pub name: String,
    /// A parameter: `{name}` and, where parameters have types, `{type}`.
    pub parameter: String,
    /// What the two functions do: `{call}` is the call.
    pub call: String,
    /// The same where the head says that something is returned. Default: `call`.
    pub returns: Option<String>,
    /// Words before the head of a function that the helper gets as well: `async`. Separated by
    /// white space, like the next ones.
    #[serde(default)]
    pub modifiers: String,
    /// Words before it that the helper does not get: `pub`.
    #[serde(default)]
    pub visibility: String,
    /// A regular expression for the line of what may annotate such a function. Default: nothing
    /// may.
    pub annotations: Option<String>,
    /// Words that functions may be indented in besides those of methods: `mod`.
    #[serde(default)]
    pub scopes: String,
    /// Words that the methods of an object may be indented in: `class`.
    #[serde(default)]
    pub types: String,
    /// Words that, beside those, make it something else: `trait`.
    #[serde(default)]
    pub not_types: String,
    /// The first parameter of a method: `self`. Default: it is none.
    pub receiver: Option<String>,
    /// The call of a method: `self.{call}`.
    #[serde(default)]
    pub method: String,
    /// Words with which a function is left alone.
    #[serde(default)]
    pub not_with: String,
    /// The same of a function that is no method.
    #[serde(default)]
    pub only_in_methods: String,
    /// Text in the type of a result with which a function is left alone: `&` of Rust borrows from a
    /// parameter.
    pub not_returned: Option<String>,
    /// Whether a string that is the first statement is documentation, which stays.
    #[serde(default)]
    pub docstrings: bool,
    /// A pattern for the first occurrence of a name that the function declares.
    pub locals: String,
    /// What may be a parameter.
    #[serde(default)]
    pub values: Vec<HelperValue>,
}

/// Words that may be parameters of a helper: both functions have one of them in the same place.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HelperValue {
    /// A regular expression for the word.
    pub word: String,
    /// The name of the parameter.
    pub name: String,
    /// Its type; `{values}` are both words with a `|` between.
    #[serde(default, rename = "type")]
    pub of_type: String,
    /// A pattern for where it may be. Default: anywhere.
    #[serde(default)]
    pub within: String,
    /// A pattern for where it may not be. Default: nowhere.
    pub not_within: Option<String>,
}

/// Extensions that several languages have, and text that speaks for this one.
///
/// A file is in the language that the most speaks for, by the sum of the weights of all matches;
/// the owner of its extension wins a tie, and may have claims to it as well. What the owner reads
/// as a comment or inside of a literal speaks for nobody.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Claim {
    /// The extension, without the dot, or several; `*` is that of all files whose name says
    /// nothing.
    pub extension: OneOrMany,
    /// A regular expression, searched in the first 16 KiB; `(?m)` is set. Of its matches, ten
    /// count.
    pub pattern: String,
    /// What a match is worth, -100 to 100; below 0 it speaks against the language, wherever it
    /// stands. Default 1.
    #[serde(default = "plain")]
    pub weight: i32,
}

fn plain() -> i32 {
    1
}

/// A comment or literal between an opener and a closer.
///
/// Opener and closer may contain one placeholder: `{#}` matches any number of `#` (the same for any
/// one character), `{blank}` spaces and tabs or nothing, `{splice}` backslashes with a line end
/// each or nothing, `{tag}` a word or nothing, `{extension}` a name with dots and, behind blanks, a
/// word or nothing, which is what the closer's matches, `{delimiter}` up to 16 characters that are
/// neither spaces nor round brackets nor backslashes, `{bracket}` one bracket or punctuation character,
/// `{quote}` the same behind blanks, but no closing bracket. The closer's placeholder matches the
/// same text as the opener's, or its mirror image for a bracket.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TextRow {
    /// Its opener; several openers may share the rest of the row.
    pub open: OneOrMany,
    /// Its closer; of several, the longest match counts. Default: for a comment the line end, for a
    /// literal its opener without leading letters.
    pub close: Option<OneOrMany>,
    /// What ends it without being part of it: `?>` ends a PHP comment.
    #[serde(default)]
    pub ends_before: Vec<String>,
    /// Where the opener is recognized.
    #[serde(default, rename = "where")]
    pub place: OpenerPlace,
    /// Whether the opener opens another level inside.
    #[serde(default)]
    pub nested: bool,
    /// The escape character.
    pub escape: Option<char>,
    /// Texts that look like the closer or an interpolation but are plain (`""`, `{{`).
    #[serde(default)]
    pub plain: Vec<String>,
    /// Whether it is a name: `` `a b` `` in Kotlin.
    #[serde(default)]
    pub name: bool,
    /// Whether it continues past the line end. Default: a comment with a closer does, a literal
    /// does not.
    pub multi_line: Option<bool>,
    /// The language of the code that the literal contains.
    pub holds: Option<String>,
    /// Whether a file that contains the closer begins inside it: text before the first `<?php`.
    #[serde(default)]
    pub at_start: bool,
    /// Whether the literal is one character or one escape; otherwise the opener is
    /// punctuation (Rust lifetimes, Ada ticks).
    #[serde(default)]
    pub one_character: bool,
    /// Brackets in which the closer does not count: `[` `]` in a regular expression.
    pub shelter: Option<Delimiters>,
    /// Openers and closers of code inside the literal.
    #[serde(default)]
    pub interpolation: Vec<Delimiters>,
    /// The character that ends such code, outside of brackets, and begins the format of its value,
    /// which is text: `{width:>8}`.
    pub format_after: Option<char>,
    /// Whether a second body follows, up to the same closer or in brackets of its own: `s/a/b/`,
    /// `s{a} {b}` of Perl.
    #[serde(default)]
    pub second: bool,
    /// Whether its closer must be first on its line, after white space: a text in Elixir may hold
    /// `"""`.
    #[serde(default)]
    pub close_first: bool,
    /// Words right before it that make it a name: `sub q {}` in Perl. Separated by white space.
    #[serde(default)]
    pub not_after: String,
    /// Whether its closer does not count in strings and characters, which it may hold: `(* "*)" *)`
    /// in OCaml.
    #[serde(default)]
    pub holds_strings: bool,
    /// Whether it holds expansions of a shell: the braces and quotes in `"${a:-"b}"}"` count,
    /// however deep.
    #[serde(default)]
    pub expansions: bool,
    /// The character that ends the code inside of a literal in which alone it is recognized: `\"`
    /// between backticks.
    pub within: Option<char>,
    /// Whether it also ends before a line with an `#endif`, `#else` or `#elif` whose `#if` is not
    /// in it: in code that is left out, compilers read these directives and nothing else.
    #[serde(default)]
    pub conditional: bool,
    /// Whether letters right after the closer belong to it: `/a/gi`.
    #[serde(default)]
    pub flags: bool,
    /// Whether the rest of the closer's line belongs to it: `=end of story` in Ruby.
    #[serde(default)]
    pub whole_line: bool,
}

/// Where an opener is recognized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpenerPlace {
    /// Anywhere outside comments and literals.
    #[default]
    Anywhere,
    /// In the first column.
    LineStart,
    /// In the first column, before all code.
    FileStart,
    /// In the first column, where a statement may begin: after a `;`, or a brace that holds
    /// statements.
    Statement,
    /// First on its line, after white space.
    LineFirst,
    /// Where a value may begin: not after a name, a literal or a closing bracket.
    Operand,
    /// Where a value may begin, and as the argument of a call without brackets: first on a line, or
    /// after a name if there is a space before the opener and none after it (`f %(a)`, but not `f %
    /// (a)`).
    Argument,
    /// Anywhere except right after a word: the `#` in `a#b` does not open a comment.
    Apart,
    /// At the start of a word of a shell: after white space, a backtick or one of `;&|<>()`.
    WordStart,
    /// Where a value may begin, and after white space.
    Spaced,
    /// Where a word quotes what follows, as `q` and `s` of Perl do: it is no name of a variable, of
    /// a member or before `=>`, and its literal is closed.
    Quote,
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

/// A literal whose body begins on the next line and ends at a line with its tag.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Heredoc {
    /// What opens it: `<<`.
    pub open: String,
    /// Characters allowed between opener and tag, after which the last line may be indented.
    #[serde(default)]
    pub indented: String,
    /// Whether every heredoc's last line may be indented.
    #[serde(default)]
    pub always_indented: bool,
    /// Where the opener is recognized. An `argument` is none after a variable with a sigil: `$a
    /// <<B` shifts.
    #[serde(default, rename = "where")]
    pub place: OpenerPlace,
    /// Keywords after which a variable or a block is a file, and the tag comes after that: `print
    /// $file <<A` in Perl. Separated by white space. Where there are any, a line end ends no
    /// statement.
    #[serde(default)]
    pub files: String,
    /// Whether a tag that has small letters and no quotes counts only if its last line is there (`a
    /// <<b` may shift).
    #[serde(default)]
    pub capital_tag: bool,
    /// Whether a tag is any word of a shell, after blanks, with quotes and escapes removed: `!`,
    /// `E"O"F`, `'a b'`. The last line of an indented one is indented by tabs, and `((a << b))`
    /// shifts.
    #[serde(default)]
    pub word_tag: bool,
    /// Whether blanks or a backslash may come before a tag, as in `<< "A"` and `<<\A`.
    #[serde(default)]
    pub spaced_tag: bool,
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
    /// Punctuation that, next after the word, makes it something else: `(` in `import(x)`.
    #[serde(default)]
    pub not_before: String,
    /// Punctuation that, anywhere in the statement, makes it something else: `{` in a module with a
    /// body.
    #[serde(default)]
    pub not_with: String,
    /// Words that, anywhere in the statement, make it something else, since they hold code: `sub`
    /// in Perl. Separated by white space.
    #[serde(default)]
    pub not_with_words: String,
    /// All punctuation that the statement may contain; any other makes it something else. Default:
    /// any.
    #[serde(default)]
    pub only_with: String,
    /// Whether a `=` in it may only follow its first name: `using A = B;` is an alias, `using A b =
    /// c();` a declaration.
    #[serde(default)]
    pub alias: bool,
    /// Whether line ends and semicolons separate names in its brackets, as in Go. Elsewhere these
    /// separate statements, which no import holds.
    #[serde(default)]
    pub lines: bool,
    /// What it imports if the comment right before it is code, as `"C"` in Go.
    pub preamble: Option<String>,
    /// The language of the code in such a comment.
    pub holds: Option<String>,
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
    /// At the line end, whatever is open: `#include`.
    Directive,
}

/// Code of another language inside a file: a script in a page, a block in a document.
///
/// The row whose `begin` matches first applies; of two at the same place, the first in the table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Region {
    /// A regular expression for the text before the code; `(?m)` is set. The group `language`, if
    /// it matches, names the language: a table, an extension, or an interpreter.
    pub begin: String,
    /// A regular expression for the text after the code; `(?m)` is set, and `{name}` is what the
    /// group `name` of `begin` matched. What a group `text` matches is part of the code. Default,
    /// and if there is no match: the end of the text.
    pub end: Option<String>,
    /// The language if `begin` does not name one. Without either, the region is skipped.
    pub language: Option<String>,
    /// Whether the code is the lines that follow and are indented more than the line of `begin`.
    #[serde(default)]
    pub indented: bool,
}

/// Source and its expected tokens.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Example {
    /// What it demonstrates.
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
        let all = match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        };
        all.iter().map(String::as_str)
    }
}

/// Why a language table could not be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TableError {
    /// The text is not TOML, or has unknown keys or values of the wrong type.
    #[error("{0}")]
    Syntax(String),
    /// A value is well formed but cannot be used.
    #[error("{}: {why}", shown(*row, key))]
    Value {
        /// The list that contains the row, and the row's position in it, from 0.
        row: Option<(&'static str, usize)>,
        /// The key; `interpolation.close` is a key of a table in the row.
        key: &'static str,
        /// What is wrong with it.
        why: String,
    },
}

/// A key as shown in messages: "`close` of row 2 of `strings`".
fn shown(row: Option<(&str, usize)>, key: &str) -> String {
    let of = row.map(|(list, row)| format!(" of row {} of `{list}`", row + 1));
    format!("`{key}`{}", of.unwrap_or_default())
}

impl TableError {
    /// An unusable value of `key`.
    pub(super) fn value(key: &'static str, why: impl Into<String>) -> Self {
        Self::Value { row: None, key, why: why.into() }
    }

    /// This error, located in row `n` of `list`.
    pub(super) fn in_row(self, list: &'static str, n: usize) -> Self {
        match self {
            Self::Value { row: None, key, why } => Self::Value { row: Some((list, n)), key, why },
            other => other,
        }
    }
}

/// What `read` makes of each row of `list`; what is wrong with one names it.
pub(super) fn each_row<R, T>(
    list: &'static str,
    rows: &[R],
    read: impl Fn(&R) -> Result<T, TableError>,
) -> Result<Vec<T>, TableError> {
    let read = rows.iter().map(read).enumerate();
    read.map(|(n, row)| row.map_err(|error| error.in_row(list, n))).collect()
}

impl Table {
    /// Reads a table from TOML.
    ///
    /// # Errors
    /// [`TableError::Syntax`] for malformed TOML and unknown keys, with the line.
    pub fn parse(toml: &str) -> Result<Self, TableError> {
        toml::from_str(toml).map_err(|error| TableError::Syntax(error.to_string()))
    }

    /// The family of languages that it is compared with.
    pub fn family(&self) -> String {
        self.family.clone().unwrap_or_else(|| self.name.to_lowercase())
    }
}
