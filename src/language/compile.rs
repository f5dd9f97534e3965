//! Compiles a table into the form that the lexer runs: byte classes, openers, keywords.

use super::hash;
use super::keywords::Keywords;
use super::swar::{self, Few, WordBytes};
use super::table::{Delimiters, Heredoc, Import, OpenerPlace, Table, TableError, TextRow};
use super::token::Family;

/// A set of byte classes; a byte may be in several.
pub(super) type Class = u8;
/// Space that is not a line end, and control characters.
pub(super) const SPACE: Class = 1;
/// May start an identifier.
pub(super) const START: Class = 2;
/// May continue an identifier.
pub(super) const CONTINUE: Class = 4;
/// A digit.
pub(super) const DIGIT: Class = 8;
/// A comment, literal or heredoc may open here.
pub(super) const OPENER: Class = 16;
/// The line end.
pub(super) const NEWLINE: Class = 32;
/// A word that starts here may open a literal or comment (`r"`, `rem`).
pub(super) const WORD_OPENER: Class = 64;
/// Punctuation that needs a closer look: the backslash.
pub(super) const ODD: Class = 128;

/// A table in the form that the lexer runs.
#[derive(Debug)]
pub(super) struct CompiledTable {
    pub classes: [Class; 256],
    /// The bytes of words, if they can be matched eight at a time.
    pub word_bytes: Option<WordBytes>,
    /// The bytes that may follow a word that opens something.
    pub follows_word_opener: [bool; 256],
    /// Bytes that may continue a number although they are not letters or digits.
    pub lengthens_number: [bool; 256],
    /// Openers by their first byte, those that match more bytes first.
    pub openers: Vec<Opener>,
    /// For each first byte, its range in `openers`.
    pub openers_at: [(u16, u16); 256],
    pub rules: Vec<Rule>,
    pub heredocs: Vec<HeredocRule>,
    pub keywords: Keywords,
    /// Keywords whose brackets come before a statement.
    pub heads: Vec<Box<[u8]>>,
    /// Words that are operators behind a value in the brackets of a head.
    pub infix: Vec<Box<[u8]>>,
    /// The keywords between which brackets that nothing opens end patterns.
    pub cases: Option<[Box<[u8]>; 2]>,
    /// What comes before the name of a variable.
    pub sigils: Box<[u8]>,
    /// Whether double brackets hold arithmetic.
    pub has_arithmetic: bool,
    /// Whether the escape of a character is that character, wherever it is.
    pub has_unicode_escapes: bool,
    /// Operators that leave a value one.
    pub postfix: Vec<Box<[u8]>>,
    /// Whether values may be elements.
    pub has_elements: bool,
    /// Whether a backslash at the end of a line joins words.
    pub has_spliced_words: bool,
    pub imports: Vec<ImportRule>,
    /// Whether a comment before an import may be code.
    pub has_preambles: bool,
    /// Bit n is set if the hash of a word that begins an import, or makes it something else, ends
    /// in n; this filters out most words.
    pub import_bits: u64,
    /// The rule inside of which files begin.
    pub at_start: Option<usize>,
    pub family: Family,
    /// Folds letters to lower case when or-ed to every byte of a word; 0 or `0x20…`.
    pub fold: u64,
    pub digit_separators: [bool; 256],
}

/// A text that opens a comment, a literal or a heredoc.
#[derive(Debug)]
pub(super) struct Opener {
    pub head: Box<[u8]>,
    pub hole: Option<Hole>,
    pub tail: Box<[u8]>,
    /// The length of the word it begins with; 0 for punctuation.
    pub n_word: usize,
    pub opens: Opens,
    /// Whether it opens its rule everywhere, and always with the same closer.
    pub is_plain: bool,
    /// The first bytes of the head as a number, and a mask of the bytes that count.
    value: u64,
    counts: u64,
}

impl Opener {
    /// Whether its head is at `at`; its letters are in lower case if `fold` is not 0.
    #[inline]
    pub fn is_at(&self, text: &[u8], at: usize, fold: u64) -> bool {
        let n_head = self.head.len();
        if fold != 0 {
            return text
                .get(at..at + n_head)
                .is_some_and(|head| head.eq_ignore_ascii_case(&self.head));
        }
        (swar::load(text, at) ^ self.value) & self.counts == 0
            && at + n_head <= text.len()
            && (n_head <= 8 || text[at..].starts_with(&self.head))
    }
}

