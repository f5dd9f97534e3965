//! Reads a plain folder as one component.

use std::path::Path;
use std::sync::Arc;

use super::{Error, Folder, Request, Sink, SourceKind, base_name, named, read_entries};

/// Plain folders.
pub(super) static SOURCE: SourceKind =
    SourceKind { name: "folder", help: "a folder", takes: |spec| Path::new(spec).is_dir(), read };

fn read(request: &Request<'_>, sink: &mut dyn Sink) -> Result<(), Error> {
    let path = Path::new(request.spec);
    let component = Arc::new(named(request.component.clone(), &base_name(path)));
    let folder = Folder::new(path);
    read_entries(&folder.all_entries()?, &folder, &component, None, sink)
}
