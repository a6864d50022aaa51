"""What would the runs score if every right answer were read that the verifier did not read, or misread?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.answer_groups import Given, judged_answers
from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Fact, Paragraph, Sentence, say
from blade.questions import OF_THE_EVALUATION, in_order, judged, task_list
from blade.wording import amount, count, fact

TITLE = "Right answers that were not read"
ORDER = 78
WEIGHT = OF_THE_EVALUATION
FEWEST = 3
MISREAD = "extraction_wrong_span"
WORTH = 0.05
"""So much of the judged rollouts of some run, and it belongs on the first screen."""
SURE_OF_IT = 0.9
_AT = ("investigation", "unread_right_answers")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Failures of which no answer, or another text, was read though the final message gives the expected one.

    Where the prompt asks for a form and the message has another, the model left it out, and not the verifier.
    """
    cases = {run.run.name: judged(run) for run in runs}
    answers = judged_answers(runs)
    misread = {id(entry.case) for task in answers.values() for entry in task.rows if _is_misread(entry)}
    unread = [
        entry for task in answers.values() for entry in task.rows if _is_unread(entry) or id(entry.case) in misread
    ]
    in_form = {id(entry.case) for entry in unread if id(entry.case) in misread or _is_in_form(entry)}
    if len(in_form) < FEWEST:
        return None
    every = {id(entry.case) for entry in unread}
    return {
        "failures": len(in_form),
        "misread": len(misread),
        "in_another_form": len(every) - len(in_form),
        "tasks": in_order(entry.case.label for entry in unread if id(entry.case) in in_form),
        "runs": [_line(name, rows, in_form, every) for name, rows in cases.items() if rows],
    }


def _is_unread(entry: Given) -> bool:
    return not entry.case.passed and entry.empty and bool(entry.seen.get("stated_meets"))


def _is_misread(entry: Given) -> bool:
    """Whether the verifier's text is not the answer on which the message settles, and that one is the key's."""
    return not entry.case.passed and bool(entry.key) and ("raw" in entry.seen or MISREAD in entry.case.fired())


def _is_in_form(entry: Given) -> bool:
    return not entry.seen.get("wanted") or entry.seen.get("mark") == entry.seen["wanted"]


def _line(run: str, rows: Sequence[Case], in_form: set[int], every: set[int]) -> dict[str, Any]:
    passes = sum(bool(case.passed) for case in rows)
    unread, unread_in_any = (sum(id(case) in chosen for case in rows) for chosen in (in_form, every))
    return {
        "run": run,
        "judged": len(rows),
        "passes": passes,
        "unread": unread,
        "read": passes + unread,
        "read_in_any": passes + unread_in_any,
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph((_first(answer), _scores(answer), *_in_any_form(answer)))]


def _first(answer: Mapping[str, Any]) -> Sentence:
    failures = answer["failures"]
    return say(
        "{failures} end with the expected answer, and the verifier read {read}: {tasks} ({list}).",
        failures=fact(count(failures, "failure"), failures, *_AT, "failures"),
        read=_read(answer),
        tasks=fact(count(len(answer["tasks"]), "task"), answer["tasks"], *_AT, "tasks"),
        list=task_list(answer["tasks"]),
    )


def _read(answer: Mapping[str, Any]) -> str:
    misread = answer.get("misread", 0)
    return "none" if not misread else "something else" if misread == answer["failures"] else "none or something else"


def _scores(answer: Mapping[str, Any]) -> Sentence:
    parts: list[str | Fact] = []
    for place, line in enumerate(answer["runs"]):
        at = (*_AT, "runs", place)
        parts += ["; " if place else "", f"{line['run']} ", amount(line["read"], *at, "read"), " of "]
        parts += [amount(line["judged"], *at, "judged"), " instead of ", amount(line["passes"], *at, "passes")]
    return Sentence(("Had they been read, the runs would pass: ", *parts, _apart(answer["runs"]), "."))


def _in_any_form(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """What the runs would pass if those counted, too, that are not in the form that the prompt asks for."""
    if not answer["in_another_form"]:
        return
    parts: list[str | Fact] = []
    for place, line in enumerate(answer["runs"]):
        at = (*_AT, "runs", place)
        parts += ["; " if place else "", f"{line['run']} ", amount(line["read_in_any"], *at, "read_in_any"), " of "]
        parts += [amount(line["judged"], *at, "judged")]
    many = answer["in_another_form"]
    more = fact(f"{many:,} more", many, *_AT, "in_another_form")
    ending = f"{'gives' if many == 1 else 'give'} it in another form than the prompt asks for; with these, too: "
    yield Sentence((more, f" {ending}", *parts, "."))


def _apart(lines: Sequence[Mapping[str, Any]]) -> str:
    """How far apart the best and the worst run lie as judged, and as read; empty for one run."""
    if len(lines) < 2:
        return ""
    judged_rates, read_rates = ([line[name] / line["judged"] for line in lines] for name in ("passes", "read"))
    before, after = (max(rates) - min(rates) for rates in (judged_rates, read_rates))
    return f". The best and the worst run would lie {100 * after:.1f} pp apart, not {100 * before:.1f} pp"


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """For the first screen, where a run moves by more than a little."""
    if any(line["unread"] >= WORTH * line["judged"] for line in answer["runs"]):
        because = say(
            "{failures} end with the expected answer, and the verifier read {read}. ",
            failures=fact(count(answer["failures"], "failure"), answer["failures"], *_AT, "failures"),
            read=_read(answer),
        )
        others = [part for sentence in _in_any_form(answer) for part in (" ", *sentence.parts)]
        yield Sentence((*because.parts, *_scores(answer).parts, *others))


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Nothing has to run again: the stored answers are there."""
    yield Advice(
        "verifier",
        "Mend how the verifier reads answers out of messages, and score the stored outputs again",
        say(
            "{failures} end with the expected answer, and the verifier read {read}.",
            failures=fact(count(answer["failures"], "failure"), answer["failures"], *_AT, "failures"),
            read=_read(answer),
        ),
        answer["failures"],
        SURE_OF_IT,
        before_scores=True,
    )
