//! Finds the licenses that a header names in its sentences: "under the terms of the GNU General
//! Public License, version 2 or later".
//!
//! The names are those of SPDX's list and those that people use, in `config/licenses/names.toml`. A
//! name counts where a sentence grants or governs: in "incompatible with the GPL" it does not. One
//! without a version that the license needs is an unknown license.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use super::limits::is_limit_of_name;
use super::{Expression, Words};

/// A license that is named, and its words.
#[derive(Debug, Clone)]
pub(super) struct Grant {
    pub range: Range<usize>,
    /// The license; `None` if the name is known, and the license is not.
    pub expression: Option<Expression>,
    /// The licenses that have the name, if it is that of several.
    pub others: Vec<String>,
    /// Whether this only says where the text is, which completes a name without a version.
    pub is_reference: bool,
}

impl Grant {
    /// Whether a license is one of those that the name may mean.
    pub fn is_name_of(&self, license: &Expression) -> bool {
        license.licenses().any(|license| {
            let root = license.id.split('-').next();
            self.others.iter().any(|id| id.split('-').next() == root)
        })
    }
}

/// The licenses with a name.
#[derive(Default)]
struct Family {
    /// Whether the name is one that people use, so that it counts without the word "license".
    is_usual: bool,
    /// Whether the name is an address: "opensource org mit", and not "inner net".
    is_address: bool,
    /// Whether it is the address of a page called "license": others beside it are none.
    is_page: bool,
    /// The license without a version.
    plain: Option<String>,
    versions: BTreeMap<String, String>,
}

impl Family {
    /// Whether both are names of different licenses.
    fn is_apart_from(&self, other: &Self) -> bool {
        self.versions.values().all(|id| !other.versions.values().any(|own| own == id))
    }
}

/// Minimum letters of an identifier that counts as a name.
const MIN_IDENTIFIER: usize = 4;
/// Maximum words of a name.
const MAX_NAME: usize = 8;
/// Maximum bytes of a name in a manifest.
const MAX_NAMED: usize = 200;
/// Maximum words between a name and its version.
const TO_VERSION: usize = 14;
/// Maximum words between a name and "either version": the publisher's address may be there.
const TO_EITHER: usize = 40;
/// Maximum words between a word that grants and the name.
const TO_NAME: usize = 14;
/// Words of a name, or of an address, that do not help to identify the license.
const FILLERS: &[&str] = &[
    "the", "license", "licenses", "licensed", "version", "versions", "see", "under", "a", "an",
    "http", "www", "legalcode", "standalone", "old",
];
const GRANTING: &[&str] = &[
    "licensed", "released", "distributed", "redistributed", "redistribute", "available", "covered",
    "governed", "terms", "subject", "under", "license", "licenses", "provided", "relicensed",
    "published", "conditions", "licensing", "spdx", "copying", "authorized", "use", "used",
];
/// Names that are ordinary words, or those of what has the license: these count as names of
/// licenses if "license" follows.
const ORDINARY: &[&str] = &[
    "artistic", "boost", "python", "proprietary", "commercial", "unicode", "pd", "elastic", "psf",
    "zlib", "libpng", "freebsd", "ruby", "perl", "perl5",
];
/// What is before the name of a program whose license a file has.
const SAME: &[&str] =
    &["terms as", "terms as the", "conditions as", "license as", "way as", "same as"];
const DENYING: &[&str] = &[
    "see", "not", "incompatible", "compatible", "received", "unlike", "compliance", "similar",
    "like", "than",
];

/// Words before "General Public License" where that is the GPL.
const BEFORE_GENERAL: &[&str] =
    &["the", "this", "gnu", "gnus", "a", "under", "of", "license", "gpl", "or", "and", "s"];

/// The names by which people refer to exceptions.
pub(super) const EXCEPTIONS: &[(&str, &str)] = &[
    ("classpath exception", "Classpath-exception-2.0"),
    ("classpath linking exception", "Classpath-exception-2.0"),
    ("combined work that includes freertos", "freertos-exception-2.0"),
    ("gcc runtime library exception", "GCC-exception-3.1"),
    ("linux syscall note", "Linux-syscall-note"),
    ("llvm exception", "LLVM-exception"),
    ("llvm exceptions", "LLVM-exception"),
    ("the special exception on linking", "OCaml-LGPL-linking-exception"),
];

