//! Finds and reads `secondhand.toml`, and explains what is wrong with it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use toml::de::{DeTable, DeValue};

use super::raw::{EXPECTED_PATHS, RawConfig, RawThresholds};
use crate::language::{Languages, TableError};
use crate::policy::Decision;
use crate::text::nearest;

/// The settings files of a repository, relative to its root; the first one that exists is used.
pub const NAMES: &[&str] = &["secondhand.toml", ".config/secondhand.toml"];

/// Why settings could not be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum ConfigError {
    /// The file exists but cannot be read.
    #[error("cannot read `{}`: {why}", file.display())]
    File { file: PathBuf, why: std::io::Error },
    /// The file is not TOML, has an unknown key, or a value of another type.
    #[error("cannot read `{file}`, line {line}: {why}")]
    Syntax { file: String, line: usize, why: String, nearest: Option<String> },
    /// A key is unknown, or its value cannot be used.
    #[error("cannot use `{key}` of {file}: {why}")]
    Value { file: String, key: String, why: String, nearest: Option<String> },
}

impl ConfigError {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        let (Self::Syntax { nearest, .. } | Self::Value { nearest, .. }) = self else {
            return None;
        };
        let list = "`secondhand config --list`";
        Some(match nearest {
            Some(nearest) => format!("did you mean `{nearest}`? All options: {list}"),
            None => format!("all options: {list}"),
        })
    }

    pub(super) fn value(file: &str, key: &str, why: impl Into<String>) -> Self {
        Self::value_near(file, key, why, None)
    }

    /// The same, where another key or value may have been meant.
    pub(super) fn value_near(
        file: &str,
        key: &str,
        why: impl Into<String>,
        nearest: Option<String>,
    ) -> Self {
        let (file, key, why) = (file.to_owned(), key.to_owned(), why.into());
        Self::Value { file, key, why, nearest }
    }

    /// The same, naming the line of `text`, the settings file, that has the unusable value.
    pub(super) fn located(mut self, text: &str) -> Self {
        if let Self::Value { key, why, .. } = &mut self
            && let Some(line) = line_of(text, &names_of(key), why)
        {
            *why += &format!(" (line {line})");
        }
        self
    }
}

/// The line of the key `key` of the outermost table; 1 if it is not there.
pub(super) fn line_of_key(text: &str, key: &str) -> usize {
    line_of(text, &[key.to_owned()], "").unwrap_or(1)
}

/// The outermost keys of a settings file, with their values as TOML; empty if it cannot be read.
pub(super) fn keys_of(text: &str) -> Vec<(String, String)> {
    let table: toml::Table = text.parse().unwrap_or_default();
    table.into_iter().map(|(key, value)| (key, value.to_string())).collect()
}

/// What a settings file that can be read has for some of its outermost keys.
pub(super) fn only<T: serde::de::DeserializeOwned + Default>(text: &str, keys: &[String]) -> T {
    let table: toml::Table = text.parse().unwrap_or_default();
    let kept: toml::Table = table.into_iter().filter(|(key, _)| keys.contains(key)).collect();
    kept.try_into().unwrap_or_default()
}

/// The line that sets the option with these names; for a list, that of the item in it which `why`
/// quotes.
pub(super) fn line_of(text: &str, names: &[String], why: &str) -> Option<usize> {
    let root = DeTable::parse(text).ok()?;
    let mut table = root.get_ref();
    let mut names = names.iter().peekable();
    while let Some(name) = names.next() {
        let (found, value) = table.get_key_value(name.as_str())?;
        if names.peek().is_some() {
            table = value.get_ref().as_table()?;
            continue;
        }
        let items = value.get_ref().as_array().into_iter().flat_map(|items| items.iter());
        let mut quoted = items.filter(|item| {
            let table = item.get_ref().as_table();
            let texts = table.map_or_else(|| vec![*item], |table| table.values().collect());
            let mut texts = texts.into_iter().filter_map(|value| value.get_ref().as_str());
            texts.any(|text| why.contains(&format!("`{text}`")))
        });
        let start = quoted.next().map_or(found.span().start, |item| item.span().start);
        return Some(line_at(text, start));
    }
    None
}

