//! Shows which version of a project a folder is, and what is said of each of its files.

use std::collections::BTreeSet;

use serde_json::json;
use support::git_command;

use super::*;

/// The folders of an audit that are versions of components.
#[track_caller]
fn versions(shelf: &Shelf, repository: &Repository) -> Vec<Value> {
    shelf.report(repository, &["audit"]).list("/audit/versions").to_vec()
}

/// The only one.
#[track_caller]
fn version(shelf: &Shelf, repository: &Repository) -> Value {
    let versions = versions(shelf, repository);
    let [version] = &versions[..] else { panic!("{versions:?}") };
    version.clone()
}

/// What is said of the files: how many there are, how many are identical and edited, and those that
/// another version has, that are added and that are missing.
fn files(version: &Value) -> [Value; 6] {
    let edited = version["edited"]
        .as_array()
        .expect("it is a list")
        .iter()
        .map(|of| of["path"].clone())
        .collect();
    let others = version["ofOtherVersions"].as_array().expect("it is a list");
    let others = others.iter().map(|of| json!([of["path"], of["version"]])).collect();
    let [n, n_same, added, missing] =
        ["files", "identicalFiles", "added", "missing"].map(|field| version[field].clone());
    [n, n_same, Value::Array(edited), Value::Array(others), added, missing]
}

/// A file of a library with a function of this name.
pub(super) fn part(name: &str) -> String {
    LIST.replace("record_list", &format!("record_{name}")).replace("damaged", name)
}

/// A project with five files: 1.0 has them in `src/`, 1.1 with one fixed, 2.0 in the root with
/// three others changed.
pub(super) fn library() -> Repository {
    let origin = Repository::new();
    let names = ["dump", "find", "list", "sort"];
    for name in names {
        origin.write(format!("src/{name}.c"), part(name));
    }
    origin.write("src/record.c", [READ, WRITE].concat());
    origin.commit("Begin");
    origin.git(&["tag", "v1.0"]);
    origin.write("src/record.c", [&fixed(), WRITE].concat());
    origin.commit(FIX);
    origin.git(&["tag", "v1.1"]);
    for name in names {
        origin.rename(format!("src/{name}.c"), format!("{name}.c"));
    }
    origin.rename("src/record.c", "record.c");
    for name in ["dump", "find", "sort"] {
        origin.write(format!("{name}.c"), part(name).replace("number++", "number += 1"));
    }
    origin.commit("Move all to the root");
    origin.git(&["tag", "v2.0"]);
    origin
}

/// The files of a version of the library, in a folder.
pub(super) fn unpacked(
    origin: &Repository,
    tag: &str,
    folder: &str,
    into: &str,
) -> Vec<(String, String)> {
    let list = origin.git(&["ls-tree", "-r", "--name-only", tag]);
    list.lines()
        .filter_map(|path| Some((path, path.strip_prefix(folder)?)))
        .map(|(path, name)| {
            (format!("{into}/{name}"), origin.git(&["show", &format!("{tag}:{path}")]) + "\n")
        })
        .collect()
}

pub(super) fn copying_all(files: &[(String, String)]) -> Repository {
    copying(&files.iter().map(|(path, text)| (&path[..], &text[..])).collect::<Vec<_>>())
}

/// Changes a file of a list.
pub(super) fn edit(files: &mut [(String, String)], path: &str, from: &str, to: &str) {
    let file = files.iter_mut().find(|(of, _)| of == path).expect("the file is there");
    assert!(file.1.contains(from), "{}", file.1);
    file.1 = file.1.replace(from, to);
}

