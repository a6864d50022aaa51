"""Regular expressions that others wrote, sought in a time that grows with the text and not with its ways to match.

Somebody types a pattern, or it stands in a file beside the data. Python's own engine tries every way in which a text
may match, which can take for ever, and no signal stops it outside the main thread. Polars brings the engine of Rust,
which reads a text once. It has no look-around and no back references, and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

HINT = "Put a backslash before ( [ . * + ? that stand for themselves; there is no look-around and no back reference."


class PatternError(ValueError):
    """Why a text is no pattern, in the words of the engine."""


@dataclass(frozen=True, slots=True)
class LinearPattern:
    """A pattern that is known to be one."""

    source: str
    ignore_case: bool = False

    def __post_init__(self) -> None:
        try:
            self.source.encode("utf-8")
            self.counts([""])
        except UnicodeEncodeError:
            raise PatternError("half of a character stands in it") from None
        except pl.exceptions.PolarsError as error:
            raise PatternError(_reason(str(error))) from None

    def counts(self, texts: Sequence[str]) -> list[int]:
        """How often the pattern stands in each text."""
        return _series(texts).str.count_matches(self._pattern).to_list()

    def holds(self, text: str) -> bool:
        return bool(_series([text]).str.contains(self._pattern)[0])

    def fullmatch(self, text: str) -> bool:
        """Whether the whole text is what the pattern says."""
        return LinearPattern(rf"\A(?:{self.source})\z", self.ignore_case).holds(text)

    def first(self, text: str) -> tuple[int, int]:
        """Where the first match begins and ends in a text that holds one."""
        series = _series([text])
        start = len(text.encode("utf-8", "replace")[: series.str.find(self._pattern)[0]].decode("utf-8"))
        return start, start + len(series.str.extract(self._pattern, 0)[0])

    @property
    def _pattern(self) -> str:
        return f"(?i){self.source}" if self.ignore_case else self.source


def _series(texts: Sequence[str]) -> pl.Series:
    """The texts as a column; half a character, which no column takes, becomes a question mark of the same length."""
    try:
        return pl.Series(texts, dtype=pl.String)
    except UnicodeEncodeError:
        return pl.Series([text.encode("utf-8", "replace").decode("utf-8") for text in texts], dtype=pl.String)


def _reason(message: str) -> str:
    """What the engine says, without the drawing around it."""
    lines = [line.removeprefix("error: ") for line in message.splitlines() if line.startswith("error: ")]
    return lines[0] if lines else message.splitlines()[0].removeprefix("regex error: ").rstrip(".")
