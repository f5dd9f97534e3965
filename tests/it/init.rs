//! Shows what `secondhand init` writes, and that it replaces nothing unless asked to.

use std::fs;
use std::process::Command;

use support::{Repository, secondhand};

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
    let (_, defaults) = run(&mut Repository::new().secondhand(&["config"]));
    assert_eq!(values(&said), values(&defaults));
}

#[test]
fn the_settings_are_the_defaults_without_their_marks_too() {
    let repository = Repository::new();
    init(&repository, &[]);
    let is_setting = |line: &str| line.starts_with(|c: char| c.is_ascii_lowercase() || c == '[');
    let text = read(&repository, "secondhand.toml");
    let settings: Vec<_> = text
        .lines()
        .filter_map(|line| line.strip_prefix('#').filter(|line| is_setting(line)))
        .collect();
    assert!(settings.len() >= 10, "{text}");
    repository.write("secondhand.toml", settings.join("\n"));
    let (status, said) = run(&mut repository.secondhand(&["config"]));
    assert_eq!(status, Some(0), "they can be read: {said}");
    let (_, defaults) = run(&mut Repository::new().secondhand(&["config"]));
    assert_eq!(values(&said), values(&defaults));
}

/// The settings that `config` prints besides levels, without where they are from.
fn values(said: &str) -> Vec<&str> {
    let settings = said.lines().filter(|line| !line.starts_with('#') && !line.starts_with("rules"));
    settings.map(|line| line.split("  # ").next().unwrap_or_default()).collect()
}

#[test]
fn the_example_of_a_table_can_be_used_as_it_is() {
    let repository = Repository::new();
    init(&repository, &[]);
    let text = read(&repository, "secondhand.toml");
    let example: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("#   ")).collect();
    assert_eq!(example.first(), Some(&"[[vendored]]"), "{text}");
    repository.write("secondhand.toml", example.join("\n"));
    let (status, said) = run(&mut repository.secondhand(&["config"]));
    assert_eq!(status, Some(0), "it can be read: {said}");
}

#[test]
fn what_is_there_is_kept_unless_it_is_to_be_replaced() {
    for path in ["secondhand.toml", ".config/secondhand.toml"] {
        let repository = Repository::new();
        repository.write(path, "min-tokens = 60\n");
        let kept = format!("kept {path}: it is there already; `--force` overwrites it\n");
        assert!(init(&repository, &["--workflow"]).starts_with(&kept));
        assert_eq!(read(&repository, path), "min-tokens = 60\n");
        assert!(
            init(&repository, &["--workflow"]).contains("kept .github/workflows/secondhand.yml")
        );
        init(&repository, &["--workflow", "--force"]);
        assert!(read(&repository, path).contains("#min-tokens"));
    }
}

#[test]
fn a_hook_goes_where_the_others_are() {
    let repository = Repository::new();
    let list = "repos:\n  - repo: https://example.invalid/hooks\n    rev: v1\n    hooks:\n      - id: a # mine\n";
    repository.write(".pre-commit-config.yaml", list);
    assert!(init(&repository, &[]).contains("added the hook to .pre-commit-config.yaml"));
    let added = read(&repository, ".pre-commit-config.yaml");
    assert!(added.starts_with(list), "what was there stays: {added}");
    assert!(added.contains("\n      - id: secondhand\n"), "{added}");
    assert!(
        init(&repository, &["--hook"]).contains("kept .pre-commit-config.yaml"),
        "it is added once"
    );
    assert_eq!(read(&repository, ".pre-commit-config.yaml"), added);

    let repository = Repository::new();
    repository.write(".pre-commit-config.yaml", "repos:\n- repo: meta\n  hooks: []\n");
    init(&repository, &["--hook"]);
    let added = read(&repository, ".pre-commit-config.yaml");
    assert!(added.contains("\n- repo: local\n  hooks:\n    - id: secondhand\n"), "{added}");

    let repository = Repository::new();
    repository.write("lefthook.yml", "pre-push:\n  jobs: []\n");
    init(&repository, &["--hook"]);
    assert!(
        read(&repository, "lefthook.yml").starts_with("pre-push:\n  jobs: []\n\npre-commit:\n")
    );

    let repository = Repository::new();
    repository.write(".husky/pre-commit", "npm test\n");
    init(&repository, &["--hook"]);
    assert_eq!(read(&repository, ".husky/pre-commit"), "npm test\nsecondhand check --staged\n");

    let repository = Repository::new();
    repository.write(".husky/pre-commit", "npm test\nexec npx lint-staged\n");
    init(&repository, &["--hook"]);
    let script = "npm test\nsecondhand check --staged\nexec npx lint-staged\n";
    assert_eq!(read(&repository, ".husky/pre-commit"), script, "what follows an exec is never run");
}

/// Checks that the hook is added to a list as `expected`, and taken out again.
#[track_caller]
fn check_lefthook(list: &str, expected: &str) {
    let repository = Repository::new();
    repository.write("lefthook.yml", list);
    init(&repository, &["--hook"]);
    let added = read(&repository, "lefthook.yml");
    let lines: Vec<_> = added.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    assert_eq!(lines.join("\n"), expected);
    assert!(init(&repository, &["--undo"]).contains("removed the hook from lefthook.yml"));
    assert_eq!(read(&repository, "lefthook.yml"), list);
}

