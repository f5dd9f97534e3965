//! Defines a calendar day, the last day of a suppression or exception.

use std::fmt;
use std::str::FromStr;

/// A day, written `2027-01-31`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(jiff::civil::Date);

impl Date {
    /// The day in UTC of seconds since 1970; the first one if they are out of range.
    pub fn of_seconds(seconds: i64) -> Self {
        let moment = jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        Self(moment.to_zoned(jiff::tz::TimeZone::UTC).date())
    }
}

impl FromStr for Date {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_plain =
            text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        let date = if is_plain { text.parse().ok() } else { None };
        date.map(Self).ok_or_else(|| format!("`{text}` is not a date such as 2027-01-31"))
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_compared_and_written() {
        let day = |text: &str| text.parse::<Date>();
        assert!(day("2027-01-31").ok() < day("2027-02-01").ok());
        assert_eq!(day("2027-01-31").map(|day| day.to_string()).as_deref(), Ok("2027-01-31"));
        assert_eq!(Date::of_seconds(951_782_400).to_string(), "2000-02-29");
        for wrong in ["2027-02-29", "2027-1-1", "tomorrow", "2027-01-31T00:00", ""] {
            assert!(day(wrong).is_err(), "{wrong}");
        }
    }
}
