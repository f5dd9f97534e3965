//! Talks to `secondhand lsp` over pipes, as an editor does: in the Language Server Protocol.

#![allow(
    clippy::needless_pass_by_value,
    reason = "callers hand over what `json!` made on the spot"
)]

use std::io::{BufRead, BufReader, Read};
use std::process::ChildStdout;

use crate::rpc::{Framing, Server, left_by_a_deaf_client};
use crate::samples::{LANGUAGES, Language};
use serde_json::{Value, json};
use support::Repository;

const C: &Language = &LANGUAGES[0];
/// Each message has a header with its length.
const FRAMING: Framing = Framing { frame, read };

fn frame(text: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{text}", text.len())
}

fn read(output: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut header = String::new();
    if output.read_line(&mut header).unwrap_or(0) == 0 {
        return None;
    }
    let length = header.trim().strip_prefix("Content-Length: ").expect("a header");
    let mut bytes = vec![0; length.parse::<usize>().expect("a number") + 2];
    output.read_exact(&mut bytes).expect("a message");
    Some(serde_json::from_slice(&bytes[2..]).expect("it is JSON"))
}

/// A server that an editor has just started.
fn started(repository: &Repository) -> Server {
    Server::start(repository.secondhand(&["lsp"]), &FRAMING)
}

/// A server that an editor has initialized.
fn initialized(repository: &Repository) -> Server {
    let mut server = started(repository);
    let show = json!({"window": {"showDocument": {"support": true}}, "workspace": {"textDocumentContent": {}}});
    let root = format!("file://{}", repository.root().to_string_lossy());
    let params =
        json!({"rootUri": root, "capabilities": show, "initializationOptions": {"debounce": 20}});
    let answer = server.ask("initialize", params);
    assert_eq!(answer["result"]["serverInfo"]["name"], "secondhand", "{answer}");
    server.notify("initialized", json!({}));
    server
}

trait Editor {
    /// The diagnostics of the next message that is about this version.
    fn diagnostics(&self, version: u64) -> Vec<Value>;

    /// Shuts the server down in order.
    fn end(self);
}

impl Editor for Server {
    fn diagnostics(&self, version: u64) -> Vec<Value> {
        loop {
            let message = self.next();
            let params = &message["params"];
            if message["method"] == "textDocument/publishDiagnostics"
                && params["version"] == version
            {
                return params["diagnostics"].as_array().expect("a list").clone();
            }
        }
    }

    fn end(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null)["result"], Value::Null);
        self.notify("exit", Value::Null);
        let status = self.child.wait().expect("it ends");
        assert!(status.success(), "{status}");
    }
}

fn tree() -> Repository {
    let repository = Repository::new();
    for (name, part) in [("first", C.first), ("second", C.second), ("third", C.third)] {
        repository.write(C.path(name), C.file(name, &[part]).text);
    }
    repository.commit("all");
    repository
}

fn uri(repository: &Repository, path: &str) -> String {
    format!("file://{}/{path}", repository.root().to_string_lossy())
}

