//! Reads what one file states about its own, its folder's and other files' licenses, by nothing but
//! its name and bytes.

use std::ops::Range;

use super::limits::is_limit_of_header;
use super::markup::{plain, without_rows, without_strings};
use super::passages::passages;
use super::tag::tags;
use super::text::Identity;
use super::{
    Expression, KnownTexts, License, Method, Scope, Statement, Words, manifest, readme, reference,
    reuse, text,
};
use crate::language::{Language, Languages};
use crate::text::{FilePath, decoded};

/// Files that license their parent directory: (directory, file name).
pub const LICENSING_PARENT: &[(&str, &str)] = &[("debian", "copyright"), (".reuse", "dep5")];

/// Whether a file with this name may make statements about other files' licenses.
pub fn is_relevant(path: &FilePath) -> bool {
    is_about_license(path) || readme::is_relevant(path)
}

/// Whether its name tells that a file makes such statements: most READMEs do not.
pub fn is_about_license(path: &FilePath) -> bool {
    let name = lower_name(path);
    is_license_text(path)
        || is_named_as_license(path)
        || name.ends_with(".license")
        || reuse::is_relevant(path)
        || reuse::is_debian(path)
        || manifest::is_relevant(&name)
}

/// The statements of a file about itself and, if it [`is_relevant`], about others.
pub(super) fn statements(path: &FilePath, bytes: &[u8], memory: &KnownTexts) -> Vec<Statement> {
    let name = lower_name(path);
    // Before the license texts: `debian/copyright` is named like one.
    if reuse::is_debian(path) {
        let parts = reuse::of_debian(bytes, 1);
        return if parts.is_empty() { in_free_form(path, bytes, memory) } else { parts };
    }
    if is_license_text(path) {
        let parts = reuse::of_debian(bytes, 0);
        if !parts.is_empty() {
            return parts;
        }
        return about_package(path, license_text(path, bytes, memory).into_iter().collect());
    }
    if is_named_as_license(path) {
        let text = memory.license(bytes).filter(|of| of.has_text && of.expression.is_some());
        return about_package(path, text.map(statement).into_iter().collect());
    }
    if let Some(of) = path.name().strip_suffix(b".license") {
        let (_, tags) = parted(bytes);
        return of_tags(&tags, Method::Sidecar, Scope::Sibling(of.to_vec())).into_iter().collect();
    }
    let head = bytes.len().min(HEADER);
    let parts = [0..head, head.max(bytes.len().saturating_sub(FOOTER))..bytes.len()];
    let stating = match is_source(path) {
        true => without_strings(bytes, parts),
        false => without_rows(bytes, parts),
    };
    let mut found = own(&stating, memory);
    if reuse::is_relevant(path) {
        found.extend(reuse::statements(bytes));
    } else if manifest::is_relevant(&name) {
        // A text with any name is not looked for by itself.
        found.extend(
            manifest::statement(&name, bytes)
                .map(|of| text_named(path, &of).map_or(of, |text| manifest::unread(&text)))
                .or_else(|| Some(manifest::unread(&named_text(path, bytes)?.path))),
        );
    } else if readme::is_relevant(path) {
        found.extend(readme::statement(bytes, memory));
    }
    about_package(path, found)
}

/// The license text beside a manifest that it names instead of a license, or by its address on the
/// Web.
fn text_named(path: &FilePath, stated: &Statement) -> Option<FilePath> {
    let name = match stated.written.split_once("://") {
        Some((_, address)) => address.rsplit_once('/')?.1,
        None => Some(&*stated.written).filter(|name| !name.contains([' ', '/']))?,
    };
    let text = FilePath::new([path.folder(), name.as_bytes()].concat());
    (stated.expression.is_none() && is_license_text(&text)).then_some(text)
}

/// A license text that a manifest names, and whose own name does not tell that it is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedText {
    /// Where it is.
    pub path: FilePath,
    /// The number of folders between the manifest and it.
    pub n_up: u8,
}

/// The license text that the manifest at `path` names, unless its name tells that by itself.
pub fn named_text(path: &FilePath, bytes: &[u8]) -> Option<NamedText> {
    let named = manifest::named_text(&lower_name(path), bytes)?;
    let named = FilePath::new([path.folder(), named.as_bytes()].concat());
    let n_up = named.depth().saturating_sub(path.depth()).min(usize::from(u8::MAX)) as u8;
    (!is_license_text(&named)).then_some(NamedText { path: named, n_up })
}

