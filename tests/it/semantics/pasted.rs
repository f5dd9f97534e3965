//! Shows that pasted code is a finding, at the paste, with its origin.

use serde_json::json;

use super::{check, check_last, check_with, copy};
use crate::samples::{LANGUAGES, Language, inserted_after, renamed};
use support::Repository;

#[test]
fn a_function_pasted_into_another_file_is_a_finding() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[first, second]);
        let other = language.file("other", &[third]);
        let pasted = language.file("other", &[third, first]);
        check(
            &[&store, &other],
            &[&store, &pasted],
            &[copy(&pasted.at(first), "type-1", &store.at(first))],
        );
    }
}

#[test]
fn a_function_pasted_before_the_others_of_a_file_is_a_finding() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[second, first]);
        let other = language.file("other", &[third]);
        let pasted = language.file("other", &[first, third]);
        check(
            &[&store, &other],
            &[&store, &pasted],
            &[copy(&pasted.at(first), "type-1", &store.at(first))],
        );
    }
}

#[test]
fn a_function_pasted_into_a_new_file_is_a_finding() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[first, second]);
        let new = language.file("new", &[third, first]);
        check(&[&store], &[&store, &new], &[copy(&new.at(first), "type-1", &store.at(first))]);
    }
}

#[test]
fn a_function_pasted_into_the_same_file_is_a_finding() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[first, second, third]);
        let pasted = language.file("store", &[first, second, third, first]);
        check(
            &[&store],
            &[&pasted],
            &[copy(&pasted.nth(2, first), "type-1", &pasted.nth(1, first))],
        );
    }
}

#[test]
fn a_function_pasted_above_its_origin_is_a_finding_at_the_paste() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[second, third, first]);
        let pasted = language.file("store", &[second, first, third, first]);
        check(
            &[&store],
            &[&pasted],
            &[copy(&pasted.nth(1, first), "type-1", &pasted.nth(2, first))],
        );
    }
}

#[test]
fn a_function_pasted_beside_itself_is_a_finding_where_git_calls_it_added() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[second, first, third]);
        let pasted = language.file("store", &[second, first, first, third]);
        let repository = Repository::new();
        repository.write(&store.path, &store.text);
        repository.commit("before");
        repository.write(&pasted.path, &pasted.text);
        repository.commit("after");
        let start = pasted.text.find(first).expect("it was pasted");
        let first_line = pasted.text[..start].matches('\n').count() as u64 + 1;
        let is_above = repository.added_lines("HEAD~1", &pasted.path).contains(&first_line);
        let (copied, origin) = if is_above { (1, 2) } else { (2, 1) };
        check_last(
            &repository,
            &[],
            &[copy(&pasted.nth(copied, first), "type-1", &pasted.nth(origin, first))],
        );
    }
}

#[test]
fn a_renamed_function_pasted_beside_its_origin_is_a_finding_at_the_paste() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let renamed = language.renamed();
        let store = language.file("store", &[second, first, third]);
        let below = language.file("store", &[second, first, &renamed, third]);
        check(&[&store], &[&below], &[copy(&below.at(&renamed), "type-2", &below.at(first))]);
        let above = language.file("store", &[second, &renamed, first, third]);
        check(&[&store], &[&above], &[copy(&above.at(&renamed), "type-2", &above.at(first))]);
    }
}

#[test]
fn a_renamed_function_pasted_between_functions_of_its_shape_is_a_finding_at_the_paste() {
    for language in LANGUAGES {
        let Language { first, names, .. } = language;
        let variant = |n: usize| {
            let names: Vec<_> =
                names.iter().map(|(from, _)| (*from, format!("{from}{n}"))).collect();
            renamed(first, &names.iter().map(|(from, to)| (*from, to.as_str())).collect::<Vec<_>>())
        };
        let (one, two, new) = (variant(1), variant(2), variant(3));
        let store = language.file("store", &[&one, &two]);
        let pasted = language.file("store", &[&one, &new, &two]);
        let finding = copy(&pasted.at(&new), "type-2", &pasted.at(&one));
        check(&[&store], &[&pasted], &[format!("{finding}, type-2 {}", pasted.at(&two))]);
    }
}

