"""Makes the npm packages: one for each system, and a launcher that depends on all of them, of which npm installs the one that fits."""

import json
from pathlib import Path

import files
import project
from target import RELEASED, Program, System

SCOPE = "@secondhand-audit"
LAUNCHER = Path(__file__).parent / "templates" / "launcher.js"


def common() -> dict:
    return {
        "version": project.VERSION,
        "description": project.DESCRIPTION,
        "license": project.LICENSE,
        "author": project.AUTHOR,
        "homepage": project.REPOSITORY,
        "repository": {"type": "git", "url": f"git+{project.REPOSITORY}.git"},
    }


def name(system: System) -> str:
    return f"{SCOPE}/{system.npm}"


def make_program(program: Program, folder: Path) -> Path:
    """The package of one system: it holds the program, and runs nothing when it is installed."""
    system = program.system
    os, cpu = system.npm.split("-")
    path = f"bin/{project.NAME}{system.suffix}"
    manifest = {"name": name(system), **common(), "os": [os], "cpu": [cpu], "files": [path], "preferUnplugged": True}
    held = {path: files.program(program.file), "README.md": files.text(f"The program of [{project.NAME}]({project.REPOSITORY}) for {system.npm}.\n")}
    return write(folder / f"secondhand-audit-{system.npm}-{project.VERSION}.tgz", manifest, held)


def make_launcher(folder: Path) -> Path:
    manifest = {
        "name": project.NAME,
        **common(),
        "keywords": project.KEYWORDS,
        "bin": {project.NAME: "bin/secondhand.js"},
        "files": ["bin/secondhand.js"],
        "engines": {"node": ">=16"},
        "optionalDependencies": {name(system): project.VERSION for system in RELEASED},
    }
    held = {"bin/secondhand.js": files.program(LAUNCHER), "README.md": files.text(project.readme())}
    return write(folder / f"{project.NAME}-{project.VERSION}.tgz", manifest, held)


def write(made: Path, manifest: dict, held: files.Files) -> Path:
    held["package.json"] = files.text(json.dumps(manifest, indent=2) + "\n")
    for license in project.LICENSE_FILES:
        held[license] = files.plain(project.ROOT / license)
    files.write_tar(made, {f"package/{path}": content for path, content in held.items()})
    return made
