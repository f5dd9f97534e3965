//! Writes the license templates that secondhand compares with, and the addresses of licenses, from
//! the XML files of the SPDX license list: `cargo run -p licenses -- FOLDER config/licenses`, where
//! FOLDER is `src` of `spdx/license-list-XML`. An address is a line with an identifier and what the
//! list refers to.
//!
//! A template is its identifier and its words, as secondhand reads them, with `{ ... }` around what
//! may be left out and `[N ... ]` around what other words, at most N, may replace. The file holds,
//! all numbers little-endian:
//!
//! 1. the number of grams, their hashes in order, and the template of each (see [`SKETCH`]);
//! 2. blocks of templates: the bytes of the block, its number of templates, and those, one a line,
//!    deflated.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::{Compression, write::ZlibEncoder};
use roxmltree::{Document, Node};
use secondhand::license::{Words, hash};

/// Grams of a template by which it is found: those with the lowest hashes.
const SKETCH: usize = 40;
/// Bytes of a block, of which one is unpacked for a template.
const BLOCK: usize = 64 * 1024;
/// Maximum bytes of an address: longer ones name a commit.
const MAX_ADDRESS: usize = 100;
/// Words that may stand in for a replaceable part that may be anything.
const ANYTHING: usize = 30;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder, to] = &arguments[..] else { return Err("usage: licenses FOLDER FOLDER".into()) };
    let mut templates = Vec::new();
    let mut addresses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in files(Path::new(folder))? {
        let xml = fs::read_to_string(&path)?;
        let document =
            Document::parse(&xml).map_err(|error| format!("{}: {error}", path.display()))?;
        templates
            .extend(template(&document).map_err(|error| format!("{}: {error}", path.display()))?);
        add_addresses(&document, &mut addresses);
    }
    distinct(&mut templates);
    fs::write(Path::new(to).join("templates.bin"), packed(&templates)?)?;
    let told = addresses.into_iter().filter(|(_, ids)| ids.len() == 1);
    let mut lines: Vec<String> = told
        .flat_map(|(address, ids)| ids.into_iter().map(move |id| format!("{id} {address}\n")))
        .collect();
    lines.sort();
    fs::write(Path::new(to).join("addresses.txt"), lines.concat())?;
    Ok(())
}

/// Adds what the list refers to for a license: the pages that stand for it, without queries and
/// folders.
fn add_addresses(document: &Document<'_>, to: &mut BTreeMap<String, BTreeSet<String>>) {
    let license = document.descendants().find(|node| node.tag_name().name() == "license");
    let Some(license) = license.filter(|of| !of.has_attribute("deprecatedVersion")) else { return };
    let Some(id) = license.attribute("licenseId") else { return };
    let ends = ["-only", "-or-later", "-no-invariants", "-invariants", "-no-RFN", "-RFN"];
    let id = ends.iter().fold(id, |id, end| id.strip_suffix(end).unwrap_or(id));
    let referred = license.descendants().filter(|node| node.tag_name().name() == "crossRef");
    for address in referred.filter_map(|node| node.text()).map(str::trim) {
        let is_page = !address.ends_with('/')
            || address.trim_end_matches('/').ends_with(|c: char| c.is_ascii_digit());
        if address.starts_with("http")
            && is_page
            && !address.contains([' ', '#', '?'])
            && address.len() <= MAX_ADDRESS
        {
            to.entry(address.to_owned()).or_default().insert(id.to_owned());
        }
    }
}

/// Keeps one of the templates that require the same words, the one with the shortest identifier: no
/// text tells `GPL-2.0-or-later` from `GPL-2.0-only`.
fn distinct(templates: &mut Vec<String>) {
    let mut seen = HashSet::new();
    templates.sort_by_key(|template| template.find(' '));
    templates.retain(|template| seen.insert(required(template).concat().join(" ")));
    templates.sort();
}

/// The XML files of a folder and of the folder of exceptions in it, in the order of their names.
fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in [folder.to_owned(), folder.join("exceptions")] {
        found.extend(
            fs::read_dir(folder)?
                .map(|entry| entry.map(|of| of.path()))
                .collect::<Result<Vec<_>, _>>()?,
        );
    }
    found.retain(|path| path.extension().is_some_and(|extension| extension == "xml"));
    found.sort();
    Ok(found)
}

