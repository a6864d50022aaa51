"""How do wrong numbers differ from the key: by a factor of 100, a power of ten, a sign, one, a rounding? And texts?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.value_classes import (
    ANSWER,
    ARGUMENT,
    COMPLEMENT,
    EQUAL,
    FEWER_WORDS,
    HUNDRED,
    MORE_WORDS,
    NUMBER_CLASSES,
    ONE_OFF,
    PARTS,
    POWER,
    ROUNDED,
    SIGN,
    TEXT_CLASSES,
    TWICE,
    ValuePair,
    answer_pair_of,
    chance,
    number_of,
    value_pair_of,
)
from blade.document import Advice, Block, Bullets, Fact, Paragraph, Sentence, say
from blade.evidence import open_rows
from blade.extract.schema import offered_tools
from blade.extract.text import clip
from blade.extract.value_pairs import NUMBER
from blade.model import Source
from blade.questions import SURE, in_order, judged, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, printable

TITLE = "How wrong numbers differ from the key"
ORDER = 46
Path = tuple[str | int, ...]
LONGEST_DESCRIPTION = 160
FEWEST = 5
FEWEST_TASKS = 3
SHARE = 0.08
MUCH = 0.1
LIKELY, DOUBTFUL = 0.5, 0.3
COPIED = "copied"
_UP, _DOWN = "more", "less"
MOST_RUNS = 4
_WORDS = {
    HUNDRED: "is 100 times the key's or a hundredth of it",
    POWER: "is the key's times or divided by a power of ten other than 100, as with another unit",
    SIGN: "is the key's with the other sign",
    ROUNDED: "is the key's up to rounding",
    ONE_OFF: "is one more or one less than the key's",
    TWICE: "is twice or half the key's",
    PARTS: "is a fraction whose two numbers add up to the key, so that the last step asked for is missing",
    COMPLEMENT: "and the key add up to one, as with the other of two cases",
    MORE_WORDS: "holds the key's, with more words around it",
    FEWER_WORDS: "is a part of the key's, which has more words",
    COPIED: "stands word for word in the request, and nothing that the key takes does",
}
_ONE_WAY = {
    (HUNDRED, _UP): "is 100 times the key's",
    (HUNDRED, _DOWN): "is a hundredth of the key's",
    (ONE_OFF, _UP): "is one more than the key's",
    (ONE_OFF, _DOWN): "is one less than the key's",
    (TWICE, _UP): "is twice the key's",
    (TWICE, _DOWN): "is half the key's",
}
"""Where all values of a class differ in one direction."""
_PER_CENT = {
    _UP: ", a percentage where the key has a fraction",
    _DOWN: ", a fraction where the key has a percentage",
    "": ", a percentage against a fraction",
}


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per class of difference the failures in it, by run, beside the failures and passes in which both are known."""
    cases = [case for run in runs for case in judged(run)]
    pairs = [pair for case in cases if not case.passed and (pair := value_pair_of(case)) is not None]
    wrong = [pair for pair in pairs if pair.differs != EQUAL]
    if len(wrong) < FEWEST:
        return None
    common = {}
    for name in (*NUMBER_CLASSES, *TEXT_CLASSES):
        alike = [pair for pair in wrong if pair.differs == name]
        comparable = [pair for pair in wrong if (pair.kind == NUMBER) is (name in NUMBER_CLASSES)]
        tasks = {pair.case.key for pair in alike}
        if len(alike) < FEWEST or (name != PARTS and len(alike) < SHARE * len(comparable)) or len(tasks) < FEWEST_TASKS:
            continue
        common[name] = alike, comparable
    p_of = chance(wrong) if common else {}
    entries = []
    for name, (alike, comparable) in common.items():
        if p_of.get(name, 1.0) > SURE:
            continue
        entry = _entry(name, alike, comparable, cases, runs)
        if not entry["passes"] or entry["passes"] * len(comparable) < len(alike) * entry["known_passes"]:
            entries.append({**entry, "p": significant(p_of[name], WRITTEN)})
    copied = _copied(wrong, cases, runs)
    if not entries and copied is None:
        return None
    return {"classes": sorted(entries, key=lambda entry: -entry["failures"]), "copied": copied}


