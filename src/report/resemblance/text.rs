//! Writes resemblances for people: a row for each pair, or a matrix.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use super::{bounds, matrix, method};
use crate::audit::{Resemblances, ResemblingPair};
use crate::fingerprint::resemblance::Estimate;
use crate::report::Style;
use crate::report::words::count;

pub(super) fn write(found: &Resemblances, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if found.params.is_matrix {
        write_matrix(found, out)?;
    } else {
        write_pairs(found, style, out)?;
    }
    if style.is_quiet {
        return Ok(());
    }
    if let Some(clusters) = &found.clusters {
        let n_joined = clusters.iter().filter(|cluster| cluster.members.len() > 1).count();
        let (joined, alone) =
            (count(n_joined, "cluster"), count(clusters.len() - n_joined, "document"));
        writeln!(out, "\n{joined}, and {alone} alone")?;
        for cluster in clusters.iter().filter(|cluster| cluster.members.len() > 1) {
            let others = cluster.members.iter().filter(|&&member| member != cluster.representative);
            let others: Vec<_> = others.map(|&member| name(found, member)).collect();
            writeln!(out, "  {}: {}", name(found, cluster.representative), others.join(", "))?;
        }
    }
    writeln!(out, "\n  {}", method(found))?;
    for document in found.documents.iter().filter(|document| document.n_shingles == 0) {
        writeln!(out, "  fewer tokens than a shingle: {}", document.name)?;
    }
    for left_out in found.skipped.iter().filter(|left_out| left_out.is_notable || style.is_verbose)
    {
        writeln!(out, "  not compared: {} ({})", left_out.path, left_out.why)?;
    }
    Ok(())
}

fn name(found: &Resemblances, at: usize) -> String {
    found.documents[at].name.to_string()
}

/// Percent with two digits: the field's examples have them.
fn percent(part: f64) -> String {
    format!("{:.2} %", part * 100.0)
}

fn write_pairs(found: &Resemblances, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let nothing = Estimate { value: 0.0, n_sampled: 0 };
    let (a_in_b, b_in_a) = (Some(nothing), Some(nothing));
    let unlike = [ResemblingPair { a: 0, b: 1, resemblance: nothing, a_in_b, b_in_a }];
    // Of two, the answer is shown even if it is that they have nothing in common.
    let are_unlike = found.pairs.is_empty() && found.documents.len() == 2;
    let pairs = if are_unlike { &unlike[..] } else { &found.pairs[..] };
    if !style.is_quiet {
        writeln!(out, "resemblance  1st in 2nd  2nd in 1st  pair")?;
    }
    for pair in pairs {
        let contained =
            |part: Option<Estimate>| part.map_or("-".to_owned(), |part| percent(part.value));
        let has_range = found.params.sampling.is_some() && pair.resemblance.n_sampled > 0;
        let (low, high) = bounds(found, &pair.resemblance);
        let range = format!("  ({} to {})", percent(low), percent(high));
        let range = if has_range { range } else { String::new() };
        let (alike, a_in_b, b_in_a) =
            (percent(pair.resemblance.value), contained(pair.a_in_b), contained(pair.b_in_a));
        let (a, b) = (name(found, pair.a), name(found, pair.b));
        writeln!(out, "{alike:>11}  {a_in_b:>10}  {b_in_a:>10}  {a}  {b}{range}")?;
    }
    if pairs.is_empty() && !style.is_quiet {
        writeln!(out, "no two of {} share a shingle", count(found.documents.len(), "document"))?;
    }
    Ok(())
}

fn write_matrix(found: &Resemblances, out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<_> = (0..found.documents.len()).map(|at| name(found, at)).collect();
    let width = names.iter().map(|name| name.width()).max().unwrap_or(0);
    // Columns are numbered like rows, so that a matrix of any names is as narrow as its figures.
    let n_digits = names.len().to_string().len();
    write!(out, "{:width$}", "", width = n_digits + 2 + width)?;
    (1..=names.len()).try_for_each(|number| write!(out, "  {number:>6}"))?;
    writeln!(out)?;
    for ((number, name), row) in (1..).zip(&names).zip(matrix(found)) {
        write!(out, "{number:>n_digits$}  {name}{:width$}", "", width = width - name.width())?;
        row.iter().try_for_each(|part| write!(out, "  {:>6.2}", part * 100.0))?;
        writeln!(out)?;
    }
    Ok(())
}
