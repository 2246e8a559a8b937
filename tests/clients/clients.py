#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs real clients of the driver, starts them with `heddle exec` and prints one table.

    clients.py --heddle build/release/bin/heddle [--work DIR] [--suites] [NAME...]

--suites: runs the clients' own test suites instead, each with a list of known failures and their reasons.

The installation of a client stays in DIR (build/clients), so the second run is quick; its output is in
DIR/NAME.log. A client is skipped if a program that it needs is missing, or if pip's registry does not
answer; a client that cannot be installed for another reason has failed. Exit status: 0 none failed, 1 one did, 77 none ran.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "tests/clients"
sys.path.insert(0, str(ROOT / "scripts"))
from abi_types import SKIPPED, find_toolkit  # noqa: E402

TIME_LIMIT = 1800        # seconds for a command
SUITE_TIME_LIMIT = 7200


@dataclass
class Client:
    """Commands that run in order, in {work}, the client's folder. They may also name {heddle}, {library}
    (the folder), {here}, {root}, {headers} (of the driver API), {python} and {packages} (of the virtual
    environment)."""

    name: str
    commands: list
    needs: list = field(default_factory=list)    # programs, or cuda.h, that must be installed
    install: list = field(default_factory=list)  # packages for pip
    source: str = ""                             # a package whose source is unpacked in {work}/source
    environment: dict = field(default_factory=dict)
    limit: int = TIME_LIMIT                      # seconds for a command


PYTHON = "{heddle} exec -- {python} {here}/python/"
# The CUDA 13.0 tools: newer ones write PTX versions that Heddle's driver does not support.
TOOLKIT = "cuda-toolkit[nvrtc,nvvm,cudart,cccl]==13.0.*"
NUMBA = ["numba-cuda[cu13]==0.30.4", "cuda-core==1.2.2", "cuda-toolkit==13.5.0", "cuda-bindings==13.5.0", "numpy==2.4.6"]
TINYGRAD = {"HEDDLE_DEVICES": "2"}

CLIENTS = [
    Client("cuda-runtime", ["{python} {root}/tests/runtime/programs_test.py --heddle {heddle}"]),
    Client("gcc", ["{python} {here}/gcc/programs_test.py --heddle {heddle}"]),
    Client("tinygrad", [PYTHON + "tinygrad_client.py",
                        "{heddle} exec -- {python} {work}/source/test/test_tiny.py"],
           install=["tinygrad==0.14.0"], source="tinygrad==0.14.0", needs=["clang"],
           environment={"DEV": "CUDA:PTX", **TINYGRAD}),
    Client("tinygrad-nvrtc", [PYTHON + "tinygrad_client.py"], needs=["clang"],
           install=["tinygrad==0.14.0", "cuda-toolkit[nvrtc,cudart,crt]==13.0.*"],
           environment={"DEV": "CUDA:CUDA", "CUDA_PATH": "{packages}/nvidia/cu13",
                        "NVRTC_PATH": "{packages}/nvidia/cu13/lib/libnvrtc.so.13", **TINYGRAD}),
    Client("triton", [PYTHON + "triton_client.py"], needs=["gcc"],
           install=["triton==3.9.0", "cuda-bindings==13.5.0", "numpy==2.4.6"],
           environment={"TRITON_CACHE_DIR": "{work}/cache"}),
    Client("cuda-bindings", [PYTHON + "cuda_bindings_client.py"],
           install=["cuda-bindings==13.5.0", "numpy==2.4.6"]),
    Client("nvml", [PYTHON + "nvml_client.py"],
           install=["nvidia-ml-py==13.615.71", "cuda-bindings==13.5.0", "gpustat==1.1.1", "nvitop==1.7.2"],
           environment={"HEDDLE_DEVICE": "h200", "HEDDLE_DEVICES": "2"}),
    Client("cuda-core", [PYTHON + "cuda_core_client.py"],
           install=["cuda-core==1.2.2", "cuda-bindings==13.5.0", "numpy==2.4.6",
                    "cuda-toolkit[nvrtc,nvvm,nvjitlink,cudart,cccl]==13.5.0"]),
    Client("numba", [PYTHON + "numba_client.py"], install=NUMBA),
    Client("taichi", [PYTHON + "taichi_client.py"], install=["taichi==1.7.4", "numpy==2.4.6"]),
    Client("jax", [PYTHON + "jax_client.py"], install=["jax[cuda13]==0.10.2", "numpy==2.4.6"]),
    Client("pycuda", [PYTHON + "pycuda_client.py"], needs=["nvcc", "g++"],
           install=["pycuda==2026.1", "numpy==2.4.6"]),
    Client("mpi", ["mpicc -Wall -Werror -O1 -I{headers} -I{root}/src {here}/mpi/exchange.c -o {work}/exchange "
                   "{library}/libcuda.so.1",
                   "mpirun -n 2 --oversubscribe {heddle} exec -- {work}/exchange {root}/examples/saxpy.ptx"],
           needs=["mpicc", "mpirun", "cuda.h"],
           environment={"HEDDLE_DEVICES": "2", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}),
]


# The other files of a suite are in a folder of its name: a plugin for pytest.
SUITE = "{heddle} exec -- {python} {here}/suites/run_suite.py {here}/suites/"
NUMBA_TESTS = " ".join(f"numba.cuda.tests.{part}" for part in ("cudapy", "cudadrv", "nrt", "nocuda", "doc_examples"))

