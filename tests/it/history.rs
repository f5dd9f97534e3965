//! Shows what `secondhand history` and `check --blame` tell of the past: which commit copied what,
//! and who had written it.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::generated::valid;
use crate::samples::{File, LANGUAGES, Language};
use serde_json::Value;
use support::{Repository, git, git_command, secondhand as program};

/// Commits the work tree as `author`, on this day of the year 2020; returns the commit's id.
fn commit(repository: &Repository, author: &str, day: u32, message: &str) -> String {
    repository.stage();
    let date = format!("2020-01-{day:02}T12:00:00Z");
    let mut command = git_command(
        repository.root(),
        &["commit", "--quiet", "--allow-empty", "--message", message],
    );
    command
        .env("GIT_AUTHOR_NAME", author)
        .env("GIT_AUTHOR_EMAIL", format!("{}@example.com", author.to_lowercase()));
    command.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
    assert!(command.status().expect("git is installed").success());
    repository.git(&["rev-parse", "HEAD"])
}

fn write(repository: &Repository, files: &[&File]) {
    for file in files {
        repository.write(&file.path, &file.text);
    }
}

/// A repository in which Alpha writes, Beta renames, Gamma copies, and Delta moves; and the ids of
/// these commits.
fn copied(language: &Language) -> (Repository, [String; 4]) {
    let repository = Repository::new();
    let (old, kept) =
        (language.file("old", &[language.first, language.second]), language.path("kept"));
    write(&repository, &[&old, &language.file("other", &[language.third])]);
    let written = commit(&repository, "Alpha", 1, "write");
    repository.rename(&old.path, &kept);
    let renamed = commit(&repository, "Beta", 2, "rename");
    write(&repository, &[&language.file("new", &[language.first])]);
    let copied = commit(&repository, "Gamma", 3, "copy");
    repository.rename(language.path("new"), language.path("moved"));
    let moved = commit(&repository, "Delta", 4, "move");
    (repository, [written, renamed, copied, moved])
}

#[track_caller]
fn printed(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    assert_eq!((String::from_utf8_lossy(&stderr).as_ref(), status.code()), ("", Some(0)));
    String::from_utf8_lossy(&stdout).into_owned()
}

fn history(repository: &Repository, args: &[&str]) -> Value {
    let said =
        printed(&mut repository.secondhand(&[&["history", "--format", "json"], args].concat()));
    valid(&said, "history")
}

/// The copies of a report, in short: the subject of the commit, the copy, its origin.
fn copies(report: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().expect("it is text").to_owned();
    let place = |of: &Value| {
        format!(
            "{}:{}-{}",
            text(&of["path"]),
            of["fragment"]["startLine"],
            of["fragment"]["endLine"]
        )
    };
    let mut found = Vec::new();
    for commit in report["commits"].as_array().expect("a list") {
        for copy in commit["copies"].as_array().expect("a list") {
            let origin = &copy["origins"][0];
            let kind = text(&origin["cloneType"]);
            found.push(format!(
                "{} {} <- {kind} {}",
                text(&commit["subject"]),
                place(copy),
                place(origin)
            ));
        }
    }
    found
}

fn subjects(report: &Value) -> Vec<&str> {
    let commits = report["commits"].as_array().expect("a list").iter();
    commits.map(|commit| commit["subject"].as_str().expect("it is text")).collect()
}

#[test]
fn each_copy_is_told_with_its_commit_its_origin_and_who_had_written_that() {
    for language in LANGUAGES {
        let (repository, [written, ..]) = copied(language);
        let report = history(&repository, &[]);
        assert_eq!(subjects(&report), ["write", "rename", "copy", "move"]);
        let kept = language.file("kept", &[language.first, language.second]);
        let new = language.file("new", &[language.first]);
        let expected =
            format!("copy {} <- type-1 {}", new.at(language.first), kept.at(language.first));
        assert_eq!(copies(&report), [expected], "a rename and a move are no copies");
        let commit = &report["commits"][2];
        assert_eq!(
            (&commit["author"], &commit["email"]),
            (&"Gamma".into(), &"gamma@example.com".into())
        );
        let origin = &commit["copies"][0]["origins"][0];
        let expected = serde_json::json!({
            "commit": written, "author": "Alpha", "authorTime": 1_577_880_000, "path": language.path("old"),
        });
        assert_eq!(origin["written"], expected, "the rename is followed");
    }
}

