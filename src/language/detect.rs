//! Finds the language of a file: by its name, its `#!` line, or its content.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

use foldhash::{HashMap, HashMapExt, HashSet};
use regex::bytes::{Regex, RegexBuilder};

use super::block_words::BlockWords;
use super::hash;
use super::helper::HelperPatterns;
use super::lexer::Lexer;
use super::region::{Regions, no_pattern};
use super::table::{Claim, Table, TableError, each_row};
use super::test_code::TestMarks;
use super::token::{Kind, Token};
use crate::text::{FilePath, unpack};

/// A language that is ready to read source.
#[derive(Debug)]
pub struct Language {
    /// The name of its table: `rust`, `c`.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// Languages of one family are compared with each other.
    pub family: String,
    /// Whether its files are data or prose.
    pub is_data: bool,
    /// Whether its files are declarative: markup, style sheets, schemas, queries, build rules.
    pub is_declarative: bool,
    /// Whether a name that is followed by a name or a literal calls it.
    pub has_juxtaposed_calls: bool,
    /// The words that show how its code is built.
    pub words: Arc<BlockWords>,
    /// Reads its source; [`Languages::tokenize`] does so if it may contain other languages.
    pub lexer: Lexer,
    pub(super) table: Arc<Table>,
    pub(super) regions: Regions,
    /// Whether its files are notebooks.
    pub is_notebook: bool,
    /// Whether its files are pages of the Web: [`super::page_text`] is their text.
    pub is_page: bool,
    test_marks: TestMarks,
}

impl Language {
    fn new(id: &str, table: Arc<Table>) -> Self {
        Self {
            id: id.to_owned(),
            name: table.name.clone(),
            family: table.family(),
            is_data: table.data,
            is_declarative: table.declarative,
            has_juxtaposed_calls: table.juxtaposed_calls,
            words: Arc::new(BlockWords::new(&table)),
            lexer: Lexer::new(&table).expect("`add` and tests/it/languages.rs compile every table"),
            regions: Regions::new(&table)
                .expect("`add` and tests/it/languages.rs compile every region"),
            is_notebook: table.notebook,
            is_page: table.pages,
            test_marks: TestMarks::default(),
            table,
        }
    }

    /// This language, as it is in a template.
    fn filled_with(&self, template: &Table) -> Self {
        let table = Table {
            regions: template.regions.clone(),
            around: Some(self.id.clone()),
            page: None,
            notebook: false,
            ..Table::clone(&self.table)
        };
        Self::new(&self.id, Arc::new(table))
    }

    /// The lines of test code, as disjoint ranges in order, counted from 1. Time O(n log n).
    pub fn test_lines(&self, text: &[u8], tokens: &[Token]) -> Vec<Range<u32>> {
        self.test_marks.find(&self.table.tests, text, tokens)
    }

    /// Whether its files are always read by a single lexer, whatever the settings.
    pub fn is_plain(&self) -> bool {
        !self.is_data && !self.is_host()
    }

    /// Whether its files may contain other languages; those with a preamble apart.
    pub fn is_host(&self) -> bool {
        !self.table.regions.is_empty()
            || self.table.around.is_some()
            || self.table.page.is_some()
            || self.is_notebook
            || self.preambles().next().is_none() && self.held().any(|name| name.is_some())
    }

    /// Whether a comment in `text` may be code of another language.
    pub fn has_preamble(&self, text: &[u8]) -> bool {
        self.preambles().any(|name| memchr::memmem::find(text, name.as_bytes()).is_some())
    }

    /// What an import names if the comment before it is code.
    fn preambles(&self) -> impl Iterator<Item = &str> {
        self.table.imports.iter().filter_map(|import| import.preamble.as_deref())
    }

    /// The language of the code in each of its strings, then before each of its imports.
    pub(super) fn held(&self) -> impl Iterator<Item = Option<&str>> {
        let imports = self.table.imports.iter().map(|row| row.holds.as_deref());
        self.table.strings.iter().map(|row| row.holds.as_deref()).chain(imports)
    }
}

/// How the language of a file was detected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Its whole name.
    FileName,
    /// Its extension.
    Extension(String),
    /// Its extension, which several languages share, and a pattern that matched.
    Claim(String, String),
    /// The interpreter named in its first line.
    Interpreter(String),
    /// What it begins with: the pattern that matched.
    Beginning(String),
}

