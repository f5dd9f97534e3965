//! Turns siblings that lack an edit into findings: one for each edited unit, with all its siblings.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::hunks::content_of;
use super::search::Sibling;
use super::windows::Windows;
use crate::audit::change::ChangedFile;
use crate::audit::judge::added_part;
use crate::audit::read::Source;
use crate::matching::{Hunk, added_lines};
use crate::policy::{About, Finding, Fragment, Ground, MissedEdit, Origin};
use crate::text::{FilePath, LinedText, Position, shortened};

/// Maximum siblings of a finding to list; the others are counted.
const MAX_LISTED: usize = 16;

/// The findings about edits that missed siblings, by path and position; and the texts of these.
pub(in crate::audit) fn findings(
    windows: &Windows<'_>,
    siblings: Vec<Sibling>,
    is_asked: &dyn Fn(&FilePath) -> bool,
) -> (Vec<Finding>, BTreeMap<FilePath, LinedText>) {
    let mut of_units: BTreeMap<(&FilePath, bool, usize), Vec<Sibling>> = BTreeMap::new();
    for sibling in siblings {
        let Some(head) = windows.heads[sibling.number] else { continue };
        let path = &head.source.path;
        if is_asked(path) {
            let key = (path, !sibling.is_declared, sibling.unit);
            of_units.entry(key).or_default().push(sibling);
        }
    }
    let mut findings = Vec::new();
    let mut texts = BTreeMap::new();
    // A sibling of two edited units is named once.
    let mut named: BTreeSet<(FilePath, Fragment)> = BTreeSet::new();
    for ((path, ..), mut siblings) in of_units {
        siblings.retain(|sibling| !named.contains(&(sibling.path.clone(), sibling.fragment)));
        siblings.sort_by_cached_key(|sibling| {
            let distance = if sibling.path == *path { 0 } else { 1 + sibling.path.distance(path) };
            let n_alike = (sibling.similarity * 1_000.0) as u32;
            let lacks = (sibling.hunks.len(), n_alike);
            (Reverse(lacks), distance, sibling.path.clone(), sibling.fragment)
        });
        // Of two that overlap, the one that lacks more counts.
        let mut taken: BTreeMap<(FilePath, u32), u32> = BTreeMap::new();
        siblings.retain(|sibling| {
            let Fragment { start, end } = sibling.fragment;
            let before = taken.range(..=(sibling.path.clone(), end.line)).next_back();
            let overlaps = before
                .is_some_and(|((path, _), last)| *path == sibling.path && *last >= start.line);
            if !overlaps {
                taken.insert((sibling.path.clone(), start.line), end.line);
            }
            !overlaps
        });
        named.extend(siblings.iter().map(|sibling| (sibling.path.clone(), sibling.fragment)));
        let Some(finding) = finding(windows, &siblings) else { continue };
        for sibling in siblings.into_iter().take(MAX_LISTED) {
            texts.entry(sibling.path).or_insert_with(|| sibling.text.into());
        }
        if let Some(head) = ChangedFile::at(windows.changed, path) {
            texts.entry(path.clone()).or_insert_with(|| head.source.text.clone().into());
        }
        findings.push(finding);
    }
    findings.sort_by(Finding::by_place);
    (findings, texts)
}

/// The finding about a unit whose edits its `siblings` lack, the surest first.
fn finding(windows: &Windows<'_>, siblings: &[Sibling]) -> Option<Finding> {
    let surest = siblings.first()?;
    let (head, base) = (windows.heads[surest.number]?, &windows.base[surest.number].source);
    let source = &head.source;
    let (first, last) = (surest.hunks.first()?, surest.hunks.last()?);
    let range = first.added.start.saturating_sub(1)..(last.added.end + 1).min(source.tokens.len());
    let whole = source.fragment(&range)?;
    let added = added_lines(&base.text, &source.text);
    let added = added_part(&whole, &added, source).unwrap_or_else(|| {
        // Where lines were only removed, the finding is on the line beside them.
        let line = whole.end.line;
        Fragment { start: Position { line, column: 1 }, end: source.end_of_line(line) }
    });
    let about = About::Missed(MissedEdit {
        lacks: lacks(&surest.hunks, base, source),
        name: surest.name.clone(),
        patches: siblings.iter().take(MAX_LISTED).map(|sibling| sibling.patch.clone()).collect(),
        is_declared: surest.is_declared,
    });
    let levels = windows.sources.config.thresholds(&source.path, Some(&source.language)).levels;
    let judgment = levels.judge_other(&about, Ground::Code)?;
    let of_edits = surest.hunks.iter().fold(0u64, |all, hunk| {
        let (removed, added) = content_of(hunk, base, source);
        all.rotate_left(5) ^ removed ^ added.rotate_left(17)
    });
    let n_novel = range.clone().filter(|&at| head.novel[at]).count();
    Some(Finding {
        language: source.language.clone(),
        added,
        n_tokens: range.len(),
        n_novel,
        n_places: siblings.len(),
        origins: siblings.iter().take(MAX_LISTED).map(origin).collect(),
        ..Finding::new(about, judgment, source.path.clone(), whole, of_edits)
    })
}

fn origin(sibling: &Sibling) -> Origin {
    Origin::in_tree(sibling.path.clone(), sibling.fragment, sibling.clone_type, sibling.similarity)
}

/// What edits do, in a few words.
fn lacks(hunks: &[Hunk], base: &Source, head: &Source) -> String {
    // The largest addition describes the edit best.
    let Some(hunk) = hunks.iter().max_by_key(|hunk| (hunk.added.len(), hunk.removed.len())) else {
        return String::new();
    };
    let (removed, added) = (quoted(base, &hunk.removed), quoted(head, &hunk.added));
    let what = match (hunk.removed.is_empty(), hunk.added.is_empty()) {
        (true, _) => format!("{added} was added"),
        (false, true) => format!("{removed} was removed"),
        (false, false) => format!("{removed} became {added}"),
    };
    match hunks.len() - 1 {
        0 => what,
        1 => format!("{what}, and 1 more edit"),
        n => format!("{what}, and {n} more edits"),
    }
}

fn quoted(source: &Source, tokens: &Range<usize>) -> String {
    let text = String::from_utf8_lossy(source.text_between(tokens));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("`{}`", shortened(&words, 60))
}
