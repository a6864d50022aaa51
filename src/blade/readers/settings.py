"""Settings: a YAML, TOML or JSON config of the run, or a benchmark.toml."""

from __future__ import annotations

from blade.files.sniff import Head, plain_name, stem

ROLE = "settings"
_NAMES = ("config", "run_config", "resolved_config", "benchmark")


def recognises(head: Head) -> bool:
    """By name: settings have no shape of their own."""
    name = plain_name(head.path).lower()
    base = stem(head.path).lower()
    if not name.endswith((".yaml", ".yml", ".toml", ".json")):
        return False
    return head.shape in {"text", "document", "rows"} and (base in _NAMES or base.endswith("_config"))
