//! Reads and writes messages, each with a header that says its length, on threads of their own.

use std::io::{self, BufRead, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;

use serde_json::Value;

use crate::cli::servers::{MAX_WAITING, too_large};
use crate::text::MAX_MADE;

/// Maximum bytes of a line of a header.
const MAX_HEADER: u64 = 4 * 1024;

#[derive(Debug, PartialEq)]
pub(super) enum Received {
    Message(Value),
    /// Not a message, and why.
    Unreadable(String),
    End,
}

/// Starts the thread that writes to standard output, and that signals when everything is written.
pub(super) fn writer() -> (SyncSender<Value>, Receiver<()>) {
    let (client, messages) = sync_channel::<Value>(MAX_WAITING);
    let (is_done, done) = channel();
    thread::spawn(move || {
        let mut output = io::stdout();
        for message in messages {
            let text = message.to_string();
            let written = write!(output, "Content-Length: {}\r\n\r\n{text}", text.len());
            if written.and_then(|()| output.flush()).is_err() {
                break;
            }
        }
        let _ = is_done.send(());
    });
    (client, done)
}

/// Starts the thread that reads from standard input, until `take` says that nobody is there.
pub(super) fn reader(take: impl Fn(Received) -> bool + Send + 'static) {
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let incoming = read(&mut input).unwrap_or(Received::End);
            let is_over = incoming == Received::End;
            if !take(incoming) || is_over {
                return;
            }
        }
    });
}

/// Reads a message. What is no header is passed over up to the next one.
fn read(input: &mut impl BufRead) -> io::Result<Received> {
    let mut length = None;
    let mut is_garbled = false;
    loop {
        let mut line = Vec::new();
        if input.take(MAX_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(Received::End);
        }
        let line = line.trim_ascii();
        match (line.is_empty(), field(line, "Content-Length")) {
            (true, _) if length.is_some() => break,
            (true, _) if is_garbled => {
                return Ok(Received::Unreadable("there is no Content-Length".to_owned()));
            }
            (true, _) => {}
            (false, Some(value)) => {
                length = value.parse::<usize>().ok();
                is_garbled |= length.is_none();
            }
            (false, None) => is_garbled |= field(line, "Content-Type").is_none(),
        }
    }
    let length = length.unwrap_or_default();
    if length > MAX_MADE as usize {
        let n_passed = io::copy(&mut input.take(length as u64), &mut io::sink())?;
        let is_over = n_passed < length as u64;
        return Ok(if is_over { Received::End } else { Received::Unreadable(too_large()) });
    }
    let mut bytes = Vec::new();
    if input.take(length as u64).read_to_end(&mut bytes)? < length {
        return Ok(Received::End);
    }
    Ok(match serde_json::from_slice(&bytes) {
        Ok(message) => Received::Message(message),
        Err(why) => Received::Unreadable(format!("not JSON: {why}")),
    })
}

fn field(line: &[u8], name: &str) -> Option<String> {
    let (key, value) = line.split_at_checked(name.len())?;
    let value = value.strip_prefix(b":").filter(|_| key.eq_ignore_ascii_case(name.as_bytes()))?;
    Some(String::from_utf8_lossy(value).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_no_message_is_passed_over() {
        let mut input = &b"Content-Length: 2\r\n\r\n{}hello\r\n\r\ncontent-length:9\r\nContent-Type: x\r\n\r\n{\"a\": 1x}Content-Length: 4\r\n\r\nnull"[..];
        let mut next = || read(&mut input).expect("bytes can be read");
        assert_eq!(next(), Received::Message(json!({})));
        assert!(matches!(next(), Received::Unreadable(why) if why == "there is no Content-Length"));
        assert!(matches!(next(), Received::Unreadable(why) if why.starts_with("not JSON")));
        assert_eq!(next(), Received::Message(Value::Null));
        assert_eq!(next(), Received::End);
    }
}
