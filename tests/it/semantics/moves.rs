//! Shows that moved code is no copy: cut here and pasted there, renamed, split, joined.

use support::Repository;

use super::{check as check_change, copy};
use crate::one_copy::C;
use crate::samples::{File, LANGUAGES, Language, inserted_after, reindented, replaced, rewritten};

/// Checks that the change is nothing.
#[track_caller]
fn check(before: &[&File], after: &[&File]) {
    check_change(before, after, &[]);
}

#[test]
fn a_function_cut_from_one_file_and_pasted_into_another_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let (store, other) =
            (language.file("store", &[first, second]), language.file("other", &[third]));
        let (cut, pasted) =
            (language.file("store", &[second]), language.file("other", &[third, first]));
        check(&[&store, &other], &[&cut, &pasted]);
    }
}

#[test]
fn a_function_moved_within_its_file_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[first, second, third]);
        check(&[&store], &[&language.file("store", &[second, third, first])]);
        check(&[&store], &[&language.file("store", &[third, second, first])]);
    }
}

#[test]
fn a_function_moved_and_indented_anew_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let (store, other) =
            (language.file("store", &[first, second]), language.file("other", &[third]));
        let (cut, pasted) = (
            language.file("store", &[second]),
            language.file("other", &[third, &reindented(first)]),
        );
        check(&[&store, &other], &[&cut, &pasted]);
    }
}

#[test]
fn a_function_moved_with_its_names_changed_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let (store, other) =
            (language.file("store", &[first, second]), language.file("other", &[third]));
        let (cut, pasted) = (
            language.file("store", &[second]),
            language.file("other", &[third, &language.renamed()]),
        );
        check(&[&store, &other], &[&cut, &pasted]);
    }
}

#[test]
fn a_function_moved_and_edited_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, insertion, .. } = language;
        let (store, other) =
            (language.file("store", &[first, second]), language.file("other", &[third]));
        let edited = language.with_inserted(insertion);
        let (cut, pasted) =
            (language.file("store", &[second]), language.file("other", &[third, &edited]));
        check(&[&store, &other], &[&cut, &pasted]);
    }
}

#[test]
fn a_renamed_file_is_nothing() {
    for language in LANGUAGES {
        let store = language.file("store", &[language.first, language.second]);
        check(&[&store], &[&store.named(language.path("shelf/renamed"))]);
    }
}

#[test]
fn a_renamed_file_that_only_its_content_tells_to_be_source_is_nothing() {
    let function = |name: &str| C.first.replace("static int ", &format!("static int {name}_"));
    let text = format!("<?php\n{}{}", function("one"), function("two"));
    let repository = Repository::new();
    repository.write("gen.parser", &text);
    repository.commit("a file");
    repository.remove("gen.parser");
    repository.write("gen.kmyacc", &text);
    repository.commit("a new name");
    assert!(repository.check(&[]).list("/findings").is_empty());
}

#[test]
fn a_file_renamed_and_edited_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, insertion, .. } = language;
        let store = language.file("store", &[first, second]);
        let renamed = language.file("renamed", &[&language.with_inserted(insertion), second]);
        check(&[&store], &[&renamed]);
        let grown = language.file("renamed", &[first, third, second]);
        check(&[&store], &[&grown]);
    }
}

#[test]
fn what_nobody_judged_is_new_where_it_becomes_source() {
    let language = &LANGUAGES[0];
    let store = language.file("src/store", &[language.first, language.second]);
    let copy = language.file("src/copy", &[language.first]);
    let from = [
        "src/copy.txt", "data/copy.dat", "copy", "src/copy.json", "src/copy.c.txt",
        "vendor/copy.c", "doc/copy.md",
    ];
    for from in from.into_iter().chain(["tests/copy.c"]) {
        let before = copy.named(from.to_owned());
        for after in [copy.clone(), language.file("src/copy", &[language.first, language.third])] {
            let repository = Repository::new();
            [&store, &before].into_iter().for_each(|file| repository.write(&file.path, &file.text));
            repository.commit("before");
            repository.remove(from);
            repository.write(&after.path, &after.text);
            repository.commit("after");
            let report = repository.check(&["--base", "HEAD~1"]);
            let paths: Vec<_> =
                report.list("/findings").iter().map(|of| (&of["rule"], &of["path"])).collect();
            assert_eq!(paths, [(&"copied-code".into(), &after.path.as_str().into())], "{from}");
            assert_eq!(report.status, 1, "{from}");
        }
    }
}

