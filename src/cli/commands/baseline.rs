//! Runs `secondhand baseline`: records copies that are known.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::{check, named, scan};
use crate::audit::Outcome;
use crate::change::{ChangeEnd, CheckRequest, FilePlace, inside, read_baseline};
use crate::cli::args::{Baseline as Action, BaselineChoice, Scan};
use crate::cli::flags::{Common, Suppressing};
use crate::cli::io::destination::Checkout;
use crate::cli::io::error::Failure;
use crate::cli::io::limit;
use crate::cli::io::output::print_text;
use crate::cli::io::progress::Bar;
use crate::cli::{CLEAN, settings};
use crate::policy::Baseline;
use crate::text::{count, printable};

pub(in crate::cli) fn run(action: &Action, common: &Common) -> Result<u8, Failure> {
    let repository = common.repository()?;
    let (config, _) = settings::read(common, Some(&repository), &[])?;
    let file = inside(repository.root(), "baseline", &config.baseline)?;
    let checkout = Checkout::of_repository(&repository);
    if !matches!(action, Action::Show) {
        checkout.refuse_links(&file)?;
    }
    match action {
        Action::Create { known, force } => create(&file, &checkout, known, *force, common)?,
        Action::Update { known, prune } => {
            update(&file, (repository.root(), &checkout), known, *prune, common)?;
        }
        Action::Add { ids } => add_findings(&file, (repository.root(), &checkout), ids, common)?,
        Action::Show if file.symlink_metadata().is_err() => return Err(no_baseline(&file)),
        Action::Show => print_text(&listing(&read_baseline(&file, Some(repository.root()))?))?,
    }
    Ok(CLEAN)
}

fn create(
    file: &Path,
    checkout: &Checkout,
    known: &BaselineChoice,
    force: bool,
    common: &Common,
) -> Result<(), Failure> {
    if !force && file.symlink_metadata().is_ok() {
        let message = format!("cannot write a baseline to `{}`: it already exists", file.display());
        let help = "update it with `secondhand baseline update`, or overwrite it with `--force`";
        return Err(Failure::user(message, help));
    }
    let baseline = copies_now(known, common)?;
    checkout.write(file, baseline.to_text().as_bytes())?;
    say(common, &format!("{} in `{}`", count(baseline.len(), "copy"), file.display()))
}

fn update(
    file: &Path,
    (root, checkout): (&Path, &Checkout),
    known: &BaselineChoice,
    prune: bool,
    common: &Common,
) -> Result<(), Failure> {
    if file.symlink_metadata().is_err() {
        return Err(no_baseline(file));
    }
    let old = read_baseline(file, Some(root))?;
    let now = copies_now(known, common)?;
    let new = if prune { old.within(&now) } else { now };
    checkout.write(file, new.to_text().as_bytes())?;
    let (n_added, n_gone) = (new.n_beyond(&old), old.n_beyond(&new));
    let n_all = count(new.len(), "copy");
    say(common, &format!("{n_added} added, {n_gone} removed: {n_all} in `{}`", file.display()))
}

fn add_findings(
    file: &Path,
    (root, checkout): (&Path, &Checkout),
    ids: &[String],
    common: &Common,
) -> Result<(), Failure> {
    let found = named::find(ids, common)?;
    let is_there = file.symlink_metadata().is_ok();
    let old = if is_there { read_baseline(file, Some(root))? } else { Baseline::default() };
    let new: Baseline =
        old.copies().cloned().chain(found.iter().flat_map(Outcome::known_copies)).collect();
    checkout.write(file, new.to_text().as_bytes())?;
    let (n_added, n_all) = (new.n_beyond(&old), count(new.len(), "copy"));
    say(common, &format!("{n_added} added: {n_all} in `{}`", file.display()))
}

fn no_baseline(file: &Path) -> Failure {
    let message = format!("cannot update the baseline `{}`: it does not exist", file.display());
    Failure::user(message, "write one with `secondhand baseline create`")
}

/// The copies that `check` or `scan` find with the current settings and no baseline.
fn copies_now(known: &BaselineChoice, common: &Common) -> Result<Baseline, Failure> {
    let outcome: Outcome = match &known.base {
        Some(base) => {
            let end = ChangeEnd::Commit("HEAD".to_owned());
            // A baseline is recorded with the settings of the work tree.
            let trust = vec![("trust", "head".to_owned())];
            let request = CheckRequest {
                baseline: FilePlace::Nowhere,
                ..check::plain_request(end, Some(base.clone()), trust, common)
            };
            check::requested(&request, &common.repository()?, common, &Bar::of(common))?
        }
        None => {
            let suppressing = Suppressing { no_baseline: true, ..Suppressing::default() };
            scan::outcome(&Scan { suppressing, ..Scan::default() }, common, &Bar::of(common))?
                .outcome
        }
    };
    // What was not examined would be reported as new from then on.
    limit::complete()?;
    limit::all_here(outcome.n_missing())?;
    Ok(outcome.known_copies().collect())
}

fn say(common: &Common, text: &str) -> Result<(), Failure> {
    if common.quiet { Ok(()) } else { print_text(&format!("{}\n", printable(text.as_bytes()))) }
}

fn listing(baseline: &Baseline) -> String {
    let mut by_file: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for copy in baseline.copies() {
        let (n, n_tokens) = by_file.entry(&copy.path).or_default();
        *n += 1;
        *n_tokens += copy.n_tokens;
    }
    let mut text = String::new();
    for (path, (n, n_tokens)) in &by_file {
        let (n, n_tokens) = (count(*n, "copy"), count(*n_tokens, "token"));
        let _ = writeln!(text, "{}: {n}, {n_tokens}", printable(path.as_bytes()));
    }
    let _ = writeln!(text, "{} in {}", count(baseline.len(), "copy"), count(by_file.len(), "file"));
    text
}
