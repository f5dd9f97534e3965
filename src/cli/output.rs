//! Writes reports to standard output and files, and failures to standard error.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use annotate_snippets::{Group, Level, Renderer};
use anstream::{AutoStream, ColorChoice};

use super::args::{Common, Output};
use super::error::Failure;
use crate::audit::Outcome;
use crate::report::{FORMATS, Format, Style};

/// The width of a report that no terminal limits.
const DEFAULT_WIDTH: usize = 120;

/// Where reports go, checked before the audit begins.
pub(super) struct Reports<'a> {
    printed: &'static Format,
    flags: &'a Output,
    further: Vec<&'static Format>,
}

impl<'a> Reports<'a> {
    /// Checks the formats.
    ///
    /// # Errors
    /// When there is no format of a name.
    pub fn new(flags: &'a Output) -> Result<Self, Failure> {
        let printed = find(&flags.format)?;
        let further = flags.reports.iter().map(|(name, _)| find(name)).collect::<Result<_, _>>()?;
        Ok(Self { printed, flags, further })
    }

    /// Writes all reports.
    ///
    /// # Errors
    /// When a file cannot be written. A closed pipe is no error: its reader has seen enough.
    pub fn write(&self, outcome: &Outcome, common: &Common) -> Result<(), Failure> {
        for (format, (_, file)) in self.further.iter().zip(&self.flags.reports) {
            to_file(format, file, outcome, common)?;
        }
        match &self.flags.output {
            Some(file) => to_file(self.printed, file, outcome, common),
            None => to_stdout(self.printed, outcome, common),
        }
    }
}

fn find(name: &str) -> Result<&'static Format, Failure> {
    Format::find(name).ok_or_else(|| Failure::Unknown {
        what: "format",
        name: name.to_owned(),
        known: FORMATS.iter().map(|format| format.name.to_owned()).collect(),
    })
}

fn to_file(format: &Format, file: &std::path::Path, outcome: &Outcome, common: &Common) -> Result<(), Failure> {
    let unwritable = |why| Failure::Unwritable { file: file.to_owned(), why };
    let mut out = BufWriter::new(File::create(file).map_err(unwritable)?);
    let style = Style { has_color: false, width: DEFAULT_WIDTH, is_quiet: common.quiet, is_verbose: common.verbose };
    format.write(outcome, &style, &mut out).and_then(|()| out.flush()).map_err(unwritable)
}

fn to_stdout(format: &Format, outcome: &Outcome, common: &Common) -> Result<(), Failure> {
    let stdout = io::stdout();
    let style = Style {
        has_color: AutoStream::choice(&stdout) != ColorChoice::Never,
        width: terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0)),
        is_quiet: common.quiet,
        is_verbose: common.verbose,
    };
    let mut out = BufWriter::new(stdout.lock());
    print(format.write(outcome, &style, &mut out).and_then(|()| out.flush()))
}

/// Prints `text` to standard output.
pub(super) fn print_text(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    print(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

fn print(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        _ => Ok(()),
    }
}

/// Prints a failure to standard error, and what to do about it.
pub(super) fn report_failure(failure: &Failure) {
    let mut group = Group::with_title(Level::ERROR.primary_title(failure.to_string()));
    if let Some(help) = failure.help() {
        group = group.element(Level::HELP.message(help));
    }
    let has_color = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
    let renderer = if has_color { Renderer::styled() } else { Renderer::plain() };
    // Nothing is left to be told if standard error is closed too.
    let _ = writeln!(io::stderr(), "{}", renderer.render(&[group]));
}
