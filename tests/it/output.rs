//! Shows where reports go: their colors and length, several at once, to files and pipes, the same
//! bytes from any number of threads.

use std::fs;
use std::process::Stdio;

use crate::one_copy::{C, check_failure, new, printed, repository_with_a_copy, text};
use crate::samples::LANGUAGES;
use secondhand::report::{FORMATS, Format};
use support::Repository;
use tempfile::TempDir;

#[test]
fn an_unknown_format_is_named_with_those_there_are() {
    let repository = repository_with_a_copy();
    let names: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
    let there_are = format!("available: {}", names.join(", "));
    let help = |nearest: &str| format!("help: {nearest}{there_are}");
    let failing = |args: &[&str], name: &str, help: &str| {
        check_failure(
            repository.secondhand(&["check"]).args(args),
            &format!("unknown format `{name}`"),
            help,
        );
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
        let Some(flag) = command.get_arguments().find(|flag| flag.get_id() == "format") else {
            continue;
        };
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

/// Checks that a report to `file` is refused before the audit: the base that it would stop at is
/// never looked for.
#[track_caller]
fn check_unwritable(repository: &Repository, file: &str, why: &str) {
    for flags in
        [["--output".to_owned(), file.to_owned()], ["--report".to_owned(), format!("json={file}")]]
    {
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
    let set =
        |mode| fs::set_permissions(repository.path("closed"), fs::Permissions::from_mode(mode));
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
        &mut repository
            .secondhand(&["check", "--report", "json=report", "--output", ".git/../report"]),
        "cannot write two reports to `.git/../report`: the second would replace the first",
        "help: give each report a file of its own",
    );
    assert!(!repository.path("report").exists());
}

#[test]
fn an_audit_that_fails_leaves_the_report_of_the_last_one() {
    let repository = repository_with_a_copy();
    repository.write("report", "the last one");
    let output =
        repository.secondhand(&["check", "--base", "nowhere", "--output", "report"]).output();
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
    let mut expected: Vec<_> =
        FORMATS.iter().map(|format| format!("?? report.{}", format.name)).collect();
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
    let mut command =
        repository.secondhand(&["check", "--base", "HEAD~1", "--format=json", "--output"]);
    printed(command.arg(&link));
    let text = fs::read_to_string(outside.path().join("report")).expect("it was written");
    assert!(text.starts_with('{'), "{text}");
    assert!(fs::symlink_metadata(link).expect("it is there").is_symlink());
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let repository = repository_with_a_copy();
    for format in FORMATS {
        let (reader, writer) = std::io::pipe().expect("there are pipes");
        drop(reader);
        let mut command =
            repository.secondhand(&["check", "--base", "HEAD~1", "--format", format.name]);
        let child =
            command.stdout(writer).stderr(Stdio::piped()).spawn().expect("the program starts");
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!(text(&output.stderr), "", "{}", format.name);
        assert_eq!(output.status.code(), Some(1), "{}", format.name);
    }
}

const ESCAPE: u8 = 0x1B;

#[test]
fn there_are_no_colors_when_the_output_is_no_terminal() {
    let repository = repository_with_a_copy();
    for format in FORMATS {
        let out = printed(
            &mut repository.secondhand(&["check", "--base", "HEAD~1", "--format", format.name]),
        );
        assert!(!out.contains(&ESCAPE), "{}", text(&out));
    }
    let output = repository
        .secondhand(&["check", "--base", "nowhere"])
        .output()
        .expect("the program starts");
    assert!(!output.stderr.contains(&ESCAPE), "{}", text(&output.stderr));
}

#[test]
fn there_are_colors_when_they_are_asked_for() {
    let repository = repository_with_a_copy();
    let args = ["check", "--base", "HEAD~1"];
    assert!(printed(repository.secondhand(&args).args(["--color", "always"])).contains(&ESCAPE));
    assert!(printed(repository.secondhand(&args).env("CLICOLOR_FORCE", "1")).contains(&ESCAPE));
    let never =
        printed(repository.secondhand(&args).args(["--color", "never"]).env("CLICOLOR_FORCE", "1"));
    assert!(!never.contains(&ESCAPE));
    let failed = ["check", "--base", "nowhere", "--color", "always"];
    assert!(
        repository
            .secondhand(&failed)
            .output()
            .expect("the program starts")
            .stderr
            .contains(&ESCAPE)
    );
}

#[test]
fn there_are_no_colors_in_files_and_in_formats_for_programs() {
    let repository = repository_with_a_copy();
    let args = [
        "check", "--base", "HEAD~1", "--color", "always", "--report", "text=report.txt", "--format",
    ];
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
            assert_eq!(
                text(&fs::read(repository.path(file)).expect("it was written")),
                text(&expected)
            );
        }
    }
}

