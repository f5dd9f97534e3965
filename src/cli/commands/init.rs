//! Runs `secondhand init`: writes the settings, a workflow and a hook, as they fit what the
//! repository has.
//!
//! Invariant: without `--force` no file that is there is replaced; to a file that lists hooks an
//! entry is added, and all else in it stays. A second run changes nothing.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;

use super::agents::{self, Step};
use super::migrate::{self, Migration};
use super::survey::{Survey, text_of};
use crate::cli::args::{Init, Tool};
use crate::cli::flags::Common;
use crate::cli::io::{Checkout, Failure, print_text};
use crate::config::find;
use crate::git::{self, Repository};
use crate::report::wrapped;
use crate::text::{count, printable};

const SETTINGS: &str = include_str!("../../../config/templates/secondhand.toml");
const WORKFLOW: &str = include_str!("../../../config/templates/workflow.yml");
const PRE_COMMIT: &str = include_str!("../../../config/templates/pre-commit.yaml");
const LEFTHOOK: &str = include_str!("../../../config/templates/lefthook.yml");
const HOOK: &str = include_str!("../../../config/templates/pre-commit.sh");

const WORKFLOW_FILE: &str = ".github/workflows/secondhand.yml";
const SYSTEMS_PAGE: &str =
    "https://github.com/secondhand-audit/secondhand/blob/main/docs/how-to/ci.md";
/// The beginning of what the settings say of the files that are there.
const SURVEYED: &str = "Languages here";
/// The line of a hook that a script may already have.
const HOOK_LINE: &str = "secondhand check --staged";
/// What the settings say of the files that are there comes before this.
const START: &str = "\n# Where a change starts";
/// Wrap width for explanations in the settings, behind their mark.
const WIDTH: usize = 98;

pub(in crate::cli) fn run(flags: &Init, common: &Common) -> Result<(), Failure> {
    let repository = Repository::discover(&common.repo)?;
    let root = repository.root();
    if !repository.has_work_tree() {
        return Err(git::Error::Bare { what: "work tree", root: root.to_owned() }.into());
    }
    let checkout = Checkout::of_repository(&repository);
    if let Some(asked) = &flags.agents {
        let step = match () {
            () if flags.undo => Step::Remove,
            () if flags.status => Step::Tell,
            () => Step::Write,
        };
        return print_text(&agents::set_up(asked, step, root, &checkout)?);
    }
    let survey = Survey::of(&repository)?;
    if flags.undo {
        return print_text(&undo(&survey, &repository)?);
    }
    let mut summary = String::new();
    match find(root) {
        Some(file) if !flags.force => {
            let file = shown(&file, root);
            summary += &format!("kept {file}: it is there already; `--force` overwrites it\n");
        }
        file => {
            let file = file.unwrap_or_else(|| root.join("secondhand.toml"));
            let migrated =
                flags.from.map(|tool| migrate::read(tool, root)).transpose()?.unwrap_or_default();
            checkout.create(&file, &settings(&survey, &migrated), flags.force)?;
            let from = migrated.from.map(|from| format!(", with those of {from}"));
            let (file, from) = (shown(&file, root), from.unwrap_or_default());
            summary += &format!("wrote {file}: the settings that are changed most{from}\n");
            let left_out = migrated.left_out.iter();
            summary.extend(left_out.map(|what| format!("  not taken over: {what}\n")));
            if let n @ 1.. = survey.components.len() {
                let folders = count(n, "vendored folder");
                summary += &format!("  with {folders}, whose licenses count\n");
            }
        }
    }
    summary += &workflow(flags, root, &checkout)?;
    summary += &hook(flags, &repository)?;
    for (name, settings) in &survey.systems {
        summary +=
            &format!("also: {settings} is here; {SYSTEMS_PAGE} shows what to add for {name}\n");
    }
    summary += "next: `secondhand check` checks this branch\n";
    if common.quiet { Ok(()) } else { print_text(&summary) }
}

