//! Runs `secondhand config calibrate`.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::history::timeline_of;
use crate::audit::{Copy, MergedCopy, Proposal, Timeline, proposals};
use crate::cli::args::Calibrate;
use crate::cli::flags::Common;
use crate::cli::io::{Failure, print_text};
use crate::cli::settings;
use crate::git::{CommitId, Reader, Repository, Span};
use crate::policy::Level;
use crate::text::{FilePath, Lines, agreed, count};

/// Minimum percentage of the lines of a copy that are in its file still for the copy to be kept.
const KEPT_LINES: usize = 80;

pub(in crate::cli) fn run(flags: &Calibrate, common: &Common) -> Result<(), Failure> {
    let repository = Repository::discover(&common.repo)?;
    let config = settings::read(common, Some(&repository), &[])?;
    let name = flags.range.clone().unwrap_or_else(|| "HEAD".to_owned());
    let span = Span { limits: flags.limits.read()?, is_first_parent: true, ..Span::default() };
    let timeline = timeline_of(&repository, (name, span), None, &config, common)?;
    let reader = repository.reader();
    let head = reader.commit("HEAD")?;
    let merged = merged(&timeline, head, &reader);
    let tree = reader.commit_snapshot(head)?;
    let paths: Vec<&FilePath> = tree.entries.iter().map(|entry| &entry.path).collect();
    let proposals = proposals(&merged, &paths, config.min_tokens);
    print_text(&text(&timeline, &merged, &proposals))
}

/// The warnings of the commits, and whether their copies are in `head` still.
fn merged(timeline: &Timeline, head: CommitId, reader: &Reader) -> Vec<MergedCopy> {
    let mut merged = Vec::new();
    for judged in &timeline.commits {
        for copy in judged.copies.iter().filter(|copy| copy.level > Level::Note) {
            let texts =
                [judged.commit, head].map(|at| reader.text_at(at, &copy.path).ok().flatten());
            let is_kept = match texts {
                [Some(then), Some(now)] => is_kept(copy, &then, &now),
                _ => false,
            };
            let commit = judged.commit.to_string();
            merged.push(MergedCopy { copy: copy.clone(), commit, is_kept });
        }
    }
    merged
}

/// Whether most lines that a copy had then are in its file now.
fn is_kept(copy: &Copy, then: &[u8], now: &[u8]) -> bool {
    let lines = Lines::new(then);
    let of_copy = (copy.fragment.start.line..=copy.fragment.end.line)
        .map(|line| lines.text(then, line).trim_ascii());
    let of_copy: Vec<&[u8]> = of_copy.filter(|line| !line.is_empty()).collect();
    let now: HashSet<&[u8]> = now.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).collect();
    100 * of_copy.iter().filter(|line| now.contains(**line)).count() >= KEPT_LINES * of_copy.len()
}

fn text(timeline: &Timeline, merged: &[MergedCopy], proposals: &[Proposal]) -> String {
    let n_kept = merged.iter().filter(|of| of.is_kept).count();
    let (warnings, range) = (count(merged.len(), "warning"), &timeline.range);
    let commits = count(timeline.commits.len(), "commit");
    let mut text =
        format!("{warnings} in {commits} of {range}; {n_kept} of the copies are still there\n");
    if proposals.is_empty() {
        text.push_str("nothing is proposed: no folder and no length has several copies that were merged and kept\n");
    }
    for Proposal { setting, effect, changed } in proposals {
        let kept = changed.iter().filter(|&&number| merged[number].is_kept).count();
        let (n, change) = (changed.len(), agreed(changed.len(), "changes", "change"));
        let _ = writeln!(text, "\n{setting}\n  {effect}");
        let _ =
            writeln!(text, "  {n} of the {warnings} {change} so; {kept} of these copies were kept");
        for &number in changed.iter().take(3) {
            let MergedCopy { copy, commit, .. } = &merged[number];
            let at = copy.fragment.start_in(&copy.path);
            let from = copy.origins.first();
            let from = from.map(|of| format!(" from {}", of.fragment.start_in(&of.path)));
            let from = from.unwrap_or_default();
            let _ = writeln!(text, "    {at}{from}, in {}", &commit[..10]);
        }
    }
    text.push_str("\nnothing was written: `secondhand.toml` takes what you choose\n");
    text
}
