//! Copies that are one matter: a family is one finding with its places.

use serde_json::Value;

use support::Repository;

/// Functions of a service; `verb` and `names` make their code differ.
fn function(name: &str, verb: &str) -> String {
    format!(
        "int {name}(struct client *client, const char *path)\n{{\n    struct reply reply;\n    if (!client->is_open)\n        \
         return ERR_{verb};\n    for (int n = 0; n < client->n_tries; n++) {{\n        if ({verb}(client, path, &reply) == OK)\n            \
         return reply.{verb}_status;\n        wait_for(client->delay << n);\n    }}\n    log_error(client, \"{verb}\");\n    return -1;\n}}\n"
    )
}

/// A function that has nothing in common with those.
const EVICT: &str = "void evict(struct cache *cache, size_t limit)\n{\n    struct entry *oldest = cache->head;\n    while (cache->n_bytes > limit && oldest) {\n        struct entry *next = oldest->next;\n        if (--oldest->n_users == 0) {\n            cache->n_bytes -= oldest->n_bytes;\n            unlink_entry(cache, oldest);\n            free(oldest->key);\n            free(oldest);\n        }\n        oldest = next;\n    }\n}\n";

/// Other functions of no likeness, in front of and between those that are copied.
const OTHER: &str = "\nstatic unsigned hash(const char *key)\n{\n    unsigned h = 5381;\n    while (*key)\n        h = h * 33 ^ *key++;\n    return h;\n}\n\n";

/// A repository whose last commit turns `before` into `after`.
fn repository(before: &[(&str, &str)], after: &[(&str, &str)]) -> Repository {
    let repository = Repository::new();
    for (files, message) in [(before, "before"), (after, "after")] {
        for (path, text) in files {
            repository.write(path, text);
        }
        repository.commit(message);
    }
    repository
}

/// What a format prints of the last commit, and the exit status.
fn printed(repository: &Repository, format: &str, args: &[&str]) -> (String, Option<i32>) {
    let mut command = repository.secondhand(&["check", "--base", "HEAD~1", "--format", format]);
    let output = command.args(args).output().expect("the program starts");
    (String::from_utf8(output.stdout).expect("it is UTF-8"), output.status.code())
}

/// Two functions of a file that a new file has too, other code between them.
fn two_of_one_file() -> Repository {
    let get = function("fetch_page", "fetch");
    let old = format!("{get}\n{EVICT}");
    // In another order, so that they are no single copy with a gap.
    let new = format!("int first(void);\n{}{OTHER}{get}", EVICT.replace("limit", "most"));
    repository(&[("old.c", &old)], &[("new.c", &new)])
}

fn findings(report: &str) -> Vec<Value> {
    let report: Value = serde_json::from_str(report).expect("it is JSON");
    report["findings"].as_array().expect("it has findings").clone()
}

fn place(of: &Value) -> String {
    format!(
        "{}:{}-{}",
        of["path"].as_str().expect("a path"),
        of["fragment"]["startLine"],
        of["fragment"]["endLine"]
    )
}

#[test]
fn copies_from_the_same_file_are_one_finding_with_its_places() {
    let repository = two_of_one_file();
    let (json, status) = printed(&repository, "json", &[]);
    let found = findings(&json);
    let all: Vec<String> = found.iter().map(place).collect();
    assert_eq!(
        (all, status),
        (vec!["new.c:2-15".to_owned(), "new.c:25-37".to_owned()], Some(1)),
        "{json}"
    );
    assert!(found[0]["identity"] != found[1]["identity"]);
    assert_eq!(found[0]["family"], found[1]["family"]);
    let head = found
        .iter()
        .find(|finding| finding["family"] == finding["identity"])
        .expect("one is the first");
    assert!(
        head["message"]
            .as_str()
            .expect("a message")
            .contains("; 1 more copy from the same file: lines ")
    );
}

#[test]
fn every_place_of_a_family_is_annotated_and_listed() {
    let repository = two_of_one_file();
    let (github, _) = printed(&repository, "github", &[]);
    assert!(github.contains("line=2,") && github.contains("line=25,"), "{github}");
    let (csv, _) = printed(&repository, "csv", &[]);
    assert_eq!(csv.lines().count(), 3, "{csv}");
    let (text, _) = printed(&repository, "text", &[]);
    assert!(text.contains("also new.c:"), "{text}");
    assert!(text.contains("2 new copies: 2 warnings"), "{text}");
    let (sarif, _) = printed(&repository, "sarif", &[]);
    let sarif: Value = serde_json::from_str(&sarif).expect("it is JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 2);
    let texts: Vec<&str> =
        results.iter().filter_map(|result| result["message"]["text"].as_str()).collect();
    let names_other =
        |text: &&str| text.contains("Copied as well: [line") && text.contains("](2) from old.c:");
    assert_eq!(texts.iter().filter(|text| names_other(text)).count(), 1, "{texts:?}");
}

#[test]
fn a_baseline_of_a_family_holds_each_of_its_copies() {
    let repository = two_of_one_file();
    let create =
        repository.secondhand(&["baseline", "create", "--base", "HEAD~1", "--quiet"]).status();
    assert!(create.expect("the program starts").success());
    let (json, status) = printed(&repository, "json", &[]);
    assert_eq!((findings(&json).len(), status), (0, Some(0)), "{json}");
}

#[test]
fn a_family_counts_once_against_the_maximum_of_warnings() {
    let repository = two_of_one_file();
    let (json, status) = printed(&repository, "json", &["--set", "max-warnings=1"]);
    let found = findings(&json);
    assert_eq!(
        (&found[0]["level"], &found[1]["level"], status),
        (&"warning".into(), &"warning".into(), Some(1))
    );
    let (json, status) = printed(&repository, "json", &["--set", "max-warnings=0"]);
    let found = findings(&json);
    assert_eq!(
        (&found[0]["level"], &found[1]["level"], status),
        (&"note".into(), &"note".into(), Some(0))
    );
}

#[test]
fn copies_of_other_files_are_findings_of_their_own() {
    let (get, put) = (function("fetch_page", "fetch"), function("store_page", "store_all"));
    let new = format!("int first(void);\n{get}{OTHER}{put}");
    let put = put.replace("log_error(client", "warn(client->name");
    let repository = repository(&[("a.c", &get), ("b.c", &put)], &[("new.c", &new)]);
    let (json, _) = printed(&repository, "json", &[]);
    let mut from: Vec<String> = findings(&json)
        .iter()
        .map(|finding| finding["origins"][0]["path"].as_str().expect("a path").to_owned())
        .collect();
    from.sort();
    assert_eq!(from, ["a.c", "b.c"], "{json}");
}
