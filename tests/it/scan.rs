//! Shows what `secondhand scan` tells of a tree: its clone classes, and what share of it they are.

use std::fs;
use std::path::Path;

use crate::samples::{File, LANGUAGES, Language};
use serde_json::Value;
use support::{Report, Repository, secondhand};

/// A repository that holds `files`, committed.
fn repository_of(files: &[&File]) -> Repository {
    let repository = Repository::new();
    for file in files {
        repository.write(&file.path, &file.text);
    }
    repository.commit("all");
    repository
}

fn scan(repository: &Repository, args: &[&str]) -> Report {
    Report::new(&mut repository.secondhand(&[&["scan", "--format", "json"], args].concat()))
}

/// The classes of a tree: a line each, its first place and the others.
fn classes(report: &Report) -> Vec<String> {
    report.findings()
}

/// The class of `first` in each of `files`.
fn class_of(first: &str, files: &[(&File, &str)]) -> String {
    let places: Vec<String> =
        files.iter().map(|(file, clone_type)| format!("{clone_type} {}", file.at(first))).collect();
    let (head, others) = places.split_first().expect("a class has places");
    format!("note {} <- {}", head.trim_start(), others.join(", "))
}

/// A folder outside of any repository that holds `files`.
fn folder_of(files: &[&File]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("there is room");
    for file in files {
        let path = folder.path().join(&file.path);
        fs::create_dir_all(path.parent().expect("it has one")).expect("it can be made");
        fs::write(path, &file.text).expect("it can be written");
    }
    folder
}

const C: &Language = &LANGUAGES[0];

#[test]
fn all_copies_of_one_text_are_one_class() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let a = language.file("a", &[second, first]);
        let b = language.file("b", &[first]);
        let c = language.file("c", &[third, first]);
        let report = scan(&repository_of(&[&a, &b, &c]), &[]);
        assert_eq!(
            classes(&report),
            [class_of(first, &[(&a, ""), (&b, "type-1"), (&c, "type-1")])]
        );
    }
}

#[test]
fn renamed_and_edited_copies_are_members_with_their_clone_type() {
    for language in LANGUAGES {
        let Language { first, second, third, .. } = language;
        let a = language.file("a", &[first, second]);
        let b = File {
            path: language.path("b"),
            text: format!("{}{}", language.head, language.renamed()),
        };
        let report = scan(&repository_of(&[&a, &b, &language.file("c", &[third])]), &[]);
        assert_eq!(classes(&report).len(), 1, "{}", language.extension);
        assert_eq!(
            report.list("/findings/0/origins")[0]["cloneType"],
            "type-2",
            "{}",
            language.extension
        );
    }
}

#[test]
fn a_tree_without_copies_has_no_class_and_no_share() {
    let report = scan(&repository_of(&[&C.file("a", &[C.first]), &C.file("b", &[C.second])]), &[]);
    assert_eq!((report.status, classes(&report).len()), (0, 0));
    assert_eq!(report.json["duplication"]["total"]["duplicatedLines"], 0);
    assert_eq!(report.json["duplication"]["total"]["files"], 2);
}

#[test]
fn shares_are_told_by_language_and_folder_and_count_what_would_go() {
    let python = &LANGUAGES[1];
    let (a, b) = (C.file("x/a", &[C.first]), C.file("y/b", &[C.first, C.second]));
    let p = python.file("y/p", &[python.first]);
    // One place stays; a third copy adds its own lines.
    let c = C.file("y/c", &[C.first]);
    let two = scan(&repository_of(&[&a, &b, &p]), &[]);
    let three = scan(&repository_of(&[&a, &b, &c, &p]), &[]);
    let at = |report: &Report, pointer: &str| {
        report.json.pointer(pointer).and_then(Value::as_u64).expect("it is counted")
    };
    let n = C.first.lines().count() as u64;
    assert_eq!(at(&two, "/duplication/byFolder/x/duplicatedLines"), 0);
    assert_eq!(at(&two, "/duplication/byFolder/y/duplicatedLines"), n);
    assert_eq!(at(&two, "/duplication/byLanguage/C/duplicatedLines"), n);
    assert_eq!(at(&two, "/duplication/byLanguage/Python/duplicatedLines"), 0);
    assert_eq!(at(&three, "/duplication/total/duplicatedLines"), 2 * n);
    assert_eq!(at(&three, "/findings/0/savedLines"), 2 * n);
}

