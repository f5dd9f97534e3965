//! Combines the statements of a component, and answers for each of its files.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::manifest::unread;
use super::markup::{in_utf8, plain, unmarked};
use super::read::{named, statements};
use super::statement::as_text;
use super::{
    Expression, KnownTexts, Method, NamedText, Scope, Statement, copyright_lines, is_relevant,
    named_text,
};
use crate::text::FilePath;

/// What is known about the licenses of a component: a package, a repository, a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Licenses {
    /// Statements about folders, by folder.
    folders: BTreeMap<Vec<u8>, Vec<LicenseEvidence>>,
    files: BTreeMap<FilePath, Vec<LicenseEvidence>>,
    /// Statements about files by patterns, with the folder they begin at.
    patterns: Vec<(Vec<u8>, LicenseEvidence)>,
    /// The copyright notices of license texts and these, by folder.
    notices: BTreeMap<Vec<u8>, Vec<String>>,
    texts: BTreeMap<Vec<u8>, Vec<String>>,
}

/// Which file a header of the one at a path means by a name, and what that states about itself.
pub type Refer<'r> = dyn Fn(&FilePath, &str) -> Option<(FilePath, LicensingInfo)> + 'r;

/// What one file states about licenses and copyright; depends only on its name and bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct LicensingInfo {
    /// Its statements about licenses.
    pub statements: Vec<Statement>,
    /// Its copyright notices.
    pub notices: Vec<String>,
    /// The file itself, if it is a license text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Maximum bytes of a license text to keep: the longest in SPDX has 90,000.
const MAX_TEXT: usize = 100_000;

/// Whether the file that states this is a license text.
fn is_of_text(statement: &Statement) -> bool {
    matches!(statement.method, Method::Text | Method::Debian)
}

impl LicensingInfo {
    /// The statements and notices of the file at `path`.
    pub fn new(path: &FilePath, bytes: &[u8]) -> Self {
        Self::remembered(path, bytes, &KnownTexts::default())
    }

    /// The same; what several files have in common is read once.
    pub fn remembered(path: &FilePath, bytes: &[u8], memory: &KnownTexts) -> Self {
        let bytes = &unmarked(bytes);
        Self::with(statements(path, bytes, memory), bytes)
    }

    /// The same for a text that a manifest names as the license of its folder.
    pub fn of_named(text: &NamedText, bytes: &[u8]) -> Self {
        let bytes = &unmarked(bytes);
        Self::with(named(text, bytes), bytes)
    }

    fn with(statements: Vec<Statement>, bytes: &[u8]) -> Self {
        let is_text = statements.iter().any(is_of_text);
        // A source file may hold the marks of HTML as code.
        let bytes = if is_text { plain(bytes) } else { Cow::Borrowed(bytes) };
        let text = (is_text && bytes.len() <= MAX_TEXT).then(|| in_utf8(&bytes).into_owned());
        let notices = owed(copyright_lines(&bytes), &statements);
        Self { statements, notices, text }
    }

    /// Whether it states nothing.
    pub fn is_empty(&self) -> bool {
        self.statements.is_empty() && self.notices.is_empty()
    }

    /// Whether it sends the reader to another file.
    pub fn refers(&self) -> bool {
        self.statements.iter().any(|of| of.method == Method::Reference)
    }
}

/// A statement, and the file that makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LicenseEvidence {
    /// The file.
    pub path: FilePath,
    /// What it says.
    pub statement: Statement,
}

/// The license of a file or component, with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identification {
    /// The license; `None` if unknown.
    pub expression: Option<Expression>,
    /// What says so, the strongest first.
    pub evidence: Vec<LicenseEvidence>,
    /// What says otherwise, of the same scope as that which counted.
    pub contradictions: Vec<LicenseEvidence>,
    /// Parts of the file that have licenses of their own.
    pub snippets: Vec<LicensedLines>,
    /// The copyright notices that apply: those of the file, or else of the nearest license text.
    pub notices: Vec<String>,
}

/// Lines of a file with their own license.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LicensedLines {
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
    /// The license; `None` if unknown.
    #[serde(with = "as_text")]
    pub license: Option<Expression>,
    /// The evidence in words.
    pub evidence: String,
}

