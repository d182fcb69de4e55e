"""Question forms: a template that a reviewer can read, put in both orders of the two actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rationale.schema import DocumentError, check, read_schema, read_yaml
from rationale.surveys.templates import template_problems

PLACEHOLDERS = ("context", "first", "second")
ORDERS = (0, 1)
LETTERS = ("A", "B")


@dataclass(frozen=True)
class Template:
    """A way to put a scenario. ``reply`` is letter, action or yes-no."""

    name: str
    reply: str
    question: str
    system: str | None = None


class Form(NamedTuple):
    """A template in one order, under one set of parameters: what a path's ``{form}`` stands for.

    Order 0 lists action 1 first, order 1 action 2. ``decoding`` is None for the study itself.
    """

    template: str
    order: int
    decoding: str | None = None

    @property
    def name(self) -> str:
        """The form in paths and tables: ``ab-0``, or ``ab-0.cold`` under the decoding 'cold'."""
        behind = "" if self.decoding is None else f".{self.decoding}"
        return f"{self.asked}{behind}"

    @property
    def asked(self) -> str:
        """The form without its decoding."""
        return f"{self.template}-{self.order}"


def forms_of(templates: Sequence[str], decodings: Sequence[str]) -> dict[str, Form]:
    """Every form by its name: each template in both orders, for the study and each decoding."""
    found = [
        Form(template, order, decoding)
        for decoding in (None, *decodings)
        for template in templates
        for order in ORDERS
    ]
    return {form.name: form for form in found}


def read_template(path: str | Path, schema: str | Path) -> Template:
    """The template in a YAML file, named for the file.

    Raises DocumentError for a broken schema, for a question that lacks one of {context}, {first},
    {second} or names another placeholder, and for a system text with placeholders.
    """
    path = Path(path)
    found = check(read_yaml(path), read_schema(schema), path.name)
    problems = template_problems(
        found["question"], PLACEHOLDERS, PLACEHOLDERS, f"{path.name}: question"
    )
    problems += template_problems(found.get("system", ""), (), (), f"{path.name}: system")
    if problems:
        raise DocumentError(problems)
    return Template(path.stem, found["reply"], found["question"], found.get("system"))


def question(template: Template, context: str, first: str, second: str) -> str:
    """A scenario in words, its actions in the order shown."""
    return template.question.format(context=context, first=first, second=second).strip()


def header(template: Template) -> str | None:
    """The header instruction, if the template has one."""
    return None if template.system is None else template.system.format().strip()
