//! Writes a line for each result, for agents and `grep`.

use std::io::{self, Write};

use super::{facts, place};
use crate::audit::FoundCode;
use crate::report::Style;

pub(super) fn write(found: &FoundCode, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    found.results.iter().try_for_each(|of| writeln!(out, "{}: {}", place(of), facts(of)))
}
