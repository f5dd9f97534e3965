//! Reads a list of sources: `corpus.toml`.

use std::path::Path;

use serde::Deserialize;

use super::{DeclaredComponent, Error, Note, Request, Sink, SourceKind};
use crate::files;
use crate::text::MAX_MADE;

pub(super) static SOURCE: SourceKind = SourceKind {
    name: "list",
    help: "a list of sources (.toml)",
    takes: |spec| spec.to_ascii_lowercase().ends_with(".toml") && Path::new(spec).is_file(),
    read,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct List {
    /// Whether packages that cannot be fetched are left out with a note, instead of an error.
    #[serde(default)]
    skip_missing: bool,
    #[serde(default)]
    source: Vec<ListedSource>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListedSource {
    /// A path relative to the folder of the list, or a package URL.
    from: String,
    name: Option<String>,
    version: Option<String>,
    purl: Option<String>,
    url: Option<String>,
    license: Option<String>,
}

fn read(request: &Request<'_>, sink: &mut dyn Sink) -> Result<(), Error> {
    let path = Path::new(request.spec);
    let text = files::read_text(path, MAX_MADE).map_err(|why| Error::file(path, why))?;
    let list: List = toml::from_str(&text).map_err(|error: toml::de::Error| {
        let start = error.span().map_or(0, |span| span.start).min(text.len());
        let line = text[..start].matches('\n').count() + 1;
        Error::invalid(path, format!("line {line}: {}", error.message()))
    })?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let (mut n_read, mut missing) = (0, None);
    for ListedSource { from, name, version, purl, url, license } in list.source {
        if from.to_ascii_lowercase().ends_with(".toml") {
            let why = format!("`{from}` is also a list: add it separately");
            return Err(Error::invalid(path, why));
        }
        let spec = match from.starts_with("pkg:") {
            true => from,
            false => folder.join(&from).to_string_lossy().into_owned(),
        };
        let name = name.unwrap_or_default();
        let component = DeclaredComponent { name, version, purl, url, license };
        match super::read(&Request { spec: &spec, component, limits: request.limits }, sink) {
            Ok(()) => n_read += 1,
            // Nothing of it has been handed out yet.
            Err(Error::Fetch { purl, why, help }) if list.skip_missing => {
                sink.note(Note { what: format!("{purl}: {why}"), why: Note::NOT_FETCHED });
                missing.get_or_insert(Error::Fetch { purl, why, help });
            }
            Err(error) => return Err(error),
        }
    }
    // A list of which nothing could be had is no corpus.
    missing.filter(|_| n_read == 0).map_or(Ok(()), Err)
}
