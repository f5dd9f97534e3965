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

/// The color of a badge by the percentage on it: its name and its value.
fn color(outcome: &Outcome) -> (&'static str, &'static str) {
    match total(outcome).percent() {
        20.0.. => ("red", "#e05d44"),
        10.0.. => ("orange", "#fe7d37"),
        5.0.. => ("yellow", "#dfb317"),
        3.0.. => ("green", "#97ca00"),
        _ => ("brightgreen", "#4c1"),
    }
}
