//! Writes results for programs: versioned JSON, whose schema `docs/find.schema.json` publishes.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use crate::audit::{self, FoundCode};
use crate::matching;
use crate::policy::{self, Place};
use crate::report::plain_json::write_json;
use crate::report::words::place_name;
use crate::report::{Format, Style, VERSION};

pub(super) const FORMAT: Format<FoundCode> =
    Format { name: "json", help: "versioned JSON for programs", write };

/// Increases when a field changes its meaning or is removed; new fields do not count.
const FORMAT_VERSION: u32 = 1;

/// Existing code for a sketch.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// The version of this format.
    version: u32,
    /// The version of the program.
    secondhand: &'static str,
    /// The language that the sketch was read as; null if it was to be guessed and nothing was
    /// found.
    language: Option<String>,
    /// The tokens of the sketch.
    sketch_tokens: usize,
    /// The number of files compared, in the tree and in corpora.
    compared_files: usize,
    /// Which fingerprints chose the files to compare: `full`, or less.
    effort: String,
    /// The part of the history that could not be searched; null if everything requested was
    /// searched.
    not_searched: Option<String>,
    /// The number of results, including those beyond the limit.
    found: usize,
    /// What was found, the best first: what has more of the sketch, then what is spelled more
    /// alike.
    results: Vec<Existing>,
}

/// Existing code that has much of the sketch; lines from 1.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Existing {
    path: String,
    /// The first line of the enclosing function, or of what else encloses the match by its layout.
    start_line: u32,
    /// Its last line.
    end_line: u32,
    /// The first line that matches.
    matched_start_line: u32,
    /// The last line that matches.
    matched_end_line: u32,
    /// The name of the enclosing function; null if it is not known from its head.
    function: Option<String>,
    /// The fraction of the sketch's tokens that it has, 0 to 1.
    containment: f64,
    /// Matching tokens divided by all tokens of the sketch and of the whole function, 0 to 1
    /// (Dice).
    similarity: f64,
    /// How the sketch differs from the lines that match: `type-1`, `type-2` or `type-3`; `type-4`
    /// if it has too few tokens in a row in common with them, and the same words.
    clone_type: &'static str,
    /// The number of tokens that match.
    tokens: usize,
    /// The fraction of the sketch's words that it has, 0 to 1, rare ones counting more.
    words: f64,
    /// What both have: the functions they call, their messages, and other words, the rarest first.
    agrees: Agreement,
    /// `tree`, `component`, or `past` if it was deleted.
    place: &'static str,
    /// The commit that deleted it, if its place is the past.
    deletion: Option<Deletion>,
    /// Whose it is, if its place is a component.
    component: Option<Component>,
    /// Its lines; null if their text is not stored.
    text: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Agreement {
    /// The functions that both call.
    calls: Vec<String>,
    /// The messages of both, shortened.
    says: Vec<String>,
    /// Other words of both.
    words: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Deletion {
    /// The commit that deleted it.
    commit: String,
    /// Its subject.
    subject: String,
    /// When it was committed, in seconds since 1970.
    time: i64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Component {
    /// The corpus it is in.
    corpus: String,
    name: String,
    version: Option<String>,
    /// The package URL.
    purl: Option<String>,
    url: Option<String>,
    /// An SPDX expression; null if unknown.
    license: Option<String>,
}

fn write(found: &FoundCode, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    write_json(&report(found), out)
}

/// The JSON schema of what `find` finds.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Report).to_value()
}

fn report(of: &FoundCode) -> Report {
    Report {
        version: FORMAT_VERSION,
        secondhand: VERSION,
        language: of.language.clone(),
        sketch_tokens: of.n_tokens,
        compared_files: of.n_compared,
        effort: of.effort.to_string(),
        not_searched: of.unavailable.clone(),
        found: of.n_found,
        results: of.results.iter().map(existing).collect(),
    }
}

fn existing(of: &audit::Existing) -> Existing {
    Existing {
        path: of.path.to_string(),
        start_line: of.fragment.start.line,
        end_line: of.fragment.end.line,
        matched_start_line: of.matched.start.line,
        matched_end_line: of.matched.end.line,
        function: of.name.clone(),
        containment: rounded(of.containment),
        similarity: rounded(of.similarity),
        clone_type: of.clone_type.name(),
        tokens: of.n_matched,
        words: rounded(of.words),
        agrees: agreement(&of.agreement),
        place: place_name(&of.place),
        component: match &of.place {
            Place::Component(component) => Some(self::component(component)),
            Place::Tree | Place::Past(_) => None,
        },
        deletion: match &of.place {
            Place::Past(deletion) => Some(self::deletion(deletion)),
            Place::Tree | Place::Component(_) => None,
        },
        text: of.text.as_ref().map(|text| String::from_utf8_lossy(text).into_owned()),
    }
}

fn agreement(of: &matching::Agreement) -> Agreement {
    Agreement { calls: of.calls.clone(), says: of.says.clone(), words: of.words.clone() }
}

fn deletion(of: &policy::Deletion) -> Deletion {
    Deletion { commit: of.commit.clone(), subject: of.subject.clone(), time: of.time }
}

fn component(of: &policy::Component) -> Component {
    Component {
        corpus: of.corpus.clone(),
        name: of.name.clone(),
        version: of.version.clone(),
        purl: of.purl.clone(),
        url: of.url.clone(),
        license: of.license(),
    }
}

fn rounded(part: f64) -> f64 {
    (part * 10_000.0).round() / 10_000.0
}
