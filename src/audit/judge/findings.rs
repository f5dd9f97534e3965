//! Turns the copies in a file into findings: a clone class is one finding.

use std::ops::Range;
use std::sync::Arc;

use super::attribution::Attributions;
use super::copies::{Copied, copies_of};
use crate::audit::change::{Changed, Predecessor, base_texts};
use crate::audit::read::Source;
use crate::audit::search::{Found, SearchOutcome};
use crate::config::Config;
use crate::language::Token;
use crate::matching::{Added, Candidate, CloneClass, ClonePair, CloneType, Enough, added_lines, classes, shown_lines};
use crate::policy::{
    Attribution, COPIED_CODE, Component, Finding, Fragment, LICENSE_CONFLICT, LICENSE_RULES, Level, Origin, Place,
    REVIVED_CODE, Rule, Verdict, content, identity, order_origins,
};
use crate::text::{FilePath, Lines, Position};

/// Whether any rule that a copy from `place` may fall under is on.
fn is_on(place: &Place, config: &Config) -> bool {
    let rules: &[&Rule] = match place {
        Place::Past(_) => &[&REVIVED_CODE],
        Place::Component(_) => LICENSE_RULES,
        Place::Tree => &[&COPIED_CODE],
    };
    rules.iter().any(|rule| config.level(rule).is_some())
}

/// What several searches found, and for each document that was asked about what was copied into it.
#[derive(Default)]
pub(in crate::audit) struct AllCopies {
    pub found: Vec<Found>,
    pub copies: Vec<Vec<Copied>>,
}

impl AllCopies {
    /// Adds what one search found of `asking`, as far as a rule asks; `enough` is the evidence that other projects need.
    pub fn take(
        &mut self,
        searched: SearchOutcome,
        asking: &[&Changed],
        changed: &[Changed],
        enough: Option<&Enough>,
        config: &Config,
    ) {
        let n_before = self.found.len();
        self.copies.resize_with(asking.len(), Vec::new);
        let of_these = copies_of(asking, &searched.found, &searched.frequencies, changed, enough, config);
        for (all, these) in self.copies.iter_mut().zip(of_these) {
            let these = these.into_iter().filter(|copied| is_on(&searched.found[copied.found].place, config));
            all.extend(these.map(|copied| Copied { found: n_before + copied.found, ..copied }));
        }
        self.found.extend(searched.found);
    }
}

/// The findings that `copies` of the files `asking` make, sorted by path and place.
pub(in crate::audit) fn concluded(
    asking: &[&Changed],
    copies: Vec<Vec<Copied>>,
    found: &[Found],
    predecessors: &[Predecessor],
    attributions: &Attributions,
    config: &Config,
) -> Vec<Finding> {
    let base_text = base_texts(predecessors);
    let of_file = |(query, copies): (&&Changed, Vec<Copied>)| {
        findings(query, &copies, found, base_text(&query.source.path), attributions, config)
    };
    let mut findings: Vec<Finding> = asking.iter().zip(copies).flat_map(of_file).collect();
    findings.sort_by(|a, b| (&a.path, a.fragment).cmp(&(&b.path, b.fragment)));
    findings
}

/// Turns the copies in a file into findings; `base_text` is the file before the change.
pub(in crate::audit) fn findings(
    query: &Changed,
    copies: &[Copied],
    found: &[Found],
    base_text: &[u8],
    attributions: &Attributions,
    config: &Config,
) -> Vec<Finding> {
    let candidates: Vec<Candidate> = copies
        .iter()
        .map(|copied| copied.pair.candidate(&query.source.tokens, &found[copied.found].target.tokens))
        .collect();
    if candidates.is_empty() {
        return Vec::new();
    }
    let lines = Lines::new(&query.source.text);
    let added = added_lines(base_text, &query.source.text);
    let mut findings: Vec<Finding> = Vec::new();
    for class in classes(&candidates, config.min_tokens) {
        let Some(finding) = finding(query, &class, copies, found, &lines, &added, attributions, config) else {
            continue;
        };
        // Code hosts show one alert a rule and line.
        match findings.iter_mut().find(|other| other.added.start.line == finding.added.start.line) {
            Some(other) => {
                other.origins.extend(finding.origins);
                order_origins(&mut other.origins, &other.path);
            }
            None => findings.push(finding),
        }
    }
    findings
}