impl Licenses {
    /// Reads the files of a component for which [`is_relevant`] is true, and skips the others.
    pub fn new<'f>(files: impl IntoIterator<Item = (&'f FilePath, &'f [u8])>) -> Self {
        let mut licenses = Self::default();
        for (path, bytes) in files.into_iter().filter(|(path, _)| is_relevant(path)) {
            licenses.add(path, &LicensingInfo::new(path, bytes));
        }
        licenses
    }

    /// Adds what the file at `path` states about others.
    pub fn add(&mut self, path: &FilePath, info: &LicensingInfo) {
        if let Some(statement) = info.statements.iter().find(|of| is_of_text(of)) {
            let n_up = if let Scope::Above(n_up) = statement.scope { n_up } else { 0 };
            let folder = above(path, n_up).to_vec();
            if !info.notices.is_empty() {
                self.notices.entry(folder.clone()).or_default().extend(info.notices.clone());
            }
            self.texts.entry(folder).or_default().extend(info.text.clone());
        }
        for statement in &info.statements {
            let evidence = LicenseEvidence::new(path, statement.clone());
            match &statement.scope {
                // Statements about the file itself are evaluated lazily, in `of_info`.
                Scope::File | Scope::Lines(..) => {}
                Scope::Folder => self.add_to_folder(above(path, 0), evidence),
                &Scope::Above(n_up) => self.add_to_folder(above(path, n_up), evidence),
                Scope::Sibling(name) => {
                    let sibling = FilePath::joined(above(path, 0), name);
                    self.files.entry(sibling).or_default().push(evidence);
                }
                &Scope::Paths { n_up, .. } => {
                    self.patterns.push((above(path, n_up).to_vec(), evidence));
                }
            }
        }
    }

    /// Adds the file at `path`; of a manifest, also the license text that it names, by `read`.
    pub fn add_with_named(
        &mut self,
        path: &FilePath,
        bytes: &[u8],
        read: impl FnOnce(&FilePath) -> Option<Vec<u8>>,
    ) {
        let bytes = &unmarked(bytes);
        self.add(path, &LicensingInfo::new(path, bytes));
        let Some(text) = named_text(path, bytes) else { return };
        if let Some(bytes) = read(&text.path) {
            self.add(&text.path, &LicensingInfo::of_named(&text, &bytes));
        }
    }

    /// Whether the license of a file may depend on its name besides its folder and statements.
    pub fn is_by_name(&self) -> bool {
        !self.files.is_empty() || !self.patterns.is_empty()
    }

    fn add_to_folder(&mut self, folder: &[u8], evidence: LicenseEvidence) {
        self.folders.entry(folder.to_vec()).or_default().push(evidence);
    }

    /// Declares that all files in `folder` (empty for the root) have the license `written`.
    pub fn declare(&mut self, folder: &FilePath, written: &str) {
        let (method, scope, written) = (Method::Declared, Scope::Folder, written.to_owned());
        let expression = Expression::parse(&written);
        let statement = Statement { method, scope, line: 1, expression, written };
        self.add_to_folder(folder.as_bytes(), LicenseEvidence::new(folder, statement));
    }

    /// The license of the component as a whole: what is stated at its root.
    pub fn component(&self) -> Identification {
        let said = self.folders.get(&b""[..]).cloned().unwrap_or_default();
        let (declared, found) =
            said.into_iter().partition(|of| of.statement.method == Method::Declared);
        let notices = self.notices.get(&b""[..]).cloned().unwrap_or_default();
        Identification { notices, ..Identification::of(found).declared(declared) }
    }

    /// The license texts at the root of the component.
    pub fn texts(&self) -> &[String] {
        self.texts.get(&b""[..]).map_or(&[], Vec::as_slice)
    }

    /// The license of the file at `path`, which states this.
    pub fn of_info(
        &self,
        path: &FilePath,
        info: &LicensingInfo,
        refer: &Refer<'_>,
    ) -> Identification {
        let mut folders = folders_above(path.as_bytes());
        let above = || folders.find_map(|folder| self.notices.get(folder));
        let notices = Some(&info.notices).filter(|own| !own.is_empty()).or_else(above);
        let notices = notices.cloned().unwrap_or_default();
        Identification { notices, ..self.of_statements(path, info.statements.clone(), refer) }
    }

    fn of_statements(
        &self,
        path: &FilePath,
        statements: Vec<Statement>,
        refer: &Refer<'_>,
    ) -> Identification {
        let (mut about_file, mut snippets, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for statement in statements {
            match statement.scope {
                Scope::File if statement.method == Method::Reference => {
                    names.push(statement.written);
                }
                Scope::File => about_file.push(LicenseEvidence::new(path, statement)),
                Scope::Lines(first, last) => {
                    let license = statement.expression.clone();
                    let evidence = LicenseEvidence::new(path, statement).describe();
                    snippets.push(LicensedLines { first, last, license, evidence });
                }
                _ => {}
            }
        }
        about_file.extend(self.files.get(path).into_iter().flatten().cloned());
        let [overriding, mut stated] = self.stated_for(path);
        let added = stated.pop_if(|of| {
            of.statement.method == Method::ReuseAggregate
                && !about_file.is_empty()
                && overriding.is_empty()
        });
        // The nearest scope with a statement overrides those around it.
        let declared = self.above(path, |method| method == Method::Declared);
        let around = self.above(path, |method| method != Method::Declared);
        // "Governed by a BSD-style license that can be found in the LICENSE file."
        let named: Vec<Expression> =
            about_file.iter().filter_map(|of| of.license().cloned()).collect();
        let texts = around.iter().filter(|of| named.iter().any(|named| of.refines(named)));
        about_file.extend(texts.cloned());
        // A license text that also applies to the folder adds nothing to what the folder says.
        let asked = if about_file.is_empty() { names } else { Vec::new() };
        let meant = asked.iter().filter_map(|name| refer(path, name));
        let mut stating = meant.map(|(of, info)| referred(&of, info)).filter(|of| !of.is_empty());
        let (texts, referred): (Vec<_>, Vec<_>) =
            stating.next().unwrap_or_default().into_iter().partition(LicenseEvidence::is_text);
        let scopes = [overriding, about_file, referred, stated, around, texts];
        let counting = scopes.into_iter().find(|scope| !scope.is_empty()).unwrap_or_default();
        let found = Identification::of(counting).and(added);
        Identification { snippets, ..found.declared(declared) }
    }

    /// What patterns say of a file: overriding statements, of which that farthest above counts, and
    /// others, of which the nearest does; of one file with patterns, the last that matches.
    fn stated_for(&self, path: &FilePath) -> [Vec<LicenseEvidence>; 2] {
        let matching = self.patterns.iter().filter(|(from, evidence)| {
            path.below(from).is_some_and(|rest| evidence.statement.scope.has_path(rest))
        });
        let (overriding, stated): (Vec<_>, Vec<_>) =
            matching.partition(|(_, of)| of.statement.method == Method::ReuseOverride);
        let overriding = overriding.into_iter().rev().min_by_key(|(from, _)| from.len());
        let stated = stated.into_iter().max_by_key(|(from, _)| from.len());
        [overriding, stated]
            .map(|of| of.into_iter().map(|(_, evidence)| evidence.clone()).collect())
    }

    /// What is said in the nearest folder, the file's own or one above it, that says anything.
    fn above(&self, path: &FilePath, is_meant: impl Fn(Method) -> bool) -> Vec<LicenseEvidence> {
        let mut said = folders_above(path.as_bytes()).map(|folder| -> Vec<LicenseEvidence> {
            let said = self.folders.get(folder).into_iter().flatten();
            said.filter(|of| is_meant(of.statement.method)).cloned().collect()
        });
        said.find(|said| !said.is_empty()).unwrap_or_default()
    }
}

