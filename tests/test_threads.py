"""Libraries in a job use as many threads as its rule has."""

import json
import os

from helpers import STEADY, run, simulated, write_project

SEEN = """
import json, os, sys
if "tabulate_rationality" in " ".join(sys.orig_argv):
    names = ("OMP", "OPENBLAS", "MKL", "POLARS_MAX", "NUMBA")
    found = {name: os.environ.get(name.removesuffix("_MAX") + (
        "_MAX_THREADS" if name.endswith("_MAX") else "_NUM_THREADS")) for name in names}
    with open(os.environ["SEEN_THREADS"], "w") as out:
        json.dump(found, out)
"""


def test_every_library_gets_the_threads_of_the_rule(tmp_path):
    write_project(tmp_path, simulated(one=STEADY))
    (tmp_path / "early").mkdir()
    (tmp_path / "early/sitecustomize.py").write_text(SEEN)
    env = {
        "PYTHONPATH": f"{tmp_path / 'early'}:{os.environ.get('PYTHONPATH', '')}",
        "SEEN_THREADS": str(tmp_path / "seen.json"),
    }
    target = "results/tables/rationality.csv"
    done = run(tmp_path, target, "--set-threads", "tabulate_rationality=2", env=env)
    assert done.returncode == 0, done.stdout
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert seen == dict.fromkeys(("OMP", "OPENBLAS", "MKL", "POLARS_MAX", "NUMBA"), "2")
