//! Runs `secondhand init`: writes the settings, a workflow and a hook, as they fit what the repository has.
//!
//! Invariant: without `--force` no file that is there is replaced; to a file that lists hooks an entry is added, and
//! all else in it stays. A second run changes nothing.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::survey::{Survey, System};
use crate::cli::CLEAN;
use crate::cli::args::Init;
use crate::cli::flags::Common;
use crate::cli::io::destination::{Checkout, temporary_in};
use crate::cli::io::error::Failure;
use crate::cli::io::output::print_text;
use crate::config::{ConfigOption, MAX_SETTINGS, find, options};
use crate::files;
use crate::git::{self, Repository};
use crate::policy::RULES;
use crate::text::{count, printable};

const SETTINGS: &str = include_str!("../../../config/templates/secondhand.toml");
/// Examples for tables that are empty by default, by the name of the table.
const EXAMPLES: [(&str, &str); 3] = [
    ("language", include_str!("../../../config/templates/examples/language.toml")),
    ("license", include_str!("../../../config/templates/examples/license.toml")),
    ("vendored", include_str!("../../../config/templates/examples/vendored.toml")),
];
const WORKFLOW: &str = include_str!("../../../config/templates/workflow.yml");
const PRE_COMMIT: &str = include_str!("../../../config/templates/pre-commit.yaml");
const LEFTHOOK: &str = include_str!("../../../config/templates/lefthook.yml");
const HOOK: &str = include_str!("../../../config/templates/pre-commit.sh");

const WORKFLOW_FILE: &str = ".github/workflows/secondhand.yml";
/// Where the documentation is.
const PAGES: &str = "https://github.com/secondhand-audit/secondhand/blob/main/docs/how-to/";
/// The line of a hook that a script may already have.
const HOOK_LINE: &str = "secondhand check --staged";
/// Wrap width for explanations in the settings.
const WIDTH: usize = 100;

pub(in crate::cli) fn run(flags: &Init, common: &Common) -> Result<u8, Failure> {
    let repository = Repository::discover(&common.repo)?;
    let root = repository.root();
    if !repository.has_work_tree() {
        return Err(git::Error::Bare { what: "work tree", root: root.to_owned() }.into());
    }
    let checkout = Checkout::of_repository(&repository);
    let survey = Survey::of(&repository)?;
    let mut summary = String::new();
    match find(root) {
        Some(file) if !flags.force => {
            summary += &format!("kept {}: it is there already; `--force` overwrites it\n", shown(&file, root));
        }
        file => {
            let file = file.unwrap_or_else(|| root.join("secondhand.toml"));
            write(&file, &checkout, &settings(&survey), flags.force)?;
            summary += &format!("wrote {}: every setting with its default, explained\n", shown(&file, root));
            if let n @ 1.. = survey.components.len() {
                summary += &format!("  with {}, whose licenses count\n", count(n, "vendored folder"));
            }
        }
    }
    summary += &workflow(flags, root, &checkout)?;
    summary += &hook(flags, &repository)?;
    for system in &survey.systems {
        let System { name, settings, page } = system;
        summary += &format!("also: {settings} is here; {PAGES}{page}.md shows what to add for {name}\n");
    }
    summary += "next: `secondhand check` checks this branch\n";
    if !common.quiet {
        print_text(&summary)?;
    }
    Ok(CLEAN)
}

/// Writes the workflow where it is asked for, or where this is a repository of GitHub's that has none of ours.
fn workflow(flags: &Init, root: &Path, checkout: &Checkout) -> Result<String, Failure> {
    let folder = root.join(".github/workflows");
    if !flags.workflow && !root.join(".github").is_dir() {
        return Ok(String::new());
    }
    let names_us = |file: &Path| text_of(file).is_ok_and(|text| text.contains("secondhand"));
    let mut others: Vec<_> = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    others.sort();
    if let Some(file) = others.iter().find(|file| names_us(file))
        && !(flags.force && flags.workflow)
    {
        return Ok(format!("kept {}: it names secondhand\n", shown(file, root)));
    }
    write(&root.join(WORKFLOW_FILE), checkout, WORKFLOW, flags.force)?;
    Ok(format!("wrote {WORKFLOW_FILE}: every new pull request will be checked\n"))
}

