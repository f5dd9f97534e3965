//! Runs `audit`: compares a whole tree with corpora, and measures how much of each file they
//! contain.
//!
//! Files that are byte-identical to files of a stored corpus are identified first. The rest is
//! compared like a change in which everything is new, one batch of files at a time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use super::change::{ChangedFile, queries};
use super::judge::{
    AllCopies, Attributions, FileUnderAudit, JointFinding, JudgedWith, SHORT, TreeCopy, comments,
    unexamined,
};
use super::read::{Memory, Skip, Source, Sources};
use super::search::{AS_MUCH, FileHits, Outside, Targets, identify_vendored, may_be_whole, search};
use super::stale::{ComponentFile, Holder, TreeFiles, WholeCopy, fit, held_fixes, missed_fixes};
use super::{
    AuditSummary, ComponentCopy, Context, CopiedFile, Error, Examination, Explanation, HeldFix,
    Introduction, Outcome, Possible,
};
use crate::change::End;
use crate::config::{Config, Foreign};
use crate::files::{Entry, ReadFiles};
use crate::git::{
    Attributes, CommitId, Reader, References, Repository, Snapshot, blob_id, sha1_of,
};
use crate::policy::{Answer, Component, Finding, FirstAppearance, Place, Topic, Verdict};
use crate::text::FilePath;

/// A tree to audit.
#[derive(Debug)]
pub struct Whole {
    /// Its name.
    pub end: End,
    /// Its files.
    pub snapshot: Snapshot,
    /// The name of the project.
    pub project: String,
    /// The revision: a commit, or the work tree on one.
    pub revision: String,
    /// When the tree was recorded or examined, in seconds since 1970.
    pub time: i64,
    /// Whether the report tells held security fixes: that takes reading every commit of the files.
    pub tells_fixes: bool,
}

/// Maximum bytes of source to compare at once: the index of the queries grows with it.
const BATCH: usize = 48 << 20;

struct ComparedFile {
    changed: ChangedFile,
    sha1: String,
    /// The corpus files that it is identical to, and no copy of if it is short: many are alike.
    same: Vec<(FilePath, Component)>,
    /// The first commit that has it, for a file from the history.
    first: Option<FirstAppearance>,
}

impl ComparedFile {
    /// The corpus files that it is a copy of.
    fn whole(&self) -> &[(FilePath, Component)] {
        if may_be_whole(&self.changed.source) { &self.same } else { &[] }
    }

    /// Whether its code is searched for.
    fn is_asked(&self, config: &Config) -> bool {
        let source = &self.changed.source;
        self.whole().is_empty()
            && (source.tokens.len() >= self.changed.thresholds(config).min_tokens
                || may_be_whole(source))
    }
}

/// A file, and what was copied into it.
struct FileCopies<'c> {
    file: &'c ComparedFile,
    copies: &'c [TreeCopy],
    found: &'c [FileHits],
}

/// The files that may be source by their names.
fn sources_among(entries: &[Entry], sources: &Sources<'_>) -> Vec<Entry> {
    entries.iter().filter(|entry| sources.languages.may_know(&entry.path)).cloned().collect()
}

