//! Shows that fixes travel, a file for each rule about them.

mod copied_before_fix;
mod missed_sibling;
mod out_of_step;
mod stale_copy;

use serde_json::Value;
use support::Repository;

/// A function that writes a file, with its names.
fn save(name: &str, of: &str, file: &str) -> String {
    format!(
        "int {name}(struct {of} *{of}, const char *target)\n{{\n    char path[256];\n    FILE *{file};\n    \
         snprintf(path, sizeof path, \"temp-%d.{of}\", getpid());\n    {file} = fopen(path, \"w\");\n    \
         if ({file} == NULL)\n        return report({of}, errno);\n    if (write_{of}({of}, {file}) < 0)\n        \
         goto failed;\n    if (fflush({file}) == EOF)\n        goto failed;\n    if (rename(path, target) == -1)\n        \
         goto failed;\n    return 0;\nfailed:\n    log_error(\"cannot write %s: %s\", path, strerror(errno));\n    \
         fclose({file});\n    unlink(path);\n    return -1;\n}}\n"
    )
}

/// The same with a check before the file is closed.
fn fixed(name: &str, of: &str, file: &str) -> String {
    let close = format!("    fclose({file});");
    save(name, of, file).replace(&close, &format!("    if ({file} != NULL)\n    {close}"))
}

/// What the commit of a change says if nothing else is asked for.
const FIX: &str = "Fix what was found";

/// A change: the files before and after.
struct Change<'c> {
    /// What its commit says.
    message: &'c str,
    before: &'c [(&'c str, String)],
    after: &'c [(&'c str, String)],
}

impl Change<'_> {
    fn made(&self) -> Repository {
        let repository = Repository::new();
        for (path, text) in self.before {
            repository.write(path, text);
        }
        repository.commit("before");
        for (path, text) in self.after {
            repository.write(path, text);
        }
        for (path, _) in self
            .before
            .iter()
            .filter(|(path, _)| !self.after.iter().any(|(other, _)| other == path))
        {
            repository.remove(path);
        }
        repository.commit(self.message);
        repository
    }
}

/// The findings of a rule in the last commit.
#[track_caller]
fn findings(repository: &Repository, rule: &str) -> Vec<Value> {
    let report = repository.check(&["--base", "HEAD~1"]);
    report.list("/findings").iter().filter(|finding| finding["rule"] == rule).cloned().collect()
}
