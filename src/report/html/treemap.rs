//! Draws a tree as a treemap: a cell for each file, as large as the file and colored by how much of
//! it is duplicated.
//!
//! Squarified (Bruls, Huizing and van Wijk, 2000): each row of cells takes the shorter side of what
//! is left, for as long as that makes its cells more square. Folders too small to show are one
//! cell, so any tree makes a drawing of bounded size.

use std::ops::Range;

use askama::Template;

use super::parts::{card_address, counted, percentage};
use crate::report::words::count;
use crate::text::shortened;

/// The size of the drawing in CSS pixels. The width is what it is laid out for; it stretches with
/// the page.
const WIDTH: f64 = 1_100.0;
const HEIGHT: f64 = 440.0;
/// Widths of the drawing, at which a label has to fit: on a desk, and on a phone.
const WIDE: f64 = 800.0;
const NARROW: f64 = 330.0;
/// Width of a character of a label.
const CHARACTER: f64 = 6.7;
/// Height of a label.
const LABEL: f64 = 15.0;
/// Minimum height and width of a folder to have a label above its files.
const TITLED: (f64, f64) = (54.0, 60.0);
/// Minimum part of the drawing for a cell. Smaller files of a folder share a cell.
const MIN_PART: f64 = 1.0 / 500.0;
/// Maximum folders in folders; a deeper one is a cell.
const MAX_DEPTH: usize = 24;
/// From which percentage on a cell has which color.
const LEVELS: [usize; 6] = [0, 1, 10, 25, 50, 75];

/// A file to draw: its path, lines, duplicated lines, and its first card.
pub(super) struct Leaf {
    pub path: String,
    pub n_lines: usize,
    pub n_duplicated: usize,
    pub card: Option<usize>,
}

#[derive(Template)]
#[template(
    ext = "html",
    source = r##"<section class="panel treemap"><h2>The tree by duplication</h2>
<p class="dim">A cell is as large as its file has lines, and has a stronger color, the more of them are duplicated. {% if has_links %}Choose one to see its clones; arrow keys move between them.{% endif %}</p>
<svg width="100%" height="440" role="group" aria-label="{{ label }}">
{% for cell in cells %}{% if let Some(address) = cell.address %}<a href="{{ address }}" data-filter="{{ cell.filter }}" aria-label="{{ cell.title }}">{% else %}<g>{% endif %}<rect class="t{{ cell.level }}" x="{{ cell.x }}%" y="{{ cell.y }}" width="{{ cell.width }}%" height="{{ cell.height }}"><title>{{ cell.title }}</title></rect>{% if cell.address.is_some() %}</a>{% else %}</g>{% endif %}{% if !cell.text.is_empty() %}<text class="on{{ cell.level }}{% if cell.is_wide %} wide{% endif %}" x="{{ cell.x }}%" y="{{ cell.y }}" dx="4" dy="12" aria-hidden="true">{{ cell.text }}</text>{% endif %}
{% endfor %}{% for name in names %}<text class="folder{% if name.is_wide %} wide{% endif %}" x="{{ name.x }}%" y="{{ name.y }}" dx="3" dy="11">{{ name.text }}</text>
{% endfor %}</svg>
<p class="legend dim">{% for level in levels %}<span><svg width="14" height="14" aria-hidden="true"><rect class="t{{ level.0 }}" width="14" height="14"/></svg> {{ level.1 }}</span> {% endfor %}</p></section>
"##
)]
pub(super) struct Treemap {
    label: String,
    has_links: bool,
    cells: Vec<Cell>,
    names: Vec<Name>,
    levels: Vec<(usize, String)>,
}

struct Cell {
    x: String,
    y: String,
    width: String,
    height: String,
    level: usize,
    title: String,
    text: String,
    /// Whether the text fits on a wide screen only.
    is_wide: bool,
    address: Option<String>,
    filter: String,
}

/// The name of a folder, above its cells.
struct Name {
    x: String,
    y: String,
    text: String,
    is_wide: bool,
}

#[derive(Clone, Copy)]
struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// Files of one folder, or one of them, or a folder in it.
struct Item {
    /// Its name in its folder.
    name: String,
    /// Its files, as a range of all.
    files: Range<usize>,
    n_lines: usize,
    n_duplicated: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    File,
    Folder,
    /// Files and folders that are too small for a cell of their own.
    Rest,
}

impl Treemap {
    /// A drawing of files, sorted by path.
    pub fn new(files: &[Leaf]) -> Self {
        let n_lines = files.iter().map(|file| file.n_lines).sum::<usize>().max(1);
        let mut drawing = Drawing { files, cells: Vec::new(), names: Vec::new(), n_lines };
        let whole = Area { x: 0.0, y: 0.0, width: WIDTH, height: HEIGHT };
        if !files.is_empty() {
            drawing.folder(0..files.len(), 0, 0, whole);
        }
        let Drawing { cells, names, .. } = drawing;
        let mut levels = vec![(0, "none".to_owned())];
        for (level, from) in LEVELS.iter().enumerate().skip(1) {
            let until = LEVELS.get(level + 1).unwrap_or(&100);
            levels.push((level, format!("{from} to {until} %")));
        }
        Self {
            label: format!("{} by size and duplicated share", count(files.len(), "file")),
            has_links: cells.iter().any(|cell| cell.address.is_some()),
            cells,
            names,
            levels,
        }
    }
}

