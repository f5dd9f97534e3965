//! Shows what `secondhand compare` and `secondhand resemblance` make of submissions of every kind.

use std::fs;
use std::io::{Cursor, Write};

use crate::generated::valid;
use serde_json::{Value, json};
use support::secondhand;
use tempfile::TempDir;

/// A folder with `files`.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().expect("the folder for temporary files is writable");
    for (path, bytes) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("it lies below")).expect("the folder is writable");
        fs::write(path, bytes).expect("the folder is writable");
    }
    folder
}

/// The status, what was printed and what was complained about.
fn ran(folder: &TempDir, args: &[&str]) -> (i32, String, String) {
    let output = secondhand(folder.path(), args).output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is UTF-8");
    (output.status.code().expect("no signal ended it"), text(output.stdout), text(output.stderr))
}

/// The comparison of submissions in JSON.
fn compared(folder: &TempDir, args: &[&str]) -> Value {
    let (status, report, errors) = ran(folder, &[&["compare", "--format", "json"], args].concat());
    assert_eq!(status, 0, "{errors}");
    valid(&report, "comparison")
}

fn name(report: &Value, at: &Value) -> String {
    let at = at.as_u64().expect("a number") as usize;
    report["submissions"][at]["name"].as_str().expect("a name").to_owned()
}

/// The names of the pairs, and the percentage of the better contained one.
fn pairs(report: &Value) -> Vec<(String, String, u32)> {
    let part = |pair: &Value, key: &str| pair[key].as_f64().expect("a figure");
    let pair = |pair: &Value| {
        let contained = part(pair, "firstInSecond").max(part(pair, "secondInFirst"));
        (
            name(report, &pair["first"]),
            name(report, &pair["second"]),
            (contained * 100.0).round() as u32,
        )
    };
    report["pairs"].as_array().expect("a list").iter().map(pair).collect()
}

fn skipped(report: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let skipped = report["skipped"].as_array().expect("a list").iter();
    skipped.map(|file| (text(&file["path"]), text(&file["reason"]))).collect()
}

/// A function for each number, with expressions that no other has.
fn function(number: usize) -> String {
    let mut state = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut next = |n: usize| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    };
    let mut text = format!("int unit_{number}(struct node *p, int n)\n{{\n");
    for _ in 0..8 {
        let mut expression = String::new();
        for _ in 0..4 {
            let operand =
                ["n", "p->rows[2]", "(n - 1)", "edge(p)", "~p->mask", "heap(n, 3)", "7", "!p"]
                    [next(8)];
            let operator = ["+", "*", "^", "%", "<<", "&", "|", "-", "/", ">"][next(10)];
            expression += &format!("{operand} {operator} ");
        }
        let before = ["if (", "while (", "p->size = ", "return ", "n ^= ", "keep(p, "][next(6)];
        let after = match before {
            "if (" | "while (" => ")\n        n--",
            "keep(p, " => ")",
            _ => "",
        };
        text += &format!("    {before}{expression}{}{after};\n", next(90));
    }
    text + "    return n;\n}\n\n"
}

fn functions(numbers: impl IntoIterator<Item = usize>) -> Vec<u8> {
    numbers.into_iter().map(function).collect::<String>().into_bytes()
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        out.start_file(*name, zip::write::SimpleFileOptions::default())
            .expect("a file can be added");
        out.write_all(bytes).expect("memory takes all");
    }
    out.finish().expect("it can be ended").into_inner()
}

fn tar_gz(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = tar::Builder::new(flate2::write::GzEncoder::new(
        Vec::new(),
        flate2::Compression::default(),
    ));
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        out.append_data(&mut header, name, *bytes).expect("memory takes all");
    }
    out.into_inner().expect("it can be ended").finish().expect("it can be ended")
}

#[test]
fn files_that_are_spelled_the_same_are_a_pair_whatever_they_hold() {
    let rows = |end: usize| (0..end).map(|n| format!("self_{n} = value_{n}\n")).collect::<String>();
    let files =
        [("a/x.py", rows(20)), ("b/y.py", format!("# mine\n{}", rows(20))), ("c/z.py", rows(21))];
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
    let folder = folder(&files);
    let report = compared(&folder, &["./a/", "./"]);
    assert_eq!(pairs(&report), [("a".into(), ".".into(), 100)], "each has a name");
    let report = compared(&folder, &["a", "b", "c"]);
    assert_eq!(pairs(&report), [("a".into(), "b".into(), 100)]);
    let found = &report["pairs"][0]["matches"][0];
    assert_eq!(
        (&found["first"]["endLine"], &found["second"]["endLine"]),
        (&json!(20), &json!(21)),
        "{found}"
    );
}

