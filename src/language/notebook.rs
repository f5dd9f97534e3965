//! Reads Jupyter notebooks: the code of the cells, and the position of each byte of it in the file.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// A code cell.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cell {
    /// Its number among all cells, from 1.
    pub number: u32,
    /// The name of its language, if the notebook has one.
    pub language: Option<String>,
    /// Its code, with JSON escapes resolved.
    pub code: Vec<u8>,
    /// The position of the code in the file.
    pub places: Places,
}

/// Maps offsets in decoded text to offsets in the file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// Runs of bytes that are in the file unchanged, or that come from one escape.
    runs: Vec<Run>,
}

#[derive(Debug, PartialEq, Eq)]
struct Run {
    decoded: usize,
    raw: usize,
    is_escape: bool,
}

impl Places {
    fn run_of(&self, decoded: usize) -> usize {
        self.runs.partition_point(|run| run.decoded <= decoded).saturating_sub(1)
    }

    /// The offset in the file of the byte at `decoded`.
    pub fn start(&self, decoded: usize) -> usize {
        let Some(run) = self.runs.get(self.run_of(decoded)) else { return 0 };
        if run.is_escape { run.raw } else { run.raw + (decoded - run.decoded) }
    }

    /// The offset in the file after the byte before `decoded`.
    pub fn end(&self, decoded: usize) -> usize {
        let last = decoded.saturating_sub(1);
        let at = self.run_of(last);
        match (self.runs.get(at), self.runs.get(at + 1)) {
            (Some(run), Some(next)) if run.is_escape => next.raw,
            (Some(run), _) => run.raw + (last - run.decoded) + 1,
            (None, _) => 0,
        }
    }
}

#[derive(Deserialize)]
struct Notebook<'n> {
    #[serde(borrow, default)]
    cells: Vec<RawCell<'n>>,
    /// The third version of the format.
    #[serde(borrow, default)]
    worksheets: Vec<Worksheet<'n>>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Worksheet<'n> {
    #[serde(borrow, default)]
    cells: Vec<RawCell<'n>>,
}

#[derive(Deserialize)]
struct RawCell<'n> {
    #[serde(borrow)]
    cell_type: Cow<'n, str>,
    #[serde(borrow, alias = "input")]
    source: Option<&'n RawValue>,
    #[serde(default)]
    metadata: CellMetadata,
}

#[derive(Deserialize, Default)]
struct CellMetadata {
    vscode: Option<VsCode>,
}

#[derive(Deserialize)]
struct VsCode {
    #[serde(rename = "languageId")]
    language_id: Option<String>,
}

#[derive(Deserialize, Default)]
struct Metadata {
    kernelspec: Option<Kernel>,
    language_info: Option<LanguageInfo>,
}

#[derive(Deserialize)]
struct Kernel {
    language: Option<String>,
}

#[derive(Deserialize)]
struct LanguageInfo {
    name: Option<String>,
}

/// The code cells of the notebook `text`; empty if it is not a notebook.
pub(super) fn cells(text: &[u8]) -> Vec<Cell> {
    let Ok(text) = std::str::from_utf8(text) else { return Vec::new() };
    let Ok(notebook) = serde_json::from_str::<Notebook<'_>>(text) else { return Vec::new() };
    let Metadata { kernelspec, language_info } = notebook.metadata;
    let of_all = language_info.and_then(|info| info.name).or(kernelspec.and_then(|kernel| kernel.language));
    let all = notebook.cells.into_iter().chain(notebook.worksheets.into_iter().flat_map(|sheet| sheet.cells));
    let mut cells = Vec::new();
    for (number, cell) in (1..).zip(all) {
        let Some(source) = cell.source.filter(|_| cell.cell_type == "code") else { continue };
        let (code, places) = decode(source.get(), source.get().as_ptr() as usize - text.as_ptr() as usize);
        let own = magic(&code).or_else(|| cell.metadata.vscode?.language_id);
        cells.push(Cell { number, language: own.or_else(|| of_all.clone()), code, places });
    }
    cells
}

