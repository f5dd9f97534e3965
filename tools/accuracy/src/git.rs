//! Writes git repositories, by `git fast-import`.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};

use crate::error::Error;

/// The text of each path, `None` where there is no file.
pub type State = BTreeMap<String, Option<String>>;

/// Writes a new bare repository at `repository`, with the commits that `fill` makes.
pub fn write(
    repository: &Path,
    fill: impl FnOnce(&mut Importer) -> io::Result<()>,
) -> Result<(), Error> {
    if repository.exists() {
        fs::remove_dir_all(repository).map_err(Error::writing(repository))?;
    }
    fs::create_dir_all(repository).map_err(Error::writing(repository))?;
    run(
        git(repository).args(["init", "--quiet", "--bare", "--initial-branch=tree"]),
        "make a repository",
    )?;
    let mut child = git(repository)
        .args(["fast-import", "--quiet", "--done"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|why| Error::Git { doing: "start `git fast-import`", why: why.to_string() })?;
    let input = child.stdin.take().expect("its input is piped");
    let mut importer = Importer { out: BufWriter::new(input), n_commits: 0 };
    let written = fill(&mut importer).and_then(|()| importer.finish());
    let output =
        child.wait_with_output().map_err(|why| failed("fill a repository", why.to_string()))?;
    match (output.status.success(), written) {
        (true, Ok(())) => Ok(()),
        (false, _) => Err(failed(
            "fill a repository",
            String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        )),
        (_, Err(why)) => Err(failed("fill a repository", why.to_string())),
    }
}

/// Git in the repository, deaf to the user's settings.
pub fn git(repository: &Path) -> Command {
    let mut command = command(Path::new("git"));
    command
        .arg("-C")
        .arg(repository)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

/// A command that inherits no settings of git, nor of the program under test.
pub fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    let is_heard = |name: &str| name.starts_with("GIT_") || name.starts_with("SECONDHAND_");
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_heard)) {
        command.env_remove(name);
    }
    command
}

/// Runs a git command for its effect.
pub fn run(command: &mut Command, doing: &'static str) -> Result<(), Error> {
    let output = command.output().map_err(|why| failed(doing, why.to_string()))?;
    let why = || String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if output.status.success() { Ok(()) } else { Err(failed(doing, why())) }
}

/// Commits that `repository` has most lately, that are no merges and have a parent.
pub fn commits(repository: &Path) -> Result<Vec<String>, Error> {
    const DOING: &str = "list commits";
    let mut command = git(repository);
    command.args(["rev-list", "--no-merges", "--min-parents=1", "--max-count=6000", "HEAD"]);
    let output = command.output().map_err(|why| failed(DOING, why.to_string()))?;
    if !output.status.success() {
        return Err(failed(DOING, String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

fn failed(doing: &'static str, why: String) -> Error {
    Error::Git { doing, why }
}

/// Takes commits, one after the other.
pub struct Importer {
    out: BufWriter<ChildStdin>,
    n_commits: usize,
}

impl Importer {
    /// Writes a commit of what differs between `state` and `before`; returns its mark.
    pub fn commit(
        &mut self,
        branch: &str,
        message: &str,
        parent: Option<usize>,
        state: &State,
        before: &State,
    ) -> io::Result<usize> {
        self.n_commits += 1;
        writeln!(self.out, "commit refs/heads/{branch}\nmark :{}", self.n_commits)?;
        writeln!(
            self.out,
            "committer Accuracy <accuracy@example.invalid> {} +0000",
            self.n_commits
        )?;
        writeln!(self.out, "data {}\n{message}", message.len())?;
        if let Some(parent) = parent {
            writeln!(self.out, "from :{parent}")?;
        }
        for (path, text) in state.iter().filter(|(path, text)| before.get(*path) != Some(*text)) {
            match text {
                Some(text) => writeln!(
                    self.out,
                    "M 100644 inline {}\ndata {}\n{text}",
                    quoted(path),
                    text.len()
                )?,
                None => writeln!(self.out, "D {}", quoted(path))?,
            }
        }
        writeln!(self.out)?;
        Ok(self.n_commits)
    }

    fn finish(&mut self) -> io::Result<()> {
        writeln!(self.out, "done")?;
        self.out.flush()
    }
}

/// The path as fast-import wants it.
fn quoted(path: &str) -> String {
    format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