#[test]
fn what_was_judged_less_strictly_is_new_where_it_is_judged_as_code() {
    let c = LANGUAGES.iter().find(|of| of.extension == "c").expect("C is there");
    let store = c.file("src/store", &[c.first, c.second]);
    let copy = c.file("src/copy", &[c.first]);
    let of_paths = |setting: &str| format!("[paths.\"gen/**\"]\n{setting}\n");
    let gen_copy = copy.path.replace("src", "gen");
    let cases = [
        ("secondhand.toml", of_paths("rules.copied-code = \"off\""), gen_copy.clone()),
        ("secondhand.toml", of_paths("rules.copied-code = \"note\""), gen_copy.clone()),
        ("secondhand.toml", of_paths("min-tokens = 500"), gen_copy.clone()),
        ("gen/secondhand.toml", "rules.copied-code = \"off\"\n".to_owned(), gen_copy.clone()),
        (".gitattributes", "gen/* linguist-generated\n".to_owned(), gen_copy),
        ("secondhand.toml", String::new(), "src/copy.el".to_owned()),
    ];
    for (file, text, from) in cases {
        let repository = Repository::new();
        repository.write(file, &text);
        [&store, &copy.named(from.clone())]
            .into_iter()
            .for_each(|file| repository.write(&file.path, &file.text));
        repository.commit("before");
        repository.remove(&from);
        repository.write(&copy.path, &copy.text);
        repository.commit("after");
        let found = [super::copy(&copy.at(c.first), "type-1", &store.at(c.first))];
        super::check_last(&repository, &[], &found);
    }
}

#[test]
fn what_was_a_comment_or_test_code_is_new_where_it_becomes_code() {
    let c = LANGUAGES.iter().find(|of| of.extension == "c").expect("C is there");
    let python = LANGUAGES.iter().find(|of| of.extension == "py").expect("Python is there");
    let class = |name: &str| format!("class {name}:\n    {}", python.first.replace('\n', "\n    "));
    let cases = [
        (c, format!("/*\n{}*/\nint end;\n", c.first), format!("{}int end;\n", c.first)),
        (python, class("TestA"), class("A")),
        (python, class("TestA"), format!("b = 1\n{}", python.first)),
    ];
    for (language, before, after) in cases {
        let repository = Repository::new();
        let store = language.file("src/store", &[language.first, language.second]);
        repository.write(&store.path, &store.text);
        let path = language.path("src/copy");
        repository.write(&path, before);
        repository.commit("before");
        repository.write(&path, &after);
        repository.commit("after");
        let report = repository.check(&["--base", "HEAD~1"]);
        assert_eq!((report.findings().len(), report.status), (1, 1), "{after}");
    }
}

/// `code` in pieces of two lines, the last first, with declarations between.
fn in_pieces(code: &str) -> String {
    let lines: Vec<&str> = code.lines().collect();
    let piece =
        |(number, lines): (usize, &[&str])| format!("{}\nint gap_{number};\n", lines.join("\n"));
    lines.chunks(2).enumerate().map(piece).rev().collect()
}

#[test]
fn pieces_that_are_put_together_are_new_code() {
    let c = LANGUAGES.iter().find(|of| of.extension == "c").expect("C is there");
    let store = c.file("store", &[c.first, c.second]);
    let whole = c.file("new", &[c.first]);
    let pieces = in_pieces(c.first);
    let found = [copy(&whole.at(c.first), "type-1", &store.at(c.first))];
    check(&[&store], &[&store, &c_file("new.c", pieces.clone())]);
    let in_place = [copy("new.c:3-14", "type-1", "store.c:3-14")];
    check_change(&[&store, &c_file("new.c", pieces.clone())], &[&store, &whole], &in_place);
    check_change(&[&store, &c_file("old.c", pieces.clone())], &[&store, &whole], &found);
    // Where two places have them, and both put them together, none is a copy of the other.
    let [one, two] = ["one.c", "two.c"].map(|path| c_file(path, pieces.clone()));
    check(&[&one, &two], &[&whole.named("one.c".to_owned()), &whole.named("two.c".to_owned())]);
}

