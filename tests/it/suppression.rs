//! Shows what keeps a copy from being reported: comments with a reason, the baseline, and whose
//! judge a change has.

use std::process::Output;

use crate::samples::{LANGUAGES, Language};
use serde_json::Value;
use support::Repository;

const C: &Language = &LANGUAGES[0];
const REASON: &str = "/* secondhand: allow(copied-code) -- both are kept on purpose */\n";

/// What a run printed as JSON, and its exit status.
struct Ran {
    status: i32,
    report: Value,
}

impl Ran {
    /// Findings about copies.
    fn n_findings(&self) -> usize {
        let findings = self.report["findings"].as_array().expect("the report lists them");
        findings.iter().filter(|finding| finding["rule"] != "not-examined").count()
    }

    fn n_suppressed(&self) -> u64 {
        self.report["suppressedFindings"].as_u64().expect("the report counts them")
    }

    /// Path, line and message of each notice.
    fn notices(&self) -> Vec<String> {
        let notices = self.report["notices"].as_array().expect("the report lists them");
        let text = |notice: &Value| {
            format!("{}:{} {}", notice["path"], notice["line"], notice["message"]).replace('"', "")
        };
        notices.iter().map(text).collect()
    }
}

/// Runs `command` over the repository, with a day that is the same each time: 2026-06-15.
#[track_caller]
fn run(repository: &Repository, command: &[&str]) -> Ran {
    let mut program = repository.secondhand(command);
    program.args(["--format", "json"]).env("SOURCE_DATE_EPOCH", "1781524800");
    let Output { status, stdout, stderr } = program.output().expect("the program starts");
    let errors = String::from_utf8_lossy(&stderr);
    let report = serde_json::from_slice(&stdout).unwrap_or_else(|_| panic!("no report: {errors}"));
    Ran { status: status.code().expect("it ends by itself"), report }
}

/// Runs a command that prints no report, which succeeds.
#[track_caller]
fn say(repository: &Repository, command: &[&str]) -> String {
    let Output { status, stdout, stderr } =
        repository.secondhand(command).output().expect("the program starts");
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    String::from_utf8_lossy(&stdout).into_owned()
}

/// A repository with code, and a commit that copies it into `new.c` with `above` before it.
fn with_copy(above: &str) -> Repository {
    let repository = Repository::new();
    repository.write(C.path("store"), C.file("store", &[C.first, C.second]).text);
    repository.commit("store");
    repository.write(C.path("new"), format!("int unlike;\n\n{above}{}", C.first));
    repository.commit("new");
    repository
}

const CHECK: &[&str] = &["check", "--base", "HEAD~1"];

mod comments {
    use super::*;

    #[test]
    fn a_comment_with_a_reason_allows_the_copy_below_it_and_is_listed() {
        let ran = run(&with_copy(REASON), CHECK);
        assert_eq!((ran.status, ran.n_findings(), ran.n_suppressed()), (0, 0, 1));
        assert_eq!(
            ran.notices(),
            ["new.c:3 the change adds a suppression: both are kept on purpose"]
        );
    }

    #[test]
    fn one_for_the_file_allows_it_from_anywhere_in_it() {
        let repository = with_copy("");
        let text = "// secondhand: allow-file(copied-code) -- vendored by hand\nint unlike;\n\n"
            .to_owned()
            + C.first;
        repository.write(C.path("new"), text);
        repository.commit("allow");
        assert_eq!(run(&repository, &["check", "--base", "HEAD~2"]).status, 0);
    }

    #[test]
    fn without_a_reason_it_does_not_hold_and_that_is_said() {
        let ran = run(&with_copy("/* secondhand: allow(copied-code) */\n"), CHECK);
        assert_eq!((ran.status, ran.n_findings()), (1, 1));
        let expected =
            "new.c:3 this suppression has no effect: it has no reason: add `-- ` and the reason";
        assert_eq!(ran.notices(), [expected]);
    }

