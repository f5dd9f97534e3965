//! Shows that edits in and beside code that base already had twice are no copies.

use crate::repository::Repository;
use crate::samples::{File, LANGUAGES, Language, inserted_after};
use crate::{check as check_change, copy};

/// Checks that the change is nothing.
#[track_caller]
fn check(before: &[&File], after: &[&File]) {
    check_change(before, after, &[]);
}

/// Two files that hold the first function of `language` both.
fn clones(language: &Language) -> (File, File) {
    let Language { first, second, .. } = language;
    (language.file("one", &[first]), language.file("two", &[first, second]))
}

#[test]
fn an_untouched_clone_is_nothing() {
    for language in LANGUAGES {
        let (one, two) = clones(language);
        check(&[&one, &two], &[&one, &two, &language.file("new", &[language.third])]);
    }
}

#[test]
fn an_edit_beside_a_clone_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, insertion, .. } = language;
        let (one, two) = clones(language);
        check(&[&one, &two], &[&one, &language.file("two", &[third, first, second])]);
        check(&[&one, &two], &[&one, &language.file("two", &[first, third, second])]);
        check(&[&one, &two], &[&one, &language.file("two", &[insertion, first, second])]);
        check(&[&one, &two], &[&one, &language.file("two", &[first, insertion, second])]);
    }
}

#[test]
fn an_edit_of_a_few_tokens_inside_a_clone_is_nothing() {
    for language in LANGUAGES {
        let Language { second, insertion, .. } = language;
        let (one, two) = clones(language);
        for edited in [language.with_inserted(insertion), language.with_changed(), language.with_deleted()] {
            check(&[&one, &two], &[&one, &language.file("two", &[&edited, second])]);
        }
    }
}

#[test]
fn an_edit_of_many_tokens_inside_a_clone_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, anchor, piece, .. } = language;
        let (one, two) = (language.file("one", &[first]), language.file("two", &[first, third]));
        assert!(second.contains(piece), "it stands in no file here");
        let edited = language.file("two", &[&inserted_after(first, anchor, piece), third]);
        check(&[&one, &two], &[&one, &edited]);
    }
}

#[test]
fn new_code_pasted_beside_an_old_clone_from_beside_its_other_member_is_a_finding() {
    for language in LANGUAGES {
        let Language { first, second, .. } = language;
        let (one, two) = (language.file("one", &[first]), language.file("two", &[first, second]));
        let pasted = language.file("one", &[first, second]);
        let finding = copy(&pasted.at(second), "type-1", &two.at(second));
        check_change(&[&one, &two], &[&pasted, &two], &[finding]);
    }
}

#[test]
fn an_edit_that_makes_the_members_of_an_old_clone_alike_again_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, insertion, .. } = language;
        let one = language.file("one", &[&language.with_inserted(insertion)]);
        let two = language.file("two", &[first, second]);
        check(&[&one, &two], &[&one, &language.file("two", &[&language.with_inserted(insertion), second])]);
    }
}

#[test]
fn a_large_edit_copied_from_the_other_member_of_an_old_clone_is_a_finding() {
    for language in LANGUAGES {
        let Language { first, third, anchor, piece, .. } = language;
        let edited = inserted_after(first, anchor, piece);
        let (one, two) = (language.file("one", &[&edited]), language.file("two", &[third, first]));
        let pasted = language.file("two", &[third, &edited]);
        check_change(&[&one, &two], &[&one, &pasted], &[copy(&pasted.at(piece), "type-1", &one.at(piece))]);
    }
}

#[test]
fn statements_of_a_clone_put_in_another_order_are_nothing() {
    for language in LANGUAGES {
        let Language { second, third, statement, opening, .. } = language;
        let (one, two) = clones(language);
        let moved = inserted_after(&language.with_deleted(), opening, statement.0);
        assert!(!third.contains(statement.0));
        check(&[&one, &two], &[&one, &language.file("two", &[&moved, second])]);
    }
}

