"""What a rollout leaves behind: the patch that it hands in, opened, and whether what it wrote was ever run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson
from xxhash import xxh3_64_intdigest

from blade.extract.attempt import Attempt
from blade.extract.commands import is_code
from blade.extract.left_out_files import edits
from blade.extract.names import words
from blade.extract.rewritten_tests import rewritten_tests
from blade.extract.text import clip
from blade.late_regex import late_regex

LONGEST_PATCH = 400_000
DEEPEST = 3
WIDEST = 60
MOST_FIELDS = 3
MOST_NAMED = 3
MOST_CHANGES = 8
MOST_LINES = 100
"""Lines of code that a patch changes and that are kept: more are no fix but a rewrite."""
LONGEST_LINE = 120
SHORTEST_LINE = 12
FEWEST_LINES = 2
HARDLY_ANY = 0.2
"""A patch of which the model wrote no more lines than these is not its own."""
LONGEST_NAME = 80
BROKEN, CONFLICT, SYNTAX = "broken", "conflict", "syntax"
"""Why a patch is wrong as text: its lines do not add up to its hunks, conflict marks, a new file that is no Python."""
_NO_TEXT = frozenset({int, float, bool, list})
_HANDED_IN = frozenset({"patch", "diff", "submission"})
_OF_THE_TASK = frozenset(
    "gold golden reference expected test tests solution oracle base instance problem task params true".split()
)
_SIBLINGS = ("test_patch", "base_commit", "problem_statement")
_DIFF = late_regex(r"\A\s*(?:diff --git |Index: |--- \S)|^diff --git |^--- \S[^\n]*\n\+\+\+ \S", re.MULTILINE)
_COMMENT = late_regex(r"#|//|/\*|\*|--|;;|\"\"\"|'''")
_HUNK = late_regex(r"@@ -\d+(?:,(\d{1,9}))? \+\d+(?:,(\d{1,9}))? @@")
_TEST_FILE = late_regex(
    r"(?:^|/)(?:tests?|testing|__tests__|spec|specs)/|(?:^|/)(?:test_[^/]*|conftest\.py|[^/]*[._-](?:test|tests|spec)\.\w+)$|"
    r"(?:Test|Tests|Spec)\.\w+$"
)


class Opened(NamedTuple):
    """What a patch touches."""

    code: frozenset[str]
    tests: frozenset[str]
    others: frozenset[str]
    """Files without code: documents, data, settings."""
    lines: int
    """Lines added or taken out that are not blank."""
    problem: str
    added: frozenset[str] = frozenset()
    """Files that were not there before."""
    changes: Mapping[str, tuple[int, int]] = MappingProxyType({})
    """File → a number for the lines that change in it, and how many of them are not blank."""
    rewritten: tuple[int, list[str]] = (0, [])
    """How many assertions of tests that were there go or change, and the names of those tests."""
    code_lines: tuple[str, ...] = ()
    """What changes in code that is no test: `+` or `-` and the line without its layout, each once; none of comments."""


PATCH_DIGEST = 7
"""Where a record of a patch holds a number for all of its text."""


def artefacts(attempt: Attempt) -> dict[str, Any]:
    """`patches`: field → null where it is empty, else what it touches; `edited`: whether edited code was run.

    `patch_lines`: field → the lines of code that the patch changes, where they are few. `edits` and `missed_file`: see
    `left_out_files`.
    """
    record: dict[str, Any] = {}
    texts, reference_code = _handed_in(attempt)
    if texts:
        record["patches"] = _patches(texts, reference_code)
        if attempt.calls:
            record |= edits(attempt, texts.values())
    if lines := {name: list(own) for name, text in texts.items() if (own := opened(text).code_lines)}:
        record["patch_lines"] = lines
    if attempt.calls and (edited := run_after_edit(attempt)) is not None:
        record["edited"] = int(edited)
    return record


def run_after_edit(attempt: Attempt) -> bool | None:
    """Whether anything was run, built or tested after the last edit of code; None where no code was edited."""
    run_since_edit: bool | None = None
    for work in attempt.works.values():
        for deed in work.deeds:
            if deed.on_code and not work.call.failed:
                run_since_edit = False
            elif deed.kind != "edit" and run_since_edit is False:
                run_since_edit = True
    return run_since_edit


def _handed_in(attempt: Attempt) -> tuple[dict[str, str], frozenset[str]]:
    """The patches of the rollout itself by field, and the files of code that the task's own patch touches."""
    texts: dict[str, str] = {}
    reference_code: frozenset[str] = frozenset()
    for name, text, of_the_task in _texts(attempt.row, "", 1):
        if of_the_task:
            reference_code = reference_code or opened(text).code
        elif len(texts) < MOST_FIELDS and not _by_somebody_else(text, attempt):
            texts[name] = text
    return texts, reference_code