impl LicenseEvidence {
    fn new(path: &FilePath, statement: Statement) -> Self {
        Self { path: path.clone(), statement }
    }

    fn license(&self) -> Option<&Expression> {
        self.statement.expression.as_ref()
    }

    fn is_text(&self) -> bool {
        self.statement.method == Method::Text
    }

    /// Whether this is a text of nothing but a license, in a version.
    fn is_text_of(&self, base: &str) -> bool {
        let mut licenses = self.license().into_iter().flat_map(Expression::licenses).peekable();
        self.is_text() && licenses.peek().is_some() && licenses.all(|of| of.base() == base)
    }

    /// Whether this is a text of a license of a family that `chosen` only names.
    fn refines(&self, chosen: &Expression) -> bool {
        self.is_text() && self.license().is_some_and(|exact| chosen.refined(&[exact]) != *chosen)
    }

    /// In words: how, where, and what it says.
    pub fn describe(&self) -> String {
        let Statement { method, line, .. } = &self.statement;
        match method {
            Method::Declared => method.describe().to_owned(),
            // What a file states about itself.
            Method::Tag | Method::Header => format!("{}, line {line}", method.describe()),
            _ => format!("{} ({}:{line})", method.describe(), self.path),
        }
    }

    /// In words, with the license that it names.
    pub fn statement_in_words(&self) -> String {
        format!("{} says {}", self.describe(), self.says())
    }

