//! Keeps the documents that are made from code current. `UPDATE_EXPECTED=1 cargo test --test it
//! generated` renews them.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use secondhand::cli;
use secondhand::config::{ConfigOption, options, schema};
use secondhand::language::Languages;
use secondhand::policy::RULES;
use secondhand::report;
use secondhand::sources::SOURCES;
use serde_json::Value;

#[track_caller]
fn check(file: &str, current: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if env::var_os("UPDATE_EXPECTED").is_some() {
        fs::write(&path, current).expect("the docs folder is writable");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == current,
        "{file} is out of date: renew it with `UPDATE_EXPECTED=1 cargo test --test it generated`"
    );
}

#[test]
fn the_rules_are_documented() {
    let mut page =
        "# Rules\n\nGenerated from `src/policy/rules`; `secondhand explain RULE` prints the same, and [how to accept a\nfinding](how-to/finding.md#which-way-to-accept-it).\n".to_owned();
    for rule in RULES {
        assert!(
            rule.finds.len() <= 1024,
            "{} is longer than code scanning of GitHub takes",
            rule.id
        );
        let explanation = rule.explanation();
        let (text, _) = explanation
            .rsplit_once("\n\n**How to accept it.**")
            .expect("a rule says how to accept it");
        let _ = write!(
            page,
            "\n## {}\n\nDefault level: **{}**\n\n{text}\n",
            rule.id,
            rule.level.name()
        );
    }
    check("docs/rules.md", &page);
}

fn list_options(page: &mut String, options: &[ConfigOption]) {
    for ConfigOption { name, help, default, .. } in options {
        let _ = writeln!(page, "- `{name}` (`{default}`): {help}");
    }
}

#[test]
fn the_options_are_documented() {
    let mut page = "# Configuration\n\nSettings are read from `secondhand.toml` or `.config/secondhand.toml` at the root of the repository. Each can also be\nset in the environment (`min-tokens` as `SECONDHAND_MIN_TOKENS`), or for one run with `--set min-tokens=40`. Flags\noverride the environment, and the environment overrides the file. `secondhand config` shows where each value comes from.\n\nThresholds can differ by language and by path ([how](how-to/tuning.md#by-language-and-by-path)).\n\nGenerated from `src/config/raw.rs`; `secondhand config --list` prints the same. Defaults are in parentheses.\n\n".to_owned();
    let (advanced, usual): (Vec<_>, Vec<_>) =
        options().into_iter().partition(|option| option.is_advanced);
    list_options(&mut page, &usual);
    page += "\n## Advanced\n\nThresholds whose defaults were chosen [by measurement](measurements/accuracy.md).\n\n";
    list_options(&mut page, &advanced);
    check("docs/configuration.md", &page);
}

#[test]
fn the_languages_are_documented() {
    let languages = Languages::builtin();
    let mut page = format!(
        "# Languages\n\nGenerated from `config/languages`: {} tables. Settings name a language by the word in parentheses, or else by\nits name in lower case with hyphens. `secondhand languages NAME` shows its extensions and file names, and `secondhand\nlanguages .EXT` finds one by extension.\n",
        languages.ids().len()
    );
    let mut initial = None;
    for id in languages.ids() {
        let table = languages.table(id).expect("every id has a table");
        let first = id.chars().next();
        if first != initial {
            page.push('\n');
            initial = first;
        }
        let is_name = table.name.to_lowercase().replace(' ', "-") == id;
        let id = if is_name { String::new() } else { format!(" (`{id}`)") };
        let _ = writeln!(page, "{}{id},", table.name);
    }
    check("docs/languages.md", &page);
}

