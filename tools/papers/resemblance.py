"""Measures where resemblance could serve: renamed files, and near-copies of whole files.

    tools/papers/resemblance.py BINARY renames CLONE...
    tools/papers/resemblance.py BINARY near-copies CLONE...

`renames`: of the edited files that git takes for renamed (-M), how many have at least half of their shingles in common
with what they were, as `check` asks. `near-copies`: of the files whose shingles resemble those of another by four
fifths, how many `scan` puts into a class with one of them, and what both cost.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SUFFIXES = tuple(".c .cpp .go .h .hpp .java .js .pl .py .rb .rs .sh .ts".split())
# Renames to measure for each clone, chosen by chance but always the same.
SAMPLE = 120
# What check asks of a renamed file; also git's default for -M.
RENAMED = 0.5
# Percent of resemblance of a near-copy, and the fewest tokens of one.
NEAR, MIN_TOKENS = 80, 100


def output(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **options).stdout


def renames(clone):
    """The blobs before and after, and the paths, of edited files that git calls renamed."""
    log = output(
        *["git", "-C", clone, "log", "--no-merges", "-M", "--diff-filter=R", "--raw", "-z", "--no-abbrev"],
        *["--format=", "-n", "6000"],
    )
    fields = iter(log.split(b"\0"))
    for field in fields:
        words = field.decode(errors="replace").split()
        if len(words) == 5 and words[4].startswith("R"):
            next(fields)
            path = os.fsdecode(next(fields))
            if words[4] != "R100" and path.endswith(SUFFIXES):
                yield words[2], words[3], pathlib.Path(path).suffix


def resemblance(binary, clone, before, after, suffix):
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, blob in ("before", before), ("after", after):
            paths.append(pathlib.Path(folder, name + suffix))
            paths[-1].write_bytes(output("git", "-C", clone, "cat-file", "blob", blob))
        options = ["--normalized", "--shingle", "16", "--isolated", "--format", "json"]
        answer = output(binary, "resemblance", *paths, *options)
    pairs = json.loads(answer)["pairs"] if answer else []
    return pairs[0]["resemblance"]["value"] if pairs else None


def measure_renames(binary, clone):
    pairs = list(renames(clone))
    random.Random(7).shuffle(pairs)
    values = [resemblance(binary, clone, *pair) for pair in pairs[:SAMPLE]]
    values = [value for value in values if value is not None]
    return f"{sum(value >= RENAMED for value in values)} of {len(values)} renames"


def timed(*command, **options):
    before = os.times()
    answer = json.loads(output(*command, **options))
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return answer, cpu


def measure_near_copies(binary, clone):
    files = output("git", "ls-files", *("*" + suffix for suffix in SUFFIXES), cwd=clone, text=True).splitlines()
    options = ["--isolated", "--format", "json"]
    near, cluster_cpu = timed(
        *[binary, "resemblance", *files, "--normalized", "--cluster", str(NEAR), *options], cwd=clone
    )
    scan, scan_cpu = timed(binary, "scan", *options, cwd=clone)
    classes = {}
    for number, finding in enumerate(scan["findings"]):
        for place in [finding, *finding["origins"]]:
            classes.setdefault(place["path"], set()).add(number)
    n_near = n_found = 0
    for cluster in near["clusters"]:
        members = [near["documents"][number] for number in cluster["members"]]
        for member in members[1:]:
            if member["tokens"] < MIN_TOKENS:
                continue
            others = set().union(*(classes.get(other["name"], set()) for other in members if other is not member))
            n_near += 1
            n_found += bool(classes.get(member["name"], set()) & others)
            if not classes.get(member["name"], set()) & others:
                print(f"  not in a class: {member['name']}, near {members[0]['name']}")
    times = f"clusters {cluster_cpu:.1f} s, scan {scan_cpu:.1f} s of CPU"
    return f"{n_found} of {n_near} near-copies in {len(files)} files; {times}"


def main(binary, what, *clones):
    measure = {"renames": measure_renames, "near-copies": measure_near_copies}[what]
    for clone in clones:
        print(f"{pathlib.Path(clone).name}: {measure(binary, clone)}", flush=True)


main(*sys.argv[1:])
