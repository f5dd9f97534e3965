//! Shows that the cache changes how long a check takes, and nothing else: whatever is
//! in its folder, whoever else writes to it, and whenever a run is ended.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::samples::{File, LANGUAGES};
use secondhand::store::{Cache, Key, Segment};
use support::{Repository, git, secondhand as program};

/// A repository with files in each sample language, whose last commit copies a function in each,
/// and edits another.
fn repository() -> Repository {
    let repository = Repository::new();
    for language in LANGUAGES {
        for (name, parts) in
            [("one", [language.first, language.second]), ("two", [language.third, language.second])]
        {
            let file = language.file(name, &parts);
            repository.write(&file.path, &file.text);
        }
    }
    repository.write("notes.txt", "no source\n");
    repository.write("image.c", b"\0\0\0");
    repository.commit("before");
    for language in LANGUAGES {
        let file = language.file("new", &[language.first]);
        repository.write(&file.path, &file.text);
    }
    repository.commit("after");
    repository
}

fn check(repository: &Repository, args: &[&str]) -> Command {
    repository.secondhand(&[&["check", "--base", "HEAD~1", "--format", "json"], args].concat())
}

/// What a check prints, and its status; nothing goes to standard error.
#[track_caller]
fn printed(command: &mut Command) -> (String, Option<i32>) {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    assert_eq!(String::from_utf8_lossy(&stderr), "");
    (String::from_utf8_lossy(&stdout).into_owned(), status.code())
}

/// What a check prints that knows no cache.
#[track_caller]
fn expected(repository: &Repository) -> (String, Option<i32>) {
    let expected = printed(&mut check(repository, &["--no-cache"]));
    assert_eq!(expected.1, Some(1), "there are copies to be found");
    expected
}

fn folder(repository: &Repository) -> PathBuf {
    repository.path(".git/secondhand")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<_> =
        entries.map(|entry| entry.expect("the folder stays readable").path()).collect();
    paths.sort();
    paths
}

