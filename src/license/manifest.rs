//! Reads licenses from package manifests, each of which is a row of [`MANIFESTS`].

use roxmltree::{Document, Node};
use serde_json::Value;

use super::limits::is_limit;
use super::{Expression, Method, Scope, Statement};
use crate::text::{FilePath, MAX_WRITTEN};

/// Maximum licenses of a list.
const MAX_NAMES: usize = 8;

/// The licenses named in a manifest, and whether one of several may be chosen.
struct ManifestLicenses {
    names: Vec<String>,
    is_choice: bool,
}

impl ManifestLicenses {
    fn one(name: impl Into<String>) -> Option<Self> {
        let name = name.into().trim().to_owned();
        (!name.is_empty()).then(|| Self { names: vec![name], is_choice: false })
    }

    fn many(names: Vec<String>, is_choice: bool) -> Option<Self> {
        (!names.is_empty()).then_some(Self { names, is_choice })
    }

    fn expression(&self) -> Option<Expression> {
        let known: Option<Vec<Expression>> =
            self.names.iter().map(|name| Expression::parse(name)).collect();
        known.and_then(if self.is_choice { Expression::any } else { Expression::all })
    }
}

type ReadManifest = fn(&str) -> Option<ManifestLicenses>;

/// The names of manifests in lower case, those with a point as ends of names, and what reads each.
const MANIFESTS: &[(&str, ReadManifest)] = &[
    ("cargo.toml", cargo),
    ("pyproject.toml", pyproject),
    ("setup.cfg", setup_cfg),
    ("setup.py", setup_py),
    ("pkg-info", python_metadata),
    ("metadata", python_metadata),
    ("package.json", package_json),
    ("bower.json", package_json),
    ("haxelib.json", package_json),
    ("vcpkg.json", package_json),
    ("dub.json", package_json),
    ("deno.json", package_json),
    ("jsr.json", package_json),
    ("elm.json", package_json),
    ("library.json", package_json),
    ("dub.sdl", |text| ManifestLicenses::one(quoted(behind(text, "license ").next()?).pop()?)),
    ("shard.yml", |text| field(text, "license")),
    ("package.yaml", |text| field(text, "license")),
    ("idf_component.yml", |text| field(text, "license")),
    ("meta6.json", package_json),
    // Of a citation, whose software has the license.
    ("citation.cff", |text| items(text, "license")),
    ("codemeta.json", package_json),
    // Of collections of Ansible, modules of Puppet, recipes of conda, snaps and packages of ROS.
    ("galaxy.yml", |text| items(text, "license")),
    ("metadata.json", package_json),
    ("meta.yaml", |text| field(text, "license")),
    ("snapcraft.yaml", |text| field(text, "license")),
    ("package.xml", ros),
    ("v.mod", |text| listed(text, "license")),
    ("fpm.toml", |text| listed(text, "license")),
    ("alire.toml", |text| listed(text, "licenses")),
    ("typst.toml", |text| listed(text, "license")),
    ("dune-project", |text| {
        let name = text.split_once("(license ")?.1.split(')').next()?;
        ManifestLicenses::one(name.trim().trim_matches('"'))
    }),
    // Several licenses are a choice, as defined by composer.
    ("composer.json", package_json),
    ("meta.json", cpan),
    ("meta.yml", |text| cpan_name(&field(text, "license")?.names[0])),
    ("makefile.pl", perl_build),
    ("build.pl", perl_build),
    ("dist.ini", |text| cpan_name(&field(text, "license")?.names[0])),
    ("pom.xml", pom),
    (".pom", pom),
    (".nuspec", nuspec),
    (".csproj", csproj),
    (".fsproj", csproj),
    ("directory.build.props", csproj),
    ("build.gradle", gradle),
    ("build.gradle.kts", gradle),
    ("mix.exs", |text| listed(text, "licenses")),
    (".gemspec", gemspec),
    (".podspec", gemspec),
    (".podspec.json", package_json),
    (".cabal", |text| field(text, "license")),
    ("description", |text| field(text, "license")),
    ("opam", |text| listed(text, "license")),
    (".opam", |text| listed(text, "license")),
    (".nimble", |text| listed(text, "license")),
    (".rockspec", |text| listed(text, "license")),
    ("meson.build", |text| listed(text, "license")),
    ("conanfile.py", |text| listed(text, "license")),
    ("gleam.toml", |text| listed(text, "licences")),
    (".spec", |text| field(text, "license")),
    ("project.clj", |text| {
        let mut names = quoted(text.split_once(":license")?.1.split('}').next()?).into_iter();
        ManifestLicenses::one(exact([names.next(), names.next()])?)
    }),
    (".app.src", |text| {
        let list = text.split_once("{licenses,")?.1.split(']').next()?;
        ManifestLicenses::many(quoted(list), false)
    }),
];

/// Whether a file with this name, in lower case, is a manifest.
pub(super) fn is_relevant(name: &str) -> bool {
    manifest(name).is_some()
}

/// The row of a manifest with this name.
fn manifest(name: &str) -> Option<(&'static str, ReadManifest)> {
    let mut rows = MANIFESTS.iter().copied();
    rows.find(|(end, _)| name == *end || end.starts_with('.') && name.ends_with(end))
}