/// It has as many tokens as the shortest copy.
#[test]
fn a_function_of_the_least_length_that_is_moved_is_nothing() {
    let reply = |name: &str, text: &str| {
        format!(
            "void {name}(client *c) {{\n    if (c->resp) {{\n        proto(c, \"{text}\", 5);\n    }} else {{\n        proto(c, \"_\", -3);\n    }}\n}}\n\n"
        )
    };
    let other = |name: &str| {
        let rows = (0..12).map(|at| format!("    x{name}{at} = f{at}(a, {at}) + {name}z{at};\n"));
        format!("void {name}(int a) {{\n{}}}\n\n", rows.collect::<String>())
    };
    let (null, array) = (reply("null", "$-1"), reply("array", "*-1"));
    let (first, second) = (other("k"), other("q"));
    let repository = Repository::new();
    for text in [[&null, &first, &second, &array], [&first, &null, &second, &array]] {
        repository.write("src/a.c", text.map(String::as_str).concat());
        repository.commit("src/a.c");
    }
    let report = repository.check(&["--base", "HEAD~1"]);
    assert_eq!(report.json["examined"]["novelTokens"], 0, "{:?}", report.findings());
}

#[test]
fn a_script_that_gets_the_name_of_its_language_is_nothing() {
    let language = LANGUAGES.iter().find(|of| of.extension == "py").expect("Python is there");
    let store = language.file("store", &[language.first, language.second]);
    let script = format!("#!/usr/bin/env python3\n{}", store.text);
    let (before, after) = (
        File { path: "run".to_owned(), text: script.clone() },
        File { path: "run.py".to_owned(), text: script },
    );
    check(&[&store, &before], &[&store, &after]);
}

#[test]
fn a_renamed_member_of_an_old_clone_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, insertion, .. } = language;
        let (one, two) =
            (language.file("one", &[first, second]), language.file("two", &[first, third]));
        let renamed = language.file("renamed", &[first, third]);
        check(&[&one, &two], &[&one, &renamed]);
        let edited = language.file("renamed", &[&language.with_inserted(insertion), third]);
        check(&[&one, &two], &[&one, &edited]);
    }
}

#[test]
fn a_moved_member_of_an_old_clone_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let (one, two) =
            (language.file("one", &[first, second]), language.file("two", &[third, first]));
        let (cut, new) = (language.file("two", &[third]), language.file("new", &[first]));
        check(&[&one, &two], &[&one, &cut, &new]);
    }
}

#[test]
fn a_split_file_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[first, second, third]);
        let (one, two) = (language.file("one", &[first, third]), language.file("two", &[second]));
        check(&[&store], &[&one, &two]);
        let (rest, new) =
            (language.file("store", &[first, third]), language.file("new", &[second]));
        check(&[&store], &[&rest, &new]);
    }
}

#[test]
fn joined_files_are_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let (one, two) = (language.file("one", &[first]), language.file("two", &[second, third]));
        check(&[&one, &two], &[&language.file("joined", &[first, second, third])]);
        check(&[&one, &two], &[&language.file("one", &[second, third, first])]);
    }
}

/// A function of eighteen lines for each number, which have nothing in common.
fn functions(numbers: impl Iterator<Item = usize>) -> String {
    let body = [
        "total += step_N(M);",
        "if (flag_N > M) total -= M;",
        "call_N(total, key_M, N);",
        "seen_N[M] = N;",
    ];
    let function = |n: usize| {
        let line = |at: usize| {
            let (shape, other) = ((n * 2_654_435_761) >> (2 * at) & 3, 100 * n + at);
            format!(
                "    {}\n",
                body[shape].replace('N', &n.to_string()).replace('M', &other.to_string())
            )
        };
        format!(
            "int work_{n}(int total)\n{{\n{}    return total;\n}}\n\n",
            (0..14).map(line).collect::<String>()
        )
    };
    numbers.map(function).collect()
}

fn c_file(path: &str, text: String) -> File {
    File { path: path.to_owned(), text }
}

#[test]
fn a_large_file_in_another_order_is_nothing_but_what_is_new_in_it() {
    let n = 160;
    let (old, new) = (functions(0..n), functions((0..n).rev()));
    check(&[&c_file("a.c", old.clone())], &[&c_file("a.c", new.clone())]);
    let c = LANGUAGES.iter().find(|language| language.extension == "c").expect("C is one of them");
    let other = c.file("other", &[c.first]);
    let after = c_file("a.c", format!("{new}{}", c.first));
    let copied = copy(&after.at(c.first), "type-1", &other.at(c.first));
    check_change(&[&c_file("a.c", old), &other], &[&after, &other], &[copied]);
}

