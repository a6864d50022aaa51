"""Does a judge's text hold two verdicts, and which of them became the score?"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.evidence import open_rows
from blade.extract.judge_texts import judge_replies
from blade.extract.text import clip, squeeze
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.model import Source
from blade.questions import OF_THE_EVALUATION, in_order, judged, task_list
from blade.wording import amount, count, fact, listed

TITLE = "Two verdicts in a judge's text"
ORDER = 79
WEIGHT = OF_THE_EVALUATION
MOST_OPENED, FIRST_LOOK = 400, 12
"""So many rollouts of a run are opened, taken evenly; where none of the first has a judge's text, no other is."""
FEWEST, FEWEST_BOTH = 5, 3
"""Texts that hold one label alone, of each meaning; texts that hold both."""
SURE = 0.9
NEARLY_ALL = 0.95
LIKELY = 0.6
LONGEST_QUOTE = 120
_BRACKETS = late_regex(r"\[\[[^\[\]\n]{1,20}\]\]")
_CORRECT = late_regex(r"(?<![\w-])(?:(?:partially|partly|not) )?(?:in)?correct(?![\w-])", re.IGNORECASE)
_EQUIVALENT = late_regex(r"(?<![\w-])(?:not )?equivalent(?![\w-])", re.IGNORECASE)
_PASS = late_regex(r"(?<![\w-])(?:pass(?:ed)?|fail(?:ed)?)(?![\w-])", re.IGNORECASE)
_YES = late_regex(r"(?<![\w-])(?:yes|no)(?![\w-])", re.IGNORECASE)
_VOCABULARIES = (_BRACKETS, _CORRECT, _EQUIVALENT, _PASS, _YES)
_PATH = ("investigation", "judge_labels")


