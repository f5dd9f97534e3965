//! Talks to `secondhand mcp` over pipes, as an agent does: in the Model Context Protocol.

#![allow(
    clippy::needless_pass_by_value,
    reason = "callers hand over what `json!` made on the spot"
)]

use std::io::{BufRead, BufReader};
use std::process::ChildStdout;

use crate::rpc::{Framing, Server, left_by_a_deaf_client};
use crate::samples::{LANGUAGES, Language};
use serde_json::{Value, json};
use support::Repository;

const C: &Language = &LANGUAGES[0];
/// Each message is a line.
const FRAMING: Framing = Framing { frame, read };

fn frame(text: &str) -> String {
    format!("{text}\n")
}

fn read(output: &mut BufReader<ChildStdout>) -> Option<Value> {
    let line = output.lines().next()?.ok()?;
    Some(serde_json::from_str(&line).expect("each line is JSON"))
}

/// A server that an agent has just started.
fn started(repository: &Repository) -> Server {
    Server::start(repository.secondhand(&["mcp"]), &FRAMING)
}

/// A server that an agent has initialized.
fn initialized(repository: &Repository) -> Server {
    let mut server = started(repository);
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let answer = server.ask("initialize", params);
    assert_eq!(answer["result"]["serverInfo"]["name"], "secondhand", "{answer}");
    server.write(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    server
}

trait Agent {
    /// What a tool answers, and whether it is an error.
    fn call(&mut self, tool: &str, arguments: Value) -> (String, bool);

    /// Ends its input; it ends by itself, with success.
    fn end(self);
}

impl Agent for Server {
    fn call(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        (text.to_owned(), result["isError"] == true)
    }

    fn end(mut self) {
        drop(self.input.take());
        let status = self.child.wait().expect("it ends");
        assert!(status.success(), "{status}");
    }
}

/// Three samples, and a copy of the first in the work tree.
fn tree() -> Repository {
    let repository = Repository::new();
    for (name, part) in [("first", C.first), ("second", C.second), ("third", C.third)] {
        repository.write(C.path(name), C.file(name, &[part]).text);
    }
    repository.commit("all");
    repository.write(C.path("copy"), C.file("copy", &[C.first]).text);
    repository
}

#[test]
fn an_agent_finds_checks_explains_and_lists() {
    let repository = tree();
    let mut server = initialized(&repository);
    let tools = server.ask("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<&str> =
        tools.as_array().expect("a list").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(
        names,
        ["find_existing_code", "check_changes", "explain_finding", "list_duplicates", "find_fixes"]
    );
    for tool in tools.as_array().expect("a list") {
        assert_eq!(tool["inputSchema"]["type"], "object");
        let properties = tool["inputSchema"]["properties"].as_object().expect("it has arguments");
        assert!(properties.values().all(|of| of["description"].is_string()), "{tool}");
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
    }

    let (found, is_error) =
        server.call("find_existing_code", json!({"sketch": C.second, "language": "c"}));
    assert!(!is_error && found.contains(&C.path("second")), "{found}");

    let (checked, is_error) = server.call("check_changes", json!({}));
    assert!(!is_error && checked.contains("warning[copied-code]"), "{checked}");
    assert!(checked.contains(&format!("copied from {}", C.path("first"))), "{checked}");
    let id = checked.split(['[', ']']).nth(1).expect("an id in brackets").to_owned();
    let (explained, is_error) = server.call("explain_finding", json!({"finding": id}));
    assert!(
        !is_error && explained.contains("why it matters") && explained.contains("--- "),
        "{explained}"
    );
    let (rule, is_error) = server.call("explain_finding", json!({"finding": "copied-code"}));
    assert!(!is_error && rule.contains("copied-code"), "{rule}");
    let (unknown, is_error) = server.call("explain_finding", json!({"finding": "0123"}));
    assert!(is_error && unknown.contains("check_changes"), "{unknown}");

    let (listed, is_error) = server.call("list_duplicates", json!({"path": C.path("copy")}));
    assert!(!is_error && listed.contains(&C.path("first")), "{listed}");
    let (nothing, _) = server.call("list_duplicates", json!({"path": C.path("third")}));
    assert!(nothing.starts_with("nothing is duplicated"), "{nothing}");

    // Staged, and committed: what the server saw before does not stick.
    let (staged, _) = server.call("check_changes", json!({"change": "staged"}));
    assert!(staged.starts_with("no new copies"), "{staged}");
    repository.commit("the copy");
    let (range, _) = server.call("check_changes", json!({"change": "range", "base": "HEAD~1"}));
    assert!(range.contains("copied from"), "{range}");
    server.end();
}

#[test]
fn an_answer_has_no_more_tokens_than_were_asked_for_and_no_folder_of_this_machine() {
    let repository = tree();
    let root = repository.root().to_string_lossy().into_owned();
    let mut server = initialized(&repository);
    for max_tokens in [100, 200, 2_000] {
        for (tool, arguments) in [
            (
                "find_existing_code",
                json!({"sketch": C.first, "language": "c", "max_tokens": max_tokens}),
            ),
            ("check_changes", json!({"max_tokens": max_tokens})),
            ("list_duplicates", json!({"max_tokens": max_tokens})),
            (
                "check_changes",
                json!({"change": "range", "base": "no-such-revision", "max_tokens": max_tokens}),
            ),
            ("check_changes", json!({"paths": ["/etc/hosts"], "max_tokens": max_tokens})),
        ] {
            let (text, _) = server.call(tool, arguments.clone());
            assert!(!text.contains(&root), "{tool} {arguments}: {text}");
            assert!(
                text.len() / 3 <= max_tokens + 2,
                "{tool}: {} bytes for {max_tokens}",
                text.len()
            );
        }
    }
    server.end();
}

#[test]
fn whatever_comes_is_answered_by_the_protocol_and_the_server_lives() {
    let repository = tree();
    let mut server = started(&repository);
    // Before it has begun.
    server.write("");
    server.write("nonsense");
    assert_eq!(server.next()["error"]["code"], -32700);
    server.write(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert!(server.ask("tools/list", json!({}))["error"].is_object());
    drop(server);

    let mut server = initialized(&repository);
    for (line, code) in [
        ("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\":", -32700),
        ("\u{feff}[1, 2", -32700),
        ("[]", -32600),
        ("17", -32600),
        (r#"{"jsonrpc":"2.0","id":"x"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":"x","method":17}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":"x","method":"no/such"}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"no_such"}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"arguments":3}}"#, -32602),
    ] {
        server.write(line);
        let answer = server.next();
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    for (method, params) in
        [("##vso[x\u{202E}", json!({})), ("tools/call", json!({"name": "##vso[x\u{202E}"}))]
    {
        let refused = server.ask(method, params);
        let why = refused["error"]["message"].as_str().expect("it says why");
        assert!(why.contains("`\\u{23}#vso[x\\u{202e}`"), "{why}");
    }
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    server.write(&deep);
    assert_eq!(server.next()["error"]["code"], -32700);
    for arguments in [
        json!({}),
        json!({"sketch": 5}),
        json!({"sketch": "", "language": "c"}),
        json!({"sketch": " \n\t ", "language": "c"}),
        json!({"sketch": "\u{0}\u{1}\u{2}\u{0}".repeat(500), "language": "c"}),
        json!({"sketch": C.first, "language": "klingon"}),
        json!({"sketch": "x ".repeat(5_000_001), "language": "c"}),
        json!({"sketch": C.first, "unknown": true}),
        json!({"sketch": C.first, "language": "c", "limit": -1}),
    ] {
        let (text, is_error) = server.call("find_existing_code", arguments);
        assert!(is_error && !text.is_empty(), "{text}");
    }
    for arguments in [
        json!({"change": "everything"}),
        json!({"change": "range", "base": "--help"}),
        json!({"change": "staged", "head": "HEAD"}),
        json!({"paths": ["no/such/file"]}),
        json!({"paths": ["../outside"]}),
    ] {
        let (text, is_error) = server.call("check_changes", arguments);
        assert!(is_error && !text.is_empty(), "{text}");
    }
    for path in ["/etc", "../..", "a/../../b"] {
        assert!(server.call("list_duplicates", json!({"path": path})).1, "{path}");
    }
    assert!(!server.call("check_changes", json!({})).1);
    server.end();
}

#[test]
fn a_line_that_never_ends_is_refused_and_not_kept() {
    let repository = tree();
    let mut server = initialized(&repository);
    let part = "x".repeat(1024 * 1024);
    for _ in 0..70 {
        server.write_raw(&part);
    }
    server.write("");
    assert_eq!(server.next()["error"]["code"], -32600);
    assert!(!server.call("check_changes", json!({})).1);
    server.end();
}

#[test]
fn a_call_that_is_canceled_makes_room_for_the_next() {
    let repository = tree();
    let mut server = initialized(&repository);
    let first = server.send("tools/call", json!({"name": "list_duplicates", "arguments": {}}));
    let second = server.send("tools/call", json!({"name": "list_duplicates", "arguments": {}}));
    for id in [second, first] {
        let params = json!({"requestId": id, "reason": "never mind"});
        server.write(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
                .to_string(),
        );
    }
    let (text, is_error) = server.call("check_changes", json!({}));
    assert!(!is_error, "{text}");
    server.end();
}

#[test]
fn what_was_asked_before_the_input_ended_is_answered() {
    let repository = tree();
    let mut server = initialized(&repository);
    let id = server.send("tools/call", json!({"name": "check_changes", "arguments": {}}));
    drop(server.input.take());
    assert_eq!(server.next()["id"], id);
    assert!(server.child.wait().expect("it ends").success());
}

#[test]
fn a_client_that_stops_reading_is_not_heard_and_the_server_ends_with_it() {
    let repository = tree();
    let client = json!({"name": "deaf", "version": "1"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let first = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let status = left_by_a_deaf_client(
        repository.secondhand(&["mcp"]),
        frame,
        &frame(&first.to_string()),
        "tools/list",
    );
    assert!(status.success());
}
