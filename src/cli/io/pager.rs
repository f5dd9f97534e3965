//! Shows a long text in the pager of the user, as git does.

use std::env;
use std::io::{self, BufWriter, Write};
use std::process::{Child, Command, Stdio};

/// A pager that waits for a text.
pub(super) struct Pager(Child);

impl Pager {
    /// Starts the pager of the environment: that of `GIT_PAGER`, of `PAGER`, or `less`. `None` if
    /// there is to be none, or it cannot be started. A pager in the configuration of a repository
    /// is not run.
    pub fn start() -> Option<Self> {
        let named = |name| env::var(name).ok();
        let line =
            named("GIT_PAGER").or_else(|| named("PAGER")).unwrap_or_else(|| "less".to_owned());
        let words: Vec<&str> = line.split_whitespace().collect();
        let (program, arguments) = words.split_first().filter(|(program, _)| **program != "cat")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped());
        // As git sets them: colors pass, and a text that fits the screen stays there.
        let unset = |name: &&(&str, &str)| env::var_os(name.0).is_none();
        command.envs([("LESS", "FRX"), ("LV", "-c")].iter().filter(unset).copied());
        command.spawn().ok().map(Self)
    }

    /// Shows what `write` writes, until the reader has seen enough.
    pub fn show(mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let written = self.0.stdin.take().map_or(Ok(()), |input| {
            let mut input = BufWriter::new(input);
            write(&mut input).and_then(|()| input.flush())
        });
        self.0.wait()?;
        written
    }
}
