"""What users edit: `config.yaml`, read, checked and completed before anything runs."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rationale.schema import DocumentError, check, nearest, read_schema, read_yaml, unknown_key

SLUG = re.compile(r"[a-z0-9][a-z0-9.-]*")
DEFAULT_PARAMS = {"max_tokens": 1024}
KINDS = ("llm", "simulated", "recorded")
LONGEST_SLUG = 100
SECTIONS = ("asking", "psm", "moralchoice", "steer", "check")
# Providers whose batch files are known, by litellm's name.
BATCH_PROVIDERS = ("anthropic", "openai")

# Keys of a simulated respondent that only one study looks at.
OF_STUDY = {
    "psm": ("ideal", "weights", "noise", "first"),
    "moralchoice": ("beliefs",),
    "steer": ("abilities",),
}
# Parameters that a study has sent where a model takes them, and goes without elsewhere.
OPTIONAL = {"steer": ("logprobs", "top_logprobs")}
COSMETIC = ("label", "prices", "limits", "key_env", "studies", "context_tokens")

# What a language model's params must not hold: keys, and what Rationale says in every call.
SECRET = re.compile(
    r"authori[sz]ation|api[_-]?key|secret|credential|password"
    r"|(?:^|access|ad|session|auth|bearer)[_-]?token$",
    re.IGNORECASE,
)
SECRET_HEADER = re.compile(rf"{SECRET.pattern}|token|cookie", re.IGNORECASE)
HEADERS = ("extra_headers", "headers")
RESERVED = {
    "api_base": "write it beside params",
    "base_url": "write it beside params, as api_base",
    **dict.fromkeys(
        (
            *("model", "messages", "stream", "n", "timeout", "request_timeout", "max_retries"),
            *("num_retries", "drop_params", "mock_response", "fallbacks"),
        ),
        "set by Rationale; remove it",
    ),
}

# litellm's own look-up takes seconds to import; these are the providers people use.
# One line a provider: the first variable that is set counts.
KEY_VARIABLES = {
    "ai21": ("AI21_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "azure": ("AZURE_API_KEY",),
    "azure_ai": ("AZURE_AI_API_KEY",),
    "cerebras": ("CEREBRAS_API_KEY",),
    "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
    "cohere_chat": ("COHERE_API_KEY", "CO_API_KEY"),
    "dashscope": ("DASHSCOPE_API_KEY",),
    "databricks": ("DATABRICKS_API_KEY",),
    "deepinfra": ("DEEPINFRA_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "fireworks_ai": ("FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "moonshot": ("MOONSHOT_API_KEY",),
    "nvidia_nim": ("NVIDIA_NIM_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
    "replicate": ("REPLICATE_API_KEY", "REPLICATE_API_TOKEN"),
    "sambanova": ("SAMBANOVA_API_KEY",),
    "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY"),
    "xai": ("XAI_API_KEY",),
}


@dataclass(frozen=True)
class Untracked:
    """Settings that do not shape a result: labels, limits, time-outs.

    Snakemake compares parameters by the text of plain values and does not see this one, so that a
    new label or a lower rate limit makes nothing run again.
    """

    value: Any

    def __getitem__(self, key: str) -> Any:
        return self.value[key]


def read_config(config: Mapping, files: list[str], schemas: str | Path) -> dict:
    """The whole config, checked and completed with defaults.

    ``config`` is the merged mapping as Snakemake holds it, ``files`` the files it came from (looked
    at for keys that stand twice). Raises DocumentError that names every problem at once.
    """
    for file in files:
        read_yaml(file)
    where = Path(files[-1]).name if files else "config"
    schemas = Path(schemas)
    whole, problems = _checked(config, read_schema(schemas / "config.schema.json"), where)
    if isinstance(whole, Mapping):
        for section in SECTIONS:
            schema = read_schema(schemas / f"{section}.schema.json")
            found, more = _checked(whole.get(section, {}), schema, f"{where}: {section}")
            whole, problems = {**whole, section: found}, problems + more
        models, more = _read_models(whole.get("models"), schemas, where)
        whole, problems = {**whole, "models": models}, problems + more
        problems += _unpriced(models, whole.get("asking"), where)
        if not problems:
            problems = _batch_problems(whole["asking"]["batch"], models, f"{where}: asking.batch")
    if problems:
        raise DocumentError(list(dict.fromkeys(problems)))
    return whole


def _checked(
    document: Any, schema: Mapping, where: str, definitions: Mapping | None = None
) -> tuple[Any, list[str]]:
    """The checked document and no problems, or the document as it was and its problems."""
    try:
        return check(document, schema, where, definitions), []
    except DocumentError as error:
        return document, error.problems


def _read_models(models: Any, schemas: Path, where: str) -> tuple[dict, list[str]]:
    if not isinstance(models, Mapping):
        return {}, []
    definitions = read_schema(schemas / "models.schema.json")["$defs"]
    checked, problems = {}, []
    for slug, spec in models.items():
        place = f"{where}: models.{slug}"
        problems += _slug_problems(slug, place)
        schema, unclear = _schema_of(spec, definitions, place)
        if schema is not None:
            found, unclear = _checked(spec, schema, place, definitions)
            checked[str(slug)] = _with_text_keys(found)
            if "llm" in spec:
                unclear = unclear + params_problems(spec.get("params"), f"{place}.params")
                unclear += address_problems(spec.get("api_base"), f"{place}.api_base")
        problems += unclear
    return checked, problems or _twin_problems(checked, where)


def _with_text_keys(value: Any) -> Any:
    """Grades are whole numbers as keys in YAML and text in JSON: text everywhere."""
    if not isinstance(value, Mapping):
        return value
    return {str(key): _with_text_keys(inner) for key, inner in value.items()}


def _twin_problems(models: Mapping[str, Mapping], where: str) -> list[str]:
    """Two entries that ask the same model the same would be one set of replies under two names."""
    seen: dict[str, str] = {}
    problems = []
    for slug, spec in models.items():
        if "llm" not in spec:
            continue
        asked = canonical([spec["llm"], spec.get("api_base"), params_of(spec)])
        if asked in seen:
            problems.append(
                f"{where}: models.{slug}: asks {spec['llm']} the same as models.{seen[asked]}; remove "
                f"one. To ask a model again, use the form 'repeat'."
            )
        seen.setdefault(asked, slug)
    return problems


def _unpriced(models: Mapping[str, Mapping], asking: Any, where: str) -> list[str]:
    """Models whose cost nobody knows, where a budget stands."""
    run = ["asking.max_usd"] if isinstance(asking, Mapping) and "max_usd" in asking else []
    problems = []
    for slug, spec in models.items():
        own = isinstance(spec.get("limits"), Mapping) and "max_usd" in spec["limits"]
        settings = run + ([f"models.{slug}.limits.max_usd"] if own else [])
        if settings and "api_base" in spec and "prices" not in spec:
            problems.append(
                f"{where}: models.{slug}: with api_base and no prices its cost is unknown, so that "
                f"{' and '.join(settings)} cannot be kept; write 'prices: {{input: …, output: …}}' "
                f"(US dollars a million tokens; 0 and 0 when it costs nothing)."
            )
    return problems


def _batch_problems(slugs: Sequence[str], models: Mapping[str, Mapping], place: str) -> list[str]:
    """Batch files can be written for language models of known providers only."""
    known = [slug for slug, spec in models.items() if "llm" in spec]
    problems = []
    for slug in slugs:
        if slug not in known:
            allowed = ", ".join(known) or "none: no entry of models is a language model"
            problems.append(f"{place}: found {slug!r}; allowed: {allowed}.{nearest(slug, known)}")
        elif provider_of(models[slug]) not in BATCH_PROVIDERS:
            problems.append(
                f"{place}: {slug} is asked through {provider_of(models[slug])}, whose batch files "
                f"are not known; allowed: {', '.join(BATCH_PROVIDERS)}. Take it out of the list."
            )
    return problems


def _slug_problems(slug: Any, place: str) -> list[str]:
    if isinstance(slug, str) and SLUG.fullmatch(slug) and len(slug) <= LONGEST_SLUG:
        return []
    return [
        f"{place}: the slug {slug!r} is not allowed; use a-z, 0-9, '.' and '-', "
        f"at most {LONGEST_SLUG}, a letter or digit first, in quotes if it looks like a number."
    ]


def params_problems(params: Any, place: str) -> list[str]:
    """Params that would carry a key, or that Rationale sets itself; no message holds a value."""
    if not isinstance(params, Mapping):
        return []
    names = [str(name) for name in params]
    return [
        *(
            f"{place}.{name}: keys come from the environment: use key_env."
            for name in _secrets(params, SECRET)
        ),
        *(f"{place}.{name}: {RESERVED[name]}." for name in names if name in RESERVED),
    ]


def _secrets(value: Any, pattern: re.Pattern, place: str = "") -> Iterator[str]:
    """The places, at any depth, of what is named as a secret is; headers are searched more strictly."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            where = f"{place}.{name}" if place else str(name)
            if pattern.search(str(name)):
                yield where
            else:
                strict = SECRET_HEADER if name in HEADERS else pattern
                yield from _secrets(inner, strict, where)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _secrets(inner, pattern, f"{place}[{number}]")