def _patches(texts: Mapping[str, str], reference_code: frozenset[str]) -> dict[str, Any]:
    """What each patch touches, and how many files of the task's own patch among it."""
    patches: dict[str, Any] = {}
    for name, text in texts.items():
        if not text.strip():
            patches[name] = None
            continue
        patch = opened(text)
        sizes = [len(patch.code), len(patch.tests), len(patch.others), patch.lines, patch.problem]
        digest = xxh3_64_intdigest(text.encode("utf-8", "replace")) & 0xFFFFFFFF
        names = [clip(path, LONGEST_NAME) for path in sorted(patch.code) + sorted(patch.tests | patch.others)][
            :MOST_NAMED
        ]
        by_file = sorted(patch.changes.items(), key=lambda entry: (entry[0].count("/"), entry[0]))[:MOST_CHANGES]
        changes = [
            [number, clip(path, LONGEST_NAME), lines if path in patch.code else 0] for path, (number, lines) in by_file
        ]
        own_lines = sum(patch.changes[path][1] for path in patch.code if path in patch.changes)
        added = [clip(path, LONGEST_NAME) for path in sorted(patch.added)]
        patches[name] = [
            *(*sizes, len(reference_code), len(reference_code & patch.code), digest, names),
            *(len(added), added[:MOST_NAMED], len(text), changes, own_lines, list(patch.rewritten)),
        ]
    return patches


def _by_somebody_else(text: str, attempt: Attempt) -> bool:
    """Whether the model wrote hardly a line of a patch, and hands in code of its own in a message, without any call.

    Where it shows no code, its work may not be recorded, and the patch may be what came of it.
    """
    if attempt.calls or not any(step.text.count("```") > 1 for step in attempt.messages):
        return False
    added = {line[1:].strip() for line in text[:LONGEST_PATCH].split("\n") if line[:1] == "+" and line[:3] != "+++"}
    telling = [line for line in added if len(line) >= SHORTEST_LINE]
    message_text = "\n".join(step.text for step in attempt.messages)
    return len(telling) >= FEWEST_LINES and sum(line in message_text for line in telling) < HARDLY_ANY * len(telling)


def _texts(holder: Mapping[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, str, bool]]:
    """Name, text and whether it is the task's own, of every patch; an empty text where a patch would be."""
    for key, value in holder.items() if len(holder) <= WIDEST else ():
        if type(value) in _NO_TEXT:
            continue
        if isinstance(value, str) and value and not value.isspace():
            if not _may_be_patch(value):
                continue
            if _is_packed(value):
                yield from _packed(value, f"{prefix}{key}", depth)
            elif is_patch(value):
                yield f"{prefix}{key}", value, _of_the_task(f"{prefix}{key}", holder)
        elif value is None or isinstance(value, str):
            if _may_name_patch(key) and _may_be_handed_in(f"{prefix}{key}", holder):
                yield f"{prefix}{key}", "", False
        elif isinstance(value, dict) and depth < DEEPEST and key not in {"response", "tools"}:
            yield from _texts(value, f"{prefix}{key}.", depth + 1)


def _may_be_handed_in(name: str, holder: Mapping[str, Any]) -> bool:
    return _is_patch_name(name) and not _of_the_task(name, holder)


@lru_cache(maxsize=4096)
def _may_name_patch(key: str) -> bool:
    """Whether a key is called like a patch, or has no word of its own: then the name of its holder counts."""
    last = words(key)[-1:]
    return not last or not _HANDED_IN.isdisjoint(last)


@lru_cache(maxsize=4096)
def _is_patch_name(name: str) -> bool:
    return not _HANDED_IN.isdisjoint(words(name)[-1:])


def is_patch(text: str) -> bool:
    """Whether a text holds a patch."""
    return _may_be_patch(text) and _DIFF.search(text[:LONGEST_PATCH]) is not None


def _may_be_patch(text: str) -> bool:
    return "diff --git " in text or "\n+++ " in text


def _is_packed(text: str) -> bool:
    return text[:1] == "{" and text[-1:] == "}" and "diff --git " in text and len(text) <= LONGEST_PATCH


def _packed(text: str, name: str, depth: int) -> Iterator[tuple[str, str, bool]]:
    """A whole task as JSON in one text."""
    try:
        loaded = orjson.loads(text)
    except orjson.JSONDecodeError:
        return
    if isinstance(loaded, dict) and depth < DEEPEST + 1:
        yield from _texts(loaded, f"{name}.", DEEPEST)


