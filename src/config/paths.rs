//! Decides by path which files are ignored, which are test code, and which are third-party code.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, RwLock};

use foldhash::HashMap;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::ConfigError;
use crate::text::FilePath;

/// Files that are repetitive by nature or not written by people.
pub(super) const IGNORED: &[&str] = &[
    "*.lock", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "go.sum", "Gopkg.lock",
    "packages.lock.json", "*.min.js", "*.min.mjs", "*.min.css", "*.bundle.js", "*.map", "*.snap",
    "*.svg",
];

/// Folders that package managers fill with third-party code. Rarely found in a repository, and
/// never part of a component of a corpus: no project has one of these names.
const INSTALLED: &[&str] = &[
    "node_modules", "bower_components", "jspm_packages", ".yarn", "site-packages", "dist-packages",
    "__pypackages__", "__pycache__", ".venv", "venv", ".virtualenv", ".tox", ".nox", ".eggs",
    ".bundle", ".dart_tool", "elm-stuff", "lua_modules", "nimbledeps", "_opam", ".terraform",
    ".zig-cache",
];

/// Folders in which repositories keep third-party code. `build` and `target` are not among them,
/// nor among [`BUILT`]: people often write the code in there (all of Bazel is below a folder
/// `build`).
const VENDORED: &[&str] = &[
    "vendor", "vendors", "vendored", "_vendor", "third_party", "third-party", "thirdparty",
    "ThirdParty", "3rdparty", "3rd_party", "3rd-party", "extern", "external", "externals", "deps",
    "Carthage", "Godeps", "Pods",
];

/// Those with what was built, from code of the repository as a rule.
const BUILT: &[&str] = &["dist", "blib", "single_include", "single-include", "amalgamation"];

/// Languages whose folders are packages, in the layout of their build tools:
/// `src/main/java/org/acme/vendor` is code about vendors.
const PACKAGED: &[&str] = &["java", "kotlin", "scala", "groovy"];

/// A folder of third-party code, recognized by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foreign<'p> {
    /// The folder, relative to the root of the repository.
    pub folder: &'p [u8],
    /// Whether a package manager fills it.
    pub is_installed: bool,
    /// Whether a build does.
    pub is_built: bool,
}

impl<'p> Foreign<'p> {
    /// The outermost folder above `path` whose name marks it as third-party code. Time O(n).
    pub fn above(path: &'p FilePath) -> Option<Self> {
        let bytes = path.as_bytes();
        let mut above: [&[u8]; 2] = [b"", b""];
        let mut start = 0;
        for end in memchr::memchr_iter(b'/', bytes) {
            let name = &bytes[start..end];
            let is_of = |names: &[&str]| names.iter().any(|known| known.as_bytes() == name);
            if is_of(PACKAGED) && above[0] == b"src" {
                return None;
            }
            let (is_installed, is_built) = (is_of(INSTALLED), is_of(BUILT));
            if is_installed || is_built || is_of(VENDORED) {
                return Some(Self { folder: &bytes[..end], is_installed, is_built });
            }
            above = [above[1], name];
            start = end + 1;
        }
        None
    }
}

/// Where test code is by convention.
pub(super) const TESTS: &[&str] = &[
    "test/", "tests/", "Test/", "Tests/", "*Test/", "*Tests/", "*.Test/", "testing/", "__tests__/",
    "__mocks__/", "__fixtures__/", "__snapshots__/", "spec/", "specs/", "testdata/", "test-data/",
    "test_data/", "testdir/", "testsuite/", "testsuites/", "regress/", "fuzz/", "testcases/",
    "testFixtures/", "test-fixtures/", "test_fixtures/", "fixtures/", "unittest/", "unittests/",
    "*-tests/", "*_tests/", "integration_test/", "integrationTest/", "e2e/", "*-e2e/", "e2e-*/",
    "cypress/", "playwright/", "t/", "test.*", "tests.*", "*_test.*", "*_tests.*", "*-test.*",
    "*-tests.*", "*.test.*", "*.tests.*", "*.spec.*", "*_spec.*", "*-spec.*", "*.e2e.*",
    "*_unittest.*", "test_*.*", "test-*.*", "tests_*.*", "Test[A-Z]*.*", "*Test.*", "*Tests.*",
    "*TestCase.*", "*Spec.*", "*Specs.*", "conftest.py", "jest.*", "vitest.*", "setupTests.*",
];