/// The template in an XML file; `None` for a deprecated identifier.
fn template(document: &Document<'_>) -> Result<Option<String>, Box<dyn Error>> {
    let find = |name: &str| document.descendants().find(|node| node.tag_name().name() == name);
    let license = find("license").or_else(|| find("exception")).ok_or("no license")?;
    let id = license.attribute("licenseId").ok_or("no identifier")?;
    if license.has_attribute("deprecatedVersion") {
        return Ok(None);
    }
    let mut template = id.to_owned();
    write_node(find("text").ok_or("no text")?, &mut template);
    Ok(Some(template))
}

fn write_node(node: Node<'_, '_>, to: &mut String) {
    if let Some(text) = node.text().filter(|_| node.is_text()) {
        to.push_str(&words_of(text));
        return;
    }
    let (open, close) = match node.tag_name().name() {
        "bullet" | "copyrightText" => return,
        "optional" | "titleText" => (" {".to_owned(), " }"),
        "alt" => (format!(" [{}", most_words(node)), " ]"),
        _ => (String::new(), ""),
    };
    to.push_str(&open);
    for child in node.children() {
        write_node(child, to);
    }
    to.push_str(close);
}

/// The words of a text, each with a space before it.
fn words_of(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Words::new(line.as_bytes(), 1).text().trim_end().to_owned()
}

/// The most words that the pattern of a replaceable part matches.
fn most_words(alt: Node<'_, '_>) -> usize {
    let pattern = alt.attribute("match").unwrap_or_default().replace("\\s+", " ");
    if [".+", ".*", "{0,", "{54"].iter().any(|any| pattern.contains(any)) {
        return ANYTHING;
    }
    let original: String = alt.descendants().filter_map(|node| node.text()).collect();
    let choices = pattern.split('|').chain([&*original]);
    choices.map(|choice| words_of(choice).split_whitespace().count()).max().unwrap_or_default()
}

fn packed(templates: &[String]) -> std::io::Result<Vec<u8>> {
    let mut grams: Vec<(u32, u16)> = Vec::new();
    for (number, template) in (0u16..).zip(templates) {
        grams.extend(sketch(template).into_iter().map(|gram| (gram, number)));
    }
    grams.sort_unstable();
    let mut file = (grams.len() as u32).to_le_bytes().to_vec();
    file.extend(grams.iter().flat_map(|(gram, _)| gram.to_le_bytes()));
    file.extend(grams.iter().flat_map(|(_, template)| template.to_le_bytes()));
    let mut rest = templates;
    while !rest.is_empty() {
        let sizes = rest.iter().scan(0, |sum, of| {
            *sum += of.len();
            Some(*sum)
        });
        let n = sizes.take_while(|&size| size <= BLOCK).count().max(1);
        let mut block = ZlibEncoder::new(Vec::new(), Compression::best());
        block.write_all(rest[..n].join("\n").as_bytes())?;
        let block = block.finish()?;
        file.extend((block.len() as u32).to_le_bytes());
        file.extend((n as u16).to_le_bytes());
        file.extend(block);
        rest = &rest[n..];
    }
    Ok(file)
}

/// The grams with the lowest hashes of what a template requires.
fn sketch(template: &str) -> Vec<u32> {
    let hashes =
        required(template).into_iter().map(|run| run.into_iter().map(hash).collect::<Vec<_>>());
    let mut grams: Vec<u32> =
        hashes.flat_map(|run| Words::grams(&run).collect::<Vec<_>>()).collect();
    grams.sort_unstable();
    grams.dedup();
    grams.truncate(SKETCH);
    grams
}

/// The words that a template requires, apart where others may be between them.
fn required(template: &str) -> Vec<Vec<&str>> {
    let mut depth = 0;
    let mut runs = vec![Vec::new()];
    for word in template.split(' ').skip(1) {
        match word {
            "}" | "]" => depth -= 1,
            _ if word.starts_with(['{', '[']) => depth += 1,
            _ if depth == 0 => runs.last_mut().expect("there is one").push(word),
            _ => continue,
        }
        if !word.starts_with(char::is_alphanumeric) {
            runs.push(Vec::new());
        }
    }
    runs
}
