//! Defines the command line: the commands, and the flags that one of them has alone.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::flags::{
    CommitLimits, Common, CorpusFlags, MinTokens, Output, PastFlags, Reporting, Suppressing, TreeFlags, with_formats,
};
use crate::corpus::kinds;
use crate::report::{COMPARISON_FORMATS, FORMATS, TIMELINE_FORMATS, audit_formats};

/// Tells you when new code isn't new: finds the copies that a change brings into a repository.
#[derive(Debug, Parser)]
#[command(
    name = "secondhand",
    version,
    long_version = LONG_VERSION.as_str(),
    propagate_version = true,
    max_term_width = 100,
    after_help = EXAMPLES
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub common: Common,
}

/// What a cache was written by must be known to tell whether it is of use: the action's keys begin with this.
static LONG_VERSION: LazyLock<String> =
    LazyLock::new(|| format!("{}\nindex format {}", env!("CARGO_PKG_VERSION"), crate::store::FORMAT_VERSION));

const EXAMPLES: &str = "\
Examples:
  secondhand check                      what this branch copies, against the default branch
  secondhand check --staged             what the next commit would copy
  secondhand check --base v1.2 --report sarif=copies.sarif
  secondhand scan --fail-on-percent 5   what is duplicated now

Exit status: 0 nothing at or above --fail-on, 1 findings, 2 the audit could not be done.";