/// The families by their names, without words that do not help.
static FAMILIES: LazyLock<HashMap<String, Family>> = LazyLock::new(|| {
    let table: BTreeMap<String, BTreeMap<String, Vec<String>>> =
        toml::from_str(include_str!("../../config/licenses/names.toml"))
            .expect("a test reads the built-in table");
    let mut families: HashMap<String, Family> = HashMap::new();
    let usual = table["names"]
        .iter()
        .flat_map(|(id, names)| names.iter().map(move |name| (parted(name), id.as_str(), true)));
    let listed = spdx::identifiers::LICENSES.iter().flat_map(|of| {
        let id = parted(of.name);
        let address = of.name.strip_prefix("CC-");
        let address = address.map(|name| on_host("creativecommons org", &parted(name)));
        // Hosts that have a page for each license.
        let pages = ["spdx org", "opensource org", "choosealicense com", "nuget org"];
        let pages = pages.map(|host| on_host(host, &id));
        let usual = address.into_iter().chain(pages).map(|page| (page, of.name, true));
        [(parted(of.full_name), of.name, false), (id, of.name, false)].into_iter().chain(usual)
    });
    let addresses = include_str!("../../config/licenses/addresses.txt").lines();
    let addresses = addresses.filter_map(|line| line.split_once(' '));
    let addresses = addresses
        .map(|(id, of)| (parted(of), id, true, of.to_ascii_lowercase().contains("licens")));
    let names = usual.chain(listed).map(|(name, id, is_usual)| (name, id, is_usual, false));
    for ((name, version), id, is_usual, is_page) in names.chain(addresses) {
        let bare = id.trim_end_matches("-only").trim_end_matches("-or-later").trim_end_matches('+');
        let id = if id.contains(' ') { id } else { bare };
        let is_host = matches!(name.split(' ').nth(1), Some("org" | "com" | "net"));
        let is_address = is_usual && is_host;
        if version.is_none() && is_address && name.split(' ').count() == 2 {
            continue;
        }
        let family = families.entry(name).or_default();
        family.is_usual |= is_usual;
        family.is_address |= is_address;
        family.is_page |= is_page;
        match version {
            Some(version) => drop(family.versions.entry(version).or_insert_with(|| id.to_owned())),
            None => family.plain = family.plain.take().or_else(|| Some(id.to_owned())),
        }
    }
    families
});

/// The page of a license on a host, from the parts of its identifier.
fn on_host(host: &str, (name, version): &(String, Option<String>)) -> (String, Option<String>) {
    (format!("{host} {name}"), version.clone())
}

/// The first words of all names.
static FIRST: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    FAMILIES.keys().filter_map(|name| name.split(' ').next()).chain(["gnu"]).collect()
});

/// "GNU General Public License" and "GNU GPL" without "GNU", but not "GNU" before any other words.
fn without_gnu(name: &str) -> &str {
    let is_rest =
        |rest: &&str| (rest.contains(' ') || rest.contains("gpl")) && !rest.starts_with("org ");
    name.strip_prefix("gnu ").filter(is_rest).unwrap_or(name)
}

/// A name without the words that do not help, and its version.
fn parted(name: &str) -> (String, Option<String>) {
    let words = words_of_name(name);
    let mut words: Vec<&str> = telling(&words).collect();
    let last = [
        "only", "or", "later", "unported", "generic", "international", "universal", "html", "php",
        "txt", "legalcode",
    ];
    while words.len() > 1 && words.last().is_some_and(|word| last.contains(word)) {
        words.pop();
    }
    let version = words.last().filter(|word| words.len() > 1 && is_version(word));
    let version = version.map(|word| short(word).to_owned());
    let n_words = words.len() - usize::from(version.is_some());
    (without_gnu(&words[..n_words].join(" ")).to_owned(), version)
}

/// The words of a name: what a line begins with may be its bullet, as in "3 Clause BSD".
fn words_of_name(name: &str) -> Words {
    Words::new(format!("the {name}").as_bytes(), 1)
}

