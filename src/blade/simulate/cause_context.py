"""A run to be made up with the causes planted in it, what such a cause is, and the context it works on."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import field, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from blade.frozen import frozen
from blade.simulate.prose import fresh_text
from blade.simulate.rng import chance, dice
from blade.simulate.transcript_writer import OutOfTokensError, TranscriptWriter, tokens

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from blade.simulate.benchmark import SimulatedBenchmark
    from blade.simulate.simulated_row import Behaviour, Json, SimulatedRow, SimulatedTask, SimulatedTranscript

__all__ = ["CauseContext", "CauseStage", "Edit", "PlantedCause", "Scenario", "outlook", "play"]


class CauseStage(IntEnum):
    """Causes are planted in the order in which they happen in a real run, whatever order they were named in."""

    BEHAVIOUR = 1
    INFRASTRUCTURE = 2
    VERDICT = 3
    ROWS = 4


@frozen
class Scenario:
    """One run to be made up. The same scenario always gives the same bytes."""

    benchmark: str = "front_desk"
    seed: int = 0
    """Decides the tasks: two scenarios with one seed share their tasks, whatever the model."""
    tasks: int = 40
    repeats: int = 4
    model: str = "sim-medium"
    skill: float = 0.6
    """0 to 1; a task's pass probability follows from the distance between skill and the task's hardness."""
    dice: int = 0
    """Another number gives other attempts of the same model at the same tasks: a true null."""
    temperature: float = 0.7
    max_output_tokens: int = 2048
    agent: str = ""
    """Empty: the benchmark's own agent."""
    first_task: int = 0
    """Where in the endless list of the seed's tasks this run begins."""
    pad_chars: int = 0
    """Fresh text added to every row: makes large files quickly."""
    causes: tuple[PlantedCause, ...] = ()


@frozen
class Edit:
    """The rows after the cause, and what would localise it in a report: a window, a tool, a category."""

    rows: tuple[SimulatedRow, ...]
    where: Json = field(default_factory=dict)


@frozen
class CauseContext:
    """The run as it stands when a cause is planted, with dice of the cause's own."""

    scenario: Scenario
    benchmark: SimulatedBenchmark
    rows: tuple[SimulatedRow, ...]
    rng: random.Random

    def replay(self, row: SimulatedRow, behaviour: Behaviour) -> SimulatedRow:
        """The same attempt with the same dice, behaving differently; its place in time stays."""
        transcript = play(self.scenario, self.benchmark, row.task, row.attempt, behaviour)
        verdict = self.benchmark.verify(row.task, transcript.items)
        ahead = outlook(row.task, behaviour, transcript)
        return replace(row, behaviour=behaviour, transcript=transcript, verdict=verdict, outlook=ahead)

    def moment(self, share: float) -> float:
        """The time at which this share of the run's duration has passed."""
        times = [row.finished for row in self.rows]
        return min(times) + share * (max(times) - min(times))

    def edit(
        self, is_chosen: Callable[[SimulatedRow], bool], change: Callable[[SimulatedRow], SimulatedRow]
    ) -> tuple[SimulatedRow, ...]:
        """Every row in order, the chosen ones changed. `is_chosen` is asked once for every row."""
        return tuple(change(row) if is_chosen(row) else row for row in self.rows)


class PlantedCause(Protocol):
    """One reason for a score to change: a frozen dataclass of its dose."""

    __dataclass_fields__: ClassVar[dict[str, Any]]
    name: ClassVar[str]
    stage: ClassVar[CauseStage]

    def plant(self, context: CauseContext) -> Edit: ...


def play(
    scenario: Scenario, benchmark: SimulatedBenchmark, task: SimulatedTask, attempt: int, behaviour: Behaviour
) -> SimulatedTranscript:
    """Let the scripted agent work on the task once."""
    seed_parts = (scenario.benchmark, scenario.seed, scenario.dice, behaviour.model, task.number, attempt)
    input_tokens = sum(tokens(message["content"]) for message in task.messages) + 60 * len(task.tools)
    writer = TranscriptWriter(dice("ids", *seed_parts), input_tokens, behaviour.token_cap)
    with suppress(OutOfTokensError):
        benchmark.attempt(task, behaviour, dice("attempt", *seed_parts), writer)
    transcript = writer.transcript()
    return _padded(transcript, dice("pad", *seed_parts), scenario.pad_chars) if scenario.pad_chars else transcript


def outlook(task: SimulatedTask, behaviour: Behaviour, transcript: SimulatedTranscript) -> float:
    """How likely an attempt like this one passes. A cut text or a lost format never does."""
    if behaviour.mistake or transcript.cut or not behaviour.keeps_format:
        return 0.0
    return chance(behaviour.skill, task.hardness, behaviour.temperature)


def _padded(transcript: SimulatedTranscript, rng: random.Random, chars: int) -> SimulatedTranscript:
    """The transcript with fresh thinking in front; the padding does not count against the cap."""
    text = fresh_text(rng, chars)
    body = {"summary": [{"text": text, "type": "summary_text"}], "type": "reasoning"}
    item = {"id": f"rs_{rng.getrandbits(64):016x}", **body, "encrypted_content": None, "content": None}
    extra_tokens = tokens(text)
    return replace(
        transcript,
        items=(item, *transcript.items),
        output_tokens=transcript.output_tokens + extra_tokens,
        reasoning_tokens=transcript.reasoning_tokens + extra_tokens,
    )
