//! Reads many blobs at once: in pack order, resolving each delta chain once.
//!
//! A pack stores most versions of a file as deltas against another version. Reading one means
//! reading everything it is based on, and reading many separately repeats that work over and over.
//! Here the wanted blobs and their bases are arranged as trees, and each tree is walked from its
//! root: every version is made once, and dropped after its last child is made. The base is passed
//! along with each version, so that work on one can build on the work on the other.
//!
//! ```text
//! pack              tree, with weights    one thread makes
//! A                 A 4                   A, then D (light), then B (heavy),
//! B = A + delta     |- B 2                which is the last child of A: A is dropped;
//! C = B + delta     |  `- C 1             then C, and B is dropped
//! D = A + delta     `- D 1
//! ```

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use gix::odb::pack::data::entry::Header;
use gix::odb::pack::{data, index};
use gix::zlib::Inflate;
use rayon::prelude::*;

use super::{BlobId, Error, Reader, Repository, object_id};
use crate::text::FilePath;
use crate::text::varint::take;

/// Minimum size, in objects, of a delta subtree that may move to another thread.
const SHARED_FROM: u32 = 64;
/// Maximum bytes of an object; a larger one is read separately.
const MAX_SIZE: u64 = 512 * 1024 * 1024;
/// No object.
const NONE: u32 = u32::MAX;

/// The wanted entries of one pack and their bases, as trees.
#[derive(Default)]
struct Forest {
    nodes: Vec<Node>,
    /// The children of all nodes, one node after the other.
    children: Vec<u32>,
    /// Objects that are not deltas, those with the most objects based on them first.
    roots: Vec<u32>,
}

struct Node {
    offset: u64,
    /// The number of the wanted blob, or [`NONE`].
    wanted: u32,
    /// Its base, or [`NONE`].
    parent: u32,
    /// The range of its children in the list of all.
    children: (u32, u32),
    /// The size of its subtree, including itself.
    weight: u32,
}

/// Scratch space of one thread.
struct Scratch<S> {
    inflate: Inflate,
    delta: Vec<u8>,
    state: S,
}

/// A blob together with its base in the pack.
#[derive(Debug)]
pub struct Blob<'b, V> {
    /// Its number among the wanted blobs; `None` if it is only needed for others.
    pub number: Option<usize>,
    /// Its bytes.
    pub bytes: &'b [u8],
    /// The bytes of its base, and what was made of them.
    pub base: Option<(&'b [u8], &'b V)>,
}

/// What to do with the blobs, on many threads.
pub trait Work: Sync {
    /// The state of one thread.
    type State: Send;
    /// What is made of a blob.
    type Product: Send + Sync;

    /// The state for a new thread.
    fn state(&self) -> Self::State;
    /// Makes something of a blob.
    fn make(&self, state: &mut Self::State, blob: Blob<'_, Self::Product>) -> Self::Product;
    /// Takes back what was made of a blob, after everything based on it has been made.
    fn finish(&self, state: &mut Self::State, made: Self::Product);
    /// Maximum bytes of a blob to make. A larger one is passed over, and read only if others are
    /// based on it.
    fn max_size(&self) -> u64 {
        MAX_SIZE
    }
    /// Whether to stop: what was not made yet is not wanted any more.
    fn is_over(&self) -> bool {
        false
    }
}

/// What all threads share while reading a pack.
struct Pass<'p, W: Work> {
    pack: &'p data::File,
    forest: &'p Forest,
    is_done: &'p [AtomicBool],
    scratch: &'p Mutex<Vec<Scratch<W::State>>>,
    work: &'p W,
}

/// A blob's bytes, and what was made of them.
type SharedBlob<W> = Arc<(Vec<u8>, <W as Work>::Product)>;

/// An object to make, and its base.
type Task<W> = (u32, Option<SharedBlob<W>>);

