//! Turns the copies in a file into findings: a clone class is one finding.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use rayon::prelude::*;

use super::attribution::Attributions;
use super::comeback::Comeback;
use super::copies::{TreeCopy, copies_of};
use super::mutual::{JointFinding, without_mutual};
use super::nearby::Nearby;
use crate::audit::change::{ChangedFile, Predecessor};
use crate::audit::read::{Source, Sources, counts, n_marked};
use crate::audit::search::{FileHits, SearchOutcome, SeedPlaces};
use crate::config::{Config, Thresholds};
use crate::language::{Builds, Language, Languages};
use crate::matching::{
    AddedLines, CloneClass, ClonePair, CloneType, Document, Enough, QueryPairs, TargetPair,
    added_lines, clone_classes, is_same_place, n_equal_lines, names_alike, shown_lines,
};
use crate::policy::{
    About, Attribution, Component, Finding, Fragment, InCommon, Insertion, Origin, Place, Rank,
    Reuse, Verdict, content, identity, n_as_good, order_origins,
};
use crate::text::{FilePath, Position};

/// What several searches found, and what was copied into each file that was searched for.
pub(in crate::audit) struct AllCopies<'c> {
    asking: &'c [&'c ChangedFile],
    changed: &'c [ChangedFile],
    base: &'c [Predecessor],
    sources: &'c Sources<'c>,
    pub found: Vec<FileHits>,
    pub copies: Vec<Vec<TreeCopy>>,
    /// What comes back to each file.
    pub reverted: BTreeMap<FilePath, Comeback>,
    /// For each file, the number of places of the tree with its fingerprints, by position.
    n_places: Vec<Vec<SeedPlaces>>,
}

impl<'c> AllCopies<'c> {
    pub fn new(
        asking: &'c [&'c ChangedFile],
        changed: &'c [ChangedFile],
        base: &'c [Predecessor],
        sources: &'c Sources<'c>,
    ) -> Self {
        let copies = asking.iter().map(|_| Vec::new()).collect();
        let (found, reverted, n_places) = (Vec::new(), BTreeMap::new(), Vec::new());
        Self { asking, changed, base, sources, found, copies, reverted, n_places }
    }

    /// Adds the copies of a search whose rules are on; of other projects, with `enough` evidence.
    pub fn take(&mut self, searched: SearchOutcome, enough: Option<&Enough>) {
        let n_before = self.found.len();
        let config = self.sources.config;
        let of_these = copies_of(self.asking, &searched, self.changed, self.base, enough, config);
        for ((file, all), these) in self.asking.iter().zip(&mut self.copies).zip(of_these) {
            let levels = file.thresholds(config).levels;
            let these = these.into_iter();
            let these = these.filter(|copied| levels.ask_for(&searched.found[copied.found].place));
            all.extend(these.map(|copied| TreeCopy { found: n_before + copied.found, ..copied }));
        }
        self.found.extend(searched.found);
        if self.n_places.is_empty() {
            self.n_places = searched.n_places;
        }
    }

    /// The findings that the copies make, sorted by path and position.
    pub fn findings(
        &self,
        attributions: &Attributions<'_>,
        nearby: Option<&Nearby<'_>>,
    ) -> Vec<JointFinding> {
        let before = self.base.iter().filter_map(|file| Some((file.of.as_ref()?, &*file.source)));
        let with = JudgedWith {
            config: self.sources.config,
            languages: self.sources.languages,
            attributions,
            nearby,
            reverted: &self.reverted,
            novel_of: self.changed.iter().map(|file| (&file.source.path, &*file.novel)).collect(),
            before: before.collect(),
        };
        let copies = self.copies.par_iter().enumerate().filter(|(_, copies)| !copies.is_empty());
        let findings = copies.flat_map_iter(|(number, copies)| {
            let n_places = self.n_places.get(number).map_or(&[][..], Vec::as_slice);
            let file = FileUnderAudit::new(self.asking[number], &with);
            file.findings(copies, &self.found, n_places)
        });
        let mut findings: Vec<JointFinding> = findings.collect();
        findings.sort_by(|JointFinding(a, _), JointFinding(b, _)| Finding::by_place(a, b));
        without_mutual(findings)
    }
}

