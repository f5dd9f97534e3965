//! The page as a template: cards to unfold, each with blocks of code side by side.

use std::collections::BTreeSet;
use std::io::{self, Write};

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::report::VERSION;
use crate::report::sides::{Line, Mark, Sides};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Maximum rows of code to show of one block.
const MAX_ROWS: usize = 400;
/// Maximum renamed words to list.
const MAX_RENAMES: usize = 12;

/// Something that was found, collapsed.
pub(in crate::report) struct Card {
    pub level: &'static str,
    pub rule: String,
    pub language: String,
    /// The text that the path filter searches.
    pub path: String,
    pub badge: String,
    pub headline: String,
    pub place: String,
    pub facts: String,
    pub blocks: Vec<Block>,
    pub listed: Vec<String>,
}

/// Two sides.
pub(in crate::report) struct Block {
    pub likeness: String,
    pub note: String,
    /// Of the left and the right side: place, and what it is.
    pub titles: [(String, &'static str); 2],
    pub code: Code,
}

/// The rows of two sides; a line without a counterpart is next to a gap.
#[derive(Default)]
pub(in crate::report) struct Code {
    sides: Vec<Vec<Option<CodeLine>>>,
    renames: Vec<String>,
    n_left_out: usize,
}

struct CodeLine {
    number: u32,
    pieces: Vec<(String, &'static str)>,
}

impl Code {
    /// Both sides; takes their rows from `n_free`.
    pub fn of_both(sides: &Sides, n_free: &mut usize) -> Self {
        let n = sides.rows.len().min(MAX_ROWS).min(*n_free);
        *n_free -= n;
        let rows = &sides.rows[..n];
        let mut renames: Vec<_> =
            sides.renames.iter().take(MAX_RENAMES).map(|r| format!("{} → {}", r.from, r.to)).collect();
        if sides.renames.len() > MAX_RENAMES {
            renames.push(format!("{} more", sides.renames.len() - MAX_RENAMES));
        }
        let n_cut = sides.n_left_out.0.max(sides.n_left_out.1) as usize;
        Self {
            sides: vec![
                rows.iter().map(|row| row.0.map(|at| CodeLine::new(&sides.copy[at]))).collect(),
                rows.iter().map(|row| row.1.map(|at| CodeLine::new(&sides.origin[at]))).collect(),
            ],
            renames,
            n_left_out: sides.rows.len() - n + n_cut,
        }
    }

    /// One side, if the other is unknown.
    pub fn of_one(lines: &[Line], n_free: &mut usize) -> Self {
        let n = lines.len().min(MAX_ROWS).min(*n_free);
        *n_free -= n;
        let rows = lines[..n].iter().map(|line| Some(CodeLine::new(line))).collect();
        Self { sides: vec![rows], renames: Vec::new(), n_left_out: lines.len() - n }
    }
}

impl CodeLine {
    fn new(line: &Line) -> Self {
        let class = |mark: Option<Mark>| mark.map_or("", Mark::name);
        let pieces = line.pieces().into_iter().map(|(text, mark)| (text.to_owned(), class(mark)));
        Self { number: line.number, pieces: pieces.collect() }
    }
}

/// A table of what was compared, above the cards.
pub(in crate::report) struct Overview {
    pub columns: Vec<&'static str>,
    /// The cells of each row, and the number of the card it leads to.
    pub rows: Vec<(Vec<String>, Option<usize>)>,
}

/// A page.
#[derive(Template)]
#[template(
    ext = "html",
    source = r##"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="{{ policy }}"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="referrer" content="no-referrer"/>
<meta name="generator" content="secondhand {{ version }}"/>
<title>{{ title }}</title>
<style>{{ style|safe }}</style>
</head>
<body>
<header>
<h1>{{ title }}</h1>
<p class="dim">{{ subtitle }}</p>
<details class="looked"><summary>What was examined</summary><pre class="facts">{{ summary }}</pre></details>
</header>
<main>
{% for figure in figures %}{{ figure|safe }}{% endfor %}
{% if let Some(table) = table %}<div class="scroll"><table>
<thead><tr>{% for column in table.columns %}<th scope="col">{{ column }}</th>{% endfor %}</tr></thead>
<tbody>{% for (cells, card) in table.rows %}
<tr>{% for cell in cells %}<td{% if loop.index > 2 %} class="n"{% endif %}>{% if loop.first && card.is_some() %}<a href="#c{{ card.unwrap_or_default() }}">{{ cell }}</a>{% else %}{{ cell }}{% endif %}</td>{% endfor %}</tr>{% endfor %}
</tbody></table></div>{% endif %}
<form hidden="hidden" autocomplete="off">
<input type="search" name="path" placeholder="Filter by path" aria-label="Filter by path"/>
{% for filter in filters %}<select name="{{ filter.0 }}" aria-label="{{ filter.0 }}"><option value="">any {{ filter.0 }}</option>{% for value in filter.1 %}<option>{{ value }}</option>{% endfor %}</select>
{% endfor %}<output></output>
</form>
{% if cards.is_empty() %}<p class="none">Nothing was found.</p>{% endif %}
{% for card in cards %}<details class="card" id="c{{ loop.index0 }}" data-rule="{{ card.rule }}" data-level="{{ card.level }}" data-language="{{ card.language }}" data-path="{{ card.path }}"{% if loop.first %} open="open"{% endif %}>
<summary><span class="badge {{ card.level }}">{{ card.badge }}</span><span class="headline">{{ card.headline }}</span><span class="where"><code>{{ card.place }}</code></span></summary>
<div class="body">
{% for block in card.blocks %}<section class="block">
<p>{{ block.likeness }}{% if !card.facts.is_empty() %}, {{ card.facts }}{% endif %}{% if !block.note.is_empty() %}; {{ block.note }}{% endif %}</p>
{% if block.code.sides.is_empty() %}{% if !block.titles[0].0.is_empty() %}<p class="dim">{{ block.titles[0].0 }}, {{ block.titles[0].1 }}; {{ block.titles[1].0 }}, {{ block.titles[1].1 }}: the code is left out of this long report.</p>{% endif %}{% else %}
{% if !block.code.renames.is_empty() %}<p class="dim">Renamed: {% for rename in block.code.renames %}<code>{{ rename }}</code>{% if !loop.last %}, {% endif %}{% endfor %}</p>{% endif %}
<div class="sides">{% for side in block.code.sides %}<figure{% if !loop.first %} class="from"{% endif %}><figcaption><b>{{ block.titles[loop.index0].0 }}</b> {{ block.titles[loop.index0].1 }}</figcaption><div class="code" tabindex="0"><div class="rows">
{% for row in side %}{% if let Some(row) = row %}<div class="l"><i>{{ row.number }}</i><span>{% for piece in row.pieces %}{% if piece.1.is_empty() %}{{ piece.0 }}{% else %}<mark class="{{ piece.1 }}">{{ piece.0 }}</mark>{% endif %}{% endfor %}</span></div>{% else %}<div class="l gap"></div>{% endif %}
{% endfor %}</div></div></figure>{% endfor %}</div>
{% if block.code.sides.len() == 1 %}<p class="dim">{{ block.titles[1].0 }}, {{ block.titles[1].1 }}: its text is not kept.</p>{% endif %}
{% if block.code.n_left_out > 0 %}<p class="dim">{{ block.code.n_left_out }} lines more.</p>{% endif %}{% endif %}
</section>
{% endfor %}{% if !card.listed.is_empty() %}{% if !card.blocks.is_empty() %}<p>Further</p>{% endif %}
<ul>{% for place in card.listed %}<li><code>{{ place }}</code></li>{% endfor %}</ul>{% endif %}
</div>
</details>
{% endfor %}
<p class="keys dim" hidden="hidden"><kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>o</kbd> unfold, <kbd>e</kbd> unfold all, <kbd>c</kbd> fold all, <kbd>/</kbd> filter, <kbd>Esc</kbd> leave</p>
</main>
<footer>secondhand {{ version }}. <mark class="renamed">renamed</mark> another word in its place; <mark class="changed">changed</mark> not there on the other side.</footer>
<script>{{ script|safe }}</script>
</body>
</html>
"##
)]
pub(in crate::report) struct Page {
    title: String,
    subtitle: String,
    summary: String,
    filters: Vec<(&'static str, Vec<String>)>,
    /// Drawings, each rendered by a template of its own.
    figures: Vec<String>,
    table: Option<Overview>,
    cards: Vec<Card>,
    policy: String,
    version: &'static str,
    style: &'static str,
    script: &'static str,
}

impl Page {
    /// A page of `cards`.
    pub fn new(title: String, subtitle: String, summary: String, cards: Vec<Card>) -> Self {
        let values = |of: fn(&Card) -> &str| cards.iter().map(of).map(str::to_owned).collect::<BTreeSet<_>>();
        let filters = [
            ("level", values(|card| card.level)),
            ("rule", values(|card| &card.rule)),
            ("language", values(|card| &card.language)),
        ];
        // With one value there is nothing to choose.
        let filters = filters.into_iter().filter(|(_, values)| values.len() > 1);
        let filters = filters.map(|(name, values)| (name, values.into_iter().collect())).collect();
        let policy = format!(
            "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
            hash(STYLE),
            hash(SCRIPT)
        );
        Self {
            title,
            subtitle,
            summary,
            filters,
            figures: Vec::new(),
            table: None,
            cards,
            policy,
            version: VERSION,
            style: STYLE,
            script: SCRIPT,
        }
    }

    /// The page with a table above the cards.
    pub fn with_table(self, table: Overview) -> Self {
        Self { table: Some(table), ..self }
    }

    /// The page with one more drawing at the top.
    pub fn with_figure(mut self, figure: &impl Template) -> Self {
        self.figures.extend(figure.render());
        self
    }

    /// Writes the page.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_into(&mut &mut *out)
    }
}

/// The hash by which a content security policy allows a text.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}