/// The names in a dotted key, such as `paths."src/**".min-tokens`.
pub fn names_of(key: &str) -> Vec<String> {
    let mut names = Vec::new();
    let Ok(mut table) = format!("{key} = 0").parse::<toml::Table>() else {
        return key.split('.').map(str::to_owned).collect();
    };
    while let Some((name, value)) = table.into_iter().next() {
        names.push(name);
        table = value.try_into().unwrap_or_default();
    }
    names
}

/// The settings file of the repository at `root`, if it has one.
pub fn find(root: &Path) -> Option<PathBuf> {
    // Anything with this name counts, so that a folder or a dead link there is an error.
    NAMES.iter().map(|name| root.join(name)).find(|path| path.symlink_metadata().is_ok())
}

impl RawConfig {
    /// Reads settings from TOML; `name` is the file name, for messages.
    pub fn parse(text: &str, name: &str) -> Result<Self, ConfigError> {
        let raw: Self = parsed(text, name)?;
        raw.check_languages().map_err(|(id, error)| {
            let line = line_at(text, place(text, &id, &error));
            let why = format!("language `{id}`, {error}");
            ConfigError::Syntax { file: name.to_owned(), line, why, nearest: None }
        })?;
        Ok(raw)
    }

    /// The languages: the built-in ones, and the user's.
    pub fn languages(&self) -> Arc<Languages> {
        if self.language.is_empty() {
            return Arc::clone(Languages::builtin());
        }
        let mut languages = Languages::extensible();
        for (id, table) in &self.language {
            languages.add(id, table.clone()).expect("the table was checked when it was read");
        }
        languages.into()
    }

    /// Checks languages that are added or changed, while the text that defines them is available.
    fn check_languages(&self) -> Result<(), (String, TableError)> {
        if self.language.is_empty() {
            return Ok(());
        }
        let mut languages = Languages::extensible();
        for (id, table) in &self.language {
            languages.add(id, table.clone()).map_err(|error| (id.clone(), error))?;
        }
        // Languages may refer to each other, so all of them must be defined first.
        for id in self.language.keys() {
            languages.check_references(id).map_err(|error| (id.clone(), error))?;
        }
        Ok(())
    }
}

fn line_at(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset.min(text.len())].iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// The offset of the key that `error` is about in the table of language `id`, or of the nearest
/// thing to it.
fn place(text: &str, id: &str, error: &TableError) -> usize {
    let TableError::Value { row, key, .. } = error else { return 0 };
    let Ok(root) = DeTable::parse(text) else { return 0 };
    let mut table = root.get_ref();
    let mut offset = 0;
    let list = row.map(|(list, _)| list);
    for name in ["language", id].into_iter().chain(list).chain(key.split('.')) {
        let Some((found, value)) = table.get_key_value(name) else { return offset };
        offset = found.span().start;
        let value = match (value.get_ref(), *row) {
            (DeValue::Array(rows), Some((list, n))) if list == name => match rows.get(n) {
                Some(row) => {
                    offset = row.span().start;
                    row.get_ref()
                }
                None => return offset,
            },
            (value, _) => value,
        };
        let Some(inner) = value.as_table() else { return offset };
        table = inner;
    }
    offset
}

