//! Writes a badge as SVG: `duplication 3.4 %`.

use std::io::{self, Write};

use super::{color, message};
use crate::audit::Outcome;
use crate::report::Style;

const LABEL: &str = "duplication";
/// Units of a character: a mean, since the text is fitted to its length.
const CHARACTER: usize = 7;
/// Units on both sides of a text.
const MARGIN: usize = 10;

pub fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let message = message(outcome);
    let (left, right) = (LABEL.len() * CHARACTER, message.len() * CHARACTER);
    let (of_label, of_message) = (left + MARGIN, right + MARGIN);
    let (width, fill) = (of_label + of_message, color(outcome).1);
    let parts = [(of_label / 2, left, LABEL), (of_label + of_message / 2, right, message.as_str())];
    let [label, value] = parts.map(|(middle, length, text)| {
        format!(r#"<text x="{middle}" y="14" textLength="{length}">{text}</text>"#)
    });
    writeln!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{LABEL}: {message}">
<title>{LABEL}: {message}</title>
<clipPath id="r"><rect width="{width}" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)"><rect width="{of_label}" height="20" fill="#555"/><rect x="{of_label}" width="{of_message}" height="20" fill="{fill}"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">{label}{value}</g>
</svg>"##
    )
}
