//! Shows that edits in and beside code that base already had twice are no copies.

use super::{check as check_change, copy};
use crate::samples::{File, LANGUAGES, Language, inserted_after, rewritten, traced};
use support::Repository;

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
        for edited in
            [language.with_inserted(insertion), language.with_changed(), language.with_deleted()]
        {
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
        check(
            &[&one, &two],
            &[&one, &language.file("two", &[&language.with_inserted(insertion), second])],
        );
    }
}

#[test]
fn a_large_edit_copied_from_the_other_member_of_an_old_clone_is_a_finding() {
    for language in LANGUAGES {
        let Language { first, third, anchor, piece, .. } = language;
        let edited = inserted_after(first, anchor, piece);
        let (one, two) = (language.file("one", &[&edited]), language.file("two", &[third, first]));
        let pasted = language.file("two", &[third, &edited]);
        check_change(
            &[&one, &two],
            &[&one, &pasted],
            &[copy(&pasted.at(piece), "type-1", &one.at(piece))],
        );
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
        for edited in
            [language.with_inserted(insertion), language.with_changed(), language.renamed()]
        {
            check(
                &[&one, &two],
                &[&language.file("one", &[&edited]), &language.file("two", &[&edited, second])],
            );
        }
    }
}

#[test]
fn an_edit_spread_over_both_members_of_an_old_clone_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, .. } = language;
        let (one, two) = clones(language);
        for edited in [traced(first), rewritten(first), rewritten(&traced(first))] {
            check(
                &[&one, &two],
                &[&language.file("one", &[&edited]), &language.file("two", &[&edited, second])],
            );
        }
    }
}

#[test]
fn an_edit_spread_over_both_members_in_one_file_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, .. } = language;
        let store = language.file("store", &[first, second, first]);
        for edited in [traced(first), rewritten(&traced(first))] {
            check(&[&store], &[&language.file("store", &[&edited, second, &edited])]);
        }
    }
}

#[test]
fn an_edit_spread_over_members_that_are_renamed_copies_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, .. } = language;
        let renamed = language.renamed();
        let (one, two) =
            (language.file("one", &[first]), language.file("two", &[second, &renamed]));
        let edited = (
            language.file("one", &[&traced(first)]),
            language.file("two", &[second, &traced(&renamed)]),
        );
        check(&[&one, &two], &[&edited.0, &edited.1]);
    }
}

#[test]
fn a_rewrite_of_a_whole_tree_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, insertion, .. } = language;
        let edited = language.with_inserted(insertion);
        let tree: [Vec<&str>; 4] = [
            vec![first, second],
            vec![third, first],
            vec![first, third, &edited],
            vec![second, second],
        ];
        let names = ["a", "b", "c", "d"];
        let files = |edit: &dyn Fn(&str) -> String| {
            let file = |(name, parts): (&&str, &Vec<&str>)| {
                let parts: Vec<String> = parts.iter().map(|part| edit(part)).collect();
                language.file(name, &parts.iter().map(String::as_str).collect::<Vec<_>>())
            };
            names.iter().zip(&tree).map(file).collect::<Vec<_>>()
        };
        let (before, after) =
            (files(&|part| part.to_owned()), files(&|part| rewritten(&traced(part))));
        check(&before.iter().collect::<Vec<_>>(), &after.iter().collect::<Vec<_>>());
    }
}

#[test]
fn the_edit_of_one_member_made_to_the_other_is_nothing_when_it_is_spread() {
    for language in LANGUAGES {
        let Language { first, second, .. } = language;
        let (one, two) =
            (language.file("one", &[&traced(first)]), language.file("two", &[first, second]));
        check(&[&one, &two], &[&one, &language.file("two", &[&traced(first), second])]);
    }
}

#[test]
fn a_new_function_beside_both_members_of_an_old_clone_is_a_finding() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let (one, two) = (language.file("one", &[first]), language.file("two", &[third, first]));
        let (one_grown, two_grown) =
            (language.file("one", &[first, second]), language.file("two", &[third, first, second]));
        let finding = copy(&two_grown.at(second), "type-1", &one_grown.at(second));
        check_change(&[&one, &two], &[&one_grown, &two_grown], &[finding]);
    }
}

#[test]
fn a_new_function_beside_both_members_is_a_finding_though_the_members_are_edited_alike() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let edited = traced(first);
        let (one, two) = (language.file("one", &[first]), language.file("two", &[third, first]));
        let one_grown = language.file("one", &[&edited, second]);
        let two_grown = language.file("two", &[third, &edited, second]);
        let finding = copy(&two_grown.at(second), "type-1", &one_grown.at(second));
        check_change(&[&one, &two], &[&one_grown, &two_grown], &[finding]);
    }
}

#[test]
fn a_third_copy_is_a_finding_when_the_other_two_are_rewritten_alike() {
    for language in LANGUAGES {
        let Language { first, second, .. } = language;
        let edited = rewritten(&traced(first));
        let (one, two) = clones(language);
        let one_edited = language.file("one", &[&edited]);
        let two_edited = language.file("two", &[&edited, second]);
        let new = language.file("zero", &[&edited]);
        let finding = copy(&new.at(&edited), "type-1", &one_edited.at(&edited));
        let finding = format!("{finding}, type-1 {}", two_edited.at(&edited));
        check_change(&[&one, &two], &[&one_edited, &two_edited, &new], &[finding]);
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
        let (store, other) =
            (language.file("store", &[first, second]), language.file("other", &[third]));
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

#[test]
fn a_file_that_is_left_without_code_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, comment, .. } = language;
        let (one, two) = (language.file("one", &[first]), language.file("two", &[first, second]));
        let empty = File { path: one.path.clone(), text: format!("{comment} Nothing is left.\n") };
        check(&[&one, &two], &[&empty, &two]);
    }
}
