//! Shows that a copy of what was fixed since names the fix.

use super::{findings, fixed, save};
use serde_json::Value;
use support::Repository;

#[test]
fn a_copy_of_what_was_fixed_since_names_the_fix_and_one_of_the_present_does_not() {
    for (is_old, merges) in [(true, false), (true, true), (false, false)] {
        let repository = Repository::new();
        repository.write("src/rdb.c", save("save_rdb", "rdb", "fp"));
        repository.commit("first");
        if merges {
            repository.git(&["checkout", "--quiet", "-b", "side"]);
        }
        repository.write(
            "src/rdb.c",
            fixed("save_rdb", "rdb", "fp").replace("path[256]", "path[MAX_PATH + 1]"),
        );
        let fix = repository.commit("rdb: do not close what was never opened");
        if merges {
            repository.git(&["checkout", "--quiet", "main"]);
            repository.write("other.c", "int other;\n");
            repository.commit("something else");
            repository.git(&["merge", "--quiet", "--no-edit", "side"]);
        }
        repository.write(
            "src/rdb.c",
            fixed("save_rdb", "rdb", "fp")
                .replace("256", "MAX_PATH + 1")
                .replacen("int ", "/* v2 */ int ", 1),
        );
        repository.commit("a comment");
        let copy = if is_old {
            save("save_aof", "aof", "out")
        } else {
            fixed("save_aof", "aof", "out").replace("256", "MAX_PATH + 1")
        };
        repository.write("src/aof.c", copy);
        repository.commit("aof");
        let found = findings(&repository, "copied-before-fix");
        if !is_old {
            assert!(found.is_empty(), "{found:?}");
            continue;
        }
        assert_eq!(found.len(), 1, "merges: {merges}");
        let since = &found[0]["changedSince"];
        assert_eq!(since.as_array().map(Vec::len), Some(1), "{since}");
        assert_eq!(
            (&since[0]["commit"], &since[0]["subject"]),
            (&Value::from(fix), &Value::from("rdb: do not close what was never opened"))
        );
        assert_eq!(found[0]["level"], "warning");
    }
}

#[test]
fn the_fix_is_named_however_many_other_commits_lie_around_it() {
    for n in 0..10 {
        let repository = Repository::new();
        let others = |name: &str, n: usize| {
            for at in 0..n {
                repository.write("other.c", format!("int {name}_{at};\n"));
                repository.commit("something else");
            }
        };
        repository.write("src/rdb.c", save("save_rdb", "rdb", "fp"));
        repository.commit("first");
        others("before", n % 4);
        repository.write("src/rdb.c", fixed("save_rdb", "rdb", "fp"));
        let fix = repository.commit("a fix");
        others("after", n);
        repository.write("src/aof.c", save("save_aof", "aof", "out"));
        repository.commit("aof");
        let found = findings(&repository, "copied-before-fix");
        let since: Vec<&Value> =
            found.iter().map(|finding| &finding["changedSince"][0]["commit"]).collect();
        assert_eq!(since, [&Value::from(fix)], "{n} commits since");
    }
}

#[test]
fn a_copy_that_is_a_past_version_is_old_however_little_was_changed_since() {
    let first = save("save_rdb", "rdb", "fp");
    let rows = [
        ("one token", first.replace("return 0;", "return 1;")),
        ("a literal", first.replace("temp-%d.rdb", "temp-%d.dump")),
        ("a call", first.replace("unlink(path);", "remove(path);")),
        // The copy of the present code ends where it was changed.
        (
            "the middle",
            first.replace(
                "    if (fflush(fp) == EOF)\n        goto failed;\n",
                "    if (state(fp) > 7 && !done(fp)) {\n        note(fp, state(fp));\n        wait(fp, 3, NULL);\n    }\n    \
                 for (int at = 0; at < 9; at++)\n        flush_part(fp, at, at + 1);\n    sync_all(rdb, fp);\n",
            ),
        ),
    ];
    for (what, present) in rows {
        for is_old in [true, false] {
            let repository = Repository::new();
            repository.write("src/rdb.c", &first);
            repository.commit("first");
            repository.write("src/rdb.c", &present);
            repository.commit("rdb: a fix");
            repository.write("src/aof.c", if is_old { &first } else { &present });
            repository.commit("aof");
            let found = findings(&repository, "copied-before-fix");
            assert_eq!(found.len(), usize::from(is_old), "{what}: {found:?}");
            let subject = found
                .first()
                .map_or("rdb: a fix", |of| of["changedSince"][0]["subject"].as_str().unwrap_or(""));
            assert_eq!(subject, "rdb: a fix", "{what}");
        }
    }
}

#[test]
fn the_past_of_an_origin_is_that_of_its_former_name_too() {
    let (was, is) = (save("save_rdb", "rdb", "fp"), fixed("save_rdb", "rdb", "fp"));
    for (old, new) in [("src/rdb.c", "src/dump.c"), ("src/rdb.c", "lib/rdb.c")] {
        let repository = Repository::new();
        repository.write(old, &was);
        repository.commit("first");
        repository.write(old, &is);
        repository.commit("a fix");
        repository.remove(old);
        repository.write(
            new,
            if new.starts_with("lib") {
                is.replace("return 0;", "return DONE;")
            } else {
                is.clone()
            },
        );
        repository.commit("renamed");
        repository.write("src/aof.c", &was);
        repository.commit("aof");
        let found = findings(&repository, "copied-before-fix");
        assert_eq!(found.len(), 1, "{new}: {found:?}");
        let subjects: Vec<&Value> = found[0]["changedSince"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|commit| &commit["subject"])
            .collect();
        assert_eq!(subjects.last(), Some(&&Value::from("a fix")), "{new}");
    }
}

#[test]
fn a_copy_of_what_was_deleted_since_is_of_no_past_state() {
    let repository = Repository::new();
    repository.write("src/rdb.c", save("save_rdb", "rdb", "fp"));
    repository.commit("first");
    repository.remove("src/rdb.c");
    repository.write("main.c", "int main(void) { return 0; }\n");
    repository.commit("gone");
    repository.write("src/aof.c", save("save_rdb", "rdb", "fp"));
    repository.commit("aof");
    assert!(findings(&repository, "copied-before-fix").is_empty());
}
