//! Runs `secondhand hook`: answers the hooks of coding agents, which send an event as JSON to
//! standard input.
//!
//! Before an edit it says what exists already of the code that comes in; after one, what the file
//! copies now; and when an agent stops that has no hook of this kind, what all its edits copy.
//! Promises: each is told once in a session, and an agent is never stopped, whatever fails.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::audit::{Existing, FoundCode, Sketch};
use crate::change::{ChangeEnd, CheckRequest, paths_in};
use crate::cli::commands::cache;
use crate::cli::commands::check::{plain_request, requested};
use crate::cli::commands::find::{FindRequest, existing};
use crate::cli::flags::Common;
use crate::cli::io::{Bar, Failure, print_text, report_failure};
use crate::cli::{CLEAN, FOUND};
use crate::files;
use crate::git::Repository;
use crate::policy::{Level, best_first};
use crate::report::finding_line;
use crate::text::{FilePath, MAX_MADE};

/// Maximum findings or functions to tell of at once: a model pays for each word.
const MAX_TOLD: usize = 3;
/// Minimum part of the new code that an existing function has, to tell of it.
const MOST: f64 = 0.7;
const MAX_REMEMBERED: usize = 1_000;

const AFTER: &str = "This copies code that exists already. Call the existing code instead; keep a copy only if you were \
                     asked to. `secondhand explain ID` shows both sides.";
const BEFORE: &str =
    "This may exist already. Read it first, and call or extend it instead of writing it again.";

pub(in crate::cli) fn run(common: &Common) -> Result<u8, Failure> {
    match answer(&common.silent()) {
        Ok(Some(answer)) => print_text(&format!("{answer}\n")).map(|()| CLEAN),
        Ok(None) => Ok(CLEAN),
        // The status of a failed audit would stop the agent.
        Err(failure) => {
            report_failure(&failure);
            Ok(FOUND)
        }
    }
}

fn answer(common: &Common) -> Result<Option<Value>, Failure> {
    let mut text = String::new();
    let read = io::stdin().lock().take(MAX_MADE).read_to_string(&mut text);
    read.map_err(Failure::unreadable(Path::new("standard input")))?;
    let value = serde_json::from_str(&text)
        .map_err(|why| Failure::plain(format!("the event is no JSON: {why}")))?;
    let event = Event::new(&value);
    let repo = event.folder.as_ref().unwrap_or(&common.repo).clone();
    let common = Common { repo, ..common.clone() };
    let repository = Repository::discover(&common.repo)?;
    let told = match (event.when, &event.file) {
        (HookMoment::Before, _) => before(&event, &repository, &common),
        (HookMoment::After, None) | (HookMoment::Other, _) => Vec::new(),
        (HookMoment::After | HookMoment::Stop, _) => after(&event, &repository, &common)?,
    };
    let new = remembered(&event.session, told, &cache::folder(&common, &repository));
    let head = if event.when == HookMoment::Before { BEFORE } else { AFTER };
    Ok((!new.is_empty()).then(|| event.answer(&format!("secondhand: {head}\n{}", new.join("\n")))))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum HookMoment {
    Before,
    After,
    Stop,
    Other,
}

struct Event {
    name: String,
    when: HookMoment,
    session: String,
    folder: Option<PathBuf>,
    file: Option<PathBuf>,
    code: String,
}

impl Event {
    fn new(value: &Value) -> Self {
        let input = ["tool_input", "toolInput", "toolArgs"].iter().find_map(|name| value.get(name));
        // Some agents send the arguments of a tool as text.
        let parsed = input.and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok());
        let input = parsed.or_else(|| input.cloned()).unwrap_or_else(|| value.clone());
        let name = text_in(value, &["hook_event_name", "hookEventName"]).unwrap_or_default();
        let when = match &*name.to_ascii_lowercase() {
            "pretooluse" | "beforetool" => HookMoment::Before,
            "posttooluse" | "aftertool" | "afterfileedit" => HookMoment::After,
            "stop" => HookMoment::Stop,
            "" if value.get("toolResult").is_some() => HookMoment::After,
            "" if value.get("toolArgs").is_some() => HookMoment::Before,
            _ => HookMoment::Other,
        };
        let root = value.pointer("/workspace_roots/0").and_then(Value::as_str);
        let folder = text_in(value, &["cwd"]).or(root).map(PathBuf::from);
        let patch = text_in(&input, &["command", "patch", "input"]).unwrap_or_default();
        let (of_patch, added) = patched(patch);
        let file = text_in(&input, &["file_path", "filePath", "absolute_path", "path"]);
        let session = text_in(value, &["session_id", "sessionId", "conversation_id"]);
        Self {
            name: name.to_owned(),
            when,
            session: session.unwrap_or_default().to_owned(),
            folder,
            file: file.or(of_patch).map(PathBuf::from),
            code: if added.is_empty() { code_in(&input) } else { added },
        }
    }

    fn answer(&self, text: &str) -> Value {
        match self.when {
            HookMoment::Stop => json!({ "followup_message": text }),
            _ if self.name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                json!({ "hookSpecificOutput": { "hookEventName": self.name, "additionalContext": text } })
            }
            _ => json!({ "additionalContext": text }),
        }
    }
}

