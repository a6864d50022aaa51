from __future__ import annotations

from blade.diagnosis.definitions import definitions


def test_there_are_six_causes_and_the_word_for_not_knowing() -> None:
    assert set(definitions()) == {"KG", "UK", "BI", "TI", "IR", "DA", "IE"}
    for label in definitions().values():
        assert label.name
        assert label.meaning.endswith(".")
        assert label.intervention.endswith(".")


def test_a_package_rewords_and_adds() -> None:
    made = definitions({"BI": {"name": "habit"}, "XX": {"name": "new", "meaning": "It is new."}, "YY": "no table"})
    assert made["BI"].name == "habit"
    assert made["BI"].meaning == definitions()["BI"].meaning
    assert made["XX"].meaning == "It is new."
    assert "YY" not in made
