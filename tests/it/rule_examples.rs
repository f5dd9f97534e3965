//! Shows that the program finds what the example of each rule shows.

use crate::exists;
use secondhand::policy::RULES;
use support::{Repository, secondhand};
use tempfile::TempDir;

/// The example of a rule.
#[track_caller]
fn example(id: &str) -> &'static str {
    RULES.iter().find(|rule| rule.id == id).expect("there is such a rule").example
}

/// The lines of the block of code in the example of a rule.
#[track_caller]
fn block(id: &str) -> Vec<&'static str> {
    let lines = example(id).lines().skip(1);
    let block: Vec<_> = lines.take_while(|line| *line != "```").collect();
    assert!(!block.is_empty(), "{id}");
    block
}

/// The path in the comment that an example begins with, and the code behind that line.
fn file(block: &[&'static str]) -> (&'static str, String) {
    let comment =
        block[0].trim_start_matches('+').strip_prefix("/* ").expect("it begins with a comment");
    let path = comment.split([',', ' ']).next().unwrap_or_default();
    let code =
        block[1..].iter().map(|line| format!("{}\n", line.strip_prefix('+').unwrap_or(line)));
    (path, code.collect())
}

/// Other code, so that what is copied is a part of its file.
fn others() -> String {
    let other = |n: usize| {
        format!(
            "\nint other_{n}(struct thing_{n} *thing, int count)\n{{\n    int total = {n};\n    while (count-- > {n})\n        \
             total += thing->field_{n}[count] * 7;\n    return finish_{n}(thing, total);\n}}\n"
        )
    };
    (0..9).map(other).collect()
}

/// A repository with `before` in a commit, and `after` in the one behind it.
fn changed(before: &[(&str, String)], after: &[(&str, String)]) -> Repository {
    let repository = Repository::new();
    for (files, message) in [(before, "before"), (after, "Fix what was found")] {
        for (path, text) in files {
            repository.write(path, text);
        }
        repository.commit(message);
    }
    repository
}

/// What the change of the last commit is told, a line each.
#[track_caller]
fn told(repository: &Repository, args: &[&str]) -> Vec<String> {
    let args = [&["check", "--base", "HEAD~1", "--format", "concise", "--fail-on", "never"], args]
        .concat();
    let output = repository.secondhand(&args).output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// Checks that a change is told of `rule` at `path`, with `words`.
#[track_caller]
fn check(repository: &Repository, args: &[&str], rule: &str, path: &str, words: &str) {
    let told = told(repository, args);
    let is_it = |line: &&String| {
        line.starts_with(path) && line.contains(&format!("[{rule}]")) && line.contains(words)
    };
    assert!(told.iter().find(is_it).is_some(), "{rule} in {path}: {told:#?}");
}

/// A folder of components, a file each.
fn components(files: &[(&str, String)]) -> TempDir {
    let folder = TempDir::new().expect("the folder for temporary files is writable");
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("it is below"))
            .expect("the folder is writable");
        std::fs::write(path, text).expect("the folder is writable");
    }
    folder
}

fn name(folder: &TempDir) -> &str {
    folder.path().to_str().expect("temporary folders are UTF-8")
}

#[test]
fn code_of_the_tree_and_of_its_past() {
    let (path, code) = file(&block("copied-code"));
    let list = code
        .replace("table_find(struct table *t", "list_find(struct list *l")
        .replace("t->head", "l->head");
    assert_ne!(list, code);
    let repository = changed(&[("src/list.c", list.clone() + &others())], &[("src/table.c", code)]);
    assert_eq!(path, "src/list.c");
    check(&repository, &[], "copied-code", "src/table.c", "7 lines copied from src/list.c:1");

    let (path, code) = file(&block("revived-code"));
    let without = |text: &str| vec![(path, others() + text)];
    let repository = changed(&without(&code), &without(""));
    repository.write(path, others() + &code);
    repository.commit("list: find");
    check(&repository, &["--history"], "revived-code", path, &format!("copied from {path}:"));
}

