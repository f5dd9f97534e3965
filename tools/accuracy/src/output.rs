//! Prints.

use std::io::{self, ErrorKind, Write};

use crate::error::Error;

/// Writes to standard output; a reader that has seen enough is no error.
pub fn print(text: &str) -> Result<(), Error> {
    match io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()) {
        Err(why) if why.kind() != ErrorKind::BrokenPipe => Err(Error::Output(why)),
        _ => Ok(()),
    }
}

/// Writes a line to standard error, if anyone listens.
pub fn tell(line: &str) {
    drop(writeln!(io::stderr(), "{line}"));
}
