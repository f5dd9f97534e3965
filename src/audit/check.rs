//! Runs `check`: finds the copies that a change adds.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::sync::{Mutex, OnceLock};

use rayon::prelude::*;

use super::change::{
    ChangedFile, Predecessor, asking, changed_files, changes, credit_moves, linked, queries,
    self_excused, unnamed,
};
use super::exists::NewFunctions;
use super::in_step::{Edits, MAX_FILES};
use super::judge::{
    AllCopies, Attributions, JointFinding, Nearby, allowed_in, comments, has_comments, unexamined,
};
use super::outcome::{first_few, in_part, part_key};
use super::outdated::{candidates, mark_old_copies};
use super::owners::owners;
use super::read::{Memory, RecentFiles, Skip, Source, Sources, distinct};
use super::reverts::reverted;
use super::search::{
    FileHits, Hit, Outside, Past, PastQuery, Queries, SearchOutcome, Targets, Twins, UnreadPlace,
    WordIndex, align, identify_vendored_as_of, look_up, place_in_tree, search, twins,
};
use super::siblings::{self, Purposes, Windows};
use super::stale::{ComponentFile, Holder, missed_fixes};
use super::versions::Versions;
use super::{Comment, Common, Context, Error, Examination, Outcome};
use crate::change::{Authority, Range};
use crate::config::Config;
use crate::files::Entry;
use crate::git::{Attributes, CommitId, Reader, Repository, Snapshot};
use crate::policy::{About, Finding, Notice, Place};
use crate::text::{FilePath, count};

/// What a change is compared with besides its tree.
#[derive(Clone, Copy, Default)]
pub struct Elsewhere<'e> {
    /// Corpora.
    pub outsides: &'e [Outside],
    /// The history of the repository, if deleted code is searched for.
    pub past: Option<&'e Past>,
}

/// The sets of queries for the head: added code, and what was around edits.
const ADDED: usize = 0;
const EDITED: usize = 1;

/// Finds the copies that a change adds, as defined in `docs/semantics.md`, from its tree and from
/// `elsewhere`.
///
/// What is `remembered` about untouched files saves reading them; it changes nothing else.
///
/// # Errors
/// If a file of base or head cannot be read: what was not examined must not pass as clean.
pub fn check(
    repository: &Repository,
    range: &Range,
    elsewhere: &Elsewhere<'_>,
    remembered: &Memory,
    context: Context<'_>,
) -> Result<Outcome, Error> {
    let Range { base, head: (head, head_files), within, .. } = range;
    let authority = range.authority(repository);
    let ends = Ends { repository, base: range.base_files(), head: head_files, authority, within };

    // Read: what the change adds, and which of its files are judged.
    let recent = Mutex::default();
    let attributes = ends.attributes(remembered, &recent, context)?;
    let sources =
        Sources { recent: Some(&recent), ..Sources::new(context, &attributes, remembered) };
    let mut outcome = Outcome::new(base.as_ref().map(|(base, _)| base.clone()), head.clone());
    let (changed, predecessors) = ends.read(&sources, &mut outcome.examined)?;
    let change = Change::new(ends, elsewhere, &changed, &predecessors, &sources);
    change.describe(&mut outcome);

    // Sight: which files of the head share what with the added code, or with what was around edits.
    let additions = Additions::new(&change);
    let windows = Windows::new(&changed, &predecessors, &sources);
    let sets = [additions.queries_of_tree(&change), windows.queries_to_look_up()];
    let entries = change.entries(&sets, &windows);
    let before: Vec<&Source> = predecessors.iter().map(|file| &*file.source).collect();
    let open = || repository.reader();
    let of_head = Targets::new(&entries, &open, &sources);
    let is_new = &|path: &FilePath| change.new.contains(path);
    let targets = Targets { is_new, before: &before, is_rarity_judged: true, ..of_head };
    let mut lookup = look_up(&sets, &targets)?;
    let of_tree = align(ADDED, &mut lookup, &targets)?;

    // Siblings: what is like the edited code, and has not been edited.
    let copies = AllCopies::new(&additions.asking, &changed, &predecessors, &sources);
    let mut check = Check { change: &change, additions: &additions, copies, outcome };
    if sets[EDITED].is_some() {
        check.add_siblings(&windows, lookup.hits(EDITED))?;
    }
    if sets[ADDED].is_none() {
        return Ok(check.outcome);
    }

    // Copies: where the added code exists already.
    let frequencies = check.add_tree(of_tree)?;
    check.search_elsewhere(frequencies)?;

    // Judge: what the copies mean.
    check.add_missed_fixes()?;
    check.judge()?;

    // Words: what the tree has already, though nothing was copied.
    let Check { copies, mut outcome, .. } = check;
    let wording = WordIndex::new(&lookup, ADDED, outcome.examined.n_compared);
    let (findings, texts) =
        additions.functions.findings(&wording, &targets, &outcome.findings, &changed)?;
    outcome.findings.extend(findings);
    outcome.texts.extend(texts);
    outcome.findings.sort_by(Finding::by_place);
    change.keep_texts(&copies, &mut outcome);
    Ok(outcome)
}

