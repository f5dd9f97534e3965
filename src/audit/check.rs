//! Runs `check`: finds the copies that a change brings in.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::cache::Remembered;
use super::changed::{Predecessor, changed_files};
use super::findings::{findings, rule_of};
use super::history::Past;
use super::judge::{Changed, Copied, copies_of};
use super::moves::credit_moves;
use super::origins::{Queries, SearchOutcome, search};
use super::source::Sources;
use super::suppress::comments;
use super::{End, Error, Examined, Outcome, Progress};
use crate::config::Config;
use crate::git::{Attributes, BlobId, Entry, Repository, Snapshot};
use crate::language::Languages;
use crate::policy::{COPIED_CODE, Place, REVIVED_CODE};
use crate::text::FilePath;

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
/// With a `past`, code that was deleted there is looked for, too. What is `remembered` of files that the change does not touch saves reading them; it changes nothing else.
///
/// # Errors
/// When a file of base or head cannot be read: nothing is called clean that was not examined.
pub fn check(
    repository: &Repository,
    range: Range,
    remembered: &Remembered,
    past: Option<&Past>,
    config: &Config,
    languages: &Languages,
    progress: &dyn Progress,
) -> Result<Outcome, Error> {
    let Range { base, head: (head, head_files) } = range;
    let attributes = Attributes::read(&head_files.entries, &repository.reader())?;
    let sources = Sources { config, languages, attributes: &attributes, remembered };
    let (base, base_files) = base.unzip();
    let mut examined = Examined::default();
    let base_files = base_files.unwrap_or_default();
    let standing: HashSet<BlobId> = base_files.entries.iter().filter_map(Entry::blob).collect();

    let (mut changed, predecessors) =
        changed_files(repository, &base_files, &head_files, &sources, progress, &mut examined)?;
    credit_moves(&mut changed, &predecessors, config);
    examined.n_judged = changed.len();
    examined.n_novel = changed.iter().map(Changed::n_novel).sum();

    let asking: Vec<&Changed> = changed.iter().filter(|file| file.n_novel() >= config.min_tokens).collect();
    let queries = Queries::new(asking.iter().map(|file| (&file.source, &*file.novel)).collect(), config);
    let is_off = [&COPIED_CODE, &REVIVED_CODE].iter().all(|rule| config.level(rule).is_none());
    let before: BTreeMap<&FilePath, &Predecessor> =
        predecessors.iter().filter_map(|file| Some((file.of.as_ref()?, file))).collect();
    let base_text = |path: &FilePath| before.get(path).map_or(&[][..], |before| &before.source.text);
    let comments = changed.iter().flat_map(|file| comments(&file.source, base_text(&file.source.path))).collect();
    let mut outcome = Outcome { examined, comments, ..Outcome::new(base, head) };
    if queries.is_empty() || is_off {
        return Ok(outcome);
    }

    let entries: Vec<Entry> =
        head_files.entries.into_iter().filter(|entry| sources.skip_by_name(&entry.path).is_none()).collect();
    let SearchOutcome { mut found, frequencies, skipped, n_compared } =
        search(&queries, &entries, repository, &sources, progress)?;
    outcome.examined.n_compared = n_compared;
    outcome.examined.not_compared =
        skipped.into_iter().filter(|(_, skip)| skip.is_notable()).map(|(entry, skip)| (entry.path, skip)).collect();

    let mut copies = copies_of(&asking, &found, &frequencies, &changed, config);
    if let Some(past) = past {
        let of_past = past.search(&queries, &standing, repository, &sources, progress)?;
        let more = copies_of(&asking, &of_past, &frequencies, &changed, config);
        for (all, these) in copies.iter_mut().zip(more) {
            all.extend(these.into_iter().map(|copied| Copied { found: found.len() + copied.found, ..copied }));
        }
        found.extend(of_past);
        outcome.examined.unavailable = past.unavailable();
    }
    let is_on = |copied: &Copied| config.level(rule_of(&found[copied.found].place)).is_some();
    copies.iter_mut().for_each(|copies| copies.retain(is_on));
    for (query, copies) in asking.iter().zip(&copies) {
        outcome.findings.extend(findings(query, copies, &found, base_text(&query.source.path), config));
    }
    outcome.findings.sort_by(|a, b| (&a.path, a.fragment).cmp(&(&b.path, b.fragment)));
    let named: BTreeSet<&FilePath> = outcome
        .findings
        .iter()
        .flat_map(|finding| {
            let in_tree = finding.origins.iter().filter(|origin| origin.place == Place::Tree);
            in_tree.map(|origin| &origin.path).chain([&finding.path])
        })
        .collect();
    let in_tree = found.iter().filter(|found| found.place == Place::Tree);
    let all = in_tree.map(|found| &found.target).chain(changed.iter().map(|file| &file.source));
    for source in all.filter(|source| named.contains(&source.path)) {
        outcome.texts.entry(source.path.clone()).or_insert_with(|| source.text.clone());
    }
    Ok(outcome)
}
