# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton: matrix products of all types, block-scaled products, attention and tensor descriptors, for several targets."""

import re
import warnings

import numpy as np
from checks import check, finish
from cuda.bindings import driver as cu

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget

PTX_VERSION = 90
rng = np.random.default_rng(1)


driver = triton.runtime.driver.active
driver.set_current_device(0)


def call(result):
    assert result[0] == cu.CUresult.CUDA_SUCCESS, result[0]
    return result[1] if len(result) == 2 else None


class Array:
    """What Triton asks of an argument: an address and a type."""

    def __init__(self, values, dtype):
        self.values, self.dtype = np.ascontiguousarray(values), dtype
        self.address = int(call(cu.cuMemAlloc(self.values.nbytes)))
        call(cu.cuMemcpyHtoD(self.address, self.values.ctypes.data, self.values.nbytes))

    def data_ptr(self):
        return self.address

    def get(self):
        call(cu.cuMemcpyDtoH(self.values.ctypes.data, self.address, self.values.nbytes))
        return self.values


def f8(bits, exponent, mantissa):
    """The numbers that bytes stand for: a sign, `exponent` and `mantissa` bits. Neither infinities nor NaNs."""
    bits = bits.astype(int)
    e, m = bits >> mantissa & (1 << exponent) - 1, (bits & (1 << mantissa) - 1) / (1 << mantissa)
    bias = (1 << exponent - 1) - 1
    return np.where(bits & 0x80, -1.0, 1.0) * np.where(e, (1 + m) * 2.0 ** (e - bias), m * 2.0 ** (1 - bias))


def f4(bytes_):
    numbers = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    numbers = np.concatenate([numbers, -numbers])
    return np.stack([numbers[bytes_ & 15], numbers[bytes_ >> 4]], -1).reshape(len(bytes_), -1)


def small(shape):
    """Bytes that are f8 of moderate size."""
    return (rng.integers(0, 256, shape) & 0xbf).astype(np.uint8)


def numbers(kind, rows, columns):
    """An array of a type, and its values as f64."""
    normal = rng.standard_normal((rows, columns)).astype(np.float32)
    if kind == "f16":
        return Array(normal.astype(np.float16), tl.float16), normal.astype(np.float16).astype(float)
    if kind == "bf16":
        bits = (normal.view(np.uint32) >> 16).astype(np.uint16)
        return Array(bits, tl.bfloat16), (bits.astype(np.uint32) << 16).view(np.float32).astype(float)
    if kind == "f32":
        return Array(normal, tl.float32), normal.astype(float)
    if kind == "f64":
        return Array(normal.astype(float), tl.float64), normal.astype(float)
    if kind == "s8":
        bytes_ = rng.integers(-128, 128, (rows, columns)).astype(np.int8)
        return Array(bytes_, tl.int8), bytes_.astype(float)
    if kind == "e2m1":
        bytes_ = rng.integers(0, 256, (rows, columns // 2)).astype(np.uint8)
        return Array(bytes_, tl.uint8), f4(bytes_)
    bytes_ = small((rows, columns))
    if kind == "e4m3":
        return Array(bytes_, tl.float8e4nv), f8(bytes_, 4, 3)
    return Array(bytes_, tl.float8e5), f8(bytes_, 5, 2)


@triton.jit
def product(a, b, d, K, stride, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr,
            SUM: tl.constexpr, PRECISION: tl.constexpr):
    """D = A * B^T; rows of A and B are K long."""
    rows = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)
    columns = tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)
    depth = tl.arange(0, TILE_K)
    total = tl.zeros((TILE_M, TILE_N), dtype=SUM)
    for k in range(0, K, TILE_K):
        of_a = tl.load(a + rows[:, None] * K + (k + depth)[None, :])
        of_b = tl.load(b + columns[None, :] * K + (k + depth)[:, None])
        total = tl.dot(of_a, of_b, total, input_precision=PRECISION, out_dtype=SUM)
    tl.store(d + rows[:, None] * stride + columns[None, :], total)


