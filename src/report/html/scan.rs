//! The overview of a scan: the duplicated share, by folder and language, the worst files, and the
//! tree as a drawing.

use std::collections::HashMap;

use askama::Template;

use super::Page;
use super::parts::{Bar, Bars, Beside, Cell, Tiles, counted, percentage, thousands};
use super::treemap::{Leaf, Treemap};
use crate::audit::{Duplication, Outcome, Share};
use crate::policy::Finding;
use crate::report::words::count;
use crate::text::FilePath;

/// Maximum folders, languages and files with a bar: those with most duplicated lines.
const MAX_BARS: usize = 10;

/// The first sentence: how much of the tree is duplicated.
pub(super) fn title(duplication: &Duplication) -> String {
    match duplication.total {
        Share { duplicated_lines: 0, .. } => "None of the source code is duplicated".to_owned(),
        Share { n_lines, duplicated_lines, .. } => {
            format!("{} % of the source code is duplicated", percentage(duplicated_lines, n_lines))
        }
    }
}

pub(super) fn overview(
    outcome: &Outcome,
    duplication: &Duplication,
    findings: &[&Finding],
    page: Page,
) -> Page {
    let cards = Cards::new(findings);
    let page = page.with(&tiles(outcome, duplication));
    if duplication.total.n_files == 0 {
        return page;
    }
    let folders = duplication.by_folder.iter().map(|(path, share)| {
        let (name, filter) = match path.to_string() {
            root if root == "." => ("at the root".to_owned(), None),
            name => (format!("{name}/"), Some(format!("/{name}/"))),
        };
        let card = filter.as_ref().and_then(|_| cards.in_folder.get(path).copied());
        (Cell::filtering(name, card, filter.unwrap_or_default()), share)
    });
    let languages =
        duplication.by_language.iter().map(|(name, share)| (Cell::from(name.clone()), share));
    let worst = worst(duplication).into_iter().map(|(path, share)| {
        let name = path.to_string();
        let filter = format!("/{name}");
        (Cell::filtering(name, cards.of_file.get(path).copied(), filter), share)
    });
    let by_folder = bars("By folder", "folder", folders.collect());
    let by_language = bars("By language", "language", languages.collect());
    let beside = [by_folder.render(), by_language.render()];
    let page = page.with(&Beside { parts: beside.into_iter().flatten().collect() });
    let files = duplication.by_file.iter().map(|(path, share)| Leaf {
        path: path.to_string(),
        n_lines: share.n_lines,
        n_duplicated: share.duplicated_lines,
        card: cards.of_file.get(path).copied(),
    });
    let page = page.with(&Treemap::new(&Vec::from_iter(files)));
    let worst: Vec<_> = worst.collect();
    let title = "Files with most duplicated lines";
    page.with_all((!worst.is_empty()).then(|| bars(title, "file", worst)))
}

fn tiles(outcome: &Outcome, duplication: &Duplication) -> Tiles {
    let Duplication { total, n_classes, .. } = duplication;
    let (part, whole) = (thousands(total.duplicated_lines), counted(total.n_lines, "line"));
    let classes = count(*n_classes, "class");
    let n_touched = duplication.by_file.values().filter(|share| share.duplicated_lines > 0).count();
    let of_all = format!("of {}", thousands(total.n_files));
    let n = outcome.n_suppressed;
    let suppressed = if n > 0 { format!("{} suppressed", thousands(n)) } else { String::new() };
    Tiles {
        tiles: vec![
            (
                "Duplicated source code",
                format!("{} %", percentage(total.duplicated_lines, total.n_lines)),
                format!("{part} of {whole} would go if the {classes} worth it were written once"),
            ),
            ("Clone classes", thousands(outcome.findings.len()), suppressed),
            ("Files with duplicated lines", thousands(n_touched), of_all),
        ],
    }
}

/// The files with most duplicated lines.
fn worst(duplication: &Duplication) -> Vec<(&FilePath, &Share)> {
    let mut files: Vec<_> =
        duplication.by_file.iter().filter(|(_, share)| share.duplicated_lines > 0).collect();
    files.sort_unstable_by_key(|(path, share)| (std::cmp::Reverse(share.duplicated_lines), *path));
    files.truncate(MAX_BARS);
    files
}

/// Bars of shares, those with most duplicated lines first.
fn bars(title: &'static str, what: &'static str, mut shares: Vec<(Cell, &Share)>) -> Bars {
    shares.sort_by_key(|(_, share)| std::cmp::Reverse(share.duplicated_lines));
    let left_out = match shares.len().saturating_sub(MAX_BARS) {
        0 => String::new(),
        n => format!("{} with fewer duplicated lines", count(n, what)),
    };
    let bars = shares.into_iter().take(MAX_BARS).map(|(name, share)| Bar {
        name,
        percent: percentage(share.duplicated_lines, share.n_lines),
        figures: format!("{} of {}", thousands(share.duplicated_lines), thousands(share.n_lines)),
    });
    Bars { title, what, unit: "lines", bars: bars.collect(), left_out }
}

/// The first card of each file, and of each folder below the root.
struct Cards {
    of_file: HashMap<FilePath, usize>,
    in_folder: HashMap<FilePath, usize>,
}

impl Cards {
    fn new(findings: &[&Finding]) -> Self {
        let mut cards = Self { of_file: HashMap::new(), in_folder: HashMap::new() };
        for (card, finding) in findings.iter().enumerate() {
            // The filter searches as many.
            let origins = finding.origins.iter().take(super::MAX_LISTED).map(|origin| &origin.path);
            for path in std::iter::once(&finding.path).chain(origins) {
                let bytes = path.as_bytes();
                if let Some(end) = bytes.iter().position(|&byte| byte == b'/') {
                    cards.in_folder.entry(FilePath::new(&bytes[..end])).or_insert(card);
                }
                cards.of_file.entry(path.clone()).or_insert(card);
            }
        }
        cards
    }
}
