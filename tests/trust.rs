//! Shows that a change cannot weaken its own judge: unseen where the head is trusted, and not at all where the base is.

#[allow(dead_code, reason = "the semantics use the rest")]
#[path = "semantics/repository.rs"]
mod repository;
#[allow(dead_code, reason = "the semantics use the rest")]
#[path = "semantics/samples.rs"]
mod samples;

use std::path::Path;
use std::process::Output;

use repository::Repository;
use samples::{LANGUAGES, Language};
use serde_json::Value;

const C: &Language = &LANGUAGES[0];
const IGNORES_ALL: &str = "ignore = [\"*.c\"]\n";

/// A repository on the branch `pr`, which has what `base` writes, and the code that is copied from.
fn branch(base: impl FnOnce(&Repository)) -> Repository {
    let repository = Repository::new();
    repository.write(C.path("store"), C.file("store", &[C.first, C.second]).text);
    base(&repository);
    repository.commit("base");
    repository.git(&["checkout", "--quiet", "-b", "pr"]);
    repository
}

/// Commits a copy, and what `edit` writes.
fn change(repository: &Repository, edit: impl FnOnce(&Repository)) {
    repository.write(C.path("new"), C.first);
    edit(repository);
    repository.commit("change");
}

struct Ran {
    status: i32,
    notices: Vec<String>,
    errors: String,
}

#[track_caller]
fn run(repository: &Repository, args: &[&str]) -> Ran {
    run_with(repository, args, &[])
}

#[track_caller]
fn run_with(repository: &Repository, args: &[&str], variables: &[(&str, &str)]) -> Ran {
    let mut command = repository.secondhand(&["check", "--base", "main", "--format", "json"]);
    let output = command.args(args).envs(variables.iter().copied()).output();
    let Output { status, stdout, stderr } = output.expect("the program starts");
    let report: Value = serde_json::from_slice(&stdout).unwrap_or_default();
    let notices = report["notices"].as_array().into_iter().flatten();
    let text = |notice: &Value| {
        format!("{}: {}", notice["path"].as_str().unwrap_or_default(), notice["message"].as_str().unwrap_or_default())
    };
    Ran {
        status: status.code().expect("it ends by itself"),
        notices: notices.map(text).collect(),
        errors: String::from_utf8_lossy(&stderr).into_owned(),
    }
}

/// Checks how a run over the change ends, and what it has to say of its judge, in any order.
#[track_caller]
fn check(repository: &Repository, args: &[&str], status: i32, notices: &[&str]) {
    let mut ran = run(repository, args);
    let mut expected = notices.to_vec();
    expected.sort_unstable();
    ran.notices.sort_unstable();
    assert_eq!(ran.notices, expected, "{}", ran.errors);
    assert_eq!(ran.status, status, "{args:?} {}", ran.errors);
}

/// Checks that a run over the change cannot be done, and why.
#[track_caller]
fn fails(repository: &Repository, args: &[&str], why: &str) {
    let ran = run(repository, args);
    assert!(ran.status == 2 && ran.errors.contains(why), "{}: {}", ran.status, ran.errors);
}

const OF_BASE: &[&str] = &["--trust", "base"];
const OF_HEAD: &[&str] = &["--trust", "head"];

#[cfg(unix)]
fn link(repository: &Repository, target: &str, path: &str) {
    let path = repository.path(path);
    std::fs::create_dir_all(path.parent().expect("it lies below the root")).expect("the repository is writable");
    std::os::unix::fs::symlink(target, path).expect("the repository is writable");
}

#[test]
fn in_ci_the_base_judges_unless_the_head_is_asked_to() {
    let repository = branch(|_| {});
    change(&repository, |pr| pr.write("secondhand.toml", IGNORES_ALL));
    for (value, status) in [("true", 1), ("1", 1), ("false", 0), ("", 0)] {
        assert_eq!(run_with(&repository, &[], &[("CI", value)]).status, status, "CI={value}");
    }
    assert_eq!(run_with(&repository, OF_HEAD, &[("CI", "true")]).status, 0);
    assert_eq!(run_with(&repository, &[], &[("CI", "true"), ("SECONDHAND_TRUST", "head")]).status, 0);
}

