//! Reads license texts as people do, whatever they are written in: other encodings, HTML, RTF.

use std::borrow::Cow;
use std::ops::Range;

use crate::text::decoded;

/// Bytes at the beginning of a text by which its format is known.
const MAX_HEAD: usize = 1024;
const MAX_TAG: usize = 1000;
const MAX_ENTITY: usize = 8;

/// Entities of HTML that licenses and notices are written with.
const ENTITIES: &[(&str, char)] = &[
    ("amp", '&'),
    ("auml", 'ä'),
    ("copy", '©'),
    ("eacute", 'é'),
    ("gt", '>'),
    ("ldquo", '“'),
    ("lt", '<'),
    ("mdash", '—'),
    ("nbsp", ' '),
    ("ndash", '–'),
    ("ouml", 'ö'),
    ("quot", '"'),
    ("rdquo", '”'),
    ("rsquo", '’'),
    ("uuml", 'ü'),
];

/// Groups of RTF that are not part of the text.
const HIDDEN: &[&[u8]] = &[b"*", b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict"];

/// A text without the marks of HTML, with the same lines, or of RTF, with those of its reader.
pub(super) fn plain(bytes: &[u8]) -> Cow<'_, [u8]> {
    let head = bytes[..bytes.len().min(MAX_HEAD)].to_ascii_lowercase();
    if head.starts_with(b"{\\rtf") {
        return Cow::Owned(rewritten(bytes, rtf_mark));
    }
    let marks = [&b"<html"[..], b"<!doctype html", b"<p>", b"<div"];
    if !marks.iter().any(|mark| memchr::memmem::find(&head, mark).is_some()) {
        return Cow::Borrowed(bytes);
    }
    let closed = memchr::memrchr(b'>', bytes)
        .and_then(|last| memchr::memmem::rfind(&bytes[..last], b"</"))
        .map_or(usize::MAX, |at| bytes.len() - at);
    Cow::Owned(rewritten(bytes, |text| html_mark(text, closed)))
}

/// Source without what the strings of its code hold, with the same lines: `if license == "MIT"`
/// states none. Strings in comments stay, and those of what a module says of itself.
///
/// A string is one that is closed on its line: an argument, a line, or a value in a line that has
/// signs of code.
pub(super) fn without_strings(bytes: &[u8], parts: [Range<usize>; 2]) -> Cow<'_, [u8]> {
    blanked(bytes, parts, strings)
}

/// A document without the rows of its tables, with the same lines: a license there is that of what
/// the row is about.
pub(super) fn without_rows(bytes: &[u8], parts: [Range<usize>; 2]) -> Cow<'_, [u8]> {
    blanked(bytes, parts, |line| {
        let is_row = line.trim_ascii_start().starts_with(b"|");
        is_row.then_some(0..line.trim_ascii_end().len()).into_iter().collect()
    })
}

/// A text with spaces for what is found in each line of some parts of it.
fn blanked(
    bytes: &[u8],
    parts: [Range<usize>; 2],
    found: impl Fn(&[u8]) -> Vec<Range<usize>>,
) -> Cow<'_, [u8]> {
    let mut text = Cow::Borrowed(bytes);
    for part in parts {
        let mut start = part.start;
        for line in bytes[part].split_inclusive(|&byte| byte == b'\n') {
            for range in found(line) {
                text.to_mut()[start + range.start..start + range.end].fill(b' ');
            }
            start += line.len();
        }
    }
    text
}

/// Maximum words of a string that is a name.
const MAX_WORDS: usize = 3;