#[test]
fn the_trend_adds_up_what_was_copied() {
    let (repository, _) = copied(&LANGUAGES[0]);
    let report = history(&repository, &[]);
    let tokens = report["commits"][2]["copies"][0]["newTokens"].as_u64().expect("a number");
    let figures = |name: &str| {
        let commits = report["commits"].as_array().expect("a list").iter();
        commits.map(|commit| commit[name].as_u64().expect("a number")).collect::<Vec<_>>()
    };
    assert!(tokens > 30);
    assert_eq!(figures("copiedTokens"), [0, 0, tokens, 0]);
    assert_eq!(figures("totalCopiedTokens"), [0, 0, tokens, tokens]);
    let csv = printed(&mut repository.secondhand(&["history", "--format", "csv"]));
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][4..7], ["new_tokens", "copied_tokens", "total_copied_tokens"]);
    let totals: Vec<String> = rows[1..].iter().map(|row| row[6].to_owned()).collect();
    assert_eq!(totals, figures("totalCopiedTokens").iter().map(u64::to_string).collect::<Vec<_>>());
}

#[test]
fn every_format_tells_the_copy_and_who_had_written_it() {
    let language = &LANGUAGES[0];
    let (repository, [written, _, copied, _]) = copied(language);
    for format in ["text", "html", "markdown", "csv"] {
        let said = printed(&mut repository.secondhand(&["history", "--format", format]));
        for word in
            [&copied[..10], &written[..10], "Alpha", "Gamma", "2020-01-01", &language.path("kept")]
        {
            assert!(said.contains(word), "{format} lacks {word}: {said}");
        }
    }
    let page = printed(&mut repository.secondhand(&["history", "--format", "html"]));
    assert!(page.contains("<svg") && page.contains("class=\"bar\""), "the trend is a chart");
    roxmltree::Document::parse_with_options(
        &page,
        roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() },
    )
    .expect("the page is well-formed");
}

#[test]
fn names_that_mean_something_to_a_format_do_nothing() {
    let language = &LANGUAGES[0];
    let repository = Repository::new();
    write(&repository, &[&language.file("one", &[language.first, language.second])]);
    commit(&repository, "=Alpha|<b>`\u{202E}", 1, "write");
    write(&repository, &[&language.file("new", &[language.first])]);
    commit(&repository, "<script>|", 2, "=1+1 | <img> `x`\u{1B}[31m");
    for format in ["text", "html", "markdown", "csv"] {
        let said = printed(&mut repository.secondhand(&["history", "--format", format]));
        assert!(!said.contains('\u{1B}') && !said.contains('\u{202E}'), "{format}");
        if format == "html" || format == "markdown" {
            assert!(!said.contains("<img>") && !said.contains("<script>|"), "{format}: {said}");
        }
        if format == "csv" {
            assert!(!said.contains(",=1+1") && said.contains("'=Alpha"), "{said}");
        }
    }
}

#[test]
fn a_merge_stands_for_what_it_brought_in_only_where_first_parents_are_followed() {
    let language = &LANGUAGES[0];
    let repository = Repository::new();
    let one = language.file("one", &[language.first, language.second]);
    write(&repository, &[&one]);
    commit(&repository, "Alpha", 1, "write");
    repository.git(&["checkout", "--quiet", "-b", "side"]);
    let new = language.file("new", &[language.first]);
    write(&repository, &[&new]);
    commit(&repository, "Beta", 2, "copy");
    repository.git(&["checkout", "--quiet", "main"]);
    write(&repository, &[&language.file("other", &[language.third])]);
    commit(&repository, "Alpha", 3, "other");
    repository.git(&["merge", "--quiet", "--no-ff", "--message", "merge", "side"]);
    let copy = |subject: &str| {
        format!("{subject} {} <- type-1 {}", new.at(language.first), one.at(language.first))
    };
    assert_eq!(copies(&history(&repository, &[])), [copy("copy")]);
    let report = history(&repository, &["--first-parent"]);
    assert_eq!(copies(&report), [copy("merge")]);
    assert!(!subjects(&report).contains(&"copy"));
}

