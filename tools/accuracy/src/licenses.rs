//! Measures how often the license of a text is read as what it is labelled.
//!
//! Labelled texts are, wherever they are below the folder: ScanCode's licenses (`*.LICENSE`, with the identifier in front
//! of the text), the files of its data-driven tests (`X` beside `X.yml`), and the texts of SPDX's list (`ID.txt` in
//! `simpleTestForGenerator`).

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use secondhand::license::{Class, Expression, Licenses, LicensingInfo};
use secondhand::text::FilePath;

use crate::error::Error;
use crate::identify::entries;
use crate::output::print;

/// Flags of `accuracy licenses`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A folder with checkouts of projects that label license texts
    #[arg(value_name = "DIR")]
    pub texts: PathBuf,
    /// List the files that are read as something else
    #[arg(long)]
    pub list: bool,
}

/// A text and what it is.
struct Labelled {
    source: &'static str,
    path: PathBuf,
    text: Vec<u8>,
    /// What it states; `None` for what SPDX does not list.
    label: Option<Expression>,
    /// Whether all of the file is about the license, rather than its first comment.
    is_whole: bool,
}

/// What became of the texts of one source.
#[derive(Default)]
struct Tally {
    n: usize,
    n_right: usize,
    n_unknown: usize,
    n_permissive: usize,
}

/// Measures, and lists what is read as something else.
pub fn run(args: &Args) -> Result<(), Error> {
    let mut paths = Vec::new();
    files(&args.texts, &mut paths)?;
    let keys = keys(&paths)?;
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for path in &paths {
        let Some(labelled) = labelled(path, &keys)? else { continue };
        let found = read(&labelled);
        let tally = tallies.entry(labelled.source).or_default();
        tally.n += 1;
        match (&labelled.label, &found) {
            (None, None) => tally.n_right += 1,
            (Some(label), Some(found)) if spelled(label, &labelled) == spelled(found, &labelled) => tally.n_right += 1,
            (Some(_), None) => tally.n_unknown += 1,
            (label, Some(found)) => {
                let is_milder = label.as_ref().is_some_and(|label| Class::of(found) < Class::of(label));
                tally.n_permissive += usize::from(is_milder);
                if args.list {
                    let label = label.as_ref().map_or("not listed".to_owned(), ToString::to_string);
                    print(&format!("{}: {label} read as {found}\n", labelled.path.display()))?;
                }
            }
        }
    }
    for (source, Tally { n, n_right, n_unknown, n_permissive }) in &tallies {
        let percent = |part: usize| 100.0 * part as f64 / *n as f64;
        let n_wrong = n - n_right - n_unknown;
        print(&format!(
            "{source:32} {n:5} texts, {:5.1} % right, {:5.1} % unknown, {:4.1} % wrong, {n_permissive} towards the permissive\n",
            percent(*n_right),
            percent(*n_unknown),
            percent(n_wrong)
        ))?;
    }
    Ok(())
}

/// The license that is read.
fn read(of: &Labelled) -> Option<Expression> {
    let found = if of.is_whole {
        let path = FilePath::new("LICENSE");
        Licenses::new([(&path, &of.text[..])]).component()
    } else {
        let path = FilePath::new("labelled.c");
        Licenses::default().of_info(&path, &LicensingInfo::new(&path, &of.text), &|_, _| None)
    };
    found.expression.filter(|found| !found.to_string().contains("LicenseRef"))
}

/// What no text of a license tells: which versions are allowed, and whether there are invariant sections.
const NOT_IN_TEXTS: [&str; 6] = ["-only", "-or-later", "-no-invariants", "-invariants", "-no-RFN", "-RFN"];

/// An expression in which order and what no text tells do not count.
fn spelled(expression: &Expression, of: &Labelled) -> String {
    let text = expression.to_string();
    let told = |text: String| NOT_IN_TEXTS.iter().fold(text, |text, part| text.replace(part, ""));
    let text = if of.is_whole { told(text) } else { text };
    let mut parts: Vec<&str> = text.split(" AND ").map(|part| part.trim_matches(['(', ')'])).collect();
    parts.sort_unstable();
    let mut parts: Vec<String> = parts.into_iter().map(sorted_choice).collect();
    parts.dedup();
    parts.join(" AND ")
}

