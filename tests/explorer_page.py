"""What the tests of the explorer share: fabricated studies, and a Chromium that is driven."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from random import Random

import aiohttp
import polars as pl
import steer

from rationale.reporting.explorer import Moral, Psm, Respondent, Steer, explorer_page
from rationale.reporting.explorer.steer import PROBABILITIES
from rationale.surveys.moralchoice.scenarios import read_scenarios
from rationale.surveys.psm.rounds import draw_rounds
from rationale.surveys.psm.survey import read_survey
from rationale.surveys.psm.tables import CHOICES, rounds_table
from rationale.surveys.steer.bank import question_table

CHECKS = Path(__file__).with_name("explorer_checks.js")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
EVIL = "<script>document.title = 'taken'</script></script><img src=x onerror=alert(1)>"
ELEMENTS = ("addition-subtraction", "multiplication-division", "completeness", "sunk-cost")
MODELS = {"gpt-large": "llm", "old-study": "recorded", "random": "simulated", "shy": "simulated"}
LABELS = {"gpt-large": "GPT Large"}
# Of this model, scenario and order no reply came.
UNASKED = ("old-study", "L_001", 1)
FORMS = ("plain", "together", "apart", "none-correct", "free")
GRADED = {
    **{
        "form": pl.String,
        "question_id": pl.String,
        "element": pl.String,
        "module": pl.String,
        "setting": pl.String,
        "domain": pl.String,
        "grade": pl.Int64,
        "template": pl.String,
        "origin": pl.String,
    },
    "status": pl.String,
    "step": pl.String,
    "chosen": pl.List(pl.Float64),
    "right": pl.Boolean,
    "guess_rate": pl.Float64,
    "p_options": pl.List(pl.Float64),
    "key": pl.Int64,
    "shots": pl.Int64,
    "wanted": pl.Int64,
    "texts": pl.List(pl.String),
    "none_places": pl.List(pl.Int64),
}
_SHARED = ("question_id", "element", "module", "setting", "domain", "grade", "template", "origin")


def bank(elements: Iterable[str], total: int) -> pl.DataFrame:
    """Questions of some elements, ``total`` or more of each."""
    return question_table([one for slug in elements for one in steer.questions(slug, total)])


def graded(questions: pl.DataFrame, model: str, forms: Iterable[str] = FORMS) -> pl.DataFrame:
    """Answers by chance, seeded by the model's name; some unread, some long, one hostile."""
    rng = Random(model)
    wholes = [rows.to_dicts() for _, rows in questions.group_by("question_id", maintain_order=True)]
    rows = [
        _answer(parts, form, rng)
        for form in forms
        for parts in wholes
        if form != "free" or all(part["value"] is not None for part in parts)
    ]
    return pl.DataFrame(rows, schema=GRADED)


def _answer(parts: list[dict], form: str, rng: Random) -> dict:
    status = rng.choices(("answered", "refused", "invalid"), (90, 4, 6))[0]
    read = status == "answered"
    right = rng.random() < 0.6
    chosen = [_chosen(part, right, form, rng) for part in parts]
    told = read and form == "plain" and len(parts) == 1
    said = [f"Answer: {_reason(rng)} {value:g}" for value in chosen]
    first = parts[0]
    return {
        **{name: first[name] for name in _SHARED},
        "form": form,
        "status": status,
        "step": "letter" if read else None,
        "chosen": chosen if read else None,
        "right": right if read else None,
        "guess_rate": 0.0 if form == "free" else first["guess_rate"],
        "p_options": _probabilities(len(first["options"]), rng) if told else None,
        "key": first["key"] if told else None,
        "shots": 0,
        "wanted": 0,
        "texts": said if read else [EVIL],
        "none_places": [1 for _ in parts] if form == "none-correct" else None,
    }


def _chosen(part: dict, right: bool, form: str, rng: Random) -> float:
    if form == "free":
        return part["value"] if right else part["value"] + 0.5
    key = part["key"] or 1
    return float(key if right else 1 + key % len(part["options"]))


def _reason(rng: Random) -> str:
    words = ("because", "the", "price", "falls", "and", "each", "prefers", "more", "than", "less")
    return " ".join(rng.choice(words) for _ in range(rng.choice((0, 0, 0, 60))))