/// What is done with corpora.
#[derive(Debug, Subcommand)]
pub(super) enum CorpusCommand {
    /// Add sources to a corpus, or read what is new of them; makes the corpus when there is none of this name
    Add {
        /// The corpus
        #[arg(value_name = "NAME")]
        corpus: String,
        #[arg(value_name = "SOURCE", required = true, help = format!("What to add: {}", kinds()))]
        sources: Vec<String>,
        #[command(flatten)]
        declared: Declared,
    },
    /// Read what is new of every source
    Update {
        /// The corpus
        #[arg(value_name = "NAME")]
        corpus: String,
    },
    /// List the corpora
    List,
    /// Show the sources and components of a corpus
    Show {
        /// The corpus
        #[arg(value_name = "NAME")]
        corpus: String,
    },
    /// Remove a corpus, or sources of it
    Remove {
        /// The corpus
        #[arg(value_name = "NAME")]
        corpus: String,
        /// The sources to remove; without any the whole corpus goes
        #[arg(value_name = "SOURCE")]
        sources: Vec<String>,
    },
    /// Write a corpus to one file, without source text, and print its digest
    Export {
        /// The corpus
        #[arg(value_name = "NAME")]
        corpus: String,
        /// The file
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Add the sources of an exported file to a corpus
    Import {
        /// The corpus
        #[arg(value_name = "NAME")]
        corpus: String,
        /// The file
        file: PathBuf,
        /// Take it only if this is its SHA-256
        #[arg(long, value_name = "SHA256")]
        digest: Option<String>,
    },
}

/// What is known of a component that is added.
#[derive(Debug, Args)]
pub(super) struct Declared {
    /// The name of the component [default: from the source]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// The version of the component [default: from the source]
    #[arg(long = "component-version", value_name = "VERSION")]
    pub component_version: Option<String>,
    /// The package URL of the component
    #[arg(long, value_name = "PURL")]
    pub purl: Option<String>,
    /// Where the component can be had
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// The license of the component, an SPDX expression
    #[arg(long, value_name = "SPDX")]
    pub license: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Find the copies that a change brings in
    Check(Check),
    /// Find every clone class of a tree, and what share of it is duplicated
    Scan(Scan),
    /// Tell commit by commit which copies came in, from where, and who had written them
    History(History),
    /// Find what of a whole tree stands in corpora, and under which licenses
    Audit(Audit),
    /// Keep the code of known projects at hand, to compare changes with
    #[command(
        subcommand,
        after_help = "Examples:\n  secondhand corpus add oss ~/src/redis pkg:cargo/serde@1.0.200   all history, and a release\n  secondhand corpus add oss corpus.toml                           a list of many\n  secondhand corpus update oss                                    what is new of them\n  secondhand check --corpus oss                                   what a change has of them"
    )]
    Corpus(CorpusCommand),
    /// Set a repository up: write the settings file, a workflow and a hook, as they fit what it has
    Init(Init),
    /// Look after the fingerprints that are kept between runs
    #[command(
        after_help = "Examples:\n  secondhand cache warm             before the first check\n  secondhand cache warm --history   and before the first `check --history`\n  secondhand cache status           where it is, and whether all of it is whole\n  secondhand cache clear            free the space; the next check takes longer"
    )]
    Cache {
        #[command(subcommand)]
        action: Cache,
    },
    /// Record copies that are known, so that they are not reported
    #[command(subcommand)]
    Baseline(Baseline),
    /// Rank files or folders by how much of each is in each other, matches side by side
    Compare(Compare),
    /// Explain a rule, or list all of them
    #[command(
        after_help = "Examples:\n  secondhand explain                 all rules\n  secondhand explain copied-code     one of them"
    )]
    Explain {
        /// The rule: `copied-code`
        rule: Option<String>,
    },
    /// List the languages, or tell how a file is read
    #[command(
        after_help = "Examples:\n  secondhand languages                       all of them\n  secondhand languages --file lib/a.h        which one a file is\n  secondhand languages --tokens lib/a.h      what it is read into"
    )]
    Languages {
        /// Tell which language this file is
        #[arg(long, value_name = "PATH", conflicts_with = "tokens")]
        file: Option<PathBuf>,
        /// Print the tokens of this file
        #[arg(long, value_name = "PATH")]
        tokens: Option<PathBuf>,
    },
    /// Show the settings in use, or list all options
    #[command(
        after_help = "Examples:\n  secondhand config              the settings in use, and where they come from\n  secondhand config --list       every option, explained, with its default\n  secondhand config --schema     the JSON schema, for editors"
    )]
    Config {
        /// List all options with their defaults
        #[arg(long)]
        list: bool,
        /// Print the JSON schema of the settings file
        #[arg(long, conflicts_with = "list")]
        schema: bool,
    },
    /// Print the completions for a shell
    #[command(
        after_help = "Examples:\n  secondhand completions bash > ~/.local/share/bash-completion/completions/secondhand\n  secondhand completions zsh > ~/.zfunc/_secondhand\n  secondhand completions fish > ~/.config/fish/completions/secondhand.fish"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page of the program or of a command
    #[command(
        after_help = "Examples:\n  secondhand man | man -l -              the program\n  secondhand man check | man -l -        a command\n  secondhand man --folder man/man1       all pages, as files"
    )]
    Man {
        /// The command
        command: Option<String>,
        /// Write all pages to this folder instead, a file each
        #[arg(long, value_name = "DIR", conflicts_with = "command")]
        folder: Option<PathBuf>,
    },
}

const CHECK_EXAMPLES: &str = "\
Examples:
  secondhand check                               this branch, against the default branch
  secondhand check --base v1.2 --head v1.3       between two states: their merge base is the base
  secondhand check --staged                      what the next commit would record
  secondhand check --worktree --fail-on never    what you are at; never fails
  secondhand check --report sarif=copies.sarif   a further report, for code scanning";
/// What to do with the cache.
#[derive(Debug, Clone, Subcommand)]
pub(super) enum Cache {
    /// Say where it is, what it holds, and check every byte of it
    Status,
    /// Fill it with the files of a revision, so that the next check is quick
    Warm {
        /// The revision
        #[arg(value_name = "REV", default_value = "HEAD")]
        revision: String,
        #[command(flatten)]
        past: PastFlags,
    },
    /// Remove what no branch, tag or other reference holds in its tree
    Prune,
    /// Remove all of it
    Clear,
}

