"""A story in words: what was asked, what the attempt did, where it went wrong, what a passing attempt did instead."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from blade.diagnosis.definitions import INSUFFICIENT
from blade.diagnosis.transcript_summary import SCREEN
from blade.document import Block, Heading, Paragraph, Quote, Sentence, say
from blade.model import Analysis
from blade.registry import plugins
from blade.wording import at, count, fact, listed, name, worth_quoting

Story = Mapping[str, Any]
TWO = 2


def stories_of(analysis: Analysis, run: str, bucket: str) -> list[Story]:
    """The stories of one run and bucket, in order."""
    return [story for story in analysis.stories if (story["run"], story["bucket"]) == (run, bucket)]


def tell(analysis: Analysis, stories: Collection[Story]) -> list[Block]:
    """The stories in words; none where there are none."""
    story_ids = {id(story) for story in stories}
    places = (place for place, story in enumerate(analysis.stories) if id(story) in story_ids)
    return [block for place in places for block in _blocks(analysis, analysis.stories[place], place)]


def _blocks(analysis: Analysis, story: Story, place: int) -> Iterator[Block]:
    path = ("stories", place)
    wrong, parts, instead = story["wrong"], story["parts"], story["instead"]
    yield Heading(_heading(analysis, story))
    if story["asked"]:
        yield Quote(story["asked"], f"the task, {_source(story, 'asked')}", at(*path, "asked"))
    yield Paragraph(tuple(_course(story, place)))
    if wrong and worth_quoting(wrong["quote"]):
        yield Quote(wrong["quote"], _attempt(story["fail"], story, "wrong"), at(*path, "wrong", "quote"))
    if story["raised"]:
        yield Quote(story["raised"], _attempt(story["fail"], story, "raised"), at(*path, "raised"))
    if story["also"]:
        statements = "; ".join(item["statement"] for item in story["also"])
        apart = ", and not in the passing one" if instead else ""
        quote = story["also"][0]["quote"]
        mark = ":" if worth_quoting(quote) else "."
        words = "Also noticed in this attempt{apart}: {what}{mark}"
        yield Paragraph((say(words, apart=apart, what=statements, mark=mark),))
        if worth_quoting(quote):
            yield Quote(quote, _attempt(story["fail"], story, "also"), at(*path, "also", 0, "quote"))
    if parts and instead:
        yield Paragraph(tuple(_parting(story, place)))
        if worth_quoting(parts["quote"]) and not (wrong and _at_one_item(story, "wrong", "fail")):
            source = f"failing {_attempt(story['fail'], story, 'fail')}"
            yield Quote(parts["quote"], source, at(*path, "parts", "quote"))
        if worth_quoting(instead["quote"]):
            source = f"passing {_attempt(instead['attempt'], story, 'instead')}"
            yield Quote(instead["quote"], source, at(*path, "instead", "quote"))
    closing = tuple(_closing(story, place))
    if closing:
        yield Paragraph(closing)


def _heading(analysis: Analysis, story: Story) -> str:
    mode = next((mode.name for mode in analysis.modes if mode.id == story["mode"]), "")
    if story["limit"]:
        mode = plugins("detectors")[story["wrong"]["detector"]].TITLE
    if story["cause"]:
        return f"{story['task']}: {story['cause']}"
    return f"{story['task']}: {mode if story['wrong'] else 'no rule explains it'}"


def _course(story: Story, place: int) -> Iterator[Sentence]:
    path = ("stories", place)
    attempt = fact(f"Attempt {story['fail']}", story["fail"], *path, "fail")
    passes = fact(f"{story['passes']:,}", story["passes"], *path, "passes")
    attempts = fact(count(story["attempts"], "attempt"), story["attempts"], *path, "attempts")
    if story["passes"]:
        yield say("It passes in {passes} of {attempts}.", passes=passes, attempts=attempts)
    else:
        both = "both attempts" if story["attempts"] == TWO else "all {attempts}"
        words = "Its only judged attempt fails." if story["attempts"] == 1 else f"It fails in {both}."
        yield say(words, attempts=attempts)
    if story["calls"]:
        calls = fact(count(story["calls"], "call"), story["calls"], *path, "calls")
        words = "{attempt} makes {calls} ({did}) and ends on {end}."
        if story.get("midway"):
            words = "The record of {attempt} begins in mid-run; it shows {calls} ({did}) and ends on {end}."
            attempt = replace(attempt, text=attempt.text.lower())
        yield say(
            words,
            attempt=attempt,
            calls=calls,
            did=story["did"],
            end=story["ends_on"],
        )
    elif story["ends_on"] == SCREEN:
        yield say("What the model did in {attempt} is not recorded: there is only {end}.", attempt=attempt, end=SCREEN)
    elif story["ends_on"] and not story["records_calls"]:
        yield say("{attempt} ends on {end}.", attempt=attempt, end=story["ends_on"])
    elif story["ends_on"]:
        yield say("{attempt} makes no call and ends on {end}.", attempt=attempt, end=story["ends_on"])
    else:
        yield say("{attempt} left no transcript.", attempt=attempt)
    wrong = story["wrong"]
    if wrong is None:
        raised = " Its judging raised an error:" if story["raised"] else ""
        yield say("No rule explains its failures.{raised}", raised=raised)
    else:
        recorded = story["cause"] or _passes_show_it(story) or " " not in wrong["statement"]
        lead = "What the record shows" if recorded else "It goes wrong here"
        statement = _beside_limit(story, wrong["statement"])
        yield say("{lead}: {what}{mark}", lead=lead, what=statement, mark=":" if worth_quoting(wrong["quote"]) else ".")


def _passes_show_it(story: Story) -> bool:
    """Whether a pass of the task shows what is told of the failure, too."""
    return bool(story["instead"] and story["instead"]["same_sign"])


def _beside_limit(story: Story, statement: str) -> str:
    """What goes wrong; where it is the work's own error, the word for a time limit comes second."""
    return (
        f"{statement}, so that more time alone may not help; besides, {limit}"
        if (limit := story["limit"])
        else statement
    )


