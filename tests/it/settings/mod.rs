//! Shows which settings count for which file, where they may come from, and what is told of
//! settings that cannot be used or are for nothing.

mod precedence;

use std::process::Output;

use crate::samples::{LANGUAGES, Language};
use support::{Report, Repository};

const C: &Language = &LANGUAGES[0];
const PYTHON: &Language = &LANGUAGES[1];

/// A repository whose branch `topic` copies a function of C into `src` and `lib`, and one of
/// Python.
fn copying() -> Repository {
    let repository = Repository::new();
    repository.write("store.c", C.file("store", &[C.first, C.second]).text);
    repository.write("store.py", PYTHON.file("store", &[PYTHON.first, PYTHON.second]).text);
    repository.commit("before");
    repository.git(&["checkout", "--quiet", "-b", "topic"]);
    // A file that equals another byte for byte is told whatever its length.
    for path in ["src/new.c", "lib/new.c"] {
        repository.write(path, format!("// {path}\n{}", C.first));
    }
    repository.write("new.py", PYTHON.file("new", &[PYTHON.first]).text);
    repository.commit("after");
    repository
}

/// The level and path of each finding.
fn found(report: &Report) -> Vec<String> {
    let text = |value: &serde_json::Value| value.as_str().expect("it is a text").to_owned();
    let findings = report.list("/findings").iter();
    findings
        .map(|finding| format!("{} {}", text(&finding["level"]), text(&finding["path"])))
        .collect()
}

/// Checks what is found with these settings, variables and flags.
#[track_caller]
fn check_with(settings: &str, variables: &[(&str, &str)], flags: &[&str], expected: &[&str]) {
    let repository = copying();
    repository.write("secondhand.toml", settings);
    let mut command =
        repository.secondhand(&["check", "--format", "json", "--head", "HEAD", "--base", "main"]);
    let report = Report::new(command.args(flags).envs(variables.iter().copied()));
    assert_eq!(found(&report), expected, "{settings}");
}

#[track_caller]
fn check(settings: &str, expected: &[&str]) {
    check_with(settings, &[], &[], expected);
}

const LIB: &str = "warning lib/new.c";
const PY: &str = "warning new.py";
const SRC: &str = "warning src/new.c";

#[test]
fn a_threshold_of_a_language_is_for_its_files_only() {
    check("", &[LIB, PY, SRC]);
    check("[languages.c]\nmin-tokens = 1000\n", &[PY]);
    check("[languages.Python]\nmin-tokens = 1000\n", &[LIB, SRC]);
    check("min-tokens = 1000\n[languages.c]\nmin-tokens = 40\n", &[LIB, SRC]);
}

#[test]
fn the_most_special_threshold_counts() {
    check("[languages.c]\nmin-tokens = 1000\n[paths.\"src/**\"]\nmin-tokens = 40\n", &[PY, SRC]);
    check(
        "[paths.\"**/new.c\"]\nmin-tokens = 40\n[paths.\"*.c\"]\nmin-tokens = 1000\n",
        &[LIB, PY, SRC],
    );
    check("[paths.\"*.c\"]\nmin-tokens = 40\n[paths.\"lib/*.c\"]\nmin-tokens = 1000\n", &[PY, SRC]);
    // Each threshold is decided on its own.
    check(
        "[languages.c]\nmin-tokens = 40\nrules.copied-code = \"error\"\n[paths.\"lib/**\"]\nrules.copied-code = \"note\"\n",
        &["note lib/new.c", PY, "error src/new.c"],
    );
}

#[test]
fn a_rule_may_be_off_for_all_files_but_some_and_for_some_only() {
    check(
        "rules.copied-code = \"off\"\n[paths.\"src/\"]\nrules.copied-code = \"warning\"\n",
        &[SRC],
    );
    check("[paths.\"src/\"]\nrules.copied-code = \"off\"\n", &[LIB, PY]);
}

#[test]
fn the_levels_for_tests_may_be_those_of_a_path() {
    let settings = "tests = [\"*.c\"]\n[paths.\"lib/**\"]\ntest-level = \"warning\"\n";
    check(settings, &[LIB, PY, "note src/new.c"]);
}