/// The licenses of SPDX by what their full names say: "Academic Free License v3.0".
static FULL_NAMES: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let listed = spdx::identifiers::LICENSES
        .iter()
        .rev()
        .map(|license| (said(license.full_name), license.name));
    listed.filter(|(_, id)| spdx::license_id(id).is_some_and(|id| !id.is_deprecated())).collect()
});

/// The license with this full name.
pub(super) fn with_full_name(name: &str) -> Option<&'static str> {
    if name.len() > MAX_NAMED { None } else { FULL_NAMES.get(&said(name)).copied() }
}

fn said(name: &str) -> String {
    telling(&words_of_name(name)).collect::<Vec<_>>().join(" ")
}

/// The words of a name that distinguish it.
fn telling(words: &Words) -> impl Iterator<Item = &str> {
    words.text().split_whitespace().filter(|word| !FILLERS.contains(word))
}

fn is_version(word: &str) -> bool {
    word.len() <= 6
        && word.starts_with(|c: char| c.is_ascii_digit())
        && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// "2.0" as "2".
fn short(version: &str) -> &str {
    version.strip_suffix(".0").unwrap_or(version)
}

/// The license that a name of a manifest means; `None` if it is more than a name, or not known.
pub(super) fn named(name: &str) -> Option<String> {
    if name.len() > MAX_NAMED {
        return None;
    }
    if let Some((license, exception)) = name.split_once(" with ") {
        let exception = words_of_name(exception);
        let exception = exception.text().trim();
        let (_, id) = EXCEPTIONS.iter().find(|(name, _)| exception.ends_with(name))?;
        return Some(Expression::parse(license)?.with_exception(id).to_string());
    }
    let (without, remarks) = parted_remarks(name);
    if remarks.iter().any(|remark| is_limit_of_name(words_of_name(remark).text())) {
        return None;
    }
    // What a manifest names is a license, as "Proprietary" is in no prose.
    let words = Words::new(format!("{without} license").as_bytes(), 1);
    let grant = title(&words)?;
    let mut behind = (grant.range.end..words.n_words()).map(|at| words.word(at));
    let is_whole =
        behind.all(|word| FILLERS.contains(&word) || ["html", "php", "txt"].contains(&word));
    let mut others = remarks.iter().filter_map(|remark| Expression::parse(remark));
    let found = grant.expression.filter(|_| is_whole)?;
    others.all(|of| found.agrees_with(&of, false)).then(|| found.to_string())
}

/// A name without the remarks in parentheses behind it, and those.
fn parted_remarks(name: &str) -> (String, Vec<&str>) {
    let (mut without, mut remarks, mut rest) = (String::new(), Vec::new(), name);
    while let Some((before, behind)) = rest.split_once('(')
        && let Some((remark, behind)) = behind.split_once(')')
    {
        without.push_str(before);
        without.push(' ');
        match remark.contains(">=") {
            true => without.push_str(&format!("{} or later ", remark.replace(">=", " "))),
            false if without.trim().is_empty() => without.push_str(remark),
            false => remarks.push(remark),
        }
        rest = behind;
    }
    (without + &rest.replace(['(', ')'], " "), remarks)
}

/// The licenses that are named where a part of a text grants, and those named close to them.
pub(super) fn grants(words: &Words, part: Range<usize>) -> Vec<Grant> {
    let mut found: Vec<(NameContext, Grant)> = Vec::new();
    let mut at = part.start;
    while at < part.end {
        // "All rights reserved. Licensed under ..." reserves none.
        match grant(words, at) {
            Some(grant)
                if grant.range.end <= part.end
                    && !words.of(grant.range.clone()).starts_with("all rights") =>
            {
                let standing = NameContext::of(words, part.start, &grant.range);
                // The name may be part of the sentence that grants: "GNU Public License (GPL)".
                at = if standing == NameContext::Named { at + 1 } else { grant.range.end };
                found.retain(|(_, of)| {
                    of.range.end <= grant.range.start || standing == NameContext::Named
                });
                if found.last().is_none_or(|(_, of)| of.range.end <= grant.range.start) {
                    found.push((standing, grant));
                }
            }
            _ => at += 1,
        }
    }
    found.extend(unknown(words, &part, &found).into_iter().map(|of| (NameContext::Granted, of)));
    found.sort_by_key(|(_, grant)| grant.range.start);
    // What is named close to a license that is granted is granted with it, before it and behind it.
    let (references, mut stated): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(of, _)| *of == NameContext::Reference);
    let forward = (1..stated.len()).map(|at| (at - 1, at));
    for (from, to) in forward.clone().chain(forward.rev().map(|(before, at)| (at, before))) {
        let between = stated[from.min(to)].1.range.end..stated[from.max(to)].1.range.start;
        let within = references.iter().filter(|(_, of)| between.contains(&of.range.start));
        let n_between = between.len() - within.map(|(_, of)| of.range.len()).sum::<usize>();
        let is_near = n_between <= MAX_APART || is_or(words, between);
        if is_near && stated[from].0 == NameContext::Granted && stated[to].0 == NameContext::Named {
            stated[to].0 = NameContext::Granted;
        }
    }
    stated.retain(|(of, _)| *of == NameContext::Granted);
    stated.extend(references);
    stated.sort_by_key(|(_, grant)| grant.range.start);
    let told = stated.into_iter();
    told.map(|(of, grant)| Grant { is_reference: of == NameContext::Reference, ..grant }).collect()
}