/// What an opener opens, as an index into the rules of that kind.
#[derive(Debug, Clone, Copy)]
pub(super) enum Opens {
    Rule(usize),
    Heredoc(usize),
    /// Nothing: the text is punctuation.
    Nothing,
    /// Nothing where a value may begin; elsewhere the text is not an opener.
    NothingAsOperand,
    /// The same, and as the argument of a call.
    NothingAsArgument,
}

/// The part of an opener that its closer repeats: its placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hole {
    /// Any number of one byte.
    Repeat(u8),
    /// Spaces and tabs, or nothing.
    Blank,
    /// Backslashes with a line end each, or nothing.
    Splice,
    /// A word, or nothing.
    Tag,
    /// The name of an extension, and behind blanks a word, which the closer has.
    Extension,
    /// What may stand between the quote and the bracket of a raw string in C++, or nothing.
    Delimiter,
    /// One bracket or punctuation byte.
    Bracket,
    /// The same that closes nothing, behind blanks.
    Quote,
}

/// How a comment or literal ends.
#[derive(Debug)]
pub(super) struct Rule {
    pub is_comment: bool,
    /// `None`: the line end.
    pub close: Option<Closer>,
    /// Further closers.
    pub other_closes: Vec<Box<[u8]>>,
    pub ends_before: Vec<Box<[u8]>>,
    pub place: OpenerPlace,
    /// The opener that starts another level, when levels nest.
    pub nests: Option<Box<[u8]>>,
    pub escape: Option<u8>,
    pub plain: Vec<Box<[u8]>>,
    pub is_multi_line: bool,
    pub is_one_character: bool,
    /// Whether it is a name rather than a literal.
    pub is_name: bool,
    /// Whether its body is code of another language.
    pub is_held: bool,
    /// Whether its closer must be first on its line.
    pub closes_first: bool,
    /// Whether strings in it hide its closer.
    pub has_strings: bool,
    /// Whether expansions in it do.
    pub has_expansions: bool,
    pub not_after: Vec<Box<[u8]>>,
    /// What ends the code around it, inside of another literal.
    pub within: Option<u8>,
    /// Whether backslashes at the end of lines may be in its closer.
    pub has_splices: bool,
    /// Whether a directive without its other half ends it.
    pub is_conditional: bool,
    pub shelter: Option<(u8, u8)>,
    pub interpolation: Vec<(Box<[u8]>, u8)>,
    /// What ends code inside, besides its closer.
    pub format_after: Option<u8>,
    /// What belongs to it after its closer.
    pub tail: Tail,
    /// Bytes at which the body needs a closer look; the closer's own unless its placeholder is a
    /// bracket.
    pub stops: Box<[bool; 256]>,
    /// The same, if they are at most three and the closer has no placeholder.
    pub few_stops: Option<Few>,
    /// How the body ends.
    pub ending: Ending,
}

/// What belongs to a comment or literal after its closer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tail {
    /// A second body.
    pub is_second: bool,
    /// Letters.
    pub has_flags: bool,
    /// The rest of the line.
    pub is_whole_line: bool,
}

/// How the body of a comment or literal ends, the simplest first.
#[derive(Debug)]
pub(super) enum Ending {
    /// At the line end, whatever precedes it.
    Line,
    /// At the first occurrence of the closer, whatever precedes it; `None` if it has a placeholder.
    Closer(Option<Box<memchr::memmem::Finder<'static>>>),
    /// At this byte, or at the line end unless the rule is multi-line; only an escape hides either.
    Quote(u8),
    /// Anything that a rule can express.
    Any,
}

impl Rule {
    /// Whether its opener opens it everywhere, and its closer is always the same.
    fn is_plain(&self) -> bool {
        let has_one_close = self.close.as_ref().is_none_or(|close| close.hole.is_none());
        let is_simple = !self.is_one_character
            && !self.is_held
            && self.within.is_none()
            && !self.is_conditional
            && self.tail == Tail::default();
        has_one_close && self.place == OpenerPlace::Anywhere && is_simple
    }