#[test]
fn what_is_set_for_one_run_outweighs_what_the_file_has_for_some_files() {
    let settings = "[languages.c]\nmin-tokens = 1000\n[paths.\"new.py\"]\nmin-tokens = 1000\n";
    check(settings, &[]);
    check_with(settings, &[], &["--min-tokens", "40"], &[LIB, PY, SRC]);
    check_with(settings, &[("SECONDHAND_MIN_TOKENS", "40")], &[], &[LIB, PY, SRC]);
    let set = ["--min-tokens", "40", "--set", "languages.c.min-tokens=1000"];
    check_with(settings, &[], &set, &[PY]);
    check_with("", &[], &["--set", "paths.\"*.c\".min-tokens=1000"], &[PY]);
    check_with(
        "",
        &[("SECONDHAND_LANGUAGES", "{ python = { min-tokens = 1000 } }")],
        &[],
        &[LIB, SRC],
    );
}

#[test]
fn a_scan_has_thresholds_by_path_too() {
    let repository = copying();
    let classes = |settings: &str| {
        repository.write("secondhand.toml", settings);
        found(&Report::new(&mut repository.secondhand(&["scan", "--format", "json"]))).len()
    };
    assert_eq!(classes(""), 2);
    assert_eq!(classes("[languages.c]\nscan-min-tokens = 1000\n"), 1);
    assert_eq!(classes("scan-min-tokens = 1000\n[paths.\"*.py\"]\nscan-min-tokens = 50\n"), 1);
}

/// Runs the program; returns its status, what it prints, and its errors.
fn run(
    repository: &Repository,
    args: &[&str],
    variables: &[(&str, &str)],
) -> (i32, String, String) {
    let output = repository.secondhand(args).envs(variables.iter().copied()).output();
    let Output { status, stdout, stderr } = output.expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (status.code().expect("it ends by itself"), text(&stdout), text(&stderr))
}

#[test]
fn a_setting_that_cannot_be_used_is_named_with_its_line() {
    let cases = [
        ("ignore = [\n  \"a/\",\n  \"b[\",\n]\n", "`ignore` of", 3, "`b[`: nothing closes a `[`"),
        ("tests = [\"{a\"]\n", "`tests` of", 1, "`{a`: "),
        ("\nexamples = [\"[z-a]\"]\n", "`examples` of", 2, "`[z-a]`: "),
        ("[paths.\"a[\"]\nmin-tokens = 40\n", "`paths.\"a[\"` of", 1, "`a[`: "),
        ("[paths.\"!a\"]\nmin-tokens = 40\n", "`paths.\"!a\"` of", 1, "`!a`: it matches no file"),
        (
            "[languages.rsut]\nmin-tokens = 40\n",
            "`languages.rsut` of",
            1,
            "there is no such language",
        ),
        (
            "[languages.c]\nmin-tokens = 5\n",
            "`languages.c.min-tokens` of",
            2,
            "5 is below the guarantee threshold",
        ),
        (
            "[languages.c]\nmin-rarity = 101\n",
            "`languages.c.min-rarity` of",
            2,
            "101 is more than 100 percent",
        ),
        (
            "[languages.c.rules]\ncopied = \"off\"\n",
            "`languages.c.rules.copied` of",
            2,
            "there is no such rule",
        ),
        ("# a\nmin-tokens = 5\n", "`min-tokens` of", 2, "5 is below"),
        ("[[vendored]]\npath = \"../a\"\n", "`vendored` of", 1, "`../a` is not a folder below"),
    ];
    let repository = copying();
    for (settings, key, line, why) in cases {
        let line = format!("(line {line})");
        repository.write("secondhand.toml", settings);
        let (status, _, errors) =
            run(&repository, &["check", "--base", "main", "--head", "HEAD"], &[]);
        assert!(
            status == 2 && errors.contains(key) && errors.contains(why) && errors.contains(&line),
            "{settings}: {errors}"
        );
    }
    let unknown = [
        (
            "[languages.c]\nmin-token = 5\n",
            "line 2: unknown option `min-token`",
            "did you mean `min-tokens`?",
        ),
        (
            "[languages.rsut]\nmin-tokens = 40\n",
            "there is no such language",
            "did you mean `rust`?",
        ),
        (
            "paths = [\"src\"]\n",
            "line 1: expected a table of thresholds by pattern",
            "did you mean `ignore`?",
        ),
        ("fail-on = \"warn\"\n", "line 1: `warn` is not one of", "did you mean `warning`?"),
        (
            "trust = \"main\"\n",
            "line 1: `main` is not one of: auto, head, base",
            "secondhand config --list",
        ),
    ];
    for (settings, why, help) in unknown {
        repository.write("secondhand.toml", settings);
        let (status, _, errors) =
            run(&repository, &["check", "--base", "main", "--head", "HEAD"], &[]);
        assert!(
            status == 2 && errors.contains(why) && errors.contains(help),
            "{settings}: {errors}"
        );
    }
    // What one run sets is named, not the file.
    repository.write("secondhand.toml", "min-tokens = 40\n");
    let (_, _, errors) = run(&repository, &["check"], &[("SECONDHAND_MIN_TOKENS", "5")]);
    assert!(
        errors
            .starts_with("error: cannot use `min-tokens` of the variable SECONDHAND_MIN_TOKENS: "),
        "{errors}"
    );
}