    #[test]
    fn a_day_outside_of_the_parentheses_is_explained() {
        let ran = run(
            &with_copy("/* secondhand: allow(copied-code) until = 2027-01-31 -- for now */\n"),
            CHECK,
        );
        assert_eq!((ran.status, ran.n_findings()), (1, 1));
        let why = "this suppression has no effect: put `until = 2027-01-31` into the parentheses";
        assert_eq!(
            ran.notices(),
            [format!("new.c:3 {why}: `allow(copied-code, until = 2027-01-31) -- reason`")]
        );
    }

    #[test]
    fn after_its_last_day_it_does_not_hold() {
        let until =
            |day: &str| format!("/* secondhand: allow(copied-code, until = {day}) -- for now */\n");
        assert_eq!(run(&with_copy(&until("2026-06-15")), CHECK).status, 0);
        let ran = run(&with_copy(&until("2026-06-14")), CHECK);
        assert_eq!(ran.status, 1);
        assert_eq!(ran.notices(), ["new.c:3 this suppression expired after 2026-06-14"]);
    }

    #[test]
    fn one_that_is_of_no_use_is_reported_once_the_change_that_adds_it_is_judged() {
        let repository = with_copy("");
        repository.write(C.path("other"), format!("{REASON}int alone;\n"));
        repository.commit("useless");
        let notice = "other.c:1 unused suppression: there is no copy for it to allow";
        assert_eq!(run(&repository, CHECK).notices(), [notice]);
        repository.write(C.path("other"), format!("{REASON}int alone;\nint more;\n"));
        repository.commit("edit beside it");
        assert_eq!(run(&repository, CHECK).notices(), Vec::<String>::new());
        assert_eq!(run(&repository, &["scan"]).notices(), [notice]);
    }

    #[test]
    fn in_a_scan_a_place_that_is_allowed_does_not_count() {
        let ran = run(&with_copy(REASON), &["scan", "--fail-on", "note"]);
        assert_eq!((ran.status, ran.n_findings(), ran.n_suppressed()), (0, 0, 1));
    }

    #[test]
    fn suppressed_findings_are_shown_when_asked_for() {
        let repository = with_copy(REASON);
        let shown = run(&repository, &[CHECK, &["--show-suppressed"]].concat());
        assert_eq!(shown.report["suppressed"][0]["by"], "comment");
        let sarif = run(&repository, &[CHECK, &["--show-suppressed"]].concat());
        assert_eq!(sarif.status, 0);
        let output = repository
            .secondhand(&[CHECK, &["--show-suppressed", "--format", "sarif"]].concat())
            .output();
        let sarif: Value =
            serde_json::from_slice(&output.expect("it runs").stdout).expect("it is JSON");
        let results = sarif["runs"][0]["results"].as_array().expect("there are results");
        assert_eq!(results.len(), 1);
        assert_eq!(results[0]["suppressions"][0]["kind"], "inSource");
    }
}

mod baselines {
    use super::*;

    const FILE: &str = "secondhand-baseline.txt";

    #[test]
    fn what_a_scan_finds_is_known_from_then_on_and_a_third_copy_is_new() {
        let repository = with_copy("");
        let scan: &[&str] = &["scan", "--fail-on", "note"];
        assert_eq!(run(&repository, scan).status, 1);
        assert!(say(&repository, &["baseline", "create"]).starts_with("2 copies in "));
        assert_eq!(run(&repository, scan).status, 0);
        assert_eq!(run(&repository, &[scan, &["--no-baseline"]].concat()).status, 1);

        repository.write(C.path("third"), C.first);
        let ran = run(&repository, scan);
        assert_eq!((ran.status, ran.n_findings()), (1, 1));
    }

    #[test]
    fn a_known_copy_may_move_within_its_file() {
        let repository = with_copy("");
        say(&repository, &["baseline", "create", "--base", "HEAD~1"]);
        assert_eq!(run(&repository, CHECK).status, 0);
        repository.write(C.path("new"), format!("int unlike;\nint more;\n\n\n\n{}", C.first));
        repository.git(&["commit", "--quiet", "--all", "--amend", "--message", "new"]);
        let ran = run(&repository, CHECK);
        assert_eq!((ran.status, ran.n_suppressed()), (0, 1));
    }

