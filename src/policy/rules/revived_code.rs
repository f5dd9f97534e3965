//! The rule `revived-code`: a copy of deleted code.

use super::{AS_SET, AT_MOST_A_NOTE, Ground, Level, Rule, RuleCondition, Topic};

pub(super) static RULE: Rule = Rule {
    id: "revived-code",
    level: Level::Note,
    topic: Topic::Duplication,
    when: RuleCondition::Past(
        |deletion| if deletion.is_reverted { AT_MOST_A_NOTE } else { AS_SET },
    ),
    milder_in: &[Ground::Test, Ground::Example, Ground::Declarative, Ground::Document],
    summary: "a change brings back code that was deleted",
    finds: "Lines that a change adds and that repeat code which an earlier commit deleted and which is no longer \
            anywhere in the tree. Requires `--history`. The finding names the commit that deleted the code and the \
            last file that contained it. Code that still exists somewhere is `copied-code`; a file that comes back \
            byte for byte is found even if parts of it still exist. If the change is a revert of that commit, the \
            finding is a note, whatever the level.",
    why: "Someone had a reason to delete it, and it lacks the fixes made since.",
    example: "```diff\n\
              +/* src/list.c had this until 3f2a9c1, \"list: drop the linear search\" */\n\
              +struct entry *find(struct table *t, const char *key)\n\
              +{\n\
              +    for (struct entry *e = t->head; e; e = e->next)\n\
              +        if (strcmp(e->key, key) == 0)\n\
              +            return e;\n\
              +    return NULL;\n\
              +}\n\
              ```",
    action: "Read the commit that deleted it: `git show` with the id in the finding. If the deletion was a mistake, \
             revert it with `git revert`, which keeps the authors.",
};
