//! Withdraws excuses that a change makes for its own files.

use std::collections::HashSet;

use rayon::prelude::*;

use super::pairing::changes;
use crate::audit::read::{MINIFIED_TOKENS, Skip, Sources};
use crate::files::{Entry, Error, ReadFiles};
use crate::git::Snapshot;
use crate::text::FilePath;

/// What a file claims about itself, so that not all of it is read.
enum Excuse {
    /// It says that it is generated.
    Whole,
    /// It has lines too long to be written by hand: those here may be.
    Lines(HashSet<Vec<u8>>),
}

impl Excuse {
    fn of(
        entry: &Entry,
        reader: &impl ReadFiles,
        sources: &Sources<'_>,
    ) -> Result<Option<Self>, Error> {
        let text = match sources.read(reader, entry)? {
            Ok(source) if source.is_partial => source.text.clone(),
            Err(Skip::Minified) => reader.read(entry)?,
            Err(Skip::Generated) => return Ok(Some(Self::Whole)),
            _ => return Ok(None),
        };
        let long = text.split(|&byte| byte == b'\n').filter(|line| line.len() > MINIFIED_TOKENS);
        Ok(Some(Self::Lines(long.map(<[u8]>::to_vec).collect())))
    }

    /// Whether it is no more than `before`. What was generated may have lines that are read by now.
    fn is_as(&self, before: &Self) -> bool {
        match (self, before) {
            (Self::Lines(now), Self::Lines(before)) => now.is_subset(before),
            (_, Self::Whole) => true,
            (Self::Whole, Self::Lines(_)) => false,
        }
    }
}

/// The files that are skipped, wholly or in part, for what they claim about themselves (generated,
/// minified), though the base as it is now does not have them so: a change checked with its base's
/// settings cannot excuse itself.
pub(in crate::audit) fn self_excused<R: ReadFiles>(
    tip: &Snapshot,
    head: &Snapshot,
    open: &(dyn Fn() -> R + Sync),
    sources: &Sources<'_>,
) -> Result<Vec<FilePath>, Error> {
    let reader = open();
    let was_judged_as = |before: &_, path: &_| sources.was_judged_as(&reader, before, path);
    let changed = changes(tip, head, was_judged_as).changed.into_par_iter();
    let excused = changed.map_init(open, |reader, (entry, before)| {
        let is_judged = sources.skip_judging(&entry.path).is_none();
        let is_decided = sources.attributes.of(&entry.path).generated.is_some();
        if !is_judged || is_decided {
            return Ok(None);
        }
        let Some(now) = Excuse::of(&entry, reader, sources)? else { return Ok(None) };
        let before = before.map(|before| Excuse::of(&before, reader, sources)).transpose()?;
        let was_excused = before.flatten().is_some_and(|before| now.is_as(&before));
        Ok((!was_excused).then_some(entry.path))
    });
    excused.filter_map(Result::transpose).collect()
}
