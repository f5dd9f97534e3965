//! Starts what the tests ask, and waits for it.

use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// A port that nobody listens at.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .expect("there is a port")
        .local_addr()
        .expect("it is bound")
        .port()
}

/// The port of a URL.
pub fn port_of(url: &str) -> u16 {
    let port = url
        .rsplit(':')
        .next()
        .and_then(|rest| rest.split('/').next())
        .and_then(|port| port.parse().ok());
    port.expect("the URL has a port")
}

/// Waits until `is_there`, for a minute at most.
#[track_caller]
pub fn wait_until(is_there: impl Fn() -> bool) {
    let soon = (0..240).any(|_| {
        is_there() || {
            thread::sleep(Duration::from_millis(250));
            false
        }
    });
    assert!(soon, "it is not there after a minute");
}

/// Waits until somebody listens at a port.
#[track_caller]
pub fn wait_for(port: u16) {
    wait_until(|| TcpStream::connect(("127.0.0.1", port)).is_ok());
}

/// Runs `command` until this process ends, however that ends.
pub fn keep(command: &str, args: &[&str]) {
    let mut shell = Command::new("sh");
    shell
        .args([
            "-c",
            &format!("{command} \"$@\" > /dev/null 2>&1 & cat > /dev/null; kill $!"),
            "sh",
        ])
        .args(args);
    std::mem::forget(shell.stdin(Stdio::piped()).spawn().expect("there is a shell"));
}

/// Variables as programs take them.
pub fn as_variables<'v>(all: &'v [(&'static str, String)]) -> Vec<(&'static str, &'v str)> {
    all.iter().map(|(name, value)| (*name, value.as_str())).collect()
}
