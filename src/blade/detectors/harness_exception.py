"""An exception of the verifier itself: a traceback without a frame of the submission, or a reference that fails.

False alarms: verifiers that run the submission in their own process under their own file names. Assertions and missing
names or modules are left out: a test that fails, or does not find what was to be written, raises those by design.
"""

from __future__ import annotations

import re

from blade.extract.attempt import Attempt
from blade.extract.names import words
from blade.extract.prefilter import holds_any
from blade.extract.row_texts import RowText
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex

ID = "V08"
FAMILY = "verifier"
TITLE = "exception in the verifier itself"
KIND = "verifier"
EXPLAINS = 75
SUPPORTS = {"TI": 2.5}
RELIABILITY = 0.8
READS = ("verifier",)

TRACEBACK = "Traceback (most recent call last)"
_MARKS = (TRACEBACK, "INTERNALERROR>", "fixture '")
_FRAME = late_regex(r"File \"([^\"\n]{1,300})\", line \d+")
_OURS = late_regex(
    r"(?:^|[/\\_.-])(?:verif(?:y|ier|iers|ication)|grad(?:e|er|ers|ing)|judges?|evaluat(?:e|or|ors|ion)|eval|"
    r"scor(?:e|er|ers|ing)|harness|resources_servers|checkers?|conftest|run_tests?|test_runner)(?:$|[/\\_.-])",
    re.IGNORECASE,
)
_LIBRARY = late_regex(r"site-packages|dist-packages|/lib/python\d|<frozen|importlib|asyncio")
_RAISED = late_regex(r"^(?:\w+\.)*(\w*(?:Error|Exception|Exit|Interrupt|Expired))\b.{0,200}", re.MULTILINE)
_BY_DESIGN = frozenset("AssertionError NameError ImportError ModuleNotFoundError AttributeError SystemExit".split())
_INTERNAL = late_regex(r"^INTERNALERROR> .{0,200}|^E\s+fixture '\w+' not found", re.MULTILINE)
_REFERENCES = frozenset("reference gold golden oracle canonical".split())
_PASSES = frozenset("passed pass passes success succeeded ok valid resolved".split())


def detect(attempt: Attempt) -> Sighting:
    for row_text in attempt.texts() if holds_any(attempt.all_texts, _MARKS) else ():
        if holds_any(row_text.text, _MARKS):
            sighting = _in_text(attempt, row_text)
            if sighting is not None:
                return sighting
    for name, value in attempt.fields.items():
        if value is False and name.count(".") <= 2:
            parts = words(name)
            if len(parts) > 1 and parts[0] in _REFERENCES and parts[-1] in _PASSES:
                detail = f"the reference solution fails its own check: {name} is false"
                return fired(attempt.cite_field(name), detail=detail, value="reference fails")
    return CLEAN if attempt.texts() else NOT_APPLICABLE


def _in_text(attempt: Attempt, row_text: RowText) -> Sighting | None:
    name, text, shift = row_text
    internal = _INTERNAL.search(text)
    if internal:
        detail = f"the test harness failed in {name}: {internal.group(0)[:100].strip()}"
        cite = attempt.cite_field(name, start=shift + internal.start(), end=shift + internal.end())
        return fired(cite, detail=detail.rstrip("."), value="test harness")
    start = text.rfind(TRACEBACK)
    if start < 0:
        return None
    frames = list(_FRAME.finditer(text, start))
    own_frames = [frame for frame in frames if not _LIBRARY.search(frame.group(1))]
    raised = _RAISED.search(text, frames[-1].end()) if frames else None
    if not own_frames or raised is None or raised.group(1) in _BY_DESIGN:
        return None
    if not all(_OURS.search(frame.group(1)) for frame in own_frames):
        return None
    return fired(
        attempt.cite_field(name, start=shift + own_frames[-1].start(), end=shift + own_frames[-1].end()),
        attempt.cite_field(name, start=shift + raised.start(), end=shift + raised.end()),
        detail=f"{raised.group(1)} in the verifier's own code, with no frame of the submission",
        value=raised.group(1),
    )
