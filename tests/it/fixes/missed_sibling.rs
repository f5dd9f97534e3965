//! Shows that an edit names the siblings that it did not reach.

use std::io::Write as _;
use std::process::Stdio;

use super::{Change, FIX, findings, fixed, save};
use serde_json::Value;
use support::{Repository, git_command};

/// Each finding about a missed sibling: its lines and the siblings, `rdb.c:18-21 <- aof.c:17-19`.
/// What is remembered of other files spares reading them, and changes nothing.
#[track_caller]
fn missed(change: &Change<'_>) -> Vec<String> {
    let place = |of: &Value| {
        let lines = format!("{}-{}", of["fragment"]["startLine"], of["fragment"]["endLine"]);
        format!("{}:{lines}", of["path"].as_str().expect("a place has a path"))
    };
    let shown = |finding: &Value| {
        let origins: Vec<String> =
            finding["origins"].as_array().expect("the siblings").iter().map(place).collect();
        format!("{} <- {}", place(finding), origins.join(", "))
    };
    let repository = change.made();
    let found = findings(&repository, "missed-sibling");
    assert_eq!(findings(&repository, "missed-sibling"), found, "with a cache");
    found.iter().map(shown).collect()
}

/// Two files, each with its path.
type Files = [(&'static str, String); 2];

/// Both functions before the change, and the first one fixed.
fn fix_of_one() -> (Files, Files) {
    let (rdb, aof) = (save("save_rdb", "rdb", "fp"), save("save_aof", "aof", "out"));
    let before = [("rdb.c", rdb), ("aof.c", aof.clone())];
    (before, [("rdb.c", fixed("save_rdb", "rdb", "fp")), ("aof.c", aof)])
}

#[test]
fn a_fix_of_one_clone_names_the_other_whose_names_differ() {
    let (before, after) = fix_of_one();
    assert_eq!(
        missed(&Change { message: FIX, before: &before, after: &after }),
        ["rdb.c:17-19 <- aof.c:17-18"]
    );
}

#[test]
fn what_the_commits_say_of_a_file_is_evidence() {
    // A change of several edits, of which one file misses one.
    let (before, after) = fix_of_one();
    let rdb = before[0].0;
    let others = |is_edited: bool| -> String {
        let one = |n: usize| {
            let text = load(&format!("load_{n}"), "all", "fp");
            let more = format!("    int n = 0;\n    count_{n}(n, source);\n");
            if is_edited { text.replace("    int n = 0;\n", &more) } else { text }
        };
        (0..16).map(one).collect()
    };
    let n_missed = |of_rdb: &str, of_others: &str| {
        let repository = Repository::new();
        for (path, text) in &before {
            repository.write(path, text);
        }
        repository.write("others.c", others(false));
        let base = repository.commit("before");
        repository.write(rdb, &after[0].1);
        if of_rdb != of_others {
            repository.commit(of_rdb);
        }
        repository.write("others.c", others(true));
        repository.commit(of_others);
        let report = repository.check(&["--base", &base]);
        let found = report.list("/findings");
        found.iter().filter(|of| of["rule"] == "missed-sibling" && of["path"] == rdb).count()
    };
    for (of_rdb, of_others, expected) in [
        (
            "Fix a crash when the file cannot be opened",
            "Fix a crash when the file cannot be opened",
            1,
        ),
        ("Close the file once\n\nFixes: #12", "Close the file once\n\nFixes: #12", 1),
        ("Add an option for the target", "Add an option for the target", 0),
        // Of several commits, those count that changed the file.
        ("Fix a crash when the file cannot be opened", "Count what is read", 1),
        ("Add an option for the target", "Fix counting", 0),
    ] {
        assert_eq!(n_missed(of_rdb, of_others), expected, "{of_rdb}, {of_others}");
    }
}

/// How many siblings lack an edit of `rdb.c`, in a change that also edits other places, as many as
/// `n_others`.
#[track_caller]
fn n_missed_among(message: &str, n_others: usize, [rdb, aof]: &Files, edited: String) -> usize {
    let others = |is_edited: bool| -> String {
        let one = |n: usize| {
            let text = load(&format!("load_{n}"), &format!("kind{n}"), "fp");
            if is_edited { text.replace("int n = 0", &format!("int n = {}", n + 1)) } else { text }
        };
        (0..n_others).map(one).collect()
    };
    let files = |rdb: String, is_edited: bool| {
        [("rdb.c", rdb), aof.clone(), ("others.c", others(is_edited))]
    };
    let (before, after) = (files(rdb.1.clone(), false), files(edited, true));
    let found = missed(&Change { message, before: &before, after: &after });
    found.iter().filter(|found| found.starts_with("rdb.c")).count()
}

#[test]
fn a_large_change_and_one_of_form_miss_nothing_unless_they_mend_something() {
    let (files, _) = fix_of_one();
    let edited = files[0].1.replace("target) == -1", "target) < 0");
    for (message, n_others, expected) in [
        (FIX, 16, 1),
        ("Compare with zero", 7, 1),
        ("Compare with zero", 8, 0),
        ("Refactor comparisons", 0, 0),
        ("Refactor comparisons\n\nFixes #12", 0, 1),
        ("Fix comparisons\n\nStyle, no functional change.", 0, 0),
        ("Compare with zero\n\nCloses #12", 8, 0),
    ] {
        let n_missed = n_missed_among(message, n_others, &files, edited.clone());
        assert_eq!(n_missed, expected, "{message}, {n_others} other edits");
    }
}

#[test]
fn a_part_of_an_edit_is_owed_in_a_small_change_with_much_around_it_alike() {
    let ([(_, rdb), (_, aof)], _) = fix_of_one();
    // The sibling has another first line, so that it lacks one of two edits.
    let aof = aof.replace("char path[256]", "char path[MAX]");
    let whole = rdb.replace("target) == -1", "target) < 0");
    let part = whole.replace("char path[256]", "char path[512]");
    let near = aof.replace("fflush(", "fflush(&").replace("return 0", "return n");
    for (what, n_others, aof, rdb_after, expected) in [
        ("whole", 16, &aof, &whole, 1),
        ("a part, eight edits in all", 6, &aof, &part, 1),
        ("a part, nine edits", 7, &aof, &part, 0),
        ("a part, less around it", 0, &near, &part, 0),
        ("whole, less around it", 0, &near, &whole, 1),
    ] {
        let files = [("rdb.c", rdb.clone()), ("aof.c", aof.clone())];
        assert_eq!(n_missed_among(FIX, n_others, &files, rdb_after.clone()), expected, "{what}");
    }
}

#[test]
fn names_that_only_the_edited_file_knows_are_a_part_of_a_larger_edit() {
    let (files, _) = fix_of_one();
    for (line, expected) in [
        ("    close_all(fp, 3);\n", 0),
        ("    check(fp);\n", 0),
        ("    int code = fflush(fp);\n    report(rdb, code);\n", 0),
        ("    if (fflush(fp) == EOF)\n        return report(NULL, errno);\n", 1),
        ("    for (int code = 3; code > 0; code--)\n        fflush(fp);\n", 1),
    ] {
        let edited = files[0].1.replace("    fclose(fp);\n", &format!("{line}    fclose(fp);\n"));
        assert_eq!(n_missed_among(FIX, 16, &files, edited), expected, "{line}");
    }
}

#[test]
fn what_is_not_committed_yet_is_judged_without_a_message() {
    let (before, after) = fix_of_one();
    let repository = Change { message: FIX, before: &before, after: &before }.made();
    repository.write(after[0].0, &after[0].1);
    let report = repository.check(&["--worktree"]);
    assert!(report.list("/findings").iter().any(|finding| finding["rule"] == "missed-sibling"));
}

/// What `aof.c` is when the patch of a change was applied.
#[track_caller]
fn patched(change: &Change<'_>) -> String {
    patched_file(change, "aof.c")
}

#[track_caller]
fn patched_file(change: &Change<'_>, path: &str) -> String {
    let repository = change.made();
    let patch = repository.secondhand(&["check", "--base", "HEAD~1", "--format", "patch"]).output();
    let patch = patch.expect("the program starts").stdout;
    let mut apply = git_command(repository.root(), &["apply", "-"]);
    let mut apply = apply.stdin(Stdio::piped()).spawn().expect("git is installed");
    apply.stdin.take().expect("it is piped").write_all(&patch).expect("git reads it");
    assert!(apply.wait().expect("git ends").success(), "{}", String::from_utf8_lossy(&patch));
    std::fs::read_to_string(repository.path(path)).expect("the file is there")
}

#[test]
fn the_patch_makes_the_same_edit_with_the_names_of_the_sibling() {
    let (before, after) = fix_of_one();
    let made = patched(&Change { message: FIX, before: &before, after: &after });
    assert_eq!(made, fixed("save_aof", "aof", "out"));
}

#[test]
fn the_patch_indents_what_the_edit_only_indented_otherwise() {
    let plain = |name: &str, options: &str| {
        format!(
            "class {name}:\n    def load(self, path, cache, {options}):\n        \
             text = read_text(path, encoding=\"utf-8\")\n        \
             rows = parse_rows(text, {options}.separator)\n        for row in rows:\n            \
             cache.insert(row.key, row.value)\n        cache.flush({options}.folder)\n        \
             report = summarize(rows, {options}.format)\n        \
             write_log({options}.log, report.title, report.lines)\n        return report\n"
        )
    };
    let fixed = |text: &str| {
        let text =
            text.replace("        for row", "        if cache is not None:\n            for row");
        text.replace("            cache.insert", "                cache.insert")
            .replace("        cache.flush", "            cache.flush")
    };
    let function = |text: String| text.split_once('\n').expect("a class").1.replace("\n    ", "\n");
    let (users, groups) = (plain("Users", "options"), plain("Groups", "settings"));
    let groups = function(groups).trim_start().to_owned();
    let after = [("rdb.py", fixed(&users)), ("aof.py", groups.clone())];
    let before = [("rdb.py", users), ("aof.py", groups)];
    let made = patched_file(&Change { message: FIX, before: &before, after: &after }, "aof.py");
    assert_eq!(made, function(fixed(&plain("Groups", "settings"))).trim_start());
}

#[test]
fn no_patch_leaves_a_bracket_open() {
    let read = |which: &str, into: &str, or: &str| {
        format!(
            "  which[1] = HW_{which};\n  size = sizeof({into});\n  \
             if (sysctl(which, ARRAY_SIZE(which), &{into}, &size, NULL, 0))\n    {or};\n\n"
        )
    };
    let ask = read("CPUSPEED", "cpuspeed", "goto error");
    let before = format!(
        "int uv_cpu_info(uv_cpu_info_t** cpu_infos, int* count) {{\n  unsigned int numcpus;\n  int cpuspeed;\n  \
         size_t size;\n\n{}  *cpu_infos = uv__malloc(numcpus * sizeof(**cpu_infos));\n  *count = numcpus;\n\n{ask}  \
         size = sizeof(info);\n  return 0;\nerror:\n  return UV__ERR(errno);\n}}\n",
        read("NCPUONLINE", "numcpus", "return UV__ERR(errno)")
    );
    let asked = ask.replace("NULL, 0))\n", "NULL, 0) &&\n      (errno != EOPNOTSUPP)) {\n");
    let asked = asked.replace("  if (", "  cpuspeed = 0;\n  if (").replace("error;", "error;\n  }");
    let after = [("openbsd.c", before.replace(&ask, &asked))];
    let repository =
        Change { message: FIX, before: &[("openbsd.c", before)], after: &after }.made();
    assert_eq!(findings(&repository, "missed-sibling").len(), 1);
    let mut check = repository.secondhand(&["check", "--base", "HEAD~1", "--format", "patch"]);
    let patch = check.output().expect("the program starts").stdout;
    assert!(!String::from_utf8_lossy(&patch).contains("EOPNOTSUPP"));
}

#[test]
fn an_edit_that_was_made_twice_is_lacking_once_where_there_is_one_place_for_it() {
    let [rdb, aof] = ["rdb", "aof"].map(|of| save(&format!("save_{of}"), of, "fp"));
    let (start, end) = (rdb.find("    fp = fopen"), rdb.find("    return 0;"));
    let body = &rdb[start.expect("it opens")..end.expect("it ends")];
    let rdb = rdb.replace(body, &body.repeat(2));
    let mended = |text: &str| text.replace("target) == -1", "target) == FAILURE");
    let after = [("rdb.c", mended(&rdb)), ("aof.c", aof.clone())];
    let before = [("rdb.c", rdb), ("aof.c", aof.clone())];
    assert_eq!(patched(&Change { message: FIX, before: &before, after: &after }), mended(&aof));
}

#[test]
fn a_removal_is_reported_beside_the_removed_lines() {
    let (before, _) = fix_of_one();
    let shorter = before[0].1.replace("    if (fflush(fp) == EOF)\n        goto failed;\n", "");
    let after = [("rdb.c", shorter), before[1].clone()];
    let found =
        findings(&Change { message: FIX, before: &before, after: &after }.made(), "missed-sibling");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0]["message"].as_str().is_some_and(|message| message.contains("was removed")),
        "{found:?}"
    );
}