impl Repository {
    /// Does `work` with each of `blobs`, which are distinct, in the fastest order. Returns the
    /// numbers of those that are missing.
    pub fn each_blob(&self, blobs: &[BlobId], work: &impl Work) -> Result<Vec<usize>, Error> {
        let is_done: Vec<AtomicBool> = blobs.iter().map(|_| AtomicBool::new(false)).collect();
        // A few are read faster than the packs are searched.
        if blobs.len() > 16 {
            let scratch = Mutex::new(Vec::new());
            for (index, pack) in packs(&self.reader()) {
                let (forest, is_done) = (&Forest::new(&index, &pack, blobs, &is_done), &is_done);
                let pack = &pack;
                Pass { pack, forest, is_done, scratch: &scratch, work }.run();
            }
        }
        let rest: Vec<usize> =
            (0..blobs.len()).filter(|&number| !is_done[number].load(Ordering::Relaxed)).collect();
        let missing = rest
            .par_iter()
            .map_init(
                || (self.reader(), work.state()),
                |(reader, state), &number| {
                    if work.is_over()
                        || reader.blob_size(blobs[number]).is_some_and(|n| n > work.max_size())
                    {
                        return Ok(None);
                    }
                    let unnamed = FilePath::new("a past file");
                    let bytes = reader.past_blob(blobs[number], &unnamed)?;
                    if let Some(bytes) = &bytes {
                        let made =
                            work.make(state, Blob { number: Some(number), bytes, base: None });
                        work.finish(state, made);
                    }
                    Ok(bytes.is_none().then_some(number))
                },
            )
            .collect::<Result<Vec<_>, Error>>()?;
        Ok(missing.into_iter().flatten().collect())
    }
}

/// The packs of the repository and its alternates. One that cannot be opened is skipped here, and
/// reported when its objects are read.
fn packs(reader: &Reader) -> Vec<(index::File, data::File)> {
    let store = reader.repo.objects.store_ref();
    let mut folders = vec![store.path().to_owned()];
    folders.extend(store.alternate_db_paths().unwrap_or_default());
    let hash = reader.repo.object_hash();
    let mut packs = Vec::new();
    for folder in folders {
        let entries = std::fs::read_dir(folder.join("pack")).into_iter().flatten().flatten();
        let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "idx"));
        paths.sort_unstable();
        packs.extend(paths.iter().filter_map(|path| {
            let pack = data::File::at(path.with_extension("pack"), hash).ok()?;
            Some((index::File::at(path, hash).ok()?, pack))
        }));
    }
    packs
}

impl Forest {
    /// Finds the wanted blobs in one pack that are not done yet, and all their bases.
    fn new(
        index: &index::File,
        pack: &data::File,
        blobs: &[BlobId],
        is_done: &[AtomicBool],
    ) -> Self {
        let mut forest = Self::default();
        let mut by_offset: HashMap<u64, u32> = HashMap::new();
        for (number, blob) in blobs.iter().enumerate() {
            if is_done[number].load(Ordering::Relaxed) {
                continue;
            }
            let Some(at) = index.lookup(object_id(*blob)) else { continue };
            let node = forest.add(index.pack_offset_at_index(at), index, pack, &mut by_offset);
            forest.nodes[node as usize].wanted = number as u32;
        }
        drop(by_offset);
        forest.link();
        forest
    }

    /// The node of the entry at `offset`; adds it and its bases if they are missing.
    fn add(
        &mut self,
        mut offset: u64,
        index: &index::File,
        pack: &data::File,
        by_offset: &mut HashMap<u64, u32>,
    ) -> u32 {
        // Follow the delta chain down to the first entry that is already a node, linking each entry
        // to its base. `first` is the entry that was asked for, `child` the one just visited. Each
        // entry is added once, so all chains together take time linear in the entries.
        let mut first = NONE;
        let mut child = NONE;
        loop {
            let (node, is_known) = match by_offset.get(&offset) {
                Some(&node) => (node, true),
                None => (self.nodes.len() as u32, false),
            };
            if let Some(child) = self.nodes.get_mut(child as usize) {
                child.parent = node;
            }
            first = if first == NONE { node } else { first };
            if is_known {
                return first;
            }
            by_offset.insert(offset, node);
            let (wanted, parent, children) = (NONE, NONE, (0, 0));
            self.nodes.push(Node { offset, wanted, parent, children, weight: 1 });
            let base = match pack.entry(offset).map(|entry| entry.header) {
                Ok(Header::OfsDelta { base_distance }) => {
                    Header::verified_base_pack_offset(offset, base_distance)
                }
                Ok(Header::RefDelta { base_id }) => {
                    index.lookup(base_id).map(|at| index.pack_offset_at_index(at))
                }
                Ok(_) => {
                    self.roots.push(node);
                    None
                }
                Err(_) => None,
            };
            // An entry without a base here is not below any root, and is read separately later.
            let Some(base) = base else { return first };
            (child, offset) = (node, base);
        }
    }

