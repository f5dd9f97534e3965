//! Fetches packages by their package URL, using the package manager that the user has set up.
//!
//! This is the only place that starts programs, and the only way code comes over the network. There
//! is no shell in between, each part of the URL is checked before it becomes an argument, and the
//! programs only download: nothing from a package is built or run.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::{DeclaredComponent, Error, Request, Sink, SourceKind};
use crate::text::{percent_decoded, printable, shortened};

pub(super) static SOURCE: SourceKind = SourceKind {
    name: "purl",
    help: "a package URL (pkg:cargo/serde@1.0.200, pkg:npm/…, pkg:pypi/…, pkg:deb/debian/…), which cargo, npm, pip or apt-get fetches",
    takes: |spec| spec.starts_with("pkg:"),
    read,
};

/// A package as given by its URL.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Purl {
    kind: String,
    namespace: Option<String>,
    name: String,
    version: String,
}

/// How to fetch packages of a kind into a folder.
struct Manager {
    kind: &'static str,
    /// The command to run in an empty folder, its words between blanks.
    command: &'static str,
    /// Its last argument.
    package: fn(&Purl) -> String,
    help: &'static str,
    /// Finds the downloaded file.
    fetched: fn(&Purl, &Path) -> Option<PathBuf>,
}

static MANAGERS: &[Manager] = &[
    Manager {
        kind: "cargo",
        command: "cargo info --quiet",
        package: |purl| format!("{}@{}", purl.name, purl.version),
        help: "cargo must be installed and find the package; or download the .crate file and add it",
        fetched: |purl, _| crate_in_cache(&format!("{}-{}.crate", purl.name, purl.version)),
    },
    Manager {
        kind: "npm",
        command: "npm pack --ignore-scripts --loglevel=error",
        package: |purl| format!("{}@{}", purl.full_name(), purl.version),
        help: "npm must be installed and find the package; or download the .tgz file and add it",
        fetched: |_, folder| file_with(folder, ".tgz"),
    },
    Manager {
        kind: "pypi",
        // A source package would have to be built just to find out its name; a wheel does not.
        // Nothing of it is run, so it may be for another Python than the one that is here.
        command: "pip download --no-deps --only-binary :all: --ignore-requires-python --quiet \
                  --dest .",
        package: |purl| format!("{}=={}", purl.name, purl.version),
        help: "pip must be installed and find the package; for a package without wheels, download the source package and add it",
        fetched: |_, folder| file_with(folder, ".whl"),
    },
    Manager {
        kind: "deb",
        command: "apt-get source --download-only --quiet",
        package: |purl| format!("{}={}", purl.name, purl.version),
        help: "apt-get needs `deb-src` lines in its sources; or download the .dsc file and those it lists",
        fetched: |_, folder| file_with(folder, ".dsc"),
    },
];

fn read(request: &Request<'_>, sink: &mut dyn Sink) -> Result<(), Error> {
    let purl = Purl::parse(request.spec)
        .map_err(|why| Error::Invalid { what: request.spec.to_owned(), why })?;
    let Some(manager) = MANAGERS.iter().find(|manager| manager.kind == purl.kind) else {
        let known = MANAGERS.iter().map(|manager| manager.kind).collect::<Vec<_>>().join(", ");
        let why = format!("packages of the kind `{}` cannot be fetched, only: {known}", purl.kind);
        return Err(Error::Invalid { what: request.spec.to_owned(), why });
    };
    let folder = TempDir::new();
    let fetched = match &folder {
        Ok(folder) => manager.fetch(&purl, folder.path()).map_err(|why| (why, Some(manager.help))),
        Err(why) => Err((why.to_string(), None)),
    };
    let package =
        fetched.map_err(|(why, help)| Error::Fetch { purl: request.spec.to_owned(), why, help })?;
    let component = request.component.clone().or(DeclaredComponent {
        name: purl.full_name(),
        version: Some(purl.version),
        purl: Some(canonical(request.spec)),
        ..DeclaredComponent::default()
    });
    let spec = &package.to_string_lossy();
    super::read(&Request { spec, component, limits: request.limits }, sink)
}

impl Manager {
    /// Fetches a package into `folder`; returns the file, or what went wrong.
    fn fetch(&self, purl: &Purl, folder: &Path) -> Result<PathBuf, String> {
        let package = (self.package)(purl);
        let words: Vec<&str> = self.command.split(' ').chain([&*package]).collect();
        run(&words, folder)?;
        (self.fetched)(purl, folder)
            .ok_or_else(|| format!("`{}` brought no package", words.join(" ")))
    }
}

/// A package URL whose name is written as its type has it: of PyPI in lower case, with dashes.
fn canonical(spec: &str) -> String {
    let Some(rest) = spec.strip_prefix("pkg:pypi/") else { return spec.to_owned() };
    let (name, version) = rest.split_at(rest.find(['@', '?', '#']).unwrap_or(rest.len()));
    format!("pkg:pypi/{}{version}", name.to_ascii_lowercase().replace('_', "-"))
}

/// Maximum lines to show from a failed package manager's output.
const MAX_SAID: usize = 4;

