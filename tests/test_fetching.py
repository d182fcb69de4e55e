"""Fetching: the bytes that were meant or none, patient with what passes, silent about secrets."""

import base64
import hashlib
import os
import socket
import stat
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import rationale.fetching as fetching
from rationale.fetching import FetchError, fetch, redacted

CONTENT = b"scenario_id,context\nS_1,You wait.\n" * 5000
SUM = hashlib.sha256(CONTENT).hexdigest()
OTHER = hashlib.sha256(b"other").hexdigest()


class Site:
    """What the server does: ``acts`` are taken in turn, and the last one stays."""

    def __init__(self, port, release):
        self.base, self.release = f"http://127.0.0.1:{port}", release
        self.acts, self.paths, self.headers = [good], [], []

    def act(self, handler):
        self.paths.append(handler.path)
        self.headers.append(dict(handler.headers))
        (self.acts.pop(0) if len(self.acts) > 1 else self.acts[0])(handler, self)


@pytest.fixture
def site(monkeypatch):
    """A server on loopback that ends with the test; waits between tries take no time."""
    monkeypatch.setattr(fetching, "_FIRST_WAIT_S", 0.0)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "*")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            with suppress(ConnectionError):
                served.act(self)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served = Site(server.server_address[1], threading.Event())
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield served
        served.release.set()
        server.shutdown()
        thread.join(10)


def send(handler, status=200, body=CONTENT, **headers):
    handler.send_response(status)
    for name, value in {"Content-Length": len(body), **headers}.items():
        if value is not None:
            handler.send_header(name.replace("_", "-"), str(value))
    handler.end_headers()
    handler.wfile.write(body)


def good(handler, site):
    send(handler)


def unmeasured(handler, site):
    send(handler, **{"Content-Length": None})


def status(code):
    return lambda handler, site: send(handler, code, b"")


def cut(handler, site):
    send(handler, body=CONTENT[:1000], **{"Content-Length": len(CONTENT)})


def cut_chunk(handler, site):
    handler.protocol_version = "HTTP/1.1"
    handler.close_connection = True
    send(handler, body=b"ff\r\nshort", **{"Content-Length": None, "Transfer-Encoding": "chunked"})


def reset(handler, site):
    handler.connection.shutdown(socket.SHUT_RDWR)


def silent(handler, site):
    site.release.wait(5)


def stalled(handler, site):
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b"x")
    site.release.wait(5)