/// Where examples, demos and benchmarks are by convention.
pub(super) const EXAMPLES: &[&str] = &[
    "example/", "examples/", "Example/", "sample/", "samples/", "_examples/", "*-examples/",
    "*Examples/", "Sample/", "*Samples/", "*Samples.*/", "demo/", "demos/", "Demo/", "tutorial/",
    "tutorials/", "playground/", "playgrounds/", "*.docc/", "bench/", "benches/", "benchmark/",
    "benchmarks/", "Benchmark/", "Benchmarks/", "*.Benchmarks/", "*-bench/", "*-benchmark/",
    "*-benchmarks/", "jmh/", "example.*", "example_*.*", "*_example.*", "*_example_test.*",
    "*-example.*", "*.example.*", "demo.*", "*_demo.*", "*-demo.*", "*.stories.*", "bench_*.*",
    "*_bench.*", "*.bench.*", "*-bench.*", "*_benchmark.*", "*-benchmark.*", "*.benchmark.*",
    "*Benchmark.*", "*Benchmarks.*",
];

/// Files that set up builds, in languages that compute elsewhere.
pub(super) const BUILDS: &[&str] = &[
    "*.config.js", "*.config.cjs", "*.config.mjs", "*.config.ts", "webpack.*.js", "gulpfile.*",
    "Gruntfile.*", "Package.swift", "Package@swift-*.swift", "build.sbt", "setup.py", "noxfile.py",
    "Gemfile", "*.gemspec", "Podfile", "Fastfile", "mix.exs", "project.clj", "wscript",
    "SConstruct", "SConscript", "premake*.lua", "xmake.lua",
];

/// Steps of a database schema, and texts of programs. Texts are by language: `lang/go.rs` may be
/// about a programming language, `lang/de/` is not.
pub(super) const DATA: &[&str] = &[
    "**/{migrations,Migrations}/[0-9]*",
    "**/migrations/Version[0-9]*.php",
    "**/{migrations,alembic}/versions/*.py",
    "**/db/migrate/[0-9]*",
    "**/db/migration/V[0-9]*",
    "**/{locale,locales,i18n,l10n,translations}/[a-z][a-z].*",
    "**/{locale,locales,i18n,l10n,translations}/[a-z][a-z][a-z].*",
    "**/{locale,locales,i18n,l10n,translations}/[a-z][a-z][-_][A-Za-z]*.*",
    "**/{locale,locales,i18n,l10n,translations,lang}/[a-z][a-z]/**",
    "**/{locale,locales,i18n,l10n,translations,lang}/[a-z][a-z][-_][A-Z]*/**",
    "**/lang/[a-z][a-z][-_][A-Z][A-Z].*",
];

/// Rules for paths in .gitignore syntax; a later rule overrides an earlier one.
#[derive(Debug, Clone)]
pub struct PathRules {
    builtin: &'static [&'static str],
    /// Some rules each, since too many do not fit into one; those of built-in rules alone are made
    /// when a path asks for them.
    matchers: OnceLock<Vec<Gitignore>>,
    /// How the paths begin and end that they match: most need no matcher.
    outlines: Vec<Outline>,
    /// What they say about folders: most files are in one with others.
    folders: Arc<RwLock<HashMap<Box<str>, Ruling>>>,
}

/// Maximum rules in one matcher.
const RULES_AT_ONCE: usize = 1_000;
/// Maximum rules: each is asked about every file.
const MAX_RULES: usize = 50_000;

/// What the rules say about a file, or about a folder above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruling {
    /// A rule matches it.
    Matched {
        /// Whether the rule is a built-in one.
        is_builtin: bool,
    },
    /// A rule that begins with `!` excludes it.
    Excepted,
    /// No rule matches it.
    None,
}

/// The source of built-in rules, as the matcher records it.
const BUILTIN: &str = "built-in";

