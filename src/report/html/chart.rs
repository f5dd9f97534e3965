//! A chart with axes: bars, or the line of a running total; and shares over time, period by period.

use askama::Template;

use super::parts::Columns::{Figures, Text};
use super::parts::{Table, percentage, thousands};
use crate::audit::Period;
use crate::report::words::count;

/// Height of the drawing in CSS pixels, without the axis below it. Its width is that of the page.
const HEIGHT: f64 = 150.0;
/// Maximum ticks of the axis to the left.
const MAX_TICKS: usize = 5;

/// A chart, as a drawing inside the page.
#[derive(Template)]
#[template(
    ext = "html",
    source = r##"<figure class="chart"><figcaption>{{ caption }}</figcaption>
<div class="axes"><svg class="left" width="52" height="172" aria-hidden="true">{% for tick in left %}<text x="46" y="{{ tick.at }}" dy="4" text-anchor="end">{{ tick.text }}</text>{% endfor %}</svg>
<svg class="plot" width="100%" height="172" role="img" aria-label="{{ label }}">
{% for tick in left %}<line class="grid" x2="100%" y1="{{ tick.at }}" y2="{{ tick.at }}"/>{% endfor %}
{% for bar in bars %}<rect class="bar" x="{{ bar.x }}%" y="{{ bar.y }}" width="{{ bar.width }}%" height="{{ bar.height }}"><title>{{ bar.title }}</title></rect>
{% endfor %}{% if !points.is_empty() %}<svg y="8" width="100%" height="142" viewBox="0 0 100 142" preserveAspectRatio="none"><polygon class="under" points="0,142 {{ points }} 100,142"/><polyline class="line" points="{{ points }}"/></svg>
{% endif %}{% for tick in below %}<line class="tick" x1="{{ tick.at }}%" x2="{{ tick.at }}%" y1="150" y2="154"/><text x="{{ tick.at }}%" y="168" text-anchor="{{ tick.anchor }}">{{ tick.text }}</text>
{% endfor %}</svg></div></figure>
"##
)]
pub(in crate::report) struct Chart {
    caption: String,
    /// What the drawing shows, for those who do not see it.
    label: String,
    left: Vec<Tick>,
    below: Vec<Tick>,
    bars: Vec<Bar>,
    points: String,
}

struct Tick {
    at: String,
    text: String,
    anchor: &'static str,
}

struct Bar {
    x: String,
    y: String,
    width: String,
    height: String,
    title: String,
}

/// The axis to the left: from 0 to its largest tick.
pub(in crate::report) struct Scale {
    /// Values and their names, the first is 0.
    ticks: Vec<(f64, String)>,
    is_logarithmic: bool,
}

impl Scale {
    /// Equal steps of 1, 2 or 5 times a power of ten, up to `highest`; `unit` follows each name.
    pub fn linear(highest: f64, unit: &str) -> Self {
        let rough = (highest / (MAX_TICKS - 1) as f64).max(f64::MIN_POSITIVE);
        let power = 10f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
        let step = steps.into_iter().find(|step| *step >= rough * 0.999).unwrap_or(rough);
        let n = (highest / step - 0.001).ceil().max(1.0) as usize;
        let values = (0..=n).map(|at| at as f64 * step);
        let ticks = values.map(|value| (value, short(value) + unit)).collect();
        Self { ticks, is_logarithmic: false }
    }

    /// Powers of ten, beginning with 0 and 1.
    pub fn logarithmic(highest: usize) -> Self {
        let powers = std::iter::successors(Some(1usize), |power| power.checked_mul(10));
        let n_below = powers.clone().take_while(|power| *power < highest).count();
        let values = std::iter::once(0).chain(powers.take(n_below + 1));
        let ticks = values.map(|value| (value as f64, short(value as f64))).collect();
        Self { ticks, is_logarithmic: true }
    }

