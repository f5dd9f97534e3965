//! Samples a folder: some files become the tree of a repository, some are held out of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

use crate::error::Error;
use crate::fragment::{Form, Fragment, fragments, statements};
use crate::language::{Blocks, Language, of_path};
use crate::likeness::{Grams, Likeness, likeness_of, repeats_itself};
use crate::scan::{Class, Scan, hash};
use support::Random;

/// A source file.
#[derive(Debug)]
pub struct File {
    /// Its path in the repository, with `/`.
    pub path: String,
    pub scan: Scan,
    pub fragments: Vec<Fragment>,
}

impl File {
    fn new(path: String, text: String, language: &'static Language) -> Self {
        let scan = Scan::new(text, language);
        Self { path, fragments: fragments(&scan), scan }
    }

    /// The fragments of `form`.
    pub fn of_form(&self, form: Form) -> impl Iterator<Item = &Fragment> {
        self.fragments.iter().filter(move |fragment| fragment.form == form)
    }

    /// The first line (from 0) after the license and the imports.
    pub fn body(&self) -> usize {
        let mut is_open = false;
        for at in 0..self.scan.lines.len() {
            let begins = !is_open && !is_preamble(&self.scan, at);
            if begins {
                return at;
            }
            is_open = goes_on(&self.scan, at, is_open);
        }
        0
    }
}

/// Lines of a language that stand in some file of the tree.
#[derive(Debug, Default)]
pub struct Pool {
    pub statements: Vec<String>,
    pub imports: Vec<String>,
    pub names: Vec<String>,
}

/// A folder's sample.
#[derive(Debug)]
pub struct Tree {
    /// The name of the folder.
    pub name: String,
    /// The files of the repository, by path.
    pub files: Vec<File>,
    /// Files that the repository does not have.
    pub held_out: Vec<File>,
    grams: Grams,
    pools: BTreeMap<&'static str, Pool>,
}

/// Of how many files one is held out.
const HELD_OUT: usize = 5;
/// The fewest files that are a tree.
const MIN_FILES: usize = 10;
/// A file of so many bytes or more is left out.
const MAX_BYTES: u64 = 100_000;
/// A file with a line of so many bytes or more is not written by hand.
const MAX_LINE: usize = 500;
/// Different names that make a fragment distinctive.
const MIN_NAMES: usize = 6;

