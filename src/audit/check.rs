//! Runs `check`: finds the copies that a change brings in.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::added::{added_lines, longest_run};
use super::changes::{changes, renames};
use super::judge::{Changed, Side, copies};
use super::origins::{Found, Queries, search};
use super::source::{Skip, Source, Sources};
use super::{End, Error, Examined, Outcome, Progress};
use crate::config::Config;
use crate::git::{Entry, Repository, Snapshot};
use crate::language::{Languages, Token};
use crate::matching::{Candidate, CloneClass, ClonePair, Novelty, classes, novelty};
use crate::policy::{COPIED_CODE, Finding, Fragment, Origin, identity, order_origins};
use crate::text::{FilePath, Lines, Position};

/// The range that is checked: two states of the repository.
#[derive(Debug)]
pub struct Range {
    /// What the change starts from; `None` before the first commit.
    pub base: Option<(End, Snapshot)>,
    /// What it ends with.
    pub head: (End, Snapshot),
}

/// Finds the copies that a change brings in, as `docs/semantics.md` defines them.
///
/// # Errors
/// When a file of base or head cannot be read: nothing is called clean that was not examined.
pub fn check(
    repository: &Repository,
    range: Range,
    config: &Config,
    languages: &Languages,
    progress: &dyn Progress,
) -> Result<Outcome, Error> {
    let sources = Sources { config, languages };
    let Range { base, head: (head, head_files) } = range;
    let (base, base_files) = base.unzip();
    let mut examined = Examined::default();

    let (mut changed, predecessors) =
        changed_files(repository, &base_files.unwrap_or_default(), &head_files, &sources, progress, &mut examined)?;
    credit_moves(&mut changed, &predecessors, config);
    examined.n_judged = changed.len();
    examined.n_novel = changed.iter().map(Changed::n_novel).sum();

    let asking: Vec<&Changed> = changed.iter().filter(|file| file.n_novel() >= config.min_tokens).collect();
    let queries = Queries::new(asking.iter().map(|file| (&file.source, &*file.novel)).collect(), config);
    let level = config.level(&COPIED_CODE);
    let mut outcome = Outcome { base, head, findings: Vec::new(), examined, texts: BTreeMap::new() };
    if queries.is_empty() || level.is_none() {
        return Ok(outcome);
    }

    let entries: Vec<Entry> =
        head_files.entries.into_iter().filter(|entry| sources.skip_by_name(&entry.path).is_none()).collect();
    let (found, skipped, n_compared) = search(&queries, &entries, repository, &sources, progress)?;
    outcome.examined.n_compared = n_compared;
    outcome.examined.not_compared =
        skipped.into_iter().filter(|(_, skip)| skip.is_notable()).map(|(entry, skip)| (entry.path, skip)).collect();

    let before: BTreeMap<&FilePath, &Predecessor> =
        predecessors.iter().filter_map(|file| Some((file.of.as_ref()?, file))).collect();
    let copies = copies_of(&asking, &found, &changed, config);
    for (query, copies) in asking.iter().zip(&copies) {
        let base_text = before.get(&query.source.path).map_or(&[][..], |before| &before.source.text);
        outcome.findings.extend(findings(query, copies, &found, base_text, config));
    }
    outcome.findings.sort_by(|a, b| (&a.path, a.fragment).cmp(&(&b.path, b.fragment)));
    let named: BTreeSet<&FilePath> = outcome
        .findings
        .iter()
        .flat_map(|finding| finding.origins.iter().map(|origin| &origin.path).chain([&finding.path]))
        .collect();
    let all = found.iter().map(|found| &found.target).chain(changed.iter().map(|file| &file.source));
    for source in all.filter(|source| named.contains(&source.path)) {
        outcome.texts.entry(source.path.clone()).or_insert_with(|| source.text.clone());
    }
    Ok(outcome)
}