#[test]
fn an_operator_is_enough_of_a_fix_between_sure_clones() {
    let (before, _) = fix_of_one();
    let after = [("rdb.c", before[0].1.replace("fp) < 0)", "fp) <= 0)")), before[1].clone()];
    assert_eq!(
        missed(&Change { message: FIX, before: &before, after: &after }),
        ["rdb.c:9-9 <- aof.c:9-9"]
    );
}

#[test]
fn a_wrong_name_that_was_mended_and_a_call_put_around_something_are_edits_and_texts_are_none() {
    let (before, _) = fix_of_one();
    let rows = [
        ("names", "rename(path, target) == -1", "rename(target, path) == -1", 1),
        ("a call", "write_rdb(rdb, fp) < 0", "write_rdb(checked(rdb, fp), fp) < 0", 1),
        ("an argument", "unlink(path)", "unlink(path, 1)", 1),
        ("a text", "cannot write %s: %s", "cannot write the rdb %s: %s", 0),
    ];
    for (what, was, is, expected) in rows {
        let after = [("rdb.c", before[0].1.replace(was, is)), before[1].clone()];
        assert_ne!(after[0].1, before[0].1, "{what}");
        assert_eq!(
            missed(&Change { message: FIX, before: &before, after: &after }).len(),
            expected,
            "{what}"
        );
    }
}

