//! Finds code that lacks the fixes of listed commits, and the security fixes that a copy has.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use super::lineage::{Lineage, lineages};
use super::missed::{Holder, Versions, document, finding, missed_hunks, stale};
use crate::audit::Error;
use crate::audit::outcome::HeldFix;
use crate::audit::read::Sources;
use crate::audit::search::{Outside, StoredCorpus, params};
use crate::config::Config;
use crate::fingerprint::Params;
use crate::matching::{HunkIndex, fixes, is_telling, missed};
use crate::policy::{Behind, Component, Finding, Fragment, MissedCommit};
use crate::store::corpus::{CorpusSegment, StoredChange};

/// The findings about what files have missed; `step` is called for each.
pub(in crate::audit) fn missed_fixes(
    holders: &[Holder<'_>],
    outsides: &[Outside],
    sources: &Sources<'_>,
    step: impl Fn() + Sync,
) -> Result<Vec<Finding>, Error> {
    let of_files = holders.par_iter().map(|holder| {
        step();
        stale(holder, outsides, sources)
    });
    let found = of_files.collect::<Result<Vec<_>, Error>>()?;
    let mut findings: Vec<Finding> = found.into_iter().flatten().collect();
    findings.extend(vulnerable(holders, outsides, sources.config)?);
    Ok(findings)
}

/// The findings about functions that listed commits fixed elsewhere, one for each component, once.
/// Time grows with the fingerprints of the file, and with what it shares with the list.
fn vulnerable(
    holders: &[Holder<'_>],
    outsides: &[Outside],
    config: &Config,
) -> Result<Vec<Finding>, Error> {
    let mut lists = Vec::new();
    for stored in outsides.iter().filter_map(Outside::stored) {
        for (segment, _) in stored.sources().filter(|(segment, _)| segment.is_of_fixes()) {
            lists.push(FixList::new(stored, segment)?);
        }
    }
    let mut findings = Vec::new();
    for holder in holders {
        let mut told = KnownGaps::new();
        for list in &lists {
            findings.extend(list.findings(holder, &mut told, config)?);
        }
    }
    Ok(findings)
}

/// The commits that a file was found to lack, with the places.
type KnownGaps = BTreeSet<(String, Vec<Fragment>)>;

struct FixList<'s> {
    stored: &'s StoredCorpus,
    segment: &'s CorpusSegment,
    params: Option<Params>,
    /// The fixes of each function, by the number of the function as it was.
    fixes: HashMap<u32, Vec<StoredChange>>,
}

impl<'s> FixList<'s> {
    fn new(stored: &'s StoredCorpus, segment: &'s CorpusSegment) -> Result<Self, Error> {
        let (k, window) = segment.sampling();
        let mut fixes: HashMap<u32, Vec<StoredChange>> = HashMap::new();
        for change in stored.checked(segment.changes())? {
            if let (Some(before), Some(_)) = (change.before, change.after) {
                fixes.entry(before).or_default().push(change);
            }
        }
        Ok(Self { stored, segment, params: params(k, window), fixes })
    }

    fn findings(
        &self,
        holder: &Holder<'_>,
        told: &mut KnownGaps,
        config: &Config,
    ) -> Result<Vec<Finding>, Error> {
        let &Self { stored, segment, .. } = self;
        let source = holder.source;
        let candidates = self.candidates(holder, config)?;
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let held = HunkIndex::new(&source.tokens);
        let mut of_components: BTreeMap<u32, Vec<MissedCommit>> = BTreeMap::new();
        for change in candidates.iter().filter_map(|blob| self.fixes.get(blob)).flatten() {
            let (Some(before), Some(after)) = (change.before, change.after) else { continue };
            let old = stored.checked(segment.tokens(before))?;
            let new = stored.checked(segment.tokens(after))?;
            let (missed, n_hunks) = missed_hunks([&old, &new], None, &held, holder);
            let versions = Versions::of_tokens(&old, &new);
            let places = versions.places(&missed, source);
            if places.is_empty() {
                continue;
            }
            let commit = stored.checked(segment.past_commit(change.commit))?;
            let component = stored.checked(segment.component_of(before))?;
            let origin = stored.checked(segment.past_name(change.path))?;
            let missed = MissedCommit { commit, origin, places, n_hunks };
            of_components.entry(component).or_default().push(missed);
        }
        let findings = of_components.into_iter().filter_map(|(number, commits)| {
            let mut commits = merged(commits);
            commits.retain(|missed| {
                let places = missed.places.iter().map(|place| place.fragment).collect();
                told.insert((missed.commit.hash.clone(), places))
            });
            let component = Component { version: None, ..stored.declared(segment, number) };
            let behind = Behind { is_listed: true, component: Arc::new(component), commits };
            finding(behind, holder, config)
        });
        Ok(findings.collect())
    }

    /// The functions that share a fingerprint with the file.
    fn candidates(&self, holder: &Holder<'_>, config: &Config) -> Result<Vec<u32>, Error> {
        let Some(params) = self.params else { return Ok(Vec::new()) };
        let tokens = &holder.source.tokens;
        let mut scratch = Vec::new();
        let asked = params.fingerprints(tokens, &mut scratch).filter(|print| {
            let kgram = print.position as usize..print.position as usize + params.noise_threshold();
            holder.novel.is_none_or(|novel| novel[kgram.clone()].contains(&true))
                && is_telling(&tokens[kgram], config.matching.min_distinct)
        });
        let hashes: Vec<u64> = asked.map(|print| print.hash).collect();
        self.stored.sharing(self.segment, &hashes)
    }
}

/// The commits, each once: one may have fixed several functions, or one under several names.
fn merged(commits: Vec<MissedCommit>) -> Vec<MissedCommit> {
    let mut merged: Vec<MissedCommit> = Vec::new();
    for missed in commits {
        let mut of_origin = merged.iter_mut().filter(|known| known.origin == missed.origin);
        match of_origin.find(|known| known.commit == missed.commit) {
            Some(known) => {
                known.n_hunks += missed.n_hunks;
                known.places.extend(missed.places);
                known.places.sort_by_key(|place| place.fragment);
                known.places.dedup_by_key(|place| place.fragment);
            }
            None => merged.push(missed),
        }
    }
    merged
}

/// The security fixes that files have, by file and commit, each once.
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
