//! Defines the command line: the commands, and the flags that only one of them has.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{Args, Parser, Subcommand};

use super::flags::{
    CommitLimits, Common, CorpusFlags, EffortFlag, MinTokens, MissingFlag, Output, PastFlags,
    ReportFlags, SuppressionFlags, TreeFlags, choice, with_formats,
};
use crate::config::{Setting, Trust};
use crate::fingerprint::resemblance::ShingleSampling;
use crate::report::{
    COMPARISON_FORMATS, FIND_FORMATS, FORMATS, ORGANIZATION_FORMATS, RESEMBLANCE_FORMATS,
    TIMELINE_FORMATS, audit_formats, scan_formats, stale_formats,
};
use crate::sources::kinds;

/// Tells you when new code isn't new: finds the copies that a change adds to a repository.
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

/// Includes the index format: the action's cache keys begin with this, since only a cache of the
/// same format is usable.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    format!("{}\nindex format {}", env!("CARGO_PKG_VERSION"), crate::store::FORMAT_VERSION)
});

const EXAMPLES: &str = "\
Examples:
  secondhand check                      copies on this branch, against the default branch
  secondhand check --staged             what the next commit would copy
  secondhand check --base v1.2 --report sarif=copies.sarif
  secondhand scan --fail-on-percent 5   what is duplicated now

Exit status: 0 no findings at or above --fail-on, 1 findings, 2 the audit failed.";

#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Propose ignores and thresholds from what was merged and kept; writes nothing
    #[command(
        after_help = "Examples:\n  secondhand config calibrate                        all of the history\n  secondhand config calibrate --since '1 year ago'    what was merged lately"
    )]
    Calibrate(Calibrate),
}

#[derive(Debug, Args)]
pub(super) struct Calibrate {
    /// A revision, or a range `A..B`, whose merges and commits count [default: HEAD]
    #[arg(value_name = "RANGE")]
    pub range: Option<String>,
    #[command(flatten)]
    pub limits: CommitLimits,
}

