//! Writes the figures: a table for people, JSON for programs, a list of all that went wrong.

use std::fmt::Write;

use serde_json::json;

use super::builder::LENGTHS;
use super::judge::{FileHits, Finding, Verdict};
use super::kinds::Pull;
use super::tally::{Figures, Share, Tally};
use crate::columns::aligned;
use crate::place::Place;
use crate::tree::Tree;

/// The figures as a table.
pub fn table(tally: &Tally, trees: &[Tree]) -> String {
    let mut rows = vec![header("copies")];
    let copying = tally.kinds.iter().filter(|(kind, figures)| kind.is_copy && figures.n_pulls > 0);
    rows.extend(copying.map(|(kind, figures)| row(kind.name, figures)));
    rows.push(row("all", &tally.all));
    let harmless: Vec<_> =
        tally.kinds.iter().filter(|(kind, figures)| !kind.is_copy && figures.n_pulls > 0).collect();
    let mut text = aligned(&rows) + "\n" + &summary(tally) + "\n";
    if !harmless.is_empty() {
        let mut rows =
            vec![["harmless", "pulls", "clean", "findings", "notes"].map(str::to_owned).to_vec()];
        rows.extend(harmless.into_iter().map(|(kind, figures)| harmless_row(kind.name, figures)));
        text += &(aligned(&rows) + "\n");
    }
    let mut rows =
        vec![["folder", "pulls", "recall", "precision", "clean"].map(str::to_owned).to_vec()];
    rows.extend(
        trees.iter().zip(&tally.trees).map(|(tree, figures)| tree_row(&tree.name, figures)),
    );
    text + &aligned(&rows)
}

/// What the columns are, below the table.
pub const LEGEND: &str = "\
Recall in percent, over all lengths and by length in tokens. `first` and `any`: found copies whose first, or some,
origin is right. `off`: lines between the ends of a copy and those of its finding, the mean. `split`: found copies
that more than one finding reports. `wrong`: findings that overlap no copy.";

fn header(first: &str) -> Vec<String> {
    let lengths = LENGTHS.iter().map(|length| match *length.end() {
        usize::MAX => format!("{}+", length.start()),
        end => format!("{}-{end}", length.start()),
    });
    let head = [first, "n", "recall"].map(str::to_owned);
    let tail = ["first", "any", "off", "split", "wrong"].map(str::to_owned);
    head.into_iter().chain(lengths).chain(tail).collect()
}

fn row(name: &str, figures: &Figures) -> Vec<String> {
    let head = [name.to_owned(), figures.recall.whole.to_string(), percent(figures.recall)];
    let off = figures.boundary_error().map_or("-".to_owned(), |lines| format!("{lines:.2}"));
    let n_wrong = (figures.precision.whole - figures.precision.part).to_string();
    let tail = [
        percent(figures.right_first_origin),
        percent(figures.right_any_origin),
        off,
        figures.split.part.to_string(),
        n_wrong,
    ];
    head.into_iter()
        .chain(figures.recall_by_length.iter().map(|&share| percent(share)))
        .chain(tail)
        .collect()
}

fn harmless_row(name: &str, figures: &Figures) -> Vec<String> {
    let (n_pulls, n_findings) = (figures.n_pulls.to_string(), figures.precision.whole.to_string());
    vec![name.to_owned(), n_pulls, percent(figures.clean), n_findings, figures.n_notes.to_string()]
}

fn tree_row(name: &str, figures: &Figures) -> Vec<String> {
    let shares = [figures.recall, figures.precision, figures.clean].map(percent);
    [name.to_owned(), figures.n_pulls.to_string()].into_iter().chain(shares).collect()
}

fn summary(tally: &Tally) -> String {
    let figures = &tally.all;
    let mut text = String::new();
    for (name, share) in [
        ("recall, 50 tokens and more", figures.recall_from(50)),
        ("precision", figures.precision),
        ("clean share of harmless changes", figures.clean),
        ("right first origin", figures.right_first_origin),
        ("right origin among all", figures.right_any_origin),
    ] {
        writeln!(text, "{name:<34}{:>6} %  ({} of {})", percent(share), share.part, share.whole)
            .expect("a string takes all");
    }
    let off = figures.boundary_error().map_or("-".to_owned(), |lines| format!("{lines:.2}"));
    writeln!(text, "{:<34}{off:>6} lines", "boundary error").expect("a string takes all");
    writeln!(text, "{:<34}{:>6}", "different wrong findings", tally.n_different_wrong())
        .expect("a string takes all");
    text
}

