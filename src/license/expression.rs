//! Reads SPDX license expressions, in their strict form and as people write them.
//!
//! Invariant: an [`Expression`] has canonical spelling, so equal licenses are equal text.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::LazyLock;

use spdx::ParseMode;
use spdx::expression::{ExprNode, Operator};

use super::grants;

/// An SPDX license expression.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Expression {
    /// In postfix order.
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Node {
    License(License),
    And,
    Or,
}

/// A license of an expression.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct License {
    /// Its SPDX identifier, or a `LicenseRef-`.
    pub id: String,
    /// Whether a `+` follows; GNU licenses use `-or-later` instead.
    pub or_later: bool,
    /// What follows `WITH`.
    pub exception: Option<String>,
}

/// Maximum bytes of an expression: nobody writes longer ones, and nesting stays shallow.
const MAX_LENGTH: usize = 2_000;
const MAX_LICENSES: usize = 100;
/// Maximum depth of parentheses.
const MAX_DEPTH: usize = 32;

/// Deprecated identifiers that include their exception.
const WITH_EXCEPTION: &[(&str, &str)] = &[
    ("-with-autoconf-exception", "Autoconf-exception-3.0"),
    ("-with-bison-exception", "Bison-exception-2.2"),
    ("-with-classpath-exception", "Classpath-exception-2.0"),
    ("-with-font-exception", "Font-exception-2.0"),
    ("-with-GCC-exception", "GCC-exception-3.1"),
];

/// Deprecated identifiers, and what SPDX lists instead.
const SUCCESSORS: &[(&str, &str, Option<&str>)] = &[
    ("BSD-2-Clause-FreeBSD", "BSD-2-Clause-Views", None),
    ("BSD-2-Clause-NetBSD", "BSD-2-Clause", None),
    ("Nunit", "zlib-acknowledgement", None),
    ("StandardML-NJ", "SMLNJ", None),
    ("bzip2-1.0.5", "bzip2-1.0.6", None),
    ("eCos-2.0", "GPL-2.0-or-later", Some("eCos-exception-2.0")),
    ("wxWindows", "LGPL-2.0-or-later", Some("WxWindows-exception-3.1")),
];

