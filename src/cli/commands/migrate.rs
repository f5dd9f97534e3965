//! Reads the settings of similar tools, for `secondhand init --from`.

use std::path::Path;

use regex::{Captures, Regex};
use serde_json::Value;

use super::survey::text_of;
use crate::cli::args::Tool;
use crate::cli::io::Failure;

#[derive(Default)]
pub(super) struct Migration {
    /// The file that had them.
    pub from: Option<&'static str>,
    /// Our settings, with their values as TOML.
    pub values: Vec<(&'static str, String)>,
    /// Tables, which come last in a file.
    pub tables: String,
    /// What has no counterpart, and why.
    pub left_out: Vec<String>,
}

/// Fewest tokens that copies are found for certain with.
const MIN_TOKENS: u64 = 20;

pub(super) fn read(tool: Tool, root: &Path) -> Result<Migration, Failure> {
    let (files, parse): (&[_], fn(&str) -> Option<Migration>) = match tool {
        Tool::Jscpd => (&[".jscpd.json", "package.json"], jscpd),
        Tool::Pmd => (&["pom.xml", "build.gradle", "build.gradle.kts"], pmd),
        Tool::Sonar => {
            (&["sonar-project.properties", "pom.xml", "build.gradle", "build.gradle.kts"], sonar)
        }
    };
    for &file in files {
        if let Some(migrated) = text_of(&root.join(file)).ok().and_then(|text| parse(&text)) {
            return Ok(Migration { from: Some(file), ..migrated });
        }
    }
    let message = format!("cannot take over settings: none were found in {}", files.join(", "));
    Err(Failure::user(message, "run `secondhand init` without `--from` to write the defaults"))
}

impl Migration {
    /// One that honors the marks of the tool.
    fn of(tool: &str) -> Self {
        Self { values: vec![("honor", format!("[{tool:?}]"))], ..Self::default() }
    }

    fn list(&mut self, key: &'static str, patterns: &[&str]) {
        if !patterns.is_empty() {
            self.values.push((key, Value::from(patterns).to_string()));
        }
    }

