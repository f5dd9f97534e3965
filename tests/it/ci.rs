//! Shows that `secondhand check` finds what a change starts from in the variables of each CI
//! system.

use std::process::Command;

use support::{Report, Repository};

/// A function that says enough to be a finding when it is copied.
fn function(name: &str) -> String {
    format!(
        "struct entry *{name}(struct list *l, const char *key)\n{{\n    for (struct entry *e = l->head; e != NULL; e = e->next) {{\n        \
         if (e->length == strlen(key) && strcmp(e->key, key) == 0)\n            return e;\n    }}\n    return NULL;\n}}\n"
    )
}

/// What a pipeline finds: a branch that copied, a target that has copied since, and the two merged.
struct Pipeline {
    repository: Repository,
    /// The commit that the branch left its target at.
    start: String,
    /// The last commit of the branch. Its copy came in by the one before.
    proposed: String,
    /// The last commit of the target, `release`.
    target: String,
}

impl Pipeline {
    fn new() -> Self {
        let repository = Repository::new();
        repository.write("list.c", function("list_find"));
        let start = repository.commit("list");
        repository.write("of_target.c", function("target_find"));
        let target = repository.commit("a copy that is not of the branch");
        repository.git(&["update-ref", "refs/remotes/origin/release", &target]);
        repository.git(&["checkout", "--quiet", "-b", "feature", &start]);
        // As in a pipeline: a branch of its own would be taken for the default branch.
        repository.git(&["branch", "--quiet", "-D", "main"]);
        repository.write("of_branch.c", function("branch_find"));
        repository.commit("a copy");
        repository.write("answer.c", "int answer(void)\n{\n    return 42;\n}\n");
        let proposed = repository.commit("an answer");
        Self { repository, start, proposed, target }
    }

    /// Checks out the branch merged with its target, as several systems do.
    fn merged(self) -> Self {
        self.repository.git(&["checkout", "--quiet", "--detach", &self.target]);
        self.repository
            .git(&["merge", "--quiet", "--no-ff", "--message", "merged", &self.proposed]);
        self
    }

    /// A check under these variables; START, PROPOSED and TARGET in them are commits.
    fn run(&self, variables: &[(&str, &str)]) -> Command {
        let mut command = self.repository.secondhand(&["check", "--format", "json"]);
        for (name, value) in variables {
            let value = value.replace("START", &self.start).replace("PROPOSED", &self.proposed);
            command.env(name, value.replace("TARGET", &self.target));
        }
        command
    }

    /// The files that findings are in, under these variables.
    #[track_caller]
    fn found(&self, variables: &[(&str, &str)]) -> Vec<String> {
        let report = Report::new(&mut self.run(variables));
        report
            .list("/findings")
            .iter()
            .map(|finding| finding["path"].as_str().expect("a path").to_owned())
            .collect()
    }

    #[track_caller]
    fn check(&self, variables: &[(&str, &str)]) {
        assert_eq!(self.found(variables), ["of_branch.c"], "{variables:?}");
    }
}

#[test]
fn a_pull_request_is_judged_from_where_it_left_its_target() {
    let pipeline = Pipeline::new();
    let systems: &[&[(&str, &str)]] = &[
        &[
            ("GITLAB_CI", "true"),
            ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "release"),
            ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "START"),
        ],
        &[("TF_BUILD", "True"), ("SYSTEM_PULLREQUEST_TARGETBRANCH", "refs/heads/release")],
        &[("BITBUCKET_BUILD_NUMBER", "7"), ("BITBUCKET_PR_DESTINATION_COMMIT", "TARGET")],
        &[("JENKINS_URL", "http://localhost/"), ("CHANGE_TARGET", "release")],
        &[("BUILDKITE", "true"), ("BUILDKITE_PULL_REQUEST_BASE_BRANCH", "release")],
        &[("CIRCLECI", "true"), ("SECONDHAND_BASE", "START")],
        &[
            ("CI", "woodpecker"),
            ("CI_PIPELINE_EVENT", "pull_request"),
            ("CI_COMMIT_TARGET_BRANCH", "release"),
        ],
        &[
            ("DRONE", "true"),
            ("DRONE_BUILD_EVENT", "pull_request"),
            ("DRONE_TARGET_BRANCH", "release"),
        ],
        &[
            ("TRAVIS", "true"),
            ("TRAVIS_PULL_REQUEST", "7"),
            ("TRAVIS_COMMIT_RANGE", "START...PROPOSED"),
        ],
        &[("GITHUB_BASE_REF", "release")],
    ];
    for variables in systems {
        pipeline.check(variables);
    }
    assert_eq!(
        pipeline.found(&[]),
        [""; 0],
        "the last commit alone is clean: the variables made the difference"
    );
}

