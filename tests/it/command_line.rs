//! Shows how `secondhand check` meets its surroundings: what it judges, where it finds its
//! settings and its base, how it fails, and with which exit status.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::samples::{File, LANGUAGES, Language};
use secondhand::report::FORMATS;
use serde_json::{Value, json};
use support::{Report, Repository, git, git_command, secondhand};
use tempfile::TempDir;

/// The language of the files here.
const C: &Language = &LANGUAGES[0];

/// A file that others copy from.
fn store() -> File {
    C.file("store", &[C.first, C.second])
}

/// A file that copies from [`store`].
fn new() -> File {
    C.file("new", &[C.first])
}

/// The finding in [`new`].
fn finding() -> String {
    format!("warning {} <- type-1 {}", new().at(C.first), store().at(C.first))
}

/// A repository whose first commit has [`store`], and whose second adds [`new`].
fn repository_with_a_copy() -> Repository {
    let repository = Repository::new();
    add(&repository, &store());
    add(&repository, &new());
    repository
}

/// Commits `file`; returns the commit's id.
fn add(repository: &Repository, file: &File) -> String {
    repository.write(&file.path, &file.text);
    repository.commit(&format!("add {}", file.path))
}

/// Checks the findings of `report`, and the exit status.
#[track_caller]
fn check(report: &Report, status: i32, findings: &[String]) {
    assert_eq!(report.findings(), findings, "the findings");
    assert_eq!(report.status, status, "the exit status");
}

/// Checks that `command` does not do its audit, and says why: `error` is the whole of its first
/// line, and `help` a part of what follows. Nothing is printed where reports go.
#[track_caller]
fn check_failure(command: &mut Command, error: &str, help: &str) {
    let folder = command.get_current_dir().expect("each command here has a folder").display().to_string();
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    let errors = text(&stderr).replace(&folder, "<root>");
    assert_eq!(text(&stdout), "", "there is no report: {errors}");
    assert_eq!(status.code(), Some(2), "{errors}");
    assert_eq!(errors.lines().next(), Some(&*format!("error: {error}")), "{errors}");
    assert!(errors.contains(help), "{errors}\nshould say: {help}");
}

/// Runs `command` and returns what it printed; nothing goes to standard error.
#[track_caller]
fn printed(command: &mut Command) -> Vec<u8> {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    assert_eq!(text(&stderr), "");
    assert_ne!(status.code(), Some(2));
    stdout
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

mod exit_status {
    //! 0 nothing at or above `--fail-on`, 1 findings, 2 the audit could not be done.

    use super::*;

    #[test]
    fn findings_fail_from_the_level_that_is_asked_for() {
        let repository = repository_with_a_copy();
        let status = |args: &[&str]| repository.check(&[&["--base", "HEAD~1"], args].concat()).status;
        assert_eq!(status(&[]), 1);
        assert_eq!(status(&["--fail-on", "error"]), 0);
        assert_eq!(status(&["--fail-on", "warning"]), 1);
        assert_eq!(status(&["--fail-on", "note"]), 1);
        assert_eq!(status(&["--fail-on", "never"]), 0);
        assert_eq!(status(&["--set", "rules.copied-code=note"]), 0);
        assert_eq!(status(&["--set", "rules.copied-code=note", "--fail-on", "note"]), 1);
        assert_eq!(status(&["--set", "rules.copied-code=error", "--fail-on", "error"]), 1);
        assert_eq!(status(&["--set", "rules.copied-code=off"]), 0);
    }

    #[test]
    fn a_folder_that_is_no_repository_is_named_with_the_cure() {
        let folder = TempDir::new().expect("the folder for temporary files is writable");
        let mut command = secondhand(folder.path(), &["check"]);
        command.env("GIT_CEILING_DIRECTORIES", folder.path().parent().expect("it is not the root"));
        let output = command.output().expect("the program starts");
        assert_eq!(output.status.code(), Some(2));
        let errors = text(&output.stderr);
        assert!(errors.starts_with("error: cannot open a git repository at `.`: "), "{errors}");
        assert!(errors.contains("help: run it inside a repository, or name one with `--repo DIR`"), "{errors}");
    }

    #[test]
    fn an_unknown_revision_is_named() {
        let repository = repository_with_a_copy();
        for flags in [["--base", "nowhere"], ["--head", "nowhere"]] {
            check_failure(
                repository.secondhand(&["check"]).args(flags),
                "cannot resolve the revision `nowhere`: no branch, tag or commit has that name",
                "help: `git fetch` may bring it",
            );
        }
    }

    #[test]
    fn a_file_is_no_revision() {
        let repository = repository_with_a_copy();
        check_failure(
            &mut repository.secondhand(&["check", "--base", "HEAD:store.c"]),
            "cannot resolve the revision `HEAD:store.c`: no branch, tag or commit has that name",
            "help: ",
        );
    }

    #[test]
    fn commits_without_a_common_ancestor_are_named() {
        let repository = repository_with_a_copy();
        repository.git(&["checkout", "--quiet", "--orphan", "other"]);
        repository.commit("another beginning");
        let output = repository.secondhand(&["check", "--base", "main"]).output().expect("the program starts");
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2));
        assert!(errors.starts_with("error: cannot find the merge base of "), "{errors}");
        assert!(errors.contains("they share no history"), "{errors}");
    }

    #[test]
    fn an_unknown_format_is_named_with_those_there_are() {
        let repository = repository_with_a_copy();
        let names: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
        let there_are = format!("available: {}", names.join(", "));
        let help = |nearest: &str| format!("help: {nearest}{there_are}");
        let failing = |args: &[&str], name: &str, help: &str| {
            check_failure(repository.secondhand(&["check"]).args(args), &format!("unknown format `{name}`"), help);
        };
        failing(&["--format", "jsn"], "jsn", &help("did you mean `json`? "));
        failing(&["--report", "srif=x"], "srif", &help("did you mean `sarif`? "));
        failing(&["--report", "json=y", "--report", "word=x"], "word", &help(""));
        assert!(!repository.path("x").exists() && !repository.path("y").exists());
    }

    #[test]
    fn a_command_takes_the_formats_that_its_help_names() {
        let repository = repository_with_a_copy();
        let mut n_commands = 0;
        for command in secondhand::cli::command().get_subcommands() {
            let Some(flag) = command.get_arguments().find(|flag| flag.get_id() == "format") else { continue };
            let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
            let named = help.strip_prefix("Output format: ").expect("the help names the formats");
            let mut run = repository.secondhand(&[command.get_name(), "--format", "?"]);
            // Only these need to be given something.
            run.args(["compare", "report", "resemblance"].contains(&command.get_name()).then_some("."));
            check_failure(&mut run, "unknown format `?`", &format!("help: available: {named}"));
            n_commands += 1;
        }
        assert_eq!(n_commands, 9);
    }

    /// Checks that a report to `file` is refused before the audit: the base that it would stop at is never looked for.
    #[track_caller]
    fn check_unwritable(repository: &Repository, file: &str, why: &str) {
        for flags in [["--output".to_owned(), file.to_owned()], ["--report".to_owned(), format!("json={file}")]] {
            check_failure(
                repository.secondhand(&["check", "--base", "nowhere"]).args(flags),
                &format!("cannot write the report to `{file}`: {why}"),
                "",
            );
        }
    }

    #[test]
    fn an_output_that_cannot_be_written_is_named_before_the_audit() {
        let repository = repository_with_a_copy();
        check_unwritable(&repository, "none/report", "No such file or directory (os error 2)");
        check_unwritable(&repository, ".git", "is a directory");
    }

    #[test]
    #[cfg(unix)]
    fn a_folder_that_is_write_protected_is_no_place_for_a_report() {
        use std::os::unix::fs::PermissionsExt;
        let repository = repository_with_a_copy();
        fs::create_dir(repository.path("closed")).expect("the repository is writable");
        let set = |mode| fs::set_permissions(repository.path("closed"), fs::Permissions::from_mode(mode));
        set(0o555).expect("the folder is ours");
        // The superuser may write anywhere.
        if fs::write(repository.path("closed/trial"), "").is_err() {
            check_unwritable(&repository, "closed/report", "permission denied");
        }
        set(0o755).expect("the folder is ours");
    }

    #[test]
    fn two_reports_to_one_file_are_refused() {
        let repository = repository_with_a_copy();
        check_failure(
            &mut repository.secondhand(&["check", "--report", "json=report", "--output", ".git/../report"]),
            "cannot write two reports to `.git/../report`: the second would replace the first",
            "help: give each report a file of its own",
        );
        assert!(!repository.path("report").exists());
    }

    #[test]
    fn an_audit_that_fails_leaves_the_report_of_the_last_one() {
        let repository = repository_with_a_copy();
        repository.write("report", "the last one");
        let output = repository.secondhand(&["check", "--base", "nowhere", "--output", "report"]).output();
        assert_eq!(output.expect("the program starts").status.code(), Some(2));
        assert_eq!(fs::read(repository.path("report")).expect("it is there"), b"the last one");
    }

    #[test]
    fn several_reports_are_written_at_once_and_nothing_else() {
        let repository = repository_with_a_copy();
        let mut command = repository.secondhand(&["check", "--base", "HEAD~1", "--quiet"]);
        for format in FORMATS {
            command.args(["--report", &format!("{}=report.{}", format.name, format.name)]);
        }
        assert!(!printed(&mut command).is_empty());
        let status = repository.git(&["status", "--porcelain", "--untracked-files=all"]);
        let mut expected: Vec<_> = FORMATS.iter().map(|format| format!("?? report.{}", format.name)).collect();
        expected.sort();
        assert_eq!(status.lines().map(str::trim).collect::<Vec<_>>(), expected);
    }

    #[test]
    #[cfg(unix)]
    fn a_report_through_a_link_outside_of_the_repository_goes_where_the_link_points() {
        let repository = repository_with_a_copy();
        let outside = TempDir::new().expect("it can be made");
        fs::write(outside.path().join("report"), "old").expect("it is writable");
        let link = outside.path().join("link");
        std::os::unix::fs::symlink("report", &link).expect("links can be made");
        let mut command = repository.secondhand(&["check", "--base", "HEAD~1", "--format=json", "--output"]);
        printed(command.arg(&link));
        let text = fs::read_to_string(outside.path().join("report")).expect("it was written");
        assert!(text.starts_with('{'), "{text}");
        assert!(fs::symlink_metadata(link).expect("it is there").is_symlink());
    }

    #[test]
    fn flags_that_exclude_each_other_are_refused() {
        let repository = repository_with_a_copy();
        for flags in [["--staged", "--worktree"], ["--staged", "--head=HEAD"], ["--worktree", "--head=HEAD"]] {
            let output = repository.secondhand(&["check"]).args(flags).output().expect("the program starts");
            assert_eq!(output.status.code(), Some(2), "{flags:?}");
        }
    }

    #[test]
    fn a_missing_blob_is_named_whether_it_is_changed_or_compared() {
        for path in ["store.c", "new.c"] {
            let repository = repository_with_a_copy();
            let id = repository.git(&["rev-parse", &format!("HEAD:{path}")]);
            repository.remove(format!(".git/objects/{}/{}", &id[..2], &id[2..]));
            check_failure(
                &mut repository.secondhand(&["check", "--base", "HEAD~1"]),
                &format!("cannot read `{path}`: its blob {id} is not in this clone"),
                "`git fetch --refetch --no-filter`",
            );
        }
    }

    #[test]
    fn a_missing_blob_that_is_no_source_is_not_missed() {
        let repository = repository_with_a_copy();
        repository.write("picture.png", "not a picture");
        repository.commit("add a picture");
        let id = repository.git(&["rev-parse", "HEAD:picture.png"]);
        repository.remove(format!(".git/objects/{}/{}", &id[..2], &id[2..]));
        check(&repository.check(&["--base", "HEAD~2"]), 1, &[finding()]);
    }

    #[test]
    fn a_missing_tree_is_an_error() {
        let repository = Repository::new();
        repository.write("src/store.c", store().text);
        repository.commit("before");
        repository.write("new.c", new().text);
        repository.commit("after");
        let id = repository.git(&["rev-parse", "HEAD:src"]);
        repository.remove(format!(".git/objects/{}/{}", &id[..2], &id[2..]));
        let output = repository.secondhand(&["check", "--base", "HEAD~1"]).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    }

    #[test]
    fn a_damaged_blob_is_named() {
        let repository = repository_with_a_copy();
        let id = repository.git(&["rev-parse", "HEAD:store.c"]);
        let object = format!(".git/objects/{}/{}", &id[..2], &id[2..]);
        repository.remove(&object);
        repository.write(&object, "damaged");
        let output = repository.secondhand(&["check", "--base", "HEAD~1"]).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("store.c"), "{}", text(&output.stderr));
    }

    #[test]
    fn a_closed_pipe_ends_quietly() {
        let repository = repository_with_a_copy();
        for format in FORMATS {
            let (reader, writer) = std::io::pipe().expect("there are pipes");
            drop(reader);
            let mut command = repository.secondhand(&["check", "--base", "HEAD~1", "--format", format.name]);
            let child = command.stdout(writer).stderr(Stdio::piped()).spawn().expect("the program starts");
            let output = child.wait_with_output().expect("the program ends");
            assert_eq!(text(&output.stderr), "", "{}", format.name);
            assert_eq!(output.status.code(), Some(1), "{}", format.name);
        }
    }
}

