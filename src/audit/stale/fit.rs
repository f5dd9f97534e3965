//! Finds which folder of a project, in which version, a folder is: the tag whose files differ least
//! from its files.
//!
//! Each file says how many lines it differs from each version of its origin. Their sum over the
//! folder has its minimum at the version that was copied, even if every file was edited since, and
//! no file can say it alone:
//!
//! ```text
//!                v1.2.6   v1.2.7   v1.2.8   v1.2.9
//! deflate.c          22       14        3       41
//! inflate.h           0        0        0        0     the same in all
//! zlib.h             30       12        0       25
//!                    52       26        3       66     1.2.8, with 3 lines edited since
//! ```
//!
//! A project may have moved its files, so that one path here was several there. The files vote,
//! once for the whole folder, with all paths that files of their names ever had; in each version,
//! the place that has most of them counts. Every file of the folder is then compared by its name
//! with the version that leaves least, copied or not.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::ComponentFile;
use super::difference::{Difference, TreeFiles};
use super::lineage::{Choice, Releases, projects};
use super::mapping::{Mapping, is_of_copy};
use crate::audit::Error;
use crate::audit::outcome::FolderVersion;
use crate::audit::read::Source;
use crate::audit::search::{LineCounts, Outside};
use crate::policy::{Component, PastCommit};
use crate::store::corpus::StoredChange;
use crate::text::FilePath;

/// A file of the tree that may be the copy of a whole file.
pub(in crate::audit) struct WholeCopy {
    pub source: Arc<Source>,
    /// The files of components whose code it holds, those with most of it first.
    pub origins: Vec<ComponentFile>,
}

/// The files that vote for each mapping, by their numbers.
type Votes = BTreeMap<Mapping, BTreeSet<usize>>;

/// What the tags that fit best leave, in lines and files, if there are tags; and the tags.
type BestTags = (Option<(usize, usize)>, Vec<usize>);

/// Minimum files of a copied folder. Fewer, or few among others, must differ in a tenth at most.
const MIN_FILES: usize = 2;

/// How many times fewer lines differ from a commit than from all tags if that is the version.
const FAR_LESS: usize = 8;

/// Maximum mappings to compare, those with most votes first.
const MAX_MAPPINGS: usize = 8;

/// The versions of all folders that were copied from components with history, or from releases.
pub(in crate::audit) fn fit(
    copies: &[WholeCopy],
    outsides: &[Outside],
    tree: TreeFiles<'_>,
) -> Result<Vec<FolderVersion>, Error> {
    let mut by_component: BTreeMap<(&str, &str), Vec<&WholeCopy>> = BTreeMap::new();
    for copy in copies {
        let names = copy.origins.iter().map(|of| (&*of.corpus, &*of.component));
        for name in BTreeSet::from_iter(names) {
            by_component.entry(name).or_default().push(copy);
        }
    }
    let mut versions = Vec::new();
    for ((corpus, name), copies) in by_component {
        for project in projects(outsides, corpus, name) {
            let fit = Fit { releases: Releases::new(project)?, copies: &copies, tree };
            versions.extend(fit.versions()?);
        }
    }
    // A component may keep a copy of the same project.
    let (mut nested, mut versions): (Vec<_>, Vec<_>) =
        best_of_each(versions).into_iter().partition(|of| is_of_copy(of.origin.as_bytes()));
    nested.retain(|of| {
        let mut own = versions.iter().filter(|own| own.folder == of.folder);
        !own.any(|own| own.n_same() >= of.n_same())
    });
    versions.extend(nested);
    versions.sort_by_key(|of| (of.folder.clone(), std::cmp::Reverse(of.n_files)));
    Ok(versions)
}

/// Of the versions of a folder by one component, which may be there as several packages, the one
/// with most files that are the same, and with fewest edited lines.
fn best_of_each(mut versions: Vec<FolderVersion>) -> Vec<FolderVersion> {
    versions.sort_by_cached_key(|of| {
        let (added, removed) = of.n_edited_lines();
        (std::cmp::Reverse(of.n_same()), added + removed)
    });
    let mut known = BTreeSet::new();
    versions.retain(|of| {
        let Component { corpus, name, .. } = &*of.component;
        known.insert((corpus.clone(), name.clone(), of.folder.clone(), of.files.clone()))
    });
    versions
}