/// The license whose name is all of a sentence, if one is: "x.css v1.2 | MIT License | ...".
pub(super) fn alone(words: &Words) -> Option<Grant> {
    let sentences = words.sentences(0..words.n_words()).into_iter();
    let mut named = sentences.filter_map(|sentence| {
        let found = sentence.clone().find_map(|at| grant(words, at))?;
        let mut rest = sentence.filter(|at| !found.range.contains(at)).map(|at| words.word(at));
        let is_called_so = words.word(found.range.end).starts_with("licens");
        let is_all = rest.all(|word| FILLERS.contains(&word) && !DENYING.contains(&word));
        (is_called_so && is_all).then_some(found)
    });
    named.next().filter(|_| named.next().is_none())
}

/// Whether the words between two licenses, in one sentence, end with "or".
fn is_or(words: &Words, between: Range<usize>) -> bool {
    between.len() <= TO_OR
        && [" or", " or the", " or a", " or under the"]
            .iter()
            .any(|or| words.of(between.clone()).ends_with(or))
        && !between.into_iter().any(|at| words.has_end(at..at + 1) && words.word(at) != "http")
}

/// Maximum words between the names of licenses that are granted together.
const MAX_APART: usize = 6;
/// Maximum words between licenses granted together, if "or" is before the second: an address.
const TO_OR: usize = 30;
/// Maximum words of an unknown name.
const MAX_UNKNOWN: usize = 4;

/// Words that are in no name of a license: "under the terms of this license".
const NAMELESS: &[&str] = &[
    "this", "same", "following", "above", "below", "terms", "its", "it", "your", "our", "their",
    "such", "any", "original", "source", "that", "copyright", "permissive", "liberal",
    "applicable", "respective", "new", "different", "separate", "other", "another", "one", "two",
    "three", "both", "either", "each", "all", "these", "those", "which", "what", "general", "dual",
    "compatible", "approved", "friendly", "full", "specific", "license", "licenses", "of", "and",
    "or", "to", "by", "in", "with", "for", "on", "is", "are", "as", "be", "no", "not", "version",
    "file", "software", "mit", "bsd", "gpl", "gnu", "standard", "creative", "commons",
];

/// What is before a license that is granted.
const UNDER: &[&str] =
    &["under", "under the terms of", "by the terms of", "to the terms of", "governed by"];

