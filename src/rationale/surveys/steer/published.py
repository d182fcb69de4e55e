"""Question files as the authors of STEER publish them: a folder an element, four tables in each."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from rationale.schema import DocumentError, nearest, shortened
from rationale.surveys.steer.bank import SCHEMA
from rationale.surveys.steer.taxonomy import Taxonomy

TABLES = {
    "questions": ("question_id", "question_text", "explanation"),
    "options": ("question_id", "option_id", "option_text"),
    "answers": ("question_id", "option_id", "correct"),
    "questions_metadata": ("question_id", "domain", "difficulty_level", "type", "tags"),
}
SUFFIXES = (".parquet", ".csv", ".pkl")
POINTER = b"version https://git-lfs.github.com/spec/"

# The published folder of each element that has one, by our slug.
FOLDERS = {
    "add_sub": "addition-subtraction",
    "ambiguity_aversion": "ambiguity-aversion",
    "auctions_risk": "risk-attitude-auctions",
    "backward_induction": "backward-induction",
    "bayes_nash": "bayes-nash",
    "bayes_rule": "bayes",
    "best_response": "best-response",
    "borda_count": "borda",
    "budget_balance": "budget-balance",
    "categorical_syllogism": "categorical-syllogism",
    "certainty_effect": "certainty-effect",
    "complement_rule": "complement",
    "completeness": "completeness",
    "completeness_risk": "lottery-completeness",
    "compute_expectations": "expectation",
    "compute_expected_utility": "compute-expected-utility",
    "conditional_syllogism": "conditional-syllogism",
    "condorcet_criterion": "condorcet-criterion",
    "dominant_strategies": "dominant-strategies",
    "dominated_strategies": "dominated-strategies",
    "dsic_mechanism": "dominant-strategy-truthfulness",
    "endowment_effect": "endowment",
    "enforceability": "enforceability",
    "equiv_contrapositive": "contrapositive",
    "feasibility": "feasibility",
    "first_order_false_belief": "first-order-belief",
    "gamblers_fallacy": "gamblers-fallacy",
    "independence": "independence",
    "independence_risk": "lottery-independence",
    "interpret_games": "interpret-games",
    "ir_mechanism": "individual-rationality",
    "iterated_removal": "iterated-removal",
    "level_k": "level-k",
    "maximize_expected_utility": "maximize-expected-utility",
    "mult_div": "multiplication-division",
    "pareto_sc": "pareto",
    "plurality_voting": "plurality",
    "prob_basic": "probability",
    "pure_nash": "pure-nash",
    "second_order_false_belief": "second-order-belief",
    "subgame_nash": "subgame-perfection",
    "sunk_cost": "sunk-cost",
    "time_inconsistency": "time-inconsistency",
    "top_trading": "top-trading-cycles",
    "transitivity": "transitivity",
    "transitivity_risk": "lottery-transitivity",
    "trigger": "trigger-strategies",
}

# What a table of pandas is rebuilt from; a pickle that names anything else could run any code.
HARMLESS = {
    "pandas": {"DataFrame", "Series", "Index", "RangeIndex", "StringDtype"},
    "pandas.arrays": {"StringArray"},
    "pandas.core.frame": {"DataFrame"},
    "pandas.core.series": {"Series"},
    "pandas.core.internals.managers": {"BlockManager", "SingleBlockManager"},
    "pandas.core.internals.blocks": {"new_block"},
    "pandas._libs.internals": {"_unpickle_block"},
    "pandas.core.indexes.base": {"Index", "_new_Index"},
    "pandas.core.indexes.range": {"RangeIndex"},
    "pandas.core.indexes.numeric": {"Int64Index"},
    "pandas.core.arrays.string_": {"StringArray", "StringDtype"},
    "pandas._libs.arrays": {"__pyx_unpickle_NDArrayBacked"},
    "numpy": {"ndarray", "dtype"},
    "numpy.core.multiarray": {"_reconstruct", "scalar"},
    "numpy._core.multiarray": {"_reconstruct", "scalar"},
    "numpy.core.numeric": {"_frombuffer"},
    "numpy._core.numeric": {"_frombuffer"},
    "__builtin__": {"slice"},
    "builtins": {"slice", "bool", "int", "str", "float"},
    "_codecs": {"encode"},
}


def read_published(folder: str | Path, taxonomy: Taxonomy) -> pl.DataFrame:
    """The questions of one published element, in the columns of bank.SCHEMA.

    Parameters
    ----------
    folder : the element's folder, e.g. ``elements/add_sub``, with the tables ``questions``,
        ``options``, ``answers`` and ``questions_metadata`` as Parquet, CSV or pickled pandas.
    taxonomy : tells module and setting of the element that the folder's name stands for.

    A question id ``X_Y`` is part Y of question X, here ``element.published.X``: each element counts
    its own. ``key`` is the published right option, empty where none is published: those questions are
    graded by consistency, by rules that the files do not hold, so ``rule`` and ``guess_rate`` are
    empty too. ``domain`` and ``template`` (the published ``type``) are the authors'
    words, ``origin`` is ``published``.
    Raises DocumentError for a folder that stands for no element, files that are missing, pointers of
    Git LFS or pickles of anything but tables, missing columns, and rows that contradict each other.
    """
    folder = Path(folder)
    slug = _element_of(folder)
    tables = {name: _table(folder, name) for name in TABLES}
    if problems := list(_contradictions(tables, folder)):
        raise DocumentError(shortened(problems))
    element = taxonomy.elements[slug]
    shared = {"element": slug, "module": element.module, "setting": element.setting}
    table = pl.DataFrame([{**shared, **row} for row in _rows(tables)], schema=SCHEMA)
    # The chance that even guesses are right in every part; none is told where a part has no key.
    chance = pl.when(pl.col("key").is_not_null().all()).then(
        (1 / pl.col("options").list.len()).product()
    )
    return table.with_columns(
        question_id=pl.format("{}.published.{}", "element", "question_id"),
        guess_rate=chance.over("question_id"),
    )


def _element_of(folder: Path) -> str:
    if not folder.is_dir():
        raise DocumentError([f"{folder}: no such folder; name the folder of one element."])
    if folder.name not in FOLDERS:
        known = sorted(FOLDERS)
        raise DocumentError(
            [
                f"{folder}: '{folder.name}' stands for no element; allowed: {', '.join(known)}."
                f"{nearest(folder.name, known)}"
            ]
        )
    return FOLDERS[folder.name]


def _table(folder: Path, name: str) -> pl.DataFrame:
    paths = [folder / f"{name}{suffix}" for suffix in SUFFIXES]
    path = next((path for path in paths if path.exists()), None)
    if path is None:
        raise DocumentError(
            [f"{folder}: no table '{name}'; allowed: {name} with {', '.join(SUFFIXES)}."]
        )
    with open(path, "rb") as file:
        if file.read(len(POINTER)) == POINTER:
            raise DocumentError(
                [
                    f"{path}: a pointer of Git LFS and not the data; run 'git lfs pull' in the "
                    f"clone of the authors' repository, then read it again."
                ]
            )
    table = _read(path)
    missing = [column for column in TABLES[name] if column not in table.columns]
    if missing:
        raise DocumentError(
            [f"{path}: missing columns: {', '.join(missing)}; found: {', '.join(table.columns)}."]
        )
    return table.select(pl.col(column) for column in TABLES[name])


def _read(path: Path) -> pl.DataFrame:
    try:
        if path.suffix == ".parquet":
            return pl.read_parquet(path)
        if path.suffix == ".csv":
            return pl.read_csv(path, infer_schema=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DocumentError([f"{path}: cannot be read: {error}"]) from None
    return _unpickled(path)


class _Tables(pickle.Unpickler):
    """Rebuilds tables and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if name not in HARMLESS.get(module, ()):
            raise pickle.UnpicklingError(f"it names {module}.{name}, which is no part of a table")
        return super().find_class(module, name)