#[test]
fn settings_are_those_of_the_tip_of_the_base_not_of_where_the_branch_left_it() {
    let strict = "[rules]\ncopied-code = \"error\"\n";
    let repository = branch(|base| base.write("secondhand.toml", IGNORES_ALL));
    change(&repository, |_| {});
    repository.git(&["checkout", "--quiet", "main"]);
    repository.write("secondhand.toml", strict);
    repository.write(".gitattributes", "new.c -linguist-generated\n");
    repository.commit("strict");
    repository.git(&["checkout", "--quiet", "pr"]);
    check(&repository, &["--trust", "base", "--fail-on", "error"], 1, &[]);
    check(&repository, OF_HEAD, 0, &[]);
}

#[test]
fn attributes_are_those_of_the_tip_of_the_base() {
    let repository = branch(|base| base.write(".gitattributes", "new.c linguist-generated\n"));
    change(&repository, |_| {});
    check(&repository, OF_BASE, 0, &[]);
    repository.git(&["checkout", "--quiet", "main"]);
    repository.remove(".gitattributes");
    repository.commit("strict");
    repository.git(&["checkout", "--quiet", "pr"]);
    check(&repository, OF_BASE, 1, &[]);
}

mod named_by_flags {
    use super::*;

    #[test]
    fn a_settings_file_is_the_bases() {
        let repository = branch(|base| base.write("ci/sh.toml", "min-tokens = 40\n"));
        change(&repository, |pr| pr.write("ci/sh.toml", IGNORES_ALL));
        let notice = "ci/sh.toml: the change edits settings: ignore from [] to [\"*.c\"]";
        let absolute = repository.path("ci/sh.toml");
        let absolute = absolute.to_str().expect("temporary folders are UTF-8");
        for file in ["ci/sh.toml", "./ci/../ci/sh.toml", absolute] {
            check(&repository, &["--trust", "base", "--config", file], 1, &[notice]);
            check(&repository, &["--trust", "head", "--config", file], 0, &[notice]);
        }
    }

    #[test]
    fn one_that_only_the_change_has_is_not_heeded_and_named() {
        let repository = branch(|_| {});
        change(&repository, |pr| pr.write("ci/sh.toml", IGNORES_ALL));
        let args = ["--trust", "base", "--config", "ci/sh.toml"];
        let notices = [
            "ci/sh.toml: these settings are not in the base, and were not used",
            "ci/sh.toml: the change edits settings: ignore from [] to [\"*.c\"]",
        ];
        check(&repository, &args, 1, &notices);
    }

    #[test]
    fn one_that_the_repository_does_not_have_is_that_of_whoever_runs_the_program() {
        let repository = branch(|base| base.write(".gitignore", "/mine.toml\n"));
        change(&repository, |_| {});
        repository.write("mine.toml", IGNORES_ALL);
        check(&repository, &["--trust", "base", "--config", "mine.toml"], 0, &[]);
        let outside = tempfile::TempDir::new().expect("it can be made");
        let file = outside.path().join("sh.toml");
        std::fs::write(&file, IGNORES_ALL).expect("it is writable");
        check(&repository, &["--trust", "base", "--config", file.to_str().expect("it is UTF-8")], 0, &[]);
    }

    #[test]
    fn a_baseline_is_the_bases() {
        let repository = branch(|base| base.write("ci/known.txt", "# none\n"));
        change(&repository, |_| {});
        let create = ["baseline", "create", "--base", "main", "--set", "baseline=ci/known.txt", "--force"];
        assert!(repository.secondhand(&create).status().expect("it runs").success());
        repository.commit("known");
        let notice = "ci/known.txt: the change adds 1 copy to the baseline";
        check(&repository, &["--trust", "base", "--baseline", "ci/known.txt"], 1, &[notice]);
        check(&repository, &["--trust", "head", "--baseline", "ci/known.txt"], 0, &[notice]);
        repository.git(&["mv", "ci/known.txt", "other.txt"]);
        repository.commit("moved");
        let notices = [
            "other.txt: this baseline is not in the base, and was not used",
            "other.txt: the change adds 1 copy to the baseline",
        ];
        check(&repository, &["--trust", "base", "--baseline", "other.txt"], 1, &notices);
    }
}

