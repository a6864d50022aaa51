"""Where the logs of a row stop: the masked last line of words of every text of several lines beside the transcript."""

from __future__ import annotations

from blade.extract.artefacts import is_patch
from blade.extract.attempt import Attempt
from blade.late_regex import late_regex
from blade.signatures import template

MOST = 8
END_READ = 2_000
_WORD = late_regex(r"[^\W\d_]{2,}")
_PATCH = ("diff --git ", "--- ", "Index: ")
"""A log may show a patch; a text that begins so is one."""
_PROMPT = late_regex(r"[$#%>]$")
"""A line that ends so is a shell that waits."""


def log_ends(attempt: Attempt) -> list[str]:
    """For each log its field and its masked last line, parted by a line break. A patch is somebody's work, no log."""
    ends: dict[str, str] = {}
    for log in attempt.texts():
        if (
            "\n" in log.text
            and "\n" in log.text.strip()
            and not begins_patch(log.text)
            and (line := last_line(log.text))
        ):
            ends[log.name] = f"{log.name}\n{template(line)}"
            if len(ends) > MOST:
                return []
    return list(ends.values())


def begins_patch(text: str) -> bool:
    """Whether a text is a patch and no log that shows one."""
    return text.lstrip().startswith(_PATCH) and is_patch(text)


def last_line(text: str) -> str:
    """The last line that says something."""
    lines = (line.strip() for line in reversed(text[-END_READ:].split("\n")))
    return next((line for line in lines if says_something(line)), "")


def says_something(line: str) -> bool:
    """Whether a line holds two words at least and is no prompt."""
    return len(_WORD.findall(line)) > 1 and not _PROMPT.search(line)
