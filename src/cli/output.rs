//! Writes reports to standard output and files, and failures to standard error.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use annotate_snippets::{Group, Level, Renderer};
use anstream::{AutoStream, ColorChoice};
use tempfile::NamedTempFile;

use super::error::Failure;
use super::flags::{Common, Reporting};
use crate::config::{Config, below};
use crate::git::Repository;
use crate::report::{
    COMPARISON_FORMATS, FIND_FORMATS, Format, ORGANIZATION_FORMATS, RESEMBLANCE_FORMATS, Style, TIMELINE_FORMATS,
    audit_formats, scan_formats, stale_formats,
};

/// The width of code in a report that is not limited by a terminal.
const DEFAULT_WIDTH: usize = 120;

/// The destinations of reports of a `T`, checked before the audit begins.
pub(super) struct Reports<T: 'static> {
    formats: Vec<&'static Format<T>>,
    printed: &'static Format<T>,
    /// The formats of files, and the files.
    written: Vec<(&'static Format<T>, PathBuf)>,
    /// Whether `printed` goes to standard output.
    is_printed: bool,
}

impl<T> Reports<T> {
    /// Checks the formats, which must be among `formats`, and the files.
    ///
    /// # Errors
    /// When there is no format of a name, a file cannot be written, two reports go to one file, or
    /// a link of the checkout is on the way to one.
    pub fn new(
        formats: impl IntoIterator<Item = &'static Format<T>>,
        flags: &Reporting,
        common: &Common,
    ) -> Result<Self, Failure> {
        let formats: Vec<_> = formats.into_iter().collect();
        let find = |name| find(&formats, name);
        let printed = find(flags.format.as_deref().unwrap_or("text"))?;
        let mut written = Vec::new();
        for (name, file) in &flags.reports {
            written.push((find(name)?, file.clone()));
        }
        written.extend(flags.output.as_ref().map(|file| (printed, file.clone())));
        let repository = if written.is_empty() { None } else { Repository::discover(&common.repo).ok() };
        for (at, (_, file)) in written.iter().enumerate() {
            if let Some(repository) = &repository {
                refuse_links(file, repository.root())?;
            }
            let unwritable = |why| Failure::Unwritable { file: file.clone(), why };
            let target = Target::new(file).map_err(unwritable)?;
            // A pipe can be opened only once: opening it to try would end it.
            if matches!(target, Target::Device(_)) {
                continue;
            }
            target.open().map_err(unwritable)?;
            let is_same = |(_, other): &(_, PathBuf)| Target::new(other).is_ok_and(|other| other == target);
            if written[..at].iter().any(is_same) {
                return Err(Failure::Twice { file: file.clone() });
            }
        }
        Ok(Self { formats, printed, written, is_printed: flags.output.is_none() })
    }

    /// The same, printed in the format of the settings, into which the flag has been read. What is a format of other
    /// commands only leaves this one its text.
    ///
    /// # Errors
    /// If no command has such a format.
    pub fn with(mut self, config: &Config) -> Result<Self, Failure> {
        let format = match find(&self.formats, &config.format) {
            Err(_) if is_format(&config.format) => find(&self.formats, "text")?,
            found => found?,
        };
        if !self.is_printed {
            // The last one is that of `--output`.
            self.written.iter_mut().rev().take(1).for_each(|(of, _)| *of = format);
        }
        self.printed = format;
        Ok(self)
    }

    /// Writes all reports.
    ///
    /// # Errors
    /// If a file cannot be written. A closed pipe is not an error: its reader has seen enough.
    pub fn write(&self, found: &T, common: &Common) -> Result<(), Failure> {
        for (format, file) in &self.written {
            let written = Target::new(file).and_then(|target| to_file(format, &target, found, common));
            written.map_err(|why| Failure::Unwritable { file: file.clone(), why })?;
        }
        if self.is_printed { to_stdout(self.printed, found, common) } else { Ok(()) }
    }
}

/// Whether any command has a format of this name.
fn is_format(name: &str) -> bool {
    let of_findings = audit_formats().chain(scan_formats()).chain(stale_formats()).map(|format| format.name);
    let of_others = (TIMELINE_FORMATS.iter().map(|format| format.name))
        .chain(COMPARISON_FORMATS.iter().map(|format| format.name))
        .chain(RESEMBLANCE_FORMATS.iter().map(|format| format.name))
        .chain(ORGANIZATION_FORMATS.iter().map(|format| format.name))
        .chain(FIND_FORMATS.iter().map(|format| format.name));
    of_findings.chain(of_others).any(|known| known == name)
}

fn find<T>(formats: &[&'static Format<T>], name: &str) -> Result<&'static Format<T>, Failure> {
    formats.iter().find(|format| format.name == name).copied().ok_or_else(|| Failure::Unknown {
        what: "format",
        name: name.to_owned(),
        known: formats.iter().map(|format| format.name.to_owned()).collect(),
    })
}

/// Checks that no link of the checkout is on the way to `file`: the author of the code under audit
/// could have any file replaced that we may write.
///
/// # Errors
/// When there is one.
pub(super) fn refuse_links(file: &Path, root: &Path) -> Result<(), Failure> {
    let mut reached = root.to_owned();
    for name in below(file, root).iter().flatten() {
        reached.push(name);
        if reached.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(Failure::ThroughLink { file: file.to_owned(), link: reached });
        }
    }
    Ok(())
}

/// Replaces `file` as a whole. A link under its name is replaced, not followed.
pub(super) fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    match Target::File(file.to_owned()).open()? {
        Open::Temporary(mut temporary, file) => {
            temporary.write_all(bytes)?;
            temporary.persist(&file).map(drop).map_err(|error| error.error)
        }
        Open::Device(mut device) => device.write_all(bytes),
    }
}