#[test]
fn a_copy_is_marked_while_it_is_typed_and_its_origin_named() {
    let repository = tree();
    let mut server = initialized(&repository);
    // A file that is not saved yet.
    let (path, second) = (uri(&repository, "new.c"), uri(&repository, &C.path("second")));
    let document = json!({"uri": path, "languageId": "c", "version": 1, "text": "/* 😀 */\n"});
    server.notify("textDocument/didOpen", json!({"textDocument": document}));
    assert_eq!(server.diagnostics(1), [] as [Value; 0]);

    let end = json!({"line": 1, "character": 0});
    let change = json!([{"range": {"start": end, "end": end}, "text": C.second}]);
    let of = |version: u64| json!({"uri": path, "version": version});
    server
        .notify("textDocument/didChange", json!({"textDocument": of(2), "contentChanges": change}));
    let found = server.diagnostics(2);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0]["code"], &found[0]["severity"]), (&json!("copied-code"), &json!(2)));
    assert_eq!(found[0]["range"]["start"]["line"], 1);
    assert_eq!(found[0]["relatedInformation"][0]["location"]["uri"], second);

    let at = json!({"line": 2, "character": 0});
    let params = json!({"textDocument": {"uri": path}, "range": {"start": at, "end": at}, "context": {"diagnostics": found}});
    let actions = server.ask("textDocument/codeAction", params.clone())["result"].clone();
    let titles: Vec<&str> = (0..3).filter_map(|n| actions[n]["title"].as_str()).collect();
    assert!(
        titles[0].starts_with("Go to the origin: ") && titles[1].contains("side by side"),
        "{titles:?}"
    );
    assert_eq!(titles[2], "Allow this copied-code with a reason");

    // A tooltip shows the code of the other side.
    let hover = |line: u32| json!({"textDocument": {"uri": path}, "position": {"line": line, "character": 0}});
    let told = server.ask("textDocument/hover", hover(2))["result"].clone();
    let value = told["contents"]["value"].as_str().unwrap_or_default();
    assert!(
        value.contains(&format!("```c\n{}", C.second)) && value.contains("To do: call "),
        "{told}"
    );
    assert_eq!(server.ask("textDocument/hover", hover(0))["result"], Value::Null);

    // Go to the origin: the client is asked to show it.
    server.send("workspace/executeCommand", actions[0]["command"].clone());
    let asked = server.next();
    assert_eq!(
        (&asked["method"], &asked["params"]["uri"]),
        (&json!("window/showDocument"), &json!(second))
    );
    server.write(
        &json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"success": true}}).to_string(),
    );
    assert_eq!(server.next()["result"], Value::Null);

    // Side by side: a virtual document.
    let shown =
        server.ask("workspace/executeCommand", actions[1]["command"].clone())["result"].clone();
    let content =
        server.ask("workspace/textDocumentContent", json!({"uri": shown["uri"]}))["result"]["text"]
            .clone();
    assert_eq!(content, shown["text"]);
    assert!(content.as_str().is_some_and(|text| text.contains(" | ")), "{content}");

    // Allowed: without a reason the comment has no effect, and says so; with one it has.
    let edit = &actions[2]["edit"]["changes"][&path][0];
    assert_eq!(edit["newText"], "// secondhand: allow(copied-code) -- \n");
    let change = json!([{"range": edit["range"], "text": edit["newText"]}]);
    server
        .notify("textDocument/didChange", json!({"textDocument": of(3), "contentChanges": change}));
    let found = server.diagnostics(3);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[1]["message"].as_str().is_some_and(|why| why.contains("no reason")), "{found:?}");
    let end = json!({"line": 1, "character": 99});
    let change = json!([{"range": {"start": end, "end": end}, "text": "kept apart on purpose"}]);
    server
        .notify("textDocument/didChange", json!({"textDocument": of(4), "contentChanges": change}));
    let found = server.diagnostics(4);
    assert!(found.iter().all(|of| of["code"].is_null()), "{found:?}");
    server.end();
}

#[test]
fn whatever_comes_is_answered_by_the_protocol_and_the_server_lives() {
    let repository = tree();
    let mut server = started(&repository);
    assert_eq!(server.ask("shutdown", Value::Null)["error"]["code"], -32002);
    drop(server);
    let mut server = initialized(&repository);
    for (text, code) in [
        ("{\"jsonrpc\": ", -32700),
        ("\u{0}\u{1}", -32700),
        ("[]", -32600),
        ("17", -32600),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":9999999999999,"method":"no/such"}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":"x","method":"textDocument/codeAction"}"#, -32602),
        (
            r#"{"jsonrpc":"2.0","id":"x","method":"workspace/executeCommand","params":{"command":"rm"}}"#,
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":"x","method":"workspace/textDocumentContent","params":{"uri":"file:///etc/hosts"}}"#,
            -32602,
        ),
    ] {
        server.write(text);
        let answer = server.next();
        assert_eq!(answer["error"]["code"], code, "{text}: {answer}");
    }
    server.write_raw("hello\r\n\r\nContent-Length: none\r\n\r\n");
    assert_eq!(server.next()["error"]["code"], -32700);
    assert_eq!(server.next()["error"]["code"], -32700);
    for (method, params) in [
        ("textDocument/didOpen", json!({})),
        (
            "textDocument/didOpen",
            json!({"textDocument": {"uri": "untitled:1", "version": 1, "text": C.first}}),
        ),
        (
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri(&repository, "a.c"), "version": 1, "text": "\u{0}"}}),
        ),
        (
            "textDocument/didChange",
            json!({"textDocument": {"uri": "untitled:2"}, "contentChanges": [{"text": "x"}]}),
        ),
        (
            "textDocument/didChange",
            json!({"textDocument": {"uri": "untitled:1"}, "contentChanges": [{"range": 7, "text": "x"}]}),
        ),
        ("textDocument/didClose", json!({"textDocument": {"uri": "untitled:3"}})),
        ("$/cancelRequest", json!({"id": 1})),
        ("no/such", json!(null)),
    ] {
        server.notify(method, params);
    }
    let refused = server.ask("##vso[x\n\u{202E}", json!({}));
    assert_eq!(refused["error"]["code"], -32601);
    let why = refused["error"]["message"].as_str().expect("it says why");
    assert_eq!(why, "there is no method `\\u{23}#vso[x\\u{a}\\u{202e}`");
    server.end();
}

