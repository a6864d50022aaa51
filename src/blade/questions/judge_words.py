"""Does the verdict of a judge that gives reasons follow its own words, and does it call the key wrong?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.diagnosis.judge_reasons import JudgeReason, are_reasons, judge_reasons, sentence_at
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.late_regex import late_regex
from blade.questions import OF_THE_EVALUATION, in_order, task_list
from blade.wording import count, fact, plain

TITLE = "Verdicts against the judge's words"
ORDER = 79
WEIGHT = OF_THE_EVALUATION
SURE_OF_WORDS = 0.5
_SUBJECT = (
    r"\b(?:answer|submission|response|solution|output|result|candidate|conclusion|value|claim|figure|fact)\b"
    r"[^.\n]{0,60}?\b"
)
_KEY = (
    r"(?:expert|reference|gold(?:en)?|target|ground[- ]truth|official|expected|correct|authoritative|standard)"
    r"(?:['’]s)?(?: (?:answer|solution|response|result|key|value|reference|derivation))?\b"
)
_THE_KEY = rf"\s+(?:the |that of the |this )?{_KEY}"
_SAME = late_regex(
    _SUBJECT
    + r"(?P<verb>identical to|equivalent to|equal to|equals|the same as|match(?:es|ing)?(?: exactly)?|agrees? with|"
    r"conveys)" + _THE_KEY,
    re.IGNORECASE,
)
_AGREE = late_regex(
    r"\b(?:the two|both(?: of them)?|they)(?: (?:answers|values|facts|dates|names|numbers))?\s+"
    r"(?P<verb>agree|match|coincide|are (?:(?:exactly|essentially) )?(?:the same|identical|equal|equivalent))\b",
    re.IGNORECASE,
)
"""Said of the answer and the key where both were named just before."""
_OTHER = late_regex(
    _SUBJECT + r"(?P<verb>differs? from|different from|contradicts|disagrees? with|inconsistent with|"
    r"(?:does not|doesn['’]t|did not|didn['’]t) (?:match|agree with)|"
    r"(?:is|was) ?(?:not|n['’]t) (?:\w+ )?(?:equivalent to|equal to|identical to|the same as))" + _THE_KEY,
    re.IGNORECASE,
)
_WRONG = (
    r"(?:(?:is|was|appears?|seems?|must be|may be)(?: to be| likely| probably| actually| itself| also| \w+ly)* "
    r"(?:incorrect|wrong|mistaken|erroneous|flawed|inaccurate|a typo)|"
    r"(?:contains?|has) an? (?:\w+ )?(?:error|typo|mistake))"
)
_NAMES_KEY = late_regex(rf"\b{_KEY}", re.IGNORECASE)
_DISPUTED = late_regex(rf"\b{_KEY}[^.\n]{{0,40}}?\b{_WRONG}|\b(?:error|typo|mistake) in the {_KEY}", re.IGNORECASE)
_UNSAID = late_regex(
    r"\b(?:not|n['’]t|never|nor|fails? to|partial(?:ly)?|partly|if|whether|unless|should|must|needs?|except|but)\b",
    re.IGNORECASE,
)
"""Words that make another sentence of it."""
_NEGATED = late_regex(r"(?:\bnot|n['’]t|\bnever|\bnor)\s+(?:\w+\s+)?$", re.IGNORECASE)
_SUPPOSED = late_regex(r"\b(?:if|whether|assum\w*|suppos\w*)\b", re.IGNORECASE)
_AT = ("investigation", "judge_words")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Rollouts whose verdict contradicts the judge's words, and keys that it calls wrong."""
    reasons = [reason for run in runs for reason in judge_reasons(run)]
    if not are_reasons(reason.text for reason in reasons):
        return None
    denied = [(reason, words) for reason in reasons if not reason.full and (words := _agrees(reason.text))]
    granted = [(reason, words) for reason in reasons if reason.full and (words := _says(reason.text, _OTHER, _SAME))]
    disputed = [(reason, words) for reason in reasons if (words := _says(reason.text, _DISPUTED, None))]
    answer = {
        "reasons": len(reasons),
        "denied": [_entry(*pair) for pair in denied],
        "granted": [_entry(*pair) for pair in granted],
        "disputed": [_entry(*pair) for pair in disputed],
    }
    return answer if any(answer[name] for name in ("denied", "granted", "disputed")) else None


def _agrees(text: str) -> str:
    """The sentence in which a judge says that answer and key are the same."""
    if words := _says(text, _SAME, _OTHER):
        return words
    return _says(text, _AGREE, _OTHER) if _NAMES_KEY.search(text) else ""


def _says(text: str, pattern: re.Pattern[str], opposite: re.Pattern[str] | None) -> str:
    """The sentence in which a judge says so; empty where it says the opposite, too, or says it with a reservation."""
    if opposite is not None and any(
        not _NEGATED.search(text[: match.start("verb")]) for match in opposite.finditer(text)
    ):
        return ""
    for match in pattern.finditer(text):
        sentence = sentence_at(text, match.start())
        if (pattern is _OTHER or not _UNSAID.search(match[0])) and not _SUPPOSED.search(sentence):
            return sentence
    return ""


def _entry(reason: JudgeReason, words: str) -> dict[str, Any]:
    case = reason.case
    return {"run": case.run, "task": case.label, "attempt": case.attempt, "reward": case.reward, "says": words}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph((sentence,)) for sentence in _findings(answer)))]


def _findings(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Verdicts against the judge's own words, and keys that it calls wrong."""
    texts = {
        "granted": "In {many} ({tasks}) the judge says that the answer differs from the key and gives the full "
        "score{example}: “{says}”",
        "denied": "In {many} ({tasks}) the judge says that the answer equals the key and gives less than the full "
        "score{example} ({reward}): “{says}”",
        "disputed": "In {many} ({tasks}) the judge calls the key wrong{example}: “{says}” That is its opinion: check "
        "these keys.",
    }
    for name, text in texts.items():
        entries = answer[name]
        if entries:
            yield say(
                text,
                many=fact(count(len(entries), "rollout"), entries, *_AT, name),
                tasks=f"{'task' if len({entry['task'] for entry in entries}) == 1 else 'tasks'} "
                + task_list(entry["task"] for entry in entries),
                example=f", as in {entries[0]['task']}" if len(entries) > 1 else "",
                says=entries[0]["says"],
                **({"reward": plain(entries[0]["reward"])} if name == "denied" else {}),
            )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """For the first screen: where verdicts contradict the words of who gave them."""
    yield from _findings(answer)


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Judge again where the judge contradicts itself, and read the keys that it calls wrong."""
    contradicting = [*answer["granted"], *answer["denied"]]
    if contradicting:
        yield Advice(
            "verifier",
            "Judge these rollouts again, with a judge that is held to its own comparison with the key",
            say(
                "{many} against the words of the judge.", many=count(len(contradicting), "verdict goes", "verdicts go")
            ),
            len(contradicting),
            SURE_OF_WORDS,
        )
    if answer["disputed"]:
        tasks = in_order(entry["task"] for entry in answer["disputed"])
        yield Advice(
            "data",
            "Check the keys that the judge calls wrong; repair or drop what is wrong",
            say("It does so in {tasks}.", tasks=task_list(tasks)),
            len(answer["disputed"]),
            SURE_OF_WORDS,
        )