/// Compares the tree with `outsides` and with its own vendored folders.
///
/// # Errors
/// If a file of the tree or a corpus cannot be read: what was not examined must not pass as clean.
pub fn audit(
    repository: &Repository,
    tree: Whole,
    outsides: &[Outside],
    context: Context<'_>,
) -> Result<Outcome, Error> {
    let Whole { end, snapshot, project, revision, time, tells_fixes } = tree;
    let remembered = Memory::nothing();
    let reader = repository.reader();
    let attributes = Attributes::read(&snapshot.entries, &reader)?;
    let sources = Sources::new(context, &attributes, &remembered);
    let attributions = Attributions::new(&snapshot.entries, repository);
    let TreeParts { own, unlisted, vendored, skipped } = TreeParts::new(&snapshot, &sources);
    let third_party: Vec<Entry> = vendored.iter().chain(&unlisted).cloned().collect();

    let (max_findings, settings) = (context.config.max_findings, context.config.files.clone());
    let mut outcome = Outcome { max_findings, settings, ..Outcome::new(None, end) };
    outcome.examined =
        Examination { n_changed: snapshot.entries.len(), skipped, ..Examination::default() };
    let tree = &snapshot.entries[..];
    let targets =
        AuditTargets { repository, sources: &sources, tree, vendored: &third_party, outsides };
    let is_asked = outsides.iter().any(|outside| outside.stored().is_some());
    let fixes = FixContext { is_asked, tells_fixes, ..FixContext::default() };
    let facts = FileFacts::default();
    let mut auditor =
        Auditor { attributions, context, outcome, facts, fixes, not_compared: BTreeMap::new() };
    reader.fetch(&mut own.iter().chain(&unlisted).filter(|entry| sources.needs(entry)));
    context.progress.begin("reading", own.len() + unlisted.len());
    for batch in batches(&own, &reader) {
        auditor.take(batch, &targets)?;
    }
    // Third-party code by name may be of a corpus, too. Two such folders owe each other nothing.
    let of_others = AuditTargets { vendored: &vendored, ..targets };
    for batch in batches(&unlisted, &reader) {
        auditor.take(batch, &of_others)?;
    }
    if auditor.fixes.is_asked {
        // Vendored code is known to be a copy, and not judged as one. But it may lack fixes.
        for batch in batches(&sources_among(&vendored, &sources), &reader) {
            auditor.take_vendored(batch, &AuditTargets { vendored: &[], ..targets })?;
        }
    }
    let tree = TreeFiles { snapshot: &snapshot, sources: &sources, repository };
    let versions = fit(&auditor.fixes.copies, outsides, tree)?;
    let Auditor { mut outcome, facts, fixes, not_compared, .. } = auditor;
    outcome.examined.not_compared = not_compared.into_iter().collect();
    outcome.findings.extend(unexamined(&outcome.examined.skipped, &sources));
    outcome.examined.n_novel = facts.n_tokens;
    outcome.findings.sort_by(|a, b| (&a.path, a.fragment).cmp(&(&b.path, b.fragment)));
    let corpora = outsides.iter().map(|of| of.examined(context.config)).collect();
    let summary = facts.finish(Some(&outcome.findings));
    let fixes = fixes.fixes;
    let mut audited = AuditSummary { project, revision, time, corpora, fixes, ..summary };
    for taken in audited.components.iter_mut().filter(|taken| taken.texts.is_empty()) {
        for outside in outsides {
            taken.texts.extend(outside.texts(&taken.component)?);
        }
    }
    audited.name_versions(versions);
    audited.settle_attribution(&outcome.findings);
    audited.complete_purls(&mut outcome.findings);
    outcome.audited = Some(audited);
    Ok(outcome)
}

/// The files of a tree by whose code they are.
#[derive(Default)]
struct TreeParts {
    own: Vec<Entry>,
    /// Third-party code by its name or by `.gitattributes` only.
    unlisted: Vec<Entry>,
    /// Third-party code by the settings.
    vendored: Vec<Entry>,
    /// Source that is not read, and why.
    skipped: Vec<(FilePath, Skip)>,
}

impl TreeParts {
    fn new(snapshot: &Snapshot, sources: &Sources<'_>) -> Self {
        let mut parts = Self::default();
        for entry in &snapshot.entries {
            let path = &entry.path;
            if sources.config.vendored_at(path).is_some() {
                parts.vendored.push(entry.clone());
            } else if let Some(skip) = sources.skip_by_name(path) {
                parts.skipped.extend(sources.promise(path).map(|_| (path.clone(), skip)));
            } else if sources.unlisted_folder(path).is_some() {
                parts.unlisted.push(entry.clone());
            } else {
                parts.own.push(entry.clone());
            }
        }
        parts.skipped.extend(sources.repositories_in(snapshot, &Snapshot::default()));
        parts
    }
}

/// An audit under way, one batch of files at a time.
struct Auditor<'a> {
    attributions: Attributions<'a>,
    context: Context<'a>,
    outcome: Outcome,
    facts: FileFacts,
    fixes: FixContext,
    /// Files of corpora that could not be read.
    not_compared: BTreeMap<FilePath, Skip>,
}

