"""Makes the archive of a release: the program, completions, manual pages, and its checksum beside it."""

import subprocess
import tempfile
from pathlib import Path

import files
import project
from target import Program, System

SHELLS = ["bash", "zsh", "fish", "powershell", "elvish"]


def name(system: System) -> str:
    """The archive's file, as the action and the metadata for cargo-binstall in Cargo.toml spell it."""
    return f"{stem(system)}{'.zip' if system.os == 'win32' else '.tar.gz'}"


def stem(system: System) -> str:
    return f"{project.NAME}-{project.TAG}-{system.target}"


def extras(program: Program) -> files.Files:
    """Completions and manual pages, by what the program itself prints."""
    found: files.Files = {}
    for shell in SHELLS:
        printed = subprocess.run([program.file, "completions", shell], check=True, capture_output=True)
        found[f"completions/secondhand.{shell}"] = (printed.stdout, False)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program.file, "man", "--folder", folder], check=True, capture_output=True)
        for page in sorted(Path(folder).iterdir()):
            found[f"man/{page.name}"] = files.plain(page)
    return found


def make(program: Program, more: files.Files, folder: Path) -> Path:
    held = {f"{project.NAME}{program.system.suffix}": files.program(program.file), **more}
    for file in ["README.md", "CHANGELOG.md", *project.LICENSE_FILES]:
        held[file] = files.plain(project.ROOT / file)
    held = {f"{stem(program.system)}/{path}": content for path, content in held.items()}
    made = folder / name(program.system)
    (files.write_zip if made.suffix == ".zip" else files.write_tar)(made, held)
    checksum = f"{files.digest(made).hex()}  {made.name}\n"
    made.with_name(f"{made.name}.sha256").write_text(checksum, newline="\n")
    return made
