#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cli_test.py HEDDLE: real invocations of the program, with the expectation beside each."""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HEDDLE = ""  # set in main
ROOT = Path(__file__).resolve().parents[2]
SAXPY = str(ROOT / "examples" / "saxpy.ptx")

OK, BAD_PTX, USAGE, TRAPPED = 0, 1, 2, 3

HEADER = ".version 8.5\n.target sm_75\n.address_size 64\n"


def kernel(body, params="", name="k", declarations=""):
    registers = ".reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<4>;\n.reg .f64 %fd<4>;\n"
    return f"{declarations}.visible .entry {name}({params})\n{{\n{registers}{body}\nret;\n}}\n"


def module(*kernels):
    return HEADER + "".join(kernels)


def copy_param(kind, register):
    """A kernel that stores its second parameter, of the type `kind`, through the first."""
    return module(kernel(f"ld.param.u64 %rd1, [out];\nld.param.{kind} {register}, [x];\nst.global.{kind} [%rd1], {register};",
                         f".param .u64 out, .param .{kind} x"))


class Case(unittest.TestCase):
    def heddle(self, *args, status=OK, stdin="", env=None):
        """Runs heddle; returns its standard output and standard error."""
        done = subprocess.run([HEDDLE, *args], input=stdin.encode(), capture_output=True, timeout=120,
                              env={**os.environ, "HEDDLE_DEVICE": "", **(env or {})}, check=False)
        out, err = done.stdout.decode(), done.stderr.decode()
        self.assertEqual(done.returncode, status, f"heddle {' '.join(args)}\n{out}\n{err}")
        return out, err

    def run_ptx(self, ptx, *args, status=OK, shape=("--grid", "1", "--block", "1"), env=None):
        return self.heddle("run", "-", *shape, *args, status=status, stdin=ptx, env=env)

    def contains(self, text, *parts):
        for part in parts:
            self.assertIn(part, text)


