//! Passes bytes between a client and a server, late or not at all.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// What a wire does to the answers.
#[derive(Debug, Clone, Copy)]
pub struct Wire {
    /// It waits this long before it passes a piece on.
    pub delay: Duration,
    /// It passes so many bytes of all answers.
    pub max_bytes: usize,
    /// What it does with the rest.
    pub end: End,
    /// It breaks so many connections off before it passes anything.
    pub n_broken: usize,
}

/// How answers end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The connection breaks, as when the server dies.
    Breaks,
    /// The connection stays open, and nothing more comes.
    Hangs,
}

impl Wire {
    /// A wire that passes everything on at once.
    pub const GOOD: Self =
        Self { delay: Duration::ZERO, max_bytes: usize::MAX, end: End::Breaks, n_broken: 0 };

    /// Leads to the port `to` of this machine; returns its own port.
    pub fn to(self, to: u16) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
        let port = listener.local_addr().expect("it is bound").port();
        let n_passed = Arc::new(AtomicUsize::new(0));
        thread::spawn(move || {
            for client in listener.incoming().flatten().skip(self.n_broken) {
                let Ok(server) = TcpStream::connect(("127.0.0.1", to)) else { continue };
                let (asking, answering) = (pair(&client), pair(&server));
                thread::spawn(move || pass(asking.0, answering.0, |_| true));
                let n_passed = Arc::clone(&n_passed);
                thread::spawn(move || {
                    pass(answering.1, asking.1, |n| {
                        thread::sleep(self.delay);
                        let may_pass =
                            n_passed.fetch_add(n, Ordering::SeqCst) + n <= self.max_bytes;
                        // Longer than any test takes.
                        if !may_pass && self.end == End::Hangs {
                            thread::sleep(Duration::from_secs(3600));
                        }
                        may_pass
                    });
                });
            }
        });
        port
    }
}

fn pair(stream: &TcpStream) -> (TcpStream, TcpStream) {
    (stream.try_clone().expect("it is open"), stream.try_clone().expect("it is open"))
}

fn pass(mut from: TcpStream, mut to: TcpStream, mut may_pass: impl FnMut(usize) -> bool) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(n @ 1..) = from.read(&mut buffer) {
        if !may_pass(n) || to.write_all(&buffer[..n]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

/// A Python that has a module: the one that `SECONDHAND_TEST_PYTHON` names, or the one of the
/// system.
#[allow(dead_code, reason = "not all features need it")]
pub fn python_with(module: &str) -> Option<String> {
    let named = std::env::var("SECONDHAND_TEST_PYTHON").ok();
    let pythons = named.into_iter().chain(["python3".to_owned()]);
    let mut have = pythons.filter(|python| {
        let import = format!("import {module}");
        let tried = std::process::Command::new(python).args(["-c", &import]).output();
        tried.is_ok_and(|tried| tried.status.success())
    });
    have.next()
}
