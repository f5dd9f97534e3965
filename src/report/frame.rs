//! Draws both sides of a copy for a terminal: below each other, or side by side if there is room.
//!
//! Promise: no line is wider than requested, in columns as terminals count them.

use std::fmt::Write as _;
use std::ops::Range;

use anstyle::{AnsiColor, Style as Color};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::Style;
use super::sides::{Line, Mark, Sides};
use crate::text::count;

/// Maximum lines of a side to draw, marks below them included; the rest are folded, rows that
/// differ last.
const MAX_ROWS: usize = 10;
/// Minimum columns for the sides to be drawn next to each other.
const SIDE_BY_SIDE: usize = 140;
/// Number of columns from one tab stop to the next.
const TAB: usize = 4;

/// Draws both sides under their titles.
pub(super) fn draw(sides: &Sides, titles: &[String; 2], style: &Style) -> String {
    let rows: Vec<Row> = if style.is_full {
        (0..sides.rows.len()).map(Row::Drawn).collect()
    } else {
        shown(sides, style.has_color)
    };
    if style.columns() >= SIDE_BY_SIDE {
        return beside(sides, &rows, titles, style);
    }
    let digits = digits(&sides.copy).max(digits(&sides.origin));
    let [copy, origin] = titles;
    let captions = [(copy, true, sides.n_left_out.0), (origin, false, sides.n_left_out.1)];
    let drawn = captions.map(|(title, is_copy, n_left_out)| {
        let mut lines: Vec<Result<&Line, Fold>> = Vec::new();
        for line in rows.iter().filter_map(|row| row.of_side(sides, is_copy)) {
            match (lines.last_mut(), line) {
                // What is between them has a line on the other side alone.
                (Some(Err(last)), Err(more)) => {
                    last.n_lines += more.n_lines;
                    last.is_equal &= more.is_equal;
                }
                (_, line) => lines.push(line),
            }
        }
        below(&lines, &SideCaption { title, is_copy, n_left_out, digits }, style)
    });
    drawn.concat()
}

pub(super) fn draw_one(lines: &[Line], title: &str, style: &Style) -> String {
    let n = lines.len();
    let is_folded = !style.is_full && n > MAX_ROWS;
    let folded = if is_folded { MAX_ROWS / 2..n - MAX_ROWS / 2 } else { n..n };
    let fold = is_folded.then(|| Err(Fold { n_lines: folded.len(), is_equal: false }));
    let (before, after) = (lines[..folded.start].iter(), lines[folded.end..].iter());
    let rows: Vec<_> = before.map(Ok).chain(fold).chain(after.map(Ok)).collect();
    let side = SideCaption { title, is_copy: true, n_left_out: 0, digits: digits(lines) };
    below(&rows, &side, style)
}

fn digits(lines: &[Line]) -> usize {
    lines.last().map_or(1, |line| line.number.to_string().len())
}

/// A row of [`Sides`], or a fold of several.
enum Row {
    Drawn(usize),
    Folded { rows: Range<usize>, is_equal: bool },
}

impl Row {
    /// What one side shows of it. Nothing where the side has no line.
    fn of_side<'l>(&self, sides: &'l Sides, is_copy: bool) -> Option<Result<&'l Line, Fold>> {
        match self {
            Self::Drawn(row) => sides.line(*row, is_copy).map(Ok),
            Self::Folded { rows, is_equal } => {
                let n_lines = rows.clone().filter_map(|row| sides.line(row, is_copy)).count();
                (n_lines > 0).then_some(Err(Fold { n_lines, is_equal: *is_equal }))
            }
        }
    }
}

struct Fold {
    n_lines: usize,
    /// Whether the other side has the same.
    is_equal: bool,
}

impl std::fmt::Display for Fold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let noun = if self.is_equal { "equal line" } else { "more line" };
        write!(f, "... {}", count(self.n_lines, noun))
    }
}

