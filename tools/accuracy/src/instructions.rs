//! Counts the instructions of seven small jobs, and holds them against those on record.
//!
//! A count repeats to a thousandth whatever else the machine does, so that a change is seen to cost
//! three hundredths when it is made. Counts belong to a compiler: another one makes other
//! instructions.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::columns::aligned;
use crate::error::Error;
use crate::git::{self, State};
use crate::growth::code::{
    copied, files, moved, near_duplicate, onto, register_writes, varied_functions,
};
use crate::growth::shapes::Change;
use crate::growth::write;
use crate::output::print;
use crate::program::{Chosen, Program};

/// Flags of `accuracy instructions`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Put these counts on record
    #[arg(long)]
    pub record: bool,
    #[command(flatten)]
    pub chosen: Chosen,
}

/// The counts on record: a line with the compiler, then one for each job.
const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/instructions.txt");
/// How much of its record a job may cost.
const TOLERANCE: f64 = 1.03;

/// A job of the program.
struct Job {
    name: &'static str,
    /// Makes what it works on.
    make: fn(&Path) -> Result<(), Error>,
    /// What runs before, and is not counted.
    before: &'static [&'static str],
    args: &'static [&'static str],
}

const RANGE: [&str; 5] = ["check", "--base", "base", "--head", "head"];

static JOBS: [Job; 7] = [
    Job {
        name: "reading",
        make: make_documents,
        before: &[],
        args: &["resemblance", "one.c", "other.c"],
    },
    Job { name: "check, warm", make: make_moved, before: &RANGE, args: &RANGE },
    Job { name: "check of edits, warm", make: make_edits, before: &RANGE, args: &RANGE },
    Job {
        name: "check of alike lines",
        make: |at| write(at, &copied(&register_writes(6_000, 1))),
        before: &[],
        args: &RANGE,
    },
    Job {
        name: "scan",
        make: |at| write(at, &files(60, |i| varied_functions(4, i) + &near_duplicate(i / 3))),
        before: &[],
        args: &["scan", "--rev", "head"],
    },
    Job { name: "history", make: make_history, before: &[], args: &["history", "head"] },
    Job {
        name: "check with a corpus",
        make: make_moved,
        before: &["corpus", "add", "known", "."],
        args: &["check", "--base", "base", "--head", "head", "--corpus", "known"],
    },
];

/// Two documents of much code.
fn make_documents(at: &Path) -> Result<(), Error> {
    write(at, &copied(""))?;
    let texts =
        [("one.c", varied_functions(6_000, 0)), ("other.c", varied_functions(6_000, 3_000))];
    texts
        .into_iter()
        .try_for_each(|(name, text)| fs::write(at.join(name), text).map_err(Error::writing(at)))
}

/// Many files in another folder, some of which stay.
fn make_moved(at: &Path) -> Result<(), Error> {
    write(at, &moved(60, |i| varied_functions(5, i), |text, i| (i % 20 == 0, text)))
}

/// A licensed tree with four copies of each function, in one of which some are edited, as a fix is
/// and as code is written anew.
fn make_edits(at: &Path) -> Result<(), Error> {
    let text = |i: usize| varied_functions(6, 6 * (i / 4)) + &varied_functions(6, 6 * (1_000 + i));
    let Change { mut base, mut head } = onto(400, text, &varied_functions(3, 3_000));
    base.insert("LICENSE".to_owned(), Some(include_str!("../../../LICENSE-MIT").to_owned()));
    let of_old = base.iter().filter(|(path, _)| path.starts_with("old/")).step_by(20);
    let edited = of_old.map(|(path, text)| {
        let guarded = text.iter().flat_map(|text| text.split_inclusive('\n')).enumerate();
        let line = |(at, line): (usize, &str)| match line.trim() {
            "int total = 0;" if at % 3 == 0 => format!("{line}    if (p == NULL) return -1;\n"),
            "return total;" if at % 4 == 0 => line.replace("total", "total - n"),
            _ => line.to_owned(),
        };
        (path.clone(), Some(guarded.map(line).collect()))
    });
    head.extend(edited);
    write(at, &Change { base, head })
}

