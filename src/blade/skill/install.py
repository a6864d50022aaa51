"""Puts the skill into a repository, where coding agents look for one.

The files stand in `.agents/skills/`; `.claude/skills/` and `.codex/skills/` link to them, or hold copies where links
cannot be made. It is all or nothing: where a place holds something else, or one cannot be written, everything stays as
it was.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from blade.errors import NotFound, UsageError
from blade.frozen import frozen
from blade.skill import NAME

HERE = Path(__file__).resolve().parent
PLACES = (HERE / NAME, HERE.parents[2] / ".agents" / "skills" / NAME)
"""The wheel's place first; then the clone's, three folders above `src/blade/skill`."""


def source(places: tuple[Path, ...] = PLACES) -> Path:
    """The folder that holds SKILL.md."""
    for place in places:
        if (place / "SKILL.md").is_file():
            return place
    raise NotFound(
        f"The files of the skill {NAME} are not part of this installation.",
        "Install BLADE from a wheel or from a clone that has its .agents folder.",
    )


def contents(folder: Path) -> dict[Path, bytes]:
    """Every file of a skill by its relative path, in order; what Python leaves behind is no part of it."""
    files = {}
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if path.is_file() and not any(part.startswith((".", "__pycache__")) for part in relative.parts):
            files[relative] = path.read_bytes()
    return files


HOME = Path(".agents", "skills", NAME)
LINKS = (Path(".claude", "skills", NAME), Path(".codex", "skills", NAME))
_TARGET = Path("..", "..", HOME)


@frozen
class Done:
    """One place and what became of it: wrote, linked, kept (as it was) or differs (something else, and left alone)."""

    path: Path
    what: str


def install(repository: Path, *, force: bool = False) -> list[Done]:
    """Write what is missing and say what is there; with `force`, what differs is replaced.

    Without it, one place that differs stops everything: the list then holds what is there, and nothing is written.
    """
    if not repository.is_dir():
        raise NotFound(f"{repository}: there is no folder at this path.", "Give a repository with --dir.")
    files = contents(source())
    work = _Work()
    try:
        plan = [*_files(repository / HOME, files)]
        plan += [step for link in LINKS for step in _link(repository / link, repository / HOME, files)]
        if not force and any(step.what == "differs" for step in plan):
            return [step for step in plan if step.what in {"differs", "kept"}]
        steps = [step for step in plan if step.what == "kept"]
        steps += list(work.files(repository / HOME, files, plan))
        for link in LINKS:
            steps += work.link(repository / link, files, plan)
    except OSError as error:
        work.undo()
        place = error.filename or repository
        raise UsageError(
            f"{place}: cannot be written ({error.strerror or error}); nothing was installed.",
            "Give another repository with --dir.",
        ) from None
    work.clear()
    return steps


def _files(folder: Path, files: dict[Path, bytes]) -> Iterator[Done]:
    for relative, content in files.items():
        path = folder / relative
        exists = path.exists() or path.is_symlink()
        is_equal = path.is_file() and path.read_bytes() == content
        yield Done(path, "kept" if is_equal else "differs" if exists else "wrote")


def _link(path: Path, home: Path, files: dict[Path, bytes]) -> Iterator[Done]:
    """A link of ours and a copy that is whole are kept; any other thing in its place is somebody else's."""
    if path.is_symlink():
        yield Done(path, "kept" if path.readlink() == _TARGET else "differs")
    elif path.is_dir() and home.is_dir() and path.samefile(home):  # .claude or .codex is itself a link to .agents
        yield Done(path, "kept")
    elif path.is_dir() and any(path.iterdir()):
        yield from (Done(step.path, "kept" if step.what == "kept" else "differs") for step in _files(path, files))
    else:
        yield Done(path, "differs" if path.is_file() else "linked")


class _Work:
    """Writes and links, and can take everything back."""

    def __init__(self) -> None:
        self._back: list[Callable[[], object]] = []
        self._aside: list[Path] = []

    def files(self, folder: Path, files: dict[Path, bytes], plan: list[Done]) -> Iterator[Done]:
        pending = {step.path for step in plan if step.what != "kept"}
        for relative, content in files.items():
            path = folder / relative
            if path in pending:
                self._free(path)
                path.write_bytes(content)
                self._back.append(path.unlink)
                yield Done(path, "wrote")

    def link(self, path: Path, files: dict[Path, bytes], plan: list[Done]) -> Iterator[Done]:
        """A relative link, so that the repository can be moved; a copy where the system has no links."""
        link_steps = [step for step in plan if step.path.is_relative_to(path)]
        if all(step.what == "kept" for step in link_steps):
            return
        if path.is_dir() and path.samefile(path.parents[2] / HOME):
            yield Done(path, "kept")
            return
        self._free(path)
        try:
            path.symlink_to(os.fspath(_TARGET), target_is_directory=True)
        except (OSError, NotImplementedError):
            copies = [Done(path / relative, "wrote") for relative in files]
            yield from self.files(path, files, copies)
        else:
            self._back.append(path.unlink)
            yield Done(path, "linked")

    def _free(self, path: Path) -> None:
        """Make the folders above a place, and put aside what stands in it; a link is never written through."""
        missing = [folder for folder in path.parents if not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir()
            self._back.append(folder.rmdir)
        if path.exists() or path.is_symlink():
            aside = path.with_name(f".{path.name}.replaced")
            path.rename(aside)
            self._back.append(lambda: aside.rename(path))
            self._aside.append(aside)

    def undo(self) -> None:
        for step in reversed(self._back):
            step()

    def clear(self) -> None:
        for path in self._aside:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
