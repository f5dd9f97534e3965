//! Runs `secondhand lsp`: shows editors the copies in what is being typed, in the Language Server
//! Protocol.
//!
//! One thread reads, one writes, one judges, and this one answers. There are few kinds of messages,
//! and they are read as JSON: the usual crates stop at broken JSON, and do not support virtual
//! documents yet.
//!
//! Promise: whatever a client sends, the answer follows the protocol, and the server runs until it
//! is asked to exit.

mod actions;
mod document;
mod judging;
mod place;
mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::sync::{Arc, atomic::Ordering};
use std::time::{Duration, Instant};

use rmcp::model::ErrorCode;
use serde_json::{Value, json};

use self::document::Document;
use self::judging::{CheckAnswer, Judge, Task};
use self::wire::Received;
use crate::audit::Outcome;
use crate::cli::flags::Common;
use crate::cli::io::Failure;
use crate::cli::servers::MAX_WAITING;
use crate::cli::{CLEAN, FOUND};
use crate::git::Repository;
use crate::language::Languages;
use crate::text::{FilePath, printable};

/// The delay between a keystroke and a check, if the client does not set one.
const DEBOUNCE: Duration = Duration::from_millis(150);
/// Maximum time for a client to read the last messages.
const PATIENCE: Duration = Duration::from_secs(2);

const NOT_INITIALIZED: ErrorCode = ErrorCode(-32002);

enum Event {
    Received(Received),
    Judged(CheckAnswer),
}

pub(in crate::cli) fn run(common: &Common) -> Result<u8, Failure> {
    let (events, happening) = mpsc::sync_channel(MAX_WAITING);
    let (client, written) = wire::writer();
    let from_client = events.clone();
    wire::reader(move |incoming| from_client.send(Event::Received(incoming)).is_ok());
    let judging = Judge::start(common, move |judged| drop(events.send(Event::Judged(judged))));
    let mut server = Server::new(common, client, judging);
    let status = loop {
        let event = match server.due {
            Some(due) => happening.recv_timeout(due.saturating_duration_since(Instant::now())),
            None => happening.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        // A panic fails one request, not the server.
        let handled = catch_unwind(AssertUnwindSafe(|| match event {
            Ok(Event::Received(Received::Message(message))) => server.take(&message),
            Ok(Event::Received(Received::Unreadable(why))) => {
                server.refuse(&Value::Null, ErrorCode::PARSE_ERROR, &why);
            }
            Ok(Event::Judged(judged)) => server.publish(judged),
            Err(RecvTimeoutError::Timeout) => server.judge(),
            Ok(Event::Received(Received::End)) | Err(RecvTimeoutError::Disconnected) => {
                server.has_exited = true;
            }
        }));
        if handled.is_err() {
            server.due = None;
            let id = server.answering.take().unwrap_or(Value::Null);
            server.refuse(&id, ErrorCode::INTERNAL_ERROR, "this is a defect of secondhand");
        }
        if server.has_exited || server.is_deaf {
            break if server.is_shut_down { CLEAN } else { FOUND };
        }
    };
    drop(server);
    let _ = written.recv_timeout(PATIENCE);
    Ok(status)
}

/// Whether a value is there, and is neither null nor false.
fn has(params: &Value, pointer: &str) -> bool {
    params.pointer(pointer).is_some_and(|of| !of.is_null() && *of != Value::Bool(false))
}

struct Server<'c> {
    common: &'c Common,
    client: SyncSender<Value>,
    judging: Judge,
    /// The root of the repository; `None` until the client has said, and where there is none.
    root: Option<PathBuf>,
    documents: BTreeMap<String, Document>,
    outcome: Option<Arc<Outcome>>,
    languages: Arc<Languages>,
    /// Documents with diagnostics.
    marked: BTreeSet<String>,
    due: Option<Instant>,
    debounce: Duration,
    base: Option<String>,
    can_show: bool,
    has_virtual_documents: bool,
    is_initialized: bool,
    is_shut_down: bool,
    has_exited: bool,
    /// Whether the client has closed its end.
    is_deaf: bool,
    answering: Option<Value>,
    last_failure: Option<String>,
    n_asked: usize,
}

