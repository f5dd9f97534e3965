//! Decides which rule a finding falls under, and how severe it is.
//!
//! Every level is decided in [`Levels::judge`], in steps that can each only lower it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{
    About, Answer, Behind, Ground, Level, Origin, Place, RULES, Rule, RuleCondition, Topic,
};
use crate::text::{agreed, count};

/// The configured levels.
#[derive(Debug, Clone)]
pub struct Levels {
    /// By rule id, `None` if the rule is off; a rule that is not listed has its own level.
    pub of_rules: BTreeMap<&'static str, Option<Level>>,
    /// The maximum level in tests, examples and documents, for rules that are milder there.
    pub in_tests: Level,
    /// The maximum level in declarative code, for rules that are milder there.
    pub in_declarations: Level,
}

/// What decides the level of a finding besides its rule; by default, of new code without more.
#[derive(Debug, Clone, Copy, Default)]
pub struct Circumstances {
    /// The kind of file that contains it.
    pub ground: Ground,
    /// Whether nothing in it is new, as in a clone class of a tree.
    pub is_old: bool,
    /// What it does, when that is too little to warn of.
    pub says_little: Option<SaysLittle>,
    /// Whether it is so short besides that unrelated projects have written it, too.
    pub is_idiom: bool,
    /// How much of one file the other held before, in percent, if they are kept in step.
    pub in_step: Option<u8>,
    /// Whether its file had its lines a few commits before.
    pub is_reverted: bool,
    /// Whether all its origins are in documents: one of the two shows the other.
    pub is_from_document: bool,
    /// Whether all its origins are in generated files: what makes them has the code once.
    pub is_from_generated: bool,
    /// Whether no build has it and one of its origins.
    pub is_alternative: bool,
}

/// Why a copy is too trivial for a warning: such code may well exist twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SaysLittle {
    /// Statements of different shapes that decide, call or compute.
    pub n_statements: usize,
    /// Kinds of control flow.
    pub n_controls: usize,
    /// Lines of different shapes that copy and origin have in common.
    pub n_equal_lines: usize,
}

impl SaysLittle {
    /// As words: `2 statements, no control flow, 1 equal line`.
    fn describe(&self) -> String {
        let controls = match self.n_controls {
            0 => "no control flow".to_owned(),
            n => format!("{} of control flow", count(n, "kind")),
        };
        let statements = count_or_no(self.n_statements, "statement");
        format!("{statements}, {controls}, {}", count_or_no(self.n_equal_lines, "equal line"))
    }
}

fn count_or_no(n: usize, noun: &str) -> String {
    if n == 0 { format!("no {noun}") } else { count(n, noun) }
}

/// Why a finding is milder than its rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Milder {
    /// For where it lies.
    In(Ground),
    /// It does too little.
    SaysLittle(SaysLittle),
    /// One of the two files held this much of the other before, in percent: they are kept in step.
    InStep(u8),
    /// The two files are kept in step: this many earlier edits of both are alike.
    EditedInStep(usize),
    /// Its file had its lines a few commits before.
    Reverted,
    /// Its origin is in a document.
    FromDocument,
    /// Its origin is generated.
    FromGenerated,
    /// It is a short insertion, and no whole function.
    Short,
    /// No build has it and its origin.
    Alternative,
    /// A message of the change says that it reverts the commit which deleted it.
    RevertedByName,
    /// It is a component's, and its notice is with the copy, or none is asked for.
    NothingOwed,
    /// A program cannot decide whether its license is in conflict.
    Undecided,
    /// No commit that it lacks says that it fixes a security fault.
    NoFault,
    /// Its files are left out on purpose.
    LeftOut,
    /// The change has this many findings that are worth more.
    Beyond(usize),
}

impl Milder {
    /// Why, in a few words.
    pub fn describe(&self) -> String {
        let in_step = "the two files are kept in step";
        let words = match self {
            Self::In(Ground::Test) => "in test code",
            Self::In(Ground::Example) => "in an example or benchmark",
            Self::In(Ground::Declarative) => "declares rather than computes",
            Self::In(Ground::Document | Ground::Code) => "in a document",
            Self::SaysLittle(little) => return format!("says little: {}", little.describe()),
            Self::InStep(percent) => {
                return format!("{in_step}: {percent} % of one was in the other before");
            }
            Self::EditedInStep(n) => {
                let (edits, are) = (count(*n, "earlier edit"), agreed(*n, "is", "are"));
                return format!("{in_step}: {edits} of both {are} alike");
            }
            Self::Reverted => "a revert: the file had these lines a few commits before",
            Self::FromDocument => "its origin is in a document",
            Self::FromGenerated => "its origin is generated",
            Self::Short => "a short insertion, and no whole function",
            Self::Alternative => "no build has both: they are alternatives",
            Self::RevertedByName => "a revert of the commit that deleted it",
            Self::NothingOwed => {
                "nothing is owed: its notice is kept, or its license asks for none"
            }
            Self::Undecided => "its license needs review",
            Self::NoFault => "no commit that it lacks says that it fixes a security fault",
            Self::LeftOut => "left out on purpose",
            Self::Beyond(n) => {
                let (copies, are) = (count(*n, "copy"), agreed(*n, "is", "are"));
                return format!("the change has {copies} that {are} worth more");
            }
        };
        words.to_owned()
    }
}

