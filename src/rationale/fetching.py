"""Files from the web: kept only if they are the very bytes that were meant."""

from __future__ import annotations

import base64
import hashlib
import random
import re
import time
import uuid
from collections.abc import Iterator
from http.client import HTTPException, IncompleteRead
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    UnknownHandler,
    getproxies,
)

MAX_BYTES = 64 * 2**20
SCHEMES = ("http", "https")
_TRIES = 4
_FIRST_WAIT_S = 0.25
_CHUNK = 2**16
_BY_HAND = "Try again later, or fetch the file yourself and give its path"


class FetchError(RuntimeError):
    """A file that was not fetched. No message holds a query, a user or a password."""


class _Passing(FetchError):
    """May pass when tried again."""


def fetch(
    url: str,
    sha256: str,
    target: str | Path,
    timeout_s: float = 60.0,
    max_bytes: int = MAX_BYTES,
) -> Path:
    """The file at ``target``, fetched from ``url`` unless it is there already.

    Parameters
    ----------
    url : http or https; redirects are followed, a user and password are sent as basic authorisation,
        and the proxies of the environment are used.
    sha256 : of the content, 64 hexadecimal digits.
    timeout_s : seconds for one of at most four tries; only what can pass (a server's error, a
        connection that breaks off) is tried again.
    max_bytes : a longer file is refused.

    Nothing stands at ``target`` until all of it is there and has the right sum. Raises FetchError when
    an argument is not as above, when the file cannot be had whole or written, for another sum, and
    for a file with another sum at ``target``, which is left as it is.
    """
    target = Path(target)
    address = _address(url)
    if not re.fullmatch(r"[0-9a-fA-F]{64}", sha256):
        raise FetchError(
            f"sha256 of {redacted(url)}: found {sha256!r}; allowed: 64 hexadecimal digits."
        )
    try:
        if target.exists():
            return _kept(target, sha256.lower())
        target.parent.mkdir(parents=True, exist_ok=True)
        return _patiently(address, sha256.lower(), target, timeout_s, max_bytes)
    except OSError as error:
        raise FetchError(f"{target}: cannot be read or written: {error.strerror}.") from None


def redacted(url: str) -> str:
    """An address fit to be shown: without user, password, query and fragment."""
    try:
        parts = urlsplit(url)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        return "the address"
    if parts.scheme not in SCHEMES or not parts.hostname:
        return "the address"
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{port}{parts.path}{'?…' if parts.query else ''}"


def _address(url: str) -> SplitResult:
    shown = redacted(url)
    if not re.fullmatch(r"[\x21-\x7e]+", url):
        raise FetchError(
            "the address holds a space or a character that addresses cannot hold; write such as %20."
        )
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://", url)
    if scheme and scheme[1].lower() not in SCHEMES:
        raise FetchError(f"found an address with '{scheme[1]}://'; allowed: http:// or https://.")
    if shown == "the address":
        raise FetchError("found no address; allowed: one like https://example.org/scenarios.csv.")
    return urlsplit(url)


def _kept(target: Path, wanted: str) -> Path:
    with target.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != wanted:
        raise FetchError(
            f"{target}: there already, with sha256 {found}; expected {wanted}. It was not touched: "
            f"move it away to have it fetched, or correct the sum."
        )
    return target


def _patiently(
    address: SplitResult, wanted: str, target: Path, timeout_s: float, max_bytes: int
) -> Path:
    for attempt in range(1, _TRIES + 1):
        try:
            return _once(address, wanted, target, timeout_s, max_bytes)
        except _Passing as error:
            if attempt == _TRIES:
                raise FetchError(f"{error} Tried {attempt} times. {_BY_HAND}.") from None
        time.sleep(random.uniform(0.5, 1.0) * _FIRST_WAIT_S * 2**attempt)
    raise AssertionError("_TRIES is at least 1")