/// The keys of language tables, from the documentation of the structs that read them.
#[test]
fn the_keys_of_language_tables_are_documented() {
    let source = include_str!("../../src/language/table.rs");
    let places = [
        ("Table", "`[language.NAME]`"),
        ("Claim", "`[[language.NAME.claims]]`"),
        ("TextRow", "`[[language.NAME.comments]]` and `[[language.NAME.strings]]`"),
        ("OpenerPlace", "Values of `where`"),
        ("Heredoc", "`[[language.NAME.heredocs]]`"),
        ("Import", "`[[language.NAME.imports]]`"),
        ("ImportEnd", "Values of `ends`"),
        ("Region", "`[[language.NAME.regions]]`"),
        ("Helper", "`[language.NAME.helper]`"),
        ("HelperValue", "`[[language.NAME.helper.values]]`"),
        ("Delimiters", "A pair"),
        ("Example", "`[[language.NAME.examples]]`"),
    ];
    let mut page = "# Language table keys\n\nGenerated from `src/language/table.rs`. [Add a language](how-to/languages.md) shows them in use.\nKeys that say *whether* are booleans; words are one text, separated by white space.\n".to_owned();
    for (name, title) in places {
        let (before, body) = declaration(source, name);
        let _ = write!(page, "\n## {title}\n\n{before}\n\n");
        let members = members(body);
        // The variants of an enum are values themselves.
        let is_enum = members.iter().all(|(_, kind, _)| kind.is_empty());
        for (key, kind, says) in members {
            let words = says.strip_suffix(" Separated by white space.");
            let kind = match words {
                _ if is_enum || says.starts_with("Whether ") => String::new(),
                Some(_) => " (words)".to_owned(),
                None => format!(" ({kind})"),
            };
            let _ = writeln!(page, "- `{key}`{kind}: {}", words.unwrap_or(&says));
        }
    }
    check("docs/language-tables.md", &page);
}

/// The documentation of a struct or enum, and what stands in its braces.
fn declaration<'s>(source: &'s str, name: &str) -> (String, &'s str) {
    let at = [format!("pub struct {name} {{\n"), format!("pub enum {name} {{\n")]
        .iter()
        .find_map(|head| Some((source.find(head.as_str())?, head.len())));
    let (at, n_head) = at.unwrap_or_else(|| panic!("there is no {name}"));
    let body = &source[at + n_head..];
    let before: Vec<&str> = source[..at]
        .lines()
        .rev()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("///"))
        .collect();
    let before: Vec<&str> = before.into_iter().rev().map(str::trim).collect();
    (before.join("\n"), &body[..body.find("\n}\n").expect("it ends")])
}

/// The fields or variants in the braces of a declaration: the key, what its value is, and what is
/// said of it.
fn members(body: &str) -> Vec<(String, &'static str, String)> {
    let mut members = Vec::new();
    let (mut says, mut renamed) = (Vec::new(), None);
    for line in body.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            says.push(text.trim());
        } else if line.starts_with("#[") {
            renamed = line
                .split_once("rename = \"")
                .and_then(|(_, rest)| rest.split('"').next())
                .or(renamed);
        } else if !line.is_empty() {
            let (name, kind) = line
                .trim_start_matches("pub ")
                .trim_end_matches(',')
                .split_once(": ")
                .unwrap_or((line.trim_end_matches(','), ""));
            let mut key = String::new();
            for (at, c) in renamed.unwrap_or(name).chars().enumerate() {
                if c == '_' || at > 0 && c.is_ascii_uppercase() {
                    key.push('-');
                }
                key.extend(Some(c.to_ascii_lowercase()).filter(|c| *c != '_'));
            }
            members.push((key, value_in_words(kind), says.join(" ")));
            (says, renamed) = (Vec::new(), None);
        }
    }
    members
}

/// What a value of a Rust type is in a settings file.
fn value_in_words(kind: &str) -> &'static str {
    match kind {
        "" => "",
        "String" | "Option<String>" => "text",
        "bool" | "Option<bool>" => "boolean",
        "Vec<String>" => "texts",
        "OneOrMany" | "Option<OneOrMany>" => "text or texts",
        "Option<char>" => "a character",
        "i32" => "whole number",
        "OpenerPlace" | "ImportEnd" => "one of those below",
        "Option<Delimiters>" => "a pair: `open`, `close`",
        "Vec<Delimiters>" => "pairs: `open`, `close`",
        "Option<Helper>" => "a table, see below",
        kind if kind.starts_with("Vec<") => "tables, see below",
        kind => panic!("say what a value of type {kind} is"),
    }
}

