//! Shows that every format says the same of each file and of each component.

use std::collections::{BTreeMap, BTreeSet};

use super::folders::{copying_all, edit, library, part, unpacked};
use super::*;

/// What the text of an audit says of each file.
fn told(text: &str) -> BTreeMap<String, String> {
    let list =
        text.split("by file: share found in corpora, and where\n").nth(1).unwrap_or_default();
    let lines = list.lines().take_while(|line| line.starts_with("  "));
    let line = |line: &str| {
        let (path, from) =
            line.split_once(" % ").and_then(|(_, rest)| rest.split_once(": ")).expect("path: from");
        (path.to_owned(), from.to_owned())
    };
    lines.map(line).collect()
}

/// The same in JSON, put in words.
fn of_json(file: &Value) -> String {
    let word = |value: &Value| value.as_str().map(|text| format!(" {text}")).unwrap_or_default();
    let origins = file["origins"].as_array().expect("it is a list").iter().map(|of| {
        let percent = of["percent"].as_f64().expect("it is a number").round();
        format!(
            "{percent} % {}{}{}",
            of["name"].as_str().expect("a name"),
            word(&of["version"]),
            word(&of["path"])
        )
    });
    let state = match file["state"].as_str().expect("it has one") {
        "identical" => Some("identical file".to_owned()),
        "equal" => Some("identical but for comments and layout".to_owned()),
        "edited" => {
            let since = file["since"]
                .as_str()
                .map(|version| format!(" since {version}"))
                .unwrap_or_default();
            Some(format!("edited: +{} -{} lines{since}", file["addedLines"], file["removedLines"]))
        }
        _ => None,
    };
    origins.chain(state).collect::<Vec<_>>().join(", ")
}

/// For each entry of a list, a name and what is said of it.
fn pairs(list: &Value, name: &str, said: &str) -> BTreeMap<String, String> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let entries = list.as_array().expect("it is a list").iter();
    let pair = |of: &Value| {
        (text(of.pointer(name)).trim_start_matches("./").to_owned(), text(of.pointer(said)))
    };
    entries.map(pair).collect()
}

fn of_kind(list: &Value, kind: &str) -> Value {
    list.as_array().expect("it is a list").iter().filter(|of| of["type"] == kind).cloned().collect()
}

/// What is said of each entry of a list at these places, in order; nothing of the project itself.
fn fields(list: &Value, places: &[&str]) -> BTreeSet<Vec<String>> {
    let entries = list.as_array().expect("it is a list").iter();
    let of_components = entries
        .filter(|of| !of.to_string().contains("#Project\"") && of["SPDXID"] != "SPDXRef-Project");
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let said = |of: &Value| places.iter().map(|at| text(of.pointer(at))).collect();
    of_components.map(said).collect()
}

/// Lists of components in which a license, and whether its owner or we say so, are at the same
/// places.
fn with_licenses(cyclonedx: &Value, spdx: &Value) -> [Value; 2] {
    let (mut libraries, mut packages) =
        (of_kind(&cyclonedx["components"], "library"), spdx["packages"].clone());
    for of in libraries.as_array_mut().expect("it is a list") {
        let choice = of["licenses"][0].clone();
        let license = ["/expression", "/license/id", "/license/name"];
        let license = license.iter().find_map(|at| choice.pointer(at));
        (of["license"], of["by"]) =
            (license.cloned().unwrap_or_default(), choice["acknowledgement"].clone());
        if of["by"].is_null() {
            of["by"] = choice["license"]["acknowledgement"].clone();
        }
    }
    for of in packages.as_array_mut().expect("it is a list") {
        let is_ours = of["licenseConcluded"] != "NOASSERTION";
        (of["license"], of["by"]) = match is_ours {
            true => (of["licenseConcluded"].clone(), "concluded".into()),
            false => (of["licenseDeclared"].clone(), "declared".into()),
        };
    }
    [libraries, packages]
}