#[test]
fn a_number_that_toml_cannot_write_hides_no_other_edit() {
    let repository = branch(|_| {});
    change(&repository, |pr| pr.write("secondhand.toml", format!("max-gap = 18446744073709551615\n{IGNORES_ALL}")));
    let notice = "secondhand.toml: the change edits settings: ignore from [] to [\"*.c\"]; max-gap from 240 to 18446744073709551615";
    check(&repository, OF_HEAD, 0, &[notice]);
    check(&repository, OF_BASE, 1, &[notice]);
}

#[test]
fn settings_that_a_change_breaks_are_named_and_end_no_audit_by_the_base() {
    let repository = branch(|_| {});
    change(&repository, |pr| pr.write("secondhand.toml", "min-tokens = = 3\n"));
    let broken = "cannot read `secondhand.toml`, line 1: extra `=`, expected nothing";
    let notice =
        format!("secondhand.toml: the change breaks the settings, and with them every run once it lands: {broken}");
    check(&repository, OF_BASE, 1, &[&notice]);
    fails(&repository, OF_HEAD, broken);
}

#[test]
fn attributes_that_are_said_by_a_macro_are_listed() {
    let repository = branch(|base| base.write(".gitattributes", "[attr]made gen\n[attr]gen linguist-generated\n"));
    change(&repository, |pr| pr.write("sub/.gitattributes", "x.c text\n"));
    check(&repository, OF_HEAD, 1, &[]);
    change(&repository, |pr| {
        pr.write(".gitattributes", "[attr]made gen\n[attr]gen linguist-generated\nnew.c made\n");
        pr.write("sub/.gitattributes", "x.c -gen\n");
    });
    let notices = [
        ".gitattributes: the change edits attributes: adds `new.c made`",
        "sub/.gitattributes: the change edits attributes: adds `x.c -gen`",
    ];
    check(&repository, OF_HEAD, 0, &notices);
    check(&repository, OF_BASE, 1, &notices);
}

#[cfg(unix)]
mod links {
    use super::*;

    #[test]
    fn settings_behind_a_link_are_listed_as_any_others() {
        let notice = "lax.toml: the change edits settings: ignore from [] to [\"*.c\"]";
        let added = branch(|_| {});
        change(&added, |pr| {
            pr.write("lax.toml", IGNORES_ALL);
            link(pr, "lax.toml", "secondhand.toml");
        });
        check(&added, OF_HEAD, 0, &[notice]);
        check(&added, OF_BASE, 1, &[notice]);

        let edited = branch(|base| {
            base.write("lax.toml", "");
            link(base, "../lax.toml", ".config/secondhand.toml");
        });
        change(&edited, |pr| pr.write("lax.toml", IGNORES_ALL));
        check(&edited, OF_HEAD, 0, &[notice]);
        check(&edited, OF_BASE, 1, &[notice]);
        // As the work tree has them.
        check(&edited, &["--trust", "head", "--worktree"], 0, &[notice]);
    }

    #[test]
    fn settings_of_the_base_behind_a_link_judge() {
        let repository = branch(|base| {
            base.write("conf/s.toml", "[rules]\ncopied-code = \"error\"\n");
            link(base, "conf", "linked");
            link(base, "linked/../conf/s.toml", "secondhand.toml");
        });
        change(&repository, |_| {});
        for trust in ["head", "base"] {
            check(&repository, &["--trust", trust, "--fail-on", "error"], 1, &[]);
        }
    }

