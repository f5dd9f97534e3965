//! Writes the reference of the command line in Markdown, from its definition.

use std::fmt::Write as _;

use clap::{Arg, Command};

/// The page `docs/command-line.md`.
pub fn reference() -> String {
    let mut program = super::command();
    program.build();
    let mut page = "# Command line\n\nGenerated from `src/cli/args.rs` and `src/cli/flags.rs`; `secondhand COMMAND --help` and `secondhand man COMMAND` print\nthe same.\n".to_owned();
    let _ = write!(
        page,
        "\n```text\n{}\n```\n",
        program.get_after_help().map(ToString::to_string).unwrap_or_default().trim()
    );
    page += "\n## Flags of every command\n\n| flag | what it does |\n|---|---|\n";
    for flag in program.get_arguments().filter(|flag| flag.is_global_set()) {
        page += &row(flag);
    }
    for command in program.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help") {
        section(&mut page, "", command);
    }
    page
}

fn section(page: &mut String, above: &str, command: &Command) {
    let name = format!("{above}{}", command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    let _ = write!(page, "\n## {name}\n\n{about}\n\n```text\n{usage}\n```\n");
    let own: Vec<_> = command.get_arguments().filter(|flag| !flag.is_global_set() && !is_everywhere(flag)).collect();
    if !own.is_empty() {
        page.push_str("\n| flag | what it does |\n|---|---|\n");
        page.extend(own.into_iter().map(row));
    }
    if let Some(examples) = command.get_after_help() {
        let _ = write!(page, "\n```text\n{}\n```\n", examples.to_string().trim());
    }
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        section(page, &format!("{name} "), inner);
    }
}

fn is_everywhere(flag: &Arg) -> bool {
    matches!(flag.get_id().as_str(), "help" | "version")
}

/// A flag as a row of a table.
fn row(flag: &Arg) -> String {
    let values = flag.get_value_names().filter(|_| flag.get_action().takes_values()).unwrap_or_default();
    let values = values.iter().map(|value| format!(" {value}")).collect::<String>();
    let names = match (flag.get_short(), flag.get_long()) {
        (Some(short), Some(long)) => format!("-{short}, --{long}{values}"),
        (None, Some(long)) => format!("--{long}{values}"),
        (Some(short), None) => format!("-{short}{values}"),
        (None, None) => values.trim().to_owned(),
    };
    let mut help = flag.get_help().map(ToString::to_string).unwrap_or_default();
    let possible: Vec<_> = flag.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    if !possible.is_empty() && flag.get_action().takes_values() {
        let _ = write!(help, "; one of {}", possible.join(", "));
    }
    let defaults: Vec<_> =
        flag.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    if !defaults.is_empty() && flag.get_action().takes_values() {
        let _ = write!(help, "; default {}", defaults.join(", "));
    }
    if let Some(variable) = flag.get_env() {
        let _ = write!(help, "; variable `{}`", variable.to_string_lossy());
    }
    format!("| `{names}` | {} |\n", help.replace('|', "\\|").replace('\n', " "))
}
