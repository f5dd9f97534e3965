//! Shows that a copy is found however it was changed, and as one copy: Type-1, Type-2, Type-3.

use super::{check as check_change, copy};
use crate::samples::{
    LANGUAGES, Language, inserted_after, reindented, renamed, rewrapped, with_crlf,
};

/// Checks that `copied`, a copy of the first function, is one finding of `clone_type`.
#[track_caller]
fn check(language: &Language, copied: &str, clone_type: &str) {
    let Language { first, second, third, .. } = language;
    let store = language.file("store", &[second, first]);
    let other = language.file("other", &[third]);
    let pasted = language.file("other", &[third, copied]);
    check_change(
        &[&store, &other],
        &[&store, &pasted],
        &[copy(&pasted.at(copied), clone_type, &store.at(first))],
    );
}

#[test]
fn a_copy_with_other_indentation_is_type_1() {
    for language in LANGUAGES {
        check(language, &reindented(language.first), "type-1");
    }
}

#[test]
fn a_copy_with_other_line_ends_is_type_1() {
    for language in LANGUAGES {
        check(language, &with_crlf(language.first), "type-1");
    }
}

#[test]
fn a_copy_wrapped_in_another_way_is_type_1() {
    for language in LANGUAGES {
        check(language, &rewrapped(language.first), "type-1");
    }
}

#[test]
fn a_copy_with_other_comments_is_type_1() {
    for language in LANGUAGES {
        check(language, &language.commented(language.first), "type-1");
    }
}

#[test]
fn a_copy_with_one_name_changed_throughout_is_type_2() {
    for language in LANGUAGES {
        check(language, &renamed(language.first, &language.names[..1]), "type-2");
    }
}

#[test]
fn a_copy_with_all_names_changed_is_type_2() {
    for language in LANGUAGES {
        check(language, &language.renamed(), "type-2");
    }
}

#[test]
fn a_copy_with_a_name_changed_in_one_place_is_an_inconsistent_type_2() {
    for language in LANGUAGES {
        check(language, &language.renamed_once(), "type-2 inconsistent");
    }
}

#[test]
fn a_copy_with_another_literal_is_type_2() {
    for language in LANGUAGES {
        check(language, &language.with_other_literal(), "type-2");
    }
}

#[test]
fn a_copy_with_all_of_layout_comments_and_names_changed_is_type_2() {
    for language in LANGUAGES {
        check(
            language,
            &language.commented(&reindented(&rewrapped(&language.renamed()))),
            "type-2",
        );
    }
}

#[test]
fn a_copy_with_statements_inserted_is_one_finding() {
    for language in LANGUAGES {
        check(language, &language.with_inserted(language.insertion), "type-3");
    }
}

#[test]
fn a_copy_with_many_statements_inserted_is_one_finding() {
    for language in LANGUAGES {
        let Language { first, third, piece, anchor, .. } = language;
        let (store, other) = (language.file("store", &[first]), language.file("other", &[third]));
        let copied = inserted_after(first, anchor, piece);
        let pasted = language.file("other", &[third, &copied]);
        let finding = copy(&pasted.at(&copied), "type-3", &store.at(first));
        check_change(&[&store, &other], &[&store, &pasted], &[finding]);
    }
}

#[test]
fn a_copy_with_statements_inserted_near_its_beginning_is_one_finding() {
    for language in LANGUAGES {
        check(
            language,
            &inserted_after(language.first, language.opening, language.insertion),
            "type-3",
        );
    }
}

#[test]
fn a_copy_with_statements_inserted_near_its_end_is_one_finding() {
    for language in LANGUAGES {
        let (before, closing) =
            language.first.split_at(language.first.len() - language.closing.len());
        assert_eq!(closing, language.closing);
        check(language, &format!("{before}{}{closing}", language.insertion), "type-3");
    }
}

#[test]
fn a_copy_with_a_statement_deleted_is_one_finding() {
    for language in LANGUAGES {
        check(language, &language.with_deleted(), "type-3");
    }
}

#[test]
fn a_copy_with_a_statement_changed_is_one_finding() {
    for language in LANGUAGES {
        check(language, &language.with_changed(), "type-3");
    }
}

#[test]
fn a_copy_with_statements_inserted_and_changed_in_two_places_is_one_finding() {
    for language in LANGUAGES {
        let changed = inserted_after(&language.with_changed(), language.anchor, language.insertion);
        check(language, &changed, "type-3");
    }
}

#[test]
fn a_copy_renamed_and_edited_is_one_finding() {
    for language in LANGUAGES {
        let changed = inserted_after(&language.with_changed(), language.anchor, language.insertion);
        check(language, &renamed(&changed, language.names), "type-3");
    }
}

#[test]
fn functions_pasted_in_another_order_are_a_finding_each() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[first, second]);
        let other = language.file("other", &[third]);
        let pasted = language.file("other", &[third, second, first]);
        let findings = [
            copy(&pasted.at(second), "type-1", &store.at(second)),
            copy(&pasted.at(first), "type-1", &store.at(first)),
        ];
        check_change(&[&store, &other], &[&store, &pasted], &findings);
    }
}

#[test]
fn functions_pasted_around_another_are_a_finding_each() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[first, second]);
        let other = language.file("other", &[third]);
        let pasted = language.file("other", &[first, third, second]);
        let findings = [
            copy(&pasted.at(first), "type-1", &store.at(first)),
            copy(&pasted.at(second), "type-1", &store.at(second)),
        ];
        check_change(&[&store, &other], &[&store, &pasted], &findings);
    }
}
