//! Stores fingerprints on disk: immutable, checksummed, memory-mapped segment files.
//!
//! Invariant: losing or damaging a file costs time, never a result; and nothing here waits for a
//! lock. What is asked of a file fails if it cannot be read or is damaged: [`SegmentError`].

mod cache;
pub mod corpus;
mod earliest;
mod error;
mod far;
mod history;
mod journal;
mod map;
mod postings;
mod runs;
mod segment;
mod write;

pub use cache::{BlobFacts, Cache, Fresh, Key};
pub use earliest::Earliest;
use error::Result;
pub use error::{FORMAT_VERSION, SegmentError};
pub use far::{BlockAt, Blocks};
pub use history::{EventRow, Extent, FileEvent, History, PastEvent, Stretch};
pub use journal::Journal;
pub use postings::{Postings, PostingsWriter, key};
pub use segment::{HashKind, Section, Segment, SegmentForm, SegmentKind, SegmentParams};
pub use write::{SegmentWriter, list, sweep};

/// Number of segments in a folder from which on the small or new ones are merged.
const MAX_SEGMENTS: usize = 8;
/// How often to read again what another process is changing.
const TRIES: usize = 5;

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    pub(super) const PARAMS: SegmentParams = SegmentParams {
        k: 16,
        window: 5,
        scheme: 1,
        normal_form: 1,
        languages: 7,
        hash: HashKind::Sha1,
    };

    pub(super) fn folder() -> TempDir {
        TempDir::new().expect("the folder for temporary files is writable")
    }

    /// A segment with two sections, the first of several blocks.
    fn written() -> Vec<u8> {
        let folder = folder();
        let mut out = SegmentWriter::create(folder.path(), SegmentKind::Cache, PARAMS)
            .expect("the folder is writable");
        out.begin(1_u32);
        for n in 0..3_000u32 {
            out.write(&n.to_le_bytes()).expect("the folder is writable");
        }
        out.begin(2_u32);
        out.write(b"second").expect("the folder is writable");
        let path = out.finish("test").expect("the folder is writable");
        assert_eq!(list(folder.path(), "test"), std::slice::from_ref(&path), "there is one file");
        std::fs::read(path).expect("it was just written")
    }

    /// Everything that a reader can get from a file.
    fn read(bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        let segment =
            Segment::from_bytes(bytes)?.of_kind(SegmentKind::Cache)?.with_params(&PARAMS)?;
        (1..=2_u32).map(|id| Ok(segment.section(id)?.all()?.to_vec())).collect()
    }

    #[test]
    fn each_fault_is_told_apart() {
        let whole = written();
        let fault = |bytes: &[u8]| format!("{:?}", read(bytes).expect_err("it is faulty"));
        let text = b"# a text file, longer than the header of a segment, which is 72 bytes long";
        assert_eq!(fault(text), "Foreign");
        assert_eq!(fault(b"PK"), "Foreign");
        assert_eq!(fault(b""), "Truncated");
        assert_eq!(fault(&whole[..40]), "Truncated");
        assert_eq!(fault(&whole[..whole.len() - 1]), "Truncated");
        let changed = |at: usize, byte: u8| {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            fault(&bytes)
        };
        assert_eq!(changed(8, 0), "Version { found: 0 }");
        assert_eq!(changed(20, 9), "Damaged(\"the header\")");
        assert_eq!(changed(100, 0xFF), "Damaged(\"a block's checksum\")");
        assert_eq!(fault(&[&whole[..], b"x"].concat()), "Damaged(\"something follows its end\")");
        let open = || Segment::from_bytes(&whole[..]).expect("it is whole");
        assert!(matches!(open().of_kind(SegmentKind::History), Err(SegmentError::OtherKind)));
        let params = SegmentParams { languages: 8, ..PARAMS };
        assert!(matches!(open().with_params(&params), Err(SegmentError::OtherParams)));
    }

    #[test]
    fn what_is_written_is_read_and_every_flipped_bit_is_noticed() {
        let whole = written();
        let sections = read(&whole).expect("it is whole");
        assert_eq!(sections[0].len(), 12_000);
        assert_eq!(sections[1], b"second");
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            assert!(read(&bytes).is_err(), "byte {at}");
        }
    }

    #[test]
    fn an_unfinished_segment_leaves_nothing() {
        let folder = folder();
        let mut out = SegmentWriter::create(folder.path(), SegmentKind::Cache, PARAMS)
            .expect("the folder is writable");
        out.begin(1_u32);
        out.write(b"half").expect("the folder is writable");
        drop(out);
        assert_eq!(std::fs::read_dir(folder.path()).expect("it is there").count(), 0);
    }
}
