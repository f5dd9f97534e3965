//! Writes what badge services draw a badge from: the endpoint schema of shields.io.

use std::io::{self, Write};

use serde_json::json;

use super::{color, message};
use crate::audit::Outcome;
use crate::report::Style;

pub fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let badge = json!({"schemaVersion": 1, "label": "duplication", "message": message(outcome), "color": color(outcome).0});
    writeln!(out, "{badge}")
}
