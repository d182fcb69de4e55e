"""Respondents that have already answered: replies read from a file."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import polars as pl

from rationale.respondents import published
from rationale.respondents.base import Asked, Call, Denied, Rejected, Reply
from rationale.respondents.published import first_listed, first_rows
from rationale.schema import DocumentError

NEEDED = ("form", "prompt_id", "text")
NUMBERS = ("sample", "attempt", "turn")
ASKED = "question_text"
DEFAULTS = {"study": "psm", "sample": None, "attempt": "1", "turn": "0", ASKED: None}
KEY = ("study", "form", "prompt_id", "sample", "attempt", "turn")
CURES = {published.STUDY: "take them out, or add the scenarios to moralchoice.scenarios"}


class _Content(NamedTuple):
    """A file's rows, and the sha256 of its bytes in hexadecimal."""

    rows: pl.DataFrame
    sha256: str


class Recorded:
    """Replies from a CSV, parquet or JSON-lines file, matched by study, form and prompt.

    Columns ``form``, ``prompt_id`` and ``text`` are needed; ``study`` (psm), ``sample`` (any),
    ``attempt`` (1) and ``turn`` (0) have the defaults in brackets; ``question_text`` is what was
    asked, or a part of it. Or the file has the columns that MoralChoice's own code writes. A prompt
    that is not in the file is a missing round.
    """

    paid = False

    def __init__(self, path: str | Path):
        rows, content = _content(Path(path))
        self.asked = Asked(model=f"recorded/{Path(path).name}", params={"sha256": content})
        self.path = path
        self.replies = {
            tuple(row[name] for name in KEY): (row["text"], row["model_reported"], row[ASKED])
            for row in rows.iter_rows(named=True)
        }

    async def reply(self, call: Call) -> Reply:
        """The recorded words.

        Raises Rejected when the file has none for this call, Denied when they answer another question.
        """
        place = (call.study, call.form, call.prompt_id)
        for sample in (call.sample, None):
            found = self.replies.get((*place, sample, call.attempt, call.turn))
            if found is not None:
                text, model, asked = found
                self._refuse_another_question(call, asked)
                return Reply(text=text, model_reported=model or self.asked.model, cost_usd=0.0)
        raise Rejected(
            f"{self.path} has no reply to {call.study}/{call.form}/{call.prompt_id}, "
            f"attempt {call.attempt}"
        )

    async def close(self) -> None:
        """Nothing is held."""

    def _refuse_another_question(self, call: Call, asked: str | None) -> None:
        """MoralChoice's own layout has its own wording, and is checked by `check_order`."""
        if asked is None or call.study == published.STUDY:
            return
        if asked.strip() not in call.messages[-1]["content"]:
            raise Denied(
                f"{self.path}: the reply to {call.study}/{call.form}/{call.prompt_id}, turn "
                f"{call.turn}, answers another question than the one that is put: its question_text "
                f"is not in the prompt. Use the seed and settings that it was recorded under, or "
                f"take the reply out"
            )


def read_recorded(path: str | Path) -> pl.DataFrame:
    """The rows of a recorded file, in either layout, with every column filled in.

    Columns: ``row`` (where it stands: records of a CSV count from 2, below the header), those of
    KEY, ``text``, and as texts that MoralChoice's own layout alone may have, else null,
    ``recorded_decision``, ``model_reported``, ``asked_at``, ``temperature``, ``top_p`` and
    ``question_text``.
    Raises DocumentError for an unknown kind of file, a file without a reply, missing columns,
    cells that are empty or not what their column says, and two rows for one call.
    A file is read once by a process, and again when it changes.
    """
    return _content(Path(path)).rows


def recorded_decisions(path: str | Path) -> pl.DataFrame | None:
    """How the file itself reads its replies: form, prompt_id, sample, recorded_decision.

    None when the file has no decisions. Raises what `read_recorded` raises.
    """
    decided = read_recorded(path).filter(pl.col("recorded_decision").is_not_null())
    if decided.is_empty():
        return None
    return decided.select("form", "prompt_id", "sample", "recorded_decision")