#[test]
fn functions_of_one_shape_in_another_order_match_each_with_its_own() {
    let of = |name: &str, number: usize| {
        format!(
            "int {name}_total(const struct {name} *items, int n_items, int *n_bad)\n{{\n    int sum = {number};\n    \
             for (int at = 0; at < n_items; at++) {{\n        if (items[at].{name}_kind != KIND || items[at].weight < {number})\n            \
             sum += items[at].{name}_value * 2;\n        else\n            (*n_bad)++;\n    }}\n    \
             return sum - {name}_offset(items, n_items);\n}}\n\n"
        )
    };
    let names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"];
    let file = |order: [usize; 6]| order.map(|at| of(names[at], at)).concat().into_bytes();
    let order = [3, 5, 0, 4, 2, 1];
    let folder = folder(&[("a.c", &file([0, 1, 2, 3, 4, 5])), ("b.c", &file(order))]);
    let report = compared(&folder, &["a.c", "b.c"]);
    let matches = report["pairs"][0]["matches"].as_array().expect("a list");
    let number = |of: &Value| of.as_u64().expect("a number") as usize;
    let mut found: Vec<_> = matches
        .iter()
        .map(|of| {
            [
                &of["first"]["startLine"],
                &of["first"]["endLine"],
                &of["second"]["startLine"],
                &of["second"]["endLine"],
            ]
            .map(number)
        })
        .collect();
    found.sort_unstable();
    // Each function has eleven lines, and an empty one follows.
    let place = |at: usize| [at * 12 + 1, at * 12 + 11];
    let to = |at: usize| place(order.iter().position(|of| *of == at).expect("each is there once"));
    let expected: Vec<_> =
        (0..6).map(|at| [place(at)[0], place(at)[1], to(at)[0], to(at)[1]]).collect();
    assert_eq!(found, expected, "{matches:#?}");
    assert!(matches.iter().all(|of| of["cloneType"] == "type-1"));
}

#[test]
fn a_passage_that_more_submissions_have_than_the_maximum_counts_for_nothing() {
    // All have functions 0 to 3; the first two have one more in common.
    let files: Vec<(String, Vec<u8>)> = (0..5)
        .map(|n| {
            (
                format!("all/s{n}.c"),
                functions((0..4).chain([if n < 2 { 10 } else { 10 + n }, 20 + n])),
            )
        })
        .collect();
    let files: Vec<_> =
        files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
    let folder = folder(&files);
    let all = compared(&folder, &["all"]);
    assert_eq!(
        (all["sharingPairs"].as_u64(), all["commonFingerprints"].as_u64()),
        (Some(10), Some(0))
    );
    let rare = compared(&folder, &["all", "--common", "4"]);
    assert!(rare["commonFingerprints"].as_u64() > Some(20), "{}", rare["commonFingerprints"]);
    // Where a function ends and the next one begins, all code is a little alike.
    let found = pairs(&rare);
    assert!(found[0].2 >= 40 && found[1..].iter().all(|pair| pair.2 <= 5), "{found:?}");
    assert_eq!(name(&rare, &rare["pairs"][0]["first"]), "s0.c");
    let matches = rare["pairs"][0]["matches"].as_array().expect("a list");
    let lines = |of: &Value| (of["first"]["startLine"].as_u64(), of["first"]["endLine"].as_u64());
    let text = String::from_utf8(functions(0..4)).expect("it is text");
    let n_common = text.lines().count() as u64;
    // A few tokens of what is common may be at its ends.
    assert!(matches.iter().all(|of| lines(of).0 >= Some(n_common - 2)), "{matches:#?}");
    assert_eq!(compared(&folder, &["all", "--common", "0"]), all, "ten is more than five");
}

#[test]
fn a_ring_is_not_hidden_however_small_the_class_is() {
    // Eleven of twenty have function 0; all have function 1.
    let files: Vec<(String, Vec<u8>)> = (0..20)
        .map(|n| {
            (format!("all/s{n:02}.c"), functions([1, if n < 11 { 0 } else { 100 + n }, 200 + n]))
        })
        .collect();
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let report = compared(&folder(&files), &["all"]);
    assert!(report["commonFingerprints"].as_u64() > Some(20), "what all have is common");
    let ring = 11 * 10 / 2;
    let is_ring = |(a, b, _): &(String, String, u32)| a.as_str() < "s11" && b.as_str() < "s11";
    assert_eq!(pairs(&report).iter().take(ring).filter(|pair| is_ring(pair)).count(), ring);
}

