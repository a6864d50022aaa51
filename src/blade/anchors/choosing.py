"""Which facts become anchors: surprising, specific, causal ones first, no topic twice, every layer heard."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from blade.anchors.anchor import Anchor, Predicate
from blade.anchors.candidate import DISTRIBUTION, MECHANISM, TASK, Candidate
from blade.frozen import frozen

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


@frozen
class Choice:
    """The chosen facts, best first, with their score and cluster; and what fell short."""

    facts: tuple[tuple[Candidate, float, str], ...]
    notes: tuple[str, ...]


def merit(fact: Candidate) -> float:
    """Bits of surprise, what it tells of causes, and how few rollouts it speaks of."""
    bits = UNTESTED_BITS if fact.guessability is None else -math.log2(fact.guessability)
    from_sidecar = 3.0 if fact.kind in SIDECAR_KINDS else 0.0
    return min(bits, MOST_BITS) + 2.0 * fact.causal + 0.3 * min(fact.about.rarity, MOST_BITS) - from_sidecar


def clusters(facts: Sequence[Candidate]) -> list[str]:
    """A name for each fact's cluster: facts join the first whose topics or rare words they mostly share."""
    words = [set(_WORD.findall(fact.sentence.lower())) for fact in facts]
    word_counts = Counter(word for fact_words in words for word in fact_words)
    weight = {word: math.log((1 + len(facts)) / word_count) for word, word_count in word_counts.items()}
    leaders: list[int] = []
    cluster_names = []
    for place, fact in enumerate(facts):
        leader = next(
            (
                candidate
                for candidate in leaders
                if _alike(fact, facts[candidate], words[place], words[candidate], weight)
            ),
            None,
        )
        if leader is None:
            leaders.append(place)
            leader = place
        cluster_names.append(f"c{leaders.index(leader) + 1}")
    return cluster_names


def _alike(
    first_fact: Candidate,
    second_fact: Candidate,
    first_words: set[str],
    second_words: set[str],
    weight: Mapping[str, float],
) -> bool:
    first, second = set(first_fact.about.topic), set(second_fact.about.topic)
    if first and first == second:
        return True
    shared, joint = (
        sum(weight[word] for word in common) for common in (first_words & second_words, first_words | second_words)
    )
    return bool(joint) and bool(first & second) and shared / joint >= ALIKE


def choose(candidates: Sequence[Candidate], limit: int = MOST) -> Choice:
    """Greedy: the best fact next, each further one of a cluster at half its merit, within the quotas."""
    ranked = _thinned(sorted(candidates, key=lambda fact: (-merit(fact), fact.kind, fact.sentence)))
    cluster_names = clusters(ranked)
    sizes = range(min(limit, len(ranked)), 0, -1)
    full = (
        selection for size in sizes if size >= FEWEST and (selection := _fill(ranked, cluster_names, size)) is not None
    )
    selection = next((filled for filled in full if not _missing(ranked, filled)), None)
    selection = selection or next(
        (filled for size in sizes if (filled := _fill(ranked, cluster_names, size)) is not None), []
    )
    return Choice(
        tuple((ranked[place], merit(ranked[place]), cluster_names[place]) for place in selection),
        _short(ranked, selection),
    )


def _thinned(ranked: Sequence[Candidate]) -> list[Candidate]:
    """At most a few tasks for one mode, and a few facts for one task: the tenth tells no more than the first."""
    name_counts: Counter[tuple[str, str]] = Counter()
    facts = []
    for fact in ranked:
        scope = fact.about.scope
        names = [("mode", str(scope["mode"]))] if fact.kind == "task" and "mode" in scope else []
        tasks = scope.get("task", ())
        names += [("task", task) for task in ([tasks] if isinstance(tasks, str) else tasks[:3])]
        names += [("against", str(scope["against"]))] if "against" in scope else []
        names += [(fact.kind, "")] if fact.kind == "decision" else []
        if all(name_counts[name] < MOST_ALIKE[name[0]] for name in names):
            name_counts.update(names)
            facts.append(fact)
    return facts


def _fill(ranked: Sequence[Candidate], cluster_names: Sequence[str], size: int) -> list[int] | None:
    """`size` facts that keep the caps; floors are met as far as there are such facts."""
    everyone = list(range(len(ranked)))
    quotas = [(CONTRARY, [place for place in everyone if ranked[place].contrary])]
    quotas += [(floor, [place for place in everyone if ranked[place].layer == name]) for name, floor in FLOORS.items()]
    selection: list[int] = []
    for floor, group in [*quotas, (1.0, everyone)]:
        while len(selection) < size and len(set(selection) & set(group)) < math.ceil(floor * size):
            free = [place for place in group if place not in selection and _room(ranked, selection, place, size)]
            if not free:
                break
            cluster_counts = Counter(cluster_names[place] for place in selection)
            selection.append(
                max(
                    free, key=lambda place: (merit(ranked[place]) * 0.5 ** cluster_counts[cluster_names[place]], -place)
                )
            )
    return sorted(selection) if len(selection) == size else None


def _room(ranked: Sequence[Candidate], selection: Sequence[int], place: int, size: int) -> bool:
    cap = CAPS.get(ranked[place].layer)
    if cap is None:
        return True
    in_layer = sum(ranked[chosen_place].layer == ranked[place].layer for chosen_place in selection)
    return in_layer < max(1, math.floor(cap * size))


def _short(ranked: Sequence[Candidate], selection: Sequence[int]) -> tuple[str, ...]:
    """What the data do not give, in words."""
    shortage = (
        [f"The data give {len(selection)} facts, fewer than the {FEWEST} that are wanted."]
        if len(selection) < FEWEST
        else []
    )
    return (*shortage, *_missing(ranked, selection))


def _missing(ranked: Sequence[Candidate], selection: Sequence[int]) -> tuple[str, ...]:
    notes = []
    for layer, floor in FLOORS.items():
        in_layer = sum(ranked[place].layer == layer for place in selection)
        if selection and in_layer < math.ceil(floor * len(selection)):
            notes.append(
                f"Only {in_layer} of {len(selection)} facts are about {_LAYERS[layer]}; {floor:.0%} are wanted."
            )
    in_layer = sum(ranked[place].contrary for place in selection)
    if selection and in_layer < math.ceil(CONTRARY * len(selection)):
        notes.append(f"Only {in_layer} of {len(selection)} facts go against the rest; {CONTRARY:.0%} are wanted.")
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