    #[test]
    fn a_baseline_and_decisions_behind_a_link_are_listed() {
        let repository = branch(|base| {
            base.write("known.txt", "");
            link(base, "known.txt", "secondhand-baseline.txt");
            base.write("decided.toml", "");
            link(base, "decided.toml", "secondhand-decisions.toml");
        });
        change(&repository, |_| {});
        let create = ["baseline", "create", "--base", "main", "--set", "baseline=known.txt", "--force"];
        assert!(repository.secondhand(&create).status().expect("it runs").success());
        repository.write("decided.toml", "[[decision]]\ncopy = \"x\"\nby = \"me\"\nreason = \"so\"\n");
        repository.commit("known");
        let notices = [
            "secondhand-decisions.toml: the change edits the decisions on copies",
            "secondhand-baseline.txt: the change adds 1 copy to the baseline",
        ];
        check(&repository, OF_HEAD, 0, &notices);
        check(&repository, OF_BASE, 1, &notices);
    }

    #[test]
    fn one_that_leads_out_of_the_repository_or_nowhere_is_not_followed() {
        let outside = tempfile::TempDir::new().expect("it can be made");
        let file = outside.path().join("s.toml");
        std::fs::write(&file, IGNORES_ALL).expect("it is writable");
        let file = file.to_str().expect("it is UTF-8");
        for target in [file, "/dev/zero", "../../../../../../../../../dev/zero", "secondhand.toml", "nothing.toml"] {
            for name in ["secondhand.toml", "secondhand-baseline.txt", "secondhand-decisions.toml"] {
                let target = if target == "secondhand.toml" { name } else { target };
                let repository = branch(|_| {});
                change(&repository, |pr| link(pr, target, name));
                fails(&repository, OF_HEAD, &format!("{name}`"));
                assert_eq!(run(&repository, OF_BASE).status, 1, "{name} -> {target}");
                repository.git(&["branch", "--force", "main"]);
                repository.git(&["commit", "--quiet", "--allow-empty", "--message", "more"]);
                fails(&repository, OF_BASE, &format!("cannot read `{name}`, which is a link: "));
            }
        }
    }

    #[test]
    fn what_is_no_regular_file_is_not_waited_for() {
        for name in ["secondhand.toml", "secondhand-baseline.txt", "secondhand-decisions.toml"] {
            let repository = branch(|_| {});
            change(&repository, |_| {});
            let made = std::process::Command::new("mkfifo").arg(repository.path(name)).status();
            assert!(made.expect("mkfifo is installed").success());
            fails(&repository, &["--trust", "head", "--worktree"], "it is not a regular file");
        }
    }
}

#[test]
fn files_that_judge_have_a_largest_size() {
    for (name, n_megabytes) in
        [("secondhand.toml", 5), ("secondhand-decisions.toml", 5), ("secondhand-baseline.txt", 65)]
    {
        let repository = branch(|_| {});
        change(&repository, |pr| {
            let file = std::fs::File::create(pr.path(name)).expect("it is writable");
            file.set_len(n_megabytes * 1024 * 1024).expect("it is writable");
        });
        fails(&repository, OF_HEAD, &format!("it has more than {} MB", n_megabytes - 1));
        repository.git(&["branch", "--force", "main"]);
        repository.git(&["commit", "--quiet", "--allow-empty", "--message", "more"]);
        fails(&repository, OF_BASE, &format!("it has more than {} MB", n_megabytes - 1));
    }
}

#[test]
fn what_the_settings_name_lies_inside_of_the_repository() {
    for (option, file) in [("baseline", "../known.txt"), ("baseline", "/dev/zero"), ("decisions", "a/../../x.toml")] {
        let repository = branch(|_| {});
        change(&repository, |pr| pr.write("secondhand.toml", format!("{option} = \"{file}\"\n")));
        fails(
            &repository,
            OF_HEAD,
            &format!("cannot use `{option}` of the settings: `{file}` is not inside of the repository"),
        );
    }
}

