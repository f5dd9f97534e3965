//! The rule `not-examined`: a changed file that may hold source, and was not looked at.

use super::Rule;
use crate::policy::Level;

/// A changed file that may hold source, and was not looked at.
pub static NOT_EXAMINED: Rule = Rule {
    id: "not-examined",
    level: Level::Warning,
    summary: "a changed file was not examined",
    finds: "Changed files that hold source by their name, and were not searched for copies. Each one that could not be read is a finding: it is \
            larger than `max-file-size`, its bytes are no text or in an encoding that is not read (UTF-16 without a byte order mark), or it is a \
            pointer of Git LFS. What is left out on purpose is one note in all, which names the files and why: they are generated or minified, \
            left out by default (`*.min.js`), or in a folder that holds code of others or what was built (`vendor/`, `third_party/`, \
            `node_modules/`, `dist/`; copies out of such a folder are found all the same). What `ignore` in the settings leaves out is not named.",
    why: "A file that nobody looked at is not clean. Without this, a copy passes that lies in a file of five megabytes, or in one that says in \
          its first line that it is generated.",
    example: "```console\n\
              $ secondhand check\n\
              warning[not-examined]: 1 changed file could not be examined\n\
              \x20 = not examined: src/tables.c (too large)\n\
              \n\
              note[not-examined]: 2 changed files were left out\n\
              \x20 = left out: dist/ (1 file, vendored or built)\n\
              \x20 = left out: src/api.pb.go (generated)\n\
              ```",
    action: "Read it as a person would. Save it as UTF-8, raise `max-file-size`, or fetch it with `git lfs pull` and check with `--worktree`. A file \
             that is meant to be left out goes into `ignore`: then nothing is said of it. To have a folder of others' code judged like your own, take it \
             back in (`ignore = [\"!dist/\"]`, or `dist/** -linguist-vendored` in `.gitattributes`); `include-generated` compares generated files. \
             A comment in the file cannot allow it, since the file is not read.",
};
