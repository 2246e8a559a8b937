# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda-bindings: the driver API from Python. A module from PTX, launches, memory, streams, events, a graph."""

import ctypes
import sys
from pathlib import Path

import numpy as np
from checks import check, finish
from cuda.bindings import driver as cu

PTX = Path(__file__).resolve().parents[3] / "examples/saxpy.ptx"
N = 10000


def call(function, *arguments):
    error, *result = function(*arguments)
    if error != cu.CUresult.CUDA_SUCCESS:
        sys.exit(f"{function.__name__}: {cu.cuGetErrorName(error)[1].decode()}")
    return result[0] if len(result) == 1 else result


def pointer(array):
    return array.ctypes.data


call(cu.cuInit, 0)
device = call(cu.cuDeviceGet, 0)
print(call(cu.cuDeviceGetName, 100, device).split(b"\0")[0].decode(), call(cu.cuDriverGetVersion))
context = call(cu.cuDevicePrimaryCtxRetain, device)
call(cu.cuCtxSetCurrent, context)
module = call(cu.cuModuleLoadData, PTX.read_bytes() + b"\0")
saxpy = call(cu.cuModuleGetFunction, module, b"saxpy")
stream = call(cu.cuStreamCreate, 0)
start, end = (call(cu.cuEventCreate, 0) for _ in range(2))

rng = np.random.default_rng(1)
x, y = rng.random(N, np.float32), rng.random(N, np.float32)
device_x, device_y = (call(cu.cuMemAlloc, x.nbytes) for _ in range(2))
values = (N, 2.5, device_x, device_y)
arguments = (values, (ctypes.c_uint32, ctypes.c_float, None, None))


def launch(on):
    call(cu.cuLaunchKernel, saxpy, (N + 255) // 256, 1, 1, 256, 1, 1, 0, on, arguments, 0)


def result():
    out = np.empty_like(y)
    call(cu.cuMemcpyDtoH, pointer(out), device_y, out.nbytes)
    return out


call(cu.cuEventRecord, start, stream)
call(cu.cuMemcpyHtoDAsync, device_x, pointer(x), x.nbytes, stream)
call(cu.cuMemcpyHtoDAsync, device_y, pointer(y), y.nbytes, stream)
launch(stream)
call(cu.cuEventRecord, end, stream)
call(cu.cuEventSynchronize, end)
once = np.float32(2.5) * x + y
check("kernel in a stream", result(), once, 1e-6)
check("time between events", [call(cu.cuEventElapsedTime, start, end) > 0], [True])

call(cu.cuStreamBeginCapture, stream, cu.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL)
launch(stream)
launch(stream)
graph = call(cu.cuStreamEndCapture, stream)
executable = call(cu.cuGraphInstantiate, graph, 0)
call(cu.cuGraphLaunch, executable, stream)
call(cu.cuStreamSynchronize, stream)
check("captured graph", result(), once + np.float32(5) * x, 1e-6)

call(cu.cuMemsetD32, device_y, 0x40400000, N)
check("memset", result(), np.full(N, 3, np.float32))
managed = call(cu.cuMemAllocManaged, x.nbytes, cu.CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL.value)
view = np.ctypeslib.as_array((ctypes.c_float * N).from_address(int(managed)))
view[:] = x
values = (N, 2.0, managed, device_y)
arguments = (values, (ctypes.c_uint32, ctypes.c_float, None, None))
launch(0)
call(cu.cuCtxSynchronize)
check("managed memory", result(), 2 * x + 3, 1e-6)

error, _ = cu.cuModuleLoadData(b".version 7.0\n.target sm_70\nnonsense\0")
check("wrong PTX is refused", [int(error)], [int(cu.CUresult.CUDA_ERROR_INVALID_PTX)])
del view
for memory in device_x, device_y, managed:
    call(cu.cuMemFree, memory)
call(cu.cuGraphExecDestroy, executable)
call(cu.cuGraphDestroy, graph)
call(cu.cuStreamDestroy, stream)
call(cu.cuModuleUnload, module)
call(cu.cuDevicePrimaryCtxRelease, device)
finish()
