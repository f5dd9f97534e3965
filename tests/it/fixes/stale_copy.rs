//! Shows what copies are told to have missed, which versions folders are, and what fixes of
//! vulnerabilities find.

mod folders;
mod formats;

use std::fs;
use std::io::Write as _;
use std::process::{Output, Stdio};

use serde_json::Value;
use support::{Report, Repository, secondhand};
use tempfile::TempDir;

/// A function that reads a record, without a check of its length.
const READ: &str = "\
/* Reads a record. */
int record_read(struct record *record, FILE *file, size_t limit)
{
    unsigned char header[16];
    if (fread(header, 1, sizeof header, file) != sizeof header)
        return RECORD_SHORT;
    record->kind = header[0] | header[1] << 8;
    record->length = header[2] | header[3] << 8;
    record->bytes = record_allocate(record->length + 1);
    if (fread(record->bytes, 1, record->length, file) != record->length)
        return RECORD_SHORT;
    record->bytes[record->length] = 0;
    record->checksum = checksum_of(record->bytes, record->length);
    return record_verify(record, limit);
}
";

/// A function that writes one.
const WRITE: &str = "\
/* Writes a record. */
int record_write(const struct record *record, FILE *file)
{
    unsigned char header[16] = {0};
    header[0] = record->kind & 0xff;
    header[1] = record->kind >> 8;
    header[2] = record->length & 0xff;
    header[3] = record->length >> 8;
    if (fwrite(header, 1, sizeof header, file) != sizeof header)
        return RECORD_FULL;
    return fwrite(record->bytes, 1, record->length, file) == record->length ? RECORD_DONE : RECORD_FULL;
}
";

/// A function that lists them.
const LIST: &str = "\
/* Lists all records. */
void record_list(const struct archive *archive, FILE *out)
{
    for (size_t number = 0; number < archive->count; number++) {
        const struct record *record = archive->records[number];
        fprintf(out, \"%5zu %04x %8u\\n\", number, record->kind, record->length);
        if (record->checksum != checksum_of(record->bytes, record->length))
            fprintf(out, \"      damaged\\n\");
    }
}
";

/// The function that reads, with the check.
fn fixed() -> String {
    READ.replace(
        "    record->bytes = record_allocate",
        "    if (record->length > limit)\n        return RECORD_LONG;\n    record->bytes = record_allocate",
    )
}

/// The function that writes, with another mask.
fn widened() -> String {
    WRITE.replace("header[1] = record->kind >> 8;", "header[1] = record->kind >> 8 & 0x7f;")
}

/// The same in Python, which tells a string of many lines and where a line is indented to.
const READER: &str = "\
def read(file, limit):
    \"\"\"Read a record.

    The header has four bytes.
    The rest is as long as it says.
    Returns None at the end.
    \"\"\"
    header = file.read(4)
    kind = header[0] | header[1] << 8
    length = header[2] | header[3] << 8
    flags = header[3] >> 4
    if kind == 0:
        return None
    if flags:
        raise Unknown(flags)
    data = file.read(length)
    return verify(kind, data, checksum(data))
";

const FIX: &str = "Check the length of records\n\nA long one made an out-of-bounds write possible (CVE-2001-0203).";

/// A project: 1.0, then a fix and 1.1, then a change that is none.
fn origin() -> (Repository, String, String) {
    let origin = Repository::new();
    origin.write("src/record.c", [READ, WRITE].concat());
    origin.write("src/list.c", LIST);
    origin.write("src/other.c", LIST.replace("list", "dump").replace("fprintf", "print_to"));
    origin.commit("Begin");
    origin.git(&["tag", "v1.0"]);
    origin.write("src/record.c", [&fixed(), WRITE].concat());
    let fix = origin.commit(FIX);
    origin.git(&["tag", "v1.1"]);
    origin.write("src/record.c", [fixed(), widened()].concat());
    let change = origin.commit("Mask the kind");
    (origin, fix, change)
}

/// A project that copied files of the origin into `lib/`.
fn copying(files: &[(&str, &str)]) -> Repository {
    let repository = Repository::new();
    repository.write("main.c", "int main(void) { return 0; }\n");
    repository.commit("begin");
    for (path, text) in files {
        repository.write(path, text);
    }
    repository.commit("copy");
    repository
}

/// A folder of corpora.
struct Shelf(TempDir);

impl Shelf {
    fn new() -> Self {
        Self(TempDir::new().expect("the folder for temporary files is writable"))
    }

    /// With the corpus `known` of a repository called `archive`.
    fn of(origin: &Repository) -> Self {
        let shelf = Self::new();
        shelf.corpus(&["add", "known", path(origin), "--name", "archive"]);
        shelf
    }

    fn path(&self) -> &str {
        self.0.path().to_str().expect("temporary folders are UTF-8")
    }

    /// Runs `secondhand corpus`; returns the status, what it printed and its errors.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let mut command = secondhand(self.0.path(), &["corpus", "--corpus-dir", self.path()]);
        told(command.args(args).output().expect("the program starts"))
    }

    #[track_caller]
    fn corpus(&self, args: &[&str]) -> String {
        let (status, printed, errors) = self.run(args);
        assert_eq!((status, errors.as_str()), (0, ""), "{args:?}");
        printed
    }

    /// What the tree of `repository` lacks, and the status: level, rule and place, and the commits.
    #[track_caller]
    fn stale(&self, repository: &Repository) -> (i32, Vec<String>) {
        let report = self.report(repository, &["stale", "--no-cache"]);
        (report.status, findings(&report))
    }

    #[track_caller]
    fn report(&self, repository: &Repository, args: &[&str]) -> Report {
        let corpus = ["--corpus", "known", "--corpus-dir", self.path(), "--format", "json"];
        Report::new(repository.secondhand(args).args(corpus))
    }

    /// What a report of `format` says.
    #[track_caller]
    fn format(&self, repository: &Repository, command: &str, format: &str) -> String {
        let corpus = [
            "--corpus",
            "known",
            "--corpus-dir",
            self.path(),
            "--format",
            format,
            "--fail-on",
            "never",
        ];
        let output =
            repository.secondhand(&[command]).args(corpus).output().expect("the program starts");
        let (status, printed, errors) = told(output);
        assert_eq!((status, errors.as_str()), (0, ""));
        printed
    }
}

fn told(Output { status, stdout, stderr }: Output) -> (i32, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status.code().expect("no signal ended it"), text(stdout), text(stderr))
}

