//! Decides whether a sibling missed an edit.

use super::edit::Edit;
use super::spot::Spot;

/// How much an edited unit and a unit that may be its sibling have in common, besides the place of the edit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likeness {
    /// Tokens of the two units.
    pub n_tokens: (usize, usize),
    /// Tokens that agree.
    pub n_agreeing: usize,
    /// Whether the edit replaces operators and numbers only.
    pub is_operator: bool,
    /// Whether the edit replaces names by others, and nothing else.
    pub is_substitution: bool,
    /// Whether both are in one file.
    pub is_same_file: bool,
    /// Whether both are one unit: two branches of a function.
    pub is_same_unit: bool,
    /// Files that share what is around the edit.
    pub n_sharing: usize,
    /// Edits of the change that siblings may lack.
    pub n_edits: usize,
    /// What the commits of the change say.
    pub purpose: Purpose,
    /// Distinct names that the edit adds.
    pub n_names: usize,
    /// Those of them that the file of the sibling knows, perhaps under another name.
    pub n_known: usize,
    /// Those of them that the change introduces, and uses or defines elsewhere too.
    pub n_introduced: usize,
    /// The part of the added words that the sibling has already, 0 to 1: see [`has_already`](super::has_already).
    pub had: f64,
    /// Whether the change is so large that one of its many edits agrees with something by chance.
    pub is_large_change: bool,
    /// Whether the change edits so much, of this unit too, that it is no fix.
    pub is_rewritten: bool,
    /// Whether the edit uses a variable of its unit that the other unit does not have.
    pub needs_variable: bool,
    /// Whether the edit only removes something that the other unit uses elsewhere.
    pub is_still_used: bool,
}

/// What the commits of a change say about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// Nothing: it is not committed.
    Unknown,
    /// That it does something other than mend.
    Other,
    /// That it mends something.
    Mends,
}

/// Minimum tokens that a removal and an addition have together: fewer (`const`, a comma) are rarely a fix.
const MIN_EDIT: usize = 4;
/// Minimum tokens that agree in a row across the place of an edit.
const MIN_RUN: usize = 16;
/// Minimum tokens that agree around, and at, the place of an edit.
const MIN_AROUND: usize = 24;
/// Minimum tokens in a row, with the names spelled the same, for the sibling of an edit of which it knows no name.
const VERBATIM_UNKNOWN: usize = 40;
/// Minimum part of the longer unit that agrees for a sibling to get what the change introduces, too.
const TWIN: f64 = 0.75;
/// Minimum tokens in a row for the replacement of a single token to be a fix.
const TINY_EDIT_RUN: usize = 28;
/// Maximum files that count as having what is around an edit: beyond, it is a class of many members.
const MAX_SHARING: usize = 12;
/// Whether `edit` belongs to others around it that missed a sibling: it is too small to show that by itself.
pub fn may_be_missed(edit: &Edit, spot: &Spot, likeness: &Likeness) -> bool {
    spot.is_alike(edit) && !likeness.was_mended()
}

impl Likeness {
    /// The part of the longer unit that agrees, 0 to 1.
    fn of_larger(&self) -> f64 {
        self.n_agreeing as f64 / self.n_tokens.0.max(self.n_tokens.1).max(1) as f64
    }

    /// Whether the sibling has what the edit adds. One name alone may be there for another reason, unless the edited
    /// file did not even know it.
    fn was_mended(&self) -> bool {
        self.had >= 0.6 && (self.n_names > 1 || self.n_introduced > 0)
    }
}

/// How much speaks for an edit that missed a sibling at `spot`, above or below 0.
///
/// The weights are those of a logistic regression on known pairs and the places of ordinary commits;
/// `docs/measurements/fixes.md` has the figures. What many files have is an idiom, and a change of many edits rarely
/// mends one place.
fn evidence(spot: &Spot, likeness: &Likeness) -> f64 {
    let log = |n: usize| (n as f64).ln_1p();
    let mends = match likeness.purpose {
        Purpose::Mends => 1.0,
        Purpose::Other => 0.0,
        Purpose::Unknown => 0.5,
    };
    let flag = |is: bool| if is { 1.0 } else { 0.0 };
    3.7 * spot.spelled()
        + 0.8 * likeness.of_larger()
        + 2.0 * mends
        + 0.35 * log(spot.n_left_run.min(spot.n_right_run))
        + 0.7 * flag(likeness.is_same_file)
        - 2.2 * flag(likeness.is_same_unit)
        - log(likeness.n_sharing.min(MAX_SHARING))
        - 1.2 * log(likeness.n_edits)
        - 1.3
}

