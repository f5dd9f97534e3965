//! The rule `corpus-copy`: a copy of code of a known project, whose license lets it be copied.

use super::{
    AS_SET, AT_MOST_A_NOTE, Answer, Attribution, Ground, Level, Rule, RuleCondition, Topic,
};

pub(super) static RULE: Rule = Rule {
    id: "corpus-copy",
    level: Level::Warning,
    topic: Topic::License,
    when: RuleCondition::Component(|_, verdict| match (verdict.answer, &verdict.attribution) {
        (Answer::Allowed, Attribution::Owed(_)) => AS_SET,
        // It is as it should be: nothing is owed.
        (Answer::Allowed, Attribution::NotAsked | Attribution::Given(_)) => AT_MOST_A_NOTE,
        _ => None,
    }),
    // Documents quote. A license asks the same of tests as of any other code.
    milder_in: &[Ground::Document],
    summary: "a change copies code from a known project",
    finds: "Lines that a change adds and that repeat code of a component whose license is known and not denied by the \
            policy in the settings. Components come from a corpus given with `--corpus` or in the settings, or from a \
            folder that the settings list under `vendored`. What counts as a copy is what counts for `copied-code`, \
            plus more evidence: rare words in common with the origin, a long run, or similarity as a whole. Code that \
            many components share is common, and not scored. A short idiom is a note, and so is a copy that owes \
            nothing: the origin's copyright notices are in the file with the copy, or in a license text or a file like \
            NOTICE above it, or the license does not require them.",
    why: "Nearly every license requires the notice to be kept, and some require more. A copy that does not say where \
          it came from also misses every later fix.",
    example: "```c\n\
              /* src/net/line.c, added by a change; linenoise (BSD-2-Clause) has it in linenoise.c */\n\
              static int isUnsupportedTerm(void) {\n\
              \x20   char *term = getenv(\"TERM\");\n\
              \x20   int j;\n\
              \n\
              \x20   if (term == NULL) return 0;\n\
              \x20   for (j = 0; unsupported_term[j]; j++)\n\
              \x20       if (!strcasecmp(term,unsupported_term[j])) return 1;\n\
              \x20   return 0;\n\
              }\n\
              ```",
    action: "Depend on the component instead, or keep its copyright notice and license with the copy: `secondhand \
             audit --report notice=NOTICE` writes all notices that are owed. The dates in the report show who may have \
             had the code first. If the copy is intentional, list its folder under `vendored`.",
};
