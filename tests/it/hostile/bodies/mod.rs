//! Feeds any bytes to what reads bytes of others: what the fuzz targets and the property tests
//! share.
//!
//! None of the bodies may panic, whatever it is given; what more is true of the result is asserted.

mod change;

use secondhand::config::decisions;
use secondhand::git::blob_id;
use secondhand::language::{Language, Languages, Token, Version};
use secondhand::license::{Expression, LicensingInfo, copyright_lines};
use secondhand::matching::{Document, novelty};
use secondhand::policy::{Baseline, Peer, suppressions};
use secondhand::sources::{Error, Limits, Note, Request, Sink, SourceFile, read};
use secondhand::store::corpus::{CorpusSegment, Shelf};
use secondhand::store::{HashKind, Journal, SegmentKind, SegmentParams, SegmentWriter};
use secondhand::text::{FilePath, decoded};

/// Reads any bytes.
type Body = fn(&[u8]);

/// What is fed: its name, and its body.
pub const BODIES: &[(&str, Body)] = &[
    ("archives", archives),
    ("baseline", baseline),
    ("bundle", bundle),
    ("change", change::change),
    ("copies", change::copies),
    ("corpus", corpus),
    ("decisions", read_decisions),
    ("journal", journal),
    ("licenses", licenses),
    ("novelty", diff),
    ("suppressions", read_suppressions),
    ("versions", versions),
];

/// Bytes of the kind that each body reads, to begin from.
pub fn samples(name: &str) -> Vec<Vec<u8>> {
    let texts: &[&[u8]] = match name {
        "archives" => return archive_samples(),
        "change" => return change::samples(),
        "baseline" => &[b"# secondhand baseline 1\ncopied-code 0123456789abcdef 40 src/a.c\n"],
        "bundle" => {
            &[b"secondhand corpus 1\n\x30\0\0\0\0\0\0\0{\"sources\":[{\"label\":\"a\",\"len\":3,\"sha256\":\"\"}]}abc"]
        }
        "corpus" => &[b"\x01\x04\0abcd\x02\x08\0{\"a\":[1]\x03\0\0\x08\x08\0\0\0\0\0\0\0\0\0"],
        "decisions" => {
            &[b"[[decision]]\ncopy = \"0123456789abcdef\"\nby = \"b\"\nreason = \"c\"\nuntil = 2027-01-31\n"]
        }
        "journal" => &[b"00000000 {}\n12345678 {\"commit\":\"a\"}\nhalf"],
        "licenses" => &[
            b"\0SPDX-License-Identifier: (MIT OR GPL-2.0+) AND Apache-2.0 WITH LLVM-exception\nCopyright (c) 2024 A\n",
            b"\x02{\"license\":\"MIT\",\"name\":\"a\"}",
            b"\x03[package]\nlicense = \"MIT OR Apache-2.0\"\n",
        ],
        "suppressions" => {
            &[b"int a; // secondhand: allow(copied-code, until = 2027-01-31) -- why\n/* secondhand: allow-file(x) */"]
        }
        _ => &[
            b"int f(int a)\n{\n  return a + 1;\n}\n\0int f(int a)\n{\n  b(\"c\"); /* d\n */ return a + 1;\n}\n",
            b"a = `b ${c} d`;\nif (e) /'/.f;\n\0a = `b ${c\n d`;\nif (e) /'/.f; g++ / h;\n",
        ],
    };
    texts.iter().map(|text| text.to_vec()).collect()
}

fn languages() -> &'static Languages {
    Languages::builtin()
}

/// A language, chosen by the first two bytes, and the rest.
fn language(bytes: &[u8]) -> Option<(&'static Language, &[u8])> {
    let [first, second, rest @ ..] = bytes else { return None };
    let ids = languages().ids();
    let id = ids[usize::from(u16::from_le_bytes([*first, *second])) % ids.len()];
    Some((languages().get(id)?, rest))
}

fn tokens(language: &Language, text: &[u8]) -> Vec<Token> {
    let mut tokens = Vec::new();
    languages().tokenize(language, text, true, &mut tokens);
    tokens
}

/// Two texts in one, apart at a zero byte.
fn halves(bytes: &[u8]) -> (&[u8], &[u8]) {
    let at = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    (&bytes[..at], bytes.get(at + 1..).unwrap_or_default())
}

