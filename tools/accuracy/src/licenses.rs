//! Measures how often the license of a text is read as what it is labelled.
//!
//! Labelled texts are, wherever they are below the folder: ScanCode's licenses (`*.LICENSE`, with
//! the identifier in front of the text), the files of its data-driven tests (`X` beside `X.yml`),
//! the texts of SPDX's list (`ID.txt` in `simpleTestForGenerator`), those of licensecheck
//! (`testdata/X.tN`, with the identifiers in front) and the folders of licensee's `fixtures`, which
//! its `fixtures.yml` lists.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use secondhand::license::{Class, Expression, Licenses, LicensingInfo, hash};
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
    /// Take only half of the texts, by the hash of their names
    #[arg(long, value_name = "HALF")]
    pub half: Option<Half>,
    /// List each file with its source, its label, what is read, and why nothing is
    #[arg(long)]
    pub list: bool,
    /// Judge the answers of another program instead: lines of a file's path below DIR, a tab, and
    /// an expression
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,
}

/// A half of the texts, by the hash of the file's name: whoever chooses on one reports on the
/// other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Half {
    /// The texts that may be looked at.
    Choose,
    /// Those that decide.
    Report,
}

impl Half {
    fn of(path: &Path) -> Self {
        let text = if path.extension().is_some_and(|of| of == "yml") {
            path.with_extension("")
        } else {
            path.to_owned()
        };
        let name = text.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
        if hash(&name) >> 16 & 1 == 0 { Self::Choose } else { Self::Report }
    }
}

/// A text and what it is.
struct Labelled {
    source: &'static str,
    /// Its files.
    texts: Vec<(FilePath, Vec<u8>)>,
    /// What it states; `None` for what SPDX does not list.
    label: Option<Expression>,
    /// Whether all of the file is about the license, rather than its first comment.
    is_whole: bool,
}

