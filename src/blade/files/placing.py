"""Files that were written aside and belong together: they come to their place one after the other, each whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

__all__ = ["put_in_place"]


def put_in_place(aside: Path, folder: Path, names: Sequence[str], outdated: Iterable[str]) -> list[Path]:
    """Move the files of these names into the folder; what an earlier report left under the outdated names goes."""
    for name in names:
        if (aside / name).exists():
            (folder / name).parent.mkdir(exist_ok=True)
            (aside / name).replace(folder / name)
    for name in outdated:
        (folder / name).unlink(missing_ok=True)
    return [folder / name for name in names]
