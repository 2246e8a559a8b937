#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""streams_test.py HEDDLE: invalid files, unwritable streams, numbers out of range, for every command and option.

In each case heddle must end with one of its exit statuses, and print the reason in one line. The tables
below must name every command and every option that the program's help lists.
"""

import gzip
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HEDDLE = ""  # set in main
ROOT = Path(__file__).resolve().parents[2]
SAXPY = str(ROOT / "examples" / "saxpy.ptx")
BROKEN = str(ROOT / "examples" / "broken.ptx")
LONGEST_MESSAGE = 500  # bytes of the message about one wrong word

RUN = ["run", SAXPY, "--grid", "1", "--block", "32", "4", "1", "f32[4]", "f32[4]"]

# Commands that print to the standard output.
PRINTING = [
    ["check", BROKEN], ["check", BROKEN, "--format", "json"], ["check", BROKEN, "--format", "sarif"],
    ["check", SAXPY, "--format", "json"], ["check", SAXPY, "--dump", "ir"], ["check", "--link", BROKEN, SAXPY],
    ["explain"], ["explain", "P2010"], ["isa"], ["isa", "add"], ["isa", "--markdown"], ["devices"], ["env"],
    ["fmt", "-"], [*RUN, "--dump", "2"], [*RUN, "--dump", "2:1", "--dump", "3"], ["help"], ["help", "run"], ["check", "--help"],
    ["env", "--format", "json"], ["--version"],
]
JIT = [["jit", SAXPY], ["jit", SAXPY, "--dump", "uniform"], ["jit", SAXPY, "--dump", "vector"], ["jit", SAXPY, "--dump", "asm"],
       ["jit", SAXPY, "--time", "1"], ["jit", "--print-passes"], ["jit", SAXPY, "--print-after", "all"]]
# Commands that print to the standard error, with their exit status when that output is read.
COMPLAINING = [
    ([], 2), (["weave"], 2), (["check"], 2), (["check", "/nonexistent"], 2), (["explain", "P9999"], 2), (["isa", "frobnicate"], 2),
    (["fmt", "-"], 1), (["run", BROKEN, "--grid", "1", "--block", "1"], 1), (["run", SAXPY], 2), (["jit", BROKEN], 1),
    (["exec", "--", "/nonexistent"], 127), (["exec"], 2),
]

# Numbers: the command line before the number, and after it.
WHOLE = ["", "abc", "-1", "1.5", "1e3", "0x10", "0b1", "010 ", " 1", "+1", "1 ", "1'000", "99999999999999999999", "nan", "inf"]
NUMBERS = {
    ("run", "--grid"): [*WHOLE, "0", "4294967296", "1,", ",1", "1,1,1,1", "1,0"],
    ("run", "--block"): [*WHOLE, "0", "4294967296", "1,", ",1", "1,1,1,1", "1,0"],
    ("run", "--cluster"): [*(word for word in WHOLE if word), "0", "4294967296", "1,1,1,1"],
    ("run", "--shared"): [*WHOLE, "4294967296"],
    ("run", "--time-limit"): ["abc", "-1", "0", "nan", "inf", "1e10", "1e999", "1e-30", "1s", " 1", "0x1p3", "1,5"],
    ("run", "--dump"): [*WHOLE, "2:", "2:x", "2:-1", ":1", "4294967296", "9"],
    ("run", "--save"): [*(f"{word}=x.npy" for word in WHOLE), "2", "2=", "=x.npy", "9=x.npy"],
    ("run", "--schedule"): ["seed:", "seed:x", "seed:-1", "seed:99999999999999999999", "slow", "seed:1x"],
    ("run", "ARG"): ["f32[]", "f32[0]", "f32[-1]", "f32[x]", "f32[99999999999999999999]", "f32[1099511627777]", "f32[4", "f32[4]x",
                     "f32[4]=", "f32[4]=rand:", "f32[4]=rand:-1", "f32[4]=1e999x", "@", "bytes:0", "bytes:xy", "["],
    ("jit", "--block"): [*WHOLE, "0", "4294967296", "1,1,1,1"],
    ("jit", "--time"): [*(word for word in WHOLE if word), "0", "1000001"],
}
# Words: options that accept one of a few words.
WORDS = {
    ("check", "--format"): ["", "xml", "JSON "], ("env", "--format"): ["", "xml"], ("info", "--format"): ["", "xml"],
    ("check", "--dump"): ["", "tree"], ("jit", "--dump"): ["", "ir"],
    ("jit", "--entry"): ["nosuch"], ("run", "--entry"): ["nosuch"], ("run", "--link"): ["/nonexistent", "/"],
    ("run", "--membermask"): ["", "lax", "GPU"], ("jit", "--cpu"): ["nosuch", "X86-64", "generic "],
    ("jit", "--print-after"): ["nosuch", "lower,nosuch"], ("jit", "--passes"): ["nosuch", "promote,all", "lower "],
}
FLAGS = {
    "check": ["--link", "--strict"], "devices": [], "env": [], "exec": [], "explain": [], "fmt": ["--check"], "info": ["--ptx"],
    "isa": ["--markdown"],
    "jit": ["--print-passes"],
    "run": ["--cooperative", "--no-contract", "--time"],
    "smi": ["--format", "--help-query-gpu", "--list-gpus", "--query", "--query-gpu"],  # cli_test.py has their values
}
TOOLS = {"ptxas", "nvlink", "fatbinary", "cuobjdump"}  # tools_test.py has their options
# Commands that read a file: the words before and after its name.
READING = {
    "check": (["check"], []), "check json": (["check", "--format", "json"], []), "check sarif": (["check", "--format", "sarif"], []),
    "check --link": (["check", "--link", SAXPY], []), "check --dump": (["check", "--dump", "ir"], []), "fmt": (["fmt"], []),
    "fmt --check": (["fmt", "--check"], []), "jit": (["jit"], []), "run": (["run"], ["--grid", "1", "--block", "1"]),
    "run --link": ([*RUN, "--link"], []),
}


def run(args, stdin=b"", preexec=None, **streams):
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.run([HEDDLE, *args], input=stdin, timeout=120, check=False, preexec_fn=preexec,
                          env={**os.environ, "HEDDLE_DEVICE": "", "HEDDLE_CACHE": "0"}, **streams)


class Streams(unittest.TestCase):
    def has_jit(self):
        return run(JIT[0]).returncode == 0

    def printing(self):
        return PRINTING + (JIT if self.has_jit() else [])

    def test_output_that_is_lost_is_an_error(self):
        for args in self.printing():
            with self.subTest(args=args), open("/dev/full", "wb") as full:
                self.assertIn(run(args, stdin=b".version 8.0\n").returncode, (0, 1))
                done = run(args, stdin=b".version 8.0\n", stdout=full)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(b"heddle: cannot write to the standard output: No space left on device\n", done.stderr)

    def test_nobody_reads_the_messages(self):
        for args, status in COMPLAINING:
            with self.subTest(args=args), open("/dev/full", "wb") as full:
                self.assertEqual(run(args, stdin=b"mistake").returncode, status)
                self.assertEqual(run(args, stdin=b"mistake", stderr=full).returncode, status)
        for args in self.printing():
            with self.subTest(args=args), open("/dev/full", "wb") as full:
                self.assertIn(run(args, stderr=full).returncode, (0, 1, 2))
        with open("/dev/full", "wb") as full:  # the output is lost
            self.assertEqual(run([*RUN, "--time"], stderr=full).returncode, 2)

    def test_streams_that_are_closed(self):
        for number in range(3):
            for args in [["check", BROKEN], ["check", "-"], ["isa", "add"], [*RUN, "--dump", "2"], ["fmt", "-"], ["weave"]]:
                with self.subTest(args=args, closed=number):
                    done = run(args, stdin=b".version 8.0\n", preexec=lambda number=number: os.close(number))
                    self.assertIn(done.returncode, (0, 1, 2))
                    if number == 1 and args[0] != "weave":
                        self.assertEqual(done.returncode, 2)

    def test_what_is_printed_stays_out_of_the_files(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "x.npy"
            done = run([*RUN, "--dump", "2", "--save", f"3={file}"], preexec=lambda: os.close(1))
            self.assertEqual(done.returncode, 2)
            self.assertTrue(file.read_bytes().startswith(b"\x93NUMPY"))

    def test_files_that_take_nothing(self):
        for file, why in [("/dev/full", "No space left"), ("/", "Is a directory"), ("/nonexistent/x.npy", "No such file")]:
            with self.subTest(file=file):
                done = run([*RUN, "--save", f"3={file}"])
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"{file}: {why}", done.stderr.decode())

    def test_fmt_replaces_only_files(self):
        with tempfile.TemporaryDirectory() as folder:
            link = Path(folder) / "full.ptx"
            link.symlink_to("/dev/null")
            self.assertEqual(run(["fmt", str(link)]).returncode, 0)  # the file is empty: it is not changed
            self.assertTrue(Path("/dev/null").is_char_device())


class Files(unittest.TestCase):
    def refused(self, name, file, *said, stdin=b"", limited=False):
        before, behind = READING[name]
        command = [HEDDLE, *before, file, *behind]
        if limited:
            command = ["sh", "-c", 'ulimit -v 1500000; exec "$@"', "sh", *command]
        done = subprocess.run(command, input=stdin, capture_output=True, timeout=120, check=False)
        err = done.stderr.decode()
        self.assertEqual(done.returncode, 2, err)
        for part in said:
            self.assertIn(part, err)
        self.assertLess(len(err), LONGEST_MESSAGE)

    def test_no_end(self):
        for name in READING:
            with self.subTest(name=name):
                # Commands that run kernels reserve more addresses than this limit allows.
                limited = name.split()[0] in ("check", "fmt") and "asan" not in HEDDLE
                self.refused(name, "/dev/zero", "heddle: cannot read /dev/zero: more than 268435456 bytes", limited=limited)

    def test_no_file(self):
        for name in READING:
            with self.subTest(name=name):
                self.refused(name, "/nonexistent", "cannot read /nonexistent: No such file or directory")
                self.refused(name, "/", "cannot read /: Is a directory")

    def test_too_large(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "large.ptx"
            with file.open("wb") as large:
                large.truncate(1 << 40)
            for name in READING:
                with self.subTest(name=name):
                    self.refused(name, str(file), "large.ptx: more than 4294967280 bytes")

    def test_no_memory(self):
        if "asan" in HEDDLE or "tsan" in HEDDLE:
            self.skipTest("sanitizers reserve more addresses than the limit leaves")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "long.ptx"
            line = "add.u32 %r1, %r1, %r2;\n"
            file.write_text(f".version 8.0\n.target sm_80\n.entry k() {{ .reg .u32 %r<4>;\n{line * 1_000_000}}}\n", encoding="ascii")
            for megabytes in (70, 100, 130, 160):
                with self.subTest(megabytes=megabytes):
                    done = subprocess.run(["sh", "-c", f'ulimit -v {megabytes * 1000}; exec "$0" "$@"', HEDDLE, "check", file],
                                          capture_output=True, timeout=120, check=False)
                    if done.returncode != 0:
                        self.assertEqual((done.returncode, done.stderr), (2, b"heddle: out of memory\n"))

    def test_what_is_no_text_is_named(self):
        elf = Path(HEDDLE).read_bytes()[:4096]
        cubin = elf[:18] + (190).to_bytes(2, "little") + elf[20:]
        relocatable = elf[:16] + (1).to_bytes(2, "little") + elf[18:]
        kinds = [
            (elf, "an ELF file, not PTX text; `heddle exec -- "), (cubin, "a cubin: machine code for a GPU, not PTX text"),
            (relocatable, "an ELF object file, not PTX text; `cuobjdump -ptx "),
            (b"\x50\xed\x55\xba\x01\x00\x10\x00", "a CUDA fatbin, not PTX text"), (b"!<arch>\nx", "an archive of object files"),
            (gzip.compress(b".version 8.0\n"), "a gzip file, not PTX text; `zcat "), (b"BC\xc0\xde5", "LLVM bitcode"),
            (b"\x28\xb5\x2f\xfd\0", "a zstd file"), (b"PK\x03\x04", "a zip file"), ("é.version".encode("utf-16"), "UTF-16 text"),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary data, not PTX text"), (b"\0\0\1", "binary data"),
        ]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "app"
            for content, said in kinds:
                file.write_bytes(content)
                for name in READING:
                    with self.subTest(name=name, said=said):
                        self.refused(name, str(file), f"{file} is {said}")
            self.refused("check", "-", "the standard input is a gzip file, not PTX text\n", stdin=gzip.compress(b"x"))
            file.write_bytes(b".version 8.0\n.target sm_80\n\0")  # as a string literal leaves it
            self.assertEqual(run(["check", str(file)]).returncode, run(["check", "-"], stdin=file.read_bytes()).returncode)

    def test_buffers(self):
        for file, said in [("/dev/zero", "more than 268435456 bytes"), ("/", "Is a directory"), ("/nonexistent", "No such file"),
                           ("/dev/null", "/dev/null is not a .npy file")]:
            with self.subTest(file=file):
                done = run([*RUN[:-1], f"@{file}"])
                self.assertEqual(done.returncode, 2)
                self.assertIn(said, done.stderr.decode())


class Numbers(unittest.TestCase):
    @staticmethod
    def command(command, option, word):
        if option == "ARG":
            return [*RUN[:-1], word]
        base = {"run": RUN, "jit": ["jit", SAXPY], "check": ["check", SAXPY], "env": ["env"],
                "info": ["info", SAXPY]}[command]
        if option in base:
            at = base.index(option)
            base = base[:at] + base[at + 2:]
        return [*base, f"{option}={word}"]

    def test_what_is_out_of_range_is_said_in_one_line(self):
        for (command, option), words in {**NUMBERS, **WORDS}.items():
            for word in words:
                with self.subTest(command=command, option=option, word=word):
                    done = run(self.command(command, option, word))
                    out, err = done.stdout.decode(), done.stderr.decode()
                    self.assertEqual((done.returncode, out), (2, ""), err)
                    self.assertLess(len(err), LONGEST_MESSAGE)
                    self.assertTrue(err.startswith("heddle: "), err)
                    if (command, option) in NUMBERS:
                        self.assertIn("argument" if option == "ARG" else option, err)

    def test_every_command_and_option_is_here(self):
        listed = run(["help"]).stdout.decode()
        commands = re.findall(r"^  (\w+) +[A-Z]", listed.split("Subcommands:")[1], re.MULTILINE)
        self.assertEqual(sorted(commands), sorted({*FLAGS, *TOOLS}))
        for command in FLAGS:
            shown = set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", run(["help", command]).stdout.decode(), re.MULTILINE)) - {"--help"}
            known = {option for of, option in {**NUMBERS, **WORDS} if of == command and option != "ARG"} | set(FLAGS[command])
            self.assertEqual(shown, known, command)


if __name__ == "__main__":
    HEDDLE = os.path.abspath(sys.argv.pop(1))
    unittest.main()