    /// The license it names; if that is unknown, what was written.
    fn says(&self) -> String {
        let Statement { expression, written, .. } = &self.statement;
        match expression {
            Some(expression) => expression.to_string(),
            None if written.is_empty() => "an unknown license".to_owned(),
            None => format!("\"{}\", which is unknown", crate::text::printable(written.as_bytes())),
        }
    }
}

impl Identification {
    /// The same with a license that applies, too; unknown if either is.
    fn and(self, added: Option<LicenseEvidence>) -> Self {
        let Some(added) = added else { return self };
        let expression =
            Expression::all_known([self.expression, added.statement.expression.clone()]);
        let mut evidence = self.evidence;
        evidence.push(added);
        Self { expression, evidence, ..self }
    }

    /// Weighs what is said in one scope.
    fn of(mut evidence: Vec<LicenseEvidence>) -> Self {
        let texts = evidence.iter().filter(|of| of.is_text());
        let read: Vec<String> = texts.map(|of| unread(&of.path).written).collect();
        evidence.retain(|of| {
            of.statement.method != Method::Manifest || !read.contains(&of.statement.written)
        });
        if evidence.iter().any(|of| of.statement.method != Method::Readme) {
            evidence.retain(|of| of.statement.method != Method::Readme);
        }
        // A text does not tell "only" from "or later"; a grant beside it does.
        let texts = evidence.iter().filter(|of| of.is_text());
        let texts: Vec<Expression> =
            texts.filter_map(|of| of.statement.expression.clone()).collect();
        evidence.retain(|of| {
            let text = of.statement.expression.as_ref().filter(|_| of.is_text());
            !text.is_some_and(|text| text.is_later_among(&texts))
        });
        // The LGPL 3.0 incorporates the GPL, whose text has to be next to it: both are one license.
        let is_lesser = evidence.iter().any(|of| of.is_text_of("LGPL-3.0"));
        let is_incorporated = |of: &LicenseEvidence| is_lesser && of.is_text_of("GPL-3.0");
        let order = |of: &LicenseEvidence| (of.statement.method, is_incorporated(of));
        evidence.sort_by(|a, b| (order(a), &a.path).cmp(&(order(b), &b.path)));
        let Some(first) = evidence.iter().find(|of| of.license().is_some()) else {
            return Self { evidence, ..Self::default() };
        };
        let method =
            if is_denied_by_text(first, &evidence) { Method::Text } else { first.statement.method };
        let mut same: Vec<_> = evidence.iter().filter(|of| of.statement.method == method).collect();
        if method == Method::Text {
            same.retain(|of| !is_incorporated(of));
            same = owing_texts(same);
        }
        let is_all_known = method != Method::Text || same.iter().all(|of| of.license().is_some());
        let n_counting = if method == Method::Text { usize::MAX } else { 1 };
        let expressions = same.iter().filter_map(|of| of.license().cloned()).take(n_counting);
        let join = if is_choice_of_texts(&same) { Expression::any } else { Expression::all };
        let expression = join(expressions);
        let Some(mut chosen) = expression else { return Self { evidence, ..Self::default() } };
        // "License :: OSI Approved :: BSD License" names a family; the text beside it says which.
        let refining = evidence.iter().filter(|of| of.refines(&chosen));
        let exact: Vec<&Expression> = refining.filter_map(LicenseEvidence::license).collect();
        let refined = chosen.refined(&exact);
        if refined != chosen {
            let at = evidence.iter().position(|of| of.refines(&chosen)).unwrap_or(0);
            evidence[..=at].rotate_right(1);
            chosen = refined;
        }
        let (contradictions, evidence) = evidence.iter().cloned().partition(|of| {
            let tells_later = method.tells_later() && of.statement.method.tells_later();
            // An unknown text next to a known one may add to it or restrict it.
            match of.license() {
                _ if is_incorporated(of) => false,
                // Beside a list of files and their licenses are the texts of these.
                _ if method == Method::Debian && of.is_text() => false,
                Some(other) => !chosen.agrees_with(other, tells_later),
                None => !of.is_text() || !is_all_known,
            }
        });
        Self { expression: Some(chosen), evidence, contradictions, ..Self::default() }
    }

