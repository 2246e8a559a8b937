# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of wgmma, with matrices in shared memory: PTX ISA 9.7.15.5.1.2.

A matrix is seen as `lines` rows of A or columns of B, with elements along K.
"""

from array import array

from kernel import COPY, Kernel, listed

SWIZZLE_CODES = {0: 0, 128: 1, 64: 2, 32: 3}
B_AT = 9216  # the byte of shared memory at which the place for B begins

BEGIN = """\
.shared .align 1024 .b8 memory[{bytes}];
.reg .b32 %lane, %tile, %place, %word, %to, %value;
.reg .b64 %address, a_at, b_at;
.reg .pred more, accumulate;
mov.u32 %lane, %tid.x;
mov.u32 %tile, %ctaid.x;
mad.lo.u32 %place, %tile, 128, %lane;
""" + COPY.replace("%begin", "%tile")

DESCRIPTOR = """\
mov.u32 %value, memory;
add.u32 %value, %value, {start};
bfe.u32 %value, %value, 4, 14;
cvt.u64.u32 {matrix}_at, %value;
or.b64 {matrix}_at, {matrix}_at, {bits:#x};"""

MULTIPLY = """\
fence.proxy.async.shared::cta;
bar.sync 0;
wgmma.fence.sync.aligned;
{instruction}
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;"""


def swizzled(address, span):
    """The address of a byte: of its bits 4 to 6, as many as the span has are combined with bits 7 to 9.

    The pattern begins at address 0.
    """
    return address ^ (address >> 3 & {0: 0, 32: 0x10, 64: 0x30, 128: 0x70}[span])


class SharedMatrix:
    """A descriptor, and the byte (bit, for b1) of each element. LBO and SBO are as compact as possible, then padded.

    `base`: the line of eight, of 128 bytes, where the swizzling pattern begins.
    """

    def __init__(self, lines, k, bits, span, transposed, padding, start, base=0):
        self.lines, self.k, self.bits, self.span, self.base = lines, k, bits, span, base if span else 0
        start += self.base * 128
        row_bytes = k * bits // 8
        if not transposed and span:
            self.lbo, self.sbo = 16, 8 * span * (1 + (padding == 1))
            start += padding * 32 % max(32, span - row_bytes + 32)  # the steps along K within a line
            self.offset = lambda r, byte: r % 8 * span + r // 8 * self.sbo + byte
        elif not transposed:
            self.lbo = 128 + 16 * padding
            self.sbo = self.lbo * (row_bytes // 16) + 128 * (padding == 1)
            start += 16 * padding
            self.offset = lambda r, byte: r % 8 * 16 + r // 8 * self.sbo + byte % 16 + byte // 16 * self.lbo
        elif span:
            self.sbo = 8 * span
            self.lbo = self.sbo * (k // 8) + 1024 * (padding == 1)
            self.offset = lambda k, byte: byte % span + byte // span * self.lbo + k % 8 * span + k // 8 * self.sbo
        else:
            self.sbo = 128 + 16 * padding
            self.lbo = self.sbo * (lines * bits // 8 // 16)
            start += 16 * padding
            self.offset = lambda k, byte: byte % 16 + byte // 16 * self.sbo + k % 8 * 16 + k // 8 * self.lbo
        self.start, self.transposed = start, transposed
        self.places = [self.bit(r, k) for r in range(lines) for k in range(self.k)]
        assert len(set(self.places)) == len(self.places)

    def bit(self, r, k):
        outer, inner = (k, r) if self.transposed else (r, k)
        place = inner * self.bits
        return self.swizzled(self.start + self.offset(outer, place // 8)) * 8 + place % 8

    def swizzled(self, address):
        return swizzled(address - self.base * 128, self.span) + self.base * 128

    def descriptor(self):
        """Without the start address, which the kernel adds."""
        return self.lbo >> 4 << 16 | self.sbo >> 4 << 32 | self.base << 49 | SWIZZLE_CODES[self.span] << 62

    def write(self, memory, lines):
        codes = (code for line in lines for code in line)
        for place, code in zip(self.places, codes):
            if self.bits == 1:
                memory[place // 8] |= code << place % 8
            else:
                memory[place // 8:(place + self.bits) // 8] = code.to_bytes(self.bits // 8, "little")


class WgmmaKernel(Kernel):
    """A CTA of four warps computes a tile."""

    def __init__(self, op):
        super().__init__(op)
        w = op.wgmma
        bits = op.register_bits("a")
        self.shared = {"b": SharedMatrix(op.n, op.k, bits, w.swizzle[1], w.transposed[1], w.padding, B_AT, w.base)}
        if not w.a_in_registers:
            self.shared["a"] = SharedMatrix(op.m, op.stored_k, bits, w.swizzle[0], w.transposed[0], w.padding, 0, w.base)
            assert max(self.shared["a"].places) < B_AT * 8
        self.bytes = (max(self.shared["b"].places) // 8 // 512 + 1) * 512
        self.parameters = ["memory"] + ["a"] * w.a_in_registers + ["c", "d"] + ["e"] * op.sparse + ["accumulate"]

    def matrices(self):
        return "acd" if self.op.wgmma.a_in_registers else "cd"

    def body(self):
        op, w, d = self.op, self.op.wgmma, self.operands["d"]
        lines = [BEGIN.format(bytes=self.bytes), *self.loaded("c", self.operands["c"])]
        arguments = [listed("c", d.count)]
        for matrix in "ab":
            if matrix in self.shared:
                shared = self.shared[matrix]
                lines.append(DESCRIPTOR.format(matrix=matrix, start=shared.start, bits=shared.descriptor()))
                arguments.append(f"{matrix}_at")
            else:
                lines += self.loaded("a", self.operands["a"])
                arguments.append(listed("a", 4))
        if op.sparse:
            lines += self.loaded_word("e")
            arguments += ["e", str(op.selector)]
        arguments.append("accumulate")
        if op.d != "s32":
            arguments += ["-1" if negated else "1" for negated in w.negated]
        if op.a in ("f16", "bf16"):
            arguments += [str(int(transposed)) for matrix, transposed in zip("ab", w.transposed) if matrix in self.shared]
        lines += [MULTIPLY.format(instruction=f"{op.name} {', '.join(arguments)};"), *self.address("d", d.bytes)]
        return lines + [f"st.{d.type} [%address+{i * d.register_bytes}], c{i};" for i in range(d.count)]

    def written(self, tiles):
        yield "memory", b"".join(self.image(tile.cases[0].stored) for tile in tiles)
        if self.op.wgmma.a_in_registers:
            yield "a", b"".join(self.operands["a"].packed([tile.cases[0].stored[0]]) for tile in tiles)
        yield "c", b"".join(self.operands["c"].packed([tile.cases[0].stored[2]]) for tile in tiles)
        yield "accumulate", array("I", [tile.accumulate for tile in tiles]).tobytes()
        yield from self.written_words(tiles)

    def image(self, stored):
        memory = bytearray(self.bytes)
        for matrix, shared in self.shared.items():
            shared.write(memory, stored["ab".index(matrix)])
        return bytes(memory)
