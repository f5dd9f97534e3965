"""Shows which system a program is for, by its first bytes; python3 -m unittest discover tools/packages."""

import re
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

import project
import release_check
import target


def elf(machine: int, headers: list[int], names: bytes = b"") -> bytes:
    """A program with these program headers, and these bytes behind them."""
    head = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 64, 0, 0, 64, 56, len(headers), 0, 0, 0)
    return head + b"".join(struct.pack("<I", kind).ljust(56, b"\0") for kind in headers) + names


def mach_o(machine: int, command: int, *words: int) -> bytes:
    load = struct.pack(f"<II{len(words)}I", command, 8 + 4 * len(words), *words)
    return struct.pack("<IIIIIIII", 0xFEEDFACF, machine, 0, 2, 1, len(load), 0, 0) + load


def pe(machine: int) -> bytes:
    return b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 64) + b"PE\0\0" + struct.pack("<H", machine)


class Targets(unittest.TestCase):
    def check(self, data: bytes, name: str, wheel_tag: str):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "program")
            file.write_bytes(data)
            found = target.identify(file)
            self.assertEqual((found.system.target, found.wheel_tag), (name, wheel_tag))

    def test_a_static_program_for_linux_runs_with_every_c_library(self):
        tags = "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"
        self.check(elf(183, [1, 2]), "aarch64-unknown-linux-musl", tags)

    def test_a_program_that_is_linked_with_glibc_needs_its_newest_symbol(self):
        names = b"\0GLIBC_2.2.5\0GLIBC_2.9\0GLIBC_2.34\0GLIBC_PRIVATE\0"
        self.check(elf(62, [1, 3], names), "x86_64-unknown-linux-gnu", "manylinux_2_34_x86_64")

    def test_a_program_for_macos_says_the_oldest_system_that_it_runs_on(self):
        self.check(mach_o(0x0100000C, 0x32, 1, 11 << 16 | 3 << 8, 0, 0), "aarch64-apple-darwin", "macosx_11_0_arm64")
        self.check(mach_o(0x01000007, 0x24, 10 << 16 | 12 << 8, 0), "x86_64-apple-darwin", "macosx_10_12_x86_64")

    def test_a_program_for_windows(self):
        self.check(pe(0x8664), "x86_64-pc-windows-msvc", "win_amd64")

    def test_what_is_for_no_system_that_we_know_is_refused(self):
        for data in [b"#!/bin/sh\n", elf(8, [3]), pe(0xAA64)]:
            with self.assertRaises(SystemExit):
                self.check(data, "", "")


class Versions(unittest.TestCase):
    def test_a_release_candidate_is_spelled_as_each_registry_spells_it(self):
        self.assertEqual(project.python_version("1.2.3-rc.1"), "1.2.3rc1")
        self.assertEqual(project.debian_version("1.2.3-rc.1"), "1.2.3~rc.1")

    def test_another_version_than_that_of_cargo_is_refused(self):
        self.assertTrue(any("Cargo.toml" in fault for fault in release_check.faults("99.0.0", None)))

    def test_a_package_of_another_version_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "secondhand-v0.0.9-x86_64-unknown-linux-musl.tar.gz").touch()
            Path(folder, "secondhand.rb").write_text('  version "0.0.8"\n')
            said = "\n".join(release_check.in_packages(project.VERSION, Path(folder)))
            self.assertIn("says 0.0.9", said)
            self.assertIn("says 0.0.8", said)

    def test_a_prepared_release_is_accepted_and_so_is_the_next_one(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, "copy")
            for name in [".ci", "tools/packages", "docs", "Cargo.toml", "Cargo.lock", "README.md", "CHANGELOG.md"]:
                source, made = project.ROOT / name, copy / name
                made.parent.mkdir(parents=True, exist_ok=True)
                (shutil.copytree if source.is_dir() else shutil.copy)(source, made)
            # Pages use a release once there is one.
            with (copy / "README.md").open("a") as readme:
                readme.write("\n```yaml\n    rev: v0.1.0\n```\n")
            log = copy / "CHANGELOG.md"
            log.write_text("# Changelog\n\n## Unreleased\n\n### Added\n\n- one\n")

            def run(command: str, *arguments: str) -> subprocess.CompletedProcess:
                return subprocess.run(["bash", copy / ".ci" / command, *arguments], capture_output=True, text=True)

            self.assertEqual(run("release-check", "0.7.0").returncode, 1)
            done = run("release-prepare", "0.7.0", "2026-01-02")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("all of it is 0.7.0", done.stdout)
            self.assertEqual(log.read_text(), "# Changelog\n\n## Unreleased\n\n## 0.7.0 (2026-01-02)\n\n### Added\n\n- one\n")
            self.assertIn("rev: v0.7.0", (copy / "README.md").read_text())
            # Again, it changes nothing; and where nothing is new, there is nothing to release.
            self.assertEqual(run("release-prepare", "0.7.0", "2026-05-06").returncode, 0)
            self.assertIn("nothing under Unreleased", run("release-prepare", "0.8.0", "2026-05-06").stderr)
            log.write_text(log.read_text().replace("Unreleased\n", "Unreleased\n\n- two\n", 1))
            self.assertEqual(run("release-prepare", "0.8.0-rc.1", "2026-05-06").returncode, 0)
            self.assertEqual(re.findall("^(?:## .*|- .*)$", log.read_text(), re.M), ["## Unreleased", "## 0.8.0-rc.1 (2026-05-06)", "- two", "## 0.7.0 (2026-01-02)", "- one"])
            self.assertEqual(run("release-prepare", "v1").returncode, 1)


if __name__ == "__main__":
    unittest.main()