/// The licenses that a part of a text grants, and no list has: "under the Frobnicator License".
fn unknown(words: &Words, part: &Range<usize>, known: &[(NameContext, Grant)]) -> Vec<Grant> {
    // "GNU GLP V2".
    let of_gnu = part.clone().filter(|&at| {
        words.word(at) == "gnu"
            && words.word(at + 2) == "version"
            && !known.iter().any(|(_, of)| of.range.contains(&at) || of.range.contains(&(at + 1)))
            && NameContext::of(words, part.start, &(at..at + 3)) == NameContext::Granted
    });
    let named = part.clone().filter_map(|at| unknown_name(words, part, at, known));
    named
        .chain(of_gnu.map(|at| at..at + 3))
        .map(|range| Grant { range, expression: None, others: Vec::new(), is_reference: false })
        .collect()
}

/// The name, of up to four words, of an unknown license that is granted, which ends with `at`.
fn unknown_name(
    words: &Words,
    part: &Range<usize>,
    at: usize,
    known: &[(NameContext, Grant)],
) -> Option<Range<usize>> {
    if words.word(at) != "license" || is_beside(at, known) {
        return None;
    }
    let first = at.saturating_sub(MAX_UNKNOWN).max(part.start + 2);
    let mut before = (first.saturating_sub(1)..at).rev();
    // "Licensed under Frobnicator License Agreement", "licensed by Example under Frobnicator License".
    let article = before.find(|&at| ["the", "a", "an", "under"].contains(&words.word(at)))?;
    let mut name = article + 1..at;
    let is_name = !name.is_empty()
        && name.all(|at| !NAMELESS.contains(&words.word(at)) && !is_beside(at, known));
    let has_article = words.word(article) != "under";
    let before = words.of(article.saturating_sub(4).max(part.start)..article);
    // "Under the terms of the GPL, or the Frobnicator license".
    let is_granted = has_article && UNDER.iter().any(|of| before.ends_with(of))
        || !has_article && before.split(' ').any(|word| word == "licensed")
        || before.ends_with(" or")
            && known.iter().any(|(standing, of)| {
                *standing == NameContext::Granted
                    && (of.range.end..of.range.end + TO_OR).contains(&article)
            });
    (is_name && is_granted && !words.has_end(article..at)).then(|| article + 1..at + 1)
}

/// Whether a word is in the name of a known license, or next to it.
fn is_beside(at: usize, known: &[(NameContext, Grant)]) -> bool {
    known.iter().any(|(_, of)| of.range.start <= at + 1 && at <= of.range.end + 1)
}

/// What the words before a name make of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameContext {
    Granted,
    /// Where its text is.
    Reference,
    Named,
    /// It is said not to be that of the file.
    Denied,
}

/// The license whose name a text begins with.
pub(super) fn title(words: &Words) -> Option<Grant> {
    grant(words, (0..words.n_words()).find(|&at| !FILLERS.contains(&words.word(at)))?)
}

impl NameContext {
    fn of(words: &Words, start: usize, name: &Range<usize>) -> Self {
        let mut from = name.start.saturating_sub(TO_NAME).max(start);
        // "License: MIT" is one sentence.
        if let Some(end) = (from..name.start)
            .rev()
            .find(|&at| words.has_end(at..at + 1) && !OPEN.contains(&words.word(at)))
        {
            from = end + 1;
        }
        let before = words.of(from..name.start);
        let is_denied = before.split(' ').any(|word| DENYING.contains(&word));
        let grants = !is_denied && before.split(' ').any(|word| GRANTING.contains(&word));
        let next = words.word(name.end);
        match () {
            // A tag is read as one.
            () if name.start > 0 && words.word(name.start - 1) == "identifier" => Self::Denied,
            // "GPL-compatible", "isc.org".
            () if ["compatible", "org", "com", "net"].contains(&next) => Self::Denied,
            () if TEXTS.iter().any(|of| before.contains(of)) => Self::Reference,
            () if before.ends_with("copying") => Self::Reference,
            // "The license of the library is BSD" is not that of this file.
            () if before.ends_with(" is")
                && before.contains("license of ")
                && !before.contains("this ") =>
            {
                Self::Denied
            }
            // "Licensed to the Apache Software Foundation".
            () if next == "foundation" => Self::Denied,
            () if before.ends_with("based on the") || before.ends_with("being") => Self::Denied,
            () if before.ends_with("version") => Self::Granted,
            () if words.of(name.clone()).starts_with("creativecommons") => Self::Granted,
            () if grants => Self::Granted,
            // "https://opensource.org/licenses/MIT".
            () if name_at(words, name.start).is_some_and(|(of, _)| of.is_address) => {
                Self::Reference
            }
            () if is_denied => Self::Denied,
            () if before.contains("this ") && before.ends_with(" is") => Self::Granted,
            () if FOUND.iter().any(|of| words.of(name.end..name.end + 3).starts_with(of)) => {
                Self::Granted
            }
            () => Self::Named,
        }
    }
}

