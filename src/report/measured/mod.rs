//! Writes how much of a tree is duplicated, for what draws and watches figures: one file for each
//! format.

pub(super) mod badge;
pub(super) mod openmetrics;
pub(super) mod shields;
pub(super) mod trend;

use crate::audit::{Outcome, Share};

/// The figures of the source of the whole tree; nothing is duplicated where no tree was scanned.
fn total(outcome: &Outcome) -> Share {
    outcome.duplication.as_ref().map(|duplication| duplication.total).unwrap_or_default()
}

/// The duplicated part of the lines, as badges show it: `3.4 %`.
fn message(outcome: &Outcome) -> String {
    format!("{:.1} %", total(outcome).percent())
}

/// From which percentage on a badge has which color: its name and its value.
const COLORS: &[(f64, &str, &str)] = &[
    (20.0, "red", "#e05d44"),
    (10.0, "orange", "#fe7d37"),
    (5.0, "yellow", "#dfb317"),
    (3.0, "green", "#97ca00"),
    (0.0, "brightgreen", "#4c1"),
];

fn color(outcome: &Outcome) -> (&'static str, &'static str) {
    let percent = total(outcome).percent();
    let color = COLORS.iter().find(|(from, ..)| percent >= *from).or(COLORS.last());
    color.map_or(("lightgrey", "#9f9f9f"), |(_, name, value)| (name, value))
}