/// A file of base that the change touches.
struct Predecessor {
    source: Source,
    /// The file of the head that it became.
    of: Option<FilePath>,
    /// For each token, whether the change took it away.
    removed: Vec<bool>,
}

/// Reads the files that differ, pairs each with what it was, and diffs the pairs.
fn changed_files(
    repository: &Repository,
    base: &Snapshot,
    head: &Snapshot,
    sources: &Sources<'_>,
    progress: &dyn Progress,
    examined: &mut Examined,
) -> Result<(Vec<Changed>, Vec<Predecessor>), Error> {
    let changes = changes(base, head);
    examined.n_changed = changes.changed.len();
    progress.begin("reading", changes.changed.len() + changes.deleted.len());
    let read = |entry: &Entry, reader: &crate::git::Reader| match sources.skip_by_name(&entry.path) {
        Some(skip) => Ok(Err(skip)),
        None => sources.read(reader, entry),
    };
    let pairs = changes
        .changed
        .par_iter()
        .map_init(
            || repository.reader(),
            |reader, (entry, before)| {
                progress.step();
                let head = read(entry, reader)?;
                let base = before.as_ref().map(|before| read(before, reader)).transpose()?;
                Ok((head, base.and_then(Result::ok)))
            },
        )
        .collect::<Result<Vec<(Result<Source, Skip>, Option<Source>)>, Error>>()?;
    let deleted = changes
        .deleted
        .par_iter()
        .map_init(
            || repository.reader(),
            |reader, entry| {
                progress.step();
                Ok(read(entry, reader)?.ok())
            },
        )
        .collect::<Result<Vec<Option<Source>>, Error>>()?;

    let mut heads = Vec::new();
    for ((entry, _), (head, base)) in changes.changed.iter().zip(pairs) {
        match head {
            Ok(head) => heads.push((head, base)),
            Err(skip) => examined.skipped.push((entry.path.clone(), skip)),
        }
    }
    let deleted = pair_renames(&mut heads, deleted.into_iter().flatten().collect(), sources.config);

    let diffs: Vec<_> = heads.into_par_iter().map(|(head, base)| diff(head, base)).collect();
    let mut changed = Vec::new();
    let mut predecessors = Vec::new();
    for (file, before) in diffs {
        changed.push(file);
        predecessors.extend(before);
    }
    predecessors.extend(deleted.into_iter().map(|source| Predecessor {
        removed: vec![true; source.tokens.len()],
        of: None,
        source,
    }));
    Ok((changed, predecessors))
}

/// Gives each added file the deleted file it was renamed from; returns the deleted files that are left.
fn pair_renames(heads: &mut [(Source, Option<Source>)], deleted: Vec<Source>, config: &Config) -> Vec<Source> {
    let added: Vec<usize> = (0..heads.len()).filter(|&at| heads[at].1.is_none()).collect();
    let added_sources: Vec<&Source> = added.iter().map(|&at| &heads[at].0).collect();
    let before = renames(&added_sources, &deleted.iter().collect::<Vec<_>>(), &config.fingerprint);
    let mut deleted: Vec<Option<Source>> = deleted.into_iter().map(Some).collect();
    for (at, before) in added.into_iter().zip(before) {
        heads[at].1 = before.and_then(|before| deleted[before].take());
    }
    deleted.into_iter().flatten().collect()
}

fn diff(head: Source, base: Option<Source>) -> (Changed, Option<Predecessor>) {
    match base.filter(|base| base.family == head.family) {
        Some(base) => {
            let Novelty { novel, removed } = novelty(base.document(), head.document());
            let predecessor = Predecessor { of: Some(head.path.clone()), source: base, removed };
            (Changed { source: head, novel }, Some(predecessor))
        }
        None => (Changed { novel: vec![true; head.tokens.len()], source: head }, None),
    }
}

