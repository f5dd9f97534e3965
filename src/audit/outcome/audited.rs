//! The result of auditing a whole tree: which files contain code of which components.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::policy::{
    Component, Finding, FirstAppearance, PastCommit, Place, Verdict, unversioned_purl,
};
use crate::text::FilePath;

/// How much of a tree was found in corpora.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AuditSummary {
    /// The name of the tree.
    pub project: String,
    /// Its revision: a commit, or the work tree on one.
    pub revision: String,
    /// What it was compared with.
    pub corpora: Vec<ExaminedCorpus>,
    /// When it was recorded or examined, in seconds since 1970.
    pub time: i64,
    /// Files that were compared.
    pub n_files: usize,
    /// The number of their tokens.
    pub n_tokens: usize,
    /// Those of the tokens that were found in a corpus.
    pub n_copied: usize,
    /// The files with such tokens, sorted by path.
    pub files: Vec<CopiedFile>,
    /// Whose code that is, the largest share first.
    pub components: Vec<ComponentCopy>,
    /// Short fragments that may read like code of components by chance, sorted by path.
    pub possible: Vec<Possible>,
    /// Which versions of components its folders are, as far as corpora know; sorted by folder.
    pub versions: Vec<FolderVersion>,
    /// The fixes of security faults that copies have, by file.
    pub fixes: Vec<HeldFix>,
    /// What the history added, if requested: by path and component, the oldest first.
    pub brought: Option<Vec<Introduction>>,
}

impl AuditSummary {
    /// The component that explains a part of a file, with the version that this file is of.
    pub fn component_of(&self, part: &Explanation) -> Component {
        let component = &self.components[part.component].component;
        if component.version == part.version {
            return (**component).clone();
        }
        Component { version: part.version.clone(), ..component.unversioned() }
    }

    /// Gives each component a package URL, also in findings: programs leave out those without one.
    pub fn complete_purls(&mut self, findings: &mut [Finding]) {
        let origins = findings.iter_mut().flat_map(|of| &mut of.origins);
        let found = origins.filter_map(|of| match &mut of.place {
            Place::Component(component) => Some(component),
            _ => None,
        });
        for component in self.components.iter_mut().map(|of| &mut of.component).chain(found) {
            let component = Arc::make_mut(component);
            component.purl.get_or_insert_with(|| generic_purl(&component.name));
        }
    }

    /// The number of components in the rows that count: one has a row for each license.
    pub fn n_components(&self, counts: impl Fn(&ComponentCopy) -> bool) -> usize {
        let rows = self.components.iter().filter(|taken| counts(taken));
        let named = rows.map(|taken| (&taken.component.corpus, &taken.component.name));
        named.collect::<BTreeSet<_>>().len()
    }

    /// The number of a component, if code of it explains a part of a file.
    pub fn explaining(&self, file: &CopiedFile, component: &Component) -> Option<usize> {
        let mut numbers = file.origins.iter().map(|part| part.component);
        numbers.find(|&number| self.components[number].component.is_same(component))
    }

    /// The folders that were copied from a component, in its version.
    pub fn versions_of(&self, component: &Component) -> impl Iterator<Item = &FolderVersion> {
        let versions = self.versions.iter();
        versions.filter(move |of| of.is_of(component) && of.version() == component.version)
    }

    /// How a file relates to the one that it is a copy of, in the version of its folder.
    pub fn state_of(&self, file: &CopiedFile) -> State {
        if file.is_whole || self.versions.iter().any(|of| of.identical.contains(&file.path)) {
            return State::Identical;
        }
        if self.versions.iter().any(|of| of.equal.contains(&file.path)) {
            return State::Equal;
        }
        let edited = self.versions.iter().find_map(|of| {
            let edited = of.edited.iter().find(|edited| edited.path == file.path)?;
            Some(State::Edited { lines: edited.n_lines(), since: of.nearest() })
        });
        edited.unwrap_or(State::Part)
    }

