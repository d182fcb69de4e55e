"""A job's log: how it ends, and that it holds no key."""

import pytest

from rationale.logs import job_log
from rationale.respondents.base import Denied


def log_of(path, error, keys=()):
    with pytest.raises(SystemExit), job_log(path, keys):
        raise error
    return path.read_text()


def test_an_error_that_a_user_can_mend_is_its_message_alone(tmp_path):
    assert log_of(tmp_path / "log", Denied("wrong key")) == "Error: wrong key\n"


def test_any_other_error_is_a_traceback(tmp_path):
    log = log_of(tmp_path / "log", ZeroDivisionError("by zero"))
    assert log.startswith("Traceback")
    assert log.endswith("ZeroDivisionError: by zero\n")


def test_a_traceback_shows_no_key(tmp_path, monkeypatch):
    monkeypatch.setenv("GATEWAY_KEY", "gateway-key-1234")
    monkeypatch.setenv("LAB_PASS", "correct-horse")
    try:
        raise KeyError("Bearer gateway-key-1234")
    except KeyError as cause:
        error = RuntimeError("at ?pass=correct-horse")
        error.__cause__ = cause
    log = log_of(tmp_path / "log", error, ["LAB_PASS"])
    assert "[GATEWAY_KEY]" in log
    assert "[LAB_PASS]" in log
    assert "gateway-key" not in log
    assert "correct-horse" not in log


def test_what_a_job_says_of_itself_shows_no_key(tmp_path, monkeypatch):
    monkeypatch.setenv("GATEWAY_KEY", "gateway-key-1234")
    with job_log(tmp_path / "log") as log:
        print("asked with gateway-key-1234", "twice", file=log)
    assert (tmp_path / "log").read_text() == "asked with [GATEWAY_KEY] twice\n"