fn parsed<T: serde::de::DeserializeOwned>(text: &str, name: &str) -> Result<T, ConfigError> {
    toml::from_str(text).map_err(|error| {
        let line = line_at(text, error.span().map_or(0, |span| span.start));
        let (why, nearest) = explain(error.message());
        ConfigError::Syntax { file: name.to_owned(), line, why, nearest }
    })
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RawDecisions {
    decision: Vec<RawDecision>,
}

/// A decision as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(dead_code, reason = "some keys are for people")]
struct RawDecision {
    copy: String,
    path: Option<String>,
    rule: Option<String>,
    origin: Option<String>,
    by: String,
    reason: String,
    #[serde(deserialize_with = "super::day::day")]
    until: Option<String>,
}

/// Reads a decisions file; `name` is its name, for messages.
pub fn decisions(text: &str, name: &str) -> Result<Vec<Decision>, ConfigError> {
    let RawDecisions { decision } = parsed(text, name)?;
    let mut decisions = Vec::new();
    for RawDecision { copy, by, reason, until, .. } in decision {
        let until = until.filter(|text| !text.is_empty()).map(|text| text.parse()).transpose();
        let until = until.map_err(|why: String| ConfigError::value(name, "decision.until", why))?;
        decisions.push(Decision { copy, by, reason, until });
    }
    Ok(decisions)
}

impl RawConfig {
    /// These settings with the option `key` set to `value`, written as TOML, or as bare text;
    /// `origin` names who set it, for errors.
    pub fn with(&self, key: &str, value: &str, origin: &str) -> Result<Self, ConfigError> {
        let mut all = serde_json::to_value(self).unwrap_or_default();
        let names = names_of(key);
        let known = names.iter().try_fold(&all, |value, name| value.get(name));
        let text = Value::from(value);
        let parsed = parsed_value(value).and_then(|value| serde_json::to_value(value).ok());
        let value = match (known, parsed) {
            // A commit may be all digits.
            (Some(Value::String(_)), Some(value)) if !value.is_string() => text,
            (Some(Value::Array(_)), parsed) if !parsed.as_ref().is_some_and(Value::is_array) => {
                Value::from([parsed.unwrap_or(text)])
            }
            (_, parsed) => parsed.unwrap_or(text),
        };
        if has_null(&value) {
            return Err(ConfigError::value(origin, key, "expected a number that is finite"));
        }
        let nested = names.into_iter().rfold(value, |inner, name| json!({ name: inner }));
        merge(&mut all, nested);
        let set: Self = serde_json::from_value(all).map_err(|error| {
            let (why, nearest) = explain(&error.to_string());
            ConfigError::value_near(origin, key, why, nearest)
        })?;
        // A user's languages are not serialized: keep them as they were read.
        Ok(Self { language: self.language.clone(), ..set })
    }

    /// These settings without what languages and paths have of the option `key`.
    pub fn for_all_files(&self, key: &str) -> Self {
        let mut clean = self.clone();
        let specials = clean.languages.values_mut().chain(clean.paths.values_mut());
        specials.for_each(|special| special.clear(key));
        clean
    }

    /// The value of the option `key`, as TOML. Of a number that TOML cannot write, its digits.
    pub fn get(&self, key: &str) -> Option<String> {
        let mut written = serde_json::to_value(self).ok()?;
        let value = without_nulls(written.get_mut(key)?.take());
        Some(toml::Value::try_from(&value).map_or_else(|_| value.to_string(), |of| of.to_string()))
    }
}

/// Whether a value that was TOML has a number that is not finite: JSON has none.
fn has_null(value: &Value) -> bool {
    match value {
        Value::Object(of) => of.values().any(has_null),
        Value::Array(of) => of.iter().any(has_null),
        value => value.is_null(),
    }
}

/// A value without the keys that nothing was written for: TOML has no null.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(of) => {
            let written = of.into_iter().filter(|(_, value)| !value.is_null());
            written.map(|(key, value)| (key, without_nulls(value))).collect()
        }
        Value::Array(of) => of.into_iter().map(without_nulls).collect(),
        value => value,
    }
}

/// An option, or a part of one that is a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// The names that lead to it, from the outermost table on.
    pub names: Vec<String>,
    /// The same as a dotted key.
    pub key: String,
    /// Its value, as TOML.
    pub value: String,
}

