//! Shows that layout makes nothing new: each change here is made to one member of a clone that base
//! already had.

use super::check as check_change;
use crate::samples::{LANGUAGES, Language, reindented, renamed, rewrapped, with_crlf};

/// Checks that `edit`, made to the text of a member of an old clone, is nothing.
#[track_caller]
fn check(edit: impl Fn(&Language, &str) -> String) {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let (one, two) =
            (language.file("one", &[first, second]), language.file("two", &[third, first, second]));
        check_change(&[&one, &two], &[&one, &two.edited(|text| edit(language, text))], &[]);
    }
}

#[test]
fn code_indented_anew_is_nothing() {
    check(|_, text| reindented(text));
}

#[test]
fn code_wrapped_anew_is_nothing() {
    check(|_, text| rewrapped(text));
}

#[test]
fn code_with_other_line_ends_is_nothing() {
    check(|_, text| with_crlf(text));
}

#[test]
fn code_with_a_byte_order_mark_is_nothing() {
    check(|_, text| format!("\u{FEFF}{text}"));
}

#[test]
fn code_with_other_comments_is_nothing() {
    check(Language::commented);
}

#[test]
fn an_added_license_header_is_nothing() {
    check(|language, text| language.header(20) + text);
}

#[test]
fn added_imports_are_nothing() {
    check(|language, text| format!("{}\n{text}", language.imports));
}

#[test]
fn added_blank_lines_are_nothing() {
    check(|_, text| text.replace('\n', "\n\n\n"));
}

#[test]
fn names_changed_throughout_are_nothing() {
    check(|language, text| renamed(text, language.names));
}

#[test]
fn all_of_these_at_once_in_a_renamed_file_are_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let (one, two) =
            (language.file("one", &[first, second]), language.file("two", &[third, first, second]));
        let edit = |text: &str| {
            with_crlf(&(language.header(20) + &language.commented(&reindented(&rewrapped(text)))))
        };
        let renamed = two.named(language.path("renamed")).edited(edit);
        check_change(&[&one, &two], &[&one, &renamed], &[]);
    }
}