def dripping(handler, site):
    """A byte every 20 ms: no read of it is slow, but all of it would take 20 s."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    for _ in range(250):
        handler.wfile.write(b"x")
        if site.release.wait(0.02):
            return


def to(location):
    return lambda handler, site: send(handler, 302, b"", Location=location)


def said(site, tmp_path, *acts, path="/s.csv", sha256=SUM, **settings):
    """The message of a fetch that fails; it leaves nothing in the folder."""
    site.acts = list(acts)
    with pytest.raises(FetchError) as error:
        fetch(site.base + path, sha256, tmp_path / "s.csv", **settings)
    assert list(tmp_path.iterdir()) == []
    return str(error.value)


@pytest.mark.parametrize("act", [good, unmeasured])
def test_a_file_is_there_whole_and_alone(site, tmp_path, act):
    site.acts = [act]
    target = tmp_path / "s.csv"
    assert fetch(f"{site.base}/s.csv", SUM, target) == target
    assert target.read_bytes() == CONTENT
    assert list(tmp_path.iterdir()) == [target]


def test_missing_folders_are_made_and_capitals_in_the_sum_do_no_harm(site, tmp_path):
    found = fetch(f"{site.base}/s.csv", SUM.upper(), str(tmp_path / "new" / "s.csv"))
    assert found.read_bytes() == CONTENT


def test_a_fetched_file_is_as_open_to_others_as_any(site, tmp_path):
    (tmp_path / "usual").touch()
    found = fetch(f"{site.base}/s.csv", SUM, tmp_path / "s.csv")
    usual = stat.S_IMODE(os.stat(tmp_path / "usual").st_mode)
    assert stat.S_IMODE(found.stat().st_mode) == usual


def test_a_file_that_is_there_is_not_fetched_again(site, tmp_path):
    target = tmp_path / "s.csv"
    for _ in range(2):
        fetch(f"{site.base}/s.csv", SUM, target)
    assert site.paths == ["/s.csv"]


def test_another_file_at_the_target_is_refused_and_kept(site, tmp_path):
    target = tmp_path / "s.csv"
    target.write_bytes(b"other")
    with pytest.raises(FetchError, match=f"{OTHER}; expected {SUM}.*move it away"):
        fetch(f"{site.base}/s.csv", SUM, target)
    assert (target.read_bytes(), site.paths) == (b"other", [])


def test_a_folder_at_the_target_is_no_file(site, tmp_path):
    with pytest.raises(FetchError, match="cannot be read or written: Is a directory"):
        fetch(f"{site.base}/s.csv", SUM, tmp_path)


def test_another_sum_is_named_with_the_expected_one_and_nothing_kept(site, tmp_path):
    words = said(site, tmp_path, good, sha256=OTHER)
    assert f"found sha256 {SUM}; expected {OTHER}" in words
    assert len(site.paths) == 1


@pytest.mark.parametrize("code", [401, 404, 429])
def test_what_the_server_will_not_give_is_asked_for_once(site, tmp_path, code):
    assert f"the server says HTTP {code}." in said(site, tmp_path, status(code))
    assert len(site.paths) == 1


@pytest.mark.parametrize("fault", [status(500), status(503), cut, cut_chunk, reset])
def test_faults_that_pass_are_sat_out(site, tmp_path, fault):
    site.acts = [fault, fault, good]
    assert fetch(f"{site.base}/s.csv", SUM, tmp_path / "s.csv").read_bytes() == CONTENT
    assert len(site.paths) == 3


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        *((status(500), "HTTP 500"), (cut, f"broke off after 1000 of {len(CONTENT)} bytes")),
        *((cut_chunk, "the connection broke off"), (reset, "the connection broke off")),
    ],
)
def test_faults_that_do_not_pass_end_after_four_tries(site, tmp_path, fault, words):
    message = said(site, tmp_path, fault)
    assert words in message
    assert "Tried 4 times. Try again later, or fetch the file yourself" in message
    assert len(site.paths) == 4


def test_waits_between_tries_grow_and_are_short(site, tmp_path, monkeypatch):
    """Half to all of 0.25 * 2, 4 and 8 seconds."""
    waits = []
    monkeypatch.setattr(fetching, "_FIRST_WAIT_S", 0.25)
    monkeypatch.setattr(fetching.time, "sleep", waits.append)
    said(site, tmp_path, status(503))
    assert [0.5 * top <= wait <= top for wait, top in zip(waits, (0.5, 1, 2), strict=True)] == (
        [True] * 3
    )


@pytest.mark.parametrize("act", [silent, stalled, dripping])
def test_a_slow_server_is_given_up_once(site, tmp_path, act):
    message = said(site, tmp_path, act, timeout_s=0.2)
    assert "not all of it came within 0.2 s" in message
    assert len(site.paths) == 1


@pytest.mark.parametrize("act", [good, unmeasured])
def test_a_file_that_is_too_long_is_refused(site, tmp_path, act):
    most = len(CONTENT) - 1
    assert f"longer than the {most} bytes allowed" in said(site, tmp_path, act, max_bytes=most)


def test_a_file_as_long_as_allowed_is_taken(site, tmp_path):
    found = fetch(f"{site.base}/s.csv", SUM, tmp_path / "s.csv", max_bytes=len(CONTENT))
    assert found.read_bytes() == CONTENT


def test_redirects_are_followed(site, tmp_path):
    site.acts = [to("/elsewhere/s.csv"), good]
    assert fetch(f"{site.base}/s.csv", SUM, tmp_path / "s.csv").read_bytes() == CONTENT
    assert site.paths == ["/s.csv", "/elsewhere/s.csv"]


@pytest.mark.parametrize("location", ["file:///etc/hostname", "ftp://127.0.0.1/s.csv", "/s.csv"])
def test_redirects_to_files_ftp_or_themselves_are_not(site, tmp_path, location):
    message = said(site, tmp_path, to(location))
    assert "a redirect that is not followed" in message or "where it redirects to" in message


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://host/s.csv", "S3://bucket/s.csv"])
def test_other_schemes_are_refused_by_name(tmp_path, url):
    with pytest.raises(FetchError, match=f"'{url.split(':')[0]}://'; allowed: http:// or https://"):
        fetch(url, SUM, tmp_path / "s.csv")


@pytest.mark.parametrize(
    "url",
    [
        *("", "host/hidden", "me:hidden@host/s.csv", "http:///hidden", "http://host:hidden/s.csv"),
        *("http://[hidden/s.csv", "http://host/a hidden", "http://host/\nhidden", "http://höst/"),
    ],
)
def test_what_is_no_address_is_refused_and_not_shown(tmp_path, url):
    with pytest.raises(FetchError, match=r"^(found no address|the address holds)") as error:
        fetch(url, SUM, tmp_path / "s.csv")
    assert "hidden" not in str(error.value)


@pytest.mark.parametrize("sha256", ["", "abc", SUM[:-1], SUM + "0", "g" * 64, f"sha256:{SUM}"])
def test_a_sum_has_64_hexadecimal_digits(tmp_path, sha256):
    with pytest.raises(FetchError, match=r"allowed: 64 hexadecimal digits"):
        fetch("http://host/s.csv", sha256, tmp_path / "s.csv")


def test_a_host_that_nobody_is_at_is_named(site, tmp_path):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with pytest.raises(
            FetchError, match=f"{base}/s.csv: cannot reach the host: Conn.* refused"
        ):
            fetch(f"{base}/s.csv", SUM, tmp_path / "s.csv")


def test_a_name_that_no_host_can_have_is_an_error(site, tmp_path):
    with pytest.raises(FetchError, match="no address that answers in HTTP"):
        fetch("http://a..b/s.csv", SUM, tmp_path / "s.csv", timeout_s=1)


def test_a_reply_that_is_not_http_is_an_error(site, tmp_path):
    message = said(site, tmp_path, lambda handler, site: handler.wfile.write(b"hello\r\n\r\n"))
    assert "no address that answers in HTTP" in message


@pytest.mark.parametrize(
    "act",
    [status(404), status(500), cut, reset, good, silent, to("//[hidden/"), to("ftp://hidden/")],
)
def test_no_message_holds_a_secret(site, tmp_path, act):
    base = site.base
    site.base = base.replace("http://", "http://hidden:hidden@")
    message = said(
        site, tmp_path, act, path="/s.csv?token=hidden#hidden", sha256=OTHER, timeout_s=0.3
    )
    assert "hidden" not in message
    assert f"{base}/s.csv?…: " in message


def test_a_user_and_password_are_sent_but_not_to_where_it_redirects(site, tmp_path):
    site.acts = [to("/elsewhere"), good]
    url = site.base.replace("http://", "http://me:p%40ss@")
    fetch(f"{url}/s.csv?token=1", SUM, tmp_path / "s.csv")
    token = base64.b64encode(b"me:p@ss").decode()
    assert [one.get("Authorization") for one in site.headers] == [f"Basic {token}", None]
    assert site.paths[0] == "/s.csv?token=1"


def test_the_proxy_of_the_environment_is_used(site, tmp_path, monkeypatch):
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name)
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, site.base)
    fetch("http://nowhere.invalid/s.csv", SUM, tmp_path / "s.csv")
    assert site.paths == ["http://nowhere.invalid/s.csv"]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (
            "https://me:word@example.org:8443/a/b.csv?key=1#part",
            "https://example.org:8443/a/b.csv?…",
        ),
        ("http://[::1]:80/a", "http://[::1]:80/a"),
        ("ftp://me:word@host/a", "the address"),
    ],
)
def test_an_address_is_shown_without_what_may_be_secret(url, shown):
    assert redacted(url) == shown
