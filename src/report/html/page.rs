//! The page as a template: parts that give an overview, and cards to unfold, each with blocks of
//! code side by side.

use std::collections::BTreeSet;
use std::io::{self, Write};

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::code::Code;
use crate::report::VERSION;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Maximum cards of a page. A browser filters so many in a blink.
pub(in crate::report) const MAX_CARDS: usize = 2_000;

/// Something that was found, collapsed.
#[derive(Default)]
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
    /// Where else to look at it: an address, and what is there.
    pub link: Option<(String, String)>,
    pub blocks: Vec<Block>,
    pub listed: Vec<String>,
}

/// Two sides.
#[derive(Default)]
pub(in crate::report) struct Block {
    pub likeness: String,
    pub note: String,
    /// Of the left and the right side: place, and what it is.
    pub titles: [(String, &'static str); 2],
    pub code: Code,
}

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
<meta name="generator" content="secondhand {{ VERSION }}"/>
<title>{{ heading.title }}</title>
<style>{{ STYLE|safe }}</style>
</head>
<body>
<header>
<h1>{{ heading.title }}</h1>
{% for line in heading.subtitle.lines() %}<p class="dim">{{ line }}</p>
{% endfor %}<details class="looked"><summary>What was examined</summary><pre class="facts" tabindex="0">{{ heading.summary }}</pre></details>
</header>
<main>
{% for part in parts %}{{ part|safe }}{% endfor %}
<section class="list" aria-labelledby="list">
<h2 id="list">{{ heading.list }}</h2>
<form hidden="hidden" autocomplete="off">
<input type="search" name="path" placeholder="Filter by path; /src from the root" aria-label="Filter by path"/>
{% for filter in filters %}<select name="{{ filter.0 }}" aria-label="{{ filter.0 }}"><option value="">any {{ filter.0 }}</option>{% for value in filter.1 %}<option>{{ value }}</option>{% endfor %}</select>
{% endfor %}<output></output>
</form>
{% if cards.is_empty() %}<p class="none">Nothing was found.</p>{% endif %}
{% for card in cards %}<details class="card" id="c{{ loop.index0 }}" data-rule="{{ card.rule }}" data-level="{{ card.level }}" data-language="{{ card.language }}" data-path="{{ card.path }}"{% if loop.first %} open="open"{% endif %}>
<summary><span class="badge {{ card.level }}">{{ card.badge }}</span><span class="headline">{{ card.headline }}</span><span class="where"><code>{{ card.place }}</code></span></summary>
<div class="body">
{% if let Some((address, words)) = card.link %}<p><a href="{{ address }}" rel="noreferrer">{{ words }}</a></p>
{% endif %}{% for block in card.blocks %}<section class="block">
<p>{{ block.likeness }}{% if !card.facts.is_empty() %}, {{ card.facts }}{% endif %}{% if !block.note.is_empty() %}; {{ block.note }}{% endif %}</p>
{% if block.code.n_sides == 0 %}{% if !block.titles[0].0.is_empty() %}<p class="dim">{{ block.titles[0].0 }}, {{ block.titles[0].1 }}; {{ block.titles[1].0 }}, {{ block.titles[1].1 }}: the code is left out of this long report.</p>{% endif %}{% else %}
{% if !block.code.renames.is_empty() %}<p class="dim">Renamed: {% for rename in block.code.renames %}<code>{{ rename }}</code>{% if !loop.last %}, {% endif %}{% endfor %}</p>{% endif %}
<div class="code{% if block.code.n_sides == 1 %} one{% endif %}">
<div class="r heads">{% for title in block.shown_titles() %}<p><b>{{ title.0 }}</b> {{ title.1 }}</p>{% endfor %}</div>
{{ block.code|safe }}</div>
{% if block.code.n_sides == 1 && !block.titles[1].0.is_empty() %}<p class="dim">{{ block.titles[1].0 }}, {{ block.titles[1].1 }}: its text is not kept.</p>{% endif %}
{% if block.code.n_left_out > 0 %}<p class="dim">{{ crate::text::count(block.code.n_left_out.to_owned(), "line") }} more.</p>{% endif %}{% endif %}
</section>
{% endfor %}{% if !card.listed.is_empty() %}{% if !card.blocks.is_empty() %}<p>Further</p>{% endif %}
<ul>{% for place in card.listed %}<li><code>{{ place }}</code></li>{% endfor %}</ul>{% endif %}
</div>
</details>
{% endfor %}{% if !heading.left_out.is_empty() %}<p class="dim">{{ heading.left_out }}</p>{% endif %}
<p class="keys dim" hidden="hidden"><kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>o</kbd> unfold, <kbd>e</kbd> unfold all, <kbd>c</kbd> fold all, <kbd>/</kbd> filter, <kbd>Esc</kbd> leave</p>
</section>
</main>
<footer>secondhand {{ VERSION }}. <mark class="renamed">renamed</mark>: a different name; <mark class="changed">changed</mark>: only on this side.</footer>
<script>{{ SCRIPT|safe }}</script>
</body>
</html>
"##
)]
pub(in crate::report) struct Page {
    heading: Heading,
    filters: Vec<(&'static str, Vec<String>)>,
    /// What gives an overview, above the cards: each rendered by a template of its own.
    parts: Vec<String>,
    cards: Vec<Card>,
    policy: String,
}

/// What a page says of itself and of its cards.
pub(in crate::report) struct Heading {
    pub title: String,
    /// A paragraph for each line.
    pub subtitle: String,
    /// What was examined, in lines.
    pub summary: String,
    /// What the cards are.
    pub list: &'static str,
    /// What has no card, in words.
    pub left_out: String,
}

impl Page {
    pub fn new(heading: Heading, cards: Vec<Card>) -> Self {
        let mut values = [const { BTreeSet::new() }; 3];
        for card in &cards {
            values[0].insert(card.level.to_owned());
            values[1].insert(card.rule.clone());
            values[2].insert(card.language.clone());
        }
        // With one value there is nothing to choose.
        let filters = ["level", "rule", "language"].into_iter().zip(values);
        let filters = filters.filter(|(_, values)| values.len() > 1);
        let filters = filters.map(|(name, values)| (name, values.into_iter().collect())).collect();
        let policy = format!(
            "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
            hash(STYLE),
            hash(SCRIPT)
        );
        Self { heading, filters, parts: Vec::new(), cards, policy }
    }

    /// The page with one more part above the cards.
    pub fn with(mut self, part: &impl Template) -> Self {
        self.parts.extend(part.render());
        self
    }

    pub fn with_all(self, parts: impl IntoIterator<Item = impl Template>) -> Self {
        parts.into_iter().fold(self, |page, part| page.with(&part))
    }

    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_into(&mut &mut *out)
    }
}

impl Block {
    fn shown_titles(&self) -> &[(String, &'static str)] {
        &self.titles[..self.code.n_sides]
    }
}

/// The hash by which a content security policy allows a text.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}
