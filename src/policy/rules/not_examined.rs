//! The rule `not-examined`: a changed file that may hold source, and was not examined.

use super::{AS_SET, AT_MOST_A_NOTE, About, Ground, Level, Rule, RuleCondition, Topic};

pub(super) static RULE: Rule = Rule {
    id: "not-examined",
    level: Level::Warning,
    topic: Topic::Coverage,
    when: RuleCondition::Other(|about| match about {
        About::Unread(_) => AS_SET,
        About::LeftOut(_) => AT_MOST_A_NOTE,
        _ => None,
    }),
    milder_in: &[Ground::Test, Ground::Example, Ground::Document],
    summary: "a file was not examined",
    finds: "Files that are source by their name and were not searched for copies: changed files in `check`, all in \
            `audit`. Each file that could not be read is a finding: it is larger than `max-file-size`, has more tokens \
            than `max-file-tokens`, code on a line longer than `max-line-length`, is binary, in an encoding that \
            Secondhand does not read (UTF-16 without a byte order mark), a Git LFS pointer, or the run ended before \
            (`--timeout`, `--max-memory`). In tests and documents it is a note. Files that are left out on purpose \
            share one note, which lists them and says why: they are generated or minified, scripts of an unknown \
            interpreter, repositories of their own, left out by default (`*.min.js`), or in a folder of vendored, \
            installed or built code (`vendor/`, `third_party/`, `node_modules/`, `dist/`). Code copied from such a folder is still found, and out of a generated file as a \
            note. Files that the setting `ignore` leaves out are not listed.",
    why: "A file that nobody looked at is not clean: a copy could hide in five megabytes, or below a line that claims \
          that the file is generated.",
    example: "```console\n\
              $ secondhand check\n\
              warning[not-examined]: 1 changed file could not be examined\n\
              \x20 = not examined: src/tables.c (too large)\n\
              \n\
              note[not-examined]: 2 changed files were left out\n\
              \x20 = left out: dist/ (1 file, vendored or built)\n\
              \x20 = left out: src/api.pb.go (generated)\n\
              ```",
    action: "Review the file by hand, or make it readable: save it as UTF-8, raise the limit that it is beyond, keep \
             source out of Git LFS. To leave a file out without a report, add it to `ignore`; `secondhand baseline \
             create` records the existing ones. To check a folder of vendored or built code, add it back: `ignore = \
             [\"!dist/\"]`, or `dist/** -linguist-vendored` in `.gitattributes`. `include-generated` checks \
             generated files. A comment in the file has no effect.",
};
