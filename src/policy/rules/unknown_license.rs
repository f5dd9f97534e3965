//! The rule `unknown-license`: a copy of code whose license is not known.

use super::{AS_SET, Ground, Rule, Topic, When};
use crate::policy::{Answer, Level};

/// A copy of code whose license is not known.
pub static RULE: Rule = Rule {
    id: "unknown-license",
    level: Level::Warning,
    topic: Topic::License,
    when: When::Component(|_, verdict| if verdict.answer == Answer::Unknown { AS_SET } else { None }),
    // Documents quote. A license asks the same of tests as of any other code.
    milder_in: &[Ground::Document],
    summary: "a change copies code whose license is not known",
    finds: "Lines that a change adds and that repeat code of a component, as for `corpus-copy`, where nothing says under which license the code \
            is, or where what is said names no license that is known. Looked at are tags in the file, the files beside it, \
            REUSE.toml, debian/copyright, package manifests, and license texts in its folder and those above.",
    why: "Code without a license may not be copied at all: that nothing is asked for does not mean that everything is allowed.",
    example: "```c\n\
              /* src/hash.c, added by a change; a repository without a license file has it in util/hash.c */\n\
              uint32_t mix(uint32_t h)\n\
              {\n\
              \x20   h ^= h >> 16;\n\
              \x20   h *= 0x85ebca6b;\n\
              \x20   return h ^ (h >> 13);\n\
              }\n\
              ```",
    action: "Find out: ask its authors, or look for the project where it came from first. Then declare the license where the corpus \
             is made (`secondhand corpus add --license`, `license` in a list) or with the vendored folder; a license of your own is written \
             `LicenseRef-NAME`.",
};
