//! Measures how many copies `check` told of when they came in, of those that maintainers merged
//! again.
//!
//! `data/merged.csv` names a commit that brought a copy in, and the later one that made the copies
//! one. There is no code in it.

use std::iter;

use serde::Deserialize;

use crate::columns::aligned;
use crate::error::Error;
use crate::output::print;
use crate::program::Program;
use crate::replay::{Finding, Half, Level, Lines, Replayed, findings};
use crate::threads::on_all_threads;

/// Flags of `accuracy merged`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub replayed: Replayed,
}

/// A copy that was merged later.
#[derive(Debug, Deserialize)]
struct Merged {
    half: Half,
    project: String,
    /// The commit that brought it in.
    copied: String,
    /// Its place after that commit.
    path: String,
    start: u32,
    end: u32,
    /// `inserted`, or nothing where the commit rewrote code that was there.
    inserted: String,
}

/// What `check` says of a copy, by half of its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    Warning,
    Note,
    Part,
    Nothing,
}

/// Rules that do not speak of copies.
const OTHER_RULES: [&str; 2] = ["missed-sibling", "not-examined"];

/// Replays the commits that brought the copies in, and prints how many copies are told. What is
/// sealed runs only if it is asked for.
pub fn run(args: &Args) -> Result<(), Error> {
    let Args { replayed } = args;
    let program = Program::new(&replayed.chosen)?;
    let mut rows = csv::Reader::from_reader(include_bytes!("../data/merged.csv").as_slice());
    let copies: Vec<Merged> = rows
        .deserialize()
        .collect::<Result<_, csv::Error>>()
        .map_err(|why| Error::Judged { why: why.to_string() })?;
    let half = replayed.half.unwrap_or(Half::Choose);
    let copies: Vec<Merged> = copies.into_iter().filter(|copy| copy.half == half).collect();
    let told = on_all_threads(copies.len(), |number| {
        let copy = &copies[number];
        Ok(told(copy, &findings(&program, &replayed.projects.join(&copy.project), &copy.copied)?))
    });
    let told: Vec<Told> = told.into_iter().collect::<Result<_, Error>>()?;
    if replayed.explain {
        print(&copies.iter().zip(&told).map(line).collect::<String>())?;
    }
    print(&table(&copies, &told))
}

fn told(copy: &Merged, findings: &[Finding]) -> Told {
    let n_lines = copy.end - copy.start + 1;
    match (n_covered(copy, findings, Level::Warning), n_covered(copy, findings, Level::Note)) {
        (warned, _) if 2 * warned >= n_lines => Told::Warning,
        (_, any) if 2 * any >= n_lines => Told::Note,
        (_, 0) => Told::Nothing,
        _ => Told::Part,
    }
}

/// Lines of `copy` that findings of a level cover, as the copy or as its origin.
fn n_covered(copy: &Merged, findings: &[Finding], lowest: Level) -> u32 {
    let covering: Vec<Lines> = findings
        .iter()
        .filter(|finding| finding.level >= lowest && !OTHER_RULES.contains(&finding.rule.as_str()))
        .flat_map(places)
        .filter(|(path, _)| *path == copy.path)
        .map(|(_, lines)| lines)
        .collect();
    let is_covered = |line: &u32| {
        covering.iter().any(|lines| (lines.start_line..=lines.end_line).contains(line))
    };
    (copy.start..=copy.end).filter(is_covered).map(|_| 1).sum()
}

/// The place of a finding, and those of its origins that are in the tree.
fn places(finding: &Finding) -> impl Iterator<Item = (&str, Lines)> {
    let origins = finding.origins.iter().filter(|origin| origin.place == "tree");
    iter::once((finding.path.as_str(), finding.fragment))
        .chain(origins.map(|origin| (origin.path.as_str(), origin.fragment)))
}

fn line((copy, told): (&Merged, &Told)) -> String {
    let Merged { project, copied, path, start, end, .. } = copy;
    format!("{told:?}\t{project} {}\t{path}:{start}-{end}\n", &copied[..10])
}

fn table(copies: &[Merged], told: &[Told]) -> String {
    let header =
        ["", "copies", "warning", "%", "note", "part", "nothing"].map(str::to_owned).to_vec();
    let inserted: Vec<Told> = copies
        .iter()
        .zip(told)
        .filter(|(copy, _)| !copy.inserted.is_empty())
        .map(|(_, told)| *told)
        .collect();
    aligned(&[header, row("all", told), row("inserted", &inserted)])
}

fn row(name: &str, told: &[Told]) -> Vec<String> {
    let n = |of: Told| told.iter().filter(|told| **told == of).count();
    let percent = 100 * n(Told::Warning) / told.len().max(1);
    let counts =
        [told.len(), n(Told::Warning), percent, n(Told::Note), n(Told::Part), n(Told::Nothing)];
    iter::once(name.to_owned()).chain(counts.map(|count| count.to_string())).collect()
}
