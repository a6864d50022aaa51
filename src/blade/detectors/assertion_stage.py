"""The submitted work runs, and the tests find another result than the expected one.

Read from the verifier's and the compiler's logs in the row, by error classes that languages share; of the three stages
(compile, run, assertion) the first one that a log tells of counts.

False alarms: logs that print an assertion of a test that is expected to fail.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.logs import Stage
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "P13"
FAMILY = "pipeline"
TITLE = "work that runs and fails the tests"
KIND = "knowledge"
EXPLAINS = 12
SUPPORTS: dict[str, float] = {}
RELIABILITY = 0.8
READS = ("model", "verifier")
NEEDS = "stage"


def detect(attempt: Attempt) -> Sighting:
    stage = attempt.stage
    if stage is False:
        return NOT_APPLICABLE
    if not isinstance(stage, Stage) or stage.kind != "assertion":
        return CLEAN
    cite = attempt.cite_field(stage.field, None, stage.start, stage.end)
    return fired(cite, detail=f"the work runs and fails a check ({stage.error} in {stage.field})", value=stage.error)