impl Expression {
    /// Reads SPDX's syntax, deprecated identifiers, the names that people give licenses, such as
    /// "GPLv2+", and several of them with words or signs between; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        // Rocks of Lua: "MIT <http://opensource.org/licenses/MIT>".
        let text =
            text.strip_suffix('>').and_then(|of| of.rsplit_once(" <http")).map_or(text, |of| of.0);
        if text.is_empty() || text.len() > MAX_LENGTH {
            return None;
        }
        Self::parse_name(text).or_else(|| Self::parse_list(text))
    }

    fn parse_name(text: &str) -> Option<Self> {
        Self::parse_spdx(text)
            .or_else(|| grants::named(text).and_then(|name| Self::parse_spdx(&name)))
            .or_else(|| Self::parse_spdx(grants::with_full_name(text)?))
    }

    /// Reads names as Debian and CRAN join them. A comma binds loosest: "A or B, and C".
    fn parse_list(text: &str) -> Option<Self> {
        let text = text.strip_suffix("at your option").unwrap_or(text).trim_end_matches([',', ' ']);
        let text = text.replace(" and ", " & ").replace(" or ", " | ").replace(['/', '\n'], " | ");
        Self::all_known(text.split(',').map(|part| {
            let choices = part.trim().trim_start_matches("& ").split('|').map(|choice| {
                Self::all_known(choice.split('&').map(|name| Self::parse_name(name.trim())))
            });
            choices.collect::<Option<Vec<_>>>().and_then(Self::any)
        }))
    }

    /// Reads an expression in SPDX's syntax only.
    pub fn parse_spdx(text: &str) -> Option<Self> {
        if text.len() > MAX_LENGTH || depth(text) > MAX_DEPTH {
            return None;
        }
        let mode = ParseMode {
            allow_slash_as_or_operator: true,
            allow_imprecise_license_names: false,
            allow_postfix_plus_on_gpl: true,
            allow_deprecated: true,
            allow_unknown: false,
        };
        let text = spelled(text);
        let parsed = spdx::Expression::parse_mode(&text, mode).ok()?;
        let nodes = parsed.iter().map(|node| match node {
            ExprNode::Op(Operator::And) => Node::And,
            ExprNode::Op(Operator::Or) => Node::Or,
            ExprNode::Req(req) => Node::License(License::of(&req.req)),
        });
        let nodes: Vec<Node> = nodes.collect();
        (nodes.len() <= 2 * MAX_LICENSES).then_some(Self { nodes })
    }

    /// All of these licenses at once, without repetitions; `None` if empty.
    pub fn all(of: impl IntoIterator<Item = Self>) -> Option<Self> {
        Self::join(of, &Node::And)
    }

    /// All of these licenses at once; `None` if one of them is unknown.
    pub(super) fn all_known(of: impl IntoIterator<Item = Option<Self>>) -> Option<Self> {
        of.into_iter().collect::<Option<Vec<_>>>().and_then(Self::all)
    }

    /// Any one of these licenses, without repetitions; `None` if empty.
    pub fn any(of: impl IntoIterator<Item = Self>) -> Option<Self> {
        Self::join(of, &Node::Or)
    }

    fn join(of: impl IntoIterator<Item = Self>, operator: &Node) -> Option<Self> {
        let mut parts: Vec<Self> = Vec::new();
        for next in of.into_iter().flat_map(|of| of.parts(operator)) {
            if !parts.contains(&next) && parts.len() < MAX_LICENSES {
                parts.push(next);
            }
        }
        parts.into_iter().reduce(|mut joined, next| {
            joined.nodes.extend(next.nodes);
            joined.nodes.push(operator.clone());
            joined
        })
    }

    /// What an operator joins in it: "A OR B OR C" has three choices.
    fn parts(self, operator: &Node) -> Vec<Self> {
        let mut nodes = self.nodes.iter();
        if !nodes.all(|node| matches!(node, Node::License(_)) || node == operator) {
            return vec![self];
        }
        let licenses = self.nodes.into_iter().filter(|node| node != operator);
        licenses.map(|license| Self { nodes: vec![license] }).collect()
    }

    /// What it offers a choice between; itself, if it offers none.
    pub(super) fn choices(self) -> Vec<Self> {
        self.parts(&Node::Or)
    }

    /// The licenses it names, in order.
    pub fn licenses(&self) -> impl Iterator<Item = &License> {
        self.nodes.iter().filter_map(|node| match node {
            Node::License(license) => Some(license),
            Node::And | Node::Or => None,
        })
    }

    /// Evaluates the expression from its licenses up.
    pub fn fold<T>(
        &self,
        leaf: impl Fn(&License) -> T,
        and: impl Fn(T, T) -> T,
        or: impl Fn(T, T) -> T,
    ) -> T {
        let mut stack: Vec<T> = Vec::new();
        for node in &self.nodes {
            let value = match node {
                Node::License(license) => leaf(license),
                Node::And | Node::Or => {
                    let second = stack.pop().expect("postfix: an operator follows its operands");
                    let first = stack.pop().expect("postfix: an operator follows its operands");
                    if matches!(node, Node::And) { and(first, second) } else { or(first, second) }
                }
            };
            stack.push(value);
        }
        stack.pop().expect("an expression has a license")
    }

    /// The same with an exception added to its GNU licenses.
    pub(super) fn with_exception(mut self, exception: &str) -> Self {
        for node in &mut self.nodes {
            if let Node::License(license) = node
                && license.exception.is_none()
                && (license.id.contains("GPL-") || exception == "LLVM-exception")
            {
                license.exception = Some(exception.to_owned());
            }
        }
        self
    }

    /// Whether a GNU license in one version is in it.
    pub(super) fn is_one_version(&self) -> bool {
        self.licenses().any(|license| license.id.ends_with("-only"))
    }

    /// Whether it offers a choice between single licenses.
    pub(super) fn is_choice(&self) -> bool {
        self.nodes.len() > 1 && !self.nodes.contains(&Node::And)
    }

    /// Whether it offers a choice of the licenses that all apply by `listed`.
    pub(super) fn offers(&self, listed: &Self) -> bool {
        let mut own = self.licenses();
        self.is_choice()
            && listed.nodes.len() == self.nodes.len()
            && !listed.is_choice()
            && own.all(|own| listed.licenses().any(|of| own.agrees_with(of, false)))
    }

    /// Whether both are the same, in whatever order they are joined.
    pub fn is_same(&self, other: &Self) -> bool {
        self.sorted() == other.sorted()
    }

    /// Its parts in order: all of which apply, and in each the choices.
    fn sorted(&self) -> (bool, Vec<String>) {
        self.fold(
            |license| (false, vec![license.to_string()]),
            |a, b| (false, sorted_parts(false, [a, b])),
            |a, b| (true, sorted_parts(true, [a, b])),
        )
    }

    /// Whether it is a license in the same version, with or without later ones, or an edition of
    /// that: "Artistic-1.0-Perl", "GFDL-1.3-invariants".
    pub(super) fn is_edition_of(&self, other: &Self) -> bool {
        self.licenses().any(|a| {
            other.licenses().any(|b| {
                let rest = a.base().strip_prefix(b.base());
                rest.is_some_and(|of| of.is_empty() || b.version().is_some() && of.starts_with('-'))
            })
        })
    }

    pub(super) fn is_later(&self) -> bool {
        self.licenses().any(License::allows_later)
    }

    /// Whether it is in one version, and one of `others` is the same with later ones: that tells
    /// more.
    pub(super) fn is_later_among(&self, others: &[Self]) -> bool {
        let later = self.with_later();
        !self.is_later() && later.is_later() && others.contains(&later)
    }

    /// The same with every "only" of the GNU licenses as "or later".
    pub fn with_later(&self) -> Self {
        self.with_each(|license| match license.id.strip_suffix("-only") {
            Some(base) => License { id: format!("{base}-or-later"), ..license.clone() },
            None => license.clone(),
        })
    }

    fn with_each(&self, other: impl Fn(&License) -> License) -> Self {
        let nodes = self.nodes.iter().map(|node| match node {
            Node::License(license) => Node::License(other(license)),
            Node::And | Node::Or => node.clone(),
        });
        Self { nodes: nodes.collect() }
    }

    /// Whether it is no more than the name of a family: "BSD", or GPL of any version.
    pub fn is_vague(&self) -> bool {
        matches!(&self.nodes[..], [Node::License(of)] if of.names_family())
    }

    /// The same with each name of a family as the only license of it among `exact`, if it is one.
    pub(super) fn refined(&self, exact: &[&Self]) -> Self {
        let exact = exact.iter().filter(|of| of.nodes.len() == 1).flat_map(|of| of.licenses());
        let exact: Vec<&License> = exact.filter(|of| !of.names_family()).collect();
        self.with_each(|license| {
            let is_vague = license.names_family();
            let mut of_family =
                exact.iter().copied().filter(|of| is_vague && license.agrees_with(of, false));
            let first = of_family.next();
            let only = first.filter(|first| of_family.all(|other| other == *first));
            only.unwrap_or(license).clone()
        })
    }

    /// Whether both may mean the same: they share a license, or one is a vaguer name of the other.
    /// With `is_later_known`, "only" and "or later" disagree.
    pub fn agrees_with(&self, other: &Self, is_later_known: bool) -> bool {
        self.licenses().any(|a| other.licenses().any(|b| a.agrees_with(b, is_later_known)))
    }
}