/// A file being checked, and what its findings have in common.
pub(in crate::audit) struct FileUnderAudit<'c> {
    pub(super) query: &'c ChangedFile,
    added: Vec<AddedLines>,
    pub(super) with: &'c JudgedWith<'c>,
    pub(super) thresholds: Thresholds,
    pub(super) language: Option<&'c Language>,
    /// The conditions on builds in it and in the files of its origins.
    builds: RefCell<HashMap<FilePath, Rc<Builds>>>,
    /// How far other files are in step with it, in percent.
    pub(super) in_step: RefCell<HashMap<FilePath, Option<u8>>>,
}

/// What all files of a change are judged with.
pub(in crate::audit) struct JudgedWith<'c> {
    pub config: &'c Config,
    pub languages: &'c Languages,
    pub attributions: &'c Attributions<'c>,
    /// For each file of the change, which of its tokens are novel.
    pub novel_of: BTreeMap<&'c FilePath, &'c [bool]>,
    pub nearby: Option<&'c Nearby<'c>>,
    pub reverted: &'c BTreeMap<FilePath, Comeback>,
    /// The files of the change as they were, by the path they have now.
    pub before: BTreeMap<&'c FilePath, &'c Source>,
}

impl<'c> FileUnderAudit<'c> {
    pub fn new(query: &'c ChangedFile, with: &'c JudgedWith<'c>) -> Self {
        let text = &query.source.text;
        let base_text = with.before.get(&query.source.path).map_or(&[][..], |before| &before.text);
        Self {
            query,
            added: added_lines(base_text, text),
            with,
            thresholds: query.thresholds(with.config),
            language: with.languages.named(&query.source.language),
            builds: RefCell::default(),
            in_step: RefCell::default(),
        }
    }

    /// The findings of its copies.
    ///
    /// Each kind of place is judged alone, and findings with the same code are joined afterward:
    /// searching more never changes a finding, except to make it more severe.
    pub fn findings(
        &self,
        copies: &[TreeCopy],
        found: &[FileHits],
        n_places: &[SeedPlaces],
    ) -> Vec<JointFinding> {
        let mut drafts = self.all_drafts(copies, found);
        drafts.sort_unstable_by_key(|draft| (draft.range.start, draft.range.end));
        let mut findings: Vec<JointFinding> = Vec::new();
        let mut on_line: HashMap<(&str, u32), usize> = HashMap::new();
        for draft in drafts {
            let n_places = n_places_of(&draft, n_places);
            let joint = self.finding_of_draft(draft);
            let Some(JointFinding(mut finding, parts)) = joint else { continue };
            finding.n_places = finding.n_places.max(n_places);
            // Code hosts show one alert for each rule and line.
            match on_line.get(&(finding.rule.id, finding.added.start.line)) {
                Some(&other) => {
                    let JointFinding(other, other_parts) = &mut findings[other];
                    if finding.level > other.level {
                        mem::swap(other, &mut finding);
                    }
                    other.origins.extend(finding.origins);
                    order_origins(&mut other.origins, &other.path);
                    other_parts.extend(parts);
                }
                None => {
                    on_line.insert((finding.rule.id, finding.added.start.line), findings.len());
                    findings.push(JointFinding(finding, parts));
                }
            }
        }
        findings
    }

