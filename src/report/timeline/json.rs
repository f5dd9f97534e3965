//! Writes a timeline for programs: versioned JSON, whose schema `docs/history.schema.json`
//! publishes.

use super::{TrendPoint, rows};
use crate::audit::{self, Timeline};
use crate::policy::Level;
use crate::report::VERSION;
use crate::report::json::{Fragment, Written, is_consistent};
use crate::report::plain_json::{each, json_types, rounded};

json_types! {

/// The copies that each commit of a range added.
pub(in crate::report) struct History from (of: &Timeline) {
    /// The version of this format.
    version: u32 = 1,
    /// The version of the program.
    secondhand: &'static str = VERSION,
    /// The range as given.
    range: String = of.range.clone(),
    /// The commits, the oldest first.
    commits: Vec<Commit> = each(&rows(of)),
    /// The number of commits left out because of their authors.
    left_out_commits: usize = of.n_left_out,
    /// What could not be checked.
    unavailable: Option<String> = of.unavailable.clone(),
}

struct Commit from (of: &TrendPoint<'_>) {
    commit: String = of.judged.commit.to_string(),
    subject: String = of.judged.info.subject.clone(),
    author: String = of.judged.info.author.clone(),
    email: String = of.judged.info.email.clone(),
    /// When the author wrote it, in seconds since 1970.
    author_time: i64 = of.judged.info.author_time,
    /// When it was committed, in seconds since 1970.
    commit_time: i64 = of.judged.info.time,
    is_merge: bool = of.judged.info.n_parents > 1,
    /// Tokens of source that it added, not counting moved code, tests, examples and documents.
    new_tokens: usize = of.judged.n_novel,
    /// Those of them that are in copies worth a warning.
    copied_tokens: usize = of.n_copied,
    /// A running sum: the copied tokens that it and the older commits of this list added. It never
    /// falls, and copies that were removed since still count.
    total_copied_tokens: usize = of.total,
    copies: Vec<Copy> = each(&of.judged.copies),
    /// Files that it changed, may hold source and could not be read, or not in full.
    skipped: Vec<UnreadContents> = each(&of.judged.unread),
}

struct UnreadContents from (of: &audit::UnreadFile) {
    path: String = of.path.to_string(),
    /// Why, in words.
    reason: String = of.why.clone(),
}

struct Copy from (of: &audit::Copy) {
    rule: String = of.rule.clone(),
    level: Level = of.level,
    /// The file with the copy. Bytes that are not UTF-8 are written as `\xNN`.
    path: String = of.path.to_string(),
    fragment: Fragment = Fragment::from(&of.fragment),
    tokens: usize = of.n_tokens,
    /// Tokens of the copy that the commit added.
    new_tokens: usize = of.n_novel,
    /// Stays the same when lines move.
    identity: String = of.identity.clone(),
    /// The origins, the best first.
    origins: Vec<Origin> = each(&of.origins),
}

struct Origin from (of: &audit::CopyOrigin) {
    /// The file, in the tree of the commit.
    path: String = of.path.to_string(),
    fragment: Fragment = Fragment::from(&of.fragment),
    /// `type-1`, `type-2` or `type-3`.
    clone_type: &'static str = of.clone_type.name(),
    /// For Type-2: whether names are renamed one to one throughout.
    consistent_renaming: Option<bool> = is_consistent(of.clone_type),
    /// The similarity of copy and origin, 0 to 1.
    similarity: f64 = rounded(of.similarity, 3),
    /// When and by whom it was written; for the best origin, if known.
    written: Option<Written> = of.written.as_ref().map(Written::from),
}

}
