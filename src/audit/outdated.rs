//! Finds copies of a past state of their origin: the branch brings back what was changed since.
//!
//! The last versions of the file of the origin are read, from the base back, as `git log -- FILE`
//! finds them; no history index is needed. A copy is old if it lacks what a commit changed, as a
//! copy of another project may lack its fixes.

use std::collections::HashSet;
use std::ops::Range;

use super::Error;
use super::change::ChangedFile;
use super::read::{Source, Sources};
use crate::files::BlobId;
use crate::git::{CommitId, Reader};
use crate::language::Token;
use crate::matching::{HunkIndex, fixes, missed};
use crate::policy::{
    About, Change, Finding, Fragment, Ground, LaterCommits, Place, content, identity,
};
use crate::text::{FilePath, Lines};

/// Maximum commits to walk back for one origin. Walking over a commit that does not touch the file
/// reads a few trees.
const MAX_COMMITS: usize = 1_000;
/// Maximum past versions of an origin to compare with a copy.
const MAX_VERSIONS: usize = 16;
/// Maximum findings of a change whose origins are walked back.
const MAX_FINDINGS: usize = 10;
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
        let nearest = finding.origins.iter().find(|of| of.place == Place::Tree);
        let Some(nearest) = nearest.filter(|of| !is_changed(&of.path)) else { continue };
        let Some(present) = origin(&nearest.path).filter(|_| n_left > 0) else { continue };
        let own = around(&copy.source, &finding.fragment);
        let there = around(present, &nearest.fragment);
        if are_spelled_alike((&copy.source, &own), (present, &there)) {
            continue;
        }
        n_left -= 1;
        let past = Past { reader, sources, path: &nearest.path };
        let Some(outdated) = past.missed((&copy.source, &own), present, base)? else { continue };
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

/// The tokens on the lines of a fragment; those of the unit around it if they are less than twice
/// as many, since what was changed since is often where the copy of the present code ends.
fn around(source: &Source, fragment: &Fragment) -> Range<usize> {
    let lines = Lines::new(&source.text);
    let from = lines.range(fragment.start.line).start as u32;
    let to = lines.range(fragment.end.line.min(lines.n_lines())).end as u32;
    let range = source.tokens.partition_point(|token| token.start < from)
        ..source.tokens.partition_point(|token| token.start < to);
    let unit = source.document().enclosing_unit(range.clone()).map(|unit| unit.tokens);
    unit.filter(|unit| unit.len() < 2 * range.len()).unwrap_or(range)
}

/// Whether two ranges of tokens are the same, token for token.
fn are_spelled_alike(
    (a, of_a): (&Source, &Range<usize>),
    (b, of_b): (&Source, &Range<usize>),
) -> bool {
    let exact = |token: &Token| token.exact;
    a.tokens[of_a.clone()].iter().map(exact).eq(b.tokens[of_b.clone()].iter().map(exact))
}

/// Whether a file has some tokens of another one, token for token.
fn has(source: &Source, (other, range): (&Source, &Range<usize>)) -> bool {
    let n = source.tokens.len() + 1;
    (0..n.saturating_sub(range.len()))
        .any(|at| are_spelled_alike((source, &(at..at + range.len())), (other, range)))
}

/// The past of one file.
struct Past<'p> {
    reader: &'p Reader,
    sources: &'p Sources<'p>,
    path: &'p FilePath,
}

impl Past<'_> {
    /// The commits that changed the origin and that a part of a copy lacks.
    fn missed(
        &self,
        (copy, own): (&Source, &Range<usize>),
        present: &Source,
        base: CommitId,
    ) -> Result<Option<LaterCommits>, Error> {
        let held = HunkIndex::new(&copy.tokens);
        let mut newer: Option<Source> = None;
        let mut behind = None;
        let mut since: Vec<Change> = Vec::new();
        let versions = versions(self.reader, base, self.path)?;
        self.reader.fetch_blobs(&mut versions.iter().map(|(.., before)| *before));
        for (commit, parent, before) in versions {
            let Some(text) = self.reader.past_blob(before, self.path)? else { break };
            let Ok(older) = self.sources.tokenize(self.path, text) else { break };
            let after = newer.as_ref().unwrap_or(present);
            let fixes = fixes(older.document(), after.document());
            let missed = missed(&older.tokens, &fixes, &after.tokens, Some(&present.tokens), &held);
            let was_it = || has(&older, (copy, own)) && !has(after, (copy, own));
            if missed.iter().any(|missed| own.contains(&missed.at.start)) || was_it() {
                let info = self.reader.info(commit)?;
                let (commit, subject) = (commit.to_string(), info.subject);
                since.push(Change { commit, subject, time: info.time });
                behind = Some(parent);
            }
            newer = Some(older);
        }
        Ok(behind.map(|state| LaterCommits { state: state.to_string(), since }))
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