#[test]
fn an_edit_that_gives_a_member_its_own_name_or_a_parameter_is_nothing() {
    let (before, _) = fix_of_one();
    // It was copied from the other and still had its name.
    let copied = before[0].1.replace("write_rdb(rdb, fp)", "write_aof(rdb, fp)");
    let was = [("rdb.c", copied), before[1].clone()];
    assert_eq!(
        missed(&Change { message: FIX, before: &was, after: &before }),
        [""; 0],
        "its own name"
    );
    let longer = before[0].1.replace("const char *target)", "const char *target, int flags)");
    let after = [("rdb.c", longer), before[1].clone()];
    assert_eq!(
        missed(&Change { message: FIX, before: &before, after: &after }),
        [""; 0],
        "a parameter"
    );
}

/// A function of TypeScript that reads a record, with its name.
fn record(name: &str) -> String {
    format!(
        "export function {name}<R extends Row>(table: Table, key: string): R | null {{\n  \
         const found = table.lookup(key.trim().toLowerCase())\n  if (found === undefined || found.isDeleted)\n    \
         return null\n  const row = decode(found.bytes, table.columns)\n  \
         log.debug(`read ${{key}} of ${{table.name}}`, row.length)\n  return row as R\n}}\n"
    )
}

/// An initializer of Swift in a structure of its own.
fn initializer(of: &str) -> String {
    format!(
        "struct {of} {{\n    init(request: Request?, data: Data?, timeline: Timeline)\n    {{\n        \
         self.request = request\n        self.data = data\n        self.timeline = timeline\n        \
         self.size = data.count + headers(of: request).count\n    }}\n}}\n"
    )
}

#[test]
fn edits_of_heads_of_brackets_and_of_lists_are_nothing() {
    let list = |first: &str| {
        format!(
            "export {{\n  {first}\n  ReadStream,\n  ReadOptions,\n  openForReading,\n  closeAll,\n}} from './files'\n"
        )
    };
    let ts = [("a/read.ts", record("readRow")), ("b/read.ts", record("readAll"))];
    let rust = |front: &str, name: &str, back: &str| {
        let head =
            format!("{front}fn {name}(&self, table: &Table, key: &str) -> Option<Row{back}> {{");
        let body = "let found = table.lookup(key.trim())?;\n        if found.is_deleted() {\n            return None;\n        }";
        let rest = "let row = decode(&found.bytes, &table.columns);\n        log::debug!(\"{}\", row.len());\n        Some(row)";
        format!("impl Reader {{\n    {head}\n        {body}\n        {rest}\n    }}\n}}\n")
    };
    let rs = [("a.rs", rust("", "read_row", "")), ("b.rs", rust("", "read_all", ""))];
    let swift = [("A.swift", initializer("A")), ("B.swift", initializer("B"))];
    let java = |was: &str| {
        format!(
            "class Reader {{\n    {was} Reader(String message, Throwable cause) {{\n        super(message, cause);\n        \
             this.time = now();\n        this.place = trace(cause, message);\n        log(message, place, time);\n    }}\n}}\n"
        )
    };
    let classes = [("A.java", java("public")), ("B.java", java("public"))];
    let lists = [("a/index.ts", list("Stream,")), ("b/index.ts", list("Stream,"))];
    let rows = [
        ("a parameter of the type", &ts, ("<R extends Row>", "<R extends Row, K extends Key = R>")),
        ("more visible", &rs, ("fn read_row", "pub(crate) fn read_row")),
        ("what is returned", &rs, ("Option<Row> {", "Option<Row> where Self: Sized {")),
        (
            "an initializer",
            &swift,
            ("timeline: Timeline)", "timeline: Timeline, metrics: Metrics? = nil)"),
        ),
        ("less visible", &classes, ("public Reader", "protected final Reader")),
        ("a list", &lists, ("Stream,", "Stream,\n  type Stream as Source, Sink,")),
        ("a literal of a declaration", &lists, ("closeAll,", "type closeAll,")),
        ("brackets", &ts, ("isDeleted)\n    return null", "isDeleted) {\n    return null\n  }")),
    ];
    for (what, before, (was, is)) in rows {
        let after = [(before[0].0, before[0].1.replace(was, is)), before[1].clone()];
        assert_ne!(after[0].1, before[0].1, "{what}");
        assert_eq!(missed(&Change { message: FIX, before, after: &after }), [""; 0], "{what}");
    }
    let fixed =
        [("a/read.ts", ts[0].1.replace("found.isDeleted", "isGone(found, table)")), ts[1].clone()];
    assert_eq!(missed(&Change { message: FIX, before: &ts, after: &fixed }).len(), 1);
}

