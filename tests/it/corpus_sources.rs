//! Shows what the sources of a corpus hand out, and that no archive takes more than it is given.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bzip2::write::BzEncoder;
use flate2::Compression;
use flate2::write::GzEncoder;
use secondhand::sources::{
    DeclaredComponent, Error, Limits, Note, Request, Sink, SourceFile, read,
};
use secondhand::text::FilePath;
use tar::{EntryType, Header};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

/// Keeps all that a source hands out.
#[derive(Debug, Default)]
struct ComponentCopy {
    files: Vec<SourceFile>,
    notes: Vec<Note>,
    date: Option<i64>,
}

impl Sink for ComponentCopy {
    fn wants(&self, _: &FilePath, size: u64) -> bool {
        size < 1 << 20
    }

    fn take(&mut self, file: SourceFile) -> Result<(), Error> {
        self.files.push(file);
        Ok(())
    }

    fn dated(&mut self, _: &Arc<DeclaredComponent>, time: i64) {
        self.date = Some(time);
    }

    fn note(&mut self, note: Note) {
        self.notes.push(note);
    }
}

impl ComponentCopy {
    fn paths(&self) -> Vec<String> {
        self.files.iter().map(|file| file.path.to_string()).collect()
    }
}

fn folder() -> TempDir {
    TempDir::new().expect("the folder for temporary files is writable")
}

fn write(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("the folder is writable");
    path
}

fn read_with(path: &Path, limits: Limits) -> Result<ComponentCopy, Error> {
    let spec = path.to_str().expect("temporary folders are UTF-8");
    let mut taken = ComponentCopy::default();
    read(&Request { spec, component: DeclaredComponent::default(), limits }, &mut taken)?;
    Ok(taken)
}

/// Reads an archive of these bytes under `name`.
fn taken(name: &str, bytes: &[u8]) -> Result<ComponentCopy, Error> {
    let folder = folder();
    read_with(&write(&folder, name, bytes), Limits::default())
}

#[track_caller]
fn fails(result: Result<ComponentCopy, Error>, expected: &str) {
    let error = result.map(|taken| taken.paths()).expect_err("it is refused").to_string();
    assert!(error.contains(expected), "{error}\nshould say: {expected}");
}

/// An entry of a tar archive, whatever its name is.
fn append(tar: &mut tar::Builder<Vec<u8>>, kind: EntryType, name: &[u8], bytes: &[u8]) {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(bytes.len() as u64);
    header.set_mode(0o644);
    header.as_mut_bytes()[..name.len()].copy_from_slice(name);
    header.set_cksum();
    tar.append(&header, bytes).expect("memory takes all");
}

fn tar_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in entries {
        append(&mut tar, EntryType::Regular, name.as_bytes(), bytes);
    }
    tar.into_inner().expect("memory takes all")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    out.write_all(bytes).expect("memory takes all");
    out.finish().expect("memory takes all")
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut out = BzEncoder::new(Vec::new(), bzip2::Compression::best());
    out.write_all(bytes).expect("memory takes all");
    out.finish().expect("memory takes all")
}

fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        out.start_file(*name, SimpleFileOptions::default()).expect("memory takes all");
        out.write_all(bytes).expect("memory takes all");
    }
    out.finish().expect("memory takes all").into_inner()
}

