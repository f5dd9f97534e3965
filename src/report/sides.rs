//! Lays a copy and its origin side by side, and marks the words in which they differ.
//!
//! Works on text alone, so it shows exactly what is there: any two pieces of text can be laid out.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput};

use crate::language::Languages;
use crate::policy::Fragment;
use crate::text::{FilePath, LinedText, Position, count, printable};

/// Maximum lines of a fragment to lay out; the rest are counted. More would make
/// reports too long to read.
const MAX_LINES: u32 = 1_000;
/// Maximum bytes of a line. Longer lines are cut on both ends, around the fragment.
const MAX_LINE: usize = 2_000;
/// Number of bytes to keep before the fragment in a line that is cut.
const BEFORE: usize = 80;

/// A line of code, ready to be shown.
pub(super) struct Line {
    pub number: u32,
    /// Its text, without characters that control a terminal or change the reading direction.
    pub text: String,
    /// The part of it that belongs to the fragment, as a byte range of `text`.
    pub within: Range<usize>,
    /// The parts of it that differ from the other side: ascending and disjoint.
    pub marks: Vec<(Range<usize>, Mark)>,
}

/// How a word differs from the other side.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// It is replaced by another word.
    Renamed,
    /// It is missing, or replaced by something else altogether.
    Changed,
}

impl Mark {
    fn of(is_renamed: bool) -> Self {
        if is_renamed { Self::Renamed } else { Self::Changed }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Renamed => "renamed",
            Self::Changed => "changed",
        }
    }
}

/// A word of the origin, and the word that replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rename {
    pub from: String,
    pub to: String,
    pub n: usize,
}

/// A copy and its origin, line by line.
#[derive(Default)]
pub(super) struct Sides {
    pub copy: Vec<Line>,
    pub origin: Vec<Line>,
    /// Which lines of `copy` and `origin` are next to each other: each line once, in order.
    pub rows: Vec<(Option<usize>, Option<usize>)>,
    /// The words that replace each other, the most frequent first.
    pub renames: Vec<Rename>,
    /// Lines of the copy and of the origin that were left out at their ends.
    pub n_left_out: (u32, u32),
}

impl Sides {
    pub fn new(copy: (&LinedText, &Fragment), origin: (&LinedText, &Fragment)) -> Self {
        let n_left_out = |fragment: &Fragment| fragment.n_lines().saturating_sub(MAX_LINES);
        let mut sides = Self {
            copy: lines(copy.0, copy.1),
            origin: lines(origin.0, origin.1),
            n_left_out: (n_left_out(copy.1), n_left_out(origin.1)),
            ..Self::default()
        };
        sides.compare();
        sides
    }

