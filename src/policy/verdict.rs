//! Defines a verdict: what the license policy of a project says of a copy.

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
