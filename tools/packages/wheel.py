"""Makes a wheel that holds the program alone: `pip install`, `uvx` and `pipx` put it on the path."""

import base64
import hashlib
from pathlib import Path

import files
import project
from target import Program

VERSION = project.python_version(project.VERSION)
METADATA = f"""\
Metadata-Version: 2.4
Name: {project.NAME}
Version: {VERSION}
Summary: {project.DESCRIPTION}
Author: {project.AUTHOR}
License-Expression: {project.LICENSE}
{{licenses}}Keywords: {",".join(project.KEYWORDS)}
Classifier: Development Status :: 4 - Beta
Classifier: Environment :: Console
Classifier: Intended Audience :: Developers
Classifier: Programming Language :: Rust
Classifier: Topic :: Software Development :: Quality Assurance
Project-URL: Repository, {project.REPOSITORY}
Project-URL: Changelog, {project.REPOSITORY}/blob/{project.TAG}/CHANGELOG.md
Requires-Python: >=3.7
Description-Content-Type: text/markdown

{{readme}}"""


def make(program: Program, folder: Path) -> Path:
    tags = [f"py3-none-{platform}" for platform in program.wheel_tag.split(".")]
    info = f"{project.NAME}-{VERSION}.dist-info"
    held: files.Files = {
        f"{project.NAME}-{VERSION}.data/scripts/{project.NAME}{program.system.suffix}": files.program(program.file)
    }
    for license in project.LICENSE_FILES:
        held[f"{info}/licenses/{license}"] = files.plain(project.ROOT / license)
    licenses = "".join(f"License-File: {license}\n" for license in project.LICENSE_FILES)
    held[f"{info}/METADATA"] = files.text(METADATA.format(licenses=licenses, readme=project.readme()))
    held[f"{info}/WHEEL"] = files.text(wheel_file(tags, is_pure=False))
    made = folder / f"{project.NAME}-{VERSION}-py3-none-{program.wheel_tag}.whl"
    files.write_zip(made, recorded(held, info))
    return made


def wheel_file(tags: list[str], is_pure: bool) -> str:
    lines = ["Wheel-Version: 1.0", "Generator: secondhand .ci/package", f"Root-Is-Purelib: {str(is_pure).lower()}"]
    return "\n".join([*lines, *(f"Tag: {tag}" for tag in tags), ""])


def recorded(held: files.Files, info: str) -> files.Files:
    """The files of a wheel and, last of all, the record of their digests."""
    record = ""
    for path, (content, _) in held.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    return {**held, f"{info}/RECORD": files.text(f"{record}{info}/RECORD,,\n")}
