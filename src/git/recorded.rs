//! Reads files of the work tree as git would record them: through the clean filter, encoding and
//! line ends that their attributes ask for.

use std::path::{Path, PathBuf};

use gix::attrs::search::{MetadataCollection, Outcome};
use gix::attrs::{Search, StateRef};
use gix::bstr::ByteSlice;
use gix::glob::pattern::Case;

use super::{Error, Reader, first_line};
use crate::files;
use crate::text::{FilePath, decoded_as};

/// The attribute that names the encoding of a file on disk.
const ENCODING: &str = "working-tree-encoding";
/// The other attributes that decide what git records.
const CONVERTING: [&str; 5] = ["text", "crlf", "eol", "ident", "filter"];

impl Reader {
    /// The bytes that git would record for a work tree file.
    ///
    /// # Errors
    /// [`Error::Encoding`] if its attributes name an encoding that it is not in, or that is not
    /// known.
    pub(super) fn to_record(&self, path: &FilePath) -> Result<Vec<u8>, Error> {
        let on_disk = self.on_disk(path)?;
        let root = self.real_root.get_or_init(|| {
            self.root.as_deref().and_then(|root| root.canonicalize().ok()).unwrap_or_default()
        });
        let mut bytes = Vec::new();
        files::open_below(root, &on_disk)
            .and_then(|mut file| std::io::copy(&mut file, &mut bytes))
            .map_err(|why| Error::File { path: on_disk, why })?;

        let mut filter = self.filter.borrow_mut();
        let Filter { pipeline, stack, index } = match &mut *filter {
            Some(filter) => filter,
            none => none.insert(Filter::new(&self.repo).map_err(Error::filter(path))?),
        };
        let relative =
            gix::path::from_bstr(path.as_bytes().as_bstr()).map_err(Error::filter(path))?;
        let mut given = stack.selected_attribute_matches(CONVERTING.into_iter().chain([ENCODING]));
        let place =
            stack.at_path(&*relative, None, &self.repo.objects).map_err(Error::filter(path))?;
        place.matching_attributes(&mut given);
        let encoding = given.iter_selected().last().map(|of| of.assignment.state);
        if let Some(StateRef::Value(encoding)) = encoding {
            let encoding = encoding.as_bstr().to_string();
            let not_decoded =
                || Error::Encoding { path: path.to_string(), encoding: first_line(&encoding) };
            bytes = decoded_as(&bytes, &encoding).ok_or_else(not_decoded)?;
        }
        // What is decoded has the other attributes alone: gix knows fewer encodings than git.
        let others = Others::new(&given).map_err(Error::filter(path))?;
        let recorded = pipeline.convert_to_git(
            &bytes[..],
            &relative,
            &mut |path, found| others.find(path, found),
            &mut |buffer| match index.entry_by_path(path.as_bytes().as_bstr()) {
                Some(entry) => {
                    Ok(gix::objs::Find::try_find(&self.repo.objects, &entry.id, buffer)?
                        .map(|_| ()))
                }
                None => Ok(None),
            },
        );
        let mut recorded = recorded.map_err(Error::filter(path))?;
        let mut made = Vec::new();
        std::io::copy(&mut recorded, &mut made).map_err(Error::filter(path))?;
        Ok(made)
    }

    /// The root of the work tree.
    pub(super) fn work_tree(&self) -> Result<&Path, Error> {
        let bare = || Error::Bare { what: "work tree", root: self.repo.git_dir().to_owned() };
        self.root.as_deref().ok_or_else(bare)
    }

    /// The path of a work tree file on disk.
    pub(super) fn on_disk(&self, path: &FilePath) -> Result<PathBuf, Error> {
        let root = self.work_tree()?;
        let relative = gix::path::from_bstr(path.as_bytes().as_bstr());
        relative
            .map(|relative| root.join(relative))
            .map_err(|why| Error::unreadable(&path.to_string(), &why))
    }
}

/// What turns files into what git records: made once, with the attributes of each folder read once.
pub(super) struct Filter {
    pipeline: gix::filter::plumbing::Pipeline,
    stack: gix::worktree::Stack,
    index: gix::worktree::IndexPersistedOrInMemory,
}

impl Filter {
    fn new(repo: &gix::Repository) -> Result<Self, gix::Error> {
        let (pipeline, index) = repo.filter_pipeline(None)?;
        let (pipeline, stack) = pipeline.into_parts();
        Ok(Self { pipeline, stack, index })
    }
}

/// The attributes of one file besides its encoding, as rules of their own.
struct Others {
    rules: Search,
    names: MetadataCollection,
}

impl Others {
    fn new(given: &Outcome) -> std::io::Result<Self> {
        let (mut rules, mut names) = (Search::default(), MetadataCollection::default());
        let of_file =
            given.iter_selected().take(CONVERTING.len()).map(|of| of.assignment.to_string());
        let line = of_file.fold("*".to_owned(), |line, attribute| format!("{line} {attribute}"));
        let (file, root) = (".gitattributes".into(), Some(Path::new("")));
        rules.add_patterns_buffer(line.as_bytes(), file, root, &mut names, false)?;
        Ok(Self { rules, names })
    }

    fn find(&self, path: &gix::bstr::BStr, found: &mut Outcome) {
        found.initialize(&self.names);
        self.rules.pattern_matching_relative_path(path, Case::Sensitive, Some(false), found);
    }
}
