#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""formats_test.py LIBCUDA: tensor copies whose elements change on the way: sub-byte types, f32.ftz, tf32.

And what must trap: a copy with the wrong map, a box beyond the memory, bytes that never come.
"""

import random
import struct
import subprocess
import sys

from device import Device, Failed, load_kernel, store_kernel
import model

ROW, ROWS = 128, 3
ILLEGAL_ADDRESS, ILLEGAL_INSTRUCTION, MISALIGNED, TIMEOUT = 700, 715, 716, 702


def packed_map(bits, swizzle="none"):
    """A tensor of 256 x 3 elements of so many bits; the box is a row of 128."""
    return model.Map(bits, [256, ROWS], [256 * bits // 8], swizzle, [ROW, 2], [1, 1])


def run(device, text, tensor_map, shared, at, count, place=0):
    buffer = device.memory(shared)
    device.run(text, tensor_map, buffer, len(shared), count, place, [*at, 0, 0, 0][:5], [0] * 3)
    return device.read(buffer, len(shared))


def load_packed(device, rng, kind, bits, swizzle, at):
    memory = rng.randbytes(256 * bits // 8 * ROWS)
    row_bytes, group = 256 * bits // 8, 2 * bits  # bytes of 16 elements
    tensor = packed_map(bits, swizzle)
    tensor_map = device.tiled(tensor, device.memory(memory), kind)
    padded = kind != "b4x16"
    shared, expected = bytearray(2048), bytearray(2048)
    for row in range(2):
        for i in range(ROW // 16):
            start = (at[1] + row) * row_bytes + at[0] * bits // 8 + i * group
            inside = 0 <= at[1] + row < ROWS and 0 <= at[0] + 16 * i < 256
            data = memory[start:start + group] if inside else bytes(group)
            to = (row * ROW + 16 * i) * (16 if padded else 8) // 16
            for k, byte in enumerate(data):
                expected[model.swizzled(swizzle, to + k)] = byte
    count = 2 * ROW * bits // 8  # without the padding
    got = run(device, load_kernel(2), tensor_map, shared, at, count)
    return got == expected


def store_six_bits(device, rng, swizzle):
    memory, shared = bytearray(rng.randbytes(192 * ROWS)), rng.randbytes(2048)
    tensor = packed_map(6, swizzle)
    address = device.memory(memory)
    run(device, store_kernel(2), device.tiled(tensor, address, "b6x16"), shared, [128, 2], 0)
    bits = 0
    for i in range(ROW):  # the second row of the box is outside
        bits |= (shared[model.swizzled(swizzle, i)] & 63) << 6 * i
    memory[2 * 192 + 96:] = bits.to_bytes(96, "little")
    return device.read(address, len(memory)) == memory


def rounded(kind, word):
    magnitude, sign = word & 0x7FFFFFFF, word & 0x80000000
    if "ftz" in kind and magnitude < 0x800000:
        return sign
    if kind == "f32_ftz":
        return word
    return sign | ((magnitude + 0x1000 if magnitude < 0x7F800000 else magnitude) & 0xFFFFE000)


def load_floats(device, rng, kind):
    words = [0x3F801000, 0xBF800FFF, 0x00000001, 0x807FFFFF, 0x7F7FFFFF, 0x00800000, 0x7F800000, 0x80001000]
    words += [rng.getrandbits(32) & 0xBFFFFFFF for _ in range(24)]
    tensor = model.Map(4, [32, 1], [128], "none", [32, 1], [1, 1])
    tensor_map = device.tiled(tensor, device.memory(struct.pack("32I", *words)), kind)
    got = run(device, load_kernel(2), tensor_map, bytearray(128), [0, 0], 128)
    return list(struct.unpack("32I", got)) == [rounded(kind, word) for word in words]


def traps(path):
    """(name, expected code, call, part of the message)"""
    tensor = lambda **changes: model.Map(**{"size": 4, "dims": [32, 8], "strides": [128], "swizzle": "none", "box": [32, 8],
                                            "steps": [1, 1], **changes})
    shared = bytearray(4096)

    def copy(device, tensor_map, text=load_kernel(2), at=(0, 0), count=1024, place=0):
        run(device, text, tensor_map, shared, list(at), count, place)

    tiled = lambda device, tensor, address=None: device.tiled(tensor, address or device.memory(bytes(4096)), "u32")
    yield "no map", ILLEGAL_INSTRUCTION, lambda d: copy(d, b"\xff" * 128), "no tensor map"
    yield "zero bytes", ILLEGAL_INSTRUCTION, lambda d: copy(d, bytes(128), load_kernel(1)), "the box 0"
    yield "another rank", ILLEGAL_INSTRUCTION, lambda d: copy(d, tiled(d, tensor()), load_kernel(3)), "has 2 dimensions"
    cube = tensor(dims=[32, 8, 8], strides=[128, 1024], box=[32, 8, 1], steps=[1, 1, 1])
    yield "another mode", ILLEGAL_INSTRUCTION, lambda d: copy(d, tiled(d, cube), load_kernel(3, "im2col", 1)), "is for mode tile"
    yield "host memory", ILLEGAL_ADDRESS, lambda d: copy(d, tiled(d, tensor(), d.aligned(bytes(4096)))), "no address of device"
    yield "null", ILLEGAL_ADDRESS, lambda d: copy(d, tiled(d, tensor(), 16)), "the box 32 x 8 at coordinates (0, 0)"
    tall, below = tensor(dims=[32, 1 << 20]), (0, 1 << 19)
    where = "the box 32 x 8 at coordinates (0, 524288) of the tensor 32 x 1048576"
    yield "beyond the allocation", ILLEGAL_ADDRESS, lambda d: copy(d, tiled(d, tall), at=below), where
    yield "a store beyond", ILLEGAL_ADDRESS, lambda d: copy(d, tiled(d, tall), store_kernel(2), at=below), where
    yield "beyond shared memory", ILLEGAL_ADDRESS, lambda d: copy(d, tiled(d, tensor()), place=4096 - 512), "1024 bytes at offset"
    yield "misaligned", MISALIGNED, lambda d: copy(d, tiled(d, tensor()), place=64), "no multiple of 128"
    yield "bytes that never come", TIMEOUT, lambda d: copy(d, tiled(d, tensor()), count=1040), "mbarrier"
    floats = lambda d: d.tiled(tensor(), d.memory(bytes(4096)), "f32")
    yield "no such reduction", ILLEGAL_INSTRUCTION, lambda d: copy(d, floats(d), store_kernel(2, reduction="min")), "reduction"
    packed = lambda d: d.tiled(packed_map(4), d.memory(bytes(4096)), "b4x16_p64")
    yield "a store of .b4x16_p64", ILLEGAL_INSTRUCTION, lambda d: copy(d, packed(d), store_kernel(2)), "loaded only"


def trap_alone(path, name):
    """Prints the code of the trap of that name."""
    call = next(call for one, _, call, _ in traps(path) if one == name)
    try:
        call(Device(path))
    except Failed as failed:
        print(failed.code)
        return
    print(0)


def complaints_about_traps(path):
    """Each trap runs in a process of its own, because it ends the context."""
    for name, expected, _, message in traps(path):
        done = subprocess.run([sys.executable, __file__, path, name], capture_output=True, text=True, check=False)
        if done.stdout != f"{expected}\n":
            yield f"{name}: {done.stdout.strip()}, should be {expected}: {done.stderr}"
        elif message not in done.stderr:
            yield f"{name}: no `{message}` in {done.stderr}"


def main():
    path = sys.argv[1]
    if len(sys.argv) > 2:
        return trap_alone(path, sys.argv[2])
    wrong = list(complaints_about_traps(path))
    device, rng = Device(path), random.Random(1)
    for kind, bits in (("b4x16", 4), ("b4x16_p64", 4), ("b6x16", 6)):
        for swizzle in ("none", "128B", "128B_ATOM_32B") if bits != 4 or "p" in kind else ("none", "64B"):
            for at in ([0, 0], [128, 1], [0, 2], [128, -1], [256, 0]):
                if not load_packed(device, rng, kind, bits, swizzle, at):
                    wrong.append(f"load {kind} {swizzle} at {at}")
    for swizzle in ("none", "128B", "128B_ATOM_64B"):
        if not store_six_bits(device, rng, swizzle):
            wrong.append(f"store b6x16 {swizzle}")
    for kind in ("f32_ftz", "tf32", "tf32_ftz"):
        if not load_floats(device, rng, kind):
            wrong.append(f"load {kind}")
    print("\n".join(wrong) or "all right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
