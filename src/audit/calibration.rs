//! Proposes settings from what a history merged: a copy that is still there shows a habit.

use std::collections::BTreeMap;

use super::history::Copy;
use crate::text::FilePath;

/// A warning about a copy that was merged.
#[derive(Debug, Clone)]
pub struct MergedCopy {
    /// The copy, as its commit added it.
    pub copy: Copy,
    /// The commit.
    pub commit: String,
    /// Whether the copy is still there.
    pub is_kept: bool,
}

/// A setting that would change warnings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The setting, as a line or two of `secondhand.toml`.
    pub setting: String,
    /// What it does, in words.
    pub effect: String,
    /// The numbers of the warnings that it changes.
    pub changed: Vec<usize>,
}

/// Minimum warnings that a proposal changes: fewer show no habit.
const MIN_CHANGED: usize = 5;
/// Minimum percentage of kept copies among them: who takes copies out wants to hear of them.
const MIN_KEPT: usize = 90;
/// Minimum percentage of a folder's warnings in an inner one that is proposed instead.
const MOST: usize = 80;
/// Tokens between two thresholds that are tried, up to twice the present one.
const STEP: usize = 5;

/// The settings that would change warnings about copies that were merged and kept, within a folder
/// or short; what changes most first. `paths` are the files of the tree.
pub fn proposals(merged: &[MergedCopy], paths: &[&FilePath], min_tokens: usize) -> Vec<Proposal> {
    let mut proposals = of_folders(merged, paths);
    proposals.extend(of_length(merged, min_tokens));
    proposals.sort_unstable_by(|a, b| {
        b.changed.len().cmp(&a.changed.len()).then_with(|| a.setting.cmp(&b.setting))
    });
    proposals
}

fn is_habit(merged: &[MergedCopy], numbers: &[usize]) -> bool {
    let n_kept = numbers.iter().filter(|&&number| merged[number].is_kept).count();
    numbers.len() >= MIN_CHANGED && 100 * n_kept >= MIN_KEPT * numbers.len()
}

/// Folders whose files are copies of each other: the deepest that have most of the warnings of
/// those above. A folder with more than half of the files is no exception, but the project.
fn of_folders(merged: &[MergedCopy], paths: &[&FilePath]) -> Vec<Proposal> {
    let mut within: BTreeMap<FilePath, Vec<usize>> = BTreeMap::new();
    for (number, MergedCopy { copy, .. }) in merged.iter().enumerate() {
        let path = copy.path.as_bytes();
        for folder in memchr::memchr_iter(b'/', path).map(|end| FilePath::new(&path[..end])) {
            if copy.origins.iter().all(|origin| origin.path.is_in(&folder)) {
                within.entry(folder).or_default().push(number);
            }
        }
    }
    within.retain(|folder, numbers| {
        let n_files = paths.iter().filter(|path| path.is_in(folder)).count();
        is_habit(merged, numbers) && 2 * n_files <= paths.len()
    });
    let deepest = within.iter().filter(|&(folder, numbers)| {
        !within.iter().any(|(inner, of_inner)| {
            inner != folder && inner.is_in(folder) && 100 * of_inner.len() >= MOST * numbers.len()
        })
    });
    deepest.map(|(folder, numbers)| Proposal {
        setting: format!("[paths.\"{folder}/**\"]\nrules.copied-code = \"note\""),
        effect: format!(
            "copies in `{folder}/` are notes; `ignore = [\"{folder}/\"]` leaves the folder out altogether"
        ),
        changed: numbers.clone(),
    })
    .collect()
}

/// The highest minimum of tokens that leaves out no more than half of the warnings.
fn of_length(merged: &[MergedCopy], min_tokens: usize) -> Option<Proposal> {
    (1..=min_tokens / STEP).rev().map(|n| min_tokens + n * STEP).find_map(|tried| {
        let shorter = (0..merged.len()).filter(|&number| merged[number].copy.n_novel < tried);
        let changed: Vec<usize> = shorter.collect();
        (2 * changed.len() <= merged.len() && is_habit(merged, &changed)).then(|| Proposal {
            setting: format!("min-tokens = {tried}"),
            effect: format!("copies of fewer than {tried} tokens are not reported"),
            changed,
        })
    })
}