fn path(repository: &Repository) -> &str {
    repository.root().to_str().expect("temporary folders are UTF-8")
}

/// The findings about missed commits: `warning stale-copy lib/record.c:9 1a2b3c4 [CVE-1]`.
fn findings(report: &Report) -> Vec<String> {
    let missed =
        report.list("/findings").iter().filter(|finding| !finding["missedCommits"].is_null());
    missed
        .map(|finding| {
            let text = |value: &Value| value.as_str().expect("it is a text").to_owned();
            let commits = finding["missedCommits"]["commits"]
                .as_array()
                .expect("there are commits")
                .iter()
                .map(|commit| {
                    let ids: Vec<_> =
                        commit["ids"].as_array().expect("there are ids").iter().map(text).collect();
                    format!(
                        "{}{}",
                        &text(&commit["hash"])[..7],
                        ids.iter().map(|id| format!(" {id}")).collect::<String>()
                    )
                });
            format!(
                "{} {} {}:{} {}",
                text(&finding["level"]),
                text(&finding["rule"]),
                text(&finding["path"]),
                finding["fragment"]["startLine"],
                commits.collect::<Vec<_>>().join(", ")
            )
        })
        .collect()
}

#[track_caller]
fn check(shelf: &Shelf, files: &[(&str, &str)], status: i32, expected: &[String]) {
    assert_eq!(shelf.stale(&copying(files)), (status, expected.to_vec()));
}

fn short(commit: &str) -> &str {
    &commit[..7]
}

#[test]
fn a_copy_of_an_old_version_lacks_the_commits_that_changed_its_lines() {
    let (origin, fix, change) = origin();
    let shelf = Shelf::of(&origin);
    let security = format!("warning stale-copy lib/record.c:8 {} CVE-2001-0203", short(&fix));
    let other = format!("note stale-copy lib/record.c:21 {}", short(&change));
    check(
        &shelf,
        &[("lib/record.c", &[READ, WRITE].concat())],
        1,
        &[security.clone(), other.clone()],
    );
    // A function is enough, under another path, edited elsewhere.
    let edited = READ.replace("struct record *record, FILE", "struct entry *record, MY_FILE");
    let elsewhere = format!("int more;\n{edited}int end;\n");
    check(&shelf, &[("a/b.c", &elsewhere)], 1, &[security.replace("lib/record.c:8", "a/b.c:9")]);
    // What it has already is silent, and so is what is the latest.
    check(
        &shelf,
        &[("lib/record.c", &[&fixed(), WRITE].concat())],
        0,
        &[other.replace(":21", ":23")],
    );
    check(&shelf, &[("lib/record.c", &[fixed(), widened()].concat())], 0, &[]);
    // However it has been fixed.
    let own = READ.replace(
        "record_allocate(record->length + 1)",
        "record_allocate(bounded(record->length, limit) + 1)",
    );
    check(&shelf, &[("lib/record.c", &[&own, &widened()[..]].concat())], 0, &[]);
}

