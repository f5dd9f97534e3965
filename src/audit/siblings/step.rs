//! Reads comments that keep two places in step, and finds the pairs of which a change edits one.
//!
//! `secondhand: same-as(path#name)` names the file from the root of the repository, `Copied from
//! a.b.name with X->Y`, as huggingface transformers writes it, the module. Either is a comment
//! above a function or class. Two blocks are in step if their tokens agree, up to names that are
//! renamed one to one and to the text of strings.

use std::ops::Range;
use std::sync::LazyLock;

use crate::audit::read::Source;
use crate::language::{Kind, Token};
use crate::matching::{Renaming, words as words_of};
use crate::text::FilePath;

/// Minimum tokens of a block with a body.
const MIN_BLOCK: usize = 8;

pub(super) struct Marks(Vec<Mark>);

/// A comment that says where the twin of the block below it is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    /// The first token of the block.
    token: usize,
    /// The end of the path of the other file, without its extension if the comment has none.
    path: String,
    /// The name of the other block; after the last dot, that of a method.
    name: String,
}

/// A file of a pair, before and after the change.
#[derive(Clone, Copy)]
pub(super) struct Side<'s> {
    pub base: &'s Source,
    pub head: &'s Source,
}

const SAME_AS: &[u8] = b"secondhand: same-as(";
const COPIED_FROM: &[u8] = b"Copied from ";

