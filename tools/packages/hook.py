"""Builds the package that pre-commit installs for its hook: it holds nothing, and asks for the wheel of this version.

A build backend (PEP 517) that needs nothing but a Python, so that a hook is there in seconds.
"""

import re
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel; returns its name."""
    version = re.search(r'^version = "(.*)"$', (ROOT / "Cargo.toml").read_text("utf-8"), re.M).group(1)
    # A release candidate as PyPI spells it.
    version = re.sub(r"-([a-z]+)\.(\d+)$", r"\1\2", version)
    info = "secondhand_hook-{0}.dist-info".format(version)
    held = {
        "METADATA": "Metadata-Version: 2.1\nName: secondhand-hook\nVersion: {0}\nRequires-Dist: secondhand=={0}\n".format(version),
        "WHEEL": "Wheel-Version: 1.0\nGenerator: hook\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join("{0}/{1},,\n".format(info, name) for name in [*held, "RECORD"])
    name = "secondhand_hook-{0}-py3-none-any.whl".format(version)
    with zipfile.ZipFile(Path(wheel_directory, name), "w") as wheel:
        for file, content in [*held.items(), ("RECORD", record)]:
            wheel.writestr("{0}/{1}".format(info, file), content)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """There is none: the source is the repository."""
    raise NotImplementedError("the source of secondhand is its repository")