/// The first text among members with these names.
fn text_in<'v>(value: &'v Value, names: &[&str]) -> Option<&'v str> {
    names.iter().find_map(|name| value.get(name).and_then(Value::as_str))
}

/// The lines that an edit brings in: those of the new text that the old one does not have.
fn code_in(input: &Value) -> String {
    let edits = input.get("edits").and_then(Value::as_array).into_iter().flatten();
    let mut code = String::new();
    for edit in edits.chain([input]) {
        let old = text_in(edit, &["old_string", "oldString", "old_str"]).unwrap_or_default();
        let known: Vec<&str> = old.lines().collect();
        let new = text_in(edit, &["content", "new_string", "newString", "new_str", "file_text"])
            .unwrap_or_default();
        new.lines().filter(|line| !known.contains(line)).for_each(|line| code.extend([line, "\n"]));
    }
    code
}

/// The first file of a patch in the form of `apply_patch`, and the lines that it adds.
fn patched(patch: &str) -> (Option<&str>, String) {
    let mut files = patch.lines().filter_map(|line| {
        line.strip_prefix("*** Add File: ").or_else(|| line.strip_prefix("*** Update File: "))
    });
    let Some(file) = files.next() else { return (None, String::new()) };
    let added = patch.lines().filter_map(|line| line.strip_prefix('+'));
    (Some(file), added.flat_map(|line| [line, "\n"]).collect())
}

/// What exists already of the code that comes in: what cannot be searched for is nothing to tell
/// of.
fn before(event: &Event, repository: &Repository, common: &Common) -> Vec<(String, String)> {
    let Some(file) = &event.file else { return Vec::new() };
    let in_tree = file.strip_prefix(repository.root()).unwrap_or(file).to_string_lossy();
    let in_tree = FilePath::new(in_tree.replace('\\', "/"));
    let bytes = event.code.clone().into_bytes();
    let sketch =
        Sketch { bytes, name: Some(in_tree.clone()), in_tree: Some(in_tree), ..Sketch::default() };
    let request = FindRequest { limit: MAX_TOLD, ..FindRequest::default() };
    let found = existing(&sketch, &request, common, &Bar::of(common));
    let results = found.map(|FoundCode { results, .. }| results).unwrap_or_default();
    results.iter().filter(|result| result.containment >= MOST).map(function).collect()
}

/// An existing function: what it is remembered by, and a line about it.
fn function(existing: &Existing) -> (String, String) {
    let Existing { path, fragment, name, containment, .. } = existing;
    let at = fragment.start_in(path);
    let named = name.as_ref().map(|name| format!(" `{name}`")).unwrap_or_default();
    (at.clone(), format!("{at}:{named} has {:.0} % of it", 100.0 * containment))
}

/// What the file of the event copies, or all of the work tree does: its warnings.
fn after(
    event: &Event,
    repository: &Repository,
    common: &Common,
) -> Result<Vec<(String, String)>, Failure> {
    let files = Vec::from_iter(event.file.clone());
    // Agents also write to files outside of the repository.
    let Ok(within) = paths_in(repository, &common.repo, &files) else { return Ok(Vec::new()) };
    let request =
        CheckRequest { within, ..plain_request(ChangeEnd::WorkTree, None, Vec::new(), common) };
    let outcome = requested(&request, repository, common, &Bar::of(common))?;
    let mut findings = best_first(&outcome.findings);
    findings.retain(|finding| finding.level > Level::Note && finding.has_code());
    Ok(findings.iter().map(|of| (of.id().to_owned(), finding_line(of))).collect())
}

/// The first few that were not told in this session; they are remembered.
fn remembered(session: &str, told: Vec<(String, String)>, folder: &Path) -> Vec<String> {
    let file = folder.join("told-to-agents");
    let known = files::read_text(&file, MAX_MADE).unwrap_or_default();
    let told = told.into_iter().map(|(what, line)| (format!("{session} {what}"), line));
    let (keys, lines): (Vec<String>, Vec<String>) =
        told.filter(|(key, _)| !known.lines().any(|known| known == key)).take(MAX_TOLD).unzip();
    if !keys.is_empty() {
        let n_left = MAX_REMEMBERED.saturating_sub(keys.len());
        let n_known = known.lines().count();
        let kept = known.lines().skip(n_known.saturating_sub(n_left));
        let kept: Vec<&str> = kept.chain(keys.iter().map(String::as_str)).collect();
        // Where it cannot be remembered, it is told again.
        let _ = fs::create_dir_all(folder).and_then(|()| fs::write(&file, kept.join("\n") + "\n"));
    }
    lines
}
