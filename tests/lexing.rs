//! Holds the lexer to its promise: on any bytes, in any language, tokens ascend and nothing panics.

use proptest::prelude::*;
use secondhand::language::{Languages, Token};

/// Pieces that open, close and escape things in some language, and some that are not UTF-8.
const PIECES: &[&str] = &[
    "\"",
    "'",
    "`",
    "\\",
    "\n",
    "\r\n",
    "/*",
    "*/",
    "//",
    "#",
    "--",
    "(*",
    "*)",
    "{-",
    "-}",
    "<!--",
    "-->",
    "\"\"\"",
    "'''",
    "r#\"",
    "\"#",
    "R\"x(",
    ")x\"",
    "${",
    "}",
    "{",
    "#{",
    "<<EOF\n",
    "EOF\n",
    "<<-'A'\n",
    "\tA\n",
    "=begin\n",
    "=end\n",
    "[[",
    "]]",
    "--[==[",
    "]==]",
    "$$",
    "$a$",
    "%q(",
    ")",
    "/",
    "[",
    "a",
    "if ",
    "import a;\n",
    "0x1F",
    "1.5e-3",
    " ",
    "\t",
    "\u{FEFF}",
    "é",
    "<script>",
    "<script lang=ts>",
    "</script>",
    "<?php ",
    "?>",
    "<%=",
    "%>",
    "{{",
    "}}",
    "{%",
    "%}",
    "```c\n",
    "```\n",
    "---\n",
    ".. code:: c\n\n ",
    "{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"a\\n\\\"\u{E9}\"]}],\"metadata\":{\"language_info\":{\"name\":\"c\"}}}",
    "\u{0}",
];

fn languages() -> &'static Languages {
    static LANGUAGES: std::sync::OnceLock<Languages> = std::sync::OnceLock::new();
    LANGUAGES.get_or_init(Languages::builtin)
}

fn check(text: &[u8]) {
    let mut tokens: Vec<Token> = Vec::new();
    for id in languages().ids() {
        let language = languages().get(id).expect("every id has a language");
        let embedded = languages().tokenize(language, text, true, &mut tokens);
        for part in embedded {
            assert!(
                part.range.start < part.range.end && part.range.end <= text.len(),
                "{id}: a region lies in {text:?}"
            );
        }
        let mut end = 0;
        for token in &tokens {
            assert!(token.start >= end && token.end > token.start, "{id}: tokens overlap or are empty in {text:?}");
            end = token.end;
        }
        assert!(end as usize <= text.len(), "{id}: a token ends after the text {text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_mixture_of_openers_is_lexed(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        check(pieces.concat().as_bytes());
    }

    #[test]
    fn any_bytes_are_lexed(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes);
    }
}

#[test]
fn lines_of_a_megabyte_are_lexed() {
    for piece in ["a", "\"", "\\", "{", "<", "é ", "/"] {
        let text = piece.repeat(1 << 20);
        let mut tokens = Vec::new();
        for id in ["c", "python", "rust", "javascript", "ruby", "shell", "perl", "html", "markdown", "php", "erb"] {
            let language = languages().get(id).expect("it is built in");
            languages().tokenize(language, text.as_bytes(), true, &mut tokens);
            assert!(tokens.iter().all(|token| token.end as usize <= text.len()));
        }
    }
}

#[test]
fn what_is_never_closed_ends_with_the_text() {
    for piece in PIECES {
        check(piece.repeat(50).as_bytes());
        check(format!("a {piece}").as_bytes());
    }
}
