"""A key that describes a record otherwise than the tools show it, with a value that nothing shows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, words

from blade.questions import contradicted_keys

RECORD = {"first": "Mona", "last": "Ibsen", "born": "1981-05-26", "card": "c-77"}


def _row(attempt: int, expected: Json, record: Json = RECORD, text: str = "Add Mona.", *, passed: bool = False) -> Json:
    key = {"expected_actions": [{"name": "add_readers", "arguments": {"readers": [expected]}}]}
    made = {"readers": [{name: record[name] for name in ("first", "last", "born")}]}
    calls = [called("show_reader", {"card": "c-77"}, json.dumps(record)), called("add_readers", made, '{"ok": true}')]
    row = task_row(1, *calls, said("Done."), passed=passed, verifier=key)
    row["responses_create_params"]["input"] = [{"role": "user", "content": text, "type": "message"}]
    return row | {"_ng_rollout_index": attempt}


def _asked(folder: Path, rows: list[Json]) -> Mapping[str, Any] | None:
    return analysed(write(folder / "one.jsonl", rows)).investigation.get("contradicted_keys")


WRONG = {"first": "Mona", "last": "Ibsen", "born": "1985-04-04"}


def test_a_value_that_contradicts_the_record_and_stands_nowhere_is_a_fault_of_the_key(tmp_path: Path) -> None:
    rows = [_row(attempt, WRONG) for attempt in range(3)]
    analysis = analysed(write(tmp_path / "one.jsonl", rows))
    text = words(contradicted_keys.tell(analysis.investigation["contradicted_keys"]))
    assert (
        "Task 1: the key expects readers.0.born “1985-04-04” of add_readers, but show_reader shows the same record "
        "with “1981-05-26” (in 3 of 3 judged rollouts, and none passes). No prompt, message or tool's answer holds the "
        "expected value there: the key is probably wrong." in text
    ), text
    assert any("contradicts the record" in str(item) for item in analysis.health)


def test_advice_counts_the_rollouts_that_nothing_else_fails(tmp_path: Path) -> None:
    rows = [_row(attempt, WRONG) for attempt in range(3)]
    for row in rows[1:]:
        row["response"]["output"][2:2] = called("remove_reader", {"card": "c-12"}, '{"ok": true}')
    answer = _asked(tmp_path, rows)
    assert answer is not None
    (step,) = contradicted_keys.advise(answer)
    assert step.rollouts == 1
    assert step.because.text == (
        "3 rollouts there fail against a value that the records contradict and nothing shows; 1 of them differs in "
        "nothing else, the rest would still fail."
    )
    (step,) = contradicted_keys.advise({"tasks": [answer["tasks"][0] | {"alone": 0}]})
    assert step.because.text.endswith("nothing shows; all of them differ from the key elsewhere, too.")


def test_a_key_is_not_told_by_an_id_that_belongs_to_another_task(tmp_path: Path) -> None:
    answer = _asked(tmp_path, [_row(attempt, WRONG) for attempt in range(3)])
    assert answer is not None
    doubted = {"tasks": [answer["tasks"][0] | {"doubted_id": True}]}
    (step,) = contradicted_keys.advise(doubted)
    key = "with readers.0.born “1985-04-04” of add_readers"
    assert step.change == f"Correct the key {key} by the environment's records"
    (head,) = contradicted_keys.brief(doubted)
    assert head.text == f"The key of 1 task contradicts the environment's own records: that {key}."
    assert words(contradicted_keys.tell(doubted)).startswith("The row that names task 1: the key expects")


def test_a_value_that_the_task_gives_may_be_the_change_that_is_asked_for(tmp_path: Path) -> None:
    rows = [_row(attempt, WRONG, text="Mona was born in April 1985.") for attempt in range(3)]
    assert _asked(tmp_path, rows) is None


def test_two_values_that_differ_are_another_person(tmp_path: Path) -> None:
    rows = [_row(attempt, {"first": "Nora", "last": "Ibsen", "born": "1985-04-04"}) for attempt in range(3)]
    assert _asked(tmp_path, rows) is None


def test_a_pass_shows_that_the_key_can_be_met(tmp_path: Path) -> None:
    rows = [_row(attempt, WRONG) for attempt in range(3)]
    rows.append(_row(3, WRONG, passed=True))
    assert _asked(tmp_path, rows) is None