/// What a manifest states about its folder.
pub(super) fn statement(name: &str, bytes: &[u8]) -> Option<Statement> {
    if bytes.len() > MAX_WRITTEN as usize {
        return None;
    }
    let text = String::from_utf8_lossy(bytes);
    let licenses = (manifest(name)?.1)(&text)?;
    let at = text.lines().position(|line| line.to_lowercase().contains("licen"));
    let line = at.map_or(1, |at| at as u32 + 1);
    let (expression, written) = (licenses.expression(), licenses.names.join(", "));
    // "SEE LICENSE IN ..." points to the text, which is read on its own.
    let is_pointer = expression.is_none() && written.to_lowercase().contains("see ");
    let (method, scope) = (Method::Manifest, Scope::Folder);
    (!is_pointer).then_some(Statement { method, scope, line, expression, written })
}

/// What a manifest states that names the text at `path`, until that is read.
pub(super) fn unread(path: &FilePath) -> Statement {
    let (method, scope) = (Method::Manifest, Scope::Folder);
    Statement { method, scope, line: 1, expression: None, written: format!("see {path}") }
}

/// The license text that a manifest names, as a path from its folder.
pub(super) fn named_text(name: &str, bytes: &[u8]) -> Option<String> {
    let (manifest, _) = manifest(name)?;
    let text = String::from_utf8_lossy(bytes.get(..MAX_WRITTEN as usize).unwrap_or(bytes));
    let named = match manifest {
        "cargo.toml" => in_toml(&text, &["package", "license-file"])
            .or_else(|| in_toml(&text, &["workspace", "package", "license-file"])),
        "pyproject.toml" => in_toml(&text, &["project", "license", "file"])
            .or_else(|| in_toml(&text, &["project", "license-files"])),
        "package.json" | "bower.json" => {
            let package: Value = serde_json::from_str(&text).ok()?;
            let license = package.get("license")?.as_str()?.trim();
            let at = license.to_ascii_uppercase().find("LICENSE IN ")?;
            Some(license[at + "LICENSE IN ".len()..].to_owned())
        }
        ".csproj" | ".fsproj" | "directory.build.props" => in_project(&text, "PackageLicenseFile"),
        ".podspec" => {
            let (_, license) = value_of(&text, "license").next()?.split_once('{')?;
            assigned(license, "file")?.into_iter().next()
        }
        ".nuspec" => {
            let document = Document::parse(&text).ok()?;
            let license = element(&document, "license")?;
            license.text().filter(|_| license.attribute("type") == Some("file")).map(str::to_owned)
        }
        ".cabal" | "pkg-info" | "metadata" => field(&text, "license-file")?.names.pop(),
        "setup.cfg" => {
            let named = field(&text, "license_file").or_else(|| field(&text, "license_files"))?;
            named.names[0].split_whitespace().next().map(str::to_owned)
        }
        // R writes "MIT + file LICENSE".
        "description" => {
            let value = text.lines().find_map(|line| line.strip_prefix("License:"))?;
            Some(value.split_once("file ")?.1.to_owned())
        }
        _ => None,
    };
    let path = named?.trim().trim_start_matches("./").replace('\\', "/");
    let is_path = is_name(&path) && !path.is_empty() && !path.contains(['*', '[']);
    is_path.then_some(path)
}

/// A text in TOML by its keys.
fn in_toml(text: &str, keys: &[&str]) -> Option<String> {
    let table = toml::Value::Table(text.parse().ok()?);
    let value = value_at(&table, keys)?;
    value.as_str().or_else(|| value.get(0)?.as_str()).map(str::to_owned)
}

fn value_at<'t>(table: &'t toml::Value, keys: &[&str]) -> Option<&'t toml::Value> {
    keys.iter().try_fold(table, |value, key| value.get(key))
}

fn cargo(text: &str) -> Option<ManifestLicenses> {
    let table = toml::Value::Table(text.parse().ok()?);
    let keys = [&["package", "license"][..], &["workspace", "package", "license"]];
    ManifestLicenses::one(keys.iter().find_map(|keys| value_at(&table, keys)?.as_str())?)
}

fn pyproject(text: &str) -> Option<ManifestLicenses> {
    let table = toml::Value::Table(text.parse().ok()?);
    let license = value_at(&table, &["project", "license"]);
    let named = license.and_then(toml::Value::as_str).or_else(|| license?.get("text")?.as_str());
    let of_poetry = value_at(&table, &["tool", "poetry", "license"]).and_then(toml::Value::as_str);
    let names: Vec<String> = named.into_iter().chain(of_poetry).map(str::to_owned).collect();
    if !names.is_empty() && names.iter().all(|name| is_name(name)) {
        return ManifestLicenses::many(names, false);
    }
    let classifiers = value_at(&table, &["project", "classifiers"]).and_then(toml::Value::as_array);
    classified(classifiers.into_iter().flatten().filter_map(toml::Value::as_str))
}