mod shallow {
    //! A clone whose history ends early is told apart from a wrong name, with the cure.

    use super::*;

    const CURE: &str = "`git fetch --unshallow`, or `fetch-depth: 0` for actions/checkout";

    /// A clone of `repository` with one commit of each of its `branches`; the first is checked out.
    fn shallow_clone(repository: &Repository, branches: &str) -> TempDir {
        let folder = TempDir::new().expect("the folder for temporary files is writable");
        let url = format!("file://{}", repository.root().display());
        git(folder.path(), &["clone", "--quiet", "--depth=1", "--no-single-branch", "--branch", branches, &url, "."]);
        folder
    }

    #[test]
    fn a_base_that_was_not_fetched_is_named() {
        let repository = repository_with_a_copy();
        let base = repository.git(&["rev-parse", "HEAD~1"]);
        let clone = shallow_clone(&repository, "main");
        check_failure(
            &mut secondhand(clone.path(), &["check", "--base", &base]),
            &format!("cannot resolve the revision `{base}`: no branch, tag or commit has that name"),
            CURE,
        );
    }

    #[test]
    fn a_commit_before_the_head_that_was_not_fetched_is_named() {
        let repository = repository_with_a_copy();
        let base = repository.git(&["rev-parse", "--short=10", "HEAD~1"]);
        let clone = shallow_clone(&repository, "main");
        check_failure(
            &mut secondhand(clone.path(), &["check"]),
            &format!("cannot read commit {base}: this clone is shallow and ends before it"),
            CURE,
        );
    }

    #[test]
    fn a_merge_base_that_was_not_fetched_is_missed() {
        let repository = Repository::new();
        add(&repository, &store());
        repository.git(&["checkout", "--quiet", "-b", "topic"]);
        add(&repository, &new());
        repository.git(&["checkout", "--quiet", "main"]);
        repository.commit("something else");
        let clone = shallow_clone(&repository, "topic");
        for flags in [&[][..], &["--base", "origin/main"]] {
            let output = secondhand(clone.path(), &["check"]).args(flags).output().expect("the program starts");
            let errors = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
            assert!(errors.starts_with("error: cannot find the merge base of "), "{errors}");
            assert!(errors.contains("this clone is shallow and ends before it"), "{errors}");
            assert!(errors.contains(CURE), "{errors}");
        }
    }

    #[test]
    fn a_clone_that_goes_back_to_the_base_is_deep_enough() {
        let repository = Repository::new();
        repository.commit("long ago");
        add(&repository, &store());
        add(&repository, &new());
        let folder = TempDir::new().expect("the folder for temporary files is writable");
        let url = format!("file://{}", repository.root().display());
        git(folder.path(), &["clone", "--quiet", "--depth=2", &url, "."]);
        let report = Report::new(&mut secondhand(folder.path(), &["check", "--format=json", "--base=HEAD~1"]));
        check(&report, 1, &[finding()]);
    }
}

mod settings {
    //! Flags win, then variables, then the file; a file that cannot be used is an error.

    use super::*;

    #[test]
    fn an_unknown_key_is_named_with_its_line_and_the_nearest_key() {
        let repository = repository_with_a_copy();
        repository.write("secondhand.toml", "# sizes\nmin-token = 40\n");
        check_failure(
            &mut repository.secondhand(&["check", "--base", "HEAD~1"]),
            "cannot read `secondhand.toml`, line 2: unknown option `min-token`",
            "help: did you mean `min-tokens`? All options: `secondhand config --list`",
        );
    }

