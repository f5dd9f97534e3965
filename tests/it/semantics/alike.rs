//! Shows that code which a change inserts into places that were alike is told, and under which
//! rule.

use super::{check as check_change, copy};
use crate::samples::{File, LANGUAGES, Language, inserted_after};
use support::Repository;

/// Checks the findings of the last `n_commits`: each with its rule and level.
#[track_caller]
fn check_rules(repository: &Repository, n_commits: usize, expected: &[&str]) {
    let report = repository.check(&["--base", &format!("HEAD~{n_commits}")]);
    let findings = report.list("/findings").iter();
    let named = findings.map(|finding| {
        let word = |key: &str| finding[key].as_str().expect("it is a text").to_owned();
        format!("{} {} {}", word("level"), word("rule"), word("path"))
    });
    assert_eq!(named.collect::<Vec<_>>(), expected);
}

/// The first function of `language` with more than 60 tokens inserted, and these.
fn large_insertion(language: &Language) -> (String, String) {
    let Language { first, anchor, piece, insertion, .. } = language;
    let piece = format!("{insertion}{piece}");
    (inserted_after(first, anchor, &piece), piece)
}

/// Two states of two files of Python, each a commit.
fn python(before: [&str; 2], after: [&str; 2]) -> Repository {
    let repository = Repository::new();
    for texts in [before, after] {
        repository.write("one.py", texts[0]);
        repository.write("two.py", texts[1]);
        repository.commit("a state");
    }
    repository
}

#[test]
fn the_same_code_inserted_into_both_members_of_an_old_clone_is_a_finding() {
    for language in LANGUAGES {
        let Language { first, third, .. } = language;
        let (edited, piece) = large_insertion(language);
        let (one, two) = (language.file("one", &[first]), language.file("two", &[first, third]));
        let (one_edited, two_edited) =
            (language.file("one", &[&edited]), language.file("two", &[&edited, third]));
        let finding = copy(&two_edited.at(&piece), "type-1", &one_edited.at(&piece));
        check_change(&[&one, &two], &[&one_edited, &two_edited], &[finding]);
    }
}

#[test]
fn the_same_code_inserted_into_two_members_in_one_file_is_a_finding() {
    for language in LANGUAGES {
        let Language { first, third, .. } = language;
        let (edited, piece) = large_insertion(language);
        let store = language.file("store", &[first, third, first]);
        let after = language.file("store", &[&edited, third, &edited]);
        check_change(
            &[&store],
            &[&after],
            &[copy(&after.nth(2, &piece), "type-1", &after.at(&piece))],
        );
    }
}

#[test]
fn of_three_members_the_later_two_name_the_others() {
    for language in LANGUAGES {
        let (first, (edited, piece)) = (language.first, large_insertion(language));
        let [a, b, c] = ["a", "b", "c"].map(|name| language.file(name, &[first]));
        let [a_edited, b_edited, c_edited] =
            ["a", "b", "c"].map(|name| language.file(name, &[&edited]));
        let at = |file: &File| file.at(&piece);
        let second = copy(&at(&b_edited), "type-1", &at(&a_edited));
        let third =
            format!("{}, type-1 {}", copy(&at(&c_edited), "type-1", &at(&a_edited)), at(&b_edited));
        check_change(&[&a, &b, &c], &[&a_edited, &b_edited, &c_edited], &[second, third]);
    }
}

#[test]
fn a_pair_that_moved_is_a_pair_all_the_same() {
    for language in LANGUAGES {
        let Language { first, third, .. } = language;
        let (edited, piece) = large_insertion(language);
        let (one, two) =
            (language.file("old/one", &[first]), language.file("old/two", &[first, third]));
        let (one_edited, two_edited) =
            (language.file("new/one", &[&edited]), language.file("new/two", &[&edited, third]));
        let finding = copy(&two_edited.at(&piece), "type-1", &one_edited.at(&piece));
        check_change(&[&one, &two], &[&one_edited, &two_edited], &[finding]);
    }
}

const LOADER: &str = r#"class Loader:
    def __init__(self, path, encoding):
        self.path = path
        self.encoding = encoding
        self.rows = []

    def open(self):
        if not self.path.exists():
            raise LookupError(f"no such file: {self.path}")
        return self.path.open(encoding=self.encoding)
"#;

/// A method of `LOADER`, of fewer than 60 tokens.
const METHOD: &str = r#"
    def load(self):
        with self.open() as lines:
            for number, line in enumerate(lines):
                fields = line.strip().split(",")
                if len(fields) != WIDTH:
                    raise ValueError(number)
                self.rows.append(fields)
"#;

#[test]
fn a_method_pasted_into_two_alike_classes_is_a_warning() {
    let twin = LOADER.replace("Loader", "Reader");
    let repository =
        python([LOADER, &twin], [&(LOADER.to_owned() + METHOD), &(twin.clone() + METHOD)]);
    check_rules(&repository, 1, &["warning edited-alike two.py"]);
}

