//! Writes the existing code found for a sketch: one file for each format.

mod concise;
pub(super) mod json;
mod text;

use super::Format;
use super::plain_json::write_as;
use super::words::{count, deleted, end, percent};
use crate::audit::{Existing, FoundCode};
use crate::fingerprint::Effort;
use crate::matching::CloneType;
use crate::policy::Place;
use crate::text::printable;

/// All formats of `find`, the default first.
pub static FIND_FORMATS: &[Format<FoundCode>] = &[
    Format::new("text", "where it is, and the code, for people", text::write),
    Format::new("json", "versioned JSON for programs", write_as::<_, json::Report>),
    Format::new("concise", "a line for each result", concise::write),
];

pub(super) fn headline(found: &FoundCode) -> String {
    let language = found.language.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
    let sketch = format!("{}{language}", count(found.n_tokens, "token"));
    let searched = format!("{} of {}", count(found.n_compared, "file"), end(&found.tree));
    let effort = match found.effort {
        Effort::Full => String::new(),
        effort => format!("; searched with `--effort {effort}`, which may miss some"),
    };
    match found.n_found {
        0 => format!("nothing found: no code in {searched} has enough of this sketch{effort}"),
        n => {
            let shown = found.results.len();
            let best = if shown < n { format!(", the best {shown} shown") } else { String::new() };
            format!("{} for a sketch of {sketch} in {searched}{best}{effort}", count(n, "match"))
        }
    }
}

/// `src/a.rs:12-30`.
pub(super) fn place(existing: &Existing) -> String {
    existing.fragment.in_file(&existing.path)
}

/// The lines of a result with their numbers; none where its text is not stored.
pub(super) fn numbered_lines(existing: &Existing) -> Vec<(u32, &[u8])> {
    let Some(text) = &existing.text else { return Vec::new() };
    let lines = text.strip_suffix(b"\n").unwrap_or(text).split(|&byte| byte == b'\n');
    let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    (existing.fragment.start.line..).zip(lines).collect()
}

/// `in parse_header, all of the sketch, Type-2, consistently renamed; from zlib 1.3, license Zlib`;
/// of deleted code the commit that deleted it.
pub(super) fn facts(existing: &Existing) -> String {
    let name = existing.name.as_ref().map(|name| format!("{name}, ")).unwrap_or_default();
    let owner = match &existing.place {
        Place::Component(component) => {
            let license = component.license().unwrap_or_else(|| "not known".to_owned());
            let (label, corpus) = (component.label(), &component.corpus);
            printable(format!("; from {label}, license {license}, corpus {corpus}"))
        }
        Place::Past(deletion) => format!("; {}", deleted(deletion)),
        Place::Tree => String::new(),
    };
    let what = match existing.clone_type {
        CloneType::Type4 => {
            format!("{} % of its words: {}", percent(existing.words), existing.agreement.describe())
        }
        of => {
            let part = percent(existing.containment);
            format!("{part} % of the sketch, {}, {}", of.name(), of.describe())
        }
    };
    format!("{name}{what}{owner}")
}