/// Whether `edit` missed a sibling at `spot`: both were alike before, and it still is as it was.
pub fn is_missed(edit: &Edit, spot: &Spot, likeness: &Likeness) -> bool {
    let (n_removed, n_added) = (edit.removed().len(), edit.added().len());
    let (own, other) = likeness.n_tokens;
    let of_smaller = likeness.n_agreeing as f64 / own.min(other).max(1) as f64;
    let of_larger = likeness.of_larger();
    let n_run = spot.n_run();
    // One operator is a fix if the units are surely clones, another token if the code around it surely is one. A
    // `const` or a comma is none.
    let is_tiny_fix = n_removed + n_added >= 2 && n_run >= TINY_EDIT_RUN;
    let is_enough = n_removed + n_added >= MIN_EDIT || likeness.is_operator && of_larger >= 0.6 || is_tiny_fix;
    let is_alike_there =
        is_enough && spot.is_alike(edit) && n_run >= MIN_RUN && spot.n_around + spot.n_removed_aligned >= MIN_AROUND;
    if !is_alike_there || likeness.was_mended() {
        return false;
    }
    let spelled = spot.spelled();

    // An author who edits one branch sees the other.
    let is_seen = likeness.is_same_unit && !(spelled >= 0.9 && n_run >= TINY_EDIT_RUN);
    // What the sibling cannot even name belongs to the edited member alone, unless they are twins.
    // One new name in place of what the sibling still has is a better call: `- 1` became `.saturating_sub(1)`.
    let is_replaced = n_removed > 0 && likeness.n_names == 1;
    let is_foreign = likeness.is_substitution && likeness.n_known < likeness.n_names
        || likeness.n_names > 0 && likeness.n_known == 0 && spot.n_verbatim < VERBATIM_UNKNOWN && !is_replaced
        || 2 * likeness.n_known < likeness.n_names
            && of_larger < 0.5
            && spot.n_verbatim < VERBATIM_UNKNOWN
            && !is_replaced
            && !(of_smaller >= 0.7 && spelled >= 0.9);
    // What the change defines, and uses here, is a feature of the edited member, unless they are twins.
    let is_feature =
        likeness.n_introduced > 0 && of_larger < TWIN && spot.n_verbatim < VERBATIM_UNKNOWN && !is_replaced;
    let is_chance = likeness.is_large_change && of_larger < 0.5 || likeness.is_rewritten;
    // There, the edit would not compile, or break what still works.
    let is_own = likeness.needs_variable || likeness.is_still_used;
    evidence(spot, likeness) >= 0.0 && !is_seen && !is_foreign && !is_feature && !is_chance && !is_own
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether an insertion of eight tokens with two names, of which the sibling knows `n_known`, is missed where
    /// `n_verbatim` tokens are spelled the same.
    fn is_insertion_missed(n_known: usize, n_verbatim: usize) -> bool {
        is_missed_by(n_verbatim, Likeness { n_known, ..LIKENESS })
    }

    /// Two names in units of which most agrees.
    const LIKENESS: Likeness = Likeness {
        n_tokens: (120, 120),
        n_agreeing: 110,
        is_operator: false,
        is_substitution: false,
        is_same_file: false,
        is_same_unit: false,
        n_sharing: 1,
        n_edits: 1,
        purpose: Purpose::Unknown,
        n_names: 2,
        n_known: 2,
        n_introduced: 0,
        had: 0.0,
        is_large_change: false,
        is_rewritten: false,
        needs_variable: false,
        is_still_used: false,
    };

    /// Whether such an insertion is missed by a sibling that is so alike.
    fn is_missed_by(n_verbatim: usize, likeness: Likeness) -> bool {
        let edit = Edit { base: (100, 100), head: (100, 108) };
        let spot = Spot {
            target: 50..50,
            n_left_run: 30,
            n_right_run: 30,
            is_short_run_spelled: true,
            n_around: 80,
            n_words: 30,
            n_spelled: 28,
            n_verbatim,
            ..Spot::default()
        };
        is_missed(&edit, &spot, &likeness)
    }

    #[test]
    fn what_the_change_introduces_is_missed_between_twins_only() {
        let introducing = |n_agreeing| Likeness { n_agreeing, n_known: 1, n_introduced: 1, ..LIKENESS };
        assert!(is_missed_by(20, introducing(110)));
        assert!(!is_missed_by(20, introducing(80)));
        assert!(is_missed_by(20, Likeness { n_introduced: 0, ..introducing(80) }));
        assert!(is_missed_by(VERBATIM_UNKNOWN, introducing(80)));
        // The sibling has it already.
        let had = |n_introduced| Likeness { had: 1.0, n_names: 1, n_introduced, ..LIKENESS };
        assert!(is_missed_by(20, had(0)));
        assert!(!is_missed_by(20, had(1)));
    }

    #[test]
    fn an_edit_of_which_the_sibling_knows_no_name_needs_a_longer_run_word_for_word() {
        assert!(is_insertion_missed(1, VERBATIM_UNKNOWN - 1));
        assert!(!is_insertion_missed(0, VERBATIM_UNKNOWN - 1));
        assert!(is_insertion_missed(0, VERBATIM_UNKNOWN));
    }
}