#[test]
fn settings_for_files_that_are_not_there_are_told_on_request_only() {
    let repository = copying();
    repository.write(
        "secondhand.toml",
        "ignore = [\"build/\", \"!new.py\"]\ntests = [\"lib/\"]\nvendored = [{ path = \"old\" }]\n\
         [languages.rust]\nmin-tokens = 60\n[paths.\"web/**\"]\nmin-tokens = 60\n[paths.\"src/**\"]\nmin-tokens = 60\n",
    );
    let idle = [
        "`build/` of `ignore` matches no file",
        "`web/**` of `paths` matches no file",
        "`old` of `vendored` has no file",
        "`rust` of `languages` is the language of no file",
    ];
    let expected: String = idle.iter().map(|idle| format!("warning: {idle}\n")).collect();
    let args = ["check", "--base", "main", "--head", "HEAD", "--format", "concise"];
    assert_eq!(run(&repository, &args, &[]).2, "");
    assert_eq!(run(&repository, &[&args[..], &["-v"]].concat(), &[]).2, expected);
    assert_eq!(run(&repository, &["config"], &[]).2, expected);
}

#[test]
fn config_says_where_each_value_comes_from() {
    let repository = copying();
    repository.write(
        "secondhand.toml",
        "# ours\nmin-worth = 20\ntests = [\"lib/\"]\nmin-run = 40\n[rules]\ncopied-code = \"error\"\n\
         [paths.\"src/**\"]\nmin-tokens = 60\n[license]\ndeny = [\"GPL\"]\n",
    );
    let variables = [("SECONDHAND_MIN_WORTH", "8"), ("SECONDHAND_FAIL_ON", "error")];
    let args = ["config", "--set", "max-gap=100", "--set", "rules.copied-code=note"];
    let (status, printed, _) = run(&repository, &args, &variables);
    assert_eq!(status, 0);
    let lines = [
        "min-worth = 8  # the variable SECONDHAND_MIN_WORTH",
        "fail-on = \"error\"  # the variable SECONDHAND_FAIL_ON",
        "max-gap = 100  # --set",
        "rules.copied-code = \"note\"  # --set",
        "min-run = 40  # `./secondhand.toml`, line 4",
        "tests = [\"lib/\"]  # `./secondhand.toml`, line 3",
        "paths.\"src/**\".min-tokens = 60  # `./secondhand.toml`, line 8",
        "license.deny = [\"GPL\"]  # `./secondhand.toml`, line 10",
        "min-rarity = 25",
    ];
    for line in lines {
        assert!(printed.lines().any(|printed| printed == line), "{line} in\n{printed}");
    }
    assert!(
        toml::from_str::<toml::Table>(&printed).is_ok(),
        "it can be used as a settings file:\n{printed}"
    );
}

