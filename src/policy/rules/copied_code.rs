//! The rule `copied-code`: a copy of code in the tree.

use super::{AS_SET, Ground, Rule, Topic, When};
use crate::policy::Level;

/// A copy of code in the tree.
pub static RULE: Rule = Rule {
    id: "copied-code",
    level: Level::Warning,
    topic: Topic::Duplication,
    when: When::Tree(|_| AS_SET),
    milder_in: &[Ground::Test, Ground::Example, Ground::Declarative, Ground::Document],
    summary: "a change copies code that the tree already has",
    finds: "Lines that a change adds and that repeat code which stands elsewhere in the tree: exactly, \
            with other layout, names or literals, or with statements inserted, deleted or changed. \
            Code that was only moved, renamed or re-indented is not a copy, nor is an edit inside a copy that was there before.",
    why: "Whoever fixes one of the two must know of the other. Copies drift apart, and a fault \
          that is mended in one lives on in the rest.",
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
    action: "Call the code that is there, or move what both need to a place of its own. \
             Where the copy is meant to be, set a higher `min-tokens`, or list its path under `ignore`.",
};