#[derive(Debug, Subcommand)]
pub(super) enum CorpusCommand {
    /// Add sources to a corpus, or update them; creates the corpus if needed
    Add {
        /// The corpus
        #[arg(value_name = "NAME")]
        corpus: String,
        #[arg(
            value_name = "SOURCE",
            required_unless_present_any = ["fixes", "list"],
            help = format!("What to add: {}", kinds())
        )]
        sources: Vec<String>,
        /// Add the sources that this file lists: paths and package URLs, with versions and licenses
        #[arg(long, value_name = "FILE", conflicts_with = "fixes")]
        list: Option<String>,
        /// Add the fixes of known vulnerabilities that this lists: OSV records with ranges of the
        /// type GIT, in a JSON file or a folder of them, or a text with `REPOSITORY COMMIT [ID]...`
        /// on each line; each SOURCE is then a clone to read the commits from
        #[arg(long, value_name = "FILE|DIR")]
        fixes: Option<String>,
        #[command(flatten)]
        declared: Declaration,
    },
    /// Update all sources of a corpus
    Update {
        /// The corpus
        #[arg(value_name = "NAME")]
        corpus: String,
    },
    /// List the corpora
    List,
    /// Show the sources and components of a corpus
    Show {
        /// The corpus, or the URL of one
        #[arg(value_name = "NAME|URL")]
        corpus: String,
    },
    /// Put a corpus into a database, or what is new of it, so that many machines search it there
    #[command(hide = true)]
    Load {
        /// The corpus
        #[arg(value_name = "NAME")]
        corpus: String,
        /// The database: `postgres://USER@HOST/DATABASE?schema=NAME`
        #[arg(value_name = "URL")]
        url: String,
        /// Allow this user or role to read the corpus, and nothing else
        #[arg(long, value_name = "ROLE")]
        readers: Option<String>,
    },
    /// Put a corpus into an object store or a folder, or what is new of it, to search it there
    #[command(hide = true)]
    Push {
        /// The corpus
        #[arg(value_name = "NAME")]
        corpus: String,
        /// Where to: `s3://BUCKET/PATH`, `gs:`, `az:`, or `file:DIR`
        #[arg(value_name = "URL")]
        url: String,
    },
    /// Copy a corpus from an object store, a web server or a folder, or what is new of it
    #[command(hide = true)]
    Pull {
        /// Where it is
        #[arg(value_name = "URL")]
        url: String,
        /// What to call it here [default: what it was called]
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
    /// Merge the tables at a URL into one, and free the space of removed and replaced sources
    #[command(hide = true)]
    Compact {
        /// Where the corpus is
        #[arg(value_name = "URL")]
        url: String,
        /// Only sources that were removed at least this many minutes ago, so that nobody still
        /// reads them
        #[arg(long, value_name = "MINUTES", default_value_t = 60)]
        older_than: u64,
    },
    /// Remove a corpus, or sources of it
    Remove {
        /// The corpus, or the URL of one
        #[arg(value_name = "NAME|URL")]
        corpus: String,
        /// The sources to remove; without any, the whole corpus is removed
        #[arg(value_name = "SOURCE")]
        sources: Vec<String>,
    },
    /// Write a corpus to one file, without source text, and print its digest
    Export {
        /// The corpus
        #[arg(value_name = "NAME")]
        corpus: String,
        /// How: one file, or a new folder of Parquet files
        #[arg(long, value_enum, default_value_t = ExportFormat::File)]
        format: ExportFormat,
        /// The file, or the folder
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Write the fingerprints of one source to a new folder of Parquet files, to build a corpus of
    /// many of them elsewhere
    #[command(hide = true)]
    Fingerprint {
        /// What to read, as for `corpus add`
        #[arg(value_name = "SOURCE")]
        source: String,
        /// The folder
        #[arg(short, long, value_name = "DIR")]
        output: PathBuf,
        #[command(flatten)]
        declared: Declaration,
    },
    /// Add the sources of an exported file, or of a folder of Parquet files, to a corpus
    Import {
        /// The corpus
        #[arg(value_name = "NAME")]
        corpus: String,
        /// The file or folder
        file: PathBuf,
        /// Import it only if its SHA-256 is this
        #[arg(long, value_name = "SHA256")]
        digest: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ExportFormat {
    /// One file
    File,
    /// A folder of Parquet files
    Parquet,
}

/// What the user declares about a component.
#[derive(Debug, Clone, Args)]
pub(super) struct Declaration {
    /// The name of the component [default: from the source]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// The version of the component [default: from the source]
    #[arg(long = "component-version", value_name = "VERSION")]
    pub component_version: Option<String>,
    /// The package URL of the component
    #[arg(long, value_name = "PURL", value_parser = parse_purl)]
    pub purl: Option<String>,
    /// Where to get the component
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// The license of the component, an SPDX expression
    #[arg(long, value_name = "SPDX")]
    pub license: Option<String>,
}

#[derive(Debug, Args)]
#[command(mut_args = with_formats(ORGANIZATION_FORMATS), after_help = "\
Examples:
  secondhand audit --corpus org --report json=reports/shop/audit.json   a report of each repository
  secondhand report reports                                             what they say, combined
  secondhand report reports --report html=organization.html             the same as a page")]
pub(super) struct Report {
    /// Folders with JSON reports of check, scan, audit and history, in a subfolder for each
    /// repository (`shop/audit.json`) or with its name (`shop-2026-11-01.json`); a day in a path
    /// makes a trend
    #[arg(value_name = "FOLDER", required = true)]
    pub folders: Vec<PathBuf>,
    #[command(flatten)]
    pub reporting: ReportFlags,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Find the copies that a change adds
    Check(Check),
    /// Find existing code for a sketch of new code, before it is written
    Find(Find),
    /// Find every clone class of a tree, and the percentage of duplicated code
    Scan(Scan),
    /// List the copies that each commit added, with their origins and authors
    History(History),
    /// Find code from known projects in a whole tree, and its licenses
    Audit(Audit),
    /// Find copies that lack later fixes of their origins, and the versions of vendored folders
    Stale(Stale),
    /// Manage corpora: the code of known projects to compare with
    #[command(
        subcommand,
        after_help = "Examples:\n  secondhand corpus add oss ~/src/redis pkg:cargo/serde@1.0.200   all history, and a release\n  secondhand corpus add oss corpus.toml                           a list of sources\n  secondhand corpus update oss                                    what has changed since\n  secondhand check --corpus oss                                   copies from these projects in a change\n\nCorpora that many machines share: `secondhand corpus help` with load, push, pull, compact or fingerprint"
    )]
    Corpus(CorpusCommand),
    /// Set up a repository: write the settings file, and a workflow and a hook where they fit
    Init(Init),
    /// Manage the fingerprint cache
    #[command(
        after_help = "Examples:\n  secondhand cache warm             before the first check\n  secondhand cache warm --history   before the first `check --history`\n  secondhand cache status           its location, and whether it is intact\n  secondhand cache clear            free the space; the next check is slower"
    )]
    Cache {
        #[command(subcommand)]
        action: Cache,
    },
    /// Record known copies, so that they are not reported
    #[command(subcommand)]
    Baseline(Baseline),
    /// Rank files or folders by how much code they share, with matches side by side
    Compare(Compare),
    /// Measure how much documents resemble and contain each other, exactly or by sketches
    #[command(hide = true)]
    Resemblance(Resemblance),
    /// Merge the JSON reports of many repositories into one page: who copies from whom, licenses to
    /// look at, the trend
    Report(Report),
    /// Answer editors over standard input: a server of the Language Server Protocol
    #[command(after_help = LSP_EXAMPLES)]
    Lsp,
    /// Answer agents over standard input: a server of the Model Context Protocol
    #[command(after_help = MCP_EXAMPLES)]
    Mcp,
    /// Answer the hooks of coding agents, which send an event as JSON to standard input
    #[command(after_help = HOOK_EXAMPLES)]
    Hook,
    /// Explain a rule or a finding, or list all rules
    #[command(
        after_help = "Examples:\n  secondhand explain                 all rules\n  secondhand explain copied-code     one of them\n  secondhand explain 3fa2c41d        a finding, by the id that reports show"
    )]
    Explain {
        /// The rule, such as `copied-code`, or the id of a finding of `check` or `scan`
        #[arg(value_name = "RULE|ID")]
        subject: Option<String>,
    },
    /// List the languages, or show how a file is read
    #[command(
        after_help = "Examples:\n  secondhand languages                       all of them\n  secondhand languages rust                  one by its name or extension\n  secondhand languages --file lib/a.h        the language of a file\n  secondhand languages --tokens lib/a.h      the tokens of a file"
    )]
    Languages {
        /// List only the languages with this in their name, extension or file name
        #[arg(value_name = "NAME", conflicts_with_all = ["file", "tokens"])]
        name: Option<String>,
        /// Show the language of this file, and how it was detected
        #[arg(long, value_name = "PATH", conflicts_with = "tokens")]
        file: Option<PathBuf>,
        /// Print the tokens of this file
        #[arg(long, value_name = "PATH")]
        tokens: Option<PathBuf>,
    },
    /// Show the settings in use, or list all options
    #[command(
        after_help = "Examples:\n  secondhand config              the settings in use, and where they come from\n  secondhand config --list       every option, explained, with its default\n  secondhand config --schema     the JSON schema, for editors\n  secondhand config calibrate    settings that the history of the project suggests",
        args_conflicts_with_subcommands = true
    )]
    Config {
        #[command(subcommand)]
        command: Option<ConfigCommand>,
        /// List all options with their defaults
        #[arg(long)]
        list: bool,
        /// Print the JSON schema of the settings file
        #[arg(long, conflicts_with = "list")]
        schema: bool,
    },
    /// Print shell completions
    #[command(
        after_help = "Examples:\n  secondhand completions bash > ~/.local/share/bash-completion/completions/secondhand\n  secondhand completions zsh > ~/.zfunc/_secondhand\n  secondhand completions fish > ~/.config/fish/completions/secondhand.fish"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page of the program or a command
    #[command(
        after_help = "Examples:\n  secondhand man | man -l -              the program\n  secondhand man check | man -l -        a command\n  secondhand man --folder man/man1       all pages, as files"
    )]
    Man {
        /// The command
        command: Option<String>,
        /// Write all pages to files in this folder instead
        #[arg(long, value_name = "DIR", conflicts_with = "command")]
        folder: Option<PathBuf>,
    },
}

