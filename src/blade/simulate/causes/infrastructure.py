"""Causes in the infrastructure: what dies or breaks off while the model works."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from blade.frozen import frozen
from blade.simulate.cause_context import CauseContext, CauseStage, Edit
from blade.simulate.error_texts import filled
from blade.simulate.rng import dice, roll

if TYPE_CHECKING:
    from blade.simulate.simulated_row import Json, SimulatedRow, SimulatedTranscript

KIND = "sandbox_unreachable"
MESSAGE = "503 Service Unavailable: the sandbox gateway closed the connection before an answer arrived"


@frozen
class Outage:
    """The sandbox or the provider dies for a while: whatever finishes in that window is lost.

    `start` and `length` are shares of the run's duration; `share` is how many rows in the window it hits.

    `shape` says what is left of a row: a zero with error fields (`in_rows`), a line in the failures file
    (`failures`), or nothing (`absent`).
    """

    start: float = 0.4
    length: float = 0.1
    share: float = 1.0
    shape: Literal["in_rows", "failures", "absent"] = "in_rows"
    failure_class: str = "transient"
    kind: str = KIND
    message: str = MESSAGE
    """What the rows say; `{id}`, `{host}` and `{ms}` in it are filled in for each row."""
    name: ClassVar[str] = "outage"
    stage: ClassVar[CauseStage] = CauseStage.INFRASTRUCTURE

    def plant(self, context: CauseContext) -> Edit:
        first, last = context.moment(self.start), context.moment(self.start + self.length)

        def hit(row: SimulatedRow) -> bool:
            return roll(context.rng, self.share) and first <= row.finished <= last

        rows = context.edit(hit, lambda row: self._lost(context, row))
        return Edit(rows, {"window": [first, last], "shape": self.shape, "message": self.message})

    def _lost(self, context: CauseContext, row: SimulatedRow) -> SimulatedRow:
        if self.shape == "absent":
            return replace(row, place="nowhere")
        error_text = filled(self.message, dice("error text", context.scenario.seed, row.key))
        transcript = _broken_off(row.transcript, error_text)
        verdict = {**context.benchmark.verify(row.task, transcript.items), "reward": 0.0}
        stamps = {**row.stamps, "error_kind": self.kind, "error_message": error_text}
        if self.shape == "in_rows":
            return replace(row, transcript=transcript, verdict=verdict, stamps=stamps, outlook=0.0)
        stamps |= {"_ng_failure_class": self.failure_class, "error_class": "ServiceUnavailable"}
        return replace(row, transcript=transcript, verdict=verdict, stamps=stamps, place="failures")


def _broken_off(transcript: SimulatedTranscript, message: str) -> SimulatedTranscript:
    """The first half, up to the last complete tool answer; a single reply is lost whole."""
    items = list(transcript.items[: len(transcript.items) // 2])
    while items and items[-1]["type"] != "function_call_output":
        items.pop()
    share = len(items) / max(1, len(transcript.items))
    return replace(
        transcript,
        items=tuple(items),
        input_tokens=int(transcript.input_tokens * share),
        output_tokens=int(transcript.output_tokens * share),
        reasoning_tokens=int(transcript.reasoning_tokens * share),
        cut=False,
        error={"code": "server_error", "message": message},
    )


@frozen
class RelabelledFailures:
    """Attempts that fail anyway now fail by running out of tokens: a decoy, no reward changes.

    `share` of the failing rows lose the end of their last message and say that the cap was reached.
    """

    share: float = 0.3
    name: ClassVar[str] = "relabelled_failures"
    stage: ClassVar[CauseStage] = CauseStage.INFRASTRUCTURE

    def plant(self, context: CauseContext) -> Edit:
        def hit(row: SimulatedRow) -> bool:
            messages = [item for item in row.transcript.items if item["type"] == "message"]
            return roll(context.rng, self.share) and row.reward == 0 and bool(messages) and row.place == "main"

        def relabelled(row: SimulatedRow) -> SimulatedRow:
            items = (*row.transcript.items[:-1], _half(row.transcript.items[-1]))
            transcript = replace(row.transcript, items=items, cut=True)
            verdict = {**context.benchmark.verify(row.task, items), "reward": 0.0}
            return replace(row, transcript=transcript, verdict=verdict)

        return Edit(context.edit(hit, relabelled))


def _half(item: Json) -> Json:
    """A message without its second half; other items stay."""
    if item["type"] != "message":
        return item
    part = item["content"][0]
    text = part["text"]
    return {**item, "status": "incomplete", "content": [{**part, "text": text[: len(text) // 2]}]}


CAUSES = (
    Outage,
    RelabelledFailures,
)
