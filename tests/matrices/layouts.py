# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which element of a matrix each register of each lane holds, from the formulas of the manual.

A layout is a list with an entry for element i of lane l at position l * elements + i: the matrix's number (not 0 only for
the four of m8n8k4), its row and its column. The formulas take g = laneid >> 2, t = laneid % 4 and i, as in the manual.
"""

LANES = 32


def by_group(row, column):
    return lambda lane, i: (0, row(lane >> 2, lane % 4, i), column(lane >> 2, lane % 4, i))


def group(g, t, i):
    return g


def at_half(first, second=()):
    """Row g for the elements i in `first` or `second`, else g + 8."""
    return lambda g, t, i: g if i in first or i in second else g + 8


# ---- mma: PTX ISA 9.7.14.5.1 to 9.7.14.5.13. The key is the shape and the bits of an element, f: 64-bit floating point.

MULTIPLICAND_A = {
    ("m8n8k4", 64): by_group(group, lambda g, t, i: t),
    ("m8n8k16", 8): by_group(group, lambda g, t, i: t * 4 + i),
    ("m8n8k32", 4): by_group(group, lambda g, t, i: t * 8 + i),
    ("m8n8k128", 1): by_group(group, lambda g, t, i: t * 32 + i),
    ("m16n8k4", 32): by_group(at_half([0]), lambda g, t, i: t),
    ("m16n8k4", 64): by_group(at_half([0]), lambda g, t, i: t),
    ("m16n8k8", 16): by_group(at_half([0, 1]), lambda g, t, i: t * 2 + (i & 1)),
    ("m16n8k8", 32): by_group(at_half([0, 2]), lambda g, t, i: t if i < 2 else t + 4),
    ("m16n8k8", 64): by_group(at_half([0, 2]), lambda g, t, i: t if i < 2 else t + 4),
    ("m16n8k16", 16): by_group(at_half(range(2), range(4, 6)), lambda g, t, i: t * 2 + (i & 1) + (8 if i >= 4 else 0)),
    ("m16n8k16", 64): by_group(lambda g, t, i: g if i % 2 == 0 else g + 8,
                               lambda g, t, i: (i * 2 if i % 2 == 0 else i * 2 - 2) + t),
    ("m16n8k16", 8): by_group(at_half(range(4)), lambda g, t, i: t * 4 + (i & 3)),
    ("m16n8k32", 4): by_group(at_half(range(8)), lambda g, t, i: t * 8 + (i & 7)),
    ("m16n8k32", 8): by_group(at_half(range(4), range(8, 12)), lambda g, t, i: t * 4 + (i & 3) + (16 if i >= 8 else 0)),
    ("m16n8k64", 4): by_group(at_half(range(8), range(16, 24)), lambda g, t, i: t * 8 + (i & 7) + (32 if i >= 16 else 0)),
    ("m16n8k128", 1): by_group(at_half(range(32)), lambda g, t, i: t * 32 + (i & 31)),
    # The manual has `i` for i < 64, where only `i & 0x1F` fits into the row.
    ("m16n8k256", 1): by_group(at_half(range(32), range(64, 96)), lambda g, t, i: t * 32 + (i & 31) + (128 if i >= 64 else 0)),
}

MULTIPLICAND_B = {
    ("m8n8k4", 64): by_group(lambda g, t, i: t, group),
    ("m8n8k16", 8): by_group(lambda g, t, i: t * 4 + i, group),
    ("m8n8k32", 4): by_group(lambda g, t, i: t * 8 + i, group),
    ("m8n8k128", 1): by_group(lambda g, t, i: t * 32 + i, group),
    ("m16n8k4", 32): by_group(lambda g, t, i: t, group),
    ("m16n8k4", 64): by_group(lambda g, t, i: t, group),
    ("m16n8k8", 16): by_group(lambda g, t, i: t * 2 + i, group),
    ("m16n8k8", 32): by_group(lambda g, t, i: t + 4 * i, group),
    ("m16n8k8", 64): by_group(lambda g, t, i: t + 4 * i, group),
    ("m16n8k16", 16): by_group(lambda g, t, i: t * 2 + (i & 1) + (8 if i >= 2 else 0), group),
    ("m16n8k16", 64): by_group(lambda g, t, i: t + i * 4, group),
    ("m16n8k16", 8): by_group(lambda g, t, i: t * 4 + i, group),
    ("m16n8k32", 4): by_group(lambda g, t, i: t * 8 + i, group),
    ("m16n8k32", 8): by_group(lambda g, t, i: t * 4 + (i & 3) + (16 if i >= 4 else 0), group),
    ("m16n8k64", 4): by_group(lambda g, t, i: t * 8 + (i & 7) + (32 if i >= 8 else 0), group),
    ("m16n8k128", 1): by_group(lambda g, t, i: t * 32 + i, group),
    ("m16n8k256", 1): by_group(lambda g, t, i: t * 32 + (i & 31) + (128 if i >= 32 else 0), group),
    # Of sparse instructions only; the figures of 9.7.14.6.2 have a register for each part of the rows.
    ("m16n8k16", 32): by_group(lambda g, t, i: t + i * 4, group),
    ("m16n8k32", 16): by_group(lambda g, t, i: t * 2 + (i & 1) + 8 * (i >> 1), group),
    ("m16n8k64", 8): by_group(lambda g, t, i: t * 4 + (i & 3) + 16 * (i >> 2), group),
    ("m16n8k128", 4): by_group(lambda g, t, i: t * 8 + (i & 7) + 32 * (i >> 3), group),
}

ACCUMULATOR = {
    8: by_group(group, lambda g, t, i: t * 2 + i),
    16: by_group(at_half([0, 1]), lambda g, t, i: t * 2 + (i & 1)),
}

# ---- mma.sp: PTX ISA 9.7.14.6.2. The columns are those of the stored elements: half of `firstcol` and the place behind it.

SPARSE_A = {
    ("m16n8k16", 16): by_group(at_half([0, 1]), lambda g, t, i: t * 4 // 2 + i % 2),
    ("m16n8k32", 16): by_group(at_half(range(2), range(4, 6)), lambda g, t, i: (t * 4 if i < 4 else t * 4 + 16) // 2 + i % 2),
    ("m16n8k16", 32): by_group(at_half([0, 2]), lambda g, t, i: (t * 2 if i < 2 else t * 2 + 8) // 2),
    ("m16n8k8", 32): by_group(at_half([0]), lambda g, t, i: t * 2 // 2),
    ("m16n8k32", 8): by_group(at_half(range(4)), lambda g, t, i: t * 8 // 2 + i % 4),
    ("m16n8k64", 8): by_group(at_half(range(4), range(8, 12)), lambda g, t, i: (t * 8 if i < 8 else t * 8 + 32) // 2 + i % 4),
    ("m16n8k64", 4): by_group(at_half(range(8)), lambda g, t, i: t * 16 // 2 + i % 8),
    ("m16n8k128", 4): by_group(at_half(range(8), range(16, 24)),
                               lambda g, t, i: (t * 16 if i < 16 else t * 16 + 64) // 2 + i % 8),
}


# ---- m8n8k4 of f16, four products at once: PTX ISA 9.7.14.5.1


def quarter(lane):
    return lane % 16 // 4


def high(lane):
    return 4 if lane >= 16 else 0


def line(lane):
    return lane % 4 + high(lane)


QUARTERS = {
    ("a", "row"): lambda lane, i: (quarter(lane), line(lane), i),
    ("a", "col"): lambda lane, i: (quarter(lane), i + high(lane), lane % 4),
    ("b", "row"): lambda lane, i: (quarter(lane), lane % 4, i + high(lane)),
    ("b", "col"): lambda lane, i: (quarter(lane), i, line(lane)),
    ("c", "f16"): lambda lane, i: (quarter(lane), line(lane), i),
    ("c", "f32"): lambda lane, i: (quarter(lane), (lane & 1) + (i & 2) + high(lane), (i & 4) + (lane & 2) + (i & 1)),
}


# ---- the layouts of an instruction


def listed(formula, elements):
    return [formula(lane, i) for lane in range(LANES) for i in range(elements)]


def layout_a(op):
    if op.wgmma:
        return of_warps(layout_wgmma_a(op.register_bits("a")))
    if op.is_quarters:
        return listed(QUARTERS["a", op.alayout], 4)
    formulas = SPARSE_A if op.sparse else MULTIPLICAND_A
    return listed(formulas[op.shape, op.register_bits("a")], op.m * op.stored_k // LANES)


def layout_b(op):
    if op.is_quarters:
        return listed(QUARTERS["b", op.blayout], 4)
    return listed(MULTIPLICAND_B[op.shape, op.register_bits("b")], op.n * op.k // LANES)


def layout_c(op, name):
    """Of C or D, with the type `name`."""
    if op.wgmma:
        return of_warps(layout_wgmma_d(op.n))
    if op.is_quarters:
        return listed(QUARTERS["c", name], 8)
    return listed(ACCUMULATOR[op.m], op.m * op.n // LANES)


def of_warps(places):
    """A warp group's layout, from that of a warp: each of the four warps has 16 rows."""
    return [(0, warp * 16 + row, column) for warp in range(4) for _, row, column in places]