SUITES = [
    Client("numba-suite",
           [SUITE + "numba.txt {work}/report.xml -p numba_plugin --import-mode=importlib --timeout=600 "
            f"--rootdir={{packages}}/numba_cuda/numba/cuda/tests --pyargs {NUMBA_TESTS}"],
           install=[*NUMBA, "pytest==9.2.0", "pytest-timeout==2.4.0", "filecheck", "ml_dtypes", "psutil", "cffi"],
           environment={"PYTHONPATH": "{here}/suites/numba"}, limit=SUITE_TIME_LIMIT),
]


class Skipped(Exception):
    pass


class NotInstalled(Exception):
    pass


def run(command, log, environment, folder, limit=TIME_LIMIT):
    """Runs a command; standard output and error go to the log. Returns the exit status."""
    log.write(f"$ {' '.join(command)}\n")
    log.flush()
    try:
        return subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, env=environment, cwd=folder,
                              stdin=subprocess.DEVNULL, timeout=limit).returncode
    except subprocess.TimeoutExpired:
        log.write(f"not done after {limit} s\n")
        return 124


def silent_registry(log, environment, work):
    """The address of pip's registry if it does not answer (a request for pip itself fails), else none: then a client that
    cannot be installed is broken."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    if not run([*pip, "index", "versions", "pip", "--retries", "1"], log, environment, work):
        return None
    configured = subprocess.run([*pip, "config", "get", "global.index-url"], env=environment,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return environment.get("PIP_INDEX_URL") or configured.stdout.strip() or "https://pypi.org/simple"


def install(client, work, log, environment):
    """Creates a virtual environment with exactly the client's packages. Returns its Python."""
    folder, done = work / "venv", work / "installed"
    python = folder / "bin/python"
    wanted = "\n".join([sys.version, *client.install, client.source])
    if done.exists() and done.read_text() == wanted:
        return python
    shutil.rmtree(folder, ignore_errors=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check"]
    steps = [[sys.executable, "-m", "venv", str(folder)], [*pip, "install", *client.install]]
    if client.source:
        steps.append([*pip, "download", "--no-deps", "--no-binary", ":all:", "-d", str(work), client.source])
    for step in steps:
        if run(step, log, environment, work):
            reason = f"cannot install {' '.join(client.install)}"
            registry = silent_registry(log, environment, work)
            raise Skipped(f"{reason}: {registry} does not answer") if registry else NotInstalled(reason)
    if client.source:
        (archive,) = work.glob("*.tar.gz")
        shutil.rmtree(work / "source", ignore_errors=True)
        with tarfile.open(archive) as packed:
            packed.extractall(work, filter="data")
        (work / archive.name.removesuffix(".tar.gz")).rename(work / "source")
        archive.unlink()
    done.write_text(wanted)
    return python


def try_client(client, heddle, work, log):
    """Installs and runs a client. Returns the error, or an empty string."""
    headers = heddle.parents[1] / "gen"
    if not (headers / "driver/api.h").exists():
        headers = find_toolkit(None, "cuda.h")
    for thing in client.needs:
        if not (headers if thing == "cuda.h" else shutil.which(thing)):
            raise Skipped(f"there is no {thing}")
    python = install(client, work, log, dict(os.environ)) if client.install else sys.executable
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    names = {"heddle": heddle, "library": heddle.parents[1] / "lib", "here": HERE, "root": ROOT,
             "python": python, "packages": work / f"venv/lib/python{version}/site-packages",
             "headers": headers, "work": work}
    # The clients' caches, of compiled kernels for instance, are in their folder too.
    (work / "cache").mkdir(exist_ok=True)
    environment = dict(os.environ, XDG_CACHE_HOME=f"{work}/cache")
    environment.update((name, value.format(**names)) for name, value in client.environment.items())
    for command in client.commands:
        status = run([word.format(**names) for word in command.split()], log, environment, work, client.limit)
        if status == SKIPPED:
            raise Skipped(last_line(log))
        if status:
            return f"exit status {status}: {last_line(log)}"
    return ""


def last_line(log):
    log.flush()
    lines = Path(log.name).read_text(errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=ROOT / "build/clients")
    parser.add_argument("--suites", action="store_true", help="run " + ", ".join(c.name for c in SUITES))
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(c.name for c in CLIENTS))
    args = parser.parse_args()
    clients = SUITES if args.suites else CLIENTS
    unknown = set(args.names) - {c.name for c in clients}
    if unknown:
        parser.error(f"no such client: {', '.join(sorted(unknown))} (--help names them)")

    results = []
    print(f"{'client':16}{'result':8}{'time':>7}")
    for client in clients:
        if args.names and client.name not in args.names:
            continue
        work = args.work.resolve() / client.name
        work.mkdir(parents=True, exist_ok=True)
        start = time.monotonic()
        with open(args.work / f"{client.name}.log", "w", encoding="utf-8") as log:
            try:
                detail = try_client(client, args.heddle.resolve(), work, log)
                result = "FAIL" if detail else "PASS"
                detail = detail or last_line(log)
            except NotInstalled as reason:
                result, detail = "FAIL", str(reason)
            except Skipped as reason:
                result, detail = "SKIP", str(reason)
        results.append(result)
        print(f"{client.name:16}{result:8}{time.monotonic() - start:5.0f} s  {detail}", flush=True)
        if result == "FAIL":
            print(f"{'':33}see {log.name}", flush=True)
    return 1 if "FAIL" in results else 0 if "PASS" in results else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