#[test]
fn lines_that_no_other_place_has_would_not_go() {
    let file = |name: &str, script: &str, added: &str| File {
        path: format!("{name}.go"),
        text: format!(
            "package main\n\nfunc {name}(out io.Writer, names []string) error {{\n\tcount := 0\n\tfor _, name := range names {{\n\t\tif len(name) == 0 {{\n\t\t\tcontinue\n\t\t}}\n{added}\t\tcount += len(name)\n\t}}\n\t_, err := fmt.Fprintf(out, `{script}`, count, names[0])\n\tif err != nil {{\n\t\treturn fmt.Errorf(\"cannot write %d: %w\", count, err)\n\t}}\n\treturn nil\n}}\n"
        ),
    };
    let saved = |files: [File; 2]| {
        let report = scan(&repository_of(&files.each_ref()), &[]);
        assert_eq!(classes(&report).len(), 1);
        let total = report.json["duplication"]["total"]["duplicatedLines"].as_u64();
        (report.json["findings"][0]["savedLines"].as_u64(), total)
    };
    let script = "if %d\nthen\n  echo %s\nfi";
    let n = saved([file("Bash", script, ""), file("Zsh", script, "")]);
    assert_eq!(n, (Some(17), Some(17)), "a string that is the same, with all of its lines");
    let other = "test %d\nand begin\n  echo %s\n  echo\nend";
    let n = saved([file("Bash", script, ""), file("Fish", other, "")]);
    assert_eq!(n, (Some(15), Some(15)), "without the lines inside of a string that differs");
    let added = "\t\tif name == \"-\" {\n\t\t\t// None.\n\t\t\tcontinue\n\t\t}\n";
    let n = saved([file("Bash", script, ""), file("Zsh", script, added)]);
    assert_eq!(n, (Some(17), Some(17)), "without what was put in");
}

#[test]
fn fail_on_percent_is_a_limit_on_the_share_of_lines() {
    let repository = repository_of(&[&C.file("a", &[C.first]), &C.file("b", &[C.first])]);
    let status = |limit: &str| scan(&repository, &["--fail-on-percent", limit]).status;
    assert_eq!((status("10"), status("100")), (1, 0));
    assert_eq!(scan(&repository, &[]).status, 0);
    for limit in ["nan", "inf", "-1", "101", "1e9", ""] {
        let limit = format!("--fail-on-percent={limit}");
        let ended = repository.secondhand(&["scan", &limit]).output().expect("the program starts");
        assert_eq!(ended.status.code(), Some(2), "{limit}");
    }
}

#[test]
fn paths_keep_the_scan_to_what_lies_in_them() {
    let files = [C.file("x/a", &[C.first]), C.file("x/b", &[C.first]), C.file("y/c", &[C.first])];
    let repository = repository_of(&files.each_ref());
    let in_x = class_of(C.first, &[(&files[0], ""), (&files[1], "type-1")]);
    assert_eq!(classes(&scan(&repository, &["x"])), [in_x]);
    assert_eq!(classes(&scan(&repository, &["y"])), [""; 0]);
    assert_eq!(scan(&repository, &["x", "y"]).list("/findings/0/origins").len(), 2);
}

#[test]
fn a_plain_folder_is_scanned_as_a_repository_is() {
    let files = [C.file("a", &[C.first]), C.file("deep/er/b", &[C.first])];
    let folder = folder_of(&files.each_ref());
    let run = |from: &Path, args: &[&str]| {
        Report::new(&mut secondhand(from, &[&["scan", "--format", "json"], args].concat()))
            .findings()
    };
    let expected = [class_of(C.first, &[(&files[0], ""), (&files[1], "type-1")])];
    assert_eq!(run(folder.path(), &[]), expected);
    let elsewhere = tempfile::tempdir().expect("there is room");
    assert_eq!(run(elsewhere.path(), &[folder.path().to_str().expect("it is text")]), expected);
    assert_eq!(run(folder.path(), &["deep", &files[0].path, "deep/er"]), expected);
    assert_eq!(run(folder.path(), &[&files[0].path]), [""; 0]);
}

