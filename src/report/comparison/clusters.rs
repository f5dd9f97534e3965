//! Draws clusters of submissions as graphs: a node for each submission, a line for each pair that
//! joins them.

use askama::Template;

use crate::audit::Comparison;
use crate::report::words::{count, percent};

/// The size of the drawing, in its own units: as wide as a small screen, so that names stay
/// readable there.
const WIDTH: f64 = 360.0;
/// Maximum characters of a name next to its node; the whole one is in the list below.
const MAX_NAME: usize = 16;
/// Maximum nodes to draw; a larger cluster is a list.
const MAX_NODES: usize = 40;

/// A cluster, as a drawing inside the page.
///
/// The nodes are on an oval in the order of the submissions, so the same comparison gives the same
/// drawing.
#[derive(Template)]
#[template(
    ext = "html",
    source = r##"<figure class="chart cluster"><figcaption>Cluster {{ number }}: {{ size }}, joined where half of one is in the other</figcaption>
{% if !nodes.is_empty() %}<svg viewBox="0 0 360 {{ height }}" role="group" aria-label="{{ label }}">
{% for edge in edges %}{% if let Some(card) = edge.card %}<a href="#c{{ card }}" aria-label="{{ edge.title }}">{% endif %}<line x1="{{ edge.from.0 }}" y1="{{ edge.from.1 }}" x2="{{ edge.to.0 }}" y2="{{ edge.to.1 }}" stroke-width="{{ edge.width }}"><title>{{ edge.title }}</title></line>{% if edge.card.is_some() %}</a>{% endif %}
{% endfor %}{% for node in nodes %}<circle cx="{{ node.at.0 }}" cy="{{ node.at.1 }}" r="5"><title>{{ node.title }}</title></circle><text x="{{ node.text.0 }}" y="{{ node.text.1 }}" text-anchor="{{ node.anchor }}">{{ node.name }}</text>
{% endfor %}</svg>{% endif %}<p class="dim members">{{ label }}</p></figure>
"##
)]
pub(super) struct Graph {
    number: usize,
    size: String,
    height: String,
    label: String,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

struct Node {
    at: (String, String),
    text: (String, String),
    anchor: &'static str,
    name: String,
    title: String,
}

struct Edge {
    from: (String, String),
    to: (String, String),
    width: String,
    title: String,
    /// The number of the card with its code.
    card: Option<usize>,
}

impl Graph {
    /// The clusters of a comparison, the largest first.
    pub fn all(comparison: &Comparison, card: impl Fn(usize, usize) -> Option<usize>) -> Vec<Self> {
        // Two submissions are one row of the table.
        if comparison.submissions.len() < 3 {
            return Vec::new();
        }
        let clusters = comparison.clusters.iter().zip(1..);
        clusters.map(|(cluster, number)| Self::new(number, cluster, comparison, &card)).collect()
    }

    fn new(
        number: usize,
        cluster: &[usize],
        comparison: &Comparison,
        card_of: impl Fn(usize, usize) -> Option<usize>,
    ) -> Self {
        let names: Vec<String> =
            cluster.iter().map(|&at| comparison.submissions[at].name.to_string()).collect();
        let drawn = if cluster.len() <= MAX_NODES { cluster } else { &[] };
        let oval = Oval::new(drawn.len());
        let nodes = (0..drawn.len()).map(|number| {
            let (x, y) = oval.place(number);
            let is_right = x >= WIDTH / 2.0 - 0.5;
            Node {
                at: written((x, y)),
                text: written((if is_right { x + 8.0 } else { x - 8.0 }, y + 3.5)),
                anchor: if is_right { "start" } else { "end" },
                name: shortened(&names[number]),
                title: names[number].clone(),
            }
        });
        let edges = comparison.links.iter().filter_map(|&(a, b, containment)| {
            let (from, to) = (drawn.binary_search(&a).ok()?, drawn.binary_search(&b).ok()?);
            Some(Edge {
                from: written(oval.place(from)),
                to: written(oval.place(to)),
                width: format!("{:.1}", 0.5 + 3.0 * (containment - 0.5).max(0.0) * 2.0),
                title: format!("{} and {}: {} %", names[from], names[to], percent(containment)),
                card: card_of(a, b),
            })
        });
        Self {
            number,
            size: count(cluster.len(), "submission"),
            height: format!("{:.0}", oval.height),
            label: names.join(", "),
            nodes: nodes.collect(),
            edges: edges.collect(),
        }
    }
}

fn written((x, y): (f64, f64)) -> (String, String) {
    (format!("{x:.1}"), format!("{y:.1}"))
}

struct Oval {
    n_nodes: usize,
    radius: f64,
    height: f64,
}

impl Oval {
    /// Names take a line each on either side.
    fn new(n_nodes: usize) -> Self {
        let radius = (n_nodes as f64 * 5.0).clamp(24.0, 70.0);
        let height = (n_nodes as f64 * 9.0).max(2.0 * radius + 28.0);
        Self { n_nodes, radius, height }
    }

    /// From the top down the right side and up the left one, in equal steps, so that no name is
    /// over another.
    fn place(&self, number: usize) -> (f64, f64) {
        let n_right = self.n_nodes / 2 + 1;
        let n_left = self.n_nodes - n_right;
        let (side, step) = match number.checked_sub(n_right) {
            None => (1.0, number as f64 / (n_right - 1).max(1) as f64),
            Some(number) => (-1.0, 1.0 - (number + 1) as f64 / (n_left + 1) as f64),
        };
        let down = 2.0 * step - 1.0;
        let x = WIDTH / 2.0 + side * self.radius * (1.0 - down * down).sqrt();
        (x, self.height / 2.0 + (self.height / 2.0 - 14.0) * down)
    }
}

/// A name, shortened in the middle if it is long: names differ at both ends.
fn shortened(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    if chars.len() <= MAX_NAME {
        return name.to_owned();
    }
    let half = (MAX_NAME - 1) / 2;
    let (start, end) = (&chars[..half], &chars[chars.len() - half..]);
    start.iter().chain(&['…']).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_over_another() {
        for n_nodes in 3..=MAX_NODES {
            let oval = Oval::new(n_nodes);
            let mut places: Vec<_> = (0..n_nodes).map(|number| oval.place(number)).collect();
            places.sort_by(|a, b| a.1.total_cmp(&b.1));
            for is_right in [true, false] {
                let side = places.iter().filter(|(x, _)| (*x >= WIDTH / 2.0 - 0.5) == is_right);
                let lines: Vec<f64> = side.map(|(_, y)| *y).collect();
                assert!(
                    lines.windows(2).all(|pair| pair[1] - pair[0] > 14.0),
                    "{n_nodes}: {lines:?}"
                );
            }
        }
    }
}
