//! Locates bytes in text (lines, columns, paths), decodes text, hashes bytes and matches patterns.
//!
//! Invariant: knows no language and no file system; a path is just a name.

mod count;
mod encoding;
mod fnv;
mod glob;
mod nearest;
mod unpack;
pub mod varint;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use count::{agreed, and_more, count, first, hexadecimal, joined, noun_of};
pub use encoding::{NotText, decoded, decoded_as, readable};
pub use fnv::fnv_1a;
pub use glob::glob_matches;
pub use nearest::nearest;
pub use unpack::unpack;

/// Maximum bytes of a file that people write for us: settings, attributes, texts of licenses.
pub const MAX_WRITTEN: u64 = 4 << 20;
/// Maximum bytes of a file or message that a program writes for us: a baseline, a list, an event.
pub const MAX_MADE: u64 = 64 << 20;

/// A position in a text, as editors count: lines and columns from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column in UTF-16 code units, from 1, as in SARIF and most editors.
    pub column: u32,
}

/// The starts of a text's lines. A line ends with `\n`; a `\r` before it belongs to the line end.
#[derive(Debug, Clone)]
pub struct Lines {
    starts: Vec<u32>,
    len: u32,
}

impl Lines {
    /// Finds the lines of `text`, in one pass.
    pub fn new(text: &[u8]) -> Self {
        let ends = memchr::memchr_iter(b'\n', text).map(|at| at as u32 + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        Self { starts, len: text.len() as u32 }
    }

    /// The number of lines; an empty text, and whatever follows the last line end, count as a line.
    pub fn n_lines(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The line, from 1, that contains the byte at `offset`.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.starts.partition_point(|&start| start <= offset) as u32
    }

    /// The byte range of `line` (from 1), including its line end; empty past the last line.
    pub fn range(&self, line: u32) -> std::ops::Range<usize> {
        let [start, end] = [line.saturating_sub(1), line]
            .map(|line| self.starts.get(line as usize).copied().unwrap_or(self.len) as usize);
        start..end
    }

    /// The text of `line` (from 1) without its line end.
    pub fn text<'t>(&self, text: &'t [u8], line: u32) -> &'t [u8] {
        let line = text.get(self.range(line)).unwrap_or_default();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// The position of the byte at `offset` in `text`. Editors show no byte order mark: it has no
    /// column.
    pub fn position(&self, text: &[u8], offset: u32) -> Position {
        let line = self.line_of(offset);
        let start = self.range(line).start;
        let before = text.get(start..offset as usize).unwrap_or_default();
        let before = before.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(before);
        Position { line, column: columns(before) + 1 }
    }

    /// The positions of bytes at these offsets, in order: those of a long line are counted once.
    pub fn positions(
        &self,
        text: &[u8],
        offsets: impl Iterator<Item = u32>,
    ) -> impl Iterator<Item = Position> {
        let (mut known, mut known_at) = (Position { line: 0, column: 0 }, 0);
        offsets.map(move |offset| {
            let line = self.line_of(offset);
            let between = text.get(known_at..offset as usize).unwrap_or_default();
            // A byte order mark may follow the first column.
            let position = match line == known.line && known.column > 1 {
                true => Position { line, column: known.column + columns(between) },
                false => self.position(text, offset),
            };
            // Within a character nothing may be counted from.
            if text.get(offset as usize).is_none_or(|byte| byte & 0xC0 != 0x80) {
                (known, known_at) = (position, offset as usize);
            }
            position
        })
    }
}

/// Viewers show one replacement character for a run of bytes that are not UTF-8.
fn columns(text: &[u8]) -> u32 {
    let of = |chunk: std::str::Utf8Chunk<'_>| {
        chunk.valid().encode_utf16().count() + usize::from(!chunk.invalid().is_empty())
    };
    text.utf8_chunks().map(of).sum::<usize>() as u32
}

/// A text whose lines are found once, when they are first asked for: reports show many fragments of
/// one text.
#[derive(Debug, Clone, Default)]
pub struct LinedText {
    bytes: Vec<u8>,
    lines: OnceLock<Lines>,
}

impl LinedText {
    /// The text without a byte.
    pub fn empty() -> &'static Self {
        static EMPTY: LinedText = LinedText { bytes: Vec::new(), lines: OnceLock::new() };
        &EMPTY
    }

    /// Its lines.
    pub fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| Lines::new(&self.bytes))
    }
}