    /// The drafts of its copies, joined if they are of different kinds of places and the same code.
    fn all_drafts(&self, copies: &[TreeCopy], found: &[FileHits]) -> Vec<Draft> {
        let mut of_kinds: [Vec<&TreeCopy>; 3] = Default::default();
        for copied in copies {
            let kind = match found[copied.found].place {
                Place::Tree => 0,
                Place::Component(_) => 1,
                Place::Past(_) => 2,
            };
            of_kinds[kind].push(copied);
        }
        let mut drafts: Vec<Draft> = Vec::new();
        let mut in_tree: BTreeSet<u32> = BTreeSet::new();
        for (kind, copies) in of_kinds.iter().enumerate() {
            // What is identical to a deleted file came back, though the tree has some of it too.
            let came_back = copies.iter().any(|copied| copied.is_whole);
            // Findings of one kind share no code.
            let n_before = drafts.len();
            for draft in self.drafts(copies, found) {
                let others = &mut drafts[..n_before];
                let same = others.iter_mut().find(|of| is_same_place(&of.range, &draft.range));
                let is_file = came_back && draft.range.len() == self.query.source.tokens.len();
                match same {
                    Some(other) => other.join(draft),
                    // The tree has it as well: the past has it because the tree had it then.
                    None if kind == 2 && !is_file && draft.is_explained(&in_tree) => {}
                    None => drafts.push(draft),
                }
            }
            if kind == 0 {
                in_tree = drafts.iter().flat_map(|draft| draft.spelled.iter().copied()).collect();
            }
        }
        drafts
    }

    fn drafts(&self, copies: &[&TreeCopy], found: &[FileHits]) -> Vec<Draft> {
        let Self { query, thresholds: Thresholds { min_tokens, matching, .. }, .. } = self;
        let pairs = copies.iter().map(|copied| {
            let FileHits { place, target, .. } = &found[copied.found];
            TargetPair {
                pair: &copied.pair,
                target: copied.found,
                tokens: &target.tokens,
                is_same: *place == Place::Tree && target.path == query.source.path,
                is_run: copied.is_run,
                is_sufficient: copied.is_whole,
            }
        });
        let classes = clone_classes(QueryPairs {
            query: query.source.document(),
            pairs: &pairs.collect::<Vec<_>>(),
            min_tokens: *min_tokens,
            is_enough: &|range| n_marked(&query.novel[range.clone()]) >= *min_tokens,
            by_part: false,
            params: matching,
        });
        let classes = classes.classes.into_iter();
        classes.filter_map(|class| self.draft(class, copies, found)).collect()
    }

    fn draft(&self, class: CloneClass, copies: &[&TreeCopy], found: &[FileHits]) -> Option<Draft> {
        let CloneClass { query: range, members } = class;
        let (mut origins, mut spelled) = (Vec::new(), Vec::new());
        for (member, pair) in members {
            let TreeCopy { found: number, is_in_both, .. } = *copies[member];
            let file = &found[number];
            let positions = pair.exact_positions(&self.query.source.tokens, &file.target.tokens);
            // Of those with most, the last.
            if positions.len() >= spelled.len() {
                spelled = positions;
            }
            origins.extend(self.origin(&range, &pair, file, is_in_both));
        }
        (!origins.is_empty()).then_some(Draft { range, origins, spelled, parts: Vec::new() })
    }

    fn builds(&self, of: &Source) -> Rc<Builds> {
        let mut known = self.builds.borrow_mut();
        let known = known.entry(of.path.clone());
        Rc::clone(known.or_insert_with(|| Rc::new(Builds::new(&of.path, &of.text))))
    }

