#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""installed_test.py HEDDLE LIBCUDA COMPILER HOSTILE: an installed Heddle finds its own files, for any way to
call it and any contents of the current folder. HOSTILE is a library that prints a message when
it is loaded."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HEDDLE = LIBCUDA = COMPILER = HOSTILE = Path()  # set in main
NAME = "libheddle_jit.so"
MISSING = "kernels are interpreted, not compiled: libheddle_jit.so is not in "

KERNEL = """.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .u64 %a;
    ld.param.u64 %a, [out];
    st.global.u32 [%a], 42;
    ret;
}
"""

# Loads a library by a path, changes the current folder, launches each kernel of the text.
CLIENT = """
import ctypes, os, sys
library, elsewhere, kernels = sys.argv[1], sys.argv[2], sys.argv[3].split(",")
cuda = ctypes.CDLL(library)
def check(result):
    assert result == 0, result
context, module, function, out = (ctypes.c_void_p() for _ in range(4))
check(cuda.cuInit(0))
check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0))
os.chdir(elsewhere)
check(cuda.cuModuleLoadData(ctypes.byref(module), sys.stdin.read().encode()))
check(cuda.cuMemAlloc_v2(ctypes.byref(out), ctypes.c_size_t(4)))
for kernel in kernels:
    check(cuda.cuModuleGetFunction(ctypes.byref(function), module, kernel.encode()))
    params = (ctypes.c_void_p * 1)(ctypes.addressof(out))
    check(cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, params, None))
    check(cuda.cuCtxSynchronize())
print("done")
"""


class Installed(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="heddle-installed-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.prefix = self.folder / "prefix"
        (self.prefix / "bin").mkdir(parents=True)
        (self.prefix / "lib").mkdir()
        shutil.copy(HEDDLE, self.prefix / "bin" / "heddle")
        shutil.copy(LIBCUDA, self.prefix / "lib" / "libcuda.so.1")
        # The hostile library lies in each folder that a search relative to the current folder would find.
        self.current = self.folder / "x" / "bin"
        for place in (self.current, self.folder / "x" / "lib", self.folder / "x"):
            place.mkdir(parents=True, exist_ok=True)
            for name in (NAME, "libcuda.so.1"):
                shutil.copy(HOSTILE, place / name)

    def add_compiler(self):
        if not COMPILER.name:
            self.skipTest("this build has no compiler")
        os.symlink(COMPILER, self.prefix / "lib" / NAME)

    def call(self, *args, env=None, cwd=None, stdin=KERNEL):
        """Runs heddle by name, through PATH."""
        variables = {**os.environ, "PATH": f"{self.prefix / 'bin'}:{os.environ['PATH']}", "HEDDLE_CACHE": "0",
                     "HEDDLE_ENGINE": "jit", "HEDDLE_DEVICE": "", **(env or {})}
        done = subprocess.run(args, cwd=cwd or self.current, env=variables, input=stdin.encode(),
                              capture_output=True, timeout=120, check=False)
        out, err = done.stdout.decode(), done.stderr.decode()
        self.assertNotIn("hostile", out + err)
        self.assertEqual(done.returncode, 0, out + err)
        return out, err

    def run_kernel(self, **how):
        out, err = self.call("heddle", "run", "-", "--grid", "1", "--block", "1", "u32[1]", "--dump", "0", **how)
        self.assertIn("42", out)
        return err

    def client(self, library, *kernels, stdin=KERNEL, **how):
        return self.call(sys.executable, "-c", CLIENT, library, str(self.current), ",".join(kernels), stdin=stdin, **how)

    def test_a_program_found_through_path_compiles(self):
        self.add_compiler()
        self.assertIn("compiled in", self.run_kernel(env={"HEDDLE_TRACE": "jit"}))
        out, _ = self.call("heddle", "jit", "-", "--block", "32")
        self.assertIn("ret", out)

    def test_so_does_one_behind_a_link(self):
        self.add_compiler()
        links = self.folder / "links"
        links.mkdir()
        os.symlink(self.prefix / "bin" / "heddle", links / "heddle")
        self.assertIn("compiled in", self.run_kernel(env={"HEDDLE_TRACE": "jit", "PATH": f"{links}:/usr/bin:/bin"}))

    def test_a_missing_compiler_is_told_of(self):
        self.assertEqual(self.run_kernel().count(MISSING + str(self.prefix / "lib")), 1)
        self.assertNotIn(MISSING, self.run_kernel(env={"HEDDLE_ENGINE": "interp"}))

    def test_exec_finds_the_libraries_of_the_program(self):
        out, _ = self.call("heddle", "exec", "--", "sh", "-c", "echo $LD_LIBRARY_PATH", env={"LD_LIBRARY_PATH": ""})
        self.assertEqual(out.strip(), str(self.prefix / "lib"))

    # A library that was loaded by a relative path, before the current folder changed.
    def test_a_library_loaded_by_a_relative_path_compiles(self):
        self.add_compiler()
        for library, env in (("./libcuda.so.1", {}), ("libcuda.so.1", {"LD_LIBRARY_PATH": "."})):
            with self.subTest(library):
                out, err = self.client(library, "k", cwd=self.prefix / "lib", env={"HEDDLE_TRACE": "jit", **env})
                self.assertEqual(out, "done\n")
                self.assertIn("compiled in", err)

    def test_a_library_without_a_compiler_says_so_once(self):
        two = KERNEL + KERNEL[KERNEL.index(".visible"):].replace(" k(", " l(")
        _, err = self.client("./libcuda.so.1", "k", "l", cwd=self.prefix / "lib", stdin=two)
        self.assertEqual(err.count(MISSING + str(self.prefix / "lib")), 1, err)

    # A cache in a folder whose name is relative to the initial current folder.
    def test_a_relative_cache_stays_where_it_is(self):
        self.add_compiler()
        two = KERNEL + KERNEL[KERNEL.index(".visible"):].replace(" k(", " l(")
        self.client("./libcuda.so.1", "k", "l", cwd=self.prefix / "lib", stdin=two,
                    env={"HEDDLE_CACHE": "1", "HEDDLE_CACHE_DIR": "kept"})
        self.assertEqual(len(list((self.prefix / "lib" / "kept").glob("*.code"))), 2)
        self.assertFalse((self.current / "kept").exists())


if __name__ == "__main__":
    HEDDLE, LIBCUDA, COMPILER, HOSTILE = (Path(sys.argv.pop(1)) for _ in range(4))
    unittest.main()