/// Whether a text begins with an element.
fn is_markup(text: &[u8]) -> bool {
    let begin = text.trim_ascii_start();
    begin.starts_with(b"<") && begin.get(1).is_some_and(u8::is_ascii_alphabetic)
}

/// The extension, in claims, of files whose name says nothing.
const ANY_EXTENSION: &str = "*";

impl std::fmt::Display for Reason {
    /// Writes the reason, as a continuation of "by".
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::FileName => f.write_str("its name"),
            Self::Extension(extension) => write!(f, "its extension `{extension}`"),
            Self::Claim(extension, pattern) => {
                let pattern = pattern.escape_debug();
                write!(f, "its extension `{extension}` and what it holds: `{pattern}`")
            }
            Self::Interpreter(name) => write!(f, "its first line, which names `{name}`"),
            Self::Beginning(pattern) => {
                write!(f, "what it begins with: `{}`", pattern.escape_debug())
            }
        }
    }
}

/// Further endings of files that hold, or are made into, what is named before: `a.c.in`.
const COPIES: [&str; 18] = [
    "backup", "bak", "copy", "default", "disabled", "dist", "example", "in", "new", "off", "old",
    "orig", "sample", "save", "skel", "src", "stub", "template",
];

/// All languages: the built-in ones and those a user adds.
#[derive(Debug, Default)]
pub struct Languages {
    rows: Vec<LanguageEntry>,
    by_extension: HashMap<String, usize>,
    by_file_name: HashMap<String, usize>,
    /// By prefix and suffix of a file name.
    by_pattern: Vec<(String, String, usize)>,
    by_shebang: HashMap<String, usize>,
    by_alias: HashMap<String, usize>,
    /// By id and by display name, in lower case with hyphens.
    by_name: OnceLock<HashMap<String, usize>>,
    /// For an ambiguous extension, the rows that claim it by content.
    claims: HashMap<String, Vec<usize>>,
    /// The extensions of templates.
    templates: HashSet<String>,
    digest: u64,
}

fn unknown(key: &'static str, name: &str) -> TableError {
    let why = format!("there is no language `{name}`; `secondhand languages` lists all");
    TableError::value(key, why)
}

/// The rows by id and display name; of two that are called the same, the first.
fn by_name(rows: &[LanguageEntry]) -> HashMap<String, usize> {
    let mut by_name = HashMap::new();
    for (number, row) in rows.iter().enumerate() {
        for name in [row.id.clone(), hyphened(&row.name)] {
            by_name.entry(name).or_insert(number);
        }
    }
    by_name
}

fn hyphened(name: &str) -> String {
    name.to_ascii_lowercase().replace(' ', "-")
}

#[derive(Debug, Default)]
struct LanguageEntry {
    id: String,
    name: String,
    /// The built-in table; `None` for a user's table, which has already been read.
    builtin: Option<&'static Builtin>,
    table: OnceLock<Arc<Table>>,
    /// The patterns of its claims, compiled when a file asks for them.
    patterns: OnceLock<Vec<OnceLock<Regex>>>,
    language: OnceLock<Language>,
    /// For a template, the languages with its code in them, by their rows.
    filled: OnceLock<Vec<OnceLock<Box<Language>>>>,
}

#[derive(Debug)]
struct Builtin {
    id: &'static str,
    name: &'static str,
    /// `None` if its files may contain other languages.
    family: Option<&'static str>,
    is_template: bool,
    toml: TableText,
    extensions: &'static [&'static str],
    claims: &'static [&'static str],
    file_names: &'static [&'static str],
    shebangs: &'static [&'static str],
    aliases: &'static [&'static str],
}

/// Where the text of a built-in table is: a range of an unpacked block.
#[derive(Debug, Clone, Copy)]
struct TableText {
    block: usize,
    start: usize,
    end: usize,
}

impl TableText {
    fn text(self) -> &'static str {
        static UNPACKED: [OnceLock<String>; BLOCKS.len()] =
            [const { OnceLock::new() }; BLOCKS.len()];
        &UNPACKED[self.block].get_or_init(|| unpack(BLOCKS[self.block]))[self.start..self.end]
    }
}

/// The texts of the built-in tables, some tables a block.
const BLOCKS: &[&[u8]] = &include!(concat!(env!("OUT_DIR"), "/blocks.rs"));

/// Written by `build.rs`, so that a run parses only the tables it needs.
static BUILTIN: &[Builtin] = include!(concat!(env!("OUT_DIR"), "/languages.rs"));

