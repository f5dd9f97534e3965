//! Reads files with several languages: a page with scripts, a document with examples, a notebook.
//!
//! The tokens of all of them form one stream, in file order. A symbol belongs to the family of its
//! language, so code is compared only with code of its own family, wherever it is.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::block_words::BlockWords;
use super::detect::{Language, Languages};
use super::lexer::InnerCode;
use super::notebook;
use super::region::RegionCode;
use super::token::Token;

/// Maximum depth of languages within languages: an example in a document, a page in that, its
/// script.
const MAX_LEVELS: usize = 4;

/// Part of a file that is in another language than the file.
#[derive(Debug, Clone)]
pub struct EmbeddedPart<'l> {
    /// Its bytes in the file.
    pub range: Range<usize>,
    /// Its language.
    pub language: &'l Language,
    /// The number of its cell, in a notebook.
    pub cell: Option<u32>,
}

/// Where the tokens of a file go, and which part of it is read.
struct FileReader<'l, 'o> {
    languages: &'l Languages,
    with_data: bool,
    tokens: &'o mut Vec<Token>,
    embedded: Vec<EmbeddedPart<'l>>,
}

/// A stretch of a file that is read as one language.
#[derive(Clone, Copy)]
struct Part<'l, 't> {
    language: &'l Language,
    text: &'t [u8],
    /// Where it begins in the file.
    offset: usize,
    /// Maximum depth of further languages in it: an example in a document, a page, its script.
    levels: usize,
}

impl Languages {
    /// Reads `text`, a file of `language`, into tokens, replacing the contents of `tokens`; returns
    /// embedded code. Data and prose give tokens only `with_data`; the code inside always does.
    /// Time O(n), for any bytes.
    pub fn tokenize<'l>(
        &'l self,
        language: &'l Language,
        text: &[u8],
        with_data: bool,
        tokens: &mut Vec<Token>,
    ) -> Vec<EmbeddedPart<'l>> {
        if !language.is_host() && !language.has_preamble(text) && (with_data || !language.is_data) {
            language.lexer.tokenize(text, tokens);
            return Vec::new();
        }
        tokens.clear();
        let text = &text[..text.len().min(u32::MAX as usize)];
        let mut reading = FileReader { languages: self, with_data, tokens, embedded: Vec::new() };
        reading.read(Part { language, text, offset: 0, levels: MAX_LEVELS });
        let mut embedded = reading.embedded;
        if embedded.is_empty() {
            return embedded;
        }
        embedded.sort_by_key(|part| (part.range.start, part.range.end));
        // A literal around code of another language ends where that begins.
        tokens.sort_by_key(|token| token.start);
        for at in 1..tokens.len() {
            tokens[at - 1].end = tokens[at - 1].end.min(tokens[at].start);
        }
        tokens.retain(|token| token.end > token.start);
        embedded
    }

    /// Whether `text` is a notebook that is no JSON: what code it holds is not known.
    pub fn is_broken(&self, language: &Language, text: &[u8]) -> bool {
        language.is_notebook && notebook::cells(text).is_none()
    }
}

impl Language {
    /// Its words, and those of the languages that are `embedded` in a file.
    pub fn words_with(&self, embedded: &[EmbeddedPart<'_>]) -> Arc<BlockWords> {
        let others: BTreeMap<&str, &Language> =
            embedded.iter().map(|part| (&*part.language.id, part.language)).collect();
        let mut words = Arc::clone(&self.words);
        others.values().for_each(|other| Arc::make_mut(&mut words).add(&other.words));
        words
    }
}

impl<'l> FileReader<'l, '_> {
    fn read(&mut self, part: Part<'l, '_>) {
        let Part { language, text, offset, levels } = part;
        if language.is_notebook {
            self.read_notebook(language, text);
            return;
        }
        let mut shown = Cow::Borrowed(text);
        let page = language.table.page.as_deref().and_then(|id| self.languages.get(id));
        for of in [Some(language), page].into_iter().flatten().take_while(|_| levels > 0) {
            let regions = of.regions.find(&shown);
            let text = shown.clone();
            for RegionCode { range, language } in regions {
                blank(&mut shown.to_mut()[range.clone()]);
                let Some(language) = language.and_then(|name| self.languages.named(&name)) else {
                    continue;
                };
                let start = offset + range.start;
                self.embed(language, start..offset + range.end, None);
                let text = &text[range];
                self.read(Part { language, text, offset: start, levels: levels - 1 });
            }
        }
        match language.table.around.as_deref().and_then(|id| self.languages.get(id)) {
            Some(around) if levels > 0 => {
                self.read(Part { language: around, text: &shown, offset, levels: levels - 1 });
            }
            _ => self.lex(Part { text: &shown, ..part }),
        }
    }

