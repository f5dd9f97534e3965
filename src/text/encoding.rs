//! Decodes bytes into text: UTF-16 and UTF-32 by their byte order mark, Shift JIS by its kana;
//! anything else is text as it is, or not text, unless its encoding is named, there or elsewhere.
//!
//! Compilers accept a NUL in a comment, so a NUL alone proves little. The rest decides: text has
//! hardly any control characters, while about one in ten compressed or compiled bytes is one.

use std::borrow::Cow;

use encoding_rs::Encoding;

/// Why bytes are not text that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotText {
    /// They are not text at all: compiled, compressed, encrypted, an image.
    Binary,
    /// They are text in an unsupported encoding: UTF-16 without a byte order mark, or a broken one.
    Encoding,
}

/// Number of bytes at the start of a file that are searched for a NUL, as in git.
const LOOKED_AT: usize = 8_000;
/// A text with NULs may have at most one control character in this many bytes. Source has almost
/// none (a form feed between functions); compressed bytes have one in ten.
const ONE_CONTROL_IN: usize = 32;
/// A text marked as UTF-16 or UTF-32 may have at most one broken character in this many.
const ONE_BROKEN_IN: usize = 32;
/// A text marked as UTF-16 or UTF-32 must have at least one ASCII character in this many: white
/// space and punctuation alone are more. Bytes that are not text decode to one in five hundred.
const ONE_ASCII_IN: usize = 16;
/// Bytes of ASCII in a row that show text in another encoding: in UTF-16 every other byte of ASCII
/// text is 0, and of thirty characters of another script hardly all have two bytes of ASCII.
const ASCII_RUN: usize = 64;

/// A text in Shift JIS has at least one kana in this many characters that are not ASCII: Japanese
/// has them in every sentence. Bytes of other encodings that begin one are no letters there.
const ONE_KANA_IN: usize = 8;

/// The text of a file as UTF-8, or in an encoding that extends ASCII, without a byte order mark of
/// UTF-16 or UTF-32: what positions are in. Time O(n).
///
/// # Errors
/// The reason the bytes cannot be read as text.
pub fn decoded(bytes: &[u8]) -> Result<Cow<'_, [u8]>, NotText> {
    match bytes {
        // The little-endian UTF-32 mark begins with the UTF-16 one.
        [0xFF, 0xFE, 0, 0, rest @ ..] => from_utf32(rest, u32::from_le_bytes),
        [0, 0, 0xFE, 0xFF, rest @ ..] => from_utf32(rest, u32::from_be_bytes),
        [0xFF, 0xFE, rest @ ..] => from_utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => from_utf16(rest, u16::from_be_bytes),
        _ => match (not_text(bytes), from_declared(bytes)) {
            (Some(why), _) => Err(why),
            (None, Some(text)) => Ok(Cow::Owned(text)),
            (None, None) => Ok(from_shift_jis(bytes).map_or(Cow::Borrowed(bytes), Cow::Owned)),
        },
    }
}

/// The text of a file in the encoding called `name` by iconv, and so by git, in UTF-8 without a
/// byte order mark; `None` if there is no such encoding, or the file is not in it.
pub fn decoded_as(bytes: &[u8], name: &str) -> Option<Vec<u8>> {
    // iconv calls the same forms by older names, too.
    let name = name.to_ascii_lowercase().replace("ucs-2", "utf-16").replace("ucs-4", "utf-32");
    let form = name.strip_prefix("utf").map(|form| form.trim_start_matches('-'));
    let mark: &[u8] = match form {
        Some("8") => return Some(bytes.to_owned()),
        _ if form.is_some() && has_mark(bytes) => b"",
        Some("16" | "16le" | "16le-bom") => b"\xFF\xFE",
        Some("16be" | "16be-bom") => b"\xFE\xFF",
        Some("32" | "32le" | "32le-bom") => b"\xFF\xFE\0\0",
        Some("32be" | "32be-bom") => b"\0\0\xFE\xFF",
        _ => return decoded_by_label(bytes, &name),
    };
    decoded(&[mark, bytes].concat()).ok().map(Cow::into_owned)
}

fn decoded_by_label(bytes: &[u8], name: &str) -> Option<Vec<u8>> {
    // Some names of iconv are not in the standard of the web.
    let label = match name {
        "cp874" => "windows-874",
        "cp932" | "ms932" => "shift_jis",
        "cp936" | "euc-cn" => "gbk",
        "cp949" | "euckr" | "uhc" => "euc-kr",
        "cp950" => "big5",
        "eucjp" => "euc-jp",
        "latin-1" => "latin1",
        label => label,
    };
    let encoding = Encoding::for_label(label.as_bytes())?;
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    Some(text.into_owned().into_bytes())
}

