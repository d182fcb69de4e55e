"""Report cards in LaTeX: a long table of modules and elements, one of grades and domains, and one of
prerequisites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rationale.reporting.cards import BY_CHANCE, Card, Lower, Score
from rationale.reporting.cards_html import counted, metric_name
from rationale.reporting.cards_reading import as_shares, named
from rationale.reporting.latex import escape, number, tabular
from rationale.surveys.steer.rubrics import Rubric

_HEADER = ("", "Questions", "Read", "Share", "Guess", "Score")
# Where something else than the right answer counts.
_SHARES_HEADER = ("", "Questions", "Read", "Right", "Chance", "Share that counts")
_FORMULAS = {
    "normalised": "$(a-r)/(1-r)$",
    "accuracy": "$a$",
    "printed": "$(a-r)/r$",
}
_PAIRS = 20


def card_latex(card: Card, label: str, kind: str) -> str:
    """Three tables of a card. ``label`` names the model, ``kind`` is llm, recorded or simulated.

    Where something else than the right answer counts, scores are the shares that count.
    """
    card = as_shares(card) if card.rubric.polarity else card
    header = _SHARES_HEADER if card.rubric.polarity else _HEADER
    dagger = "$^\\dagger$" if kind == "simulated" else ""
    title = f"STEER report card of {escape(label)}{dagger}: {escape(card.rubric.title)}"
    name = f"tab:steer:{card.model}:{card.rubric.name}"
    tables = [
        _long_table(header, list(_elements(card)), title, name, _note(card, kind)),
        tabular(
            header,
            list(_parts(card)),
            "lrrrrr",
            f"{title}, by grade, domain and form",
            f"{name}:parts",
            "As the table of modules and elements.",
        ),
    ]
    if card.lower:
        tables.append(_prerequisites(card, title, f"{name}:prerequisites"))
    return "\n".join(tables)


def _note(card: Card, kind: str) -> str:
    rubric = card.rubric
    said = [
        f"Counts {escape(counted(card))}. Form {escape(rubric.form)}.",
        _scored_by(rubric),
        "in brackets the 95\\,\\% bootstrap interval (stories within elements resampled).",
    ]
    if rubric.domains:
        said.append(f"Domains: {escape(', '.join(rubric.domains))}.")
    if rubric.grades:
        said.append(f"Grades: {', '.join(map(str, rubric.grades))}.")
    if card.without_data:
        names = [f"{one.label} ({one.reason})" for one in card.without_data]
        said.append(f"Without data: {escape('; '.join(names))}.")
    if kind == "simulated":
        said.append("A dagger marks simulated respondents.")
    return " ".join(said)


def _scored_by(rubric: Rubric) -> str:
    if rubric.polarity:
        return (
            "Shares are of the questions read; chance is what guessing evenly would give of the share "
            "that counts, right the share of right answers to the very same questions;"
        )
    return (
        f"Score: {metric_name(rubric).lower()}, {_FORMULAS[rubric.metric]}, with $a$ the "
        "share that counts and $r$ the mean guess rate of the questions read;"
    )


def _elements(card: Card) -> Iterator[tuple[str, ...]]:
    right = bool(card.rubric.polarity)
    yield _row(card.rubric.title, card.headline, right)
    for setting in card.of("setting"):
        yield (r"\addlinespace",)
        yield _row(setting.label, setting.score, right, r"\textbf{{{}}}")
        for module in card.of("module"):
            if module.within == setting.name:
                yield _row(module.label, module.score, right, r"\emph{{{}}}")
                yield from (
                    _row(named(one), one.score, right, r"\quad {}")
                    for one in card.of("element")
                    if one.within == module.name
                )


def _parts(card: Card) -> Iterator[tuple[str, ...]]:
    for section in ("grade", "domain", "form"):
        yield (rf"\multicolumn{{6}}{{l}}{{\emph{{By {section}}}}}",)
        for line in card.of(section):
            yield _row(line.label, line.score, bool(card.rubric.polarity))


def _row(label: str, score: Score, right: bool, dress: str = "{}") -> tuple[str, ...]:
    """A row of six cells; ``right`` puts the share of right answers in place of that that counts."""
    return (
        dress.format(escape(label)),
        str(score.questions),
        str(score.answered),
        number(score.right_share if right else score.share, 2),
        number(score.guess_rate, 2),
        _bounded(score.score, score.low, score.high),
    )


def _bounded(score: float | None, low: float | None, high: float | None) -> str:
    if score is None or low is None or high is None:
        return number(score, 2)
    return f"{number(score, 2)} [{number(low, 2)}, {number(high, 2)}]"


def _long_table(
    header: Sequence[str],
    rows: Sequence[tuple[str, ...]],
    caption: str,
    label: str,
    note: str,
) -> str:
    """A table over several pages."""
    body = "\n".join(
        row[0] if row[0] == r"\addlinespace" else " & ".join(row) + r" \\" for row in rows
    )
    return rf"""% needs \usepackage{{booktabs,longtable}}
\begin{{longtable}}{{lrrrrr}}
\caption{{{caption}}}\label{{{label}}}\\
\toprule
{" & ".join(header)} \\
\midrule
\endfirsthead
\toprule
{" & ".join(header)} \\
\midrule
\endhead
\bottomrule
\endfoot
{body}
\end{{longtable}}
\noindent{{\footnotesize {note}\par}}
"""


def _prerequisites(card: Card, title: str, label: str) -> str:
    note = (
        "Normalised accuracy of right answers. Listed are prerequisites, direct or not, that score "
        "lower than an element that builds on them; those fail that lie under "
        f"{number(card.rubric.threshold, 2)} while the element does not. Resolved: the 95\\,\\% "
        "interval of the difference, from those of both scores, lies above 0; not adjusted for the "
        f"number of pairs. Of {card.compared} pairs compared {card.resolved} are resolved; "
        f"{number(BY_CHANCE * card.compared, 1)} would be by chance alone if no pair differed."
    )
    if len(card.lower) > _PAIRS:
        note += f" The first {_PAIRS} of {len(card.lower)}; the CSV file has all."
    header = ("Prerequisite", "Score", "Element", "Score", "Difference", "Finding")
    rows = [_pair(one, card) for one in card.lower[:_PAIRS]]
    return tabular(header, rows, "lrlrrl", f"{title}, prerequisites", label, note)


def _pair(one: Lower, card: Card) -> tuple[str, ...]:
    return (
        escape(card.names[one.prerequisite]),
        number(one.below.score, 2),
        escape(card.names[one.element]),
        number(one.above.score, 2),
        _bounded(one.difference, one.low, one.high),
        one.finding,
    )