const LSP_EXAMPLES: &str = "\
Examples:
  secondhand lsp   for the repository that the editor opens

Editors start it themselves; docs/how-to/editors.md shows how to configure them.";

const MCP_EXAMPLES: &str = "\
Examples:
  secondhand mcp                     for the repository of this folder
  secondhand mcp --repo ~/src/shop   for another one

Agents start it themselves; docs/how-to/agents.md shows how to configure them. It ends with its input.";

const HOOK_EXAMPLES: &str = "\
Examples:
  secondhand hook < event.json   what an agent is told about an edit

Agents start it themselves, before and after an edit; `secondhand init --agents` sets them up. Before an edit it says
what exists already, and after it what the file copies now, each once in a session. It never stops an agent: an error
ends it with status 1.";

#[derive(Debug, Clone, Subcommand)]
pub(super) enum Cache {
    /// Show its location and contents, and verify every byte
    Status,
    /// Fill it with the files of a revision, so that the next check is fast
    Warm {
        /// The revision
        #[arg(value_name = "REV", default_value = "HEAD")]
        revision: String,
        #[command(flatten)]
        past: PastFlags,
    },
    /// Remove entries for files that are not in the tree of any branch, tag or other reference
    Prune,
    /// Delete it
    Clear,
}

const CHANGE: &str = "Which change";

