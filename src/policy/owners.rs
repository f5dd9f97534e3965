//! Reads CODEOWNERS, as GitHub does, and GitLab with its sections: what is invalid is passed over.

use crate::text::{FilePath, glob_matches};

/// Where code hosts look for the file, the first one counts.
pub const OWNERS_FILES: &[&str] =
    &[".github/CODEOWNERS", ".gitlab/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];

/// Who owns which files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Owners {
    /// The sections; files of the usual kind have one.
    sections: Vec<Vec<OwnedPattern>>,
    /// Whether reports mark copies that cross a border: whose origin none of their owners owns.
    pub marks_borders: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct OwnedPattern {
    /// What a path has to match, in one of these spellings.
    globs: Vec<Vec<u8>>,
    owners: Vec<String>,
}

impl Owners {
    /// Reads a file. Time O(n).
    pub fn parse(text: &str) -> Self {
        let mut sections = vec![Vec::new()];
        let mut defaults: Vec<String> = Vec::new();
        for line in text.lines() {
            let words = words(line);
            let Some((first, rest)) = words.split_first() else { continue };
            if first.trim_start_matches('^').starts_with('[') {
                // The name of a section may have blanks, and a number of approvals may follow.
                let end = line.rfind(']').map_or(line.len(), |end| end + 1);
                defaults = self::words(&line[end..]);
                sections.push(Vec::new());
                continue;
            }
            let owners = if rest.is_empty() { defaults.clone() } else { rest.to_vec() };
            if let Some(section) = sections.last_mut() {
                section.push(OwnedPattern { globs: globs(first), owners });
            }
        }
        Self { sections, marks_borders: false }
    }

    /// The owners of a file: in each section of the last match. Time O(lines * path).
    pub fn of(&self, path: &FilePath) -> Vec<&str> {
        let mut owners = Vec::new();
        for section in &self.sections {
            let matching = section
                .iter()
                .rev()
                .find(|of| of.globs.iter().any(|glob| glob_matches(glob, path.as_bytes(), true)));
            for owner in matching.into_iter().flat_map(|of| &of.owners).map(String::as_str) {
                if !owners.contains(&owner) {
                    owners.push(owner);
                }
            }
        }
        owners
    }

    /// Whether none of the owners of one file owns the other. Files without owners have no border.
    pub fn is_border(&self, a: &FilePath, b: &FilePath) -> bool {
        let (a, b) = (self.of(a), self.of(b));
        !a.is_empty() && !b.is_empty() && !a.iter().any(|owner| b.contains(owner))
    }
}

/// The words of a line up to a comment; `\` keeps a blank or a `#` in a word.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_inside = false;
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '#' if !is_inside => break,
            c if c.is_whitespace() => {
                is_inside = false;
                continue;
            }
            _ => {}
        }
        if !is_inside {
            words.push(String::new());
            is_inside = true;
        }
        let escaped = if c == '\\' { characters.next_if(|c| matches!(c, ' ' | '#')) } else { None };
        words.last_mut().expect("one was begun").push(escaped.unwrap_or(c));
    }
    words
}

/// The spellings of a pattern in which `**` matches any text and `*` stops at a slash.
fn globs(pattern: &str) -> Vec<Vec<u8>> {
    let is_folder = pattern.ends_with('/');
    let trimmed = pattern.trim_end_matches('/');
    // A slash at the start or inside ties it to the root.
    let is_anchored = trimmed.contains('/');
    let name = trimmed.trim_start_matches('/');
    let mut spellings = vec![name.to_owned()];
    if !is_anchored {
        spellings.push(format!("**/{name}"));
    }
    // `**/` also matches no folder at all.
    for at in 0..spellings.len() {
        let rest = spellings[at].strip_prefix("**/").filter(|_| is_anchored).map(str::to_owned);
        spellings.extend(rest);
        if spellings[at].contains("/**/") {
            spellings.push(spellings[at].replace("/**/", "/"));
        }
    }
    // Everything in a folder belongs to its owner, but `docs/*` means the files of `docs` alone.
    let reaches_in = !name.ends_with("/*");
    let whole = spellings.iter().filter(|_| !is_folder).cloned();
    let inside = spellings.iter().filter(|_| reaches_in).map(|spelling| format!("{spelling}/**"));
    whole.chain(inside).map(String::into_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, path: &str, owners: &[&str]) {
        assert_eq!(Owners::parse(text).of(&FilePath::new(path)), owners, "{path}");
    }

    /// The examples of GitHub's documentation.
    const GITHUB: &str = "\
# a comment
*       @global-owner1 @global-owner2
*.js    @js-owner #an inline comment
*.go docs@example.com
/build/logs/ @doctocat
docs/*  docs2@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octocat
/apps/github
";

    #[test]
    fn the_last_line_that_matches_counts() {
        check(GITHUB, "README", &["@global-owner1", "@global-owner2"]);
        check(GITHUB, "a/b.js", &["@js-owner"]);
        check(GITHUB, "build/logs/x", &["@octocat"]);
        check(GITHUB, "x/build/y.go", &["docs@example.com"]);
        check(GITHUB, "deep/apps/x/y", &["@octocat"]);
        check(GITHUB, "docs/a/b", &["@doctocat"]);
        check(GITHUB, "scripts/run", &["@doctocat", "@octocat"]);
        check(GITHUB, "deep/scripts/run", &["@global-owner1", "@global-owner2"]);
        check(GITHUB, "logs", &["@octocat"]);
        check(GITHUB, "apps/github/a", &[]);
        check("docs/* @a", "docs/x", &["@a"]);
        check("docs/* @a", "docs/x/y", &[]);
        check("/a/**/b @a", "a/b", &["@a"]);
        check("/a/**/b @a", "a/x/y/b/c", &["@a"]);
        check("with\\ blank/ @a", "with blank/x", &["@a"]);
    }

    #[test]
    fn sections_add_up_and_have_defaults() {
        let gitlab = "* @all\n^[Data Base][2] @dba\nmodel/\n*.sql @sql\n[Docs]\n*.md @docs\n";
        check(gitlab, "model/a.c", &["@all", "@dba"]);
        check(gitlab, "model/a.sql", &["@all", "@sql"]);
        check(gitlab, "a.md", &["@all", "@docs"]);
    }
}