/// A text that is read as a version of another one has the tokens that it has on its own.
fn versions(bytes: &[u8]) {
    let Some((language, bytes)) = language(bytes) else { return };
    let (before, after) = halves(bytes);
    let mut scratch = Vec::new();
    let (first, _): (Version<Token>, _) = language.lexer.version(before, None, &mut scratch);
    let (second, _) = language.lexer.version(after, Some((before, &first)), &mut scratch);
    let mut whole = Vec::new();
    language.lexer.tokenize(after, &mut whole);
    assert!(second.tokens() == whole, "{}", language.name);
}

/// Nothing is novel in a text beside itself, and what is kept is kept on both sides.
fn diff(bytes: &[u8]) {
    let Some((language, bytes)) = language(bytes) else { return };
    let (before, after) = halves(bytes);
    let (old, new) = (tokens(language, before), tokens(language, after));
    let base = Document::new(before, &old);
    let head = Document::new(after, &new);
    let found = novelty(base, head);
    let n_kept = |flags: &[bool]| flags.iter().filter(|is_changed| !**is_changed).count();
    assert_eq!((found.novel.len(), found.removed.len()), (new.len(), old.len()));
    assert_eq!(n_kept(&found.novel), n_kept(&found.removed));
    assert!(found.kept.pairs().all(|(at, from)| new[at].symbol == old[from].symbol));
    assert!(!novelty(head, head).novel.contains(&true));
}

fn baseline(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(baseline) = Baseline::parse(text) {
        let again = Baseline::parse(&baseline.to_text()).expect("what was written is read");
        assert_eq!(again.to_text(), baseline.to_text());
    }
}

fn read_decisions(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = decisions(text, "secondhand-decisions.toml").is_ok();
    }
}

fn read_suppressions(bytes: &[u8]) {
    let Some((language, text)) = language(bytes) else { return };
    let tokens = tokens(language, text);
    let _ = suppressions(text, &tokens, &[Peer::Jscpd, Peer::Pmd, Peer::Sonar]).len();
    let _ = decoded(text).is_ok();
}

/// Files that say under which license they are; the first byte chooses one.
const NAMED: &[&str] = &[
    "LICENSE", "a.c", "package.json", "Cargo.toml", "pyproject.toml", "debian/copyright",
    "REUSE.toml", "PKG-INFO", "pom.xml", "x.nuspec", "x.gemspec", "composer.json", "x.cabal",
    "DESCRIPTION", "META.json", ".reuse/dep5", "setup.cfg", "COPYING.md",
];

fn licenses(bytes: &[u8]) {
    let [first, bytes @ ..] = bytes else { return };
    let path = FilePath::new(NAMED[usize::from(*first) % NAMED.len()]);
    let _ = (copyright_lines(bytes).len(), LicensingInfo::new(&path, bytes).is_empty());
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Some(expression) = Expression::parse(text)
    {
        assert!(Expression::parse(&expression.to_string()).is_some(), "{expression} is read again");
    }
}

fn folder() -> tempfile::TempDir {
    tempfile::TempDir::new().expect("the folder for temporary files is writable")
}

fn journal(bytes: &[u8]) {
    let folder = folder();
    drop(Journal::open(folder.path(), 7).expect("the folder is writable"));
    let file = std::fs::read_dir(folder.path())
        .expect("it is there")
        .flatten()
        .next()
        .expect("it was made")
        .path();
    std::fs::write(&file, bytes).expect("the folder is writable");
    let (journal, lines) = Journal::open(folder.path(), 7).expect("the folder is writable");
    journal.append("more").expect("the folder is writable");
    let (_, again) = Journal::open(folder.path(), 7).expect("the folder is writable");
    assert_eq!(again, [lines, vec!["more".to_owned()]].concat());
}

fn bundle(bytes: &[u8]) {
    let folder = folder();
    let file = folder.path().join("a.bundle");
    std::fs::write(&file, bytes).expect("the folder is writable");
    let corpora = Shelf { folder: folder.path().join("corpora") };
    let corpus = corpora.new_corpus("c").expect("it is a name");
    if corpus.import(&file, None).is_err() {
        assert!(corpora.names().is_empty(), "what cannot be imported leaves nothing");
    }
}

const PARAMS: SegmentParams = SegmentParams {
    k: 16,
    window: 5,
    scheme: 1,
    normal_form: 1,
    languages: 7,
    hash: HashKind::Sha1,
};