#[test]
fn the_list_of_options_is_a_settings_file_with_thresholds_last() {
    let (status, printed, _) = run(&copying(), &["config", "--list"], &[]);
    assert_eq!(status, 0);
    let listed: toml::Table =
        toml::from_str(&printed).unwrap_or_else(|why| panic!("{why} in\n{printed}"));
    assert!(listed.len() > 30, "{printed}");
    let (usual, advanced) = printed.split_once("# [advanced]").expect("thresholds have a heading");
    assert!(
        usual.contains("\nmin-tokens = 40\n") && advanced.contains("\nmin-agreement = 75\n"),
        "{printed}"
    );
    assert!(printed.lines().all(|line| line.chars().count() <= 120), "{printed}");
}

mod flags_as_options {
    use super::*;

    #[test]
    fn fail_on_and_format_may_stand_in_the_file_and_in_variables() {
        let repository = copying();
        let args = ["check", "--base", "main", "--head", "HEAD"];
        let ended = |variables: &[(&str, &str)], flags: &[&str]| {
            let (status, printed, errors) =
                run(&repository, &[&args[..], flags].concat(), variables);
            let format = if printed.starts_with('{') {
                "json"
            } else {
                printed.split(' ').nth(1).unwrap_or("none")
            };
            (status, format.split('[').next().unwrap_or_default().to_owned(), errors)
        };
        let expect = |ended: (i32, String, String), status: i32, format: &str| {
            assert_eq!((ended.0, ended.1.as_str()), (status, format), "{}", ended.2);
        };
        repository.write("secondhand.toml", "fail-on = \"error\"\nformat = \"concise\"\n");
        expect(ended(&[], &[]), 0, "warning");
        expect(
            ended(&[("SECONDHAND_FAIL_ON", "note"), ("SECONDHAND_FORMAT", "json")], &[]),
            1,
            "json",
        );
        expect(ended(&[("SECONDHAND_FAIL_ON", "never")], &["--fail-on", "warning"]), 1, "warning");
        expect(ended(&[("SECONDHAND_FORMAT", "concise")], &["--format", "json"]), 0, "json");
        expect(ended(&[], &["--set", "fail-on=warning"]), 1, "warning");
    }

    #[test]
    fn a_format_of_other_commands_leaves_a_command_its_text() {
        let repository = copying();
        repository.write("secondhand.toml", "format = \"sarif\"\n");
        let (status, printed, errors) = run(&repository, &["history", "--max-commits", "1"], &[]);
        assert!(status == 0 && !printed.starts_with('{'), "{errors}");
        let (status, _, errors) = run(&repository, &["history", "--format", "sarif"], &[]);
        assert!(status == 2 && errors.contains("unknown format `sarif`"), "{errors}");
        repository.write("secondhand.toml", "format = \"sraif\"\n");
        let (status, _, errors) = run(&repository, &["check"], &[]);
        assert!(status == 2 && errors.contains("unknown format `sraif`"), "{errors}");
    }

    #[test]
    fn history_and_blame_may_stand_in_the_file_and_in_variables() {
        let repository = Repository::new();
        repository.write("old.c", C.first);
        repository.write("store.c", C.second);
        repository.commit("before");
        repository.remove("old.c");
        repository.commit("delete");
        repository.write("new.c", C.first);
        repository.write("more.c", C.second);
        repository.commit("after");
        let rules = |settings: &str, variables: &[(&str, &str)]| {
            repository.write("secondhand.toml", settings);
            let mut command = repository
                .secondhand(&["check", "--format", "json", "--base", "HEAD~1", "--head", "HEAD"]);
            let report = Report::new(command.envs(variables.iter().copied()));
            let is_written = !report.json["findings"][0]["origins"][0]["written"].is_null();
            (report.list("/findings").len(), is_written)
        };
        assert_eq!(rules("", &[]), (1, false));
        assert_eq!(rules("history = true\n", &[]), (2, false));
        assert_eq!(rules("blame = true\n", &[]), (1, true));
        assert_eq!(
            rules("", &[("SECONDHAND_HISTORY", "true"), ("SECONDHAND_BLAME", "true")]),
            (2, true)
        );
        assert_eq!(rules("history = true\n", &[("SECONDHAND_HISTORY", "false")]), (1, false));
    }

