"""Changed behaviour in one slice counts if the whole score moved with it."""

from __future__ import annotations

from blade.change.compare import concentrated_p

TASKS = 60
METADATA = [{"kind": "abc"[task % 3]} for task in range(TASKS)]
HALF = (0.0, 0.0, 1.0, 1.0)


def scores(**passes: tuple[float, ...]) -> tuple[list[tuple[float, ...]], list[tuple[float, ...]]]:
    """Every task passes two in four in the base; in the candidate it depends on the kind, and a little on the task."""
    wobble = {0: (0.0, 0.0, 0.0, 1.0), 1: HALF, 2: HALF, 3: (0.0, 1.0, 1.0, 1.0)}
    after = [passes.get("abc"[task % 3], wobble[task // 3 % 4]) for task in range(TASKS)]
    return [HALF] * TASKS, after


def test_a_slice_that_fell_alone_is_beyond_doubt() -> None:
    p = concentrated_p(scores(a=(0.0, 0.0, 0.0, 0.0)), METADATA, seed=1)
    assert p is not None
    assert p < 0.01


def test_gains_and_losses_that_cancel_are_no_loss_of_behaviour() -> None:
    p = concentrated_p(scores(a=(0.0, 0.0, 0.0, 0.0), b=(1.0, 1.0, 1.0, 0.0)), METADATA, seed=1)
    assert p == 1.0


def test_noise_alone_has_no_slice() -> None:
    assert concentrated_p(scores(), METADATA, seed=1) == 1.0


def test_without_metadata_nothing_was_searched() -> None:
    assert concentrated_p(scores(), [{}] * TASKS, seed=1) is None
