//! Writes the edit that a sibling lacks, with the names of the sibling, as a patch.

use std::collections::HashMap;
use std::ops::Range;

use super::windows::{Pair, Place};
use crate::audit::read::Source;
use crate::language::Token;
use crate::matching::{Hunk, unified};
use crate::text::indented_line;

/// The text of the other file with the edits made and `names` for those of the edited one; `None`
/// if other comments are there, or two names of an edit would become one, or nothing would change.
///
/// What is replaced reaches from the last kept token before an edit to the first behind it, so that
/// the comments of the edit come along.
pub(super) fn adapted(
    pair: &Pair<'_>,
    places: &[Place<'_>],
    names: &HashMap<u32, &[u8]>,
) -> Option<Vec<u8>> {
    let (base, head, target) = (pair.own, &pair.head.source, pair.other);
    let has_crlf = target.text.windows(2).any(|pair| pair == b"\r\n");
    let mut splices: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
    let mut of_names: HashMap<&[u8], u32> = HashMap::new();
    for Place { window, site, .. } in places {
        let hunk = &window.hunk;
        let (was, there) = (between(base, &hunk.removed), between(target, &site.at));
        if comments(base, &hunk.removed, &was) != comments(target, &site.at, &there) {
            return None;
        }
        let of_head = between(head, &hunk.added);
        let mut new = Vec::new();
        let mut at = of_head.start;
        for token in &head.tokens[hunk.added.clone()] {
            new.extend(&head.text[at..token.start as usize]);
            let renamed = names.get(&token.exact).filter(|_| token.is_name());
            let name = renamed.map_or(token.text(&head.text), |name| *name);
            if *of_names.entry(name).or_insert(token.exact) != token.exact {
                return None;
            }
            new.extend(name);
            at = token.end as usize;
        }
        new.extend(&head.text[at..of_head.end]);
        splices.extend(indented_lines([base, head, target], hunk, site.at.end)?);
        let new = indented(
            &new,
            base.document().indentation(hunk.removed.end),
            target.document().indentation(site.at.end),
        );
        let new: Vec<u8> = new.into_iter().filter(|&byte| byte != b'\r').collect();
        let new = match has_crlf {
            true => new.split(|&byte| byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]),
            false => new,
        };
        splices.push((there, new));
    }
    let mut text = target.text.clone();
    splices.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    for (range, new) in splices {
        text.splice(range, new);
    }
    (text != target.text).then_some(text)
}

/// Whether as many brackets are open behind the edits as behind what they replace: what closes one
/// may be in a part of an edit that no sibling lacks.
pub(super) fn is_balanced(pair: &Pair<'_>, places: &[Place<'_>]) -> bool {
    let nesting = |source: &Source, of: &Range<usize>| -> i64 {
        source.tokens[of.clone()].iter().map(Token::nesting).sum()
    };
    let opened = places.iter().map(|Place { window, site, .. }| {
        nesting(&pair.head.source, &window.hunk.added) - nesting(pair.other, &site.at)
    });
    opened.sum::<i64>() == 0
}

/// The patch that gives `source` another `text`, if its name and encoding are fit for patches.
pub(super) fn patch(source: &Source, text: &[u8]) -> Option<String> {
    let mut bytes = source.path.as_bytes().iter();
    let is_plain = bytes.all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\'));
    let is_text = [&source.text, text].iter().all(|text| std::str::from_utf8(text).is_ok());
    (is_plain && is_text && source.encoded.is_none())
        .then(|| unified(&source.path.to_string(), &source.text, text))
}

/// The bytes between the token before a range and the one behind it.
fn between(source: &Source, tokens: &Range<usize>) -> Range<usize> {
    let before = tokens.start.checked_sub(1).map(|before| source.tokens[before].end as usize);
    let behind = source.tokens.get(tokens.end).map(|token| token.start as usize);
    before.unwrap_or(0)..behind.unwrap_or(source.text.len())
}

/// What is between the tokens of a range, without white space.
fn comments(source: &Source, tokens: &Range<usize>, bytes: &Range<usize>) -> Vec<u8> {
    let mut found: Vec<u8> = Vec::new();
    let mut at = bytes.start;
    for token in &source.tokens[tokens.clone()] {
        found.extend(&source.text[at..token.start as usize]);
        at = token.end as usize;
    }
    found.extend(&source.text[at..bytes.end]);
    found.retain(|byte| !byte.is_ascii_whitespace());
    found
}

/// The white space of the lines behind an edit that it only indented otherwise, and what it becomes
/// in the target, where they begin behind the token at `end`; `None` if something else was changed
/// among them, or is there.
fn indented_lines(
    [base, head, target]: [&Source; 3],
    hunk: &Hunk,
    end: usize,
) -> Option<Vec<(Range<usize>, Vec<u8>)>> {
    let ends = [hunk.removed.end, hunk.added.end, end];
    let (from, to) =
        (base.document().indentation(hunk.removed.end), target.document().indentation(end));
    let mut found = Vec::new();
    if !base.document().starts_line(hunk.removed.end) {
        return Some(found);
    }
    // The white space before the first of them is part of the edit.
    for n in 0.. {
        let [own, new, there] = ends.map(|end| end + n);
        let is_line = base.document().starts_line(own);
        if own >= base.tokens.len()
            || is_line && base.document().indentation(own) == head.document().indentation(new)
        {
            break;
        }
        let tokens = [(base, own), (head, new), (target, there)].map(|(of, at)| of.tokens.get(at));
        let [Some(token), Some(of_head), Some(of_target)] = tokens else { return None };
        let is_line_there = target.document().starts_line(there);
        if !token.is_same(of_head) || token.symbol != of_target.symbol || is_line != is_line_there {
            return None;
        }
        if n > 0 && is_line {
            let start = of_target.start as usize;
            let white = start - target.document().indentation(there).len()..start;
            found.push((white, indented_line(head.document().indentation(new), from, to)));
        }
    }
    Some(found)
}

/// `text`, whose lines are indented by `from` or more, indented by `to` instead.
fn indented(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut lines = text.split(|&byte| byte == b'\n');
    let mut new = lines.next().unwrap_or_default().to_vec();
    for line in lines {
        new.push(b'\n');
        new.extend(indented_line(line, from, to));
    }
    new
}