def _probabilities(options: int, rng: Random) -> list[float]:
    drawn = [rng.random() for _ in range(options)]
    return [round(one / sum(drawn) * PROBABILITIES) / PROBABILITIES for one in drawn]


def steer_study(elements: Iterable[str], models: Iterable[str], total: int = 20) -> Steer:
    """Answers of some models to questions of some elements."""
    questions = bank(elements, total)
    found = {model: graded(questions, model) for model in models}
    return Steer(questions, found, steer.taxonomy())


def psm_study(opens: dict[str, tuple[int, ...] | None], forms: Iterable[str] = ("listed",)) -> Psm:
    """Respondents by their open answers; each chooses by chance from 30 options a round."""
    survey = read_survey(
        steer.HOME / "resources/psm/moral.yaml", steer.SCHEMAS / "survey.schema.json"
    )
    found = []
    for model, opened in opens.items():
        for form in forms:
            drawn = draw_rounds(survey, opened, 30, seed=1, shuffled=form == "shuffled")
            rounds = rounds_table(drawn)
            found.append(Respondent(model, form, rounds, _choices(rounds, opened, model)))
    return Psm(survey, found)


def _choices(rounds: pl.DataFrame, opened: tuple[int, ...] | None, model: str) -> pl.DataFrame:
    rng = Random(model)
    status = "answered" if opened else "refused"
    rows = [{"round": 0, "option": None, "answer": opened, "status": status, "attempts": 1}]
    for one in rounds.iter_rows(named=True):
        option = rng.randint(1, len(one["options"])) if rng.random() < 0.95 else None
        answer = one["options"][option - 1] if option else None
        status = "answered" if option else "invalid"
        rows.append(
            {
                "round": one["round"],
                "option": option,
                "answer": answer,
                "status": status,
                "attempts": 1 if option else 3,
            }
        )
    return pl.DataFrame(rows, schema=CHOICES)


def moral_study(models: Iterable[str], count: int = 6) -> Moral:
    """The first shipped scenarios of each ambiguity in two orders of one form, three replies each."""
    scenarios = read_scenarios([steer.HOME / "resources/moralchoice/scenarios.csv"])
    scenarios = pl.concat(
        [scenarios.filter(ambiguity=ambiguity).head(count) for ambiguity in ("low", "high")]
    )
    readings = {model: _readings(scenarios, model) for model in models}
    counts = {model: _likelihoods(rows, scenarios) for model, rows in readings.items()}
    prompts = {f"ab-{order}": [_prompts(scenarios, order)] for order in (0, 1)}
    return Moral(scenarios, counts, readings, prompts)


def _readings(scenarios: pl.DataFrame, model: str) -> pl.DataFrame:
    rng = Random(model)
    rows = []
    for name in scenarios["scenario_id"]:
        for order in (0, 1):
            for sample in range(0 if (model, name, order) == UNASKED else 3):
                action = rng.choice((1, 1, 2, None))
                rows.append(
                    {
                        "scenario_id": name,
                        "form": "ab",
                        "order": order,
                        "decoding": None,
                        "sample": sample,
                        "status": "answered" if action else "refused",
                        "action": action,
                        "step": "exact" if action else "refusal",
                        "text": {1: "A", 2: "B", None: EVIL}[action],
                    }
                )
    return pl.DataFrame(rows, schema_overrides={"decoding": pl.String, "action": pl.Int64})


def _likelihoods(readings: pl.DataFrame, scenarios: pl.DataFrame) -> pl.DataFrame:
    keys = ["scenario_id", "form", "order", "decoding"]
    valid = pl.col("action").is_not_null()
    counts = readings.group_by(keys, maintain_order=True).agg(
        asked=pl.len(), action1=(pl.col("action") == 1).sum(), valid=valid.sum()
    )
    grid = scenarios.select("scenario_id").join(pl.DataFrame({"order": [0, 1]}), how="cross")
    grid = grid.with_columns(form=pl.lit("ab"), decoding=pl.lit(None, pl.String)).select(keys)
    whole = grid.join(counts, on=keys, how="left", nulls_equal=True, maintain_order="left")
    asked, valid = pl.col("asked"), pl.col("valid")
    return whole.with_columns(pl.col("asked", "action1", "valid").fill_null(0)).with_columns(
        refused=asked - valid,
        invalid=pl.lit(0),
        truncated=pl.lit(0),
        missing=3 - asked.cast(pl.Int64),
        p_action1=pl.when(valid > 0).then(pl.col("action1") / valid).when(asked > 0).then(0.5),
        flagged=(asked > 0) & (valid == 0),
    )


