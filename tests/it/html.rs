//! Shows what the pages of `--format html` promise: what each opens with, where it leads, and that
//! it needs nothing else.

use std::fs;
use std::process::Output;

use roxmltree::{Document, Node, ParsingOptions};
use support::{Repository, git_command};

/// A function of 30 lines, each of which names `name`.
fn function(name: &str) -> String {
    let lines: String = (0..28)
        .map(|n| {
            format!(
                "    if ({name}[{n}] > limit + {n}) total = combine(total, {name}[{n}], {n});\n"
            )
        })
        .collect();
    format!(
        "int sum_of_{name}(int *{name}, int limit)\n{{\n    int total = 0;\n{lines}    return total;\n}}\n"
    )
}

/// Functions of as many lines, which have nothing in common with it.
fn walk() -> String {
    let lines: String = (0..28)
        .map(|n| format!("    while (at->next != NULL && at->size < {n}) {{ at = at->next; }}\n"))
        .collect();
    format!("void walk(struct list *at)\n{{\n{lines}}}\n")
}

fn encode() -> String {
    let lines: String = (0..28)
        .map(|n| format!("    *out++ = (char) (table[(in[{n}] ^ key) & 7] | mask << {n});\n"))
        .collect();
    format!("void encode(char *out, const char *in, int key, int mask)\n{{\n{lines}}}\n")
}

/// Code that is nowhere else.
fn other(name: &str) -> String {
    format!(
        "static struct {name} *open_{name}(const char *path) {{ return lookup(path, sizeof(struct {name})); }}\n"
    )
}

#[track_caller]
fn page(repository: &Repository, args: &[&str]) -> String {
    let Output { stdout, stderr, .. } = repository
        .secondhand(&[args, &["--format", "html"]].concat())
        .output()
        .expect("the program starts");
    let page = String::from_utf8(stdout).expect("a page is UTF-8");
    assert!(!page.is_empty(), "{}", String::from_utf8_lossy(&stderr));
    page
}

#[track_caller]
fn parsed(page: &str) -> Document<'_> {
    Document::parse_with_options(
        page,
        ParsingOptions { allow_dtd: true, ..ParsingOptions::default() },
    )
    .expect("the page is well-formed")
}

fn of_class<'d>(page: &'d Document<'d>, class: &str) -> Vec<Node<'d, 'd>> {
    let has = |node: &Node| {
        node.attribute("class").is_some_and(|of| of.split(' ').any(|one| one == class))
    };
    page.descendants().filter(has).collect()
}

fn text(node: Node<'_, '_>) -> String {
    node.descendants().filter_map(|node| node.text().filter(|_| node.is_text())).collect()
}

fn heading(page: &Document<'_>) -> String {
    page.descendants().find(|node| node.has_tag_name("h1")).map(text).expect("a page has a heading")
}

/// Two files that are copies, one that is not, and a folder that is quiet.
fn tree() -> Repository {
    let repository = Repository::new();
    repository.write("src/first.c", function("rows"));
    repository.write("src/second.c", function("rows"));
    repository.write("quiet/own.c", other("file"));
    repository.commit("all");
    repository
}

#[test]
fn a_scan_opens_with_the_share_the_bars_the_tree_and_the_worst_files() {
    let repository = tree();
    let written = page(&repository, &["scan"]);
    let page = parsed(&written);
    let name = repository.root().file_name().expect("it is a folder").to_string_lossy();
    let heading = heading(&page);
    let opens = heading.starts_with(&format!("{name}: "));
    assert!(opens && heading.ends_with(" % of the source code is duplicated"), "{heading}");
    let titles: Vec<_> =
        page.descendants().filter(|node| node.has_tag_name("h2")).map(text).collect();
    let parts =
        ["By folder", "By language", "The tree by duplication", "Files with most duplicated lines"];
    assert_eq!(titles, [&parts[..], &["Clone classes"]].concat());
    // A cell for each file; those with clones lead to them, and filter the list.
    let tree = of_class(&page, "treemap").remove(0);
    let filters: Vec<_> =
        tree.descendants().filter_map(|node| node.attribute("data-filter")).collect();
    assert_eq!(filters, ["/src/first.c", "/src/second.c"]);
    let titles: Vec<_> =
        tree.descendants().filter(|node| node.has_tag_name("title")).map(text).collect();
    assert!(titles.iter().any(|title| title == "quiet/own.c: 0.0 % of 2 lines"), "{titles:?}");
    let links = page.descendants().filter_map(|node| node.attribute("href"));
    let ids: Vec<_> = page.descendants().filter_map(|node| node.attribute("id")).collect();
    assert!(
        links.clone().all(|link| ids.contains(&&link[1..])),
        "every link leads somewhere on the page"
    );
}

