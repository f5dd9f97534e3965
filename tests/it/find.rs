//! Shows what `secondhand find` names for a sketch of new code.

use std::fs;
use std::io::Write;
use std::process::{Output, Stdio};

use crate::generated::valid;
use crate::samples::{LANGUAGES, Language};
use serde_json::Value;
use support::{Report, Repository};
use tempfile::TempDir;

const C: &Language = &LANGUAGES[0];

/// A repository with the three samples of a language, a file each: `first`, `second`, `third`.
fn tree(language: &Language) -> Repository {
    let repository = Repository::new();
    for (name, part) in
        [("first", language.first), ("second", language.second), ("third", language.third)]
    {
        repository.write(language.path(name), language.file(name, &[part]).text);
    }
    repository.commit("all");
    repository
}

/// What is found for `sketch` on standard input.
fn find(repository: &Repository, sketch: impl AsRef<[u8]>, args: &[&str]) -> Output {
    let mut command = repository.secondhand(&[&["find"], args].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // A program that has seen enough closes its end.
    let _ = child.stdin.take().expect("it is piped").write_all(sketch.as_ref());
    child.wait_with_output().expect("the program ends")
}

#[track_caller]
fn json(output: &Output) -> Value {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors, "", "a run that succeeds has no errors to tell");
    serde_json::from_slice(&output.stdout).expect("the report is JSON")
}

/// The first result for a sketch in `language`.
#[track_caller]
fn best(repository: &Repository, sketch: &str, language: &Language) -> Value {
    let name = language.path("sketch");
    let output = find(repository, sketch, &["--name", &name, "--format", "json"]);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{sketch}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    json(&output)["results"][0].clone()
}

/// The beginning of a text, as far as the line before which it has `n` words or more.
fn head(text: &str, n: usize) -> String {
    let mut head = String::new();
    for line in text.lines() {
        if head.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).count() >= n {
            break;
        }
        head.push_str(line);
        head.push('\n');
    }
    head
}

#[track_caller]
fn check_error(output: &Output, expected: &str) {
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains(expected), "{errors}");
}

#[test]
fn plain_words_are_in_no_language() {
    let repository = tree(&LANGUAGES[0]);
    repository.write("a.css", "a { color: red; }\n");
    repository.commit("another language");
    let found =
        json(&find(&repository, "find the slot of a key in the table", &["--format", "json"]));
    assert_eq!(
        (&found["language"], &found["results"][0]["path"]),
        (&Value::Null, &"first.c".into())
    );
}

#[test]
fn a_whole_function_is_found_with_its_lines_in_every_language() {
    for language in LANGUAGES {
        let repository = tree(language);
        let found = best(&repository, language.first, language);
        let place = language.file("first", &[language.first]).at(language.first);
        let lines = format!(
            "{}:{}-{}",
            found["path"].as_str().unwrap_or_default(),
            found["startLine"],
            found["endLine"]
        );
        assert_eq!(
            (lines, &found["cloneType"], &found["containment"]),
            (place, &"type-1".into(), &1.0.into())
        );
    }
}

#[test]
fn a_block_ends_with_the_word_of_its_language() {
    let repository = Repository::new();
    let task = "\
task send;
    input [7:0] word;
    integer at;
    begin
        line = 1'b0;
        for (at = 0; at < 8; at = at + 1) begin
            #(PERIOD) line = word[at];
        end
        #(PERIOD) line = 1'b1;
        sent = sent + 1;
    end
endtask
";
    repository.write("a.v", format!("reg line;\n\n{task}\nreg [3:0] state;\n"));
    repository.commit("all");
    let found =
        &json(&find(&repository, task, &["--name", "sketch.v", "--format", "json"]))["results"][0];
    assert_eq!(
        (&found["startLine"], &found["endLine"], &found["function"]),
        (&3.into(), &14.into(), &"send".into())
    );
}

#[test]
fn a_renamed_sketch_is_found() {
    for language in LANGUAGES {
        let found = best(&tree(language), &language.renamed(), language);
        assert_eq!(
            (&found["path"], &found["cloneType"]),
            (&language.path("first").into(), &"type-2".into())
        );
        assert_eq!(found["containment"], 1.0, "{}", language.extension);
    }
}