/// The states that are compared.
#[derive(Clone, Copy)]
struct Ends<'c> {
    repository: &'c Repository,
    base: &'c Snapshot,
    head: &'c Snapshot,
    authority: Authority<'c>,
    /// Files and folders to judge; empty for all.
    within: &'c [FilePath],
}

impl Ends<'_> {
    fn attributes(
        &self,
        remembered: &Memory,
        recent: &Mutex<RecentFiles>,
        context: Context<'_>,
    ) -> Result<Attributes, Error> {
        let mut attributes = self.authority.attributes()?;
        let sources = Sources::new(context, &attributes, remembered);
        attributes.languages = unnamed(self.base, self.head, &self.repository.reader(), &sources)?;
        let Some(witness) = self.authority.marks() else { return Ok(attributes) };
        let sources =
            Sources { recent: Some(recent), ..Sources::new(context, &attributes, remembered) };
        let excused = self_excused(witness, self.head, &|| self.repository.reader(), &sources)?;
        attributes.not_generated = excused.into_iter().collect();
        Ok(attributes)
    }

    /// The files that the change adds or modifies, and what it touches as it was; fills `examined`.
    fn read(
        &self,
        sources: &Sources<'_>,
        examined: &mut Examination,
    ) -> Result<(Vec<ChangedFile>, Vec<Predecessor>), Error> {
        let Self { repository, base, head, .. } = *self;
        let reader = repository.reader();
        let (mut changed, mut predecessors) =
            changed_files(repository, base, head, sources, examined)?;
        credit_moves(&mut changed, &mut predecessors, sources);
        examined.skipped.extend(sources.repositories_in(head, base));
        for path in head.unmerged.iter().filter(|path| sources.is_read(path)) {
            let skip = head
                .get(path)
                .map_or(Skip::Unmerged, |ours| sources.looked_into(&reader, ours, Skip::Unmerged));
            examined.skipped.push((path.clone(), skip));
        }
        let linked = linked(base, head, &reader, sources)?;
        examined.skipped.extend(linked.into_iter().map(|path| (path, Skip::Linked)));
        examined.skipped.retain(|(path, _)| path.is_within(self.within));
        Ok((changed, predecessors))
    }
}

/// A change whose copies are searched for and judged.
struct Change<'c> {
    ends: Ends<'c>,
    elsewhere: &'c Elsewhere<'c>,
    sources: &'c Sources<'c>,
    changed: &'c [ChangedFile],
    predecessors: &'c [Predecessor],
    judged: Vec<&'c ChangedFile>,
    /// The paths of all files that it adds or modifies.
    new: HashSet<FilePath>,
}

