//! Judges licenses: whether a project's policy allows copying code under them.
//!
//! Invariant: a verdict is potential, for a person to review; what is unknown is never allowed.

use std::sync::Arc;

use super::{Answer, Attribution, Date, Rule, Verdict};
use crate::license::{
    Class, Compatibility, Expression, License, ProjectFiles, Terms, compatibility,
};
use crate::text::glob_matches;

/// Which licenses code may be copied under.
#[derive(Debug, Clone, Default)]
pub struct LicensePolicy {
    /// The license of the project, if the settings name it.
    pub project: Option<Expression>,
    /// The files that state it, if they do not.
    pub project_files: Option<Arc<ProjectFiles>>,
    /// Whether the settings say that the project's license is not to be looked for.
    pub has_no_project: bool,
    /// Licenses that code may be copied under.
    pub allow: Vec<LicenseTerm>,
    /// Licenses that code may not be copied under.
    pub deny: Vec<LicenseTerm>,
    /// Copies that are accepted anyway.
    pub exceptions: Vec<Exception>,
}

/// An entry of a policy: a class of licenses, a family, a license, or an expression of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LicenseTerm {
    /// A class.
    Class(Class),
    /// All versions of a license: `GPL`.
    Family(String),
    /// A license; unless exact, it covers both "only" and "or later".
    License {
        /// The license.
        license: License,
        /// Whether it was written with "only", "or later" or an exception.
        is_exact: bool,
    },
    /// An expression of several licenses, as a whole.
    Expression(Expression),
}

/// A person's decision on one copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The identity of the copy.
    pub copy: String,
    /// Who accepted it; while this is empty, nobody has.
    pub by: String,
    /// Why.
    pub reason: String,
    /// The last day it applies.
    pub until: Option<Date>,
}

impl Decision {
    /// Why it does not apply on `today`; `None` if it does.
    pub fn fault(&self, today: Date) -> Option<String> {
        match self.until {
            _ if self.by.trim().is_empty() => {
                Some("nobody has accepted it: `by` is empty".to_owned())
            }
            _ if self.reason.trim().is_empty() => Some("it has no reason".to_owned()),
            Some(until) if today > until => Some(format!("it expired after {until}")),
            _ => None,
        }
    }
}

/// Accepted copies, in addition to allow comments and the baseline.
#[derive(Debug, Clone, Copy, Default)]
pub struct AcceptanceRules<'a> {
    /// Exceptions of the license policy.
    pub exceptions: &'a [Exception],
    /// Decisions on single copies.
    pub decisions: &'a [Decision],
}

/// Copies that are accepted, whatever the rule says.
#[derive(Debug, Clone)]
pub struct Exception {
    /// A pattern for the file with the copy; `None` for any.
    pub path: Option<String>,
    /// A pattern for the component's name or package URL; `None` for any.
    pub origin: Option<String>,
    /// The rule; `None` for any license rule.
    pub rule: Option<&'static Rule>,
    /// Why.
    pub reason: String,
    /// The last day it applies.
    pub until: Option<Date>,
}

impl Exception {
    /// Whether it applies to `rule` in the file at `path`, with an origin of this name and URL.
    pub fn covers(&self, rule: &Rule, path: &[u8], name: &str, purl: Option<&str>) -> bool {
        let mut names = [Some(name), purl].into_iter().flatten();
        self.rule.is_none_or(|other| other.id == rule.id)
            && self.path.as_ref().is_none_or(|of| matches(of, path) || is_below(path, of))
            && self.origin.as_ref().is_none_or(|of| names.any(|name| matches(of, name.as_bytes())))
    }

    /// Whether it is still valid on `today`.
    pub fn holds(&self, today: Date) -> bool {
        self.until.is_none_or(|until| today <= until)
    }
}

/// Whether a pattern matches, in which `*` matches anything, including `/`.
fn matches(pattern: &str, name: &[u8]) -> bool {
    glob_matches(pattern.as_bytes(), name, false)
}

fn is_below(path: &[u8], folder: &str) -> bool {
    let rest = path.strip_prefix(folder.trim_end_matches('/').as_bytes());
    rest.is_some_and(|rest| rest.first() == Some(&b'/'))
}

impl std::fmt::Display for Exception {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [
            self.path.as_ref().map(|path| format!("path `{path}`")),
            self.origin.as_ref().map(|origin| format!("origin `{origin}`")),
            self.rule.map(|rule| format!("rule `{}`", rule.id)),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let parts = if parts.is_empty() { "any copy".to_owned() } else { parts.join(", ") };
        write!(f, "the license exception for {parts} ({})", self.reason)
    }
}