#[test]
fn a_merge_of_two_sides_of_one_file_copies_nothing() {
    let language = &LANGUAGES[0];
    let repository = Repository::new();
    write(
        &repository,
        &[&language.file("one", &[language.first]), &language.file("two", &[language.second])],
    );
    commit(&repository, "Alpha", 1, "write");
    repository.git(&["checkout", "--quiet", "-b", "side"]);
    write(&repository, &[&language.file("two", &[language.second, language.first])]);
    commit(&repository, "Beta", 2, "copy");
    repository.git(&["checkout", "--quiet", "main"]);
    write(&repository, &[&language.file("two", &[language.third, language.second])]);
    commit(&repository, "Alpha", 3, "other");
    repository.git(&["merge", "--quiet", "--no-ff", "--message", "merge", "side"]);
    let both = language.file("two", &[language.third, language.second, language.first]);
    assert_eq!(fs::read_to_string(repository.path(&both.path)).expect("it is there"), both.text);
    let told = copies(&history(&repository, &[]));
    assert_eq!(told.iter().filter(|copy| copy.starts_with("copy ")).count(), 1);
    assert_eq!(told.len(), 1, "{told:?}");
}

#[test]
fn filters_choose_authors_places_and_origins() {
    let language = &LANGUAGES[0];
    let repository = Repository::new();
    for (folder, part) in [("a", language.first), ("b", language.second)] {
        let file = language.file(&format!("{folder}/one"), &[part]);
        write(&repository, &[&file]);
    }
    commit(&repository, "Alpha", 1, "write");
    write(&repository, &[&language.file("a/two", &[language.first])]);
    commit(&repository, "Beta", 2, "within a");
    write(&repository, &[&language.file("a/three", &[language.second])]);
    commit(&repository, "Gamma", 3, "from b");
    let told = |args: &[&str]| {
        let copies = copies(&history(&repository, args));
        copies
            .iter()
            .map(|copy| copy.split(" a/").next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(told(&[]), ["within a", "from b"]);
    assert_eq!(told(&["--author", "BETA"]), ["within a"]);
    assert_eq!(told(&["--author", "gamma@"]), ["from b"]);
    assert_eq!(told(&["--path", "a/two.c"]), ["within a"]);
    assert_eq!(told(&["--path", "b/"]), [""; 0]);
    assert_eq!(told(&["--path", "./a", "--origin-outside", "a"]), ["from b"]);
    assert_eq!(told(&["--max-commits", "1"]), ["from b"]);
    assert_eq!(told(&["--since", "2020-01-03"]), ["from b"]);
    assert_eq!(told(&["HEAD~2..HEAD~1"]), ["within a"]);
    assert_eq!(subjects(&history(&repository, &["HEAD~2..HEAD~1"])), ["within a"]);
}

#[test]
fn what_cannot_be_understood_is_told() {
    let (repository, _) = copied(&LANGUAGES[0]);
    for (args, word) in [
        (&["history", "nothing..HEAD"][..], "`nothing`"),
        (&["history", "--since", "soon"], "`soon`"),
        (&["history", "--format", "sarif"], "`sarif`"),
        (&["history", "--path", "nowhere"], "`nowhere`: neither the end of `HEAD`"),
        (&["history", "--origin-outside", "nowhere/"], "`nowhere`: neither the end of `HEAD`"),
        (&["check", "--base", "HEAD~1", "--since", "2020-01-01"], "--history"),
    ] {
        let output = repository.secondhand(args).output().expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(word), "{args:?}: {said}");
    }
}

#[test]
fn a_run_that_was_ended_goes_on_where_it_was() {
    let (repository, _) = copied(&LANGUAGES[0]);
    let without = history(&repository, &["--no-cache"]);
    assert!(!repository.path(".git/secondhand").exists(), "`--no-cache` keeps nothing");
    for n in 0..12 {
        let mut command = repository.secondhand(&["history"]);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(Duration::from_millis(n * 4));
        let _ = child.kill();
        let _ = child.wait();
        assert_eq!(history(&repository, &[]), without, "after a kill at {} ms", n * 4);
        if n % 3 == 0 {
            let _ = fs::remove_dir_all(repository.path(".git/secondhand"));
        }
    }
    // What was judged is not read again: it is not even there.
    history(&repository, &[]);
    let id = repository.git(&["rev-parse", &format!("HEAD~1:{}", LANGUAGES[0].path("other"))]);
    repository.remove(format!(".git/objects/{}/{}", &id[..2], &id[2..]));
    assert_eq!(history(&repository, &[]), without);
    let output =
        repository.secondhand(&["history", "--no-cache"]).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2), "without what is kept, it is missed");
}

