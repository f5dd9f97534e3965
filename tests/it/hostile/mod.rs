//! Shows that nothing that others wrote harms: no panic on any bytes, and the same answer whatever
//! happens around it.
//!
//! The bodies are those of the fuzz targets; here each runs over mutated samples, and over what was
//! found before (`tests/it/hostile/finds/<target>`).

mod bodies;
mod whole;

use std::path::Path;

use bodies::{BODIES, samples};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// Runs the body over its samples and finds, then over mutations of these.
fn check(name: &str, n_cases: u32) {
    let body = BODIES.iter().find(|(other, _)| *other == name).expect("there is such a body").1;
    let finds = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/hostile/finds").join(name);
    let mut known = samples(name);
    for find in std::fs::read_dir(finds).into_iter().flatten().flatten() {
        known.push(std::fs::read(find.path()).expect("it is readable"));
    }
    known.iter().for_each(|bytes| body(bytes));
    let edit = (any::<prop::sample::Index>(), any::<u8>(), 0u8..4);
    let mutated =
        (0..known.len(), prop::collection::vec(edit, 1..12)).prop_map(move |(which, edits)| {
            let mut bytes = known[which].clone();
            for (at, byte, how) in edits {
                let at = at.index(bytes.len().max(1)).min(bytes.len());
                match how {
                    0 if at < bytes.len() => bytes[at] = byte,
                    1 if at < bytes.len() => drop(bytes.remove(at)),
                    2 => bytes.truncate(at.max(1)),
                    _ => bytes.insert(at, byte),
                }
            }
            bytes
        });
    let config =
        ProptestConfig { cases: n_cases, failure_persistence: None, ..ProptestConfig::default() };
    let run = TestRunner::new(config).run(
        &prop_oneof![3 => mutated, 1 => prop::collection::vec(any::<u8>(), 0..400)],
        |bytes| {
            body(&bytes);
            Ok(())
        },
    );
    if let Err(found) = run {
        panic!("{name}: {found}");
    }
}

macro_rules! properties {
    ($($test:ident: $name:literal, $n:literal;)*) => {
        $(#[test] fn $test() { check($name, $n); })*

        #[test]
        fn every_body_has_a_test() {
            let tested = [$($name),*];
            assert_eq!(BODIES.iter().map(|(name, _)| *name).collect::<Vec<_>>(), tested);
        }

        #[test]
        fn every_body_is_fuzzed() {
            let root = Path::new(env!("CARGO_MANIFEST_DIR"));
            let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("it is there");
            let (script, workflow) = (read(".ci/fuzz"), read(".github/workflows/fuzz.yml"));
            let bodies = script.lines().find_map(|line| line.strip_prefix("bodies=(")?.strip_suffix(')'));
            assert_eq!(bodies.expect("the script lists them").split(' ').collect::<Vec<_>>(), [$($name),*]);
            for name in [$($name),*] {
                assert!(workflow.contains(&format!("          - {name}\n")), "the workflow fuzzes {name}");
            }
        }
    };
}

properties! {
    archives_do_no_harm: "archives", 200;
    baselines_do_no_harm_and_are_written_as_they_are_read: "baseline", 300;
    exported_corpora_do_no_harm: "bundle", 100;
    a_check_is_the_same_for_any_threads_and_cache_and_each_format_writes_it: "change", 40;
    copies_lie_inside_their_texts_and_beside_their_origins: "copies", 300;
    segments_of_corpora_do_no_harm: "corpus", 100;
    decisions_do_no_harm: "decisions", 300;
    journals_do_no_harm_and_keep_what_is_whole: "journal", 100;
    licenses_do_no_harm: "licenses", 300;
    a_diff_keeps_what_is_equal: "novelty", 300;
    suppressions_do_no_harm: "suppressions", 300;
    a_version_is_read_as_on_its_own: "versions", 400;
}
