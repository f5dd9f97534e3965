//! Transports messages, one per line, on threads of its own.
//!
//! The transport of the SDK lacks three things: it does not answer broken JSON, it keeps reading
//! from a client that does not read, and it stops at a notification that comes too early.
//!
//! Promise: at most [`MAX_MADE`] bytes of a message are held, and at most [`MAX_WAITING`]
//! answers that are not read. While a client reads none of them, its requests wait.

use std::collections::HashSet;
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc as blocking};
use std::thread;
use std::time::Duration;

use rmcp::model::{ClientNotification, ErrorCode, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::{Notify, mpsc};

use crate::cli::servers::{MAX_WAITING, too_large};
use crate::text::MAX_MADE;

/// Maximum time for a client to read the last answers after its input has ended.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) struct Wire {
    incoming: mpsc::Receiver<Line>,
    outgoing: Option<mpsc::Sender<Vec<u8>>>,
    open: Arc<Open>,
    has_begun: bool,
    has_ended: bool,
}

/// The requests without an answer.
#[derive(Default)]
struct Open {
    ids: Mutex<HashSet<RequestId>>,
    answered: Notify,
}

enum Line {
    Whole(Vec<u8>),
    TooLong,
}

/// Signals when everything is written.
pub(super) struct WriteSignal {
    done: blocking::Receiver<()>,
    n_written: Arc<AtomicUsize>,
}

impl WriteSignal {
    /// Waits until the client has read everything, or has read nothing for a while.
    pub fn wait(self) {
        loop {
            let n_before = self.n_written.load(Ordering::Relaxed);
            match self.done.recv_timeout(PATIENCE) {
                Err(blocking::RecvTimeoutError::Timeout)
                    if self.n_written.load(Ordering::Relaxed) > n_before => {}
                _ => return,
            }
        }
    }
}

impl Wire {
    pub fn of_process() -> (Self, WriteSignal) {
        let (to_server, incoming) = mpsc::channel(1);
        let (outgoing, mut to_client) = mpsc::channel::<Vec<u8>>(MAX_WAITING);
        let (is_done, done) = blocking::channel();
        let n_written = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&n_written);
        thread::spawn(move || {
            let mut input = io::BufReader::with_capacity(64 * 1024, io::stdin());
            while let Ok(Some(line)) = read_line(&mut input, MAX_MADE as usize) {
                if to_server.blocking_send(line).is_err() {
                    return;
                }
            }
        });
        thread::spawn(move || {
            let mut output = io::stdout();
            while let Some(message) = to_client.blocking_recv() {
                if output.write_all(&message).and_then(|()| output.flush()).is_err() {
                    break;
                }
                counted.fetch_add(1, Ordering::Relaxed);
            }
            // Dropping the receiver ends the service of a client that has closed its end.
            let _ = is_done.send(());
        });
        let (outgoing, open) = (Some(outgoing), Arc::default());
        let wire = Self { incoming, outgoing, open, has_begun: false, has_ended: false };
        (wire, WriteSignal { done, n_written })
    }

    async fn refuse(&self, code: ErrorCode, why: &str, id: Option<RequestId>) {
        let refusal =
            TxJsonRpcMessage::<RoleServer>::error(ErrorData::new(code, why.to_owned(), None), id);
        if let (Some(outgoing), Some(bytes)) = (&self.outgoing, bytes_of(&refusal)) {
            let _ = outgoing.send(bytes).await;
        }
    }
}

fn bytes_of(message: &TxJsonRpcMessage<RoleServer>) -> Option<Vec<u8>> {
    let mut bytes = serde_json::to_vec(message).ok()?;
    bytes.push(b'\n');
    Some(bytes)
}

/// A line without its end, if there is one; more than `max` bytes are read and dropped.
fn read_line(input: &mut impl BufRead, max: usize) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut is_too_long = false;
    loop {
        let bytes = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        if bytes.is_empty() {
            // The last line may have no line end.
            return Ok((!line.is_empty()).then_some(Line::Whole(line)));
        }
        let end = memchr::memchr(b'\n', bytes);
        let part = &bytes[..end.unwrap_or(bytes.len())];
        is_too_long |= line.len() + part.len() > max;
        if is_too_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(part);
        }
        let n = end.map_or(bytes.len(), |end| end + 1);
        input.consume(n);
        match end {
            Some(_) if is_too_long => return Ok(Some(Line::TooLong)),
            Some(_) => return Ok(Some(Line::Whole(line))),
            None => {}
        }
    }
}

impl Transport<RoleServer> for Wire {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = answered {
            self.open.close(id);
        }
        let (outgoing, bytes) = (self.outgoing.clone(), bytes_of(&message));
        async move {
            let (outgoing, bytes) = outgoing.zip(bytes).ok_or(io::ErrorKind::BrokenPipe)?;
            outgoing.send(bytes).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
        }
    }

    /// The next message. Nothing is lost if the future is dropped: the SDK drops it whenever there
    /// is something to send.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if self.has_ended {
                // What was asked is answered, also for a client that has nothing more to say.
                while !self.open.is_empty() {
                    self.open.answered.notified().await;
                }
                return None;
            }
            // A place for an answer: without one, the client does not read.
            drop(self.outgoing.as_ref()?.reserve().await.ok()?);
            let line = match self.incoming.recv().await {
                Some(Line::Whole(line)) => line,
                Some(Line::TooLong) => {
                    self.refuse(ErrorCode::INVALID_REQUEST, &too_large(), None).await;
                    continue;
                }
                None => {
                    self.has_ended = true;
                    continue;
                }
            };
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line);
            let value: Value = match serde_json::from_slice(text) {
                Ok(value) => value,
                Err(why) => {
                    self.refuse(ErrorCode::PARSE_ERROR, &format!("not JSON: {why}"), None).await;
                    continue;
                }
            };
            let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
            let Ok(message) = serde_json::from_value(value) else {
                let why = "not a request, notification or answer of JSON-RPC 2.0";
                self.refuse(ErrorCode::INVALID_REQUEST, why, id).await;
                continue;
            };
            match &message {
                JsonRpcMessage::Request(request) => {
                    self.has_begun = true;
                    self.open.add(request.id.clone());
                }
                // A request that is canceled has no answer.
                JsonRpcMessage::Notification(of) => {
                    if let ClientNotification::CancelledNotification(canceled) = &of.notification
                        && let Some(id) = &canceled.params.request_id
                    {
                        self.open.close(id);
                    }
                }
                JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
            }
            // Before the first request there is nothing to notify of, and nothing was asked of the
            // client.
            if self.has_begun {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.outgoing = None;
        Ok(())
    }
}

impl Open {
    fn add(&self, id: RequestId) {
        if let Ok(mut ids) = self.ids.lock() {
            ids.insert(id);
        }
    }

    fn close(&self, id: &RequestId) {
        if let Ok(mut ids) = self.ids.lock() {
            ids.remove(id);
        }
        self.answered.notify_one();
    }

    fn is_empty(&self) -> bool {
        self.ids.lock().map_or(true, |ids| ids.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_whole_or_not_at_all() {
        let mut input = io::BufReader::with_capacity(3, &b"abc\n123456789\n\nend"[..]);
        let mut next = || match read_line(&mut input, 5).expect("bytes can be read") {
            Some(Line::Whole(line)) => String::from_utf8_lossy(&line).into_owned(),
            Some(Line::TooLong) => "too long".to_owned(),
            None => "over".to_owned(),
        };
        assert_eq!(
            [next(), next(), next(), next(), next()],
            ["abc", "too long", "", "end", "over"]
        );
    }
}
