//! Tells which builds have a part of a file: of two parts that no build has both, neither is a copy
//! to get rid of.
//!
//! ```text
//! //go:build !nomsgpack        the file, in builds without this tag
//! #if A / #elif B / #else      of the branches of a conditional, a build has one
//! #[cfg(windows)]              the item below, on this platform
//! ae_epoll.c  ae_kqueue.c      names that differ in the platform alone
//! ```

use std::cmp::Reverse;
use std::iter::successors;
use std::ops::Range;

use crate::text::{FilePath, Lines};

/// Words that name a platform, or what only some have: of two of them, a build has one.
const PLATFORMS: &[&[u8]] = &[
    b"aix", b"amd64", b"android", b"apple", b"arm", b"arm64", b"avx2", b"avx512", b"darwin",
    b"dragonfly", b"epoll", b"evport", b"freebsd", b"ios", b"iocp", b"kqueue", b"linux", b"macos",
    b"mips", b"neon", b"netbsd", b"openbsd", b"poll", b"posix", b"ppc64", b"riscv64", b"select",
    b"solaris", b"sse2", b"unix", b"wasi", b"wasm", b"win32", b"windows", b"x86",
];
/// Words that name a family of platforms, which all others may belong to but that of Windows.
const FAMILIES: &[&str] = &["posix", "unix"];
const WINDOWS: &[&str] = &["win32", "windows"];

const WHOLE: Range<u32> = 1..u32::MAX;

/// The conditions on builds in a file.
#[derive(Debug, Clone, Default)]
pub struct Builds {
    path: FilePath,
    /// By their first lines; of those of one line, the longest first.
    conditions: Vec<Condition>,
    /// For each, the nearest one before that goes on beyond its first line.
    around: Vec<Option<usize>>,
}

/// What is true of the builds that have these lines.
#[derive(Debug, Clone)]
struct Condition {
    lines: Range<u32>,
    when: When,
}

#[derive(Debug, Clone, PartialEq)]
enum When {
    Set(String, bool),
    /// The conditional that begins on this line takes this branch.
    Branch(u32, u32),
}

impl Builds {
    /// Reads those of the file `path`. Time O(n).
    pub fn new(path: &FilePath, text: &[u8]) -> Self {
        let lines = Lines::new(text);
        let mut conditions = Vec::new();
        let mut open: Vec<(u32, u32, u32)> = Vec::new();
        for line in 1..=lines.n_lines() {
            let whole = lines.text(text, line);
            let words = whole.trim_ascii_start();
            if let Some(tags) = words.strip_prefix(b"//go:build ") {
                conditions.extend(terms(tags, "&&").map(|when| Condition { lines: WHOLE, when }));
            } else if let Some(attribute) = words.strip_prefix(b"#[cfg(") {
                let end = end_of_item(text, &lines, line, whole.len() - words.len());
                let inner = attribute.trim_ascii_end().strip_suffix(b")]").unwrap_or_default();
                let all = inner.strip_prefix(b"all(").and_then(|all| all.strip_suffix(b")"));
                let terms = terms(all.unwrap_or(inner), ",");
                conditions.extend(terms.map(|when| Condition { lines: line..end, when }));
            } else if let Some(directive) = words.strip_prefix(b"#").map(<[u8]>::trim_ascii_start) {
                let is_end = directive.starts_with(b"endif");
                let is_next = is_end || directive.starts_with(b"el");
                if let Some((conditional, branch, start)) = open.pop_if(|_| is_next) {
                    let when = When::Branch(conditional, branch);
                    conditions.push(Condition { lines: start..line, when });
                    open.extend((!is_end).then_some((conditional, branch + 1, line)));
                } else if directive.starts_with(b"if") {
                    open.push((line, 0, line));
                }
            }
        }
        conditions.sort_by_key(|Condition { lines, .. }| (lines.start, Reverse(lines.end)));
        let mut open: Vec<usize> = Vec::new();
        let around = conditions.iter().enumerate().map(|(at, of)| {
            while open.pop_if(|before| conditions[*before].lines.end <= of.lines.start).is_some() {}
            let around = open.last().copied();
            open.push(at);
            around
        });
        let around = around.collect();
        Self { path: path.clone(), conditions, around }
    }

    /// Whether no build has both these lines and those of `other`. Time O(log n + d²) for n
    /// conditions that are nested d deep.
    pub fn exclude(&self, lines: &Range<u32>, other: &Self, of_other: &Range<u32>) -> bool {
        let is_same_file = self.path == other.path;
        self.of(lines).any(|when| other.of(of_other).any(|of| when.excludes(of, is_same_file)))
            || self.is_tagged_beside(other)
            || differ_in_platform(self.path.as_bytes(), other.path.as_bytes())
    }

