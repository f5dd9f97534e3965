//! Judges what was found: which parts are copies that the change adds, and what findings they make.

mod attribution;
mod circumstances;
mod comeback;
mod copies;
mod findings;
mod mutual;
mod nearby;
mod old_pairs;
mod suppress;
mod unexamined;

pub(super) use attribution::Attributions;
pub(super) use circumstances::{SHORT, is_renamed_function};
pub(super) use comeback::Comeback;
pub(super) use copies::{TreeCopy, copies_of, is_long_or_whole};
pub(super) use findings::{AllCopies, FileUnderAudit, JudgedWith, added_part};
pub(super) use mutual::JointFinding;
pub(super) use nearby::Nearby;
pub(super) use suppress::{allowed_in, comments, has_comments, suppress};
pub(super) use unexamined::unexamined;
