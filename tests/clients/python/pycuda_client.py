# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyCUDA: modules from PTX and from CUDA C++, and its arrays, whose kernels nvcc compiles."""

import functools
from pathlib import Path

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cu
from checks import check, finish
from pycuda import compiler, gpuarray
from pycuda.curandom import rand
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

rng = np.random.default_rng(4)
x, y = rng.random(10000, np.float32), rng.random(10000, np.float32)
print(cu.Device(0).name(), cu.Device(0).compute_capability(), cu.get_driver_version())

ptx = Path(__file__).resolve().parents[3] / "examples/saxpy.ptx"
saxpy = cu.module_from_buffer(ptx.read_bytes() + b"\0").get_function("saxpy")
out = y.copy()
saxpy(np.uint32(x.size), np.float32(2.5), cu.In(x), cu.InOut(out), block=(256, 1, 1), grid=(40, 1))
check("module from PTX", out, np.float32(2.5) * x + y, 1e-6)

stream, start, end = cu.Stream(), cu.Event(), cu.Event()
pinned = cu.pagelocked_empty(x.shape, np.float32)
memory = cu.mem_alloc(x.nbytes)
start.record(stream)
cu.memcpy_htod_async(memory, x, stream)
saxpy(np.uint32(x.size), np.float32(1), memory, memory, block=(256, 1, 1), grid=(40, 1), stream=stream)
cu.memcpy_dtoh_async(pinned, memory, stream)
end.record(stream)
end.synchronize()
check("stream", pinned, x + x)
check("events", [start.time_till(end) > 0], [True])

code = """
__constant__ float factor[2];
__global__ void scale(float* data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = data[i] * factor[0] + factor[1];
}
"""
# By default PyCUDA compiles machine code with nvcc for SourceModule and for arrays.
compiler.compile = functools.partial(compiler.compile, target="ptx")
module = compiler.SourceModule(code)
address, size = module.get_global("factor")
cu.memcpy_htod(address, np.array([2, 1], np.float32))
scaled = x.copy()
module.get_function("scale")(cu.InOut(scaled), block=(250, 1, 1), grid=(40, 1))
check("CUDA C++", scaled, x * 2 + 1, 1e-6)
check("size of a variable", [size], [8])

a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
check("arrays", (2 * a + b * b - 1).get(), 2 * x + y * y - 1, 1e-6)
combine = ElementwiseKernel("float *a, float *b, float *c", "c[i] = a[i] > b[i] ? a[i] : sqrtf(b[i])", "combine")
combine(a, b, c := gpuarray.empty_like(a))
check("element by element", c.get(), np.where(x > y, x, np.sqrt(y)), 1e-6)
dot = ReductionKernel(np.float64, neutral="0", reduce_expr="a+b", map_expr="(double)x[i]*y[i]",
                      arguments="float *x, float *y")
check("reduction", [dot(a, b).get()], [np.dot(x.astype(np.float64), y)], 1e-9)
check("sum and maximum", [gpuarray.sum(a).get(), gpuarray.max(b).get()], [x.sum(), y.max()], 1e-5)
numbers = gpuarray.to_gpu(np.arange(5000, dtype=np.int32))
InclusiveScanKernel(np.int32, "a+b")(numbers)
check("prefix sums", numbers.get(), np.cumsum(np.arange(5000)))
check("random numbers", [rand((20000,), np.float32).get().mean()], [0.5], 0.01)
finish()
