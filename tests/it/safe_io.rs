//! Shows that input and output are safe: what is printed steers nothing, what is read cannot hang,
//! and what is written goes through no link of the checkout.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::samples::{LANGUAGES, Language};
use support::{Repository, git_command};
use tempfile::TempDir;

const C: &Language = &LANGUAGES[0];

/// A repository on the branch `pr`, which adds a copy to `main`.
fn branch() -> Repository {
    let repository = Repository::new();
    repository.write(C.path("store"), C.file("store", &[C.first, C.second]).text);
    repository.commit("base");
    repository.git(&["checkout", "--quiet", "-b", "pr"]);
    repository.write(C.path("new"), C.first);
    repository.commit("change");
    repository
}

/// How a run ended, and what it printed; one that does not end by itself is ended.
struct Ran {
    status: Option<i32>,
    said: String,
}

#[track_caller]
fn run(command: &mut Command) -> Ran {
    let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("the program starts");
    let begun = Instant::now();
    while child.try_wait().expect("it is ours").is_none()
        && begun.elapsed() < Duration::from_secs(30)
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    // Of one that has ended, this is no signal.
    let _ = child.kill();
    let Output { status, stdout, stderr } = child.wait_with_output().expect("it is ours");
    Ran {
        status: status.code(),
        said: String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned(),
    }
}

/// Checks that a run cannot be done, and what it says.
#[track_caller]
fn fails(command: &mut Command, what: &str) {
    let Ran { status, said } = run(command);
    assert_eq!(status, Some(2), "{command:?}: {said}");
    assert!(said.contains(what), "{what}: {said}");
}

mod printed {
    use super::*;
    use crate::one_copy::{add, check, finding, printed, store, text};
    use secondhand::report::FORMATS;

    /// What a terminal or a runner would take for a command.
    const EVIL: &str =
        "x\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}\n::error::pwn\r::warning::pwn";

    /// Checks that a run says something of the evil text, and as text.
    #[track_caller]
    fn steers_nothing(command: &mut Command) {
        let Ran { status, said } = run(command);
        assert!(status.is_some() && said.contains("owned"), "{command:?}: {said}");
        let is_raw = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
        assert!(!said.contains(is_raw), "{command:?}: {said:?}");
        assert!(
            !said.lines().any(|line| line.trim_start().starts_with("::")),
            "{command:?}: {said}"
        );
    }

    /// A text as TOML writes it.
    fn quoted(text: &str) -> String {
        text.chars()
            .fold(String::from("\""), |quoted, c| quoted + &format!("\\U{:08x}", u32::from(c)))
            + "\""
    }

    #[test]
    fn what_settings_say_is_no_command_whatever_is_wrong_with_it() {
        let evil = quoted(EVIL);
        let settings = [
            format!("base = {evil}"),
            format!("{evil} = 1"),
            format!("[rules]\n{evil} = \"error\""),
            format!("[rules]\ncopied-code = {evil}"),
            format!("format = {evil}"),
            format!("ignore = [{}]", quoted(&format!("{EVIL}[z-a"))),
            format!("corpora = [{evil}]"),
            format!("corpora = [{}]", quoted(&format!("../{EVIL}"))),
            format!("corpora = [{}]", quoted(&format!("s3://{EVIL}/x"))),
            format!("baseline = {evil}"),
            format!("baseline = {}", quoted(&format!("../{EVIL}"))),
            format!("decisions = {}", quoted(&format!("../{EVIL}"))),
            format!("[license]\nallow = [{evil}]"),
            format!("[license]\nproject-license = {evil}"),
            format!("[[license.exceptions]]\npath = {evil}\nreason = \"x\"\nexpires = {evil}"),
            format!("[[vendored]]\npath = {evil}\nlicense = {evil}"),
            format!(
                "[language.zz]\nname = {evil}\nextensions = [{evil}]\nline-comments = [{evil}]\nfamily = {evil}"
            ),
            format!("[language.{evil}]\nname = \"Z\"\nstrings = 3"),
            format!("[languages.{evil}]\nmin-tokens = 1"),
            format!("[paths.{evil}]\nmin-tokens = 1"),
        ];
        for settings in settings {
            let repository = branch();
            repository.write("secondhand.toml", &settings);
            let Ran { said, .. } = run(&mut repository.secondhand(&["check", "--trust", "head"]));
            let is_named = said.contains("owned");
            if is_named {
                steers_nothing(&mut repository.secondhand(&["check", "--trust", "head"]));
                steers_nothing(
                    repository.secondhand(&["check", "--trust", "head"]).args(["--color", "never"]),
                );
            }
            let raw = |said: &str| said.chars().any(|c| c.is_control() && c != '\n' && c != '\t');
            for command in
                [&["config"][..], &["languages"], &["scan"], &["baseline", "show"], &["audit"]]
            {
                let Ran { said, .. } = run(&mut repository.secondhand(command));
                assert!(
                    !raw(&said) && !said.lines().any(|line| line.trim_start().starts_with("::")),
                    "{said:?}"
                );
            }
        }
    }

