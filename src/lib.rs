//! Secondhand tells you when new code isn't new.
//!
//! It looks at what a change adds to a repository, finds where that code already
//! exists, and reports it on the added lines.
//!
//! ```text
//! blob -> token -> k-gram -> fingerprint -> posting -> seed -> chain -> clone pair -> clone class -> finding -> report
//! ```
//!
//! This page is the map. A module uses only those above it, which `tests/layers.rs`
//! checks. The core takes values and returns values: it knows no git, no files, no
//! clock and no output.

// The core.

// Locates bytes in text: lines, columns, paths.
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

// Reads settings.
pub mod config;

// Reads repositories.
pub mod git;

// Reads the code of others: folders, archives, packages, other repositories.
pub mod sources;

// Stores fingerprints on disk: segment files, checked and mapped into memory.
pub mod store;

// Runs audits: a change against its tree, its history and corpora; a tree against itself; submissions against others.
pub mod audit;

// Writes findings, one file for each format.
pub mod report;

// Reads the command line and exits with a status.
pub mod cli;
