//! Shows what `secondhand init` writes, and that it replaces nothing unless asked to.

// What the test programs share is written once.
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "semantics/repository.rs"]
mod repository;

use std::fs;
use std::process::Command;

use repository::{Repository, secondhand};

/// Runs `command`; returns its exit status and all that it said.
fn run(command: &mut Command) -> (Option<i32>, String) {
    let output = command.output().expect("the program starts");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

#[track_caller]
fn init(repository: &Repository, flags: &[&str]) -> String {
    let (status, said) = run(repository.secondhand(&["init"]).args(flags));
    assert_eq!(status, Some(0), "{said}");
    said
}

#[track_caller]
fn refused(repository: &Repository, flags: &[&str]) -> String {
    let (status, said) = run(repository.secondhand(&["init"]).args(flags));
    assert_eq!(status, Some(2), "{said}");
    said
}

fn read(repository: &Repository, path: &str) -> String {
    fs::read_to_string(repository.path(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
}

#[test]
fn the_settings_are_written_at_the_root_from_any_folder() {
    let repository = Repository::new();
    repository.write("deep/er/file", "");
    let (status, said) = run(&mut secondhand(&repository.path("deep/er"), &["init"]));
    assert_eq!(status, Some(0), "{said}");
    assert!(said.starts_with("wrote secondhand.toml: "), "{said}");
    assert!(read(&repository, "secondhand.toml").contains("\n#min-tokens = "));
    let (status, said) = run(&mut repository.secondhand(&["config"]));
    assert_eq!(status, Some(0), "the settings can be read: {said}");
    assert!(!said.contains("# changed"), "they are the defaults: {said}");
}

#[test]
fn the_settings_are_the_defaults_without_their_marks_too() {
    let repository = Repository::new();
    init(&repository, &[]);
    let is_setting = |line: &str| line.starts_with(|c: char| c.is_ascii_lowercase() || c == '[');
    let text = read(&repository, "secondhand.toml");
    let settings: Vec<_> =
        text.lines().filter_map(|line| line.strip_prefix('#').filter(|line| is_setting(line))).collect();
    assert!(settings.len() > 10, "{text}");
    repository.write("secondhand.toml", settings.join("\n"));
    let (status, said) = run(&mut repository.secondhand(&["config"]));
    assert_eq!(status, Some(0), "they can be read: {said}");
    let changed: Vec<_> = said.lines().filter(|line| line.ends_with("# changed")).collect();
    assert!(changed.iter().all(|line| line.starts_with("rules = ")), "they are the defaults: {changed:?}");
}

#[test]
fn the_examples_of_tables_can_be_used_as_they_are() {
    let repository = Repository::new();
    init(&repository, &[]);
    let text = read(&repository, "secondhand.toml");
    let examples: Vec<_> =
        text.lines().filter_map(|line| line.strip_prefix("#   ").or(Some("").filter(|_| line == "#"))).collect();
    let heads: Vec<_> = examples.iter().filter(|line| line.starts_with('[')).collect();
    assert_eq!(
        heads,
        ["[language.pancake]", "[license]", "[[license.exceptions]]", "[[vendored]]"].iter().collect::<Vec<_>>()
    );
    repository.write("secondhand.toml", examples.join("\n"));
    let (status, said) = run(&mut repository.secondhand(&["config"]));
    assert_eq!(status, Some(0), "they can be read: {said}");
    repository.write("a.pnk", "fry # a pan\n");
    let (status, said) = run(&mut repository.secondhand(&["languages", "--tokens", "a.pnk"]));
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("fry") && !said.contains("pan\n"), "{said}");
}

#[test]
fn what_is_there_is_kept_unless_it_is_to_be_replaced() {
    for path in ["secondhand.toml", ".config/secondhand.toml"] {
        let repository = Repository::new();
        repository.write(path, "min-tokens = 60\n");
        let said = refused(&repository, &[]);
        assert!(said.contains("it already exists") && said.contains("help: use `--force` to overwrite it"), "{said}");
        assert!(init(&repository, &["--workflow"]).starts_with(&format!("kept {path}\n")));
        assert_eq!(read(&repository, path), "min-tokens = 60\n");
        assert!(refused(&repository, &["--workflow"]).contains("secondhand.yml`: it already exists"));
        init(&repository, &["--workflow", "--force"]);
        assert!(read(&repository, path).contains("#min-tokens"));
    }
}

#[test]
fn a_hook_goes_where_the_others_are() {
    let repository = Repository::new();
    let list = "repos:\n  - repo: https://example.invalid/hooks\n    rev: v1\n    hooks:\n      - id: a # mine\n";
    repository.write(".pre-commit-config.yaml", list);
    assert!(
        init(&repository, &[]).contains("`secondhand init --hook` checks every commit, in .pre-commit-config.yaml")
    );
    init(&repository, &["--hook"]);
    let added = read(&repository, ".pre-commit-config.yaml");
    assert!(added.starts_with(list), "what was there stays: {added}");
    assert!(added.contains("\n      - id: secondhand\n"), "{added}");
    assert!(init(&repository, &["--hook"]).contains("kept .pre-commit-config.yaml"), "it is added once");
    assert_eq!(read(&repository, ".pre-commit-config.yaml"), added);

    let repository = Repository::new();
    repository.write(".pre-commit-config.yaml", "repos:\n- repo: meta\n  hooks: []\n");
    init(&repository, &["--hook"]);
    let added = read(&repository, ".pre-commit-config.yaml");
    assert!(added.contains("\n- repo: local\n  hooks:\n    - id: secondhand\n"), "{added}");

    let repository = Repository::new();
    repository.write("lefthook.yml", "pre-push:\n  jobs: []\n");
    init(&repository, &["--hook"]);
    assert!(read(&repository, "lefthook.yml").starts_with("pre-push:\n  jobs: []\n\npre-commit:\n"));

    let repository = Repository::new();
    repository.write(".husky/pre-commit", "npm test\n");
    init(&repository, &["--hook"]);
    assert_eq!(read(&repository, ".husky/pre-commit"), "npm test\nsecondhand check --staged\n");
}

#[test]
fn a_list_that_cannot_be_added_to_is_left_alone_and_the_entry_shown() {
    let lists = [
        (".pre-commit-config.yaml", "repos: [{repo: meta, hooks: [{id: identity}]}]\n", "- id: secondhand"),
        (".pre-commit-config.yaml", "repos:\n- repo: local\n  hooks: []\nci:\n  skip: []\n", "- id: secondhand"),
        ("lefthook.yml", "pre-commit:\n  jobs: []\n", "run: secondhand check --staged"),
    ];
    for (file, list, entry) in lists {
        let repository = Repository::new();
        repository.write(file, list);
        let said = refused(&repository, &["--hook"]);
        assert!(said.contains("add this by hand:") && said.contains(entry), "{said}");
        assert_eq!(read(&repository, file), list);
    }
}

#[test]
fn without_a_manager_the_hook_is_gits_own() {
    let repository = Repository::new();
    assert!(init(&repository, &["--hook"]).contains("wrote "));
    let hook = repository.path(".git/hooks/pre-commit");
    assert!(fs::read_to_string(&hook).expect("it was written").contains("exec secondhand check --staged"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&hook).expect("it was written").permissions().mode() & 0o111, 0o111);
    }
    fs::write(&hook, "#!/bin/sh\nexit 0\n").expect("the file is ours");
    assert!(refused(&repository, &["--hook"]).contains("it already exists"));

    let repository = Repository::new();
    repository.git(&["config", "core.hooksPath", "hooks of ours"]);
    assert!(init(&repository, &["--hook"]).contains("wrote hooks of ours/pre-commit"));
}

#[test]
fn a_bare_repository_has_no_place_for_files() {
    let repository = Repository::new();
    repository.git(&["init", "--quiet", "--bare", "bare.git"]);
    let (status, said) = run(&mut secondhand(&repository.path("bare.git"), &["init"]));
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("the repository is bare"), "{said}");
}

