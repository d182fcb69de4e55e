"""Print questions to read by eye: one an element, domain and grade, with keys and mistakes.

python benchmarks/steer_sample.py [element …] [--seed N] [--stories]   # --stories: one a story
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import steer

from rationale.surveys.steer.bank import Question, draw_questions


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("elements", nargs="*")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--stories", action="store_true", help="one question a story and grade")
    chosen = arguments.parse_args()
    for slug in chosen.elements or steer.taxonomy().elements:
        element, stories = steer.taxonomy().elements[slug], steer.stories(slug)
        cell = max(sum(one.domain == story.domain for one in stories) for story in stories)
        per_cell = cell if chosen.stories else 1
        for one in draw_questions(element, stories, seed=chosen.seed, per_cell=per_cell):
            print(said(one))


def said(one: Question) -> str:
    """A question as a reader sees it, the key marked, with the mistake behind each distractor."""
    lines = [f"== {one.question_id}  ({one.story.domain}, {one.story.person} person)"]
    letters = iter("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    for part, shown in zip(one.draft.parts, one.shown, strict=True):
        lines += [textwrap.fill(p, 110, replace_whitespace=False) for p in part.text.split("\n")]
        for option in shown:
            mark = "*" if option is part.key else " "
            behind = option.mistake or option.meaning
            lines.append(
                f"  {mark} {next(letters)}. {option.text}" + (f"   [{behind}]" if behind else "")
            )
    lines.append(f"  -> {one.draft.rule or ''} {one.draft.explanation}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
