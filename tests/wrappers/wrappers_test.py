#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which libraries a program gets under `heddle exec`.

    wrappers_test.py HEDDLE FOLDER CLIENT LINKED

FOLDER has the vendor's libraries, stand-ins that say what they were asked.
"""

import os
import subprocess
import sys
import unittest
from pathlib import Path

HEDDLE, FOLDER, CLIENT, LINKED = sys.argv[1:5]
PTX = "PTX: .version 8.0\n// {}\n.target sm_75\n.address_size 64\n.visible .entry k() {{ ret; }}\n\n"


def call(*words, heddle=True, path=None):
    """What the program prints. path: for LD_LIBRARY_PATH."""
    env = {k: v for k, v in os.environ.items() if k not in ("LD_AUDIT", "LD_LIBRARY_PATH", "LD_PRELOAD")}
    if path:
        env["LD_LIBRARY_PATH"] = path
    start = [HEDDLE, "exec", "--"] if heddle else []
    done = subprocess.run([*start, *words], capture_output=True, text=True, env=env, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Nvrtc(unittest.TestCase):
    def outputs(self, library, *options, **how):
        return call(CLIENT, library, *options, **how)

    def test_machine_code_is_a_container(self):
        for library in (f"{FOLDER}/libnvrtc.so.13", f"{FOLDER}/libnvrtc.so.12"):
            self.assertEqual(self.outputs(library, "-arch=sm_90", heddle=False),
                             "version 13.7\ncompile 0\n" + PTX.format("-arch=sm_90") + "CUBIN: machine code\nLTOIR: LTO-IR\n")
            self.assertEqual(self.outputs(library, "-arch=sm_90", "-G"),
                             "version 13.7\ncompile 0\n" + PTX.format("-arch=compute_90 -G") +
                             "CUBIN: a container\nLTOIR: LTO-IR\n")

    def test_lto_ir_is_a_container(self):
        self.assertEqual(self.outputs(f"{FOLDER}/libnvrtc.so.13", "-dlto", "-arch=sm_90"),
                         "version 13.7\ncompile 0\n" + PTX.format("-rdc=true -arch=compute_90") +
                         "CUBIN: machine code\nLTOIR: a container\n")

    def test_ptx_is_the_vendors(self):
        self.assertEqual(self.outputs(f"{FOLDER}/libnvrtc.so.13", "-arch=compute_75"),
                         "version 13.7\ncompile 0\n" + PTX.format("-arch=compute_75") +
                         "CUBIN: machine code\nLTOIR: LTO-IR\n")

    def test_errors_are_the_vendors(self):
        self.assertIn("compile 5\n", self.outputs(f"{FOLDER}/libnvrtc.so.13", "-arch=sm_90", "-wrong"))

    def test_a_bare_name(self):
        self.assertIn("CUBIN: a container\n", self.outputs("libnvrtc.so.13", "-arch=sm_90", path=FOLDER))

    def test_a_program_that_is_linked_with_it(self):
        self.assertEqual(call(LINKED, heddle=False), "13.7 machine code\n")
        self.assertEqual(call(LINKED), "13.7 a container\n")

    def test_no_such_library(self):
        done = subprocess.run([HEDDLE, "exec", "--", CLIENT, "/nowhere/libnvrtc.so.13"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere/libnvrtc.so.13: cannot open shared object file", done.stdout)


class Others(unittest.TestCase):
    def test_nvvm_makes_ptx(self):
        library, options = f"{FOLDER}/libnvvm.so.4", ["-arch=compute_90", "-gen-lto", "-opt=3"]
        self.assertEqual(call(CLIENT, library, *options, heddle=False), "-arch=compute_90\n-gen-lto\n-opt=3\n")
        self.assertEqual(call(CLIENT, library, *options), "-arch=compute_90\n-opt=3\n")

    def test_cupti_has_a_version(self):
        library = f"{FOLDER}/libcupti.so.13"
        self.assertEqual(call(CLIENT, library, heddle=False), "cuptiGetVersion 999 0, cuptiActivityFlushAll 5\n")
        self.assertEqual(call(CLIENT, library), "cuptiGetVersion 0 130000, cuptiActivityFlushAll 5\n")

    def test_the_driver_is_heddles_whatever_the_path(self):
        library = f"{FOLDER}/libcuda.so.1"
        self.assertEqual(call(CLIENT, library, heddle=False), "cuInit 100\n")
        self.assertEqual(call(CLIENT, library), "cuInit 0\n")
        self.assertEqual(call("sh", "-c", f"exec {CLIENT} {library}"), "cuInit 0\n", "children inherit it")

    def test_the_folder_has_all_of_them(self):
        folder = Path(HEDDLE).resolve().parents[1] / "lib"
        self.assertTrue((folder / "libheddle-audit.so").exists())
        self.assertEqual({one.name for one in (folder / "wrappers").iterdir()},
                         {"libnvrtc.so.12", "libnvrtc.so.13", "libnvvm.so.4", "libcupti.so.13"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