#[test]
fn the_workflow_names_what_it_uses_by_its_commit() {
    let repository = Repository::new();
    init(&repository, &["--workflow"]);
    let workflow = fs::read_to_string(repository.path(".github/workflows/secondhand.yml")).expect("it was written");
    let uses: Vec<&str> = workflow.lines().filter_map(|line| line.trim().strip_prefix("- uses: ")).collect();
    assert_eq!(uses.len(), 2);
    for used in &uses {
        let commit = used.split_once('@').map_or("", |(_, rest)| rest.split(' ').next().unwrap_or_default());
        assert!(commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()), "{used}");
        // The pages show the same.
        for page in ["README.md", "docs/how-to/github-action.md"] {
            let text = fs::read_to_string(page).expect("the page is there");
            assert!(text.contains(&format!("uses: {used}\n")), "{page}: {used}");
        }
    }
    assert!(workflow.contains("trust: base"));
}

/// Runs `range.sh` in a repository whose only base and head are these.
#[cfg(unix)]
#[track_caller]
fn range(repository: &Repository, base: &str, head: &str) -> (Option<i32>, String) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/config/action/range.sh");
    let mut command = Command::new("bash");
    command.arg(script).current_dir(repository.root()).env("INPUT_BASE", base).env("INPUT_HEAD", head);
    for name in ["EVENT", "EVENT_BASE", "EVENT_HEAD", "PULL_REQUEST", "BASE_BRANCH", "DEFAULT_BRANCH", "TOKEN"] {
        command.env(name, "");
    }
    command.env("GITHUB_WORKSPACE", repository.root()).env("GITHUB_REF", "refs/heads/main");
    command.env("GITHUB_SERVER_URL", "https://example.invalid").env("INPUT_SUMMARY", "false");
    let (out, summary) = (repository.path("out.txt"), repository.path("summary.txt"));
    let output = command.env("GITHUB_OUTPUT", out).env("GITHUB_STEP_SUMMARY", summary).output();
    let output = output.expect("bash is installed");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
#[cfg(unix)]
fn the_action_hands_git_no_name_that_is_an_option() {
    let repository = Repository::new();
    repository.write("a.c", "int a;\n");
    let first = repository.commit("first");
    repository.write("b.c", "int b;\n");
    repository.commit("second");
    repository.git(&["remote", "add", "origin", "."]);
    assert_eq!(range(&repository, &first, "").0, Some(0));
    for option in ["--upload-pack=touch owned; git-upload-pack", "-x", "--output=owned"] {
        for (base, head) in [(option, ""), (&first, option)] {
            let (status, said) = range(&repository, base, head);
            assert_eq!(status, Some(2), "{said}");
            assert!(said.contains("is no commit, branch or tag"), "{said}");
        }
    }
    assert!(!repository.path("owned").exists());
}
