"""The Jinja2 environment of report and viewer: everything is escaped, and a name that is not there is an error."""

from __future__ import annotations

from importlib.resources import files

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from blade import wording
from blade.pages import colours, markup

STYLE = "style.css"
THEME = "theme.js"


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
    )
    templates.filters.update(
        {
            "text": markup.text,
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