#[test]
fn a_buffer_that_is_empty_binary_huge_or_in_no_known_language_is_no_reason_to_end() {
    let repository = tree();
    let mut server = initialized(&repository);
    let open = |server: &mut Server, path: &str, text: String| {
        let document = json!({"uri": uri(&repository, path), "version": 1, "text": text});
        server.notify("textDocument/didOpen", json!({"textDocument": document}));
    };
    open(&mut server, "a.klingon", C.first.to_owned());
    open(&mut server, "empty.c", String::new());
    for (path, text) in
        [("binary.c", "\u{0}\u{1}\u{2}\u{0}".repeat(500)), ("huge.c", "a = b;\n".repeat(1_500_000))]
    {
        open(&mut server, path, text);
        let of_path = uri(&repository, path);
        let found = std::iter::from_fn(|| Some(server.next()))
            .find(|of| of["params"]["uri"] == of_path.as_str());
        let found = &found.expect("the server answers")["params"]["diagnostics"];
        assert!(
            found[0]["message"].as_str().is_some_and(|text| text.contains("not examined")),
            "{path}: {found:?}"
        );
    }
    server.end();
}

#[test]
fn an_editor_that_stops_reading_is_not_heard_and_the_server_ends_with_it() {
    let repository = tree();
    let status = left_by_a_deaf_client(repository.secondhand(&["lsp"]), frame, "", "no/such");
    assert_eq!(status.code(), Some(1));
}

#[test]
fn an_editor_that_goes_away_takes_the_server_with_it() {
    let repository = tree();
    let Server { mut child, input, .. } = initialized(&repository);
    drop(input);
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
}

#[test]
fn outside_of_a_repository_there_is_nothing_to_say() {
    let repository = tree();
    let folder = tempfile::TempDir::new().expect("the folder for temporary files is writable");
    let mut server = started(&repository);
    let root = format!("file://{}", folder.path().to_string_lossy());
    let answer = server.ask("initialize", json!({"rootUri": root, "capabilities": {}}));
    assert!(answer["result"]["capabilities"].is_object(), "{answer}");
    let document = json!({"uri": format!("{root}/a.c"), "version": 1, "text": C.first});
    server.notify("textDocument/didOpen", json!({"textDocument": document}));
    server.end();
}

/// Text that is typed into a file with this ending, as the action that writes one function leaves
/// it; `None` if it is not offered.
fn extracted(ending: &str, text: &str) -> Option<String> {
    let repository = Repository::new();
    repository.write("README", "nothing\n");
    repository.commit("all");
    let mut server = initialized(&repository);
    let path = uri(&repository, &format!("new.{ending}"));
    let document = json!({"uri": path, "languageId": ending, "version": 1, "text": text});
    server.notify("textDocument/didOpen", json!({"textDocument": document}));
    let found = server.diagnostics(1);
    assert!(!found.is_empty(), "no copy is found in\n{text}");
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}});
    let context = json!({"diagnostics": [], "only": ["refactor"]});
    let params = json!({"textDocument": {"uri": path}, "range": range, "context": context});
    let actions = server.ask("textDocument/codeAction", params)["result"].clone();
    server.end();
    let action = actions.as_array().expect("a list").first()?.clone();
    assert_eq!(action["kind"], "refactor.extract");
    let edits = action["edit"]["changes"][&path].as_array().expect("a list").clone();
    let at = |edit: &Value, end: &str| {
        let number = |name: &str| edit["range"][end][name].as_u64().expect("a number") as usize;
        let before: usize = text.split_inclusive('\n').take(number("line")).map(str::len).sum();
        before + number("character")
    };
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        text.replace_range(
            at(edit, "start")..at(edit, "end"),
            edit["newText"].as_str().expect("a text"),
        );
    }
    Some(text)
}

