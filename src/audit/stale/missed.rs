//! Finds the commits of a component that a copy has missed.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::lineage::{ComponentFile, Lineage, Project, lineages};
use crate::audit::Error;
use crate::audit::read::{Source, n_marked};
use crate::audit::search::{LineCounts, Outside};
use crate::config::Config;
use crate::git::{Reader, Repository};
use crate::language::Token;
use crate::matching::{CONTEXT, Document, Hunk, HunkIndex, MissedHunk, fixes, line_key, missed};
use crate::policy::{Behind, Component, Finding, LineEdit, MissedCommit, MissedPlace};
use crate::store::corpus::StoredTokens;
use crate::text::{FilePath, Lines};

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
    config: &Config,
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
            let missed = missed_of(&lineage, holder, &held)?;
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
            findings.extend(finding(behind, holder, config));
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
            let reader = clone.as_ref().map(Repository::reader);
            let text = reader.and_then(|reader| text_of(&reader, lineage, after, &origin));
            let (old, new, text) = (document(&old), document(&new), text.as_deref());
            let versions = Versions { old, new, text };
            let places = missed.iter().filter_map(|of| versions.place(of, holder.source));
            let mut places: Vec<MissedPlace> = places.collect();
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

/// The text of a version, from the clone that the corpus was made from.
fn text_of(reader: &Reader, lineage: &Lineage<'_>, blob: u32, path: &FilePath) -> Option<Vec<u8>> {
    let id = lineage.project.segment.id_of(blob).ok()??;
    reader.past_blob(id, path).ok()?
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

/// Two versions of a file, and the text of the newer one if it is available.
pub(super) struct Versions<'v> {
    pub old: Document<'v>,
    pub new: Document<'v>,
    pub text: Option<&'v [u8]>,
}

impl Versions<'_> {
    /// The place of a copy that missed a hunk.
    pub fn place(&self, missed: &MissedHunk, copy: &Source) -> Option<MissedPlace> {
        let fragment = copy.fragment(&missed.at)?;
        let origin_lines = line_range(self.old, &Lines::new(self.old.text), &missed.hunk.before);
        Some(MissedPlace { fragment, origin_lines, edit: self.edit(missed, copy) })
    }

    /// How to change the lines of the copy: whole lines only, and only if it has renamed nothing.
    fn edit(&self, missed: &MissedHunk, copy: &Source) -> Option<LineEdit> {
        let (text, after) = (self.text?, &missed.hunk.after);
        let document = copy.document();
        let is_whole =
            document.starts_line(missed.lines.start) && document.starts_line(missed.lines.end);
        if !is_whole || !missed.is_spelled || copy.encoded.is_some() {
            return None;
        }
        let of_new = line_range(self.new, &Lines::new(self.new.text), after);
        let new_lines = Lines::new(text);
        let mut new_text = Vec::new();
        for line in of_new.filter(|_| !after.is_empty()) {
            let line = new_lines.text(text, line);
            new_text.extend(line.strip_suffix(b"\r").unwrap_or(line));
            new_text.push(b'\n');
        }
        let lines = line_range(document, copy.lines(), &missed.lines);
        Some(LineEdit { lines, text: new_text })
    }
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