    /// A branch `topic` of `develop`, which is two commits ahead of `main` and copies in the first
    /// of them.
    fn on_develop() -> Repository {
        let repository = Repository::new();
        repository.write("store.c", C.file("store", &[C.first, C.second]).text);
        repository.commit("main");
        repository.git(&["checkout", "--quiet", "-b", "develop"]);
        repository.write("early.c", C.first);
        repository.commit("develop");
        repository.git(&["checkout", "--quiet", "-b", "topic"]);
        repository.write("late.c", C.second);
        repository.commit("topic");
        repository
    }

    fn judged(repository: &Repository, args: &[&str], variables: &[(&str, &str)]) -> Vec<String> {
        let mut command = repository.secondhand(&["check", "--format", "json", "--head", "HEAD"]);
        found(&Report::new(command.args(args).envs(variables.iter().copied())))
    }

    const BOTH: [&str; 2] = ["warning early.c", "warning late.c"];
    const LATE: [&str; 1] = ["warning late.c"];

    #[test]
    fn the_base_in_the_file_takes_the_place_of_the_default_branch() {
        let repository = on_develop();
        assert_eq!(judged(&repository, &[], &[]), BOTH);
        repository.write("secondhand.toml", "base = \"develop\"\n");
        assert_eq!(judged(&repository, &[], &[]), LATE);
        assert_eq!(judged(&repository, &["--base", "main"], &[]), BOTH);
        assert_eq!(judged(&repository, &[], &[("SECONDHAND_BASE", "main")]), BOTH);
        assert_eq!(judged(&repository, &[], &[("SECONDHAND_BASE", "")]), LATE);
        assert_eq!(judged(&repository, &["--set", "base=main"], &[]), BOTH);
        let gitlab =
            [("CI", "true"), ("GITLAB_CI", "true"), ("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", "main")];
        assert_eq!(judged(&repository, &["--trust", "head"], &gitlab[..1]), LATE);
        repository.write("secondhand.toml", "base = \"nowhere\"\n");
        let (status, _, errors) = run(&repository, &["check", "--head", "HEAD"], &[]);
        assert!(
            status == 2 && errors.contains("`nowhere`, which the option `base` names, is not here"),
            "{errors}"
        );
    }

    #[test]
    fn a_commit_of_digits_is_a_base() {
        let repository = on_develop();
        repository.git(&["branch", "1234567", "develop"]);
        assert_eq!(judged(&repository, &[], &[("SECONDHAND_BASE", "1234567")]), LATE);
    }

    #[test]
    fn where_the_base_is_trusted_a_change_does_not_choose_its_base_nor_its_judge() {
        let repository = on_develop();
        repository
            .write("secondhand.toml", "base = \"HEAD\"\ntrust = \"head\"\nfail-on = \"never\"\n");
        repository.commit("weaken");
        for (args, variables) in [(&["--trust", "base"][..], &[][..]), (&[], &[("CI", "true")])] {
            assert_eq!(judged(&repository, args, variables), BOTH);
            let status =
                run(&repository, &[&["check", "--head", "HEAD"], args].concat(), variables).0;
            assert_eq!(status, 1);
        }
        assert_eq!(judged(&repository, &["--trust", "head"], &[]), [""; 0]);
    }

    #[test]
    fn the_base_may_name_the_base_and_trust_the_head() {
        let repository = on_develop();
        let settle = |settings: &str| {
            repository.git(&["checkout", "--quiet", "main"]);
            repository.write("secondhand.toml", settings);
            repository.commit("settings");
            repository.git(&["checkout", "--quiet", "topic"]);
        };
        settle("base = \"develop\"\n");
        assert_eq!(judged(&repository, &["--trust", "base"], &[]), LATE);
        settle("trust = \"head\"\n");
        repository.write("secondhand.toml", "rules.copied-code = \"error\"\n");
        repository.commit("stricter");
        let found = judged(&repository, &[], &[("CI", "true")]);
        assert_eq!(found, ["error early.c", "error late.c"]);
    }