#[test]
fn a_variable_renamed_in_its_function_is_nothing_whatever_its_neighbors_are_called() {
    let (before, _) = fix_of_one();
    let beside = "int count(int stream, int b)\n{\n    while (stream < b)\n        stream = next(stream, b);\n    return stream;\n}\n";
    let files = |text: &str| [("rdb.c", format!("{text}{beside}")), before[1].clone()];
    let (was, is) = (files(&before[0].1), files(&before[0].1.replace("fp", "stream")));
    assert_eq!(missed(&Change { message: FIX, before: &was, after: &is }), [""; 0]);
}

#[test]
fn variables_that_changed_places_were_renamed_and_arguments_that_did_were_not() {
    let (before, _) = fix_of_one();
    let traded = |text: &str, names: &[&str]| {
        let first = text.replace(names[0], "\u{0}");
        let turned = names.windows(2).fold(first, |text, pair| text.replace(pair[1], pair[0]));
        turned.replace('\u{0}', names[names.len() - 1])
    };
    let body = before[0].1.find('{').expect("it has a body");
    for (names, of_body, expected) in [
        (&["path", "target"][..], 0, 0),
        (&["fp", "path", "target"], 0, 0),
        (&["path", "target"], body, 1),
    ] {
        let text = format!("{}{}", &before[0].1[..of_body], traded(&before[0].1[of_body..], names));
        let after = [("rdb.c", text), before[1].clone()];
        assert_eq!(
            missed(&Change { message: FIX, before: &before, after: &after }).len(),
            expected,
            "{names:?}"
        );
    }
}

#[test]
fn a_function_that_got_another_name_is_nothing() {
    let ([rdb, (path, aof)], _) = fix_of_one();
    let before = [rdb, (path, aof)];
    let calling = |name: &str| before[0].1.replace("unlink(", name);
    let after = |text: String| [("rdb.c", text), before[1].clone()];
    let helper = |name: &str| {
        format!("static int {name}(const char *path)\n{{\n    return drop(path, 0);\n}}\n")
    };
    let was = after(helper("unlink") + &before[0].1);
    let renamed = after(helper("remove_file") + &calling("remove_file("));
    assert_eq!(missed(&Change { message: FIX, before: &was, after: &renamed }), [""; 0]);
}

#[test]
fn what_is_farther_away_on_one_side_may_differ_as_it_likes() {
    let other = save("save_aof", "aof", "out");
    let (head, _) = other.split_once("    unlink(path);").expect("it unlinks");
    let ends = format!(
        "{head}    clear(aof, 4);\n    for (int n = 0; n < 8; n++)\n        forget(aof->names[n]);\n    return n;\n}}\n"
    );
    let (before, after) = fix_of_one();
    let (before, after) =
        ([before[0].clone(), ("aof.c", ends.clone())], [after[0].clone(), ("aof.c", ends)]);
    assert_eq!(
        missed(&Change { message: FIX, before: &before, after: &after }),
        ["rdb.c:17-19 <- aof.c:17-18"]
    );
}

#[test]
fn a_condition_that_is_joined_is_an_edit_and_an_element_outside_of_functions_is_none() {
    let (before, _) = fix_of_one();
    let joined =
        [("rdb.c", before[0].1.replace("(rename(", "(path && rename(")), before[1].clone()];
    assert_eq!(
        missed(&Change { message: FIX, before: &before, after: &joined }),
        ["rdb.c:13-13 <- aof.c:13-13"]
    );
    let table = |name: &str| {
        format!(
            "static struct kind {name} = {{\n    first,\n    sizeof(struct item),\n    show,\n    NULL,\n    read_item,\n    \
             write_item,\n    drop_item,\n    next_item,\n    count_items,\n    last,\n    FLAGS | WEAK,\n}};\n"
        )
    };
    let before = [("a.c", table("a")), ("b.c", table("b"))];
    let after = [("a.c", table("a").replace("NULL", "0")), before[1].clone()];
    assert_eq!(missed(&Change { message: FIX, before: &before, after: &after }), [""; 0]);
}

#[test]
fn in_a_function_a_line_that_begins_with_an_at_sign_is_no_annotation() {
    let delete = |name: &str, more: &str| {
        format!(
            "class Store\n  def {name}(request, session_id, options)\n    with_lock(request) do\n{more}      \
             @pool.delete(session_id.private_id)\n      generate_sid unless options[:drop]\n    end\n  end\nend\n"
        )
    };
    let files = |more: &str| {
        [("memory.rb", delete("destroy_session", more)), ("pool.rb", delete("delete_session", ""))]
    };
    let (before, after) = (files(""), files("      @pool.delete(session_id.public_id)\n"));
    assert_eq!(missed(&Change { message: FIX, before: &before, after: &after }).len(), 1);
}

#[test]
fn an_edit_of_the_sources_is_reported_once_where_a_built_file_has_it_too() {
    let (rdb, aof) = (save("save_rdb", "rdb", "fp"), save("save_aof", "aof", "out"));
    let built = |rdb: &str| format!("{rdb}{LOOPS}{aof}");
    let files =
        |rdb: String| [("all.c", built(&rdb)), ("src/rdb.c", rdb), ("src/aof.c", aof.clone())];
    let change =
        Change { message: FIX, before: &files(rdb), after: &files(fixed("save_rdb", "rdb", "fp")) };
    assert_eq!(missed(&change), ["src/rdb.c:17-19 <- src/aof.c:17-18"]);
}