    /// Whether both are files of one folder for different tags: no build has what both declare.
    fn is_tagged_beside(&self, other: &Self) -> bool {
        let [own, others] = [self, other].map(|of| {
            let tags = of.conditions.iter().take_while(|condition| condition.lines == WHOLE);
            tags.map(|condition| &condition.when).collect::<Vec<_>>()
        });
        let is_beside = self.path != other.path && self.path.folder() == other.path.folder();
        is_beside && !own.is_empty() && !others.is_empty() && own != others
    }

    /// The conditions on most of some lines: a copy may take a directive with it.
    fn of(&self, lines: &Range<u32>) -> impl Iterator<Item = &When> {
        let (start, end) = (lines.start, lines.end);
        // What is on most of them is on the one in the middle.
        let middle = start + end.saturating_sub(start) / 2;
        let last = self.conditions.partition_point(|condition| condition.lines.start <= middle);
        let near = successors(last.checked_sub(1), |&at| self.around[at]);
        let on_most =
            near.map(|at| &self.conditions[at]).filter(move |Condition { lines, .. }| {
                2 * lines.end.min(end).saturating_sub(lines.start.max(start)) > end - start
            });
        on_most.map(|condition| &condition.when)
    }
}

impl When {
    fn excludes(&self, other: &Self, is_same_file: bool) -> bool {
        match (self, other) {
            (Self::Set(name, is_set), Self::Set(of, is)) if name == of => is_set != is,
            (Self::Set(name, true), Self::Set(of, true)) => are_apart(name, of),
            (Self::Branch(conditional, branch), Self::Branch(of, is)) => {
                is_same_file && conditional == of && branch != is
            }
            _ => false,
        }
    }
}

/// Whether no platform has both of two names.
fn are_apart(a: &str, b: &str) -> bool {
    let are_platforms = [a, b].iter().all(|name| PLATFORMS.contains(&name.as_bytes()));
    let is_family = FAMILIES.contains(&a) || FAMILIES.contains(&b);
    let is_windows = WINDOWS.contains(&a) != WINDOWS.contains(&b);
    a != b && are_platforms && (!is_family || is_windows)
}

/// The terms of a condition that all have to hold and are simple: `linux`, `!cgo`, `not(unix)`,
/// `target_os = "linux"`; none where one of several is enough.
fn terms<'t>(condition: &'t [u8], and: &'t str) -> impl Iterator<Item = When> + 't {
    let text = std::str::from_utf8(condition).unwrap_or_default();
    let inside = text.find('(').unwrap_or(text.len());
    let text = if text[..inside].contains("||") { "" } else { text };
    let simple = text.split(and).map(str::trim).filter(|term| {
        let is_closed = term.matches('(').count() == term.matches(')').count();
        !term.is_empty() && !term.contains("||") && is_closed && !term.contains("any(")
    });
    simple.map(term)
}

fn term(text: &str) -> When {
    let negated = text
        .strip_prefix('!')
        .or_else(|| text.strip_prefix("not(").and_then(|of| of.strip_suffix(')')));
    let name = negated.unwrap_or(text);
    let name = name.strip_prefix("target_os").map_or(name, |of| of.trim_matches([' ', '=', '"']));
    When::Set(name.to_owned(), negated.is_none())
}

/// The line behind the item below an attribute: that ends with a bracket, or the sign that ends an
/// item on one line, which is indented like it.
fn end_of_item(text: &[u8], lines: &Lines, attribute: u32, indentation: usize) -> u32 {
    let end = (attribute + 1..=lines.n_lines()).find(|&number| {
        let line = lines.text(text, number);
        let words = line.trim_ascii_start();
        let comment = memchr::memmem::find(words, b"//").unwrap_or(words.len());
        let code = words[..comment].trim_ascii_end();
        let is_end = code.starts_with(b"}") || code.ends_with(b"}") || code.ends_with(b";");
        line.len() - words.len() <= indentation && (is_end || code.ends_with(b","))
    });
    end.map_or(u32::MAX, |end| end + 1)
}