    /// Lists the children of each node, the heaviest first, and weighs the nodes.
    fn link(&mut self) {
        let based = self.nodes.iter().zip(0..).filter(|(node, _)| node.parent != NONE);
        let mut links: Vec<(u32, u32)> = based.map(|(node, at)| (node.parent, at)).collect();
        links.sort_unstable();
        for (at, &(parent, _)) in links.iter().enumerate() {
            let children = &mut self.nodes[parent as usize].children;
            if children.1 == 0 {
                children.0 = at as u32;
            }
            children.1 = at as u32 + 1;
        }
        self.children = links.into_iter().map(|(_, child)| child).collect();
        // Every node after its base. A cycle, which no sane pack has, is not below any root.
        let mut order = self.roots.clone();
        let mut at = 0;
        while let Some(&node) = order.get(at) {
            let (from, to) = self.nodes[node as usize].children;
            order.extend(&self.children[from as usize..to as usize]);
            at += 1;
        }
        // Backward, every node comes before its base, so its weight is final when it is added.
        for &node in order.iter().rev() {
            let Node { parent, weight, .. } = self.nodes[node as usize];
            if let Some(parent) = self.nodes.get_mut(parent as usize) {
                parent.weight += weight;
            }
        }
        for number in 0..self.nodes.len() {
            let (from, to) = self.nodes[number].children;
            self.children[from as usize..to as usize]
                .sort_unstable_by_key(|node| Reverse(self.nodes[*node as usize].weight));
        }
        self.roots.sort_unstable_by_key(|node| Reverse(self.nodes[*node as usize].weight));
    }
}

impl<W: Work> Pass<'_, W> {
    /// Walks all trees. What cannot be made is left undone.
    fn run(&self) {
        let next = AtomicUsize::new(0);
        rayon::scope(|scope| {
            for _ in 0..rayon::current_num_threads() {
                scope.spawn(|scope| {
                    while let Some(&root) =
                        self.forest.roots.get(next.fetch_add(1, Ordering::Relaxed))
                    {
                        self.walk((root, None), scope);
                    }
                });
            }
        });
    }

    /// Makes an object and everything based on it, but leaves heavy subtrees to other threads.
    fn walk<'s>(&'s self, task: Task<W>, scope: &rayon::Scope<'s>) {
        let kept = self.scratch.lock().ok().and_then(|mut all| all.pop());
        let mut scratch = kept.unwrap_or_else(|| Scratch {
            inflate: Inflate::default(),
            delta: Vec::new(),
            state: self.work.state(),
        });
        let mut tasks = vec![task];
        while let Some((number, base)) = tasks.pop() {
            if self.work.is_over() {
                break;
            }
            let node = &self.forest.nodes[number as usize];
            let bytes = self.make(node, base.as_ref().map(|base| &base.0), &mut scratch);
            let made = bytes.map(|bytes| {
                let number = (node.wanted != NONE).then_some(node.wanted as usize);
                let base = base.as_ref().map(|base| (&base.0[..], &base.1));
                let made = self.work.make(&mut scratch.state, Blob { number, bytes: &bytes, base });
                self.set_done(node);
                Arc::new((bytes, made))
            });
            // The last object based on it drops it.
            if let Some((_, made)) = base.and_then(Arc::into_inner) {
                self.work.finish(&mut scratch.state, made);
            }
            let Some(made) = made else { continue };
            let children =
                &self.forest.children[node.children.0 as usize..node.children.1 as usize];
            for (at, &child) in children.iter().enumerate() {
                let task: Task<W> = (child, Some(Arc::clone(&made)));
                // The stack is last in, first out: the heaviest child is pushed first and thus
                // walked last, when no sibling needs this object any more. A long chain then holds
                // one version at a time. Any other heavy child may go to another thread; the order
                // of children can be changed freely otherwise.
                if at > 0 && self.forest.nodes[child as usize].weight >= SHARED_FROM {
                    scope.spawn(move |scope| self.walk(task, scope));
                } else {
                    tasks.push(task);
                }
            }
            if let Some((_, made)) = Arc::into_inner(made) {
                self.work.finish(&mut scratch.state, made);
            }
        }
        if let Ok(mut all) = self.scratch.lock() {
            all.push(scratch);
        }
    }

    /// Remembers that a blob need not be made any more, if it is wanted.
    fn set_done(&self, node: &Node) {
        if let Some(is_done) = self.is_done.get(node.wanted as usize) {
            is_done.store(true, Ordering::Relaxed);
        }
    }

    /// The content of an entry; `None` if it cannot be read here, or has more bytes than are
    /// wanted: then it is done.
    fn make(
        &self,
        node: &Node,
        base: Option<&Vec<u8>>,
        scratch: &mut Scratch<W::State>,
    ) -> Option<Vec<u8>> {
        let entry = self.pack.entry(node.offset).ok()?;
        // Others may be deltas of a blob that is not wanted itself.
        let has_children = node.children.0 < node.children.1;
        let max = if has_children { MAX_SIZE } else { self.work.max_size().min(MAX_SIZE) };
        let Scratch { inflate, delta, .. } = scratch;
        let n_bytes = entry.decompressed_size as usize;
        match base {
            None if entry.decompressed_size > max => {
                self.set_done(node);
                None
            }
            None => {
                let mut bytes = vec![0; n_bytes];
                self.pack.decompress_entry(&entry, inflate, &mut bytes).ok()?;
                Some(bytes)
            }
            Some(_) if entry.decompressed_size > MAX_SIZE => None,
            Some(base) => {
                delta.clear();
                delta.resize(n_bytes, 0);
                self.pack.decompress_entry(&entry, inflate, delta).ok()?;
                if size_made(delta).is_some_and(|size| size > max) {
                    self.set_done(node);
                    return None;
                }
                apply(base, delta)
            }
        }
    }
}