#[test]
fn a_paste_beside_the_same_edit_of_both_members_is_a_finding() {
    for language in LANGUAGES {
        let (one, two) = clones(language);
        let edited = language.with_inserted(language.insertion);
        let one_edited = language.file("one", &[&edited]);
        let two_edited = language.file("two", &[&edited, language.second]);
        let new = language.file("zero", &[&edited]);
        let finding = copy(&new.at(&edited), "type-1", &one_edited.at(&edited));
        let finding = format!("{finding}, type-1 {}", two_edited.at(&edited));
        check_change(&[&one, &two], &[&one_edited, &two_edited, &new], &[finding]);
    }
}

#[test]
fn the_same_edit_made_to_both_members_of_an_old_clone_is_nothing() {
    for language in LANGUAGES {
        let Language { second, insertion, .. } = language;
        let (one, two) = clones(language);
        for edited in [language.with_inserted(insertion), language.with_changed(), language.renamed()] {
            check(&[&one, &two], &[&language.file("one", &[&edited]), &language.file("two", &[&edited, second])]);
        }
    }
}

#[test]
fn the_same_large_edit_made_to_both_members_of_an_old_clone_is_nothing() {
    for language in LANGUAGES {
        let Language { first, third, anchor, piece, .. } = language;
        let (one, two) = (language.file("one", &[first]), language.file("two", &[first, third]));
        let edited = inserted_after(first, anchor, piece);
        check(&[&one, &two], &[&language.file("one", &[&edited]), &language.file("two", &[&edited, third])]);
    }
}

#[test]
fn the_same_large_edit_made_to_two_members_in_one_file_is_nothing() {
    for language in LANGUAGES {
        let Language { first, third, anchor, piece, .. } = language;
        let edited = inserted_after(first, anchor, piece);
        let store = language.file("store", &[first, third, first]);
        check(&[&store], &[&language.file("store", &[&edited, third, &edited])]);
    }
}

#[test]
fn the_same_large_edit_made_to_three_members_of_an_old_clone_is_nothing() {
    for language in LANGUAGES {
        let Language { first, anchor, piece, .. } = language;
        let edited = inserted_after(first, anchor, piece);
        let named = |name| (language.file(name, &[first]), language.file(name, &[&edited]));
        let ((a, a_edited), (b, b_edited), (c, c_edited)) = (named("a"), named("b"), named("c"));
        check(&[&a, &b, &c], &[&a_edited, &b_edited, &c_edited]);
    }
}

#[test]
fn a_change_that_only_deletes_is_nothing() {
    for language in LANGUAGES {
        let (one, two) = clones(language);
        check(&[&one, &two], &[&language.file("two", &[language.first])]);
    }
}

#[test]
fn a_copy_added_by_one_commit_of_the_range_and_removed_by_a_later_one_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let (store, other) = (language.file("store", &[first, second]), language.file("other", &[third]));
        let pasted = language.file("other", &[third, first]);
        let repository = Repository::new();
        repository.write(&store.path, &store.text);
        repository.write(&other.path, &other.text);
        repository.commit("before");
        repository.write(&pasted.path, &pasted.text);
        repository.commit("paste");
        repository.write(&other.path, &other.text);
        repository.write(language.path("notes"), "");
        repository.commit("take it back");
        let of_the_range = repository.check(&["--base", "HEAD~2"]);
        assert_eq!((of_the_range.findings(), of_the_range.status), (vec![], 0));
        let of_the_first = repository.check(&["--base", "HEAD~2", "--head", "HEAD~1"]);
        let finding = copy(&pasted.at(first), "type-1", &store.at(first));
        assert_eq!((of_the_first.findings(), of_the_first.status), (vec![finding], 1));
    }
}

#[test]
fn a_copy_that_an_earlier_commit_made_is_nothing_in_a_later_range() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let repository = Repository::new();
        repository.write(language.path("store"), language.file("store", &[first, second]).text);
        repository.commit("before");
        repository.write(language.path("new"), language.file("new", &[first]).text);
        repository.commit("paste");
        repository.write(language.path("other"), language.file("other", &[third]).text);
        repository.commit("something else");
        let report = repository.check(&["--base", "HEAD~1"]);
        assert_eq!((report.findings(), report.status), (vec![], 0));
    }
}
