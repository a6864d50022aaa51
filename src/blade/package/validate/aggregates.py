"""Facts that only repeat aggregates: whoever copies the table of scores knows them, without reading a rollout."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from blade.extract.numbers import number
from blade.frozen import frozen
from blade.judge.words import content
from blade.package.golden import Drafted, sidecar
from blade.package.layout import Golden
from blade.package.texts import read_object
from blade.package.validate.numbers import is_number, printed, shows

DETAILED = {"per_category", "failure_modes", "pipeline", "slices", "per_task"}
"""Parts of a sidecar that say where something happened; all its other numbers are aggregates."""
_METRIC = re.compile(r"\b\w*@\w+|\b(?:pass|avg|mean|majority|any|total|num|std)_\w+", re.IGNORECASE)
_TASK = re.compile(r"\b(?:task|problem|question|attempt|rollout)s?\s+(?:#\s?)?`?[\w-]*\d|`", re.IGNORECASE)
"""A task or attempt by its name, or anything in a code span."""
_WORDS = frozenset(
    content(
        "model agent run benchmark evaluation result score scores reward accuracy metric rate rates ratio share "
        "percent percentage points pass passes passed passing fail fails failed failing failure failures solve "
        "solves solved success successes succeed succeeds correct incorrect right wrong achieve achieves achieved "
        "reach reaches reached obtain obtains obtained get gets total totals overall aggregate average averages "
        "mean median standard deviation interval confidence lower upper bound task tasks problem problems "
        "question questions rollout rollouts attempt attempts sample samples repeat repeats row rows try tries "
        "first single best pooled headline consistency coverage majority vote always sometimes never missing "
        "flaky bucket buckets all each per least once out of over token tokens input output number count counted "
        "complete completed finish finished graded scored evaluate evaluated attempted gap difference between "
        "against across whole set"
    )
)
"""The words that tables of scores are made of."""


@frozen
class Aggregates:
    """The numbers of a run as a whole, and the names that every fact about it carries."""

    values: tuple[float, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, golden: Golden, drafted: Drafted | None, document: Any) -> Aggregates:
        """Out of the sidecar, as it stands and as the rollouts give it; of shares also what is left to 1."""
        sidecars = [
            read_object(golden.sidecar).value if golden.sidecar else None,
            sidecar(drafted) if drafted else None,
        ]
        values = {value for sidecar in sidecars if isinstance(sidecar, Mapping) for value in _numbers(sidecar)}
        values |= {1 - value for value in values if 0 < value < 1}
        documents = [candidate for candidate in (document, *sidecars) if isinstance(candidate, Mapping)]
        names = {
            str(document_named[key])
            for document_named in documents
            for key in ("model", "model_name", "benchmark", "run")
            if document_named.get(key)
        }
        names |= {golden.model, *(run.name for run in (drafted.runs if drafted else ()))}
        return cls(tuple(sorted(values)), tuple(sorted(names, key=lambda name: (-len(name), name))))

    def only(self, fact: Mapping[str, Any], text: str) -> bool:
        """Whether a fact has numbers, all of them aggregates, and no word that no table of scores has."""
        if any(fact.get(key) for key in ("predicate", "entities", "citations")):
            return False
        for name in self.names:
            text = re.sub(rf"`?{re.escape(name)}`?", " ", text, flags=re.IGNORECASE)
        text = _METRIC.sub(" ", text)
        numbers = list(printed(text))
        if not numbers or _TASK.search(text) or not _WORDS.issuperset(content(text)):
            return False
        return all(any(shows(number, value) for value in self.values) for number in numbers)


def _numbers(document: Mapping[str, Any]) -> Iterator[float]:
    waiting: list[Any] = [value for key, value in document.items() if key not in DETAILED]
    while waiting:
        value = waiting.pop()
        if is_number(value):
            stated = number(value)
            yield from () if stated is None else (stated,)
        elif isinstance(value, Mapping):
            waiting.extend(value.values())
        elif isinstance(value, (list, tuple)):
            waiting.extend(value)
