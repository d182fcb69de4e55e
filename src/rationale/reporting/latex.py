"""Tables for papers: plain booktabs LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

from rationale.reporting import numbers

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def escape(text: str) -> str:
    """Text in which LaTeX finds nothing to do."""
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def tabular(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    align: str,
    caption: str,
    label: str,
    note: str,
) -> str:
    """A table float. Cells are LaTeX already; escape what comes from users."""
    body = "\n".join(" & ".join(row) + r" \\" for row in rows)
    return rf"""% needs \usepackage{{booktabs}}
\begin{{table}}
\centering
\caption{{{caption}}}
\label{{{label}}}
\begin{{tabular}}{{{align}}}
\toprule
{" & ".join(header)} \\
\midrule
{body}
\bottomrule
\end{{tabular}}

\medskip
\begin{{minipage}}{{0.95\linewidth}}\footnotesize {note}\end{{minipage}}
\end{{table}}
"""


def number(value: float | None, digits: int = 3) -> str:
    """A number with so many decimals; an en dash where there is none."""
    return numbers.number(value, digits, unknown="--")