    #[test]
    fn people_may_have_the_base_judge_their_own_work() {
        let repository = on_develop();
        repository.write("secondhand.toml", "trust = \"base\"\nrules.copied-code = \"off\"\n");
        assert_eq!(judged(&repository, &[], &[]), BOTH);
        assert_eq!(judged(&repository, &["--trust", "head"], &[]), [""; 0]);
    }
}

/// Settings of subfolders extend those above them.
mod folders {
    use super::*;

    const RANGE: [&str; 5] = ["check", "--base", "main", "--head", "HEAD"];

    /// What is found with these settings files, which the change brings in.
    fn found_with(settings: &[(&str, &str)], flags: &[&str]) -> Vec<String> {
        let repository = copying();
        settings.iter().for_each(|(file, text)| repository.write(file, *text));
        repository.commit("settings");
        found(&Report::new(
            repository.secondhand(&RANGE).args(["--format", "json", "--trust", "head"]).args(flags),
        ))
    }

    #[track_caller]
    fn check(settings: &[(&str, &str)], flags: &[&str], expected: &[&str]) {
        assert_eq!(found_with(settings, flags), expected, "{settings:?}");
    }

    #[test]
    fn the_nearest_settings_win_for_what_they_say_and_inherit_the_rest() {
        let root = ("secondhand.toml", "min-tokens = 1000\nrules.copied-code = \"error\"\n");
        check(&[root, ("src/secondhand.toml", "min-tokens = 40\n")], &[], &["error src/new.c"]);
        check(
            &[root, ("src/.config/secondhand.toml", "min-tokens = 40\n")],
            &[],
            &["error src/new.c"],
        );
        // Also over what those above have for languages and paths.
        let special = "[languages.c]\nmin-tokens = 1000\n[paths.\"src/**\"]\nmin-tokens = 1000\n";
        check(
            &[("secondhand.toml", special), ("src/secondhand.toml", "min-tokens = 40\n")],
            &[],
            &[PY, SRC],
        );
        check(&[("src/secondhand.toml", "[languages.c]\nmin-tokens = 1000\n")], &[], &[LIB, PY]);
        check(&[("lib/secondhand.toml", "rules.copied-code = \"off\"\n")], &[], &[PY, SRC]);
    }

    #[test]
    fn settings_in_dot_config_are_those_of_the_folder_around_it_where_it_has_no_other() {
        let (lax, broken) = ("ignore = [\"/src/\"]\n", "no TOML");
        // Some options are for the root alone.
        check(
            &[(".config/secondhand.toml", "max-gap = 200\nrules.copied-code = \"off\"\n")],
            &[],
            &[""; 0],
        );
        check(&[("secondhand.toml", ""), (".config/secondhand.toml", lax)], &[], &[LIB, PY, SRC]);
        check(
            &[("secondhand.toml", ""), (".config/secondhand.toml", broken)],
            &[],
            &[LIB, PY, SRC],
        );
        check(
            &[("src/secondhand.toml", ""), ("src/.config/secondhand.toml", broken)],
            &[],
            &[LIB, PY, SRC],
        );
        check(&[(".config/.config/secondhand.toml", lax)], &[], &[LIB, PY, SRC]);
    }

    #[test]
    fn patterns_of_a_folder_are_relative_to_it() {
        check(&[("src/secondhand.toml", "ignore = [\"*.c\"]\n")], &[], &[LIB, PY]);
        check(&[("src/secondhand.toml", "ignore = [\"/new.c\"]\n")], &[], &[LIB, PY]);
        check(
            &[("src/secondhand.toml", "tests = [\"new.*\"]\n")],
            &[],
            &[LIB, PY, "note src/new.c"],
        );
        let back = [
            ("secondhand.toml", "ignore = [\"new.c\"]\n"),
            ("lib/secondhand.toml", "ignore = [\"!new.c\"]\n"),
        ];
        check(&back, &[], &[LIB, PY]);
        check(&[("lib/secondhand.toml", "[paths.\"n*.c\"]\nmin-tokens = 1000\n")], &[], &[PY, SRC]);
    }

