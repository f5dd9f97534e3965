//! Turns the copies in a file into findings: a clone class is one finding.

use super::judge::{Changed, Copied};
use super::origins::Found;
use crate::config::Config;
use crate::language::Token;
use crate::matching::{Added, Candidate, CloneClass, ClonePair, added_lines, classes, shown_lines};
use crate::policy::{
    COPIED_CODE, CORPUS_COPY, Finding, Fragment, Level, Origin, Place, REVIVED_CODE, Rule, content, identity,
    order_origins,
};
use crate::text::{Lines, Position};

/// The rule that a copy from `place` falls under.
pub(super) fn rule_of(place: &Place) -> &'static Rule {
    match place {
        Place::Past(_) => &REVIVED_CODE,
        Place::Component(_) => &CORPUS_COPY,
        Place::Tree => &COPIED_CODE,
    }
}

/// Turns the copies in a file into findings; `base_text` is the file before the change.
pub(super) fn findings(
    query: &Changed,
    copies: &[Copied],
    found: &[Found],
    base_text: &[u8],
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
        let Some(finding) = finding(query, &class, copies, found, &lines, &added, config) else { continue };
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

fn finding(
    query: &Changed,
    class: &CloneClass,
    copies: &[Copied],
    found: &[Found],
    lines: &Lines,
    added: &[Added],
    config: &Config,
) -> Option<Finding> {
    let source = &query.source;
    let n_novel = query.novel[class.query.clone()].iter().filter(|&&is_novel| is_novel).count();
    if n_novel < config.min_tokens {
        return None;
    }
    let mut origins: Vec<Origin> = Vec::new();
    for &member in &class.members {
        let Copied { found: number, pair } = &copies[member];
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
            origins.push(Origin {
                place: place.clone(),
                path: target.path.clone(),
                fragment,
                clone_type: pair.clone_type,
                similarity: pair.similarity,
                text: text.clone(),
                written: None,
            });
        }
    }
    order_origins(&mut origins, &source.path);
    // The gravest rule counts, and of equal ones that of the corpus: the license is owed whoever else has the code.
    let gravest = |origin: &Origin| {
        let rule = rule_of(&origin.place);
        (config.level(rule), rule.id == CORPUS_COPY.id, rule.id == COPIED_CODE.id)
    };
    let rule = rule_of(&origins.iter().max_by_key(|origin| gravest(origin))?.place);
    // What stands in the tree counts before what stood there once.
    origins.sort_by_key(|origin| (rule_of(&origin.place).id != rule.id, matches!(origin.place, Place::Past(_))));
    let tokens = &source.tokens[class.query.clone()];
    let fragment = fragment(&source.text, lines, tokens)?;
    let is_reverted = matches!(&origins.first()?.place, Place::Past(deletion) if deletion.is_reverted);
    let level = config.level(rule)?;
    let level = if is_reverted { level.min(Level::Note) } else { level };
    let is_test = source.is_prose || config.tests.contains(&source.path);
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

/// Where `tokens` lie in `text`.
pub(super) fn fragment(text: &[u8], lines: &Lines, tokens: &[Token]) -> Option<Fragment> {
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