/// A function of each language, with `NAME`, the local `ROW`, a `TEXT` and a `REMARK`.
const GO: &str = "func NAME(lines []string, limit int) (int, error) {
\ttotal := 0
\tfor at, ROW := range lines {
\t\t// REMARK
\t\tif at < limit && strings.Contains(ROW, TEXT) {
\t\t\ttotal += len(ROW) * 3
\t\t}
\t\tif strings.HasPrefix(ROW, \"[\") && total > 10 {
\t\t\treturn total, nil
\t\t}
\t}
\treturn total + 1, nil
}
";
const PYTHON: &str = "def NAME(lines, limit=10):
    \"\"\"About NAME.\"\"\"
    total = 0
    for at, ROW in enumerate(lines):
        # REMARK
        if at < limit and TEXT in ROW:
            total += len(ROW) * 3
        if ROW.startswith('[') and total > 10:
            return total
    return total + 1
";
const TYPESCRIPT: &str = "export function NAME(lines: string[], limit = 10): number {
  let total = 0;
  for (const ROW of lines) {
    // REMARK
    if (ROW.length < limit && ROW.includes(TEXT)) {
      total += ROW.length * 3;
    }
    if (ROW.startsWith('[') && total > 10) {
      return total;
    }
  }
  return total + 1;
}
";
const RUST: &str = "pub fn NAME(lines: &[String], limit: usize) -> usize {
    let mut total = 0;
    for ROW in lines {
        // REMARK
        if ROW.len() < limit && ROW.contains(TEXT) {
            total += ROW.len() * 3;
        }
        if ROW.starts_with('[') && total > 10 {
            return total;
        }
    }
    total + 1
}
";

/// `sample` twice; the second time with each of these words instead of the first.
fn twice(sample: &str, changed: &[(&str, &str)]) -> String {
    let written = |name: &str, row: &str, text: &str| {
        let words = [("NAME", name), ("ROW", row), ("TEXT", text), ("REMARK", "It counts.")];
        words.iter().fold(sample.to_owned(), |sample, (word, new)| sample.replace(word, new))
    };
    let second =
        changed.iter().fold(written("warnings", "row", "\"warning\""), |second, (old, new)| {
            assert!(second.contains(old), "{old}");
            second.replace(old, new)
        });
    format!("{}\n\n{second}", written("errors", "line", "\"error\""))
}

#[test]
fn two_functions_of_a_file_become_calls_of_one() {
    for (ending, sample, head, first, second) in [
        (
            "go",
            GO,
            "func sharedErrors(text string, lines []string, limit int) (int, error) {\n\ttotal := 0\n",
            ") (int, error) {\n\treturn sharedErrors(\"error\", lines, limit)\n}\n",
            ") (int, error) {\n\treturn sharedErrors(\"warning\", lines, limit)\n}\n",
        ),
        (
            "py",
            PYTHON,
            "def _shared_errors(text, lines, limit=10):\n    total = 0\n",
            "\"\"\"About errors.\"\"\"\n    return _shared_errors(\"error\", lines, limit)\n",
            "\"\"\"About warnings.\"\"\"\n    return _shared_errors(\"warning\", lines, limit)\n",
        ),
        (
            "ts",
            TYPESCRIPT,
            "\nfunction sharedErrors(text: \"error\" | \"warning\", lines: string[], limit = 10): number {\n",
            ": number {\n  return sharedErrors(\"error\", lines, limit);\n}\n",
            ": number {\n  return sharedErrors(\"warning\", lines, limit);\n}\n",
        ),
        (
            "rs",
            RUST,
            "\nfn shared_errors(text: &'static str, lines: &[String], limit: usize) -> usize {\n    let mut total",
            "-> usize {\n    shared_errors(\"error\", lines, limit)\n}\n",
            "-> usize {\n    shared_errors(\"warning\", lines, limit)\n}\n",
        ),
    ] {
        let text = extracted(ending, &twice(sample, &[])).expect("it is offered");
        for part in [head, first, second] {
            assert!(text.contains(part), "{part}\nis not in\n{text}");
        }
        assert_eq!(
            (text.matches("It counts.").count(), text.matches("row").count()),
            (1, 0),
            "{text}"
        );
    }
}