fn percent(share: Share) -> String {
    share.percent().map_or("-".to_owned(), |percent| format!("{percent:.1}"))
}

/// The same figures as JSON.
pub fn json(tally: &Tally, trees: &[Tree], seed: u64) -> serde_json::Value {
    let kinds = tally.kinds.iter().filter(|(_, figures)| figures.n_pulls > 0);
    let kinds: serde_json::Map<_, _> =
        kinds.map(|(kind, figures)| (kind.name.to_owned(), of_figures(figures))).collect();
    let trees = trees.iter().zip(&tally.trees).map(|(tree, figures)| {
        let mut folder = of_figures(figures);
        folder["name"] = json!(tree.name);
        folder
    });
    let lengths = &header("")[3..3 + LENGTHS.len()];
    json!({
        "seed": seed,
        "lengths": lengths,
        "all": of_figures(&tally.all),
        "differentWrongFindings": tally.n_different_wrong(),
        "kinds": kinds,
        "folders": trees.collect::<Vec<_>>(),
    })
}

fn of_figures(figures: &Figures) -> serde_json::Value {
    let mut value = json!(figures);
    value["boundaryError"] = json!(figures.boundary_error());
    value
}

/// A boundary error from which it is listed, in lines at both ends together.
const NOTABLE_OFF: usize = 4;

/// All that went wrong with a pull request, line by line; empty when nothing did.
pub fn faults(pull: &Pull, verdict: &Verdict, tree: &Tree) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (copy, found) in pull.copies.iter().zip(&verdict.copies) {
        let origins = places(&copy.origins);
        let truth = format!("{} ({} tokens) from {origins}", copy.place, copy.n_tokens);
        match found {
            None => {
                lines.push(format!("missed        {truth}{}", excuse(verdict, &copy.place.path)));
            }
            Some(found) => lines.extend(flaws(found, &copy.place, &origins)),
        }
    }
    lines.extend(
        verdict.wrong.iter().map(|finding| format!("false         {}", described(finding))),
    );
    if lines.is_empty() {
        return String::new();
    }
    let notes: String = pull.notes.iter().map(|note| format!("    {note}\n")).collect();
    let lines: String = lines.iter().map(|line| format!("  {line}\n")).collect();
    format!(
        "{} {} {}\n{lines}{notes}    {}\n",
        pull.head(),
        tree.name,
        pull.kind.name,
        verdict.command
    )
}

/// Why a file was not examined, when it was not.
fn excuse(verdict: &Verdict, path: &str) -> String {
    let skipped = verdict.skipped.iter().find(|skipped| skipped.path == path);
    skipped.map_or_else(String::new, |skipped| format!(", not examined: {}", skipped.reason))
}

fn flaws(found: &FileHits, place: &Place, origins: &str) -> Vec<String> {
    let mut lines = Vec::new();
    if !found.is_first_right {
        let how = if found.is_any_right { "wrong first " } else { "wrong origin" };
        lines.push(format!("{how}  {} instead of {origins}", described(&found.finding)));
    }
    if found.off >= NOTABLE_OFF {
        lines.push(format!("off by {:<6} {} instead of {place}", found.off, found.finding.place));
    }
    if found.n_findings > 1 {
        lines.push(format!("split in {:<4} {place}", found.n_findings));
    }
    lines
}

fn described(finding: &Finding) -> String {
    format!(
        "{} {} ({} tokens) from {}",
        finding.level,
        finding.place,
        finding.n_tokens,
        places(&finding.origins)
    )
}

fn places(places: &[Place]) -> String {
    let shown: Vec<String> = places.iter().take(4).map(ToString::to_string).collect();
    let more =
        if places.len() > 4 { format!(" and {} more", places.len() - 4) } else { String::new() };
    shown.join(", ") + &more
}