    #[test]
    fn a_second_copy_in_the_same_file_is_new() {
        let repository = with_copy("");
        say(&repository, &["baseline", "create", "--base", "HEAD~1"]);
        repository.write(
            C.path("new"),
            format!("int unlike;\n\n{}\nint between;\n\n{}", C.first, C.first),
        );
        repository.commit("once more");
        let ran = run(&repository, &["check", "--base", "HEAD~2"]);
        assert_eq!((ran.status, ran.n_findings(), ran.n_suppressed()), (1, 1, 1));
    }

    #[test]
    fn an_update_takes_out_what_is_gone() {
        let repository = with_copy("");
        say(&repository, &["baseline", "create"]);
        repository.remove(C.path("new"));
        assert!(
            say(&repository, &["baseline", "update"]).starts_with("0 added, 2 removed: 0 copies")
        );
        assert_eq!(say(&repository, &["baseline", "show"]), "0 copies in 0 files\n");
    }

    #[test]
    fn an_update_keeps_what_is_there_whatever_is_reported_of_it() {
        let repository = with_copy("");
        say(&repository, &["baseline", "create"]);
        let both = std::fs::read_to_string(repository.path(FILE)).expect("it is there");
        let revived = format!("0123456789abcdef revived-code 40 {}\n", C.path("store"));
        let all = format!("{both}{revived}");
        repository.write(FILE, &all);
        let prune = ["baseline", "update", "--prune"];
        let kept = "0 added, 0 removed: 3 copies";
        let updated = |args: &[&str]| say(&repository, &[&prune[..], args].concat());
        for args in [&[][..], &["--base", "HEAD"], &["--set", "rules.copied-code=\"off\""]] {
            let said = updated(args);
            assert!(said.starts_with(kept), "{args:?}: {said}");
        }
        let said = say(&repository, &["baseline", "update", "--base", "HEAD"]);
        assert!(said.starts_with(kept), "{said}");
        repository.write(C.path("new"), format!("int unlike;\n\n{REASON}{}", C.first));
        assert!(updated(&[]).starts_with(kept));
        repository.remove(C.path("store"));
        assert!(updated(&[]).starts_with("0 added, 3 removed: 0 copies"));
    }

    #[test]
    fn what_a_baseline_lists_and_a_scan_does_not_find_is_told() {
        let repository = with_copy("");
        say(&repository, &["baseline", "create"]);
        assert_eq!(run(&repository, &["scan"]).notices(), [""; 0]);
        repository.remove(C.path("new"));
        let message = "not found: 2 of 2 copies in the baseline. `secondhand baseline update --prune` removes what is gone";
        assert_eq!(run(&repository, &["scan"]).notices(), [format!("null:null {message}")]);
        say(&repository, &["baseline", "update", "--prune"]);
        assert_eq!(run(&repository, &["scan"]).notices(), [""; 0]);
    }

    #[test]
    fn a_baseline_is_not_overwritten_nor_updated_where_there_is_none() {
        let repository = with_copy("");
        let fails = |args: &[&str], error: &str| {
            let output = repository.secondhand(args).output().expect("the program starts");
            assert_eq!(output.status.code(), Some(2));
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(errors.contains(error), "{errors}");
        };
        fails(&["baseline", "update"], "it does not exist");
        say(&repository, &["baseline", "create"]);
        fails(&["baseline", "create"], "it already exists");
        say(&repository, &["baseline", "create", "--force"]);
        repository.write(FILE, "# ok\n<<<<<<< HEAD\n");
        fails(CHECK, "line 2: expected identity, rule, tokens and path");
    }
}

mod trust {
    use super::*;

