"""Makes the repository say a version; see .ci/release-prepare."""

import datetime
import re
import sys
from pathlib import Path

import project
import release_check

# What the change log lists next begins so.
UNRELEASED = "## Unreleased\n"


def prepare(version: str, day: str) -> None:
    """Writes the version wherever `release_check` looks for it, and cuts the change log."""
    edit("Cargo.toml", r'^(version = )".*"$', rf'\g<1>"{version}"')
    edit("Cargo.lock", rf'^(name = "{project.NAME}"\nversion = )".*"$', rf'\g<1>"{version}"')
    cut(version, day)
    for page in release_check.pages():
        text = page.read_text("utf-8")
        page.write_text(release_check.USES.sub(lambda use: renewed(use, version), text), "utf-8", newline="\n")


def edit(file: str, pattern: str, replacement: str) -> None:
    path = project.ROOT / file
    text, n_made = re.subn(pattern, replacement, path.read_text("utf-8"), count=1, flags=re.M)
    if n_made != 1:
        raise SystemExit(f"cannot find the version in {file}")
    path.write_text(text, "utf-8", newline="\n")


def cut(version: str, day: str) -> None:
    """Puts what is unreleased below the head of the version. Leaves a change log alone that has that head already."""
    path = project.ROOT / "CHANGELOG.md"
    text = path.read_text("utf-8")
    if re.search(rf"^## {re.escape(version)} \(", text, re.M) and release_check.is_empty_section("Unreleased"):
        return
    if UNRELEASED not in text or release_check.is_empty_section("Unreleased"):
        raise SystemExit("CHANGELOG.md has nothing under Unreleased to release")
    path.write_text(text.replace(UNRELEASED, f"{UNRELEASED}\n## {version} ({day})\n", 1), "utf-8", newline="\n")


def renewed(use: re.Match, version: str) -> str:
    """The use of a release, of this version; examples that are about none of ours stay."""
    named = release_check.named_by(use)
    return use[0] if named in release_check.EXAMPLES else use[0].replace(named, version)


def main(arguments: list[str]) -> None:
    if len(arguments) not in (1, 2):
        raise SystemExit("usage: .ci/release-prepare VERSION [YEAR-MONTH-DAY]")
    version, day = arguments[0], arguments[1] if len(arguments) == 2 else datetime.date.today().isoformat()
    if not release_check.VERSION.fullmatch(version) or not re.fullmatch(r"\d{4}-\d\d-\d\d", day):
        raise SystemExit("usage: .ci/release-prepare VERSION [YEAR-MONTH-DAY]: write 1.2.3, without a v")
    prepare(version, day)
    print(f"everything says {version}: look at it with git diff, then commit, and tag v{version}")


if __name__ == "__main__":
    main(sys.argv[1:])