#[track_caller]
fn only_file(repository: &Repository) -> PathBuf {
    let mut files = files(&folder(repository));
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

#[test]
fn what_is_kept_is_not_used_where_git_replaces_objects() {
    let repository = repository();
    let history = |args: &[&str]| {
        printed(&mut repository.secondhand(&[&["history", "--format", "json"], args].concat()))
    };
    let before = history(&[]);
    let new = repository.git(&["rev-parse", "HEAD:one.c"]);
    let other = repository.git(&["rev-parse", "HEAD:two.c"]);
    for replace in [&["replace", new.trim(), other.trim()][..], &["replace", "--graft", "HEAD"]] {
        repository.git(replace);
        let now = history(&[]);
        assert_eq!(now, history(&["--no-cache"]));
        assert_ne!(now, before);
    }
}

#[test]
fn a_check_prints_the_same_without_cache_cold_and_warm() {
    let repository = repository();
    let expected = expected(&repository);
    assert!(!folder(&repository).exists(), "`--no-cache` keeps nothing");
    assert_eq!(printed(&mut check(&repository, &[])), expected, "cold");
    let kept = only_file(&repository);
    assert_eq!(printed(&mut check(&repository, &[])), expected, "warm");
    assert_eq!(printed(&mut check(&repository, &["-j", "1"])), expected, "warm, on one thread");
    assert_eq!(only_file(&repository), kept, "nothing was learned a second time");
}

/// A repository whose last commit copies C, and the file of Python beside it that holds nothing of
/// the copy.
fn copied_beside_python() -> (Repository, File) {
    let repository = Repository::new();
    let [c, python, ..] = LANGUAGES else { panic!("there are two samples") };
    let (store, other) =
        (c.file("store", &[c.first, c.second]), python.file("other", &[python.third]));
    for file in [&store, &other] {
        repository.write(&file.path, &file.text);
    }
    repository.commit("before");
    let new = c.file("new", &[c.first]);
    repository.write(&new.path, &new.text);
    repository.commit("after");
    (repository, other)
}

#[test]
fn a_warm_check_does_not_read_what_did_not_change_and_cannot_hold_a_copy() {
    let (repository, other) = copied_beside_python();
    let expected = expected(&repository);
    printed(&mut check(&repository, &[]));
    let id = repository.git(&["rev-parse", &format!("HEAD:{}", other.path)]);
    repository.remove(format!(".git/objects/{}/{}", &id[..2], &id[2..]));
    assert_eq!(
        check(&repository, &["--no-cache"]).output().expect("the program starts").status.code(),
        Some(2)
    );
    for _ in 0..5 {
        assert_eq!(printed(&mut check(&repository, &[])), expected);
    }
}

#[test]
fn a_renamed_file_is_not_read_again() {
    let (repository, other) = copied_beside_python();
    printed(&mut check(&repository, &[]));
    repository.git(&["mv", &other.path, "renamed.py"]);
    repository.git(&["commit", "--quiet", "--amend", "--message", "after"]);
    let expected = expected(&repository);
    let id = repository.git(&["rev-parse", "HEAD:renamed.py"]);
    repository.remove(format!(".git/objects/{}/{}", &id[..2], &id[2..]));
    assert_eq!(printed(&mut check(&repository, &[])), expected);
}

#[test]
fn one_blob_under_two_names_is_read_as_each_of_them() {
    let repository = Repository::new();
    let c = &LANGUAGES[0];
    let text = c.file("x", &[c.first, c.second]).text;
    repository.write("one.c", &text);
    repository.write("one.py", &text);
    repository.write("one.md", &text);
    repository.commit("before");
    repository.write("new.c", c.file("x", &[c.first]).text);
    repository.commit("after");
    let expected = expected(&repository);
    printed(&mut check(&repository, &[]));
    assert_eq!(printed(&mut check(&repository, &[])), expected);
}

#[test]
fn settings_and_language_tables_are_part_of_what_is_remembered() {
    let repository = repository();
    printed(&mut check(&repository, &[]));
    for set in
        ["noise-threshold=12", "guarantee-threshold=24", "include-data=true", "max-file-size=500"]
    {
        let without = printed(&mut check(&repository, &["--set", set, "--no-cache"]));
        for _ in 0..2 {
            assert_eq!(printed(&mut check(&repository, &["--set", set])), without, "{set}");
        }
    }
    let table = "[language.c]\nname = \"C\"\nextensions = [\"c\"]\nkeywords = \"\"\n";
    repository.write("secondhand.toml", table);
    let without = printed(&mut check(&repository, &["--no-cache"]));
    assert_eq!(printed(&mut check(&repository, &[])), without, "with other language tables");
}

/// Puts `change` to the only file of a filled cache and checks that the findings stay what they
/// are.
#[track_caller]
fn check_damage(what: &str, change: impl Fn(&Path)) {
    let repository = repository();
    let expected = expected(&repository);
    printed(&mut check(&repository, &[]));
    change(&only_file(&repository));
    assert_eq!(printed(&mut check(&repository, &[])), expected, "{what}");
    assert_eq!(printed(&mut check(&repository, &[])), expected, "{what}, and a run after that");
    let status = repository.secondhand(&["cache", "status"]).output().expect("the program starts");
    assert_eq!(status.status.code(), Some(0), "{what}");
}

fn rewrite(path: &Path, change: impl Fn(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).expect("the cache is readable");
    change(&mut bytes);
    fs::write(path, bytes).expect("the cache is writable");
}

#[test]
fn a_truncated_file_is_as_none() {
    for part in [0, 4, 40, 71, 72, 1_000] {
        check_damage(&format!("the first {part} bytes"), |path| {
            rewrite(path, |bytes| bytes.truncate(part));
        });
    }
    check_damage("all but the last byte", |path| {
        rewrite(path, |bytes| bytes.truncate(bytes.len() - 1));
    });
}

#[test]
fn a_flipped_bit_is_noticed_wherever_it_is() {
    for part in 0..16 {
        check_damage(&format!("{part} sixteenths in"), |path| {
            rewrite(path, |bytes| {
                let at = (bytes.len() - 1) * part / 16;
                bytes[at] ^= 1 << (part % 8);
            });
        });
    }
}

#[test]
fn a_foreign_and_an_older_file_are_as_none() {
    check_damage("a text", |path| {
        fs::write(path, "not a segment, though it has its name\n").expect("writable");
    });
    check_damage("a format of the past", |path| rewrite(path, |bytes| bytes[8] = 0));
    check_damage("a format of the future", |path| rewrite(path, |bytes| bytes[8] = 200));
    check_damage("zeros, as after a power failure", |path| rewrite(path, |bytes| bytes.fill(0)));
    check_damage("a folder", |path| {
        fs::remove_file(path).expect("the cache is writable");
        fs::create_dir(path).expect("the cache is writable");
    });
}

/// Says other fingerprints than the files have, with every checksum right: bytes 72 and on are the
/// sections.
fn forge(path: &Path, change: impl Fn(u32, &mut [u8])) {
    rewrite(path, |bytes| {
        let u32_at = |bytes: &[u8], at: usize| {
            u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
        };
        let u64_at = |bytes: &[u8], at: usize| {
            u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
        };
        let (n, table) = (u32_at(bytes, 44) as usize, u64_at(bytes, 56) as usize);
        let mut checksum_at = table + n * 24;
        for row in (0..n).map(|row| table + row * 24) {
            let (start, len) = (u64_at(bytes, row + 8) as usize, u64_at(bytes, row + 16) as usize);
            change(u32_at(bytes, row), &mut bytes[start..start + len]);
            let checksums: Vec<u32> =
                bytes[start..start + len].chunks(4096).map(crc32fast::hash).collect();
            for checksum in checksums {
                bytes[checksum_at..checksum_at + 4].copy_from_slice(&checksum.to_le_bytes());
                checksum_at += 4;
            }
        }
        let of_table = crc32fast::hash(&bytes[table..]);
        bytes[64..68].copy_from_slice(&of_table.to_le_bytes());
        let of_header = crc32fast::hash(&bytes[..68]);
        bytes[68..72].copy_from_slice(&of_header.to_le_bytes());
    });
}

#[test]
fn a_forged_cache_is_noticed_and_made_anew() {
    let repository = repository();
    let expected = expected(&repository);
    let forgeries: [fn(u32, &mut [u8]); 2] = [
        // Other fingerprints.
        |section, bytes| {
            bytes.iter_mut().filter(|_| section == 2).for_each(|byte| *byte = byte.wrapping_add(1));
        },
        // Every file was generated, it says: 4, in a field of each row.
        |section, bytes| bytes.chunks_mut(64).filter(|_| section == 1).for_each(|row| row[44] = 4),
    ];
    for change in forgeries {
        let _ = fs::remove_dir_all(folder(&repository));
        printed(&mut check(&repository, &[]));
        forge(&only_file(&repository), |_, _| {});
        assert_eq!(
            printed(&mut check(&repository, &[])),
            expected,
            "forging as such changes nothing"
        );
        forge(&only_file(&repository), change);
        let Output { status, stdout, stderr } =
            check(&repository, &[]).output().expect("the program starts");
        assert_eq!((String::from_utf8_lossy(&stdout).into_owned(), status.code()), expected);
        assert!(
            String::from_utf8_lossy(&stderr).contains("someone else has written to it"),
            "it is said"
        );
        assert_eq!(printed(&mut check(&repository, &[])), expected, "and after that all is well");
    }
}

/// Checks that a run prints what is expected, and warns as often as something cannot be kept.
#[track_caller]
fn check_unkept(command: &mut Command, expected: &(String, Option<i32>), n_warnings: usize) {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    let said = String::from_utf8_lossy(&stderr);
    assert_eq!((String::from_utf8_lossy(&stdout).into_owned(), status.code()), *expected, "{said}");
    assert_eq!(said.matches("warning: ").count(), n_warnings, "{said}");
    assert!(!said.contains("tmp-"), "{said}");
}

#[test]
fn a_place_that_takes_nothing_is_no_failure() {
    let repository = repository();
    let expected = expected(&repository);
    repository.write(".git/file", "");
    for folder in [".git/file", ".git/file/below"] {
        for search in [&["--cache-dir", folder][..], &["--cache-dir", folder, "--history"]] {
            check_unkept(&mut check(&repository, search), &expected, search.len() - 1);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_no_failure() {
    let repository = repository();
    let expected = expected(&repository);
    // A file may have one block of 512 or 1,024 bytes here, and a write beyond it fails.
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$@\"";
    let program = check(&repository, &[]);
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh"]).arg(program.get_program()).args(program.get_args());
    command.current_dir(repository.root()).env_clear();
    check_unkept(&mut command, &expected, 1);
    check_unkept(command.arg("--history"), &expected, 2);
    assert!(files(&folder(&repository)).is_empty(), "half a file does not stay");
}

#[test]
fn a_run_that_is_killed_leaves_nothing_that_matters() {
    let repository = repository();
    let expected = expected(&repository);
    for n in 0..40 {
        let _ = fs::remove_dir_all(folder(&repository));
        let mut command = check(&repository, &[]);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(Duration::from_micros(n * 500));
        let _ = child.kill();
        let _ = child.wait();
        if n % 4 == 0 {
            assert_eq!(
                printed(&mut check(&repository, &[])),
                expected,
                "after a kill at {} ms",
                n as f64 / 2.0
            );
        }
    }
    assert_eq!(printed(&mut check(&repository, &[])), expected);
}

#[test]
fn many_processes_read_and_write_at_once() {
    let repository = repository();
    let expected = expected(&repository);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                for n in 0..6 {
                    let set = format!("max-file-size={}", 1_000_000 + n);
                    assert_eq!(printed(&mut check(&repository, &["--set", &set])), expected);
                }
            });
        }
    });
    assert!(files(&folder(&repository)).len() <= 20, "they are merged");
}

