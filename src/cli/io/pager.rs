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
        let line = env::var("GIT_PAGER").or_else(|_| env::var("PAGER"));
        let line = line.unwrap_or_else(|_| "less".to_owned());
        let words: Vec<&str> = line.split_whitespace().collect();
        let (program, arguments) = words.split_first().filter(|(program, _)| **program != "cat")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped());
        // As git sets them: colors pass, and a text that fits the screen stays there.
        for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
            command.env(name, env::var_os(name).unwrap_or_else(|| value.into()));
        }
        command.spawn().ok().map(Self)
    }

    /// Shows what `write` writes, until the reader has seen enough.
    pub fn show(mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let input = self.0.stdin.take();
        let written = input.map_or(Ok(()), |input| write(&mut BufWriter::new(input)));
        self.0.wait()?;
        written
    }
}
