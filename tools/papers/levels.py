#!/usr/bin/env python3
"""Measures `secondhand compare` on labeled submissions, beside copydetect and others.

    tools/papers/levels.py --binary target/release/secondhand IR-Plag-Dataset [--peer] [--other NAME=COMMAND]...

The data is the Source Code Plagiarism Dataset of Karnalim, Budi, Toba and Joy (2019): seven tasks in Java, each with an
original, independent solutions, and plagiarized ones at the six levels of Faidhi and Robinson (1987). It is public
(oscarkarnalim/sourcecodeplagiarismdataset, Apache-2.0) and not part of this repository.

A pair is an original and another solution of its task. For each level, prints the area under the ROC curve, as the mean
of the tasks, and the recall at the threshold above which no independent solution of the same task is. `--peer` needs
copydetect (`pip install copydetect`), with its defaults. `--other` measures a command that is given a folder of
submissions and prints a line for each pair, separated by tabs: two names and a similarity.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

LEVELS = [f"L{n}" for n in range(1, 7)]


def solutions(case):
    """The original of a case, and its other solutions by name: a level or `N`, and a number."""
    found = {"original": case / "original"}
    for level in LEVELS:
        for folder in sorted((case / "plagiarized" / level).iterdir()):
            found[f"{level}-{folder.name}"] = folder
    for folder in sorted((case / "non-plagiarized").iterdir()):
        found[f"N-{folder.name}"] = folder
    return found


def secondhand(binary, found, extra):
    """By what the original and each other solution are ranked; their containment and resemblance."""
    with tempfile.TemporaryDirectory() as folder:
        for name, path in found.items():
            shutil.copytree(path, Path(folder) / name)
        command = [binary, "--isolated", "compare", folder, "--top=1000000", "--format=json", *extra]
        report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    names = [submission["name"] for submission in report["submissions"]]
    ranked, contained, alike = ({name: 0.0 for name in found} for _ in range(3))
    for pair in report["pairs"]:
        both = [names[pair["first"]], names[pair["second"]]]
        if "original" in both:
            other = both[1 - both.index("original")]
            contained[other] = max(pair["firstInSecond"], pair["secondInFirst"])
            alike[other] = pair["resemblance"]
            ranked[other] = pair["likeness"]
    return {"rank": ranked, "containment": contained, "resemblance": alike}


def copydetect_scores(found):
    """The larger of the two similarities that copydetect gives, for the best pair of files."""
    import copydetect

    def prints(folder):
        return [copydetect.CodeFingerprint(str(file), 25, 6) for file in sorted(folder.rglob("*.java"))]

    original = prints(found["original"])
    scores = {}
    for name, folder in found.items():
        pairs = [copydetect.compare_files(a, b)[1] for a in original for b in prints(folder)]
        scores[name] = max((max(both) for both in pairs), default=0.0)
    return {"similarity": scores}


def other_scores(command, found):
    """The similarities that a command prints."""
    with tempfile.TemporaryDirectory() as folder:
        for name, path in found.items():
            shutil.copytree(path, Path(folder) / name)
        printed = subprocess.run([command, folder], check=True, capture_output=True, text=True).stdout
    scores = dict.fromkeys(found, 0.0)
    for row in filter(None, printed.splitlines()):
        first, second, similarity = row.split("\t")
        if "original" in (first, second):
            scores[second if first == "original" else first] = float(similarity)
    return {"similarity": scores}


def auc(positive, negative):
    """The part of pairs of one of each in which the positive one is higher; half for a tie."""
    wins = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    return wins / (len(positive) * len(negative))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--binary", default="secondhand")
    parser.add_argument("--peer", action="store_true", help="also run copydetect")
    parser.add_argument("--other", action="append", default=[], metavar="NAME=COMMAND")
    args = parser.parse_args()
    tools = {
        "compare": lambda found: secondhand(args.binary, found, []),
        "compare --exact": lambda found: secondhand(args.binary, found, ["--exact"]),
    }
    if args.peer:
        tools["copydetect"] = copydetect_scores
    for name, _, command in (other.partition("=") for other in args.other):
        tools[name] = lambda found, command=command: other_scores(command, found)
    cases = [solutions(case) for case in sorted(args.data.glob("case-*"))]
    print("| tool | " + " | ".join(f"{level}: AUC, recall" for level in LEVELS) + " |")
    print("|---" * (1 + len(LEVELS)) + "|")
    for tool, measure in tools.items():
        measured = [measure(found) for found in cases]
        for figure in measured[0]:
            print_row(f"{tool}, {figure}", [scores[figure] for scores in measured])


def print_row(name, by_case):
    """Prints the figures of one tool, given the scores of each task."""
    cells = []
    for level in LEVELS:
        areas, n_found, n_all = [], 0, 0
        # A class has one task, and a threshold of its own.
        for scores in by_case:
            positive = [value for name, value in scores.items() if name.startswith(level)]
            negative = [value for name, value in scores.items() if name.startswith("N-")]
            areas.append(auc(positive, negative))
            n_found += sum(value > max(negative) for value in positive)
            n_all += len(positive)
        cells.append(f"{sum(areas) / len(areas):.3f}, {100 * n_found / n_all:.0f} %")
    print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
