//! Shows which origins a finding names: where the code stands in the head, and all places of it.

use super::{check, copy};
use crate::samples::{File, LANGUAGES, Language, inserted_after};
use support::Repository;

#[test]
fn an_origin_that_the_change_moves_down_is_named_at_its_new_lines() {
    for language in LANGUAGES {
        let Language { first, second, third, insertion, .. } = language;
        let store = language.file("store", &[second, first]);
        let edited = language.file("store", &[insertion, second, first]);
        let new = language.file("new", &[third, first]);
        check(&[&store], &[&edited, &new], &[copy(&new.at(first), "type-1", &edited.at(first))]);
    }
}

#[test]
fn a_place_that_overlaps_a_better_one_is_no_other() {
    let adapter = |name: &str, query: &str| {
        format!(
            "public class {name} : ISqlAdapter\n{{\n    public int Insert(IDbConnection connection, IDbTransaction transaction, \
             int? commandTimeout, String tableName, string columnList)\n    {{\n        \
             string cmd = String.Format(\"insert into {{0}} ({{1}}) values\", tableName, columnList);\n        \
             connection.Execute(cmd, tableName, transaction: transaction, commandTimeout: commandTimeout);\n        \
             var r = connection.Query(\"{query}\", transaction: transaction, commandTimeout: commandTimeout);\n        \
             int id = (int)r.First().id;\n        if (keyProperties.Any())\n            \
             keyProperties.First().SetValue(entityToInsert, id, null);\n        return id;\n    }}\n}}\n"
        )
    };
    let before = format!(
        "public interface ISqlAdapter\n{{\n    int Insert(IDbConnection connection, IDbTransaction transaction, \
         int? commandTimeout, String tableName, string columnList);\n}}\n{}",
        adapter("SqlServerAdapter", "select @@IDENTITY id")
    );
    let repository = Repository::new();
    repository.write("a.cs", &before);
    repository.commit("one");
    repository.write("a.cs", before + &adapter("SQLiteAdapter", "select last_insert_rowid() id"));
    repository.commit("two");
    let report = repository.check(&[]);
    assert_eq!(report.list("/findings/0/origins").len(), 1);
}

#[test]
fn an_origin_that_the_change_edits_is_named_at_its_new_lines() {
    for language in LANGUAGES {
        let Language { first, second, third, insertion, .. } = language;
        let store = language.file("store", &[second, first]);
        let in_place = language.with_inserted(insertion);
        let edited = language.file("store", &[insertion, second, &in_place]);
        let new = language.file("new", &[third, first]);
        check(
            &[&store],
            &[&edited, &new],
            &[copy(&new.at(first), "type-3", &edited.at(&in_place))],
        );
    }
}

#[test]
fn an_origin_whose_names_the_change_changes_is_named() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[second, first]);
        let edited = language.file("store", &[second, &language.renamed()]);
        let new = language.file("new", &[third, first]);
        check(
            &[&store],
            &[&edited, &new],
            &[copy(&new.at(first), "type-2", &edited.at(&language.renamed()))],
        );
    }
}

#[test]
fn an_origin_that_the_change_edits_in_the_file_of_the_copy_is_named() {
    for language in LANGUAGES {
        let Language { first, second, third, insertion, .. } = language;
        let store = language.file("store", &[first, second]);
        let in_place = language.with_inserted(insertion);
        let edited = language.file("store", &[&in_place, second, third, first]);
        check(&[&store], &[&edited], &[copy(&edited.at(first), "type-3", &edited.at(&in_place))]);
    }
}

#[test]
fn of_two_copies_of_new_code_in_two_files_the_later_is_a_finding() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[second]);
        let (one, two) = (language.file("one", &[first]), language.file("two", &[third, first]));
        check(&[&store], &[&store, &one, &two], &[copy(&two.at(first), "type-1", &one.at(first))]);
    }
}

