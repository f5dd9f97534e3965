//! Shows that code is compared with code of its own language, wherever it stands: in a page, a
//! document, a notebook.

use serde_json::{Value, json};

use super::{check, check_last, copy, left_out};
use crate::samples::{File, LANGUAGES, Language};
use support::{Report, Repository};

const C: &Language = &LANGUAGES[0];
const PYTHON: &Language = &LANGUAGES[1];
const TYPESCRIPT: &Language = &LANGUAGES[2];

/// A file at `path` that holds `code` between `before` and `after`.
fn embed(path: &str, before: &str, code: &str, after: &str) -> File {
    File { path: path.to_owned(), text: format!("{before}{code}{after}") }
}

/// `code`, as a page of Vue holds it.
fn page(path: &str, code: &str) -> File {
    let before = "<template>\n  <p :class=\"it\">It's {{ name }}</p>\n</template>\n\n<script setup lang=\"ts\">\n";
    embed(path, before, code, "</script>\n\n<style scoped>\np { color: red }\n</style>\n")
}

#[test]
fn a_function_copied_from_a_file_into_a_page_is_a_finding() {
    let store = TYPESCRIPT.file("store", &[TYPESCRIPT.second, TYPESCRIPT.first]);
    let page = page("page.vue", TYPESCRIPT.first);
    let place = copy(&page.at(TYPESCRIPT.first), "type-1", &store.at(TYPESCRIPT.first));
    check(&[&store], &[&store, &page], &[place]);
}

#[test]
fn a_function_copied_from_a_page_into_a_file_is_a_finding() {
    let page = page("page.vue", TYPESCRIPT.first);
    let new = TYPESCRIPT.file("store", &[TYPESCRIPT.second, TYPESCRIPT.first]);
    let place = copy(&new.at(TYPESCRIPT.first), "type-1", &page.at(TYPESCRIPT.first));
    check(&[&page], &[&page, &new], &[place]);
}

#[test]
fn a_function_copied_into_any_kind_of_page_is_a_finding() {
    let pages = [
        ("a.svelte", "<script lang=\"ts\">\n", "</script>\n<p>It's {name}</p>\n"),
        ("a.astro", "---\nimport It from './it'\n", "---\n<p>It's {name}</p>\n"),
        ("a.html", "<!DOCTYPE html>\n<p title=\"it's\">'\n<script lang=ts>\n", "</script>\n"),
        ("a.html.erb", "<p><%= it('s') %>\n<script lang=ts>\n", "</script>\n"),
        ("a.php", "<p>It's <?php if ($a): ?>\n<script lang=ts>\n", "</script><?php endif; ?>\n"),
        ("a.j2", "{% if it %}<p>It's\n<script lang=ts>\n", "</script>{% endif %}\n"),
        ("a.twig", "{% if it %}<p>It's {{ it|raw }}\n<script lang=ts>\n", "</script>{% endif %}\n"),
        (
            "a.liquid",
            "{% if it %}<p>It's {{ it | join: ', ' }}\n<script lang=ts>\n",
            "</script>{% endif %}\n",
        ),
        ("a.hbs", "{{#if it}}<p>It's {{it}}\n<script lang=ts>\n", "</script>{{/if}}\n"),
        ("a.mustache", "{{#it}}<p>It's {{{it}}}\n<script lang=ts>\n", "</script>{{/it}}\n"),
        ("a.njk", "{% if it %}<p>It's\n<script lang=ts>\n", "</script>{% endif %}\n"),
        ("a.ejs", "<% if (it) { %><p>It's <%= it %>\n<script lang=ts>\n", "</script><% } %>\n"),
        ("a.blade.php", "@if (it)\n<p>It's {{ $it }}\n<script lang=ts>\n", "</script>\n@endif\n"),
        ("a.html.heex", "<%= if @it do %><p>It's\n<script lang=ts>\n", "</script><% end %>\n"),
        ("a.jsp", "<% if (it) { %><p>It's <%= it %>\n<script lang=ts>\n", "</script><% } %>\n"),
    ];
    for (path, before, after) in pages {
        let store = TYPESCRIPT.file("store", &[TYPESCRIPT.second, TYPESCRIPT.first]);
        let page = embed(path, before, TYPESCRIPT.first, after);
        let place = copy(&page.at(TYPESCRIPT.first), "type-1", &store.at(TYPESCRIPT.first));
        check(&[&store], &[&store, &page], &[place]);
    }
}