#[test]
fn an_ordinary_lefthook_file_gets_the_hook_beside_its_own() {
    check_lefthook(
        "pre-commit:\n  parallel: true\n  commands:\n    vet:\n      run: go vet\npre-push:\n  jobs: []\n",
        "pre-commit:\n  parallel: true\n  commands:\n    secondhand:\n      run: secondhand check --staged\n    vet:\n      \
         run: go vet\npre-push:\n  jobs: []",
    );
    check_lefthook(
        "pre-commit:\n  jobs:\n    - run: go vet\n",
        "pre-commit:\n  jobs:\n    - name: secondhand\n      run: secondhand check --staged\n    - run: go vet",
    );
    check_lefthook(
        "pre-push:\n  jobs: []\n",
        "pre-push:\n  jobs: []\n\npre-commit:\n  commands:\n    secondhand:\n      run: secondhand check --staged",
    );
}

#[test]
fn what_was_written_is_taken_out_again_and_what_was_edited_stays() {
    let repository = Repository::new();
    repository.write(".pre-commit-config.yaml", "repos:\n  - repo: meta\n    hooks: []\n");
    init(&repository, &["--workflow", "--hook"]);
    let said = init(&repository, &["--undo"]);
    assert_eq!(said.lines().count(), 3, "{said}");
    assert!(!repository.path("secondhand.toml").exists());
    assert_eq!(
        read(&repository, ".pre-commit-config.yaml"),
        "repos:\n  - repo: meta\n    hooks: []\n"
    );

    let repository = Repository::new();
    repository.write(".jscpd.json", r#"{"minTokens": 70}"#);
    init(&repository, &["--from", "jscpd"]);
    repository.write("new.c", "int a;\n");
    assert_eq!(init(&repository, &["--undo"]), "removed secondhand.toml\n");

    let repository = Repository::new();
    init(&repository, &["--hook"]);
    repository.write("secondhand.toml", "min-tokens = 60\n");
    let said = init(&repository, &["--undo"]);
    assert!(
        said.starts_with("removed .git/hooks/pre-commit") && said.lines().count() == 1,
        "{said}"
    );
}

#[test]
fn settings_of_other_tools_are_taken_over_and_their_marks_are_obeyed() {
    let repository = Repository::new();
    repository.write(
        ".jscpd.json",
        r#"{"minTokens": 70, "ignore": ["**/gen/**"], "threshold": 5, "maxSize": "100kb"}"#,
    );
    let said = init(&repository, &["--from", "jscpd"]);
    assert!(
        said.contains("with those of .jscpd.json") && said.contains("--fail-on-percent 5"),
        "{said}"
    );
    let (status, said) = run(&mut repository.secondhand(&["config"]));
    assert_eq!(status, Some(0), "{said}");
    for line in [
        "min-tokens = 70 ",
        "ignore = [\"**/gen/**\"] ",
        "max-file-size = 102400 ",
        "honor = [\"jscpd\"] ",
    ] {
        assert!(said.contains(&format!("\n{line}")), "{line}: {said}");
    }

    for (size, expected) in [
        ("1.5mb", "max-file-size = 1572864"),
        ("99999999999999999999kb", "`maxSize`: \"9999"),
        ("some", "`maxSize`: \"some\""),
    ] {
        let repository = Repository::new();
        repository.write(".jscpd.json", format!("{{\"maxSize\": \"{size}\"}}"));
        let said = init(&repository, &["--from", "jscpd"])
            + &run(&mut repository.secondhand(&["config"])).1;
        assert!(said.contains(expected), "{size}: {said}");
    }

    for (file, text) in [
        ("pom.xml", "<properties><sonar.exclusions>**/a/**</sonar.exclusions></properties>"),
        ("build.gradle", "sonar { properties { property \"sonar.exclusions\", \"**/a/**\" } }"),
    ] {
        let repository = Repository::new();
        repository.write(file, text);
        init(&repository, &["--from", "sonar"]);
        let (_, said) = run(&mut repository.secondhand(&["config"]));
        assert!(said.contains("\nignore = [\"**/a/**\"] "), "{file}: {said}");
    }

    let repository = Repository::new();
    let properties = "sonar.cpd.exclusions=**/a/**,\\\n  **/b/**\nsonar.cpd.java.minimumTokens=80\nsonar.tests=checks\n";
    repository.write("sonar-project.properties", properties);
    init(&repository, &["--from", "sonar"]);
    let (_, said) = run(&mut repository.secondhand(&["config"]));
    assert!(
        said.contains("\nignore = [\"**/a/**\", \"**/b/**\"] ") && said.contains("min-tokens = 80"),
        "{said}"
    );

    let repository = Repository::new();
    let pom = "<plugin><artifactId>maven-pmd-plugin</artifactId><minimumTokens>90</minimumTokens>\
               <excludes><exclude>**/gen/*.java</exclude></excludes></plugin><minimumTokens>1</minimumTokens>";
    repository.write("pom.xml", pom);
    init(&repository, &["--from", "pmd"]);
    let (_, said) = run(&mut repository.secondhand(&["config"]));
    assert!(said.contains("\nmin-tokens = 90 ") && said.contains("**/gen/*.java"), "{said}");
}

#[test]
fn a_list_that_cannot_be_added_to_is_left_alone_and_the_entry_shown() {
    let lists = [
        (
            ".pre-commit-config.yaml",
            "repos: [{repo: meta, hooks: [{id: identity}]}]\n",
            "- id: secondhand",
        ),
        (
            ".pre-commit-config.yaml",
            "repos:\n- repo: local\n  hooks: []\nci:\n  skip: []\n",
            "- id: secondhand",
        ),
        ("lefthook.yml", "pre-commit: {jobs: []}\n", "run: secondhand check --staged"),
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
    assert!(
        fs::read_to_string(&hook)
            .expect("it was written")
            .contains("exec secondhand check --staged")
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            fs::metadata(&hook).expect("it was written").permissions().mode() & 0o111,
            0o111
        );
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
fn what_fits_is_written_without_being_asked_for_and_a_second_run_changes_nothing() {
    let repository = Repository::new();
    repository.write(".github/workflows/test.yml", "on: push\n");
    repository.write(".husky/pre-commit", "npm test\n");
    repository.write("src/a.rs", "fn a() {}\n");
    repository.write("src/b.rs", "fn b() {}\n");
    repository.write("run.py", "a()\n");
    repository.write("third_party/zlib/COPYING", "zlib\n");
    repository.write("third_party/zlib/contrib/LICENSE", "other\n");
    repository.write("third_party/zlib/inflate.c", "int inflate;\n");
    repository.write("third_party/notes/readme.txt", "no license is named here\n");
    repository.write("LICENSE", "ours\n");
    // Rules of three languages have this extension, and these are none of them.
    repository.write("other.rules", "-keep class a\n");
    repository.stage();
    let said = init(&repository, &[]);
    for wrote in [
        "wrote secondhand.toml",
        "1 vendored folder",
        "wrote .github/workflows/secondhand.yml",
        "added the hook to .husky",
    ] {
        assert!(said.contains(wrote), "{wrote}: {said}");
    }
    let settings = read(&repository, "secondhand.toml");
    assert!(
        settings.contains("Languages here, with their files: Rust (2), Python (1)."),
        "{settings}"
    );
    let found: Vec<_> = settings
        .lines()
        .filter(|line| line.starts_with("path = ") || line.starts_with("[["))
        .collect();
    assert_eq!(found, ["[[vendored]]", "path = \"third_party/zlib\""]);
    let (status, shown) = run(&mut repository.secondhand(&["config"]));
    assert_eq!(status, Some(0), "they can be read: {shown}");

    let files = ["secondhand.toml", ".github/workflows/secondhand.yml", ".husky/pre-commit"];
    let before: Vec<_> = files.iter().map(|file| read(&repository, file)).collect();
    let said = init(&repository, &[]);
    assert_eq!(said.matches("kept ").count(), 3, "{said}");
    assert!(!said.contains("wrote ") && !said.contains("added "), "{said}");
    assert_eq!(files.iter().map(|file| read(&repository, file)).collect::<Vec<_>>(), before);
}

#[test]
fn a_workflow_that_names_us_already_is_enough() {
    let repository = Repository::new();
    repository.write(
        ".github/workflows/checks.yml",
        "jobs: {a: {steps: [{uses: secondhand-audit/secondhand@v0}]}}\n",
    );
    assert!(
        init(&repository, &[]).contains("kept .github/workflows/checks.yml: it names secondhand")
    );
    assert!(!repository.path(".github/workflows/secondhand.yml").exists());
}

#[test]
fn where_nothing_runs_checks_only_the_settings_are_written() {
    let repository = Repository::new();
    let said = init(&repository, &[]);
    assert!(said.contains("also: `secondhand init --hook` checks each commit"), "{said}");
    assert!(
        !repository.path(".github").exists() && !repository.path(".git/hooks/pre-commit").exists()
    );
}

#[test]
fn other_systems_are_named_with_the_page_that_shows_what_to_add() {
    for settings in [".gitlab-ci.yml", "Jenkinsfile", ".circleci/config.yml"] {
        let repository = Repository::new();
        repository.write(settings, "stages: []\n");
        let said = init(&repository, &[]);
        assert!(said.contains("how-to/ci.md shows what to add"), "{said}");
        assert_eq!(read(&repository, settings), "stages: []\n");
    }
}

#[test]
fn a_list_that_nobody_asked_to_add_to_is_no_reason_to_fail() {
    let repository = Repository::new();
    repository.write("lefthook.yml", "pre-commit:\n  jobs: []\n");
    let said = init(&repository, &[]);
    assert!(said.contains("wrote secondhand.toml") && said.contains("add this by hand:"), "{said}");
    assert_eq!(read(&repository, "lefthook.yml"), "pre-commit:\n  jobs: []\n");
}
