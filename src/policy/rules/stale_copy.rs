//! The rule `stale-copy`: the project that a copy comes from has changed the same lines since.

use super::{AS_SET, AT_MOST_A_NOTE, Ground, Level, Rule, RuleCondition, Topic};

pub(super) static RULE: Rule = Rule {
    id: "stale-copy",
    // A commit that only goes on with the work makes it a note.
    level: Level::Warning,
    topic: Topic::Fixes,
    when: RuleCondition::Behind(|behind| match (behind.is_listed, behind.is_security()) {
        (true, _) => None,
        (false, true) => AS_SET,
        (false, false) => AT_MOST_A_NOTE,
    }),
    milder_in: &[Ground::Test, Ground::Example, Ground::Document],
    summary: "a copy lacks what its origin has changed since",
    finds: "Code that a component of a corpus once had, and that later commits of the component changed. Each missed \
            commit is named with its date, its subject, and the CVE and GHSA ids in its message. A commit is missed \
            if the copy has the lines that it changed, with the code around them, as they were before and not as they \
            became, and the component did not go back to them later. Lines in any other form are not reported: they \
            may have been fixed here. New functions, and changes of layout, comments and names are not missed. If a \
            commit says that it fixes a security fault, by an id or in words such as `out of bounds`, the finding is \
            a warning; otherwise it is a note. In a change, only copies that it adds are checked; `secondhand audit` \
            and `secondhand stale` check the whole tree. The corpus must have the history of the component: \
            `secondhand corpus add NAME REPOSITORY`.",
    why: "A copy gets no updates: a fault that was fixed at its origin stays in it, in public.",
    example: "```console\n\
              $ secondhand stale --corpus oss\n\
              warning[stale-copy]: zlib/deflate.c:228: lacks a later commit of zlib: 5c44459c3b (Fix a bug that can \
              crash deflate on some input when using Z_FIXED.)\n\
              ```",
    action: "Update the copy, or apply what is missing: `secondhand stale --format patch` writes it. Read the commit \
             first, as it may depend on others. If the copy differs on purpose, say so in a comment.",
};
