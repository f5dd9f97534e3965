//! The rule `license-conflict`: a copy of code whose license the policy of the project denies.

use super::{AS_SET, Answer, Level, Rule, RuleCondition, Topic};

pub(super) static RULE: Rule = Rule {
    id: "license-conflict",
    level: Level::Error,
    topic: Topic::License,
    when: RuleCondition::Component(|_, verdict| match verdict.answer {
        Answer::Denied => AS_SET,
        // What a program cannot decide is not an error.
        Answer::Review => Some(Level::Warning),
        Answer::Allowed | Answer::Unknown => None,
    }),
    milder_in: &[],
    summary: "a change copies code whose license may conflict with the project's",
    finds: "Lines that a change adds and that repeat code of a component, as for `corpus-copy`, under a license that \
            the policy in the settings (`[license]`) denies or does not list under `allow`, or that is not compatible \
            with `project-license`. It is a warning if that depends on how the two are combined, or the evidence is \
            contradictory. Of licenses joined by OR, the one that the policy likes best counts; of those joined by \
            AND, the one it likes least.",
    why: "Code under such a license may bind the whole project to its terms. Removing it is cheap on the day it comes \
          in, and expensive after a release.",
    example: "```toml\n\
              # secondhand.toml\n\
              [license]\n\
              project-license = \"MIT\"\n\
              deny = [\"strong-copyleft\", \"network-copyleft\"]\n\
              ```\n\n\
              A change adds `strbuf_grow` as a project under GPL-2.0-only has it: a potential conflict.",
    action: "Review it: this is a potential conflict, not a legal verdict. The similarity may be a coincidence, the \
             code may be older here than there, or it may be available under another license. Otherwise remove it, or \
             rewrite it without looking at it. Put what you accept into `license.exceptions`, with a reason. Whether \
             licenses are compatible says, where the policy does not, the Open Source License Compatibility Matrix of \
             OSADL eG (CC-BY-4.0, abridged).",
};