    fn compare(&mut self) {
        let (before, after) = (words(&self.origin), words(&self.copy));
        let of_origin: Vec<&str> = before.iter().map(|word| word.text(&self.origin)).collect();
        let of_copy: Vec<&str> = after.iter().map(|word| word.text(&self.copy)).collect();
        let mut input = InternedInput::default();
        input.update_before(of_origin.iter().copied());
        input.update_after(of_copy.iter().copied());
        let diff = Diff::compute(Algorithm::Myers, &input);
        let hunks: Vec<(Range<usize>, Range<usize>)> = diff.hunks().map(ranges).collect();

        let mut known: BTreeSet<(&str, &str)> = BTreeSet::new();
        for (old, new) in hunks.iter().cloned() {
            if is_word_for_word(&before[old.clone()], &after[new.clone()]) {
                known.extend(old.zip(new).map(|(a, b)| (of_origin[a], of_copy[b])));
            }
        }

        // Words that stand for each other, and those that are marked on either side.
        let mut equal: Vec<(usize, usize)> = Vec::new();
        let (mut old_marks, mut new_marks) = (Vec::new(), Vec::new());
        let mut renames: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let (mut at, mut to) = (0, 0);
        for (old, new) in hunks {
            equal.extend((at..old.start).zip(to..new.start));
            (at, to) = (old.end, new.end);
            let pairs = if is_word_for_word(&before[old.clone()], &after[new.clone()]) {
                old.clone().zip(new.clone()).collect()
            } else {
                renamed_again((old.clone(), &of_origin), (new.clone(), &of_copy), &known)
            };
            for (&a, &b) in &pairs {
                equal.push((a, b));
                *renames.entry((of_origin[a], of_copy[b])).or_default() += 1;
            }
            let renamed: BTreeSet<usize> = pairs.values().copied().collect();
            old_marks.extend(old.map(|a| (a, Mark::of(pairs.contains_key(&a)))));
            new_marks.extend(new.map(|b| (b, Mark::of(renamed.contains(&b)))));
        }
        equal.extend((at..before.len()).zip(to..after.len()));

        let mut votes: HashMap<(usize, usize), usize> = HashMap::new();
        for (a, b) in equal {
            *votes.entry((after[b].line, before[a].line)).or_default() += 1;
        }
        let renames = renames.into_iter();
        self.renames = renames
            .map(|((from, to), n)| Rename { from: from.to_owned(), to: to.to_owned(), n })
            .collect();
        self.renames.sort_by_key(|rename| std::cmp::Reverse(rename.n));
        self.rows = rows(self.copy.len(), self.origin.len(), &votes);
        for (lines, words, marks) in
            [(&mut self.origin, before, old_marks), (&mut self.copy, after, new_marks)]
        {
            for (word, mark) in marks {
                lines[words[word].line].mark(words[word].range.clone(), mark);
            }
        }
    }

    /// The renamed names, in files with these paths: words of strings and comments are none, and
    /// neither are numbers.
    ///
    /// In a language that is not known, every word may be a name that does not begin with a digit.
    pub fn renamed_names(&self, copy: &FilePath, origin: &FilePath) -> Vec<&Rename> {
        let (of_copy, of_origin) = (names(&self.copy, copy), names(&self.origin, origin));
        let is_renamed = |of: &&Rename| is_name(&of.from, &of_origin) && is_name(&of.to, &of_copy);
        self.renames.iter().filter(is_renamed).collect()
    }

    /// Whether a side has words in a row that the other side has not.
    pub fn is_marked(&self, row: usize) -> bool {
        let lines = [true, false].map(|is_copy| self.line(row, is_copy));
        lines.into_iter().flatten().any(|line| !line.marks.is_empty())
    }

    /// Whether both sides have a line in a row, with the same words.
    pub fn is_equal(&self, row: usize) -> bool {
        let (copy, origin) = self.rows[row];
        copy.is_some() && origin.is_some() && !self.is_marked(row)
    }

    pub fn line(&self, row: usize, is_copy: bool) -> Option<&Line> {
        let (copy, origin) = self.rows[row];
        if is_copy { copy.map(|at| &self.copy[at]) } else { origin.map(|at| &self.origin[at]) }
    }
}

/// Whether a word is among the names that are known, or may be one where none are.
fn is_name(word: &str, names: &Option<HashSet<String>>) -> bool {
    match names {
        Some(names) => names.contains(word),
        None => !begins_with_digit(word),
    }
}

