//! Turns the copies in a file into findings: a clone class is one finding.

use std::ops::Range;
use std::sync::Arc;

use super::attribution::Attributions;
use super::copies::{Copied, copies_of};
use crate::audit::change::{Changed, Predecessor, base_texts};
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

/// What several searches found, and what was copied into each file that was asked about.
pub(in crate::audit) struct AllCopies<'c> {
    asking: &'c [&'c Changed],
    /// All files of the change.
    changed: &'c [Changed],
    config: &'c Config,
    pub found: Vec<Found>,
    /// For each file that was asked about.
    pub copies: Vec<Vec<Copied>>,
}

impl<'c> AllCopies<'c> {
    /// Nothing yet, in the files `asking` of a change.
    pub fn new(asking: &'c [&'c Changed], changed: &'c [Changed], config: &'c Config) -> Self {
        Self { asking, changed, config, found: Vec::new(), copies: asking.iter().map(|_| Vec::new()).collect() }
    }

    /// Adds what one search found, as far as a rule asks; `enough` is the evidence that other projects need.
    pub fn take(&mut self, searched: SearchOutcome, enough: Option<&Enough>) {
        let n_before = self.found.len();
        let of_these = copies_of(self.asking, &searched, self.changed, enough, self.config);
        for (all, these) in self.copies.iter_mut().zip(of_these) {
            let these = these.into_iter().filter(|copied| is_on(&searched.found[copied.found].place, self.config));
            all.extend(these.map(|copied| Copied { found: n_before + copied.found, ..copied }));
        }
        self.found.extend(searched.found);
    }

    /// The findings that the copies make, sorted by path and place.
    pub fn findings(&self, predecessors: &[Predecessor], attributions: &Attributions) -> Vec<Finding> {
        let base_text = base_texts(predecessors);
        let of_file = |(query, copies): (&&Changed, &Vec<Copied>)| {
            let base_text = base_text(&query.source.path);
            FileUnderAudit::new(query, base_text, attributions, self.config).findings(copies, &self.found)
        };
        let with_copies = self.asking.iter().zip(&self.copies).filter(|(_, copies)| !copies.is_empty());
        let mut findings: Vec<Finding> = with_copies.flat_map(of_file).collect();
        findings.sort_by(|a, b| (&a.path, a.fragment).cmp(&(&b.path, b.fragment)));
        findings
    }
}

/// How much less alike than the best an origin may be, and explain a copy as well.
const AS_ALIKE: f64 = 0.02;

/// A file that is judged, and what its findings have in common.
pub(in crate::audit) struct FileUnderAudit<'c> {
    query: &'c Changed,
    lines: Lines,
    added: Vec<Added>,
    attributions: &'c Attributions,
    config: &'c Config,
}

impl<'c> FileUnderAudit<'c> {
    /// The file `query`, which was `base_text` before the change.
    pub fn new(query: &'c Changed, base_text: &[u8], attributions: &'c Attributions, config: &'c Config) -> Self {
        let text = &query.source.text;
        Self { query, lines: Lines::new(text), added: added_lines(base_text, text), attributions, config }
    }

    /// The findings that its copies make.
    pub fn findings(&self, copies: &[Copied], found: &[Found]) -> Vec<Finding> {
        let tokens = &self.query.source.tokens;
        let candidate = |copied: &Copied| copied.pair.candidate(tokens, &found[copied.found].target.tokens);
        let candidates: Vec<Candidate> = copies.iter().map(candidate).collect();
        let mut findings: Vec<Finding> = Vec::new();
        for class in classes(&candidates, self.config.min_tokens) {
            let Some(finding) = self.finding(&class, copies, found) else { continue };
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

    /// The finding that a class of its copies makes.
    fn finding(&self, class: &CloneClass, copies: &[Copied], found: &[Found]) -> Option<Finding> {
        let Self { query, config, .. } = self;
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
            let is_known = |other: &Origin| {
                other.place == *place && other.path == target.path && overlaps(&other.fragment, &fragment)
            };
            if !origins.iter().any(is_known) {
                let (place, verdict) = self.judged(place, &fragment);
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
        self.finding_of(class.query.clone(), origins)
    }

    /// The finding of a file that is, byte for byte, a file of these components.
    pub fn whole_file(&self, files: Vec<(FilePath, Component)>) -> Option<Finding> {
        let source = &self.query.source;
        let fragment = fragment(&source.text, &self.lines, &source.tokens)?;
        let origin = |(path, component): (FilePath, Component)| {
            let (place, verdict) = self.judged(&Place::Component(Arc::new(component)), &fragment);
            let (clone_type, fragment) = (CloneType::Type1, whole_lines(&fragment));
            Origin { place, path, fragment, clone_type, similarity: 1.0, text: None, written: None, verdict }
        };
        let origins = files.into_iter().map(origin).collect();
        self.finding_of(0..source.tokens.len(), origins)
    }

    /// Puts a finding together: the rule that its origins call for, and the origins in order.
    fn finding_of(&self, range: Range<usize>, mut origins: Vec<Origin>) -> Option<Finding> {
        let Self { query, lines, added, config, .. } = self;
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

    /// An origin's place with the terms of its lines, and what the policy says of them.
    fn judged(&self, place: &Place, fragment: &Fragment) -> (Place, Option<Verdict>) {
        let Place::Component(component) = place else { return (place.clone(), None) };
        let terms = component.terms.at(fragment.start.line, fragment.end.line);
        let mut verdict = self.config.licenses.judge(&terms);
        if matches!(verdict.attribution, Attribution::Owed(_)) {
            verdict.attribution = self.attributions.of(&self.query.source, &component.name, &terms);
        }
        let place = if component.terms.parts.is_empty() {
            place.clone()
        } else {
            Place::Component(Arc::new(Component { terms, ..(**component).clone() }))
        };
        (place, Some(verdict))
    }
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
