//! Decides which of the licenses that a text states apply together, and which are a choice.

use std::ops::Range;

use super::limits::{has, spaced};
use super::{Expression, Words};

/// A license that is stated, and its words.
#[derive(Clone)]
pub(super) struct LicenseStatement {
    pub range: Range<usize>,
    /// The license; `None` if it is unknown.
    pub expression: Option<Expression>,
}

/// Maximum words between licenses of one choice.
const REACH: usize = 60;

/// All licenses stated: those near each other as a choice, if the words `around` texts offer one.
pub(super) fn joined(
    stated: Vec<LicenseStatement>,
    words: &Words,
    around: &[Range<usize>],
) -> Option<Expression> {
    let mut groups: Vec<Vec<LicenseStatement>> = Vec::new();
    for next in stated {
        match groups.last_mut().filter(|group| is_near(end(group), next.range.start, words)) {
            Some(group) => group.push(next),
            None => groups.push(vec![next]),
        }
    }
    let mut choices: Vec<(bool, Vec<Expression>)> = Vec::new();
    for group in groups {
        let is_choice =
            group.len() > 1 && is_choice(words, around, &(group[0].range.start..end(&group)));
        let mut stated: Vec<Expression> =
            group.into_iter().filter_map(|of| of.expression).collect();
        let is_choice = is_choice || stated.len() == 1 && stated[0].is_choice();
        if is_choice {
            stated = stated.into_iter().flat_map(Expression::choices).collect();
        }
        let mut all: Vec<Expression> = Vec::new();
        for expression in stated {
            if !all.contains(&expression) {
                all.push(expression);
            }
        }
        choices.push((is_choice, all));
    }
    // A license that is a choice elsewhere is no duty here.
    let counting = choices.iter().enumerate().filter(|(at, (_, own))| {
        !choices.iter().enumerate().any(|(other, (is_choice, all))| {
            *is_choice
                && other != *at
                && own.iter().all(|of| all.contains(of))
                && (other < *at || all.len() > own.len())
        })
    });
    Expression::all(counting.flat_map(|(_, (is_choice, all))| {
        if *is_choice { Expression::any(all.clone()).into_iter().collect() } else { all.clone() }
    }))
}

/// Whether a license that is stated at `next` may be of one choice with one that ends at `end`.
fn is_near(end: usize, next: usize, words: &Words) -> bool {
    let n_between = next.saturating_sub(end);
    let said = words.of(end..end + n_between);
    n_between <= REACH
        || n_between <= 5 * REACH
            && ["alternatively", "optionally licensed"].iter().any(|offer| said.contains(offer))
}

fn end(group: &[LicenseStatement]) -> usize {
    group.last().map_or(0, |of| of.range.end)
}

/// Words that offer a choice of licenses.
const OFFERS: &[&str] = &[
    "alternatively",
    "dual",
    "dually licensed",
    "your choice",
    "users discretion",
    "either the",
    "either under",
    "one or the other",
    "one of the following",
    "any one of",
    "one of two licenses",
    "choice of",
    "choose between",
    "multi licensed",
    "triple licensed",
    "tri licensed",
    "under either",
    "of either",
    "the option to distribute",
    "either license",
    "either of",
    "version mpl",
    "either one of",
    "one of these licenses",
    "one or more of the following",
    "license option",
    "pick the license",
    "license that best",
    "which license you",
    "following secondary licenses",
    "optionally licensed under",
    "under two licenses",
    "under 2 licenses",
    "one of the above",
    "also available under",
    "also made available under",
];

/// Whether a sentence offers a choice of licenses.
pub(super) fn is_offer(sentence: &str) -> bool {
    let sentence = spaced(sentence);
    has(&sentence, OFFERS) || sentence.contains("licens") && is_option(&sentence)
}

/// Whether words leave an option, and none of a version: "at your option any later version".
fn is_option(words: &str) -> bool {
    let options = [" at your option ", " at your discretion "];
    let mut behind = options.iter().flat_map(|option| words.split(option).skip(1));
    behind.any(|next| !next.starts_with("version") && !is_later(next))
}

/// Words around licenses that may offer a choice of them.
const AROUND: usize = 24;

