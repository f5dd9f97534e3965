//! The rule `unknown-license`: a copy of code whose license is not known.

use super::{AS_SET, Answer, Ground, Level, Rule, RuleCondition, Topic};

pub(super) static RULE: Rule = Rule {
    id: "unknown-license",
    level: Level::Warning,
    topic: Topic::License,
    when: RuleCondition::Component(
        |_, verdict| if verdict.answer == Answer::Unknown { AS_SET } else { None },
    ),
    // Documents quote. A license asks the same of tests as of any other code.
    milder_in: &[Ground::Document],
    summary: "a change copies code whose license is unknown",
    finds: "Lines that a change adds and that repeat code of a component, as for `corpus-copy`, if nothing states a \
            license for the code, or what is stated is not a known license. Searched are tags in the file, files next \
            to it, REUSE.toml, debian/copyright, package manifests, license texts and READMEs in its folder and those above.",
    why: "Code without a license may not be copied at all.",
    example: "```c\n\
              /* src/hash.c, added by a change; a repository without a license file has it in util/hash.c */\n\
              uint32_t hash_name(const char *name, size_t length, uint32_t seed)\n\
              {\n\
              \x20   uint32_t hash = seed ^ (uint32_t)length * 0x9e3779b1;\n\
              \x20   for (size_t at = 0; at < length; at++)\n\
              \x20       hash = (hash ^ (unsigned char)name[at]) * 0x01000193;\n\
              \x20   hash ^= hash >> 16;\n\
              \x20   hash *= 0x85ebca6b;\n\
              \x20   return hash ^ (hash >> 13);\n\
              }\n\
              ```",
    action: "Ask the authors, or look for the project it originally came from. Then declare the license where the \
             corpus is made (`secondhand corpus add --license`, or `license` in a list), or for the vendored folder. \
             Write a license of your own as `LicenseRef-NAME`.",
};