/// A repository whose last commit copies 60 lines of `store.py`, all but one of them as they were.
fn repository_with_a_long_copy() -> Repository {
    let body = |word: &str| {
        let line = |n: u32| format!("    total_{n} = rows[{n}].price * rates[{n}] + {n}\n");
        let lines: String = (0..60)
            .map(|n| if n == 30 { format!("    {word}(rows, rates)\n") } else { line(n) })
            .collect();
        format!("def sum_up(rows, rates):\n{lines}    return rows\n")
    };
    let repository = Repository::new();
    repository.write("store.py", body("check"));
    repository.commit("the original");
    repository.write(
        "with a rather long name/that makes every line of prose wide/copy.py",
        body("verify"),
    );
    repository.commit("the copy");
    repository
}

#[test]
fn a_side_takes_about_ten_lines_and_equal_ones_are_counted_unless_all_are_asked_for() {
    let repository = repository_with_a_long_copy();
    let out = text(&printed(&mut repository.secondhand(&["check", "--set", "min-worth=0"])));
    let of_code = out.lines().filter(|line| line.contains(" | ")).count();
    assert!((10..=24).contains(&of_code), "{of_code}: {out}");
    assert!(
        out.contains("check(rows, rates)") && out.contains("verify(rows, rates)"),
        "what differs: {out}"
    );
    let counts =
        out.lines().filter_map(|line| line.strip_prefix("... ")?.strip_suffix(" equal lines"));
    let n_folded: u32 = counts.map(|n| n.parse::<u32>().expect("it is a number")).sum();
    assert!(n_folded > 80, "{out}");
    let out = text(&printed(&mut repository.secondhand(&["check", "--full"])));
    assert!(
        out.lines().filter(|line| line.contains(" | ")).count() >= 124 && !out.contains("..."),
        "{out}"
    );
}

#[test]
fn a_message_is_one_line_where_no_terminal_reads_it() {
    let repository = repository_with_a_long_copy();
    let out = text(&printed(&mut repository.secondhand(&["check", "--set", "min-worth=0"])));
    let title =
        "--> with a rather long name/that makes every line of prose wide/copy.py:1-62 the copy, ";
    let is_title =
        |line: &&str| line.trim_start().starts_with(title) && line.ends_with(" of them new");
    assert!(out.lines().any(|line| is_title(&line)), "{out}");
    assert!(!out.lines().any(|line| line.starts_with("    ")), "nothing continues a line: {out}");
}

#[test]
fn a_finding_ends_with_what_to_do_and_the_comment_that_allows_it() {
    let repository = repository_with_a_long_copy();
    let out = text(&printed(&mut repository.secondhand(&["check", "--set", "min-worth=0"])));
    let comment = "# secondhand: allow(copied-code) -- why";
    // It calls another function.
    let expected = format!(
        "  = to do: write it once, and use it in both places, or keep it with a comment above: {comment}"
    );
    assert!(out.lines().any(|line| line == expected), "{out}");
    // The comment is right as it stands.
    let path = "with a rather long name/that makes every line of prose wide/copy.py";
    let copy = fs::read_to_string(repository.path(path)).expect("it is there");
    repository.write(path, format!("{comment}\n{copy}"));
    repository.commit("kept on purpose");
    assert_eq!(repository.check(&["--base", "HEAD~2"]).status, 0);
}

