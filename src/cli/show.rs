//! Runs the commands that only tell: `explain`, `languages`, `config`, `completions`, `man`.

use std::fmt::Write as _;
use std::path::Path;

use clap::CommandFactory;

use super::args::{Cli, Common};
use super::error::Failure;
use super::output::print_text;
use super::{CLEAN, settings};
use crate::config::{RawConfig, options, schema};
use crate::git::Repository;
use crate::language::{Kind, Languages};
use crate::policy::{RULES, rule};
use crate::text::{FilePath, Lines, printable};

pub(super) fn explain(id: Option<&str>) -> Result<u8, Failure> {
    let Some(id) = id else {
        let rows = RULES.iter().map(|rule| format!("{:<20} {:<8} {}\n", rule.id, rule.level.name(), rule.summary));
        print_text(&rows.collect::<String>())?;
        return Ok(CLEAN);
    };
    let Some(rule) = rule(id) else {
        let known = RULES.iter().map(|rule| rule.id.to_owned()).collect();
        return Err(Failure::Unknown { what: "rule", name: id.to_owned(), known });
    };
    print_text(&format!("# {} ({})\n\n{}", rule.id, rule.level.name(), rule.explanation()))?;
    Ok(CLEAN)
}

pub(super) fn languages(file: Option<&Path>, tokens: Option<&Path>, common: &Common) -> Result<u8, Failure> {
    let repository = Repository::discover(&common.repo).ok();
    let (config, origin) = settings::read(common, repository.as_ref().map(Repository::root), &[])?;
    let languages = config.languages(&origin)?;
    let text = match (file, tokens) {
        (Some(path), _) => language_of(path, &languages)?,
        (None, Some(path)) => tokens_of(path, &languages)?,
        (None, None) => list_languages(&languages),
    };
    print_text(&text)?;
    Ok(CLEAN)
}

fn list_languages(languages: &Languages) -> String {
    let mut text = String::new();
    for table in languages.ids().iter().filter_map(|id| Some((id, languages.table(id)?))) {
        let (id, table) = table;
        let names = table.extensions.iter().map(|extension| format!(".{extension}"));
        let names: Vec<_> = names.chain(table.file_names.iter().cloned()).collect();
        let _ = writeln!(text, "{id:<20} {:<24} {}", table.name, names.join(" "));
    }
    text
}

fn read(path: &Path) -> Result<(FilePath, Vec<u8>), Failure> {
    let text = std::fs::read(path).map_err(|why| Failure::Unreadable { file: path.to_owned(), why })?;
    Ok((FilePath::new(path.as_os_str().as_encoded_bytes()), text))
}

fn language_of(path: &Path, languages: &Languages) -> Result<String, Failure> {
    let (path, text) = read(path)?;
    Ok(match languages.identify(&path, &text) {
        Some(language) => {
            format!("{path}: {} (table `{}`, family `{}`)\n", language.name, language.id, language.family)
        }
        None => format!("{path}: no language knows this name or first line\n"),
    })
}

fn tokens_of(path: &Path, languages: &Languages) -> Result<String, Failure> {
    let (path, text) = read(path)?;
    let Some(language) = languages.identify(&path, &text) else {
        return Ok(format!("{path}: no language knows this name or first line\n"));
    };
    let mut tokens = Vec::new();
    language.lexer.tokenize(&text, &mut tokens);
    let lines = Lines::new(&text);
    let mut shown = String::new();
    for token in &tokens {
        let kind = match token.kind() {
            Kind::Identifier => "identifier",
            Kind::Keyword => "keyword",
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Punctuation => "punctuation",
        };
        let at = lines.position(&text, token.start);
        let _ = writeln!(shown, "{}:{}\t{kind}\t{}", at.line, at.column, printable(token.text(&text)));
    }
    Ok(shown)
}

pub(super) fn config(list: bool, is_schema: bool, common: &Common) -> Result<u8, Failure> {
    if is_schema {
        let schema = serde_json::to_string_pretty(&schema()).unwrap_or_default();
        print_text(&format!("{schema}\n"))?;
    } else if list {
        let rows =
            options().into_iter().map(|option| format!("# {}\n{} = {}\n\n", option.help, option.name, option.default));
        print_text(&rows.collect::<String>())?;
    } else {
        let repository = Repository::discover(&common.repo).ok();
        let root = repository.as_ref().map(Repository::root);
        let (_, origin) = settings::read(common, root, &[])?;
        let defaults = RawConfig::default();
        let raw = settings::raw(common, root, &[])?.0;
        let rows = options().into_iter().filter_map(|option| {
            let value = raw.get(&option.name)?;
            let mark = if Some(&value) == defaults.get(&option.name).as_ref() { "" } else { "  # changed" };
            Some(format!("{} = {value}{mark}\n", option.name))
        });
        print_text(&format!("# from {origin}\n{}", rows.collect::<String>()))?;
    }
    Ok(CLEAN)
}

pub(super) fn completions(shell: clap_complete::Shell) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "secondhand", &mut script);
    print_text(&String::from_utf8_lossy(&script))?;
    Ok(CLEAN)
}

pub(super) fn manual(name: Option<&str>, folder: Option<&Path>) -> Result<u8, Failure> {
    let mut program = Cli::command();
    if let Some(folder) = folder {
        let not_written = |why| Failure::NotWritten { file: folder.to_owned(), why };
        std::fs::create_dir_all(folder).map_err(not_written)?;
        clap_mangen::generate_to(program, folder).map_err(not_written)?;
        return Ok(CLEAN);
    }
    // Building it gives the commands the flags that all of them take.
    program.build();
    let page = match name {
        None => program,
        Some(name) => program.find_subcommand(name).cloned().ok_or_else(|| Failure::Unknown {
            what: "command",
            name: name.to_owned(),
            known: Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect(),
        })?,
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text).map_err(Failure::Output)?;
    print_text(&String::from_utf8_lossy(&text))?;
    Ok(CLEAN)
}
