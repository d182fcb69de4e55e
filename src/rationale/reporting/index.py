"""The page that opens first: tables and figures in one file, readable without a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined

from rationale.figures.style import KIND_WORDS

_CAPTIONS = {
    "rationality": (
        "The test as a picture. Left: the CCEI of each respondent over the middle 90 % of its random "
        "data sets. Right: the share p of random data sets that do at least as well, with the "
        "interval of its Monte-Carlo error; the bar is p after Holm's correction."
    ),
    "null_ccei": (
        "How often choosing at random reaches each CCEI (grey), its 95th percentile (triangle), and "
        "the respondent (diamond)."
    ),
}


def index_page(
    table: pl.DataFrame,
    labels: Mapping[str, str],
    facts: Mapping[str, Any],
    folder: Path,
    figures: Sequence[str],
) -> str:
    """HTML. ``figures`` are SVG files under ``folder``, which the page refers to by relative paths."""
    environment = Environment(
        loader=PackageLoader("rationale.reporting", "."), autoescape=True, undefined=StrictUndefined
    )
    shown = [
        {
            "path": str(Path(figure).relative_to(folder)),
            "caption": _CAPTIONS[Path(figure).stem],
            "name": Path(figure).stem,
        }
        for figure in figures
    ]
    rows = [
        {**row, "label": labels.get(row["model"], row["model"])}
        for row in table.iter_rows(named=True)
    ]
    return environment.get_template("index.html").render(
        rows=rows,
        facts=facts,
        figures=shown,
        kinds=KIND_WORDS,
        forms=sorted(table["form"].unique()),
        simulated=(table["respondent"] == "simulated").any(),
        number=_number,
    )


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
