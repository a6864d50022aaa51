"""Puts the skill into a repository, where coding agents look for one.

The files stand in `.agents/skills/`; `.claude/skills/` and `.codex/skills/` link to them, or hold copies where links
cannot be made. A file that somebody changed stays as it is unless it is to be overwritten.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from blade.errors import NotFound, UsageError
from blade.skill import NAME
from blade.skill.files import contents, source

HOME = Path(".agents", "skills", NAME)
LINKS = (Path(".claude", "skills", NAME), Path(".codex", "skills", NAME))
_TARGET = Path("..", "..", HOME)


@dataclass(frozen=True, slots=True)
class Done:
    """One place and what became of it: wrote, linked, kept (as it was) or differs (changed, and left alone)."""

    path: Path
    what: str


def install(repository: Path, *, force: bool = False) -> list[Done]:
    """Write what is missing, say what is there. With `force`, changed files are written anew."""
    if not repository.is_dir():
        raise NotFound(f"{repository}: there is no folder at this path.", "Give a repository with --dir.")
    files = contents(source())
    try:
        done = list(_files(repository / HOME, files, force=force))
        for link in LINKS:
            done += _link(repository / link, files, force=force)
    except OSError as error:
        place = error.filename or repository
        raise UsageError(
            f"{place}: cannot be written ({error.strerror or error}).", "Give another repository with --dir."
        ) from None
    return done


def _files(folder: Path, files: dict[Path, bytes], *, force: bool) -> Iterator[Done]:
    for inside, content in files.items():
        path = folder / inside
        if path.is_file() and path.read_bytes() == content:
            yield Done(path, "kept")
        elif (path.exists() or path.is_symlink()) and not force:
            yield Done(path, "differs")
        else:
            if path.is_symlink():
                path.unlink()  # never write through a link into somebody's other file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            yield Done(path, "wrote")


def _link(path: Path, files: dict[Path, bytes], *, force: bool) -> Iterator[Done]:
    """A relative link, so that the repository can be moved; a copy where the system has no links."""
    if path.is_symlink():
        if path.readlink() == _TARGET:
            yield Done(path, "kept")
            return
        if not force:
            yield Done(path, "differs")
            return
        path.unlink()
    elif path.is_dir() and not path.samefile(path.parents[2] / HOME):
        if not force:
            yield from _files(path, files, force=False)
            return
        shutil.rmtree(path)
    elif path.exists():
        if path.is_dir():  # .claude or .codex is itself a link to .agents
            yield Done(path, "kept")
            return
        if not force:
            yield Done(path, "differs")
            return
        path.unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.symlink_to(os.fspath(_TARGET), target_is_directory=True)
    except (OSError, NotImplementedError):
        yield from _files(path, files, force=force)
    else:
        yield Done(path, "linked")