/// What the strings of a line of code hold.
fn strings(line: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let is_own = [&b"\"\"\""[..], b"'''", b"href=", b"__license__", b"LICENSE("]
        .iter()
        .any(|mark| memchr::memmem::find(line, mark).is_some());
    // A comment, and no address.
    let is_own =
        is_own || memchr::memmem::find_iter(line, b"//").any(|at| at == 0 || line[at - 1] != b':');
    let first = line.trim_ascii_start().first().copied().unwrap_or(b'*');
    if is_own || b"*#;%!:@-".contains(&first) {
        return found;
    }
    // No license text has these signs, but for "[year]".
    let is_code = line.iter().any(|byte| b"={}[".contains(byte));
    let mut at = 0;
    while let Some(open) = memchr::memchr2(b'"', b'\'', &line[at..]).map(|n| at + n) {
        let end = memchr::memchr(line[open], &line[open + 1..]).map(|n| open + 1 + n);
        let Some(end) = end else { break };
        let [before, behind] = [&line[..open], &line[end + 1..]].map(<[u8]>::trim_ascii);
        let is_argument = before.ends_with(b"(")
            && before.iter().nth_back(1).is_some_and(u8::is_ascii_alphanumeric);
        let is_line = before.is_empty() && matches!(behind, b"," | b";" | b")" | b"]" | b"");
        let is_apart = |sign: Option<&u8>| sign.is_none_or(|sign| b"=([{,:>+)]};.".contains(sign));
        let is_value = is_code && is_apart(before.last()) && is_apart(behind.first());
        // A sentence that a program prints may be about itself.
        let is_name = line[open..end].iter().filter(|&&byte| byte == b' ').count() < MAX_WORDS;
        if is_name && (is_argument || is_line || is_value) {
            found.push(open + 1..end);
        }
        at = end + 1;
    }
    found
}

/// A text without byte order mark, in UTF-8 if in UTF-16 or UTF-32, with the lines of old Macs.
pub(super) fn unmarked(bytes: &[u8]) -> Cow<'_, [u8]> {
    let text = decoded(bytes).unwrap_or(Cow::Borrowed(bytes));
    let is_mac = text.contains(&b'\r') && !text.contains(&b'\n');
    match text {
        _ if is_mac => text.iter().map(|&byte| if byte == b'\r' { b'\n' } else { byte }).collect(),
        Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)),
        Cow::Owned(_) => text,
    }
}

/// A text in UTF-8; what is no UTF-8 is read as Latin-1.
pub(super) fn in_utf8(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|&byte| char::from(byte)));
    }
    Cow::Owned(text)
}

/// The text of a file as people read it.
pub fn legible(bytes: &[u8]) -> String {
    in_utf8(&plain(&unmarked(bytes))).into_owned()
}

/// A line with the signs that entities stand for.
pub(super) fn without_entities(line: &str) -> Cow<'_, str> {
    if !line.contains('&') {
        return Cow::Borrowed(line);
    }
    Cow::Owned(in_utf8(&rewritten(line.as_bytes(), entity)).into_owned())
}

/// A text with its marks replaced: `mark` gives the length of one at the beginning, and its sign.
fn rewritten(bytes: &[u8], mark: impl Fn(&[u8]) -> Option<(usize, char)>) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        let n_marked = match mark(rest) {
            Some((n_marked, sign)) => {
                plain.extend_from_slice(sign.encode_utf8(&mut [0; 4]).as_bytes());
                // A tag may go over several lines.
                if first == b'<' {
                    plain.extend(rest[..n_marked].iter().filter(|&&byte| byte == b'\n'));
                }
                n_marked
            }
            None => {
                plain.push(first);
                1
            }
        };
        rest = &rest[n_marked..];
    }
    plain
}

/// A tag or an entity of HTML, or a style sheet with its end. The last end of all is `closed` bytes
/// before the end of the file: without it, each style sheet would be searched for its own.
fn html_mark(text: &[u8], closed: usize) -> Option<(usize, char)> {
    let n_marked = match text {
        // What is in a comment may be the license of the page.
        [b'<', b'!', b'-', b'-', ..] => 4,
        [b'<', b's' | b'S', b't' | b'T', b'y' | b'Y', b'l' | b'L', ..] => {
            if text.len() < closed {
                return None;
            }
            let end = memchr::memmem::find(text, b"</")?;
            end + memchr::memchr(b'>', &text[end..])? + 1
        }
        [b'<', b'a'..=b'z' | b'A'..=b'Z' | b'/' | b'!', ..] => {
            memchr::memchr(b'>', &text[..text.len().min(MAX_TAG)])? + 1
        }
        [b'&', ..] => {
            let end = memchr::memchr(b';', &text[..text.len().min(MAX_ENTITY)])?;
            return entity(text).or(Some((end + 1, ' ')));
        }
        _ => return None,
    };
    Some((n_marked, ' '))
}