/// The parts of two expressions, in order; one that is joined otherwise is a single part.
fn sorted_parts(is_or: bool, of: [(bool, Vec<String>); 2]) -> Vec<String> {
    let mut all = Vec::new();
    for (other, parts) in of {
        if other == is_or || parts.len() == 1 {
            all.extend(parts);
        } else {
            all.push(format!("({})", parts.join(" ")));
        }
    }
    all.sort();
    all.dedup();
    all
}

/// Parentheses that are open at once.
fn depth(text: &str) -> usize {
    let mut depth = 0usize;
    let mut deepest = 0;
    for byte in text.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Identifiers of SPDX by their lower case: they are compared without it.
static IDENTIFIERS: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let licenses = spdx::identifiers::LICENSES.iter().map(|license| license.name);
    let exceptions = spdx::identifiers::EXCEPTIONS.iter().map(|exception| exception.name);
    licenses.chain(exceptions).map(|name| (name.to_lowercase(), name)).collect()
});

/// Operators in capitals, and identifiers as SPDX spells them.
fn spelled(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len());
    for (at, word) in text.split_whitespace().enumerate() {
        spelled.push_str(if at == 0 { "" } else { " " });
        // "MIT/X11 and GPL-2.0": a slash binds more than a word.
        let is_choice = word.contains('/') && !word.contains(['(', ')']) && word != "/";
        let word = &*if is_choice { format!("({word})").into() } else { Cow::Borrowed(word) };
        for part in word.split_inclusive(['(', ')', '/', '+']) {
            let (name, mark) = part.split_at(part.trim_end_matches(['(', ')', '/', '+']).len());
            let known = match name.to_lowercase().as_str() {
                "and" => Some("AND"),
                "or" => Some("OR"),
                "with" => Some("WITH"),
                lower => IDENTIFIERS.get(lower).copied(),
            };
            spelled.push_str(known.unwrap_or(name));
            spelled.push_str(mark);
        }
    }
    spelled
}