impl Labelled {
    fn new(source: &'static str, text: &[u8], label: Option<Expression>, is_whole: bool) -> Self {
        let name = if is_whole { "LICENSE" } else { "labelled.c" };
        Self { source, texts: vec![(FilePath::new(name), text.to_vec())], label, is_whole }
    }
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
    let answers = args.answers.as_deref().map(answers).transpose()?;
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for path in &paths {
        let Some(labelled) =
            labelled(path, &keys)?.filter(|_| args.half.is_none_or(|half| half == Half::of(path)))
        else {
            continue;
        };
        let name = path.strip_prefix(&args.texts).unwrap_or(path).to_string_lossy();
        let (found, why) = match &answers {
            Some(answers) => {
                (answers.get(&*name).and_then(|of| Expression::parse_spdx(of)), String::new())
            }
            None => read(&labelled),
        };
        let tally = tallies.entry(labelled.source).or_default();
        tally.n += 1;
        let verdict = match (&labelled.label, &found) {
            (None, None) => "right",
            (Some(label), Some(found))
                if spelled(label, &labelled) == spelled(found, &labelled) =>
            {
                "right"
            }
            (Some(_), None) => "unknown",
            (Some(label), Some(found)) if Class::of(found) < Class::of(label) => "permissive",
            _ => "wrong",
        };
        tally.n_right += usize::from(verdict == "right");
        tally.n_unknown += usize::from(verdict == "unknown");
        tally.n_permissive += usize::from(verdict == "permissive");
        if args.list {
            let written =
                |of: &Option<Expression>| of.as_ref().map(ToString::to_string).unwrap_or_default();
            let (label, found, source) =
                (written(&labelled.label), written(&found), labelled.source);
            print(&format!("{verdict}\t{source}\t{label}\t{found}\t{name}\t{why}\n"))?;
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

/// The answers of another program by path.
fn answers(path: &Path) -> Result<HashMap<String, String>, Error> {
    let file = fs::read_to_string(path).map_err(Error::reading(path))?;
    Ok(file
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(of, is)| (of.to_owned(), is.to_owned()))
        .collect())
}

/// The license that is read, and else what is written of it.
fn read(of: &Labelled) -> (Option<Expression>, String) {
    let found = if of.is_whole {
        Licenses::new(of.texts.iter().map(|(path, text)| (path, &text[..]))).component()
    } else {
        let (path, text) = &of.texts[0];
        Licenses::default().of_info(path, &LicensingInfo::new(path, text), &|_, _| None)
    };
    let why: Vec<&str> = found.evidence.iter().map(|of| of.statement.written.as_str()).collect();
    let why = why.join(" | ").replace(['\t', '\n'], " ");
    (found.expression.filter(|found| !found.to_string().contains("LicenseRef")), why)
}

/// What no text of a license tells: which versions are allowed, and whether there are invariant
/// sections.
const NOT_IN_TEXTS: [&str; 6] =
    ["-only", "-or-later", "-no-invariants", "-invariants", "-no-RFN", "-RFN"];

/// An expression in which order and what no text tells do not count.
fn spelled(expression: &Expression, of: &Labelled) -> String {
    let text = expression.to_string();
    let told = |text: String| NOT_IN_TEXTS.iter().fold(text, |text, part| text.replace(part, ""));
    // No label of a header tells them either: the identifiers are younger than the labels.
    let text = if of.is_whole || text.starts_with("GFDL") { told(text) } else { text };
    let mut parts: Vec<&str> =
        text.split(" AND ").map(|part| part.trim_matches(['(', ')'])).collect();
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
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    match &*extension {
        "LICENSE" => license(path),
        "RULE" => rule(path, keys),
        "yml" if path.with_extension("").is_file() => tested(path, keys),
        "txt" if folder == "simpleTestForGenerator" => listed(path),
        _ if folder == "testdata" && extension.starts_with('t') => checked(path),
        _ if path
            .parent()
            .and_then(Path::parent)
            .is_some_and(|folder| folder.ends_with("spec/fixtures")) =>
        {
            project(path)
        }
        _ => Ok(None),
    }
}

/// A license of ScanCode.
fn license(path: &Path) -> Result<Option<Labelled>, Error> {
    let file = text_of(path)?;
    let Some((head, text)) = headed(&file) else { return Ok(None) };
    if text.trim().is_empty() || is_set(head, "is_deprecated") || is_set(head, "is_exception") {
        return Ok(None);
    }
    let id = value(head, "spdx_license_key").filter(|id| !id.starts_with("LicenseRef"));
    let label = id.and_then(Expression::parse_spdx);
    let source = if label.is_some() { "ScanCode, licenses" } else { "ScanCode, not in SPDX" };
    Ok(Some(Labelled::new(source, text.as_bytes(), label, true)))
}

/// A notice that ScanCode looks for.
fn rule(path: &Path, keys: &HashMap<String, String>) -> Result<Option<Labelled>, Error> {
    let file = text_of(path)?;
    let Some((head, text)) = headed(&file) else { return Ok(None) };
    let label = value(head, "license_expression")
        .and_then(|of| Expression::parse_spdx(&with_keys(of, keys)));
    if label.is_none() || !is_set(head, "is_license_notice") || is_set(head, "is_deprecated") {
        return Ok(None);
    }
    let text = text.replace("{{", "").replace("}}", "");
    Ok(Some(Labelled::new("ScanCode, rules for notices", text.as_bytes(), label, false)))
}

/// A file of ScanCode's tests, by what is expected of it.
fn tested(path: &Path, keys: &HashMap<String, String>) -> Result<Option<Labelled>, Error> {
    let Some(label) = value_of_list(&text_of(path)?, "license_expressions") else {
        return Ok(None);
    };
    let label = Expression::parse_spdx(&with_keys(&label, keys));
    let is_address = path.parent().is_some_and(|folder| folder.ends_with("nuget"));
    let source = match (&label, is_address) {
        (None, _) => "ScanCode, headers not in SPDX",
        (_, true) => "ScanCode, addresses",
        _ => "ScanCode, headers",
    };
    let path = path.with_extension("");
    Ok(Some(Labelled::new(source, &bytes(&path)?, label, false)))
}

/// A test text of SPDX's list.
fn listed(path: &Path) -> Result<Option<Labelled>, Error> {
    let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let label = Expression::parse_spdx(&id)
        .filter(|_| !id.contains("xception") && !id.starts_with("deprecated"));
    let text = bytes(path)?;
    Ok(label.map(|label| Labelled::new("SPDX, texts", &text, Some(label), true)))
}

/// A test text of licensecheck that has one license.
fn checked(path: &Path) -> Result<Option<Labelled>, Error> {
    let file = text_of(path)?;
    let Some((head, text)) = file.split_once("\n\n") else { return Ok(None) };
    let rows = head.lines().filter(|line| !line.starts_with('#')).skip(1);
    let ids: BTreeSet<&str> = rows.filter_map(|row| row.split(' ').next()).collect();
    let [id] = ids.into_iter().collect::<Vec<_>>()[..] else { return Ok(None) };
    let is_told = id.ends_with("-only") || id.ends_with("-or-later");
    let label = Expression::parse_spdx(id);
    Ok(label
        .map(|label| Labelled::new("licensecheck, texts", text.as_bytes(), Some(label), !is_told)))
}

/// The files of a project of licensee's, by the first of them.
fn project(path: &Path) -> Result<Option<Labelled>, Error> {
    let folder = path.parent().expect("it is in a folder of `fixtures`");
    let mut paths = Vec::new();
    files(folder, &mut paths)?;
    let labels = text_of(&folder.with_file_name("fixtures.yml"))?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut row = labels.lines().skip_while(|line| *line != format!("{name}:")).skip(1);
    let key = row.next().and_then(|key| key.trim().strip_prefix("key: "));
    let Some(label) =
        key.and_then(Expression::parse_spdx).filter(|_| paths.first().is_some_and(|of| of == path))
    else {
        return Ok(None);
    };
    let texts = paths.iter().map(|of| {
        let path = of.strip_prefix(folder).unwrap_or(of).to_string_lossy();
        Ok((FilePath::new(path.as_bytes()), bytes(of)?))
    });
    let texts = texts.collect::<Result<_, Error>>()?;
    let source = "licensee, projects";
    Ok(Some(Labelled { source, texts, label: Some(label), is_whole: true }))
}

fn bytes(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(Error::reading(path))
}

fn text_of(path: &Path) -> Result<String, Error> {
    Ok(String::from_utf8_lossy(&bytes(path)?).into_owned())
}

/// What stands in front of a text of ScanCode, and the text.
fn headed(file: &str) -> Option<(&str, &str)> {
    file.trim_start_matches("---").split_once("\n---")
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
    for path in
        paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "LICENSE"))
    {
        let file = text_of(path)?;
        let listed = |id: &&str| !id.starts_with("LicenseRef");
        if let (Some(key), Some(id)) =
            (value(&file, "key"), value(&file, "spdx_license_key").filter(listed))
        {
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
