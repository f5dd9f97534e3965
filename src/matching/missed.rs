//! Finds changes that a copy has missed: it still has the code that a commit changed, and not what
//! it became.
//!
//! ```text
//!             before                  after                     the copy
//! context     n = read(f, b);         n = read(f, b);           n = read(f, b);
//! hunk        b[n] = 0;               if (n < size) b[n] = 0;   b[n] = 0;                missed
//! context     return parse(b);        return parse(b);          return parse(b);
//! ```
//!
//! A hunk is looked for as `patch` does: its lines with three lines on each side, or [`CONTEXT`]
//! tokens if these are fewer, and more of its function until they show a place. Code that has the
//! fix has something else there, however it got there, so nothing is reported for it.
//!
//! Invariant: a change of layout, comments or names, and one that the copy has in any form, is
//! never missed.

use std::cell::LazyCell;
use std::ops::Range;
use std::sync::OnceLock;

use imara_diff::{Algorithm, Diff, InternedInput};

use foldhash::{HashMap, HashMapExt, HashSet};

use super::Document;
use super::lines::line_hunks;
use crate::language::Token;
use crate::text::{common_prefix_by, common_suffix_by};

/// Maximum tokens on each side of what a hunk removed that a copy must have, too, if these show a
/// place.
pub const CONTEXT: usize = 16;
const MIN_TOKENS: usize = 20;
/// Minimum different names and literals of a hunk with its context: brackets and keywords alone are
/// everywhere.
const MIN_WORDS: usize = 6;
/// Length of the runs that an index of a copy looks up.
const RUN: usize = 6;

/// A place that a commit changed, in tokens of the file before and after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The lines that it changed, as they were; empty for an insertion.
    pub before: Range<usize>,
    /// The lines as they became; empty for a deletion.
    pub after: Range<usize>,
    /// The tokens that it removed, without what is the same at both ends.
    pub removed: Range<usize>,
    /// The tokens that it added.
    pub added: Range<usize>,
}

impl Hunk {
    /// The tokens that it removed or added, whichever are more.
    pub fn n_tokens(&self) -> usize {
        self.removed.len().max(self.added.len())
    }

    /// Whether it adds or removes functions between others, with these `depths` of the tokens
    /// before the change.
    fn is_of_functions(&self, before: &[Token], depths: &[i32]) -> bool {
        // A function that is new beside others changes none of them. One that is gone, or makes
        // room for another, was not fixed.
        let has_body = depths[self.before.clone()].iter().any(|&depth| depth > 0);
        // The bracket that closes it may be all that two functions have in common.
        let behind = before[self.before.end..].iter();
        let n_closing = behind.take_while(|token| token.punctuation() == Some(b'}')).count();
        let whole = self.before.start..self.before.end + n_closing;
        let [is_outside, is_whole_outside] =
            [&self.removed, &whole].map(|part| depths[part.start] == 0 && depths[part.end] == 0);
        let is_one_sided = self.removed.is_empty() || self.added.is_empty();
        is_outside && is_one_sided || is_whole_outside && has_body
    }
}

/// How many of `hunks`, in order, have all their lines within some tokens before the change.
pub fn n_hunks(hunks: &[Hunk], within: &Range<usize>) -> usize {
    let first = hunks.partition_point(|hunk| hunk.before.start < within.start);
    let end = hunks.partition_point(|hunk| hunk.before.end <= within.end);
    end.saturating_sub(first)
}

/// A hunk, and what a copy must have of the code around it to have missed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What was changed.
    pub hunk: Hunk,
    /// Its lines and those of the context, in tokens before the change.
    pub window: Range<usize>,
}

/// A hunk that a copy has missed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissedHunk {
    /// What was changed.
    pub hunk: Hunk,
    /// The tokens of the copy that correspond to [`Hunk::before`]; empty for an insertion.
    pub lines: Range<usize>,
    /// The tokens of the copy that the hunk would change, or the two that it would come between.
    pub at: Range<usize>,
    /// Whether the copy spells all of it as the origin does, so that the hunk can be applied as it
    /// is.
    pub is_spelled: bool,
}

