"""The command line in this process: it starts faster, and an error that is none of ours is raised where it happens."""

from __future__ import annotations

import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path

from blade.cli import main


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


def blade(*words: str | Path, folder: str | Path = ".") -> Done:
    """`blade WORDS` in a folder."""
    out, err = (TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    given, sys.argv = sys.argv, ["blade", *map(str, words)]
    code = 0
    try:
        with chdir(folder), redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(bool(stop.code))
    finally:
        sys.argv = given
    return Done(code, _text(out), _text(err))


def _text(stream: TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