#[test]
fn a_damaged_history_index_is_made_anew_in_the_same_run_with_a_word() {
    for span in [&["--history"][..], &["--history", "--history-of", "HEAD~1", "--max-commits", "5"]]
    {
        let repository = with_revived_code();
        let kept = printed(&mut check(&repository, span));
        assert!(kept.0.contains("revived-code"), "{}", kept.0);
        let index = || {
            let is_index = |path: &PathBuf| {
                let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
                name.starts_with("history-") || name.starts_with("recent-")
            };
            files(&folder(&repository)).into_iter().find(is_index).expect("there is an index")
        };
        let n_bytes = fs::metadata(index()).expect("it is there").len() as usize;
        for at in (0..n_bytes).step_by(n_bytes / 16) {
            rewrite(&index(), |bytes| bytes[at] ^= 4);
            let status =
                repository.secondhand(&["cache", "status"]).output().expect("the program starts");
            let status = String::from_utf8_lossy(&status.stdout).into_owned();
            let Output { stdout, stderr, .. } =
                check(&repository, span).output().expect("the program starts");
            let said = String::from_utf8_lossy(&stderr);
            assert_eq!(String::from_utf8_lossy(&stdout), kept.0, "byte {at}: {said}");
            // An index of a later format, or of other settings, is not damaged.
            if status.contains("not read: `") {
                let is_told = said.contains("the history index is rebuilt: `");
                let is_sound = repository
                    .secondhand(&["cache", "status"])
                    .output()
                    .expect("the program starts");
                let is_sound = !String::from_utf8_lossy(&is_sound.stdout).contains("not read");
                // What the search did not need is not looked at.
                assert!(is_told && is_sound || said.is_empty(), "byte {at}: {said}");
                if !is_told {
                    let warmed = repository
                        .secondhand(&[&["cache", "warm", "HEAD~1"], span].concat())
                        .output();
                    let warmed = warmed.expect("the program starts");
                    let told = String::from_utf8_lossy(&warmed.stderr).into_owned();
                    if span.len() == 1 {
                        assert!(
                            told.contains("the history index is rebuilt: `"),
                            "byte {at}: {told}"
                        );
                    }
                }
            }
            let _ = repository.secondhand(&["cache", "clear"]).output();
            assert_eq!(printed(&mut check(&repository, span)), kept);
        }
    }
}