#[derive(Debug, Args)]
#[command(mut_args = with_formats(FORMATS), after_help = "\
Examples:
  secondhand check                               this branch, or your uncommitted work if it has no commits of its own
  secondhand check src/billing                   the same, but only what changed in there
  secondhand check --base v1.2 --head v1.3       between two revisions: their merge base is the base
  secondhand check --staged                      what the next commit would record
  secondhand check --worktree --fail-on never    your uncommitted work; never fails
  secondhand check --watch                       your uncommitted work, again whenever you save a file
  secondhand check --report sarif=copies.sarif   an additional report, for code scanning")]
pub(super) struct Check {
    /// Files and folders to check; the whole change is still searched for what was moved [default:
    /// all that changed]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Check only this project (a folder with its own secondhand.toml), by name or path; may be
    /// repeated
    #[arg(long, value_name = "NAME", help_heading = CHANGE)]
    pub project: Vec<String>,
    /// Start of the change: its merge base with the head is used [default: from CI, or else the
    /// option `base`, or else the default branch]
    #[arg(long, value_name = "REV", help_heading = CHANGE)]
    pub base: Option<String>,
    /// End of the change [default: HEAD]
    #[arg(long, value_name = "REV", help_heading = CHANGE, conflicts_with_all = ["staged", "worktree"])]
    pub head: Option<String>,
    /// Check the index: what `git commit` would record; in a pre-commit run over a range of
    /// commits, that range
    #[arg(long, help_heading = CHANGE, conflicts_with = "worktree")]
    pub staged: bool,
    /// Check the work tree, including untracked files
    #[arg(long, help_heading = CHANGE)]
    pub worktree: bool,
    /// Check again whenever files change, and print the findings that appeared or disappeared; ends
    /// with Ctrl-C
    #[arg(long, help_heading = CHANGE, conflicts_with_all = ["head", "output", "reports"])]
    pub watch: bool,
    #[command(flatten)]
    pub past: PastFlags,
    /// Show when and by whom the origins were written
    #[arg(long, help_heading = "Output")]
    pub blame: bool,
    #[command(flatten)]
    pub corpora: CorpusFlags,
    #[command(flatten)]
    pub min_tokens: MinTokens,
    /// Whose settings, baseline, decisions and .gitattributes count [default: the option `trust`,
    /// or else `base` where the variable CI is set and `head` elsewhere]
    #[arg(long, value_name = "WHOSE", help_heading = "Settings")]
    pub trust: Option<Trust>,
    #[command(flatten)]
    pub suppressing: SuppressionFlags,
    #[command(flatten)]
    pub missing: MissingFlag,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Args)]