#[test]
fn small_programs_are_ranked_by_what_few_others_have() {
    let common = "int sum(int *a, int n)\n{\n    int s = 0;\n    for (int i = 0; i < n; i++)\n        s += a[i];\n    return s;\n}\n";
    let own = |n: u32| {
        format!(
            "void own_{n}(void)\n{{\n    while (f{n}() % {n}7 == {n}3) g(h(), {n}, \"{n}\");\n}}\n"
        )
    };
    // The last two have the statement of the first, in other places and with other names.
    let moved = own(1).replace("own_1", "mine").replace("f1", "x").replace("g(h()", "y(z()");
    let mut files: Vec<(String, String)> =
        (1..9).map(|n| (format!("all/s{n}.c"), format!("{common}{}", own(n)))).collect();
    files.push(("all/s9.c".to_owned(), format!("{moved}{common}")));
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    let report = compared(&folder(&files), &["all"]);
    let first = &report["pairs"][0];
    let names = [&first["first"], &first["second"]].map(|at| name(&report, at));
    assert_eq!(names, ["s1.c", "s9.c"], "{first}");
    assert!(first["likeness"].as_f64() > report["pairs"][1]["likeness"].as_f64(), "{report}");
}

#[test]
fn no_figure_is_printed_without_a_passage_that_shows_it() {
    let text = "int f(int *a, int n)\n{\n    int s = n;\n    while (n--)\n        s += a[n] * 2;\n    return s;\n}\n";
    let files = [("all/a.c", text), ("all/b.c", text)].map(|(name, text)| (name, text.as_bytes()));
    let folder = folder(&files);
    let table = |min_tokens: &str| ran(&folder, &["compare", "all", "--min-tokens", min_tokens]).1;
    assert!(
        table("20").contains("100 %") && table("20").contains("in 2nd, in 1st: the part of"),
        "{}",
        table("20")
    );
    let row = table("200")
        .lines()
        .find(|line| line.contains("a.c  b.c"))
        .map(str::to_owned)
        .unwrap_or_default();
    assert!(row.contains("-") && !row.contains('%') && row.contains("no passage"), "{row}");
    let as_format = |format: &str| {
        ran(&folder, &["compare", "all", "--min-tokens", "200", "--format", format]).1
    };
    let rows = as_format("csv");
    assert!(rows.contains("\na.c,b.c,,,,,"), "{rows}");
    let page = as_format("html");
    let row = page.lines().find(|line| line.contains("<td>b.c")).unwrap_or_default();
    assert!(row.contains("b.c") && !row.contains('%'), "{row}");
}

#[test]
fn a_pair_below_the_threshold_is_left_out_and_counted() {
    let folder = folder(&[
        ("all/a.c", &functions(0..10)),
        ("all/b.c", &functions(0..9)),
        ("all/c.c", &functions([0, 30, 31, 32, 33, 34, 35, 36])),
        ("all/d.c", &functions(40..46)),
    ]);
    let report = compared(&folder, &["all", "--threshold", "60"]);
    assert_eq!(pairs(&report).len(), 1);
    assert!(report["sharingPairs"].as_u64() >= Some(3));
    assert_eq!(report["comparedPairs"], json!(6));
    let bars = report["histogram"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|n| n.as_u64().expect("a number"));
    assert_eq!(bars.sum::<u64>(), 6, "every pair is in the histogram");
    assert_eq!(report["clusters"], json!([[0, 1]]));
    let told = |args: &[&str]| ran(&folder, &[&["compare", "all"], args].concat());
    let left = report["sharingPairs"].as_u64().unwrap_or_default() - 1;
    let (_, said, _) = told(&["--threshold", "60"]);
    assert!(said.contains(&format!("left out: {left} pairs, below 60 %")), "{said}");
    let (_, said, _) = told(&["--top", "1"]);
    assert!(said.contains(&format!("left out: {left} pairs beyond the 1 most similar")), "{said}");
    // What fails the run does not depend on what is listed.
    assert_eq!(told(&["--top", "0", "--fail-on-percent", "100"]).0, 1);
    for percent in ["101", "-1", "NaN", "many"] {
        let (status, _, errors) =
            ran(&folder, &["compare", "all", &format!("--threshold={percent}")]);
        assert_eq!(status, 2);
        assert!(errors.contains("expected a number from 0 to 100"), "{errors}");
    }
}

