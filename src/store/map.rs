//! Maps a file into memory: the only place with unsafe code.
//!
//! Why it is sound: a mapped file must not change while it is mapped. Segment files are written
//! once, under a temporary name, and renamed. After that they are never written; they are only
//! unlinked, and an unlinked file stays mapped. Someone else who truncates one under a running
//! process ends that process (a bus error), but cannot make it read other memory. Anyone who may
//! write to the cache may also stop the program.

use std::io;
use std::ops::Deref;
use std::path::Path;

use crate::files;

/// The bytes of a file, mapped, or of memory.
#[derive(Debug)]
pub(super) enum Map {
    Mapped(memmap2::Mmap),
    Owned(Box<[u8]>),
}

impl Map {
    /// Maps the regular file at `path`, for reading.
    #[allow(
        unsafe_code,
        reason = "mapping is unsafe for the reason the module states, and is done here only"
    )]
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = files::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(files::not_regular());
        }
        if metadata.len() == 0 {
            return Ok(Self::Owned(Box::default()));
        }
        // SAFETY: segment files are never written to after they have their final name; see the
        // module documentation.
        let map = unsafe { memmap2::Mmap::map(&file)? };
        Ok(Self::Mapped(map))
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
        }
    }
}
