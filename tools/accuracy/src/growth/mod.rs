//! Measures how the time of a run grows with its input, over shapes that a change can have.
//!
//! A shape is made at sizes that double, from the first at which a run takes long enough to be
//! measured. Near-linear means that twice the input takes at most 2.2 times as long.

// Measures the CPU time of a command.
mod measure;

// Writes code of a shape.
pub mod code;

// Lists the shapes.
pub mod shapes;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::error::Error;
use crate::git::{self, State};
use crate::output::print;
use crate::program::{Chosen, Program};
use crate::tree::Tree;
use measure::{Limits, Run};
use shapes::{Change, SHAPES, Shape};
use support::Random;

/// Flags of `accuracy growth`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Shapes, or beginnings of their names, separated by commas; a wrong name lists them [default:
    /// all]
    #[arg(long, value_name = "SHAPE", value_delimiter = ',', value_parser = known_shape)]
    pub shapes: Vec<String>,
    /// Measure real code too: ever more files of this folder, as new ones
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Commands to measure, separated by commas
    #[arg(
        long,
        value_name = "COMMAND",
        value_delimiter = ',',
        default_value = "check,staged,history,scan,compare"
    )]
    pub commands: Vec<Measured>,
    /// Seconds from which a time counts
    #[arg(long, value_name = "SECONDS", default_value_t = 0.3)]
    pub from: f64,
    /// Times that the size is doubled from there on
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub doublings: usize,
    /// Maximum CPU seconds of one run
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub limit: u32,
    /// Maximum megabytes of one run
    #[arg(long, value_name = "MB", default_value_t = 6_000)]
    pub memory: u32,
    /// Runs of which the fastest counts, where one takes less than two seconds
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub runs: usize,
    #[command(flatten)]
    pub chosen: Chosen,
    /// Keep the repositories in this folder
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Write the times to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// A command that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Measured {
    /// `check --base --head`
    Check,
    /// `check --staged`
    Staged,
    /// `history` of the one commit
    History,
    /// `scan` of the head
    Scan,
    /// `compare` of the head with itself, where a line is put in after every tenth
    Compare,
}

impl Measured {
    fn name(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Staged => "staged",
            Self::History => "history",
            Self::Scan => "scan",
            Self::Compare => "compare",
        }
    }

    fn command(self, program: &Program, repository: &Path) -> Command {
        let (name, args): (_, &[&str]) = match self {
            Self::Check => ("check", &["--base", "base", "--head", "head", "--no-cache"]),
            Self::Staged => ("check", &["--base", "base", "--staged", "--no-cache"]),
            Self::History => ("history", &["base..head", "--no-cache"]),
            Self::Scan => ("scan", &["--rev", "head", "--no-cache"]),
            Self::Compare => ("compare", &["--no-cache", "--common", "0"]),
        };
        let mut command = program.command(name, repository);
        command.args(args);
        if self == Self::Compare {
            command.args(SUBMISSIONS.map(|name| repository.join(name)));
        }
        command
    }
}

/// The folders that `compare` gets: the head, and its edited copy.
const SUBMISSIONS: [&str; 2] = ["as-written", "edited"];

/// The largest file that the program reads by default: what is larger takes no time, and says
/// nothing.
const MAX_BYTES: usize = 4 << 20;

/// The growth from which a row is marked.
const MAX_GROWTH: f64 = 2.2;

/// What is measured: a shape, or real code.
struct Input<'i> {
    name: &'static str,
    unit: &'static str,
    sizes: (usize, usize),
    change: &'i dyn Fn(usize) -> Change,
}

impl Input<'_> {
    fn new(shape: &'static Shape) -> Self {
        Self { name: shape.name, unit: shape.unit, sizes: shape.sizes, change: &shape.change }
    }
}

/// The files of a folder, in an order that mixes its parts.
fn read_folder(folder: &Path) -> Result<Vec<(String, String)>, Error> {
    let tree = Tree::sample(folder, usize::MAX / 2, 1)?;
    let mut files: Vec<_> =
        tree.files.into_iter().map(|file| (file.path, file.scan.text)).collect();
    Random::new(1, 1).shuffle(&mut files);
    Ok(files)
}

/// Whether `name` is the shape's, or no shape's and the beginning of this one's.
fn is_named(shape: &Shape, name: &str) -> bool {
    shape.name == name
        || shape.name.starts_with(name) && SHAPES.iter().all(|other| other.name != name)
}

