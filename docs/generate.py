"""Writes docs/reference/cli.md, detectors.md and questions.md from the code itself. A test fails while a page is stale.

Usage: python docs/generate.py
"""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import click

from blade.cli import COMMANDS, cli
from blade.registry import plugins

PAGE = Path(__file__).parent / "reference" / "cli.md"
DETECTORS = Path(__file__).parent / "reference" / "detectors.md"
COUNTS = Path(__file__).parent / "reference" / "detector-counts.json"
QUESTIONS = Path(__file__).parent / "reference" / "questions.md"

HEAD = """\
# The command line

Made by `docs/generate.py` from the commands themselves; do not edit by hand.

`blade --version` prints the version; `-h` or `--help` after any command prints its options. `python -m blade` is
`blade`. `blade --settings FILE COMMAND` takes [defaults of options](../how-to/keep-options-in-a-file.md) from a file
(default: the nearest `blade.toml`, here or in a folder above).

Standard output is for data, standard error for talk and progress. Exit codes: 0 done, 1 a gate that was asked
for is crossed, a checked report is wrong, a package fails or an installed skill was changed, 2 a usage error or an
input that cannot be analyzed, 130 stopped by hand, 143 stopped by SIGTERM.
"""


def page() -> str:
    """The whole page."""
    context = click.Context(cli, info_name="blade")
    parts = [HEAD]
    for name in sorted(COMMANDS):
        command = cli.get_command(context, name)
        assert command is not None  # noqa: S101 - COMMANDS names only commands that are there
        parts.append(_section(name, command))
        if isinstance(command, click.Group):
            parts += [_section(f"{name} {inner}", part) for inner, part in command.commands.items()]
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


DETECTORS_HEAD = """\
# Detectors

Made by `docs/generate.py` from the rules themselves; do not edit by hand.

A detector is one rule that looks at one rollout and says *fired* (with an exact quote), *clean*, *not applicable* or
*guarded*. Of all that fired on a failed rollout, the one with the highest rank gives it its failure mode; rank 0 is a
symptom that explains no failure by itself. *Reads* says whose text it reads: *model* is its words and its calls,
*environment* screens and logs in the place of messages, *verifier* what stands in the row beside request and response.
The text of others never changes what it says. The last columns count real rollouts, Gym's examples and published runs
of other benchmarks (`benchmarks/detectors.py`): on how many passing and failing ones the rule fired, and on how many it
did not apply. *unproven* has never fired on a real file.
"""


def detectors_page() -> str:
    """Every detector with what it notices, when it is wrong, and how often it fired on real rollouts."""
    counts = json.loads(COUNTS.read_text(encoding="utf-8")) if COUNTS.exists() else {}
    found = plugins("detectors")
    lines = [DETECTORS_HEAD, "| detector | no. | family | rank | speaks for | reads | pass | fail | n/a | |"]
    lines.append("|---|---|---|---:|---|---|---:|---:|---:|---|")
    lines += [_counted(name, module, counts.get(name, {})) for name, module in found.items()]
    lines.append("")
    for name, module in found.items():
        text = " ".join((module.__doc__ or "").strip().split("\n\n")[0].split())
        rest = [" ".join(part.split()) for part in (module.__doc__ or "").strip().split("\n\n")[1:]]
        lines += [f"## {name}", "", text, "", *(line for part in rest for line in (part, ""))]
    return "\n".join(lines)


def _counted(name: str, module: ModuleType, counts: dict[str, int]) -> str:
    speaks = ", ".join(f"{label} {weight}" for label, weight in module.SUPPORTS.items())
    passed, failed = counts.get("pass fired", 0), counts.get("fail fired", 0)
    absent = counts.get("pass not applicable", 0) + counts.get("fail not applicable", 0)
    mark = "" if passed or failed else "unproven"
    about = f"[{name}](#{name})", module.ID, module.FAMILY, module.EXPLAINS, speaks, ", ".join(module.READS)
    return f"| {' | '.join(map(str, (*about, passed, failed, absent, mark)))} |"


QUESTIONS_HEAD = """\
# Questions

Made by `docs/generate.py` from the questions themselves; do not edit by hand.

A question is put to all rollouts of all runs together ([how](../explanation/investigation.md)). Its answer stands in
`analysis.json` under `investigation` and the question's name; a question that has nothing to say is absent. In an
answer `run` is a run's name, `tasks` its tasks, `rollouts`, `passes` and `failures` count, `p` is corrected for all
that the question tests, `quote` and `source` are a text and its place, `left_out` counts what a list leaves out.
*Also gives* says what else comes of an answer: *claim* a sentence of the first screen, *advice* a recommendation,
*fault* tasks whose failures are the benchmark's, *health* an item of Benchmark Health.
"""
_ALSO = {"brief": "claim", "advise": "advice", "faults": "fault", "health": "health"}


def questions_page() -> str:
    """Every question with what it asks, the heading of its answer, what it returns, and what else comes of it."""
    modules = sorted(plugins("questions").items(), key=lambda entry: (entry[1].ORDER, entry[0]))
    lines = [QUESTIONS_HEAD, "| question | heading in the report | also gives |", "|---|---|---|"]
    for name, module in modules:
        also = ", ".join(word for function, word in _ALSO.items() if hasattr(module, function))
        lines.append(f"| [{name}](#{name}) | {_cell(module.TITLE)} | {also} |")
    lines.append("")
    for name, module in modules:
        texts = [*(module.__doc__ or "").strip().split("\n\n"), *(module.ask.__doc__ or "").strip().split("\n\n")]
        lines += [f"## {name}", "", *(line for text in texts if text for line in (" ".join(text.split()), ""))]
    return "\n".join(lines)


if __name__ == "__main__":
    QUESTIONS.write_text(questions_page(), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
    DETECTORS.write_text(detectors_page(), encoding="utf-8")