@frozen
class _Labelled:
    """A judged rollout, the labels of its judge's text in order, and where the last of them stands."""

    case: Case
    labels: tuple[str, ...]
    text: str
    last: int

    @property
    def full(self) -> bool:
        return bool(self.case.passed)


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The texts that hold labels of both meanings, by run, with what the first and the last of them say."""
    replies = [reply for run in runs for reply in _replies(run)]
    for pattern in _VOCABULARIES if replies else ():
        answer = _answer(runs, [labelled for case, text in replies if (labelled := _labelled(case, text, pattern))])
        if answer is not None:
            return answer
    return None


def _replies(run: RunCases) -> Iterator[tuple[Case, str]]:
    cases = judged(run)
    if next(_read(cases[:: max(1, len(cases) // FIRST_LOOK)]), None) is not None:
        yield from _read(cases[:: max(1, -(-len(cases) // MOST_OPENED))])


def _read(cases: Sequence[Case]) -> Iterator[tuple[Case, str]]:
    by_place = {case.place: case for case in cases}
    for source, row in open_rows(Source(*case.place) for case in cases):
        if texts := judge_replies(row):
            yield by_place[source.file, source.line, source.offset, source.length], max(texts, key=len)


def _labelled(case: Case, text: str, pattern: re.Pattern[str]) -> _Labelled | None:
    matches = list(pattern.finditer(text))
    labels = tuple(squeeze(match[0] if pattern is _BRACKETS else match[0].casefold()) for match in matches)
    return _Labelled(case, labels, text, matches[-1].start()) if labels else None


def _answer(runs: Sequence[RunCases], texts: Sequence[_Labelled]) -> dict[str, Any] | None:
    meanings = _meanings(texts)
    if len(set(meanings.values())) < 2:
        return None
    both = [text for text in texts if len({meanings[label] for label in text.labels if label in meanings}) == 2]
    single = len(texts) - len(both)
    if len(both) < FEWEST_BOTH or single < len(both):
        return None
    first, last = (
        [next(meanings[label] for label in labels if label in meanings) for labels in map(order, both)]
        for order in (lambda text: text.labels, lambda text: reversed(text.labels))
    )
    agree_first, agree_last = (
        sum(says is text.full for says, text in zip(side, both, strict=True)) for side in (first, last)
    )
    contradicted = [text for text, says in zip(both, last, strict=True) if says is not text.full]
    good, bad = (_commonest(texts, meanings, meaning) for meaning in (True, False))
    shown = min(contradicted or both, key=lambda text: (len(text.text), text.case.label))
    return {
        "good": good,
        "bad": bad,
        "texts": len(texts),
        "both": len(both),
        "failures": sum(not text.full for text in both),
        "first": agree_first,
        "last": agree_last,
        "contradicted": len(contradicted),
        "failing": sum(not text.full for text in contradicted),
        "tasks": in_order(text.case.label for text in both),
        "runs": [_of_run(run, both, contradicted) for run in runs],
        "example": _example(shown),
    }


def _meanings(texts: Sequence[_Labelled]) -> dict[str, bool]:
    """Label → whether texts that hold no other pass; only of labels that tell."""
    outcomes: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for text in texts:
        if len(set(text.labels)) == 1:
            outcomes[text.labels[0]][text.full] += 1
    meanings = {}
    for label, ends in outcomes.items():
        passed, rollouts = ends[True], ends.total()
        if rollouts >= FEWEST and max(passed, rollouts - passed) >= SURE * rollouts:
            meanings[label] = 2 * passed > rollouts
    return meanings


def _commonest(texts: Sequence[_Labelled], meanings: Mapping[str, bool], meaning: bool) -> str:
    counts = Counter(label for text in texts for label in set(text.labels) if meanings.get(label) is meaning)
    return min(counts, key=lambda label: (-counts[label], label))


def _of_run(run: RunCases, both: Sequence[_Labelled], contradicted: Sequence[_Labelled]) -> dict[str, Any]:
    name = run.run.name
    cases = judged(run)
    moved = [text for text in contradicted if text.case.run == name]
    passes = sum(bool(case.passed) for case in cases)
    return {
        "run": name,
        "both": sum(text.case.run == name for text in both),
        "judged": len(cases),
        "passes": passes,
        "by_last": passes + sum(1 if not text.full else -1 for text in moved),
    }


def _example(text: _Labelled) -> dict[str, Any]:
    case = text.case
    return {
        "run": case.run,
        "task": case.label,
        "attempt": case.attempt,
        "quote": clip(squeeze(text.text[-LONGEST_QUOTE:]), LONGEST_QUOTE),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(answer)))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(answer))


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    both = answer["both"]
    shares = listed([f"{run['run']} {run['both']:,}" for run in answer["runs"] if run["both"]])
    yield say(
        "{both} of {texts} of a judge hold both “{good}” and “{bad}” ({shares}; {tasks}): {follows}.",
        both=amount(both, *_PATH, "both"),
        texts=fact(count(answer["texts"], "text"), answer["texts"], *_PATH, "texts"),
        good=answer["good"],
        bad=answer["bad"],
        shares=shares,
        tasks=task_list(answer["tasks"]),
        follows=_follows(answer),
    )
    example = answer["example"]
    yield say(
        "As in task {task}, attempt {attempt} of {run}: “{quote}”.",
        **{name: str(value) for name, value in example.items()},
    )
    alike = answer["failures"] in (0, answer["both"])
    moved = [run for run in answer["runs"] if alike and run["by_last"] != run["passes"]]
    if moved:
        lines = [f"{run['run']} {run['by_last']:,} of {run['judged']:,} instead of {run['passes']:,}" for run in moved]
        yield say("If the last of them were the verdict, the runs would pass: {lines}.", lines=listed(lines))
    yield say("Read these texts: the score is read off them by their words, and may not be what the judge means.")


def _follows(answer: Mapping[str, Any]) -> str:
    both, failures = answer["both"], answer["failures"]
    last = f"in {answer['contradicted']:,} the last of them says otherwise"
    if failures == both or not failures:
        return f"all are scored as {'failures' if failures else 'passes'}, and {last}"
    if answer["first"] >= NEARLY_ALL * both:
        return f"the score follows the first of them in {answer['first']:,}, and {last}"
    if answer["last"] >= NEARLY_ALL * both:
        return f"the score follows the last of them in {answer['last']:,}"
    return f"{failures:,} are scored as failures, and {last}"


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    if answer["contradicted"]:
        yield Advice(
            "verifier",
            "Ask the judge for its verdict on a line of its own, read it from there, and judge these again",
            say(
                "{contradicted} are scored against the last verdict in the judge's text.",
                contradicted=fact(
                    count(answer["contradicted"], "rollout"), answer["contradicted"], *_PATH, "contradicted"
                ),
            ),
            answer["failing"],
            LIKELY,
            before_scores=True,
        )
