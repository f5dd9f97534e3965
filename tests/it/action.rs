//! Runs the scripts of the action as its steps do, without the rest of a runner.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::samples::{LANGUAGES, Language};
use support::{Repository, git};
use tempfile::TempDir;

const C: &Language = &LANGUAGES[0];

/// A job: a checkout of the branch `pr`, which adds a copy, with its origin; and the runner's
/// files.
struct Job {
    checkout: Repository,
    origin: TempDir,
    runner: TempDir,
}

/// How a step ended, what it printed, and its outputs.
struct Step {
    status: Option<i32>,
    said: String,
    outputs: String,
}

impl Job {
    fn new() -> Self {
        let checkout = Repository::new();
        checkout.write(C.path("store"), C.file("store", &[C.first, C.second]).text);
        checkout.commit("base");
        checkout.git(&["checkout", "--quiet", "-b", "pr"]);
        checkout.write(C.path("new"), C.first);
        checkout.commit("change");
        let origin = TempDir::new().expect("it can be made");
        let url = origin.path().to_str().expect("it is UTF-8");
        checkout.git(&["clone", "--quiet", "--bare", ".", url]);
        checkout.git(&["remote", "add", "origin", url]);
        checkout.git(&["fetch", "--quiet", "origin"]);
        Self { checkout, origin, runner: TempDir::new().expect("it can be made") }
    }

    /// The runner's file with this name.
    fn file(&self, name: &str) -> PathBuf {
        self.runner.path().join(name)
    }

    fn run(&self, script: &str, variables: &[(&str, &str)]) -> Step {
        let outputs = self.file("outputs");
        fs::write(&outputs, "").expect("it is writable");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/action").join(script);
        let mut command = Command::new("bash");
        command
            .arg(script)
            .env("GITHUB_WORKSPACE", self.checkout.root())
            .env("GITHUB_OUTPUT", &outputs);
        command
            .env("GITHUB_STEP_SUMMARY", self.file("summary"))
            .env("RUNNER_TEMP", self.runner.path());
        command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("CI");
        command.env("BINARY", env!("CARGO_BIN_EXE_secondhand"));
        for (name, value) in [
            ("GITHUB_SERVER_URL", "https://github.invalid"),
            ("GITHUB_REF", "refs/heads/pr"),
            ("DEFAULT_BRANCH", "main"),
            ("EVENT", "workflow_dispatch"),
        ] {
            command.env(name, value);
        }
        for name in ["EVENT_BASE", "EVENT_HEAD", "BASE_BRANCH", "PULL_REQUEST", "INPUT_REPOSITORY"]
        {
            command.env(name, "");
        }
        let Output { status, stdout, stderr } =
            command.envs(variables.iter().copied()).output().expect("bash is installed");
        let outputs = fs::read_to_string(outputs).expect("it is there");
        let said = String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned();
        Step { status: status.code(), said, outputs }
    }
}

#[test]
fn a_base_or_head_is_a_name_and_no_option_of_git_and_no_rule_to_fetch_by() {
    let job = Job::new();
    let refs = |folder: &Path| git(folder, &["for-each-ref", "--format=%(refname) %(objectname)"]);
    let before = (refs(job.checkout.root()), refs(job.origin.path()));
    for name in [
        "refs/heads/pr:refs/heads/evil",
        "+refs/heads/pr:refs/heads/evil",
        "+main",
        "^main",
        ":main",
        ":/change",
        "--upload-pack=touch evil",
        "main pr",
        "main\tpr",
        "main\npr",
        "refs/heads/*",
    ] {
        for input in ["INPUT_BASE", "INPUT_HEAD"] {
            let Step { status, said, .. } = job.run("range.sh", &[(input, name)]);
            assert_eq!(status, Some(2), "{name}: {said}");
            assert!(said.contains("is no commit, branch or tag"), "{name}: {said}");
        }
        assert_eq!((refs(job.checkout.root()), refs(job.origin.path())), before, "{name}");
    }
    for name in ["main", "main~0", "main^0", "origin/main", "refs/heads/main", "HEAD^", "HEAD@{0}"]
    {
        let Step { status, said, outputs } = job.run("range.sh", &[("INPUT_BASE", name)]);
        assert_eq!(status, Some(0), "{name}: {said}");
        assert!(outputs.contains("base="), "{name}: {outputs}");
    }
}