#[test]
fn a_function_copied_into_a_document_is_a_note() {
    for (path, before, after) in [
        ("a.md", "# It's\n\n```c\n", "```\n\nDon't.\n"),
        ("a.adoc", "[source,c]\n----\n", "----\n"),
    ] {
        let store = C.file("store", &[C.second, C.first]);
        let document = embed(path, before, C.first, after);
        let place = format!("note {} <- type-1 {}", document.at(C.first), store.at(C.first));
        check(&[&store], &[&store, &document], &[place]);
    }
}

#[test]
fn the_text_of_a_document_is_nothing() {
    let text = "It returns the sum (of all) if a < b, or else c[d]; see the manual.\n".repeat(20);
    let (one, two) = (
        embed("a.md", "```c\nint a;\n```\n", &text, ""),
        embed("b.md", "```c\nint b;\n```\n", &text, ""),
    );
    check(&[&one], &[&one, &two], &[]);
}

#[test]
fn code_of_another_language_is_nothing_wherever_it_stands() {
    let store = C.file("store", &[C.second, C.first]);
    let document = embed("a.md", "```java\n", C.first, "```\n");
    check(&[&store], &[&store, &document], &[]);
}

#[test]
fn a_function_copied_into_a_cell_of_a_notebook_is_found_on_the_lines_of_the_file() {
    let lines: Vec<Value> = PYTHON.first.lines().map(|line| json!(format!("{line}\n"))).collect();
    let notebook = json!({
        "cells": [
            { "cell_type": "markdown", "metadata": {}, "source": ["It's\n"] },
            { "cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": lines },
        ],
        "metadata": { "kernelspec": { "language": "python", "name": "python3" } },
        "nbformat": 4,
    });
    let text = serde_json::to_string_pretty(&notebook).expect("it is JSON");
    let line_of = |code: &str| {
        let quoted = json!(format!("{code}\n")).to_string();
        text.lines().position(|line| line.contains(&quoted)).expect("the cell holds it") + 1
    };
    let (first, last) = (PYTHON.first.lines().next(), PYTHON.first.lines().last());
    let (first, last) =
        (line_of(first.expect("it has lines")), line_of(last.expect("it has lines")));
    let store = PYTHON.file("store", &[PYTHON.second, PYTHON.first]);
    let notebook = File { path: "a.ipynb".to_owned(), text };
    let place = format!("note a.ipynb:{first}-{last} <- type-1 {}", store.at(PYTHON.first));
    // Whatever its code counts as in statistics, the file is a notebook.
    for attributes in ["", "*.ipynb linguist-language=Python\n"] {
        let attributes = File { path: ".gitattributes".to_owned(), text: attributes.to_owned() };
        let after = [&store, &attributes, &notebook];
        check(&[&store, &attributes], &after, std::slice::from_ref(&place));
    }
}

#[test]
fn a_scan_finds_code_in_pages() {
    let store = TYPESCRIPT.file("store", &[TYPESCRIPT.second, TYPESCRIPT.first]);
    let page = page("page.vue", TYPESCRIPT.first);
    let repository = Repository::new();
    repository.write(&store.path, &store.text);
    repository.write(&page.path, &page.text);
    let report = Report::new(&mut repository.secondhand(&["scan", "--format", "json"]));
    let place =
        format!("note {} <- type-1 {}", page.at(TYPESCRIPT.first), store.at(TYPESCRIPT.first));
    assert_eq!(report.findings(), [place]);
}

