//! Writes reports to standard output and files, and failures to standard error.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use annotate_snippets::{Group, Level, Renderer};
use anstream::{AutoStream, ColorChoice};

use super::commands::InertWriter;
use super::destination::{Checkout, Target, temporary_for};
use super::error::Failure;
use crate::audit::Outcome;
use crate::cli::flags::{Common, ReportFlags};
use crate::config::Config;
use crate::report::{
    COMPARISON_FORMATS, FIND_FORMATS, Format, ORGANIZATION_FORMATS, RESEMBLANCE_FORMATS, Style,
    TIMELINE_FORMATS, audit_formats, scan_formats, stale_formats,
};
use crate::text::printable;

/// The width of code in a report that is not limited by a terminal.
const DEFAULT_WIDTH: usize = 120;

/// The destinations of reports of a `T`, checked before the audit begins.
pub(in crate::cli) struct Reports<T: 'static> {
    formats: Vec<&'static Format<T>>,
    printed: &'static Format<T>,
    written: Vec<(&'static Format<T>, PathBuf)>,
    /// Whether `printed` goes to standard output.
    is_printed: bool,
    /// Whether a text may be shown in a pager.
    pub is_paged: bool,
}

impl<T> Reports<T> {
    pub fn any(&self, is_such: impl Fn(&Format<T>) -> bool) -> bool {
        self.in_use().any(is_such)
    }

    fn in_use(&self) -> impl Iterator<Item = &'static Format<T>> {
        let printed = self.is_printed.then_some(self.printed);
        self.written.iter().map(|(format, _)| *format).chain(printed)
    }

    /// Checks the formats, which must be among `formats`, and the files: that each can be written,
    /// for one report, with no link of the checkout on the way.
    pub fn new(
        formats: impl IntoIterator<Item = &'static Format<T>>,
        flags: &ReportFlags,
        common: &Common,
    ) -> Result<Self, Failure> {
        let formats: Vec<_> = formats.into_iter().collect();
        let printed = find(&formats, flags.format.as_deref().unwrap_or("text"))?;
        let mut written = Vec::new();
        for (name, file) in &flags.reports {
            if file == Path::new("-") {
                let message =
                    format!("cannot write a further report to standard output: `{name}=-`");
                return Err(Failure::user(message, format!("`--format {name}` prints it")));
            }
            written.push((find(&formats, name)?, file.clone()));
        }
        let output = flags.output.as_ref().filter(|file| *file != Path::new("-"));
        written.extend(output.map(|file| (printed, file.clone())));
        let checkout = if written.is_empty() { Checkout::default() } else { Checkout::of(common) };
        for (at, (_, file)) in written.iter().enumerate() {
            checkout.refuse_links(file)?;
            let target = Target::new(file).map_err(Failure::unwritable(file))?;
            // A pipe can be opened only once: opening it to try would end it.
            let Target::File(found) = &target else { continue };
            temporary_for(found).map_err(Failure::unwritable(file))?;
            let mut others = written[..at].iter().map(|(_, other)| Target::new(other));
            if others.any(|other| other.is_ok_and(|other| other == target)) {
                let message = format!(
                    "cannot write two reports to `{}`: the second would replace the first",
                    file.display()
                );
                return Err(Failure::user(message, "give each report a file of its own"));
            }
        }
        Ok(Self { formats, printed, written, is_printed: output.is_none(), is_paged: false })
    }

    /// The same, printed in the format of the settings, into which the flag has been read. What is
    /// a format of other commands only leaves this one its text.
    pub fn with(mut self, config: &Config) -> Result<Self, Failure> {
        self.printed = match find(&self.formats, &config.format) {
            Err(_) if is_format(&config.format) => find(&self.formats, "text")?,
            found => found?,
        };
        // The last file is that of `--output`.
        if let Some((format, _)) = self.written.last_mut().filter(|_| !self.is_printed) {
            *format = self.printed;
        }
        Ok(self)
    }

    /// Warns of the formats that do not show suppressed findings, if these `are_asked` for.
    pub fn warn_of_suppressed(&self, are_asked: bool) {
        for format in self.in_use().filter(|format| are_asked && !format.shows_suppressed()) {
            let name = format.name;
            warn(&format!(
                "the format `{name}` does not show suppressed findings; `json` and `text` do"
            ));
        }
    }

    pub fn write(&self, found: &T, common: &Common) -> Result<(), Failure> {
        for (format, file) in &self.written {
            let written =
                Target::new(file).and_then(|target| to_file(format, &target, found, common));
            written.map_err(Failure::unwritable(file))?;
        }
        let is_paged = self.is_paged && self.printed.name == "text";
        if self.is_printed { to_stdout(self.printed, found, common, is_paged) } else { Ok(()) }
    }
}

impl Reports<Outcome> {
    pub fn show_code(&self, outcome: &Outcome, common: &Common) -> bool {
        self.any(|format| format.shows_code(outcome, &style(common, None, false)))
    }
}

fn is_format(name: &str) -> bool {
    audit_formats().chain(scan_formats()).chain(stale_formats()).any(|of| of.name == name)
        || TIMELINE_FORMATS.iter().any(|of| of.name == name)
        || COMPARISON_FORMATS.iter().any(|of| of.name == name)
        || RESEMBLANCE_FORMATS.iter().any(|of| of.name == name)
        || ORGANIZATION_FORMATS.iter().any(|of| of.name == name)
        || FIND_FORMATS.iter().any(|of| of.name == name)
}

