//! Holds the edits of a change with what surrounded them before it, and their fingerprints.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;

use rayon::prelude::*;

use super::edits::{
    around, candidates, drop_built, drop_mechanical, edits_of, ended_by, is_listed, is_of_head, is_own_code,
};
use super::purpose::Purposes;
use super::variables::defined_in;
use crate::audit::bundle::Bundle;
use crate::audit::change::{Changed, Predecessor};
use crate::audit::read::{Source, Sources};
use crate::audit::search::Queries;
use crate::fingerprint::Params;
use crate::language::{Kind, Language};
use crate::matching::{Edit, Unit};
use crate::text::FilePath;

/// Number of tokens on either side of an edit whose fingerprints are looked up.
pub(super) const WINDOW: usize = 48;
/// Maximum edits of a change to look up, the first ones. Bounds the time of a large change.
const MAX_EDITS: usize = 400;
/// Minimum novel tokens of a large change: with so many edits, some agree with something by chance.
const LARGE_CHANGE: usize = 300;
/// Minimum tokens that a change edits to be a rewrite in part: a unit of which it edits more than a quarter was not
/// fixed.
const REWRITE: usize = 600;
/// Maximum tokens that a change edits in files that it did not add. More is a rewrite, and what it leaves alone is
/// another version by design.
const MAX_REWRITE: usize = 2_000;
/// Maximum tokens between an edit and a run beside it.
pub(super) const BESIDE: usize = 4;

/// The edits of a change, and what surrounded them before it.
pub(in crate::audit) struct PreImages<'p> {
    pub changed: &'p [Changed],
    pub base: &'p [Predecessor],
    /// For each file of `base`, what it became.
    pub(super) heads: Vec<Option<&'p Changed>>,
    /// For each file of `base`, all its edits.
    pub(super) all_edits: Vec<Vec<Edit>>,
    /// For each file of `base`, its edits to look up, in order.
    pub(super) edits: Vec<Vec<Edit>>,
    /// For each of these edits, the unit around it in base.
    pub(super) units: Vec<Vec<Unit>>,
    /// For each fingerprint of the queries, by its number, the edits that it is next to.
    pub(super) anchors: HashMap<u32, Vec<Anchor>>,
    /// The file of `base` that each query is.
    pub(super) numbers: Vec<usize>,
    pub queries: Queries<'p>,
    introduced: OnceLock<HashMap<u32, u32>>,
    /// What the commits of the change say.
    pub(super) purposes: Purposes<'p>,
    /// For each edit, by the number of its file and its own, the files that share what is around it.
    pub(super) n_sharing: OnceLock<BTreeMap<(usize, usize), usize>>,
    /// The number of edits that siblings may lack.
    pub(super) n_edits: usize,
    pub(super) is_large: bool,
    pub(super) is_rewrite: bool,
    /// Edits that were not looked up.
    pub n_left_out: usize,
}

/// A fingerprint next to an edit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Anchor {
    pub(super) query: usize,
    /// The number of the edit among those of its file.
    pub(super) edit: usize,
    /// The position of the fingerprint in the query.
    pub(super) position: usize,
}