/// Checks that nothing floats in an SBOM: the project has each component.
#[track_caller]
fn components_belong(spdx: &Value, cyclonedx: &Value) {
    let ids = |list: &Value, field: &str| -> BTreeSet<String> {
        list.as_array().expect("it is a list").iter().map(|of| of[field].to_string()).collect()
    };
    let libraries = ids(&of_kind(&cyclonedx["components"], "library"), "bom-ref");
    let needed = cyclonedx["dependencies"][0]["dependsOn"].as_array().into_iter().flatten();
    let needed: BTreeSet<String> = needed.map(Value::to_string).collect();
    assert_eq!((&cyclonedx["dependencies"][0]["ref"], needed), (&"project".into(), libraries));
    let mut packages = ids(&spdx["packages"], "SPDXID");
    packages.remove("\"SPDXRef-Project\"");
    let contained = spdx["relationships"].as_array().expect("it is a list").iter();
    let contained = contained.filter(|of| {
        of["relationshipType"] == "CONTAINS" && of["spdxElementId"] == "SPDXRef-Project"
    });
    assert_eq!(
        contained.map(|of| of["relatedSpdxElement"].to_string()).collect::<BTreeSet<_>>(),
        packages
    );
}

/// Checks that formats name the same components, with version, package URL and license.
#[track_caller]
fn components_agree(report: &Value, [spdx, spdx3, cyclonedx]: [&Value; 3], texts: [&String; 3]) {
    let told = fields(
        &report["audit"]["components"],
        &["/component/name", "/component/version", "/component/purl", "/component/license"],
    );
    assert!(told.iter().all(|of| !of[2].is_empty()), "one has no package URL: {told:?}");
    // A range is no version that a program could look up.
    let of_programs = told.iter().cloned().map(|mut of| {
        of[1] = if of[1].contains(" to ") { String::new() } else { of[1].clone() };
        of
    });
    let of_programs: BTreeSet<Vec<String>> = of_programs.collect();
    let [libraries, packages] = with_licenses(cyclonedx, spdx);
    let of_spdx = ["/name", "/versionInfo", "/externalRefs/0/referenceLocator", "/license"];
    assert_eq!(fields(&packages, &of_spdx), of_programs, "spdx");
    let of_cyclonedx = ["/name", "/version", "/purl", "/license"];
    assert_eq!(fields(&libraries, &of_cyclonedx), of_programs, "cyclonedx");
    let whose = ["/name", "/license", "/by"];
    assert_eq!(fields(&libraries, &whose), fields(&packages, &whose));
    assert!(!cyclonedx["components"].to_string().contains("\"version\":\"v1.0 to "), "{cyclonedx}");
    components_belong(spdx, cyclonedx);
    let without_license: BTreeSet<Vec<String>> =
        of_programs.iter().map(|of| of[..3].to_vec()).collect();
    let of_spdx3 = ["/name", "/software_packageVersion", "/software_packageUrl"];
    let packages = of_kind(&spdx3["@graph"], "software_Package");
    assert_eq!(fields(&packages, &of_spdx3), without_license, "spdx3");
    for of in &told {
        let [name, version, purl, license] = [0, 1, 2, 3].map(|at| &of[at][..]);
        let label = [name, version].join(" ").trim_end().to_owned();
        let [text, page, notice] = texts;
        assert!(text.contains(&format!("\n  {label} ({license}: ")), "text lacks {label}: {text}");
        assert!(page.contains(&label), "html lacks {label}");
        let purl = if purl.is_empty() { String::new() } else { format!("{purl}\n") };
        let of_notice = notice.split(&format!("\n{label}\n{purl}")).nth(1).unwrap_or_default();
        let mut lines = of_notice.lines().take_while(|line| !line.is_empty());
        let has_license = lines.any(|line| line == format!("License: {license}"));
        assert!(has_license, "the notice lacks {label}, {license}: {notice}");
    }
}

/// Checks that an SBOM has the same copies of the same components as snippets and as occurrences.
#[track_caller]
fn copies_agree(spdx: &Value, cyclonedx: &Value) {
    let list = |of: &Value| of.as_array().cloned().unwrap_or_default();
    let text = |of: &Value| of.as_str().unwrap_or_default().to_owned();
    let names: BTreeMap<String, String> = [&spdx["packages"], &spdx["snippets"]]
        .into_iter()
        .flat_map(list)
        .map(|of| (text(&of["SPDXID"]), text(&of["name"])))
        .collect();
    let of_spdx: BTreeSet<[String; 2]> = list(&spdx["relationships"])
        .iter()
        .filter(|of| of["relationshipType"] == "VARIANT_OF")
        .map(|of| ["relatedSpdxElement", "spdxElementId"].map(|end| names[&text(&of[end])].clone()))
        .collect();
    let mut of_cyclonedx = BTreeSet::new();
    for library in list(&of_kind(&cyclonedx["components"], "library")) {
        for of in list(&library["evidence"]["occurrences"]) {
            let lines = text(&of["additionalContext"]);
            let lines = lines.strip_prefix("lines ").and_then(|rest| rest.split(',').next());
            let place = format!("{}:{}", text(&of["location"]), lines.expect("it has lines"));
            of_cyclonedx.insert([text(&library["name"]), place]);
        }
    }
    assert_eq!(of_cyclonedx, of_spdx);
}