    /// Pixels from the top; the top tick leaves room for half its name.
    fn y(&self, value: f64) -> f64 {
        let highest = self.ticks.last().map_or(1.0, |tick| tick.0);
        let [value, highest] = [value, highest]
            .map(|value| if self.is_logarithmic { (1.0 + value).ln() } else { value });
        HEIGHT - value / highest * (HEIGHT - 8.0)
    }
}

/// `1,500` is `1.5k`, so that names fit to the left.
fn short(value: f64) -> String {
    let (value, unit) = match value {
        value if value >= 1e6 => (value / 1e6, "M"),
        value if value >= 1e3 => (value / 1e3, "k"),
        value => (value, ""),
    };
    let text = format!("{value:.2}");
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

impl Chart {
    /// A chart without bars or a line, over an axis with names at parts of its length, 0 to 1.
    pub fn new(caption: String, label: String, scale: &Scale, below: Vec<(f64, String)>) -> Self {
        let left = scale.ticks.iter().map(|(value, text)| Tick {
            at: format!("{:.1}", scale.y(*value)),
            text: text.clone(),
            anchor: "end",
        });
        let below = below.into_iter().map(|(at, text)| Tick {
            at: format!("{:.2}", at * 100.0),
            text,
            anchor: match at {
                at if at < 0.04 => "start",
                at if at > 0.96 => "end",
                _ => "middle",
            },
        });
        let (left, below) = (left.collect(), below.collect());
        Self { caption, label, left, below, bars: Vec::new(), points: String::new() }
    }

    /// The chart with a bar for each value, side by side over the whole axis, each with a tooltip.
    pub fn with_bars(self, scale: &Scale, values: &[(f64, String)]) -> Self {
        let step = 100.0 / values.len().max(1) as f64;
        let values = values.iter().enumerate().filter(|(_, (value, _))| *value > 0.0);
        let bars = values.map(|(at, (value, title))| {
            let height = (HEIGHT - scale.y(*value)).max(1.0);
            Bar {
                x: format!("{:.2}", at as f64 * step + step * 0.08),
                y: format!("{:.1}", HEIGHT - height),
                width: format!("{:.2}", step * 0.84),
                height: format!("{height:.1}"),
                title: title.clone(),
            }
        });
        Self { bars: bars.collect(), ..self }
    }

    /// The chart with a line from 0 through each value, at the end of its part of the axis.
    pub fn with_line(self, scale: &Scale, values: &[f64]) -> Self {
        let step = 100.0 / values.len().max(1) as f64;
        let points = std::iter::once(0.0).chain(values.iter().copied()).enumerate();
        // The line has a drawing of its own, which begins 8 pixels lower.
        let points = points
            .map(|(at, value)| format!("{:.2},{:.1}", at as f64 * step, scale.y(value) - 8.0));
        Self { points: points.collect::<Vec<_>>().join(" "), ..self }
    }
}

impl Period {
    /// The copied percentage of the new tokens, 0 to 100, and its name: `2024-03: 12.0 %, 120 of
    /// 1,000 new tokens in 4 commits`.
    pub(in crate::report) fn bar(&self) -> (f64, String) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_figures_that_span_the_values() {
        let ticks = |scale: Scale| scale.ticks.into_iter().map(|tick| tick.1).collect::<Vec<_>>();
        assert_eq!(ticks(Scale::linear(9.3, " %")), ["0 %", "5 %", "10 %"]);
        assert_eq!(ticks(Scale::linear(100.0, " %")), ["0 %", "50 %", "100 %"]);
        assert_eq!(ticks(Scale::linear(28_903.0, "")), ["0", "10k", "20k", "30k"]);
        assert_eq!(ticks(Scale::linear(0.0, "")).len(), 2);
        assert_eq!(ticks(Scale::logarithmic(0)), ["0", "1"]);
        assert_eq!(ticks(Scale::logarithmic(4_950)), ["0", "1", "10", "100", "1k", "10k"]);
    }
}
