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
    "\u{0}",
];

fn languages() -> &'static Languages {
    static LANGUAGES: std::sync::OnceLock<Languages> = std::sync::OnceLock::new();
    LANGUAGES.get_or_init(Languages::builtin)
}

fn check(text: &[u8]) {
    let mut tokens: Vec<Token> = Vec::new();
    for id in languages().ids() {
        languages().get(id).expect("every id has a language").lexer.tokenize(text, &mut tokens);
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
fn what_is_never_closed_ends_with_the_text() {
    for piece in PIECES {
        check(piece.repeat(50).as_bytes());
        check(format!("a {piece}").as_bytes());
    }
}