/// The rule that a finding falls under, and its level.
#[derive(Debug, Clone, Copy)]
pub struct Judgment {
    /// The rule.
    pub rule: &'static Rule,
    /// The level.
    pub level: Level,
    /// Why that is milder than the rule is, if it is.
    pub milder: Option<Milder>,
}

/// Maximum difference to the best at which another component explains a copy as well.
const AS_ALIKE: f64 = 0.02;

impl Levels {
    /// Applies a rule to what is `at_most` this severe for it, and why; `None` if it is off.
    fn judge(
        &self,
        rule: &'static Rule,
        at_most: (Level, Milder),
        circumstances: Circumstances,
    ) -> Option<Judgment> {
        // The settings come first: they may also turn the rule off.
        let level = self.of(rule)?;
        // If no change adds the code, nothing has to be done now.
        let level = if circumstances.is_old { level.min(Level::Note) } else { level };
        let mut judgment = Judgment { rule, level, milder: None };
        // The rule itself may be milder: a revert, a license to review, a notice that is there.
        judgment.soften(at_most.0, at_most.1);
        // It may be milder where such findings are expected.
        let ground = circumstances.ground;
        if rule.milder_in.contains(&ground) {
            let at_most =
                if ground == Ground::Declarative { self.in_declarations } else { self.in_tests };
            judgment.soften(at_most, Milder::In(ground));
        }
        // A copy that says little is of no interest; whose it is matters, unless it is nobody's.
        let is_little = rule.topic == Topic::Duplication || circumstances.is_idiom;
        if let Some(little) = circumstances.says_little.filter(|_| is_little) {
            judgment.soften(Level::Note, Milder::SaysLittle(little));
        }
        if rule.topic == Topic::Duplication {
            let reasons = [
                // A bundle gets what its sources get.
                circumstances.in_step.map(Milder::InStep),
                circumstances.is_from_document.then_some(Milder::FromDocument),
                circumstances.is_from_generated.then_some(Milder::FromGenerated),
                circumstances.is_alternative.then_some(Milder::Alternative),
                // Who reverts brings nothing new: the code was reviewed when it first came in.
                circumstances.is_reverted.then_some(Milder::Reverted),
            ];
            reasons.into_iter().flatten().for_each(|why| judgment.soften(Level::Note, why));
        }
        Some(judgment)
    }

    /// Judges a copy, and moves its origins of the same rule and reason to the front; `None` if
    /// every applicable rule is off.
    pub fn judge_copy(
        &self,
        origins: &mut [Origin],
        circumstances: Circumstances,
    ) -> Option<Judgment> {
        // Components count that explain the copy about as well as the best: half proves little.
        let of_components = origins.iter().filter(|origin| origin.place.component().is_some());
        let best = of_components.map(|origin| origin.similarity).fold(0.0, f64::max);
        let judged = origins
            .iter()
            .filter(|of| of.place.component().is_none() || of.similarity >= best - AS_ALIKE)
            .filter_map(|of| Some((self.judge_origin(of, circumstances)?, of.answer())));
        // The most severe level wins; on a tie a component, whose license applies all the same.
        let (judgment, answer) = judged
            .max_by_key(|(judgment, answer)| (judgment.level, *answer, judgment.gravity()))?;
        // Existing code in the tree counts before deleted code.
        origins.sort_by_key(|origin| {
            let own = self.judge_origin(origin, circumstances).map(|own| own.rule.id);
            let is_past = origin.place.deletion().is_some();
            (own != Some(judgment.rule.id), origin.answer() != answer, is_past)
        });
        Some(judgment)
    }

    /// Judges a copy as if it had only this origin.
    fn judge_origin(&self, origin: &Origin, circumstances: Circumstances) -> Option<Judgment> {
        let why = match (&origin.place, origin.answer()) {
            (Place::Component(_), Some(Answer::Allowed)) => Milder::NothingOwed,
            (Place::Component(_), _) => Milder::Undecided,
            (Place::Tree, _) => Milder::Short,
            (Place::Past(_), _) => Milder::RevertedByName,
        };
        self.most_severe(circumstances, why, |when| when.of_copy(origin))
    }