#[test]
fn an_audit_and_a_check_tell_of_missed_commits_too() {
    let (origin, fix, _) = origin();
    let shelf = Shelf::of(&origin);
    let expected = [format!("warning stale-copy lib/record.c:8 {} CVE-2001-0203", short(&fix))];
    let repository = copying(&[("lib/record.c", READ)]);
    assert_eq!(findings(&shelf.report(&repository, &["audit"])), expected);
    assert_eq!(findings(&shelf.report(&repository, &["check", "--base", "HEAD~1"])), expected);
    // It is the first thing that the summary and the page say, and the first page of several
    // repositories; and everybody counts the same warnings.
    let reported = shelf.0.path().join("own.json");
    fs::write(&reported, shelf.format(&repository, "audit", "json")).expect("it is writable");
    let report = |format: &str| {
        let mut command = secondhand(shelf.0.path(), &["report", "own.json", "--format", format]);
        told(command.output().expect("the program starts")).1
    };
    let summary = "1 copy lacks security fixes; 2 findings: 2 warnings";
    let tile = "<dt>Lack security fixes</dt><dd class=\"figure\">1</dd>";
    for (written, expected) in [
        (shelf.format(&repository, "audit", "text"), vec![summary]),
        (
            shelf.format(&repository, "audit", "markdown"),
            vec!["## Secondhand: 1 copy lacks", "2 warnings"],
        ),
        (
            shelf.format(&repository, "audit", "html"),
            vec![summary, tile, "<dt>Warnings</dt><dd class=\"figure\">2</dd>"],
        ),
        (shelf.format(&repository, "audit", "counts"), vec!["warnings=2"]),
        (report("text"), vec!["1 copy lacks security fixes", "0 errors, 2 warnings"]),
        (report("html"), vec![tile, "1 copy lacks security fixes"]),
        (report("json"), vec!["\"lackingSecurityFixes\": 1", "\"warnings\": 2"]),
    ] {
        for said in expected {
            assert!(written.contains(said), "lacks {said}: {written}");
        }
    }
    // Each is told once, with its commits.
    let text = shelf.format(&repository, "audit", "text");
    assert_eq!(text.matches("warning[stale-copy]").count(), 1, "{text}");
    // What is there already is no matter of a change.
    repository.write("lib/record.c", format!("{READ}{LIST}"));
    repository.commit("more");
    assert_eq!(
        findings(&shelf.report(&repository, &["check", "--base", "HEAD~1"])),
        [] as [&str; 0]
    );
    // A vendored folder is known to be a copy, and may be stale all the same.
    repository.write("secondhand.toml", "[[vendored]]\npath = \"lib\"\nlicense = \"MIT\"\n");
    assert_eq!(shelf.stale(&repository).1, expected);
}

#[test]
fn what_a_limit_left_out_is_told() {
    let (origin, ..) = origin();
    let repository = copying(&[("lib/record.c", READ)]);
    let shelf = Shelf::of(&origin);
    let args = ["stale", "--corpus", "known", "--corpus-dir", shelf.path(), "--format", "json"];
    let mut command = repository.secondhand(&[&args[..], &["--timeout", "0.000001"]].concat());
    let (status, printed, _) = told(command.output().expect("the program starts"));
    assert_eq!(status, 2);
    let report: Value = serde_json::from_str(&printed).expect("the report is whole");
    let notice = report["notices"][0]["message"].as_str();
    assert!(notice.is_some_and(|why| why.contains("(`--timeout`)")), "{report}");
}

