"""Compares a version with all that says one; see .ci/release-check."""

import io
import json
import re
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import archive
import project
from target import RELEASED

# Pages that show how to use a release, and what of them names one.
NUMBER = r"\d+\.\d+\.\d+(?:-[0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*)?"
USES = re.compile(rf"secondhand-audit/secondhand@v({NUMBER})|^\s*rev: v({NUMBER})|\bsecondhand@({NUMBER})", re.M)
# What examples name that are about no release of ours.
EXAMPLES = ["1.2.3"]
VERSION = re.compile(NUMBER)


def faults(version: str, folder: Path | None) -> Iterator[str]:
    if not VERSION.fullmatch(version):
        yield f"{version} is no version: write 1.2.3, without a v"
        return
    yield from in_repository(version)
    if folder:
        yield from in_packages(version, folder)


def in_repository(version: str) -> Iterator[str]:
    if project.VERSION != version:
        yield f"Cargo.toml says {project.VERSION}"
    locked = tomllib.loads((project.ROOT / "Cargo.lock").read_text("utf-8"))["package"]
    locked = next(package["version"] for package in locked if package["name"] == project.NAME)
    if locked != version:
        yield f"Cargo.lock says {locked}: run cargo check"
    heads = re.findall(r"^## (.*)$", (project.ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    released = [head for head in heads if head != "Unreleased"]
    if not released or not re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", released[0]):
        yield f"the newest release in CHANGELOG.md is {released[0] if released else 'none'}: it has to be \"## {version} (YEAR-MONTH-DAY)\""
    elif heads[0] == "Unreleased" and not is_empty_section("Unreleased"):
        yield "CHANGELOG.md has lines under Unreleased: they belong to this release"
    for page in pages():
        for use in USES.finditer(page.read_text("utf-8")):
            if named_by(use) not in (version, *EXAMPLES):
                yield f"{page.relative_to(project.ROOT)} uses v{named_by(use)}"


def pages() -> list[Path]:
    """Where releases are used."""
    return [project.ROOT / "README.md", *sorted((project.ROOT / "docs").rglob("*.md"))]


def named_by(use: re.Match) -> str:
    """The version that a use names."""
    return next(group for group in use.groups() if group)


def is_empty_section(head: str) -> bool:
    text = (project.ROOT / "CHANGELOG.md").read_text("utf-8")
    section = re.search(rf"^## {head}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    return not section or not section[1].strip()


def in_packages(version: str, folder: Path) -> Iterator[str]:
    for system in RELEASED:
        if not (folder / archive.name(system)).exists():
            yield f"{folder} lacks {archive.name(system)}"
    for file in sorted(folder.rglob("*")):
        for said in sorted(set(versions(file))):
            if said not in (version, project.python_version(version), project.debian_version(version)):
                yield f"{file} says {said}"


def versions(file: Path) -> Iterator[str]:
    """The versions that a package's name and metadata say."""
    yield from re.findall(r"^secondhand(?:-audit-\w+-\w+)?[-_]v?(\d+\.\d+\.\d+[a-z0-9.~]*?)(?=[-_.](?:x86|aarch|py3|amd|arm|tgz|tar|zip))", file.name)
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as wheel:
            metadata = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
            yield re.search(r"^Version: (.*)$", wheel.read(metadata).decode(), re.M)[1]
    elif file.suffix == ".tgz":
        with tarfile.open(file) as package:
            manifest = json.load(package.extractfile("package/package.json"))
            yield manifest["version"]
            yield from manifest.get("optionalDependencies", {}).values()
    elif file.suffix == ".deb":
        yield debian_version(file.read_bytes())
    elif file.name == "secondhand.rb":
        yield from re.findall(r'^  version "(.*)"$', file.read_text("utf-8"), re.M)
    elif file.name == "flake.nix":
        yield from re.findall(r'^      version = "(.*)";$', file.read_text("utf-8"), re.M)


def debian_version(package: bytes) -> str:
    """The version in the control file: of an ar archive, the second member."""
    at = 8
    while True:
        name, size = package[at : at + 16].decode().strip(), int(package[at + 48 : at + 58])
        content = package[at + 60 : at + 60 + size]
        if name.startswith("control.tar"):
            with tarfile.open(fileobj=io.BytesIO(content)) as control:
                return re.search(rb"^Version: (.*)$", control.extractfile("./control").read(), re.M)[1].decode()
        at += 60 + size + size % 2


def main(arguments: list[str]) -> None:
    if len(arguments) not in (1, 2):
        raise SystemExit("usage: .ci/release-check VERSION [DIR]")
    found = list(faults(arguments[0], Path(arguments[1]) if len(arguments) == 2 else None))
    for fault in found:
        print(f"not {arguments[0]}: {fault}", file=sys.stderr)
    if found:
        raise SystemExit(1)
    print(f"all of it is {arguments[0]}")


if __name__ == "__main__":
    main(sys.argv[1:])
