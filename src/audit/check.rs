//! Runs `check`: finds the copies that a change adds.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use rayon::prelude::*;

use super::change::{
    Changed, Predecessor, asking, changed_files, changes, credit_moves, linked, queries, self_excused, sources_before,
};
use super::judge::{AllCopies, Attributions, Copied, Joined, Nearby, allowed_in, comments, has_comments, unexamined};
use super::outcome::{first_few, in_part, part_key};
use super::outdated::{Head, mark_old_copies};
use super::owners::owners;
use super::read::{Remembered, Skip, Source, Sources};
use super::search::{
    Outside, Past, Queries, SearchOutcome, Sought, Targets, Twins, Unread, identify_vendored_as_of, place_in_tree,
    search, sight, twins,
};
use super::siblings::{self, PreImages, Purposes, Sibling};
use super::stale::{ComponentFile, Holder, stale, vulnerable};
use super::{Comment, Common, Context, Error, Examined, Outcome};
use crate::change::Range;
use crate::config::Config;
use crate::files::{BlobId, Entry};
use crate::git::{CommitId, Reader, Repository, Snapshot, blob_id_like};
use crate::policy::{About, Finding, Notice, Place};
use crate::text::{FilePath, count};

/// What a change is compared with besides its tree.
#[derive(Debug, Clone, Copy, Default)]
pub struct Elsewhere<'e> {
    /// Corpora.
    pub outsides: &'e [Outside],
    /// The history of the repository, if deleted code is searched for.
    pub past: Option<&'e Past>,
}