#[test]
fn archives_are_submissions_and_so_is_what_is_in_archives_in_them() {
    let (first, second) = (functions(0..5), functions(20..25));
    let inner = zip(&[("deep/main.c", &second)]);
    let given = zip(&[("given.c", &functions(50..53))]);
    let with_given = functions((50..53).chain([60]));
    let folder = folder(&[
        ("all/alice.zip", &zip(&[("alice/main.c", &first), ("notes.png", b"\x89PNG\0\0")])),
        ("all/bob/hand-in.tar.gz", &tar_gz(&[("x/main.c", &first)])),
        ("all/carol.tgz", &tar_gz(&[("work.zip", &inner)])),
        ("all/dave.c", &second),
        ("all/erin.c", &with_given),
        ("all/frank.c", &with_given),
        ("given.zip", &given),
    ]);
    let report = compared(&folder, &["all", "--base-code", "given.zip", "--threshold", "90"]);
    let names = |at: usize| (pairs(&report)[at].0.clone(), pairs(&report)[at].1.clone());
    let mut found: Vec<_> = (0..3).map(names).collect();
    found.sort();
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(
        found,
        [pair("alice.zip", "bob"), pair("carol.tgz", "dave.c"), pair("erin.c", "frank.c")]
    );
    let paths: Vec<_> = report["pairs"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|pair| &pair["matches"][0]["first"]["path"])
        .collect();
    assert!(paths.contains(&&json!("carol.tgz/work.zip/deep/main.c")), "{paths:?}");
    // Of three functions and one more, only the one was not handed out.
    let own =
        report["submissions"].as_array().expect("a list").iter().find(|of| of["name"] == "erin.c");
    assert!(own.expect("it is there")["fingerprints"].as_u64() < Some(80), "{own:?}");
}

#[test]
fn what_cannot_be_read_is_listed_and_the_rest_is_compared() {
    let whole = tar_gz(&[("a.c", &functions(0..9)), ("b.c", &functions(20..29))]);
    let folder = folder(&[
        ("all/good.c", &functions(0..5)),
        ("all/other.c", &functions(0..4)),
        ("all/damaged.zip", b"PK\x03\x04 and no more"),
        ("all/cut.tar.gz", &whole[..whole.len() / 2]),
        ("all/packed.rar", b"Rar!\x1a"),
        ("all/binary.c", &(0..=255).cycle().take(9_000).collect::<Vec<u8>>()),
        ("all/empty.c", b""),
        ("all/words.txt", b"some words"),
        ("all/huge.c", &b"int a;\n".repeat(300_000)),
        ("all/within/packed.7z", b"7z"),
    ]);
    let args = ["--format", "json", "--set", "max-file-size=1000000"];
    let (status, report, errors) = ran(&folder, &[&["compare", "all"], &args[..]].concat());
    assert_eq!(status, 0, "{errors}");
    let report = valid(&report, "comparison");
    assert_eq!(pairs(&report).iter().map(|pair| pair.2).collect::<Vec<_>>(), [100]);
    let skipped = skipped(&report);
    let why = |path: &str| {
        let found = skipped.iter().find(|(of, _)| of == path);
        &found.unwrap_or_else(|| panic!("{path} is not listed: {skipped:?}")).1
    };
    assert!(why("damaged.zip").starts_with("a damaged archive"), "{}", why("damaged.zip"));
    assert!(why("cut.tar.gz").starts_with("a damaged archive"), "{}", why("cut.tar.gz"));
    for path in ["packed.rar", "within/packed.7z"] {
        assert_eq!(why(path), "an archive of a kind that is not read: unpack it");
    }
    assert_eq!((why("binary.c").as_str(), why("huge.c").as_str()), ("binary", "too large"));
    assert_eq!(why("words.txt"), "not source code");
    assert!(errors.contains("damaged.zip"), "{errors}");
    for paths in [
        &["all/damaged.zip", "all/good.c"][..],
        &["all/words.txt", "all/packed.rar"],
        &["all/within", "all/good.c"],
    ] {
        let (status, printed, errors) = ran(&folder, &[&["compare"], paths].concat());
        assert_eq!((status, printed.as_str()), (2, ""));
        assert!(
            errors.starts_with("error: cannot compare: fewer than two of the 2 submissions"),
            "{errors}"
        );
        assert!(errors.contains(paths[0]), "{errors}");
    }
}

const PROSE: &str = "The wind came up before dawn and took the last of the smoke out over the harbor, where two boats lay side by side \
    with their lamps still burning. Nobody on the quay had slept. A woman with a basket walked from door to door and asked each \
    fisherman the same question, quietly, as if the answer might wake somebody. By noon the boats were gone, the lamps with them, \
    and what was left of the night was a line of ash along the wall that the children would not step over.";