#[test]
fn a_tree_in_which_nothing_was_examined_is_said_to_be_so() {
    let folder = folder_of(&[&C.file("a", &[C.first]), &C.file("b", &[C.first])]);
    fs::write(folder.path().join(".gitignore"), "/*\n").expect("it can be written");
    let output = secondhand(folder.path(), &["scan"]).output().expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("no file in") && errors.contains("was examined"), "{errors}");
}

#[test]
fn a_revision_is_scanned_as_it_was() {
    let (a, b) = (C.file("a", &[C.first]), C.file("b", &[C.first]));
    let repository = repository_of(&[&a, &b]);
    repository.remove(&b.path);
    repository.commit("one copy less");
    assert_eq!(classes(&scan(&repository, &[])), [""; 0]);
    assert_eq!(
        classes(&scan(&repository, &["--rev", "HEAD~1"])),
        [class_of(C.first, &[(&a, ""), (&b, "type-1")])]
    );
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let files: Vec<File> = (0..12)
        .map(|n| C.file(&format!("f{n}"), &[if n % 3 == 0 { C.second } else { C.third }, C.first]))
        .collect();
    let repository = repository_of(&files.iter().collect::<Vec<_>>());
    let printed = |threads: &str| {
        let output = repository.secondhand(&["scan", "--format", "json", "-j", threads]).output();
        output.expect("the program starts").stdout
    };
    let one = printed("1");
    assert!(!one.is_empty());
    assert!(one == printed("2") && one == printed("7"), "the reports differ");
}

#[test]
fn source_comes_before_tests_documents_and_examples_and_has_its_own_share() {
    let twice = |folder: &str, text: &str| {
        ["a", "b"].map(|name| File { path: format!("{folder}/{name}.c"), text: text.to_owned() })
    };
    let long = format!("{}\n{}", C.second, C.third);
    let [first, second] = twice("aaa/tests", &long);
    let [third, fourth] = twice("src", C.first);
    let used = File { path: "bbb/examples/c.c".to_owned(), text: C.first.to_owned() };
    let report = scan(&repository_of(&[&first, &second, &third, &fourth, &used]), &[]);
    let paths: Vec<_> =
        report.list("/findings").iter().map(|of| of["path"].as_str().expect("a path")).collect();
    assert_eq!(
        paths,
        ["src/a.c", "aaa/tests/a.c"],
        "source first, though the tests are longer and come first"
    );
    assert_eq!(
        report.findings()[0],
        "note src/a.c:1-14 <- type-1 src/b.c:1-14, type-1 bbb/examples/c.c:1-14"
    );
    let total = &report.json["duplication"]["total"];
    let figures = ["files", "lines", "duplicatedLines"].map(|key| total[key].as_u64());
    // What follows the last line break counts as a line.
    assert_eq!(figures, [Some(2), Some(30), Some(14)]);
}

#[test]
fn declarations_are_no_duplicates_although_code_repeats_them() {
    let files = ["src/locales/de.c", "src/locales/fr.c", "src/text.c"]
        .map(|path| File { path: path.to_owned(), text: C.first.to_owned() });
    let report = scan(&repository_of(&files.iter().collect::<Vec<_>>()), &[]);
    assert_eq!(classes(&report).len(), 1);
    assert_eq!(report.json["duplication"]["total"]["duplicatedLines"], 0);
}