#[test]
fn a_corpus_without_its_repository_knows_as_much() {
    let (origin, fix, _) = origin();
    let (here, there) = (Shelf::of(&origin), Shelf::new());
    let file = here.0.path().join("known.corpus");
    let file = file.to_str().expect("temporary folders are UTF-8");
    here.corpus(&["export", "known", "--output", file]);
    drop(origin);
    there.corpus(&["import", "known", file]);
    let expected = format!("warning stale-copy lib/record.c:8 {} CVE-2001-0203", short(&fix));
    check(&there, &[("lib/record.c", READ)], 1, &[expected]);
}

#[test]
fn a_patch_brings_what_is_missing_and_nothing_is_missing_then() {
    let (origin, _, _) = origin();
    let shelf = Shelf::of(&origin);
    let edited = format!(
        "int own;\n\n{}{WRITE}",
        READ.replace(
            "return RECORD_SHORT;\n    record->bytes[",
            "return short_of(file);\n    record->bytes["
        )
    );
    let repository = copying(&[("lib/record.c", &edited)]);
    let patch = shelf.format(&repository, "stale", "patch");
    assert!(patch.contains("Check the length of records"), "{patch}");
    let text = applied(&patch, &repository, "lib/record.c");
    assert!(
        text.contains("if (record->length > limit)")
            && text.contains("& 0x7f")
            && text.contains("short_of"),
        "{text}"
    );
    assert_eq!(shelf.stale(&repository), (0, vec![]));
}

/// The text of a file after a patch.
#[track_caller]
fn applied(patch: &str, repository: &Repository, path: &str) -> String {
    let mut apply = support::git_command(repository.root(), &["apply"]);
    let mut apply = apply.stdin(Stdio::piped()).spawn().expect("git is installed");
    apply.stdin.take().expect("it is piped").write_all(patch.as_bytes()).expect("git reads it");
    assert!(apply.wait().expect("git ends").success(), "{patch}");
    fs::read_to_string(repository.path(path)).expect("it is there")
}

#[test]
fn a_patch_has_whole_strings_lines_that_are_only_indented_otherwise_and_whole_hunks() {
    let origin = Repository::new();
    let path = "lib/reader.py";
    origin.write(path, READER);
    origin.commit("Begin");
    let fixed = READER.replace("Returns None", "Raises EOFError").replace(
        "    data = file.read(length)\n    return",
        "    if length <= limit:\n        data = file.read(length)\n        return",
    );
    origin.write(path, &fixed);
    origin.commit(FIX);
    let shelf = Shelf::of(&origin);
    for indent in ["", "    "] {
        let indented = |text: &str| -> String {
            let lines = text.split_inclusive('\n');
            lines
                .map(|line| if line == "\n" { line.into() } else { format!("{indent}{line}") })
                .collect()
        };
        let copy = |text: &str| match indent {
            "" => text.to_owned(),
            _ => format!("class Reader:\n{}", indented(text)),
        };
        let repository = copying(&[(path, &copy(READER))]);
        let text = applied(&shelf.format(&repository, "stale", "patch"), &repository, path);
        // To indent a string would change it.
        let documented = fixed.replace("Raises EOFError", "Returns None");
        let expected = if indent.is_empty() { &fixed } else { &documented };
        assert_eq!(text, copy(expected));
    }
    // Two changes that git shows as one belong together: a copy that lacks one of them gets none.
    let later = fixed.replace("read(4)", "read(5)").replace("header[3] >> 4", "header[4]");
    origin.write(path, later);
    origin.commit("Read the length of five bytes");
    let repository = copying(&[(path, &fixed.replace("header = file.read(4)", "header = first"))]);
    let patch = Shelf::of(&origin).format(&repository, "stale", "patch");
    assert!(patch.contains("1 of 1 not in this patch") && !patch.contains("+++"), "{patch}");
}

