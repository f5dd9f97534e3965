//! Keeps the documentation true: its links and paths lead somewhere, every page is in the book
//! under its own title, and what the tutorial and the README show is what happens.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file of `folder` with this extension, and of the folders below it, from the root of the
/// project on.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join(folder)).expect("the folder is there") {
        let entry = entry.expect("the folder stays readable");
        let path = Path::new(folder).join(entry.file_name());
        if entry.path().is_dir() {
            found.extend(files(path.to_str().expect("our names are UTF-8"), extension));
        } else if path.extension().is_some_and(|of_path| of_path == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The pages of the book, and those at the root.
fn pages() -> Vec<PathBuf> {
    let of_root =
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"].map(PathBuf::from);
    files("docs", "md").into_iter().chain(of_root).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// The lines of a page that are not in a block of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// Where the links and pictures of a page lead.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    for line in prose(text) {
        for (at, _) in line.match_indices("](") {
            let target = &line[at + 2..];
            if let Some(end) = target.find(')') {
                links.push(target[..end].to_owned());
            }
        }
    }
    links
}

/// The names that a page's headings have in links.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text)
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim());
    let anchor = |heading: &str| {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    headings.map(anchor).collect()
}

/// `path` without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                assert!(plain.pop(), "{} leads out of the project", path.display());
            }
            part => plain.push(part),
        }
    }
    plain
}

