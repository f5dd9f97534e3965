//! Writes trees and pull requests into bare git repositories, by `git fast-import`.

use std::env;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::draft::State;
use crate::error::Error;
use crate::pull::Pull;
use crate::tree::Tree;

/// Writes `tree` and its pull requests into a new repository under `folder`; returns where it is.
pub fn write<'p>(folder: &Path, tree: &Tree, pulls: impl Iterator<Item = &'p Pull>) -> Result<PathBuf, Error> {
    let repository = folder.join(format!("{}.git", tree.name));
    if repository.exists() {
        fs::remove_dir_all(&repository).map_err(Error::writing(&repository))?;
    }
    fs::create_dir_all(&repository).map_err(Error::writing(&repository))?;
    run(git(&repository).args(["init", "--quiet", "--bare", "--initial-branch=tree"]), "make a repository")?;
    let mut child = git(&repository)
        .args(["fast-import", "--quiet", "--done"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|why| Error::Git { doing: "start `git fast-import`", why: why.to_string() })?;
    let written = stream(&mut child, tree, pulls);
    let output = child.wait_with_output().map_err(|why| failed("fill a repository", why.to_string()))?;
    match (output.status.success(), written) {
        (true, Ok(())) => Ok(repository),
        (false, _) => Err(failed("fill a repository", String::from_utf8_lossy(&output.stderr).trim().to_owned())),
        (_, Err(why)) => Err(failed("fill a repository", why.to_string())),
    }
}

/// Git in the repository, deaf to the user's settings.
fn git(repository: &Path) -> Command {
    let mut command = command(Path::new("git"));
    command.arg("-C").arg(repository).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

/// A command that hears nothing of the repository and the settings that the benchmark is started with.
pub fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    let is_heard = |name: &str| name.starts_with("GIT_") || name.starts_with("SECONDHAND_");
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_heard)) {
        command.env_remove(name);
    }
    command
}

fn run(command: &mut Command, doing: &'static str) -> Result<(), Error> {
    let output = command.output().map_err(|why| failed(doing, why.to_string()))?;
    let why = || String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if output.status.success() { Ok(()) } else { Err(failed(doing, why())) }
}

fn failed(doing: &'static str, why: String) -> Error {
    Error::Git { doing, why }
}

/// Writes the commands of fast-import, and closes its input.
fn stream<'p>(child: &mut Child, tree: &Tree, pulls: impl Iterator<Item = &'p Pull>) -> io::Result<()> {
    let input = child.stdin.take().ok_or_else(|| io::Error::other("it has no input"))?;
    let mut importer = Importer { out: BufWriter::new(input), n_commits: 0 };
    let all: State = tree.files.iter().map(|file| (file.path.clone(), Some(file.scan.text.clone()))).collect();
    let root = importer.commit("tree", "The tree", None, &all, &State::new())?;
    for pull in pulls {
        importer.pull(pull, tree, root)?;
    }
    writeln!(importer.out, "done")?;
    importer.out.flush()
}

struct Importer<W: Write> {
    out: BufWriter<W>,
    n_commits: usize,
}

impl<W: Write> Importer<W> {
    fn pull(&mut self, pull: &Pull, tree: &Tree, root: usize) -> io::Result<()> {
        let mut before = State::new();
        let mut parent = root;
        for (at, state) in pull.states.iter().enumerate() {
            let branch = if at == 0 { pull.base() } else { pull.head() };
            let message = format!("{}, state {at}: {}", pull.kind.name, pull.notes.join("; "));
            parent = self.commit(&branch, &message, Some(parent), &complete(state, &before, tree), &before)?;
            before = state.clone();
        }
        Ok(())
    }

    /// Writes a commit of what differs between `state` and `before`; returns its mark.
    fn commit(
        &mut self,
        branch: &str,
        message: &str,
        parent: Option<usize>,
        state: &State,
        before: &State,
    ) -> io::Result<usize> {
        self.n_commits += 1;
        writeln!(self.out, "commit refs/heads/{branch}\nmark :{}", self.n_commits)?;
        writeln!(self.out, "committer Accuracy <accuracy@example.invalid> {} +0000", self.n_commits)?;
        writeln!(self.out, "data {}\n{message}", message.len())?;
        if let Some(parent) = parent {
            writeln!(self.out, "from :{parent}")?;
        }
        for (path, text) in state.iter().filter(|(path, text)| before.get(*path) != Some(*text)) {
            match text {
                Some(text) => writeln!(self.out, "M 100644 inline {}\ndata {}\n{text}", quoted(path), text.len())?,
                None => writeln!(self.out, "D {}", quoted(path))?,
            }
        }
        writeln!(self.out)?;
        Ok(self.n_commits)
    }
}

/// The state, and the tree's own text of what only the state before had changed.
fn complete(state: &State, before: &State, tree: &Tree) -> State {
    let own = |path: &String| tree.files.iter().find(|file| file.path == *path).map(|file| file.scan.text.clone());
    let back = before.keys().filter(|path| !state.contains_key(*path)).map(|path| (path.clone(), own(path)));
    state.clone().into_iter().chain(back).collect()
}

/// The path as fast-import wants it.
fn quoted(path: &str) -> String {
    format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
