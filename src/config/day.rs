//! Reads days as TOML and people write them.

use serde::{Deserialize, Deserializer};

/// Reads a day: a date of TOML, or one in quotes. What is neither is checked with all other values.
pub(super) fn day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a date such as 2027-01-31")]
    enum Day {
        Date(toml::value::Datetime),
        Text(String),
    }
    Ok(Option::<Day>::deserialize(deserializer)?.map(|day| match day {
        Day::Date(date) => date.to_string(),
        Day::Text(text) => text,
    }))
}
