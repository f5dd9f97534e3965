//! Computes by brute force what the law asks for, and holds a report against it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use secondhand::language::{Kind, Languages, Token};
use serde_json::Value;

use crate::samples::Language;
use support::Report;

/// Tokens that a fragment may leave out where a run ends inside of a function: it ends at a whole
/// statement.
const RAGGED: usize = 8;
/// Tokens that it may leave out where a run ends in the head of a function.
const HEAD: usize = 24;

/// A file of the head, as tokens.
pub struct Text {
    path: String,
    tokens: Vec<Token>,
    /// The line of each token, from 1.
    lines: Vec<usize>,
    /// The number of the paragraph of each token: functions hold no blank line, and one lies
    /// between them.
    paragraphs: Vec<usize>,
    /// For each token that `SEED` begin with, their hash.
    seeds: Vec<u64>,
}

impl Text {
    pub fn new(path: &str, text: &str, language: &Language) -> Self {
        Self::of(path, text, tokens(text, language))
    }

    /// A file with these tokens.
    pub fn of(path: &str, text: &str, tokens: Vec<Token>) -> Self {
        let (mut lines, mut paragraphs) = (Vec::new(), Vec::new());
        let mut at = 0;
        let mut paragraph = 0;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            paragraph += usize::from(line.trim().is_empty());
            at += line.len();
            while tokens.get(lines.len()).is_some_and(|token| (token.start as usize) < at) {
                lines.push(number + 1);
                paragraphs.push(paragraph);
            }
        }
        let seeds = tokens.windows(SEED).map(seed).collect();
        Self { path: path.to_owned(), tokens, lines, paragraphs, seeds }
    }

    /// The lines all of whose tokens are `novel`, as stretches from a first to a last line.
    pub fn lines_of(&self, novel: &[bool]) -> Vec<(usize, usize)> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        let mut at = 0;
        let mut ends = false;
        while let Some(&line) = self.lines.get(at) {
            let n = self.lines[at..].iter().take_while(|&&of| of == line).count();
            let is_novel = novel[at..at + n].iter().all(|&is_novel| is_novel);
            match found.last_mut() {
                Some(last) if is_novel && !ends => last.1 = line,
                _ if is_novel => found.push((line, line)),
                _ => {}
            }
            ends = !is_novel;
            at += n;
        }
        found
    }

    /// All its lines: its path, the first and the last.
    pub fn whole(&self) -> (String, usize, usize) {
        (self.path.clone(), 1, self.lines.last().copied().unwrap_or(1))
    }

    /// The parts of `tokens` that lie in one paragraph each, cut to whole lines.
    fn parts(&self, tokens: Range<usize>) -> Vec<Range<usize>> {
        let mut parts: Vec<Range<usize>> = Vec::new();
        for at in tokens {
            match parts.last_mut() {
                Some(part) if self.paragraphs[at - 1] == self.paragraphs[at] => part.end = at + 1,
                _ => parts.push(at..at + 1),
            }
        }
        let is_line_start = |at: usize| at == 0 || self.lines[at - 1] != self.lines[at];
        let is_line_end =
            |at: usize| at == self.lines.len() || self.lines[at - 1] != self.lines[at];
        for part in &mut parts {
            while part.start < part.end && !is_line_start(part.start) {
                part.start += 1;
            }
            while part.start < part.end && !is_line_end(part.end) {
                part.end -= 1;
            }
        }
        parts.retain(|part| part.start < part.end);
        parts
    }

    /// Whether a paragraph begins at this token, or ended before it.
    fn is_between_paragraphs(&self, at: usize) -> bool {
        at == 0 || at == self.tokens.len() || self.paragraphs[at - 1] != self.paragraphs[at]
    }
}

/// The tokens of `text`.
pub fn tokens(text: &str, language: &Language) -> Vec<Token> {
    let languages = Languages::builtin();
    let mut tokens = Vec::new();
    let table = languages.get(language.id).expect("the language is built in");
    languages.tokenize(table, text.as_bytes(), false, &mut tokens);
    tokens
}