/// The rows to draw: the first, the last, those that differ, and those around them.
fn shown(sides: &Sides, has_color: bool) -> Vec<Row> {
    let n = sides.rows.len();
    let is_marked: Vec<bool> = (0..n).map(|row| sides.is_marked(row)).collect();
    // Without colors, marks have a line of their own.
    let costs: Vec<usize> = is_marked.iter().map(|&of| 1 + usize::from(!has_color && of)).collect();
    let mut is_shown = vec![costs.iter().sum::<usize>() <= MAX_ROWS; n];
    let mut n_free = if is_shown.first() == Some(&true) { 0 } else { MAX_ROWS };
    // Rows that differ come before those around them, and these before the rest.
    let marked: Vec<usize> = (0..n).filter(|&row| is_marked[row]).take(MAX_ROWS).collect();
    let around = marked.iter().flat_map(|&row| [row.saturating_sub(1), row + 1]);
    let ends = [0, n.saturating_sub(1), 1];
    let ranked = ends.into_iter().chain(marked.iter().copied()).chain(around).chain(0..n);
    for row in ranked.filter(|&row| row < n) {
        if costs[row] <= n_free && !is_shown[row] {
            is_shown[row] = true;
            n_free -= costs[row];
        }
    }
    let mut rows: Vec<Row> = Vec::new();
    for (row, is_shown) in is_shown.into_iter().enumerate() {
        match rows.last_mut() {
            _ if is_shown => rows.push(Row::Drawn(row)),
            Some(Row::Folded { rows, is_equal }) => {
                rows.end = row + 1;
                *is_equal &= !is_marked[row];
            }
            _ => rows.push(Row::Folded { rows: row..row + 1, is_equal: !is_marked[row] }),
        }
    }
    rows
}

const GUTTER: Color = AnsiColor::Blue.on_default().bold();

fn paint(color: Color, text: &str, style: &Style) -> String {
    if style.has_color && !text.is_empty() {
        format!("{color}{text}{color:#}")
    } else {
        text.to_owned()
    }
}

fn color_of(mark: Mark, is_copy: bool) -> Color {
    match (mark, is_copy) {
        (Mark::Renamed, _) => AnsiColor::Yellow.on_default().underline(),
        (Mark::Changed, true) => AnsiColor::Green.on_default().underline(),
        (Mark::Changed, false) => AnsiColor::Red.on_default().underline(),
    }
}

/// The legend: what the marks of the frames mean.
pub(super) fn legend(style: &Style) -> String {
    if !style.has_color {
        return "marks: ~ renamed, ^ changed or only on this side\n\n".to_owned();
    }
    let renamed = paint(color_of(Mark::Renamed, true), "renamed", style);
    let copy = paint(color_of(Mark::Changed, true), "the copy", style);
    let origin = paint(color_of(Mark::Changed, false), "the origin", style);
    format!("marks: {renamed}; changed, only in {copy} or {origin}\n\n")
}

/// Whether a drawn frame has a mark.
pub(super) fn has_marks(frame: &str) -> bool {
    let mut lines = frame.lines().filter_map(|line| line.split_once('|'));
    frame.contains("\x1b[4m")
        || lines.any(|(_, marks)| {
            marks.contains(['~', '^'])
                && marks.chars().all(|sign| matches!(sign, '~' | '^' | ' ' | '|'))
        })
}

/// What is said of a side besides its lines.
struct SideCaption<'t> {
    title: &'t str,
    is_copy: bool,
    n_left_out: u32,
    /// The digits of its line numbers.
    digits: usize,
}

