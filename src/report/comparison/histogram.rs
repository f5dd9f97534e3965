//! Draws how many pairs are how similar.

use askama::Template;

use crate::audit::HISTOGRAM_BARS;
use crate::report::words::count;

/// The size of the drawing, in its own units.
const WIDTH: usize = 1_000;
const HEIGHT: f64 = 160.0;

/// A histogram of pairs by containment, as a drawing inside the page.
///
/// Heights are of logarithms: in a class of a hundred, thousands of pairs share nothing, and the few that matter are
/// bars of one or two pairs.
#[derive(Template)]
#[template(
    ext = "html",
    source = r##"<figure class="chart"><figcaption>All {{ n_pairs }} by how much of one is in the other, in steps of {{ step }} %. Heights are logarithmic.</figcaption>
<svg viewBox="0 0 1000 160" preserveAspectRatio="none" role="img" aria-label="{{ label }}">
{% for bar in bars %}<rect class="bar" x="{{ bar.x }}" y="{{ bar.y }}" width="{{ width }}" height="{{ bar.height }}"><title>{{ bar.title }}</title></rect>
{% endfor %}</svg><p class="axis dim"><span>0 %</span><span>25 %</span><span>50 %</span><span>75 %</span><span>100 %</span></p></figure>
"##
)]
pub(super) struct Histogram {
    n_pairs: String,
    step: usize,
    width: usize,
    label: String,
    bars: Vec<Bar>,
}

struct Bar {
    x: usize,
    y: String,
    height: String,
    title: String,
}

impl Histogram {
    pub fn new(bars: &[usize; HISTOGRAM_BARS], n_pairs: usize) -> Self {
        let (width, step) = (WIDTH / HISTOGRAM_BARS, 100 / HISTOGRAM_BARS);
        let highest = bars.iter().copied().max().unwrap_or(0);
        let height = |n: usize| (1.0 + n as f64).ln() / (1.0 + highest as f64).ln().max(1.0) * (HEIGHT - 4.0);
        let titled = |at: usize, n: usize| format!("{} from {} to {} %", count(n, "pair"), at * step, (at + 1) * step);
        let with_pairs = || bars.iter().enumerate().filter(|(_, n)| **n > 0);
        let bar = |(at, &n): (usize, &usize)| Bar {
            x: at * width + 1,
            y: format!("{:.1}", HEIGHT - height(n)),
            height: format!("{:.1}", height(n)),
            title: titled(at, n),
        };
        Self {
            n_pairs: count(n_pairs, "pair"),
            step,
            width: width - 2,
            label: with_pairs().map(|(at, &n)| titled(at, n)).collect::<Vec<_>>().join(", "),
            bars: with_pairs().map(bar).collect(),
        }
    }
}