/// Finds the copies that a change adds, as defined in `docs/semantics.md`, from its tree and from `elsewhere`.
///
/// What is `remembered` about untouched files saves reading them; it changes nothing else.
///
/// # Errors
/// If a file of base or head cannot be read: what was not examined must not pass as clean.
pub fn check(
    repository: &Repository,
    range: &Range,
    elsewhere: &Elsewhere<'_>,
    remembered: &Remembered,
    context: Context<'_>,
) -> Result<Outcome, Error> {
    let Range { base, head: (head, head_files), within, .. } = range;
    let authority = range.authority(repository);
    let (base, base_files) = (base.as_ref().map(|(base, _)| base), range.base_files());
    let mut attributes = authority.attributes()?;
    if let Some(witness) = authority.marks() {
        let sources = Sources::new(context, &attributes, remembered);
        let excused = self_excused(witness, head_files, &repository.reader(), &sources)?;
        attributes = attributes.with_not_generated(excused);
    }
    let sources = Sources::new(context, &attributes, remembered);
    let config = context.config;
    let levels = config.levels_of_any_file();
    let mut examined = Examined::default();
    let standing: HashSet<BlobId> = base_files.entries.iter().filter_map(Entry::blob).collect();

    let (mut changed, mut predecessors) = changed_files(repository, base_files, head_files, &sources, &mut examined)?;
    let submodules = head_files.changed_submodules(base_files).map(|path| (path.clone(), Skip::Submodule));
    examined.skipped.extend(submodules.filter(|(path, _)| sources.skip_by_name(path).is_none()));
    let unmerged = head_files.unmerged().filter(|path| sources.skip_by_name(path).is_none());
    let of_unmerged = |path: &FilePath| {
        let ours = head_files.get(path);
        ours.map_or(Skip::Unmerged, |ours| sources.looked_into(&repository.reader(), ours, Skip::Unmerged))
    };
    examined.skipped.extend(unmerged.map(|path| (path.clone(), of_unmerged(path))));
    let linked = linked(base_files, head_files, &repository.reader(), &sources)?;
    examined.skipped.extend(linked.into_iter().map(|path| (path, Skip::Linked)));
    credit_moves(&mut changed, &mut predecessors, config);
    let is_asked = |path: &FilePath| path.is_within(within);
    let judged: Vec<&Changed> = changed.iter().filter(|file| is_asked(&file.source.path)).collect();
    examined.skipped.retain(|(path, _)| is_asked(path));
    examined.n_judged = judged.len();
    examined.n_novel = judged.iter().map(|file| file.n_novel()).sum();

    let new: HashSet<FilePath> = changes(base_files, head_files).changed.into_iter().map(|(new, _)| new.path).collect();
    let is_new = |path: &FilePath| new.contains(path);
    let asking = asking(judged.iter().copied(), true, config);
    let queries = queries(&asking, config);
    let purposes = Purposes::new(repository, base, head);
    let images = PreImages::new(&changed, &predecessors, purposes, &sources);
    let also = Some(&images.queries).filter(|also| levels.ask_for_edits() && !also.is_empty());
    let twins = brought_in_whole(&asking, head_files, &is_new, &sources);
    let comments = comments_of(&judged, &predecessors, authority.comments(), &repository.reader(), &sources);
    let findings = unexamined(&examined.skipped, &sources);
    let owners = owners(head_files, &repository.reader(), config);
    let max_findings = config.max_findings;
    let settings = config.files.clone();
    let mut outcome = Outcome {
        examined,
        comments,
        findings,
        owners,
        settings,
        max_findings,
        ..Outcome::new(base.cloned(), head.clone())
    };
    // A short file can be byte-identical to another one.
    let has_twins = twins.iter().any(|twins| !twins.origins.is_empty());
    let asks_nothing = asking.is_empty() || queries.is_empty() && elsewhere.outsides.is_empty() && !has_twins;
    if asks_nothing || !levels.ask_for_copies() {
        if let Some(also) = also {
            let is_asked_for = |entry: &&Entry| images.may_be_in(&entry.path, &sources);
            let entries: Vec<Entry> = head_files.entries.iter().filter(is_asked_for).cloned().collect();
            let sighted = sight(also, &entries, &|| repository.reader(), &sources)?;
            let siblings = images.siblings(sighted, &is_new, repository, &sources)?;
            add_siblings(&mut outcome, &images, siblings, &is_asked, &sources);
        }
        return Ok(outcome);
    }

    // Of equal files that the change adds, the first represents the others.
    let of_others = asking.iter().zip(&twins).map(|(file, twins)| match twins.is_first {
        true => (&file.source, file.asked(config)),
        false => (&file.source, Cow::Owned(vec![false; file.novel.len()])),
    });
    let of_others = if has_twins { Some(Queries::new(of_others.collect(), config)) } else { None };
    let before: Vec<&Source> = predecessors.iter().map(|file| &file.source).collect();
    let licensed_by = authority.licenses();
    let tree =
        HeadTree { base: base_files, head: head_files, licensed_by, is_new: &is_new, before: &before, twins: &twins };
    let mut of_tree = search_tree(of_others.as_ref().unwrap_or(&queries), &tree, also, repository, &sources)?;
    let sighted = std::mem::take(&mut of_tree.sighted);
    if also.is_some() {
        let siblings = images.siblings(sighted, &is_new, repository, &sources)?;
        add_siblings(&mut outcome, &images, siblings, &is_asked, &sources);
    }
    outcome.examined.n_passed_over = of_tree.n_passed_over;
    outcome.notices.extend(limits(&asking, &of_tree));
    outcome.examined.n_compared = of_tree.n_compared;
    let notable = of_tree.skipped.iter().filter(|(entry, skip)| sources.is_unread(&entry.path, *skip));
    outcome.examined.not_compared = notable.map(|(entry, skip)| (entry.path.clone(), *skip)).collect();
    let mut all = AllCopies::new(&asking, &changed, &predecessors, &sources);
    let frequencies = of_tree.frequencies.clone();
    all.take(of_tree, None);
    let judging = Judging {
        repository,
        sources: &sources,
        head: head_files,
        changed: &changed,
        predecessors: &predecessors,
        asking: &asking,
        queries: &queries,
        elsewhere,
    };
    judging.search_elsewhere(standing, frequencies, &mut all, &mut outcome)?;
    if levels.ask_for_missed() && !elsewhere.outsides.is_empty() {
        outcome.findings.extend(missed_by(&asking, &all, elsewhere.outsides, config)?);
    }
    judging.judge(&mut all, &mut outcome)?;
    outcome.findings.sort_by(|a, b| (&a.path, a.fragment).cmp(&(&b.path, b.fragment)));
    judging.keep_texts(&all, &mut outcome);
    Ok(outcome)
}