/// A digest of the built-in tables and of the code that uses them, computed by `build.rs`.
const DIGEST: u64 = include!(concat!(env!("OUT_DIR"), "/digest.rs"));
/// Number of bytes at the start of a file that are searched for the text of a claim.
const CLAIM_WITHIN: usize = 16 * 1024;
/// Maximum matches of a claim that count: one that is everywhere says no more than one that is
/// often.
const MAX_MATCHES: usize = 10;

impl Languages {
    /// The built-in languages. All who ask share what was made of their tables.
    pub fn builtin() -> &'static Arc<Self> {
        static ALL: LazyLock<Arc<Languages>> = LazyLock::new(|| Arc::new(Languages::extensible()));
        &ALL
    }

    /// The built-in languages, to which others can be added.
    pub fn extensible() -> Self {
        let mut languages = Self { digest: DIGEST, ..Self::default() };
        for builtin in BUILTIN {
            let row = languages.rows.len();
            let Builtin { extensions, file_names, shebangs, aliases, .. } = builtin;
            languages.own_names(row, [extensions, file_names, shebangs, aliases]);
            if builtin.is_template {
                languages.templates.extend(extensions.iter().map(|&of| of.to_owned()));
            }
            for extension in builtin.claims {
                languages.claims.entry((*extension).to_owned()).or_default().push(row);
            }
            languages.rows.push(LanguageEntry {
                id: builtin.id.to_owned(),
                name: builtin.name.to_owned(),
                builtin: Some(builtin),
                ..LanguageEntry::default()
            });
        }
        languages
    }

    /// Adds a table under `id`, or replaces the one with that name.
    ///
    /// # Errors
    /// If a value of the table is unusable.
    pub fn add(&mut self, id: &str, table: Table) -> Result<(), TableError> {
        check_names(&table)?;
        Lexer::new(&table)?;
        check_claims(&table)?;
        table.helper.as_ref().map(HelperPatterns::new).transpose()?;
        self.digest = hash::word(format!("{id} {table:?} {}", self.digest).as_bytes(), 0);
        Regions::new(&table)?;
        TestMarks::check(&table)?;
        let row = self.rows.iter().position(|row| row.id == id).unwrap_or(self.rows.len());
        for map in [
            &mut self.by_extension, &mut self.by_file_name, &mut self.by_shebang,
            &mut self.by_alias,
        ] {
            map.retain(|_, owner| *owner != row);
        }
        self.by_pattern.retain(|(.., owner)| *owner != row);
        let Table { extensions, file_names, shebangs, aliases, .. } = &table;
        self.own_names(row, [extensions, file_names, shebangs, aliases]);
        self.templates.retain(|extension| !extensions.contains(extension));
        if table.template {
            self.templates.extend(extensions.iter().cloned());
        }
        self.rows.iter_mut().for_each(|row| row.filled = OnceLock::new());
        self.by_name = OnceLock::new();
        for extension in table.claims.iter().flat_map(|claim| claim.extension.iter()) {
            let rows = self.claims.entry(extension.to_owned()).or_default();
            // Once, however many of its patterns claim it: each asks them all.
            if rows.first() != Some(&row) {
                rows.insert(0, row);
            }
        }
        let added = LanguageEntry {
            id: id.to_owned(),
            name: table.name.clone(),
            table: OnceLock::from(Arc::new(table)),
            ..LanguageEntry::default()
        };
        match self.rows.get_mut(row) {
            Some(old) => *old = added,
            None => self.rows.push(added),
        }
        Ok(())
    }

    /// Checks that the languages mentioned in the table `id` exist.
    ///
    /// # Errors
    /// [`TableError::Value`] names the key that mentions one that does not.
    pub fn check_references(&self, id: &str) -> Result<(), TableError> {
        let Some(table) = self.table(id) else { return Ok(()) };
        for (key, name) in [("around", &table.around), ("page", &table.page)] {
            if let Some(name) = name.as_deref().filter(|name| self.get(name).is_none()) {
                return Err(unknown(key, name));
            }
        }
        let strings = table.strings.iter().map(|row| ("strings", "holds", &row.holds)).enumerate();
        let imports = table.imports.iter().map(|row| ("imports", "holds", &row.holds)).enumerate();
        let regions = table.regions.iter().map(|row| ("regions", "language", &row.language));
        for (row, (list, key, name)) in strings.chain(imports).chain(regions.enumerate()) {
            if let Some(name) = name.as_deref().filter(|name| self.named(name).is_none()) {
                return Err(unknown(key, name).in_row(list, row));
            }
        }
        Ok(())
    }

    /// A digest of all that decides how a file is read: tables, including the user's, and code.
    /// Fingerprints with different digests are not comparable.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Has extensions, file names, interpreters and other names lead to a row.
    fn own_names<K: AsRef<str>>(&mut self, row: usize, keys: [&[K]; 4]) {
        let [extensions, file_names, shebangs, aliases] =
            keys.map(|keys| keys.iter().map(|key| key.as_ref().to_owned()));
        self.by_extension.extend(extensions.map(|key| (key, row)));
        self.by_shebang.extend(shebangs.map(|key| (key, row)));
        self.by_alias.extend(aliases.map(|key| (key, row)));
        for name in file_names {
            match name.split_once('*') {
                Some((before, after)) => {
                    self.by_pattern.push((before.to_owned(), after.to_owned(), row));
                }
                None => drop(self.by_file_name.insert(name, row)),
            }
        }
    }

    fn of_name(&self, name: &str) -> Option<usize> {
        if let Some(row) = self.by_file_name.get(name) {
            return Some(*row);
        }
        let pattern = self.by_pattern.iter().find(|(before, after, _)| {
            name.len() > before.len() + after.len()
                && name.starts_with(before.as_str())
                && name.ends_with(after.as_str())
        });
        pattern.map(|&(.., row)| row)
    }

    /// The language that owns an extension, in any case.
    fn owner(&self, extension: &str) -> Option<usize> {
        self.by_extension.get(&*lower(extension)).copied()
    }

    /// Whether a language owns or claims an extension, in any case.
    fn is_known(&self, extension: &str) -> bool {
        let extension = &*lower(extension);
        self.by_extension.contains_key(extension) || self.claims.contains_key(extension)
    }

    /// The name of what a file is a template or a copy of, `a.py` of `a.py.j2`, and the extension
    /// of the template; the whole name if it is neither. Time O(n^2) in the bytes of the name.
    fn inner<'n>(&self, whole: &'n str) -> (&'n str, Option<&'n str>) {
        if extensions(whole).any(|of| of.contains('.') && self.is_known(of)) {
            return (whole, None);
        }
        let (mut name, mut template, mut known) = (whole, None, None);
        while let Some((stem, ending)) = name.rsplit_once('.')
            && !stem.is_empty()
            && !self.by_file_name.contains_key(name)
        {
            let lower = &*lower(ending);
            if self.templates.contains(lower) {
                template = template.or(Some(ending));
            } else if self.owner(ending).is_some() || !COPIES.contains(&lower) {
                break;
            }
            known = known.or(self.is_known(ending).then_some(name));
            name = stem;
        }
        let is_named =
            || self.of_name(name).is_some() || extensions(name).any(|of| self.is_known(of));
        match known {
            Some(known) if !is_named() => (known, None),
            _ => (name, template),
        }
    }

    /// The language of a template of code in another one, each by its row.
    fn filled(&self, template: usize, code: usize) -> &Language {
        let [template, of_code] = [template, code].map(|row| &self.rows[row]);
        let table = template.table();
        if [&table.around, &table.page].iter().any(|of| of.as_ref() == Some(&of_code.id)) {
            return template.language();
        }
        if table.regions.is_empty() {
            return of_code.language();
        }
        let filled =
            template.filled.get_or_init(|| self.rows.iter().map(|_| OnceLock::new()).collect());
        filled[code].get_or_init(|| Box::new(of_code.language().filled_with(table)))
    }

    /// The language that people call `name`: a table, its display name in any case with spaces or
    /// hyphens, an extension, or an interpreter.
    pub fn named(&self, name: &str) -> Option<&Language> {
        let name = name.trim().to_ascii_lowercase();
        let row = (self.by_name.get_or_init(|| by_name(&self.rows)).get(&hyphened(&name)).copied())
            .or_else(|| self.by_alias.get(&name).copied())
            .or_else(|| self.by_extension.get(name.trim_start_matches('.')).copied())
            .or_else(|| self.by_shebang.get(without_version(&name)).copied())?;
        Some(self.rows[row].language())
    }

    /// The language that attributes give the file at `path` by `name`. A notebook stays one,
    /// whatever it counts as in statistics.
    pub fn attributed(&self, path: &FilePath, name: Option<&str>) -> Option<&Language> {
        let is_notebook = || self.promised(path).is_some_and(|promised| promised.is_notebook);
        self.named(name?).filter(|_| !is_notebook())
    }

    /// The ids of all languages, sorted.
    pub fn ids(&self) -> Vec<&str> {
        let mut ids: Vec<_> = self.rows.iter().map(|row| row.id.as_str()).collect();
        ids.sort_unstable();
        ids
    }

    /// The table named `id`.
    pub fn table(&self, id: &str) -> Option<&Table> {
        self.rows.iter().find(|row| row.id == id).map(|row| &**row.table())
    }

    /// The language named `id`.
    pub fn get(&self, id: &str) -> Option<&Language> {
        self.rows.iter().find(|row| row.id == id).map(LanguageEntry::language)
    }

    /// How the language of this display name opens and closes a comment: one to the end of the
    /// line, whose close is empty, if it has such. `None` if there is none of that name.
    pub fn comment(&self, name: &str) -> Option<(&str, &str)> {
        let comments = &self.table_of(name)?.comments;
        let best = comments.iter().min_by_key(|comment| comment.close.is_some())?;
        let close = best.close.as_ref().and_then(|close| close.iter().next());
        Some((best.open.iter().next()?, close.unwrap_or_default()))
    }

    /// How the language of this display name writes a function that two others call, if known.
    pub fn helper(&self, name: &str) -> Option<HelperPatterns> {
        let patterns = HelperPatterns::new(self.table_of(name)?.helper.as_ref()?);
        Some(patterns.expect("tables are checked when they are added, and by a test"))
    }

    fn table_of(&self, name: &str) -> Option<&Table> {
        self.rows.iter().find(|row| row.name == name).map(|row| &**row.table())
    }

    /// Whether a file with this name may be source; if not, it need not be read.
    ///
    /// A file without an extension may be a script, depending on its first line; a version is none.
    pub fn may_know(&self, path: &FilePath) -> bool {
        let name = path.name_lossy();
        let (name, template) = self.inner(&name);
        let is_version =
            |part: &str| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'v'));
        self.telling(name, template).next().is_some()
            || name.trim_start_matches('.').split('.').skip(1).all(is_version)
    }

    /// The part of a file name that decides the language, together with the text.
    pub fn telling_name(&self, path: &FilePath) -> String {
        let whole = path.name_lossy();
        let (name, template) = self.inner(&whole);
        let mut told = String::new();
        for part in self.telling(name, template) {
            told.extend([if told.is_empty() { "" } else { "/" }, &part]);
        }
        told
    }

    /// The language of the whole name, behind a slash, which no extension has; then the extensions
    /// that a language has.
    fn telling<'n>(
        &'n self,
        name: &'n str,
        template: Option<&'n str>,
    ) -> impl Iterator<Item = Cow<'n, str>> {
        let is_whole = self.by_file_name.contains_key(name);
        let of_name = self.of_name(name).map(|row| Cow::Owned(format!("/{}", self.rows[row].id)));
        let known = extensions(name).filter(move |of| !is_whole && self.is_known(of));
        of_name.into_iter().chain(known.chain(template).map(lower))
    }

    /// The language that a file name alone promises: that of the whole name, or the owner of its
    /// longest extension that has one. What languages only claim promises nothing.
    pub fn promised(&self, path: &FilePath) -> Option<&Language> {
        let whole = path.name_lossy();
        let (name, template) = self.inner(&whole);
        Some(self.language_of(self.promised_row(name)?, template))
    }

    /// The family of the language that a file name promises; `None` if it promises none, or one
    /// whose files may contain others. No table is read for it.
    pub fn promised_family(&self, path: &FilePath) -> Option<&str> {
        let whole = path.name_lossy();
        let (name, template) = self.inner(&whole);
        let row = &self.rows[self.promised_row(name).filter(|_| template.is_none())?];
        match row.builtin {
            Some(builtin) => builtin.family,
            None => Some(&*row.language().family).filter(|_| !row.language().is_host()),
        }
    }

    fn promised_row(&self, name: &str) -> Option<usize> {
        self.of_name(name).or_else(|| extensions(name).find_map(|of| self.owner(of)))
    }

    /// The language of a row, in a template with this extension if it is in one.
    fn language_of(&self, row: usize, template: Option<&str>) -> &Language {
        match template.and_then(|extension| self.owner(extension)) {
            Some(template) => self.filled(template, row),
            None => self.rows[row].language(),
        }
    }

    /// The languages that a file with this name may be in, whatever it holds: the promised one
    /// first, then those that claim one of its extensions, source before data.
    pub fn possible(&self, path: &FilePath) -> impl Iterator<Item = &Language> {
        let whole = path.name_lossy();
        let (name, template) = self.inner(&whole);
        let mut claimants = Vec::new();
        if self.of_name(name).is_none() {
            let rows = extensions(name).filter_map(|extension| self.claims.get(&*lower(extension)));
            claimants.extend(rows.flatten().map(|&row| self.language_of(row, template)));
            claimants.sort_by_key(|language| language.is_data);
        }
        let promised = self.promised(path);
        claimants.retain(|language| promised.is_none_or(|promised| promised.id != language.id));
        promised.into_iter().chain(claimants)
    }

    /// The language of the file `path` with the contents `text`: by the whole name; the longest
    /// extension, preferring a language for which the content says more than for its owner; the
    /// `#!` line; what the text begins with.
    pub fn identify(&self, path: &FilePath, text: &[u8]) -> Option<&Language> {
        self.identify_why(path, text).map(|(language, _)| language)
    }

    /// Like [`Self::identify`], with the reason.
    pub fn identify_why(&self, path: &FilePath, text: &[u8]) -> Option<(&Language, Reason)> {
        let whole = path.name_lossy();
        let (name, template) = self.inner(&whole);
        // A page of a profile, in `profile.ejs`, is no `profile` of a shell.
        let is_page =
            |of: &Reason| template.is_some() && *of == Reason::FileName && is_markup(text);
        let inner = self.identified(name, text).filter(|(_, reason)| !is_page(reason));
        let Some((row, reason)) = inner else {
            let (row, reason) = self.identified(&whole, text).filter(|_| template.is_some())?;
            return Some((self.rows[row].language(), reason));
        };
        if let Some(extension) = template {
            let template = self.identified_by_extension(extension, text);
            let language = template.map(|(template, _)| self.filled(template, row));
            return Some((language.unwrap_or_else(|| self.rows[row].language()), reason));
        }
        // A template that is named like no other file may begin like a script.
        if matches!(&reason, Reason::Extension(of) if self.templates.contains(of))
            && let Some((code, reason)) = self.identified_by_interpreter(text)
        {
            return Some((self.filled(row, code), reason));
        }
        Some((self.rows[row].language(), reason))
    }

    fn identified(&self, name: &str, text: &[u8]) -> Option<(usize, Reason)> {
        let by_name = self.identified_by_name(name, text).map(|row| (row, Reason::FileName));
        by_name
            .or_else(|| {
                let told =
                    extensions(name).find_map(|end| self.identified_by_extension(end, text))?;
                Some(self.script(&told, text).unwrap_or(told))
            })
            .or_else(|| self.identified_by_interpreter(text))
            .or_else(|| {
                let (row, pattern) = self.claimed(ANY_EXTENSION, text)?;
                Some((row, Reason::Beginning(pattern)))
            })
    }

    /// The language that a `#!` line tells, if no such line runs the one that the extension tells.
    fn script(&self, (row, reason): &(usize, Reason), text: &[u8]) -> Option<(usize, Reason)> {
        if !matches!(reason, Reason::Extension(_)) || !text.starts_with(b"#!") {
            return None;
        }
        let script = self.identified_by_interpreter(text)?;
        (!self.by_shebang.values().any(|of| of == row)).then_some(script)
    }

    fn identified_by_interpreter(&self, text: &[u8]) -> Option<(usize, Reason)> {
        interpreters(text).into_iter().find_map(|name| {
            let names = [&*name, without_version(&name)];
            let (known, row) = names.iter().find_map(|of| self.by_shebang.get_key_value(*of))?;
            Some((*row, Reason::Interpreter(known.clone())))
        })
    }

    fn identified_by_name(&self, name: &str, text: &[u8]) -> Option<usize> {
        let row = self.of_name(name)?;
        // A name of any ending, `Dockerfile.*`, is that of a script in another language, if the
        // ending says so and nothing in the text speaks for the name.
        let language = &self.rows[row];
        let is_of_other = !self.by_file_name.contains_key(name)
            && extensions(name).any(|ending| self.owner(ending).is_some())
            && !(0..language.table().claims.len()).any(|at| language.pattern(at).is_match(text));
        (!is_of_other).then_some(row)
    }

    fn identified_by_extension(&self, extension: &str, text: &[u8]) -> Option<(usize, Reason)> {
        let extension = extension.to_ascii_lowercase();
        if let Some((row, pattern)) = self.claimed(&extension, text) {
            return Some((row, Reason::Claim(extension, pattern)));
        }
        Some((self.owner(&extension)?, Reason::Extension(extension)))
    }

    /// The language for which the content of `text` speaks more than for the owner of `extension`,
    /// and the pattern that says most. Time O(n) for each claim.
    fn claimed(&self, extension: &str, text: &[u8]) -> Option<(usize, String)> {
        let text = &text[..text.len().min(CLAIM_WITHIN)];
        let claimants = self.claims.get(extension)?;
        let owner = self.by_extension.get(extension).copied();
        let weight_of = |evidence: Option<(i32, &str)>| evidence.map_or(0, |(weight, _)| weight);
        let mut spoken_for = claimants.clone();
        spoken_for.retain(|&row| {
            Some(row) != owner && weight_of(self.rows[row].evidence(extension, text, None)) > 0
        });
        if spoken_for.is_empty() {
            return None;
        }
        // What the owner takes for a comment or a part of a literal is no evidence; where nobody owns
        // the extension, what the language itself takes for one.
        let of_owner = owner.map(|row| self.rows[row].all_tokens(text));
        let for_owner =
            owner.and_then(|row| self.rows[row].evidence(extension, text, of_owner.as_deref()));
        let evidence = spoken_for.into_iter().filter_map(|row| {
            let own = of_owner.is_none().then(|| self.rows[row].all_tokens(text));
            let tokens = of_owner.as_deref().or(own.as_deref());
            Some((row, self.rows[row].evidence(extension, text, tokens)?))
        });
        // Of equals, the first.
        let (row, (weight, pattern)) = evidence.rev().max_by_key(|(_, (weight, _))| *weight)?;
        (weight > weight_of(for_owner).max(0)).then(|| (row, pattern.to_owned()))
    }
}