    /// The commit that first added code of this component to a file, if the history was searched.
    pub fn brought_into(&self, path: &FilePath, component: &str) -> Option<&Introduction> {
        let mut brought = self.brought.iter().flatten();
        brought.find(|of| of.path == *path && of.component.name == component)
    }
}

/// A fix of a security fault that a copy has.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldFix {
    /// The file.
    pub path: FilePath,
    /// Whose code it is.
    pub component: Component,
    /// The commit that made it.
    pub commit: PastCommit,
}

/// A corpus that a tree was compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExaminedCorpus {
    /// Its name.
    pub name: String,
    /// A digest of everything in it, in hexadecimal; `None` for what is in an engine.
    pub digest: Option<String>,
}

/// Code of a component that a commit added to a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Introduction {
    /// The file.
    pub path: FilePath,
    /// The first commit that has the code in this file.
    pub first: FirstAppearance,
    /// Whose it is.
    pub component: Arc<Component>,
    /// The file of the component.
    pub origin: FilePath,
    /// The verdict of the policy.
    pub verdict: Verdict,
    /// How much of the file it was, 0 to 1.
    pub containment: f64,
    /// Whether the head still has code of the component in this file.
    pub is_in_head: bool,
    /// Notes about the dates: which side is older, and whether they can be trusted.
    pub notes: Vec<String>,
}

/// A file that contains code of components.
#[derive(Debug, Clone, PartialEq)]
pub struct CopiedFile {
    /// The file.
    pub path: FilePath,
    /// The SHA-1 of its content, in hexadecimal.
    pub sha1: String,
    /// Its tokens.
    pub n_tokens: usize,
    /// The number of those that were found in a corpus.
    pub n_copied: usize,
    /// Whether it is identical to a file of a component.
    pub is_whole: bool,
    /// What explains it, the largest share first; each token is explained once.
    pub origins: Vec<Explanation>,
    /// The first commit that has it, for a file from the history.
    pub first: Option<FirstAppearance>,
}

/// How a file relates to the one that it is a copy of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It has the same bytes.
    Identical,
    /// It differs in comments and layout only.
    Equal,
    /// It was edited.
    Edited {
        /// Lines that were added and removed.
        lines: (usize, usize),
        /// The version of its folder, with which it was compared.
        since: Option<String>,
    },
    /// It contains code of it.
    Part,
}

/// What explains a part of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The number of the component.
    pub component: usize,
    /// The file of the component.
    pub path: FilePath,
    /// The versions of the component that have this file as it was copied, or the commit that does.
    pub version: Option<String>,
    /// The number of tokens that it explains.
    pub n_tokens: usize,
}

/// An idiom that a component has, too: no evidence that it was copied.
#[derive(Debug, Clone, PartialEq)]
pub struct Possible {
    /// The file.
    pub path: FilePath,
    /// The component, with the version of its file.
    pub component: Arc<Component>,
    /// The file of the component.
    pub origin: FilePath,
    /// The tokens that are alike.
    pub n_tokens: usize,
}

/// What was copied from a component, under one license.
#[derive(Debug, Clone, PartialEq)]
pub struct ComponentCopy {
    /// The component; with a version if the code is in folders of that, or all of it is from that.
    pub component: Arc<Component>,
    /// The verdict of the policy.
    pub verdict: Verdict,
    /// The number of files with code of it.
    pub n_files: usize,
    /// The number of tokens that it explains.
    pub n_tokens: usize,
    /// The license texts of the component, as far as the corpus has them.
    pub texts: Vec<String>,
}

