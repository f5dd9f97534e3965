"""Makes the Debian package, with dpkg-deb."""

import gzip
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import files
import project
from target import Program

CONTROL = """\
Package: {name}
Version: {version}
Architecture: {architecture}
Maintainer: {author} <{email}>
Installed-Size: {size}
{depends}Suggests: git
Section: devel
Priority: optional
Homepage: {homepage}
Description: audits a git repository for copied code
 Secondhand tells you when new code isn't new. It looks at what a change adds
 to a repository, finds where that code exists already (in the tree, in deleted
 history, in a vendored folder, in a corpus of other projects) and says so on
 the added lines.
"""

VERSION = project.debian_version(project.VERSION)

COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Secondhand
Source: {repository}

Files: *
Copyright: {author}
License: MIT or Apache-2.0

License: Apache-2.0
 On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.

License: MIT
{mit}
"""


def make(program: Program, more: files.Files, folder: Path) -> Path | None:
    """The package; `None` for other systems, and where there is no dpkg-deb."""
    architecture = program.system.debian
    if architecture is None:
        return None
    if shutil.which("dpkg-deb") is None:
        print("no Debian package: there is no dpkg-deb here")
        return None
    held = installed(program, more)
    made = folder / f"{project.NAME}_{VERSION}_{architecture}.deb"
    with tempfile.TemporaryDirectory() as root:
        held["DEBIAN/control"] = files.text(control(program, architecture, held))
        for path, (content, is_program) in held.items():
            file = Path(root, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            file.chmod(0o755 if is_program else 0o644)
        for place, _, _ in os.walk(root):
            os.chmod(place, 0o755)
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(project.time())}
        command = ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, str(made)]
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return made


def installed(program: Program, more: files.Files) -> files.Files:
    """Every file, where Debian keeps its kind."""
    docs = f"usr/share/doc/{project.NAME}"
    mit = (project.ROOT / "LICENSE-MIT").read_text("utf-8").strip()
    mit = "\n".join(f" {line}" if line else " ." for line in mit.splitlines())
    copyright = COPYRIGHT.format(repository=project.REPOSITORY, author=project.AUTHOR, mit=mit)
    held: files.Files = {
        f"usr/bin/{project.NAME}": files.program(program.file),
        f"{docs}/copyright": files.text(copyright),
        f"{docs}/changelog.gz": (gzip.compress((project.ROOT / "CHANGELOG.md").read_bytes(), 9, mtime=0), False),
    }
    completions = {
        "completions/secondhand.bash": "usr/share/bash-completion/completions/secondhand",
        "completions/secondhand.zsh": "usr/share/zsh/vendor-completions/_secondhand",
        "completions/secondhand.fish": "usr/share/fish/vendor_completions.d/secondhand.fish",
    }
    for path, (content, _) in more.items():
        if path in completions:
            held[completions[path]] = (content, False)
        elif path.startswith("man/"):
            held[f"usr/share/man/man1/{path.removeprefix('man/')}.gz"] = (gzip.compress(content, 9, mtime=0), False)
    return held


def control(program: Program, architecture: str, held: files.Files) -> str:
    depends = ""
    if program.needs is not None:
        depends = f"Depends: libc6 (>= {'.'.join(map(str, program.needs))}), libgcc-s1 (>= 4.2)\n"
    return CONTROL.format(
        name=project.NAME,
        version=VERSION,
        architecture=architecture,
        author=project.AUTHOR,
        email=project.EMAIL,
        size=-(-sum(len(content) for content, _ in held.values()) // 1024),
        depends=depends,
        homepage=project.REPOSITORY,
    )