def _of_the_task(name: str, holder: Mapping[str, Any]) -> bool:
    """Whether a patch is part of the task: its name or where it stands tells so, or what stands beside it."""
    parts = [word for part in name.split(".") for word in words(part)]
    plain = words(name) == ("patch",) and any(sibling in holder for sibling in _SIBLINGS)
    return plain or not _OF_THE_TASK.isdisjoint(parts)


@lru_cache(maxsize=16)
def opened(text: str) -> Opened:
    """The files and lines of a patch, and what is wrong with it as text."""
    patch = _Patch()
    lines = text[:LONGEST_PATCH].split("\n")
    for line, next_line in zip(lines, (*lines[1:], ""), strict=True):
        if line.startswith("--- ") and next_line.startswith("+++ "):
            if patch.old > 1 or patch.new > 1:
                patch.problem = patch.problem or BROKEN  # another file begins before the hunk holds what it promised
            patch.old = patch.new = 0
        if patch.old > 0 or patch.new > 0:
            patch.inside(line)
        elif line.startswith("diff --git "):
            patch.named = _path(f"    {line.rsplit(' ', 1)[-1]}")
        elif line.startswith("new file mode"):
            patch.added.add(patch.named)
        elif line.startswith("--- "):
            patch.fresh = line[4:].strip() == "/dev/null"
            patch.files += [] if patch.fresh else [_path(line)]
        elif line.startswith("+++ ") and line[4:].strip() != "/dev/null":
            patch.files.append(_path(line))
            patch.added |= {patch.files[-1]} if patch.fresh else set()
        elif hunk := _HUNK.match(line):
            patch.old, patch.new = (int(size) if size is not None else 1 for size in hunk.groups())
    if len(text) <= LONGEST_PATCH and (patch.old > 1 or patch.new > 1):
        patch.problem = patch.problem or BROKEN
    new_files = patch.made.items()
    if not patch.problem and any(path.endswith(".py") and not _parses("\n".join(lines)) for path, lines in new_files):
        patch.problem = SYNTAX
    changes = {
        path: (
            xxh3_64_intdigest("\n".join(lines).encode("utf-8", "replace")) & 0xFFFFFFFF,
            sum(bool(line[1:].strip()) for line in lines),
        )
        for path, lines in patch.changes.items()
    }
    files = _sorted(patch.files, patch.changed, patch.problem)
    old_tests = files.tests - patch.added
    return files._replace(
        added=frozenset(patch.added),
        changes=changes,
        rewritten=rewritten_tests(text[:LONGEST_PATCH], old_tests) if old_tests else (0, []),
        code_lines=_code_lines(patch.changes, files.code),
    )


def _code_lines(changes: Mapping[str, list[str]], code: frozenset[str]) -> tuple[str, ...]:
    """The lines of code that change, each once; none where they are many."""
    lines = dict.fromkeys(
        f"{line[0]} {' '.join(words_of_line)}"[:LONGEST_LINE]
        for path, own in changes.items()
        if path in code
        for line in own
        if (words_of_line := line[1:].split()) and not _COMMENT.match(words_of_line[0])
    )
    return tuple(lines) if len(lines) <= MOST_LINES else ()


@dataclass(slots=True)
class _Patch:
    """A patch while it is read: `old` and `new` are the lines that its hunk still owes."""

    files: list[str] = field(default_factory=list)
    made: dict[str, list[str]] = field(default_factory=dict)
    changed: int = 0
    problem: str = ""
    old: int = 0
    new: int = 0
    fresh: bool = False
    named: str = ""
    added: set[str] = field(default_factory=set)
    changes: dict[str, list[str]] = field(default_factory=dict)

    def inside(self, line: str) -> None:
        sign = line[:1]
        if sign == "\\":
            return
        if sign not in {"+", "-", " ", ""}:
            self.problem = self.problem or BROKEN
            self.old = self.new = 0
            return
        if sign in {"+", "-"}:
            self.changed += bool(line[1:].strip())
            if self.files:
                self.changes.setdefault(self.files[-1], []).append(line)
        if sign == "+":
            if line.startswith(("+<<<<<<< ", "+>>>>>>> ")):
                self.problem = CONFLICT
            if self.fresh and self.files:
                self.made.setdefault(self.files[-1], []).append(line[1:])
        self.old -= sign != "+"
        self.new -= sign != "-"


def _sorted(files: list[str], changed: int, problem: str) -> Opened:
    paths = frozenset(files)
    tests = frozenset(path for path in paths if _TEST_FILE.search(path))
    code = frozenset(path for path in paths - tests if is_code(path))
    return Opened(code, tests, paths - tests - code, changed, problem)


def _path(line: str) -> str:
    path = line[4:].split("\t", 1)[0].strip().strip('"')
    return path[2:] if path[:2] in {"a/", "b/"} else path


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