    #[test]
    fn what_the_command_line_says_is_no_command() {
        let repository = branch();
        let evil = format!("owned{EVIL}");
        let flag = format!("--{evil}");
        for args in
            [&[&*evil][..], &["check", &flag], &["check", "-j", &evil], &["completions", &evil]]
        {
            steers_nothing(&mut repository.secondhand(args));
        }
    }

    #[test]
    fn the_names_of_projects_are_no_commands() {
        let repository = branch();
        repository.write("lib/secondhand.toml", format!("project = {}\n", quoted(EVIL)));
        repository.commit("a project");
        steers_nothing(
            &mut repository
                .secondhand(&["check", "--base", "main", "--trust", "head", "--project", "zz"]),
        );
        steers_nothing(&mut repository.secondhand(&["config"]));
    }

    #[test]
    fn the_paths_of_a_baseline_are_no_commands() {
        let repository = branch();
        let path = EVIL.split('\n').next().expect("it has a line");
        repository.write(
            "secondhand-baseline.txt",
            format!("53f811505d34f333 copied-code 376 src/{path}.c\n"),
        );
        steers_nothing(&mut repository.secondhand(&["baseline", "show"]));
        repository
            .write("secondhand-baseline.txt", format!("53f811505d34f333 {path} many src/x.c\n"));
        let Ran { said, .. } = run(&mut repository.secondhand(&["baseline", "show"]));
        assert!(!said.contains(['\u{1b}', '\u{7}']), "{said:?}");
    }

    #[cfg(unix)]
    #[test]
    fn the_sources_of_a_corpus_are_no_commands() {
        let repository = branch();
        let source = format!("parts/{}", EVIL.replace('/', ""));
        repository.write(format!("{source}/a.c"), C.first);
        let add = ["corpus", "add", "--corpus-dir", "known", "q", &source];
        assert_eq!(run(&mut repository.secondhand(&add)).status, Some(0));
        steers_nothing(
            &mut repository.secondhand(&["corpus", "show", "--corpus-dir", "known", "q"]),
        );
        steers_nothing(
            &mut repository.secondhand(&["corpus", "remove", "--corpus-dir", "known", "q", "zz"]),
        );
        steers_nothing(&mut repository.secondhand(&[
            "cache",
            "status",
            "--cache-dir",
            &format!("cache{EVIL}"),
        ]));
    }

    #[cfg(unix)]
    #[test]
    fn a_name_cannot_steer_the_terminal() {
        let repository = Repository::new();
        add(&repository, &store());
        repository.write("a\u{1B}[31m\n\u{202E}b.c", C.first);
        repository.commit("after");
        for format in FORMATS {
            let out = printed(
                &mut repository.secondhand(&["check", "--base", "HEAD~1", "--format", format.name]),
            );
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
        assert!(
            !out.contains(&0x1B) && !out.contains(&7) && !text(&out).contains('\u{202E}'),
            "{}",
            text(&out)
        );
    }
}

#[cfg(unix)]
mod written {
    use super::*;

    fn link(repository: &Repository, target: &Path, path: &str) {
        let path = repository.path(path);
        fs::create_dir_all(path.parent().expect("it lies below the root"))
            .expect("the repository is writable");
        std::os::unix::fs::symlink(target, path).expect("the repository is writable");
    }

    /// A folder beside the checkout, with a file and a folder in it.
    fn outside() -> (TempDir, PathBuf) {
        let folder = TempDir::new().expect("it can be made");
        let path = folder.path().canonicalize().expect("it is there");
        fs::create_dir(path.join("deep")).expect("it is writable");
        fs::write(path.join("precious"), "precious").expect("it is writable");
        (folder, path)
    }