/// The language of a cell magic: `%%bash`.
fn magic(code: &[u8]) -> Option<String> {
    let word: Vec<u8> = code.strip_prefix(b"%%")?.iter().copied().take_while(u8::is_ascii_alphanumeric).collect();
    // These change how the cell is run, not its language.
    let is_language = !matches!(&*word, b"time" | b"timeit" | b"capture" | b"prun" | b"writefile" | b"script");
    String::from_utf8(word).ok().filter(|_| is_language)
}

/// Resolves the strings of a JSON value (one string or a list) and joins them. `raw` begins at `offset` in the file.
fn decode(raw: &str, offset: usize) -> (Vec<u8>, Places) {
    let (raw, mut code, mut runs) = (raw.as_bytes(), Vec::new(), Vec::new());
    let mut is_inside = false;
    let mut at = 0;
    while let Some(&byte) = raw.get(at) {
        if byte == b'"' {
            is_inside = !is_inside;
            at += 1;
            runs.push(Run { decoded: code.len(), raw: offset + at, is_escape: false });
        } else if !is_inside {
            at += 1;
        } else if byte == b'\\' {
            runs.push(Run { decoded: code.len(), raw: offset + at, is_escape: true });
            at += escape(&raw[at..], &mut code);
            runs.push(Run { decoded: code.len(), raw: offset + at, is_escape: false });
        } else {
            code.push(byte);
            at += 1;
        }
    }
    (code, Places { runs })
}

/// Resolves the escape at the start of `raw`; returns its length.
fn escape(raw: &[u8], code: &mut Vec<u8>) -> usize {
    let unit = |at: usize| {
        let digits = raw.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let push = |c: char, code: &mut Vec<u8>| code.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    match raw.get(1) {
        Some(b'u') => match (unit(0), unit(6)) {
            (Some(high @ 0xD800..=0xDBFF), Some(low @ 0xDC00..=0xDFFF)) => {
                let c = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                push(char::from_u32(c).unwrap_or(char::REPLACEMENT_CHARACTER), code);
                12
            }
            (c, _) => {
                push(c.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER), code);
                6
            }
        },
        Some(&byte) => {
            code.push(match byte {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                b'b' => 8,
                b'f' => 12,
                other => other,
            });
            2
        }
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTEBOOK: &str = r##"{
 "cells": [
  { "cell_type": "markdown", "source": ["# a"] },
  { "cell_type": "code", "metadata": {}, "outputs": [], "source": [
    "x = \"\u00e9\"\n",
    "y\t= 1" ] },
  { "source": "%%bash\nls", "cell_type": "code" }
 ],
 "metadata": { "kernelspec": { "language": "python", "name": "python3" } }
}"##;

    #[test]
    fn the_cells_are_decoded_and_each_byte_knows_its_place() {
        let cells = cells(NOTEBOOK.as_bytes());
        let shown: Vec<_> = cells.iter().map(|cell| (cell.number, cell.language.as_deref(), &*cell.code)).collect();
        let first = "x = \"é\"\ny\t= 1".as_bytes();
        assert_eq!(shown, [(2, Some("python"), first), (3, Some("bash"), &b"%%bash\nls"[..])]);
        let raw = |start: usize, end: usize| &NOTEBOOK[cells[0].places.start(start)..cells[0].places.end(end)];
        assert_eq!(raw(0, 1), "x");
        assert_eq!(raw(4, 8), r#"\"\u00e9\""#);
        assert_eq!(raw(9, 10), "y");
        assert_eq!(raw(11, 14), "= 1");
        assert_eq!(raw(13, 14), "1");
    }

    #[test]
    fn what_is_no_notebook_has_no_cells() {
        for text in [&b""[..], b"{", b"[1]", b"\xFF", br#"{"cells": 1}"#, br#"{"cells": [{"cell_type": "code"}]}"#] {
            assert_eq!(cells(text), []);
        }
    }
}