#[test]
fn prose_and_unknown_languages_are_compared_as_words_when_asked() {
    let retold = PROSE.to_uppercase().replace(' ', "\n   ").replace(',', " --");
    let other: String = PROSE.split(' ').rev().collect::<Vec<_>>().join(" ");
    let unknown = [PROSE.as_bytes(), b" and a few words more"].concat();
    let folder = folder(&[
        ("all/a.txt", PROSE.as_bytes()),
        ("all/b.md", retold.as_bytes()),
        ("all/c.xyzzy", &unknown),
        ("all/d.txt", other.as_bytes()),
        ("all/e.c", &functions(0..3)),
        ("all/f.c", &functions(0..3)),
    ]);
    assert_eq!(pairs(&compared(&folder, &["all"])), [("e.c".to_owned(), "f.c".to_owned(), 100)]);
    let report = compared(&folder, &["all", "--text"]);
    let mut found: Vec<_> =
        pairs(&report).into_iter().map(|(a, b, percent)| (format!("{a} {b}"), percent)).collect();
    found.sort();
    let names: Vec<_> = found.iter().map(|found| found.0.as_str()).collect();
    assert_eq!(names, ["a.txt b.md", "a.txt c.xyzzy", "b.md c.xyzzy", "e.c f.c"]);
    assert!(found.iter().all(|(_, percent)| *percent >= 95), "{found:?}");
    for pair in report["pairs"].as_array().expect("a list") {
        assert_eq!(pair["matches"].as_array().map(Vec::len), Some(1), "{pair:#}");
    }
}

/// [`PROSE`] as a page: every word in some element, tags inside of words and over lines, and
/// references.
fn page() -> String {
    let word = |(at, word): (usize, &str)| match at % 4 {
        0 => format!("<b\n class='x > y'>{}</b\n>{}", &word[..1], &word[1..]),
        1 => format!("&#x{:x};{}<!-- no -- words -->", word.as_bytes()[0], &word[1..]),
        2 => format!("<td>{word}</td><script>let words = '{word} more words';</script>"),
        _ => format!("&nbsp;<I>{word}</I><style>p {{ color: red }}</style>"),
    };
    let words: Vec<String> = PROSE.split(' ').enumerate().map(word).collect();
    format!("<!DOCTYPE html>\n<html><body>{}</body></html>\n", words.join("\n"))
}

#[test]
fn pages_with_the_same_words_are_alike_whatever_their_tags() {
    let page = page();
    let plain = format!("<p>{PROSE}</p>");
    let folder = folder(&[
        ("all/a.html", page.as_bytes()),
        ("all/b.htm", plain.as_bytes()),
        ("all/c.md", PROSE.as_bytes()),
        ("all/d.txt", PROSE.as_bytes()),
    ]);
    let report = compared(&folder, &["all", "--text", "--exact"]);
    assert_eq!(pairs(&report).len(), 6);
    assert!(pairs(&report).iter().all(|(.., percent)| *percent == 100), "{:?}", pairs(&report));
    let first = &report["pairs"][0]["matches"][0]["first"];
    let line = |word: &str| page[..page.find(word).expect("it is there")].lines().count();
    let lines = ["startLine", "endLine"].map(|key| first[key].as_u64());
    assert_eq!(
        lines,
        [Some(2), Some(line("over.</") as u64)],
        "lines are those of the page: {first:#}"
    );
    let (status, text, _) =
        ran(&folder, &["resemblance", "all", "--text", "--matrix", "--format", "csv"]);
    assert_eq!((status, text.matches("1.0000").count()), (0, 16), "{text}");
}

#[test]
fn several_languages_are_compared_at_once_each_with_its_own() {
    let python = "def total(rows, limit):\n    found = []\n    for row in rows:\n        if row.weight > limit and row.kind != 'skip':\n            \
                  found.append((row.name, row.weight * 2))\n        elif row.parent is None:\n            raise ValueError(row.name)\n    \
                  return sorted(found, key=lambda pair: pair[1])[:limit]\n";
    let folder = folder(&[
        ("all/a/one.c", &functions(0..2)),
        ("all/a/two.py", python.as_bytes()),
        ("all/b/deep/x.py", python.as_bytes()),
        ("all/b/y.c", &functions(0..2)),
    ]);
    let report = compared(&folder, &["all"]);
    let mut paths: Vec<_> = report["pairs"][0]["matches"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|found| {
            format!("{} {}", found["first"]["path"], found["second"]["path"]).replace('"', "")
        })
        .collect();
    paths.sort();
    paths.dedup();
    assert_eq!(paths, ["a/one.c b/y.c", "a/two.py b/deep/x.py"]);
}