/// The code that a change adds, to be searched for.
struct Additions<'c> {
    /// The changed files with enough novel code to be a copy.
    asking: Vec<&'c ChangedFile>,
    queries: Queries<'c>,
    /// For each, the files of the head that it is identical to.
    twins: Vec<Twins>,
    /// What is searched for in the tree, if there are any.
    without_twins: Option<Queries<'c>>,
    functions: NewFunctions<'c>,
}

impl<'c> Additions<'c> {
    fn new(change: &Change<'c>) -> Self {
        let config = change.sources.config;
        let asking = asking(change.judged.iter().copied(), true, config);
        let functions = NewFunctions::new(&asking, change.predecessors, change.sources);
        let queries = queries(&asking, config).with_words(functions.words());
        let twins = change.brought_in_whole(&asking);
        // A short file can be byte-identical to another one.
        let has_twins = twins.iter().any(|twins| !twins.origins.is_empty());
        // Of equal files that the change adds, the first represents the others.
        let asked = asking.iter().zip(&twins).map(|(file, twins)| match &twins.first {
            None => (&*file.source, file.asked(config)),
            Some(_) => (&*file.source, Cow::Owned(vec![false; file.novel.len()])),
        });
        let without_twins =
            has_twins.then(|| Queries::new(asked.collect(), config).with_words(functions.words()));
        Self { asking, queries, twins, without_twins, functions }
    }

    /// What is searched for in the tree; `None` if there is nothing to search for, elsewhere too.
    fn queries_of_tree(&self, change: &Change<'c>) -> Option<&Queries<'c>> {
        let is_any = !self.queries.is_empty()
            || !change.elsewhere.outsides.is_empty()
            || self.without_twins.is_some();
        let asks_for_copies = change.sources.config.levels_of_any_file().ask_for_copies();
        let is_asked = !self.asking.is_empty() && is_any && asks_for_copies;
        is_asked.then(|| self.without_twins.as_ref().unwrap_or(&self.queries))
    }
}

impl<'c> Change<'c> {
    fn new(
        ends: Ends<'c>,
        elsewhere: &'c Elsewhere<'c>,
        changed: &'c [ChangedFile],
        predecessors: &'c [Predecessor],
        sources: &'c Sources<'c>,
    ) -> Self {
        let judged = changed.iter().filter(|file| file.source.path.is_within(ends.within));
        let reader = ends.repository.reader();
        let changes =
            changes(ends.base, ends.head, |old, path| sources.was_judged_as(&reader, old, path));
        let new = changes.changed.into_iter().map(|(new, _)| new.path).collect();
        Self { ends, elsewhere, sources, changed, predecessors, judged: judged.collect(), new }
    }

    /// The path that a file of the head had in base; `None` if it is new.
    fn path_before(&self, path: &FilePath) -> Option<FilePath> {
        match Predecessor::of(self.predecessors, path) {
            Some(file) => Some(file.source.path.clone()),
            None => (!self.new.contains(path)).then(|| path.clone()),
        }
    }

    /// Adds what is known before anything is searched for.
    fn describe(&self, outcome: &mut Outcome) {
        let Self { ends, sources, judged, .. } = self;
        let reader = ends.repository.reader();
        outcome.repository = ends.repository.name();
        outcome.examined.n_judged = judged.len();
        outcome.examined.n_novel = judged.iter().map(|file| file.n_novel()).sum();
        outcome.comments = self.comments(&reader);
        outcome.findings = unexamined(&outcome.examined.skipped, sources);
        outcome.owners = owners(ends.head, &reader, sources.config);
        outcome.settings = sources.config.files.clone();
        outcome.max_findings = sources.config.max_findings;
    }