#[test]
fn a_method_calls_one_of_its_object() {
    let method = GO.replace("func NAME", "func (s *Store) NAME");
    let text = extracted("go", &twice(&method, &[])).expect("it is offered");
    assert!(text.contains("return s.sharedErrors(\"warning\", lines, limit)"), "{text}");
    let indented = |sample: &str| sample.replace('\n', "\n    ").replace("(lines", "(self, lines");
    let class = |text: &str| format!("class Store:\n    {}\n", indented(text).trim_end());
    let text = extracted("py", &class(&twice(PYTHON, &[]))).expect("it is offered");
    assert!(text.contains("    return self._shared_errors(\"warning\", lines, limit)"), "{text}");
    assert!(text.contains("    def _shared_errors(self, text, lines, limit=10):"), "{text}");
    let implementation = |head: &str| {
        let text = twice(&RUST.replace("(lines", "(&self, lines").replace("pub ", ""), &[]);
        format!("{head} {{\n    {}\n}}\n", text.replace('\n', "\n    ").trim_end())
    };
    let text = extracted("rs", &implementation("impl Store")).expect("it is offered");
    assert!(text.contains("self.shared_errors(\"warning\", lines, limit)"), "{text}");
    assert_eq!(extracted("rs", &implementation("impl Count for Store")), None);
}

#[test]
fn what_tokens_do_not_tell_is_not_written() {
    // A name from outside is given to the helper only where parameters have no types.
    let python =
        extracted("py", &twice(PYTHON, &[("enumerate(", "numbered(")])).expect("it is offered");
    assert!(python.contains("_shared_errors(numbered, \"warning\", lines, limit)"), "{python}");
    for (why, ending, sample, changed) in [
        ("a call", "go", GO, ("HasPrefix", "HasSuffix")),
        ("a number whose type is not known", "go", GO, ("total > 10", "total > 20")),
        ("a comment that would be lost", "go", GO, ("It counts.", "It does.")),
        ("another result", "go", GO, ("(int, error)", "(int32, error)")),
        (
            "a format",
            "go",
            GO,
            ("strings.Contains(row, \"warning\")", "strings.Containsf(\"warning\", row)"),
        ),
        ("a member", "py", PYTHON, (".startswith(", ".endswith(")),
        ("an argument by name", "py", PYTHON, ("enumerate(lines)", "enumerate(rows=lines)")),
        ("a generator", "py", PYTHON, ("total += len(row) * 3", "yield len(row) * 3")),
        ("a call", "ts", TYPESCRIPT, ("startsWith", "endsWith")),
        ("a comment that would be lost", "ts", TYPESCRIPT, ("It counts.", "It does.")),
        (
            "what tells types apart",
            "ts",
            TYPESCRIPT,
            ("row.includes(\"warning\")", "row.includes === \"warning\""),
        ),
        ("a number whose type is not known", "rs", RUST, ("total > 10", "total > 20")),
        ("another type", "rs", RUST, ("&[String]", "&[Text]")),
        ("other parameters", "rs", RUST, ("limit: usize", "limit: u32")),
    ] {
        assert_eq!(extracted(ending, &twice(sample, &[changed])), None, "{why}");
    }
    let macros = RUST
        .replace("total += ROW.len() * 3;", "println!(TEXT);")
        .replace("ROW.contains(TEXT)", "total > 3");
    assert_eq!(extracted("rs", &twice(&macros, &[])), None, "a format");
    let recursive = GO.replace("return total + 1, nil", "return NAME(lines, total + 1)");
    assert_eq!(extracted("go", &twice(&recursive, &[])), None, "a function that calls itself");
}
