"""D3: anchor facts are enough, concrete, told apart from each other, and not to be guessed; the shallow baseline."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from blade.package.golden import Drafted
from blade.package.layout import Golden, Layout
from blade.package.review import fact_list
from blade.package.texts import parts, read_object, read_text
from blade.package.validate.aggregates import Aggregates
from blade.package.validate.result import Item, Result, failed, passed, some, warned

SHORTEST = 20
DIFFICULTIES = {"high", "medium", "low"}
MOST_GUESSABLE = 0.10
ALIKE = 0.9
_COUNTED = r"one|two|three|four|five|six|seven|eight|nine|ten|half|third|quarter|dozen|none|only"
_CONCRETE = re.compile(
    rf"\d|`[^`]+`|\"[^\"]{{3,}}\"|“[^”]{{3,}}”|\w_\w|\b[a-z]+[A-Z]\w*|\b[A-Z]{{3,}}\b|\b(?i:{_COUNTED})\b"
)
"""A number, a quote, or a name out of code or logs: something that can be looked up."""


def check_anchors(layout: Layout, golden: Golden, drafted: Drafted | None, fewest: int) -> Iterator[Result]:
    if golden.anchors is None:
        fix = f"Generate and review {layout.anchors_path(golden.model).name}: `{layout.draft_anchors(golden)}`"
        yield failed(
            Item.ANCHORS, "missing anchor facts", "golden report has no judge anchor facts", fix, golden.report.name
        )
        return
    file_name = layout.inside(golden.anchors)
    read = read_object(golden.anchors)
    facts = fact_list(read.value)
    if read.problem or not facts:
        detail = f"the file {read.problem or 'has no list of facts under anchor_facts'}"
        fix = f"Write them anew: `{layout.draft_anchors(golden)}`"
        yield failed(Item.ANCHORS, "anchor facts parse", detail, fix, file_name)
        return
    yield from _checked_facts(facts, Aggregates.of(golden, drafted, read.value), fewest, file_name)


def _checked_facts(
    facts: list[dict[str, Any]], aggregates: Aggregates, fewest: int, file_name: str
) -> Iterator[Result]:
    texts = [str(fact.get("fact") or fact.get("text") or "") for fact in facts]
    names = [str(fact.get("id", place)) for place, fact in enumerate(facts, start=1)]
    long = sum(len(text.strip()) >= SHORTEST for text in texts)
    check = f"at least {fewest} anchor facts of {SHORTEST} characters or more"
    if long < fewest:
        yield failed(Item.ANCHORS, check, f"{long} are there", "Add facts: `blade extract-anchor-facts`", file_name)
    else:
        yield passed(Item.ANCHORS, check, f"{long}", file_name)
    open_ones = (
        ("known difficulty", [not _has_difficulty(fact) for fact in facts], "Set difficulty to high, medium or low"),
        ("distinct", _repeated(texts, names), "Remove the copies; each fact counts once"),
        ("concrete", [not _concrete(fact, text) for fact, text in zip(facts, texts, strict=True)],
         "Name a task, a number or a quote, or remove the fact"),
        ("beyond aggregates", [aggregates.only(fact, text) for fact, text in zip(facts, texts, strict=True)],
         "Say which tasks, messages or calls are behind the number, or remove the fact"),
        ("not guessable", [_guessable(fact) for fact in facts],
         "Remove facts that hold in permuted data or in texts that never saw the rollouts"),
    )  # fmt: skip
    for word, wrong, fix in open_ones:
        bad = [name for name, is_wrong in zip(names, wrong, strict=True) if is_wrong]
        if bad:
            yield failed(Item.ANCHORS, f"anchor facts {word}", f"not so: {some(bad)}", fix, file_name)
        elif word != "not guessable" or any("guessability" in fact for fact in facts):
            yield passed(Item.ANCHORS, f"anchor facts {word}", file_name=file_name)


def _has_difficulty(fact: dict[str, Any]) -> bool:
    difficulty = fact.get("difficulty")
    return isinstance(difficulty, str) and difficulty.lower() in DIFFICULTIES


def _repeated(texts: list[str], names: list[str]) -> list[bool]:
    """Facts that say what an earlier one says, word for word or nearly, or that carry its id."""
    word_counts: list[Counter[str]] = []
    ids: set[str] = set()
    repeated = []
    for text, name in zip(texts, names, strict=True):
        words = Counter(re.findall(r"\w+", text.lower()))
        repeated.append(name in ids or any(_overlap(words, earlier_words) >= ALIKE for earlier_words in word_counts))
        word_counts.append(words)
        ids.add(name)
    return repeated


def _overlap(left: Counter[str], right: Counter[str]) -> float:
    """Shared words of all words. Texts that differ in a number differ."""
    if {word for word in left if word.isdigit()} != {word for word in right if word.isdigit()}:
        return 0.0
    return (left & right).total() / max((left | right).total(), 1)


def _concrete(fact: dict[str, Any], text: str) -> bool:
    return bool(_CONCRETE.search(text)) or any(fact.get(key) for key in ("predicate", "entities", "citations"))


def _guessable(fact: dict[str, Any]) -> bool:
    guessability = fact.get("guessability")
    return (
        isinstance(guessability, (int, float)) and not isinstance(guessability, bool) and guessability > MOST_GUESSABLE
    )


def check_shallow(layout: Layout, golden: Golden) -> Result:
    """Optional for upstream, and recommended: without it a calibration has no negative control."""
    check = "shallow baseline present (recommended)"
    make = layout.draft_shallow(golden)
    if golden.shallow is None:
        return warned(Item.SHALLOW, check, "there is none", f"`{make}`", golden.report.name)
    file_name = layout.inside(golden.shallow)
    text, report = read_text(golden.shallow), read_text(golden.report)
    if text.problem:
        return failed(Item.SHALLOW, check, f"the file {text.problem}", f"`{make}`", file_name)
    if not any(part.level for part in parts(text.value)):
        return failed(Item.SHALLOW, check, "it has no heading, so it looks like no report", f"`{make}`", file_name)
    if not report.problem and len(text.value.split()) >= len(report.value.split()):
        detail = "it is as long as the golden report, so it is no negative control"
        return failed(Item.SHALLOW, check, detail, f"`{make}`", file_name)
    return passed(Item.SHALLOW, check, file_name=file_name)