    /// The suppressions in the judged files. Where its tip counts, the base has to have them, too.
    fn comments(&self, reader: &Reader) -> Vec<Comment> {
        let Self { ends, sources, judged, predecessors, .. } = self;
        let (tip, honored) = (ends.authority.comments(), &sources.config.honor);
        let mut found = Vec::new();
        for file in judged.iter().filter(|file| has_comments(&file.source, honored)) {
            let path = &file.source.path;
            let before = Predecessor::of(predecessors, path).map(|file| &*file.source);
            let at_tip = tip.map(|tip| {
                let [own, moved] = [Some(path), before.map(|before| &before.path)].map(|path| {
                    let source = sources.read(reader, tip.get(path?)?).ok()?.ok()?;
                    Some(allowed_in(&source, honored))
                });
                // Where the change moved the file. One for a file is for the file of that path.
                let moved = moved.unwrap_or_default().into_iter();
                let moved = moved.filter(|suppression| suppression.lines.is_some());
                own.unwrap_or_default().into_iter().chain(moved).collect::<Vec<_>>()
            });
            found.extend(comments(&file.source, before, at_tip.as_deref(), honored));
        }
        found
    }

    /// For each of `asking`, the files of the head that it is identical to, if the change added
    /// nearly all of it. What it only made identical is judged like any other change.
    fn brought_in_whole(&self, asking: &[&'c ChangedFile]) -> Vec<Twins> {
        let sources = self.sources;
        let whole = asking.iter().map(|file| file.is_brought_in().then_some(&*file.source));
        let whole: Vec<Option<&Source>> = whole.collect();
        twins(&whole, &self.ends.head.entries, &|source, path| {
            sources.is_compared(path) && sources.reads_alike(source, path)
        })
    }

    /// The files of the head to look up: all that it is compared with, or may hold a sibling.
    fn entries(&self, sets: &[Option<&Queries<'_>>; 2], windows: &Windows<'_>) -> Vec<Entry> {
        let entries = self.ends.head.entries.par_iter().filter(|entry| {
            sets[ADDED].is_some() || sets[EDITED].is_some() && windows.may_be_in(&entry.path)
        });
        entries.filter(|entry| self.is_compared(entry)).cloned().collect()
    }

    /// Whether the change is compared with a file of the head. What a package manager installed
    /// into the work tree is not part of the repository, ignored or not.
    fn is_compared(&self, entry: &Entry) -> bool {
        let Entry { path, .. } = entry;
        let is_tracked = entry.blob().is_some() || self.ends.base.get(path).is_some();
        self.sources.is_searched(path, is_tracked)
    }

    /// Keeps the texts of the files that findings name, to be shown.
    fn keep_texts(&self, all: &AllCopies<'_>, outcome: &mut Outcome) {
        let mut named: BTreeSet<&FilePath> = BTreeSet::new();
        for finding in &outcome.findings {
            let in_tree = finding.origins_in_tree().map(|origin| &origin.path);
            named.extend(in_tree.chain([&finding.path]));
        }
        let sources = in_tree(all).chain(self.changed.iter().map(|file| &*file.source));
        for source in sources.filter(|source| named.contains(&source.path)) {
            outcome.texts.entry(source.path.clone()).or_insert_with(|| source.text.clone().into());
        }
    }
}

/// A change, and what is found out about it.
struct Check<'c> {
    change: &'c Change<'c>,
    additions: &'c Additions<'c>,
    copies: AllCopies<'c>,
    outcome: Outcome,
}

impl Check<'_> {
    /// Adds the findings about siblings that the edits did not reach, and the texts of both; `hits`
    /// are what files of the head share with what was around the edits.
    fn add_siblings(
        &mut self,
        windows: &Windows<'_>,
        hits: Vec<(Entry, Vec<Hit>)>,
    ) -> Result<(), Error> {
        let Self { change, outcome, .. } = self;
        let purposes = Purposes {
            repository: change.ends.repository,
            base: outcome.base.as_ref(),
            head: &outcome.head,
            said: OnceLock::new(),
        };
        let siblings = windows.siblings(hits, &|path| change.new.contains(path), &purposes)?;
        let (findings, texts) =
            siblings::findings(windows, siblings, &|path| path.is_within(change.ends.within));
        outcome.findings.extend(findings);
        outcome.texts.extend(texts);
        outcome.findings.sort_by(Finding::by_place);
        Ok(())
    }