#[allow(clippy::too_many_arguments, reason = "what a file's findings have in common")]
fn finding(
    query: &Changed,
    class: &CloneClass,
    copies: &[Copied],
    found: &[Found],
    lines: &Lines,
    added: &[Added],
    attributions: &Attributions,
    config: &Config,
) -> Option<Finding> {
    let source = &query.source;
    let n_novel = query.novel[class.query.clone()].iter().filter(|&&is_novel| is_novel).count();
    let is_whole = class.members.iter().any(|&member| copies[member].is_whole);
    if n_novel < config.min_tokens && !is_whole {
        return None;
    }
    let mut origins: Vec<Origin> = Vec::new();
    for &member in &class.members {
        let Copied { found: number, pair, .. } = &copies[member];
        let Found { place, target, text, .. } = &found[*number];
        let pair = ClonePair::new(pair.alignment.within(class.query.clone()), &source.tokens, &target.tokens);
        let is_cut = class.query.start > copies[member].pair.alignment.query().start
            || class.query.end < copies[member].pair.alignment.query().end;
        if pair.alignment.blocks.is_empty() || is_cut && !pair.is_clone(&config.matching) {
            continue;
        }
        let fragment = fragment(&target.text, &Lines::new(&target.text), &target.tokens[pair.alignment.target()])?;
        let is_laid_out = text.is_none() && *place != Place::Tree;
        let fragment = if is_laid_out { whole_lines(&fragment) } else { fragment };
        let is_known =
            |other: &Origin| other.place == *place && other.path == target.path && overlaps(&other.fragment, &fragment);
        if !origins.iter().any(is_known) {
            let (place, verdict) = judged(place, &fragment, source, attributions, config);
            origins.push(Origin {
                place,
                verdict,
                path: target.path.clone(),
                fragment,
                clone_type: pair.clone_type,
                similarity: pair.similarity,
                text: text.clone(),
                written: None,
            });
        }
    }
    finding_of(query, class.query.clone(), origins, lines, added, config)
}

/// The finding of a file that is, byte for byte, a file of these components.
pub(in crate::audit) fn whole_file(
    query: &Changed,
    files: Vec<(FilePath, Component)>,
    attributions: &Attributions,
    config: &Config,
) -> Option<Finding> {
    let source = &query.source;
    let lines = Lines::new(&source.text);
    let fragment = fragment(&source.text, &lines, &source.tokens)?;
    let origin = |(path, component): (FilePath, Component)| {
        let (place, verdict) = judged(&Place::Component(Arc::new(component)), &fragment, source, attributions, config);
        let (clone_type, fragment) = (CloneType::Type1, whole_lines(&fragment));
        Origin { place, path, fragment, clone_type, similarity: 1.0, text: None, written: None, verdict }
    };
    let origins = files.into_iter().map(origin).collect();
    let added = vec![Added::Surely; lines.n_lines() as usize];
    finding_of(query, 0..source.tokens.len(), origins, &lines, &added, config)
}

