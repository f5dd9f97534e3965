//! Reads Jupyter notebooks: the code of the cells, and the position of each byte of it in the file.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::lexer::character;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cell {
    /// Its number among all cells, from 1.
    pub number: u32,
    /// What its language is called, the most trusted name first: by its first line, its own
    /// metadata, the notebook's, and the name of the kernel that runs it.
    pub languages: Vec<String>,
    /// Its code, with JSON escapes resolved.
    pub code: Vec<u8>,
    pub places: Places,
}

/// Maps offsets in decoded text to the file: runs that are there unchanged, or are one escape.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Places(Vec<Run>);

#[derive(Debug, PartialEq, Eq)]
struct Run {
    decoded: usize,
    raw: usize,
    is_escape: bool,
}

impl Places {
    fn run_of(&self, decoded: usize) -> usize {
        self.0.partition_point(|run| run.decoded <= decoded).saturating_sub(1)
    }

    /// The offset in the file of the byte at `decoded`.
    pub fn start(&self, decoded: usize) -> usize {
        let Some(run) = self.0.get(self.run_of(decoded)) else { return 0 };
        if run.is_escape { run.raw } else { run.raw + (decoded - run.decoded) }
    }

    /// The offset in the file after the byte before `decoded`.
    pub fn end(&self, decoded: usize) -> usize {
        let last = decoded.saturating_sub(1);
        let at = self.run_of(last);
        match (self.0.get(at), self.0.get(at + 1)) {
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
    name: Option<String>,
}

#[derive(Deserialize)]
struct LanguageInfo {
    name: Option<String>,
}

/// The code cells of a notebook; `None` if it is none. A text of blanks has no cells.
pub(super) fn cells(text: &[u8]) -> Option<Vec<Cell>> {
    let text = std::str::from_utf8(text).ok()?;
    if let Some(rest) = text.strip_prefix('\u{FEFF}') {
        // Blanks instead of the mark: what follows keeps its place.
        return cells(format!("   {rest}").as_bytes());
    }
    if text.trim().is_empty() {
        return Some(Vec::new());
    }
    read(text).or_else(|| read(&with_numbers(text)))
}

fn read(text: &str) -> Option<Vec<Cell>> {
    let notebook: Notebook<'_> = serde_json::from_str(text).ok()?;
    let Metadata { kernelspec, language_info } = notebook.metadata;
    let (language, name) = kernelspec.map(|of| (of.language, of.name)).unwrap_or_default();
    let of_all = [language_info.and_then(|info| info.name), language, name];
    let sheets = notebook.worksheets.into_iter().flat_map(|sheet| sheet.cells);
    let all = notebook.cells.into_iter().chain(sheets);
    let mut cells = Vec::new();
    for (number, cell) in (1..).zip(all) {
        let Some(source) = cell.source.filter(|_| cell.cell_type == "code") else { continue };
        let (code, places) =
            decode(source.get(), source.get().as_ptr() as usize - text.as_ptr() as usize);
        let own = [magic(&code), cell.metadata.vscode.and_then(|own| own.language_id)];
        let languages = own.into_iter().chain(of_all.clone()).flatten().collect();
        cells.push(Cell { number, languages, code, places });
    }
    Some(cells)
}

/// The text with a number of the same length for each `NaN` and `Infinity`, which only Python has.
fn with_numbers(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let names = [&b"NaN"[..], b"Infinity"];
        if let Some(name) = names.iter().find(|name| bytes[at..].starts_with(name)) {
            bytes[at..at + name.len()].fill(b' ');
            bytes[at] = b'0';
        }
        at = if byte == b'"' { string_end(&bytes, at + 1) } else { at + 1 };
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// Where the string ends whose text begins at `at`.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        at += if byte == b'\\' { 2 } else { 1 };
        if byte == b'"' {
            break;
        }
    }
    at
}

/// The language of a cell magic: `%%bash`.
fn magic(code: &[u8]) -> Option<String> {
    let line = code.strip_prefix(b"%%")?;
    let word = line.split(|byte| !byte.is_ascii_alphanumeric()).next()?;
    // These change how the cell is run, not its language.
    let is_language =
        !matches!(word, b"time" | b"timeit" | b"capture" | b"prun" | b"writefile" | b"script");
    is_language.then(|| String::from_utf8_lossy(word).into_owned())
}

/// Resolves and joins the strings of a JSON value that begins at `offset` in the file.
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
    (code, Places(runs))
}

/// Resolves the escape at the start of `raw`; returns its length.
fn escape(raw: &[u8], code: &mut Vec<u8>) -> usize {
    match raw.get(1) {
        Some(b'u') => {
            let (c, n_bytes) = character(raw).unwrap_or((char::REPLACEMENT_CHARACTER, 6));
            code.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            n_bytes
        }
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
        let cells = cells(NOTEBOOK.as_bytes()).expect("it is a notebook");
        let shown = cells.iter().map(|cell| {
            let code = String::from_utf8_lossy(&cell.code);
            format!("{} {}: {code}", cell.number, cell.languages.join(" "))
        });
        let expected = ["2 python python3: x = \"é\"\ny\t= 1", "3 bash python python3: %%bash\nls"];
        assert_eq!(shown.collect::<Vec<_>>(), expected);
        let raw = |start: usize, end: usize| {
            &NOTEBOOK[cells[0].places.start(start)..cells[0].places.end(end)]
        };
        assert_eq!(raw(0, 1), "x");
        assert_eq!(raw(4, 8), r#"\"\u00e9\""#);
        assert_eq!(raw(9, 10), "y");
        assert_eq!(raw(11, 14), "= 1");
        assert_eq!(raw(13, 14), "1");
    }

    #[test]
    fn what_is_no_notebook_has_none() {
        for text in ["{", "[1]", r#"{"cells": 1}"#, r#"{"cells": []} x"#, "NaN"] {
            assert_eq!(cells(text.as_bytes()), None);
        }
        assert_eq!(cells(b"\xFF"), None);
        for text in ["", " \n", "{}", "\u{FEFF}{}", r#"{"cells": [{"cell_type": "code"}]}"#] {
            assert_eq!(cells(text.as_bytes()), Some(Vec::new()));
        }
    }

    #[test]
    fn numbers_that_only_python_writes_are_numbers_outside_of_strings() {
        let text = r#"{"cells": [{"cell_type": "code", "outputs": [NaN, -Infinity, "\"NaN\\"], "source": "NaN + Infinity"}]}"#;
        let cells = cells(text.as_bytes()).expect("Python reads it");
        assert_eq!(cells[0].code, b"NaN + Infinity");
        assert_eq!(&text[cells[0].places.start(0)..cells[0].places.end(14)], "NaN + Infinity");
    }
}