/// An entity of HTML: `&copy;`, `&#169;`, `&#xA9;`.
fn entity(text: &[u8]) -> Option<(usize, char)> {
    let rest = text[..text.len().min(MAX_ENTITY)].strip_prefix(b"&")?;
    let end = memchr::memchr(b';', rest)?;
    let name = str::from_utf8(&rest[..end]).ok()?;
    let sign = match name.strip_prefix('#') {
        Some(digits) => char::from_u32(match digits.strip_prefix(['x', 'X']) {
            Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
            None => digits.parse().ok()?,
        })?,
        None => ENTITIES.iter().find(|(of, _)| *of == name)?.1,
    };
    Some((end + 2, sign))
}

/// A brace, a control word, a line end of RTF, which ends none of the text, or a hidden group.
fn rtf_mark(text: &[u8]) -> Option<(usize, char)> {
    match text {
        [b'{', b'\\', rest @ ..] if HIDDEN.iter().any(|group| rest.starts_with(group)) => {
            Some((length_of_group(text), ' '))
        }
        [b'{' | b'}' | b'\r' | b'\n', ..] => Some((1, ' ')),
        [b'\\', b'\'', high, low, ..] => {
            let digits = [*high, *low];
            let code = str::from_utf8(&digits).ok().and_then(|of| u8::from_str_radix(of, 16).ok());
            // Below are the quotes of Windows-1252.
            Some((4, code.filter(|code| *code >= 0xA0).map_or(' ', char::from)))
        }
        [b'\\', b'\r' | b'\n', ..] => Some((2, '\n')),
        [b'\\', sign @ (b'\\' | b'{' | b'}'), ..] => Some((2, char::from(*sign))),
        [b'\\', rest @ ..] => Some(control_word(rest)),
        _ => None,
    }
}

/// The length of a control word with its backslash, and what it stands for.
fn control_word(rest: &[u8]) -> (usize, char) {
    let n_letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (word, rest) = rest.split_at(n_letters);
    let n_digits = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'-').count();
    let (number, rest) = rest.split_at(n_digits);
    let sign = match word {
        b"par" | b"line" => '\n',
        b"u" => {
            let code = str::from_utf8(number).ok().and_then(|of| of.parse().ok());
            code.and_then(char::from_u32).unwrap_or(' ')
        }
        _ => ' ',
    };
    // Readers that know no Unicode show the mark behind it instead.
    let n_behind = usize::from(word == b"u" && rest.starts_with(b"?") || rest.starts_with(b" "));
    (1 + n_letters + n_digits + n_behind, sign)
}

fn length_of_group(text: &[u8]) -> usize {
    let mut depth = 0;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if at > 0 && text[at - 1] == b'\\' => {}
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = plain(text.as_bytes());
        let found = String::from_utf8_lossy(&found);
        let lines = found.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        assert_eq!(lines.collect::<Vec<_>>(), expected.lines().collect::<Vec<_>>(), "{text}");
    }

    #[test]
    fn a_text_in_html_keeps_its_lines_and_what_comments_say() {
        check(
            "<html><style>\np.only { x: y }</style><body\nid=x><!-- &copy; A\n--><p>B&rsquo;s &#60;C&#x3E; &shy;D</p>",
            "\n\n© A\n--> B’s <C> D",
        );
        check("1 < 2 && 3 > 2; <x>", "1 < 2 && 3 > 2; <x>");
    }

    #[test]
    fn marks_are_read_up_to_their_limits() {
        let page = |n: usize| format!("{}<html>A", " ".repeat(n));
        check(&page(MAX_HEAD - 5), "A");
        check(&page(MAX_HEAD), "<html>A");
        let tag = |n: usize| format!("<html><p {}>A", "x".repeat(n - 4));
        check(&tag(MAX_TAG), "A");
        let long = tag(MAX_TAG + 1);
        check(&long, &long["<html>".len()..]);
        check("<html>caf&eacute; &eeacute;", "café &eeacute;");
    }

    #[test]
    fn a_text_in_rtf_is_what_is_read() {
        check(
            "{\\rtf1\\ansi{\\fonttbl{\\f0 Only \\} Sans;}}{\\*\\generator Not;}\\b MIT\\b0\\par\r\n\\pard \\'a9 2020 A\\line the li\\u8220?B\\uc0\\u8221 C\\{\\}\\\nD\\'92s}",
            "MIT\n© 2020 A\nthe li“B ”C{}\nD s",
        );
    }
}