/// A repository in which code was deleted, that the last commit brings back.
fn with_revived_code() -> Repository {
    let repository = Repository::new();
    let language = &LANGUAGES[0];
    repository.write(language.path("old"), language.first);
    repository.write(language.path("other"), language.second);
    repository.commit("old");
    repository.remove(language.path("old"));
    repository.commit("gone");
    repository.write(language.path("new"), language.first);
    repository.commit("back");
    repository
}

#[test]
fn linked_work_trees_share_a_cache() {
    let repository = repository();
    let expected = expected(&repository);
    printed(&mut check(&repository, &[]));
    let kept = only_file(&repository);
    repository.git(&["worktree", "add", "--quiet", "--detach", "linked", "HEAD"]);
    let linked = repository.path("linked");
    let args = ["check", "--base", "HEAD~1", "--format", "json"];
    assert_eq!(printed(&mut program(&linked, &args)), expected);
    assert_eq!(only_file(&repository), kept);
}

#[test]
fn a_sha256_repository_has_a_cache_too() {
    let repository = Repository::with_format("sha256");
    let c = &LANGUAGES[0];
    for (name, parts) in [("one", vec![c.first, c.second]), ("new", vec![c.first])] {
        repository.write(&c.file(name, &parts).path, c.file(name, &parts).text);
        repository.commit(name);
    }
    let expected = expected(&repository);
    for _ in 0..2 {
        assert_eq!(printed(&mut check(&repository, &[])), expected);
    }
    only_file(&repository);
}

