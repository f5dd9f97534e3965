//! The rule `out-of-step`: two places that a comment keeps in step, of which a change edits one.

use super::{AS_SET, About, Level, Rule, RuleCondition, Topic};

pub(super) static RULE: Rule = Rule {
    id: "out-of-step",
    level: Level::Warning,
    topic: Topic::Duplication,
    when: RuleCondition::Other(|about| match about {
        About::Missed(missed) if missed.is_declared => AS_SET,
        _ => None,
    }),
    milder_in: &[],
    summary: "a change edits one of two places that a comment keeps in step",
    finds: "A function or class with a comment above it that says where its twin is, `secondhand: same-as(path#name)` \
            or `Copied from path.name with A->B`, if the two agreed before the change, up to names, and a change edits \
            one of them so that they no longer do.",
    why: "The comment says that the two are meant to be the same code. What one gets, the other needs.",
    example: "```python\n\
              # Copied from models.bert.modeling_bert.BertOutput with Bert->Roberta\n\
              class RobertaOutput(nn.Module):\n\
              \x20   ...\n\
              ```\n\n\
              A change edits `BertOutput` alone.",
    action: "Make the same edit at the other place. If the two part ways for good, remove the comment.",
};
