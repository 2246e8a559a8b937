# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The words of calls.txt: objects of the driver, created when a row first names them.

Each method is a word. It returns a number: a handle, an address of device memory, or the address of a
structure in the test's memory.
"""

import ctypes as C
import os
import struct
import threading

PTX = b"""
.version 7.8
.target sm_75
.address_size 64
.visible .global .align 4 .u32 counter;
.visible .global .attribute(.managed) .align 4 .u32 shared_counter;
.global .texref image;
.global .surfref target;
.global .surfref other_target;
.visible .entry plain() { ret; }
.visible .entry takes(.param .u64 p, .param .u32 n) { ret; }
"""
# Words that are structures.
STRUCTURES = {
    "pool_props", "mem_prop", "place", "access", "multicast_prop", "array_desc", "array_desc_v1",
    "array3d_desc", "array3d_desc_v1", "copy2d", "copy2d_to_host", "copy2d_v1", "copy3d",
    "copy3d_peer", "copy3d_v1", "batch_attributes", "batch_3d", "launch_config", "cluster_config",
    "team_launch", "kernel_params", "memset_params", "host_params", "alloc_params", "word_op",
    "array_resource", "linear_resource", "rows_resource", "mipmapped_resource", "surface_resource",
    "texture_desc", "view", "words_params", "node_params", "instantiate_params", "resource", "pool_data",
}
HOST_FUNCTION = C.CFUNCTYPE(None, C.c_void_p)


class Gate:
    """Blocks a stream until it is opened, by a call or automatically after some seconds."""

    def __init__(self, library, stream, seconds):
        self.is_open = threading.Event()
        self.function = HOST_FUNCTION(lambda _: self.is_open.wait(60))
        assert library.cuLaunchHostFunc(C.c_void_p(stream), self.function, None) == 0
        self.timer = threading.Timer(seconds, self.is_open.set)
        self.timer.daemon = True
        self.timer.start()

    def open(self):
        self.timer.cancel()
        self.is_open.set()


class Fixtures:
    def __init__(self, library, needs):
        self.library, self.made, self.kept = library, {}, []
        if needs in ("init", "context"):
            self.ok(library.cuInit(0))
            self.get("ctx")

    def get(self, word):
        if word not in self.made:
            method = getattr(self, word, None)
            if method is None:
                raise ValueError(f"calls.txt: no word {word}")
            self.made[word] = method()
        return self.made[word]

    @staticmethod
    def ok(result):
        if result:
            raise ValueError(f"a fixture fails: {result}")

    def make(self, name, *arguments, out=C.c_void_p):
        """The value that a function writes through its first argument."""
        made = out()
        self.ok(getattr(self.library, name)(C.byref(made), *arguments))
        return made.value

    def bytes(self, form, *values):
        memory = C.create_string_buffer(struct.pack(form, *values), 1024)
        self.kept.append(memory)
        return C.addressof(memory)

    def list(self, *words):
        return self.bytes(f"{len(words)}Q", *[self.get(word) for word in words])

    def structures(self, words):
        """The addresses of the words that are structures, which a call reads."""
        return [self.made[word] for word in words if word in self.made and word in STRUCTURES]

    def handle(self, word):
        return C.c_void_p(self.get(word))

    def address(self, word):
        return C.c_uint64(self.get(word))

    def hold_up(self, seconds, of_thread):
        """Adds work that does not end to `stream`, for which the default stream waits, or to the default stream of the thread."""
        gate = Gate(self.library, 2 if of_thread else self.get("stream"), seconds)
        self.kept.append(gate)
        return gate

    def struct(self, kind, word):
        if word == "here":
            return kind(1, 0)
        if word == "nowhere":
            return kind(77, 0)
        memory = kind()
        C.memmove(C.byref(memory), self.get(word), C.sizeof(kind))
        return memory

    # --- tensor maps ---

    def tensor_box(self):
        return self.bytes("5I", 16, 8, 1, 1, 1)

    def element_steps(self):
        return self.bytes("5I", 1, 1, 1, 1, 1)

    def corner(self):
        return self.bytes("3i", 0, 0, 0)

    def tensor_map_room(self):
        return -(-self.bytes("") // 64) * 64

    def tensor_map(self):
        made = self.tensor_map_room()
        pointers = [C.c_void_p(self.bytes("2Q", 64, 64)), C.c_void_p(self.bytes("Q", 64)),
                    C.c_void_p(self.tensor_box()), C.c_void_p(self.element_steps())]
        self.ok(self.library.cuTensorMapEncodeTiled(C.c_void_p(made), 0, 2, C.c_void_p(4096), *pointers, 0, 0, 0, 0))
        return made

    # --- contexts, streams, events ---

    def ctx(self):
        return self.make("cuCtxCreate_v2", 0, 0)

    def peer(self):
        """A context on the other device."""
        made = self.make("cuCtxCreate_v2", 0, 1)
        self.ok(self.library.cuCtxSetCurrent(self.handle("ctx")))
        return made

    def enabled_peer(self):
        made = self.peer()
        self.ok(self.library.cuCtxEnablePeerAccess(C.c_void_p(made), 0))
        return made

    def retained(self):
        """A device with an existing primary context."""
        self.make("cuDevicePrimaryCtxRetain", 0)
        return 0

    def attached(self):
        return self.make("cuCtxAttach", 0)

    def stream(self):
        return self.make("cuStreamCreate", 0)

    def captured(self):
        stream = self.make("cuStreamCreate", 1)
        self.ok(self.library.cuStreamBeginCapture_v2(C.c_void_p(stream), 2))
        return stream

    def event(self):
        return self.make("cuEventCreate", 0)

    def recorded(self):
        event = self.make("cuEventCreate", 0)
        self.ok(self.library.cuEventRecord(C.c_void_p(event), None))
        self.ok(self.library.cuCtxSynchronize())
        return event

    def shared_event(self):
        return self.make("cuEventCreate", 6)

    def event_handle(self):
        at = self.bytes("64x")
        self.ok(self.library.cuIpcGetEventHandle(C.c_void_p(at), self.handle("shared_event")))
        return at

    def callback(self):
        self.kept.append(HOST_FUNCTION(lambda _: None))
        return C.cast(self.kept[-1], C.c_void_p).value

    def stream_callback(self):
        self.kept.append(C.CFUNCTYPE(None, C.c_void_p, C.c_int, C.c_void_p)(lambda *_: None))
        return C.cast(self.kept[-1], C.c_void_p).value

    def shared_bytes_of_block(self):
        self.kept.append(C.CFUNCTYPE(C.c_size_t, C.c_int)(lambda block: 4 * block))
        return C.cast(self.kept[-1], C.c_void_p).value

    # --- memory ---

    def mem(self):
        return self.make("cuMemAlloc_v2", C.c_size_t(4096), out=C.c_uint64)

    def mem2(self):
        return self.mem()

    def low(self):
        return self.make("cuMemAlloc", 4096, out=C.c_uint)

    def low2(self):
        return self.low()

    def pinned(self):
        return self.make("cuMemAllocHost_v2", C.c_size_t(4096))

    def pinned2(self):
        return self.pinned()

    def managed(self):
        return self.make("cuMemAllocManaged", C.c_size_t(4096), 1, out=C.c_uint64)

    def synchronous(self):
        at, on = self.mem(), C.c_uint(1)
        self.ok(self.library.cuPointerSetAttribute(C.byref(on), 6, C.c_uint64(at)))
        return at

    def pageable(self):
        return self.bytes("1024x")

    def pageable2(self):
        return self.bytes("1024x")

    def large(self):
        memory = C.create_string_buffer(1 << 20)
        self.kept.append(memory)
        return C.addressof(memory)

    def large_mem(self):
        return self.make("cuMemAlloc_v2", C.c_size_t(1 << 20), out=C.c_uint64)

    def page(self):
        memory = C.create_string_buffer(8192)
        self.kept.append(memory)
        return (C.addressof(memory) + 4095) // 4096 * 4096

    def registered(self):
        at = self.page()
        self.ok(self.library.cuMemHostRegister_v2(C.c_void_p(at), C.c_size_t(4096), 0))
        return at

    def pool(self):
        return self.make("cuMemPoolCreate", C.c_void_p(self.get("pool_props")))

    def own_pool(self):
        return self.make("cuMemPoolCreate", C.c_void_p(self.bytes("4i72x", 1, 0, 1, 0)))

    def pool_file(self):
        return self.make("cuMemPoolExportToShareableHandle", self.handle("pool"), 1,
                         C.c_ulonglong(0), out=C.c_int)

    def imported_pool(self):
        return self.make("cuMemPoolImportFromShareableHandle", C.c_void_p(self.get("pool_file")), 1,
                         C.c_ulonglong(0))

    def pooled(self):
        return self.make("cuMemAllocFromPoolAsync", C.c_size_t(4096), self.handle("pool"), None,
                         out=C.c_uint64)

    def pool_data(self):
        at = self.bytes("64x")
        self.ok(self.library.cuMemPoolExportPointer(C.c_void_p(at), self.address("pooled")))
        return at

    def mem_handle(self):
        at = self.bytes("64x")
        self.ok(self.library.cuIpcGetMemHandle(C.c_void_p(at), self.address("mem")))
        return at

    def opened(self):
        memory = self.struct(call_handle(), "mem_handle")
        return self.make("cuIpcOpenMemHandle_v2", memory, 1, out=C.c_uint64)

    def pool_props(self):
        return self.bytes("4i72x", 1, 1, 1, 0)

    def mem_prop(self):
        return self.bytes("4iQ8x", 1, 1, 1, 0, 0)

    def place(self):
        return self.bytes("2i", 1, 0)

    def access(self):
        return self.bytes("3i", 1, 0, 3)

    def physical(self):
        return self.make("cuMemCreate", C.c_size_t(2 << 20), C.c_void_p(self.get("mem_prop")),
                         C.c_ulonglong(0), out=C.c_uint64)

    def physical_file(self):
        return self.make("cuMemExportToShareableHandle", self.address("physical"), 1,
                         C.c_ulonglong(0), out=C.c_int)

    def range(self):
        return self.make("cuMemAddressReserve", C.c_size_t(2 << 20), C.c_size_t(0), C.c_uint64(0),
                         C.c_ulonglong(0), out=C.c_uint64)

    def mapped(self):
        at = self.range()
        self.ok(self.library.cuMemMap(C.c_uint64(at), C.c_size_t(2 << 20), C.c_size_t(0),
                                      self.address("physical"), C.c_ulonglong(0)))
        return at

    def multicast_prop(self):
        return self.bytes("I4xQQQ", 1, 2 << 20, 1, 0)

    def multicast(self):
        return self.make("cuMulticastCreate", C.c_void_p(self.get("multicast_prop")), out=C.c_uint64)

    def team(self):
        made = self.multicast()
        self.ok(self.library.cuMulticastAddDevice(C.c_uint64(made), 0))
        return made

    def bound(self):
        made = self.team()
        self.ok(self.library.cuMulticastBindMem(
            C.c_uint64(made), C.c_size_t(0), self.address("physical"), C.c_size_t(0),
            C.c_size_t(2 << 20), C.c_ulonglong(0)))
        return made

    # --- arrays: 16 by 16 bytes ---

    def array_desc(self):
        return self.bytes("QQiI", 16, 16, 1, 1)

    def array_desc_v1(self):
        return self.bytes("4I", 16, 16, 1, 1)

    def array3d_desc(self):
        return self.bytes("QQQiII4x", 16, 16, 4, 1, 1, 0)

    def array3d_desc_v1(self):
        return self.bytes("6I", 16, 16, 4, 1, 1, 0)

    def array(self):
        return self.make("cuArrayCreate_v2", C.c_void_p(self.get("array_desc")))

    def array2(self):
        return self.array()

    def row(self):
        return self.make("cuArrayCreate_v2", C.c_void_p(self.bytes("QQiI", 64, 0, 1, 1)))

    def row2(self):
        return self.row()

    def mipmapped(self):
        desc = self.bytes("QQQiII4x", 16, 16, 0, 1, 1, 0)
        return self.make("cuMipmappedArrayCreate", C.c_void_p(desc), 3)

    def surface_array(self):
        return self.make("cuArray3DCreate_v2", C.c_void_p(self.bytes("QQQiII4x", 16, 16, 0, 1, 1, 2)))

    # --- textures and surfaces ---

    def resource_of(self, kind, form, *values, flags=0):
        at = self.bytes(f"i4x{form}", kind, *values)
        C.memmove(at + 136, struct.pack("I", flags), 4)
        return at

    def array_resource(self):
        return self.resource_of(0, "Q", self.get("array"))

    def stale_resource(self):
        return self.resource_of(0, "Q", 0x7ABCDEF0)

    def flagged_resource(self):
        return self.resource_of(0, "Q", self.get("array"), flags=1)

    def mipmapped_resource(self):
        return self.resource_of(1, "Q", self.get("mipmapped"))

    def linear_resource(self):
        return self.resource_of(2, "QiIQ", self.get("mem"), 0x20, 1, 4096)

    def shifted_resource(self):
        return self.resource_of(2, "QiIQ", self.get("mem") + 256, 0x20, 1, 1024)

    def long_resource(self):
        return self.resource_of(2, "QiIQ", self.get("mem"), 0x20, 1, 4100)

    def rows_resource(self):
        return self.resource_of(3, "QiIQQQ", self.get("mem"), 1, 1, 16, 16, 32)

    def surface_resource(self):
        return self.resource_of(0, "Q", self.get("surface_array"))

    def sampling(self, filter, flags):
        return self.bytes("4i2Ii7f48x", 1, 1, 1, filter, flags, 1, 0, *[0.0] * 7)

    def texture_desc(self):
        return self.sampling(0, 1)

    def linear_texture_desc(self):
        return self.sampling(1, 0)

    def filtered_integers(self):
        return self.sampling(1, 1)

    def seamless_texture_desc(self):
        return self.sampling(0, 0x40)

    def odd_texture_desc(self):
        return self.sampling(2, 0)

    def view_of(self, form, width, layer=0):
        return self.bytes("i4xQQQ4I64x", form, width, 16, 0, 0, 0, layer, layer)

    def view(self):
        return self.view_of(4, 16)

    def wide_view(self):
        return self.view_of(4, 17)

    def layered_view(self):
        return self.view_of(4, 16, layer=1)

    def block_view(self):
        return self.view_of(0x19, 64)

    def texture_of(self, view):
        return self.make("cuTexObjectCreate", C.c_void_p(self.get("array_resource")),
                         C.c_void_p(self.get("texture_desc")), view, out=C.c_uint64)

    def texture(self):
        return self.texture_of(None)

    def viewed_texture(self):
        return self.texture_of(C.c_void_p(self.get("view")))

    def surface(self):
        return self.make("cuSurfObjectCreate", C.c_void_p(self.get("surface_resource")),
                         out=C.c_uint64)

    def own_texref(self):
        return self.make("cuTexRefCreate")

    def texref(self):
        return self.make("cuModuleGetTexRef", self.handle("module"), b"image")

    def texref_after(self, name, *arguments):
        made = self.own_texref()
        self.ok(getattr(self.library, name)(C.c_void_p(made), *arguments))
        return made

    def bound_texref(self):
        return self.texref_after("cuTexRefSetArray", self.handle("array"), 1)

    def mipmapped_texref(self):
        return self.texref_after("cuTexRefSetMipmappedArray", self.handle("mipmapped"), 1)

    def rows_texref(self):
        return self.texref_after("cuTexRefSetAddress2D_v3", C.c_void_p(self.get("array_desc")),
                                 self.address("mem"), C.c_size_t(32))

    def border_texref(self):
        return self.texref_after("cuTexRefSetAddressMode", 0, 3)

    def linear_texref(self):
        made = self.own_texref()
        self.ok(self.library.cuTexRefSetAddress_v2(None, C.c_void_p(made), self.address("mem"),
                                                   C.c_size_t(64)))
        return made

    def low_texref(self):
        made = self.own_texref()
        self.ok(self.library.cuTexRefSetAddress(None, C.c_void_p(made), C.c_uint(self.get("low")), 64))
        return made

    def surfref(self):
        return self.make("cuModuleGetSurfRef", self.handle("module"), b"target")

    def unbound_surfref(self):
        return self.make("cuModuleGetSurfRef", self.handle("module"), b"other_target")

    def bound_surfref(self):
        made = self.surfref()
        self.ok(self.library.cuSurfRefSetArray(C.c_void_p(made), self.handle("surface_array"), 0))
        return made

    # --- copies of 4 rows of 16 bytes ---

    def copy2d_of(self, source, target):
        side = {"device": 2, "host": 1}
        words = {"device": ("mem", "mem2"), "host": ("pageable", "pageable2")}
        kinds = [side[source], side[target]]
        at = [self.get(words[source][0]), self.get(words[target][1])]
        return self.bytes("2Qi4x4Q2Qi4x4Q2Q", 0, 0, kinds[0], at[0], at[0], 0, 16, 0, 0, kinds[1],
                          at[1], at[1], 0, 16, 16, 4)

    def copy2d(self):
        return self.copy2d_of("device", "device")

    def copy2d_to_host(self):
        return self.copy2d_of("device", "host")

    def copy2d_v1(self):
        source, target = self.get("low"), self.get("low2")
        return self.bytes("@IIiPIPIIIiPIPIII",
                          0, 0, 2, 0, source, 0, 16, 0, 0, 2, 0, target, 0, 16, 16, 4)

    def copy3d_of(self, context):
        source, target = self.get("mem"), self.get("mem2")
        return self.bytes("4Qi4x6Q4Qi4x6Q3Q", 0, 0, 0, 0, 2, source, source, 0, context, 16, 4, 0, 0,
                          0, 0, 2, target, target, 0, context, 16, 4, 16, 4, 1)

    def copy3d(self):
        return self.copy3d_of(0)

    def copy3d_peer(self):
        return self.copy3d_of(self.get("ctx"))

    def copy3d_v1(self):
        source, target = self.get("low"), self.get("low2")
        return self.bytes("@4IiPIPP2I4IiPIPP2I3I", 0, 0, 0, 0, 2, 0, source, 0, 0, 16, 4, 0, 0, 0, 0,
                          2, 0, target, 0, 0, 16, 4, 16, 4, 1)

    def batch_attributes(self):
        return self.bytes("i2i2iI", 1, 1, 0, 1, 0, 0)

    def batch_3d(self):
        operand = "i4xQQQ2i"
        return self.bytes(f"{operand}{operand}3QiI", 1, self.get("mem"), 0, 0, 1, 0, 1,
                          self.get("mem2"), 0, 0, 1, 0, 16, 1, 1, 1, 0)

    # --- modules ---

    def ptx(self):
        memory = C.create_string_buffer(PTX)
        self.kept.append(memory)
        return C.addressof(memory)

    def ptx_file(self):
        path = f"/tmp/heddle-call-table-{os.getpid()}.ptx"
        with open(path, "wb") as file:
            file.write(PTX)
        self.kept.append(RemovedFile(path))
        memory = C.create_string_buffer(path.encode())
        self.kept.append(memory)
        return C.addressof(memory)

    def module(self):
        return self.make("cuModuleLoadData", PTX)

    def func(self):
        return self.make("cuModuleGetFunction", self.handle("module"), b"plain")

    def takes(self):
        return self.make("cuModuleGetFunction", self.handle("module"), b"takes")

    def set_up(self):
        """A function with a block shape, for the launches of CUDA 3."""
        made = self.func()
        self.ok(self.library.cuFuncSetBlockShape(C.c_void_p(made), 32, 1, 1))
        return made

    def lib(self):
        return self.make("cuLibraryLoadData", PTX, None, None, 0, None, None, 0)

    def kernel(self):
        return self.make("cuLibraryGetKernel", self.handle("lib"), b"plain")

    def kernel_takes(self):
        return self.make("cuLibraryGetKernel", self.handle("lib"), b"takes")

    def link(self):
        made = C.c_void_p()
        self.ok(self.library.cuLinkCreate_v2(0, None, None, C.byref(made)))
        return made.value

    def full_link(self):
        made = self.link()
        self.ok(self.library.cuLinkAddData_v2(C.c_void_p(made), 1, PTX, C.c_size_t(len(PTX) + 1),
                                              b"a", 0, None, None))
        return made

    def launch_config(self):
        return self.bytes("7I4xQQI4x", 1, 1, 1, 32, 1, 1, 0, self.get("stream"), 0, 0)

    def cluster_config(self):
        attribute = self.bytes("i4x3I52x", 4, 2, 1, 1)
        return self.bytes("7I4xQQI4x", 2, 1, 1, 32, 1, 1, 0, self.get("stream"), attribute, 1)

    def team_launch(self):
        return self.bytes("Q7I4xQQ", self.get("func"), 1, 1, 1, 32, 1, 1, 0, self.get("stream"), 0)

    # --- graphs ---

    def graph(self):
        return self.make("cuGraphCreate", 0)

    def child(self):
        return self.make("cuGraphCreate", 0)

    def into(self, name, *arguments):
        return self.make(name, self.handle("graph"), None, C.c_size_t(0), *arguments)

    def kernel_params(self):
        return self.bytes("Q7I4x4Q", self.get("func"), 1, 1, 1, 32, 1, 1, 0, 0, 0, 0, 0)

    def memset_params(self):
        return self.bytes("QQIIQQ", self.get("mem"), 0, 1, 4, 16, 1)

    def host_params(self):
        return self.bytes("QQ", self.get("callback"), 0)

    def alloc_params(self):
        return self.bytes("4i72xQQQQ", 1, 0, 1, 0, 0, 0, 4096, 0)

    def word_op(self):
        return self.bytes("i4xQQI4xQQ", 2, self.get("mem"), 1, 0, 0, 0)

    def words_params(self):
        return self.bytes("QI4xQI4x", self.get("ctx"), 1, self.get("word_op"), 0)

    def node_params(self):
        kernel = C.string_at(self.get("kernel_params"), 72)
        return self.bytes("4I232s8x", 0, 0, 0, 0, kernel)

    def knode(self):
        return self.into("cuGraphAddKernelNode_v2", C.c_void_p(self.get("kernel_params")))

    def knode2(self):
        return self.knode()

    def cnode(self):
        return self.into("cuGraphAddMemcpyNode", C.c_void_p(self.get("copy3d")), self.handle("ctx"))

    def snode(self):
        return self.into("cuGraphAddMemsetNode", C.c_void_p(self.get("memset_params")),
                         self.handle("ctx"))

    def hnode(self):
        return self.into("cuGraphAddHostNode", C.c_void_p(self.get("host_params")))

    def gnode(self):
        return self.into("cuGraphAddChildGraphNode", self.handle("child"))

    def enode(self):
        return self.into("cuGraphAddEmptyNode")

    def enode2(self):
        return self.enode()

    def joined(self):
        """A node that comes after `enode`."""
        made = self.enode()
        self.ok(self.library.cuGraphAddDependencies(
            self.handle("graph"), C.c_void_p(self.list("enode")),
            C.c_void_p(self.bytes("Q", made)), C.c_size_t(1)))
        return made

    def rnode(self):
        return self.into("cuGraphAddEventRecordNode", self.handle("event"))

    def wnode(self):
        return self.into("cuGraphAddEventWaitNode", self.handle("event"))

    def bnode(self):
        return self.into("cuGraphAddBatchMemOpNode", C.c_void_p(self.get("words_params")))

    def anode(self):
        return self.into("cuGraphAddMemAllocNode", C.c_void_p(self.get("alloc_params")))

    def graph_memory(self):
        self.get("anode")
        return struct.unpack_from("Q", C.string_at(self.get("alloc_params"), 120), 112)[0]

    def fnode(self):
        return self.into("cuGraphAddMemFreeNode", self.address("graph_memory"))

    def clone(self):
        self.get("enode")
        return self.make("cuGraphClone", self.handle("graph"))

    def exec(self):
        return self.make("cuGraphInstantiateWithFlags", self.handle("graph"), C.c_ulonglong(0))

    def graph_with(self, word):
        self.get(word)
        return self.get("exec")

    def exec_k(self):
        return self.graph_with("knode")

    def exec_c(self):
        return self.graph_with("cnode")

    def exec_s(self):
        return self.graph_with("snode")

    def exec_h(self):
        return self.graph_with("hnode")

    def exec_g(self):
        return self.graph_with("gnode")

    def exec_r(self):
        return self.graph_with("rnode")

    def exec_w(self):
        return self.graph_with("wnode")

    def exec_b(self):
        return self.graph_with("bnode")

    def instantiate_params(self):
        return self.bytes("QQQI4x", 0, 0, 0, 0)

    def user(self):
        return self.make("cuUserObjectCreate", None, C.c_void_p(self.get("callback")), 4, 1)

    def owner(self):
        """A graph that has a reference to `user`."""
        made = self.make("cuGraphCreate", 0)
        self.ok(self.library.cuGraphRetainUserObject(C.c_void_p(made), self.handle("user"), 2, 0))
        return made

    # --- green contexts, notifications, logs ---

    def resource(self):
        at = self.bytes("256x")
        self.ok(self.library.cuDeviceGetDevResource(0, C.c_void_p(at), 1))
        return at

    def desc(self):
        return self.make("cuDevResourceGenerateDesc", C.c_void_p(self.get("resource")), 1)

    def green(self):
        return self.make("cuGreenCtxCreate", self.handle("desc"), 0, 1)

    def green_event(self):
        view = self.make("cuCtxFromGreenCtx", self.handle("green"))
        self.ok(self.library.cuCtxPushCurrent_v2(C.c_void_p(view)))
        event = self.event()
        self.ok(self.library.cuCtxPopCurrent_v2(None))
        return event

    def one(self):
        return self.bytes("Q", 1)

    def notification(self):
        made = C.c_void_p()
        self.ok(self.library.cuDeviceRegisterAsyncNotification(
            0, C.c_void_p(self.get("callback")), None, C.byref(made)))
        return made.value

    def log_callback(self):
        made = C.c_void_p()
        self.ok(self.library.cuLogsRegisterCallback(C.c_void_p(self.get("callback")), None,
                                                    C.byref(made)))
        return made.value

    def log_file(self):
        path = f"/tmp/heddle-call-table-{os.getpid()}.log"
        self.kept.append(RemovedFile(path))
        memory = C.create_string_buffer(path.encode())
        self.kept.append(memory)
        return C.addressof(memory)

    def pci(self):
        at = self.bytes("64x")
        self.ok(self.library.cuDeviceGetPCIBusId(C.c_void_p(at), 64, 0))
        return at

    def room(self):
        return self.bytes("Q", 512)


class RemovedFile:
    """A file that is removed however the process ends: it is unlinked as soon as it has been used."""

    def __init__(self, path):
        self.path = path
        threading.Timer(0.5, self.remove).start()

    def remove(self):
        try:
            os.remove(self.path)
        except FileNotFoundError:
            pass


def call_handle():
    class Handle(C.Structure):
        _fields_ = [("reserved", C.c_char * 64)]
    return Handle
