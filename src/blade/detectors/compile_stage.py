"""The submitted work does not compile or parse.

Read from the verifier's and the compiler's logs in the row, by error classes that languages share; of the three stages
(compile, run, assertion) the first one that a log tells of counts.

Where the build was given the words around the program, the program was never compiled (`message_compiled`).

False alarms: warnings that are worded as errors, and logs of a build that is not the submission's; a log in
which tests passed is not read as a failure to compile.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.compiled_message import compiled_line
from blade.extract.logs import Stage
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "P11"
FAMILY = "pipeline"
TITLE = "compile error"
KIND = "knowledge"
EXPLAINS = 15
NAMES = "error"
SUPPORTS: dict[str, float] = {}
RELIABILITY = 0.8
READS = ("model", "verifier")
NEEDS = "stage"


def detect(attempt: Attempt) -> Sighting:
    stage = attempt.stage
    if stage is False:
        return NOT_APPLICABLE
    if not isinstance(stage, Stage) or stage.kind != "compile" or attempt.once(compiled_line) is not None:
        return CLEAN
    cite = attempt.cite_field(stage.field, None, stage.start, stage.end)
    return fired(cite, detail=f"the work does not compile or parse ({stage.error} in {stage.field})", value=stage.error)