#[test]
fn an_edit_that_reaches_all_members_is_nothing() {
    let (before, after) = fix_of_one();
    let both = [after[0].clone(), ("aof.c", fixed("save_aof", "aof", "out"))];
    assert!(missed(&Change { message: FIX, before: &before, after: &both }).is_empty());
}

#[test]
fn a_sibling_that_differs_just_there_or_was_mended_before_is_nothing() {
    let (before, after) = fix_of_one();
    for other in ["    close_all(out, 3);\n", "    if (out != NULL)\n        fclose(out);\n"] {
        let aof = before[1].1.replace("    fclose(out);\n", other);
        let (before, after) =
            ([before[0].clone(), ("aof.c", aof.clone())], [after[0].clone(), ("aof.c", aof)]);
        assert_eq!(
            missed(&Change { message: FIX, before: &before, after: &after }),
            [""; 0],
            "{other}"
        );
    }
}

#[test]
fn renames_layout_comments_moves_and_whole_functions_are_nothing() {
    let (before, _) = fix_of_one();
    let rdb = &before[0].1;
    let extra = "int count(int a, int b)\n{\n    while (a < b)\n        a = next(a, b);\n    return a;\n}\n";
    let rows = [
        ("renamed", rdb.replace("fp", "stream").replace("save_rdb", "store")),
        (
            "laid out",
            rdb.replace(
                "    if (fflush(fp) == EOF)\n        goto failed;",
                "  if (fflush(fp) == EOF) goto failed;",
            ),
        ),
        ("commented", rdb.replace("failed:\n", "failed: /* whatever went wrong */\n")),
        ("a function more", format!("{rdb}\n{extra}")),
    ];
    for (what, text) in rows {
        let after = [("rdb.c", text), before[1].clone()];
        assert_eq!(
            missed(&Change { message: FIX, before: &before, after: &after }),
            [""; 0],
            "{what}"
        );
    }
    let longer =
        [("rdb.c", format!("{extra}\n{rdb}")), before[1].clone(), ("b.c", extra.to_owned())];
    let removed = [before[0].clone(), before[1].clone(), ("b.c", extra.to_owned())];
    assert_eq!(
        missed(&Change { message: FIX, before: &longer, after: &removed }),
        [""; 0],
        "a function less"
    );
    let moved = [("src/rdb.c", rdb.clone()), before[1].clone()];
    assert_eq!(
        missed(&Change { message: FIX, before: &before, after: &moved }),
        [""; 0],
        "a file moved"
    );
}

#[test]
fn an_example_and_code_of_others_may_lack_an_edit() {
    let (before, after) = fix_of_one();
    for path in ["examples/aof.c", "vendor/redis/aof.c"] {
        let moved = |[rdb, (_, aof)]: &Files| [rdb.clone(), (path, aof.clone())];
        let change = Change { message: FIX, before: &moved(&before), after: &moved(&after) };
        assert_eq!(missed(&change), [format!("rdb.c:17-19 <- {path}:17-18")]);
    }
}

#[test]
fn another_name_in_what_is_removed_is_other_code_unless_the_lines_around_it_say_so() {
    let (before, _) = fix_of_one();
    for (other, expected) in [("unlink(path)", 1), ("remove_dir(path)", 0)] {
        let aof = before[1].1.replace("unlink(path)", other);
        let was = [before[0].clone(), ("aof.c", aof.clone())];
        let is =
            [("rdb.c", before[0].1.replace("unlink(path)", "rename(path, 0)")), ("aof.c", aof)];
        assert_eq!(
            missed(&Change { message: FIX, before: &was, after: &is }).len(),
            expected,
            "{other}"
        );
    }
}

#[test]
fn a_name_that_is_declared_with_another_type_is_other_code() {
    let open = |name: &str, declared: &str, arg: &str| {
        format!(
            "int {name}(struct reader *r, {declared})\n{{\n    reset(r, FIRST, LAST, WEAK);\n    \
             return open_reader(r, {arg}, MODE, LAST);\n}}\n"
        )
    };
    let own = open("open_path", "path_t *path", "path");
    for (declared, arg, expected) in
        [("path_t *target", "target", 1), ("stream_t *stream", "stream", 0)]
    {
        let other = ("b.c", open("open_other", declared, arg));
        let before = [("a.c", own.clone()), other.clone()];
        let after = [("a.c", own.replace("(r, path,", "(r, text_of(path),")), other];
        let change = Change { message: FIX, before: &before, after: &after };
        assert_eq!(missed(&change).len(), expected, "{declared}");
    }
}

#[test]
fn a_declaration_that_is_inserted_is_nothing_and_a_check_is_something() {
    let (before, _) = fix_of_one();
    for (line, expected) in [
        ("    int n_tries;\n", 0),
        ("    static const unsigned char kinds[2] = { FIRST, LAST };\n", 0),
        ("    if (path == NULL)\n        return -1;\n", 1),
        ("    if (path == NULL) {\n        int code = -1;\n        return code;\n    }\n", 1),
    ] {
        let rdb = before[0].1.replace("    unlink(path);\n", &format!("{line}    unlink(path);\n"));
        let after = [("rdb.c", rdb), before[1].clone()];
        assert_eq!(
            missed(&Change { message: FIX, before: &before, after: &after }).len(),
            expected,
            "{line}"
        );
    }
}

#[test]
fn an_edit_about_a_variable_that_the_sibling_has_not_is_nothing() {
    let ([(_, rdb), (_, aof)], _) = fix_of_one();
    let with = |text: &str, line: &str| text.replace("    FILE *", &format!("{line}\n    FILE *"));
    let check = "    if (n_tries > 3)\n        return -1;\n    unlink(path);\n";
    let own = with(&rdb, "    int n_tries;");
    let rows = [("int n_tries;", 1), ("int n_bytes;", 0), ("aof->n_tries = 0;", 0)];
    for (other, expected) in rows {
        let aof = with(&aof, other);
        let aof = format!("extern int n_tries;\n{aof}");
        let before = [("rdb.c", own.clone()), ("aof.c", aof.clone())];
        let after = [("rdb.c", own.replace("    unlink(path);\n", check)), ("aof.c", aof)];
        let change = Change { message: FIX, before: &before, after: &after };
        assert_eq!(missed(&change).len(), expected, "{other}");
    }
}