class Format(Case):
    UGLY = ".version 8.0\n.target sm_75 // t\n\n\n.func f(){ld.u32.global %r1,[%rd1];ret;}\n"
    NEAT = ".version 8.0\n.target sm_75 // t\n\n.func f()\n{\n    ld.global.u32 %r1, [%rd1];\n    ret;\n}\n"

    def test_standard_input_is_printed(self):
        self.assertEqual(self.heddle("fmt", "-", stdin=self.UGLY)[0], self.NEAT)

    def test_files_are_changed_in_place(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.ptx"
            path.write_text(self.UGLY)
            path.chmod(0o640)
            self.heddle("fmt", str(path))
            self.assertEqual(path.read_text(), self.NEAT)
            self.assertEqual(path.stat().st_mode & 0o777, 0o640)
            self.assertEqual(os.listdir(folder), ["a.ptx"])

    def test_check_names_what_is_not_formatted(self):
        with tempfile.TemporaryDirectory() as folder:
            ugly, neat = Path(folder) / "ugly.ptx", Path(folder) / "neat.ptx"
            ugly.write_text(self.UGLY)
            neat.write_text(self.NEAT)
            out, _ = self.heddle("fmt", "--check", str(ugly), str(neat), status=BAD_PTX)
            self.assertEqual(out, f"{ugly}\n")
            self.assertEqual(ugly.read_text(), self.UGLY)
            self.heddle("fmt", "--check", str(neat))

    def test_wrong_ptx_is_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.ptx"
            path.write_text(".version 8.0\n.target sm_75\n.func f( {\n")
            _, err = self.heddle("fmt", str(path), status=BAD_PTX)
            self.contains(err, "error[P1")
            self.assertEqual(path.read_text(), ".version 8.0\n.target sm_75\n.func f( {\n")

    def test_text_for_the_preprocessor_is_refused(self):
        _, err = self.heddle("fmt", "-", stdin="#define N 4\n.version 8.0\n", status=USAGE)
        self.contains(err, "preprocessor")

    def test_a_missing_file(self):
        _, err = self.heddle("fmt", "/nonexistent/a.ptx", status=USAGE)
        self.contains(err, "/nonexistent/a.ptx")


class Check(Case):
    def test_a_good_file_is_silent(self):
        self.assertEqual(self.heddle("check", SAXPY), ("", ""))

    def test_standard_input(self):
        self.heddle("check", "-", stdin=module(kernel("")))
        out, _ = self.heddle("check", "-", stdin=module(kernel("addd.u32 %r1, %r1, %r1;")), status=BAD_PTX)
        self.contains(out, "P2001")

    def test_every_mistake_in_one_run(self):
        out, _ = self.heddle("check", str(ROOT / "examples" / "broken.ptx"), status=BAD_PTX)
        self.assertEqual(out.count("error["), 4, out)
        self.assertNotIn("\x1b", out)
        self.assertTrue(out.endswith("\nfor more about an error: heddle explain P2007 P2010 P2024 P3004\n"), out)

    def test_sarif_is_one_log_for_all_files(self):
        broken = str(ROOT / "examples" / "broken.ptx")
        out, _ = self.heddle("check", "--format", "sarif", SAXPY, broken, broken, status=BAD_PTX)
        (run,) = json.loads(out)["runs"]
        self.assertEqual(len(run["results"]), 8)
        self.assertEqual([rule["id"] for rule in run["tool"]["driver"]["rules"]], ["P2007", "P2010", "P2024", "P3004"])
        self.assertTrue(run["invocations"][0]["executionSuccessful"])
        place = run["results"][0]["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"]["uri"], "file://" + broken)
        self.assertEqual(place["region"], {"startLine": 23, "startColumn": 23, "endLine": 23, "endColumn": 26})
        (run,) = json.loads(self.heddle("check", "--format=sarif", SAXPY)[0])["runs"]
        self.assertEqual(run["results"], [])
        (run,) = json.loads(self.heddle("check", "--format=sarif", "/nonexistent.ptx", status=USAGE)[0])["runs"]
        self.assertFalse(run["invocations"][0]["executionSuccessful"])

    def test_colour_is_for_terminals(self):
        broken = str(ROOT / "examples" / "broken.ptx")
        for env, coloured in [({}, True), ({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False)]:
            for command in ["check", broken], ["explain", "P2010"], ["run", broken, "--grid", "1", "--block", "1"]:
                with self.subTest(env=env, command=command):
                    self.assertEqual(b"\x1b[" in self.on_a_terminal(*command, env=env), coloured)

    def on_a_terminal(self, *args, env):
        try:
            outside, inside = os.openpty()
        except OSError as error:  # a container without /dev/pts
            self.skipTest(f"no pseudo terminal: {error}")
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        with subprocess.Popen([HEDDLE, *args], stdout=inside, stderr=inside, env={**environment, **env}) as process:
            os.close(inside)
            written = b""
            try:
                while block := os.read(outside, 4096):
                    written += block
            except OSError:  # the error of Linux when the other end is closed
                pass
            process.wait(timeout=120)
        os.close(outside)
        return written

    def test_json_is_one_array_for_all_files(self):
        broken = str(ROOT / "examples" / "broken.ptx")
        out, _ = self.heddle("check", "--format", "json", SAXPY, broken, broken, status=BAD_PTX)
        found = json.loads(out)
        self.assertEqual(len(found), 8)
        self.assertEqual({d["severity"] for d in found}, {"error"})
        self.assertEqual(found[0]["file"], broken)
        out, _ = self.heddle("check", "--format=json", SAXPY)
        self.assertEqual(json.loads(out), [])

    def test_a_file_that_is_not_there(self):
        _, err = self.heddle("check", "/nonexistent.ptx", SAXPY, status=USAGE)
        self.contains(err, "/nonexistent.ptx", "No such file")

    def test_dump_of_the_checked_module(self):
        out, _ = self.heddle("check", "--dump=ir", SAXPY)
        self.contains(out, "saxpy", "fma.rn.f32", "st.global.f32")

    def test_usage(self):
        self.heddle("check", status=USAGE)
        self.heddle("check", "--format", "xml", SAXPY, status=USAGE)
        for form in "json", "sarif":
            self.heddle("check", "--format", form, "--dump", "ir", SAXPY, status=USAGE)


class Link(Case):
    MAIN = module(".extern .func (.param .b32 r) pick(.param .b32 x);\n"
                  ".extern .global .align 4 .b32 table[4];\n.weak .global .b32 chosen = 1;\n"
                  ".common .global .b32 merged;\n"
                  ".extern .shared .b32 tile[2];\n",
                  kernel("""
                      ld.param.u64 %rd1, [out];
                      mov.u32 %r1, 2;
                      { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), pick, (a); ld.param.b32 %r2, [b]; }
                      st.global.b32 [%rd1], %r2;
                      ld.global.b32 %r3, [table+8];
                      st.global.b32 [%rd1+4], %r3;
                      ld.global.b32 %r4, [chosen];
                      st.global.b32 [%rd1+8], %r4;
                      ld.global.b32 %r5, [merged+4];
                      st.global.b32 [%rd1+12], %r5;
                      st.shared.b32 [tile+4], 9;
                      ld.shared.b32 %r6, [tile+4];
                      st.global.b32 [%rd1+16], %r6;""", ".param .u64 out"))
    OTHER = HEADER + """
        .visible .global .align 4 .b32 table[4] = {10, 20, 30, 40};
        .visible .global .b32 chosen = 7;
        .common .global .b64 merged;
        .visible .shared .b32 tile[2];
        .visible .func (.param .b32 r) pick(.param .b32 x) {
          .reg .b32 %r<3>;
          ld.param.b32 %r1, [x];
          add.s32 %r2, %r1, 40;
          st.param.b32 [r], %r2;
          ret;
        }
        .visible .global .u64 here = pick;
        """

    def files(self, folder, *texts):
        paths = []
        for number, text in enumerate(texts):
            paths.append(str(Path(folder) / f"{number}.ptx"))
            Path(paths[-1]).write_text(text)
        return paths

    def test_a_program_of_two_files(self):
        with tempfile.TemporaryDirectory() as folder:
            main, other = self.files(folder, self.MAIN, self.OTHER)
            self.heddle("check", "--link", main, other)
            for files in [main, "--link", other], [other, "--link", main]:
                out, _ = self.heddle("run", *files, "--grid=1", "--block=1", "--entry=k", "u32[5]", "--dump=0")
                self.contains(out, "42", "30", "7", "0", "9")

    def test_what_does_not_fit_is_shown_in_both_files(self):
        with tempfile.TemporaryDirectory() as folder:
            main, other = self.files(folder, self.MAIN, self.OTHER.replace(".b32 x", ".b64 x"))
            out, _ = self.heddle("check", "--link", main, other, status=BAD_PTX)
            self.contains(out, "P4004", "'pick'", "0.ptx", "1.ptx", "takes 8 bytes", "takes 4 bytes")
            found = json.loads(self.heddle("check", "--link", "--format=json", main, other, status=BAD_PTX)[0])
            self.assertEqual([(d["code"], d["file"], d["labels"][0]["file"]) for d in found], [("P4004", other, main)])
            self.heddle("run", main, "--link", other, "--grid=1", "--block=1", "u32[5]", status=BAD_PTX)

    def test_undefined(self):
        with tempfile.TemporaryDirectory() as folder:
            main, other = self.files(folder, self.MAIN, HEADER)
            self.heddle("check", main, other)
            out, _ = self.heddle("check", "--link", main, other, status=BAD_PTX)
            self.contains(out, "function 'pick'", "variable 'table'", "variable 'tile'")
            _, err = self.heddle("run", main, "--grid=1", "--block=1", "u32[5]", status=BAD_PTX)
            self.contains(err, "function 'pick'", "'table' is defined here, with zeros")


class Malformed(Case):
    """Typical mistakes of people and compilers: the code, and the place as line:column."""

    CASES = [
        ("P2100", "1:1", ".target sm_75\n.visible .entry k() { ret; }\n"),
        ("P1012", "5:14", HEADER + ".entry k() {\n.reg .b32 %r1\n}\n"),
        ("P1014", None, HEADER + ".entry k() {\nret;\n"),
        ("P2001", "5:1", HEADER + ".entry k() {\nbogus.u32 1;\n}\n"),
        ("P2010", "5:9", HEADER + ".entry k() {\nmov.u32 %r1, 1;\n}\n"),
        ("P2010", "5:5", HEADER + ".entry k() {\nbra NOWHERE;\n}\n"),
        ("P2011", "6:11", HEADER + ".entry k() {\n.reg .b32 %r1;\n.reg .b32 %r1;\n}\n"),
        ("P2020", None, HEADER + ".entry k() {\n.reg .b32 %r1;\nadd.u32 %r1, %r1;\n}\n"),
        ("P2024", "6:29", HEADER + ".entry k() {\n.reg .b64 %a, %b;\nadd.u64 %a, %a, %b; add.u32 %a, %b, %b;\n}\n"),
        ("P2003", "6:4", HEADER + ".entry k() {\n.reg .b32 %r1;\nadd.lo.u32 %r1, %r1, %r1;\n}\n"),
        ("P2034", None, HEADER + ".entry k(.param .u32 x) {\n.reg .b32 %r1;\nld.param.u32 %r1, x;\n}\n"),
        ("P3004", "6:1", HEADER + ".entry k() {\n.reg .b32 %r1;\nredux.sync.add.u32 %r1, %r1, -1;\n}\n"),
        ("P3002", None, ".version 8.5\n.target sm_12345\n.address_size 64\n"),
        ("P3001", None, ".version 0.9\n.target sm_75\n"),
        ("P1001", None, HEADER + ".entry k() { ret; ` }\n"),
        ("P1002", None, HEADER + "/* never closed\n"),
    ]

    def test_each_has_its_code_and_place(self):
        for code, place, text in self.CASES:
            with self.subTest(code=code, text=text):
                out, _ = self.heddle("check", "-", stdin=text, status=BAD_PTX)
                self.assertIn(f"error[{code}]", out)
                if place:
                    self.assertIn(f":{place}: error[{code}]", out)
                _, err = self.heddle("run", "-", "--grid", "1", "--block", "1", stdin=text, status=BAD_PTX)
                self.assertIn(code, err)


class NewerVersions(Case):
    """PTX of a future version: the default device accepts known features, other devices refuse the module."""

    TEXT = ".version 9.5\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n"

    def test_the_default_device_warns(self):
        out, _ = self.heddle("check", "-", stdin=self.TEXT)
        self.assertIn("warning[P3008]", out)
        _, err = self.heddle("run", "-", "--grid", "1", "--block", "1", stdin=self.TEXT)
        self.assertIn("warning[P3008]", err)

    def test_what_is_not_known_is_an_error_at_its_place(self):
        out, _ = self.heddle("check", "-", stdin=self.TEXT.replace("ret;", "new.u32;"), status=BAD_PTX)
        self.assertIn(":4:23: error[P2001]", out)

    def test_strict_and_named_devices_refuse(self):
        out, _ = self.heddle("check", "--strict", "-", stdin=self.TEXT, status=BAD_PTX)
        self.assertIn("1:1: error[P3001]", out)
        for words in (["check", "-"], ["run", "-", "--grid", "1", "--block", "1"]):
            out, err = self.heddle(*words, stdin=self.TEXT, status=BAD_PTX, env={"HEDDLE_DEVICE": "h200"})
            self.assertIn("error[P3001]", out + err)


class Run(Case):
    def test_saxpy(self):
        out, err = self.heddle("run", SAXPY, "--grid", "4", "--block", "256", "1000", "2.5", "f32[1000]=iota", "f32[1000]=1",
                               "--dump", "3:10", "--time")
        self.assertEqual(out, "argument 3: f32[1000]\n  0: 1 3.5 6 8.5 11 13.5 16 18.5\n  8: 21 23.5\n")
        self.assertRegex(err, r"^saxpy: [0-9.]+ ms\n$")

    def test_every_number_form_reaches_the_kernel(self):
        for kind, register, text, shown in [
            ("u32", "%r1", "4294967295", "u32[1]\n  0: 4294967295"),
            ("u32", "%r1", "-1", "u32[1]\n  0: 4294967295"),
            ("s32", "%r1", "-5", "s32[1]\n  0: -5"),
            ("s64", "%rd2", "0x10", "s64[1]\n  0: 16"),
            ("u16", "%h1", "65535", "u16[1]\n  0: 65535"),
            ("s8", "%h1", "-128", "s8[1]\n  0: -128"),
            ("f32", "%f1", "-1.5e3", "f32[1]\n  0: -1500"),
            ("f32", "%f1", "0f3f800000", "f32[1]\n  0: 1"),
            ("f32", "%f1", "inf", "f32[1]\n  0: inf"),
            ("f64", "%fd1", "0d3FF8000000000000", "f64[1]\n  0: 1.5"),
            ("f64", "%fd1", "7", "f64[1]\n  0: 7"),
            ("b32", "%r1", "1.5", "f32[1]\n  0: 1.5"),
        ]:
            with self.subTest(kind=kind, text=text):
                element = shown.split("[")[0]
                out, _ = self.run_ptx(copy_param(kind, register), f"{element}[1]", text, "--dump", "0")
                self.assertEqual(out, f"argument 0: {shown}\n")

    def test_grid_and_block_have_three_dimensions(self):
        body = """ld.param.u64 %rd1, [out];
            mov.u32 %r1, %ctaid.z; mov.u32 %r2, %nctaid.y; mov.u32 %r3, %ctaid.y; mad.lo.u32 %r1, %r1, %r2, %r3;
            mov.u32 %r2, %ntid.z; mov.u32 %r3, %tid.z; mad.lo.u32 %r1, %r1, %r2, %r3;
            mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
            atom.global.add.u32 %r4, [%rd1], 1;"""
        out, _ = self.run_ptx(module(kernel(body, ".param .u64 out")), "u32[12]", "--dump", "0",
                              shape=("--grid", "1,2,3", "--block", "4,1,2"))
        self.assertEqual(out, "argument 0: u32[12]\n   0: 4 4 4 4 4 4 4 4\n   8: 4 4 4 4\n")

    def test_clusters(self):
        body = """ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
            mov.u32 %r1, %cluster_nctarank; mov.u32 %r2, %cluster_ctarank; mad.lo.u32 %r1, %r1, 10, %r2;
            st.global.u32 [%rd1], %r1;"""
        ptx = module(kernel(body, ".param .u64 out")).replace("sm_75", "sm_90")
        for cluster, numbers in [([], "10 10 10 10 10 10"), (["--cluster", "3"], "30 31 32 30 31 32")]:
            out, _ = self.run_ptx(ptx, "u32[6]", "--dump", "0", shape=("--grid", "6", "--block", "1", *cluster))
            self.contains(out, "0: " + numbers)
        named = ptx.replace(".param .u64 out)", ".param .u64 out)\n.reqnctapercluster 2\n")
        for text, cluster, why in [(ptx, "4", "a grid of 6x1x1 CTAs is no whole number of clusters of 4x1x1"),
                                   (ptx, "1,2,1", "no whole number of clusters"),
                                   (ptx, "0", "--cluster"),
                                   (named, "3", ".reqnctapercluster 2x1x1")]:
            _, err = self.run_ptx(text, "u32[6]", status=USAGE,
                                  shape=("--grid", "6", "--block", "1", "--cluster", cluster))
            self.contains(err, why)
        # The host counts clusters.
        named = named.replace(".reqnctapercluster", ".reqntid 1\n.blocksareclusters\n.reqnctapercluster")
        named = named.replace(".version 8.5", ".version 9.0")
        out, _ = self.run_ptx(named, "u32[6]", "--dump", "0", shape=("--grid", "3", "--block", "1"))
        self.contains(out, "0: 20 21 20 21 20 21")

    def test_structs_by_value(self):
        body = "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [s+4];\nst.global.u32 [%rd1], %r1;"
        ptx = module(kernel(body, ".param .u64 out, .param .align 4 .b8 s[8]"))
        out, _ = self.run_ptx(ptx, "u32[1]", "bytes:00000000d2040000", "--dump", "0")
        self.contains(out, "0: 1234")
        _, err = self.run_ptx(ptx, "u32[1]", "7", status=USAGE)
        self.contains(err, "argument 1 (s: .b8[8]): is 8 bytes, write them as bytes:HEX")

    def test_dynamic_shared_memory(self):
        body = """ld.param.u64 %rd1, [out]; mov.u32 %r1, %dynamic_smem_size; st.shared.u32 [buffer+96], %r1;
            ld.shared.u32 %r2, [buffer+96]; st.global.u32 [%rd1], %r2;"""
        ptx = module(kernel(body, ".param .u64 out", declarations=".extern .shared .align 16 .b8 buffer[];\n"))
        out, _ = self.run_ptx(ptx, "u32[1]", "--shared", "100", "--dump", "0")
        self.contains(out, "0: 100")

    def test_contraction_can_be_turned_off(self):
        # (1 + 2^-23)^2 is 1 + 2^-22 when it is rounded, and a little more exactly.
        ptx = module(kernel("""ld.param.u64 %rd1, [out]; mov.f32 %f1, 0f3f800001; mul.f32 %f2, %f1, %f1;
            sub.f32 %f3, %f2, 0f3f800002; st.global.f32 [%rd1], %f3;""", ".param .u64 out"))
        for options, env, expected in (((), {}, "0: 1.4210855e-14"), (("--no-contract",), {}, "0: 0"),
                                       ((), {"HEDDLE_CONTRACT": "0"}, "0: 0")):
            out, _ = self.run_ptx(ptx, "f32[1]", "--dump", "0", *options, env=env)
            self.assertEqual(out.splitlines()[-1].strip(), expected)

    def test_npy_files_in_and_out(self):
        with tempfile.TemporaryDirectory() as folder:
            source, result = Path(folder) / "x.npy", Path(folder) / "y.npy"
            header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }"
            header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
            values = struct.pack("<4f", 1, 2, 3, 4)
            source.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + values)
            self.heddle("run", SAXPY, "--grid", "1", "--block", "32", "4", "10", "f32[4]=1", f"@{source}", "--save", f"3={result}")
            saved = result.read_bytes()
            self.assertEqual(struct.unpack("<4f", saved[-16:]), (11, 12, 13, 14))
            self.assertIn(b"'shape': (2, 2)", saved)
            _, err = self.heddle("run", SAXPY, "--grid", "1", "--block", "32", "4", "1", "f32[4]", f"@{SAXPY}", status=USAGE)
            self.contains(err, "argument 3", f"{SAXPY} is not a .npy file")

    def test_wrong_arguments_are_explained(self):
        for args, message in [
            (["1"], "saxpy takes 4 arguments (saxpy_param_0: .u32, saxpy_param_1: .f32, saxpy_param_2: .u64, "
                    "saxpy_param_3: .u64), 1 was given"),
            (["1.5", "1", "f32[1]", "f32[1]"], "argument 0 (saxpy_param_0: .u32): '1.5' is not a number of type .u32"),
            (["1", "f32[1]", "f32[1]", "f32[1]"], "argument 1 (saxpy_param_1: .f32): cannot hold the address of a buffer"),
            (["4294967296", "1", "f32[1]", "f32[1]"], "'4294967296' does not fit .u32"),
            (["1", "1", "f33[1]", "f32[1]"], "argument 2: 'f33' is not an element type"),
            (["1", "1", "f32[1]", "f32[1]", "--dump", "4"], "--dump: there is no argument 4"),
            (["1", "1", "f32[1]", "f32[1]", "--dump", "0"], "--dump: argument 0 is not a buffer"),
            (["1", "1", "f32[1]", "f32[1]", "--save", "x"], "--save: 'x' is not I=FILE.npy"),
            (["1", "1", "f32[1]", "@/nonexistent.npy"], "cannot read /nonexistent.npy: No such file"),
            (["1", "1", "f32[1]", "f64[1000000000000]"], "argument 3"),
        ]:
            with self.subTest(args=args):
                _, err = self.heddle("run", SAXPY, "--grid", "1", "--block", "1", *args, status=USAGE)
                self.contains(err, message)

    def test_which_kernel(self):
        two = module(kernel("", name="first"), kernel("", name="second"))
        self.run_ptx(two, "--entry", "second")
        _, err = self.run_ptx(two, status=USAGE)
        self.contains(err, "has several kernels, --entry says which: first, second")
        _, err = self.run_ptx(two, "--entry", "third", status=USAGE)
        self.contains(err, "has no kernel 'third'; it has first, second")
        _, err = self.run_ptx(two, "--entry", "secnod", status=USAGE)
        self.contains(err, "has no kernel 'secnod'; did you mean 'second'?")
        many = module(*(kernel("", name=f"k{i}") for i in range(30)))
        _, err = self.run_ptx(many, status=USAGE)
        self.contains(err, "k0, k1, ", ", k19 and 10 more")
        _, err = self.run_ptx(HEADER, status=USAGE)
        self.contains(err, "has no kernel")

    def test_usage(self):
        for args in [[], [SAXPY], [SAXPY, "--grid", "1"], [SAXPY, "--grid", "0", "--block", "1"],
                     [SAXPY, "--grid", "1,1,1,1", "--block", "1"], [SAXPY, "--grid", "1", "--block", "1", "--bogus"],
                     ["/nonexistent.ptx", "--grid", "1", "--block", "1"]]:
            self.heddle("run", *args, status=USAGE)

    def test_a_launch_that_the_device_refuses(self):
        _, err = self.run_ptx(module(kernel("")), status=USAGE, shape=("--grid", "1", "--block", "2000"))
        self.contains(err, "kernel 'k'", "2000", "1024")

    def test_the_device_decides_which_targets_run(self):
        new = module(kernel("")).replace("sm_75", "sm_90a")
        self.run_ptx(new)
        self.run_ptx(new, env={"HEDDLE_DEVICE": "H200"})
        _, err = self.run_ptx(new, env={"HEDDLE_DEVICE": "a100"}, status=USAGE)
        self.contains(err, "sm_90a", "sm_80")
        _, err = self.run_ptx(new, env={"HEDDLE_DEVICE": "abacus"}, status=USAGE)
        self.contains(err, "HEDDLE_DEVICE=abacus: it is one of heddle, ", "a100")

    def test_a_device_of_sm_13_truncates_products(self):
        ptx = str(ROOT / "tests" / "run" / "ptx_1_4" / "42_mad.ptx")
        for device, expected in (("", "0: 1.4210855e-14"), ("h200", "0: 1.4210855e-14"), ("c1060", "0: 0")):
            out, _ = self.heddle("run", ptx, "--grid", "1", "--block", "1", "f32[1]=3", "--dump", "0",
                                     env={"HEDDLE_DEVICE": device})
            self.assertEqual(out.splitlines()[-1].strip(), expected)
        _, err = self.run_ptx(module(kernel("")), env={"HEDDLE_DEVICE": "c1060"}, status=USAGE)
        self.contains(err, "sm_75", "Tesla C1060")