#[test]
fn the_comment_that_allows_a_finding_is_one_of_the_language_that_the_file_was_read_as() {
    let repository = Repository::new();
    let python =
        LANGUAGES.iter().find(|language| language.extension == "py").expect("there is one");
    let script = format!("#!/usr/bin/env python3\n{}{}", python.first, python.second);
    repository.write("origin.c", format!("#include \"table.def\"\n{}", C.first));
    repository.write("deploy", &script);
    repository.commit("the origins");
    repository.write("table.def", C.first);
    repository.write("release", &script);
    repository.commit("copies whose names tell little");
    let out = text(&printed(&mut repository.secondhand(&["check"])));
    for (path, comment) in [("table.def", "//"), ("release", "#")] {
        let behind = out.split_once(&format!("--> {path}:")).expect("it is reported").1;
        assert!(
            behind.split_once("comment above: ").expect("how").1.starts_with(comment),
            "{path}: {out}"
        );
    }
}

#[test]
fn the_places_of_code_that_repeats_itself_are_those_of_all_of_it() {
    let repository = Repository::new();
    let rows: String = (0..12)
        .map(|n| format!("    if (a[{n}] > limit + {n}) total = combine(total, a[{n}], {n});\n"))
        .collect();
    let function = |name: &str| {
        format!(
            "int {name}(int *a, int limit)\n{{\n    int total = 0;\n{rows}    return total;\n}}\n"
        )
    };
    for name in ["one", "two"] {
        repository.write(format!("{name}.c"), function(name));
    }
    repository.commit("two alike");
    repository.write("three.c", function("three"));
    repository.commit("the third");
    let out = text(&printed(&mut repository.secondhand(&["check"])));
    assert!(out.contains("17 lines copied from one.c:1 ["), "{out}");
}

#[test]
fn a_function_is_called_several_are_used_and_a_part_is_written_once() {
    let to_do = |copy: String| {
        let repository = Repository::new();
        repository.write("store.c", format!("{}\n{}", C.first, C.second));
        repository.commit("the origin");
        repository.write("copy.c", copy);
        repository.commit("the copy");
        text(&printed(&mut repository.secondhand(&["check", "--set", "min-worth=0"])))
    };
    let (first, both) = (C.first.to_owned(), format!("{}\n{}", C.first, C.second));
    let part = format!("static int run(struct own *it)\n{{\n{}\n    return it->n;\n}}\n", C.piece);
    assert!(to_do(first).contains("to do: call store.c:1 instead, or"));
    // What differs would have to become a parameter.
    let with_names = to_do(C.renamed());
    assert!(with_names.contains("to do: write it once, and use it in both places, or"));
    assert!(to_do(both).contains("to do: use store.c:1 instead, or"));
    assert!(to_do(part).contains("to do: write it once, and use it in both places, or"));
}