    /// Judges by all rules that apply, each of which is `at_most` this severe, and why.
    fn most_severe(
        &self,
        circumstances: Circumstances,
        why: Milder,
        at_most: impl Fn(&RuleCondition) -> Option<Level>,
    ) -> Option<Judgment> {
        RULES
            .iter()
            .filter_map(|rule| self.judge(rule, (at_most(&rule.when)?, why), circumstances))
            .max_by_key(|judgment| (judgment.level, judgment.gravity()))
    }

    /// Judges commits that a copy lacks; `None` if the rule is off.
    pub fn judge_behind(&self, behind: &Behind, ground: Ground) -> Option<Judgment> {
        let circumstances = Circumstances { ground, ..Circumstances::default() };
        self.most_severe(circumstances, Milder::NoFault, |when| when.of_behind(behind))
    }

    /// Judges what is no mere copy: what was not examined, or an edit; `None` if the rule is off.
    pub fn judge_other(&self, about: &About, ground: Ground) -> Option<Judgment> {
        let circumstances = Circumstances { ground, ..Circumstances::default() };
        self.most_severe(circumstances, Milder::LeftOut, |when| when.of_other(about))
    }

    /// The configured level of `rule`; `None` if it is off.
    fn of(&self, rule: &Rule) -> Option<Level> {
        self.of_rules.get(rule.id).copied().unwrap_or(Some(rule.level))
    }

    /// How grave a copy within the tree is; `None` if that is not told.
    pub fn of_copies(&self) -> Option<Level> {
        self.of(super::rule("copied-code")?)
    }

    /// Whether a rule with such a condition is on.
    fn ask(&self, is_meant: impl Fn(&RuleCondition) -> bool) -> bool {
        RULES.iter().any(|rule| is_meant(&rule.when) && self.of(rule).is_some())
    }

    fn are_on(&self, rules: &[&str]) -> bool {
        rules.iter().any(|id| super::rule(id).is_some_and(|rule| self.of(rule).is_some()))
    }

    /// Whether any enabled rule looks at copies.
    pub fn ask_for_copies(&self) -> bool {
        self.ask(RuleCondition::looks_at_copies)
    }

    /// Whether any enabled rule looks at what copies lack.
    pub fn ask_for_missed(&self) -> bool {
        self.ask(|when| matches!(when, RuleCondition::Behind(_)))
    }

    /// Whether any enabled rule looks at edits.
    pub fn ask_for_edits(&self) -> bool {
        self.are_on(&["missed-sibling", "out-of-step"])
    }

    /// Whether an enabled rule looks at new functions that exist in other words. Where copies may
    /// be made, none does: what was copied is not said to be written anew.
    pub fn ask_for_functions(&self) -> bool {
        let mut of_copies = RULES.iter().filter(|rule| rule.when.looks_at(&Place::Tree));
        of_copies.all(|rule| self.of(rule).is_some()) && self.are_on(&["exists-already"])
    }

    /// Whether any enabled rule looks at copies of past states.
    pub fn ask_for_old_copies(&self) -> bool {
        self.are_on(&["copied-before-fix"])
    }

    /// Whether any enabled rule looks at copies of code in such a place.
    pub fn ask_for(&self, place: &Place) -> bool {
        self.ask(|when| when.looks_at(place))
    }
}

impl Judgment {
    /// Lowers it to `at_most` if it is more severe.
    fn soften(&mut self, at_most: Level, why: Milder) {
        if self.level > at_most {
            (self.level, self.milder) = (at_most, Some(why));
        }
    }