/// The mappings with most votes, or at least half of the same, and the files; `None` without any.
fn ranked(votes: &Votes) -> Option<(Vec<Mapping>, BTreeSet<usize>)> {
    let mut ranked = Vec::from_iter(votes.iter().filter(|(_, files)| !files.is_empty()));
    ranked.sort_by_cached_key(|(mapping, files)| {
        (is_of_copy(&mapping.origin), std::cmp::Reverse(files.len()), mapping.folder.len())
    });
    let &(_, voters) = ranked.first()?;
    let rivals =
        ranked.iter().filter(|(_, files)| 2 * files.intersection(voters).count() >= voters.len());
    let mappings = rivals.map(|(mapping, _)| (*mapping).clone()).take(MAX_MAPPINGS).collect();
    Some((mappings, voters.clone()))
}

/// The number of the mapping with most files; of several, the first.
fn most(mappings: &[Mapping], n_files: impl Fn(usize) -> usize) -> usize {
    (0..mappings.len()).rev().max_by_key(|&number| n_files(number)).unwrap_or(0)
}

/// What the folders of a tree are compared with to find the versions of one component.
struct Fit<'f> {
    releases: Releases<'f>,
    copies: &'f [&'f WholeCopy],
    tree: TreeFiles<'f>,
}

/// How a file differs from the files of a component.
struct Member<'f> {
    copy: &'f WholeCopy,
    counts: LineCounts,
    /// The blob that has its bytes, if the corpus has one.
    own: Option<u32>,
    /// Whether it holds at least half of any version.
    is_whole: bool,
    /// Its blob at each tag, where most of the files were then.
    at_tags: Vec<Option<u32>>,
}

/// Files of the tree that are those of a component, in each of its versions.
struct Place<'f> {
    /// Where they were in it, the place that most of them were in first.
    mappings: Vec<Mapping>,
    /// All places that files of the folder ever had, by their names.
    elsewhere: Vec<Mapping>,
    members: Vec<Member<'f>>,
}

impl<'f> Fit<'f> {
    /// The files with most votes are decided first; what they vote for besides is settled with
    /// them.
    fn versions(&self) -> Result<Vec<FolderVersion>, Error> {
        let mut votes = self.votes();
        let all: Vec<Mapping> = votes.keys().cloned().collect();
        let mut versions = Vec::new();
        while let Some((mappings, mut settled)) = ranked(&votes) {
            let mut place = self.place(mappings, &settled)?;
            let mapping = &place.mappings[0];
            place.elsewhere = all.iter().filter(|of| of.is_nested_with(mapping)).cloned().collect();
            let folders = place.folders();
            if let Some(version) = self.version(place)? {
                let paths: Vec<&FilePath> = self.copies.iter().map(|of| &of.source.path).collect();
                let told = (0..paths.len()).filter(|&file| {
                    !version.is_shared
                        && (folders.contains(paths[file].folder()) || version.has(paths[file]))
                });
                settled.extend(told);
                settled.retain(|&file| paths[file].below(version.folder.as_bytes()).is_some());
                versions.push(version);
            }
            votes.values_mut().for_each(|files| files.retain(|file| !settled.contains(file)));
        }
        Ok(versions)
    }

    fn votes(&self) -> Votes {
        let mut named: HashMap<&[u8], Vec<&FilePath>> = HashMap::new();
        for path in self.releases.paths.keys() {
            named.entry(path.name()).or_default().push(path);
        }
        let mut votes = Votes::new();
        for (number, copy) in self.copies.iter().enumerate() {
            let here = &copy.source.path;
            let same = named.get(here.name()).into_iter().flatten();
            for mapping in same.filter_map(|there| Mapping::new(here, there)) {
                votes.entry(mapping).or_default().insert(number);
            }
        }
        votes
    }