#[test]
fn the_cache_is_shown_warmed_pruned_and_cleared() {
    let repository = repository();
    let run = |args: &[&str]| printed(&mut repository.secondhand(&[&["cache"], args].concat())).0;
    let n_blobs = |said: &str| {
        said.split(": ").nth(1).and_then(|rest| rest.split(' ').next()).map(str::to_owned)
    };
    assert!(run(&["status"]).contains(": 0 blobs in 0 files"));
    let warm = run(&["warm"]);
    assert!(warm.contains(" files read\n"), "{warm}");
    assert!(run(&["warm"]).starts_with("0 files read\n"));
    let full = n_blobs(&run(&["status"]));
    let c = &LANGUAGES[0];
    repository.remove(&c.file("two", &[]).path);
    repository.git(&["checkout", "--quiet", "--orphan", "other"]);
    repository.commit("another beginning");
    run(&["prune"]);
    assert_eq!(n_blobs(&run(&["status"])), full, "`main` still holds all of them");
    git(repository.root(), &["branch", "--quiet", "-D", "main"]);
    run(&["prune"]);
    assert_ne!(n_blobs(&run(&["status"])), full);
    assert!(run(&["clear"]).starts_with("1 file removed"));
    assert!(files(&folder(&repository)).is_empty());
}

#[test]
fn no_forged_bytes_make_the_reader_panic_or_read_beyond_the_file() {
    let repository = repository();
    printed(&mut check(&repository, &[]));
    let path = only_file(&repository);
    let whole = fs::read(&path).expect("the cache is readable");
    let params = *Segment::open(&path).expect("it is whole").params();
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (state >> 33) as usize
    };
    for _ in 0..300 {
        fs::write(&path, &whole).expect("the cache is writable");
        let changes: Vec<(u32, usize, u8)> =
            (0..4).map(|_| (1 + random() as u32 % 3, random(), random() as u8)).collect();
        forge(&path, |section, bytes| {
            let n_bytes = bytes.len();
            for &(_, at, byte) in changes.iter().filter(|(of, ..)| *of == section && n_bytes > 0) {
                bytes[at % n_bytes] = byte;
            }
        });
        let cache = Cache::open(&folder(&repository), params);
        cache.verify();
        let id = whole[72..92].into();
        let reading = u64::from_le_bytes(whole[92..100].try_into().expect("eight bytes"));
        if let Some(found) = cache.get(&Key { id, reading }) {
            let _ = (found.hashes().count(), found.positions().count(), found.words().count());
        }
    }
}
