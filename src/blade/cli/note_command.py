"""Blade note: what somebody who read a rollout noted of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blade.cli.printing import echo
from blade.cli.reading_options import as_options, caching, scoring

if TYPE_CHECKING:
    from blade.findings import Annotation
    from blade.queries.noting import NoteDraft


@click.command("note")
@click.argument("path")
@click.argument("task", required=False)
@click.option("--attempt", type=int, help="Which attempt (default: the first that failed, else the first).")
@click.option("--run", "run_name", metavar="NAME", help="Which run, where PATH holds several.")
@click.option("--label", default="", metavar="LABEL", help="Its root cause: KG, UK, BI, TI, IR, DA, or IE.")
@click.option(
    "--mechanism", default="", metavar="WORDS", help="What happened, in a few words used for all such rollouts."
)
@click.option("--blame", default="", metavar="WHO", help="Whose doing it is: model, tool, verifier, data, …")
@click.option("--verdict-wrong", is_flag=True, help="It passed and should have failed, or the other way round.")
@click.option("--quote", default="", metavar="WORDS", help="Words of the rollout that show it.")
@click.option("--remark", default="", metavar="WORDS", help="Anything else.")
@click.option("--read-fully", is_flag=True, help="The rollout was read from the prompt to the verdict.")
@click.option("--author", default="", envvar="BLADE_AUTHOR", metavar="NAME", help="Who read it (or BLADE_AUTHOR).")
@click.option(
    "--from", "source", type=click.Path(path_type=Path), help="Notes as lines of JSON; all or none of them are added."
)
@click.option("--list", "only_list", is_flag=True, help="List the notes that there are.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The file or folder of the notes (default: beside the run)."
)
@scoring
@caching
def command(
    path: str,
    task: str | None,
    run_name: str | None,
    source: Path | None,
    only_list: bool,
    output: Path | None,
    **reading_options: Any,
) -> None:
    """Note what was read in a rollout: its label, what happened, whose doing it is, with words that show it.

    The quote must stand in the rollout. Notes are lines of annotations.jsonl beside the run; they overrule the labels
    of the engine, and the report counts them.
    """
    from blade import api  # noqa: PLC0415 - heavy: only when the command runs
    from blade.queries.noting import FILE, annotate, draft_of, notes_of, write_note  # noqa: PLC0415 - as above

    names = ("attempt", "label", "mechanism", "blame", "verdict_wrong", "quote", "remark", "read_fully", "author")
    note = {name: reading_options.pop(name) for name in names}
    runs = api.read(path, options=as_options(reading_options))
    place = output / FILE if output is not None and output.suffix != ".jsonl" else output
    if only_list:
        echo("\n".join(map(_line, notes_of(runs, place))) or "no notes")
        return
    author = note["author"]
    drafts = _from_file(source, author) if source else [draft_of({"task": task, "run": run_name, **note})]
    checked = [annotate(runs, draft) for draft in drafts]
    for annotation, default_file in checked:
        write_note(annotation, place or default_file)
        echo(_line(annotation))
    if checked:
        echo(f"noted in {place or checked[-1][1]}")


def _from_file(source: Path, author: str) -> list[NoteDraft]:
    import orjson  # noqa: PLC0415 - as above

    from blade.errors import UsageError  # noqa: PLC0415 - as above
    from blade.queries.noting import draft_of  # noqa: PLC0415 - as above

    drafts = []
    try:
        for number, line in enumerate(source.read_bytes().splitlines(), 1):
            if line.strip():
                try:
                    drafts.append(draft_of(dict(orjson.loads(line)), author))
                except (ValueError, TypeError):
                    raise UsageError(
                        f"{source}:{number}: no note in JSON.", 'Such as: {"task": "desk-7", "label": "BI", …}'
                    ) from None
    except OSError as error:
        raise UsageError(f"{source}: cannot be read ({error.strerror or error}).", "Give a file of notes.") from None
    return drafts


def _line(note: Annotation) -> str:
    from blade.wording import printable  # noqa: PLC0415 - as above

    words = [
        note.label,
        note.mechanism,
        note.blame and f"by {note.blame}",
        "verdict wrong" if note.verdict_wrong else "",
    ]
    return printable(f"{note.run} {note.task} #{note.attempt}: {', '.join(filter(None, words))} ({note.author})")
