//! Talks to a server over pipes in JSON-RPC 2.0, however its messages are delimited.

use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// Long enough for a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// How messages are delimited.
pub struct Framing {
    /// A message with its delimiters.
    pub frame: fn(&str) -> String,
    /// The next message; `None` at the end of the output.
    pub read: fn(&mut BufReader<ChildStdout>) -> Option<Value>,
}

/// A running server, and what it writes.
pub struct Server {
    pub child: Child,
    /// Its input, until it is closed.
    pub input: Option<ChildStdin>,
    messages: Receiver<Value>,
    n_sent: u64,
    frame: fn(&str) -> String,
}

impl Server {
    /// Starts a server, which is not initialized yet.
    pub fn start(mut command: Command, framing: &Framing) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, messages) = channel();
        let &Framing { frame, read } = framing;
        thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self { input: child.stdin.take(), child, messages, n_sent: 0, frame }
    }

    /// Writes `text` as one message.
    pub fn write(&mut self, text: &str) {
        self.write_raw(&(self.frame)(text));
    }

    /// Writes `text` as it is.
    pub fn write_raw(&mut self, text: &str) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(text.as_bytes()).expect("the server reads");
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.write_message(json!({"jsonrpc": "2.0", "method": method}), params);
    }

    /// Sends a request; returns its id.
    pub fn send(&mut self, method: &str, params: Value) -> u64 {
        self.n_sent += 1;
        let id = self.n_sent;
        self.write_message(json!({"jsonrpc": "2.0", "id": id, "method": method}), params);
        id
    }

    fn write_message(&mut self, mut message: Value, params: Value) {
        message["params"] = params;
        self.write(&message.to_string());
    }

    /// The next message.
    pub fn next(&self) -> Value {
        self.messages.recv_timeout(PATIENCE).expect("the server writes a message")
    }

    /// The answer to a request; messages before it are dropped.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
        }
    }
}

/// Sends requests of `method` to a server whose answers nobody reads, after `first`; then goes
/// away. Returns how the server ended.
///
/// It must stop reading as well, or it keeps all answers.
pub fn left_by_a_deaf_client(
    mut command: Command,
    frame: fn(&str) -> String,
    first: &str,
    method: &str,
) -> ExitStatus {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("it is piped");
    let output = child.stdout.take().expect("it is piped");
    let (first, method) = (first.to_owned(), method.to_owned());
    let writer = thread::spawn(move || {
        let mut n_written = 0;
        let _ = input.write_all(first.as_bytes());
        for id in 1..200_000 {
            let request = json!({"jsonrpc": "2.0", "id": id, "method": method});
            if input.write_all(frame(&request.to_string()).as_bytes()).is_err() {
                break;
            }
            n_written = id;
        }
        n_written
    });
    thread::sleep(Duration::from_secs(3));
    assert!(!writer.is_finished(), "the server reads on, and keeps all answers");
    drop(output);
    let n_written = writer.join().expect("the writer ends");
    assert!(n_written < 20_000, "{n_written} requests were read");
    child.wait().expect("it ends")
}