/// Adds the hook where it is asked for, or where something runs hooks already.
fn hook(flags: &Init, repository: &Repository) -> Result<String, Failure> {
    let manager = Manager::of(repository.root());
    if flags.hook {
        return manager.install(repository, flags.force);
    }
    if matches!(manager, Manager::None) {
        return Ok("also: `secondhand init --hook` checks each commit\n".to_owned());
    }
    match manager.install(repository, false) {
        // The rest is optional: without a flag for it, it is no reason to fail.
        Err(failure @ Failure::Form { entry, .. }) => {
            let failure = printable(failure.to_string().as_bytes());
            Ok(format!("also: {failure}; add this by hand:\n{entry}\n"))
        }
        done => done,
    }
}

/// What manages the hooks of a repository.
enum Manager {
    /// pre-commit or prek, with its list of hooks.
    PreCommit(PathBuf),
    /// lefthook, with its settings.
    Lefthook(PathBuf),
    /// husky, with its script.
    Husky(PathBuf),
    /// Git itself.
    None,
}

impl Manager {
    fn of(root: &Path) -> Self {
        let first = |names: &[&str]| names.iter().map(|name| root.join(name)).find(|file| file.is_file());
        if let Some(file) = first(&[".pre-commit-config.yaml", ".pre-commit-config.yml"]) {
            return Self::PreCommit(file);
        }
        if let Some(file) = first(&["lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml"]) {
            return Self::Lefthook(file);
        }
        if root.join(".husky").is_dir() {
            return Self::Husky(root.join(".husky/pre-commit"));
        }
        Self::None
    }

    /// Adds the hook; returns what was done.
    fn install(&self, repository: &Repository, force: bool) -> Result<String, Failure> {
        let root = repository.root();
        let checkout = &Checkout::of_repository(repository);
        match self {
            Self::PreCommit(file) => add(file, (root, checkout), PRE_COMMIT, add_to_pre_commit),
            Self::Lefthook(file) => add(file, (root, checkout), LEFTHOOK, add_to_lefthook),
            Self::Husky(file) if file.is_file() => {
                add(file, (root, checkout), HOOK_LINE, |text| Some(format!("{}\n{HOOK_LINE}\n", text.trim_end())))
            }
            Self::Husky(file) => script(file, (root, checkout), force),
            Self::None => script(&repository.hooks_folder().join("pre-commit"), (root, checkout), force),
        }
    }
}

/// Writes a plain git hook.
fn script(file: &Path, (root, checkout): (&Path, &Checkout), force: bool) -> Result<String, Failure> {
    if text_of(file).is_ok_and(|text| text.contains(HOOK_LINE)) {
        return Ok(format!("kept {}: it already has this hook\n", shown(file, root)));
    }
    write(file, checkout, HOOK, force)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let executable = fs::set_permissions(file, fs::Permissions::from_mode(0o755));
        executable.map_err(|why| Failure::not_written(file, &why))?;
    }
    Ok(format!("wrote {}: every commit is checked before it is made\n", shown(file, root)))
}

/// Adds `entry` to the list of hooks in `file`, using `added`, which knows its format.
fn add(
    file: &Path,
    (root, checkout): (&Path, &Checkout),
    entry: &'static str,
    added: impl FnOnce(&str) -> Option<String>,
) -> Result<String, Failure> {
    checkout.refuse_links(file)?;
    let text = text_of(file).map_err(|why| Failure::unreadable(file, &why))?;
    if text.contains("secondhand") {
        return Ok(format!("kept {}: it already mentions secondhand\n", shown(file, root)));
    }
    let added = added(&text).ok_or_else(|| Failure::Form { file: file.display().to_string(), entry: entry.trim() })?;
    write(file, checkout, &added, true)?;
    Ok(format!("added the hook to {}\n", shown(file, root)))
}

/// The list with our entry at its end, indented like its last one; `None` if the list is not a plain
/// block at the end of the file.
fn add_to_pre_commit(text: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| line.trim_end() != "repos:").skip(1);
    let indentation = lines.clone().find_map(|line| line.split_once("- repo:").map(|(before, _)| before.to_owned()))?;
    let is_plain = indentation.bytes().all(|byte| byte == b' ');
    let is_last = lines.all(|line| line.is_empty() || line.starts_with([' ', '#', '-']));
    if !is_plain || !is_last {
        return None;
    }
    let entry = PRE_COMMIT.lines().map(|line| format!("{indentation}{line}\n"));
    Some(format!("{}\n{}", text.trim_end(), entry.collect::<String>()))
}

