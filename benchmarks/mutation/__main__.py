"""Mutation testing: small changes to the source that some test must notice.

python -m benchmarks.mutation                      # the sample of every folder, and the mutants by hand
python -m benchmarks.mutation --folder change      # one folder
python -m benchmarks.mutation --only 1a2b3c4d      # one mutant, again
python -m benchmarks.mutation --by-hand            # the mutants by hand alone
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.mutation.by_hand import by_hand
from benchmarks.mutation.equivalent import EQUIVALENT
from benchmarks.mutation.folders import FOLDERS
from benchmarks.mutation.mutant import Mutant, Outcome, Result
from benchmarks.mutation.sampling import sampled
from benchmarks.mutation.tables import enough, folder_table, hand_table, write
from benchmarks.mutation.trying import tried

ROOT = Path(__file__).parents[2]


def main() -> int:
    asked = _arguments()
    drawn = [] if asked.by_hand else [one for folder in FOLDERS for one in _drawn(folder.name, asked.folder)]
    planted = by_hand(ROOT) if asked.by_hand or not asked.folder else []
    if asked.only:
        drawn, planted = ([one for one in many if one.key in asked.only] for many in (drawn, planted))
    excused = {one.key: one.reason for one in EQUIVALENT}
    left_out = [Result(one, Outcome.EXCLUDED, 0.0, excused[one.key]) for one in drawn if one.key in excused]
    results = left_out + _told([one for one in drawn if one.key not in excused] + planted, asked.workers)
    of_sample = [result for result in results if result.mutant.folder]
    of_hand = [result for result in results if not result.mutant.folder]
    tables = "\n\n".join(
        table for table, many in ((folder_table(of_sample), of_sample), (hand_table(of_hand), of_hand)) if many
    )
    print(f"\n{tables}")
    if asked.write:
        write(asked.write, tables)
    return int(not enough(of_sample, of_hand))


def _drawn(name: str, wanted: Sequence[str]) -> list[Mutant]:
    return [
        one for folder in FOLDERS if folder.name == name and name in (wanted or [name]) for one in sampled(ROOT, folder)
    ]


def _told(mutants: Sequence[Mutant], workers: int) -> list[Result]:
    """The results, each printed as it comes: a survivor with its line."""
    results = []
    for number, result in enumerate(tried(ROOT, mutants, workers), 1):
        words = result.mutant.words if result.outcome is Outcome.SURVIVED else f"{result.mutant.key} {result.reason}"
        print(f"{number}/{len(mutants)} {result.outcome} in {result.seconds:.0f} s: {words}", flush=True)
        results.append(result)
    return results


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", action="append", default=[], choices=[folder.name for folder in FOLDERS])
    parser.add_argument("--only", action="append", default=[], metavar="KEY")
    parser.add_argument("--by-hand", action="store_true")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", type=Path, metavar="FILE")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