#[test]
fn corpora_that_a_change_adds_lie_inside_of_the_repository() {
    let outside = tempfile::TempDir::new().expect("it can be made");
    std::fs::create_dir(outside.path().join("part")).expect("it can be made");
    std::fs::write(outside.path().join("part/a.c"), C.first).expect("it is writable");
    let outside = outside.path().to_str().expect("it is UTF-8");
    let settings = format!("corpora = [\"{outside}\"]\n");

    let repository = branch(|_| {});
    change(&repository, |pr| pr.write("secondhand.toml", &settings));
    fails(&repository, OF_HEAD, "which the change adds to its settings: it is not inside of the repository");
    assert_eq!(run(&repository, OF_BASE).status, 1);

    #[cfg(unix)]
    {
        let repository = branch(|_| {});
        change(&repository, |pr| {
            link(pr, outside, "linked");
            pr.write("secondhand.toml", "corpora = [\"linked\"]\n");
        });
        fails(&repository, OF_HEAD, "which the change adds to its settings: it is not inside of the repository");
    }

    let known = branch(|base| base.write("secondhand.toml", &settings));
    change(&known, |_| {});
    assert_eq!(run(&known, OF_HEAD).status, 1, "the base names it, too");
}

/// Settings come with the code, and a request tells whoever answers what is looked for.
#[test]
fn no_url_of_the_settings_is_contacted_whoever_wrote_them() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("there is a port");
    listener.set_nonblocking(true).expect("it can be asked");
    let port = listener.local_addr().expect("it is bound").port();
    for scheme in ["http", "s3", "postgres", "clickhouse", "unknown"] {
        let settings = format!("corpora = [\"{scheme}://user:secret@127.0.0.1:{port}/oss\"]\n");
        let repository = branch(|_| {});
        change(&repository, |pr| pr.write("secondhand.toml", &settings));
        fails(&repository, OF_HEAD, "which the change adds to its settings: it is not inside of the repository");
        assert_eq!(run(&repository, OF_BASE).status, 1, "the settings of the base judge");
        let known = branch(|base| base.write("secondhand.toml", &settings));
        change(&known, |_| {});
        for args in [OF_HEAD, OF_BASE] {
            fails(&known, args, "settings do not choose whom this program contacts");
            assert!(!run(&known, args).errors.contains("secret"));
        }
    }
    assert!(listener.accept().is_err(), "nobody has called");
}

#[cfg(unix)]
mod written_files {
    use super::*;

    /// The file outside, to which the checkout has links.
    fn outside() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::TempDir::new().expect("it can be made");
        let file = folder.path().join("precious");
        std::fs::write(&file, "precious").expect("it is writable");
        (folder, file)
    }

    #[track_caller]
    fn refuses(repository: &Repository, args: &[&str], precious: &Path) {
        let output = repository.secondhand(args).output().expect("the program starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {errors}");
        assert!(errors.contains("is a link of the checkout, and links are not written through"), "{errors}");
        assert_eq!(std::fs::read_to_string(precious).expect("it is there"), "precious");
    }

    #[test]
    fn reports_are_not_written_through_links_of_the_checkout() {
        let (folder, precious) = outside();
        let repository = branch(|_| {});
        change(&repository, |pr| {
            link(pr, precious.to_str().expect("it is UTF-8"), "rep.sarif");
            link(pr, folder.path().to_str().expect("it is UTF-8"), "out");
            link(pr, ".git/config", "inside");
        });
        let absolute = repository.path("rep.sarif");
        for file in
            ["rep.sarif", "./rep.sarif", "out/precious", "out/new", "inside", absolute.to_str().expect("it is UTF-8")]
        {
            refuses(&repository, &["check", "--base", "main", "--report", &format!("sarif={file}")], &precious);
            refuses(&repository, &["scan", "--output", file], &precious);
        }
        assert!(!folder.path().join("new").exists());
    }

    #[test]
    fn settings_hooks_and_baselines_are_not_written_through_links_of_the_checkout() {
        let (_folder, precious) = outside();
        let target = precious.to_str().expect("it is UTF-8");
        let repository = branch(|_| {});
        change(&repository, |pr| {
            link(pr, target, "secondhand.toml");
            link(pr, target, ".pre-commit-config.yaml");
            link(pr, target, "secondhand-baseline.txt");
        });
        refuses(&repository, &["init", "--force"], &precious);
        repository.remove("secondhand.toml");
        refuses(&repository, &["init", "--hook"], &precious);
        refuses(&repository, &["baseline", "create", "--force"], &precious);
        repository.remove("secondhand-baseline.txt");
        link(&repository, target, "secondhand-baseline.tmp");
        assert!(repository.secondhand(&["baseline", "create"]).status().expect("it runs").success());
        assert_eq!(std::fs::read_to_string(&precious).expect("it is there"), "precious");
    }
}