fn known_shape(name: &str) -> Result<String, String> {
    let all = || SHAPES.iter().map(|shape| shape.name).collect::<Vec<_>>().join(", ");
    let is_known = SHAPES.iter().any(|shape| shape.name.starts_with(name));
    if is_known { Ok(name.to_owned()) } else { Err(format!("the shapes are: {}", all())) }
}

/// Measures each shape and prints a row for each command.
pub fn run(args: &Args) -> Result<(), Error> {
    let program = Program::new(&args.chosen)?;
    let scratch = tempfile::tempdir().map_err(Error::writing(&std::env::temp_dir()))?;
    let folder = args.keep.as_deref().unwrap_or(scratch.path());
    let is_asked = |shape: &&Shape| {
        args.shapes.is_empty() || args.shapes.iter().any(|name| is_named(shape, name))
    };
    let files = args.folder.as_deref().map(read_folder).transpose()?.unwrap_or_default();
    let of_folder = |n: usize| code::new_files(&files[..n]);
    let n_files = files.len();
    let mut inputs: Vec<Input<'_>> = SHAPES.iter().filter(is_asked).map(Input::new).collect();
    if n_files > 0 {
        inputs.retain(|_| !args.shapes.is_empty());
        inputs.push(Input {
            name: "files-of-folder",
            unit: "files",
            sizes: (10, n_files),
            change: &of_folder,
        });
    }
    let mut rows = Vec::new();
    print(&line("shape", "command", "growth", "", "size: user CPU seconds"))?;
    for input in &inputs {
        for row in measure_input(args, &program, folder, input)? {
            print(&row.line())?;
            rows.push(row);
        }
        if args.keep.is_none() {
            remove(&folder.join(input.name))?;
        }
    }
    let n_marked = rows.iter().filter(|row| row.is_marked()).count();
    print(&format!(
        "\n{n_marked} of {} rows grow by more than {MAX_GROWTH}, or end early: !\n",
        rows.len()
    ))?;
    if let Some(file) = &args.json {
        let times = Value::from_iter(rows.iter().map(Row::json));
        fs::write(file, format!("{times:#}\n")).map_err(Error::writing(file))?;
    }
    Ok(())
}

/// A row of the table, which is printed as soon as it is known.
fn line(shape: &str, command: &str, growth: &str, mark: &str, runs: &str) -> String {
    format!("{shape:<28} {command:<8} {growth:>10} {mark:<1} {runs}\n")
}

fn remove(folder: &Path) -> Result<(), Error> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(Error::writing(folder))
    } else {
        Ok(())
    }
}

/// The times of a command over a shape.
#[derive(Debug)]
struct Row {
    name: &'static str,
    unit: &'static str,
    command: Measured,
    /// Each size, and how its run ended.
    runs: Vec<(usize, Run)>,
    from: f64,
}

/// Measures all commands, so that each repository is made once.
fn measure_input(
    args: &Args,
    program: &Program,
    folder: &Path,
    input: &Input<'_>,
) -> Result<Vec<Row>, Error> {
    let Input { name, unit, .. } = *input;
    let new_row =
        |&command: &Measured| Row { name, unit, command, runs: Vec::new(), from: args.from };
    let mut rows: Vec<Row> = args.commands.iter().map(new_row).collect();
    let mut size = input.sizes.0;
    while size <= input.sizes.1 && rows.iter().any(|row| !row.is_complete(args.doublings)) {
        let repository = folder.join(input.name).join(size.to_string());
        let change = (input.change)(size);
        if change.head.values().flatten().any(|text| text.len() > MAX_BYTES) {
            break;
        }
        write(&repository, &change)?;
        if args.commands.contains(&Measured::Compare) {
            write_submissions(&repository, &change)?;
        }
        for row in rows.iter_mut().filter(|row| !row.is_complete(args.doublings)) {
            let run = fastest(args, &row.command.command(program, &repository))?;
            row.runs.push((size, run));
        }
        if args.keep.is_none() {
            remove(&repository)?;
        }
        size *= 2;
    }
    rows.iter_mut().for_each(Row::forget_short_times);
    Ok(rows)
}

/// Writes a repository whose branch `head` brings in the change, and whose index holds it.
pub fn write(repository: &Path, change: &Change) -> Result<(), Error> {
    let Change { base, head } = change;
    git::write(&repository.join(".git"), |importer| {
        let root = importer.commit("base", "Base", None, base, &State::new())?;
        importer.commit("head", "Change", Some(root), head, &State::new()).map(drop)
    })?;
    // Only the index of a work tree can be checked; its files need not be there.
    let git = || git::git(&repository.join(".git"));
    git::run(git().args(["config", "core.bare", "false"]), "make a work tree")?;
    git::run(git().args(["symbolic-ref", "HEAD", "refs/heads/base"]), "check out the base")?;
    git::run(git::git(repository).args(["read-tree", "head"]), "stage the change")
}

