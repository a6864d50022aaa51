"""What sentences say of runs in words: better and worse, real and noise, the best and the worst, which model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from blade.checking.masked import MaskedSentence
from blade.checking.measures import MORE_SCORES, SCORES, Values
from blade.checking.numbers import Figure, Figures
from blade.checking.outcome import Checked, CheckOutcome, ClaimKind
from blade.checking.tokens import Token
from blade.counting.lost_rollouts import mostly_lost
from blade.wording import percent, points

_MORE = r"better|higher|more|ahead of|beats?|outperforms?|outscores?|exceeds?|above|surpasses|leads|stronger|best of"
_LESS = r"worse|lower|fewer|less|trails?|behind|below|lags?|weaker|underperforms?|loses to"
_COMPARED = re.compile(
    rf"(R\d+)\b(?P<verb>[^R]*?)\b(?:(?P<more>{_MORE})|(?P<less>{_LESS}))\b(?P<rest>[^R]*)(R\d+)\b(?P<end>.*)"
)
_COMPARING = frozenset(
    "scores score scored is does do did was performs performed passes passed solves solved has have a the than "
    "rollouts tasks rate pass success on overall in total by clearly far much slightly with points pp percentage lies "
    "and reaches runs often attempts also still even fails failed mean reward an significantly statistically that "
    "difference gap real significant within noise chance".split()
)
_BEST = re.compile(r"\b(?:best|strongest|highest|top)\b")
_WORST = re.compile(r"\b(?:worst|weakest|lowest)\b")
_SUPERLATIVE = frozenset(
    "the run is of all has have score scores pass rate runs in overall scoring reaches was among them with these a "
    "mean reward".split()
)
_UNBEATEN = re.compile(
    r"^no (?:other )?run (?:scores|is|does|performs) (?P<word>higher|better|lower|worse) than (R\d+)$"
)
_DIFFERENCE = re.compile(
    r"\b(?:differ\w*|change|gap|drop|gain|fall|rise|loss|improve\w*|regress\w*|lead|better|worse|higher|lower|increase|decrease)\b"
)
_BEYOND = re.compile(
    r"\b(?:more than|beyond|above|not(?: just| only| mere| explained by)?)(?: the)? (?:noise|chance)\b"
    r"|(?:\bnot\b|\bcannot\b|n['’]t\b)[^.;]{0,24}\b(?:noise|chance)\b"
)
_NOISE = re.compile(r"\b(?:noise|chance|random variation)\b")
_UNPROVEN = re.compile(
    r"(?:\b(?:not|cannot|never|no)\b|n['’]t\b)[^.;]{0,30}\b(?:proven|real|significant\w*|conclusive)\b"
    r"|\b(?:unproven|inconclusive|insignificant\w*|open)\b"
)
_REAL = re.compile(r"\b(?:real|significant\w*|proven)\b")
_MODEL = (
    re.compile(
        r"(?P<run>R\d+)(?:'s)? (?:was |is |were )?(?:made|run|ran|runs|done|produced|evaluated|uses?|used|powered)"
        r"(?: with| by| on| from| using)?(?: the)?(?P<word> model)? (?P<model>[MRX]\d+|[\w.:/+-]+)$"
    ),
    re.compile(r"(?P<word>model)s? (?:of|behind|in|for) (?P<run>R\d+) (?:is|was) (?P<model>[MRX]\d+|[\w.:/+-]+)$"),
    re.compile(r"(?P<run>R\d+)(?:'s)? (?P<word>model) (?:is|was) (?P<model>[MRX]\d+|[\w.:/+-]+)$"),
    re.compile(r"^behind (?P<run>R\d+) (?:is|stands|works)(?: the)?(?P<word> model)? (?P<model>[MRX]\d+|[\w.:/+-]+)$"),
    re.compile(r"^(?P<model>[MRX]\d+|[\w.:/+-]+) (?:is|was) the (?P<word>model) (?:of|behind|in) (?P<run>R\d+)$"),
)
_MEASURE = r"(?:score|pass rate|success rate|mean reward|accuracy)"
_SCORED = (
    re.compile(
        rf"^(?P<r>R\d+) (?:scores|scored|reaches|reached|achieves|achieved|has an? {_MEASURE} of) (?P<n>[PN]\d+)$"
    ),
    re.compile(rf"^(?:the )?{_MEASURE} (?:of|for) (?P<r>R\d+) (?:is|was) (?P<n>[PN]\d+)$"),
    re.compile(r"^(?P<n>P\d+) of (?:the |all )?(?:rollouts|attempts) (?:of|in) (?P<r>R\d+) pass(?:ed)?$"),
)
_AT = re.compile(
    r"(?P<r>R\d+)(?: (?:is|stands|sits|lands|reaches|scores|gets|has))?(?: (?:at|only|just)){0,3} (?P<n>P\d+)"
)
_BETWEEN_SCORES = frozenset("and but while whereas against versus overall on paper only".split())
_JUDGING = frozenset(
    "the a an this that it there between and from to of in is are was be do does did not no differ differs difference "
    "differences change gap drop gain fall rise loss improvement regression lead increase decrease statistically "
    "significant significantly insignificant real more than beyond above within noise chance proven unproven "
    "inconclusive cannot can explained by explain explains only just mere random variation score scores run runs two "
    "both clearly could better worse higher lower".split()
)
"""Words of a sentence that says whether a change is real, and nothing else."""
_WORD = re.compile(r"[a-z'’]+")
Proofs = Iterator[tuple[Token | None, Checked]]


def run_claims(masked: MaskedSentence, values: Values) -> Proofs:
    """What is said of runs, each with the number that it settles, where there is one."""
    for part in masked.text.split("; "):
        text = part.rstrip(".! ")
        yield from _verdict(text, masked, values)
        yield from _models(text, masked, values)
        yield from _comparison(text, masked, values)
        yield from _superlative(text, masked, values)
        yield from _score(text, masked, values)


def _comparison(text: str, masked: MaskedSentence, values: Values) -> Proofs:
    match = _COMPARED.search(text)
    if match is None or len(re.findall(r"R\d+", text)) != 2 or "T" in re.sub(r"[^A-Z]", "", text):
        return
    one, other = (masked.behind(match[group])[0].text for group in (1, 6))
    if one == other:
        return
    words = " ".join((match["verb"], match["rest"], match["end"]))
    if [word for word in _WORD.findall(words) if word not in _COMPARING] or re.search(r"[NQP]\d", words):
        return
    more = bool(match["more"]) != bool(re.search(r"\bfail", match["verb"]))
    differences = _score_differences(one, other, values)
    if not differences:
        return
    agreeing = [(value > 0) == more and value != 0 for value in differences]
    token = _word(text, masked)
    statement = masked.statement
    scores = "; ".join(f"{run} {percent(values.runs[run].metrics['score'])}" for run in (one, other))
    if all(agreeing):
        yield None, statement.say(CheckOutcome.RIGHT, token)
    elif not any(agreeing):
        yield None, statement.say(CheckOutcome.WRONG, token, scores, ("runs", one, "metrics", "score"))
    else:
        note = f"it depends on which rows count: blade report RUN… --pair {one} {other}"
        yield None, statement.say(CheckOutcome.UNVERIFIABLE, token, scores, note=note)
    for mark in re.findall(r"D\d+", text):
        number = masked.behind(mark)[0]
        yield number, _gap(number, differences, masked, (one, other), values)


def _score(text: str, masked: MaskedSentence, values: Values) -> Proofs:
    """The plain score of a run: nothing else that was counted may prove it."""
    match = next((match for pattern in _SCORED if (match := pattern.match(text))), None)
    matches = (
        [match] if match else list(_AT.finditer(text)) if not _left_over(_AT.sub("", text), _BETWEEN_SCORES) else []
    )
    for pair in matches:
        token, run = masked.behind(pair["n"])[0], masked.behind(pair["r"])[0].text
        yield from _scored(token, run, masked, values)


def _scored(token: Token, run: str, masked: MaskedSentence, values: Values) -> Proofs:
    metrics = [value for path in MORE_SCORES if (value := _metric(values, run, path)) is not None]
    if token.number is None or not metrics or values.runs[run].scale != "unit":
        return
    if Figures([Figure(value, ("runs", run, "metrics", "score")) for value in metrics]).fit(token.number) is not None:
        yield token, masked.statement.say(CheckOutcome.RIGHT, token, path=("runs", run, "metrics", "score"))
    elif token.number.unit == "percent" or token.number.decimals > 1:
        shown = percent(metrics[0]) if token.number.unit == "percent" else f"{metrics[0]:.{token.number.decimals}f}"
        yield token, masked.statement.say(CheckOutcome.WRONG, token, shown, ("runs", run, "metrics", "score"))


def _gap(
    token: Token, differences: Sequence[float], masked: MaskedSentence, pair: tuple[str, str], values: Values
) -> Checked:
    """Points between two runs: of their scores, or of the tasks that they share."""
    change = values.change_of(*pair)
    known = [*differences, *([change.delta, change.delta_common] if change is not None else [])]
    figures = Figures([Figure(abs(value), ("changes",)) for value in known if value is not None])
    assert token.number is not None  # noqa: S101 - a mark of points is a number
    if figures.fit(replace(token.number, sign="", value=abs(token.number.value))) is not None:
        return masked.statement.say(CheckOutcome.RIGHT, token)
    return masked.statement.say(CheckOutcome.WRONG, token, points(abs(differences[0])))


def _score_differences(one: str, other: str, values: Values) -> list[float]:
    """One run's score less the other's, by every way to score both."""
    differences = []
    for path in SCORES:
        sides = [_metric(values, run, path) for run in (one, other)]
        if sides[0] is not None and sides[1] is not None:
            differences.append(sides[0] - sides[1])
    return differences


def _metric(values: Values, run: str, path: Sequence[str]) -> float | None:
    value = values.runs[run].metrics
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None  # type: ignore[assignment]
    return value if isinstance(value, int | float) else None


def _superlative(text: str, masked: MaskedSentence, values: Values) -> Proofs:
    runs = re.findall(r"R\d+", text)
    unbeaten = _UNBEATEN.search(text)
    best, worst = bool(_BEST.search(text)), bool(_WORST.search(text))
    if unbeaten:
        best = unbeaten["word"] in {"higher", "better"}
        worst = not best
    elif best == worst or _left_over(_WORST.sub("", _BEST.sub("", text)), _SUPERLATIVE):
        return
    if len(runs) != 1 or re.search(r"[TNQPDX]\d", text) or len(values.runs) < 2:
        return
    run = masked.behind(runs[0])[0].text
    answers = set()
    for path in SCORES[:1] + SCORES[-1:]:
        scores = {name: _metric(values, name, path) for name in values.runs}
        known = [score for score in scores.values() if score is not None]
        if known and scores[run] is not None:
            answers.add(scores[run] == (max if best else min)(known))
    token = _word(text, masked)
    if answers == {True}:
        yield None, masked.statement.say(CheckOutcome.RIGHT, token)
    elif answers == {False}:
        leader = (max if best else min)(values.runs, key=lambda name: _metric(values, name, SCORES[0]) or 0.0)
        yield None, masked.statement.say(CheckOutcome.WRONG, token, leader)
    elif answers:
        note = "it depends on which rows count: blade report RUN… --section aggregate_results"
        yield None, masked.statement.say(CheckOutcome.UNVERIFIABLE, token, note=note)


def _verdict(text: str, masked: MaskedSentence, values: Values) -> Proofs:
    claim = _verdict_claim(text) if _DIFFERENCE.search(text) and not _left_over(text, _JUDGING) else ""
    if not claim or re.search(r"[NQPDXM]\d", text) or "T" in re.sub(r"[^A-Z]", "", text):
        return
    runs = [token.text for mark in re.findall(r"R\d+", text) for token in masked.behind(mark)]
    changes = values.analysis.changes
    token = _word(text, masked)
    statement = masked.statement
    if len(set(runs)) != 2 and len(changes) != 1:
        return
    pair = list(dict.fromkeys(runs))
    change = values.change_of(pair[0], pair[1]) if len(pair) == 2 else changes[0]
    if change is None:
        note = f"these two were not compared: blade report RUN… --pair {runs[0]} {runs[1]}"
        yield None, statement.say(CheckOutcome.UNVERIFIABLE, token, note=note)
        return
    right = {"real": {"real"}, "noise": {"noise"}, "unproven": {"noise", "inconclusive"}}[claim]
    wrong = {"real": {"noise", "inconclusive"}, "noise": {"real"}, "unproven": {"real"}}[claim]
    path = (*values.place_of(change), "verdict")
    lost = [run for run in (change.base, change.candidate) if mostly_lost(values.runs[run])]
    if lost and claim == "real":
        note = f"most rollouts of {lost[0]} were lost: its score is no measure of the model"
        yield None, statement.say(CheckOutcome.UNVERIFIABLE, token, path=path, note=note)
    elif change.verdict in right:
        yield None, statement.say(CheckOutcome.RIGHT, token, path=path)
    elif change.verdict in wrong:
        yield None, statement.say(CheckOutcome.WRONG, token, change.verdict, path)
    else:
        note = f"the verdict is {change.verdict}: blade report RUN… --pair {change.base} {change.candidate}"
        yield None, statement.say(CheckOutcome.UNVERIFIABLE, token, path=path, note=note)


def _verdict_claim(text: str) -> str:
    if _BEYOND.search(text):
        return "real"
    if _UNPROVEN.search(text):
        return "unproven"
    if _NOISE.search(text):
        return "noise"
    return "real" if _REAL.search(text) else ""


def _models(text: str, masked: MaskedSentence, values: Values) -> Proofs:
    for pattern in _MODEL:
        match = pattern.search(text)
        if match is None:
            continue
        run = masked.behind(match["run"])[0].text
        known = re.fullmatch(r"[MRX]\d+", match["model"])
        name = masked.printed(match["model"]).rstrip(".") if known else match["model"]
        models = list(values.runs[run].provenance.models)
        token = replace(_word(text, masked), text=name)
        if not models or not (known or match["word"] or re.search(r"\d", name)):
            return
        if name.lower() in {model.lower() for model in models}:
            yield None, masked.statement.say(CheckOutcome.RIGHT, token)
        elif match["word"] or match["model"].startswith("M") or name in values.models:
            yield None, masked.statement.say(CheckOutcome.WRONG, token, ", ".join(models), ("runs", run, "models"))
        else:
            note = f"the model of {run} is {', '.join(models)}"
            yield None, masked.statement.say(CheckOutcome.UNVERIFIABLE, token, note=note)
        return


def _left_over(text: str, neutral: frozenset[str]) -> list[str]:
    return [word for word in _WORD.findall(re.sub(r"R\d+", " ", text)) if word not in neutral]


def _word(text: str, masked: MaskedSentence) -> Token:
    spelled = re.sub(r"[A-Z]\d+", lambda match: masked.behind(match[0])[0].text, text)
    first = masked.statement.tokens[0]
    return Token(ClaimKind.WORD, spelled, first.start, first.end)