impl From<Vec<u8>> for LinedText {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, lines: OnceLock::new() }
    }
}

impl std::ops::Deref for LinedText {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl PartialEq for LinedText {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for LinedText {}

/// The name at the end of an address or a path, without `.git`.
pub fn name_at_end(address: &str) -> &str {
    let name = address.trim_end_matches('/').rsplit(['/', ':', '\\']).next().unwrap_or_default();
    name.strip_suffix(".git").unwrap_or(name)
}

/// The length of the longest common prefix of two texts, in bytes.
pub fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let n_steps =
        a.chunks_exact(STEP).zip(b.chunks_exact(STEP)).take_while(|(a, b)| a == b).count();
    let start = n_steps * STEP;
    start + common_prefix_by(&a[start..], &b[start..], |a, b| a == b)
}

/// The length of the longest common suffix of two texts, in bytes.
pub fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let n_steps =
        a.rchunks_exact(STEP).zip(b.rchunks_exact(STEP)).take_while(|(a, b)| a == b).count();
    let n = n_steps * STEP;
    n + common_suffix_by(&a[..a.len() - n], &b[..b.len() - n], |a, b| a == b)
}

const STEP: usize = 256;

/// A line that is indented by `from` or more, indented by `to` instead; another one as it is.
pub fn indented_line(line: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    line.strip_prefix(from).map_or_else(|| line.to_vec(), |rest| [to, rest].concat())
}

/// How many items two lists have in common from their beginning.
#[inline]
pub fn common_prefix_by<T>(a: &[T], b: &[T], is_same: impl Fn(&T, &T) -> bool) -> usize {
    a.iter().zip(b).take_while(|(a, b)| is_same(a, b)).count()
}

/// How many items two lists have in common up to their end.
#[inline]
pub fn common_suffix_by<T>(a: &[T], b: &[T], is_same: impl Fn(&T, &T) -> bool) -> usize {
    a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| is_same(a, b)).count()
}

/// The path of a file in a repository: bytes with `/` between folders, relative to its root, which
/// is the empty path. As in git, it may be no UTF-8. A clone shares the bytes: the states that a
/// change is judged by have nearly the same files.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilePath(Arc<[u8]>);

impl FilePath {
    /// Takes the bytes as they are.
    pub fn new(bytes: impl AsRef<[u8]>) -> Self {
        Self(bytes.as_ref().into())
    }

    /// The bytes as git stores them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path as text; bytes that are none become U+FFFD.
    pub fn to_string_lossy(&self) -> Cow<'_, str> {
        lossy(&self.0)
    }

    /// The part after the last `/`.
    pub fn name(&self) -> &[u8] {
        memchr::memrchr(b'/', &self.0).map_or(&self.0, |at| &self.0[at + 1..])
    }

    /// The same as text.
    pub fn name_lossy(&self) -> Cow<'_, str> {
        lossy(self.name())
    }

    /// The part before the name, with the slash at its end; empty at the root.
    pub fn folder(&self) -> &[u8] {
        &self.0[..self.0.len() - self.name().len()]
    }

    /// The part of the name behind its last dot, unless that is its first byte.
    pub fn extension(&self) -> Option<&[u8]> {
        let name = self.name();
        memchr::memrchr(b'.', name).filter(|&at| at > 0).map(|at| &name[at + 1..])
    }

    /// Whether it is `folder` or below it; everything is below the empty path.
    pub fn is_in(&self, folder: &Self) -> bool {
        self == folder || self.below(&folder.0).is_some()
    }

    /// What is at `path` in a folder, which is the root if it is empty.
    pub fn joined(folder: &[u8], path: &[u8]) -> Self {
        if folder.is_empty() { Self::new(path) } else { Self::new([folder, b"/", path].concat()) }
    }

    /// The path below a folder, which is the root if it is empty; `None` for what is not in it.
    pub fn below(&self, folder: &[u8]) -> Option<&[u8]> {
        let rest = self.0.strip_prefix(folder)?;
        if folder.is_empty() { Some(rest) } else { rest.strip_prefix(b"/") }
    }

    /// Whether it is in one of `folders`; true if there are none.
    pub fn is_within(&self, folders: &[Self]) -> bool {
        folders.is_empty() || folders.iter().any(|folder| self.is_in(folder))
    }

    /// The number of folders that it is in.
    pub fn depth(&self) -> usize {
        memchr::memchr_iter(b'/', &self.0).count()
    }

    /// The number of folders to go up and down from one path to the other.
    pub fn distance(&self, other: &Self) -> usize {
        let [own, others] = [self, other].map(|path| path.0.split(|&byte| byte == b'/'));
        let n_shared = own.clone().zip(others.clone()).take_while(|(a, b)| a == b).count();
        own.count() + others.count() - 2 * n_shared
    }

    /// The path as a relative URI reference; every byte that is not unreserved is percent-encoded.
    pub fn to_uri(&self) -> String {
        percent_encoded(&self.0, b"-._~/")
    }
}