/// Writes the workflow where it is asked for, or on GitHub if there is none of ours.
fn workflow(flags: &Init, root: &Path, checkout: &Checkout) -> Result<String, Failure> {
    let folder = root.join(".github/workflows");
    if !flags.workflow && !root.join(".github").is_dir() {
        return Ok(String::new());
    }
    let mut others: Vec<_> =
        fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    others.retain(|file| text_of(file).is_ok_and(|text| text.contains("secondhand")));
    if let Some(file) = others.iter().min()
        && !(flags.force && flags.workflow)
    {
        return Ok(format!("kept {}: it names secondhand\n", shown(file, root)));
    }
    checkout.create(&root.join(WORKFLOW_FILE), WORKFLOW, flags.force)?;
    Ok(format!("wrote {WORKFLOW_FILE}: every new pull request will be checked\n"))
}

/// Adds the hook where it is asked for, or where something runs hooks already.
fn hook(flags: &Init, repository: &Repository) -> Result<String, Failure> {
    let manager = Manager::of(repository.root());
    if flags.hook {
        return install(manager.as_ref(), repository, flags.force);
    }
    if manager.is_none() {
        return Ok("also: `secondhand init --hook` checks each commit\n".to_owned());
    }
    match install(manager.as_ref(), repository, false) {
        // The rest is optional: without a flag for it, it is no reason to fail.
        Err(failure @ Failure::Form { entry, .. }) => {
            let failure = printable(failure.to_string());
            Ok(format!("also: {failure}; add this by hand:\n{entry}\n"))
        }
        done => done,
    }
}

/// Takes out what `init` wrote, where it is as it was written.
fn undo(survey: &Survey, repository: &Repository) -> Result<String, Failure> {
    let root = repository.root();
    let checkout = Checkout::of_repository(repository);
    let mut summary = String::new();
    let own =
        |file: PathBuf, text: String| text_of(&file).is_ok_and(|now| now == text).then_some(file);
    let hook_file = repository.hooks_folder().join("pre-commit");
    let files = [
        find(root).filter(|file| text_of(file).is_ok_and(|text| is_own(&text, survey, root))),
        own(root.join(WORKFLOW_FILE), WORKFLOW.to_owned()),
        own(hook_file, HOOK.to_owned()),
        own(root.join(".husky/pre-commit"), HOOK.to_owned()),
    ];
    for file in files.into_iter().flatten() {
        checkout.refuse_links(&file)?;
        fs::remove_file(&file).map_err(Failure::not_written(&file))?;
        summary += &format!("removed {}\n", shown(&file, root));
    }
    if let Some(Manager { file, entry, .. }) = Manager::of(root)
        && let Ok(text) = text_of(&file)
    {
        let is_job = entry == LEFTHOOK && text.contains("- name: secondhand");
        if let Some(left) = without_lines(&text, if is_job { LEFTHOOK_JOB } else { entry }) {
            checkout.create(&file, &left, true)?;
            summary += &format!("removed the hook from {}\n", shown(&file, root));
        }
    }
    if summary.is_empty() {
        summary += "nothing is as `init` writes it: nothing was removed\n";
    }
    Ok(summary)
}

/// Whether settings are as they were written, from another tool or not, whatever files came since.
fn is_own(text: &str, survey: &Survey, root: &Path) -> bool {
    let migrated = Tool::value_variants().iter().filter_map(|&tool| migrate::read(tool, root).ok());
    let mut all = std::iter::once(Migration::default()).chain(migrated);
    all.any(|migrated| lasting(&settings(survey, &migrated)).eq(lasting(text)))
}

/// The paragraphs of settings that say nothing of the files that are there.
fn lasting(text: &str) -> impl Iterator<Item = &str> {
    let paragraphs = text.split("\n\n");
    paragraphs.filter(|paragraph| !paragraph.trim_start_matches("# ").starts_with(SURVEYED))
}

