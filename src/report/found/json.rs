//! Writes results for programs: versioned JSON, whose schema `docs/find.schema.json` publishes.

use crate::audit::{self, FoundCode};
use crate::matching;
use crate::policy;
use crate::report::VERSION;
use crate::report::plain_json::{each, json_types, rounded};

json_types! {

/// Existing code for a sketch.
pub(in crate::report) struct Report from (of: &FoundCode) {
    /// The version of this format.
    version: u32 = 1,
    /// The version of the program.
    secondhand: &'static str = VERSION,
    /// The language that the sketch was read as; null if it was to be guessed and no token
    /// was found.
    language: Option<String> = of.language.clone(),
    /// The tokens of the sketch.
    sketch_tokens: usize = of.n_tokens,
    /// The number of files compared, in the tree and in corpora.
    compared_files: usize = of.n_compared,
    /// Which fingerprints chose the files to compare: `full`, or less.
    effort: String = of.effort.to_string(),
    /// The part of the history that could not be searched; null if everything requested was
    /// searched.
    not_searched: Option<String> = of.unavailable.clone(),
    /// The number of results, including those beyond the limit.
    found: usize = of.n_found,
    /// What was found, the best first: what has more of the sketch, then what is spelled more
    /// alike.
    results: Vec<Existing> = each(&of.results),
}

/// Existing code that has much of the sketch; lines from 1.
struct Existing from (of: &audit::Existing) {
    path: String = of.path.to_string(),
    /// The first line of the enclosing function, or of what else encloses the match by its layout.
    start_line: u32 = of.fragment.start.line,
    /// Its last line.
    end_line: u32 = of.fragment.end.line,
    /// The first line that matches.
    matched_start_line: u32 = of.matched.start.line,
    /// The last line that matches.
    matched_end_line: u32 = of.matched.end.line,
    /// The name of the enclosing function; null if it is not known from its head.
    function: Option<String> = of.name.clone(),
    /// The fraction of the sketch's tokens that it has, 0 to 1.
    containment: f64 = rounded(of.containment, 4),
    /// Matching tokens divided by all tokens of the sketch and of the whole function, 0 to 1
    /// (Dice).
    similarity: f64 = rounded(of.similarity, 4),
    /// How the sketch differs from the lines that match: `type-1`, `type-2` or `type-3`; `type-4`
    /// if it has too few tokens in a row in common with them, and the same words.
    clone_type: &'static str = of.clone_type.name(),
    /// The number of tokens that match.
    tokens: usize = of.n_matched,
    /// The fraction of the sketch's words that it has, 0 to 1, rare ones counting more.
    words: f64 = rounded(of.words, 4),
    /// What both have: the functions they call, their messages, and other words, the rarest first.
    agrees: Agreement = Agreement::from(&of.agreement),
    /// `tree`, `component`, or `past` if it was deleted.
    place: &'static str = of.place.name(),
    /// The commit that deleted it, if its place is the past.
    deletion: Option<Deletion> = of.place.deletion().map(Deletion::from),
    /// Whose it is, if its place is a component.
    component: Option<Component> = of.place.component().map(Component::from),
    /// Its lines; null if their text is not stored.
    text: Option<String> =
        of.text.as_ref().map(|text| String::from_utf8_lossy(text).into_owned()),
}

struct Agreement from (of: &matching::Agreement) {
    /// The functions that both call.
    calls: Vec<String> = of.calls.clone(),
    /// The messages of both, shortened.
    says: Vec<String> = of.says.clone(),
    /// Other words of both.
    words: Vec<String> = of.words.clone(),
}

struct Deletion from (of: &policy::Deletion) {
    /// The commit that deleted it.
    commit: String = of.commit.clone(),
    /// Its subject.
    subject: String = of.subject.clone(),
    /// When it was committed, in seconds since 1970.
    time: i64 = of.time,
}

struct Component from (of: &policy::Component) {
    /// The corpus it is in.
    corpus: String = of.corpus.clone(),
    name: String = of.name.clone(),
    version: Option<String> = of.version.clone(),
    /// The package URL.
    purl: Option<String> = of.purl.clone(),
    url: Option<String> = of.url.clone(),
    /// An SPDX expression; null if unknown.
    license: Option<String> = of.license(),
}

}
