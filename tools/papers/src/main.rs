//! Repeats the experiments of the papers behind secondhand: *Winnowing* (Schleimer, Wilkerson,
//! Aiken 2003), *On the resemblance and containment of documents* (Broder 1997) and *Syntactic
//! clustering of the Web* (Broder et al. 1997).
//!
//! Prints what is measured beside what was printed, and draws the plots. A module uses those above
//! it.

// Prints rows: what, measured, printed.
mod table;

// Draws plots as SVG.
mod plot;

// Reads text and code as the papers did.
mod input;

// The schemes that select fingerprints.
mod schemes;

// The winnowing paper: densities, gaps, lemma 1, theorem 1.
mod selection;

// The winnowing paper: how often fingerprints occur, and which k is enough.
mod frequency;

// The winnowing paper: the densities that it derives.
mod theory;

// Hashes: their size, and their cost.
mod hashing;

// Names by class, beside Baker's p-match.
mod renaming;

// COPS, SCAM, Heintze's selection and others, beside winnowing.
mod systems;

// The clustering of the Web, on made text and on what was read.
mod clustering;

// Writes a class of submissions, to measure `secondhand compare`.
mod submissions;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::input::Input;

/// Repeats the experiments of the papers behind secondhand, and prints measured beside printed
/// figures.
///
/// Needs nothing but the files given: real text or code, some megabytes of it. Equal files give
/// equal figures.
#[derive(Debug, Parser)]
#[command(name = "papers", bin_name = "cargo run --release -p papers --", max_term_width = 100)]
struct Cli {
    /// Files and folders of real text or code
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Documents of made text to cluster; 0 for none
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    documents: usize,
    /// Write the plots here
    #[arg(long, value_name = "DIR", default_value = "target/papers")]
    plots: PathBuf,
    /// Replace the table of this page, between its two marks
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Instead of all this, write a class of made submissions into this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["files", "write"])]
    submissions: Option<PathBuf>,
    /// With `--submissions`: how many
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    count: usize,
    /// With `--submissions`: the lines of each
    #[arg(long, value_name = "N", default_value_t = 500)]
    lines: usize,
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> io::Result<()> {
    if let Some(folder) = &cli.submissions {
        return submissions::write(folder, cli.count, cli.lines);
    }
    let input = Input::read(&cli.files)?;
    std::fs::create_dir_all(&cli.plots)?;
    let mut rows = Vec::new();
    rows.extend(selection::random_text());
    rows.extend(selection::equal_runs());
    rows.extend(selection::lemma_1());
    rows.extend(selection::theorem_1(&cli.plots)?);
    rows.extend(theory::rows(&input));
    if !input.texts.is_empty() {
        rows.extend(selection::real_text(&input));
        rows.extend(frequency::occurrences(&input, &cli.plots)?);
        rows.extend(frequency::coincidences(&input));
        rows.extend(frequency::thresholds(&input, &cli.plots)?);
        rows.push(renaming::row(&input));
        rows.extend(hashing::rows(&input));
        rows.push(systems::contained(&input.proses));
        rows.push(clustering::real_text(&input.proses));
    }
    if cli.documents > 0 {
        rows.extend(clustering::made_text(cli.documents));
    }
    let tables = [("measured", table::markdown(&rows)), ("systems", systems::table(&input.proses))];
    tables.iter().try_for_each(|(_, table)| table::print(table))?;
    match &cli.write {
        Some(page) => tables.iter().try_for_each(|(name, table)| write_table(page, name, table)),
        None => Ok(()),
    }
}

/// Replaces what is between the marks `name` of `page`.
fn write_table(page: &std::path::Path, name: &str, table: &str) -> io::Result<()> {
    let marks = ["begin", "end"].map(|end| format!("<!-- {name}: {end} -->"));
    let text = std::fs::read_to_string(page)?;
    let marked = text
        .split_once(&marks[0])
        .and_then(|(before, rest)| Some((before, rest.split_once(&marks[1])?.1)));
    let Some((before, behind)) = marked else {
        return Err(io::Error::other(format!("`{}` has no marks for the table", page.display())));
    };
    std::fs::write(page, [before, &marks[0], "\n\n", table, "\n", &marks[1], behind].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_what_comes_out_without_any_text() {
        let page = include_str!("../../../docs/papers.md");
        let input = Input::read(&[]).expect("nothing is read");
        let rows = [selection::equal_runs(), selection::lemma_1(), theory::rows(&input)].concat();
        for row in table::markdown(&rows).lines() {
            assert!(page.contains(row), "docs/papers.md lacks `{row}`");
        }
    }
}
