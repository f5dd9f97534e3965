//! The rule `corpus-copy`: a copy of code of a known project, whose license lets it be copied.

use super::{AS_SET, AT_MOST_A_NOTE, Ground, Rule, Topic, When};
use crate::policy::{Answer, Attribution, Level};

/// A copy of code of a known project, whose license lets it be copied.
pub static RULE: Rule = Rule {
    id: "corpus-copy",
    level: Level::Warning,
    topic: Topic::License,
    when: When::Component(|_, verdict| match (verdict.answer, &verdict.attribution) {
        (Answer::Allowed, Attribution::Owed(_)) => AS_SET,
        // It is as it should be: nothing is owed.
        (Answer::Allowed, Attribution::NotAsked | Attribution::Given(_)) => AT_MOST_A_NOTE,
        _ => None,
    }),
    // Documents quote. A license asks the same of tests as of any other code.
    milder_in: &[Ground::Document],
    summary: "a change copies code of a known project",
    finds: "Lines that a change adds and that repeat code of a component: of a corpus that was named with `--corpus` or \
            in the settings, or of a folder of the repository that the settings call vendored; and whose license is known and not denied \
            by the policy in the settings. What counts as a copy is what counts for `copied-code`, and has to share rare words with its origin, \
            hold a long run, or be alike as a whole, since between projects code of one shape is written time and again; code that many \
            components have is common, and not scored. Where the copyright notices of the origin stand in the file of the copy, in a license text or in a file \
            like NOTICE above it, or where the license does not ask for them, the finding is a note: nothing is owed.",
    why: "Code of others comes with their terms: nearly every license asks for the notice to be kept, and some ask for more. \
          A copy without a word of where it came from also misses every later fix.",
    example: "```c\n\
              /* src/net/line.c, added by a change; linenoise (BSD-2-Clause) has it in linenoise.c */\n\
              static int isUnsupportedTerm(void) {\n\
              \x20   char *term = getenv(\"TERM\");\n\
              \x20   if (term == NULL) return 0;\n\
              \x20   for (int j = 0; unsupported_term[j]; j++)\n\
              \x20       if (!strcasecmp(term, unsupported_term[j])) return 1;\n\
              \x20   return 0;\n\
              }\n\
              ```",
    action: "Depend on the component instead, or keep its copyright notice and license with the copy and say where it came from: \
             `secondhand audit --report notice=NOTICE` writes all that are owed. \
             Copies run both ways: the dates that the report names tell who may have had the code first. Where the copy is meant to be, list its folder under `vendored`.",
};