/// What is given as the sections of a segment of a corpus: for each its number, its length in two
/// bytes, its content.
fn corpus(mut bytes: &[u8]) {
    let folder = folder();
    let mut out = SegmentWriter::create(folder.path(), SegmentKind::Corpus, PARAMS)
        .expect("the folder is writable");
    let mut seen = [false; 24];
    while let [id, low, high, rest @ ..] = bytes {
        let n = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let id = usize::from(id % 24);
        if !std::mem::replace(&mut seen[id], true) {
            out.begin(id as u32);
            out.write(&rest[..n]).expect("the folder is writable");
        }
        bytes = &rest[n..];
    }
    let path = out.finish("corpus").expect("the folder is writable");
    let Ok(segment) = CorpusSegment::open(&path) else { return };
    let _ = (segment.verify().is_ok(), segment.stats(), segment.n_bytes(), segment.sampling());
    for n in 0..4 {
        let _ = (
            segment.component_license(n).is_ok(),
            segment.licenses_of(n).is_ok(),
            segment.license(n as u32).is_ok(),
        );
        let _ = (
            segment.files(n as u32).is_ok(),
            segment.tokens(n as u32).is_ok(),
            segment.component_of(n as u32).is_ok(),
        );
    }
    let id = blob_id(b"a");
    let _ = (segment.has(&id), segment.blob_of(&id).is_ok());
    if let Ok(lookup) = segment.lookup() {
        for hash in 0..8 {
            let _ = lookup.blobs(hash).map(Iterator::count);
        }
    }
}

/// Takes everything of a source.
struct Everything(u64);

impl Sink for Everything {
    fn wants(&self, path: &FilePath, _: u64) -> bool {
        !path.as_bytes().is_empty()
    }
    fn take(&mut self, file: SourceFile) -> Result<(), Error> {
        self.0 += file.bytes.len() as u64;
        assert!(
            !file.path.as_bytes().starts_with(b"/") && !file.path.as_bytes().starts_with(b"../"),
            "{}",
            file.path
        );
        Ok(())
    }
    fn note(&mut self, _: Note) {}
}

/// Names of archives; the first byte chooses one.
const ARCHIVES: &[&str] =
    &["a.tar", "a.tar.gz", "a.zip", "a.tar.xz", "a.tar.bz2", "a.jar", "a.crate"];

fn archives(bytes: &[u8]) {
    let [first, bytes @ ..] = bytes else { return };
    let folder = folder();
    let path = folder.path().join(ARCHIVES[usize::from(*first) % ARCHIVES.len()]);
    std::fs::write(&path, bytes).expect("the folder is writable");
    let spec = path.to_str().expect("it is UTF-8");
    let limits = Limits { max_total: 64 << 20, max_entries: 10_000, ..Limits::default() };
    let mut sink = Everything(0);
    let _ = read(&Request { spec, component: Default::default(), limits }, &mut sink).is_ok();
    assert!(sink.0 <= limits.max_total, "{} bytes of {}", sink.0, bytes.len());
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("it is there").count(),
        1,
        "nothing is unpacked"
    );
}

/// An archive of each kind with two files, made by hand or by the crates that read them.
fn archive_samples() -> Vec<Vec<u8>> {
    let mut tar = Vec::new();
    for (name, text) in [("a-1.0/a.c", "int a;\n"), ("a-1.0/LICENSE", "MIT License\n")] {
        let mut header = [0u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..108].copy_from_slice(b"0000644\0");
        header[124..136].copy_from_slice(format!("{:011o}\0", text.len()).as_bytes());
        header[148..156].copy_from_slice(b"        ");
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar\x0000");
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        tar.extend(header);
        tar.extend(text.as_bytes());
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.extend([0; 1024]);
    let stored_zip = b"PK\x03\x04\x0a\0\0\0\0\0\0\0\0\0\x43\xbe\xb7\xe8\x01\0\0\0\x01\0\0\0\x03\0\0\0a.caPK\x01\x02\x0a\0\x0a\0\0\0\0\0\0\0\0\0\x43\xbe\xb7\xe8\x01\0\0\0\x01\0\0\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0a.cPK\x05\x06\0\0\0\0\x01\0\x01\0\x31\0\0\0\x22\0\0\0\0\0";
    vec![
        [&[0], &tar[..]].concat(),
        [&[2], &stored_zip[..]].concat(),
        b"\x01\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0".to_vec(),
    ]
}
