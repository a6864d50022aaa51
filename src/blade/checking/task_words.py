"""What sentences say of tasks in words: "T always fails in R", "no run solves T", "R solves T, S does not".

A clause is judged only if every word of it is understood; one that speaks of a task, an outcome and a run and is not
understood is listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from blade.checking.masked import MaskedSentence
from blade.checking.measures import Values
from blade.checking.outcome import Checked, CheckOutcome, ClaimKind
from blade.model import TaskResult

_CUT = re.compile(
    r"\s*(?:;|, but\b|\bbut\b|(?:^|,? )(?:while|whereas|although|though)\b|, (?=R\d)"
    r"|,? and (?=(?:it )?(?:fail|pass|solve|never|always|not|is|does)))\s*"
)
_REASON = re.compile(r",? (?:because|since|due to|as it|owing to|: )\b.*| [—–(:].*")
_IF = re.compile(
    r"\b(?:if|when|unless|after|before|until|once it|would|could|should|might|may|seems?|likely|probably)\b"
)
_EVERY_RUN = re.compile(
    r"\b(?:(?:every|each) (?:single )?run|all(?: of)?(?: the)?(?: \w+)? (?:runs|agents|models)|each of the runs"
    r"|everywhere|everybody|everyone)\b"
)
_NO_RUN = re.compile(
    r"\b(?:(?:no|not a single|not one) (?:run|agent)|none of the(?: \w+)? (?:runs|agents|models)|nobody|no one"
    r"|nowhere)\b"
)
_OTHER_RUNS = re.compile(r"\b(?:the other(?: \w+)?(?: runs| agents| models)?|all (?:the )?others|the others)\b")
_ONLY_RUN = re.compile(r"^(R\d+) is the only (?:run|agent|model|one) (?:that|which|to) ")
"""Said the other way round: "A is the only run that solves T"."""
_ANY_RUN = re.compile(r"\bany(?: of the)? runs?\b|\banyone\b|\banybody\b")
_GOOD = re.compile(
    r"\b(?:pass(?:es|ed|ing)?|solv(?:es?|ed|ing)|succe(?:ed|eds|eded|ss)\w*|gets?|right|complet(?:es?|ed)|manag(?:es?|ed)"
    r"|able to)\b"
)
_BAD = re.compile(r"\b(?:fail(?:s|ed|ing|ures?)?|wrong|unsolved|miss(?:es|ed)|unable to (?:pass|solve|succeed))\b")
_NOT = re.compile(r"\b(?:not|cannot|neither|fails? to)\b|n['’]t\b")
_ALWAYS = re.compile(
    r"\b(?:always|every (?:single )?time|each time|consistently"
    r"|(?:in )?(?:every|each|all)(?: of)?(?: its| the)? attempts?)\b"
)
_COUNTED_ATTEMPTS = re.compile(r"\b(all(?: of)?(?: its| the)?) N\d+ (?:attempts|trials|repeats|tries|samples)\b")
"""How many there are is a number of its own: "in all 6 attempts" says "in all attempts", too."""
_SOMETIMES = re.compile(r"\b(?:sometimes|occasionally|now and then|unstable|flaky)\b")
_ONCE = re.compile(r"\bat least (?:once|one attempt)\b|\bonce\b|\bever\b")
_NEVER = re.compile(r"\bnever\b")
_ONLY = re.compile(r"\bonly\b|(?<!\bthis )(?<!\bthat )(?<!\bwhich )\balone\b", re.IGNORECASE)
"""Of a run or a task; "this alone fails it" speaks of a cause."""
_NEUTRAL = frozenset(
    "in by for with on of the a an its it them this is are was were be been does do did has have can also too again "
    "both even here there just still however and yet then to out that remains remain successfully correctly".split()
)
_WORD = re.compile(r"[a-z'’]+")


@dataclass(frozen=True)
class OutcomeClaim:
    """How a task comes out: of `kind` pass, fail, always, never, sometimes or once."""

    kind: str

    def holds(self, result: TaskResult) -> bool | None:
        """Whether it is so; None where the rows do not say, or say both."""
        passes, attempts = result.passes, result.attempts
        if passes is None or not attempts:
            return None
        if self.kind == "once":
            return passes > 0
        if self.kind == "sometimes":
            return 0 < passes < attempts
        void = set(result.outcomes) & set("ivs")
        wants_passes = self.kind in {"pass", "always"}
        if wants_passes and passes == 0:
            return None if void and len(void) == len(set(result.outcomes)) else False
        if not wants_passes and passes == 0:
            return None if not set(result.outcomes) & set("pf") and result.outcomes else True
        if passes == attempts:
            return wants_passes
        return None if self.kind in {"pass", "fail"} else False

    @property
    def denied(self) -> OutcomeClaim:
        opposite = {"pass": "fail", "fail": "pass", "always": "fail", "never": "once", "once": "never"}
        return OutcomeClaim(opposite.get(self.kind, self.kind))


@dataclass(frozen=True)
class _Clause:
    """Tasks, runs and what is said of them, as far as a clause names them; the rest comes from the clause before."""

    tasks: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    claim: OutcomeClaim | None = None
    only: bool = False
    understood: bool = True


def outcome_claims(masked: MaskedSentence, values: Values) -> Iterator[Checked]:
    """Every clause that says how a task comes out, held against the rows."""
    sentence = _COUNTED_ATTEMPTS.sub(r"\1 attempts", masked.text)
    if not re.search(r"T\d", sentence) or re.search(r"[NQPDX]\d", sentence) or _IF.search(sentence):
        return
    text = _ONLY_RUN.sub(r"only \1 ", _REASON.sub("", sentence)).rstrip(".!")
    before = _Clause()
    for words in (part for part in _CUT.split(text) if part and part.strip()):
        clause = _clause(words.strip(" ,"), masked, values, before)
        if clause is None:
            continue
        yield _checked(clause, words.strip(" ,"), masked, values)
        before = clause


def _clause(words: str, masked: MaskedSentence, values: Values, before: _Clause) -> _Clause | None:
    tasks = tuple(token.text for mark in re.findall(r"T\d+(?:\+T\d+)*", words) for token in masked.behind(mark))
    runs = tuple(token.text for mark in re.findall(r"R\d+(?:\+R\d+)*", words) for token in masked.behind(mark))
    every, nobody, anybody = (bool(pattern.search(words)) for pattern in (_EVERY_RUN, _NO_RUN, _ANY_RUN))
    claim = _claim(words, nobody=nobody)
    if claim is None and before.claim is not None and runs and not tasks:
        claim = before.claim.denied if _NOT.search(words) or _NEVER.search(words) else before.claim
    if claim is None or not (tasks or before.tasks):
        return None
    if every or nobody or anybody:
        runs = tuple(values.runs)
    elif _OTHER_RUNS.search(words) and before.runs and not runs:
        runs = tuple(run for run in values.runs if run not in before.runs)
    tasks = tasks or before.tasks
    return _Clause(tasks, runs, claim, bool(_ONLY.search(words)), _understood(words))


def _claim(words: str, *, nobody: bool) -> OutcomeClaim | None:
    good, bad = _GOOD.search(words), _BAD.search(words)
    if bool(good) == bool(bad) and not (good and re.search(r"\bfails? to\b|\bgets? .*wrong\b", words)):
        return OutcomeClaim("sometimes") if _SOMETIMES.search(words) and not good else None
    passing = bool(good) and not re.search(r"\bgets? .*wrong\b", words)
    if _SOMETIMES.search(words):
        return OutcomeClaim("sometimes")
    if nobody:
        return OutcomeClaim("never" if passing else "always")
    if _NEVER.search(words):
        return OutcomeClaim("never" if passing else "always")
    negated = bool(_NOT.search(words))
    if _ALWAYS.search(words):
        kind = "always" if passing else "never"
        return OutcomeClaim(kind).denied if negated else OutcomeClaim(kind)
    if negated:
        return OutcomeClaim("never" if passing and _ANY_RUN.search(words) else "fail" if passing else "pass")
    if _ONCE.search(words) and passing:
        return OutcomeClaim("once")
    return OutcomeClaim("pass" if passing else "fail")


def _understood(words: str) -> bool:
    """Whether nothing is left once all that is known is taken out."""
    rest = re.sub(r"[RT]\d+(?:\+[RT]\d+)*", " ", words)
    for pattern in (
        _OTHER_RUNS,
        _EVERY_RUN,
        _NO_RUN,
        _ANY_RUN,
        _ALWAYS,
        _SOMETIMES,
        _ONCE,
        _NEVER,
        _NOT,
        _GOOD,
        _BAD,
        _ONLY,
    ):
        rest = pattern.sub(" ", rest)
    return not [word for word in _WORD.findall(rest) if word not in _NEUTRAL]


def _checked(clause: _Clause, words: str, masked: MaskedSentence, values: Values) -> Checked:
    claim = clause.claim
    assert claim is not None  # noqa: S101 - clauses without one are left out
    statement = masked.statement
    token = replace(statement.tokens[0], kind=ClaimKind.WORD, text=_spelled(words, masked), number=None)
    runs = clause.runs or statement.runs or tuple(values.runs)
    if not clause.understood:
        note = f"words that are not understood: {_command(clause.tasks)}"
        return statement.say(CheckOutcome.UNVERIFIABLE, token, note=note)
    answers = [_holds(claim, task, run, values) for task in clause.tasks for run in runs]
    if clause.only and clause.runs:
        others = [run for run in values.runs if run not in clause.runs]
        answers += [_holds(OutcomeClaim("never"), task, run, values) for task in clause.tasks for run in others]
    task, run = clause.tasks[0], runs[0]
    if False in answers and (clause.runs or not any(answers)):
        wrong = next(place for place, answer in enumerate(answers) if answer is False)
        if wrong < len(clause.tasks) * len(runs):
            task, run = clause.tasks[wrong // len(runs)], runs[wrong % len(runs)]
        return statement.say(
            CheckOutcome.WRONG, token, _rate(task, run, values), ("tasks", task, "runs", run, "passes")
        )
    if all(answers):
        return statement.say(CheckOutcome.RIGHT, token, path=("tasks", task, "runs", run, "passes"))
    note = f"not so in every attempt, or not judged: {_command(clause.tasks)}"
    return statement.say(CheckOutcome.UNVERIFIABLE, token, note=note)


def _holds(claim: OutcomeClaim, task: str, run: str, values: Values) -> bool | None:
    result = values.result(task, run)
    return None if result is None else claim.holds(result)


def _rate(task: str, run: str, values: Values) -> str:
    result = values.result(task, run)
    return f"{task} passes {result.passes} of {result.attempts} in {run}" if result else ""


def _command(tasks: Sequence[str]) -> str:
    return f"blade tasks RUN… {' '.join(f'--task {task}' for task in tasks[:3])}"


def _spelled(words: str, masked: MaskedSentence) -> str:
    return re.sub(r"[RTM]\d+", lambda match: masked.behind(match[0])[0].text, words)
