//! Compiles a table into the form that the lexer runs: byte classes, openers, keywords.

use memchr::memmem::Finder;

use super::hash;
use super::keywords::Keywords;
use super::swar::{self, Few, WordBytes};
use super::table::{
    Delimiters, Heredoc, Import, OpenerPlace, Table, TableError, TextRow, each_row,
};
use super::token::Family;

/// A set of byte classes; a byte may be in several.
pub(super) type Class = u8;
/// Space that is not a line end, and control characters.
pub(super) const SPACE: Class = 1;
/// May start an identifier.
pub(super) const START: Class = 2;
/// May continue an identifier.
pub(super) const CONTINUE: Class = 4;
pub(super) const DIGIT: Class = 8;
/// A comment, literal or heredoc may open here.
pub(super) const OPENER: Class = 16;
pub(super) const NEWLINE: Class = 32;
/// A word that starts here may open a literal or comment (`r"`, `rem`).
pub(super) const WORD_OPENER: Class = 64;
/// Punctuation that needs a closer look: the backslash.
pub(super) const ODD: Class = 128;

/// A table in the form that the lexer runs. What has no doc here is told at [`Table`].
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
    pub heads: Vec<Box<[u8]>>,
    pub infix: Vec<Box<[u8]>>,
    pub cases: Option<[Box<[u8]>; 2]>,
    pub sigils: Box<[u8]>,
    /// Whether double brackets hold arithmetic.
    pub has_arithmetic: bool,
    pub has_unicode_escapes: bool,
    /// What ends a comment as a line end does.
    pub line_ends: Vec<Box<[u8]>>,
    pub postfix: Vec<Box<[u8]>>,
    pub has_elements: bool,
    pub has_spliced_words: bool,
    pub imports: Vec<ImportRule>,
    pub has_preambles: bool,
    /// Bit n is set if the hash of a word of an import ends in n; this filters out most words.
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
    /// The first bytes of the head as a number, what is or-ed to a text for letters of any case, and
    /// a mask of the bytes that count.
    value: u64,
    folds: u64,
    counts: u64,
}

impl Opener {
    /// Whether its head is at `at`, in any case if the table says so.
    #[inline]
    pub fn is_at(&self, text: &[u8], at: usize) -> bool {
        let n_head = self.head.len();
        ((swar::load(text, at) | self.folds) ^ self.value) & self.counts == 0
            && at + n_head <= text.len()
            && (n_head <= 8 || self.is_head(&text[at..at + n_head]))
    }

    #[cold]
    fn is_head(&self, text: &[u8]) -> bool {
        let is_folded = self.folds != 0;
        if is_folded { text.eq_ignore_ascii_case(&self.head) } else { *text == *self.head }
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

/// The placeholder of an opener or a closer, as told at [`TextRow`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hole {
    Repeat(u8),
    Blank,
    Splice,
    Tag,
    Extension,
    Delimiter,
    Bracket,
    Quote,
}

/// How a comment or literal ends. What has no doc here is told at [`TextRow`].
#[derive(Debug)]
pub(super) struct Rule {
    pub row: TextRow,
    pub is_comment: bool,
    /// `None`: the line end.
    pub close: Option<HoledText>,
    pub other_closes: Vec<Box<[u8]>>,
    /// The opener that starts another level, when levels nest.
    pub nests: Option<Box<[u8]>>,
    pub escape: Option<u8>,
    pub is_multi_line: bool,
    pub not_after: Vec<Box<[u8]>>,
    pub within: Option<u8>,
    /// Whether backslashes at the end of lines may be in its closer.
    pub has_splices: bool,
    pub shelter: Option<(u8, u8)>,
    pub interpolation: Vec<(Box<[u8]>, u8)>,
    pub format_after: Option<u8>,
    /// Bytes at which the body needs a closer look; not its own closer where that is a bracket.
    pub stops: Box<[bool; 256]>,
    /// The same, if they are at most three and the closer has no placeholder.
    pub few_stops: Option<Few>,
    pub ending: Ending,
}

/// How the body of a comment or literal ends, the simplest first.
#[derive(Debug)]
pub(super) enum Ending {
    /// At the line end, whatever precedes it.
    Line,
    /// At the first occurrence of the closer, whatever precedes it; `None` if it has a placeholder.
    Closer(Option<Box<Finder<'static>>>),
    /// At this byte, or at the line end unless the rule is multi-line; only an escape hides either.
    Quote(u8),
    Any,
}

impl Rule {
    /// Whether its closer, or the line end, is always the same.
    pub fn has_fixed_close(&self) -> bool {
        self.close.as_ref().is_none_or(|close| close.hole.is_none())
    }