    /// How files differ from those of a component, in all versions.
    fn place(&self, mappings: Vec<Mapping>, voters: &BTreeSet<usize>) -> Result<Place<'f>, Error> {
        let voters: Vec<&WholeCopy> = voters.iter().map(|&file| self.copies[file]).collect();
        // By mapping, file and tag.
        let blobs = mappings.iter().map(|mapping| {
            let of_files = voters.par_iter().map(|copy| match self.path_of(mapping, copy) {
                Some(path) => self.releases.blobs_at_tags(path),
                None => Ok(vec![None; self.releases.tags.len()]),
            });
            of_files.collect::<Result<Vec<_>, Error>>()
        });
        let blobs = blobs.collect::<Result<Vec<_>, Error>>()?;
        let mut at_tags = vec![Vec::new(); voters.len()];
        for tag in 0..self.releases.tags.len() {
            let number = most(&mappings, |number| {
                blobs[number].iter().filter(|of| of[tag].is_some()).count()
            });
            at_tags.iter_mut().zip(&blobs[number]).for_each(|(row, blobs)| row.push(blobs[tag]));
        }
        let members = voters.par_iter().zip(at_tags);
        let members = members.map(|(copy, at_tags)| self.member(copy, &mappings, at_tags));
        let members = members.collect::<Result<Vec<_>, Error>>()?;
        Ok(Place { mappings, elsewhere: Vec::new(), members })
    }

    /// The number of the path that a file has by a mapping, if the component ever had it.
    fn path_of(&self, mapping: &Mapping, copy: &WholeCopy) -> Option<u32> {
        self.releases.paths.get(&mapping.there(&copy.source.path)?).copied()
    }

    /// What commits did to a file of a place, under all its names.
    fn changes(&self, mappings: &[Mapping], copy: &WholeCopy) -> Result<Vec<StoredChange>, Error> {
        let path = mappings.iter().find_map(|mapping| self.path_of(mapping, copy));
        let lineage = path.map(|path| self.releases.project.lineage(path)).transpose()?;
        Ok(lineage.flatten().map(|lineage| lineage.changes).unwrap_or_default())
    }

    fn member(
        &self,
        copy: &'f WholeCopy,
        mappings: &[Mapping],
        at_tags: Vec<Option<u32>>,
    ) -> Result<Member<'f>, Error> {
        let own = self.releases.project.blob_of(&copy.source)?;
        let counts = LineCounts::new(&copy.source);
        let changes = self.changes(mappings, copy)?;
        let of_commits = changes.iter().flat_map(|change| [change.before, change.after]);
        let blobs: BTreeSet<u32> = of_commits.chain(at_tags.iter().copied()).flatten().collect();
        let is_version = own.is_some_and(|own| blobs.contains(&own));
        let mut is_whole = is_version;
        // Of an edited file all versions will be compared: here, in parallel with other files.
        for &blob in blobs.iter().filter(|_| !is_version) {
            is_whole |= counts.is_mostly(&self.releases.project.shared_lines(&counts, blob)?);
        }
        Ok(Member { copy, counts, own, is_whole, at_tags })
    }

    /// The lines by which files differ from the blobs that they were in a version, if these are
    /// fewer than `limit`.
    ///
    /// The edited files are asked first: where they differ more, no version of the others is read.
    fn n_differing(
        &self,
        members: &[Member<'_>],
        blob_of: impl Fn(usize) -> Option<u32>,
        limit: usize,
    ) -> Result<Option<usize>, Error> {
        let (edited, others): (Vec<usize>, Vec<usize>) =
            (0..members.len()).partition(|&number| members[number].own.is_none());
        let (project, mut n_lines) = (&self.releases.project, 0);
        for number in edited.into_iter().chain(others) {
            let counts = &members[number].counts;
            n_lines += match blob_of(number) {
                Some(blob) => counts.distance(&project.shared_lines(counts, blob)?),
                None => counts.n(),
            };
            if n_lines >= limit {
                return Ok(None);
            }
        }
        Ok(Some(n_lines))
    }

    /// The version of a folder; `None` if it is no copy.
    fn version(&self, mut place: Place<'f>) -> Result<Option<FolderVersion>, Error> {
        place.members.retain(|member| member.is_whole);
        let (least, best) = self.best_tags(&place)?;
        let n_at_tag = least.map(|(n, _)| n);
        let commit = self.nearest_commit(&place, n_at_tag)?;

        let n_lines: usize = place.members.iter().map(|member| member.counts.n()).sum();
        let least = commit.as_ref().map(|(.., n)| *n).into_iter().chain(n_at_tag).min();
        let Some(n_edited) = least else { return Ok(None) };
        // What shares less than half of its lines with every version is something else by now.
        let is_copy = place.members.len() >= MIN_FILES && !self.is_among_others(&place);
        if place.members.is_empty() || !is_copy && 10 * n_edited > n_lines || n_edited > n_lines {
            return Ok(None);
        }
        let ends = best.first().zip(best.last());
        let base = FolderVersion {
            component: Arc::new(self.releases.project.component()?),
            tags: ends.map(|(&a, &b)| [a, b].map(|at| self.releases.tags[at].1.clone()).into()),
            n_lines,
            ..FolderVersion::default()
        };
        let first = best.first().map(|&tag| Choice::Tag(tag));
        let at_tag = first.map(|of| self.compared(&place, &of, base.clone())).transpose()?;
        let Some((number, nearest, n)) = commit else { return Ok(at_tag) };
        let of_commit = FolderVersion { commit: Some((nearest.clone(), n)), ..base };
        let is_clear = n_at_tag.is_some_and(|of_tag| FAR_LESS * n <= of_tag);
        let Some(at_tag) = at_tag else {
            return Ok(Some(self.compared(&place, &Choice::Commit(number), of_commit)?));
        };
        if at_tag.is_exact() && !is_clear {
            return Ok(Some(FolderVersion { commit: Some((nearest, n)), ..at_tag }));
        }
        // A state between releases, if most files are that, or far less was edited.
        let at_commit = self.compared(&place, &Choice::Commit(number), of_commit)?;
        let at_commit = FolderVersion { tags: None, ..at_commit };
        let is_commit = is_clear || at_commit.is_exact();
        let nearest_tag = at_tag.tags.clone().filter(|_| is_commit);
        let chosen = if is_commit { at_commit } else { at_tag };
        Ok(Some(FolderVersion { nearest_tag, commit: Some((nearest, n)), ..chosen }))
    }

    /// The best tags: by lines of code, then by files, as comments tell, too.
    fn best_tags(&self, place: &Place<'_>) -> Result<BestTags, Error> {
        let names = self.releases.tags.iter().enumerate().filter(|(_, (_, name))| !name.is_empty());
        let mut tags = Vec::from_iter(names.map(|(at, _)| (place.n_other(place.at_tag(at)), at)));
        // What the nearest leave bounds what has to be read of the others.
        tags.sort_unstable();
        let (mut least, mut best) = (None, Vec::new());
        for (n_other, tag) in tags {
            let limit = least.map_or(usize::MAX, |(n_lines, _)| n_lines + 1);
            let n_lines = self.n_differing(&place.members, place.at_tag(tag), limit)?;
            let Some(n_lines) = n_lines else { continue };
            if least.is_none_or(|least| (n_lines, n_other) < least) {
                (least, best) = (Some((n_lines, n_other)), Vec::new());
            }
            best.extend((least == Some((n_lines, n_other))).then_some(tag));
        }
        best.sort_unstable();
        // In a repository of several modules, `module/v1.2` is a release of one of its folders.
        let first = place.members.first();
        let there = first.and_then(|of| place.mappings[0].there(&of.copy.source.path));
        let own = Vec::from_iter(best.iter().copied().filter(|&tag| {
            let name = self.releases.tags[tag].1.as_bytes();
            let module = memchr::memrchr(b'/', name).map(|end| &name[..end]);
            module.zip(there.as_ref()).is_some_and(|(of, there)| there.below(of).is_some())
        }));
        Ok((least, if own.is_empty() { best } else { own }))
    }

    /// The same with how each file differs from a version, in the place with most of them there.
    fn compared(
        &self,
        place: &Place<'f>,
        choice: &Choice,
        version: FolderVersion,
    ) -> Result<FolderVersion, Error> {
        let mut n_files = Vec::new();
        for mapping in &place.mappings {
            let members = place.members.iter();
            let paths = members.filter_map(|member| self.path_of(mapping, member.copy));
            let blobs = paths.map(|path| self.releases.blob_in(choice, path));
            n_files.push(blobs.collect::<Result<Vec<_>, Error>>()?.into_iter().flatten().count());
        }
        let members = Vec::from_iter(place.members.iter().map(|member| &*member.copy.source));
        let paths: Vec<&FilePath> = members.iter().map(|source| &source.path).collect();
        let mapping = place.mappings[most(&place.mappings, |number| n_files[number])].clone();
        let mapping = mapping.innermost(&paths);
        let [folder, origin] = [&mapping.folder, &mapping.origin].map(FilePath::new);
        let difference = Difference {
            releases: &self.releases,
            tree: self.tree,
            mapping: &mapping,
            elsewhere: &place.elsewhere,
            holding: self.copies.iter().map(|copy| &copy.source.path).collect(),
            choice,
            members,
        };
        difference.of(FolderVersion { folder, origin, ..version })
    }

    /// Whether most files next to the members, with endings like theirs, were never in the
    /// component: a project that keeps two files of a library among its own is no copy of it.
    fn is_among_others(&self, place: &Place<'f>) -> bool {
        let kinds: HashSet<_> =
            place.members.iter().map(|member| kind(&member.copy.source.path)).collect();
        let others = self.tree.paths().filter(|path| {
            let mut names = place.mappings.iter().filter_map(|mapping| mapping.there(path));
            kinds.contains(&kind(path)) && !names.any(|of| self.releases.paths.contains_key(&of))
        });
        others.count() > place.members.len()
    }

    /// The first commit after which the files differ least, in lines and then in bytes, if that is
    /// less than at any tag, with the lines that differ.
    fn nearest_commit(
        &self,
        place: &Place<'f>,
        least: Option<usize>,
    ) -> Result<Option<(u32, PastCommit, usize)>, Error> {
        let mut steps: BTreeMap<u32, Vec<(usize, Option<u32>)>> = BTreeMap::new();
        let mut now = Vec::new();
        for (number, member) in place.members.iter().enumerate() {
            let changes = self.changes(&place.mappings, member.copy)?;
            now.push(changes.first().and_then(|change| change.before));
            for change in changes {
                steps.entry(change.commit).or_default().push((number, change.after));
            }
        }
        let mut limit = least.unwrap_or(usize::MAX);
        let mut best: Option<((usize, usize), u32)> = None;
        for (commit, changed) in steps {
            changed.into_iter().for_each(|(number, after)| now[number] = after);
            let n = self.n_differing(&place.members, |number| now[number], limit)?;
            let Some(n) = n else { continue };
            let rating = (n, place.n_other(|number| now[number]));
            if best.is_none_or(|(least, _)| rating < least) {
                (limit, best) = (n + 1, Some((rating, commit)));
            }
        }
        let Some(((n, _), number)) = best else { return Ok(None) };
        Ok(Some((number, self.releases.project.past_commit(number)?, n)))
    }
}

/// The folder of a file, and how its name ends.
fn kind(path: &FilePath) -> (&[u8], &[u8]) {
    let name = path.name();
    (path.folder(), &name[memchr::memrchr(b'.', name).unwrap_or(name.len())..])
}

impl<'f> Place<'f> {
    /// The folders with files that are copies.
    fn folders(&self) -> BTreeSet<&'f [u8]> {
        let whole = self.members.iter().filter(|member| member.is_whole);
        whole.map(|member| member.copy.source.path.folder()).collect()
    }

    /// For each member, its blob at a tag.
    fn at_tag(&self, tag: usize) -> impl Fn(usize) -> Option<u32> {
        move |number| self.members[number].at_tags[tag]
    }

    /// The files that do not have the bytes of the blobs that they were in a version.
    fn n_other(&self, blob_of: impl Fn(usize) -> Option<u32>) -> usize {
        let members = self.members.iter().enumerate();
        members.filter(|(number, of)| of.own.is_none() || of.own != blob_of(*number)).count()
    }
}