/// A name as text; bytes that are none become U+FFFD.
fn lossy(name: &[u8]) -> Cow<'_, str> {
    // Nearly all names are text, which takes less time to tell than where another one is not.
    std::str::from_utf8(name).map_or_else(|_| String::from_utf8_lossy(name), Cow::Borrowed)
}

/// Bytes as a part of a URI, in which only letters, digits and the bytes `kept` are as they are.
pub fn percent_encoded(bytes: &[u8], kept: &[u8]) -> String {
    let mut encoded = String::with_capacity(bytes.len());
    for &byte in bytes {
        match byte.is_ascii_alphanumeric() || kept.contains(&byte) {
            true => encoded.push(byte as char),
            false => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// A part of a URI with its `%2F` decoded; `None` if hexadecimal digits do not follow each `%`.
pub fn percent_decoded(text: &str) -> Option<Vec<u8>> {
    let mut decoded = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let mut digit = || Some(char::from(bytes.next()?).to_digit(16)? as u8);
        decoded.push(if byte == b'%' { 16 * digit()? + digit()? } else { byte });
    }
    Some(decoded)
}

/// As a text if it is UTF-8, else as bytes.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredPath {
    Text(String),
    Bytes(Vec<u8>),
}

impl Serialize for FilePath {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        String::from_utf8(self.0.to_vec())
            .map_or_else(|error| StoredPath::Bytes(error.into_bytes()), StoredPath::Text)
            .serialize(to)
    }
}

impl<'d> Deserialize<'d> for FilePath {
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<Self, D::Error> {
        Ok(match StoredPath::deserialize(from)? {
            StoredPath::Text(text) => Self::new(text),
            StoredPath::Bytes(bytes) => Self::new(bytes),
        })
    }
}

impl fmt::Display for FilePath {
    /// Writes the path for people, so that no name can send commands to a terminal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(&self.0))
    }
}

impl fmt::Debug for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FilePath({self})")
    }
}

/// `bytes` for people: control characters and those that are not seen as `\u{…}`, invalid UTF-8 as
/// `\x…`, and of what begins a command of a CI system, [anywhere](COMMANDS) or in its line, the
/// first character as `\u{…}`. The result steers neither a terminal nor what runs the program.
pub fn printable(bytes: impl AsRef<[u8]>) -> String {
    let bytes = bytes.as_ref();
    let mut shown = String::with_capacity(bytes.len());
    let mut is_line_start = true;
    for chunk in bytes.utf8_chunks() {
        for (at, c) in chunk.valid().char_indices() {
            let rest = &chunk.valid().as_bytes()[at..];
            let is_command = match c {
                '#' => begins_command(rest),
                ':' => is_line_start && begins_line_command(rest),
                _ => false,
            };
            is_line_start &= c.is_whitespace();
            if is_command || c != '\t' && c.is_control() || is_unseen(c) {
                shown.extend(c.escape_unicode());
            } else {
                shown.push(c);
            }
        }
        for byte in chunk.invalid() {
            shown.push_str(&format!("\\x{byte:02x}"));
        }
    }
    shown
}