pub(super) fn begins_with_digit(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

fn ranges(Hunk { before, after }: Hunk) -> (Range<usize>, Range<usize>) {
    let [before, after] = [before, after].map(|of| of.start as usize..of.end as usize);
    (before, after)
}

/// Whether each of some words is replaced by one.
fn is_word_for_word(old: &[Word], new: &[Word]) -> bool {
    old.len() == new.len() && old.iter().zip(new).all(|(a, b)| a.is_word && b.is_word)
}

impl Line {
    fn mark(&mut self, range: Range<usize>, mark: Mark) {
        match self.marks.last_mut() {
            // Changed words side by side are one change.
            Some((last, Mark::Changed))
                if mark == Mark::Changed && self.text[last.end..range.start].trim().is_empty() =>
            {
                last.end = range.end;
            }
            _ => self.marks.push((range, mark)),
        }
    }

    /// The text in pieces, each with its mark.
    pub fn pieces(&self) -> Vec<(&str, Option<Mark>)> {
        let mut pieces = Vec::new();
        let mut at = 0;
        for (range, mark) in &self.marks {
            pieces.push((&self.text[at..range.start], None));
            pieces.push((&self.text[range.clone()], Some(*mark)));
            at = range.end;
        }
        pieces.push((&self.text[at..], None));
        pieces.retain(|(text, _)| !text.is_empty());
        pieces
    }
}

/// The words of a hunk that replace each other as they do elsewhere, beside what was inserted: the
/// last ones, since what is equal follows them.
///
/// Time O(n log n) for n words.
fn renamed_again<'t>(
    (old, of_origin): (Range<usize>, &[&'t str]),
    (new, of_copy): (Range<usize>, &[&'t str]),
    known: &BTreeSet<(&'t str, &'t str)>,
) -> BTreeMap<usize, usize> {
    let mut end = new.end;
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    new.for_each(|b| places.entry(of_copy[b]).or_default().push(b));
    let mut pairs = BTreeMap::new();
    for a in old.rev() {
        let from = of_origin[a];
        let renamed = known.range((from, "")..).take_while(|(of, _)| *of == from);
        let last = renamed.filter_map(|(_, to)| {
            let of = places.get(to)?;
            of[..of.partition_point(|&b| b < end)].last().copied()
        });
        if let Some(b) = last.max() {
            pairs.insert(a, b);
            end = b;
        }
    }
    pairs
}

/// The identifiers in `lines` of the file at `path`; `None` if its language is not known.
fn names(lines: &[Line], path: &FilePath) -> Option<HashSet<String>> {
    let languages = Languages::builtin();
    let text: String =
        lines.iter().flat_map(|line| [&line.text[line.within.clone()], "\n"]).collect();
    let language = languages.identify(path, text.as_bytes())?;
    let mut tokens = Vec::new();
    languages.tokenize(language, text.as_bytes(), true, &mut tokens);
    let names = tokens.iter().filter(|token| token.is_name());
    Some(names.map(|token| text[token.start as usize..token.end as usize].to_owned()).collect())
}

pub(super) fn whole(text: &LinedText) -> Fragment {
    let end = text.lines().position(text, text.len() as u32);
    Fragment { start: Position { line: 1, column: 1 }, end }
}

/// The lines that `fragment` touches.
pub(super) fn lines(text: &LinedText, fragment: &Fragment) -> Vec<Line> {
    let starts = text.lines();
    let Fragment { start: first, end } = *fragment;
    let last = end.line.min(first.line.saturating_add(MAX_LINES - 1)).min(starts.n_lines());
    let mut lines = Vec::new();
    for number in first.line..=last {
        let bytes = starts.text(text, number);
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let start = if number == first.line { byte_of(bytes, first.column) } else { 0 };
        let end = if number == end.line { byte_of(bytes, end.column) } else { bytes.len() };
        lines.push(line(number, bytes, start..end.max(start)));
    }
    lines
}

/// How many lines of a fragment follow those that are shown, if any: "(3 lines more)".
pub(super) fn more_lines(fragment: &Fragment, n_shown: usize) -> Option<String> {
    let n_more = (fragment.n_lines() as usize).saturating_sub(n_shown);
    (n_more > 0).then(|| format!("({} more)", count(n_more, "line")))
}

fn line(number: u32, bytes: &[u8], within: Range<usize>) -> Line {
    let from = if bytes.len() > MAX_LINE { within.start.saturating_sub(BEFORE) } else { 0 };
    let to = bytes.len().min(from + MAX_LINE);
    let [start, end] = [within.start, within.end].map(|at| at.clamp(from, to));
    let before = (if from > 0 { "…" } else { "" }).to_owned() + &printable(&bytes[from..start]);
    let within = printable(&bytes[start..end]);
    let after = printable(&bytes[end..to]) + if to < bytes.len() { "…" } else { "" };
    let range = before.len()..before.len() + within.len();
    Line { number, text: before + &within + &after, within: range, marks: Vec::new() }
}

/// The offset in `line` of a column, which counts UTF-16 units from 1. Time O(n).
fn byte_of(line: &[u8], column: u32) -> usize {
    let (mut at, mut here) = (0, 1);
    for chunk in line.utf8_chunks() {
        let valid = chunk.valid().chars().map(|c| (c.len_utf8(), c.len_utf16() as u32));
        let invalid = (!chunk.invalid().is_empty()).then_some((chunk.invalid().len(), 1));
        for (n_bytes, n_units) in valid.chain(invalid) {
            if here >= column {
                return at;
            }
            (at, here) = (at + n_bytes, here + n_units);
        }
    }
    at
}

/// A name, a number, or one character of anything else.
struct Word {
    line: usize,
    range: Range<usize>,
    is_word: bool,
}

impl Word {
    fn text<'t>(&self, lines: &'t [Line]) -> &'t str {
        &lines[self.line].text[self.range.clone()]
    }
}

/// The words of the fragment; blanks are none.
fn words(lines: &[Line]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for (line, Line { text, within, .. }) in lines.iter().enumerate() {
        let mut is_inside = false;
        for (at, c) in text[within.clone()].char_indices() {
            let range = within.start + at..within.start + at + c.len_utf8();
            let is_word = c.is_alphanumeric() || c == '_';
            match words.last_mut() {
                Some(last) if is_word && is_inside => last.range.end = range.end,
                _ if c.is_whitespace() => {}
                _ => words.push(Word { line, range, is_word }),
            }
            is_inside = is_word;
        }
    }
    words
}

/// Pairs lines that are each other's best match; what lies between two pairs is paired in order.
fn rows(
    n_copy: usize,
    n_origin: usize,
    votes: &HashMap<(usize, usize), usize>,
) -> Vec<(Option<usize>, Option<usize>)> {
    let mut sorted: Vec<_> = votes.iter().collect();
    sorted.sort_unstable_by_key(|&(pair, n)| (std::cmp::Reverse(n), pair));
    let (mut of_copy, mut of_origin) = (vec![None; n_copy], vec![None; n_origin]);
    for (&(copy, origin), _) in sorted {
        of_copy[copy].get_or_insert(origin);
        of_origin[origin].get_or_insert(copy);
    }
    let pairs = (0..n_copy).filter_map(|copy| {
        of_copy[copy].filter(|&origin| of_origin[origin] == Some(copy)).map(|origin| (copy, origin))
    });
    let mut rows = Vec::new();
    let (mut copy, mut origin) = (0, 0);
    for (to_copy, to_origin) in pairs.chain([(n_copy, n_origin)]) {
        if to_origin < origin {
            continue;
        }
        while copy < to_copy || origin < to_origin {
            rows.push(((copy < to_copy).then_some(copy), (origin < to_origin).then_some(origin)));
            (copy, origin) = ((copy + 1).min(to_copy), (origin + 1).min(to_origin));
        }
        if to_copy < n_copy {
            rows.push((Some(to_copy), Some(to_origin)));
            (copy, origin) = (to_copy + 1, to_origin + 1);
        }
    }
    rows
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub fn sides(origin: &str, copy: &str) -> Sides {
        let [copy, origin] = [copy, origin].map(|text| LinedText::from(text.as_bytes().to_vec()));
        Sides::new((&copy, &whole(&copy)), (&origin, &whole(&origin)))
    }

    fn marked(lines: &[Line]) -> Vec<String> {
        let pieces = lines.iter().flat_map(Line::pieces);
        pieces.filter_map(|(text, mark)| Some(format!("{} {text}", mark?.name()))).collect()
    }

    #[test]
    fn what_was_renamed_and_what_was_changed_is_marked() {
        let sides =
            sides("for e in list:\n  use(e)\n", "for item in list:\n  log(1, 2)\n  use(item)\n");
        assert_eq!(marked(&sides.origin), ["renamed e", "renamed e"]);
        assert_eq!(marked(&sides.copy), ["renamed item", "changed log(1, 2)", "renamed item"]);
        assert_eq!(sides.renames, [Rename { from: "e".into(), to: "item".into(), n: 2 }]);
        assert_eq!(sides.rows[..3], [(Some(0), Some(0)), (Some(1), None), (Some(2), Some(1))]);
    }

    #[test]
    fn what_is_renamed_elsewhere_is_renamed_beside_what_was_inserted() {
        let sides =
            sides("t = 0\nt += p\nreturn t\n", "# the sum r\nr = 0\nlog(p)\nr += p\nreturn r\n");
        assert_eq!(marked(&sides.origin), ["renamed t"; 3]);
        let copy = ["changed # the sum r", "renamed r", "changed log(p)", "renamed r", "renamed r"];
        assert_eq!(marked(&sides.copy), copy);
        assert_eq!(sides.renames, [Rename { from: "t".into(), to: "r".into(), n: 3 }]);
    }

    #[test]
    fn names_of_code_are_renamed_and_words_of_strings_and_comments_are_not() {
        let sides = sides(
            "int a = f(10, \"daily\"); // the old one\nuse(a);\n",
            "int b = f(20, \"hourly\"); // the new one\nuse(b);\n",
        );
        assert_eq!(sides.renames.len(), 4);
        let renamed = |path: &str| {
            let path = FilePath::new(path.as_bytes());
            let names = sides.renamed_names(&path, &path).into_iter();
            names.map(|rename| format!("{} {}", rename.from, rename.to)).collect::<Vec<_>>()
        };
        assert_eq!(renamed("x.c"), ["a b"]);
        assert_eq!(renamed("x.unknown"), ["a b", "daily hourly", "old new"]);
    }

    #[test]
    fn layout_alone_is_no_difference() {
        let sides = sides("a(b,\n  c);\n", "a( b, c );\n");
        assert!([&sides.origin, &sides.copy].iter().all(|lines| marked(lines).is_empty()));
    }

    #[test]
    fn only_the_fragment_is_compared_and_control_characters_are_harmless() {
        let text = LinedText::from(b"a\r\n\xF0\x9F\x98\x80 \x1b[31mb();\r\nc\n".to_vec());
        let at = |line, column| Position { line, column };
        let lines = lines(&text, &Fragment { start: at(2, 9), end: at(2, 12) });
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].text, "\u{1F600} \\u{1b}[31mb();");
        assert_eq!(&lines[0].text[lines[0].within.clone()], "b()");
    }

    #[test]
    fn a_line_without_end_is_cut_around_the_fragment() {
        let text = format!("{}copy(){}", "a ".repeat(500_000), " b".repeat(500_000));
        let at = |column| Position { line: 1, column };
        let fragment = Fragment { start: at(1_000_001), end: at(1_000_007) };
        let lines = lines(&text.into_bytes().into(), &fragment);
        assert_eq!(&lines[0].text[lines[0].within.clone()], "copy()");
        let shown = &lines[0].text;
        assert!(shown.len() < MAX_LINE + 10 && shown.starts_with('…') && shown.ends_with('…'));
    }

    proptest! {
        #[test]
        fn every_line_stands_in_one_row_in_order_and_the_pieces_are_the_text(
            a in "[ab(){};\n\t é😀]{0,80}",
            b in "[ab(){};\n\t é😀]{0,80}",
        ) {
            let sides = sides(&a, &b);
            let copy: Vec<usize> = sides.rows.iter().filter_map(|row| row.0).collect();
            let origin: Vec<usize> = sides.rows.iter().filter_map(|row| row.1).collect();
            prop_assert_eq!(copy, (0..sides.copy.len()).collect::<Vec<_>>());
            prop_assert_eq!(origin, (0..sides.origin.len()).collect::<Vec<_>>());
            for line in sides.copy.iter().chain(&sides.origin) {
                let text: String = line.pieces().iter().map(|piece| piece.0).collect();
                prop_assert_eq!(&text, &line.text);
            }
        }
    }
}
