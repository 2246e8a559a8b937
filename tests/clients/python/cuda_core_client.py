# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda.core: CUDA C++ through NVRTC to PTX, launched by the Python classes for devices and streams."""

import numpy as np
from checks import check, finish
from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch

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
options = ProgramOptions(std="c++17", arch=f"compute_{device.arch}")
names = {np.float64: "row_sums<double>", np.int32: "row_sums<int>"}
code = Program(CODE, code_type="c++", options=options).compile("ptx", name_expressions=list(names.values()))

pinned = LegacyPinnedMemoryResource()
for kind, name in names.items():
    table = (np.random.default_rng(2).random((ROWS, COLUMNS)) * 1000).astype(kind)
    size = ROWS * table.itemsize
    host_table, host_sums = pinned.allocate(table.nbytes), pinned.allocate(size)
    np.from_dlpack(host_table).view(kind)[:] = table.ravel()
    device_table, device_sums = (device.allocate(n, stream=stream) for n in (table.nbytes, size))
    host_table.copy_to(device_table, stream=stream)
    shape = LaunchConfig(grid=ROWS, block=128)
    launch(stream, shape, code.get_kernel(name), device_table, device_sums, np.int32(COLUMNS))
    device_sums.copy_to(host_sums, stream=stream)
    stream.sync()
    check(name, np.from_dlpack(host_sums).view(kind), table.sum(axis=1), 1e-12)
finish()