impl Auditor<'_> {
    /// Judges a batch of the tree's files.
    fn take(&mut self, batch: &[Entry], targets: &AuditTargets<'_>) -> Result<(), Error> {
        let Self { attributions, context, outcome, facts, .. } = self;
        let config = context.config;
        let mut asked = Vec::new();
        for (entry, read) in batch.iter().zip(targets.read(batch)?) {
            match read {
                Ok(source) => {
                    let left_out = targets.sources.left_out_of(&source);
                    let left_out = left_out.map(|skip| (entry.path.clone(), skip));
                    outcome.examined.skipped.extend(left_out);
                    asked.push(targets.asked(source)?);
                }
                Err(Skip::NotSource | Skip::Data | Skip::Ignored) => {}
                Err(skip) => outcome.examined.skipped.push((entry.path.clone(), skip)),
            }
        }
        outcome.examined.n_judged += asked.len();
        let mut whole_copies = Vec::new();
        let (n_compared, skipped) = targets.each(&asked, |copied| {
            facts.add(&copied, config);
            whole_copies.push(copied.whole_copy(config));
            let source = &copied.file.changed.source;
            outcome.comments.extend(comments(source, None, None, &config.honor));
            let of_file = copied.findings(attributions, *context);
            if !of_file.is_empty() {
                outcome.texts.insert(source.path.clone(), source.text.clone().into());
            }
            let of_license = of_file.into_iter().filter(|of| of.rule.topic == Topic::License);
            outcome.findings.extend(of_license);
        })?;
        outcome.examined.n_compared = outcome.examined.n_compared.max(n_compared);
        self.not_compared.extend(skipped);
        self.fixes.take(whole_copies, targets, outcome)
    }

    /// Looks for fixes that a batch of vendored files lacks.
    fn take_vendored(&mut self, batch: &[Entry], targets: &AuditTargets<'_>) -> Result<(), Error> {
        let asked = targets.read(batch)?.into_iter().flatten().map(|source| targets.asked(source));
        let asked = asked.collect::<Result<Vec<_>, Error>>()?;
        let mut whole_copies = Vec::new();
        let config = self.context.config;
        targets.each(&asked, |copied| whole_copies.push(copied.whole_copy(config)))?;
        self.fixes.take(whole_copies, targets, &mut self.outcome)
    }
}

impl FileCopies<'_> {
    /// The file with those of components whose code it holds.
    fn whole_copy(&self, config: &Config) -> WholeCopy {
        let &Self { file, copies, found } = self;
        let source = Arc::clone(&file.changed.source);
        if !file.whole().is_empty() {
            let whole = file.whole().iter();
            let origins = whole.map(|(path, component)| ComponentFile::new(component, path));
            return WholeCopy { source, origins: origins.collect() };
        }
        let mut n_tokens: BTreeMap<ComponentFile, usize> = BTreeMap::new();
        for copied in copies {
            if let Some(file) = ComponentFile::of(&found[copied.found]) {
                *n_tokens.entry(file).or_default() += copied.pair.alignment.n_tokens();
            }
        }
        let min_tokens = file.changed.thresholds(config).min_tokens;
        let mut files = Vec::from_iter(n_tokens.into_iter().filter(|(_, n)| *n >= min_tokens));
        // Of equals, the first stays the first.
        files.sort_by_key(|(_, n)| Reverse(*n));
        WholeCopy { source, origins: files.into_iter().map(|(file, _)| file).collect() }
    }

    /// The findings of a file in which everything is new.
    fn findings(&self, attributions: &Attributions<'_>, context: Context<'_>) -> Vec<Finding> {
        let &Self { file, copies, found } = self;
        if file.whole().is_empty() && copies.is_empty() {
            return Vec::new();
        }
        let Context { config, languages, .. } = context;
        let with = JudgedWith {
            config,
            languages,
            attributions,
            nearby: None,
            novel_of: BTreeMap::new(),
            before: BTreeMap::new(),
            reverted: &BTreeMap::new(),
        };
        let judged = FileUnderAudit::new(&file.changed, &with);
        if !file.whole().is_empty() {
            return judged.whole_file(file.whole().to_vec()).into_iter().collect();
        }
        let joint = judged.findings(copies, found, &[]).into_iter();
        joint.map(|JointFinding(finding, _)| finding).collect()
    }
}