impl LanguageEntry {
    fn table(&self) -> &Arc<Table> {
        self.table.get_or_init(|| {
            let text = self.builtin.map_or("", |builtin| builtin.toml.text());
            Arc::new(Table::parse(text).expect("tests/it/languages.rs reads every table"))
        })
    }

    /// The tokens of a text in this language, also of what it imports.
    fn all_tokens(&self, text: &[u8]) -> Vec<Token> {
        let mut tokens = Vec::new();
        self.language().lexer.tokenize_imports_too(text, &mut tokens);
        tokens
    }

    fn pattern(&self, row: usize) -> &Regex {
        let claims = &self.table().claims;
        let patterns =
            self.patterns.get_or_init(|| claims.iter().map(|_| OnceLock::new()).collect());
        patterns[row].get_or_init(|| {
            compiled(&claims[row]).expect("`add` and tests/it/languages.rs compile every claim")
        })
    }

    /// What speaks for a file with `extension` being in this language, by matches at which one of
    /// `tokens` begins, or all: the sum of their weights, and the pattern whose matches weigh most.
    fn evidence(
        &self,
        extension: &str,
        text: &[u8],
        tokens: Option<&[Token]>,
    ) -> Option<(i32, &str)> {
        let mut sum = 0;
        let mut best: Option<(i32, &Claim)> = None;
        for (row, claim) in self.table().claims.iter().enumerate() {
            if !claim.extension.iter().any(|other| other == extension) {
                continue;
            }
            // What speaks against a language does so wherever it stands.
            let matches = self.pattern(row).find_iter(text).filter(|found| {
                claim.weight < 0 || tokens.is_none_or(|tokens| is_code(text, found.range(), tokens))
            });
            let weight = claim.weight * matches.take(MAX_MATCHES).count() as i32;
            sum += weight;
            if weight > best.map_or(0, |(most, _)| most) {
                best = Some((weight, claim));
            }
        }
        best.map(|(_, claim)| (sum, claim.pattern.as_str()))
    }

