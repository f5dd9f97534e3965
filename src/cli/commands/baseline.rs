//! Runs `secondhand baseline`: records copies that are known.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use super::{check, named, scan};
use crate::audit::Outcome;
use crate::change::{ChangeEnd, CheckRequest, FilePlace, inside, read_baseline};
use crate::cli::args::{Baseline as Action, BaselineChoice, Scan};
use crate::cli::flags::{Common, SuppressionFlags};
use crate::cli::io::{Bar, Checkout, Failure, limit, print_text};
use crate::cli::settings;
use crate::git::Repository;
use crate::policy::Baseline;
use crate::text::{count, printable};

pub(in crate::cli) fn run(action: &Action, common: &Common) -> Result<(), Failure> {
    let repository = common.repository()?;
    let config = settings::read(common, Some(&repository), &[])?;
    let root = repository.root();
    let path = inside(root, "baseline", &config.baseline)?;
    let checkout = Checkout::of_repository(&repository);
    let file = BaselineFile { path, repository: &repository, checkout, common };
    if !matches!(action, Action::Show) {
        file.checkout.refuse_links(&file.path)?;
    }
    match action {
        Action::Create { known, force } => file.create(known, *force),
        Action::Update { known, prune } => file.update(known, *prune),
        Action::Add { ids } => file.add(ids),
        Action::Show => print_text(&listing(&file.read()?)),
    }
}

struct BaselineFile<'r> {
    path: PathBuf,
    repository: &'r Repository,
    checkout: Checkout,
    common: &'r Common,
}

impl BaselineFile<'_> {
    fn create(&self, known: &BaselineChoice, force: bool) -> Result<(), Failure> {
        if !force && self.is_there() {
            let path = self.path.display();
            let message = format!("cannot write a baseline to `{path}`: it already exists");
            let help =
                "update it with `secondhand baseline update`, or overwrite it with `--force`";
            return Err(Failure::user(message, help));
        }
        self.write(&copies_now(known, self.common)?, "")
    }

    fn update(&self, known: &BaselineChoice, prune: bool) -> Result<(), Failure> {
        let old = self.read()?;
        let kept = self.still_there(&old)?;
        let new = if prune { kept } else { copies_now(known, self.common)?.with(kept) };
        let (n_added, n_gone) = (new.n_beyond(&old), old.n_beyond(&new));
        self.write(&new, &format!("{n_added} added, {n_gone} removed: "))
    }

    /// The copies of `old` that are still in the work tree, whatever is reported of them: those that
    /// a scan finds, and those that only a check does, as long as their files are there.
    fn still_there(&self, old: &Baseline) -> Result<Baseline, Failure> {
        let config = settings::read(self.common, Some(self.repository), &[])?;
        let mut common = self.common.clone();
        let least = config.min_tokens.min(config.scan_min_tokens);
        common.set.push((format!("rules.{SCANNED}"), "note".to_owned()));
        common.set.push(("scan-min-tokens".to_owned(), least.to_string()));
        let outcome = scanned(&common)?;
        let suppressed = outcome.suppressed.iter().flat_map(|of| of.finding.known_copies());
        let found = old.within(&outcome.known_copies().chain(suppressed).collect());
        let (_, files) = scan::tree(self.repository, None)?;
        let files: BTreeSet<String> = files.paths().map(ToString::to_string).collect();
        let others = old.copies().filter(|of| of.rule != SCANNED && files.contains(&of.path));
        Ok(found.copies().chain(others).cloned().collect())
    }

    fn add(&self, ids: &[String]) -> Result<(), Failure> {
        let found = named::find(ids, self.common)?;
        let old = if self.is_there() { self.read()? } else { Baseline::default() };
        let new: Baseline =
            old.copies().cloned().chain(found.iter().flat_map(Outcome::known_copies)).collect();
        self.write(&new, &format!("{} added: ", new.n_beyond(&old)))
    }

    fn is_there(&self) -> bool {
        self.path.symlink_metadata().is_ok()
    }

    fn read(&self) -> Result<Baseline, Failure> {
        if self.is_there() {
            return Ok(read_baseline(&self.path, Some(self.repository.root()))?);
        }
        let path = self.path.display();
        let message = format!("cannot read the baseline `{path}`: it does not exist");
        Err(Failure::user(message, "write one with `secondhand baseline create`"))
    }

    /// Writes a baseline, and says what was `done` to get it.
    fn write(&self, baseline: &Baseline, done: &str) -> Result<(), Failure> {
        self.checkout.write(&self.path, baseline.to_text().as_bytes())?;
        if self.common.quiet {
            return Ok(());
        }
        let (path, copies) = (self.path.display(), count(baseline.len(), "copy"));
        print_text(&format!("{}\n", printable(format!("{done}{copies} in `{path}`"))))
    }
}

/// The rule of what a scan finds.
const SCANNED: &str = "copied-code";

/// The copies that `check` or `scan` find with the current settings and no baseline.
fn copies_now(known: &BaselineChoice, common: &Common) -> Result<Baseline, Failure> {
    let outcome = match &known.base {
        Some(base) => {
            let end = ChangeEnd::Commit("HEAD".to_owned());
            // A baseline is recorded with the settings of the work tree.
            let trust = vec![("trust", "head".to_owned())];
            let request = CheckRequest {
                baseline: FilePlace::Nowhere,
                ..check::plain_request(end, Some(base.clone()), trust, common)
            };
            complete(check::requested(&request, &common.repository()?, common, &Bar::of(common))?)?
        }
        None => scanned(common)?,
    };
    Ok(outcome.known_copies().collect())
}

/// What a scan finds without a baseline, with what is suppressed.
fn scanned(common: &Common) -> Result<Outcome, Failure> {
    let suppressing = SuppressionFlags {
        no_baseline: true,
        show_suppressed: true,
        ..SuppressionFlags::default()
    };
    let flags = Scan { suppressing, ..Scan::default() };
    complete(scan::outcome(&flags, common, &Bar::of(common))?.outcome)
}

/// An outcome of all that there is: what was not examined would be reported as new, or taken out.
fn complete(outcome: Outcome) -> Result<Outcome, Failure> {
    limit::complete()?;
    limit::all_here(outcome.n_missing())?;
    Ok(outcome)
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
        let _ = writeln!(text, "{}: {n}, {n_tokens}", printable(path));
    }
    let _ = writeln!(text, "{} in {}", count(baseline.len(), "copy"), count(by_file.len(), "file"));
    text
}
