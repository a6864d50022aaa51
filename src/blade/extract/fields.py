"""The short scalar fields of a row under dotted names: verifier fields, domain ids, task metadata."""

from __future__ import annotations

import math
from typing import Any

from blade.extract.field_roles import HEAVY, dotted, shape_of
from blade.extract.text import clean

LONGEST = 200
DEEPEST = 3
MOST = 120
WIDEST = 40


def short_fields(row: dict[str, Any]) -> dict[str, Any]:
    r"""Every top-level number and boolean, and the short strings and nested scalars around them.

    A literal dot in a key is written as `\.`, so that a dotted name can be told from a nested one.
    """
    fields: dict[str, Any] = {}
    nested: list[tuple[str, dict[str, Any]]] = []
    for key, name in shape_of(row).short:
        value = row[key]
        if value is None or value is True or value is False:
            fields[name] = value
        elif isinstance(value, dict):
            nested.append((name, value))
        else:
            _keep(fields, name, value)
    request = row.get("responses_create_params")
    if isinstance(request, dict) and isinstance(request.get("metadata"), dict):
        nested.append(("responses_create_params.metadata", request["metadata"]))
    for name, value in nested:
        _descend(fields, name, value, 1)
    return fields


def _descend(fields: dict[str, Any], prefix: str, value: dict[str, Any], depth: int) -> None:
    if len(value) > WIDEST:
        return
    for key, name in dotted(prefix, value):
        inner = value[key]
        if len(fields) >= MOST:
            return
        if isinstance(inner, dict):
            if depth < DEEPEST and key not in HEAVY:
                _descend(fields, name, inner, depth + 1)
        elif inner is None or inner is True or inner is False:
            fields[name] = inner
        else:
            _keep(fields, name, inner)


def _keep(fields: dict[str, Any], name: str, value: Any) -> None:
    if isinstance(value, str):
        if len(value) <= LONGEST:
            fields[name] = value if value.isascii() else clean(value)
    elif value is None or isinstance(value, bool):
        fields[name] = value
    elif isinstance(value, int):
        fields[name] = value if abs(value) < 1 << 62 else float(value) if abs(value) < 10**300 else None
    elif isinstance(value, float) and math.isfinite(value):
        fields[name] = value
