//! Follows elements among code, as in JSX: `<b title="x">don't {count} more</b>`.
//!
//! Between tags is text, where a lone quote, backtick or slash opens nothing, and words are read as
//! names. In text more is read than in code and never less, so what is taken for an element by
//! mistake hides nothing.

use std::collections::HashMap;

use super::Run;

/// Maximum depth of elements and code inside each other; what is deeper is read as code.
const MAX_DEPTH: usize = 256;
const MAX_NAME: usize = 64;

#[derive(Default)]
pub(super) struct Elements<'t> {
    open: Vec<Open<'t>>,
    /// The last closing tag of each name, once it was asked for.
    last_closers: Option<HashMap<&'t [u8], usize>>,
    /// The number of tags that were told by what comes later in the text.
    pub(super) n_told_by_later: usize,
}

/// What is open: the innermost decides what a byte means.
enum Open<'t> {
    /// A tag, up to its `>`, and the angle brackets that are open in it: `<List<T> items={all}>`.
    Tag { name: &'t [u8], depth: usize },
    /// The text after an opening tag.
    Text { name: &'t [u8] },
    /// Code in braces, with the braces that are open in it and the number of literals around it.
    Code { depth: usize, n_frames: usize },
}

impl Elements<'_> {
    #[inline(always)]
    pub(super) fn is_inside(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether nothing opens here but code and tags.
    #[inline(always)]
    pub(super) fn is_in_text(&self) -> bool {
        matches!(self.open.last(), Some(Open::Text { .. }))
    }
}

impl<'t> Run<'_, 't, '_> {
    /// Reads `byte`, which is here, if elements decide what it means.
    ///
    /// ```text
    /// byte    in code      in a tag        in text
    /// <       opens a tag where a value may begin, and in text; a further level in a tag
    /// >                    opens text, if the tag is closed later
    /// {       counts       opens code      opens code
    /// }       counts, or closes the code
    /// </      a string, as everywhere; closes the text
    /// other                as in code      a token by itself
    /// ```
    pub(super) fn element(&mut self, byte: u8) -> bool {
        let at = self.at;
        let n_frames = self.frames.len();
        let is_closing = byte == b'<' && self.text.get(at + 1) == Some(&b'/');
        let is_code = matches!(self.elements.open.last(), None | Some(Open::Code { .. }));
        let may_open = byte == b'<' && !is_closing && is_code && self.import.is_none();
        let opens_tag = may_open && self.may_begin_value();
        match (self.elements.open.last_mut(), byte) {
            (Some(Open::Text { name }), b'<') if is_closing => {
                self.elements.n_told_by_later +=
                    usize::from(self::name(&self.text[at + 2..]) != *name);
                self.elements.open.pop();
                // The tag around it may be in text itself, where nothing opens.
                let end = memchr::memchr2(b'>', b'\n', &self.text[at..]).map(|n| at + n);
                let end =
                    end.map_or(self.text.len(), |end| end + usize::from(self.text[end] == b'>'));
                self.at = end;
                self.push_string(at, end);
                return true;
            }
            (Some(Open::Text { .. }), b'<') => {
                if let Some(name) = self.name_of_tag() {
                    self.open_element(Open::Tag { name, depth: 0 });
                }
            }
            (Some(Open::Text { .. } | Open::Tag { .. }), b'{') => {
                self.open_element(Open::Code { depth: 0, n_frames });
            }
            (Some(Open::Text { .. }), _)
                if byte.is_ascii_punctuation() && byte != b'_' && byte != b'$' => {}
            // A value of an attribute has no escapes, and may go on over lines.
            (Some(Open::Tag { .. }), quote @ (b'"' | b'\''))
                if self.tokens.last().is_some_and(|last| last.text(self.text) == b"=") =>
            {
                let Some(n) = memchr::memchr(quote, &self.text[at + 1..]) else {
                    self.elements.n_told_by_later += 1;
                    return false;
                };
                self.at = at + n + 2;
                self.push_string(at, self.at);
                return true;
            }
            (Some(Open::Tag { depth, .. }), b'<') => *depth += 1,
            (Some(Open::Tag { depth, .. }), b'>') if *depth > 0 => *depth -= 1,
            (Some(Open::Tag { name, .. }), b'>') => {
                let name = *name;
                self.elements.open.pop();
                if at == 0 || self.text[at - 1] != b'/' {
                    match self.is_closed_later(name) {
                        true => self.elements.open.push(Open::Text { name }),
                        false => self.elements.n_told_by_later += 1,
                    }
                }
            }
            (Some(Open::Tag { .. }), b'/')
                if !matches!(self.text.get(at + 1), Some(b'/' | b'*')) => {}
            (Some(Open::Tag { .. }), b';' | b',' | b'(' | b')' | b'}') => {
                // A type: `<T,>(x: T) => x`.
                self.elements.open.pop();
                return false;
            }
            (Some(Open::Code { depth, n_frames: n }), b'{') if *n == n_frames => *depth += 1,
            (Some(Open::Code { depth, n_frames: n }), b'}') if *n == n_frames => {
                match depth.checked_sub(1) {
                    Some(less) => *depth = less,
                    None => drop(self.elements.open.pop()),
                }
            }
            (None | Some(Open::Code { .. }), b'<') if opens_tag => {
                let Some(name) = self.name_of_tag() else { return false };
                self.open_element(Open::Tag { name, depth: 0 });
            }
            _ => return false,
        }
        self.at = at + 1;
        self.push_byte(at, byte);
        true
    }

    fn open_element(&mut self, open: Open<'t>) {
        if self.elements.open.len() < MAX_DEPTH {
            self.elements.open.push(open);
        }
    }

    /// The name of the tag that opens here, which a fragment, `<>`, does not have.
    fn name_of_tag(&self) -> Option<&'t [u8]> {
        let rest = &self.text[self.at + 1..];
        let name = name(rest);
        let is_tag = match name.first() {
            None => rest.first() == Some(&b'>'),
            Some(first) => {
                (first.is_ascii_alphabetic() || matches!(first, b'_' | b'$'))
                    && name.len() <= MAX_NAME
            }
        };
        is_tag.then_some(name)
    }

    /// Whether a closing tag of this name comes later. Time O(n) in all: the text is searched once.
    fn is_closed_later(&mut self, name: &[u8]) -> bool {
        let (text, at) = (self.text, self.at);
        let last_closers = self.elements.last_closers.get_or_insert_with(|| {
            let closers = memchr::memmem::find_iter(text, b"</").filter(|&closer| closer > at);
            closers.map(|closer| (self::name(&text[closer + 2..]), closer)).collect()
        });
        last_closers.get(name).is_some_and(|&last| last > at)
    }
}

/// The name that `text` begins with, cut where it is longer than any.
fn name(text: &[u8]) -> &[u8] {
    let name = text.iter().take(MAX_NAME + 1).take_while(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.' | b':' | b'-')
    });
    &text[..name.count()]
}
