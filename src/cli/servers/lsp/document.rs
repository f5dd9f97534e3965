//! Keeps the text of a document that is open in an editor.

use serde_json::Value;

use crate::text::FilePath;

pub(super) struct Document {
    /// Its path from the root of the repository; `None` for one that is not a file there.
    pub path: Option<FilePath>,
    pub text: String,
    pub version: Option<i64>,
}

impl Document {
    /// Applies a change: a new text for a range, or for all of it. One that makes no sense is
    /// ignored.
    pub fn change(&mut self, change: &Value) {
        let Some(text) = change.get("text").and_then(Value::as_str) else { return };
        let Some(range) = change.get("range").filter(|range| !range.is_null()) else {
            text.clone_into(&mut self.text);
            return;
        };
        let [start, end] = ["start", "end"].map(|end| {
            let at = range.get(end)?;
            Some(offset(&self.text, at.get("line")?.as_u64()?, at.get("character")?.as_u64()?))
        });
        if let (Some(start), Some(end)) = (start, end) {
            self.text.replace_range(start.min(end)..end.max(start), text);
        }
    }
}

/// The byte at a line and a UTF-16 unit in it, both from 0. Behind the end of a line or of the
/// text, that end.
fn offset(text: &str, line: u64, character: u64) -> usize {
    let mut start = 0;
    for _ in 0..line {
        match text[start..].find(['\n', '\r']) {
            Some(end) => start += end + if text[start + end..].starts_with("\r\n") { 2 } else { 1 },
            None => return text.len(),
        }
    }
    let mut left = character;
    for (at, c) in text[start..].char_indices() {
        if left == 0 || matches!(c, '\n' | '\r') {
            return start + at;
        }
        left = left.saturating_sub(c.len_utf16() as u64);
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changes_are_applied_where_the_client_means() {
        let mut document =
            Document { path: None, text: "a\r\n😀bc\nlast".to_owned(), version: None };
        let mut change = |from: (u64, u64), to: (u64, u64), text: &str| {
            let at = |(line, character)| json!({"line": line, "character": character});
            document.change(&json!({"range": {"start": at(from), "end": at(to)}, "text": text}));
            document.text.clone()
        };
        assert_eq!(change((1, 2), (1, 3), "B"), "a\r\n😀Bc\nlast");
        assert_eq!(change((0, 99), (0, 99), "x"), "ax\r\n😀Bc\nlast");
        assert_eq!(change((7, 0), (9, 9), "!"), "ax\r\n😀Bc\nlast!");
        assert_eq!(change((2, 0), (0, 0), ""), "last!");
        document.change(&json!({"text": "new"}));
        document.change(&json!({"range": {"start": 1}, "text": "lost"}));
        assert_eq!(document.text, "new");
    }
}