/// Words behind which a sentence goes on, whatever sign is there.
const OPEN: &[&str] =
    &["under", "license", "licenses", "licensed", "following", "terms", "version", "of", "either"];

/// What is said of a license where its text is.
const TEXTS: &[&str] = &["common licenses", "text of", "copy of the"];

/// What is said of the text of the license that a file has: "GPL v2, can be found in COPYING".
const FOUND: &[&str] = &[
    "can be found", "as found in", "see copying", "see http", "see license for", "see license md",
    "see license txt", "see licenses",
];

/// The licenses that have the name that begins at a word, and where it ends.
fn name_at(words: &Words, at: usize) -> Option<(&'static Family, usize)> {
    if !FIRST.contains(words.word(at)) {
        return None;
    }
    let (mut name, mut best) = (String::new(), None);
    let all = at..(at + MAX_NAME).min(words.n_words());
    let all = all.map(|end| (end, words.word(end)));
    for (end, word) in all.filter(|(_, word)| !FILLERS.contains(word)) {
        name = if name.is_empty() { word.to_owned() } else { name + " " + word };
        best = FAMILIES.get(without_gnu(&name)).map(|family| (family, end + 1)).or(best);
    }
    best
}

/// The license whose name begins at a word.
fn grant(words: &Words, at: usize) -> Option<Grant> {
    let (family, end) = name_at(words, at)?;
    let last = at.checked_sub(1).map_or("", |at| words.word(at));
    let is_called_so = (at..end + 2).any(|at| words.word(at).starts_with("licens"));
    // "License: zlib", "under the same terms as Perl itself".
    let is_one = is_called_so
        || last.starts_with("licens") && words.has_end(at - 1..at)
        || SAME.iter().any(|of| words.of(at.saturating_sub(3)..at).ends_with(of));
    // "Under the terms of the BSD, Artistic, or GPL licenses".
    let is_listed = at > 0
        && name_at(words, at - 1).is_some()
        && ["or", "and"].contains(&words.word(end))
        && name_at(words, end + 1).is_some();
    let is_one = is_one || is_listed;
    let is_usual = family.is_usual && (is_one || !ORDINARY.contains(&words.of(at..end)));
    // "The OpenSSL license", and no word of prose that is an identifier, too.
    let is_short = words.of(at..end).len() >= MIN_IDENTIFIER
        && ["the", "original"].contains(&last)
        && words.word(end) == "license";
    // "CC-BY-NC" without its version.
    let is_creative = words.of(at..end).starts_with("cc by");
    let is_long =
        is_usual || is_creative || is_called_so && (words.of(at..end).contains(' ') || is_short);
    let version = version(words, at, end, family);
    let end_of_name = end;
    let (end, behind) = version.as_ref().map_or((end, end), |of| (of.end, of.behind));
    let is_bare_address = family.is_address && version.is_none() && family.plain.is_none()
        || family.is_page && !is_called_so;
    let is_word = !is_one && ORDINARY.contains(&words.word(at));
    // "Cube 2" is a game: a number names a license that has versions.
    let has_version = version.is_some() && !family.versions.is_empty();
    // "ELv2" and "AL2" are names, "el" and "al" are words of other languages.
    let is_tied = version.as_ref().is_some_and(|of| of.behind <= end_of_name + 2);
    let is_article = family.plain.is_none() && words.of(at..end_of_name).len() < 3 && !is_tied;
    if !is_long && !has_version || is_word || is_bare_address || is_article {
        return None;
    }
    let (is_later, end) = later(words, end, family);
    let is_later = is_later || version.as_ref().is_some_and(|of| of.is_later);
    let id = match &version {
        Some(version) if !family.versions.is_empty() => family.versions.get(&version.number),
        None if family.plain.is_none() && family.versions.len() == 1 => {
            family.versions.values().next()
        }
        _ => family.plain.as_ref(),
    };
    let is_vague = version.is_none() && family.versions.len() > 1;
    let others = if is_vague { family.versions.values().cloned().collect() } else { Vec::new() };
    let plain = id.and_then(|id| Expression::parse_spdx(id));
    // "Apache-style" is not Apache's.
    let is_style = words.word(end) == "style"
        && !family.plain.as_ref().is_some_and(|of| of.starts_with("MIT") || of.starts_with("BSD"));
    let expression = plain.filter(|_| !is_style).map(|of| {
        let is_any = version.is_none()
            && !family.is_address
            && of.is_one_version()
            && of.licenses().all(|of| of.exception.is_none());
        if is_later || is_any { of.with_later() } else { of }
    });
    if expression.is_none() && (!is_called_so && !is_creative || family.is_address) {
        return None;
    }
    let (mut expression, mut range) = (expression.map(|of| sections(words, end, of)), at..end);
    if let Some((next, behind)) = next_version(words, behind)
        && let Some(next) = family.versions.get(next)
        && let Some(first) = expression.clone()
    {
        expression = Expression::any([first].into_iter().chain(Expression::parse_spdx(next)));
        range.end = range.end.max(behind);
    }
    // Neither "GNU Afero General Public License" nor "Glide General Public License" is the GPL.
    let is_other = words.word(at) == "general" && at > 0 && !BEFORE_GENERAL.contains(&last);
    let expression = expression.filter(|_| !is_other);
    Some(Grant { range, expression, others, is_reference: false })
}

