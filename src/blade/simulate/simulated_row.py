"""What a simulated run is made from: a task, how the model behaves, and one finished row."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from blade.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Behaviour", "Json", "Place", "SimulatedRow", "SimulatedTask", "SimulatedTranscript"]

Json = dict[str, Any]
Place = Literal["main", "failures", "nowhere"]


@frozen
class SimulatedTask:
    """One task of a benchmark. `detail` is the benchmark's own; `mistakes` are the ways to fail it."""

    number: int
    task_id: str
    category: str
    difficulty: str | int
    hardness: float
    messages: tuple[Mapping[str, str], ...]
    given: Mapping[str, Any]
    """Fields of the dataset row beside the request: gold answers and slices."""
    mistakes: tuple[str, ...]
    tools: tuple[Mapping[str, Any], ...] = ()
    detail: Any = None


@frozen
class Behaviour:
    """How the model and its tools act in one attempt. Causes change this and play the attempt again."""

    model: str
    skill: float
    temperature: float
    token_cap: int
    mistake: str = ""
    """A mistake the model is made to make; empty leaves it to the dice."""
    wording: int = 0
    """Which of the words and manners that a benchmark knows for a mistake; they go round."""
    keeps_format: bool = True
    broken_tool: str = ""
    tool_error: str = ""
    shown_model: str = ""
    """The model name the response carries, where it is not the true one."""
    id_form: str = "resp_"
    """How the ids of its responses begin: another serving stack writes them another way."""


@frozen
class SimulatedTranscript:
    """What one attempt wrote, and what it used."""

    items: tuple[Json, ...]
    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    seconds: float = 0.0
    cut: bool = False
    """The token cap ended it."""
    error: Mapping[str, str] | None = None


@frozen
class SimulatedRow:
    """One finished attempt with its verdict, and in which file it ended up."""

    index: int
    """The task's number within this run."""
    attempt: int
    task: SimulatedTask
    behaviour: Behaviour
    transcript: SimulatedTranscript
    verdict: Mapping[str, Any]
    finished: float
    place: Place = "main"
    stamps: Mapping[str, Any] = field(default_factory=dict)
    outlook: float = 0.0
    """The reward to be expected of this row before its dice are thrown: what many reruns would give on average."""

    @property
    def key(self) -> str:
        return f"{self.index}:{self.attempt}"

    @property
    def reward(self) -> float:
        return float(self.verdict["reward"])
