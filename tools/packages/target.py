"""Tells from the bytes of a program which system it is for: its target, and what each kind of package calls it."""

import re
import struct
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class System:
    """A system that releases are made for, under each of its names."""

    target: str
    npm: str
    wheel: str
    debian: str | None
    nix: str
    # The block of a Homebrew formula, outer and inner; none where there is no Homebrew.
    homebrew: tuple[str, str] | None
    container: str | None

    @property
    def os(self) -> str:
        return self.npm.split("-")[0]

    @property
    def suffix(self) -> str:
        return ".exe" if self.os == "win32" else ""


# A program that is linked statically runs whatever the C library, so both kinds of Linux take it.
STATIC = "manylinux_2_17_{0}.manylinux2014_{0}.musllinux_1_1_{0}"

# Every release has these. In a wheel's tag, {} is what the program asks of its system.
RELEASED = [
    System("x86_64-unknown-linux-musl", "linux-x64", STATIC.format("x86_64"), "amd64", "x86_64-linux", ("linux", "intel"), "linux/amd64"),
    System("aarch64-unknown-linux-musl", "linux-arm64", STATIC.format("aarch64"), "arm64", "aarch64-linux", ("linux", "arm"), "linux/arm64"),
    System("x86_64-apple-darwin", "darwin-x64", "macosx_{}_x86_64", None, "x86_64-darwin", ("macos", "intel"), None),
    System("aarch64-apple-darwin", "darwin-arm64", "macosx_{}_arm64", None, "aarch64-darwin", ("macos", "arm"), None),
    System("x86_64-pc-windows-msvc", "win32-x64", "win_amd64", None, "", None, None),
]

# Programs that are linked with glibc, as on a developer's machine. What names archives leaves them out: they run neither on NixOS
# nor in an empty container.
LINKED_WITH_GLIBC = [
    System("x86_64-unknown-linux-gnu", "linux-x64", "manylinux_{}_x86_64", "amd64", "", None, None),
    System("aarch64-unknown-linux-gnu", "linux-arm64", "manylinux_{}_aarch64", "arm64", "", None, None),
]

SYSTEMS = {system.target: system for system in RELEASED + LINKED_WITH_GLIBC}


@dataclass(frozen=True)
class Program:
    """A built program."""

    file: Path
    system: System
    # The oldest version of the C library, or of macOS, that it runs with; none where it does not matter.
    needs: tuple[int, ...] | None

    @property
    def wheel_tag(self) -> str:
        return self.system.wheel.format("_".join(map(str, self.needs or ())))


def identify(file: Path) -> Program:
    """The system and needs of the program in `file`; exits where it is for none that we know."""
    data = file.read_bytes()
    for magic, read in [(b"\x7fELF", elf), (b"\xcf\xfa\xed\xfe", mach_o), (b"MZ", pe)]:
        if data.startswith(magic):
            target, needs = read(data)
            if target in SYSTEMS:
                return Program(file, SYSTEMS[target], needs)
            raise SystemExit(f"cannot package {file}: there are no packages for {target}")
    raise SystemExit(f"cannot package {file}: it is no program for Linux, macOS or Windows")


def elf(data: bytes) -> tuple[str, tuple[int, ...] | None]:
    machine = {62: "x86_64", 183: "aarch64"}.get(struct.unpack_from("<H", data, 18)[0], "another machine")
    headers_at = struct.unpack_from("<Q", data, 32)[0]
    size, count = struct.unpack_from("<HH", data, 54)
    kinds = [struct.unpack_from("<I", data, headers_at + size * i)[0] for i in range(count)]
    has_interpreter = 3 in kinds
    if not has_interpreter:
        return f"{machine}-unknown-linux-musl", None
    # The versions of symbols stand among the names of the symbols, as in "GLIBC_2.34".
    versions = {tuple(map(int, found.split(b"."))) for found in re.findall(rb"\0GLIBC_(2\.\d+)(?=[.\d]*\0)", data)}
    return f"{machine}-unknown-linux-gnu", max(versions, default=(2, 17))


def mach_o(data: bytes) -> tuple[str, tuple[int, ...] | None]:
    machine, _, _, count = struct.unpack_from("<IIII", data, 4)
    oldest, at = (11, 0), 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", data, at)
        if command == 0x32:  # LC_BUILD_VERSION: platform, then the oldest system.
            oldest = version_of(struct.unpack_from("<I", data, at + 12)[0])
        elif command == 0x24:  # LC_VERSION_MIN_MACOSX
            oldest = version_of(struct.unpack_from("<I", data, at + 8)[0])
        at += size
    # pip takes macOS 11 and later by the major version alone.
    if oldest[0] >= 11:
        oldest = (oldest[0], 0)
    name = {0x01000007: "x86_64", 0x0100000C: "aarch64"}.get(machine, "another machine")
    return f"{name}-apple-darwin", oldest


def version_of(packed: int) -> tuple[int, int]:
    return packed >> 16, packed >> 8 & 0xFF


def pe(data: bytes) -> tuple[str, tuple[int, ...] | None]:
    header = struct.unpack_from("<I", data, 0x3C)[0]
    machine = {0x8664: "x86_64", 0xAA64: "aarch64"}.get(struct.unpack_from("<H", data, header + 4)[0], "another machine")
    return f"{machine}-pc-windows-msvc", None