/// Flags of `check`.
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES, mut_args = with_formats(FORMATS))]
pub(super) struct Check {
    /// What the change starts from: its merge base with the head is taken [default: from CI, else the default branch]
    #[arg(long, value_name = "REV", env = "SECONDHAND_BASE")]
    pub base: Option<String>,
    /// What the change ends with [default: HEAD]
    #[arg(long, value_name = "REV", conflicts_with_all = ["staged", "worktree"])]
    pub head: Option<String>,
    /// Judge the index: what `git commit` would record; in a pre-commit run over a range of commits, that range
    #[arg(long, conflicts_with = "worktree")]
    pub staged: bool,
    /// Judge the work tree, untracked files included
    #[arg(long)]
    pub worktree: bool,
    #[command(flatten)]
    pub past: PastFlags,
    /// Tell when and by whom the origins were written
    #[arg(long)]
    pub blame: bool,
    #[command(flatten)]
    pub corpora: CorpusFlags,
    #[command(flatten)]
    pub min_tokens: MinTokens,
    /// Whose settings, baseline and .gitattributes judge the change
    #[arg(long, value_name = "WHOSE", default_value = "head", env = "SECONDHAND_TRUST")]
    pub trust: Trust,
    #[command(flatten)]
    pub suppressing: Suppressing,
    #[command(flatten)]
    pub output: Output,
}

const SCAN_EXAMPLES: &str = "\
Examples:
  secondhand scan                         the work tree
  secondhand scan src lib                 two folders of it
  secondhand scan --rev v1.2              the tree of a revision
  secondhand scan --fail-on-percent 5     fails when more than 5 % of the lines is duplicated";

/// Flags of `scan`.
#[derive(Debug, Args)]
#[command(after_help = SCAN_EXAMPLES, mut_args = with_formats(FORMATS))]
pub(super) struct Scan {
    /// Folders and files to scan; a folder outside of any repository is read as it is [default: the work tree]
    #[arg(value_name = "PATHS")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub tree: TreeFlags,
    #[command(flatten)]
    pub min_tokens: MinTokens,
    /// Fail when more than this part of the lines is duplicated
    #[arg(long, value_name = "PERCENT")]
    pub fail_on_percent: Option<f64>,
    #[command(flatten)]
    pub suppressing: Suppressing,
    #[command(flatten)]
    pub output: Output,
}

const HISTORY_EXAMPLES: &str = "\
Examples:
  secondhand history                               every commit of this branch
  secondhand history v1.2..v1.3 --first-parent     a release, merge by merge
  secondhand history --since '1 year ago' --report html=copies.html --format csv -o trend.csv
  secondhand history --path billing --origin-outside billing     what billing took from others";

/// Flags of `history`.
#[derive(Debug, Args)]
#[command(after_help = HISTORY_EXAMPLES, mut_args = with_formats(TIMELINE_FORMATS))]
pub(super) struct History {
    /// A revision, or a range `A..B` [default: HEAD]
    #[arg(value_name = "RANGE")]
    pub range: Option<String>,
    /// Follow first parents only: a merge then stands for all it brought in
    #[arg(long)]
    pub first_parent: bool,
    #[command(flatten)]
    pub limits: CommitLimits,
    /// Tell of copies in this folder or file only; may be repeated
    #[arg(long, value_name = "PATH")]
    pub path: Vec<String>,
    /// Judge commits of this author only: a part of a name or an address
    #[arg(long, value_name = "WHO")]
    pub author: Option<String>,
    /// Tell of copies only whose origin is outside of this folder; may be repeated
    #[arg(long, value_name = "PATH")]
    pub origin_outside: Vec<String>,
    #[command(flatten)]
    pub min_tokens: MinTokens,
    #[command(flatten)]
    pub reporting: Reporting,
}

const AUDIT_EXAMPLES: &str = "\
Examples:
  secondhand audit --corpus oss                          the work tree, against a stored corpus
  secondhand audit --rev v1.2 --corpus ~/src/known       a revision, against a folder of projects
  secondhand audit --corpus oss --report spdx=copies.spdx.json --report notice=NOTICE
  secondhand audit --corpus oss --format decisions >> secondhand-decisions.toml";

