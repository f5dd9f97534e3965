//! Matches paths and names with patterns.

const MAX_PATTERN: usize = 1_000;

/// Whether `path` matches `pattern`: `*` matches any text, `?` any byte, and `\` escapes the next
/// character. With `is_literal_separator`, `*` stops at a `/`, `**` does not, and `?` matches only
/// itself. Time O(pattern * path): one row of a table for each pattern character, no backtracking.
pub fn glob_matches(pattern: &[u8], path: &[u8], is_literal_separator: bool) -> bool {
    let pattern = pattern.strip_prefix(b"./").unwrap_or(pattern);
    if pattern.len() > MAX_PATTERN {
        return false;
    }
    // reached[n]: the pattern up to here matches the first n bytes of the path.
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    let mut rest = pattern;
    loop {
        let (n_bytes, part) = match rest {
            [b'*', b'*', ..] => (2, PatternPart::Many { stops_at_slash: false }),
            [b'*', ..] => (1, PatternPart::Many { stops_at_slash: is_literal_separator }),
            [b'?', ..] if !is_literal_separator => (1, PatternPart::One(None)),
            [b'\\', byte, ..] => (2, PatternPart::One(Some(*byte))),
            [byte, ..] => (1, PatternPart::One(Some(*byte))),
            [] => return reached[path.len()],
        };
        let mut next = vec![false; path.len() + 1];
        let mut is_open = false;
        for n in 0..=path.len() {
            match part {
                PatternPart::Many { stops_at_slash } => {
                    is_open |= reached[n];
                    next[n] = is_open;
                    is_open &= !stops_at_slash || path.get(n) != Some(&b'/');
                }
                PatternPart::One(byte) => {
                    next[n] =
                        n > 0 && reached[n - 1] && byte.is_none_or(|byte| path[n - 1] == byte);
                }
            }
        }
        reached = next;
        rest = &rest[n_bytes..];
    }
}

/// What a part of a pattern matches: any bytes, or one, maybe a given one.
#[derive(Clone, Copy)]
enum PatternPart {
    Many { stops_at_slash: bool },
    One(Option<u8>),
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
