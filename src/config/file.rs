//! Finds and reads `secondhand.toml`, and explains what is wrong with it.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::de::{DeTable, DeValue};

use super::raw::RawConfig;
use super::regular::{MAX_SETTINGS, read_text};
use crate::language::{Languages, TableError};
use crate::policy::{DateError, Decision};
use crate::text::nearest;

/// The settings files of a repository, relative to its root; the first one that exists is used.
pub const NAMES: &[&str] = &["secondhand.toml", ".config/secondhand.toml"];

/// Why settings could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file exists but cannot be read.
    #[error("cannot read `{}`: {why}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// The reason.
        why: std::io::Error,
    },
    /// The file is not TOML, has an unknown key, or a value of another type.
    #[error("cannot read `{file}`, line {line}: {why}")]
    Syntax {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        why: String,
        /// The key that may have been meant.
        nearest: Option<String>,
    },
    /// A key is unknown, or its value cannot be used.
    #[error("cannot use `{key}` of {file}: {why}")]
    Value {
        /// The file, or where else it was set.
        file: String,
        /// The key.
        key: String,
        /// What is wrong with it.
        why: String,
        /// The key or value that may have been meant.
        nearest: Option<String>,
    },
}

impl ConfigError {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Syntax { nearest: Some(nearest), .. } | Self::Value { nearest: Some(nearest), .. } => {
                Some(format!("did you mean `{nearest}`? All options: `secondhand config --list`"))
            }
            Self::Syntax { .. } | Self::Value { .. } => Some("all options: `secondhand config --list`".into()),
            Self::File { .. } => None,
        }
    }
}

/// The settings file of the repository at `root`, if it has one.
pub fn find(root: &Path) -> Option<PathBuf> {
    // Anything with this name counts, so that a folder or a dead link there is an error.
    NAMES.iter().map(|name| root.join(name)).find(|path| path.symlink_metadata().is_ok())
}

impl RawConfig {
    /// Reads a settings file, of the repository at `root` if there is one.
    ///
    /// # Errors
    /// [`ConfigError::File`] when it cannot be read, else as [`RawConfig::parse`].
    pub fn read(file: &Path, root: Option<&Path>) -> Result<Self, ConfigError> {
        let text =
            read_text(file, root, MAX_SETTINGS).map_err(|why| ConfigError::File { file: file.to_owned(), why })?;
        let name =
            file.file_name().map_or_else(|| file.display().to_string(), |name| name.to_string_lossy().into_owned());
        Self::parse(&text, &name)
    }

    /// Reads settings from TOML; `name` is the file name, for messages.
    ///
    /// # Errors
    /// [`ConfigError::Syntax`] with the line, and for an unknown key the nearest known one.
    pub fn parse(text: &str, name: &str) -> Result<Self, ConfigError> {
        let raw: Self = parsed(text, name)?;
        raw.check_languages().map_err(|(id, error)| {
            let line = line_at(text, place(text, &id, &error));
            let why = format!("language `{id}`, {error}");
            ConfigError::Syntax { file: name.to_owned(), line, why, nearest: None }
        })?;
        Ok(raw)
    }

    /// Checks languages that are added or changed, while the text that defines them is at hand.
    fn check_languages(&self) -> Result<(), (String, TableError)> {
        if self.language.is_empty() {
            return Ok(());
        }
        let mut languages = Languages::builtin();
        for (id, table) in &self.language {
            languages.add(id, table.clone()).map_err(|error| (id.clone(), error))?;
        }
        // Languages may refer to each other, so all of them must be defined first.
        let check = |id: &String| languages.check_references(id).map_err(|error| (id.clone(), error));
        self.language.keys().try_for_each(check)
    }
}

/// The line, from 1, of the byte at `offset`.
fn line_at(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset.min(text.len())].iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// The offset of the key that `error` is about in the table of language `id`, or of the nearest thing to it.
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

/// A decisions file as written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RawDecisions {
    decision: Vec<RawDecision>,
}

/// A decision as written; path, lines and origin are for people.
#[derive(Debug, Default, Deserialize)]
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
///
/// # Errors
/// [`ConfigError::Syntax`] with the line, [`ConfigError::Value`] for an invalid date.
pub fn decisions(text: &str, name: &str) -> Result<Vec<Decision>, ConfigError> {
    let RawDecisions { decision } = parsed(text, name)?;
    let complete = |raw: RawDecision| {
        let day = |text: &str| {
            text.parse().map_err(|why: DateError| ConfigError::Value {
                file: name.to_owned(),
                key: "decision.until".to_owned(),
                why: why.to_string(),
                nearest: None,
            })
        };
        let until = raw.until.as_deref().filter(|text| !text.is_empty()).map(day).transpose()?;
        Ok(Decision { copy: raw.copy, by: raw.by, reason: raw.reason, until })
    };
    decision.into_iter().map(complete).collect()
}