#[test]
fn every_kind_of_archive_hands_out_its_files_below_its_top_folder() {
    let entries: [(&str, &[u8]); 2] =
        [("alpha-1.0/lib/a.c", b"int a;"), ("alpha-1.0/README", b"text")];
    let npm: [(&str, &[u8]); 2] = [("package/lib/a.c", b"int a;"), ("package/README", b"text")];
    let flat: [(&str, &[u8]); 2] = [("lib/a.c", b"int a;"), ("README", b"text")];
    let archives = [
        ("alpha-1.0.tar", tar_of(&entries)),
        ("alpha-1.0.tar.gz", gzip(&tar_of(&entries))),
        ("alpha-1.0.TAR.GZ", gzip(&tar_of(&entries))),
        ("alpha-1.0.tar.bz2", bzip2(&tar_of(&entries))),
        ("alpha-1.0.tbz2", bzip2(&tar_of(&entries))),
        ("alpha-1.0.crate", gzip(&tar_of(&entries))),
        ("alpha-1.0.tgz", gzip(&tar_of(&npm))),
        ("alpha-1.0.zip", zip_of(&entries)),
        ("alpha-1.0-py3-none-any.whl", zip_of(&flat)),
        ("alpha-1.0-sources.jar", zip_of(&flat)),
    ];
    for (name, bytes) in archives {
        let taken = taken(name, &bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(taken.paths(), ["lib/a.c", "README"], "{name}");
        assert_eq!(taken.files[0].bytes, b"int a;", "{name}");
        let component = &taken.files[0].component;
        assert_eq!(
            (component.name.as_str(), component.version.as_deref()),
            ("alpha", Some("1.0")),
            "{name}"
        );
    }
}

#[test]
fn a_package_is_of_the_day_of_its_newest_file_unless_its_packer_writes_another() {
    let tar = |times: &[u64]| {
        let mut tar = tar::Builder::new(Vec::new());
        for (number, time) in times.iter().enumerate() {
            let mut header = Header::new_gnu();
            header.set_size(1);
            header.set_mtime(*time);
            let name = format!("alpha-1.0/{number}.c");
            tar.append_data(&mut header, name, &b"x"[..]).expect("memory takes all");
        }
        taken("alpha-1.0.tar", &tar.into_inner().expect("memory takes all")).expect("it is whole")
    };
    assert_eq!(tar(&[1_600_000_000, 1_650_000_000, 1_640_000_000]).date, Some(1_650_000_000));
    // Nothing, and what npm, cargo, poetry and hatch write.
    for constant in [0, 499_162_500, 1_153_704_088, 1_451_606_400, 1_580_601_600] {
        assert_eq!(tar(&[constant, constant]).date, None, "{constant}");
    }
    let zip = |year: u16| {
        let mut out = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let time = zip::DateTime::from_date_and_time(year, 1, 1, 0, 0, 0).expect("it is a time");
        let options = SimpleFileOptions::default().last_modified_time(time);
        out.start_file("a.c", options).expect("memory takes all");
        let bytes = out.finish().expect("memory takes all").into_inner();
        taken("alpha-1.0.zip", &bytes).expect("it is whole").date
    };
    assert_eq!([zip(1980), zip(2021)], [None, Some(1_609_459_200)]);
}

#[test]
fn xz_is_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/alpha-1.0.tar.xz");
    assert_eq!(read_with(&path, Limits::default()).expect("it is whole").paths(), ["lib/table.c"]);
}

#[test]
fn a_long_name_is_read_whole() {
    let name = format!("{}/a.c", "folder/".repeat(40));
    let mut tar = tar::Builder::new(Vec::new());
    let mut header = Header::new_gnu();
    header.set_size(1);
    header.set_cksum();
    tar.append_data(&mut header, &name, &b"x"[..]).expect("memory takes all");
    let bytes = tar.into_inner().expect("memory takes all");
    assert_eq!(taken("a.tar", &bytes).expect("it is whole").paths(), [name.replace("//", "/")]);
}

#[test]
fn paths_that_lead_out_links_and_devices_are_passed_over_and_named() {
    let mut tar = tar::Builder::new(Vec::new());
    append(&mut tar, EntryType::Regular, b"../../etc/cron.d/a.c", b"x");
    append(&mut tar, EntryType::Regular, b"/etc/a.c", b"x");
    append(&mut tar, EntryType::Regular, b"a\\..\\b.c", b"x");
    append(&mut tar, EntryType::Symlink, b"link.c", b"");
    append(&mut tar, EntryType::Link, b"hard.c", b"");
    append(&mut tar, EntryType::Char, b"device", b"");
    append(&mut tar, EntryType::Directory, b"folder/", b"");
    append(&mut tar, EntryType::Regular, b"folder/a.c", b"x");
    let taken =
        taken("odd.tar", &tar.into_inner().expect("memory takes all")).expect("it is whole");
    assert_eq!(taken.paths(), ["folder/a.c"]);
    let notes: Vec<_> =
        taken.notes.iter().map(|note| format!("{} ({})", note.what, note.why)).collect();
    assert_eq!(
        notes,
        [
            "odd.tar: ../../etc/cron.d/a.c (its path leads out of the archive)",
            "odd.tar: /etc/a.c (its path leads out of the archive)",
            "odd.tar: a\\..\\b.c (its path leads out of the archive)",
            "odd.tar: link.c (it is a link)",
            "odd.tar: hard.c (it is a link)",
        ]
    );
    let bytes = zip_of(&[("../a.c", b"x"), ("b.c", b"x")]);
    let taken = self::taken("odd.zip", &bytes).expect("it is whole");
    assert_eq!((taken.paths(), taken.notes.len()), (vec!["b.c".to_owned()], 1));
}

