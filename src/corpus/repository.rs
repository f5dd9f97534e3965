//! Reads a git repository: one revision of it, or all its history.

use std::path::Path;
use std::sync::Arc;

use super::{Component, Error, Request, Seen, Sink, Source, SourceFile, base_name, named};
use crate::git::{ReadFiles, Reader, Repository};

/// Git repositories.
pub(super) static SOURCE: Source = Source {
    name: "git",
    help: "a git repository, with all its history, or `REPOSITORY@REVISION`",
    takes: |spec| repository_of(spec).is_some(),
    read,
};

/// The repository and the revision that are named.
pub(super) fn repository_of(spec: &str) -> Option<(&str, Option<&str>)> {
    if is_repository(Path::new(spec)) {
        return Some((spec, None));
    }
    let (path, revision) = spec.rsplit_once('@')?;
    (is_repository(Path::new(path)) && !revision.is_empty()).then_some((path, Some(revision)))
}

/// Whether this is the root of a repository: a folder inside of one is a plain folder.
fn is_repository(path: &Path) -> bool {
    path.join(".git").exists() || path.join("objects").is_dir() && path.join("HEAD").is_file()
}

fn read(request: &Request<'_>, sink: &mut dyn Sink) -> Result<(), Error> {
    let Some((path, revision)) = repository_of(request.spec) else {
        return Err(Error::Unknown { spec: request.spec.to_owned() });
    };
    let repository = Repository::discover(Path::new(path))?;
    let name = base_name(Path::new(path));
    let mut component = named(request.component.clone(), name.strip_suffix(".git").unwrap_or(&name));
    let reader = repository.reader();
    match revision {
        Some(revision) => {
            component.version = component.version.or_else(|| Some(revision.to_owned()));
            read_revision(&reader, revision, &Arc::new(component), sink)
        }
        None => read_history(&reader, &Arc::new(component), sink),
    }
}

fn read_revision(
    reader: &Reader,
    revision: &str,
    component: &Arc<Component>,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    let commit = reader.commit(revision)?;
    let seen = Seen { commit: commit.to_string(), time: reader.time(commit)?, ..Seen::default() };
    for entry in reader.commit_snapshot(commit)?.entries {
        if !sink.wants(&entry.path, reader.size(&entry).unwrap_or(0)) {
            continue;
        }
        let bytes = reader.read(&entry)?;
        let component = Arc::clone(component);
        sink.take(SourceFile { component, path: entry.path, bytes, seen: Some(seen.clone()) })?;
    }
    Ok(())
}

/// Every blob once, at its first commit.
fn read_history(reader: &Reader, component: &Arc<Component>, sink: &mut dyn Sink) -> Result<(), Error> {
    for first in reader.first_appearances()? {
        let seen = Seen {
            commit: first.commit.to_string(),
            time: first.time,
            first_tag: first.first_tag.as_deref().map(ToOwned::to_owned),
            last_tag: first.last_tag.as_deref().map(ToOwned::to_owned),
            is_of_history: true,
        };
        if sink.knows(component, &first.entry.path, &first.blob, &seen)? {
            continue;
        }
        if !sink.wants(&first.entry.path, reader.size(&first.entry).unwrap_or(0)) {
            continue;
        }
        let bytes = reader.read(&first.entry)?;
        let component = Arc::clone(component);
        sink.take(SourceFile { component, path: first.entry.path, bytes, seen: Some(seen) })?;
    }
    Ok(())
}