def held(path: str | Path) -> dict[str, list[str]]:
    """What a file has replies to: study to its forms. Raises what `read_recorded` raises."""
    pairs = read_recorded(path).select("study", "form").unique(maintain_order=True)
    found: dict[str, list[str]] = {}
    for study, form in pairs.iter_rows():
        found.setdefault(study, []).append(form)
    return found


def check_recorded(path: str | Path, prompts_known: Mapping[str, Collection[str]]) -> list[str]:
    """Problems: replies to prompts that a study does not put.

    ``prompts_known`` maps a study to its prompt ids (those left out on purpose among them); replies
    to other studies are not looked at. Raises what `read_recorded` raises.
    """
    rows = read_recorded(path)
    problems = []
    for study, known in prompts_known.items():
        asked = rows.filter(pl.col("study") == study)
        strange = asked.filter(~pl.col("prompt_id").is_in(list(known)))
        if len(strange):
            ids = strange["prompt_id"].unique(maintain_order=True)
            names = ", ".join(map(repr, ids.head(5))) + (", …" if len(ids) > 5 else "")
            problems.append(
                f"{path}: {len(strange)} of {len(asked)} replies are to prompts that {study} does "
                f"not put: {names} in {first_rows(strange)}; {CURES.get(study, 'take them out')}."
            )
    return problems


def check_order(path: str | Path, scenarios: pl.DataFrame) -> list[str]:
    """Problems: questions that list a scenario's actions in another order than their form says.

    Looked at are the replies to MoralChoice that come with a ``question_text``; one in which the
    order cannot be told passes. ``scenarios`` has scenario_id, context, action1 and action2.
    Raises what `read_recorded` raises.
    """
    listed = _listed(read_recorded(path), scenarios)
    turned = [
        first_listed(*words) == (2 if form.endswith("-0") else 1)
        for form, *words in listed.drop("row", "prompt_id").iter_rows()
    ]
    wrong = listed.filter(pl.Series(turned, dtype=pl.Boolean))
    if wrong.is_empty():
        return []
    return [
        f"{path}: question_text: {len(wrong)} questions list the actions of their scenario in "
        f"another order than question_ordering says (0: action 1 first), in {first_rows(wrong)}; "
        f"correct question_ordering, or read the scenarios that were asked."
    ]


def _listed(rows: pl.DataFrame, scenarios: pl.DataFrame) -> pl.DataFrame:
    asked = rows.filter(
        pl.col("study") == published.STUDY,
        pl.col("form").str.contains(r"-[01]$"),
        pl.col("question_text").is_not_null(),
    ).join(scenarios, left_on="prompt_id", right_on="scenario_id", maintain_order="left")
    columns = ("form", "question_text", "context", "action1", "action2")
    return asked.select("row", "prompt_id", *columns)


def _content(path: Path) -> _Content:
    """What a file holds, kept for as long as it stays as it is."""
    if path.suffix not in READERS:
        raise DocumentError([f"{path}: found '{path.suffix}'; allowed: {', '.join(READERS)}."])
    try:
        now = path.stat()
        return _read_once(path, now.st_ino, now.st_mtime_ns, now.st_size)
    except FileNotFoundError:
        raise DocumentError([f"{path}: no such file; check 'recorded' in your config."]) from None
    except OSError as error:
        raise DocumentError([f"{path}: cannot be read as {path.suffix}: {error}"]) from None


@lru_cache(maxsize=128)
def _read_once(path: Path, *state: int) -> _Content:
    """The content of a file in a state that ``state`` tells from others."""
    content = path.read_bytes()
    found = _read(content, path)
    layout, used = _layout(found.columns, path)
    try:
        rows = layout(_cells(found, used, path), str(path))
    except pl.exceptions.PolarsError as error:
        raise DocumentError([f"{path}: cells that are neither text nor numbers: {error}"]) from None
    # A question is the same for all samples: texts of their own would take five times the memory.
    rows = _each_call_once(rows, path).cast({"question_text": pl.Categorical})
    return _Content(rows, hashlib.sha256(content).hexdigest())


