//! Code that an earlier commit deleted comes back: found with `--history`, and told from what still
//! stands.

use crate::samples::{File, LANGUAGES, Language};
use support::{Report, Repository};

/// A repository whose last commit but one took `first` away from a file; returns that commit, too.
fn with_deleted(language: &Language) -> (Repository, File, String) {
    let repository = Repository::new();
    let store = language.file("store", &[language.first, language.second]);
    commit(&repository, &[&store]);
    commit(&repository, &[&language.file("other", &[language.third])]);
    let deleting = commit(&repository, &[&language.file("store", &[language.second])]);
    (repository, store, deleting)
}

fn commit(repository: &Repository, files: &[&File]) -> String {
    for file in files {
        repository.write(&file.path, &file.text);
    }
    repository.commit("change")
}

#[track_caller]
fn check(repository: &Repository, findings: &[String]) -> Report {
    let report = repository.check(&["--base", "HEAD~1", "--history", "--fail-on", "error"]);
    assert_eq!(report.findings(), findings, "the findings");
    let rules = report
        .list("/findings")
        .iter()
        .map(|finding| finding["rule"].as_str().expect("it has a rule"));
    for (rule, finding) in rules.zip(findings) {
        assert_eq!(rule, if finding.starts_with("note") { "revived-code" } else { "copied-code" });
    }
    report
}

fn revived(place: &str, clone_type: &str, origin: &str) -> String {
    format!("note {place} <- {clone_type} {origin}")
}

#[test]
fn code_that_was_deleted_in_an_earlier_commit_and_comes_back_is_revived() {
    for language in LANGUAGES {
        let (repository, store, deleting) = with_deleted(language);
        let new = language.file("new", &[language.first]);
        commit(&repository, &[&new]);
        let expected = [revived(&new.at(language.first), "type-1", &store.at(language.first))];
        let report = check(&repository, &expected);
        let message = report.list("/findings")[0]["message"].as_str().expect("it has a message");
        assert!(message.ends_with(&format!("deleted in {}", &deleting[..10])), "{message}");
        assert_eq!(
            repository.check(&["--base", "HEAD~1"]).findings(),
            [""; 0],
            "nobody asked for history"
        );
        check(&repository, &expected);
    }
}

#[test]
fn a_deleted_file_that_comes_back_under_another_name_is_revived() {
    for language in LANGUAGES {
        let repository = Repository::new();
        let old = language.file("old", &[language.first]);
        commit(&repository, &[&old, &language.file("other", &[language.third])]);
        repository.remove(&old.path);
        let deleting = repository.commit("delete");
        let new = language.file("new", &[&language.renamed()]);
        commit(&repository, &[&new]);
        let expected = revived(&new.at(&language.renamed()), "type-2", &old.at(language.first));
        let report = check(&repository, &[expected]);
        let message = report.list("/findings")[0]["message"].as_str().expect("it has a message");
        assert!(message.contains(&deleting[..10]), "{message}");
    }
}

#[test]
fn code_that_still_stands_is_copied_not_revived() {
    for language in LANGUAGES {
        let (repository, _, _) = with_deleted(language);
        let moved = language.file("moved", &[language.first]);
        commit(&repository, &[&moved]);
        let new = language.file("new", &[language.first]);
        commit(&repository, &[&new]);
        let report = repository.check(&["--base", "HEAD~1", "--history"]);
        let expected =
            format!("warning {} <- type-1 {}", new.at(language.first), moved.at(language.first));
        assert!(report.findings()[0].starts_with(&expected), "{:?}", report.findings());
        assert_eq!(report.list("/findings")[0]["rule"], "copied-code");
    }
}

#[test]
fn code_that_comes_back_is_revived_although_the_tree_has_some_of_it() {
    for language in LANGUAGES {
        let repository = Repository::new();
        let all = format!("{}\n{}", language.first, language.second);
        let store = language.file("store", &[language.third, &all]);
        commit(&repository, &[&store, &language.file("other", &[language.first])]);
        let deleting = commit(&repository, &[&language.file("store", &[language.third])]);
        let new = language.file("new", &[&all]);
        commit(&repository, &[&new]);
        let report = repository.check(&["--base", "HEAD~1", "--history"]);
        let of_rule = |rule: &str| -> Vec<u64> {
            let of = report.list("/findings").iter().filter(|finding| finding["rule"] == rule);
            of.map(|finding| finding["fragment"]["startLine"].as_u64().expect("it has lines"))
                .collect()
        };
        assert_eq!(of_rule("copied-code").len(), 1, "{:?}", report.findings());
        assert!(!of_rule("revived-code").is_empty(), "{:?}", report.findings());
        let origins = report
            .list("/findings")
            .iter()
            .flat_map(|finding| finding["origins"].as_array().expect("a list"));
        let mut origins = origins.filter_map(|origin| origin["deletion"]["commit"].as_str());
        assert!(origins.any(|commit| commit == deleting), "{:?}", report.findings());
    }
}

#[test]
fn a_revert_of_a_deletion_is_a_note_at_most_and_names_the_commit() {
    let language = &LANGUAGES[0];
    let (repository, store, deleting) = with_deleted(language);
    repository.git(&["revert", "--no-edit", &deleting]);
    let report =
        repository.check(&["--base", "HEAD~1", "--history", "--set", "rules.revived-code=error"]);
    assert_eq!(
        report.findings(),
        [revived(&store.at(language.first), "type-1", &store.at(language.first))]
    );
    let message = report.list("/findings")[0]["message"].as_str().expect("it has a message");
    assert!(message.contains(&deleting[..10]), "{message}");
    assert_eq!(report.status, 0, "a revert does not fail a run");
}