impl PathRules {
    /// Built-in rules.
    pub(super) fn builtin(rules: &'static [&'static str]) -> Self {
        Self {
            builtin: rules,
            matchers: OnceLock::new(),
            outlines: outlines(rules, &[]),
            folders: Arc::default(),
        }
    }

    /// The built-in rules, then a user's.
    pub(super) fn new(builtin: &'static [&'static str], user: &[String]) -> Result<Self, String> {
        if user.is_empty() {
            return Ok(Self::builtin(builtin));
        }
        if user.len() > MAX_RULES {
            return Err(format!("it has {} rules, and {MAX_RULES} are the maximum", user.len()));
        }
        Ok(Self {
            builtin,
            matchers: matchers(builtin, user)?.into(),
            outlines: outlines(builtin, user),
            folders: Arc::default(),
        })
    }

    /// The rules of the option `key` of `origin`, after the built-in ones.
    pub(super) fn of_option(
        key: &str,
        builtin: &'static [&'static str],
        user: &[String],
        origin: &str,
    ) -> Result<Self, ConfigError> {
        Self::new(builtin, user).map_err(|why| ConfigError::value(origin, key, why))
    }

    /// Whether a rule matches this file or a folder above it, and none excepts it.
    pub fn contains(&self, path: &FilePath) -> bool {
        matches!(self.ruling(path), Ruling::Matched { .. })
    }

    /// What the rules say about this file, or about the nearest folder above it that one matches.
    pub fn ruling(&self, path: &FilePath) -> Ruling {
        let path = path.to_string_lossy();
        self.of_path(&path, false).unwrap_or_else(|| self.above(&path))
    }

    fn above(&self, path: &str) -> Ruling {
        let Some(folder) = parent(path) else { return Ruling::None };
        let known = self.folders.read().ok().and_then(|folders| folders.get(folder).copied());
        if let Some(known) = known {
            return known;
        }
        let ruling = std::iter::successors(Some(folder), |folder| parent(folder))
            .find_map(|folder| self.of_path(folder, true))
            .unwrap_or(Ruling::None);
        if let Ok(mut folders) = self.folders.write() {
            folders.insert(folder.into(), ruling);
        }
        ruling
    }

    /// What the last of the rules says that matches `path` itself.
    fn of_path(&self, path: &str, is_folder: bool) -> Option<Ruling> {
        if !self.outlines.iter().any(|outline| outline.fits(path, is_folder)) {
            return None;
        }
        let matchers = self
            .matchers
            .get_or_init(|| matchers(self.builtin, &[]).expect("tests compile the built-in rules"));
        matchers.iter().rev().find_map(|matcher| {
            match matcher.matched(Path::new(path), is_folder) {
                Match::Ignore(glob) => Some(Ruling::Matched { is_builtin: glob.from().is_some() }),
                Match::Whitelist(_) => Some(Ruling::Excepted),
                Match::None => None,
            }
        })
    }
}

/// The plain text at the ends of each path that a rule matches; none of it, if in doubt.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Outline {
    end: Box<str>,
    start: Box<str>,
    /// Whether it matches no files.
    is_of_folders: bool,
}

/// What stands for other text in a rule.
const WILDCARDS: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];

impl Outline {
    /// That of a rule; `None` of a comment.
    fn new(rule: &str) -> Option<Self> {
        let rule = rule.trim_end();
        if rule.is_empty() || rule.starts_with('#') {
            return None;
        }
        let pattern = rule.strip_prefix('!').unwrap_or(rule);
        let is_of_folders = pattern.ends_with('/');
        let pattern = pattern.strip_suffix('/').unwrap_or(pattern);
        // A rule with a slash begins at the root.
        let from_root = pattern.strip_prefix('/').or(pattern.contains('/').then_some(pattern));
        let start = from_root.and_then(|pattern| pattern.split(WILDCARDS).next());
        let name = pattern.rsplit('/').next().unwrap_or_default();
        let end = name.rsplit(WILDCARDS).next().unwrap_or_default().into();
        Some(Self { end, start: start.unwrap_or_default().into(), is_of_folders })
    }

    fn fits(&self, path: &str, is_folder: bool) -> bool {
        is_folder >= self.is_of_folders
            && path.ends_with(&*self.end)
            && path.starts_with(&*self.start)
    }
}

/// Those of all rules; one that fits each path if the rules are so many that to compare them takes
/// longer than to ask a matcher.
fn outlines(builtin: &[&str], user: &[String]) -> Vec<Outline> {
    if builtin.len() + user.len() > RULES_AT_ONCE {
        return vec![Outline::default()];
    }
    let rules = builtin.iter().copied().chain(user.iter().map(String::as_str));
    let mut outlines: Vec<Outline> = rules.filter_map(Outline::new).collect();
    outlines.sort_unstable();
    outlines.dedup();
    outlines
}

fn matchers(builtin: &[&str], user: &[String]) -> Result<Vec<Gitignore>, String> {
    let builtin = builtin.iter().map(|rule| (Some(BUILTIN.into()), *rule));
    let rules: Vec<_> = builtin.chain(user.iter().map(|rule| (None, rule.as_str()))).collect();
    rules.chunks(RULES_AT_ONCE).map(matcher).collect()
}

fn matcher(rules: &[(Option<PathBuf>, &str)]) -> Result<Gitignore, String> {
    let mut builder = GitignoreBuilder::new("");
    for (from, rule) in rules {
        if !closes_classes(rule) {
            return Err(format!("`{rule}`: nothing closes a `[`; a plain one is written `\\[`"));
        }
        builder.add_line(from.clone(), rule).map_err(|error| format!("`{rule}`: {error}"))?;
    }
    builder.build().map_err(|error| error.to_string())
}

