//! Checks the commits of a range one by one: which copies each added, from where, and who wrote the
//! origins.
//!
//! Each commit is checked against its own tree, as `check` does for a change. The fingerprints of
//! all contents are kept from commit to commit, so the cost of a commit depends on what it changed.

mod blame;
mod contents;
mod timeline;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Mutex;

use rayon::prelude::*;

pub use self::blame::blame;
use self::blame::{Piece, written};
use self::contents::{ComparedTree, KnownPrints, PathReadings};
use self::timeline::KeptCommit;
pub use self::timeline::{CommitCopies, Copy, CopyOrigin, Timeline, UnreadFile};
use crate::audit::change::{ChangedFile, asking, changed_files, credit_moves, queries};
use crate::audit::judge::{AllCopies, Attributions, JointFinding, copies_of};
use crate::audit::read::{Memory, Sources};
use crate::audit::search::{Targets, align_known};
use crate::audit::{Context, Error, Examination, Progress, Silent};
use crate::config::Config;
use crate::files::Entry;
use crate::git::{self, Attributes, CommitId, Event, Reader, Repository, Snapshot, Span};
use crate::language::Languages;
use crate::matching::{Novelty, novelty};
use crate::policy::{Finding, Ground};
use crate::store::Journal;
use crate::text::{count, fnv_1a};

/// Maximum commits to check together.
const MAX_BATCH: usize = 32;
/// Maximum files in the trees of the commits that are checked together, but for the last few.
/// Higher uses more memory, 100 bytes a file, and saves little: all threads are busy.
const MAX_BATCH_FILES: usize = 1_000_000;
/// Maximum origins of a copy to report.
const MAX_ORIGINS: usize = 8;
/// Increases whenever commits are judged differently than before.
const JUDGED_VERSION: u32 = 7;

/// Which commits to check.
#[derive(Debug)]
pub struct TimelineParams<'p> {
    /// The range as given by the user.
    pub name: String,
    /// The range.
    pub span: Span,
    /// Part of the name or address of the authors that count, in lower case.
    pub author: Option<String>,
    /// Where results are stored, so that they need not be computed again.
    pub folder: Option<&'p Path>,
}

/// Checks the commits of a range.
///
/// # Errors
/// If a commit, a tree or one of its files cannot be read.
pub fn timeline(
    repository: &Repository,
    params: &TimelineParams<'_>,
    context: Context<'_>,
) -> Result<Timeline, Error> {
    let mut timeline = selected(params, repository)?;
    let (results, mut kept) = Results::open(params, context);

    let mut todo: Vec<&mut CommitCopies> = Vec::new();
    let mut traced: HashSet<CommitId> = HashSet::new();
    for judged in &mut timeline.commits {
        let Some(kept) = kept.remove(&judged.commit.to_string()) else {
            todo.push(judged);
            continue;
        };
        (judged.n_novel, judged.copies, judged.unread) = (kept.n_novel, kept.copies, kept.unread);
        traced.extend(kept.is_traced.then_some(judged.commit));
    }
    let n_checked = check_commits(&mut todo, repository, params, &results, context)?;
    let left: HashSet<CommitId> = todo[n_checked..].iter().map(|judged| judged.commit).collect();
    if !left.is_empty() {
        timeline.commits.retain(|judged| !left.contains(&judged.commit));
        let n = count(left.len(), "commit");
        timeline.unavailable = Some(format!("{n}, since the time or memory limit was reached"));
    }

    let with_copies = timeline.commits.iter_mut().filter(|judged| !judged.copies.is_empty());
    let mut untraced = Vec::from_iter(with_copies.filter(|of| !traced.contains(&of.commit)));
    if context.progress.end().is_none() {
        trace(&mut untraced, repository, context.progress)?;
        untraced.iter().for_each(|judged| results.keep(judged, true));
    }
    Ok(timeline)
}