class Traps(Case):
    def test_a_texture_without_memory_is_named(self):
        ptx = module(".global .texref t;\n", kernel("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [t, {%r1}];"))
        _, err = self.run_ptx(ptx, status=TRAPPED)
        self.contains(err, "tex.1d.v4.f32.s32", "no memory is bound to texture 't'")

    def test_an_endless_kernel_is_stopped(self):
        _, err = self.run_ptx(module(kernel("LOOP:\nbra LOOP;")), "--time-limit", "0.2", status=TRAPPED)
        self.contains(err, "time limit exceeded", "kernel: k", "0.2 s")

    def test_a_stray_store_names_everything(self):
        # Exactly one thread of the grid stores, outside of its buffer.
        body = """ld.param.u64 %rd1, [out];
mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 3; @%p1 ret;
mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 37; @%p1 ret;
st.global.u32 [%rd1+4096], %r1;"""
        ptx = module(kernel(body, ".param .u64 out"))
        line = 1 + ptx[:ptx.index("st.global")].count("\n")
        _, err = self.run_ptx(ptx, "u32[16]", status=TRAPPED, shape=("--grid", "8", "--block", "64"))
        self.contains(err, f"<stdin>:{line}: trap: illegal memory access at address 0x", "st.global", "kernel: k",
                      "CTA (3, 0, 0), thread (37, 0, 0)", "4032 bytes after the end of the nearest allocation: 64 bytes at 0x")

    def test_a_null_pointer(self):
        body = "ld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1+8];"
        _, err = self.run_ptx(module(kernel(body, ".param .u64 p")), "0", status=TRAPPED)
        self.contains(err, "illegal memory access at address 0x8")

    def test_a_misaligned_address(self):
        body = "ld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1+2];"
        _, err = self.run_ptx(module(kernel(body, ".param .u64 p")), "u32[4]", status=TRAPPED)
        self.contains(err, "misaligned memory access")

    def test_the_trap_instruction(self):
        _, err = self.run_ptx(module(kernel("trap;")), status=TRAPPED)
        self.contains(err, "trap instruction")


