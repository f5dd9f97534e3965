//! Makes real git repositories in temporary folders, and runs the real binary over them.
//!
//! Invariant: nothing of the machine leaks in. Author, dates and git's
//! configuration are fixed, and no variable that the program heeds is inherited.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use serde_json::Value;
use tempfile::TempDir;

/// A repository with a work tree; its folder goes away with it.
pub struct Repository {
    folder: TempDir,
}

impl Default for Repository {
    fn default() -> Self {
        Self::new()
    }
}

impl Repository {
    /// An empty repository on the branch `main`.
    pub fn new() -> Self {
        Self::with_format("sha1")
    }

    /// An empty repository whose objects are named by `format`: `sha1` or `sha256`.
    pub fn with_format(format: &str) -> Self {
        let repository =
            Self { folder: TempDir::new().expect("the folder for temporary files is writable") };
        repository.git(&["init", "--quiet", "--template=", &format!("--object-format={format}")]);
        repository
    }

    /// The root of the work tree.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// The file of the work tree at `path`.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root().join(path)
    }

    /// Writes a file of the work tree, and the folders above it.
    pub fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("it lies below the root"))
            .expect("the repository is writable");
        fs::write(path, text).expect("the repository is writable");
    }

    /// Removes a file from the work tree.
    pub fn remove(&self, path: impl AsRef<Path>) {
        fs::remove_file(self.path(path)).expect("the file is there");
    }

    /// Renames a file of the work tree.
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) {
        let to = self.path(to);
        fs::create_dir_all(to.parent().expect("it lies below the root"))
            .expect("the repository is writable");
        fs::rename(self.path(from), to).expect("the file is there");
    }

    /// Takes the whole work tree into the index.
    pub fn stage(&self) {
        self.git(&["add", "--all"]);
    }

    /// Commits the whole work tree; returns the commit's id.
    pub fn commit(&self, message: &str) -> String {
        self.stage();
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.head()
    }

    /// The id of the current commit: from the file of its branch, since starting git takes longer
    /// than all else here.
    fn head(&self) -> String {
        let read = |name: &str| fs::read_to_string(self.path(".git").join(name)).ok();
        let branch = read("HEAD").and_then(|head| read(head.strip_prefix("ref: ")?.trim()));
        branch.map_or_else(|| self.git(&["rev-parse", "HEAD"]), |id| id.trim().to_owned())
    }

    /// Runs git in the work tree; returns what it printed, trimmed.
    #[track_caller]
    pub fn git(&self, args: &[&str]) -> String {
        git(self.root(), args)
    }

    /// The lines of `path` that git counts as added since `base`, as code hosts show them.
    ///
    /// With the usual three lines of context: without any, git leaves the end that two texts share
    /// out of the diff, and calls other ones of equal lines added.
    #[track_caller]
    pub fn added_lines(&self, base: &str, path: &str) -> Vec<u64> {
        let diff = self.git(&["diff", "--unified=3", "--no-color", base, "HEAD", "--", path]);
        let mut added = Vec::new();
        let mut line = 0;
        for text in diff.lines().skip_while(|text| !text.starts_with("@@")) {
            if let Some(of_head) = text.strip_prefix("@@ ").and_then(|hunk| hunk.split(' ').nth(1))
            {
                let first =
                    of_head.trim_start_matches('+').split(',').next().expect("git's format");
                line = first.parse().expect("git's format");
            } else if text.starts_with('+') {
                added.push(line);
                line += 1;
            } else if text.starts_with(' ') {
                line += 1;
            }
        }
        added
    }

    /// The program, about to run in the work tree.
    pub fn secondhand(&self, args: &[&str]) -> Command {
        secondhand(self.root(), args)
    }

    /// Runs `secondhand check` with `args` and reads its report.
    #[track_caller]
    pub fn check(&self, args: &[&str]) -> Report {
        Report::new(self.secondhand(&["check", "--format", "json"]).args(args))
    }
}

