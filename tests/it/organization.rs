//! Shows what `secondhand report` makes of the JSON reports of many repositories.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::samples::LANGUAGES;
use serde_json::Value;
use support::Repository;

/// Runs `secondhand report`; returns its status, what it prints, and its errors.
fn report(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_secondhand"));
    let Output { status, stdout, stderr } =
        command.current_dir(folder).arg("report").args(args).output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (status.code().expect("it ends by itself"), text(&stdout), text(&stderr))
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let (status, printed, errors) = report(folder, &[args, &["--format", "json"]].concat());
    assert_eq!(status, 0, "{errors}");
    serde_json::from_str(&printed).expect("it is JSON")
}

fn write(folder: &Path, path: &str, text: &str) {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().expect("it has a folder")).expect("it can be made");
    fs::write(file, text).expect("it can be written");
}

/// A report of `scan` with so many lines of which some are duplicated.
fn scan(lines: usize, duplicated: usize) -> String {
    let total = format!("{{\"lines\": {lines}, \"duplicatedLines\": {duplicated}}}");
    format!(
        "{{\"version\": 1, \"tool\": {{}}, \"findings\": [], \"duplication\": {{\"total\": {total}}}, \"audit\": null}}"
    )
}

#[test]
fn repositories_that_copy_from_each_other_are_told_with_the_licenses_to_look_at() {
    let c = &LANGUAGES[0];
    let (shop, store) = (Repository::new(), Repository::new());
    shop.write("pay.c", c.file("pay", &[c.first, c.second]).text);
    shop.commit("before");
    store.write("pay.c", c.file("own", &[c.first, c.second]).text);
    store.commit("before");
    let folder = tempfile::tempdir().expect("there is room");
    let corpus = |path: &str, text: &str| write(folder.path(), &format!("corpus/{path}"), text);
    corpus("shop/pay.c", &c.file("pay", &[c.first, c.second]).text);
    corpus("ledger-2.1/LICENSE", "SPDX-License-Identifier: GPL-3.0-only\n");
    corpus("ledger-2.1/pay.c", &format!("// SPDX-License-Identifier: GPL-3.0-only\n{}", c.first));
    for (name, repository) in [("shop", &shop), ("store", &store)] {
        let file = folder.path().join(format!("reports/{name}/audit.json"));
        fs::create_dir_all(file.parent().expect("it has one")).expect("it can be made");
        let mut command =
            repository.secondhand(&["audit", "--format", "json", "--fail-on", "never", "--output"]);
        let corpus = folder.path().join("corpus");
        let output = command
            .arg(&file)
            .arg("--corpus")
            .arg(corpus)
            .args(["--set", "license.deny=[\"GPL\"]"])
            .output();
        assert!(output.expect("it starts").status.success());
    }
    let told = json(folder.path(), &["reports"]);
    assert_eq!(told["repositories"][1]["name"], "store");
    assert_eq!(told["flows"][0]["from"], "shop");
    assert_eq!(told["flows"][0]["to"], "store");
    assert_eq!(
        told["flows"].as_array().map(Vec::len),
        Some(1),
        "no repository copies from itself: {told}"
    );
    let (_, text, _) = report(folder.path(), &["reports"]);
    assert!(text.contains("copied from each other\n  shop -> store: "), "{text}");
    let (_, page, _) = report(folder.path(), &["reports", "--format", "html"]);
    assert!(page.contains("Repositories that copy from each other"), "{page}");
}

/// An audit with components: name, license, answer, reason and tokens.
fn audit(components: &[(&str, Option<&str>, &str, &str, usize)]) -> String {
    let taken = components.iter().map(|&(name, license, answer, reason, tokens)| {
        let component = serde_json::json!({"name": name, "version": null, "purl": null, "license": license, "licenseClass": "permissive"});
        serde_json::json!({"component": component, "verdict": {"answer": answer, "reason": reason}, "files": 1, "tokens": tokens})
    });
    let taken: Vec<Value> = taken.collect();
    let audited = serde_json::json!({"tokens": 1000, "copiedTokens": 300, "components": taken});
    serde_json::json!({"version": 1, "tool": {}, "findings": [], "duplication": null, "audit": audited}).to_string()
}