#[test]
fn an_incomplete_and_unbalanced_sketch_names_the_whole_function() {
    for language in LANGUAGES {
        let sketch = head(language.first, 16);
        let found = best(&tree(language), &sketch, language);
        let place = language.file("first", &[language.first]).at(language.first);
        let lines = format!(
            "{}:{}-{}",
            found["path"].as_str().unwrap_or_default(),
            found["startLine"],
            found["endLine"]
        );
        assert_eq!(lines, place, "{sketch}");
    }
}

#[test]
fn a_sketch_of_twenty_tokens_is_found() {
    let repository = tree(C);
    let repository_of = "int total(const struct entry *list, int n)\n{\n  int sum = 0;\n  while (n > 0)\n    sum += list[--n].size;\n  return sum;\n}\n";
    repository.write("total.c", repository_of);
    // 20 tokens, with one bracket open.
    let found =
        best(&repository, "int all(const struct item *of, int m)\n{\n  int n = 0;\n  while (m", C);
    assert_eq!((&found["path"], &found["function"]), (&"total.c".into(), &"total".into()));
}

#[test]
fn what_has_more_of_the_sketch_comes_first_and_the_limit_is_kept() {
    let repository = tree(C);
    repository.write("edited.c", C.with_deleted());
    let output = find(&repository, C.first, &["--name", "a.c", "--format", "json"]);
    let found = json(&output);
    let of = |at: usize| {
        (found["results"][at]["path"].clone(), found["results"][at]["containment"].as_f64())
    };
    assert_eq!(of(0), ("first.c".into(), Some(1.0)));
    assert!(of(1).0 == "edited.c" && of(1).1 < Some(1.0), "{found:#}");
    let limited =
        json(&find(&repository, C.first, &["--name", "a.c", "--limit", "1", "--format", "json"]));
    assert_eq!(
        (limited["results"].as_array().map(Vec::len), &limited["found"]),
        (Some(1), &found["found"])
    );
}

#[test]
fn the_language_of_standard_input_is_guessed_from_the_tree() {
    let repository = Repository::new();
    for language in LANGUAGES {
        repository.write(language.path("first"), language.file("first", &[language.first]).text);
    }
    repository.commit("all");
    for language in LANGUAGES {
        let found = json(&find(&repository, language.renamed(), &["--format", "json"]));
        assert_eq!(found["results"][0]["path"], language.path("first"), "{found:#}");
    }
}

#[test]
fn lines_of_a_file_are_searched_for_and_never_name_themselves() {
    let repository = tree(C);
    repository.write("both.c", C.file("both", &[C.second, C.first]).text);
    let at = C.file("both", &[C.second, C.first]).at(C.first);
    let lines = at.trim_start_matches("both.c:");
    let found = Report::new(
        &mut repository.secondhand(&["find", "both.c", "--lines", lines, "--format", "json"]),
    );
    let paths: Vec<&Value> = found.list("/results").iter().map(|found| &found["path"]).collect();
    assert_eq!(paths, ["first.c"]);
    let output = repository
        .secondhand(&["find", "both.c", "--lines", "900-"])
        .output()
        .expect("the program starts");
    check_error(&output, "begins at line 900");
}

#[test]
fn where_nothing_is_like_the_sketch_nothing_is_found_with_status_1() {
    let repository = Repository::new();
    repository.write("second.c", C.second);
    repository.commit("all");
    let output = find(&repository, C.first, &["--name", "a.c", "--format", "json"]);
    assert_eq!(
        (output.status.code(), &json(&output)["results"]),
        (Some(1), &Value::Array(Vec::new()))
    );
}

#[test]
fn a_sketch_that_cannot_be_searched_for_ends_with_status_2_and_says_why() {
    let repository = tree(C);
    check_error(&find(&repository, "", &[]), "it is empty");
    check_error(&find(&repository, "/* - */\n", &["--lang", "c"]), "it is empty");
    check_error(
        &find(&repository, [0u8, 1, 2, 255].repeat(100), &["--name", "a.c"]),
        "it is binary",
    );
    check_error(&find(&repository, C.first, &["--lang", "pyton"]), "did you mean `python`?");
    check_error(
        &find(&repository, C.first, &["--name", "a.nothing"]),
        "no language has files named `a.nothing`",
    );
    check_error(
        &find(&repository, "a = b;\n".repeat(1_500_000), &["--lang", "c"]),
        "larger than 10 MB",
    );
    let output =
        repository.secondhand(&["find", "missing.c"]).output().expect("the program starts");
    check_error(&output, "cannot read `missing.c`");
    let output = repository.secondhand(&["find", "x", "--limit", "0"]).output();
    check_error(&output.expect("the program starts"), "invalid value '0' for '--limit <N>'");
}