    /// The rank of its rule by severity.
    fn gravity(&self) -> Reverse<Option<usize>> {
        Reverse(RULES.iter().position(|rule| rule.id == self.rule.id))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Level::{Error, Note, Warning};
    use super::*;
    use crate::matching::CloneType;
    use crate::policy::{Attribution, Component, Deletion, Fragment, Verdict};
    use crate::text::FilePath;

    fn origin(place: Place, verdict: Option<Verdict>) -> Origin {
        let fragment = Fragment::in_line(1, 1..1);
        Origin {
            place,
            verdict,
            ..Origin::in_tree(FilePath::new("src/old.c"), fragment, CloneType::Type1, 1.0)
        }
    }

    fn in_tree() -> Origin {
        origin(Place::Tree, None)
    }

    fn in_past(is_reverted: bool) -> Origin {
        let deletion =
            Deletion { commit: "1".repeat(40), subject: String::new(), time: 0, is_reverted };
        origin(Place::Past(Arc::new(deletion)), None)
    }

    fn in_component(answer: Answer) -> Origin {
        attributed(answer, Attribution::Owed(Vec::new()))
    }

    fn attributed(answer: Answer, attribution: Attribution) -> Origin {
        let verdict = Verdict { answer, reason: String::new(), attribution };
        origin(Place::Component(Arc::new(Component::default())), Some(verdict))
    }

    fn levels(of_rules: &[(&'static str, Option<Level>)]) -> Levels {
        Levels {
            of_rules: of_rules.iter().copied().collect(),
            in_tests: Note,
            in_declarations: Note,
        }
    }

    #[track_caller]
    fn check(levels: &Levels, origins: &[Origin], expected: Option<(&str, Level)>) {
        for origins in [origins.to_vec(), origins.iter().rev().cloned().collect()] {
            let mut sorted = origins.clone();
            let judged = levels.judge_copy(&mut sorted, Circumstances::default());
            assert_eq!(judged.map(|of| (of.rule.id, of.level)), expected, "{origins:?}");
        }
    }

    #[test]
    fn the_gravest_level_counts_then_the_license_then_the_order_of_the_rules() {
        let all = |level| {
            levels(&["copied-code", "revived-code", "corpus-copy"].map(|id| (id, Some(level))))
        };
        let (tree, past, component) = (in_tree(), in_past(false), in_component(Answer::Allowed));
        let both = [tree.clone(), past.clone()];
        check(&all(Error), &both, Some(("copied-code", Error)));
        let graver = levels(&[("revived-code", Some(Error))]);
        check(&graver, &both, Some(("revived-code", Error)));
        check(&all(Error), &[tree, component, past], Some(("corpus-copy", Error)));
        let unclear = [in_component(Answer::Unknown), in_component(Answer::Review)];
        check(&levels(&[]), &unclear, Some(("unknown-license", Warning)));
    }

    #[test]
    fn a_rule_that_is_off_judges_nothing_and_leaves_the_copy_to_the_others() {
        let off = levels(&[("copied-code", None)]);
        check(&off, &[in_tree()], None);
        check(&off, &[in_tree(), in_past(false)], Some(("revived-code", Note)));
        assert!(off.ask_for(&in_past(false).place) && off.ask_for_copies());
        assert!(!levels(&[("copied-code", None), ("edited-alike", None)]).ask_for(&Place::Tree));
        let off = RULES.iter().filter(|rule| rule.id != "not-examined").map(|rule| (rule.id, None));
        assert!(!levels(&off.collect::<Vec<_>>()).ask_for_copies());
    }

    #[test]
    fn circumstances_make_a_finding_milder_and_never_graver() {
        let errors: Vec<_> = RULES.iter().map(|rule| (rule.id, Some(Error))).collect();
        let errors = Levels { in_tests: Warning, ..levels(&errors) };
        let level_of = |origin: &Origin, circumstances| {
            let judged = errors.judge_copy(&mut [origin.clone()], circumstances);
            judged.expect("no rule is off").level
        };
        let (test, document) = (Ground::Test, Ground::Document);
        let given = attributed(Answer::Allowed, Attribution::Given(String::new()));
        let rows = [
            // The origin; the level in code, in tests and in documents.
            (in_tree(), [Error, Warning, Warning]),
            (in_past(false), [Error, Warning, Warning]),
            (in_past(true), [Note, Note, Note]),
            (in_component(Answer::Allowed), [Error, Error, Warning]),
            (given, [Note, Note, Note]),
            (in_component(Answer::Unknown), [Error, Error, Warning]),
            (in_component(Answer::Review), [Warning, Warning, Warning]),
            (in_component(Answer::Denied), [Error, Error, Error]),
        ];
        for (origin, expected) in rows {
            let of =
                |ground| level_of(&origin, Circumstances { ground, ..Circumstances::default() });
            assert_eq!([of(Ground::Code), of(test), of(document)], expected, "{origin:?}");
            let old = Circumstances { is_old: true, ..Circumstances::default() };
            assert_eq!(level_of(&origin, old), Note, "{origin:?}");
        }
    }

    #[test]
    fn a_finding_that_is_milder_than_its_rule_says_why() {
        let reason = |origin: Origin| {
            let errors: Vec<_> = RULES.iter().map(|rule| (rule.id, Some(Error))).collect();
            let judged = levels(&errors).judge_copy(&mut [origin], Circumstances::default());
            judged.expect("no rule is off").milder.map(|milder| milder.describe())
        };
        let given = Attribution::Given("NOTICE".to_owned());
        let nothing = Some("nothing is owed: its notice is kept, or its license asks for none");
        let rows = [
            (attributed(Answer::Allowed, given), nothing),
            (attributed(Answer::Allowed, Attribution::NotAsked), nothing),
            (in_component(Answer::Review), Some("its license needs review")),
            (in_past(true), Some("a revert of the commit that deleted it")),
            (in_component(Answer::Allowed), None),
        ];
        for (origin, why) in rows {
            assert_eq!(reason(origin).as_deref(), why);
        }
    }
}
