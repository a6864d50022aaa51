"""What went wrong: one rule per file, each run on every rollout in the single reading pass.

A detector is a module with these names:

* `ID`: its number in the catalogue (`T02`), empty for one of ours;
* `FAMILY`: pipeline, infrastructure, verifier, data, tool, behaviour or knowledge;
* `TITLE`: what a failure is called when this rule explains it ("call of a tool that is not offered");
* `KIND`: the kind of mode it makes: format, knowledge, behaviour, verifier, infrastructure, data or unknown;
* `EXPLAINS`: 0 for a symptom that explains no failure by itself; otherwise how near it stands to the cause. Of all
  rules that fired on a failed rollout, the one with the highest rank gives it its mode;
* `SPLIT` (optional): true where each `value` is a mode of its own;
* `NAMES` (optional): what a `value` is, in the singular, where it is a name out of the rollout (tool, error, expected
  call) and no word of ours: reports then say which of them recur;
* `SUPPORTS`: label → weight, in natural-log evidence;
* `RELIABILITY`: 1.0 a structured field, 0.8 an exact pattern in a log, 0.6 a cue in the agent's own words;
* `READS`: whose text it reads, of `ACTORS`: the task, the model (its words and its calls), tools, a user after the
  request, the environment (screens and logs in the place of messages), the verifier and the harness (what stands in the
  row beside request and response, the key with it). Text of others never changes what it says, and a test holds it;
* `BLAMES` (optional): `verifier` where nothing that the agent does can bring it about, so that the points that a change
  owes to it are the verifier's and not behaviour;
* `RECOVERS` (optional): true where scoring the stored output again, read rightly, is sure to give the point back;
* `ATTEMPTED` (optional): where the rule fires only on what was never overcome, the key of `extract.observed` with all
  of it, and words for that: it must separate failures from passes if the mode is to be called a cause;
* `NEEDS` (optional): what a rollout must have, one of the names in `blade.extract.needs`. Where it has none of it the
  rule is not asked: it is not applicable, or clean where it reads the row's own claims;
* `detect(attempt) -> Sighting`: fired, clean, not applicable or guarded. It never looks at another rollout.

The docstring's first line says what it notices; a paragraph *False alarms:* says when it is wrong to fire.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from time import perf_counter
from typing import Any

import orjson

from blade.extract.attempt import Attempt
from blade.extract.needs import NEEDS, lacking
from blade.extract.text import clean, clip
from blade.findings import CLEAN, NOT_APPLICABLE, Cite, Sighting, State
from blade.registry import plugins

ACTORS = ("task", "model", "tool", "user", "environment", "verifier")
LETTERS = {State.FIRED: "f", State.CLEAN: "c", State.NOT_APPLICABLE: "n", State.GUARDED: "g"}
STATES = {letter: state for state, letter in LETTERS.items()}
CRASHED = "x"
Judged = tuple[str, dict[str, Sighting], list[str]]
"""A letter for each detector, what fired, and the names of detectors that crashed."""
_Asked = tuple[Attempt, list[str], dict[str, Sighting], list[str]]
LONGEST_DETAIL = 200
_PLANS: dict[Any, Any] = {}


def names() -> tuple[str, ...]:
    """The detectors in the order in which their states are written."""
    return tuple(plugins("detectors"))


def examine(attempt: Attempt) -> tuple[dict[str, Any], list[str]]:
    """Two facts of a rollout, the states of all detectors and what fired; and the names of detectors that crashed."""
    ((letters, sightings, crashed),) = examine_all([attempt])
    return judged_facts(letters, sightings), crashed


def judged_facts(letters: str, sightings: Mapping[str, Sighting]) -> dict[str, Any]:
    return {"detectors": letters, "sightings": write_sightings(sightings)}


def examine_all(attempts: Sequence[Attempt], seconds: dict[str, float] | None = None) -> list[Judged]:
    """What the detectors say of some rollouts, one after the other: what each needs stays at hand for all rollouts.

    What each detector took is added to `seconds`, where it is given: what several share falls to the first that asks.
    """
    rules = plugins("detectors")
    rollouts: list[_Asked] = []
    asked: dict[str, list[_Asked]] = {need: [] for need in NEEDS}
    for attempt in attempts:
        lacks = lacking(attempt)
        rollout: _Asked = (attempt, list(_preset_letters(lacks)), {}, [])
        rollouts.append(rollout)
        lacked = dict(lacks)
        for need, those_with_it in asked.items():
            if need not in lacked:
                those_with_it.append(rollout)
    for place, (name, module) in enumerate(rules.items()):
        begun = perf_counter() if seconds is not None else 0.0
        detect = module.detect
        for attempt, states, sightings, failed in asked.get(getattr(module, "NEEDS", ""), rollouts):
            try:
                sighting: Sighting = detect(attempt)
            except Exception:  # noqa: BLE001 - a rule that nobody tried on such a row never stops a run: it is said
                failed.append(name)
                states[place] = CRASHED
                continue
            if sighting is CLEAN:
                continue
            if sighting is NOT_APPLICABLE:
                states[place] = "n"
                continue
            states[place] = LETTERS[sighting.state]
            if sighting.cites:
                sightings[name] = sighting
        if seconds is not None:
            seconds[name] = seconds.get(name, 0.0) + perf_counter() - begun
    return [("".join(states), sightings, failed) for _, states, sightings, failed in rollouts]


def _preset_letters(lacks: tuple[tuple[str, str], ...]) -> list[str]:
    """A letter for every rule that need not be asked, as a rollout lacks what it needs; all others start as clean."""
    rules = plugins("detectors")
    if _PLANS.get("of") is not rules:
        _PLANS.clear()
        _PLANS["of"] = rules
    if lacks not in _PLANS:
        letter_of_need = dict(lacks)
        _PLANS[lacks] = [letter_of_need.get(getattr(rule, "NEEDS", ""), "c") for rule in rules.values()]
    return _PLANS[lacks]  # type: ignore[no-any-return]


def _packed(name: str, sighting: Sighting) -> list[Any]:
    cites = [[cite.item, clean(cite.field), cite.start, cite.end, clean(cite.quote)] for cite in sighting.cites]
    detail, value = (clip(text, LONGEST_DETAIL) for text in (sighting.detail, sighting.value))
    return [name, LETTERS[sighting.state], detail, value, sighting.guard, cites]


def write_sightings(sightings: Mapping[str, Sighting]) -> str | None:
    """What fired on a rollout, as it is kept in the facts."""
    return (
        orjson.dumps([_packed(name, sighting) for name, sighting in sightings.items()]).decode() if sightings else None
    )


def read_sightings(text: str | None) -> dict[str, Sighting]:
    """What was written for a rollout, by the detector's name."""
    if not text:
        return {}
    return {
        name: Sighting(STATES[letter], tuple(Cite(*cite) for cite in cites), detail, value, guard)
        for name, letter, detail, value, guard, cites in orjson.loads(text)
    }


@lru_cache(maxsize=16384)
def read_states(letters: str | None) -> Mapping[str, State]:
    """The state of every detector on a rollout; one that crashed could say nothing. Many rollouts have the same."""
    return {
        name: STATES.get(letter, State.NOT_APPLICABLE) for name, letter in zip(names(), letters or "", strict=False)
    }
