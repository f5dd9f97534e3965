//! Lays out code as rows of two sides, in which long equal stretches are folded.

use askama::Template;

use crate::report::sides::{Line, Mark, Sides};
use crate::report::words::{MAX_NAMED, first};
use crate::text::FilePath;

/// Maximum rows of code to show of one block.
const MAX_ROWS: usize = 400;
/// Equal rows to keep in view before and after what differs.
const CONTEXT: usize = 3;
/// Minimum equal rows to fold: fewer are read faster than they are unfolded.
const MIN_FOLDED: usize = 6;

/// The rows of two sides; a line without a counterpart is next to a gap.
#[derive(Template, Default)]
#[template(
    ext = "html",
    source = r##"{% for stretch in stretches %}{% if stretch.is_folded %}<details class="fold"><summary>{{ stretch.rows.len() }} equal lines</summary>
{% endif %}{% for row in stretch.rows %}<div class="r{% if row.is_equal %} e{% endif %}">{% for line in row.lines %}{% if let Some(line) = line %}<i>{{ line.number }}</i><span>{% for piece in line.pieces %}{% if piece.1.is_empty() %}{{ piece.0 }}{% else %}<mark class="{{ piece.1 }}">{{ piece.0 }}</mark>{% endif %}{% endfor %}</span>{% else %}<i class="gap"></i><b class="gap"></b>{% endif %}{% endfor %}</div>
{% endfor %}{% if stretch.is_folded %}</details>
{% endif %}{% endfor %}"##
)]
pub(in crate::report) struct Code {
    /// 0 if the code is left out, 1 if only one side is known.
    pub n_sides: usize,
    /// The words that replace each other.
    pub renames: Vec<String>,
    pub n_left_out: usize,
    stretches: Vec<Stretch>,
}

/// Rows that are folded together, or shown.
struct Stretch {
    rows: Vec<Row>,
    is_folded: bool,
}

struct Row {
    lines: Vec<Option<CodeLine>>,
    /// Whether the sides have the same words.
    is_equal: bool,
}

struct CodeLine {
    number: u32,
    pieces: Vec<(String, &'static str)>,
}

impl Code {
    /// Both sides, of the files with these `paths`; takes their rows from `n_free`.
    pub fn of_both(sides: &Sides, paths: (&FilePath, &FilePath), n_free: &mut usize) -> Self {
        let n = sides.rows.len().min(MAX_ROWS).min(*n_free);
        *n_free -= n;
        let renamed = sides.renamed_names(paths.0, paths.1);
        let renames = first(&renamed, MAX_NAMED, |name| format!("{} → {}", name.from, name.to));
        let n_cut = sides.n_left_out.0.max(sides.n_left_out.1) as usize;
        let rows = (0..n).map(|row| Row {
            lines: [true, false].map(|side| sides.line(row, side).map(CodeLine::new)).into(),
            is_equal: sides.is_equal(row),
        });
        let (stretches, n_left_out) = (folded(rows.collect()), sides.rows.len() - n + n_cut);
        Self { n_sides: 2, renames, n_left_out, stretches }
    }

    /// One side, if the other is unknown.
    pub fn of_one(lines: &[Line], n_free: &mut usize) -> Self {
        let n = lines.len().min(MAX_ROWS).min(*n_free);
        *n_free -= n;
        let rows = lines[..n].iter().map(|line| vec![Some(CodeLine::new(line))]);
        let rows = rows.map(|lines| Row { lines, is_equal: false }).collect();
        let stretches = vec![Stretch { rows, is_folded: false }];
        Self { n_sides: 1, renames: Vec::new(), n_left_out: lines.len() - n, stretches }
    }
}

/// The rows in stretches: equal ones are folded, but for those next to what differs and at both
/// ends.
fn folded(rows: Vec<Row>) -> Vec<Stretch> {
    let is_equal: Vec<bool> = rows.iter().map(|row| row.is_equal).collect();
    let mut is_hidden = vec![false; rows.len()];
    let mut start = 0;
    for run in is_equal.chunk_by(|a, b| a == b) {
        let inner = start + CONTEXT..(start + run.len()).saturating_sub(CONTEXT);
        if run[0] && inner.len() >= MIN_FOLDED {
            is_hidden[inner].fill(true);
        }
        start += run.len();
    }
    let mut stretches: Vec<Stretch> = Vec::new();
    for (row, is_folded) in rows.into_iter().zip(is_hidden) {
        match stretches.last_mut() {
            Some(last) if last.is_folded == is_folded => last.rows.push(row),
            _ => stretches.push(Stretch { rows: vec![row], is_folded }),
        }
    }
    stretches
}

impl CodeLine {
    fn new(line: &Line) -> Self {
        let pieces = line.pieces().into_iter();
        let pieces = pieces.map(|(text, mark)| (text.to_owned(), mark.map_or("", Mark::name)));
        Self { number: line.number, pieces: pieces.collect() }
    }
}