/// The decoded text of these bytes, or the bytes themselves if they are not text.
pub fn readable(bytes: Vec<u8>) -> Vec<u8> {
    match decoded(&bytes) {
        Ok(Cow::Owned(text)) => text,
        Ok(Cow::Borrowed(_)) | Err(_) => bytes,
    }
}

/// The text of a file that is not UTF-8 and names its encoding in its first two lines, as Python,
/// Ruby and XML do: `coding: latin-1`.
fn from_declared(bytes: &[u8]) -> Option<Vec<u8>> {
    let end = memchr::memchr_iter(b'\n', bytes).nth(1).unwrap_or(bytes.len());
    let at = memchr::memmem::find(&bytes[..end], b"coding")?;
    let name = bytes[at..end].strip_prefix(b"coding")?.trim_ascii_start();
    let name = name.strip_prefix(b":").or_else(|| name.strip_prefix(b"="))?.trim_ascii_start();
    let name = name.strip_prefix(b"\"").or_else(|| name.strip_prefix(b"'")).unwrap_or(name);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    let n_name = name.iter().take_while(|byte| is_part(byte)).count();
    let name = str::from_utf8(&name[..n_name]).ok()?.to_ascii_lowercase();
    // What names a form of Unicode and is not in it stays as it is.
    if name.starts_with('u') || str::from_utf8(bytes).is_ok() {
        return None;
    }
    decoded_by_label(bytes, name.trim_end_matches("-unix").trim_end_matches("-dos"))
}

/// The text of a file in Shift JIS, which hardly any names. There the second byte of a character
/// may be ASCII: the backslash in that of "table" hides the line behind a comment.
fn from_shift_jis(bytes: &[u8]) -> Option<Vec<u8>> {
    // The first bytes of kana, which most files do not have.
    memchr::memchr2(0x82, 0x83, bytes)?;
    if str::from_utf8(bytes).is_ok() {
        return None;
    }
    let text = encoding_rs::SHIFT_JIS.decode_without_bom_handling_and_without_replacement(bytes)?;
    let n_others = text.chars().filter(|c| !c.is_ascii()).count();
    let n_kana = text.chars().filter(|c| matches!(c, '\u{3041}'..='\u{30FF}')).count();
    (n_kana * ONE_KANA_IN >= n_others).then(|| text.into_owned().into_bytes())
}

fn has_mark(bytes: &[u8]) -> bool {
    let marks: [&[u8]; 3] = [b"\xFF\xFE", b"\xFE\xFF", b"\0\0\xFE\xFF"];
    marks.iter().any(|mark| bytes.starts_with(mark))
}

