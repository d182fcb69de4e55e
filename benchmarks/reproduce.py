"""Make every table and figure again from config and journal alone: no key, no network, byte for byte.

``python benchmarks/reproduce.py`` in a folder with a finished run copies the config, the files that it
names and ``results/journal`` to an empty folder, runs the graph there without keys and without a
network, and compares. It exits with 1 when a file differs or is missing. What the target `all` makes
is compared, and with ``--also indices power`` what those targets make; other files are named.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

PROJECT = Path(__file__).resolve().parent.parent
COMPARED = ("tables", "figures")
FETCHED = Path("results/moralchoice/fetched")
# OPENBLAS_CORETYPE chooses the kernels of linear algebra: others differ in the last digits.
PASSED_ON = (
    *("PATH", "PYTHONPATH", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV"),
    "OPENBLAS_CORETYPE",
)
# Targets beside `all` whose tables follow from the journal and the config.
OWN_TARGETS = ("indices", "power")
# A port where nothing listens, for what would reach out where the network cannot be taken away.
DEAD_PROXY = "http://127.0.0.1:9"


def main() -> int:
    """0 when everything is the same."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path(), help="of the finished run")
    parser.add_argument("--configfile", default="config.yaml", help="from there")
    parser.add_argument("--cores", default="2")
    parser.add_argument("--also", nargs="*", default=[], choices=OWN_TARGETS)
    found = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rationale-again-") as again:
        folder = Path(again) / "run"
        copied = copy_sources(found.folder, folder, found.configfile)
        print(f"copied to an empty folder: {', '.join(copied)}")
        wanted = ["all", *found.also]
        status = run(folder, found.configfile, found.cores, wanted, Path(again))
        if status:
            return status
        return compare(found.folder / "results", folder / "results")


def copy_sources(origin: Path, folder: Path, configfile: str) -> list[str]:
    """Copy the config, what it names and the journal; the names of what was copied."""
    config = yaml.safe_load((origin / configfile).read_text(encoding="utf-8"))
    named = [text for text in texts(config) if is_source(origin, text)]
    for name in (configfile, *named):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(origin / name, folder / name)
    trees = [Path("results/journal")]
    if (origin / FETCHED).exists():
        trees.append(FETCHED)
    if (origin / "resources").exists() and origin.resolve() != PROJECT:
        trees.append(Path("resources"))
    for tree in trees:
        without = shutil.ignore_patterns("limits")
        shutil.copytree(origin / tree, folder / tree, ignore=without, dirs_exist_ok=True)
    return [configfile, *named, *map(str, trees)]


def texts(value: Any) -> Iterator[str]:
    """Every text in a config."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from texts(one)
    elif isinstance(value, str):
        yield value


def is_source(origin: Path, text: str) -> bool:
    """Whether a text of the config names a file beside it that no rule makes."""
    path = Path(text)
    inside = not path.is_absolute() and path.parts[:1] != ("results",) and ".." not in path.parts
    return inside and len(text) < 200 and (origin / path).is_file()


def run(folder: Path, configfile: str, cores: str, wanted: list[str], home: Path) -> int:
    """Snakemake without keys, proxies or network; its exit status."""
    without_network = first_that_works((["unshare", "-n"], ["unshare", "-rn"]))
    environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    environment |= {"HOME": str(home), "RATIONALE_OFFLINE": "1"}
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        environment |= {name: DEAD_PROXY, name.upper(): DEAD_PROXY}
    command = [
        *without_network,
        *(sys.executable, "-m", "snakemake", "--snakefile", str(PROJECT / "Snakefile")),
        *("--directory", str(folder), "--configfile", str(folder / configfile)),
        *("--cores", cores, "--quiet", "all", "--", *wanted),
    ]
    how = " ".join(without_network) or "a dead proxy alone (no right to unshare)"
    print(f"network taken away by: {how}")
    print(f"environment: {', '.join(sorted(environment))}", flush=True)
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        print(done.stdout)
        print(f"snakemake ended with status {done.returncode}")
    return done.returncode


def first_that_works(commands: tuple[list[str], ...]) -> list[str]:
    """The first of these that can start a program here, or nothing."""
    for command in commands:
        if (
            shutil.which(command[0])
            and not subprocess.run([*command, "true"], capture_output=True).returncode
        ):
            return command
    return []


def compare(before: Path, after: Path) -> int:
    """Print every table and figure made again, with its sum before and after; 1 when one differs.

    What was not made again belongs to other targets, or to an earlier config: it is named, no more.
    """
    again = set(made(after))
    different = [name for name in sorted(again) if digest(before / name) != digest(after / name)]
    for name in sorted(again):
        word = "DIFFERENT" if name in different else "same     "
        print(f"{word}  {digest(before / name)}  {digest(after / name)}  {name}")
    for name in sorted(set(made(before)) - again):
        print(f"left out   {digest(before / name)}  {'.' * 12}  {name}")
    same = len(again) - len(different)
    print(f"{same} of {len(again)} tables and figures are the same byte for byte")
    return 1 if different or not again else 0


def made(root: Path) -> Iterator[str]:
    """The tables and figures under a results folder, by their paths from there."""
    for part in COMPARED:
        for path in (root / part).glob("*"):
            yield str(path.relative_to(root))


def digest(path: Path) -> str:
    """Twelve digits of the sha256, or dots for a file that is missing."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12] if path.exists() else "." * 12


if __name__ == "__main__":
    sys.exit(main())
