//! Lists the rules, the most severe first; each is a file next to this one, with its id, texts and
//! level, and when it applies. What settings and the place of a finding make of the level is in
//! `judgment.rs`.

mod copied_before_fix;
mod copied_code;
mod corpus_copy;
mod edited_alike;
mod exists_already;
mod known_vulnerability;
mod license_conflict;
mod missed_sibling;
mod not_examined;
mod out_of_step;
mod revived_code;
mod stale_copy;
mod unknown_license;

use super::{About, Answer, Attribution, Behind, Deletion, Level, Origin, Place, Verdict};

/// All rules, the most severe first: of two with one level for the same code, the first counts.
pub static RULES: &[&Rule] = &[
    &license_conflict::RULE,
    &unknown_license::RULE,
    &corpus_copy::RULE,
    &copied_before_fix::RULE,
    &known_vulnerability::RULE,
    &stale_copy::RULE,
    &copied_code::RULE,
    &edited_alike::RULE,
    &out_of_step::RULE,
    &revived_code::RULE,
    &missed_sibling::RULE,
    &exists_already::RULE,
    &not_examined::RULE,
];

/// The rule with this id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.id == id)
}

/// A rule: what it finds and when, how severe that is, and the texts that explain it everywhere.
#[derive(Debug)]
pub struct Rule {
    /// The id, in kebab case; completes "allow ...".
    pub id: &'static str,
    /// The default level of its findings.
    pub level: Level,
    /// What it is about.
    pub topic: Topic,
    /// When it applies.
    pub when: RuleCondition,
    /// Where its findings are milder: at most `test-level`.
    pub milder_in: &'static [Ground],
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

/// When a rule applies: the kind of thing it looks at, and a condition.
///
/// Each condition returns the maximum level of a finding there, or `None` if the rule does not
/// apply. If several rules apply to the same code, the most severe level counts.
#[derive(Debug, Clone, Copy)]
pub enum RuleCondition {
    /// It looks at copies of code in the tree.
    Tree(fn(&Origin) -> Option<Level>),
    /// It looks at copies of code that was deleted.
    Past(fn(&Deletion) -> Option<Level>),
    /// It looks at copies of a component's code, and at the license policy's verdict on them.
    Component(fn(&Origin, &Verdict) -> Option<Level>),
    /// It looks at commits of a component that a copy lacks.
    Behind(fn(&Behind) -> Option<Level>),
    /// It looks at no mere copy: a past state, an edit, a new function, unexamined files.
    Other(fn(&About) -> Option<Level>),
}

/// Applies, at the configured level.
const AS_SET: Option<Level> = Some(Level::Error);

/// Applies, but is a note even if the settings make the rule more severe.
const AT_MOST_A_NOTE: Option<Level> = Some(Level::Note);

impl RuleCondition {
    /// Whether it looks at copies.
    pub fn looks_at_copies(&self) -> bool {
        matches!(self, Self::Tree(_) | Self::Past(_) | Self::Component(_))
    }

    /// Whether it looks at copies of code in this place.
    pub fn looks_at(&self, place: &Place) -> bool {
        match place {
            Place::Tree => matches!(self, Self::Tree(_)),
            Place::Past(_) => matches!(self, Self::Past(_)),
            Place::Component(_) => matches!(self, Self::Component(_)),
        }
    }

    /// The maximum level of a copy with this origin; `None` if the rule does not apply.
    pub fn of_copy(&self, origin: &Origin) -> Option<Level> {
        match (self, &origin.place) {
            (Self::Tree(when), Place::Tree) => when(origin),
            (Self::Past(when), Place::Past(deletion)) => when(deletion),
            (Self::Component(when), Place::Component(_)) => when(origin, origin.verdict.as_ref()?),
            _ => None,
        }
    }

    /// The maximum level of a copy that lacks these commits; `None` if the rule does not apply.
    pub fn of_behind(&self, behind: &Behind) -> Option<Level> {
        if let Self::Behind(when) = self { when(behind) } else { None }
    }

    /// The maximum level of what is no mere copy; `None` if the rule does not apply.
    pub fn of_other(&self, about: &About) -> Option<Level> {
        if let Self::Other(when) = self { when(about) } else { None }
    }
}

/// What a rule is about: groups rules in settings and reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// Duplicated code.
    Duplication,
    /// Third-party code, and its license.
    License,
    /// Fixes that a copy lacks.
    Fixes,
    /// What the audit did not see.
    Coverage,
}

/// The kind of file that contains a finding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ground {
    /// Source that is shipped.
    #[default]
    Code,
    /// A test: tests are repetitive by nature.
    Test,
    /// An example, a demo or a benchmark: they repeat by nature, too.
    Example,
    /// Code that declares rather than computes: markup, style sheets, queries, build rules.
    Declarative,
    /// A document: documents quote.
    Document,
}

impl Rule {
    /// The whole explanation in Markdown, below a heading that the caller writes.
    pub fn explanation(&self) -> String {
        let Self { id, finds, why, example, action, .. } = self;
        format!(
            "**What it finds.** {finds}\n\n**Why it matters.** {why}\n\n**Example.**\n\n{example}\n\n**What to do.** {action}\n\n\
             **How to accept it.** One finding: write a comment above the code, with the reason: `secondhand: allow({id}) \
             -- reason`. The reason is required, and `until = 2027-01-31` after the rule makes it expire. Many at once: \
             `secondhand baseline create` records what is there, and only what comes after is reported.\n"
        )
    }
}