#[test]
fn people_read_words_and_those_who_ask_for_more_read_types() {
    let repository = repository_with_a_copy();
    let out = |flags: &[&str]| text(&printed(repository.secondhand(&["check"]).args(flags)));
    assert!(
        out(&[]).contains("its origin, exact, 100 % alike")
            && !out(&[]).to_lowercase().contains("type-")
    );
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
    let concise = out(&["--format", "concise"]);
    let (head, id) =
        concise.trim_end().trim_end_matches(']').rsplit_once(" [").expect("it ends with an id");
    assert_eq!(
        head,
        format!("new.c:{line}:1: warning[copied-code] {n_lines} lines copied from store.c:1")
    );
    assert!(id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    assert_eq!(out(&["--quiet"]), concise);
}

#[test]
fn every_report_counts_the_lines_of_code_of_a_copy() {
    let (head, rest) = C.first.split_once('\n').expect("it has lines");
    let with_comment = format!("{head}\n    /* The reason. */\n\n{rest}");
    let repository = Repository::new();
    repository.write("store.c", &with_comment);
    repository.commit("the origin");
    repository.write("new.c", &with_comment);
    repository.commit("the copy");
    let corpus = tempfile::tempdir().expect("there is room");
    fs::create_dir(corpus.path().join("known")).expect("it can be made");
    fs::write(corpus.path().join("known/a.c"), &with_comment).expect("it can be written");
    let corpus = corpus.path().to_str().expect("it is text").to_owned();
    let lines = format!("{} lines", C.first.lines().count());
    for args in [
        vec!["check"],
        vec!["check", "--format", "markdown"],
        vec!["check", "--format", "html"],
        vec!["history"],
        vec!["history", "--format", "markdown"],
        vec!["audit", "--corpus", &corpus],
    ] {
        let out = text(&printed(&mut repository.secondhand(&args)));
        let longer = format!("{} lines", with_comment.lines().count());
        assert!(out.contains(&lines) && !out.contains(&longer), "{args:?}: {out}");
    }
}

#[test]
fn a_change_of_documents_is_said_to_add_no_code() {
    let repository = repository_with_a_copy();
    for words in ["Words.", "Other words."] {
        repository.write("README.md", format!("{words}\n\n```c\nint n = 1;\n```\n"));
        repository.commit(words);
    }
    let out = text(&printed(&mut repository.secondhand(&["check", "--base", "HEAD~1"])));
    assert!(
        out.starts_with("no new copies in 1 changed file: no code was added (HEAD~1 "),
        "{out}"
    );
}

#[test]
fn an_end_that_is_named_by_its_id_is_told_by_the_id_alone() {
    let repository = repository_with_a_copy();
    let id = repository.git(&["rev-parse", "HEAD"]).trim().to_owned();
    // A branch may be called like the first digit.
    repository.git(&["branch", &id[..1]]);
    repository.write("README.md", "Words.\n");
    repository.commit("words");
    let (digit, short) = (&id[..1], &id[..10]);
    for (name, shown) in
        [(digit, format!("({digit} {short} .. ")), (&id[..8], format!("({short} .. "))]
    {
        let out = text(&printed(&mut repository.secondhand(&["check", "--base", name])));
        assert!(out.contains(&shown), "{out}");
    }
}

/// The id of the only finding of a repository with a copy.
fn id_in(repository: &Repository) -> String {
    let concise = text(&printed(&mut repository.secondhand(&["check", "--quiet"])));
    concise
        .trim_end()
        .trim_end_matches(']')
        .rsplit_once('[')
        .expect("it ends with an id")
        .1
        .to_owned()
}

#[test]
fn commands_take_the_id_that_reports_show() {
    let repository = repository_with_a_copy();
    let id = id_in(&repository);
    let out = |args: &[&str]| text(&printed(&mut repository.secondhand(args)));
    assert!(out(&["check"]).contains(&format!("[{id}]")));
    assert_eq!(out(&["check", "--quiet", "--only", &id[..4]]).lines().count(), 1);
    let explained = out(&["explain", &id]);
    assert!(
        explained.contains("store.c:1") && explained.contains(&format!("[{id}] is a warning")),
        "{explained}"
    );
    let fails = |args: &[&str], id: &str| {
        check_failure(
            &mut repository.secondhand(args),
            &format!("no finding has the id `{id}`"),
            "",
        );
    };
    fails(&["check", "--only", "0000"], "0000");
    fails(&["explain", "00000000"], "00000000");
    fails(&["baseline", "add", &id, "00000000"], "00000000");
    assert!(!repository.path("secondhand-baseline.txt").exists());
    let added = out(&["baseline", "add", &id]);
    assert!(added.starts_with("1 added: 1 copy in "), "{added}");
    assert_eq!(out(&["check", "--quiet"]), "", "it is known from now on");
    let shown = out(&["check", "--quiet", "--show-suppressed"]);
    assert!(
        shown.contains(": suppressed[copied-code] ") && shown.contains("(by the baseline)"),
        "{shown}"
    );
}

#[test]
fn a_format_that_cannot_show_what_is_suppressed_says_so() {
    let repository = repository_with_a_copy();
    for format in FORMATS {
        let mut run =
            repository.secondhand(&["check", "--show-suppressed", "--format", format.name]);
        let said =
            String::from_utf8_lossy(&run.output().expect("the program starts").stderr).into_owned();
        assert_eq!(
            said.contains("does not show suppressed findings"),
            !format.shows_suppressed(),
            "{said}"
        );
    }
}

#[test]
fn quiet_prints_findings_only() {
    let repository = repository_with_a_copy();
    let args = ["check", "--quiet", "--base"];
    assert!(
        text(&printed(repository.secondhand(&args).arg("HEAD~1")))
            .contains("copied from store.c:1")
    );
    repository.commit("something else");
    assert_eq!(text(&printed(repository.secondhand(&args).arg("HEAD~1"))), "");
    for (command, lines) in [
        (&["history"][..], &["new.c:1-"][..]),
        (&["find", "store.c"], &["new.c:1-"]),
        (&["compare", "store.c", "new.c"], &["store.c  new.c"]),
        (&["resemblance", "store.c", "new.c"], &["store.c  new.c"]),
        (&["scan"], &["note[copied-code]"]),
        (&["cache", "warm"], &[]),
        (&["cache", "prune"], &[]),
        (&["cache", "clear"], &[]),
    ] {
        let said = text(&printed(repository.secondhand(command).arg("--quiet")));
        assert_eq!(said.lines().count(), lines.len(), "{command:?}: {said}");
        assert!(lines.iter().all(|line| said.contains(line)), "{command:?}: {said}");
    }
}

#[test]
fn a_line_stands_for_standard_output() {
    let repository = repository_with_a_copy();
    let plain = ["check", "--base", "HEAD~1", "--format", "concise"];
    let expected = text(&printed(&mut repository.secondhand(&plain)));
    assert_eq!(text(&printed(repository.secondhand(&plain).args(["-o", "-"]))), expected);
    check_failure(
        repository.secondhand(&plain).args(["--report", "json=-"]),
        "cannot write a further report to standard output: `json=-`",
        "help: `--format json` prints it",
    );
    assert!(!repository.path("-").exists());
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
    let reports = |n_threads: &str| -> Vec<String> {
        let mut command =
            repository.secondhand(&["check", "--base", "HEAD~1", "--output", "printed"]);
        let further = FORMATS.iter().map(|format| format!("{0}=.git/{0}", format.name));
        command.args(further.flat_map(|report| ["--report".to_owned(), report]));
        assert_eq!(text(&printed(command.args(["--threads", n_threads]))), "");
        let written = |format: &Format| fs::read(repository.path(format!(".git/{}", format.name)));
        FORMATS.iter().map(|format| text(&written(format).expect("it was written"))).collect()
    };
    let with_one = reports("1");
    for n in ["1", "2", "2", "7"] {
        for (others, with_one) in reports(n).iter().zip(&with_one) {
            assert!(others == with_one, "with {n} threads: {others}");
        }
    }
}

#[test]
fn no_format_prints_a_command_of_an_agent() {
    let language = &LANGUAGES[0];
    let repository = Repository::new();
    let command = "##vso[task.prependpath]/tmp ##[add-mask]e ##VSO[x]";
    let before = language.file("src/old", &[language.first]);
    repository.write(&before.path, &before.text);
    repository.commit("before");
    let steering = format!("/* {command} */\n");
    let copy = language
        .file("tests/##vso[task.complete result=Succeeded;]x", &[&steering, language.first]);
    repository.write(&copy.path, &copy.text);
    let commented = language.first.replacen('{', &format!("{{ /* {command} */"), 1);
    let copy = language.file("src/##[group]new", &[&commented]);
    repository.write(&copy.path, &copy.text);
    repository.commit("after");
    let formats = "text concise json sarif github markdown gitlab junit checkstyle rdjson sonarqube azure csv html counts";
    for format in formats.split(' ') {
        for extra in ["--full", "--verbose"] {
            let args = ["check", "--base", "HEAD~1", "--format", format, extra];
            let output = repository.secondhand(&args).output().expect("it runs");
            let printed =
                String::from_utf8([output.stdout, output.stderr].concat()).expect("it is UTF-8");
            assert!(!printed.is_empty(), "{format}");
            for line in printed.lines() {
                let line = line.strip_prefix("##vso[task.logissue ").unwrap_or(line).to_lowercase();
                assert!(!line.contains("##vso[") && !line.contains("##["), "{format}: {line}");
            }
        }
    }
}

#[test]
fn there_are_at_most_a_thousand_threads() {
    let repository = Repository::new();
    repository.write("a.c", "int a;\n");
    repository.commit("a");
    let ended = |n: &str| {
        repository.secondhand(&["scan", "-j", n]).output().expect("it runs").status.code()
    };
    assert_eq!(ended("1025"), Some(2));
    assert_eq!(ended("64"), Some(0));
}

#[test]
fn reports_for_people_say_whether_names_correspond_one_to_one() {
    let words = |copy: &str| -> Vec<bool> {
        let repository = Repository::new();
        repository.write("store.c", format!("int unlike;\n\n{}", C.first));
        repository.commit("before");
        repository.write("new.c", copy);
        repository.stage();
        let consistently = |format: &&str| {
            let args = ["check", "--staged", "--format", format, "--fail-on", "never"];
            let report = text(&printed(&mut repository.secondhand(&args)));
            assert!(report.contains("renamed,"), "{report}");
            report.contains("consistently renamed,")
        };
        ["text", "markdown"].iter().map(consistently).collect()
    };
    assert_eq!(words(&C.renamed()), [true, true]);
    assert_eq!(words(&C.renamed_once()), [false, false]);
}

/// What a terminal shows of a scan, by `script` of util-linux.
#[cfg(target_os = "linux")]
fn on_a_terminal(repository: &Repository, args: &str, pagers: &[(&str, &str)]) -> String {
    let line = format!("'{}' scan --no-progress --no-cache {args}", support::program().display());
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(repository.root()).stdin(Stdio::null());
    script.env_remove("PAGER").env_remove("GIT_PAGER").envs(pagers.iter().copied());
    String::from_utf8_lossy(&script.output().expect("util-linux is installed").stdout).into_owned()
}

#[cfg(target_os = "linux")]
#[test]
fn a_scan_is_shown_in_the_pager_of_a_terminal() {
    let repository = repository_with_a_copy();
    let (marks, other) = (("GIT_PAGER", "sed s/^/paged:/"), ("PAGER", "sed s/^/other:/"));
    let starts = |args: &str, pagers: &[(&str, &str)], start: &str| {
        let shown = on_a_terminal(&repository, args, pagers);
        assert!(
            shown.starts_with(start) && shown.contains("duplicated"),
            "{args} {pagers:?}: {shown}"
        );
    };
    starts("", &[marks, other], "paged:");
    starts("", &[other], "other:");
    // Where there is none, the text is printed as it is.
    let plain = on_a_terminal(&repository, "--no-pager", &[marks, other]);
    assert!(plain.contains("duplicated") && !plain.contains("paged:"), "{plain}");
    for pager in ["cat", "", "/nowhere/less"] {
        assert_eq!(on_a_terminal(&repository, "", &[("GIT_PAGER", pager)]), plain, "{pager}");
    }
    // What the repository configures is not run, and only text is shown so.
    repository.git(&["config", "core.pager", "sed s/^/evil:/"]);
    assert!(!on_a_terminal(&repository, "", &[("PAGER", "cat")]).contains("evil:"));
    assert!(!on_a_terminal(&repository, "--format concise", &[marks]).contains("paged:"));
}