    /// Checks that a run is refused and that nothing beside the checkout has changed.
    #[track_caller]
    fn refuses(repository: &Repository, args: &[&str], outside: &Path) {
        fails(
            &mut repository.secondhand(args),
            "is a link of the checkout, and links are not written through",
        );
        assert_unchanged(outside);
    }

    #[track_caller]
    fn assert_unchanged(outside: &Path) {
        assert_eq!(fs::read_to_string(outside.join("precious")).expect("it is there"), "precious");
        let names = |folder: &Path| {
            let entries = fs::read_dir(folder).expect("it is there").flatten();
            let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names(outside), ["deep", "precious"]);
        assert!(names(&outside.join("deep")).is_empty());
    }

    #[test]
    fn no_file_is_written_through_a_link_of_the_checkout_anywhere_in_its_path() {
        let (_folder, outside) = outside();
        let repository = branch();
        link(&repository, &outside.join("deep"), "out");
        link(&repository, &repository.path("out"), "also");
        for file in
            ["out/new", "out/../new", "./lib/../out/../new", "also/../new", "out/./../precious"]
        {
            repository.write("lib/file", "");
            refuses(
                &repository,
                &["check", "--base", "main", "--format", "csv", "--output", file],
                &outside,
            );
            refuses(
                &repository,
                &["check", "--base", "main", "--report", &format!("sarif={file}")],
                &outside,
            );
            refuses(
                &repository,
                &["baseline", "create", "--set", &format!("baseline={file}"), "--force"],
                &outside,
            );
            refuses(&repository, &["man", "--folder", file], &outside);
            let absolute = repository.path(file);
            refuses(
                &repository,
                &["scan", "--output", absolute.to_str().expect("it is UTF-8")],
                &outside,
            );
        }
    }

    #[test]
    fn a_link_beside_the_checkout_hides_none_of_the_checkout() {
        let (_folder, outside) = outside();
        let repository = branch();
        link(&repository, &outside.join("deep"), "out");
        let beside = TempDir::new().expect("it can be made");
        for (name, target) in
            [("root", repository.path(".")), ("further", repository.path("out/.."))]
        {
            std::os::unix::fs::symlink(target, beside.path().join(name)).expect("it is writable");
        }
        let file = |path: &str| beside.path().join(path).to_str().expect("it is UTF-8").to_owned();
        refuses(&repository, &["scan", "--output", &file("root/out/new")], &outside);
        refuses(&repository, &["scan", "--output", &file("further/new")], &outside);
        assert_eq!(
            run(&mut repository.secondhand(&["scan", "--output", &file("root/new")])).status,
            Some(0)
        );
        assert!(repository.path("new").is_file());
    }

    #[test]
    fn pages_of_the_manual_replace_links_and_do_not_follow_them() {
        let (_folder, outside) = outside();
        let repository = branch();
        link(&repository, &outside.join("precious"), "man/secondhand.1");
        fails(&mut repository.secondhand(&["man", "--folder", "man"]), "is a link of the checkout");
        assert_unchanged(&outside);
        repository.remove("man/secondhand.1");
        assert_eq!(run(&mut repository.secondhand(&["man", "--folder", "man"])).status, Some(0));
        let page = |name: &str| {
            fs::read_to_string(repository.path("man").join(name)).expect("it was written")
        };
        assert!(
            page("secondhand.1").contains("secondhand")
                && page("secondhand-corpus-add.1").contains("corpus")
        );
    }

    #[test]
    fn folders_of_caches_and_corpora_are_not_made_through_links_of_the_checkout() {
        let (_folder, outside) = outside();
        let repository = branch();
        link(&repository, &outside.join("deep"), "out");
        assert_eq!(
            run(&mut repository.secondhand(&["corpus", "add", "--corpus-dir", "known", "q", "."]))
                .status,
            Some(0)
        );
        refuses(&repository, &["check", "--base", "main", "--cache-dir", "out/cache"], &outside);
        refuses(&repository, &["cache", "warm", "--cache-dir", "out/../cache"], &outside);
        refuses(&repository, &["corpus", "add", "--corpus-dir", "out/known", "q", "."], &outside);
        refuses(
            &repository,
            &["corpus", "export", "--corpus-dir", "known", "q", "--output", "out/q.corpus"],
            &outside,
        );
        let exported = ["corpus", "export", "--corpus-dir", "known", "q", "--output", "q.corpus"];
        assert_eq!(run(&mut repository.secondhand(&exported)).status, Some(0));
    }

