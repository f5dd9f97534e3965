//! Reads comments that keep two places in sync, and finds the pairs of which a change edits one.
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

/// The marks of a file, in order.
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

/// One side of a pair: a file before and after the change.
#[derive(Clone, Copy)]
pub(super) struct Side<'s> {
    pub path: &'s FilePath,
    pub base: &'s Source,
    pub head: &'s Source,
}

/// Two blocks that were in step and no longer are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PartedBlocks {
    /// The tokens of the own block in base.
    pub own: Range<usize>,
    /// The tokens of the other block in the head.
    pub other: Range<usize>,
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
            // Within another word it is none.
            let is_word = |at: &usize| {
                at.checked_sub(1).is_none_or(|before| !source.text[before].is_ascii_alphabetic())
            };
            for at in memchr::memmem::find_iter(&source.text, needle).filter(is_word) {
                let token = source.tokens.partition_point(|token| (token.end as usize) <= at);
                let is_comment = |token: &Token| token.start as usize > at;
                let rest = &source.text[at + needle.len()..];
                let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
                if source.tokens.get(token).is_some_and(is_comment)
                    && let Some((path, name)) = parse(&String::from_utf8_lossy(line))
                {
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
        let ends = |whole: &str| {
            let before = whole.strip_suffix(&*self.path);
            before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        ends(&path) || ends(stem)
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
    let is_class = |part: &&str| part.starts_with(|c: char| c.is_ascii_uppercase());
    let first = dotted.iter().position(is_class).unwrap_or(dotted.len() - 1).max(1);
    // The name of the package is often no folder of the repository: `transformers.models` is
    // `src/transformers/models`.
    Some((dotted[..first].join("/"), dotted[first..].join(".")))
}

/// The pairs of blocks of `own` and `other` that a comment of either keeps in step, that were in
/// step before the change and no longer are.
pub(super) fn parted(own: Side<'_>, other: Side<'_>) -> Vec<PartedBlocks> {
    let mut found = of_marks(own, other);
    found.extend(of_marks(other, own).into_iter().map(|(marked, named)| (named, marked)));
    let agree = |a: &[Token], b: &[Token]| is_same_up_to_names(a, b);
    let parted = found.into_iter().filter_map(|((was, is), (other_was, other_is))| {
        let were_in_step = agree(&own.base.tokens[was.clone()], &other.base.tokens[other_was]);
        let are_in_step = agree(&own.head.tokens[is], &other.head.tokens[other_is.clone()]);
        (were_in_step && !are_in_step).then_some(PartedBlocks { own: was, other: other_is })
    });
    parted.collect()
}

/// A block in base and in the head.
type Blocks = (Range<usize>, Range<usize>);

/// The blocks below the marks of one file that mean the other one, and the blocks that they name
/// there.
fn of_marks(marked: Side<'_>, named: Side<'_>) -> Vec<(Blocks, Blocks)> {
    let (before, after) = (Marks::of(marked.base).0, Marks::of(marked.head).0);
    let pair = |mark: &Mark| {
        // A mark that the change removed says that the two part ways for good.
        let same = |other: &&Mark| other.path == mark.path && other.name == mark.name;
        let now = after.iter().find(same)?.token;
        let own = (block_at(marked.base, mark.token), block_at(marked.head, now));
        let other = (block_named(named.base, &mark.name)?, block_named(named.head, &mark.name)?);
        Some((own, other))
    };
    before.iter().filter(|mark| mark.is_in(named.path)).filter_map(pair).collect()
}

/// The block whose first line the token `at` begins: all that follows and is indented more, and
/// what closes it.
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
            if is_level && source.tokens[start].text(&source.text) == b"@" {
                start = end;
            } else if !is_level || !is_inner {
                break;
            }
        }
        end += 1;
    }
    start..end
}

/// Minimum tokens of a block with a body.
const MIN_BLOCK: usize = 8;

/// The block that defines `name`, which may be `Class.method`.
fn block_named(source: &Source, name: &str) -> Option<Range<usize>> {
    let document = source.document();
    let mut within = 0..source.tokens.len();
    for part in name.split('.') {
        let is_defined = |&at: &usize| {
            let is_name = source.tokens[at].text(&source.text) == part.as_bytes();
            is_name && {
                let first = (0..=at).rev().find(|&first| document.starts_line(first)).unwrap_or(at);
                let block = block_at(source, first);
                block.len() > MIN_BLOCK && (at..block.end).any(|at| document.starts_line(at))
            }
        };
        // A call over several lines has a body, too, and often comes first.
        let is_declared = |at: &usize| {
            let before = at.checked_sub(1).map(|before| source.tokens[before].text(&source.text));
            before.is_some_and(|word| document.words.defines(word)) && is_defined(at)
        };
        let at = within.clone().find(is_declared).or_else(|| within.clone().find(is_defined))?;
        let first = (0..=at).rev().find(|&first| document.starts_line(first))?;
        within = block_at(source, first);
    }
    Some(within)
}

/// Whether tokens are the same, up to names that are renamed one to one and to the text of strings.
fn is_same_up_to_names(a: &[Token], b: &[Token]) -> bool {
    let mut renaming = Renaming::default();
    let mut agree = |a: &Token, b: &Token| {
        renaming.agrees(a, b) || a.symbol == b.symbol && a.kind() == Kind::String
    };
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agree(a, b))
}
