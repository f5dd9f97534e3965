//! Adds entries to JSON files of others, and takes them out again; all else stays as it is written.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Error, Value};

struct Members(Vec<(String, Box<RawValue>)>);

impl<'d> Deserialize<'d> for Members {
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'d> Visitor<'d> for InOrder {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'d>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(InOrder)
    }
}

impl Members {
    fn position(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|(own, _)| own == name)
    }

    /// As text, indented as the member of `depth` others.
    fn written(&self, depth: usize) -> String {
        let rows = self.0.iter();
        let rows =
            rows.map(|(name, value)| format!("{}: {}", Value::from(name.as_str()), value.get()));
        enclosed(['{', '}'], rows, depth)
    }
}

/// `text` with what `entry` has beyond it: members of objects, and elements of arrays; other values
/// stay. It is an error if the text has something else where the entry has an object or an array.
/// Time O(n m).
pub(super) fn with(text: &str, entry: &Value, depth: usize) -> Result<String, Error> {
    match entry {
        Value::Object(wanted) => {
            let mut members: Members = serde_json::from_str(text)?;
            for (name, value) in wanted {
                match members.position(name) {
                    Some(at) => {
                        members.0[at].1 = raw(with(members.0[at].1.get(), value, depth + 1)?)?;
                    }
                    None => members.0.push((name.clone(), raw(pretty(value, depth + 1))?)),
                }
            }
            Ok(members.written(depth))
        }
        Value::Array(wanted) => {
            let elements: Vec<Box<RawValue>> = serde_json::from_str(text)?;
            let known: Vec<Value> = serde_json::from_str(text)?;
            let added = wanted.iter().filter(|value| !known.contains(value));
            let added = added.map(|value| pretty(value, depth + 1));
            let rows = elements.iter().map(|element| element.get().to_owned()).chain(added);
            Ok(enclosed(['[', ']'], rows, depth))
        }
        _ => Ok(text.to_owned()),
    }
}

/// `text` without what `entry` has, and without what is empty then; `None` if nothing of interest
/// is left.
pub(super) fn without(text: &str, entry: &Value, depth: usize) -> Result<Option<String>, Error> {
    match entry {
        Value::Object(unwanted) => {
            let mut members: Members = serde_json::from_str(text)?;
            for (name, value) in unwanted {
                let Some(at) = members.position(name) else { continue };
                // A value beside others, such as a version, may be theirs too.
                if !value.is_object() && !value.is_array() {
                    continue;
                }
                match without(members.0[at].1.get(), value, depth + 1)? {
                    Some(left) => members.0[at].1 = raw(left)?,
                    None => drop(members.0.remove(at)),
                }
            }
            let mut left = members.0.iter().map(|(name, _)| unwanted.get(name));
            let is_left = left.any(|of| of.is_none_or(|of| of.is_object() || of.is_array()));
            Ok(is_left.then(|| members.written(depth)))
        }
        Value::Array(unwanted) => {
            let elements: Vec<Box<RawValue>> = serde_json::from_str(text)?;
            let left = elements.iter().map(|element| element.get()).filter(|element| {
                serde_json::from_str::<Value>(element).is_ok_and(|value| !unwanted.contains(&value))
            });
            let rows: Vec<String> = left.map(str::to_owned).collect();
            Ok((!rows.is_empty()).then(|| enclosed(['[', ']'], rows.into_iter(), depth)))
        }
        _ => Ok(Some(text.to_owned())),
    }
}

pub(super) fn holds(have: &Value, entry: &Value) -> bool {
    match (have, entry) {
        (Value::Object(have), Value::Object(entry)) => {
            entry.iter().all(|(name, value)| have.get(name).is_some_and(|have| holds(have, value)))
        }
        (Value::Array(have), Value::Array(entry)) => entry.iter().all(|value| have.contains(value)),
        _ => have == entry,
    }
}

fn raw(text: String) -> Result<Box<RawValue>, Error> {
    RawValue::from_string(text)
}

fn pretty(value: &Value, depth: usize) -> String {
    format!("{value:#}").replace('\n', &format!("\n{}", "  ".repeat(depth)))
}

fn enclosed([open, close]: [char; 2], rows: impl Iterator<Item = String>, depth: usize) -> String {
    let (outer, inner) = ("  ".repeat(depth), "  ".repeat(depth + 1));
    let rows: Vec<String> = rows.map(|row| format!("{inner}{row}")).collect();
    if rows.is_empty() {
        format!("{open}{close}")
    } else {
        format!("{open}\n{}\n{outer}{close}", rows.join(",\n"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_added_can_be_taken_out_again_and_all_else_stays_as_it_is_written() {
        let own = "{\n  \"z\": {\"b\":1,  \"a\": 2},\n  \"hooks\": {\n    \"stop\": [\n      {\"x\":1}\n    ]\n  }\n}";
        let entry = json!({"version": 1, "hooks": {"stop": [{"command": "us"}], "start": [1]}});
        let added = with(own, &entry, 0).expect("it is JSON");
        let value = serde_json::from_str(&added).expect("it is JSON");
        assert!(holds(&value, &entry) && added.contains("{\"b\":1,  \"a\": 2}"), "{added}");
        assert!(added.find("\"z\"") < added.find("\"hooks\""), "the order stays: {added}");
        assert_eq!(with(&added, &entry, 0).expect("it is JSON"), added, "it is added once");
        let left = without(&added, &entry, 0).expect("it is JSON").expect("something is left");
        assert_eq!(
            serde_json::from_str::<Value>(&left).expect("it is JSON"),
            json!({"version": 1, "z": {"a": 2, "b": 1}, "hooks": {"stop": [{"x": 1}]}})
        );
        let ours = with("{}", &entry, 0).expect("it is JSON");
        assert_eq!(without(&ours, &entry, 0).expect("it is JSON"), None, "nothing but ours");
        assert!(with("[]", &entry, 0).is_err());
    }
}
