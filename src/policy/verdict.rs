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
        let answer = match self.answer {
            Answer::Allowed => "allowed",
            Answer::Review => "to review",
            Answer::Unknown => "unknown license",
            Answer::Denied => "potential conflict",
        };
        let owed = match &self.attribution {
            Attribution::NotAsked => String::new(),
            Attribution::Owed(missing) if missing.is_empty() => "; attribution is owed".to_owned(),
            Attribution::Owed(missing) => format!("; attribution is owed: {}", missing.join("; ")),
            Attribution::Given(place) => format!("; its notice is in {place}"),
        };
        format!("{answer}: {}{owed}", self.reason)
    }
}
