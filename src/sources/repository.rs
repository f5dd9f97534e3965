//! Reads a git repository: one revision of it, or all history of some references.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::past::read_past;
use super::{
    DeclaredComponent, Error, PastFile, ReleaseHistory, Request, Sink, SourceFile, SourceKind,
    is_license_sized, may_state_license, named, read_entries,
};
use crate::files::{BlobId, Entry, ReadFiles};
use crate::git::{FilesAround, Interest, Reader, References, Repository};
use crate::license::{KnownTexts, LICENSING_PARENT, Licenses, LicensingInfo, is_relevant};
use crate::text::FilePath;

pub(super) static SOURCE: SourceKind = SourceKind {
    name: "git",
    help: "a git repository, with the history of its branches and tags (`REPOSITORY@refs/*`: of all references), or \
           `REPOSITORY@REVISION`",
    takes: |spec| repository_of(spec).is_some(),
    read,
};

/// What of a repository is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part<'s> {
    History(References),
    Revision(&'s str),
}

/// The repository in `spec`, and the part of it.
pub(super) fn repository_of(spec: &str) -> Option<(&str, Part<'_>)> {
    if is_repository(Path::new(spec)) {
        return Some((spec, Part::History(References::Own)));
    }
    let (path, part) = spec
        .rsplit_once('@')
        .filter(|(path, part)| is_repository(Path::new(path)) && !part.is_empty())?;
    let is_all = part == "refs/*";
    Some((path, if is_all { Part::History(References::All) } else { Part::Revision(part) }))
}

/// Whether this is the root of a repository; a folder inside one is a plain folder.
pub(super) fn is_repository(path: &Path) -> bool {
    path.join(".git").exists() || path.join("objects").is_dir() && path.join("HEAD").is_file()
}

fn read(request: &Request<'_>, sink: &mut dyn Sink) -> Result<(), Error> {
    let source = repository_of(request.spec);
    let (path, part) = source.ok_or_else(|| Error::Unknown(request.spec.to_owned()))?;
    let repository = Repository::discover_another(Path::new(path))?;
    let mut component = named(request.component.clone(), &repository.name());
    let reader = repository.reader();
    match part {
        Part::Revision(revision) => {
            component.version = component.version.or_else(|| Some(revision.to_owned()));
            let commit = reader.commit(revision)?;
            let (hash, time) = (commit.to_string(), reader.time(commit)?);
            let seen = ReleaseHistory { commit: hash, time, ..ReleaseHistory::default() };
            let entries = reader.commit_snapshot(commit)?.entries;
            read_entries(&entries, &reader, &Arc::new(component), Some(&seen), sink)
        }
        Part::History(references) => {
            let component = Arc::new(component);
            read_history(&repository, references, &component, sink)?;
            let past = read_past(&repository, &|path| sink.wants(path, 0))?;
            sink.past(&component, past);
            for commit in repository.passed_over() {
                sink.note(super::Note { what: format!("commit {commit}"), why: "it is malformed" });
            }
            Ok(())
        }
    }
}

/// Every blob once, at its first commit.
fn read_history(
    repository: &Repository,
    references: References,
    component: &Arc<DeclaredComponent>,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    let reader = &repository.history_reader();
    let (mut licenses, mut files) = (PastLicenses::default(), Vec::new());
    let interest = Interest { is_relevant, for_parent: LICENSING_PARENT };
    for first in reader.first_appearances(references, Some(interest))? {
        let [first_tag, last_tag] = first.tags.map(|tag| tag.map(|tag| tag.to_string()));
        let seen = ReleaseHistory {
            commit: first.commit.to_string(),
            time: first.time,
            first_tag,
            last_tag,
            is_of_history: true,
        };
        let around = licenses.around(reader, &first.around, component)?;
        let file = SourceFile::new(component, first.path, Vec::new());
        let file = SourceFile { seen: Some(seen), licenses: Some(around), ..file };
        files.push(PastFile { blob: first.blob, file });
    }
    sink.take_history(repository, files)?;
    if let Some(head) = reader.head()? {
        let entries = reader.commit_snapshot(head)?.entries.into_iter();
        let stating = entries.filter(|entry| may_state_license(&entry.path));
        let blobs = stating.filter_map(|entry| entry.blob().map(|blob| (entry.path, blob)));
        let around = Arc::new(blobs.collect::<Vec<_>>());
        sink.licenses(component, licenses.around(reader, &around, component)?);
    }
    Ok(())
}

/// The license statements in the files of a history; each file is read once.
#[derive(Default)]
struct PastLicenses {
    infos: HashMap<(FilePath, BlobId), LicensingInfo>,
    memory: KnownTexts,
    around: HashMap<Vec<(FilePath, BlobId)>, Arc<Licenses>>,
}

impl PastLicenses {
    /// The licenses that `files` state.
    fn around(
        &mut self,
        reader: &Reader,
        files: &FilesAround,
        component: &DeclaredComponent,
    ) -> Result<Arc<Licenses>, Error> {
        if let Some(known) = self.around.get(&**files) {
            return Ok(Arc::clone(known));
        }
        let mut licenses = Licenses::default();
        if let Some(declared) = &component.license {
            licenses.declare(&FilePath::new(""), declared);
        }
        for (path, blob) in &**files {
            let key = (path.clone(), *blob);
            if !self.infos.contains_key(&key) {
                let entry = Entry::of_blob(path, *blob);
                let is_short = is_license_sized(reader, &entry);
                let bytes = if is_short { reader.read(&entry)? } else { Vec::new() };
                let info = LicensingInfo::remembered(path, &bytes, &self.memory);
                self.infos.insert(key.clone(), info);
            }
            licenses.add(path, &self.infos[&key]);
        }
        let licenses = Arc::new(licenses);
        self.around.insert(files.to_vec(), Arc::clone(&licenses));
        Ok(licenses)
    }
}