#[test]
fn a_folder_is_the_version_whose_files_fit_best_with_its_local_edits() {
    let (origin, _, _) = origin();
    let shelf = Shelf::of(&origin);
    // Each file alone would fit several versions, or none.
    let edited = [&fixed(), &WRITE.replace("RECORD_FULL", "RECORD_ERROR")[..]].concat();
    let other = LIST.replace("list", "dump").replace("fprintf", "print_to");
    let lists = [
        ("deps/archive/record.c", &edited[..]),
        ("deps/archive/list.c", LIST),
        ("deps/archive/own.c", "int own;\n"),
    ];
    let repository = copying(&lists);
    // One of two files is not most of them.
    let half = version(&shelf, &repository);
    assert_eq!(
        [&half["version"], &half["nearest"], &half["purl"]],
        [&Value::Null, &"v1.1".into(), &Value::Null]
    );
    let repository = copying(&[&lists[..], &[("deps/archive/other.c", &other)]].concat());
    let version = version(&shelf, &repository);
    let expected = [
        ("folder", "deps/archive"),
        ("component", "archive"),
        ("origin", "src"),
        ("version", "v1.1"),
        ("purl", "pkg:generic/archive@1.1"),
    ];
    for (field, value) in expected {
        assert_eq!(version[field], value, "{field}");
    }
    let counts = ["files", "identicalFiles", "addedLines", "removedLines"]
        .map(|field| version[field].clone());
    assert_eq!(counts, [3, 2, 2, 2].map(Value::from));
    assert_eq!(version["added"], json!(["deps/archive/own.c"]));
    let edit = &version["edited"][0]["edits"][0];
    assert_eq!(edit["removed"][0], "        return RECORD_FULL;");
    assert_eq!(edit["added"][0], "        return RECORD_ERROR;");

    for (format, expected) in [
        (
            "text",
            "  deps/archive/ is archive v1.1 (pkg:generic/archive@1.1), its src/: 2 of 3 files identical, +2 -2 lines in 1 other",
        ),
        ("html", "deps/archive/ is archive v1.1 (pkg:generic/archive@1.1)"),
        ("notice", "Modified: deps/archive: v1.1, 2 of 3 files identical, +2 -2 lines in 1 other"),
        ("spdx", "\"referenceLocator\": \"pkg:generic/archive@1.1\""),
        ("cyclonedx", "\"purl\": \"pkg:generic/archive@1.1\""),
        ("cyclonedx", "-        return RECORD_FULL;\\n"),
        ("cyclonedx", "\"content\": \"# lines of comments and blank lines are left out\\n"),
    ] {
        let written = shelf.format(&repository, "audit", format);
        assert!(written.contains(expected), "{format} lacks {expected}:\n{written}");
    }
}

#[test]
fn a_notice_says_what_was_modified_where_it_names_the_license_of_that() {
    let origin = library();
    origin.write("other.c", format!("/* SPDX-License-Identifier: ISC */\n{}", part("other")));
    origin.write("LICENSE", "SPDX-License-Identifier: MIT\n");
    origin.commit("Add another");
    origin.git(&["tag", "v3.0"]);
    let shelf = Shelf::of(&origin);
    let mut files = unpacked(&origin, "v3.0", "", "lib");
    edit(&mut files, "lib/dump.c", "record->kind", "record->sort");
    let notice = shelf.format(&copying_all(&files), "audit", "notice");
    let rows: Vec<&str> = notice.split(&"-".repeat(72)).skip(1).collect();
    let modified = |license: &str| {
        let row = rows.iter().find(|row| row.contains(&format!("License: {license}\n")));
        row.map(|row| row.contains("\nModified: lib: "))
    };
    assert_eq!([modified("MIT"), modified("ISC")], [Some(true), Some(false)], "{notice}");
}

#[test]
fn each_file_of_a_folder_is_judged_by_its_name_though_the_project_moved_it() {
    let origin = library();
    let shelf = Shelf::of(&origin);
    for (tag, folder, origin_folder) in [("v1.1", "src/", "src"), ("v2.0", "", "")] {
        let whole = unpacked(&origin, tag, folder, "third_party/archive");
        let of_whole = version(&shelf, &copying_all(&whole));
        assert_eq!([&of_whole["version"], &of_whole["origin"]], [tag, origin_folder]);
        assert_eq!(
            files(&of_whole),
            [json!(5), json!(5), json!([]), json!([]), json!([]), json!([])],
            "{tag}"
        );
        // Whichever of the files is patched, one or two: it is counted, and the others stay.
        let patches =
            [("dump", "record->kind", "record->sort"), ("record", "RECORD_FULL", "RECORD_ERROR")];
        let path = |name: &str| format!("third_party/archive/{name}.c");
        for n in [1, 2] {
            let mut patched = whole.clone();
            patches[..n]
                .iter()
                .for_each(|(name, from, to)| edit(&mut patched, &path(name), from, to));
            patched.retain(|(of, _)| *of != path("list"));
            patched.push((path("own"), "int own;\n".to_owned()));
            let of_patched = version(&shelf, &copying_all(&patched));
            let edited: Vec<String> = patches[..n].iter().map(|(name, ..)| path(name)).collect();
            let missing = if origin_folder.is_empty() { "list.c" } else { "src/list.c" };
            let expected = [
                json!(4),
                json!(4 - n),
                json!(edited),
                json!([]),
                json!([path("own")]),
                json!([missing]),
            ];
            assert_eq!(files(&of_patched), expected, "{tag} {n}");
            // Two of four are not most.
            let is = if n == 1 { Value::from(tag) } else { Value::Null };
            assert_eq!([&of_patched["version"], &of_patched["nearest"]], [&is, &Value::from(tag)]);
        }
    }
}