class OnFault(Case):
    """HEDDLE_ON_FAULT=report: the first fault of each instruction is reported, loads read zeros, stores are dropped."""

    # Of 96 threads, threads 32 and above access unallocated memory: the 1024 numbers are one page.
    BEHIND = """
        ld.param.u64 %rd1, [out];
        ld.param.u64 %rd2, [in];
        mov.u32 %r1, %tid.x;
        mul.wide.u32 %rd3, %r1, 4;
        add.u64 %rd1, %rd1, %rd3;
        add.u64 %rd2, %rd2, %rd3;
        add.u64 %rd4, %rd2, 3968;
        """
    PARAMS = ".param .u64 out, .param .u64 in"
    ARGUMENTS = ("u32[96]", "u32[1024]=iota", "--dump=0")

    def report(self, body, *arguments, params=PARAMS, engine="interp", block=96, faults=1, declarations=""):
        text = module(kernel(body, params, declarations=declarations))
        out, err = self.run_ptx(text, *arguments, shape=("--grid", "1", "--block", str(block)),
                                env={"HEDDLE_ON_FAULT": "report", "HEDDLE_ENGINE": engine})
        self.assertEqual(err.count("illegal memory access"), faults, err)
        self.assertEqual(err.count("HEDDLE_ON_FAULT=report"), faults, err)
        lines = [line.split(":")[1] for line in out.splitlines() if line.startswith(" ")]
        return " ".join(lines).split(), err

    def test_loads_read_zeros(self):
        for engine in ("interp", "jit", "auto"):
            found, err = self.report(self.BEHIND + "ld.global.u32 %r2, [%rd4];\nadd.u32 %r2, %r2, 1;\n"
                                     "st.global.u32 [%rd1], %r2;", *self.ARGUMENTS, engine=engine)
            self.assertEqual(found, [str(993 + i) for i in range(32)] + ["1"] * 64, engine)
            self.contains(err, "ld.global.u32", "thread (32, 0, 0)", "the kernel continues")

    def test_a_register_that_is_address_and_result(self):
        found, _ = self.report(self.BEHIND + "ld.global.u32 %rd4, [%rd4];\nst.global.u32 [%rd1], %rd4;",
                               *self.ARGUMENTS)
        self.assertEqual(found, [str(992 + i) for i in range(32)] + ["0"] * 64)

    def test_signs_and_vectors(self):
        found, _ = self.report(self.BEHIND + "ld.global.s8 %r2, [%rd4];\nadd.u64 %rd4, %rd4, %rd3;\n"
                               "ld.global.v2.u32 {%r3, %r4}, [%rd4+-256];\nadd.u32 %r2, %r2, %r4;\n"
                               "st.global.u32 [%rd1], %r2;", *self.ARGUMENTS, faults=2)
        signed = [(992 + i) % 256 - (256 if (992 + i) % 256 > 127 else 0) if i < 32 else 0 for i in range(96)]
        second = [992 - 64 + 2 * i + 1 if i < 48 else 0 for i in range(96)]
        self.assertEqual(found, [str((a + b) % 2**32) for a, b in zip(signed, second)])

    def test_stores_and_reductions_are_dropped(self):
        found, _ = self.report(self.BEHIND + "st.global.u32 [%rd4], 7;\nred.global.add.u32 [%rd4], 1;\n"
                               "atom.global.add.u32 %r2, [%rd4], 1;\nst.global.u32 [%rd1], %r2;",
                               *self.ARGUMENTS, faults=3)
        self.assertEqual(found, ["8"] * 32 + ["0"] * 64)

    def test_null_and_threads_that_part(self):
        found, err = self.report(self.BEHIND + "setp.lt.u32 %p1, %r1, 5;\n@%p1 mov.u64 %rd4, 4;\n"
                                 "mov.u32 %r2, 3;\n@%p1 ld.global.u32 %r2, [%rd4];\n"
                                 "@!%p1 mov.u64 %rd2, 12;\n@%p1 bra L;\nst.u32 [%rd2], %r2;\n"
                                 "L:\nst.global.u32 [%rd1], %r2;", *self.ARGUMENTS, faults=2)
        self.assertEqual(found, ["0"] * 5 + ["3"] * 91)
        self.contains(err, "address 0x4", "address 0xc")

    def test_shared_memory(self):
        found, _ = self.report("mov.u32 %r1, %tid.x;\nmul.lo.u32 %r2, %r1, 4;\nmov.u32 %r3, few;\n"
                               "add.u32 %r3, %r3, %r2;\nst.shared.u32 [%r3], 5;\nld.shared.u32 %r4, [%r3];\n"
                               "ld.param.u64 %rd1, [out];\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd1, %rd1, %rd2;\n"
                               "st.global.u32 [%rd1], %r4;", "u32[32]", "--dump=0", params=".param .u64 out", block=32,
                               faults=2, declarations=".shared .align 4 .b32 few[16];\n")
        self.assertEqual(found, ["5"] * 16 + ["0"] * 16)

    def test_the_source_line_comes_first(self):
        body = ".loc 1 5 3\nmov.u32 %r1, 0;\n.loc 1 7 9\ntrap;"
        for where, ptx in (("before", '.file 1 "/src/k.cu"\n'), ("behind", "")):
            with self.subTest(where=where):
                text = module(kernel(body, declarations=ptx)) + ("" if ptx else '.file 1 "/src/k.cu"\n')
                for engine in ("interp", "jit"):
                    _, err = self.run_ptx(text, status=TRAPPED, env={"HEDDLE_ENGINE": engine})
                    line = 1 + text[:text.index("trap;")].count("\n")
                    self.assertRegex(err, rf"^/src/k\.cu:7: trap: trap instruction\n  instruction: trap\n  PTX: .*:{line}\n")

    def test_text_that_is_not_there(self):
        declared = (".extern .func (.param .b32 n) vprintf(.param .b64 f, .param .b64 a);\n"
                    ".global .align 1 .b8 text[6] = {91, 37, 115, 93, 10, 0};\n.global .u64 far = 4096;\n")
        text = module(kernel("mov.u64 %rd1, text;\nmov.u64 %rd2, far;\ncall (%r1), vprintf, (%rd1, %rd2);",
                             declarations=declared))
        out, err = self.run_ptx(text, env={"HEDDLE_ON_FAULT": "report"})
        self.assertEqual(out, "[]\n")
        self.contains(err, "address 0x1000")

    def test_other_faults_and_other_values(self):
        text = module(kernel(self.BEHIND + "ld.global.u32 %r2, [%rd4+2];", self.PARAMS))
        _, err = self.run_ptx(text, "u32[4]", "u32[1024]", status=TRAPPED, env={"HEDDLE_ON_FAULT": "report"})
        self.contains(err, "misaligned memory access")
        text = module(kernel(self.BEHIND + "ld.global.u32 %r2, [%rd4+4096];", self.PARAMS))
        _, err = self.run_ptx(text, "u32[4]", "u32[1024]", status=TRAPPED, env={"HEDDLE_ON_FAULT": "trap"})
        self.contains(err, "illegal memory access")
        _, err = self.run_ptx(text, "u32[4]", "u32[1024]", status=TRAPPED, env={"HEDDLE_ON_FAULT": "ignore"})
        self.contains(err, "HEDDLE_ON_FAULT=ignore: it is trap or report; using trap")


