//! The rule `edited-alike`: the same new code in two places that were alike before.

use super::{AS_SET, AT_MOST_A_NOTE, Ground, Level, Origin, Rule, RuleCondition, Topic};

/// Minimum new tokens for a warning, if no whole function: less is seldom worth one of its own.
const LARGE: usize = 60;

pub(super) static RULE: Rule = Rule {
    id: "edited-alike",
    level: Level::Warning,
    topic: Topic::Duplication,
    when: RuleCondition::Tree(when),
    milder_in: &[Ground::Test, Ground::Example, Ground::Declarative, Ground::Document],
    summary: "a change inserts the same code into places that were alike",
    finds: "Code that a change inserts into two or more places that were alike before: a method into two similar \
            classes, a block into two similar functions. From 60 new tokens or a whole function on it is a warning, \
            else a note. Places that were rewritten alike are not reported, and neither are edits of fewer than \
            `min-tokens` new tokens.",
    why: "Somebody had to find all places, and will have to for the next fix.",
    example: "```python\n\
              # Encrypter and Decrypter were alike before; a change adds this to both.\n\
              \x20   def readable(self, values):\n\
              \x20       lines = []\n\
              \x20       for name, value in sorted(values.items()):\n\
              \x20           if name not in self.hidden:\n\
              \x20               lines.append(f\"{name}={self.quote(value)}\")\n\
              \x20       return self.separator.join(lines)\n\
              ```",
    action: "Write the new code once, in a function that all places call, with what differs, which the report lists, \
             as its parameters. If the places are meant to stay apart, allow it with a comment.",
};

fn when(origin: &Origin) -> Option<Level> {
    let insertion = origin.in_common.insertion?;
    if insertion.holds_unit || insertion.n_tokens >= LARGE { AS_SET } else { AT_MOST_A_NOTE }
}