#[command(mut_args = with_formats(FIND_FORMATS), after_help = "\
Examples:
  secondhand find sketch.py                        a function, or its signature and first statements
  secondhand find 'parse the link header'          a few words, a name or a signature
  secondhand find src/parse.c --lines 40-70        where else this function exists
  secondhand find - --lang rust < sketch           from standard input
  secondhand find sketch.go --corpus oss           in other projects too, with their licenses
  secondhand find sketch.go --history              in deleted code too, with the commit that deleted it

Exit status: 0 found, 1 nothing found, 2 the sketch or the tree could not be read.")]
pub(super) struct Find {
    /// The file with the sketch, or the sketch itself: a signature, a name, a few words; `-` or
    /// nothing reads standard input
    #[arg(value_name = "FILE|WORDS")]
    pub file: Option<PathBuf>,
    /// Take only these lines of it
    #[arg(long, value_name = "A-B", value_parser = parse_lines)]
    pub lines: Option<RangeInclusive<u32>>,
    /// Read it as this language [default: by the name of the file, or else guessed from the tree]
    #[arg(long, value_name = "LANGUAGE")]
    pub lang: Option<String>,
    /// Read it as a file of this name, such as `a.ts`
    #[arg(long, value_name = "FILENAME", conflicts_with = "lang")]
    pub name: Option<String>,
    /// Maximum results, the best first
    #[arg(long, value_name = "N", default_value = "5")]
    pub limit: NonZeroUsize,
    #[command(flatten)]
    pub tree: TreeFlags,
    #[command(flatten)]
    pub corpora: CorpusFlags,
    #[command(flatten)]
    pub past: PastFlags,
    #[command(flatten)]
    pub effort: EffortFlag,
    #[command(flatten)]
    pub reporting: ReportFlags,
}

#[derive(Debug, Default, Args)]
#[command(mut_args = with_formats(scan_formats()), after_help = "\
Examples:
  secondhand scan                         the work tree
  secondhand scan src lib                 two folders of it
  secondhand scan --rev v1.2              the tree of a revision
  secondhand scan --fail-on-percent 5     fails if more than 5 % of the source is duplicated
  secondhand scan --report badge=docs/duplication.svg --report openmetrics=secondhand.prom
  secondhand scan --rev HEAD --format trend >> trend.jsonl")]
pub(super) struct Scan {
    /// Folders and files to scan; those outside any repository are read as they are [default: the
    /// work tree]
    #[arg(value_name = "PATHS")]
    pub paths: Vec<PathBuf>,
    /// Scan only this project (a folder with its own secondhand.toml), by name or path; may be
    /// repeated
    #[arg(long, value_name = "NAME")]
    pub project: Vec<String>,
    #[command(flatten)]
    pub tree: TreeFlags,
    #[command(flatten)]
    pub min_tokens: MinTokens,
    /// Fail if more than this percentage of the lines of source is duplicated
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub fail_on_percent: Option<f64>,
    #[command(flatten)]
    pub suppressing: SuppressionFlags,
    #[command(flatten)]
    pub missing: MissingFlag,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Args)]
#[command(mut_args = with_formats(TIMELINE_FORMATS), after_help = "\
Examples:
  secondhand history                               every commit of this branch
  secondhand history v1.2..v1.3 --first-parent     a release, merge by merge
  secondhand history --since '1 year ago' --report html=copies.html --format csv -o trend.csv
  secondhand history --path billing --origin-outside billing     what billing copied from elsewhere")]
pub(super) struct History {
    /// A revision, or a range `A..B` [default: HEAD]
    #[arg(value_name = "RANGE")]
    pub range: Option<String>,
    /// Follow first parents only, so that a merge counts as a single change
    #[arg(long)]
    pub first_parent: bool,
    #[command(flatten)]
    pub limits: CommitLimits,
    /// Only copies in this folder or file; may be repeated
    #[arg(long, value_name = "PATH")]
    pub path: Vec<String>,
    /// Only commits by this author: part of a name or address
    #[arg(long, value_name = "WHO")]
    pub author: Option<String>,
    /// Only copies whose origin is outside this folder; may be repeated
    #[arg(long, value_name = "PATH")]
    pub origin_outside: Vec<String>,
    #[command(flatten)]
    pub min_tokens: MinTokens,
    #[command(flatten)]
    pub reporting: ReportFlags,
}