def _parting(story: Story, place: int) -> Iterator[Sentence]:
    path = ("stories", place, "instead")
    instead = story["instead"]
    attempt = fact(f"Attempt {instead['attempt']}", instead["attempt"], *path, "attempt")
    if instead["run"] == story["run"]:
        yield say("{attempt} passes: {what}.", attempt=attempt, what=story["parts"]["statement"])
    else:
        run = name(instead["run"], *path, "run")
        yield say("{attempt} of {run} passes: {what}.", attempt=attempt, run=run, what=story["parts"]["statement"])
    if instead["lucky"]:
        yield say("That pass looks like luck: {why}.", why=instead["lucky_because"])
    if instead["same_sign"]:
        yield say(
            "It shows the same sign ({rule}), so that this alone decides nothing here.", rule=instead["same_sign"]
        )


def _closing(story: Story, place: int) -> Iterator[Sentence]:
    path = ("stories", place)
    if story["failed"] > 1 and story["wrong"]:
        apart = "" if story["same_checks"] else ", though not all fail the same checks"
        agree = fact(f"{story['agree']:,}", story["agree"], *path, "agree")
        failed = fact(count(story["failed"], "failing attempt"), story["failed"], *path, "failed")
        if story.get("answers", 1) > 1:
            yield say(
                "{agree} of {failed} {give} a wrong answer, {answers} different ones.",
                agree=agree,
                failed=failed,
                give="gives" if story["agree"] == 1 else "give",
                answers=fact(f"{story['answers']:,}", story["answers"], *path, "answers"),
            )
        elif story["agree"] == story["failed"]:
            words = "Both failing attempts" if story["failed"] == 2 else f"All {failed.text}"
            yield say("{failed} go wrong this way" + apart + ".", failed=replace(failed, text=words))
        else:
            left = story["failed"] - story["agree"]
            if story.get("others_same_checks"):
                apart = "; the other fails the same checks" if left == 1 else "; the others fail the same checks"
            go = "goes" if story["agree"] == 1 else "go"
            yield say("{agree} of {failed} " + go + " wrong this way" + apart + ".", agree=agree, failed=failed)
    if story["label"]:
        reason = story["why"].rpartition(": ")[2] if story["label"] == [INSUFFICIENT] else story["why"]
        reason = f" ({reason})" if reason else ""
        if story["task_label"] in (None, story["label"]):
            yield say("Label: {label}{why}.", label=listed(story["label"]), why=reason)
        else:
            yield say(
                "Label of attempt {attempt}: {label}{why}; of the task, over all its attempts: {whole}.",
                attempt=fact(str(story["fail"]), story["fail"], *path, "fail"),
                label=listed(story["label"]),
                why=reason,
                whole=listed(story["task_label"]),
            )
    if story["fix"]:
        yield say("What to change: {fix}", fix=story["fix"].rstrip(".") + ".")


def _proof(story: Story, role: str) -> Mapping[str, Any]:
    return next((proof for proof in story["evidence"] if proof["role"] == role), {})


def _attempt(number: int, story: Story, role: str) -> str:
    return f"attempt {number}, {_source(story, role)}"


def _source(story: Story, role: str) -> str:
    """Where a quote stands, for people: the item or the field. The line is in the analysis, and follows row order."""
    proof = _proof(story, role)
    item = proof["item"]
    return "the prompt" if item is not None and item < 0 else str(proof["field"]) if item is None else f"item {item}"


def _at_one_item(story: Story, first: str, second: str) -> bool:
    """Whether two quotes stand at the same item."""
    left, right = _proof(story, first), _proof(story, second)
    return bool(left and right) and left["item"] is not None and left["item"] == right["item"]