/// Equal symbols with agreeing names: `len` tokens from `at` in one file, and from `other` in
/// another or the same.
#[derive(Clone, Copy)]
struct Run {
    at: usize,
    file: usize,
    other: usize,
    len: usize,
}

/// Novel code that has to be found, and where else it stands.
pub struct AskedSegments {
    file: usize,
    tokens: Range<usize>,
    /// Runs that hold all of it: each is a true origin.
    runs: Vec<Run>,
}

/// What has to be found: the novel parts of runs, each cut where a paragraph ends. `may_be_origin`
/// says of two paths whether code of the first is looked for in the second.
pub fn asked(
    texts: &[Text],
    novel: &[(String, usize, usize)],
    min_tokens: usize,
    may_be_origin: impl Fn(&str, &str) -> bool,
) -> Vec<AskedSegments> {
    let mut asked = Vec::new();
    let mut novel_of: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    for (path, first, last) in novel {
        novel_of.entry(path).or_default().push((*first, *last));
    }
    for (path, novel) in novel_of {
        let file = texts.iter().position(|text| text.path == path).expect("the head has the file");
        let text = &texts[file];
        let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
        text.seeds
            .iter()
            .enumerate()
            .for_each(|(at, &seed)| places.entry(seed).or_default().push(at));
        let others = (0..texts.len()).filter(|&other| may_be_origin(path, &texts[other].path));
        let runs: Vec<Run> =
            others.flat_map(|other| runs(texts, file, other, &places, min_tokens)).collect();
        // What of a part is novel.
        let within = |part: Range<usize>, &(first, last): &(usize, usize)| {
            let before = |line: usize| text.lines.partition_point(|&of| of < line);
            part.start.max(before(first))..part.end.min(before(last + 1))
        };
        let parts: BTreeSet<(usize, usize)> = runs
            .iter()
            .flat_map(|run| text.parts(run.at..run.at + run.len))
            .flat_map(|part| novel.iter().map(move |lines| within(part.clone(), lines)))
            .filter(|part| !part.is_empty() && part.len() >= least(text, part, min_tokens))
            .map(|part| (part.start, part.end))
            .collect();
        // What holds for a part holds for those inside of it.
        let is_outer = |part: &&(usize, usize)| {
            parts.iter().all(|other| other == *part || other.0 > part.0 || other.1 < part.1)
        };
        for &(start, end) in parts.iter().filter(is_outer) {
            let holds = |run: &&Run| run.at <= start && end <= run.at + run.len;
            asked.push(AskedSegments {
                file,
                tokens: start..end,
                runs: runs.iter().filter(holds).copied().collect(),
            });
        }
    }
    asked
}

/// The length from which a part has to be found: `min_tokens`, and what may be left out at its
/// ends.
fn least(text: &Text, part: &Range<usize>, min_tokens: usize) -> usize {
    let n_ragged =
        [part.start, part.end].iter().filter(|&&at| !text.is_between_paragraphs(at)).count();
    min_tokens + RAGGED * n_ragged
}

/// Tokens that a run has at least: only diagonals with so many in common are walked.
const SEED: usize = 20;

fn seed(tokens: &[Token]) -> u64 {
    let mut hasher = DefaultHasher::new();
    tokens.iter().for_each(|token| token.symbol.hash(&mut hasher));
    hasher.finish()
}

/// The maximal runs of at least `min_tokens` between two files, or a file and itself.
///
/// Every diagonal that has a run has its first `SEED` tokens in common: only such diagonals are
/// walked.
fn runs(
    texts: &[Text],
    file: usize,
    other: usize,
    places: &HashMap<u64, Vec<usize>>,
    min_tokens: usize,
) -> Vec<Run> {
    let (a, b) = (&texts[file].tokens, &texts[other].tokens);
    let seeds = texts[other]
        .seeds
        .iter()
        .enumerate()
        .filter_map(|(place, seed)| Some((place, places.get(seed)?)));
    let diagonals: BTreeSet<isize> = seeds
        .flat_map(|(place, at)| at.iter().map(move |&at| place as isize - at as isize))
        .collect();
    let is_itself = |diagonal: &isize| file == other && *diagonal == 0;
    let runs = diagonals.into_iter().filter(|diagonal| !is_itself(diagonal));
    runs.flat_map(|diagonal| runs_along(a, b, other, diagonal))
        .filter(|run| run.len >= min_tokens)
        .collect()
}