struct Version {
    /// Its number, in short.
    number: String,
    /// The word behind the number.
    behind: usize,
    /// The word behind the name and the number.
    end: usize,
    /// Whether later versions are allowed in front of the name.
    is_later: bool,
}

impl Version {
    fn new(words: &Words, at: usize) -> Self {
        let number = short(words.word(at)).to_owned();
        Self { number, behind: at + 1, end: at + 1, is_later: false }
    }
}

/// The version of a license named in a range of words: up to 14 words behind it, or 40 if the
/// publisher's address is between, or eight before it.
fn version(words: &Words, start: usize, end: usize, family: &Family) -> Option<Version> {
    for at in end..(end + TO_VERSION).min(words.n_words()) {
        let (last, word) = (words.word(at - 1), words.word(at));
        let is_stated = at == end
            || ["version", "versions", "rev"].contains(&last)
            || FILLERS.contains(&last) && at < end + 3
            || name_at(words, at - 1)
                .is_some_and(|(of, _)| of.is_usual && !of.is_apart_from(family));
        if is_version(word) && is_stated {
            return Some(Version::new(words, at));
        }
        // The next name has a version of its own, and so has the next sentence.
        let other = name_at(words, at).filter(|(of, end)| {
            !std::ptr::eq(*of, family) && (of.is_usual || words.of(at..*end).contains(' '))
        });
        // "The GNU General Public License (GPL), version 2" has two names.
        let is_other = other.is_some_and(|(of, _)| of.is_apart_from(family));
        let is_open = ["foundation", "version", "published"].contains(&word)
            || words.word(at + 1) == "either";
        let is_end = words.has_end(at..at + 1) && !is_open;
        if is_other || is_end || word == "details" {
            break;
        }
    }
    // "As published by the Free Software Foundation, Inc., 51 Franklin Street; either version 2".
    let next = words.of(end..end + TO_EITHER);
    if let Some((between, behind)) = next.split_once(" either version ")
        && between.contains("foundation")
        && !between.trim_start_matches("license ").contains("licens")
        && behind.split(' ').next().is_some_and(is_version)
    {
        let at = end + between.split(' ').count() + 2;
        return Some(Version::new(words, at));
    }
    // "Version 2 of the GNU General Public License".
    for at in start.saturating_sub(8)..start.saturating_sub(1) {
        let between = words.of(at..start);
        if words.word(at) == "version"
            && is_version(words.word(at + 1))
            && between.contains(" of the")
        {
            let is_later = between.contains(" later");
            return Some(Version { end, is_later, ..Version::new(words, at + 1) });
        }
    }
    None
}

