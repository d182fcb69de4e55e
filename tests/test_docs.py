"""The documentation keeps up with the code."""

import json
import re

import pytest
from helpers import ROOT


def keys(schema):
    """Every property that a schema names, at any depth."""
    for name, sub in schema.get("properties", {}).items():
        yield name
        yield from keys(sub)
    for sub in schema.get("$defs", {}).values():
        yield from keys(sub)
        for deeper in sub.values():
            if isinstance(deeper, dict):
                yield from keys(deeper)


SECTIONS = [
    "config",
    "asking",
    "psm",
    "moralchoice",
    "models",
    "survey",
    "form",
    "template",
    "check",
    "steer",
    "stories",
    "adaptation",
    "rubric",
]


@pytest.mark.parametrize("section", SECTIONS)
def test_every_key_of_the_config_is_documented(section):
    schema = json.loads((ROOT / f"workflow/schemas/{section}.schema.json").read_text())
    documented = (ROOT / "docs/config.md").read_text()
    missing = {
        key for key in keys(schema) if f"`{key}`" not in documented and f"{key}:" not in documented
    }
    assert missing == set()


def test_links_between_documents_lead_somewhere():
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists() or target.endswith("rationality.svg"), (
                page,
                target,
            )


def test_the_snakefile_is_a_table_of_contents():
    assert len((ROOT / "Snakefile").read_text().splitlines()) < 80


def test_every_rule_has_a_script_of_its_name():
    rules = "\n".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    for name, body in re.findall(
        r"^(?:rule|checkpoint) (\w+):(.*?)(?=^rule |\Z)", rules, re.MULTILINE | re.DOTALL
    ):
        if "    output:" not in body and "    script:" not in body:
            continue  # a target: it only names files
        assert f'"../scripts/{name}.py"' in body, name
        assert f"results/logs/{name}" in body, name
