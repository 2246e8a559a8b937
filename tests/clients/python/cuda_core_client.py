# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda.core: CUDA C++ through NVRTC, to PTX and to what stands for machine code and LTO-IR, launched by the Python classes for devices and streams."""

import numpy as np
from checks import check, finish
from cuda.core import (Device, LaunchConfig, LegacyPinnedMemoryResource, Linker, LinkerOptions, Program, ProgramOptions,
                       launch)

CODE = r"""
template <typename T>
__global__ void row_sums(const T* in, T* out, int columns) {
  __shared__ T part[128];
  T sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += in[blockIdx.x * columns + i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (!threadIdx.x) out[blockIdx.x] = part[0];
}
"""
ROWS, COLUMNS = 40, 1000

device = Device()
device.set_current()
stream = device.create_stream()
print(device.name, device.compute_capability)
names = {np.float64: "row_sums<double>", np.int32: "row_sums<int>"}
pinned = LegacyPinnedMemoryResource()
# Machine code and LTO-IR are PTX under another name, which Heddle loads and links.
DOUBLED = "extern __device__ int twice(int); extern \"C\" __global__ void doubled(int* p) { p[threadIdx.x] = twice(threadIdx.x); }"
TWICE = "__device__ int twice(int x) { return 2 * x; }"


def on_device(kernel, shape, arguments, results):
    """The array that the kernel writes to its last argument but the scalars."""
    host, out = pinned.allocate(results.nbytes), device.allocate(results.nbytes, stream=stream)
    launch(stream, shape, kernel, *[out if one is results else one for one in arguments])
    out.copy_to(host, stream=stream)
    stream.sync()
    return np.from_dlpack(host).view(results.dtype)


for form, arch in (("ptx", "compute"), ("cubin", "sm")):
    options = ProgramOptions(std="c++17", arch=f"{arch}_{device.arch}")
    code = Program(CODE, code_type="c++", options=options).compile(form, name_expressions=list(names.values()))
    for kind, name in names.items():
        table = (np.random.default_rng(2).random((ROWS, COLUMNS)) * 1000).astype(kind)
        host_table, device_table = pinned.allocate(table.nbytes), device.allocate(table.nbytes, stream=stream)
        np.from_dlpack(host_table).view(kind)[:] = table.ravel()
        host_table.copy_to(device_table, stream=stream)
        sums = np.zeros(ROWS, kind)
        got = on_device(code.get_kernel(name), LaunchConfig(grid=ROWS, block=128), [device_table, sums, np.int32(COLUMNS)], sums)
        check(f"{name}, {form}", got, table.sum(axis=1), 1e-12)

options = ProgramOptions(arch=f"sm_{device.arch}", link_time_optimization=True)
parts = [Program(text, code_type="c++", options=options).compile("ltoir") for text in (DOUBLED, TWICE)]
linked = Linker(*parts, options=LinkerOptions(arch=f"sm_{device.arch}", link_time_optimization=True)).link("cubin")
numbers = np.zeros(64, np.int32)
check("linked LTO-IR", on_device(linked.get_kernel("doubled"), LaunchConfig(grid=1, block=64), [numbers], numbers),
      2 * np.arange(64))
finish()