#[test]
fn alternatives_of_which_a_build_has_one_are_no_duplicates() {
    let body = C.first.to_owned() + C.second;
    let file = |path: &str, text: String| File { path: path.to_owned(), text };
    let check = |files: [File; 2], expected: usize| {
        let report = scan(&repository_of(&files.iter().collect::<Vec<_>>()), &[]);
        let duplicated = report.json["duplication"]["total"]["duplicatedLines"].as_u64();
        assert_eq!(
            (classes(&report).len(), duplicated > Some(0)),
            (expected, expected > 0),
            "{:?}",
            files[1].path
        );
    };
    check([file("src/poll_epoll.c", body.clone()), file("src/poll_kqueue.c", body.clone())], 0);
    check([file("src/poll_epoll.c", body.clone()), file("src/other.c", body.clone())], 1);
    let branches = format!("#ifdef A\n{body}#else\n{body}#endif\n");
    check([file("src/a.c", branches), file("src/b.c", C.third.to_owned())], 0);
}

#[test]
fn the_share_of_source_leaves_out_tests_inside_of_it() {
    let own = "pub fn size(list: &[u32]) -> u32 {\n    list.iter().map(|item| item + 1).sum()\n}\n";
    let test = "    #[test]\n    fn NAME() {\n        let list = vec![1, 2, 3];\n        let other = vec![4, 5, 6];\n        \
                for item in list.iter().chain(&other) {\n            if item % 2 == 0 {\n                \
                assert_eq!(size(&list), 9 + item);\n            }\n            assert!(item < &7, \"it is {item}\");\n        \
                }\n    }\n";
    let tests = ["one", "two"].map(|name| test.replace("NAME", name)).join("\n");
    let file = File {
        path: "src/lib.rs".to_owned(),
        text: format!("{own}\n#[cfg(test)]\nmod tests {{\n{tests}}}\n"),
    };
    let report = scan(&repository_of(&[&file]), &[]);
    let total = &report.json["duplication"]["total"];
    assert_eq!(
        (classes(&report).len(), total["duplicatedLines"].as_u64()),
        (1, Some(0)),
        "{total}"
    );
    // The function, an empty line, and what follows the last line break.
    assert_eq!(total["lines"], 5, "{total}");
}

/// What a scan prints in a format.
fn printed(repository: &Repository, args: &[&str]) -> String {
    let output =
        repository.secondhand(&[&["scan"], args].concat()).output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it is text")
}

#[test]
fn figures_are_written_for_badges_metrics_and_trends() {
    let (first, copy) = (C.file("first", &[C.first, C.second]), C.file("copy\"y", &[C.first]));
    let repository = repository_of(&[&first, &copy]);
    let shields: Value =
        serde_json::from_str(&printed(&repository, &["--format", "shields"])).expect("it is JSON");
    assert_eq!((&shields["schemaVersion"], &shields["label"]), (&1.into(), &"duplication".into()));
    let message = shields["message"].as_str().expect("it has a message");
    let badge = printed(&repository, &["--format", "badge"]);
    assert!(badge.starts_with("<svg ") && badge.contains(&format!(">{message}</text>")), "{badge}");
    let row: Value =
        serde_json::from_str(&printed(&repository, &["--rev", "HEAD", "--format", "trend"]))
            .expect("it is JSON");
    assert_eq!((&row["cloneClasses"], row["commit"].as_str().map(str::len)), (&1.into(), Some(40)));
    let figure = |name: &str| row[name].as_f64().expect("a number");
    assert_eq!(format!("{:.1} %", 100.0 * figure("duplicatedLines") / figure("lines")), message);

    // OpenMetrics: each family declared once, its samples right behind, and an end.
    let metrics = printed(&repository, &["--format", "openmetrics"]);
    assert!(metrics.ends_with("\n# EOF\n"), "{metrics}");
    let mut families: Vec<&str> = Vec::new();
    for line in metrics.lines().filter(|line| *line != "# EOF") {
        match line.strip_prefix("# TYPE ") {
            Some(of) => families.push(of.split(' ').next().expect("a name")),
            None if line.starts_with('#') => {}
            None => {
                let name = line.split(['{', ' ']).next().expect("a name");
                assert_eq!(families.last(), Some(&name), "{line}");
                let value = line.rsplit(' ').next().expect("a value");
                assert!(value.parse::<f64>().is_ok(), "{line}");
            }
        }
    }
    let n_families = families.len();
    families.sort_unstable();
    families.dedup();
    assert_eq!(families.len(), n_families);
    assert!(metrics.contains("secondhand_language_files{language=\"C\"} 2\n"), "{metrics}");
}

