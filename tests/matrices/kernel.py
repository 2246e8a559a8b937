# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel that runs a matrix instruction on many tiles, and the files that it reads and writes.

A warp computes the tile with the number of its CTA. Each lane's registers are consecutive in memory, lane by lane and tile
by tile.
"""

import struct
import subprocess
from array import array
from pathlib import Path

from formats import BITS
from layouts import LANES, layout_a, layout_b, layout_c

REGISTER_TYPES = {"f32": "f32", "f64": "f64", "s32": "s32"}
SCALARS = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}


class Operand:
    """The registers of a matrix in an instruction."""

    def __init__(self, op, matrix):
        name = getattr(op, matrix)
        self.layout = {"a": lambda: layout_a(op), "b": lambda: layout_b(op)}.get(matrix, lambda: layout_c(op, name))()
        self.bits, self.shift = op.register_bits(matrix), op.register_shift(matrix)
        self.type = REGISTER_TYPES.get(name, "b32")
        self.register_bytes = 8 if name == "f64" else 4
        self.bytes = len(self.layout) // LANES * self.bits // 8  # of a lane
        self.count = self.bytes // self.register_bytes

    def packed(self, lines, by_column=False):
        """The bytes of a tile; lines[quarter]: rows, or columns."""
        codes = [lines[q][column][row] if by_column else lines[q][row][column] for q, row, column in self.layout]
        if self.shift:
            codes = [code << self.shift for code in codes]
        if self.bits >= 8:
            return array({8: "B", 16: "H", 32: "I", 64: "Q"}[self.bits], codes).tobytes()
        if self.bits == 4:
            return bytes(low | high << 4 for low, high in zip(codes[::2], codes[1::2]))
        return int("".join(map(str, reversed(codes))), 2).to_bytes(len(codes) // 8, "little")

    def unpacked(self, data, op):
        """Rows of codes of each product, from the bytes of a tile."""
        rows = [[[None] * op.n for _ in range(op.m)] for _ in range(op.products)]
        codes = memoryview(data).cast({16: "H", 32: "I", 64: "Q"}[self.bits])
        for (q, row, column), code in zip(self.layout, codes):
            rows[q][row][column] = code
        return rows


def listed(name, count):
    return "{" + ", ".join(f"{name}{i}" for i in range(count)) + "}"


class Kernel:
    def __init__(self, op):
        self.op = op
        self.operands = {matrix: Operand(op, matrix) for matrix in "abcd"}
        self.parameters = ["a", "b", "c", "d"] + ["e"] * op.sparse + (["scale_a", "scale_b", "selectors"] if op.scale else [])

    def text(self):
        op = self.op
        lines = [f".version {op.version}", f".target {op.target}", ".address_size 64", ".entry run("]
        lines.append(",\n".join(f"  .param .u64 p_{name}" for name in self.parameters) + ")\n{")
        lines += [".reg .b32 %lane, %tile, %place;", ".reg .b64 %address;", "mov.u32 %lane, %laneid;", "mov.u32 %tile, %ctaid.x;",
                  "mad.lo.u32 %place, %tile, 32, %lane;"]
        for matrix in "abc":
            lines += self.loaded(matrix, self.operands[matrix])
        d = self.operands["d"]
        lines.append(f".reg .{d.type} d<{d.count}>;")
        arguments = [listed(matrix, self.operands[matrix].count) for matrix in "dabc"]
        if op.sparse:
            lines += self.loaded_word("e")
            arguments += ["e", str(op.selector)]
        if op.scale:
            lines += self.loaded_word("scale_a") + self.loaded_word("scale_b") + self.loaded_selectors()
            a, b = ("{0, 1}", "{0, 3}") if op.immediates else ("{select0, select1}", "{select2, select3}")
            arguments += ["scale_a", a, "scale_b", b]
        lines.append(f"{op.name} {', '.join(arguments)};")
        lines += self.address("d", d.bytes)
        lines += [f"st.{d.type} [%address+{i * d.register_bytes}], d{i};" for i in range(d.count)]
        return "\n".join([*lines, "ret;", "}", ""])

    def address(self, parameter, size):
        return [f"ld.param.u64 %address, [p_{parameter}];", f"mad.wide.u32 %address, %place, {size}, %address;"]

    def loaded(self, name, operand):
        lines = [f".reg .{operand.type} {name}<{operand.count}>;", *self.address(name, operand.bytes)]
        return lines + [f"ld.{operand.type} {name}{i}, [%address+{i * operand.register_bytes}];" for i in range(operand.count)]

    def loaded_word(self, name):
        return [f".reg .b32 {name};", *self.address(name, 4), f"ld.b32 {name}, [%address];"]

    def loaded_selectors(self):
        lines = [".reg .u16 select<4>;", "ld.param.u64 %address, [p_selectors];", "mad.wide.u32 %address, %tile, 8, %address;"]
        return lines + [f"ld.u16 select{i}, [%address+{2 * i}];" for i in range(4)]

    # ---- files

    def written(self, tiles):
        """The bytes of each buffer that the kernel reads."""
        words = lambda name: b"".join(array("I", getattr(tile, name)).tobytes() for tile in tiles)
        yield "a", b"".join(self.operands["a"].packed([case.stored for case in tile.cases]) for tile in tiles)
        yield "b", b"".join(self.operands["b"].packed([case.b for case in tile.cases], by_column=True) for tile in tiles)
        yield "c", b"".join(self.operands["c"].packed([case.c for case in tile.cases]) for tile in tiles)
        if self.op.sparse:
            yield "e", words("metadata")
        if self.op.scale:
            yield "scale_a", words("scale_a")
            yield "scale_b", words("scale_b")
            yield "selectors", b"".join(array("H", tile.selectors).tobytes() for tile in tiles)

    def run(self, heddle, folder, tiles, environment):
        """The rows of D of each tile; or a message."""
        folder = Path(folder)
        arguments = {name: write_npy(folder / f"{name}.npy", data) for name, data in self.written(tiles)}
        size = self.operands["d"].bytes * LANES
        arguments["d"] = f"u32[{size * len(tiles) // 4}]"
        (folder / "kernel.ptx").write_text(self.text())
        done = subprocess.run([heddle, "run", str(folder / "kernel.ptx"), "--grid", str(len(tiles)), "--block", "32", "--save",
                               f"3={folder}/d.npy", *(arguments[name] for name in self.parameters)],
                              capture_output=True, text=True, check=False, env=environment)
        if done.returncode:
            return None, f"exit status {done.returncode}: {done.stderr}"
        data = read_npy(folder / "d.npy")
        return [self.operands["d"].unpacked(data[i:i + size], self.op) for i in range(0, len(data), size)], ""


def write_npy(path, data):
    """As words, in NumPy's format, version 1."""
    header = f"{{'descr': '<u4', 'fortran_order': False, 'shape': ({len(data) // 4},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
    return f"@{path}"


def read_npy(path):
    data = path.read_bytes()
    return data[10 + struct.unpack_from("<H", data, 8)[0]:]
