"""Documents that people write by hand: read without surprises, checked against closed schemas."""

from __future__ import annotations

import csv
import difflib
import io
import json
import math
from collections.abc import Hashable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

DEEPEST = 20
MOST_PROBLEMS = 20


class DocumentError(ValueError):
    """One or more problems in a document, each with its place, what was found and the cure."""

    def __init__(self, problems: list[str]):
        super().__init__("\n".join(problems))
        self.problems = problems


class _UniqueKeys(yaml.SafeLoader):
    """A safe loader that refuses a mapping with one key twice; YAML keeps the last in silence."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        seen: dict[Any, int] = {}
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue
            key = self.construct_object(key_node, deep=True)
            file, line = key_node.start_mark.name, key_node.start_mark.line + 1
            if not isinstance(key, Hashable):
                raise DocumentError([f"{file}: line {line}: the key {key!r} is not text"])
            if key in seen:
                raise DocumentError(
                    [
                        f"{file}: line {line}: the key {key!r} stands twice in one place "
                        f"(first in line {seen[key]}); rename or remove one of them"
                    ]
                )
            seen[key] = line
        return super().construct_mapping(node, deep)


def read_yaml(path: str | Path) -> Any:
    """The document in a YAML file.

    Raises DocumentError when the file is missing or no file, is not YAML, or has one key twice.
    """
    try:
        with open(path, encoding="utf-8") as file:
            return yaml.load(file, _UniqueKeys)
    except FileNotFoundError:
        raise DocumentError([f"{path}: no such file; check the path in your config"]) from None
    except UnicodeDecodeError as error:
        raise DocumentError(
            [f"{path}: not UTF-8 text ({error.reason}); save it as UTF-8"]
        ) from None
    except OSError as error:
        raise DocumentError([f"{path}: cannot be read: {error.strerror}"]) from None
    except RecursionError:
        raise DocumentError([f"{path}: nested too deeply to be read"]) from None
    except DocumentError:
        raise
    except (yaml.YAMLError, ValueError) as error:
        raise DocumentError([f"{path}: not valid YAML: {error}"]) from None


def read_records(path: str | Path, key: str) -> list[list[str]]:
    """Every record of a CSV file, header included; a byte-order mark is no part of it.

    ``key`` is the config's key that names the file. Raises DocumentError when the file is missing, not
    UTF-8 or not CSV.
    """
    try:
        content = Path(path).read_bytes()
        text = content.decode("utf-8-sig")
        return list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except FileNotFoundError:
        problem = f"no such file; check {key} in your config."
    except OSError as error:
        problem = f"cannot be read: {error.strerror}; name a CSV file."
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = f"not UTF-8 text in line {line} ({error.reason}); save it as CSV in UTF-8."
    except csv.Error as error:
        problem = f"not valid CSV: {error}; put cells with commas or line breaks in double quotes."
    raise DocumentError([f"{path}: {problem}"])


def shortened(problems: list[str]) -> list[str]:
    """The first of many problems, and how many more there are."""
    more = len(problems) - MOST_PROBLEMS
    return problems if more <= 0 else [*problems[:MOST_PROBLEMS], f"and {more} more"]


def read_schema(path: str | Path) -> dict:
    """A JSON schema."""
    return json.loads(Path(path).read_text(encoding="utf-8"))


def check(document: Any, schema: Mapping, where: str, definitions: Mapping | None = None) -> Any:
    """A copy of the document with the schema's defaults filled in.

    ``where`` names the document in messages (``config.yaml: models.gpt-4o``). ``definitions`` holds
    the ``$defs`` that the schema refers to. Raises DocumentError naming every problem.
    """
    if definitions is not None:
        schema = {**schema, "$defs": definitions}
    errors = sorted(
        _Validator(schema).iter_errors(document),
        key=lambda error: [(isinstance(part, str), part) for part in error.path],
    )
    if errors:
        lines = [line for error in errors for line in _explain(error, where)]
        raise DocumentError(list(dict.fromkeys(lines)))
    return _with_defaults(document, schema)


def _is_number(checker: Any, value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def _is_integer(checker: Any, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _plain(validator: Any, wanted: bool, value: Any, schema: Any) -> Iterator[ValidationError]:
    """The rule ``"plain": true``: values of any kind, but only such as JSON can say."""
    if wanted:
        yield from _not_plain(value, ())


def _not_plain(value: Any, path: tuple) -> Iterator[ValidationError]:
    if len(path) > DEEPEST:
        problem = f"allowed: at most {DEEPEST} levels"
        yield ValidationError(problem, path=path[:1], instance="deeper levels")
    elif isinstance(value, Mapping):
        for key, one in value.items():
            if isinstance(key, str):
                yield from _not_plain(one, (*path, key))
            else:
                problem = "allowed: keys that are text; put it in quotes"
                yield ValidationError(problem, path=path, instance=key)
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from _not_plain(one, (*path, place))
    elif isinstance(value, float) and not math.isfinite(value):
        yield ValidationError("allowed: a finite number", path=path, instance=value)
    elif not isinstance(value, str | int | float | None):
        problem = "allowed: text, a number, true, false or null; put dates in quotes"
        yield ValidationError(problem, path=path, instance=value)


_Validator = extend(
    Draft202012Validator,
    {"plain": _plain},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"number": _is_number, "integer": _is_integer}
    ),
)


def nearest(word: str, allowed: list[str]) -> str:
    """' Did you mean …?' when an allowed word is close, else nothing."""
    close = difflib.get_close_matches(word, allowed, n=1, cutoff=0.5)
    return f" Did you mean '{close[0]}'?" if close else ""


def unknown_key(where: str, key: str, allowed: list[str]) -> str:
    """The message for a key that a closed schema does not have."""
    listed = ", ".join(sorted(allowed))
    return f"{where}: unknown key '{key}'; allowed: {listed}.{nearest(key, allowed)}"


def _with_defaults(value: Any, schema: Mapping) -> Any:
    if not isinstance(value, Mapping):
        return deepcopy(value)
    filled = dict(value)
    for key, sub in schema.get("properties", {}).items():
        if key not in filled and "default" in sub:
            filled[key] = deepcopy(sub["default"])
        if key in filled:
            filled[key] = _with_defaults(filled[key], sub)
    return filled


def _place(where: str, error: ValidationError) -> str:
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path]
    path = "".join(parts).lstrip(".")
    if not path:
        return where
    return f"{where}.{path}" if ": " in where else f"{where}: {path}"


def _explain(error: ValidationError, where: str) -> Iterator[str]:
    place = _place(where, error)
    if error.validator == "additionalProperties":
        allowed = list(error.schema.get("properties", {}))
        for key in error.instance:
            if key not in allowed:
                yield unknown_key(place, str(key), allowed)
    elif error.validator == "required":
        for key in error.validator_value:
            if key not in error.instance:
                found = ", ".join(map(str, error.instance)) or "nothing"
                yield f"{place}: the key '{key}' is missing; found: {found}."
    else:
        about = error.schema.get("description") if isinstance(error.schema, Mapping) else None
        meaning = f" ({about})" if about else ""
        hidden = isinstance(error.schema, Mapping) and error.schema.get("secret")
        found = "something not shown, as it may hold a key" if hidden else _shown(error.instance)
        said = f"{place}: found {found}; {_allowed(error)}{meaning}"
        yield said if said.endswith("?") else f"{said}."


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:77] + "…"


def _alternative(error: ValidationError) -> str:
    """What one of several shapes allows, and in which key of the value if not in all of it."""
    inner = ".".join(map(str, error.relative_path))
    if error.validator == "const":
        allowed = _shown(error.validator_value)
    elif error.validator == "additionalProperties":
        allowed = f"the keys {', '.join(error.schema.get('properties', {}))} alone"
    else:
        allowed = _allowed(error).removeprefix("allowed: ")
    return f"in {inner} {allowed}" if inner else allowed


def _allowed(error: ValidationError) -> str:
    rule, value = error.validator, error.validator_value
    types = {
        "object": "a mapping of keys",
        "array": "a list",
        "string": "text",
        "integer": "a whole number",
        "number": "a finite number",
        "boolean": "true or false",
    }
    if rule == "enum":
        words = [str(word) for word in value]
        return f"allowed: {', '.join(words)}.{nearest(str(error.instance), words)}".rstrip(".")
    if rule in ("anyOf", "oneOf") and error.context:
        return "allowed: " + ", or ".join(dict.fromkeys(map(_alternative, error.context)))
    if rule == "type":
        names = [value] if isinstance(value, str) else value
        return "allowed: " + " or ".join(types[name] for name in names)
    phrases = {
        "const": f"allowed: {_shown(value)} only",
        "minimum": f"allowed: {value} or more",
        "maximum": f"allowed: {value} or less",
        "exclusiveMinimum": f"allowed: more than {value}",
        "minLength": "allowed: text that is not empty",
        "maxLength": f"allowed: {value} characters or fewer",
        "minItems": f"allowed: a list of {value} or more",
        "maxItems": f"allowed: a list of {value} or fewer",
        "minProperties": f"allowed: {value} or more entries",
        "uniqueItems": "allowed: each entry once",
        "pattern": f"allowed: text like {value}",
    }
    return phrases.get(rule, error.message)
