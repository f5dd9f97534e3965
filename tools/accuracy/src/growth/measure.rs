//! Measures the CPU time of a command.

use std::process::{Command, Stdio};

use crate::error::Error;

/// What one run may use, at most.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Seconds of CPU time.
    pub seconds: u32,
    /// Megabytes of address space.
    pub megabytes: u32,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Run {
    /// It ended by itself, after so many user CPU seconds.
    Done(f64),
    /// It used all the CPU time it may.
    TooLong,
    /// It ended without a verdict: exit status and what it said.
    Failed(String),
}

/// Runs `command` under a shell, which knows what it used: the standard library does not.
///
/// CPU time, not the time on the wall, is measured and limited: a machine that is busy with other
/// work changes it little.
pub fn run(command: &Command, limits: Limits) -> Result<Run, Error> {
    // `times` prints a line for the shell, and one for what it ran: minutes and seconds, user and
    // system.
    const SCRIPT: &str =
        r#"ulimit -t "$0" -v "$1"; shift; "$@" > /dev/null; status=$?; times; exit $status"#;
    let mut shell = Command::new("bash");
    shell.args([
        "-c",
        SCRIPT,
        &limits.seconds.to_string(),
        &(u64::from(limits.megabytes) * 1024).to_string(),
    ]);
    shell.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let shown = format!("{command:?}").replace('"', "");
    let failed = |why: String| Error::Audit { command: shown.clone(), why };
    let output = shell.stdin(Stdio::null()).output().map_err(|why| failed(why.to_string()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        // 0 is clean, 1 is findings; whatever else is no audit.
        Some(0 | 1) => {
            let times = String::from_utf8_lossy(&output.stdout);
            let user = times.lines().nth(1).and_then(|line| seconds(line.split(' ').next()?));
            user.map(Run::Done)
                .ok_or_else(|| failed(format!("the shell does not tell its time: {times}")))
        }
        // SIGXCPU, or SIGKILL when that was not heeded: 128 and their numbers.
        Some(152 | 137) => Ok(Run::TooLong),
        status => {
            let first = said.lines().find(|line| !line.is_empty()).unwrap_or_default();
            Ok(Run::Failed(format!("exit status {}: {first}", status.unwrap_or(-1))))
        }
    }
}

/// Reads `1m2.345s`.
fn seconds(text: &str) -> Option<f64> {
    let (minutes, seconds) = text.strip_suffix('s')?.split_once('m')?;
    Some(60.0 * minutes.parse::<f64>().ok()? + seconds.parse::<f64>().ok()?)
}
