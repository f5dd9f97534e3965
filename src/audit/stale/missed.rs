//! Finds the commits of a component that a copy has missed.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::lineage::{ComponentFile, Lineage, Project, lineages};
use crate::audit::Error;
use crate::audit::read::{Source, Sources, n_marked};
use crate::audit::search::{LineCounts, Outside};
use crate::config::Config;
use crate::git::Repository;
use crate::language::Token;
use crate::matching::{
    CONTEXT, Document, HUNK_CONTEXT, Hunk, HunkIndex, MissedHunk, edited_hunks, fixes, line_key,
    missed,
};
use crate::policy::{Behind, Component, Finding, LineEdit, MissedCommit, MissedPlace};
use crate::store::corpus::StoredTokens;
use crate::text::{Lines, indented_line};

/// A file of the tree, and the files of components whose code it holds.
pub(in crate::audit) struct Holder<'h> {
    pub source: &'h Source,
    /// For each token, whether the change adds it; `None` if everything is judged.
    pub novel: Option<&'h [bool]>,
    pub origins: Vec<ComponentFile>,
}

/// The findings about what a file has missed: for each component security fixes, and others.
pub(super) fn stale(
    holder: &Holder<'_>,
    outsides: &[Outside],
    sources: &Sources<'_>,
) -> Result<Vec<Finding>, Error> {
    let held = HunkIndex::new(&holder.source.tokens);
    let mut of_components: BTreeMap<Component, Vec<MissedCommit>> = BTreeMap::new();
    let mut known = Vec::new();
    for file in &holder.origins {
        for lineage in lineages(outsides, file)? {
            // Code may be found under several names of a file.
            let project = &lineage.project;
            let segment = std::ptr::from_ref(project.segment).addr();
            let key = (project.stored.name().to_owned(), segment, lineage.number);
            if known.contains(&key) {
                continue;
            }
            known.push(key);
            let missed = missed_of(&lineage, holder, &held, sources)?;
            if !missed.is_empty() {
                of_components.entry(lineage.project.component()?).or_default().extend(missed);
            }
        }
    }
    let mut findings = Vec::new();
    for (component, commits) in of_components {
        let component = Arc::new(component);
        let (security, others): (Vec<_>, Vec<_>) =
            commits.into_iter().partition(|missed| missed.commit.is_security);
        for commits in [security, others] {
            let behind = Behind { is_listed: false, component: Arc::clone(&component), commits };
            findings.extend(finding(behind, holder, sources.config));
        }
    }
    Ok(findings)
}

/// The finding about missed commits, if there are any and the rule is on.
pub(super) fn finding(mut behind: Behind, holder: &Holder<'_>, config: &Config) -> Option<Finding> {
    // In a lineage they are in order already, also those of the same second.
    behind.commits.sort_by_key(|missed| missed.commit.time);
    let at = behind.first_place()?.fragment;
    let Source { path, language, is_prose, .. } = holder.source;
    let levels = config.thresholds(path, Some(language)).levels;
    let judgment = levels.judge_behind(&behind, config.ground(path, *is_prose))?;
    let language = language.clone();
    Some(Finding { language, ..Finding::of_behind(behind, judgment, path.clone(), at) })
}