/// An archive of one entry, of which an extended header says this.
fn extended(header: &[u8]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    append(&mut tar, EntryType::XHeader, b"PaxHeaders/a.c", header);
    append(&mut tar, EntryType::Regular, b"folder/a.c", b"int a;");
    append(&mut tar, EntryType::Regular, b"folder/b.c", b"int b;");
    tar.into_inner().expect("memory takes all")
}

#[test]
fn an_extended_header_that_has_another_reader_see_other_bytes_is_named() {
    for size in [
        &b"size=512"[..],
        b"size=0",
        b"size=-5",
        b"size=99999999999999999999",
        b"size=1000000000000",
    ] {
        let record = |n: usize| [format!("{n} ").as_bytes(), size, b"\n"].concat();
        let (short, long) = (record(size.len() + 3), record(size.len() + 4));
        let header = if short.len() < 10 { short } else { long };
        fails(
            taken("a.tar", &extended(&header)),
            "`folder/a.c`: an extended header says another size than the 6 bytes",
        );
    }
    assert_eq!(
        taken("a.tar", &extended(b"9 size=6\n")).expect("it is whole").paths(),
        ["folder/a.c", "folder/b.c"]
    );
    let sparse = taken("a.tar", &extended(b"22 GNU.sparse.major=1\n")).expect("it is whole");
    assert_eq!(sparse.paths(), ["folder/b.c"]);
    assert_eq!(
        (&*sparse.notes[0].what, sparse.notes[0].why),
        ("a.tar: folder/a.c", "it is a sparse file")
    );
}

#[test]
fn an_archive_in_an_archive_is_read_and_a_deeper_one_is_named() {
    let deepest = gzip(&tar_of(&[("c.c", b"int c;")]));
    let inner = zip_of(&[("b.c", b"int b;"), ("deepest.tar.gz", &deepest)]);
    let outer = gzip(&tar_of(&[("a.c", b"int a;"), ("vendor/inner.zip", &inner)]));
    let taken = taken("outer.tar.gz", &outer).expect("it is whole");
    assert_eq!(taken.paths(), ["a.c", "vendor/inner.zip/b.c"]);
    assert_eq!(taken.notes[0].what, "outer.tar.gz: vendor/inner.zip/deepest.tar.gz");
}