class Exec(Case):
    def test_libraries_come_first_and_the_status_is_the_programs(self):
        out, _ = self.heddle("exec", "--", "sh", "-c", "echo $LD_LIBRARY_PATH; exit 7", status=7,
                             env={"LD_LIBRARY_PATH": "/elsewhere"})
        first, second = out.strip().split(":")
        self.assertTrue((Path(first) / "libcuda.so.1").exists(), first)
        self.assertEqual(second, "/elsewhere")

    @unittest.skipUnless(shutil.which("gcc"), "needs gcc")
    def test_a_library_with_rpath_gets_heddles_runtime(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        folder = Path(temporary.name)
        (folder / "rt.c").write_text("int cudaDriverGetVersion(int *v) { *v = -1; return 0; }\n")
        (folder / "user.c").write_text("int cudaDriverGetVersion(int *);\n"
                                       "int ask(void) { int v = 0; cudaDriverGetVersion(&v); return v; }\n")
        build = ["gcc", "-shared", "-fPIC"]
        run = lambda *words: subprocess.run(words, check=True, cwd=folder)
        run(*build, "rt.c", "-o", "libcudart.so.13", "-Wl,-soname,libcudart.so.13")
        run(*build, "user.c", "-o", "user.so", "libcudart.so.13", "-Wl,--disable-new-dtags", f"-Wl,-rpath,{folder}")
        ask = f"import ctypes; print(ctypes.CDLL('{folder}/user.so').ask())"
        self.assertEqual(subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True,
                                        check=True).stdout, "-1\n")
        show = 'import os; print(os.environ.get("LD_AUDIT", ""))'
        out, _ = self.heddle("exec", "--", sys.executable, "-c", show, env={"LD_AUDIT": ""})
        if not out.strip():
            self.skipTest("a build with sanitizers")
        out, _ = self.heddle("exec", "--", sys.executable, "-c", ask)
        self.assertGreater(int(out), 12000)

    def test_options_after_the_dashes_are_the_programs(self):
        out, _ = self.heddle("exec", "--", "printf", "%s|", "--help", "-x", "--", "a b")
        self.assertEqual(out, "--help|-x|--|a b|")

    def test_a_program_that_cannot_be_started(self):
        _, err = self.heddle("exec", "--", "/nonexistent", status=127)
        self.contains(err, "cannot run /nonexistent", "No such file")
        self.heddle("exec", "--", "/", status=126)
        self.heddle("exec", status=USAGE)