/// Takes the novelty from code that was only moved: cut from one place of base and pasted into the head.
///
/// Each removed token excuses one novel token, the best matches first: cut
/// once and pasted twice is a move and a copy.
fn credit_moves(changed: &mut [Changed], predecessors: &[Predecessor], config: &Config) {
    let k = config.fingerprint.noise_threshold();
    let asked: Vec<_> =
        changed.iter().filter(|file| file.n_novel() >= k).map(|file| (&file.source, &*file.novel)).collect();
    let numbers: Vec<usize> = (0..changed.len()).filter(|&at| changed[at].n_novel() >= k).collect();
    let queries = Queries::new(asked, config);
    let has_removed = |file: &&Predecessor| file.removed.iter().filter(|&&is_removed| is_removed).count() >= k;
    if queries.is_empty() || !predecessors.iter().any(|file| has_removed(&file)) {
        return;
    }
    let mut moves: Vec<_> = predecessors
        .par_iter()
        .enumerate()
        .filter(|(_, file)| has_removed(file))
        .flat_map_iter(|(from, file)| {
            let hits = queries.hits_in(&file.source, config, &mut Vec::new());
            let aligned = queries.align(&file.source, &hits, None, config);
            aligned.into_iter().map(move |(query, alignment)| (from, query, alignment))
        })
        .map(|(from, query, alignment)| {
            let to = numbers[query];
            let (novel, removed) = (&changed[to].novel, &predecessors[from].removed);
            let n_moved = alignment.pairs().filter(|&(a, b)| novel[a] && removed[b]).count();
            (n_moved, from, to, alignment)
        })
        .collect();
    moves.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| (a.1, a.2, &a.3.blocks).cmp(&(b.1, b.2, &b.3.blocks))));

    let mut left: Vec<Vec<bool>> = predecessors.iter().map(|file| file.removed.clone()).collect();
    for (_, from, to, alignment) in moves {
        let (source, target) = (&changed[to].source, &predecessors[from].source);
        let pair = ClonePair::new(alignment, &source.tokens, &target.tokens);
        if !pair.is_clone(&config.matching) {
            continue;
        }
        let novel = &mut changed[to].novel;
        let mut credited: Vec<usize> = Vec::new();
        for (a, b) in pair.alignment.pairs() {
            if novel[a] && left[from][b] {
                novel[a] = false;
                left[from][b] = false;
                credited.push(a);
            }
        }
        // What lies between two moved tokens was edited on the way: at most a few.
        for gap in credited.windows(2).filter(|gap| gap[1] - gap[0] <= MAX_EDIT_IN_MOVE) {
            novel[gap[0]..gap[1]].fill(false);
        }
    }
}

/// Tokens between moved ones that count as moved with them.
const MAX_EDIT_IN_MOVE: usize = 8;

/// A copy of a query's novel code, and the file of the tree it stands in.
struct Copied {
    /// The number of the target among those found.
    found: usize,
    pair: ClonePair,
}

/// For each of `asking`, what the change copied into it.
fn copies_of(asking: &[&Changed], found: &[Found], changed: &[Changed], config: &Config) -> Vec<Vec<Copied>> {
    let novel: BTreeMap<&FilePath, &[bool]> = changed.iter().map(|file| (&file.source.path, &*file.novel)).collect();
    let mut copied: Vec<Vec<Copied>> = asking.iter().map(|_| Vec::new()).collect();
    for (number, found) in found.iter().enumerate() {
        let target = Side { source: &found.target, novel: novel.get(&found.target.path).copied() };
        for (query, alignment) in &found.alignments {
            let side = Side { source: &asking[*query].source, novel: Some(&asking[*query].novel) };
            let pairs = copies(side, target, alignment, config);
            copied[*query].extend(pairs.into_iter().map(|pair| Copied { found: number, pair }));
        }
    }
    copied
}

