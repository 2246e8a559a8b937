# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libcuda.so.1 for the tests of tensor maps: maps, memory, and kernels that copy one box."""

import ctypes as C

TYPES = ["u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz", "b4x16",
         "b4x16_p64", "b6x16"]
SWIZZLES = ["none", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B"]
THREADS = 64
POISON = 0xA5


class Failed(Exception):
    def __init__(self, call, code):
        super().__init__(f"{call}: {code}")
        self.code = code


class Device:
    def __init__(self, path):
        self.library, self.functions, self.kept = C.CDLL(path), {}, []
        self.call("cuInit", 0)
        self.context = C.c_void_p()
        self.call("cuCtxCreate_v2", C.byref(self.context), 0, 0)

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code:
            raise Failed(name, code)

    def memory(self, data):
        """The address of device memory that holds `data`."""
        address = C.c_uint64()
        self.call("cuMemAlloc_v2", C.byref(address), C.c_size_t(len(data)))
        self.call("cuMemcpyHtoD_v2", address, bytes(data), C.c_size_t(len(data)))
        return address.value

    def read(self, address, size):
        data = C.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", data, C.c_uint64(address), C.c_size_t(size))
        return bytearray(data.raw)

    def free(self, address):
        self.call("cuMemFree_v2", C.c_uint64(address))

    def aligned(self, data=bytes(128)):
        """Memory of the host that begins at a multiple of 128."""
        buffer = C.create_string_buffer(len(data) + 128)
        self.kept = [buffer]
        address = -(-C.addressof(buffer) // 128) * 128
        C.memmove(address, data, len(data))
        return address

    # --- maps: 128 bytes ---

    def shape(self, tensor, address, kind):
        u64s = lambda values: (C.c_uint64 * max(1, len(values)))(*values)
        return [C.c_int(TYPES.index(kind)), C.c_uint32(len(tensor.dims)), C.c_void_p(address), u64s(tensor.dims),
                u64s(tensor.strides)]

    def modes(self, tensor, fill, extra=()):
        steps = (C.c_uint32 * len(tensor.steps))(*tensor.steps)
        return [steps, C.c_int(0), *map(C.c_int, extra), C.c_int(SWIZZLES.index(tensor.swizzle)), C.c_int(0), C.c_int(fill)]

    def encode(self, function, *arguments):
        out = self.aligned()
        self.call(function, C.c_void_p(out), *arguments)
        return C.string_at(out, 128)

    def tiled(self, tensor, address, kind, fill=0):
        box = (C.c_uint32 * len(tensor.box))(*tensor.box)
        return self.encode("cuTensorMapEncodeTiled", *self.shape(tensor, address, kind), box, *self.modes(tensor, fill))

    def im2col(self, tensor, address, kind, fill=0):
        corners = [(C.c_int * len(corner))(*corner) for corner in (tensor.lower, tensor.upper)]
        return self.encode("cuTensorMapEncodeIm2col", *self.shape(tensor, address, kind), *corners, C.c_uint32(tensor.channels),
                           C.c_uint32(tensor.pixels), *self.modes(tensor, fill))

    def wide(self, tensor, address, kind, by_128, fill=0):
        return self.encode("cuTensorMapEncodeIm2colWide", *self.shape(tensor, address, kind), C.c_int(tensor.lower[0]),
                           C.c_int(tensor.upper[0]), C.c_uint32(tensor.channels), C.c_uint32(tensor.pixels),
                           *self.modes(tensor, fill, [by_128]))

    # --- kernels ---

    def function(self, text):
        if text not in self.functions:
            module, function = C.c_void_p(), C.c_void_p()
            self.call("cuModuleLoadData", C.byref(module), text.encode())
            self.call("cuModuleGetFunction", C.byref(function), module, b"run")
            self.call("cuFuncSetAttribute", function, C.c_int(8), C.c_int(200 * 1024))
            self.functions[text] = function
        return self.functions[text]

    def run(self, text, tensor_map, memory, size, expected, place, coordinates, info):
        """Runs a kernel of kernels.py on `size` bytes of shared memory, with the box at `place`."""
        values = [C.create_string_buffer(tensor_map, 128), C.c_uint64(memory), C.c_uint32(size), C.c_uint32(expected),
                  C.c_uint32(place), (C.c_int32 * 5)(*coordinates), (C.c_uint16 * 3)(*info)]
        pointers = (C.c_void_p * len(values))(*[C.addressof(value) for value in values])
        self.call("cuLaunchKernel", self.function(text), 1, 1, 1, THREADS, 1, 1, C.c_uint(size), None, pointers, None)
        self.call("cuCtxSynchronize")


def kernel(instruction, ranks, info, stores):
    """One box: all threads copy memory to shared memory, thread 0 copies the box, all copy shared memory back.

    `instruction` has a hole for [map, coordinates] and [shared memory], `, {info}` stands behind them.
    """
    coordinates = "{" + ", ".join(f"%c{i}" for i in range(ranks)) + "}"
    words = ", {" + ", ".join(f"%i{i}" for i in range(info)) + "}" if info else ""
    if stores:
        box = f"{instruction} [%map, {coordinates}], [%box]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
    else:
        box = (f"mbarrier.arrive.expect_tx.shared.b64 _, [object], %expected;\n"
               f"{instruction} [%box], [%map, {coordinates}], [object]{words};\n"
               "WAIT: mbarrier.try_wait.parity.shared.b64 done, [object], 0;\n@!done bra WAIT;")
    loads = [f"ld.param.s32 %c{i}, [coordinates+{4 * i}];" for i in range(5)] + \
            [f"ld.param.u16 %i{i}, [info+{2 * i}];" for i in range(3)]
    return f""".version 8.6
.target sm_100a
.address_size 64
.extern .shared .align 1024 .b8 shared[];
.entry run(.param .align 64 .b8 map[128], .param .u64 memory, .param .u32 size, .param .u32 expected, .param .u32 place,
           .param .align 4 .b8 coordinates[20], .param .align 4 .b8 info[6]) {{
.shared .align 8 .b64 object;
.reg .b32 %thread, %size, %box, %expected, %to, %value, %c<5>;
.reg .b16 %i<3>;
.reg .b64 %map, %memory, %from, %wide;
.reg .pred done, more, first;
mov.b64 %map, map;
cvta.param.u64 %map, %map;
ld.param.u64 %memory, [memory];
ld.param.u32 %size, [size];
ld.param.u32 %expected, [expected];
ld.param.u32 %box, [place];
{" ".join(loads)}
mov.u32 %thread, %tid.x;
mov.u32 %value, shared;
add.u32 %box, %box, %value;
shl.b32 %thread, %thread, 2;
mov.u32 %to, %thread;
FILL: setp.ge.u32 more, %to, %size;
@more bra FILLED;
cvt.u64.u32 %wide, %to;
add.u64 %from, %memory, %wide;
ld.global.u32 %value, [%from];
cvt.u64.u32 %from, %to;
mov.u64 %wide, shared;
add.u64 %from, %from, %wide;
st.shared.u32 [%from], %value;
add.u32 %to, %to, {4 * THREADS};
bra FILL;
FILLED: setp.eq.u32 first, %thread, 0;
@first mbarrier.init.shared.b64 [object], 1;
bar.sync 0;
@!first bra COPIED;
{box}
COPIED: bar.sync 0;
mov.u32 %to, %thread;
DRAIN: setp.ge.u32 more, %to, %size;
@more bra DRAINED;
cvt.u64.u32 %from, %to;
mov.u64 %wide, shared;
add.u64 %from, %from, %wide;
ld.shared.u32 %value, [%from];
cvt.u64.u32 %wide, %to;
add.u64 %from, %memory, %wide;
st.global.u32 [%from], %value;
add.u32 %to, %to, {4 * THREADS};
bra DRAIN;
DRAINED: ret;
}}
"""


def load_kernel(rank, mode="", info=0, coordinates=None):
    mode = f".{mode}" if mode else ""
    return kernel(f"cp.async.bulk.tensor.{rank}d.shared::cta.global{mode}.mbarrier::complete_tx::bytes", coordinates or rank,
                  info, False)


def store_kernel(rank, mode="", coordinates=None, reduction=""):
    mode = f".{mode}" if mode else ""
    name = f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{reduction}" if reduction else \
        f"cp.async.bulk.tensor.{rank}d.global.shared::cta"
    return kernel(f"{name}{mode}.bulk_group", coordinates or rank, 0, True)
