# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libcuda.so.1 through ctypes: a device whose arrays, textures and surfaces are made from those of model.py."""

import ctypes as C
import struct

from texels import pack, unpack

LAYERED, SURFACE_LDST, CUBEMAP, GATHER = 1, 2, 4, 8  # flags of arrays
HOST, DEVICE, ARRAY = 1, 2, 3  # CUmemorytype
READ_AS_INTEGER, NORMALIZED_COORDINATES, SRGB, SEAMLESS_CUBEMAP = 0x01, 0x02, 0x10, 0x40
OVERRIDE_FORMAT = 1
ADDRESS_MODES = {"wrap": 0, "clamp_to_edge": 1, "mirror": 2, "clamp_to_border": 3}
FILTERS = {"nearest": 0, "linear": 1}
PITCH = 32
WORDS_IN, WORDS_OUT = 20, 8  # of a thread


class CudaError(Exception):
    def __init__(self, function, code):
        super().__init__(f"{function}: {code}")
        self.code = code


def round_up(value, unit):
    return -(-value // unit) * unit


def sampler_flags(texture, sampler):
    """CU_TRSF flags."""
    integers = READ_AS_INTEGER if texture.gives_integers else 0
    return (integers | (NORMALIZED_COORDINATES if sampler.normalized else 0) | (SRGB if texture.reading == "srgb" else 0)
            | (SEAMLESS_CUBEMAP if sampler.seamless else 0))


VIEW_FORMATS = {("unsigned", 8): 0x01, ("signed", 8): 0x04, ("unsigned", 16): 0x07, ("signed", 16): 0x0A, ("unsigned", 32): 0x0D,
                ("signed", 32): 0x10, ("float", 16): 0x13, ("float", 32): 0x16}  # for one channel


def view_descriptor(texture, view):
    """A CUDA_RESOURCE_VIEW_DESC for a cases.View of a texture, or None."""
    if view is None:
        return None
    width, height, depth = (*texture.levels[0].size, 0, 0)[:3]
    if view.blocks:
        form, width, height = view.blocks.view, 4 * width, 4 * height
    else:
        form = VIEW_FORMATS[texture.format.kind, texture.format.bits] + (1, 2, 4).index(texture.channels)
    return struct.pack("<I4xQQQIIII64x", form, width, height, texture.layers or depth, *view[:4])


class Device:
    def __init__(self, path):
        self.library = C.CDLL(path)
        self.call("cuInit", 0)
        context = C.c_void_p()
        self.call("cuCtxCreate_v2", C.byref(context), 0, 0)

    def call(self, function, *arguments):
        code = getattr(self.library, function)(*arguments)
        if code:
            raise CudaError(function, code)

    def make(self, function, *arguments, out=C.c_uint64):
        """The value that a function writes through its first argument."""
        made = out()
        self.call(function, C.byref(made), *arguments)
        return C.c_uint64(made.value)

    # --- memory

    def allocate(self, data):
        memory = self.make("cuMemAlloc_v2", C.c_size_t(max(len(data), 1)))
        self.call("cuMemcpyHtoD_v2", memory, data, C.c_size_t(len(data)))
        return memory

    def read(self, memory, size):
        data = C.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", data, memory, C.c_size_t(size))
        return data.raw

    def free(self, memory):
        self.call("cuMemFree_v2", memory)

    # --- arrays

    @staticmethod
    def array_descriptor(texture, flags):
        width, height, depth = (*texture.levels[0].size, 0, 0)[:3]
        if texture.layers:
            depth = texture.layers
        flags |= (CUBEMAP if texture.cube else 0) | (LAYERED if texture.layered else 0)
        return struct.pack("<QQQIII4x", width, height, depth, texture.format.cuda, texture.channels, flags)

    def array(self, texture, flags=0):
        """An array, or a mipmapped array, with the texels of a texture."""
        descriptor = self.array_descriptor(texture, flags)
        if not texture.mipmapped:
            made = self.make("cuArray3DCreate_v2", descriptor)
            self.copy(texture, texture.levels[0], made, to_array=True)
            return made
        made = self.make("cuMipmappedArrayCreate", descriptor, len(texture.levels))
        for number, level in enumerate(texture.levels):
            self.copy(texture, level, self.make("cuMipmappedArrayGetLevel", made, number), to_array=True)
        return made

    def copy(self, texture, level, array, to_array):
        """Copies all texels of a level; from the array: into `level`."""
        width, height, depth = (*level.size, 1, 1)[:3]
        slices = max(texture.layers, 1)
        row = texture.format.texel_bytes(texture.channels) * width
        data = bytes_of(texture, level) if to_array else bytes(row * height * depth * slices)
        memory = C.create_string_buffer(data, len(data))
        host = struct.pack("<QQQQI4xQQQQQQ", 0, 0, 0, 0, HOST, C.addressof(memory), 0, 0, 0, row, height)
        there = struct.pack("<QQQQI4xQQQQQQ", 0, 0, 0, 0, ARRAY, 0, 0, array.value, 0, 0, 0)
        ends = host + there if to_array else there + host
        self.call("cuMemcpy3D_v2", ends + struct.pack("<QQQ", row, height, depth * slices))
        if not to_array:
            level.texels = texels_of(texture, level.size, memory.raw)

    def destroy_array(self, texture, array):
        self.call("cuMipmappedArrayDestroy" if texture.mipmapped else "cuArrayDestroy", array)

    # --- objects

    def resource(self, texture, flags=0, pitched=False):
        """A CUDA_RESOURCE_DESC, and a function that frees its memory."""
        form = texture.format
        if texture.linear:
            data = bytes_of(texture, texture.levels[0])
            memory = self.allocate(data)
            descriptor = struct.pack("<I4xQIIQ104xI4x", 2, memory.value, form.cuda, texture.channels, len(data), 0)
            return descriptor, lambda: self.free(memory)
        if pitched:
            width, height = texture.levels[0].size
            row = form.texel_bytes(texture.channels) * width
            pitch = round_up(row, PITCH)
            data = bytes_of(texture, texture.levels[0])
            rows = [data[row * y:row * (y + 1)].ljust(pitch, b"\xa5") for y in range(height)]
            memory = self.allocate(b"".join(rows))
            descriptor = struct.pack("<I4xQIIQQQ88xI4x", 3, memory.value, form.cuda, texture.channels, width, height, pitch, 0)
            return descriptor, lambda: self.free(memory)
        array = self.array(texture, flags)
        descriptor = struct.pack("<I4xQ120xI4x", 1 if texture.mipmapped else 0, array.value, 0)
        return descriptor, lambda: self.destroy_array(texture, array)

    def texture_object(self, texture, sampler, resource, view=None):
        border = struct.pack("<4I", *sampler.border)
        descriptor = struct.pack("<7I3f", *(ADDRESS_MODES[mode] for mode in sampler.address), FILTERS[sampler.filter],
                                 sampler_flags(texture, sampler), 1, FILTERS[sampler.mip_filter], sampler.bias / 256,
                                 sampler.least / 256, sampler.most / 256) + border + bytes(48)
        return self.make("cuTexObjectCreate", resource, descriptor, view)

    def surface_object(self, array):
        return self.make("cuSurfObjectCreate", struct.pack("<I4xQ120xI4x", 0, array.value, 0))

    def bind(self, module, texture, sampler, resource):
        """Sets the .texref `tex` of a module. `sampler` is that of the texture."""
        reference = self.make("cuModuleGetTexRef", module, b"tex")
        kind, handle = struct.unpack_from("<I4xQ", resource)
        if kind == 0:
            self.call("cuTexRefSetArray", reference, C.c_uint64(handle), OVERRIDE_FORMAT)
        elif kind == 1:
            self.call("cuTexRefSetMipmappedArray", reference, C.c_uint64(handle), OVERRIDE_FORMAT)
        elif kind == 2:
            _, _, size = struct.unpack_from("<IIQ", resource, 16)
            self.call("cuTexRefSetFormat", reference, texture.format.cuda, texture.channels)
            self.call("cuTexRefSetAddress_v2", None, reference, C.c_uint64(handle), C.c_size_t(size))
        else:
            form, channels, width, height, pitch = struct.unpack_from("<IIQQQ", resource, 16)
            self.call("cuTexRefSetAddress2D_v3", reference, struct.pack("<QQII", width, height, form, channels), C.c_uint64(handle),
                      C.c_size_t(pitch))
        for axis, mode in enumerate(sampler.address):
            self.call("cuTexRefSetAddressMode", reference, axis, ADDRESS_MODES[mode])
        self.call("cuTexRefSetFilterMode", reference, FILTERS[sampler.filter])
        self.call("cuTexRefSetFlags", reference, sampler_flags(texture, sampler))
        self.call("cuTexRefSetMipmapFilterMode", reference, FILTERS[sampler.mip_filter])
        self.call("cuTexRefSetMipmapLevelBias", reference, C.c_float(sampler.bias / 256))
        self.call("cuTexRefSetMipmapLevelClamp", reference, C.c_float(sampler.least / 256), C.c_float(sampler.most / 256))
        if "clamp_to_border" in sampler.address:
            self.call("cuTexRefSetBorderColor", reference, struct.pack("<4I", *sampler.border))

    # --- programs

    def load(self, text):
        """A module, and its kernel `k`."""
        module = self.make("cuModuleLoadData", text.encode())
        return module, self.make("cuModuleGetFunction", module, b"k")

    def unload(self, module):
        self.call("cuModuleUnload", module)

    def run(self, kernel, handle, rows):
        """Each row: the words of a thread, at most WORDS_IN. Returns WORDS_OUT words of each."""
        data = b"".join(struct.pack(f"<{WORDS_IN}I", *row, *(0,) * (WORDS_IN - len(row))) for row in rows)
        source, target = self.allocate(data), self.allocate(bytes(4 * WORDS_OUT * len(rows)))
        values = [C.c_uint64(handle), source, target]
        pointers = (C.c_void_p * len(values))(*(C.addressof(v) for v in values))
        try:
            self.call("cuLaunchKernel", kernel, 1, 1, 1, len(rows), 1, 1, 0, None, pointers, None)
            self.call("cuCtxSynchronize")
            words = struct.unpack(f"<{WORDS_OUT * len(rows)}I", self.read(target, 4 * WORDS_OUT * len(rows)))
        finally:
            self.library.cuMemFree_v2(source)
            self.library.cuMemFree_v2(target)
        return [words[i:i + WORDS_OUT] for i in range(0, len(words), WORDS_OUT)]


def bytes_of(texture, level):
    """The texels of a level, row after row."""
    return b"".join(pack(texture.format, codes) for piece in level.texels for plane in piece for row in plane for codes in row)


def texels_of(texture, size, data):
    """The opposite of bytes_of."""
    width, height, depth = (*size, 1, 1)[:3]
    step = texture.format.texel_bytes(texture.channels)
    texels = [unpack(texture.format, data[i:i + step], texture.channels) for i in range(0, len(data), step)]
    rows = [texels[i:i + width] for i in range(0, len(texels), width)]
    planes = [rows[i:i + height] for i in range(0, len(rows), height)]
    return [planes[i:i + depth] for i in range(0, len(planes), depth)]