/// The commits of the range that are to be checked, and how many are not.
fn selected(params: &TimelineParams<'_>, repository: &Repository) -> Result<Timeline, Error> {
    let reader = repository.reader();
    let mut timeline = Timeline {
        repository: repository.name(),
        range: params.name.clone(),
        remote: reader.remote(),
        ..Timeline::default()
    };
    let (mut n_cut, mut n_malformed) = (0, 0);
    for commit in reader.commits_of(&params.span)? {
        if !reader.is_readable(commit)? {
            n_malformed += 1;
            continue;
        }
        let info = reader.info(commit)?;
        let is_asked = params.author.as_ref().is_none_or(|author| {
            info.author.to_lowercase().contains(author)
                || info.email.to_lowercase().contains(author)
        });
        if !is_asked {
            timeline.n_left_out += 1;
        } else if info.n_parents > 0 && reader.parents(commit)?.is_empty() {
            n_cut += 1;
        } else {
            let (copies, unread) = (Vec::new(), Vec::new());
            timeline.commits.push(CommitCopies { commit, info, n_novel: 0, copies, unread });
        }
    }
    let cut =
        (n_cut > 0).then(|| format!("{} where this shallow clone begins", count(n_cut, "commit")));
    let malformed = (n_malformed > 0)
        .then(|| format!("{} malformed, or made from one that is", count(n_malformed, "commit")));
    let left: Vec<String> = cut.into_iter().chain(malformed).collect();
    timeline.unavailable = (!left.is_empty()).then(|| left.join("; "));
    Ok(timeline)
}

/// The results of earlier runs and this one; without a folder that can be written, none are kept.
struct Results(Option<Journal>);

impl Results {
    /// Opens the results, and reads those that are there, by commit.
    fn open(
        params: &TimelineParams<'_>,
        context: Context<'_>,
    ) -> (Self, HashMap<String, KeptCommit>) {
        let digest = digest(params, context.config, context.languages);
        let (journal, lines) =
            params.folder.and_then(|folder| Journal::open(folder, digest).ok()).unzip();
        let lines = lines.unwrap_or_default();
        // A line that was written only in part is not one.
        let kept = lines.iter().filter_map(|line| serde_json::from_str::<KeptCommit>(line).ok());
        (Self(journal), kept.map(|kept| (kept.commit.clone(), kept)).collect())
    }

    fn keep(&self, judged: &CommitCopies, is_traced: bool) {
        let CommitCopies { commit, n_novel, copies, unread, .. } = judged.clone();
        let kept = KeptCommit { commit: commit.to_string(), n_novel, copies, unread, is_traced };
        if let (Some(journal), Ok(line)) = (&self.0, serde_json::to_string(&kept)) {
            let _ = journal.append(&line);
        }
    }
}

/// Checks commits in batches, keeps each result, and returns how many were done before the end.
fn check_commits(
    mut commits: &mut [&mut CommitCopies],
    repository: &Repository,
    params: &TimelineParams<'_>,
    results: &Results,
    context: Context<'_>,
) -> Result<usize, Error> {
    let progress = context.progress;
    progress.begin("commits", commits.len());
    // Progress counts commits, not the steps within one.
    let silent = Context { progress: &Silent, ..context };
    // The contents of files do not come from a cache, since others may have written to it.
    let remembered = Memory::nothing();
    let recent = Mutex::default();
    let mut known = KnownPrints::default();
    let mut n_checked = 0;
    while !commits.is_empty() && progress.end().is_none() {
        let (changes, trees) = read_batch(commits, repository, params)?;
        let (batch, rest) = commits.split_at_mut(changes.len());
        commits = rest;
        n_checked += batch.len();
        let sources = changes.iter().map(|of| Sources::new(silent, &of.attributes, &remembered));
        let sources = Vec::from_iter(sources.map(|of| Sources { recent: Some(&recent), ..of }));
        let plain = trees.iter().zip(&sources).find(|(_, sources)| sources.attributes.is_empty());
        let paths = plain.map(|(tree, sources)| PathReadings::new(tree, sources));
        let (paths, none) = (paths.unwrap_or_default(), PathReadings::default());
        let trees = trees.into_par_iter().zip(&sources).map(|(tree, sources)| {
            let known = if sources.attributes.is_empty() { &paths } else { &none };
            ComparedTree::new(tree, known, sources)
        });
        let trees: Vec<ComparedTree> = trees.collect();

        // One thread learns what the commits of the batch have; then all are searched at once.
        known.learn(trees.iter().zip(&sources), repository)?;
        let found =
            changes.par_iter().zip(&sources).zip(&trees).map(|((change, sources), tree)| {
                let found = judged(change, tree, &known, repository, sources);
                progress.step();
                found
            });
        let found = found.collect::<Result<Vec<_>, Error>>()?;
        for (judged, found) in batch.iter_mut().zip(found) {
            (judged.n_novel, judged.copies, judged.unread) = found;
            results.keep(judged, judged.copies.is_empty());
        }
    }
    Ok(n_checked)
}