/// The suppressions in the files that are judged. With the `tip` of the base, it has to have them, too.
fn comments_of(
    judged: &[&Changed],
    predecessors: &[Predecessor],
    tip: Option<&Snapshot>,
    reader: &Reader,
    sources: &Sources<'_>,
) -> Vec<Comment> {
    let before = sources_before(predecessors);
    let allowed = |tip: &Snapshot, path: &FilePath| {
        let source = tip.get(path).and_then(|entry| sources.read(reader, entry).ok()?.ok());
        source.as_ref().map(allowed_in).unwrap_or_default()
    };
    let mut found = Vec::new();
    for file in judged.iter().filter(|file| has_comments(&file.source)) {
        let before = before(&file.source.path);
        let at_tip = tip.map(|tip| {
            let mut at_tip = allowed(tip, &file.source.path);
            // Where the change moved the file. One for a file is for the file of that path.
            let moved = before.map(|before| allowed(tip, &before.path)).unwrap_or_default();
            at_tip.extend(moved.into_iter().filter(|suppression| suppression.lines.is_some()));
            at_tip
        });
        found.extend(comments(&file.source, before, at_tip.as_deref()));
    }
    found
}

/// A change whose copies are searched for and judged.
struct Judging<'j> {
    repository: &'j Repository,
    sources: &'j Sources<'j>,
    head: &'j Snapshot,
    changed: &'j [Changed],
    predecessors: &'j [Predecessor],
    /// The changed files with enough novel code to be a copy, and what is searched for of them.
    asking: &'j [&'j Changed],
    queries: &'j Queries<'j>,
    /// What is searched besides the tree.
    elsewhere: &'j Elsewhere<'j>,
}

impl<'j> Judging<'j> {
    /// Searches the past and the corpora. `standing` are the contents of the base, `frequencies` those of the tree.
    fn search_elsewhere(
        &self,
        standing: HashSet<BlobId>,
        frequencies: Vec<Vec<(u32, u32)>>,
        all: &mut AllCopies<'j>,
        outcome: &mut Outcome,
    ) -> Result<(), Error> {
        let Self { repository, sources, asking, queries, elsewhere, .. } = *self;
        if let Some(past) = elsewhere.past {
            let brought_in = asking.iter().map(|file| file.is_brought_in()).collect();
            let of_past = past.search(&Sought { queries, brought_in, standing }, repository, sources)?;
            outcome.examined.n_passed_over += of_past.n_passed_over;
            outcome.notices.extend(limits(asking, &of_past));
            // A file that changes often has more versions than are read, and code that comes back has a recent one.
            let unread = Unread { n_versions: 0, ..of_past.unread };
            outcome.examined.unavailable = past.unavailable(unread, "change");
            all.take(SearchOutcome { frequencies, ..of_past }, None);
        }
        for outside in elsewhere.outsides {
            let mut searched = outside.search(queries, sources)?;
            let skipped = std::mem::take(&mut searched.skipped).into_iter().map(|(entry, skip)| (entry.path, skip));
            outcome.examined.not_compared.extend(skipped);
            outcome.examined.n_compared += searched.n_compared;
            outcome.examined.common.extend(common(asking, &searched.frequencies, sources.config));
            all.take(searched, Some(&sources.config.enough));
        }
        Ok(())
    }

    /// Makes findings of all copies.
    fn judge(&self, all: &mut AllCopies<'j>, outcome: &mut Outcome) -> Result<(), Error> {
        let Self { repository, sources, head, asking, .. } = *self;
        let reader = repository.reader();
        let base = outcome.base.as_ref().and_then(|base| base.commit);
        let is_of_component = |copied: &Copied| matches!(all.found[copied.found].place, Place::Component(_));
        let attributions = if all.copies.iter().flatten().any(is_of_component) {
            Attributions::read(&head.entries, &reader)?
        } else {
            Attributions::default()
        };
        let with_copies = asking.iter().zip(&all.copies).filter(|(_, copies)| !copies.is_empty());
        let with_copies: Vec<&Source> = with_copies.map(|(file, _)| &file.source).collect();
        all.reverted = reverted(&with_copies, base, &reader);
        let is_source = |entry: &&Entry| sources.skip_by_name(&entry.path).is_none();
        let read = |entry: &Entry| is_source(&entry).then(|| sources.read(&reader, entry).ok()?.ok()).flatten();
        let nearby = Nearby::new(&head.entries, &read);
        let joined = all.findings(self.predecessors, &attributions, Some(&nearby)).into_iter();
        let (mut findings, parts): (Vec<Finding>, Vec<Vec<Finding>>) =
            joined.map(|Joined(finding, parts)| (finding, parts)).unzip();

        if let Some(commit) = base.filter(|_| sources.config.levels_of_any_file().ask_for_old_copies()) {
            let origin = |path: &FilePath| in_tree(all).find(|target| target.path == *path);
            let head = Head { changed: self.changed, origin: &origin };
            mark_old_copies(&mut findings, commit, &head, &reader, sources)?;
        }
        for (finding, mut parts) in findings.iter().zip(parts) {
            // The part in the tree is what was marked.
            let is_marked = finding.about != About::Copy;
            parts.retain(|part| !is_marked || part.origins.iter().all(|origin| origin.place != Place::Tree));
            if !parts.is_empty() {
                outcome.parts.insert(part_key(finding), parts);
            }
        }
        outcome.findings.extend(findings);
        Ok(())
    }

