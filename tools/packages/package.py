"""Makes every package of a built program; see .ci/package."""

import sys
from pathlib import Path

import archive
import debian
import index
import npm
import target
import wheel


def main(arguments: list[str]) -> None:
    if len(arguments) != 2:
        raise SystemExit("usage: .ci/package BINARY|--index DIR")
    what, folder = arguments[0], Path(arguments[1])
    folder.mkdir(parents=True, exist_ok=True)
    if what == "--index":
        missing = [name for system in target.RELEASED if not (folder / (name := archive.name(system))).exists()]
        if missing:
            raise SystemExit(f"cannot make an index of the release, {folder} lacks: {', '.join(missing)}")
    else:
        program = target.identify(Path(what))
        extras = archive.extras(program)
        made = [
            archive.make(program, extras, folder),
            wheel.make(program, folder),
            npm.make_program(program, folder),
            debian.make(program, extras, folder),
        ]
        tell(file for file in made if file)
    tell([npm.make_launcher(folder), *index.make(folder)])


def tell(made) -> None:
    for file in made:
        print(f"{file.stat().st_size:>10}  {file}")


if __name__ == "__main__":
    main(sys.argv[1:])