#[derive(Debug, Args)]
#[command(mut_args = with_formats(audit_formats()), after_help = "\
Examples:
  secondhand audit --corpus oss                          the work tree, against a stored corpus
  secondhand audit --rev v1.2 --corpus ~/src/known       a revision, against a folder of projects
  secondhand audit --corpus oss --report spdx=copies.spdx.json --report notice=NOTICE
  secondhand audit --corpus oss --format decisions >> secondhand-decisions.toml")]
pub(super) struct Audit {
    #[command(flatten)]
    pub tree: TreeFlags,
    /// Audit every commit too, and show which one first added what; this reads all history
    #[arg(long)]
    pub history: bool,
    #[command(flatten)]
    pub corpora: CorpusFlags,
    #[command(flatten)]
    pub effort: EffortFlag,
    #[command(flatten)]
    pub min_tokens: MinTokens,
    #[command(flatten)]
    pub suppressing: SuppressionFlags,
    #[command(flatten)]
    pub missing: MissingFlag,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Args)]
#[command(mut_args = with_formats(stale_formats()), after_help = "\
Examples:
  secondhand corpus add oss ~/src/zlib                      a project with the history of its branches and tags
  secondhand stale --corpus oss                             what the copies of it in this tree lack
  secondhand stale --corpus oss --format patch | git apply  apply what is missing
  secondhand corpus add fixes --fixes osv/ ~/src/zlib       fixes of known vulnerabilities, from OSV records
  secondhand stale --corpus fixes --fail-on warning         code that lacks them")]
pub(super) struct Stale {
    #[command(flatten)]
    pub tree: TreeFlags,
    #[command(flatten)]
    pub corpora: CorpusFlags,
    #[command(flatten)]
    pub min_tokens: MinTokens,
    #[command(flatten)]
    pub suppressing: SuppressionFlags,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  secondhand init                         the settings that are changed most, and what fits this repository
  secondhand init --workflow --hook       a workflow for GitHub and a hook, whether something here asks for them or not
  secondhand init --from jscpd            the settings of another tool, and what has no counterpart
  secondhand init --agents                for Claude Code, Codex, Cursor, Copilot and Gemini CLI, as they are used here
  secondhand init --agents --remove       take that out again")]
pub(super) struct Init {
    /// Write a workflow that checks pull requests on GitHub, `.github/workflows/secondhand.yml`,
    /// even if there is no folder `.github` yet
    #[arg(long)]
    pub workflow: bool,
    /// Add a hook that checks each commit, even if neither pre-commit, prek, lefthook nor husky is
    /// used: then as git's own
    #[arg(long)]
    pub hook: bool,
    /// Take over the settings of this tool, as far as they have a counterpart
    #[arg(long, value_name = "TOOL")]
    pub from: Option<Tool>,
    /// Set up coding agents: a rule or skill, the MCP server and a hook, in the files that they
    /// read; those used here if none are named
    #[arg(
        long,
        value_name = "AGENT,...",
        num_args = 0..,
        value_delimiter = ',',
        conflicts_with_all = ["workflow", "hook", "force", "from"]
    )]
    pub agents: Option<Vec<AgentName>>,
    /// List the files in which agents are set up
    #[arg(long, requires = "agents", conflicts_with = "undo")]
    pub status: bool,
    /// Take out again what was written, where nobody has changed it
    #[arg(long, visible_alias = "remove", conflicts_with_all = ["workflow", "hook", "force", "from"])]
    pub undo: bool,
    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum AgentName {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Cursor
    Cursor,
    /// GitHub Copilot
    Copilot,
    /// Gemini CLI
    Gemini,
}

/// A tool whose settings can be taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Tool {
    /// `.jscpd.json`, or `jscpd` in `package.json`
    Jscpd,
    /// CPD in `pom.xml` or `build.gradle`
    Pmd,
    /// `sonar-project.properties`, or properties of Maven or Gradle
    Sonar,
}

