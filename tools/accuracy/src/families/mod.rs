//! Measures how well `secondhand scan` finds clone families, in a tree whose families are known.
//!
//! ```text
//! folders -> methods -> families -> tree -> classes -> figures
//! ```

// Builds the tree.
mod build;

// Holds classes against families.
mod judge;

use std::env;
use std::path::{Path, PathBuf};

use crate::columns::aligned;
use crate::error::Error;
use crate::git::{self, State};
use crate::output::print;
use crate::program::{Chosen, Program};
use crate::tree::Tree;
use build::{Built, Family, KINDS, build};
use judge::{FileHits, Form, Fragment, Lacking, PAIRS, Report, SIZES, Verdict, classes, judge};
use support::Random;

/// Flags of `accuracy families`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folders with Java code, whose methods are used
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,
    /// What decides everything that is drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Maximum files of each folder
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub files: usize,
    #[command(flatten)]
    pub chosen: Chosen,
    /// Keep the repository with the tree in this folder
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// List the families whose pairs are not all found
    #[arg(long)]
    pub explain: bool,
}

/// Builds the tree, has it scanned, and prints the figures.
pub fn run(args: &Args) -> Result<(), Error> {
    let program = Program::new(&args.chosen)?;
    let sample = |folder: &PathBuf| Tree::sample(folder, args.files, args.seed);
    let trees = args.folders.iter().map(sample).collect::<Result<Vec<_>, _>>()?;
    let built = build(&trees, &mut Random::new(args.seed, 0));
    let scratch = tempfile::tempdir().map_err(Error::writing(&env::temp_dir()))?;
    let folder = args.keep.as_deref().unwrap_or(scratch.path());
    let verdict = judge(&built, &scan(&program, folder, "families", &built.state)?);
    if args.explain {
        print(&lacking(&built, &verdict))?;
    }
    print(&table(&built, &verdict))?;
    // Real code has clones of its own, which nobody has counted; but no class should lie in
    // another.
    let mut rows = vec![form_header("the folders as they are")];
    for tree in &trees {
        let state = tree
            .files
            .iter()
            .map(|file| (file.path.clone(), Some(file.scan.text.clone())))
            .collect();
        rows.push(form_row(&tree.name, &Form::new(&scan(&program, folder, &tree.name, &state)?)));
    }
    print(&format!("\n{}", aligned(&rows)))
}

/// The classes of a tree.
fn scan(
    program: &Program,
    folder: &Path,
    name: &str,
    tree: &State,
) -> Result<Vec<Vec<Fragment>>, Error> {
    let repository = folder.join(format!("{name}.git"));
    git::write(&repository, |importer| {
        importer.commit("tree", "The tree", None, tree, &State::new()).map(drop)
    })?;
    let report: Report = Program::report(
        program.command("scan", &repository).args(["--rev", "tree", "--no-cache"]),
    )?;
    Ok(classes(report))
}

/// A line for each family whose pairs are not all found.
fn lacking(built: &Built, verdict: &Verdict) -> String {
    let mut text = String::new();
    for Lacking { family, found, all, held } in &verdict.lacking {
        let Family { kind, size, n_tokens } = built.families[*family];
        let name = KINDS.iter().find(|(other, _)| *other == kind).map_or("", |(_, name)| name);
        let held = held.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let places = built.members.iter().filter(|member| member.family == *family).take(3);
        let places = places.map(|member| member.place.to_string()).collect::<Vec<_>>().join(", ");
        let line = format!(
            "{name}, {size} members, {n_tokens} tokens: {found} of {all} pairs; classes of {held}; {places}\n"
        );
        text += &line;
    }
    text + "\n"
}

fn form_header(name: &str) -> Vec<String> {
    [name, "classes", "inside an earlier class", "%", "overlap themselves", "%"]
        .map(str::to_owned)
        .to_vec()
}

fn form_row(name: &str, form: &Form) -> Vec<String> {
    let percent = |part: usize| format!("{:.1}", 100.0 * part as f64 / form.classes.max(1) as f64);
    let counted = |part: usize| [part.to_string(), percent(part)];
    let counts = [counted(form.inside), counted(form.overlapping)].concat();
    [name.to_owned(), form.classes.to_string()].into_iter().chain(counts).collect()
}

fn table(built: &Built, verdict: &Verdict) -> String {
    let n_lines: usize = built.state.values().flatten().map(|text| text.lines().count()).sum();
    let of_all = |count: fn(&Family) -> usize| built.families.iter().map(count);
    let mut text = format!(
        "{} families of 2 to {} members, {} members in all, of methods of {} to {} tokens; {} other methods; {} files, \
         {n_lines} lines\n\n",
        built.families.len(),
        of_all(|family| family.size).max().unwrap_or(0),
        built.members.len(),
        of_all(|family| family.n_tokens).min().unwrap_or(0),
        of_all(|family| family.n_tokens).max().unwrap_or(0),
        built.n_besides,
        built.state.len(),
    );
    text += &pairs_table(verdict);
    text.push('\n');
    text += &kinds_table(verdict);
    let rows = [form_header("the tree"), form_row("", &verdict.form)];
    text += &format!("\n{}", aligned(&rows));
    text + &format!(
        "{} classes hold members of two families, {} hold no two members of any\n",
        verdict.mixed, verdict.other
    )
}

fn pairs_table(verdict: &Verdict) -> String {
    let header = ["pairs of a family in one class", "pairs", "found", "%", "families", "mean %"];
    let row = |name: &str, found: &FileHits| {
        let percent =
            |part: f64, whole: usize| format!("{:.2}", 100.0 * part / whole.max(1) as f64);
        let all = [found.all, found.found].map(|n| n.to_string());
        let shares = [percent(found.found as f64, found.all), found.families.to_string()];
        let mean = percent(found.shares, found.families);
        [name.to_owned()].into_iter().chain(all).chain(shares).chain([mean]).collect::<Vec<_>>()
    };
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    rows.extend(PAIRS.iter().filter_map(|(pair, name)| Some(row(name, verdict.pairs.get(pair)?))));
    let sizes = SIZES.iter().enumerate().filter_map(|(at, least)| {
        let name = match SIZES.get(at + 1) {
            Some(next) if next - 1 == *least => format!("families of {least}"),
            Some(next) => format!("families of {least} to {}", next - 1),
            None => format!("families of {least} and more"),
        };
        Some(row(&name, verdict.by_size.get(least)?))
    });
    rows.extend(sizes);
    aligned(&rows)
}

fn kinds_table(verdict: &Verdict) -> String {
    let header = ["families", "n", "whole in a class", "without a class", "classes a family"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for (kind, name) in KINDS {
        let Some(of_kind) = verdict.kinds.get(&kind) else { continue };
        let [families, whole, lost] =
            [of_kind.families, of_kind.whole, of_kind.lost].map(|n| n.to_string());
        let classes = format!("{:.2}", of_kind.classes as f64 / of_kind.families.max(1) as f64);
        rows.push(vec![name.to_owned(), families, whole, lost, classes]);
    }
    aligned(&rows)
}