/// Checks what an audit says of the files, in text and in every other format.
#[track_caller]
fn check(shelf: &Shelf, files: &[(String, String)], expected: &[(&str, &str)]) {
    let repository = copying_all(files);
    let written = |format: &str| shelf.format(&repository, "audit", format);
    let json = |format: &str| serde_json::from_str::<Value>(&written(format)).expect("it is JSON");
    let text = written("text");
    let said = told(&text);
    let plain: Vec<(&str, &str)> = said.iter().map(|(path, from)| (&path[..], &from[..])).collect();
    assert_eq!(plain, expected);

    let report = json("json");
    let copied = report["audit"]["copiedFiles"].as_array().expect("it is a list").iter();
    let of_json: BTreeMap<String, String> = copied
        .map(|file| (file["path"].as_str().expect("a path").to_owned(), of_json(file)))
        .collect();
    assert_eq!(of_json, said, "json");
    let (spdx, spdx3, cyclonedx) = (json("spdx"), json("spdx3"), json("cyclonedx"));
    assert_eq!(pairs(&spdx["files"], "/fileName", "/comment"), said, "spdx");
    let of_spdx3 = of_kind(&spdx3["@graph"], "software_File");
    assert_eq!(pairs(&of_spdx3, "/name", "/comment"), said, "spdx3");
    let of_cyclonedx = of_kind(&cyclonedx["components"], "file");
    assert_eq!(pairs(&of_cyclonedx, "/name", "/pedigree/notes"), said, "cyclonedx");
    let (page, notice, markdown) = (written("html"), written("notice"), written("markdown"));
    let is_state = |part: &&str| part.starts_with("identical") || part.starts_with("edited");
    for (path, from) in &said {
        assert!(
            page.contains(path.as_str()) && page.contains(from.as_str()),
            "html lacks {path}: {from}"
        );
        let in_markdown = from.replace(':', "&#58;").replace('+', "&#43;");
        assert!(markdown.contains(&in_markdown), "markdown lacks {path}: {from}");
        let of_notice = match from.rsplit(", ").next().filter(is_state) {
            Some("identical file") => path.clone(),
            Some(state) => format!("{path} ({state})"),
            None => format!("{path} (a part of it)"),
        };
        assert!(notice.contains(&of_notice), "the notice lacks {of_notice}: {notice}");
    }
    copies_agree(&spdx, &cyclonedx);
    components_agree(&report, [&spdx, &spdx3, &cyclonedx], [&text, &page, &notice]);
    // Folders are said to be the same, too.
    let package = |list: &Value, field: &str| -> Vec<String> {
        let of_archive =
            list.as_array().expect("it is a list").iter().filter(|of| of["name"] == "archive");
        of_archive.filter_map(|of| Some(of.pointer(field)?.as_str()?.to_owned())).collect()
    };
    let folder = text.split("by folder: ").nth(1).and_then(|list| list.lines().nth(1));
    if let Some(folder) = folder.map(str::trim) {
        assert!(page.contains(folder), "html lacks {folder}");
        let of_spdx = package(&spdx["packages"], "/comment");
        assert!(of_spdx.iter().any(|told| told.contains(folder)), "{folder}: {of_spdx:?}");
        let of_spdx3 = package(&spdx3["@graph"], "/comment");
        assert_eq!(of_spdx3, of_spdx);
        assert!(cyclonedx.to_string().contains(folder), "{folder}: {cyclonedx}");
    }
}

