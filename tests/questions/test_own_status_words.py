"""Words for an end that one run alone has: where they lie, what these rollouts lack, and which limit is smaller."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, message, request, response, row, write
from tests.questions.made_cases import called, words

from blade.questions import more_room, status_words


def rollout(task: int, attempt: int, calls: int, most: int, end: str, *, passed: bool) -> Json:
    parts = [item for at in range(calls) for item in called("look", {"at": f"{task} {attempt} {at}"}, f"room {at}")]
    parts += [] if end == "ceiling" else [message(f"It is {task}, said {attempt}.")]
    return row(
        task,
        attempt,
        float(passed),
        responses_create_params=request(f"What is {task}?", max_tool_calls=most),
        response=response(*parts),
        expected_answer=None,
        extracted_answer=None,
        run={"ended": end},
        part={"kind": "long" if task < 8 else "short"},
    )


def rows_of(most: int, *, long: int = 6) -> list[Json]:
    """Long tasks need six calls; a run that may make four is stopped there."""
    made = []
    for task in range(30):
        for attempt in range(2):
            calls = long if task < 8 else 1 + (task + attempt) % 3
            cut = calls > most
            end = "ceiling" if cut else "blank" if task == 29 and attempt else "answer"
            passed = not cut and (task + attempt) % 3 > 0
            made.append(rollout(task, attempt, min(calls, most), most, end, passed=passed))
    return made


def found(tmp_path: Path, few: int, many: int, **changes: Any) -> Mapping[str, Any]:
    one = write(tmp_path / "tight.jsonl", rows_of(few, **changes))
    return analysed(one, write(tmp_path / "wide.jsonl", rows_of(many, **changes))).investigation


def test_a_word_of_one_run_beside_the_limit_that_is_smaller_there(tmp_path: Path) -> None:
    answers = found(tmp_path, 4, 16)
    answer = answers["status_words"]
    (entry,) = answer["fields"][0]["own"]
    assert (entry["rollouts"], entry["passes"], entry["silent"], entry["part"]["level"]) == (16, 0, 16, "long")
    sentence = (
        "“ceiling” ends 16 rollouts of tight, none of which passes (of its others 29 of 44), all of them where "
        "part.kind is long. All of them end without a last message of the model. max_tool_calls is 4 there and 16 in "
        "wide."
    )
    assert sentence in words(status_words.tell(answer))
    assert [brief.text for brief in status_words.brief(answer)] == [sentence]
    (advice,) = status_words.advise(answer)
    assert advice.change == (
        "Give tight the max_tool_calls of the other runs, or compare the runs without the tasks that reach it"
    )
    assert advice.because.text == "“ceiling” ends 16 failures of tight, and max_tool_calls is 4 there and 16 in wide."
    (limited,) = [run for run in answers["more_room"]["runs"] if run["limit"]]
    assert (limited["run"], limited["measure"]) == ("tight", "calls")
    assert (limited["limit"]["value"], limited["limit"]["cut"], limited["limit"]["cut_passes"]) == (4, 16, 0)
    assert "A limit cut 16 rollouts at 4 calls, and none of these passes." in words(
        more_room.tell(answers["more_room"])
    )


def test_a_word_of_one_run_without_a_limit_is_told_where_chance_does_not_explain_it(tmp_path: Path) -> None:
    """The same words, and both runs state the same limit: the exact test of the run against the other decides."""
    tight, wide = rows_of(4), rows_of(16)
    for made in tight:
        made["responses_create_params"]["max_tool_calls"] = 16
    paths = write(tmp_path / "tight.jsonl", tight), write(tmp_path / "wide.jsonl", wide)
    answer = analysed(*paths).investigation["status_words"]
    (entry,) = answer["fields"][0]["own"]
    assert entry["limits"] == []
    assert not list(status_words.brief(answer))


def test_a_word_that_both_runs_have_is_no_run_of_its_own(tmp_path: Path) -> None:
    assert all(not field["own"] for field in found(tmp_path, 4, 5)["status_words"]["fields"])


def test_a_word_that_is_the_verdict_is_none_for_an_end(tmp_path: Path) -> None:
    tight, wide = rows_of(4), rows_of(16)
    for made in (*tight, *wide):
        end = made["run"]["ended"]
        made["run"]["ended"] = "passed" if made["reward"] else end if end == "ceiling" else "failed"
    paths = write(tmp_path / "tight.jsonl", tight), write(tmp_path / "wide.jsonl", wide)
    assert all(not field["own"] for field in analysed(*paths).investigation["status_words"]["fields"])
