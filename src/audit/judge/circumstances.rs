//! Gathers what decides the level of a copy besides its rule: what it does, and where.

use std::ops::Range;

use super::findings::FileUnderAudit;
use super::nearby::FEW_FILES;
use crate::audit::bundle::Bundle;
use crate::audit::change::ChangedFile;
use crate::audit::read::{Source, n_marked, names};
use crate::language::{Family, Language, Token};
use crate::matching::{CloneType, Document, Worth, is_beside};
use crate::policy::{Circumstances, Fragment, Ground, InCommon, Origin, Place, SaysLittle};

/// Minimum tokens of a whole function to warn of whatever it does, if its names agree.
const WHOLE: usize = 100;
/// Minimum agreement of its names: most replace the origin's one to one.
const AGREES: f64 = 0.85;
/// Maximum fraction of its names that are spelled as in the origin: with more, its lines are the
/// evidence.
const SPELLED: f64 = 0.75;
/// Minimum fingerprints of a file to be measured: a smaller one may be part of another by chance,
/// or as a copy.
const MIN_PRINTS: usize = 40;
/// Minimum tokens of a copy that is evidence of its origin though it says little, like a table.
pub(in crate::audit) const SHORT: usize = 100;

/// Whether code is a long function that is another one with nearly all names replaced one to one.
pub(in crate::audit) fn is_renamed_function(
    document: Document<'_>,
    range: Range<usize>,
    names: f64,
    agreement: f64,
) -> bool {
    agreement >= AGREES && names <= SPELLED && document.holds_unit(range, WHOLE)
}

