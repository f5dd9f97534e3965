//! Takes findings that are allowed out of the report, and reports ineffective suppressions.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::audit::outcome::part_key;
use crate::audit::read::Source;
use crate::audit::{Comment, Outcome};
use crate::matching::{AddedLines, added_lines};
use crate::policy::{
    AcceptanceRules, Baseline, Date, Decision, Exception, Finding, Fragment, Notice, Peer, Place,
    SuppressedBy, SuppressedFinding, Suppression, suppressions,
};
use crate::text::FilePath;

/// The suppressions of `source`, which was `before`; those count that the base has `at_tip`.
pub(in crate::audit) fn comments(
    source: &Source,
    before: Option<&Source>,
    at_tip: Option<&[Suppression]>,
    honored: &[Peer],
) -> Vec<Comment> {
    let found = suppressions(&source.text, &source.tokens, honored);
    let base_text = before.map_or(&[][..], |before| &before.text);
    let added: Arc<[bool]> =
        added_lines(base_text, &source.text).iter().map(|&line| line > AddedLines::No).collect();
    // A line may have been there as something else, such as a part of a string.
    let mut of_base = before.map(|before| allowed_in(before, honored)).unwrap_or_default();
    let comments = found.into_iter().map(|suppression| {
        let line = suppression.as_ref().map_or_else(|bad| bad.line, |good| good.line);
        let is_added = is_marked(&added, line)
            || suppression.as_ref().is_ok_and(|good| !take(&mut of_base, good));
        let is_at_tip = match (at_tip, &suppression) {
            (Some(at_tip), Ok(good)) => at_tip.iter().any(|known| known.says_the_same(good)),
            _ => true,
        };
        let (path, added) = (source.path.clone(), Arc::clone(&added));
        Comment { path, is_added, is_at_tip, added, suppression }
    });
    comments.collect()
}

/// Whether a line, from 1, is `added`.
fn is_marked(added: &[bool], line: u32) -> bool {
    added.get(line as usize - 1) == Some(&true)
}

/// Whether a file has comments that allow something, or are meant to.
pub(in crate::audit) fn has_comments(source: &Source, honored: &[Peer]) -> bool {
    !suppressions(&source.text, &source.tokens, honored).is_empty()
}

pub(in crate::audit) fn allowed_in(source: &Source, honored: &[Peer]) -> Vec<Suppression> {
    suppressions(&source.text, &source.tokens, honored).into_iter().flatten().collect()
}

/// Takes one that says the same out of `known`, if there is one.
fn take(known: &mut Vec<Suppression>, suppression: &Suppression) -> bool {
    let at = known.iter().position(|known| known.says_the_same(suppression));
    at.map(|at| known.swap_remove(at)).is_some()
}

impl Comment {
    /// Whether what it would allow in `fragment` came with the change. One for a line was written
    /// about the code there: that has to be there still, and at least half of what is allowed.
    fn is_about_new_code(&self, suppression: &Suppression, fragment: &Fragment) -> bool {
        let Some(own) = &suppression.lines else { return true };
        let n_added = fragment.rows().filter(|&line| is_marked(&self.added, line)).count();
        is_marked(&self.added, *own.end()) || 2 * n_added > fragment.rows().len()
    }
}

/// Moves the findings that are allowed on `today` to the suppressed ones, and adds the notices.
///
/// Unless `trusts_change`, suppressions have no effect that the change adds, that the base as it is
/// now does not have, or that are about other code. A clone class of a tree is suppressed if all of
/// its places but one are, or if all are in the baseline.
pub(in crate::audit) fn suppress(
    outcome: &mut Outcome,
    baseline: &Baseline,
    accepted: AcceptanceRules<'_>,
    today: Date,
    trusts_change: bool,
) {
    let is_scan = outcome.duplication.is_some();
    let all = outcome.comments.iter().map(|comment| (comment, Use::None)).collect();
    let mut comments = Comments { all, today, trusts_change };
    let mut known = baseline.counts();
    let mut acceptances = Acceptances::new(accepted, today);
    let mut parts = std::mem::take(&mut outcome.parts);
    // What is kept goes to the end: a scan has hundreds of thousands, which fit in memory once.
    let mut findings: VecDeque<Finding> = std::mem::take(&mut outcome.findings).into();
    let mut n_kept = 0;
    while findings.len() > n_kept
        && let Some(finding) = findings.pop_front()
    {
        let allowed = match is_scan {
            true => comments.allow_class(&finding),
            false => comments.allow(finding.rule.id, &finding.path, &finding.fragment),
        };
        let of_rule = allowed.or_else(|| acceptances.excepted(&finding));
        if of_rule.is_some() {
            // Only this rule was suppressed: findings of other rules about the copy remain.
            let parts = parts.remove(&part_key(&finding)).unwrap_or_default().into_iter();
            let rest = parts.filter(|part| part.rule.id != finding.rule.id);
            rest.rev().for_each(|part| findings.push_front(part));
        }
        let allowed = of_rule.or_else(|| acceptances.decided(&finding));
        match allowed.or_else(|| take_known(&finding, &mut known)) {
            Some(by) => outcome.suppressed.push(SuppressedFinding { finding, by }),
            None => {
                findings.push_back(finding);
                n_kept += 1;
            }
        }
    }
    outcome.notices.extend(comments.notices(is_scan));
    outcome.notices.extend(acceptances.notices(outcome.audited.is_some()));
    outcome.findings = findings.into();
    outcome.n_suppressed = outcome.suppressed.len();
    outcome.notices.sort_unstable();
}

