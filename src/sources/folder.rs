//! Reads a plain folder as one component.

use std::path::Path;
use std::sync::Arc;

use super::{Error, Folder, Request, Sink, SourceFile, SourceKind, named, read_named};
use crate::files::ReadFiles;
use crate::license::named_text;

/// Plain folders.
pub(super) static SOURCE: SourceKind =
    SourceKind { name: "folder", help: "a folder", takes: |spec| Path::new(spec).is_dir(), read };

fn read(request: &Request<'_>, sink: &mut dyn Sink) -> Result<(), Error> {
    let path = Path::new(request.spec);
    let component = Arc::new(named(request.component.clone(), &super::base_name(path)));
    let folder = Folder::new(path);
    let (entries, mut texts) = (folder.all_entries()?, Vec::new());
    for entry in &entries {
        if sink.wants(&entry.path, folder.size(entry).unwrap_or(0)) {
            let bytes = folder.read(entry)?;
            texts.extend(named_text(&entry.path, &bytes));
            sink.take(SourceFile {
                component: Arc::clone(&component),
                path: entry.path.clone(),
                bytes,
                seen: None,
                licenses: None,
            })?;
        }
    }
    read_named(&texts, &entries, &folder, &component, sink)
}
