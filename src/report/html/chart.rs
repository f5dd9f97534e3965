//! A chart of figures over time: a bar for each stretch, and a line for their running total.

use askama::Template;

use crate::report::words::day;

/// Number of bars of a chart.
const N_BARS: usize = 60;
/// The size of the drawing, in its own units.
const WIDTH: f64 = 1_000.0;
const HEIGHT: f64 = 160.0;

/// A chart, as a drawing inside the page.
#[derive(Template)]
#[template(
    ext = "html",
    source = r##"<figure class="chart"><figcaption>{{ title }}: {{ total }} from {{ first }} to {{ last }}. Bars: at most {{ highest }} in a {{ n_bars }}th of the time; line: all so far.</figcaption>
<svg viewBox="0 0 1000 160" preserveAspectRatio="none" role="img" aria-label="{{ title }}: {{ total }} from {{ first }} to {{ last }}">
{% for bar in bars %}<rect class="bar" x="{{ bar.x }}" y="{{ bar.y }}" width="{{ bar.width }}" height="{{ bar.height }}"><title>{{ bar.title }}</title></rect>
{% endfor %}<polyline class="line" points="{{ points }}"/>
</svg></figure>
"##
)]
pub(in crate::report) struct Chart {
    title: &'static str,
    first: String,
    last: String,
    total: usize,
    highest: usize,
    n_bars: usize,
    bars: Vec<Bar>,
    points: String,
}

struct Bar {
    x: String,
    y: String,
    width: String,
    height: String,
    title: String,
}

impl Chart {
    /// A chart of `points`: times in seconds since 1970, each with a figure.
    pub fn new(title: &'static str, points: &[(i64, usize)]) -> Self {
        let times = || points.iter().map(|point| point.0);
        let (first, last) = (times().min().unwrap_or_default(), times().max().unwrap_or_default());
        // Times far apart must not overflow.
        let span = (last.saturating_sub(first)).max(1) as f64;
        let mut sums = [0usize; N_BARS];
        for (time, figure) in points {
            let part = time.saturating_sub(first) as f64 / span * N_BARS as f64;
            sums[(part as usize).min(N_BARS - 1)] += figure;
        }
        let (highest, total) = (sums.iter().copied().max().unwrap_or_default(), sums.iter().sum::<usize>());
        let width = WIDTH / N_BARS as f64;
        let height = |part: usize, of: usize| if of == 0 { 0.0 } else { part as f64 / of as f64 * (HEIGHT - 4.0) };
        let mut so_far = 0;
        let mut line = vec![format!("0,{HEIGHT:.0}")];
        let mut bars = Vec::new();
        for (at, &sum) in sums.iter().enumerate() {
            so_far += sum;
            let x = at as f64 * width;
            line.push(format!("{:.1},{:.1}", x + width, HEIGHT - height(so_far, total)));
            if sum > 0 {
                let begin = first.saturating_add((at as f64 / N_BARS as f64 * span) as i64);
                bars.push(Bar {
                    x: format!("{:.1}", x + 1.0),
                    y: format!("{:.1}", HEIGHT - height(sum, highest)),
                    width: format!("{:.1}", width - 2.0),
                    height: format!("{:.1}", height(sum, highest)),
                    title: format!("{sum} from {}", day(begin).unwrap_or_default()),
                });
            }
        }
        let name = |time| day(time).unwrap_or_default();
        Self {
            title,
            first: name(first),
            last: name(last),
            total,
            highest,
            n_bars: N_BARS,
            bars,
            points: line.join(" "),
        }
    }
}