impl RawConfig {
    /// These settings with the option `key` set to `value`, written as TOML, or as bare text.
    ///
    /// # Errors
    /// [`ConfigError::Value`] if the option does not exist or rejects the value; `origin` names who set it.
    pub fn with(&self, key: &str, value: &str, origin: &str) -> Result<Self, ConfigError> {
        let invalid =
            |(why, nearest)| ConfigError::Value { file: origin.to_owned(), key: key.to_owned(), why, nearest };
        let parsed = format!("v = {value}").parse::<toml::Table>().ok().and_then(|mut table| table.remove("v"));
        let value = parsed.unwrap_or_else(|| toml::Value::String(value.to_owned()));
        let mut table = toml::Table::try_from(self).map_err(|error| invalid((error.to_string(), None)))?;
        let mut path = key.split('.').rev();
        let last = path.next().unwrap_or(key);
        let nested = path.fold(toml::Table::from_iter([(last.to_owned(), value)]), |inner, name| {
            toml::Table::from_iter([(name.to_owned(), toml::Value::Table(inner))])
        });
        merge(&mut table, nested);
        let set: Self = table.try_into().map_err(|error: toml::de::Error| invalid(explain(error.message())))?;
        // A user's languages are not serialized: keep them as they were read.
        Ok(Self { language: self.language.clone(), ..set })
    }

    /// The value of the option `key`, as TOML. Of a number that TOML cannot write, its digits.
    pub fn get(&self, key: &str) -> Option<String> {
        let mut written = serde_json::to_value(self).ok()?;
        let value = written.get_mut(key)?.take();
        let text = toml::Value::try_from(&value).map_or_else(|_| value.to_string(), |value| value.to_string());
        Some(text)
    }
}

fn merge(table: &mut toml::Table, other: toml::Table) {
    for (key, value) in other {
        match (table.get_mut(&key), value) {
            (Some(toml::Value::Table(inner)), toml::Value::Table(other)) => merge(inner, other),
            (_, value) => {
                table.insert(key, value);
            }
        }
    }
}

/// Reads built-in settings.
pub(super) fn part<T: serde::de::DeserializeOwned>(text: &str) -> Option<T> {
    toml::from_str(text).ok()
}

/// Turns serde's "unknown field `x`, expected one of `a`, `b`" into our own message, with the nearest known field.
fn explain(message: &str) -> (String, Option<String>) {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match quoted.as_slice() {
        [unknown, known @ ..] if message.starts_with("unknown field") => {
            // What other programs call it.
            let is_ignore = ["exclude", "excludes", "skip", "paths", "ignore-paths"].contains(unknown);
            let meant = if is_ignore && known.contains(&"ignore") { Some("ignore".to_owned()) } else { None };
            (format!("unknown option `{unknown}`"), meant.or_else(|| nearest(unknown, known)))
        }
        [unknown, known @ ..] if message.starts_with("unknown variant") => {
            (format!("`{unknown}` is not one of: {}", known.join(", ")), nearest(unknown, known))
        }
        _ => (message.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(toml: &str, message: &str, help: &str) {
        let error = RawConfig::parse(toml, "secondhand.toml").expect_err("it is wrong");
        assert_eq!(error.to_string(), message);
        assert_eq!(error.help().as_deref(), Some(help));
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line_and_the_nearest_one() {
        check(
            "# size\n\nmin-token = 40\n",
            "cannot read `secondhand.toml`, line 3: unknown option `min-token`",
            "did you mean `min-tokens`? All options: `secondhand config --list`",
        );
    }

    #[test]
    fn a_value_of_a_language_table_that_cannot_be_used_is_named_with_its_line_and_key() {
        let table = "[language.zz]\nname = \"ZZ\"\n\n[[language.zz.strings]]\nopen = \"a\"\nclose = \"b\"\n\n";
        let cases = [
            (
                "[[language.zz.strings]]\nopen = \"{\"\nclose = []\n",
                10,
                "`close` of row 2 of `strings`: nothing closes `{`",
            ),
            (
                "[[language.zz.regions]]\nbegin = \"(\"\n",
                9,
                "`begin` of row 1 of `regions`: not a regular expression: unclosed group",
            ),
            (
                "[[language.zz.regions]]\nbegin = \"a\"\nlanguage = \"rsut\"\n",
                10,
                "`language` of row 1 of `regions`: there is no language `rsut`; `secondhand languages` lists all",
            ),
            ("[[language.zz.comments]]\nopen = []\n", 9, "`open` of row 1 of `comments`: it is empty"),
            (
                "[[language.zz.claims]]\nextension = \".c\"\npattern = \"a\"\n",
                9,
                "`extension` of row 1 of `claims`: `.c` is not an extension in lower case without its dot",
            ),
        ];
        for (row, line, why) in cases {
            check(
                &format!("{table}{row}"),
                &format!("cannot read `secondhand.toml`, line {line}: language `zz`, {why}"),
                "all options: `secondhand config --list`",
            );
        }
    }

    #[test]
    fn a_level_that_is_none_is_named_with_those_there_are() {
        check(
            "[rules]\ncopied-code = \"warn\"\n",
            "cannot read `secondhand.toml`, line 2: `warn` is not one of: off, note, warning, error",
            "did you mean `warning`? All options: `secondhand config --list`",
        );
    }
}
