//! Finds licenses by the names that people give them, using the table `config/licenses/names.toml`.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamesFile {
    names: HashMap<String, Vec<String>>,
}

/// Normalized name to expression.
static NAMES: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let table: NamesFile =
        toml::from_str(include_str!("../../config/licenses/names.toml")).expect("a test reads the built-in table");
    let rows = table.names.into_iter();
    rows.flat_map(|(id, names)| names.into_iter().map(move |name| (simple(&name), id.clone()))).collect()
});

/// Words that do not help to identify the license.
const FILLERS: &[&str] =
    &["the", "license", "licence", "licensed", "licenses", "under", "version", "v", "software", "see"];

/// The SPDX expression for a license name.
pub(super) fn find(name: &str) -> Option<&'static str> {
    if name.len() > 200 {
        return None;
    }
    let simple = simple(name);
    NAMES.get(&simple).map(String::as_str).or_else(|| gnu(name))
}

/// Lower case, without filler words, punctuation and text in parentheses.
fn simple(name: &str) -> String {
    let without: String = match (name.find('('), name.rfind(')')) {
        (Some(open), Some(close)) if open > 0 && open < close => format!("{} {}", &name[..open], &name[close + 1..]),
        _ => name.to_owned(),
    };
    let lower = without.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '.' && c != '+').map(|word| word.trim_matches('.'));
    let words = words.map(|word| match word.strip_prefix('v') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => rest,
        _ => word,
    });
    words.filter(|word| !word.is_empty() && !FILLERS.contains(word)).collect::<Vec<_>>().join(" ")
}

/// The GNU licenses, whose names vary most.
fn gnu(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let squeezed: String = lower.chars().filter(char::is_ascii_alphanumeric).collect();
    let is_gnu = squeezed.contains("gpl") || squeezed.contains("generalpublic");
    if !is_gnu || [" and ", " or the ", "/", ","].iter().any(|mark| lower.contains(mark) && !lower.contains(", v")) {
        return None;
    }
    let family = if squeezed.contains("agpl") || squeezed.contains("affero") {
        "AGPL"
    } else if squeezed.contains("lgpl") || squeezed.contains("lesser") || squeezed.contains("library") {
        "LGPL"
    } else {
        "GPL"
    };
    let is_later = lower.contains('+') || lower.contains("later") || lower.contains(">=");
    let start = lower.find(|c: char| c.is_ascii_digit());
    let version: String = start
        .map(|start| lower[start..].chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect())
        .unwrap_or_default();
    let id = match (family, version.trim_end_matches('.'), is_later) {
        ("GPL", "", _) => "GPL-1.0-or-later",
        ("LGPL", "", _) => "LGPL-2.0-or-later",
        ("GPL", "1" | "1.0", false) => "GPL-1.0-only",
        ("GPL", "1" | "1.0", true) => "GPL-1.0-or-later",
        ("GPL", "2" | "2.0", false) => "GPL-2.0-only",
        ("GPL", "2" | "2.0", true) => "GPL-2.0-or-later",
        ("GPL", "3" | "3.0", false) => "GPL-3.0-only",
        ("GPL", "3" | "3.0", true) => "GPL-3.0-or-later",
        ("LGPL", "2" | "2.0", false) => "LGPL-2.0-only",
        ("LGPL", "2" | "2.0", true) => "LGPL-2.0-or-later",
        ("LGPL", "2.1", false) => "LGPL-2.1-only",
        ("LGPL", "2.1", true) => "LGPL-2.1-or-later",
        ("LGPL", "3" | "3.0", false) => "LGPL-3.0-only",
        ("LGPL", "3" | "3.0", true) => "LGPL-3.0-or-later",
        ("AGPL", "3" | "3.0", false) => "AGPL-3.0-only",
        ("AGPL", "3" | "3.0", true) => "AGPL-3.0-or-later",
        _ => return None,
    };
    Some(id)
}