def address_problems(address: Any, place: str) -> list[str]:
    """An address that would carry a key: a user before an @, or a query; no message holds it.

    Addresses are part of journals, answers and messages, where a key must never be.
    """
    if not isinstance(address, str) or not set("?#@") & set(address):
        return []
    return [
        f"{place}: found an address with a user, a query (?) or a fragment (#), which could hold a "
        f"key; allowed: http(s)://host:port/path. Keys come from the environment: use key_env."
    ]


def _schema_of(spec: Any, definitions: Mapping, place: str) -> tuple[Mapping | None, list[str]]:
    """The schema of a respondent's kind, or None and what keeps the kind from being known."""
    listed = ", ".join(KINDS)
    if not isinstance(spec, Mapping):
        return None, [f"{place}: found {spec!r}; allowed: a mapping with one of {listed}."]
    kinds = [kind for kind in KINDS if kind in spec]
    if not kinds:
        known = _known_keys(definitions)
        close = [key for key in map(str, spec) if key not in known and nearest(key, list(KINDS))]
        if close:
            return None, [unknown_key(place, close[0], list(KINDS))]
    if len(kinds) != 1:
        found = ", ".join(map(str, spec)) or "nothing"
        return None, [f"{place}: found {found}; a respondent has exactly one of {listed}."]
    if kinds[0] != "simulated":
        return definitions[kinds[0]], []
    allowed, kind = list(definitions["simulated"]), spec["simulated"]
    if kind in allowed:
        return definitions["simulated"][kind], []
    return None, [
        f"{place}.simulated: found {kind!r}; allowed: {', '.join(allowed)}."
        f"{nearest(str(kind), allowed)}"
    ]