    #[test]
    fn a_broken_language_table_is_named_with_its_line_and_key() {
        const LIST: &str = "all options: `secondhand config --list`";
        let cases = [
            (
                "name = \"ZZ\"\narond = \"html\"\n",
                "line 4: unknown option `arond`",
                "did you mean `around`? All options: `secondhand config --list`",
            ),
            (
                "name = \"ZZ\"\naround = \"htlm\"\n",
                "line 4: language `zz`, `around`: there is no language `htlm`; `secondhand languages` lists all",
                LIST,
            ),
            (
                "name = \"ZZ\"\n[[language.zz.strings]]\nopen = \"'\"\n[[language.zz.strings]]\nopen = 3\n",
                "line 7: it must be a string or a list of strings",
                LIST,
            ),
            (
                "name = \"ZZ\"\n[[language.zz.strings]]\nopen = \"'\"\n[[language.zz.strings]]\nopen = \"[\"\nescape = \"é\"\n",
                "line 8: language `zz`, `escape` of row 2 of `strings`: `é` is not ASCII",
                LIST,
            ),
            (
                "name = \"ZZ\"\n[[language.zz.string]]\nopen = \"'\"\n",
                "line 4: unknown option `string`",
                "did you mean `strings`? All options: `secondhand config --list`",
            ),
        ];
        let repository = repository_with_a_copy();
        for (table, why, help) in cases {
            repository.write("secondhand.toml", format!("# ours\n[language.zz]\n{table}"));
            let error = format!("cannot read `secondhand.toml`, {why}");
            check_failure(&mut repository.secondhand(&["check", "--base", "HEAD~1"]), &error, help);
        }
    }

    #[test]
    fn an_unknown_key_of_a_flag_is_named_with_the_nearest_key() {
        let repository = repository_with_a_copy();
        check_failure(
            &mut repository.secondhand(&["check", "--base", "HEAD~1", "--set", "min-token=40"]),
            "cannot use `min-token` of --set: unknown option `min-token`",
            "help: did you mean `min-tokens`? All options: `secondhand config --list`",
        );
    }

    #[test]
    fn a_file_that_is_not_toml_is_named_with_the_line() {
        let repository = repository_with_a_copy();
        repository.write("secondhand.toml", "min-tokens = 40\nignore = [\n");
        let output = repository.secondhand(&["check", "--base", "HEAD~1"]).output().expect("the program starts");
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2));
        assert!(errors.starts_with("error: cannot read `secondhand.toml`, line 2: "), "{errors}");
    }

    #[test]
    fn a_value_that_cannot_be_used_is_named_with_its_place() {
        let repository = repository_with_a_copy();
        repository.write("secondhand.toml", "min-tokens = 3\n");
        let output = repository.secondhand(&["check", "--base", "HEAD~1"]).output().expect("the program starts");
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2));
        assert!(errors.starts_with("error: cannot use `min-tokens` of `"), "{errors}");
        assert!(errors.contains("secondhand.toml`: 3 is below the guarantee threshold of 20"), "{errors}");
    }

    #[test]
    fn a_folder_in_the_place_of_a_named_file_is_an_error() {
        let repository = repository_with_a_copy();
        repository.write("settings/secondhand.toml", "");
        check_failure(
            &mut repository.secondhand(&["check", "--base", "HEAD~1", "--config", "settings"]),
            "cannot read `settings`: Is a directory (os error 21)",
            "",
        );
    }

    #[test]
    fn a_named_file_that_is_not_there_is_an_error() {
        let repository = repository_with_a_copy();
        check_failure(
            &mut repository.secondhand(&["check", "--base", "HEAD~1", "--config", "none.toml"]),
            "cannot read `none.toml`: No such file or directory (os error 2)",
            "",
        );
    }

    #[test]
    fn a_folder_in_the_place_of_the_file_is_an_error() {
        let repository = repository_with_a_copy();
        fs::create_dir(repository.path("secondhand.toml")).expect("the repository is writable");
        let output = repository.secondhand(&["check", "--base", "HEAD~1"]).output().expect("the program starts");
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        assert!(errors.contains("secondhand.toml") && errors.contains("Is a directory"), "{errors}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_file_that_is_not_there_is_an_error() {
        let repository = repository_with_a_copy();
        std::os::unix::fs::symlink("none.toml", repository.path("secondhand.toml")).expect("there are links");
        let output = repository.secondhand(&["check", "--base", "HEAD~1"]).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        assert!(text(&output.stderr).contains("secondhand.toml"), "{}", text(&output.stderr));
    }

    #[test]
    fn a_variable_that_cannot_be_used_is_an_error() {
        let repository = repository_with_a_copy();
        for (name, value) in [("SECONDHAND_MIN_TOKENS", "many"), ("SECONDHAND_MAX_GAP", "wide")] {
            let output = repository.secondhand(&["check", "--base", "HEAD~1"]).env(name, value).output();
            let output = output.expect("the program starts");
            assert_eq!(output.status.code(), Some(2), "{name}");
            assert!(text(&output.stderr).contains(value), "{}", text(&output.stderr));
        }
    }

    /// The findings with this file, these variables and these flags.
    #[track_caller]
    fn n_findings(file: &str, variables: &[(&str, &str)], flags: &[&str]) -> usize {
        let repository = repository_with_a_copy();
        repository.write("secondhand.toml", file);
        let mut command = repository.secondhand(&["check", "--format", "json", "--base", "HEAD~1"]);
        Report::new(command.args(flags).envs(variables.iter().copied())).findings().len()
    }

    const HIGH: &str = "min-tokens = 1000";
    const LOW: &str = "min-tokens = 50";

    #[test]
    fn the_file_counts() {
        assert_eq!(n_findings(LOW, &[], &[]), 1);
        assert_eq!(n_findings(HIGH, &[], &[]), 0);
    }

    #[test]
    fn what_other_programs_call_ignore_leads_to_it() {
        let repository = repository_with_a_copy();
        for key in ["exclude", "skip"] {
            check_failure(
                &mut repository.secondhand(&["check", "--set", &format!("{key}=x")]),
                &format!("cannot use `{key}` of --set: unknown option `{key}`"),
                "help: did you mean `ignore`?",
            );
        }
    }

    #[test]
    fn a_day_is_a_date_of_toml_or_a_text() {
        let repository = repository_with_a_copy();
        let status = |day: &str| {
            let exception = format!("[[license.exceptions]]\npath = \"a\"\nreason = \"b\"\nuntil = {day}\n");
            let decision = format!("[[decision]]\ncopy = \"a\"\nby = \"b\"\nreason = \"c\"\nuntil = {day}\n");
            repository.write("secondhand.toml", exception);
            repository.write("secondhand-decisions.toml", decision);
            repository.secondhand(&["check", "--base", "HEAD~1"]).output().expect("the program starts").status.code()
        };
        assert_eq!(["2099-01-31", "\"2099-01-31\""].map(status), [Some(1); 2]);
        assert_eq!(["2099-01-31T00:00:00", "5", "\"soon\""].map(status), [Some(2); 3]);
    }

    #[test]
    fn a_variable_without_effect_is_reported() {
        let repository = repository_with_a_copy();
        let output = repository.secondhand(&["check"]).env("SECONDHAND_MIN_TOKEN", "40").output();
        let output = output.expect("the program starts");
        assert_eq!(output.status.code(), Some(1));
        let expected = "warning: the variable `SECONDHAND_MIN_TOKEN` has no effect: no option or flag has that name; \
                        did you mean `SECONDHAND_MIN_TOKENS`?\n";
        assert_eq!(text(&output.stderr), expected);
    }

    #[test]
    fn the_file_may_stand_in_the_folder_for_settings() {
        let repository = repository_with_a_copy();
        repository.write(".config/secondhand.toml", HIGH);
        check(&repository.check(&["--base", "HEAD~1"]), 0, &[]);
    }

    #[test]
    fn the_file_counts_in_a_subfolder_too() {
        let repository = repository_with_a_copy();
        repository.write("secondhand.toml", HIGH);
        repository.write("src/deep/x.c", "");
        let folder = repository.path("src/deep");
        check(&Report::new(&mut secondhand(&folder, &["check", "--format=json", "--base=HEAD~1"])), 0, &[]);
    }

    #[test]
    fn a_variable_outweighs_the_file() {
        assert_eq!(n_findings(HIGH, &[("SECONDHAND_MIN_TOKENS", "50")], &[]), 1);
        assert_eq!(n_findings(LOW, &[("SECONDHAND_MIN_TOKENS", "1000")], &[]), 0);
    }

    #[test]
    fn a_flag_outweighs_a_variable_and_the_file() {
        assert_eq!(n_findings(HIGH, &[("SECONDHAND_MIN_TOKENS", "1000")], &["--min-tokens", "50"]), 1);
        assert_eq!(n_findings(LOW, &[("SECONDHAND_MIN_TOKENS", "50")], &["--min-tokens", "1000"]), 0);
    }

    #[test]
    fn an_option_set_by_a_flag_outweighs_the_file() {
        assert_eq!(n_findings(HIGH, &[], &["--set", "min-tokens=50"]), 1);
        assert_eq!(n_findings(LOW, &[], &["--set", "min-tokens=1000"]), 0);
    }

    #[test]
    fn an_option_set_by_a_flag_outweighs_a_variable() {
        assert_eq!(n_findings("", &[("SECONDHAND_MIN_TOKENS", "1000")], &["--set", "min-tokens=50"]), 1);
        assert_eq!(n_findings("", &[("SECONDHAND_MIN_TOKENS", "50")], &["--set", "min-tokens=1000"]), 0);
    }

    #[test]
    fn an_isolated_run_reads_no_file_but_variables() {
        assert_eq!(n_findings(HIGH, &[], &["--isolated"]), 1);
        assert_eq!(n_findings(LOW, &[("SECONDHAND_MIN_TOKENS", "1000")], &["--isolated"]), 0);
    }

    #[test]
    fn a_file_named_by_a_flag_or_a_variable_takes_the_place_of_the_repositorys() {
        let other = TempDir::new().expect("the folder for temporary files is writable");
        let other = other.path().join("other.toml");
        fs::write(&other, HIGH).expect("the folder is writable");
        let other = other.to_str().expect("its name is UTF-8");
        assert_eq!(n_findings(LOW, &[], &["--config", other]), 0);
        assert_eq!(n_findings(LOW, &[("SECONDHAND_CONFIG", other)], &[]), 0);
    }
}

