//! Writes the reference of the command line in Markdown, from its definition.

use std::fmt::Write as _;

use clap::{Arg, Command};

/// Flags that several commands have alike are described once.
const SHARED: &str = "Flags of several commands";

/// The page `docs/command-line.md`.
pub fn reference() -> String {
    let mut program = super::command();
    program.build();
    let mut page = "# Command line\n\nGenerated from `src/cli/args.rs` and `src/cli/flags.rs`; `secondhand COMMAND --help` and `secondhand man COMMAND` print\nthe same, with examples.\n".to_owned();
    page += "\n## Flags of every command\n\n";
    for flag in program.get_arguments().filter(|flag| flag.is_global_set()) {
        page += &item(flag);
    }
    let shared = shared_items(&program);
    let _ = write!(page, "\n## {SHARED}\n\n{}", shared.concat());
    for command in shown(&program) {
        section(&mut page, "", command, &shared);
    }
    page
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| command.get_name() != "help")
}

/// The items of flags that several commands have alike, in the order of the page.
fn shared_items(program: &Command) -> Vec<String> {
    let commands = shown(program).flat_map(|command| shown(command).chain([command]));
    let items: Vec<String> =
        commands.flat_map(own_flags).filter(|flag| flag.get_long().is_some()).map(item).collect();
    let mut shared: Vec<String> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        if items[..at].contains(item) && !shared.contains(item) {
            shared.push(item.clone());
        }
    }
    shared
}

fn own_flags(command: &Command) -> impl Iterator<Item = &Arg> {
    let flags = command.get_arguments().filter(|flag| !flag.is_global_set());
    flags.filter(|flag| !matches!(flag.get_id().as_str(), "help" | "version"))
}

fn section(page: &mut String, above: &str, command: &Command, shared: &[String]) {
    let name = format!("{above}{}", command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim().replace(" [OPTIONS]", "");
    let _ = write!(page, "\n## {name}\n\n");
    // Without arguments it is the heading.
    if usage.lines().next() != Some(&format!("secondhand {name}")) {
        let _ = write!(page, "`{usage}`\n\n");
    }
    let _ = writeln!(page, "{about}");
    let (shared_flags, own): (Vec<_>, Vec<_>) =
        own_flags(command).partition(|flag| shared.contains(&item(flag)));
    if !own.is_empty() {
        page.push('\n');
        page.extend(own.into_iter().map(item));
    }
    if !shared_flags.is_empty() {
        let names = shared_flags.iter().filter_map(|flag| flag.get_long());
        let names: Vec<_> = names.map(|name| format!("`--{name}`")).collect();
        let anchor = SHARED.to_lowercase().replace(' ', "-");
        let _ = write!(page, "\n[Also](#{anchor}): {}\n", names.join(", "));
    }
    for inner in shown(command) {
        section(page, &format!("{name} "), inner, shared);
    }
}

fn item(flag: &Arg) -> String {
    let values =
        flag.get_value_names().filter(|_| flag.get_action().takes_values()).unwrap_or_default();
    let values = values.iter().map(|value| format!(" {value}")).collect::<String>();
    let short = flag.get_short().map(|short| format!("-{short}"));
    let long = flag.get_long().map(|long| format!("--{long}"));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    let names = names.join(", ") + &values;
    let mut help = flag.get_help().map(ToString::to_string).unwrap_or_default();
    if help.starts_with("Output format: ") {
        "Output format ([all](reports.md))".clone_into(&mut help);
    }
    if help.starts_with("What to add: ") {
        "What to add ([all kinds](corpora.md#create-one))".clone_into(&mut help);
    }
    let possible: Vec<_> =
        flag.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    if !possible.is_empty() && flag.get_action().takes_values() {
        let _ = write!(help, "; one of {}", possible.join(", "));
    }
    let defaults = flag.get_default_values().iter();
    let defaults: Vec<_> = defaults.map(|value| format!("`{}`", value.to_string_lossy())).collect();
    if !defaults.is_empty() && flag.get_action().takes_values() {
        let _ = write!(help, "; default {}", defaults.join(", "));
    }
    if let Some(variable) = flag.get_env() {
        let _ = write!(help, "; variable `{}`", variable.to_string_lossy());
    }
    format!("- `{}`: {}\n", names.trim(), help.replace('\n', " "))
}