#[test]
fn years_are_compared_with_each_other_and_not_within() {
    let files = functions(0..4);
    let folder = folder(&[
        ("2025/ann.c", &files),
        ("2025/ben.c", &files),
        ("2026/ann.c", &files),
        ("2026/zoe.c", &functions(30..34)),
    ]);
    let report = compared(&folder, &["2025", "2026", "--across-only", "--threshold", "50"]);
    let found: Vec<_> =
        pairs(&report).into_iter().map(|(a, b, percent)| (format!("{a} {b}"), percent)).collect();
    let expected =
        [("2025/ann.c 2026/ann.c".to_owned(), 100), ("2025/ben.c 2026/ann.c".to_owned(), 100)];
    assert_eq!(found, expected);
    assert_eq!(report["comparedPairs"], json!(4));
    let (status, _, errors) = ran(&folder, &["compare", "2025", "--across-only"]);
    assert_eq!(status, 2);
    assert!(
        errors.starts_with("error: cannot compare: all 2 submissions are in one folder"),
        "{errors}"
    );
}

#[test]
fn each_file_of_two_large_folders_that_have_a_function_in_common_is_matched_with_its_own() {
    // All files have function 99, each has one of its own; in the second folder they are in another
    // order.
    const N: usize = 40;
    let text = |at: usize| functions([at, 99]);
    let names: Vec<[String; 2]> =
        (0..N).map(|at| [format!("a/{at:02}.c"), format!("b/{:02}.c", at * 17 % N)]).collect();
    let texts: Vec<Vec<u8>> = (0..N).map(text).collect();
    let files = names
        .iter()
        .zip(&texts)
        .flat_map(|(names, text)| names.iter().map(|name| (name.as_str(), &**text)));
    let folder = folder(&files.collect::<Vec<_>>());
    let report = compared(&folder, &["a", "b"]);
    let matches = report["pairs"][0]["matches"].as_array().expect("a list");
    let mut found: Vec<[&str; 2]> = matches
        .iter()
        .map(|found| ["first", "second"].map(|side| found[side]["path"].as_str().expect("a path")))
        .collect();
    found.sort_unstable();
    assert_eq!(found, names.iter().map(|[a, b]| [a.as_str(), b.as_str()]).collect::<Vec<_>>());
    assert_eq!(report["limited"], json!([]), "all that they share is matched");
    // One file more has the function than the other folder has copies of it.
    fs::write(folder.path().join("a/zz.c"), functions([99])).expect("the folder is writable");
    let report = compared(&folder, &["a", "b"]);
    let limited = report["limited"].as_array().expect("a list");
    let reason = limited[0]["reason"].as_str().unwrap_or_default();
    assert!(limited.len() == 1 && reason.starts_with("repeats code of 40 places: "), "{limited:?}");
}

/// 1,000 statements of two shapes at random: each is like the others everywhere, so that it is
/// compared in part.
fn two_at_random(seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut statement = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if state >> 63 == 0 { "    c(d, 7);\n" } else { "    a[b] = 3;\n" }
    };
    let body: String = (0..1_000).map(|_| statement()).collect();
    format!("void f(void)\n{{\n{body}}}\n").into_bytes()
}

#[test]
fn a_pair_that_was_compared_in_part_is_named() {
    let folder = folder(&[("a.c", &two_at_random(3)), ("b.c", &two_at_random(4))]);
    let report = compared(&folder, &["a.c", "b.c"]);
    let limited = report["limited"].as_array().expect("it is a list");
    let reason = limited[0]["reason"].as_str().unwrap_or_default();
    assert!(limited[0]["path"].as_str().is_some_and(|path| path.ends_with("a.c")), "{limited:?}");
    assert!(reason.contains("were not extended past edits"), "{reason}");
    let (_, output, errors) = ran(&folder, &["compare", "a.c", "b.c"]);
    assert!(format!("{output}{errors}").contains(reason), "{output}{errors}");
}