/// Another version that may be chosen: "version 2.1 or (at your option) version 3".
fn next_version(words: &Words, end: usize) -> Option<(&str, usize)> {
    let mut behind = (end..words.n_words()).map(|at| (at, words.word(at)));
    let (or, word) = behind.find(|(_, word)| {
        let is_date = word.bytes().all(|byte| byte.is_ascii_digit());
        !is_date && !["the", "license", "dated", "june", "of"].contains(word)
    })?;
    if word != "or" {
        return None;
    }
    let option = words.of(or + 1..or + 4) == "at your option";
    let at = if option { or + 4 } else { or + 1 };
    let at = if words.word(at) == "version" { at + 1 } else { at };
    let number = words.word(at);
    (is_version(number) && (option || at < or + 3)).then(|| (short(number), at + 1))
}

/// Whether later versions are allowed behind a version, and where those words end.
fn later(words: &Words, end: usize, family: &Family) -> (bool, usize) {
    let next = words.of(end..end + 16);
    let spellings = [
        "any later", "or later", "or newer", "or higher", "or above", "or greater", "any newer",
        "any higher", "any subsequent", "and later", "later version",
    ];
    let found = spellings.iter().filter_map(|of| next.find(of).map(|at| (at, at + of.len()))).min();
    let Some((start, behind)) = found else { return (false, end) };
    let before = next[..start].trim_end();
    let is_of_other =
        ["version 1", "version 2", "version 3"].iter().any(|other| before.contains(other));
    // "And not any later version".
    let is_denied =
        before.split(' ').rev().take(2).any(|word| ["not", "no", "without"].contains(&word));
    // "The MIT license or GPL-2 (or later)".
    let mut between = end..end + before.split_whitespace().count();
    let names_other = between.any(|at| {
        name_at(words, at).is_some_and(|(of, _)| {
            of.is_usual && (of.is_apart_from(family) || words.has_end(at - 1..at))
        })
    });
    if is_of_other || is_denied || names_other {
        return (false, end);
    }
    (true, end + next[..behind].split(' ').count())
}

/// The GNU FDL as the words behind it complete it: with or without invariant sections.
fn sections(words: &Words, end: usize, license: Expression) -> Expression {
    let next = words.of(end..end + 60);
    let kind = match () {
        () if next.contains("no invariant sections") => "no-invariants",
        () if next.contains("invariant sections being") => "invariants",
        () => return license,
    };
    let name = license.to_string();
    let completed = ["-only", "-or-later"]
        .iter()
        .find_map(|end| Some(format!("{}-{kind}{end}", name.strip_suffix(end)?)))
        .filter(|_| name.starts_with("GFDL"));
    completed.and_then(|name| Expression::parse_spdx(&name)).unwrap_or(license)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_looks_like_a_host_is_no_address() {
        let row = |id: &str| format!("    '{}': {{'id': '{id}'}},\n", id.to_lowercase());
        let rows: String = ["Imlib2", "Info-ZIP", "Inner-Net-2.0", "InnoSetup"].map(row).concat();
        let words = Words::new(rows.as_bytes(), 1);
        assert_eq!(grants(&words, 0..words.n_words()).len(), 0);
        let words = Words::new(b"See https://opensource.org/licenses/MIT for more.", 1);
        assert!(grants(&words, 0..words.n_words())[0].is_reference);
    }

    #[test]
    fn a_word_that_names_no_license_is_no_unknown_one() {
        let unknown = |word: &str| {
            let text = format!("It is under the MIT license. Use it under the {word} license.");
            let words = Words::new(text.as_bytes(), 1);
            let mut found = grants(&words, 0..words.n_words()).into_iter();
            found.any(|of| of.expression.is_none() && of.others.is_empty())
        };
        assert!(unknown("frobnicator"));
        for word in NAMELESS {
            assert!(!unknown(word), "{word}");
        }
    }
}
