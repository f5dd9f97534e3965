//! Finds lines of a commit in its first parent.

use std::collections::HashMap;
use std::path::Path;

use crate::error::Error;
use crate::git::git;
use crate::place::Place;

/// What a commit changed, by the path that a file has in it.
pub struct Before {
    changed: HashMap<String, ChangedFile>,
}

/// How a file came from the parent.
#[derive(Default)]
struct ChangedFile {
    /// Its path in the parent; `None` if it is new.
    path: Option<String>,
    hunks: Vec<Hunk>,
}

/// Lines that were replaced: how many before, and where they are in the commit.
struct Hunk {
    n_before: usize,
    first: usize,
    n_after: usize,
}

impl Before {
    /// Reads the differences of `commit` from its first parent.
    pub fn read(repository: &Path, commit: &str) -> Result<Self, Error> {
        let failed = |why: String| Error::Audit { command: "git diff".to_owned(), why };
        let mut command = git(repository);
        command.args([
            "-c", "core.quotePath=false", "diff", "--no-color", "--no-ext-diff", "--unified=0",
            "-M",
        ]);
        command.args(["--src-prefix=a/", "--dst-prefix=b/", &format!("{commit}^"), commit]);
        let output = command.output().map_err(|why| failed(why.to_string()))?;
        if !output.status.success() {
            return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
        }
        Ok(Self::of(&String::from_utf8_lossy(&output.stdout)))
    }

    fn of(diff: &str) -> Self {
        let mut before = Self { changed: HashMap::new() };
        let (mut from, mut to) = (None, None);
        for line in diff.lines() {
            if line.starts_with("diff --git ") {
                (from, to) = (None, None);
            } else if let Some(path) = line.strip_prefix("rename from ") {
                from = Some(path.to_owned());
            } else if let Some(path) = line.strip_prefix("rename to ") {
                to = Some(path.to_owned());
                before
                    .changed
                    .insert(path.to_owned(), ChangedFile { path: from.clone(), hunks: Vec::new() });
            } else if let (None, Some(path)) = (&to, line.strip_prefix("--- ")) {
                from = path.strip_prefix("a/").map(|path| path.trim_end_matches('\t').to_owned());
            } else if let (None, Some(path)) = (&to, line.strip_prefix("+++ b/")) {
                let path = path.trim_end_matches('\t').to_owned();
                before
                    .changed
                    .insert(path.clone(), ChangedFile { path: from.clone(), hunks: Vec::new() });
                to = Some(path);
            } else if let Some(hunk) = line.strip_prefix("@@ ").and_then(Hunk::read)
                && let Some(changed) = to.as_ref().and_then(|path| before.changed.get_mut(path))
            {
                changed.hunks.push(hunk);
            }
        }
        before
    }

    /// Where the lines of `place` were in the parent, as far as they were there.
    pub fn place(&self, place: &Place) -> Option<Place> {
        let Some(changed) = self.changed.get(&place.path) else { return Some(place.clone()) };
        let path = changed.path.clone()?;
        let lines: Vec<usize> =
            (place.first..=place.last).filter_map(|line| changed.line(line)).collect();
        Some(Place { path, first: *lines.first()?, last: *lines.last()? })
    }
}

impl ChangedFile {
    /// The number that a line had; `None` if it is new.
    fn line(&self, line: usize) -> Option<usize> {
        let mut n_added = 0isize;
        for hunk in self.hunks.iter().take_while(|hunk| hunk.first <= line) {
            if line < hunk.first + hunk.n_after {
                return None;
            }
            n_added += hunk.n_after as isize - hunk.n_before as isize;
        }
        line.checked_add_signed(-n_added)
    }
}

impl Hunk {
    /// Reads `-3,2 +4,0 @@ ...`.
    fn read(header: &str) -> Option<Self> {
        let mut ranges = header.split(' ');
        let mut range = |sign| {
            let range = ranges.next()?.strip_prefix(sign)?;
            // One line has no number.
            let (first, n) = range.split_once(',').unwrap_or((range, "1"));
            Some((first.parse::<usize>().ok()?, n.parse::<usize>().ok()?))
        };
        let ((_, n_before), (first, n_after)) = (range('-')?, range('+')?);
        // Where nothing is left, git names the line before.
        Some(Self { n_before, first: first + usize::from(n_after == 0), n_after })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_where_they_were_and_new_ones_are_not() {
        let before = Before::of(
            "diff --git a/one.c b/one.c\n--- a/one.c\n+++ b/one.c\n@@ -2,0 +3,2 @@ f\n+x\n+y\n@@ -8,3 +11 @@\n-a\n-b\n-c\n+d\n\
             diff --git a/old.c b/new.c\nsimilarity index 100%\nrename from old.c\nrename to new.c\n\
             diff --git a/made.c b/made.c\nnew file mode 100644\n--- /dev/null\n+++ b/made.c\n@@ -0,0 +1 @@\n+z\n\
             diff --git a/cut.c b/cut.c\n--- a/cut.c\n+++ b/cut.c\n@@ -5,2 +4,0 @@\n-a\n-b\n",
        );
        let place = |path: &str, first, last| Place { path: path.to_owned(), first, last };
        let was = |path: &str, first, last| {
            before.place(&place(path, first, last)).map(|was| was.to_string())
        };
        assert_eq!(was("one.c", 1, 2).as_deref(), Some("one.c:1-2"));
        assert_eq!(was("one.c", 3, 4), None);
        assert_eq!(was("one.c", 2, 7).as_deref(), Some("one.c:2-5"));
        assert_eq!(was("one.c", 11, 13).as_deref(), Some("one.c:12-13"));
        assert_eq!(was("new.c", 4, 6).as_deref(), Some("old.c:4-6"));
        assert_eq!(was("made.c", 1, 1), None);
        assert_eq!(was("cut.c", 4, 5).as_deref(), Some("cut.c:4-7"));
        assert_eq!(was("other.c", 4, 5).as_deref(), Some("other.c:4-5"));
    }
}