/// Runs a package manager in `folder`, without a shell and without input.
fn run(words: &[&str], folder: &Path) -> Result<(), String> {
    let Some((program, arguments)) = words.split_first() else { return Ok(()) };
    let started =
        Command::new(program).args(arguments).current_dir(folder).stdin(Stdio::null()).output();
    let output = started.map_err(|why| format!("cannot run `{program}`: {why}"))?;
    if output.status.success() {
        return Ok(());
    }
    let errors = printable(&output.stderr).replace("\\u{a}", "\n");
    let mut lines: Vec<&str> =
        errors.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    // Some print the error first, others last.
    if lines.len() > MAX_SAID {
        lines.drain(MAX_SAID / 2..lines.len() - MAX_SAID / 2);
    }
    // pip lists every version of a package on a line.
    let lines: Vec<String> = lines.iter().map(|line| shortened(line, 240)).collect();
    Err(format!("`{}` failed: {}", words.join(" "), lines.join("; ")))
}

/// Where cargo stores downloads.
fn crate_in_cache(file: &str) -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home =
        home.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")))?;
    let registries = std::fs::read_dir(home.join("registry/cache")).ok()?.flatten();
    let files = registries.map(|registry| registry.path().join(file));
    files.filter(|path| path.is_file()).min()
}

/// The first file in a folder, by name, whose name ends with `end`.
fn file_with(folder: &Path, end: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let entries = entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(end));
    entries.map(|entry| entry.path()).min()
}

impl Purl {
    /// Reads `pkg:kind/namespace/name@version`; ignores what follows `?` or `#`.
    fn parse(text: &str) -> Result<Self, String> {
        let rest = text.strip_prefix("pkg:").ok_or("it does not begin with `pkg:`")?;
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let (path, version) =
            rest.rsplit_once('@').ok_or("it names no version: end it with `@VERSION`")?;
        let parts = path.split('/').map(decoded).collect::<Result<Vec<_>, _>>()?;
        let (kind, namespace, name) = match &parts[..] {
            [kind, name] => (kind, None, name),
            [kind, namespace, name] => (kind, Some(namespace.clone()), name),
            _ => return Err("expected `pkg:kind/name@version`".to_owned()),
        };
        let purl =
            Self { kind: kind.clone(), namespace, name: name.clone(), version: decoded(version)? };
        let scope = purl.namespace.as_deref().map(|scope| scope.strip_prefix('@').unwrap_or(scope));
        let names = [Some(&*purl.kind), Some(&*purl.name), scope];
        let names = names.into_iter().flatten().map(|name| ("name", name, "._+-"));
        let version = ("version", &*purl.version, "._+~:-");
        let wrong = names.chain([version]).find(|(_, text, others)| !is_word(text, others));
        match wrong {
            Some((what, _, others)) => Err(format!(
                "a {what} consists of letters, digits and `{others}`, and begins with a letter or digit"
            )),
            None => Ok(purl),
        }
    }

    /// The name with its namespace, as people write it.
    fn full_name(&self) -> String {
        match (&self.namespace, self.kind.as_str()) {
            (Some(namespace), "npm") => format!("{namespace}/{}", self.name),
            _ => self.name.clone(),
        }
    }
}

/// Whether `text` is a letter or digit, then those or `others`: no flag, path or URL.
fn is_word(text: &str, others: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || others.contains(c))
}

/// Resolves percent-encoding.
fn decoded(text: &str) -> Result<String, String> {
    let bytes = percent_decoded(text).ok_or("a `%` is not followed by two hexadecimal digits")?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_url_is_taken_apart() {
        let purl = Purl::parse("pkg:npm/%40types/node@20.1.0?x=y#z").expect("it is one");
        assert_eq!((&*purl.full_name(), &*purl.version), ("@types/node", "20.1.0"));
        let purl = Purl::parse("pkg:deb/debian/zlib@1:1.2.13.dfsg-1").expect("it is one");
        assert_eq!((purl.name.as_str(), purl.version.as_str()), ("zlib", "1:1.2.13.dfsg-1"));
    }

    #[test]
    fn a_name_is_written_as_its_type_has_it() {
        assert_eq!(canonical("pkg:pypi/Jinja_2@3.1_A?x=Y"), "pkg:pypi/jinja-2@3.1_A?x=Y");
        assert_eq!(canonical("pkg:npm/A_b@1"), "pkg:npm/A_b@1");
    }

    #[test]
    fn nothing_that_could_be_a_flag_a_path_or_a_second_argument_passes() {
        for url in [
            "pkg:cargo/serde",
            "pkg:cargo/-serde@1",
            "pkg:cargo/--config=x@1",
            "pkg:cargo/serde@--registry=x",
            "pkg:npm/..@1",
            "pkg:npm/%2Fetc%2Fpasswd@1",
            "pkg:npm/a%20b@1",
            "pkg:npm/@-x/a@1",
            "pkg:pypi/requests@2.0;rm",
            "pkg:pypi/requests @2.0",
            "pkg:pypi/a%0Ab@2.0",
            "pkg:pypi/a%zz@2.0",
            "pkg:npm/git+https:/host/x@1",
        ] {
            assert!(Purl::parse(url).is_err(), "{url}");
        }
    }
}
