//! Withdraws excuses that a change makes for its own files.

use super::pairing::changes;
use crate::audit::read::{Skip, Sources};
use crate::files::{Entry, Error, ReadFiles};
use crate::git::Snapshot;
use crate::text::FilePath;

/// The files that are skipped because of what they claim about themselves (generated, minified), and that the base as it
/// is now does not have so: a change that is checked with its base's settings cannot excuse itself.
pub(in crate::audit) fn self_excused(
    tip: &Snapshot,
    head: &Snapshot,
    reader: &impl ReadFiles,
    sources: &Sources<'_>,
) -> Result<Vec<FilePath>, Error> {
    let is_excused = |entry: &Entry| -> Result<bool, Error> {
        let read = sources.read(reader, entry)?;
        Ok(match read {
            Ok(source) => source.is_partial,
            Err(skip) => matches!(skip, Skip::Generated | Skip::Minified),
        })
    };
    let mut found = Vec::new();
    for (entry, before) in changes(tip, head).changed {
        let is_judged = sources.skip_judging(&entry.path).is_none();
        let is_decided = sources.attributes.of(&entry.path).generated.is_some();
        if !is_judged || is_decided || !is_excused(&entry)? {
            continue;
        }
        let was_excused = before.map(|before| is_excused(&before)).transpose()?.unwrap_or(false);
        if !was_excused {
            found.push(entry.path);
        }
    }
    Ok(found)
}