    #[test]
    fn a_journal_that_is_a_link_is_not_written_through() {
        let (_folder, outside) = outside();
        let repository = branch();
        let history = ["history", "--cache-dir", "cache"];
        assert!(run(&mut repository.secondhand(&history)).status.is_some());
        let entries = fs::read_dir(repository.path("cache")).expect("it was made").flatten();
        let journals: Vec<_> = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|of| of == "log"))
            .collect();
        assert!(!journals.is_empty());
        for journal in journals {
            fs::remove_file(&journal).expect("it is ours");
            std::os::unix::fs::symlink(outside.join("precious"), journal).expect("it is writable");
        }
        assert!(run(&mut repository.secondhand(&history)).status.is_some());
        assert_unchanged(&outside);
    }

    #[test]
    fn links_of_git_and_of_the_user_are_followed() {
        let (_folder, outside) = outside();
        let repository = branch();
        let hooks = repository.path(".git/hooks");
        let _ = fs::remove_dir_all(&hooks);
        std::os::unix::fs::symlink(outside.join("deep"), &hooks).expect("it is writable");
        assert_eq!(run(&mut repository.secondhand(&["init", "--hook"])).status, Some(0));
        assert!(outside.join("deep/pre-commit").is_file());
    }
}

#[cfg(unix)]
mod read {
    use super::*;

    const NO_FILE: &str = "it is not a regular file";

    fn pipe(path: &Path) {
        let _ = fs::remove_file(path);
        assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo is installed").success());
    }

    /// The files in a folder whose names begin and end so.
    fn files(folder: &Path, begin: &str, end: &str) -> Vec<PathBuf> {
        let entries =
            fs::read_dir(folder).expect("it is there").flatten().map(|entry| entry.path());
        let is_such = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.starts_with(begin) && name.ends_with(end)
        };
        entries.filter(is_such).collect()
    }

    #[test]
    fn a_file_that_a_flag_or_a_variable_names_is_not_waited_for() {
        let repository = branch();
        pipe(&repository.path("pipe"));
        let beside = TempDir::new().expect("it can be made");
        pipe(&beside.path().join("pipe"));
        let outside = beside.path().join("pipe").to_str().expect("it is UTF-8").to_owned();
        for file in ["pipe", outside.as_str(), "/dev/zero"] {
            fails(
                &mut repository.secondhand(&["check", "--base", "main", "--config", file]),
                NO_FILE,
            );
            fails(
                &mut repository.secondhand(&["check", "--base", "main", "--baseline", file]),
                NO_FILE,
            );
            fails(repository.secondhand(&["check"]).env("GITHUB_EVENT_PATH", file), NO_FILE);
            fails(&mut repository.secondhand(&["languages", "--file", file]), NO_FILE);
            fails(&mut repository.secondhand(&["find", file]), NO_FILE);
            fails(
                &mut repository
                    .secondhand(&["corpus", "import", "--corpus-dir", "known", "q", file]),
                NO_FILE,
            );
            let list = repository.path("list.toml");
            let _ = fs::remove_file(&list);
            std::os::unix::fs::symlink(file, &list).expect("it is writable");
            fails(
                &mut repository.secondhand(&[
                    "corpus", "add", "--corpus-dir", "known", "q", "--list", "list.toml",
                ]),
                NO_FILE,
            );
            fails(
                &mut repository.secondhand(&[
                    "corpus", "add", "--corpus-dir", "known", "q", "--fixes", "list.toml", ".",
                ]),
                NO_FILE,
            );
        }
        // Nothing is in it, and that is known at once.
        assert_eq!(
            run(&mut repository.secondhand(&["check", "--base", "main", "--config", "/dev/null"]))
                .status,
            Some(1)
        );
    }

    #[test]
    fn init_does_not_wait_for_what_it_adds_to() {
        let repository = branch();
        repository.write(".github/workflows/a.yml", "on: push\n");
        pipe(&repository.path(".github/workflows/a.yml"));
        repository.write(".husky/pre-commit", "");
        pipe(&repository.path(".husky/pre-commit"));
        assert!(run(&mut repository.secondhand(&["init"])).status.is_some());
    }

    #[test]
    fn a_cache_of_pipes_is_as_none() {
        let repository = branch();
        let check = ["check", "--base", "main", "--history", "--cache-dir", "cache"];
        let expected = run(&mut repository.secondhand(&check));
        let kept = files(&repository.path("cache"), "", "");
        assert!(kept.len() > 1, "{kept:?}");
        kept.iter().filter(|path| path.is_file()).for_each(|path| pipe(path));
        let Ran { status, said } = run(&mut repository.secondhand(&check));
        assert_eq!(status, expected.status, "{said}");
        assert!(said.contains(expected.said.lines().next().expect("it found something")), "{said}");
    }

    #[test]
    fn a_stored_corpus_of_pipes_and_devices_is_an_error() {
        for end in [".seg", ".json"] {
            for device in [None, Some("/dev/zero")] {
                let repository = branch();
                let known = TempDir::new().expect("it can be made");
                let corpora = known.path().to_str().expect("it is UTF-8");
                let add = ["corpus", "add", "--corpus-dir", corpora, "q", "."];
                assert_eq!(run(&mut repository.secondhand(&add)).status, Some(0));
                for file in files(&known.path().join("q"), "", end) {
                    pipe(&file);
                    if let Some(device) = device {
                        fs::remove_file(&file).expect("it is ours");
                        std::os::unix::fs::symlink(device, &file).expect("it is writable");
                    }
                }
                let check = ["check", "--base", "main", "--corpus-dir", corpora, "--corpus", "q"];
                fails(&mut repository.secondhand(&check), NO_FILE);
                fails(
                    &mut repository.secondhand(&["corpus", "show", "--corpus-dir", corpora, "q"]),
                    NO_FILE,
                );
            }
        }
    }

    #[test]
    fn what_git_keeps_of_a_merge_is_not_waited_for() {
        let repository = branch();
        pipe(&repository.path(".git/MERGE_HEAD"));
        fails(&mut repository.secondhand(&["check", "--staged"]), NO_FILE);
    }
}

