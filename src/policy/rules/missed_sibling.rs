//! The rule `missed-sibling`: an edit of code that has siblings, which it did not reach.

use super::{AS_SET, About, Ground, Level, Rule, RuleCondition, Topic};

pub(super) static RULE: Rule = Rule {
    id: "missed-sibling",
    level: Level::Note,
    topic: Topic::Duplication,
    when: RuleCondition::Other(|about| match about {
        About::Missed(missed) if !missed.is_declared => AS_SET,
        _ => None,
    }),
    milder_in: &[Ground::Test, Ground::Example, Ground::Declarative, Ground::Document],
    summary: "a change edits code and leaves its siblings as they were",
    finds: "An edit whose code is elsewhere in the tree, too, and stayed as it was. The window of each hunk is what \
            it removed and three lines on both sides; layout and comments do not count. A sibling has the replaced \
            lines, or those around an insertion or removal (of one more of its kind, all), renamed one to one, of \
            the same types; at least five different names or literals, and three of five, are spelled the same. Its \
            function has the names of the edited one that the hunk uses, and not what it put there; the edit can be \
            made there: no other comments, no two names become one. It lacks all that the function got, and its file \
            has the names in it; or the change has eight hunks at most, and 32 tokens in a row are alike. \
            Insertions, shorter runs and larger changes need a commit that says fix, not refactor or no functional \
            change. Not reported are edits that more than eight places lack or got, braces, texts, declarations, \
            attributes, number rows, heads of functions, whole functions, renamed or moved code, tests, documents.",
    why: "A fix in one of two copies is half a fix: nobody knows that the others are there.",
    example: "```diff\n\
              --- a/src/rdb.c\n\
              +++ b/src/rdb.c\n\
              @@ werr:\n\
              -    fclose(fp);\n\
              +    if (fp) fclose(fp);\n\
              \x20    unlink(tmpfile);\n\
              ```\n\n\
              `aof.c` closes its file in the same way, and still does so twice.",
    action: "Look at the sibling. If it needs the edit too, `secondhand check --format patch | git apply` makes it, \
             with the names of the sibling. Better still, let both call one function.",
};
