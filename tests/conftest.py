"""Fixtures for all tests."""

from __future__ import annotations

import os

import pytest

# litellm would else look for a newer price list on its import.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
# One thread each: tests run beside one another on small machines.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(name, "1")


def pytest_configure(config: pytest.Config) -> None:
    """Without the slow tests, fewer of STEER's questions are checked: the rest would take minutes."""
    if config.option.markexpr == "not slow":
        import steer

        steer.most = 240


@pytest.fixture
def no_wait(monkeypatch) -> list[float]:
    """Waits between tries take no time; the list says how long each would have been."""
    import rationale.asking.patience as patience

    waits: list[float] = []
    real = patience.asyncio.sleep

    async def at_once(seconds: float) -> None:
        waits.append(seconds)
        await real(0)

    class Clock:
        sleep = staticmethod(at_once)

    monkeypatch.setattr(patience, "asyncio", Clock)
    return waits