    /// Adds what was found in the tree, including third-party folders; those that the settings list
    /// as vendored count as components, and of others what is under a license that asks for more
    /// than a notice. Returns how many files have each fingerprint of the queries.
    fn add_tree(&mut self, mut of_tree: SearchOutcome) -> Result<Vec<Vec<(u32, u32)>>, Error> {
        let (Change { ends, sources, .. }, additions) = (self.change, self.additions);
        let outcome = &mut self.outcome;
        let queries = additions.without_twins.as_ref().unwrap_or(&additions.queries);
        of_tree.take_twins(queries, &additions.twins, &|path| place_in_tree(sources.config, path));
        let reader = ends.repository.reader();
        identify_vendored_as_of(ends.authority.licenses(), &mut of_tree.found, &reader, sources)?;
        outcome.examined.n_passed_over = of_tree.n_passed_over;
        outcome.examined.n_compared = of_tree.n_compared;
        outcome.notices.extend(limits(&additions.asking, &of_tree));
        let unread = of_tree.skipped.iter().filter(|(of, skip)| sources.is_unread(&of.path, *skip));
        let unread = unread.map(|(entry, skip)| (entry.path.clone(), *skip));
        outcome.examined.not_compared.extend(unread);
        let frequencies = of_tree.frequencies.clone();
        let taken_out = self.taken_out(&of_tree)?;
        let of_generated = self.of_generated(&of_tree)?;
        self.copies.take(of_tree, None);
        for found in [taken_out, of_generated].into_iter().filter(|found| !found.found.is_empty()) {
            self.copies.take(SearchOutcome { frequencies: frequencies.clone(), ..found }, None);
        }
        Ok(frequencies)
    }

    /// What generated files have, of those that were skipped in the tree. Files that the change
    /// touches are no origins: their sources may be what it adds. Nor do they say what is common.
    fn of_generated(&self, of_tree: &SearchOutcome) -> Result<SearchOutcome, Error> {
        let generated = of_tree.skipped.iter().filter(|(_, skip)| *skip == Skip::Generated);
        let old = generated.map(|(of, _)| of).filter(|of| !self.change.new.contains(&of.path));
        let entries: Vec<Entry> = old.cloned().collect();
        self.search_in(&entries, &self.change.sources.of_generated())
    }

    /// Searches files of the repository that are not compared with as those of the tree are.
    fn search_in(&self, entries: &[Entry], sources: &Sources<'_>) -> Result<SearchOutcome, Error> {
        if entries.is_empty() {
            return Ok(SearchOutcome::default());
        }
        let repository = self.change.ends.repository;
        search(&self.additions.queries, &Targets::new(entries, &|| repository.reader(), sources))
    }

    /// What the change took out of vendored folders: that code keeps its license wherever it goes.
    /// What was found in the tree is there still.
    fn taken_out(&self, of_tree: &SearchOutcome) -> Result<SearchOutcome, Error> {
        let Change { ends: Ends { repository, base, head, .. }, sources, .. } = *self.change;
        let config = sources.config;
        let edited = head.differences(base).filter_map(|(before, _)| before);
        let vendored = edited.filter(|Entry { path, .. }| {
            config.vendored_at(path).is_some() || sources.unlisted_folder(path).is_some()
        });
        let entries: Vec<Entry> = vendored.cloned().collect();
        let mut searched = self.search_in(&entries, sources)?;
        for file in &mut searched.found {
            let path = file.target.path.clone();
            let here = of_tree.found.iter().filter(|here| here.target.path == path);
            here.for_each(|here| file.leave_out(here));
        }
        searched.found.retain(FileHits::has_any);
        identify_vendored_as_of(base, &mut searched.found, &repository.reader(), sources)?;
        // Of others, what is under a license that asks for more than a notice.
        searched.found.retain(|found| {
            config.vendored_at(&found.target.path).is_some() || found.place != Place::Tree
        });
        Ok(searched)
    }