/// Whether this is a name rather than a whole license text.
fn is_name(text: &str) -> bool {
    text.len() < 200 && text.trim().lines().count() == 1
}

/// The licenses in Python's classifiers: `License :: OSI Approved :: MIT License`.
fn classified<'t>(classifiers: impl Iterator<Item = &'t str>) -> Option<ManifestLicenses> {
    let licenses =
        classifiers.filter_map(|classifier| classifier.trim().strip_prefix("License :: "));
    let names = licenses.map(|name| name.rsplit(" :: ").next().unwrap_or(name));
    let names = names.filter(|name| *name != "OSI Approved").map(str::to_owned);
    ManifestLicenses::many(names.collect(), false)
}

fn setup_cfg(text: &str) -> Option<ManifestLicenses> {
    let named = field(text, "license").filter(|of| is_name(&of.names[0]));
    with_classifiers(named, classified(text.lines()))
}

/// What is named, and the classifiers where they say something else.
fn with_classifiers(
    named: Option<ManifestLicenses>,
    classified: Option<ManifestLicenses>,
) -> Option<ManifestLicenses> {
    match (named, classified) {
        (Some(mut named), Some(classified)) => {
            if let (Some(a), Some(b)) = (named.expression(), classified.expression())
                && !b.licenses().all(|of| {
                    Expression::parse_spdx(&of.to_string())
                        .is_some_and(|of| a.agrees_with(&of, false))
                })
            {
                named.names.extend(classified.names);
            }
            Some(named)
        }
        (named, classified) => named.or(classified),
    }
}

/// `license="MIT"`, or the classifiers, in a call of `setup`.
fn setup_py(text: &str) -> Option<ManifestLicenses> {
    let named = assigned(text, "license").and_then(|names| names.into_iter().next());
    let named = named.filter(|name| is_name(name)).and_then(ManifestLicenses::one);
    with_classifiers(named, classified(text.split(['"', '\''])))
}

fn python_metadata(text: &str) -> Option<ManifestLicenses> {
    let head = text.split("\n\n").next().unwrap_or_default();
    if let Some(expression) = behind(head, "License-Expression:").next() {
        return ManifestLicenses::one(expression);
    }
    let license = behind(head, "License:").next();
    license
        .filter(|name| is_name(name) && Expression::parse(name).is_some())
        .and_then(ManifestLicenses::one)
        .or_else(|| classified(behind(head, "Classifier:")))
        .or_else(|| ManifestLicenses::one(license.filter(|name| *name != "UNKNOWN")?))
}

/// What is behind a key at the beginning of a line.
fn behind<'t>(text: &'t str, key: &str) -> impl Iterator<Item = &'t str> {
    text.lines().filter_map(move |line| line.strip_prefix(key)).map(str::trim)
}

fn package_json(text: &str) -> Option<ManifestLicenses> {
    let package: Value = serde_json::from_str(text).ok()?;
    match (package.get("license"), package.get("licenses")) {
        (Some(Value::Array(several)), None) | (None, Some(Value::Array(several))) => {
            ManifestLicenses::many(several.iter().map(name_in_json).collect(), true)
        }
        (Some(one), None) | (None, Some(one)) => ManifestLicenses::one(name_in_json(one)),
        (Some(one), Some(other)) => {
            let choices = [one, other].map(|value| match value {
                Value::Array(several) => {
                    several.iter().map(name_in_json).collect::<Vec<_>>().join(" OR ")
                }
                one => name_in_json(one),
            });
            ManifestLicenses::many(choices.to_vec(), false)
        }
        (None, None) => None,
    }
}

/// The name of a license, or all that is said of it if that is more than a name.
fn name_in_json(value: &Value) -> String {
    let is_usual = value.as_object().is_some_and(|object| {
        object.keys().all(|key| ["type", "name", "url", "file"].contains(&key.as_str()))
    });
    let name = value.get("type").or_else(|| value.get("name")).filter(|_| is_usual);
    let name = name.unwrap_or(value).as_str();
    name.map_or_else(|| value.to_string(), str::to_owned)
}

