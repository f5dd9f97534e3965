//! Reads and writes the baseline: known copies that are not reported.
//!
//! One line for each copy, sorted, so that the baselines of two branches merge line by line. An
//! identity does not depend on line numbers: it survives when code moves within its file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A known copy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KnownCopy {
    /// Its identity: see [`super::identity`].
    pub identity: String,
    /// The id of its rule.
    pub rule: String,
    /// Its number of tokens.
    pub n_tokens: usize,
    /// Its file, escaped as in messages.
    pub path: String,
}

/// The known copies; one that is listed twice is known twice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Baseline {
    copies: BTreeMap<KnownCopy, usize>,
}

/// A line of a baseline cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct BaselineError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub why: &'static str,
}

const HEADER: &str = "\
# Copies that Secondhand knows and does not report. One line a copy: identity, rule, tokens, path.
# Renewed by `secondhand baseline update`; a copy that is not listed here is reported.
";

impl Baseline {
    /// Reads a baseline. Empty lines and lines that begin with `#` are ignored.
    ///
    /// # Errors
    /// The first invalid line.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let lines = text.lines().zip(1..);
        let copies = lines.filter(|(line, _)| !line.trim().is_empty() && !line.starts_with('#'));
        copies.map(|(copy, line)| parse(copy).map_err(|why| BaselineError { line, why })).collect()
    }

    /// The file's text, sorted by path.
    pub fn to_text(&self) -> String {
        let mut rows: Vec<(&KnownCopy, usize)> =
            self.copies.iter().map(|(copy, &n)| (copy, n)).collect();
        rows.sort_by(|(a, _), (b, _)| {
            (&a.path, &a.rule, &a.identity).cmp(&(&b.path, &b.rule, &b.identity))
        });
        let mut text = HEADER.to_owned();
        for (KnownCopy { identity, rule, n_tokens, path }, n) in rows {
            for _ in 0..n {
                let _ = writeln!(text, "{identity} {rule} {n_tokens} {path}");
            }
        }
        text
    }

    /// The number of copies.
    pub fn len(&self) -> usize {
        self.copies.values().sum()
    }

    /// Whether it has no copies.
    pub fn is_empty(&self) -> bool {
        self.copies.is_empty()
    }

    /// The copies in order, each as often as it is listed.
    pub fn copies(&self) -> impl Iterator<Item = &KnownCopy> {
        self.copies.iter().flat_map(|(copy, &n)| std::iter::repeat_n(copy, n))
    }

    /// The number of copies that are not in `other`.
    pub fn n_beyond(&self, other: &Self) -> usize {
        let copies = self.copies.iter();
        copies.map(|(copy, n)| n.saturating_sub(*other.copies.get(copy).unwrap_or(&0))).sum()
    }

    /// The copies that are also in `other`.
    pub fn within(&self, other: &Self) -> Self {
        let copies = self.copies.iter();
        let both =
            copies.filter_map(|(copy, n)| Some((copy.clone(), *n.min(other.copies.get(copy)?))));
        Self { copies: both.collect() }
    }

    /// The copies of both, each as often as it is in the one that has more of it.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        for (copy, n) in other.copies {
            let most = self.copies.entry(copy).or_default();
            *most = n.max(*most);
        }
        self
    }

    /// How often each identity is listed, to be counted down as copies are found.
    pub fn counts(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for (copy, n) in &self.copies {
            *counts.entry(copy.identity.as_str()).or_default() += n;
        }
        counts
    }
}

impl FromIterator<KnownCopy> for Baseline {
    fn from_iter<T: IntoIterator<Item = KnownCopy>>(copies: T) -> Self {
        let mut baseline = Self::default();
        for copy in copies {
            *baseline.copies.entry(copy).or_default() += 1;
        }
        baseline
    }
}

fn parse(line: &str) -> Result<KnownCopy, &'static str> {
    let parts: Vec<&str> = line.splitn(4, ' ').collect();
    let [identity, rule, n_tokens, path] = parts[..] else {
        return Err("expected identity, rule, tokens and path");
    };
    if identity.len() != 16 || !identity.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err("the identity must be 16 hexadecimal digits");
    }
    let n_tokens = n_tokens.parse().map_err(|_| "the number of tokens is not a number")?;
    let [identity, rule, path] = [identity, rule, path].map(str::to_owned);
    Ok(KnownCopy { identity, rule, n_tokens, path })
}