/// Runs git in `folder`; returns what it printed, trimmed.
#[track_caller]
pub fn git(folder: &Path, args: &[&str]) -> String {
    let Output { status, stdout, stderr } =
        git_command(folder, args).output().expect("git is installed");
    assert!(status.success(), "git {args:?}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8_lossy(&stdout).trim().to_owned()
}

/// Git, about to run in `folder`.
pub fn git_command(folder: &Path, args: &[&str]) -> Command {
    // Without maintenance, a commit starts no second process.
    let config = [
        "init.defaultBranch=main",
        "commit.gpgSign=false",
        "core.autocrlf=false",
        "protocol.file.allow=always",
        "maintenance.auto=false",
    ];
    let mut command = isolated(Command::new("git"), folder);
    command.args(config.iter().flat_map(|pair| ["-c", pair])).args(args);
    command
}

/// The program, about to run in `folder`.
pub fn secondhand(folder: &Path, args: &[&str]) -> Command {
    let mut command = isolated(Command::new(program()), folder);
    command.args(args);
    command
}

/// Where the program is: cargo says so, and where it does not, the test that runs is beside it, in
/// `deps`.
pub fn program() -> PathBuf {
    if let Some(path) = env::var_os("CARGO_BIN_EXE_secondhand") {
        return path.into();
    }
    let test = env::current_exe().expect("the system knows what runs");
    let folder =
        test.ancestors().nth(2).expect("a test lies in `deps` of the folder of the program");
    folder.join(format!("secondhand{}", env::consts::EXE_SUFFIX))
}

/// `command` in `folder`, without any variable that git or the program heeds.
fn isolated(mut command: Command, folder: &Path) -> Command {
    const PREFIXES: &[&str] = &[
        "SECONDHAND_", "GITHUB_", "PRE_COMMIT_", "GIT_", "CLICOLOR", "GITLAB_", "BITBUCKET_",
        "JENKINS_", "TEAMCITY_",
    ];
    const NAMES: &[&str] = &[
        "CI", "NO_COLOR", "COLUMNS", "RAYON_NUM_THREADS", "TF_BUILD", "BUILDKITE", "CIRCLECI",
        "DRONE", "TRAVIS",
    ];
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if PREFIXES.iter().any(|prefix| text.starts_with(prefix)) || NAMES.contains(&&*text) {
            command.env_remove(&name);
        }
    }
    command
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{role}_NAME"), "A Tester")
            .env(format!("GIT_{role}_EMAIL"), "tester@example.com");
        command.env(format!("GIT_{role}_DATE"), "2001-02-03T04:05:06Z");
    }
    command
}

/// What a run of `secondhand check --format json` said.
#[derive(Debug)]
pub struct Report {
    /// The exit status.
    pub status: i32,
    /// The report.
    pub json: Value,
}

impl Report {
    /// Runs `command` and reads what it prints.
    #[track_caller]
    pub fn new(command: &mut Command) -> Self {
        let Output { status, stdout, stderr } = command.output().expect("the program starts");
        let errors = String::from_utf8_lossy(&stderr);
        let json = serde_json::from_slice(&stdout)
            .unwrap_or_else(|why| panic!("no report ({why}): {errors}"));
        assert_eq!(errors, "", "a run that succeeds has no errors to tell");
        Self { status: status.code().expect("no signal ended it"), json }
    }

    /// The findings, each on a line: `warning b.c:9-20 <- type-1 a.c:1-12, type-2 c.c:5-16`; what
    /// was not examined with its message: `note left out: a.c (generated)`. Edits that missed
    /// siblings are no copies.
    pub fn findings(&self) -> Vec<String> {
        self.list("/findings")
            .iter()
            .filter(|finding| finding["rule"] != "missed-sibling")
            .map(finding)
            .collect()
    }

    /// The list at `pointer`.
    #[track_caller]
    pub fn list(&self, pointer: &str) -> &[Value] {
        self.json.pointer(pointer).and_then(Value::as_array).expect("the report has this list")
    }
}

fn finding(finding: &Value) -> String {
    let origins: Vec<_> =
        finding["origins"].as_array().expect("a finding has origins").iter().map(origin).collect();
    let level = finding["level"].as_str().expect("a finding has a level");
    if finding["rule"] == "not-examined" {
        return format!(
            "{level} {}",
            finding["message"].as_str().expect("a finding has a message")
        );
    }
    format!("{level} {} <- {}", place(finding), origins.join(", "))
}

fn origin(origin: &Value) -> String {
    let clone_type = origin["cloneType"].as_str().expect("an origin has a clone type");
    let is_inconsistent = origin["consistentRenaming"] == Value::Bool(false);
    format!("{clone_type}{} {}", if is_inconsistent { " inconsistent" } else { "" }, place(origin))
}

fn place(of: &Value) -> String {
    let fragment = &of["fragment"];
    format!(
        "{}:{}-{}",
        of["path"].as_str().expect("a place has a path"),
        fragment["startLine"],
        fragment["endLine"]
    )
}