/// What finding missed fixes needs from the files of a tree, once all are read.
#[derive(Default)]
struct FixContext {
    /// Whether a rule about missed fixes is on, and there is a corpus to search.
    is_asked: bool,
    tells_fixes: bool,
    copies: Vec<WholeCopy>,
    fixes: Vec<HeldFix>,
}

impl FixContext {
    /// Takes a batch of files with the component files that they copy; reports missing fixes.
    fn take(
        &mut self,
        mut copies: Vec<WholeCopy>,
        targets: &AuditTargets<'_>,
        outcome: &mut Outcome,
    ) -> Result<(), Error> {
        if !self.is_asked {
            return Ok(());
        }
        let &AuditTargets { sources, outsides, .. } = targets;
        let &Sources { config, progress, .. } = sources;
        if config.levels_of_any_file().ask_for_missed() {
            let holders = Vec::from_iter(copies.iter().map(|WholeCopy { source, origins }| {
                Holder { source, novel: None, origins: origins.clone() }
            }));
            progress.begin("missed commits", holders.len());
            let findings = missed_fixes(&holders, outsides, sources, || progress.step())?;
            if self.tells_fixes {
                self.fixes.extend(held_fixes(&holders, outsides)?);
            }
            for finding in &findings {
                let copy = copies.iter().find(|copy| copy.source.path == finding.path);
                let text = copy.map(|copy| copy.source.text.clone().into());
                outcome.texts.extend(text.map(|text| (finding.path.clone(), text)));
            }
            outcome.findings.extend(findings);
        }
        copies.retain(|copy| !copy.origins.is_empty());
        self.copies.append(&mut copies);
        Ok(())
    }
}

/// Compares every file of the history, and finds which commit first added what; `head` is the
/// current tree.
///
/// # Errors
/// If the history or a corpus cannot be read.
pub fn brought(
    repository: &Repository,
    head: &AuditSummary,
    outsides: &[Outside],
    context: Context<'_>,
) -> Result<Vec<Introduction>, Error> {
    let sources = Sources::bare(context);
    let config = context.config;
    let reader = repository.reader();
    let appearances = reader.first_appearances(References::Own, None)?;
    let mut n_of_commit: BTreeMap<CommitId, usize> = BTreeMap::new();
    appearances.iter().for_each(|of| *n_of_commit.entry(of.commit).or_default() += 1);
    let asked = appearances
        .into_iter()
        .filter(|of| sources.is_read(&of.path) && config.vendored_at(&of.path).is_none());
    let (entries, firsts): (Vec<Entry>, Vec<(CommitId, i64)>) =
        asked.map(|of| (Entry::of_blob(&of.path, of.blob), (of.commit, of.time))).unzip();
    let mut gathered = FileFacts::default();
    let targets =
        AuditTargets { repository, sources: &sources, tree: &[], vendored: &[], outsides };
    context.progress.begin("history", entries.len());
    let mut firsts_of = firsts.iter();
    for batch in batches(&entries, &reader) {
        let mut asked = Vec::new();
        for (read, (commit, time)) in targets.read(batch)?.into_iter().zip(&mut firsts_of) {
            let Ok(source) = read else { continue };
            let first = Some(FirstAppearance { commit: commit.to_string(), time: *time });
            asked.push(ComparedFile { first, ..targets.asked(source)? });
        }
        targets.each(&asked, |copied| gathered.add(&copied, config))?;
    }
    let by_id = n_of_commit.into_iter().map(|(commit, n)| (commit.to_string(), (commit, n)));
    let commits = AddingCommits { by_id: by_id.collect(), reader };
    let mut brought = introductions(&gathered.finish(None), head, &commits, context)?;
    brought.sort_by_cached_key(|of| (of.first.time, of.path.clone(), of.component.clone()));
    Ok(brought)
}