    #[test]
    fn what_is_set_for_one_run_outweighs_every_folder() {
        let settings = [("src/secondhand.toml", "min-tokens = 1000\nignore = [\"*.c\"]\n")];
        check(&settings, &["--min-tokens", "40", "--set", "ignore=[\"lib/\"]"], &[PY, SRC]);
        let settings = [("src/secondhand.toml", "min-tokens = 40\n")];
        check(&settings, &["--set", "paths.\"src/**\".min-tokens=1000"], &[LIB, PY]);
        check(&settings, &["--isolated"], &[LIB, PY, SRC]);
    }

    #[test]
    fn settings_in_code_of_others_and_in_ignored_folders_are_not_read() {
        let broken = "no TOML";
        check(&[("vendor/a/secondhand.toml", broken)], &[], &[LIB, PY, SRC]);
        let ignored =
            [("secondhand.toml", "ignore = [\"/data/\"]\n"), ("data/secondhand.toml", broken)];
        check(&ignored, &[], &[LIB, PY, SRC]);
    }

    #[test]
    fn what_cannot_be_used_is_named_with_its_file_and_key() {
        #[track_caller]
        fn fails(settings: &str, why: &str) {
            let repository = copying();
            repository.write("src/secondhand.toml", settings);
            let (status, _, errors) = run(&repository, &RANGE, &[]);
            assert!(
                status == 2 && errors.contains("src/secondhand.toml") && errors.contains(why),
                "{settings}: {errors}"
            );
        }
        fails("no TOML", "line 1");
        fails("min-token = 4\n", "did you mean `min-tokens`?");
        let of_root = "only the settings at the root of the repository can set `fail-on`";
        fails("\nfail-on = \"error\"\n", &format!("line 2: {of_root}"));
        fails("trust = \"head\"\n", "only the settings at the root");
        fails("license = { preset = \"permissive\" }\n", "only the settings at the root");
        fails(
            "ignore = [\n\"a[\"]\n",
            "`a[`: nothing closes a `[`; a plain one is written `\\[` (line 2)",
        );
        fails("min-tokens = 4\n", "4 is below the guarantee threshold of 20");
        fails("min-tokens = 0\n", "it must be at least 1");
        fails("[languages.rsut]\nmin-tokens = 40\n", "did you mean `rust`?");
        fails(
            "rules.copied = \"off\"\n",
            "cannot use `rules.copied` of `src/secondhand.toml`: there is no such rule",
        );
        fails("[[vendored]]\npath = \"../lib\"\n", "`../lib` is not a folder below");
        // Nothing names a folder twice as a root.
        let repository = copying();
        repository.write("src/secondhand.toml/x", "");
        repository.commit("a folder of that name");
        assert!(
            matches!(run(&repository, &RANGE, &[]), (2, _, errors) if errors.contains("src/secondhand.toml"))
        );
    }

    #[test]
    fn a_finding_names_the_settings_that_judged_it() {
        let repository = copying();
        repository.write("secondhand.toml", "min-tokens = 40\n");
        repository.write("src/secondhand.toml", "min-tokens = 41\n");
        repository.commit("settings");
        let report = Report::new(repository.secondhand(&RANGE).args(["--format", "json"]));
        let named: Vec<String> =
            report.list("/findings").iter().map(|of| of["settings"].to_string()).collect();
        let root = "[\"secondhand.toml\"]";
        assert_eq!(named, [root, root, "[\"src/secondhand.toml\",\"secondhand.toml\"]"]);
        let nearest = "src/secondhand.toml, secondhand.toml";
        assert!(
            run(&repository, &[&RANGE[..], &["-v"]].concat(), &[])
                .1
                .contains(&format!("settings: {nearest}"))
        );
        assert!(
            run(&repository, &[&RANGE[..], &["--format", "html"]].concat(), &[])
                .1
                .contains(nearest)
        );
        let sarif = Report::new(repository.secondhand(&RANGE).args(["--format", "sarif"]));
        assert_eq!(
            sarif.list("/runs/0/results")[2]["properties"]["settings"][0],
            "src/secondhand.toml"
        );
        let (_, printed, _) = run(&repository, &["config"], &[]);
        assert!(
            printed.contains(
                "# in `src`, project `src`, from `src/secondhand.toml`\n#   min-tokens = 41"
            ),
            "{printed}"
        );
    }

