//! Shows that a corpus is searched with the same findings, byte for byte, wherever it is; and that what an engine does
//! not answer never passes as clean. Runs what the features of the build and the machine have.

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
mod golden;
#[cfg(feature = "remote")]
mod objects;
#[cfg(feature = "postgres")]
mod postgres;
#[allow(dead_code, reason = "the semantics use the rest")]
#[path = "../semantics/repository.rs"]
mod repository;
#[cfg_attr(
    not(all(feature = "remote", feature = "postgres", feature = "clickhouse")),
    allow(dead_code, reason = "not for all")
)]
mod wire;

use std::sync::LazyLock;

use golden::{Changes, Golden, n_changes};

static GOLDEN: LazyLock<Golden> = LazyLock::new(Golden::new);
static CHANGES: LazyLock<Changes> = LazyLock::new(|| Changes::new(n_changes()));

#[cfg_attr(not(feature = "remote"), allow(dead_code, reason = "not for all"))]
/// Checks that the first change ends with status 2 and a message that has all of `parts`, and no report.
#[track_caller]
fn is_no_verdict(place: &str, variables: &[(&str, &str)], parts: &[&str]) {
    let (status, report, errors) = CHANGES.check(0, &GOLDEN, place, variables);
    assert_eq!((status, report.as_str()), (2, ""), "{errors}");
    for part in parts {
        assert!(errors.contains(part), "`{part}` is not in:\n{errors}");
    }
    assert!(!errors.contains("secret"), "{errors}");
}