#[test]
fn a_brief_says_what_is_equal_and_what_differs() {
    let renamed = C.renamed();
    let (first, copy) = (C.file("first", &[C.first]), C.file("copy", &[renamed.as_str()]));
    let repository = repository_of(&[&first, &copy]);
    let report = scan(&repository, &["--brief"]);
    let brief = &report.list("/findings")[0]["brief"];
    let replaced = brief["replaced"].as_array().expect("names differ");
    let (_, to) = C.names[0];
    let has = |name: &str| replaced.iter().any(|of| of["origin"] == name || of["copy"] == name);
    assert!(has(to) && replaced.iter().all(|of| of["consistent"] == true), "{brief}");
    assert_eq!(brief["rewritten"], serde_json::json!([]));
    let n_lines = brief["lines"].as_u64().expect("a number");
    assert_eq!(brief["savedLines"], n_lines - 1);
    assert!(brief["equalLines"].as_u64().is_some_and(|n| n < n_lines), "{brief}");
    // Only who asks for it gets it.
    assert!(scan(&repository, &[]).list("/findings")[0]["brief"].is_null());
    assert!(printed(&repository, &["--brief"]).contains("renamed throughout: "));
}

#[test]
fn a_brief_names_the_calls_of_both_functions_and_no_declaration() {
    let renamed = C.renamed();
    let (first, copy) = (C.file("first", &[C.first]), C.file("copy", &[renamed.as_str()]));
    let name = |text: &str| {
        let head = text.split('(').next().expect("a function has a head");
        head.split(|c: char| !c.is_alphanumeric() && c != '_')
            .next_back()
            .expect("it has a name")
            .to_owned()
    };
    let (own, other) = (name(C.first), name(&renamed));
    assert_ne!(own, other);
    let repository = repository_of(&[&first, &copy]);
    repository.write(
        "table.h",
        format!("int {own}(const char *path);\nextern int {other}(const char *path);\n"),
    );
    repository.write(
        "use.c",
        format!(
            "#include \"table.h\"\n\nint main(void)\n{{\n    int n = {own}(\"a\");\n    return {own}(\"b\") + n;\n}}\n"
        ),
    );
    repository.commit("calls");
    let brief = scan(&repository, &["--brief"]).list("/findings")[0]["brief"].clone();
    let functions = brief["functions"].as_array().expect("both have a name");
    let of = |name: &str| {
        functions.iter().find(|function| function["name"] == name).expect("it is named").clone()
    };
    assert_eq!(of(&own)["calls"], serde_json::json!(["use.c:5", "use.c:6"]), "{brief}");
    assert_eq!((&of(&other)["calls"], &of(&other)["total"]), (&serde_json::json!([]), &0.into()));
    let text = printed(&repository, &["--brief"]);
    assert!(
        text.contains("is called in use.c:5, use.c:6")
            && text.contains("is called nowhere by that name"),
        "{text}"
    );
}

#[test]
fn functions_that_nobody_calls_share_a_line_and_those_of_one_name_are_named_once() {
    let file = |name| C.file(name, &[C.first, C.second, C.third]);
    let text = printed(&repository_of(&[&file("one"), &file("two")]), &["--brief"]);
    assert_eq!(text.matches("nowhere").count(), 1, "{text}");
    assert!(text.contains("are called nowhere by these names"), "{text}");
}

/// The classes of a repository with `text` at two paths.
fn classes_of_twice(extension: &str, text: &str) -> Vec<String> {
    let file = |name: &str| File { path: format!("{name}.{extension}"), text: text.to_owned() };
    classes(&scan(
        &repository_of(&[&file("a/one"), &file("b/two"), &C.file("c", &[C.second])]),
        &[],
    ))
}

