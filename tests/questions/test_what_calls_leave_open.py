"""Changes made again after a lost reply, pages left unread, messages never sent, and lists that the verifier fills."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.gym_rows import ABSENT, Json, analysed, response, row, write
from tests.questions.made_cases import called, causes, said, words

from blade.extract.checks import checks_of
from blade.questions import denied_checks, lists_in_failures, lost_replies, unread_pages, unsent_messages

Items = list[Json]
TASKS, ATTEMPTS = 6, 4


def made(path: Path, items_of: Callable[[int, int, bool], Items], **fields: Callable[[bool], Any]) -> Path:
    """Six tasks with four attempts; the first two attempts at each do what is asked about, and fail."""
    rows = []
    for task in range(TASKS):
        for attempt in range(ATTEMPTS):
            bad = attempt < 2
            more = {name: value(bad) for name, value in fields.items()}
            items = items_of(task, attempt, bad)
            rows.append(
                row(
                    task,
                    attempt,
                    float(not bad),
                    response=response(*items),
                    **{"expected_answer": ABSENT, "extracted_answer": ABSENT, **more},
                )
            )
    return write(path, rows)


def answer_of(path: Path, question: str) -> Any:
    return analysed(path).investigation.get(question)


def ordered(task: int, attempt: int, bad: bool) -> Items:
    order = called("order_create", {"jars": task, "shelf": attempt}, "504 upstream: no answer within 30 s")
    look = called("order_list", {"shelf": attempt}, f"one order of {task} jars")
    again = called("order_create", {"jars": task, "shelf": attempt}, "created")
    return [*order, *(again if bad else look), *said(f"Ordered {task} for shelf {attempt}.")]


def test_a_change_made_again_without_a_look_is_told_beside_those_that_look(tmp_path: Path) -> None:
    answer = answer_of(made(tmp_path / "jars.jsonl", ordered), "lost_replies")
    text = words(lost_replies.tell(answer))
    assert text.startswith(
        "12 rollouts get no reply to a change (order_create) and make it again at once, without a look whether it was "
        "made: 0 of them pass (jars 0 of 12), 12 of the 12 that look first or leave it (exact test: p = "
    ), text
    assert text.endswith("; 0, 1, 2, 3, 4 and 5). It may have been made twice."), text
    assert causes(answer) == [
        ("BI", "makes a change again whose reply was lost, without a look whether it was made", 12)
    ]
    (advice,) = lost_replies.advise(answer)
    assert (advice.kind, advice.rollouts) == ("environment", 12)


def test_a_refusal_is_no_lost_reply(tmp_path: Path) -> None:
    def refused(task: int, attempt: int, bad: bool) -> Items:
        items = ordered(task, attempt, bad)
        items[1]["output"] = "error: shelf is full"
        return items

    assert answer_of(made(tmp_path / "jars.jsonl", refused), "lost_replies") is None


def listed(more: str) -> Callable[[int, int, bool], Items]:
    def items_of(task: int, attempt: int, bad: bool) -> Items:
        first = called("jar_search", {"shelf": f"s{task}"}, f"{attempt + 1} jars of plums\n{more}")
        rest = called("jar_search", {"shelf": f"s{task}", "page": 2}, "2 jars of pears\npage 2/2")
        return [*first, *([] if bad else rest), *said(f"There are {attempt} jars.")]

    return items_of


@pytest.mark.parametrize("more", ["page 1/2, 14 total", "Page 1 of 2", '{"has_more": true}', "showing 1-10 of 14"])
def test_a_list_that_is_used_before_its_end_is_told(tmp_path: Path, more: str) -> None:
    answer = answer_of(made(tmp_path / "jars.jsonl", listed(more)), "unread_pages")
    text = words(unread_pages.tell(answer))
    assert text.startswith(
        "jar_search says that there is more, and 12 rollouts go on without it: 0 of them pass (jars 12; 0, 1, 2, 3, 4 "
        "and 5), 12 of the 12 that fetch more (exact test: p = "
    ), text
    assert causes(answer) == [("BI", "stops where jar_search says that there is more", 12)]


@pytest.mark.parametrize("more", ["page 2/2", "showing 1-14 of 14", '{"has_more": false}', "page one"])
def test_a_list_that_ends_leaves_nothing_unread(tmp_path: Path, more: str) -> None:
    assert answer_of(made(tmp_path / "jars.jsonl", listed(more)), "unread_pages") is None


def reported(claim: str) -> Callable[[int, int, bool], Items]:
    def items_of(task: int, attempt: int, bad: bool) -> Items:
        close = called("ticket_close", {"id": f"T-{task}{attempt}"}, "closed")
        mail = called("mail_send", {"to": "oak", "text": f"Ticket {task} is closed."}, "sent")
        return [*close, *([] if bad else mail), *said(f"Ticket T-{task}{attempt} is closed. {claim}")]

    return items_of


@pytest.mark.parametrize(
    "claim",
    ["I informed Ms Oak.", "A mail to Ms Oak is out.", "Ms Oak got a message with the details.", "I wrote to her."],
)
def test_a_message_that_is_reported_and_never_sent_is_told(tmp_path: Path, claim: str) -> None:
    answer = answer_of(made(tmp_path / "jars.jsonl", reported(claim)), "unsent_messages")
    text = words(unsent_messages.tell(answer))
    assert text.startswith(
        "12 rollouts say at their end that somebody was told, and no call sends a message: 0 of them pass (jars 12; 0, "
        "1, 2, 3, 4 and 5), 12 of the 12 that say so and sent one (exact test: p = "
    ), text
    assert text.endswith(f"; for example “{claim}” (task 0, attempt 0 of jars)."), text


@pytest.mark.parametrize("claim", ["Shall I inform Ms Oak?", "I could not inform Ms Oak.", "Please let me know."])
def test_a_question_or_a_plan_reports_no_message(tmp_path: Path, claim: str) -> None:
    assert answer_of(made(tmp_path / "jars.jsonl", reported(claim)), "unsent_messages") is None


def plain(task: int, attempt: int, bad: bool) -> Items:
    return [*called("jar_open", {"jar": task}, "open"), *said(f"Jar {task} is open, says {attempt} {bad}.")]


def audited(bad: bool) -> Json:
    return {
        "checks": [{"name": "lid", "ok": True}, {"name": "label", "ok": True}],
        "surplus": [{"jar": "an open one too many"}] if bad else [],
    }


def test_a_list_that_holds_something_in_failures_alone_decides_them(tmp_path: Path) -> None:
    rows = [
        row(
            task,
            attempt,
            float(attempt > 0),
            response=response(*plain(task, attempt, attempt == 0)),
            audit=audited(attempt == 0 and task < 4),
            expected_answer=ABSENT,
            extracted_answer=ABSENT,
        )
        for task in range(8)
        for attempt in range(4)
    ]
    analysis = analysed(write(tmp_path / "jars.jsonl", rows))
    answer: Any = analysis.investigation["lists_in_failures"]
    assert words(lists_in_failures.tell(answer)) == (
        "“audit.surplus” holds something in 4 of 8 judged failures and in hardly a pass (jars 4; 0, 1, 2 and 3), in 4 "
        'of them though every check is met; for example in task 0, attempt 0 of jars: “{"jar":"an open one too '
        'many"}”.'
    )
    denied: Any = analysis.investigation.get("denied_checks")
    assert denied is None or "4 judged rollouts of 4 tasks (jars 4)" in words(denied_checks.tell(denied))


def test_a_list_that_is_empty_in_failures_alone_decides_them(tmp_path: Path) -> None:
    path = made(tmp_path / "jars.jsonl", plain, audit=lambda bad: {"opened": [] if bad else ["a jar"], "lid": not bad})
    rows = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    for place, entry in enumerate(rows):
        if entry["reward"] == 0 and place % 2:  # these fail for another reason
            entry["audit"]["opened"] = ["a jar"]
    answer = answer_of(write(tmp_path / "other.jsonl", rows), "lists_in_failures")
    assert words(lists_in_failures.tell(answer)) == (
        "“audit.opened” is empty in 6 of 12 judged failures and in hardly a pass (other 6; 0, 1, 2, 3, 4 and 5); for "
        "example in task 0, attempt 0 of other."
    )


def test_a_list_that_belongs_to_the_task_decides_nothing(tmp_path: Path) -> None:
    rows = [
        row(
            task,
            attempt,
            float(task > 3),
            response=response(*plain(task, attempt, task < 3)),
            notes={"tags": [] if task < 3 else ["sweet"]},
            expected_answer=ABSENT,
            extracted_answer=ABSENT,
        )
        for task in range(9)
        for attempt in range(3)
    ]
    assert answer_of(write(tmp_path / "jars.jsonl", rows), "lists_in_failures") is None


def test_a_list_that_passes_fill_as_well_decides_nothing(tmp_path: Path) -> None:
    path = made(tmp_path / "jars.jsonl", plain, notes=lambda bad: ["a note"] if bad else ["another"])
    assert answer_of(path, "lists_in_failures") is None


def test_a_single_check_counts_beside_a_set_of_them() -> None:
    report = [{"item": "closing report", "name": "report", "found": False}]
    several = {"state": {"checks": [{"name": "lid", "ok": True}, {"name": "label", "ok": False}]}}
    assert [(checks.passed, checks.total) for checks in checks_of({"audit": {"report": report}})] == []
    sets = [(checks.passed, checks.total) for checks in checks_of({"audit": {**several, "report": report}})]
    assert sets == [(1, 2), (0, 1)]