    fn is_plain(&self) -> bool {
        self.has_fixed_close()
            && self.row.place == OpenerPlace::Anywhere
            && !self.row.one_character
            && self.row.holds.is_none()
            && self.within.is_none()
            && !self.row.conditional
            && !self.has_tail()
    }

    /// Whether anything belongs to it after its closer.
    pub fn has_tail(&self) -> bool {
        self.row.second || self.row.flags || self.row.whole_line
    }

    /// The closer, if it is always the same; nothing for the line end.
    pub fn fixed_close(&self) -> &[u8] {
        self.close.as_ref().map_or(b"", |close| &close.head)
    }

    fn ending(&self) -> Ending {
        let is_simple = self.other_closes.is_empty()
            && self.row.ends_before.is_empty()
            && self.nests.is_none()
            && self.row.plain.is_empty()
            && self.shelter.is_none()
            && !self.row.close_first
            && !self.row.holds_strings
            && !self.row.expansions
            && self.interpolation.is_empty();
        let has_escape = self.escape.is_some();
        let fixed = Some(self.fixed_close()).filter(|_| self.has_fixed_close());
        match fixed.filter(|close| !close.is_empty()) {
            _ if self.close.is_none() && !has_escape && self.row.ends_before.is_empty() => {
                Ending::Line
            }
            fixed if is_simple && self.is_multi_line && !has_escape && !self.row.whole_line => {
                Ending::Closer(fixed.map(|close| Box::new(Finder::new(close).into_owned())))
            }
            Some(&[quote]) if is_simple => Ending::Quote(quote),
            _ => Ending::Any,
        }
    }
}

/// A text with a placeholder in it, or all of a text as the head.
#[derive(Debug)]
pub(super) struct HoledText {
    pub head: Box<[u8]>,
    pub hole: Option<Hole>,
    pub tail: Box<[u8]>,
}

#[derive(Debug)]
pub(super) struct HeredocRule {
    pub row: Heredoc,
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
    /// What it imports if the comment before it is code, and the row of that: after the strings.
    pub preamble: Option<(Box<[u8]>, usize)>,
    pub verbatim: Option<(u8, u8)>,
}

impl CompiledTable {
    pub fn new(table: &Table) -> Result<Self, TableError> {
        let fold = if table.case_insensitive { hash::FOLD } else { 0 };
        let mut classes = byte_classes(table)?;
        let rules = rules(table)?;
        let heredocs = each_row("heredocs", &table.heredocs, |row| match &*row.open {
            "" => Err(TableError::value("open", "it is empty")),
            _ => Ok(HeredocRule { files: words(&row.files), row: row.clone() }),
        })?;
        classes[b'\\' as usize] |= ODD;
        let mut openers = openers(table)?;
        for opener in &mut openers {
            opener.is_plain = opener.n_word == 0
                && opener.hole.is_none()
                && matches!(opener.opens, Opens::Rule(rule) if rules[rule].is_plain());
            let first = opener.head[0];
            classes[first as usize] |= if opener.n_word > 0 { WORD_OPENER } else { OPENER };
            if table.case_insensitive && opener.n_word > 0 {
                classes[first.to_ascii_uppercase() as usize] |= WORD_OPENER;
            }
        }
        if table.elements {
            classes[b'<' as usize] |= OPENER;
        }
        let mut openers_at = [(0, 0); 256];
        for (at, opener) in (0..).zip(&openers) {
            let (from, to) = &mut openers_at[opener.head[0] as usize];
            *from = if *to == 0 { at } else { *from };
            *to = at + 1;
        }
        let imports = imports(table, fold)?;
        let values: Vec<u64> = hashes(&table.value_keywords, fold).collect();
        let keywords: Vec<u64> = hashes(&table.keywords, fold).chain(values.clone()).collect();
        let is_more = |byte: &u8| classes[*byte as usize] & CONTINUE != 0 && !is_word_byte(byte);
        let besides: Vec<u8> = (0..0x80).filter(is_more).collect();
        let numeric = [b".+-", table.digit_separators.as_bytes()].concat();
        Ok(Self {
            word_bytes: WordBytes::new(&besides),
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
            keywords: Keywords::new(&keywords, &values),
            heads: words(&table.heads),
            infix: words(&table.infix),
            cases: table.cases.as_ref().map(|pair| [&pair.open, &pair.close].map(|of| bytes(of))),
            sigils: bytes(&table.sigils),
            has_arithmetic: table.heredocs.iter().any(|row| row.word_tag),
            has_unicode_escapes: table.unicode_escapes,
            line_ends: (table.comments.iter().flat_map(|row| &row.ends_before))
                .filter(|end| !end.is_ascii())
                .map(|end| end.as_bytes().into())
                .collect(),
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

    #[inline(always)]
    pub fn continues_word(&self, byte: u8) -> bool {
        self.classes[byte as usize] & CONTINUE != 0
    }
}

fn bytes(text: &str) -> Box<[u8]> {
    text.as_bytes().into()
}

fn words(text: &str) -> Vec<Box<[u8]>> {
    text.split_whitespace().map(bytes).collect()
}

pub(super) fn has_word(words: &[Box<[u8]>], text: &[u8]) -> bool {
    words.iter().any(|word| **word == *text)
}

/// Brackets, if they are a character each.
fn brackets(pair: &Delimiters) -> Option<(u8, u8)> {
    match (pair.open.as_bytes(), pair.close.as_bytes()) {
        (&[open], &[close]) => Some((open, close)),
        _ => None,
    }
}

fn byte_set(bytes: &[u8]) -> [bool; 256] {
    let mut set = [false; 256];
    bytes.iter().for_each(|&byte| set[byte as usize] = true);
    set
}

fn byte_classes(table: &Table) -> Result<[Class; 256], TableError> {
    let mut classes: [Class; 256] = std::array::from_fn(|byte| match byte as u8 {
        b'\n' | b'\r' => NEWLINE,
        0..=b' ' | 0x7F => SPACE,
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => START | CONTINUE,
        b'0'..=b'9' => DIGIT | CONTINUE,
        _ => 0,
    });
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

fn hashes(words: &str, fold: u64) -> impl Iterator<Item = u64> {
    words.split_whitespace().map(move |word| hash::word(word.as_bytes(), fold))
}

/// Whether words have this byte in every language.
pub(super) fn is_word_byte(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

fn follows_word_opener(openers: &[Opener]) -> [bool; 256] {
    let mut follows = Vec::new();
    for opener in openers.iter().filter(|opener| opener.n_word > 0) {
        let tail = opener.tail.first();
        match (opener.head.get(opener.n_word), opener.hole, tail) {
            (Some(&next), ..) | (None, None, Some(&next)) => follows.push(next),
            (None, Some(Hole::Blank), Some(&next)) => follows.extend([b' ', b'\t', next]),
            (None, Some(Hole::Repeat(byte)), Some(&next)) => follows.extend([byte, next]),
            _ => return [true; 256],
        }
    }
    byte_set(&follows)
}

/// Maximum punctuation characters before an importing word.
pub(super) const MAX_MARK: usize = 2;

fn imports(table: &Table, fold: u64) -> Result<Vec<ImportRule>, TableError> {
    let mut rules = Vec::new();
    for (row, import) in table.imports.iter().enumerate() {
        for first in import.first.iter() {
            let word = first.trim_start_matches(|c: char| c.is_ascii_punctuation() && c != '_');
            let mark = &first.as_bytes()[..first.len() - word.len()];
            if word.is_empty() || mark.len() > MAX_MARK {
                let most = format!("at most {MAX_MARK} punctuation characters before it");
                let why = format!("`{first}` is not a word with {most}");
                return Err(TableError::value("first", why).in_row("imports", row));
            }
            let verbatim = import.verbatim.as_ref().map(brackets);
            if verbatim == Some(None) {
                let why = "its brackets are a character each";
                return Err(TableError::value("verbatim", why).in_row("imports", row));
            }
            let preamble = import.preamble.as_ref().filter(|_| import.holds.is_some());
            let not_with_words = hashes(&import.not_with_words, fold);
            rules.push(ImportRule {
                row: import.clone(),
                preamble: preamble.map(|name| (bytes(name), table.strings.len() + row)),
                verbatim: verbatim.flatten(),
                mark: mark.into(),
                word: hash::word(word.as_bytes(), fold) as u32,
                not_with_words: not_with_words.map(|hash| hash as u32).collect(),
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
    let HoledText { head, hole, tail } = split_hole(&text);
    // No word begins with a digit: the `0` of `0'c` is one opener together with what follows.
    let begins_word = head.first().is_some_and(|first| !first.is_ascii_digit());
    let n_word = head.iter().take_while(|byte| begins_word && is_word_byte(byte)).count();
    if head.is_empty() {
        return Err(TableError::value("open", format!("`{text}` has nothing before its hole")));
    }
    let counts = if head.len() < 8 { swar::lowest(u64::MAX, head.len()) } else { u64::MAX };
    let letters: Vec<u8> =
        head.iter().map(|byte| u8::from(is_folded && byte.is_ascii_lowercase()) << 5).collect();
    let (value, folds) = (swar::load(&head, 0), swar::load(&letters, 0));
    Ok(Opener { head, hole, tail, n_word, opens, is_plain: false, value, folds, counts })
}

/// Splits `r{#}"` into `r`, the hole and `"`. A brace that begins no hole is text: `{{tag}|`.
fn split_hole(text: &str) -> HoledText {
    for (at, _) in text.match_indices('{') {
        let Some((inside, tail)) = text[at + 1..].split_once('}') else { break };
        if let Some(hole) = hole(inside) {
            return HoledText { head: bytes(&text[..at]), hole: Some(hole), tail: bytes(tail) };
        }
    }
    HoledText { head: bytes(text), hole: None, tail: Box::default() }
}

fn hole(name: &str) -> Option<Hole> {
    Some(match name {
        "blank" => Hole::Blank,
        "splice" => Hole::Splice,
        "tag" => Hole::Tag,
        "extension" => Hole::Extension,
        "delimiter" => Hole::Delimiter,
        "bracket" => Hole::Bracket,
        "quote" => Hole::Quote,
        _ => Hole::Repeat(<[u8; 1]>::try_from(name.as_bytes()).ok()?[0]),
    })
}

fn rules(table: &Table) -> Result<Vec<Rule>, TableError> {
    let mut rules = each_row("comments", &table.comments, |row| rule(row, true))?;
    if table.spliced_words {
        for rule in rules.iter_mut().filter(|rule| rule.close.is_some()) {
            (rule.has_splices, rule.ending) = (true, Ending::Any);
        }
    }
    rules.extend(each_row("strings", &table.strings, |row| rule(row, false))?);
    // A string in a comment begins where it does elsewhere.
    let openers = table.strings.iter().flat_map(|row| row.open.iter());
    let firsts: Vec<u8> = openers.map(|open| open.as_bytes()[0]).collect();
    for rule in rules.iter_mut().filter(|rule| rule.row.holds_strings) {
        firsts.iter().for_each(|&first| rule.stops[first as usize] = true);
        rule.few_stops = None;
    }
    Ok(rules)
}

fn rule(row: &TextRow, is_comment: bool) -> Result<Rule, TableError> {
    let first = row.open.iter().next().unwrap_or_default();
    let mut closes: Vec<&str> = match &row.close {
        Some(closes) => closes.iter().collect(),
        None if is_comment => Vec::new(),
        None => vec![first.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_')],
    };
    if closes.contains(&"") || closes.is_empty() && (row.close.is_some() || !is_comment) {
        return Err(TableError::value("close", format!("nothing closes `{first}`")));
    }
    let others = closes.split_off(closes.len().min(1));
    if let Some(other) = others.iter().find(|other| split_hole(other).hole.is_some()) {
        let why = format!("only the first may have a hole, not `{other}`");
        return Err(TableError::value("close", why));
    }
    if row.holds.is_some() && (is_comment || row.nested || !row.interpolation.is_empty()) {
        let must = "must be a literal, neither nested nor with code inside";
        return Err(TableError::value("holds", format!("what `{first}` opens {must}")));
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
    if let Some(c) = row.escape.filter(|c| !c.is_ascii()) {
        return Err(TableError::value("escape", format!("`{c}` is not ASCII")));
    }
    for (key, texts) in [("plain", &row.plain), ("ends-before", &row.ends_before)] {
        if texts.iter().any(String::is_empty) {
            return Err(TableError::value(key, "a text in it is empty"));
        }
    }
    if let Some(c) = row.format_after.filter(|c| !c.is_ascii_punctuation()) {
        return Err(TableError::value("format-after", format!("`{c}` is no ASCII punctuation")));
    }
    let shelter = row.shelter.as_ref().map(brackets);
    if shelter == Some(None) {
        return Err(TableError::value("shelter", "open and close are one character each"));
    }
    let mut rule = Rule {
        row: row.clone(),
        is_comment,
        close: closes.first().map(|close| split_hole(close)),
        other_closes: others.into_iter().map(bytes).collect(),
        nests: row.nested.then(|| split_hole(first).head),
        escape: row.escape.map(|c| c as u8),
        is_multi_line: row.multi_line.unwrap_or(is_comment && row.close.is_some()),
        not_after: words(&row.not_after),
        within: row.within.and_then(|c| u8::try_from(c).ok()),
        has_splices: false,
        shelter: shelter.flatten(),
        interpolation,
        format_after: row.format_after.map(|c| c as u8),
        stops: Box::new([false; 256]),
        few_stops: None,
        ending: Ending::Any,
    };
    rule.stops = Box::new(stops(&rule));
    if rule.has_fixed_close() {
        let stops: Vec<u8> = (0..=u8::MAX).filter(|&byte| rule.stops[byte as usize]).collect();
        rule.few_stops = Few::new(&stops);
    }
    rule.ending = rule.ending();
    Ok(rule)
}

fn stops(rule: &Rule) -> [bool; 256] {
    let mut stops: Vec<u8> = Vec::new();
    if let Some(close) = &rule.close {
        // A closer that begins with its placeholder may begin with either.
        stops.extend(close.head.first().or(close.tail.first()));
        if let (true, Some(Hole::Repeat(byte))) = (close.head.is_empty(), close.hole) {
            stops.push(byte);
        }
    }
    if !rule.is_multi_line {
        stops.push(b'\n');
        stops.extend(rule.is_comment.then_some(b'\r'));
    }
    if rule.row.expansions {
        stops.extend(b"\"'$}");
    }
    stops.extend(rule.escape);
    stops.extend(rule.shelter.map(|(open, _)| open));
    stops.extend(rule.nests.iter().chain(&rule.other_closes).filter_map(|text| text.first()));
    let texts = rule.row.plain.iter().chain(&rule.row.ends_before);
    stops.extend(texts.filter_map(|text| text.as_bytes().first()));
    stops.extend(rule.interpolation.iter().filter_map(|(open, _)| open.first()));
    byte_set(&stops)
}
