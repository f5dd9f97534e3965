//! Turns findings into diagnostics and code actions, and runs the actions.

use std::path::Path;

use serde_json::{Value, json};

use super::{Server, place};
use crate::audit::Outcome;
use crate::language::Languages;
use crate::policy::{Finding, Fragment, Level, Origin};
use crate::report::{Extraction, extractions, other_side, side_by_side};
use crate::text::{FilePath, LinedText, Lines};

pub(super) const SHOW: &str = "secondhand.show";
pub(super) const SIDE_BY_SIDE: &str = "secondhand.sideBySide";

const QUICK_FIX: &str = "quickfix";
const EXTRACT: &str = "refactor.extract";
pub(super) const KINDS: [&str; 2] = [QUICK_FIX, EXTRACT];

const FOLDER: &str = "/side-by-side/";

/// The diagnostics of a file: its findings, and what its suppressions lack.
pub(super) fn diagnostics(outcome: &Outcome, path: &FilePath, root: &Path) -> Vec<Value> {
    let findings = outcome.all_findings().filter(|finding| finding.path == *path);
    let notices = outcome.notices.iter().filter(|notice| notice.path.as_ref() == Some(path));
    let text = outcome.texts.get(path).unwrap_or(LinedText::empty());
    let notices = notices.filter_map(|notice| {
        let line = notice.line?;
        let code = String::from_utf8_lossy(text.lines().text(text, line));
        let end = (code.encode_utf16().count() as u32 + 1).max(2);
        Some(json!({
            "range": place::range(&Fragment::in_line(line, 1..end)),
            "severity": 3,
            "source": "secondhand",
            "message": notice.message,
        }))
    });
    findings.map(|finding| diagnostic(finding, root)).chain(notices).collect()
}

fn diagnostic(finding: &Finding, root: &Path) -> Value {
    let related = finding.origins_in_tree().take(5).map(|origin| {
        json!({
            "location": {"uri": place::uri_of(root, &origin.path), "range": place::range(&origin.fragment)},
            "message": "the origin",
        })
    });
    json!({
        "range": place::range(&finding.added),
        "severity": match finding.level {
            Level::Error => 1,
            Level::Warning => 2,
            _ => 3,
        },
        "code": finding.rule.id,
        "source": "secondhand",
        "message": finding.message(),
        "relatedInformation": related.collect::<Vec<_>>(),
        "data": {"id": finding.identity},
    })
}