#[test]
fn a_shallow_clone_says_what_it_could_not_judge() {
    let (repository, _) = copied(&LANGUAGES[0]);
    let clone = tempfile::TempDir::new().expect("the folder for temporary files is writable");
    let url = format!("file://{}", repository.root().display());
    git(clone.path(), &["clone", "--quiet", "--depth", "2", &url, "."]);
    let output = program(clone.path(), &["history"]).output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("not checked: 1 commit where this shallow clone begins"), "{said}");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn blame_tells_in_every_format_who_had_written_the_origin() {
    for language in LANGUAGES {
        let (repository, [written, ..]) = copied(language);
        let check = ["check", "--base", "HEAD~2", "--head", "HEAD~1", "--fail-on", "never"];
        let report = repository.check(&[&check[1..], &["--blame"]].concat());
        let origin = &report.list("/findings")[0]["origins"][0];
        let expected = serde_json::json!({
            "commit": written, "author": "Alpha", "authorTime": 1_577_880_000, "path": language.path("old"),
        });
        assert_eq!(origin["written"], expected);
        let told = format!(
            "written in {} on 2020-01-01 by Alpha, as {}",
            &written[..10],
            language.path("old")
        );
        for format in ["text", "sarif", "markdown", "html", "github", "gitlab", "junit"] {
            let args = [&check[..], &["--blame", "--format", format]].concat();
            let said = printed(&mut repository.secondhand(&args))
                .replace("\n      ", " ")
                .replace("\n    ", " ");
            assert!(said.contains(&told), "{format}: {said}");
            let without = printed(&mut repository.secondhand(&args[..args.len() - 3]));
            assert!(!without.contains("written in"), "nobody asked");
        }
    }
}

#[test]
fn blame_goes_to_the_side_of_a_merge_that_has_the_code() {
    let language = &LANGUAGES[0];
    for both_edit_it in [false, true] {
        let repository = Repository::new();
        write(&repository, &[&language.file("old", &[language.second])]);
        commit(&repository, "Alpha", 1, "write");
        repository.git(&["checkout", "--quiet", "-b", "side"]);
        write(&repository, &[&language.file("old", &[language.second, language.first])]);
        let written = commit(&repository, "Beta", 2, "add");
        repository.git(&["checkout", "--quiet", "main"]);
        let other = if both_edit_it {
            language.file("old", &[language.third, language.second])
        } else {
            language.file("other", &[language.third])
        };
        write(&repository, &[&other]);
        commit(&repository, "Alpha", 3, "other");
        repository.git(&["merge", "--quiet", "--no-ff", "--message", "merge", "side"]);
        write(&repository, &[&language.file("new", &[language.first])]);
        commit(&repository, "Gamma", 4, "copy");
        let report = repository.check(&["--base", "HEAD~1", "--blame"]);
        assert_eq!(report.list("/findings")[0]["origins"][0]["written"]["commit"], *written);
    }
}

#[test]
fn blame_ends_where_replaced_commits_lead_in_a_circle() {
    let (repository, [written, ..]) = copied(&LANGUAGES[0]);
    git(repository.root(), &["replace", "--graft", &written, "HEAD"]);
    let report = repository.check(&["--base", "HEAD~2", "--head", "HEAD~1", "--blame"]);
    assert!(report.list("/findings")[0]["origins"][0]["written"].is_null());
}

#[test]
fn blame_knows_code_that_only_the_index_has() {
    let language = &LANGUAGES[0];
    let (repository, [written, ..]) = copied(language);
    write(&repository, &[&language.file("newest", &[language.second])]);
    repository.stage();
    let report = repository.check(&["--staged", "--blame"]);
    assert_eq!(report.list("/findings")[0]["origins"][0]["written"]["commit"], *written);
    write(
        &repository,
        &[
            &language.file("a", &[&language.renamed_once()]),
            &language.file("b", &[&language.renamed_once()]),
        ],
    );
    repository.stage();
    let report = repository.check(&["--staged", "--blame"]);
    assert!(report.list("/findings").len() > 1, "each side of the new text is a copy");
}