#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  secondhand baseline create                   every clone in the work tree
  secondhand baseline create --base v1.2       only the copies added since v1.2
  secondhand baseline add 3fa2c41d             one finding, by the id that reports show
  secondhand baseline update --prune           remove what is gone, add nothing")]
pub(super) enum Baseline {
    /// Create a baseline: of all clones in the work tree, or with `--base` of the copies added
    /// since then
    Create {
        #[command(flatten)]
        known: BaselineChoice,
        /// Overwrite an existing baseline
        #[arg(long)]
        force: bool,
    },
    /// Update the baseline: add new copies, and remove those that are gone
    Update {
        #[command(flatten)]
        known: BaselineChoice,
        /// Only remove copies that are gone
        #[arg(long)]
        prune: bool,
    },
    /// Add findings of `check` or `scan` to the baseline; creates it if needed
    Add {
        /// Their ids, as reports show them
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
    },
    /// List the copies in the baseline by file
    Show,
}

#[derive(Debug, Args)]
pub(super) struct BaselineChoice {
    /// Record the copies added since this revision, as found by `check`, instead of all clones
    /// found by `scan`
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
}

impl Check {
    /// The flags that are options as well.
    pub fn settings(&self) -> Vec<Setting> {
        let mut settings =
            [self.output.settings(), self.min_tokens.settings("min-tokens")].concat();
        settings.extend(choice("trust", self.trust));
        settings.extend(self.past.history.then(|| ("history", "true".to_owned())));
        settings.extend(self.blame.then(|| ("blame", "true".to_owned())));
        settings
    }
}

#[derive(Debug, Args)]
#[command(mut_args = with_formats(COMPARISON_FORMATS), after_help = "\
Examples:
  secondhand compare old.c new.c                   how similar two files are
  secondhand compare submissions/ --base-code given/ --report html=pairs.html
  secondhand compare submissions/ --text           reports and other prose too
  secondhand compare 2025/ 2026/ --across-only     this year's submissions against last year's
  secondhand compare team-a team-b --exact         every k-gram, not a winnowed sample

Documents rather than code: `secondhand resemblance`")]
pub(super) struct Compare {
    /// Files, folders and archives (.zip, .tar, .tar.gz, .tar.bz2, .tar.xz), each a submission; for
    /// a single folder, each of its children
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// Handed-out code to ignore: a file, a folder or an archive; may be repeated
    #[arg(long, value_name = "PATH")]
    pub base_code: Vec<PathBuf>,
    /// Ignore passages found in more than N submissions, like MOSS's -m; 0 ignores none [default:
    /// nine in ten submissions, at least 10]
    #[arg(long, value_name = "N")]
    pub common: Option<usize>,
    /// Leave out pairs in which neither shares at least this percentage with the other
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = parse_percent)]
    pub threshold: f64,
    /// Also compare prose and files of unknown languages, word by word
    #[arg(long)]
    pub text: bool,
    /// Take each PATH as a folder of submissions, and compare only those of different folders
    #[arg(long)]
    pub across_only: bool,
    /// Replace the names of submissions and files by numbers
    #[arg(long)]
    pub pseudonyms: bool,
    /// Write whose pseudonym is which to this CSV file
    #[arg(long, value_name = "FILE", requires = "pseudonyms")]
    pub pseudonym_key: Option<PathBuf>,
    /// Compare every k-gram instead of a winnowed sample: exact figures, more memory
    #[arg(long)]
    pub exact: bool,
    #[command(flatten)]
    pub min_tokens: MinTokens,
    /// Maximum pairs to list, the most similar first
    #[arg(long, value_name = "N", default_value_t = 250)]
    pub top: usize,
    /// Fail if at least this percentage of one submission is in another
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub fail_on_percent: Option<f64>,
    #[command(flatten)]
    pub reporting: ReportFlags,
}

#[derive(Debug, Args)]
#[command(mut_args = with_formats(RESEMBLANCE_FORMATS), after_help = "\
Examples:
  secondhand resemblance old.c new.c                      exact, over shingles of 10 tokens
  secondhand resemblance a.txt b.txt --text --shingle 4   over four words
  secondhand resemblance docs/ --sketch min:400 --matrix  all children of a folder, estimated
  secondhand resemblance pages/ --text --cluster 50       groups of which each is half like its first")]
