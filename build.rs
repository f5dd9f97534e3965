//! Writes the index of the built-in languages: which table owns which file name. Packs what the
//! program carries.
//!
//! A run needs a handful of tables; with this index only those are unpacked and parsed. Also writes
//! the digest of all that decides how a file is read: fingerprints of another digest are not the
//! same fingerprints.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::Compression;
use flate2::write::ZlibEncoder;

#[path = "build/digest.rs"]
mod digest;

use digest::Digest;

/// The code that decides how the bytes of a file become fingerprints, or why they do not.
const READING: [&str; 5] = [
    "src/language",
    "src/fingerprint",
    "src/text/mod.rs",
    "src/text/encoding.rs",
    "src/audit/read/source.rs",
];

/// Minimum bytes of tables that are packed together, but for the last. Higher values make a smaller
/// program, and whoever reads one table unpacks more: 32 KB take a twentieth of a millisecond.
const BLOCK: usize = 32 * 1024;

fn main() {
    println!("cargo::rerun-if-changed=config/languages");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let mut files = files_in(&Path::new(&root).join("config/languages"));
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));

    let mut rows = String::new();
    let mut blocks = vec![String::new()];
    let mut digest = Digest::new();
    for path in &files {
        let id = path.file_stem().and_then(|stem| stem.to_str()).expect("a table's name is UTF-8");
        let text = fs::read_to_string(path).expect("a table is UTF-8");
        if blocks.last().is_some_and(|block| block.len() >= BLOCK) {
            blocks.push(String::new());
        }
        let n_block = blocks.len() - 1;
        let start = blocks[n_block].len();
        blocks[n_block].push_str(&text);
        let table: toml::Table =
            text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        digest.add_table(id, &table);
        let name = table.get("name").and_then(toml::Value::as_str).unwrap_or(id);
        let [extensions, file_names, shebangs, aliases] =
            ["extensions", "file-names", "shebangs", "aliases"].map(|key| strings(table.get(key)));
        let claims: Vec<_> =
            rows_of(&table, "claims").flat_map(|claim| strings(claim.get("extension"))).collect();
        writeln!(
            rows,
            "    Builtin {{ id: {id:?}, name: {name:?}, family: {:?}, is_template: {:?}, toml: TableText {{ block: {n_block}, start: {start}, end: {} }}, \
             extensions: &{extensions:?}, claims: &{claims:?}, file_names: &{file_names:?}, \
             shebangs: &{shebangs:?}, aliases: &{aliases:?} }},",
            family(name, &table),
            table.contains_key("template"),
            start + text.len(),
        )
        .expect("a string takes all");
    }
    fs::write(out.join("languages.rs"), format!("&[\n{rows}]\n"))
        .expect("the build folder is writable");
    let mut packed = String::new();
    for (n, block) in blocks.iter().enumerate() {
        let name = format!("languages-{n}");
        pack(block.as_bytes(), &out.join(&name));
        writeln!(packed, "    include_bytes!({:?}),", out.join(&name)).expect("a string takes all");
    }
    fs::write(out.join("blocks.rs"), format!("[\n{packed}]\n"))
        .expect("the build folder is writable");
    println!("cargo::rerun-if-changed=config/common-words.txt");
    let words = fs::read(Path::new(&root).join("config/common-words.txt"))
        .expect("the list is part of the package");
    pack(&words, &out.join("common-words"));
    READING.iter().for_each(|path| add_code(&Path::new(&root).join(path), &mut digest));
    fs::write(out.join("digest.rs"), format!("{:#018x}\n", digest.finish()))
        .expect("the build folder is writable");
}

/// The family of a language; `None` if its files may contain others.
fn family(name: &str, table: &toml::Table) -> Option<String> {
    let [holds_any, has_preambles] = ["holds", "preamble"].map(|key| {
        rows_of(table, "strings").chain(rows_of(table, "imports")).any(|row| row.get(key).is_some())
    });
    // As in `Language::is_host`.
    let is_host =
        ["regions", "around", "page", "notebook"].iter().any(|&key| table.contains_key(key))
            || holds_any && !has_preambles;
    let family = table.get("family").and_then(toml::Value::as_str).map(str::to_owned);
    (!is_host).then(|| family.unwrap_or_else(|| name.to_lowercase()))
}

/// The rows of a list of a table.
fn rows_of<'t>(table: &'t toml::Table, list: &str) -> impl Iterator<Item = &'t toml::Value> {
    table.get(list).and_then(toml::Value::as_array).into_iter().flatten()
}

/// Writes `bytes` as `text::unpack` reads them.
fn pack(bytes: &[u8], file: &Path) {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let packed =
        encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes all");
    fs::write(file, packed).expect("the build folder is writable");
}

/// Adds the files below `path`, in order.
fn add_code(path: &Path, digest: &mut Digest) {
    println!("cargo::rerun-if-changed={}", path.display());
    if path.is_file() {
        digest.add_code(&fs::read_to_string(path).expect("the file is part of the package"));
        return;
    }
    files_in(path).iter().for_each(|path| add_code(path, digest));
}

/// What is in a folder, in order.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is part of the package");
    let mut files: Vec<_> =
        entries.map(|entry| entry.expect("the folder stays readable").path()).collect();
    files.sort();
    files
}

/// The strings of a value: one, or a list of them.
fn strings(value: Option<&toml::Value>) -> Vec<String> {
    let values = match value {
        Some(toml::Value::Array(items)) => items.as_slice(),
        value => value.map_or(&[][..], std::slice::from_ref),
    };
    values.iter().filter_map(toml::Value::as_str).map(str::to_owned).collect()
}