/// Draws the lines of one side; in the place of folded ones, words.
fn below(lines: &[Result<&Line, Fold>], side: &SideCaption, style: &Style) -> String {
    let SideCaption { title, is_copy, n_left_out, digits } = *side;
    let width = style.columns().saturating_sub(digits + 3).max(1);
    let indent = indent(lines.iter().filter_map(|line| line.as_ref().ok().copied()), width);
    let bar = paint(GUTTER, "|", style);
    let arrow = paint(GUTTER, &format!("{:digits$}-->", ""), style);
    let mut text = String::new();
    for (at, part) in style.wrapped(title, digits + 4).iter().enumerate() {
        let lead = if at == 0 { arrow.clone() } else { " ".repeat(digits + 3) };
        let _ = writeln!(text, "{lead} {part}");
    }
    for line in lines {
        let line = match line {
            Ok(line) => line,
            Err(fold) => {
                let _ = writeln!(text, "{}", paint(GUTTER, &fold.to_string(), style));
                continue;
            }
        };
        let DrawnLine { code, below, .. } = drawn(line, indent, width, is_copy, style);
        let number = paint(GUTTER, &format!("{:>digits$}", line.number), style);
        let _ = writeln!(text, "{number} {bar} {code}");
        if !below.is_empty() {
            let _ = writeln!(text, "{:digits$} {bar} {below}", "");
        }
    }
    if n_left_out > 0 {
        let _ = writeln!(text, "... and {}", count(n_left_out, "more line"));
    }
    // Trailing spaces are useless.
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn beside(sides: &Sides, rows: &[Row], titles: &[String; 2], style: &Style) -> String {
    let digits = [digits(&sides.copy), digits(&sides.origin)];
    let width = (style.columns() - digits[0] - digits[1] - 9) / 2;
    let indents = [true, false]
        .map(|side| indent(rows.iter().filter_map(|row| row.of_side(sides, side)?.ok()), width));
    let mut text = String::new();
    let heads = titles.each_ref().map(|title| wrapped(title, width));
    for at in 0..heads[0].len().max(heads[1].len()) {
        let parts = heads.each_ref().map(|head| head.get(at).map_or("", String::as_str));
        text += &beside_row([""; 2], parts.map(|part| (part, part.width())), digits, width, style);
    }
    for row in rows {
        let parts = [(true, indents[0]), (false, indents[1])].map(|(is_copy, indent)| {
            match row.of_side(sides, is_copy) {
                Some(Ok(line)) => {
                    (line.number.to_string(), drawn(line, indent, width, is_copy, style))
                }
                Some(Err(fold)) => {
                    let code = fold.to_string();
                    (String::new(), DrawnLine { width: code.len(), code, ..DrawnLine::default() })
                }
                None => Default::default(),
            }
        });
        let [(copy_number, copy), (origin_number, origin)] = &parts;
        let code = [(&*copy.code, copy.width), (&*origin.code, origin.width)];
        text += &beside_row([copy_number, origin_number], code, digits, width, style);
        if !copy.below.is_empty() || !origin.below.is_empty() {
            let marks = [&*copy.below, &*origin.below].map(|marks| (marks, marks.len()));
            text += &beside_row([""; 2], marks, digits, width, style);
        }
    }
    if sides.n_left_out != (0, 0) {
        let n_left_out = sides.n_left_out.0.max(sides.n_left_out.1);
        let _ = writeln!(text, "... and {}", count(n_left_out, "more line"));
    }
    text
}

/// A row of both sides: their numbers, and what is there with its columns.
fn beside_row(
    numbers: [&str; 2],
    code: [(&str, usize); 2],
    digits: [usize; 2],
    width: usize,
    style: &Style,
) -> String {
    let [copy, origin] = [0, 1].map(|side| {
        let number = paint(GUTTER, &format!("{:>1$}", numbers[side], digits[side]), style);
        format!("{number} {} {}", paint(GUTTER, "|", style), code[side].0)
    });
    let pad = " ".repeat(width.saturating_sub(code[0].1));
    format!("{}\n", format!("{copy}{pad}   {origin}").trim_end())
}

/// A line as it is drawn, its columns, and the marks below it.
#[derive(Default)]
struct DrawnLine {
    code: String,
    width: usize,
    below: String,
}

/// A character, or the spaces of a tab, and its position.
struct Cell {
    text: String,
    columns: Range<usize>,
    mark: Option<Mark>,
    is_within: bool,
}

fn cells(line: &Line) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    let mut column = 0;
    let mut marks = line.marks.iter().peekable();
    for (at, c) in line.text.char_indices() {
        while marks.next_if(|(range, _)| range.end <= at).is_some() {}
        let mark = marks.peek().filter(|(range, _)| range.contains(&at)).map(|(_, mark)| *mark);
        let width = if c == '\t' { TAB - column % TAB } else { c.width().unwrap_or(0) };
        match cells.last_mut() {
            // An accent, a variation selector: part of the character before it.
            Some(last) if width == 0 => last.text.push(c),
            _ => {
                let text = if c == '\t' { " ".repeat(width) } else { c.to_string() };
                let is_within = line.within.contains(&at);
                cells.push(Cell { text, columns: column..column + width, mark, is_within });
            }
        }
        column += width;
    }
    cells
}

/// Leading columns of spaces common to all lines, if some line is wider than `width`.
fn indent<'l>(lines: impl Iterator<Item = &'l Line>, width: usize) -> usize {
    let (mut least, mut widest) = (usize::MAX, 0);
    for line in lines {
        let cells = cells(line);
        widest = widest.max(cells.last().map_or(0, |cell| cell.columns.end));
        let first = cells.iter().find(|cell| !cell.text.trim().is_empty());
        least = least.min(first.map_or(usize::MAX, |cell| cell.columns.start));
    }
    if widest > width && least < usize::MAX { least } else { 0 }
}

