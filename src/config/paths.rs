//! Decides by path: which files are left out, which are test code.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::text::FilePath;

/// Files that repeat by nature or are not written by people.
pub(super) const IGNORED: &[&str] = &[
    "*.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "go.sum",
    "Gopkg.lock",
    "packages.lock.json",
    "*.min.js",
    "*.min.mjs",
    "*.min.css",
    "*.bundle.js",
    "*.map",
    "*.snap",
    "*.svg",
    "node_modules/",
    "bower_components/",
    "__pycache__/",
    ".yarn/",
];

/// Where test code is by custom.
pub(super) const TESTS: &[&str] = &[
    "test/",
    "tests/",
    "testing/",
    "__tests__/",
    "spec/",
    "specs/",
    "testdata/",
    "fixtures/",
    "t/",
    "*_test.*",
    "*_tests.*",
    "*.test.*",
    "*.tests.*",
    "*.spec.*",
    "*_spec.*",
    "test_*.*",
    "*Test.*",
    "*Tests.*",
    "*Spec.*",
    "conftest.py",
];

/// Rules over paths in the syntax of .gitignore; a later rule outweighs an earlier one.
#[derive(Debug)]
pub struct PathRules {
    matcher: Gitignore,
}

impl PathRules {
    /// The built-in rules, then a user's.
    ///
    /// # Errors
    /// The first rule that is not valid, and why.
    pub(super) fn new(builtin: &[&str], user: &[String]) -> Result<Self, String> {
        let mut builder = GitignoreBuilder::new("");
        for rule in builtin.iter().copied().chain(user.iter().map(String::as_str)) {
            builder.add_line(None, rule).map_err(|error| format!("`{rule}`: {error}"))?;
        }
        let matcher = builder.build().map_err(|error| error.to_string())?;
        Ok(Self { matcher })
    }

    /// Whether a rule takes in this file or a folder above it.
    pub fn contains(&self, path: &FilePath) -> bool {
        let path = String::from_utf8_lossy(path.as_bytes());
        self.matcher.matched_path_or_any_parents(Path::new(&*path), false).is_ignore()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_users_rule_outweighs_a_built_in_one() {
        let rules = PathRules::new(IGNORED, &["!keep.min.js".into(), "/vendor/".into()]).expect("the rules are valid");
        let contains = |path: &str| rules.contains(&FilePath::new(path));
        assert!(contains("a/b.min.js"));
        assert!(!contains("a/keep.min.js"));
        assert!(contains("vendor/x/y.c"));
        assert!(!contains("src/vendor/y.c"));
        assert!(contains("web/node_modules/a/index.js"));
    }
}
