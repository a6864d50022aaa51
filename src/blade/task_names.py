"""The names of tasks: long random ids cut to the beginning that tells them apart, and known again by it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

DOMAIN_IDS = (
    "task_id",
    "problem_id",
    "instance_id",
    "id",
    "uuid",
    "uid",
    "question_id",
    "task_idx",
    "hashid",
    "doc_id",
    "example_id",
    "scenario_id",
    "provenance_id",
    "grading_id",
    "sample_id",
    "item_id",
    "row_id",
)
_SHAPES = (
    "{}",
    "verifier_metadata.{}",
    "metadata.{}",
    "instance_config.{}",
    "task.{}",
    "responses_create_params.metadata.{}",
)
ID_FIELDS = tuple(shape.format(name) for name in DOMAIN_IDS for shape in _SHAPES)

SHORTEST = 8
"""So many characters of an id are kept at least, as people know from version control."""
SHORTEST_TYPED = 6
"""A reader may type fewer."""
STEP = 4
RANDOM_ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{24,128}")
"""A UUID or a hash."""
_DRAWN_ID = re.compile(r"[0-9A-Za-z+/_=-]{16,128}")
_CHANGE = re.compile(r"(?<=[a-z])[0-9A-Z]|(?<=[A-Z])[0-9]|(?<=[0-9])[A-Za-z]")
"""Where the kind of character changes; a small letter after a capital begins a word and is no change."""
CHANGING = 0.3
"""So much of an id that was drawn with all letters and digits changes its kind; names in CamelCase do at a fifth."""
_NUMERIC = re.compile(r"\d+(?:e\d*)?", re.IGNORECASE)
"""A beginning that would be read as a number."""


def is_random_id(text: str) -> bool:
    """Whether a text is a UUID, a hash or another id that a program drew: it names somebody and says nothing."""
    if RANDOM_ID.fullmatch(text):
        return True
    return bool(_DRAWN_ID.fullmatch(text)) and len(_CHANGE.findall(text)) >= CHANGING * len(text)


def short_task_names(tasks: Iterable[str]) -> dict[str, str]:
    """Task → the beginning of its id, for ids that are UUIDs or hashes; each beginning is that of one task alone."""
    names = set(tasks)
    ids = sorted(name for name in names if RANDOM_ID.fullmatch(name))
    short = {}
    for size in range(SHORTEST, 128, STEP):
        if not ids:
            break
        counts: dict[str, int] = {}
        for task in ids:
            counts[task[:size]] = counts.get(task[:size], 0) + 1
        for task in ids:
            name = task[:size].rstrip("-")
            if counts[task[:size]] == 1 and name not in names and not _NUMERIC.fullmatch(name):
                short[task] = name
        ids = [task for task in ids if task not in short and size < len(task)]
    return short


def task_named(name: str, tasks: Collection[str]) -> str | None:
    """The whole id of the task that is meant: by that id, or by a beginning of a random one that no other task has."""
    if name in tasks:
        return name
    if len(name) < SHORTEST_TYPED or not all(char in "0123456789abcdefABCDEF-" for char in name):
        return None
    beginning = [task for task in tasks if task.startswith(name)]
    return beginning[0] if len(beginning) == 1 and RANDOM_ID.fullmatch(beginning[0]) else None
