# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Taichi: kernels that its own copy of LLVM compiles to PTX."""

import numpy as np
import taichi as ti
from checks import check, finish

ti.init(arch=ti.cuda, log_level=ti.WARN)
N = 1000
rng = np.random.default_rng(3)

x = ti.field(ti.f32, shape=N)
total = ti.field(ti.f64, shape=())
counts = ti.field(ti.i32, shape=16)
grid = ti.Vector.field(2, ti.f32, shape=(16, 16))


@ti.kernel
def square():
    for i in x:
        x[i] = x[i] * x[i] + 1


@ti.kernel
def add_up():
    for i in x:
        total[None] += x[i]
        counts[ti.cast(x[i] * 100, ti.i32) % 16] += 1


@ti.kernel
def rotate(angle: ti.f32):
    for i, j in grid:
        p = ti.Vector([i - 7.5, j - 7.5])
        grid[i, j] = ti.Matrix([[ti.cos(angle), -ti.sin(angle)], [ti.sin(angle), ti.cos(angle)]]) @ p


@ti.kernel
def collatz(a: ti.types.ndarray(dtype=ti.i32, ndim=1), steps: ti.types.ndarray(dtype=ti.i32, ndim=1)):
    for i in a:
        n, count = a[i], 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        steps[i] = count


@ti.kernel
def hello():
    print("hello from the device", 42)


given = rng.random(N, dtype=np.float32)
x.from_numpy(given)
square()
made = given * given + np.float32(1)
check("fields", x.to_numpy(), made, 1e-6)
add_up()
check("a sum", total[None], made.sum(dtype=np.float64), 1e-6)
check("a histogram", counts.to_numpy(), np.bincount((x.to_numpy() * np.float32(100)).astype(np.int32) % 16, minlength=16))
rotate(0.5)
place = np.stack(np.meshgrid(np.arange(16) - 7.5, np.arange(16) - 7.5, indexing="ij"), axis=-1)
turn = np.array([[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]])
check("matrices", grid.to_numpy(), place @ turn.T, 1e-5)
numbers, steps = np.arange(1, 500, dtype=np.int32), np.zeros(499, dtype=np.int32)
collatz(numbers, steps)


def steps_of(n):
    count = 0
    while n != 1:
        n, count = (n // 2 if n % 2 == 0 else 3 * n + 1), count + 1
    return count


check("loops of different length", steps, np.array([steps_of(int(n)) for n in numbers], dtype=np.int32))
hello()
ti.sync()
finish()
