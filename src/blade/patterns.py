"""Regular expressions that others wrote, sought in a time that grows with the text and not with its ways to match.

Somebody types a pattern, or it stands in a file beside the data. Python's own engine tries every way in which a text
may match, which can take for ever, and no signal stops it outside the main thread. Polars brings the engine of Rust,
which reads a text once. It has no look-around and no back references, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

import polars as pl

from blade.frozen import frozen

HINT = "Put a backslash before ( [ . * + ? that stand for themselves; there is no look-around and no back reference."

PIECE = 4_000
"""Letters that are searched for all their matches at once, whatever that takes."""
MOST_STEPS = 200_000_000
"""Letters that may be looked at to count the matches in one long text: tenths of a second."""


class PatternError(ValueError):
    """Why a text is no pattern, in the words of the engine."""


@frozen
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
        """How often the pattern stands in each text.

        After each match the engine may look to the end of the text in vain for a longer one (`.*x|y`), so that all
        matches take as many steps as there are matches times letters. Where a first count, piece by piece, shows that
        these would be too many, the count of the pieces is the answer; they end where lines end.
        """
        if not self._may_look_far:
            return self._matches(texts)
        pieces = [list(_pieces(text)) for text in texts]
        ends = list(accumulate(map(len, pieces)))
        by_piece = self._matches([piece for part in pieces for piece in part])
        counts = [sum(by_piece[end - len(part) : end]) for part, end in zip(pieces, ends, strict=True)]
        pairs = zip(texts, pieces, counts, strict=True)
        return [self._count(text, many) if len(part) > 1 else many for text, part, many in pairs]

    def _count(self, text: str, by_piece: int) -> int:
        if by_piece * len(text) <= MOST_STEPS:
            return self._matches([text])[0]
        return by_piece if self.holds(text) else 0

    def _matches(self, texts: Sequence[str]) -> list[int]:
        return _series(texts).str.count_matches(self._pattern).to_list()

    @property
    def _may_look_far(self) -> bool:
        """Whether a match may be longer than the pattern: something in it is repeated."""
        return any(sign in self.source for sign in "*+{")

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


def _pieces(text: str) -> Iterator[str]:
    """A text in pieces of at most `PIECE` letters, of whole lines where lines are no longer."""
    start = 0
    while start < len(text) or not start:
        end = start + PIECE
        if end < len(text):
            end = text.rfind("\n", start, end) + 1 or end
        yield text[start:end]
        start = max(end, 1)


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
