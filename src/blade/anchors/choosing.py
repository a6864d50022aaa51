"""Which facts become anchors: surprising, specific, causal ones first, no topic twice, every layer heard."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from blade.anchors.anchor import Anchor, Predicate
from blade.anchors.candidate import DISTRIBUTION, MECHANISM, TASK, Candidate

MOST, FEWEST = 25, 15
CAPS = {DISTRIBUTION: 0.4}
FLOORS = {MECHANISM: 0.3, TASK: 0.2}
CONTRARY = 0.1
ALIKE = 0.35
UNTESTED_BITS = 5.0
MOST_BITS = 10.0
SIDECAR_KINDS = {"extreme"}
MOST_ALIKE = {"mode": 4, "task": 2, "against": 4, "decision": 8}
_WORD = re.compile(r"[a-z][a-z_]{2,}|\d[\d.,]*")


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen facts, best first, with their score and cluster; and what fell short."""

    facts: tuple[tuple[Candidate, float, str], ...]
    notes: tuple[str, ...]


def merit(fact: Candidate) -> float:
    """Bits of surprise, what it tells of causes, and how few rollouts it speaks of."""
    bits = UNTESTED_BITS if fact.guessability is None else -math.log2(fact.guessability)
    known = 3.0 if fact.kind in SIDECAR_KINDS else 0.0
    return min(bits, MOST_BITS) + 2.0 * fact.causal + 0.3 * min(fact.about.rarity, MOST_BITS) - known


def clusters(facts: Sequence[Candidate]) -> list[str]:
    """A name for each fact's cluster: facts join the first whose topics or rare words they mostly share."""
    words = [set(_WORD.findall(fact.sentence.lower())) for fact in facts]
    counted = Counter(word for one in words for word in one)
    weight = {word: math.log((1 + len(facts)) / many) for word, many in counted.items()}
    leaders: list[int] = []
    made = []
    for place, fact in enumerate(facts):
        found = next((one for one in leaders if _alike(fact, facts[one], words[place], words[one], weight)), None)
        if found is None:
            leaders.append(place)
            found = place
        made.append(f"c{leaders.index(found) + 1}")
    return made


def _alike(one: Candidate, two: Candidate, words: set[str], others: set[str], weight: Mapping[str, float]) -> bool:
    first, second = set(one.about.topic), set(two.about.topic)
    if first and first == second:
        return True
    shared, joint = (sum(weight[word] for word in found) for found in (words & others, words | others))
    return bool(joint) and bool(first & second) and shared / joint >= ALIKE


def choose(found: Sequence[Candidate], most: int = MOST) -> Choice:
    """Greedy: the best fact next, each further one of a cluster at half its merit, within the quotas."""
    ranked = _thinned(sorted(found, key=lambda fact: (-merit(fact), fact.kind, fact.sentence)))
    named = clusters(ranked)
    sizes = range(min(most, len(ranked)), 0, -1)
    full = (taken for size in sizes if size >= FEWEST and (taken := _fill(ranked, named, size)) is not None)
    taken = next((one for one in full if not _missing(ranked, one)), None)
    taken = taken or next((one for size in sizes if (one := _fill(ranked, named, size)) is not None), [])
    return Choice(tuple((ranked[place], merit(ranked[place]), named[place]) for place in taken), _short(ranked, taken))


def _thinned(ranked: Sequence[Candidate]) -> list[Candidate]:
    """At most a few tasks for one mode, and a few facts for one task: the tenth tells no more than the first."""
    held: Counter[tuple[str, str]] = Counter()
    kept = []
    for fact in ranked:
        scope = fact.about.scope
        names = [("mode", str(scope["mode"]))] if fact.kind == "task" and "mode" in scope else []
        tasks = scope.get("task", ())
        names += [("task", task) for task in ([tasks] if isinstance(tasks, str) else tasks[:3])]
        names += [("against", str(scope["against"]))] if "against" in scope else []
        names += [(fact.kind, "")] if fact.kind == "decision" else []
        if all(held[name] < MOST_ALIKE[name[0]] for name in names):
            held.update(names)
            kept.append(fact)
    return kept


def _fill(ranked: Sequence[Candidate], named: Sequence[str], size: int) -> list[int] | None:
    """`size` facts that keep the caps; floors are met as far as there are such facts."""
    everyone = list(range(len(ranked)))
    wanted = [(CONTRARY, [place for place in everyone if ranked[place].contrary])]
    wanted += [(floor, [place for place in everyone if ranked[place].layer == name]) for name, floor in FLOORS.items()]
    taken: list[int] = []
    for floor, group in [*wanted, (1.0, everyone)]:
        while len(taken) < size and len(set(taken) & set(group)) < math.ceil(floor * size):
            free = [place for place in group if place not in taken and _room(ranked, taken, place, size)]
            if not free:
                break
            seen = Counter(named[place] for place in taken)
            taken.append(max(free, key=lambda place: (merit(ranked[place]) * 0.5 ** seen[named[place]], -place)))
    return sorted(taken) if len(taken) == size else None


def _room(ranked: Sequence[Candidate], taken: Sequence[int], place: int, size: int) -> bool:
    cap = CAPS.get(ranked[place].layer)
    if cap is None:
        return True
    held = sum(ranked[one].layer == ranked[place].layer for one in taken)
    return held < max(1, math.floor(cap * size))


def _short(ranked: Sequence[Candidate], taken: Sequence[int]) -> tuple[str, ...]:
    """What the data do not give, in words."""
    few = [f"The data give {len(taken)} facts, fewer than the {FEWEST} that are wanted."] if len(taken) < FEWEST else []
    return (*few, *_missing(ranked, taken))


def _missing(ranked: Sequence[Candidate], taken: Sequence[int]) -> tuple[str, ...]:
    notes = []
    for layer, floor in FLOORS.items():
        held = sum(ranked[place].layer == layer for place in taken)
        if taken and held < math.ceil(floor * len(taken)):
            notes.append(f"Only {held} of {len(taken)} facts are about {_LAYERS[layer]}; {floor:.0%} are wanted.")
    held = sum(ranked[place].contrary for place in taken)
    if taken and held < math.ceil(CONTRARY * len(taken)):
        notes.append(f"Only {held} of {len(taken)} facts go against the rest; {CONTRARY:.0%} are wanted.")
    return tuple(notes)


_LAYERS = {MECHANISM: "mechanisms", TASK: "single tasks"}


def anchors_of(choice: Choice) -> tuple[Anchor, ...]:
    """The chosen facts as records; facts of one cluster share one weight."""
    sizes = Counter(cluster for *_, cluster in choice.facts)
    top = max((score for _, score, _ in choice.facts), default=1.0)
    return tuple(
        Anchor(
            id=f"B{number}",
            fact=fact.sentence,
            difficulty=_difficulty(fact),
            mean_score=round(1.0 + 4.0 * max(0.0, score) / top, 2),
            kind=fact.kind,
            predicate=Predicate(fact.about.scope, fact.measure, fact.comparator, fact.value, fact.tolerance),
            entities=fact.about.entities,
            aliases=fact.about.aliases,
            polarity=fact.polarity,
            citations=fact.citations,
            guessability=fact.guessability,
            stability=fact.stability,
            cluster=cluster,
            weight=round(1.0 / sizes[cluster], 4),
        )
        for number, (fact, score, cluster) in enumerate(choice.facts, 1)
    )


def _difficulty(fact: Candidate) -> str:
    if fact.kind in SIDECAR_KINDS:
        return "low"
    return "medium" if fact.layer == DISTRIBUTION else "high"
