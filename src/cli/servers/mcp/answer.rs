//! Fits an answer into the caller's token limit, and removes private data from it.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use crate::cli::io::lines_of;
use crate::report::Passage;

/// Bytes of text per token. Tokenizers use three to four for code; the lower figure keeps answers
/// within the limit.
const BYTES_PER_TOKEN: usize = 3;
/// Tokens for the line that says what was left out.
const RESERVED: usize = 40;
/// Tokens of an answer that is not limited otherwise: it is read by a model that pays for each of
/// them. This is less than 2 kB.
const DEFAULT_TOKENS: usize = 600;
/// Minimum tokens that an answer may be limited to.
const MIN_TOKENS: usize = 100;

/// Maximum tokens of a text: characters beyond ASCII can take one for each byte.
fn n_tokens(text: &str) -> usize {
    let n_ascii = text.bytes().filter(u8::is_ascii).count();
    n_ascii.div_ceil(BYTES_PER_TOKEN) + (text.len() - n_ascii)
}

/// Writes as many heads of blocks as fit, and then below them as much code as fits, in order.
pub(super) fn fitted(title: &str, blocks: &[Passage], max_tokens: Option<usize>) -> String {
    let room = max_tokens.unwrap_or(DEFAULT_TOKENS).max(MIN_TOKENS) - RESERVED;
    let title = cut(title, room);
    let mut used = n_tokens(&title) + 1;
    let mut heads: Vec<String> = Vec::new();
    for block in blocks {
        let cost = n_tokens(&block.head) + 2;
        if used + cost > room {
            break;
        }
        used += cost;
        heads.push(block.head.clone());
    }
    if let ([], Some(first)) = (&heads[..], blocks.first()) {
        // Part of a place is better than none.
        heads.push(cut(&first.head, room.saturating_sub(used + 2)));
        used = room;
    }
    let mut text = title;
    let mut n_left_out = 0;
    for (block, head) in blocks.iter().zip(&heads) {
        text.push_str(if text.is_empty() { "" } else { "\n\n" });
        text.push_str(head);
        for (at, line) in block.lines.iter().enumerate() {
            let cost = n_tokens(line) + 1;
            if used + cost > room {
                n_left_out += block.lines.len() - at;
                break;
            }
            used += cost;
            text.push('\n');
            text.push_str(line);
        }
    }
    let left_out = [(blocks.len() - heads.len(), "more results"), (n_left_out, "more lines")];
    let left_out = left_out.into_iter().filter(|(n, _)| *n > 0);
    let left_out: Vec<String> = left_out.map(|(n, what)| format!("{n} {what}")).collect();
    if !left_out.is_empty() {
        let left_out = left_out.join(" and ");
        text.push_str(&format!("\n\n{left_out} do not fit; raise max_tokens to see them"));
    }
    text
}

fn cut(text: &str, max: usize) -> String {
    if n_tokens(text) <= max {
        return text.to_owned();
    }
    let mut end = text.len().min(max.saturating_sub(2) * BYTES_PER_TOKEN);
    while end > 0 && (!text.is_char_boundary(end) || n_tokens(&text[..end]) + 2 > max) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}

/// A text without folders of this machine, passwords in URLs, and what steers whoever reads it.
pub(super) fn cleaned(text: &str, root: &Path) -> String {
    static CREDENTIALS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"([A-Za-z][A-Za-z0-9+.-]*://)[^/@\s]+@").expect("the pattern is valid")
    });
    let mut text = CREDENTIALS.replace_all(text, "$1").into_owned();
    let roots = [Some(root.to_owned()), root.canonicalize().ok()];
    let mut folders: Vec<(String, &str)> = Vec::new();
    for root in roots.into_iter().flatten().filter(|root| root.is_absolute()) {
        let name = root.to_string_lossy().trim_end_matches(['/', '\\']).to_owned();
        folders.push((format!("{name}/"), ""));
        folders.push((name, "."));
    }
    for (variable, short) in [("HOME", "~"), ("USERPROFILE", "~"), ("TMPDIR", "$TMPDIR")] {
        folders.extend(std::env::var(variable).ok().map(|folder| (folder, short)));
    }
    folders.retain(|(folder, _)| folder.trim_end_matches(['/', '\\']).len() > 1);
    for (folder, short) in folders {
        text = text.replace(&folder, short);
    }
    lines_of(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(head: &str, lines: &[&str]) -> Passage {
        Passage { head: head.to_owned(), lines: lines.iter().map(ToString::to_string).collect() }
    }

    #[test]
    fn an_answer_never_takes_more_than_was_asked_for() {
        let line = "let total = rows.iter().map(|row| row.price * row.count).sum();";
        let blocks: Vec<Passage> =
            (0..40).map(|n| block(&format!("{n}: src/a file.rs:12-30"), &[line; 30])).collect();
        for max in [0, 100, 101, 150, 400, 1_000, 5_000, 100_000] {
            for blocks in [&blocks[..], &blocks[..1], &[], &[block(&"é".repeat(9_000), &[])]] {
                let text = fitted("a title", blocks, Some(max));
                assert!(n_tokens(&text) <= max.max(MIN_TOKENS), "{max}: {}", n_tokens(&text));
            }
        }
    }

    #[test]
    fn all_places_come_before_any_code() {
        let text =
            fitted("found", &[block("a:1", &["code"; 500]), block("b:2", &["code"])], Some(150));
        assert!(text.starts_with("found\n\na:1\ncode\ncode") && text.contains("\n\nb:2"), "{text}");
        assert!(text.ends_with("do not fit; raise max_tokens to see them"), "{text}");
        assert_eq!(fitted("found", &[block("a:1", &["x"])], Some(1_000)), "found\n\na:1\nx");
    }

    #[test]
    fn folders_and_passwords_stay_at_home() {
        let root = Path::new("/srv/checkouts/shop");
        let text = "cannot read `/srv/checkouts/shop/a.toml` from https://me:token@example.invalid/x in /srv/checkouts/shop";
        let clean = "cannot read `a.toml` from https://example.invalid/x in .";
        assert_eq!(cleaned(text, root), clean);
    }
}