/// Reads the first of `commits` with their trees: a few at a time, until there are enough.
fn read_batch(
    commits: &[&mut CommitCopies],
    repository: &Repository,
    params: &TimelineParams<'_>,
) -> Result<(Vec<Change>, Vec<Snapshot>), Error> {
    let (mut changes, mut trees, mut n_files) = (Vec::new(), Vec::new(), 0);
    for few in commits[..commits.len().min(MAX_BATCH)].chunks(rayon::current_num_threads()) {
        if n_files > MAX_BATCH_FILES {
            break;
        }
        let read = few.par_iter().map_init(
            || repository.reader(),
            |reader, judged| Change::read(judged.commit, params.span.is_first_parent, reader),
        );
        for (change, tree) in read.collect::<Result<Vec<_>, Error>>()? {
            n_files += tree.entries.len();
            changes.push(change);
            trees.push(tree);
        }
    }
    Ok((changes, trees))
}

/// Finds the author of the best origin of each copy.
fn trace(
    commits: &mut [&mut CommitCopies],
    repository: &Repository,
    progress: &dyn Progress,
) -> Result<(), Error> {
    let of_commits = commits.par_iter().map_init(
        || repository.reader(),
        |reader, judged| judged.copies.iter().map(|of| piece(of, judged.commit, reader)).collect(),
    );
    let of_commits = of_commits.collect::<Result<Vec<Vec<Option<Piece>>>, git::Error>>()?;
    let pieces: Vec<Piece> = of_commits.iter().flatten().flatten().cloned().collect();
    let mut writings = written(repository, &pieces, progress)?.into_iter();
    for (judged, pieces) in commits.iter_mut().zip(of_commits) {
        for (copy, _) in judged.copies.iter_mut().zip(pieces).filter(|(_, piece)| piece.is_some()) {
            let writing = writings.next().flatten();
            if let Some(origin) = copy.origins.first_mut() {
                origin.written = writing;
            }
        }
    }
    Ok(())
}

/// The best origin of a copy, in the tree of its commit.
fn piece(copy: &Copy, commit: CommitId, reader: &Reader) -> Result<Option<Piece>, git::Error> {
    let Some(CopyOrigin { path, fragment, .. }) = copy.origins.first() else { return Ok(None) };
    let Some(blob) = reader.blob_at(commit, path)? else { return Ok(None) };
    let text = reader.past_blob(blob, path)?.unwrap_or_default();
    Ok(Some(Piece::new(commit, path.clone(), &text, fragment)))
}

/// A digest of everything that decides what is found in a commit.
fn digest(params: &TimelineParams<'_>, config: &Config, languages: &Languages) -> u64 {
    let version = env!("CARGO_PKG_VERSION");
    let all = (JUDGED_VERSION, version, languages.digest(), params.span.is_first_parent);
    fnv_1a(format!("{all:?} {config:?}").bytes())
}

/// The changes of a commit.
struct Change {
    /// The files that it touched, as they were before.
    before: Snapshot,
    /// The same files afterward.
    after: Snapshot,
    /// For a merge, the files that it touched as they were in its other parents.
    others: Vec<Snapshot>,
    attributes: Attributes,
}

