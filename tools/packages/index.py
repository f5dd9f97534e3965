"""Makes what names the archives of several systems: the Homebrew formula, the Nix flake, the folder that a container is built from, checksums."""

import base64
import shutil
import tarfile
from pathlib import Path

import archive
import files
import project
from target import RELEASED, System

TEMPLATES = Path(__file__).parent / "templates"


def make(folder: Path) -> list[Path]:
    archives = {system: folder / archive.name(system) for system in RELEASED}
    archives = {system: file for system, file in archives.items() if file.exists()}
    made = [make_formula(folder, archives), make_flake(folder, archives), *make_container(folder, archives)]
    return [*made, make_checksums(folder)]


def url(file: Path) -> str:
    return f"{project.REPOSITORY}/releases/download/{project.TAG}/{file.name}"


def render(template: str, made: Path, **more: str) -> Path:
    text = (TEMPLATES / template).read_text("utf-8")
    values = {name: getattr(project, name) for name in ["DESCRIPTION", "LICENSE", "REPOSITORY", "VERSION"]}
    for name, value in {**values, **more}.items():
        text = text.replace(f"@{name}@", value)
    made.parent.mkdir(parents=True, exist_ok=True)
    made.write_text(text, "utf-8", newline="\n")
    return made


def make_formula(folder: Path, archives: dict[System, Path]) -> Path:
    by_os: dict[str, str] = {}
    for system, file in archives.items():
        if system.homebrew:
            os, cpu = system.homebrew
            by_os[os] = by_os.get(os, "") + (
                f"    on_{cpu} do\n      url \"{url(file)}\"\n      sha256 \"{files.digest(file).hex()}\"\n    end\n"
            )
    blocks = "".join(f"  on_{os} do\n{block}  end\n\n" for os, block in by_os.items())
    return render("secondhand.rb", folder / "homebrew" / "secondhand.rb", ARCHIVES=blocks.rstrip("\n") + "\n")


def make_flake(folder: Path, archives: dict[System, Path]) -> Path:
    rows = ""
    for system, file in archives.items():
        if system.nix:
            hash = base64.b64encode(files.digest(file)).decode()
            rows += f"        {system.nix} = {{\n          url = \"{url(file)}\";\n          hash = \"sha256-{hash}\";\n        }};\n"
    return render("flake.nix", folder / "nix" / "flake.nix", ARCHIVES=rows.rstrip("\n"))


def make_container(folder: Path, archives: dict[System, Path]) -> list[Path]:
    """The Dockerfile and, beside it, the program of each platform."""
    made = [render("Dockerfile", folder / "container" / "Dockerfile")]
    for system, file in archives.items():
        if system.container:
            program = folder / "container" / system.container / project.NAME
            program.parent.mkdir(parents=True, exist_ok=True)
            with tarfile.open(file) as tar, program.open("wb") as out:
                shutil.copyfileobj(tar.extractfile(f"{archive.stem(system)}/{project.NAME}"), out)
            program.chmod(0o755)
            made.append(program)
    return made


def make_checksums(folder: Path) -> Path:
    """One list for every file of the release, as `sha256sum --check` reads it."""
    made = folder / "SHA256SUMS"
    listed = [file for file in sorted(folder.iterdir()) if file.is_file() and file != made and file.suffix != ".sha256"]
    made.write_text("".join(f"{files.digest(file).hex()}  {file.name}\n" for file in listed), newline="\n")
    return made
