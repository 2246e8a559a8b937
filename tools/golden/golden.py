#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""golden.py: runs the instances of tools/golden on both of Heddle's engines. Their results must agree with each other, with the
model of mma, and with the recordings of GPUs in tests/golden."""

import argparse
import array
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
RECORDINGS = HERE.parent.parent / "tests" / "golden"
ENGINES = ["jit", "interp"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="heddle_golden")
    parser.add_argument("--driver", required=True, help="Heddle's libcuda.so.1")
    parser.add_argument("--out", required=True, type=Path, help="a folder for Heddle's recordings")
    parser.add_argument("--stride", default="64", help="of sweeps through 2^32 inputs only each Nth group (default: 64)")
    parser.add_argument("--part", default="1", help="only each Nth instance (default: 1)")
    parser.add_argument("--only", default="", help="instances whose names hold TEXT")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    def record(name, *arguments, **environment):
        path = options.out / f"{name}.golden"
        print(f"== on Heddle ({name})", flush=True)
        done = subprocess.run(
            [options.program, "record", path, "--driver", options.driver, "--stride", options.stride,
             "--part", options.part, "--only", options.only, *arguments],
            env=dict(os.environ, HEDDLE_CACHE="0", **environment), capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)  # on success the output only lists pending instructions
        print(done.stdout, end="", flush=True)
        return path

    def differs(recorded, here):
        print(f"== {recorded.stem} and {here.stem}", flush=True)
        command = [options.program, "compare", recorded, here, "--only", options.only]
        return subprocess.run(command).returncode != 0

    def sweep_is_wrong():
        """A part of the copied inputs."""
        path, first, count = options.out / "sweep.bin", 0x3f800000, 1 << 17
        subprocess.run([options.program, "sweep", path, "mov.b32.swept", hex(first), str(count), "--driver", options.driver], check=True)
        wrong = array.array("I", path.read_bytes()) != array.array("I", range(first, first + count))
        if wrong:
            print("a sweep of mov is not its inputs")
        return wrong

    def differs_from_model(engine):
        """The model is that of an H200's dense mma."""
        recorded = record(f"h200-{engine}", "--kind", "matrices", HEDDLE_ENGINE=engine, HEDDLE_DEVICE="h200")
        done = subprocess.run([options.program, "model", recorded, "--only", options.only], capture_output=True, text=True)
        *judged, total = done.stdout.splitlines()
        different = [line for line in judged if not line.endswith(": as the model")]
        print("\n".join([*different, total]), flush=True)
        return bool(different)

    jit, interp = (record(engine, HEDDLE_ENGINE=engine) for engine in ENGINES)
    failed = sweep_is_wrong() | differs(jit, interp)
    if "mma" in options.only or not options.only:
        failed |= any([differs_from_model(engine) for engine in ENGINES])
    recordings = sorted(RECORDINGS.glob("*.golden"))
    for recording in recordings:
        failed |= differs(recording, jit)
    if not recordings:
        print(f"there is no recording of a GPU in {RECORDINGS} (tools/golden/README.md)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
