"""Does a right answer pass only where it is written in one way, and does the prompt ask for that way?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.answer_groups import Given, judged_answers
from blade.diagnosis.cases import RunCases
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.questions import SURE, in_order, task_list
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact, listed

TITLE = "Right answers in another format"
ORDER = 78
WEIGHT = 1.5
FEWEST = 3
_WORDS = {
    "box": "in a box",
    "tag": "in a tag",
    "json": "in JSON",
    "label": "behind a label such as “Answer:”",
    "phrase": "in a sentence",
    "choice": "in a sentence",
    "line": "as its last line",
    "mark": "in bold or code",
}
_FORMAL = ("box", "tag", "json", "label")
"""What a prompt can ask for by name."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Answers that say what the key says: how often each way of writing passes, and how often it is asked for."""
    tasks = judged_answers(runs)
    rows = [entry for task in tasks.values() for entry in task.rows if _is_right(entry) and entry.seen.get("mark")]
    groups: defaultdict[str, list[Given]] = defaultdict(list)
    for entry in rows:
        groups[entry.seen["mark"]].append(entry)
    read = max(_FORMAL, key=lambda mark: _passes(groups.get(mark, ())))
    others = [entry for entry in rows if entry.seen["mark"] != read]
    failed = [entry for entry in others if not entry.case.passed]
    if len(failed) < FEWEST or not _passes(groups.get(read, ())) or _chance(groups[read], others) > SURE:
        return None
    asked = [entry.seen.get("wanted") == read for task in tasks.values() for entry in task.rows[:1]]
    return {
        "mark": read,
        "passes": _passes(groups[read]),
        "of": len(groups[read]),
        "others": sorted({entry.seen["mark"] for entry in others}),
        "other_passes": _passes(others),
        "of_others": len(others),
        "tasks": in_order(entry.case.label for entry in failed),
        "runs": {run.run.name: sum(entry.case.run == run.run.name for entry in failed) for run in runs},
        "asked": sum(asked),
        "of_tasks": len(asked),
    }


def _is_right(entry: Given) -> bool:
    """Whether the answer, or what the message states where none was read, says what the key says."""
    return bool(entry.meets or (entry.empty and entry.seen.get("stated_meets")))


def _passes(rows: Sequence[Given]) -> int:
    return sum(bool(entry.case.passed) for entry in rows)


def _chance(read: Sequence[Given], others: Sequence[Given]) -> float:
    """The exact p value of passing in this way as often as in others; 1 where others pass as often."""
    good, also = _passes(read), _passes(others)
    if also * len(read) >= good * len(others):
        return 1.0
    p = exact_p([(good, len(read) - good, also, len(others) - also)])
    return 1.0 if p is None else p


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph((*_sentences(answer), _asked(answer)))]


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    others = " or ".join(sorted({_WORDS.get(mark, "in another way") for mark in answer["others"]}))
    yield say(
        "Of the answers that match the key, {passes} of {of} pass {mark} and {other_passes} of {of_others} "
        "{others}: {many} ({tasks}) {fail} only by how the right answer is written ({runs}).",
        passes=amount(answer["passes"], *_AT, "passes"),
        of=amount(answer["of"], *_AT, "of"),
        mark=_WORDS[answer["mark"]],
        other_passes=amount(answer["other_passes"], *_AT, "other_passes"),
        of_others=amount(answer["of_others"], *_AT, "of_others"),
        others=others,
        many=count(_failed(answer), "rollout"),
        fail="fails" if _failed(answer) == 1 else "fail",
        tasks=task_list(answer["tasks"]),
        runs=listed([f"{run} {many:,}" for run, many in answer["runs"].items()]),
    )


def _asked(answer: Mapping[str, Any]) -> Sentence:
    none = " The prompt or the verifier has to change, not the model." if not answer["asked"] else ""
    return say(
        "The prompt asks for an answer {mark} in {asked} of {tasks}." + none,
        mark=_WORDS[answer["mark"]],
        asked=amount(answer["asked"], *_AT, "asked"),
        tasks=fact(count(answer["of_tasks"], "task"), answer["of_tasks"], *_AT, "of_tasks"),
    )


def _failed(answer: Mapping[str, Any]) -> int:
    return int(answer["of_others"] - answer["other_passes"])


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """How many right answers fail by the way they are written, and whether that way was asked for."""
    yield say(
        "{many} of {all} that match the key fail only by how they are written: {passes} of {of} pass {mark}, "
        "{other_passes} of {of_others} elsewhere, and the prompt asks for that format in {asked} of {tasks}.",
        many=f"{_failed(answer):,}",
        all=count(answer["of"] + answer["of_others"], "answer"),
        passes=amount(answer["passes"], *_AT, "passes"),
        of=amount(answer["of"], *_AT, "of"),
        mark=_WORDS[answer["mark"]],
        other_passes=amount(answer["other_passes"], *_AT, "other_passes"),
        of_others=amount(answer["of_others"], *_AT, "of_others"),
        asked=amount(answer["asked"], *_AT, "asked"),
        tasks=fact(count(answer["of_tasks"], "task"), answer["of_tasks"], *_AT, "of_tasks"),
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Say in the prompt what the verifier reads, or have it read what is said."""
    if not answer["asked"]:
        yield Advice(
            "prompt",
            f"Say in the prompt that the answer has to be given {_WORDS[answer['mark']]}, or make the verifier "
            "accept it elsewhere, too",
            say(
                "{many} match the key and fail, and no prompt asks for that format.",
                many=count(_failed(answer), "rollout"),
                fail="fails" if _failed(answer) == 1 else "fail",
            ),
            _failed(answer),
            1.0,
        )


_AT = ("investigation", "answer_marks")