/// The oldest introduction of each component in each file of a history.
fn introductions(
    audited: &AuditSummary,
    head: &AuditSummary,
    commits: &AddingCommits,
    context: Context<'_>,
) -> Result<Vec<Introduction>, Error> {
    let mut introductions: BTreeMap<(FilePath, String), Introduction> = BTreeMap::new();
    for file in &audited.files {
        let Some(first) = &file.first else { continue };
        let language = context.languages.possible(&file.path).next().map(|of| &*of.name);
        let min_tokens = context.config.thresholds(&file.path, language).min_tokens;
        let origins = file.origins.iter();
        for part in origins.filter(|part| file.is_whole || part.n_tokens >= min_tokens) {
            let ComponentCopy { component, verdict, .. } = &audited.components[part.component];
            let mut known = head.components.iter().map(|taken| &taken.component.name);
            if part.n_tokens < SHORT && !file.is_whole && !known.any(|of| *of == component.name) {
                continue;
            }
            let key = (file.path.clone(), component.name.clone());
            if introductions.get(&key).is_some_and(|known| known.first.time <= first.time) {
                continue;
            }
            let mut notes = Vec::new();
            if component.committed().is_some_and(|time| first.time < time) {
                notes.push("older here than there: they may have copied it from here".to_owned());
            }
            notes.extend(commits.doubts(&first.commit)?);
            let in_head =
                head.files.iter().filter(|of| of.path == file.path).flat_map(|of| &of.origins);
            let mut names = in_head.map(|of| &head.components[of.component].component.name);
            let introduction = Introduction {
                path: file.path.clone(),
                first: first.clone(),
                component: Arc::clone(component),
                origin: part.path.clone(),
                verdict: verdict.clone(),
                containment: part.n_tokens as f64 / file.n_tokens.max(1) as f64,
                is_in_head: names.any(|name| *name == component.name),
                notes,
            };
            introductions.insert(key, introduction);
        }
    }
    Ok(introductions.into_values().collect())
}

/// The commits that added the files of a history.
struct AddingCommits {
    /// By their ids in hexadecimal, with the number of files that each added first.
    by_id: HashMap<String, (CommitId, usize)>,
    reader: Reader,
}

impl AddingCommits {
    /// Why the date of a commit may not be when the code in it was written.
    fn doubts(&self, id: &str) -> Result<Vec<String>, Error> {
        let Some(&(commit, n_files)) = self.by_id.get(id) else { return Ok(Vec::new()) };
        let import = (n_files >= IMPORTED).then(|| {
            format!(
                "the commit adds {n_files} files at once: it is an import, and they may be older"
            )
        });
        let is_misdated = !self.reader.is_after_its_parents(commit)?;
        let doubt = "the commit is dated before its parent: its date cannot be trusted";
        Ok(import.into_iter().chain(is_misdated.then(|| doubt.to_owned())).collect())
    }
}

/// A commit adding at least this many files is treated as an import.
const IMPORTED: usize = 200;

/// The entries in batches, of an entry at least.
fn batches<'e>(entries: &'e [Entry], reader: &impl ReadFiles) -> impl Iterator<Item = &'e [Entry]> {
    let mut rest = entries;
    std::iter::from_fn(move || {
        let mut n_bytes = 0;
        let fitting = rest.iter().take_while(|entry| {
            n_bytes += reader.size(entry).unwrap_or(0) as usize;
            n_bytes <= BATCH
        });
        let n = fitting.count().max(1).min(rest.len());
        rest.split_off(..n).filter(|batch| !batch.is_empty())
    })
}

/// What batches of files are compared with.
#[derive(Clone, Copy)]
struct AuditTargets<'c> {
    repository: &'c Repository,
    sources: &'c Sources<'c>,
    tree: &'c [Entry],
    /// The files of third-party folders, which are compared with.
    vendored: &'c [Entry],
    outsides: &'c [Outside],
}