impl Server<'_> {
    /// What the code at a position is a copy of, with its code; null where it is none, and `None`
    /// if the parameters are invalid.
    pub(super) fn hover(&self, params: &Value) -> Option<Value> {
        let uri = params.pointer("/textDocument/uri")?.as_str()?;
        let line = params.pointer("/position/line")?.as_u64()? + 1;
        let document = self.documents.get(uri).and_then(|document| document.path.as_ref());
        let (Some(path), Some(outcome)) = (document, &self.outcome) else {
            return Some(Value::Null);
        };
        let found = outcome.all_findings().find(|finding| {
            let Fragment { start, end } = finding.added;
            finding.path == *path && (u64::from(start.line)..=u64::from(end.line)).contains(&line)
        });
        Some(found.map_or(Value::Null, |finding| {
            let contents = json!({"kind": "markdown", "value": other_side(outcome, finding)});
            json!({"contents": contents, "range": place::range(&finding.added)})
        }))
    }

    /// The code actions for the findings in a range; `None` if the parameters are invalid.
    pub(super) fn code_actions(&self, params: &Value) -> Option<Value> {
        let uri = params.pointer("/textDocument/uri")?.as_str()?;
        let first = params.pointer("/range/start/line")?.as_u64()? + 1;
        let last = params.pointer("/range/end/line")?.as_u64()? + 1;
        let only = params.pointer("/context/only").and_then(Value::as_array);
        let asked: Vec<&str> = KINDS.into_iter().filter(|kind| is_asked(kind, only)).collect();
        let document = self.documents.get(uri);
        let (Some(document), Some(outcome), Some(root)) = (document, &self.outcome, &self.root)
        else {
            return Some(json!([]));
        };
        let findings = outcome.all_findings().filter(|finding| {
            let Fragment { start, end } = finding.fragment;
            let touches = u64::from(start.line) <= last && u64::from(end.line) >= first;
            document.path.as_ref() == Some(&finding.path) && touches && finding.is_copy()
        });
        let mut actions = Vec::new();
        for finding in findings {
            let mut offers = Vec::new();
            if asked.contains(&QUICK_FIX) {
                offers.extend(ways_to_origins(outcome, finding, root));
                if let Some(edit) = self.allowing(finding, &document.text) {
                    let title = format!("Allow this {} with a reason", finding.rule.id);
                    let edit = json!({"changes": {uri: [edit]}});
                    offers.push(json!({"title": title, "kind": QUICK_FIX, "edit": edit}));
                }
            }
            let text = outcome.texts.get(&finding.path);
            let is_judged = text.is_some_and(|text| text[..] == *document.text.as_bytes());
            if asked.contains(&EXTRACT) && is_judged {
                offers.extend(extracts(outcome, finding, &self.languages, uri));
            }
            for mut offer in offers {
                offer["diagnostics"] = json!([diagnostic(finding, root)]);
                actions.push(offer);
            }
        }
        Some(json!(actions))
    }

    /// The comment that allows a finding, on a line of its own above it. The reason is left to its
    /// author: without one the comment has no effect, and the next diagnostics say so.
    fn allowing(&self, finding: &Finding, text: &str) -> Option<Value> {
        let (open, close) = self.languages.comment(&finding.language)?;
        let line = finding.fragment.start.line;
        let code = Lines::new(text.as_bytes());
        let code = String::from_utf8_lossy(code.text(text.as_bytes(), line));
        let indent: String = code.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let comment = format!("{indent}{open} secondhand: allow({}) -- {close}", finding.rule.id);
        let at = json!({"line": line - 1, "character": 0});
        Some(json!({"range": {"start": at, "end": at}, "newText": format!("{comment}{end}")}))
    }

    /// Runs a command; `None` if there is none of that name, or its arguments are invalid.
    pub(super) fn execute(&mut self, params: &Value) -> Option<Value> {
        let argument = params.pointer("/arguments/0")?;
        match params.get("command")?.as_str()? {
            SHOW => {
                let (uri, range) = (argument.get("uri")?.as_str()?, argument.get("range")?);
                self.show(&json!({"uri": uri, "takeFocus": true, "selection": range}));
                Some(Value::Null)
            }
            SIDE_BY_SIDE => {
                let uri = format!("{}:{FOLDER}{}.txt", place::SCHEME, argument.as_str()?);
                let text = self.virtual_document(&uri)?;
                if self.has_virtual_documents {
                    self.show(&json!({"uri": uri, "takeFocus": true}));
                }
                // For clients that display it themselves.
                Some(json!({"uri": uri, "text": text}))
            }
            _ => None,
        }
    }

    fn show(&mut self, params: &Value) {
        if self.can_show {
            self.n_asked += 1;
            let id = format!("show-{}", self.n_asked);
            self.send(json!({"jsonrpc": "2.0", "id": id, "method": "window/showDocument", "params": params}));
        }
    }

    /// The text of a virtual document; `None` if its finding is gone.
    pub(super) fn virtual_document(&self, uri: &str) -> Option<String> {
        let name = uri.strip_prefix(place::SCHEME)?.strip_prefix(':')?;
        let identity = name.trim_start_matches("//").strip_prefix(FOLDER)?.strip_suffix(".txt")?;
        let outcome = self.outcome.as_ref()?;
        let finding = outcome.all_findings().find(|finding| finding.identity == identity)?;
        side_by_side(outcome, finding)
    }
}

fn ways_to_origins(outcome: &Outcome, finding: &Finding, root: &Path) -> Vec<Value> {
    let mut actions = Vec::new();
    for Origin { path, fragment, .. } in finding.origins_in_tree().take(3) {
        let title = format!("Go to the origin: {}", fragment.start_in(path));
        let target = json!({"uri": place::uri_of(root, path), "range": place::range(fragment)});
        actions.push(quick_fix(&title, SHOW, &target));
    }
    if side_by_side(outcome, finding).is_some() {
        let title = "Show the copy and its origin side by side";
        actions.push(quick_fix(title, SIDE_BY_SIDE, &json!(finding.identity)));
    }
    actions
}

fn quick_fix(title: &str, command: &str, argument: &Value) -> Value {
    let command = json!({"title": title, "command": command, "arguments": [argument]});
    json!({"title": title, "kind": QUICK_FIX, "command": command})
}

/// The actions that write one function for two.
fn extracts(outcome: &Outcome, finding: &Finding, languages: &Languages, uri: &str) -> Vec<Value> {
    let extractions = extractions(outcome, finding, languages).into_iter();
    let actions = extractions.map(|Extraction { functions: [first, second], edits }| {
        let edits =
            edits.iter().map(|(at, text)| json!({"range": place::range(at), "newText": text}));
        let title = format!("Write one function for `{first}` and `{second}`");
        let edit = json!({"changes": {uri: edits.collect::<Vec<_>>()}});
        json!({"title": title, "kind": EXTRACT, "edit": edit})
    });
    actions.collect()
}

/// Whether a client asks for a kind of action; it may name the `only` ones.
fn is_asked(kind: &str, only: Option<&Vec<Value>>) -> bool {
    only.is_none_or(|only| only.iter().filter_map(Value::as_str).any(|of| is_of_kind(kind, of)))
}

/// Whether a kind of action is `of` another or a kind of it: `refactor` has `refactor.extract`.
fn is_of_kind(kind: &str, of: &str) -> bool {
    let rest = kind.strip_prefix(of);
    of.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
