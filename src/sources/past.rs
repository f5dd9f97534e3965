//! Reads what commits did to the files of a repository, to find the fixes that copies lack.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;

use rayon::prelude::*;

use super::Error;
use crate::files::BlobId;
use crate::git::{CommitId, CommitInfo, Event, Reader, Repository, Span};
use crate::policy::{PastCommit, says_security, vulnerability_ids};
use crate::text::FilePath;

/// What the commits of a component did, and what its releases contain.
#[derive(Debug, Clone, Default)]
pub struct PastOf {
    /// The commits of the default branch that changed source, the oldest first.
    pub commits: Vec<PastCommit>,
    /// What they changed, in the same order.
    pub changes: Vec<PastChange>,
    /// The tags, the oldest first; the last is the default branch itself, and has no name.
    pub tags: Vec<PastTag>,
}

/// What a commit did to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastChange {
    /// The number of the commit.
    pub commit: u32,
    /// The file.
    pub path: FilePath,
    /// Its name before, if the commit renamed it.
    pub was: Option<FilePath>,
    /// Its content before; `None` if it is new.
    pub before: Option<BlobId>,
    /// Its content after; `None` if the commit deleted it.
    pub after: Option<BlobId>,
}

/// A tag, and how its files differ from those of the tag before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastTag {
    /// Its name; empty for the default branch.
    pub name: String,
    /// The time of its commit, in seconds since 1970.
    pub time: i64,
    /// The files that differ, and their content; `None` if a file is gone.
    pub files: Vec<(FilePath, Option<BlobId>)>,
}

/// Reads the past of the default branch, of the files that are of interest: none without commits,
/// and of a shallow clone from where it was cut off. Time grows with the trees that commits change.
pub(super) fn read_past(
    repository: &Repository,
    wants: &dyn Fn(&FilePath) -> bool,
) -> Result<PastOf, Error> {
    let reader = repository.history_reader();
    let Some(head) = reader.head()? else { return Ok(PastOf::default()) };
    let all = in_order_of_merges(&reader, reader.commits_of(&Span::of(head))?, head)?;
    let events: Vec<Vec<Event>> = all
        .par_iter()
        .map_init(|| repository.history_reader(), |reader, &commit| reader.events(commit))
        .collect::<Result<_, _>>()?;
    let mut past = PastOf::default();
    for (commit, mut events) in all.into_iter().zip(events) {
        events.retain(|event| wants(&event.path));
        if events.is_empty() {
            continue;
        }
        let number = past.commits.len() as u32;
        for (Event { path, before, after }, was) in with_renames(events) {
            past.changes.push(PastChange { commit: number, path, was, before, after });
        }
        past.commits.push(past_commit(commit.to_string(), &reader.info(commit)?));
    }
    let mut before: Option<CommitId> = None;
    for (name, commit) in reader.tags()?.into_iter().chain([(String::new(), head)]) {
        let mut events = reader.events_between(before.as_slice(), commit)?;
        events.retain(|event| wants(&event.path));
        let files = events.into_iter().map(|event| (event.path, event.after)).collect();
        past.tags.push(PastTag { name, time: reader.time(commit)?, files });
        before = Some(commit);
    }
    Ok(past)
}

/// Commits in the order in which the default branch got them: what came with a merge just before
/// it. In order of dates, the state after one would have what other branches had by then.
fn in_order_of_merges(
    reader: &Reader,
    mut commits: Vec<CommitId>,
    head: CommitId,
) -> Result<Vec<CommitId>, Error> {
    let mut parents: HashMap<CommitId, Vec<CommitId>> = HashMap::new();
    for &commit in &commits {
        parents.insert(commit, reader.parents_as_told(commit)?);
    }
    let branch: Vec<CommitId> =
        std::iter::successors(Some(head), |commit| parents.get(commit)?.first().copied()).collect();
    // For each commit, which of the branch brought it, and whether it is that.
    let mut brought_by: HashMap<CommitId, (usize, bool)> = HashMap::new();
    for (number, &merge) in branch.iter().rev().enumerate() {
        let mut open = vec![merge];
        while let Some(commit) = open.pop() {
            if let Slot::Vacant(slot) = brought_by.entry(commit) {
                slot.insert((number, commit == merge));
                open.extend(parents.get(&commit).into_iter().flatten());
            }
        }
    }
    commits.sort_by_key(|commit| brought_by.get(commit).copied());
    Ok(commits)
}

