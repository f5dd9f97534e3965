//! Finds which version of a project a folder is: the tag whose files differ least from those of the folder.
//!
//! Each file says how many lines it differs from each version of its origin. Their sum over the folder has its minimum
//! at the version that was copied, even if every file was edited since, and no file can say it alone:
//!
//! ```text
//!                v1.2.6   v1.2.7   v1.2.8   v1.2.9
//! deflate.c          22       14        3       41
//! inflate.h           0        0        0        0     the same in all
//! zlib.h             30       12        0       25
//!                    52       26        3       66     1.2.8, with 3 lines edited since
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::lineage::{ComponentFile, LineCounts, Lineage, lineages};
use super::missed::{document, line_range};
use crate::audit::Error;
use crate::audit::outcome::{EditedFile, EditedLines, FolderVersion};
use crate::audit::read::Source;
use crate::audit::search::Outside;
use crate::git::blob_id;
use crate::matching::edited_lines;
use crate::policy::PastCommit;
use crate::text::{FilePath, Lines};

/// A file of the tree that may be the copy of a whole file.
#[derive(Debug)]
pub(in crate::audit) struct WholeCopy {
    pub source: Source,
    /// The files of components whose code it holds, those with most of it first.
    pub origins: Vec<ComponentFile>,
}

/// A folder whose files have the names that they have in a folder of a component.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct FolderOf {
    corpus: String,
    component: String,
    /// The folder of the tree, without a slash at its end; empty for the root.
    folder: Vec<u8>,
    /// The folder of the component.
    origin: Vec<u8>,
}

/// A file of such a folder, with the versions of its origin.
struct Member<'m> {
    copy: &'m WholeCopy,
    lineage: Lineage<'m>,
    origin: &'m FilePath,
    /// For each blob of the origin, how many lines it differs.
    distances: HashMap<u32, usize>,
    n_lines: usize,
}

/// Minimum files for a folder to be a copy. A single file, and a few among many others, must differ in less than a
/// tenth of their lines.
const MIN_FILES: usize = 2;

/// The versions of all folders that were copied from components with history; `paths` are the files of the tree.
///
/// # Errors
/// If a corpus is damaged.
pub(in crate::audit) fn fit(
    copies: &[WholeCopy],
    outsides: &[Outside],
    paths: &[FilePath],
) -> Result<Vec<FolderVersion>, Error> {
    let mut folders: BTreeMap<FolderOf, Vec<(&WholeCopy, &ComponentFile)>> = BTreeMap::new();
    for copy in copies {
        let mut known = BTreeSet::new();
        for origin in &copy.origins {
            let Some((folder, of_origin)) = folders_of(&copy.source.path, &origin.path) else { continue };
            let (corpus, component) = (origin.corpus.clone(), origin.component.clone());
            // Of several files of a component, the one with most of the code.
            if known.insert((corpus.clone(), component.clone())) {
                folders
                    .entry(FolderOf { corpus, component, folder, origin: of_origin })
                    .or_default()
                    .push((copy, origin));
            }
        }
    }
    let mut versions = Vec::new();
    for (folder, files) in folders {
        versions.extend(version_of_folder(&folder, &files, outsides, paths)?);
    }
    versions.sort_by(|a, b| (&a.folder, std::cmp::Reverse(a.n_files)).cmp(&(&b.folder, std::cmp::Reverse(b.n_files))));
    Ok(versions)
}

/// The folders of a copy and its origin, of which both have the same path below them; `None` if the names differ.
fn folders_of(copy: &FilePath, origin: &FilePath) -> Option<(Vec<u8>, Vec<u8>)> {
    let parts = |path: &FilePath| path.as_bytes().split(|&byte| byte == b'/').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (here, there) = (parts(copy), parts(origin));
    let n = here.iter().rev().zip(there.iter().rev()).take_while(|(a, b)| a == b).count();
    let folder = |parts: &[Vec<u8>]| parts[..parts.len() - n].join(&b'/');
    (n > 0).then(|| (folder(&here), folder(&there)))
}