#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = read(&page);
        for link in links(&text).into_iter().filter(|link| !link.contains("://")) {
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() {
                page.clone()
            } else {
                plain(&page.with_file_name("").join(path))
            };
            let is_there = root().join(&target).exists();
            if !is_there || !(anchor.is_empty() || anchors(&read(&target)).contains(anchor)) {
                broken.push(format!("{}: {link}", page.display()));
            }
            if page.starts_with("docs") && !target.starts_with("docs") {
                broken.push(format!("{}: {link} is not in the book", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "these links lead nowhere: {broken:#?}");
}

/// `src/text/` names what is there from the root on, `class.rs` any file of that name,
/// `tests/it/trust.rs::a_test` a test, and `config/languages/<name>.toml` a folder.
#[test]
fn every_path_that_a_page_names_is_there() {
    let code: Vec<_> =
        ["src", "tests", "tools"].iter().flat_map(|folder| files(folder, "rs")).collect();
    let mut missing = Vec::new();
    for page in pages() {
        let text = prose(&read(&page)).collect::<Vec<_>>().join("\n");
        let names =
            text.split('`').skip(1).step_by(2).filter_map(|span| span.split_whitespace().next());
        missing.extend(
            names
                .filter(|name| !is_there(name, &code))
                .map(|name| format!("{}: {name}", page.display())),
        );
    }
    assert!(missing.is_empty(), "these paths and tests are not there: {missing:#?}");
}

/// Whether `name` is no path of ours, or that of something that is there.
fn is_there(name: &str, code: &[PathBuf]) -> bool {
    const FOLDERS: [&str; 10] = [
        "src/", "tests/", "docs/", "config/", "tools/", "templates/", "spark/", "fuzz/",
        "benches/", ".ci/",
    ];
    let (path, test) = name.split_once("::").unwrap_or((name, ""));
    let is_from_root = FOLDERS.iter().any(|folder| path.starts_with(folder));
    let folder =
        path.find(['<', '*']).and_then(|at| path[..at].rsplit_once('/')).map(|(folder, _)| folder);
    match folder {
        Some(folder) => !is_from_root || root().join(folder).is_dir(),
        None if is_from_root && test.is_empty() => root().join(path).exists(),
        None if path.ends_with(".rs") => {
            let file = code.iter().find(|file| file.ends_with(path));
            file.is_some_and(|file| test.is_empty() || read(file).contains(&format!("fn {test}(")))
        }
        None => true,
    }
}

/// What decides whom to believe has a test, and a line that names it.
#[test]
fn security_lists_every_method_of_the_authority() {
    let page = read(Path::new("docs/security.md"));
    for file in ["src/change/trust.rs", "src/change/corpus_folder.rs"] {
        let code = read(Path::new(file));
        let blocks = code
            .split("\nimpl")
            .filter(|block| block.lines().next().is_some_and(|of| of.contains("Authority")));
        let methods = blocks.flat_map(|block| block.split("\n    pub fn ").skip(1));
        let methods: Vec<&str> = methods.filter_map(|method| method.split('(').next()).collect();
        assert!(!methods.is_empty(), "{file}");
        for method in methods {
            assert!(
                page.contains(&format!("\n| `{method}` |")),
                "`{method}` of {file} is not in `docs/security.md`"
            );
        }
    }
}

#[test]
fn every_page_is_in_the_book() {
    let summary: BTreeSet<_> =
        links(&read(Path::new("docs/SUMMARY.md"))).into_iter().map(PathBuf::from).collect();
    let pages: BTreeSet<_> = files("docs", "md")
        .iter()
        .filter_map(|page| Some(page.strip_prefix("docs").ok()?.to_owned()))
        .collect();
    let missing: Vec<_> =
        pages.difference(&summary).filter(|page| *page != Path::new("SUMMARY.md")).collect();
    assert!(missing.is_empty(), "not in docs/SUMMARY.md: {missing:?}");
}

/// The book and its pages call a page the same.
#[test]
fn titles_in_the_book_are_those_of_the_pages() {
    let summary = read(Path::new("docs/SUMMARY.md"));
    let entries = prose(&summary)
        .filter_map(|line| line.split_once('[')?.1.strip_suffix(')')?.split_once("]("));
    let other = |&(title, page): &(&str, &str)| {
        !read(&Path::new("docs").join(page)).starts_with(&format!("# {title}\n"))
    };
    let others: Vec<_> = entries.filter(other).collect();
    assert!(others.is_empty(), "these pages have another title: {others:#?}");
}

#[test]
fn the_actions_inputs_and_outputs_are_documented() {
    let action = read(Path::new("action.yml"));
    let page = read(Path::new("docs/how-to/github-action.md"));
    let names = inputs(&action)
        .union(&listed(&action, "\noutputs:\n", "\nruns:\n"))
        .cloned()
        .collect::<Vec<_>>();
    assert!(names.len() > 15, "{names:?}");
    let missing: Vec<_> =
        names.iter().filter(|name| !page.contains(&format!("\n| `{name}` |"))).collect();
    assert!(missing.is_empty(), "not in docs/how-to/github-action.md: {missing:?}");
}

fn inputs(action: &str) -> BTreeSet<String> {
    listed(action, "\ninputs:\n", "\noutputs:\n")
}

/// The names that a part of an action lists.
fn listed(action: &str, from: &str, to: &str) -> BTreeSet<String> {
    let part = action
        .split(from)
        .nth(1)
        .and_then(|rest| rest.split(to).next())
        .expect("the action has this part");
    let names = part.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.map(|line| line.trim().trim_end_matches(':').to_owned()).collect()
}

/// A command of a session, and what it is said to print.
#[derive(Debug, Default)]
struct Step {
    command: String,
    expected: Vec<String>,
}

/// The steps of all `console` blocks of a page: `$ ` begins a command, `> ` continues it.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut is_console = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_console = line == "```console";
        } else if !is_console {
        } else if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step { command: command.to_owned(), ..Step::default() });
        } else {
            let step = steps.last_mut().expect("a block begins with a command");
            match line.strip_prefix('>') {
                Some(more) if step.expected.is_empty() => {
                    step.command.push('\n');
                    step.command.push_str(more.strip_prefix(' ').unwrap_or(more));
                }
                _ => step.expected.push(line.to_owned()),
            }
        }
    }
    steps
}

/// Whether `line` is `expected`, in which `...` stands for anything.
fn is_like(line: &str, expected: &str) -> bool {
    let mut parts = expected.split("...");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let mut is_open = false;
    for part in parts {
        is_open = part.is_empty();
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.is_empty() || is_open
}

/// Whether the lines are as expected; a line `...` stands for any number of them.
fn are_like(lines: &[&str], expected: &[String]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((first, more)) if first == "..." => {
            (0..=lines.len()).any(|n| are_like(&lines[n..], more))
        }
        Some((first, more)) => lines
            .split_first()
            .is_some_and(|(line, lines)| is_like(line, first) && are_like(lines, more)),
    }
}