/// The exceptions and decisions of an audit, each with whether it was used.
struct Acceptances<'a> {
    exceptions: Vec<(&'a Exception, bool)>,
    decisions: Vec<(&'a Decision, bool)>,
    today: Date,
    notices: Vec<Notice>,
}

impl<'a> Acceptances<'a> {
    fn new(accepted: AcceptanceRules<'a>, today: Date) -> Self {
        let exceptions = accepted.exceptions.iter().map(|exception| (exception, false)).collect();
        let decisions = accepted.decisions.iter().map(|decision| (decision, false)).collect();
        Self { exceptions, decisions, today, notices: Vec::new() }
    }

    /// The exception that covers a finding: each origin in a component needs a valid one.
    fn excepted(&mut self, finding: &Finding) -> Option<SuppressedBy> {
        let mut first = None;
        let mut is_covered = true;
        for origin in &finding.origins {
            let Place::Component(component) = &origin.place else { continue };
            let mut covering = None;
            for (exception, is_used) in &mut self.exceptions {
                let purl = component.purl.as_deref();
                if exception.covers(finding.rule, finding.path.as_bytes(), &component.name, purl) {
                    *is_used = true;
                    covering = covering.or(exception.holds(self.today).then_some(*exception));
                }
            }
            is_covered &= covering.is_some();
            first = first.or(covering);
        }
        let first = first.filter(|_| is_covered)?;
        let by = "an exception of the license policy";
        Some(SuppressedBy::new("exception", by, first.until, &first.reason))
    }

    /// The decision on a finding, if it is valid; else a notice says why not.
    fn decided(&mut self, finding: &Finding) -> Option<SuppressedBy> {
        let mut decided = None;
        let decisions = self.decisions.iter_mut();
        for (decision, is_used) in decisions.filter(|(of, _)| of.copy == finding.identity) {
            *is_used = true;
            match decision.fault(self.today) {
                None => {
                    let by = format!("a decision of {}", decision.by);
                    let Decision { until, reason, .. } = decision;
                    decided.get_or_insert(SuppressedBy::new("decision", &by, *until, reason));
                }
                Some(fault) => {
                    let line = Some(finding.fragment.start.line);
                    let message = format!("the decision on this copy has no effect: {fault}");
                    self.notices.push(Notice::new(Some(finding.path.clone()), line, &message));
                }
            }
        }
        decided
    }

    /// The notices about them. Unused ones are reported of a whole tree only.
    fn notices(mut self, is_whole: bool) -> Vec<Notice> {
        let exceptions = self.exceptions.iter();
        let exceptions = exceptions.filter_map(|&(exception, is_used)| match exception.until {
            Some(until) if is_used && !exception.holds(self.today) => {
                Some(format!("{exception} expired after {until}"))
            }
            _ if !is_used && is_whole => {
                Some(format!("{exception} is unused: there is no copy for it to accept"))
            }
            _ => None,
        });
        let decisions = self.decisions.iter().filter(|(_, is_used)| !is_used && is_whole);
        let decisions = decisions.map(|(decision, _)| {
            format!("the decision on {} is unused: the copy no longer exists", decision.copy)
        });
        let messages: Vec<String> = exceptions.chain(decisions).collect();
        self.notices.extend(messages.iter().map(|message| Notice::new(None, None, message)));
        self.notices
    }
}

fn take_known(finding: &Finding, known: &mut BTreeMap<&str, usize>) -> Option<SuppressedBy> {
    if !known.contains_key(&*finding.identity) {
        return None;
    }
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    for copy in finding.known_copies() {
        *asked.entry(copy.identity).or_default() += 1;
    }
    if asked.iter().any(|(identity, n)| known.get(&**identity).is_none_or(|left| left < n)) {
        return None;
    }
    for (identity, n) in asked {
        known.get_mut(&*identity).into_iter().for_each(|left| *left -= n);
    }
    Some(SuppressedBy::baseline())
}

/// What code a comment was asked to allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    None,
    Old,
    /// What came with the change.
    New,
}