struct Drawing<'f> {
    files: &'f [Leaf],
    n_lines: usize,
    cells: Vec<Cell>,
    names: Vec<Name>,
}

impl Drawing<'_> {
    /// Draws files that have the first `prefix` bytes of their paths in common, the folder.
    fn folder(&mut self, files: Range<usize>, prefix: usize, depth: usize, area: Area) {
        let items = self.items(files, prefix);
        // A folder in which there is one folder has no border of its own.
        if let [Item { name, files, kind: Kind::Folder, .. }] = items.as_slice()
            && depth < MAX_DEPTH
        {
            return self.folder(files.clone(), prefix + name.len() + 1, depth + 1, area);
        }
        let weights: Vec<f64> = items.iter().map(|item| item.n_lines as f64).collect();
        for (item, area) in items.iter().zip(squarified(&weights, area)) {
            let part = item.n_lines as f64 / self.n_lines as f64;
            if item.kind == Kind::Folder
                && depth < MAX_DEPTH
                && part > 4.0 * MIN_PART
                && item.files.len() > 1
            {
                let inner = if area.height >= TITLED.0 && area.width >= TITLED.1 {
                    self.name(&item.name, area);
                    Area { y: area.y + LABEL, height: area.height - LABEL, ..area }
                } else {
                    area
                };
                self.folder(item.files.clone(), prefix + item.name.len() + 1, depth + 1, inner);
            } else {
                self.cell(item, prefix, area);
            }
        }
    }

    /// What a folder holds, the largest first, and what is too small for a cell last.
    fn items(&self, files: Range<usize>, prefix: usize) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        for at in files {
            let file = &self.files[at];
            let rest = file.path.get(prefix..).unwrap_or_default();
            let (name, kind) =
                rest.split_once('/').map_or((rest, Kind::File), |(name, _)| (name, Kind::Folder));
            match items.last_mut() {
                Some(last) if kind == Kind::Folder && last.kind == kind && last.name == name => {
                    last.files.end = at + 1;
                    last.n_lines += file.n_lines;
                    last.n_duplicated += file.n_duplicated;
                }
                _ => items.push(Item {
                    name: name.to_owned(),
                    files: at..at + 1,
                    n_lines: file.n_lines,
                    n_duplicated: file.n_duplicated,
                    kind,
                }),
            }
        }
        items.sort_unstable_by_key(|item| (std::cmp::Reverse(item.n_lines), item.files.start));
        let least = MIN_PART * self.n_lines as f64;
        let n_large = items.iter().take_while(|item| item.n_lines as f64 >= least).count();
        let small = items.split_off(n_large);
        match small.len() {
            0 => {}
            1 => items.extend(small),
            _ => items.push(Item {
                name: format!("{} small ones", small.len()),
                files: 0..small.iter().map(|item| item.files.len()).sum(),
                n_lines: small.iter().map(|item| item.n_lines).sum(),
                n_duplicated: small.iter().map(|item| item.n_duplicated).sum(),
                kind: Kind::Rest,
            }),
        }
        items
    }

    fn name(&mut self, name: &str, area: Area) {
        let Some((text, is_wide)) = fitting(name, area.width) else { return };
        self.names.push(Name { x: percent_of(area.x), y: format!("{:.1}", area.y), text, is_wide });
    }

    fn cell(&mut self, item: &Item, prefix: usize, area: Area) {
        let share = percentage(item.n_duplicated, item.n_lines);
        let percent = item.n_duplicated * 100 / item.n_lines.max(1);
        let percent = percent.max(usize::from(item.n_duplicated > 0));
        let level = LEVELS.iter().rposition(|from| percent >= *from).unwrap_or(0);
        let of = format!("{share} % of {}", counted(item.n_lines, "line"));
        let files = &self.files[if item.kind == Kind::Rest { 0..0 } else { item.files.clone() }];
        let card = files.iter().filter_map(|file| file.card).min();
        let (title, filter) = match (item.kind, files.first()) {
            (Kind::File | Kind::Folder, Some(file)) if files.len() == 1 => {
                (format!("{}: {of}", file.path), format!("/{}", file.path))
            }
            (Kind::Folder, Some(file)) => {
                let folder = &file.path[..prefix + item.name.len()];
                (format!("{folder}/, {}: {of}", count(files.len(), "file")), format!("/{folder}/"))
            }
            _ => (format!("{}: {of}", count(item.files.len(), "small file")), String::new()),
        };
        // A folder with one file is that file.
        let name = match (item.kind, files) {
            (Kind::Folder, [file]) => &file.path[prefix..],
            _ => &item.name,
        };
        let fits = if area.height >= LABEL { fitting(name, area.width) } else { None };
        let (text, is_wide) = fits.unwrap_or_default();
        self.cells.push(Cell {
            x: percent_of(area.x),
            y: format!("{:.1}", area.y),
            width: percent_of(area.width),
            height: format!("{:.1}", area.height),
            level,
            title,
            text,
            is_wide,
            address: card.map(card_address),
            filter,
        });
    }
}

