//! Shows what coding agents meet: the files that set them up, and what their hooks are told.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::one_copy::{C, repository_with_a_copy};
use serde_json::{Value, json};
use support::Repository;

/// What `secondhand init --agents` says with these arguments.
#[track_caller]
fn agents(repository: &Repository, args: &[&str]) -> String {
    let output = repository.secondhand(&["init"]).args(args).output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it is text")
}

fn read(repository: &Repository, path: &str) -> String {
    fs::read_to_string(repository.path(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
}

fn json_of(repository: &Repository, path: &str) -> Value {
    serde_json::from_str(&read(repository, path)).expect("it is JSON")
}

#[test]
fn every_agent_is_set_up_and_all_of_it_is_taken_out_again() {
    let repository = Repository::new();
    let said = agents(&repository, &["--agents"]);
    assert_eq!(said.lines().count(), 14, "{said}");
    for file in [".mcp.json", ".cursor/mcp.json", ".gemini/settings.json"] {
        assert_eq!(
            json_of(&repository, file)["mcpServers"]["secondhand"]["args"],
            json!(["mcp"]),
            "{file}"
        );
    }
    assert_eq!(
        json_of(&repository, ".vscode/mcp.json")["servers"]["secondhand"]["command"],
        "secondhand"
    );
    for (file, event) in
        [(".claude/settings.json", "PostToolUse"), (".codex/hooks.json", "PreToolUse")]
    {
        assert_eq!(
            json_of(&repository, file)["hooks"][event][0]["hooks"][0]["command"],
            "secondhand hook",
            "{file}"
        );
    }
    let codex: toml::Value =
        toml::from_str(&read(&repository, ".codex/config.toml")).expect("it is TOML");
    assert_eq!(codex["mcp_servers"]["secondhand"]["command"].as_str(), Some("secondhand"));
    assert!(
        read(&repository, ".claude/skills/secondhand/SKILL.md")
            .starts_with("---\nname: secondhand\n")
    );
    assert_eq!(agents(&repository, &["--agents", "--status"]).lines().count(), 14);
    let again = agents(&repository, &["--agents"]);
    assert!(again.lines().all(|line| line.contains(": kept ")), "{again}");
    agents(&repository, &["--agents", "--remove"]);
    assert!(agents(&repository, &["--agents", "--status"]).starts_with("nothing of secondhand's"));
    for file in [
        "AGENTS.md",
        "GEMINI.md",
        ".mcp.json",
        ".cursor/hooks.json",
        ".github/copilot-instructions.md",
    ] {
        assert!(!repository.path(file).exists(), "{file}");
    }
}

#[test]
fn what_others_wrote_in_these_files_stays() {
    let repository = Repository::new();
    let (rules, servers) = (
        "# Rules\n\nBe kind.\n",
        "{\n  \"mcpServers\": {\n    \"z\": { \"command\":\"z\" }\n  }\n}\n",
    );
    repository.write("AGENTS.md", rules);
    repository.write(".mcp.json", servers);
    repository.write(".claude/settings.json", "{}\n");
    let skill = "---\nname: secondhand\n---\n\nAsk Ada.\n";
    repository.write(".claude/skills/secondhand/SKILL.md", skill);
    let said = agents(&repository, &["--agents"]);
    assert!(
        !said.contains("cursor") && !said.contains("gemini"),
        "only agents that are used here: {said}"
    );
    assert!(read(&repository, "AGENTS.md").starts_with(rules), "what was there stays");
    assert!(
        read(&repository, ".mcp.json")
            .contains("\"z\": { \"command\":\"z\" },\n    \"secondhand\"")
    );
    agents(&repository, &["--agents", "--undo"]);
    assert_eq!(read(&repository, ".claude/skills/secondhand/SKILL.md"), skill);
    assert_eq!(
        (read(&repository, "AGENTS.md"), read(&repository, ".mcp.json")),
        (rules.to_owned(), servers.to_owned())
    );

    repository.write(".mcp.json", "{ // mine\n}\n");
    let output = repository
        .secondhand(&["init", "--agents", "claude"])
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.code() == Some(2)
            && said.contains("cannot edit")
            && said.contains(".mcp.json"),
        "{said}"
    );
    assert_eq!(read(&repository, ".mcp.json"), "{ // mine\n}\n");
}

/// What the hook answers to an event, and its exit status; null where it says nothing.
fn told(repository: &Repository, event: &Value) -> (Value, Option<i32>) {
    let mut command = repository.secondhand(&["hook"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("it is a pipe");
    input.write_all(event.to_string().as_bytes()).expect("it is read");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    (serde_json::from_slice(&output.stdout).unwrap_or(Value::Null), output.status.code())
}

/// A repository whose work tree has a copy in `new.c`, and an edit elsewhere.
fn edited() -> Repository {
    let repository = repository_with_a_copy();
    repository.git(&["reset", "--quiet", "--mixed", "HEAD~1"]);
    repository
}

fn root(repository: &Repository) -> String {
    repository.root().to_string_lossy().into_owned()
}

#[test]
fn after_an_edit_an_agent_is_told_once_of_the_copies_in_that_file() {
    let repository = edited();
    let file = repository.path("new.c").to_string_lossy().into_owned();
    let event = |session: &str, file: &str| {
        json!({"hook_event_name": "PostToolUse", "session_id": session, "cwd": root(&repository), "tool_name": "Write",
               "tool_input": {"file_path": file, "content": ""}})
    };
    let (answer, status) = told(&repository, &event("one", &file));
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
    assert_eq!(
        (status, &answer["hookSpecificOutput"]["hookEventName"]),
        (Some(0), &json!("PostToolUse"))
    );
    assert!(
        text.contains("new.c:") && text.contains("copied from store.c:1") && text.len() < 2_000,
        "{text}"
    );
    assert_eq!(
        told(&repository, &event("one", &file)),
        (Value::Null, Some(0)),
        "each is told once"
    );
    assert_ne!(
        told(&repository, &event("two", &file)).0,
        Value::Null,
        "and again in another session"
    );
    let other = repository.path("store.c").to_string_lossy().into_owned();
    assert_eq!(
        told(&repository, &event("three", &other)),
        (Value::Null, Some(0)),
        "only about the file of the edit"
    );

    // The forms of other agents.
    let patch = "*** Begin Patch\n*** Add File: new.c\n+int x;\n*** End Patch";
    let codex = json!({"hook_event_name": "PostToolUse", "session_id": "codex", "cwd": root(&repository),
                       "tool_name": "apply_patch", "tool_input": {"command": patch}});
    assert_ne!(told(&repository, &codex).0, Value::Null);
    let gemini = json!({"hook_event_name": "AfterTool", "session_id": "gemini", "cwd": root(&repository),
                        "tool_input": {"file_path": file}});
    assert_eq!(told(&repository, &gemini).0["hookSpecificOutput"]["hookEventName"], "AfterTool");
    let copilot = json!({"cwd": root(&repository), "toolName": "create", "toolResult": {"resultType": "success"},
                         "toolArgs": json!({"path": file}).to_string()});
    assert!(told(&repository, &copilot).0["additionalContext"].is_string());
    let cursor = json!({"hook_event_name": "stop", "conversation_id": "cursor", "status": "completed",
                        "workspace_roots": [root(&repository)]});
    assert!(told(&repository, &cursor).0["followup_message"].is_string());
}

#[test]
fn before_an_edit_an_agent_is_told_what_exists_already() {
    let repository = edited();
    let event = |path: &str, text: &str| {
        json!({"hook_event_name": "PreToolUse", "session_id": path, "cwd": root(&repository), "tool_name": "Write",
               "tool_input": {"file_path": repository.path(path).to_string_lossy(), "content": text}})
    };
    let (answer, status) = told(&repository, &event("other.c", C.first));
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
    assert!(
        status == Some(0) && text.contains("store.c:1") && text.contains("100 % of it"),
        "{answer}"
    );
    assert_eq!(
        told(&repository, &event("other.c", "int a;\n")),
        (Value::Null, Some(0)),
        "too little to say"
    );
}

#[test]
fn what_fails_never_stops_an_agent() {
    let repository = Repository::new();
    for event in [
        json!("?"),
        json!({}),
        json!({"hook_event_name": "PostToolUse", "tool_input": {"file_path": "/etc/hosts"}}),
    ] {
        assert!(
            matches!(told(&repository, &event).1, Some(0 | 1)),
            "{event}: status 2 would stop it"
        );
    }
}
