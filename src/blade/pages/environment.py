"""The Jinja2 environment of report and viewer: everything is escaped, and a name that is not there is an error."""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib.resources import files
from importlib.util import cache_from_source
from pathlib import Path

from jinja2 import ChoiceLoader, Environment, FileSystemBytecodeCache, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket

from blade import wording
from blade.pages import colours, glossary, markup

STYLE = "style.css"
THEME = "theme.js"


class CompiledTemplates(FileSystemBytecodeCache):
    """Templates as bytecode, in the folder where Python keeps that of this package: it takes longest to make a page.

    Whoever may write there may change the code itself. Where nobody may, or where Python is told to write no bytecode,
    every process compiles them anew.
    """

    def __init__(self) -> None:
        folder = Path(cache_from_source(__file__)).parent
        super().__init__(str(folder), f"template-%s.{sys.implementation.cache_tag}.jinja")

    def load_bytecode(self, bucket: Bucket) -> None:
        try:
            super().load_bytecode(bucket)
        except Exception:  # noqa: BLE001 - whatever a damaged file makes of it, the template is compiled anew
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                super().dump_bytecode(bucket)


def environment(*packages: str) -> Environment:
    """Templates of this package, after those of the packages named; `packages` hold a folder `templates`."""
    loaders = [PackageLoader(name, "templates") for name in (*packages, "blade.pages")]
    templates = Environment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        bytecode_cache=CompiledTemplates(),
    )
    templates.filters.update(
        {
            "text": markup.text,
            "breakable": markup.breakable,
            "term": glossary.term,
            "terms": glossary.terms,
            "markdown": markup.markdown,
            "marked": markup.marked,
            "percent": wording.percent,
            "points": wording.points,
            "plain": wording.plain,
            "score": wording.score,
            "difference": wording.difference,
            "span": wording.span,
            "bytes": wording.size,
            "listed": wording.listed,
        }
    )
    templates.globals.update({"many": wording.count, "outcomes": colours.OUTCOMES, "run_class": colours.run_class})
    return templates


def style() -> str:
    """The style sheet: the colours, then the rules."""
    return colours.variables() + asset(STYLE)


def asset(name: str) -> str:
    """A file of this package as text."""
    return files("blade.pages").joinpath(name).read_text(encoding="utf-8")
