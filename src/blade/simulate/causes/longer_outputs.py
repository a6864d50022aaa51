"""The model thinks aloud at greater length, to the same end: a decoy, no reward changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit
from blade.simulate.prose import musing
from blade.simulate.rng import dice
from blade.simulate.transcript_writer import tokens

if TYPE_CHECKING:
    from blade.simulate.scenario import SimulatedRow

__all__ = ["CAUSE", "LongerOutputs"]


@dataclass(frozen=True, slots=True)
class LongerOutputs:
    """About `sentences` more in every row, as one more piece of thinking at the front."""

    sentences: int = 6
    name: ClassVar[str] = "longer_outputs"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, scene: CauseContext) -> Edit:
        def longer(row: SimulatedRow) -> SimulatedRow:
            rng = dice("longer", scene.scenario.seed, scene.scenario.dice, row.key)
            text = musing(rng, max(1, round(self.sentences * rng.uniform(0.6, 1.4))))
            body = {"summary": [{"text": text, "type": "summary_text"}], "type": "reasoning"}
            item = {"id": f"rs_{rng.getrandbits(64):016x}", **body, "encrypted_content": None, "content": None}
            was = row.transcript
            return replace(
                row,
                transcript=replace(
                    was,
                    items=(item, *was.items),
                    output_tokens=was.output_tokens + tokens(text),
                    reasoning_tokens=was.reasoning_tokens + tokens(text),
                ),
            )

        return Edit(scene.edit(lambda row: not row.transcript.cut, longer))


CAUSE = LongerOutputs
