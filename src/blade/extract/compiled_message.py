"""A line of the final message that stands outside its program, and that a compiler was given all the same.

The program stands in a fence; what the log of the build shows is the fence itself, or words around it: the whole
message was taken for the work.
"""

from __future__ import annotations

from collections.abc import Iterator

from blade.extract.attempt import Attempt
from blade.extract.logs import Stage
from blade.frozen import frozen

FENCE = "```"
FEWEST_WORDS = 3


@frozen
class CompiledLine:
    """The line, where it stands in the final message, and what is written behind the opening fence."""

    text: str
    start: int
    tag: str


def compiled_line(attempt: Attempt) -> CompiledLine | None:
    """The first such line; None where the work did not fail to compile, or where its own lines are at fault."""
    stage = attempt.stage
    if not isinstance(stage, Stage) or stage.kind != "compile" or FENCE not in attempt.final_text:
        return None
    shown = {line.strip() for text in attempt.texts() if text.name == stage.field for line in text.text.split("\n")}
    return next((line for line in _around_the_program(attempt.final_text) if line.text in shown), None)


def _around_the_program(message: str) -> Iterator[CompiledLine]:
    """The fences of a message and the sentences outside of them, unless the program holds such a line, too."""
    lines = message.split("\n")
    opening = next(line.strip() for line in lines if line.lstrip().startswith(FENCE)) if FENCE in message else ""
    inside, start = False, 0
    around: list[CompiledLine] = []
    program: set[str] = set()
    for line in lines:
        text = line.strip()
        if text.startswith(FENCE):
            inside = not inside
            around.append(CompiledLine(text, start + line.index(text), opening.removeprefix(FENCE)))
        elif inside:
            program.add(text)
        elif len(text.split()) >= FEWEST_WORDS:
            around.append(CompiledLine(text, start + line.index(text), opening.removeprefix(FENCE)))
        start += len(line) + 1
    return (line for line in around if line.text not in program)


@frozen
class Block:
    """A program in a fence: what it holds, where that begins in the message, and what is written behind the fence."""

    text: str
    start: int
    tag: str


def blocks_of(message: str) -> list[Block]:
    """The fenced blocks of a message, in order, those that are closed."""
    blocks: list[Block] = []
    start, opened, tag = 0, None, ""
    for line in message.split("\n"):
        if line.strip().startswith(FENCE):
            if opened is None:
                opened, tag = start + len(line) + 1, line.strip().removeprefix(FENCE).strip()
            else:
                inner = message[opened:start]
                blocks.append(Block(inner.strip(), opened + len(inner) - len(inner.lstrip()), tag))
                opened = None
        start += len(line) + 1
    return [block for block in blocks if block.text]
