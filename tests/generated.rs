//! Keeps the documents that are made from code current. `UPDATE_EXPECTED=1 cargo test` renews them.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use secondhand::cli;
use secondhand::config::{options, schema};
use secondhand::language::Languages;
use secondhand::policy::RULES;
use secondhand::report;

#[track_caller]
fn check(file: &str, current: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if env::var_os("UPDATE_EXPECTED").is_some() {
        fs::write(&path, current).expect("the docs folder is writable");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == current, "{file} is out of date: renew it with `UPDATE_EXPECTED=1 cargo test --test generated`");
}

#[test]
fn the_rules_are_documented() {
    let mut page = "# Rules\n\nMade from `src/policy/rules`; `secondhand explain RULE` prints the same.\n".to_owned();
    for rule in RULES {
        let _ = write!(page, "\n## {}\n\nDefault level: **{}**\n\n{}", rule.id, rule.level.name(), rule.explanation());
    }
    check("docs/rules.md", &page);
}

#[test]
fn the_options_are_documented() {
    let mut page = "# Configuration\n\nSettings stand in `secondhand.toml` or `.config/secondhand.toml` at the root of the repository. Each can also be set by a\nvariable (`min-tokens` by `SECONDHAND_MIN_TOKENS`) and for one run by `--set min-tokens=40`: flags win, then variables, then the file.\n\nMade from `src/config/raw.rs`; `secondhand config --list` prints the same.\n\n| option | default | what it does |\n|---|---|---|\n".to_owned();
    for option in options() {
        let _ = writeln!(page, "| `{}` | `{}` | {} |", option.name, option.default, option.help);
    }
    check("docs/configuration.md", &page);
}

#[test]
fn the_languages_are_documented() {
    let languages = Languages::builtin();
    let mut page = format!(
        "# Languages\n\nMade from `config/languages`: {} tables.\n\n| language | table | files |\n|---|---|---|\n",
        languages.ids().len()
    );
    for id in languages.ids() {
        let table = languages.table(id).expect("every id has a table");
        let names = table.extensions.iter().map(|extension| format!("`.{extension}`"));
        let names: Vec<_> = names.chain(table.file_names.iter().map(|name| format!("`{name}`"))).collect();
        let _ = writeln!(page, "| {} | `{id}` | {} |", table.name, names.join(" "));
    }
    check("docs/languages.md", &page);
}

#[test]
fn the_command_line_is_documented() {
    check("docs/command-line.md", &cli::reference());
}

#[test]
fn every_command_shows_examples() {
    for command in cli::command().get_subcommands() {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(help.starts_with("Examples:\n"), "`secondhand {} --help` has no examples", command.get_name());
    }
}

#[test]
fn the_report_formats_are_documented() {
    let mut page = "# Reports\n\n`--format FORMAT` chooses what is printed, `-o FILE` where to; `--report FORMAT=FILE` writes a further report, as often as you like.\n\nMade from `src/report`.\n\n| format | what it is for |\n|---|---|\n".to_owned();
    for format in report::FORMATS {
        let _ = writeln!(page, "| `{}` | {} |", format.name, format.help);
    }
    page += "\nThe JSON is versioned, and [its schema](report.schema.json) is published. The SARIF is made for GitHub code scanning: the region of each\nresult lies in lines that the change adds, so that it shows on the pull request.\n";
    page += "\n## Of `secondhand audit`\n\nAll of the above, which begin with what of the tree stands in corpora, and:\n\n| format | what it is for |\n|---|---|\n";
    for format in report::AUDIT_FORMATS.iter().skip(report::FORMATS.len()) {
        let _ = writeln!(page, "| `{}` | {} |", format.name, format.help);
    }
    page += "\n## Of `secondhand compare`\n\n| format | what it is for |\n|---|---|\n";
    for format in report::COMPARISON_FORMATS {
        let _ = writeln!(page, "| `{}` | {} |", format.name, format.help);
    }
    page += "\nThe JSON is versioned; [its schema](comparison.schema.json) is published.\n";
    page += "\n## Of `secondhand history`\n\n| format | what it is for |\n|---|---|\n";
    for format in report::TIMELINE_FORMATS {
        let _ = writeln!(page, "| `{}` | {} |", format.name, format.help);
    }
    page += "\nThe JSON is versioned; [its schema](history.schema.json) is published.\n";
    check("docs/reports.md", &page);
}

#[test]
fn the_schemas_are_published() {
    let pretty =
        |value: &serde_json::Value| format!("{}\n", serde_json::to_string_pretty(value).expect("a schema is JSON"));
    check("docs/config.schema.json", &pretty(&schema()));
    check("docs/report.schema.json", &pretty(&report::schema()));
    check("docs/history.schema.json", &pretty(&report::timeline_schema()));
    check("docs/comparison.schema.json", &pretty(&report::comparison_schema()));
}