def _copied(wrong: Sequence[ValuePair], cases: Sequence[Case], runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Refused texts that stand in the request, where none that would be right does: the key has another form."""
    texts = [pair for pair in wrong if pair.kind != NUMBER and pair.source == ARGUMENT]
    copies = [pair for pair in texts if pair.case.observed.get("copied")]
    if len(copies) < FEWEST or len({pair.case.key for pair in copies}) < FEWEST_TASKS:
        return None
    return _entry(COPIED, copies, texts, cases, runs)


def _entry(
    name: str,
    alike: Sequence[ValuePair],
    comparable: Sequence[ValuePair],
    cases: Sequence[Case],
    runs: Sequence[RunCases],
) -> dict[str, Any]:
    tasks, rollouts = {pair.case.key for pair in alike}, {id(pair.case) for pair in alike}
    other_rollouts = [case for case in cases if case.key in tasks and id(case) not in rollouts]
    of_answers = any(pair.source == ANSWER for pair in alike)
    passes = [pair for case in cases if of_answers and case.passed and (pair := answer_pair_of(case))]
    actual, expected = alike[0].example
    return {
        "class": name,
        "of": "number" if name in NUMBER_CLASSES else "text",
        "value": alike[0].source if len({pair.source for pair in alike}) == 1 else "value",
        "failures": len(alike),
        "known": len(comparable),
        "runs": [_of_run(run.run.name, alike, comparable, cases) for run in runs],
        "tasks": in_order(pair.case.label for pair in alike),
        "others": len(other_rollouts),
        "passing_others": sum(bool(case.passed) for case in other_rollouts),
        "passes": sum(pair.differs == name for pair in passes),
        "known_passes": len(passes),
        "more": sum(map(_is_more, alike)) if name in NUMBER_CLASSES else 0,
        "fractions": sum(map(_is_fraction, alike)) if name == HUNDRED else 0,
        "described": _described(alike[0]),
        "asked": sum(bool((pair.case.observed.get("answer") or {}).get("exact")) for pair in alike),
        "example": {
            "task": alike[0].case.label,
            "run": alike[0].case.run,
            "name": alike[0].name,
            "given": actual,
            "right": expected,
        },
    }


def _described(pair: ValuePair) -> str:
    """What a tool that the request offers says of the argument; empty where none takes it or says anything."""
    for _, row in open_rows([Source(*pair.case.place)]) if pair.source == ARGUMENT and pair.name else ():
        for tool in (offered_tools(row.get("responses_create_params")) or {}).values():
            field = tool.properties.get(pair.name)
            if isinstance(field, dict) and isinstance(words := field.get("description"), str) and words.strip():
                return clip(" ".join(words.split()), LONGEST_DESCRIPTION)
    return ""


def _of_run(
    run: str, alike: Sequence[ValuePair], comparable: Sequence[ValuePair], cases: Sequence[Case]
) -> dict[str, Any]:
    return {
        "run": run,
        "failures": sum(pair.case.run == run for pair in alike),
        "known": sum(pair.case.run == run for pair in comparable),
        "of": sum(case.run == run and not case.passed for case in cases),
    }


def _sizes(pair: ValuePair) -> tuple[Fraction, Fraction]:
    actual, expected = (number_of(text) or Fraction(0) for text in pair.example)
    return abs(actual), abs(expected)


def _is_more(pair: ValuePair) -> bool:
    actual, expected = _sizes(pair)
    return actual > expected


def _is_fraction(pair: ValuePair) -> bool:
    """Whether the smaller of both is a part of one, as the fraction of a percentage is."""
    return min(_sizes(pair)) <= 1


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [
        Paragraph(tuple(_sentences((*_AT, "classes", place), entry))) for place, entry in enumerate(answer["classes"])
    ]
    if answer["copied"]:
        items.append(Paragraph(tuple(_sentences((*_AT, "copied"), answer["copied"]))))
    return [Bullets(tuple(items))]


def _sentences(path: Path, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _first(path, entry)
    if entry["others"]:
        yield say(
            f"Of the {{others}} of these tasks {{passes}} {'passes' if entry['passing_others'] == 1 else 'pass'}.",
            others=fact(count(entry["others"], "other rollout"), entry["others"], *path, "others"),
            passes=amount(entry["passing_others"], *path, "passing_others"),
        )
    if entry["described"]:
        yield say("The tool describes {name} as “{words}”.", name=entry["example"]["name"], words=entry["described"])
    if entry["known_passes"]:
        verb = "differs" if entry["passes"] == 1 else "differ"
        yield say(
            f"Of {{known}} with both numbers known, {{passes}} {verb} so.",
            known=fact(count(entry["known_passes"], "pass", "passes"), entry["known_passes"], *path, "known_passes"),
            passes=amount(entry["passes"], *path, "passes"),
        )


def _first(path: Path, entry: Mapping[str, Any]) -> Sentence:
    condition = f"whose wrong {entry['of']} and key are known"
    difference = f"the {entry['value']} given {_difference(entry)}"
    tasks = task_list(entry["tasks"])
    return Sentence(("In ", *_shares(path, entry), f" {condition}, {difference} ({_example(entry)}; {tasks})."))


def _shares(path: Path, entry: Mapping[str, Any]) -> list[str | Fact]:
    """The failures of each run; where these are many, of all together."""
    runs = [(index, run) for index, run in enumerate(entry["runs"]) if run["failures"]]
    if len(runs) > MOST_RUNS:
        comparable = fact(count(entry["known"], "failure"), entry["known"], *path, "known")
        return [
            amount(entry["failures"], *path, "failures"),
            " of ",
            comparable,
            f" of all {len(entry['runs']):,} runs",
        ]
    shares: list[str | Fact] = []
    for index, run in runs:
        shares += [" and " if index == runs[-1][0] else ", "] if shares else []
        shares += [
            amount(run["failures"], *path, "runs", index, "failures"),
            " of ",
            fact(count(run["known"], "failure"), run["known"], *path, "runs", index, "known"),
            f" of {run['run']}",
        ]
    return shares


def _difference(entry: Mapping[str, Any]) -> str:
    name, larger = entry["class"], entry["more"]
    direction = _UP if larger == entry["failures"] else _DOWN if not larger else ""
    words = _ONE_WAY.get((name, direction), _WORDS[name])
    return words + (_PER_CENT[direction] if name == HUNDRED and entry["fractions"] == entry["failures"] else "")


def _example(entry: Mapping[str, Any]) -> str:
    example = entry["example"]
    actual, expected = (printable(example[side]) for side in ("given", "right"))
    words = f"{actual} for {expected}" if entry["of"] == NUMBER else f"“{actual}” for “{expected}”"
    return words + (f" as {printable(example['name'])}" if example["name"] else "")


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """For the first screen: a class that makes up a good part of all failures of a run."""
    for place, entry in enumerate(answer["classes"]):
        if any(run["of"] and run["failures"] >= MUCH * run["of"] for run in entry["runs"]):
            yield _first((*_AT, "classes", place), entry)
            return


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """State the unit or the form of a value, or compare with a tolerance, where failures differ by that."""
    for place, entry in enumerate(answer["classes"]):
        if entry["class"] not in _CHANGES:
            continue
        kind, change, sure = _CHANGES[entry["class"]]
        if change == _UNIT and entry["described"]:
            kind, change = "environment", _CHECKED_UNIT.format(**entry["example"], words=entry["described"])
        mended = entry["failures"] - (entry["asked"] if entry["class"] == ROUNDED else 0)
        if mended >= FEWEST:
            yield Advice(kind, change, _reason(place, entry), mended, sure)


def _reason(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = (*_AT, "classes", place)
    article = "an" if entry["value"] in (ARGUMENT, ANSWER) else "a"
    failures = fact(count(entry["failures"], "failure"), entry["failures"], *path, "failures")
    return Sentence((failures, f" give {article} {entry['value']} that {_difference(entry)} ({_example(entry)})."))


_UNIT = (
    "State the unit of numbers (percentage or fraction, ones or thousands) in the prompt or in the tool's description, "
    "with an example, or let the verifier accept both where the text does not say which"
)
_CHECKED_UNIT = (
    "Have the tool refuse or ask again where {name} cannot be in its unit: it is described as “{words}”, and that is "
    "not enough"
)
_TEXT = (
    "Say in the prompt or in the tool's description what a text argument holds and what it leaves out, with an "
    "example, or let the verifier accept both where the text does not say which"
)
_TOLERANCE = "Have the verifier compare numbers with a tolerance, and judge again what differs by rounding alone"
_CHANGES = {
    HUNDRED: ("prompt", _UNIT, LIKELY),
    POWER: ("prompt", _UNIT, DOUBTFUL),
    ROUNDED: ("verifier", _TOLERANCE, LIKELY),
    MORE_WORDS: ("prompt", _TEXT, DOUBTFUL),
    FEWER_WORDS: ("prompt", _TEXT, DOUBTFUL),
}
_AT = ("investigation", "wrong_numbers")