/// What a text states that a manifest names as the license of its folder.
pub(super) fn named(text: &NamedText, bytes: &[u8]) -> Vec<Statement> {
    let scope = if text.n_up == 0 { Scope::Folder } else { Scope::Above(text.n_up) };
    let statement = license_text(&text.path, bytes, &KnownTexts::default());
    statement.map(|of| Statement { scope, ..of }).into_iter().collect()
}

/// What Debian's `copyright` states in free form: of the package, and often of the packaging. So
/// what the package says itself counts first.
fn in_free_form(path: &FilePath, bytes: &[u8], memory: &KnownTexts) -> Vec<Statement> {
    let text = license_text(path, bytes, memory);
    let (method, scope) = (Method::Readme, Scope::Above(1));
    text.map(|of| Statement { method, scope, ..of }).into_iter().collect()
}

/// Some packages keep metadata and license texts in folders beside or in the code that they are
/// about.
fn about_package(path: &FilePath, mut statements: Vec<Statement>) -> Vec<Statement> {
    let mut folders = path.as_bytes().rsplit(|&byte| byte == b'/').skip(1);
    let n_up = match (folders.next(), folders.next()) {
        (Some(nearest), _) if is_metadata(nearest) => 1,
        // Erlang's applications.
        (Some(b"src"), _) if path.name().ends_with(b".app.src") => 1,
        (Some(b"licenses" | b"license_files"), Some(next)) if is_metadata(next) => 2,
        _ => return statements,
    };
    for statement in statements.iter_mut().filter(|of| of.scope == Scope::Folder) {
        statement.scope = Scope::Above(n_up);
    }
    statements
}

/// Whether a folder with this name holds the metadata of a package of Python.
fn is_metadata(folder: &[u8]) -> bool {
    let folder = folder.to_ascii_lowercase();
    folder.ends_with(b".dist-info") || folder.ends_with(b".egg-info") || folder == b"egg-info"
}

fn lower_name(path: &FilePath) -> String {
    path.name_lossy().to_lowercase()
}

/// Whether a file with this name is a license text.
fn is_license_text(path: &FilePath) -> bool {
    let name = lower_name(path);
    let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem);
    let begins = ["license", "licence", "copying", "unlicense", "mit-license", "copyright"];
    let ends = ["-license", "_license", "-licence", ".license"];
    // Of what a project depends on, and of none of its own files.
    let is_of_others = ["third", "3rd", "dependenc"].iter().any(|of| name.contains(of));
    !name.ends_with(".license")
        && !is_of_others
        && (begins.iter().any(|begin| name.starts_with(begin))
            || ends.iter().any(|end| stem.ends_with(end)))
        && is_document(path)
}

/// Whether a document has the name of a license, as `gpl-2.0.txt` has: a license text if it reads
/// as one.
fn is_named_as_license(path: &FilePath) -> bool {
    let name = lower_name(path);
    let version = name.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(name.len());
    let family = name[..version].trim_end_matches(['v', '-', '_', ' ']);
    License::is_family(family) && is_document(path)
}

/// Whether a file with this name is a document: of no language, or of one that may contain code.
/// `License.gd.uid` is data beside a source file.
fn is_document(path: &FilePath) -> bool {
    let bytes = path.as_bytes();
    let is_beside = |dot: usize| is_source(&FilePath::new(&bytes[..dot]));
    match promised(path) {
        Some(language) => language.is_host() && !is_source(path),
        None => bytes.ends_with(b".txt") || !memchr::memrchr(b'.', bytes).is_some_and(is_beside),
    }
}

/// Whether a file with this name is source: of a language, and neither data nor a page.
pub fn is_source(path: &FilePath) -> bool {
    promised(path).is_some_and(|of| !of.is_data && !of.is_page)
}

/// The language that a file name alone promises.
fn promised(path: &FilePath) -> Option<&'static Language> {
    Languages::builtin().promised(path)
}

/// Minimum words of a file called "copyright", without the notices, that states terms: fewer send
/// the reader elsewhere.
const MIN_TERMS: usize = 5;

