"""What was observed in a rollout is parsed once, for as many rollouts as memory allows; it says the same either way."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import gym_rows as gym
from tests.diagnosis.made_cases import case, run_of

from blade import api
from blade.diagnosis import cases as diagnosis_cases
from blade.diagnosis.cases import all_cases


@pytest.mark.parametrize(("most", "kept"), [(8_192, [True] * 3), (2, [True, True, False]), (0, [False] * 3)])
def test_only_so_many_records_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, kept: list[bool]
) -> None:
    rows = [gym.row(task, 0, float(task % 2)) for task in range(3)]
    runs = api.read(gym.write(tmp_path / "rollouts.jsonl", rows))
    monkeypatch.setattr(diagnosis_cases, "MOST_RECORDS", most)
    ((run),) = all_cases(runs, [])
    assert [case.observed is case.observed for case in run.cases] == kept
    assert [case.observed["answer"]["text"] for case in run.cases] == ["17", "2", "17"]
    assert (run.fields() is run.fields()) == all(kept)
    assert [fields["reward"] for fields in run.fields()] == [0.0, 1.0, 0.0]
    assert run.observing("answer") == list(run.judged())
    assert run.observing("user_ends") == ()
    assert "reward" in run.field_names()
    assert len(run.field_names()) == len({name for fields in run.fields() for name in fields})


def test_only_judged_rollouts_are_told_by_what_was_observed_of_them() -> None:
    wanted = case("a", 0, 1.0, observed_json='{"values": ["17.25"]}')
    broken = case("a", 1, 0.0, observed_json='{"values": ["9.5"]}', stage_lost="not_started")
    other = case("b", 0, 0.0, observed_json='{"calls": [5, 1]}')
    run = run_of(wanted, broken, other)
    assert (run.observing("values"), run.observing("calls")) == ([wanted], [other])
