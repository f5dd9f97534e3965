//! Measures how often a file is read as the language that it is in: folders of files, each named
//! after a language.
//!
//! Linguist's samples are such folders. Names differ: `data/languages.csv` says which of ours a
//! name there stands for, and which of ours are as good an answer, a dialect or a special case.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::Error;
use crate::git::command;
use crate::output::print;
use crate::program::{Chosen, Program};
use crate::threads::on_all_threads;

/// Flags of `accuracy identify`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A folder of folders, each named after the language of its files
    #[arg(value_name = "DIR")]
    pub samples: PathBuf,
    #[command(flatten)]
    pub chosen: Chosen,
}

/// What else counts as an answer.
#[derive(Debug, Deserialize)]
struct Alias {
    folder: String,
    language: String,
}

/// Measures, and lists what is not read as what it is.
pub fn run(args: &Args) -> Result<(), Error> {
    let Program { binary, .. } = Program::new(&args.chosen)?;
    let mut aliases: HashMap<String, Vec<String>> = HashMap::new();
    for alias in csv::Reader::from_reader(include_bytes!("../data/languages.csv").as_slice())
        .into_deserialize()
    {
        let Alias { folder, language } =
            alias.map_err(|why: csv::Error| Error::Judged { why: why.to_string() })?;
        aliases.entry(folder).or_default().push(language);
    }
    let known = said(&binary, &["languages".as_ref()])?;
    let known: Vec<&str> = known.lines().filter_map(name).collect();
    let mut files = Vec::new();
    for folder in entries(&args.samples)?.into_iter().filter(|path| path.is_dir()) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut names = aliases.remove(&name).unwrap_or_default();
        names.extend(
            known
                .iter()
                .find(|other| other.eq_ignore_ascii_case(&name))
                .map(|&name| name.to_owned()),
        );
        let mut below = vec![folder];
        while let Some(path) = below.pop() {
            if path.is_dir() {
                below.extend(entries(&path)?);
            } else {
                files.push((path, name.clone(), names.clone()));
            }
        }
    }
    let read = on_all_threads(files.len(), |n| {
        said(&binary, &["languages".as_ref(), "--file".as_ref(), &files[n].0])
    });
    let (mut n_right, mut n_other, mut wrong) = (0, 0, BTreeMap::new());
    for ((path, name, names), said) in files.iter().zip(read) {
        let said = said?;
        let found = said
            .lines()
            .next()
            .and_then(|line| line.split_once(" (table"))
            .and_then(|(head, _)| head.rsplit_once(": "))
            .map_or("none", |(_, name)| name);
        match names.iter().any(|name| name.eq_ignore_ascii_case(found)) {
            _ if names.is_empty() => n_other += 1,
            true => n_right += 1,
            false => drop(wrong.insert(path, (name, found.to_owned()))),
        }
    }
    for (path, (name, found)) in &wrong {
        print(&format!("{}: {name} read as {found}\n", path.display()))?;
    }
    let n = n_right + wrong.len();
    let percent = 100.0 * n_right as f64 / n.max(1) as f64;
    print(&format!(
        "{n_right} of {n} files are read as what they are ({percent:.1} %); {n_other} are of other languages\n"
    ))
}

/// The display name in a line of the list of languages: behind the table's, and before extensions.
fn name(line: &str) -> Option<&str> {
    let (_, behind) = line.split_once(' ')?;
    let name = behind.trim_start().split("  ").next()?;
    Some(name.split(" .").next().unwrap_or(name))
}

/// What is in a folder, in order.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(folder).map_err(Error::reading(folder))?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(Error::reading(folder))?;
    paths.sort();
    Ok(paths)
}

/// What the program prints; status 1 is that no language was found.
fn said(binary: &Path, args: &[&Path]) -> Result<String, Error> {
    let mut command = command(binary);
    command.args(args).arg("--isolated");
    let output = command
        .output()
        .map_err(|why| Error::Audit { command: format!("{command:?}"), why: why.to_string() })?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
