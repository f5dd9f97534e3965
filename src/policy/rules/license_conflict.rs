//! The rule `license-conflict`: a copy of code whose license the policy of the project denies.

use super::{AS_SET, Rule, Topic, When};
use crate::policy::{Answer, Level};

/// A copy of code whose license the policy of the project denies.
pub static RULE: Rule = Rule {
    id: "license-conflict",
    level: Level::Error,
    topic: Topic::License,
    when: When::Component(|_, verdict| match verdict.answer {
        Answer::Denied => AS_SET,
        // What no program can decide is no error.
        Answer::Review => Some(Level::Warning),
        Answer::Allowed | Answer::Unknown => None,
    }),
    milder_in: &[],
    summary: "a change copies code whose license may conflict with that of the project",
    finds: "Lines that a change adds and that repeat code of a component, as for `corpus-copy`, under a license that the policy in the settings \
            (`[license]`) denies, does not list among those it allows, or that does not go with `project-license`. What no program can \
            decide is a warning instead: where it depends on how the two are combined, or where evidence contradicts itself. Of licenses \
            joined by OR the one that the policy likes best counts, of those joined by AND the one it likes least.",
    why: "Code under such a license may oblige the whole project to its terms, or may not be passed on at all. It is cheap to take out \
          on the day it comes in, and expensive after a release.",
    example: "```toml\n\
              # secondhand.toml\n\
              [license]\n\
              project-license = \"MIT\"\n\
              deny = [\"strong-copyleft\", \"network-copyleft\"]\n\
              ```\n\n\
              A change adds `strbuf_grow` as a project under GPL-2.0-only has it: a potential conflict.",
    action: "Review it: this is a potential conflict, no legal verdict. The likeness may be chance, the code may be older here than there, or \
             it may be had under another license. Else take it out, or write it anew without looking at it. What is accepted goes into \
             `license.exceptions`, with a reason. Whether licenses go together is said by the Open Source License Compatibility Matrix \
             of OSADL eG (CC-BY-4.0, abridged), where the lists of the policy do not.",
};