fn parent(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(folder, _)| folder)
}

/// Whether each class of characters in a pattern ends. Git matches nothing with one that does not,
/// the matcher a plain `[`.
fn closes_classes(rule: &str) -> bool {
    let mut characters = rule.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            '[' => {
                let _ = characters.next_if(|next| matches!(next, '!' | '^'));
                // The first character belongs to the class, even a bracket.
                characters.next();
                if !characters.any(|character| character == ']') {
                    return false;
                }
            }
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_users_rule_outweighs_a_built_in_one() {
        let rules = PathRules::new(IGNORED, &["!keep.min.js".into(), "/vendor/".into()])
            .expect("the rules are valid");
        let contains = |path: &str| rules.contains(&FilePath::new(path));
        assert!(contains("a/b.min.js"));
        assert!(!contains("a/keep.min.js"));
        assert!(contains("vendor/x/y.c"));
        assert!(contains("vendor/x/z.c"), "the folder is known by now");
        assert!(
            contains("vendor/x/y.min.js") && !contains("vendor/x/keep.min.js"),
            "the file outweighs its folder"
        );
        assert!(!contains("src/vendor/y.c"));
        let ruling = |path: &str| rules.ruling(&FilePath::new(path));
        assert_eq!(ruling("a/b.min.js"), Ruling::Matched { is_builtin: true });
        assert_eq!(ruling("vendor/x/y.c"), Ruling::Matched { is_builtin: false });
        assert_eq!(ruling("a/keep.min.js"), Ruling::Excepted);
    }

    #[test]
    fn a_file_that_no_rule_outlines_is_matched_by_none() {
        let rules = [
            "*.js", "!*.min.js", "/a.c", "b/a.c", "**/c/a.c", "d/**", "d/", "{a,b}.h", "[ab].h",
            "a.?", "\\!a", "a\\*.c", "c/{a,b/c}", "!/d/a.c", "*/b.c", "# a.c", " ", "a.h  ", "**",
        ];
        let names = ["a.js", "a.min.js", "a.c", "b.c", "a.h", "c.h", "!a", "a*.c", "a", "c"];
        for (at, rule) in rules.iter().enumerate() {
            for also in &rules[at..] {
                let of_both = PathRules::new(&[], &[rule, also].map(|of| (*of).to_owned()))
                    .expect("the rules are valid");
                for folder in ["", "b/", "c/", "d/", "x/c/", "c/b/"] {
                    for (name, is_folder) in names.iter().flat_map(|of| [(of, true), (of, false)]) {
                        let path = format!("{folder}{name}");
                        let mut outlines = of_both.outlines.iter();
                        let is_asked = outlines.any(|of| of.fits(&path, is_folder));
                        let matched = of_both.matchers.get().expect("users' are compiled")[0]
                            .matched(Path::new(&path), is_folder);
                        assert!(is_asked || matched.is_none(), "{rule}, {also}: {path}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_built_in_rules_can_be_read() {
        for builtin in [IGNORED, TESTS, EXAMPLES, BUILDS, DATA] {
            matchers(builtin, &[]).expect("they are valid");
        }
    }

    #[test]
    fn a_rule_that_cannot_be_read_is_an_error() {
        let is_read = |rule: &str| PathRules::new(&[], &[rule.to_owned()]).is_ok();
        for rule in ["a[", "a[]", "[!]x", "{a", "[z-a]", "a\\"] {
            assert!(!is_read(rule), "{rule}");
        }
        for rule in ["[id].ts", "a\\[", "[]]", "[!]]", "", "# a comment", "!a"] {
            assert!(is_read(rule), "{rule}");
        }
    }

    #[test]
    fn the_outermost_folder_of_others_counts() {
        #[track_caller]
        fn check(path: &str, folder: Option<(&str, bool)>) {
            let path = FilePath::new(path);
            let found = Foreign::above(&path);
            let found = found
                .map(|of| (std::str::from_utf8(of.folder).expect("it is UTF-8"), of.is_installed));
            assert_eq!(found, folder);
        }
        check("vendor/a.c", Some(("vendor", false)));
        check("web/third-party/x/node_modules/a.js", Some(("web/third-party", false)));
        check("web/node_modules/x/dist/a.js", Some(("web/node_modules", true)));
        check("src/vendor.c", None);
        check("src/vendored/a.c", Some(("src/vendored", false)));
        check("src/vending/a.c", None);
        check("src/main/java/org/acme/vendor/Vendor.java", None);
        check("lib/third_party/guava/src/main/java/A.java", Some(("lib/third_party", false)));
        check("java/vendor/A.java", Some(("java/vendor", false)));
    }
}
