"""A piece of a printed report against its counterpart: which of its numbers, names, quotes and telling words differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import PurePath

from blade.checking.markdown_blocks import MarkdownBlock
from blade.checking.names import Names
from blade.checking.numbers import same_number
from blade.checking.outcome import LONGEST_CONTEXT, Checked, CheckOutcome, ClaimKind
from blade.checking.proofs import path_of
from blade.checking.redaction import same_before_redaction
from blade.checking.tokens import LONG_QUOTE, Token, is_file, plain, tokens
from blade.document import Fact
from blade.frozen import frozen

TELLING = frozenset(
    "always sometimes never missing real noise inconclusive proven not no none without identified assumed bounded yes "
    "more less fewer higher lower above below high medium low better worse rose fell gained lost".split()
)
FEW_WORDS = 2
_LEFT_OUT = re.compile(r"Left out: [\d,]+ (?:statement|row|quote)s?\b[^`]*\(`(?:blade report RUN\.\.\. )?--section ")
"""A line of the short report on its own length: it says nothing of the runs."""
_NAMES = (ClaimKind.ID, ClaimKind.RUN)


@frozen
class BlockPair:
    """A printed piece, its counterpart, and the facts behind the counterpart."""

    given: MarkdownBlock
    made: MarkdownBlock
    facts: tuple[Fact, ...]
    names: Names
    blurred: frozenset[str] = frozenset()
    """Titles of columns that cannot be held against anything: the file they speak of was redacted."""

    def say(
        self, outcome: CheckOutcome, kind: ClaimKind, claim: Token | str, expected: str | None = None, note: str = ""
    ) -> Checked:
        text, place = (claim, 0) if isinstance(claim, str) else (claim.text, claim.start)
        context = plain(self.given.text)[:LONGEST_CONTEXT]
        path = path_of(self.facts, expected if expected is not None else text)
        return Checked(outcome, kind, self.given.line_at(place), text, expected, path, context, note)


def compare(pair: BlockPair) -> tuple[list[Checked], list[Token]]:
    """What was checked, and the tokens that have no counterpart: they are somebody's own."""
    if pair.given.kind == "row":
        return list(_row(pair)), []
    if plain(pair.given.text) == plain(pair.made.text):
        return [pair.say(CheckOutcome.RIGHT, token.kind, token) for token in _facts(pair.given.text, pair.names)], []
    return _text(pair, pair.given.text, pair.made.text)


def columns_of(report_row: MarkdownBlock, printed_row: MarkdownBlock) -> dict[int, int]:
    """Place of a cell → place of its counterpart: by title, for columns may be moved. A title of one's own has none."""
    if report_row.columns == printed_row.columns:
        return {place: place for place in range(len(report_row.cells))}
    waiting: dict[str, list[int]] = {}
    for place, title in enumerate(_titles(printed_row)):
        waiting.setdefault(title, []).append(place)
    return {place: waiting[title].pop(0) for place, title in enumerate(_titles(report_row)) if waiting.get(title)}


def _titles(row: MarkdownBlock) -> list[str]:
    """The title of each cell; cells behind the last title have none."""
    titles = [plain(title).strip("`").lower() for title in row.columns[: len(row.cells)]]
    return titles + [""] * (len(row.cells) - len(titles))


def _facts(text: str, names: Names) -> list[Token]:
    return [token for token in tokens(text, names) if token.is_fact]


def _row(pair: BlockPair) -> Iterator[Checked]:
    report_cells, printed_cells = pair.given.cells, pair.made.cells
    for place, printed_place in columns_of(pair.given, pair.made).items():
        cell, printed_cell = report_cells[place], printed_cells[printed_place]
        if plain(cell) == plain(printed_cell) or same_before_redaction(plain(cell), plain(printed_cell)):
            yield from (pair.say(CheckOutcome.RIGHT, token.kind, token.text) for token in _facts(cell, pair.names))
        elif pair.given.columns[place : place + 1] and pair.given.columns[place] in pair.blurred:
            kind = _kind(cell, pair.names)
            yield pair.say(CheckOutcome.UNVERIFIABLE, kind, plain(cell), note="the file was redacted since")
        else:
            yield from _cell(pair, cell, printed_cell)


def _cell(pair: BlockPair, cell: str, printed_cell: str) -> Iterator[Checked]:
    """In a table every word is data; a note that is added to a cell leaves what it held."""
    report_text, expected = plain(cell).strip("`"), plain(printed_cell).strip("`")
    checks, _ = _text(pair, cell, printed_cell)
    wrong = [check for check in checks if check.outcome is not CheckOutcome.RIGHT]
    long = " " in expected and len(expected) > LONG_QUOTE
    if long and _words(cell, pair.names) != _words(printed_cell, pair.names):
        contained = expected in report_text
        yield pair.say(
            CheckOutcome.RIGHT if contained else CheckOutcome.WRONG,
            ClaimKind.QUOTE,
            report_text,
            None if contained else expected,
        )
    elif wrong or (checks and not _words(printed_cell, pair.names)) or (expected and expected in report_text):
        yield from checks
    else:
        kind = ClaimKind.RUN if expected in pair.names.runs else _kind(printed_cell, pair.names)
        yield pair.say(CheckOutcome.WRONG, kind, report_text, expected)


def _kind(text: str, names: Names) -> ClaimKind:
    return next((token.kind for token in tokens(text, names)), ClaimKind.WORD)


def _words(text: str, names: Names) -> list[str]:
    return [token.text for token in tokens(text, names) if not token.is_fact]