#[test]
fn a_push_is_judged_from_what_the_branch_was() {
    let pipeline = Pipeline::new();
    let systems: &[&[(&str, &str)]] = &[
        &[("GITLAB_CI", "true"), ("CI_COMMIT_BEFORE_SHA", "START")],
        &[("JENKINS_URL", "http://localhost/"), ("GIT_PREVIOUS_SUCCESSFUL_COMMIT", "START")],
        &[("CI", "woodpecker"), ("CI_PIPELINE_EVENT", "push"), ("CI_PREV_COMMIT_SHA", "START")],
        &[("DRONE", "true"), ("DRONE_BUILD_EVENT", "push"), ("DRONE_COMMIT_BEFORE", "START")],
        &[
            ("TRAVIS", "true"),
            ("TRAVIS_PULL_REQUEST", "false"),
            ("TRAVIS_COMMIT_RANGE", "START...PROPOSED"),
        ],
    ];
    for variables in systems {
        pipeline.check(variables);
    }
}

#[test]
fn what_the_target_got_since_is_not_the_doing_of_a_pull_request_that_is_merged_with_it() {
    let pipeline = Pipeline::new().merged();
    let systems: &[&[(&str, &str)]] = &[
        &[
            ("GITLAB_CI", "true"),
            ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "START"),
            ("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", "START"),
            ("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", "PROPOSED"),
        ],
        // The target is not in the clone, but for the merge.
        &[
            ("TF_BUILD", "True"),
            ("SYSTEM_PULLREQUEST_TARGETBRANCH", "elsewhere"),
            ("SYSTEM_PULLREQUEST_SOURCECOMMITID", "PROPOSED"),
        ],
        &[
            ("TRAVIS", "true"),
            ("TRAVIS_COMMIT_RANGE", "START...PROPOSED"),
            ("TRAVIS_PULL_REQUEST_SHA", "PROPOSED"),
        ],
        &[
            ("DRONE", "true"),
            ("DRONE_BUILD_EVENT", "pull_request"),
            ("DRONE_TARGET_BRANCH", "release"),
            ("DRONE_COMMIT_SHA", "PROPOSED"),
        ],
    ];
    for variables in systems {
        pipeline.check(variables);
    }
    let event = format!(
        r#"{{ "pull_request": {{ "base": {{ "sha": "{}" }}, "head": {{ "sha": "{}" }} }} }}"#,
        pipeline.start, pipeline.proposed
    );
    pipeline.repository.write(".git/event.json", event);
    let file = pipeline.repository.path(".git/event.json");
    pipeline.check(&[("GITHUB_EVENT_PATH", file.to_str().expect("our paths are UTF-8"))]);
}

#[test]
fn without_an_event_the_default_branch_that_the_system_names_is_the_base() {
    let pipeline = Pipeline::new();
    for (mark, name) in [
        (("GITLAB_CI", "true"), "CI_DEFAULT_BRANCH"),
        (("BUILDKITE", "true"), "BUILDKITE_PIPELINE_DEFAULT_BRANCH"),
        (("CI", "woodpecker"), "CI_REPO_DEFAULT_BRANCH"),
        (("DRONE", "true"), "DRONE_REPO_BRANCH"),
    ] {
        pipeline.check(&[mark, (name, "release")]);
    }
}