#[test]
fn every_format_says_the_same_of_each_file() {
    let origin = library();
    let shelf = Shelf::new();
    let license = ["--name", "archive", "--license", "MIT"];
    shelf.corpus(&[&["add", "known", path(&origin)], &license[..]].concat());
    let v2 = |into: &str| unpacked(&origin, "v2.0", "", into);

    // Identical, at the root of a folder and deep in one.
    for (files, prefix) in
        [(v2("lib"), "lib"), (v2("a/b/third_party/archive"), "a/b/third_party/archive")]
    {
        let path = |name: &str| format!("{prefix}/{name}.c");
        let expected = [
            ("dump", "100 % archive v2.0 dump.c, identical file"),
            ("find", "100 % archive v2.0 find.c, identical file"),
            ("list", "100 % archive v1.0 to v2.0 list.c, identical file"),
            ("record", "100 % archive v1.1 to v2.0 record.c, identical file"),
            ("sort", "100 % archive v2.0 sort.c, identical file"),
        ];
        let expected: Vec<(String, &str)> =
            expected.iter().map(|(name, said)| (path(name), *said)).collect();
        check(
            &shelf,
            &files,
            &expected.iter().map(|(path, said)| (&path[..], *said)).collect::<Vec<_>>(),
        );
    }

    // Edited, laid out anew, with a file of its own and without another, from the folder that it
    // was in then.
    let mut edited = unpacked(&origin, "v1.1", "src/", "third_party/archive");
    edit(&mut edited, "third_party/archive/dump.c", "record->kind", "record->sort");
    edit(&mut edited, "third_party/archive/find.c", "/* Lists all records. */", "/* Ours. */");
    edited.retain(|(path, _)| path != "third_party/archive/sort.c");
    edited.push(("third_party/archive/own.c".to_owned(), "int own;\n".to_owned()));
    check(
        &shelf,
        &edited,
        &[
            (
                "third_party/archive/dump.c",
                "100 % archive v1.0 to v1.1 src/dump.c, edited: +1 -1 lines since v1.1",
            ),
            (
                "third_party/archive/find.c",
                "100 % archive v1.0 to v1.1 src/find.c, identical but for comments and layout",
            ),
            ("third_party/archive/list.c", "100 % archive v1.0 to v2.0 src/list.c, identical file"),
            (
                "third_party/archive/record.c",
                "100 % archive v1.1 to v2.0 src/record.c, identical file",
            ),
        ],
    );

    // Two versions in one folder.
    let mut mixed = v2("lib");
    mixed.retain(|(path, _)| path != "lib/sort.c");
    mixed.push(("lib/sort.c".to_owned(), part("sort")));
    check(
        &shelf,
        &mixed,
        &[
            ("lib/dump.c", "100 % archive v2.0 dump.c, identical file"),
            ("lib/find.c", "100 % archive v2.0 find.c, identical file"),
            ("lib/list.c", "100 % archive v1.0 to v2.0 list.c, identical file"),
            ("lib/record.c", "100 % archive v1.1 to v2.0 record.c, identical file"),
            ("lib/sort.c", "100 % archive v1.0 to v1.1 src/sort.c, identical file"),
        ],
    );

    // A single file among others, and a function in a file of the project's own.
    let alone = |text: String| {
        let own = (0..4).map(|n| {
            (format!("main/own{n}.c"), format!("int own{n}(int a)\n{{\n    return a + {n};\n}}\n"))
        });
        own.chain([("main/record.c".to_owned(), text)]).collect::<Vec<_>>()
    };
    let from = "100 % archive v1.0 src/record.c, identical file";
    check(&shelf, &alone([READ, WRITE].concat()), &[("main/record.c", from)]);
    let from = "100 % archive v1.1 to v2.0 src/record.c, edited: +1 -1 lines since v1.1 to v2.0";
    let edited = [&fixed(), &WRITE.replacen("RECORD_FULL", "RECORD_ERROR", 1)[..]].concat();
    check(&shelf, &alone(edited), &[("main/record.c", from)]);
    let own = "int sum_of(const int *numbers, int n)\n{\n    int sum = 0;\n    while (n-- > 0)\n        sum += \
               numbers[n];\n    return sum;\n}\n\n";
    let pasted =
        (0..4).map(|n| own.replace("sum_of", &format!("sum{n}"))).collect::<String>() + READ;
    let pasted = vec![("own.c".to_owned(), pasted)];
    check(&shelf, &pasted, &[("own.c", "52 % archive v1.0 src/record.c")]);

    // A copy of another version within the copy, and a file with another name.
    let mut nested = v2("lib");
    nested.extend(unpacked(&origin, "v1.1", "src/", "lib/vendor/archive"));
    nested.retain(|(path, _)| !path.ends_with("list.c") && !path.ends_with("sort.c"));
    check(
        &shelf,
        &nested,
        &[
            ("lib/dump.c", "100 % archive v2.0 dump.c, identical file"),
            ("lib/find.c", "100 % archive v2.0 find.c, identical file"),
            ("lib/record.c", "100 % archive v1.1 to v2.0 record.c, identical file"),
            ("lib/vendor/archive/dump.c", "100 % archive v1.0 to v1.1 src/dump.c, identical file"),
            ("lib/vendor/archive/find.c", "100 % archive v1.0 to v1.1 src/find.c, identical file"),
            (
                "lib/vendor/archive/record.c",
                "100 % archive v1.1 to v2.0 src/record.c, identical file",
            ),
        ],
    );
    let renamed = vec![("lib/reading.c".to_owned(), [READ, WRITE].concat())];
    let from = "100 % archive v1.0 src/record.c, identical file";
    check(&shelf, &renamed, &[("lib/reading.c", from)]);
    // Nothing at all.
    check(&shelf, &[("sum.c".to_owned(), own.to_owned())], &[]);

    // More was edited than not: there is a nearest version only.
    let mut far = v2("deps/archive");
    for name in ["dump", "find", "list"] {
        edit(&mut far, &format!("deps/archive/{name}.c"), "record->kind", "record->sort");
    }
    check(
        &shelf,
        &far,
        &[
            ("deps/archive/dump.c", "100 % archive v2.0 dump.c, edited: +1 -1 lines since v2.0"),
            ("deps/archive/find.c", "100 % archive v2.0 find.c, edited: +1 -1 lines since v2.0"),
            (
                "deps/archive/list.c",
                "100 % archive v1.0 to v2.0 list.c, edited: +1 -1 lines since v2.0",
            ),
            ("deps/archive/record.c", "100 % archive v1.1 to v2.0 record.c, identical file"),
            ("deps/archive/sort.c", "100 % archive v2.0 sort.c, identical file"),
        ],
    );
}

