//! Shows that a change cannot weaken its own judge: unseen where the head is trusted, and not at
//! all where the base is.

use std::path::Path;
use std::process::Output;

use crate::samples::{LANGUAGES, Language};
use serde_json::Value;
use support::Repository;

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
        format!(
            "{}: {}",
            notice["path"].as_str().unwrap_or_default(),
            notice["message"].as_str().unwrap_or_default()
        )
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
    std::fs::create_dir_all(path.parent().expect("it lies below the root"))
        .expect("the repository is writable");
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
    assert_eq!(
        run_with(&repository, &[], &[("CI", "true"), ("SECONDHAND_TRUST", "head")]).status,
        0
    );
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
        check(
            &repository,
            &["--trust", "base", "--config", file.to_str().expect("it is UTF-8")],
            0,
            &[],
        );
    }

    #[test]
    fn a_baseline_is_the_bases() {
        let repository = branch(|base| base.write("ci/known.txt", "# none\n"));
        change(&repository, |_| {});
        let create =
            ["baseline", "create", "--base", "main", "--set", "baseline=ci/known.txt", "--force"];
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
    change(&repository, |pr| {
        pr.write("secondhand.toml", format!("max-gap = 18446744073709551615\n{IGNORES_ALL}"));
    });
    let notice = "secondhand.toml: the change edits settings: ignore from [] to [\"*.c\"]; max-gap from 240 to 18446744073709551615";
    check(&repository, OF_HEAD, 0, &[notice]);
    check(&repository, OF_BASE, 1, &[notice]);
}

#[test]
fn a_table_is_listed_as_settings_spell_it() {
    let repository = branch(|_| {});
    change(&repository, |pr| {
        pr.write("secondhand.toml", "vendored = [{ path = \"x\", license = \"MIT\" }]\n");
    });
    let notice = "secondhand.toml: the change edits settings: vendored from [] to [{ license = \"MIT\", path = \"x\" }]";
    check(&repository, OF_BASE, 1, &[notice]);
}

#[test]
fn settings_that_a_change_breaks_are_named_and_end_no_audit_by_the_base() {
    let repository = branch(|_| {});
    change(&repository, |pr| pr.write("secondhand.toml", "min-tokens = = 3\n"));
    let broken = "cannot read `secondhand.toml`, line 1: extra `=`, expected nothing";
    let notice = format!(
        "secondhand.toml: the change breaks the settings, and with them every run once it lands: {broken}"
    );
    check(&repository, OF_BASE, 1, &[&notice]);
    fails(&repository, OF_HEAD, broken);
}

#[test]
fn attributes_that_are_said_by_a_macro_are_listed() {
    let repository = branch(|base| {
        base.write(".gitattributes", "[attr]made gen\n[attr]gen linguist-generated\n");
    });
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
        let create =
            ["baseline", "create", "--base", "main", "--set", "baseline=known.txt", "--force"];
        assert!(repository.secondhand(&create).status().expect("it runs").success());
        repository
            .write("decided.toml", "[[decision]]\ncopy = \"x\"\nby = \"me\"\nreason = \"so\"\n");
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
        for target in [
            file,
            "/dev/zero",
            "../../../../../../../../../dev/zero",
            "secondhand.toml",
            "nothing.toml",
        ] {
            for name in ["secondhand.toml", "secondhand-baseline.txt", "secondhand-decisions.toml"]
            {
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
    for (option, file) in
        [("baseline", "../known.txt"), ("baseline", "/dev/zero"), ("decisions", "a/../../x.toml")]
    {
        let repository = branch(|_| {});
        change(&repository, |pr| pr.write("secondhand.toml", format!("{option} = \"{file}\"\n")));
        fails(
            &repository,
            OF_HEAD,
            &format!(
                "cannot use `{option}` of the settings: `{file}` is not inside of the repository"
            ),
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
    fails(
        &repository,
        OF_HEAD,
        "which the change adds to its settings: it is not inside of the repository",
    );
    assert_eq!(run(&repository, OF_BASE).status, 1);

    #[cfg(unix)]
    {
        let repository = branch(|_| {});
        change(&repository, |pr| {
            link(pr, outside, "linked");
            pr.write("secondhand.toml", "corpora = [\"linked\"]\n");
        });
        fails(
            &repository,
            OF_HEAD,
            "which the change adds to its settings: it is not inside of the repository",
        );
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
        fails(
            &repository,
            OF_HEAD,
            "which the change adds to its settings: it is not inside of the repository",
        );
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
        assert!(
            errors.contains("is a link of the checkout, and links are not written through"),
            "{errors}"
        );
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
        for file in [
            "rep.sarif",
            "./rep.sarif",
            "out/precious",
            "out/new",
            "inside",
            absolute.to_str().expect("it is UTF-8"),
        ] {
            refuses(
                &repository,
                &["check", "--base", "main", "--report", &format!("sarif={file}")],
                &precious,
            );
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
        assert!(
            repository.secondhand(&["baseline", "create"]).status().expect("it runs").success()
        );
        assert_eq!(std::fs::read_to_string(&precious).expect("it is there"), "precious");
    }
}

#[test]
fn a_filter_that_fails_is_named_with_its_file() {
    let repository = branch(|_| {});
    repository.write(".gitattributes", "lib/*.c filter=odd\n");
    repository.write("lib/b c.c", "int b;\n");
    repository.commit("filtered");
    repository.git(&["config", "filter.odd.required", "true"]);
    for (how, program) in
        [("clean", "false"), ("clean", "/nowhere/filter"), ("process", "/nowhere/filter")]
    {
        repository.git(&["config", &format!("filter.odd.{how}"), program]);
        // As long as it was: only the filter can tell whether it changed.
        std::thread::sleep(std::time::Duration::from_millis(20));
        repository.write("lib/b c.c", "int c;\n");
        let output = repository.secondhand(&["check", "--worktree"]).output().expect("it runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(
            errors.contains("cannot read `lib/b c.c` as git would: its filter failed: "),
            "{errors}"
        );
        assert!(
            errors.contains("`git check-attr filter -- lib/b c.c` names the filter"),
            "{errors}"
        );
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
        let named = errors
            .lines()
            .next()
            .is_some_and(|line| line.contains(&C.path("other")) && line.contains(what));
        assert!(named, "{errors}");
    };
    repository.write(".gitattributes", format!("{} filter=odd\n", C.path("other")));
    repository.git(&["config", "filter.odd.clean", "/nowhere/filter"]);
    repository.git(&["config", "filter.odd.required", "true"]);
    repository.write(C.path("other"), "int another;\n");
    fails("/nowhere/filter");
    repository.remove(".gitattributes");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let file = repository.path(C.path("other"));
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000))
            .expect("it is ours");
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
    let letters =
        C.first.chars().flat_map(|c| if c.is_whitespace() { vec![c] } else { vec!['~', c] });
    let odd: String = letters.collect();
    repository.write(C.path("other"), &odd);
    repository.write(C.path("fresh"), &odd);
    let report = repository.check(&["--worktree"]);
    let paths: Vec<_> =
        report.list("/findings").iter().filter_map(|finding| finding["path"].as_str()).collect();
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
        let output =
            repository.secondhand(&["scan", "--format", "json", "--config", settings]).output();
        let output = output.expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), output.stderr)
    };
    let n_scanned = |text: &str| {
        serde_json::from_str::<serde_json::Value>(text).expect("it is JSON")["examined"].clone()
    };
    let (status, with, _) = scanned("secondhand.toml");
    repository.write("none.toml", "");
    let (_, without, _) = scanned("none.toml");
    assert_eq!(status, Some(0), "{with}");
    let n = |examined: serde_json::Value| examined["judgedFiles"].as_u64().expect("it is a number");
    assert_eq!(n(n_scanned(&with)) + 4, n(n_scanned(&without)));

    repository.write("secondhand.toml", rules(60_000));
    let (status, _, errors) = scanned("secondhand.toml");
    assert_eq!(status, Some(2));
    assert!(
        String::from_utf8_lossy(&errors).contains("it has 60001 rules, and 50000 are the maximum")
    );
}

