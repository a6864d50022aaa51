"""The verifier never gets to judge: its log stops while it fetches or installs, or its time is used up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.attempt_scenes.stage_set import SceneAttempt, StageSet

from blade.simulate.rng import roll

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blade.simulate.simulated_row import Json

__all__ = ["EXPECTED", "play"]

EXPECTED = "void"
HANGS = 0.03


def play(stage: StageSet) -> Iterator[SceneAttempt]:
    """The log stops, the time heaps at a limit, or both; results are absent there, or no row names any.

    Beside them stand rows whose log begins in the same way and goes on, and rows that use up the verifier's time
    after the checks have begun: those are the model's.
    """
    rows = list(stage.blank())
    form = stage.rng.choice(("log", "limit", "both", "log_only"))
    limit = stage.rng.choice((90, 180, 240, 600))
    nothing: tuple[Json | None, ...] = (None, {})
    empty = stage.rng.choice(nothing)
    stage.logs_verifier, stage.names_checks = form != "limit", form != "log_only"
    planted = stage.chosen(rows)
    for number, attempt in enumerate(rows):
        stage.work(attempt)
        slow = form in ("limit", "both")
        if number in planted:
            attempt.planted, attempt.passed, attempt.results = True, False, empty
            _starve(stage, attempt)
        elif slow and form == "both" and not attempt.passed and roll(attempt.rng, HANGS):
            attempt.verifier_seconds = limit + round(attempt.rng.uniform(0.01, 0.4), 2)
        if attempt.planted and slow:
            attempt.verifier_seconds = limit + round(attempt.rng.uniform(0.01, 0.4), 2)
        yield attempt


def _starve(stage: StageSet, attempt: SceneAttempt) -> None:
    line_count = attempt.rng.randrange(1, len(stage.words.verifier_setup) + 1)
    attempt.verifier_log = "\n".join(stage.words.verifier_setup[:line_count])