impl RawConfig {
    /// The options that are `wanted`, by their first names, in the order of the reference.
    pub fn leaves(&self, wanted: impl Fn(&str) -> bool) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        for name in super::option_names().into_iter().filter(|name| wanted(name)) {
            let Some(value) = self.get(&name) else { continue };
            match parsed_value(&value) {
                Some(toml::Value::Table(table)) if !table.is_empty() => {
                    flatten(&[name], &table, &mut leaves);
                }
                _ => leaves.push(Leaf { key: name.clone(), names: vec![name], value }),
            }
        }
        leaves
    }
}

fn parsed_value(value: &str) -> Option<toml::Value> {
    format!("v = {value}").parse::<toml::Table>().ok()?.remove("v")
}

fn flatten(names: &[String], table: &toml::Table, leaves: &mut Vec<Leaf>) {
    for (name, value) in table {
        let names = [names, std::slice::from_ref(name)].concat();
        match value {
            toml::Value::Table(inner) if !inner.is_empty() => flatten(&names, inner, leaves),
            value => leaves.push(Leaf { key: dotted(&names), names, value: value.to_string() }),
        }
    }
}

fn dotted(names: &[String]) -> String {
    let quoted = names.iter().map(|name| {
        let is_bare =
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        match is_bare && !name.is_empty() {
            true => name.clone(),
            false => toml::Value::from(name.as_str()).to_string(),
        }
    });
    quoted.collect::<Vec<_>>().join(".")
}