#[test]
fn a_filter_that_fails_is_named_with_its_file() {
    let repository = branch(|_| {});
    repository.write(".gitattributes", "*.c filter=odd\n");
    repository.write("lib/b c.c", "int b;\n");
    repository.commit("filtered");
    repository.git(&["config", "filter.odd.required", "true"]);
    for (how, program) in [("clean", "false"), ("clean", "/nowhere/filter"), ("process", "/nowhere/filter")] {
        repository.git(&["config", &format!("filter.odd.{how}"), program]);
        // As long as it was: only the filter can tell whether it changed.
        std::thread::sleep(std::time::Duration::from_millis(20));
        repository.write("lib/b c.c", "int c;\n");
        let output = repository.secondhand(&["check", "--worktree"]).output().expect("it runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains("cannot read `lib/b c.c` as git would: its filter failed: "), "{errors}");
        assert!(errors.contains("`git check-attr filter -- lib/b c.c` names the filter"), "{errors}");
        repository.git(&["config", "--unset", &format!("filter.odd.{how}")]);
    }
}

#[test]
fn mixed_line_ends_are_read_although_git_would_not_record_them() {
    let repository = branch(|repository| repository.write(C.path("other"), "int other;\n"));
    repository.git(&["config", "core.safecrlf", "true"]);
    repository.git(&["config", "core.autocrlf", "true"]);
    repository.write(C.path("other"), C.first.replacen('\n', "\r\n", 3));
    let report = repository.check(&["--worktree"]);
    assert_eq!(report.list("/findings").len(), 1, "{:?}", report.findings());
}

#[test]
fn a_file_that_cannot_be_converted_or_opened_is_named() {
    let repository = branch(|repository| repository.write(C.path("other"), "int other;\n"));
    let fails = |what: &str| {
        let output = repository.secondhand(&["check", "--worktree"]).output().expect("it runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        let named = errors.lines().next().is_some_and(|line| line.contains(&C.path("other")) && line.contains(what));
        assert!(named, "{errors}");
    };
    repository.write(".gitattributes", format!("{} working-tree-encoding=odd\n", C.path("other")));
    repository.write(C.path("other"), "int another;\n");
    fails("odd");
    repository.remove(".gitattributes");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let file = repository.path(C.path("other"));
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).expect("it is ours");
        // Nothing is closed to root.
        if std::fs::File::open(&file).is_err() {
            fails("denied");
        }
    }
}

#[test]
fn a_file_of_the_work_tree_is_read_as_git_would_record_it() {
    let repository = branch(|repository| repository.write(C.path("other"), "int other;\n"));
    repository.write(".gitattributes", "*.c filter=odd\n");
    repository.commit("filtered");
    repository.git(&["config", "filter.odd.clean", "tr -d '~'"]);
    // On disk it is no code.
    let letters = C.first.chars().flat_map(|c| if c.is_whitespace() { vec![c] } else { vec!['~', c] });
    let odd: String = letters.collect();
    repository.write(C.path("other"), &odd);
    repository.write(C.path("fresh"), &odd);
    let report = repository.check(&["--worktree"]);
    let paths: Vec<_> = report.list("/findings").iter().filter_map(|finding| finding["path"].as_str()).collect();
    assert_eq!(paths, [C.path("fresh"), C.path("other")], "{:?}", report.findings());
}