#[test]
fn long_equal_stretches_are_folded_and_no_line_is_lost() {
    let repository = tree();
    let written = page(&repository, &["scan"]);
    let page = parsed(&written);
    let folds = of_class(&page, "fold");
    assert_eq!(folds.len(), 1);
    assert!(text(folds[0]).contains("equal lines"));
    let numbers =
        |nodes: Vec<Node>| nodes.into_iter().filter(|node| node.has_tag_name("i")).count();
    let (all, folded) =
        (numbers(page.descendants().collect()), numbers(folds[0].descendants().collect()));
    assert_eq!(all - folded, 12, "three rows of two sides at each end are in view");
    assert_eq!(all, 2 * function("rows").lines().count());
}

#[test]
fn a_history_has_dates_shares_subjects_and_links_to_the_host_of_the_remote() {
    let repository = Repository::new();
    let commit = |month: u32, message: &str| {
        repository.stage();
        let date = format!("2020-{month:02}-15T12:00:00Z");
        let mut command =
            git_command(repository.root(), &["commit", "--quiet", "--message", message]);
        command.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        assert!(command.status().expect("git is installed").success());
        repository.git(&["rev-parse", "HEAD"])
    };
    repository.write("src/first.c", function("rows"));
    commit(1, "write it");
    repository.write("src/second.c", function("rows"));
    let copied = commit(4, "use it <again>");
    let local = page(&repository, &["history"]);
    assert!(!local.contains("https://"), "no host is known");
    repository.git(&["remote", "add", "origin", "git@github.com:example/project.git"]);
    let written = page(&repository, &["history"]);
    let page = parsed(&written);
    assert!(heading(&page).ends_with(" % of the new source was copied"));
    let charts = of_class(&page, "chart");
    assert_eq!(charts.len(), 2);
    let titles: Vec<_> =
        charts[0].descendants().filter(|node| node.has_tag_name("title")).map(text).collect();
    assert!(titles.len() == 1 && titles[0].starts_with("2020-04: 100.0 %"), "{titles:?}");
    assert!(
        text(charts[0]).contains("2020-02") && text(charts[0]).contains("100 %"),
        "{}",
        text(charts[0])
    );
    assert!(text(page.root_element()).contains("use it <again>"));
    let links: Vec<_> = page.descendants().filter_map(|node| node.attribute("href")).collect();
    let address = format!("https://github.com/example/project/commit/{copied}");
    assert_eq!(
        links.iter().filter(|link| !link.starts_with('#')).collect::<Vec<_>>(),
        [&&*address, &&*address]
    );
}

#[test]
fn an_audit_begins_with_what_needs_a_decision_the_gravest_first() {
    let repository = Repository::new();
    let corpus = tempfile::tempdir().expect("there is room");
    let components = [
        ("free", "MIT", function("rows")),
        ("strict", "GPL-3.0-only", walk()),
        ("bare", "", encode()),
    ];
    for (component, license, code) in components {
        let folder = corpus.path().join(component);
        fs::create_dir_all(&folder).expect("it can be made");
        let head = if license.is_empty() {
            String::new()
        } else {
            format!("// SPDX-License-Identifier: {license}\n")
        };
        fs::write(folder.join("sum.c"), head + &code).expect("it can be written");
        repository.write(format!("src/{component}.c"), code);
    }
    repository.write("secondhand.toml", "[license]\ndeny = [\"GPL-3.0-only\"]\n");
    repository.commit("all");
    let corpus = corpus.path().to_str().expect("it is text");
    let written = page(&repository, &["audit", "--corpus", corpus, "--fail-on", "never"]);
    let page = parsed(&written);
    assert!(
        heading(&page).ends_with(" % of the code is from known projects"),
        "{}",
        heading(&page)
    );
    let titles: Vec<_> =
        page.descendants().filter(|node| node.has_tag_name("h2")).map(text).collect();
    assert_eq!(titles, ["To do", "By license class", "Components", "Files", "Copies"]);
    let panel = of_class(&page, "panel").remove(0);
    let rows = panel.descendants().filter(|node| node.has_tag_name("tr")).skip(1);
    let firsts: Vec<_> = rows.map(|row| text(row.first_element_child().expect("a cell"))).collect();
    assert_eq!(
        firsts[..2],
        ["remove it, or agree on an exception", "find its license"],
        "{firsts:?}"
    );
    assert!(written.contains("data-filter=\"strict\""), "a component filters the list");
}

#[test]
fn hostile_names_are_text_in_every_part_of_a_page() {
    let repository = Repository::new();
    for n in 0..2 {
        repository.write(format!("<img src=x>&\"'/a\"<script>{n}.c"), function("rows"));
    }
    repository.commit("<script>alert(1)</script>");
    repository.git(&["remote", "add", "origin", "https://github.com/a/b\"><script>"]);
    for command in ["scan", "history"] {
        let written = page(&repository, &[command]);
        let page = parsed(&written);
        let n_of = |name: &str| page.descendants().filter(|node| node.has_tag_name(name)).count();
        assert_eq!((n_of("script"), n_of("img")), (1, 0), "{command}");
        let is_safe = |name: &str| !name.starts_with("on") && name != "style" && name != "src";
        assert!(
            page.descendants().flat_map(|node| node.attributes()).all(|of| is_safe(of.name())),
            "{command}"
        );
    }
}
