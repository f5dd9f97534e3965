//! Replaces the names of submissions: a report can be shown that does not reveal whose work it is.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::Comparison;
use crate::text::FilePath;

impl Comparison {
    /// The comparison with names replaced by numbers; and for each submission its new name.
    ///
    /// Numbers follow the contents of the submissions, not their names, and so does every order: a
    /// list of names says nothing about them. A file keeps the end of its name, which says its
    /// language. Code is shown as it is, names in comments included.
    pub fn with_pseudonyms(mut self) -> (Self, Vec<(FilePath, FilePath)>) {
        let mut order: Vec<usize> = (0..self.submissions.len()).collect();
        order.sort_unstable_by_key(|&at| (self.submissions[at].digest, at));
        let width = order.len().to_string().len();
        // The new place of each submission, which is its number.
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &at)| places[at] = place);
        let named = self.submissions.iter().zip(&places);
        let key = Vec::from_iter(named.map(|(submission, place)| {
            let name = format!("submission-{:0width$}", place + 1);
            (submission.name.clone(), FilePath::new(name))
        }));

        let mut renamed =
            NameMap { names: &key, files: BTreeMap::new(), n_files: vec![0; key.len()] };
        for pair in &mut self.pairs {
            for found in &mut pair.matches {
                found.a.0 = renamed.file(pair.a, &found.a.0);
                found.b.0 = renamed.file(pair.b, &found.b.0);
            }
            (pair.a, pair.b) = (places[pair.a], places[pair.b]);
            if pair.a > pair.b {
                pair.swap();
            }
        }
        self.pairs.sort_unstable_by(|one, other| {
            one.rank(other).then((one.a, one.b).cmp(&(other.a, other.b)))
        });
        let texts = std::mem::take(&mut self.texts).into_iter();
        let texts = texts.filter_map(|(at, text)| Some((renamed.files.get(&at)?.clone(), text)));
        self.texts = texts.collect();
        self.skipped.iter_mut().for_each(|of| of.path = renamed.left_out(&of.path));
        self.skipped.sort_unstable();
        self.limited.iter_mut().for_each(|(path, _)| *path = renamed.left_out(path));
        self.limited.sort_unstable();
        for cluster in &mut self.clusters {
            cluster.iter_mut().for_each(|at| *at = places[*at]);
            cluster.sort_unstable();
        }
        self.clusters.sort_unstable_by_key(|cluster| (Reverse(cluster.len()), cluster[0]));
        for link in &mut self.links {
            let (a, b) = (places[link.0], places[link.1]);
            (link.0, link.1) = (a.min(b), a.max(b));
        }
        self.links.sort_unstable_by(|one, other| {
            other.2.total_cmp(&one.2).then((one.0, one.1).cmp(&(other.0, other.1)))
        });
        for (submission, (_, name)) in self.submissions.iter_mut().zip(&key) {
            submission.name = name.clone();
        }
        self.submissions.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        (self, key)
    }
}

struct NameMap<'k> {
    names: &'k [(FilePath, FilePath)],
    files: BTreeMap<FilePath, FilePath>,
    /// For each submission, the number of its files that have a new name.
    n_files: Vec<usize>,
}

impl NameMap<'_> {
    /// The new name of a file of submission `at`: that of the submission, a number, its extension.
    fn file(&mut self, at: usize, path: &FilePath) -> FilePath {
        if let Some(renamed) = self.files.get(path) {
            return renamed.clone();
        }
        let (name, new) = &self.names[at];
        let mut renamed = new.as_bytes().to_vec();
        if path != name {
            self.n_files[at] += 1;
            renamed.extend(format!("/file-{}", self.n_files[at]).as_bytes());
        }
        if let Some(extension) = path.extension().filter(|of| of.len() <= MAX_EXTENSION) {
            renamed.push(b'.');
            renamed.extend(extension);
        }
        let renamed = FilePath::new(renamed);
        self.files.insert(path.clone(), renamed.clone());
        renamed
    }

    fn left_out(&mut self, path: &FilePath) -> FilePath {
        let at = self.names.iter().position(|(name, _)| {
            let rest = path.as_bytes().strip_prefix(name.as_bytes());
            rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
        });
        match at {
            Some(at) => self.file(at, path),
            None => FilePath::new(&b"handed-out code"[..]),
        }
    }
}

/// Maximum bytes of an extension: what is longer may be a part of a name.
const MAX_EXTENSION: usize = 7;