#[test]
fn the_tutorial_and_the_readme_show_what_happens() {
    const MARK: &str = "=====";
    let steps = steps(&read(Path::new("docs/tutorial.md")));
    assert!(steps.len() > 10, "the tutorial has commands");
    let script: String =
        steps.iter().map(|step| format!("{}\necho {MARK}\n", step.command)).collect();
    let folder = tempfile::TempDir::new().expect("the folder for temporary files is writable");
    let program = Path::new(env!("CARGO_BIN_EXE_secondhand")).parent().expect("it is in a folder");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    // As `repository` runs the program: without what the machine's variables would say.
    let mut command: Command = support::secondhand(folder.path(), &[]);
    let variables: Vec<_> = command
        .get_envs()
        .map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned)))
        .collect();
    command = Command::new("bash");
    for (name, value) in variables {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let script = format!("exec 2>&1\n{script}");
    let output =
        command.args(["-c", &script]).current_dir(folder.path()).env("PATH", path).output();
    let output = String::from_utf8(output.expect("there is a bash").stdout).expect("it is UTF-8");
    let mark = format!("{MARK}\n");
    let mut printed = output.split(&mark).map(|text| text.lines().collect::<Vec<_>>());
    let mut example = self::steps(&read(Path::new("README.md"))).pop();
    for step in &steps {
        let lines = printed.next().unwrap_or_default();
        assert_prints(step, &lines);
        if let Some(example) = example.take_if(|example| example.command == step.command) {
            assert_prints(&example, &lines);
        }
    }
    assert!(example.is_none(), "the README's example is no command of the tutorial");
}

#[track_caller]
fn assert_prints(step: &Step, lines: &[&str]) {
    let (printed, expected) = (lines.join("\n"), step.expected.join("\n"));
    assert!(
        are_like(lines, &step.expected),
        "$ {}\nprinted:\n{printed}\na page says:\n{expected}",
        step.command
    );
}

/// Longer lines make diffs unreadable. Code, tables and links cannot be wrapped, nor can pages that
/// are generated.
#[test]
fn prose_is_wrapped_at_120_columns() {
    const GENERATED: [&str; 5] = [
        "docs/rules.md",
        "docs/command-line.md",
        "docs/configuration.md",
        "docs/reports.md",
        "docs/language-tables.md",
    ];
    let mut long = Vec::new();
    for page in pages() {
        if GENERATED.iter().any(|generated| page == Path::new(generated)) {
            continue;
        }
        let text = fs::read_to_string(root().join(&page)).expect("a page is UTF-8");
        let mut is_code = false;
        for (number, line) in text.lines().enumerate() {
            is_code ^= line.trim_start().starts_with("```");
            let is_whole =
                is_code || line.starts_with('|') || line.contains("](") || line.contains("http");
            if !is_whole && line.chars().count() > 120 {
                long.push(format!("{}:{}", page.display(), number + 1));
            }
        }
    }
    assert!(long.is_empty(), "wrap these lines: {long:#?}");
}

/// A bar in a cell begins another one, also in backticks, and a line break ends the row.
#[test]
fn every_row_of_a_table_has_the_cells_of_its_head() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = read(&page);
        let mut n_of_head = None;
        for line in prose(&text) {
            let n_bars = line.matches('|').count() - line.matches("\\|").count();
            let is_row = line.starts_with('|');
            if is_row && (n_bars != *n_of_head.get_or_insert(n_bars) || !line.ends_with('|')) {
                broken.push(format!("{}: {line}", page.display()));
            }
            n_of_head = n_of_head.filter(|_| is_row);
        }
    }
    assert!(broken.is_empty(), "these rows have other cells than their head: {broken:#?}");
}

/// A workflow that pins the action to a commit passes inputs that this page lists. A shallow clone
/// does not have the commit, and looks at nothing.
#[test]
fn the_pinned_action_has_every_input_that_is_documented() {
    let pins: BTreeSet<String> =
        ["README.md", "docs/how-to/github-action.md", "config/templates/workflow.yml"]
            .iter()
            .flat_map(|file| pins(&read(Path::new(file))))
            .collect();
    assert_eq!(pins.len(), 1, "one commit is pinned everywhere: {pins:?}");
    for pin in pins {
        let shown = Command::new("git")
            .args(["show", &format!("{pin}:action.yml")])
            .current_dir(root())
            .output();
        let Some(shown) = shown.ok().filter(|shown| shown.status.success()) else { continue };
        let pinned = inputs(&String::from_utf8_lossy(&shown.stdout));
        let missing: Vec<_> =
            inputs(&read(Path::new("action.yml"))).difference(&pinned).cloned().collect();
        assert!(missing.is_empty(), "{pin}, which the pages pin, lacks these inputs: {missing:?}");
    }
}

