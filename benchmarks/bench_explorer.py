"""How fast the explorer opens with 100,000 answers, and how large it is.

python benchmarks/bench_explorer.py [--answers 100000] [--turns 5] [--keep page.html]

Answers are fabricated for questions of every element in nine forms; where a form asks for reasons a
reply has some hundred words, drawn from the words of the questions. Each view is opened in headless
Chromium as often as --turns says, from the disk, in turn; the median is printed. Exits with 1 when
a view takes two seconds or more to its first paint.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from statistics import median

import polars as pl

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import steer
from explorer_page import FORMS, bank, browser, graded, moral_study, psm_study

from rationale.reporting.explorer import Steer, explorer_page

SHOTS = ("shots-1", "shots-2", "shots-4", "shots-5")
REASONED = ("together", "apart")
MODELS = 10
WORDS = (60, 180)
MOST_SECONDS = 2.0


def study(answers: int) -> Steer:
    """About so many answers of ten models, evenly over the elements."""
    forms = (*FORMS, *SHOTS)
    wanted = answers // (MODELS * (len(forms) - 1))
    questions = bank(steer.taxonomy().elements, -(-wanted // len(steer.taxonomy().elements)))
    names = questions["question_id"].unique(maintain_order=True)
    evenly = names.gather([n * len(names) // wanted for n in range(wanted)])
    questions = questions.filter(pl.col("question_id").is_in(evenly.implode()))
    words = " ".join(questions["text"]).split()
    tables = {
        f"model-{n:02d}": _reasoned(graded(questions, f"model-{n:02d}", forms), words, n)
        for n in range(1, MODELS + 1)
    }
    return Steer(questions, tables, steer.taxonomy())


def _reasoned(table: pl.DataFrame, words: list[str], seed: int) -> pl.DataFrame:
    """The answers, with reasons where the form asks for them."""
    rng = Random(seed)

    def reasons(texts: list[str]) -> list[str]:
        start, size = rng.randrange(len(words) - WORDS[1]), rng.randint(*WORDS)
        run = words[start : start + size]
        rng.shuffle(run)
        return [" ".join(run), *texts]

    texts = [
        reasons(texts) if form in REASONED else texts
        for form, texts in table.select("form", "texts").iter_rows()
    ]
    return table.with_columns(texts=pl.Series(texts, dtype=pl.List(pl.String)))


def views(found: Steer) -> dict[str, str]:
    """Addresses by what they show; the question is the middle one."""
    questions = found.questions.select("element", "question_id")
    middle = "/".join(questions.row(len(questions) // 2))
    return {
        "overview": "#/",
        "scores, elements x models": "#/steer/scores",
        "scores, elements and models x measures": "#/steer/scores?then=model&columns=measures",
        "elements and graph": "#/steer/elements",
        "questions": "#/steer/questions",
        "one question with its replies": f"#/steer/questions/{middle}",
        "priced survey": "#/psm",
        "MoralChoice": "#/moralchoice",
    }


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--answers", type=int, default=100_000)
    arguments.add_argument("--turns", type=int, default=5)
    arguments.add_argument("--keep", type=Path, help="where to keep the page")
    given = arguments.parse_args()
    found = study(given.answers)
    models = list(found.graded)
    psm = psm_study(dict.fromkeys(models, (3, 3, 0, 2, 3)))
    start = time.perf_counter()
    html = explorer_page(found, psm, moral_study(models, 40), {}, dict.fromkeys(models, "llm"))
    wrote = time.perf_counter() - start
    texts = sum(
        int(table["texts"].list.join("").str.len_bytes().sum()) for table in found.graded.values()
    )
    print(
        f"{sum(map(len, found.graded.values())):,} answers to "
        f"{found.questions['question_id'].n_unique():,} questions, {texts / 1e6:.1f} MB of replies: "
        f"{len(html) / 1e6:.1f} MB, written in {wrote:.1f} s"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = (given.keep or Path(folder) / "index.html").absolute()
        path.write_text(html, encoding="utf-8")
        slowest = measure(path.as_uri(), views(found), given.turns)
    return int(slowest >= MOST_SECONDS)


def measure(address: str, shown: dict[str, str], turns: int) -> float:
    """Print the median seconds to each view's first paint; return the largest."""
    seconds: dict[str, list[float]] = {name: [] for name in shown}
    with browser() as page:
        for _ in range(turns):
            for name, hash_ in shown.items():
                page.open(address + hash_)
                page.until("document.documentElement.dataset.painted")
                told = page.run("document.documentElement.dataset.painted")
                seconds[name].append(float(told) / 1000)
        if page.complaints:
            print("complaints:", *page.complaints[:3], sep="\n  ")
    print("seconds from opening the file to the first paint, median and slowest:")
    for name, found in seconds.items():
        print(f"  {name:40s} {median(found):.2f}  {max(found):.2f}")
    return max(map(median, seconds.values()))


if __name__ == "__main__":
    sys.exit(main())
