"""Writes archives whose bytes depend on nothing but what they hold."""

import gzip
import hashlib
import io
import tarfile
import time
import zipfile
from pathlib import Path

import project

# What an archive holds: bytes by path, and whether they are a program.
Files = dict[str, tuple[bytes, bool]]


def text(content: str) -> tuple[bytes, bool]:
    return content.encode(), False


def plain(file: Path) -> tuple[bytes, bool]:
    return file.read_bytes(), False


def program(file: Path) -> tuple[bytes, bool]:
    return file.read_bytes(), True


def write_tar(file: Path, files: Files) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path, (content, is_program) in sorted(files.items()):
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode, entry.mtime = len(content), 0o755 if is_program else 0o644, project.time()
            tar.addfile(entry, io.BytesIO(content))
    file.write_bytes(gzip.compress(out.getvalue(), 9, mtime=0))


def write_zip(file: Path, files: Files) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, (content, is_program) in files.items():
            entry = zipfile.ZipInfo(path, time.gmtime(project.time())[:6])
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            archive.writestr(entry, content)


def digest(file: Path) -> bytes:
    return hashlib.sha256(file.read_bytes()).digest()
