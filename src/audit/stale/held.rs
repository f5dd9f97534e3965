//! Finds the fixes of security faults that a copy has: their reversal is a change that it has
//! missed.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::lineage::{Lineage, lineages};
use super::missed::{Holder, document};
use crate::audit::Error;
use crate::audit::outcome::HeldFix;
use crate::audit::search::Outside;
use crate::matching::{HunkIndex, fixes, missed};
use crate::store::corpus::StoredChange;

/// The fixes that files have, by file and commit, each once; those that say of themselves that they
/// fix a security fault.
///
/// # Errors
/// If a corpus is damaged.
pub(in crate::audit) fn held_fixes(
    holders: &[Holder<'_>],
    outsides: &[Outside],
) -> Result<Vec<HeldFix>, Error> {
    let of_holders = holders.par_iter().map(|holder| of_holder(holder, outsides));
    let mut fixes = BTreeMap::new();
    for fix in of_holders.collect::<Result<Vec<_>, Error>>()?.into_iter().flatten() {
        let key = (fix.path.clone(), fix.component.name.clone(), fix.commit.hash.clone());
        fixes.entry(key).or_insert(fix);
    }
    Ok(fixes.into_values().collect())
}

fn of_holder(holder: &Holder<'_>, outsides: &[Outside]) -> Result<Vec<HeldFix>, Error> {
    let held = HunkIndex::new(&holder.source.tokens);
    let mut fixes = Vec::new();
    for file in &holder.origins {
        for lineage in lineages(outsides, file)? {
            for change in &lineage.changes {
                let commit = lineage.project.past_commit(change.commit)?;
                if commit.is_security && has(change, &lineage, &held)? {
                    let component = lineage.project.component()?;
                    let path = holder.source.path.clone();
                    fixes.push(HeldFix { path, component, commit });
                }
            }
        }
    }
    Ok(fixes)
}

/// Whether a copy has what a change made.
fn has(change: &StoredChange, lineage: &Lineage<'_>, held: &HunkIndex<'_>) -> Result<bool, Error> {
    let (Some(before), Some(after)) = (change.before, change.after) else { return Ok(false) };
    let (old, new) = (lineage.project.version(before)?, lineage.project.version(after)?);
    let undone = fixes(document(&new), document(&old));
    Ok(!missed(&new.tokens, &undone, &old.tokens, None, held).is_empty())
}
