"""Do failures from which no answer was read say the expected answer before they end?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.answer_groups import Given, judged_answers
from blade.diagnosis.cases import RunCases
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.questions import in_order, judged, task_list
from blade.wording import abridged, amount, count, fact, printable

TITLE = "Right answers before the end"
ORDER = 79
WEIGHT = 1.3
FEWEST = 5
PART = 0.25
"""Of the failures from which no answer was read, so many must say the expected one."""
MUCH = 0.03
LIKELY = 0.6
MOST_RUNS = 6
_AT = ("investigation", "said_answers")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Failures without an answer that say the key's on their way, by run, with one in its own words."""
    rows = [entry for task in judged_answers(runs).values() for entry in task.rows]
    without = [entry for entry in rows if entry.empty and not entry.case.passed]
    said = [entry for entry in without if _says_it(entry)]
    if len(said) < max(FEWEST, PART * len(without)):
        return None
    of_run, without_of_run = (Counter(entry.case.run for entry in some) for some in (said, without))
    every = {run.run.name: len(judged(run)) for run in runs}
    return {
        "failures": len(without),
        "said": len(said),
        "tasks": in_order({entry.case.label for entry in said}),
        "runs": [
            {"run": name, "said": of_run[name], "failures": without_of_run[name], "judged": every[name]}
            for name in every
            if without_of_run[name]
        ],
        "example": {
            "run": said[0].case.run,
            "task": said[0].case.label,
            "attempt": said[0].case.attempt,
            "words": printable(str(said[0].case.observed["said_key"])),
            "key": said[0].key[0],
        },
    }


def _says_it(entry: Given) -> bool:
    return "said_key" in entry.case.observed


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph((_words(answer), _by_run(answer)))]


def _words(answer: Mapping[str, Any]) -> Sentence:
    example = answer["example"]
    return say(
        "{said} of {failures} from which no answer was read say the expected answer on their way and end without "
        "handing it in ({tasks}), such as “{words}” for the key '{key}' ({run}, task {task}, attempt {attempt}): they "
        "had it, and went on until something ended them.",
        said=amount(answer["said"], *_AT, "said"),
        failures=fact(count(answer["failures"], "failure"), answer["failures"], *_AT, "failures"),
        tasks=task_list(answer["tasks"]),
        words=example["words"],
        key=example["key"],
        run=example["run"],
        task=example["task"],
        attempt=str(example["attempt"]),
    )


def _by_run(answer: Mapping[str, Any]) -> Sentence:
    parts = [f"{line['run']} {line['said']:,} of {line['failures']:,}" for line in answer["runs"]]
    return say("By run: {parts}.", parts=abridged(parts, MOST_RUNS))


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """For the first screen, where a run loses more than a little so."""
    if any(line["said"] >= MUCH * line["judged"] for line in answer["runs"]):
        yield _words(answer)


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Let the model hand in what it has."""
    yield Advice(
        "prompt",
        "Have the model hand in its answer as soon as it has one, or ask for it shortly before the limit",
        say(
            "{said} without an answer had said the expected one.",
            said=fact(count(answer["said"], "failure"), answer["said"], *_AT, "said"),
        ),
        answer["said"],
        LIKELY,
    )
