//! Lists the rules; each is a file beside this one.

mod copied_code;
mod corpus_copy;
mod license_conflict;
mod not_examined;
mod revived_code;
mod unknown_license;

use super::Level;

/// A rule: what it finds, and the words that explain it everywhere.
#[derive(Debug)]
pub struct Rule {
    /// The id, in kebab case; completes "allow ...".
    pub id: &'static str,
    /// The level of its findings when nothing else is configured.
    pub level: Level,
    /// One line, without a full stop.
    pub summary: &'static str,
    /// What it finds.
    pub finds: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// An example.
    pub example: &'static str,
    /// What to do.
    pub action: &'static str,
}

impl Rule {
    /// The whole explanation in Markdown, below a heading that the caller writes.
    pub fn explanation(&self) -> String {
        let Self { finds, why, example, action, .. } = self;
        format!(
            "**What it finds.** {finds}\n\n**Why it matters.** {why}\n\n**Example.**\n\n{example}\n\n**What to do.** {action}\n"
        )
    }
}

pub use copied_code::COPIED_CODE;
pub use corpus_copy::CORPUS_COPY;
pub use license_conflict::LICENSE_CONFLICT;
pub use not_examined::NOT_EXAMINED;
pub use revived_code::REVIVED_CODE;
pub use unknown_license::UNKNOWN_LICENSE;

/// All rules, in the order of the documentation.
pub static RULES: &[&Rule] =
    &[&COPIED_CODE, &REVIVED_CODE, &CORPUS_COPY, &LICENSE_CONFLICT, &UNKNOWN_LICENSE, &NOT_EXAMINED];

/// The rules about code of components: about licenses.
pub static LICENSE_RULES: &[&Rule] = &[&CORPUS_COPY, &LICENSE_CONFLICT, &UNKNOWN_LICENSE];

/// The rule with this id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.id == id)
}
