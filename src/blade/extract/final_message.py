"""What the final message of a rollout without calls looks like: its length, its first and last line, its marks.

Where work is done by tools the final message is a remark, and nothing is kept of it. A message that holds reasoning is
told by the tags that models write around it, unless the prompt shows such a tag; its lines are those behind it.
"""

from __future__ import annotations

import re
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.prefilter import holds_any
from blade.extract.scripts import UNSPACED, word_counts, writing_system
from blade.extract.text import clip, visible
from blade.late_regex import late_regex

SHORT, LONGEST = 80, 400
MARKS = ("***", "**", "```", "~~~", "###", "<<", "[[", "{", "|", "•", "---", "===", "\\boxed", "\\[", "$$", "</")
BLANK_LINE = "a blank line"
OPENED, CLOSED, WHOLE = "opened", "closed", "whole"
"""A tag of reasoning that is never closed, one that was never opened, and a piece of reasoning between both."""
_BOLD, _RULE = "**", "***"
_TAG_LETTERS = ("<", "[", "◁")
_TAG = late_regex(
    r"<(/)?(?:[a-z]{1,12}:)?(?:think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis)>|"
    r"<\|(/|end_)?(?:begin_|start_)?(?:of_)?(?:channel|think|thinking|thought|reasoning)\|>|"
    r"\[(/)?(?:THINK|THINKING)\]|◁(/)?think▷",
    re.IGNORECASE,
)
HANDED_IN = (
    "model_patch",
    "patch",
    "generation",
    "policy_response",
    "completion",
    "generated_response",
    "final_answer",
)
"""Where a row keeps what was handed in beside the transcript."""


def final_message(attempt: Attempt) -> dict[str, Any]:
    """`final`: words, first and last line, marks, a tag of reasoning, and for scripts without blanks ways to count."""
    if attempt.calls or not attempt.steps or attempt.users:
        return {}
    last = next((step for step in reversed(attempt.messages) if step.text.strip()), None)
    if last is None:
        row = attempt.row
        handed_in = any(isinstance(row.get(name), str) and row[name].strip() for name in HANDED_IN)
        return {} if handed_in else {"final": {"words": 0}}
    whole = last.text
    text = visible(whole).strip()
    lines = [line for line in text.splitlines() if line.strip()]
    record: dict[str, Any] = {"words": len(whole.split())}
    if lines:
        record["lines"] = [_short(line) for line in (lines[0], lines[-1])[: len(lines)]]
    if marks := _marks(text):
        record["marks"] = marks
    if tag := _tag(whole, attempt):
        record["tag"] = tag
    if not text.isascii() and (script := writing_system(text)) in UNSPACED:
        record["script"] = [script, word_counts(whole), sum(map(str.isalpha, whole))]
    return {"final": record}


def _short(line: str) -> str:
    return clip(" ".join(line[:LONGEST].split()), SHORT)


def _marks(text: str) -> list[str]:
    """Which strings of marks stand in a text; one that stands only inside a longer one is not there."""
    marks = [mark for mark in MARKS if mark in text]
    if _RULE in marks and _BOLD not in text.replace(_RULE, ""):
        marks.remove(_BOLD)
    return [*marks, BLANK_LINE] if "\n\n" in text or "\n \n" in text else marks


def _tag(text: str, attempt: Attempt) -> list[str]:
    """The last tag of reasoning and whether it was opened and closed; nothing where the prompt shows such a tag."""
    if not holds_any(text, _TAG_LETTERS):
        return []
    tags = [(match[0], any(match.groups())) for match in _TAG.finditer(text)]
    if not tags or tags[-1][0].replace("/", "").lower() in attempt.task_text.lower():
        return []
    ends = {closes for _, closes in tags}
    return [tags[-1][0], WHOLE if len(ends) > 1 else CLOSED if True in ends else OPENED]
