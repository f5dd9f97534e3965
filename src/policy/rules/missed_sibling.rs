//! The rule `missed-sibling`: an edit of code that has siblings, which it did not reach.

use super::{AS_SET, Ground, Rule, Topic, When};
use crate::policy::{About, Level};

/// An edit that did not reach the siblings of the edited code.
pub static RULE: Rule = Rule {
    id: "missed-sibling",
    level: Level::Note,
    topic: Topic::Duplication,
    when: When::Edit(|about| match about {
        About::Missed(missed) if !missed.is_declared => AS_SET,
        _ => None,
    }),
    milder_in: &[Ground::Test, Ground::Example, Ground::Declarative, Ground::Document],
    summary: "a change edits code and leaves its siblings as they were",
    finds: "An edit inside code that had a clone before the change, if the clone still is as it was: the lines around \
            the edit agree, perhaps with other names, and it still has what the edit removed and lacks what it added. \
            The finding is on the edited lines and names the siblings, the nearest first. Nothing is reported if the \
            edit reaches all siblings, if a sibling differs just where the edit is, for renames, new literals, braces, \
            other layout and comments, for heads of functions, moved code and whole functions, for what the change \
            itself introduces unless both are twins, and in tests, examples and documents. It needs less to be alike \
            where the commits say that they mend something, and more in a change of many edits, or if many files have \
            what is around the edit.",
    why: "A fix in one of two copies is half a fix. The others keep the bug, for months and sometimes for years, \
          because nobody knows that they are there.",
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
             with the names of the sibling. Better still, let both call one function. If the two differ on purpose, \
             there is nothing to do: it is a note.",
};