mod range {
    //! What is judged, and against what: commits, the index, the work tree; the base from flags or CI.

    use super::*;

    #[test]
    fn the_base_is_the_merge_base() {
        let repository = Repository::new();
        add(&repository, &store());
        repository.git(&["checkout", "--quiet", "-b", "topic"]);
        add(&repository, &new());
        repository.git(&["checkout", "--quiet", "main"]);
        // In a plain difference of the two this would be cut, and pasted on the topic.
        add(&repository, &C.file("other", &[C.first]));
        check(&repository.check(&["--base", "main", "--head", "topic"]), 1, &[finding()]);
        let own = finding().replace("new.c", "other.c");
        check(&repository.check(&["--base", "topic", "--head", "main"]), 1, &[own]);
    }

    #[test]
    fn the_ends_are_named_in_the_report() {
        let repository = repository_with_a_copy();
        let (base, head) = (repository.git(&["rev-parse", "HEAD~1"]), repository.git(&["rev-parse", "HEAD"]));
        let report = repository.check(&["--base", "HEAD~1"]);
        assert_eq!(report.json["base"], json!({ "name": "HEAD~1", "commit": base }));
        assert_eq!(report.json["head"], json!({ "name": "HEAD", "commit": head }));
    }

    #[test]
    fn without_a_flag_a_branch_is_judged_against_the_default_branch() {
        let repository = Repository::new();
        add(&repository, &store());
        repository.git(&["checkout", "--quiet", "-b", "topic"]);
        add(&repository, &new());
        repository.commit("something else");
        check(&repository.check(&[]), 1, &[finding()]);
    }

    #[test]
    fn without_a_flag_the_default_branch_is_judged_against_the_commit_before() {
        let repository = repository_with_a_copy();
        check(&repository.check(&[]), 1, &[finding()]);
        repository.commit("something else");
        check(&repository.check(&[]), 0, &[]);
    }

    #[test]
    fn without_a_flag_the_first_commit_is_judged_against_nothing() {
        let repository = Repository::new();
        repository.write("store.c", store().text);
        add(&repository, &new());
        let report = repository.check(&[]);
        check(&report, 1, &[format!("warning {} <- type-1 {}", store().at(C.first), new().at(C.first))]);
        assert_eq!(report.json["base"], Value::Null);
    }

    /// The notices of a report, each with its message alone.
    fn notices(report: &Report) -> Vec<&str> {
        report.list("/notices").iter().map(|notice| notice["message"].as_str().expect("it has a message")).collect()
    }

    /// A repository with [`store`] on the default branch.
    fn repository_with_a_store() -> Repository {
        let repository = Repository::new();
        add(&repository, &store());
        repository
    }

    #[test]
    fn without_commits_of_its_own_what_is_uncommitted_is_judged_and_it_says_so() {
        let repository = repository_with_a_store();
        repository.write("new.c", new().text);
        let says = "no commits beyond the base, so this judged 1 uncommitted file, as `--worktree` does; \
                    `--head HEAD` judges the last commit";
        for (args, head, says) in [
            (&[][..], "the work tree", vec![says]),
            (&["--base", "main"], "the work tree", vec![says]),
            (&["--head", "HEAD"], "HEAD", vec![]),
        ] {
            let report = repository.check(args);
            assert_eq!((&report.json["head"]["name"], notices(&report)), (&json!(head), says), "{args:?}");
        }
        repository.git(&["checkout", "--quiet", "-b", "topic"]);
        check(&repository.check(&[]), 1, &[finding()]);
        // A machine judges what was committed, whatever its build left behind.
        let report = Report::new(repository.secondhand(&["check", "--format", "json"]).env("CI", "true"));
        assert_eq!((&report.json["head"]["name"], notices(&report)), (&json!("HEAD"), vec![]));
    }

    #[test]
    fn before_the_first_commit_what_is_uncommitted_is_judged() {
        let repository = Repository::new();
        repository.write("store.c", store().text);
        repository.write("new.c", new().text);
        check(&repository.check(&[]), 1, &[format!("warning {} <- type-1 {}", store().at(C.first), new().at(C.first))]);
    }

    #[test]
    fn what_a_branch_has_not_committed_is_counted_with_the_flag_that_judges_it() {
        let repository = repository_with_a_store();
        repository.git(&["checkout", "--quiet", "-b", "topic"]);
        repository.commit("of its own");
        let says = |expected: &[&str], args: &[&str]| {
            let report = repository.check(args);
            assert_eq!((report.status, notices(&report)), (0, expected.to_vec()), "{args:?}");
        };
        says(&[], &[]);
        // Nobody misses what is no source.
        repository.write("notes.xyz", "text");
        says(&[], &[]);
        repository.write("new.c", new().text);
        says(&["1 uncommitted file is not judged; use `--worktree`"], &[]);
        says(&["1 uncommitted file is not judged; use `--worktree`"], &["--base", "main"]);
        says(&[], &["--head", "HEAD"]);
        says(&[], &["store.c"]);
        repository.stage();
        says(&["1 uncommitted file is not judged; use `--staged`"], &[]);
        repository.write("other.c", "int other;\n");
        says(&["2 uncommitted files are not judged; use `--worktree`, or `--staged` for the 1 in the index"], &[]);
    }

    #[test]
    fn paths_limit_what_is_judged_but_not_what_it_is_compared_with() {
        let repository = repository_with_a_store();
        repository.write("lib/new.c", new().text);
        repository.write("lib2/new.c", "int nothing;\n");
        repository.commit("a copy");
        let report = repository.check(&["lib"]);
        check(&report, 1, &[finding().replace("new.c", "lib/new.c")]);
        assert_eq!(report.json["examined"]["judgedFiles"], 1);
        check(&repository.check(&["lib2", "store.c"]), 0, &[]);
        check(&repository.check(&["."]), 1, &report.findings());
        let below = secondhand(&repository.path("lib"), &["check", "--format", "json", "new.c"]).output();
        assert_eq!(below.expect("the program starts").status.code(), Some(1));
        // Code that leaves a file which is not judged is still moved, not copied.
        repository.write("store.c", C.file("store", &[C.second]).text);
        repository.write("lib3/moved.c", C.file("moved", &[C.first]).text);
        repository.remove("lib/new.c");
        repository.commit("a move");
        check(&repository.check(&["lib3"]), 0, &[]);
    }

    #[test]
    fn a_revision_in_the_place_of_a_path_leads_to_the_flag() {
        let repository = repository_with_a_copy();
        for (arg, help) in [
            ("main", "help: to compare with it, use `--base main`"),
            ("HEAD~1..main", "help: to compare the two, use `--base HEAD~1 --head main`"),
            ("HEAD~1..", "help: to compare the two, use `--base HEAD~1`"),
        ] {
            let error = format!("cannot check the path `{arg}`: it is a revision, not a file or folder");
            check_failure(&mut repository.secondhand(&["check", arg]), &error, help);
        }
        check_failure(
            &mut repository.secondhand(&["check", "nowhere"]),
            "cannot check the path `nowhere`: there is no such file or folder",
            "help: ",
        );
    }

    #[test]
    fn tags_and_branches_of_remotes_are_revisions() {
        let repository = repository_with_a_copy();
        repository.git(&["tag", "--annotate", "--message=first", "v1", "HEAD~1"]);
        repository.git(&["update-ref", "refs/remotes/origin/release", "HEAD~1"]);
        check(&repository.check(&["--base", "v1"]), 1, &[finding()]);
        check(&repository.check(&["--base", "origin/release"]), 1, &[finding()]);
    }