    /// Searches the past and the corpora; `frequencies` are those of the tree.
    fn search_elsewhere(&mut self, frequencies: Vec<Vec<(u32, u32)>>) -> Result<(), Error> {
        let Self { change, additions: Additions { asking, queries, .. }, copies, outcome } = self;
        let Change { ends: Ends { repository, base, .. }, elsewhere, sources, .. } = **change;
        if let Some(past) = elsewhere.past {
            let brought_in = asking.iter().map(|file| file.is_brought_in()).collect();
            let standing = base.entries.iter().filter_map(Entry::blob).collect();
            let of_past =
                past.search(&PastQuery { queries, brought_in, standing }, repository, sources)?;
            outcome.examined.n_passed_over += of_past.n_passed_over;
            outcome.notices.extend(limits(asking, &of_past));
            // Not all versions of a file may be read, but code that comes back has a recent one.
            let unread = UnreadPlace { n_versions: 0, ..of_past.unread };
            outcome.examined.unavailable = past.unavailable(unread, "change");
            copies.take(SearchOutcome { frequencies, ..of_past }, None);
        }
        for outside in elsewhere.outsides {
            let mut searched = outside.search(queries, sources)?;
            let skipped = std::mem::take(&mut searched.skipped).into_iter();
            outcome.examined.not_compared.extend(skipped.map(|(entry, skip)| (entry.path, skip)));
            outcome.examined.n_compared += searched.n_compared;
            outcome.examined.common.extend(common(asking, &searched.frequencies, sources.config));
            copies.take(searched, Some(&sources.config.enough));
        }
        Ok(())
    }

    /// Adds the findings about fixes that the added copies lack, as far as corpora know.
    fn add_missed_fixes(&mut self) -> Result<(), Error> {
        let all = &self.copies;
        let (sources, outsides) = (self.change.sources, self.change.elsewhere.outsides);
        if outsides.is_empty() || !sources.config.levels_of_any_file().ask_for_missed() {
            return Ok(());
        }
        let holders = self.additions.asking.iter().zip(&all.copies).map(|(file, copies)| {
            let files = copies.iter().map(|copied| ComponentFile::of(&all.found[copied.found]));
            let origins = distinct(files.flatten());
            Holder { source: &file.source, novel: Some(&file.novel), origins }
        });
        let holders: Vec<Holder<'_>> = holders.collect();
        self.outcome.findings.extend(missed_fixes(&holders, outsides, sources, || ())?);
        Ok(())
    }

    /// Makes findings of all copies.
    fn judge(&mut self) -> Result<(), Error> {
        let Change { ends: Ends { repository, head, .. }, sources, .. } = *self.change;
        let (additions, all) = (self.additions, &mut self.copies);
        let reader = repository.reader();
        let base = self.outcome.base.as_ref().and_then(|base| base.commit);
        let mut origins = all.copies.iter().flatten().map(|copied| &all.found[copied.found].place);
        let attributions = if origins.any(|place| matches!(place, Place::Component(_))) {
            Attributions::new(&head.entries, repository)
        } else {
            Attributions::default()
        };
        let with_copies =
            additions.asking.iter().zip(&all.copies).filter(|(_, copies)| !copies.is_empty());
        let with_copies =
            Vec::from_iter(with_copies.map(|(of, copies)| (&*of.source, &copies[..])));
        all.reverted = reverted(&with_copies, &all.found, base, &reader);
        let paths = with_copies.iter().map(|(file, _)| &file.path);
        let nearby = Nearby::new(paths, &head.entries, repository, sources);
        let joined = all.findings(&attributions, Some(&nearby)).into_iter();
        let (mut findings, mut parts): (Vec<Finding>, Vec<Vec<Finding>>) =
            joined.map(|JointFinding(finding, parts)| (finding, parts)).unzip();

        if let Some(commit) = base {
            self.look_back(commit, &mut findings, &mut parts)?;
        }
        for (finding, mut parts) in findings.iter().zip(parts) {
            // The part in the tree is what was marked.
            let is_marked = finding.about != About::Copy;
            parts.retain(|part| !is_marked || part.origins_in_tree().next().is_none());
            if !parts.is_empty() {
                self.outcome.parts.insert(part_key(finding), parts);
            }
        }
        self.outcome.findings.extend(findings);
        Ok(())
    }