fn cpan(text: &str) -> Option<ManifestLicenses> {
    let meta: Value = serde_json::from_str(text).ok()?;
    let names: Vec<&str> = match meta.get("license")? {
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        // PostgreSQL's packages: a name, or names with their addresses.
        Value::Object(addresses) => addresses.keys().map(String::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    };
    let names = names.into_iter().filter_map(cpan_name);
    ManifestLicenses::many(names.flat_map(|of| of.names).collect(), true)
}

/// CPAN's names, such as "perl_5" and "lgpl_2_1".
fn cpan_name(name: &str) -> Option<ManifestLicenses> {
    let mut parts = name.split('_');
    let first = parts.next()?;
    let version = parts.collect::<Vec<_>>().join(".");
    ManifestLicenses::one(format!("{first} {}", version.strip_suffix(".0").unwrap_or(&version)))
}

fn perl_build(text: &str) -> Option<ManifestLicenses> {
    let named = assigned(text, "LICENSE").or_else(|| assigned(text, "license"));
    cpan_name(named?.first()?)
}

/// A `<license>` for each license, all of which apply.
fn ros(text: &str) -> Option<ManifestLicenses> {
    let document = Document::parse(text).ok()?;
    let named = children(document.root_element(), "license").filter_map(|of| of.text());
    ManifestLicenses::many(named.map(|name| name.trim().to_owned()).collect(), false)
}

fn pom(text: &str) -> Option<ManifestLicenses> {
    let document = Document::parse(text).ok()?;
    let licenses = children(document.root_element(), "licenses").next()?;
    let names = children(licenses, "license").filter_map(|license| {
        let [name, url, comments] =
            ["name", "url", "comments"].map(|name| children(license, name).next()?.text());
        let name = exact([name, url].map(|of| of.map(|name| name.trim().to_owned())))?;
        let comments = comments.unwrap_or_default().to_lowercase().replace('-', " ");
        Some(if is_limit(&comments) { format!("{name} ({comments})") } else { name })
    });
    // Several licenses are a choice, as defined by Maven.
    ManifestLicenses::many(names.collect(), true)
}

fn children<'d, 't>(of: Node<'d, 't>, name: &str) -> impl Iterator<Item = Node<'d, 't>> {
    of.children().filter(move |node| node.tag_name().name() == name)
}

fn nuspec(text: &str) -> Option<ManifestLicenses> {
    let document = Document::parse(text).ok()?;
    match element(&document, "license") {
        Some(license) if license.attribute("type") == Some("expression") => {
            ManifestLicenses::one(license.text()?)
        }
        Some(_) => None,
        // The address of the license, as packages had until 2018.
        None => ManifestLicenses::one(element(&document, "licenseUrl")?.text()?),
    }
}

fn csproj(text: &str) -> Option<ManifestLicenses> {
    let names = ["PackageLicenseExpression", "PackageLicenseUrl"];
    ManifestLicenses::one(names.iter().find_map(|name| in_project(text, name))?)
}

/// The text of an element of a project of .NET.
fn in_project(text: &str, name: &str) -> Option<String> {
    let document = Document::parse(text).ok()?;
    element(&document, name)?.text().map(str::to_owned)
}

fn element<'d, 't>(document: &'d Document<'t>, name: &str) -> Option<Node<'d, 't>> {
    document.descendants().find(|node| node.tag_name().name() == name)
}

/// `licenses { license { name = 'MIT' } }`, also `name.set("MIT")`; a choice, as in Maven.
fn gradle(text: &str) -> Option<ManifestLicenses> {
    // Behind the name of each block.
    fn blocks(text: &str, name: &str) -> Vec<usize> {
        let behind = text.match_indices(name).map(|(at, name)| at + name.len());
        behind.filter(|&at| text[at..].trim_start().starts_with('{')).collect()
    }
    let licenses = &text[*blocks(text, "licenses").first()?..];
    let starts = blocks(licenses, "license");
    // One that is not closed ends where the next begins: nothing is read for each of them.
    let ends = starts.iter().skip(1).copied().chain([licenses.len()]);
    let names = starts.iter().zip(ends).filter_map(|(&start, end)| {
        let license = licenses[start..end].split('}').next()?;
        exact(["name", "url"].map(|key| {
            let mut lines = license.lines();
            let line = lines
                .find(|line| line.split(|c: char| !c.is_alphanumeric()).any(|of| of == key))?;
            quoted(line.split_once(key)?.1).into_iter().next()
        }))
    });
    ManifestLicenses::many(names.collect(), true)
}

/// Of the name and the address of a license the one that tells which it is.
fn exact([name, url]: [Option<String>; 2]) -> Option<String> {
    match [&name, &url].map(|of| Expression::parse(of.as_deref()?)) {
        [Some(a), Some(b)] if !a.agrees_with(&b, false) => Some(format!("{a} AND {b}")),
        [Some(vague), Some(_)] if vague.is_vague() => url,
        [None, Some(_)] => url,
        _ => name.or(url),
    }
}

/// `s.license = "MIT"` and `s.licenses = ["Ruby", "BSD-2-Clause"]`, also `:license => 'MIT'` and
/// `{ :type => 'MIT', :file => 'LICENSE' }`.
fn gemspec(text: &str) -> Option<ManifestLicenses> {
    let table = value_of(text, "license").next().and_then(|value| value.strip_prefix('{'));
    let names = table
        .and_then(|table| assigned(table, "type"))
        .or_else(|| assigned(text, "licenses"))
        .or_else(|| assigned(text, "license"))?;
    ManifestLicenses::many(names.into_iter().filter(|name| is_name(name)).collect(), false)
}

/// What is behind `key:`, `key =` and `key =>` in the lines of code, where it is written out.
fn value_of<'t>(text: &'t str, key: &str) -> impl Iterator<Item = &'t str> {
    let (mut values, mut searched, mut is_comment) = (Vec::new(), 0, false);
    for (at, key) in text.match_indices(key) {
        // The first key of a line tells for all of them.
        let begun = text[searched..at].rfind('\n').map(|end| searched + end + 1);
        if let Some(line) = begun.or((searched == 0).then_some(0)) {
            is_comment = text[line..at].trim_start().starts_with('#');
        }
        searched = at + key.len();
        let (before, behind) = (&text[..at], &text[at + key.len()..]);
        let around = [before.chars().next_back(), behind.chars().next()];
        let is_word = !around.iter().flatten().any(|&c| c.is_alphanumeric() || c == '_');
        let behind = behind.trim_start_matches(['"', '\'']).trim_start();
        let Some(value) = behind.strip_prefix([':', '=']) else { continue };
        let value = value.strip_prefix('>').unwrap_or(value).trim_start();
        let is_written = value.starts_with(['"', '\'', '[', '{', '%', '~']);
        if is_word && !is_comment && is_written {
            values.push(value);
        }
    }
    values.into_iter()
}

