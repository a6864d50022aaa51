"""The verifier took an earlier program of a message that shows several: the last one was never run.

Told by a text of the row that equals a fenced block of the final message, while another block stands after it.

False alarms: prompts that ask for the first of several programs, and blocks after the program that hold an example.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.compiled_message import FENCE, blocks_of
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "V18"
FAMILY = "verifier"
TITLE = "earlier program of several taken by the verifier"
KIND = "verifier"
EXPLAINS = 61
SUPPORTS = {"TI": 1.0}
RELIABILITY = 0.8
READS = ("model", "verifier")
NEEDS = "calls"
SEVERAL = 2
HALF = 0.5


def detect(attempt: Attempt) -> Sighting:
    if attempt.final_text.count(FENCE) < 2 * SEVERAL or not attempt.lost:
        return NOT_APPLICABLE
    blocks = blocks_of(attempt.final_text)
    last = blocks[-1] if blocks else None
    if last is None or len({block.text for block in blocks}) < SEVERAL:
        return NOT_APPLICABLE
    texts = attempt.texts()
    if any(text.text.strip() == last.text for text in texts):
        return CLEAN
    for text in texts:
        taken = next((block for block in blocks[:-1] if block.text == text.text.strip()), None)
        if taken is not None and taken.tag == last.tag and len(last.text) >= HALF * len(taken.text):
            return fired(
                attempt.cite_final(taken.start, taken.start + len(taken.text)),
                attempt.cite_final(last.start, last.start + len(last.text)),
                detail=f"the verifier took block {blocks.index(taken) + 1} of {len(blocks)} ({text.name})",
                value=text.name,
            )
    return CLEAN