def _once(
    address: SplitResult, wanted: str, target: Path, timeout_s: float, max_bytes: int
) -> Path:
    part = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
    digest = hashlib.sha256()
    try:
        with part.open("xb") as file:
            for chunk in _chunks(address, timeout_s, max_bytes):
                digest.update(chunk)
                file.write(chunk)
        if digest.hexdigest() != wanted:
            raise FetchError(
                f"{redacted(address.geturl())}: found sha256 {digest.hexdigest()}; expected {wanted}. "
                f"Nothing was kept: the file there is another one, or the sum is wrong."
            )
        return part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _chunks(address: SplitResult, timeout_s: float, max_bytes: int) -> Iterator[bytes]:
    """The content, piece by piece; every fault of the way there becomes a FetchError."""
    shown = redacted(address.geturl())
    deadline = time.monotonic() + timeout_s
    try:
        with _opener().open(_request(address), timeout=timeout_s) as response:
            promised, received = response.length, 0
            if (promised or 0) > max_bytes:
                raise _too_large(shown, max_bytes)
            while chunk := response.read1(_CHUNK):
                received += len(chunk)
                if received > max_bytes:
                    raise _too_large(shown, max_bytes)
                yield chunk
                if time.monotonic() > deadline:
                    raise TimeoutError
            if promised is not None and received < promised:
                raise _Passing(f"{shown}: broke off after {received} of {promised} bytes.")
    except (OSError, HTTPException, ValueError) as error:
        raise _fault(error, shown, timeout_s) from None


def _too_large(shown: str, max_bytes: int) -> FetchError:
    return FetchError(f"{shown}: longer than the {max_bytes} bytes allowed. Is it the right file?")


def _fault(error: Exception, shown: str, timeout_s: float) -> FetchError:
    """What went wrong in words that cannot hold the address."""
    if isinstance(error, HTTPError):
        error.close()
        kind = _Passing if error.code >= 500 else FetchError
        redirect = ", a redirect that is not followed" if 300 <= error.code < 400 else ""
        return kind(f"{shown}: the server says HTTP {error.code}{redirect}.")
    reached = not isinstance(error, URLError)
    cause = error if reached else error.reason
    if isinstance(cause, TimeoutError):
        return FetchError(f"{shown}: not all of it came within {timeout_s:g} s. {_BY_HAND}.")
    reset = isinstance(cause, ConnectionError) and not isinstance(cause, ConnectionRefusedError)
    if reset or isinstance(cause, IncompleteRead) or (reached and isinstance(cause, OSError)):
        return _Passing(f"{shown}: the connection broke off: {_reason(cause)}.")
    if isinstance(cause, OSError):
        return FetchError(
            f"{shown}: cannot reach the host: {_reason(cause)}. Check the address and your proxy."
        )
    return FetchError(f"{shown}: it, or where it redirects to, is no address that answers in HTTP.")


def _reason(cause: Exception) -> str:
    return getattr(cause, "strerror", None) or str(cause) or type(cause).__name__


def _request(address: SplitResult) -> Request:
    """The request; a user and password go to this host only, not where it redirects to."""
    user, found, host = address.netloc.rpartition("@")
    bare = urlunsplit(address._replace(netloc=host))
    request = Request(bare, headers={"User-Agent": "rationale"})
    if found:
        token = base64.b64encode(unquote(user).encode()).decode()
        request.add_unredirected_header("Authorization", f"Basic {token}")
    return request


def _opener() -> OpenerDirector:
    """Handlers for http and https alone: urllib's own choice opens files and ftp too."""
    proxies = {scheme: proxy for scheme, proxy in getproxies().items() if scheme in SCHEMES}
    opener = OpenerDirector()
    for handler in (
        ProxyHandler(proxies),
        HTTPHandler(),
        HTTPSHandler(),
        HTTPDefaultErrorHandler(),
        HTTPRedirectHandler(),
        HTTPErrorProcessor(),
        UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener
