//! Reads a Debian source package: the `.dsc` file and the archives that it lists.

use std::path::Path;
use std::sync::Arc;

use super::limits::Budget;
use super::tar::{Compression, read_file};
use super::{DeclaredComponent, Error, Note, Request, Sink, SourceKind};
use crate::files;
use crate::text::MAX_WRITTEN;

pub(super) static SOURCE: SourceKind = SourceKind {
    name: "debian",
    help: "a Debian source package (.dsc)",
    takes: |spec| spec.to_ascii_lowercase().ends_with(".dsc") && Path::new(spec).is_file(),
    read,
};

fn read(request: &Request<'_>, sink: &mut dyn Sink) -> Result<(), Error> {
    let path = Path::new(request.spec);
    let text = files::read_text(path, MAX_WRITTEN).map_err(|why| Error::file(path, why))?;
    let control = Control::parse(&text).map_err(|why| Error::invalid(path, why))?;
    let component = Arc::new(request.component.clone().or(control.component()));
    let folder = path.parent().unwrap_or(Path::new("."));
    let files = control.files.iter().map(|file| folder.join(&file.name));
    let size = files.filter_map(|file| file.metadata().ok()).map(|metadata| metadata.len()).sum();
    let mut budget = Budget::new(request.limits, size);
    for file in control.files.iter().filter(|file| !file.name.ends_with(".asc")) {
        if Compression::of(&file.name).is_none() {
            let why = "it has an unsupported compression, or is a diff";
            sink.note(Note { what: file.name.clone(), why });
            continue;
        }
        let path = folder.join(&file.name);
        verify(&path, file)?;
        // The folder `debian/` of the second archive is part of its paths.
        let top = (!file.name.contains(".debian.")).then(|| control.upstream_top());
        read_file(&path, top.as_deref(), &component, &mut budget, sink)?;
    }
    Ok(())
}

#[derive(Default)]
struct Control {
    source: String,
    version: String,
    homepage: Option<String>,
    files: Vec<ListedFile>,
}

struct ListedFile {
    sha256: String,
    name: String,
}

impl Control {
    /// Reads the fields; skips a signature around them.
    fn parse(text: &str) -> Result<Self, String> {
        let mut control = Self::default();
        let mut field = "";
        for line in text.lines() {
            if let Some(value) = line.strip_prefix(' ') {
                if field.eq_ignore_ascii_case("Checksums-Sha256") {
                    control.files.push(ListedFile::parse(value)?);
                }
                continue;
            }
            let Some((name, value)) = line.split_once(':') else { continue };
            field = name;
            let value = value.trim().to_owned();
            match name.to_ascii_lowercase().as_str() {
                "source" => control.source = value,
                "version" => control.version = value,
                "homepage" => control.homepage = Some(value),
                _ => {}
            }
        }
        if control.source.is_empty() || control.files.is_empty() {
            return Err("it has no source name, or lists no files with `Checksums-Sha256`".into());
        }
        Ok(control)
    }

    fn component(&self) -> DeclaredComponent {
        DeclaredComponent {
            name: self.source.clone(),
            version: Some(self.version.clone()),
            purl: Some(format!("pkg:deb/debian/{}@{}", self.source, self.version)),
            url: self.homepage.clone(),
            license: None,
        }
    }

    /// The folder of all in an upstream archive, by convention: without epoch and revision.
    fn upstream_top(&self) -> String {
        let version = self.version.split_once(':').map_or(&*self.version, |(_, rest)| rest);
        let version = version.rsplit_once('-').map_or(version, |(upstream, _)| upstream);
        format!("{}-{version}", self.source)
    }
}

impl ListedFile {
    fn parse(line: &str) -> Result<Self, String> {
        let parts: Vec<&str> = line.split_whitespace().collect();
        let [sha256, _, name] = parts[..] else {
            return Err(format!("`{}` lists no file", line.trim()));
        };
        let is_plain = !name.contains(['/', '\\']) && !name.starts_with('.');
        if !is_plain {
            return Err(format!("`{name}` is not the name of a file next to it"));
        }
        Ok(Self { sha256: sha256.to_ascii_lowercase(), name: name.to_owned() })
    }
}

/// Compares a file with its checksum.
fn verify(path: &Path, listed: &ListedFile) -> Result<(), Error> {
    let (found, _) = files::digest(path).map_err(|why| Error::file(path, why))?;
    if found == listed.sha256 {
        return Ok(());
    }
    let why = format!("its SHA-256 is {found}, not {} as the .dsc file says", listed.sha256);
    Err(Error::damaged(&listed.name, "the whole", why))
}
