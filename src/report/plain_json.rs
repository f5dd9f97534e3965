//! Writes JSON; for hosts that look files up by the paths in it, these are exact.
//!
//! The reports for programs have a version each, which increases when a field changes its meaning
//! or is removed; new fields do not count.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::Style;
use crate::text::{FilePath, is_unseen};

/// Writes `value` so that it steers no terminal: what would is escaped, and a reader gets it as it
/// was.
pub(super) fn write_json(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", json(value)?)
}

/// Writes what was found as a report `J`.
pub(super) fn write_as<T, J>(found: &T, _: &Style, out: &mut dyn Write) -> io::Result<()>
where
    J: for<'f> From<&'f T> + Serialize,
{
    write_json(&J::from(found), out)
}

/// `value` as such a text.
pub(super) fn json(value: &impl Serialize) -> io::Result<String> {
    let plain = serde_json::to_string_pretty(value)?;
    let mut text = String::with_capacity(plain.len());
    let mut from = 0;
    for (at, c) in plain.char_indices() {
        if !is_unseen(c) && (c < '\u{7F}' || !c.is_control()) {
            continue;
        }
        text.push_str(&plain[from..at]);
        text.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        from = at + c.len_utf8();
    }
    Ok(text + &plain[from..])
}

/// The path as it is, not as people read it, or the host does not find the file.
pub(super) fn exact(path: &FilePath) -> String {
    path.to_string_lossy().into_owned()
}

/// Defines types of a report for programs: what each is made from, and after each field its value.
macro_rules! json_types {
    ($(
        $(#[$of_type:meta])*
        $visibility:vis struct $name:ident from ($from:tt: $source:ty) {
            $($(#[$of_field:meta])* $field:ident: $type:ty = $value:expr,)*
        }
    )*) => {$(
        $(#[$of_type])*
        #[derive(Debug, ::serde::Serialize, ::schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        $visibility struct $name {
            $($(#[$of_field])* $field: $type,)*
        }

        impl From<$source> for $name {
            fn from($from: $source) -> Self {
                Self { $($field: $value,)* }
            }
        }
    )*};
}
pub(super) use json_types;

/// The JSON schema of a type of a report.
pub(super) fn schema_of<J: JsonSchema>() -> Value {
    schemars::schema_for!(J).to_value()
}

/// Each of `all` as a type of a report.
pub(super) fn each<'s, S: 's, T: From<&'s S>>(all: impl IntoIterator<Item = &'s S>) -> Vec<T> {
    all.into_iter().map(T::from).collect()
}

pub(super) fn strings<T: ToString>(all: &[T]) -> Vec<String> {
    all.iter().map(ToString::to_string).collect()
}

/// A number with so many digits after the point.
pub(super) fn rounded(number: f64, n_digits: i32) -> f64 {
    let scale = 10_f64.powi(n_digits);
    (number * scale).round() / scale
}