impl LicenseTerm {
    /// An entry of a policy; `None` if it is no class, family, license or expression.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(class) = Class::find(text) {
            return Some(Self::Class(class));
        }
        if let Some(expression) = Expression::parse_spdx(text) {
            let licenses: Vec<License> = expression.licenses().cloned().collect();
            return match <[License; 1]>::try_from(licenses) {
                Ok([license]) => {
                    let written = text.to_lowercase();
                    let is_exact = written.contains("-only")
                        || written.contains("-or-later")
                        || written.ends_with('+')
                        || license.exception.is_some();
                    Some(Self::License { license, is_exact })
                }
                Err(_) => Some(Self::Expression(expression)),
            };
        }
        License::is_family(text).then(|| Self::Family(text.to_owned()))
    }

    /// Whether it is this expression as a whole.
    fn is_expression(&self, expression: &Expression) -> bool {
        matches!(self, Self::Expression(own) if own.is_same(expression))
    }

    /// How specifically it matches a license, or with `later`, one that may be used as a later.
    fn names(&self, license: &License, later: bool) -> Option<u8> {
        let (is_named, rank) = match self {
            Self::Class(class) => (Class::of_license(license) == *class, 1),
            Self::Family(family) => (license.family().eq_ignore_ascii_case(family), 2),
            Self::License { license: own, is_exact: false } => {
                let is_same = own.base() == license.base();
                (is_same || later && license.may_be_taken_as(own), 3)
            }
            Self::License { license: own, is_exact: true } => {
                let is_later = later
                    && own.exception.is_none()
                    && license.may_be_taken_as(own)
                    && license.allows_later();
                let is_with = own.exception.is_none()
                    && own.id == license.id
                    && own.or_later == license.or_later;
                (own == license || is_with || is_later, 4)
            }
            Self::Expression(_) => (false, 0),
        };
        is_named.then_some(rank)
    }
}

impl std::fmt::Display for LicenseTerm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Class(class) => f.write_str(class.name()),
            Self::Family(family) => f.write_str(family),
            Self::License { license, .. } => license.fmt(f),
            Self::Expression(expression) => expression.fmt(f),
        }
    }
}

type AnswerAndReason = (Answer, String);

impl LicensePolicy {
    /// The policy's verdict on code with these terms; does not consider attribution.
    ///
    /// If evidence for a license that the policy likes less contradicts the license that was found,
    /// it needs review; so does what is denied by a text alone that other evidence contradicts.
    pub fn judge(&self, terms: &Terms) -> Verdict {
        let (mut answer, mut reason) = self.judge_license(terms.license.as_ref());
        if answer == Answer::Denied && terms.is_of_text {
            let later = terms.license.as_ref().map(Expression::with_later);
            if self.judge_license(later.as_ref()).0 < answer {
                answer = Answer::Review;
                reason = format!(
                    "{reason}, unless later versions may be chosen, which a license text does not show"
                );
            }
        }
        for contradiction in &terms.contradictions {
            let (other, _) = self.judge_license(contradiction.license.as_ref());
            let is_worse = other > answer;
            let is_better = terms.is_of_text && answer == Answer::Denied && other < answer;
            if (is_worse || is_better) && !terms.is_declared {
                answer = Answer::Review;
                reason = format!("{reason}, but {}", contradiction.evidence);
            }
        }
        let is_asked = terms.class() != Class::PublicDomain && answer == Answer::Allowed;
        let attribution =
            if is_asked { Attribution::Owed(Vec::new()) } else { Attribution::NotAsked };
        Verdict { answer, reason, attribution }
    }

    /// Takes the project's license from files of its tree, unless the settings name it.
    pub fn find_project(&mut self, files: ProjectFiles) {
        if self.project.is_none() && !self.has_no_project {
            self.project_files = Some(Arc::new(files));
        }
    }

    /// The license of the project, and how it was found if the settings do not name it.
    fn project(&self) -> Option<(&Expression, Option<&str>)> {
        let named = self.project.as_ref().map(|project| (project, None));
        named.or_else(|| {
            let found = self.project_files.as_ref()?.terms();
            Some((found.license.as_ref()?, found.evidence.as_deref()))
        })
    }