#[test]
fn two_versions_in_one_folder_are_told_and_so_are_files_that_only_a_commit_has() {
    let origin = library();
    origin.write("record.c", [fixed(), widened()].concat());
    let later = origin.commit("Mask the kind");
    let shelf = Shelf::of(&origin);
    let mut mixed = unpacked(&origin, "v2.0", "", "lib");
    mixed.retain(|(path, _)| path != "lib/sort.c" && path != "lib/record.c");
    mixed.extend([
        ("lib/sort.c".to_owned(), part("sort")),
        ("lib/record.c".to_owned(), [fixed(), widened()].concat()),
    ]);
    let repository = copying_all(&mixed);
    let of_mixed = version(&shelf, &repository);
    assert_eq!(of_mixed["version"], "v2.0");
    let others = json!([["lib/record.c", &later[..10]], ["lib/sort.c", "v1.0 to v1.1"]]);
    assert_eq!(files(&of_mixed), [json!(5), json!(3), json!([]), others, json!([]), json!([])]);
    // What is said of a file is never the version of its folder, unless that has it.
    let report = shelf.report(&repository, &["audit"]);
    let labels: Vec<String> = report
        .list("/audit/copiedFiles")
        .iter()
        .map(|file| format!("{} {}", file["path"], file["origins"][0]["version"]).replace('"', ""))
        .collect();
    let expected = [
        "lib/dump.c v2.0",
        "lib/find.c v2.0",
        "lib/list.c v1.0 to v2.0",
        &format!("lib/record.c {}", &later[..10]),
        "lib/sort.c v1.0 to v1.1",
    ];
    assert_eq!(labels, expected);
    let text = shelf.format(&repository, "audit", "text");
    for line in [
        "mixed in, of v1.0 to v1.1: lib/sort.c",
        "lib/sort.c: 100 % archive v1.0 to v1.1 src/sort.c, identical",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
}

#[test]
fn a_line_of_a_string_that_was_edited_is_a_line() {
    let origin = library();
    origin.write("reader.py", READER);
    origin.commit("Read it in Python, too");
    origin.git(&["tag", "v3.0"]);
    let (here, there) = (Shelf::of(&origin), Shelf::new());
    let mut edited = unpacked(&origin, "HEAD", "", "lib");
    edit(&mut edited, "lib/reader.py", "as long as", "as short as");
    let repository = copying_all(&edited);
    let file = write(&here, "known.corpus", "");
    here.corpus(&["export", "known", "--output", &file]);
    there.corpus(&["import", "known", &file]);
    for (shelf, added) in
        [(&here, "    The rest is as short as it says."), (&there, "    \"\"\"Read a record.")]
    {
        let version = version(shelf, &repository);
        assert_eq!([&version["addedLines"], &version["removedLines"]], [1, 1], "{version}");
        assert_eq!(version["edited"][0]["edits"][0]["added"], json!([added]));
    }
}

#[test]
fn an_edited_state_between_releases_is_nearest_to_its_commit() {
    let origin = library();
    for name in ["dump", "find", "list", "sort"] {
        let names = [
            ("number", "position"),
            ("archive", "shelf"),
            ("record", "entry"),
            ("fprintf", "print_to"),
        ];
        let text = names.iter().fold(part(name), |text, (from, to)| text.replace(from, to));
        origin.write(format!("{name}.c"), text);
    }
    let later = origin.commit("Say it in other words");
    let shelf = Shelf::of(&origin);
    let mut edited = unpacked(&origin, "HEAD", "", "lib");
    for name in ["dump", "find"] {
        edit(&mut edited, &format!("lib/{name}.c"), "entry->kind", "entry->sort");
    }
    let version = version(&shelf, &copying_all(&edited));
    let said = ["version", "nearest", "identicalFiles"].map(|field| version[field].clone());
    assert_eq!(said, [Value::Null, later[..10].into(), 3.into()]);
    assert_eq!([&version["addedLines"], &version["removedLines"]], [2, 2]);
}

#[test]
fn headers_that_the_project_keeps_elsewhere_are_judged_with_the_rest() {
    let origin = library();
    origin.write("include/lib/record.h", READ);
    origin.write("test/main.c", WRITE);
    origin.write("sort.c", part("sort").replace("number++", "++number"));
    origin.commit("Add a header");
    origin.git(&["tag", "v3.0"]);
    let shelf = Shelf::of(&origin);
    let mut flat = unpacked(&origin, "v3.0", "", "lib");
    flat.retain(|(path, _)| !path.contains("include/") && !path.contains("test/"));
    flat.push(("lib/record.h".to_owned(), READ.to_owned()));
    // A name that the project has elsewhere is no copy of that.
    flat.push(("lib/main.c".to_owned(), "int main(void)\n{\n    return 0;\n}\n".to_owned()));
    let of_flat = version(&shelf, &copying_all(&flat));
    assert_eq!(of_flat["version"], "v3.0");
    assert_eq!(
        files(&of_flat),
        [json!(6), json!(6), json!([]), json!([]), json!(["lib/main.c"]), json!([])]
    );
    edit(&mut flat, "lib/record.h", "RECORD_SHORT", "RECORD_NONE");
    let of_edited = version(&shelf, &copying_all(&flat));
    assert_eq!(of_edited["edited"][0]["path"], "lib/record.h");
    assert_eq!(of_edited["edited"][0]["origin"], "include/lib/record.h");
}

#[test]
fn a_folder_that_no_version_is_has_the_nearest_one_and_no_version_in_any_format() {
    let origin = library();
    let shelf = Shelf::of(&origin);
    let mut edited = unpacked(&origin, "v1.1", "src/", "lib");
    for name in ["dump", "find", "list"] {
        edit(&mut edited, &format!("lib/{name}.c"), "record->kind", "record->sort");
    }
    let repository = copying_all(&edited);
    let version = version(&shelf, &repository);
    let said = ["version", "nearest", "purl", "files", "identicalFiles"]
        .map(|field| version[field].clone());
    assert_eq!(said, [Value::Null, "v1.1".into(), Value::Null, 5.into(), 2.into()]);
    let nearest = "is nearest to archive v1.1, its src/: differs in 3 of 5 files, +3 -3 lines in 3 edited files";
    for (format, expected) in [
        ("text", format!("lib/ {nearest}")),
        ("html", format!("lib/ {nearest}")),
        ("notice", "Modified: lib: nearest v1.1, differs in 3 of 5 files".to_owned()),
    ] {
        let written = shelf.format(&repository, "audit", format);
        assert!(written.contains(&expected), "{format} lacks {expected}:\n{written}");
    }
    for format in ["json", "spdx", "cyclonedx", "notice", "html", "text"] {
        let written = shelf.format(&repository, "audit", format);
        assert!(!written.contains("@1.1") && !written.contains("archive@"), "{format}:\n{written}");
    }
}

#[test]
fn a_single_file_is_a_folder_of_one() {
    let origin = library();
    let shelf = Shelf::of(&origin);
    let own: Vec<(String, String)> = (0..4)
        .map(|n| {
            (format!("main/own{n}.c"), format!("int own{n}(int a)\n{{\n    return a + {n};\n}}\n"))
        })
        .collect();
    let with =
        |record: String| copying_all(&[&own[..], &[("main/record.c".to_owned(), record)]].concat());
    let of_file = version(&shelf, &with([READ, WRITE].concat()));
    let said =
        ["copiedFiles", "version", "files", "identicalFiles"].map(|field| of_file[field].clone());
    assert_eq!(said, [json!(["main/record.c"]), "v1.0".into(), 1.into(), 1.into()]);
    let edited = with([&fixed(), &WRITE.replacen("RECORD_FULL", "RECORD_ERROR", 1)[..]].concat());
    let text = shelf.format(&edited, "audit", "text");
    assert!(
        text.contains(
            "main/record.c is nearest to archive v1.1 to v2.0: differs in 1 of 1 file, +1 -1"
        ),
        "{text}"
    );
}

#[test]
fn two_edited_files_among_many_others_are_no_version_of_a_library() {
    let (origin, _, _) = origin();
    let shelf = Shelf::of(&origin);
    let edited = [&fixed(), WRITE].concat().replace("return ", "return (int)");
    let own: Vec<(String, String)> = (0..6)
        .map(|n| {
            (format!("lib/own{n}.c"), format!("int own{n}(int a)\n{{\n    return a + {n};\n}}\n"))
        })
        .collect();
    let folder_of = |record: &str, n_own: usize| {
        let mut files = vec![("lib/record.c", record), ("lib/list.c", LIST)];
        files.extend(own.iter().take(n_own).map(|(path, text)| (&path[..], &text[..])));
        versions(&shelf, &copying(&files)).iter().map(|of| of["folder"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(folder_of(&edited, 1), ["lib"]);
    assert_eq!(folder_of(&edited, 6), [] as [Value; 0]);
    // As good as unedited, they are what they are, whatever else the folder holds.
    assert_eq!(folder_of(&[&fixed(), WRITE].concat(), 6), ["lib"]);
}

#[test]
fn where_several_tags_fit_equally_the_range_is_told_and_without_tags_the_commit() {
    let origin = Repository::new();
    origin.write("list.c", LIST);
    origin.write("read.c", READ);
    origin.commit("Begin");
    origin.git(&["tag", "v1"]);
    origin.write("write.c", WRITE);
    origin.commit("More");
    origin.git(&["tag", "v2"]);
    let shelf = Shelf::of(&origin);
    let repository = copying(&[("lib/list.c", LIST), ("lib/read.c", READ)]);
    let said = |shelf: &Shelf| {
        let version = version(shelf, &repository);
        (version["version"].clone(), version["purl"].clone())
    };
    assert_eq!(said(&shelf), (Value::from("v1 to v2"), Value::Null));
    origin.git(&["tag", "--delete", "v1", "v2"]);
    let first = origin.git(&["rev-list", "--max-parents=0", "HEAD"]);
    let shelf = Shelf::of(&origin);
    let purl = format!("pkg:generic/archive@{first}");
    assert_eq!(said(&shelf), (Value::from(&first[..10]), Value::from(purl)));
}

#[test]
fn headers_are_judged_with_the_sources_that_they_were_put_next_to() {
    let origin = library();
    for name in ["dump", "find", "list"] {
        origin.rename(format!("{name}.c"), format!("src/{name}.c"));
    }
    origin.write("src/list.c", part("list").replace("number++", "++number"));
    origin.write("include/record.h", READ);
    origin.commit("Add a header");
    origin.git(&["tag", "v3.0"]);
    let shelf = Shelf::of(&origin);
    let mut flat = unpacked(&origin, "v3.0", "src/", "deps/archive/src");
    flat.push(("deps/archive/src/record.h".to_owned(), READ.to_owned()));
    let flat = version(&shelf, &copying_all(&flat));
    assert_eq!(files(&flat)[..4], [json!(4), json!(4), json!([]), json!([])]);
}

#[test]
fn a_release_of_a_module_is_named_by_its_own_tag() {
    let origin = Repository::new();
    origin.write("lists/list.c", LIST);
    origin.write("lists/read.c", READ);
    origin.commit("Begin");
    origin.git(&["tag", "lists/v0.2"]);
    origin.write("writing/write.c", WRITE);
    origin.commit("More");
    origin.git(&["tag", "writing/v0.7"]);
    let shelf = Shelf::of(&origin);
    let version = version(&shelf, &copying(&[("lists/list.c", LIST), ("lists/read.c", READ)]));
    assert_eq!([&version["version"], &version["purl"]], ["lists/v0.2", "pkg:generic/archive@0.2"]);
}

#[test]
fn of_commits_that_differ_in_comments_the_one_with_the_same_bytes_is_told() {
    let origin = Repository::new();
    origin.write("list.c", LIST);
    origin.write("read.c", READ);
    origin.commit("Begin");
    let commented = LIST.replace("Lists all records.", "Lists the records of an archive.");
    origin.write("list.c", &commented);
    let later = origin.commit("Say more");
    let shelf = Shelf::of(&origin);
    let copied = [("lib/list.c", &commented[..]), ("lib/read.c", READ)];
    assert_eq!(version(&shelf, &copying(&copied))["version"], later[..10]);
}

#[test]
fn a_short_file_is_labelled_by_its_bytes_not_by_the_oldest_with_its_tokens() {
    let origin = library();
    let short = "int spin(int *lock)\n{\n    int n = 0;\n    while (*lock) {\n        n += *lock << 2;\n        if (n > 100) {\n            *lock = n - 1;\n        }\n    }\n    return n;\n}\n";
    origin.write("spin.c", short);
    origin.commit("Spin");
    origin.git(&["tag", "v3.0"]);
    origin.write("spin.c", format!("// Waits.\n{short}"));
    origin.commit("Say what it does");
    origin.git(&["tag", "v4.0"]);
    let shelf = Shelf::of(&origin);
    let repository = copying_all(&unpacked(&origin, "v4.0", "", "lib"));
    let report = shelf.report(&repository, &["audit"]);
    let files = report.list("/audit/copiedFiles");
    let spin = files.iter().find(|file| file["path"] == "lib/spin.c").expect("it is copied");
    assert_eq!([&spin["state"], &spin["origins"][0]["version"]], ["identical", "v4.0"]);
}

#[test]
fn files_with_names_of_the_component_are_no_other_project() {
    let origin = library();
    let shelf = Shelf::of(&origin);
    let mut rewritten = unpacked(&origin, "v1.1", "src/", "lib");
    for (path, text) in &mut rewritten {
        if path != "lib/list.c" {
            *text = format!("int made_anew_{}(void);\n", text.len());
        }
    }
    edit(&mut rewritten, "lib/list.c", "record->checksum", "record->sum");
    rewritten[0].1 = unpacked(&origin, "v1.1", "src/dump", "x")[0].1.replace("record->", "it->");
    let version = version(&shelf, &copying_all(&rewritten));
    assert_eq!([&version["version"], &version["nearest"]], [&Value::Null, &"v1.0 to v1.1".into()]);
}

#[test]
fn a_part_of_a_file_tells_no_version_of_its_component() {
    let (origin, _, _) = origin();
    let shelf = Shelf::of(&origin);
    let own: String =
        (0..40).map(|n| format!("int own{n}(int a)\n{{\n    return a + {n};\n}}\n")).collect();
    let repository = copying(&[("main/all.c", &(own + LIST))]);
    let report = shelf.report(&repository, &["audit"]);
    assert_eq!(report.list("/audit/versions"), [] as [Value; 0]);
    let component = &report.list("/audit/components")[0]["component"];
    assert_eq!([&component["name"], &component["version"]], [&"archive".into(), &Value::Null]);
}

#[test]
fn what_is_not_in_the_folder_of_a_version_is_a_component_without_one() {
    let origin = library();
    origin.write("extra.c", part("extra"));
    origin.commit("Add what no release has");
    let shelf = Shelf::of(&origin);
    let mut files = unpacked(&origin, "v2.0", "", "lib");
    let own: String =
        (0..40).map(|n| format!("int own_{n}(int a)\n{{\n    return a + {n};\n}}\n")).collect();
    files.push(("main/own.c".to_owned(), [own, part("extra")].concat()));
    let report = shelf.report(&copying_all(&files), &["audit"]);
    let rows: Vec<String> = report
        .list("/audit/components")
        .iter()
        .map(|of| {
            format!("{} {} {}", of["component"]["version"], of["component"]["purl"], of["files"])
                .replace('"', "")
        })
        .collect();
    assert_eq!(rows, ["v2.0 pkg:generic/archive@2.0 5", "null pkg:generic/archive 1"]);
}

#[test]
fn what_a_component_copied_itself_is_told_of_the_project_that_it_is_from() {
    let origin = library();
    let shelf = Shelf::of(&origin);
    let other = Repository::new();
    let mut edited = unpacked(&origin, "v2.0", "", "third_party/archive");
    edit(&mut edited, "third_party/archive/record.c", "RECORD_FULL", "RECORD_NONE");
    edited.iter().for_each(|(path, text)| other.write(path, text));
    other.write("main.c", WRITE.replace("record", "entry"));
    other.commit("Begin");
    shelf.corpus(&["add", "known", path(&other), "--name", "other"]);
    let mut copied: Vec<(String, String)> = edited
        .into_iter()
        .map(|(path, text)| (path.replace("third_party/archive", "lib"), text))
        .collect();
    edit(&mut copied, "lib/record.c", "checksum_of", "sum_of");
    let report = shelf.report(&copying_all(&copied), &["audit"]);
    let folders: Vec<&Value> =
        report.list("/audit/versions").iter().map(|of| &of["component"]).collect();
    assert_eq!(folders, ["archive"]);
    let names: Vec<&Value> =
        report.list("/audit/components").iter().map(|of| &of["component"]["name"]).collect();
    assert_eq!(names, ["archive"]);
}

/// Runs git at a minute of an hour.
#[track_caller]
fn at(minute: u8, repository: &Repository, args: &[&str]) {
    let date = format!("2001-02-03T05:{minute:02}:00Z");
    let mut command = git_command(repository.root(), args);
    let output = command.env("GIT_COMMITTER_DATE", date).output().expect("git is installed");
    assert!(output.status.success(), "{args:?}");
}

#[test]
fn a_state_of_the_default_branch_lacks_what_another_branch_had_by_then() {
    let origin = Repository::new();
    let names = ["dump", "find", "list"];
    names.iter().for_each(|name| origin.write(format!("{name}.c"), part(name)));
    origin.stage();
    at(0, &origin, &["commit", "-qm", "Begin"]);
    let edit = |name: &str, minute: u8| {
        origin.write(format!("{name}.c"), part(name).replace("number++", "number += 1"));
        at(minute, &origin, &["commit", "-qam", "Count otherwise"]);
    };
    origin.git(&["checkout", "-qb", "side"]);
    edit("dump", 1);
    origin.git(&["checkout", "-q", "main"]);
    edit("find", 2);
    let state = unpacked(&origin, "HEAD", "", "lib");
    let commit = origin.git(&["rev-parse", "--short=10", "HEAD"]);
    at(3, &origin, &["merge", "-qm", "Merge", "side"]);
    let version = version(&Shelf::of(&origin), &copying_all(&state));
    assert_eq!(version["version"], commit);
    assert_eq!(files(&version)[..4], [json!(3), json!(3), json!([]), json!([])]);
}

#[test]
fn versions_are_in_order_of_their_numbers_even_if_an_old_one_was_mended_later() {
    let origin = Repository::new();
    origin.write("list.c", LIST);
    origin.write("read.c", READ);
    let release = |minute: u8, tag: &str| {
        origin.stage();
        at(minute, &origin, &["commit", "-qm", tag]);
        origin.git(&["tag", tag]);
    };
    release(0, "v1.9-rc1");
    origin.write("write.c", WRITE);
    release(1, "v1.9");
    origin.write("write.c", widened());
    release(2, "v1.10");
    origin.git(&["checkout", "-qb", "old", "v1.9"]);
    origin.write("read.c", fixed());
    release(3, "v1.9.1");
    origin.git(&["checkout", "-q", "main"]);
    let report = Shelf::of(&origin).report(&copying(&[("lib/list.c", LIST)]), &["audit"]);
    let of_file = &report.list("/audit/copiedFiles")[0]["origins"][0];
    assert_eq!(of_file["version"], "v1.9-rc1 to v1.10");
}

#[test]
fn tags_that_are_spelled_otherwise_are_in_order_with_the_rest() {
    for (tags, expected) in [
        (&["list-1.6rc1", "1.6rc2", "list-1.6"], "list-1.6rc1 to list-1.6"),
        (&["2.0.0", "v2.0.5", "2.7.0"], "2.0.0 to 2.7.0"),
        // Another sequence: its numbers begin anew.
        (&["r2009", "v1.0", "v1.1"], "r2009 to v1.1"),
    ] {
        let origin = Repository::new();
        origin.write("list.c", LIST);
        for (tag, minute) in tags.iter().zip(0..) {
            origin.write("read.c", format!("{READ}int release{minute};\n"));
            origin.stage();
            at(minute, &origin, &["commit", "-qm", tag]);
            origin.git(&["tag", tag]);
            if tag.starts_with("v2") {
                origin.git(&["tag", &tag[1..]]);
            }
        }
        let report = Shelf::of(&origin).report(&copying(&[("lib/list.c", LIST)]), &["audit"]);
        let of_file = &report.list("/audit/copiedFiles")[0]["origins"][0];
        assert_eq!(of_file["version"], expected);
    }
}

#[test]
fn a_file_that_only_has_the_name_of_another_is_added_and_not_edited() {
    let origin = library();
    let shelf = Shelf::of(&origin);
    let mut own = unpacked(&origin, "v1.1", "src/", "lib");
    for (path, text) in &mut own {
        if path == "lib/dump.c" {
            "int main(void)\n{\n    return run();\n}\n".clone_into(text);
        }
    }
    let [_, _, edited, _, added, _] = files(&version(&shelf, &copying_all(&own)));
    assert_eq!([edited, added], [json!([]), json!(["lib/dump.c"])]);
}

#[test]
fn a_notice_names_each_file_under_the_version_that_it_is_of() {
    let origin = library();
    let shelf = Shelf::of(&origin);
    let mut files = unpacked(&origin, "v1.0", "src/", "lib");
    files.push(("other/record.c".to_owned(), [&fixed(), WRITE].concat()));
    let notice = shelf.format(&copying_all(&files), "audit", "notice");
    let named = notice.lines().filter(|line| line.starts_with("In: "));
    assert_eq!(named.filter(|line| line.contains("other/record.c")).count(), 1, "{notice}");
}

#[test]
fn a_file_of_the_version_with_another_name_is_identical_and_not_missing() {
    let origin = library();
    let mut renamed = unpacked(&origin, "v1.1", "src/", "lib");
    renamed[0].0 = "lib/dumping.c".to_owned();
    let version = version(&Shelf::of(&origin), &copying_all(&renamed));
    assert_eq!(files(&version), [json!(5), json!(5), json!([]), json!([]), json!([]), json!([])]);
}

#[test]
fn what_a_component_copied_itself_is_a_folder_of_its_own() {
    let origin = library();
    let codec =
        ["code", "decode", "encode"].map(|name| (format!("deps/codec/{name}.c"), part(name)));
    codec.iter().for_each(|(path, text)| origin.write(path, text));
    origin.write("misc/write.c", widened());
    origin.commit("Take a codec");
    let shelf = Shelf::of(&origin);
    let folders = |files: &[(String, String)]| -> Vec<Value> {
        let told = versions(&shelf, &copying_all(files));
        told.iter().map(|of| json!([of["folder"], of["origin"], of["files"]])).collect()
    };
    // Another project took the same codec, and a file.
    let alike = [&codec[..], &[("misc/write.c".to_owned(), widened())]].concat();
    let expected = [json!(["deps/codec", "deps/codec", 3]), json!(["misc", "misc", 1])];
    assert_eq!(folders(&alike), expected);
    // A copy of all of it is one folder.
    let whole = unpacked(&origin, "HEAD", "", "third_party/archive");
    assert_eq!(folders(&whole), [json!(["third_party/archive", "", 9])]);
}

/// With a corpus of a list of these projects, by their names.
fn listing(projects: &[(&str, &Repository)]) -> Shelf {
    let shelf = Shelf::new();
    let source = |(name, of): &(&str, &Repository)| {
        format!("[[source]]\nfrom = \"{}\"\nname = \"{name}\"\n", path(of))
    };
    let at = format!("{}/list.toml", shelf.path());
    fs::write(&at, projects.iter().map(source).collect::<String>()).expect("it is writable");
    shelf.corpus(&["add", "known", &at]);
    shelf
}

#[test]
fn a_folder_is_told_by_the_files_of_packages_too() {
    let origin = library();
    let shelf = Shelf::new();
    for version in ["1.0", "1.1"] {
        let (prefix, tag) = (format!("--prefix=archive-{version}/"), format!("v{version}"));
        let at = format!("{}/archive-{version}.tar.gz", shelf.path());
        origin.git(&["archive", &prefix, "-o", &at, &tag]);
        shelf.corpus(&["add", "known", &at]);
    }
    let mut files = unpacked(&origin, "v1.1", "src/", "lib");
    edit(&mut files, "lib/dump.c", "record->kind", "record->sort");
    files.retain(|(path, _)| path != "lib/sort.c");
    files.push(("lib/own.c".to_owned(), "int own;\n".to_owned()));
    let repository = copying_all(&files);
    let of_package = version(&shelf, &repository);
    assert_eq!([&of_package["version"], &of_package["origin"]], ["1.1", "src"]);
    let (edited, added, missing) = (["lib/dump.c"], ["lib/own.c"], ["src/sort.c"]);
    assert_eq!(
        self::files(&of_package),
        [json!(4), json!(3), json!(edited), json!([]), json!(added), json!(missing)]
    );
    let report = shelf.report(&repository, &["audit"]);
    let copied = report.list("/audit/copiedFiles").iter();
    let versions: BTreeSet<&str> =
        copied.filter_map(|file| file["origins"][0]["version"].as_str()).collect();
    assert_eq!(versions, BTreeSet::from(["1.1"]));
    // A package has no commits that a copy could lack.
    let (status, _, errors) = told(
        repository
            .secondhand(&["stale", "--corpus", "known", "--corpus-dir", shelf.path()])
            .output()
            .expect("the program starts"),
    );
    assert!(status == 2 && errors.contains("history"), "{errors}");
}

#[test]
fn projects_of_a_list_that_have_files_of_one_name_are_all_found() {
    let project = |more: &str| {
        let origin = Repository::new();
        origin.write("src/list.c", [LIST, more].concat());
        origin.commit("Begin");
        origin
    };
    let (first, second) = (project(READ), project("int own;\n"));
    let shelf = listing(&[("first", &first), ("second", &second)]);
    let copied = LIST.replace("int number", "int n");
    let report = shelf.report(&copying(&[("lib/list.c", &copied)]), &["audit"]);
    let origins = report.list("/findings/0/origins").iter();
    let names: BTreeSet<&str> = origins.filter_map(|of| of["component"]["name"].as_str()).collect();
    assert_eq!(names, BTreeSet::from(["first", "second"]));
}

#[test]
fn copies_in_other_projects_do_not_crowd_the_original_out() {
    let origin = library();
    let others: Vec<(String, Repository)> =
        (0..15).map(|number| (format!("other{number}"), Repository::new())).collect();
    for (name, other) in &others {
        let edited = WRITE.replace("RECORD_FULL", name);
        other.write("vendor/archive/record.c", [fixed(), edited].concat());
        other.commit("Begin");
    }
    let projects = others.iter().map(|(name, of)| (&name[..], of)).chain([("archive", &origin)]);
    let shelf = listing(&projects.collect::<Vec<_>>());
    let copied = [fixed(), WRITE.replace("RECORD_FULL", "RECORD_ERROR")].concat();
    let report = shelf.report(&copying(&[("lib/record.c", &copied)]), &["audit"]);
    let names: Vec<&Value> =
        report.list("/audit/components").iter().map(|of| &of["component"]["name"]).collect();
    assert_eq!(names, ["archive"]);
}

#[test]
fn files_with_other_comments_make_no_release_of_a_folder_with_many_edited_ones() {
    let origin = library();
    let mut copied = unpacked(&origin, "v2.0", "", "lib");
    for name in ["dump", "find", "list"] {
        edit(&mut copied, &format!("lib/{name}.c"), "Lists all records.", "Lists them.");
    }
    edit(&mut copied, "lib/sort.c", "record->kind", "record->sort");
    edit(&mut copied, "lib/record.c", "RECORD_FULL", "RECORD_NONE");
    let version = version(&Shelf::of(&origin), &copying_all(&copied));
    assert_eq!([&version["version"], &version["nearest"]], [&Value::Null, &"v2.0".into()]);
}