#[test]
fn an_edit_is_missing_only_where_it_can_be_made() {
    let ([rdb, (_, aof)], _) = fix_of_one();
    let close = "    fclose(fp);\n";
    let commented = aof.replace("    fclose(", "    /* It may be closed. */\n    fclose(");
    let rows = [
        (&aof, "fp != NULL", 1),
        // A comment is between.
        (&commented, "fp != NULL", 0),
        (&aof, "fp != path", 1),
        // `fp` is `out` there.
        (&aof, "fp != out", 0),
    ];
    for (aof, check, expected) in rows {
        let checked = rdb.1.replace(close, &format!("    if ({check})\n    {close}"));
        let before = [rdb.clone(), ("aof.c", aof.clone())];
        let after = [("rdb.c", checked), ("aof.c", aof.clone())];
        let change = Change { message: FIX, before: &before, after: &after };
        assert_eq!(missed(&change).len(), expected, "{check}");
    }
}

#[test]
fn a_sibling_has_all_of_the_lines_that_were_replaced_or_are_around_what_came_or_went() {
    let ([(_, rdb), (_, aof)], _) = fix_of_one();
    let closing = |text: &str| text.replace("    fclose(", "    (void)fclose(");
    let (own, same) = (closing(&rdb), closing(&aof));
    let check = "    if (path[0] == 0)\n        return -1;\n    unlink(path);\n";
    let logged = "    log_error(\"cannot write %s: %s\", path, strerror(errno));\n";
    let rows = [
        ("target) == -1", "target) < 0", "if (rename(", "if (is_new || rename("),
        ("    unlink(path);\n", check, "    (void)fclose(", "    fclose("),
        (logged, "", "    (void)fclose(", "    fclose("),
    ];
    for (was, is, part, other) in rows {
        for (aof, expected) in [(same.clone(), 1), (same.replace(part, other), 0)] {
            let before = [("rdb.c", own.clone()), ("aof.c", aof.clone())];
            let after = [("rdb.c", own.replace(was, is)), ("aof.c", aof)];
            let change = Change { message: FIX, before: &before, after: &after };
            assert_eq!(missed(&change).len(), expected, "{is}, {other}");
        }
    }
}

#[test]
fn one_more_of_a_kind_is_missing_only_where_all_around_is_the_same() {
    let ([(_, rdb), (_, aof)], _) = fix_of_one();
    let marks = "    mark(path, FIRST);\n    mark(path, LAST);\n    unlink(";
    let [rdb, aof] = [rdb, aof].map(|text| text.replace("    unlink(", marks));
    let other = aof.replace("    fclose(", "    (void)fclose(");
    let rows = [
        ("    mark(path, EOF);\n", &aof, 1),
        ("    mark(path, EOF);\n", &other, 0),
        ("    if (path[0] == EOF)\n        return -1;\n", &other, 1),
    ];
    for (line, aof, expected) in rows {
        let is = rdb.replace("    mark(path, LAST", &format!("{line}    mark(path, LAST"));
        let before = [("rdb.c", rdb.clone()), ("aof.c", aof.clone())];
        let after = [("rdb.c", is), ("aof.c", aof.clone())];
        let change = Change { message: FIX, before: &before, after: &after };
        assert_eq!(missed(&change).len(), expected, "{line}");
    }
}

#[test]
fn an_edit_of_what_does_nothing_is_nothing() {
    let python = |name: &str, said: &str| {
        format!(
            "def {name}(table, key):\n    \"\"\"{said}\"\"\"\n    found = table.lookup(key.strip().lower())\n    \
             if found is None or found.is_deleted:\n        return None\n    return decode(found, table.columns)\n"
        )
    };
    let c = |name: &str, row: &str| {
        format!(
            "void {name}(struct table *table)\n{{\n    int sizes[] = {{\n        FIRST, SECOND,\n        {row},\n        \
             THIRD, LAST,\n    }};\n    fill(table, sizes, COUNT);\n}}\n"
        )
    };
    let rust = |name: &str, attribute: &str| {
        format!(
            "fn {name}(table: &Table, key: &str) -> Row {{\n    {attribute}\n    let found = table.lookup(key.trim());\n    \
             log::debug!(\"{{}}\", found.len());\n    decode(&found, &table.columns)\n}}\n"
        )
    };
    type Text = dyn Fn(&str, &str) -> String;
    let rows: [(&str, &Text, &str, &str); 3] = [
        ("py", &python, "Read a row.", "Reads a row of the table."),
        ("c", &c, "4, 7, 9", "4, 8, 16, 32"),
        ("rs", &rust, "#[allow(unused)]", "#[allow(dead_code)]"),
    ];
    for (extension, text, was, is) in rows {
        let (one, two) = (format!("one.{extension}"), format!("two.{extension}"));
        let other = (&*two, text("read_all", was));
        let before = [(&*one, text("read_one", was)), other.clone()];
        let after = [(&*one, text("read_one", is)), other];
        assert_eq!(
            missed(&Change { message: FIX, before: &before, after: &after }),
            [""; 0],
            "{is}"
        );
    }
}

