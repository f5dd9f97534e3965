//! Finds copies of a past state of their origin: the branch brings back what was changed since.
//!
//! A copy is old if it lacks what a commit changed in the last versions of that file.

use std::ops::Range;

use super::Error;
use super::change::ChangedFile;
use super::read::{Source, Sources};
use super::versions::{FileEdit, Versions};
use crate::git::Reader;
use crate::language::Token;
use crate::matching::{HunkIndex, fixes, missed};
use crate::policy::{About, Change, Finding, Fragment, Ground, LaterCommits, content, identity};
use crate::text::FilePath;

/// Maximum findings of a change whose origins are walked back.
const MAX_FINDINGS: usize = 10;

/// A finding about a copy in the tree that is spelled in another way than its origin.
pub(super) struct Candidate<'c> {
    /// Its place among the findings.
    finding: usize,
    copy: &'c Source,
    /// The tokens of the copy.
    own: Range<usize>,
    pub origin: &'c Source,
}

/// The findings that may be about an old copy: their origin in `origin` is unchanged, and differs.
pub(super) fn candidates<'c>(
    findings: &[Finding],
    changed: &'c [ChangedFile],
    origin: &dyn Fn(&FilePath) -> Option<&'c Source>,
) -> Vec<Candidate<'c>> {
    let candidates = findings.iter().enumerate().filter_map(|(finding, of)| {
        let file = ChangedFile::at(changed, &of.path).filter(|_| of.about == About::Copy)?;
        let copy = &file.source;
        let nearest = of.origins_in_tree().next()?;
        let is_old = ChangedFile::at(changed, &nearest.path).is_none();
        let origin = origin(&nearest.path).filter(|_| is_old)?;
        let own = around(copy, &of.fragment);
        let there = around(origin, &nearest.fragment);
        let is_same = are_spelled_alike(&copy.tokens[own.clone()], &origin.tokens[there]);
        (!is_same).then_some(Candidate { finding, copy, own, origin })
    });
    candidates.take(MAX_FINDINGS).collect()
}

/// Turns candidates that are copies of a past state into such findings, as far as history goes.
pub(super) fn mark_old_copies(
    findings: &mut [Finding],
    candidates: Vec<Candidate<'_>>,
    versions: &mut Versions<'_>,
    reader: &Reader,
    sources: &Sources<'_>,
) -> Result<(), Error> {
    for candidate in candidates {
        let finding = &mut findings[candidate.finding];
        let edits = versions.of(&candidate.origin.path)?;
        let Some(outdated) = later_commits(&candidate, edits, reader, sources)? else { continue };
        let about = About::OldCopy(outdated);
        let language = &candidate.copy.language;
        let levels = sources.config.thresholds(&finding.path, Some(language)).levels;
        let Some(judgment) = levels.judge_other(&about, Ground::Code) else { continue };
        // A license problem is more severe than an old state.
        if finding.level > judgment.level {
            continue;
        }
        finding.level = if finding.milder.is_some() { finding.level } else { judgment.level };
        finding.rule = judgment.rule;
        finding.about = about;
        let content = content(&candidate.copy.tokens[candidate.own]);
        finding.identity = identity(judgment.rule, &finding.path, content);
    }
    Ok(())
}

/// The tokens on the lines of a fragment; those of the unit around it if they are less than twice
/// as many, since what was changed since is often where the copy of the present code ends.
fn around(source: &Source, fragment: &Fragment) -> Range<usize> {
    let range = source.tokens_on(fragment);
    let unit = source.document().enclosing_unit(range.clone()).map(|unit| unit.tokens);
    unit.filter(|unit| unit.len() < 2 * range.len()).unwrap_or(range)
}

fn are_spelled_alike(a: &[Token], b: &[Token]) -> bool {
    a.iter().map(|token| token.exact).eq(b.iter().map(|token| token.exact))
}

/// Whether a file has these tokens of another one.
fn has(source: &Source, tokens: &[Token]) -> bool {
    let mut windows = source.tokens.windows(tokens.len().max(1));
    windows.any(|window| are_spelled_alike(window, tokens))
}

/// The commits that changed the origin and that a copy lacks.
fn later_commits(
    candidate: &Candidate<'_>,
    edits: &[FileEdit],
    reader: &Reader,
    sources: &Sources<'_>,
) -> Result<Option<LaterCommits>, Error> {
    let &Candidate { copy, ref own, origin, .. } = candidate;
    let path = &origin.path;
    let (held, tokens) = (HunkIndex::new(&copy.tokens), &copy.tokens[own.clone()]);
    let mut newer: Option<Source> = None;
    let mut behind = None;
    let mut since: Vec<Change> = Vec::new();
    reader.fetch_blobs(&mut edits.iter().map(|edit| edit.before));
    for edit in edits {
        let Some(text) = reader.past_blob(edit.before, path)? else { break };
        let Ok(older) = sources.tokenize(path, text) else { break };
        let after = newer.as_ref().unwrap_or(origin);
        let fixes = fixes(older.document(), after.document());
        let missed = missed(&older.tokens, &fixes, &after.tokens, Some(&origin.tokens), &held);
        if missed.iter().any(|missed| own.contains(&missed.at.start))
            || has(&older, tokens) && !has(after, tokens)
        {
            let info = reader.info(edit.commit)?;
            let (commit, subject) = (edit.commit.to_string(), info.subject);
            since.push(Change { commit, subject, time: info.time });
            behind = Some(edit.parent);
        }
        newer = Some(older);
    }
    Ok(behind.map(|state| LaterCommits { state: state.to_string(), since }))
}