class Explain(Case):
    def test_codes_in_upper_and_lower_case(self):
        out, _ = self.heddle("explain", "p2010", "P2011")
        self.contains(out, "P2010: '...' is not declared here\n", "\nWrong:\n\n    mov.u32 %count, 1;\n",
                      "\nRight:\n\n    .reg .b32 %count;\n", "\n\nP2011: ")
        self.assertLessEqual(max(map(len, out.splitlines())), 80)

    def test_all_codes(self):
        out, _ = self.heddle("explain")
        self.contains(out, "P1001  ", "\nP2010  '...' is not declared here\n", "\nP4002  ")

    def test_unknown_codes(self):
        for code, answer in [("P2O10", "did you mean 'P2010' or 'P2110'?"), ("2010", "did you mean 'P2010'?"),
                             ("P9999", "`heddle explain` lists all"), ("type", "`heddle explain` lists all")]:
            out, err = self.heddle("explain", "P2010", code, status=USAGE)
            self.assertEqual(out, "")
            self.contains(err, f"there is no diagnostic '{code}'; ", answer)


class Isa(Case):
    def test_one_instruction(self):
        out, _ = self.heddle("isa", "redux")
        self.contains(out, "redux.sync", "9.7.", "sm_80")
        self.assertRegex(out, r"\n[0-9]+ forms of 1 instructions?\n")

    def test_all(self):
        everything, _ = self.heddle("isa")
        self.assertGreater(everything.count("\n"), 600)

    def test_markdown(self):
        out, _ = self.heddle("isa", "add", "--markdown")
        self.contains(out, "\n## add\n\n| form |", "| `add.T d:T, a:T, b:T` | 9.7.1.1 |")

    def test_unknown(self):
        _, err = self.heddle("isa", "frobnicate", status=USAGE)
        self.contains(err, "there is no instruction 'frobnicate'")


