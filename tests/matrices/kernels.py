# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernel of an instruction."""

from kernel import Kernel, WmmaKernel
from wgmma import WgmmaKernel


def kernel_of(op):
    return {"mma": Kernel, "wmma": WmmaKernel, "wgmma": WgmmaKernel}[op.unit](op)