#[test]
fn code_of_components() {
    let (path, code) = file(&block("unknown-license"));
    let known = components(&[("other/util/hash.c", others() + &code)]);
    let repository = changed(&[("a.c", "int a;\n".to_owned())], &[(path, code)]);
    let words = "copied from util/hash.c:";
    check(&repository, &["--corpus", name(&known)], "unknown-license", path, words);

    let (path, code) = file(&block("corpus-copy"));
    let license = "/* SPDX-License-Identifier: BSD-2-Clause */\n".to_owned();
    let known = components(&[("linenoise/linenoise.c", license + &others() + &code)]);
    let repository = changed(&[("a.c", "int a;\n".to_owned())], &[(path, code.clone())]);
    let words = "of linenoise (BSD-2-Clause)";
    check(&repository, &["--corpus", name(&known)], "corpus-copy", path, words);

    let license = "/* SPDX-License-Identifier: GPL-2.0-only */\n".to_owned();
    let known = components(&[("git/strbuf.c", license + &others() + &code)]);
    let settings = block("license-conflict").join("\n");
    let repository = changed(&[("secondhand.toml", settings)], &[("strbuf.c", code)]);
    let words = "of git (GPL-2.0-only)";
    check(&repository, &["--corpus", name(&known)], "license-conflict", "strbuf.c", words);
}

/// A function that writes a file and ends with these lines.
fn save(of: &str, end: &str) -> String {
    format!(
        "int save_{of}(struct {of} *{of}, const char *target)\n{{\n    char tmpfile[256];\n    FILE *fp;\n    \
         snprintf(tmpfile, sizeof tmpfile, \"temp-%d.{of}\", getpid());\n    fp = fopen(tmpfile, \"w\");\n    \
         if (fp == NULL)\n        goto werr;\n    if (write_{of}({of}, fp) < 0)\n        goto werr;\n    \
         if (fflush(fp) == EOF)\n        goto werr;\n    if (rename(tmpfile, target) == -1)\n        goto werr;\n    \
         return C_OK;\n{end}}}\n"
    )
}

#[test]
fn code_that_was_fixed_elsewhere() {
    let (path, old) = file(&block("copied-before-fix"));
    let new = old.replace("    fclose(fp);", "    if (fp) fclose(fp);");
    assert_ne!(new, old);
    let repository =
        changed(&[("src/rdb.c", save("rdb", &old))], &[("src/rdb.c", save("rdb", &new))]);
    repository.write(path, save("aof", &old));
    repository.commit("aof");
    check(&repository, &[], "copied-before-fix", path, "copied from src/rdb.c:1, as it was before");

    for line in block("missed-sibling").iter().skip(3) {
        let text = if line.starts_with('+') { &new } else { &old };
        assert!(text.contains(&line[1..]), "{line}");
    }
    let before = [("src/rdb.c", save("rdb", &old)), ("src/aof.c", save("aof", &old))];
    let repository = changed(&before, &[("src/rdb.c", save("rdb", &new))]);
    check(
        &repository,
        &[],
        "missed-sibling",
        "src/rdb.c",
        "src/aof.c:16 in save_aof was alike and lacks this edit: `if (fp)`",
    );

    let body = "    def forward(self, states, inputs):\n        states = self.dense(states)\n        \
                states = self.dropout(states)\n        return states + inputs\n";
    let of = |comment: &str, model: &str, body: &str| {
        format!("{comment}class {model}Output(nn.Module):\n{body}")
    };
    let shown = block("out-of-step");
    assert_eq!(shown[1..], ["class RobertaOutput(nn.Module):", "    ..."]);
    let (bert, roberta) = ("models/bert/modeling_bert.py", "models/roberta/modeling_roberta.py");
    let copy = of(&format!("{}\n", shown[0]), "Roberta", body);
    let edited = body.replace("return states + inputs", "return self.norm(states + inputs)");
    let repository = changed(
        &[(bert, of("", "Bert", body)), (roberta, copy)],
        &[(bert, of("", "Bert", &edited))],
    );
    check(&repository, &[], "out-of-step", bert, &format!("{roberta}:2 is kept in step with this"));
}