/// Puts a finding together: the rule that its origins call for, and the origins in order.
fn finding_of(
    query: &Changed,
    range: Range<usize>,
    mut origins: Vec<Origin>,
    lines: &Lines,
    added: &[Added],
    config: &Config,
) -> Option<Finding> {
    let source = &query.source;
    let n_novel = query.novel[range.clone()].iter().filter(|&&is_novel| is_novel).count();
    order_origins(&mut origins, &source.path);
    // The gravest rule counts, and of equal ones that of the corpus: the license is owed whoever else has the code.
    // Of components only those count that explain the copy as well as any: one that has half of it tells little.
    let is_component = |origin: &&Origin| matches!(origin.place, Place::Component(_));
    let best = origins.iter().filter(is_component).map(|origin| origin.similarity).fold(0.0, f64::max);
    let explains = |origin: &&Origin| !is_component(origin) || origin.similarity >= best - AS_ALIKE;
    let gravest = |origin: &&Origin| {
        let rule = origin.rule();
        let answer = origin.verdict.as_ref().map(|verdict| verdict.answer);
        (config.level(rule), is_component(origin), answer, rule.id == COPIED_CODE.id)
    };
    let chosen = origins.iter().filter(explains).max_by_key(gravest)?;
    let (rule, verdict) = (chosen.rule(), chosen.verdict.clone());
    // What stands in the tree counts before what stood there once.
    let is_answered =
        |origin: &Origin| origin.verdict.as_ref().map(|of| of.answer) == verdict.as_ref().map(|of| of.answer);
    origins.sort_by_key(|origin| {
        (origin.rule().id != rule.id, !is_answered(origin), matches!(origin.place, Place::Past(_)))
    });
    let tokens = &source.tokens[range];
    let fragment = fragment(&source.text, lines, tokens)?;
    let is_reverted = matches!(&origins.first()?.place, Place::Past(deletion) if deletion.is_reverted);
    let level = config.level(rule)?;
    let level = if is_reverted { level.min(Level::Note) } else { level };
    let level = verdict.as_ref().map_or(level, |verdict| verdict.level(level));
    // Tests repeat by nature; a license asks the same of them. Documents quote.
    let is_of_license = LICENSE_RULES.iter().any(|of| of.id == rule.id);
    let is_test = if is_of_license {
        source.is_prose && rule.id != LICENSE_CONFLICT.id
    } else {
        source.is_prose || config.tests.contains(&source.path)
    };
    (!origins.is_empty()).then(|| Finding {
        rule,
        level: if is_test { level.min(config.test_level) } else { level },
        path: source.path.clone(),
        fragment,
        added: added_part(&fragment, added, lines, &source.text),
        n_tokens: tokens.len(),
        n_novel,
        origins,
        identity: identity(rule, &source.path, content(tokens)),
        others: Vec::new(),
    })
}

/// How much less alike than the best an origin may be, and explain a copy as well.
const AS_ALIKE: f64 = 0.02;

/// An origin's place with the terms of its lines, and what the policy says of them.
fn judged(
    place: &Place,
    fragment: &Fragment,
    copy: &Source,
    attributions: &Attributions,
    config: &Config,
) -> (Place, Option<Verdict>) {
    let Place::Component(component) = place else { return (place.clone(), None) };
    let terms = component.terms.at(fragment.start.line, fragment.end.line);
    let mut verdict = config.licenses.judge(&terms);
    if matches!(verdict.attribution, Attribution::Owed(_)) {
        verdict.attribution = attributions.of(copy, &component.name, &terms);
    }
    let place = if component.terms.parts.is_empty() {
        place.clone()
    } else {
        Place::Component(Arc::new(Component { terms, ..(**component).clone() }))
    };
    (place, Some(verdict))
}

/// Where `tokens` lie in `text`.
pub(in crate::audit) fn fragment(text: &[u8], lines: &Lines, tokens: &[Token]) -> Option<Fragment> {
    let (first, last) = (tokens.first()?, tokens.last()?);
    Some(Fragment { start: lines.position(text, first.start), end: lines.position(text, last.end) })
}

/// The lines of a fragment whose columns are not known.
fn whole_lines(fragment: &Fragment) -> Fragment {
    let at = |line| Position { line, column: 1 };
    Fragment { start: at(fragment.start.line), end: at(fragment.end.line) }
}

fn overlaps(a: &Fragment, b: &Fragment) -> bool {
    a == b || a.start < b.end && b.start < a.end
}

/// Where a code host shows what is said of a fragment; the whole fragment when the change adds no line.
fn added_part(fragment: &Fragment, added: &[Added], lines: &Lines, text: &[u8]) -> Fragment {
    let Some((first, last)) = shown_lines(added, fragment.start.line..=fragment.end.line) else { return *fragment };
    let start = if first == fragment.start.line { fragment.start } else { Position { line: first, column: 1 } };
    let end = if last == fragment.end.line {
        fragment.end
    } else {
        let range = lines.range(last);
        lines.position(text, (range.start + lines.text(text, last).len()) as u32)
    };
    Fragment { start, end }
}