impl FileUnderAudit<'_> {
    /// What decides the level of a copy with these origins, the best first.
    pub(super) fn circumstances(
        &self,
        range: &Range<usize>,
        worth: &Worth,
        origins: &[Origin],
    ) -> Circumstances {
        let is_whole_file = range.len() == self.query.source.tokens.len()
            && origins.iter().any(|origin| origin.clone_type == CloneType::Type1);
        let says_little = self.says_little(range, worth, origins).filter(|_| !is_whole_file);
        let ground = match self.ground(range) {
            Ground::Code if !is_whole_file && self.is_signatures(range) => Ground::Declarative,
            ground => ground,
        };
        let is_any = !origins.is_empty();
        // A short piece that is elsewhere, too, does not decide what the whole is.
        let best = origins.iter().map(|origin| origin.rank.explains).fold(0.0, f64::max);
        let main = origins.iter().filter(|origin| 2.0 * origin.rank.explains >= best);
        let mut in_common = main.map(|origin| &origin.in_common);
        Circumstances {
            ground,
            is_old: false,
            says_little,
            is_idiom: says_little.is_some() && self.is_idiom(range),
            in_step: origins.first().and_then(|origin| origin.in_common.in_step),
            is_reverted: self.with.reverted.get(&self.query.source.path).is_some_and(|of| {
                of.has_all(&self.query.source.rows(range))
                    && !origins.iter().any(|at| of.is_later(at))
            }),
            is_from_document: is_any && in_common.clone().all(|of| of.is_prose),
            is_from_generated: is_any && in_common.clone().all(|of| of.is_generated),
            is_alternative: is_any && in_common.all(|of| of.is_alternative),
        }
    }

    /// What a copy of these origins does; `None` without an origin.
    pub(super) fn worth(
        &self,
        range: &Range<usize>,
        fragment: &Fragment,
        origins: &[Origin],
    ) -> Option<Worth> {
        let Self { query: ChangedFile { source, novel, .. }, language, .. } = self;
        let origin = origins.first()?;
        let juxtaposed = language.is_some_and(|language| language.has_juxtaposed_calls);
        let document = source.document();
        let statements = document.statements(range.clone(), novel, juxtaposed);
        let is_beside = origin.place == Place::Tree
            && origin.path == source.path
            && (is_beside(fragment.rows(), origin.fragment.rows())
                || document.are_branches(range, &source.tokens_on(&origin.fragment)));
        let Origin { in_common: InCommon { names, n_rare_names, .. }, similarity, .. } = *origin;
        // What a change writes in many places at once is not how things are written.
        let n_origins = origins.iter().filter(|origin| !origin.rank.is_new).count();
        let n_equal_lines = origins.iter().map(|origin| origin.in_common.n_equal_lines).max();
        Some(Worth {
            names,
            n_rare_names,
            n_equal_lines: n_equal_lines.unwrap_or(0),
            similarity,
            is_beside,
            n_origins,
            ..Worth::alone(document, range.clone(), statements, self.thresholds.min_worth)
        })
    }

    /// What a copy does and has in common with its origin, if that is too little to warn of. A long
    /// function with other names is worth it, though no line is the same.
    fn says_little(
        &self,
        range: &Range<usize>,
        worth: &Worth,
        origins: &[Origin],
    ) -> Option<SaysLittle> {
        let ChangedFile { source, novel, .. } = self.query;
        let n_novel = n_marked(&novel[range.clone()]);
        let is_renamed = n_novel >= WHOLE
            && worth.n_statements > 0
            && origins.iter().any(
                |Origin { in_common: InCommon { names, agreement, .. }, .. }| {
                    is_renamed_function(source.document(), range.clone(), *names, *agreement)
                },
            );
        let Worth { n_statements, n_controls, n_equal_lines, .. } = *worth;
        let is_little = !worth.is_enough() && !is_renamed;
        is_little.then_some(SaysLittle { n_statements, n_controls, n_equal_lines })
    }

    /// Whether unrelated projects may write it alike: it is short, and no function of its own.
    fn is_idiom(&self, range: &Range<usize>) -> bool {
        range.len() < SHORT
            && !self.query.source.document().holds_unit(range.clone(), self.thresholds.min_tokens)
    }

    fn ground(&self, range: &Range<usize>) -> Ground {
        let source = &self.query.source;
        let ground = self.with.config.ground(&source.path, source.is_prose);
        if ground != Ground::Code {
            ground
        } else if self.language.is_some_and(|language| self.declares(language, range)) {
            Ground::Declarative
        } else if self.is_test(range) {
            Ground::Test
        } else {
            ground
        }
    }

    /// Whether what is new in `range` is test code, with less other code than a copy has.
    fn is_test(&self, range: &Range<usize>) -> bool {
        let ChangedFile { source, novel, .. } = self.query;
        let units = source.test_lines(self.language);
        let other = range.clone().filter(|&at| novel[at] && !source.is_on(at, units));
        !units.is_empty() && other.count() < self.thresholds.min_tokens
    }

    /// Whether most of `range` is in `language` and that is declarative: a page is markup, but a
    /// script in it is not.
    fn declares(&self, language: &Language, range: &Range<usize>) -> bool {
        let own = Family::new(&language.family);
        let tokens = self.query.source.tokens[range.clone()].iter();
        let families = tokens.filter_map(|token| token.symbol.family());
        let n_own = families.clone().filter(|family| *family == own).count();
        language.is_declarative && 2 * n_own >= families.count()
    }

    /// Whether it is hardly more than signatures, which all implementations of an interface repeat.
    /// Where a call may have no brackets, a signature looks like one.
    fn is_signatures(&self, range: &Range<usize>) -> bool {
        let is_told = self.language.is_some_and(|language| !language.has_juxtaposed_calls);
        is_told && self.query.source.document().is_signatures(range.clone())
    }

    /// The names in both `own` and `other` that few of the files near this one use.
    pub(super) fn n_rare_names(&self, own: &[Token], other: &[Token]) -> usize {
        let Some(nearby) = self.with.nearby else { return 0 };
        let path = &self.query.source.path;
        let other = names(other);
        let mut shared = names(own);
        shared.retain(|name| other.binary_search(name).is_ok());
        shared.iter().filter(|&&name| nearby.n_files(path, name) <= FEW_FILES).count()
    }

    /// How much of one file the other one held before the change, in percent, if that is a bundle:
    /// what comes into one comes into the other.
    pub(super) fn in_step(&self, target: &Source) -> Option<u8> {
        let mut known = self.in_step.borrow_mut();
        *known.entry(target.path.clone()).or_insert_with(|| self.percent_in_step(target))
    }

    fn percent_in_step(&self, target: &Source) -> Option<u8> {
        let with = self.with;
        let path = &self.query.source.path;
        let own = with.before.get(path).filter(|_| target.path != *path)?;
        let other = match with.before.get(&target.path) {
            Some(before) => before,
            None if with.novel_of.contains_key(&target.path) => return None,
            None => target,
        };
        let bundle = Bundle::between(own, other, with.config)?;
        (bundle.n_prints >= MIN_PRINTS).then_some(bundle.percent as u8)
    }
}