/// The path of a file below a folder.
fn below<'p>(path: &'p FilePath, folder: &[u8]) -> Option<&'p [u8]> {
    if folder.is_empty() {
        return Some(path.as_bytes());
    }
    path.as_bytes().strip_prefix(folder)?.strip_prefix(b"/")
}

fn joined(folder: &[u8], name: &[u8]) -> FilePath {
    FilePath::new(if folder.is_empty() { name.to_vec() } else { [folder, b"/", name].concat() })
}

fn version_of_folder(
    folder: &FolderOf,
    files: &[(&WholeCopy, &ComponentFile)],
    outsides: &[Outside],
    paths: &[FilePath],
) -> Result<Option<FolderVersion>, Error> {
    let members: Vec<Option<Member<'_>>> = files
        .par_iter()
        .map(|&(copy, file)| {
            // A component is in one segment, unless it was added twice; then the first counts.
            let Some(lineage) = lineages(outsides, file)?.into_iter().next() else { return Ok(None) };
            Member::new(copy, lineage, &file.path)
        })
        .collect::<Result<_, Error>>()?;
    let members: Vec<Member<'_>> = members.into_iter().flatten().collect();
    let Some(first) = members.first() else { return Ok(None) };
    let (segment, component, stored) = (first.lineage.segment, first.lineage.component, first.lineage.stored);
    let members: Vec<&Member<'_>> = members
        .iter()
        .filter(|of| std::ptr::eq(of.lineage.segment, segment) && of.lineage.component == component)
        .collect();
    let fails = |why| stored.fails(why);
    let tags = segment.tags_of(component).map_err(fails)?;

    // The sum of all differences at each tag; the last one is the default branch, which is no release.
    let at_tags = members.iter().map(|of| of.blobs_at(&tags.iter().map(|(number, _)| *number).collect::<Vec<_>>()));
    let at_tags: Vec<Vec<Option<u32>>> = at_tags.collect::<Result<_, Error>>()?;
    let n_differing =
        |tag: usize| -> usize { members.iter().zip(&at_tags).map(|(of, blobs)| of.distance(blobs[tag])).sum() };
    let releases: Vec<(usize, usize)> =
        (0..tags.len()).filter(|&at| !tags[at].1.name.is_empty()).map(|at| (n_differing(at), at)).collect();
    let least = releases.iter().map(|(n, _)| *n).min();
    let best: Vec<usize> = releases.iter().filter(|(n, _)| Some(*n) == least).map(|(_, at)| *at).collect();
    let commit = nearest_commit(&members, least)?;

    // What differs from that version: the tag, or the commit where there is none.
    let chosen: Vec<Option<u32>> = match (best.first(), &commit) {
        (Some(&tag), _) => at_tags.iter().map(|blobs| blobs[tag]).collect(),
        (None, Some((number, ..))) => members.iter().map(|of| of.blob_after(*number)).collect(),
        (None, None) => return Ok(None),
    };
    let n_lines: usize = members.iter().map(|of| of.n_lines).sum();
    let n_edited: usize = members.iter().zip(&chosen).map(|(of, blob)| of.distance(*blob)).sum();
    // What shares less than half of its lines with every version is something else by now.
    let is_copy = members.len() >= MIN_FILES && !is_among_others(folder, &members, paths);
    if !is_copy && 10 * n_edited > n_lines || n_edited > n_lines {
        return Ok(None);
    }
    let mut version = FolderVersion {
        folder: FilePath::new(folder.folder.clone()),
        component: Arc::new(first.lineage.component()?),
        origin: FilePath::new(folder.origin.clone()),
        tags: best
            .first()
            .zip(best.last())
            .map(|(first, last)| (tags[*first].1.name.clone(), tags[*last].1.name.clone())),
        commit: commit.map(|(_, commit, n)| (commit, n)),
        n_files: members.len(),
        n_lines,
        ..FolderVersion::default()
    };
    for (member, blob) in members.iter().zip(&chosen) {
        member.compare(*blob, &mut version)?;
    }
    version.edited.sort_by(|a, b| a.path.cmp(&b.path));
    if let Some(&tag) = best.first() {
        let there = segment.files_at(component, tags[tag].0).map_err(fails)?;
        version.compare_lists(folder, &members, &there, paths);
    }
    Ok(Some(version))
}

