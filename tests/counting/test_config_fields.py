"""Settings under dotted names, however deep they stand in a config."""

from __future__ import annotations

from typing import Any

from blade.counting.config_fields import config_fields, named_setting


def test_every_setting_has_a_dotted_name() -> None:
    config = {"a": {"b": {"c": 1}, "d.e": None}, "list": [1, 2], "steps": [{"n": 1}, {"n": 2}], "none": {}}
    assert config_fields(config) == {
        "a.b.c": 1,
        "a.d\\.e": None,
        "list": "[1,2]",
        "steps.0.n": 1,
        "steps.1.n": 2,
        "none": "{}",
    }


def test_a_name_is_found_at_the_top_before_anything_below_it() -> None:
    config = {"policy": {"model": "deep"}, "model": "top"}
    assert named_setting(config, ("model_name", "model")) == "top"
    assert named_setting({"policy": {"model": "deep"}}, ("model_name", "model")) == "deep"


def test_a_name_that_stands_for_two_things_below_is_not_guessed() -> None:
    config = {"policy": {"model": "one"}, "judge": {"model": "two"}}
    assert named_setting(config, ("model",)) is None
    assert named_setting({}, ("model",)) is None


def test_what_is_nested_without_end_and_numbers_beyond_all_words_are_fields_too() -> None:
    deep: Any = "bottom"
    for _ in range(100_000):
        deep = [deep]
    fields = config_fields({"limits": {"deep": deep, "seeds": [10**400]}})
    assert [value for name, value in fields.items() if name.startswith("limits.deep")] == [
        "nested too deeply to be read"
    ]
    assert str(fields["limits.seeds"]).startswith("[1000")
