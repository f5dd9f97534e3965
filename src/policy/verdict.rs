//! Defines a verdict: a license policy's decision on a copy.

/// The answers of a policy, from the mildest to the most severe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// It may be copied.
    Allowed,
    /// It depends on something that no program knows.
    Review,
    /// The license or its conditions are unknown.
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
}

/// The decision of a policy on a copy, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The answer.
    pub answer: Answer,
    /// The reason, a fragment without a full stop.
    pub reason: String,
    /// The attribution that the license requires, and whether it is given.
    pub attribution: Attribution,
}

/// Whether a copy names its authors, as most licenses require.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribution {
    /// The license does not require it.
    NotAsked,
    /// It is owed: these notices are missing; empty if no notice is known.
    Owed(Vec<String>),
    /// It is given, in this file.
    Given(String),
}

impl Verdict {
    /// In words: the answer, the reason, and what is owed.
    pub fn describe(&self) -> String {
        let mut text = match self.answer {
            Answer::Allowed => format!("allowed: {}", self.reason),
            Answer::Review => format!("to review: {}", self.reason),
            Answer::Unknown => format!("unknown license: {}", self.reason),
            Answer::Denied => format!("potential conflict: {}", self.reason),
        };
        match &self.attribution {
            Attribution::NotAsked => {}
            Attribution::Owed(missing) if missing.is_empty() => {
                text.push_str("; attribution is owed");
            }
            Attribution::Owed(missing) => {
                text.push_str("; attribution is owed: ");
                text.push_str(&missing.join("; "));
            }
            Attribution::Given(place) => {
                text.push_str("; its notice is in ");
                text.push_str(place);
            }
        }
        text
    }
}