impl<'p> PreImages<'p> {
    /// The edits of a change whose siblings are looked for.
    pub fn new(changed: &'p [Changed], base: &'p [Predecessor], purposes: Purposes<'p>, sources: &Sources<'p>) -> Self {
        let by_path: BTreeMap<&FilePath, &Changed> = changed.iter().map(|file| (&file.source.path, file)).collect();
        let heads: Vec<Option<&Changed>> =
            base.iter().map(|before| by_path.get(before.of.as_ref()?).copied()).collect();
        let pairs = || base.par_iter().zip(&heads);
        let defined: OnceLock<HashSet<u32>> = OnceLock::new();
        let define = || changed.iter().flat_map(|file| defined_in(&file.source)).collect();
        let is_defined = |name: u32| defined.get_or_init(define).contains(&name);
        let all_edits: Vec<Vec<Edit>> = pairs().map(|(before, head)| edits_of(before, *head, &is_defined)).collect();
        let number = |number: usize| -> Vec<Edit> {
            let Some(head) = heads[number] else { return Vec::new() };
            let moved = changed.iter().flat_map(|file| file.was.tokens_of(number));
            candidates(&base[number], head, &all_edits[number], moved, sources)
        };
        let mut edits: Vec<Vec<Edit>> = (0..base.len()).into_par_iter().map(number).collect();
        drop_mechanical(&mut edits, base, &heads);
        drop_built(&mut edits, base, &heads, &|a, b| Bundle::between(a, b, sources.config).is_some());
        let n_edited: usize = all_edits.iter().flatten().map(Edit::len).sum();
        let is_rewrite = n_edited > REWRITE;
        if n_edited > MAX_REWRITE {
            edits.iter_mut().for_each(Vec::clear);
        }
        let mut n_left = MAX_EDITS;
        let mut n_left_out = 0;
        for of_file in &mut edits {
            n_left_out += of_file.len().saturating_sub(n_left);
            of_file.truncate(n_left);
            n_left -= of_file.len();
        }
        // Units are looked for last, since that reads the file from the edit on.
        let with_units = edits.into_iter().zip(base.iter().zip(&heads)).map(|(of_file, (before, head))| {
            let with_unit = |edit: Edit| {
                let after = &(*head)?.source;
                let unit = around(&before.source, edit.removed().start, edit.removed().end)
                    .or_else(|| ended_by(&edit, &before.source, after))?;
                let is_none =
                    is_of_head(&edit, &unit, &before.source, after) || is_listed(&edit, &unit, &before.source, after);
                (!is_none).then_some((edit, unit))
            };
            of_file.into_iter().filter_map(with_unit).unzip()
        });
        let (edits, units): (Vec<Vec<Edit>>, Vec<Vec<Unit>>) = with_units.unzip();
        let numbers: Vec<usize> = (0..base.len()).filter(|&at| !edits[at].is_empty()).collect();
        let asked = numbers.iter().map(|&at| {
            let mut mask = vec![false; base[at].source.tokens.len()];
            for edit in &edits[at] {
                let end = (edit.base.1 + WINDOW).min(mask.len());
                mask[edit.base.0.saturating_sub(WINDOW)..end].fill(true);
            }
            (&base[at].source, Cow::Owned(mask))
        });
        let config = sources.config;
        let k = config.fingerprint.noise_threshold().try_into().expect("k is at least 1");
        // All k-grams of one side: every fingerprint of the other side that is in the run of both is found.
        let all = Params::new(k, k).expect("k <= k");
        let queries = Queries::sampled(asked.collect(), config, all);
        let anchors = anchors(&queries, &numbers, &edits);
        let is_large = changed.iter().map(Changed::n_novel).sum::<usize>() > LARGE_CHANGE;
        Self {
            n_edits: edits.iter().map(Vec::len).sum(),
            changed,
            base,
            heads,
            all_edits,
            edits,
            units,
            anchors,
            numbers,
            queries,
            introduced: OnceLock::new(),
            purposes,
            n_sharing: OnceLock::new(),
            is_large,
            is_rewrite,
            n_left_out,
        }
    }

    /// What is looked up, if the settings ask for siblings.
    pub fn queries_to_look_up(&self, sources: &Sources<'_>) -> Option<&Queries<'p>> {
        let is_asked = sources.config.levels_of_any_file().ask_for_edits();
        Some(&self.queries).filter(|queries| is_asked && !queries.is_empty())
    }

    /// Whether a file may hold a sibling, judging by its name: code of the project itself, in a language that edits
    /// were made in.
    pub fn may_be_in(&self, path: &FilePath, sources: &Sources<'_>) -> bool {
        let extension = |path: &FilePath| path.name().rsplit(|&byte| byte == b'.').next().map(<[u8]>::to_vec);
        // An extension may be of several languages.
        let is_like =
            |source: &&Source, of: &Language| source.family == of.family || extension(&source.path) == extension(path);
        let has_family =
            |of: &Language| of.is_host() || self.queries.sources().iter().any(|source| is_like(source, of));
        let is_declared = sources.attributes.of(path).language.is_some();
        (is_declared || sources.languages.promised(path).is_none_or(has_family)) && is_own_code(path, false, sources)
    }

    /// How often the change uses each name that no file had before, of those that it touches.
    pub(super) fn introduced(&self) -> &HashMap<u32, u32> {
        self.introduced.get_or_init(|| {
            let names = |source: &'p Source| source.tokens.iter().filter(|token| token.kind() == Kind::Identifier);
            let known: HashSet<u32> =
                self.base.iter().flat_map(|before| names(&before.source)).map(|token| token.exact).collect();
            let mut counts: HashMap<u32, u32> = HashMap::new();
            for token in self.changed.iter().flat_map(|file| names(&file.source)) {
                if !known.contains(&token.exact) {
                    *counts.entry(token.exact).or_default() += 1;
                }
            }
            counts
        })
    }

    /// What the edited file number `number` became.
    pub fn head(&self, number: usize) -> Option<&'p Changed> {
        self.heads[number]
    }
}

/// The fingerprints next to edits, by their numbers.
fn anchors(queries: &Queries<'_>, numbers: &[usize], edits: &[Vec<Edit>]) -> HashMap<u32, Vec<Anchor>> {
    let k = queries.sampling().noise_threshold();
    let mut anchors: HashMap<u32, Vec<Anchor>> = HashMap::new();
    for (row, posting) in queries.all_postings() {
        let (query, position) = (posting.document as usize, posting.position as usize);
        let edits = &edits[numbers[query]];
        let from = edits.partition_point(|edit| edit.base.1 + BESIDE <= position);
        let near = edits[from..].iter().take_while(|edit| edit.base.0 <= position + k + BESIDE);
        for edit in from..from + near.count() {
            anchors.entry(row).or_default().push(Anchor { query, edit, position });
        }
    }
    anchors
}