def _text(pair: BlockPair, stated: str, expected: str) -> tuple[list[Checked], list[Token]]:
    """Token by token. Other words are no error; other numbers, names and quotes in their place are."""
    stated_tokens, expected_tokens = tokens(stated, pair.names), tokens(expected, pair.names)
    ours_words = [token.text for token in stated_tokens if not token.is_fact]
    theirs_words = [token.text for token in expected_tokens if not token.is_fact]
    same_wording = ours_words == theirs_words
    if [_form(token) for token in stated_tokens] == [_form(token) for token in expected_tokens]:
        facts = [
            (token, expected_token)
            for token, expected_token in zip(stated_tokens, expected_tokens, strict=True)
            if token.is_fact
        ]
        return [
            _compared(pair, token, expected_token, same_wording=same_wording) for token, expected_token in facts
        ], []
    checks: list[Checked] = []
    loose: list[Token] = []
    matcher = SequenceMatcher(
        None, [_key(token) for token in stated_tokens], [_key(token) for token in expected_tokens], False
    )
    for tag, first, last, begin, end in matcher.get_opcodes():
        stated_part, expected_part = stated_tokens[first:last], expected_tokens[begin:end]
        if tag == "equal":
            checks += [pair.say(CheckOutcome.RIGHT, token.kind, token) for token in stated_part if token.is_fact]
            continue
        checked, left = _differing(pair, stated_part, expected_part, same_wording=same_wording)
        checks += checked
        loose += left
    if not same_wording and [*map(_class, _only(stated_tokens))] == [*map(_class, _only(expected_tokens))]:
        checks += _telling(pair, ours_words, theirs_words)
    return checks, loose


def _form(token: Token) -> str:
    """A word as it is, a fact by its class: two sentences of one form differ in their facts alone."""
    return f"={_class(token)}" if token.is_fact else token.text


def _key(token: Token) -> tuple[str, str]:
    return ("name" if token.kind in _NAMES else token.kind.value), token.text


def _only(tokens_there: Sequence[Token]) -> list[Token]:
    return [token for token in tokens_there if token.is_fact]


def _class(token: Token) -> str:
    """Names in back-ticks are one class: a misspelled run looks like a quote."""
    if token.kind in _NAMES or (token.kind is ClaimKind.QUOTE and token.code):
        return "name"
    return token.kind.value


def _differing(
    pair: BlockPair, stated_part: Sequence[Token], expected_part: Sequence[Token], *, same_wording: bool
) -> tuple[list[Checked], list[Token]]:
    waiting: dict[str, list[Token]] = {}
    for token in _only(expected_part):
        waiting.setdefault(_class(token), []).append(token)
    checks, loose = [], []
    for token in _only(stated_part):
        candidates = waiting.get(_class(token))
        if candidates:
            checks.append(_compared(pair, token, candidates.pop(0), same_wording=same_wording))
        else:
            loose.append(token)
    return checks, loose


def _compared(pair: BlockPair, stated: Token, expected: Token, *, same_wording: bool) -> Checked:
    """One fact where another should stand."""
    if stated.text != expected.text and _LEFT_OUT.match(pair.given.text) and _LEFT_OUT.match(pair.made.text):
        note = "how much of the report was left out: another version of BLADE may print another number"
        return pair.say(CheckOutcome.UNVERIFIABLE, stated.kind, stated, note=note)
    if stated.number is not None and expected.number is not None:
        fits = same_number(stated.number, expected.number, signed=same_wording)
        return pair.say(
            CheckOutcome.RIGHT if fits else CheckOutcome.WRONG,
            ClaimKind.NUMBER,
            stated,
            None if fits else expected.text,
        )
    if is_file(expected.text, pair.names) and is_file(stated.text, pair.names):
        return _path(pair, stated, expected)
    if stated.text == expected.text or _is_part(stated, expected):
        return pair.say(CheckOutcome.RIGHT, expected.kind, stated)
    return pair.say(CheckOutcome.WRONG, expected.kind, stated, expected.text)


def _is_part(stated: Token, expected: Token) -> bool:
    """Whether a quote is a part of the one that should stand there: a shorter quote is as true."""
    quote = stated.text.rstrip("… ")
    return stated.kind is ClaimKind.QUOTE and len(quote) > LONG_QUOTE and quote in expected.text


def _path(pair: BlockPair, stated: Token, expected: Token) -> Checked:
    """A file may be named from another folder; another file of the runs in its place is wrong."""
    stated_parts, expected_parts = PurePath(stated.text).parts, PurePath(expected.text).parts
    size = min(len(stated_parts), len(expected_parts))
    if stated_parts[-size:] == expected_parts[-size:]:
        return pair.say(CheckOutcome.RIGHT, ClaimKind.ID, stated)
    if stated_parts[-1] == expected_parts[-1] and stated.text not in pair.names.files:
        return pair.say(CheckOutcome.UNVERIFIABLE, ClaimKind.ID, stated, note="the file stands elsewhere now")
    return pair.say(CheckOutcome.WRONG, ClaimKind.ID, stated, expected.text)


def _telling(pair: BlockPair, stated_words: list[str], expected_words: list[str]) -> Iterator[Checked]:
    """A word or two changed in a sentence that is otherwise the report's, and they turn what it says."""
    removed, added = [], []
    for tag, first, last, begin, end in SequenceMatcher(None, stated_words, expected_words, False).get_opcodes():
        if tag != "equal":
            removed += stated_words[first:last]
            added += expected_words[begin:end]
    turned = {word.lower() for word in removed} ^ {word.lower() for word in added}
    swapped = not turned and removed
    is_short = len(removed) <= FEW_WORDS and len(added) <= FEW_WORDS
    if is_short and (turned & TELLING or swapped):
        yield pair.say(
            CheckOutcome.WRONG, ClaimKind.WORD, " … ".join(removed) or "(nothing)", " … ".join(added) or "(nothing)"
        )