/// Turns the copies in one file into findings: a class is one finding.
fn findings(query: &Changed, copies: &[Copied], found: &[Found], base_text: &[u8], config: &Config) -> Vec<Finding> {
    let candidates: Vec<Candidate> = copies
        .iter()
        .map(|copied| Candidate { query: copied.pair.alignment.query(), n_exact: copied.pair.n_exact })
        .collect();
    if candidates.is_empty() {
        return Vec::new();
    }
    let lines = Lines::new(&query.source.text);
    let added = added_lines(base_text, &query.source.text);
    let mut findings: Vec<Finding> = Vec::new();
    for class in classes(&candidates) {
        let Some(finding) = finding(query, &class, copies, found, &lines, &added, config) else { continue };
        // Code hosts show one alert a rule and line.
        match findings.iter_mut().find(|other| other.added.start.line == finding.added.start.line) {
            Some(other) => {
                other.origins.extend(finding.origins);
                order_origins(&mut other.origins, &other.path);
            }
            None => findings.push(finding),
        }
    }
    findings
}

fn finding(
    query: &Changed,
    class: &CloneClass,
    copies: &[Copied],
    found: &[Found],
    lines: &Lines,
    added: &[bool],
    config: &Config,
) -> Option<Finding> {
    let source = &query.source;
    let n_novel = query.novel[class.query.clone()].iter().filter(|&&is_novel| is_novel).count();
    if n_novel < config.min_tokens {
        return None;
    }
    let mut origins: Vec<Origin> = Vec::new();
    for &member in &class.members {
        let Copied { found: number, pair } = &copies[member];
        let target = &found[*number].target;
        let pair = ClonePair::new(pair.alignment.within(class.query.clone()), &source.tokens, &target.tokens);
        if pair.alignment.blocks.is_empty() {
            continue;
        }
        let fragment = fragment(&target.text, &Lines::new(&target.text), &target.tokens[pair.alignment.target()])?;
        let is_known = |other: &Origin| other.path == target.path && overlaps(&other.fragment, &fragment);
        if !origins.iter().any(is_known) {
            origins.push(Origin {
                path: target.path.clone(),
                fragment,
                clone_type: pair.clone_type,
                similarity: pair.similarity,
            });
        }
    }
    order_origins(&mut origins, &source.path);
    let tokens = &source.tokens[class.query.clone()];
    let fragment = fragment(&source.text, lines, tokens)?;
    let level = config.level(&COPIED_CODE)?;
    let is_test = config.tests.contains(&source.path);
    (!origins.is_empty()).then(|| Finding {
        rule: &COPIED_CODE,
        level: if is_test { level.min(config.test_level) } else { level },
        path: source.path.clone(),
        fragment,
        added: added_part(&fragment, added, lines, &source.text),
        n_tokens: tokens.len(),
        n_novel,
        origins,
        identity: identity(&COPIED_CODE, &source.path, tokens.iter().map(|token| token.exact)),
    })
}

/// Where `tokens` lie in `text`.
fn fragment(text: &[u8], lines: &Lines, tokens: &[Token]) -> Option<Fragment> {
    let (first, last) = (tokens.first()?, tokens.last()?);
    Some(Fragment { start: lines.position(text, first.start), end: lines.position(text, last.end) })
}

fn overlaps(a: &Fragment, b: &Fragment) -> bool {
    a.start < b.end && b.start < a.end
}

/// The longest run of added lines in a fragment; the whole fragment when none was added.
fn added_part(fragment: &Fragment, added: &[bool], lines: &Lines, text: &[u8]) -> Fragment {
    let Some((first, last)) = longest_run(added, fragment.start.line..=fragment.end.line) else { return *fragment };
    let start = if first == fragment.start.line { fragment.start } else { Position { line: first, column: 1 } };
    let end = if last == fragment.end.line {
        fragment.end
    } else {
        let range = lines.range(last);
        lines.position(text, (range.start + lines.text(text, last).len()) as u32)
    };
    Fragment { start, end }
}