    #[test]
    fn staged_judges_the_index_and_not_the_work_tree() {
        let repository = Repository::new();
        add(&repository, &store());
        repository.write("new.c", new().text);
        check(&repository.check(&["--staged"]), 0, &[]);
        repository.stage();
        repository.write("new.c", "int nothing;\n");
        let report = repository.check(&["--staged"]);
        check(&report, 1, &[finding()]);
        assert_eq!(report.json["head"], json!({ "name": "the index", "commit": null }));
    }

    #[test]
    fn staged_takes_the_origin_from_the_index_too() {
        let repository = Repository::new();
        add(&repository, &store());
        repository.write("new.c", new().text);
        repository.stage();
        repository.write("store.c", "int nothing;\n");
        check(&repository.check(&["--staged"]), 1, &[finding()]);
        repository.stage();
        // Now it is cut there and pasted here.
        check(&repository.check(&["--staged"]), 0, &[]);
    }

    #[test]
    fn staged_judges_the_first_commit_before_it_is_made() {
        let repository = Repository::new();
        repository.write("store.c", store().text);
        repository.write("new.c", new().text);
        repository.stage();
        let report = repository.check(&["--staged"]);
        check(&report, 1, &[format!("warning {} <- type-1 {}", store().at(C.first), new().at(C.first))]);
        assert_eq!(report.json["base"], Value::Null);
    }

    #[test]
    fn staged_is_clean_in_a_repository_without_anything() {
        check(&Repository::new().check(&["--staged"]), 0, &[]);
    }

    #[test]
    fn without_a_commit_there_is_nothing_to_judge() {
        let repository = Repository::new();
        check_failure(
            &mut repository.secondhand(&["check"]),
            "cannot find what to compare with: there is no commit yet; `--staged` checks the first one",
            "help: ",
        );
    }

    #[test]
    fn staged_with_a_base_judges_from_there_on() {
        let repository = repository_with_a_copy();
        repository.write("other.c", C.third);
        repository.stage();
        check(&repository.check(&["--staged"]), 0, &[]);
        check(&repository.check(&["--staged", "--base", "HEAD~1"]), 1, &[finding()]);
    }

    #[test]
    fn a_hook_of_a_commit_judges_what_the_commit_will_record() {
        // `git commit --all`, `git commit FILE` and `git commit --patch` give their hooks an index of their own.
        for args in [&["--all"][..], &["other.c"], &["--patch"]] {
            let repository = Repository::new();
            repository.write("store.c", store().text);
            add(&repository, &C.file("other", &[C.third]));
            let hook = format!("#!/bin/sh\nexec '{}' check --staged\n", env!("CARGO_BIN_EXE_secondhand"));
            repository.write(".git/hooks/pre-commit", hook);
            make_executable(&repository.path(".git/hooks/pre-commit"));
            repository.write("other.c", C.file("other", &[C.third, C.first]).text);
            check(&repository.check(&["--staged"]), 0, &[]);
            let mut commit = git_command(repository.root(), &["commit", "--message=paste"]);
            repository.write(".git/answers", "y\n");
            let answers = fs::File::open(repository.path(".git/answers")).expect("it was written");
            let commit = commit.args(args).stdin(answers).output().expect("git is installed");
            assert!(!commit.status.success(), "the hook refuses: {}", text(&commit.stderr));
            assert!(text(&commit.stderr).contains("copied from store.c:1"), "{}", text(&commit.stderr));
        }
    }