#[test]
fn reports_of_an_earlier_run_are_not_taken_for_those_of_this_one() {
    let job = Job::new();
    let checks =
        [("BASE", "main"), ("INPUT_FAIL_ON", "never"), ("INPUT_SARIF_FILE", "copies.sarif")];
    let Step { status, said, outputs } = job.run("audit.sh", &checks);
    assert_eq!(status, Some(0), "{said}");
    assert!(outputs.contains("findings=1"), "{outputs}");
    for argument in ["--help", "--version"] {
        let Step { status, said, outputs } =
            job.run("audit.sh", &[&checks[..], &[("INPUT_ARGS", argument)]].concat());
        assert_eq!(status, Some(2), "{argument}: {said}");
        assert!(
            said.contains("it did not write") && !outputs.contains("findings="),
            "{argument}: {said} {outputs}"
        );
    }
    assert!(!job.checkout.path("copies.sarif").exists());
}

#[test]
fn no_folder_is_made_and_no_report_written_through_a_link_of_the_checkout() {
    let job = Job::new();
    let outside = TempDir::new().expect("it can be made");
    fs::write(outside.path().join("precious"), "precious").expect("it is writable");
    fs::create_dir(outside.path().join("deep")).expect("it is writable");
    std::os::unix::fs::symlink(outside.path().join("deep"), job.checkout.path("out"))
        .expect("it is writable");
    let absolute = job.checkout.path("out/new/x.sarif");
    let absolute = absolute.to_str().expect("it is UTF-8");
    for file in [
        "out/x.sarif", "out/new/x.sarif", "out/../precious", "out/../new/x.sarif",
        "new/../out/x.sarif", absolute,
    ] {
        let Step { status, said, .. } =
            job.run("audit.sh", &[("BASE", "main"), ("INPUT_SARIF_FILE", file)]);
        assert_eq!(status, Some(2), "{file}: {said}");
        assert!(said.contains("link of the checkout"), "{file}: {said}");
        let n_files = |folder: &Path| fs::read_dir(folder).expect("it is there").count();
        assert_eq!(
            (n_files(outside.path()), n_files(&outside.path().join("deep"))),
            (2, 0),
            "{file}"
        );
        assert_eq!(
            fs::read_to_string(outside.path().join("precious")).expect("it is there"),
            "precious"
        );
    }
    let Step { status, said, .. } =
        job.run("audit.sh", &[("BASE", "main"), ("INPUT_SARIF_FILE", "a/b c/x.sarif")]);
    assert_eq!(status, Some(0), "{said}");
    assert!(job.checkout.path("a/b c/x.sarif").is_file());
}

#[test]
fn a_comment_is_no_longer_than_the_host_takes() {
    let job = Job::new();
    let folder = job.file("bin");
    fs::create_dir(&folder).expect("it can be made");
    let gh = folder.join("gh");
    let (body, posted) = (job.file("body"), job.file("posted"));
    let answers = format!(
        "#!/bin/bash\ncase \"$*\" in *--paginate*) echo 5;; *'--jq .body') cat '{}';; *) for a; do case $a in \
         body=@*) cp \"${{a#body=@}}\" '{}';; esac; done;; esac\n",
        body.display(),
        posted.display()
    );
    fs::write(&gh, answers).expect("it is writable");
    fs::set_permissions(&gh, PermissionsExt::from_mode(0o755)).expect("it is ours");
    let name = |n: usize, folder: &str| {
        format!("{folder}/{n:0165}.c:1:1: warning[copied-code] copied from x\n")
    };
    fs::write(job.file("lines"), (0..60).map(|n| name(n, "src")).collect::<String>())
        .expect("it is writable");
    let seen: String = (0..50).map(|n| name(n, "old").replace(":1:1: warning[", ": [")).collect();
    fs::write(&body, format!("<!-- secondhand:x -->\n<!-- seen\n{seen}-->\n"))
        .expect("it is writable");
    fs::write(job.file("text"), "x".repeat(60_000)).expect("it is writable");
    let paths = format!("{}:{}", folder.display(), std::env::var("PATH").expect("there is one"));
    let Step { status, said, .. } = job.run(
        "comment.sh",
        &[
            ("PATH", &paths),
            ("GITHUB_REPOSITORY", "o/r"),
            ("GITHUB_RUN_ID", "1"),
            ("PULL_REQUEST", "1"),
            ("CATEGORY", "x"),
            ("FINDINGS", "60"),
            ("SUMMARY", job.file("text").to_str().expect("it is UTF-8")),
            ("FOUND", job.file("lines").to_str().expect("it is UTF-8")),
        ],
    );
    assert_eq!(status, Some(0), "{said}");
    let posted = fs::read_to_string(posted).expect("it was posted");
    assert!(posted.len() < 65_536, "{} bytes", posted.len());
    assert!(posted.contains("Gone since earlier runs: 50"), "{posted}");
}