/// Writes the files of the head into a folder, and into another one with a line after every tenth.
fn write_submissions(repository: &Path, change: &Change) -> Result<(), Error> {
    for (name, text) in &change.head {
        let Some(text) = text else { continue };
        let texts = [text.clone(), code::after_every(text, 10, "    trace(here);")];
        for (submission, text) in SUBMISSIONS.into_iter().zip(texts) {
            let file = repository.join(submission).join(name);
            let folder = file.parent().expect("it was joined to the repository");
            fs::create_dir_all(folder)
                .and_then(|()| fs::write(&file, text))
                .map_err(Error::writing(&file))?;
        }
    }
    Ok(())
}

/// The fastest of some runs; a long one is run once.
fn fastest(args: &Args, command: &Command) -> Result<Run, Error> {
    const LONG: f64 = 2.0;
    let limits = Limits { seconds: args.limit, megabytes: args.memory };
    let mut best = f64::INFINITY;
    for _ in 0..args.runs.max(1) {
        match measure::run(command, limits)? {
            Run::Done(seconds) => best = best.min(seconds),
            ended_early => return Ok(ended_early),
        }
        // What is far from counting needs no care.
        if best >= LONG || best < args.from / 4.0 {
            break;
        }
    }
    Ok(Run::Done(best))
}

impl Row {
    /// Whether enough sizes are measured, or a larger one cannot be.
    fn is_complete(&self, n_doublings: usize) -> bool {
        let n_counting = self
            .runs
            .iter()
            .filter(|(_, run)| matches!(run, Run::Done(seconds) if *seconds >= self.from));
        n_counting.count() > n_doublings
            || self.runs.last().is_some_and(|(_, run)| !matches!(run, Run::Done(_)))
    }

    /// Keeps the times that count, and the last that does not.
    fn forget_short_times(&mut self) {
        let n_short = self
            .runs
            .iter()
            .take_while(|(_, run)| matches!(run, Run::Done(seconds) if *seconds < self.from));
        let n_forgotten = n_short.count().saturating_sub(1);
        self.runs.drain(..n_forgotten);
    }

    /// How many times as long each size took as the one before, where that counts.
    fn growth(&self) -> Vec<f64> {
        let of_pair = |pair: &[(usize, Run)]| match (&pair[0].1, &pair[1].1) {
            (Run::Done(before), Run::Done(after)) if *before >= self.from => Some(after / before),
            _ => None,
        };
        self.runs.windows(2).filter_map(of_pair).collect()
    }

    /// Whether it grows too fast, or a run did not end.
    fn is_marked(&self) -> bool {
        let is_ended_early = self.runs.iter().any(|(_, run)| !matches!(run, Run::Done(_)));
        is_ended_early || self.growth().iter().any(|growth| *growth > MAX_GROWTH)
    }

    fn line(&self) -> String {
        let runs = self.runs.iter().map(|(size, run)| match run {
            Run::Done(seconds) => format!("{size}: {seconds:.2}"),
            Run::TooLong => format!("{size}: too long"),
            Run::Failed(why) => format!("{size}: {why}"),
        });
        let runs = format!("{}  ({})", runs.collect::<Vec<_>>().join("  "), self.unit);
        let growth =
            self.growth().iter().map(|growth| format!("{growth:.2}")).collect::<Vec<_>>().join(" ");
        let growth = if growth.is_empty() { "-" } else { &growth };
        let mark = if self.is_marked() { "!" } else { "" };
        line(self.name, self.command.name(), growth, mark, &runs)
    }

    fn json(&self) -> Value {
        let runs = self.runs.iter().map(|(size, run)| match run {
            Run::Done(seconds) => json!({ "size": size, "seconds": seconds }),
            Run::TooLong => json!({ "size": size, "ended": "too long" }),
            Run::Failed(why) => json!({ "size": size, "ended": why }),
        });
        json!({
            "shape": self.name,
            "command": self.command.name(),
            "unit": self.unit,
            "runs": runs.collect::<Vec<_>>(),
            "growth": self.growth(),
            "isMarked": self.is_marked(),
        })
    }
}