/// What a corpus keeps of a commit.
pub(super) fn past_commit(hash: String, info: &CommitInfo) -> PastCommit {
    PastCommit {
        hash,
        time: info.time,
        subject: info.subject.clone(),
        ids: vulnerability_ids(&info.message),
        is_security: says_security(&info.message),
    }
}

/// The events of a commit, with a deleted and an added file as one where it was renamed: the
/// content is the same, or the name is and no other file has it.
fn with_renames(events: Vec<Event>) -> Vec<(Event, Option<FilePath>)> {
    let has_deleted = events.iter().any(|event| event.after.is_none());
    if !has_deleted || events.iter().all(|event| event.before.is_some()) {
        return events.into_iter().map(|event| (event, None)).collect();
    }
    let mut by_content: HashMap<BlobId, Vec<usize>> = HashMap::new();
    let mut by_name: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    let mut n_added: HashMap<Vec<u8>, usize> = HashMap::new();
    for (at, event) in events.iter().enumerate() {
        let name = event.path.name().to_vec();
        match (event.before, event.after) {
            (Some(before), None) => {
                by_content.entry(before).or_default().push(at);
                by_name.entry(name).or_default().push(at);
            }
            (None, _) => *n_added.entry(name).or_default() += 1,
            (Some(_), Some(_)) => {}
        }
    }
    let mut renamed: HashMap<usize, usize> = HashMap::new();
    let mut is_taken = vec![false; events.len()];
    for pass in 0..2 {
        for (at, event) in events.iter().enumerate().filter(|(_, event)| event.before.is_none()) {
            let name = event.path.name();
            let from = match (pass, event.after) {
                (0, Some(after)) => {
                    by_content.get(&after).and_then(|all| all.iter().find(|&&at| !is_taken[at]))
                }
                (1, _) if n_added.get(name) == Some(&1) => {
                    by_name.get(name).filter(|all| all.len() == 1).map(|all| &all[0])
                }
                _ => None,
            };
            if let Some(&from) = from.filter(|&&from| !is_taken[from] && !renamed.contains_key(&at))
            {
                is_taken[from] = true;
                renamed.insert(at, from);
            }
        }
    }
    let all = (0..events.len()).filter(|&at| !is_taken[at]);
    all.map(|at| match renamed.get(&at) {
        None => (events[at].clone(), None),
        Some(&from) => (
            Event { before: events[from].before, ..events[at].clone() },
            Some(events[from].path.clone()),
        ),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deleted_and_an_added_file_of_one_content_or_name_are_a_renamed_one() {
        let id =
            |n: u8| (n > 0).then(|| BlobId::from_bytes(&[n; 20]).expect("twenty bytes are an id"));
        let event = |path: &str, before, after| Event {
            path: FilePath::new(path),
            before: id(before),
            after: id(after),
        };
        let events = vec![
            event("a.c", 1, 0),
            event("lib/b.c", 1, 0),
            event("new/b.c", 0, 2),
            event("other.c", 0, 1),
            event("same.c", 4, 5),
        ];
        let told: Vec<_> = with_renames(events)
            .into_iter()
            .map(|(event, was)| (event.path, was, event.before))
            .collect();
        let path = |path: &str| FilePath::new(path);
        let expected = [
            (path("new/b.c"), Some(path("lib/b.c")), id(1)),
            (path("other.c"), Some(path("a.c")), id(1)),
            (path("same.c"), None, id(4)),
        ];
        assert_eq!(told, expected);
    }
}