#[test]
fn the_past_is_searched_as_far_as_the_flags_say() {
    let language = &LANGUAGES[0];
    let repository = Repository::new();
    let store = language.file("store", &[language.first, language.second]);
    write(&repository, &[&store]);
    commit(&repository, "Alpha", 1, "write");
    write(&repository, &[&language.file("store", &[language.second])]);
    commit(&repository, "Alpha", 2, "delete");
    for day in 3..6 {
        repository.write("notes.txt", day.to_string());
        commit(&repository, "Alpha", day, "note");
    }
    write(&repository, &[&language.file("new", &[language.first])]);
    commit(&repository, "Beta", 6, "revive");
    let n_found = |args: &[&str]| {
        repository
            .check(&[&["--base", "HEAD~1", "--history"], args].concat())
            .list("/findings")
            .len()
    };
    // Each question is asked of an empty index, and of what the ones before it left.
    for keeps in [false, true] {
        for (args, n) in [
            (&["--max-commits", "2"][..], 0),
            (&["--max-commits", "4"], 1),
            (&["--since", "2020-01-03"], 0),
            (&["--since", "2020-01-02"], 1),
            (&["--history-of", "HEAD~3..HEAD~1"], 0),
            (&["--history-of", "HEAD~5..HEAD~1"], 1),
            (&["--history-of", "HEAD~5"], 0),
            (&["--history-of", "HEAD~4"], 1),
            (&[], 1),
            (&["--max-commits", "2"], 0),
            (&["--since", "2020-01-02"], 1),
        ] {
            assert_eq!(n_found(args), n, "{args:?}");
            if !keeps {
                let _ = fs::remove_dir_all(repository.path(".git/secondhand"));
            }
        }
    }
}

#[test]
fn packed_and_loose_and_borrowed_history_say_the_same() {
    let language = &LANGUAGES[0];
    let repository = Repository::new();
    let mut expected = Vec::new();
    for n in 0..24 {
        // Versions of one file, so that a pack keeps them as deltas.
        let text = format!(
            "{}{}",
            language.header(n),
            language.file("store", &[language.second, language.third]).text
        );
        let text = if n < 20 { format!("{text}{}", language.first) } else { text };
        repository.write(language.path("store"), text);
        commit(&repository, "Alpha", n as u32 + 1, "version");
    }
    let new = language.file("new", &[language.first]);
    write(&repository, &[&new]);
    commit(&repository, "Beta", 28, "revive");
    let found = |folder: &std::path::Path| {
        let _ = fs::remove_dir_all(folder.join(".git/secondhand"));
        let args =
            ["check", "--base", "HEAD~1", "--history", "--format", "json", "--fail-on", "never"];
        printed(&mut program(folder, &args))
    };
    expected.push(found(repository.root()));
    assert!(expected[0].contains("revived-code"), "{}", expected[0]);
    repository.git(&["repack", "--quiet", "-a", "-d", "-f", "--depth=50", "--window=50"]);
    expected.push(found(repository.root()));
    let clone = tempfile::TempDir::new().expect("the folder for temporary files is writable");
    let url = repository.root().display().to_string();
    git(clone.path(), &["clone", "--quiet", "--shared", &url, "."]);
    expected.push(found(clone.path()));
    assert!(expected.iter().all(|said| *said == expected[0]));
}

/// A repository whose second commit has a date that nobody can read; the fourth copies from the
/// first.
fn with_a_malformed_date(date: &str) -> Repository {
    let language = &LANGUAGES[0];
    let repository = Repository::new();
    write(&repository, &[&language.file("old", &[language.first, language.second])]);
    commit(&repository, "A Tester", 1, "first");
    let tree = repository.git(&["rev-parse", "HEAD^{tree}"]);
    let parent = repository.git(&["rev-parse", "HEAD"]);
    let text = format!(
        "tree {tree}\nparent {parent}\nauthor A <a@example.com> {date}\ncommitter A <a@example.com> {date}\n\nodd\n"
    );
    repository.write(".git/odd", text);
    let odd = repository.git(&["hash-object", "-t", "commit", "-w", "--literally", ".git/odd"]);
    repository.git(&["update-ref", "HEAD", &odd]);
    std::fs::remove_file(repository.path(language.path("old"))).expect("it is there");
    commit(&repository, "A Tester", 3, "gone");
    write(&repository, &[&language.file("new", &[language.first])]);
    commit(&repository, "A Tester", 4, "back");
    repository
}

