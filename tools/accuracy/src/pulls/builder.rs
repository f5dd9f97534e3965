//! Builds one pull request: picks code, pastes it, and remembers what is true of it.
//!
//! Every step that depends on luck gives an `Option`: `None` means that this pull request is begun
//! anew.

use std::ops::{Range, RangeInclusive};

use super::draft::{Draft, Mark, new_lines};
use crate::edit;
use crate::fragment::{Form, Fragment, statements};
use crate::git::State;
use crate::language::Language;
use crate::place::Place;
use crate::scan::Scan;
use crate::tree::{File, Pool, Tree};
use support::Random;

/// The classes of length, in tokens; whole files alone reach the last.
pub const LENGTHS: &[RangeInclusive<usize>] =
    &[20..=34, 35..=49, 50..=74, 75..=99, 100..=149, 150..=200, 201..=usize::MAX];

/// A copy that a pull request brings in: the truth that findings are held against.
#[derive(Debug, Clone)]
pub struct Copy {
    /// Where it is in the head.
    pub place: Place,
    /// The first line where a finding may begin without being wrong: imports and comments may count
    /// or not.
    pub may_start: usize,
    /// Where in the head its origins are.
    pub origins: Vec<Place>,
    /// Its length.
    pub n_tokens: usize,
}

/// A copy whose places are not known before the draft is finished.
#[derive(Debug, Clone)]
struct Planned {
    copy: Mark,
    origins: Vec<Mark>,
    n_tokens: usize,
    may_start: Option<Mark>,
}

/// Code that was picked to be pasted somewhere.
#[derive(Debug, Clone)]
pub struct Picked<'t> {
    /// The number of its file; of the held-out files when it is held out.
    pub file: usize,
    pub path: &'t str,
    pub fragment: &'t Fragment,
    pub language: &'static Language,
    pub lines: Vec<String>,
}

/// What is picked.
#[derive(Debug, Clone)]
pub struct SourceSegments {
    /// The form; `None` for either.
    pub form: Option<Form>,
    pub tokens: RangeInclusive<usize>,
    pub min_lines: usize,
}

/// A place where code can be pasted.
#[derive(Debug, Clone)]
pub struct Spot<'t> {
    /// The number of its file.
    pub file: usize,
    pub path: &'t str,
    /// The line of the tree (from 0) before which it is pasted.
    pub line: usize,
    pub indent: String,
    pub form: Form,
}

/// Tries to pick something before giving up.
const N_TRIES: usize = 60;

/// Builds one pull request.
#[derive(Debug)]
pub struct Builder<'t> {
    pub tree: &'t Tree,
    pub random: Random,
    pub draft: Draft<'t>,
    /// The lengths that copies may have.
    pub sizes: RangeInclusive<usize>,
    states: Vec<State>,
    planned: Vec<Planned>,
    /// Held-out code that the change has brought in already.
    brought: Vec<Vec<String>>,
    notes: Vec<String>,
}

impl<'t> Builder<'t> {
    /// Begins with the tree as it is.
    pub fn new(tree: &'t Tree, random: Random, sizes: RangeInclusive<usize>) -> Self {
        let draft = Draft::new(tree);
        Self {
            tree,
            random,
            draft,
            sizes,
            states: Vec::new(),
            planned: Vec::new(),
            brought: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Ends a commit here; the first one is the base.
    pub fn commit(&mut self) {
        self.states.push(self.draft.state());
    }

    /// Ends the base here, unless it was ended before.
    pub fn commit_base(&mut self) {
        if self.states.is_empty() {
            self.commit();
        }
    }

    /// Remembers what was done, for those who ask why.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// How much is remembered of what was done.
    pub fn n_notes(&self) -> usize {
        self.notes.len()
    }

    /// Forgets what was done after the first `n` things.
    pub fn forget_notes_after(&mut self, n: usize) {
        self.notes.truncate(n);
    }

    /// The states after each commit, the copies brought in, and what was done; `None` when a copy
    /// was lost.
    pub fn finish(mut self) -> Option<(Vec<State>, Vec<Copy>, Vec<String>)> {
        self.commit();
        let copies =
            self.planned.iter().map(|planned| self.copy(planned)).collect::<Option<Vec<_>>>()?;
        Some((self.states, copies, self.notes))
    }

    fn copy(&self, planned: &Planned) -> Option<Copy> {
        let place = self.draft.place(planned.copy)?;
        let origins = planned
            .origins
            .iter()
            .map(|&mark| self.draft.place(mark))
            .collect::<Option<Vec<_>>>()?;
        let may_start = planned
            .may_start
            .and_then(|mark| self.draft.place(mark))
            .map_or(place.first, |place| place.first);
        Some(Copy { place, may_start, origins, n_tokens: planned.n_tokens })
    }

    /// The lines of the tree in the language.
    pub fn pool(&self, language: &Language) -> &'t Pool {
        self.tree.pool(language)
    }

    /// What a copy should be: of a length class drawn anew, so that all are met equally often.
    pub fn wanted(&mut self, form: Option<Form>, min_lines: usize) -> SourceSegments {
        let (low, high) = (*self.sizes.start(), *self.sizes.end());
        let is_asked =
            |length: &&RangeInclusive<usize>| *length.start() <= high && *length.end() >= low;
        let lengths: Vec<_> =
            LENGTHS.iter().take(LENGTHS.len() - 1).filter(is_asked).cloned().collect();
        let length = self.random.pick(&lengths).cloned().unwrap_or(low..=high);
        SourceSegments {
            form,
            tokens: low.max(*length.start())..=high.min(*length.end()),
            min_lines,
        }
    }

    /// Picks code of the tree that stands there once only, in a file that the change has not
    /// touched.
    pub fn origin(&mut self, wanted: &SourceSegments) -> Option<Picked<'t>> {
        let tree = self.tree;
        let candidates = candidates(&tree.files, wanted);
        for _ in 0..N_TRIES {
            let &(file, fragment) = self.random.pick(&candidates)?;
            if !self.draft.has_touched(&tree.files[file].path)
                && tree.is_distinctive(file, fragment)
            {
                return Some(picked(&tree.files, file, fragment));
            }
        }
        None
    }

