//! The same bytes of every report, however a repository is read, and whatever it is called or
//! packed.

use std::fs;
use std::path::Path;
use std::process::Command;

use support::{Repository, git, secondhand};

/// Names that steer terminals, runners, browsers, spreadsheets and readers of lines.
const NAMES: &[&str] = &[
    "a b.c", "<script>alert(1)<!--.c", "::error file=x::y.c", "=1+cmd|'x'!A0.c", "%0A%25.c",
    "line\nbreak.c", "\u{1b}[2J.c", "-rf.c", "\u{202e}c.txt.c", "`x`|[y](z).c", "\"q\".c",
    "日本/語.c", "a&amp;b.c", "]]>.c", "tab\t.c", "x/../y.c",
];

/// A function whose statements follow from `seed`.
fn function(seed: u64) -> String {
    const SHAPES: [&str; 16] = [
        "total = left + right;",
        "if (left < right) grow(total);",
        "while (right > 0) right -= step(left);",
        "send(left, &total, \"</script>]]>\");",
        "table[left] = *right * total;",
        "for (;;) if (done(total)) break;",
        "switch (left) { case 1: total = 2; break; default: stop(); }",
        "do left <<= 1; while (!full(left, right));",
        "total = left ? -*right : ~total;",
        "return_to(table, left)->next = right;",
        "struct node *node = find(left, right, total);",
        "assert(left != total && \"text\");",
        "goto end; end: total ^= left | right[2];",
        "memcpy(table, right, sizeof(*right) * left);",
        "left = (int)(long)right + sizeof total;",
        "if (!total) { free(right); right = NULL; } else left--;",
    ];
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut text = format!("void f{seed}(int left, int *right, int total)\n{{\n");
    for _ in 0..6 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text += &format!("    {}\n", SHAPES[(state >> 33) as usize % SHAPES.len()]);
    }
    text + "}\n"
}

/// A repository whose last commit copies code into files with hostile names; some code is of the
/// past.
fn generated() -> Repository {
    let repository = Repository::new();
    for seed in 0..6 {
        repository
            .write(format!("src/d{}/f{seed}.c", seed % 3), function(seed) + &function(100 + seed));
    }
    repository.commit("first");
    repository.remove("src/d0/f0.c");
    repository.commit("a <b>subject</b> ::warning::x");
    for (number, name) in NAMES.iter().filter(|name| !name.contains("..")).enumerate() {
        let seed = number as u64 % 6;
        repository.write(name, function(seed) + &function(500 + number as u64));
    }
    repository.commit("change");
    repository
}

/// What is printed by `check` and `scan` in several formats.
fn answers(folder: &Path, more: &[&str], with: &dyn Fn(&mut Command)) -> Vec<Vec<u8>> {
    let runs: [&[&str]; 3] = [
        &["check", "--base", "HEAD~1", "--history", "--blame", "--format", "json"],
        &["check", "--base", "HEAD~1", "--format", "sarif"],
        &["scan", "--rev", "HEAD", "--format", "csv"],
    ];
    let answer = |args: &&[&str]| {
        let mut command = secondhand(folder, args);
        command.args(more);
        with(&mut command);
        let output = command.output().expect("the program starts");
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output.stdout
    };
    runs.iter().map(answer).collect()
}

#[test]
fn reports_have_the_same_bytes_whatever_the_threads_cache_place_locale_zone_and_packing() {
    let repository = generated();
    let root = repository.root();
    let nothing = |_: &mut Command| {};
    let expected = answers(root, &["--no-cache", "-j", "1"], &nothing);
    assert!(expected.iter().all(|answer| !answer.is_empty()));
    let check = |found: Vec<Vec<u8>>, what: &str| {
        for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert!(found == expected, "{what}: report {number} differs");
        }
    };
    check(answers(root, &["--no-cache", "-j", "2"], &nothing), "2 threads");
    check(answers(root, &["--no-cache", "-j", "8"], &nothing), "8 threads");
    check(answers(root, &["-j", "4"], &nothing), "cold");
    check(answers(root, &["-j", "4"], &nothing), "warm");
    let cache = root.join(".git/secondhand");
    let mut n_damaged = 0;
    for file in fs::read_dir(&cache).expect("there is a cache").flatten() {
        let mut bytes = fs::read(file.path()).expect("it is readable");
        let middle = bytes.len() / 2;
        if let Some(byte) = bytes.get_mut(middle) {
            *byte ^= 4;
            n_damaged += 1;
        }
        fs::write(file.path(), bytes).expect("it is writable");
    }
    assert!(n_damaged > 1);
    check(answers(root, &[], &nothing), "a damaged cache");
    let abroad = [("LC_ALL", "tr_TR.UTF-8"), ("LANG", "de_DE"), ("TZ", "Pacific/Kiritimati")];
    check(
        answers(root, &[], &|command: &mut Command| _ = command.envs(abroad)),
        "another locale and another zone",
    );
    check(
        answers(root, &["--no-cache", "-C", root.to_str().expect("it is UTF-8")], &|command| {
            command.current_dir("/");
        }),
        "another folder",
    );
    let elsewhere = tempfile::TempDir::new().expect("the folder for temporary files is writable");
    let clone = elsewhere.path().join("another name");
    git(
        elsewhere.path(),
        &["clone", "--quiet", root.to_str().expect("it is UTF-8"), "another name"],
    );
    check(answers(&clone, &[], &nothing), "a clone");
    repository.git(&["repack", "-q", "-a", "-d", "-f", "--depth=20", "--window=20"]);
    repository.git(&["commit-graph", "write", "--reachable"]);
    check(answers(root, &["--no-cache"], &nothing), "packed, with a commit graph");
    #[cfg(unix)]
    {
        let output = Command::new("sh")
            .args(["-c", "umask 077; exec \"$0\" \"$@\""])
            .arg(env!("CARGO_BIN_EXE_secondhand"))
            .args(["check", "--base", "HEAD~1", "--format", "sarif", "--no-cache"])
            .current_dir(root)
            .output()
            .expect("there is a shell");
        assert!(output.stdout == expected[1], "another umask");
    }
}

#[test]
fn reports_of_hostile_names_are_well_formed_and_steer_nothing() {
    let repository = generated();
    for format in ["json", "sarif", "gitlab", "rdjson", "sonarqube"] {
        let output =
            repository.secondhand(&["check", "--base", "HEAD~1", "--format", format]).output();
        let output = output.expect("the program starts");
        assert!(serde_json::from_slice::<serde_json::Value>(&output.stdout).is_ok(), "{format}");
    }
    for format in ["text", "markdown", "github", "html", "junit", "csv", "checkstyle", "azure"] {
        let output = repository
            .secondhand(&["check", "--base", "HEAD~1", "--full", "--format", format])
            .output();
        let text =
            String::from_utf8(output.expect("the program starts").stdout).expect("it is UTF-8");
        assert!(
            !text.contains('\u{1b}') && !text.contains('\u{202e}'),
            "{format} steers a terminal"
        );
        let is_markup = ["markdown", "html", "junit", "checkstyle"].contains(&format);
        assert!(!is_markup || !text.contains("<script>alert"), "{format} holds a script");
        // What a page or a file of XML has at the start of a line is neither run nor computed.
        let is_lines = ["text", "markdown", "github", "csv", "azure"].contains(&format);
        let steers = |line: &str| line.starts_with("::error file=x") || line.starts_with("=1+cmd");
        assert!(!is_lines || !text.lines().any(steers), "{format} steers what reads lines");
    }
}