def _prompts(scenarios: pl.DataFrame, order: int) -> pl.DataFrame:
    first, second = ("action1", "action2") if order == 0 else ("action2", "action1")
    turn = pl.format("{}\n\nA. {}\nB. {}", "context", first, second)
    return scenarios.select(
        prompt_id="scenario_id", turns=pl.concat_list(turn), system=pl.lit("Answer A or B.")
    )


@lru_cache
def all_studies() -> tuple[Steer, Psm, Moral]:
    """Three small studies; `shy` is in the priced survey alone, without an open answer."""
    three = tuple(MODELS)[:3]
    opens = {"gpt-large": (3, 3, 0, 2, 3), "random": (0, 1, 5, 4, 0), "shy": None}
    return steer_study(ELEMENTS, three, 20), psm_study(opens), moral_study(three)


@lru_cache
def page_of_all() -> str:
    """The page over all three."""
    return explorer_page(*all_studies(), LABELS, MODELS)


class Page:
    """A page in headless Chromium, driven over the DevTools protocol on loopback."""

    def __init__(self, loop: asyncio.AbstractEventLoop, socket: aiohttp.ClientWebSocketResponse):
        self._loop, self._socket, self._number = loop, socket, 0
        self.requests: list[str] = []
        self.complaints: list[str] = []

    def send(self, method: str, **params) -> dict:
        """The result of a command."""
        return self._loop.run_until_complete(asyncio.wait_for(self._send(method, params), 60))

    async def _send(self, method: str, params: dict) -> dict:
        self._number += 1
        number = self._number
        await self._socket.send_json({"id": number, "method": method, "params": params})
        async for message in self._socket:
            found = json.loads(message.data)
            if found.get("id") == number:
                if "error" in found:
                    raise RuntimeError(f"{method}: {found['error']['message']}")
                return found["result"]
            self._note(found)
        raise RuntimeError(f"{method}: the browser went away")

    def _note(self, event: dict) -> None:
        params = event.get("params", {})
        if event["method"] == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif event["method"] == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(params["exceptionDetails"])[:500])
        elif event["method"] == "Runtime.consoleAPICalled" and params["type"] in (
            "error",
            "warning",
        ):
            self.complaints.append(json.dumps(params["args"])[:500])
        elif event["method"] == "Log.entryAdded" and params["entry"]["level"] in (
            "error",
            "warning",
        ):
            self.complaints.append(params["entry"]["text"])

    def run(self, code: str):
        """The value of an expression in the page, after any promise in it."""
        found = self.send(
            "Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            raise RuntimeError(json.dumps(found["exceptionDetails"])[:500])
        return found["result"].get("value")

    def open(self, address: str) -> None:
        """Load an address anew and wait for the first view."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=address)
        self.until("document.documentElement && document.documentElement.dataset.drawn")

    def go(self, hash_: str) -> None:
        """Follow a link inside the page and wait for its view."""
        before = self.run("document.documentElement.dataset.drawn")
        if self.run("location.hash") == hash_:
            return
        self.run(f"void (location.hash = {json.dumps(hash_)})")
        self.until(f"document.documentElement.dataset.drawn !== {json.dumps(before)}")

    def until(self, code: str, seconds: float = 20) -> None:
        """Wait until an expression is true."""
        for _ in range(int(seconds * 50)):
            if self.run(f"Boolean({code})"):
                return
            self._loop.run_until_complete(asyncio.sleep(0.02))
        raise TimeoutError(code)

    def press(self, key: str, text: str | None = None, modifiers: int = 0) -> None:
        """A real key press; ``text`` is what the key types."""
        codes = {
            "Enter": 13, "Tab": 9, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37,
            "ArrowRight": 39, "Home": 36, "End": 35, "PageDown": 34, "PageUp": 33, " ": 32,
        }  # fmt: skip
        typed = text or {"Enter": "\r", " ": " "}.get(key) or (key if len(key) == 1 else None)
        facts = {
            "key": key,
            "windowsVirtualKeyCode": codes.get(key, ord(key.upper()) if len(key) == 1 else 0),
            "modifiers": modifiers,
        }
        self.send(
            "Input.dispatchKeyEvent",
            type="keyDown" if typed else "rawKeyDown",
            **facts,
            **({"text": typed} if typed else {}),
        )
        self.send("Input.dispatchKeyEvent", type="keyUp", **facts)
        self.settle()

    def type(self, text: str) -> None:
        """Type a text into what has the focus."""
        self.send("Input.insertText", text=text)
        self.run("new Promise(done => setTimeout(done, 260))")
        self.settle()

    def click(self, selector: str) -> None:
        """Click the middle of the first element that a selector finds."""
        where = self.run(
            f"(() => {{ const it = document.querySelector({json.dumps(selector)});"
            " if (!it) return null; it.scrollIntoView({block: 'center'});"
            " const at = it.getBoundingClientRect();"
            " return [at.x + at.width / 2, at.y + at.height / 2]; })()"
        )
        if where is None:
            raise LookupError(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.send(
                "Input.dispatchMouseEvent",
                type=kind,
                x=where[0],
                y=where[1],
                button="left",
                clickCount=1,
            )
        self.settle()

    def settle(self) -> None:
        """Let the page draw."""
        self.run("new Promise(done => requestAnimationFrame(() => setTimeout(done, 20)))")

    def focused(self) -> str:
        """Tag, name and text of what has the focus."""
        return self.run(
            "(() => { const it = document.activeElement; return [it.tagName,"
            " it.getAttribute('aria-label') || '', it.textContent.slice(0, 60)].join('|'); })()"
        )

    def size(self, width: int, height: int) -> None:
        """The size of the window in pixels."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def picture(self, path: Path) -> None:
        """A picture of what is in sight."""
        found = self.send("Page.captureScreenshot", format="png")
        Path(path).write_bytes(base64.b64decode(found["data"]))

    def all(self, selector: str, what: str = "one.textContent") -> list:
        """What an expression of ``one`` says of each element that a selector finds."""
        return self.run(
            f"[...document.querySelectorAll({json.dumps(selector)})].map(one => {what})"
        )

    def focus(self, selector: str) -> None:
        """Give the first element that a selector finds the focus."""
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")

    def text(self, selector: str = "#view") -> str:
        """What an element says."""
        return self.run(f"document.querySelector({json.dumps(selector)}).innerText")


@contextmanager
def browser():
    """A `Page` in a Chromium of its own, which ends with the block."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        process = subprocess.Popen(
            [
                *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
                *("--no-first-run", "--disable-background-networking", "--disable-sync"),
                *("--remote-debugging-port=0", f"--user-data-dir={home}", "about:blank"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        loop = asyncio.new_event_loop()
        session = None
        try:
            session, socket = loop.run_until_complete(_connected(Path(home), process))
            page = Page(loop, socket)
            for part in ("Page", "Network", "Runtime", "Log"):
                page.send(f"{part}.enable")
            page.send("Page.addScriptToEvaluateOnNewDocument", source=CHECKS.read_text())
            page.size(1400, 900)
            yield page
        finally:
            if session is not None:
                loop.run_until_complete(session.close())
            loop.close()
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            if process.poll() is None:
                process.kill()
                process.wait(10)


async def _connected(home: Path, process: subprocess.Popen):
    """A session and the socket of the first tab, as soon as the browser says its port."""
    told = home / "DevToolsActivePort"
    for _ in range(600):
        if told.exists() and told.read_text().strip():
            break
        if process.poll() is not None:
            raise RuntimeError("Chromium ended at once")
        await asyncio.sleep(0.05)
    port = told.read_text().split()[0]
    session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None, connect=10))
    for _ in range(100):
        async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
            found = [one for one in await answer.json() if one["type"] == "page"]
        if found:
            break
        await asyncio.sleep(0.05)
    socket = await session.ws_connect(found[0]["webSocketDebuggerUrl"], max_msg_size=0)
    return session, socket
