"""`blade check` on sentences as people write them: true ones pass, false ones are caught or listed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tests.accept.checked_sentences import (
    FEWEST_FALSE_NOTICED,
    GOLDEN,
    MOST_TRUE_CALLED_WRONG,
    PACKAGES,
    corpora_of,
    missed,
    rates_of,
)

pytestmark = pytest.mark.corpus


@pytest.mark.parametrize("name", PACKAGES)
def test_true_sentences_pass_and_false_ones_do_not(name: str, tmp_path: Path) -> None:
    if not GOLDEN.exists():
        pytest.skip("../shared/golden is not there")
    corpora = corpora_of(name, tmp_path)
    assert Counter(saying[0] for saying in corpora["templates"][0]) == {True: 200, False: 200}
    assert min(Counter(saying[0] for saying in corpora["by hand"][0]).values()) >= 40
    for corpus, (sayings, outcomes) in corpora.items():
        rates = rates_of(corpus, sayings, outcomes)
        told = list(missed(sayings, outcomes))
        assert rates.called_wrong_share <= MOST_TRUE_CALLED_WRONG, told
        assert rates.noticed_share >= FEWEST_FALSE_NOTICED, told
