//! Reads the entries of trees, and what differs between trees.

use crate::text::{common_prefix, common_suffix};

/// The kind of a tree entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    Folder,
    File,
    /// A link or a submodule.
    Other,
}

/// An entry of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeEntry<'t> {
    pub name: &'t [u8],
    pub kind: EntryKind,
    pub id: &'t [u8],
}

impl<'t> TreeEntry<'t> {
    /// Its name, and whether it is a folder.
    fn key(&self) -> (&'t [u8], bool) {
        (self.name, self.kind == EntryKind::Folder)
    }
}

/// The order of entries in a tree: a folder is sorted as if its name ended in a slash.
fn compare_keys(a: (&[u8], bool), b: (&[u8], bool)) -> std::cmp::Ordering {
    let n = a.0.len().min(b.0.len());
    let next = |key: (&[u8], bool)| key.0.get(n).copied().unwrap_or(if key.1 { b'/' } else { 0 });
    a.0[..n].cmp(&b.0[..n]).then_with(|| (next(a), a.0.len(), a.1).cmp(&(next(b), b.0.len(), b.1)))
}

/// Takes the next entry if its key is `key`.
fn take<'t>(rows: &mut Rows<'t>, key: (&[u8], bool)) -> Option<TreeEntry<'t>> {
    let row = rows.peek().filter(|row| compare_keys(row.key(), key).is_eq())?;
    rows.skip();
    Some(row)
}

/// Calls `each` with the entries that differ between a tree and those `before` it: what each of
/// these has by a name, and what the tree has. Ids have `n_id` bytes. `false` if the tree ends in
/// something that is no entry.
///
/// Time linear in what differs, but for finding the bytes that do.
pub fn differences<'t>(
    before: &'t [Vec<u8>],
    after: &'t [u8],
    n_id: usize,
    mut each: impl FnMut(&[Option<TreeEntry<'t>>], Option<TreeEntry<'t>>),
) -> bool {
    // The longest common suffix of all trees is the same in all of them.
    let n_same_at_end = before.iter().map(|bytes| common_suffix(after, bytes)).min().unwrap_or(0);
    let mut after = Rows::new(after, n_id);
    let mut before: Vec<_> = before.iter().map(|bytes| Rows::new(bytes, n_id)).collect();
    loop {
        // So is the longest common prefix of what is left.
        let same = before.iter().map(|rows| common_prefix(after.rest(), rows.rest())).min();
        let n_same = after.skip_within(same.unwrap_or(0));
        before.iter_mut().for_each(|rows| rows.skip_to(rows.at + n_same));
        let n_rest = after.rest().len();
        if n_rest <= n_same_at_end && before.iter().all(|rows| rows.rest().len() == n_rest) {
            return true;
        }
        let names =
            before.iter().chain([&after]).filter_map(|rows| rows.peek().map(|row| row.key()));
        let Some(name) = names.min_by(|a, b| compare_keys(*a, *b)) else { return n_rest == 0 };
        let was: Vec<_> = before.iter_mut().map(|rows| take(rows, name)).collect();
        let is = take(&mut after, name);
        // A change of a file's mode does not matter to us.
        if !was.contains(&is) {
            each(&was, is);
        }
    }
}

/// The entries of a tree in git's format: mode, space, name, zero, id.
pub struct Rows<'t> {
    bytes: &'t [u8],
    n_id: usize,
    /// The offset of the next entry.
    at: usize,
    /// Where it ends, and the entry itself.
    next: Option<(usize, TreeEntry<'t>)>,
}

impl<'t> Rows<'t> {
    /// Those of a tree whose ids have `n_id` bytes.
    pub fn new(bytes: &'t [u8], n_id: usize) -> Self {
        Self { bytes, n_id, at: 0, next: row_at(bytes, 0, n_id) }
    }

    fn peek(&self) -> Option<TreeEntry<'t>> {
        self.next.map(|(_, row)| row)
    }

    fn skip(&mut self) {
        if let Some((end, _)) = self.next {
            self.skip_to(end);
        }
    }

    /// Goes on with the entry that begins at `at`.
    fn skip_to(&mut self, at: usize) {
        (self.at, self.next) = (at, row_at(self.bytes, at, self.n_id));
    }

    /// Skips the entries that end in the next `n` bytes; returns how many bytes these have.
    fn skip_within(&mut self, n: usize) -> usize {
        let from = self.at;
        while self.next.is_some_and(|(end, _)| end <= from + n) {
            self.skip();
        }
        self.at - from
    }

    /// The bytes from the next entry on.
    fn rest(&self) -> &'t [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }
}

