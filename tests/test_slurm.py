"""The Slurm profile: on a real cluster of one node, where there is one."""

import importlib.util
import subprocess
import sys

import pytest
import yaml
from helpers import ROOT
from slurm.one_node import missing

PROFILES = ROOT / "workflow/profiles"
# Every study, every rule of the target `all`, in few jobs.
SMALL = {
    "seed": 7,
    "models": {
        "steady": {
            "simulated": "utility",
            "ideal": [2.2, 1.4, 3.1, 3.6, 1.8],
            "noise": 0.1,
        },
        "random": {"simulated": "random"},
    },
    "asking": {"block_size": 160},
    "psm": {"null_draws": 99, "types": {"draws": 8, "chunk": 8}},
    "moralchoice": {"forms": ["ab"], "samples": {"low": 1, "high": 1}},
    "steer": {"elements": ["sunk-cost", "transitivity"], "per_cell": 1, "rubrics": ["whole"]},
}


def test_the_slurm_profile_keeps_what_the_default_one_sets():
    default, slurm = (
        yaml.safe_load((PROFILES / name / "profile.yaml").read_text())
        for name in ("default", "slurm")
    )
    kept = {key: slurm[key] for key in default if key != "resources"}
    assert kept == {key: value for key, value in default.items() if key != "resources"}
    assert slurm["resources"]["asks"] == default["resources"]["asks"]


def test_the_slurm_profile_names_rules_that_exist():
    rules = "\n".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    profile = yaml.safe_load((PROFILES / "slurm/profile.yaml").read_text())
    assert [name for name in profile["set-resources"] if f"rule {name}:" not in rules] == []


@pytest.mark.slow
def test_tables_of_a_slurm_run_equal_those_of_a_local_run(tmp_path):
    reason = missing()
    if reason is None and importlib.util.find_spec("snakemake_executor_plugin_slurm") is None:
        reason = "the plugin is not installed: pip install -e '.[cluster]'"
    if reason:
        pytest.skip(reason)
    config = tmp_path / "small.yaml"
    config.write_text(yaml.safe_dump(SMALL), encoding="utf-8")
    script = ROOT / "tests/slurm/one_node.py"
    done = subprocess.run(
        [sys.executable, script, config], capture_output=True, text=True, timeout=1500, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
