"""A piece of a printed report against its counterpart: which of its numbers, names, quotes and telling words differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import PurePath

from blade.checking.markdown_blocks import Piece
from blade.checking.names import Names
from blade.checking.numbers import same
from blade.checking.outcome import LONGEST_CONTEXT, Checked, Kind, Outcome
from blade.checking.proofs import path_of
from blade.checking.tokens import LONG_QUOTE, Token, is_file, plain, tokens
from blade.document import Fact

TELLING = frozenset(
    "always sometimes never missing real noise inconclusive proven not no none without identified assumed bounded yes "
    "more less fewer higher lower above below high medium low better worse rose fell gained lost".split()
)
FEW_WORDS = 2
_NAMES = (Kind.ID, Kind.RUN)


@dataclass(frozen=True, slots=True)
class Pair:
    """A printed piece, its counterpart, and the facts behind the counterpart."""

    given: Piece
    made: Piece
    facts: tuple[Fact, ...]
    names: Names
    blurred: frozenset[str] = frozenset()
    """Titles of columns that cannot be held against anything: the file they speak of was redacted."""

    def say(
        self, outcome: Outcome, kind: Kind, said: Token | str, wanted: str | None = None, note: str = ""
    ) -> Checked:
        text, place = (said, 0) if isinstance(said, str) else (said.text, said.start)
        context = plain(self.given.text)[:LONGEST_CONTEXT]
        path = path_of(self.facts, wanted if wanted is not None else text)
        return Checked(outcome, kind, self.given.line_at(place), text, wanted, path, context, note)


def compare(pair: Pair) -> tuple[list[Checked], list[Token]]:
    """What was checked, and the tokens that have no counterpart: they are somebody's own."""
    if pair.given.kind == "row":
        return list(_row(pair)), []
    if plain(pair.given.text) == plain(pair.made.text):
        return [pair.say(Outcome.RIGHT, token.kind, token) for token in _facts(pair.given.text, pair.names)], []
    return _text(pair, pair.given.text, pair.made.text)


def columns_of(given: Piece, made: Piece) -> dict[int, int]:
    """Place of a cell → place of its counterpart: by title, for columns may be moved. A title of one's own has none."""
    if given.columns == made.columns:
        return {place: place for place in range(len(given.cells))}
    waiting: dict[str, list[int]] = {}
    for place, title in enumerate(_titles(made)):
        waiting.setdefault(title, []).append(place)
    return {place: waiting[title].pop(0) for place, title in enumerate(_titles(given)) if waiting.get(title)}


def _titles(row: Piece) -> list[str]:
    """The title of each cell; cells behind the last title have none."""
    told = [plain(title).strip("`").lower() for title in row.columns[: len(row.cells)]]
    return told + [""] * (len(row.cells) - len(told))


def _facts(text: str, names: Names) -> list[Token]:
    return [token for token in tokens(text, names) if token.is_fact]


def _row(pair: Pair) -> Iterator[Checked]:
    given, made = pair.given.cells, pair.made.cells
    for place, beside in columns_of(pair.given, pair.made).items():
        cell, wanted = given[place], made[beside]
        if plain(cell) == plain(wanted):
            yield from (pair.say(Outcome.RIGHT, token.kind, token.text) for token in _facts(cell, pair.names))
        elif pair.given.columns[place : place + 1] and pair.given.columns[place] in pair.blurred:
            kind = _kind(cell, pair.names)
            yield pair.say(Outcome.UNVERIFIABLE, kind, plain(cell), note="the file was redacted since")
        else:
            yield from _cell(pair, cell, wanted)


def _cell(pair: Pair, cell: str, wanted: str) -> Iterator[Checked]:
    """In a table every word is data; a note that is added to a cell leaves what it held."""
    said, meant = plain(cell).strip("`"), plain(wanted).strip("`")
    found, _ = _text(pair, cell, wanted)
    wrong = [thing for thing in found if thing.outcome is not Outcome.RIGHT]
    long = " " in meant and len(meant) > LONG_QUOTE
    if long and _words(cell, pair.names) != _words(wanted, pair.names):
        kept = meant in said
        yield pair.say(Outcome.RIGHT if kept else Outcome.WRONG, Kind.QUOTE, said, None if kept else meant)
    elif wrong or (found and not _words(wanted, pair.names)) or (meant and meant in said):
        yield from found
    else:
        kind = Kind.RUN if meant in pair.names.runs else _kind(wanted, pair.names)
        yield pair.say(Outcome.WRONG, kind, said, meant)


def _kind(text: str, names: Names) -> Kind:
    return next((token.kind for token in tokens(text, names)), Kind.WORD)


