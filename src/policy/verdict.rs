//! Defines a verdict: what the license policy of a project says of a copy.

use super::{CORPUS_COPY, LICENSE_CONFLICT, Level, Rule, UNKNOWN_LICENSE};

/// What a policy answers; the order is from the mildest to the gravest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// It may be copied.
    Allowed,
    /// It depends on what no program knows.
    Review,
    /// The license, or what it asks, is not known.
    Unknown,
    /// It may not be copied.
    Denied,
}

impl Answer {
    /// The answer as reports write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Review => "review",
            Self::Unknown => "unknown",
            Self::Denied => "denied",
        }
    }

    /// The rule that a copy falls under.
    pub fn rule(self) -> &'static Rule {
        match self {
            Self::Allowed => &CORPUS_COPY,
            Self::Unknown => &UNKNOWN_LICENSE,
            Self::Review | Self::Denied => &LICENSE_CONFLICT,
        }
    }
}

/// What a policy says of a copy, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The answer.
    pub answer: Answer,
    /// Why, a fragment without a full stop.
    pub reason: String,
    /// What the license asks to be named, and whether it is.
    pub attribution: Attribution,
}

/// Whether a copy names its authors, as most licenses ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribution {
    /// The license does not ask for it.
    NotAsked,
    /// It is owed: these notices are not there; none where no notice is known.
    Owed(Vec<String>),
    /// It is there, in this file.
    Given(String),
}

impl Verdict {
    /// The level of a finding, of that which its rule has: what needs a review is no error, and what is as it should be is a note.
    pub fn level(&self, of_rule: Level) -> Level {
        match (self.answer, &self.attribution) {
            (Answer::Review, _) => of_rule.min(Level::Warning),
            (Answer::Allowed, Attribution::NotAsked | Attribution::Given(_)) => of_rule.min(Level::Note),
            _ => of_rule,
        }
    }

    /// In words: the answer, why, and what is owed.
    pub fn describe(&self) -> String {
        let mut text = match self.answer {
            Answer::Allowed => format!("allowed: {}", self.reason),
            Answer::Review => format!("to review: {}", self.reason),
            Answer::Unknown => format!("license to find out: {}", self.reason),
            Answer::Denied => format!("potential conflict: {}", self.reason),
        };
        match &self.attribution {
            Attribution::NotAsked => {}
            Attribution::Owed(missing) if missing.is_empty() => text.push_str("; attribution is owed"),
            Attribution::Owed(missing) => {
                text.push_str("; attribution is owed: ");
                text.push_str(&missing.join("; "));
            }
            Attribution::Given(place) => {
                text.push_str("; its notice stands in ");
                text.push_str(place);
            }
        }
        text
    }
}