#[test]
fn a_damaged_archive_in_an_archive_is_named_and_the_rest_is_read() {
    let noise: Vec<u8> =
        (0..200_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let whole = gzip(&tar_of(&[("in.c", b"int i;"), ("noise.bin", &noise)]));
    let entries: [(&str, &[u8]); 5] = [
        ("a.c", b"int a;"),
        ("cut.tar.gz", &whole[..whole.len() / 2]),
        ("text.zip", b"no archive"),
        ("text.tar.xz", b"no archive"),
        ("b.c", b"int b;"),
    ];
    let read = taken("outer.tar.gz", &gzip(&tar_of(&entries))).expect("it is whole");
    assert_eq!(read.paths(), ["a.c", "cut.tar.gz/in.c", "b.c"]);
    let notes: Vec<_> =
        read.notes.iter().map(|note| format!("{} ({})", note.what, note.why)).collect();
    let named = ["cut.tar.gz", "text.zip", "text.tar.xz"];
    assert_eq!(
        notes,
        named.map(|name| format!("outer.tar.gz: {name} (it is a damaged archive in an archive)"))
    );
    // Where the outer one ends inside of another, it is itself damaged.
    let outer = tar_of(&[("a.c", b"int a;"), ("inner.tar.gz", &whole), ("b.c", b"int b;")]);
    fails(taken("outer.tar", &outer[..outer.len() / 2]), "cannot read `outer.tar`: ");
    let packed = gzip(&outer);
    fails(taken("outer.tar.gz", &packed[..packed.len() / 2]), "cannot read `outer.tar.gz`: ");
}

#[test]
fn a_bomb_is_refused_before_it_unpacks() {
    let zeros = vec![0; 64 << 20];
    let bomb = gzip(&tar_of(&[("a.bin", &zeros)]));
    assert!(bomb.len() < 100_000);
    fails(taken("bomb.tar.gz", &bomb), "it unpacks to more than 200 times its size");
    fails(
        taken("bomb.tar.bz2", &bzip2(&tar_of(&[("a.bin", &zeros)]))),
        "it unpacks to more than 200 times its size",
    );
    // Nested, it is no better.
    fails(
        taken("outer.tar", &tar_of(&[("bomb.tar.gz", &bomb)])),
        "it unpacks to more than 200 times its size",
    );
    // Many small entries, each of which compresses well.
    let spaces = vec![b' '; 1 << 19];
    let names: Vec<String> = (0..80).map(|n| format!("{n}.c")).collect();
    let entries: Vec<(&str, &[u8])> =
        names.iter().map(|name| (name.as_str(), &spaces[..])).collect();
    fails(taken("many.zip", &zip_of(&entries)), "it unpacks to more than 200 times its size");
}

#[test]
fn limits_are_kept() {
    let folder = folder();
    let path = write(&folder, "a.tar", &tar_of(&[("a.c", b"x"), ("b.c", b"y"), ("c.c", b"z")]));
    let limits = Limits { max_entries: 2, ..Limits::default() };
    fails(read_with(&path, limits), "cannot read `a.tar`: `c.c`: there are more than 2 entries");
    let limits = Limits { max_total: 2, ..Limits::default() };
    fails(read_with(&path, limits), "cannot read `a.tar`: `c.c`: it unpacks to more than 2 bytes");
    let nested = write(&folder, "b.tar", &tar_of(&[("a.zip", &zip_of(&[("a.c", b"x")]))]));
    let taken =
        read_with(&nested, Limits { max_nested: 10, ..Limits::default() }).expect("it is whole");
    assert_eq!((taken.files.len(), taken.notes.len()), (0, 1));
}

#[test]
fn damage_is_named_with_the_entry_and_the_reason() {
    let whole = tar_of(&[("a.c", &[b'a'; 2_000]), ("b.c", &[b'b'; 2_000])]);
    let mut broken = whole.clone();
    broken[512 + 2_048 + 10] ^= 1;
    fails(taken("broken.tar", &broken), "cannot read `broken.tar`: after `a.c`: ");
    let packed = gzip(&whole);
    fails(taken("cut.tar.gz", &packed[..packed.len() / 2]), "cannot read `cut.tar.gz`: ");
    fails(taken("text.tar.gz", b"no archive"), "cannot read `text.tar.gz`: ");
    let packed = bzip2(&whole);
    fails(taken("cut.tar.bz2", &packed[..packed.len() / 2]), "cannot read `cut.tar.bz2`: ");
    fails(taken("text.tar.bz2", b"no archive"), "cannot read `text.tar.bz2`: ");
    fails(taken("text.zip", b"no archive"), "cannot read `text.zip`: the directory: ");
    fails(taken("text.tar.xz", b"no archive"), "cannot read `text.tar.xz`: ");
    let zip = zip_of(&[("a.c", b"int a, b, c, d, e, f;")]);
    let at = zip.windows(2).position(|bytes| bytes == b"a.").expect("the name is there") + 5;
    let mut broken = zip.clone();
    broken[at] ^= 0xFF;
    assert!(taken("broken.zip", &broken).is_err());
}

#[test]
fn the_checksum_of_a_compressed_archive_is_compared_and_nothing_follows_it() {
    let tar = tar_of(&[("a.c", b"int a;")]);
    for (archive, pack) in [("a.tar.gz", gzip as fn(&[u8]) -> Vec<u8>), ("a.tar.bz2", bzip2)] {
        let packed = pack(&tar);
        let fails = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = packed.clone();
            change(&mut bytes);
            assert!(taken(archive, &bytes).is_err(), "{archive}, {name}");
        };
        fails("another checksum", &|bytes| {
            let at = bytes.len() - 8;
            bytes[at] ^= 1;
        });
        fails("another end", &|bytes| {
            let at = bytes.len() - 2;
            bytes[at] ^= 1;
        });
        fails("without its end", &|bytes| bytes.truncate(bytes.len() - 3));
        fails("with something behind it", &|bytes| bytes.extend(b"garbage behind it"));
        // Another part, as of two files that were joined, is read on.
        let joined = [&packed[..], &pack(b"")].concat();
        assert!(taken(archive, &joined).is_ok(), "{archive}");
    }
}

#[test]
fn what_an_archive_reader_quotes_steers_no_terminal() {
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.as_mut_bytes()[..7].copy_from_slice(b"\x1b[31mre");
    header.as_mut_bytes()[124..132].copy_from_slice(b"\x1b]0;own\x07");
    header.set_cksum();
    let tar = [header.as_bytes().to_vec(), vec![0; 1024]].concat();
    let error =
        taken("a.tar", &tar).map(|taken| taken.paths()).expect_err("it is refused").to_string();
    assert!(error.bytes().all(|byte| !byte.is_ascii_control()), "{error:?}");
}

