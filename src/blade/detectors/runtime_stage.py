"""The submitted work breaks while it runs: an exception, a crash, a time limit of the task.

Read from the verifier's and the compiler's logs in the row, by error classes that languages share; of the three stages
(compile, run, assertion) the first one that a log tells of counts.

False alarms: exceptions of the harness itself, and exceptions that a test provokes on purpose and prints.
"""

from __future__ import annotations

import re

from blade.extract.attempt import Attempt
from blade.extract.logs import Stage
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "P12"
FAMILY = "pipeline"
TITLE = "its code breaks or runs out of time in the tests"
KIND = "knowledge"
EXPLAINS = 15
SUPPORTS: dict[str, float] = {}
RELIABILITY = 0.8
READS = ("model", "verifier")
NEEDS = "stage"
_TIME = re.compile(r"time ?(?:d ?)?out|time limit", re.IGNORECASE)


def detect(attempt: Attempt) -> Sighting:
    stage = attempt.stage
    if stage is False:
        return NOT_APPLICABLE
    if not isinstance(stage, Stage) or stage.kind != "runtime":
        return CLEAN
    cite = attempt.cite_field(stage.field, None, stage.start, stage.end)
    does = "runs longer than the tests allow" if _TIME.search(stage.error) else "breaks while it runs"
    return fired(cite, detail=f"the work {does} ({stage.error} in {stage.field})", value=stage.error)
