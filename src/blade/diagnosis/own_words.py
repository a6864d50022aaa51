"""Quotes of what tasks ask for begin where their prompts begin to differ: a preface that all share says nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from os.path import commonprefix

from blade.diagnosis.transcript_summary import Track, asked_in, first_words
from blade.evidence import open_rows
from blade.extract.attempt import Attempt
from blade.model import Source

FEWEST_TASKS = 3


def in_own_words(tracks: Sequence[Track]) -> list[Track]:
    """The tracks, in order; those of several tasks that would quote the same words quote what comes after them."""
    alike: defaultdict[str, list[Track]] = defaultdict(list)
    for track in tracks:
        if track.asked is not None:
            alike[track.asked.quote].append(track)
    changed: dict[int, Track] = {}
    for same_words in alike.values():
        if len({track.case.key for track in same_words}) >= FEWEST_TASKS:
            changed |= _after_the_preface(same_words)
    return [changed.get(id(track), track) for track in tracks]


def _after_the_preface(tracks: Sequence[Track]) -> dict[int, Track]:
    places = {Source(*track.case.place): track for track in tracks}
    task_texts = {
        source: task_text for source, row in open_rows(places) if (task_text := asked_in(Attempt(row))) is not None
    }
    texts = {text for text, _ in task_texts.values()}
    shared = commonprefix(sorted(texts)) if len(texts) > 1 else ""  # noqa: RUF071 - texts, no paths
    begin = max(shared.rfind(" "), shared.rfind("\n")) + 1
    if not begin:
        return {}
    return {
        id(places[source]): replace(places[source], asked=cite(*first_words(text, begin)))
        for source, (text, cite) in task_texts.items()
        if text[begin:].strip()
    }
