"""An error ends the tests of the submitted work: an exception, a crash, a time limit of the task.

Read from the verifier's and the compiler's logs in the row, by error classes that languages share; of the three stages
(compile, run, assertion) the first one that a log tells of counts. Whose code broke, the work's or the test's own, is
not known from the log alone. An error that names the agent or the harness ended their work, and no test.

False alarms: exceptions of the harness itself, and exceptions that a test provokes on purpose and prints.
"""

from __future__ import annotations

import re

from blade.extract.attempt import Attempt
from blade.extract.logs import Stage
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex

ID = "P12"
FAMILY = "pipeline"
TITLE = "tests ended by an error or a time limit"
KIND = "knowledge"
EXPLAINS = 15
NAMES = "error"
SUPPORTS: dict[str, float] = {}
RELIABILITY = 0.8
READS = ("model", "verifier")
NEEDS = "stage"
_TIME = late_regex(r"time ?(?:d ?)?out|time limit", re.IGNORECASE)


def detect(attempt: Attempt) -> Sighting:
    stage = attempt.stage
    if stage is False:
        return NOT_APPLICABLE
    if not isinstance(stage, Stage) or stage.kind != "runtime":
        return CLEAN
    cite = attempt.cite_field(stage.field, None, stage.start, stage.end)
    ending = "a time limit" if _TIME.search(stage.error) else "an error"
    tests = "a test" if any(checks.checks for checks in attempt.checks) else "the tests"
    return fired(cite, detail=f"{ending} ends {tests} ({stage.error} in {stage.field})", value=stage.error)