class General(Case):
    def test_version_and_help(self):
        out, _ = self.heddle("--version")
        self.assertRegex(out, r"^heddle [0-9]+\.[0-9]+\.[0-9]+ \(PTX ISA 9\.1\)\n$")
        out, _ = self.heddle("--help")
        self.contains(out, "check", "explain", "run", "exec", "isa", "devices")
        out, _ = self.heddle("run", "--help")
        self.contains(out, "bytes:HEX", "--time-limit")

    def test_help_and_version_have_several_spellings(self):
        self.assertEqual(self.heddle("help"), self.heddle("--help"))
        self.assertEqual(self.heddle("help"), self.heddle("help", "help"))
        self.assertEqual(self.heddle("help", "run"), self.heddle("run", "--help"))
        self.assertEqual(self.heddle("-v"), self.heddle("--version"))

    def test_no_or_an_unknown_command(self):
        for args, said in [([], "a command is missing"),
                           (["weave"], "there is no command 'weave'; `heddle help` lists all"),
                           (["chek", "x.ptx"], "there is no command 'chek'; did you mean 'check'?"),
                           (["help", "chek"], "there is no command 'chek'; did you mean 'check'?"),
                           (["hlep"], "did you mean 'help'?"),
                           ([SAXPY], f"there is no command '{SAXPY}'; `heddle check {SAXPY}` checks a file"),
                           (["exec", "ls", "-l"], "-l stands before --; the program's own options stand behind it"),
                           (["check", "--fromat", "json", "x.ptx"], "there is no option --fromat; did you mean '--format'?"),
                           (["run", SAXPY, "--gird", "1"], "there is no option --gird; did you mean '--grid'?"),
                           (["run", SAXPY, "--bogus=7"], "there is no option --bogus\n"),
                           (["devices", "a100"], "the argument 'a100' is one too many"),
                           (["run", SAXPY], "--grid is required\n`heddle help run` says what can be written"),
                           (["isa", "fmaa"], "there is no instruction 'fmaa'; did you mean 'fma'?")]:
            with self.subTest(args=args):
                out, err = self.heddle(*args, status=USAGE)
                self.assertEqual(out, "")
                self.contains(err, said)
                self.assertTrue(err.startswith("heddle: "), err)

    def test_devices(self):
        out, _ = self.heddle("devices", env={"HEDDLE_DEVICE": "A100"})
        self.contains(out, "* a100", "sm_80", "h200", "sm_90a")