fn percent_of(x: f64) -> String {
    format!("{:.2}", x / WIDTH * 100.0)
}

/// A name as it fits into a width, and whether it does on a wide screen only.
fn fitting(name: &str, width: f64) -> Option<(String, bool)> {
    let [narrow, wide] =
        [NARROW, WIDE].map(|screen| ((width / WIDTH * screen - 6.0) / CHARACTER).max(0.0) as usize);
    match name.chars().count() {
        n if n <= narrow => Some((name.to_owned(), false)),
        n if n <= wide => Some((name.to_owned(), true)),
        _ if wide >= 5 => Some((shortened(name, wide - 1), true)),
        _ => None,
    }
}

/// An area for each weight, in descending order of weights. Time O(n).
fn squarified(weights: &[f64], area: Area) -> Vec<Area> {
    let total: f64 = weights.iter().sum();
    let scale = if total > 0.0 { area.width * area.height / total } else { 0.0 };
    let mut free = area;
    let mut areas = Vec::with_capacity(weights.len());
    let mut start = 0;
    while start < weights.len() {
        let side = free.width.min(free.height).max(f64::EPSILON);
        let largest = weights[start] * scale;
        let (mut sum, mut ratio) = (largest, worst_ratio([largest, largest], largest, side));
        let mut end = start + 1;
        while end < weights.len() {
            let next = weights[end] * scale;
            let with_next = worst_ratio([largest, next], sum + next, side);
            if with_next > ratio {
                break;
            }
            (sum, ratio) = (sum + next, with_next);
            end += 1;
        }
        let is_upright = free.width >= free.height;
        let thickness = (sum / side).min(if is_upright { free.width } else { free.height });
        let mut along = 0.0;
        for weight in &weights[start..end] {
            let length = if sum > 0.0 { weight * scale / sum * side } else { 0.0 };
            areas.push(if is_upright {
                Area { x: free.x, y: free.y + along, width: thickness, height: length }
            } else {
                Area { x: free.x + along, y: free.y, width: length, height: thickness }
            });
            along += length;
        }
        free = if is_upright {
            Area { x: free.x + thickness, width: free.width - thickness, ..free }
        } else {
            Area { y: free.y + thickness, height: free.height - thickness, ..free }
        };
        start = end;
    }
    areas
}

/// The worst ratio of the cells of a row that takes a side: of its largest or of its smallest.
fn worst_ratio([largest, smallest]: [f64; 2], sum: f64, side: f64) -> f64 {
    let square = side * side;
    (square * largest / (sum * sum)).max(sum * sum / (square * smallest.max(f64::EPSILON)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the paper's figure 4: 6 by 4, and areas of 6, 6, 4, 3, 2, 2, 1.
    #[test]
    fn the_example_of_the_paper_has_its_layout() {
        let whole = Area { x: 0.0, y: 0.0, width: 6.0, height: 4.0 };
        let areas = squarified(&[6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0], whole);
        let shown: Vec<_> =
            areas.iter().map(|a| format!("{:.1} x {:.1}", a.width, a.height)).collect();
        assert_eq!(
            shown,
            [
                "3.0 x 2.0", "3.0 x 2.0", "1.7 x 2.3", "1.3 x 2.3", "1.2 x 1.7", "1.2 x 1.7",
                "0.6 x 1.7"
            ]
        );
    }

    #[test]
    fn a_huge_tree_and_a_deep_one_make_drawings_of_bounded_size() {
        let leaf = |path: String| Leaf { path, n_lines: 10, n_duplicated: 5, card: None };
        let mut wide: Vec<_> =
            (0..60_000).map(|n| leaf(format!("{}/{}/f{n:06}.c", n / 6_000, n / 60))).collect();
        wide.sort_by(|a, b| a.path.cmp(&b.path));
        let drawing = Treemap::new(&wide).render().expect("it is drawn");
        assert!(drawing.len() < 400_000, "{} bytes", drawing.len());
        let deep = [leaf("d/".repeat(50_000) + "f.c"), leaf("d/".repeat(50_001) + "f.c")];
        assert!(!Treemap::new(&deep).cells.is_empty());
        assert!(Treemap::new(&[]).cells.is_empty());
    }
}
