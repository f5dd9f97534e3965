//! Draws plots as SVG, with linear or logarithmic axes.

use std::io;
use std::path::Path;

/// A plot of lines.
#[derive(Debug, Default)]
pub struct Plot {
    pub title: String,
    pub x: String,
    pub y: String,
    /// Whether the axes are logarithmic.
    pub is_log: (bool, bool),
    /// The name of each line, and its points.
    pub lines: Vec<(String, Vec<(f64, f64)>)>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const MARGIN: f64 = 56.0;
const COLORS: [&str; 6] = ["#0550ae", "#c4221c", "#1a6b3c", "#8a5a00", "#6639ba", "#57606a"];

impl Plot {
    /// Writes the plot to `file`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        std::fs::write(file, self.svg())
    }

    fn svg(&self) -> String {
        let scaled =
            |value: f64, is_log: bool| if is_log { value.max(1e-9).log10() } else { value };
        let all = || self.lines.iter().flat_map(|(_, points)| points);
        let range = |values: Vec<f64>| {
            let (low, high) = values
                .iter()
                .fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
            if low < high { (low, high) } else { (low - 1.0, low + 1.0) }
        };
        let x_range = range(all().map(|point| scaled(point.0, self.is_log.0)).collect());
        let y_range = range(all().map(|point| scaled(point.1, self.is_log.1)).collect());
        let place = |&(x, y): &(f64, f64)| {
            let part = |value: f64, (low, high): (f64, f64)| (value - low) / (high - low);
            let x = MARGIN + part(scaled(x, self.is_log.0), x_range) * (WIDTH - 2.0 * MARGIN);
            let y =
                HEIGHT - MARGIN - part(scaled(y, self.is_log.1), y_range) * (HEIGHT - 2.0 * MARGIN);
            format!("{x:.1},{y:.1}")
        };
        let label = |value: f64, is_log: bool| {
            let value = if is_log { 10f64.powf(value) } else { value };
            if value.abs() >= 10.0 { format!("{value:.0}") } else { format!("{value:.4}") }
        };
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"11\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n<text x=\"{MARGIN}\" y=\"24\" font-size=\"14\">{}</text>\n",
            self.title
        );
        let (left, right, top, bottom) = (MARGIN, WIDTH - MARGIN, MARGIN, HEIGHT - MARGIN);
        svg += &format!(
            "<path d=\"M{left} {top}V{bottom}H{right}\" fill=\"none\" stroke=\"#59636e\"/>\n"
        );
        for at in 0..=4 {
            let part = f64::from(at) / 4.0;
            let x = left + part * (right - left);
            let y = bottom - part * (bottom - top);
            let of = |(low, high): (f64, f64)| low + part * (high - low);
            svg += &format!(
                "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
                bottom + 16.0,
                label(of(x_range), self.is_log.0),
                left - 6.0,
                y + 4.0,
                label(of(y_range), self.is_log.1)
            );
        }
        svg += &format!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text><text x=\"{left}\" y=\"{}\">{}</text>\n",
            WIDTH / 2.0,
            HEIGHT - 14.0,
            self.x,
            top - 12.0,
            self.y
        );
        for (number, (name, points)) in self.lines.iter().enumerate() {
            let color = COLORS[number % COLORS.len()];
            let points: Vec<String> = points.iter().map(place).collect();
            svg += &format!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.5\"/>\n\
                 <text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"{color}\">{name}</text>\n",
                points.join(" "),
                right,
                top + 14.0 * number as f64
            );
        }
        svg + "</svg>\n"
    }
}
