//! The rule `exists-already`: a new function that the tree has already, in other words.

use super::{AT_MOST_A_NOTE, About, Ground, Level, Rule, RuleCondition, Topic};

pub(super) static RULE: Rule = Rule {
    id: "exists-already",
    level: Level::Note,
    topic: Topic::Duplication,
    when: RuleCondition::Other(|about| match about {
        About::Exists { .. } => AT_MOST_A_NOTE,
        _ => None,
    }),
    milder_in: &[Ground::Test, Ground::Example, Ground::Declarative, Ground::Document],
    summary: "a new function may do what an existing one does",
    finds: "A new function of which no copy was found, but whose words one existing function has: the words of its \
            names, calls and messages and of the comment above it, split at underscores and where the case changes, \
            without their endings. The fewer files have a word, the more it counts (BM25). Functions in tests, \
            examples and documents, those shorter than `min-tokens`, and those that call the existing one are left \
            out, and so are changes that add more than 64 functions.",
    why: "People who do not know a helper write it again, and each bug is then fixed in only one of the two.",
    example: "```console\n\
              $ secondhand check\n\
              note[exists-already]: may exist already as save_cache_entries at src/cache.c:2: calls entry_is_expired, \
              report_error, write_entry, fclose; says \"cannot write the cache\"; names null, cache, cannot, file, fopen\n\
              ```",
    action: "Read the function that is named. If it does what is needed, call it, or extend it. `secondhand find FILE \
             --lines A-B` lists the next best.",
};