class Smi(Case):
    TWO = {"HEDDLE_DEVICE": "h200", "HEDDLE_DEVICES": "2"}
    UUID = "GPU-68656464-6c65-6832-3030-000000005a0"

    def smi(self, *args, **how):
        return self.heddle("smi", *args, env=self.TWO, **how)

    def query(self, fields, form="csv"):
        return self.smi(f"--query-gpu={fields}", f"--format={form}")[0].splitlines()

    def test_lists_devices(self):
        self.assertEqual(self.smi("-L")[0], "".join(f"GPU {i}: NVIDIA H200 (UUID: {self.UUID}{i})\n" for i in range(2)))

    def test_queries(self):
        for form, lines in [
            ("csv", ["index, name, memory.total [MiB], temperature.gpu [C]", "0, NVIDIA H200, 144384 MiB, [N/A]",
                     "1, NVIDIA H200, 144384 MiB, [N/A]"]),
            ("csv,noheader", ["0, NVIDIA H200, 144384 MiB, [N/A]", "1, NVIDIA H200, 144384 MiB, [N/A]"]),
            ("csv,nounits", ["index, name, memory.total, temperature.gpu", "0, NVIDIA H200, 144384, [N/A]",
                             "1, NVIDIA H200, 144384, [N/A]"]),
            ("csv,noheader,nounits", ["0, NVIDIA H200, 144384, [N/A]", "1, NVIDIA H200, 144384, [N/A]"]),
        ]:
            with self.subTest(form):
                self.assertEqual(self.query("index,name,memory.total, temperature.gpu", form), lines)
        self.assertEqual(self.query("gpu_uuid,pci.bus_id,compute_cap,clocks.gr,pcie.link.gen.max,driver_version,count", "csv,noheader")[1],
                         f"{self.UUID}1, 00000000:02:00.0, 9.0, 1980 MHz, 5, 580.00.00, 2")

    def test_every_field_has_a_value(self):
        fields = [line.split()[0] for line in self.smi("--help-query-gpu")[0].splitlines()]
        self.assertGreater(len(fields), 25)
        self.assertEqual([len(line.split(", ")) for line in self.query(",".join(fields))], [len(fields)] * 3)

    def test_everything(self):
        out, _ = self.smi("-q")
        self.contains(out, "CUDA Version                            : 13.0\n", "\nGPU 00000000:02:00.0\n",
                      "    Product Name                        : NVIDIA H200\n", "    Temperature                         : [N/A]\n")

    def test_table(self):
        out, _ = self.smi()
        self.contains(out, "Driver Version: 580.00.00", "CUDA Version: 13.0", self.UUID + "1", "MiB / 144384MiB", "00000000:02:00.0")
        self.assertEqual({len(line) for line in out.splitlines() if line}, {108}, out)

    def test_shows_a_process(self):
        program = ("import ctypes, os, subprocess, sys; cuda = ctypes.CDLL('libcuda.so.1'); context, memory = ctypes.c_void_p(), ctypes.c_void_p();"
                   "assert cuda.cuInit(0) == 0 and cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 1) == 0;"
                   "assert cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(77 << 20)) == 0;"
                   "print(os.getpid(), flush=True); subprocess.run(sys.argv[1:], check=True)")
        out, _ = self.heddle("exec", "--", sys.executable, "-c", program, HEDDLE, "smi", env=self.TWO)
        pid = out.split("\n", 1)[0]
        self.assertRegex(out, rf"\|   1  +{pid}   \S*python\S* +77MiB \|")
        self.assertNotIn(pid, self.smi()[0].split("Processes:")[1].replace("GPU", ""))

    def test_wrong_usage(self):
        for args, message in [
            (["--query-gpu=name"], "--query-gpu needs --format=csv"),
            (["--query-gpu=name", "--format=xml"], "--format: there is no 'xml'; it takes csv,noheader,nounits"),
            (["--query-gpu=nmae", "--format=csv"], "--query-gpu: there is no field 'nmae'; did you mean 'name'?"),
            (["--query-gpu=watts.of.lamp", "--format=csv"], "`heddle smi --help-query-gpu` lists all"),
            (["--format=csv"], "--format goes with --query-gpu"),
        ]:
            with self.subTest(args):
                self.contains(self.smi(*args, status=USAGE)[1], message)
        _, err = self.heddle("smi", "-L", env={"HEDDLE_DEVICE": "gpu"}, status=USAGE)
        self.contains(err, "heddle: no device: ")


class Environment(Case):
    """heddle env, and the page of the documentation that shows the same table."""

    def settings(self, status=OK, **env):
        out, err = self.heddle("env", "--format", "json", status=status, env=env)
        return {setting["name"]: setting for setting in json.loads(out)}, err

    def test_says_the_value_and_where_it_is_from(self):
        for text, value, source in [("", "auto", "default"), ("jit", "jit", "environment")]:
            settings, _ = self.settings(HEDDLE_ENGINE=text)
            self.assertEqual((settings["HEDDLE_ENGINE"]["value"], settings["HEDDLE_ENGINE"]["source"]), (value, source))
            self.assertEqual(settings["HEDDLE_ENGINE"]["default"], "auto")
        out, _ = self.heddle("env", env={"HEDDLE_ENGINE": "jit", "HEDDLE_THREADS": ""})
        self.contains(out, "HEDDLE_ENGINE: jit (from the environment; the default is auto)\n    The engine that runs kernels.",
                      "HEDDLE_THREADS: all processors of the process (the default)\n")

    def test_says_what_is_wrong(self):
        for name, text, value in [("HEDDLE_ENGINE", "gpu", "auto"), ("HEDDLE_DEVICE", "abacus", "no device"),
                                  ("HEDDLE_DEVICES", "0", "no device"), ("HEDDLE_CACHE", "off", "1")]:
            with self.subTest(name):
                settings, _ = self.settings(status=USAGE, **{name: text})
                self.assertEqual((settings[name]["value"], settings[name]["wrong_value"]), (value, text))
                out, _ = self.heddle("env", status=USAGE, env={name: text})
                self.contains(out, f"{name}: {value} (the environment has the wrong value {text})\n")

    def test_names_variables_that_nothing_reads(self):
        _, err = self.settings(HEDDLE_TRHEADS="1", HEDDLE_LOOM="wide")
        self.contains(err, "HEDDLE_TRHEADS is not a variable of Heddle; did you mean 'HEDDLE_THREADS'?", "HEDDLE_LOOM is not a variable of Heddle; ")

    def test_wrong_values_are_told_once(self):
        for command in (["check", SAXPY], ["run", SAXPY, "--grid", "1", "--block", "1", "0", "0", "f32[1]", "f32[1]"]):
            _, err = self.heddle(*command, env={"HEDDLE_THREADS": "two"})
            self.assertEqual(err.count("heddle: HEDDLE_THREADS=two: it is a number from 1 to 1024; using all processors"), 1, err)

    def test_options_go_before_variables(self):
        loop = module(kernel("L:\nbra L;"))
        _, err = self.run_ptx(loop, status=TRAPPED, env={"HEDDLE_TIME_LIMIT": "0.05"})
        self.contains(err, "time limit")
        _, err = self.run_ptx(loop, "--time-limit", "0.05", status=TRAPPED, env={"HEDDLE_TIME_LIMIT": "1000"})
        self.contains(err, "time limit")
        self.run_ptx(loop, "--schedule", "slow", status=USAGE)

    def test_the_page_shows_the_table(self):
        settings, _ = self.settings()
        rows = [f"| `{s['name']}` | {s['values']} | {s['default']} | {s['meaning']} | {s['readers']} |" for s in settings.values()]
        page = (ROOT / "docs" / "environment.md").read_text(encoding="utf-8")
        self.assertEqual(rows, [line for line in page.splitlines() if line.startswith("| `HEDDLE_")],
                         "docs/environment.md shows another table than:\n" + "\n".join(rows))

    def test_only_the_table_is_read(self):
        """No source reads a variable of Heddle but base/config.cpp."""
        for source in sorted((ROOT / "src").rglob("*.cpp")) + sorted((ROOT / "src").rglob("*.h")):
            with self.subTest(source=source):
                self.assertNotRegex(source.read_text(encoding="utf-8"), r'(getenv|envname)\(\s*"HEDDLE_')


if __name__ == "__main__":
    HEDDLE = os.path.abspath(sys.argv.pop(1))
    unittest.main()