/// Checks what adding a copy of a function at `path` gives, in a tree with these `.gitattributes`.
#[track_caller]
fn check_attributes(
    attributes: &[(&str, &str)],
    path: &str,
    findings: impl Fn(&File, &File) -> Vec<String>,
) {
    let repository = Repository::new();
    let store = C.file("store", &[C.second, C.first]);
    repository.write(&store.path, &store.text);
    for (path, text) in attributes {
        repository.write(path, text);
    }
    repository.commit("before");
    let new = embed(path, "", C.first, "");
    repository.write(&new.path, &new.text);
    repository.commit("after");
    check_last(&repository, &[], &findings(&new, &store));
}

#[test]
fn gitattributes_name_the_language_of_a_file() {
    let found =
        |new: &File, store: &File| vec![copy(&new.at(C.first), "type-1", &store.at(C.first))];
    check_attributes(&[], "sub/new.xyz", |_, _| Vec::new());
    check_attributes(&[(".gitattributes", "*.xyz linguist-language=C\n")], "sub/new.xyz", found);
    check_attributes(
        &[("sub/.gitattributes", "new.xyz linguist-language=C\n")],
        "sub/new.xyz",
        found,
    );
    check_attributes(
        &[(".gitattributes", "new.c linguist-language=Common-Lisp\n")],
        "new.c",
        |_, _| Vec::new(),
    );
    let nested = [
        (".gitattributes", "*.xyz linguist-language=Java\n"),
        ("sub/.gitattributes", "*.xyz linguist-language=C\n"),
    ];
    check_attributes(&nested, "new.xyz", |_, _| Vec::new());
    check_attributes(&nested, "sub/sub/new.xyz", found);
}

#[test]
fn gitattributes_leave_out_what_was_generated_and_what_others_wrote() {
    let found =
        |new: &File, store: &File| vec![copy(&new.at(C.first), "type-1", &store.at(C.first))];
    for name in ["linguist-generated", "linguist-generated=true", "linguist-vendored"] {
        let above = format!("sub/** {name}\n");
        let below = format!("*.c -{}\n", name.trim_end_matches("=true"));
        let reason = if name == "linguist-vendored" { "vendored or built" } else { "generated" };
        check_attributes(&[(".gitattributes", &above)], "sub/new.c", |new, _| {
            vec![left_out(&format!("{} ({reason})", new.path))]
        });
        check_attributes(
            &[(".gitattributes", &above), ("sub/.gitattributes", &below)],
            "sub/new.c",
            found,
        );
    }
    let note = |new: &File, store: &File| {
        vec![format!("note {} <- type-1 {}", new.at(C.first), store.at(C.first))]
    };
    check_attributes(&[(".gitattributes", "docs/** linguist-documentation\n")], "docs/new.c", note);
}

#[test]
fn what_is_copied_from_code_that_others_wrote_is_a_finding() {
    let found =
        |new: &File, store: &File| vec![copy(&new.at(C.first), "type-1", &store.at(C.first))];
    check_attributes(&[(".gitattributes", "store.c linguist-vendored\n")], "new.c", found);
}

#[test]
fn languages_says_what_a_file_is_and_why() {
    let repository = Repository::new();
    let says = |path: &str, text: &str, expected: &str| {
        repository.write(path, text);
        let output = repository
            .secondhand(&["languages", "--file", path])
            .output()
            .expect("the program starts");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    };
    says("a.c", "", "a.c: C (table `c`, family `c`), by its extension `c`\n");
    says("Makefile", "", "Makefile: Makefile (table `makefile`, family `makefile`), by its name\n");
    says(
        "a",
        "#!/usr/bin/env python3\n",
        "a: Python (table `python`, family `python`), by its first line, which names `python`\n",
    );
    says(
        "sub/.gitattributes",
        "*.x linguist-language=C linguist-generated\n",
        "sub/.gitattributes: Git Attributes (table `gitattributes`, family `git attributes`), by its name\n",
    );
    says(
        "sub/a.x",
        "",
        "sub/a.x: C (table `c`, family `c`), by linguist-language in .gitattributes\n  generated, says .gitattributes\n",
    );
    says(
        "a.md",
        "a\n```c\nint a;\n```\n",
        "a.md: Markdown (table `markdown`, family `markdown`), by its extension `md`\n  lines 3-3: C (table `c`)\n",
    );
}

