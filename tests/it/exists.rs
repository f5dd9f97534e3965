//! Shows when a new function is said to exist already, in other words.

use crate::samples::LANGUAGES;
use serde_json::Value;
use support::Repository;

/// A function of a tree.
pub const EXISTING: &str = "\
/* Writes the entries of a cache to a file, the oldest first; an expired entry is left out. */
int save_cache_entries(struct cache *cache, const char *path)
{
    FILE *file = fopen(path, \"wb\");
    if (file == NULL)
        return report_error(\"cannot write the cache\", path);
    for (struct entry *entry = cache->oldest; entry; entry = entry->newer) {
        if (entry_is_expired(entry, cache->now))
            continue;
        write_entry(file, entry);
    }
    return fclose(file);
}
";

/// What somebody wrote who did not know it.
pub const ANEW: &str = "\
/* Dumps a cache into a file, from the oldest entry on. */
static int dump_cache(const char *path, struct cache *cache)
{
    struct entry *entry = cache->oldest;
    FILE *out;

    if (!(out = fopen(path, \"wb\")))
        return report_error(\"cannot write the cache\", path);
    while (entry != NULL) {
        if (!entry_is_expired(entry, cache->now))
            write_entry(out, entry);
        entry = entry->newer;
    }
    fclose(out);
    return 0;
}
";

/// What does something else.
const OTHER: &str = "\
static int count_routes(const struct router *router, unsigned mask)
{
    int total = 0;
    for (unsigned hop = 0; hop < router->n_hops; hop++) {
        unsigned address = router->hops[hop] & mask;
        if (address != router->gateway)
            total += route_cost(router, address);
    }
    return total;
}
";

/// A repository with the function and others, and its commit.
fn tree() -> (Repository, String) {
    let repository = Repository::new();
    for (number, language) in LANGUAGES.iter().enumerate() {
        for (name, part) in
            [("first", language.first), ("second", language.second), ("third", language.third)]
        {
            repository.write(
                language.path(&format!("{name}{number}")),
                language.file(name, &[part]).text,
            );
        }
    }
    repository.write("src/cache.c", EXISTING);
    let base = repository.commit("before");
    (repository, base)
}

/// The findings of a change that writes `text` to `path`.
#[track_caller]
fn findings(path: &str, text: &str, settings: &str) -> Vec<Value> {
    let (repository, base) = tree();
    repository.write("secondhand.toml", settings);
    repository.write(path, text);
    repository.commit("a change");
    let check = || repository.check(&["--base", &base]).list("/findings").to_vec();
    let cold = check();
    assert_eq!(cold, check(), "with a warm cache");
    cold
}

/// The rules of the findings of a change.
#[track_caller]
fn rules(path: &str, text: &str, settings: &str) -> Vec<String> {
    findings(path, text, settings)
        .iter()
        .map(|of| of["rule"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn a_function_written_anew_is_a_note_that_names_the_existing_one_and_what_agrees() {
    let found = findings("src/dump.c", ANEW, "");
    assert_eq!(found.len(), 1, "{found:#?}");
    let finding = &found[0];
    assert_eq!((&finding["rule"], &finding["level"]), (&"exists-already".into(), &"note".into()));
    let lines = (&finding["fragment"]["startLine"], &finding["fragment"]["endLine"]);
    assert_eq!(lines, (&2.into(), &16.into()));
    let origin = &finding["origins"][0];
    assert_eq!(
        (&origin["path"], &origin["fragment"]["startLine"]),
        (&"src/cache.c".into(), &2.into())
    );
    let message = finding["message"].as_str().unwrap_or_default();
    let expected = "may exist already as save_cache_entries at src/cache.c:2: calls ";
    assert!(message.starts_with(expected) && message.contains("entry_is_expired"), "{message}");
    assert!(message.contains("says \"cannot write the cache\""), "{message}");
}

#[test]
fn a_function_that_calls_the_existing_one_is_none() {
    let call = "    if (save_cache_entries(cache, path) == 0)\n        return 0;\n    while (entry";
    let calling = ANEW.replace("    while (entry", call);
    assert_eq!(rules("src/dump.c", &calling, ""), Vec::<String>::new());
}

#[test]
fn a_function_with_other_words_is_none() {
    assert_eq!(rules("src/router.c", OTHER, ""), Vec::<String>::new());
}

#[test]
fn a_copy_is_a_copy_and_no_function_written_anew() {
    assert_eq!(
        rules("src/copy.c", &EXISTING.replace("save_cache_entries", "save_all"), ""),
        ["copied-code"]
    );
}

#[test]
fn a_test_and_a_function_that_was_edited_are_none() {
    assert_eq!(rules("tests/dump.c", ANEW, ""), Vec::<String>::new());
    let edited = ANEW.replace("dump_cache", "save_cache_entries");
    assert_eq!(rules("src/cache.c", &edited, ""), Vec::<String>::new());
}

#[test]
fn the_rule_can_be_off() {
    assert_eq!(
        rules("src/dump.c", ANEW, "[rules]\nexists-already = \"off\"\n"),
        Vec::<String>::new()
    );
}
