//! Packs the versions of a file in chunks, each stored once however many versions have it.
//!
//! Versions differ in a few lines. So a version is cut after lines that their own tokens choose, as
//! in content-defined chunking (Muthitacharoen, Chen, Mazières 2001: A Low-bandwidth Network File
//! System, section 3.1): an edit changes the chunks that it touches, and the cuts meet again after
//! it. Time linear in the tokens.
//!
//! ```text
//! version 1    [lines 1-12] [13-31] [32-40]      4 chunks stored for both,
//! version 2    [lines 1-12] [13-33] [34-42]      an edit in line 20
//! ```

use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;

use foldhash::fast::FixedState;
use foldhash::{HashMap, HashMapExt, HashSet};

use super::tokens::{LineStart, plain};
use crate::language::Token;
use crate::text::varint::{put, take};

/// Minimum lines of a chunk.
const MIN_LINES: usize = 8;
/// Beyond the minimum, one line in this many ends a chunk.
const LINES_PER_CUT: u64 = 8;
/// Number of parts of the claims that threads lock apart.
const SHARDS: usize = 16;

/// Consecutive lines with tokens of a version.
#[derive(Debug)]
pub(super) struct Chunk {
    /// The same for chunks with the same tokens on the same lines, and for others hardly ever.
    pub key: u64,
    tokens: Range<usize>,
    starts: Range<usize>,
}

impl Chunk {
    /// Cuts a version into chunks.
    pub fn all(tokens: &[Token], starts: &[LineStart]) -> Vec<Self> {
        let hasher = FixedState::default();
        let (mut chunks, mut chunk_key) = (Vec::new(), hasher.build_hasher());
        let (mut first, mut first_start, mut n_lines) = (0, 0, 0);
        // The first line may begin without a break, and so have no start.
        let n_unstarted = usize::from(starts.first().is_none_or(|start| start.at > 0));
        let mut from = 0;
        let ends = starts.iter().map(|start| start.at as usize).filter(|&at| at > 0);
        for (line, to) in ends.chain([tokens.len()]).filter(|&to| to > 0).enumerate() {
            let start = line.checked_sub(n_unstarted).and_then(|at| starts.get(at));
            let mut key = hasher.build_hasher();
            key.write_u32(start.map_or(0, |start| start.n_lines));
            for token in &tokens[from..to] {
                key.write_u64(u64::from(token.symbol.get()) << 32 | u64::from(token.exact));
            }
            let key = key.finish();
            chunk_key.write_u64(key);
            (from, n_lines) = (to, n_lines + 1);
            let is_cut = n_lines >= MIN_LINES && (key >> 32).is_multiple_of(LINES_PER_CUT);
            if is_cut || to == tokens.len() {
                let last_start = line + 1 - n_unstarted;
                let whole = std::mem::replace(&mut chunk_key, hasher.build_hasher());
                let starts = first_start..last_start;
                chunks.push(Self { key: whole.finish(), tokens: first..to, starts });
                (first, first_start, n_lines) = (to, last_start, 0);
            }
        }
        chunks
    }

    /// Its tokens and lines as bytes.
    pub fn pack(&self, tokens: &[Token], starts: &[LineStart]) -> Vec<u8> {
        let at = self.tokens.start as u32;
        let starts = starts[self.starts.clone()].iter();
        let starts = starts.map(|start| LineStart { at: start.at - at, ..*start });
        plain(&tokens[self.tokens.clone()], starts)
    }
}

/// Which chunks of a part of a history are packed already, by whichever thread met them first.
#[derive(Debug)]
pub(super) struct Claims<'w> {
    written: &'w HashMap<u64, Range<u64>>,
    shards: [Mutex<HashSet<u64>>; SHARDS],
}

impl Claims<'_> {
    /// Whether to pack this chunk: it is not written, and nobody else packs it.
    pub fn claim(&self, key: u64) -> bool {
        let shard = &self.shards[key as usize % SHARDS];
        !self.written.contains_key(&key) && shard.lock().is_ok_and(|mut shard| shard.insert(key))
    }
}

#[derive(Debug)]
pub(super) struct ChunkedTokens {
    /// The keys of its chunks.
    pub keys: Vec<u64>,
    /// Those that it is the first to have.
    pub new: Vec<(u64, Vec<u8>)>,
}

impl ChunkedTokens {
    /// Cuts a version; what `claims` has is not packed.
    pub fn new(tokens: &[Token], text: &[u8], claims: &Claims<'_>) -> Self {
        let starts = LineStart::all(tokens, text);
        let (mut keys, mut new) = (Vec::new(), Vec::new());
        for chunk in Chunk::all(tokens, &starts) {
            keys.push(chunk.key);
            if claims.claim(chunk.key) {
                new.push((chunk.key, chunk.pack(tokens, &starts)));
            }
        }
        Self { keys, new }
    }
}

/// Collects the chunks of a segment in an unnamed file.
#[derive(Debug)]
pub(super) struct ChunkWriter {
    written: HashMap<u64, Range<u64>>,
    /// Packed, and not written yet.
    pending: HashMap<u64, Vec<u8>>,
    out: BufWriter<File>,
    len: u64,
}