impl License {
    fn of(req: &spdx::LicenseReq) -> Self {
        let mut exception = req.addition.as_ref().map(ToString::to_string);
        let (id, or_later) = match &req.license {
            spdx::LicenseItem::Other(other) => (other.to_string(), false),
            spdx::LicenseItem::Spdx { id, or_later } => {
                let mut name = id.name.to_owned();
                for (suffix, named) in WITH_EXCEPTION {
                    if let Some(base) = id.name.strip_suffix(suffix) {
                        name = base.to_owned();
                        exception = Some((*named).to_owned());
                    }
                }
                if let Some((_, successor, with)) = SUCCESSORS.iter().find(|(old, ..)| *old == name)
                {
                    name = (*successor).to_owned();
                    exception = exception.or(with.map(str::to_owned));
                }
                let is_gnu = id.is_gnu() || exception.is_some() && name.contains("GPL-");
                if !is_gnu {
                    (name, *or_later)
                } else if *or_later || name.ends_with('+') {
                    let base = name.trim_end_matches('+').trim_end_matches("-only");
                    (format!("{}-or-later", base.trim_end_matches("-or-later")), false)
                } else if name.ends_with("-only") || name.ends_with("-or-later") {
                    (name, false)
                } else {
                    (format!("{name}-only"), false)
                }
            }
        };
        Self { id, or_later, exception }
    }

    /// The identifier without `-only` and `-or-later`.
    pub fn base(&self) -> &str {
        let base = self.id.strip_suffix("-only").or_else(|| self.id.strip_suffix("-or-later"));
        base.unwrap_or(&self.id)
    }

    /// Whether later versions of the license may be chosen.
    pub fn allows_later(&self) -> bool {
        self.or_later || self.id.ends_with("-or-later")
    }

    /// Whether any SPDX license belongs to this family: `GPL`, `CC-BY`.
    pub fn is_family(name: &str) -> bool {
        static FAMILIES: LazyLock<HashSet<String>> = LazyLock::new(|| {
            let licenses = IDENTIFIERS.values().map(|id| License {
                id: (*id).to_owned(),
                or_later: false,
                exception: None,
            });
            licenses.map(|license| license.family().to_lowercase()).collect()
        });
        FAMILIES.contains(&name.to_lowercase())
    }

    /// Whether code under it may be used under `other`: the same, or an allowed later version.
    pub fn may_be_taken_as(&self, other: &Self) -> bool {
        let versions = self.version().zip(other.version());
        let is_later = self.allows_later() && versions.is_some_and(|(own, other)| own < other);
        self.family() == other.family() && (self.base() == other.base() || is_later)
    }

    fn version(&self) -> Option<Vec<u32>> {
        let digits = self.base().rsplit('-').next().unwrap_or_default().split('.');
        digits.map(|part| part.parse().ok()).collect()
    }

    /// The name without its version: `GPL` for `GPL-2.0-only`.
    pub fn family(&self) -> &str {
        let base = self.base();
        let base = base.strip_prefix("LicenseRef-").unwrap_or(base);
        let end = base.find(|c: char| c.is_ascii_digit()).unwrap_or(base.len());
        base[..end].trim_end_matches('-')
    }

    /// Whether it is no more than the name of its family.
    fn names_family(&self) -> bool {
        self.is_vague() && (self.allows_later() || self.id.starts_with("LicenseRef-"))
    }

    /// Whether it may stand for any license of its family.
    fn is_vague(&self) -> bool {
        self.id.starts_with("LicenseRef-") || self.base().ends_with("-1.0")
    }

    fn agrees_with(&self, other: &Self, is_later_known: bool) -> bool {
        if self.base() == other.base() {
            return !is_later_known || self.allows_later() == other.allows_later();
        }
        self.family() == other.family()
            && [self, other].iter().any(|of| of.is_vague() || of.allows_later())
    }
}