def layout_wgmma_a(element_bits):
    """A warp's 16 rows of A in registers: as in mma with rows of 32 bytes."""
    shape = {16: "m16n8k16", 32: "m16n8k8", 8: "m16n8k32", 1: "m16n8k256"}[element_bits]
    return listed(MULTIPLICAND_A[shape, element_bits], 16 * 256 // element_bits // LANES)


def layout_wgmma_d(n):
    """A warp's 16 rows of D: a block of eight columns after the other, each as in mma."""
    return listed(lambda lane, i: (0, *ACCUMULATOR[16](lane, i % 4)[1:2], i // 4 * 8 + ACCUMULATOR[16](lane, i % 4)[2]), n // 2)


# ---- metadata of a sparse A: PTX ISA 9.7.14.6.1. Four bits describe a chunk of 2, 4 or 8 elements of a row.


def chunk_size(op):
    return {"tf32": 2, "f16": 4, "bf16": 4}.get(op.a, 32 // op.register_bits("a"))


def metadata_place(op, row, chunk):
    """The lane and the lowest bit of the four bits of a chunk."""
    first_lane, g, lower = row // 16 * LANES, row % 8, row // 8 % 2
    chunks = op.k // chunk_size(op)
    if op.register_bits("a") >= 16:
        threads = chunks // 4
        return first_lane + g * 4 + op.selector * threads + chunk // 4, lower * 16 + chunk % 4 * 4
    threads = chunks // 8 * 2
    return first_lane + g * 4 + op.selector * threads + lower + chunk // 8 * 2, chunk % 8 * 4


def stored_places(op, chunk, bits):
    """The k of the elements that A stores of a chunk, given the chunk's four bits of metadata."""
    size = chunk_size(op)
    if size == 2:
        return [chunk * 2 + {0b0100: 0, 0b1110: 1}[bits]]
    width = size // 4  # 4-bit elements come in pairs
    return [chunk * size + index * width + i for index in (bits & 3, bits >> 2) for i in range(width)]


# ---- scales: PTX ISA 9.7.14.3


def scale_places(op, matrix, line, byte, thread):
    """The lane and the byte of each scale of a row of A or a column of B, given the selectors."""
    lane = line % 8 * 4 + thread * 2 + line // 8 if matrix == "a" else line * 4 + thread
    return [(lane, byte + i) for i in range(op.scale_vec)]