/// Whether the words around licenses offer a choice.
fn is_choice(words: &Words, parts: &[Range<usize>], licenses: &Range<usize>) -> bool {
    let reach = licenses.start.saturating_sub(AROUND)..licenses.end + AROUND;
    let around = words_within(words, parts, &reach);
    if PARTS.iter().any(|part| around.contains(part)) {
        return false;
    }
    let between = words_within(words, parts, licenses);
    is_option(&around)
        || has(&around, OFFERS)
        || between.split(' ').count() < REACH
            && between.replace("and or ", "").split(" or ").skip(1).any(|next| !is_later(next))
}

/// The words of a range that are in these parts of a text.
fn words_within(words: &Words, parts: &[Range<usize>], within: &Range<usize>) -> String {
    let parts = parts.iter().map(|of| of.start.max(within.start)..of.end.min(within.end));
    let parts = parts.filter(|of| !of.is_empty()).map(|of| words.of(of));
    spaced(&parts.collect::<Vec<_>>().join(" "))
}

/// Whether an "or" goes on to later versions: "or at your discretion any later version".
fn is_later(next: &str) -> bool {
    let mut next = next.split(' ').take(TO_LATER);
    next.any(|word| ["later", "newer", "higher", "above", "greater"].contains(&word))
}

/// Words behind an "or" among which are those that speak of later versions: "or at your discretion
/// any later version".
const TO_LATER: usize = 6;
/// Words that say that licenses are those of parts: none of them may be chosen for the whole.
const PARTS: &[&str] = &[
    " subdirector",
    " following files",
    " files are also covered",
    " some of the ",
    " second part",
    " documentation is ",
    " non core ",
    " some files ",
    " accordingly ",
    " as appropriate ",
    " depending on ",
    " respectively ",
    " whichever applies ",
    " accompanied the original ",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::license::tests::{check_header, check_headers};

    #[test]
    fn each_offer_is_a_choice() {
        let under = |offer: &str| {
            format!("It is licensed, {offer}, under the MIT license and the GPL version 2.")
        };
        check_header(&under("as we said"), "MIT AND GPL-2.0-only");
        for offer in OFFERS {
            check_header(&under(offer), "MIT OR GPL-2.0-only");
        }
    }

    #[test]
    fn a_choice_is_one_of_the_whole_and_no_division_into_parts() {
        // "Later" is near the "or" of a version, and not that of a license.
        check_headers(
            r#"
licensed under the MIT license or GPL-2 (or later). → MIT OR GPL-2.0-or-later
under the Eclipse Public License 2.0 which is available at https://www.eclipse.org/legal/epl-2.0, or the Apache License 2.0 → EPL-2.0 OR Apache-2.0
under the GNU GPL, version 2 or (at your option) version 3. → GPL-2.0-only OR GPL-3.0-only
under version 2 or version 3 of the GNU General Public License. → GPL-2.0-only OR GPL-3.0-only
under the GNU GPL, version 2 of the license dated June 1991 or version 3. → GPL-2.0-only OR GPL-3.0-only
under the MIT license or the GPL version 2 and any later version. → MIT OR GPL-2.0-or-later
The library is under the LGPL version 2.1 (or at your discretion any later version). The tools are under the GPL, version 2.0 (or at your discretion any later version). → LGPL-2.1-or-later AND GPL-2.0-or-later
The file is under the GPL version 2 only. The following notice accompanied the original version: under either the MIT license or the BSD 2-clause license. → GPL-2.0-only AND MIT AND BSD-2-Clause
All may be distributed under the GPL version 2. Alternatively, all source in the lib subdirectory may be distributed under the LGPL version 2.1. → GPL-2.0-only AND LGPL-2.1-only
The files are covered by the GPL v2 or LGPL v2.1, accordingly. → GPL-2.0-only AND LGPL-2.1-only
The files are covered by the GPL v2 or LGPL v2.1, as appropriate. → GPL-2.0-only AND LGPL-2.1-only
The files are covered by the GPL v2 or LGPL v2.1, respectively. → GPL-2.0-only AND LGPL-2.1-only
The files are covered by the GPL v2 or LGPL v2.1, depending on the file. → GPL-2.0-only AND LGPL-2.1-only
The files are covered by the GPL v2 or LGPL v2.1, whichever applies. → GPL-2.0-only AND LGPL-2.1-only
"#,
        );
        // An address may be between two licenses of a choice, and no whole story.
        let between = |n_words: usize| {
            let words = vec!["word"; n_words].join(" ");
            format!("under the EPL 2.0 {words} or the GPL version 2, which")
        };
        check_header(&between(20), "EPL-2.0 OR GPL-2.0-only");
        check_header(&between(40), "EPL-2.0");
    }
}
