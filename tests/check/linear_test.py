#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""linear_test.py HEDDLE: the time and the output of a check are linear in the text, for texts with many instances of any construct.

A text has N instances of one construct: modifiers, operands, brackets, names, mistakes. If the work is quadratic, it takes
minutes for N; the limit on CPU time detects that, and is no measure of speed. The output has a limit, too: only the first hundred
mistakes are reported.
"""

import resource
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HEDDLE = ""  # set in main
N = 200_000
CPU_SECONDS = 60
LARGEST_OUTPUT = 300_000  # bytes
MOST_MISTAKES = 202  # a hundred syntax and a hundred semantic errors, and the messages about the limit

HEADER = ".version 8.5\n.target sm_80\n.address_size 64\n"


def body(text, before=""):
    registers = ".reg .pred %p<8>; .reg .u32 %r<9>; .reg .u64 %rd<9>; .reg .f32 %f<9>;\n"
    return f"{HEADER}{before}.visible .entry k()\n{{\n{registers}{text}\nret;\n}}\n"


def each(text, count, between=""):
    """`text` with # replaced by 0, 1, 2..."""
    return between.join(text.replace("#", str(i)) for i in range(count))


FUNCTIONS = HEADER + each(".func f#(.reg .u32 a) { ret; }\n", N // 2)
TEXTS = {
    # one statement
    "a modifier": body(f"add{'.u32' * N} %r1, %r2, %r3;"),
    "modifiers in turn": body(f"add{'.u32.s32' * (N // 2)} %r1, %r2, %r3;"),
    "modifiers of mma": body(f"mma.sync.aligned{'.row.col' * (N // 2)} %r1, %r2, %r3;"),
    "modifiers of ld": body(f"ld{'.global.v2.f32' * (N // 3)} %r1, [%rd1];"),
    "modifiers of cvt": body(f"cvt{'.rn.f32.f64' * (N // 3)} %f1, %f2;"),
    "modifiers of setp": body(f"setp{'.lt.and' * (N // 2)} %p1, %r2, %r3;"),
    "modifiers of wgmma": body(f"wgmma.mma_async{'.sync.aligned' * (N // 2)} %r1;"),
    "modifiers of tcgen05": body(f"tcgen05{'.mma.sp' * (N // 2)} %r1;"),
    "unknown modifiers": body(f"add{'.zzz' * N} %r1, %r2, %r3;"),
    "modifiers apart": body(f"add{' .u32' * N} %r1, %r2, %r3;"),
    "dots": body(f"add{'.' * N} %r1, %r2, %r3;"),
    "dots before a word": f"{HEADER}.entry k() {'.' * N}maxntid 8 {{ ret; }}\n",
    "dots apart": body(f"add{'. ' * N} %r1, %r2, %r3;"),
    "operands": body(f"add.u32 {','.join(['%r1'] * N)};"),
    "undeclared operands": body(f"add.u32 {each('%x#', N, ',')};"),
    "elements": body(f"mov.b64 %rd1, {{{','.join(['%r1'] * N)}}};"),
    "arguments": body(f"call f, ({','.join(['%r1'] * N)});", ".func f(.reg .u32 a) { ret; }\n"),
    "parentheses": body(f"mov.u32 %r1, {'(' * N}1{')' * N};"),
    "open parentheses": body(f"mov.u32 %r1, {'(' * N};"),
    "parentheses of a call": body(f"call f, {'(' * N}%r1{')' * N};", ".func f(.reg .u32 a) { ret; }\n"),
    "brackets": body(f"ld.u32 %r1, {'[' * N}%rd1{']' * N};"),
    "braces of a vector": body(f"mov.u32 %r1, {'{' * N}%r1{'}' * N};"),
    "signs": body(f"mov.u32 %r1, {'-' * N}1;"),
    "terms": body(f"mov.u32 %r1, {'+'.join(['1'] * N)};"),
    "choices": body(f"mov.u32 %r1, {'1?1:' * N}1;"),
    "components": body(f"mov.u32 %r1, %r2{'.x' * N};"),
    "exclamation marks": body(f"@{'!' * N}%p1 ret;"),
    "guards": body("@%p1 " * N),
    "targets": body(f"L: T: .branchtargets {','.join(['L'] * N)};\nbrx.idx %r1, T;"),
    "initial values": f"{HEADER}.global .u32 g[] = {{{','.join(['1'] * N)}}};\n",
    "wrong initial values": f"{HEADER}.global .u32 g[] = {{{','.join(['x'] * N)}}};\n",
    "dimensions": f"{HEADER}.global .u32 g{'[1]' * N};\n",
    "parameters": f"{HEADER}.func f({each('.reg .u32 a#', N, ',')}) {{ ret; }}\n",
    "parameters alike": f"{HEADER}.func f({','.join(['.reg .u32 a'] * N)}) {{ ret; }}\n",
    # one word
    "letters of a name": body(f"add.u32 {'a' * 1_000_000}, %r1, %r2;"),
    "letters of a declared name": body(f".reg .u32 {'a' * 1_000_000}; mov.u32 {'a' * 1_000_000}, {'b' * 1_000_000};"),
    "letters of an opcode": body(f"{'a' * 1_000_000} %r1, %r2;"),
    "letters of a modifier": body(f"add.{'a' * 1_000_000} %r1, %r2;"),
    "letters of a directive": f"{HEADER}.{'a' * 1_000_000} x;\n",
    "letters of a type": f"{HEADER}.global .{'a' * 1_000_000} x;\n",
    "letters of a label": body(f"{'a' * 1_000_000}: bra {'b' * 1_000_000};"),
    "digits": body(f"mov.u32 %r1, {'1' * 1_000_000}; mov.f32 %f1, 0.{'1' * 1_000_000}e-{'1' * 1_000_000};"),
    "digits of a register": body(f".reg .u32 a<5>; mov.u32 a{'1' * 1_000_000}, 1;"),
    "characters of no use": HEADER + "`a" * N,
    "numbers that are none": body("mov.u32 %r1, " + "0x " * N + ";"),
    "line markers that are none": HEADER + "# x\n" * N,
    # a long line
    "instructions on a line": body("add.u32 %r1, %r1, %r2;" * N),
    "mistakes on a line": body("add.u32 %rd1, %r1, %r2;" * N),
    "unknown instructions on a line": body("foo.u32 %r1;" * N),
    "semicolons": body(";" * N),
    # many statements
    "mistakes": body("add.u32 %rd1, %r1, %r2;\n" * N),
    "different mistakes": body(each("add.u3# %r1, %r2;\n", N)),
    "undeclared labels": body(each("L#: bra M#;\n", N)),
    "labels": body(each("L#: bra L#;\n", N)),
    "names like the one misspelt": body(each(".reg .u32 name#x;\n", N) + each("mov.u32 nmae#, 1;\n", N)),
    "blocks in blocks": body("{" * N + "}" * N),
    "blocks with labels in blocks": body("{ L: bra L;\n" * N + "}" * N),
    "open blocks": body("{\n" * N),
    "blocks with registers": body("{ .reg .u32 t1; .reg .b32 t<4>; L: bra L; }\n" * N),
    "registers and families": body(each(".reg .u32 q#;\n", N // 4) + each(".reg .u32 a#b<2>;\n", N // 4)),
    "functions": FUNCTIONS,
    "functions and registers of the module": f".version 2.0\n.target sm_10\n{each('.reg .u32 g#;', N // 4)}"
                                              f"{each('.func f#() { mov.u32 g#, 1; ret; }', N // 4)}",
    "calls": f"{FUNCTIONS}.entry k()\n{{ .reg .u32 a;\n{each('call f#, (a);', N // 2)} ret; }}\n",
    "wrong calls": f"{FUNCTIONS}.entry k()\n{{ .reg .u32 a;\n{each('call f#, (a, a);', N // 2)} ret; }}\n",
    "open functions": HEADER + each(".func f#() {\n", N),
    "functions alike": HEADER + ".func f() { ret; }\n" * N,
    "aliases": HEADER + ".func f() { ret; }\n" + each(".func g#();\n.alias g#, f;\n", N),
    "variables": HEADER + each(".global .u32 g#;\n", N),
    "variables alike": HEADER + ".global .u32 g;\n" * N,
    "versions": ".version 8.5\n" * N,
}


class Linear(unittest.TestCase):
    def check(self, file, *options):
        return subprocess.run([HEDDLE, "check", file, *options], capture_output=True, timeout=600, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS)))

    def test_warnings_on_a_line(self):
        count = N // 4
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "many.ptx"
            file.write_text(HEADER + ".global .u32 g; " + each(".global .u32 g# = g; ", count), encoding="ascii")
            for form, said in [("text", b"warning[P2082]"), ("json", b'"P2082"'), ("sarif", b'"ruleId": "P2082"')]:
                with self.subTest(format=form):
                    done = self.check(file, "--format", form)
                    self.assertEqual(done.returncode, 0, done.stderr[-200:])
                    self.assertEqual(done.stdout.count(said), count)

    def test_each(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "many.ptx"
            for what, text in TEXTS.items():
                with self.subTest(many=what):
                    file.write_text(text, encoding="ascii")
                    done = self.check(file)
                    self.assertIn(done.returncode, (0, 1), done.stderr[-200:])
                    self.assertLess(len(done.stdout), LARGEST_OUTPUT)
                    self.assertLessEqual(done.stdout.count(b": error["), MOST_MISTAKES)


if __name__ == "__main__":
    HEDDLE = sys.argv.pop(1)
    unittest.main()
