//! Draws how many pairs are how similar.

use crate::audit::HISTOGRAM_BARS;
use crate::report::html::{Chart, Scale};
use crate::report::words::count;

/// A histogram of pairs by containment, as a drawing inside the page.
///
/// Heights are logarithmic: in a class of a hundred, thousands of pairs share nothing, and the few
/// that matter are bars of one or two pairs.
pub(super) fn chart(bars: &[usize; HISTOGRAM_BARS], n_pairs: usize) -> Chart {
    let step = 100 / HISTOGRAM_BARS;
    let titled = |at: usize, n: usize| {
        format!("{} from {} to {} %", count(n, "pair"), at * step, (at + 1) * step)
    };
    let with_pairs = bars.iter().enumerate().filter(|(_, n)| **n > 0);
    let label = with_pairs.map(|(at, &n)| titled(at, n)).collect::<Vec<_>>().join(", ");
    let caption = format!(
        "All {} by how much of one is in the other, in steps of {step} %. Heights are logarithmic.",
        count(n_pairs, "pair")
    );
    let scale = Scale::logarithmic(bars.iter().copied().max().unwrap_or(0));
    let below =
        [0, 25, 50, 75, 100].map(|percent| (f64::from(percent) / 100.0, format!("{percent} %")));
    let values: Vec<_> =
        bars.iter().enumerate().map(|(at, &n)| (n as f64, titled(at, n))).collect();
    Chart::new(caption, label, &scale, below.into()).with_bars(&scale, &values)
}
