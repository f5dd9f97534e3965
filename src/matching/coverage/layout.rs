//! Cuts runs into whole units of code, as the lines of a file show them.

use std::ops::Range;

use crate::matching::Document;

pub(super) struct Layout {
    /// For each line on which a token begins: the token, its indentation, whether a blank line
    /// precedes it, and whether it only closes what was opened before.
    lines: Vec<Line>,
    n_tokens: usize,
}

struct Line {
    at: usize,
    indent: usize,
    is_paragraph: bool,
    is_closer: bool,
}

impl Layout {
    pub fn new(document: Document<'_>) -> Self {
        let n_tokens = document.tokens.len();
        let starts = (0..n_tokens).filter(|&at| document.starts_line(at));
        let lines = starts.map(|at| Line {
            at,
            indent: document.indent(at),
            is_paragraph: document.starts_paragraph(at),
            is_closer: document.tokens[at].is_closing(),
        });
        Self { lines: lines.collect(), n_tokens }
    }

    /// Cuts a run into parts of whole units of code, as far as its lines show them: at the blank
    /// lines with the least indentation. Neighbors are joined until they have `min_tokens`, but
    /// never get longer than `period`. Shorter pieces of a unit at the ends are left out.
    pub fn parts(&self, run: Range<usize>, min_tokens: usize, period: usize) -> Vec<Range<usize>> {
        let from = self.lines.partition_point(|line| line.at < run.start);
        let to = self.lines.partition_point(|line| line.at < run.end);
        let lines = &self.lines[from..to];
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return Vec::new() };
        let goes_on = self.lines.get(to);
        // Whole lines.
        let ends_line = run.end == self.n_tokens || goes_on.is_some_and(|line| line.at == run.end);
        let end = if ends_line { run.end } else { last.at };
        let run = first.at..end;
        let lines = &lines[..lines.partition_point(|line| line.at < run.end)];
        let indents = lines.iter().filter(|line| !line.is_closer).map(|line| line.indent);
        let Some(outermost) = indents.min() else { return Vec::new() };
        let starts = |line: &&Line| line.is_paragraph && line.indent <= outermost;
        let cuts = lines.iter().skip(1).filter(starts).map(|line| line.at);
        let bounds: Vec<usize> = [run.start].into_iter().chain(cuts).chain([run.end]).collect();
        let mut units: Vec<Range<usize>> = bounds.windows(2).map(|ends| ends[0]..ends[1]).collect();
        let is_begun = first.indent > outermost || first.is_closer;
        if units.len() > 1 && units[0].len() < min_tokens && is_begun {
            units.remove(0);
        }
        let is_cut_short =
            !ends_line || goes_on.is_some_and(|line| line.indent > outermost || !line.is_paragraph);
        if units.len() > 1 && is_cut_short {
            units.pop_if(|unit| unit.len() < min_tokens);
        }
        let mut parts: Vec<Range<usize>> = Vec::new();
        for unit in units {
            match parts.last_mut() {
                Some(last)
                    if last.len().min(unit.len()) < min_tokens
                        && last.len() + unit.len() <= period =>
                {
                    last.end = unit.end;
                }
                _ => parts.push(unit),
            }
        }
        let cut = parts.into_iter().flat_map(|part| {
            let n = period.min(part.len()).max(1);
            part.clone().step_by(n).map(move |at| at..(at + n).min(part.end))
        });
        cut.filter(|part| part.len() >= min_tokens).collect()
    }
}
