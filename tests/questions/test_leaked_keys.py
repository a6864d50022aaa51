"""A copy of the question set in what a tool answers is told, with who reads the key there and what it is worth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, row, write
from tests.gym_rows import response as made_response
from tests.questions.made_cases import called, said, words

from blade.questions import leaked_keys

PLACES = ("Oberried", "Hvalsund", "Tolmira", "Marchetto", "Zubrin", "Kuldre", "Ortenau", "Sabrosa")


def _question(task: int) -> str:
    return f"How long is the route of the {PLACES[task]} car ferry in kilometres?"


def _row(task: int, attempt: int, *parts: list[Json], passed: bool, key: str = "", asked: str = "") -> Json:
    made = row(task, attempt, reward=float(passed))
    made["responses_create_params"]["input"] = [{"role": "user", "content": asked or _question(task)}]
    items = [item for part in parts for item in part]
    made["response"] = made_response(*items)
    final = next(item for item in reversed(items) if item["type"] == "message")["content"][0]["text"]
    return made | {"expected_answer": key or f"{2000 + task} km", "extracted_answer": final.rpartition(" ")[2]}


def _copy(task: int) -> str:
    hit = f"q-{task} ;; {_question(task).upper()} ;; {2000 + task} km"
    return f'{{"hits": ["All about ferries.", "{hit}"]}}'


def _shown(task: int, attempt: int, *, uses: bool) -> Json:
    search = called("web_search", {"q": "car ferry"}, _copy(task))
    if uses:
        return _row(task, attempt, search, said(f"It is {2000 + task}"), passed=True)
    page = called("open_page", {"url": "a.example"}, "The ferry carries cars.")
    return _row(task, attempt, search, page, said("It is 1777"), passed=False)


def _plain(task: int, attempt: int, *, passed: bool) -> Json:
    page = called("open_page", {"url": "a.example"}, f"The route is {2000 + task} km long.")
    return _row(task, attempt, page, said(f"It is {2000 + task if passed else 1778}"), passed=passed)


def _asked(tmp_path: Path, rows: list[Json]) -> Any:
    return analysed(write(tmp_path / "first.jsonl", rows)).investigation.get("leaked_keys")


def test_who_is_shown_the_key_is_told_with_the_score_without_it(tmp_path: Path) -> None:
    rows = [_shown(task, attempt, uses=True) for task in range(3) for attempt in range(2)]
    rows += [_shown(0, 2, uses=False), _plain(1, 2, passed=False), _plain(2, 2, passed=False)]
    rows += [_plain(task, attempt, passed=task == 5) for task in range(4, 8) for attempt in range(3)]
    answer = _asked(tmp_path, rows)
    assert (answer["rollouts"], answer["passes"], answer["rest"], answer["at_once"]) == (7, 6, 2, 6)
    told = words(leaked_keys.tell(answer))
    assert told.startswith(
        "In 7 judged rollouts of 3 tasks (0, 1 and 2) an answer of web_search holds the task's own question with the "
        "expected answer beside it, as a copy of the question set does: 6 of them pass, against none of 2 other "
        "attempts at these tasks. 6 make no further call, and 6 of these pass; 1 goes on working, and none of "
        "these passes (p = "
    ), told
    assert "It is shown to first in 7 of 9 attempts at these tasks (6 of them pass)." in told
    assert "Passes with and without these tasks: first 42.9% → 25.0%." in told
    assert answer["quote"].endswith(";; 2000"), answer["quote"]
    (advice,) = leaked_keys.advise(answer)
    assert (advice.kind, advice.before_scores) == ("data", True)
    assert advice.change.endswith("and replace tasks 0, 1 and 2 or leave them out of the score")


def test_one_task_is_told_in_the_singular(tmp_path: Path) -> None:
    rows = [_shown(0, attempt, uses=True) for attempt in range(3)]
    told = words(leaked_keys.tell(_asked(tmp_path, [*rows, _plain(4, 0, passed=True)])))
    assert "In 3 judged rollouts of 1 task (0) an answer of web_search holds" in told
    assert "does: 3 of them pass. It is shown to first in 3 of 3 attempts at this task (3 of them pass)." in told, told


def test_a_query_that_comes_back_is_no_copy(tmp_path: Path) -> None:
    rows = []
    for task in range(4):
        answer = f"Results for: {_question(task)} The route is {2000 + task} km long."
        rows.append(_row(task, 0, called("web_search", {"q": _question(task)}, answer), said("It is 1"), passed=False))
    assert _asked(tmp_path, rows) is None


def test_a_key_far_from_the_question_is_no_copy(tmp_path: Path) -> None:
    rows = []
    for task in range(4):
        far = f"{_question(task)} {'Ferries are ships. ' * 30} {2000 + task} km"
        rows.append(_row(task, 0, called("web_search", {"q": "x"}, far), said("It is 2"), passed=False))
    assert _asked(tmp_path, rows) is None


def test_a_key_that_the_request_holds_is_no_copy(tmp_path: Path) -> None:
    rows = []
    for task in range(4):
        asked = f"{_question(task)} Is it {2000 + task} km or 900 km?"
        copy = called("web_search", {"q": "ferry"}, f"{asked} It is {2000 + task} km.")
        rows.append(_row(task, 0, copy, said("It is 900"), passed=False, asked=asked))
    assert _asked(tmp_path, rows) is None


def test_pages_that_answer_are_no_copies(tmp_path: Path) -> None:
    assert _asked(tmp_path, [_plain(task, 0, passed=True) for task in range(8)]) is None


def test_a_source_that_is_asked_about_is_no_copy_of_the_question(tmp_path: Path) -> None:
    """Its title and a phrase of the question stand beside the answer: that is where the answer is to be found."""
    asked = (
        "Document: Ferry Agreement between Oberried Lines and the Port of Tolmira (2019)\n\n"
        "Question: What is the notice period in the case of sailings chartered by the local fire brigade?"
    )
    passage = (
        "Ferry Agreement between Oberried Lines and the Port of Tolmira (2019)\n[P-9] In the case of sailings "
        "chartered by the local fire brigade the term in P-3 is replaced by 2031 days."
    )
    read = called("read_section", {"id": "P-9"}, passage)
    rows = [
        _row(task, attempt, read, said("It is 2031"), passed=True, key="2031", asked=asked)
        for task in range(3)
        for attempt in range(3)
    ]
    rows += [_plain(task, attempt, passed=task == 5) for task in range(4, 8) for attempt in range(3)]
    assert _asked(tmp_path, rows) is None