fn missed_of(
    lineage: &Lineage<'_>,
    holder: &Holder<'_>,
    held: &HunkIndex<'_>,
    sources: &Sources<'_>,
) -> Result<Vec<MissedCommit>, Error> {
    let latest = lineage.changes.last().and_then(|change| change.after);
    let latest = latest.map(|blob| lineage.project.version(blob)).transpose()?;
    let mut clone: Option<Option<Repository>> = None;
    let mut found = Vec::new();
    // A merge, or a commit that was taken over, changes again what another one did.
    let mut known = HashSet::new();
    // The version after one change is nearly always the one before the next.
    let mut last: Option<(u32, StoredTokens)> = None;
    for change in &lineage.changes[base_of(lineage, holder.source)?..] {
        let (Some(before), Some(after)) = (change.before, change.after) else { continue };
        let old = match last.take() {
            Some((blob, version)) if blob == before => version,
            _ => lineage.project.version(before)?,
        };
        let new = lineage.project.version(after)?;
        let latest = latest.as_ref().map(|latest| &latest.tokens[..]);
        let (mut missed, n_hunks) = missed_hunks([&old, &new], latest, held, holder);
        missed.retain(|missed| {
            let Hunk { removed, added, .. } = &missed.hunk;
            let parts = [&old.tokens[removed.clone()], &new.tokens[added.clone()]];
            let parts = parts.map(|part| line_key(part.iter().map(|token| token.exact)));
            known.insert((missed.at.clone(), parts))
        });
        if !missed.is_empty() {
            let project = &lineage.project;
            let origin = project.stored.checked(project.segment.past_name(change.path))?;
            let clone = clone.get_or_insert_with(|| project.clone_at_hand());
            let read = |blob, stored| project.read(blob, &origin, stored, clone.as_ref()?, sources);
            let texts = [(before, &old), (after, &new)].map(|(blob, stored)| read(blob, stored));
            let versions = match &texts {
                [Some(old), Some(new)] => Versions::of_texts(old, new),
                _ => Versions::of_tokens(&old, &new),
            };
            let mut places = versions.places(&missed, holder.source);
            // Hunks that read the same may each be missed in several places.
            places.sort_by_key(|place| place.fragment);
            places.dedup_by_key(|place| place.fragment);
            let commit = project.past_commit(change.commit)?;
            found.push(MissedCommit { commit, origin, places, n_hunks });
        }
        last = Some((after, new));
    }
    found.retain(|missed| !missed.places.is_empty());
    Ok(found)
}

pub(super) fn document(version: &StoredTokens) -> Document<'_> {
    Document::new(&version.text, &version.tokens)
}

/// The hunks that a file has missed, and their number in all; `latest` is the last version.
pub(super) fn missed_hunks(
    [old, new]: [&StoredTokens; 2],
    latest: Option<&[Token]>,
    held: &HunkIndex<'_>,
    holder: &Holder<'_>,
) -> (Vec<MissedHunk>, usize) {
    let fixes = fixes(document(old), document(new));
    let mut missed = missed(&old.tokens, &fixes, &new.tokens, latest, held);
    missed.retain(|missed| is_asked(missed, holder));
    (missed, fixes.len())
}

/// Whether the change adds the code that missed a hunk: at least half of the tokens around it.
fn is_asked(missed: &MissedHunk, holder: &Holder<'_>) -> bool {
    let Some(novel) = holder.novel else { return true };
    let MissedHunk { at, .. } = missed;
    let around = at.start.saturating_sub(CONTEXT)..(at.end + CONTEXT).min(novel.len());
    2 * n_marked(&novel[around.clone()]) >= around.len()
}

/// The number of the first change that may have come after the copy was made: the one after the
/// version that shares most lines with it.
///
/// Of a file that was copied as a whole, the version counts that differs least; of a part, the
/// first that has it all.
fn base_of(lineage: &Lineage<'_>, source: &Source) -> Result<usize, Error> {
    let copy = LineCounts::new(source);
    let Project { stored, segment, .. } = lineage.project;
    // What differs from a version that is identical has less in common with the copy.
    let own = lineage.project.blob_of(source)?;
    let mut versions = lineage.changes.iter().flat_map(|change| [change.before, change.after]);
    let own = own.filter(|own| versions.any(|version| version == Some(*own)));
    let n_tokens = stored.checked(own.map(|own| segment.n_tokens(own)).transpose())?;
    let mut rated = Vec::new();
    for (at, change) in lineage.changes.iter().enumerate() {
        // What was there before the first change that is known is a version, too.
        for (at, blob) in [(at, change.before), (at + 1, change.after)] {
            let Some(blob) = blob else { continue };
            if n_tokens.is_none() || n_tokens == Some(stored.checked(segment.n_tokens(blob))?) {
                rated.push((at, lineage.project.shared_lines(&copy, blob)?));
            }
        }
    }
    let most = rated.iter().map(|(_, shared)| shared.n).max().unwrap_or(0);
    let mut fullest = rated.iter().filter(|(_, shared)| shared.n == most);
    let best = match fullest.clone().any(|(_, shared)| 2 * shared.n >= shared.n_version) {
        true => rated.iter().min_by_key(|(at, shared)| (copy.distance(shared), *at)),
        false => fullest.next(),
    };
    Ok(best.map_or(0, |(at, _)| *at))
}

