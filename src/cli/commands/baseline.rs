//! Runs `secondhand baseline`: records copies that are known.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::{check, named, scan};
use crate::audit::Outcome;
use crate::change::{ChangeEnd, CheckRequest, FilePlace, inside, read_baseline};
use crate::cli::args::{Baseline as Action, BaselineChoice, Scan};
use crate::cli::flags::{Common, SuppressionFlags};
use crate::cli::io::{Bar, Checkout, Failure, limit, print_text};
use crate::cli::settings;
use crate::policy::Baseline;
use crate::text::{count, printable};

pub(in crate::cli) fn run(action: &Action, common: &Common) -> Result<(), Failure> {
    let repository = common.repository()?;
    let (config, _) = settings::read(common, Some(&repository), &[])?;
    let root = repository.root();
    let path = inside(root, "baseline", &config.baseline)?;
    let checkout = Checkout::of_repository(&repository);
    let file = BaselineFile { path, root, checkout, common };
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
    root: &'r Path,
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
        let now = copies_now(known, self.common)?;
        let new = if prune { old.within(&now) } else { now };
        let (n_added, n_gone) = (new.n_beyond(&old), old.n_beyond(&new));
        self.write(&new, &format!("{n_added} added, {n_gone} removed: "))
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
            return Ok(read_baseline(&self.path, Some(self.root))?);
        }
        let path = self.path.display();
        let message = format!("cannot update the baseline `{path}`: it does not exist");
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
            check::requested(&request, &common.repository()?, common, &Bar::of(common))?
        }
        None => {
            let suppressing = SuppressionFlags { no_baseline: true, ..SuppressionFlags::default() };
            let flags = Scan { suppressing, ..Scan::default() };
            scan::outcome(&flags, common, &Bar::of(common))?.outcome
        }
    };
    // What was not examined would be reported as new from then on.
    limit::complete()?;
    limit::all_here(outcome.n_missing())?;
    Ok(outcome.known_copies().collect())
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
