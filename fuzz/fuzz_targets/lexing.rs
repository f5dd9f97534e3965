//! Feeds any bytes to any language: the tokens ascend and lie inside the text.
//!
//! `.ci/fuzz 60 lexing`. The first two bytes choose the language.

#![no_main]

use libfuzzer_sys::fuzz_target;
use secondhand::language::Languages;

fuzz_target!(|bytes: &[u8]| {
    let [first, second, text @ ..] = bytes else { return };
    let languages = Languages::builtin();
    let ids = languages.ids();
    let id = ids[usize::from(u16::from_le_bytes([*first, *second])) % ids.len()];
    let language = languages.get(id).expect("each id has a language");
    let mut tokens = Vec::new();
    let embedded = languages.tokenize(language, text, true, &mut tokens);
    let mut end = 0;
    for token in &tokens {
        assert!(token.start >= end && token.end > token.start && token.end as usize <= text.len());
        end = token.end;
    }
    assert!(
        embedded
            .iter()
            .all(|part| part.range.start < part.range.end && part.range.end <= text.len())
    );
});