/// The size of what a delta makes.
fn size_made(mut delta: &[u8]) -> Option<u64> {
    take(&mut delta)?;
    take(&mut delta)
}

/// Takes a number off a delta, the bits of `has` say which of its bytes are there.
#[inline]
fn take_number(delta: &mut &[u8], has: u8) -> Option<usize> {
    let mut number = 0;
    for byte in 0..4 {
        if has & 1 << byte != 0 {
            let (&part, rest) = delta.split_first()?;
            number |= usize::from(part) << (8 * byte);
            *delta = rest;
        }
    }
    Some(number)
}

/// Applies `delta`, in git's format, to `base`. `None` if it is invalid.
fn apply(base: &[u8], mut delta: &[u8]) -> Option<Vec<u8>> {
    let n_base = take(&mut delta)?;
    let n_bytes = take(&mut delta)?;
    if n_base != base.len() as u64 || n_bytes > MAX_SIZE {
        return None;
    }
    let mut bytes = Vec::with_capacity(n_bytes as usize);
    while let Some((&command, rest)) = delta.split_first() {
        delta = rest;
        if command & 0x80 == 0 {
            // Literal bytes; there is no command 0.
            let (literal, rest) = delta.split_at_checked(command as usize)?;
            if literal.is_empty() {
                return None;
            }
            bytes.extend_from_slice(literal);
            delta = rest;
        } else {
            let from = take_number(&mut delta, command & 0xF)?;
            let len = take_number(&mut delta, command >> 4 & 7)?;
            let len = if len > 0 { len } else { 0x1_0000 };
            bytes.extend_from_slice(base.get(from..from + len)?);
        }
        if bytes.len() as u64 > n_bytes {
            return None;
        }
    }
    (bytes.len() as u64 == n_bytes).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delta_copies_and_adds_and_one_that_cannot_be_makes_nothing() {
        let whole = [6, 8, 0x91, 2, 3, 3, b'x', b'y', b'z', 0x90, 2];
        assert_eq!(apply(b"abcdef", &whole).as_deref(), Some(&b"cdexyzab"[..]));
        for n in 0..whole.len() {
            assert_eq!(apply(b"abcdef", &whole[..n]), None, "the first {n} bytes");
        }
        assert_eq!(apply(b"abcde", &whole), None, "of another base");
        assert_eq!(apply(b"abcdef", &[6, 5, 0x91, 4, 3]), None, "from beyond the base");
        assert_eq!(apply(b"abcdef", &[6, 1, 0]), None, "by no command");
        assert_eq!(
            apply(b"abcdef", &[6, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]),
            None
        );
    }
}