    fn language(&self) -> &Language {
        self.language.get_or_init(|| Language::new(&self.id, Arc::clone(self.table())))
    }
}

/// Whether the first text in `range` is that of a token, and does not begin inside of a literal.
/// What a file begins with is inside of nothing.
fn is_code(text: &[u8], range: Range<usize>, tokens: &[Token]) -> bool {
    if range.start == 0 {
        return true;
    }
    let blanks = text[range.clone()].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let first = (range.start + blanks) as u32;
    let before = tokens.partition_point(|token| token.start <= first);
    tokens[..before].last().is_some_and(|token| {
        first < token.end && (token.start == first || token.kind() != Kind::String)
    })
}

/// Checks the names that files are found by: one that could never match is a mistake.
fn check_names(table: &Table) -> Result<(), TableError> {
    table.extensions.iter().try_for_each(|name| check_extension("extensions", name))?;
    each_row("claims", &table.claims, |claim| {
        claim.extension.iter().try_for_each(|name| check_extension("extension", name))
    })?;
    for name in &table.file_names {
        if name.is_empty() || name.contains('/') || name.matches('*').count() > 1 {
            let why = format!("`{name}` is not a name with at most one `*`");
            return Err(TableError::value("file-names", why));
        }
    }
    Ok(())
}

fn check_extension(key: &'static str, name: &str) -> Result<(), TableError> {
    if name.starts_with('.') || name.is_empty() || name.chars().any(char::is_uppercase) {
        let why = format!("`{name}` is not an extension in lower case without its dot");
        return Err(TableError::value(key, why));
    }
    Ok(())
}