    #[test]
    fn a_project_is_judged_alone_by_its_name_or_folder() {
        let settings =
            [("src/secondhand.toml", "project = \"engine\"\n"), ("lib/secondhand.toml", "")];
        check(&settings, &["--project", "engine"], &[SRC]);
        check(&settings, &["--project", "src/"], &[SRC]);
        check(&settings, &["--project", "engine", "--project", "lib"], &[LIB, SRC]);
        check(&settings, &["--project", "lib", "src"], &[LIB, SRC]);
        let repository = copying();
        settings.iter().for_each(|(file, text)| repository.write(file, *text));
        let (status, _, errors) =
            run(&repository, &[&RANGE[..], &["--project", "engin"]].concat(), &[]);
        assert!(
            status == 2 && errors.contains("did you mean `engine`?") && errors.contains("lib"),
            "{errors}"
        );
        repository.commit("settings");
        repository.write("lib/more.c", C.first);
        let scanned = Report::new(
            repository.secondhand(&["scan", "--project", "engine"]).args(["--format", "json"]),
        );
        assert_eq!(found(&scanned), [""; 0]);
    }

    #[test]
    fn where_the_base_is_trusted_its_folders_judge_and_edits_are_listed() {
        let repository = Repository::new();
        repository.write("store.c", C.file("store", &[C.first, C.second]).text);
        repository.write("src/secondhand.toml", "rules.copied-code = \"error\"\n");
        repository.commit("before");
        repository.git(&["checkout", "--quiet", "-b", "topic"]);
        repository.write("src/new.c", C.first);
        repository.write("src/secondhand.toml", "rules.copied-code = \"off\"\n");
        repository.write("src/deep/secondhand.toml", "ignore = [\"*\"]\n");
        repository.write("src/deep/new.c", C.second);
        repository.commit("after");
        let check = |flags: &[&str]| {
            Report::new(repository.secondhand(&RANGE).args(["--format", "json"]).args(flags))
        };
        let of_base = check(&["--trust", "base"]);
        assert_eq!(found(&of_base), ["error src/deep/new.c", "error src/new.c"]);
        let notices: Vec<String> =
            of_base.list("/notices").iter().map(|of| of["message"].to_string()).collect();
        let has = |text: &str| notices.iter().any(|notice| notice.contains(text));
        assert!(
            has("the change edits settings of its folder: ignore from nothing to ["),
            "{notices:?}"
        );
        assert!(has("rules from { copied-code = "), "{notices:?}");
        assert_eq!(found(&check(&["--trust", "head"])), [""; 0]);
        // A project is what the base calls it.
        repository.write("src/secondhand.toml", "broken");
        repository.commit("broken");
        let broken = check(&["--trust", "base", "--project", "src"]);
        let notices: Vec<String> =
            broken.list("/notices").iter().map(|of| of["message"].to_string()).collect();
        assert!(
            notices.iter().any(|notice| notice.contains("the change breaks these settings")),
            "{notices:?}"
        );
    }
}

#[test]
fn settings_by_which_no_match_could_ever_count_are_refused() {
    let repository = copying();
    let run = |set: &[&str]| {
        let mut command = repository.secondhand(&["check", "--head", "HEAD", "--base", "main"]);
        let flags = set.iter().flat_map(|set| ["--set", set]);
        let Output { status, stderr, .. } = command.args(flags).output().expect("it runs");
        (status.code(), String::from_utf8_lossy(&stderr).into_owned())
    };
    for set in [&["noise-threshold=4"][..], &["noise-threshold=1"], &["min-distinct=17"]] {
        let (status, errors) = run(set);
        assert_eq!(status, Some(2), "{set:?}: {errors}");
        assert!(
            errors.contains("so that copies would be missed; set `min-distinct` to"),
            "{errors}"
        );
    }
    for set in
        [&["noise-threshold=5"][..], &["min-distinct=16"], &["noise-threshold=4", "min-distinct=4"]]
    {
        let (status, errors) = run(set);
        assert!(status == Some(0) || status == Some(1), "{set:?}: {errors}");
    }
    assert_eq!(run(&["noise-threshold=5"]).0, Some(1));
}