    #[test]
    fn what_a_change_edits_in_its_own_judge_is_listed() {
        let repository = with_copy("");
        repository.write("secondhand.toml", "min-tokens = 4000\n");
        repository.git(&["add", "."]);
        repository.git(&["commit", "--quiet", "--amend", "--message", "new"]);
        let ran = run(&repository, CHECK);
        assert_eq!(ran.status, 0);
        assert_eq!(
            ran.notices(),
            ["secondhand.toml:null the change edits settings: min-tokens from 40 to 4000"]
        );
    }

    #[test]
    fn settings_baseline_and_suppressions_of_the_base_judge_when_it_is_trusted() {
        let settings = with_copy("");
        settings.write("secondhand.toml", "min-tokens = 4000\n");
        settings.git(&["add", "."]);
        settings.git(&["commit", "--quiet", "--amend", "--message", "new"]);
        assert_eq!(run(&settings, CHECK).status, 0);
        assert_eq!(run(&settings, &[CHECK, &["--trust", "base"]].concat()).status, 1);

        let baseline = with_copy("");
        say(&baseline, &["baseline", "create", "--base", "HEAD~1"]);
        baseline.git(&["add", "."]);
        baseline.git(&["commit", "--quiet", "--amend", "--message", "new"]);
        let ran = run(&baseline, CHECK);
        assert_eq!(ran.status, 0);
        assert_eq!(
            ran.notices(),
            ["secondhand-baseline.txt:null the change adds 1 copy to the baseline"]
        );
        assert_eq!(run(&baseline, &[CHECK, &["--trust", "base"]].concat()).status, 1);

        let comment = run(&with_copy(REASON), &[CHECK, &["--trust", "base"]].concat());
        assert_eq!(comment.status, 1);
        assert_eq!(
            comment.notices(),
            [
                "new.c:3 this suppression has no effect: the change itself adds it (both are kept on purpose)"
            ]
        );
    }

    #[test]
    fn a_change_that_marks_its_own_file_as_generated_is_judged_by_the_attributes_of_its_base() {
        for rule in
            ["new.c linguist-generated", "new.c linguist-vendored", "new.c linguist-language=Java"]
        {
            let repository = with_copy("");
            repository.write(".gitattributes", format!("* text\n{rule}\n"));
            repository.git(&["add", "."]);
            repository.git(&["commit", "--quiet", "--amend", "--message", "new"]);
            let ran = run(&repository, CHECK);
            assert_eq!((ran.status, ran.n_findings()), (0, 0), "{rule}");
            assert_eq!(
                ran.notices(),
                [format!(".gitattributes:null the change edits attributes: adds `{rule}`")]
            );
            let ran = run(&repository, &[CHECK, &["--trust", "base"]].concat());
            assert_eq!((ran.status, ran.n_findings()), (1, 1), "{rule}");
        }
    }

    #[test]
    fn attributes_that_the_base_has_hold_until_the_change_removes_them() {
        let repository = Repository::new();
        repository.write(".gitattributes", "new.c linguist-generated\n");
        repository.write(C.path("store"), C.first);
        repository.commit("store");
        repository.write(C.path("new"), C.first);
        repository.write(".gitattributes", "");
        repository.commit("new");
        let ran = run(&repository, CHECK);
        assert_eq!(ran.status, 1);
        let notice =
            ".gitattributes:null the change edits attributes: removes `new.c linguist-generated`";
        assert_eq!(ran.notices(), [notice]);
        assert_eq!(run(&repository, &[CHECK, &["--trust", "base"]].concat()).status, 0);
    }

    #[test]
    fn settings_that_the_base_has_hold() {
        let repository = Repository::new();
        repository.write("secondhand.toml", "[rules]\ncopied-code = \"off\"\n");
        repository.write(C.path("store"), C.first);
        repository.commit("store");
        repository.write(C.path("new"), C.first);
        repository.commit("new");
        assert_eq!(run(&repository, &[CHECK, &["--trust", "base"]].concat()).status, 0);
    }
}

