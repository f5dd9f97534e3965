//! Drafts a change to a tree: lines are inserted, cut and edited, and keep their marks all the
//! while.
//!
//! Invariant: a line of the tree keeps its number for as long as it lives, so places are named as
//! in the tree.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::git::State;
use crate::place::Place;
use crate::tree::Tree;

/// A mark on lines: where something was put, or where it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark(u64);

/// A line of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub text: String,
    /// Its number in the tree's file, from 0; `None` for a line that the change brings in.
    pub number: Option<usize>,
    marks: u64,
}

/// A tree and what was changed in it.
#[derive(Debug, Clone)]
pub struct Draft<'t> {
    tree: &'t Tree,
    files: BTreeMap<String, Option<Vec<Line>>>,
    n_marks: u32,
}

impl<'t> Draft<'t> {
    /// The tree as it is.
    pub fn new(tree: &'t Tree) -> Self {
        Self { tree, files: BTreeMap::new(), n_marks: 0 }
    }

    /// A mark that no line has yet.
    pub fn new_mark(&mut self) -> Mark {
        self.n_marks += 1;
        Mark(1 << (self.n_marks % 64))
    }

    /// Whether the change touches `path`.
    pub fn has_touched(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// The lines of `path`, to be changed; an empty file when there is none.
    pub fn lines(&mut self, path: &str) -> &mut Vec<Line> {
        let tree = self.tree;
        self.files
            .entry(path.to_owned())
            .or_insert_with(|| Some(lines_of(tree, path)))
            .get_or_insert_with(Vec::new)
    }

    /// Takes the file away.
    pub fn delete(&mut self, path: &str) {
        self.files.insert(path.to_owned(), None);
    }

    /// Moves a file to another path.
    pub fn rename(&mut self, from: &str, to: &str) {
        let lines = std::mem::take(self.lines(from));
        self.files.insert(to.to_owned(), Some(lines));
        self.delete(from);
    }

    /// Inserts `lines` before the tree's line `number`, at the end when there is no such line any
    /// more.
    pub fn insert(&mut self, path: &str, number: usize, lines: Vec<Line>) {
        let own = self.lines(path);
        let at = own.iter().position(|line| line.number == Some(number)).unwrap_or(own.len());
        own.splice(at..at, lines);
    }

    /// Puts the mark on the tree's lines `numbers` of `path`.
    pub fn mark(&mut self, path: &str, numbers: &Range<usize>, mark: Mark) {
        for line in self.lines(path) {
            if line.number.is_some_and(|number| numbers.contains(&number)) {
                line.marks |= mark.0;
            }
        }
    }

    /// Puts the mark on all lines of `path` from the one at `first`.
    pub fn mark_from(&mut self, path: &str, first: usize, mark: Mark) {
        self.lines(path).iter_mut().skip(first).for_each(|line| line.marks |= mark.0);
    }

    /// Inserts lines directly before or behind those that are marked, a blank line between; they
    /// get no mark.
    pub fn insert_beside(
        &mut self,
        path: &str,
        mark: Mark,
        is_before: bool,
        mut lines: Vec<String>,
    ) -> Option<()> {
        let own = self.lines(path);
        let is_marked = |line: &Line| line.marks & mark.0 != 0;
        let at = if is_before {
            own.iter().position(is_marked)?
        } else {
            own.iter().rposition(is_marked)? + 1
        };
        lines.insert(if is_before { lines.len() } else { 0 }, String::new());
        own.splice(at..at, new_lines(lines, &[]));
        Some(())
    }

    /// Takes the tree's lines `numbers` out of `path`.
    pub fn cut(&mut self, path: &str, numbers: &Range<usize>) -> Vec<Line> {
        let is_cut = |line: &Line| line.number.is_some_and(|number| numbers.contains(&number));
        let (cut, kept) = std::mem::take(self.lines(path)).into_iter().partition(is_cut);
        *self.lines(path) = kept;
        cut
    }

    /// Takes the marked lines out of `path`.
    pub fn cut_marked(&mut self, path: &str, mark: Mark) {
        self.lines(path).retain(|line| line.marks & mark.0 == 0);
    }

    /// The text of the marked lines of `path`, to be rewritten: `rewrite` gets it and gives it
    /// back.
    ///
    /// The lines keep all marks of the first one, and have no number any more.
    pub fn rewrite(
        &mut self,
        path: &str,
        mark: Mark,
        rewrite: impl FnOnce(Vec<String>) -> Option<Vec<String>>,
    ) -> Option<()> {
        let lines = self.lines(path);
        let first = lines.iter().position(|line| line.marks & mark.0 != 0)?;
        let last = lines.iter().rposition(|line| line.marks & mark.0 != 0)?;
        let text = rewrite(lines[first..=last].iter().map(|line| line.text.clone()).collect())?;
        let marks = lines[first].marks;
        lines.splice(first..=last, text.into_iter().map(|text| Line { text, number: None, marks }));
        Some(())
    }

    /// The lines that are marked, from the first to the last.
    pub fn place(&self, mark: Mark) -> Option<Place> {
        let is_marked = |line: &Line| line.marks & mark.0 != 0;
        self.files.iter().find_map(|(path, lines)| {
            let lines = lines.as_ref()?;
            let (first, last) =
                (lines.iter().position(is_marked)?, lines.iter().rposition(is_marked)?);
            Some(Place { path: path.clone(), first: first + 1, last: last + 1 })
        })
    }

    /// What differs from the tree now.
    pub fn state(&self) -> State {
        let text = |lines: &Vec<Line>| {
            lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect::<String>()
        };
        self.files.iter().map(|(path, lines)| (path.clone(), lines.as_ref().map(text))).collect()
    }
}

/// Lines that the change brings in.
pub fn new_lines(lines: impl IntoIterator<Item = String>, marks: &[Mark]) -> Vec<Line> {
    let marks = marks.iter().fold(0, |marks, mark| marks | mark.0);
    lines.into_iter().map(|text| Line { text, number: None, marks }).collect()
}

fn lines_of(tree: &Tree, path: &str) -> Vec<Line> {
    let file = tree.files.iter().find(|file| file.path == path);
    let lines = file.map(|file| file.scan.to_lines()).unwrap_or_default();
    lines
        .into_iter()
        .enumerate()
        .map(|(number, text)| Line { text, number: Some(number), marks: 0 })
        .collect()
}
