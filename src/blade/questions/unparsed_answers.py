"""Which answers that the verifier could not read stand in the message all the same, in another dress?

How answers are introduced is learned from the rollouts whose answer was read: the words before it on its line. The same
words, with other marks, case or one letter changed, or the bare value on a line of its own, tell an answer elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.evidence import open_rows
from blade.extract.attempt import Attempt
from blade.extract.given_answer import EMPTY, FIELD
from blade.extract.same_answer import same
from blade.late_regex import late_regex
from blade.model import Source
from blade.questions import in_order, judged, task_list
from blade.wording import amount, count, fact, listed, percent

TITLE = "Answers that were not read"
ORDER = 33
WEIGHT = 1.2
MOST_READ, MOST_UNREAD = 60, 300
FEWEST_READ = 5
MOST_VALUES = 12
"""Answers of a closed set: more values are open ones, of which any word may be one."""
LONGEST_VALUE = 40
USUAL = 0.6
"""Of the answers that were read and stand in their message: so many are introduced by the same words."""
REPRODUCED = 0.95
ALIKE = 0.85
LONGEST_QUOTE = 80
MOST_SHOWN = 3
LIKELY = 0.7
_MARKS = late_regex(r"[*_`#>$\\]+")
_LABEL = late_regex(r"([A-Za-z][A-Za-z ]{2,30}?)\s*[:=]\s*$")
_LABELLED = late_regex(r"([A-Za-z][A-Za-z ]{2,30}?)\s*[:=-]\s*(\S.*)$")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Judged rollouts without a readable answer that state a usual value, and those of them whose value is the key."""
    cases = [case for run in runs for case in judged(run)]
    read = [case for case in cases if _answer(case).get("source") == FIELD and _answer(case).get("text")]
    unread = [case for case in cases if _answer(case).get("source") == EMPTY and _answer(case).get("key")]
    values = {_answer(case)["text"] for case in read}
    if not unread or len(read) < FEWEST_READ or not 1 < len(values) <= MOST_VALUES:
        return None
    if max(map(len, values)) > LONGEST_VALUE:
        return None
    step = -(-len(read) // MOST_READ)
    texts = _texts([*read[::step], *unread[:MOST_UNREAD]])
    known = [(case, texts[case.place]) for case in read[::step] if case.place in texts]
    label = _usual_label(known)
    if label is None or not _reproduces(known, label, values):
        return None
    entries = [(case, *stated) for case in unread if (stated := _stated(texts.get(case.place, ""), label, values))]
    return _told(runs, unread, entries, label) if entries else None


def _answer(case: Case) -> Mapping[str, Any]:
    answer: Mapping[str, Any] = case.observed.get("answer", {})
    return answer


def _texts(cases: Sequence[Case]) -> dict[tuple[str, int, int, int], str]:
    rows = open_rows(Source(*case.place) for case in cases)
    return {(at.file, at.line, at.offset, at.length): Attempt(row).final_text for at, row in rows}


def _usual_label(known: Sequence[tuple[Case, str]]) -> str | None:
    """The words that introduce most answers that stand in their message."""
    labels = Counter(label for case, text in known if (label := _label_before(text, _answer(case)["text"])))
    if not labels:
        return None
    label, often = labels.most_common(1)[0]
    return label if often >= max(FEWEST_READ, USUAL * len(known)) else None


def _label_before(text: str, value: str) -> str:
    for line, _ in _lines(text):
        at = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", line)
        label = _LABEL.search(line[: at.start()]) if at else None
        if label is not None:
            return label.group(1).strip().lower()
    return ""


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """The lines without marks of emphasis and such, and as they stand."""
    for line in text.splitlines():
        plain = _MARKS.sub("", line).strip()
        if plain:
            yield plain, line.strip()


def _stated(text: str, label: str, values: set[str]) -> tuple[str, str] | None:
    """The value that a message states behind such words, else as its whole first or last line; and that line.

    Nothing where it states two.
    """
    lines = list(_lines(text))
    found = [
        (value, written)
        for line, written in lines
        if (labelled := _LABELLED.match(line)) and _is_alike(labelled.group(1).lower(), label)
        for value in _values_at(labelled.group(2), values)
    ]
    ends = dict.fromkeys((*lines[:1], *lines[-1:]))
    found = found or [(value, written) for line, written in ends for value in values if same(line, value)]
    return found[0] if found and len({value for value, _ in found}) == 1 else None


def _is_alike(words: str, label: str) -> bool:
    return SequenceMatcher(None, words.strip(), label).ratio() >= ALIKE


def _values_at(text: str, values: set[str]) -> Iterator[str]:
    for value in values:
        if text.lower().startswith(value.lower()) and not text[len(value) : len(value) + 1].isalnum():
            yield value


def _reproduces(known: Sequence[tuple[Case, str]], label: str, values: set[str]) -> bool:
    """Whether answers that were read are read alike in this way: else it is not to be trusted elsewhere."""
    stated = [(case, found) for case, text in known if (found := _stated(text, label, values))]
    right = sum(same(found[0], _answer(case)["text"]) for case, found in stated)
    return len(stated) >= FEWEST_READ and right >= REPRODUCED * len(stated)


def _told(
    runs: Sequence[RunCases], unread: Sequence[Case], entries: Sequence[tuple[Case, str, str]], label: str
) -> dict[str, Any]:
    right = [
        (case, line) for case, value, line in entries if any(same(value, key) for key in _answer(case).get("key", ()))
    ]
    failing = [(case, line) for case, line in right if not case.passed]
    again = {id(case) for case, _ in failing}
    scores = []
    for run in runs:
        rows = judged(run)
        more = sum(id(case) in again for case in rows)
        passes = sum(bool(case.passed) for case in rows)
        if more:
            scores.append({"run": run.run.name, "rollouts": len(rows), "passes": passes, "after": passes + more})
    return {
        "label": label,
        "unread": len(unread),
        "stated": len(entries),
        "key": len(right),
        "failures": len(failing),
        "tasks": in_order(case.label for case, _ in failing),
        "runs": scores,
        "shown": [
            {"run": case.run, "task": case.label, "attempt": case.attempt, "line": line[:LONGEST_QUOTE]}
            for case, line in (failing or [(case, line) for case, _, line in entries])[:MOST_SHOWN]
        ],
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(answer)))]


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    shown = [
        f"“{entry['line']}” ({entry['run']}, task {entry['task']}, attempt {entry['attempt']})"
        for entry in answer["shown"]
    ]
    yield say(
        "Of {unread} whose answer the verifier could not read, {stated} {state} one of the usual answers, in other "
        "marks or spelling than those behind “{label}”, {key} of them the key{tasks}: {shown}.",
        unread=fact(count(answer["unread"], "judged rollout"), answer["unread"], *_PATH, "unread"),
        stated=amount(answer["stated"], *_PATH, "stated"),
        state="states" if answer["stated"] == 1 else "state",
        label=answer["label"],
        key=amount(answer["key"], *_PATH, "key"),
        tasks=f" ({task_list(answer['tasks'])})" if answer["tasks"] else "",
        shown="; ".join(shown),
    )
    if answer["runs"]:
        parts = [
            f"{entry['after']:,} of {entry['rollouts']:,} rollouts of {entry['run']} "
            f"({percent(entry['after'] / entry['rollouts'])}) instead of {entry['passes']:,}"
            for entry in answer["runs"]
        ]
        yield say("Read so, {parts} would pass.", parts=listed(parts))


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """What a lenient reading changes."""
    if answer["failures"]:
        yield from _sentences(answer)


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """A verifier that reads these answers."""
    if answer["failures"]:
        yield Advice(
            "verifier",
            "Have the verifier read answers without regard to marks and to the spelling of the words before them, or "
            "hold the output to one form, and grade the stored outputs again",
            say(
                "{many} {give} the key in a form that was not read ({tasks}).",
                many=fact(count(answer["failures"], "failure"), answer["failures"], *_PATH, "failures"),
                give="gives" if answer["failures"] == 1 else "give",
                tasks=task_list(answer["tasks"]),
            ),
            answer["failures"],
            LIKELY,
        )


_PATH = ("investigation", "unparsed_answers")