#[test]
fn a_method_pasted_into_another_class_is_a_finding() {
    const CLASSES: &[(&str, &str, &str)] = &[
        ("py", "class A(B):\n", ""),
        ("ts", "namespace A {\n", "}\n"),
        ("java", "class A extends B {\n", "}\n"),
    ];
    for (extension, head, tail) in CLASSES {
        let language = LANGUAGES
            .iter()
            .find(|language| language.extension == *extension)
            .expect("it is a sample");
        let Language { first, second, third, .. } = language;
        let class = |name: &str, methods: &str| {
            language
                .file(name, &[])
                .edited(|_| format!("{}{methods}{tail}", head.replace('A', name)))
        };
        let store = class("Store", &format!("{first}\n{second}"));
        let other = class("Other", third);
        let pasted = class("Other", &format!("{third}\n{first}"));
        check(
            &[&store, &other],
            &[&store, &pasted],
            &[copy(&pasted.at(first), "type-1", &store.at(first))],
        );
        let pasted = class("Other", &format!("{first}\n{third}"));
        check(
            &[&store, &other],
            &[&store, &pasted],
            &[copy(&pasted.at(first), "type-1", &store.at(first))],
        );
    }
}

#[test]
fn statements_pasted_into_another_function_are_a_finding() {
    for language in LANGUAGES {
        let Language { first, second, third, piece, anchor, .. } = language;
        let store = language.file("store", &[third, second]);
        let other = language.file("other", &[first]);
        let pasted = language.file("other", &[&inserted_after(first, anchor, piece)]);
        check(
            &[&store, &other],
            &[&store, &pasted],
            &[copy(&pasted.at(piece), "type-1", &store.at(piece))],
        );
    }
}

#[test]
fn a_file_copied_as_a_whole_is_a_finding() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[first, second, third]);
        let copied = store.named(language.path("copied"));
        let all = [*first, second, third].join("\n");
        check(&[&store], &[&store, &copied], &[copy(&copied.at(&all), "type-1", &store.at(&all))]);
    }
}

#[test]
fn functions_pasted_into_two_files_are_a_finding_in_each() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[first, third, second]);
        let (one, two) = (language.file("one", &[first]), language.file("two", &[second]));
        let findings = [
            copy(&one.at(first), "type-1", &store.at(first)),
            copy(&two.at(second), "type-1", &store.at(second)),
        ];
        check(&[&store], &[&store, &one, &two], &findings);
    }
}

#[test]
fn functions_pasted_together_are_one_finding() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let both = format!("{first}\n{second}");
        let store = language.file("store", &[first, second]);
        let other = language.file("other", &[third]);
        let pasted = language.file("other", &[third, first, second]);
        check(
            &[&store, &other],
            &[&store, &pasted],
            &[copy(&pasted.at(&both), "type-1", &store.at(&both))],
        );
    }
}

#[test]
fn a_function_that_takes_the_place_of_another_is_a_finding() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[first]);
        let other = language.file("other", &[third, second]);
        let pasted = language.file("other", &[third, first]);
        check(
            &[&store, &other],
            &[&store, &pasted],
            &[copy(&pasted.at(first), "type-1", &store.at(first))],
        );
    }
}

#[test]
fn fewer_new_tokens_than_the_threshold_are_nothing() {
    for language in LANGUAGES {
        let Language { first, third, insertion, anchor, .. } = language;
        let store = language.file("store", &[third, insertion]);
        let other = language.file("other", &[first]);
        let pasted = language.file("other", &[&inserted_after(first, anchor, insertion)]);
        check(&[&store, &other], &[&store, &pasted], &[]);
    }
}

#[test]
fn only_new_tokens_that_are_copied_count() {
    for language in LANGUAGES {
        let Language { first, second, insertion, .. } = language;
        let repository = Repository::new();
        repository.write(language.path("store"), language.file("store", &[first, second]).text);
        repository.commit("before");
        repository.write(language.path("new"), language.file("new", &[first]).text);
        repository.commit("paste");
        let report = repository.check(&["--base", "HEAD~1"]);
        let n_tokens = report.list("/findings")[0]["tokens"].as_u64().expect("it is a number");
        // What is put between the copied statements is new, but not copied.
        repository.write(
            language.path("new"),
            language.file("new", &[&language.with_inserted(insertion)]).text,
        );
        repository.commit("edit");
        let n_findings = |least: u64| {
            let args = ["--base", "HEAD~2", "--min-tokens", &least.to_string()];
            let report = repository.check(&args);
            report
                .list("/findings")
                .iter()
                .filter(|finding| finding["rule"] == "copied-code")
                .count()
        };
        assert_eq!(
            (n_findings(n_tokens), n_findings(n_tokens + 1)),
            (1, 0),
            "{}",
            language.extension
        );
    }
}

