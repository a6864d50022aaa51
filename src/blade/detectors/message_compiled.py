"""The verifier compiled the message and not the program in its fence: its log shows the fence, or words around it.

False alarms: prompts that ask for a program without any fence or word around it; then the model broke the form.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.compiled_message import compiled_line
from blade.extract.logs import Stage
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "V17"
FAMILY = "verifier"
TITLE = "program not taken out of its fence by the verifier"
KIND = "verifier"
EXPLAINS = 62
SUPPORTS = {"TI": 1.4}
RELIABILITY = 0.9
READS = ("model", "verifier")
NEEDS = "stage"


def detect(attempt: Attempt) -> Sighting:
    stage = attempt.stage
    if not isinstance(stage, Stage) or not attempt.final_text:
        return NOT_APPLICABLE
    line = attempt.once(compiled_line)
    if line is None:
        return CLEAN
    return fired(
        attempt.cite_final(line.start, line.start + len(line.text)),
        attempt.cite_field(stage.field, None, stage.start, stage.end),
        detail=f"the build took “{line.text[:60]}”, which stands outside the program, for code",
        value=line.tag[:40] or "no tag",
    )
