//! Finds the program under test, and runs it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::error::Error;
use crate::git::command;

/// The program under test, and its settings.
#[derive(Debug)]
pub struct Program {
    pub binary: PathBuf,
    /// `KEY=VALUE`, as for its `--set`.
    pub settings: Vec<String>,
}

/// Which program is measured, and how it is set.
#[derive(Debug, clap::Args)]
pub struct Chosen {
    /// Measure this program [default: the release build of this workspace, built first]
    #[arg(long, value_name = "PATH")]
    pub binary: Option<PathBuf>,
    /// Set an option of the program
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
}

impl Program {
    /// The chosen program; cargo builds it when none is named.
    pub fn new(chosen: &Chosen) -> Result<Self, Error> {
        let binary = chosen.binary.clone().map_or_else(build, Ok)?;
        Ok(Self { binary, settings: chosen.settings.clone() })
    }

    /// The program, about to run its command `name` over `repository`: with no settings but ours,
    /// on one thread.
    pub fn command(&self, name: &str, repository: &Path) -> Command {
        let mut command = command(&self.binary);
        command.arg(name).arg("-C").arg(repository);
        command.args(["--format", "json", "--isolated", "--no-progress", "--threads", "1"]);
        command.args(self.settings.iter().flat_map(|setting| ["--set", setting]));
        command
    }

    /// Runs `command` and reads the report that it prints.
    pub fn report<R: for<'d> Deserialize<'d>>(command: &mut Command) -> Result<R, Error> {
        let shown = format!("{command:?}").replace('"', "");
        let failed = |why: String| Error::Audit { command: shown.clone(), why };
        let output = command.output().map_err(|why| failed(why.to_string()))?;
        // 0 is clean, 1 is findings; whatever else is no audit.
        if !matches!(output.status.code(), Some(0 | 1)) {
            return Err(failed(format!(
                "{}: {}",
                output.status,
                String::from_utf8_lossy(&output.stderr).trim()
            )));
        }
        serde_json::from_slice(&output.stdout)
            .map_err(|why| failed(format!("its report cannot be read: {why}")))
    }
}

/// Where cargo says that it put a program.
#[derive(Deserialize)]
struct Artifact {
    executable: Option<PathBuf>,
}

/// Has cargo build the release binary of this workspace, and returns where it is.
fn build() -> Result<PathBuf, Error> {
    let failed = |why: String| Error::Build { why };
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).stderr(Stdio::inherit());
    command.args(["build", "--release", "--locked", "--bin", "secondhand"]);
    let output = command.arg("--message-format=json-render-diagnostics").output();
    let output = output.map_err(|why| failed(why.to_string()))?;
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let mut executables =
        messages.lines().filter_map(|line| serde_json::from_str::<Artifact>(line).ok()?.executable);
    executables.next_back().ok_or_else(|| failed("cargo names no executable".to_owned()))
}