fn listed(text: &str, key: &str) -> Option<ManifestLicenses> {
    ManifestLicenses::many(assigned(text, key)?, false)
}

/// The names that are written behind a key: one, or a list, also that of words in Ruby and Elixir.
fn assigned(text: &str, key: &str) -> Option<Vec<String>> {
    let value = value_of(text, key).find(|value| !value.starts_with('{'))?;
    if let Some(list) = value.strip_prefix("%w").or_else(|| value.strip_prefix("~w")) {
        let names = list.get(1..)?.split([')', ']', '}', '|']).next()?;
        return Some(names.split_whitespace().map(str::to_owned).collect());
    }
    let Some(list) = value.strip_prefix('[') else {
        return Some(quoted(value).into_iter().take(1).collect());
    };
    let (list, behind) = list.split_once(']').unwrap_or((list, ""));
    let mut names = quoted(list);
    // Names that the program makes are not known.
    let made = names.iter().fold(list.to_owned(), |rest, name| rest.replacen(name, "", 1));
    let is_open = behind.trim_start().starts_with(['+', '.', '|']);
    let mut code = made.lines().filter_map(|line| line.split('#').next());
    if is_open || code.any(|code| code.contains(char::is_alphanumeric)) {
        names.push(value.lines().next().unwrap_or_default().to_owned());
    }
    Some(names)
}

fn quoted(text: &str) -> Vec<String> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some((start, quote)) = rest.char_indices().find(|(_, c)| matches!(c, '"' | '\''))
        && let Some((part, behind)) = rest[start + 1..].split_once(quote)
        && parts.len() < MAX_NAMES
    {
        parts.push(part.to_owned());
        rest = behind;
    }
    parts
}

/// The value of `key: value` or `key = "value"`, whatever the case of the key.
fn field(text: &str, key: &str) -> Option<ManifestLicenses> {
    let mut lines = text.lines();
    let value = lines.find_map(|line| {
        let (name, value) = line.split_once([':', '='])?;
        (name.trim().to_lowercase() == key).then_some(value)
    })?;
    let more = lines.take_while(|line| line.starts_with([' ', '\t']) && !line.contains(':'));
    let value = std::iter::once(value).chain(more).map(str::trim).collect::<Vec<_>>().join(" ");
    // R writes "MIT + file LICENSE | GPL-2".
    let choices = value.trim_matches('"').split('|');
    let choices = choices.map(|of| of.split("+ file ").next().unwrap_or_default().trim());
    let names: Vec<&str> = choices.filter(|of| !of.starts_with("file ")).collect();
    ManifestLicenses::one(names.join(" | "))
}

/// The value of `key: value`, or those on the lines behind `key:`, each after a dash.
fn items(text: &str, key: &str) -> Option<ManifestLicenses> {
    let lines = text.lines().skip_while(|line| line.trim_end() != format!("{key}:"));
    let items: Vec<String> = lines.skip(1).map_while(item).collect();
    if items.is_empty() { field(text, key) } else { ManifestLicenses::many(items, false) }
}