/// Statements of 40 to 60 tokens for the body of `open`.
const GUARD: &str = r#"        size = self.path.stat().st_size
        if size > self.limits.largest(self.path.suffix):
            self.journal.refuse(self.path, size)
            raise OverflowError(self.path.name)
"#;

#[test]
fn a_short_block_inserted_into_two_alike_functions_is_a_note() {
    let edited = |text: &str| text.replace("        return", &format!("{GUARD}        return"));
    let twin = LOADER.replace("Loader", "Reader");
    let repository = python([LOADER, &twin], [&edited(LOADER), &edited(&twin)]);
    check_rules(&repository, 1, &["note edited-alike two.py"]);
}

#[test]
fn two_stubs_filled_in_alike_are_a_finding() {
    let named = |name: &str| LOADER.replace("Loader", name);
    let stub =
        |name: &str| named(name) + "\n    def load(self):\n        raise NotImplementedError\n";
    let full = |name: &str| named(name) + METHOD + GUARD;
    let repository = python([&stub("Loader"), &stub("Reader")], [&full("Loader"), &full("Reader")]);
    check_rules(&repository, 1, &["warning edited-alike two.py"]);
}

#[test]
fn two_tables_do_not_excuse_the_functions_that_replace_them() {
    let table = |name: &str| {
        (0..9).map(|at| format!("export({name}_{at}, first_{at})\n")).collect::<String>()
    };
    let code = |name: &str| LOADER.replace("Loader", name) + METHOD;
    let repository = python([&table("load"), &table("read")], [&code("Loader"), &code("Reader")]);
    check_rules(&repository, 1, &["warning copied-code two.py"]);
}

#[test]
fn a_range_tells_what_its_commits_tell() {
    let twin = LOADER.replace("Loader", "Reader");
    let repository = python([LOADER, &twin], [&(LOADER.to_owned() + METHOD), &twin]);
    repository.write("two.py", &(twin + METHOD));
    repository.commit("the other");
    check_rules(&repository, 1, &["warning copied-code two.py"]);
    check_rules(&repository, 2, &["warning edited-alike two.py"]);
}

/// Two files that got the same `n` functions before, the second one later; then both another one.
fn kept_in_step(n: usize) -> Repository {
    let Language { first, second, third, .. } =
        LANGUAGES.iter().find(|language| language.extension == "py").expect("it is a sample");
    let mut texts = [LOADER.to_owned(), LOADER.replace("Loader", "Reader")];
    let repository = python([&texts[0], &texts[1]], [&texts[0], &texts[1]]);
    for (edit, function) in [first, second, third].into_iter().take(n + 1).enumerate() {
        for (text, path) in texts.iter_mut().zip(["one.py", "two.py"]) {
            text.push_str(&format!("\n\n{function}"));
            repository.write(path, &*text);
            if edit < n {
                repository.commit("an edit");
            }
        }
    }
    repository.commit("both");
    repository
}

#[test]
fn what_two_files_get_that_were_edited_alike_twice_before_is_a_note() {
    check_rules(&kept_in_step(1), 1, &["warning copied-code two.py"]);
    let repository = kept_in_step(2);
    check_rules(&repository, 1, &["note copied-code two.py"]);
    let report = repository.check(&["--base", "HEAD~1"]);
    let reason = "the two files are kept in step: 2 earlier edits of both are alike";
    assert_eq!(report.list("/findings")[0]["levelReason"], reason);
}

/// A function that is longer than those that two files got before.
const LEDGER: &str = "def balance(ledger, rates, today):
    total = 0
    for entry in ledger.entries:
        if entry.is_void(today):
            continue
        rate = rates.get(entry.currency, 1)
        while entry.parent is not None:
            entry = entry.parent
            rate *= rates.get(entry.currency, 1)
        try:
            total += entry.amount(today) * rate
        except MissingAmount as missing:
            ledger.log.warn(\"no amount\", missing.entry)
            total -= missing.penalty(today)
    if total < 0 and not ledger.may_overdraw:
        raise Overdrawn(ledger, -total)
    for listener in ledger.listeners:
        listener.balance_changed(today, total)
    ledger.remember(today, total)
    return round(total, ledger.digits)
";

#[test]
fn what_is_larger_than_all_that_two_files_got_alike_before_is_no_such_edit() {
    let small = |name: &str| {
        format!(
            "def {name}(entry):\n    value = entry.{name}()\n    entry.record(value, \"{name}\")\n    return value + 1\n"
        )
    };
    let repository = Repository::new();
    let mut text = String::from("import ledgers\n");
    for added in [small("paid"), small("owed"), small("lent"), LEDGER.to_owned()] {
        text.push_str(&format!("\n\n{added}"));
        repository.write("one.py", &text);
        repository.write("two.py", format!("import rates\n{text}"));
        repository.commit("both");
    }
    check_rules(&repository, 1, &["warning copied-code two.py"]);
}
