"""Writes docs/reference/cli.md from the commands themselves. A test fails while the page is stale.

Usage: python docs/generate.py
"""

# ruff: noqa: INP001 - a script, not a package

from __future__ import annotations

from pathlib import Path

import click

from blade.cli import COMMANDS, cli

PAGE = Path(__file__).parent / "reference" / "cli.md"

HEAD = """\
# The command line

Made by `docs/generate.py` from the commands themselves; do not edit by hand.

`blade --version` prints the version; `-h` or `--help` after any command prints its options. `python -m blade` is
`blade`.

Standard output is for data, standard error for talk and progress. Exit codes: 0 done, 1 the score fell and `--fail-on`
asked about it, 2 a usage error or an input that cannot be analyzed, 130 stopped by hand.
"""


def page() -> str:
    """The whole page."""
    context = click.Context(cli, info_name="blade")
    parts = [HEAD]
    for name in sorted(COMMANDS):
        command = cli.get_command(context, name)
        assert command is not None  # noqa: S101 - COMMANDS names only commands that are there
        parts.append(_section(name, command))
    return "\n".join(parts)


def _section(name: str, command: click.Command) -> str:
    arguments = [param for param in command.params if isinstance(param, click.Argument)]
    options = [param for param in command.params if isinstance(param, click.Option)]
    usage = " ".join(["blade", name, *(["[OPTIONS]"] if options else []), *map(_argument, arguments)])
    lines = [f"## blade {name}", "", f"`{usage}`", "", _told(command), ""]
    if options:
        lines += ["| option | takes | default | what it does |", "|---|---|---|---|", *map(_option, options), ""]
    return "\n".join(lines)


def _told(command: click.Command) -> str:
    paragraphs = (command.help or "").strip().split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _argument(param: click.Argument) -> str:
    if isinstance(param.type, click.Choice):
        return "{" + "|".join(map(str, param.type.choices)) + "}"
    return param.metavar or (param.name or "").upper()


def _option(param: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in param.opts)
    default = f"`{param.default}`" if param.show_default else ""
    return f"| {names} | {_takes(param)} | {default} | {_cell(param.help or '')} |"


def _takes(param: click.Option) -> str:
    if param.is_flag:
        return ""
    if isinstance(param.type, click.Choice):
        return " or ".join(f"`{choice}`" for choice in param.type.choices)
    words = {"integer range": "integer", "text": "text"}
    return param.metavar or words.get(param.type.name, param.type.name)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
