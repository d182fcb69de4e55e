"""The explorer: one page over all studies, every answer in it, read without a server or network.

Data are packed in columns (packing.py) and unpacked in the browser when a view needs them; the
page's own code lies beside this file and is written into it. Replies are shown as text only.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from rationale.reporting.explorer.moralchoice import Moral, moral_blocks, moral_summary
from rationale.reporting.explorer.psm import Psm, Respondent, psm_blocks, psm_summary
from rationale.reporting.explorer.steer import Steer, steer_blocks, steer_summary

__all__ = ["Moral", "Psm", "Respondent", "Steer", "explorer_page"]

SCRIPTS = (
    "unpack",
    "dom",
    "route",
    "table",
    "picker",
    "overview",
    "steer_data",
    "scores",
    "graph",
    "elements",
    "questions",
    "question",
    "psm",
    "moralchoice",
    "page",
)


def explorer_page(
    steer: Steer | None,
    psm: Psm | None,
    moral: Moral | None,
    labels: Mapping[str, str],
    kinds: Mapping[str, str],
) -> str:
    """The page, as HTML; a study that was not run is None.

    ``labels`` and ``kinds`` by the slug of a model: the name shown, and llm, simulated or recorded.
    """
    studies = [
        (name, study, pack, summary)
        for name, study, pack, summary in (
            ("steer", steer, steer_blocks, steer_summary),
            ("psm", psm, psm_blocks, psm_summary),
            ("moralchoice", moral, moral_blocks, moral_summary),
        )
        if study is not None
    ]
    about = {
        "models": [[slug, labels.get(slug, slug), kind] for slug, kind in kinds.items()],
        "studies": {name: summary(study) for name, study, _, summary in studies},
    }
    blocks = {
        name: block.encoded()
        for _, study, pack, _ in studies
        for name, block in pack(study).items()
    }
    return _page(about, blocks)


def _page(about: Mapping[str, Any], blocks: Mapping[str, str]) -> str:
    """The template with data, style and script; its policy allows this style and script alone."""
    home = files(__package__)
    style = f"\n{(home / 'page.css').read_text(encoding='utf-8')}"
    parts = [(home / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS]
    script = "\n".join(['\n"use strict";', "(() => {", *parts, "})();", ""])
    environment = Environment(
        loader=PackageLoader("rationale.reporting.explorer", "."),
        autoescape=True,
        undefined=StrictUndefined,
    )
    return environment.get_template("page.html").render(
        policy=Markup(
            "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
            f"style-src '{_digest(style)}'; script-src '{_digest(script)}'"
        ),
        style=Markup(style),
        script=Markup(script),
        about=_embedded(about),
        blocks={name: Markup(text) for name, text in blocks.items()},
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _embedded(data: object) -> Markup:
    """JSON that may stand in a script: no text in it can end the script."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))