fn license_text(path: &FilePath, bytes: &[u8], memory: &KnownTexts) -> Option<Statement> {
    // REUSE keeps all texts in a folder with this name: no statement about any file.
    if path.as_bytes().rsplit(|&byte| byte == b'/').nth(1) == Some(b"LICENSES") {
        return None;
    }
    // A picture of that name, or an archive.
    let is_known = decoded(bytes).is_ok();
    if !is_known && !has_document_name(path) {
        return None;
    }
    let tagged = parted(bytes).1.into_iter().find(|tag| tag.expression.is_some());
    // An unknown text is evidence too: it requires something.
    let is_notice = lower_name(path).starts_with("copyright");
    if is_notice && Words::new(bytes, 1).n_words() < MIN_TERMS {
        return None;
    }
    let why = if is_known { "" } else { "no text, or in an unknown encoding" };
    let mut found = memory.license(bytes).unwrap_or(Identity {
        expression: None,
        line: 1,
        written: why.to_owned(),
        has_text: false,
    });
    if let Some(tag) = tagged
        && match (&found.expression, &tag.expression) {
            (Some(text), Some(tag)) => tag.agrees_with(text, false),
            _ => !found.has_text && is_of_whole(&tag, bytes),
        }
    {
        (found.expression, found.line, found.written) = (tag.expression, tag.line, String::new());
    }
    Some(statement(found))
}

