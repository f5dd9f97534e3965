//! Finds copies of a past state of their origin: the branch brings back what was changed since.
//!
//! The last versions of the file of the origin are read, from the base back, as `git log -- FILE`
//! finds them. No history index is needed. A copy is old if it is, token for token, what a past
//! version had at that place, or if it agrees with that up to a few tokens and with the present
//! code less.
//!
//! What was changed since is often where the copy of the present code ends, so whole units are
//! compared if they are alike.

use std::collections::HashSet;
use std::ops::Range;

use super::Error;
use super::change::ChangedFile;
use super::read::{Source, Sources};
use crate::files::BlobId;
use crate::git::{CommitId, Reader};
use crate::language::Token;
use crate::matching::{CloneType, agreeing_pairs, aligned, novelty};
use crate::policy::{
    About, Change, Finding, Fragment, Ground, LaterCommits, Origin, Place, content, identity,
};
use crate::text::{FilePath, Lines};

/// Maximum commits to walk back for one origin. Walking over a commit that does not touch the file
/// reads a few trees.
const MAX_COMMITS: usize = 1_000;
/// Maximum past versions of an origin to compare with a copy.
const MAX_VERSIONS: usize = 16;
/// Maximum findings of a change whose origins are walked back.
const MAX_FINDINGS: usize = 10;
/// Minimum tokens by which a past version must be nearer to the copy than the present one.
const MIN_NEARER: usize = 4;
/// Maximum tokens, per hundred of the copy, in which it may differ from the past version.
const MAX_APART: usize = 10;
/// Minimum tokens, per hundred of the longer unit, that a copy and its origin share for both to be
/// copied as wholes.
const MIN_ALIKE: usize = 60;
/// Maximum origins of a copy to compare it with.
const MAX_ORIGINS: usize = 4;

/// The head of a change.
pub(in crate::audit) struct Head<'h> {
    pub changed: &'h [ChangedFile],
    /// A file that the change may have been copied from.
    pub origin: &'h dyn Fn(&FilePath) -> Option<&'h Source>,
}

/// Turns findings about copies in the tree into findings about copies of a past state, where they
/// are such.
///
/// # Errors
/// If a commit or a version cannot be read. A history that is cut off ends the search instead.
pub(in crate::audit) fn mark_old_copies(
    findings: &mut [Finding],
    base: CommitId,
    head: &Head<'_>,
    reader: &Reader,
    sources: &Sources<'_>,
) -> Result<(), Error> {
    let &Head { changed, origin } = head;
    let is_changed = |path: &FilePath| changed.iter().any(|file| file.source.path == *path);
    let mut n_left = MAX_FINDINGS;
    for finding in findings.iter_mut().filter(|finding| finding.about == About::Copy) {
        let Some(copy) = changed.iter().find(|file| file.source.path == finding.path) else {
            continue;
        };
        let of_tree = finding.origins.iter().filter(|of| of.place == Place::Tree);
        let Some(nearest) = of_tree.clone().next().filter(|of| !is_changed(&of.path)) else {
            continue;
        };
        let own = within(&copy.source, &finding.fragment);
        let asked = |of: &Origin, source: &Source| {
            widest((&copy.source, own.clone()), (source, within(source, &of.fragment)))
                .filter(|sides| !sides.0.is_empty())
        };
        // A copy that is spelled as the present state of any origin is not a copy of a past one.
        let is_present = |of: &Origin| {
            let of_present = |source: &Source| {
                let (own, there) = asked(of, source)?;
                Some(are_spelled_alike((&copy.source, &own), (source, &there)))
            };
            origin(&of.path).and_then(of_present).unwrap_or(true)
        };
        if n_left == 0 || of_tree.clone().take(MAX_ORIGINS).any(is_present) {
            continue;
        }
        let Some(present) = origin(&nearest.path) else { continue };
        let Some((own, of)) = asked(nearest, present) else { continue };
        n_left -= 1;
        let agrees = |of: &Origin| {
            matches!(of.clone_type, CloneType::Type1 | CloneType::Type2 { is_consistent: true })
        };
        let max_apart = if of_tree.clone().any(agrees) { 0 } else { MAX_APART };
        let past = Past { reader, sources, path: &nearest.path };
        let Some(outdated) =
            past.state_of((&copy.source, own.clone()), (present, of), base, max_apart)?
        else {
            continue;
        };
        let about = About::OldCopy(outdated);
        let levels = sources.config.thresholds(&finding.path, Some(&copy.source.language)).levels;
        let Some(judgment) = levels.judge_other(&about, Ground::Code) else { continue };
        // A license problem is more severe than an old state.
        if finding.level > judgment.level {
            continue;
        }
        finding.level = if finding.milder.is_some() { finding.level } else { judgment.level };
        finding.rule = judgment.rule;
        finding.about = about;
        finding.identity =
            identity(judgment.rule, &finding.path, content(&copy.source.tokens[own]));
    }
    Ok(())
}

