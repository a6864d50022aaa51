"""The tests find nothing to look at: every error that they raise says that a file is not there.

Read from the verifier's logs in the row. Such work did not fail the tests; there is none, or it lies elsewhere.

False alarms: tests that look for a file which their own environment was to bring; files of the tests themselves are
left alone.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.logs import Stage
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "P15"
FAMILY = "pipeline"
TITLE = "no output where the tests look"
KIND = "knowledge"
EXPLAINS = 14
SUPPORTS: dict[str, float] = {}
RELIABILITY = 0.8
READS = ("model", "verifier")
NEEDS = "stage"


def detect(attempt: Attempt) -> Sighting:
    stage = attempt.stage
    if stage is False:
        return NOT_APPLICABLE
    if not isinstance(stage, Stage) or stage.kind != "absent":
        return CLEAN
    cite = attempt.cite_field(stage.field, None, stage.start, stage.end)
    return fired(cite, detail=f"the tests find nothing to look at ({stage.error} in {stage.field})", value=stage.error)
