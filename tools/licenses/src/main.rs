//! Writes the license texts that secondhand compares with: `cargo run -p licenses -- config/licenses/texts.xz`.
//!
//! The crate `spdx` has them with all pairs of their words, which is five times as large and can be counted again. With
//! `--check` nothing is written: the file has to hold the texts of the crate.
//!
//! The file is text in xz: for each text the name of its license behind the byte 0x1E, a line end, and its normalized
//! lines. A license has several where SPDX knows further spellings of it, or a header for files.

use std::error::Error;
use std::io::{Read, Write};
use std::{env, fs};

use lzma_rust2::{XzOptions, XzReader, XzWriter};
use spdx::detection::Store;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let text = texts(&Store::load_inline()?);
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--check", file] => {
            let mut found = String::new();
            XzReader::new(&*fs::read(file)?, false).read_to_string(&mut found)?;
            if found != text {
                return Err(format!(
                    "{file} does not hold the texts of the crate spdx: cargo run -p licenses -- {file}"
                )
                .into());
            }
        }
        [file] => fs::write(file, packed(text.as_bytes())?)?,
        _ => return Err("usage: licenses [--check] FILE".into()),
    }
    Ok(())
}

fn texts(store: &Store) -> String {
    let mut licenses: Vec<_> = store.iter().collect();
    licenses.sort_by_key(|(name, _)| *name);
    let mut text = String::new();
    for (name, license) in licenses {
        for of in std::iter::once(&license.original).chain(&license.alternates).chain(&license.headers) {
            text += &format!("\u{1e}{name}\n{}", of.lines().join("\n"));
        }
    }
    text
}

fn packed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut writer = XzWriter::new(Vec::new(), XzOptions::with_preset(9))?;
    writer.write_all(bytes)?;
    writer.finish()
}