/// The maximal runs on a diagonal: each name of one side stands for one name of the other, both
/// ways.
fn runs_along(a: &[Token], b: &[Token], file: usize, diagonal: isize) -> Vec<Run> {
    let from = (-diagonal).max(0) as usize;
    let to = a.len().min((b.len() as isize - diagonal).max(0) as usize);
    let mut runs = Vec::new();
    // The run under the walk begins at `start`. For each name, where it was met last and what was
    // opposite.
    let mut start = from;
    let (mut last_of_a, mut last_of_b) = (HashMap::new(), HashMap::new());
    let mut is_grown = false;
    for at in from..=to {
        let pair = (at < to).then(|| (a[at], b[(at as isize + diagonal) as usize]));
        let next_start = match pair {
            Some((x, y)) if x.symbol == y.symbol && x.kind() == Kind::Identifier => {
                let clash = |last: Option<&(usize, u32)>, opposite: u32| match last {
                    Some(&(place, other)) if other != opposite => place + 1,
                    _ => start,
                };
                clash(last_of_a.get(&x.exact), y.exact)
                    .max(clash(last_of_b.get(&y.exact), x.exact))
                    .max(start)
            }
            Some((x, y)) if x.symbol == y.symbol => start,
            _ => at + 1,
        };
        if next_start > start && is_grown {
            runs.push(Run {
                at: start,
                file,
                other: (start as isize + diagonal) as usize,
                len: at - start,
            });
            is_grown = false;
        }
        start = next_start;
        if let Some((x, y)) = pair.filter(|_| start <= at) {
            is_grown = true;
            if x.kind() == Kind::Identifier {
                last_of_a.insert(x.exact, (at, y.exact));
                last_of_b.insert(y.exact, (at, x.exact));
            }
        }
    }
    runs
}

/// A stretch of a file in a report.
struct Stretch<'r> {
    path: &'r str,
    start: (u64, u64),
    end: (u64, u64),
}

impl<'r> Stretch<'r> {
    fn new(of: &'r Value) -> Self {
        Self::of(of, &of["fragment"])
    }

    fn of(of: &'r Value, fragment: &Value) -> Self {
        let place = |line: &str, column: &str| {
            let number =
                |name: &str| fragment[name].as_u64().expect("a fragment has lines and columns");
            (number(line), number(column))
        };
        let (start, end) = (place("startLine", "startColumn"), place("endLine", "endColumn"));
        Self { path: of["path"].as_str().expect("a place has a path"), start, end }
    }

    fn covers(&self, path: &str, line: usize) -> bool {
        self.path == path && (self.start.0..=self.end.0).contains(&(line as u64))
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.path == other.path && self.start < other.end && other.start < self.end
    }
}

impl std::fmt::Display for Stretch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}-{}", self.path, self.start.0, self.end.0)
    }
}

/// What a report says of one place being another's copy, and how it is read.
#[derive(Clone, Copy, PartialEq)]
pub enum Said {
    /// A finding has origins.
    Origins,
    /// The places of a class are each other's origins.
    Classes,
    /// Matches join two submissions, and each token is in one match at most: what is matched
    /// already is not free to be another's origin.
    Matches,
}

impl Said {
    /// The places that are joined.
    fn pairs(self, report: &Report) -> Vec<(Stretch<'_>, Stretch<'_>)> {
        let mut pairs = Vec::new();
        if self == Self::Matches {
            let matches = report
                .list("/pairs")
                .iter()
                .flat_map(|pair| pair["matches"].as_array().into_iter().flatten());
            pairs.extend(matches.map(|of| {
                let [first, second] =
                    ["first", "second"].map(|side| Stretch::of(&of[side], &of[side]));
                (first, second)
            }));
            return pairs;
        }
        for finding in report.list("/findings") {
            let origins = finding["origins"].as_array().expect("a finding has origins");
            pairs
                .extend(origins.iter().map(|origin| (Stretch::new(finding), Stretch::new(origin))));
            for (at, origin) in origins.iter().enumerate().filter(|_| self == Self::Classes) {
                pairs.extend(
                    origins[..at].iter().map(|other| (Stretch::new(origin), Stretch::new(other))),
                );
            }
        }
        pairs
    }
}

