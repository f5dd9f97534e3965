//! Draws shares over time: how much of the new code was copied, period by period.

use super::chart::{Chart, Scale};
use super::parts::Columns::{Figures, Text};
use super::parts::{Table, percentage, thousands};
use crate::report::words::count;

/// What the commits of a period added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Period {
    /// `2024-03`, `2024` or `2020 to 2029`: when it begins.
    pub name: String,
    pub n_commits: usize,
    /// Tokens that they added.
    pub n_novel: usize,
    /// Those of them that are copies.
    pub n_copied: usize,
}

impl Period {
    /// The copied percentage of the new tokens, 0 to 100, and its name: `2024-03: 12.0 %, 120 of
    /// 1,000 new tokens in 4 commits`.
    pub fn bar(&self) -> (f64, String) {
        let Self { name, n_commits, n_novel, n_copied } = self;
        let share = percentage(*n_copied, *n_novel);
        let (part, whole) = (thousands(*n_copied), thousands(*n_novel));
        let commits = count(*n_commits, "commit");
        let title = format!("{name}: {share} %, {part} of {whole} new tokens in {commits}");
        (100.0 * *n_copied as f64 / (*n_novel).max(1) as f64, title)
    }
}

/// A bar for each percentage, with its name; `what` tells them to those who do not see the chart.
pub fn share_chart(
    bars: impl Iterator<Item = (f64, String)>,
    caption: String,
    what: &str,
    dates: Vec<(f64, String)>,
) -> Chart {
    let bars: Vec<_> = bars.collect();
    let highest = bars.iter().map(|(share, _)| *share).fold(0.0, f64::max);
    let scale = Scale::linear(highest.min(100.0), " %");
    Chart::new(caption, format!("{what}: at most {highest:.1} %"), &scale, dates)
        .with_bars(&scale, &bars)
}

/// The figures of the periods, the newest first; those without commits say nothing.
pub fn period_table(periods: &[Period]) -> Table {
    let with_commits = periods.iter().rev().filter(|period| period.n_commits > 0);
    let rows = with_commits.map(|Period { name, n_commits, n_novel, n_copied }| {
        let share = format!("{} %", percentage(*n_copied, *n_novel));
        let [n_commits, n_novel, n_copied] = [*n_commits, *n_novel, *n_copied].map(thousands);
        [name.clone(), n_commits, n_novel, n_copied, share].map(Into::into).into()
    });
    Table {
        columns: &[Text(&["from"]), Figures(&["commits", "new tokens", "copied tokens", "share"])],
        rows: rows.collect(),
        ..Table::default()
    }
}