/// A text without the lines of an entry, however they are indented, and the head of its list where
/// that is empty then; `None` if it has none of them.
fn without_lines(text: &str, entry: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let own: Vec<&str> = entry.trim_end().lines().map(str::trim).collect();
    let at = lines
        .windows(own.len())
        .position(|window| window.iter().map(|line| line.trim()).eq(own.iter().copied()))?;
    let left: Vec<&str> = lines[..at].iter().chain(&lines[at + own.len()..]).copied().collect();
    let left = left.join("\n") + "\n";
    let headless = left.strip_suffix(LEFTHOOK_HEAD).map(|left| left.trim_end().to_owned() + "\n");
    Some(headless.unwrap_or(left))
}

/// What manages the hooks of a repository in place of git.
struct Manager {
    /// Its list of hooks, its settings or its script.
    file: PathBuf,
    /// What is added there.
    entry: &'static str,
    /// The text with it; `None` if it is not in a form that can be edited safely.
    added: fn(&str) -> Option<String>,
}

impl Manager {
    /// pre-commit or prek, lefthook, or husky, whose script may not be there yet.
    fn of(root: &Path) -> Option<Self> {
        let first =
            |names: &[&str]| names.iter().map(|name| root.join(name)).find(|file| file.is_file());
        if let Some(file) = first(&[".pre-commit-config.yaml", ".pre-commit-config.yml"]) {
            return Some(Self { file, entry: PRE_COMMIT, added: add_to_pre_commit });
        }
        let lefthook = first(&["lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml"]);
        if let Some(file) = lefthook {
            return Some(Self { file, entry: LEFTHOOK, added: add_to_lefthook });
        }
        let (folder, file) = (root.join(".husky"), root.join(".husky/pre-commit"));
        folder.is_dir().then_some(Self { file, entry: HOOK_LINE, added: add_to_script })
    }
}

/// Adds the hook where the manager, or else git, reads it; returns what was done.
fn install(
    manager: Option<&Manager>,
    repository: &Repository,
    force: bool,
) -> Result<String, Failure> {
    let place = (repository.root(), &Checkout::of_repository(repository));
    match manager {
        Some(manager) if manager.file.is_file() => add(manager, place),
        Some(manager) => script(&manager.file, place, force),
        None => script(&repository.hooks_folder().join("pre-commit"), place, force),
    }
}

fn script(
    file: &Path,
    (root, checkout): (&Path, &Checkout),
    force: bool,
) -> Result<String, Failure> {
    if text_of(file).is_ok_and(|text| text.contains(HOOK_LINE)) {
        return Ok(format!("kept {}: it already has this hook\n", shown(file, root)));
    }
    checkout.create(file, HOOK, force)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let executable = fs::set_permissions(file, fs::Permissions::from_mode(0o755));
        executable.map_err(Failure::not_written(file))?;
    }
    Ok(format!("wrote {}: every commit is checked before it is made\n", shown(file, root)))
}

fn add(
    Manager { file, entry, added }: &Manager,
    (root, checkout): (&Path, &Checkout),
) -> Result<String, Failure> {
    checkout.refuse_links(file)?;
    let text = text_of(file).map_err(Failure::unreadable(file))?;
    if text.contains("secondhand") {
        return Ok(format!("kept {}: it already mentions secondhand\n", shown(file, root)));
    }
    let added = added(&text)
        .ok_or_else(|| Failure::Form { file: file.display().to_string(), entry: entry.trim() })?;
    checkout.create(file, &added, true)?;
    Ok(format!("added the hook to {}\n", shown(file, root)))
}

/// The list with our entry at its end, indented like its last one; `None` if the list is not a
/// plain block at the end of the file.
fn add_to_pre_commit(text: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| line.trim_end() != "repos:").skip(1);
    let indentation = lines.clone().find_map(|line| Some(line.split_once("- repo:")?.0))?;
    let is_plain = indentation.bytes().all(|byte| byte == b' ');
    let is_last = lines.all(|line| line.is_empty() || line.starts_with([' ', '#', '-']));
    if !is_plain || !is_last {
        return None;
    }
    Some(format!("{}\n{}", text.trim_end(), indented(PRE_COMMIT, indentation)))
}

