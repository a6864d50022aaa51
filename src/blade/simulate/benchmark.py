"""What a benchmark is: a maker of tasks, a scripted agent, and a verifier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blade.frozen import frozen
from blade.simulate.rng import chance, roll

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    from blade.simulate.simulated_row import Behaviour, Json, SimulatedTask
    from blade.simulate.transcript_writer import TranscriptWriter

__all__ = ["SimulatedBenchmark", "pick_mistake"]


@frozen
class SimulatedBenchmark:
    """`verify` sees only the task and the output items, as a verifier does."""

    name: str
    agent: str
    task: Callable[[int, int], SimulatedTask]
    attempt: Callable[[SimulatedTask, Behaviour, random.Random, TranscriptWriter], None]
    verify: Callable[[SimulatedTask, Sequence[Json]], Json]
    pass_metrics: bool = False
    """Whether its aggregate holds the pass@k family."""
    answer_field: str | None = None
    """The row field that majority@k and no_answer read."""
    subset_field: str | None = None


def pick_mistake(task: SimulatedTask, behaviour: Behaviour, rng: random.Random) -> str:
    """The mistake of this attempt, or an empty string for a good one. Always throws the same number of dice."""
    fails = not roll(rng, chance(behaviour.skill, task.hardness, behaviour.temperature))
    choice = rng.choice(task.mistakes)
    return behaviour.mistake or (choice if fails else "")