/// A folder that was copied from a component, and the version that leaves least of it to explain.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FolderVersion {
    /// The folder; empty for the root.
    pub folder: FilePath,
    /// The copied files, where they are not the folder: a single one, or a few among others.
    pub files: Vec<FilePath>,
    /// The component.
    pub component: Arc<Component>,
    /// The folder of the component that it is a copy of; empty for its root.
    pub origin: FilePath,
    /// The first and the last of the tags whose files differ least; `None` if the component has no
    /// tags, or if most files are only those of a commit between tags.
    pub tags: Option<(String, String)>,
    /// The commit whose files differ less than those of any tag, with the lines that differ.
    pub commit: Option<(PastCommit, usize)>,
    /// The tags that fit best, where `commit` is the version.
    pub nearest_tag: Option<(String, String)>,
    /// Files that the version or another version of the component has, by name.
    pub n_files: usize,
    /// The lines with code of those that were found to be copies.
    pub n_lines: usize,
    /// Those of the files that are identical to the version's, sorted by path.
    pub identical: Vec<FilePath>,
    /// Where the version has these, which the component may have had elsewhere before.
    pub places: BTreeMap<FilePath, FilePath>,
    /// Those that differ in layout and comments only.
    pub equal: Vec<FilePath>,
    /// Those that differ in code, sorted by path.
    pub edited: Vec<EditedFile>,
    /// Those that are identical to a file of another version, with the versions or commit of it.
    pub of_others: Vec<(FilePath, String)>,
    /// Source files next to them that the version does not have.
    pub added: Vec<FilePath>,
    /// Whether there are more of those than copies: they are the project's own, and not listed.
    pub is_shared: bool,
    /// Files of the component next to theirs that the folder lacks, with their paths there.
    pub missing: Vec<FilePath>,
    /// Further ones in folders of which nothing was copied.
    pub n_missing_elsewhere: usize,
}

/// A file that was edited since it was copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedFile {
    /// The file.
    pub path: FilePath,
    /// The file of the component.
    pub origin: FilePath,
    /// The edits, in order.
    pub edits: Vec<EditedLines>,
}

/// Lines that were edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedLines {
    /// The lines of the origin that are gone; empty for an insertion, which comes before the first.
    pub removed: std::ops::Range<u32>,
    /// The lines that were added; empty for a deletion, which comes before the first.
    pub added: std::ops::Range<u32>,
    /// The lines that are gone, if the repository of the origin is available.
    pub removed_text: Option<Vec<Vec<u8>>>,
    /// The lines that were added.
    pub added_text: Vec<Vec<u8>>,
}

impl ComponentCopy {
    /// The order of components: the one that explains more comes first.
    pub fn by_size(&self, other: &Self) -> std::cmp::Ordering {
        (other.n_tokens, &self.component).cmp(&(self.n_tokens, &other.component))
    }
}

impl FolderVersion {
    /// Whether it is of this component.
    pub fn is_of(&self, component: &Component) -> bool {
        (&self.component.corpus, &self.component.name) == (&component.corpus, &component.name)
    }

    /// Whether it is that version: more files are identical than not. Those that are so but for
    /// comments and layout count half: releases may differ in few files. Of a commit between
    /// releases it takes twice as many: the folder may be a release that the corpus does not have.
    pub fn is_exact(&self) -> bool {
        let n_halves = 2 * self.identical.len() + self.equal.len();
        let n_others = self.n_files - self.n_same();
        if self.tags.is_some() { n_halves > 2 * n_others } else { n_halves >= 4 * n_others }
    }

    /// Whether it says how a file relates to the component.
    pub fn has(&self, path: &FilePath) -> bool {
        self.own().chain(self.of_others.iter().map(|(path, _)| path)).any(|of| of == path)
    }

    /// The files that are of the version, edited or not.
    pub fn own(&self) -> impl Iterator<Item = &FilePath> {
        self.identical.iter().chain(&self.equal).chain(self.edited.iter().map(|file| &file.path))
    }

    /// The files that are those of the version, at least but for comments and layout.
    pub fn n_same(&self) -> usize {
        self.identical.len() + self.equal.len()
    }

    /// The tag, range of tags that differ equally, or commit that it is; `None` if only nearest.
    pub fn version(&self) -> Option<String> {
        self.nearest().filter(|_| self.is_exact())
    }

