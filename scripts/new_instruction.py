#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""new_instruction.py [FOLDER]: adds a made-up instruction to a copy of the tree in FOLDER (default: a temporary one), as
docs/adding-an-instruction.md describes, builds it, and checks, lists, formats, tests and runs it. It adds two files and nothing else."""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

NEW_FILES = {
    "src/isa/frobnicate.isa": """\
# A made-up instruction.
insn frobnicate "Multiply by two and add one, or take it away"
  manual 9.7.1.1
  since ptx 7.0, sm_75
  form frobnicate{.sat}.T  d:T, a:T
    T     u32 s32
    sem   lane frobnicate<T, sat>
    case  u32: 20 -> 41
    case  .sat u32: 0xffffffff -> 0xffffffff
    case  s32: -4 -> -7
""",
    "src/isa/sem/frobnicate.h": """\
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A made-up instruction.
#pragma once

#include "isa/sem/types.h"

namespace heddle::sem {

template <class T, bool kSat>
constexpr T frobnicate(T a) {
  const s64 exact = s64{a} * 2 + 1;
  if (kSat && exact != s64{static_cast<T>(exact)}) return exact < 0 ? T(u32{1} << 31) : static_cast<T>(~T{0});
  return static_cast<T>(exact);
}

}  // namespace heddle::sem
""",
}

KERNEL = """\
.version 7.0
.target sm_75
.address_size 64
.visible .entry kernel(.param .u64 out)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd1;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, 20;
    frobnicate.u32 %r2, %r1;
    st.global.u32 [%rd1], %r2;
    ret;
}
"""


def run(*command, status=0, cwd=None, stdin=""):
    print("$", " ".join(str(part) for part in command), flush=True)
    done = subprocess.run([str(part) for part in command], cwd=cwd, input=stdin, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != status:
        sys.exit(f"{done.stdout}\nexit status {done.returncode}, expected {status}")
    return done.stdout


def expect(text, part):
    if part not in text:
        sys.exit(f"expected {part!r} in:\n{text}")


def check(tree):
    for name in run("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", cwd=ROOT).split("\0"):
        source, target = ROOT / name, tree / name
        if name and source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            target.chmod(source.stat().st_mode)
    for name, text in NEW_FILES.items():
        assert not (tree / name).exists()
        (tree / name).write_text(text)
    build = tree / "build" / "release"
    run("cmake", "--preset", "release", "-DHEDDLE_CPU_LEVELS=", "-DHEDDLE_BENCH=OFF", cwd=tree)
    run("cmake", "--build", build, "--target", "heddle", "heddle_isa_cases", "heddle_form_instances")
    heddle = build / "bin" / "heddle"
    expect(run(heddle, "isa", "frobnicate"), "frobnicate{.sat}.T")
    run(heddle, "check", "-", stdin=KERNEL)
    expect(run(heddle, "check", "-", stdin=KERNEL.replace("frobnicate.u32", "frobnicate.f32"), status=1), "P2006")
    expect(run(heddle, "check", "-", stdin=KERNEL.replace("frobnicate.u32", "frobnicat.u32"), status=1),
           "did you mean 'frobnicate'?")
    expect(run(heddle, "check", "-", stdin=KERNEL.replace(".target sm_75", ".target sm_70"), status=1), "sm_75")
    expect(run(heddle, "fmt", "-", stdin=KERNEL.replace("frobnicate.u32", "frobnicate.u32.sat")), "frobnicate.sat.u32 %r2")
    expect(run(heddle, "run", "-", "--grid", 1, "--block", 1, "u32[1]", "--dump", 0, stdin=KERNEL), "41")
    cases = (build / "gen" / "isa" / "cases.txt").read_text()
    assert cases.count("frobnicate") >= 3
    run(build / "bin" / "heddle_isa_cases", build / "gen" / "isa" / "cases.txt")
    run(build / "bin" / "heddle_form_instances", build / "gen" / "isa" / "form_instances.txt")
    print(f"a made-up instruction took {len(NEW_FILES)} files: {', '.join(NEW_FILES)}")


def main():
    if len(sys.argv) > 1:
        check(Path(sys.argv[1]))
        return
    with tempfile.TemporaryDirectory(prefix="heddle-new-instruction-") as folder:
        check(Path(folder))


if __name__ == "__main__":
    main()