#[test]
fn of_two_copies_of_new_code_in_one_file_the_later_is_a_finding() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[second]);
        let edited = language.file("store", &[first, second, third, first]);
        check(
            &[&store],
            &[&edited],
            &[copy(&edited.nth(2, first), "type-1", &edited.nth(1, first))],
        );
    }
}

#[test]
fn of_two_copies_of_new_code_beside_each_other_the_later_is_a_finding() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[second]);
        let new = language.file("new", &[third, first, first]);
        check(
            &[&store],
            &[&store, &new],
            &[copy(&new.nth(2, first), "type-1", &new.nth(1, first))],
        );
    }
}

#[test]
fn of_two_edited_copies_of_new_code_the_later_is_a_finding() {
    for language in LANGUAGES {
        let Language { first, second, insertion, .. } = language;
        let store = language.file("store", &[second]);
        let edited = language.with_inserted(insertion);
        let (one, two) = (language.file("one", &[first]), language.file("two", &[&edited]));
        check(
            &[&store],
            &[&store, &one, &two],
            &[copy(&two.at(&edited), "type-3", &one.at(first))],
        );
    }
}

#[test]
fn of_three_copies_of_new_code_each_but_the_first_is_a_finding() {
    for language in LANGUAGES {
        let Language { first, second, .. } = language;
        let store = language.file("store", &[second]);
        let a = language.file("a", &[first]);
        let (b, c) = (a.named(language.path("b")), a.named(language.path("c")));
        let (at_a, at_b, at_c) = (a.at(first), b.at(first), c.at(first));
        let third = format!("{}, type-1 {at_b}", copy(&at_c, "type-1", &at_a));
        check(&[&store], &[&store, &a, &b, &c], &[copy(&at_b, "type-1", &at_a), third]);
    }
}

#[test]
fn a_third_copy_is_one_finding_with_both_origins() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let one = language.file("one", &[first, second]);
        let two = language.file("two", &[third, first]);
        let new = language.file("new", &[first]);
        let finding =
            format!("{}, type-1 {}", copy(&new.at(first), "type-1", &one.at(first)), two.at(first));
        check(&[&one, &two], &[&one, &two, &new], &[finding]);
    }
}

#[test]
fn a_third_copy_in_the_file_of_the_other_two_is_one_finding_with_both_origins() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let store = language.file("store", &[first, second, first]);
        let pasted = language.file("store", &[first, second, first, third, first]);
        let origin = copy(&pasted.nth(3, first), "type-1", &pasted.nth(1, first));
        check(&[&store], &[&pasted], &[format!("{origin}, type-1 {}", pasted.nth(2, first))]);
    }
}

#[test]
fn the_origin_that_is_most_alike_comes_first() {
    for language in LANGUAGES {
        let Language { first, second, third, insertion, .. } = language;
        let edited = language.with_inserted(insertion);
        let one = language.file("one", &[&edited, second]);
        let two = language.file("two", &[third, first]);
        let new = language.file("new", &[first]);
        let finding = format!(
            "{}, type-3 {}",
            copy(&new.at(first), "type-1", &two.at(first)),
            one.at(&edited)
        );
        check(&[&one, &two], &[&one, &two, &new], &[finding]);
    }
}

#[test]
fn a_copy_of_two_origins_side_by_side_is_a_finding_for_each() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let one = language.file("one", &[first, third]);
        let two = language.file("two", &[second]);
        let new = language.file("new", &[first, second]);
        let findings = [
            copy(&new.at(first), "type-1", &one.at(first)),
            copy(&new.at(second), "type-1", &two.at(second)),
        ];
        check(&[&one, &two], &[&one, &two, &new], &findings);
    }
}

#[test]
fn new_code_pasted_into_a_member_of_an_old_clone_is_a_finding() {
    for language in LANGUAGES {
        let Language { first, second, third, piece, anchor, .. } = language;
        let (one, two) = (language.file("one", &[first]), language.file("two", &[third, first]));
        let store = language.file("store", &[second]);
        let pasted = language.file("two", &[third, &inserted_after(first, anchor, piece)]);
        let finding = copy(&pasted.at(piece), "type-1", &store.at(piece));
        check(&[&one, &two, &store], &[&one, &pasted, &store], &[finding]);
    }
}

