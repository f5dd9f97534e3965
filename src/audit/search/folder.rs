//! Looks for the origins of novel code outside of the tree: in folders of components.

use std::collections::{BTreeMap, BTreeSet};

use super::queries::{Found, Queries, SearchOutcome, may_be_whole};
use crate::audit::Error;
use crate::audit::read::{Source, Sources};
use crate::corpus::Folder;
use crate::git::{Entry, ReadFiles};
use crate::policy::{Component, Place};
use crate::text::{FilePath, printable};

/// The component that a file of the corpus `corpus` belongs to: its top folder.
pub(super) fn component(corpus: &str, path: &FilePath) -> Component {
    let bytes = path.as_bytes();
    let name = memchr::memchr(b'/', bytes).map_or_else(|| corpus.to_owned(), |end| printable(&bytes[..end]));
    Component { corpus: corpus.to_owned(), name, ..Component::default() }
}

/// The top folder of a path; nothing of a file at the root.
pub(super) fn component_folder(path: &FilePath) -> &[u8] {
    let bytes = path.as_bytes();
    memchr::memchr(b'/', bytes).map_or(&[][..], |end| &bytes[..end])
}

/// Takes note of the files that whole queries are, byte for byte, whether or not they share a fingerprint that tells.
pub(super) fn take_whole(
    outcome: &mut SearchOutcome,
    entries: &[Entry],
    folder: &Folder,
    queries: &Queries<'_>,
    sources: &Sources<'_>,
    place: &dyn Fn(&FilePath) -> Place,
) -> Result<(), Error> {
    let mut by_size: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, source) in queries.sources().iter().enumerate().filter(|(_, source)| may_be_whole(source)) {
        by_size.entry(source.text.len()).or_default().push(number);
    }
    if by_size.is_empty() {
        return Ok(());
    }
    let mut whole: Vec<(FilePath, Vec<usize>)> = Vec::new();
    let mut n_components: BTreeMap<usize, BTreeSet<Vec<u8>>> = BTreeMap::new();
    for entry in entries {
        let size = folder.size(entry).and_then(|size| usize::try_from(size).ok());
        let Some(alike) = size.and_then(|size| by_size.get(&size)) else { continue };
        let text = folder.read(entry)?;
        let same: Vec<usize> = alike.iter().filter(|&&query| queries.sources()[query].text == text).copied().collect();
        for &query in &same {
            n_components.entry(query).or_default().insert(component_folder(&entry.path).to_vec());
        }
        if !same.is_empty() {
            whole.push((entry.path.clone(), same));
        }
    }
    for (path, mut same) in whole {
        same.retain(|query| n_components[query].len() <= sources.config.common_components);
        let Some(&first) = same.first() else { continue };
        let at = outcome.found.iter().position(|found| found.target.path == path);
        let found = match at {
            Some(at) => outcome.found.swap_remove(at),
            None => {
                let target = Source { path: path.clone(), ..queries.sources()[first].clone() };
                let text = Some(target.text.clone().into());
                Found { place: place(&path), target, text, alignments: Vec::new(), whole: Vec::new() }
            }
        };
        outcome.found.push(found.aligned_whole(&same));
    }
    outcome.found.sort_by(|a, b| a.target.path.cmp(&b.target.path));
    Ok(())
}

/// The path of a file inside its component.
pub(super) fn within_component(path: &FilePath) -> FilePath {
    let bytes = path.as_bytes();
    FilePath::new(memchr::memchr(b'/', bytes).map_or(bytes, |end| &bytes[end + 1..]))
}