/// How a report breaks the law: a line for each fault; empty when it keeps it.
pub fn faults(texts: &[Text], asked: &[AskedSegments], report: &Report, said: Said) -> String {
    let mut faults = String::new();
    let pairs = said.pairs(report);
    for (copy, origin) in pairs.iter().filter(|(copy, origin)| copy.overlaps(origin)) {
        let (path, lines) = (copy.path, [copy.start.0, copy.end.0, origin.start.0, origin.end.0]);
        writeln!(
            faults,
            "  {path}:{}-{} overlaps its origin {}-{}",
            lines[0], lines[1], lines[2], lines[3]
        )
        .expect("a string takes all");
    }
    for asked in asked {
        let lost = lost_lines(texts, asked, &pairs, said == Said::Matches);
        if !lost.is_empty() {
            writeln!(faults, "  {}", told(texts, asked, &lost)).expect("a string takes all");
        }
    }
    if !faults.is_empty() {
        let found = pairs.iter().map(|(copy, origin)| format!("{copy} <- {origin}"));
        found.for_each(|line| writeln!(faults, "    found {line}").expect("a string takes all"));
    }
    faults
}

/// The lines of it that no finding joins with a true origin; `are_taken` if an origin of which the
/// line belongs to another copy is none.
fn lost_lines(
    texts: &[Text],
    asked: &AskedSegments,
    pairs: &[(Stretch, Stretch)],
    are_taken: bool,
) -> Vec<usize> {
    let text = &texts[asked.file];
    let joins = |one: &Stretch, other: &Stretch, at: usize, run: &Run| {
        let opposite = &texts[run.file];
        let line = opposite.lines[run.other + at - run.at];
        one.covers(&text.path, text.lines[at]) && other.covers(&opposite.path, line)
    };
    let is_found = |at: usize| {
        let with_run = |run: &Run| {
            pairs
                .iter()
                .any(|(copy, origin)| joins(copy, origin, at, run) || joins(origin, copy, at, run))
        };
        let is_taken = |run: &Run| {
            let opposite = &texts[run.file];
            let line = opposite.lines[run.other + at - run.at];
            pairs.iter().any(|(copy, origin)| {
                copy.covers(&opposite.path, line) || origin.covers(&opposite.path, line)
            })
        };
        asked.runs.iter().any(with_run) || are_taken && asked.runs.iter().all(is_taken)
    };
    let Range { start, end } = asked.tokens;
    // At an end that is none of a function, a statement that is not whole may be missing, and the
    // head of the next one.
    let from = if text.is_between_paragraphs(start) { start } else { start + RAGGED };
    let head =
        (end.saturating_sub(HEAD).max(start)..end).rev().find(|&at| text.is_between_paragraphs(at));
    let to =
        if text.is_between_paragraphs(end) { end } else { head.unwrap_or(end).min(end - RAGGED) };
    let lost: BTreeSet<usize> =
        (from..to).filter(|&at| !is_found(at)).map(|at| text.lines[at]).collect();
    lost.into_iter().collect()
}

fn told(texts: &[Text], asked: &AskedSegments, lost: &[usize]) -> String {
    let place = |file: usize, tokens: Range<usize>| {
        let text = &texts[file];
        format!("{}:{}-{}", text.path, text.lines[tokens.start], text.lines[tokens.end - 1])
    };
    let Range { start, end } = asked.tokens;
    let origin = |run: &Run| {
        let first = run.other + start - run.at;
        place(run.file, first..first + (end - start))
    };
    let origins: Vec<_> = asked.runs.iter().map(origin).collect();
    let (first, last) = (lost[0], lost[lost.len() - 1]);
    format!(
        "{}, {} tokens, is also {}: lines {first} to {last} are not found with it",
        place(asked.file, start..end),
        end - start,
        origins.join(", ")
    )
}