fn sorted_choice(part: &str) -> String {
    let mut choices: Vec<&str> = part.split(" OR ").collect();
    choices.sort_unstable();
    choices.join(" OR ")
}

/// The text of a file and its label, if it has one.
fn labelled(path: &Path, keys: &HashMap<String, String>) -> Result<Option<Labelled>, Error> {
    let bytes = |path: &Path| fs::read(path).map_err(Error::reading(path));
    let extension = path.extension().unwrap_or_default();
    let is_generator = path.parent().is_some_and(|folder| folder.ends_with("simpleTestForGenerator"));
    let (source, text, label, is_whole) = if extension == "LICENSE" {
        let file = String::from_utf8_lossy(&bytes(path)?).into_owned();
        let Some((head, text)) = file.trim_start_matches("---").split_once("\n---") else { return Ok(None) };
        if text.trim().is_empty() || is_set(head, "is_deprecated") || is_set(head, "is_exception") {
            return Ok(None);
        }
        let id = value(head, "spdx_license_key").filter(|id| !id.starts_with("LicenseRef"));
        let label = id.and_then(Expression::of);
        let source = if label.is_some() { "ScanCode, licenses" } else { "ScanCode, not in SPDX" };
        (source, text.as_bytes().to_vec(), label, true)
    } else if extension == "txt" && is_generator {
        let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let Some(label) = Expression::of(&id).filter(|_| !id.contains("xception") && !id.starts_with("deprecated"))
        else {
            return Ok(None);
        };
        ("SPDX, texts", bytes(path)?, Some(label), true)
    } else if extension == "yml" && path.with_extension("").is_file() {
        let head = String::from_utf8_lossy(&bytes(path)?).into_owned();
        let Some(label) = value_of_list(&head, "license_expressions") else { return Ok(None) };
        let label = Expression::parse_spdx(&with_keys(&label, keys));
        let source = if label.is_some() { "ScanCode, headers" } else { "ScanCode, headers not in SPDX" };
        (source, bytes(&path.with_extension(""))?, label, false)
    } else {
        return Ok(None);
    };
    Ok(Some(Labelled { source, path: path.to_owned(), text, label, is_whole }))
}

/// An expression of ScanCode's keys, in SPDX's identifiers.
fn with_keys(expression: &str, keys: &HashMap<String, String>) -> String {
    let spaced = expression.replace('(', "( ").replace(')', " )");
    let words = spaced.split_whitespace().map(|word| match word {
        "AND" | "OR" | "WITH" | "(" | ")" => word,
        key => keys.get(key).map_or("?", String::as_str),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// SPDX's identifiers by ScanCode's keys.
fn keys(paths: &[PathBuf]) -> Result<HashMap<String, String>, Error> {
    let mut keys = HashMap::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "LICENSE")) {
        let file = String::from_utf8_lossy(&fs::read(path).map_err(Error::reading(path))?).into_owned();
        let listed = |id: &&str| !id.starts_with("LicenseRef");
        if let (Some(key), Some(id)) = (value(&file, "key"), value(&file, "spdx_license_key").filter(listed)) {
            keys.insert(key.to_owned(), id.to_owned());
        }
    }
    Ok(keys)
}

/// The value of a key in the lines of a YAML file.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':')).map(str::trim)
}

fn is_set(text: &str, key: &str) -> bool {
    value(text, key).is_some_and(|value| matches!(value, "yes" | "true"))
}

/// The only item of a list in a YAML file.
fn value_of_list(text: &str, key: &str) -> Option<String> {
    let mut behind = text.lines().skip_while(|line| !line.starts_with(key)).skip(1);
    let first = behind.next()?.trim().strip_prefix("- ")?.trim_matches('\'').to_owned();
    behind.next().is_none_or(|next| !next.trim().starts_with("- ")).then_some(first)
}

/// The files below a folder, in order.
fn files(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    for path in entries(folder)? {
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() { files(&path, found)? } else { found.push(path) }
    }
    Ok(())
}
