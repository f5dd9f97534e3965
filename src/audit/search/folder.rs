//! Searches for the origins of novel code in folders of components.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::align::search;
use super::licenses::{ComponentFolders, identify, own_text};
use super::lookup::{Targets, component_folder};
use super::queries::{FileHits, Queries, SearchOutcome, may_be_whole};
use crate::audit::read::{Source, Sources};
use crate::audit::{Context, Error};
use crate::change::Components;
use crate::files::{Entry, ReadFiles};
use crate::text::FilePath;

pub(super) fn search_folder(
    name: &str,
    components: &Components,
    queries: &Queries<'_>,
    sources: &Sources<'_>,
) -> Result<SearchOutcome, Error> {
    // The cache and the attributes are about the files of the repository.
    let &Sources { config, languages, progress, .. } = sources;
    let sources = &Sources::bare(Context { config, languages, progress });
    let all = components.entries();
    let reader = components.reader();
    let entries: Vec<Entry> =
        all.iter().filter(|entry| sources.is_read(&entry.path)).cloned().collect();
    let open = || components.reader();
    let targets = Targets {
        corpus: Some(name),
        max_components: sources.config.common_components,
        ..Targets::new(&entries, &open, sources)
    };
    let mut outcome = search(queries, &targets)?;
    outcome.skipped.retain(|(entry, skip)| sources.is_unread(&entry.path, *skip));
    for (entry, _) in &mut outcome.skipped {
        entry.path = FilePath::new([name.as_bytes(), b"/", entry.path.as_bytes()].concat());
    }
    take_whole(&mut outcome, &targets, queries)?;
    let folders = ComponentFolders {
        folder_of: &|path| component_folder(path).to_vec(),
        declared: &|_| None,
        text: &own_text,
    };
    identify(&mut outcome.found, all, &reader, &folders)?;
    for found in &mut outcome.found {
        let Source { path, .. } = Arc::make_mut(&mut found.target);
        *path = FilePath::new(path.below(component_folder(path)).unwrap_or_default());
    }
    Ok(outcome)
}

/// Records corpus files that are identical to a query, even if they share no fingerprint.
fn take_whole<R: ReadFiles>(
    outcome: &mut SearchOutcome,
    targets: &Targets<'_, R>,
    queries: &Queries<'_>,
) -> Result<(), Error> {
    let mut by_size: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let sources = queries.sources.iter().enumerate();
    for (number, source) in sources.filter(|(_, source)| may_be_whole(source)) {
        by_size.entry(source.bytes().len()).or_default().push(number);
    }
    if by_size.is_empty() {
        return Ok(());
    }
    let reader = (targets.open)();
    let mut whole: Vec<(FilePath, Vec<usize>)> = Vec::new();
    let mut n_components: BTreeMap<usize, BTreeSet<Vec<u8>>> = BTreeMap::new();
    for entry in targets.entries {
        let size = reader.size(entry).and_then(|size| usize::try_from(size).ok());
        let Some(alike) = size.and_then(|size| by_size.get(&size)) else { continue };
        let text = reader.read(entry)?;
        let mut same = alike.clone();
        same.retain(|&query| queries.sources[query].bytes() == text);
        for &query in &same {
            n_components.entry(query).or_default().insert(component_folder(&entry.path).to_vec());
        }
        if !same.is_empty() {
            whole.push((entry.path.clone(), same));
        }
    }
    for (path, mut same) in whole {
        same.retain(|query| n_components[query].len() <= queries.config.common_components);
        let Some(&first) = same.first() else { continue };
        let at = outcome.found.iter().position(|found| found.target.path == path);
        let found = match at {
            Some(at) => outcome.found.swap_remove(at),
            None => {
                let target =
                    Arc::new(Source { path: path.clone(), ..queries.sources[first].clone() });
                FileHits::new(targets.place(&path), target).with_text()
            }
        };
        outcome.found.push(found.aligned_whole(&same));
    }
    outcome.found.sort_unstable_by(|a, b| a.target.path.cmp(&b.target.path));
    Ok(())
}