def _known_keys(definitions: Mapping) -> set[str]:
    kinds = [definitions["llm"], definitions["recorded"], *definitions["simulated"].values()]
    return {key for kind in kinds for key in kind["properties"]}


def kind_of(spec: Mapping) -> str:
    """llm, simulated or recorded."""
    return next(kind for kind in KINDS if kind in spec)


def provider_of(spec: Mapping) -> str:
    """The provider of a language model, as litellm names it."""
    return spec["llm"].split("/")[0]


def label_of(slug: str, spec: Mapping) -> str:
    """The name that figures and pages show."""
    return spec.get("label", slug)


def params_of(spec: Mapping) -> dict:
    """What is sent with every call of a language model: its params, and a limit on the reply."""
    params = spec.get("params", {})
    return {**({} if "max_completion_tokens" in params else DEFAULT_PARAMS), **params}


def question_of(spec: Mapping, study: str = "psm", params: Mapping | None = None) -> dict:
    """What can change a reply, and nothing else: the part of a respondent that reruns follow.

    ``params`` are a study's own: they stand over the model's, and one that is None is taken away.
    ``optional`` names those that the study goes without where a language model does not take them.
    """
    others = {key for other, keys in OF_STUDY.items() if other != study for key in keys}
    left = {
        key: value
        for key, value in spec.items()
        if key not in COSMETIC and not ("simulated" in spec and key in others)
    }
    if params is None or "recorded" in spec:
        return left
    merged = {**left.get("params", {}), **params}
    kept = {key: value for key, value in merged.items() if value is not None}
    optional = [name for name in OPTIONAL.get(study, ()) if name in kept and "llm" in spec]
    return {**left, "params": kept, **({"optional": optional} if optional else {})}


def cosmetic_of(spec: Mapping) -> dict:
    """The rest of a respondent: labels, prices, limits, where the key is."""
    return {key: value for key, value in spec.items() if key in COSMETIC}


def studies_of(
    spec: Mapping, studies: Sequence[str], held: Collection[str] | None = None
) -> list[str]:
    """The studies of the config that a respondent takes part in.

    ``held`` is what a recorded file has answers to: the default of such a respondent.
    """
    wanted = spec.get("studies", studies if held is None else held)
    return [study for study in studies if study in wanted]


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces: one text for one meaning."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def identity_of(model: str, api_base: str | None) -> str:
    """Twelve hexadecimal digits for who is asked where; the first part of a journal's file name."""
    return hashlib.sha256(canonical([model, api_base]).encode()).hexdigest()[:12]


def key_variables(spec: Mapping) -> tuple[str, ...]:
    """The environment variables that may hold the key of a model; none for a local server.

    A key that belongs to a provider is never sent to another address: with ``api_base`` only the
    variable named by ``key_env`` is read.
    """
    if "key_env" in spec:
        return (spec["key_env"],)
    if "llm" not in spec or "api_base" in spec:
        return ()
    return KEY_VARIABLES.get(spec["llm"].split("/")[0], ())


def missing_key(slug: str, spec: Mapping, environment: Mapping[str, str]) -> str | None:
    """A message when a model's key is not in the environment, else None."""
    names = key_variables(spec)
    if not names or any(environment.get(name) for name in names):
        return None
    return (
        f"models.{slug}: no key for {spec['llm']} in the environment; "
        f"set {' or '.join(names)}, or take the model out of the config."
    )