    /// A minimum length counts for changes and for trees.
    fn min_tokens(&mut self, n: u64) {
        let n = n.max(MIN_TOKENS).to_string();
        self.values.extend([("min-tokens", n.clone()), ("scan-min-tokens", n)]);
    }
}

fn jscpd(text: &str) -> Option<Migration> {
    let value: Value = serde_json::from_str(text).ok()?;
    let is_package = value.get("name").is_some() && value.get("version").is_some()
        || value.get("jscpd").is_some();
    let settings = if is_package { value.get("jscpd")? } else { &value };
    let mut migrated = Migration::of("jscpd");
    for (key, value) in settings.as_object()? {
        match (key.as_str(), value) {
            ("ignore", Value::Array(patterns)) => {
                let patterns: Vec<&str> = patterns.iter().filter_map(Value::as_str).collect();
                migrated.list("ignore", &patterns);
            }
            ("minTokens", _) => value.as_u64().into_iter().for_each(|n| migrated.min_tokens(n)),
            ("maxSize", _) => match value.as_str().and_then(bytes_of) {
                Some(bytes) => migrated.values.push(("max-file-size", bytes.to_string())),
                None => migrated.left_out.push(format!("`maxSize`: {value} is no size to set")),
            },
            ("blame", Value::Bool(true)) => migrated.values.push(("blame", "true".to_owned())),
            _ => migrated.left_out.push(format!("`{key}`: {}", no_counterpart(key, value))),
        }
    }
    Some(migrated)
}

/// Why a setting of jscpd has none of ours, or what to use instead.
fn no_counterpart(key: &str, value: &Value) -> String {
    let why = match key {
        "threshold" => return format!("use `secondhand scan --fail-on-percent {value}`"),
        "minLines" | "maxLines" => "copies are measured in tokens",
        "format" | "formatsExts" => "every language is read; `ignore` leaves files out",
        "reporters" | "output" => "use `--report FORMAT=FILE`",
        "path" => "name the folders, as in `secondhand scan src`",
        "gitignore" => "what git ignores is left out in any case",
        "exitCode" => "the status is 1 from `fail-on` on",
        _ => "it has no counterpart",
    };
    why.to_owned()
}

/// `100kb` in bytes.
fn bytes_of(text: &str) -> Option<u64> {
    let lower = text.trim().to_ascii_lowercase();
    let number = lower.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match lower[number.len()..].trim() {
        "kb" | "k" => 1_u64 << 10,
        "mb" | "m" => 1 << 20,
        "gb" | "g" => 1 << 30,
        "b" | "" => 1,
        _ => return None,
    };
    let bytes = number.parse::<f64>().ok()? * unit as f64;
    (1.0..i64::MAX as f64).contains(&bytes).then_some(bytes as u64)
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is valid")
}

fn pmd(text: &str) -> Option<Migration> {
    // Other plugins exclude files, too.
    let plugin = text.split("maven-pmd-plugin").nth(1);
    if plugin.is_none() && !text.contains("cpd") {
        return None;
    }
    let own = plugin.map_or(text, |rest| rest.split("</plugin>").next().unwrap_or(rest));
    let mut migrated = Migration::of("pmd");
    let tokens = pattern(r"minimumTokens>\s*(\d+)|minimumTokenCount[\s=(.set]*(\d+)");
    let tokens = tokens.captures(own);
    let tokens = tokens.and_then(|found| found.get(1).or(found.get(2))?.as_str().parse().ok());
    tokens.into_iter().for_each(|n| migrated.min_tokens(n));
    let excluded = pattern(r"<exclude>\s*([^<\s]+)\s*</exclude>");
    let excluded = excluded.captures_iter(own).filter_map(|found| Some(found.get(1)?.as_str()));
    migrated.list("ignore", &excluded.collect::<Vec<_>>());
    for key in ["ignoreIdentifiers", "ignoreLiterals", "ignoreAnnotations"] {
        if own.contains(key) {
            let why = "copies with other names and literals are always found";
            migrated.left_out.push(format!("`{key}`: {why}"));
        }
    }
    Some(migrated)
}

fn sonar(text: &str) -> Option<Migration> {
    // In properties of Java, those of Maven, and a script of Gradle.
    let pairs = pattern(
        r#"(?m)^[ \t]*(sonar\.[\w.]+)[ \t]*[=:](.*)$|<(sonar\.[\w.]+)>([^<]*)<|["'](sonar\.[\w.]+)["']\s*,\s*["']([^"']*)["']"#,
    );
    let mut migrated = Migration::of("sonar");
    let joined = text.replace("\\\r\n", "").replace("\\\n", "");
    let pairs = pairs.captures_iter(&joined);
    let pairs: Vec<(&str, &str)> = pairs.filter_map(|found| pair(&found)).collect();
    if pairs.is_empty() {
        return None;
    }
    let (mut ignored, mut tests) = (Vec::new(), Vec::new());
    for (key, value) in pairs {
        let patterns = value.split(',').map(str::trim).filter(|pattern| !pattern.is_empty());
        match key {
            "sonar.cpd.exclusions" | "sonar.exclusions" => ignored.extend(patterns),
            "sonar.tests" | "sonar.test.inclusions" => tests.extend(patterns),
            _ => {
                let rest = key.strip_prefix("sonar.cpd.").and_then(|rest| rest.split_once('.'));
                let Some((language, what)) = rest else { continue };
                match (what.to_ascii_lowercase().as_str(), value.parse::<u64>()) {
                    ("minimumtokens", Ok(n)) => {
                        let n = n.max(MIN_TOKENS);
                        migrated.tables += &format!(
                            "\n[languages.{language}]\nmin-tokens = {n}\nscan-min-tokens = {n}\n"
                        );
                    }
                    _ => migrated.left_out.push(format!("`{key}`: copies are measured in tokens")),
                }
            }
        }
    }
    migrated.list("ignore", &ignored);
    migrated.list("tests", &tests);
    Some(migrated)
}

/// A key and its value, by whichever alternative of a pattern found them.
fn pair<'t>(found: &Captures<'t>) -> Option<(&'t str, &'t str)> {
    let mut groups = found.iter().skip(1).flatten();
    Some((groups.next()?.as_str(), groups.next()?.as_str().trim()))
}