@triton.jit
def scaled_product(a, scales_a, b, scales_b, d, K, stride, TILE: tl.constexpr, TILE_K: tl.constexpr,
                   BLOCK: tl.constexpr, A: tl.constexpr, B: tl.constexpr, PACK_A: tl.constexpr, PACK_B: tl.constexpr):
    """The same; each BLOCK elements of a row share a scale factor, and a byte has PACK elements."""
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for k in range(0, K, TILE_K):
        of_a = tl.load(a + rows[:, None] * (K // PACK_A) + (k // PACK_A + tl.arange(0, TILE_K // PACK_A))[None, :])
        of_b = tl.load(b + columns[None, :] * (K // PACK_B) + (k // PACK_B + tl.arange(0, TILE_K // PACK_B))[:, None])
        blocks = (k // BLOCK + tl.arange(0, TILE_K // BLOCK))[None, :]
        of_scales_a = tl.load(scales_a + rows[:, None] * (K // BLOCK) + blocks)
        of_scales_b = tl.load(scales_b + columns[:, None] * (K // BLOCK) + blocks)
        total = tl.dot_scaled(of_a, of_scales_a, A, of_b, of_scales_b, B, total)
    tl.store(d + rows[:, None] * stride + columns[None, :], total)


@triton.jit
def attention(q, k, v, out, N, TILE_M: tl.constexpr, TILE_N: tl.constexpr, WIDTH: tl.constexpr):
    """softmax(Q * K^T) * V, where row i sees rows 0 to i; the largest score so far is subtracted from scores."""
    rows = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)
    width = tl.arange(0, WIDTH)
    queries = tl.load(q + rows[:, None] * WIDTH + width[None, :])
    largest = tl.full([TILE_M], -1e30, tl.float32)
    weight = tl.zeros([TILE_M], dtype=tl.float32)
    total = tl.zeros([TILE_M, WIDTH], dtype=tl.float32)
    for begin in range(0, (tl.program_id(0) + 1) * TILE_M, TILE_N):
        others = begin + tl.arange(0, TILE_N)
        keys = tl.load(k + others[None, :] * WIDTH + width[:, None])
        scores = tl.where(rows[:, None] >= others[None, :], tl.dot(queries, keys), -1e30)
        now = tl.maximum(largest, tl.max(scores, 1))
        terms = tl.exp(scores - now[:, None])
        shrink = tl.exp(largest - now)
        weight = weight * shrink + tl.sum(terms, 1)
        values = tl.load(v + others[:, None] * WIDTH + width[None, :])
        total = tl.dot(terms.to(values.dtype), values, total * shrink[:, None])
        largest = now
    tl.store(out + rows[:, None] * WIDTH + width[None, :], total / weight[:, None])


@triton.jit
def copy(a, d, ROWS, COLUMNS, TILE_M: tl.constexpr, TILE_N: tl.constexpr):
    """Copies a matrix by tensor maps that the kernel makes; tiles may reach beyond it."""
    of_a = tl.make_tensor_descriptor(a, [ROWS, COLUMNS], [COLUMNS, 1], [TILE_M, TILE_N])
    of_d = tl.make_tensor_descriptor(d, [ROWS, COLUMNS], [COLUMNS, 1], [TILE_M, TILE_N])
    row, column = tl.program_id(0) * TILE_M, tl.program_id(1) * TILE_N
    of_d.store([row, column], of_a.load([row, column]))


@triton.jit
def described_product(a, b, d, M, N, K, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    """D = A * B^T by tensor maps that the kernel makes."""
    of_a = tl.make_tensor_descriptor(a, [M, K], [K, 1], [TILE_M, TILE_K])
    of_b = tl.make_tensor_descriptor(b, [N, K], [K, 1], [TILE_N, TILE_K])
    of_d = tl.make_tensor_descriptor(d, [M, N], [N, 1], [TILE_M, TILE_N])
    row, column = tl.program_id(0) * TILE_M, tl.program_id(1) * TILE_N
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for k in range(0, K, TILE_K):
        total = tl.dot(of_a.load([row, k]), of_b.load([column, k]).T, total)
    of_d.store([row, column], total)


def memory_of_maps(size, alignment, stream):
    """Where the kernel makes its maps; Triton keeps it for the launch."""
    return Array(np.zeros(size, np.uint8), tl.uint8)


triton.set_allocator(memory_of_maps)


def instructions(kernel):
    found = set(re.findall(r"\b(?:mma\.sync|wgmma\.mma_async|tcgen05\.mma)[\w.:]*", kernel.asm["ptx"]))
    return ", ".join(sorted(found)) or "no matrix instruction"


def run_product(name, kind, precision="tf32", tolerance=2e-6, m=128, n=128, k=128, tile_k=32, warps=4):
    (a, a_values), (b, b_values) = numbers(kind, m, k), numbers(kind, n, k)
    exact = {"s8": (np.int32, tl.int32), "f64": (np.float64, tl.float64)}
    d = Array(np.zeros((m, n), exact.get(kind, (np.float32,))[0]), exact.get(kind, (0, tl.float32))[1])
    tile = 32 if kind == "f64" else 64
    kernel = product[(m // tile, n // tile)](a, b, d, k, n, TILE_M=tile, TILE_N=tile, TILE_K=tile_k, SUM=d.dtype,
                                             PRECISION=precision, num_warps=warps, ptx_version=PTX_VERSION)
    size = np.abs(a_values) @ np.abs(b_values).T
    what = f"{name} {kind}{' ' + precision if kind == 'f32' else ''}, {instructions(kernel)}"
    check(what, d.get() / size, a_values @ b_values.T / size, tolerance)


def run_scaled(name, kind_a, kind_b, block=32, factors="e8m0", tolerance=2e-6):
    m, n, k = 128, 128, 256
    (a, a_values), (b, b_values) = numbers(kind_a, m, k), numbers(kind_b, n, k)

    def scales(rows):
        if factors == "e4m3":
            bits = rng.integers(0x20, 0x50, (rows, k // block)).astype(np.uint8)
            return Array(bits, tl.float8e4nv), np.repeat(f8(bits, 4, 3), block, 1)
        bits = rng.integers(120, 134, (rows, k // block)).astype(np.uint8)
        return Array(bits, tl.uint8), np.repeat(2.0 ** (bits.astype(float) - 127), block, 1)

    (scales_a, a_scale), (scales_b, b_scale) = scales(m), scales(n)
    d = Array(np.zeros((m, n), np.float32), tl.float32)
    kernel = scaled_product[(1, 1)](a, scales_a, b, scales_b, d, k, n, TILE=128, TILE_K=128, BLOCK=block, A=kind_a,
                                    B=kind_b, PACK_A=1 + (kind_a == "e2m1"), PACK_B=1 + (kind_b == "e2m1"),
                                    num_warps=4, ptx_version=PTX_VERSION)
    x, y = a_values * a_scale, b_values * b_scale
    size = np.abs(x) @ np.abs(y).T
    check(f"{name} {kind_a} {kind_b} scaled, {instructions(kernel)}", d.get() / size, x @ y.T / size, tolerance)


def run_attention(name, kind, tolerance):
    n, width = 128, 64
    q, k, v = (numbers(kind, n, width) for _ in range(3))
    out = Array(np.zeros((n, width), np.float32), tl.float32)
    kernel = attention[(n // 64,)](q[0], k[0], v[0], out, n, TILE_M=64, TILE_N=64, WIDTH=width, num_warps=4,
                                   ptx_version=PTX_VERSION)
    scores = np.where(np.tril(np.ones((n, n), bool)), q[1] @ k[1].T, -np.inf)
    terms = np.exp(scores - scores.max(1, keepdims=True))
    check(f"{name} attention {kind}, {instructions(kernel)}", out.get(),
          terms / terms.sum(1, keepdims=True) @ v[1], tolerance)


def run_copy(name, kind, rows, columns, tile_m, tile_n):
    source, _ = numbers(kind, rows, columns)
    d = Array(np.zeros_like(source.values), source.dtype)
    kernel = copy[(-(-rows // tile_m), -(-columns // tile_n))](source, d, rows, columns, TILE_M=tile_m, TILE_N=tile_n,
                                                              ptx_version=PTX_VERSION)
    ptx = kernel.asm["ptx"]
    found = [one for one in ("tensormap.replace", "cp.async.bulk.tensor") if one in ptx]
    check(f"{name} copy {rows} x {columns} of {kind}, {' and '.join(found)}", d.get().view(np.uint8).astype(float),
          source.values.view(np.uint8).astype(float), 0)


def run_described_product(name, kind, m=192, n=128, k=160):
    (a, a_values), (b, b_values) = numbers(kind, m, k), numbers(kind, n, k)
    d = Array(np.zeros((m, n), np.float32), tl.float32)
    kernel = described_product[(m // 64, n // 64)](a, b, d, m, n, k, TILE_M=64, TILE_N=64, TILE_K=64, num_warps=4,
                                                   ptx_version=PTX_VERSION)
    size = np.abs(a_values) @ np.abs(b_values).T
    check(f"{name} {kind} by descriptors, {instructions(kernel)}", d.get() / size, a_values @ b_values.T / size,
          1e-3 if kind in ("f32", "e5m2") else 2e-6)


warnings.simplefilter("ignore")
for target in (80, 90, 100, 120):
    driver.get_current_target = lambda: GPUTarget("cuda", target, 32)
    for kernel in (product, scaled_product, attention, copy, described_product):
        kernel.device_caches.clear()  # Triton asks for the target once
    name = f"sm_{target}"
    run_product(name, "f16")
    run_product(name, "bf16", tile_k=64, warps=8)
    run_product(name, "f32", tolerance=1e-3)
    run_product(name, "f32", "tf32x3")
    run_product(name, "s8", tolerance=0, tile_k=64)
    run_product(name, "f64", tolerance=1e-14, tile_k=16)
    run_attention(name, "f16", 1e-2)
    if target >= 90:  # sums of wgmma with f8 have 13 fraction bits
        run_product(name, "e4m3", tolerance=1e-3 if target == 90 else 2e-6, tile_k=64)
        run_product(name, "e5m2", tolerance=1e-3 if target == 90 else 2e-6, tile_k=64)
        for kind in ("f16", "f32", "e5m2"):
            run_described_product(name, kind)
        run_copy(name, "f32", 100, 52, 32, 32)
        run_copy(name, "f16", 70, 200, 64, 64)
        run_copy(name, "s8", 33, 144, 16, 128)
    if target >= 100:
        run_scaled(name, "e4m3", "e5m2")
        run_scaled(name, "e2m1", "e2m1")
        run_scaled(name, "e2m1", "e2m1", block=16, factors="e4m3")
finish()
