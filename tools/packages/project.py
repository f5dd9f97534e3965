"""Reads what every package says of the project: from Cargo.toml, which alone holds the version."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CARGO = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["package"]

NAME = CARGO["name"]
VERSION = CARGO["version"]
DESCRIPTION = CARGO["description"]
LICENSE = CARGO["license"]
REPOSITORY = CARGO["repository"]
KEYWORDS = CARGO["keywords"]
TAG = f"v{VERSION}"
AUTHOR = "The Secondhand project"
EMAIL = "secondhand-audit@users.noreply.github.com"
LICENSE_FILES = ["LICENSE-APACHE", "LICENSE-MIT"]


def python_version(version: str) -> str:
    """A version as PyPI spells it: a release candidate, 1.2.3-rc.1, without signs."""
    return re.sub(r"-([a-z]+)\.(\d+)$", r"\1\2", version)


def debian_version(version: str) -> str:
    """A version as Debian orders it: a tilde comes before the end."""
    return version.replace("-", "~")


def readme() -> str:
    """The README, for pages that know nothing of the files beside it: its links are whole."""
    text = (ROOT / "README.md").read_text("utf-8")
    return re.sub(r"\]\((?!https?:|#)([^)]+)\)", rf"]({REPOSITORY}/blob/{TAG}/\1)", text)


def time() -> int:
    """The time that packaged files carry, so that equal files make equal packages: that of the commit."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    shown = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True)
    # A source archive has no commit. Zip knows no time before 1980.
    return int(shown.stdout) if shown.returncode == 0 else 315_532_800
