"""Forms of STEER: ways to put the same questions, each a file that a reviewer can read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rationale.schema import DocumentError, check, read_schema
from rationale.surveys.templates import merged_keys, template_problems


@dataclass(frozen=True)
class Form:
    """How a question is put. ``reasons`` is none, together or apart; ``reply`` letter or number."""

    name: str
    question: str
    instruction: str
    reasons: str
    reply: str
    shots: int
    system: str | None = None
    reasoning: str | None = None
    examples: str | None = None
    none_correct: str | None = None


def read_form(path: str | Path, schema: str | Path) -> Form:
    """The form in a YAML file, named for the file; keys it lacks come from the form it is `like`.

    Raises DocumentError for a broken schema, placeholders that are missing or unknown, and keys that
    need each other: `reasoning` where reasons are asked for apart, `examples` where there are shots.
    """
    path = Path(path)
    found = check(merged_keys(path), read_schema(schema), path.name)
    form = Form(path.stem, **{key: found[key] for key in found if key not in ("like", "about")})
    problems = [*_missing(form, path.name), *_templates(form, path.name)]
    if problems:
        raise DocumentError(problems)
    return form


def _missing(form: Form, where: str) -> list[str]:
    pairs = (
        (form.reasons == "apart", form.reasoning, "reasoning", "reasons: apart"),
        (form.shots > 0, form.examples, "examples", "shots"),
    )
    problems = [
        f"{where}: the key '{key}' is missing; '{because}' needs it."
        for needed, value, key, because in pairs
        if needed and value is None
    ]
    if form.reply == "number" and form.none_correct is not None:
        problems.append(
            f"{where}: none_correct is an option; a form that asks for a number has none."
        )
    return problems


def _templates(form: Form, where: str) -> list[str]:
    needed = {"instruction"}
    needed |= {"text"} if form.reasons != "apart" else set()
    needed |= {"options"} if form.reply == "letter" else set()
    texts = [
        ("question", form.question, needed | {"text"}, needed),
        ("instruction", form.instruction, (), ()),
        ("system", form.system, (), ()),
        ("reasoning", form.reasoning, ("text",), ("text",)),
        ("examples", form.examples, ("examples",), ("examples",)),
        ("none_correct", form.none_correct, (), ()),
    ]
    return [
        problem
        for key, text, allowed, wanted in texts
        if text is not None
        for problem in template_problems(text, allowed, wanted, f"{where}: {key}")
    ]
