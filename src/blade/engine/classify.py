"""Which reader a file belongs to."""

from __future__ import annotations

from dataclasses import field, replace
from pathlib import Path
from types import ModuleType

from blade.engine.origin import Origin, origin_of
from blade.files.remote_paths import is_remote
from blade.files.sniff import Head, peek
from blade.frozen import frozen
from blade.registry import plugins


@frozen
class ClassifiedFile:
    """A file and what it was recognised as. `kind` is a reader's name, or unknown, or unreadable."""

    path: Path
    kind: str
    role: str
    head: Head
    origin: Origin = field(default_factory=Origin)
    program: str = ""
    """The format of another program that it is written in."""


_NEMO_GYM = {"responses_create_params", "_ng_task_index"}
"""What only rows of NeMo Gym have."""


def classify(path: Path) -> ClassifiedFile:
    """Ask every reader; recognisers do not overlap, so at most one says yes."""
    head = peek(path)
    if head.shape == "unreadable":
        return ClassifiedFile(path, "unreadable", "listed", head)
    light = replace(head, rows=(), document=None, text=())  # rows may be large, and a plan lives long
    program = "" if head.keys & _NEMO_GYM or is_remote(path) else format_of(head)
    if program and head.shape == "rows":
        return ClassifiedFile(path, "unknown", "listed", light, program=program)  # their rows may have a reward, too
    for name, reader in plugins("readers").items():
        if _says_yes(reader, head):
            origin = origin_of(head.rows) if reader.ROLE == "rollouts" else Origin()
            return ClassifiedFile(path, name, reader.ROLE, light, origin)
    return ClassifiedFile(path, "unknown", "listed", light, program=program)


def _says_yes(reader: ModuleType, head: Head) -> bool:
    return bool(reader.recognises(head))


def format_of(head: Head) -> str:
    """The format of another program that recognises a file, or nothing."""
    for name, module in plugins("formats").items():
        knows = getattr(module, "recognises", None)
        if knows is not None and knows(head):
            return name
    return ""


def describe(file: ClassifiedFile) -> str:
    """What a file turned out to be, for a message to the user."""
    words = {
        "gym_inputs": "input rows (no reward and no response)",
        "gym_failures": "failed attempts (no scored rows)",
        "gym_aggregate": "aggregate metrics",
        "gym_agent_metrics": "agent metrics",
        "gym_profile": "a reward profile",
        "gym_profile_legacy": "a reward profile of an early build",
        "gym_dataset_metrics": "counts about a dataset",
        "gym_capture": "captured model calls",
        "placeholder": "a placeholder without data, such as a pointer of Git LFS whose data was not fetched",
        "empty": "empty",
        "report": "a report",
        "notes": "run notes",
        "annotations": "annotations of rollouts",
        "settings": "settings",
        "unreadable": f"unreadable ({file.head.problem})",
    }
    if file.program:
        return f"of another program ({file.program})"
    broken = f" (its first line is {file.head.problem})" if file.head.problem else ""
    return words.get(file.kind, f"of a kind that BLADE does not know{broken}")