/// What a line has after a dash, before a comment.
fn item(line: &str) -> Option<String> {
    let name = line.trim_start().strip_prefix("- ")?.split(" #").next()?.trim();
    Some(name.trim_matches(['"', '\'']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::license::tests::rows;

    /// Checks what is read from the manifests of a table, each with its name before it.
    #[track_caller]
    fn check_read(table: &str, read: impl Fn(&str, &[u8]) -> Option<String>) {
        for (manifest, expected) in rows(table) {
            let (name, text) = manifest.split_once(": ").expect("each has a name");
            let found = read(name, text.as_bytes());
            assert_eq!(found.as_deref().unwrap_or("nothing"), expected, "{manifest}");
        }
    }

    #[track_caller]
    fn check(table: &str) {
        let said = |of: Statement| {
            of.expression.map_or_else(|| format!("unknown: {}", of.written), |of| of.to_string())
        };
        check_read(table, |name, text| statement(name, text).map(said));
    }

    #[test]
    fn each_manifest_names_its_license() {
        check(
            r#"
cargo.toml: [package]\nlicense = "MIT OR Apache-2.0"\n → MIT OR Apache-2.0
cargo.toml: [workspace.package]\nlicense = "MPL-2.0"\n → MPL-2.0
cargo.toml: [package]\nname = "x"\n → nothing
pyproject.toml: [project]\nlicense = {text = "BSD-3-Clause"}\n → BSD-3-Clause
pyproject.toml: [project]\nclassifiers = ["License :: OSI Approved :: Apache Software License"]\n → Apache-2.0
pkg-info: Name: x\nLicense-Expression: MIT\n\nLicense: GPL\n → MIT
metadata: License: UNKNOWN\nClassifier: License :: OSI Approved :: GNU General Public License v3 (GPLv3)\n → GPL-3.0-only
package.json: {"license": "(MIT OR GPL-3.0)"} → MIT OR GPL-3.0-only
package.json: {"licenses": [{"type": "MIT"}, {"type": "Apache 2.0"}]} → MIT OR Apache-2.0
package.json: {"license": "UNLICENSED"} → LicenseRef-proprietary
package.json: {"license": "SEE LICENSE IN x.txt"} → nothing
package.json: {"license": "Ours-1.0"} → unknown: Ours-1.0
composer.json: {"license": ["LGPL-2.1-only", "GPL-3.0-or-later"]} → LGPL-2.1-only OR GPL-3.0-or-later
pom.xml: <project xmlns="x"><licenses><license><name>Apache License, Version 2.0</name></license></licenses></project> → Apache-2.0
x.gemspec: Gem::Specification.new do |s|\n  s.licenses = ['Ruby', "BSD-2-Clause"]\nend → Ruby AND BSD-2-Clause
x.nuspec: <package><metadata><license type="expression">MIT</license></metadata></package> → MIT
description: Package: x\nLicense: GPL (>= 2)\n → GPL-2.0-or-later
description: License: MIT + file LICENSE\n → MIT
description: License: GPL (>= 2) | file LICENSE\n → GPL-2.0-or-later
description: License: GPL-2 | MIT + file LICENSE\n → GPL-2.0-only OR MIT
description: License: file LICENSE\n → nothing
x.cabal: license: BSD3\n → BSD-3-Clause
haxelib.json: {"license": "MIT"} → MIT
vcpkg.json: {"license": "GPL-1.0-or-later OR Artistic-1.0-Perl"} → GPL-1.0-or-later OR Artistic-1.0-Perl
dub.json: {"license": "BSL-1.0"} → BSL-1.0
dub.sdl: name "x"\nlicense "MIT"\n → MIT
deno.json: {"license": "MIT"} → MIT
elm.json: {"license": "BSD-3-Clause"} → BSD-3-Clause
conanfile.py: class X(ConanFile):\n    license = "MIT"\n → MIT
gleam.toml: licences = ["Apache-2.0"]\n → Apache-2.0
x.spec: Name: x\nLicense: GPLv2+ and MIT\n → GPL-2.0-or-later AND MIT
package.yaml: name: x\nlicense: BSD-3-Clause\n → BSD-3-Clause
idf_component.yml: version: "1.0"\nlicense: "Apache-2.0"\n → Apache-2.0
meta6.json: {"license": "Artistic-2.0"} → Artistic-2.0
fpm.toml: name = "x"\nlicense = "MIT"\n → MIT
alire.toml: name = "x"\nlicenses = "MIT OR Apache-2.0"\n → MIT OR Apache-2.0
typst.toml: [package]\nlicense = "MIT-0"\n → MIT-0
dune-project: (lang dune 3.0)\n(license "MIT OR ISC")\n → MIT OR ISC
dune-project: (name x)\n(license ISC)\n → ISC
shard.yml: name: x\nlicense: MIT\n → MIT
project.clj: (defproject x "1"\n  :license {:name "Eclipse Public License 1.0"\n :url "http://opensource.org/licenses/eclipse-1.0.php"})\n → EPL-1.0
meta.json: {"license": "gpl_2"} → GPL-2.0-only
meta.json: {"license": {"PostgreSQL": "https://www.postgresql.org/about/licence"}} → PostgreSQL
meson.build: project('x', 'c', license : 'GPL-2.0')\n → GPL-2.0-only
x.nimble: version = "1"\nlicense = "MIT"\n → MIT
x.rockspec: package = "x"\ndescription = {\n  license = "MIT"\n}\n → MIT
x.app.src: {application, x, [{licenses, ["Apache-2.0"]}]}.\n → Apache-2.0
x.csproj: <Project><PropertyGroup><PackageLicenseUrl>http://opensource.org/licenses/MIT</PackageLicenseUrl></PropertyGroup></Project> → MIT
build.pl: Module::Build->new(\n  license => 'perl',\n) → Artistic-1.0-Perl OR GPL-1.0-or-later
dist.ini: name = X\nlicense = Perl_5\n → Artistic-1.0-Perl OR GPL-1.0-or-later
dist.ini: license = Apache_2_0\n → Apache-2.0
citation.cff: cff-version: 1.2.0\nlicense: BSD-3-Clause\n → BSD-3-Clause
codemeta.json: {"license": "https://spdx.org/licenses/GPL-3.0"} → GPL-3.0-only
galaxy.yml: name: x\nlicense:\n  - GPL-3.0-or-later # all\n  - "Apache-2.0"\ntags: []\n → GPL-3.0-or-later AND Apache-2.0
galaxy.yml: license:\n- MIT\n → MIT
metadata.json: {"license": "Apache-2.0"} → Apache-2.0
meta.yaml: about:\n  license: MIT\n → MIT
snapcraft.yaml: name: x\nlicense: GPL-3.0+\n → GPL-3.0-or-later
package.xml: <package><license>BSD</license><license file="x"> MIT </license></package> → LicenseRef-BSD AND MIT
v.mod: Module {\n    name: 'x'\n    license: 'GPL-2.0'\n} → GPL-2.0-only
makefile.pl: my %META = (\n  license => 'perl_5',\n);\n → Artistic-1.0-Perl OR GPL-1.0-or-later
package.json: {"license": "GPL2 with classpath exception"} → GPL-2.0-only WITH Classpath-exception-2.0
package.json: {"license": "GNU GPL, version 2 with the GNU Classpath Exception"} → GPL-2.0-only WITH Classpath-exception-2.0
"#,
        );
    }

    #[test]
    fn a_manifest_is_read_as_its_language_is_written() {
        check(
            r#"
setup.py: setup(\n  license = 'GPLv2',\n)\n → GPL-2.0-only
setup.py: setup(**{'license': 'GPLv2'})\n → GPL-2.0-only
x.gemspec:   s.licenses = [\n    'Ruby',\n    'GPL-2.0',\n  ]\n → Ruby AND GPL-2.0-only
x.gemspec:   s.licenses = %w[MIT GPL-2.0]\n → MIT AND GPL-2.0-only
x.podspec:   s.license = { type: 'GPL-2.0', file: 'LICENSE' }\n → GPL-2.0-only
x.opam: # as always\nlicense: "MIT"\n → MIT
setup.py: #license='MIT', license='ISC'\nlicense='GPLv2'\n → GPL-2.0-only
x.podspec.json: {"license": {"type": "MIT"}} → MIT
mix.exs: # licenses: ["MIT"]\n[licenses: ~w(ISC GPL-2.0)]\n → ISC AND GPL-2.0-only
x.opam: license: [\n  "MIT"\n  "GPL-2.0-only"\n]\n → MIT AND GPL-2.0-only
build.gradle: licenses{\n  license{\n    name 'MIT'\n  }\n}\n → MIT
build.gradle: licenses { license {\n url = 'https://www.apache.org/licenses/LICENSE-2.0.txt'\n } }\n → Apache-2.0
meta.json: {"license": ["lgpl_2_1"]} → LGPL-2.1-only
meta.json: {"license": ["mozilla_1_1"]} → MPL-1.1
description: License: GPL (>= 2) |\n  BSD_3_clause + file LICENSE\nTitle: x\n → GPL-2.0-or-later OR BSD-3-Clause
pom.xml: <project><licenses><license><name>BSD</name><url>https://opensource.org/licenses/BSD-3-Clause</url></license></licenses></project> → BSD-3-Clause
pom.xml: <project><licenses><license><name>Proprietary</name><url>https://opensource.org/licenses/MIT</url></license></licenses></project> → LicenseRef-proprietary AND MIT
x.nuspec: <package><metadata><licenseUrl>https://licenses.nuget.org/MIT</licenseUrl></metadata></package> → MIT
x.fsproj: <Project><PropertyGroup><PackageLicenseExpression>MIT</PackageLicenseExpression></PropertyGroup></Project> → MIT
directory.build.props: <Project><PropertyGroup><PackageLicenseExpression>MIT</PackageLicenseExpression></PropertyGroup></Project> → MIT
"#,
        );
    }

    #[test]
    fn the_text_that_a_manifest_names_is_known() {
        check_read(
            r#"
cargo.toml: [workspace.package]\nlicense-file = "a.txt"\n → a.txt
pyproject.toml: [project]\nlicense-files = ["a.txt"]\n → a.txt
pyproject.toml: [project]\nlicense-files = ["LICEN[CS]E*"]\n → nothing
setup.cfg: [metadata]\nlicense_files =\n    a.txt\n    AUTHORS\n → a.txt
x.podspec:   s.license = { :file => 'a.txt' }\n → a.txt
description: License: file a.txt\n → a.txt
x.csproj: <Project><PropertyGroup><PackageLicenseFile>a.txt</PackageLicenseFile></PropertyGroup></Project> → a.txt
"#,
            named_text,
        );
    }

    #[test]
    fn what_a_manifest_says_besides_a_license_is_not_passed_over() {
        check(
            r#"
package.json: {"license": "MIT (non-commercial)"} → unknown: MIT (non-commercial)
package.json: {"license": "MIT (except lib: GPL-2.0)"} → unknown: MIT (except lib: GPL-2.0)
package.json: {"license": "MIT (GPL-2.0)"} → unknown: MIT (GPL-2.0)
package.json: {"license": "MIT License (code), CC-BY-NC-4.0 (art)"} → MIT AND CC-BY-NC-4.0
package.json: {"license": "GNU General Public License v3 (GPLv3)"} → GPL-3.0-only
package.json: {"license": ["MIT", {"x": 1}]} → unknown: MIT, {"x":1}
package.json: {"license": "MIT", "licenses": ["ISC", "Zlib"]} → MIT AND (ISC OR Zlib)
x.gemspec: s.licenses = ["MIT"] + others\n → unknown: MIT, ["MIT"] + others
x.gemspec: s.licenses = ["MIT", OTHER]\n → unknown: MIT, ["MIT", OTHER]
setup.cfg: [metadata]\nlicense = MIT\n  for personal use\n → unknown: MIT for personal use
description: License: MIT + file LICENSE | GPL-2\n → MIT OR GPL-2.0-only
setup.py: setup(license='MIT', classifiers=['License :: OSI Approved :: ISC License (ISCL)']) → MIT AND ISC
pom.xml: <project><licenses><license><name>MIT</name><url>https://www.gnu.org/licenses/gpl-2.0.html</url></license></licenses></project> → MIT AND GPL-2.0-only
"#,
        );
    }

    #[test]
    fn licenses_are_read_as_each_format_joins_them() {
        check(
            r#"
description: License: GPL-2 | GPL-3\n → GPL-2.0-only OR GPL-3.0-only
description: License: Artistic-2.0 | AGPL-3 + file LICENSE\n → Artistic-2.0 OR AGPL-3.0-only
description: License: LGPL (>= 2.1)\n → LGPL-2.1-or-later
description: License: BSD_3_clause + file LICENSE\n → BSD-3-Clause
x.opam: license: ["MIT" "ISC"]\n → MIT AND ISC
opam: license: "LGPL-2.1-only WITH OCaml-LGPL-linking-exception"\n → LGPL-2.1-only WITH OCaml-LGPL-linking-exception
mix.exs: defp package do\n  [licenses: ["Apache-2.0", "MIT"], links: %{}]\nend\n → Apache-2.0 AND MIT
build.gradle: licenses {\n  license {\n    name = 'The Apache License, Version 2.0'\n    url = 'http://www.apache.org/licenses/LICENSE-2.0.txt'\n  }\n}\n → Apache-2.0
build.gradle.kts: pom { name.set("x")\n licenses { license { name.set("MIT")\n url.set("u") } } }\n → MIT
build.gradle: plugins { id 'java' }\n → nothing
x.podspec: s.license = { :type => 'MIT', :file => 'LICENSE' }\n → MIT
x.podspec: s.license = { "type" => "BSD-3-Clause", "text" => "x" }\n → BSD-3-Clause
x.podspec: spec.license      = 'Apache License, Version 2.0'\n → Apache-2.0
x.gemspec:   spec.license = "MIT" # as always\n → MIT
meta.yml: ---\nlicense: perl\nname: X\n → Artistic-1.0-Perl OR GPL-1.0-or-later
meta.json: {"license": ["perl_5"]} → Artistic-1.0-Perl OR GPL-1.0-or-later
meta.json: {"license": ["apache_2_0"]} → Apache-2.0
makefile.pl: WriteMakefile(\n  NAME => 'X',\n  LICENSE => 'artistic_2',\n);\n → Artistic-2.0
setup.py: setup(name='x', license='BSD-2-Clause')\n → BSD-2-Clause
setup.py: setup(name='x',\n  classifiers=[\n    'License :: OSI Approved :: MIT License',\n  ])\n → MIT
setup.py: from x import license\nlicense = open('LICENSE').read()\n → nothing
pyproject.toml: [project]\nlicense = "MIT AND (Apache-2.0 OR BSD-2-Clause)"\n → MIT AND (Apache-2.0 OR BSD-2-Clause)
setup.cfg: [metadata]\nlicense = MIT\nlicense_files = LICENSE\n → MIT
setup.cfg: [metadata]\nlicense_files = LICENSE\nlicense = MIT\n → MIT
setup.cfg: [metadata]\nclassifiers =\n    License :: OSI Approved :: MIT License\n → MIT
x.nuspec: <package><metadata><licenseUrl>https://opensource.org/licenses/MIT</licenseUrl></metadata></package> → MIT
x.nuspec: <package><metadata><licenseUrl>https://example.invalid/terms</licenseUrl></metadata></package> → unknown: https://example.invalid/terms
x.csproj: <Project><PropertyGroup><PackageLicenseExpression>MIT</PackageLicenseExpression></PropertyGroup></Project> → MIT
pom.xml: <project><licenses><license><name>Ours</name><url>https://www.apache.org/licenses/LICENSE-2.0.txt</url></license></licenses></project> → Apache-2.0
pom.xml: <project><licenses><license><name>MIT</name></license><license><name>Ours</name></license></licenses></project> → unknown: MIT, Ours
package.json: {"license": {"type": "ISC", "url": "x"}} → ISC
package.json: {"license": "MIT, Apache-2.0"} → MIT AND Apache-2.0
package.json: {"license": "(mit or apache-2.0)"} → MIT OR Apache-2.0
cargo.toml: [package]\nlicense = "MIT/Apache-2.0"\n → MIT OR Apache-2.0
cargo.toml: [package]\nlicense = "Apache-2.0 / MIT"\n → Apache-2.0 OR MIT
"#,
        );
    }
}