    /// The closer, if it is always the same.
    pub fn fixed_close(&self) -> &[u8] {
        self.close.as_ref().map_or(b"", |close| &close.head)
    }

    fn ending(&self) -> Ending {
        let is_simple = self.other_closes.is_empty()
            && self.ends_before.is_empty()
            && self.nests.is_none()
            && self.plain.is_empty()
            && self.shelter.is_none()
            && !self.closes_first
            && !self.has_strings
            && !self.has_expansions
            && self.interpolation.is_empty();
        let has_escape = self.escape.is_some();
        let is_fixed = |close: &&Closer| close.hole.is_none() && !close.head.is_empty();
        let fixed = self.close.as_ref().filter(is_fixed).map(|close| &*close.head);
        let finder = |close| Box::new(memchr::memmem::Finder::new(close).into_owned());
        match fixed {
            _ if self.close.is_none() && !has_escape && self.ends_before.is_empty() => Ending::Line,
            _ if is_simple && self.is_multi_line && !has_escape && !self.tail.is_whole_line => {
                Ending::Closer(fixed.map(finder))
            }
            Some(&[quote]) if is_simple => Ending::Quote(quote),
            _ => Ending::Any,
        }
    }
}

#[derive(Debug)]
pub(super) struct Closer {
    pub head: Box<[u8]>,
    pub hole: Option<Hole>,
    pub tail: Box<[u8]>,
}

#[derive(Debug)]
pub(super) struct HeredocRule {
    pub row: Heredoc,
    /// Keywords after which a variable or a block is a file.
    pub files: Vec<Box<[u8]>>,
}

#[derive(Debug)]
pub(super) struct ImportRule {
    pub row: Import,
    /// The punctuation before the word: `#` of `#include`, `:-` of `:- use_module`.
    pub mark: Box<[u8]>,
    pub word: u32,
    /// The hashes of words that make it something else.
    pub not_with_words: Box<[u32]>,
    /// The number of brackets in its mark, which are open when it begins.
    pub n_open: usize,
    /// What it imports if the comment before it is code, and the row of that code's language: after
    /// those of the strings.
    pub preamble: Option<(Box<[u8]>, usize)>,
    /// Brackets right behind the word in which nothing opens.
    pub verbatim: Option<(u8, u8)>,
}

impl CompiledTable {
    /// Compiles `table`.
    ///
    /// # Errors
    /// [`TableError::Value`] names the key with the unusable value.
    pub fn new(table: &Table) -> Result<Self, TableError> {
        let fold = if table.case_insensitive { hash::FOLD } else { 0 };
        let mut classes = byte_classes(table)?;
        let rules = rules(table)?;
        let heredocs = table.heredocs.iter().enumerate();
        let heredoc = |(n, row): (usize, &Heredoc)| match &*row.open {
            "" => Err(TableError::value("open", "it is empty").in_row("heredocs", n)),
            _ => Ok(HeredocRule { files: words(&row.files), row: row.clone() }),
        };
        let heredocs = heredocs.map(heredoc).collect::<Result<_, _>>()?;
        classes[b'\\' as usize] |= ODD;
        let mut openers = openers(table)?;
        for opener in &mut openers {
            opener.is_plain = opener.n_word == 0
                && opener.hole.is_none()
                && opener.tail.is_empty()
                && matches!(opener.opens, Opens::Rule(rule) if rules[rule].is_plain());
            let class = if opener.n_word > 0 { WORD_OPENER } else { OPENER };
            classes[opener.head[0] as usize] |= class;
        }
        if table.elements {
            classes[b'<' as usize] |= OPENER;
        }
        if table.case_insensitive {
            for opener in openers.iter().filter(|opener| opener.n_word > 0) {
                classes[opener.head[0].to_ascii_uppercase() as usize] |= WORD_OPENER;
            }
        }
        let mut openers_at = [(0, 0); 256];
        for (at, opener) in openers.iter().enumerate() {
            let (from, to) = &mut openers_at[opener.head[0] as usize];
            *from = if *to == 0 { at as u16 } else { *from };
            *to = at as u16 + 1;
        }
        let imports = imports(table, fold)?;
        let numeric = [b".+-", table.digit_separators.as_bytes()].concat();
        Ok(Self {
            word_bytes: word_bytes(&classes),
            follows_word_opener: follows_word_opener(&openers),
            lengthens_number: byte_set(&numeric),
            import_bits: (imports.iter())
                .flat_map(|import| import.not_with_words.iter().chain([&import.word]))
                .fold(0, |bits, word| bits | 1 << (word & 63)),
            classes,
            openers,
            openers_at,
            rules,
            heredocs,
            keywords: keywords(table, fold),
            heads: words(&table.heads),
            infix: words(&table.infix),
            cases: table.cases.as_ref().map(|pair| [&pair.open, &pair.close].map(|of| bytes(of))),
            sigils: bytes(&table.sigils),
            has_arithmetic: table.heredocs.iter().any(|row| row.word_tag),
            has_unicode_escapes: table.unicode_escapes,
            postfix: table.postfix.iter().map(|text| bytes(text)).collect(),
            has_elements: table.elements,
            has_spliced_words: table.spliced_words,
            has_preambles: imports.iter().any(|import| import.preamble.is_some()),
            imports,
            at_start: (table.comments.iter().chain(&table.strings)).position(|row| row.at_start),
            family: Family::new(&table.family()),
            fold,
            digit_separators: byte_set(table.digit_separators.as_bytes()),
        })
    }
}

fn bytes(text: &str) -> Box<[u8]> {
    text.as_bytes().into()
}

fn words(text: &str) -> Vec<Box<[u8]>> {
    text.split_whitespace().map(bytes).collect()
}

/// Whether one of `words` is `text`.
pub(super) fn has_word(words: &[Box<[u8]>], text: &[u8]) -> bool {
    words.iter().any(|word| **word == *text)
}

/// Brackets that are a character each.
fn brackets(pair: &Delimiters) -> Option<(u8, u8)> {
    match (pair.open.as_bytes(), pair.close.as_bytes()) {
        (&[open], &[close]) => Some((open, close)),
        _ => None,
    }
}

fn byte_set(bytes: &[u8]) -> [bool; 256] {
    let mut set = [false; 256];
    for &byte in bytes {
        set[byte as usize] = true;
    }
    set
}

fn byte_classes(table: &Table) -> Result<[Class; 256], TableError> {
    let mut classes = [0; 256];
    for byte in 0..=255u8 {
        classes[byte as usize] = match byte {
            b'\n' | b'\r' => NEWLINE,
            0..=b' ' | 0x7F => SPACE,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => START | CONTINUE,
            b'0'..=b'9' => DIGIT | CONTINUE,
            _ => 0,
        };
    }
    let extra = [
        ("identifier-start", &table.identifier_start, START | CONTINUE),
        ("identifier-continue", &table.identifier_continue, CONTINUE),
    ];
    for (key, bytes, class) in extra {
        for byte in bytes.bytes() {
            if !byte.is_ascii_graphic() {
                return Err(TableError::value(key, "only printable ASCII characters can be named"));
            }
            classes[byte as usize] |= class;
        }
    }
    Ok(classes)
}

fn keywords(table: &Table, fold: u64) -> Keywords {
    let hashes = |words: &str| {
        words.split_whitespace().map(|word| hash::word(word.as_bytes(), fold)).collect::<Vec<_>>()
    };
    let values = hashes(&table.value_keywords);
    Keywords::new(&[hashes(&table.keywords), values.clone()].concat(), &values)
}

/// The bytes of words, unless there are too many to match eight at a time.
fn word_bytes(classes: &[Class; 256]) -> Option<WordBytes> {
    let is_besides = |byte: &u8| {
        classes[*byte as usize] & CONTINUE != 0
            && byte.is_ascii()
            && !byte.is_ascii_alphanumeric()
            && *byte != b'_'
    };
    WordBytes::new(&(0..=u8::MAX).filter(is_besides).collect::<Vec<_>>())
}

fn follows_word_opener(openers: &[Opener]) -> [bool; 256] {
    let mut follows = [false; 256];
    for opener in openers.iter().filter(|opener| opener.n_word > 0) {
        let tail = opener.tail.first();
        match (opener.head.get(opener.n_word), opener.hole, tail) {
            (Some(&next), ..) | (None, None, Some(&next)) => follows[next as usize] = true,
            (None, Some(Hole::Blank), Some(&next)) => {
                [b' ', b'\t', next].iter().for_each(|&next| follows[next as usize] = true);
            }
            (None, Some(Hole::Repeat(byte)), Some(&next)) => {
                [byte, next].iter().for_each(|&next| follows[next as usize] = true);
            }
            _ => follows = [true; 256],
        }
    }
    follows
}

/// Maximum punctuation characters before an importing word.
pub(super) const MAX_MARK: usize = 2;

fn imports(table: &Table, fold: u64) -> Result<Vec<ImportRule>, TableError> {
    let hash_of = |word: &str| hash::word(word.as_bytes(), fold) as u32;
    let mut rules = Vec::new();
    for (row, import) in table.imports.iter().enumerate() {
        for first in import.first.iter() {
            let word = first.trim_start_matches(|c: char| c.is_ascii_punctuation() && c != '_');
            let mark = &first.as_bytes()[..first.len() - word.len()];
            if word.is_empty() || mark.len() > MAX_MARK {
                let why = format!(
                    "`{first}` is not a word with at most {MAX_MARK} punctuation characters before it"
                );
                return Err(TableError::value("first", why).in_row("imports", row));
            }
            let verbatim = import.verbatim.as_ref().map(|pair| {
                let why = "its brackets are a character each";
                let error = || TableError::value("verbatim", why).in_row("imports", row);
                brackets(pair).ok_or_else(error)
            });
            let preamble = import.preamble.as_ref().filter(|_| import.holds.is_some());
            rules.push(ImportRule {
                row: import.clone(),
                preamble: preamble.map(|name| (bytes(name), table.strings.len() + row)),
                verbatim: verbatim.transpose()?,
                mark: mark.into(),
                word: hash_of(word),
                not_with_words: import.not_with_words.split_whitespace().map(hash_of).collect(),
                n_open: mark.iter().filter(|byte| matches!(byte, b'(' | b'[' | b'{')).count(),
            });
        }
    }
    Ok(rules)
}

fn openers(table: &Table) -> Result<Vec<Opener>, TableError> {
    let mut openers = Vec::new();
    let n_comments = table.comments.len();
    let lists = [("comments", &table.comments, 0), ("strings", &table.strings, n_comments)];
    for (list, rows, before) in lists {
        for (row, delimited) in rows.iter().enumerate() {
            if delimited.open.iter().next().is_none() {
                return Err(TableError::value("open", "it is empty").in_row(list, row));
            }
            for open in delimited.open.iter() {
                let opener = opener(open, Opens::Rule(before + row), table.case_insensitive);
                openers.push(opener.map_err(|error| error.in_row(list, row))?);
            }
        }
    }
    for (row, heredoc) in table.heredocs.iter().enumerate() {
        let opener = opener(&heredoc.open, Opens::Heredoc(row), false);
        openers.push(opener.map_err(|error| error.in_row("heredocs", row))?);
    }
    for (texts, opens) in [
        (&table.plain, Opens::Nothing),
        (&table.plain_operands, Opens::NothingAsOperand),
        (&table.plain_arguments, Opens::NothingAsArgument),
    ] {
        for text in texts {
            openers.push(opener(text, opens, table.case_insensitive)?);
        }
    }
    // The longest first: `--[[` before `--`, `"""` before `"`. The sort is
    // stable, so rows of the same length are tried in table order.
    openers.sort_by_key(|opener| {
        (opener.head[0], std::cmp::Reverse(opener.head.len() + opener.tail.len()))
    });
    Ok(openers)
}

fn opener(text: &str, opens: Opens, is_folded: bool) -> Result<Opener, TableError> {
    let text = if is_folded { text.to_ascii_lowercase() } else { text.to_owned() };
    let (head, hole, tail) = split_hole(&text);
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    // No word begins with a digit: the `0` of `0'c` is one opener together with what follows.
    let begins_word = head.first().is_some_and(|first| !first.is_ascii_digit());
    let n_word = if begins_word { head.iter().take_while(is_part).count() } else { 0 };
    if head.is_empty() {
        return Err(TableError::value("open", format!("`{text}` has nothing before its hole")));
    }
    let counts = if head.len() < 8 { swar::lowest(u64::MAX, head.len()) } else { u64::MAX };
    let (is_plain, value) = (false, swar::load(&head, 0));
    Ok(Opener { head, hole, tail, n_word, opens, is_plain, value, counts })
}

/// Splits `r{#}"` into `r`, the hole and `"`. A brace that begins no hole stands for itself:
/// `{{tag}|` begins with one.
fn split_hole(text: &str) -> (Box<[u8]>, Option<Hole>, Box<[u8]>) {
    let hole_at = |at: usize| {
        let (inside, tail) = text[at + 1..].split_once('}')?;
        let hole = match inside {
            "blank" => Hole::Blank,
            "splice" => Hole::Splice,
            "tag" => Hole::Tag,
            "extension" => Hole::Extension,
            "delimiter" => Hole::Delimiter,
            "bracket" => Hole::Bracket,
            "quote" => Hole::Quote,
            one if one.len() == 1 => Hole::Repeat(one.as_bytes()[0]),
            _ => return None,
        };
        Some((&text[..at], hole, tail))
    };
    match text.match_indices('{').find_map(|(at, _)| hole_at(at)) {
        Some((head, hole, tail)) => (bytes(head), Some(hole), bytes(tail)),
        None => (bytes(text), None, Box::default()),
    }
}

fn rules(table: &Table) -> Result<Vec<Rule>, TableError> {
    let of = |list, rows: &[TextRow]| -> Result<Vec<Rule>, TableError> {
        let rule = |(n, row)| rule(row, list == "comments").map_err(|error| error.in_row(list, n));
        rows.iter().enumerate().map(rule).collect()
    };
    let mut rules = of("comments", &table.comments)?;
    rules.extend(of("strings", &table.strings)?);
    let has_splices =
        |rule: &&mut Rule| table.spliced_words && rule.is_comment && rule.close.is_some();
    for rule in rules.iter_mut().filter(has_splices) {
        (rule.has_splices, rule.ending) = (true, Ending::Any);
    }
    // A string in a comment begins where it does elsewhere.
    let openers = table.strings.iter().flat_map(|row| row.open.iter());
    let firsts: Vec<u8> = openers.map(|open| open.as_bytes()[0]).collect();
    for rule in rules.iter_mut().filter(|rule| rule.has_strings) {
        firsts.iter().for_each(|&first| rule.stops[first as usize] = true);
        rule.few_stops = None;
    }
    Ok(rules)
}

fn rule(row: &TextRow, is_comment: bool) -> Result<Rule, TableError> {
    let first = row.open.iter().next().unwrap_or_default();
    let default_close = first.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let mut closes: Vec<&str> = match &row.close {
        Some(closes) => closes.iter().collect(),
        None if is_comment => Vec::new(),
        None => vec![default_close],
    };
    if closes.contains(&"") || closes.is_empty() && (row.close.is_some() || !is_comment) {
        return Err(TableError::value("close", format!("nothing closes `{first}`")));
    }
    let others = closes.split_off(closes.len().min(1));
    if let Some(other) = others.iter().find(|other| split_hole(other).1.is_some()) {
        let why = format!("only the first may have a hole, not `{other}`");
        return Err(TableError::value("close", why));
    }
    if row.holds.is_some() && (is_comment || row.nested || !row.interpolation.is_empty()) {
        let why =
            format!("what `{first}` opens must be a literal, neither nested nor with code inside");
        return Err(TableError::value("holds", why));
    }
    let mut interpolation = Vec::new();
    for pair in &row.interpolation {
        let [close] = pair.close.as_bytes() else {
            let why = format!("`{}` is not one ASCII character", pair.close);
            return Err(TableError::value("interpolation.close", why));
        };
        if pair.open.is_empty() {
            return Err(TableError::value("interpolation.open", "it is empty"));
        }
        interpolation.push((bytes(&pair.open), *close));
    }
    let shelter = row.shelter.as_ref().map(|pair| {
        let error = || TableError::value("shelter", "open and close are one character each");
        brackets(pair).ok_or_else(error)
    });
    let escape = match row.escape {
        Some(c) if !c.is_ascii() => {
            return Err(TableError::value("escape", format!("`{c}` is not ASCII")));
        }
        escape => escape.map(|c| c as u8),
    };
    for (key, texts) in [("plain", &row.plain), ("ends-before", &row.ends_before)] {
        if texts.iter().any(String::is_empty) {
            return Err(TableError::value(key, "a text in it is empty"));
        }
    }
    let format_after = match row.format_after {
        Some(c) if !c.is_ascii_punctuation() => {
            return Err(TableError::value(
                "format-after",
                format!("`{c}` is no ASCII punctuation"),
            ));
        }
        format_after => format_after.map(|c| c as u8),
    };
    let all = |texts: &[String]| texts.iter().map(|text| bytes(text)).collect();
    let mut rule = Rule {
        is_comment,
        close: closes.first().map(|close| {
            let (head, hole, tail) = split_hole(close);
            Closer { head, hole, tail }
        }),
        other_closes: others.into_iter().map(bytes).collect(),
        ends_before: all(&row.ends_before),
        place: row.place,
        nests: row.nested.then(|| split_hole(first).0),
        escape,
        plain: all(&row.plain),
        is_multi_line: row.multi_line.unwrap_or(is_comment && row.close.is_some()),
        is_held: row.holds.is_some(),
        is_one_character: row.one_character,
        is_name: row.name,
        closes_first: row.close_first,
        has_strings: row.holds_strings,
        has_expansions: row.expansions,
        not_after: words(&row.not_after),
        within: row.within.and_then(|c| u8::try_from(c).ok()),
        has_splices: false,
        is_conditional: row.conditional,
        shelter: shelter.transpose()?,
        interpolation,
        format_after,
        tail: Tail { is_second: row.second, has_flags: row.flags, is_whole_line: row.whole_line },
        stops: Box::new([false; 256]),
        few_stops: None,
        ending: Ending::Any,
    };
    rule.stops = Box::new(stops(&rule));
    rule.few_stops = few_stops(&rule);
    rule.ending = rule.ending();
    Ok(rule)
}

/// The bytes at which the body needs a closer look, if they are few enough to search for.
fn few_stops(rule: &Rule) -> Option<Few> {
    let has_hole = rule.close.as_ref().is_some_and(|close| close.hole.is_some());
    let stops: Vec<u8> = (0..=u8::MAX).filter(|&byte| rule.stops[byte as usize]).collect();
    if has_hole { None } else { Few::new(&stops) }
}

fn stops(rule: &Rule) -> [bool; 256] {
    let mut stops = [false; 256];
    let mut stop =
        |byte: Option<&u8>| byte.into_iter().for_each(|&byte| stops[byte as usize] = true);
    if let Some(close) = &rule.close {
        // A closer that begins with its placeholder may begin with either.
        stop(close.head.first().or(close.tail.first()));
        if let (true, Some(Hole::Repeat(byte))) = (close.head.is_empty(), close.hole) {
            stop(Some(&byte));
        }
    }
    if !rule.is_multi_line {
        stop(Some(&b'\n'));
        stop(rule.is_comment.then_some(&b'\r'));
    }
    if rule.has_expansions {
        b"\"'$}".iter().for_each(|byte| stop(Some(byte)));
    }
    stop(rule.escape.as_ref());
    stop(rule.nests.as_ref().and_then(|open| open.first()));
    stop(rule.shelter.as_ref().map(|(open, _)| open));
    for text in rule.plain.iter().chain(&rule.other_closes).chain(&rule.ends_before) {
        stop(text.first());
    }
    rule.interpolation.iter().for_each(|(open, _)| stop(open.first()));
    stops
}