/// The tokens on the lines of a fragment.
fn within(source: &Source, fragment: &Fragment) -> Range<usize> {
    let lines = Lines::new(&source.text);
    let from = lines.range(fragment.start.line).start as u32;
    let to = lines.range(fragment.end.line.min(lines.n_lines())).end as u32;
    source.tokens.partition_point(|token| token.start < from)
        ..source.tokens.partition_point(|token| token.start < to)
}

/// What some tokens are written like, with what is between them.
fn written<'s>(source: &'s Source, range: &Range<usize>) -> &'s [u8] {
    let of = &source.tokens[range.clone()];
    match (of.first(), of.last()) {
        (Some(first), Some(last)) => &source.text[first.start as usize..last.end as usize],
        _ => &[],
    }
}

/// Whether two ranges of tokens are the same, token for token.
fn are_spelled_alike(
    (a, of_a): (&Source, &Range<usize>),
    (b, of_b): (&Source, &Range<usize>),
) -> bool {
    let exact = |token: &Token| token.exact;
    a.tokens[of_a.clone()].iter().map(exact).eq(b.tokens[of_b.clone()].iter().map(exact))
}

/// A copy and its origin, with the units around them if these are alike: only what goes on alike
/// behind a fragment is part of the copy. `None` if either is empty.
fn widest(
    (copy, own): (&Source, Range<usize>),
    (origin, of): (&Source, Range<usize>),
) -> Option<(Range<usize>, Range<usize>)> {
    if own.is_empty() || of.is_empty() {
        return None;
    }
    let around = |source: &Source, range: &Range<usize>| {
        let unit = source.document().enclosing_unit(range.clone()).map(|unit| unit.tokens);
        unit.filter(|unit| unit.start <= range.start && range.end <= unit.end)
            .unwrap_or(range.clone())
    };
    let units = (around(copy, &own), around(origin, &of));
    let (a, b) = (&copy.tokens[units.0.clone()], &origin.tokens[units.1.clone()]);
    let n_more = units.0.len().min(units.1.len());
    let are_longer =
        units.0 != own && units.1 != of && 2 * n_more >= units.0.len().max(units.1.len());
    let are_alike =
        are_longer && 100 * aligned(a, b).n_tokens() >= MIN_ALIKE * a.len().max(b.len());
    Some(if are_alike { units } else { (own, of) })
}

/// The past of one file.
struct Past<'p> {
    reader: &'p Reader,
    sources: &'p Sources<'p>,
    path: &'p FilePath,
}

impl Past<'_> {
    /// The past state of the origin that the copy is, or that it agrees with, up to `max_apart`
    /// tokens per hundred, more than with the present one.
    fn state_of(
        &self,
        (copy, own): (&Source, Range<usize>),
        (present, of): (&Source, Range<usize>),
        base: CommitId,
        max_apart: usize,
    ) -> Result<Option<LaterCommits>, Error> {
        // The tokens that only one side has, first if names count as they are spelled.
        let n_apart = |version: &Source, range: &Range<usize>| {
            let (a, b) = (&copy.tokens[own.clone()], &version.tokens[range.clone()]);
            let alignment = aligned(a, b);
            let n_spelled =
                alignment.pairs().filter(|&(at, there)| a[at].exact == b[there].exact).count();
            [n_spelled, agreeing_pairs(&alignment, a, b).len()]
                .map(|n_pairs| a.len() + b.len() - 2 * n_pairs)
        };
        let [n_spelled, n_present] = n_apart(present, &of);
        // A renamed copy is spelled as no version.
        if max_apart == 0 && 2 * n_spelled > own.len() {
            return Ok(None);
        }
        let is_old = |[n_spelled, n]: [usize; 2]| {
            let is_near = n + MIN_NEARER <= n_present && 100 * n <= max_apart * own.len().max(1);
            n_spelled == 0 || max_apart > 0 && is_near
        };
        let (mut last, mut range): (Option<Source>, Range<usize>) = (None, of);
        let mut since: Vec<CommitId> = Vec::new();
        let mut best: Option<([usize; 2], CommitId, usize)> = None;
        let versions = versions(self.reader, base, self.path)?;
        self.reader.fetch_blobs(&mut versions.iter().map(|(.., before)| *before));
        for (commit, parent, before) in versions {
            let Some(text) = self.reader.past_blob(before, self.path)? else { break };
            // Most commits change something else in the file.
            let version = last.as_ref().unwrap_or(present);
            if memchr::memmem::find(&text, written(version, &range)).is_some() {
                continue;
            }
            let Ok(older) = self.sources.tokenize(self.path, text) else { break };
            let Some(older_range) = mapped(&older, version, &range) else { break };
            if !are_spelled_alike((&older, &older_range), (version, &range)) {
                since.push(commit);
                let n = n_apart(&older, &older_range);
                let is_nearer = |(least, ..): ([usize; 2], CommitId, usize)| {
                    (n[0] > 0, n[1]) < (least[0] > 0, least[1])
                };
                if best.is_none_or(is_nearer) {
                    best = Some((n, parent, since.len()));
                }
                // No older version can be nearer.
                if n[0] == 0 {
                    break;
                }
            }
            (last, range) = (Some(older), older_range);
        }
        let Some((_, state, n_since)) = best.filter(|(n, ..)| is_old(*n)) else { return Ok(None) };
        let change = |commit: &CommitId| -> Result<Change, Error> {
            let info = self.reader.info(*commit)?;
            Ok(Change { commit: commit.to_string(), subject: info.subject, time: info.time })
        };
        let since = since[..n_since].iter().map(change).collect::<Result<Vec<_>, Error>>()?;
        Ok(Some(LaterCommits { state: state.to_string(), since }))
    }
}