/// The table of the documentation's page on languages.
fn documented_table() -> &'static str {
    let page = include_str!("../../../docs/how-to/languages.md");
    let table = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    table.expect("the page has a table")
}

#[test]
fn a_language_of_the_settings_is_read_and_its_examples_are_run() {
    let repository = Repository::new();
    repository.write("secondhand.toml", documented_table());
    repository.write("a.rules", "include x\nwhen a -- c\nthen \"s ${b}\" true / 2 end\n");
    let tokens = || {
        repository
            .secondhand(&["languages", "--tokens", "a.rules"])
            .output()
            .expect("the program starts")
    };
    let printed = String::from_utf8(tokens().stdout).expect("it is UTF-8");
    let words: Vec<_> = printed.lines().filter_map(|line| line.split('\t').nth(2)).collect();
    assert_eq!(words, ["when", "a", "then", "\"s ${", "b", "}\"", "true", "/", "2", "end"]);

    repository.write(
        "secondhand.toml",
        documented_table().replace("[\"when\", \"i:b\"]", "[\"when\", \"i:c\"]"),
    );
    let output = tokens();
    let told = String::from_utf8(output.stderr).expect("it is UTF-8");
    assert_eq!(output.status.code(), Some(2));
    for part in [
        "secondhand.toml",
        "language.our-rules.examples",
        "comments and included files",
        "\"i:b\"",
        "\"i:c\"",
    ] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
}

#[test]
fn a_file_that_source_includes_is_read_as_that_source() {
    let first = LANGUAGES[0].first;
    let found = |name: &str, above: &str, new: &str| {
        let repository = Repository::new();
        repository.write("src/store.c", format!("{above}int unlike;\n\n{first}"));
        repository.commit("before");
        repository.write(name, format!("{new}{first}"));
        repository.commit("after");
        repository.check(&["--base", "HEAD~1"]).findings().len()
    };
    for name in ["src/table.def", "src/table.txt", "src/table.tmpl"] {
        let include = format!("# include \"{}\"\n", &name[4..]);
        assert_eq!(found(name, &include, ""), 1, "{name}");
        assert_eq!(found(name, "", ""), 0, "{name}: nobody includes it");
        assert_eq!(
            found(name, &format!("const char *a = \"{}\";\n", &name[4..]), ""),
            0,
            "{name}: only named"
        );
    }
    // What it holds is enough for some names.
    for name in ["lib/table.def", "lib/table.h.tmpl"] {
        assert_eq!(found(name, "", "#ifndef TABLE\n#endif\n"), 1, "{name}");
    }
}

#[test]
fn code_from_a_folder_that_is_vendored_by_its_name_is_a_copy_as_any_other() {
    let repository = Repository::new();
    repository.write("vendor/store/LICENSE", "MIT License\n");
    repository.write("vendor/store/store.c", format!("int unlike;\n\n{}", LANGUAGES[0].first));
    repository.commit("before");
    repository.write("src/new.c", LANGUAGES[0].first);
    repository.commit("after");
    let rules = |args: &[&str]| -> Vec<String> {
        let report = repository.check(&[&["--base", "HEAD~1"], args].concat());
        report.list("/findings").iter().map(|finding| finding["rule"].to_string()).collect()
    };
    assert_eq!(rules(&[]), ["\"copied-code\""]);
    repository
        .write("secondhand.toml", "[[vendored]]\npath = \"vendor/store\"\nlicense = \"MIT\"\n");
    assert_eq!(rules(&[]), ["\"corpus-copy\""]);
}