/// Maximum rows of claims of a table: each is searched for in every file with its extension.
const MAX_CLAIMS: usize = 100;
const MAX_WEIGHT: i32 = 100;
const MAX_PATTERN: usize = 1 << 20;

fn check_claims(table: &Table) -> Result<(), TableError> {
    if table.claims.len() > MAX_CLAIMS {
        return Err(TableError::value("claims", format!("they are more than {MAX_CLAIMS}")));
    }
    let checked = each_row("claims", &table.claims, |claim| {
        if claim.weight == 0 || claim.weight.abs() > MAX_WEIGHT {
            let why = format!("{} is 0 or not in -{MAX_WEIGHT} to {MAX_WEIGHT}", claim.weight);
            return Err(TableError::value("weight", why));
        }
        compiled(claim).map_err(|error| TableError::value("pattern", no_pattern(&error)))
    });
    checked.map(drop)
}

fn compiled(claim: &Claim) -> Result<Regex, regex::Error> {
    let mut builder = RegexBuilder::new(&claim.pattern);
    builder.multi_line(true).unicode(false).size_limit(MAX_PATTERN).build()
}

/// `extension` in lower case, which it nearly always is.
fn lower(extension: &str) -> Cow<'_, str> {
    match extension.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(extension.to_ascii_lowercase()),
        false => Cow::Borrowed(extension),
    }
}