#[test]
fn a_target_branch_that_is_not_in_the_clone_is_no_silent_pass() {
    let pipeline = Pipeline::new();
    let output = pipeline
        .run(&[("JENKINS_URL", "http://localhost/"), ("CHANGE_TARGET", "develop")])
        .output();
    let output = output.expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("`origin/develop`, which CHANGE_TARGET names, is not here"), "{said}");
    assert!(said.contains("git fetch origin develop:refs/remotes/origin/develop"), "{said}");
    // Where the same event names a commit, too, that is taken.
    let gitlab = [
        ("GITLAB_CI", "true"),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "develop"),
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "START"),
    ];
    pipeline.check(&gitlab);
}

#[test]
fn teamcity_names_the_target_in_a_file_that_a_file_names() {
    let pipeline = Pipeline::new();
    let configuration = pipeline.repository.path(".git/a=b.properties");
    let escaped = configuration
        .to_str()
        .expect("our paths are UTF-8")
        .replace('\\', "\\\\")
        .replace(':', "\\:")
        .replace('=', "\\=");
    pipeline.repository.write(
        ".git/a=b.properties",
        "teamcity.pullRequest.target.branch.more=no\nteamcity.pullRequest.target.branch=refs/heads/release\n",
    );
    pipeline.repository.write(
        ".git/build.properties",
        format!("#parameters\nteamcity.configuration.properties.file={escaped}\n"),
    );
    let build = pipeline.repository.path(".git/build.properties");
    let build = build.to_str().expect("our paths are UTF-8");
    pipeline.check(&[("TEAMCITY_VERSION", "2026.1"), ("TEAMCITY_BUILD_PROPERTIES_FILE", build)]);
}

#[test]
fn a_variable_that_is_left_empty_names_no_base() {
    let pipeline = Pipeline::new();
    pipeline.check(&[
        ("SECONDHAND_BASE", ""),
        ("JENKINS_URL", "http://localhost/"),
        ("CHANGE_TARGET", "release"),
    ]);
    let output = pipeline.run(&[]).args(["--base", ""]).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2), "a flag that is left empty is a fault");
}

#[test]
fn a_flag_outweighs_every_system() {
    let pipeline = Pipeline::new();
    let mut command =
        pipeline.run(&[("JENKINS_URL", "http://localhost/"), ("CHANGE_TARGET", "release")]);
    let report = Report::new(command.args(["--base", "HEAD~1"]));
    assert_eq!(report.findings(), [""; 0]);
}

mod events {
    //! The events of a workflow on GitHub, the ends that pre-commit names, and the variable for all
    //! others.

    use std::fs;

    use crate::one_copy::{add, check, finding, new, store, text};
    use serde_json::{Value, json};
    use support::{Report, Repository};
    use tempfile::TempDir;

    /// Three commits on `main`: the store, the copy, something else. Returns the first two ids.
    fn three_commits() -> (Repository, String, String) {
        let repository = Repository::new();
        let first = add(&repository, &store());
        let second = add(&repository, &new());
        repository.commit("something else");
        (repository, first, second)
    }

    /// Checks the findings with this event of GitHub Actions, and the base; `FIRST` stands for the
    /// first commit.
    #[track_caller]
    fn check_event(event: &Value, flags: &[&str], status: i32, findings: &[String], base: &str) {
        let (repository, first, _) = three_commits();
        let folder = TempDir::new().expect("the folder for temporary files is writable");
        let file = folder.path().join("event.json");
        let event = event.to_string().replace("FIRST", &first);
        fs::write(&file, event).expect("the folder is writable");
        let mut command = repository.secondhand(&["check", "--format", "json"]);
        let report = Report::new(command.args(flags).env("GITHUB_EVENT_PATH", &file));
        check(&report, status, findings);
        assert_eq!(report.json["base"]["commit"], json!(repository.git(&["rev-parse", base])));
    }