#[test]
fn code_that_lacks_a_fix_of_its_origin() {
    let [old, new] =
        ["    fclose(fp);\n", "    if (fp != NULL)\n        fclose(fp);\n"].map(|close| {
            save("rdb", &format!("werr:\n{close}    unlink(tmpfile);\n    return C_ERR;\n"))
        });
    let shelf = TempDir::new().expect("the folder for temporary files is writable");
    let shown = ["known-vulnerability", "stale-copy"].map(|rule| {
        let block = block(rule);
        let (head, line) = (block[0].strip_prefix("$ secondhand ").expect("a command"), block[1]);
        (
            head,
            line,
            line.split(" (").nth(1).and_then(|rest| rest.strip_suffix(')')).expect("a subject"),
        )
    });
    for (command, line, subject) in shown {
        let project = if line.contains("zlib") { "zlib" } else { "linenoise" };
        let origin = changed(&[("save.c", old.clone())], &[("save.c", new.clone())]);
        let message = format!("{subject}\n\nA crash, and an out-of-bounds access.");
        origin.git(&["commit", "--quiet", "--amend", "--message", &message]);
        let fix = origin.git(&["rev-parse", "HEAD"]);
        // The folder gives the project its name.
        let path = format!("{}/{project}", name(&shelf));
        origin.git(&["clone", "--quiet", ".", &path]);
        let list = shelf.path().join("list.txt");
        std::fs::write(&list, format!("{path} {fix}\n")).expect("the folder is writable");
        let words: Vec<&str> = command.split(' ').collect();
        let corpus = words[2];
        let of_list = ["--fixes", list.to_str().expect("temporary folders are UTF-8")];
        let added = if corpus == "fixes" { of_list } else { ["--name", project] };
        let mut add =
            secondhand(shelf.path(), &["corpus", "--corpus-dir", name(&shelf), "add", corpus]);
        add.args(added).args((corpus != "fixes").then_some(&path));
        let output = add.output().expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

        let place =
            line.split(": ").nth(1).and_then(|place| place.rsplit_once(':')).expect("a place").0;
        let repository = changed(&[("a.c", "int a;\n".to_owned())], &[(place, old.clone())]);
        let mut run = repository.secondhand(&words);
        let output = run.args(["--corpus-dir", name(&shelf)]).output().expect("the program starts");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        // Everything but the line and the commit is as shown.
        let told =
            printed.lines().find(|printed| printed.starts_with("warning[")).unwrap_or_default();
        let parts = |line: &str| -> Vec<String> {
            let is_number =
                |word: &&str| word.len() == 10 && word.chars().all(|c| c.is_ascii_hexdigit());
            let words = line.split(' ').filter(|word| !is_number(word));
            words
                .map(|word| {
                    word.trim_end_matches(|c: char| c == ':' || c.is_ascii_digit()).to_owned()
                })
                .collect()
        };
        assert_eq!(parts(told), parts(line), "{printed}");
    }
}

#[test]
fn files_that_were_not_examined() {
    let repository = Repository::new();
    repository.write("a.c", "int a;\n");
    repository.commit("before");
    let row = "0123456789, ".repeat(100) + "\n";
    repository.write("src/tables.c", format!("int table[] = {{\n{}}};\n", row.repeat(4_000)));
    repository
        .write("src/api.pb.go", "// Code generated by protoc-gen-go. DO NOT EDIT.\npackage api\n");
    repository.write("dist/app.js", "let app = 1;\n");
    repository.stage();
    let output =
        repository.secondhand(&["check", "--staged"]).output().expect("the program starts");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let shown = block("not-examined");
    assert_eq!(shown[0], "$ secondhand check");
    assert!(printed.starts_with(&(shown[1..].join("\n") + "\n")), "{printed}");
}

#[test]
fn the_same_method_in_two_classes_that_were_alike() {
    let class = |name: &str| {
        format!(
            "class {name}:\n    def __init__(self, path, codec):\n        self.path = path\n        self.codec = codec\n        \
             self.hidden = set()\n\n    def run(self):\n        data = self.path.read_bytes()\n        if not data:\n            \
             raise ValueError(f\"nothing in {{self.path}}\")\n        return self.codec.convert(data)\n"
        )
    };
    let method = block("edited-alike")[1..].join("\n") + "\n";
    let before = [("decrypt.py", class("Decrypter")), ("encrypt.py", class("Encrypter"))];
    let after = before.clone().map(|(path, text)| (path, format!("{text}\n{method}")));
    let told = told(&changed(&before, &after), &[]);
    let expected =
        "warning[edited-alike] 6 lines inserted here and at decrypt.py:13, which were alike before";
    assert!(told.len() == 1 && told[0].contains(expected), "{told:?}");
}

#[test]
fn a_function_in_other_words() {
    let repository = changed(
        &[("src/cache.c", exists::EXISTING.to_owned())],
        &[("src/dump.c", exists::ANEW.to_owned())],
    );
    let output =
        repository.secondhand(&["check", "--base", "HEAD~1"]).output().expect("the program starts");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let shown = block("exists-already")[1..].join("\n");
    assert!(printed.contains(&shown), "{printed}");
}

#[test]
fn every_rule_has_one() {
    let tests = include_str!("rule_examples.rs");
    for rule in RULES {
        assert!(
            tests.contains(&format!("\"{}\"", rule.id)),
            "the example of `{}` has no test",
            rule.id
        );
    }
}
