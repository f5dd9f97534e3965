//! Keeps the floors: a module uses only those above it on the page `src/lib.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use secondhand::policy::RULES;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The modules in the order of the map.
fn floors() -> Vec<String> {
    let map = fs::read_to_string(root().join("lib.rs")).expect("the map is there");
    let names = map
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';').map(String::from));
    names.collect()
}

/// The Rust files of a module.
fn files(module: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(module)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("the folder stays readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let file = root().join(format!("{module}.rs"));
    found.extend(file.is_file().then_some(file));
    found
}

/// A file without comments and its tests: what the layers are about.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("a source file is UTF-8");
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The top modules that `crate::` paths of `code` name, also in `use crate::{a, b}`.
fn uses(code: &str) -> BTreeSet<String> {
    let word = |text: &str| {
        text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>()
    };
    let mut used = BTreeSet::new();
    for (at, path) in code.match_indices("crate::") {
        let rest = &code[at + path.len()..];
        match rest.strip_prefix('{') {
            Some(list) => {
                let list = list.split(';').next().unwrap_or_default();
                let mut depth = 0;
                let mut item = String::new();
                for c in list.chars() {
                    match c {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        ',' if depth == 0 => {
                            used.insert(word(item.trim()));
                            item.clear();
                        }
                        c if depth == 0 => item.push(c),
                        _ => {}
                    }
                }
                used.insert(word(item.trim()));
            }
            None => {
                used.insert(word(rest));
            }
        }
    }
    used
}

#[test]
fn a_module_uses_only_those_above_it_on_the_map() {
    let floors = floors();
    let mut faults = Vec::new();
    for (at, module) in floors.iter().enumerate() {
        for file in files(module) {
            for used in uses(&code(&file)) {
                if floors[at + 1..].contains(&used) {
                    faults.push(format!(
                        "{} uses `{used}`, which is below `{module}` on the map: move the shared type down, or the code up",
                        file.display()
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn git_knows_paths_and_contents_and_not_what_they_mean() {
    for file in files("git") {
        let known: Vec<String> =
            uses(&code(&file)).into_iter().filter(|module| floors().contains(module)).collect();
        let may_know = |module: &String| ["text", "files", "git"].contains(&module.as_str());
        assert!(known.iter().all(may_know), "{}: {known:?}", file.display());
    }
}

#[test]
fn a_plain_folder_knows_no_git() {
    for file in ["sources/walk.rs", "audit/compare/submission.rs"] {
        let known = uses(&code(&root().join(file)));
        assert!(!known.contains("git"), "{file}: {known:?}");
    }
}

#[test]
fn every_module_is_on_the_map() {
    let floors = floors();
    for entry in fs::read_dir(root()).expect("src is there") {
        let path = entry.expect("src is readable").path();
        let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        assert!(
            ["lib", "main"].contains(&name.as_str()) || floors.contains(&name),
            "`{name}` is in src/, but not on the map of src/lib.rs"
        );
    }
}

#[test]
fn the_core_knows_no_git_no_files_no_clock_and_no_output() {
    let banned = [
        "gix", "std::fs", "std::io", "std::env", "std::process", "std::time", "std::thread",
        "std::path", "rayon",
    ];
    for module in ["text", "language", "fingerprint", "index", "matching", "license", "policy"] {
        for file in files(module) {
            let code = code(&file);
            // It reads what is in memory.
            let is_unpacking = file.ends_with("text/unpack.rs");
            for name in banned.into_iter().filter(|name| !is_unpacking || *name != "std::io") {
                assert!(
                    !code.contains(name),
                    "{} names `{name}`: the core takes values and returns values",
                    file.display()
                );
            }
        }
    }
}

#[test]
fn each_outer_dependency_has_one_home() {
    let homes: [(&str, &[&str]); 19] = [
        ("tar::Archive", &["sources/tar.rs"]),
        ("zip::ZipArchive", &["sources/zip.rs"]),
        ("lzma_rust2::", &["sources/tar.rs"]),
        ("process::Command", &["sources/purl.rs"]),
        ("gix::", &["git/"]),
        ("serde_sarif", &["report/sarif.rs"]),
        ("ignore::", &["config/paths.rs", "sources/walk.rs"]),
        (
            "toml::",
            &[
                "config/day.rs", "config/file.rs", "sources/list.rs", "language/table.rs",
                "license/",
            ],
        ),
        ("spdx::", &["license/"]),
        ("roxmltree::", &["license/manifest.rs"]),
        ("strsim::", &["text/nearest.rs", "license/text.rs"]),
        ("clap", &["cli/"]),
        ("memmap2", &["store/map.rs"]),
        ("crc32fast", &["store/"]),
        ("object_store::", &["store/corpus/elsewhere/objects/session.rs"]),
        ("tokio_postgres", &["store/corpus/elsewhere/postgres.rs"]),
        ("clickhouse::", &["store/corpus/elsewhere/"]),
        ("parquet::", &["store/corpus/columns.rs"]),
        ("unsafe", &["store/map.rs"]),
    ];
    for module in floors() {
        for file in files(&module) {
            let relative = file
                .strip_prefix(root())
                .expect("it is in src")
                .to_string_lossy()
                .replace('\\', "/");
            for (name, allowed) in homes {
                let is_home = allowed.iter().any(|home| relative.starts_with(home));
                assert!(
                    is_home || !code(&file).contains(name),
                    "{relative} names `{name}`; its home is {allowed:?}"
                );
            }
        }
    }
}

/// A file that is not in the list is not even compiled: nothing else would notice.
#[test]
fn each_rule_is_a_file_in_the_list_and_an_entry_on_the_page() {
    let page = fs::read_to_string(root().join("../docs/rules.md")).expect("the page is there");
    let files = entries(&root().join("policy/rules"))
        .into_iter()
        .map(|(_, name)| name)
        .filter(|name| name != "mod");
    let mut ids = BTreeSet::new();
    for file in files {
        let id = file.replace('_', "-");
        assert!(
            RULES.iter().any(|rule| rule.id == id),
            "policy/rules/{file}.rs: add `&{file}::RULE` to RULES, below `mod {file};`; the rule's id is `{id}`"
        );
        assert!(
            page.contains(&format!("\n## {id}\n")),
            "docs/rules.md has no entry for `{id}`: renew it with `UPDATE_EXPECTED=1 cargo test --test it generated`"
        );
        ids.insert(id);
    }
    let listed: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    assert_eq!(listed.len(), ids.len(), "each rule of the list has a file of its own: {listed:?}");
}

/// As in the glossary, a word has one meaning. Errors and parameters are named with their module,
/// as in std.
#[test]
fn a_public_type_name_has_one_meaning() {
    let mut homes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for module in floors() {
        for file in files(&module) {
            for line in code(&file).lines().map(str::trim) {
                let is_type =
                    |keyword: &&str| ["struct", "enum", "trait", "type"].contains(keyword);
                let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
                if words.next() == Some("pub") && words.next().as_ref().is_some_and(is_type) {
                    let name = words.next().unwrap_or_default().to_owned();
                    homes.entry(name).or_default().push(file.display().to_string());
                }
            }
        }
    }
    homes.retain(|name, files| files.len() > 1 && !["Error", "Params"].contains(&name.as_str()));
    assert!(homes.is_empty(), "name each after what it holds: {homes:?}");
}

/// A room of a folder: a file in it that is not `mod.rs`, or a folder in it.
struct Room {
    name: String,
    /// Its files, with the path of the module that each is.
    files: Vec<(PathBuf, Vec<String>)>,
}

/// The folders below `src`, with the paths of their modules.
fn folders() -> Vec<(PathBuf, Vec<String>)> {
    let mut found = vec![(root(), Vec::new())];
    let mut at = 0;
    while let Some((folder, module)) = found.get(at).cloned() {
        for (path, name) in entries(&folder).into_iter().filter(|(path, _)| path.is_dir()) {
            found.push((path, [&module[..], &[name]].concat()));
        }
        at += 1;
    }
    found.split_off(1)
}

/// What a folder holds, sorted: the paths, and the names of the modules that they are.
fn entries(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut entries: Vec<(PathBuf, String)> = fs::read_dir(folder)
        .expect("src is readable")
        .map(|entry| entry.expect("the folder stays readable").path())
        .filter(|path| path.is_dir() || path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| {
            (path.clone(), path.file_stem().expect("it has a name").to_string_lossy().into_owned())
        })
        .collect();
    entries.sort();
    entries
}

fn rooms(folder: &Path, module: &[String]) -> Vec<Room> {
    let room = |(path, name): (PathBuf, String)| {
        let module = [module, std::slice::from_ref(&name)].concat();
        let mut files = Vec::new();
        let mut left = vec![(path, module)];
        while let Some((path, module)) = left.pop() {
            if path.is_file() {
                files.push((path, module));
                continue;
            }
            for (path, name) in entries(&path) {
                let module =
                    if name == "mod" { module.clone() } else { [&module[..], &[name]].concat() };
                left.push((path, module));
            }
        }
        Room { name, files }
    };
    entries(folder).into_iter().filter(|(_, name)| name != "mod").map(room).collect()
}

/// The paths that begin at the start of `text`, those of a list in braces one by one, as segments.
fn paths(text: &str) -> Vec<Vec<String>> {
    let text = text.trim_start();
    if let Some(list) = text.strip_prefix('{') {
        let mut depth = 0;
        let mut items = vec![String::new()];
        for c in list.chars() {
            match c {
                '}' if depth == 0 => break,
                ',' if depth == 0 => {
                    items.push(String::new());
                    continue;
                }
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            items.last_mut().expect("there is one from the start").push(c);
        }
        return items
            .iter()
            .filter(|item| !item.trim().is_empty())
            .flat_map(|item| paths(item))
            .collect();
    }
    let word: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let below = match text[word.len()..].strip_prefix("::") {
        Some(rest) => paths(rest),
        None => vec![Vec::new()],
    };
    below.into_iter().map(|path| [vec![word.clone()], path].concat()).collect()
}

/// The modules and items that a file names from the root on, by paths that begin with `crate`,
/// `super` or `self`.
fn named(code: &str, module: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            let before = &code[..at];
            if before.ends_with("::") || before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
            {
                continue;
            }
            // Inside of an inline module there is one module more to leave.
            let inline = before.rfind("\nmod ").map(|at| &before[at + 1..]);
            let is_open = |block: &str| {
                block.lines().next().is_some_and(|line| line.ends_with('{'))
                    && !block.contains("\n}")
            };
            let is_inline = inline.is_some_and(is_open);
            let inner = if is_inline { vec![String::from("inline")] } else { Vec::new() };
            for path in paths(&code[at..]) {
                let mut full = [module, &inner[..]].concat();
                let mut rest = &path[..];
                while let Some((first, behind)) = rest.split_first() {
                    match first.as_str() {
                        "crate" => full.clear(),
                        "super" => drop(full.pop()),
                        "self" => {}
                        _ => break,
                    }
                    rest = behind;
                }
                found.push([&full[..], rest].concat());
            }
        }
    }
    found
}

/// The items that `mod.rs` hands on from its rooms, each with its room.
fn handed_on(folder: &Path, rooms: &[Room]) -> BTreeMap<String, String> {
    let code = code(&folder.join("mod.rs"));
    let uses =
        code.match_indices("use ").flat_map(|(at, keyword)| paths(&code[at + keyword.len()..]));
    let mut items = BTreeMap::new();
    for path in uses {
        let path = path.strip_prefix(&[String::from("self")][..]).unwrap_or(&path);
        if let [room, .., item] = path
            && rooms.iter().any(|of| of.name == *room)
        {
            items.insert(item.clone(), room.clone());
        }
    }
    items
}

/// For each room of a folder, the others that it uses, be it by an item that `mod.rs` hands on.
fn neighbors(folder: &Path, module: &[String]) -> BTreeMap<String, BTreeSet<String>> {
    let rooms = rooms(folder, module);
    let handed_on = handed_on(folder, &rooms);
    let mut neighbors = BTreeMap::new();
    for room in &rooms {
        let mut used = BTreeSet::new();
        for (file, of) in &room.files {
            for path in named(&code(file), of) {
                let Some(next) = path.strip_prefix(module).and_then(<[String]>::first) else {
                    continue;
                };
                let is_room = rooms.iter().any(|of| of.name == *next);
                used.extend(if is_room { Some(next) } else { handed_on.get(next) }.cloned());
            }
        }
        used.remove(&room.name);
        neighbors.insert(room.name.clone(), used);
    }
    neighbors
}

/// The rooms that each can be reached from each other: the circles.
fn circles(neighbors: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<BTreeSet<String>> {
    let reached = |from: &String| {
        let mut reached: BTreeSet<String> = BTreeSet::new();
        let mut left: Vec<&String> = neighbors[from].iter().collect();
        while let Some(room) = left.pop() {
            if reached.insert(room.clone()) {
                left.extend(&neighbors[room]);
            }
        }
        reached
    };
    let reached: BTreeMap<&String, BTreeSet<String>> =
        neighbors.keys().map(|room| (room, reached(room))).collect();
    let circle = |room: &String| -> BTreeSet<String> {
        reached[room].iter().filter(|other| reached[*other].contains(room)).cloned().collect()
    };
    neighbors.keys().map(circle).filter(|circle| !circle.is_empty()).collect()
}

/// Where two files need each other, none can be understood, tested or moved without the other. Some
/// things do refer to themselves: then a comment of `mod.rs` says so, with the word "circle" and
/// the names of the files.
#[test]
fn the_files_of_a_folder_form_no_circle_that_its_mod_rs_does_not_name() {
    let mut faults = Vec::new();
    for (folder, module) in folders() {
        let text = fs::read_to_string(folder.join("mod.rs")).expect("a folder has a mod.rs");
        let comments = text
            .lines()
            .filter(|line| line.starts_with("//") && line.to_lowercase().contains("circle"));
        let comments: Vec<&str> = comments.collect();
        for circle in circles(&neighbors(&folder, &module)) {
            let is_named =
                |comment: &&str| circle.iter().all(|room| comment.contains(&format!("`{room}`")));
            if !comments.iter().any(is_named) {
                let rooms: Vec<&str> = circle.iter().map(String::as_str).collect();
                faults.push(format!(
                    "in {}, these need each other: {}",
                    folder.display(),
                    rooms.join(", ")
                ));
            }
        }
    }
    assert!(faults.is_empty(), "move what they share to a file of its own\n{}", faults.join("\n"));
}

/// A folder may say of itself what `src/lib.rs` says: then its `mod.rs` is its map.
#[test]
fn in_a_folder_with_a_map_a_file_uses_only_those_above_it() {
    let mut n_maps = 0;
    let mut faults = Vec::new();
    for (folder, module) in folders() {
        let text = fs::read_to_string(folder.join("mod.rs")).expect("a folder has a mod.rs");
        if !text.contains("a module uses only those above it") {
            continue;
        }
        n_maps += 1;
        let listed = text.lines().filter_map(|line| line.strip_suffix(';')?.split("mod ").nth(1));
        let order: Vec<&str> = listed.collect();
        for (room, used) in neighbors(&folder, &module) {
            let place = |name: &str| order.iter().position(|listed| *listed == name);
            let below = used.iter().filter(|used| place(used) > place(&room));
            faults.extend(
                below.map(|used| format!("{}: `{room}` uses `{used}`, below it", folder.display())),
            );
        }
    }
    assert!(n_maps > 0 && faults.is_empty(), "{}", faults.join("\n"));
}
