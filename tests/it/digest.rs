//! Shows what the digest of the reading depends on: fingerprints of another digest are rebuilt.

#[path = "../../build/digest.rs"]
mod reading;

use std::fs;
use std::path::Path;
use std::process::Command;

use reading::Digest;

fn of_table(toml: &str) -> u64 {
    let mut digest = Digest::new();
    digest.add_table("x", &toml.parse().expect("it is TOML"));
    digest.finish()
}

fn of_code(code: &str) -> u64 {
    let mut digest = Digest::new();
    digest.add_code(code);
    digest.finish()
}

#[test]
fn the_digest_of_a_table_changes_with_its_values_and_not_with_comments_order_or_examples() {
    let table = "name = \"X\"\nextensions = [\"x\"]\n\n[[comments]]\nopen = \"//\"\n";
    let same = [
        "# Of X.\nextensions = ['x'] # all\nname = 'X'\n[[comments]]\nopen = \"//\"\n".to_owned(),
        format!(
            "{table}[[examples]]\nshows = \"a comment\"\nsource = \"a // b\"\ntokens = [\"i:a\"]\n"
        ),
        table.replace('\n', "\r\n"),
    ];
    for same in same {
        assert_eq!(of_table(&same), of_table(table), "{same}");
    }
    let others = [
        table.replace("//", "--"),
        table.replace("[\"x\"]", "[\"x\", \"y\"]"),
        table.replace("[\"x\"]", "\"x\""),
        table.replace("comments", "strings"),
        format!("{table}[[comments]]\nopen = \"#\"\n"),
        format!("{table}nested = true\n"),
    ];
    for other in others {
        assert_ne!(of_table(&other), of_table(table), "{other}");
    }
}

#[test]
fn the_digest_of_code_changes_with_its_tokens_and_not_with_comments_layout_or_tests() {
    let code = "const N: usize = 4;\n\n#[inline]\nfn f(a: u8) -> bool {\n    a == b'#'\n}\n";
    let same = [
        "//! Of f.\n\n/// Its limit.\nconst N: usize = 4; // bytes\n#[inline] /* often */ fn f(a: u8) -> bool { a == b'#' }\n"
            .to_owned(),
        format!("{code}\n#[cfg(test)]\nmod tests {{\n    #[test]\n    fn f() {{}}\n}}\n"),
        code.replace("fn f", "#[cfg(test)]\nuse std::fmt;\n\nfn f"),
        code.replace('\n', "\r\n"),
    ];
    for same in same {
        assert_eq!(of_code(&same), of_code(code), "{same}");
    }
    let others = [
        code.replace('4', "5"),
        code.replace("#[inline]\n", ""),
        code.replace("b'#'", "b'/'"),
        code.replace("==", "!="),
        format!("{code}fn g() {{}}\n"),
        format!("{code}#[cfg(test)]\nmod tests {{}}\nfn g() {{}}\n"),
    ];
    for other in others {
        assert_ne!(of_code(&other), of_code(code), "{other}");
    }
}

#[test]
fn a_checkout_has_our_line_ends_whatever_git_is_set_to() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::TempDir::new().expect("the folder for temporary files is writable");
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .current_dir(folder.path())
            .args(arguments)
            .output()
            .expect("git is installed");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["init", "-q"]);
    fs::copy(root.join(".gitattributes"), folder.path().join(".gitattributes"))
        .expect("the folder is writable");
    fs::write(folder.path().join("x.toml"), "name = \"X\"\n").expect("the folder is writable");
    git(&["add", "."]);
    fs::remove_file(folder.path().join("x.toml")).expect("the folder is writable");
    git(&["-c", "core.autocrlf=true", "-c", "core.eol=crlf", "checkout-index", "--all", "--force"]);
    let checked_out = fs::read(folder.path().join("x.toml")).expect("it is checked out");
    assert_eq!(checked_out, b"name = \"X\"\n");
}