    /// The origin that a pair shows, which the change may have inserted into both of an old pair.
    fn origin(
        &self,
        range: &Range<usize>,
        pair: &ClonePair,
        found: &FileHits,
        is_in_both: bool,
    ) -> Option<Origin> {
        let FileHits { place, target, text, .. } = found;
        let source = &self.query.source;
        let of_target = pair.alignment.target();
        // A class may leave a few tokens of a place, such as a lone bracket, which nobody copied.
        if of_target.len() < self.thresholds.matching.k {
            return None;
        }
        let fragment = target.fragment(&of_target)?;
        let is_laid_out = text.is_none() && *place != Place::Tree;
        let fragment = if is_laid_out { whole_lines(&fragment) } else { fragment };
        // How much of the whole finding it explains, and how much of that as it is spelled.
        let explains =
            pair.alignment.n_tokens() as f64 / range.len().max(1) as f64 * pair.similarity;
        // A run that the origin has as it is may be a part of the copy.
        let (clone_type, similarity) = match pair.alignment.query() == *range {
            true => (pair.clone_type, pair.similarity),
            false => (CloneType::Type3, pair.similarity_within(range)),
        };
        let spelled = (2.0 * pair.n_exact as f64 / (range.len() + of_target.len()) as f64).min(1.0);
        let is_in_tree = *place == Place::Tree;
        let novel = self.with.novel_of.get(&target.path).filter(|_| is_in_tree);
        let n_novel = novel.map_or(0, |novel| n_marked(&novel[of_target.clone()]));
        let is_alternative = is_in_tree && {
            let rows = source.rows(range);
            self.builds(source).exclude(&rows, &self.builds(target), &fragment.rows())
        };
        let own_tokens = &source.tokens[range.clone()];
        let of_tokens = &target.tokens[of_target.clone()];
        let in_common = InCommon {
            names: names_alike(own_tokens, of_tokens),
            agreement: pair.agreement,
            n_rare_names: self.n_rare_names(own_tokens, of_tokens),
            n_equal_lines: n_equal_lines(&pair.alignment, source.document(), target.document()),
            in_step: if is_in_tree { self.in_step(target) } else { None },
            is_prose: target.is_prose,
            is_generated: target.is_generated,
            is_alternative,
            n_lines: self.n_lines(pair.alignment.pairs().map(|(at, _)| at)),
            insertion: is_in_both.then(|| self.insertion(&pair.alignment.query())),
            // What differs has to become a parameter first, but for the name of the whole.
            reuse: match pair.clone_type {
                CloneType::Type1 | CloneType::Type2 { .. }
                    if differs_by_name(pair, source.document(), target.document()) =>
                {
                    reuse(target.document(), &of_target)
                }
                _ => Reuse::Share,
            },
        };
        let (place, verdict) = self.judged(place, &fragment);
        Some(Origin {
            place,
            verdict,
            path: target.path.clone(),
            fragment,
            clone_type,
            similarity,
            in_common,
            rank: Rank {
                explains,
                is_new: 2 * n_novel > of_target.len(),
                spelled,
                lines: lines_alike(
                    source.text_between(&pair.alignment.query()),
                    target.text_between(&of_target),
                ),
            },
            text: text.clone(),
            written: None,
        })
    }

    fn insertion(&self, range: &Range<usize>) -> Insertion {
        let ChangedFile { source, novel, .. } = self.query;
        let n_tokens = n_marked(&novel[range.clone()]);
        let holds_unit = source.document().holds_unit(range.clone(), self.thresholds.min_tokens);
        Insertion { n_tokens, holds_unit }
    }

    fn n_lines(&self, tokens: impl Iterator<Item = usize>) -> u32 {
        let mut lines: Vec<u32> = tokens.map(|at| self.query.source.line_of(at)).collect();
        lines.dedup();
        lines.len() as u32
    }

    /// The finding for a file that is byte-identical to a file of these components.
    pub fn whole_file(&self, files: Vec<(FilePath, Component)>) -> Option<Finding> {
        let all = 0..self.query.source.tokens.len();
        let fragment = self.query.source.fragment(&all)?;
        let n_lines = self.n_lines(all.clone());
        let in_common = InCommon { n_lines, ..InCommon::NAMES };
        let origins = files.into_iter().map(|(path, component)| {
            let (place, verdict) = self.judged(&Place::Component(Arc::new(component)), &fragment);
            let in_tree = Origin::in_tree(path, whole_lines(&fragment), CloneType::Type1, 1.0);
            Origin { place, verdict, in_common, ..in_tree }
        });
        self.finding_of(all, origins.collect())
    }

    /// The finding of a draft, as severe as the most severe of its parts alone: another origin may
    /// make a copy worth less, or name a milder rule.
    fn finding_of_draft(&self, draft: Draft) -> Option<JointFinding> {
        let Draft { range, origins, parts, .. } = draft;
        let parts = parts.into_iter();
        let parts: Vec<Finding> =
            parts.filter_map(|(range, origins)| self.finding_of(range, origins)).collect();
        let gravest = parts.iter().max_by_key(|part| part.level);
        let Some(mut finding) = self.finding_of(range.clone(), origins) else {
            return gravest.cloned().map(|part| JointFinding(part, Vec::new()));
        };
        if let Some(gravest) = gravest.filter(|part| part.level > finding.level) {
            (finding.rule, finding.level, finding.milder) =
                (gravest.rule, gravest.level, gravest.milder);
            finding
                .origins
                .sort_by_key(|origin| gravest.origins.iter().all(|of| of.place != origin.place));
            let tokens = &self.query.source.tokens[range];
            finding.identity = identity(finding.rule, &finding.path, content(tokens));
        }
        // That of the tree, if it has a part: what else is searched does not change its copies.
        finding.worth = parts.first().map_or(finding.worth, |part| part.worth);
        Some(JointFinding(finding, parts))
    }

