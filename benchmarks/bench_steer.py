"""How long it takes to draw 1,000 questions of every element of STEER, one process, one thread.

python benchmarks/bench_steer.py [--total 1000]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import steer

from rationale.surveys.steer.bank import draw_questions, question_table


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--total", type=int, default=1000, help="questions an element")
    total = arguments.parse_args().total
    seconds, drawn = {}, 0
    for slug, element in steer.taxonomy().elements.items():
        stories = steer.stories(slug)
        cells = len({story.domain for story in stories}) * len(element.grades)
        start = time.perf_counter()
        questions = draw_questions(element, stories, seed=1, per_cell=-(-total // cells))
        question_table(questions)
        seconds[slug] = time.perf_counter() - start
        drawn += len(questions)
    slowest = sorted(seconds, key=seconds.get, reverse=True)[:5]
    print(
        f"{drawn:,} questions of {len(seconds)} elements in {sum(seconds.values()):.1f} s; slowest:"
    )
    for slug in slowest:
        print(f"  {slug:32s} {seconds[slug]:.2f} s")


if __name__ == "__main__":
    main()