fn merge(into: &mut Value, other: Value) {
    match (into, other) {
        (Value::Object(into), Value::Object(other)) => {
            for (key, value) in other {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, other) => *into = other,
    }
}

pub(super) fn part<T: serde::de::DeserializeOwned>(text: &str) -> Option<T> {
    toml::from_str(text).ok()
}

/// Turns serde's "unknown field `x`, expected one of `a`, `b`" into ours, with the nearest field.
fn explain(message: &str) -> (String, Option<String>) {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let of_languages = RawThresholds::names();
    match quoted.as_slice() {
        // `language` defines one, `languages` has the thresholds of one.
        [unknown, known @ ..]
            if message.starts_with("unknown field") && known.contains(&"shebangs") =>
        {
            let known = known.iter().copied().chain(of_languages.iter().map(String::as_str));
            let meant = nearest(unknown, &known.collect::<Vec<_>>());
            match meant.filter(|meant| of_languages.contains(meant)) {
                Some(meant) => {
                    let why = format!(
                        "`{unknown}` is no option of `language`; thresholds are in `languages`"
                    );
                    (why, Some(format!("languages.NAME.{meant}")))
                }
                None => (format!("unknown option `{unknown}`"), nearest(unknown, &quoted[1..])),
            }
        }
        [unknown, known @ ..] if message.starts_with("unknown field") => {
            // What other programs call it.
            let is_ignore = ["exclude", "excludes", "skip", "ignore-paths"].contains(unknown);
            let meant = (is_ignore && known.contains(&"ignore")).then(|| "ignore".to_owned());
            (format!("unknown option `{unknown}`"), meant.or_else(|| nearest(unknown, known)))
        }
        [unknown, known @ ..] if message.starts_with("unknown variant") => {
            (format!("`{unknown}` is not one of: {}", known.join(", ")), nearest(unknown, known))
        }
        // To other programs they are files to leave out.
        _ if message.contains(EXPECTED_PATHS) => {
            (format!("expected {EXPECTED_PATHS}"), Some("ignore".to_owned()))
        }
        _ => (wrong_type(message).unwrap_or_else(|| message.to_owned()), None),
    }
}

/// Turns serde's "invalid type: string "30", expected usize" into what a person would write.
fn wrong_type(message: &str) -> Option<String> {
    let wrong = message.strip_prefix("invalid type: ");
    let wrong = wrong.or_else(|| message.strip_prefix("invalid value: "))?;
    let (found, expected) = wrong.split_once(", expected ")?;
    let is_number = found.starts_with("integer ");
    let wanted = match expected {
        "u8" if is_number => format!("a whole number from 0 to {}", u8::MAX),
        "u16" if is_number => format!("a whole number from 0 to {}", u16::MAX),
        "usize" | "u32" | "u64" if is_number => "a whole number that is not negative".to_owned(),
        "usize" | "u8" | "u16" | "u32" | "u64" | "i64" | "an integer" => {
            "a whole number".to_owned()
        }
        "f32" | "f64" => "a number".to_owned(),
        "a boolean" => "`true` or `false`".to_owned(),
        "a sequence" => match found.strip_prefix("string ") {
            Some(one) => format!("a list, such as `[{one}]`"),
            None => "a list, such as `[\"one\", \"two\"]`".to_owned(),
        },
        "a string" => "text in quotes".to_owned(),
        other if other == "a map" || other.starts_with("struct ") => "a table".to_owned(),
        other => other.to_owned(),
    };
    let found = match (found, found.split_once(' ')) {
        ("map", _) => "a table".to_owned(),
        ("sequence", _) => "a list".to_owned(),
        (_, Some(("string", text))) => format!("the text {text}"),
        _ => found.to_owned(),
    };
    Some(format!("expected {wanted}, not {found}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_the_wrong_type_is_named_with_what_to_write() {
        let a_list = "expected a list, such as `[\"vendor\"]`, not the text \"vendor\"";
        check("min-tokens = \"30\"", 1, "expected a whole number, not the text \"30\"", None);
        check("ignore = \"vendor\"", 1, a_list, None);
        check("history = 1", 1, "expected `true` or `false`, not integer `1`", None);
        let of_languages = "`min-tokens` is no option of `language`; thresholds are in `languages`";
        let meant = Some("languages.NAME.min-tokens");
        check("[language.pyton]\nmin-tokens = 3", 2, of_languages, meant);
        check("base = true", 1, "expected text in quotes, not boolean `true`", None);
    }

    #[track_caller]
    fn check(toml: &str, line: usize, why: &str, nearest: Option<&str>) {
        let error = RawConfig::parse(toml, "secondhand.toml").expect_err("it is wrong");
        assert_eq!(error.to_string(), format!("cannot read `secondhand.toml`, line {line}: {why}"));
        let help = match nearest {
            Some(of) => format!("did you mean `{of}`? All options: `secondhand config --list`"),
            None => "all options: `secondhand config --list`".to_owned(),
        };
        assert_eq!(error.help(), Some(help));
    }

    #[test]
    fn a_value_of_a_language_table_that_cannot_be_used_is_named_with_its_line_and_key() {
        let table = "[language.zz]\nname = \"ZZ\"\n\n[[language.zz.strings]]\nopen = \"a\"\nclose = \"b\"\n\n";
        let no_language = "there is no language `rsut`; `secondhand languages` lists all";
        let no_extension = "`.c` is not an extension in lower case without its dot";
        let unclosed = "not a regular expression: unclosed group";
        let cases = [
            ("strings", "open = '{'\nclose = []", 10, "`close` of row 2", "nothing closes `{`"),
            ("regions", "begin = '('", 9, "`begin` of row 1", unclosed),
            ("regions", "begin = 'a'\nlanguage = 'rsut'", 10, "`language` of row 1", no_language),
            ("comments", "open = []", 9, "`open` of row 1", "it is empty"),
            ("claims", "extension = '.c'\npattern = 'a'", 9, "`extension` of row 1", no_extension),
        ];
        for (list, row, line, of, why) in cases {
            let toml = format!("{table}[[language.zz.{list}]]\n{row}\n");
            check(&toml, line, &format!("language `zz`, {of} of `{list}`: {why}"), None);
        }
    }
}
