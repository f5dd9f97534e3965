//! Writes a tree and its pull requests into a repository.

use std::io;
use std::path::{Path, PathBuf};

use super::kinds::Pull;
use crate::error::Error;
use crate::git::{self, Importer, State};
use crate::tree::Tree;

/// Writes `tree` and its pull requests into a new repository under `folder`; returns where it is.
pub fn write<'p>(
    folder: &Path,
    tree: &Tree,
    pulls: impl Iterator<Item = &'p Pull>,
) -> Result<PathBuf, Error> {
    let repository = folder.join(format!("{}.git", tree.name));
    git::write(&repository, |importer| {
        let all: State = tree
            .files
            .iter()
            .map(|file| (file.path.clone(), Some(file.scan.text.clone())))
            .collect();
        let root = importer.commit("tree", "The tree", None, &all, &State::new())?;
        pulls.into_iter().try_for_each(|pull| write_pull(importer, pull, tree, root))
    })?;
    Ok(repository)
}

fn write_pull(importer: &mut Importer, pull: &Pull, tree: &Tree, root: usize) -> io::Result<()> {
    let mut before = State::new();
    let mut parent = root;
    for (at, state) in pull.states.iter().enumerate() {
        let branch = if at == 0 { pull.base() } else { pull.head() };
        let message = format!("{}, state {at}: {}", pull.kind.name, pull.notes.join("; "));
        parent = importer.commit(
            &branch,
            &message,
            Some(parent),
            &complete(state, &before, tree),
            &before,
        )?;
        before = state.clone();
    }
    Ok(())
}

/// The state, and the tree's own text of what only the state before had changed.
fn complete(state: &State, before: &State, tree: &Tree) -> State {
    let own = |path: &String| {
        tree.files.iter().find(|file| file.path == *path).map(|file| file.scan.text.clone())
    };
    let back = before
        .keys()
        .filter(|path| !state.contains_key(*path))
        .map(|path| (path.clone(), own(path)));
    state.clone().into_iter().chain(back).collect()
}
