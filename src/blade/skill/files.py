"""Where the skill's files are: inside an installed wheel, or in the clone that the code runs from."""

from __future__ import annotations

from pathlib import Path

from blade.errors import NotFound
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