    /// Picks code that neither the tree nor this change has anything like.
    pub fn held_out(
        &mut self,
        wanted: &SourceSegments,
        language: Option<&Language>,
    ) -> Option<Picked<'t>> {
        let tree = self.tree;
        let is_asked = |(file, _): &(usize, _)| {
            language.is_none_or(|language| tree.held_out[*file].scan.language.name == language.name)
        };
        let candidates: Vec<_> =
            candidates(&tree.held_out, wanted).into_iter().filter(is_asked).collect();
        for _ in 0..N_TRIES {
            let &(file, fragment) = self.random.pick(&candidates)?;
            let picked = picked(&tree.held_out, file, fragment);
            if tree.is_unrelated(&tree.held_out[file].scan, fragment) && self.is_new(&picked) {
                self.brought.push(picked.lines.clone());
                return Some(picked);
            }
        }
        None
    }

    /// Whether the change has brought in nothing like it.
    fn is_new(&self, picked: &Picked<'_>) -> bool {
        self.brought.iter().all(|other| {
            let likeness = edit::likeness(&picked.lines, other, picked.language);
            let reverse = edit::likeness(other, &picked.lines, picked.language);
            likeness.exact.max(reverse.exact) < 0.3 && likeness.shape.max(reverse.shape) < 0.5
        })
    }

    /// Picks an untouched file of the tree that `is_fit`.
    pub fn file(&mut self, is_fit: impl Fn(&File) -> bool) -> Option<usize> {
        let tree = self.tree;
        let is_fit =
            |&at: &usize| !self.draft.has_touched(&tree.files[at].path) && is_fit(&tree.files[at]);
        let fit: Vec<usize> = (0..tree.files.len()).filter(is_fit).collect();
        self.random.pick(&fit).copied()
    }

    /// Picks a place for code of `form` in an untouched file other than `avoid`.
    pub fn spot(&mut self, language: &Language, form: Form, avoid: &[usize]) -> Option<Spot<'t>> {
        let avoided: Vec<&str> =
            avoid.iter().map(|&at| self.tree.files[at].path.as_str()).collect();
        let is_fit = |file: &File| {
            file.scan.language.name == language.name
                && file.of_form(Form::Function).next().is_some()
                && !avoided.contains(&file.path.as_str())
        };
        let file = self.file(is_fit)?;
        self.spot_in(file, form)
    }

    /// Picks a place in the file: behind a function for a function, in one for a block.
    pub fn spot_in(&mut self, file: usize, form: Form) -> Option<Spot<'t>> {
        let File { path, scan, .. } = &self.tree.files[file];
        let functions: Vec<_> = self.tree.files[file].of_form(Form::Function).collect();
        let function = *self.random.pick(&functions)?;
        let spot = |line: usize, like: usize| Spot {
            file,
            path,
            line,
            indent: scan.indent(like).to_owned(),
            form,
        };
        match form {
            Form::Function => Some(spot(function.lines.end, function.lines.start)),
            Form::Block => {
                let inside: Vec<_> =
                    statements(scan).into_iter().filter(|at| function.lines.contains(at)).collect();
                self.random.pick(&inside).map(|&at| spot(at + 1, at))
            }
        }
    }

    /// Picks a place in the file with code between it and the tree's lines `apart_from`.
    pub fn spot_apart(
        &mut self,
        file: usize,
        form: Form,
        apart_from: &Range<usize>,
    ) -> Option<Spot<'t>> {
        let scan = &self.tree.files[file].scan;
        let has_code = |mut lines: Range<usize>| lines.any(|at| !scan.lines[at].tokens.is_empty());
        for _ in 0..N_TRIES {
            let spot = self.spot_in(file, form)?;
            if has_code(apart_from.end..spot.line.max(apart_from.end))
                || has_code(spot.line..apart_from.start.max(spot.line))
            {
                return Some(spot);
            }
        }
        None
    }

    /// Pastes lines; a function gets a blank line on either side.
    pub fn paste(&mut self, spot: &Spot<'_>, lines: Vec<String>, marks: &[Mark]) {
        let mut pasted = new_lines(lines, marks);
        if spot.form == Form::Function {
            pasted.splice(0..0, new_lines([String::new()], &[]));
            if !self.tree.files[spot.file].scan.is_blank(spot.line) {
                pasted.extend(new_lines([String::new()], &[]));
            }
        }
        self.draft.insert(spot.path, spot.line, pasted);
    }

    /// Pastes `lines`, made from `picked`, and remembers the copy.
    pub fn paste_copy(&mut self, picked: &Picked<'t>, spot: &Spot<'_>, lines: Vec<String>) {
        let n_tokens = edit::scan(&lines, picked.language).tokens.len();
        let (copy, origin) = (self.draft.new_mark(), self.draft.new_mark());
        self.draft.mark(picked.path, &picked.fragment.lines, origin);
        self.paste(spot, lines, &[copy]);
        self.plan(copy, vec![origin], n_tokens, None);
        self.note(format!(
            "copied {}:{}-{} to {}",
            picked.path,
            picked.fragment.lines.start + 1,
            picked.fragment.lines.end,
            spot.path
        ));
    }

    /// Remembers that the lines marked `copy` were made from those marked `origins`.
    pub fn plan(
        &mut self,
        copy: Mark,
        origins: Vec<Mark>,
        n_tokens: usize,
        may_start: Option<Mark>,
    ) {
        self.planned.push(Planned { copy, origins, n_tokens, may_start });
    }

    /// A path that the tree does not have, near `path` or in another folder of the tree.
    pub fn new_path(&mut self, path: &str) -> Option<String> {
        const WORDS: &[&str] =
            &["extra", "core", "support", "common", "parts", "more", "helpers", "impl"];
        let (stem, extension) = path.rsplit_once('.')?;
        let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
        let mut folder = folder.to_owned();
        if self.random.chance(40) {
            let other = &self.random.pick(&self.tree.files)?.path;
            folder = other.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        }
        let slash = if folder.is_empty() { "" } else { "/" };
        let path = format!("{folder}{slash}{name}_{}.{extension}", self.random.pick(WORDS)?);
        (!self.tree.has(&path) && !self.draft.has_touched(&path)).then_some(path)
    }

    /// Rewrites all lines of a file that the change has not touched.
    pub fn rewrite_file(
        &mut self,
        file: usize,
        rewrite: impl FnOnce(&Scan, &mut Random) -> Option<Vec<String>>,
    ) -> Option<()> {
        let File { path, scan, .. } = &self.tree.files[file];
        let lines = rewrite(scan, &mut self.random)?;
        *self.draft.lines(path) = new_lines(lines, &[]);
        Some(())
    }
}

fn candidates<'t>(files: &'t [File], wanted: &SourceSegments) -> Vec<(usize, &'t Fragment)> {
    let is_wanted = |fragment: &Fragment| {
        wanted.form.is_none_or(|form| form == fragment.form)
            && wanted.tokens.contains(&fragment.tokens.len())
            && fragment.lines.len() >= wanted.min_lines
    };
    let of_file = |(at, file): (usize, &'t File)| {
        file.fragments
            .iter()
            .filter(|fragment| is_wanted(fragment))
            .map(move |fragment| (at, fragment))
            .collect::<Vec<_>>()
    };
    files.iter().enumerate().flat_map(of_file).collect()
}

/// The fragment of a file, ready to be pasted.
pub fn picked<'t>(files: &'t [File], file: usize, fragment: &'t Fragment) -> Picked<'t> {
    let File { path, scan, .. } = &files[file];
    let lines = fragment.lines.clone().map(|at| scan.line(at).to_owned()).collect();
    Picked { file, path, fragment, language: scan.language, lines }
}
