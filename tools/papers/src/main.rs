//! Repeats the experiments of the papers behind secondhand: *Winnowing* (Schleimer, Wilkerson, Aiken 2003), *On the
//! resemblance and containment of documents* (Broder 1997) and *Syntactic clustering of the Web* (Broder et al. 1997).
//!
//! Prints what is measured beside what was printed, and draws the plots. A module uses those above it.

// Prints rows: what, measured, printed.
mod table;

// Draws plots as SVG.
mod plot;

// Reads text and code as the papers did.
mod input;

// The winnowing paper: densities, gaps, lemma 1, theorem 1.
mod selection;

// The winnowing paper: how often fingerprints occur, and which k is enough.
mod frequency;

// The clustering of the Web, on made text.
mod clustering;

// Writes a class of submissions, to measure `secondhand compare`.
mod submissions;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::input::Input;
use crate::table::Row;

/// Repeats the experiments of the papers behind secondhand, and prints measured beside printed figures.
///
/// Needs nothing but the files given: real text or code, some megabytes of it. Equal files give equal figures.
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
    if !input.texts.is_empty() {
        rows.extend(selection::real_text(&input));
        rows.extend(frequency::occurrences(&input, &cli.plots)?);
        rows.extend(frequency::thresholds(&input, &cli.plots)?);
    }
    if cli.documents > 0 {
        rows.extend(clustering::made_text(cli.documents));
    }
    table::print(&rows)?;
    match &cli.write {
        Some(page) => write_table(page, &rows),
        None => Ok(()),
    }
}

/// Replaces what is between the marks of `page`.
fn write_table(page: &std::path::Path, rows: &[Row]) -> io::Result<()> {
    const MARKS: [&str; 2] = ["<!-- measured: begin -->\n", "<!-- measured: end -->"];
    let text = std::fs::read_to_string(page)?;
    let marked = text.split_once(MARKS[0]).and_then(|(before, rest)| Some((before, rest.split_once(MARKS[1])?.1)));
    let Some((before, behind)) = marked else {
        return Err(io::Error::other(format!("`{}` has no marks for the table", page.display())));
    };
    std::fs::write(page, [before, MARKS[0], "\n", &table::markdown(rows), "\n", MARKS[1], behind].concat())
}
