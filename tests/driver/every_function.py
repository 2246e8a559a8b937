#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls every function that libcuda.so.1 exports, with minimal arguments.

    every_function.py LIBCUDA

Each function is called three times, each time in a separate process: before cuInit, after it without a context, and with
a context. Numbers and handles are zero; pointers are null first, then lead to separate memory: zeroed
where the function only reads, filled with a pattern where it may write. The test checks that

- no call crashes;
- before cuInit a function returns CUDA_ERROR_NOT_INITIALIZED, or is in WITHOUT_INIT;
- with null pointers a function fails, or is in NOTHING_TO_DO with the reason why success is right;
- a successful call has changed the memory, or is in NOTHING_TO_DO;
- a function that the list marks as not written returns CUDA_ERROR_NOT_SUPPORTED and prints its name.

So the test finds a body that returns success without doing anything, if such arguments reach
it. The list of functions is src/driver/functions.list; a new function needs no change here.
"""

import ctypes
import os
import pickle
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import drivergen  # noqa: E402

SUCCESS, INVALID_VALUE, NOT_INITIALIZED, NOT_SUPPORTED = 0, 1, 3, 801
PATTERN = 0xA5
ROOM = 4096

# Functions that work before cuInit.
WITHOUT_INIT = {
    "cuInit", "cuGetErrorString", "cuGetErrorName", "cuDriverGetVersion", "cuGetProcAddress",
    "cuGetProcAddress_v2", "cuGetExportTable", "cuLogsRegisterCallback",
    "cuLogsUnregisterCallback", "cuLogsCurrent", "cuLogsDumpToFile", "cuLogsDumpToMemory",
    # These functions check their arguments first.
    "cuCtxCreate_v3", "cuCtxCreate_v4",
}

# Success without a visible effect, and why that is right for these arguments.
NOTHING_TO_DO = {
    "nothing is freed: the address is null":
        "cuMemFree cuMemFree_v2 cuMemFreeHost cuMemFreeAsync",
    "nothing is copied or set: the size is zero":
        "cuMemcpy cuMemcpyHtoD_v2 cuMemcpyDtoH_v2 cuMemcpyDtoD_v2 cuMemcpyAsync "
        "cuMemcpyHtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoDAsync_v2 "
        "cuMemsetD8_v2 cuMemsetD16_v2 cuMemsetD32_v2 cuMemsetD8Async cuMemsetD16Async "
        "cuMemsetD32Async cuMemsetD2D8_v2 cuMemsetD2D16_v2 cuMemsetD2D32_v2 cuMemsetD2D8Async "
        "cuMemsetD2D16Async cuMemsetD2D32Async cuStreamBatchMemOp cuStreamBatchMemOp_v2 "
        "cuMemcpyHtoD cuMemcpyDtoH cuMemcpyDtoD cuMemcpyHtoDAsync cuMemcpyDtoHAsync "
        "cuMemcpyDtoDAsync cuMemsetD8 cuMemsetD16 cuMemsetD32 cuMemsetD2D8 cuMemsetD2D16 "
        "cuMemsetD2D32",
    "there is no work to wait for":
        "cuCtxSynchronize cuCtxSynchronize_v2 cuStreamSynchronize cuStreamQuery",
    "null stands for no context":
        "cuCtxSetCurrent",
    "zero is a value that may be set, and is there already":
        "cuCtxSetFlags cuCtxSetLimit cuCtxSetCacheConfig cuCtxSetSharedMemConfig "
        "cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2",
    "there is nothing to reset or trim":
        "cuCtxResetPersistingL2Cache cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2 "
        "cuDeviceGraphMemTrim",
    "no profiler listens":
        "cuProfilerStart cuProfilerStop",
    "the default stream has its attributes already":
        "cuStreamCopyAttributes",
    "there are no results to write":
        "cuCtxGetStreamPriorityRange",
    "a context is popped, and nobody wants its handle":
        "cuCtxPopCurrent cuCtxPopCurrent_v2",
    "a capture begins, which the stream shows":
        "cuStreamBeginCapture cuStreamBeginCapture_v2",
    "is initialised already":
        "cuInit",
    "the attributes of nothing, of no pointer":
        "cuPointerGetAttributes",
}
REASON = {name: reason for reason, names in NOTHING_TO_DO.items() for name in names.split()}

INTEGERS = {
    "int": ctypes.c_int, "unsigned int": ctypes.c_uint, "unsigned": ctypes.c_uint,
    "unsigned char": ctypes.c_ubyte, "unsigned short": ctypes.c_ushort, "size_t": ctypes.c_size_t,
    "unsigned long long": ctypes.c_ulonglong, "cuuint64_t": ctypes.c_uint64,
    "cuuint32_t": ctypes.c_uint32, "CUdeviceptr": ctypes.c_uint64, "CUdeviceptr_v1": ctypes.c_uint,
    "CUdevice": ctypes.c_int, "CUtexObject": ctypes.c_uint64, "CUsurfObject": ctypes.c_uint64,
    "CUmemGenericAllocationHandle": ctypes.c_uint64, "CUgraphConditionalHandle": ctypes.c_uint64,
}


class Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class Handle64(ctypes.Structure):
    _fields_ = [("reserved", ctypes.c_char * 64)]


class EglFrame(ctypes.Structure):
    _fields_ = [("planes", ctypes.c_void_p * 3), ("numbers", ctypes.c_int * 9)]


STRUCTS = {"CUeglFrame": EglFrame, "CUmemLocation": Location, "CUipcMemHandle": Handle64,
           "CUipcEventHandle": Handle64}
HANDLES = {"CUcontext", "CUmodule", "CUfunction", "CUlibrary", "CUkernel", "CUarray",
           "CUmipmappedArray", "CUtexref", "CUsurfref", "CUevent", "CUstream",
           "CUgraphicsResource", "CUexternalMemory", "CUexternalSemaphore", "CUgraph",
           "CUgraphNode", "CUgraphExec", "CUmemoryPool", "CUuserObject", "CUlinkState",
           "CUgreenCtx", "CUdevResourceDesc", "CUasyncCallbackHandle", "CUlogsCallbackHandle",
           "EGLImageKHR", "EGLStreamKHR", "EGLSyncKHR", "CUhostFn", "CUstreamCallback", "CUoccupancyB2DSize", "CUasyncCallback",
           "CUlogsCallback"}


class Call:
    """One call: the arguments, and the memory that they lead to."""

    def __init__(self, function, with_memory):
        self.arguments, self.written = [], []
        for param in function.params:
            kind = param.type
            if kind.endswith("*"):
                self.arguments.append(self.pointer(kind) if with_memory else ctypes.c_void_p(None))
            elif kind in HANDLES:
                self.arguments.append(ctypes.c_void_p(None))
            elif kind in STRUCTS:
                self.arguments.append(STRUCTS[kind]())
            elif kind in ("float", "double"):
                self.arguments.append(getattr(ctypes, "c_" + kind)(0))
            else:  # all types that are not integers are enumerations
                self.arguments.append(INTEGERS.get(kind, ctypes.c_int)(0))

    def pointer(self, kind):
        memory = ctypes.create_string_buffer(ROOM)
        if not kind.startswith("const") or kind.endswith("**"):
            ctypes.memset(memory, PATTERN, ROOM)
            self.written.append(memory)
        return memory

    def has_written(self):
        return any(memory.raw != bytes([PATTERN]) * ROOM for memory in self.written)


def in_child(work):
    """The result of `work()` in a separate process, and its output to stderr."""
    read, write = os.pipe()
    errors = os.memfd_create("stderr")
    child = os.fork()
    if child == 0:
        os.dup2(errors, 2)
        os.write(write, pickle.dumps(work()))
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    os.lseek(errors, 0, os.SEEK_SET)
    with os.fdopen(errors, "rb") as file:
        said = file.read().decode(errors="replace")
    return (pickle.loads(answer) if os.WIFEXITED(status) and answer else None), said


def prepare(library, stage):
    if stage != "uninitialized":
        assert library.cuInit(0) == SUCCESS
    if stage == "context":
        context = ctypes.c_void_p()
        assert library.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == SUCCESS


def check(library, function, export, stage, with_memory):
    """The complaint about one call, or None."""
    def work():
        prepare(library, stage)
        call = Call(function, with_memory)
        result = getattr(library, export)(*call.arguments)
        return result, call.has_written()

    answer, said = in_child(work)
    if answer is None:
        return "crashes"
    result, has_written = answer
    if not function.written:
        if result != NOT_SUPPORTED or function.symbol not in said:
            return f"is not written, but returns {result} and says {said!r}"
        return None
    if stage == "uninitialized":
        if function.symbol in WITHOUT_INIT or result == NOT_INITIALIZED:
            return None
        return f"returns {result} before cuInit"
    if result != SUCCESS or function.symbol in REASON:
        return None
    if function.symbol in WITHOUT_INIT and not with_memory and not function.params:
        return None
    if with_memory and has_written:
        return None
    return "returns success without having done anything"


def main():
    library = ctypes.CDLL(sys.argv[1])
    functions = drivergen.parse_list((ROOT / "src/driver/functions.list").read_text())
    calls, complaints = 0, []
    for function in functions:
        for export in function.exports:
            for stage in ("uninitialized", "no context", "context"):
                for with_memory in (False, True):
                    calls += 1
                    complaint = check(library, function, export, stage, with_memory)
                    if complaint:
                        memory = "with memory" if with_memory else "null pointers"
                        complaints.append(f"{export} ({stage}, {memory}) {complaint}")
    known = {function.symbol for function in functions}
    complaints += [f"{name} of NOTHING_TO_DO is no function" for name in set(REASON) - known]
    print("\n".join(complaints))
    print(f"{calls} calls, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