impl<'c> Server<'c> {
    fn new(common: &'c Common, client: SyncSender<Value>, judging: Judge) -> Self {
        Self {
            common,
            client,
            judging,
            root: None,
            documents: BTreeMap::new(),
            outcome: None,
            languages: Arc::clone(Languages::builtin()),
            marked: BTreeSet::new(),
            due: None,
            debounce: DEBOUNCE,
            base: None,
            can_show: false,
            has_virtual_documents: false,
            is_initialized: false,
            is_shut_down: false,
            has_exited: false,
            is_deaf: false,
            answering: None,
            last_failure: None,
            n_asked: 0,
        }
    }

    fn send(&mut self, message: Value) {
        self.is_deaf |= self.client.send(message).is_err();
    }

    fn refuse(&mut self, id: &Value, code: ErrorCode, why: &str) {
        let why = printable(why);
        self.send(json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": why}}));
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn log(&mut self, kind: u8, what: &str) {
        let message = format!("secondhand: {what}");
        self.notify("window/logMessage", &json!({"type": kind, "message": message}));
    }

    fn take(&mut self, message: &Value) {
        let params = message.get("params").unwrap_or(&Value::Null);
        let id = message.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
        match (message.get("method").and_then(Value::as_str), id) {
            (Some(method), Some(id)) => {
                self.answering = Some(id.clone());
                let answer = self.answer(method, params);
                self.answering = None;
                match answer {
                    Ok(result) => self.send(json!({"jsonrpc": "2.0", "id": id, "result": result})),
                    Err((code, why)) => self.refuse(&id, code, &why),
                }
            }
            (Some(method), None) => self.handle(method, params),
            // The answer to a request of ours: nothing depends on it.
            (None, Some(_))
                if message.get("result").is_some() || message.get("error").is_some() => {}
            (None, id) => {
                let why = "not a request, notification or answer of JSON-RPC 2.0";
                self.refuse(&id.unwrap_or(Value::Null), ErrorCode::INVALID_REQUEST, why);
            }
        }
    }

    fn answer(&mut self, method: &str, params: &Value) -> Result<Value, (ErrorCode, String)> {
        if self.is_shut_down {
            return Err((ErrorCode::INVALID_REQUEST, "the server is shut down".to_owned()));
        }
        if !self.is_initialized && method != "initialize" {
            return Err((NOT_INITIALIZED, "the server is not initialized".to_owned()));
        }
        let wrong = || (ErrorCode::INVALID_PARAMS, format!("wrong parameters of `{method}`"));
        match method {
            "initialize" if self.is_initialized => {
                Err((ErrorCode::INVALID_REQUEST, "it is initialized already".to_owned()))
            }
            "initialize" => Ok(self.initialize(params)),
            "shutdown" => {
                self.is_shut_down = true;
                self.judging.cancel();
                Ok(Value::Null)
            }
            "textDocument/hover" => self.hover(params).ok_or_else(wrong),
            "textDocument/codeAction" => self.code_actions(params).ok_or_else(wrong),
            "workspace/executeCommand" => self.execute(params).ok_or_else(wrong),
            "workspace/textDocumentContent" => {
                let uri = params.get("uri").and_then(Value::as_str).ok_or_else(wrong)?;
                let text = self.virtual_document(uri).ok_or_else(wrong)?;
                Ok(json!({ "text": text }))
            }
            _ => Err((ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}`"))),
        }
    }

    /// Handles a notification. One that is invalid or unknown has no answer either.
    fn handle(&mut self, method: &str, params: &Value) {
        if method == "exit" {
            self.has_exited = true;
            return;
        }
        if !self.is_initialized || self.is_shut_down {
            return;
        }
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
        let version = params.pointer("/textDocument/version").and_then(Value::as_i64);
        match (method, uri) {
            ("textDocument/didOpen", Some(uri)) => {
                let Some(text) = params.pointer("/textDocument/text").and_then(Value::as_str)
                else {
                    return;
                };
                let path = self.root.as_deref().and_then(|root| place::path_in(root, uri));
                let document = Document { path, text: text.to_owned(), version };
                self.documents.insert(uri.to_owned(), document);
                self.due = Some(Instant::now());
            }
            ("textDocument/didChange", Some(uri)) => {
                let Some(document) = self.documents.get_mut(uri) else { return };
                let changes = params.get("contentChanges").and_then(Value::as_array);
                changes.into_iter().flatten().for_each(|change| document.change(change));
                document.version = version;
                self.judging.cancel();
                self.due = Some(Instant::now() + self.debounce);
            }
            ("textDocument/didClose", Some(uri)) => {
                self.documents.remove(uri);
                if self.marked.remove(uri) {
                    let nothing = json!({"uri": uri, "diagnostics": []});
                    self.notify("textDocument/publishDiagnostics", &nothing);
                }
            }
            // Other files may be origins, and settings may have changed.
            ("textDocument/didSave" | "workspace/didChangeWatchedFiles", _) => {
                self.due = Some(Instant::now());
            }
            _ => {}
        }
    }

    fn initialize(&mut self, params: &Value) -> Value {
        let folder = params.pointer("/workspaceFolders/0/uri").or_else(|| params.get("rootUri"));
        let folder = folder.and_then(Value::as_str).and_then(place::file_of);
        let folder = folder.unwrap_or_else(|| self.common.repo.clone());
        let root = Repository::discover(&folder).ok().map(|of| of.root().to_owned());
        // The paths of clients are absolute.
        self.root = root.map(|root| std::path::absolute(&root).unwrap_or(root));
        let base = params.pointer("/initializationOptions/base").and_then(Value::as_str);
        self.base = base.map(str::to_owned);
        let debounce = params.pointer("/initializationOptions/debounce").and_then(Value::as_u64);
        if let Some(milliseconds) = debounce {
            self.debounce = Duration::from_millis(milliseconds.min(10_000));
        }
        self.can_show = has(params, "/capabilities/window/showDocument/support");
        self.has_virtual_documents = has(params, "/capabilities/workspace/textDocumentContent");
        self.is_initialized = true;
        if self.root.is_none() {
            self.log(2, "this folder is in no git repository, so there is nothing to compare with");
        }
        json!({
            "capabilities": {
                "positionEncoding": "utf-16",
                "textDocumentSync": {"openClose": true, "change": 2, "save": {"includeText": false}},
                "hoverProvider": true,
                "codeActionProvider": {"codeActionKinds": actions::KINDS},
                "executeCommandProvider": {"commands": [actions::SHOW, actions::SIDE_BY_SIDE]},
                "workspace": {"textDocumentContent": {"schemes": [place::SCHEME]}}
            },
            "serverInfo": {"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")}
        })
    }

    fn judge(&mut self) {
        self.due = None;
        let Some(root) = self.root.clone() else { return };
        let open = self.documents.iter().filter_map(|(uri, of)| Some((uri, of.path.clone()?, of)));
        let open: Vec<(&String, FilePath, &Document)> = open.collect();
        if open.is_empty() {
            return;
        }
        let edited = open.iter().map(|(_, path, of)| (path.clone(), Arc::from(of.text.as_bytes())));
        let edited = edited.collect();
        let versions = open.iter().map(|(uri, _, of)| ((*uri).clone(), of.version)).collect();
        let (edited, base) = (Arc::new(edited), self.base.clone());
        self.judging.ask(Task { root, edited, versions, base });
    }

    /// Publishes what was found, unless it is about an older text.
    fn publish(&mut self, judged: CheckAnswer) {
        if judged.number != self.judging.number.load(Ordering::Relaxed) {
            return;
        }
        let outcome = match judged.found {
            Ok(outcome) => outcome,
            Err(why) => {
                if self.last_failure.as_ref() != Some(&why) {
                    self.log(1, &why);
                    self.last_failure = Some(why);
                }
                return;
            }
        };
        self.last_failure = None;
        self.outcome = Some(Arc::clone(&outcome));
        for (uri, version) in judged.versions {
            let path = self.documents.get(&uri).and_then(|document| document.path.clone());
            let (Some(path), Some(root)) = (path, self.root.clone()) else { continue };
            let diagnostics = actions::diagnostics(&outcome, &path, &root);
            let was_marked = self.marked.remove(&uri);
            if !diagnostics.is_empty() {
                self.marked.insert(uri.clone());
            } else if !was_marked && version.is_none() {
                continue;
            }
            let mut params = json!({"uri": uri, "diagnostics": diagnostics});
            if let Some(version) = version {
                params["version"] = json!(version);
            }
            self.notify("textDocument/publishDiagnostics", &params);
        }
    }
}
