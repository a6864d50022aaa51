"""What a planted cause is, and the scene it works on."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from blade.simulate.prose import fresh_text
from blade.simulate.rng import chance, dice
from blade.simulate.transcript_writer import OutOfTokensError, Pen, tokens

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from blade.simulate.benchmark import Benchmark
    from blade.simulate.scenario import Behaviour, Json, Row, Scenario, Task, Transcript

__all__ = ["Cause", "Edit", "Scene", "Stage", "outlook", "play"]


class Stage(IntEnum):
    """Causes are planted in the order in which they happen in a real run, whatever order they were named in."""

    BEHAVIOUR = 1
    INFRASTRUCTURE = 2
    VERDICT = 3
    ROWS = 4


@dataclass(frozen=True, slots=True)
class Edit:
    """The rows after the cause, and what would localise it in a report: a window, a tool, a category."""

    rows: tuple[Row, ...]
    where: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scene:
    """The run as it stands when a cause is planted, with dice of the cause's own."""

    scenario: Scenario
    benchmark: Benchmark
    rows: tuple[Row, ...]
    rng: random.Random

    def replay(self, row: Row, behaviour: Behaviour) -> Row:
        """The same attempt with the same dice, behaving differently; its place in time stays."""
        transcript = play(self.scenario, self.benchmark, row.task, row.attempt, behaviour)
        verdict = self.benchmark.verify(row.task, transcript.items)
        ahead = outlook(row.task, behaviour, transcript)
        return replace(row, behaviour=behaviour, transcript=transcript, verdict=verdict, outlook=ahead)

    def moment(self, share: float) -> float:
        """The time at which this share of the run's duration has passed."""
        times = [row.finished for row in self.rows]
        return min(times) + share * (max(times) - min(times))

    def edit(self, chosen: Callable[[Row], bool], change: Callable[[Row], Row]) -> tuple[Row, ...]:
        """Every row in order, the chosen ones changed. `chosen` is asked once for every row."""
        return tuple(change(row) if chosen(row) else row for row in self.rows)


class Cause(Protocol):
    """One reason for a score to change: a frozen dataclass of its dose. `name` is the name of its file."""

    __dataclass_fields__: ClassVar[dict[str, Any]]
    name: ClassVar[str]
    stage: ClassVar[Stage]

    def plant(self, scene: Scene) -> Edit: ...


def play(scenario: Scenario, benchmark: Benchmark, task: Task, attempt: int, behaviour: Behaviour) -> Transcript:
    """Let the scripted agent work on the task once."""
    named = (scenario.benchmark, scenario.seed, scenario.dice, behaviour.model, task.number, attempt)
    asked = sum(tokens(message["content"]) for message in task.messages) + 60 * len(task.tools)
    pen = Pen(dice("ids", *named), asked, behaviour.token_cap)
    with suppress(OutOfTokensError):
        benchmark.attempt(task, behaviour, dice("attempt", *named), pen)
    transcript = pen.transcript()
    return _padded(transcript, dice("pad", *named), scenario.pad_chars) if scenario.pad_chars else transcript


def outlook(task: Task, behaviour: Behaviour, transcript: Transcript) -> float:
    """How likely an attempt like this one passes. A cut text or a lost format never does."""
    if behaviour.mistake or transcript.cut or not behaviour.keeps_format:
        return 0.0
    return chance(behaviour.skill, task.hardness, behaviour.temperature)


def _padded(transcript: Transcript, rng: random.Random, chars: int) -> Transcript:
    """The transcript with fresh thinking in front; the padding does not count against the cap."""
    text = fresh_text(rng, chars)
    body = {"summary": [{"text": text, "type": "summary_text"}], "type": "reasoning"}
    item = {"id": f"rs_{rng.getrandbits(64):016x}", **body, "encrypted_content": None, "content": None}
    more = tokens(text)
    return replace(
        transcript,
        items=(item, *transcript.items),
        output_tokens=transcript.output_tokens + more,
        reasoning_tokens=transcript.reasoning_tokens + more,
    )