/// The extensions of a file name, the longest first: `d.ts`, then `ts`.
fn extensions(name: &str) -> impl Iterator<Item = &str> {
    let name = name.trim_start_matches('.');
    memchr::memchr_iter(b'.', name.as_bytes()).map(move |at| &name[at + 1..])
}

/// The programs that a `#!` line names, without folders, the likeliest interpreter first: the one
/// that is run, then what may be run by that one: `env`, then `python3` of `env -S A=1 python3`. A
/// second line goes on if it names one of the first: of nix-shell, what is behind `-i`.
fn interpreters(text: &[u8]) -> Vec<String> {
    let words = |line: &[u8]| {
        let line = line.strip_prefix(b"#!").unwrap_or_default();
        let line = String::from_utf8_lossy(&line[..line.len().min(256)]);
        let word = |word: &str| word.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        line.split_whitespace().map(word).collect::<Vec<_>>()
    };
    let mut lines = text.split(|byte| matches!(byte, b'\n' | b'\r')).map(words);
    let [first, second] = [(); 2].map(|()| lines.next().unwrap_or_default());
    let is_more = second.first().is_some_and(|program| first.contains(program));
    let second = if is_more { second } else { Vec::new() };
    let called = second.iter().skip_while(|word| *word != "-i");
    let programs = first.iter().chain(called).chain(&second);
    let programs = programs.filter(|word| !word.starts_with('-') && !word.contains('='));
    programs.map(|name| name.trim_end_matches(".exe").to_owned()).collect()
}

/// Whether a text begins like a script for the program at some path.
pub fn is_script(text: &[u8]) -> bool {
    text.strip_prefix(b"#!").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"/"))
}

fn without_version(program: &str) -> &str {
    program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
}