    fn judge_license(&self, license: Option<&Expression>) -> AnswerAndReason {
        let Some(expression) = license else { return (Answer::Unknown, "needs review".to_owned()) };
        if self.deny.iter().any(|term| term.is_expression(expression)) {
            return (Answer::Denied, format!("the settings deny {expression}"));
        }
        if self.allow.iter().any(|term| term.is_expression(expression)) {
            return (Answer::Allowed, format!("the settings allow {expression}"));
        }
        let as_part_of = |outbound: Option<&License>| {
            expression.fold(|license| self.judge_one(license, outbound), worst, best)
        };
        match self.project() {
            // Users may choose among the project's licenses: each has to go with one of the code's.
            Some((project, _)) => project.fold(|outbound| as_part_of(Some(outbound)), worst, worst),
            None => as_part_of(None),
        }
    }

    /// The answer to one license of code, in a work under `outbound`.
    fn judge_one(&self, license: &License, outbound: Option<&License>) -> AnswerAndReason {
        let allowed = strongest(&self.allow, license, true);
        match (allowed, strongest(&self.deny, license, false)) {
            (Some((rank, term)), denied) if denied.is_none_or(|(other, _)| rank > other) => {
                return (Answer::Allowed, said("allow", term, license));
            }
            (_, Some((_, term))) => return (Answer::Denied, said("deny", term, license)),
            _ => {}
        }
        let class = Class::of_license(license);
        if class == Class::Unknown {
            return (Answer::Unknown, format!("the conditions of {license} are unknown"));
        }
        let by_project = outbound.zip(self.project()).map(|(outbound, (project, evidence))| {
            let (mut answer, mut reason) = go_together(outbound, license);
            // What all of the project is under asks nothing new of it.
            let is_own = project.fold(|own| own == license, |a, b| a || b, |a, b| a && b);
            if is_own && class < Class::SourceAvailable && answer != Answer::Allowed {
                answer = Answer::Allowed;
                reason = format!("{license} is one of the project's licenses, {project}");
            }
            match evidence {
                Some(evidence) => (answer, format!("{reason} ({evidence})")),
                None => (answer, reason),
            }
        });
        match by_project {
            Some(answered) if answered.0 != Answer::Allowed => answered,
            _ if !self.allow.is_empty() => (
                Answer::Denied,
                format!("{license} is not among the licenses that the settings allow"),
            ),
            Some(answered) => answered,
            None if class >= Class::SourceAvailable => {
                let is = format!("{license} is {}", class.name());
                (Answer::Review, format!("{is}, and nothing says whether that may be copied"))
            }
            None => (Answer::Allowed, format!("nothing denies {license} ({})", class.name())),
        }
    }
}

fn worst(a: AnswerAndReason, b: AnswerAndReason) -> AnswerAndReason {
    if b.0 > a.0 { b } else { a }
}

fn best(a: AnswerAndReason, b: AnswerAndReason) -> AnswerAndReason {
    if b.0 < a.0 { b } else { a }
}

/// The term that matches a license most specifically, and how specifically.
fn strongest<'t>(
    terms: &'t [LicenseTerm],
    license: &License,
    later: bool,
) -> Option<(u8, &'t LicenseTerm)> {
    let named = terms.iter().filter_map(|term| Some((term.names(license, later)?, term)));
    named.max_by_key(|(rank, _)| *rank)
}

fn said(verb: &str, term: &LicenseTerm, license: &License) -> String {
    let (term, license) = (term.to_string(), license.to_string());
    if term == license {
        format!("the settings {verb} {license}")
    } else {
        format!("the settings {verb} {term}, which {license} is")
    }
}

