//! The rule `copied-code`: a copy of code in the tree.

use super::{AS_SET, Ground, Level, Rule, RuleCondition, Topic};

pub(super) static RULE: Rule = Rule {
    id: "copied-code",
    level: Level::Warning,
    topic: Topic::Duplication,
    when: RuleCondition::Tree(|origin| origin.in_common.insertion.map_or(AS_SET, |_| None)),
    milder_in: &[Ground::Test, Ground::Example, Ground::Declarative, Ground::Document],
    summary: "a change copies code that the tree already has",
    finds: "Lines that a change adds and that repeat code found elsewhere in the tree: exactly, with different layout, \
            names or literals, or with statements inserted, deleted or changed. Code that was only moved, renamed or \
            re-indented is not a copy, and neither is an edit inside an existing copy.",
    why: "Copies drift apart, and a bug fixed in one lives on in the others.",
    example: "```c\n\
              /* src/list.c has this function already, as list_find() */\n\
              struct entry *table_find(struct table *t, const char *key)\n\
              {\n\
              \x20   for (struct entry *e = t->head; e; e = e->next)\n\
              \x20       if (strcmp(e->key, key) == 0)\n\
              \x20           return e;\n\
              \x20   return NULL;\n\
              }\n\
              ```",
    action: "Call the existing code, or move what both need to a shared place. If the copy is intentional, allow it \
             with a comment that gives the reason, `secondhand: allow(copied-code) -- reason`. If there are many, \
             raise `min-tokens`, or add the path to `ignore`.",
};