mod objects {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_hook_of_a_server_judges_what_is_pushed_before_it_is_taken_in() {
        use std::os::unix::fs::PermissionsExt;
        let repository = branch();
        let server = TempDir::new().expect("it can be made");
        let bare = server.path().to_str().expect("it is UTF-8");
        repository.git(&["init", "--quiet", "--bare", bare]);
        repository.git(&["push", "--quiet", bare, "main"]);
        let hook = server.path().join("hooks/pre-receive");
        let program = env!("CARGO_BIN_EXE_secondhand");
        let script = format!(
            "#!/bin/sh\nread old new ref\n'{program}' check --base $old --head $new\necho \"status $?\"\n"
        );
        fs::create_dir_all(hook.parent().expect("it has one")).expect("it is writable");
        fs::write(&hook, script).expect("it is writable");
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).expect("it is ours");
        let Ran { said, .. } = run(&mut git_command(repository.root(), &["push", bare, "pr:main"]));
        assert!(said.contains("status 1") && said.contains("new.c"), "{said}");
    }

    #[test]
    fn objects_are_read_from_where_git_would() {
        let repository = branch();
        let elsewhere = TempDir::new().expect("it can be made");
        let moved = elsewhere.path().join("some objects");
        fs::rename(repository.path(".git/objects"), &moved).expect("it is ours");
        fs::create_dir(repository.path(".git/objects")).expect("it is writable");
        let check = || repository.secondhand(&["check", "--base", "main"]);
        assert_eq!(run(check().env("GIT_OBJECT_DIRECTORY", &moved)).status, Some(1));
        assert_eq!(run(check().env("GIT_ALTERNATE_OBJECT_DIRECTORIES", &moved)).status, Some(1));
        let several = format!("/nowhere:\"{}\"", moved.display());
        assert_eq!(run(check().env("GIT_ALTERNATE_OBJECT_DIRECTORIES", several)).status, Some(1));
        assert_eq!(run(&mut check()).status, Some(2));
    }
}
