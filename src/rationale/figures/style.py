"""One look for all figures: quiet axes, colours that print and that colour-blind readers tell apart."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
# Names, not positions, decide what a figure is: the same data give the same bytes.
matplotlib.rcParams.update(
    {
        "svg.hashsalt": "rationale",
        "svg.fonttype": "path",
        "pdf.fonttype": 42,
        "font.family": "DejaVu Sans",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.spines.left": False,
        "axes.edgecolor": "#8a8f98",
        "axes.labelcolor": "#30343b",
        "text.color": "#30343b",
        "xtick.color": "#30343b",
        "ytick.color": "#30343b",
        "ytick.left": False,
        "axes.titlelocation": "left",
        "axes.titlesize": 10,
        "figure.constrained_layout.use": True,
    }
)

INK = "#30343b"
FAINT = "#c9ced6"
GRID = "#eceef2"
BY_KIND = {"llm": "#0b6e99", "recorded": "#7a4fa3", "simulated": "#8a6d3b"}
KIND_WORDS = {"llm": "language model", "recorded": "recorded answers", "simulated": "simulated"}


def save(figure: matplotlib.figure.Figure, *paths: str | Path) -> None:
    """Write a figure in every format that the paths name, without dates."""
    for path in paths:
        kind = Path(path).suffix.lstrip(".")
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
        figure.savefig(path, metadata=metadata, dpi=200, bbox_inches="tight", pad_inches=0.08)
    matplotlib.pyplot.close(figure)
