//! Parts that give an overview: headline figures, tables, and bars with names.

use askama::Template;

use crate::text::{count, noun_of};

/// Maximum rows of a table; the rest are counted.
pub(in crate::report) const MAX_TABLE_ROWS: usize = 500;

/// Figures: the name of each, the figure and a note, the one that matters most first.
#[derive(Template)]
#[template(
    ext = "html",
    source = r##"<dl class="tiles">{% for (name, figure, note) in tiles %}<div><dt>{{ name }}</dt><dd class="figure">{{ figure }}</dd><dd class="dim">{{ note }}</dd></div>{% endfor %}</dl>
"##
)]
pub(in crate::report) struct Tiles {
    pub tiles: Vec<(&'static str, String, String)>,
}

/// A table. On a narrow screen each row is a paragraph, so it is never wider than the page.
#[derive(Template, Default)]
#[template(
    ext = "html",
    source = r##"<section class="panel">{% if !title.is_empty() %}<h2>{{ title }}</h2>{% endif %}{% if !note.is_empty() %}<p class="dim">{{ note }}</p>{% endif %}
<table>
<thead><tr>{% for (name, has_figures) in self.names() %}<th scope="col"{% if has_figures %} class="n"{% endif %}>{{ name }}</th>{% endfor %}</tr></thead>
<tbody>{% for row in rows %}
<tr>{% for (cell, (name, has_figures)) in row.iter().zip(self.names()) %}<td{% if has_figures %} class="n" data-label="{{ name }}"{% endif %}>{{ cell|safe }}</td>{% endfor %}</tr>{% endfor %}
</tbody></table>{% if !left_out.is_empty() %}<p class="dim">{{ left_out }}</p>{% endif %}</section>
"##
)]
pub(in crate::report) struct Table {
    pub title: &'static str,
    pub note: &'static str,
    pub columns: &'static [Columns],
    pub rows: Vec<Vec<Cell>>,
    /// What has no row, in words.
    pub left_out: String,
}

impl Table {
    /// The names of the columns, each with whether there are figures below it.
    fn names(&self) -> impl Iterator<Item = (&'static str, bool)> {
        self.columns.iter().flat_map(|of| {
            let (Columns::Text(names) | Columns::Figures(names)) = of;
            names.iter().map(move |name| (*name, matches!(of, Columns::Figures(_))))
        })
    }
}

/// Columns next to each other, by their names.
pub(in crate::report) enum Columns {
    Text(&'static [&'static str]),
    Figures(&'static [&'static str]),
}

/// A text, and where it leads.
#[derive(Template, Default)]
#[template(
    ext = "html",
    source = r##"{% if let Some(address) = address %}<a href="{{ address }}"{% if let Some(filter) = filter %} data-filter="{{ filter }}"{% endif %}{% if !address.starts_with('#') %} rel="noreferrer"{% endif %}>{{ text }}</a>{% else %}{{ text }}{% endif %}"##
)]
pub(in crate::report) struct Cell {
    pub text: String,
    /// An address, or the card that says more.
    pub address: Option<String>,
    /// What the list of cards is filtered by when it is followed.
    pub filter: Option<String>,
}

impl Cell {
    /// A text that leads to a card, if there is one.
    pub fn to_card(text: String, card: Option<usize>) -> Self {
        Self { text, address: card.map(card_address), filter: None }
    }

    /// A name that leads to the list, filtered by it.
    pub fn listing(name: String) -> Self {
        Self { address: Some("#list".to_owned()), filter: Some(name.clone()), text: name }
    }

    /// A text that leads to a card, and filters the list by a path.
    pub fn filtering(text: String, card: Option<usize>, path: String) -> Self {
        Self { text, address: card.map(card_address), filter: card.map(|_| path) }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

pub(in crate::report) fn card_address(card: usize) -> String {
    format!("#c{card}")
}

/// Names with bars from 0 to 100 %.
#[derive(Template)]
#[template(
    ext = "html",
    source = r##"<section class="panel"><h2>{{ title }}</h2>
<table class="bars">
<thead><tr><th scope="col">{{ what }}</th><td></td><th scope="col" class="n">share</th><th scope="col" class="n">{{ unit }}</th></tr></thead>
<tbody>{% for bar in bars %}
<tr><td>{{ bar.name|safe }}</td><td class="bar"><svg width="100%" height="10" aria-hidden="true"><rect class="track" width="100%" height="10"/><rect class="fill" width="{{ bar.percent }}%" height="10"/></svg></td><td class="n">{{ bar.percent }} %</td><td class="n dim">{{ bar.figures }}</td></tr>{% endfor %}
</tbody></table>{% if !left_out.is_empty() %}<p class="dim">{{ left_out }}</p>{% endif %}</section>
"##
)]
pub(in crate::report) struct Bars {
    pub title: &'static str,
    /// What has a bar, and what its figures count.
    pub what: &'static str,
    pub unit: &'static str,
    pub bars: Vec<Bar>,
    /// What has no bar, in words.
    pub left_out: String,
}

pub(in crate::report) struct Bar {
    pub name: Cell,
    /// With one digit after the point.
    pub percent: String,
    pub figures: String,
}

/// Parts next to each other, where there is room.
#[derive(Template)]
#[template(
    ext = "html",
    source = r##"<div class="beside">{% for part in parts %}{{ part|safe }}{% endfor %}</div>"##
)]
pub(in crate::report) struct Beside {
    pub parts: Vec<String>,
}

/// A part to unfold.
#[derive(Template)]
#[template(
    ext = "html",
    source = r##"<details class="looked"><summary>{{ summary }}</summary>{{ part|safe }}</details>
"##
)]
pub(in crate::report) struct Details {
    summary: String,
    part: String,
}

impl Details {
    pub fn new(summary: String, part: &impl Template) -> Self {
        Self { summary, part: part.render().unwrap_or_default() }
    }
}

/// How many of `n` there are beyond `max`, and where; nothing if there are none. `how` follows the
/// noun: they are `left out`, or there are so many `more`.
pub(in crate::report) fn left_out(n: usize, max: usize, noun: &str, how: &str) -> String {
    let more = count(n.saturating_sub(max), noun);
    if n > max { format!("{more} {how}: --format json has all of them") } else { String::new() }
}

/// A number with a comma between thousands: `12,345`.
pub(in crate::report) fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    Vec::from_iter(groups).join(",")
}

/// A number with its noun, for people: `12,345 lines`.
pub(in crate::report) fn counted(n: usize, noun: &str) -> String {
    format!("{} {}", thousands(n), noun_of(n, noun))
}

/// `12.3`: a part of a whole in percent; 100 only for all of it, and 0 only for nothing.
pub(in crate::report) fn percentage(part: usize, whole: usize) -> String {
    let exact = 100.0 * part as f64 / whole.max(1) as f64;
    match (exact * 10.0).round() / 10.0 {
        rounded if rounded >= 100.0 && part < whole => "99.9".to_owned(),
        rounded if rounded < 0.1 && part > 0 => "0.1".to_owned(),
        rounded => format!("{rounded:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        let shares = [(0, 0), (1, 100_000), (1, 3), (99_999, 100_000), (2, 2)];
        assert_eq!(
            shares.map(|(part, whole)| percentage(part, whole)),
            ["0.0", "0.1", "33.3", "99.9", "100.0"]
        );
    }
}