#[test]
fn a_commit_whose_date_cannot_be_read_ends_no_search_of_the_past() {
    for date in ["x y", "12345678901234567890123 +0000", "1000 +99999999", "", "-5"] {
        let repository = with_a_malformed_date(date);
        let checked = repository.check(&["--base", "HEAD~1", "--history"]);
        let found = checked.findings();
        assert!(
            found.len() == 1 && checked.json["findings"][0]["rule"] == "revived-code",
            "{date:?}: {found:?}"
        );
        let report = history(&repository, &[]);
        assert_eq!(subjects(&report).len(), 4, "{date:?}");
        printed(
            &mut repository.secondhand(&[
                "check", "--base", "HEAD~1", "--history", "--blame", "--fail-on=never",
            ]),
        );
    }
}

#[test]
fn a_subject_is_shown_as_far_as_it_helps() {
    let language = &LANGUAGES[0];
    let repository = Repository::new();
    write(&repository, &[&language.file("old", &[language.first])]);
    repository.write("message", "ä".repeat(1_000_000));
    repository.stage();
    repository.git(&["commit", "--quiet", "--file", "message"]);
    for format in ["text", "json", "markdown", "html", "csv"] {
        let shown = printed(&mut repository.secondhand(&["history", "--format", format]));
        assert!(shown.matches('ä').count() <= 1_000, "{format}");
    }
}

/// A repository in which each of five commits copies within `plugins`, one copies elsewhere, and
/// that copy is removed.
fn with_habits() -> Repository {
    let language = &LANGUAGES[0];
    let repository = Repository::new();
    write(&repository, &[&language.file("src/store", &[language.first, language.second])]);
    write(&repository, &[&language.file("plugins/base", &[language.third])]);
    (0..12).for_each(|n| repository.write(format!("src/part{n}.c"), format!("int part{n};\n")));
    commit(&repository, "Alpha", 1, "write");
    for day in 2..7 {
        write(&repository, &[&language.file(&format!("plugins/p{day}"), &[language.third])]);
        commit(&repository, "Alpha", day, "another plugin");
    }
    let other = language.file("src/other", &[language.first]);
    write(&repository, &[&other]);
    commit(&repository, "Alpha", 8, "copy");
    repository.remove(&other.path);
    commit(&repository, "Alpha", 9, "use the store");
    repository
}

#[test]
fn settings_are_proposed_from_what_was_merged_and_kept() {
    let repository = with_habits();
    let calibrate = |args: &[&str]| {
        printed(&mut repository.secondhand(&[&["config", "calibrate"], args].concat()))
    };
    let said = calibrate(&[]);
    assert!(
        said.starts_with("6 warnings in 8 commits of HEAD; 5 of the copies are still there\n"),
        "{said}"
    );
    assert!(said.contains("\n[paths.\"plugins/**\"]\nrules.copied-code = \"note\"\n"), "{said}");
    assert!(
        said.contains("  5 of the 6 warnings change so; 5 of these copies were kept\n"),
        "{said}"
    );
    assert_eq!(said.matches("    plugins/p").count(), 3, "three examples: {said}");
    assert!(
        said.ends_with("nothing was written: `secondhand.toml` takes what you choose\n"),
        "{said}"
    );
    assert!(!repository.path("secondhand.toml").exists());
    // It does what it says.
    repository.write("secondhand.toml", "[paths.\"plugins/**\"]\nrules.copied-code = \"note\"\n");
    let said = calibrate(&[]);
    assert!(
        said.starts_with(
            "1 warning in 8 commits of HEAD; 0 of the copies are still there\nnothing is proposed"
        ),
        "{said}"
    );
    // Four are no habit, and what was taken out again is none.
    fs::remove_file(repository.path("secondhand.toml")).expect("it is there");
    assert!(calibrate(&["HEAD~3"]).contains("nothing is proposed"));
    for day in 2..4 {
        repository.remove(format!("plugins/p{day}.c"));
    }
    commit(&repository, "Alpha", 10, "fewer plugins");
    assert!(calibrate(&[]).contains("nothing is proposed"));
}