/// The script with our line at its end, or before what ends it.
fn add_to_script(text: &str) -> Option<String> {
    let mut lines: Vec<&str> = text.trim_end().lines().collect();
    let end = lines.iter().position(|line| line.starts_with("exit") || line.starts_with("exec "));
    lines.insert(end.unwrap_or(lines.len()), HOOK_LINE);
    Some(lines.join("\n") + "\n")
}

/// The settings with our hook first for this stage; `None` if they are not written as a block.
fn add_to_lefthook(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let Some(head) = lines.iter().position(|line| line.starts_with("pre-commit")) else {
        let is_block = !text.starts_with(['{', '"', '\'']);
        let added = format!("{}\n{LEFTHOOK_HEAD}{}", text.trim_end(), indented(LEFTHOOK, "    "));
        return is_block.then_some(added);
    };
    let inside = lines[head + 1..].iter().enumerate();
    let mut inside = inside.take_while(|(_, line)| line.is_empty() || line.starts_with([' ', '#']));
    let (n_before, _) = inside.find(|(_, line)| matches!(line.trim(), "commands:" | "jobs:"))?;
    let at = head + 1 + n_before;
    let (_, first) =
        inside.find(|(_, line)| !line.trim().is_empty() && !line.trim().starts_with('#'))?;
    let indentation = &first[..first.len() - first.trim_start().len()];
    let entry = if first.trim_start().starts_with("- ") { LEFTHOOK_JOB } else { LEFTHOOK };
    let entry = indented(entry, indentation);
    let (before, after) = (lines[..=at].join("\n"), lines[at + 1..].join("\n"));
    (lines[head].trim_end() == "pre-commit:").then(|| format!("{before}\n{entry}{after}\n"))
}

/// What begins the hooks of this stage where there are none.
const LEFTHOOK_HEAD: &str = "\npre-commit:\n  commands:\n";

/// The hook as an element of a list.
const LEFTHOOK_JOB: &str = "\
# Checks for copied code in what the commit would record.
- name: secondhand
  run: secondhand check --staged
";

fn indented(text: &str, indentation: &str) -> String {
    text.lines().map(|line| format!("{indentation}{line}\n")).collect()
}

/// The settings file: what other tools had, then the defaults of what is changed most, and what was
/// found. Tables come last, since in TOML all that follows the head of a table belongs to it.
fn settings(survey: &Survey, migrated: &Migration) -> String {
    let mut text = SETTINGS.to_owned();
    if !survey.languages.is_empty() {
        let languages: Vec<_> =
            survey.languages.iter().map(|(name, n)| format!("{name} ({n})")).collect();
        let line = explained(&format!("{SURVEYED}, with their files: {}.", languages.join(", ")));
        text = text.replacen(START, &format!("\n{line}{START}"), 1);
    }
    let values: String =
        migrated.values.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
    if let Some(from) = migrated.from {
        text = text.replacen(START, &format!("\n# As in {from}.\n{values}{START}"), 1);
    }
    text + &vendored(&survey.components) + &migrated.tables
}

fn vendored(components: &[String]) -> String {
    if components.is_empty() {
        return String::new();
    }
    let mut text = explained(
        "These were found here. What their files say of their license counts; `license` says otherwise.",
    );
    for component in components {
        // Without control characters, a string of JSON is one of TOML.
        let path = serde_json::Value::from(component.as_str());
        let _ = writeln!(text, "[[vendored]]\npath = {path}");
    }
    text
}

/// Text as comments in the settings file, wrapped.
pub(super) fn explained(words: &str) -> String {
    wrapped(words, WIDTH).iter().map(|line| format!("# {line}\n")).collect()
}

fn shown(file: &Path, root: &Path) -> String {
    printable(file.strip_prefix(root).unwrap_or(file).as_os_str().as_encoded_bytes())
}