    fn lex(&mut self, part: Part<'l, '_>) {
        let Part { language, text, offset, levels } = part;
        if language.is_data && !self.with_data {
            return;
        }
        let (mut tokens, mut held) = (Vec::new(), Vec::new());
        language.lexer.tokenize_holding(text, &mut tokens, &mut held);
        self.take(&tokens, |start| start + offset, |end| end + offset);
        if levels > 0 {
            self.read_held(part, &held);
        }
    }

    /// Reads the literals that are code, those of one language as one text: a tag may span several.
    fn read_held(&mut self, part: Part<'l, '_>, held: &[InnerCode]) {
        let Part { language, text, offset, levels } = part;
        let languages = self.languages;
        let rows: Vec<Option<&'l Language>> =
            language.held().map(|name| languages.named(name?)).collect();
        let mut inners: Vec<&'l Language> = rows.iter().copied().flatten().collect();
        inners.dedup_by(|a, b| a.id == b.id);
        for inner in inners {
            let mut shown = text.to_vec();
            let mut at = 0;
            for held in held.iter().filter(|held| !held.range.is_empty()) {
                if rows.get(held.row).copied().flatten().is_none_or(|of| of.id != inner.id) {
                    continue;
                }
                blank(&mut shown[at..held.range.start]);
                at = held.range.end;
                self.embed(inner, offset + held.range.start..offset + at, None);
            }
            blank(&mut shown[at..]);
            if at > 0 {
                self.read(Part { language: inner, text: &shown, offset, levels: levels - 1 });
            }
        }
    }

    fn read_notebook(&mut self, notebook: &'l Language, text: &[u8]) {
        let of_others = notebook.table.around.as_deref().and_then(|id| self.languages.get(id));
        for cell in notebook::cells(text).unwrap_or_default() {
            let named = cell.languages.iter().find_map(|name| self.languages.named(name));
            let Some(language) = named.or(of_others) else { continue };
            if cell.code.is_empty() || language.is_data && !self.with_data {
                continue;
            }
            let range = cell.places.start(0)..cell.places.end(cell.code.len());
            self.embed(language, range, Some(cell.number));
            let mut tokens = Vec::new();
            language.lexer.tokenize(&cell.code, &mut tokens);
            self.take(&tokens, |start| cell.places.start(start), |end| cell.places.end(end));
        }
    }

    fn embed(&mut self, language: &'l Language, range: Range<usize>, cell: Option<u32>) {
        self.embedded.push(EmbeddedPart { range, language, cell });
    }

    fn take(
        &mut self,
        tokens: &[Token],
        start: impl Fn(usize) -> usize,
        end: impl Fn(usize) -> usize,
    ) {
        self.tokens.extend(tokens.iter().map(|token| Token {
            start: start(token.start as usize) as u32,
            end: end(token.end as usize) as u32,
            ..*token
        }));
    }
}

/// Replaces `text` with spaces, keeping its line ends.
fn blank(text: &mut [u8]) {
    for byte in text {
        *byte = if matches!(byte, b'\n' | b'\r') { *byte } else { b' ' };
    }
}
