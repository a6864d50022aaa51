"""Faults of keys and of simulated users stand in the health of the benchmark, each under its own name."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, user, words

from blade.sections import benchmark_health

END = "Fine, bye. ###END###"


def _run(folder: Path, name: str) -> Path:
    def keyed(number: str) -> Json:
        return {"verifier": {"expected_actions": [{"name": "cancel_order", "arguments": {"order_id": number}}]}}

    def cancel(number: str, answer: str = "ok") -> list[Json]:
        return called("cancel_order", {"order_id": number}, answer)

    led = (said("Which order?"), user("Cancel N9001."), cancel("N9001"), said("Done."), user(END))
    refused = (cancel("N1000", "Error: paid already"), said("It cannot be done."), user(END))
    rows = [task_row(0, *led, passed=False, **keyed("N9000")), task_row(1, *refused, passed=True, **keyed("N1000"))]
    return write(folder / f"{name}.jsonl", rows)


def test_keys_and_users_at_fault_are_found_and_not_called_unchecked(tmp_path: Path) -> None:
    found = analysed(*(_run(tmp_path, name) for name in "abc"))
    told = {(item["check"], tuple(item["tasks"])) for item in found.health}
    assert ("misleading_users", ("0",)) in told
    assert ("suspect_gold", ("1",)) in told
    states = {check["check"]: check["state"] for check in found.health_checks}
    assert (states["misleading_users"], states["suspect_gold"]) == ("found", "found")
    text = words(benchmark_health.build(found))
    assert "Task 0: 3 of 3 runs make the same change that the key does not contain" in text
    assert "; the simulated user names it first in 3 of the 3 rollouts that make it." in text
    assert "Task 1: the key contains a change that the environment refuses (cancel_order)." in text
    assert "suspect gold (no row" not in text
