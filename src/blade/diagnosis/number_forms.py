"""Answers that hold the expected number between words: which, does the prompt ask for another form, what they cost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from blade.diagnosis.answer_groups import Given
from blade.diagnosis.cases import Case
from blade.document import Sentence, say
from blade.extract.answer_kind import NUMBER
from blade.extract.equivalent import value_of
from blade.extract.given_answer import SHORT
from blade.extract.same_answer import bare, normal
from blade.wording import amount, count, fact, listed, percent

NAMED_FORMS = frozenset({"box", "tag", "json", "label"})
"""Forms that a prompt asks for by name; see `extract.wanted_format`."""
MOST_OF_THEM = 0.9
"""Of the tasks: so many of their prompts must ask for a form before the model is said to break it."""


FEWEST_LETTERS = 4
"""Fewer letters beside a number are its unit."""
_NUMBERS = re.compile(r"(?<![\w.])[-−+]?\d[\d,]*(?:\.\d+)?")


def number_of(text: str) -> Fraction | None:
    """The value of a text that is a number, also behind a sign of equality or with marks around it."""
    value = value_of(text)
    return value if value is not None else value_of(bare(normal(text)) or "")


def has_number_in_words(entry: Given) -> bool:
    """Whether a short answer holds one number, the expected one, between words: only its form can be wrong."""
    if not entry.key or entry.meets or entry.seen["key_kind"] != NUMBER or entry.seen["length"] > SHORT:
        return False
    numbers = _NUMBERS.findall(entry.text)
    letters = sum(map(str.isalpha, entry.text))
    if len(numbers) != 1 or letters < FEWEST_LETTERS:
        return False
    return number_of(numbers[0]) == number_of(entry.key[0]) is not None


def number_form(failed: Sequence[Given], cases: Sequence[Case], names: Sequence[str]) -> dict[str, Any]:
    """The tasks of these failures and those whose prompt names a form; per run the score if they counted as passes."""
    asking = {entry.case.key for entry in failed if entry.seen.get("wanted") in NAMED_FORMS}
    judged = Counter(case.run for case in cases)
    passes = Counter(case.run for case in cases if case.passed)
    added = Counter(entry.case.run for entry in failed)
    lines = [
        {"run": name, "judged": judged[name], "passes": passes[name], "counted": passes[name] + added[name]}
        for name in names
        if added[name]
    ]
    return {"tasks": len({entry.case.key for entry in failed}), "asking": len(asking), "runs": lines}


def is_asked_for(form: Mapping[str, Any]) -> bool:
    """Whether the prompts name the form that these answers do not have."""
    return bool(form["asking"] >= MOST_OF_THEM * form["tasks"])


def form_words(form: Mapping[str, Any], path: Sequence[str | int]) -> Iterator[Sentence]:
    """Whether the prompt asks for a form that these answers break, and the scores if they counted."""
    if is_asked_for(form):
        yield say(
            "The prompt asks for a form in {asking} of these {tasks}, and these answers do not have it.",
            asking=amount(form["asking"], *path, "asking"),
            tasks=fact(count(form["tasks"], "task"), form["tasks"], *path, "tasks"),
        )
    lines = [
        f"{line['run']} {percent(line['passes'] / line['judged'])} → {percent(line['counted'] / line['judged'])}"
        for line in form["runs"]
    ]
    yield say("Counted as passes: {runs} of judged rollouts.", runs=listed(lines))


def form_change(form: Mapping[str, Any]) -> str:
    """What to change: the prompt where it names no form, else how the model or the verifier keeps to it."""
    if is_asked_for(form):
        return (
            "Decide whether the form is part of the task: if not, have the verifier read the number out of its words, "
            "and score the stored answers again; if so, show the form in the prompt with one example"
        )
    return (
        "Say in the prompt that the number must stand alone, or have the verifier read the number out of its words, "
        "and score the stored answers again"
    )