#[test]
fn an_extended_header_of_any_size_takes_no_memory() {
    let mut tar = tar::Builder::new(Vec::new());
    append(&mut tar, EntryType::GNULongName, b"././@LongLink", &vec![b'a'; 10 << 20]);
    append(&mut tar, EntryType::Regular, b"a.c", b"x");
    fails(
        taken("long.tar", &tar.into_inner().expect("memory takes all")),
        "an extended header of 10485760 bytes",
    );
}

#[test]
fn a_debian_source_package_is_its_archives_and_each_is_what_the_list_says() {
    let folder = folder();
    let upstream = gzip(&tar_of(&[("zlib-1.3/inflate.c", b"int a;")]));
    let packaging = gzip(&tar_of(&[("debian/rules.c", b"int b;")]));
    write(&folder, "zlib_1.3.orig.tar.gz", &upstream);
    write(&folder, "zlib_1.3-1.debian.tar.gz", &packaging);
    let digest = |bytes: &[u8]| {
        use sha2::Digest as _;
        sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let list = |of_upstream: &str| {
        format!(
            "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nFormat: 3.0 (quilt)\nSource: zlib\nVersion: 1:1.3-1\n\
             Homepage: https://zlib.net\nChecksums-Sha256:\n {of_upstream} {} zlib_1.3.orig.tar.gz\n {} {} \
             zlib_1.3-1.debian.tar.gz\nFiles:\n cc 10 zlib_1.3.orig.tar.gz\n",
            upstream.len(),
            digest(&packaging).to_uppercase(),
            packaging.len()
        )
    };
    let path = write(&folder, "zlib_1.3-1.dsc", list(&digest(&upstream)).as_bytes());
    let taken = read_with(&path, Limits::default()).expect("it is whole");
    assert_eq!(taken.paths(), ["inflate.c", "debian/rules.c"]);
    assert_eq!(taken.files[0].component.purl.as_deref(), Some("pkg:deb/debian/zlib@1:1.3-1"));
    let path = write(&folder, "zlib_1.3-1.dsc", list(&digest(b"other")).as_bytes());
    fails(
        read_with(&path, Limits::default()),
        "not d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa",
    );
    let text = "Source: a\nVersion: 1\nChecksums-Sha256:\n aa 10 ../../etc/passwd\n";
    let path = write(&folder, "elsewhere.dsc", text.as_bytes());
    fails(read_with(&path, Limits::default()), "is not the name of a file next to it");
    let long = list(&digest(&upstream)) + &" ".repeat(4 << 20);
    let path = write(&folder, "long.dsc", long.as_bytes());
    fails(read_with(&path, Limits::default()), "it has more than 4 MB");
}

#[test]
fn a_list_names_what_is_known_of_each_source() {
    let folder = folder();
    write(&folder, "a.tar", &tar_of(&[("a.c", b"int a;")]));
    let text = "[[source]]\nfrom = \"a.tar\"\nname = \"alpha\"\nversion = \"2\"\nlicense = \"MIT\"\npurl = \"pkg:generic/alpha@2\"\n";
    let taken = read_with(&write(&folder, "corpus.toml", text.as_bytes()), Limits::default())
        .expect("it is whole");
    let component = &taken.files[0].component;
    assert_eq!((component.name.as_str(), component.license.as_deref()), ("alpha", Some("MIT")));
    let wrong = write(&folder, "wrong.toml", b"\n[[source]]\nform = \"a.tar\"\n");
    fails(
        read_with(&wrong, Limits::default()),
        "cannot use `wrong.toml`: line 3: unknown field `form`",
    );
    let missing = write(&folder, "missing.toml", b"[[source]]\nfrom = \"b.tar\"\n");
    fails(read_with(&missing, Limits::default()), "it is not a file, a folder or a package URL");
}

#[test]
fn a_package_url_that_could_mean_a_flag_or_a_path_starts_nothing() {
    for spec in ["pkg:npm/--registry@1", "pkg:cargo/serde", "pkg:pypi/..%2Fa@1", "pkg:gem/rails@7"]
    {
        let mut taken = ComponentCopy::default();
        let request =
            Request { spec, component: DeclaredComponent::default(), limits: Limits::default() };
        assert!(matches!(read(&request, &mut taken), Err(Error::Invalid { .. })), "{spec}");
    }
}
