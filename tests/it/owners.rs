//! Shows what findings say of those who own copy and origin.

use crate::samples::{LANGUAGES, Language};
use serde_json::json;
use support::Repository;

const C: &Language = &LANGUAGES[0];

/// Two teams, and copies of the code of one by both. The last line that matches a file counts.
fn tree() -> Repository {
    let repository = Repository::new();
    let owners = "* @all\n/shop/ @others\n/billing/ @billing\n/shop/ @shop\n/free/\n";
    repository.write(".github/CODEOWNERS", owners);
    repository.write("billing/first.c", C.file("first", &[C.first]).text);
    repository.write("billing/second.c", C.file("second", &[C.second]).text);
    repository.commit("all");
    repository.write("shop/copy.c", C.file("copy", &[C.first]).text);
    repository.write("billing/again.c", C.file("again", &[C.second]).text);
    repository.write("free/again.c", C.file("again", &[C.second]).text);
    repository
}

fn printed(repository: &Repository, args: &[&str]) -> String {
    let args = [&["check", "--worktree", "--fail-on", "never"], args].concat();
    let output = repository.secondhand(&args).output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_finding_names_the_owners_and_marks_a_border_if_it_is_asked_to() {
    let repository = tree();
    let text = printed(&repository, &[]);
    assert!(text.contains("= owned by @shop, its origin by @billing\n"), "{text}");
    assert!(text.contains("= owned by @billing\n"), "{text}");
    assert!(!text.contains("border"), "{text}");
    let marked = printed(&repository, &["--set", "owner-borders=true"]);
    let border = "= owned by @shop, its origin by @billing: the copy crosses an ownership border\n";
    assert_eq!(
        (marked.matches(border).count(), marked.matches("border").count()),
        (1, 1),
        "{marked}"
    );
    // JSON says what is, whatever is marked.
    let report = repository.check(&["--worktree"]);
    let of = |path: &str| {
        let finding = report
            .list("/findings")
            .iter()
            .find(|finding| finding["path"] == path)
            .expect("it is found");
        json!([finding["owners"], finding["originOwners"], finding["crossesOwners"]])
    };
    assert_eq!(of("shop/copy.c"), json!([["@shop"], ["@billing"], true]));
    assert_eq!(of("billing/again.c"), json!([["@billing"], ["@billing"], false]));
    assert_eq!(of("free/again.c")[0], json!([]));
}

#[test]
fn findings_are_grouped_by_owner_or_folder() {
    let repository = tree();
    let heads = |args: &[&str]| -> Vec<String> {
        let text = printed(&repository, &[&["--format", "concise"], args].concat());
        text.lines().filter(|line| line.ends_with(':')).map(str::to_owned).collect()
    };
    assert_eq!(heads(&["--group-by", "owner"]), ["@billing:", "@shop:", "nobody:"]);
    assert_eq!(heads(&["--group-by", "folder"]), ["billing:", "free:", "shop:"]);
    assert_eq!(heads(&[]), [""; 0]);
}