impl AuditTargets<'_> {
    fn read(&self, entries: &[Entry]) -> Result<Vec<Result<Arc<Source>, Skip>>, Error> {
        let open = || self.repository.reader();
        let read = entries.par_iter().map_init(open, |reader, entry| {
            self.sources.progress.step();
            Ok(self.sources.read(reader, entry)?)
        });
        read.collect()
    }

    /// A file to compare; first looked up by its bytes, in case it is a corpus file.
    fn asked(&self, source: Arc<Source>) -> Result<ComparedFile, Error> {
        let mut same = Vec::new();
        // A corpus folder that is read on the fly could have files that this lookup would miss.
        let stored = self.outsides.iter().map(Outside::stored).collect::<Option<Vec<_>>>();
        if let Some(stored) = stored {
            let id = blob_id(source.bytes());
            for stored in stored {
                same.extend(stored.files_of(&id)?);
            }
        }
        let sha1 = sha1_of(source.bytes());
        Ok(ComparedFile { changed: ChangedFile::new(source), sha1, same, first: None })
    }

    /// Compares a batch of files and passes on each with what was copied into it; returns the
    /// number of files compared with, and those of corpora that could not be.
    fn each(
        &self,
        asked: &[ComparedFile],
        mut each: impl FnMut(FileCopies<'_>),
    ) -> Result<(usize, BTreeMap<FilePath, Skip>), Error> {
        let &Self { repository, sources, tree, vendored, outsides } = self;
        let config = sources.config;
        let asking = asked.iter().filter(|file| file.is_asked(config));
        let asking: Vec<&ChangedFile> = asking.map(|file| &file.changed).collect();
        let queries = queries(&asking, config);
        let mut all = AllCopies::new(&asking, &[], &[], sources);
        let (mut n_compared, mut not_compared) = (0, BTreeMap::new());
        let enough = Some(&config.enough);
        if !queries.is_empty() && !vendored.is_empty() {
            let entries = sources_among(vendored, sources);
            let open = || repository.reader();
            let max_components = config.common_components;
            let targets = Targets { max_components, ..Targets::new(&entries, &open, sources) };
            let mut searched = search(&queries, &targets)?;
            let found = &mut searched.found;
            identify_vendored(found, tree, &open(), sources, &|of| of.license.is_some())?;
            found.retain(|of| of.place != Place::Tree);
            n_compared += searched.n_compared;
            all.take(searched, enough);
        }
        for outside in outsides.iter().filter(|_| !queries.is_empty()) {
            let mut searched = outside.search(&queries, sources)?;
            let skipped = std::mem::take(&mut searched.skipped).into_iter();
            not_compared.extend(skipped.map(|(entry, skip)| (entry.path, skip)));
            n_compared += searched.n_compared;
            all.take(searched, enough);
        }
        let AllCopies { found, copies, .. } = all;
        let mut copies = copies.into_iter();
        for file in asked {
            let copied = if file.is_asked(config) { copies.next() } else { None };
            each(FileCopies { file, copies: &copied.unwrap_or_default(), found: &found });
        }
        Ok((n_compared, not_compared))
    }
}

/// By version, a component, the number of its tokens, and of those that tell the version.
type Versions = BTreeMap<Option<String>, (Arc<Component>, usize, usize)>;

/// What has been collected about the files so far.
#[derive(Default)]
struct FileFacts {
    n_files: usize,
    n_tokens: usize,
    files: Vec<CopiedFile>,
    /// The verdict on each, and for each version of it the number of its tokens.
    components: Vec<(Verdict, Versions)>,
    /// By corpus, name and license.
    numbers: BTreeMap<(String, String, Option<String>), usize>,
}

impl FileFacts {
    /// Adds a file; each of its tokens is explained by the most similar copy, and of equals by the
    /// one that the policy is strictest on, as its finding is.
    fn add(&mut self, copied: &FileCopies<'_>, config: &Config) {
        let file = copied.file;
        let source = &file.changed.source;
        let n_tokens = source.tokens.len();
        self.n_files += 1;
        self.n_tokens += n_tokens;
        let strictest = file.whole().iter().min_by_key(|(path, of)| {
            (strictest_first(of, config), is_nested(path), first(of), *path != source.path)
        });
        let mut explained = match strictest {
            Some((path, component)) => vec![Explanation {
                component: self.number(&Arc::new(component.clone()), (n_tokens, n_tokens), config),
                path: path.clone(),
                version: component.version.clone(),
                n_tokens,
            }],
            None => self.explained_by(copied, config),
        };
        // A few tokens between longer copies are like those of any other file.
        explained.retain(|of| of.n_tokens >= MIN_PART || 100 * of.n_tokens >= n_tokens);
        if explained.is_empty() {
            return;
        }
        explained.sort_by_key(|of| (Reverse(of.n_tokens), of.component, of.path.clone()));
        let n_copied = explained.iter().map(|of| of.n_tokens).sum();
        let (path, sha1, first) = (source.path.clone(), file.sha1.clone(), file.first.clone());
        let (is_whole, origins) = (!file.whole().is_empty(), explained);
        self.files.push(CopiedFile { path, sha1, n_tokens, n_copied, is_whole, origins, first });
    }