def _unpickled(path: Path) -> pl.DataFrame:
    cure = "save it as Parquet or CSV with pandas, in the version that wrote it"
    try:
        with open(path, "rb") as file:
            found = _Tables(file).load()
    except Exception as error:
        raise DocumentError([f"{path}: not a pickled table: {error}; {cure}."]) from error
    columns = {str(name): list(found[name]) for name in getattr(found, "columns", ())}
    if not columns:
        raise DocumentError([f"{path}: not a pickled table of pandas; {cure}."])
    return pl.DataFrame(columns, strict=False)


def _contradictions(tables: Mapping[str, pl.DataFrame], folder: Path) -> Iterator[str]:
    known = set(tables["questions"]["question_id"].to_list())
    twice = tables["questions"].filter(pl.col("question_id").is_duplicated())["question_id"]
    for question in twice.unique().sort():
        yield f"{folder}: questions: the question {question} stands twice."
    for name in ("options", "questions_metadata"):
        found = set(tables[name]["question_id"].to_list())
        for question in sorted(map(str, known - found)):
            yield f"{folder}: {name}: nothing about question {question}."
    for name in ("options", "answers", "questions_metadata"):
        for question in sorted(set(map(str, tables[name]["question_id"])) - set(map(str, known))):
            yield f"{folder}: {name}: the question {question} is in no row of questions."
    right = tables["answers"].filter(_is_true("correct"))
    for question, count in right.group_by("question_id").len().sort("question_id").iter_rows():
        if count > 1:
            yield f"{folder}: answers: question {question} has {count} right options; allowed: one."


def _is_true(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.String).str.to_lowercase().is_in(["true", "1", "1.0"])


def _rows(tables: Mapping[str, pl.DataFrame]) -> Iterator[dict[str, Any]]:
    texts = tables["options"].with_columns(pl.col("option_id").cast(pl.String))
    options = texts.group_by("question_id", maintain_order=True).agg("option_id", "option_text")
    right = dict(
        tables["answers"]
        .filter(_is_true("correct"))
        .select("question_id", pl.col("option_id").cast(pl.String))
        .iter_rows()
    )
    joined = tables["questions"].join(options, on="question_id", maintain_order="left")
    joined = joined.join(tables["questions_metadata"], on="question_id", maintain_order="left")
    for row in joined.iter_rows(named=True):
        base, part = _parts(str(row["question_id"]))
        key = right.get(row["question_id"])
        yield {
            "question_id": base,
            "part": part,
            "domain": str(row["domain"]),
            "grade": int(float(row["difficulty_level"])),
            "template": None if row["type"] is None else str(row["type"]),
            "origin": "published",
            "person": "first" if "first_person" in str(row["tags"]) else None,
            "text": str(row["question_text"]),
            "options": [str(text) for text in row["option_text"]],
            "key": None if key is None else row["option_id"].index(key) + 1,
            "explanation": str(row["explanation"]) if _is_text(row["explanation"]) else None,
        }


def _parts(question_id: str) -> tuple[str, int]:
    base, _, part = question_id.rpartition("_")
    return (base, int(part)) if base and part.isdigit() else (question_id, 1)


def _is_text(value: object) -> bool:
    return value is not None and str(value).lower() not in ("false", "")
