"""The rules as data: what a secret looks like, and what only looks like one."""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from blade.errors import ConfigError
from blade.frozen import frozen
from blade.patterns import LinearPattern, PatternError

START = r"(?:(?<=\\[nrtbf])|(?<![A-Za-z0-9_]))"
END = r"(?![A-Za-z0-9_])"
KINDS = ("key", "header", "login", "secret", "host", "user", "email", "name", "field")
_SEGMENT = re.compile(r"[A-Za-z0-9]+")
_CHANGE = re.compile(r"[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\sA-Za-z0-9_-]")


@frozen
class PrivacyRule:
    """One shape. `keywords` are tried before the pattern; `folded` ones against the text in lower case."""

    name: str
    kind: str
    what: str
    tokens: tuple[str, ...]
    keywords: tuple[str, ...]
    pattern: re.Pattern[str]
    entropy: float = 0.0
    mixed: int = 0
    key: re.Pattern[str] | None = None
    value: re.Pattern[str] | None = None
    allow: tuple[re.Pattern[str] | LinearPattern, ...] = ()
    folded: bool = False

    def believes(self, value: str) -> bool:
        """Whether a value of the right shape is random enough, and no name, number or stand-in for a secret."""
        if self.mixed and _changes(value) < self.mixed:
            return False
        if self.entropy and bits(value) < self.entropy:
            return False
        return not any(pattern.fullmatch(value) for pattern in self.allow)

    def token(self, group: int) -> str:
        """The label of what a group of the pattern holds."""
        return self.tokens[min(max(group, 1), len(self.tokens)) - 1]


@frozen
class Policy:
    """What the owner of a package says: what is private beside the rules, and what may stay."""

    private_names: tuple[str, ...] = ()
    private_fields: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()

    def plus(self, values: dict[str, Any]) -> Policy:
        """This policy and what a benchmark.toml says."""
        return Policy(
            (*self.private_names, *values.get("private_names", ())),
            (*self.private_fields, *values.get("private_fields", ())),
            (*self.allow, *values.get("sanitize_allow", ())),
            (*self.keep, *values.get("sanitize_keep", ())),
        )


@cache
def built_in() -> tuple[PrivacyRule, ...]:
    """The rules of the package itself, in the order of trust."""
    data = tomllib.loads(files(__package__).joinpath("rules.toml").read_text(encoding="utf-8"))
    common = re.compile(data["placeholders"], re.DOTALL)
    return tuple(_rule(entry, common) for entry in data["rule"])


def _rule(entry: dict[str, Any], common: re.Pattern[str]) -> PrivacyRule:
    key = entry.get("key")
    return PrivacyRule(
        name=entry["name"],
        kind=entry["kind"],
        what=entry["what"],
        tokens=tuple(entry["token"]),
        keywords=tuple(entry["keywords"]),
        pattern=re.compile(entry["pattern"].replace("{start}", START).replace("{end}", END)),
        entropy=entry.get("entropy", 0.0),
        mixed=entry.get("mixed", 0),
        key=re.compile(key) if key else None,
        value=re.compile(entry["value"], re.DOTALL) if key else None,
        allow=(common, *(re.compile(text, re.DOTALL) for text in entry.get("allow", ()))),
    )


def rules_for(policy: Policy) -> tuple[PrivacyRule, ...]:
    """The rules in force: declared names first, then the built-in ones less what may stay."""
    built_in_rules = built_in()
    kept_words = {_singular(word) for word in policy.keep}
    known_words = {_singular(rule.name) for rule in built_in_rules} | set(KINDS)
    for word in policy.keep:
        if _singular(word) not in known_words:
            raise ConfigError(
                f"There is nothing named '{word}' to keep.", f"There are: {', '.join(sorted(known_words))}."
            )
    extra = tuple(_allowed(text) for text in policy.allow)
    all_rules = (*_names(policy.private_names), *built_in_rules)
    return tuple(
        rule if not extra else _with_allow(rule, extra)
        for rule in all_rules
        if not {_singular(rule.name), rule.kind} & kept_words
    )


def _with_allow(rule: PrivacyRule, extra: Sequence[LinearPattern]) -> PrivacyRule:
    return replace(rule, allow=(*rule.allow, *extra))


def _allowed(text: str) -> LinearPattern:
    try:
        return LinearPattern(text)
    except PatternError as error:
        raise ConfigError(
            f"'{text}' is not a pattern ({error}).", "Wanted: a regular expression for the whole value."
        ) from None


def _singular(word: str) -> str:
    return word.lower().removesuffix("s")


def _names(names: Iterable[str]) -> tuple[PrivacyRule, ...]:
    """One rule per declared name: any case, its words joined in any way. A stand-in of ours is no name."""
    rules = []
    for name in dict.fromkeys(names):
        parts = _WORD.findall(name)
        if not "".join(parts).strip("<>[]_") or name.startswith("<"):
            continue
        body = r"[\s_-]{0,2}".join(re.escape(part) for part in parts)
        pattern = re.compile(rf"(?i)(?:(?<=\\[nrtbf])|(?<![A-Za-z0-9]))({body})(?![A-Za-z0-9])")
        keyword = max(parts, key=len).lower()
        rules.append(
            PrivacyRule("private_name", "name", "a declared private name", ("NAME",), (keyword,), pattern, folded=True)
        )
    return tuple(rules)


def bits(value: str) -> float:
    """Shannon entropy in bits per character."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in Counter(value).values()) if size else 0.0


def _changes(value: str) -> int:
    """How often letters and digits follow each other inside a word."""
    return sum(len(_CHANGE.findall(segment)) for segment in _SEGMENT.findall(value))