def _words(text: str, names: Names) -> list[str]:
    return [token.text for token in tokens(text, names) if not token.is_fact]


def _text(pair: Pair, said: str, meant: str) -> tuple[list[Checked], list[Token]]:
    """Token by token. Other words are no error; other numbers, names and quotes in their place are."""
    ours, theirs = tokens(said, pair.names), tokens(meant, pair.names)
    ours_words = [token.text for token in ours if not token.is_fact]
    theirs_words = [token.text for token in theirs if not token.is_fact]
    own = ours_words == theirs_words
    if [_form(token) for token in ours] == [_form(token) for token in theirs]:
        facts = [(token, beside) for token, beside in zip(ours, theirs, strict=True) if token.is_fact]
        return [_beside(pair, token, beside, own=own) for token, beside in facts], []
    found: list[Checked] = []
    loose: list[Token] = []
    matcher = SequenceMatcher(None, [_key(token) for token in ours], [_key(token) for token in theirs], False)
    for tag, first, last, begin, end in matcher.get_opcodes():
        here, there = ours[first:last], theirs[begin:end]
        if tag == "equal":
            found += [pair.say(Outcome.RIGHT, token.kind, token) for token in here if token.is_fact]
            continue
        checked, left = _differing(pair, here, there, own=own)
        found += checked
        loose += left
    if not own and [*map(_class, _only(ours))] == [*map(_class, _only(theirs))]:
        found += _telling(pair, ours_words, theirs_words)
    return found, loose


def _form(token: Token) -> str:
    """A word as it is, a fact by its class: two sentences of one form differ in their facts alone."""
    return f"={_class(token)}" if token.is_fact else token.text


def _key(token: Token) -> tuple[str, str]:
    return ("name" if token.kind in _NAMES else token.kind.value), token.text


def _only(found: Sequence[Token]) -> list[Token]:
    return [token for token in found if token.is_fact]


def _class(token: Token) -> str:
    """Names in back-ticks are one class: a misspelled run looks like a quote."""
    if token.kind in _NAMES or (token.kind is Kind.QUOTE and token.code):
        return "name"
    return token.kind.value


def _differing(
    pair: Pair, here: Sequence[Token], there: Sequence[Token], *, own: bool
) -> tuple[list[Checked], list[Token]]:
    waiting: dict[str, list[Token]] = {}
    for token in _only(there):
        waiting.setdefault(_class(token), []).append(token)
    found, loose = [], []
    for token in _only(here):
        beside = waiting.get(_class(token))
        if beside:
            found.append(_beside(pair, token, beside.pop(0), own=own))
        else:
            loose.append(token)
    return found, loose


def _beside(pair: Pair, said: Token, meant: Token, *, own: bool) -> Checked:
    """One fact where another should stand."""
    if said.number is not None and meant.number is not None:
        fits = same(said.number, meant.number, signed=own)
        return pair.say(Outcome.RIGHT if fits else Outcome.WRONG, Kind.NUMBER, said, None if fits else meant.text)
    if is_file(meant.text, pair.names) and is_file(said.text, pair.names):
        return _path(pair, said, meant)
    if said.text == meant.text:
        return pair.say(Outcome.RIGHT, meant.kind, said)
    return pair.say(Outcome.WRONG, meant.kind, said, meant.text)


def _path(pair: Pair, said: Token, meant: Token) -> Checked:
    """A file may be named from another folder; another file of the runs in its place is wrong."""
    told, known = PurePath(said.text).parts, PurePath(meant.text).parts
    size = min(len(told), len(known))
    if told[-size:] == known[-size:]:
        return pair.say(Outcome.RIGHT, Kind.ID, said)
    if told[-1] == known[-1] and said.text not in pair.names.files:
        return pair.say(Outcome.UNVERIFIABLE, Kind.ID, said, note="the file stands elsewhere now")
    return pair.say(Outcome.WRONG, Kind.ID, said, meant.text)


def _telling(pair: Pair, ours: list[str], theirs: list[str]) -> Iterator[Checked]:
    """A word or two changed in a sentence that is otherwise the report's, and they turn what it says."""
    said, meant = [], []
    for tag, first, last, begin, end in SequenceMatcher(None, ours, theirs, False).get_opcodes():
        if tag != "equal":
            said += ours[first:last]
            meant += theirs[begin:end]
    turned = {word.lower() for word in said} ^ {word.lower() for word in meant}
    swapped = not turned and said
    few = len(said) <= FEW_WORDS and len(meant) <= FEW_WORDS
    if few and (turned & TELLING or swapped):
        yield pair.say(Outcome.WRONG, Kind.WORD, " … ".join(said) or "(nothing)", " … ".join(meant) or "(nothing)")