/// The settings with our hook; `None` if they already have hooks for this stage.
fn add_to_lefthook(text: &str) -> Option<String> {
    let has_some = text.lines().any(|line| line.starts_with("pre-commit") || line.starts_with(['{', '"', '\'']));
    (!has_some).then(|| format!("{}\n{LEFTHOOK}", text.trim_end()))
}

/// The text of a file that lists hooks or workflows.
fn text_of(file: &Path) -> std::io::Result<String> {
    files::read_text(file, MAX_SETTINGS)
}

/// Writes a file as a whole; one that is there is replaced only if `force` says so.
fn write(file: &Path, checkout: &Checkout, text: &str, force: bool) -> Result<(), Failure> {
    let not_written = |why| Failure::not_written(file, &why);
    checkout.refuse_links(file)?;
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(not_written)?;
    let mut temporary = temporary_in(folder, mode_of(file)).map_err(not_written)?;
    temporary.write_all(text.as_bytes()).map_err(not_written)?;
    let kept = if force { temporary.persist(file) } else { temporary.persist_noclobber(file) };
    match kept {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {
            let message = format!("cannot write `{}`: it already exists", file.display());
            Err(Failure::user(message, "use `--force` to overwrite it"))
        }
        Err(error) => Err(not_written(error.error)),
    }
}

/// The permissions of a file that is there, or else those that a file is made with.
fn mode_of(file: &Path) -> u32 {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(file).map_or(0o666, |metadata| metadata.permissions().mode())
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        0o666
    }
}

/// The settings file: what was found, then every option as a comment, explained. Tables come last, since in TOML all
/// that follows the head of a table belongs to it.
fn settings(survey: &Survey) -> String {
    let example = |name: &str| EXAMPLES.iter().find(|(table, _)| *table == name).map(|(_, example)| *example);
    let is_table = |option: &ConfigOption| option.default.starts_with('{') || example(&option.name).is_some();
    let (tables, values): (Vec<_>, Vec<_>) = options().into_iter().partition(is_table);
    let mut text = SETTINGS.to_owned();
    if !survey.languages.is_empty() {
        let languages: Vec<_> = survey.languages.iter().map(|(name, n)| format!("{name} ({n})")).collect();
        let _ =
            write!(text, "\n{}", explained(&format!("Languages here, with their files: {}.", languages.join(", "))));
    }
    for option in values {
        let _ = write!(text, "\n{}#{} = {}\n", explained(&option.help), option.name, option.default);
    }
    for option in tables {
        let _ = write!(text, "\n{}", explained(&option.help));
        match example(&option.name) {
            Some(example) => {
                text += "# None by default. For example:\n";
                text.extend(example.lines().map(|line| format!("#   {line}").trim_end().to_owned() + "\n"));
                if option.name == "vendored" {
                    text += &vendored(&survey.components);
                }
            }
            None => {
                let _ = write!(text, "#[{}]\n{}", option.name, rows(&option.name));
            }
        }
    }
    text
}

/// The folders that hold code of others, in use.
fn vendored(components: &[String]) -> String {
    let mut text = String::new();
    if !components.is_empty() {
        text += &explained(
            "These were found here. What their files say of their license counts; `license` says otherwise.",
        );
    }
    for component in components {
        // Without control characters, a string of JSON is one of TOML.
        let _ = write!(text, "[[vendored]]\npath = {}\n", serde_json::Value::from(component.as_str()));
    }
    text
}

/// The default of the table with this name.
fn rows(table: &str) -> String {
    if table != "rules" {
        return String::new();
    }
    RULES.iter().map(|rule| format!("#{} = \"{}\"\n", rule.id, rule.level.name())).collect()
}

/// Text as comments in the settings file, wrapped.
fn explained(words: &str) -> String {
    let mut text = String::new();
    let mut line = "#".to_owned();
    for word in words.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            text += &line;
            text.push('\n');
            line = "#".to_owned();
        }
        line.push(' ');
        line += word;
    }
    format!("{text}{line}\n")
}

/// A file name for people: relative to the root of the repository.
fn shown(file: &Path, root: &Path) -> String {
    printable(file.strip_prefix(root).unwrap_or(file).as_os_str().as_encoded_bytes())
}