    /// What explains the tokens of a file, each by the most similar copy.
    fn explained_by(
        &mut self,
        &FileCopies { file, copies, found }: &FileCopies<'_>,
        config: &Config,
    ) -> Vec<Explanation> {
        let source = &file.changed.source;
        let mut ranked: Vec<&TreeCopy> = copies.iter().collect();
        ranked.sort_by_cached_key(|copied| {
            let FileHits { place, target, .. } = &found[copied.found];
            let weight = if is_nested(&target.path) { AS_MUCH } else { 1.0 };
            let likeness =
                copied.pair.alignment.n_tokens() as f64 * copied.pair.similarity * weight;
            let (answer, first) = match place {
                Place::Component(of) => (Some(strictest_first(of, config)), first(of)),
                _ => (None, i64::MAX),
            };
            let is_other = target.path.name() != source.path.name();
            (Reverse(likeness as u64), answer, is_other, first, target.path.clone(), copied.found)
        });
        let mut is_explained = vec![false; source.tokens.len()];
        let mut explained: Vec<Explanation> = Vec::new();
        for copied in ranked {
            let FileHits { place: Place::Component(origin), target, .. } = &found[copied.found]
            else {
                continue;
            };
            let pairs = copied.pair.alignment.pairs();
            let n_tokens =
                pairs.filter(|&(at, _)| !std::mem::replace(&mut is_explained[at], true)).count();
            if n_tokens == 0 {
                continue;
            }
            // A part of a file does not tell of which release of a history the rest is.
            let n_versioned = if origin.committed().is_some() { 0 } else { n_tokens };
            let component = self.number(origin, (n_tokens, n_versioned), config);
            let path = &target.path;
            // Several versions may have these tokens; one with the same bytes tells more.
            let same = file.same.iter().find(|(at, of)| {
                at == path && (&of.corpus, &of.name) == (&origin.corpus, &origin.name)
            });
            let version = same.map_or(&origin.version, |(_, of)| &of.version);
            let known = explained
                .iter_mut()
                .find(|of| (of.component, &of.path, &of.version) == (component, path, version));
            match known {
                Some(of) => of.n_tokens += n_tokens,
                None => {
                    let (path, version) = (path.clone(), version.clone());
                    explained.push(Explanation { component, path, version, n_tokens });
                }
            }
        }
        explained
    }

    /// The number of a component under its license, of which a file has some tokens, and some that
    /// tell its version.
    fn number(
        &mut self,
        component: &Arc<Component>,
        (n_tokens, n_versioned): (usize, usize),
        config: &Config,
    ) -> usize {
        let key = (component.corpus.clone(), component.name.clone(), component.license());
        let number = *self.numbers.entry(key).or_insert(self.components.len());
        if number == self.components.len() {
            self.components.push((config.licenses.judge(&component.terms), BTreeMap::new()));
        }
        let version = self.components[number].1.entry(component.version.clone());
        let (_, n, n_of_version) = version.or_insert_with(|| (Arc::clone(component), 0, 0));
        (*n, *n_of_version) = (*n + n_tokens, *n_of_version + n_versioned);
        number
    }

