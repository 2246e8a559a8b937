#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""new_instruction.py [FOLDER]: adds three made-up instructions to a copy of the tree in FOLDER (default: a temporary one), as
docs/adding-an-instruction.md describes: one of a lane, one of a warp, one that replaces a value in memory. Each takes two
files. Builds the tree, and checks, lists, formats, tests and runs them in both engines."""

import os
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
    "src/isa/spread.isa": """\
# A made-up instruction of a warp.
effect spread  uniform members=m

insn spread "How far the values of the members are apart"
  manual 9.7.13.12
  since ptx 7.0, sm_75
  form spread.sync.T  d:T, a:T, m:u32
    T     u32 s32
    sem   warp spread<T>
""",
    "src/isa/sem/spread.h": """\
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A made-up instruction of a warp.
#pragma once

#include "isa/sem/lanes.h"

namespace heddle::sem {

template <class T>
constexpr void spread(WarpLanes who, const T* a, T* d) {
  T least = a[std::countr_zero(who.members)], most = least;
  for_each_lane(who.members, [&](u32 lane) {
    least = a[lane] < least ? a[lane] : least;
    most = a[lane] > most ? a[lane] : most;
  });
  set_all(who, d, static_cast<T>(most - least));
}

}  // namespace heddle::sem
""",
    "src/isa/twist.isa": """\
# A made-up instruction that replaces a value in memory.
insn twist "Double a value in memory and add to it"
  manual 9.7.13.5
  since ptx 7.0, sm_75
  form twist{.ss}.T  d:sink(T), [full a], b:T
    ss    .global .shared
    T     u32 u64
    sem   memory atom applies twist<T>
""",
    "src/isa/sem/twist.h": """\
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A made-up instruction that replaces a value in memory.
#pragma once

#include "isa/sem/types.h"

namespace heddle::sem {

template <class T>
constexpr T twist(T old, T b) {
  return 2 * old + b;
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

# Each of 64 threads stores how far the values of its warp are apart (3 * 31), and twists a word of shared memory, which is 1 at
# first, and one of global memory, which is 0. After 64 twists all bits of both are ones.
COOPERATIVE = """\
.version 7.0
.target sm_75
.address_size 64
.shared .u32 word;
.visible .entry kernel(.param .u64 out)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    .reg .pred %p;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    mul.lo.u32 %r2, %r1, 3;
    spread.sync.u32 %r3, %r2, -1;
    st.global.u32 [%rd2], %r3;
    setp.eq.u32 %p, %r1, 0;
    @%p st.shared.u32 [word], 1;
    bar.sync 0;
    twist.shared.u32 %r4, [word], 1;
    twist.global.u32 _, [%rd1+256], 1;
    bar.sync 0;
    ld.shared.u32 %r5, [word];
    @%p st.global.u32 [%rd1+260], %r5;
    ret;
}
"""
COOPERATIVE_RESULT = [93] * 64 + [2**32 - 1] * 2


def run(*command, status=0, cwd=None, stdin="", engine="auto"):
    print("$", " ".join(str(part) for part in command), flush=True)
    done = subprocess.run([str(part) for part in command], cwd=cwd, input=stdin, text=True, check=False,
                          env={**os.environ, "HEDDLE_ENGINE": engine}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
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
    run("cmake", "--build", build, "--target", "heddle", "heddle_jit_compiler", "heddle_isa_cases", "heddle_form_instances")
    heddle = build / "bin" / "heddle"
    expect(run(heddle, "isa", "frobnicate"), "frobnicate{.sat}.T")
    run(heddle, "check", "-", stdin=KERNEL)
    expect(run(heddle, "check", "-", stdin=KERNEL.replace("frobnicate.u32", "frobnicate.f32"), status=1), "P2006")
    expect(run(heddle, "check", "-", stdin=KERNEL.replace("frobnicate.u32", "frobnicat.u32"), status=1),
           "did you mean 'frobnicate'?")
    expect(run(heddle, "check", "-", stdin=KERNEL.replace(".target sm_75", ".target sm_70"), status=1), "sm_75")
    expect(run(heddle, "fmt", "-", stdin=KERNEL.replace("frobnicate.u32", "frobnicate.u32.sat")), "frobnicate.sat.u32 %r2")
    expect(run(heddle, "run", "-", "--grid", 1, "--block", 1, "u32[1]", "--dump", 0, stdin=KERNEL), "41")
    for engine in ("interp", "jit"):
        text = run(heddle, "run", "-", "--grid", 1, "--block", 64, "u32[66]", "--dump", 0, stdin=COOPERATIVE, engine=engine)
        rows = [line.split(":")[1] for line in text.splitlines() if not line.startswith("argument")]
        if [int(value) for row in rows for value in row.split()] != COOPERATIVE_RESULT:
            sys.exit(f"{engine}: expected {COOPERATIVE_RESULT} in:\n{text}")
    cases = (build / "gen" / "isa" / "cases.txt").read_text()
    assert cases.count("frobnicate") >= 3
    run(build / "bin" / "heddle_isa_cases", build / "gen" / "isa" / "cases.txt")
    run(build / "bin" / "heddle_form_instances", build / "gen" / "isa" / "form_instances.txt")
    print(f"three made-up instructions took two files each: {', '.join(NEW_FILES)}")


def main():
    if len(sys.argv) > 1:
        check(Path(sys.argv[1]))
        return
    with tempfile.TemporaryDirectory(prefix="heddle-new-instruction-") as folder:
        check(Path(folder))


if __name__ == "__main__":
    main()
