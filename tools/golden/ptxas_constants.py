#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxas_constants.py: compares Heddle's results of instructions with those of the constant folder of ptxas.

ptxas folds many instructions with constant operands. Each kernel compares the result of an instruction with Heddle's and stores a number
if they differ. When ptxas has folded the instruction, the code of the kernel has no store, or one without a condition; otherwise the
code has a conditional store, and ptxas gives no verdict. So this tests against the vendor's own implementation, without a GPU.

Exit status 1: a difference that ptxas_constants.txt does not explain; 77: there is no ptxas."""

import argparse
import collections
import fnmatch
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADER = ".version 8.8\n.target sm_90a\n.address_size 64\n"
# Results that depend on other threads or on memory are not constant.
NOT_CONSTANT = ["shfl.", "vote.", "match.", "redux.", "diverge.", "atom.", "red.", "movmatrix.", "ldmatrix.", "stmatrix."]
SAME, DIFFERENT, UNKNOWN = "the same", "different", "not computed"


def register(name, bits):
    return f".reg {'.pred' if bits == 1 else f'.b{bits}'} {name};\n"


def comparison(instance, vector):
    """Sets %differs if the instruction does not give the vector's results."""
    inputs, outputs = vector
    text, code = "", instance["code"]
    for name, bits, value in zip("abcd", instance["inputs"], inputs):
        text += register(name, bits)
        text += f"setp.ne.u32 {name}, {value}, 0;\n" if bits == 1 else f"mov.b{bits} {name}, {value:#x};\n"
    for name, bits in zip("xyz", instance["outputs"]):
        text += register(name, bits)
    for name in "abcdxyz":
        code = code.replace(f"${name}", name)
    text += f"{{ {code} }}\n.reg .pred other;\nsetp.ne.u32 %differs, 0, 0;\n"
    for name, bits, value in zip("xyz", instance["outputs"], outputs):
        if bits == 1:
            text += f"xor.pred other, {name}, {'%yes' if value else '%no'};\n"
        else:
            text += f".reg .b{bits} is_{name};\nmov.b{bits} is_{name}, {value:#x};\nsetp.ne.b{bits} other, {name}, is_{name};\n"
        text += "or.pred %differs, %differs, other;\n"
    return text


def kernel(name, bodies):
    """A kernel of these bodies: each sets %differs, and the kernel stores a number when it is true."""
    text = f".visible .entry {name}(.param .u64 out)\n{{\n.reg .b64 %out;\n.reg .pred %differs, %yes, %no;\n"
    text += "ld.param.u64 %out, [out];\nsetp.eq.u32 %yes, 0, 0;\nsetp.ne.u32 %no, 0, 0;\n"
    return text + "".join(f"{{\n{body}@%differs st.global.u32 [%out], 1;\n}}\n" for body in bodies) + "ret;\n}\n"


def code_of(elf):
    """The code of each kernel in an ELF file of 64 bits: the sections .text.NAME."""
    table, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    sections = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    start = sections[names][4]
    found = {}
    for section in sections:
        begin = start + section[0]
        name = elf[begin:elf.index(b"\0", begin)].decode()
        if name.startswith(".text."):
            found[name[len(".text."):]] = elf[section[4]:section[4] + section[5]]
    return found


class Ptxas:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        code = self.compile(kernel("nothing", ["setp.ne.u32 %differs, 0, 0;\n"]) + kernel("stores", ["setp.eq.u32 %differs, 0, 0;\n"]), "known")
        self.nothing, self.stores = code["nothing"], code["stores"]

    def compile(self, text, name):
        """The code of the kernels; None: ptxas refuses it."""
        source, binary = self.folder / f"{name}.ptx", self.folder / f"{name}.cubin"
        source.write_text(HEADER + text)
        done = subprocess.run([self.path, "-arch=sm_90a", "-o", binary, source], capture_output=True, text=True)
        return code_of(binary.read_bytes()) if done.returncode == 0 else None

    def ask(self, number, instance):
        """The verdict of ptxas on each vector."""
        bodies = [comparison(instance, vector) for vector in instance["vectors"]]
        together = self.compile(kernel("all", bodies), number)
        if together is None:
            return None
        if together["all"] == self.nothing:
            return [SAME] * len(bodies)
        alone = self.compile("".join(kernel(f"k{i}", [body]) for i, body in enumerate(bodies)), number)
        verdicts = {self.nothing: SAME, self.stores: DIFFERENT}
        return [verdicts.get(alone[f"k{i}"], UNKNOWN) for i in range(len(bodies))]


def results(program, driver, folder, only):
    """The instances with their vectors, and Heddle's results."""
    recording = folder / "vectors.golden"
    options = ["--only", only, "--vectors"]
    subprocess.run([program, "record", recording, "--kind", "instances", "--driver", driver, *options], check=True,
                   capture_output=True, env=dict(os.environ, HEDDLE_CACHE="0"))
    lines = subprocess.run([program, "results", recording, *options], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in lines.splitlines()]


def explanations(path):
    """(pattern of names, reason) of each line."""
    lines = (line.strip() for line in path.read_text().splitlines())
    return [tuple(line.split(maxsplit=1)) for line in lines if line and not line.startswith("#")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="heddle_golden")
    parser.add_argument("--driver", required=True, help="Heddle's libcuda.so.1")
    parser.add_argument("--ptxas", default=shutil.which("ptxas"))
    parser.add_argument("--only", default="", help="instances whose names hold TEXT")
    options = parser.parse_args()
    if not options.ptxas:
        print("skipped: there is no ptxas")
        return 77
    known = explanations(HERE / "ptxas_constants.txt")
    tally, instances, unexplained = collections.Counter(), collections.Counter(), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asked = [one for one in results(options.program, options.driver, folder, options.only)
                 if not one["name"].startswith(tuple(NOT_CONSTANT))]
        ptxas = Ptxas(options.ptxas, folder)
        with ThreadPoolExecutor(os.cpu_count()) as workers:
            for instance, said in zip(asked, workers.map(lambda pair: ptxas.ask(*pair), enumerate(asked))):
                if said is None:
                    instances["refused"] += 1
                    print(f"{instance['name']}: ptxas refuses it")
                    continue
                count = collections.Counter(said)
                tally += count
                if count[DIFFERENT]:
                    reason = next((why for pattern, why in known if fnmatch.fnmatchcase(instance["name"], pattern)), None)
                    instances["different, for a known reason" if reason else "different"] += 1
                    if not reason:
                        unexplained += 1
                        inputs, outputs = instance["vectors"][said.index(DIFFERENT)]
                        shown = [", ".join(map(hex, values)) for values in (inputs, outputs)]
                        print(f"{instance['name']}: {count[DIFFERENT]} of {len(said)} differ, first {shown[0]} -> {shown[1]}", flush=True)
                else:
                    instances[SAME if count[SAME] == len(said) else "the same where computed" if count[SAME] else UNKNOWN] += 1
    for what, counts in (("instances", instances), ("vectors", tally)):
        print(f"{what}: " + ", ".join(f"{number} {word}" for word, number in counts.most_common()))
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
