# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GCC's tools for nvptx in the packages of Debian and Ubuntu: their paths, and functions that build with them.

The packages have no complete C compiler for nvptx, only the back end that turns GCC's intermediate code (LTO)
into PTX, for offloading. To build a whole program for nvptx, the host's compiler produces
that intermediate code, with everything marked `declare target`, and the back end links it as a program.
"""

import glob
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

PACKAGES = "gcc-offload-nvptx nvptx-tools"
BIN = Path("/usr/bin")


class BuildError(Exception):
    """The output of the tool that failed."""


def tool_path():
    """PATH without folders that have a ptxas: nvptx-none-as calls it, and a new ptxas does not know sm_35."""
    folders = os.environ.get("PATH", "/usr/bin:/bin").split(":")
    return ":".join(folder for folder in folders if not os.path.exists(f"{folder}/ptxas"))


def run(command, **options):
    """subprocess.run with captured text; bytes that are not UTF-8 are shown as escapes."""
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          errors="backslashreplace", **options)


@dataclass
class Toolchain:
    host: Path    # gcc-NN
    accel: Path   # x86_64-linux-gnu-accel-nvptx-none-gcc-NN
    runner: Path  # nvptx-none-run

    @property
    def version(self):
        return self.host.name.rsplit("-", 1)[1]

    @property
    def source_package(self):
        """The package with the torture tests."""
        return f"gcc-{self.version}-source"

    def build(self, command, timeout=120):
        try:
            result = run(command, env=dict(os.environ, PATH=tool_path()), timeout=timeout)
        except subprocess.TimeoutExpired as error:
            raise BuildError(f"{command[0]}: no end within {timeout} s") from error
        if result.returncode:
            raise BuildError(" ".join(map(str, command)) + "\n" + result.stdout + result.stderr)

    def build_offloading(self, source, out, options):
        self.build([self.host, "-O2", *options, "-foffload=nvptx-none", source, "-o", out, "-lm"])

    def build_standalone(self, source, out, options=(), level="-O2"):
        """`out`: a program for nvptx-none-run."""
        wrapped, code = out.with_suffix(".w.c"), out.with_suffix(".o")
        wrapped.write_text(f'#pragma omp declare target\n#include "{source.resolve()}"\n'
                           "#pragma omp end declare target\n")
        self.build([self.host, level, "-w", *options, "-fopenmp", "-foffload=nvptx-none", "-c", wrapped,
                    "-o", code])
        self.build([self.accel, level, "-w", *options, "-mmainkernel", "-xlto", code,
                    "-foffload-abi=lp64", "-o", out, "-lm"])


def find():
    """The newest GCC that has front end and back end, and nvptx-none-run; or None and the missing program."""
    accels = {int(re.search(r"(\d+)$", path).group(1)): Path(path)
              for path in glob.glob(str(BIN / "*-accel-nvptx-none-gcc-*"))}
    versions = [version for version in sorted(accels, reverse=True) if (BIN / f"gcc-{version}").exists()]
    runner = shutil.which("nvptx-none-run")
    if not versions or not runner:
        return None, f"GCC's offloading to nvptx is not installed ({PACKAGES})"
    return Toolchain(BIN / f"gcc-{versions[0]}", accels[versions[0]], Path(runner)), None


if __name__ == "__main__":
    found, why = find()
    print(found.source_package if found else why)
