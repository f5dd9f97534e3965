//! The rule `copied-before-fix`: a copy of a past state of its origin, which has changed since.

use super::{AS_SET, About, Ground, Level, Rule, RuleCondition, Topic};

pub(super) static RULE: Rule = Rule {
    id: "copied-before-fix",
    level: Level::Warning,
    topic: Topic::Duplication,
    when: RuleCondition::Other(
        |about| if matches!(about, About::OldCopy(_)) { AS_SET } else { None },
    ),
    milder_in: &[Ground::Test, Ground::Example, Ground::Declarative, Ground::Document],
    summary: "a change copies code as it was before its origin was changed",
    finds: "A copy of code in the tree, as for `copied-code`, that is, token for token, a past version of its origin, \
            or has the lines that a commit changed there as they were before. The finding names the commits that changed the origin \
            since. The last versions of the file of the origin are compared; `--history` is not needed.",
    why: "The origin was changed for a reason, often a bug, and the copy brings the old state back, from a branch that \
          lives long or from memory.",
    example: "```c\n\
              /* src/aof.c, added by a change; src/rdb.c checks `if (fp)` since 323029baa6 */\n\
              werr:\n\
              \x20   fclose(fp);\n\
              \x20   unlink(tmpfile);\n\
              \x20   return C_ERR;\n\
              ```",
    action: "Read the commits: `git show` with the ids in the finding. Then call the present code, or make the same \
             edits in the copy.",
};