#[test]
fn a_component_has_a_row_for_each_license_with_what_each_policy_says_of_it() {
    let folder = tempfile::tempdir().expect("there is room");
    let mit = |project: &str| format!("MIT is compatible with {project}, the project's license");
    let (of_shop, of_store) = (mit("SSPL-1.0"), mit("GPL-3.0-only"));
    let none = "there is no license";
    let shop =
        audit(&[("lua", Some("MIT"), "allowed", &of_shop, 100), ("lua", None, "unknown", none, 7)]);
    write(folder.path(), "r/shop/audit.json", &shop);
    write(
        folder.path(),
        "r/store/audit.json",
        &audit(&[("lua", Some("MIT"), "allowed", &of_store, 30)]),
    );
    let told = json(folder.path(), &["r"]);
    let rows = told["components"].as_array().expect("there are components").iter();
    let rows = rows.map(|of| {
        let users = of["repositories"]
            .as_array()
            .expect("somebody has it")
            .iter()
            .map(|user| user["tokens"].clone());
        serde_json::json!([of["licenses"], of["answer"], of["reason"], users.collect::<Vec<_>>()])
    });
    // What the policy of one repository says is not said of another.
    let both = format!("store: {of_store}; shop: {of_shop}");
    let expected = [
        serde_json::json!([[], "unknown", none, [7]]),
        serde_json::json!([["MIT"], "allowed", both, [100, 30]]),
    ];
    let rows: Vec<Value> = rows.collect();
    assert_eq!(rows, expected);
    let (_, text, _) = report(folder.path(), &["r"]);
    assert!(text.contains("unknown: lua, license not known, in shop (7)"), "{text}");
}

#[test]
fn the_newest_report_counts_and_the_others_make_the_trend() {
    let folder = tempfile::tempdir().expect("there is room");
    write(folder.path(), "r/shop/scan-2026-10-01.json", &scan(100, 10));
    write(folder.path(), "r/shop/scan-2026-11-01.json", &scan(200, 10));
    write(folder.path(), "r/2026-11-01/mail.json", &scan(100, 40));
    let commit = |time: i64, new: usize, copied: usize| {
        format!("{{\"authorTime\": {time}, \"newTokens\": {new}, \"copiedTokens\": {copied}}}")
    };
    let commits = [commit(1_700_000_000, 100, 50), commit(1_709_000_000, 300, 0)].join(",");
    write(
        folder.path(),
        "r/mail/history.json",
        &format!("{{\"version\": 1, \"range\": \"HEAD\", \"commits\": [{commits}]}}"),
    );
    write(folder.path(), "r/mail/package.json", "{\"name\": \"mail\", \"version\": \"1.0.0\"}");
    let told = json(folder.path(), &["r"]);
    assert_eq!(told["repositories"][1]["scanned"]["all"], 200);
    assert_eq!(told["repositories"][0]["added"]["copied"], 50);
    assert_eq!(told["days"][0]["duplicatedLines"], 10);
    assert_eq!(told["days"][1]["duplicatedLines"], 50);
    let months: Vec<_> = told["months"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|of| of["name"].to_string())
        .collect();
    assert_eq!(months, ["\"2023-11\"", "\"2023-12\"", "\"2024-01\"", "\"2024-02\""]);
    let why: Vec<_> = told["leftOut"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|of| of["file"].to_string())
        .collect();
    assert_eq!(why, ["\"r/mail/package.json\"", "\"r/shop/scan-2026-10-01.json\""]);
}

#[test]
fn what_cannot_be_read_is_named_and_no_silence() {
    let folder = tempfile::tempdir().expect("there is room");
    fs::create_dir(folder.path().join("empty")).expect("it can be made");
    let fails = |args: &[&str], why: &str| {
        let (status, printed, errors) = report(folder.path(), args);
        assert!(
            status == 2 && printed.is_empty() && errors.contains(why),
            "{args:?}: {status} {errors}"
        );
    };
    fails(&["empty"], "there is no report in `empty`");
    fails(&["nowhere"], "nowhere");
    fails(&["empty", "--format", "sarif"], "unknown format `sarif`");
    write(folder.path(), "cut/shop.json", "{\"version\": 1, ");
    fails(&["cut"], "cannot read the report `cut/shop.json`: ");
    write(folder.path(), "new/shop.json", &scan(1, 0).replace("\"version\": 1", "\"version\": 2"));
    fails(&["new"], "its format has version 2");
    write(folder.path(), "odd/shop.json", &scan(1, 0).replace("\"lines\": 1", "\"lines\": \"x\""));
    fails(&["odd"], "cannot read the report `odd/shop.json`: ");
    // One file is a report, too, and names of others steer nothing.
    write(folder.path(), "x/<b>\u{1b}[31m.json", &scan(10, 1));
    let (status, page, _) = report(folder.path(), &["x", "--format", "html"]);
    assert!(status == 0 && !page.contains("<b>") && !page.contains('\u{1b}'), "{page}");
    let (status, text, _) = report(&folder.path().join("x"), &["<b>\u{1b}[31m.json"]);
    assert!(status == 0 && text.starts_with("1 repository") && !text.contains('\u{1b}'), "{text}");
}
