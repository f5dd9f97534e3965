//! Writes reports, failures and progress, and ends a run at its limits.

mod commands;
mod destination;
mod error;
pub(super) mod limit;
pub(super) mod output;
mod progress;
pub(super) mod selection;

pub(super) use self::destination::{Checkout, check_folders};
pub(super) use self::error::Failure;
pub(super) use self::limit::{all_here, limited};
pub(super) use self::output::{
    Reports, lines_of, note, print_text, report_failure, try_print, warn,
};
pub(super) use self::progress::Bar;