/// Draws the part of a line that fits: around its first mark, if that is far to the right.
fn drawn(line: &Line, indent: usize, width: usize, is_copy: bool, style: &Style) -> DrawnLine {
    let mut cells = cells(line);
    cells.retain(|cell| cell.columns.start >= indent);
    let end = cells.last().map_or(indent, |cell| cell.columns.end);
    let (mut from, mut to) = (indent, end);
    if end - indent > width {
        let telling = cells
            .iter()
            .find(|cell| cell.mark.is_some() || cell.is_within && line.marks.is_empty())
            .map_or(indent, |cell| cell.columns.start);
        if telling + width / 4 > indent + width {
            from = telling - width / 4;
        }
        to = from + width;
    }
    let is_cut = (from > indent, to < end);
    let inner = from + usize::from(is_cut.0)..to - usize::from(is_cut.1);
    let kept = cells
        .iter()
        .filter(|cell| cell.columns.start >= inner.start && cell.columns.end <= inner.end);
    let mut drawn = DrawnLine::default();
    // Stretches of one mark each.
    let mut runs = vec![(None, String::new())];
    let mut below = String::new();
    if is_cut.0 {
        runs[0].1.push('…');
        drawn.width += 1;
        below.push(' ');
    }
    for cell in kept {
        // Half of a wide character that was cut becomes a space.
        let blank = (cell.columns.start - from).saturating_sub(drawn.width);
        let text = " ".repeat(blank) + &cell.text;
        match runs.last_mut() {
            Some((mark, run)) if *mark == cell.mark => run.push_str(&text),
            _ => runs.push((cell.mark, text)),
        }
        drawn.width += blank + cell.columns.len();
        let sign = match cell.mark {
            Some(Mark::Renamed) => "~",
            Some(Mark::Changed) => "^",
            None => " ",
        };
        below.push_str(&" ".repeat(blank));
        below.push_str(&sign.repeat(cell.columns.len()));
    }
    drawn.code.extend(runs.into_iter().map(|(mark, text)| match mark {
        Some(mark) => paint(color_of(mark, is_copy), &text, style),
        None => text,
    }));
    if is_cut.1 {
        drawn.code.push('…');
        drawn.width += 1;
    }
    if !style.has_color {
        drawn.below = below.trim_end().to_owned();
    }
    drawn
}

/// `text` in lines of at most `width` columns, broken at spaces; a longer word gets its own line.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => line.extend([" ", word]),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::report::sides::tests::sides;

    fn drawn(origin: &str, copy: &str, width: usize) -> String {
        let titles = ["new.c:1", "old.c:1"].map(str::to_owned);
        let style = Style { width, wraps: true, ..Style::default() };
        draw(&sides(origin, copy), &titles, &style)
    }

    #[test]
    fn what_differs_is_marked_below() {
        let expected = " --> new.c:1
1 | \u{1F600} a(cur, 1, 2);
  |      ~~~   ^^^
 --> old.c:1
1 | \u{1F600} a(e, 1);
  |      ~
";
        assert_eq!(drawn("\u{1F600} a(e, 1);", "\u{1F600} a(cur, 1, 2);", 80), expected);
    }

    #[test]
    fn a_long_line_is_cut_around_what_differs() {
        let long = |word: &str| format!("{}({word}){}", "x+".repeat(100), "-y".repeat(100));
        let text = drawn(&long("old"), &long("new"), 40);
        assert!(text.contains("(new)") && text.contains("(old)"), "{text}");
        assert!(text.lines().all(|line| line.width() <= 40), "{text}");
    }

    #[test]
    fn folds_with_nothing_between_them_on_a_side_are_one() {
        let line = |n: u32| format!("total({n});\n");
        let equal: String = (0..60).map(line).collect();
        // Lines of one side alone take all there is to draw.
        let with_more: String = (0..60)
            .map(|n| if n % 5 == 3 { line(n) + "check(a, b);\n" } else { line(n) })
            .collect();
        let text = drawn(&equal, &with_more, 80);
        let is_fold: Vec<bool> = text.lines().map(|line| line.starts_with("... ")).collect();
        assert!(is_fold.contains(&true) && !is_fold.windows(2).any(|of| of == [true; 2]), "{text}");
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_asked(
            a in "[ab(;\n\t é😀表\u{301}]{0,300}",
            b in "[ab(;\n\t é😀表\u{301}]{0,300}",
            width in 30usize..220,
        ) {
            for line in drawn(&a, &b, width).lines() {
                prop_assert!(line.width() <= width, "{} columns: {line}", line.width());
            }
        }
    }
}
