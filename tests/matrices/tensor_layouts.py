# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where matrices of tcgen05.mma are in tensor memory: PTX ISA 9.7.16.10.5, 9.7.16.10.7 and 9.7.16.10.8.

A place is the rank of a CTA, a lane and a column. The columns from 0 on are those of D.
"""

LANES = 128
A_AT, METADATA_AT, SCALE_A_AT, SCALE_B_AT, COLUMNS = 256, 272, 280, 288, 320


def layout_of(op):
    """The layout ID."""
    t = op.tcgen05
    if t.ws and op.m < 128:
        return {64: "E", 32: "G"}[op.m]
    return {(1, 64): "F", (1, 128): "D", (2, 128): "C" if op.sparse else "B", (2, 256): "A"}[t.ctas, op.m]


def parts_of(op):
    """The number of parts of N that lie below each other."""
    return {"B": 2, "E": 2, "G": 4}.get(layout_of(op), 1)


def lane_of(op, row):
    """Of a row of a CTA."""
    return row % 16 + row // 16 * 32 + op.tcgen05.half * 16 if layout_of(op) in "FC" else row


def place_d(op, m, n):
    cta, row = divmod(m, op.m // op.tcgen05.ctas)
    part, column = divmod(n, op.n // parts_of(op))
    return cta, lane_of(op, row) + part * (LANES // parts_of(op)), column


def places_a(op, m, word):
    """All copies of a word of a row of A."""
    cta, row = divmod(m, op.m // op.tcgen05.ctas)
    return [(cta, lane_of(op, row) + part * (LANES // parts_of(op)), A_AT + word) for part in range(parts_of(op))]


def metadata_place(op, row, chunk):
    """The place of the four bits of a chunk, and the lowest of them."""
    cta, m = divmod(row, op.m // op.tcgen05.ctas)
    if op.register_bits("a") >= 16:
        first = lane_of(op, m // 16 * 16)
        return (cta, first + m % 8 + 8 * (chunk // 4), METADATA_AT + op.selector), chunk % 4 * 4 + 16 * (m // 8 % 2)
    return (cta, lane_of(op, m), METADATA_AT + chunk // 8), chunk % 8 * 4


def scale_places(op, matrix, line, first_byte, number):
    """All copies of a scale of a row of A or a column of B; and its byte."""
    t, byte = op.tcgen05, first_byte + number
    if matrix == "a":
        cta, row = divmod(line, op.m // t.ctas)
        column = SCALE_A_AT + row // 32 + byte // 4 * 4
        return [(cta, row % 32 + 32 * i, column) for i in range(4)], byte % 4
    halves = layout_of(op) == "B"
    each = op.n // 2 if halves else op.n
    part, n = divmod(line, each)
    column = SCALE_B_AT + n // 32 + byte // 4 * ((each + 31) // 32)
    quarters = (2 * part, 2 * part + 1) if halves else range(4)
    return [(cta, n % 32 + 32 * i, column) for cta in range(t.ctas) for i in quarters], byte % 4


# ---- the zero-column mask: PTX ISA 9.7.16.4.3. Its examples say what its spans are: so many zeros, so many columns of B.


def column_shift(op):
    return (op.tcgen05.zero_columns or 0) >> 56 & 63


def zero_columns(op):
    """For each column, whether it counts as zeros."""
    mask = op.tcgen05.zero_columns or 0
    if not mask >> 39 & 1:
        return [False] * op.n
    zeros, used = (mask >> 40 & 255) + 1, (mask >> 48 & 255) + 1
    columns = []
    for part in range(128 // op.m):
        start, begins_with_zeros = mask >> 8 * part & 255, mask >> 32 + part & 1
        spans = [True] * zeros + [False] * used if begins_with_zeros else [False] * used + [True] * zeros
        columns += [spans[(start + n) % len(spans)] for n in range(op.n // (128 // op.m))]
    return columns
