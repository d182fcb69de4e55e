"""Faults of every kind through the real graph: nothing lost, nothing asked twice, a reasoned end."""

import shutil

import pytest
from chaos import FAULTS, PROMPTS, can_mount, outcome

pytestmark = pytest.mark.slow

# Faults that end the first run, and a part of what it says.
ENDS = {
    "wrong model name (404)": "no such model",
    "key expires (401)": "AuthenticationError",
    "stays away (503)": "prompts were not answered",
    "Ctrl-C": "stopped by a signal",
    "SIGTERM": "stopped by a signal",
    "files may not grow (100 kB)": "a reply could not be kept (File too large)",
    "disk full (24 kB)": "a reply could not be kept (No space left on device)",
    "less than min_free_mb": "of disk left, less than",
    "two runs at once": "cannot be locked",
}
# Replies that are answers of another kind, and kept.
ROWS = {
    "empty content": "invalid",
    "filter: finish_reason": "refused",
    "filter: 400": "refused",
    "truncated replies": "truncated",
}


@pytest.fixture(scope="module", params=FAULTS, ids=lambda case: case.name)
def case_and_outcome(request, tmp_path_factory):
    case = request.param
    if case.around and not can_mount():
        pytest.skip("this user may not mount a small disk")
    folder = tmp_path_factory.mktemp("chaos")
    yield case, outcome(case, folder)
    shutil.rmtree(folder)


def in_flight_at_most(case):
    """Replies that may have been sent whole and not yet written when a process was killed."""
    return 4 if case.name.startswith("kill -9") else 0


def test_nothing_is_lost(case_and_outcome):
    case, found = case_and_outcome
    assert found.lost <= in_flight_at_most(case)


def test_nothing_is_asked_twice(case_and_outcome):
    case, found = case_and_outcome
    assert found.twice <= in_flight_at_most(case)


def test_the_run_ends_as_it_should(case_and_outcome):
    case, found = case_and_outcome
    ends = case.name in ENDS or case.name.startswith("kill -9")
    assert (found.status != 0) == ends
    assert ENDS.get(case.name, "") in found.ended


def test_the_next_run_leaves_every_prompt_with_a_row_and_a_reply(case_and_outcome):
    case, found = case_and_outcome
    assert sum(found.rows.values()) == found.held == PROMPTS
    assert set(found.rows) == {"answered"} | ({ROWS[case.name]} if case.name in ROWS else set())