    /// Builds the summary, the components with the largest share first.
    fn finish(self, findings: Option<&[Finding]>) -> AuditSummary {
        let Self { n_files, n_tokens, mut files, components, .. } = self;
        let components = components.into_iter();
        let components = components.map(|(verdict, versions)| (most_of(versions), verdict));
        let components = Vec::from_iter(components);
        let possible = findings.map(|findings| without_idioms(&mut files, &components, findings));
        let possible = possible.unwrap_or_default();
        let mut taken: Vec<(usize, ComponentCopy)> = Vec::new();
        for (number, (component, verdict)) in components.into_iter().enumerate() {
            let of_files = files.iter().map(|file| {
                let of_it = file.origins.iter().filter(|of| of.component == number);
                of_it.map(|of| of.n_tokens).sum::<usize>()
            });
            let counts: Vec<usize> = of_files.filter(|&n| n > 0).collect();
            if !counts.is_empty() {
                let (n_files, n_tokens) = (counts.len(), counts.iter().sum());
                let texts = component.terms.texts.clone();
                let copy = ComponentCopy { component, verdict, n_files, n_tokens, texts };
                taken.push((number, copy));
            }
        }
        taken.sort_by(|(_, a), (_, b)| a.by_size(b));
        let places: BTreeMap<usize, usize> =
            taken.iter().enumerate().map(|(place, (number, _))| (*number, place)).collect();
        for of in files.iter_mut().flat_map(|file| &mut file.origins) {
            of.component = places[&of.component];
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let n_copied = files.iter().map(|file| file.n_copied).sum();
        let components = taken.into_iter().map(|(_, taken)| taken).collect();
        let summary = AuditSummary::default();
        AuditSummary { n_files, n_tokens, n_copied, files, components, possible, ..summary }
    }
}

/// Whether a file of a component is third-party code there: its own project may have it as well.
fn is_nested(path: &FilePath) -> bool {
    Foreign::above(path).is_some()
}

/// What the policy answers on a component, the strictest first.
fn strictest_first(component: &Component, config: &Config) -> Reverse<Answer> {
    Reverse(config.licenses.judge(&component.terms).answer)
}

/// Minimum tokens of a part of a file that has an origin, unless it is a hundredth of the file.
const MIN_PART: usize = 30;

/// A component by the version that more than half of its tokens are from; else without one.
fn most_of(versions: Versions) -> Arc<Component> {
    let n_tokens: usize = versions.values().map(|(_, n, _)| n).sum();
    let most = versions.into_values().max_by_key(|(_, n, _)| *n);
    let (component, _, n_versioned) = most.unwrap_or_default();
    if 2 * n_versioned > n_tokens { component } else { Arc::new(component.unversioned()) }
}

/// Takes out, and returns, parts of files that only idioms show: they prove no component.
fn without_idioms(
    files: &mut Vec<CopiedFile>,
    components: &[(Arc<Component>, Verdict)],
    findings: &[Finding],
) -> Vec<Possible> {
    let mut shown: BTreeSet<(&FilePath, &str, &str, &FilePath)> = BTreeSet::new();
    for finding in findings.iter().filter(|finding| !finding.is_idiom) {
        for origin in &finding.origins {
            if let Place::Component(component) = &origin.place {
                shown.insert((&finding.path, &component.corpus, &component.name, &origin.path));
            }
        }
    }
    let mut possible = Vec::new();
    for file in files.iter_mut() {
        let parts = std::mem::take(&mut file.origins).into_iter();
        let (kept, idioms): (Vec<_>, Vec<_>) = parts.partition(|of| {
            let Component { corpus, name, .. } = &*components[of.component].0;
            file.is_whole
                || of.n_tokens >= SHORT
                || shown.contains(&(&file.path, corpus, name, &of.path))
        });
        file.n_copied = kept.iter().map(|of| of.n_tokens).sum();
        possible.extend(idioms.into_iter().map(|of| {
            let whole = &components[of.component].0;
            let component = Component { version: of.version, ..(**whole).clone() };
            Possible {
                path: file.path.clone(),
                component: Arc::new(component),
                origin: of.path,
                n_tokens: of.n_tokens,
            }
        }));
        file.origins = kept;
    }
    files.retain(|file| !file.origins.is_empty());
    possible.sort_by(|a, b| {
        (&a.path, &a.component, &a.origin).cmp(&(&b.path, &b.component, &b.origin))
    });
    possible
}

/// When a component's history first has something; after all others if unknown.
fn first(component: &Component) -> i64 {
    component.first_seen.as_ref().map_or(i64::MAX, |seen| seen.time)
}