    /// Keeps the texts of the files that findings name, to be shown.
    fn keep_texts(&self, all: &AllCopies<'j>, outcome: &mut Outcome) {
        let named: BTreeSet<&FilePath> = outcome
            .findings
            .iter()
            .flat_map(|finding| {
                let in_tree = finding.origins.iter().filter(|origin| origin.place == Place::Tree);
                in_tree.map(|origin| &origin.path).chain([&finding.path])
            })
            .collect();
        let sources = in_tree(all).chain(self.changed.iter().map(|file| &file.source));
        for source in sources.filter(|source| named.contains(&source.path)) {
            outcome.texts.entry(source.path.clone()).or_insert_with(|| source.text.clone().into());
        }
    }
}

/// The files of the tree that share something with the change.
fn in_tree<'a>(all: &'a AllCopies<'_>) -> impl Iterator<Item = &'a Source> {
    all.found.iter().filter(|found| found.place == Place::Tree).map(|found| &found.target)
}

/// How many commits before the base are looked at for what the change reverts to.
const NEAR: usize = 32;
/// Maximum files to look for there. A revert of more is a revert of a commit, which `--history` names.
const MAX_REVERTED: usize = 256;

/// The files that are, byte for byte, what they were under their path in one of the commits before `base`, along first
/// parents. Commits that a shallow or partial clone lacks are ignored.
fn reverted(files: &[&Source], base: Option<CommitId>, reader: &Reader) -> BTreeSet<FilePath> {
    let mut reverted = BTreeSet::new();
    let Some(mut commit) = base.filter(|_| !files.is_empty() && files.len() <= MAX_REVERTED) else {
        return reverted;
    };
    for _ in 0..NEAR {
        let Ok(Some(parent)) = reader.first_parent(commit) else { break };
        commit = parent;
        for file in files {
            if !reverted.contains(&file.path)
                && let Ok(Some(was)) = reader.blob_at(commit, &file.path)
                && was == blob_id_like(was, file.bytes())
            {
                reverted.insert(file.path.clone());
            }
        }
    }
    reverted
}

/// Findings about fixes that the copies added by a change lack.
fn missed_by(
    asking: &[&Changed],
    all: &AllCopies<'_>,
    outsides: &[Outside],
    config: &Config,
) -> Result<Vec<Finding>, Error> {
    let origins = |copies: &Vec<Copied>| {
        let files = copies.iter().filter_map(|copied| ComponentFile::of(&all.found[copied.found]));
        files.collect::<BTreeSet<_>>().into_iter().collect()
    };
    let holders: Vec<Holder<'_>> = asking
        .iter()
        .zip(&all.copies)
        .map(|(file, copies)| Holder { source: &file.source, novel: Some(&file.novel), origins: origins(copies) })
        .collect();
    let of_files = holders.par_iter().map(|holder| stale(holder, outsides, config));
    let mut findings: Vec<Finding> = of_files.collect::<Result<Vec<_>, Error>>()?.into_iter().flatten().collect();
    findings.extend(vulnerable(&holders, outsides, config)?);
    Ok(findings)
}

/// For each of `asking`, the files of the head that it is identical to, if the change added nearly all of it. A file
/// that was there before and that the change made identical is judged like any other change.
fn brought_in_whole(
    asking: &[&Changed],
    head: &Snapshot,
    is_new: &(dyn Fn(&FilePath) -> bool + Sync),
    sources: &Sources<'_>,
) -> Vec<Twins> {
    let asked: Vec<Option<&Source>> = asking.iter().map(|file| file.is_brought_in().then_some(&file.source)).collect();
    let is_comparable =
        |source: &Source, path: &FilePath| sources.is_compared(path) && sources.reads_alike(source, path);
    twins(&asked, &head.entries, is_new, &is_comparable)
}

