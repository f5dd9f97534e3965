//! Lists the kinds of pull requests, and builds them from a seed.

use std::ops::RangeInclusive;

use super::builder::{Builder, Copy};
use super::{copies, harmless};
use crate::git::State;
use crate::tree::Tree;
use support::Random;

/// A kind of pull request.
#[derive(Debug)]
pub struct Kind {
    /// Its name, for `--kinds` and the tables.
    pub name: &'static str,
    /// Whether it copies something.
    pub is_copy: bool,
    build: fn(&mut Builder<'_>) -> Option<()>,
}

const fn copy(name: &'static str, build: fn(&mut Builder<'_>) -> Option<()>) -> Kind {
    Kind { name, is_copy: true, build }
}

const fn harmless(name: &'static str, build: fn(&mut Builder<'_>) -> Option<()>) -> Kind {
    Kind { name, is_copy: false, build }
}

/// All kinds, in the order of the tables.
pub static KINDS: &[Kind] = &[
    copy("type-1-exact", copies::exact),
    copy("type-1-layout", copies::other_layout),
    copy("type-2-consistent", copies::renamed),
    copy("type-2-inconsistent", copies::loosely_renamed),
    copy("type-3-light", copies::lightly_edited),
    copy("type-3-heavy", copies::heavily_edited),
    copy("same-file", copies::same_file),
    copy("whole-file", copies::whole_file),
    copy("reordered", copies::reordered),
    copy("third-copy", copies::third_copy),
    copy("new-twice", copies::new_twice),
    copy("origin-edited", copies::origin_edited),
    harmless("moved", harmless::moved),
    harmless("moved-inside", harmless::moved_inside),
    harmless("file-renamed", harmless::file_renamed),
    harmless("file-renamed-edited", harmless::file_renamed_and_edited),
    harmless("file-split", harmless::file_split),
    harmless("reindented", harmless::reindented),
    harmless("rewrapped", harmless::rewrapped),
    harmless("crlf", harmless::crlf),
    harmless("license-added", harmless::license_added),
    harmless("imports-added", harmless::imports_added),
    harmless("renamed-in-place", harmless::renamed_in_place),
    harmless("lines-edited", harmless::tweaked),
    harmless("unrelated-code", harmless::unrelated),
    harmless("beside-old-clone", harmless::beside_old_clone),
    harmless("inside-old-clone", harmless::inside_old_clone),
    harmless("same-edit-in-both", harmless::inside_both),
    harmless("added-and-removed", harmless::added_and_removed),
];

/// The kind named `name`, for the command line.
pub fn kind(name: &str) -> Result<&'static Kind, String> {
    let all = || KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
    KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| format!("the kinds are: {}", all()))
}

/// A pull request, and what is true of it.
#[derive(Debug)]
pub struct Pull {
    /// Its number, which with the seed decides all of it.
    pub number: usize,
    pub kind: &'static Kind,
    /// The number of its tree.
    pub tree: usize,
    /// What differs from the tree: in the base, then after each commit.
    pub states: Vec<State>,
    pub copies: Vec<Copy>,
    /// What was done, for people.
    pub notes: Vec<String>,
}

impl Pull {
    /// The branch of its last commit.
    pub fn head(&self) -> String {
        format!("pull-{:04}", self.number)
    }

    /// The branch of its base.
    pub fn base(&self) -> String {
        format!("{}-base", self.head())
    }
}

/// What pull requests are built from.
#[derive(Debug)]
pub struct Plan<'t> {
    pub trees: &'t [Tree],
    pub kinds: Vec<&'static Kind>,
    pub seed: u64,
    /// The lengths of copies, in tokens.
    pub sizes: RangeInclusive<usize>,
}

/// Times that a pull request is begun anew when luck was against it.
const N_ATTEMPTS: u64 = 40;

impl Plan<'_> {
    /// Builds the pull request numbered `number`; `None` when no tree has what its kind needs.
    ///
    /// The kinds take turns, and so do the trees.
    pub fn build(&self, number: usize) -> Option<Pull> {
        let kind = self.kinds[number % self.kinds.len()];
        let first = number / self.kinds.len();
        (0..self.trees.len())
            .find_map(|at| self.build_from(number, kind, (first + at) % self.trees.len()))
    }

    fn build_from(&self, number: usize, kind: &'static Kind, tree: usize) -> Option<Pull> {
        (0..N_ATTEMPTS).find_map(|attempt| {
            let random =
                Random::new(self.seed, (number as u64) << 16 | (tree as u64) << 8 | attempt);
            let mut builder = Builder::new(&self.trees[tree], random, self.sizes.clone());
            (kind.build)(&mut builder)?;
            if kind.is_copy {
                harmless::company(&mut builder);
            }
            let (states, copies, notes) = builder.finish()?;
            Some(Pull { number, kind, tree, states, copies, notes })
        })
    }
}