#[test]
fn a_file_that_is_byte_for_byte_another_is_a_class_whatever_it_holds() {
    let rows = |row: &dyn Fn(usize) -> String| (0..30).map(row).collect::<String>();
    for (extension, text) in [
        ("py", rows(&|i| format!("setting_{i} = value_{i}\n"))),
        ("c", rows(&|i| format!("int get_{i}(struct s *p) {{ return p->field_{i}; }}\n"))),
        ("py", rows(&|i| format!("LEVEL_{i} = {i}\n"))),
    ] {
        let found = classes_of_twice(extension, &text);
        assert_eq!(
            found,
            [format!("note a/one.{extension}:1-30 <- type-1 b/two.{extension}:1-30")]
        );
    }
    let assignments: String = (0..17).map(|i| format!("setting_{i} = value_{i}\n")).collect();
    assert_eq!(classes_of_twice("py", &assignments).len(), 1);
    assert_eq!(
        classes_of_twice("py", &assignments[..assignments.len() / 2]),
        [""; 0],
        "it is too short"
    );
}

#[test]
fn five_hundred_copies_of_one_function_are_one_class_of_five_hundred() {
    let files: Vec<File> =
        (0..500).map(|at| C.file(&format!("d{}/f{at}", at / 50), &[C.first])).collect();
    let report = scan(&repository_of(&files.iter().collect::<Vec<_>>()), &[]);
    assert_eq!(classes(&report).len(), 1);
    assert_eq!(report.list("/findings/0/origins").len(), 499);
}

#[test]
fn what_was_compared_in_part_is_named() {
    let report =
        scan(&repository_of(&[&of_few_statements("a", 3), &of_few_statements("b", 4)]), &[]);
    let notices = report.list("/notices");
    let of_files = notices.iter().filter(|notice| {
        let message = notice["message"].as_str().unwrap_or_default();
        message.contains("is very repetitive")
            && message.contains("1 repeat was not extended past edits at its ends")
    });
    assert!(of_files.count() > 0, "{notices:?}");
}

/// A function of eight statements, of shapes chosen by `seed`, with names of its own; the fifth may
/// be another.
fn of_eight_statements(name: &str, seed: usize, fifth: Option<&str>) -> File {
    let shapes = [
        "    lock_N(state_N);\n",
        "    total_N += width_N * height_N;\n",
        "    if (total_N > limit_N) return -1;\n",
        "    rows_N[at_N]--;\n",
        "    name_N = first_N ? second_N : third_N;\n",
        "    free_N(&list_N->head_N);\n",
        "    *next_N = 0;\n",
    ];
    let statement = |at: usize| shapes[(seed * (at + 3) + at * at) % shapes.len()];
    let body: String =
        (0..8).map(|at| fifth.filter(|_| at == 4).unwrap_or_else(|| statement(at))).collect();
    let text = format!("int run_N(void)\n{{\n{body}    return done_N;\n}}\n");
    File { path: format!("{name}{seed}.c"), text: text.replace("_N", &format!("_{seed}")) }
}

#[test]
fn a_short_copy_with_an_edit_in_its_middle_is_found_by_what_is_spelled_the_same() {
    let pair = |seed| {
        let edit = "    while (begin_N()) end_N();\n";
        [("a", None), ("b", Some(edit))].map(|(side, fifth)| of_eight_statements(side, seed, fifth))
    };
    let files: Vec<File> = (0..7).flat_map(pair).collect();
    let report = scan(&repository_of(&files.iter().collect::<Vec<_>>()), &[]);
    let classes = classes(&report).join("\n");
    for seed in 0..7 {
        let class = (format!(" a{seed}.c:"), format!(" b{seed}.c:"));
        let is_it = |line: &str| line.contains(&class.0) && line.contains(&class.1);
        assert!(classes.lines().any(is_it), "no class has both of {seed}:\n{classes}");
    }
}

/// A file of 300 statements of two shapes at random, which is like itself and its kind everywhere.
fn of_few_statements(name: &str, seed: u64) -> File {
    let mut state = seed;
    let mut statement = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if state >> 63 == 0 { "    c(d, 7);\n" } else { "    a[b] = 3;\n" }
    };
    let body: String = (0..300).map(|_| statement()).collect();
    File { path: format!("{name}.c"), text: format!("void f(void)\n{{\n{body}}}\n") }
}

