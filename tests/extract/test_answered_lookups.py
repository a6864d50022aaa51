"""Tools that told a rollout something, and those that only said that nothing is there."""

from __future__ import annotations

import pytest
from tests.questions.made_cases import called, said, task_row

from blade.extract.answered_lookups import answered_lookups
from blade.extract.attempt import Attempt


@pytest.mark.parametrize(
    ("answers", "nothing"),
    [
        (["No entry for 'reed'."], ["look_up"]),
        (["0 results"], ["look_up"]),
        (["Nothing found."], ["look_up"]),
        (["No entry for 'reed'.", "A reed is a tall grass."], []),
        (["No entry fee is charged on Mondays, and every pond may be seen then, even the last of the reeds."], []),
        (["A reed is a tall grass."], []),
    ],
)
def test_a_tool_whose_every_answer_denies_told_nothing(answers: list[str], nothing: list[str]) -> None:
    parts = [called("look_up", {"term": f"reed {place}"}, answer) for place, answer in enumerate(answers)]
    record = answered_lookups(Attempt(task_row(0, *parts, said("So it is."), passed=True)))
    assert (record["answered"], record.get("nothing", [])) == (["look_up"], nothing)