/// A token stream to look hunks up in.
#[derive(Debug)]
pub struct HunkIndex<'t> {
    tokens: &'t [Token],
    /// The key of each run of [`RUN`] symbols and where it begins, sorted; made once it is asked
    /// for.
    runs: OnceLock<Vec<(u64, u32)>>,
}

impl<'t> HunkIndex<'t> {
    /// Indexes `tokens` when the first hunk is looked up, in time O(n log n).
    pub fn new(tokens: &'t [Token]) -> Self {
        Self { tokens, runs: OnceLock::new() }
    }

    fn starts_of(&self, run: &[Token]) -> &[(u64, u32)] {
        let runs = self.runs.get_or_init(|| {
            let mut runs = Vec::from_iter(self.tokens.windows(RUN).map(key).zip(0..));
            runs.sort_unstable();
            runs
        });
        let key = key(run);
        let behind = &runs[runs.partition_point(|(of, _)| *of < key)..];
        &behind[..behind.partition_point(|(of, _)| *of == key)]
    }

    /// Where the tokens of a window are, and whether they are spelled the same there.
    fn find(&self, fix: &Fix, before: &[Token]) -> Vec<(usize, bool)> {
        let pattern = &before[fix.window.clone()];
        // The rarest run leaves the fewest places to compare.
        let runs = pattern.windows(RUN).map(|run| self.starts_of(run)).enumerate();
        let rarest = runs.min_by_key(|(_, places)| places.len());
        let Some((offset, places)) = rarest else { return Vec::new() };
        let starts = places.iter().filter_map(|&(_, at)| (at as usize).checked_sub(offset));
        starts.filter_map(|start| Some((start, fix.is_at(before, self.tokens, start)?))).collect()
    }
}

impl Fix {
    /// Whether the window is at `start`, with names that may be renamed one to one, and then
    /// whether it is spelled the same.
    fn is_at(&self, before: &[Token], tokens: &[Token], start: usize) -> Option<bool> {
        let Self { hunk, window } = self;
        let pattern = &before[window.clone()];
        let own = tokens.get(start..start + window.len())?;
        if !own.iter().zip(pattern).all(|(a, b)| a.symbol == b.symbol) {
            return None;
        }
        let run = hunk.run_at(window, before, tokens, start + hunk.removed.start - window.start)?;
        let is_whole = run.n_left == hunk.removed.start - window.start
            && run.n_right == window.end - hunk.removed.end;
        is_whole.then(|| own.iter().zip(pattern).all(|(a, b)| a.exact == b.exact))
    }

    /// The change back, in a file of `n_tokens` after it.
    fn undone(&self, n_tokens: usize) -> Self {
        let Self { hunk: Hunk { before, after, removed, added }, window } = self.clone();
        let (n_left, n_right) = (before.start - window.start, window.end - before.end);
        let window = after.start.saturating_sub(n_left)..(after.end + n_right).min(n_tokens);
        let hunk = Hunk { before: after, after: before, removed: added, added: removed };
        Self { hunk, window }
    }

    /// How often the window is in `tokens`; only as it is spelled, or renamed as well.
    fn n_in(&self, before: &[Token], tokens: &[Token], is_spelled: bool) -> usize {
        let starts = 0..(tokens.len() + 1).saturating_sub(self.window.len());
        let places = starts.filter_map(|start| self.is_at(before, tokens, start));
        places.filter(|spelled| *spelled >= is_spelled).count()
    }
}

fn key(run: &[Token]) -> u64 {
    line_key(run.iter().map(|token| token.symbol.get()))
}

/// The first token of each line that has any, then the number of tokens.
fn line_starts(document: Document<'_>) -> Vec<usize> {
    (0..=document.tokens.len()).filter(|&at| document.starts_line(at)).collect()
}

/// A number for each line with tokens, the same for lines that are spelled the same apart from
/// white space.
pub fn line_keys(document: Document<'_>) -> Vec<u64> {
    keys_of(&line_starts(document), document)
}

