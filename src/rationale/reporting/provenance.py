"""Where a table comes from: versions, config, files, and the replies that it rests on."""

from __future__ import annotations

import hashlib
import platform
import re
import subprocess
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import polars as pl

PACKAGES = (
    *("snakemake", "litellm", "numpy", "polars", "scipy", "highspy", "numba"),
    *("matplotlib", "networkx"),
)
# Columns that name respondents.
_NAMING = ("model", "model_1", "model_2")
_USER = re.compile(r"(?<=://)[^/@\s]+@")


def versions() -> dict[str, str | None]:
    """Versions of this package, Python and the libraries; None for one that is not installed."""
    return {
        "rationale": _version("rationale"),
        "python": platform.python_version(),
        **{name: _version(name) for name in PACKAGES},
    }


def commit(folder: str | Path) -> dict[str, Any] | None:
    """The git commit of a folder and whether files of it were changed since; None without git."""
    found = _git(folder, "rev-parse", "HEAD")
    if found is None:
        return None
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return {"commit": found.strip(), "changed": bool(changed)}


def without_users(value: Any) -> Any:
    """A copy of plain values in which no address holds a user or password."""
    if isinstance(value, Mapping):
        return {key: without_users(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [without_users(one) for one in value]
    return _USER.sub("", value) if isinstance(value, str) else value


def files_of(paths: Sequence[str | Path], home: str | Path) -> dict[str, str]:
    """The sha256 of files by name; what lies in ``home`` is named from there."""
    return {_named(Path(path), Path(home)): _sum(path) for path in sorted(set(map(str, paths)))}


def tables_of(paths: Sequence[str | Path], replies: pl.DataFrame) -> dict[str, dict[str, Any]]:
    """The sum and length of each table, and how many replies it rests on.

    ``replies`` is the table of replies to the study. A table counts with the respondents, and in the
    priced survey the forms, that it names; one that names none counts with all.
    """
    found = {}
    for path in map(Path, paths):
        source = path.with_suffix(".csv")
        # A model called 7 keeps its name.
        names = dict.fromkeys(_NAMING, pl.String)
        rows = pl.read_csv(source, infer_schema_length=None, schema_overrides=names)
        found[path.name] = {
            "sha256": _sum(path),
            "rows": len(rows),
            "rests_on": rests_on(_named_in(rows, replies)),
        }
    return found


def rests_on(replies: pl.DataFrame) -> dict[str, int]:
    """How many respondents, forms, questions (rounds or scenarios), prompts and answers."""
    return {
        "respondents": replies["model"].n_unique(),
        "forms": replies["form"].n_unique(),
        "questions": replies["questions"].max() or 0,
        "prompts": replies["prompts"].sum(),
        "answered": replies["answered"].sum(),
    }


def _named_in(rows: pl.DataFrame, replies: pl.DataFrame) -> pl.DataFrame:
    models = {
        name
        for column in _NAMING
        if column in rows.columns
        for name in rows[column].drop_nulls().to_list()
    }
    if not models:
        return replies
    own = replies.filter(pl.col("model").is_in(sorted(models)))
    forms = rows["form"].drop_nulls().to_list() if "form" in rows.columns else []
    among = own.filter(pl.col("form").is_in(sorted(set(forms))))
    return among if len(among) else own


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _git(folder: str | Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return None
    return done.stdout if done.returncode == 0 else None


def _named(path: Path, home: Path) -> str:
    inside = path.is_absolute() and path.is_relative_to(home)
    return str(path.relative_to(home)) if inside else str(path)


def _sum(path: str | Path) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
