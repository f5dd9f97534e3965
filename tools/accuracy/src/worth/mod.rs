//! Measures how many warnings are worth a reviewer's time, on findings of real commits that people
//! have judged.
//!
//! ```text
//! data/judged.csv -> commits -> findings of today -> which of the judged are still warned of -> figures
//! ```

// Reads what was judged.
mod judged;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::columns::aligned;
use crate::error::Error;
use crate::git;
use crate::output::{print, tell};
use crate::program::Program;
use crate::replay::{Finding, Half, Level, Lines, Ordinary, Replayed, findings};
use crate::threads::on_all_threads;
pub use judged::{CommitCopies, Verdict, read as judged};
use support::Random;

/// Flags of `accuracy worth`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub replayed: Replayed,
    #[command(flatten)]
    pub ordinary: Ordinary,
}

/// Warnings of a commit that count; the others would be folded.
const MAX_COUNTED: usize = 10;

/// What became of a judged finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Gone,
    Noted,
    /// A note that a warning names: both are of one family, which is shown as one finding with its
    /// places.
    Named,
    Warned,
}

/// Replays the judged findings, and prints the figures. A place is told if it is a warning, or if a
/// warning names it.
pub fn run(args: &Args) -> Result<(), Error> {
    let Args { replayed: flags, ordinary } = args;
    let program = Program::new(&flags.chosen)?;
    let all: Vec<CommitCopies> =
        judged()?.into_iter().filter(|of| flags.is_in_half(of.half)).collect();
    let mut of_commits: BTreeMap<(&str, &str), Vec<&CommitCopies>> = BTreeMap::new();
    for of in &all {
        of_commits.entry((&of.project, &of.commit)).or_default().push(of);
    }
    let commits: Vec<(&(&str, &str), &Vec<&CommitCopies>)> = of_commits.iter().collect();
    let replayed = on_all_threads(commits.len(), |number| {
        let ((project, commit), judged) = commits[number];
        let findings = copies(&program, &flags.projects.join(project), commit)?;
        Ok(judged.iter().map(|of| (*of, fate(of, &findings))).collect::<Vec<_>>())
    });
    let fates: Vec<(&CommitCopies, Fate)> =
        replayed.into_iter().collect::<Result<Vec<_>, Error>>()?.into_iter().flatten().collect();
    if flags.explain {
        let line = |(of, fate): &(&CommitCopies, Fate)| {
            let CommitCopies { project, commit, path, start, end, verdict, kind, why, .. } = of;
            format!(
                "{fate:?}\t{verdict:?}\t{kind}\t{project} {}\t{path}:{start}-{end}\t{why}\n",
                &commit[..10]
            )
        };
        print(&fates.iter().map(line).collect::<String>())?;
    }
    print(&table(&fates))?;
    print(&agreement(&all))?;
    if ordinary.commits > 0 {
        let projects: BTreeSet<&str> = all.iter().map(|of| of.project.as_str()).collect();
        print(&rate(&program, args, &projects.into_iter().collect::<Vec<_>>())?)?;
    }
    Ok(())
}

/// The copies that a commit brings in.
fn copies(program: &Program, repository: &Path, commit: &str) -> Result<Vec<Finding>, Error> {
    let all = findings(program, repository, commit)?.into_iter();
    Ok(all.filter(|finding| finding.rule != "not-examined").collect())
}

/// What became of a judged finding: the gravest of today's that shares half of the lines of the
/// shorter of the two.
fn fate(judged: &CommitCopies, findings: &[Finding]) -> Fate {
    let shares = |finding: &&Finding| {
        let Lines { start_line, end_line } = finding.fragment;
        let n_shared = (end_line.min(judged.end) + 1).saturating_sub(start_line.max(judged.start));
        let n_shorter = (end_line - start_line).min(judged.end - judged.start) + 1;
        finding.path == judged.path && 2 * n_shared >= n_shorter
    };
    let is_warned = |finding: &Finding| finding.level > Level::Note;
    let is_named = |finding: &Finding| {
        finding.family.is_some()
            && findings.iter().any(|of| of.family == finding.family && is_warned(of))
    };
    let fate = |finding: &Finding| match (is_warned(finding), is_named(finding)) {
        (true, _) => Fate::Warned,
        (false, true) => Fate::Named,
        (false, false) => Fate::Noted,
    };
    findings.iter().filter(shares).map(fate).max().unwrap_or(Fate::Gone)
}

/// How often two readers agreed on what is useful, and how far beyond chance (Cohen 1960).
fn agreement(all: &[CommitCopies]) -> String {
    let both: Vec<(bool, bool)> = all
        .iter()
        .filter_map(|of| Some((of.verdict == Verdict::Useful, of.second? == Verdict::Useful)))
        .collect();
    let part = |is: fn(&(bool, bool)) -> bool| {
        both.iter().filter(|pair| is(pair)).count() as f64 / both.len().max(1) as f64
    };
    let (agreed, first, second) = (part(|(a, b)| a == b), part(|(a, _)| *a), part(|(_, b)| *b));
    let by_chance = first * second + (1.0 - first) * (1.0 - second);
    let kappa = (agreed - by_chance) / (1.0 - by_chance);
    format!(
        "\n{} were read twice: agreement {:.0} %, kappa {kappa:.2}\n",
        both.len(),
        100.0 * agreed
    )
}