    /// What was `declared` counts, where anything was; what was found and says otherwise is kept.
    fn declared(self, declared: Vec<LicenseEvidence>) -> Self {
        if declared.is_empty() {
            return self;
        }
        let said = Self::of(declared);
        let found = self.evidence.into_iter().chain(self.contradictions);
        let contradictions = found.filter(|of| {
            let tells_later = of.statement.method.tells_later();
            of.license().is_some_and(|found| {
                let said = said.expression.as_ref();
                said.is_none_or(|said| !said.agrees_with(found, tells_later))
            })
        });
        Self { contradictions: contradictions.collect(), ..said }
    }

    /// How it was found, such as "license text (COPYING:1)"; if unknown, what is known of it.
    pub fn found_by(&self) -> Option<String> {
        match self.evidence.iter().find(|of| of.license().is_some()) {
            Some(known) => Some(known.describe()),
            None => self.evidence.first().map(LicenseEvidence::statement_in_words),
        }
    }
}

/// The notices without those of a license's writers: FSF owns the GPL, and not what is under it.
fn owed(mut notices: Vec<String>, statements: &[Statement]) -> Vec<String> {
    let texts = statements.iter().filter(|of| of.method == Method::Text);
    let licenses = texts.filter_map(|of| of.expression.as_ref()).flat_map(Expression::licenses);
    let writers = licenses.filter_map(|license| match license.family() {
        "AGPL" | "GFDL" | "GPL" | "LGPL" => Some("Free Software Foundation"),
        "WTFPL" => Some("Sam Hocevar"),
        _ => None,
    });
    let writers: Vec<&str> = writers.collect();
    notices.retain(|notice| !writers.iter().any(|name| notice.contains(name)));
    notices
}

/// What the file at `path` states, as evidence for a file that refers to it.
fn referred(path: &FilePath, info: LicensingInfo) -> Vec<LicenseEvidence> {
    let known = info.statements.into_iter().filter(|of| of.expression.is_some());
    let meant = known.filter(|of| of.method == Method::Text || of.scope == Scope::File);
    let told = meant.map(|of| match of.method {
        Method::Text => of,
        _ => Statement { method: Method::Reference, ..of },
    });
    told.map(|of| LicenseEvidence::new(path, of)).collect()
}

/// The paths that the file at `path` may mean by `name`: next to it, then in each folder above.
pub fn meant_by(path: &FilePath, name: &str) -> Vec<FilePath> {
    let mut rest = name.as_bytes();
    let mut from = parent(path.as_bytes());
    loop {
        if let Some(below) = rest.strip_prefix(b"../") {
            (rest, from) = (below, from.and_then(parent));
        } else if let Some(below) = rest.strip_prefix(b"./") {
            rest = below;
        } else {
            break;
        }
    }
    let folders = std::iter::successors(from, |folder| parent(folder));
    folders.map(|folder| FilePath::joined(folder, rest)).collect()
}

/// Whether no license text beside a manifest says what that does, or one offers what that lists.
fn is_denied_by_text(manifest: &LicenseEvidence, evidence: &[LicenseEvidence]) -> bool {
    let Some(said) = manifest.license() else { return false };
    let texts = evidence.iter().filter(|of| of.is_text());
    let read: Vec<&Expression> = texts.filter_map(LicenseEvidence::license).collect();
    manifest.statement.method == Method::Manifest
        && !read.is_empty()
        && (!read.iter().any(|text| said.agrees_with(text, false))
            || read.iter().any(|text| text.offers(said)))
}

/// Those of the license texts of a folder that are a duty: all of them, unless one says how.
fn owing_texts(mut texts: Vec<&LicenseEvidence>) -> Vec<&LicenseEvidence> {
    // The text of a license that another text offers as a choice is no duty.
    let offers: Vec<&Expression> =
        texts.iter().filter_map(|of| of.license()).filter(|of| of.is_choice()).collect();
    texts.retain(|of| {
        of.license().is_none_or(|license| {
            license.is_choice()
                || !offers.iter().any(|of| of.refined(&[license]).is_edition_of(license))
        })
    });
    texts
}

