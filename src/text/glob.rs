//! Matches paths and names with patterns.

/// Maximum characters of a pattern.
const MAX_PATTERN: usize = 1_000;

/// Whether `path` matches `pattern`: `*` matches any text, `?` any byte, and `\` escapes the next
/// character.
///
/// With `is_literal_separator`, `*` stops at a `/`, `**` does not, and `?` matches only itself.
///
/// Time O(pattern * path): one row of a table for each pattern character, no backtracking.
pub fn glob_matches(pattern: &[u8], path: &[u8], is_literal_separator: bool) -> bool {
    let pattern = pattern.strip_prefix(b"./").unwrap_or(pattern);
    if pattern.len() > MAX_PATTERN {
        return false;
    }
    // reached[n]: the pattern up to here matches the first n bytes of the path.
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    let mut at = 0;
    while at < pattern.len() {
        let mut next = vec![false; path.len() + 1];
        let (n_bytes, step) = match &pattern[at..] {
            [b'*', b'*', ..] => (2, PatternPart::Any),
            [b'*', ..] => {
                (1, if is_literal_separator { PatternPart::InFolder } else { PatternPart::Any })
            }
            [b'?', ..] if !is_literal_separator => (1, PatternPart::One),
            [b'\\', byte, ..] => (2, PatternPart::Byte(*byte)),
            [byte, ..] => (1, PatternPart::Byte(*byte)),
            [] => break,
        };
        let mut is_open = false;
        for n in 0..=path.len() {
            match step {
                PatternPart::Any | PatternPart::InFolder => {
                    is_open |= reached[n];
                    next[n] = is_open;
                    if matches!(step, PatternPart::InFolder) && path.get(n) == Some(&b'/') {
                        is_open = false;
                    }
                }
                PatternPart::One => next[n] = n > 0 && reached[n - 1],
                PatternPart::Byte(byte) => next[n] = n > 0 && reached[n - 1] && path[n - 1] == byte,
            }
        }
        reached = next;
        at += n_bytes;
    }
    reached[path.len()]
}

/// What a part of a pattern matches.
#[derive(Clone, Copy)]
enum PatternPart {
    /// Any bytes, or none.
    Any,
    /// The same, up to a `/`.
    InFolder,
    /// One byte.
    One,
    /// This byte.
    Byte(u8),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_their_format_says() {
        assert!(glob_matches(b"src/*.c", b"src/a.c", true));
        assert!(!glob_matches(b"src/*.c", b"src/x/a.c", true));
        assert!(glob_matches(b"src/*.c", b"src/x/a.c", false));
        assert!(glob_matches(b"**", b"src/x/a.c", true));
        assert!(glob_matches(b"src/**/a.c", b"src/x/y/a.c", true));
        assert!(glob_matches(b"a\\*", b"a*", true));
        assert!(!glob_matches(b"a\\*", b"ab", true));
        assert!(glob_matches(b"a?c", b"abc", false));
    }
}