/// Whether most files next to the members, with a name that ends as theirs do, are none: a project that keeps two files
/// of a library among its own is no copy of it.
fn is_among_others(of: &FolderOf, members: &[&Member<'_>], paths: &[FilePath]) -> bool {
    fn parts(path: &FilePath) -> (&[u8], &[u8]) {
        let name = path.name();
        let dot = name.iter().rposition(|&byte| byte == b'.').unwrap_or(name.len());
        (&path.as_bytes()[..path.as_bytes().len() - name.len()], &name[dot..])
    }
    let kinds: HashSet<(&[u8], &[u8])> = members.iter().map(|member| parts(&member.copy.source.path)).collect();
    let here = paths.iter().filter(|path| below(path, &of.folder).is_some() && kinds.contains(&parts(path)));
    here.count() > 2 * members.len()
}

/// The first commit after which the files differ least, if that is less than at any tag, with the lines that differ.
fn nearest_commit(members: &[&Member<'_>], least: Option<usize>) -> Result<Option<(u32, PastCommit, usize)>, Error> {
    let mut steps: BTreeMap<u32, Vec<(usize, usize)>> = BTreeMap::new();
    for (number, member) in members.iter().enumerate() {
        for change in &member.lineage.changes {
            steps.entry(change.commit).or_default().push((number, member.distance(change.after)));
        }
    }
    let start = |member: &Member<'_>| member.distance(member.lineage.changes.first().and_then(|change| change.before));
    let mut now: Vec<usize> = members.iter().map(|member| start(member)).collect();
    let mut sum: usize = now.iter().sum();
    let mut best: Option<(usize, u32)> = None;
    for (commit, changed) in steps {
        for (number, distance) in changed {
            sum = sum + distance - now[number];
            now[number] = distance;
        }
        if best.is_none_or(|(least, _)| sum < least) {
            best = Some((sum, commit));
        }
    }
    let Some((n, number)) = best.filter(|(n, _)| least.is_none_or(|least| *n < least)) else { return Ok(None) };
    let Some(member) = members.first() else { return Ok(None) };
    let commit = member.lineage.segment.past_commit(number).map_err(|why| member.lineage.stored.fails(why))?;
    Ok(Some((number, commit, n)))
}

impl<'m> Member<'m> {
    /// A file and the versions of its origin; `None` if it holds less than half of any.
    fn new(copy: &'m WholeCopy, lineage: Lineage<'m>, origin: &'m FilePath) -> Result<Option<Self>, Error> {
        let counts = LineCounts::of_source(&copy.source);
        let blobs: BTreeSet<u32> =
            lineage.changes.iter().flat_map(|change| [change.before, change.after]).flatten().collect();
        let mut distances = HashMap::new();
        let mut is_whole = false;
        for blob in blobs {
            let version = LineCounts::of_version(&lineage.version(blob)?);
            is_whole |= 2 * counts.n_shared(&version) >= version.n().max(counts.n());
            distances.insert(blob, counts.distance(&version));
        }
        Ok(is_whole.then(|| Self { copy, lineage, origin, distances, n_lines: counts.n() }))
    }

    /// How many lines it differs from a version; from none, all of them.
    fn distance(&self, blob: Option<u32>) -> usize {
        blob.and_then(|blob| self.distances.get(&blob).copied()).unwrap_or(self.n_lines)
    }

    /// The blob of the origin, by whatever name it then had, at each of some tags in order.
    fn blobs_at(&self, tags: &[u32]) -> Result<Vec<Option<u32>>, Error> {
        let names: BTreeSet<u32> = self.lineage.changes.iter().map(|change| change.path).collect();
        let mut at_tags = vec![None; tags.len()];
        // Its own name wins where another one of the lineage exists, too.
        for path in names.into_iter().filter(|&path| path != self.lineage.path).chain([self.lineage.path]) {
            let rows = self.lineage.segment.at_tags(path).map_err(|why| self.lineage.stored.fails(why))?;
            let mut rows = rows.into_iter().peekable();
            let mut blob = None;
            for (at, &tag) in tags.iter().enumerate() {
                while let Some((_, next)) = rows.next_if(|(from, _)| *from <= tag) {
                    blob = next;
                }
                at_tags[at] = blob.or(at_tags[at]);
            }
        }
        Ok(at_tags)
    }

    /// The blob after the last change up to a commit.
    fn blob_after(&self, commit: u32) -> Option<u32> {
        let before = self.lineage.changes.iter().rev().find(|change| change.commit <= commit);
        before.map_or_else(|| self.lineage.changes.first().and_then(|change| change.before), |change| change.after)
    }

    /// Adds to `version` how it differs from a blob.
    fn compare(&self, blob: Option<u32>, version: &mut FolderVersion) -> Result<(), Error> {
        let source = &self.copy.source;
        let Some(blob) = blob else {
            version.added.push(source.path.clone());
            return Ok(());
        };
        let id = self.lineage.segment.id_of(blob).map_err(|why| self.lineage.stored.fails(why))?;
        if id.is_some_and(|id| id == blob_id(source.bytes())) {
            version.n_same_bytes += 1;
            return Ok(());
        }
        let there = self.lineage.version(blob)?;
        let (here, of_there) = (source.document(), document(&there));
        let edits = edited_lines(of_there, here);
        if edits.is_empty() {
            version.n_same_tokens += 1;
            return Ok(());
        }
        let (own_lines, their_lines) = (Lines::new(&source.text), Lines::new(&there.text));
        let clone = self.lineage.clone_at_hand();
        let text = clone.and_then(|clone| clone.reader().past_blob(id?, self.origin).ok()?);
        let text_lines = text.as_ref().map(|text| (text, Lines::new(text)));
        let edits = edits.into_iter().map(|(removed, added)| {
            let removed = line_range(of_there, &their_lines, &removed);
            let added = line_range(here, &own_lines, &added);
            let line = |text: &[u8], lines: &Lines, line: u32| lines.text(text, line).to_vec();
            let removed_text =
                text_lines.as_ref().map(|(text, lines)| removed.clone().map(|at| line(text, lines, at)).collect());
            let added_text = added.clone().map(|at| line(&source.text, &own_lines, at)).collect();
            EditedLines { removed, added, removed_text, added_text }
        });
        version.edited.push(EditedFile {
            path: source.path.clone(),
            origin: self.origin.clone(),
            edits: edits.collect(),
        });
        Ok(())
    }
}

impl FolderVersion {
    /// Finds which files the folder has besides those of the version, and which it lacks.
    fn compare_lists(&mut self, of: &FolderOf, members: &[&Member<'_>], there: &[FilePath], paths: &[FilePath]) {
        let there: HashSet<&[u8]> = there.iter().filter_map(|path| below(path, &of.origin)).collect();
        let here: HashSet<&[u8]> = paths.iter().filter_map(|path| below(path, &of.folder)).collect();
        let parent = |path: &[u8]| path[..path.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1)].to_vec();
        let folders: HashSet<Vec<u8>> =
            members.iter().filter_map(|member| below(&member.copy.source.path, &of.folder)).map(parent).collect();
        let is_known = |path: &&FilePath| !self.added.contains(path);
        // The root of a tree holds more than the copy; so may a folder that others share with it.
        let added = paths.iter().filter(|path| {
            below(path, &of.folder).is_some_and(|name| !there.contains(name) && folders.contains(&parent(name)))
        });
        let mut added: Vec<FilePath> = added.filter(is_known).cloned().collect();
        if added.len() <= self.n_files {
            self.added.append(&mut added);
        }
        self.added.sort();
        let mut missing: Vec<&[u8]> = there.difference(&here).copied().collect();
        missing.sort_unstable();
        let (near, elsewhere): (Vec<&[u8]>, Vec<&[u8]>) =
            missing.into_iter().partition(|name| folders.contains(&parent(name)));
        self.missing = near.into_iter().map(|name| joined(&of.origin, name)).collect();
        self.n_missing_elsewhere = elsewhere.len();
    }
}