/// The first `max` characters of a text, and `…` where it has more.
pub fn shortened(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What begins a command wherever it stands in a line of output: to the agents of Azure Pipelines,
/// the runner of GitHub Actions, and TeamCity.
pub const COMMANDS: [&[u8]; 3] = [b"##vso[", b"##[", b"##teamcity["];

/// The commands of GitHub Actions behind `::` where a line begins, but for blanks.
const LINE_COMMANDS: &str = "add-mask add-matcher add-path debug echo endgroup error group \
     internal-set-repo-path notice remove-matcher save-state set-env set-output stop-commands warning";

fn begins_line_command(text: &[u8]) -> bool {
    let Some(command) = text.strip_prefix(b"::") else { return false };
    LINE_COMMANDS.split(' ').any(|name| begins(command, name.as_bytes()))
}

/// Whether `text` begins with a [command](COMMANDS), in any case.
pub fn begins_command(text: &[u8]) -> bool {
    COMMANDS.iter().any(|mark| begins(text, mark))
}

fn begins(text: &[u8], mark: &[u8]) -> bool {
    text.get(..mark.len()).is_some_and(|head| head.eq_ignore_ascii_case(mark))
}

/// Characters that are not seen: those of "Trojan Source" (Boucher and Anderson 2021), which
/// reorder displayed text, line ends that only some programs know, and what Unicode lets a font
/// ignore (`Default_Ignorable_Code_Point`), but for the one that has emoji colored.
pub fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{3164}'
            | '\u{FEFF}' | '\u{FFA0}' | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}'
            | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0E}'
            | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_utf16_units_and_skip_a_byte_order_mark() {
        let text = "\u{FEFF}a\n\u{1F600}b\r\nc".as_bytes();
        let lines = Lines::new(text);
        assert_eq!(lines.position(text, 3), Position { line: 1, column: 1 });
        assert_eq!(lines.position(text, 9), Position { line: 2, column: 3 });
        assert_eq!(lines.text(text, 2), "\u{1F600}b".as_bytes());
        assert_eq!(lines.position(text, 12), Position { line: 3, column: 1 });
    }

    #[test]
    fn positions_in_order_are_those_told_alone() {
        let text = b"\xEF\xBB\xBFa\xF0\x9F\x98\x80b\xE4\xB8\xFF\x80\x80c\xC3\xA9\r\nd\xFFe\xE4\xB8\xAD\xEF\xBB\xBFf";
        let lines = Lines::new(text);
        for step in 1..5 {
            let offsets = || (0..=text.len() as u32).step_by(step);
            let alone = offsets().map(|offset| lines.position(text, offset));
            assert!(lines.positions(text, offsets()).eq(alone), "{step}");
        }
    }

    #[test]
    fn what_is_not_seen_is_shown_and_commands_are_broken() {
        let text = "a\u{7F}\u{85}\u{9B}\u{AD}\u{61C}\u{200B}\u{202E}\u{2066}\u{3164}\u{FEFF}\u{FFF9}\u{E0041}\u{34F}\u{FE0E}\u{E0100}b";
        let shown = "a\\u{7f}\\u{85}\\u{9b}\\u{ad}\\u{61c}\\u{200b}\\u{202e}\\u{2066}\\u{3164}\\u{feff}\\u{fff9}\\u{e0041}\\u{34f}\\u{fe0e}\\u{e0100}b";
        assert_eq!(printable(text.as_bytes()), shown);
        assert_eq!(printable(b"## x ###[y ##VSO[z"), "## x #\\u{23}#[y \\u{23}#VSO[z");
        assert_eq!(printable(b"##teamcity[a"), "\\u{23}#teamcity[a");
        for command in LINE_COMMANDS.to_uppercase().split(' ') {
            let shown = format!("\t \\u{{3a}}:{command}");
            assert_eq!(printable(format!("\t ::{command}").as_bytes()), shown);
        }
        assert_eq!(printable("\u{A0}::error::a".as_bytes()), "\u{A0}\\u{3a}:error::a");
        assert_eq!(printable(b"a ::error::b"), "a ::error::b", "it begins no line");
        assert_eq!(printable(b"  ::testing::a(b)"), "  ::testing::a(b)");
    }

    #[test]
    fn a_path_that_is_not_utf8_is_shown_and_encoded() {
        let path = FilePath::new(*b"a b/\xFF\x1b[31m.c");
        assert_eq!(path.to_string(), "a b/\\xff\\u{1b}[31m.c");
        assert_eq!(path.to_uri(), "a%20b/%FF%1B%5B31m.c");
    }
}