#[test]
fn pseudonyms_hide_every_name_and_a_key_tells_them() {
    let folder = folder(&[
        ("all/alice/alice_main.c", &functions(0..4)),
        ("all/bob.c", &functions(0..4)),
        ("all/carol.zip", b"PK broken"),
        ("all/dora/notes_of_dora.bin", b"\0\0"),
        ("all/erin_at_random.c", &two_at_random(3)),
        ("all/frank_at_random.c", &two_at_random(4)),
    ]);
    let args = ["compare", "all", "--pseudonyms", "--pseudonym-key", "key.csv"];
    let outputs = ["--report=json=json", "--report=html=html", "--report=csv=csv"];
    let (status, text, _) = ran(&folder, &[&args[..], &outputs].concat());
    assert_eq!(status, 0);
    let read = |file: &str| fs::read_to_string(folder.path().join(file)).expect("it was written");
    for text in [&text, &read("json"), &read("html"), &read("csv")] {
        for name in ["alice", "bob", "carol", "dora", "erin", "frank"] {
            assert!(!text.contains(name), "{name}: {text}");
        }
        assert!(text.contains("submission-"));
    }
    assert!(read("html").contains("return "), "the code of a hidden file is shown");
    let json: Value = serde_json::from_str(&read("json")).expect("it is JSON");
    let numbered: Vec<_> = (0..6).map(|at| name(&json, &json!(at))).collect();
    assert!(numbered.is_sorted(), "the order of the list would tell: {numbered:?}");
    let key = read("key.csv");
    assert!(key.starts_with("name,pseudonym\nalice,submission-"), "{key}");
    assert_eq!(key.lines().count(), 7);
}

#[test]
fn the_page_has_a_histogram_and_a_graph_of_each_cluster() {
    let files: Vec<(String, Vec<u8>)> =
        (0..9).map(|n| (format!("all/s<{n}>.c"), functions(n / 3 * 10..n / 3 * 10 + 5))).collect();
    let files: Vec<_> =
        files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
    let folder = folder(&files);
    let (status, page, _) = ran(&folder, &["compare", "all", "--format", "html"]);
    assert_eq!(status, 0);
    assert!(page.contains("All 36 pairs by how much of one is in the other"));
    assert_eq!(page.matches("class=\"chart cluster\"").count(), 3);
    assert_eq!(page.matches("<circle").count(), 9);
    assert_eq!(page.matches("<line x1").count(), 9, "three pairs join each cluster");
    assert!(!page.contains("s<0>"), "names are escaped");
}

mod resemblance {
    use super::*;

    fn measured(folder: &TempDir, args: &[&str]) -> Value {
        let (status, report, errors) =
            ran(folder, &[&["resemblance", "--format", "json"], args].concat());
        assert_eq!(status, 0, "{errors}");
        valid(&report, "resemblance")
    }

    fn roses() -> TempDir {
        folder(&[
            ("a.txt", b"A rose is a rose is a rose."),
            ("b.txt", b"A rose is a flower, which is a rose!"),
        ])
    }

    #[test]
    fn the_example_of_the_paper_has_its_figures() {
        let folder = roses();
        let labeled = [(1, "70.00 %"), (2, "50.00 %"), (3, "30.00 %")]
            .map(|(n, figure)| (Some("--labeled"), n, figure));
        let sets =
            [(1, "60.00 %"), (2, "50.00 %"), (3, "42.86 %")].map(|(n, figure)| (None, n, figure));
        for (flag, n, figure) in labeled.into_iter().chain(sets) {
            let size = n.to_string();
            let mut args = vec!["resemblance", "a.txt", "b.txt", "--text", "--shingle", &size];
            args.extend(flag);
            let (status, text, errors) = ran(&folder, &args);
            assert_eq!(status, 0, "{errors}");
            assert!(
                text.lines().nth(1).is_some_and(|row| row.trim().starts_with(figure)),
                "{args:?}: {text}"
            );
        }
    }

