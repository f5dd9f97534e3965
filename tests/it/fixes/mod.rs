//! Shows that fixes travel, a file for each rule about them.

mod missed_sibling;
mod stale_copy;