/// How many of some judged findings are warned of, and what they are.
#[derive(Default, Clone, Copy)]
struct Tally {
    judged: usize,
    /// Those that were warnings when they were judged.
    then: usize,
    then_useful: usize,
    warned: usize,
    warned_useful: usize,
    useful: usize,
    /// Those that are warnings, or that a warning names.
    told_useful: usize,
    clear: usize,
    told_clear: usize,
}

impl Tally {
    fn add(&mut self, of: &CommitCopies, fate: Fate) {
        let (is_warned, is_useful) = (fate == Fate::Warned, of.verdict == Verdict::Useful);
        let is_clear = is_useful && of.is_clear;
        let was_warned = of.level > Level::Note;
        self.judged += 1;
        self.then += usize::from(was_warned);
        self.then_useful += usize::from(was_warned && is_useful);
        self.warned += usize::from(is_warned);
        self.useful += usize::from(is_useful);
        self.clear += usize::from(is_clear);
        self.warned_useful += usize::from(is_warned && is_useful);
        let is_told = fate >= Fate::Named;
        self.told_useful += usize::from(is_told && is_useful);
        self.told_clear += usize::from(is_told && is_clear);
    }

    fn row(&self, name: &str) -> Vec<String> {
        let percent = |part: usize, of: usize| match of {
            0 => "-".to_owned(),
            of => format!("{:.0}", 100.0 * part as f64 / of as f64),
        };
        vec![
            name.to_owned(),
            self.judged.to_string(),
            self.then.to_string(),
            percent(self.then_useful, self.then),
            self.warned.to_string(),
            percent(self.warned_useful, self.warned),
            self.useful.to_string(),
            percent(self.told_useful, self.useful),
            self.clear.to_string(),
            percent(self.told_clear, self.clear),
        ]
    }
}

/// The figures: of all, by half, by language and by what was said of them.
fn table(fates: &[(&CommitCopies, Fate)]) -> String {
    let header = [
        "", "judged", "warned then", "useful %", "warned", "useful %", "useful", "told %",
        "clearly useful", "told %",
    ];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    let mut add = |name: &str, of: &dyn Fn(&CommitCopies) -> bool| {
        let mut tally = Tally::default();
        fates
            .iter()
            .filter(|(judged, _)| of(judged))
            .for_each(|(judged, fate)| tally.add(judged, *fate));
        if tally.judged > 0 {
            rows.push(tally.row(name));
        }
    };
    add("all", &|_| true);
    add("to choose on", &|of| of.half == Half::Choose);
    add("to report on", &|of| of.half == Half::Report);
    let languages: BTreeSet<&str> = fates.iter().map(|(of, _)| of.extension()).collect();
    languages
        .iter()
        .for_each(|language| add(&format!(".{language}"), &|of| of.extension() == *language));
    let mut text = aligned(&rows);
    let mut rows =
        vec![["", "judged", "warned", "named", "noted", "gone"].map(str::to_owned).to_vec()];
    let kinds: BTreeSet<String> = fates.iter().map(|(of, _)| of.label()).collect();
    for kind in kinds {
        let of_kind: Vec<Fate> =
            fates.iter().filter(|(of, _)| of.label() == kind).map(|(_, fate)| *fate).collect();
        let n = |fate: Fate| of_kind.iter().filter(|other| **other == fate).count().to_string();
        let fates = [Fate::Warned, Fate::Named, Fate::Noted, Fate::Gone].map(n);
        rows.push([kind, of_kind.len().to_string()].into_iter().chain(fates).collect());
    }
    text.push('\n');
    text + &aligned(&rows)
}

/// Warnings of ordinary commits.
fn rate(program: &Program, args: &Args, projects: &[&str]) -> Result<String, Error> {
    let Args { replayed, ordinary } = args;
    let mut commits: Vec<(PathBuf, String)> = Vec::new();
    for (number, project) in projects.iter().enumerate() {
        let repository = replayed.projects.join(project);
        let mut all = git::commits(&repository)?;
        let mut random = Random::new(ordinary.seed, number as u64);
        for _ in 0..ordinary.commits.min(all.len()) {
            let at = random.below(all.len());
            commits.push((repository.clone(), all.swap_remove(at)));
        }
    }
    let counts = on_all_threads(commits.len(), |number| {
        let (repository, commit) = &commits[number];
        let findings = copies(program, repository, commit);
        findings.map(|all| all.iter().filter(|finding| finding.level > Level::Note).count())
    });
    let (mut n, mut n_warned, mut n_warnings, mut n_counted) = (0, 0, 0, 0);
    for count in counts {
        match count {
            Ok(count) => {
                n += 1;
                n_warned += usize::from(count > 0);
                n_warnings += count;
                n_counted += count.min(MAX_COUNTED);
            }
            Err(error) => tell(&format!("left out: {error}")),
        }
    }
    let per_100 = |part: usize| format!("{:.1}", 100.0 * part as f64 / f64::from(n.max(1)));
    Ok(format!(
        "\n{n} commits: {} % have a warning; {} warnings per 100 commits, {} with at most {MAX_COUNTED} of each\n",
        per_100(n_warned),
        per_100(n_warnings),
        per_100(n_counted),
    ))
}
