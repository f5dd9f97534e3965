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
    let values: Vec<(f64, String)> = (0..)
        .zip(bars)
        .map(|(at, &n)| {
            let pairs = count(n, "pair");
            (n as f64, format!("{pairs} from {} to {} %", at * step, (at + 1) * step))
        })
        .collect();
    let with_pairs = values.iter().filter(|(n, _)| *n > 0.0);
    let label = with_pairs.map(|(_, title)| &**title).collect::<Vec<&str>>().join(", ");
    let caption = format!(
        "All {} by how much of one is in the other, in steps of {step} %. Heights are logarithmic.",
        count(n_pairs, "pair")
    );
    let scale = Scale::logarithmic(bars.iter().copied().max().unwrap_or(0));
    let below =
        [0, 25, 50, 75, 100].map(|percent| (f64::from(percent) / 100.0, format!("{percent} %")));
    Chart::new(caption, label, &scale, below.into()).with_bars(&scale, &values)
}