/// Whether a file that is no text may be a document by its name.
fn has_document_name(path: &FilePath) -> bool {
    let name = lower_name(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["", "txt", "md", "pdf", "rtf", "doc", "docx", "odt", "ps"].contains(&extension)
}

fn statement(text: Identity) -> Statement {
    let Identity { expression, line, written, .. } = text;
    Statement { method: Method::Text, scope: Scope::Folder, line, expression, written }
}

/// Whether a tag is about all of a text that is not understood: it comes first, but for a sentence
/// that introduces it, and nothing limits it. Behind other terms it is about a part.
fn is_of_whole(tag: &Statement, text: &[u8]) -> bool {
    let words = Words::new(text, 1);
    let sentences = words.sentences(0..words.n_words());
    let n_before = sentences.iter().filter(|of| {
        words.line_of(of.start) < tag.line && !words.of(Range::clone(of)).contains("copyright")
    });
    let mut sentences = sentences.iter().map(|of| words.of(of.clone()));
    n_before.count() <= 1 && !sentences.any(is_limit_of_header)
}

/// The tags of snippets, and those of the file.
fn parted(bytes: &[u8]) -> (Vec<Statement>, Vec<Statement>) {
    tags(bytes).into_iter().partition(|tag| tag.scope != Scope::File)
}

/// What tags state at once, since each of them applies: unknown if one of them is.
fn of_tags(tags: &[Statement], method: Method, scope: Scope) -> Option<Statement> {
    let line = tags.first()?.line;
    let expression = Expression::all_known(tags.iter().map(|tag| tag.expression.clone()));
    let written = tags.iter().map(|tag| tag.written.as_str()).collect::<Vec<_>>().join(", ");
    Some(Statement { method, scope, line, expression, written })
}

/// Bytes at the start of a file that are searched for its license header.
const HEADER: usize = 8 * 1024;
/// Those at its end that are, too, where some single-file libraries put it.
const FOOTER: usize = 4 * 1024;
/// Bytes that are searched if what may be a license goes on behind the header.
const WHOLE: usize = 200 * 1024;

fn own(bytes: &[u8], memory: &KnownTexts) -> Vec<Statement> {
    let (snippets, tags) = parted(bytes);
    let mut found: Vec<Statement> = of_tags(&tags, Method::Tag, Scope::File).into_iter().collect();
    found.extend(snippets);
    // What a tag says of the whole file needs no more words at its end.
    let foot = if tags.is_empty() { bytes.len().saturating_sub(FOOTER) } else { bytes.len() };
    if let Some(Identity { expression, line, written, .. }) = header(bytes, foot, memory) {
        let (method, scope) = (Method::Header, Scope::File);
        found.push(Statement { method, scope, line, expression, written });
    }
    if !found.iter().any(|of| of.scope == Scope::File) {
        found.extend(reference::statements(bytes));
    }
    found
}

/// The license that the beginning of a file and its foot, from this offset on, state; `None` if
/// they state none.
fn header(bytes: &[u8], foot: usize, memory: &KnownTexts) -> Option<Identity> {
    let found = by_passages(bytes, foot, memory);
    if found.as_ref().is_none_or(|of| of.expression.is_some()) {
        return found;
    }
    let head = &bytes[..bytes.len().min(HEADER)];
    let foot = foot.max(head.len());
    let ends = text::header(ends(head, bytes, foot)).filter(|of| of.expression.is_some());
    if ends.is_some() || bytes.len() <= HEADER {
        return ends.or(found);
    }
    let whole = text::header(Words::new(&bytes[..bytes.len().min(WHOLE)], 1));
    whole.filter(|of| of.expression.is_some()).or(found)
}

/// The words of the head of a file and of its foot, which begins at this offset.
fn ends(head: &[u8], bytes: &[u8], foot: usize) -> Words {
    let mut words = Words::new(head, 1);
    if foot < bytes.len() {
        words.append(&Words::new(&bytes[foot..], line_at(bytes, foot)));
    }
    words
}

fn line_at(bytes: &[u8], offset: usize) -> u32 {
    memchr::memchr_iter(b'\n', &bytes[..offset]).count() as u32 + 1
}

/// What each passage states by itself; between several, something may join them.
fn by_passages(bytes: &[u8], foot: usize, memory: &KnownTexts) -> Option<Identity> {
    let mut head = plain(&bytes[..bytes.len().min(HEADER)]);
    let mut parts = passages(&head);
    if let Some(cut) = parts.pop_if(|of| of.end == head.len() && bytes.len() > HEADER) {
        // A whole license text may be in a file with any name.
        head = plain(&bytes[..bytes.len().min(WHOLE)]);
        let longer = passages(&head[cut.start..]).into_iter().next();
        parts.extend(longer.map(|of| cut.start + of.start..cut.start + of.end));
    }
    let mut stated = stated(&head, 1, &parts, memory);
    let behind = parts.last().map_or(0, |of| of.end).max(HEADER).min(bytes.len());
    let foot = foot.max(behind);
    let line = line_at(bytes, foot);
    stated.extend(self::stated(&bytes[foot..], line, &passages(&bytes[foot..]), memory));
    if stated.len() < 2 {
        return stated.pop();
    }
    let unknown = stated.into_iter().find(|of| of.expression.is_none());
    unknown.or_else(|| text::header(ends(&head, bytes, foot)))
}

fn stated(
    text: &[u8],
    first_line: u32,
    parts: &[Range<usize>],
    memory: &KnownTexts,
) -> Vec<Identity> {
    let mut found = Vec::new();
    let (mut line, mut at) = (first_line, 0);
    for part in parts {
        line += memchr::memchr_iter(b'\n', &text[at..part.start]).count() as u32;
        at = part.start;
        if let Some(identity) = memory.header(&text[part.clone()]) {
            found.push(Identity { line: line + identity.line - 1, ..identity });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn license_texts_are_known_by_their_names() {
        let is_text = |name: &str| is_license_text(&FilePath::new(name));
        for name in [
            "LICENSE", "License.txt", "COPYING.LESSER", "licence.md", "LICENSE-MIT", "UNLICENSE",
            "MIT-LICENSE", "foo-LICENSE", "COPYING.LIB", "LICENSE.apache", "COPYING.rst",
            "license.html", "LICENSE.1", "LICENSE.pdf",
        ] {
            assert!(is_text(name), "{name}");
        }
        for name in [
            "license.rs",
            "license_audit.py",
            "NOTICE",
            "README.md",
            "x.png.license",
            "Copyright.php",
            "license.pas",
            "License.kt",
            "user_license.proto",
            "my_license.m",
            "licenses.json",
            "license.xml",
            "LICENSE.txt.erb",
            "LicensePage.gd.uid",
            "LICENSE-3rdparty.csv",
            "LICENSE.third-party",
            "LICENSE-dependencies.md",
        ] {
            assert!(!is_text(name), "{name}");
        }
    }

    #[test]
    fn a_document_named_as_a_license_states_it_only_if_it_is_its_text() {
        let stated = |name: &str, text: &str| {
            let (path, text) = (FilePath::new(name), text.as_bytes());
            assert!(is_relevant(&path), "{name}");
            statements(&path, text, &KnownTexts::default()).pop()?.expression
        };
        let mit = crate::license::tests::text("MIT");
        for name in ["mit.txt", "GPLv3.md", "gpl-2.0.md", "LGPL-2.1", "bsd-3-clause.txt"] {
            assert_eq!(stated(name, &mit), Expression::parse_spdx("MIT"), "{name}");
            assert_eq!(stated(name, "On the MIT license.\n"), None, "{name}");
        }
        for name in ["mit.c", "README.txt", "limit.txt", "gpl_check.py"] {
            assert!(!is_about_license(&FilePath::new(name)), "{name}");
        }
    }

    #[test]
    fn what_debian_writes_in_free_form_counts_behind_what_the_package_says() {
        let text = "This package was debianized by Example.\n\nUpstream author: Example\n\nIt is licensed under the MIT license.\n";
        let found =
            statements(&FilePath::new("debian/copyright"), text.as_bytes(), &KnownTexts::default());
        assert_eq!(found[0].expression, Expression::parse_spdx("MIT"));
        assert_eq!((found[0].method, &found[0].scope), (Method::Readme, &Scope::Above(1)));
    }

    #[test]
    fn a_license_at_the_end_of_a_file_counts() {
        let mut text = "int x;\n".repeat(4_000);
        text.push_str("/* This software is in the public domain. */\n");
        let found = own(text.as_bytes(), &KnownTexts::default());
        assert_eq!(found[0].expression, Expression::parse_spdx("LicenseRef-public-domain"));
        assert_eq!(found[0].line, 4_001);

        // A tag is about all of the file.
        let found = own(
            format!("// SPDX-License-Identifier: MIT\n\n{text}").as_bytes(),
            &KnownTexts::default(),
        );
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].method, Method::Tag);
    }

    #[test]
    fn what_strings_and_the_first_line_of_a_script_hold_is_no_license() {
        let memory = KnownTexts::default();
        let stated = |name: &str, text: &str| {
            let found = statements(&FilePath::new(name), text.as_bytes(), &memory);
            found.into_iter().find_map(|of| Some(of.expression?.to_string()))
        };
        for code in [
            "args = [\"--license\", \"GPL-3.0\"]",
            "assert of.license == 'GPL-3.0'",
            "s->license = \"AGPL-3.0-only\";",
            "LICENSES = [\n  \"GPL-3.0\",\n]",
        ] {
            assert_eq!(stated("a.py", code), None, "{code}");
        }
        for text in [
            "__license__ = \"MIT\"",
            "\"\"\"License: MIT\"\"\"",
            "# Under the \"MIT\" license.",
            "#!/usr/bin/env python\n# Copyright 2020 A\n# Licensed under the MIT license.",
        ] {
            assert_eq!(stated("a.py", text).as_deref(), Some("MIT"), "{text}");
        }
        assert_eq!(stated("copyright", "Copyright 2020 A\n\nSee LICENSE.\n"), None);
        let row = "| zlib | Zlib license | yes |\n";
        assert_eq!(stated("building.md", row), None);
    }

    #[test]
    fn a_remark_in_another_comment_limits_no_license() {
        let is_known =
            |text: &str| own(text.as_bytes(), &KnownTexts::default())[0].expression.is_some();
        let license = "This file is released under the MIT license.";
        for (remark, limits) in [
            ("This API should only be used for testing, as it determines nothing.", false),
            ("This file may not be used for military purposes.", true),
        ] {
            let text = format!("// {license}\n\n// {remark}\nint x;\n");
            assert_eq!(is_known(&text), !limits, "{remark}");
        }
        let remark = "You may not use it for research.";
        for text in [
            format!("// {license}\n//\n// {remark}\nint x;\n"),
            format!("/* {license}\n\n   {remark} */\nint x;\n"),
            format!("# {remark}\n#\n# {license}\nx = 1\n"),
        ] {
            assert!(!is_known(&text), "{text}");
        }
        assert!(is_known(&format!("/* {license} */\n\nint x; // {remark}\n")));
    }

    #[test]
    fn statements_survive_a_cache() {
        let before = own(b"// SPDX-License-Identifier: GPL-2.0+\n", &KnownTexts::default());
        let text = serde_json::to_string(&before).expect("statements can be written");
        assert_eq!(serde_json::from_str::<Vec<Statement>>(&text).expect("and read"), before);
    }
}
