"""Tools are offered and none is called.

The rule does not apply where the answer writes a call out (some harnesses take calls as text), nor where the prompt is
a conversation already under way.

False alarms: many tasks can be solved without the tools, so this says little by itself and stands far down among the
explanations; it fires on passes wherever the tools are optional.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.model import StepKind

ID = "P09"
FAMILY = "pipeline"
TITLE = "no call of any tool offered"
KIND = "behaviour"
EXPLAINS = 12
SUPPORTS = {"BI": 0.8}
RELIABILITY = 1.0
READS = ("model",)
NEEDS = "tools"
READ = 4000


def detect(attempt: Attempt) -> Sighting:
    tools = attempt.tools
    if not tools or attempt.final is None:
        return NOT_APPLICABLE
    if attempt.calls:
        return CLEAN
    if any(step.kind is not StepKind.PROMPT or step.role == "assistant" for step in attempt.prompt):
        return NOT_APPLICABLE
    text = attempt.final_text[:READ]
    if any(f"{name}(" in text or f'"{name}"' in text or f"={name}" in text for name in tools):
        return NOT_APPLICABLE
    offered = ", ".join(list(tools)[:3]) + (", …" if len(tools) > 3 else "")
    return fired(
        attempt.cite(attempt.final, 0, 120), detail=f"answers without calling any of {len(tools)} tools ({offered})"
    )