impl Change {
    /// Reads a commit: its changes, and its whole tree unless it only removed files.
    fn read(
        commit: CommitId,
        is_first_parent: bool,
        reader: &Reader,
    ) -> Result<(Self, Snapshot), Error> {
        let mut parents = reader.parents(commit)?;
        if is_first_parent {
            parents.truncate(1);
        }
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for Event { path, before: was, after: is } in reader.events_between(&parents, commit)? {
            before.extend(was.map(|blob| Entry::of_blob(&path, blob)));
            after.extend(is.map(|blob| Entry::of_blob(&path, blob)));
        }
        let mut others = Vec::new();
        for parent in parents.iter().skip(1) {
            let mut files = Vec::new();
            for Entry { path, .. } in &after {
                files.extend(reader.blob_at(*parent, path)?.map(|blob| Entry::of_blob(path, blob)));
            }
            others.push(Snapshot::of(files));
        }
        let head =
            if after.is_empty() { Snapshot::default() } else { reader.commit_snapshot(commit)? };
        let attributes = Attributes::read(&head.entries, reader)?;
        let (before, after) = (Snapshot::of(before), Snapshot::of(after));
        Ok((Self { before, after, others, attributes }, head))
    }
}

/// The novel tokens of a commit, the copies that it added, and what could not be read.
fn judged(
    change: &Change,
    compared: &ComparedTree,
    known: &KnownPrints,
    repository: &Repository,
    sources: &Sources<'_>,
) -> Result<(usize, Vec<Copy>, Vec<UnreadFile>), Error> {
    let config = sources.config;
    if change.after.entries.is_empty() {
        return Ok((0, Vec::new(), Vec::new()));
    }
    let mut examined = Examination::default();
    let (mut changed, mut predecessors) =
        changed_files(repository, &change.before, &change.after, sources, &mut examined)?;
    let unread = examined.skipped.into_iter().filter(|(path, skip)| sources.is_unread(path, *skip));
    let unread =
        unread.map(|(path, skip)| UnreadFile { path, why: skip.reason().to_owned() }).collect();
    // What a merge takes from any of its parents is not new.
    let reader = repository.reader();
    for other in &change.others {
        for file in &mut changed {
            let Some(entry) = other.get(&file.source.path) else { continue };
            let Ok(was) = sources.read(&reader, entry)? else { continue };
            let Novelty { novel, .. } = novelty(was.document(), file.source.document());
            file.novel.iter_mut().zip(novel).for_each(|(all, one)| *all &= one);
        }
    }
    credit_moves(&mut changed, &mut predecessors, sources);
    let of_source = changed.iter().filter(|file| {
        let ground = config.ground(&file.source.path, file.source.is_prose);
        matches!(ground, Ground::Code | Ground::Declarative)
    });
    let n_novel = of_source.map(ChangedFile::n_novel).sum();
    let asking = asking(&changed, false, config);
    let queries = queries(&asking, config);
    if queries.is_empty() {
        return Ok((n_novel, Vec::new(), unread));
    }
    let tree = known.tree(compared);
    let mut rows: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for (row, hash) in queries.distinct() {
        for file in known.holders(hash, &tree) {
            rows.entry(file as usize).or_default().push(row);
        }
    }
    let open = || repository.reader();
    let targets = Targets {
        is_new: &|path| change.after.get(path).is_some(),
        is_rarity_judged: true,
        ..Targets::new(&compared.entries, &open, sources)
    };
    let searched = align_known(&queries, rows.into_iter().collect(), &targets)?;
    let mut all = AllCopies::new(&asking, &changed, &predecessors, sources);
    all.copies = copies_of(&asking, &searched, &changed, &predecessors, None, config);
    all.found = searched.found;
    let joined = all.findings(&Attributions::default(), None).into_iter();
    Ok((n_novel, joined.map(|JointFinding(finding, _)| copy(finding)).collect(), unread))
}

fn copy(of: Finding) -> Copy {
    let n_lines = of.n_lines();
    let origins = of.origins.into_iter().take(MAX_ORIGINS).map(|origin| CopyOrigin {
        path: origin.path,
        fragment: origin.fragment,
        clone_type: origin.clone_type,
        similarity: origin.similarity,
        written: None,
    });
    Copy {
        n_lines,
        origins: origins.collect(),
        rule: of.rule.id.to_owned(),
        level: of.level,
        path: of.path,
        fragment: of.fragment,
        n_tokens: of.n_tokens,
        n_novel: of.n_novel,
        identity: of.identity,
    }
}