/// Whether license texts are a choice by their names, as Rust's `LICENSE-APACHE`, `LICENSE-MIT`.
fn is_choice_of_texts(texts: &[&LicenseEvidence]) -> bool {
    texts.len() == 2
        && [("Apache-2.0", "apache"), ("MIT", "mit")].iter().all(|(id, name)| {
            texts.iter().any(|of| {
                let file = of.path.name_lossy().to_ascii_lowercase();
                of.license().is_some_and(|of| of.to_string() == *id)
                    && file.split(['-', '_', '.']).any(|part| part.starts_with(name))
            })
        })
}

/// The folder of a path; `None` for the root itself.
fn parent(path: &[u8]) -> Option<&[u8]> {
    let end = memchr::memrchr(b'/', path).or((!path.is_empty()).then_some(0))?;
    Some(&path[..end])
}

fn folders_above(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::successors(parent(path), |folder| parent(folder))
}

/// The folder `n_up` levels above that of the file at `path`.
fn above(path: &FilePath, n_up: u8) -> &[u8] {
    (0..=n_up).fold(path.as_bytes(), |at, _| parent(at).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::license::tests::{MIT, text};

    const GPL: &str = "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\n";

    #[track_caller]
    fn check(files: &[(&str, &str)], path: &str, expected: &str) -> Identification {
        let files: Vec<_> =
            files.iter().map(|(path, text)| (FilePath::new(*path), text.as_bytes())).collect();
        let bytes_at = |path: &FilePath| Some(files.iter().find(|(other, _)| other == path)?.1);
        let info = |at: FilePath| Some((at.clone(), LicensingInfo::new(&at, bytes_at(&at)?)));
        let refer = |of: &FilePath, name: &str| meant_by(of, name).into_iter().find_map(info);
        let licenses = Licenses::new(files.iter().map(|(path, bytes)| (path, *bytes)));
        let path = FilePath::new(path);
        let own = info(path.clone()).map(|(_, info)| info).unwrap_or_default();
        let found = licenses.of_info(&path, &own, &refer);
        let license = found.expression.as_ref().map_or("unknown".to_owned(), ToString::to_string);
        assert_eq!(license, expected);
        found
    }

    #[track_caller]
    fn check_found_by(found: &Identification, expected: &str) {
        assert_eq!(found.found_by().as_deref(), Some(expected));
    }

    #[test]
    fn the_nearest_license_counts() {
        let files = [("LICENSE", MIT), ("vendor/x/COPYING", GPL), ("vendor/x/a.c", "int a;")];
        check(&files, "src/b.c", "MIT");
        let found = check(&files, "vendor/x/a.c", "GPL-3.0-only");
        check_found_by(&found, "license text (vendor/x/COPYING:1)");
        check(&[("a.c", "int a;")], "a.c", "unknown");
    }

    #[test]
    fn what_a_file_says_of_itself_outranks_its_folder() {
        let tagged = "// SPDX-License-Identifier: Apache-2.0\n";
        let found = check(&[("LICENSE", MIT), ("a.c", tagged)], "a.c", "Apache-2.0");
        assert_eq!(found.contradictions, []);
        let sidecar = ("a.png.license", "SPDX-License-Identifier: CC0-1.0");
        check(&[("LICENSE", MIT), sidecar], "a.png", "CC0-1.0");
        let reuse = "[[annotations]]\npath = \"lib/**\"\nSPDX-License-Identifier = \"ISC\"\n";
        check(&[("REUSE.toml", reuse), ("LICENSE", MIT)], "lib/x/a.c", "ISC");
        check(&[("REUSE.toml", reuse), ("lib/a.c", tagged)], "lib/a.c", "Apache-2.0");
        let over = reuse.replace("SPDX", "precedence = \"override\"\nSPDX");
        check(&[("REUSE.toml", &over), ("lib/a.c", tagged)], "lib/a.c", "ISC");
        let both = reuse.replace("SPDX", "precedence = \"aggregate\"\nSPDX");
        check(&[("REUSE.toml", &both), ("lib/a.c", tagged)], "lib/a.c", "Apache-2.0 AND ISC");
        check(&[("REUSE.toml", &both), ("LICENSE", MIT)], "lib/a.c", "ISC");
        let dep5 = "Format: x\n\nFiles: *\nLicense: GPL-2\n\nFiles: lib/*\nLicense: Expat\n";
        check(&[("debian/copyright", dep5)], "lib/x/a.c", "MIT");
        check(&[("debian/copyright", dep5)], "src/a.c", "GPL-2.0-only");
        check(&[(".reuse/dep5", dep5)], "src/a.c", "GPL-2.0-only");
        let faulty = reuse.replace("]]", "]");
        check(&[("REUSE.toml", &faulty), ("LICENSE", MIT)], "lib/a.c", "unknown");
    }

    #[test]
    fn texts_in_one_folder_all_apply_unless_a_manifest_says_how() {
        let apache = "Apache License\nVersion 2.0, January 2004\n";
        check(&[("LICENSE", apache), ("COPYING", MIT)], "a.rs", "MIT AND Apache-2.0");
        let files = [("LICENSE-APACHE", apache), ("LICENSE-MIT", MIT), ("COPYING", GPL)];
        check(&files, "a.rs", "GPL-3.0-only AND Apache-2.0 AND MIT");
        for (of_apache, of_mit) in [
            ("LICENSE-APACHE", "LICENSE-MIT.txt"),
            ("LICENSE.Apache-2.0", "LICENSE.MIT"),
            ("COPYING.APACHE", "COPYING.MIT"),
            ("LICENCE_APACHE2.md", "LICENCE_MIT.md"),
            ("APACHE-LICENSE", "MIT-LICENSE"),
        ] {
            check(&[(of_apache, apache), (of_mit, MIT)], "a.rs", "Apache-2.0 OR MIT");
        }
        // A name is no license, and other licenses are beside each other for their parts.
        let files = [("LICENSE-APACHE", apache), ("LICENSE-MIT", GPL)];
        check(&files, "a.rs", "Apache-2.0 AND GPL-3.0-only");
        check(&[("LICENSE-GPL", GPL), ("LICENSE-MIT", MIT)], "a.rs", "GPL-3.0-only AND MIT");
        // What one text offers is no duty of another.
        let offer =
            "Licensed under either of Apache License, Version 2.0 or MIT license at your option.\n";
        let files = [("COPYRIGHT", offer), ("LICENSE-APACHE", apache), ("LICENSE-MIT", MIT)];
        check(&files, "a.rs", "Apache-2.0 OR MIT");
        let files = [("COPYRIGHT", offer), ("LICENSE-MIT", MIT), ("LICENSE-GPL", GPL)];
        check(&files, "a.rs", "(Apache-2.0 OR MIT) AND GPL-3.0-only");
        let manifest = "[package]\nlicense = \"MIT OR Apache-2.0\"\n";
        let files = [("LICENSE-APACHE", apache), ("LICENSE-MIT", MIT), ("Cargo.toml", manifest)];
        assert_eq!(check(&files, "a.rs", "MIT OR Apache-2.0").contradictions, []);
        let lesser = "GNU LESSER GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\n";
        check(&[("COPYING", GPL), ("COPYING.LESSER", lesser)], "a.c", "LGPL-3.0-only");
        check(&[("LICENSE", "Ask the moon, and use this on Tuesdays only.")], "a.c", "unknown");
    }

    #[test]
    fn the_metadata_of_a_wheel_licenses_the_code_next_to_it() {
        let metadata =
            |text: &str| format!("Metadata-Version: 2.4\nName: x\n{text}\n\nLicense: GPL\n");
        let expression = metadata("License-Expression: MIT\nLicense-File: LICENSE.txt");
        check(&[("x-1.0.dist-info/METADATA", &expression)], "x/a.py", "MIT");
        let classified = metadata("Classifier: License :: OSI Approved :: Apache Software License");
        check(&[("x-1.0.dist-info/METADATA", &classified)], "x/a.py", "Apache-2.0");
        let file = metadata("License-File: LICENSE.txt");
        let files =
            [("x-1.0.dist-info/METADATA", &*file), ("x-1.0.dist-info/licenses/LICENSE.txt", GPL)];
        let found = check(&files, "x.py", "GPL-3.0-only");
        check_found_by(&found, "license text (x-1.0.dist-info/licenses/LICENSE.txt:1)");
        check(&[("src/x.egg-info/PKG-INFO", &expression)], "src/x/a.py", "MIT");
    }

    #[test]
    fn a_manifest_names_the_text_of_its_folder() {
        for (named, text) in [
            ("SEE LICENSE IN terms.txt", "x/terms.txt"),
            ("see license in ./legal/eula.md", "x/legal/eula.md"),
        ] {
            let manifest = format!("{{\"license\": \"{named}\"}}");
            let read = |path: &FilePath| {
                assert_eq!(path.to_string(), text);
                Some(MIT.as_bytes().to_vec())
            };
            let (mut licenses, path) = (Licenses::default(), FilePath::new("x/package.json"));
            licenses.add_with_named(&path, manifest.as_bytes(), read);
            let (path, own) = (FilePath::new("x/src/a.js"), LicensingInfo::default());
            let found = licenses.of_info(&path, &own, &|_, _| None);
            assert_eq!(found.expression, Expression::parse("MIT"));
        }
        // Until it is read, nothing else counts without a doubt.
        let manifest = r#"{"license": "SEE LICENSE IN eula.md"}"#;
        let found = check(&[("package.json", manifest)], "a.js", "unknown");
        let unknown = "package manifest (package.json:1) says \"see eula.md\", which is unknown";
        check_found_by(&found, unknown);
        let found = check(&[("package.json", manifest), ("LICENSE", MIT)], "a.js", "MIT");
        assert_eq!(found.contradictions.len(), 1);
    }

    #[test]
    fn a_family_that_a_manifest_names_is_refined_by_the_text_beside_it() {
        let metadata = "Metadata-Version: 2.1\nName: x\nClassifier: License :: OSI Approved :: GNU General Public License (GPL)\n";
        let files = [("x.dist-info/METADATA", metadata), ("x.dist-info/COPYING", GPL)];
        let found = check(&files, "x/a.py", "GPL-3.0-only");
        check_found_by(&found, "license text (x.dist-info/COPYING:1)");
        assert_eq!(found.contradictions, []);
        // A text of another family is no refinement: it counts by itself.
        let files = [("x.dist-info/METADATA", metadata), ("x.dist-info/COPYING", MIT)];
        assert_eq!(check(&files, "x/a.py", "MIT").contradictions.len(), 1);
    }

    #[test]
    fn a_family_that_a_header_names_is_refined_by_the_text_above_it() {
        let header = "// Governed by a BSD-style license, which is in the LICENSE file.\nint x;\n";
        let (three, two) = (text("BSD-3-Clause"), text("BSD-2-Clause"));
        let bsd = [("LICENSE", &three[..]), ("a/x.c", header)];
        check_found_by(&check(&bsd, "a/x.c", "BSD-3-Clause"), "license text (LICENSE:1)");
        // Of two it may be either, and another family refines nothing.
        check(&[bsd[0], ("COPYING", &two), bsd[1]], "a/x.c", "LicenseRef-BSD");
        check(&[("LICENSE", MIT), bsd[1]], "a/x.c", "LicenseRef-BSD");
    }

    #[test]
    fn classifiers_cannot_say_that_they_are_a_choice_as_a_text_does() {
        let metadata = "Metadata-Version: 2.1\nName: x\nClassifier: License :: OSI Approved :: Apache Software License\nClassifier: License :: OSI Approved :: BSD License\n";
        let either = "This is available under the terms of either of the licenses found in LICENSE.APACHE or LICENSE.BSD.\n";
        let (apache, bsd) = (text("Apache-2.0"), text("BSD-2-Clause"));
        let files = [
            ("PKG-INFO", metadata),
            ("LICENSE", either),
            ("LICENSE.APACHE", &apache),
            ("LICENSE.BSD", &bsd),
        ];
        check(&files, "x.py", "Apache-2.0 OR BSD-2-Clause");
        check(&files[..1], "x.py", "Apache-2.0 AND LicenseRef-BSD");
    }

    #[test]
    fn the_writers_of_a_license_are_owed_nothing_for_what_is_under_it() {
        let text = format!(
            "Copyright (c) 2020 Example\n{GPL}Copyright (C) 2007 Free Software Foundation, Inc.\n"
        );
        let info = LicensingInfo::new(&FilePath::new("COPYING"), text.as_bytes());
        assert_eq!(info.notices, ["Copyright (c) 2020 Example"]);
        let own = b"/* Copyright (C) 2007 Free Software Foundation, Inc. */";
        assert_eq!(LicensingInfo::new(&FilePath::new("a.c"), own).notices.len(), 1);
    }
}