/// Whether two paths are the same but for one word, which names a platform in both.
fn differ_in_platform(a: &[u8], b: &[u8]) -> bool {
    let [own, others] =
        [a, b].map(|path| path.split(|byte| !byte.is_ascii_alphanumeric()).collect::<Vec<_>>());
    let mut differing = own.iter().zip(&others).filter(|(a, b)| a != b);
    let (Some((a, b)), None) = (differing.next(), differing.next()) else { return false };
    own.len() == others.len()
        && [a, b].iter().all(|word| PLATFORMS.contains(&&*word.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(
        (path, text, line): (&str, &str, u32),
        (of, other, at): (&str, &str, u32),
        expected: bool,
    ) {
        let builds = |path: &str, text: &str| Builds::new(&FilePath::new(path), text.as_bytes());
        let (own, other) = (builds(path, text), builds(of, other));
        let excludes = own.exclude(&(line..line + 1), &other, &(at..at + 1));
        assert_eq!(excludes, expected, "{own:?} {other:?}");
    }

    #[test]
    fn tags_of_a_file_exclude_their_opposites_and_other_platforms() {
        let file = |tags: &str| format!("//go:build {tags}\n\npackage a\nf()\n");
        let pair = |a: &str, b: &str, expected| {
            check(("a/a.go", &file(a), 4), ("b/b.go", &file(b), 4), expected);
        };
        pair("!nomsgpack", "nomsgpack", true);
        pair("linux && cgo", "windows", true);
        pair("unix", "windows && !cgo", true);
        pair("unix", "linux", false);
        pair("!a", "!b", false);
        pair("a || b", "!a", false);
        pair("!a && !(b && (linux || windows))", "a", true);
        pair("b && (linux || windows)", "!b", true);
        let beside = |a: &str, b: &str, expected| {
            check(("a/a.go", &file(a), 4), ("a/b.go", &file(b), 4), expected);
        };
        beside("sonic", "jsoniter", true);
        beside("cgo", "cgo", false);
    }

    #[test]
    fn a_build_has_one_branch_of_a_conditional() {
        let text =
            "#if A\nf();\n#elif B\ng();\n# else\nh();\n#endif\ni();\n#ifdef A\nj();\n#endif\n";
        let pair = |a, b, expected| check(("a.c", text, a), ("a.c", text, b), expected);
        pair(2, 4, true);
        pair(4, 6, true);
        pair(2, 8, false);
        pair(2, 10, false);
        check(("a.c", text, 2), ("b.c", text, 4), false);
    }

    #[test]
    fn each_condition_on_most_of_some_lines_is_found() {
        let text = "#ifndef A\n#if B\nf();\n#[cfg(unix)]\nfn f() {\n    a();\n#else\n}\n#endif\n\
                    #[cfg(c)]\n#[cfg(d)]\nfn g() {\n    a();\n}\n#endif\n#[cfg(e)]\nfn h() {}\n";
        let builds = Builds::new(&FilePath::new("a.rs"), text.as_bytes());
        for (start, end) in (1..19).flat_map(|start| (start + 1..20).map(move |end| (start, end))) {
            let mut all = Vec::from_iter(builds.conditions.iter().filter(|of| {
                let n_shared = (start..end).filter(|line| of.lines.contains(line)).count();
                2 * n_shared > (start..end).len()
            }));
            all.reverse();
            let all = all.into_iter().map(|of| &of.when);
            assert!(builds.of(&(start..end)).eq(all), "{start}..{end} {builds:?}");
        }
    }

    #[test]
    fn an_attribute_is_about_the_item_below_it() {
        let text = "#[cfg(unix)]\nfn f() {\n    a();\n}\n#[cfg(not(unix))]\nfn f() {\n    a();\n}\nfn g() {\n    a();\n}\n";
        check(("a.rs", text, 3), ("a.rs", text, 7), true);
        check(("a.rs", text, 3), ("a.rs", text, 10), false);
        let text = "#[cfg(unix)]\nuse a; // on Unix\n#[cfg(windows)]\nuse b;\nfn f() {\n    a();\n}\nfn g() {\n    a();\n}\n";
        check(("a.rs", text, 2), ("a.rs", text, 4), true);
        check(("a.rs", text, 2), ("a.rs", text, 6), false);
        check(("a.rs", text, 6), ("a.rs", text, 9), false);
        check(("a.rs", text, 4), ("a.rs", text, 6), false);
        let on =
            |os: &str| format!("#[cfg(all(target_os = \"{os}\", test))]\nmod a {{\n    f();\n}}\n");
        check(("a.rs", &on("linux"), 3), ("b.rs", &on("macos"), 3), true);
        check(("a.rs", &on("linux"), 3), ("b.rs", &on("linux"), 3), false);
    }

    #[test]
    fn names_that_differ_in_the_platform_alone_never_meet() {
        let pair = |a, b, expected| check((a, "", 1), (b, "", 1), expected);
        pair("src/ae_epoll.c", "src/ae_kqueue.c", true);
        pair("sys/unix/file.rs", "sys/windows/file.rs", true);
        pair("sys/unix/file.rs", "sys/windows/path.rs", false);
        pair("src/linux.c", "src/lines.c", false);
    }
}