def _read(content: bytes, path: Path) -> pl.DataFrame:
    try:
        # By content: in a path given to polars, '*' and '[' would stand for other files.
        found = READERS[path.suffix](io.BytesIO(content))
    except pl.exceptions.PolarsError as error:
        raise DocumentError([f"{path}: cannot be read as {path.suffix}: {error}"]) from None
    if found.is_empty():
        raise DocumentError([f"{path}: no reply in it; needed: one row or more."])
    return found


def _read_csv(content: io.BytesIO) -> pl.DataFrame:
    """Every cell as text: a reply of 007 stays 007, and an empty reply stays a reply."""
    return pl.read_csv(content, infer_schema=False, empty_string_is_null=False)


def _read_jsonl(content: io.BytesIO) -> pl.DataFrame:
    """All lines are looked at for keys: one that first stands in the last line counts."""
    return pl.read_ndjson(content, infer_schema_length=None)


READERS = {".csv": _read_csv, ".parquet": pl.read_parquet, ".jsonl": _read_jsonl}


def _layout(columns: list[str], path: Path) -> tuple[Callable, Mapping[str, str | None]]:
    """The reader of the layout that columns tell, and the columns it uses with their defaults."""
    lacks = {
        needed: [name for name in needed if name not in columns]
        for needed in (NEEDED, published.NEEDED)
    }
    if not any(lacks.values()):
        both = ", ".join((*NEEDED, *published.NEEDED))
        raise DocumentError([f"{path}: the columns of two layouts, {both}; take out those of one."])
    needed = min(lacks, key=lambda needed: len(lacks[needed]) / len(needed))
    found = ", ".join(columns)
    if lacks[needed]:
        raise DocumentError(
            [
                f"{path}: the columns {', '.join(lacks[needed])} are missing; found: {found}; "
                f"needed: {', '.join(needed)}."
            ]
        )
    if needed is NEEDED:
        return _from_own, {**dict.fromkeys(NEEDED), **DEFAULTS}
    return published.from_published, dict.fromkeys(published.USED)


def _cells(found: pl.DataFrame, used: Mapping[str, str | None], path: Path) -> pl.DataFrame:
    """The columns used, as text, and ``row``."""
    twice = [name for name in used if f"{name}_duplicated_0" in found.columns]
    if twice:
        raise DocumentError([f"{path}: {', '.join(twice)} heads two columns; take one out."])
    cells = (
        (pl.col(name) if name in found.columns else pl.lit(default)).cast(pl.String).alias(name)
        for name, default in used.items()
    )
    return found.select(*cells).with_row_index("row", offset=2 if path.suffix == ".csv" else 1)


def _from_own(cells: pl.DataFrame, place: str) -> pl.DataFrame:
    given = [pl.col(name).str.strip_chars().replace("", None) for name in NUMBERS]
    cells = cells.with_columns(*given)
    numbers = [pl.col(name).cast(pl.Int64, strict=False) for name in NUMBERS]
    unclear = pl.col("sample").is_not_null() & numbers[0].is_null()
    rows = cells.with_columns(*numbers, unclear.alias("unclear"))
    names = pl.col("form", "prompt_id", "study")
    needed = pl.col("form", "prompt_id", "text", "study", "attempt", "turn")
    empty = rows.filter(
        pl.any_horizontal(needed.is_null(), names == "", pl.col("unclear"))  # an empty text counts
    )
    if len(empty):
        raise DocumentError(
            [
                f"{place}: an empty cell, or no whole number in sample, attempt or turn, in "
                f"{first_rows(empty)}."
            ]
        )
    beside = (
        pl.col(ASKED) if name == ASKED else pl.lit(None, pl.String).alias(name)
        for name in published.BESIDE
    )
    return rows.select("row", *KEY, "text", *beside)


def _each_call_once(rows: pl.DataFrame, path: Path) -> pl.DataFrame:
    twice = rows.filter(pl.struct(KEY).is_duplicated())
    if twice.is_empty():
        return rows
    raise DocumentError(
        [
            f"{path}: more than one reply to the same prompt in {first_rows(twice)}; "
            f"number them in a column 'attempt' or 'sample' ('{published.SAMPLE}' in "
            f"MoralChoice's own layout)."
        ]
    )
