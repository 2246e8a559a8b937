#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the programs of tests/runtime/programs with real compilers and runs them with `heddle exec`.

    programs_test.py --heddle build/release/bin/heddle [--work DIR] [--compiler NAME] [NAME...]

The first comment of a program has the options to build it and the expected results:
    // compiler: NAME...            nvcc; clang, which needs no toolkit: it includes cuda_like.h;
    //                              clang-cuda: clang with the toolkit's headers
    // nvcc: OPTIONS                instead of `-gencode arch=compute_75,code=compute_75`
    // with: FILE                   another source file
        // env: NAME=VALUE              an environment variable of the run
    // expect: LINE                 a line of standard output; all of them, in order
    // error: TEXT                  is in the error output
Exit status: 0 all as expected, 1 not, 77 skipped: no compiler for any of them.
"""

import argparse
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from abi_types import SKIPPED, find_toolkit  # noqa: E402
from annotated_program import AnnotatedProgram  # noqa: E402

PROGRAMS = Path(__file__).resolve().parent / "programs"
PTX_ONLY = "-gencode arch=compute_75,code=compute_75"


class Program(AnnotatedProgram):
    @property
    def compilers(self):
        return " ".join(self.get("compiler")).split()


def fat_binary(ptx, sm):
    """A fat binary with one uncompressed PTX entry, as compilers embed it."""
    text = ptx + b"\0"
    text += b"\0" * (-len(text) % 8)
    entry = struct.pack("<HHIQIIHHIIIQQQ", 1, 0x101, 64, len(text), 0, 0, 0, 6, sm, 0, 0, 0x11, 0, 0)
    return struct.pack("<IHHQ", 0xba55ed50, 1, 16, len(entry) + len(text)) + entry + text


def run(command):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(" ".join(map(str, command)) + "\n" + result.stdout + result.stderr)


def build_with_nvcc(nvcc, program, work, library_folder):
    files = [program.path] + [PROGRAMS / name for name in program.get("with")]
    options = program.get("nvcc") or [PTX_ONLY]
    if not re.search("arch", options[0]):
        options = [options[0], PTX_ONLY]
    runtime = [] if "-cudart" in options[0] else ["-cudart", "shared"]
    out = work / program.name
    run([nvcc, *runtime, *" ".join(options).split(), "-o", out, *files])
    return out


# The steps of clang with a toolkit, without the tool `fatbinary`.
def build_with_clang(clang, program, work, library_folder,
                     headers=("--cuda-path=/nowhere", "-nocudainc", "-nocudalib", "-Xclang",
                              "-target-sdk-version=12.3")):
    common = [clang, "-x", "cuda", program.path, "-O1", "-Wno-unknown-cuda-version", *headers]
    ptx, image, code, out = (work / (program.name + suffix) for suffix in (".ptx", ".fatbin", ".o", ""))
    run([*common, "--cuda-device-only", "--cuda-gpu-arch=sm_75", "-S", "-o", ptx])
    image.write_bytes(fat_binary(ptx.read_bytes(), 75))
    run([*common, "--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", image,
         "-c", "-o", code])
    run([clang, code, "-o", out, "-lstdc++", f"-L{library_folder}", "-l:libcudart.so.13",
         f"-Wl,-rpath-link,{library_folder}"])
    return out


def build_with_clang_cuda(clang, program, work, library_folder):
    # clang 19 includes a header that CUDA 13 no longer has.
    missing = work / "include"
    missing.mkdir(exist_ok=True)
    (missing / "texture_fetch_functions.h").touch()
    toolkit = find_toolkit(None, "cuda_runtime.h")
    return build_with_clang(clang, program, work, library_folder,
                            (f"--cuda-path={toolkit.parent}", f"-I{missing}", f"-I{toolkit}/cccl"))


def check(heddle, program, executable):
    """The difference between a run of the program and its expectations; empty when there is none."""
    environment = dict(os.environ, **dict(pair.split("=", 1) for pair in program.get("env")))
    result = subprocess.run([heddle, "exec", "--", executable], capture_output=True, text=True,
                            timeout=600, env=environment)
    lines = []
    if result.stdout.splitlines() != program.get("expect"):
        lines += ["expected:"] + program.get("expect") + ["printed:"] + result.stdout.splitlines()
    for text in program.get("error"):
        if text not in result.stderr:
            lines.append(f"the error output does not say: {text}")
    if result.returncode:
        lines.append(f"exit status {result.returncode}")
    if lines and result.stderr:
        lines += ["error output:"] + result.stderr.splitlines()
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", type=Path, required=True)
    parser.add_argument("--clang", default=shutil.which("clang-19") or shutil.which("clang"))
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc"))
    parser.add_argument("--compiler", choices=["clang", "clang-cuda", "nvcc"])
    parser.add_argument("--work", type=Path, help="keep what is built here")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    toolkit = find_toolkit(None, "cuda_runtime.h")
    builders = {"nvcc": (args.nvcc, build_with_nvcc), "clang": (args.clang, build_with_clang),
                "clang-cuda": (toolkit and args.clang, build_with_clang_cuda)}
    library_folder = args.heddle.resolve().parent.parent / "lib"

    programs = [Program(path) for path in sorted(PROGRAMS.glob("*.cu"))]
    jobs = [(p, compiler) for p in programs for compiler in p.compilers
            if (not args.names or p.name in args.names) and args.compiler in (None, compiler)]
    unknown = set(args.names) - {p.name for p, _ in jobs}
    if unknown:
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    ran = failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        work = args.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        for program, name in jobs:
            compiler, build = builders[name]
            title = f"{program.name} ({name})"
            if not compiler:
                print(f"{title}: skipped: there is no {name}")
                continue
            ran += 1
            start = time.monotonic()
            try:
                executable = build(compiler, program, work, library_folder)
                built = time.monotonic()
                wrong = check(args.heddle.resolve(), program, executable)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                built, wrong = time.monotonic(), str(error).splitlines()
            failed += bool(wrong)
            print(f"{title}: {'FAILED' if wrong else 'ok'}, built in {built - start:.1f} s, "
                  f"ran {time.monotonic() - built:.1f} s", *wrong, sep="\n    ", flush=True)
    print(f"{ran} programs, {failed} failed")
    return 1 if failed else 0 if ran else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