#[test]
fn a_message_alone_makes_no_revert() {
    let language = &LANGUAGES[0];
    let (repository, _, deleting) = with_deleted(language);
    let elsewhere = language.file("elsewhere", &[language.first]);
    repository.write(&elsewhere.path, &elsewhere.text);
    repository.commit(&format!("new thing\n\nThis reverts commit {deleting}."));
    let report =
        repository.check(&["--base", "HEAD~1", "--history", "--set", "rules.revived-code=error"]);
    assert_eq!(report.status, 1, "{:?}", report.findings());
}

#[test]
fn what_came_and_went_in_one_change_is_no_state_to_go_back_to() {
    let language = &LANGUAGES[0];
    let repository = Repository::new();
    let store = language.file("store", &[language.first, language.second]);
    let (plain, grown) = (
        language.file("own", &[language.third]),
        language.file("own", &[language.third, language.first]),
    );
    commit(&repository, &[&store, &plain]);
    // Landed by a rebase: each commit is one of the main branch.
    commit(&repository, &[&grown]);
    commit(&repository, &[&plain]);
    for _ in 0..3 {
        repository.git(&["commit", "--quiet", "--allow-empty", "--message", "later"]);
    }
    commit(&repository, &[&grown]);
    let report = repository.check(&["--base", "HEAD~1"]);
    assert_eq!((report.list("/findings").len(), report.status), (1, 1), "{:?}", report.findings());
    // What stood before all that may come back, whatever else changes.
    let more = language.file("own", &[language.third, language.first, "int more;\n"]);
    for back in [&grown, &more] {
        let repository = Repository::new();
        commit(&repository, &[&store, &grown]);
        commit(&repository, &[&language.file("other", &["int unrelated;\n"])]);
        commit(&repository, &[&plain]);
        commit(&repository, &[back]);
        let report = repository.check(&["--base", "HEAD~1"]);
        let found = (report.list("/findings").len(), report.status);
        assert_eq!(found, (1, 0), "{:?}", report.findings());
    }
}

#[test]
fn what_was_moved_and_is_brought_back_is_there_twice() {
    let language = &LANGUAGES[0];
    let store = language.file("store", &[language.first]);
    let moved = [
        language.file("moved", &[language.first]),
        language.file("moved", &[&language.with_changed()]),
        language.file("moved", &[language.third, language.first]),
    ];
    for moved in moved {
        let repository = Repository::new();
        commit(&repository, &[&store, &language.file("own", &[language.second])]);
        repository.remove(&store.path);
        commit(&repository, &[&moved]);
        assert_eq!(repository.check(&["--base", "HEAD~1"]).status, 0, "a move");
        commit(&repository, &[&store]);
        let report = repository.check(&["--base", "HEAD~1"]);
        assert_eq!(report.status, 1, "{:?}", report.findings());
    }
}

#[test]
fn code_that_the_change_itself_moves_is_nothing() {
    let language = &LANGUAGES[0];
    let repository = Repository::new();
    commit(&repository, &[&language.file("store", &[language.first, language.second])]);
    commit(
        &repository,
        &[&language.file("store", &[language.second]), &language.file("new", &[language.first])],
    );
    check(&repository, &[]);
}

#[test]
fn code_that_was_edited_away_long_ago_is_found_in_its_last_version() {
    let language = &LANGUAGES[0];
    let repository = Repository::new();
    let changed = language.with_changed();
    for text in [&language.with_deleted(), language.first, &changed] {
        commit(&repository, &[&language.file("store", &[text, language.second])]);
    }
    let deleting = commit(&repository, &[&language.file("store", &[language.second])]);
    commit(&repository, &[&language.file("store", &[language.second, language.third])]);
    let new = language.file("new", &[&changed]);
    commit(&repository, &[&new]);
    let old = language.file("store", &[&changed, language.second]);
    let report = check(&repository, &[revived(&new.at(&changed), "type-1", &old.at(&changed))]);
    let message = report.list("/findings")[0]["message"].as_str().expect("it has a message");
    assert!(message.contains(&deleting[..10]), "{message}");
}

#[test]
fn the_index_of_a_branch_says_nothing_of_another() {
    let language = &LANGUAGES[0];
    let (repository, store, _) = with_deleted(language);
    let new = language.file("new", &[language.first]);
    commit(&repository, &[&new]);
    check(&repository, &[revived(&new.at(language.first), "type-1", &store.at(language.first))]);
    repository.git(&["checkout", "--quiet", "--orphan", "apart"]);
    repository.git(&["rm", "--quiet", "-r", "--force", "."]);
    commit(&repository, &[&language.file("other", &[language.third])]);
    commit(&repository, &[&new]);
    check(&repository, &[]);
}

#[test]
fn staged_code_is_compared_with_the_past_too() {
    let language = &LANGUAGES[0];
    let (repository, store, _) = with_deleted(language);
    let new = language.file("new", &[language.first]);
    repository.write(&new.path, &new.text);
    repository.stage();
    let report = repository.check(&["--staged", "--history"]);
    assert_eq!(
        report.findings(),
        [revived(&new.at(language.first), "type-1", &store.at(language.first))]
    );
}

#[test]
fn a_shallow_clone_says_what_history_it_does_not_have() {
    let language = &LANGUAGES[0];
    let (repository, _, _) = with_deleted(language);
    commit(&repository, &[&language.file("new", &[language.first])]);
    let clone = tempfile::TempDir::new().expect("the folder for temporary files is writable");
    let url = format!("file://{}", repository.root().display());
    support::git(clone.path(), &["clone", "--quiet", "--depth", "2", &url, "."]);
    let args = ["check", "--base", "HEAD~1", "--history"];
    let output = support::secondhand(clone.path(), &args).output().expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("the history before this shallow clone begins"), "{errors}");
    assert_eq!(output.status.code(), Some(0), "{errors}");
}
