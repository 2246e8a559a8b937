# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX: kernels that XLA and Triton compile to PTX, and products by cuBLAS."""

import jax
import jax.numpy as jnp
import numpy as np
from checks import check, finish
from jax._src import hardware_utils

# JAX asks for the device only if there is a file of NVIDIA's kernel module.
hardware_utils.has_visible_nvidia_gpu = lambda: True
jax.config.update("jax_platforms", "cuda,cpu")
jax.config.update("jax_default_matmul_precision", "highest")

key = jax.random.key(0)
x = np.linspace(-3, 3, 1000, dtype=np.float32)
for name in ("exp", "sin", "tanh", "sqrt", "sort", "cumsum", "sum", "argmax"):
    given = np.abs(x) if name == "sqrt" else x[::-1]
    check(name, np.asarray(getattr(jnp, name)(given)), getattr(np, name)(given), 1e-4)

a, b = (np.asarray(jax.random.normal(key, shape)) for shape in ((64, 32), (32, 48)))
check("a product", np.asarray(jnp.asarray(a) @ b), a @ b, 1e-5)
check("batches", np.asarray(jnp.einsum("bij,bkj->bik", a.reshape(4, 16, 32), b.T.reshape(4, 12, 32))),
      np.einsum("bij,bkj->bik", a.reshape(4, 16, 32), b.T.reshape(4, 12, 32)), 1e-5)
check("a gradient", np.asarray(jax.grad(lambda v: (v ** 3).sum())(jnp.asarray(x))), 3 * x ** 2, 1e-5)
total, halves = 0.0, []
for value in x:
    halves.append(total)
    total = total * 0.5 + float(value)
check("a scan", np.asarray(jax.lax.scan(lambda total, value: (total * 0.5 + value, total), 0.0, x)[1]), np.array(halves), 1e-5)


def loss(p, inputs, wanted):
    hidden = jnp.tanh(inputs @ p["w1"] + p["b1"])
    return jnp.mean((hidden @ p["w2"] + p["b2"] - wanted) ** 2)


def step(p, inputs, wanted):
    return jax.tree.map(lambda value, slope: value - 0.1 * slope, p, jax.grad(loss)(p, inputs, wanted))


parameters = {"w1": jax.random.normal(key, (8, 32)) * 0.3, "b1": jnp.zeros(32),
              "w2": jax.random.normal(key, (32, 1)) * 0.3, "b2": jnp.zeros(1)}
inputs = jax.random.normal(key, (128, 8))
wanted = jnp.sin(inputs.sum(1, keepdims=True))


def trained(device):
    put = lambda tree: jax.device_put(tree, device)  # noqa: E731
    p, many = put(parameters), jax.jit(step)
    for _ in range(20):
        p = many(p, put(inputs), put(wanted))
    return float(loss(p, put(inputs), put(wanted)))


check("a network after 20 steps", trained(jax.devices("cuda")[0]), trained(jax.devices("cpu")[0]), 1e-3)
finish()