#[test]
fn security_fixes_that_copies_have_or_lack_are_told_to_programs() {
    let (origin, fix, _) = origin();
    let shelf = Shelf::of(&origin);
    let of = |files: &[(&str, &str)]| {
        let repository = copying(files);
        let json = |format: &str| -> Value {
            serde_json::from_str(&shelf.format(&repository, "audit", format)).expect("it is JSON")
        };
        (json("openvex"), json("cyclonedx"))
    };
    let (fixed, old) = ([&fixed(), WRITE].concat(), [READ, WRITE].concat());
    for (files, status, state, told) in [
        (vec![("lib/record.c", &fixed[..])], "fixed", "resolved", "has"),
        (vec![("lib/record.c", &old[..])], "affected", "exploitable", "lacks"),
        // One copy without the fix is one too many.
        (
            vec![("lib/record.c", &fixed[..]), ("old/record.c", &old[..])],
            "affected",
            "exploitable",
            "lacks",
        ),
    ] {
        let (vex, bom) = of(&files);
        let statement = &vex["statements"][0];
        assert_eq!(vex["statements"].as_array().map(Vec::len), Some(1), "{vex}");
        assert_eq!(
            [&statement["status"], &statement["vulnerability"]["name"]],
            [status, "CVE-2001-0203"]
        );
        let why =
            if told == "has" { &statement["status_notes"] } else { &statement["action_statement"] };
        let expected = format!("the copy {told} {}", short(&fix));
        assert!(why.as_str().is_some_and(|why| why.contains(&expected)), "{expected}: {vex}");
        let vulnerability = &bom["vulnerabilities"][0];
        assert_eq!(
            [&vulnerability["id"], &vulnerability["analysis"]["state"]],
            ["CVE-2001-0203", state]
        );
        let reference = vulnerability["affects"][0]["ref"].as_str().expect("it is a name");
        let component = of_kind(&bom["components"], "file");
        let file = component
            .as_array()
            .and_then(|all| all.iter().find(|of| of["bom-ref"] == reference))
            .cloned();
        let path = files.last().map(|(path, _)| *path);
        assert_eq!(file.as_ref().and_then(|file| file["name"].as_str()), path, "{bom}");
    }
    // What has none of it says nothing of it.
    assert_eq!(of(&[("lib/list.c", LIST)]).0["statements"], serde_json::json!([]));
    // Without a number it takes a person to say whether it is a vulnerability.
    origin.write("src/list.c", LIST.replace("number++", "number += 1"));
    origin.commit("Fix a buffer overflow");
    shelf.corpus(&["update", "known"]);
    let (vex, bom) = of(&[("lib/list.c", LIST)]);
    assert_eq!(vex["statements"][0]["status"], "under_investigation", "{vex}");
    assert_eq!(bom["vulnerabilities"][0]["analysis"]["state"], "in_triage");
    assert_eq!(of(&[("test/list.c", LIST)]).0["statements"], serde_json::json!([]));
}
