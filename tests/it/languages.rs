//! Runs the examples that every language table carries, and guards the tables against each other.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use secondhand::language::{Family, Languages, Lexer, OpenerPlace, Table, TextRow};
use secondhand::text::FilePath;

fn tables() -> Vec<(String, Table)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/languages");
    let mut tables = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder is readable").path();
        let text = fs::read_to_string(&path).expect("a table is UTF-8");
        let table =
            Table::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let id = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        tables.push((id, table));
    }
    tables.sort_by(|a, b| a.0.cmp(&b.0));
    tables
}

#[test]
fn every_example_gives_its_tokens() {
    let mut faults = Vec::new();
    let languages = Languages::builtin();
    for (id, table) in tables() {
        Lexer::new(&table).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert!(languages.get(&id).is_some(), "{id} is not built in");
        faults.extend(languages.unmet_examples(&id).into_iter().map(|unmet| {
            format!(
                "{id}: {}\n  expected {:?}\n     found {:?}",
                unmet.shows, unmet.expected, unmet.found
            )
        }));
    }
    assert!(faults.is_empty(), "{} examples fail:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn the_family_of_a_name_is_that_of_its_language_unless_its_files_hold_others() {
    let languages = Languages::builtin();
    for (id, table) in tables() {
        for extension in &table.extensions {
            let path = FilePath::new(format!("a.{extension}"));
            let language = languages.promised(&path).unwrap_or_else(|| panic!("{id}"));
            let family = Some(&*language.family).filter(|_| !language.is_host());
            assert_eq!(languages.promised_family(&path), family, "{id}");
        }
    }
}

#[test]
fn test_code_inside_a_file_is_found_by_the_marks_of_its_table() {
    let languages = Languages::builtin();
    let check = |id: &str, source: &str, lines: &[(u32, u32)]| {
        let language = languages.get(id).unwrap_or_else(|| panic!("there is no {id}"));
        let mut tokens = Vec::new();
        language.lexer.tokenize(source.as_bytes(), &mut tokens);
        let found: Vec<_> = language
            .test_lines(source.as_bytes(), &tokens)
            .into_iter()
            .map(|unit| (unit.start, unit.end))
            .collect();
        assert_eq!(found, lines, "{id}: {source}");
    };
    check(
        "rust",
        "fn f() {\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn g() {}\n}\nfn h() {}\n",
        &[(4, 9)],
    );
    check(
        "rust",
        "#[tokio::test(start_paused = true)]\nasync fn f() {\n    g().await;\n}\n",
        &[(1, 5)],
    );
    let any = "#[cfg(any(test, feature = \"test-util\", miri))]\nfn f() {\n    g();\n}\n";
    check("rust", any, &[(1, 5)]);
    for compiled in ["any(test, not(test))", "any(test, unix)", "any(test, feature = \"std\")"] {
        check("rust", &any.replace("any(test, feature = \"test-util\", miri)", compiled), &[]);
    }
    check("rust", "#[cfg(not(test))]\nfn f() {\n}\n#[testing]\nfn g() {\n}\n", &[]);
    check(
        "python",
        "class TestA:\n    def f(self):\n        pass\n\ndef g():\n    pass\n",
        &[(1, 4)],
    );
    check("python", "async def test_a(b):\n    pass\nc = 1\n", &[(1, 3)]);
    check("go", "func TestA(t *testing.T) {\n\tf()\n}\n\nfunc Testify() {\n\tf()\n}\n", &[(1, 4)]);
    check(
        "java",
        "class A {\n  @Test\n  void a() {\n    b();\n  }\n  void c() {\n  }\n}\n",
        &[(2, 6)],
    );
    check("javascript", "it('a', () => {\n  b()\n})\nemit('a')\n", &[(1, 4)]);
    check("elixir", "test \"a\" do\n  b()\nend\n", &[(1, 3)]);
    check("zig", "test \"a\" {\n    b();\n}\nfn testing() {\n}\n", &[(1, 4)]);
    check("cpp", "TEST_F(A, B) {\n  c();\n}\nint TESTS() {\n  return 1;\n}\n", &[(1, 4)]);
}

#[test]
fn every_mark_of_test_code_is_a_pattern() {
    for (id, table) in tables().into_iter().filter(|(_, table)| !table.tests.is_empty()) {
        let mut languages = Languages::extensible();
        languages.add(&id, table).unwrap_or_else(|error| panic!("{id}: {error}"));
        languages.get(&id).expect("it was added").test_lines(b"", &[]);
    }
}

/// A row that an example shows: some source of the table's examples holds its opener.
fn is_shown(table: &Table, open: &str) -> bool {
    // A hole is filled in the example: what stands before it is looked for.
    let hole = ["{tag}", "{extension}", "{bracket}"]
        .iter()
        .find_map(|hole| open.find(hole))
        .or(open.find('{'));
    let stem = hole.map(|at| &open[..at]).filter(|stem| !stem.is_empty()).unwrap_or(open);
    let fold =
        |text: &str| if table.case_insensitive { text.to_lowercase() } else { text.to_owned() };
    table.examples.iter().any(|example| fold(&example.source).contains(&fold(stem)))
}

#[test]
fn every_special_thing_of_a_table_has_an_example() {
    let mut faults = Vec::new();
    for (id, table) in tables() {
        if table.examples.is_empty() {
            faults.push(format!("{id}: no example"));
        }
        for TextRow { open, .. } in table.comments.iter().chain(&table.strings) {
            if !open.iter().any(|open| is_shown(&table, open)) {
                faults
                    .push(format!("{id}: no example shows {:?}", open.iter().collect::<Vec<_>>()));
            }
        }
        for heredoc in &table.heredocs {
            if !is_shown(&table, &heredoc.open) {
                faults.push(format!("{id}: no example shows the heredoc {:?}", heredoc.open));
            }
        }
        for import in &table.imports {
            if !import.first.iter().any(|first| is_shown(&table, first)) {
                faults.push(format!(
                    "{id}: no example shows the import {:?}",
                    import.first.iter().collect::<Vec<_>>()
                ));
            }
        }
        for region in &table.regions {
            let begin = regex::bytes::RegexBuilder::new(&region.begin)
                .multi_line(true)
                .unicode(false)
                .build();
            let begin = begin.unwrap_or_else(|error| panic!("{id}: {error}"));
            if !table.examples.iter().any(|example| begin.is_match(example.source.as_bytes())) {
                faults.push(format!(
                    "{id}: no example shows a region that begins with {:?}",
                    region.begin
                ));
            }
        }
        for text in
            table.plain.iter().chain(&table.plain_operands).filter(|text| !is_shown(&table, text))
        {
            faults.push(format!("{id}: no example shows {text:?}"));
        }
        for pair in table.strings.iter().flat_map(|string| &string.interpolation) {
            if !is_shown(&table, &pair.open) {
                faults.push(format!("{id}: no example shows code inside {:?}", pair.open));
            }
        }
        if table.strings.iter().any(|string| string.place == OpenerPlace::Operand)
            && !table
                .examples
                .iter()
                .any(|example| example.tokens.iter().any(|token| token == "/" || token == "'"))
        {
            faults.push(format!("{id}: no example shows the opener of a literal as an operator"));
        }
    }
    assert!(faults.is_empty(), "{} things are not shown:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn no_two_languages_own_one_name() {
    let mut owners: HashMap<String, String> = HashMap::new();
    let mut faults = Vec::new();
    for (id, table) in tables() {
        let extensions = table.extensions.iter().map(|name| format!("the extension {name}"));
        let file_names = table.file_names.iter().map(|name| format!("the file name {name}"));
        let shebangs = table.shebangs.iter().map(|name| format!("the interpreter {name}"));
        for name in extensions.chain(file_names).chain(shebangs) {
            if let Some(other) = owners.insert(name.clone(), id.clone()) {
                faults.push(format!(
                    "{name} is owned by {other} and {id}: let one of them claim it by content"
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn no_two_families_share_a_number() {
    let families: BTreeSet<String> = tables().iter().map(|(_, table)| table.family()).collect();
    let numbers: BTreeSet<Family> = families.iter().map(|family| Family::new(family)).collect();
    assert_eq!(numbers.len(), families.len(), "rename one: code of two families would be compared");
}

#[test]
fn every_language_that_a_table_names_is_there() {
    let languages = Languages::builtin();
    let mut faults = Vec::new();
    for (id, table) in tables() {
        let of_regions = table.regions.iter().filter_map(|region| region.language.as_ref());
        let of_strings = table.strings.iter().filter_map(|string| string.holds.as_ref());
        for name in of_regions
            .chain(of_strings)
            .chain(&table.around)
            .chain(&table.page)
            .filter(|name| languages.get(name).is_none())
        {
            faults.push(format!("{id}: there is no table {name}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_table_that_is_added_replaces_the_built_in_one() {
    let mut languages = Languages::extensible();
    let table =
        Table::parse("name = \"Rust\"\nextensions = [\"rs2\"]\n[[comments]]\nopen = \"%%\"")
            .expect("it is valid");
    languages.add("rust", table).expect("it compiles");
    let path = |name: &str| secondhand::text::FilePath::new(name.as_bytes());
    assert!(languages.identify(&path("a.rs"), b"").is_none());
    assert_eq!(
        languages.identify(&path("a.rs2"), b"").map(|language| language.id.as_str()),
        Some("rust")
    );
}

#[test]
fn what_a_file_holds_decides_where_languages_share_an_extension() {
    let languages = Languages::builtin();
    let cases = [
        ("a.cgi", "#!/usr/bin/env python3\nprint()\n", "python"),
        ("a.cgi", "#!/bin/sh\necho\n", "shell"),
        ("a.fcgi", "#!/usr/bin/php\n<?php\n", "php"),
        ("a.cgi", "#!/usr/bin/perl\nprint;\n", "perl"),
        ("a.cgi", "print;\n", "perl"),
        ("a.inc", "<?php echo 1;\n", "php"),
        ("a.inc", "<table><tr>\n", "html"),
        ("a.inc", "CREATE TABLE a (b INT);\n", "sql"),
        ("a.inc", "int a(void);\n", "cpp"),
        ("a.sls", "# states\na:\n  pkg.installed\n", "yaml"),
        ("a.sls", "{% set a = 1 %}\n", "yaml"),
        ("a.sls", ";; a library\n(library (a))\n", "scheme"),
        ("a.sch", "<?xml version=\"1.0\"?>\n<schema/>\n", "xml"),
        ("a.rs", "<?xml version=\"1.0\"?>\n", "xml"),
        ("a.rs", "fn a() {}\n", "rust"),
        ("a.d", "# made\na/b.o: a/b.c \\\n  a/b.h\n", "makefile"),
        ("a.d", "module a;\n", "d"),
        ("a.spec", "require 'a'\ndescribe B do\nend\n", "ruby"),
        ("a.spec", "# -*- mode: python -*-\na = Analysis([])\n", "python"),
        ("a.spec", "Name: a\n%prep\n", "rpm-spec"),
        ("a.yy", "{\n  \"a\": 1\n}\n", "json"),
        ("a.yy", "%token A\n%%\na: A;\n", "bison"),
        ("a.ex", "defmodule A do\n  @doc \"\"\"\n  integer b\n  \"\"\"\nend\n", "elixir"),
        ("a.ex", "include std/io.e\ninteger a = 1\n", "euphoria"),
        ("a.reds", "module A\nfunc b() {}\n", "redscript"),
        ("a.reds", "Red/System [Title: \"a\"]\nb: func [][]\n", "red"),
        ("a.h.in", "#undef A\n", "c"),
        ("a.m", "% A comment.\n:- module a.\n:- interface.\n", "mercury"),
        ("a.m", "% A comment.\nx = 1;\n", "matlab"),
        ("a.m", "@interface A\n@end\n", "objective-c"),
        ("a.rules", "alert tcp any any -> any 80 (sid:1;)\n", "snort"),
        ("a.rules", "SUBSYSTEM==\"tty\", MODE=\"0660\"\n", "udev"),
        (
            "storage.rules",
            "rules_version = '2';\nservice firebase.storage {\n}\n",
            "firestore-rules",
        ),
        ("a.mod", "MODULE A;\nBEGIN\nEND A.\n", "modula-2"),
        ("a.mod", "MODULE A;\nPROCEDURE B*;\nEND B;\nEND A.\n", "oberon"),
        ("a.mod", "param b := 1;\n", "ampl"),
        ("a.pkl", "amends \"a.pkl\"\nb = 1\n", "pkl"),
        ("a.res", "int a(int *b)\n{\n}\n", "c"),
        ("a.res", "let a = (b) => b\n", "rescript"),
        ("a.mesh", "#version 450\n", "glsl"),
        ("a.t", "It's a test.\n\n  $ echo a\n  a\n", "cram"),
        ("a.t", "#!/bin/sh\necho 1..1\n", "shell"),
        ("a.t", "print \"1..1\\n\";\n", "perl"),
        ("a.tpl", "<b><?= $a ?></b>\n", "php"),
        ("a.tpl", "<b>{$a}</b>\n", "smarty"),
        ("a.st", "<div>$a$</div>\n", "html"),
        ("a.st", "a := 1 < b.\n", "smalltalk"),
        ("a.v", "@[has_globals]\nmodule a\n\nconst b = u64(1)\n", "vlang"),
        ("profile.ejs", "<div>\n", "ejs"),
        ("profile.ejs", "export A=<%= b %>\n", "shell"),
        ("Makevars.win", "PKG_LIBS = -la\n", "makefile"),
        ("DevDockerfile", "FROM a\n", "dockerfile"),
        ("Dockerfile.js", "// FROM a\nlet b = 1;\n", "javascript"),
        ("Dockerfile.go", "# syntax=a\n\nARG b\nFROM c\n", "dockerfile"),
        ("Dockerfile.dev", "RUN a\n", "dockerfile"),
        ("tool.v2", "#!/usr/bin/env python3\n", "python"),
        ("tool.2024-01-01", "#!/bin/sh\n", "shell"),
        ("a.app", "{application, a, [{vsn, \"1\"}]}.\n", "erlang"),
        // A template or a copy is in the language of what it is named after.
        ("a.ex.eex", "<%= a %>\n", "elixir"),
        ("a.py.j2", "{% if a %}\n", "python"),
        ("a.rb.erb", "def a\nend\n", "ruby"),
        ("a.py.tmpl", "def a():\n", "python"),
        ("a.h.tmpl", "#include <a>\n", "c"),
        ("a.html.j2", "<p>\n", "jinja"),
        ("a.unknown.j2", "<p>\n", "jinja"),
        ("a.rules.j2", "<p>\n", "jinja"),
        ("a.rules.j2", "SUBSYSTEM==\"tty\", MODE=\"0660\"\n", "udev"),
        ("a.j2", "#!/bin/bash\necho {{ a }}\n", "shell"),
        ("a.c.m4", "int a;\n", "c"),
        ("a.C.IN.orig", "int a;\n", "c"),
        ("a.sql.in", "select a;\n", "sql"),
        ("a.py.example.bak", "a = 1\n", "python"),
        ("a.sample", "#!/bin/sh\n", "shell"),
        ("Dockerfile.j2", "RUN a\n", "dockerfile"),
        ("CMakeLists.txt.in", "project(a)\n", "cmake"),
        (".bashrc.example", "a\n", "shell"),
        ("a.app.src", "{application, a, []}.\n", "erlang"),
        // Variants of a name.
        ("Makefile.linux", "a: b\n", "makefile"),
        ("Makefile-dev", "a: b\n", "makefile"),
        ("Makefile.py", "a = 1\n", "python"),
        ("Makefile.gnu", "a: b\n\tc\n", "makefile"),
        ("Jenkinsfile.ci", "pipeline {}\n", "groovy"),
        // The interpreter is behind the program that runs it.
        ("a", "#!/usr/bin/with-contenv bash\n", "shell"),
        ("a", "#!/usr/bin/env -S A=1 python3 -u\n", "python"),
        ("a", "#!/usr/bin/sudo python\n", "python"),
        ("a", "#! /usr/bin/env nix-shell\n#! nix-shell -p python3 -i bash\n", "shell"),
        ("a", "#! /usr/bin/nix-shell -i bash -p python3\n", "shell"),
        ("a", "#!C:\\Python\\python.exe\n", "python"),
        ("a", "#!/usr/bin/env perl6\n", "raku"),
        // No `#!` line runs JASS or Reason; TypeScript's may name any program of JavaScript.
        ("check.j", "#!/bin/sh\necho\n", "shell"),
        ("run.re", "#!/usr/bin/env python3\n", "python"),
        ("a.ts", "#!/usr/bin/env node\n", "typescript"),
        ("q.pl", "sub order($$$;$);\n", "perl"),
    ];
    for (path, text, expected) in cases {
        let language = languages.identify(&FilePath::new(path), text.as_bytes());
        assert_eq!(language.map(|language| language.id.as_str()), Some(expected), "{path}: {text}");
    }
    for (path, text) in [
        ("a.rules", "-keep class a\n"),
        ("a.mod", "/b/a.o\n"),
        ("a.pkl", "(lp0\n."),
        ("a.c.gz", "a"),
        (".in", "a"),
        ("a.mo", "\0a"),
        ("a.pb", "\0a"),
    ] {
        assert_eq!(
            languages.identify(&FilePath::new(path), text.as_bytes()).map(|language| &*language.id),
            None,
            "{path}"
        );
    }
}

#[test]
fn a_name_promises_only_what_a_language_owns() {
    let languages = Languages::builtin();
    let promised =
        |path: &str| languages.promised(&FilePath::new(path)).map(|language| language.id.clone());
    let possible = |path: &str| {
        languages
            .possible(&FilePath::new(path))
            .map(|language| language.id.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(promised("a.h").as_deref(), Some("c"));
    assert!(possible("a.h").contains(&"cpp".to_owned()), "{:?}", possible("a.h"));
    assert_eq!(promised("a.rules"), None);
    assert_eq!(possible("a.rules"), ["firestore-rules", "snort", "udev"]);
    assert_eq!(promised("firestore.rules").as_deref(), Some("firestore-rules"));
    assert_eq!(possible("firestore.rules"), ["firestore-rules"]);
    assert_eq!((promised("a.lib"), possible("a.lib").len()), (None, 1));
}

#[test]
fn languages_are_listed_by_name_or_extension_and_a_file_shows_its_own() {
    let run = |args: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_secondhand"))
            .arg("languages")
            .args(args)
            .output();
        let output = output.expect("the program starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (_, rust, _) = run(&["rust"]);
    assert!(rust.starts_with("rust ") && rust.lines().count() == 1, "{rust}");
    assert_eq!(run(&[".rs"]).1, rust);
    assert!(run(&["script"]).1.lines().count() > 1);
    let (status, _, errors) = run(&["rsut"]);
    assert!(status == Some(2) && errors.contains("did you mean `rust`?"), "{errors}");
    assert!(run(&["src/main.rs"]).1.contains("Rust"));
}

/// Files whose extension several languages have, and the language that each is in.
const AMBIGUOUS: &[(&str, &str, &str)] = &[
    (
        "a.t",
        "perl",
        "use Test::More;\nget \"/x\" => sub { shift->render(text => 1) };\nput \"/y\" => sub { 1 };\n",
    ),
    ("a.t", "turing", "var x : int\nput \"a\"\nget x\n"),
    (
        "a.pl",
        "perl",
        "use strict;\nmy $t = <<\"EOT\";\nfoo(X) :- bar(X).\nbar(Y) :- baz(Y).\nEOT\nprint $t;\n",
    ),
    ("a.pl", "prolog", "foo(X) :-\n    bar(X),\n    baz(X).\nbar(1).\n"),
    (
        "a.fs",
        "fsharp",
        "module M\nlet layout (x) = x + 1\nlet f (x : int)\n: int =\n    layout (3)\n",
    ),
    ("a.fs", "forth", ": sq dup * ;\n3 sq .\n"),
    ("a.fs", "glsl", "#version 330\nin vec3 a;\nvoid main() {\n}\n"),
    (
        "a.ml",
        "ocaml",
        "(* notes:\ndatatype of the node\n*)\nlet f x = match x with Some y -> y | None -> 0\n",
    ),
    ("a.bas", "vba", "Attribute VB_Name = \"M\"\nSub Main()\n  Cls\n  Dim x As Integer\nEnd Sub\n"),
    ("a.gd", "gdscript", "extends Node\nfunc win(p):\n\tDeclareWinner(p)\n"),
    (
        "a.as",
        "actionscript",
        "#include \"util.as\"\nclass A {\n  var x = 3;\n  function f(a) { return a + this.x; }\n}\n",
    ),
    ("a.unknown", "php", "<?php\nfunction f($a) { return $a; }\n"),
    ("_a", "shell", "#compdef a\n\n_a() {\n  b\n}\n"),
    ("a", "shell", "# completes a  -*- shell-script -*-\n\n_a() {\n  b\n}\n"),
    ("a.unknown", "c", "/* It is\n * a list. */\n\n#include <stdio.h>\n"),
    ("a.unknown", "c", "// #\n#ifndef A_H\n#define A_H\n"),
    ("a.unknown", "html", "<!-- a -->\n<!DOCTYPE html>\n<p>b</p>\n"),
    ("a.unknown", "go", "// a\n\npackage b\n\nimport \"c\"\n"),
    ("a.unknown", "java", "package a.b;\nclass C {}\n"),
    ("a.unknown", "python", "# a\nfrom b import c\n"),
    ("a.unknown", "ruby", "#!/usr/bin/env ruby\nputs 1\n"),
    ("a.m", "matlab", "A = [1 2\n ; 3 4];\nB = A * 2;\n"),
    ("a.m", "matlab", "x = y';\n"),
    ("a.m", "matlab", "b = a(:, 1:2);\nm = length(b);\n"),
    ("a.m", "matlab", "g = @(x) x + 1;\n"),
    ("a.m", "matlab", "a.b = 1;\na.c = [\n\t1\t3;\n];\n"),
    ("a.m", "mathematica", "a = Table[i^2, {i, 10}];\nListPlot[a]\n"),
    ("a.m", "mathematica", "g[a_, b_:1] /; a > 0 := a b\n"),
    ("a.m", "mathematica", "M$A = {\n  b == {\n    C -> External\n  }\n};\n"),
    ("a.m", "mumps", "A(b) ; adds\n new d set d=b\n quit d\n"),
    (
        "a.m",
        "objective-c",
        "#import <Foundation/Foundation.h>\nvoid f(void) {\n  while (g())\n    ; // nothing\n}\n",
    ),
    ("a.inc", "php", "<?php\nfunction foo($a) {\n  return $a;\n}\n"),
    ("a.inc", "pascal", "procedure Foo(a: Integer);\nbegin\n  b := a;\nend;\n"),
    ("a.inc", "javascript", "function foo(a, b) {\n  var c = a + b;\n  return c;\n}\n"),
    ("a.inc", "lua", "function foo(a, b)\n  local c = a + b\n  return c\nend\n"),
    ("a.inc", "shell", "foo() {\n  if [ -n \"$1\" ]; then\n    echo \"$1\"\n  fi\n}\n"),
    (
        "a.inc",
        "fortran",
        "      subroutine foo(a)\n      implicit none\n      if (a) then\n        call b()\n      end if\n      end\n",
    ),
    (
        "a.pro",
        "interactive-data-language",
        "; Read the data.\nmap = MAP('a', POSITION=[0.1, 0.9], $\n    TITLE='b')\n",
    ),
    ("a.p", "pascal", "{ it is }\nprogram A(output);\nbegin\n  b := 1;\nend.\n"),
    (
        "a.p",
        "openedge-abl",
        "DEFINE VARIABLE a AS INTEGER NO-UNDO.\nFOR EACH b:\n  DISPLAY a.\nEND.\n",
    ),
    ("a.t", "terra", "local function f(n)\n  local r = \"#\"\n  return r\nend\n"),
    ("a.l", "picolisp", "(de f (N)\n  (setq A N)\n  (setq B N) )\n"),
    ("a.aspx", "aspx-vb", "<%@ Page Language=\"VB\" %>\n<% Dim a %>\n"),
    ("a.aspx", "aspx", "<%@ Page Language=\"C#\" %>\n<% var a; %>\n"),
    ("a.inc", "cpp", "#include <a.h>\nstatic int f(int a) {\n  return a;\n}\n"),
    (
        "a.v",
        "verilog",
        "/*\nDefinition of the bus\n*/\nmodule top(input a, output b);\n  assign b = a;\nendmodule\n",
    ),
    ("a.v", "coq", "Theorem a : forall n, n = n.\nProof. intros. reflexivity. Qed.\n"),
    (
        "a.wxs",
        "javascript",
        "var f = function(a) {\n  return a + 1;\n};\nmodule.exports = { f: f };\n",
    ),
    ("a.module", "php", "<?php\n\nfunction foo_menu() { return 1; }\n"),
    ("a.d", "d", "module x;\nvoid f() {\n  auto s = q\"END\nBEGIN\nEND\";\n}\n"),
    ("a.d", "dtrace", "BEGIN\n{\n  x = 1;\n}\nsyscall::read:entry { y = 2; }\n"),
    (
        "a.cls",
        "apex",
        "private class T {\n  class Mock implements Callout {\n    public void f(A b) { return; }\n  }\n}\n",
    ),
    (
        "a.cls",
        "openedge-abl",
        "CLASS A.B INHERITS C:\n  DEFINE VARIABLE x AS INTEGER NO-UNDO.\nEND CLASS.\n",
    ),
    ("a.cl", "opencl", "inline float sq(float x) {\n  return x * x;\n}\n"),
    ("a.cl", "common-lisp", "(defun sq (x)\n  (* x x))\n"),
    ("a.php", "html", "<html><body>\n<script>\nlet a = 1;\n</script>\n</body></html>\n"),
    ("a.php", "php", "<html><?php echo $a; ?></html>\n"),
    ("a.php", "php", "<?php\nreturn 1;\n"),
    ("a.mo", "modelica", "model A\n  Real x;\nequation\n  der(x) = 1;\nend A;\n"),
    ("a.mo", "motoko", "actor {\n  public func f() : async Nat { 1 };\n};\n"),
    ("a.pb", "purebasic", "Procedure A()\nEndProcedure\n"),
    ("a.cmd", "rexx", "/* a */\nsay 'b'\nexit\n"),
    ("a.mod", "dtd", "<!ENTITY % a \"b\">\n<!ELEMENT b (c)>\n"),
    ("a.qs", "javascript", "function A() {\n}\nA.prototype.b = function() {};\n"),
    ("a.qs", "qsharp", "namespace A {\n  function B(c : Int) : Int {\n    let d = c;\n  }\n}\n"),
    ("a.frag", "html", "<div class=\"a\">\n<p>b</p>\n</div>\n"),
    ("a.w", "c", "#include <a.h>\nint main() {}\n"),
    ("a.as", "typescript", "export function a(b: i32): i32 {\n  return b;\n}\n"),
    ("a.p", "gnuplot", "set terminal png\nset output \"a.png\"\nplot sin(x)\n"),
];

fn identify<'l>(languages: &'l Languages, name: &str, text: &str) -> Option<&'l str> {
    languages
        .identify(&FilePath::new(name.as_bytes()), text.as_bytes())
        .map(|language| &*language.id)
}

#[test]
fn a_file_is_in_the_language_that_the_most_speaks_for() {
    let languages = Languages::builtin();
    for (name, id, text) in AMBIGUOUS {
        assert_eq!(identify(languages, name, text), Some(*id), "{name}: {text}");
    }
}

#[test]
fn what_the_owner_of_an_extension_takes_for_a_comment_speaks_for_no_other() {
    let languages = Languages::builtin();
    let comments = [
        ("a.m", "objective-c", "; x"),
        ("a.m", "objective-c", "%{"),
        ("a.hh", "cpp", "<?hh"),
        ("a.inc", "cpp", "#macro x"),
        ("a.cp", "cpp", "MODULE x"),
        ("a.gs", "javascript", "init"),
        ("a.es", "javascript", "%%"),
        ("a.cls", "apex", "%"),
        ("a.v", "verilog", "Qed."),
        ("a.d", "d", "BEGIN"),
        ("a.pde", "processing", "void loop()"),
        ("a.h", "c", "namespace a {"),
    ];
    for (name, id, line) in comments {
        let text = format!("/*\n{line}\n*/\nint f(int a) {{\n  return a;\n}}\n");
        assert_eq!(identify(languages, name, &text), Some(id), "{name}: {line}");
    }
}

#[test]
fn where_nobody_owns_an_extension_a_comment_speaks_for_no_language() {
    let languages = Languages::builtin();
    for (name, id, text) in [
        ("a.mod", "modula-2", "(*\nPROCEDURE p*\nPROCEDURE q*\n*)\nMODULE a;\n"),
        ("a.x", "xdr", "/*\n%hook a\n%end\n*/\nprogram A {\n};\n"),
        ("a.x", "linker-script", "/*\n%hook a\n%end\n*/\nSECTIONS\n{\n}\n"),
        ("a.rules", "udev", "KERNEL==\"a\", RUN=\"b\"\n# alert tcp any\n# alert udp any\n"),
    ] {
        assert_eq!(identify(languages, name, text), Some(id), "{name}: {text}");
    }
}
