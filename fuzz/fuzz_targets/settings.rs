//! Feeds any text to the reader of settings, language tables among them: it is read or refused, and
//! never panics.
//!
//! `.ci/fuzz 60 settings`. What is read is completed, and a source
//! is lexed by each table it defines.

#![no_main]

use libfuzzer_sys::fuzz_target;
use secondhand::config::{Config, RawConfig};

/// Lexed by each table that a text defines: openers of many languages.
const SOURCE: &[u8] = b"if (a[1] < 'b') { return \"c\\\"d\"; } // e\n/* f\n <<EOF\n g\nEOF\n `${h}` #{i} r#\"j\"# {{k}} --[[l]] \\\n";

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(raw) = RawConfig::parse(text, "secondhand.toml") else { return };
    let ids: Vec<String> = raw.language.keys().cloned().collect();
    let Ok(config) = Config::new(raw, "secondhand.toml") else { return };
    let languages = config.languages();
    for id in ids {
        let language = languages.get(&id).expect("the table was added");
        let mut tokens = Vec::new();
        languages.tokenize(language, SOURCE, true, &mut tokens);
        assert!(
            tokens
                .iter()
                .all(|token| token.start < token.end && token.end as usize <= SOURCE.len())
        );
    }
});