/// Whether code under `inbound` may be part of a work under `outbound`: by the matrix, or by class.
fn go_together(outbound: &License, inbound: &License) -> AnswerAndReason {
    use Answer::{Allowed, Denied, Review};
    use Compatibility::{Depends, No, Yes};
    let (class, of_work) = (Class::of_license(inbound), Class::of_license(outbound));
    let (name, work) = (class.name(), format!("{outbound}, the project's license"));
    match compatibility(outbound, inbound) {
        Some(Yes) => (Allowed, format!("{inbound} is compatible with {work}")),
        Some(No) => (
            Denied,
            format!("{inbound} is not compatible with {work}, according to OSADL's matrix"),
        ),
        Some(Depends) => (
            Review,
            format!(
                "whether {inbound} is compatible with {work}, depends on how they are combined"
            ),
        ),
        None if class <= Class::Permissive => {
            (Allowed, format!("{inbound} is {name}, which is compatible with {work}"))
        }
        None if class >= Class::SourceAvailable
            || class >= Class::StrongCopyleft && of_work != class =>
        {
            (Denied, format!("{inbound} is {name}, and the project is under {outbound}"))
        }
        None => (Review, format!("it is unknown whether {inbound} is compatible with {work}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::FilePath;

    fn policy(project: &str, allow: &[&str], deny: &[&str]) -> LicensePolicy {
        let terms = |of: &[&str]| {
            of.iter().map(|term| LicenseTerm::parse(term).expect("it is a term")).collect()
        };
        LicensePolicy {
            project: Expression::parse(project),
            allow: terms(allow),
            deny: terms(deny),
            ..LicensePolicy::default()
        }
    }

    /// The answer to each of several licenses.
    #[track_caller]
    fn check(policy: &LicensePolicy, licenses: &str, expected: Answer) {
        for license in licenses.trim().split([';', '\n']).map(str::trim) {
            let terms = Terms { license: Expression::parse(license), ..Terms::default() };
            let verdict = policy.judge(&terms);
            assert_eq!(verdict.answer, expected, "{license}: {}", verdict.reason);
        }
    }

    #[test]
    fn each_license_of_an_expression_counts_as_it_is_joined() {
        let policy = policy("", &[], &["GPL", "BSD-4-Clause AND (MIT OR ISC)"]);
        let denied = "
            GPL-2.0-only; GPL-2.0; GPL-2.0+; gpl-2.0-only; GPLv2; eCos-2.0
            MIT AND GPL-2.0-only; GPL-2.0-only AND MIT; mit and gpl-2.0-only
            MIT, GPL-2.0; MIT,GPL-2.0; MIT & GPL-2.0; MIT and GPLv2+
            (MIT OR GPL-2.0-only) AND GPL-3.0-only; MIT AND (GPL-2.0-only OR GPL-3.0-only)
            (MIT AND GPL-2.0-only) OR (ISC AND GPL-3.0-only); LGPL-2.1-only AND GPL-2.0-only
            GPL-2.0-only AND (MIT OR (BSD-3-Clause AND (ISC OR Zlib)))
            GPL-2.0-with-classpath-exception; GPL-2.0+ WITH Bison-exception-2.2
            MIT AND GPL-2.0-only WITH Classpath-exception-2.0; GPL-2.0-only AND LicenseRef-ours
            Apache-2.0 WITH LLVM-exception AND GPL-2.0; (ISC OR MIT) AND BSD-4-Clause
        ";
        let allowed = "
            MIT; MIT OR GPL-2.0-only; GPL-2.0-only OR MIT; mit or gpl-2.0-only; MIT or GPLv2+
            MIT/GPL-2.0; MIT / GPL-2.0; MIT | GPL-2.0; MIT, Apache-2.0 or GPL-2.0
            MIT OR Apache-2.0 AND GPL-2.0-only; MIT AND GPL-2.0-only OR Apache-2.0
            (MIT OR GPL-2.0-only) AND Apache-2.0; MIT AND (ISC OR (GPL-2.0-only AND Zlib))
            LGPL-2.1-only OR GPL-2.0-only; MPL-1.1 OR GPL-2.0+ OR LGPL-2.1+; Apache-2.0+; wxWindows
            MIT OR LicenseRef-ours; DocumentRef-x:LicenseRef-GPL OR MIT; MIT AND BSD-4-Clause
        ";
        let unknown = "
            LicenseRef-ours; MIT AND LicenseRef-ours; DocumentRef-x:LicenseRef-ours AND MIT
            GPL-2.0-only OR LicenseRef-ours; MIT AND Foo-1.0; MIT OR Foo-1.0; MIT AND; MIT OR
            MIT and/or GPL-2.0; MIT + GPL-2.0; MIT GPL-2.0-only; MIT WITH Foo-exception; WITH
        ";
        check(&policy, denied, Answer::Denied);
        check(&policy, allowed, Answer::Allowed);
        check(&policy, unknown, Answer::Unknown);
    }

    #[test]
    fn lists_name_classes_families_and_licenses_and_the_more_exact_one_counts() {
        use Answer::{Allowed, Denied, Unknown};
        let policy = policy(
            "",
            &[
                "permissive",
                "public-domain",
                "GPL-2.0-only WITH Classpath-exception-2.0",
                "LGPL-3.0-only",
            ],
            &["strong-copyleft", "BSD-4-Clause", "AGPL"],
        );
        let allowed = "MIT; GPL-2.0-only WITH Classpath-exception-2.0; LGPL-2.1-or-later";
        check(&policy, allowed, Allowed);
        check(&policy, "MIT OR GPL-3.0-only", Allowed);
        check(&policy, "BSD-4-Clause; GPL-2.0-only; AGPL-3.0-or-later; MPL-2.0", Denied);
        check(&policy, "LGPL-2.1-only; MIT AND GPL-3.0-only", Denied);
        check(&policy, "", Unknown);
        let theirs = "LicenseRef-theirs; GPL-2.0-only OR LicenseRef-theirs";
        check(&policy, theirs, Unknown);
        check(&policy, "MIT AND LicenseRef-theirs", Unknown);
    }

    #[test]
    fn a_license_stands_for_only_and_or_later_unless_it_says_which() {
        use Answer::{Allowed, Denied};
        check(&policy("", &[], &["GPL-2.0"]), "GPL-2.0-or-later", Denied);
        check(&policy("", &[], &["GPL-2.0-only"]), "GPL-2.0-or-later", Allowed);
        check(&policy("", &["GPL-3.0"], &[]), "GPL-2.0-or-later", Allowed);
        check(&policy("", &["GPL-3.0"], &[]), "GPL-2.0-only", Denied);
        check(&policy("", &["MIT OR GPL-2.0-only"], &["GPL"]), "MIT OR GPL-2.0-only", Allowed);
    }

    #[test]
    fn the_license_of_the_project_decides_where_no_list_does() {
        use Answer::{Allowed, Denied, Review, Unknown};
        let permissive = policy("MIT OR Apache-2.0", &[], &[]);
        check(&permissive, "BSD-3-Clause", Allowed);
        check(&permissive, "GPL-2.0-only", Denied);
        check(&permissive, "; LicenseRef-theirs", Unknown);
        let copyleft = policy("GPL-2.0-only", &[], &[]);
        check(&copyleft, "MIT", Allowed);
        check(&copyleft, "Apache-2.0; BUSL-1.1", Denied);
        // Users choose, and the license of the code may be chosen to go with that.
        let either = policy("GPL-2.0-only OR GPL-3.0-only", &[], &[]);
        check(&either, "GPL-2.0-only OR GPL-3.0-only; GPL-2.0-or-later; MIT", Allowed);
        check(&either, "GPL-2.0-only; GPL-3.0-only; Apache-2.0", Denied);
        let both = policy("Apache-2.0 AND GPL-3.0-or-later", &[], &[]);
        check(&both, "GPL-3.0-or-later; Apache-2.0 AND GPL-3.0-or-later; MIT", Allowed);
        check(&both, "GPL-2.0-only; BUSL-1.1", Denied);
        let closed = policy("LicenseRef-ours", &[], &[]);
        check(&closed, "MIT", Allowed);
        check(&closed, "MPL-2.0", Review);
        check(&closed, "GPL-3.0-only", Denied);
    }

    #[test]
    fn the_license_found_in_the_tree_decides_where_the_settings_name_none() {
        let stated = || {
            let tag = b"SPDX-License-Identifier: MIT\n".to_vec();
            ProjectFiles::new(vec![(FilePath::new("LICENSE"), tag)])
        };
        let mut of_tree = LicensePolicy::default();
        of_tree.find_project(stated());
        check(&of_tree, "GPL-3.0-only", Answer::Denied);
        let terms = Terms { license: Expression::parse("GPL-3.0-only"), ..Terms::default() };
        let verdict = of_tree.judge(&terms);
        assert!(verdict.reason.ends_with("(license text (LICENSE:1))"), "{}", verdict.reason);
        let mut named = policy("GPL-3.0-only", &[], &[]);
        named.find_project(stated());
        check(&named, "GPL-3.0-only", Answer::Allowed);
        let mut unasked = LicensePolicy { has_no_project: true, ..LicensePolicy::default() };
        unasked.find_project(stated());
        check(&unasked, "GPL-3.0-only", Answer::Allowed);
    }

    #[test]
    fn without_a_policy_nothing_is_denied_and_nothing_unknown_allowed() {
        use Answer::{Allowed, Review, Unknown};
        let none = LicensePolicy::default();
        check(&none, "GPL-3.0-only", Allowed);
        check(&none, "BUSL-1.1", Review);
        check(&none, "", Unknown);
    }
}