#[test]
fn a_patch_brings_the_imports_that_hang_on_its_lines() {
    let choosing = |condition: &str, import: &str| {
        format!(
            "{READER}\n\ndef made(kind):\n    if {condition}:\n        {import}\n    return reader(kind, 4)\n"
        )
    };
    let (before, import) = (r#"kind == "slow""#, "from slow import reader");
    let fixed = choosing(r#"kind == "slow" and kind in known"#, "from slower import reader");
    let origin = Repository::new();
    let path = "lib/reader.py";
    origin.write(path, choosing(before, import));
    origin.commit("Begin");
    origin.write(path, &fixed);
    origin.commit(FIX);
    let shelf = Shelf::of(&origin);
    let repository = copying(&[(path, &choosing(before, import))]);
    assert_eq!(applied(&shelf.format(&repository, "stale", "patch"), &repository, path), fixed);
    // Of a copy that imports something else there, the import is its own.
    let repository = copying(&[(path, &choosing(before, "from vendor.slow import reader"))]);
    let patch = shelf.format(&repository, "stale", "patch");
    assert!(patch.contains("1 of 1 not in this patch"), "{patch}");
}

#[test]
fn a_patch_leaves_out_what_would_steer_where_it_is_printed() {
    let (origin, _, _) = origin();
    let shelf = Shelf::of(&origin);
    let copy = READ.replace("    record->bytes =", "/*\n ::error::x\n*/\n    record->bytes =");
    let repository = copying(&[("lib/record.c", &copy)]);
    let patch = shelf.format(&repository, "stale", "patch");
    assert!(patch.contains("apply by hand") && !patch.contains("\n ::error"), "{patch}");
}

#[test]
fn a_file_is_followed_when_its_origin_is_renamed_and_until_it_is_deleted() {
    let (origin, fix, change) = origin();
    origin.rename("src/record.c", "lib/archive/records.c");
    origin.commit("Move");
    let longer = fixed().replace(
        "unsigned char header[16];\n",
        "unsigned char header[16] = {0};\n    size_t n_read;\n",
    );
    origin.write("lib/archive/records.c", [longer, widened()].concat());
    let later = origin.commit("Clear the header, which leaked uninitialized memory");
    let shelf = Shelf::of(&origin);
    let copy = [READ, WRITE].concat();
    let expected = |later: &str| {
        [
            format!("warning stale-copy lib/record.c:4 {} CVE-2001-0203, {later}", short(&fix)),
            format!("note stale-copy lib/record.c:21 {}", short(&change)),
        ]
    };
    check(&shelf, &[("lib/record.c", &copy)], 1, &expected(short(&later)));
    origin.remove("lib/archive/records.c");
    origin.commit("Remove");
    shelf.corpus(&["update", "known"]);
    check(&shelf, &[("lib/record.c", &copy)], 1, &expected(short(&later)));
}

#[test]
fn a_fix_that_was_merged_is_missed_once_and_one_that_was_reverted_not_at_all() {
    let (origin, fix, change) = origin();
    origin.git(&["checkout", "--quiet", "-b", "side", "v1.1"]);
    origin.write(
        "src/list.c",
        LIST.replace("number < archive->count", "number < archive_count(archive)"),
    );
    let side = origin.commit("Count safely: a use-after-free");
    origin.git(&["checkout", "--quiet", "main"]);
    // The merge is of neither side.
    origin.write("src/list.c", format!("{LIST}\nint list_limit;\n"));
    origin.commit("Add a limit");
    origin.git(&["merge", "--quiet", "--no-ff", "side", "--message", "Merge"]);
    origin.git(&["revert", "--no-edit", &change]);
    let shelf = Shelf::of(&origin);
    let expected = [
        format!("warning stale-copy lib/list.c:4 {}", short(&side)),
        format!("warning stale-copy lib/record.c:8 {} CVE-2001-0203", short(&fix)),
    ];
    check(&shelf, &[("lib/record.c", &[READ, WRITE].concat()), ("lib/list.c", LIST)], 1, &expected);
}

#[test]
fn without_a_history_nothing_can_be_missed_and_that_is_said() {
    let (origin, _, _) = origin();
    let shelf = Shelf::new();
    shelf.corpus(&["add", "known", &format!("{}@v1.1", path(&origin))]);
    let repository = copying(&[("lib/record.c", READ)]);
    let args = ["stale", "--corpus", "known", "--corpus-dir", shelf.path()];
    let (status, _, errors) =
        told(repository.secondhand(&args).output().expect("the program starts"));
    assert_eq!(status, 2);
    assert!(errors.contains("no corpus has the history of a component"), "{errors}");
    assert_eq!(findings(&shelf.report(&repository, &["audit"])), [] as [&str; 0]);
    // A repository without commits has no past, and is no fault.
    shelf.corpus(&["add", "known", path(&Repository::new())]);
}

#[test]
fn a_missed_commit_is_accepted_with_a_comment_and_a_rule_can_be_off() {
    let (origin, _, _) = origin();
    let shelf = Shelf::of(&origin);
    let allowed = READ.replace(
        "    record->length =",
        "    // secondhand: allow(stale-copy) -- the length is checked by the caller\n    record->length =",
    );
    check(&shelf, &[("lib/record.c", &allowed)], 0, &[]);
    let repository = copying(&[("lib/record.c", READ)]);
    let report = shelf.report(&repository, &["stale", "--set", "rules.stale-copy=off"]);
    assert_eq!(findings(&report), [] as [&str; 0]);
}

/// An OSV record of a fix.
fn osv(id: &str, commits: &[&str]) -> String {
    let fixed: Vec<Value> =
        commits.iter().map(|commit| serde_json::json!({"fixed": commit})).collect();
    serde_json::json!({
        "id": id,
        "aliases": ["GHSA-2222-3333-4444"],
        "affected": [{
            "package": {"name": "archive", "ecosystem": "OSS-Fuzz"},
            "ranges": [{"type": "GIT", "repo": "https://example.com/archive.git", "events": fixed}],
        }],
    })
    .to_string()
}

fn write(shelf: &Shelf, name: &str, text: &str) -> String {
    let path = shelf.0.path().join(name);
    fs::create_dir_all(path.parent().expect("it lies below the root"))
        .expect("the folder is writable");
    fs::write(&path, text).expect("the folder is writable");
    path.to_str().expect("temporary folders are UTF-8").to_owned()
}

#[test]
fn code_that_a_listed_commit_fixed_is_told_with_its_ids_and_what_has_the_fix_is_not() {
    let (origin, fix, _) = origin();
    let shelf = Shelf::new();
    let list = write(&shelf, "CVE-1.json", &osv("CVE-2001-9999", &[&fix]));
    shelf.corpus(&["add", "known", "--fixes", &list, path(&origin)]);
    drop(origin);
    let expected = [format!(
        "warning known-vulnerability lib/a.c:9 {} CVE-2001-0203 CVE-2001-9999 GHSA-2222-3333-4444",
        short(&fix)
    )];
    let vulnerable = format!("int more;\n{READ}");
    check(&shelf, &[("lib/a.c", &vulnerable)], 1, &expected);
    check(&shelf, &[("lib/a.c", &format!("int more;\n{}", fixed()))], 0, &[]);
    check(&shelf, &[("lib/a.c", &[WRITE, LIST].concat())], 0, &[]);
    // The list says nothing of licenses.
    let repository = copying(&[("lib/a.c", &vulnerable)]);
    for report in [
        shelf.report(&repository, &["audit"]),
        shelf.report(&repository, &["check", "--base", "HEAD~1"]),
    ] {
        assert_eq!(findings(&report), expected);
        assert_eq!(report.list("/findings").len(), 1);
    }
    // It travels like any corpus.
    let there = Shelf::new();
    let file = write(&there, "fixes.corpus", "");
    let digest = shelf.corpus(&["export", "known", "--output", &file]);
    there.corpus(&["import", "known", &file, "--digest", digest.trim()]);
    assert_eq!(there.stale(&repository), (1, expected.to_vec()));
}

#[test]
fn a_listed_fix_is_found_whatever_it_changes_and_in_a_short_function() {
    let rows = [
        // Braces are around data, and the function has few words.
        (
            "color.py",
            "map = {'red': 1}\n\n\ndef rgb(color):\n    color = color.lower()\n    \
             return map.get(color, None)\n",
            "    color = color.lower()",
            "    if len(color) > 100:\n        raise ValueError()\n    color = color.lower()",
        ),
        (
            "words.js",
            "var upper = /[A-Z]+/;\nvar isWord = /[a-z][A-Z]|[A-Z]{2,}[a-z]/;\n\
             var n = 1, spaces = / +/;\n\
             exports.test = (text) => isWord.test(text) || upper.test(text);\n",
            "{2,}",
            "{2}",
        ),
        (
            "query.js",
            "function parse(text) {\n  return qs.parse(text, {\n    allowPrototypes: true\n\
               });\n}\nexports.parseQuery = parse;\n",
            "allowPrototypes",
            "plainObjects",
        ),
        // A like place that the commit left alone.
        (
            "pair.c",
            "int first(struct pair *pair, int n) {\n    int size = pair->size + n;\n    \
             pair->first = take(pair, size);\n    return check(pair, size);\n}\n\n\
             int second(struct pair *pair, int n) {\n    int size = pair->size + n;\n    \
             pair->first = take(pair, size);\n    return check(pair, size);\n}\n\n",
            "first(struct pair *pair, int n) {\n",
            "first(struct pair *pair, int n) {\n    if (n > LIMIT)\n        return 0;\n",
        ),
    ];
    for (name, before, from, to) in rows {
        let after = before.replace(from, to);
        assert_ne!(before, after, "{name}");
        let origin = Repository::new();
        origin.write(name, before);
        origin.commit("Begin");
        origin.write(name, &after);
        let fix = origin.commit("Fix it");
        let shelf = Shelf::new();
        let list = write(&shelf, "list.txt", &format!("{} {fix} CVE-2001-1\n", path(&origin)));
        shelf.corpus(&["add", "known", "--fixes", &list]);
        let n_told = |text: &str| shelf.stale(&copying(&[(&format!("lib/{name}"), text)])).1.len();
        assert_eq!((n_told(before), n_told(&after)), (1, 0), "{name}");
    }
}

#[test]
fn a_plain_list_names_the_repository_the_commit_and_the_ids() {
    let (origin, fix, _) = origin();
    let shelf = Shelf::new();
    let list = write(
        &shelf,
        "fixes.txt",
        &format!("# known\n{} {} CVE-2001-1\n", path(&origin), &fix[..12]),
    );
    shelf.corpus(&["add", "known", "--fixes", &list]);
    let expected =
        [format!("warning known-vulnerability lib/a.c:8 {} CVE-2001-0203 CVE-2001-1", short(&fix))];
    check(&shelf, &[("lib/a.c", READ)], 1, &expected);
    // A second list that names it, too, tells nothing new.
    let list = write(&shelf, "more.txt", &format!("{} {fix}\n", path(&origin)));
    shelf.corpus(&["add", "known", "--fixes", &list]);
    let repository = copying(&[("lib/a.c", READ)]);
    assert_eq!(findings(&shelf.report(&repository, &["check", "--base", "HEAD~1"])), expected);
    check(&shelf, &[("lib/a.c", READ)], 1, &expected);
}

#[test]
fn fixes_that_cannot_be_read_are_noted_and_a_list_that_is_none_is_refused() {
    let (origin, fix, _) = origin();
    let root = origin.git(&["rev-list", "--max-parents=0", "HEAD"]);
    let shelf = Shelf::new();
    let unknown = "0123456789abcdef0123456789abcdef01234567";
    write(&shelf, "osv/1.json", &osv("CVE-1", &[&fix, &root, unknown]));
    write(&shelf, "osv/sub/2.json", "{\"id\": ");
    write(&shelf, "osv/README.md", "no record");
    let folder = shelf.0.path().join("osv");
    let folder = folder.to_str().expect("temporary folders are UTF-8");
    let printed = shelf.corpus(&["add", "known", "--fixes", folder, path(&origin), "--verbose"]);
    for note in [
        format!(
            "{unknown} of https://example.com/archive.git (none of the clones has this commit)"
        ),
        format!("{root} (the commit has no parent here: it shows no fix)"),
        "2.json (it is not an OSV record)".to_owned(),
    ] {
        assert!(printed.contains(&note), "{printed} lacks {note}");
    }
    for (name, text, expected) in [
        ("a.json", "{\"id\": 7}", "it is not an OSV record"),
        ("b.json", "{\"id\": \"CVE-1\"}", "it lists no commit"),
        ("c.txt", "somewhere main\n", "line 1: `main` is not the hash of a commit"),
    ] {
        let list = write(&shelf, name, text);
        let (status, _, errors) = shelf.run(&["add", "other", "--fixes", &list, path(&origin)]);
        assert!(status == 2 && errors.contains(expected), "{errors}");
    }
}

#[test]
fn a_damaged_table_of_commits_is_refused() {
    let (origin, _, _) = origin();
    let shelf = Shelf::of(&origin);
    let file = shelf.0.path().join("known.corpus");
    let file = file.to_str().expect("temporary folders are UTF-8");
    shelf.corpus(&["export", "known", "--output", file]);
    let mut bytes = fs::read(file).expect("it is there");
    let at = bytes
        .windows(13)
        .rposition(|part| part == b"Mask the kind")
        .expect("the corpus keeps subjects");
    bytes[at] ^= 0x40;
    fs::write(file, bytes).expect("the folder is writable");
    let (status, _, errors) = shelf.run(&["import", "other", file]);
    assert!(status == 2 && errors.contains("cannot import"), "{errors}");
}