impl Tree {
    /// Samples `folder`: `n_files` for the tree, and a quarter of that held out.
    pub fn sample(folder: &Path, n_files: usize, seed: u64) -> Result<Self, Error> {
        let name = folder
            .file_name()
            .map_or_else(|| "folder".to_owned(), |name| name.to_string_lossy().into_owned());
        let mut paths = Vec::new();
        collect(folder, "", &mut paths)?;
        paths.sort();
        Random::new(seed, hash(&name)).shuffle(&mut paths);
        let mut files = Vec::new();
        for path in paths {
            if files.len() < n_files + n_files / (HELD_OUT - 1) {
                files.extend(read(folder, path)?);
            }
        }
        if files.len() < MIN_FILES {
            return Err(Error::TooFewFiles {
                path: folder.to_owned(),
                n_files: files.len(),
                n_needed: MIN_FILES,
            });
        }
        let held_out = files.split_off(files.len() - files.len() / HELD_OUT);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self::new(name, files, held_out))
    }

    fn new(name: String, files: Vec<File>, held_out: Vec<File>) -> Self {
        let mut grams = Grams::default();
        let mut pools: BTreeMap<&'static str, Pool> = BTreeMap::new();
        for (number, file) in files.iter().enumerate() {
            grams.add(number, &file.scan);
            fill(pools.entry(file.scan.language.name).or_default(), &file.scan);
        }
        for pool in pools.values_mut() {
            for list in [&mut pool.statements, &mut pool.imports, &mut pool.names] {
                list.sort();
                list.dedup();
            }
        }
        Self { name, files, held_out, grams, pools }
    }

    /// The lines that files of `language` hold.
    pub fn pool(&self, language: &Language) -> &Pool {
        static EMPTY: Pool =
            Pool { statements: Vec::new(), imports: Vec::new(), names: Vec::new() };
        self.pools.get(language.name).unwrap_or(&EMPTY)
    }

    /// Whether the path is taken.
    pub fn has(&self, path: &str) -> bool {
        self.files.iter().any(|file| file.path == path)
    }

    /// Whether a fragment of the tree's file `file` stands nowhere else, nor anything much like it.
    pub fn is_distinctive(&self, file: usize, fragment: &Fragment) -> bool {
        let scan = &self.files[file].scan;
        let own = Some((file, &fragment.tokens));
        n_names(scan, fragment) >= MIN_NAMES
            && is_alone(self.grams.likeness(scan, &fragment.tokens, own))
    }

    /// Whether nothing much like the whole file stands in the tree.
    pub fn is_file_distinctive(&self, file: usize) -> bool {
        let scan = &self.files[file].scan;
        let all = 0..scan.tokens.len();
        is_alone(self.grams.likeness(scan, &all, Some((file, &all))))
    }

    /// Whether much of one file stands in the other.
    pub fn are_alike(&self, file: usize, other: usize) -> bool {
        let likeness = |a: usize, b: usize| likeness_of(&self.files[a].scan, &self.files[b].scan);
        [likeness(file, other), likeness(other, file)]
            .iter()
            .any(|likeness| likeness.exact.max(likeness.shape) > 0.2)
    }

    /// Whether a fragment of a held-out file has nothing like it in the tree.
    pub fn is_unrelated(&self, scan: &Scan, fragment: &Fragment) -> bool {
        let likeness = self.grams.likeness(scan, &fragment.tokens, None);
        let stretch = self.grams.likeness_of_stretches(scan, &fragment.tokens);
        n_names(scan, fragment) >= MIN_NAMES
            && likeness.exact < 0.3
            && likeness.shape < 0.5
            && stretch.exact < 0.5
            && stretch.shape < 0.5
            && !repeats_itself(scan, &fragment.tokens)
    }
}

/// Whether a text that is so like another has still one origin only.
fn is_alone(likeness: Likeness) -> bool {
    likeness.exact < 0.5 && likeness.shape < 0.4
}

fn n_names(scan: &Scan, fragment: &Fragment) -> usize {
    let is_name = |at: &usize| scan.tokens[*at].class == Class::Name;
    fragment.tokens.clone().filter(is_name).map(|at| scan.token(at)).collect::<BTreeSet<_>>().len()
}

/// Folders that hold no code of the project, or tests.
const LEFT_OUT: &[&str] = &[
    "node_modules", "vendor", "third_party", "target", "dist", "build", "out", "test", "tests",
    "testing", "__tests__", "spec", "specs", "testdata", "fixtures", "t", "__pycache__",
    "bower_components", "test_fixtures", "__fixtures__",
];

/// Lists the source files under `folder/inside`, paths from `folder`.
fn collect(folder: &Path, inside: &str, paths: &mut Vec<String>) -> Result<(), Error> {
    let here = if inside.is_empty() { folder.to_owned() } else { folder.join(inside) };
    for entry in fs::read_dir(&here).map_err(Error::reading(&here))? {
        let entry = entry.map_err(Error::reading(&here))?;
        let kind = entry.file_type().map_err(Error::reading(&entry.path()))?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = if inside.is_empty() { name.clone() } else { format!("{inside}/{name}") };
        if kind.is_dir() && !name.starts_with('.') && !LEFT_OUT.contains(&name.as_str()) {
            collect(folder, &path, paths)?;
        } else if kind.is_file() && of_path(&path).is_some() && !is_test(&name) {
            paths.push(path);
        }
    }
    Ok(())
}

/// Whether a file's name is one that tests have by custom.
fn is_test(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let infixes = [".test.", ".tests.", ".spec.", ".min.", ".bundle."];
    stem.starts_with("test_")
        || ["_test", "_tests", "_spec", "Test", "Tests", "Spec"]
            .iter()
            .any(|end| stem.ends_with(end))
        || infixes.iter().any(|infix| name.contains(infix))
        || stem == "conftest"
}

