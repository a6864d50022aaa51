"""English that says nothing about any run: what anchors must not be met by.

Plain paragraphs on everyday matters, and the phrases that any report of an evaluation may hold without having seen one.
"""

from __future__ import annotations

_EVERYDAY = """
The river rises in the hills above the town and runs south for most of its length. In spring the meadows on
both banks are under water, and the road to the mill is closed. People who live there say that the floods have
become less frequent since the weir was built, but nobody has kept a record that would settle it.

A good loaf needs time more than it needs skill. The dough should rest in a cool place overnight, because the
slow rise gives the crust its taste. If the oven is too hot at the beginning, the outside hardens before the
inside is done, and the bread fails to rise any further.

The library opens at nine and closes at six, except on Fridays, when readers may stay until eight. Books that
are returned late are charged by the day. Most of the requests in the past year were for maps, which suggests
that the map room should be the first to be enlarged.

When the bridge was inspected, the engineers found that two of the bearings had worn more than expected. The
cause was traced to sand that the wind carries up from the shore. They recommend that the joints be covered
and the bearings greased twice a year instead of once.

Trains on the coast line are often late in autumn because wet leaves make the rails slippery. Drivers brake
earlier, so each stop takes longer, and the delays add up towards the end of the line. A second inspection in
the evening would catch most of the trouble before the morning service.

The orchestra played the first half without a pause. The strings were precise, the brass a little loud for the
hall, and the soloist took the slow movement faster than is usual. In contrast to last year, every seat was
taken, although the weather was bad and the trams did not run.

Gardeners who keep bees report better harvests of fruit. The difference is largest for apples and smallest for
currants. It is not known whether the bees cause it, since people who keep bees may also be the ones who water
their trees more carefully.

The museum has three floors. On the ground floor there are tools and boats, on the first floor portraits, and
under the roof a small collection of clocks, none of which is running. Visitors with little time should begin
upstairs and walk down.

The software was updated over the weekend. Users noticed that the search returns fewer results than before,
and that the list is sorted in another order. The team explained that duplicates are removed now. Anyone who
needs the old list can still ask for it by name.

The team compared two recipes for concrete. Samples of the first kind failed early under load, mostly at the
edges, while samples of the second kind held until the end of the test. The report concludes that more water
was used in the first recipe than the instructions allow.
"""

_ANY_REPORT = """
The model performs reasonably well overall but leaves room for improvement on harder tasks.

Most failures are caused by wrong reasoning, missed instructions or incomplete outputs.

Some tasks pass in every attempt, some in none, and a middle group is inconsistent between attempts.

The dominant failure mode is incorrect logic rather than formatting problems.

Harder categories show lower pass rates than easier ones, which indicates a ceiling of reasoning depth.

In several tasks the agent stopped too early and did not verify its own result.

Tool calls sometimes fail because of malformed arguments or missing context.

Infrastructure problems and timeouts account for a small share of the failed rollouts.

The gap between the best of several attempts and a single attempt suggests that sampling would help.

Failing rollouts tend to be longer and to use more tokens than passing ones.

We recommend targeted training data, better prompts, stricter checks of the output and a second look at the
verifier.

Root causes include knowledge gaps, unreliable knowledge, behavioural issues and task or verifier issues.

The results should be reproduced with more repeats before conclusions are drawn.
"""


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in text.strip().split("\n\n"))


PARAGRAPHS = _paragraphs(_EVERYDAY)
TEMPLATE = _paragraphs(_ANY_REPORT)