/// The commits that changed the file, the newest first, each with its parent and what the file was
/// there.
///
/// As in `git log --follow`, a merge is followed into a parent that has the same file, and a
/// renamed file to the name that it had before.
pub(super) fn versions(
    reader: &Reader,
    base: CommitId,
    path: &FilePath,
) -> Result<Vec<(CommitId, CommitId, BlobId)>, Error> {
    let mut found = Vec::new();
    let mut seen: HashSet<CommitId> = HashSet::new();
    let (mut at, mut path) = (base, path.clone());
    let Some(mut blob) = reader.blob_at(at, &path)? else { return Ok(found) };
    while seen.len() < MAX_COMMITS && found.len() < MAX_VERSIONS && seen.insert(at) {
        // The clone may be shallow: what was not fetched cannot be compared.
        let Ok(parents) = reader.parents(at) else { break };
        let mut next = None;
        for parent in parents {
            let Ok(before) = reader.blob_at(parent, &path) else { return Ok(found) };
            if before == Some(blob) {
                next = Some((parent, before));
                break;
            }
            next = next.or(Some((parent, before)));
        }
        let Some((parent, before)) = next else { break };
        let before = match before {
            Some(before) => before,
            None => match renamed_from(reader, at, blob, &path) {
                Some((old_path, before)) => {
                    path = old_path;
                    before
                }
                None => break,
            },
        };
        if before != blob {
            found.push((at, parent, before));
            blob = before;
        }
        at = parent;
    }
    Ok(found)
}

/// What a file that is new in `commit` was before: a removed file with its content, or else with
/// its name.
fn renamed_from(
    reader: &Reader,
    commit: CommitId,
    blob: BlobId,
    path: &FilePath,
) -> Option<(FilePath, BlobId)> {
    let events = reader.events(commit).ok()?;
    let removed = || events.iter().filter(|event| event.after.is_none());
    let same = removed().find(|event| event.before == Some(blob));
    let named = || removed().find(|event| event.path.name() == path.name());
    let event = same.or_else(named)?;
    Some((event.path.clone(), event.before?))
}

/// What `range` of `newer` was in `older`; `None` if nothing of it was there.
fn mapped(older: &Source, newer: &Source, range: &Range<usize>) -> Option<Range<usize>> {
    let kept = novelty(older.document(), newer.document()).kept;
    let blocks =
        || kept.blocks.iter().map(|of| (of.query as usize, of.target as usize, of.len as usize));
    // The kept token next to an end, from outside if possible: what was changed at an end belongs
    // to the range.
    let start = blocks().rev().find(|&(at, ..)| at < range.start).map_or(0, |(at, to, len)| {
        if at + len >= range.start { to + range.start - at } else { to + len }
    });
    let end = blocks().find(|&(at, _, len)| at + len > range.end).map_or(
        older.tokens.len(),
        |(at, to, _)| if at <= range.end { to + range.end - at } else { to },
    );
    let has_kept = kept.within(range.clone()).n_tokens() > 0;
    (has_kept && start < end).then_some(start..end)
}
