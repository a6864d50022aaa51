"""Of how many failures does nothing say why: no check, message, log or answer, and no error?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.verdict_words import verdict_word_fields
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.extract.names import words
from blade.model import Status
from blade.questions import judged
from blade.wording import abridged, amount, count, fact

TITLE = "Failures without a recorded reason"
ORDER = 32
WEIGHT = 0.8
FEWEST = 20
MUCH = 0.3
"""Of the judged failures."""
RUNS_TOLD = 4
LONGEST_WORD = 20
"""A longer text, or one of several words, may be a reason; a shorter one is a class or a name."""
REASONS = frozenset(
    "verifier result results shape expected answer step_scores value_pair refused_value verdict_parts own_judge".split()
)
"""What is observed of a row where its verifier, its key or its steps say more than the verdict."""
NOT_OF_THE_VERDICT = frozenset(
    "task id ids name names metadata prompt instruction question agent model config path file date time url".split()
)


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Judged failures that ended by themselves and record a verdict alone, by run."""
    reasons = verdict_word_fields(runs)
    entries = [entry for run in runs if (entry := _entry(run, reasons))["failures"]]
    failures, bare = (sum(entry[key] for entry in entries) for key in ("failures", "bare"))
    if bare < max(FEWEST, MUCH * failures):
        return None
    entries.sort(key=lambda entry: (-entry["bare"], entry["run"]))
    unseen = sum(entry["unseen"] for entry in entries)
    return {"failures": failures, "bare": bare, "unseen": unseen, "runs": [entry for entry in entries if entry["bare"]]}


def _entry(run: RunCases, reasons: frozenset[str]) -> dict[str, Any]:
    ended = {id(case) for case in judged(run) if not case.passed}
    logs = run.run.graded["log_ends"].list.len().fill_null(0).to_list()
    bare = [
        case
        for case, fields, log in zip(run.cases, run.fields(), logs, strict=True)
        if id(case) in ended
        and not log
        and _is_bare(case)
        and not any(fields.get(name) for name in reasons)
        and not any(map(_is_reason, fields, fields.values()))
    ]
    unseen = sum(not case.shows_the_model for case in bare)
    return {"run": run.run.name, "failures": len(ended), "bare": len(bare), "unseen": unseen}


def _is_bare(case: Case) -> bool:
    """Whether the row has no reason, answer or check, and nothing that was observed of its verdict."""
    recorded = case.reason or case.answer is not None or case.checks_json or case.cut_at is not None
    return case.state == Status.OK.value and not recorded and REASONS.isdisjoint(case.observed)


def _is_reason(name: str, value: Any) -> bool:
    """Whether a field is a text about the verdict; those about the task and the run are none."""
    if not isinstance(value, str) or (len(value) <= LONGEST_WORD and " " not in value.strip()):
        return False
    return NOT_OF_THE_VERDICT.isdisjoint(_words_of(name))


@lru_cache(maxsize=4096)
def _words_of(name: str) -> frozenset[str]:
    return frozenset(word for part in name.split(".") for word in words(part))


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph((_words(answer),))]


def _words(answer: Mapping[str, Any]) -> Sentence:
    runs = [f"{entry['run']} {entry['bare']:,} of {entry['failures']:,}" for entry in answer["runs"]]
    return say(
        "{bare} of {failures} end without an error and record no check, message, log or answer{runs}"
        + _transcripts(answer)
        + ": why they fail cannot be told from the rows.",
        bare=amount(answer["bare"], *_PATH, "bare"),
        failures=fact(count(answer["failures"], "judged failure"), answer["failures"], *_PATH, "failures"),
        runs=f" ({abridged(runs, RUNS_TOLD)})" if len(runs) > 1 else "",
        unseen=amount(answer["unseen"], *_PATH, "unseen"),
    )


def _transcripts(answer: Mapping[str, Any]) -> str:
    if answer["unseen"] == answer["bare"]:
        return "; none of them has a transcript"
    return "; {unseen} of them have no transcript either" if answer["unseen"] > 1 else ""


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """A verifier that says what it compared."""
    yield Advice(
        "verifier",
        "Record what the verifier checks and prints beside its verdict",
        say(
            "{bare} of {failures} give no reason.",
            bare=amount(answer["bare"], *_PATH, "bare"),
            failures=fact(count(answer["failures"], "judged failure"), answer["failures"], *_PATH, "failures"),
        ),
        0,
        0.3,
    )


_PATH = ("investigation", "bare_verdicts")