/// Fifteen functions that have nothing in common, each in two files below `folder`.
fn fifteen_pairs(folder: &str) -> Vec<File> {
    let functions = LANGUAGES
        .iter()
        .flat_map(|of| [of.first, of.second, of.third].map(|function| (of, function)));
    let pair = |(n, (of, function)): (usize, (&Language, &str))| {
        ["a", "b"].map(|side| of.file(&format!("{folder}/{side}{n}"), &[function]))
    };
    functions.enumerate().flat_map(pair).collect()
}

#[test]
fn a_scan_prints_what_fits_a_screen_those_that_save_most_first() {
    let mut files = fifteen_pairs("src");
    let again = C.file("src/c", &[C.second]);
    files.push(again);
    let repository = repository_of(&files.iter().collect::<Vec<_>>());
    let text = |args: &[&str]| printed(&repository, &[&["--set", "min-tokens=25"], args].concat());
    let screen = text(&[]);
    let classes = |text: &str| text.lines().filter(|line| line.contains(", also ")).count();
    assert_eq!(classes(&screen), 10, "{screen}");
    assert!(screen.starts_with("15 clone classes in "), "the summary is first: {screen}");
    assert!(screen.contains("and 5 others that are worth less: `--all` prints all"), "{screen}");
    let first = screen.lines().find(|line| line.contains(", also ")).expect("there are some");
    assert!(first.matches("src/").count() == 3, "the only one in three places saves most: {first}");
    assert_eq!(classes(&text(&["--top", "2"])), 2);
    let all = text(&["--all"]);
    assert_eq!(all.matches("lines found in ").count(), 15, "{all}");
}

#[test]
fn of_classes_that_begin_in_the_same_code_a_screen_has_one() {
    let mut files = fifteen_pairs("src");
    files.extend(["src/0a", "src/0b"].map(|name| C.file(name, &[C.first, C.second])));
    let repository = repository_of(&files.iter().collect::<Vec<_>>());
    let screen = printed(&repository, &["--set", "min-tokens=25"]);
    assert!(screen.starts_with("16 clone classes in "), "{screen}");
    let n = screen.lines().filter(|line| line.contains("] src/0a.c:")).count();
    assert_eq!(n, 2, "the two functions, and not both as one: {screen}");
}

#[test]
fn a_screen_says_so_if_no_number_lists_more() {
    let mut files = fifteen_pairs("tests");
    files.extend(["src/a", "src/b"].map(|name| C.file(name, &[C.first])));
    let repository = repository_of(&files.iter().collect::<Vec<_>>());
    let screen = printed(&repository, &["--set", "min-tokens=25"]);
    let rest = "\nnot listed: 14 classes, not worth a warning or in code listed above; `--all`";
    assert!(screen.contains(rest), "{screen}");
}

#[test]
fn a_check_prints_ten_findings_of_more_than_twenty() {
    let before = fifteen_pairs("src");
    let repository = repository_of(&before.iter().collect::<Vec<_>>());
    for file in fifteen_pairs("new") {
        repository.write(&file.path, &file.text);
    }
    repository.commit("copy all");
    let text = |args: &[&str]| {
        let check =
            ["check", "--base", "HEAD~1", "--set", "min-tokens=25", "--set", "max-warnings=100"];
        String::from_utf8(
            repository.secondhand(&[&check, args].concat()).output().expect("it runs").stdout,
        )
        .expect("it is text")
    };
    let findings =
        |text: &str| text.lines().filter(|line| line.contains("[copied-code]: ")).count();
    let (some, all) = (text(&[]), text(&["--all"]));
    assert!(findings(&all) > 20, "{all}");
    assert_eq!(findings(&some), 10, "{some}");
    assert!(
        some.contains(&format!("and {} others that are worth less", findings(&all) - 10)),
        "{some}"
    );
}