/// Two versions of a file.
pub(super) struct Versions<'v> {
    old: Document<'v>,
    new: Document<'v>,
    old_lines: Lines,
    new_lines: Lines,
    /// Whether these are the texts, and not only their tokens and lines.
    has_text: bool,
}

impl<'v> Versions<'v> {
    pub fn of_tokens(old: &'v StoredTokens, new: &'v StoredTokens) -> Self {
        Self::new(document(old), document(new), false)
    }

    fn of_texts(old: &'v Source, new: &'v Source) -> Self {
        Self::new(old.document(), new.document(), true)
    }

    fn new(old: Document<'v>, new: Document<'v>, has_text: bool) -> Self {
        let [old_lines, new_lines] = [old, new].map(|of| Lines::new(of.text));
        Self { old, new, old_lines, new_lines, has_text }
    }

    /// The places of a copy that missed hunks.
    pub fn places(&self, missed: &[MissedHunk], copy: &Source) -> Vec<MissedPlace> {
        let mut edits = Vec::from_iter(missed.iter().map(|missed| self.edit(missed, copy)));
        if self.has_text {
            self.retain_whole(missed, &mut edits);
        }
        let places = missed.iter().zip(edits).filter_map(|(missed, edit)| {
            let fragment = copy.fragment(&missed.at)?;
            let origin_lines = line_range(self.old, &self.old_lines, &missed.hunk.before);
            Some(MissedPlace { fragment, origin_lines, edit })
        });
        places.collect()
    }

    /// How to change the lines of the copy: whole lines only, and only if it has renamed nothing.
    fn edit(&self, missed: &MissedHunk, copy: &Source) -> Option<LineEdit> {
        let own = copy.document();
        let is_whole = own.starts_line(missed.lines.start) && own.starts_line(missed.lines.end);
        if !self.has_text || !is_whole || !missed.is_spelled || copy.encoded.is_some() {
            return None;
        }
        let [before, after, lines] = self.with_indented(missed, own)?;
        // At the end of a file, there is no line whose indentation could be compared.
        let [from, to] = [(self.old, before.start), (own, lines.start)]
            .map(|(of, at)| if at < of.tokens.len() { of.indentation(at) } else { b"" });
        let spans_lines = |token: &Token| token.text(self.new.text).contains(&b'\n');
        if from != to && self.new.tokens[after.clone()].iter().any(spans_lines) {
            return None;
        }
        let Self { old_lines, new_lines, .. } = self;
        let [hung, own_hung] = [(self.old, old_lines, &before), (own, copy.lines(), &lines)]
            .map(|(of, lines, at)| hanging(of, lines, at));
        let texts = hung.map(|line| old_lines.text(self.old.text, line).trim_ascii());
        let own_texts = own_hung.clone().map(|line| copy.lines().text(own.text, line).trim_ascii());
        if !lines.is_empty() && !texts.eq(own_texts) {
            return None;
        }
        let mut text = Vec::new();
        let added = line_range(self.new, new_lines, &after).start;
        for line in added..hanging(self.new, new_lines, &after).end {
            text.extend(indented_line(new_lines.text(self.new.text, line), from, to));
            text.push(b'\n');
        }
        let mut own_lines = line_range(own, copy.lines(), &lines).start..own_hung.end;
        // What is added directly behind a line comes before the comments that are behind it.
        let before_own = lines.start.checked_sub(1).filter(|_| lines.is_empty());
        if let Some((own, new)) = before_own.zip(after.start.checked_sub(1))
            && new_lines.line_of(self.new.tokens[new].end - 1) + 1
                == new_lines.line_of(self.new.tokens[after.start].start)
        {
            let behind = copy.lines().line_of(copy.tokens[own].end - 1) + 1;
            own_lines = behind..behind;
        }
        Some(LineEdit { lines: own_lines, text })
    }