/// The commits that the text pins the action to.
fn pins(text: &str) -> Vec<String> {
    let uses = text.split("secondhand-audit/secondhand@").skip(1);
    let commits =
        uses.map(|rest| rest.chars().take_while(char::is_ascii_hexdigit).collect::<String>());
    commits.filter(|commit| commit.len() == 40).collect()
}

/// The words of a command in a shell, up to what is not part of it: a comment, a pipe, a
/// redirection, a further command. Variables that may be several words are left out.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut depth, mut quote) = (Vec::new(), None::<String>, 0, None);
    let is_one = |word: &String| !word.starts_with('$') || word.contains('/');
    let end = |word: &mut Option<String>, words: &mut Vec<String>| {
        words.extend(word.take().filter(is_one));
    };
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (_, ')') if depth > 0 => depth -= 1,
            (_, '(') if depth > 0 => depth += 1,
            _ if depth > 0 => {}
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                // A variable in quotes is one word.
                word.get_or_insert_default()
                    .extend((characters.peek() == Some(&'$')).then_some('x'));
            }
            (_, '$') if characters.peek() == Some(&'(') => {
                depth += 1;
                characters.next();
                word.get_or_insert_default().push('x');
            }
            (None, ' ') => end(&mut word, &mut words),
            (None, '#') if word.is_none() => break,
            (None, '|' | '>' | ';' | '&' | '<') => break,
            _ => word.get_or_insert_default().push(character),
        }
    }
    end(&mut word, &mut words);
    words
}

/// The commands of ours in the blocks of code of a page, with the lines they begin on.
fn commands(text: &str) -> Vec<(usize, Vec<String>)> {
    // Whether the lines are those of a shell; `None` outside of blocks.
    let (mut found, mut block, mut lines) = (Vec::new(), None, text.lines().enumerate());
    while let Some((number, line)) = lines.next() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            block = if block.is_some() {
                None
            } else {
                Some(["sh", "console", "bash", "yaml", ""].contains(&language))
            };
            continue;
        }
        let line = line.trim().trim_start_matches("$ ").trim_start_matches("- run: ");
        if block != Some(true) || !line.starts_with("secondhand ") || line.contains("...") {
            continue;
        }
        let mut whole = line.to_owned();
        while whole.ends_with('\\') {
            whole.pop();
            whole += lines.next().map_or("", |(_, line)| line.trim());
        }
        // What a workflow fills in is one word.
        while let Some((start, end)) =
            whole.find("${{").and_then(|at| Some((at, at + whole[at..].find("}}")? + 2)))
        {
            whole.replace_range(start..end, "x");
        }
        found.push((number + 1, words(&whole)));
    }
    found
}

#[test]
fn every_command_that_a_page_shows_is_one() {
    let program = secondhand::cli::command();
    let mut n_commands = 0;
    for page in pages() {
        for (line, words) in commands(&read(&page)) {
            // What commands print begins with the name of the program, too.
            let is_command =
                program.find_subcommand(words.get(1).map_or("", String::as_str)).is_some();
            if !is_command && !words.get(1).is_some_and(|word| word.starts_with('-')) {
                continue;
            }
            n_commands += 1;
            if let Err(why) = program.clone().try_get_matches_from(&words) {
                let is_help = ["--help", "-h", "--version", "-V"]
                    .iter()
                    .any(|flag| words.iter().any(|word| word == flag));
                assert!(is_help, "{}:{line}: {words:?}: {why}", page.display());
            }
        }
    }
    assert!(n_commands > 60, "{n_commands} commands found");
}

