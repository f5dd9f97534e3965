//! Shows that a corpus is searched with the same findings, byte for byte, wherever it is; and that
//! what an engine does not answer never passes as clean. Runs what the features of the build and
//! the machine have.

#![cfg(any(feature = "remote", feature = "postgres", feature = "clickhouse", feature = "parquet"))]
#![allow(
    clippy::print_stderr,
    clippy::zombie_processes,
    reason = "what is not tested is said; servers end by themselves"
)]

#[cfg(feature = "clickhouse")]
mod clickhouse;
#[cfg(feature = "parquet")]
mod columns;
#[cfg(feature = "remote")]
mod emulators;
mod golden;
#[cfg(feature = "remote")]
mod objects;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg_attr(
    not(all(feature = "remote", feature = "postgres", feature = "clickhouse")),
    allow(dead_code, reason = "not for all")
)]
mod servers;
#[cfg_attr(
    not(all(feature = "remote", feature = "postgres", feature = "clickhouse")),
    allow(dead_code, reason = "not for all")
)]
mod wire;

use std::sync::LazyLock;

use golden::{Changes, Golden, n_changes};

static GOLDEN: LazyLock<Golden> = LazyLock::new(Golden::new);
static CHANGES: LazyLock<Changes> = LazyLock::new(|| Changes::new(n_changes()));

#[test]
fn the_golden_corpus_has_three_licenses_a_history_and_two_hundred_components() {
    let shown = GOLDEN.corpus(&["show", "golden"]);
    let n_components: usize = shown
        .lines()
        .filter_map(|line| {
            line.split_once(" component")?.0.rsplit(' ').next()?.parse::<usize>().ok()
        })
        .sum();
    assert_eq!(n_components, 200, "{shown}");
    for license in ["(MIT", "(GPL-3.0-only", "(Apache-2.0", "(BSD-3-Clause", "(license not known"] {
        assert!(shown.contains(license), "`{license}` is not in:\n{shown}");
    }
    let (status, report, errors) = CHANGES.check(4, &GOLDEN, "golden", &[]);
    assert!(
        status == 1 && report.contains("of past v1 (BSD-3-Clause)"),
        "it names the first tag that has the code: {errors}{report}"
    );
}

#[cfg_attr(not(feature = "remote"), allow(dead_code, reason = "not for all"))]
/// Checks that the first change ends with status 2 and a message that has all of `parts`, and no
/// report.
#[track_caller]
fn is_no_verdict(place: &str, variables: &[(&str, &str)], parts: &[&str]) {
    let (status, report, errors) = CHANGES.check(0, &GOLDEN, place, variables);
    assert_eq!((status, report.as_str()), (2, ""), "{errors}");
    for part in parts {
        assert!(errors.contains(part), "`{part}` is not in:\n{errors}");
    }
    assert!(!errors.contains("secret"), "{errors}");
}
