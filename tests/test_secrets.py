"""No key reaches a file or the terminal, whatever a provider does with it and however a run ends."""

import base64
import os
import signal
import subprocess
import urllib.parse
import zipfile
from pathlib import Path

import pytest
from chaos import KEY_NAME, TARGETS, wait_for, well, write_case
from helpers import command, run
from server import LocalProvider, Response

pytestmark = pytest.mark.slow

SENT = "mk/9fQ2+Zx7Lr4=Wd8t"
KEYS = {
    KEY_NAME: SENT,
    "OPENAI_API_KEY": "mk/openai+3Hs6=Pw1c",
    "ANTHROPIC_API_KEY": "mk/anthropic+5Kd2=Vb9",
    "GEMINI_API_KEY": "mk/gemini+8Yt4=Nq7m",
}
DEBUG = {"LITELLM_LOG": "DEBUG", "HTTPX_LOG_LEVEL": "debug", "PYTHONASYNCIODEBUG": "1"}


def writings(key):
    """A key plain, backwards, in a URL, and in base64 wherever in the text it begins."""
    yield from (key, key[::-1], urllib.parse.quote(key, safe=""), urllib.parse.quote_plus(key))
    for before in ("", "x", "xy"):
        coded = base64.b64encode(f"{before}{key}xyz".encode()).decode()
        yield coded[4:][: len(key)]


def contents(folder: Path):
    """(name, bytes) of every file, those in archives as well."""
    for path in (path for path in folder.rglob("*") if path.is_file()):
        yield str(path), path.read_bytes()
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                yield from ((f"{path}/{name}", archive.read(name)) for name in archive.namelist())


def found(folder, printed):
    """Where a key stands, in whatever writing."""
    texts = [*contents(folder), ("terminal", printed.encode())]
    sought = [form.encode() for key in KEYS.values() for form in writings(key)]
    return sorted({name for name, raw in texts for form in sought if form in raw})


def echoed(request):
    """Everything that a careless server may send back of what it got."""
    header = request.headers["Authorization"]
    assert SENT in header
    coded = base64.b64encode(header.encode()).decode()
    address = f"https://gateway/v1?key={urllib.parse.quote_plus(SENT)}"
    return f"refused {header} at {address} ({coded}; {SENT[::-1]}; {dict(request.headers)})"


def sometimes(kind):
    """A careless reply to every third request."""
    return lambda request: kind(request) if request.number % 3 == 1 else well(request)


CARELESS = {
    "well": well,
    "401": lambda r: Response(status=401, message=echoed(r)),
    "404": lambda r: Response(status=404, message=echoed(r)),
    "500": sometimes(lambda r: Response(status=500, message=echoed(r))),
    "400": sometimes(lambda r: Response(status=400, message=echoed(r))),
    "filter": sometimes(lambda r: Response(status=400, message=f"content_filter {echoed(r)}")),
    "broken JSON": sometimes(lambda r: Response(raw=f'{{"choices": "{echoed(r)}'.encode())),
    "odd JSON": sometimes(lambda r: Response(raw=f'{{"choices": ["{SENT}"]}}'.encode())),
    "reply": sometimes(lambda r: Response(echoed(r))),
    "id": sometimes(lambda r: Response("A", id=SENT)),
    "reset": sometimes(lambda r: Response(reset=True)),
}


@pytest.mark.parametrize("name", CARELESS)
def test_no_key_is_written_whatever_comes_back(name, tmp_path):
    with LocalProvider(CARELESS[name]) as provider:
        write_case(tmp_path, provider.base, {"tries": 2})
        done = run(tmp_path, *TARGETS, "--printshellcmds", "--verbose", env=KEYS | DEBUG)
        assert SENT in provider.requests[0].headers["Authorization"]
    assert found(tmp_path, done.stdout) == []


def test_no_key_is_in_what_an_aborted_run_leaves(tmp_path):
    with LocalProvider(lambda r: Response(echoed(r), wait_s=0.2)) as provider:
        write_case(tmp_path, provider.base, {})
        process = subprocess.Popen(
            command(tmp_path, *TARGETS, "--verbose"),
            cwd=tmp_path,
            env=os.environ | KEYS | DEBUG,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        wait_for(lambda: len(provider.requests) >= 6)
        os.killpg(process.pid, signal.SIGINT)
        printed, _ = process.communicate(timeout=60)
    assert list(tmp_path.glob("results/journal/one/*.jsonl"))
    assert found(tmp_path, printed) == []


def test_no_key_is_in_the_page_or_the_report(tmp_path):
    with LocalProvider(well) as provider:
        write_case(tmp_path, provider.base, {})
        done = run(tmp_path, env=KEYS)
        assert done.returncode == 0, done.stdout
        report = run(tmp_path, "--report", "report.zip", env=KEYS)
    assert report.returncode == 0, report.stdout
    assert found(tmp_path, done.stdout + report.stdout) == []


def test_the_search_finds_a_key_in_every_writing(tmp_path):
    coded = base64.b64encode(f"Bearer {SENT}".encode()).decode()
    for text in (SENT, SENT[::-1], urllib.parse.quote_plus(SENT), coded):
        (tmp_path / "file").write_text(text)
        assert found(tmp_path, "") == [str(tmp_path / "file")]
    with zipfile.ZipFile(tmp_path / "file.zip", "w") as archive:
        archive.writestr("inner", SENT)
    assert f"{tmp_path}/file.zip/inner" in found(tmp_path, "")
