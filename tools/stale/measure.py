#!/usr/bin/env python3
"""Compares what `secondhand stale` reports with what git can still apply.

    measure.py SECONDHAND CORPUS ORIGIN CONSUMER REVISION FOLDER [ORIGIN_FOLDER]

Takes FOLDER of CONSUMER at REVISION as the copy. For each later commit of ORIGIN's default branch and each hunk of it
(three lines of context), `git apply` tells whether the copy still has the lines as they were: those are the missed
hunks by git's measure, which knows nothing of Secondhand. Prints, for commits and files: both, only git, only Secondhand;
and the same for edits, commits that do more to a file than add definitions between others.
Hunks that only change comments, layout, imports or the text of messages are left out.
"""

import json
import os
import re
import subprocess
import sys
import tempfile


def git(folder, *args, text=None, check=True):
    done = subprocess.run(["git", "-C", folder, *args], input=text, capture_output=True)
    if check and done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace"))
    return done


def without_comments(text):
    """A file without comments, strings and white space, roughly: enough to see that nothing else changed."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = re.sub(r"^\s*#\s*include[^\n]*", "", text, flags=re.M)
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"\s+", "", text)


def hunks(patch):
    """The hunks of a patch of one file, each as a patch of its own, and whether it only adds definitions."""
    head, *rest = re.split(r"(?m)^(?=@@ )", patch)
    for hunk in rest:
        lines = [line for line in hunk.splitlines()[1:] if line[1:].strip()]
        added = [line[1:] for line in lines if line.startswith("+")]
        has_removed = any(line.startswith("-") for line in lines)
        yield head + hunk, bool(added) and not has_removed and not added[0][0].isspace()


def main():
    program, corpus, origin, consumer, revision, folder, *rest = sys.argv[1:]
    of_origin = rest[0].strip("/") if rest else ""
    with tempfile.TemporaryDirectory() as work:
        archive = git(consumer, "archive", revision, folder).stdout
        subprocess.run(["tar", "-x", "-C", work], input=archive, check=True)
        git(work, "init", "-q")
        git(work, "add", "-A")
        git(work, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x")
        command = [program, "stale", "-C", work, "--corpus", corpus, "--format", "json", "--no-progress", "--fail-on", "never", ]
        report = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        told = {}
        for finding in report["findings"]:
            for commit in finding["missedCommits"]["commits"]:
                told[(commit["hash"], finding["path"])] = (commit, finding["level"])
        for version in report["audit"]["versions"]:
            print("version:", version["folder"], version["version"], version["files"], "files, of which identical", version["identicalFiles"],
                  f"+{version['addedLines']} -{version['removedLines']}")
        missed = {}
        paths = git(work, "ls-files").stdout.decode().split("\n")
        names = {path[len(folder.strip("/")) + 1:]: path for path in paths if re.search(r"\.(c|h|cc|cpp|hpp|py)$", path)}
        # What the version has already is not missed, though a patch may apply once more.
        tags = {version["firstTag"] for version in report["audit"]["versions"] if version["firstTag"]}
        for commit in git(origin, "rev-list", "--no-merges", "HEAD", *("^" + tag for tag in tags)).stdout.decode().split():
            changed = git(origin, "diff-tree", "-r", "--no-commit-id", "--name-only", "--diff-filter=M", commit).stdout.decode().split("\n")
            for path in changed:
                name = path[len(of_origin) + 1:] if of_origin and path.startswith(of_origin + "/") else (path if not of_origin else None)
                if name not in names:
                    continue
                patch = git(origin, "diff-tree", "-p", "--no-commit-id", "-U3", commit, "--", path).stdout.decode("latin-1")
                for text, is_new in hunks(patch):
                    text = re.sub(rf"(?m)^(--- a|\+\+\+ b|diff --git a)/{re.escape(path)}", rf"\1/{names[name]}", text)
                    text = re.sub(rf"(?m)^(diff --git .*) b/{re.escape(path)}$", rf"\1 b/{names[name]}", text)
                    file = os.path.join(work, names[name])
                    before = open(file, encoding="latin-1", newline="").read()
                    if git(work, "apply", "-", text=text.encode("latin-1"), check=False).returncode:
                        continue
                    after = open(file, encoding="latin-1", newline="").read()
                    with open(file, "w", encoding="latin-1", newline="") as out:
                        out.write(before)
                    if without_comments(before) != without_comments(after):
                        missed.setdefault((commit, names[name]), []).append((is_new, text))
        both = sorted(set(told) & set(missed))
        only_git = sorted(set(missed) - set(told))
        only_ours = sorted(set(told) - set(missed))
        print(f"told {len(told)}, git {len(missed)}, both {len(both)}, only git {len(only_git)}, only told {len(only_ours)}")
        edits = {key for key, found in missed.items() if not all(is_new for is_new, _ in found)}
        print(f"edits: git {len(edits)}, told {len(edits & set(told))}")
        if os.environ.get("SHOW"):
            for key in only_git:
                print("\n== only git", *key, "" if key in edits else "definitions only")
                for _, text in missed[key]:
                    print(re.sub(r"(?ms)\A.*?(?=^@@)", "", text))
            for key in only_ours:
                commit, level = told[key]
                print("\n== only told", *key, level, commit["subject"], [(p["fragment"]["startLine"], p["fragment"]["endLine"]) for p in commit["places"]])


main()