fn from_utf16<'t>(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Cow<'t, [u8]>, NotText> {
    // What a program that knows no UTF-16 appended would be read as other characters.
    let mut runs = bytes.split(|byte| !matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~'));
    if runs.any(|run| run.len() >= ASCII_RUN) {
        return Err(NotText::Encoding);
    }
    let units = bytes.as_chunks::<2>();
    let text = char::decode_utf16(units.0.iter().map(|&bytes| unit(bytes))).map(Result::ok);
    collected(text, bytes.len() / 2)
}

fn from_utf32<'t>(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> Result<Cow<'t, [u8]>, NotText> {
    let units = bytes.as_chunks::<4>();
    collected(units.0.iter().map(|&bytes| char::from_u32(unit(bytes))), bytes.len() / 4)
}

/// The characters as UTF-8, unless too many are broken or the result is not text.
fn collected<'t>(
    chars: impl Iterator<Item = Option<char>>,
    n: usize,
) -> Result<Cow<'t, [u8]>, NotText> {
    let mut n_broken = 0;
    let mut text = String::with_capacity(n);
    for char in chars {
        n_broken += usize::from(char.is_none());
        text.push(char.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    let n_ascii = text.bytes().filter(u8::is_ascii).count();
    let is_text = n_broken * ONE_BROKEN_IN <= n && n_ascii * ONE_ASCII_IN >= n;
    if !is_text || not_text(text.as_bytes()).is_some() {
        return Err(NotText::Encoding);
    }
    Ok(Cow::Owned(text.into_bytes()))
}

fn not_text(bytes: &[u8]) -> Option<NotText> {
    memchr::memchr(0, &bytes[..bytes.len().min(LOOKED_AT)])?;
    // Check all of it: NULs at the start must not hide what follows, nor text at the start binary
    // data behind it.
    // What pads a text to a block says nothing.
    let bytes = &bytes[..bytes.iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1)];
    let n_nul = memchr::memchr_iter(0, bytes).count();
    let controls = bytes.iter().filter(|byte| matches!(byte, 1..=8 | 14..=26 | 28..=31 | 127));
    let n_rest = bytes.len() - n_nul;
    if n_rest == 0 || controls.count() * ONE_CONTROL_IN > n_rest {
        return Some(NotText::Binary);
    }
    // In UTF-16, every other byte of source is a NUL; in UTF-32, three of four.
    (n_nul * 4 > bytes.len()).then_some(NotText::Encoding)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str =
        "/* caf\u{E9} \u{1F600} */\nint find(int *table, int key)\n{\n\treturn table[key];\n}\n";

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    fn utf32(text: &str, bytes: fn(u32) -> [u8; 4]) -> Vec<u8> {
        text.chars().flat_map(|c| bytes(u32::from(c))).collect()
    }

    #[test]
    fn a_few_broken_characters_do_not_make_a_text_unreadable() {
        let mut bytes = utf16(&format!("\u{FEFF}{CODE}"), u16::to_le_bytes);
        bytes.extend(0xD800_u16.to_le_bytes());
        bytes.push(b'x');
        let text = decoded(&bytes).map(Cow::into_owned).expect("nearly all of it is text");
        assert_eq!(text, format!("{CODE}\u{FFFD}").into_bytes());
    }

    #[test]
    fn nuls_do_not_make_a_text_binary_when_the_rest_reads_as_source() {
        for nuls in [1, 3, CODE.len() / 4] {
            let text = format!("{CODE}/* {} */\n{CODE}", "\0".repeat(nuls));
            assert_eq!(decoded(text.as_bytes()).as_deref(), Ok(text.as_bytes()), "{nuls}");
        }
    }

    #[test]
    fn compiled_and_compressed_bytes_are_binary_and_text_is_in_another_encoding() {
        let noise = |n: u32| n.wrapping_mul(2_654_435_761).to_be_bytes();
        let mut compressed: Vec<u8> = (0..2_000).flat_map(noise).collect();
        compressed[5] = 0;
        for bytes in [compressed, vec![0; 100]] {
            assert_eq!(decoded(&bytes), Err(NotText::Binary));
        }
        for bytes in [
            utf16(CODE, u16::to_le_bytes),
            utf16(CODE, u16::to_be_bytes),
            utf32(CODE, u32::to_le_bytes),
            // A mark before what is no text.
            b"\xFF\xFE".iter().copied().chain((1..500).flat_map(noise)).collect(),
        ] {
            assert_eq!(decoded(&bytes), Err(NotText::Encoding));
        }
    }

    #[test]
    fn utf16_with_other_text_behind_it_is_not_read() {
        for bytes in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
            let mark = utf16("\u{FEFF}", bytes);
            let alone = [&mark[..], &utf16(CODE, bytes)].concat();
            assert!(decoded(&alone).is_ok());
            let other = CODE.split_once('\n').expect("it has lines").1.repeat(2);
            assert_eq!(decoded(&[&alone[..], other.as_bytes()].concat()), Err(NotText::Encoding));
            let chinese = "\u{4E2D}\u{6587}\u{5B57}\u{6BCD}; // a\n".repeat(40);
            assert!(decoded(&[mark, utf16(&chinese, bytes)].concat()).is_ok());
        }
    }

    #[test]
    fn shift_jis_is_known_by_its_kana() {
        let text = "int a; // \u{30C6}\u{30FC}\u{30D6}\u{30EB}\u{306E}\u{8868}\nint b;\n";
        let (bytes, ..) = encoding_rs::SHIFT_JIS.encode(text);
        assert!(bytes.ends_with(b"\\\nint b;\n"));
        assert_eq!(decoded(&bytes).as_deref(), Ok(text.as_bytes()));
        // Chinese in GBK, and a quote of Windows.
        for other in
            [&b"// \xD6\xD0\xCE\xC4\x82\x40\xB1\xED\xB5\xC4\xC8\xD5\n"[..], b"// \x82a\x92 \xE9\n"]
        {
            assert!(matches!(decoded(other), Ok(Cow::Borrowed(_))));
        }
    }

    #[test]
    fn bytes_that_agree_with_ascii_are_text_as_they_are() {
        for bytes in [&b""[..], b"\xEF\xBB\xBFint a;\n", b"// caf\xE9\nint a;\n", b"\x0c\n\x1b[0m"]
        {
            assert!(matches!(decoded(bytes), Ok(Cow::Borrowed(text)) if text == bytes));
        }
    }
}