fn keys_of(starts: &[usize], document: Document<'_>) -> Vec<u64> {
    let lines = starts.windows(2).map(|ends| &document.tokens[ends[0]..ends[1]]);
    lines.map(|line| line_key(line.iter().map(|token| token.exact))).collect()
}

/// A number for a line with tokens of these exact readings.
pub fn line_key(readings: impl Iterator<Item = u32>) -> u64 {
    // The multiplier of FxHash, which spreads small differences over the high bits.
    readings.fold(0, |key: u64, exact| {
        (key.rotate_left(5) ^ u64::from(exact)).wrapping_mul(0x517C_C1B7_2722_0A95)
    })
}

/// The lines with tokens that a change replaced, as token ranges before and after; comments and
/// layout do not count.
///
/// Time as of a histogram diff of the lines; of very long files, of the parts between lines that
/// are there once.
pub fn edited_lines(
    before: Document<'_>,
    after: Document<'_>,
) -> Vec<(Range<usize>, Range<usize>)> {
    let (of_before, of_after) = (line_starts(before), line_starts(after));
    let mut input = InternedInput::default();
    input.update_before(keys_of(&of_before, before).into_iter());
    input.update_after(keys_of(&of_after, after).into_iter());
    let hunks = line_hunks(&input, Algorithm::Histogram, Diff::postprocess_no_heuristic);
    let edits = hunks.into_iter().map(|imara_diff::Hunk { before, after }| {
        let before = of_before[before.start as usize]..of_before[before.end as usize];
        (before, of_after[after.start as usize]..of_after[after.end as usize])
    });
    edits.collect()
}

/// All places that a change from `before` to `after` changed.
pub fn edited_hunks(before: Document<'_>, after: Document<'_>) -> Vec<Hunk> {
    let (old, new) = (before.tokens, after.tokens);
    let hunks = edited_lines(before, after).into_iter().map(|(before, after)| {
        let (a, b) = (&old[before.clone()], &new[after.clone()]);
        let n = common_prefix_by(a, b, Token::is_same);
        let n_end = common_suffix_by(&a[n..], &b[n..], Token::is_same);
        let [removed, added] = [&before, &after].map(|all| all.start + n..all.end - n_end);
        Hunk { before, after, removed, added }
    });
    hunks.collect()
}

/// The places that a change from `before` to `after` changed, as far as a copy can miss them and
/// has enough around them to be found by.
pub fn fixes(before: Document<'_>, after: Document<'_>) -> Vec<Fix> {
    let depths: LazyCell<Vec<i32>, _> = LazyCell::new(|| depths_of(before.tokens));
    // A variable is named where it is declared, and where it is used.
    let hunks = missable_hunks(edited_hunks(before, after), before, after, 2);
    hunks.filter_map(|hunk| Some(Fix { window: window(&hunk, before, &depths)?, hunk })).collect()
}

/// The hunks of a change from `before` to `after` that others can miss: no layout, no renaming, no
/// new functions.
///
/// A name that the file had `min_renamed` times or more and has no longer was given another name.
pub fn missable_hunks<'d>(
    hunks: Vec<Hunk>,
    before: Document<'d>,
    after: Document<'d>,
    min_renamed: usize,
) -> impl Iterator<Item = Hunk> + use<'d> {
    let (old, new) = (before.tokens, after.tokens);
    let [n_in_old, n_in_new] = [old, new].map(|tokens| LazyCell::new(|| n_of_words(tokens)));
    // Braces that are around data say nothing of functions.
    let depths = LazyCell::new(|| has_blocks(old).then(|| depths_of(old)));
    hunks.into_iter().filter(move |hunk| {
        let (removed, added) = (&old[hunk.removed.clone()], &new[hunk.added.clone()]);
        if removed.is_empty() && added.is_empty()
            || depths.as_ref().is_some_and(|depths| hunk.is_of_functions(old, depths))
        {
            return false;
        }
        removed.len() != added.len()
            || removed.iter().zip(added).any(|(a, b)| {
                // Neither the same nor renamed.
                a.symbol != b.symbol
                    || a.exact != b.exact
                        && (!a.is_name()
                            || n_in_old[&a.exact] < min_renamed
                            || n_in_new.contains_key(&a.exact)
                            || n_in_old.contains_key(&b.exact))
            })
    })
}

