//! Looks fingerprints up, wherever they are stored: a sorted batch of keys in, postings out.
//!
//! An engine answers two questions, which keys occur where and which blobs there are; everything
//! else is read from segments, whose blocks an engine may hold as well. All engines give the same
//! answers in the same order, so that findings are the same bytes whichever is asked.

use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::open::CorpusSegment;
use crate::files::BlobId;
use crate::store::Result;

/// A blob of a corpus: its segment, and its number in it.
pub type BlobAt = (usize, u32);

/// The segments of a corpus to ask, each with its number.
pub type AskedSegments<'s> = [(usize, &'s CorpusSegment)];

/// A blob that has a fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlobPosting {
    /// The number of the segment.
    pub segment: usize,
    /// The number of the blob in it.
    pub blob: u32,
    /// The number of the component that first has the blob.
    pub component: u32,
}

/// Maximum blobs of one segment under one fingerprint, those with the lowest numbers; in more it is
/// common, whatever their components.
pub const MAX_BLOBS: usize = 4_000;

/// Maximum threads that wait for answers from elsewhere.
const THREADS: usize = 128;

/// Does `work` for each of `all`, several at a time; the results are in the same order. Threads
/// that wait for answers most of the time may be more than processors.
pub fn each<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if let [one] = all {
        return vec![work(one)];
    }
    let next = AtomicUsize::new(0);
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let threads = (0..THREADS.min(all.len())).map(|_| {
            scope.spawn(|| {
                let mut done = Vec::new();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(one) = all.get(at) else { return done };
                    done.push((at, work(one)));
                }
            })
        });
        let threads: Vec<_> = threads.collect();
        let done = threads.into_iter().flat_map(|thread| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        done.collect()
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// For each thing that was asked, in the same order, what was found.
pub type Answers<T> = Result<Vec<Vec<T>>>;

/// Answers look-ups, all of them or none: what was not looked up must not pass as absent.
pub trait Lookups: Debug + Send + Sync {
    /// For each of `keys`, which ascend, where it occurs: by segment in the order of `asked`, then
    /// by blob, and at most [`MAX_BLOBS`] of a segment.
    fn postings(&self, asked: &AskedSegments<'_>, keys: &[u64]) -> Answers<BlobPosting>;

    /// For each of `ids` the blobs with this id, in the order of `asked`.
    fn blobs_of(&self, asked: &AskedSegments<'_>, ids: &[BlobId]) -> Answers<BlobAt>;
}

/// Looks up in the segments themselves, on all threads.
#[derive(Debug, Clone, Copy, Default)]
pub struct SegmentLookups;

impl Lookups for SegmentLookups {
    fn postings(&self, asked: &AskedSegments<'_>, keys: &[u64]) -> Answers<BlobPosting> {
        let lookups = asked.iter().map(|(number, segment)| Ok((*number, segment.lookup()?)));
        let lookups = lookups.collect::<Result<Vec<_>>>()?;
        let found = keys.par_iter().map(|&key| {
            let mut found = Vec::new();
            for &(segment, ref lookup) in &lookups {
                for blob in lookup.blobs(key)?.take(MAX_BLOBS) {
                    let component = lookup.component_of(blob)?;
                    found.push(BlobPosting { segment, blob, component });
                }
            }
            Ok(found)
        });
        found.collect()
    }

    fn blobs_of(&self, asked: &AskedSegments<'_>, ids: &[BlobId]) -> Answers<BlobAt> {
        let found = ids.par_iter().map(|id| {
            let mut found = Vec::new();
            for (number, segment) in asked {
                found.extend(segment.blob_of(id)?.map(|blob| (*number, blob)));
            }
            Ok(found)
        });
        found.collect()
    }
}