impl ChunkWriter {
    /// None yet; they go into `folder`.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let out = BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(folder)?);
        Ok(Self { written: HashMap::new(), pending: HashMap::new(), out, len: 0 })
    }

    /// The claims of a part of a history.
    pub fn claims(&self) -> Claims<'_> {
        Claims { written: &self.written, shards: Default::default() }
    }

    /// Keeps chunks until a version refers to them.
    pub fn keep(&mut self, chunks: Vec<(u64, Vec<u8>)>) {
        self.pending.extend(chunks);
    }

    /// Writes those of these chunks that are not written yet, and returns where each is.
    pub fn list(&mut self, keys: &[u64]) -> io::Result<Vec<u8>> {
        let (mut list, mut end) = (Vec::new(), 0);
        for key in keys {
            let range = match self.written.get(key) {
                Some(range) => range.clone(),
                None => {
                    let bytes = self.pending.remove(key).ok_or(io::ErrorKind::NotFound)?;
                    self.out.write_all(&bytes)?;
                    let range = self.len..self.len + bytes.len() as u64;
                    self.len = range.end;
                    self.written.insert(*key, range.clone());
                    range
                }
            };
            // Most chunks follow the one before, or are a little further on or back.
            let step = range.start as i64 - end as i64;
            put(&mut list, (step << 1 ^ step >> 63) as u64);
            put(&mut list, range.end - range.start);
            end = range.end;
        }
        Ok(list)
    }

    /// The file with all that was written, from its beginning.
    pub fn rewound(&mut self) -> io::Result<&mut File> {
        self.out.flush()?;
        let file = self.out.get_mut();
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    }
}

/// Where the chunks of a version are, as [`ChunkWriter::list`] writes it; `None` if it is damaged.
pub(super) fn ranges(mut list: &[u8]) -> Option<Vec<Range<usize>>> {
    let (mut ranges, mut end) = (Vec::new(), 0i64);
    while !list.is_empty() {
        let step = take(&mut list)?;
        let start = end.checked_add((step >> 1) as i64 ^ -((step & 1) as i64))?;
        end = start.checked_add(i64::try_from(take(&mut list)?).ok()?)?;
        ranges.push(usize::try_from(start).ok()?..usize::try_from(end).ok()?);
    }
    Some(ranges)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use proptest::prelude::*;

    use super::super::tokens::tests::tokens;
    use super::super::tokens::{PackedTokens, pack, unpack, unpack_lines};
    use super::*;
    use crate::store::tests::folder;

    /// The chunks of `versions`, the list of each, and how many bytes are new for each.
    fn written(versions: &[String]) -> (Vec<u8>, Vec<Vec<u8>>, Vec<u64>) {
        let folder = folder();
        let mut writer = ChunkWriter::new(folder.path()).expect("the folder is writable");
        let (mut lists, mut sizes) = (Vec::new(), Vec::new());
        for text in versions {
            let claims = writer.claims();
            let version = ChunkedTokens::new(&tokens(text), text.as_bytes(), &claims);
            writer.keep(version.new);
            let before = writer.len;
            lists.push(writer.list(&version.keys).expect("the folder is writable"));
            sizes.push(writer.len - before);
        }
        let mut all = Vec::new();
        let file = writer.rewound().expect("the folder is writable");
        file.read_to_end(&mut all).expect("it was just written");
        (all, lists, sizes)
    }

    #[track_caller]
    fn check(versions: &[String]) {
        let (all, lists, _) = written(versions);
        for (text, list) in versions.iter().zip(lists) {
            let ranges = ranges(&list).expect("it was just written");
            let packed =
                PackedTokens::InChunks(ranges.into_iter().map(|range| &all[range]).collect());
            let whole = pack(&tokens(text), text.as_bytes());
            let whole = PackedTokens::Whole(&whole);
            let bare = |(tokens, text): (Vec<Token>, Vec<u8>)| {
                let of = |token: &Token| (token.start, token.end, token.symbol, token.exact);
                (tokens.iter().map(of).collect::<Vec<_>>(), text)
            };
            let unpacked = |packed| bare(unpack(packed).expect("it was just packed"));
            assert_eq!(unpacked(&packed), unpacked(&whole), "{text}");
            let keys = |packed| unpack_lines(packed).expect("it was just packed");
            assert_eq!(keys(&packed), keys(&whole), "{text}");
        }
    }

    #[test]
    fn versions_are_what_they_were_packed_whole() {
        let lines: Vec<String> = (0..200).map(|n| format!("a{n} = b + {n}\n\n")).collect();
        let edited = [&lines[..90], &lines[100..]].concat();
        let texts = ["", "\n\n", "a", "\na = 1\n", &lines.concat(), &edited.concat()];
        check(&texts.map(ToOwned::to_owned));
    }

    #[test]
    fn an_edit_stores_the_lines_around_it() {
        let lines: Vec<String> = (0..1_000).map(|n| format!("a{n} = b + c({n})\n")).collect();
        let inserted = [&lines[..500], &["d = e\n".to_owned()], &lines[500..]].concat();
        let (_, _, sizes) = written(&[lines.concat(), inserted.concat(), lines.concat()]);
        assert!(sizes[1] * 20 < sizes[0], "{sizes:?}");
        assert_eq!(sizes[2], 0);
    }

    proptest! {
        #[test]
        fn any_versions_are_kept(texts in prop::collection::vec("([a-c=(\n]{0,9}\n){0,30}", 1..4)) {
            check(&texts);
        }

        #[test]
        fn no_list_makes_the_reader_panic(list in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = ranges(&list);
        }
    }
}