#[test]
fn of_two_files_that_are_made_alike_one_is_the_copy() {
    let before = "\
int drain(struct queue *queue, int n)
{
    int sum = queue->first * 3 + n;
    for (int i = 0; i < n; i++) {
        queue->seen[i] = queue->total;
    }
    queue->total = sum + queue->bias * n;
    if (queue->total > queue->max * 2)
        return queue->max - sum;
    return queue->total - sum / 2;
}
";
    let after = "\
int drain(struct queue *queue, int n)
{
    int sum = queue->first * 3 + n;
    trace(queue->log, sum % 7, \"drain\", n + 1);
    queue->n_traced += sum ^ n;
    for (int i = 0; i < n; i++) {
        queue->seen[i] = queue->total;
    }
    flush(queue->out, sum & mask, ~n);
    queue->n_flushed -= sum >> 1;
    queue->total = sum + queue->bias * n;
    if (queue->total > queue->max * 2)
        return queue->max - sum;
    notify(queue->watcher, \"drained\", sum | n);
    queue->n_told = queue->n_told || sum;
    return queue->total - sum / 2;
}
";
    let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
    // Each has code that the other had not: all of it is new in the one, half of it in the other.
    for (new, old) in [("a.c", "b.c"), ("b.c", "a.c")] {
        let (new, edited) = (file(new, after), file(old, after));
        check(
            &[&file(old, before)],
            &[&new, &edited],
            &[copy(&new.at(after), "type-1", &edited.at(after))],
        );
    }
}

#[test]
fn of_equal_new_files_each_names_what_base_had() {
    let language = &LANGUAGES[0];
    let repository = Repository::new();
    let store = language.file("store", &[language.first, language.second]);
    repository.write(&store.path, &store.text);
    repository.commit("before");
    let texts: [&[&str]; 3] =
        [&[language.first], &[language.third, language.first], &[language.first, language.second]];
    for parts in texts {
        let names = ["one", "three", "two"];
        for name in names {
            let new = language.file(name, parts);
            repository.write(&new.path, &new.text);
        }
        repository.commit("after");
        let report = repository.check(&["--base", "HEAD~1"]);
        for name in names {
            let path = language.path(name);
            let mut findings =
                report.list("/findings").iter().filter(|finding| finding["path"] == path.as_str());
            let names_base = |finding: &serde_json::Value| {
                let origins = finding["origins"].as_array().expect("it has origins");
                origins.iter().any(|origin| origin["path"] == store.path.as_str())
            };
            assert!(findings.any(names_base), "{name}: {:?}", report.findings());
        }
        repository.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    }
}

#[test]
fn what_is_like_a_part_of_a_copy_is_no_exact_origin() {
    let step = |name: &str| {
        format!(
            "    if (check(s, key_{name}) < limit_{name}) {{\n        log(\"too small\", s->name, {name});\n        \
             s->errors = s->errors + weight({name});\n        return fail(s, {name});\n    }}\n"
        )
    };
    let function = |name: &str, steps: &str| {
        format!("int {name}(struct s *s, int in)\n{{\n{steps}    return 0;\n}}\n")
    };
    let repository = Repository::new();
    repository.write("a.c", function("a", &["width", "height", "depth"].map(step).concat()));
    repository.commit("before");
    let other = format!("    int z = start(in);\n{}    finish(z, in, s);\n", step("speed"));
    repository.write("b.c", function("other", &other));
    repository.commit("after");
    let report = repository.check(&["--base", "HEAD~1"]);
    let origins = report.list("/findings/0/origins");
    assert_eq!(origins.len(), 3);
    assert!(origins.iter().all(|of| of["cloneType"] == "type-3"), "{origins:?}");
}