fn find<T>(formats: &[&'static Format<T>], name: &str) -> Result<&'static Format<T>, Failure> {
    let found = formats.iter().find(|format| format.name == name).copied();
    found.ok_or_else(|| {
        let known: Vec<_> = formats.iter().map(|format| format.name).collect();
        Failure::unknown("format", name, &known)
    })
}

fn to_file<T>(format: &Format<T>, target: &Target, found: &T, common: &Common) -> io::Result<()> {
    let style = style(common, None, false);
    match target {
        Target::Device(device) => {
            let device = OpenOptions::new().write(true).open(device)?;
            format.write(found, &style, &mut BufWriter::new(device))
        }
        Target::File(file) => {
            let mut temporary = temporary_for(file)?;
            format.write(found, &style, &mut BufWriter::new(&mut temporary))?;
            if let Ok(before) = fs::metadata(file) {
                temporary.as_file().set_permissions(before.permissions())?;
            }
            temporary.persist(file).map(drop).map_err(|error| error.error)
        }
    }
}

fn to_stdout<T>(
    format: &Format<T>,
    found: &T,
    common: &Common,
    is_paged: bool,
) -> Result<(), Failure> {
    let stdout = io::stdout();
    // If standard output is a pipe, the terminal belongs to another program.
    let terminal = if stdout.is_terminal() { terminal_size::terminal_size() } else { None };
    let width = terminal.map(|(width, _)| usize::from(width.0));
    let style = style(common, width, AutoStream::choice(&stdout) != ColorChoice::Never);
    if let Some(pager) = (is_paged && stdout.is_terminal()).then(Pager::start).flatten() {
        return printed(pager.show(|out| format.write(found, &style, out)));
    }
    let out = BufWriter::new(stdout.lock());
    printed(match InertWriter::new(out, format.name) {
        Ok(mut out) => format.write(found, &style, &mut out),
        Err(mut out) => format.write(found, &style, &mut out),
    })
}

/// How a report looks on a terminal of `width` columns, or without one.
fn style(common: &Common, width: Option<usize>, has_color: bool) -> Style {
    Style {
        has_color,
        width: width.unwrap_or(DEFAULT_WIDTH),
        wraps: width.is_some(),
        is_full: common.full,
        is_brief: common.brief,
        group_by: common.group_by,
        top: if common.all { Some(usize::MAX) } else { common.top },
        is_quiet: common.quiet,
        is_verbose: common.verbose,
    }
}

/// The pager of the user, which waits for a text, as git shows one.
struct Pager(Child);

impl Pager {
    /// Starts the pager of the environment: that of `GIT_PAGER`, of `PAGER`, or `less`. `None` if
    /// there is to be none, or it cannot be started. A pager in the configuration of a repository
    /// is not run.
    fn start() -> Option<Self> {
        let line = env::var_os("GIT_PAGER").or_else(|| env::var_os("PAGER"));
        let line = line.unwrap_or_else(|| "less".into());
        let line = line.to_string_lossy();
        let words: Vec<&str> = line.split_whitespace().collect();
        let (program, arguments) = words.split_first().filter(|(program, _)| **program != "cat")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped());
        // As git sets them: colors pass, and a text that fits the screen stays there.
        for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
            command.env(name, env::var_os(name).unwrap_or_else(|| value.into()));
        }
        command.spawn().ok().map(Self)
    }

    /// Shows what `write` writes, until the reader has seen enough.
    fn show(mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let input = self.0.stdin.take();
        let written = input.map_or(Ok(()), |input| write(&mut BufWriter::new(input)));
        self.0.wait()?;
        written
    }
}

/// Prints lines of text to standard output. Whatever is in them, they steer no terminal; the names
/// of others that are in them hold no line ends.
pub(in crate::cli) fn print_text(text: &str) -> Result<(), Failure> {
    printed(write_text(&lines_of(text)))
}

/// Prints a report to standard output; `false` if its reader has closed it.
pub(in crate::cli) fn try_print(text: &str) -> Result<bool, Failure> {
    let written = write_text(text);
    let is_read = written.is_ok();
    printed(written).map(|()| is_read)
}

fn write_text(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

/// The same lines, each as it can be printed.
pub(in crate::cli) fn lines_of(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(printable).collect();
    lines.join("\n")
}

/// A closed pipe is no failure: its reader has seen enough.
pub(in crate::cli) fn printed(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::output(&error)),
        _ => Ok(()),
    }
}

pub(in crate::cli) fn warn(message: &str) {
    print_group(titled(Level::WARNING, message));
}

pub(in crate::cli) fn note(message: &str) {
    print_group(titled(Level::NOTE, message));
}

pub(in crate::cli) fn report_failure(failure: &Failure) {
    let mut group = titled(Level::ERROR, &failure.to_string());
    if let Some(help) = failure.help() {
        // Only what the program brings along has lines.
        let example = failure.example().map(|example| format!("\n{example}")).unwrap_or_default();
        group = group.element(Level::HELP.message(printable(help) + &example));
    }
    print_group(group);
}

/// A message as a title, on one line: whatever names are in it, it steers no terminal or runner.
fn titled(level: Level<'static>, message: &str) -> Group<'static> {
    Group::with_title(level.primary_title(printable(message)))
}

fn print_group(group: Group<'_>) {
    let has_color = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
    let renderer = if has_color { Renderer::styled() } else { Renderer::plain() };
    // If standard error is closed too, there is nowhere left to report it.
    let _ = writeln!(io::stderr(), "{}", renderer.render(&[group]));
}