impl Marks {
    /// The marks in the comments of a file. Time O(n).
    pub fn of(source: &Source) -> Self {
        let mut found = Vec::new();
        let kinds = [
            (SAME_AS, same_as as fn(&str) -> Option<(String, String)>),
            (COPIED_FROM, copied_from),
        ];
        for (needle, parse) in kinds {
            for at in memchr::memmem::find_iter(&source.text, needle) {
                // Within another word it is none.
                if source.text[..at].last().is_some_and(u8::is_ascii_alphabetic) {
                    continue;
                }
                let token = source.tokens.partition_point(|token| (token.end as usize) <= at);
                let rest = &source.text[at + needle.len()..];
                let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
                let is_comment = source.tokens.get(token).is_some_and(|of| of.start as usize > at);
                if is_comment && let Some((path, name)) = parse(&String::from_utf8_lossy(line)) {
                    found.push(Mark { token, path, name });
                }
            }
        }
        found.sort_by_key(|mark| mark.token);
        Self(found)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a file that `has` some words may have marks that name the file at `path`.
    pub fn may_name(path: &FilePath, has: &dyn Fn(u32) -> bool) -> bool {
        static FIRST: LazyLock<Vec<u32>> = LazyLock::new(|| {
            [SAME_AS, COPIED_FROM].iter().flat_map(|of| words_of(of).next()).collect()
        });
        let name = path.name();
        let stem = &name[..memchr::memrchr(b'.', name).unwrap_or(name.len())];
        FIRST.iter().any(|&word| has(word)) && words_of(stem).all(has)
    }

    /// Whether a mark names a block of the file at `path`.
    pub fn name(&self, path: &FilePath) -> bool {
        self.0.iter().any(|mark| mark.is_in(path))
    }
}

impl Mark {
    fn is_in(&self, path: &FilePath) -> bool {
        let path = path.to_string();
        let stem = path.rsplit_once('.').map_or(&*path, |(stem, _)| stem);
        [&*path, stem].into_iter().any(|whole| {
            let before = whole.strip_suffix(&*self.path);
            before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
    }
}

/// `path#name)`.
fn same_as(text: &str) -> Option<(String, String)> {
    let (path, name) = text.split_once(')')?.0.split_once('#')?;
    let (path, name) = (path.trim(), name.trim());
    (!path.is_empty() && !name.is_empty()).then(|| (path.to_owned(), name.to_owned()))
}

/// `a.b.Class.method with X->Y`: modules are in lower case, and the names of classes are not.
fn copied_from(text: &str) -> Option<(String, String)> {
    let dotted = text.split_whitespace().next()?.trim_end_matches(['.', ',']);
    let dotted: Vec<&str> = dotted.split('.').collect();
    if dotted.len() < 2 || dotted.iter().any(|part| part.is_empty()) {
        return None;
    }
    let class = dotted.iter().position(|part| part.starts_with(|c: char| c.is_ascii_uppercase()));
    let first = class.unwrap_or(dotted.len() - 1).max(1);
    // The name of the package is often no folder of the repository: `transformers.models` is
    // `src/transformers/models`.
    Some((dotted[..first].join("/"), dotted[first..].join(".")))
}

/// The blocks that a comment keeps in step, and that no longer are: the tokens in `own` before the
/// change, and those in `other` after it.
pub(super) fn parted(own: Side<'_>, other: Side<'_>) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found = of_marks(own, other);
    found.extend(of_marks(other, own).into_iter().map(|(marked, named)| (named, marked)));
    let mut parted = Vec::new();
    for ((was, is), (other_was, other_is)) in found {
        let (before, other_before) = (&own.base.tokens[was.clone()], &other.base.tokens[other_was]);
        let (now, other_now) = (&own.head.tokens[is], &other.head.tokens[other_is.clone()]);
        if is_same_up_to_names(before, other_before) && !is_same_up_to_names(now, other_now) {
            parted.push((was, other_is));
        }
    }
    parted
}

/// A block in base and in the head.
type Blocks = (Range<usize>, Range<usize>);

/// The blocks below the marks of one file, and those that they name in the other one.
fn of_marks(marked: Side<'_>, named: Side<'_>) -> Vec<(Blocks, Blocks)> {
    let (before, after) = (Marks::of(marked.base).0, Marks::of(marked.head).0);
    let pairs = before.iter().filter(|mark| mark.is_in(&named.head.path)).filter_map(|mark| {
        let Mark { token, path, name } = mark;
        // A mark that the change removed says that the two part ways for good.
        let now = after.iter().find(|now| now.path == *path && now.name == *name)?.token;
        let own = (block_at(marked.base, *token), block_at(marked.head, now));
        let other = (block_named(named.base, name)?, block_named(named.head, name)?);
        Some((own, other))
    });
    pairs.collect()
}

/// The block that the token `at` begins: all that is indented more behind it, and what closes it.
fn block_at(source: &Source, at: usize) -> Range<usize> {
    let document = source.document();
    let indent = document.indent(at);
    let (mut start, mut end) = (at, at + 1);
    while end < source.tokens.len() {
        if document.starts_line(end) && document.indent(end) <= indent {
            let token = &source.tokens[end];
            let is_level = document.indent(end) == indent;
            let is_inner = token.is_closing() || token.text(&source.text) == b"{";
            // Decorators are not what is compared.
            if is_level && source.text_of(start) == b"@" {
                start = end;
            } else if !is_level || !is_inner {
                break;
            }
        }
        end += 1;
    }
    start..end
}

/// The block that defines `name`, which may be `Class.method`.
fn block_named(source: &Source, name: &str) -> Option<Range<usize>> {
    let words = source.document().words;
    let mut within = 0..source.tokens.len();
    for part in name.split('.') {
        let named = within.filter(|&at| source.text_of(at) == part.as_bytes());
        // A call over several lines has a body, too, and often comes first.
        let (declared, others): (Vec<usize>, Vec<usize>) =
            named.partition(|&at| at > 0 && words.defines(source.text_of(at - 1)));
        let mut all = declared.into_iter().chain(others);
        let at = all.find(|&at| is_defined(source, at))?;
        within = block_at(source, first_of_line(source, at)?);
    }
    Some(within)
}

/// Whether the name at a token begins a block with a body, of more than eight tokens.
fn is_defined(source: &Source, at: usize) -> bool {
    let block = block_at(source, first_of_line(source, at).unwrap_or(at));
    block.len() > MIN_BLOCK && (at..block.end).any(|at| source.document().starts_line(at))
}

fn first_of_line(source: &Source, at: usize) -> Option<usize> {
    (0..=at).rev().find(|&first| source.document().starts_line(first))
}

/// Whether tokens are the same, but for names that are renamed one to one and the text of strings.
fn is_same_up_to_names(a: &[Token], b: &[Token]) -> bool {
    let mut renaming = Renaming::default();
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .all(|(a, b)| renaming.agrees(a, b) || a.symbol == b.symbol && a.kind() == Kind::String)
}