/// Flags of `audit`.
#[derive(Debug, Args)]
#[command(after_help = AUDIT_EXAMPLES, mut_args = with_formats(audit_formats()))]
pub(super) struct Audit {
    #[command(flatten)]
    pub tree: TreeFlags,
    /// Audit every commit, too, and tell which first brought in what; this reads all history
    #[arg(long)]
    pub history: bool,
    #[command(flatten)]
    pub corpora: CorpusFlags,
    #[command(flatten)]
    pub min_tokens: MinTokens,
    #[command(flatten)]
    pub suppressing: Suppressing,
    #[command(flatten)]
    pub output: Output,
}

const INIT_EXAMPLES: &str = "\
Examples:
  secondhand init                         the settings, every line explained, and what fits this repository
  secondhand init --workflow --hook       a workflow for GitHub and a hook, whether something here asks for them or not";

/// Flags of `init`.
#[derive(Debug, Args)]
#[command(after_help = INIT_EXAMPLES)]
pub(super) struct Init {
    /// Write a workflow that judges pull requests on GitHub, `.github/workflows/secondhand.yml`, even if there is no folder `.github` yet
    #[arg(long)]
    pub workflow: bool,
    /// Add a hook that judges each commit, even if neither pre-commit, prek, lefthook nor husky is used: then as git's own
    #[arg(long)]
    pub hook: bool,
    /// Replace files that are there
    #[arg(long)]
    pub force: bool,
}

const BASELINE_EXAMPLES: &str = "\
Examples:
  secondhand baseline create                   every clone that the work tree has now
  secondhand baseline create --base v1.2       only the copies that came in since v1.2
  secondhand baseline update --prune           take out what is gone, take in nothing";

/// What to do with the baseline.
#[derive(Debug, Subcommand)]
#[command(after_help = BASELINE_EXAMPLES)]
pub(super) enum Baseline {
    /// Write a baseline: of the clones the work tree has, or with `--base` of the copies since then
    Create {
        #[command(flatten)]
        known: Known,
        /// Replace the baseline that is there
        #[arg(long)]
        force: bool,
    },
    /// Renew the baseline: take in what is there now, and take out what is gone
    Update {
        #[command(flatten)]
        known: Known,
        /// Only take out what is gone
        #[arg(long)]
        prune: bool,
    },
    /// List the copies of the baseline by file
    Show,
}

/// Which copies a baseline takes in.
#[derive(Debug, Args)]
pub(super) struct Known {
    /// Take in the copies that came in since this revision, as `check` finds them, instead of all clones that `scan` finds
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
}

/// Whose settings and baseline judge a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Trust {
    /// Those of the head; what the change edits in them is listed
    Head,
    /// Those of the base, and no suppression that the change adds
    Base,
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  secondhand compare old.c new.c                   how alike two files are
  secondhand compare submissions/ --base-code given/ --report html=pairs.html
  secondhand compare team-a team-b --exact         every k-gram, not a winnowed sample";

/// Flags of `compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES, mut_args = with_formats(COMPARISON_FORMATS))]
pub(super) struct Compare {
    /// Files and folders, each a submission; the children of a folder that stands alone
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// Leave out code that was handed out to all; may be repeated
    #[arg(long, value_name = "PATH")]
    pub base_code: Vec<PathBuf>,
    /// Compare every k-gram, not a winnowed sample: exact figures, more memory
    #[arg(long)]
    pub exact: bool,
    #[command(flatten)]
    pub min_tokens: MinTokens,
    /// Pairs to list, the most alike first
    #[arg(long, value_name = "N", default_value_t = 250)]
    pub top: usize,
    /// Fail when at least this part of one submission is in another
    #[arg(long, value_name = "PERCENT")]
    pub fail_on_percent: Option<f64>,
    #[command(flatten)]
    pub reporting: Reporting,
}