#[test]
fn a_long_sketch_is_searched_for_by_a_part_of_its_tokens() {
    let repository = tree(C);
    // A tenth of the bytes that a sketch may have.
    let sketch = C.first.repeat(1_000_000 / C.first.len());
    let found =
        json(&find(&repository, sketch, &["--name", "a.c", "--format", "json", "--limit", "1"]));
    assert_eq!(found["results"][0]["path"], "first.c");
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_seen_enough_ends_it_quietly() {
    let repository = tree(C);
    let (reader, writer) = std::io::pipe().expect("there are pipes");
    drop(reader);
    let mut command =
        repository.secondhand(&["find", "first.c", "--lines", "1-30", "--rev", "HEAD"]);
    let child = command.stdout(writer).stderr(Stdio::piped()).spawn().expect("the program starts");
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// Sketches of more than one function, as they are told in the first lines of a new file.
#[test]
fn of_a_sketch_of_short_functions_the_lines_that_have_most_of_it_are_named() {
    let repository = tree(C);
    let all = |of: &str| {
        format!(
            "int {of}_area(const struct {of} *one)\n{{\n    return one->width * one->height;\n}}\n\nvoid \
             {of}_clear(struct {of} *one)\n{{\n    one->n = 0;\n    free(one->list);\n}}\n\nbool \
             {of}_is_empty(const struct {of} *one)\n{{\n    return one == NULL || one->n == 0;\n}}\n"
        )
    };
    repository.write("box.c", format!("#include \"box.h\"\n\n{}int unrelated;\n", all("box")));
    let found = json(&find(&repository, all("crate"), &["--name", "a.c", "--format", "json"]));
    let best = &found["results"][0];
    let lines = (&best["path"], &best["startLine"], &best["endLine"], &best["containment"]);
    assert_eq!(lines, (&"box.c".into(), &3.into(), &17.into(), &1.0.into()), "{found:#}");
}

/// A sketch that begins with a type, and goes on with a function.
#[test]
fn lines_with_much_more_of_a_sketch_come_before_a_function_with_half_of_it() {
    let repository = tree(C);
    let states = |of: &str, end: &str| {
        let states = ["open", "closed", "lost", "bent", "kept", "full"]
            .map(|state| format!("    {of}_{state}"));
        format!("enum {of}_state\n{{\n{}{end}\n}};\n", states.join(",\n"))
    };
    let count = |of: &str| {
        format!(
            "int {of}_count(const struct {of} *one)\n{{\n    return one->n_open + one->n_closed;\n}}\n",
        )
    };
    repository.write("both.c", format!("{}\n{}\nint last;\n", states("box", ","), count("box")));
    let sketch = format!("{}\n{}", states("jar", ""), count("jar"));
    let found = json(&find(&repository, &sketch, &["--name", "a.c", "--format", "json"]));
    let best = &found["results"][0];
    let lines = (&best["path"], &best["startLine"], &best["endLine"]);
    assert_eq!(lines, (&"both.c".into(), &1.into(), &14.into()), "{found:#}");
    assert_eq!(found["found"], 1, "{found:#}");
    let alone = json(&find(&repository, count("jar"), &["--name", "a.c", "--format", "json"]));
    assert_eq!(alone["results"][0]["function"], "box_count", "{alone:#}");
}

#[test]
fn a_function_is_named_and_not_its_class_where_an_annotation_is_before_it() {
    let repository = Repository::new();
    let method = "    @SuppressWarnings(\"unchecked\") // by design\n    private void readObject(final ObjectInputStream \
                  stream) throws IOException {\n        stream.defaultReadObject();\n        nodes = new \
                  Node[2];\n        final int size = stream.readInt();\n        for (int i = 0; i < size; i++) \
                  {\n            put(stream.readObject(), i);\n        }\n    }\n";
    let others: String = (0..20)
        .map(|at| format!("    int at{at}() {{\n        return {at};\n    }}\n\n"))
        .collect();
    repository.write(
        "Tree.java",
        format!("class Tree {{\n    int size;\n\n{others}{method}\n{others}}}\n"),
    );
    repository.commit("all");
    let found = json(&find(&repository, method, &["--name", "A.java", "--format", "json"]));
    assert_eq!(found["results"][0]["function"], "readObject", "{found:#}");
    assert_eq!(found["results"].as_array().map(Vec::len), Some(1), "{found:#}");
}

#[test]
fn a_corpus_is_searched_too_and_its_license_is_named() {
    let corpus = TempDir::new().expect("the folder for temporary files is writable");
    fs::create_dir_all(corpus.path().join("alpha")).expect("it is writable");
    let text = format!("/* SPDX-License-Identifier: MIT */\n{}", C.first);
    fs::write(corpus.path().join("alpha/table.c"), text).expect("it is writable");
    let repository = Repository::new();
    repository.write("second.c", C.second);
    repository.commit("all");
    let folder = corpus.path().to_str().expect("temporary folders are UTF-8");
    let found =
        json(&find(&repository, C.first, &["--lang", "c", "--corpus", folder, "--format", "json"]));
    let best = &found["results"][0];
    assert_eq!((&best["path"], &best["place"]), (&"table.c".into(), &"component".into()));
    assert_eq!(
        (&best["component"]["name"], &best["component"]["license"]),
        (&"alpha".into(), &"MIT".into())
    );
    let concise =
        find(&repository, C.first, &["--lang", "c", "--corpus", folder, "--format", "concise"]);
    assert!(String::from_utf8_lossy(&concise.stdout).contains("from alpha, license MIT"));
}

#[test]
fn a_cold_and_a_warm_cache_and_any_number_of_threads_give_the_same_bytes() {
    let repository = tree(C);
    repository.write("edited.c", C.with_inserted(C.insertion));
    let run = |args: &[&str]| {
        find(&repository, C.renamed(), &[&["--lang", "c", "--format", "json"], args].concat())
            .stdout
    };
    let without = run(&["--no-cache"]);
    assert!(!without.is_empty());
    for args in [&[][..], &[], &["-j", "1"]] {
        assert_eq!(run(args), without);
    }
}

#[test]
fn the_json_is_valid_by_the_published_schema() {
    let found = find(&tree(C), C.first, &["--lang", "c", "--format", "json"]);
    valid(&String::from_utf8_lossy(&found.stdout), "find");
}

/// A repository whose `first.c` was deleted in a commit, whose id is returned.
fn tree_with_deleted() -> (Repository, String) {
    let repository = tree(C);
    repository.remove("first.c");
    let commit = repository.commit("drop the table");
    (repository, commit)
}

#[test]
fn deleted_code_is_found_in_the_history_with_the_commit_that_deleted_it() {
    let (repository, commit) = tree_with_deleted();
    let args = ["--name", "a.c", "--format", "json"];
    assert_eq!(find(&repository, C.first, &args).status.code(), Some(1));
    let found = json(&find(&repository, C.renamed(), &[&args[..], &["--history"]].concat()));
    let best = &found["results"][0];
    assert_eq!((&best["path"], &best["place"]), (&"first.c".into(), &"past".into()));
    assert_eq!(
        (&best["deletion"]["commit"], &best["containment"]),
        (&commit.as_str().into(), &1.0.into())
    );
    assert!(
        best["text"].as_str().is_some_and(|text| C.first.trim_end().ends_with(text.trim_end())),
        "{best:#}"
    );
    let concise =
        find(&repository, C.first, &["--name", "a.c", "--format", "concise", "--history"]).stdout;
    let expected = format!("deleted in {}", &commit[..10]);
    assert!(
        String::from_utf8_lossy(&concise).contains(&expected),
        "{}",
        String::from_utf8_lossy(&concise)
    );
}

#[test]
fn what_an_older_version_had_and_the_tree_still_has_is_named_once() {
    let repository = tree(C);
    repository.write("first.c", format!("int more;\n{}", C.first));
    repository.commit("one line more");
    repository.write("first.c", format!("int more;\nint again;\n{}", C.first));
    let found =
        json(&find(&repository, C.first, &["--name", "a.c", "--format", "json", "--history"]));
    let places: Vec<&Value> = found["results"]
        .as_array()
        .expect("there are results")
        .iter()
        .map(|found| &found["place"])
        .collect();
    assert_eq!(places, ["tree"], "{found:#}");
}

/// A function whose operators are the bits of `number`.
fn numbered(number: u32) -> String {
    let terms: String =
        (0..8).map(|bit| if number >> bit & 1 == 1 { " * n" } else { " + n" }).collect();
    let calls: String =
        (0..8).map(|bit| if number >> bit & 1 == 1 { "go();\n" } else { "a = 1;\n" }).collect();
    format!("int of_{number}(int n)\n{{\n{calls}return n{terms};\n}}\n")
}

#[test]
fn deleted_files_that_were_not_read_are_told() {
    let repository = tree(C);
    for number in 0..160 {
        repository.write(format!("old{number}.c"), numbered(number));
    }
    repository.commit("numbers");
    for number in 0..160 {
        repository.remove(format!("old{number}.c"));
    }
    repository.commit("drop the numbers");
    let sketch: String = (0..160).map(numbered).collect();
    let file = repository.path(".git/found.json");
    let as_json = format!("json={}", file.display());
    let text = find(&repository, &sketch, &["--name", "a.c", "--history", "--report", &as_json]);
    let written = std::fs::read(file).expect("the report was written");
    let found: Value = serde_json::from_slice(&written).expect("the report is JSON");
    let words = "past files that share less with the sketch than those that were read";
    let told = found["notSearched"].as_str().unwrap_or_default();
    assert!(told.ends_with(words), "{told}");
    let errors = String::from_utf8_lossy(&text.stderr).into_owned();
    assert!(errors.contains(&format!("not searched: {told}")), "{errors}");
    // Of a short sketch, all are read.
    assert!(
        json(&find(&repository, numbered(3), &["--name", "a.c", "--history", "--format", "json"]))
            ["notSearched"]
            .is_null()
    );
}

#[test]
fn older_versions_of_a_past_file_that_were_not_read_are_counted() {
    let repository = tree(C);
    for version in 0..40 {
        repository.write("old.c", format!("{}int version = {version};\n", numbered(7)));
        repository.commit("another version");
    }
    repository.remove("old.c");
    repository.commit("drop it");
    let output =
        find(&repository, numbered(7), &["--name", "a.c", "--history", "--format", "json"]);
    let found: Value = serde_json::from_slice(&output.stdout).expect("the report is JSON");
    assert_eq!(found["results"][0]["path"], "old.c", "{found:#}");
    assert_eq!(found["notSearched"], "8 older versions of past files", "{found:#}");
}

#[test]
fn a_vendored_file_that_names_find_is_named_once_with_its_component() {
    let repository = tree(C);
    repository.write(
        "secondhand.toml",
        "[[vendored]]\npath = \"lib/store\"\nname = \"store\"\nlicense = \"MIT\"\n",
    );
    repository.write("lib/store/expire.c", EXPIRY);
    // By its names alone, and by tokens in a row as well.
    for sketch in [FROM_MEMORY, EXPIRY] {
        let found = json(&find(&repository, sketch, &["--name", "a.c", "--format", "json"]));
        let results = found["results"].as_array().expect("there are results");
        let named: Vec<&Value> = results.iter().map(|found| &found["path"]).collect();
        let n_named = named.iter().filter(|path| **path == "lib/store/expire.c").count();
        assert_eq!((named[0], n_named), (&"lib/store/expire.c".into(), 1), "{found:#}");
        assert_eq!(
            (&results[0]["place"], &results[0]["component"]["name"]),
            (&"component".into(), &"store".into())
        );
        assert_eq!(results[0]["component"]["license"], "MIT");
    }
}

/// A function, and what somebody who remembers it wrote: no sixteen tokens in a row are alike.
const EXPIRY: &str = "long long key_expires_at(struct database *db, struct key *key)\n{\n    struct entry *entry;\n\n    \
                      if (table_size(db->expires) == 0 || (entry = table_find(db->expires, key->name)) == NULL)\n        \
                      return -1;\n    return entry_number(entry);\n}\n";
const FROM_MEMORY: &str = "static int is_expired(struct database *db, struct key *key, long long now)\n{\n    struct \
                           entry *entry = table_find(db->expires, key->name);\n    if (entry == NULL) return 0;\n    \
                           return entry_number(entry) < now;\n}\n";

#[test]
fn a_sketch_written_from_memory_is_found_by_its_names() {
    let (repository, sketch) = (tree(C), FROM_MEMORY);
    repository.write("expire.c", EXPIRY);
    for cache in ["cold", "warm"] {
        let found = json(&find(&repository, sketch, &["--name", "a.c", "--format", "json"]));
        assert_eq!(found["results"][0]["path"], "expire.c", "{cache}: {found:#}");
        assert_eq!(found["results"][0]["function"], "key_expires_at");
    }
    let others = sketch
        .replace("table_find", "heap_pop")
        .replace("expires", "heat")
        .replace("entry", "slot");
    let others = others.replace("database", "oven").replace("key", "tray");
    let others = others.replace("is_expired", "is_warm").replace("number", "heat");
    assert_eq!(
        find(&repository, &others, &["--name", "a.c"]).status.code(),
        Some(1),
        "other names are other code"
    );
}

/// A function, and one with the same purpose: other names, other statements.
const SPLITTER: &str = "/* Splits a header into its items; commas in quotes do not count. */\nint split_header_items(const \
                        char *header, struct list *items)\n{\n    const char *start = header;\n    int quoted = 0;\n    \
                        for (; *header; header++) {\n        if (*header == '\"')\n            quoted = !quoted;\n        \
                        else if (*header == ',' && !quoted) {\n            list_append(items, start, header - start);\n            \
                        start = header + 1;\n        }\n    }\n    if (quoted)\n        return \
                        report_error(\"unbalanced quotes in a header\");\n    return list_append(items, start, header - \
                        start);\n}\n";
const REWRITTEN: &str = "static int parse_comma_list(char *text, struct list *out)\n{\n    char *item;\n\n    while ((item = \
                         next_unquoted(&text, ',')) != NULL)\n        list_append(out, item, strlen(item));\n    if (text == \
                         NULL)\n        report_error(\"unbalanced quotes in a header\");\n    return 0;\n}\n";

#[test]
fn a_function_written_anew_is_found_by_its_words_and_what_agrees_is_named() {
    let repository = tree(C);
    repository.write("split.c", SPLITTER);
    for cache in ["cold", "warm"] {
        let found = json(&find(&repository, REWRITTEN, &["--name", "a.c", "--format", "json"]));
        let best = &found["results"][0];
        assert_eq!(
            (&best["function"], &best["cloneType"]),
            (&"split_header_items".into(), &"type-4".into()),
            "{cache}"
        );
        assert_eq!(
            best["agrees"]["calls"],
            serde_json::json!(["list_append", "report_error"]),
            "{best:#}"
        );
        assert_eq!(
            best["agrees"]["says"],
            serde_json::json!(["\"unbalanced quotes in a header\""])
        );
    }
    let concise = find(&repository, REWRITTEN, &["--name", "a.c", "--format", "concise"]).stdout;
    let line = String::from_utf8_lossy(&concise).into_owned();
    assert!(
        line.contains("% of its words: calls list_append, report_error; says \"unbalanced quotes"),
        "{line}"
    );
}

#[test]
fn a_name_a_signature_a_comment_and_plain_words_are_sketches() {
    let repository = tree(C);
    repository.write("split.c", SPLITTER);
    let sketches = [
        "splitHeaderItem",
        "int header_items(const char *header);",
        "/* splits headers at commas */",
    ];
    for sketch in sketches.into_iter().chain(["split a header into items"]) {
        let found = json(&find(&repository, sketch, &["--format", "json"]));
        assert_eq!(found["results"][0]["function"], "split_header_items", "{sketch}: {found:#}");
        if !sketch.starts_with('/') {
            let found =
                Report::new(&mut repository.secondhand(&["find", sketch, "--format", "json"]));
            assert_eq!(found.list("/results")[0]["function"], "split_header_items", "{sketch}");
        }
    }
    let nothing = find(&repository, "invoice", &[]);
    assert_eq!(nothing.status.code(), Some(1), "{}", String::from_utf8_lossy(&nothing.stdout));
}

#[test]
fn less_effort_finds_whole_copies_and_says_what_it_is() {
    let repository = tree(C);
    let found = |effort: &str| {
        json(&find(
            &repository,
            C.first,
            &["--name", "a.c", "--format", "json", "--effort", effort],
        ))
    };
    let full = found("full");
    for effort in ["rounds", "window:8", "smallest:4"] {
        let less = found(effort);
        assert_eq!((&less["effort"], &less["results"]), (&effort.into(), &full["results"]));
    }
    let text = find(&repository, C.first, &["--name", "a.c", "--effort", "window:200"]);
    assert!(
        !String::from_utf8_lossy(&text.stdout).contains("type-1"),
        "no window of the sketch is as wide"
    );
    let expected = "searched with `--effort window:200`";
    let words =
        String::from_utf8_lossy(&text.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(expected), "{words}");
    check_error(&find(&repository, C.first, &["--effort", "some"]), "expected `full`");
}