#[test]
fn heavy_patterns_of_a_language_are_refused_or_tried_once_a_file() {
    let repository = branch(|_| {});
    let table = |n: usize, times: usize| {
        let row = |at| {
            format!(
                "[[language.zz.claims]]\nextension = \"c\"\npattern = '([a-z_]{{1,60}}x{at}){{{times}}}'\n"
            )
        };
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

/// Which commit a change is compared with where no flag names one.
mod compared_with {
    use super::*;

    /// The status of a check in `folder`, and what it says on standard error.
    #[track_caller]
    fn judged(folder: &Path, args: &[&str], variables: &[(&str, &str)]) -> (i32, String) {
        let mut command = support::secondhand(folder, &["check"]);
        let output = command
            .args(args)
            .envs(variables.iter().copied())
            .output()
            .expect("the program starts");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().expect("it ends by itself"), errors)
    }

    #[track_caller]
    fn is_refused(folder: &Path, args: &[&str], variables: &[(&str, &str)], what: &str) {
        let (status, errors) = judged(folder, args, variables);
        assert!(status == 2 && errors.contains(what), "{status}: {errors}");
    }

    /// A change of two commits: the first switches its judge off, the second copies.
    fn in_two_steps() -> Repository {
        let repository = branch(|_| {});
        repository.write("secondhand.toml", IGNORES_ALL);
        repository.commit("lax");
        change(&repository, |_| {});
        repository
    }

    fn clone(of: &Repository, args: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::TempDir::new().expect("it can be made");
        let address = format!("file://{}", of.root().display());
        let into = folder.path().to_str().expect("it is UTF-8");
        support::git(of.root(), &[&["clone", "--quiet"], args, &[&address, into]].concat());
        folder
    }

    const CI: &[(&str, &str)] = &[("CI", "true")];

    #[test]
    fn a_clone_of_one_branch_does_not_know_the_default_branch_and_in_ci_that_is_status_2() {
        let repository = in_two_steps();
        for of_remote in ["pr", "main"] {
            repository.git(&["checkout", "--quiet", of_remote]);
            for args in
                [&["--single-branch", "--branch", "pr"][..], &["--depth", "9", "--branch", "pr"]]
            {
                let clone = clone(&repository, args);
                let cure = "git fetch origin main:refs/remotes/origin/main";
                for variables in [
                    CI,
                    &[("CIRCLECI", "true")],
                    &[("TF_BUILD", "True")],
                    &[("CI", "1"), ("DRONE", "1")],
                ] {
                    is_refused(clone.path(), &[], variables, cure);
                }
                is_refused(clone.path(), &["--trust", "base"], &[], cure);
                support::git(clone.path(), &["checkout", "--quiet", "--detach"]);
                is_refused(clone.path(), &[], CI, cure);
                support::git(
                    clone.path(),
                    &["fetch", "--quiet", "origin", "main:refs/remotes/origin/main"],
                );
                assert_eq!(judged(clone.path(), &[], CI).0, 1, "as it was told");
            }
        }
        // Anybody can call a branch so.
        repository.git(&["branch", "--quiet", "--move", "pr", "master"]);
        let clone = clone(&repository, &["--single-branch", "--branch", "master"]);
        is_refused(clone.path(), &[], CI, "git fetch origin main:refs/remotes/origin/main");
    }

    #[test]
    fn where_no_default_branch_is_known_only_a_person_gets_the_last_commit_judged_and_is_told_so() {
        let repository = in_two_steps();
        repository.git(&["branch", "--quiet", "--delete", "--force", "main"]);
        is_refused(
            repository.root(),
            &[],
            CI,
            "cannot find what to compare with: the default branch is not known here",
        );
        let report = repository.check(&[]);
        let notices = report.list("/notices");
        let text = "the default branch is not known here: the last commit was compared with the one before";
        assert!(notices.iter().any(|notice| notice["message"] == text), "{notices:?}");
    }

    #[test]
    fn a_default_branch_that_is_damaged_or_gone_ends_with_status_2() {
        let repository = in_two_steps();
        assert_eq!(judged(repository.root(), &[], CI).0, 1);
        for bytes in ["junk\n", "", "1234567890123456789012345678901234567890\n"] {
            repository.write(".git/refs/heads/main", bytes);
            for variables in [CI, &[]] {
                is_refused(repository.root(), &[], variables, "cannot read the branch `main`");
            }
        }
        repository.remove(".git/refs/heads/main");
        repository.git(&["update-ref", "refs/remotes/origin/stray", "HEAD~1"]);
        repository.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
        is_refused(repository.root(), &[], CI, "git fetch origin trunk:refs/remotes/origin/trunk");
    }

    #[test]
    fn a_default_branch_that_the_system_names_and_the_clone_does_not_have_is_asked_for() {
        let repository = in_two_steps();
        repository.git(&["branch", "--quiet", "--delete", "--force", "main"]);
        let variables = [("CI", "true"), ("GITLAB_CI", "true"), ("CI_DEFAULT_BRANCH", "trunk")];
        is_refused(
            repository.root(),
            &[],
            &variables,
            "git fetch origin trunk:refs/remotes/origin/trunk",
        );
        // What is checked out is that branch.
        repository.git(&["branch", "--quiet", "--move", "trunk"]);
        assert_eq!(
            judged(repository.root(), &[], &variables).0,
            0,
            "the commit before has the lax settings"
        );
    }

    #[test]
    fn no_tag_is_taken_for_the_branch_that_a_change_is_compared_with() {
        let repository = in_two_steps();
        let main = repository.git(&["rev-parse", "main"]);
        repository.git(&["update-ref", "refs/remotes/origin/main", &main]);
        let pipeline =
            [("CI", "true"), ("JENKINS_URL", "http://localhost/"), ("CHANGE_TARGET", "main")];
        for tag in ["main", "origin/main", "origin/HEAD"] {
            repository.git(&["tag", tag, "HEAD~1"]);
        }
        assert_eq!(judged(repository.root(), &[], CI).0, 1);
        assert_eq!(judged(repository.root(), &[], &pipeline).0, 1);
        let both = "cannot resolve `main`: more than one branch, tag or commit has that name";
        is_refused(repository.root(), &["--base", "main"], CI, both);
        is_refused(repository.root(), &[], &[("CI", "true"), ("SECONDHAND_BASE", "main")], both);
        assert_eq!(judged(repository.root(), &["--base", "refs/heads/main"], CI).0, 1);
        let short = &main[..12];
        let destination = [
            ("CI", "true"),
            ("BITBUCKET_BUILD_NUMBER", "1"),
            ("BITBUCKET_PR_DESTINATION_COMMIT", short),
        ];
        assert_eq!(judged(repository.root(), &[], &destination).0, 1);
        repository.git(&["tag", short, "HEAD~1"]);
        is_refused(
            repository.root(),
            &[],
            &destination,
            "more than one branch, tag or commit has that name",
        );
    }

    #[test]
    fn on_the_default_branch_the_last_commit_is_judged() {
        let repository = branch(|_| {});
        change(&repository, |_| {});
        repository.git(&["branch", "--quiet", "--force", "main"]);
        repository.git(&["checkout", "--quiet", "main"]);
        repository.git(&["branch", "--quiet", "--delete", "pr"]);
        assert_eq!(judged(repository.root(), &[], &[]).0, 1);
        assert_eq!(judged(repository.root(), &[], CI).0, 1);
        for args in [&["--single-branch"][..], &["--branch", "main"], &["--depth", "9"]] {
            let clone = clone(&repository, args);
            assert_eq!(judged(clone.path(), &[], CI).0, 1, "{args:?}");
            support::git(clone.path(), &["checkout", "--quiet", "--detach"]);
            assert_eq!(judged(clone.path(), &[], CI).0, 1, "{args:?}");
        }
        repository.git(&["branch", "--quiet", "--move", "trunk"]);
        let clone = clone(&repository, &[]);
        assert_eq!(judged(clone.path(), &[], CI).0, 1, "the remote names it");
    }
}

/// Folders of components inside of the checkout.
mod corpora {
    use super::*;

    const GPL: &str = "SPDX-License-Identifier: GPL-3.0-only\n";

    /// A repository that ignores its folder `oss`, where a pipeline puts components, and a change
    /// that copies from one.
    fn beside_components() -> Repository {
        let repository = Repository::new();
        repository.write(C.path("store"), "int store;\n");
        repository.write(".gitignore", "/oss/\n");
        repository.commit("base");
        repository.git(&["checkout", "--quiet", "-b", "pr"]);
        repository.write("oss/zlib/z.c", C.first);
        repository.write("oss/zlib/LICENSE", GPL);
        repository.write("oss/other/f.c", "int f(int a) { return a * a + 1; }\n");
        change(&repository, |_| {});
        repository
    }

    const WITH_OSS: &[&str] = &["--trust", "base", "--corpus", "oss"];

    #[test]
    fn no_ignore_file_hides_a_component() {
        for (file, text) in [
            (".gitignore", "/oss/\nzlib/\n"),
            (".ignore", "zlib/\n"),
            (".ignore", "oss/\n"),
            (".git/info/exclude", "zlib/\n"),
            ("oss/.gitignore", "zlib/\n"),
            ("oss/.ignore", "zlib/\n"),
            ("oss/zlib/.ignore", "*\n"),
            ("oss/zlib/.gitignore", "*\n"),
        ] {
            let repository = beside_components();
            assert_eq!(run(&repository, WITH_OSS).status, 1);
            repository.write(file, text);
            repository.commit("ignored");
            let ran = run(&repository, WITH_OSS);
            assert_eq!(ran.status, 1, "{file}: {text} {}", ran.errors);
            let corpora = repository.path(".git/corpora");
            let corpora = corpora.to_str().expect("it is UTF-8");
            let add = ["corpus", "--corpus-dir", corpora, "add", "known", "oss"];
            let added = repository.secondhand(&add).output().expect("the program starts");
            let added = String::from_utf8_lossy(&added.stdout).into_owned();
            assert!(added.contains("2 files"), "{file}: {text} {added}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn no_ignore_file_is_waited_for_or_read_without_end() {
        for file in [".ignore", "oss/.ignore", "oss/zlib/.gitignore", "oss/.gitignore"] {
            let repository = beside_components();
            link(&repository, "/dev/zero", file);
            assert_eq!(run(&repository, WITH_OSS).status, 1, "{file}");
            repository.remove(file);
            let made = std::process::Command::new("mkfifo").arg(repository.path(file)).status();
            assert!(made.expect("mkfifo is installed").success());
            assert_eq!(run(&repository, WITH_OSS).status, 1, "{file}");
        }
    }
}

/// What a component inside of the repository is licensed under.
mod licenses {
    use super::*;

    const GPL: &str = "SPDX-License-Identifier: GPL-3.0-only\n";
    const MIT: &str = "SPDX-License-Identifier: MIT\n";
    const FAILS_AT_ERRORS: &[&str] = &["--trust", "base", "--fail-on", "error"];

    fn component() -> String {
        format!("{}\n{}", C.first, C.third)
    }

    /// A project under MIT with a component under the GPL in `lib/z`, and a change that copies from
    /// it.
    fn copying(settings: &str) -> Repository {
        let repository = Repository::new();
        repository.write("LICENSE", MIT);
        repository.write("lib/z/LICENSE", GPL);
        repository.write("lib/z/z.c", component());
        repository
            .write("secondhand.toml", format!("license.deny = [\"strong-copyleft\"]\n{settings}"));
        repository.commit("base");
        repository.git(&["checkout", "--quiet", "-b", "pr"]);
        change(&repository, |_| {});
        repository
    }

    const SETTINGS: [&str; 2] = ["corpora = [\"lib\"]\n", "[[vendored]]\npath = \"lib/z\"\n"];
    /// What a change may do to be judged by another license.
    const EDITS: [(&str, &str); 5] = [
        ("lib/z/LICENSE", MIT),
        ("lib/z/z.c.license", MIT),
        ("lib/z/LICENSES/MIT.txt", MIT),
        ("lib/z/package.json", "{ \"name\": \"z\", \"license\": \"MIT\" }\n"),
        (
            "lib/z/REUSE.toml",
            "version = 1\n[[annotations]]\npath = \"**\"\nprecedence = \"override\"\nSPDX-License-Identifier = \"MIT\"\n",
        ),
    ];

    #[test]
    fn they_are_those_of_the_tip_of_the_base() {
        for settings in SETTINGS {
            let repository = copying(settings);
            assert_eq!(run(&repository, FAILS_AT_ERRORS).status, 1, "{settings}");
            for (file, text) in EDITS {
                let repository = copying(settings);
                repository.write(file, text);
                repository.commit("another license");
                let ran = run(&repository, FAILS_AT_ERRORS);
                assert_eq!(ran.status, 1, "{settings} {file} {:?} {}", ran.notices, ran.errors);
            }
            let repository = copying(settings);
            repository.write("lib/z/z.c", format!("// {MIT}{}", component()));
            repository.commit("a tag");
            assert_eq!(run(&repository, FAILS_AT_ERRORS).status, 1, "{settings}: a tag");
            repository.remove("lib/z/LICENSE");
            repository.commit("none");
            assert_eq!(run(&repository, FAILS_AT_ERRORS).status, 1, "{settings}: removed");
        }
        // The tip counts, not where the branch left it.
        for settings in SETTINGS {
            let repository = copying(settings);
            repository.git(&["checkout", "--quiet", "main"]);
            repository.write("lib/z/LICENSE", MIT);
            repository.commit("another license");
            repository.git(&["checkout", "--quiet", "pr"]);
            assert_eq!(run(&repository, FAILS_AT_ERRORS).status, 0, "{settings}");
        }
    }

    #[test]
    fn edits_of_them_are_listed_whoever_is_trusted() {
        for settings in SETTINGS {
            for (file, text) in EDITS {
                let repository = copying(settings);
                repository.write(file, text);
                repository.commit("another license");
                for args in [OF_HEAD, OF_BASE] {
                    let ran = run(&repository, args);
                    assert!(
                        ran.notices.iter().any(|notice| notice.contains(file)),
                        "{settings} {file} {:?}",
                        ran.notices
                    );
                }
            }
        }
    }
}

/// Folders of components that the base has or names, and what a change makes of them.
mod corpora_of_the_base {
    use super::*;

    /// A repository whose settings name its folder `oss`, and a change that copies from a component
    /// that only the tip of the base has.
    fn with_components() -> Repository {
        let repository = Repository::new();
        repository.write(C.path("store"), "int store;\n");
        repository.write("oss/other/f.c", "int f(int a) { return a * a + 1; }\n");
        repository.write("secondhand.toml", "corpora = [\"oss\"]\n");
        repository.commit("base");
        repository.git(&["checkout", "--quiet", "-b", "pr"]);
        change(&repository, |_| {});
        repository.git(&["checkout", "--quiet", "main"]);
        repository.write("oss/z/z.c", C.first);
        repository.commit("one more");
        repository.git(&["checkout", "--quiet", "pr"]);
        repository
    }

    #[test]
    fn they_are_searched_as_the_base_has_them_and_edits_are_listed() {
        let repository = with_components();
        check(&repository, OF_BASE, 1, &[]);
        check(&repository, OF_HEAD, 0, &[]);
        check(&repository, &["--trust", "base", "--isolated", "--corpus", "oss"], 1, &[]);
        repository.write("oss/other/f.c", "int f;\n");
        repository.commit("edited");
        let notice = "oss/other/f.c: the change edits a corpus, the folder `oss`: 1 file";
        check(&repository, OF_BASE, 1, &[notice]);
        check(&repository, OF_HEAD, 0, &[notice]);
        repository.write("oss/mine/a.c", C.second);
        repository.commit("added");
        let notice = "oss/mine/a.c: the change edits a corpus, the folder `oss`: 2 files";
        check(&repository, OF_BASE, 1, &[notice]);
        std::fs::remove_dir_all(repository.path("oss")).expect("it is there");
        repository.commit("emptied");
        let notice = "oss/other/f.c: the change edits a corpus, the folder `oss`: 1 file";
        check(&repository, OF_BASE, 1, &[notice]);
    }

    #[test]
    fn what_a_change_adds_to_a_folder_that_the_repository_does_not_have_ends_the_run() {
        let repository = Repository::new();
        repository.write(C.path("store"), "int store;\n");
        repository.write(".gitignore", "/oss/\n");
        repository.commit("base");
        repository.git(&["checkout", "--quiet", "-b", "pr"]);
        repository.write("oss/z/z.c", C.first);
        change(&repository, |_| {});
        let args = ["--trust", "base", "--corpus", "oss"];
        assert_eq!(run(&repository, &args).status, 1);
        repository.write("oss/z/LICENSE", "SPDX-License-Identifier: MIT\n");
        repository.git(&["add", "--force", "oss/z/LICENSE"]);
        repository.commit("a license");
        fails(
            &repository,
            &args,
            "cannot compare with the corpus `oss`: the change adds `oss/z/LICENSE` to it",
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_the_root_is_no_empty_corpus() {
        let repository = branch(|base| {
            base.write("secondhand.toml", "corpora = [\"own\"]\n");
            link(base, ".", "own");
        });
        change(&repository, |_| {});
        fails(
            &repository,
            OF_BASE,
            "cannot compare with the corpus `own`: the change adds `own/new.c` to it",
        );
    }

    #[cfg(unix)]
    #[test]
    fn no_link_of_a_change_leads_to_files_of_the_machine() {
        let outside = tempfile::TempDir::new().expect("it can be made");
        std::fs::create_dir(outside.path().join("secret")).expect("it can be made");
        std::fs::write(outside.path().join("secret/private.c"), C.first).expect("it is writable");
        let outside = outside.path().to_str().expect("it is UTF-8");
        let is_read = |repository: &Repository, args: &[&str]| {
            let output =
                repository.secondhand(&[&["check", "--base", "main"], args].concat()).output();
            let output = output.expect("the program starts");
            let said = [output.stdout, output.stderr].concat();
            String::from_utf8_lossy(&said).contains("private.c")
        };
        let repository = with_components();
        std::fs::remove_dir_all(repository.path("oss")).expect("it is there");
        link(&repository, outside, "oss");
        repository.commit("a link");
        for args in [OF_BASE, &["--trust", "base", "--corpus", "oss"]] {
            assert!(!is_read(&repository, args), "{args:?}");
            assert_eq!(run(&repository, args).status, 1, "the component of the base");
        }
        assert!(!is_read(&repository, OF_HEAD));
        fails(
            &repository,
            OF_HEAD,
            "cannot compare with the corpus `oss`: it is behind a link that the change brings in",
        );

        // A folder that the base names and does not have.
        let named = Repository::new();
        named.write(C.path("store"), "int store;\n");
        named.write("secondhand.toml", "corpora = [\"parts/oss\"]\n");
        named.commit("base");
        named.git(&["checkout", "--quiet", "-b", "pr"]);
        std::fs::create_dir_all(Path::new(outside).join("oss/secret")).expect("it can be made");
        std::fs::write(Path::new(outside).join("oss/secret/private.c"), C.first)
            .expect("it is writable");
        link(&named, outside, "parts");
        change(&named, |_| {});
        for args in [OF_BASE, OF_HEAD] {
            fails(
                &named,
                args,
                "cannot compare with the corpus `parts/oss`: it is behind a link that the change brings in",
            );
        }
    }
}

#[test]
fn decisions_are_those_of_the_tip_of_the_base() {
    let repository = branch(|_| {});
    change(&repository, |_| {});
    let report = repository.check(&["--base", "main"]);
    let copy = report.list("/findings")[0]["identity"].as_str().expect("a finding has one");
    let decided = format!("[[decision]]\ncopy = \"{copy}\"\nby = \"me\"\nreason = \"so\"\n");
    repository.write("secondhand-decisions.toml", &decided);
    repository.commit("decided");
    let notice = "secondhand-decisions.toml: the change edits the decisions on copies";
    check(&repository, OF_HEAD, 0, &[notice]);
    check(&repository, OF_BASE, 1, &[notice]);
    repository.git(&["checkout", "--quiet", "main"]);
    repository.write("secondhand-decisions.toml", &decided);
    repository.commit("decided");
    repository.git(&["checkout", "--quiet", "pr"]);
    check(&repository, OF_BASE, 0, &[notice]);
}

#[test]
fn the_license_of_the_project_is_that_of_the_tip_of_the_base() {
    const GPL: &str = "SPDX-License-Identifier: GPL-3.0-only\n";
    let repository = Repository::new();
    repository.write("LICENSE", "SPDX-License-Identifier: MIT\n");
    repository.write("lib/z/LICENSE", GPL);
    repository.write("lib/z/z.c", format!("{}\n{}", C.first, C.third));
    repository.write("secondhand.toml", "corpora = [\"lib\"]\nignore = [\"lib/\"]\n");
    repository.commit("base");
    repository.git(&["checkout", "--quiet", "-b", "pr"]);
    change(&repository, |pr| pr.write("LICENSE", GPL));
    let at_errors = |trust| run(&repository, &["--trust", trust, "--fail-on", "error"]).status;
    assert_eq!((at_errors("head"), at_errors("base")), (0, 1));
    repository.git(&["checkout", "--quiet", "main"]);
    repository.write("LICENSE", GPL);
    repository.commit("another license");
    repository.git(&["checkout", "--quiet", "pr"]);
    assert_eq!(at_errors("base"), 0);
}

#[test]
fn an_edit_of_the_license_of_the_project_is_listed() {
    let repository = branch(|base| base.write("LICENSE", "SPDX-License-Identifier: MIT\n"));
    change(&repository, |pr| pr.write("LICENSE", "SPDX-License-Identifier: GPL-3.0-only\n"));
    let notice = "LICENSE: the change edits the license of the project from MIT to GPL-3.0-only";
    check(&repository, OF_HEAD, 1, &[notice]);
    check(&repository, OF_BASE, 1, &[notice]);
    repository.remove("LICENSE");
    repository.commit("none");
    check(
        &repository,
        OF_HEAD,
        1,
        &["LICENSE: the change edits the license of the project from MIT to none that is known"],
    );
}

/// Comments that allow copies, and marks of generated files.
mod excuses {
    use super::*;

    const FOR_FILE: &str = "// secondhand: allow-file(copied-code) -- once\n";
    const FOR_LINE: &str = "// secondhand: allow(copied-code) -- reviewed\n";

    /// A change that writes `after` to `file`, which base has as `before`.
    fn edited(file: &str, before: &str, after: &str) -> Repository {
        let repository = branch(|base| base.write(file, before));
        repository.write(file, after);
        repository.commit("change");
        repository
    }

    fn on_main(repository: &Repository, edit: impl FnOnce(&Repository)) {
        repository.git(&["checkout", "--quiet", "main"]);
        edit(repository);
        repository.commit("main goes on");
        repository.git(&["checkout", "--quiet", "pr"]);
    }

    #[test]
    fn they_count_if_the_tip_of_the_base_has_them_too() {
        for mark in [FOR_FILE, "// @generated\n"] {
            let before = format!("{mark}int q;\n");
            let repository = edited("x.c", &before, &format!("{before}{}", C.first));
            assert_eq!(run(&repository, OF_BASE).status, 0, "{mark}");
            on_main(&repository, |main| main.write("x.c", "int q;\n"));
            assert_eq!(run(&repository, OF_BASE).status, 1, "{mark}");
            on_main(&repository, |main| main.remove("x.c"));
            assert_eq!(run(&repository, OF_BASE).status, 1, "{mark}");
        }
    }

    #[test]
    fn an_origin_that_is_generated_no_more_is_compared_with() {
        let repository = branch(|base| base.write("gen.c", format!("// @generated\n{}", C.third)));
        repository.write("new.c", C.third);
        repository.commit("change");
        assert_eq!(run(&repository, OF_BASE).status, 0);
        on_main(&repository, |main| main.write("gen.c", C.third));
        assert_eq!(run(&repository, OF_BASE).status, 1);
    }

    #[test]
    fn one_for_the_file_allows_what_a_change_adds_to_it_and_that_is_said() {
        let before = format!("{FOR_FILE}int q;\n");
        let repository = edited("x.c", &before, &format!("{before}{}", C.first));
        let notice = "x.c: an old suppression now allows new code: once";
        check(&repository, OF_BASE, 0, &[notice]);
        check(&repository, OF_HEAD, 0, &[notice]);
    }

    #[test]
    fn one_for_a_line_allows_no_code_that_a_change_puts_there() {
        let none =
            "x.c: this suppression has no effect: the change adds the code below it (reviewed)";
        let old = "x.c: an old suppression now allows new code: reviewed";
        let (but_end, end) = C.first.trim_end().rsplit_once('\n').expect("it has lines");
        for (before, after) in [
            // Pasted between the comment and its code.
            (
                format!("int q;\n{FOR_LINE}int f(int a) {{ return a * 2; }}\n"),
                format!("int q;\n{FOR_LINE}{}int f(int a) {{ return a * 2; }}\n", C.first),
            ),
            // Below a comment at the end.
            (format!("int q;\n{FOR_LINE}"), format!("int q;\n{FOR_LINE}{}", C.first)),
            // Around a comment.
            (format!("int q;\n{FOR_LINE}{end}\n"), format!("int q;\n{but_end}\n{FOR_LINE}{end}\n")),
        ] {
            let repository = edited("x.c", &before, &after);
            let ran = run(&repository, OF_BASE);
            assert_eq!(
                (ran.status, &ran.notices[..]),
                (1, &[none.to_owned()][..]),
                "{after} {}",
                ran.errors
            );
            let ran = run(&repository, OF_HEAD);
            assert_eq!(
                (ran.status, &ran.notices[..]),
                (0, &[old.to_owned()][..]),
                "{after} {}",
                ran.errors
            );
        }
    }

    #[test]
    fn one_whose_code_is_untouched_stays_as_it_is_and_moves_with_its_file() {
        // Beside it, nothing is new.
        let before = format!("{FOR_LINE}{}", C.first);
        let repository = edited("x.c", &before, &format!("{before}int more;\n"));
        check(&repository, OF_BASE, 0, &[]);
        repository.rename("x.c", "y.c");
        repository.commit("moved");
        check(&repository, OF_BASE, 0, &[]);
    }

    #[test]
    fn one_for_a_file_is_for_the_file_of_that_name() {
        let before = format!("{FOR_FILE}{}", C.third);
        let repository = branch(|base| base.write("x.c", &before));
        repository.remove("x.c");
        repository.write("y.c", format!("{before}{}", C.first));
        repository.commit("moved and more");
        let ran = run(&repository, OF_BASE);
        assert_eq!(ran.status, 1, "{:?}", ran.notices);
        assert!(
            ran.notices.iter().any(|notice| notice.contains("y.c: this suppression has no effect")),
            "{:?}",
            ran.notices
        );
    }

    #[test]
    fn text_that_was_no_comment_in_base_is_none_of_the_bases() {
        let before =
            "const char *doc = \"\\\n// secondhand: allow-file(copied-code) -- example\\\n\";\n";
        let comment = "// secondhand: allow-file(copied-code) -- example\\\n";
        let repository = edited("x.c", before, &format!("int doc;\n{comment}\n{}", C.first));
        assert_eq!(run(&repository, OF_HEAD).status, 0);
        assert_eq!(run(&repository, OF_BASE).status, 1);
    }
}

/// Files that judge and are in a submodule.
mod submodules {
    use super::*;

    /// A repository with the submodule `ci`, which has settings, and a change that moves it to
    /// other ones.
    fn moved() -> (Repository, Repository) {
        let settings = Repository::new();
        settings.write("sh.toml", "min-tokens = 40\n");
        settings.write("bl.txt", "");
        settings.commit("settings");
        let repository = branch(|base| {
            base.git(&[
                "submodule",
                "--quiet",
                "add",
                settings.root().to_str().expect("it is UTF-8"),
                "ci",
            ]);
        });
        change(&repository, |_| {});
        (settings, repository)
    }

    fn bump(repository: &Repository) {
        repository.write("ci/sh.toml", IGNORES_ALL);
        support::git(&repository.path("ci"), &["commit", "--quiet", "--all", "--message", "lax"]);
        repository.commit("moved");
    }

    #[test]
    fn one_that_a_change_does_not_move_has_settings_as_any_folder() {
        let (_settings, repository) = moved();
        check(
            &repository,
            &["--trust", "base", "--config", "ci/sh.toml", "--baseline", "ci/bl.txt"],
            1,
            &[],
        );
    }

    #[test]
    fn one_that_a_change_moves_has_no_word_of_the_base() {
        let (_settings, repository) = moved();
        bump(&repository);
        for (flag, file) in [("--config", "ci/sh.toml"), ("--baseline", "ci/bl.txt")] {
            let why =
                format!("cannot use `{file}`: it is in the submodule `ci`, which the change moves");
            fails(&repository, &["--trust", "base", flag, file], &why);
        }
        let listed =
            |args: &[&str]| {
                let notices = run(&repository, args).notices;
                assert!(
                    notices.iter().any(|notice| notice
                        .starts_with("ci: the change moves a submodule, and with it ")),
                    "{notices:?}"
                );
            };
        listed(&["--trust", "head", "--config", "ci/sh.toml"]);
        listed(&["--trust", "head", "--baseline", "ci/bl.txt"]);
        repository.git(&["rm", "--quiet", "--cached", "ci"]);
        std::fs::remove_file(repository.path("ci/.git")).expect("it is there");
        repository.commit("a folder now");
        let why = "cannot use `ci/sh.toml`: it is in the submodule `ci`, which the change moves";
        fails(&repository, &["--trust", "base", "--config", "ci/sh.toml"], why);
    }

    #[cfg(unix)]
    #[test]
    fn links_into_one_lead_out_of_the_repository() {
        for name in ["secondhand.toml", "secondhand-baseline.txt", "secondhand-decisions.toml"] {
            let (_settings, repository) = moved();
            bump(&repository);
            link(&repository, "ci/sh.toml", name);
            repository.commit("a link");
            fails(
                &repository,
                OF_HEAD,
                "it is a link out of the repository, which is not followed",
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_listed_and_hides_no_edit_of_other_settings() {
    let repository = branch(|base| base.write("k/a.c", "int a;\n"));
    change(&repository, |pr| {
        pr.write("src/secondhand.toml", IGNORES_ALL);
        link(pr, "secondhand.toml", "k/secondhand.toml");
    });
    let edit = "src/secondhand.toml: the change edits settings of its folder: ignore from nothing to [\"*.c\"]";
    let broken = |path: &str, what: &str| {
        format!(
            "{path}: the change breaks {what} every run once it lands: cannot read `{path}`, which is a link: "
        )
    };
    let ran = run(&repository, OF_BASE);
    assert_eq!(ran.status, 1);
    assert!(ran.notices.contains(&edit.to_owned()), "{:?}", ran.notices);
    let of_folder = broken("k/secondhand.toml", "these settings, and with them");
    assert!(ran.notices.iter().any(|notice| notice.starts_with(&of_folder)), "{:?}", ran.notices);

    for (file, what) in [
        ("secondhand.toml", "the settings, and with them"),
        ("secondhand-baseline.txt", "the baseline, and with it"),
        ("secondhand-decisions.toml", "the decisions, and with them"),
    ] {
        let repository = branch(|_| {});
        change(&repository, |pr| link(pr, "nothing.toml", file));
        let ran = run(&repository, OF_BASE);
        assert_eq!(ran.status, 1);
        assert!(
            ran.notices.iter().any(|notice| notice.starts_with(&broken(file, what))),
            "{:?}",
            ran.notices
        );
    }
}

#[test]
fn settings_of_a_folder_that_the_settings_of_the_change_reach_are_listed() {
    let repository = branch(|_| {});
    change(&repository, |pr| {
        pr.write("secondhand.toml", "ignore = [\"!deps/\"]\n");
        pr.write("deps/secondhand.toml", "[rules]\ncopied-code = \"off\"\n");
    });
    let notices = [
        "secondhand.toml: the change edits settings: ignore from [] to [\"!deps/\"]",
        "deps/secondhand.toml: the change edits settings of its folder: rules from nothing to { copied-code = \"off\" }",
    ];
    check(&repository, OF_HEAD, 1, &notices);
    check(&repository, OF_BASE, 1, &notices);
}

#[test]
fn attributes_whose_lines_are_repeated_or_in_another_order_are_listed() {
    let (on, off) = ("*.c linguist-generated\n", "*.c -linguist-generated\n");
    let listed = |before: &[u8], after: &[u8]| {
        let repository = branch(|base| base.write(".gitattributes", before));
        change(&repository, |pr| pr.write(".gitattributes", after));
        let notices = run(&repository, OF_HEAD).notices;
        let is_listed = notices
            .iter()
            .any(|notice| notice.starts_with(".gitattributes: the change edits attributes"));
        assert!(
            is_listed,
            "{} -> {}: {notices:?}",
            String::from_utf8_lossy(before),
            String::from_utf8_lossy(after)
        );
    };
    let text = |lines: &[&str]| lines.concat().into_bytes();
    listed(&text(&[on, off]), &text(&[on, off, on]));
    listed(&text(&[on, off]), &text(&[off, on]));
    let of_macros = ["[attr]one linguist-generated\n", "[attr]two -linguist-generated\n"];
    let uses = ["*.c one\n", "*.c two\n"];
    listed(
        &text(&[&of_macros[..], &uses].concat()),
        &text(&[of_macros[0], of_macros[1], uses[1], uses[0]]),
    );
    listed(b"\"n\xff.c\" linguist-generated\n", b"\"n\xfe.c\" linguist-generated\n");
}

#[test]
fn edits_of_the_judge_are_told_once_whatever_the_format() {
    let repository = branch(|_| {});
    change(&repository, |pr| pr.write("secondhand.toml", IGNORES_ALL));
    let edit = "the change edits settings";
    let said = |args: &[&str]| {
        let mut command = repository.secondhand(&["check", "--base", "main", "--trust", "head"]);
        let Output { stdout, stderr, .. } =
            command.args(args).output().expect("the program starts");
        [stdout, stderr].map(|said| String::from_utf8_lossy(&said).into_owned())
    };
    for format in ["text", "json", "sarif", "github", "markdown", "html", "junit", "azure"] {
        let [out, errors] = said(&["--format", format]);
        assert!(out.contains(edit) && errors.is_empty(), "{format}: {out} {errors}");
    }
    for format in
        ["concise", "gitlab", "checkstyle", "rdjson", "sonarqube", "csv", "counts", "patch"]
    {
        let [out, errors] = said(&["--format", format]);
        assert!(
            !out.contains(edit) && errors.matches(edit).count() == 1,
            "{format}: {out} {errors}"
        );
        let [_, errors] = said(&["--format", format, "--report", "json=.git/report.json"]);
        assert!(errors.is_empty(), "{format}: {errors}");
    }
    for format in ["text", "github", "azure"] {
        let [out, errors] = said(&["--format", format, "--quiet"]);
        assert_eq!((out + &errors).matches(edit).count(), 1, "{format}: {errors}");
    }
}
