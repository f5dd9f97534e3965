"""Compares the boundaries of comments and strings with those that Pygments finds, on real files.

    python3 benches/lexers.py TABLE ALIAS FILE...

TABLE is one of config/languages, ALIAS the lexer of Pygments. A word of three letters and more that one of the two
takes for code and the other for part of a comment or a literal is a disagreement; a file with any counts, and its
first is printed. Import statements, which leave no token by design, are read as code for the comparison.

Where the two mean different things on purpose, neither is asked: what `#if 0` leaves out is a comment to Pygments and
code to us; the words of `${name:-word}` and of `` `command` `` inside a string of a shell, and the code of an
interpolated string of C#, are parts of the literal to one of the two.
"""

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import pygments.lexers
from pygments.token import Comment, Error, Literal, Name, String

ROOT = Path(__file__).parent.parent
PROGRAM = os.environ.get("SECONDHAND", ROOT / "target/debug/secondhand")
WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]{2,}")


def settings(table):
    """A copy of the table without its imports, as settings."""
    text = (ROOT / f"config/languages/{table}.toml").read_text()
    parts = re.split(r"(?m)^(?=\[\[)", text)
    kept = [part for part in parts[1:] if not part.startswith(("[[imports]]", "[[examples]]"))]
    rows = [re.sub(r"^\[\[(.+?)\]\]", rf"[[language.{table}.\1]]", part) for part in kept]
    return f"[language.{table}]\n{parts[0]}\n{''.join(rows)}"


def neutral(table, text):
    """The text without what the two read differently on purpose; every other word stays where it is."""
    if table in ("c", "cpp"):
        text = re.sub(r"(?m)^(\s*#\s*if\s+)0\b", r"\g<1>1", text)
    if table == "shell":
        text = re.sub(r"\$\{[^{}\n]*\}", lambda found: "$" + "_" * (len(found.group()) - 1), text)
    return text


def our_words(folder, file, text):
    """The words that we take for code, by their offset."""
    command = [PROGRAM, "-C", folder, "--config", f"{folder}/secondhand.toml", "languages", "--tokens", file]
    printed = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    starts = [0] + [at + 1 for at, c in enumerate(text) if c == "\n"]
    code = set()
    for row in printed.splitlines():
        place, kind, shown = row.split("\t", 2)
        if kind in ("identifier", "keyword", "number"):
            line, column = map(int, place.split(":"))
            start = starts[line - 1] + column - 1
            code.update(start + word.start() for word in WORD.finditer(shown))
    return code


def their_words(lexer, text):
    """The words that Pygments takes for code, those that it takes for part of a comment or a literal, and those that are not compared."""
    code, other, unasked = {}, {}, set()
    for offset, kind, value in lexer.get_tokens_unprocessed(text):
        is_other = kind in Comment or kind in String or kind in Literal.Date
        if kind in String.Interpol or kind in String.Escape or kind in Comment.Preproc or kind in Comment.PreprocFile \
                or kind in Error or kind in String.Affix or kind in String.Symbol or kind in Comment.Hashbang:
            continue
        # It reads no literals inside of attributes.
        if kind in Name.Attribute:
            continue
        if kind in String.Backtick or kind in String and value.startswith(('$"', '$@"', '@$"')):
            unasked.update(offset + word.start() for word in WORD.finditer(value))
            continue
        for word in WORD.finditer(value):
            # A variable is code inside a string to it; we read no code that has no end of its own.
            if text[max(0, offset + word.start() - 2) : offset + word.start()].endswith(("$", "${", "@")):
                continue
            (other if is_other else code)[offset + word.start()] = word.group()
    return code, other, unasked


def main():
    table, alias, *files = sys.argv[1:]
    lexer = pygments.lexers.get_lexer_by_name(alias, stripnl=False, ensurenl=False)
    known = tomllib.loads((ROOT / f"config/languages/{table}.toml").read_text())
    extension = known.get("extensions", ["x"])[0]
    n_files = n_apart = n_words = 0
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "secondhand.toml").write_text(settings(table))
        copy = Path(folder) / f"file.{extension}"
        for file in files:
            text = Path(file).read_bytes().decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
            text = neutral(table, re.sub(r"[^\x00-\x7f]", "x", text.lstrip("\ufeff")))
            if not text or len(text) > 200_000:
                continue
            copy.write_text(text)
            ours = our_words(folder, str(copy), text)
            code, other, unasked = their_words(lexer, text)
            n_files += 1
            n_words += len(code) + len(other)
            shebang = text.index("\n") if text.startswith("#!") and "\n" in text else 0
            apart = [at for at in other if at in ours] + [at for at in code if at not in ours and at > shebang]
            if apart:
                n_apart += 1
                first = min(apart)
                line = text.count("\n", 0, first) + 1
                side = "we say code" if first in ours else "Pygments says code"
                print(f"{file}:{line}: {len(apart)} words, {side}: {text.splitlines()[line - 1].strip()[:110]!r}")
    print(f"{table}: {n_apart} of {n_files} files disagree, {n_words} words")


main()