    fn make_executable(path: &Path) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("the file is ours");
        }
        assert!(path.exists());
    }

    #[test]
    fn of_a_conflict_our_side_is_judged_and_the_file_is_named() {
        let repository = Repository::new();
        add(&repository, &store());
        repository.git(&["checkout", "--quiet", "-b", "topic"]);
        add(&repository, &C.file("new", &[C.third]));
        repository.git(&["checkout", "--quiet", "main"]);
        add(&repository, &new());
        let mut merge = git_command(repository.root(), &["merge", "topic"]);
        let merged = merge.output().expect("git is installed");
        assert!(!merged.status.success(), "there is a conflict");
        let named = || "warning not examined: new.c (in conflict)".to_owned();
        check(&repository.check(&["--staged"]), 1, &[named()]);
        check(&repository.check(&["--staged", "--base", "topic"]), 1, &[named(), finding()]);
    }

    #[test]
    fn what_a_merge_brings_in_is_not_new() {
        let repository = Repository::new();
        add(&repository, &store());
        add(&repository, &C.file("conflict", &["int here;\n"]));
        repository.git(&["checkout", "--quiet", "-b", "topic"]);
        repository.write("conflict.c", "int there;\n");
        add(&repository, &new());
        repository.git(&["checkout", "--quiet", "main", "--"]);
        repository.write("conflict.c", "int elsewhere;\n");
        repository.commit("conflicts");
        let merged = git_command(repository.root(), &["merge", "topic"]).output().expect("git is installed");
        assert!(!merged.status.success(), "there is a conflict");
        repository.write("conflict.c", "int here, there;\n");
        repository.stage();
        check(&repository.check(&["--staged"]), 0, &[]);
        check(&repository.check(&["--worktree"]), 0, &[]);
        // The merge commit's own doing is.
        repository.write("conflict.c", C.file("conflict", &[C.third]).text);
        repository.write("resolved.c", new().text);
        repository.stage();
        let report = repository.check(&["--staged"]);
        assert_eq!(report.status, 1);
        assert_eq!(report.findings().len(), 1, "{:?}", report.findings());
        assert!(report.findings()[0].starts_with("warning resolved.c:"), "{:?}", report.findings());
    }

    #[test]
    fn worktree_judges_files_that_git_does_not_track() {
        let repository = Repository::new();
        add(&repository, &store());
        repository.write("new.c", new().text);
        let report = repository.check(&["--worktree"]);
        check(&report, 1, &[finding()]);
        assert_eq!(report.json["head"], json!({ "name": "the work tree", "commit": null }));
    }

    #[test]
    fn worktree_judges_untracked_files_in_untracked_folders() {
        let repository = Repository::new();
        add(&repository, &store());
        repository.write("deep/er/new.c", new().text);
        check(&repository.check(&["--worktree"]), 1, &[finding().replace("new.c", "deep/er/new.c")]);
    }

    #[test]
    fn worktree_judges_edits_that_are_not_staged() {
        let repository = Repository::new();
        repository.write("store.c", store().text);
        add(&repository, &C.file("other", &[C.third]));
        let edited = C.file("other", &[C.third, C.first]);
        repository.write("other.c", &edited.text);
        let finding = format!("warning {} <- type-1 {}", edited.at(C.first), store().at(C.first));
        check(&repository.check(&["--worktree"]), 1, &[finding]);
    }

    #[test]
    fn worktree_judges_an_edit_of_the_same_size_in_the_same_instant() {
        let repository = Repository::new();
        repository.write("store.c", store().text);
        let comment = format!("//{}\n", "-".repeat(new().text.len() - 3));
        assert_eq!(comment.len(), new().text.len());
        repository.write("new.c", comment);
        repository.commit("before");
        repository.write("new.c", new().text);
        check(&repository.check(&["--worktree"]), 1, &[finding()]);
    }

    #[test]
    fn worktree_leaves_out_what_git_ignores_and_what_is_gone() {
        let repository = Repository::new();
        repository.write(".gitignore", "new.c\n");
        add(&repository, &store());
        repository.write("new.c", new().text);
        check(&repository.check(&["--worktree"]), 0, &[]);
        repository.write("other.c", new().text);
        repository.stage();
        repository.remove("other.c");
        check(&repository.check(&["--worktree"]), 0, &[]);
    }

    #[test]
    fn worktree_sees_a_file_renamed_on_disk_as_moved() {
        let repository = repository_with_a_copy();
        repository.rename("store.c", "src/renamed.c");
        check(&repository.check(&["--worktree"]), 0, &[]);
    }

    #[test]
    fn worktree_keeps_what_a_sparse_checkout_leaves_out() {
        let repository = Repository::new();
        repository.write("src/store.c", store().text);
        repository.write("doc/x.c", "int x;\n");
        repository.commit("before");
        repository.git(&["sparse-checkout", "set", "--cone", "doc"]);
        assert!(!repository.path("src/store.c").exists());
        repository.write("doc/new.c", new().text);
        let finding = finding().replace("store.c", "src/store.c").replace("new.c", "doc/new.c");
        check(&repository.check(&["--worktree"]), 1, &[finding]);
    }

    #[test]
    fn worktree_judges_before_the_first_commit() {
        let repository = Repository::new();
        repository.write("store.c", store().text);
        repository.write("new.c", new().text);
        let report = repository.check(&["--worktree"]);
        check(&report, 1, &[format!("warning {} <- type-1 {}", store().at(C.first), new().at(C.first))]);
    }

    #[test]
    fn a_run_in_a_subfolder_or_from_elsewhere_judges_the_whole_repository() {
        let repository = repository_with_a_copy();
        repository.write("src/deep/x.c", "");
        let args = ["check", "--format=json", "--base=HEAD~1"];
        check(&Report::new(&mut secondhand(&repository.path("src/deep"), &args)), 1, &[finding()]);
        let elsewhere = TempDir::new().expect("the folder for temporary files is writable");
        let mut command = secondhand(elsewhere.path(), &args);
        check(&Report::new(command.arg("-C").arg(repository.root())), 1, &[finding()]);
    }

    /// Three commits on `main`: the store, the copy, something else. Returns the first two ids.
    fn three_commits() -> (Repository, String, String) {
        let repository = Repository::new();
        let first = add(&repository, &store());
        let second = add(&repository, &new());
        repository.commit("something else");
        (repository, first, second)
    }

    /// Checks the findings with this event of GitHub Actions, and the base; `FIRST` stands for the first commit.
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
        check_event(&json!({ "merge_group": { "base_sha": "FIRST" } }), &[], 1, &[finding()], "HEAD~2");
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
        for (file, why) in [("none.json", "No such file or directory"), ("event.json", "EOF while parsing")] {
            let output = repository.secondhand(&["check"]).env("GITHUB_EVENT_PATH", file).output();
            let output = output.expect("the program starts");
            let errors = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{errors}");
            assert!(
                errors.starts_with(&format!("error: cannot read the event of this workflow, `{file}`: {why}")),
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
            Report::new(command.args(flags).env("PRE_COMMIT_FROM_REF", from).env("PRE_COMMIT_TO_REF", to))
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

mod output {
    //! Colors, further reports, and the same bytes from any number of threads.

    use super::*;

    const ESCAPE: u8 = 0x1B;

    #[test]
    fn there_are_no_colors_when_the_output_is_no_terminal() {
        let repository = repository_with_a_copy();
        for format in FORMATS {
            let out = printed(&mut repository.secondhand(&["check", "--base", "HEAD~1", "--format", format.name]));
            assert!(!out.contains(&ESCAPE), "{}", text(&out));
        }
        let output = repository.secondhand(&["check", "--base", "nowhere"]).output().expect("the program starts");
        assert!(!output.stderr.contains(&ESCAPE), "{}", text(&output.stderr));
    }

    #[test]
    fn there_are_colors_when_they_are_asked_for() {
        let repository = repository_with_a_copy();
        let args = ["check", "--base", "HEAD~1"];
        assert!(printed(repository.secondhand(&args).args(["--color", "always"])).contains(&ESCAPE));
        assert!(printed(repository.secondhand(&args).env("CLICOLOR_FORCE", "1")).contains(&ESCAPE));
        let never = printed(repository.secondhand(&args).args(["--color", "never"]).env("CLICOLOR_FORCE", "1"));
        assert!(!never.contains(&ESCAPE));
        let failed = ["check", "--base", "nowhere", "--color", "always"];
        assert!(repository.secondhand(&failed).output().expect("the program starts").stderr.contains(&ESCAPE));
    }

    #[test]
    fn there_are_no_colors_in_files_and_in_formats_for_programs() {
        let repository = repository_with_a_copy();
        let args = ["check", "--base", "HEAD~1", "--color", "always", "--report", "text=report.txt", "--format"];
        for format in FORMATS.iter().filter(|format| format.name != "text") {
            let out = printed(repository.secondhand(&args).arg(format.name));
            assert!(!out.contains(&ESCAPE), "{}", text(&out));
        }
        let written = fs::read(repository.path("report.txt")).expect("it was written");
        assert!(!written.contains(&ESCAPE) && !written.is_empty());
    }

    #[test]
    fn further_reports_say_what_is_printed() {
        let repository = repository_with_a_copy();
        for format in FORMATS {
            let args = ["check", "--base", "HEAD~1", "--format", format.name];
            let expected = printed(&mut repository.secondhand(&args));
            let mut command = repository.secondhand(&args);
            command.args(["--output", "printed", "--report", &format!("{}=further", format.name)]);
            assert_eq!(text(&printed(&mut command)), "");
            for file in ["printed", "further"] {
                assert_eq!(text(&fs::read(repository.path(file)).expect("it was written")), text(&expected));
            }
        }
    }

    /// A repository whose last commit copies 60 lines of `store.py`, all but one of them as they were.
    fn repository_with_a_long_copy() -> Repository {
        let body = |word: &str| {
            let line = |n: u32| format!("    total_{n} = rows[{n}].price * rates[{n}] + {n}\n");
            let lines: String =
                (0..60).map(|n| if n == 30 { format!("    {word}(rows, rates)\n") } else { line(n) }).collect();
            format!("def sum_up(rows, rates):\n{lines}    return rows\n")
        };
        let repository = Repository::new();
        repository.write("store.py", body("check"));
        repository.commit("the original");
        repository.write("with a rather long name/that makes every line of prose wide/copy.py", body("verify"));
        repository.commit("the copy");
        repository
    }

    #[test]
    fn a_side_takes_about_ten_lines_and_equal_ones_are_counted_unless_all_are_asked_for() {
        let repository = repository_with_a_long_copy();
        let out = text(&printed(&mut repository.secondhand(&["check"])));
        let of_code = out.lines().filter(|line| line.contains(" | ")).count();
        assert!((10..=24).contains(&of_code), "{of_code}: {out}");
        assert!(out.contains("check(rows, rates)") && out.contains("verify(rows, rates)"), "what differs: {out}");
        let counts = out.lines().filter_map(|line| line.strip_prefix("... ")?.strip_suffix(" equal lines"));
        let n_folded: u32 = counts.map(|n| n.parse::<u32>().expect("it is a number")).sum();
        assert!(n_folded > 80, "{out}");
        let out = text(&printed(&mut repository.secondhand(&["check", "--full"])));
        assert!(out.lines().filter(|line| line.contains(" | ")).count() >= 124 && !out.contains("..."), "{out}");
    }

    #[test]
    fn a_message_is_one_line_where_no_terminal_reads_it() {
        let repository = repository_with_a_long_copy();
        let out = text(&printed(&mut repository.secondhand(&["check"])));
        let title = "--> with a rather long name/that makes every line of prose wide/copy.py:1-62 the copy, ";
        let is_title = |line: &&str| line.trim_start().starts_with(title) && line.ends_with(" of them new");
        assert!(out.lines().any(|line| is_title(&line)), "{out}");
        assert!(!out.lines().any(|line| line.starts_with("    ")), "nothing continues a line: {out}");
    }

    #[test]
    fn a_finding_ends_with_what_to_do_and_the_comment_that_allows_it() {
        let repository = repository_with_a_long_copy();
        let out = text(&printed(&mut repository.secondhand(&["check"])));
        let comment = "# secondhand: allow(copied-code) -- why";
        let expected = format!("  = to do: call store.py:1 instead, or keep it with a comment above: {comment}");
        assert!(out.lines().any(|line| line == expected), "{out}");
        // The comment is right as it stands.
        let path = "with a rather long name/that makes every line of prose wide/copy.py";
        let copy = fs::read_to_string(repository.path(path)).expect("it is there");
        repository.write(path, format!("{comment}\n{copy}"));
        repository.commit("kept on purpose");
        assert_eq!(repository.check(&["--base", "HEAD~2"]).status, 0);
    }

    #[test]
    fn people_read_words_and_those_who_ask_for_more_read_types() {
        let repository = repository_with_a_copy();
        let out = |flags: &[&str]| text(&printed(repository.secondhand(&["check"]).args(flags)));
        assert!(out(&[]).contains("its origin, exact, 100 % alike") && !out(&[]).to_lowercase().contains("type-"));
        assert!(out(&["--verbose"]).contains("type-1"), "{}", out(&["--verbose"]));
        for format in ["json", "csv", "sarif"] {
            let out = out(&["--format", format]);
            assert!(out.contains("type-1") && !out.contains("Type-1"), "{out}");
        }
    }

    #[test]
    fn concise_is_a_line_for_each_finding_and_what_quiet_prints() {
        let repository = repository_with_a_copy();
        let out = |args: &[&str]| text(&printed(repository.secondhand(&["check"]).args(args)));
        let lines = new().at(C.first);
        let line = lines.split([':', '-']).nth(1).expect("it has a line").to_owned();
        let n_lines = C.first.lines().count();
        let expected = format!("new.c:{line}:1: warning[copied-code] {n_lines} lines copied from store.c:1\n");
        assert_eq!(out(&["--format", "concise"]), expected);
        assert_eq!(out(&["--quiet"]), expected);
    }

    #[test]
    fn quiet_prints_findings_only() {
        let repository = repository_with_a_copy();
        let args = ["check", "--quiet", "--base"];
        assert!(text(&printed(repository.secondhand(&args).arg("HEAD~1"))).contains("copied from store.c:1"));
        repository.commit("something else");
        assert_eq!(text(&printed(repository.secondhand(&args).arg("HEAD~1"))), "");
    }

    #[test]
    fn any_number_of_threads_writes_the_same_bytes() {
        let repository = Repository::new();
        for language in LANGUAGES {
            let parts = [language.first, language.second, language.third];
            for n in 0..12 {
                let name = format!("part{}/file{n}", n % 5);
                let text = language.file(&name, &[parts[n % 3], parts[(n + 1) % 3]]).text;
                repository.write(language.path(&name), text);
            }
        }
        repository.commit("before");
        for language in LANGUAGES {
            let inserted = language.with_inserted(language.insertion);
            for (name, part) in [("new", language.first), ("edited", &inserted)] {
                repository.write(language.path(name), language.file(name, &[part]).text);
            }
        }
        repository.commit("after");
        assert_eq!(repository.check(&["--base", "HEAD~1"]).findings().len(), 10);
        for format in FORMATS {
            let args = ["check", "--base", "HEAD~1", "--format", format.name, "--threads"];
            let with_one = printed(repository.secondhand(&args).arg("1"));
            for n in ["1", "2", "2", "7"] {
                let others = printed(repository.secondhand(&args).arg(n));
                assert!(others == with_one, "{} with {n} threads: {}", format.name, text(&others));
            }
        }
    }
}

mod files {
    //! Files and names of all kinds are read as they are, or named as not examined.

    use super::*;

    /// Checks that a copy of the first function at `path`, written as `bytes`, is found.
    #[track_caller]
    fn check_copy(path: &str, bytes: impl AsRef<[u8]>) -> Report {
        let repository = Repository::new();
        add(&repository, &store());
        repository.write(path, bytes);
        repository.commit("after");
        let report = repository.check(&["--base", "HEAD~1"]);
        check(&report, 1, &[finding().replace("new.c", path)]);
        report
    }

    #[test]
    fn text_that_is_not_utf8_is_read() {
        let with_comment = format!("// caf\u{E9} \n{}", C.first);
        let latin_1: Vec<u8> = with_comment.chars().map(|c| u8::try_from(c).expect("it is Latin-1")).collect();
        let repository = Repository::new();
        add(&repository, &store());
        repository.write("new.c", &latin_1);
        repository.commit("after");
        let new = C.file("new", &[&with_comment]);
        let finding = format!("warning {} <- type-1 {}", new.at(C.first), store().at(C.first));
        check(&repository.check(&["--base", "HEAD~1"]), 1, &[finding]);
        for format in FORMATS {
            let out = printed(&mut repository.secondhand(&["check", "--base", "HEAD~1", "--format", format.name]));
            assert!(std::str::from_utf8(&out).is_ok(), "what is printed is UTF-8: {}", text(&out));
        }
    }

    #[test]
    fn code_beside_bytes_that_are_not_utf8_has_its_columns() {
        let repository = Repository::new();
        add(&repository, &store());
        let copy = [b"/* caf\xE9 \xF0\x9F\x98\x80 */ ", C.first.as_bytes()].concat();
        repository.write("new.c", copy);
        repository.commit("after");
        let report = repository.check(&["--base", "HEAD~1"]);
        check(&report, 1, &[finding()]);
        // "/* caf", one for the broken byte, a space, two UTF-16 units, " */ ".
        assert_eq!(report.list("/findings")[0]["fragment"]["startColumn"], json!(6 + 1 + 1 + 2 + 4 + 1));
    }

    #[test]
    fn line_ends_of_windows_and_a_byte_order_mark_are_no_code() {
        let report = check_copy("new.c", format!("\u{FEFF}{}", crate::samples::with_crlf(C.first)));
        let fragment = &report.list("/findings")[0]["fragment"];
        assert_eq!((&fragment["startColumn"], &fragment["endColumn"]), (&json!(1), &json!(2)));
    }

    #[test]
    fn a_file_without_a_last_line_end_is_read() {
        check_copy("new.c", C.first.trim_end());
    }

    #[test]
    fn nul_bytes_do_not_hide_a_file() {
        check_copy("new.c", format!("{}/* \0 */\n\0\0", C.first));
        check_copy("new.c", format!("{}/*{}*/", C.first, "\0".repeat(40)));
    }

    #[test]
    fn a_file_that_is_too_large_is_named() {
        let repository = repository_with_a_copy();
        let args = ["--base", "HEAD~1", "--set", "max-file-size=100"];
        let report = repository.check(&args);
        check(&report, 1, &["warning not examined: new.c (too large)".to_owned()]);
        assert_eq!(report.json["examined"]["skipped"], json!([{ "path": "new.c", "reason": "too large" }]));
        let out = printed(repository.secondhand(&["check"]).args(args));
        assert!(text(&out).contains("not examined: new.c (too large)"), "{}", text(&out));
    }

    #[test]
    fn an_origin_that_is_too_large_is_named() {
        let repository = repository_with_a_copy();
        let size = format!("max-file-size={}", new().text.len());
        let args = ["--base", "HEAD~1", "--set", &size];
        let report = repository.check(&args);
        check(&report, 0, &[]);
        assert_eq!(report.json["examined"]["notCompared"], json!([{ "path": "store.c", "reason": "too large" }]));
        let out = printed(repository.secondhand(&["check"]).args(args));
        assert!(text(&out).contains("not compared with: store.c (too large)"), "{}", text(&out));
    }

    #[test]
    fn a_pointer_of_git_lfs_is_named() {
        let repository = Repository::new();
        add(&repository, &store());
        let pointer =
            format!("version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12345\n", "a".repeat(64));
        repository.write("new.c", pointer);
        repository.commit("after");
        let out = printed(&mut repository.secondhand(&["check", "--base", "HEAD~1"]));
        assert!(text(&out).contains("not examined: new.c (a Git LFS pointer)"), "{}", text(&out));
        let report = repository.check(&["--base", "HEAD~1"]);
        check(&report, 1, &["warning not examined: new.c (a Git LFS pointer)".to_owned()]);
    }

    #[test]
    fn names_with_spaces_and_signs_are_read() {
        for path in ["a folder/new file.c", "[x](y).c", "a\"b'c.c", "100%.c", "-x.c", "@{x}/new.c", "a:b.c", "#x.c"] {
            check_copy(path, C.first);
        }
    }

    #[test]
    fn names_beyond_ascii_are_read() {
        for path in ["m\u{FC}ll/n\u{E4}me.c", "\u{6587}\u{4EF6}.c", "\u{1F600}.c"] {
            check_copy(path, C.first);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_name_that_is_not_utf8_is_escaped() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let repository = Repository::new();
        add(&repository, &store());
        repository.write(OsStr::from_bytes(b"caf\xE9/new.c"), C.first);
        for args in [&["--worktree"][..], &["--staged"], &["--base", "HEAD~1"]] {
            let report = repository.check(args);
            if args == ["--worktree"] {
                repository.stage();
            } else if args == ["--staged"] {
                repository.commit("after");
            }
            check(&report, 1, &[finding().replace("new.c", "caf\\xe9/new.c")]);
        }
        let sarif = printed(&mut repository.secondhand(&["check", "--base", "HEAD~1", "--format", "sarif"]));
        assert!(text(&sarif).contains("\"uri\": \"caf%E9/new.c\""), "{}", text(&sarif));
    }

    #[cfg(unix)]
    #[test]
    fn a_name_cannot_steer_the_terminal() {
        let repository = Repository::new();
        add(&repository, &store());
        repository.write("a\u{1B}[31m\n\u{202E}b.c", C.first);
        repository.commit("after");
        for format in FORMATS {
            let out = printed(&mut repository.secondhand(&["check", "--base", "HEAD~1", "--format", format.name]));
            assert!(!out.contains(&0x1B) && !text(&out).contains('\u{202E}'), "{}", text(&out));
        }
        let report = repository.check(&["--base", "HEAD~1"]);
        check(&report, 1, &[finding().replace("new.c", "a\\u{1b}[31m\\u{a}\\u{202e}b.c")]);
    }

    #[test]
    fn text_cannot_steer_the_terminal() {
        let repository = Repository::new();
        add(&repository, &store());
        repository.write("new.c", C.first.replacen('\n', " // \u{1B}]0;title\u{7}\u{202E}\n", 1));
        repository.commit("after");
        let out = printed(&mut repository.secondhand(&["check", "--base", "HEAD~1"]));
        assert!(text(&out).contains("copied from store.c"), "{}", text(&out));
        assert!(!out.contains(&0x1B) && !out.contains(&7) && !text(&out).contains('\u{202E}'), "{}", text(&out));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_no_file() {
        let repository = Repository::new();
        add(&repository, &store());
        for (link, to) in [("new.c", "store.c"), ("outside.c", "/etc/passwd"), ("none.c", "none"), ("src", ".")] {
            std::os::unix::fs::symlink(to, repository.path(link)).expect("there are links");
        }
        let is_clean = |args: &[&str]| {
            let report = repository.check(args);
            check(&report, 0, &[]);
            assert_eq!(report.json["examined"]["changedFiles"], json!(0), "{args:?}");
        };
        is_clean(&["--worktree"]);
        repository.stage();
        is_clean(&["--staged"]);
        repository.commit("after");
        is_clean(&["--base", "HEAD~1"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_becomes_a_file_is_judged() {
        let repository = Repository::new();
        repository.write("store.c", store().text);
        std::os::unix::fs::symlink("store.c", repository.path("new.c")).expect("there are links");
        repository.commit("before");
        repository.remove("new.c");
        repository.write("new.c", new().text);
        check(&repository.check(&["--worktree"]), 1, &[finding()]);
        repository.commit("after");
        check(&repository.check(&["--base", "HEAD~1"]), 1, &[finding()]);
    }

    #[test]
    fn a_submodule_is_no_file() {
        let repository = Repository::new();
        add(&repository, &store());
        let commit = format!("160000,{},module", "1".repeat(40));
        repository.git(&["update-index", "--add", "--cacheinfo", &commit]);
        repository.git(&["commit", "--quiet", "--message", "add a submodule"]);
        repository.write("new.c", new().text);
        check(&repository.check(&["--worktree"]), 1, &[finding()]);
        repository.git(&["add", "new.c"]);
        check(&repository.check(&["--staged"]), 1, &[finding()]);
        repository.git(&["commit", "--quiet", "--message", "after"]);
        let named = "note left out: module (a submodule)".to_owned();
        check(&repository.check(&["--base", "HEAD~2"]), 1, &[named, finding()]);
    }

    #[test]
    fn a_file_that_takes_the_place_of_a_folder_is_judged() {
        let repository = Repository::new();
        repository.write("store.c", store().text);
        repository.write("new.c/x.c", "int x;\n");
        repository.commit("before");
        repository.remove("new.c/x.c");
        fs::remove_dir(repository.path("new.c")).expect("it is empty");
        repository.write("new.c", new().text);
        check(&repository.check(&["--worktree"]), 1, &[finding()]);
        repository.commit("after");
        check(&repository.check(&["--base", "HEAD~1"]), 1, &[finding()]);
    }
}

mod repositories {
    //! Repositories of all kinds are read.

    use super::*;

    #[test]
    fn a_linked_work_tree_is_judged_as_itself() {
        let repository = Repository::new();
        add(&repository, &store());
        let folder = TempDir::new().expect("the folder for temporary files is writable");
        let linked = folder.path().join("linked");
        let path = linked.to_str().expect("its name is UTF-8");
        repository.git(&["worktree", "add", "--quiet", "-b", "topic", path]);
        fs::write(linked.join("new.c"), new().text).expect("the folder is writable");
        let run = |args: &[&str]| Report::new(secondhand(&linked, &["check", "--format=json"]).args(args));
        check(&run(&["--worktree"]), 1, &[finding()]);
        git(&linked, &["add", "--all"]);
        check(&run(&["--staged"]), 1, &[finding()]);
        check(&repository.check(&["--staged"]), 0, &[]);
        git(&linked, &["commit", "--quiet", "--message=after"]);
        check(&run(&["--base", "main"]), 1, &[finding()]);
        fs::write(linked.join("secondhand.toml"), "min-tokens = 1000").expect("the folder is writable");
        check(&run(&["--base", "main"]), 0, &[]);
    }

    /// A bare clone of [`repository_with_a_copy`].
    fn bare_clone() -> TempDir {
        let repository = repository_with_a_copy();
        let folder = TempDir::new().expect("the folder for temporary files is writable");
        let from = repository.root().to_str().expect("its name is UTF-8");
        git(folder.path(), &["clone", "--quiet", "--bare", from, "."]);
        folder
    }

    #[test]
    fn a_bare_repository_is_judged_by_its_commits() {
        let bare = bare_clone();
        let mut command = secondhand(bare.path(), &["check", "--format=json", "--base=HEAD~1"]);
        check(&Report::new(&mut command), 1, &[finding()]);
    }

    #[test]
    fn a_bare_repository_has_no_work_tree() {
        let bare = bare_clone();
        let output = secondhand(bare.path(), &["check", "--worktree"]).output().expect("the program starts");
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        assert!(errors.starts_with("error: cannot read the work tree of `"), "{errors}");
        assert!(errors.contains("the repository is bare"), "{errors}");
        assert!(errors.contains("help: compare commits instead: `--base REV --head REV`"), "{errors}");
    }

    #[test]
    fn a_bare_repository_has_no_index() {
        let bare = bare_clone();
        let output = secondhand(bare.path(), &["check", "--staged"]).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    }

    #[test]
    fn a_repository_named_by_sha_256_is_read() {
        let repository = Repository::with_format("sha256");
        add(&repository, &store());
        repository.write("new.c", new().text);
        check(&repository.check(&["--worktree"]), 1, &[finding()]);
        repository.stage();
        check(&repository.check(&["--staged"]), 1, &[finding()]);
        let head = repository.commit("after");
        assert_eq!(head.len(), 64);
        let report = repository.check(&["--base", "HEAD~1"]);
        check(&report, 1, &[finding()]);
        assert_eq!(report.json["head"]["commit"], json!(head));
    }

    #[test]
    fn packed_objects_and_references_are_read() {
        let repository = repository_with_a_copy();
        repository.git(&["gc", "--quiet"]);
        check(&repository.check(&["--base", "main~1"]), 1, &[finding()]);
    }

    #[test]
    fn objects_borrowed_from_another_repository_are_read() {
        let repository = repository_with_a_copy();
        let folder = TempDir::new().expect("the folder for temporary files is writable");
        let from = repository.root().to_str().expect("its name is UTF-8");
        git(folder.path(), &["clone", "--quiet", "--shared", from, "."]);
        let mut command = secondhand(folder.path(), &["check", "--format=json", "--base=HEAD~1"]);
        check(&Report::new(&mut command), 1, &[finding()]);
    }
}

mod repositories_that_cannot_be_read {
    use super::*;

    #[track_caller]
    fn says(repository: &Repository, what: &str) {
        let output = repository.secondhand(&["check", "--base", "HEAD~1"]).output().expect("the program starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(what) && errors.len() < 3_000, "{}", &errors[..errors.len().min(3_000)]);
    }

    #[test]
    fn references_in_another_format_are_named() {
        let repository = repository_with_a_copy();
        repository.git(&["config", "core.repositoryFormatVersion", "1"]);
        repository.git(&["config", "extensions.refStorage", "reftable"]);
        says(&repository, "it keeps its references as reftable, which is not supported");
    }

    #[test]
    fn a_folder_of_borrowed_objects_that_is_gone_is_named() {
        let repository = repository_with_a_copy();
        repository.write(".git/objects/info/alternates", "/nowhere/objects\n");
        says(&repository, "there is no folder `/nowhere/objects`");
        repository.write(".git/objects/info/alternates", vec![b'\x1b'; 2_000_000]);
        says(&repository, "Could not read alternates");
    }

    #[test]
    fn a_ceiling_that_is_elsewhere_is_ignored_as_by_git() {
        let repository = repository_with_a_copy();
        let mut command = repository.secondhand(&["check", "--base", "HEAD~1", "--format", "json"]);
        check(&Report::new(command.env("GIT_CEILING_DIRECTORIES", "/nowhere/at/all")), 1, &[finding()]);
    }
}

#[test]
fn languages_are_listed_by_name_or_extension_and_a_file_shows_its_own() {
    let run = |args: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_secondhand")).arg("languages").args(args).output();
        let output = output.expect("the program starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (_, rust, _) = run(&["rust"]);
    assert!(rust.starts_with("rust ") && rust.lines().count() == 1, "{rust}");
    assert_eq!(run(&[".rs"]).1, rust);
    assert!(run(&["script"]).1.lines().count() > 1);
    let (status, _, errors) = run(&["rsut"]);
    assert!(status == Some(2) && errors.contains("did you mean `rust`?"), "{errors}");
    assert!(run(&["src/main.rs"]).1.contains("Rust"));
}