    /// Leaves out the edits of hunks beside one that is not among them: parts of one hunk of git's.
    fn retain_whole(&self, missed: &[MissedHunk], edits: &mut [Option<LineEdit>]) {
        let line = |at: usize| {
            let token = self.old.tokens.get(at).or(self.old.tokens.last());
            token.map_or(0, |token| self.old_lines.line_of(token.start))
        };
        let hunks = edited_hunks(self.old, self.new);
        let is_near =
            |a: &Hunk, b: &Hunk| line(b.before.start) - line(a.before.end) <= 2 * HUNK_CONTEXT;
        for beside in hunks.chunk_by(is_near) {
            let is_edited = |hunk: &Hunk| {
                missed.iter().zip(&*edits).any(|(of, edit)| of.hunk == *hunk && edit.is_some())
            };
            if beside.iter().all(is_edited) {
                continue;
            }
            for (of, edit) in missed.iter().zip(&mut *edits) {
                edit.take_if(|_| beside.contains(&of.hunk));
            }
        }
    }

    /// The lines of a hunk before, after and in the copy, with those around it that the change only
    /// indented otherwise; `None` if the copy has others there.
    fn with_indented(&self, missed: &MissedHunk, own: Document<'_>) -> Option<[Range<usize>; 3]> {
        let documents = [self.old, self.new, own];
        let mut parts = [&missed.hunk.before, &missed.hunk.after, &missed.lines].map(Range::clone);
        for is_behind in [true, false] {
            let mut is_first = true;
            loop {
                let lines: [_; 3] = std::array::from_fn(|of| match is_behind {
                    true => parts[of].end..line_end(documents[of], parts[of].end),
                    false => line_start(documents[of], parts[of].start)..parts[of].start,
                });
                let tokens = |of: usize| &documents[of].tokens[lines[of].clone()];
                let is_same = |of: usize| {
                    let (old, other) = (tokens(0), tokens(of));
                    old.len() == other.len() && old.iter().zip(other).all(|(a, b)| a.is_same(b))
                };
                let [old, new, _] = &lines;
                let is_equal = self.old.indentation(old.start) == self.new.indentation(new.start);
                // Beyond what is only indented otherwise, something else was changed.
                if is_first && is_equal || is_same(1) && (old.is_empty() || is_equal) {
                    break;
                }
                if !is_same(1) || !is_same(2) {
                    return None;
                }
                is_first = false;
                for (part, line) in parts.iter_mut().zip(lines) {
                    *part = part.start.min(line.start)..part.end.max(line.end);
                }
            }
        }
        Some(parts)
    }
}

/// The end of the line that begins with the token at `at`.
fn line_end(document: Document<'_>, at: usize) -> usize {
    let n = document.tokens.len();
    (at + 1..n).find(|&at| document.starts_line(at)).unwrap_or(n)
}

/// The first token of the line before the token at `at`.
fn line_start(document: Document<'_>, at: usize) -> usize {
    (0..at).rev().find(|&at| document.starts_line(at)).unwrap_or(0)
}

/// The lines behind whole-line tokens that have none and are indented more than the last of them,
/// as imports below `else:` are: they go with it.
fn hanging(document: Document<'_>, lines: &Lines, at: &Range<usize>) -> Range<u32> {
    let end = line_range(document, lines, at).end;
    let next = document.tokens.get(at.end).map(|token| lines.line_of(token.start));
    let depth = document.indentation(line_start(document, at.end)).len();
    let behind = (end..next.unwrap_or(lines.n_lines() + 1)).filter(|_| !at.is_empty());
    let texts = behind.map(|line| (line, lines.text(document.text, line)));
    let filled = texts.filter(|(_, text)| !text.trim_ascii().is_empty());
    let hung = filled.take_while(|(_, text)| text.len() - text.trim_ascii_start().len() > depth);
    end..hung.last().map_or(end, |(line, _)| line + 1)
}

/// The lines of whole-line tokens; without any, an empty range before the line of the next one.
pub(super) fn line_range(document: Document<'_>, lines: &Lines, at: &Range<usize>) -> Range<u32> {
    let first = document.tokens.get(at.start).map(|token| lines.line_of(token.start));
    let last = at.end.checked_sub(1).and_then(|last| document.tokens.get(last));
    let end = last.map(|token| lines.line_of(token.end.saturating_sub(1)) + 1);
    if at.is_empty() {
        let line = first.or(end).unwrap_or(1);
        return line..line;
    }
    first.zip(end).map_or(1..1, |(first, end)| first..end)
}
