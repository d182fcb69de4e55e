"""Respondents that have already answered: replies read from a file."""

from __future__ import annotations

import hashlib
from pathlib import Path

import polars as pl

from rationale.respondents.base import Asked, Call, Rejected, Reply
from rationale.schema import DocumentError

NEEDED = ("form", "prompt_id", "text")
NUMBERS = ("sample", "attempt", "turn")
OPTIONAL = {"study": "psm", "sample": None, "attempt": 1, "turn": 0}


class Recorded:
    """Replies from a CSV, parquet or JSON-lines file, matched by study, form and prompt.

    Columns ``form``, ``prompt_id`` and ``text`` are needed; ``study`` (psm), ``sample`` (any),
    ``attempt`` (1) and ``turn`` (0) have the defaults in brackets. A prompt that is not in the
    file is a missing round.
    """

    paid = False

    def __init__(self, path: str | Path):
        rows = read_recorded(path)
        content = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        self.asked = Asked(model=f"recorded/{Path(path).name}", params={"sha256": content})
        self.path = path
        self.replies = {
            (
                row["study"],
                row["form"],
                row["prompt_id"],
                row["sample"],
                row["attempt"],
                row["turn"],
            ): row
            for row in rows.iter_rows(named=True)
        }

    async def reply(self, call: Call) -> Reply:
        """The recorded words. Raises Rejected when the file has none for this call."""
        place = (call.study, call.form, call.prompt_id)
        for sample in (call.sample, None):
            row = self.replies.get((*place, sample, call.attempt, call.turn))
            if row is not None:
                return Reply(text=row["text"], model_reported=self.asked.model, cost_usd=0.0)
        raise Rejected(
            f"{self.path} has no reply to {call.study}/{call.form}/{call.prompt_id}, "
            f"attempt {call.attempt}"
        )

    async def close(self) -> None:
        """Nothing is held."""


def read_recorded(path: str | Path) -> pl.DataFrame:
    """The rows of a recorded file with every column filled in.

    Raises DocumentError for an unknown kind of file, missing columns, empty cells where a value is
    needed, and two rows for one call.
    """
    path = Path(path)
    readers = {".csv": _read_csv, ".parquet": pl.read_parquet, ".jsonl": _read_jsonl}
    if path.suffix not in readers:
        raise DocumentError([f"{path}: found '{path.suffix}'; allowed: {', '.join(readers)}."])
    try:
        rows = readers[path.suffix](path)
    except FileNotFoundError:
        raise DocumentError([f"{path}: no such file; check 'recorded' in your config."]) from None
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DocumentError([f"{path}: cannot be read as {path.suffix}: {error}"]) from None
    missing = [name for name in NEEDED if name not in rows.columns]
    if missing:
        raise DocumentError(
            [
                f"{path}: the columns {', '.join(missing)} are missing; found: "
                f"{', '.join(rows.columns)}; needed: {', '.join(NEEDED)}."
            ]
        )
    try:
        completed = _completed(rows)
    except pl.exceptions.PolarsError as error:
        raise DocumentError([f"{path}: cells that are neither text nor numbers: {error}"]) from None
    return _checked(completed, path)


def _read_csv(path: Path) -> pl.DataFrame:
    """Every cell as text: a reply of 007 stays 007, and an empty reply stays a reply."""
    return pl.read_csv(path, infer_schema=False, empty_string_is_null=False)


def _read_jsonl(path: Path) -> pl.DataFrame:
    """All lines are looked at for keys: one that first stands in the last line counts."""
    return pl.read_ndjson(path, infer_schema_length=None)


def _completed(rows: pl.DataFrame) -> pl.DataFrame:
    filled = rows.with_columns(
        pl.lit(default).alias(name)
        for name, default in OPTIONAL.items()
        if name not in rows.columns
    )
    texts = [pl.col(name).cast(pl.String) for name in (*NEEDED, "study")]
    given = [pl.col(name).cast(pl.String).str.strip_chars().replace("", None) for name in NUMBERS]
    rows = filled.with_columns(*texts, *given)
    numbers = [pl.col(name).cast(pl.Int64, strict=False) for name in NUMBERS]
    unclear = (
        pl.col("sample").is_not_null() & pl.col("sample").cast(pl.Int64, strict=False).is_null()
    )
    return rows.with_columns(*numbers, unclear.alias("unclear"))


def _checked(rows: pl.DataFrame, path: Path) -> pl.DataFrame:
    numbered = rows.with_row_index("row", offset=2 if path.suffix == ".csv" else 1)
    needed = pl.col("form", "prompt_id", "text", "study", "attempt", "turn")
    names = pl.col("form", "prompt_id", "study")
    empty = numbered.filter(
        pl.any_horizontal(needed.is_null(), names == "", pl.col("unclear"))  # an empty text counts
    )
    if len(empty):
        raise DocumentError(
            [
                f"{path}: an empty cell, or no whole number in sample, attempt or turn, in "
                f"{_first_rows(empty)}."
            ]
        )
    key = ["study", "form", "prompt_id", "sample", "attempt", "turn"]
    twice = numbered.filter(pl.struct(key).is_duplicated())
    if len(twice):
        raise DocumentError(
            [
                f"{path}: more than one reply to the same prompt in {_first_rows(twice)}; "
                f"number them in a column 'attempt' or 'sample'."
            ]
        )
    return rows.drop("unclear")


def _first_rows(rows: pl.DataFrame) -> str:
    more = f" and {len(rows) - 5} more" if len(rows) > 5 else ""
    return "rows " + ", ".join(map(str, rows["row"].head(5))) + more