#[test]
fn the_command_line_is_documented() {
    check("docs/command-line.md", &cli::reference());
}

#[test]
fn every_command_shows_examples() {
    for command in cli::command().get_subcommands() {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(
            help.starts_with("Examples:\n"),
            "`secondhand {} --help` has no examples",
            command.get_name()
        );
    }
}

#[test]
fn the_report_formats_are_documented() {
    let mut page =
        "# Reports\n\nFormats for `--format` and `--report`. Generated from `src/report`.\n\n"
            .to_owned();
    page += &list(report::FORMATS);
    page += "\nThe JSON is versioned: [schema](report.schema.json). The SARIF targets GitHub code scanning: the region of each result\nconsists of lines that the change adds, so that it shows up on the pull request.\n";
    page += "\n## `secondhand audit`\n\nAll of the above, which start with a summary of the code found in corpora, and:\n\n";
    page += &list(report::AUDIT_FORMATS);
    page += "\n## `secondhand scan`\n\nAll of the first list, and:\n\n";
    page += &list(report::SCAN_FORMATS);
    page += "\nA scheduled job keeps a trend with `secondhand scan --rev HEAD --format trend >> trend.jsonl`.\n";
    for (command, schema, formats) in [
        ("compare", "comparison", list(report::COMPARISON_FORMATS)),
        ("resemblance", "resemblance", list(report::RESEMBLANCE_FORMATS)),
        ("find", "find", list(report::FIND_FORMATS)),
        ("history", "history", list(report::TIMELINE_FORMATS)),
        ("report", "organization", list(report::ORGANIZATION_FORMATS)),
    ] {
        let json = format!("JSON of [this schema]({schema}.schema.json)");
        let formats = formats.replace("versioned JSON for programs", &json);
        let _ = write!(page, "\n## `secondhand {command}`\n\n{formats}");
    }
    check("docs/reports.md", &page);
}

fn list<T>(formats: &[report::Format<T>]) -> String {
    formats.iter().map(|format| format!("- `{}`: {}\n", format.name, format.help)).collect()
}

/// The lists that pages written by hand repeat.
#[test]
fn the_readme_names_the_formats_and_the_page_on_corpora_the_sources() {
    let page = |file: &str| {
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file))
            .expect("the page is there")
    };
    let readme = page("README.md");
    let (before, _) =
        readme.split_once("](docs/reports.md)").expect("the README links the page on formats");
    let (_, named) = before.rsplit_once('[').expect("the link has a text");
    let formats: Vec<_> = report::FORMATS.iter().map(|format| format.name).collect();
    let named = named.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(named, formats.join(", "), "README.md: the formats");

    let corpora = page("docs/corpora.md");
    let named = corpora
        .lines()
        .skip_while(|line| *line != "|---|---|")
        .skip(1)
        .take_while(|line| !line.is_empty());
    let sources = SOURCES.iter().map(|source| format!("| {} | {} |", source.name, source.help));
    assert_eq!(
        named.collect::<Vec<_>>(),
        sources.collect::<Vec<_>>(),
        "docs/corpora.md: the first table"
    );
}

#[test]
fn the_schemas_are_published() {
    let pretty = |value: &Value| {
        format!("{}\n", serde_json::to_string_pretty(value).expect("a schema is JSON"))
    };
    check("docs/config.schema.json", &pretty(&schema()));
    for (name, schema) in report::SCHEMAS {
        check(&format!("docs/{name}.schema.json"), &pretty(&schema()));
    }
}

/// A report that is valid by the published schema of this name.
#[track_caller]
pub fn valid(report: &str, name: &str) -> Value {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/{name}.schema.json"));
    let schema = fs::read_to_string(schema).expect("it is published");
    let schema = serde_json::from_str(&schema).expect("a schema is JSON");
    let schema = jsonschema::validator_for(&schema).expect("the schema is one");
    let report: Value = serde_json::from_str(report).expect("it is JSON");
    let faults: Vec<_> = schema.iter_errors(&report).map(|error| error.to_string()).collect();
    assert_eq!(faults, [""; 0]);
    report
}
