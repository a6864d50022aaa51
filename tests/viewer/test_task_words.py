"""The page of a task says once what several runs share."""

from __future__ import annotations

from blade.viewer.task_words import changes_of_task, labels_of_task, slices_of_task


def change(candidate: str, passes: int, *, beyond_noise: bool, lfdr: float | None = 0.01) -> dict[str, object]:
    flip = {"task": "t", "base": (4, 4), "candidate": (passes, 4), "beyond_noise": beyond_noise, "lfdr": lfdr}
    return {"base": "first", "candidate": candidate, "flips": [flip, {**flip, "task": "other"}]}


def test_runs_compared_with_one_baseline_share_a_sentence() -> None:
    changes = [
        change("b", 0, beyond_noise=True),
        change("c", 1, beyond_noise=True),
        change("d", 3, beyond_noise=False),
        change("e", 2, beyond_noise=False, lfdr=None),
    ]
    assert changes_of_task(changes, "t") == [
        (
            "first passes 4 of 4; beyond chance: b 0 of 4 and c 1 of 4; within chance: d 3 of 4; "
            "not tested by itself: e 2 of 4."
        )
    ]
    assert changes_of_task(changes, "unknown") == []


def test_runs_with_the_same_reason_share_a_card() -> None:
    label = {"run": "a", "labels": ["TI"], "why": "the key is wrong", "missing": ""}
    merged = labels_of_task([label, {**label, "run": "b"}, {**label, "run": "c", "why": "it stops early"}])
    assert [(one["runs"], one["why"]) for one in merged] == [
        (["a", "b"], "the key is wrong"),
        (["c"], "it stops early"),
    ]


def test_what_a_task_is_stands_before_what_it_is_not() -> None:
    assert slices_of_task(["tags includes x: no", "service: git", "tags includes y: yes"]) == (
        ["service: git", "tags includes y: yes"],
        ["tags includes x: no"],
    )