/// What pages say in numbers that the code fixes: the page, its words, the file, and the code that
/// says the same.
const FIXED: [(&str, &str, &str, &str); 40] = [
    (
        "semantics.md",
        "from 20 tokens and 300 bytes on",
        "audit/search/queries.rs",
        "WHOLE_BYTES: usize = 300;",
    ),
    (
        "corpora.md",
        "from 20 tokens and 300 bytes on",
        "audit/search/queries.rs",
        "WHOLE_TOKENS: usize = 20;",
    ),
    (
        "semantics.md",
        "Up to 8 tokens of a statement",
        "matching/statements.rs",
        "MAX_PARTIAL: usize = 8;",
    ),
    (
        "semantics.md",
        "and 24 of the next function's head",
        "matching/alignments.rs",
        "MAX_OF_NEIGHBOR: usize = 24;",
    ),
    ("semantics.md", "covers the 64 files", "audit/search/past.rs", "MAX_FILES: usize = 64;"),
    (
        "semantics.md",
        "in up to 32 of their last versions",
        "audit/search/past.rs",
        "MAX_VERSIONS: usize = 32;",
    ),
    (
        "semantics.md",
        "more than 100 tokens",
        "audit/read/source.rs",
        "MINIFIED_TOKENS: usize = 100;",
    ),
    (
        "semantics.md",
        "more than 4,000 bytes",
        "audit/read/source.rs",
        "MINIFIED_SIZE: usize = 4_000;",
    ),
    (
        "semantics.md",
        "average more than 400 bytes",
        "audit/read/source.rs",
        "MINIFIED_LINE: usize = 400;",
    ),
    ("semantics.md", "is eight or more equal tokens", "matching/pair.rs", "SOLID_RUN: u32 = 8;"),
    (
        "semantics.md",
        "| 75 % lies in solid runs",
        "matching/pair.rs",
        "RENAMED_SOLIDITY: f64 = 0.75;",
    ),
    ("semantics.md", "| 95 % is aligned", "matching/pair.rs", "RESHAPED_CONTAINMENT: f64 = 0.95;"),
    (
        "explanation/worth.md",
        "at most 5 of the 30 nearest files",
        "audit/judge/nearby.rs",
        "MAX_FILES: usize = 30;",
    ),
    (
        "explanation/worth.md",
        "the copy ends where a block ends | 1.4 times",
        "matching/worth.rs",
        "WHOLE_BLOCK_WORTH: f64 = 1.4;",
    ),
    (
        "explanation/worth.md",
        "not on its outermost level | 0.6 times",
        "matching/worth.rs",
        "UNEVEN_WORTH: f64 = 0.6;",
    ),
    (
        "explanation/worth.md",
        "lines of twelve bytes and more",
        "matching/worth.rs",
        "MIN_LINE: usize = 12;",
    ),
    (
        "explanation/worth.md",
        "at most one a statement | 3 each",
        "matching/worth.rs",
        "EQUAL_LINE_WORTH: f64 = 3.0;",
    ),
    (
        "how-to/agents.md",
        "`max_tokens` (600 by default",
        "cli/servers/mcp/answer.rs",
        "DEFAULT_TOKENS: usize = 600;",
    ),
    ("how-to/agents.md", "the 16 files that have most", "audit/find.rs", "MAX_FILES: usize = 16;"),
    (
        "how-to/editors.md",
        "(150 by default)",
        "cli/servers/lsp/mod.rs",
        "Duration::from_millis(150)",
    ),
    ("how-to/fixes.md", "the last 16 versions", "audit/versions.rs", "MAX_VERSIONS: usize = 16;"),
    (
        "how-to/fixes.md",
        "ends after 1,000 commits",
        "audit/versions.rs",
        "MAX_COMMITS: usize = 1_000;",
    ),
    ("corpora.md", "more than two million entries", "sources/limits.rs", "max_entries: 2_000_000"),
    ("corpora.md", "more than 64 GiB", "sources/limits.rs", "max_total: 64 << 30"),
    ("corpora.md", "more than 200 times its size", "sources/limits.rs", "max_ratio: 200"),
    ("security.md", "| fixed | 4,096, as in git |", "git/tree.rs", "MAX_DEPTH: usize = 4096;"),
    (
        "security.md",
        "| fixed | 1,000, or 16 MB of them |",
        "audit/search/lookup.rs",
        "SAME_BYTES: u64 = 16 << 20;",
    ),
    (
        "how-to/compare.md",
        "at least half of one is in the other",
        "audit/compare/clusters.rs",
        "CLUSTERED: f64 = 0.5;",
    ),
    (
        "how-to/license-audit.md",
        "has less than 30 tokens and",
        "audit/inventory.rs",
        "MIN_PART: usize = 30;",
    ),
    (
        "how-to/license-audit.md",
        "Idioms, shorter than 100 tokens",
        "audit/judge/circumstances.rs",
        "SHORT: usize = 100;",
    ),
    (
        "how-to/license-audit.md",
        "an eighth of the lines differ",
        "audit/stale/fit.rs",
        "FAR_LESS: usize = 8;",
    ),
    (
        "how-to/license-audit.md",
        "within two percent of similarity",
        "policy/judgment.rs",
        "AS_ALIKE: f64 = 0.02;",
    ),
    ("semantics.md", "similarity, within 15 percent", "policy/origin.rs", "AS_GOOD: f64 = 0.15;"),
    (
        "semantics.md",
        "one of the 32 commits before the base",
        "audit/reverts.rs",
        "NEAR: usize = 32;",
    ),
    ("rules.md", "more than eight places", "audit/siblings/hunks.rs", "MAX_PLACES: usize = 8;"),
    (
        "explanation/worth.md",
        "warns from 60 new tokens",
        "policy/rules/edited_alike.rs",
        "LARGE: usize = 60;",
    ),
    (
        "formats.md",
        "number of sections, at most 64",
        "store/segment.rs",
        "MAX_SECTIONS: usize = 64;",
    ),
    (
        "formats.md",
        "Beyond 1 GB the oldest go",
        "store/cache.rs",
        "MAX_BYTES: u64 = 1024 * 1024 * 1024;",
    ),
    ("security.md", "| fixed | 50,000, 100 |", "config/paths.rs", "MAX_RULES: usize = 50_000;"),
    ("security.md", "| fixed | 4 MB, 64 MB |", "text/mod.rs", "MAX_MADE: u64 = 64 << 20;"),
];