impl fmt::Display for License {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.id, if self.or_later { "+" } else { "" })?;
        match &self.exception {
            Some(exception) => write!(f, " WITH {exception}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Expression {
    /// Writes the canonical spelling, with parentheses only around `OR` inside `AND`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, _) = self.fold(
            |license| (license.to_string(), false),
            |a, b| {
                let [a, b] =
                    [a, b].map(|(text, is_or)| if is_or { format!("({text})") } else { text });
                (format!("{a} AND {b}"), false)
            },
            |(a, _), (b, _)| (format!("{a} OR {b}"), true),
        );
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(written: &str, canonical: &str) {
        let parsed = Expression::parse(written).map(|expression| expression.to_string());
        assert_eq!(parsed.as_deref(), Some(canonical), "{written}");
    }

    #[test]
    fn expressions_are_put_into_canonical_spelling() {
        check("MIT", "MIT");
        check("mit or apache-2.0", "MIT OR Apache-2.0");
        check("MIT/Apache-2.0", "MIT OR Apache-2.0");
        check("(MIT OR Apache-2.0) AND Unicode-3.0", "(MIT OR Apache-2.0) AND Unicode-3.0");
        check("GPL-2.0", "GPL-2.0-only");
        check("GPL-2.0+", "GPL-2.0-or-later");
        check("GPL-2.0-with-classpath-exception", "GPL-2.0-only WITH Classpath-exception-2.0");
        check("Apache-2.0 WITH LLVM-exception", "Apache-2.0 WITH LLVM-exception");
        check("EPL-1.0+", "EPL-1.0+");
        check("LicenseRef-ours", "LicenseRef-ours");
        let document = "DocumentRef-spdx:LicenseRef-ours AND MIT";
        check(document, document);
        check("LGPL-2.1-only OR GPL-2.0-only", "LGPL-2.1-only OR GPL-2.0-only");
        check("lgpl-2.1-ONLY and gpl-2.0+", "LGPL-2.1-only AND GPL-2.0-or-later");
        check("MIT OR Apache-2.0 AND BSD-3-Clause", "MIT OR Apache-2.0 AND BSD-3-Clause");
        check("((MIT))", "MIT");
        check("gpl-3.0-or-later with gcc-exception-3.1", "GPL-3.0-or-later WITH GCC-exception-3.1");
        check("GPL-3.0-with-GCC-exception", "GPL-3.0-only WITH GCC-exception-3.1");
        assert_eq!(Expression::parse("Apache-2.0 and/or MIT"), None);
        check("MIT, BSD-3-Clause", "MIT AND BSD-3-Clause");
        check("MIT / Apache-2.0", "MIT OR Apache-2.0");
        check("MIT|Apache-2.0", "MIT OR Apache-2.0");
        check("StandardML-NJ", "SMLNJ");
        check("eCos-2.0", "GPL-2.0-or-later WITH eCos-exception-2.0");
        check("bzip2-1.0.5", "bzip2-1.0.6");
        check("GFDL-1.3", "GFDL-1.3-only");
        check("AGPL-3.0", "AGPL-3.0-only");
    }

    #[test]
    fn names_that_people_write_are_known() {
        check("Apache License, Version 2.0", "Apache-2.0");
        check("The Apache Software License, Version 2.0", "Apache-2.0");
        check("The MIT License (MIT)", "MIT");
        check("GNU General Public License v3 or later (GPLv3+)", "GPL-3.0-or-later");
        check("GNU Lesser General Public License v2.1", "LGPL-2.1-only");
        check("GPLv2+", "GPL-2.0-or-later");
        check("GPL (>= 2)", "GPL-2.0-or-later");
        check("AGPLv3", "AGPL-3.0-only");
        check("New BSD License", "BSD-3-Clause");
        check("BSD", "LicenseRef-BSD");
        check("GPL", "GPL-1.0-or-later");
        check("public domain", "LicenseRef-public-domain");
        check("UNLICENSED", "LicenseRef-proprietary");
        check("Artistic-1.0-Perl", "Artistic-1.0-Perl");
        assert_eq!(Expression::parse("see the file"), None);
        assert_eq!(Expression::parse(""), None);
    }

    #[test]
    fn vaguer_names_agree_and_other_licenses_do_not() {
        let agree = |a: &str, b: &str, later| {
            let [a, b] = [a, b].map(|of| Expression::parse(of).expect("it is known"));
            a.agrees_with(&b, later)
        };
        assert!(agree("MIT OR Apache-2.0", "MIT", true));
        assert!(agree("GPL-2.0-or-later", "GPL-2.0-only", false));
        assert!(!agree("GPL-2.0-or-later", "GPL-2.0-only", true));
        assert!(agree("BSD", "BSD-3-Clause", true));
        assert!(!agree("MIT", "GPL-3.0-only", false));
    }
}
