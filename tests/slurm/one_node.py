"""A Slurm of one node on loopback, and the same config run through it and without it.

`python tests/slurm/one_node.py` takes the shipped config.yaml, or the file named behind it; it prints
what both runs made and exits with 1 if a table differs.
Needs Debian's packages (`apt-get install slurmctld slurmd slurm-client munge`), root, and the
plugin (`pip install -c constraints.txt -e '.[cluster]'`). It leaves nothing running.
"""

from __future__ import annotations

import contextlib
import filecmp
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Where Slurm's own commands look: the plugin takes SLURM_CONF out of its jobs' environment.
SYSTEM_CONF = Path("/etc/slurm/slurm.conf")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo")
SLURM_CONF = """
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
MinJobAge=300
SchedulerParameters=sched_interval=1,sched_min_interval=0
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory={memory} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""
LONGEST_S = 5400


def missing() -> str | None:
    """What keeps a Slurm from running here, or None."""
    absent = [name for name in PROGRAMS if shutil.which(name, path=_path()) is None]
    if absent:
        return f"not installed: {', '.join(absent)}"
    if SYSTEM_CONF.exists():
        return f"{SYSTEM_CONF} is there: this machine belongs to a cluster"
    return None if os.geteuid() == 0 else "slurmctld and munged on loopback want root"


def _path() -> str:
    return f"{os.environ['PATH']}:/usr/sbin:/sbin"


def _memory_mb() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextlib.contextmanager
def one_node(folder: Path, cores: int = 2) -> Iterator[dict[str, str]]:
    """A cluster whose files are all in ``folder``; gives the environment that finds it.

    Raises RuntimeError when the node is not idle within 30 s.
    """
    for name in ("state", "spool"):
        (folder / name).mkdir()
    os.chmod(folder, 0o755)
    _write_key(folder / "munge.key")
    host = socket.gethostname().split(".")[0]
    text = SLURM_CONF.format(
        host=host,
        folder=folder,
        cores=cores,
        memory=_memory_mb() * 9 // 10,
        controller=_free_port(),
        node=_free_port(),
    )
    (folder / "slurm.conf").write_text(text, encoding="utf-8")
    env = {**os.environ, "PATH": _path(), "SLURM_CONF": str(folder / "slurm.conf")}
    munged = ["munged", "--foreground", "--force", f"--socket={folder}/munge.socket"]
    for option, name in (("key-file", "key"), ("pid-file", "pid"), ("seed-file", "seed")):
        munged.append(f"--{option}={folder}/munge.{name}")
    with contextlib.ExitStack() as stack:
        for command in (munged, ["slurmctld", "-D"], ["slurmd", "-D", "-N", host]):
            stack.enter_context(_running(command, folder, env))
            time.sleep(1)
        _wait_until_idle(env, folder)
        SYSTEM_CONF.parent.mkdir(exist_ok=True)
        SYSTEM_CONF.symlink_to(folder / "slurm.conf")
        stack.callback(SYSTEM_CONF.unlink)
        yield env


def _write_key(path: Path) -> None:
    path.write_bytes(secrets.token_bytes(128))
    path.chmod(0o400)


@contextlib.contextmanager
def _running(command: list[str], folder: Path, env: dict[str, str]) -> Iterator[None]:
    with open(folder / f"{command[0]}.out", "w", encoding="utf-8") as out:
        process = subprocess.Popen(command, env=env, stdout=out, stderr=subprocess.STDOUT)
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait_until_idle(env: dict[str, str], folder: Path) -> None:
    for _ in range(60):
        found = subprocess.run(
            ["sinfo", "-h", "-o", "%T"], env=env, capture_output=True, text=True, timeout=30
        )
        if found.stdout.strip() == "idle":
            return
        time.sleep(0.5)
    logs = "\n".join(path.read_text()[-1000:] for path in sorted(folder.glob("*.out")))
    raise RuntimeError(f"the node is {found.stdout.strip() or found.stderr.strip()}\n{logs}")


def run(config: Path, folder: Path, env: dict[str, str], *arguments: str) -> float:
    """Run the graph in a folder; the seconds it took. Raises RuntimeError when it fails."""
    shutil.copy(config, folder / "config.yaml")
    paths = ["--snakefile", ROOT / "Snakefile", "--directory", folder]
    command = [sys.executable, "-m", "snakemake", *paths, "--configfile", "config.yaml"]
    start = time.perf_counter()
    with open(folder / "run.out", "w", encoding="utf-8") as out:
        done = subprocess.run(
            [*map(str, command), *arguments],
            cwd=folder,
            env=env,
            stdout=out,
            stderr=subprocess.STDOUT,
            timeout=LONGEST_S,
            check=False,
        )
    if done.returncode:
        raise RuntimeError((folder / "run.out").read_text()[-6000:])
    return time.perf_counter() - start


def differing(one: Path, other: Path) -> tuple[list[str], list[str]]:
    """The tables that both runs made, and those that are not the same byte for byte, or not in both."""
    names = [
        {path.name for path in (folder / "results/tables").iterdir()} for folder in (one, other)
    ]
    same, changed, errors = filecmp.cmpfiles(
        one / "results/tables", other / "results/tables", sorted(names[0] | names[1]), False
    )
    return same, changed + errors


def main() -> int:
    if reason := missing():
        print(f"No Slurm here: {reason}")
        return 2
    config = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "config.yaml"
    with tempfile.TemporaryDirectory(prefix="rationale-slurm-") as name:
        folder = Path(name)
        local, slurm, cluster = (folder / part for part in ("local", "slurm", "cluster"))
        for part in (local, slurm, cluster):
            part.mkdir()
        with one_node(cluster) as env:
            profile = ROOT / "workflow/profiles/slurm"
            seconds = run(config, slurm, env, "--workflow-profile", str(profile))
        submitted = (slurm / "run.out").read_text().count("has been submitted with SLURM jobid")
        print(f"Slurm: {seconds:.0f} s, {submitted} jobs through sbatch", flush=True)
        seconds = run(config, local, dict(os.environ), "--cores", "2")
        print(f"local: {seconds:.0f} s", flush=True)
        same, changed = differing(local, slurm)
        print(f"equal byte for byte: {', '.join(same)}")
        print(f"different: {', '.join(changed) or 'none'}")
    return 1 if changed or not same or not submitted else 0


if __name__ == "__main__":
    sys.exit(main())