#[test]
fn a_copy_counts_from_exactly_the_threshold() {
    for language in LANGUAGES {
        let Language { first, second, .. } = language;
        let repository = Repository::new();
        repository.write(language.path("store"), language.file("store", &[first, second]).text);
        repository.commit("before");
        repository.write(language.path("new"), language.file("new", &[first]).text);
        repository.commit("after");
        let report = repository.check(&["--base", "HEAD~1"]);
        let n_tokens = report.list("/findings")[0]["novelTokens"].as_u64().expect("it is a number");
        let n_findings = |least: u64| {
            let args = ["--base", "HEAD~1", "--min-tokens", &least.to_string()];
            repository.check(&args).findings().len()
        };
        assert_eq!(
            (n_findings(n_tokens), n_findings(n_tokens + 1)),
            (1, 0),
            "{}",
            language.extension
        );
    }
}

#[test]
fn a_copy_in_test_code_is_a_note_unless_the_settings_say_more() {
    for language in LANGUAGES {
        let Language { first, second, .. } = language;
        let store = language.file("store", &[first, second]);
        let new = language.file("tests/new", &[first]);
        let finding = copy(&new.at(first), "type-1", &store.at(first));
        check(&[&store], &[&store, &new], &[finding.replace("warning", "note")]);
        check_with(&["--set", "test-level=warning"], &[&store], &[&store, &new], &[finding]);
    }
}

#[test]
fn all_lines_of_a_paste_are_reported_as_added() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let repository = Repository::new();
        repository.write(language.path("store"), language.file("store", &[first]).text);
        repository.write(language.path("other"), language.file("other", &[second, third]).text);
        repository.commit("before");
        repository
            .write(language.path("other"), language.file("other", &[second, first, third]).text);
        repository.commit("after");
        let report = repository.check(&["--base", "HEAD~1"]);
        let finding = &report.list("/findings")[0];
        assert_eq!(finding["added"], finding["fragment"], "{}", language.extension);
        assert_eq!(finding["novelTokens"], finding["tokens"]);
        assert_eq!(finding["rule"], json!("copied-code"));
        assert_eq!(finding["lines"], json!(first.lines().count()));
    }
}

#[test]
fn languages_of_one_family_are_compared() {
    const FAMILIES: &[(&str, &str)] =
        &[("c", "cpp"), ("c", "h"), ("ts", "js"), ("ts", "tsx"), ("ts", "mjs")];
    for (own, other) in FAMILIES {
        let language =
            LANGUAGES.iter().find(|language| language.extension == *own).expect("it is a sample");
        let store = language.file("store", &[language.first, language.second]);
        let new = store.named(format!("new.{other}")).edited(|_| language.first.to_owned());
        check(
            &[&store],
            &[&store, &new],
            &[copy(&new.at(language.first), "type-1", &store.at(language.first))],
        );
    }
}

#[test]
fn languages_of_two_families_are_not_compared() {
    for (at, language) in LANGUAGES.iter().enumerate() {
        let other = &LANGUAGES[(at + 1) % LANGUAGES.len()];
        let store = language.file("store", &[language.first, language.second]);
        let new = store.named(other.path("new"));
        check(&[&store], &[&store, &new], &[]);
    }
}

#[test]
fn code_pasted_over_old_code_counts_by_the_lines_that_git_calls_added() {
    let pasted = "    const printed = concat(tail);\n    if (indentsOnlyTail) {\n      parts.push(\n        group(\n          \
        concat(\n            inner.concat(ifBreak(indent(printed), printed))\n          )\n        )\n      );\n    \
        } else {\n      parts.push(group(indent(concat(inner.concat(printed)))));\n    }\n  } else {\n    \
        parts.push(...inner, ...tail);\n";
    let old =
        "    parts.push(group(indent(concat(inner))));\n  } else {\n    parts.push(...inner);\n";
    let printer = |name: &str, body: &str| {
        format!(
            "function {name}(node, print) {{\n  const parts = [];\n  const inner = [];\n  parts.push(\"{name}\");\n  \
             if (node.title) {{\n    inner.push(\" \", print(node.title, \"title\"));\n  }}\n  \
             if (node.items && node.items.length !== 0) {{\n    \
             inner.push(line, \"of \", (node.items.length === 1 ? identity : indent)(join(node.items.map(print))));\n  }}\n  \
             if (node.title || node.items) {{\n{body}  }}\n  parts.push(\" \", print(node.body, \"body\"));\n  \
             return parts;\n}}\n"
        )
    };
    let repository = Repository::new();
    repository.write("a.js", printer("list", pasted));
    repository.write("b.js", printer("table", old));
    repository.commit("before");
    repository.write("b.js", printer("table", pasted));
    repository.commit("pasted");
    let report = repository.check(&["--base", "HEAD~1"]);
    assert_eq!(report.findings(), ["warning b.js:12-25 <- type-1 a.js:12-25"]);
}