/// Commits that add a file each, with copies among them.
fn make_history(at: &Path) -> Result<(), Error> {
    git::write(&at.join(".git"), |importer| {
        let mut parent = None;
        for i in 0..40 {
            let state = State::from([(format!("src/part{i}.c"), Some(varied_functions(4, 3 * i)))]);
            parent = Some(importer.commit("head", "Add a part", parent, &state, &State::new())?);
        }
        Ok(())
    })
}

/// Measures each job; fails if one costs more than its record.
pub fn run(args: &Args) -> Result<(), Error> {
    let Program { binary, .. } = Program::new(&args.chosen)?;
    let binary = fs::canonicalize(&binary).map_err(Error::reading(&binary))?;
    let compiler = said(Command::new("rustc").arg("--version"))?;
    let scratch = tempfile::tempdir().map_err(Error::writing(&std::env::temp_dir()))?;
    let counts = JOBS
        .iter()
        .map(|job| measure(job, &binary, scratch.path()))
        .collect::<Result<Vec<u64>, Error>>()?;
    if args.record {
        let lines: String = JOBS
            .iter()
            .zip(&counts)
            .map(|(job, count)| format!("{}: {count}\n", job.name))
            .collect();
        return fs::write(RECORD, format!("{compiler}\n{lines}"))
            .map_err(Error::writing(Path::new(RECORD)));
    }
    let record = fs::read_to_string(RECORD).map_err(Error::reading(Path::new(RECORD)))?;
    let on_record = |job: &Job| {
        record
            .lines()
            .find_map(|line| line.strip_prefix(job.name)?.strip_prefix(": ")?.parse().ok())
    };
    let mut rows =
        vec![["job", "million instructions", "on record", "of it"].map(str::to_owned).to_vec()];
    let mut dearer = Vec::new();
    for (job, &count) in JOBS.iter().zip(&counts) {
        let before: u64 = on_record(job).unwrap_or(0);
        let ratio = count as f64 / before.max(1) as f64;
        rows.push(vec![
            job.name.to_owned(),
            millions(count),
            millions(before),
            format!("{ratio:.3}"),
        ]);
        if ratio > TOLERANCE {
            dearer.push(job.name);
        }
    }
    print(&aligned(&rows))?;
    if record.lines().next() != Some(&compiler) {
        return print(&format!("not judged: the record is of another compiler than {compiler}\n"));
    }
    if dearer.is_empty() { Ok(()) } else { Err(Error::Dearer { jobs: dearer.join(", ") }) }
}

fn millions(count: u64) -> String {
    format!("{:.1}", count as f64 / 1e6)
}

/// The instructions of a job.
fn measure(job: &Job, binary: &Path, scratch: &Path) -> Result<u64, Error> {
    let folder = scratch.join(job.name.replace([' ', ','], "-"));
    fs::create_dir_all(&folder).map_err(Error::writing(&folder))?;
    (job.make)(&folder)?;
    let home = scratch.join("home");
    let ready = |mut command: Command, args: &[&str]| {
        command
            .current_dir(&folder)
            .env("HOME", &home)
            .args(args)
            .args(["--no-progress", "--threads", "1"]);
        command
            .env_remove("XDG_CACHE_HOME")
            .env_remove("XDG_DATA_HOME")
            .env_remove("XDG_CONFIG_HOME");
        command
    };
    if !job.before.is_empty() {
        said(&mut ready(git::command(binary), job.before))?;
    }
    let counts = folder.join("counts");
    let mut valgrind = git::command(Path::new("valgrind"));
    let mut into = OsString::from("--callgrind-out-file=");
    into.push(&counts);
    valgrind.args(["--tool=callgrind", "--quiet", "--fair-sched=yes"]).arg(into).arg(binary);
    let mut command = ready(valgrind, job.args);
    said(&mut command)?;
    let text = fs::read_to_string(&counts).map_err(Error::reading(&counts))?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ")?.trim().parse().ok());
    total.ok_or_else(|| Error::Audit {
        command: format!("{command:?}"),
        why: "callgrind gives no total".to_owned(),
    })
}

/// What a command prints; exit statuses 0 and 1 are verdicts.
fn said(command: &mut Command) -> Result<String, Error> {
    let shown = format!("{command:?}").replace('"', "");
    let failed = |why: String| Error::Audit { command: shown.clone(), why };
    let output = command.output().map_err(|why| failed(why.to_string()))?;
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(failed(format!(
            "{}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        )));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