    #[test]
    fn a_sketch_of_every_kind_estimates_and_gives_bounds_that_hold() {
        let word = |n: usize| format!("word{n} ");
        let text = |range: std::ops::Range<usize>| range.map(word).collect::<String>().into_bytes();
        let folder = folder(&[("a.txt", &text(0..4_000)), ("b.txt", &text(1_000..4_000))]);
        let exact = &measured(&folder, &["a.txt", "b.txt", "--text"])["pairs"][0];
        let truth = exact["resemblance"]["value"].as_f64().expect("a figure");
        assert!(
            (truth - 0.75).abs() < 0.01
                && exact["resemblance"]["low"] == exact["resemblance"]["high"]
        );
        for sketch in ["min:400", "mod:8", "mod:4,min:300", "mod:2,max:500"] {
            let pair =
                &measured(&folder, &["a.txt", "b.txt", "--text", "--sketch", sketch])["pairs"][0];
            let figure = |key: &str| pair["resemblance"][key].as_f64().expect("a figure");
            assert!(figure("low") <= truth && truth <= figure("high"), "{sketch}: {pair:#}");
            assert!(
                figure("high") - figure("low") < 0.3 && figure("value") != truth,
                "{sketch}: {pair:#}"
            );
            assert_eq!(pair["secondInFirst"].is_null(), sketch.contains("min"), "{sketch}");
        }
        for sketch in ["min", "min:0", "max:5", "mod:3,min:4,max:5", "mod:x", "min:1,min:2"] {
            let (status, _, errors) =
                ran(&folder, &["resemblance", "a.txt", "b.txt", "--sketch", sketch]);
            assert_eq!(status, 2);
            assert!(errors.contains("expected `min:S` for the S smallest"), "{errors}");
        }
    }

    #[test]
    fn a_matrix_and_clusters_of_code_are_of_tokens_as_spelled() {
        let text = String::from_utf8(functions(0..6)).expect("it is text");
        let commented = text.replace("    ", "\t").replace("{\n", "{ // why\n").into_bytes();
        let renamed = text.replace("edge", "rim").replace("heap", "pile").into_bytes();
        let folder = folder(&[
            ("d/a.c", text.as_bytes()),
            ("d/b.c", &commented),
            ("d/c.c", &renamed),
            ("d/z.c", &functions(40..44)),
        ]);
        let (_, matrix, _) = ran(&folder, &["resemblance", "d", "--matrix", "--format", "csv"]);
        let rows: Vec<Vec<&str>> = matrix.lines().map(|row| row.split(',').collect()).collect();
        assert_eq!(rows[0], ["", "a.c", "b.c", "c.c", "z.c"]);
        assert_eq!(rows[1][2], "1.0000", "comments and layout are no tokens");
        assert!(rows[1][3].parse::<f64>().is_ok_and(|part| part < 0.7), "{matrix}");
        let normalized = measured(&folder, &["d/a.c", "d/c.c", "--normalized"]);
        assert_eq!(normalized["pairs"][0]["resemblance"]["value"], json!(1.0));
        let clusters = &measured(&folder, &["d", "--cluster", "90"])["clusters"];
        assert_eq!(clusters[0], json!({"representative": 0, "members": [0, 1]}));
    }

    #[test]
    fn super_shingles_find_the_clusters_of_near_copies() {
        let words = |of: usize, changed: usize| {
            let word = |n: usize| {
                if n < changed { format!("own{of}x{n} ") } else { format!("word{}n{n} ", of / 10) }
            };
            (0..1_000).map(word).collect::<String>().into_bytes()
        };
        let folder = folder(&[
            ("d/a.txt", &words(10, 0)),
            ("d/b.txt", &words(11, 20)),
            ("d/c.txt", &words(20, 0)),
            ("d/d.txt", &words(12, 30)),
            ("d/e.txt", &words(13, 500)),
            ("d/f.txt", b"a few words are a document of ten words, too"),
            ("d/g.txt", b"A few words are a document of ten words, too!"),
        ]);
        let clusters = |args: &[&str]| {
            let all = [&["d", "--text", "--cluster", "90"][..], args].concat();
            measured(&folder, &all)["clusters"].clone()
        };
        for sketch in [&[][..], &["--sketch", "min:100"]] {
            assert_eq!(clusters(&[sketch, &["--super-shingles"]].concat()), clusters(sketch));
        }
        assert_eq!(clusters(&[])[0], json!({"representative": 0, "members": [0, 1, 3]}));
        let (status, _, errors) = ran(&folder, &["resemblance", "d", "--text", "--super-shingles"]);
        assert!(status == 2 && errors.contains("--cluster"), "{errors}");
    }

    #[test]
    fn what_has_no_shingle_is_no_comparison() {
        let folder = roses();
        for args in [&["a.txt", "b.txt"][..], &["a.txt", "b.txt", "--text", "--shingle", "30"]] {
            let (status, printed, errors) = ran(&folder, &[&["resemblance"], args].concat());
            assert_eq!((status, printed.as_str()), (2, ""));
            assert!(
                errors.starts_with("error: cannot compare: fewer than two of the 2 submissions"),
                "{errors}"
            );
        }
        assert_eq!(ran(&folder, &["resemblance", "a.txt"]).0, 2);
        assert_eq!(ran(&folder, &["resemblance", "a.txt", "b.txt", "--shingle", "0"]).0, 2);
    }
}
