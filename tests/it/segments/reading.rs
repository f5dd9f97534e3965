//! Reads anything as a segment: what the fuzz target and the property test share.
//!
//! Random bytes never have the right checksums. So what is given is also taken for the content of
//! sections, around which a whole segment is written: whoever forges a file can do that, too.

use secondhand::fingerprint::Fingerprint;
use secondhand::store::{
    Cache, Extent, Fresh, HashKind, History, Key, Postings, Segment, SegmentKind, SegmentParams,
    SegmentWriter, key,
};
use secondhand::text::FilePath;

pub const PARAMS: SegmentParams = SegmentParams {
    k: 16,
    window: 5,
    scheme: 1,
    normal_form: 1,
    languages: 7,
    hash: HashKind::Sha1,
};

/// Reads `bytes` as a file, and as the sections of one.
pub fn read_any(bytes: &[u8]) {
    if let Ok(segment) = Segment::from_bytes(bytes) {
        read_sections(&segment);
    }
    let folder = tempfile::TempDir::new().expect("the folder for temporary files is writable");
    for (kind, name) in [(SegmentKind::Cache, "prints"), (SegmentKind::History, "history")] {
        let mut out =
            SegmentWriter::create(folder.path(), kind, PARAMS).expect("the folder is writable");
        for (id, content) in sections(bytes) {
            out.begin(id);
            out.write(content).expect("the folder is writable");
        }
        let path = out.finish(name).expect("the folder is writable");
        if let Ok(segment) = Segment::open(&path) {
            read_sections(&segment);
        }
    }
    read_cache(folder.path());
    read_history(folder.path());
}

/// What is given as sections: for each its number, its length in two bytes, its content.
fn sections(mut bytes: &[u8]) -> Vec<(u32, &[u8])> {
    let mut sections: Vec<(u32, &[u8])> = Vec::new();
    while let [id, low, high, rest @ ..] = bytes {
        let len = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let id = u32::from(id % 9);
        if sections.iter().all(|(other, _)| *other != id) {
            sections.push((id, &rest[..len]));
        }
        bytes = &rest[len..];
    }
    // What all segments of a kind have is there at least.
    for id in 1..=8 {
        if sections.iter().all(|(other, _)| *other != id) {
            sections.push((id, &[0; 8][..if id == 8 { 8 } else { 0 }]));
        }
    }
    sections
}

fn read_sections(segment: &Segment) {
    for id in 0..10_u32 {
        if let Ok(section) = segment.section(id) {
            let _ = (
                section.all().map(<[u8]>::len),
                section.bytes(3..9).is_ok(),
                section.row(2, usize::MAX).is_ok(),
            );
        }
        if let Ok(postings) = Postings::new(segment, id) {
            let n_rows = postings.rows().map_or(0, Iterator::count);
            assert!(n_rows <= postings.n_rows());
            for hash in 0..20 {
                let _ = postings.get(key(hash)).map(Iterator::count);
            }
        }
    }
}

fn read_cache(folder: &std::path::Path) {
    let cache = Cache::open(folder, PARAMS);
    cache.verify();
    for n in 0..4u8 {
        if let Some(found) = cache.get(&Key { id: vec![n; 20].into(), reading: u64::from(n) }) {
            let _ = (found.hashes().count(), found.positions().count(), found.words().count());
        }
    }
    let print = Fingerprint { hash: 1, position: 2 };
    let fresh = Fresh::new(
        Key { id: vec![9; 20].into(), reading: 1 },
        0,
        "c",
        [print].into_iter(),
        &[1, 2],
    );
    cache.keep(&[fresh]).expect("the folder is writable");
}

fn read_history(folder: &std::path::Path) {
    let history = History::open(folder, PARAMS, Extent::Whole);
    let _ = (
        history.tips().is_ok(),
        history.commits().is_ok(),
        history.n_fingerprints(),
        history.n_bytes(),
    );
    for hash in 0..20 {
        let paths: Vec<FilePath> =
            history.paths_of(hash).unwrap_or_default().into_iter().cloned().collect();
        let _ = (history.events_of(&paths).is_ok(), history.has(key(hash)).is_ok());
    }
    let _ = history.events_of(&[FilePath::new("a.c")]).is_ok();
}

/// Segments that this program writes, as [`read_any`] takes them: their sections.
pub fn samples() -> Vec<Vec<u8>> {
    let mut row = vec![1; 20];
    row.extend(1u64.to_le_bytes());
    row.extend(0u64.to_le_bytes());
    for field in [9u32, 1, 0, 0] {
        row.extend(field.to_le_bytes());
    }
    let cache = [(1, row), (2, [&7u64.to_le_bytes()[..], &[3]].concat()), (3, vec![1, 0, b'c'])];
    let mut event = Vec::new();
    event.extend(0u32.to_le_bytes());
    event.extend(0u32.to_le_bytes());
    event.extend([0; 20]);
    event.extend([5; 20]);
    // A directory of two buckets and one row.
    let mut directory = 1u64.to_le_bytes().to_vec();
    for field in [1u32, 4, 0, 1, 1] {
        directory.extend(field.to_le_bytes());
    }
    let history = [
        (1, vec![2; 20]),
        (2, vec![3; 20]),
        (3, [&3u32.to_le_bytes()[..], b"a.c"].concat()),
        (4, event),
        (5, directory),
        (6, key(1).to_be_bytes()[1..].to_vec()),
        (7, 0u32.to_le_bytes().to_vec()),
        (8, 0u64.to_le_bytes().to_vec()),
    ];
    let flat = |sections: &[(u8, Vec<u8>)]| {
        let one = |(id, content): &(u8, Vec<u8>)| {
            [&[*id][..], &(content.len() as u16).to_le_bytes(), content].concat()
        };
        sections.iter().flat_map(one).collect::<Vec<u8>>()
    };
    vec![flat(&cache), flat(&history)]
}