pub(super) struct Resemblance {
    /// Files, folders and archives, each a document; for a single folder, each of its children
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// Tokens of a shingle
    #[arg(long, value_name = "N", default_value = "10")]
    pub shingle: NonZeroUsize,
    /// Count a shingle as often as it occurs, not once (Broder's option A)
    #[arg(long)]
    pub labeled: bool,
    /// Estimate from sketches: `min:400`, `mod:25`, `mod:25,min:400` or `mod:25,max:400`
    #[arg(long, value_name = "SKETCH", value_parser = parse_sketch)]
    pub sketch: Option<ShingleSampling>,
    /// Count names and literals of code as one each, whatever their spelling
    #[arg(long)]
    pub normalized: bool,
    /// Also compare prose and files of unknown languages, word by word
    #[arg(long)]
    pub text: bool,
    /// Group documents that resemble a representative by at least this percentage
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub cluster: Option<f64>,
    /// With `--cluster`: compare only documents that share a super-shingle, a row of shingles of
    /// their sketches (faster; misses a few)
    #[arg(long, requires = "cluster")]
    pub super_shingles: bool,
    /// Show all pairs as a matrix of resemblances
    #[arg(long)]
    pub matrix: bool,
    #[command(flatten)]
    pub reporting: ReportFlags,
}

/// Reads `min:400`, `mod:25`, `mod:25,min:400` or `mod:25,max:400`.
fn parse_sketch(text: &str) -> Result<ShingleSampling, &'static str> {
    sketch(text).ok_or(
        "expected `min:S` for the S smallest, `mod:M` for one in M, `mod:M,min:S` for the S smallest of these, \
         or `mod:M,max:S` for at most S of them, with M doubled as needed",
    )
}

fn sketch(text: &str) -> Option<ShingleSampling> {
    let mut parts: [Option<u32>; 3] = [None; 3];
    for part in text.split(',') {
        let (name, number) = part.trim().split_once(':')?;
        let at = ["min", "mod", "max"].iter().position(|known| *known == name)?;
        let number = number.parse().ok().filter(|number| *number > 0)?;
        if parts[at].replace(number).is_some() {
            return None;
        }
    }
    let [min, modulus, max] = parts;
    let [min, max] = [min, max].map(|size| size.map(|size| size as usize));
    Some(match (min, modulus.map(u64::from), max) {
        (Some(size), None, None) => ShingleSampling::Min { size },
        (None, Some(modulus), None) => ShingleSampling::Mod { modulus },
        (Some(size), Some(modulus), None) => ShingleSampling::MinOfMod { size, modulus },
        (None, Some(modulus), Some(max_size)) => ShingleSampling::Doubling { modulus, max_size },
        _ => return None,
    })
}

fn parse_purl(text: &str) -> Result<String, &'static str> {
    let is_purl = text.starts_with("pkg:");
    is_purl
        .then(|| text.to_owned())
        .ok_or("expected a package URL, as in `pkg:cargo/serde@1.0.200`")
}

fn parse_percent(text: &str) -> Result<f64, &'static str> {
    let percent = text.trim_end_matches('%').trim_end().parse().ok();
    let percent = percent.filter(|percent| (0.0..=100.0).contains(percent));
    percent.ok_or("expected a number from 0 to 100")
}

/// Reads `12-30`, `12-` or `12`.
fn parse_lines(text: &str) -> Result<RangeInclusive<u32>, String> {
    let ends = match text.split_once('-') {
        Some((first, "")) => line_number(first).map(|first| (first, u32::MAX)),
        Some((first, last)) => line_number(first).zip(line_number(last)),
        None => line_number(text).map(|line| (line, line)),
    };
    let (first, last) = ends.ok_or("expected A-B, two lines counted from 1, as in `12-30`")?;
    if first <= last { Ok(first..=last) } else { Err(format!("line {first} is after line {last}")) }
}

fn line_number(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|line| *line > 0)
}