    /// Says of findings and their parts that the copy is of an old state, or kept in step.
    fn look_back(
        &self,
        base: CommitId,
        findings: &mut [Finding],
        parts: &mut [Vec<Finding>],
    ) -> Result<(), Error> {
        let Change { ends, changed, sources, .. } = self.change;
        let reader = ends.repository.reader();
        let asks_for_old = sources.config.levels_of_any_file().ask_for_old_copies();
        let old = asks_for_old.then(|| {
            candidates(findings, changed, &|path| in_tree(&self.copies).find(|of| of.path == *path))
        });
        let old = old.unwrap_or_default();
        let before = |path: &FilePath| self.change.path_before(path);
        let mut edits = Edits::new(Versions::new(base, &reader));
        let mut paths: Vec<FilePath> = old.iter().map(|old| old.origin.path.clone()).collect();
        let mut n_pairs = 0;
        for finding in findings.iter().chain(parts.iter().flatten()) {
            if n_pairs < MAX_FILES
                && let Some((own, other)) = edits.pair(finding, &before)?
            {
                paths.extend([own, other]);
                n_pairs += 1;
            }
        }
        edits.versions.read(paths)?;
        mark_old_copies(findings, old, &mut edits.versions, &reader, sources)?;
        for finding in findings.iter_mut().chain(parts.iter_mut().flatten()) {
            edits.soften(finding, &before)?;
        }
        Ok(())
    }
}

/// The files of the tree that share something with the change.
fn in_tree<'a>(all: &'a AllCopies<'_>) -> impl Iterator<Item = &'a Source> {
    all.found.iter().filter(|found| found.place == Place::Tree).map(|found| &*found.target)
}

/// Notices about what was left out, as the change repeats itself or the tree too often.
fn limits(asking: &[&ChangedFile], searched: &SearchOutcome) -> Vec<Notice> {
    let path = |query: usize| asking[query].source.path.clone();
    let of_found = searched.found.iter().flat_map(|found| &found.limits);
    let of_places = in_part(of_found.map(|&(query, limits)| (path(query), limits)));
    let of_places = of_places.into_iter().map(|(path, text)| Notice::new(Some(path), None, &text));
    let of_files = searched.limited.iter().map(|limited| {
        let (files, n) = (count(limited.n_sharing, "file"), limited.n_aligned);
        let text = format!("shares code with {files}: the {n} that share most were aligned");
        Notice::new(Some(path(limited.query)), None, &text)
    });
    first_few(of_places.chain(of_files).collect())
}

/// The parts of the queries that occur in too many components to show where they come from.
fn common(asking: &[&ChangedFile], counts: &[Vec<(u32, u32)>], config: &Config) -> Vec<Common> {
    let k = config.fingerprint.noise_threshold() as u32;
    let mut found = Vec::new();
    for (file, counts) in asking.iter().zip(counts) {
        let (mut n_tokens, mut n_components, mut end) = (0, 0, 0);
        for &(position, n) in counts {
            if n as usize > config.common_components {
                n_tokens += (position + k - end.max(position)) as usize;
                end = position + k;
                n_components = n_components.max(n as usize);
            }
        }
        if n_tokens > 0 {
            found.push(Common { path: file.source.path.clone(), n_tokens, n_components });
        }
    }
    found
}