/// What a report is written to.
#[derive(Debug, PartialEq, Eq)]
enum Target {
    /// A file, replaced as a whole: readers see the old report or the new one, never half of one.
    File(PathBuf),
    /// A pipe, a terminal or another device: written as it comes.
    Device(PathBuf),
}

/// A report being written.
enum Open {
    Temporary(NamedTempFile, PathBuf),
    Device(File),
}

impl Target {
    /// Follows links: the target of a link is replaced, not the link.
    fn new(file: &Path) -> io::Result<Self> {
        match fs::metadata(file) {
            Ok(metadata) if metadata.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Ok(metadata) if metadata.is_file() => Ok(Self::File(fs::canonicalize(file)?)),
            Ok(_) => Ok(Self::Device(file.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
                let name = file.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
                Ok(Self::File(fs::canonicalize(folder)?.join(name)))
            }
            Err(error) => Err(error),
        }
    }

    /// Opens it without changing existing contents.
    fn open(&self) -> io::Result<Open> {
        match self {
            Self::Device(file) => Ok(Open::Device(OpenOptions::new().write(true).open(file)?)),
            Self::File(file) => {
                if file.exists() {
                    // Do not replace a write-protected file either.
                    OpenOptions::new().append(true).open(file)?;
                }
                let folder = file.parent().unwrap_or(Path::new("."));
                let mut builder = tempfile::Builder::new();
                builder.prefix(".secondhand-").suffix(".tmp");
                #[cfg(unix)]
                {
                    use std::os::unix::fs::PermissionsExt;
                    // Like any program creates a file: readable as the umask allows.
                    builder.permissions(fs::Permissions::from_mode(0o666));
                }
                // The error names the temporary file, but the reader only knows the report.
                let temporary = builder.tempfile_in(folder).map_err(|error| io::Error::from(error.kind()))?;
                Ok(Open::Temporary(temporary, file.clone()))
            }
        }
    }
}

fn to_file<T>(format: &Format<T>, target: &Target, found: &T, common: &Common) -> io::Result<()> {
    let style = style(common, None, false);
    let write = |out: &mut dyn Write| {
        let mut out = BufWriter::new(out);
        format.write(found, &style, &mut out).and_then(|()| out.flush())
    };
    match target.open()? {
        Open::Device(mut device) => write(&mut device),
        Open::Temporary(mut temporary, file) => {
            write(&mut temporary)?;
            if let Ok(before) = fs::metadata(&file) {
                temporary.as_file().set_permissions(before.permissions())?;
            }
            temporary.persist(&file).map_err(|error| error.error)?;
            Ok(())
        }
    }
}

fn to_stdout<T>(format: &Format<T>, found: &T, common: &Common) -> Result<(), Failure> {
    let stdout = io::stdout();
    // If standard output is a pipe, the terminal belongs to another program.
    let terminal = if stdout.is_terminal() { terminal_size::terminal_size() } else { None };
    let width = terminal.map(|(width, _)| usize::from(width.0));
    let style = style(common, width, AutoStream::choice(&stdout) != ColorChoice::Never);
    let mut out = BufWriter::new(stdout.lock());
    print(format.write(found, &style, &mut out).and_then(|()| out.flush()))
}

/// How a report looks on a terminal of `width` columns, or without one.
fn style(common: &Common, width: Option<usize>, has_color: bool) -> Style {
    Style {
        has_color,
        width: width.unwrap_or(DEFAULT_WIDTH),
        wraps: width.is_some(),
        is_full: common.full,
        is_brief: common.brief,
        group_by: common.group_by.map(Into::into),
        is_quiet: common.quiet,
        is_verbose: common.verbose,
    }
}

/// Prints `text` to standard output.
pub(super) fn print_text(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    print(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Prints `text` to standard output; `false` if its reader has closed it.
pub(super) fn try_print(text: &str) -> Result<bool, Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        written => written.map(|()| true).map_err(Failure::Output),
    }
}

fn print(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        _ => Ok(()),
    }
}

/// Prints a warning to standard error.
pub(super) fn warn(message: &str) {
    print_group(Group::with_title(Level::WARNING.primary_title(message.to_owned())));
}

/// Prints a note to standard error.
pub(super) fn note(message: &str) {
    print_group(Group::with_title(Level::NOTE.primary_title(message.to_owned())));
}

/// Prints a failure to standard error, and what to do about it.
pub(super) fn report_failure(failure: &Failure) {
    let mut group = Group::with_title(Level::ERROR.primary_title(failure.to_string()));
    if let Some(help) = failure.help() {
        group = group.element(Level::HELP.message(help));
    }
    print_group(group);
}

fn print_group(group: Group<'_>) {
    let has_color = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
    let renderer = if has_color { Renderer::styled() } else { Renderer::plain() };
    // If standard error is closed too, there is nowhere left to report it.
    let _ = writeln!(io::stderr(), "{}", renderer.render(&[group]));
}
