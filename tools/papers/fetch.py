#!/usr/bin/env python3
"""Fetches the text that the experiments run on: code of Python packages and documents of Debian packages, 23 MB.

    tools/papers/fetch.py DIR        # each project becomes a folder in DIR; needs pip, apt-get and dpkg (Debian 12)
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

WHEELS = ["django==5.1.4", "networkx==3.4.2", "chardet==5.2.0"]
DOCUMENTS = ["bash-doc", "debian-policy", "developers-reference", "git-doc", "gnu-standards"]
KEPT = {".py", ".js", ".html", ".txt"}


def run(command, folder):
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def keep_text(folder):
    """Removes all but text, and pages that are there as plain text, too."""
    for path in sorted(folder.rglob("*"), reverse=True):
        is_twice = path.suffix == ".html" and path.with_suffix(".txt").exists()
        is_text = path.suffix in KEPT and not is_twice
        if path.is_symlink() or (path.is_file() and not is_text):
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    target = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as packages:
        run(["pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", *WHEELS], packages)
        run(["apt-get", "download", *DOCUMENTS], packages)
        for package in sorted(Path(packages).iterdir()):
            folder = target / package.name.split("-")[0].split("_")[0].lower()
            folder = target / package.name.split("_")[0] if package.suffix == ".deb" else folder
            folder.mkdir(parents=True)
            if package.suffix == ".whl":
                zipfile.ZipFile(package).extractall(folder)
            else:
                run(["dpkg", "-x", package, folder], packages)
            keep_text(folder)
            n_bytes = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
            print(f"{package.name}: {n_bytes / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