    #[test]
    fn the_event_of_a_pull_request_names_the_base() {
        let event = json!({ "pull_request": { "base": { "sha": "FIRST" }, "head": { "sha": "x" } }, "before": "x" });
        check_event(&event, &[], 1, &[finding()], "HEAD~2");
    }

    #[test]
    fn the_event_of_a_push_or_of_a_merge_queue_names_the_base() {
        check_event(&json!({ "before": "FIRST", "after": "x" }), &[], 1, &[finding()], "HEAD~2");
        check_event(
            &json!({ "merge_group": { "base_sha": "FIRST" } }),
            &[],
            1,
            &[finding()],
            "HEAD~2",
        );
    }

    #[test]
    fn an_event_without_a_base_leaves_it_to_the_default() {
        let zeros = "0".repeat(40);
        check_event(&json!({ "before": zeros }), &[], 0, &[], "HEAD~1");
        check_event(&json!({ "inputs": {} }), &[], 0, &[], "HEAD~1");
    }

    #[test]
    fn a_base_named_by_a_flag_outweighs_the_event() {
        check_event(&json!({ "before": "FIRST" }), &["--base", "HEAD~1"], 0, &[], "HEAD~1");
    }

    #[test]
    fn an_event_that_cannot_be_read_is_an_error() {
        let (repository, ..) = three_commits();
        repository.write("event.json", "{ \"before\": ");
        for (file, why) in
            [("none.json", "No such file or directory"), ("event.json", "EOF while parsing")]
        {
            let output = repository.secondhand(&["check"]).env("GITHUB_EVENT_PATH", file).output();
            let output = output.expect("the program starts");
            let errors = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{errors}");
            assert!(
                errors.starts_with(&format!(
                    "error: cannot read the event of this workflow, `{file}`: {why}"
                )),
                "{errors}"
            );
            assert!(errors.contains("help: set the base with `--base REV`"), "{errors}");
        }
    }

    #[test]
    fn the_base_branch_of_a_workflow_is_that_of_the_remote() {
        let (repository, first, second) = three_commits();
        repository.git(&["update-ref", "refs/remotes/origin/main", &second]);
        repository.git(&["update-ref", "refs/remotes/origin/release", &first]);
        check(&repository.check(&[]), 0, &[]);
        let mut command = repository.secondhand(&["check", "--format", "json"]);
        check(&Report::new(command.env("GITHUB_BASE_REF", "release")), 1, &[finding()]);
    }

    #[test]
    fn pre_commit_names_both_ends() {
        let (repository, first, second) = three_commits();
        let run = |from: &str, to: &str, flags: &[&str]| {
            let mut command = repository.secondhand(&["check", "--format", "json"]);
            Report::new(
                command.args(flags).env("PRE_COMMIT_FROM_REF", from).env("PRE_COMMIT_TO_REF", to),
            )
        };
        let report = run(&first, &second, &[]);
        check(&report, 1, &[finding()]);
        assert_eq!(report.json["head"]["commit"], json!(second));
        check(&run(&second, "HEAD", &[]), 0, &[]);
        check(&run(&first, &second, &["--base", "HEAD~1"]), 0, &[]);
        // A branch that the remote does not have yet.
        check(&run(&"0".repeat(40), "HEAD", &[]), 0, &[]);
        // The hook's own line asks for the index: over a range, that range is meant.
        let report = run(&first, &second, &["--staged"]);
        check(&report, 1, &[finding()]);
        assert_eq!(report.json["head"]["commit"], json!(second));
    }

    #[test]
    fn a_variable_names_the_base() {
        let (repository, first, _) = three_commits();
        let mut command = repository.secondhand(&["check", "--format", "json"]);
        check(&Report::new(command.env("SECONDHAND_BASE", &first)), 1, &[finding()]);
    }
}