#[test]
fn many_files_that_are_nearly_the_same_keep_their_predecessors_when_all_are_moved() {
    let text = |number: usize| functions(0..4) + &functions(100 + number..101 + number);
    let files = |folder: &str, end: &str| -> Vec<File> {
        (0..90)
            .map(|number| c_file(&format!("{folder}/part{number:02}.c"), text(number) + end))
            .collect()
    };
    let (before, after) = (files("old", ""), files("new", "int more;\n"));
    check(&before.iter().collect::<Vec<_>>(), &after.iter().collect::<Vec<_>>());
}

#[test]
fn files_that_swap_their_names_are_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let (one, two) = (language.file("one", &[first, third]), language.file("two", &[second]));
        check(&[&one, &two], &[&two.named(one.path.clone()), &one.named(two.path.clone())]);
    }
}

#[test]
fn a_file_that_gives_its_name_to_new_code_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[first, second]);
        let renamed = store.named(language.path("renamed"));
        check(&[&store], &[&language.file("store", &[third]), &renamed]);
    }
}

#[test]
fn a_renamed_folder_with_clones_in_it_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, insertion, .. } = language;
        let edited = language.with_inserted(insertion);
        let folder = |name: &str| {
            let file = |file: &str, parts: &[&str]| language.file(&format!("{name}/{file}"), parts);
            [file("a", &[first, second]), file("b", &[first, second]), file("c", &[third, &edited])]
        };
        let ([a, b, c], [new_a, new_b, new_c]) = (folder("old"), folder("new"));
        check(&[&a, &b, &c], &[&new_a, &new_b, &new_c]);
        check(&[&a, &b, &c], &[&a, &new_b, &c]);
    }
}

#[test]
fn statements_cut_into_a_function_of_their_own_are_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, piece, insertion, .. } = language;
        let store = language.file("store", &[first, second]);
        let rest = replaced(second, piece, insertion);
        let own = inserted_after(third, third, piece);
        check(&[&store], &[&language.file("store", &[first, &rest, &own])]);
        check(
            &[&store],
            &[&language.file("store", &[first, &rest]), &language.file("own", &[&own])],
        );
    }
}

#[test]
fn clones_joined_into_one_function_are_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let (one, two) =
            (language.file("one", &[first, second]), language.file("two", &[third, first]));
        let (one_cut, two_cut) = (language.file("one", &[second]), language.file("two", &[third]));
        check(&[&one, &two], &[&one_cut, &two_cut, &language.file("shared", &[first])]);
    }
}

#[test]
fn a_pair_moved_to_files_of_its_own_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let (one, two) =
            (language.file("one", &[first, second]), language.file("two", &[third, first]));
        let (one_cut, two_cut) = (language.file("one", &[second]), language.file("two", &[third]));
        let (x, y) = (language.file("x", &[first]), language.file("y", &[first]));
        check(&[&one, &two], &[&one_cut, &two_cut, &x, &y]);
        check(&[&one, &two], &[&one_cut, &two_cut, &language.file("x", &[first, first])]);
    }
}

#[test]
fn a_function_moved_to_two_places_is_a_finding_in_one_of_them() {
    for language in LANGUAGES {
        let Language { first, second, third, anchor, insertion, .. } = language;
        let (one, cut) = (language.file("one", &[first, second]), language.file("one", &[second]));
        let large = inserted_after(first, anchor, &insertion.repeat(3));
        for moved in [*first, large.as_str()] {
            let (x, y) = (language.file("x", &[moved]), language.file("y", &[third, moved]));
            let copied = copy(&y.at(moved), "type-1", &x.at(moved));
            check_change(&[&one], &[&cut, &x, &y], &[copied]);
        }
    }
}