mod library {
    use secondhand::audit::{Context, Elsewhere, Memory, Silent, check, finish};
    use secondhand::change::{ChangeEnd, CheckRequest, FilePlace, PastScope};
    use secondhand::config::Overrides;
    use secondhand::report::{FORMATS, Style};

    use super::*;

    /// The report of a caller of the library, and the exit status that it would have.
    fn by_library(repository: &Repository, base: &str) -> Ran {
        let repository =
            secondhand::git::Repository::discover(repository.root()).expect("it is a repository");
        let request = CheckRequest {
            base: Some(base.to_owned()),
            end: ChangeEnd::Commit("HEAD".to_owned()),
            within: Vec::new(),
            projects: Vec::new(),
            settings: FilePlace::Usual,
            overrides: Overrides::new(&[], &[("trust", "head".to_owned())]),
            baseline: FilePlace::Usual,
            corpora: Vec::new(),
            past: PastScope::default(),
            keeps_suppressed: false,
        };
        let case = request.case(&repository).expect("the base is there");
        let (config, languages) = (&case.policy.config, &case.policy.languages);
        let context = Context { config, languages, progress: &Silent };
        let outcome =
            check(&repository, &case.range, &Elsewhere::default(), &Memory::nothing(), context);
        let mut outcome = outcome.expect("everything is readable");
        outcome.notices.extend(case.notices.iter().chain(&case.policy.notices).cloned());
        finish(
            &mut outcome,
            &case.policy.acceptance,
            config,
            "2026-06-15".parse().expect("it is a day"),
        );
        let json = FORMATS.iter().find(|format| format.name == "json").expect("there is JSON");
        let style = Style {
            has_color: false,
            width: 120,
            wraps: false,
            is_full: false,
            is_brief: false,
            group_by: None,
            top: None,
            is_quiet: false,
            is_verbose: false,
        };
        let mut out = Vec::new();
        json.write(&outcome, &style, &mut out).expect("memory is writable");
        let report = serde_json::from_slice(&out).expect("it is JSON");
        Ran { status: i32::from(outcome.fails(config.fail_on)), report }
    }

    #[test]
    fn a_caller_of_the_library_gets_the_verdict_of_the_program() {
        let [c, python, typescript, go, ..] = LANGUAGES else { panic!("there are four languages") };
        let repository = Repository::new();
        repository.write("secondhand.toml", "max-warnings = 1\n");
        for language in [c, python, typescript, go] {
            repository.write(
                language.path("store"),
                language.file("store", &[language.first, language.second]).text,
            );
        }
        let base = repository.commit("store");
        repository.write(go.path("known"), go.file("known", &[go.first]).text);
        repository.commit("known");
        say(&repository, &["baseline", "create", "--base", "HEAD~1"]);
        // A family, a copy beyond the warnings that are allowed, and one that a comment allows.
        repository.write(c.path("new"), c.file("new", &[c.second, "int unlike;\n", c.first]).text);
        repository.write(python.path("new"), python.file("new", &[python.first]).text);
        let comment = format!("// {}", REASON.trim_start_matches("/* ").replace(" */", ""));
        repository.write(
            typescript.path("new"),
            typescript.file("new", &[&comment, typescript.first]).text,
        );
        repository.commit("new");

        let program =
            run(&repository, &["check", "--base", &base, "--head", "HEAD", "--trust", "head"]);
        let levels = |ran: &Ran| {
            ran.report["findings"].as_array().map(|findings| {
                findings.iter().map(|finding| finding["level"].to_string()).collect::<Vec<_>>()
            })
        };
        let levels = levels(&program).expect("the report lists them");
        assert!(
            levels.contains(&"\"note\"".to_owned()) && levels.contains(&"\"warning\"".to_owned()),
            "{levels:?}"
        );
        assert!(
            program.report["findings"]
                .as_array()
                .is_some_and(|all| all.iter().any(|of| !of["family"].is_null()))
        );
        assert_eq!((program.status, program.n_suppressed()), (1, 2));
        let library = by_library(&repository, &base);
        assert_eq!((library.status, library.report), (program.status, program.report));
    }
}