/// The head as it is searched for the origins of a change.
struct HeadTree<'t> {
    base: &'t Snapshot,
    head: &'t Snapshot,
    /// The state that says how vendored folders are licensed.
    licensed_by: &'t Snapshot,
    /// Which of its files the change adds or modifies.
    is_new: &'t (dyn Fn(&FilePath) -> bool + Sync),
    /// The files that the change touches, as they were before.
    before: &'t [&'t Source],
    /// For each query, the files that it is identical to.
    twins: &'t [Twins],
}

/// Searches the head, including third-party folders; those that the settings list as vendored count as components.
fn search_tree(
    queries: &Queries<'_>,
    tree: &HeadTree<'_>,
    also: Option<&Queries<'_>>,
    repository: &Repository,
    sources: &Sources<'_>,
) -> Result<SearchOutcome, Error> {
    let &HeadTree { base, head, licensed_by, is_new, before, twins } = tree;
    let place = |path: &FilePath| place_in_tree(sources.config, path);
    let entries = compared(head, base, sources);
    let targets = Targets {
        entries: &entries,
        open: &|| repository.reader(),
        place: &place,
        is_new,
        before,
        max_components: None,
        also,
    };
    let mut searched = search(queries, &targets, sources)?;
    searched.take_twins(queries, twins, &place);
    identify_vendored_as_of(licensed_by, &mut searched.found, &repository.reader(), sources.config)?;
    Ok(searched)
}

/// The files of the head that a change is compared with.
fn compared(head: &Snapshot, base: &Snapshot, sources: &Sources<'_>) -> Vec<Entry> {
    let is_compared = |entry: &&Entry| {
        // Files that a package manager installed into the work tree are not part of the repository, whether or not git
        // ignores them.
        let is_tracked = || entry.blob().is_some() || base.get(&entry.path).is_some();
        let is_installed = || sources.skip_by_name(&entry.path) == Some(Skip::Vendored);
        sources.is_compared(&entry.path) && (is_tracked() || !is_installed())
    };
    head.entries.iter().filter(is_compared).cloned().collect()
}

/// Notices about what was left out of the search because the change repeats itself or the tree too often.
fn limits(asking: &[&Changed], searched: &SearchOutcome) -> Vec<Notice> {
    let path = |query: usize| asking[query].source.path.clone();
    let of_found = searched.found.iter().flat_map(|found| &found.limits);
    let of_places = in_part(of_found.map(|&(query, limits)| (path(query), limits)));
    let of_places = of_places.into_iter().map(|(path, text)| Notice::new(Some(path), None, &text));
    let of_files = searched.limited.iter().map(|limited| {
        let (n, n_aligned) = (limited.n_sharing, limited.n_aligned);
        let text = format!("shares code with {}: the {n_aligned} that share most were aligned", count(n, "file"));
        Notice::new(Some(path(limited.query)), None, &text)
    });
    first_few(of_places.chain(of_files).collect())
}

/// Adds the findings about siblings that the edits of a change did not reach, and the texts of both.
fn add_siblings(
    outcome: &mut Outcome,
    images: &PreImages<'_>,
    siblings: Vec<Sibling>,
    is_asked: &dyn Fn(&FilePath) -> bool,
    sources: &Sources<'_>,
) {
    let (findings, texts) = siblings::findings(images, siblings, is_asked, sources);
    outcome.findings.extend(findings);
    outcome.texts.extend(texts);
    if images.n_left_out > 0 {
        let message =
            format!("siblings were not looked up for {}: the change has too many", count(images.n_left_out, "edit"));
        outcome.notices.push(Notice::new(None, None, &message));
    }
    outcome.findings.sort_by(|a, b| (&a.path, a.fragment).cmp(&(&b.path, b.fragment)));
}

/// The parts of the queries that occur in too many components to show where they come from.
fn common(asking: &[&Changed], frequencies: &[Vec<(u32, u32)>], config: &Config) -> Vec<Common> {
    let k = config.fingerprint.noise_threshold() as u32;
    let of_file = |(file, frequencies): (&&Changed, &Vec<(u32, u32)>)| {
        let mut common = Common { path: file.source.path.clone(), n_tokens: 0, n_components: 0 };
        let mut end = 0;
        for &(position, n) in frequencies.iter().filter(|(_, n)| *n as usize > config.common_components) {
            common.n_tokens += (position + k - end.max(position)) as usize;
            end = position + k;
            common.n_components = common.n_components.max(n as usize);
        }
        (common.n_tokens > 0).then_some(common)
    };
    asking.iter().zip(frequencies).filter_map(of_file).collect()
}