#[test]
fn tests_and_alike_lines_that_are_no_clones_are_nothing() {
    let (before, after) = fix_of_one();
    let in_tests = |[rdb, aof]: [(&'static str, String); 2]| [("tests/rdb.c", rdb.1), aof];
    assert!(
        missed(&Change { message: FIX, before: &in_tests(before), after: &in_tests(after) })
            .is_empty()
    );
    // Two pairs that share an idiom.
    let idioms = [
        (
            "    if (p == NULL)\n        return -1;\n",
            "    if (p == NULL)\n        return error(ENOMEM);\n",
        ),
        ("    free(a);\n    free(b);\n", "    free(a);\n    a = NULL;\n    free(b);\n"),
    ];
    for (was, is) in idioms {
        let one = format!(
            "int parse(struct reader *r)\n{{\n    struct node *p = new_node(r, 3);\n{was}    link(r, p);\n}}\n"
        );
        let two = format!(
            "long total(long *a, int n, long *b)\n{{\n    long sum = 0, i;\n    reset(b);\n{was}    show(sum);\n}}\n"
        );
        let before = [("one.c", one.clone()), ("two.c", two.clone())];
        let after = [("one.c", one.replace(was, is)), ("two.c", two)];
        assert_eq!(
            missed(&Change { message: FIX, before: &before, after: &after }),
            [""; 0],
            "{was}"
        );
    }
}

#[test]
fn eight_siblings_in_as_many_files_are_told_and_nine_are_an_idiom() {
    let n_told = |n: usize| {
        let paths: Vec<String> = (0..n).map(|number| format!("f{number}.c")).collect();
        let files = |first: String| -> Vec<(&str, String)> {
            let other = |path: &String| save(&format!("save_{}", &path[..2]), "aof", "out");
            let others = paths.iter().map(|path| (&**path, other(path)));
            [("rdb.c", first)].into_iter().chain(others).collect()
        };
        let before = files(save("save_rdb", "rdb", "fp"));
        let after = files(fixed("save_rdb", "rdb", "fp"));
        let found = findings(
            &Change { message: FIX, before: &before, after: &after }.made(),
            "missed-sibling",
        );
        found.first().map_or(0, |found| found["missed"]["siblings"].as_u64().unwrap_or(0))
    };
    assert_eq!([1, 3, 8, 9].map(n_told), [1, 3, 8, 0]);
}

#[test]
fn a_class_is_one_note_with_its_number_and_the_nearest_first() {
    let paths = ["src/a/rdb.c", "lib/z.c", "src/a/near.c", "src/b.c"];
    let names = [
        ("save_rdb", "rdb", "fp"),
        ("save_z", "z", "o"),
        ("save_n", "near", "f"),
        ("save_b", "b", "out"),
    ];
    let files = |first: String| -> Vec<(&str, String)> {
        let others =
            paths.iter().zip(names).skip(1).map(|(path, (a, b, c))| (*path, save(a, b, c)));
        [(paths[0], first)].into_iter().chain(others).collect()
    };
    let before = files(save("save_rdb", "rdb", "fp"));
    let after = files(fixed("save_rdb", "rdb", "fp"));
    let change = Change { message: FIX, before: &before, after: &after };
    let found = missed(&change);
    assert_eq!(found, ["src/a/rdb.c:17-19 <- src/a/near.c:17-18, src/b.c:17-18, lib/z.c:17-18"]);
    let found = findings(&change.made(), "missed-sibling");
    assert_eq!(found[0]["missed"]["siblings"], 3);
    assert!(
        found[0]["message"]
            .as_str()
            .is_some_and(|text| text.ends_with("and 2 other siblings lack it too"))
    );
}

#[test]
fn an_edit_that_is_missed_or_made_at_more_than_eight_places_is_nothing() {
    for (n_made, n_missed, is_reported) in
        [(1, 8, true), (1, 9, false), (8, 1, true), (9, 1, false), (1, 999, false)]
    {
        let text = |n: usize| -> String {
            let function =
                |at: usize| if at < n { fixed } else { save }(&format!("save{at}"), "rdb", "fp");
            (0..n_made + n_missed).map(function).collect()
        };
        let change = Change {
            message: FIX,
            before: &[("all.c", text(0))],
            after: &[("all.c", text(n_made))],
        };
        assert_eq!(!missed(&change).is_empty(), is_reported, "{n_made} made, {n_missed} missed");
    }
}

/// A function that reads a file, with its names.
fn load(name: &str, of: &str, file: &str) -> String {
    format!(
        "int {name}(struct {of} *{of}, const char *source)\n{{\n    FILE *{file} = fopen(source, \"r\");\n    \
         char line[512];\n    int n = 0;\n    if ({file} == NULL)\n        return report({of}, errno);\n    \
         while (fgets(line, sizeof line, {file}) != NULL) {{\n        if (parse_{of}({of}, line, n) < 0)\n            \
         break;\n        n++;\n    }}\n    fclose({file});\n    log_info(\"%d lines of %s\", n, source);\n    \
         return n;\n}}\n"
    )
}

#[test]
fn a_patch_with_a_line_that_would_steer_is_left_out_and_that_is_said() {
    let ([rdb, aof], [fixed, _]) = fix_of_one();
    for (line, is_left_out) in [
        (" ::error::x", true),
        ("/* ##vso[x] */", true),
        ("/* \u{202E} */", true),
        (" /* é */", false),
    ] {
        let aof =
            (aof.0, aof.1.replace("    unlink(path);\n", &format!("{line}\n    unlink(path);\n")));
        let aof = (
            aof.0,
            if line.contains("/*") {
                aof.1
            } else {
                aof.1.replace(line, &format!("/*\n{line}\n*/"))
            },
        );
        let change = Change {
            message: FIX,
            before: &[rdb.clone(), aof.clone()],
            after: &[fixed.clone(), aof],
        };
        let patch =
            change.made().secondhand(&["check", "--base", "HEAD~1", "--format", "patch"]).output();
        let patch =
            String::from_utf8(patch.expect("the program starts").stdout).expect("it is UTF-8");
        assert_eq!(patch.contains("--- a/aof.c"), !is_left_out, "{patch}");
        assert_eq!(patch.contains("apply by hand"), is_left_out, "{patch}");
    }
}

#[test]
fn of_two_patches_that_touch_each_other_the_second_waits() {
    // The end of one function and the start of the next are within the context of each other.
    let both = |save: &str, load: &str| format!("{save}{load}");
    let sibling = both(&save("save_aof", "aof", "out"), &load("load_aof", "aof", "in"));
    let before = [
        ("rdb.c", save("save_rdb", "rdb", "fp")),
        ("read.c", load("load_rdb", "rdb", "fp")),
        ("aof.c", sibling.clone()),
    ];
    let ended =
        before[0].1.replace("unlink(path);\n    return -1", "unlink(path);\n    return -errno");
    let opened = before[1].1.replace("fopen(source,", "fopen(*source,");
    let after = [("rdb.c", ended), ("read.c", opened), ("aof.c", sibling.clone())];
    let repository = Change { message: FIX, before: &before, after: &after }.made();
    let patch = || {
        let patch =
            repository.secondhand(&["check", "--base", "HEAD~1", "--format", "patch"]).output();
        String::from_utf8(patch.expect("the program starts").stdout).expect("the files are UTF-8")
    };
    let first = patch();
    assert_eq!(first.matches("--- a/aof.c").count(), 1, "{first}");
    assert!(first.contains("its patch comes once the one above is applied"), "{first}");
    let mut apply = git_command(repository.root(), &["apply", "-"]);
    let mut apply = apply.stdin(Stdio::piped()).spawn().expect("git is installed");
    apply.stdin.take().expect("it is piped").write_all(first.as_bytes()).expect("git reads it");
    assert!(apply.wait().expect("git ends").success(), "{first}");
}

#[test]
fn what_the_sibling_has_nearby_is_nothing() {
    // Of a row whose other words are all around, the sibling has the one that counts.
    let ([(_, rdb), (_, aof)], _) = fix_of_one();
    let opened = |text: &str| text.replace("failed:\n", "failed:\n    count(stat, OPENED);\n");
    let closed =
        opened(&rdb).replace("    fclose(fp);\n", "    count(stat, CLOSED);\n    fclose(fp);\n");
    let rows = [("finish(CLOSED)", 0), ("finish(aof)", 1)];
    for (call, expected) in rows {
        let other = opened(&aof)
            .replace("    unlink(path);\n", &format!("    unlink(path);\n    {call};\n"));
        let other = format!("{other}int last_kind = CLOSED;\n");
        let before = [("rdb.c", opened(&rdb)), ("aof.c", other.clone())];
        let change = Change {
            message: FIX,
            before: &before,
            after: &[("rdb.c", closed.clone()), ("aof.c", other)],
        };
        assert_eq!(missed(&change).len(), expected, "{call}");
    }
}

#[test]
fn a_file_may_end_where_what_it_shares_with_an_edit_does() {
    let ([(_, rdb), (_, aof)], _) = fix_of_one();
    for (word, is) in [
        ("unlink(", "remove("),
        ("log_error(", "log_all("),
        ("strerror(errno)", "strerror(code)"),
        ("goto failed;\n    return", "goto ended;\n    return"),
        ("rename(", "renamed("),
        ("fclose(", "close("),
    ] {
        let shared = &aof[..aof.find(word).expect("the word is there")];
        let other = ("aof.c", shared.to_owned());
        let before = [("rdb.c", rdb.clone()), other.clone()];
        let after = [("rdb.c", rdb.replace(word, is)), other];
        assert_eq!(missed(&Change { message: FIX, before: &before, after: &after }), [""; 0]);
    }
}

/// A loop that reads or writes as long as it may, in one function behind the other.
const LOOPS: &str = "static void consider_reading(struct stream *stream)
{
    int r;
    struct mark *mark = &stream->read_mark;

    while (stream->write_waits) {
        r = write_frame(stream, 1024);
        if (r <= 0)
            break;
    }
    if (stream->write_waits)
        return;
    while ((stream->enabled & CAN_READ) && !stream->read_stopped && (!mark->high || length(stream) < mark->high)) {
        int n = mark->high ? mark->high - length(stream) : READ_SIZE;
        r = read_frame(stream, n);
        if (r <= 0)
            break;
    }
    if (!stream->below) {
        if (stream->read_stopped || !(stream->enabled & CAN_READ))
            forget(&stream->read_event);
    }
}

static void consider_writing(struct stream *stream)
{
    int r;
    struct queue *output = stream->output;
    struct queue *target = NULL;
    struct mark *mark = NULL;

    while (stream->read_waits) {
        r = read_frame(stream, 1024);
        if (r <= 0)
            break;
    }
    if (stream->read_waits)
        return;
    if (stream->below) {
        target = stream->below->output;
        mark = &stream->below->write_mark;
    }
    while ((stream->enabled & CAN_WRITE) && !stream->write_stopped && filled(output) &&
           (!target || (!mark->high || filled(target) < mark->high))) {
        int n;
        if (mark && mark->high)
            n = mark->high - filled(target);
        else
            n = FRAME;
        r = write_frame(stream, n);
        if (r <= 0)
            break;
    }
    if (!stream->below) {
        if (filled(output) == 0) {
            forget(&stream->write_event);
        } else if (stream->write_stopped || !(stream->enabled & CAN_WRITE)) {
            forget(&stream->write_event);
        }
    }
}
";

#[test]
fn in_one_file_the_sibling_behind_may_be_longer() {
    let check = "        if (r <= 0)\n            break;\n";
    let fixed = LOOPS.replacen("    while ((stream", "    if ((stream", 1);
    let fixed =
        fixed.replacen(&format!("read_frame(stream, n);\n{check}"), "read_frame(stream, n);\n", 1);
    let change =
        Change { message: FIX, before: &[("io.c", LOOPS.to_owned())], after: &[("io.c", fixed)] };
    let found = missed(&change);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("<- io.c:4"), "{found:?}");
}

#[test]
fn code_shown_in_a_document_is_no_sibling() {
    let (before, after) = fix_of_one();
    let shown = format!("# Saving\n\n```c\n{}```\n", save("save_rdb", "rdb", "fp"));
    let before = [before[0].clone(), ("README.md", shown.clone())];
    let after = [after[0].clone(), ("README.md", shown)];
    assert_eq!(missed(&Change { message: FIX, before: &before, after: &after }), [""; 0]);
}

#[test]
fn a_first_commit_and_a_merge_are_judged_like_any_other() {
    let (before, after) = fix_of_one();
    let repository = Change { message: FIX, before: &before, after: &after }.made();
    let first = repository.git(&["rev-list", "--max-parents=0", "HEAD"]);
    let report = repository.check(&["--base", &first, "--head", &first]);
    assert_eq!(report.list("/findings").len(), 0);
    // A merge brings the fix in: against its first parent it is the fix.
    repository.git(&["checkout", "--quiet", "-b", "side", &first]);
    repository.write("other.c", "int other;\n");
    repository.commit("side");
    repository.git(&["merge", "--quiet", "--no-edit", "main"]);
    assert_eq!(findings(&repository, "missed-sibling").len(), 1);
}
