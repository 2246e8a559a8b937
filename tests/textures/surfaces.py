# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What suld, sust and sured do (PTX ISA 9.7.11), for one thread at a time, on the texels of a model.Texture.

Coordinates are x, y and z, then the layer. `.b` counts x in bytes, `.p` in texels or, for sured, in values.
"""

from dataclasses import dataclass
from typing import NamedTuple, Tuple

from texels import Special, f16_of_f32, float_value, largest, pack, round_to_integer, unpack


class SurfaceInstruction(NamedTuple):
    name: str  # suld, sust or sured
    addressing: str  # b or p
    geometry: str
    outside: str  # trap, clamp or zero
    type: str
    vector: int = 1
    operation: str = ""  # of sured

    @property
    def layered(self):
        return self.geometry[0] == "a"

    @property
    def dimensions(self):
        return int(self.geometry[-2])

    @property
    def size(self):
        """Bytes that the instruction accesses; of sust.p, 0: the texel's."""
        return 0 if self.name == "sust" and self.addressing == "p" else int(self.type[1:]) // 8 * self.vector


class Outside(Exception):
    """The access traps."""


@dataclass
class Access:
    coordinates: Tuple[int, ...]
    layer: int = 0
    values: Tuple[int, ...] = ()


def place(texture, op, access):
    """(layer, z, y, byte of the row) of an access; None: it is dropped."""
    extents = list(texture.levels[0].size)
    texel = texture.format.texel_bytes(texture.channels)
    size = op.size or texel
    unit = 1 if op.addressing == "b" else size
    x, *others = access.coordinates
    wanted = [x * unit, *others]
    most = [extents[0] * texel - size, *(n - 1 for n in extents[1:])]
    if op.layered:
        wanted.append(access.layer)
        most.append(texture.layers - 1)
    inside = [min(max(w, 0), max(m, 0)) for w, m in zip(wanted, most)]
    if inside != wanted:
        if op.outside == "trap":
            raise Outside
        if op.outside == "zero":
            return None
    y, z = (*inside[1:op.dimensions], 0, 0)[:2]
    return inside[-1] if op.layered else 0, z, y, inside[0]


def row_bytes(texture, where):
    layer, z, y, _ = where
    return bytearray(b"".join(pack(texture.format, codes) for codes in texture.levels[0].texels[layer][z][y]))


def put_row(texture, where, data):
    layer, z, y, _ = where
    step = texture.format.texel_bytes(texture.channels)
    texture.levels[0].texels[layer][z][y] = [unpack(texture.format, bytes(data[i:i + step]), texture.channels)
                                             for i in range(0, len(data), step)]


def load(texture, op, access):
    """The values of suld."""
    where, size = place(texture, op, access), op.size // op.vector
    if where is None:
        return [0] * op.vector
    row = row_bytes(texture, where)
    return [int.from_bytes(row[where[3] + size * i:where[3] + size * (i + 1)], "little") for i in range(op.vector)]


def execute(texture, op, access):
    """sust or sured: changes the texels."""
    where = place(texture, op, access)
    if where is None:
        return
    row, first = row_bytes(texture, where), where[3]
    if op.name == "sured":
        old = int.from_bytes(row[first:first + op.size], "little")
        row[first:first + op.size] = reduced(texture, op, old, access.values[0]).to_bytes(op.size, "little")
    elif op.addressing == "p":
        texel = texture.format.texel_bytes(texture.channels)
        codes = unpack(texture.format, bytes(row[first:first + texel]), texture.channels)
        for channel, value in enumerate(access.values[:texture.channels]):
            codes[channel] = converted(texture.format, channel, value)
        row[first:first + texel] = pack(texture.format, codes)
    else:
        size = op.size // op.vector
        for i, value in enumerate(access.values):
            row[first + size * i:first + size * (i + 1)] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
    put_row(texture, where, row)


def reduced(texture, op, old, value):
    bits = 8 * op.size
    value &= (1 << bits) - 1
    if op.operation in ("add", "and", "or"):
        return {"add": old + value, "and": old & value, "or": old | value}[op.operation] & (1 << bits) - 1
    is_signed = op.type[0] == "s" if op.addressing == "b" else texture.format.kind == "signed"
    key = lambda code: code - (code >> bits - 1 << bits) if is_signed else code
    return (min if op.operation == "min" else max)(old, value, key=key)


def converted(form, channel, value):
    """The code of a channel for a 32-bit value of sust.p: an f32, or an integer for integer formats."""
    bits = form.channel_bits(channel)
    if form.name == "f32":
        return value
    if form.name == "f16":
        return f16_of_f32(value)
    if not form.normalized:
        least = -(1 << bits - 1) if form.kind == "signed" else 0
        number = value - (value >> 31 << 32) if form.kind == "signed" else value
        return min(max(number, least), least + (1 << bits) - 1) & (1 << bits) - 1
    number = float_value("f32", value)
    if isinstance(number, Special):
        number = 0 if number.nan else -1 if number.sign else 1
    number = min(max(number, -1 if form.kind == "signed" else 0), 1) * largest(form, channel)
    code = round_to_integer(abs(number), "rn", number < 0)
    return (-code if number < 0 else code) & (1 << bits) - 1