    /// The version that it is, or is nearest to.
    pub fn nearest(&self) -> Option<String> {
        match (&self.tags, &self.commit) {
            (Some((first, last)), _) if first == last => Some(first.clone()),
            (Some((first, last)), _) => Some(format!("{first} to {last}")),
            (None, Some((commit, _))) => Some(commit.short().to_owned()),
            (None, None) => None,
        }
    }

    /// The package URL of the component, or a generic one, with the version, if it is a single one.
    pub fn purl(&self) -> Option<String> {
        let version = match (&self.tags, &self.commit) {
            _ if !self.is_exact() => return self.component.purl.clone(),
            (Some((first, last)), _) if first == last => number_of(&self.component.name, first),
            (None, Some((commit, _))) => commit.hash.clone(),
            _ => return self.component.purl.clone(),
        };
        let purl =
            self.component.purl.clone().unwrap_or_else(|| generic_purl(&self.component.name));
        let name = unversioned_purl(&purl);
        let end = name.find(['?', '#']).unwrap_or(name.len());
        Some(format!("{}@{}{}", &name[..end], percent_encoded(&version), &name[end..]))
    }

    /// Lines that were added and removed since.
    pub fn n_edited_lines(&self) -> (usize, usize) {
        let lines = self.edited.iter().map(EditedFile::n_lines);
        lines.fold((0, 0), |(added, removed), of_file| (added + of_file.0, removed + of_file.1))
    }
}

impl EditedFile {
    /// Lines that were added and removed.
    pub fn n_lines(&self) -> (usize, usize) {
        let edits = self.edits.iter();
        (edits.clone().map(|of| of.added.len()).sum(), edits.map(|of| of.removed.len()).sum())
    }
}

/// The number in a tag, or all of it: `1.2.8` in `v1.2.8`, `zlib-1.2.8` and `release-1.2.8`.
fn number_of(component: &str, tag: &str) -> String {
    let rest = tag.rsplit('/').next().unwrap_or(tag);
    let lower = rest.to_ascii_lowercase();
    let (component, v) = (component.to_ascii_lowercase(), ['-', '_', '.', 'v', 'V']);
    let prefixes = [component.as_str(), "release", "version", "ver", "v", "r"];
    let stripped =
        prefixes.iter().filter_map(|prefix| Some(rest.len() - lower.strip_prefix(prefix)?.len()));
    let candidates = stripped.map(|at| rest[at..].trim_start_matches(v));
    let mut candidates = [rest].into_iter().chain(candidates);
    let number = candidates.find(|text| text.starts_with(|c: char| c.is_ascii_digit()));
    number.unwrap_or(tag).to_owned()
}

/// The package URL of a component that has none.
pub fn generic_purl(name: &str) -> String {
    format!("pkg:generic/{}", percent_encoded(name))
}

/// A text as package URLs write it.
pub fn percent_encoded(text: &str) -> String {
    crate::text::percent_encoded(text.as_bytes(), b".-_~:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(purl: Option<&str>, tag: &str, expected: &str) {
        let (name, purl) = ("zlib".to_owned(), purl.map(ToOwned::to_owned));
        let component = Component { name, purl, ..Component::default() };
        let version = FolderVersion {
            component: Arc::new(component),
            tags: Some((tag.to_owned(), tag.to_owned())),
            n_files: 3,
            identical: vec![FilePath::new("a.c"), FilePath::new("b.c")],
            ..FolderVersion::default()
        };
        assert_eq!(version.purl().as_deref(), Some(expected));
    }

    #[test]
    fn a_package_url_gets_the_number_of_the_tag() {
        check(None, "v1.2.8", "pkg:generic/zlib@1.2.8");
        check(None, "zlib-1.2.8", "pkg:generic/zlib@1.2.8");
        check(None, "release-1_2", "pkg:generic/zlib@1_2");
        check(None, "nightly", "pkg:generic/zlib@nightly");
        check(Some("pkg:github/madler/zlib"), "v1.2.8", "pkg:github/madler/zlib@1.2.8");
        check(Some("pkg:npm/%40a/b@1?arch=x#y"), "2", "pkg:npm/%40a/b@2?arch=x#y");
    }
}