fn n_of_words(tokens: &[Token]) -> HashMap<u32, usize> {
    let mut n = HashMap::new();
    tokens.iter().for_each(|token| *n.entry(token.exact).or_default() += 1);
    n
}

/// Whether braces are around the bodies of functions: in Python, they are around data.
fn has_blocks(tokens: &[Token]) -> bool {
    let mut pairs = tokens.windows(2).map(|pair| [pair[0].punctuation(), pair[1].punctuation()]);
    pairs.any(|pair| pair == [Some(b')'), Some(b'{')])
}

/// For each token and for the end, how many braces are open before it: 0 where the fewest are,
/// since what is kept of a fix may begin inside a function.
fn depths_of(tokens: &[Token]) -> Vec<i32> {
    let mut depths = vec![0];
    for token in tokens {
        let deeper = match token.punctuation() {
            Some(b'{') => 1,
            Some(b'}') => -1,
            _ => 0,
        };
        depths.push(depths[depths.len() - 1] + deeper);
    }
    let least = depths.iter().copied().min().unwrap_or(0);
    depths.iter_mut().for_each(|depth| *depth -= least);
    depths
}

/// The lines of a hunk with those around it, as far as they are of the same function, since a copy
/// may have the function alone; with more until they show a place. A table never does.
fn window(hunk: &Hunk, before: Document<'_>, depths: &[i32]) -> Option<Range<usize>> {
    let tokens = before.tokens;
    let (lines, within) = (hunk.with_context(before), function_around(hunk, tokens, depths));
    let start = lines.start.max(hunk.removed.start.saturating_sub(CONTEXT)).min(hunk.before.start);
    let end = lines.end.min(hunk.removed.end + CONTEXT).max(hunk.before.end);
    let mut window = start.max(within.start)..end.min(within.end);
    let max = tokens.len().min(MIN_TOKENS * MIN_WORDS);
    while !is_enough(&tokens[window.clone()]) && window.len() < max {
        let bounds = if window.len() < within.len() { within.clone() } else { 0..tokens.len() };
        window = window.start.saturating_sub(1).max(bounds.start)..(window.end + 1).min(bounds.end);
    }
    is_enough(&tokens[window.clone()]).then_some(window)
}

/// The function that a hunk is in; all tokens if there is none.
fn function_around(hunk: &Hunk, tokens: &[Token], depths: &[i32]) -> Range<usize> {
    let removed = &hunk.removed;
    let mut before = (1..=removed.start).rev();
    let start = before.find(|&at| ends_function(at, tokens, depths)).unwrap_or(0);
    let mut behind = removed.end.max(start + 1)..tokens.len();
    let end = behind.find(|&at| ends_function(at, tokens, depths)).unwrap_or(tokens.len());
    let has_body = has_blocks(&tokens[start..end]);
    let is_within = start <= hunk.before.start && hunk.before.end <= end;
    let mut inside = removed.start + 1..removed.end;
    if !has_body || !is_within || inside.any(|at| ends_function(at, tokens, depths)) {
        return 0..tokens.len();
    }
    start..end
}

/// Whether a function, or what is between functions, may end before the token at `at`.
fn ends_function(at: usize, tokens: &[Token], depths: &[i32]) -> bool {
    depths[at] == 0 && matches!(tokens[at - 1].punctuation(), Some(b'}' | b';'))
}

/// Whether some tokens are so many and so different that they show a place.
fn is_enough(tokens: &[Token]) -> bool {
    let words: HashSet<u32> =
        tokens.iter().filter(|token| token.is_content()).map(|token| token.exact).collect();
    tokens.len() >= MIN_TOKENS && words.len() >= MIN_WORDS
}

