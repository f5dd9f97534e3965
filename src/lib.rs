//! Secondhand tells you when new code isn't new.
//!
//! It looks at what a change adds to a repository, finds where that code already
//! exists, and reports it on the added lines.
//!
//! ```text
//! blob -> token -> k-gram -> fingerprint -> posting -> seed -> chain -> clone pair -> clone class -> finding -> report
//! ```
//!
//! This page is the map. A module uses only those above it, which `tests/it/layers.rs`
//! checks. The core takes values and returns values: it knows no git, no files, no
//! clock and no output.
//!
//! # How the core fits together
//!
//! The program is what is published: no module is kept as it is for the sake of other crates.
//! Whoever builds on it runs the program and reads [one of its
//! formats](https://github.com/secondhand-audit/secondhand/blob/main/docs/stability.md), which are
//! kept, or speaks to its servers.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use secondhand::fingerprint::Params;
//! use secondhand::index::{Index, Posting};
//! use secondhand::language::Languages;
//! use secondhand::text::FilePath;
//!
//! // Reads source into tokens: names and layout do not count.
//! let languages = Languages::builtin();
//! let tokens = |name: &str, text: &str| {
//!     let language = languages.identify(&FilePath::new(name.as_bytes()), text.as_bytes()).unwrap();
//!     let mut tokens = Vec::new();
//!     languages.tokenize(language, text.as_bytes(), false, &mut tokens);
//!     tokens
//! };
//! let known = tokens("known.c", "int sum(int *a, int n) { int s = 0; while (n--) s += a[n]; return s; }");
//! let asked = tokens("asked.c", "int total(int *rows, int k)\n{\n  int t = 0;\n  while (k--) t += rows[k];\n  return t;\n}");
//!
//! // Winnows them: every match of 12 tokens is found, and none of fewer than 8.
//! let params = Params::new(NonZeroUsize::new(8).unwrap(), NonZeroUsize::new(12).unwrap()).unwrap();
//! let mut scratch = Vec::new();
//! let index = Index::new(params.fingerprints(&known, &mut scratch).map(|print| {
//!     (print.hash, Posting { document: 0, position: print.position })
//! }));
//! let mut scratch = Vec::new();
//! assert!(params.fingerprints(&asked, &mut scratch).all(|print| index.postings(print.hash).len() > 0));
//! ```

// The core.

// Locates bytes in text: lines, columns, paths. Writes numbers of things, and unpacks texts that
// the program carries.
pub mod text;

// Reads source into tokens, using the tables of `config/languages`.
pub mod language;

// Turns tokens into fingerprints: k-grams, winnowed.
pub mod fingerprint;

// Finds where fingerprints occur.
pub mod index;

// Finds clones: seeds, chains, alignments, classes; and what is novel in a change.
pub mod matching;

// Identifies licenses and classifies them.
pub mod license;

// Defines what clones mean: rules, levels, findings.
pub mod policy;

// The shell.

// Defines a file that can be read: its path, where its bytes are; and opens those of the file
// system.
#[doc(hidden)]
pub mod files;

// Reads settings.
pub mod config;

// Reads repositories.
#[doc(hidden)]
pub mod git;

// Reads the code of others: folders, archives, packages, other repositories.
#[doc(hidden)]
pub mod sources;

// Stores fingerprints: in segment files, checked and mapped into memory; corpora in databases and
// object stores too.
#[doc(hidden)]
pub mod store;

// Finds out what a change is, and whom to believe about what judges it.
pub mod change;

// Runs audits: a change against its tree, its history and corpora; a tree against itself;
// submissions against others.
pub mod audit;

// Writes findings, one file for each format.
pub mod report;

// Reads the command line and exits with a status.
#[doc(hidden)]
pub mod cli;
