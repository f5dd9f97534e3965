//! Flags win, then variables, then the file; a file that cannot be used is an error.

use std::fs;

use crate::one_copy::{check, check_failure, repository_with_a_copy, text};
use support::{Report, secondhand};
use tempfile::TempDir;

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
    let output =
        repository.secondhand(&["check", "--base", "HEAD~1"]).output().expect("the program starts");
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors.starts_with("error: cannot read `secondhand.toml`, line 2: "), "{errors}");
}

#[test]
fn a_value_that_cannot_be_used_is_named_with_its_place() {
    let repository = repository_with_a_copy();
    repository.write("secondhand.toml", "min-tokens = 3\n");
    let output =
        repository.secondhand(&["check", "--base", "HEAD~1"]).output().expect("the program starts");
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors.starts_with("error: cannot use `min-tokens` of `"), "{errors}");
    assert!(
        errors.contains("secondhand.toml`: 3 is below the guarantee threshold of 20"),
        "{errors}"
    );
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
    let output =
        repository.secondhand(&["check", "--base", "HEAD~1"]).output().expect("the program starts");
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert!(errors.contains("secondhand.toml") && errors.contains("Is a directory"), "{errors}");
}

#[cfg(unix)]
#[test]
fn a_link_to_a_file_that_is_not_there_is_an_error() {
    let repository = repository_with_a_copy();
    std::os::unix::fs::symlink("none.toml", repository.path("secondhand.toml"))
        .expect("there are links");
    let output =
        repository.secondhand(&["check", "--base", "HEAD~1"]).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("secondhand.toml"), "{}", text(&output.stderr));
}

#[test]
fn a_variable_that_cannot_be_used_is_an_error() {
    let repository = repository_with_a_copy();
    for (name, value) in [("SECONDHAND_MIN_TOKENS", "many"), ("SECONDHAND_MAX_GAP", "wide")] {
        let output =
            repository.secondhand(&["check", "--base", "HEAD~1"]).env(name, value).output();
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
fn a_number_that_is_not_finite_sets_nothing() {
    let repository = support::Repository::new();
    for option in ["min-worth=nan", "languages.C.min-worth=nan", "corpora=[-inf]", "ignore=nan"] {
        let output = repository.secondhand(&["config", "--set", option]).output();
        let output = output.expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr);
        let is_refused = said.contains("of --set: expected a number that is finite");
        assert!(output.status.code() == Some(2) && is_refused, "{option}: {said}");
    }
}

#[test]
fn a_day_is_a_date_of_toml_or_a_text() {
    let repository = repository_with_a_copy();
    let status = |day: &str| {
        let exception =
            format!("[[license.exceptions]]\npath = \"a\"\nreason = \"b\"\nuntil = {day}\n");
        let decision =
            format!("[[decision]]\ncopy = \"a\"\nby = \"b\"\nreason = \"c\"\nuntil = {day}\n");
        repository.write("secondhand.toml", exception);
        repository.write("secondhand-decisions.toml", decision);
        repository
            .secondhand(&["check", "--base", "HEAD~1"])
            .output()
            .expect("the program starts")
            .status
            .code()
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
    check(
        &Report::new(&mut secondhand(&folder, &["check", "--format=json", "--base=HEAD~1"])),
        0,
        &[],
    );
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
    assert_eq!(
        n_findings("", &[("SECONDHAND_MIN_TOKENS", "1000")], &["--set", "min-tokens=50"]),
        1
    );
    assert_eq!(
        n_findings("", &[("SECONDHAND_MIN_TOKENS", "50")], &["--set", "min-tokens=1000"]),
        0
    );
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
