# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel that runs a matrix instruction on many tiles, and the files that it reads and writes.

A warp computes the tile with the number of its CTA. Each lane's registers are consecutive in memory, lane by lane and tile
by tile.
"""

import struct
import subprocess
import zlib
from array import array
from pathlib import Path

from formats import BITS
from inputs import IMMEDIATES
from layouts import LANES, layout_a, layout_b, layout_c

REGISTER_TYPES = {"f32": "f32", "f64": "f64", "s32": "s32"}
SCALARS = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}


# The 128 threads of a CTA copy their bytes to shared memory, a word of each at a time, and learn whether D accumulates.
# `%begin` is the number of the CTA whose bytes they are.
COPY = """\
ld.param.u64 %address, [p_memory];
mad.wide.u32 %address, %begin, {bytes}, %address;
mad.wide.u32 %address, %lane, 4, %address;
mov.u32 %to, memory;
mad.lo.u32 %to, %lane, 4, %to;
mov.u32 %word, 0;
COPY:
ld.u32 %value, [%address];
st.shared.u32 [%to], %value;
add.u64 %address, %address, 512;
add.u32 %to, %to, 512;
add.u32 %word, %word, 512;
setp.lt.u32 more, %word, {bytes};
@more bra COPY;
ld.param.u64 %address, [p_accumulate];
mad.wide.u32 %address, %tile, 4, %address;
ld.u32 %value, [%address];
setp.ne.u32 accumulate, %value, 0;"""


class Operand:
    """The place of a matrix of an instruction: registers, and memory with the same elements."""

    def __init__(self, op, matrix):
        name = getattr(op, matrix)
        self.bits, self.shift = op.register_bits(matrix), op.register_shift(matrix)
        self.type = REGISTER_TYPES.get(name, "b32")
        self.register_bytes = 8 if name == "f64" else 4
        self.layout = self.places(op, matrix)
        self.tile_bytes = len(self.layout) * self.bits // 8
        self.bytes = self.tile_bytes // op.lanes  # of a lane
        self.count = self.bytes // self.register_bytes

    def places(self, op, matrix):
        """The number, row and column of each element in memory; None for an element that belongs to no matrix."""
        return layout_a(op) if matrix == "a" else layout_b(op) if matrix == "b" else layout_c(op, getattr(op, matrix))

    def packed(self, lines, by_column=False):
        """The bytes of a tile; lines[number]: rows, or columns."""
        if by_column:
            codes = [lines[q][column][row] for q, row, column in filter(None, self.layout)]
        else:
            codes = [lines[q][row][column] for q, row, column in filter(None, self.layout)]
        if len(codes) < len(self.layout):
            left = iter(codes)
            codes = [next(left) if place else 0 for place in self.layout]
        if self.shift:
            codes = [code << self.shift for code in codes]
        if self.bits >= 8:
            return array({8: "B", 16: "H", 32: "I", 64: "Q"}[self.bits], codes).tobytes()
        if self.bits == 4:
            return bytes(low | high << 4 for low, high in zip(codes[::2], codes[1::2]))
        return int("".join(map(str, reversed(codes))), 2).to_bytes(len(codes) // 8, "little")

    def unpacked(self, data, op):
        """Rows of codes of each product, from the bytes of a tile of C or D."""
        rows = [[[None] * op.n for _ in range(op.m)] for _ in range(op.products)]
        codes = memoryview(data).cast({16: "H", 32: "I", 64: "Q"}[self.bits])
        for place, code in zip(self.layout, codes):
            if place:
                rows[place[0]][place[1]][place[2]] = code
        return rows


def listed(name, count):
    return "{" + ", ".join(f"{name}{i}" for i in range(count)) + "}"


class Kernel:
    operand = Operand

    def matrices(self):
        return "abcd"

    def __init__(self, op):
        self.op = op
        self.operands = {matrix: self.operand(op, matrix) for matrix in self.matrices()}
        self.parameters = ["a", "b", "c", "d"] + ["e"] * op.sparse + (["scale_a", "scale_b", "selectors"] if op.scale else [])

    def text(self):
        op = self.op
        lines = [f".version {op.version}", f".target {op.target}", ".address_size 64", ".entry run("]
        lines.append(",\n".join(f"  .param .u64 p_{name}" for name in self.parameters) + ")\n{")
        return "\n".join([*lines, *self.body(), "ret;", "}", ""])

    def body(self):
        op = self.op
        lines = [".reg .b32 %lane, %tile, %place;", ".reg .b64 %address;", "mov.u32 %lane, %laneid;", "mov.u32 %tile, %ctaid.x;",
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
            selectors = IMMEDIATES if op.immediates else [f"select{i}" for i in range(4)]
            arguments += ["scale_a", "{{{}, {}}}".format(*selectors[:2]), "scale_b", "{{{}, {}}}".format(*selectors[2:])]
        lines.append(f"{op.name} {', '.join(arguments)};")
        lines += self.address("d", d.bytes)
        return lines + [f"st.{d.type} [%address+{i * d.register_bytes}], d{i};" for i in range(d.count)]

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
        yield "a", b"".join(self.operands["a"].packed([case.stored[0] for case in tile.cases]) for tile in tiles)
        yield "b", b"".join(self.operands["b"].packed([case.stored[1] for case in tile.cases], by_column=True) for tile in tiles)
        yield "c", b"".join(self.operands["c"].packed([case.stored[2] for case in tile.cases]) for tile in tiles)
        yield from self.written_words(tiles)

    def written_words(self, tiles):
        words = lambda name: b"".join(array("I", getattr(tile, name)).tobytes() for tile in tiles)
        if self.op.sparse:
            yield "e", words("metadata")
        if self.op.scale:
            yield "scale_a", words("scale_a")
            yield "scale_b", words("scale_b")
            yield "selectors", b"".join(array("H", tile.selectors).tobytes() for tile in tiles)

    def launch(self, tiles):
        return ["--grid", str(tiles), "--block", str(self.op.lanes)]

    def run(self, heddle, folder, tiles, environment):
        """The rows of D of each tile; or a message."""
        folder = Path(folder)
        arguments = {name: write_npy(folder / f"{name}.npy", data) for name, data in self.written(tiles)}
        size = self.operands["d"].tile_bytes
        arguments["d"] = f"u32[{size * len(tiles) // 4}]"
        (folder / "kernel.ptx").write_text(self.text())
        command = [heddle, "run", str(folder / "kernel.ptx"), *self.launch(len(tiles)), "--save", f"{self.parameters.index('d')}={folder}/d.npy", *(arguments[name] for name in self.parameters)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if done.returncode:
            return None, f"exit status {done.returncode}: {done.stderr}"
        data = read_npy(folder / "d.npy")
        return [self.operands["d"].unpacked(data[i:i + size], self.op) for i in range(0, len(data), size)], ""


class InMemory(Operand):
    """A matrix in row-major or column-major order, as wmma.load and wmma.store have it."""

    def places(self, op, matrix):
        self.order = {"a": op.alayout, "b": op.blayout}.get(matrix, "row" if op.alayout == op.blayout else "col")
        rows, columns = {"a": (op.m, op.k), "b": (op.k, op.n)}.get(matrix, (op.m, op.n))
        self.elements = rows * columns
        if self.order == "row":
            lines = [[(0, row, column) for column in range(columns)] for row in range(rows)]
        else:
            lines = [[(0, row, column) for row in range(rows)] for column in range(columns)]
        # A and D of every second instruction have lines that are twice as far apart.
        padding = [None] * len(lines[0]) * (matrix in "ad" and zlib.crc32(op.name.encode()) % 2)
        self.stride = f", {2 * len(padding)}" if padding else ""
        return [place for line in lines for place in line + padding]

    def fragment(self, op, matrix):
        """The number of registers of the opaque fragment: PTX ISA 9.7.14.4.1."""
        return 8 if op.a == "f16" and matrix in "ab" else self.elements * self.bits // 8 // LANES // self.register_bytes


class WmmaKernel(Kernel):
    """Loads with wmma.load, and stores with wmma.store: the fragments stay opaque."""

    operand = InMemory

    def body(self):
        op = self.op
        lines = [".reg .b32 %tile;", ".reg .b64 %address;", "mov.u32 %tile, %ctaid.x;"]
        for matrix in "abc":
            operand = self.operands[matrix]
            count = operand.fragment(op, matrix)
            lines += [f".reg .{operand.type} {matrix}<{count}>;", *self.tile_address(matrix)]
            lines.append(f"wmma.load.{matrix}.sync.aligned.{operand.order}.{op.shape}.{getattr(op, matrix)} "
                         f"{listed(matrix, count)}, [%address]{operand.stride};")
        d = self.operands["d"]
        arguments = [listed(matrix, self.operands[matrix].fragment(op, matrix)) for matrix in "dabc"]
        return lines + [f".reg .{d.type} d<{d.fragment(op, 'd')}>;", f"{op.name} {', '.join(arguments)};",
                        *self.tile_address("d"),
                        f"wmma.store.d.sync.aligned.{d.order}.{op.shape}.{op.d} [%address], {arguments[0]}{d.stride};"]

    def tile_address(self, matrix):
        return [f"ld.param.u64 %address, [p_{matrix}];",
                f"mad.wide.u32 %address, %tile, {self.operands[matrix].tile_bytes}, %address;"]


def write_npy(path, data):
    """As words, in NumPy's format, version 1."""
    header = f"{{'descr': '<u4', 'fortran_order': False, 'shape': ({len(data) // 4},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
    return f"@{path}"


def read_npy(path):
    data = path.read_bytes()
    return data[10 + struct.unpack_from("<H", data, 8)[0]:]
