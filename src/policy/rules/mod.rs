//! Lists the rules, the gravest first; each is a file beside this one.
//!
//! A rule's file is all of it: the id, the texts, the level, and when it applies. What
//! the settings and the place of a finding make of the level is in `judgment.rs`.

mod copied_code;
mod corpus_copy;
mod license_conflict;
mod not_examined;
mod revived_code;
mod unknown_license;

use super::{About, Deletion, Level, Origin, Place, Verdict};

/// All rules, the gravest first: of two that are equally grave for the same code, the first one counts.
pub static RULES: &[&Rule] = &[
    &license_conflict::RULE,
    &unknown_license::RULE,
    &corpus_copy::RULE,
    &copied_code::RULE,
    &revived_code::RULE,
    &not_examined::RULE,
];

/// The rule with this id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.id == id)
}

/// A rule: what it finds and when, how grave that is, and the words that explain it everywhere.
#[derive(Debug)]
pub struct Rule {
    /// The id, in kebab case; completes "allow ...".
    pub id: &'static str,
    /// The level of its findings when nothing else is configured.
    pub level: Level,
    /// What it is about.
    pub topic: Topic,
    /// When it applies.
    pub when: When,
    /// Where its findings are milder: at most of the level `test-level`.
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

/// When a rule applies: the kind of thing it looks at, and what must hold of it.
///
/// Each condition answers with the gravest level that a finding may have there, or with `None` where the rule does not
/// apply. Several rules may apply to the same code: then the gravest level counts.
#[derive(Debug, Clone, Copy)]
pub enum When {
    /// It looks at copies of code in the tree.
    Tree(fn(&Origin) -> Option<Level>),
    /// It looks at copies of code that was deleted.
    Past(fn(&Deletion) -> Option<Level>),
    /// It looks at copies of code of a component, and at what the license policy says of them.
    Component(fn(&Origin, &Verdict) -> Option<Level>),
    /// It looks at changed files that were not examined.
    Unexamined(fn(&About) -> Option<Level>),
}

/// Applies, at whatever level the settings give the rule.
const AS_SET: Option<Level> = Some(Level::Error);

/// Applies, but is a note even where the settings make the rule graver.
const AT_MOST_A_NOTE: Option<Level> = Some(Level::Note);

impl When {
    /// Whether it looks at copies.
    pub fn looks_at_copies(&self) -> bool {
        !matches!(self, Self::Unexamined(_))
    }

    /// Whether it looks at copies of code in such a place.
    pub fn looks_at(&self, place: &Place) -> bool {
        match place {
            Place::Tree => matches!(self, Self::Tree(_)),
            Place::Past(_) => matches!(self, Self::Past(_)),
            Place::Component(_) => matches!(self, Self::Component(_)),
        }
    }

    /// The gravest level of a copy with this origin; `None` where the rule does not apply.
    pub fn of_copy(&self, origin: &Origin) -> Option<Level> {
        match (self, &origin.place) {
            (Self::Tree(when), Place::Tree) => when(origin),
            (Self::Past(when), Place::Past(deletion)) => when(deletion),
            (Self::Component(when), Place::Component(_)) => when(origin, origin.verdict.as_ref()?),
            _ => None,
        }
    }

    /// The gravest level of what was not examined; `None` where the rule does not apply.
    pub fn of_unexamined(&self, about: &About) -> Option<Level> {
        match self {
            Self::Unexamined(when) => when(about),
            _ => None,
        }
    }
}

/// What a rule is about, as far as settings and reports group rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// Code that is there twice.
    Duplication,
    /// Code of others, and its license.
    License,
    /// What the audit did not see.
    Coverage,
}

/// What kind of file a finding lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// Source that is shipped.
    Code,
    /// A test: tests repeat by nature.
    Test,
    /// An example, a demo or a benchmark: they repeat by nature, too.
    Example,
    /// Code that declares rather than computes: markup, style sheets, schemas, queries, build rules.
    Declarative,
    /// A document: documents quote.
    Document,
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
