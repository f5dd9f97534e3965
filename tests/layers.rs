//! Keeps the floors: a module uses only those above it on the page `src/lib.rs`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The modules in the order of the map.
fn floors() -> Vec<String> {
    let map = fs::read_to_string(root().join("lib.rs")).expect("the map is there");
    let names = map.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';').map(String::from));
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
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
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
    let banned =
        ["gix", "std::fs", "std::io", "std::env", "std::process", "std::time", "std::thread", "std::path", "rayon"];
    for module in ["text", "language", "fingerprint", "index", "matching", "license", "policy"] {
        for file in files(module) {
            let code = code(&file);
            for name in banned {
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
    let homes: [(&str, &[&str]); 14] = [
        ("tar::Archive", &["corpus/tar.rs"]),
        ("zip::ZipArchive", &["corpus/zip.rs"]),
        ("lzma_rust2::", &["corpus/tar.rs"]),
        ("process::Command", &["corpus/purl.rs"]),
        ("gix::", &["git/"]),
        ("serde_sarif", &["report/sarif.rs"]),
        ("ignore::", &["config/paths.rs", "corpus/walk.rs"]),
        ("toml::", &["config/file.rs", "corpus/list.rs", "language/table.rs", "license/"]),
        ("spdx::", &["license/"]),
        ("roxmltree::", &["license/manifest.rs"]),
        ("clap", &["cli/"]),
        ("memmap2", &["store/map.rs"]),
        ("crc32fast", &["store/"]),
        ("unsafe", &["store/map.rs"]),
    ];
    for module in floors() {
        for file in files(&module) {
            let relative = file.strip_prefix(root()).expect("it is in src").to_string_lossy().replace('\\', "/");
            for (name, allowed) in homes {
                let is_home = allowed.iter().any(|home| relative.starts_with(home));
                assert!(is_home || !code(&file).contains(name), "{relative} names `{name}`; its home is {allowed:?}");
            }
        }
    }
}
