#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws a picture with textures and writes it as PNG.

    heddle exec -- examples/textures.py PICTURE.png [--same-as OTHER.png]

An ordinary program for the CUDA driver API, in Python: it makes arrays, texture objects and a surface object, and launches the
kernel of textures.ptx. textures.cu says what the picture shows. With --same-as, the program fails when a pixel of the other picture
differs.
"""

import ctypes
import struct
import sys
import zlib
from pathlib import Path

SIDE, PANELS = 128, 5
UNSIGNED_INT8, SURFACE_LDST = 1, 2
ARRAY, MIPMAPPED_ARRAY = 0, 1
WRAP, MIRROR = 0, 2
POINT, LINEAR = 0, 1
NORMALIZED = 2
HOST, ARRAY_MEMORY = 1, 3

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    result = getattr(cuda, name)(*arguments)
    if result:
        sys.exit(f"{name} returns {result}")


def make(name, *arguments):
    """What a function writes through its first argument."""
    out = ctypes.c_uint64()
    call(name, ctypes.byref(out), *arguments)
    return out


def array_descriptor(width, height, flags=0):
    return struct.pack("QQQiII4x", width, height, 0, UNSIGNED_INT8, 4, flags)


def copy(array, texels, width, height, into_array):
    """Copies RGBA bytes between the host and an array."""
    host = (HOST, ctypes.addressof(texels), 0, 0, 4 * width)
    place = (ARRAY_MEMORY, 0, 0, array.value, 0)
    sides = [struct.pack("2Qi4x4Q", 0, 0, *side) for side in ((host, place) if into_array else (place, host))]
    call("cuMemcpy2D_v2", b"".join(sides) + struct.pack("2Q", 4 * width, height))


def texture(kind, array, address, filter_mode, levels=1, anisotropy=1):
    resource = struct.pack("i4xQ120xI4x", kind, array.value, 0)
    sampling = struct.pack("4iIIi3f64x", address, address, address, filter_mode, NORMALIZED, anisotropy, filter_mode, 0, 0, levels - 1)
    return make("cuTexObjectCreate", resource, sampling, None)


def surface(array):
    return make("cuSurfObjectCreate", struct.pack("i4xQ120xI4x", ARRAY, array.value, 0))


def small_image():
    """8x8 texels of eight colors, in an array."""
    colors = [(230, 57, 70), (244, 162, 97), (233, 196, 106), (138, 201, 38),
              (42, 157, 143), (25, 130, 196), (106, 76, 147), (241, 250, 238)]
    texels = ctypes.create_string_buffer(b"".join(bytes((*colors[(x * x + 3 * y) % 8], 255)) for y in range(8) for x in range(8)))
    array = make("cuArray3DCreate_v2", array_descriptor(8, 8))
    copy(array, texels, 8, 8, True)
    return array


def checkers(side):
    """A mipmapped array of a checkerboard of 2x2 squares; each level is the mean of the one below."""
    levels = side.bit_length()
    mipmap = make("cuMipmappedArrayCreate", array_descriptor(side, side), levels)
    for level in range(levels):
        width = side >> level
        def color(x, y):
            if width == 1:
                return 128, 118, 108, 255
            return (245, 235, 215, 255) if (2 * x // width + 2 * y // width) % 2 else (11, 1, 1, 255)
        texels = ctypes.create_string_buffer(b"".join(bytes(color(x, y)) for y in range(width) for x in range(width)))
        array = make("cuMipmappedArrayGetLevel", mipmap, level)
        copy(array, texels, width, width, True)
    return mipmap, levels


def png(pixels, width, height):
    """RGBA bytes as the bytes of a PNG file without alpha."""
    rows = b"".join(b"\0" + b"".join(pixels[4 * i:4 * i + 3] for i in range(y * width, (y + 1) * width)) for y in range(height))

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    header = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def rows_of(file):
    """The uncompressed rows of a file that png() made."""
    begin, size = file.index(b"IDAT") + 4, struct.unpack_from(">I", file, file.index(b"IDAT") - 4)[0]
    return zlib.decompress(file[begin:begin + size])


def main():
    if len(sys.argv) not in (2, 4):
        sys.exit(__doc__)
    call("cuInit", 0)
    make("cuCtxCreate_v2", 0, 0)
    module = make("cuModuleLoadData", Path(__file__).with_name("textures.ptx").read_bytes())
    draw = make("cuModuleGetFunction", module, b"draw")
    image = small_image()
    mipmap, levels = checkers(64)
    picture = make("cuArray3DCreate_v2", array_descriptor(SIDE * PANELS, SIDE, SURFACE_LDST))
    arguments = [texture(ARRAY, image, WRAP, POINT), texture(ARRAY, image, MIRROR, LINEAR),
                 texture(MIPMAPPED_ARRAY, mipmap, WRAP, LINEAR, levels, 16), surface(picture), ctypes.c_int(SIDE)]
    pointers = (ctypes.c_void_p * len(arguments))(*map(ctypes.addressof, arguments))
    call("cuLaunchKernel", draw, SIDE * PANELS // 32, SIDE // 8, 1, 32, 8, 1, 0, None, pointers, None)
    pixels = ctypes.create_string_buffer(4 * SIDE * PANELS * SIDE)
    copy(picture, pixels, SIDE * PANELS, SIDE, False)
    drawn = png(pixels.raw, SIDE * PANELS, SIDE)
    Path(sys.argv[1]).write_bytes(drawn)
    if len(sys.argv) == 4 and rows_of(Path(sys.argv[3]).read_bytes()) != rows_of(drawn):
        sys.exit(f"{sys.argv[1]} and {sys.argv[3]} differ")


if __name__ == "__main__":
    main()