#[test]
fn thousands_of_rules_for_paths_are_heeded_and_too_many_refused_with_words() {
    let repository = branch(|_| {});
    let rules = |n: usize| {
        let rules: Vec<String> = (0..n).map(|at| format!("\"/gen/**/x{at}/*.[ch]\"")).collect();
        format!("ignore = [{}, \"!/gen/x7/\"]\n", rules.join(","))
    };
    repository.write("secondhand.toml", rules(20_000));
    for path in ["gen/a/x7/a.c", "gen/a/x19999/a.c", "src/x7/a.c", "gen/x7/a.c", "gen/x8/a.c"] {
        repository.write(path, "int a(int b) { return b * 2; }\n");
    }
    repository.commit("many");
    let scanned = |settings: &str| {
        let output = repository.secondhand(&["scan", "--format", "json", "--config", settings]).output();
        let output = output.expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), output.stderr)
    };
    let n_scanned =
        |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("it is JSON")["examined"].clone();
    let (status, with, _) = scanned("secondhand.toml");
    repository.write("none.toml", "");
    let (_, without, _) = scanned("none.toml");
    assert_eq!(status, Some(0), "{with}");
    let n = |examined: serde_json::Value| examined["judgedFiles"].as_u64().expect("it is a number");
    assert_eq!(n(n_scanned(&with)) + 4, n(n_scanned(&without)));

    repository.write("secondhand.toml", rules(60_000));
    let (status, _, errors) = scanned("secondhand.toml");
    assert_eq!(status, Some(2));
    assert!(String::from_utf8_lossy(&errors).contains("it has 60001 rules, and 50000 are the maximum"));
}

#[test]
fn heavy_patterns_of_a_language_are_refused_or_tried_once_a_file() {
    let repository = branch(|_| {});
    let table = |n: usize, times: usize| {
        let row =
            |at| format!("[[language.zz.claims]]\nextension = \"c\"\npattern = '([a-z_]{{1,60}}x{at}){{{times}}}'\n");
        format!("[language.zz]\nname = \"ZZ\"\n{}", (0..n).map(row).collect::<String>())
    };
    let run = |settings: String| {
        repository.write("secondhand.toml", settings);
        let output = repository.secondhand(&["scan"]).output().expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(run(table(100, 4)).0, Some(0));
    let (status, errors) = run(table(101, 4));
    assert!(status == Some(2) && errors.contains("they are more than 100"), "{errors}");
    let (status, errors) = run(table(1, 1000));
    assert!(status == Some(2) && errors.contains("`pattern` of row 1 of `claims`"), "{errors}");
}

#[test]
fn edits_of_the_judge_are_told_once_whatever_the_format() {
    let repository = branch(|_| {});
    change(&repository, |pr| pr.write("secondhand.toml", IGNORES_ALL));
    let edit = "the change edits settings";
    let said = |args: &[&str]| {
        let mut command = repository.secondhand(&["check", "--base", "main", "--trust", "head"]);
        let Output { stdout, stderr, .. } = command.args(args).output().expect("the program starts");
        [stdout, stderr].map(|said| String::from_utf8_lossy(&said).into_owned())
    };
    for format in ["text", "json", "sarif", "github", "markdown", "html", "junit", "azure"] {
        let [out, errors] = said(&["--format", format]);
        assert!(out.contains(edit) && errors.is_empty(), "{format}: {out} {errors}");
    }
    for format in ["concise", "gitlab", "checkstyle", "rdjson", "sonarqube", "csv", "counts", "patch"] {
        let [out, errors] = said(&["--format", format]);
        assert!(!out.contains(edit) && errors.matches(edit).count() == 1, "{format}: {out} {errors}");
        let [_, errors] = said(&["--format", format, "--report", "json=.git/report.json"]);
        assert!(errors.is_empty(), "{format}: {errors}");
    }
    for format in ["text", "github", "azure"] {
        let [out, errors] = said(&["--format", format, "--quiet"]);
        assert_eq!((out + &errors).matches(edit).count(), 1, "{format}: {errors}");
    }
}