#[test]
fn numbers_in_pages_are_those_of_the_code() {
    for (page, words, file, code) in FIXED {
        let text =
            read(&Path::new("docs").join(page)).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(words), "docs/{page} no longer says `{words}`: is it so?");
        assert!(
            read(&Path::new("src").join(file)).contains(code),
            "docs/{page} says `{words}`, src/{file} no longer `{code}`"
        );
    }
}

/// `` `min-worth` (24) `` and `` `min-tokens` (40 by default) `` say what is in the list of all
/// options.
#[test]
fn defaults_in_pages_are_those_of_the_options() {
    let options = read(Path::new("docs/configuration.md"));
    let mut n_defaults = 0;
    for page in pages().into_iter().filter(|page| page != Path::new("docs/configuration.md")) {
        let text = read(&page).replace('\n', " ");
        for (at, _) in text.match_indices("` (") {
            let (before, behind) = (&text[..at], &text[at + 3..]);
            let name = before.rsplit('`').next().unwrap_or_default();
            let value: String =
                behind.chars().take_while(|c| c.is_ascii_digit() || *c == ',').collect();
            let Some(default) = options.split(&format!("\n- `{name}` (`")).nth(1) else { continue };
            let value = value.trim_end_matches(',').replace(',', "");
            let is_default = behind[value.len().min(behind.len())..].starts_with([')', ' ', ',']);
            if !value.is_empty() && is_default {
                n_defaults += 1;
                assert!(
                    default.starts_with(&format!("{value}`")),
                    "{}: `{name}` ({value})",
                    page.display()
                );
            }
        }
    }
    assert!(n_defaults >= 8, "{n_defaults} defaults found");
}

/// A table of figures is below, or above, the day on which and the command with which they were
/// measured.
#[test]
fn figures_have_a_day_and_a_command() {
    const MEASURED: [&str; 4] = [
        "docs/measurements/accuracy.md",
        "docs/measurements/performance.md",
        "docs/measurements/fixes.md",
        "docs/papers.md",
    ];
    for page in MEASURED {
        let text = read(Path::new(page));
        let (head, _) = text.split_once("\n## ").expect("a page has sections");
        for section in text.split("\n## ").skip(1) {
            let is_figures =
                section.lines().any(|line| line.starts_with("|---") && line.contains("--:"));
            let has_day = section.contains("2026") || head.contains("2026");
            let has_command = section.contains("```") || section.contains('`');
            let title = section.lines().next().unwrap_or_default();
            assert!(!is_figures || has_day && has_command, "{page}, {title}: no day or no command");
        }
    }
}

/// The repository has several programs: cargo wants to be told which.
#[test]
fn a_program_of_a_repository_is_installed_by_its_name() {
    let installs = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.contains("cargo install") && line.contains("--git"))
            .map(str::to_owned)
            .collect()
    };
    let lines: Vec<String> = pages().iter().flat_map(|page| installs(&read(page))).collect();
    assert!(!lines.is_empty());
    assert!(lines.iter().all(|line| line.ends_with(" secondhand")), "{lines:?}");
}