/// The fixes of a change from `before` to `after` that `copy` has missed; `latest` is the newest
/// version of the file.
///
/// A copy may have the code in several places, and so may the file after the change: only what it
/// has in more places was missed, and not in more than lack what the change made of it. It was not
/// if the file has gone back to it since.
///
/// Time O(n) in the tokens of `after` and `latest` for each fix whose window the copy has; the others
/// cost next to nothing.
pub fn missed(
    before: &[Token],
    fixes: &[Fix],
    after: &[Token],
    latest: Option<&[Token]>,
    copy: &HunkIndex<'_>,
) -> Vec<MissedHunk> {
    let mut found = Vec::new();
    for fix in fixes {
        let Fix { hunk, window } = fix;
        let mut places = copy.find(fix, before);
        // What only has its shape, in the file or the copy, is another place if one is spelled so.
        let Some(is_spelled) = places.iter().map(|(_, is_spelled)| *is_spelled).max() else {
            continue;
        };
        places.retain(|(_, spelled)| *spelled == is_spelled);
        let others = [Some(after), latest].into_iter().flatten();
        let n_left = others.map(|other| fix.n_in(before, other, is_spelled)).max().unwrap_or(0);
        let undone = fix.undone(after.len());
        let mended = copy.find(&undone, after).into_iter();
        let n_mended = mended.filter(|(_, spelled)| *spelled >= is_spelled).count();
        let n_all = undone.n_in(after, after, is_spelled).max(1);
        // Which of several places was meant cannot be known; they read the same.
        let n_lacking = n_all.saturating_sub(n_mended);
        for (place, is_spelled) in places.into_iter().skip(n_left).take(n_lacking) {
            let [lines, changed] = [&hunk.before, &hunk.removed]
                .map(|part| part.start - window.start + place..part.end - window.start + place);
            let at = if changed.is_empty() {
                changed.start.saturating_sub(1)..(changed.end + 1).min(copy.tokens.len())
            } else {
                changed
            };
            found.push(MissedHunk { hunk: hunk.clone(), lines, at, is_spelled });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::{c_tokens, document};
    use super::*;

    #[test]
    fn lines_between_every_two_others_are_found_in_a_long_file_too() {
        let text = |call: &str| (0..3_000).map(|n| format!("a{n};\n{call}")).collect::<String>();
        let (before, after) = (text(""), text("call();\n"));
        let [old, new] = [&*before, &*after].map(c_tokens);
        let edits = edited_lines(document(&before, &old), document(&after, &new));
        let expected = (1..=3_000).map(|n| (2 * n..2 * n, 6 * n - 4..6 * n));
        assert!(edits.into_iter().eq(expected));
    }

    fn n_missed(before: &str, after: &str, latest: &str, copy: &str) -> usize {
        let [old, new, now, own] = [before, after, latest, copy].map(c_tokens);
        let fixes = fixes(document(before, &old), document(after, &new));
        missed(&old, &fixes, &new, Some(&now), &HunkIndex::new(&own)).len()
    }

    #[track_caller]
    fn check(before: &str, after: &str, copy: &str, expected: usize) {
        assert_eq!(n_missed(before, after, after, copy), expected, "{copy}");
    }

    const BEFORE: &str = "int load(FILE *file, char *buffer, int size) {\n    int n = read(file, buffer, size);\n    \
                          buffer[n] = 0;\n    return parse(buffer, n) + count(file);\n}\n";

    fn fixed(line: &str) -> String {
        BEFORE.replace("    buffer[n] = 0;\n", line)
    }

    #[test]
    fn a_copy_that_has_what_was_changed_has_missed_the_change() {
        let after = fixed("    if (n < size) buffer[n] = 0;\n");
        check(BEFORE, &after, &format!("int other;\n{BEFORE}"), 1);
        check(BEFORE, &after, &after, 0);
        check(BEFORE, &after, &fixed("    buffer[n < size ? n : 0] = 0;\n"), 0);
        check(BEFORE, &after, "int load(void) { return 0; }\n", 0);
        // The file went back to it.
        assert_eq!(n_missed(BEFORE, &after, BEFORE, BEFORE), 0);
        // What became of the code is no place that lacks it.
        let other = BEFORE.replace("int load", "int load_all");
        check(BEFORE, &after, &format!("{after}{other}"), 0);
    }

    #[test]
    fn an_insertion_is_missed_where_nothing_is_between_its_neighbors() {
        let after = fixed("    buffer[n] = 0;\n    close(file);\n");
        check(BEFORE, &after, BEFORE, 1);
        check(BEFORE, &after, &fixed("    buffer[n] = 0;\n    shut(file);\n"), 0);
    }

    #[test]
    fn layout_comments_and_names_are_nothing_to_miss() {
        let laid_out = BEFORE.replace("file, buffer, size)", "file,\n  buffer, /* all */ size)");
        check(BEFORE, &laid_out, BEFORE, 0);
        check(BEFORE, &BEFORE.replace("size", "length"), BEFORE, 0);
    }

    #[test]
    fn a_name_that_the_file_has_once_and_a_literal_are_code() {
        check(BEFORE, &BEFORE.replace("count(file)", "length(file)"), BEFORE, 1);
        let told = |text: &str| fixed(&format!("    log(file, \"{text}\");\n"));
        check(&told("^a+$"), &told("^a{1,9}$"), &told("^a+$"), 1);
    }

    #[test]
    fn a_copy_may_have_renamed_some_names() {
        let after = fixed("    if (n < size) buffer[n] = 0;\n");
        check(BEFORE, &after, &BEFORE.replace("parse", "json_parse"), 1);
        let renamed = BEFORE.replace("buffer", "b").replace("file", "f").replace("parse", "p");
        check(BEFORE, &after, &renamed, 1);
        // That the file has other code of the same shape is nothing to one that is spelled so.
        check(BEFORE, &format!("{after}{renamed}"), BEFORE, 1);
        let renamed = renamed.replace(" n ", " k ").replace("[n]", "[k]").replace(", n)", ", k)");
        check(BEFORE, &after, &renamed.replace("count", "c"), 0);
    }

    #[test]
    fn of_equal_places_only_those_are_missed_that_were_changed() {
        let other = BEFORE.replace("load", "load_more");
        let after = fixed("    if (n < size) buffer[n] = 0;\n");
        let (before, one) = (format!("{BEFORE}{other}"), format!("{after}{other}"));
        check(&before, &one, &before, 1);
        check(&before, &one, &one, 0);
    }

    #[test]
    fn a_copy_may_have_a_function_without_its_neighbors() {
        let other = "int other(int a, int b) {\n    int c = a + b;\n    return c * most(a, b) - least(b, a);\n}\n\n";
        let helper = "int is_free(char *buffer, int n) {\n    return n > 0 && buffer != 0;\n}\n\n";
        let with_head = BEFORE.replace("int size)", "int size, int *error)");
        let (before, after) = (format!("{other}{BEFORE}"), format!("{other}{helper}{with_head}"));
        check(&before, &after, BEFORE, 1);
        check(&before, &after, &before, 1);
        check(&before, &after, &with_head, 0);
        check(&before, &after, other, 0);
        // What is kept of a fix begins inside the other one.
        let cut = |text: &str| text.split_once("return c").expect("it is there").1.to_owned();
        check(&cut(&before), &cut(&after), BEFORE, 1);
        check(&cut(&before), &cut(&after), &with_head, 0);
        // At the end of a function, too.
        let ended = BEFORE.replace("count(file)", "count(file, n)");
        check(&format!("{BEFORE}{other}"), &format!("{ended}{helper}{other}"), BEFORE, 1);
        check(&format!("{BEFORE}{other}"), &format!("{ended}{helper}{other}"), &ended, 0);
    }

    #[test]
    fn a_new_function_changes_no_other() {
        check(BEFORE, &format!("{BEFORE}int more(int a) {{ return load(a, a, a); }}\n"), BEFORE, 0);
        check(BEFORE, &format!("int more(int a) {{ return load(a, a, a); }}\n{BEFORE}"), BEFORE, 0);
        check(&format!("{BEFORE}int end;\n"), "int end;\n", BEFORE, 0);
        check(BEFORE, "int more(int a) {\n    return a;\n}\n", BEFORE, 0);
    }
}
