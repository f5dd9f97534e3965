//! Reads what people see of a page of the Web: its text, without tags, scripts and styles.

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Span, Token, Tokenizer};

/// Elements whose text nobody sees.
const HIDDEN: [&[u8]; 5] = [b"script", b"style", b"noscript", b"iframe", b"noembed"];
/// Elements that do not end a word.
const INLINE: [&[u8]; 31] = [
    b"a", b"abbr", b"acronym", b"b", b"bdi", b"bdo", b"big", b"cite", b"code", b"data", b"del",
    b"dfn", b"em", b"font", b"i", b"ins", b"kbd", b"mark", b"q", b"s", b"samp", b"small", b"span",
    b"strike", b"strong", b"sub", b"sup", b"time", b"tt", b"u", b"wbr",
];

/// The text of a page in HTML, with its character references decoded. Each word is on the line
/// where it is in `html`. Time O(n), for any bytes.
pub fn page_text(html: &[u8]) -> Vec<u8> {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    let mut page = PageText { html, ..PageText::default() };
    for token in Tokenizer::new_with_emitter(html, emitter) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => {
                page.is_hidden = HIDDEN.contains(&&**tag.name);
                page.tag(&tag.name, tag.span);
            }
            Token::EndTag(tag) => {
                page.is_hidden = false;
                page.tag(&tag.name, tag.span);
            }
            Token::String(text) if page.is_hidden => page.skip(text.span),
            Token::String(text) => page.write(&text),
            Token::Comment(comment) => page.skip(comment.span),
            Token::Doctype(doctype) => page.skip(doctype.span),
            Token::Error(_) => {}
        }
    }
    page.text
}

#[derive(Default)]
struct PageText<'h> {
    html: &'h [u8],
    text: Vec<u8>,
    is_hidden: bool,
    /// Line breaks in what was skipped, which are written where the word ends.
    n_breaks: usize,
}

impl PageText<'_> {
    fn tag(&mut self, name: &[u8], span: Span) {
        self.skip(span);
        if !INLINE.contains(&name) {
            self.write(b" ");
        }
    }

    fn skip(&mut self, span: Span) {
        let skipped = self.html.get(span.start..span.end).unwrap_or_default();
        self.n_breaks += memchr::memchr_iter(b'\n', skipped).count();
    }

    fn write(&mut self, text: &[u8]) {
        for &byte in text {
            self.text.push(byte);
            if byte.is_ascii_whitespace() {
                self.text.resize(self.text.len() + std::mem::take(&mut self.n_breaks), b'\n');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, expected: &str) {
        assert_eq!(String::from_utf8_lossy(&page_text(html.as_bytes())), expected);
    }

    #[test]
    fn tags_scripts_styles_and_comments_are_no_text_and_references_are() {
        check("<p class='a>b'>One&nbsp;&amp; <b>t</b>wo<br>three</p>", " One\u{a0}& two three ");
        check("a<script>if (a < b) '</p>'</script>b<style>p{}</style>c<!-- d -->e", "a  b  ce");
        check("<title>&Eacute;t&#233;</title><textarea><b></textarea>", " Été  <b> ");
        check("a < b && c", "a < b && c");
    }

    #[test]
    fn words_stay_on_their_lines() {
        let page = "<div\n class=a>one\n<script>\n\n</script>two <i\n>th</i\n>ree four";
        check(page, " \none\n  \n\ntwo three \n\nfour");
        let page = "<!DOCTYPE\nhtml>\r\n<p\n>a</p><!--\n\n-->\n<b>b</b>";
        let text = page_text(page.as_bytes());
        let lines = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(lines(&text), lines(page.as_bytes()));
    }

    #[test]
    fn any_bytes_are_read() {
        check("<p", "");
        check("</", "</");
        assert_eq!(page_text(b"\xFF<b>\xFE"), b"\xFF\xFE");
        assert_eq!(page_text(b"&#x110000; \0"), "\u{fffd} \0".as_bytes());
    }
}