/// The end of a method and the head of the next, of which each of [`VISITS`] has a piece.
const MOMENTS: &str = r#"
          while (in.peek() != Token.END) {
            String name = in.name();
            int value = in.number();
                minute = value;
                break;
              case SECOND:
          return new Moment(year, month, day, hour, minute, second);
        }
        @Override
        public void write(Writer out, Moment value) throws Failure {
          if (value == null) {
            out.nothing();
"#;

/// Two methods that are alike, with pieces of [`MOMENTS`] in both.
const VISITS: &str = r#"
  private static Codec<Visit> visit(Codecs codecs) {
    Codec<Guest> guestCodec = codecs.codec(Guest.class);
    return new Codec<Visit>() {
        while (in.peek() != Token.END) {
          String name = in.name();
            case "place":
              place = placeCodec.read(in);
              break;
            case "guest":
              guest = guestCodec.read(in);
              break;
            default:
              // Ignore other fields.
              in.skip();
          }
        }
        in.end();
        return Visit.of(
            required(place, "place", in),
            required(guest, "guest", in));
      }
  private static Codec<Stay> stay(Codecs codecs) {
    Codec<Guest> guestCodec = codecs.codec(Guest.class);
    return new Codec<Stay>() {
      @Override
      public Stay read(Reader in) throws Failure {
        in.begin();
        Hour hour = null;
        Room room = null;
        while (in.peek() != Token.END) {
          String name = in.name();
          switch (name) {
            case "place":
              place = placeCodec.read(in);
              break;
            case "guest":
              guest = guestCodec.read(in);
              break;
            required(place, "place", in),
            required(guest, "guest", in),
            required(room, "room", in));
      }
      @Override
      public void write(Writer out, Trip value) throws Failure {
        if (value == null) {
          out.nothing();
"#;

#[test]
fn new_twins_that_hold_pieces_of_one_deleted_function_are_a_finding() {
    let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
    let (old, emptied) = (file("Moments.java", MOMENTS), file("Moments.java", ""));
    let visits = file("Visits.java", VISITS);
    let findings = [copy("Visits.java:23-43", "type-3", "Visits.java:2-22")];
    check_change(&[&old], &[&emptied, &visits], &findings);
}

#[test]
fn a_pair_moved_and_edited_alike_is_nothing() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let (one, two) =
            (language.file("one", &[first, second]), language.file("two", &[third, first]));
        let (one_cut, two_cut) = (language.file("one", &[second]), language.file("two", &[third]));
        for edited in [language.renamed(), rewritten(first)] {
            let (x, y) = (language.file("x", &[&edited]), language.file("y", &[&edited]));
            check(&[&one, &two], &[&one_cut, &two_cut, &x, &y]);
        }
    }
}

#[test]
fn a_pair_of_renamed_files_rewritten_alike_is_nothing() {
    for language in LANGUAGES {
        let Language { first, third, .. } = language;
        let (one, two) =
            (language.file("old/one", &[first]), language.file("old/two", &[first, third]));
        let edited = rewritten(first);
        let one_edited = language.file("new/one", &[&edited]);
        check(&[&one, &two], &[&one_edited, &language.file("new/two", &[&edited, third])]);
    }
}

#[test]
fn a_third_copy_is_a_finding_when_the_other_two_are_moved() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let (one, two) =
            (language.file("one", &[first, second]), language.file("two", &[third, first]));
        let (one_cut, two_cut) = (language.file("one", &[second]), language.file("two", &[third]));
        let (x, y, z) = (
            language.file("x", &[first]),
            language.file("y", &[first]),
            language.file("z", &[first]),
        );
        let finding =
            format!("{}, type-1 {}", copy(&z.at(first), "type-1", &x.at(first)), y.at(first));
        check_change(&[&one, &two], &[&one_cut, &two_cut, &x, &y, &z], &[finding]);
    }
}

#[test]
fn a_function_cut_once_and_pasted_twice_is_a_finding_at_the_later() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[first, second]);
        let cut = language.file("store", &[second]);
        let (one, two) = (language.file("one", &[first]), language.file("two", &[third, first]));
        check_change(
            &[&store],
            &[&cut, &one, &two],
            &[copy(&two.at(first), "type-1", &one.at(first))],
        );
    }
}

#[test]
fn a_file_renamed_and_copied_is_a_finding_at_one_of_the_two() {
    for language in LANGUAGES {
        let Language { first, second, .. } = language;
        let store = language.file("store", &[first, second]);
        let renamed = store.named(language.path("renamed"));
        let new = language.file("z", &[first]);
        check_change(
            &[&store],
            &[&renamed, &new],
            &[copy(&new.at(first), "type-1", &renamed.at(first))],
        );
    }
}

#[test]
fn what_is_long_enough_to_be_moved_is_up_to_its_folder() {
    let settings = "min-tokens = 200\n\n[paths.\"small/**\"]\nmin-tokens = 40\n";
    let settings = File { path: "secondhand.toml".to_owned(), text: settings.to_owned() };
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let small = |name: &str, parts: &[&str]| {
            let File { path, text } = language.file(name, parts);
            File { path: format!("small/{path}"), text }
        };
        let other = language.file("other", &[first]);
        let (one, two) = (small("one", &[first, second]), small("two", &[third]));
        let (cut, pasted) = (small("one", &[second]), small("two", &[third, first]));
        check(&[&settings, &other, &one, &two], &[&settings, &other, &cut, &pasted]);
    }
}
