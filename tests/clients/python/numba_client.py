# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numba: kernels that Numba and libNVVM compile, and nvJitLink links."""

import math
import warnings

import numpy as np
from checks import check, finish

warnings.simplefilter("ignore")

from numba import cuda as nb  # noqa: E402
from numba import float32, int32, vectorize  # noqa: E402

rng = np.random.default_rng(3)
TILE = 16


@nb.jit
def add(x, y, out):
    i = nb.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


@nb.jit
def product(a, b, out):
    """The product of two square matrices, tile by tile in shared memory."""
    row, column = nb.grid(2)
    tile_a = nb.shared.array((TILE, TILE), float32)
    tile_b = nb.shared.array((TILE, TILE), float32)
    x, y = nb.threadIdx.x, nb.threadIdx.y
    total = float32(0)
    for k in range(a.shape[1] // TILE):
        tile_a[x, y] = a[row, k * TILE + y]
        tile_b[x, y] = b[k * TILE + x, column]
        nb.syncthreads()
        for i in range(TILE):
            total += tile_a[x, i] * tile_b[i, y]
        nb.syncthreads()
    out[row, column] = total


@nb.jit
def histogram(values, bins):
    for i in range(nb.grid(1), values.size, nb.gridsize(1)):
        nb.atomic.add(bins, values[i], 1)


@nb.jit
def functions(x, out):
    i = nb.grid(1)
    if i < x.size:
        out[i] = math.sin(x[i]) * math.exp(-x[i]) + math.sqrt(math.log(x[i] + 2)) + math.erf(x[i]) ** 3


@nb.jit(device=True)
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@nb.jit
def collatz_kernel(out):
    i = nb.grid(1)
    if i < out.size:
        out[i] = collatz(i + 1)


@nb.jit
def warp_sum(x, out):
    value = x[nb.grid(1)]
    for distance in (16, 8, 4, 2, 1):
        value += nb.shfl_down_sync(0xFFFFFFFF, value, distance)
    if nb.laneid == 0:
        out[nb.grid(1) // 32] = value


@nb.jit
def shift(values, rounds):
    """Each element repeatedly becomes the element one block ahead plus one, with a barrier of the grid in between."""
    grid = nb.cg.this_grid()
    for _ in range(rounds):
        ahead = values[(nb.grid(1) + nb.blockDim.x) % nb.gridsize(1)]
        grid.sync()
        values[nb.grid(1)] = ahead + 1
        grid.sync()


@vectorize([float32(float32, float32)], target="cuda")
def hypotenuse(a, b):
    return math.sqrt(a * a + b * b)


@nb.reduce
def largest(a, b):
    return a if a > b else b


x, y = rng.random(5000, np.float32), rng.random(5000, np.float32)
out = np.zeros_like(x)
add[20, 256](x, y, out)
check("add, host arrays", out, x + y)

stream = nb.stream()
a, b = (nb.to_device(rng.random((64, 64), np.float32), stream=stream) for _ in range(2))
c = nb.device_array((64, 64), np.float32, stream=stream)
product[(4, 4), (TILE, TILE), stream](a, b, c)
stream.synchronize()
check("matrix product, shared memory", c.copy_to_host(), a.copy_to_host() @ b.copy_to_host(), 1e-5)

values = rng.integers(0, 32, 20000).astype(np.int32)
bins = nb.to_device(np.zeros(32, np.int32))
histogram[8, 128](values, bins)
check("histogram, atomics", bins.copy_to_host(), np.bincount(values, minlength=32))

double = rng.random(2000) * 3
wide = np.zeros_like(double)
functions[8, 256](double, wide)
want = [math.sin(v) * math.exp(-v) + math.sqrt(math.log(v + 2)) + math.erf(v) ** 3 for v in double]
check("libdevice, double", wide, want, 1e-13)

steps = np.zeros(1000, np.int32)
collatz_kernel[4, 256](steps)


def collatz_of(n):
    return 0 if n == 1 else 1 + collatz_of(n // 2 if n % 2 == 0 else 3 * n + 1)


check("device function, divergent loops", steps, [collatz_of(i + 1) for i in range(1000)])

numbers = np.arange(256, dtype=np.int32)
sums = np.zeros(8, np.int32)
warp_sum[2, 128](numbers, sums)
check("shuffles", sums, numbers.reshape(8, 32).sum(axis=1))
check("vectorize", hypotenuse(x, y), np.sqrt(x * x + y * y), 1e-6)
check("reduce", [largest(nb.to_device(double))], [double.max()])

start_values = rng.integers(0, 1000, 6 * 64).astype(np.int32)
shifted = nb.to_device(start_values)
shift[6, 64](shifted, 7)
check("grid-wide barrier, libcudadevrt.a", shifted.copy_to_host(), np.roll(start_values, -7 * 64) + 7)

start, end = nb.event(), nb.event()
start.record()
add[20, 256](x, y, out)
end.record()
end.synchronize()
check("events", [nb.event_elapsed_time(start, end) > 0], [True])
finish()
