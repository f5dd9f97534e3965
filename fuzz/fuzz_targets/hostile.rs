//! Feeds any bytes to one of the bodies of `tests/it/hostile`, which the variable `SECONDHAND_BODY`
//! names: archives, baselines, decisions, suppressions, licenses, journals, corpora, diffs,
//! versions of a text.
//!
//! `.ci/fuzz 60 archives`. One program for all: each is large, and linked once. It writes what
//! there is to begin from into the folder that `SECONDHAND_SAMPLES` names.

#![no_main]

#[path = "../../tests/it/hostile/bodies/mod.rs"]
mod bodies;

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    static BODY: OnceLock<fn(&[u8])> = OnceLock::new();
    let body = BODY.get_or_init(|| {
        let name = std::env::var("SECONDHAND_BODY").expect("`SECONDHAND_BODY` names a body");
        if let Some(folder) = std::env::var_os("SECONDHAND_SAMPLES") {
            for (n, sample) in bodies::samples(&name).iter().enumerate() {
                std::fs::write(std::path::Path::new(&folder).join(format!("sample-{n}")), sample)
                    .expect("it is writable");
            }
        }
        bodies::BODIES.iter().find(|(other, _)| *other == name).expect("there is such a body").1
    });
    body(bytes);
});