    /// A finding, by the rule that its origins decide.
    fn finding_of(&self, range: Range<usize>, mut origins: Vec<Origin>) -> Option<Finding> {
        let Self { query, added, .. } = self;
        let source = &query.source;
        let n_novel = n_marked(&query.novel[range.clone()]);
        order_origins(&mut origins, &source.path);
        let fragment = source.fragment(&range)?;
        // A copy is not its own origin.
        origins.retain(|origin| {
            origin.place != Place::Tree
                || origin.path != source.path
                || !overlaps(&origin.fragment, &fragment)
        });
        leave_out_repeated(&mut origins);
        let worth = self.worth(&range, &fragment, &origins)?;
        let circumstances = self.circumstances(&range, &worth, &origins);
        let judgment = self.thresholds.levels.judge_copy(&mut origins, circumstances)?;
        let tokens = &source.tokens[range];
        // No line adds what was a comment, a string or test code before.
        let added = added_part(&fragment, added, source).unwrap_or(fragment);
        (!origins.is_empty()).then(|| Finding {
            worth,
            is_idiom: circumstances.is_idiom,
            language: source.language.clone(),
            added,
            n_tokens: tokens.len(),
            n_novel,
            n_places: n_as_good(&origins),
            origins,
            ..Finding::new(About::Copy, judgment, source.path.clone(), fragment, content(tokens))
        })
    }

    /// The place of an origin with the license terms of its lines, and the verdict on them.
    fn judged(&self, place: &Place, fragment: &Fragment) -> (Place, Option<Verdict>) {
        let Place::Component(component) = place else { return (place.clone(), None) };
        let terms = component.terms.at(fragment.start.line, fragment.end.line);
        let mut verdict = self.with.config.licenses.judge(&terms);
        if matches!(verdict.attribution, Attribution::Owed(_)) {
            verdict.attribution =
                self.with.attributions.of(&self.query.source, &component.name, &terms);
        }
        let place = if component.terms.parts.is_empty() {
            place.clone()
        } else {
            Place::Component(Arc::new(Component { terms, ..(**component).clone() }))
        };
        (place, Some(verdict))
    }
}

/// A finding before its rule is known: tokens of a file, and their possible origins.
struct Draft {
    range: Range<usize>,
    origins: Vec<Origin>,
    /// The positions of its tokens that the most similar origin spells the same.
    spelled: Vec<u32>,
    /// The drafts that were joined in it, if any.
    parts: Vec<(Range<usize>, Vec<Origin>)>,
}

impl Draft {
    /// Adds another draft of nearly the same tokens.
    fn join(&mut self, other: Self) {
        if self.parts.is_empty() {
            self.parts.push((self.range.clone(), self.origins.clone()));
        }
        self.parts.push((other.range.clone(), other.origins.clone()));
        self.range = self.range.start.min(other.range.start)..self.range.end.max(other.range.end);
        self.origins.extend(other.origins);
    }

    /// Whether others spell all but a tenth of what it spells: copies end where they differ.
    fn is_explained(&self, others: &BTreeSet<u32>) -> bool {
        let n_own = self.spelled.iter().filter(|at| !others.contains(at)).count();
        10 * n_own < self.spelled.len().max(1)
    }
}