/// Reads a file; `None` when it is no source that people wrote, or none that can be cut up safely.
fn read(folder: &Path, path: String) -> Result<Option<File>, Error> {
    let place = folder.join(&path);
    let size = fs::metadata(&place).map_err(Error::reading(&place))?.len();
    let bytes = fs::read(&place).map_err(Error::reading(&place))?;
    let (Some(language), Ok(mut text)) = (of_path(&path), String::from_utf8(bytes)) else {
        return Ok(None);
    };
    if size >= MAX_BYTES || !is_usable(&text, language) {
        return Ok(None);
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(Some(File::new(path, text, language)))
}

fn is_usable(text: &str, language: &Language) -> bool {
    let top: String = text.chars().take(4_000).collect::<String>().to_lowercase();
    let is_generated = [
        "generated by", "generated on", "generated code", "do not edit", "@generated",
        "auto-generated", "autogenerated",
    ];
    text.lines().count() >= 5
        && text.lines().all(|line| line.len() < MAX_LINE)
        && !text.contains(['\r', '\0', '\u{feff}'])
        && !is_generated.iter().any(|mark| top.contains(mark))
        && !language.unreadable.iter().any(|mark| text.contains(mark))
}

/// Whether the line numbered `at` imports something, whole.
pub fn is_import(scan: &Scan, at: usize) -> bool {
    let line = scan.line(at);
    let is_open = line.trim_end().ends_with(['(', '{', ',', '\\']);
    let is_import = scan.language.imports.iter().any(|import| line.starts_with(import));
    is_import && !is_open && !scan.lines[at].is_glued
}

/// Whether a line is blank, a comment, a directive, or begins an import.
fn is_preamble(scan: &Scan, at: usize) -> bool {
    const WORDS: &[&str] = &[
        "import", "package", "use", "using", "from", "require", "require_relative", "namespace",
        "<",
    ];
    let line = &scan.lines[at];
    let is_macro = line.is_directive && scan.line(at).ends_with('\\');
    line.tokens.is_empty() || line.is_directive && !is_macro || WORDS.contains(&scan.first_word(at))
}

/// Whether an import that began on the line, or before it when `was_open`, ends on a later one.
fn goes_on(scan: &Scan, at: usize, was_open: bool) -> bool {
    let tokens = scan.lines[at].tokens.clone();
    if tokens.is_empty() || scan.lines[at].is_directive {
        return was_open;
    }
    let text = scan.line(at);
    let n_open = text.matches(['(', '{']).count();
    let n_closed = text.matches([')', '}']).count();
    let is_bracket_open = n_open > n_closed || was_open && n_open == n_closed && n_closed == 0;
    match scan.language.blocks {
        Blocks::Statements => scan.token(tokens.end - 1) != ";" && !text.starts_with("<?"),
        Blocks::Lines | Blocks::Indentation => is_bracket_open,
    }
}

/// The tokens of statements that are put into other code.
const POOLED: RangeInclusive<usize> = 5..=25;

fn fill(pool: &mut Pool, scan: &Scan) {
    let is_pooled =
        |at: &usize| POOLED.contains(&scan.lines[*at].tokens.len()) && !scan.lines[*at].has_comment;
    pool.statements.extend(
        statements(scan).into_iter().filter(is_pooled).map(|at| scan.line(at).trim().to_owned()),
    );
    let imports = (0..scan.lines.len()).filter(|&at| is_import(scan, at));
    pool.imports.extend(imports.map(|at| scan.line(at).trim_end().to_owned()));
    let is_name = |at: &usize| {
        scan.tokens[*at].class == Class::Name && (3..=20).contains(&scan.token(*at).len())
    };
    pool.names.extend((0..scan.tokens.len()).filter(is_name).map(|at| scan.token(at).to_owned()));
}
