"""How few tasks of two runs were matched, or by how little: what stands before everything else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from blade.document import Paragraph, Sentence, say
from blade.model import Analysis
from blade.wording import amount, count, name, rate

NOTICES = 3
"""Runs whose poor match is told one by one."""


def matching_notice(analysis: Analysis) -> Paragraph | None:
    """The first line of a report: how few tasks of two runs were matched, or by how little."""
    weak = [(place, item) for place, item in enumerate(analysis.identity) if item["weak"]]
    if not weak:
        return None
    sentences = [sentence for place, item in weak[:NOTICES] for sentence in _matching(item, place)]
    if len(weak) > NOTICES:
        sentences.append(say("The same holds for {many}.", many=count(len(weak) - NOTICES, "more run")))
    sentences.append(say("{option} says which field names the tasks.", option=name("--match-by FIELD")))
    return Paragraph(tuple(sentences))


def _matching(item: Mapping[str, Any], place: int) -> Iterator[Sentence]:
    runs = {"base": name(item["base"]), "other": name(item["candidate"])}
    if item["rule"] == "none":
        yield say("No task of {base} was matched with one of {other}: {detail}.", detail=item["detail"], **runs)
    elif item["joined"] == item["tasks"]:
        yield say("Tasks of {base} and {other} were matched by {detail}.", detail=item["detail"], **runs)
    else:
        yield say(
            "Only {joined} of {tasks} tasks of the smaller run ({share}) were matched between {base} and {other}, "
            "by {detail}; every comparison of the two rests on those.",
            joined=amount(item["joined"], "identity", place, "joined"),
            tasks=amount(item["tasks"], "identity", place, "tasks"),
            share=rate(item["share"], "identity", place, "share"),
            detail=item["detail"],
            **runs,
        )
    wider = [alternative for alternative in item["alternatives"] if alternative["common"] > item["common"]]
    if wider:
        yield say("Other rules: {told}.", told="; ".join(map(_alternative, wider)))
    elif item["joined"] < item["tasks"]:
        yield say("No other rule would match more.")


def _alternative(item: Mapping[str, Any]) -> str:
    statement = f"{item['detail']} would match {item['common']:,}"
    return f"{statement}, but {item['against']}" if item["against"] else statement