/// The comments of an audit, each with how it was used.
struct Comments<'a> {
    all: Vec<(&'a Comment, Use)>,
    today: Date,
    trusts_change: bool,
}

impl Comments<'_> {
    /// The first comment that allows a finding of `rule` in `path`.
    fn allow(&mut self, rule: &str, path: &FilePath, fragment: &Fragment) -> Option<SuppressedBy> {
        let lines = fragment.start.line..=fragment.end.line;
        let mut found = None;
        for (comment, used) in &mut self.all {
            let Ok(suppression) = &comment.suppression else { continue };
            if comment.path != *path || !suppression.covers(rule, &lines) {
                continue;
            }
            let is_new = comment.is_about_new_code(suppression, fragment);
            *used = (*used).max(if is_new { Use::New } else { Use::Old });
            let is_by_base =
                !comment.is_added && comment.is_at_tip && (suppression.lines.is_none() || !is_new);
            let is_trusted = self.trusts_change || is_by_base;
            if found.is_none() && is_trusted && suppression.holds(self.today) {
                let Suppression { line, reason, until, .. } = suppression;
                let by = format!("the comment on line {line}");
                found = Some(SuppressedBy::new("comment", &by, *until, reason));
            }
        }
        found
    }

    fn allow_class(&mut self, finding: &Finding) -> Option<SuppressedBy> {
        let others = finding.origins_in_tree().map(|origin| (&origin.path, &origin.fragment));
        let places = [(&finding.path, &finding.fragment)].into_iter().chain(others);
        let allowed: Vec<Option<SuppressedBy>> =
            places.map(|(path, of)| self.allow(finding.rule.id, path, of)).collect();
        let n_left = allowed.iter().filter(|allowed| allowed.is_none()).count();
        if n_left > 1 { None } else { allowed.into_iter().flatten().next() }
    }

    /// The notices about comments. What those of base allow was not searched for in a change.
    fn notices(&self, is_scan: bool) -> Vec<Notice> {
        let mut notices = Vec::new();
        for &(comment, used) in &self.all {
            let (line, message) = match &comment.suppression {
                Ok(good) => (good.line, self.message(comment, good, used, is_scan)),
                Err(bad) => {
                    (bad.line, Some(format!("this suppression has no effect: {}", bad.why)))
                }
            };
            let path = Some(comment.path.clone());
            notices.extend(message.map(|message| Notice::new(path, Some(line), &message)));
        }
        notices
    }

    fn message(
        &self,
        comment: &Comment,
        suppression: &Suppression,
        used: Use,
        is_scan: bool,
    ) -> Option<String> {
        let Suppression { reason, lines, until, .. } = suppression;
        let is_used = used > Use::None;
        let why = if !suppression.holds(self.today) && (is_used || is_scan) {
            let until = until.map(|until| until.to_string()).unwrap_or_default();
            return Some(format!("this suppression expired after {until}"));
        } else if comment.is_added && is_used && !self.trusts_change {
            "the change itself adds it"
        } else if is_used && !comment.is_at_tip {
            "the base does not have it, or not in this file"
        } else if used == Use::New && !self.trusts_change && lines.is_some() {
            "the change adds the code below it"
        } else if used == Use::New && !comment.is_added && !is_scan {
            return Some(format!("an old suppression now allows new code: {reason}"));
        } else if comment.is_added && is_used {
            return Some(format!("the change adds a suppression: {reason}"));
        } else if !is_used && !suppression.is_foreign && (is_scan || comment.is_added) {
            return Some("unused suppression: there is no copy for it to allow".to_owned());
        } else {
            return None;
        };
        Some(format!("this suppression has no effect: {why} ({reason})"))
    }
}