/// Leaves out each origin whose lines are the same place as those of one before it.
///
/// Each is compared with those of its file that begin at most its own length before or behind it.
fn leave_out_repeated(origins: &mut Vec<Origin>) {
    let mut kept: BTreeMap<(Place, FilePath), BTreeMap<u32, Vec<u32>>> = BTreeMap::new();
    origins.retain(|origin| {
        let (first, last) = (origin.fragment.start.line, origin.fragment.end.line);
        let lines = |first: u32, last: u32| first as usize..last as usize + 1;
        let n = last - first + 1;
        let of_file = kept.entry((origin.place.clone(), origin.path.clone())).or_default();
        let mut near = of_file
            .range(first.saturating_sub(n)..=last)
            .flat_map(|(&first, ends)| ends.iter().map(move |&last| (first, last)));
        let is_kept =
            !near.any(|(other, end)| is_same_place(&lines(first, last), &lines(other, end)));
        if is_kept {
            of_file.entry(first).or_default().push(last);
        }
        is_kept
    });
}

/// Whether nothing is spelled otherwise but one name, which begins on the first line: it is that of
/// the function or class.
fn differs_by_name(pair: &ClonePair, query: Document<'_>, target: Document<'_>) -> bool {
    let differing = pair
        .alignment
        .pairs()
        .filter(|&(a, b)| query.tokens[a].exact != target.tokens[b].exact)
        .map(|(a, _)| a);
    let differing: Vec<usize> = differing.collect();
    let Some(&first) = differing.first() else { return true };
    let start = pair.alignment.query().start;
    query.tokens[first].is_name()
        && !(start + 1..=first).any(|at| query.starts_line(at))
        && differing.iter().all(|&at| query.tokens[at].exact == query.tokens[first].exact)
}

/// How some tokens could be used in place of a copy.
fn reuse(document: Document<'_>, tokens: &Range<usize>) -> Reuse {
    if document.is_function(tokens) {
        Reuse::Call
    } else if document.holds_head(tokens.clone()) {
        Reuse::Use
    } else {
        Reuse::Share
    }
}

/// The number of other places with the tokens of a draft, aligned or not: the median of its
/// fingerprints. One that the draft repeats is in each place as often.
fn n_places_of(draft: &Draft, n_places: &[SeedPlaces]) -> usize {
    let [first, behind] = [draft.range.start, draft.range.end]
        .map(|at| n_places.partition_point(|of| (of.position as usize) < at));
    let within = &n_places[first..behind];
    let n_own = counts(within.iter().map(|of| of.row));
    let mut n_others: Vec<u32> = within.iter().map(|of| of.n / n_own[&of.row] as u32).collect();
    n_others.sort_unstable();
    n_others.get(n_others.len() / 2).map_or(0, |&n| n as usize).saturating_sub(1)
}

/// The fraction of lines that two texts have in common, but for the white space around, 0 to 1.
fn lines_alike(a: &[u8], b: &[u8]) -> f64 {
    let [own, others]: [Vec<&[u8]>; 2] = [a, b].map(|text| {
        let lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        lines.filter(|line| !line.is_empty()).collect()
    });
    let mut left_of = counts(&others);
    let mut n_same = 0;
    for line in &own {
        if let Some(left) = left_of.get_mut(line).filter(|left| **left > 0) {
            *left -= 1;
            n_same += 1;
        }
    }
    2.0 * n_same as f64 / (own.len() + others.len()).max(1) as f64
}

/// The lines of a fragment without known columns.
fn whole_lines(fragment: &Fragment) -> Fragment {
    let Fragment { start, end } = *fragment;
    Fragment { start: Position { column: 1, ..start }, end: Position { column: 1, ..end } }
}

fn overlaps(a: &Fragment, b: &Fragment) -> bool {
    a == b || a.start < b.end && b.start < a.end
}

/// Where a code host annotates a fragment; `None` if the change adds none of its lines.
pub(in crate::audit) fn added_part(
    fragment: &Fragment,
    added: &[AddedLines],
    source: &Source,
) -> Option<Fragment> {
    let (first, last) = shown_lines(added, fragment.start.line..=fragment.end.line)?;
    let mut shown = *fragment;
    if first != fragment.start.line {
        shown.start = Position { line: first, column: 1 };
    }
    if last != fragment.end.line {
        shown.end = source.end_of_line(last);
    }
    Some(shown)
}