impl<'t> Iterator for Rows<'t> {
    type Item = TreeEntry<'t>;

    fn next(&mut self) -> Option<TreeEntry<'t>> {
        let row = self.peek();
        self.skip();
        row
    }
}

/// The entry that begins at `at`, and where it ends.
fn row_at(bytes: &[u8], at: usize, n_id: usize) -> Option<(usize, TreeEntry<'_>)> {
    let rest = bytes.get(at..)?;
    let n_mode = first_space(*rest.first_chunk()?)?;
    let n_name = memchr::memchr(0, &rest[n_mode + 1..])?;
    let from = n_mode + 1 + n_name + 1;
    let id = rest.get(from..from + n_id)?;
    let kind = match &rest[..n_mode] {
        [b'4', b'0', b'0', b'0', b'0'] | [b'0', b'4', b'0', b'0', b'0', b'0'] => EntryKind::Folder,
        [b'1', b'0', b'0', ..] => EntryKind::File,
        _ => EntryKind::Other,
    };
    Some((at + from + n_id, TreeEntry { name: &rest[n_mode + 1..n_mode + 1 + n_name], kind, id }))
}

/// The number of bytes before the first space, of which a mode has up to six: eight are looked at
/// at once (Mycroft's test for a zero byte).
fn first_space(bytes: [u8; 8]) -> Option<usize> {
    let others = u64::from_le_bytes(bytes) ^ u64::from_le_bytes([b' '; 8]);
    let spaces =
        others.wrapping_sub(u64::from_le_bytes([1; 8])) & !others & u64::from_le_bytes([128; 8]);
    (spaces != 0).then(|| spaces.trailing_zeros() as usize / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(entries: &[(&str, &str, u8)]) -> Vec<u8> {
        let row = |(mode, name, id): &(&str, &str, u8)| {
            [mode.as_bytes(), b" ", name.as_bytes(), &[0], &[*id; 20]].concat()
        };
        entries.iter().flat_map(row).collect()
    }

    #[test]
    fn the_entries_of_a_tree_are_read() {
        let bytes = tree(&[("100644", "a b.c", 7), ("40000", "lib", 0), ("160000", "sub", 32)]);
        let rows: Vec<_> =
            Rows::new(&bytes, 20).map(|row| (row.name.to_vec(), row.kind, row.id[0])).collect();
        let expected = [
            (b"a b.c".to_vec(), EntryKind::File, 7),
            (b"lib".to_vec(), EntryKind::Folder, 0),
            (b"sub".to_vec(), EntryKind::Other, 32),
        ];
        assert_eq!(rows, expected);
        for n in 0..bytes.len() {
            assert!(Rows::new(&bytes[..n], 20).count() < 3, "the first {n} bytes");
        }
    }

    #[test]
    fn the_first_space_is_found() {
        for (text, n) in [("100644 a", 6), (" 4 0 0 0", 0), ("40000 \u{1} ", 5), ("1234567 ", 7)] {
            let bytes = text.as_bytes().try_into().expect("they are eight");
            assert_eq!(first_space(bytes), Some(n), "{text:?}");
        }
        assert_eq!(
            [b"!!!!!!!!", b"\xa0\xa0\x21\0\x1f\xff\x80\x40"].map(|of| first_space(*of)),
            [None; 2]
        );
    }

    #[test]
    fn entries_that_are_passed_over_are_whole() {
        let bytes = tree(&[("100644", "a", 1), ("100644", "b", 2), ("100644", "c", 3)]);
        let n_row = bytes.len() / 3;
        for n in 0..=bytes.len() {
            let mut rows = Rows::new(&bytes, 20);
            assert_eq!(rows.skip_within(n), n / n_row * n_row, "{n} bytes");
            assert_eq!(rows.count(), 3 - n / n_row, "after {n} bytes");
        }
    }

    #[test]
    fn a_folder_is_sorted_as_if_its_name_ended_in_a_slash() {
        let sorted: [(&[u8], bool); 6] = [
            (b"a", false),
            (b"lib", false),
            (b"lib-x", false),
            (b"lib.c", false),
            (b"lib", true),
            (b"lib0", false),
        ];
        for (at, a) in sorted.iter().enumerate() {
            for (other, b) in sorted.iter().enumerate() {
                assert_eq!(compare_keys(*a, *b), at.cmp(&other), "{at} and {other}");
            }
        }
    }
}
