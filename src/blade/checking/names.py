"""The names that a report may use: runs, tasks, and words of the runs' own vocabulary; and what looks like a task's id.

What an id looks like is learned from the ids of the runs, whatever signs they are made of. A word has their form if its
digits alone tell it from a known one. Where ids are random (hashes), it must have their length, punctuation and letters
instead. Ids that are bare numbers are only ids after the word "task".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property

from blade.counting.run import Run
from blade.model import Analysis, Bucket, Status, Task
from blade.run_names import short_names
from blade.task_names import short_task_names, task_named

MANY_FORMS = 20
NEAR_AMONG = 20_000
_DIGITS = re.compile(r"\d+")
_SIGNS = re.compile(r"[^\W_]")
_LAST_NUMBER = re.compile(r"(\d+)\D*$")
_WORD = "a"
_LETTER_RUN = re.compile(r"[^\W\d_]+")
_PARTS = re.compile(r"(a[\W_]+)(?:\1)+(?=a)")
_LETTERS = tuple(re.compile(letters) for letters in ("[0-9a-f]*", "[0-9A-F]*", "[0-9a-z]*", "[0-9A-Z]*", r"\w*"))
"""What random ids are written with, the fewest signs first."""


@dataclass(frozen=True, eq=False)
class Names:
    runs: tuple[str, ...]
    tasks: dict[str, Task]
    numbers: dict[int, tuple[str, ...]]
    """Tasks by the number that people call them by: the index, or the last number of the id."""
    files: frozenset[str]
    words: frozenset[str]
    """Models, agents, fields, levels, modes, checks, statuses: what stands in back-ticks and is no quote."""
    short_runs: Mapping[str, str] = field(default_factory=dict)
    """Short name → run, as the report shortens long names of runs."""

    def task_of(self, word: str) -> str | None:
        """The task that a word names: by its id, or by the beginning of a long random one."""
        return word if word in self.tasks else task_named(word, self.tasks) if self.random_ids else None

    @cached_property
    def random_ids(self) -> bool:
        """Whether ids are long and random, so that people write their beginning."""
        return bool(short_task_names(self.tasks))

    def run_of(self, word: str) -> str | None:
        """The run that a word names, in full or by its short name."""
        return word if word in self.runs else self.short_runs.get(word)

    @cached_property
    def forms(self) -> frozenset[str]:
        """The forms of the ids, digits masked; empty where ids are random or bare numbers."""
        masks = {masked(task) for task in self.tasks}
        too_many = len(masks) > max(MANY_FORMS, len(self.tasks) // 4)
        return frozenset() if too_many else frozenset(form for form in masks if _is_telling(form) and "9" in form)

    @cached_property
    def lengths(self) -> frozenset[str]:
        """The forms of random ids: their signs masked one by one."""
        if self.forms or not self.tasks:
            return frozenset()
        masks = {_SIGNS.sub("x", task) for task in self.tasks if any(char.isdigit() for char in task)}
        return frozenset(form for form in masks if len(form) >= 8 and not form.isspace())

    @cached_property
    def _letters(self) -> re.Pattern[str]:
        characters = "".join(char for task in self.tasks for char in task if char.isalnum())
        return next(letters for letters in _LETTERS if letters.fullmatch(characters))

    def looks_like_a_task(self, word: str) -> bool:
        """Whether a word has the form of the ids and is not known as something else."""
        if word.isdecimal() or not any(char.isdigit() for char in word) or word in self.words or word in self.files:
            return False
        if masked(word) in self.forms:
            return True
        return _SIGNS.sub("x", word) in self.lengths and bool(
            self._letters.fullmatch("".join(char for char in word if char.isalnum()))
        )

    @cached_property
    def _worded(self) -> frozenset[str]:
        """The forms of ids that are words joined by signs; empty where most ids have digits."""
        words = [task for task in self.tasks if not any(char.isdigit() for char in task)]
        return frozenset(map(_joined, words)) - {_WORD} if 2 * len(words) >= len(self.tasks) else frozenset()

    def worded_like_a_task(self, word: str) -> bool:
        """Whether a word without digits is joined as the ids are: so are other names, so it may be one of those."""
        return _joined(word) in self._worded and word not in self.words and word not in self.files

    def is_task(self, word: str) -> bool:
        """Whether a word is the name of a task: of one that is there, or of one that is made up."""
        return word in self.tasks or self.looks_like_a_task(word)

    def near(self, word: str) -> str | None:
        """The known task that is spelled most alike."""
        if len(self.tasks) > NEAR_AMONG:
            return None
        return next(iter(get_close_matches(word, self.tasks, 1)), None)


def masked(word: str) -> str:
    return _DIGITS.sub("9", word)


def _joined(word: str) -> str:
    """A word by what joins its parts, however many: `fix-the-door` and `open-gate` are one form."""
    return _PARTS.sub(r"\1", _LETTER_RUN.sub(_WORD, word))


def _is_telling(form: str) -> bool:
    """A form that says something: not a bare number, not a date or a version."""
    return any(char.isalpha() for char in form)


def names_of(analysis: Analysis, runs: Sequence[Run]) -> Names:
    numbers: dict[int, dict[str, None]] = {}
    for run in runs:
        for label, task in run.facts.select("label", "task").unique(maintain_order=True).rows():
            for text in (label, task):
                match = _LAST_NUMBER.search(text)
                if match and len(match[1]) < 12:
                    numbers.setdefault(int(match[1]), {})[label] = None
    files = [*(file for run in analysis.runs for file in run.files), *analysis.inventory]
    run_names = tuple(run.name for run in analysis.runs)
    return Names(
        runs=run_names,
        tasks={task.task: task for task in analysis.tasks},
        numbers={number: tuple(labels) for number, labels in numbers.items()},
        files=frozenset(str(file.path) for file in files),
        words=frozenset(_words(analysis)),
        short_runs={short: run for run, short in short_names(run_names).items()},
    )


def _words(analysis: Analysis) -> set[str]:
    words = {item.value for item in (*Status, *Bucket)} | {analysis.benchmark or ""}
    for run in analysis.runs:
        provenance = run.provenance
        words |= {
            *provenance.models,
            provenance.agent or "",
            provenance.checkpoint or "",
            provenance.skills or "",
            *provenance.sampling,
        }
        words |= {str(line[key]) for line in run.slices for key in ("field", "level")}
        words |= {str(item["field"]) for item in run.fields if "field" in item}
        words |= set(run.metrics)
    words |= {name for mode in analysis.modes for name in (mode.id, mode.detector or "")}
    words |= {str(item["check"]) for item in analysis.health} | {flaw.slug for flaw in analysis.flaws}
    return words - {""}
